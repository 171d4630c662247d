// SPDX-License-Identifier: GPL-2.0
/*
 * srnic-mutate - a wire that adds modified copies of the packets that it carries.
 *
 * Forwards every frame between two netdevs unchanged. It keeps some sealed packets and makes
 * mutants of them, for which no seal is valid. Mutants are sent before the genuine packet,
 * when the receiver expects it, after it, and at any later time. Checksums and ICRC are
 * right, so only the seal can detect them.
 *
 * At the end it prints what it forwarded and what it injected, by side: a device must not
 * have opened more than the former, and must have refused exactly the latter.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "../port.h"
#include "mutate.h"

#define SIDES	2
#define ROOM	(64 << 20)
#define BATCH	16	/* frames from one side before the other's turn */

struct options {
	unsigned long count;
	unsigned int lose;	/* one in so many packets; 0: none */
	unsigned int each;	/* mutants of kept packets beside each genuine one */
	const char *done;
	bool copies;
};

/* Packets sent to a side */
struct account {
	unsigned long sealed;		/* genuine, without handshake frames */
	unsigned long handshake;	/* genuine handshake frames */
	unsigned long lost;
	unsigned long mutants;
	unsigned long like_handshake;	/* mutants with a handshake opcode */
};

static struct account accounts[SIDES];
static int ports[SIDES];
static unsigned long made;
static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

/* Retry until sent: losses must be intended ones, so that the counts are exact */
static void put(const struct frame *frame)
{
	while (send(ports[frame->to], frame->bytes, frame->len, 0) < 0)
		if (errno != ENOBUFS && errno != EINTR && errno != EAGAIN)
			die("cannot send to side", frame->to ? "2" : "1");
}

static void put_mutant(struct mutator *by, const struct frame *genuine, const struct options *opt)
{
	static struct frame mutant;

	if (!genuine || made >= opt->count)
		return;
	if (opt->copies)
		mutant = *genuine;
	else if (!mutate(by, genuine, &mutant))
		return;
	accounts[mutant.to].mutants++;
	accounts[mutant.to].like_handshake += frame_is_handshake(&mutant);
	put(&mutant);
	if (++made == opt->count && opt->done)
		close(creat(opt->done, 0644));
}

static bool is_sealed(const struct frame *frame)
{
	size_t headers = frame_is_roce(frame) ? frame_headers(frame) : 0;

	return headers && frame_seal(frame) && headers + frame_seal(frame) <= frame_body(frame);
}

/* Handshake frames are kept but never lost: other tools test lossy handshakes. */
static bool loses(struct mutator *by, const struct frame *frame, const struct options *opt)
{
	return opt->lose && !frame_is_handshake(frame) && chance_one_in(&by->chance, opt->lose);
}

static void carry(struct mutator *by, const struct frame *frame, const struct options *opt)
{
	struct account *account = &accounts[frame->to];

	if (!is_sealed(frame)) {
		put(frame);
		return;
	}
	if (made < opt->count)
		kept_add(frame, &by->chance);
	if (!opt->copies)
		put_mutant(by, frame, opt);
	if (loses(by, frame, opt)) {
		account->lost++;
	} else {
		account->handshake += frame_is_handshake(frame);
		account->sealed += !frame_is_handshake(frame);
		put(frame);
	}
	put_mutant(by, frame, opt);
	/* add no other mutants to a handshake: disturbing it is another attack */
	for (unsigned int i = 0; i < opt->each && !opt->copies && !frame_is_handshake(frame); i++)
		put_mutant(by, kept_any(&by->chance), opt);
}

static void forward(struct mutator *by, int from, const struct options *opt)
{
	static struct frame frame;
	ssize_t len;

	for (int i = 0; i < BATCH; i++) {
		len = recv(ports[from], frame.bytes, FRAME_MAX, MSG_DONTWAIT | MSG_TRUNC);
		if (len <= 0 || len > FRAME_MAX)
			return;
		frame.len = len;
		frame.to = !from;
		carry(by, &frame, opt);
	}
}

static void run(struct mutator *by, const struct options *opt)
{
	struct pollfd waiting[SIDES];

	for (int i = 0; i < SIDES; i++)
		waiting[i] = (struct pollfd){ .fd = ports[i], .events = POLLIN };
	while (!stop) {
		if (poll(waiting, SIDES, 200) <= 0)
			continue;
		for (int i = 0; i < SIDES; i++)
			forward(by, i, opt);
	}
}

/* Print as assignments for a shell */
static void report(void)
{
	static const char *const sides[SIDES] = { "a", "b" };

	for (int i = 0; i < SIDES; i++)
		printf("%s_sealed=%lu\n%s_handshake=%lu\n%s_lost=%lu\n%s_mutants=%lu\n"
		       "%s_like_handshake=%lu\n", sides[i], accounts[i].sealed, sides[i],
		       accounts[i].handshake, sides[i], accounts[i].lost, sides[i],
		       accounts[i].mutants, sides[i], accounts[i].like_handshake);
	printf("kinds=%u\n", kept_kinds());
	mutate_account();
}

static const char usage[] =
"usage: srnic-mutate [options] DEV1 DEV2\n"
"\n"
"  -n, --count N        mutants to send in all (1000)\n"
"  -e, --each N         mutants of earlier packets to send beside each packet, in\n"
"                       addition to two mutants of that packet (14)\n"
"  -l, --lose N         drop one in N sealed packets (none)\n"
"  -p, --payload-open   change only bytes that a seal of mode header covers\n"
"  -c, --copies         send each packet twice, instead of mutants\n"
"  -d, --done FILE      create FILE when the last mutant has been sent\n"
"  -s, --seed N         seed of the random numbers (1)\n"
"\n"
"Forwards frames until it is ended (SIGTERM), then prints what it has sent to side a,\n"
"behind DEV1, and to side b.\n"
"\n"
"Example: srnic-mutate --count 20000 --done /run/done ma mb\n";

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "count", 1, NULL, 'n' }, { "each", 1, NULL, 'e' }, { "lose", 1, NULL, 'l' },
		{ "payload-open", 0, NULL, 'p' }, { "copies", 0, NULL, 'c' },
		{ "done", 1, NULL, 'd' }, { "seed", 1, NULL, 's' }, { "help", 0, NULL, 'h' }, { }
	};
	struct sigaction act = { .sa_handler = on_signal };
	struct options opt = { .count = 1000, .each = 14 };
	struct mutator by = { };
	unsigned long seed = 1;
	int c, one = 1;

	while ((c = getopt_long(argc, argv, "n:e:l:pcd:s:h", longs, NULL)) != -1) {
		switch (c) {
		case 'n': opt.count = strtoul(optarg, NULL, 0); break;
		case 'e': opt.each = strtoul(optarg, NULL, 0); break;
		case 'l': opt.lose = strtoul(optarg, NULL, 0); break;
		case 'p': by.payload_open = true; break;
		case 'c': opt.copies = true; break;
		case 'd': opt.done = optarg; break;
		case 's': seed = strtoul(optarg, NULL, 0); break;
		case 'h': fputs(usage, stdout); return 0;
		default: fputs(usage, stderr); return 2;
		}
	}
	if (argc - optind != SIDES) {
		fputs(usage, stderr);
		return 2;
	}
	chance_seed(&by.chance, seed);
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGINT, &act, NULL);
	for (int i = 0; i < SIDES; i++) {
		ports[i] = port_open(argv[optind + i], ROOM);
		setsockopt(ports[i], SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof(one));
	}
	run(&by, &opt);
	report();
	return 0;
}
