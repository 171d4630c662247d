// SPDX-License-Identifier: GPL-2.0
/*
 * Keys, read from a file, a pipe or a terminal, or generated. They are never taken from the
 * command line, which every user of the machine can read, and never printed.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <termios.h>
#include <unistd.h>
#include "cli.h"

#define TEXT_MAX	512	/* more than the text of any key needs */

static int hex_value(char digit)
{
	return isdigit((unsigned char)digit) ? digit - '0' :
		tolower((unsigned char)digit) - 'a' + 10;
}

/* Return the number of hexadecimal digits; 0 if there is anything but these and spaces. */
static size_t count_hex(const char *text, size_t len)
{
	size_t digits = 0;

	while (len--) {
		if (isxdigit((unsigned char)text[len]))
			digits++;
		else if (!isspace((unsigned char)text[len]))
			return 0;
	}
	return digits;
}

static int parse_hex(const struct args *args, const char *name, const char *text, size_t digits,
		     struct secret *secret)
{
	size_t i;

	if (digits % 2 || digits < 2 * SRNIC_SECRET_MIN || digits > 2 * SRNIC_SECRET_MAX)
		return cli_usage(args, "%s holds %zu hexadecimal digits: a key has 32 to 64, two a byte",
				 name, digits);

	secret->len = digits / 2;
	memset(secret->bytes, 0, sizeof(secret->bytes));
	for (i = 0; i < digits; text++)
		if (!isspace((unsigned char)*text)) {
			secret->bytes[i / 2] |= hex_value(*text) << (i % 2 ? 0 : 4);
			i++;
		}
	return CLI_OK;
}

/*
 * Text of hexadecimal digits only is never taken as raw bytes: if a digit was lost in
 * copying, the result must be an error, not another key.
 */
int secret_parse(const struct args *args, const char *name, const char *text, size_t len,
		 bool raw, struct secret *secret)
{
	size_t digits = raw ? 0 : count_hex(text, len);

	if (!len)
		return cli_usage(args, "%s is empty: a key has 16 to 32 bytes", name);
	if (digits)
		return parse_hex(args, name, text, digits, secret);
	if (len < SRNIC_SECRET_MIN || len > SRNIC_SECRET_MAX)
		return cli_usage(args, "%s holds %s%zu bytes: a key has 16 to 32, or 32 to 64 hexadecimal digits",
				 name, len > TEXT_MAX ? "more than " : "",
				 len > TEXT_MAX ? (size_t)TEXT_MAX : len);
	memcpy(secret->bytes, text, len);
	secret->len = len;
	return CLI_OK;
}

/* Read up to @size bytes; return -1 with errno set on errors. */
static ssize_t read_all(int fd, char *buf, size_t size)
{
	size_t len = 0;
	ssize_t got;

	do {
		got = read(fd, buf + len, size - len);
		if (got > 0)
			len += got;
	} while (len < size && (got > 0 || (got < 0 && errno == EINTR)));
	return got < 0 ? -1 : (ssize_t)len;
}

static volatile sig_atomic_t interrupted;

static void note_signal(int signal)
{
	interrupted = signal;
}

/* Read a line without echo. On a signal, restore the terminal before the signal acts. */
static ssize_t read_terminal(char *buf, size_t size)
{
	static const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP };
	struct sigaction note = { .sa_handler = note_signal };
	struct sigaction before[sizeof(signals) / sizeof(*signals)];
	struct termios loud, quiet;
	ssize_t len;
	size_t i;

	if (tcgetattr(STDIN_FILENO, &loud))
		return -1;
	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &note, &before[i]);
	quiet = loud;
	quiet.c_lflag &= ~(ECHO | ECHONL);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
	fputs("Key, in hexadecimal: ", cli.err);
	fflush(cli.err);

	len = read(STDIN_FILENO, buf, size);

	tcsetattr(STDIN_FILENO, TCSAFLUSH, &loud);
	fputc('\n', cli.err);
	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &before[i], NULL);
	if (interrupted)
		raise(interrupted);
	if (len > 0 && buf[len - 1] == '\n')
		len--;
	return len;
}

int secret_read(const struct args *args, const char *path, bool raw, struct secret *secret)
{
	bool standard = !path || !strcmp(path, "-");
	const char *name = standard ? "standard input" : path;
	char text[TEXT_MAX + 1];
	int fd = STDIN_FILENO;
	ssize_t len;
	int err;

	if (!standard)
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return cli_usage(args, "cannot open key file %s: %s", path, strerror(errno));

	if (standard && isatty(fd))
		len = read_terminal(text, sizeof(text));
	else
		len = read_all(fd, text, sizeof(text));
	if (len < 0)
		err = cli_usage(args, "cannot read the key from %s: %s", name, strerror(errno));
	else
		err = secret_parse(args, name, text, len, raw, secret);

	explicit_bzero(text, sizeof(text));
	if (!standard)
		close(fd);
	return err;
}

/* Write a new file that only its owner can read, to the disk. Return 0, or an errno. */
static int write_new(const char *path, const char *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	ssize_t done;
	int err;

	if (fd < 0)
		return errno;
	done = write(fd, text, len);
	err = done < 0 || fsync(fd) ? errno : 0;
	if (!err && done != (ssize_t)len)
		err = ENOSPC;
	if (close(fd) && !err)
		err = errno;
	if (err)
		unlink(path);
	return err;
}

/* Generate a random key, and write it to a file. */
int secret_make(const struct args *args, const char *path, struct secret *secret)
{
	char text[2 * SRNIC_SECRET_MAX + 2];
	unsigned int i;
	int err;

	if (getrandom(secret->bytes, sizeof(secret->bytes), 0) != (ssize_t)sizeof(secret->bytes))
		return cli_usage(args, "cannot get random bytes: %s", strerror(errno));
	secret->len = sizeof(secret->bytes);
	for (i = 0; i < secret->len; i++)
		sprintf(text + 2 * i, "%02x", secret->bytes[i]);
	text[2 * secret->len] = '\n';

	err = write_new(path, text, 2 * secret->len + 1);
	explicit_bzero(text, sizeof(text));
	if (err)
		return cli_usage(args, "cannot write key file %s: %s", path, strerror(err));
	return CLI_OK;
}
