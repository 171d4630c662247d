// SPDX-License-Identifier: GPL-2.0
/*
 * srnicd: options, and preparations for the loop.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <srnic_version.h>
#include "daemon.h"
#include "say.h"

#define REKEY_S		3600
#define REKEY_MIN_S	2
#define REKEY_MAX_S	(7 * 24 * 3600)
#define VOLUME		(1ull << 40)
#define VOLUME_MIN	(1ull << 20)
#define VOLUME_MAX	(1ull << 60)

struct options {
	const char *folder;
	const char *key;
	const char *listen[LISTEN_MAX];
	unsigned int listen_count;
	unsigned long rekey;
	uint64_t volume;
};

static const char help[] =
"Usage: srnicd [OPTION...]\n"
"\n"
"Gives this host and each of its peers a common key for srnic, and replaces it again\n"
"and again. It runs in the foreground, needs CAP_NET_ADMIN and nothing else, and serves\n"
"the network namespace that it is started in. 'srnic peer' sets the peers.\n"
"\n"
"  -c, --config FOLDER   private.key and peers are there (default: $SRNIC_FOLDER, or\n"
"                        /etc/srnic)\n"
"  -k, --key FILE        the private key, if it is elsewhere\n"
"  -l, --listen ADDRESS:PORT\n"
"                        TCP address for peers that dial (default [::]:14791); repeat\n"
"                        it for more\n"
"  -r, --rekey SECONDS   time between two keys (default 3600)\n"
"  -v, --volume BYTES    what a host may seal by a key before the next one follows, with\n"
"                        K, M, G or T for powers of 1024 (default 1T)\n"
"  -h, --help            this text\n"
"  -V, --version         print the version\n"
"\n"
"Examples:\n"
"  srnicd\n"
"  srnicd --listen 192.0.2.1:14791 --rekey 600\n"
"  ip netns exec blue srnicd --config /etc/srnic/blue\n"
"\n"
"See srnicd(8) and srnic(8).\n";

static int usage(const char *fmt, const char *word)
{
	struct why why;

	why_not(&why, fmt, word);
	fprintf(stderr, "srnicd: %s (srnicd --help)\n", why.text);
	return 2;
}

static int take_rekey(struct options *options, const char *word)
{
	char *end;

	errno = 0;
	options->rekey = strtoul(word, &end, 10);
	if (errno || *end || end == word || options->rekey < REKEY_MIN_S ||
	    options->rekey > REKEY_MAX_S)
		return usage("'%.40s' is not a number of seconds from 2 to 604800", word);
	return 0;
}

/* Multiply a number by the power of 1024 that its last letter names. Return false if none does. */
static bool scale(uint64_t *number, const char *letter)
{
	static const char letters[] = "KMGT";
	const char *at = *letter ? strchr(letters, *letter) : NULL;
	unsigned int shift = at ? 10 * (at - letters + 1) : 0;

	if (*letter && (!at || letter[1]))
		return false;
	if (*number > VOLUME_MAX >> shift)
		return false;
	*number <<= shift;
	return true;
}

static int take_volume(struct options *options, const char *word)
{
	char *end;

	errno = 0;
	options->volume = strtoull(word, &end, 10);
	if (errno || end == word || *word == '-' || !scale(&options->volume, end) ||
	    options->volume < VOLUME_MIN)
		return usage("'%.40s' is not a number of bytes from 1M to 1048576T", word);
	return 0;
}

static int take_listen(struct options *options, const char *word)
{
	if (options->listen_count == LISTEN_MAX)
		return usage("'%.40s' is one address too many to listen on", word);
	options->listen[options->listen_count++] = word;
	return 0;
}

/* Return -1 to go on, else the exit status. */
static int take_option(struct options *options, int option)
{
	switch (option) {
	case 'c':
		options->folder = optarg;
		return -1;
	case 'k':
		options->key = optarg;
		return -1;
	case 'l':
		return take_listen(options, optarg) ?: -1;
	case 'r':
		return take_rekey(options, optarg) ?: -1;
	case 'v':
		return take_volume(options, optarg) ?: -1;
	case 'h':
		fputs(help, stdout);
		return 0;
	case 'V':
		puts("srnicd " SRNIC_VERSION);
		return 0;
	default:
		return 2;	/* getopt has printed the reason */
	}
}

static int take_options(struct options *options, int argc, char **argv)
{
	static const struct option names[] = {
		{ "config", required_argument, NULL, 'c' },
		{ "key", required_argument, NULL, 'k' },
		{ "listen", required_argument, NULL, 'l' },
		{ "rekey", required_argument, NULL, 'r' },
		{ "volume", required_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{},
	};
	int option, status;

	while ((option = getopt_long(argc, argv, "c:k:l:r:v:hV", names, NULL)) != -1) {
		status = take_option(options, option);
		if (status >= 0)
			return status;
	}
	return optind < argc ? usage("'%.40s' is not expected here: remove it", argv[optind]) : -1;
}

static bool open_tls(struct daemon *daemon, const struct options *options, struct why *why)
{
	struct identity identity;
	bool fine;

	fine = options->key ? identity_read(options->key, false, &identity, why) :
			      identity_find(options->folder, &identity, why);
	fine = fine && tls_init(&daemon->tls, &identity, session_verify, why);
	identity_wipe(&identity);
	return fine;
}

static bool open_signals(struct daemon *daemon, struct why *why)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	daemon->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return daemon->signals >= 0 || why_not(why, "no descriptor for signals: %s",
					       strerror(errno));
}

static bool open_watch(struct daemon *daemon, struct why *why)
{
	daemon->watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (daemon->watch >= 0 &&
	    inotify_add_watch(daemon->watch, daemon->folder,
			      IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE) >= 0)
		return true;
	return why_not(why, "cannot watch the folder %.100s: %s", daemon->folder, strerror(errno));
}

static bool open_listeners(struct daemon *daemon, const struct options *options, struct why *why)
{
	char endpoint[ENDPOINT_MAX];
	unsigned int i;

	for (i = 0; i < options->listen_count; i++)
		if (!listen_open(daemon, options->listen[i], why))
			return false;
	if (i)
		return true;
	snprintf(endpoint, sizeof(endpoint), "[::]:%d", PEER_PORT);
	if (listen_open(daemon, endpoint, why))
		return true;
	/* a kernel without IPv6 */
	snprintf(endpoint, sizeof(endpoint), "0.0.0.0:%d", PEER_PORT);
	return listen_open(daemon, endpoint, why);
}

static bool run(struct daemon *daemon, const struct options *options, struct why *why)
{
	bool fine;

	fine = open_tls(daemon, options, why) &&
		open_signals(daemon, why) &&
		open_watch(daemon, why) &&
		kernel_open(&daemon->kernel, why) &&
		open_listeners(daemon, options, why) &&
		links_read(daemon, why);
	if (fine) {
		say_info("ready");
		fine = daemon_run(daemon, why);
	}
	links_free(daemon);
	while (daemon->sessions)
		daemon_drop(daemon, daemon->sessions, &(const struct why) {});
	kernel_close(&daemon->kernel);
	if (daemon->tls.credentials)
		tls_exit(&daemon->tls);
	return fine;
}

int main(int argc, char **argv)
{
	struct options options = { .folder = identity_folder(), .rekey = REKEY_S,
				   .volume = VOLUME };
	struct daemon daemon = { .watch = -1, .signals = -1 };
	struct why why;
	int status;

	status = take_options(&options, argc, argv);
	if (status >= 0)
		return status;
	/* keep the secrets from core files, and from debuggers of the same user */
	prctl(PR_SET_DUMPABLE, 0);
	setvbuf(stderr, NULL, _IOLBF, 0);
	daemon.folder = options.folder;
	daemon.rekey_ms = options.rekey * 1000;
	daemon.rekey_bytes = options.volume;
	if (run(&daemon, &options, &why))
		return 0;
	say_error("%s", why.text);
	return 1;
}
