/* SPDX-License-Identifier: GPL-2.0 */
/*
 * srnic - command line tool for policy, keys and quotas of srnic devices.
 */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <srnic/srnic.h>

/* Exit status, documented in srnic(8). */
enum {
	CLI_OK,
	CLI_REFUSED,	/* the kernel refused, or could not be asked */
	CLI_USAGE,	/* the command line or a key is invalid; the kernel was not asked */
};

struct cli {
	FILE *out;
	FILE *err;
	bool json;
	bool pretty;
	bool details;
	const char *root;	/* of /etc, /sys …; NULL: none, except in tests */
	const char *place;	/* of a file, before error messages; NULL: the command line */
};

extern struct cli cli;

#define NUM(array)	(sizeof(array) / sizeof(*(array)))

int cli_run(int argc, char **argv);

struct args;
/* Run the command that the first word names; there is one */
int cli_command(struct args *args);

/* help.c: returns false if the command is unknown */
bool help_print(FILE *to, const char *command);

/*
 * args.c: the rest of the command line. @where names the command in error messages,
 * @about names the help page.
 */
struct args {
	char **next;
	const char *about;
	char where[32];
};

/* Print one line to cli.err: the error, its place, and how to correct it. Return a status. */
int cli_usage(const struct args *args, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int cli_refused(const char *where, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Return the next word, and for args_take() remove it; NULL if there is none. */
const char *args_peek(const struct args *args);
const char *args_take(struct args *args);
/* Take a word. Return CLI_OK, or CLI_USAGE with the message "@what is missing" */
int args_need(struct args *args, const char *what, const char **word);
/* Return CLI_OK, or CLI_USAGE if there are more words */
int args_end(const struct args *args);

/* A verb of a command, as in 'policy add'. The first one is the default. */
struct verb {
	const char *name;
	int (*run)(struct args *args);
};

int args_verb(struct args *args, const struct verb *verbs, unsigned int num);

/* words.c: parsers print their own errors and return a status */
int parse_prefix(const struct args *args, const char *word, struct srnic_prefix *prefix);
int parse_u32(const struct args *args, const char *what, const char *word, uint32_t *value);
int check_key_name(const struct args *args, const char *name);
/* The names of suites that there are, such as aes-cmac-128/96, are known to the kernel alone. */
int check_suite_name(const struct args *args, const char *name);

/* secret.c: keys from a file or a terminal; the caller wipes them */
struct secret {
	uint8_t bytes[SRNIC_SECRET_MAX];
	unsigned int len;
};

int secret_parse(const struct args *args, const char *name, const char *text, size_t len,
		 bool raw, struct secret *secret);
int secret_read(const struct args *args, const char *path, bool raw, struct secret *secret);
int secret_make(const struct args *args, const char *path, struct secret *secret);

/* the commands */
int show_run(struct args *args);
int quota_run(struct args *args);
int limit_run(struct args *args);
int pkey_run(struct args *args);
int subnet_run(struct args *args);
int mtu_run(struct args *args);
int qp_run(struct args *args);
int policy_run(struct args *args);
int key_run(struct args *args);
int suite_run(struct args *args);
int log_run(struct args *args);
int peer_run(struct args *args);
int genkey_run(struct args *args);
int pubkey_run(struct args *args);
int apply_run(struct args *args);
int save_run(struct args *args);
int doctor_run(struct args *args);

#endif /* CLI_H */
