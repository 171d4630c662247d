// SPDX-License-Identifier: GPL-2.0
/*
 * srnic-mutate - a wire that puts changed copies of what it carries beside it.
 *
 * Forwards every frame between two netdevs, byte for byte. Of sealed packets it keeps some,
 * and makes others of them which no seal is right for: before the genuine one arrives, when
 * that is just what the receiver expects, after it, and at any time later. Checksums and
 * ICRC are right, so that the seal has to notice.
 *
 * At its end it says what it has forwarded and what it has put there, to each side: what a
 * device opened may not be more than the first, and what it refused has to be the second.
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
#define BATCH	16	/* frames of one side before it is the other's turn */

struct options {
	unsigned long count;
	unsigned int lose;	/* one in so many, 0: none */
	unsigned int each;	/* mutants beside a genuine packet, of any that have been seen */
	const char *done;
	bool copies;
};

/* what was sent to a side */
struct account {
	unsigned long sealed;		/* genuine, but for the handshake's */
	unsigned long handshake;	/* genuine frames of it */
	unsigned long lost;
	unsigned long mutants;
	unsigned long like_handshake;	/* mutants with one of its opcodes */
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

/* nothing is lost here but by intent: what is counted as sent has been */
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

/* A handshake's frame is kept, and never lost: that is for who tests handshakes. */
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
	/* what is in the way of a handshake is another attack: while there are no others yet */
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

/* that words of a shell can be made of */
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
"  -n, --count N        mutants to put beside what passes (1000)\n"
"  -e, --each N         so many beside each packet, of others; and two of itself (14)\n"
"  -l, --lose N         lose one in N sealed packets (none)\n"
"  -p, --payload-open   header mode: change nothing but what a header's seal covers\n"
"  -c, --copies         no mutants: each packet once more, as it is\n"
"  -d, --done FILE      make this file when there have been so many\n"
"  -s, --seed N         of the random numbers (1)\n"
"\n"
"Forwards until it is ended; then says what it sent to the sides a, behind DEV1, and b.\n"
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
