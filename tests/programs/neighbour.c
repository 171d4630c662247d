// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * srnic-neighbour - the effect of one connection's READs on another's round
 * trips.
 *
 * Uses two devices and two connections. One CPU creates load on the first
 * connection; another measures round trips of 64-byte WRITEs on the second.
 * Kinds of load: none; a busy loop, to see what an emulator's second CPU costs
 * by itself; long WRITEs, whose bytes flow in the same direction as those of
 * READs but are no responses; and long READs, as many in flight as the
 * connection allows. The kinds alternate, so that other load of the machine
 * affects all of them. Prints figures without judging them.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "connection.h"

#define LONG		(1 << 20)
#define PING		64
#define TURN		(150 * 1000000ULL)	/* ns of each kind at a time */
#define SETTLE		(30 * 1000000ULL)	/* ns before measurement starts */
#define MOST		100000			/* round trips in a turn */
#define TURNS_MOST	100
#define SLEEP		100	/* us; sleep, so that waiting for long messages takes no CPU time */

enum kind { QUIET, LOOP, WRITES, READS, KINDS };

static const char *const names[KINDS] = { "nothing", "a busy loop", "WRITEs", "READs" };

struct pair {
	struct end here, there;
	struct ibv_mr *here_mr, *there_mr;
};

static struct device a, b;
static struct pair busy, pinged;
static atomic_int now = QUIET;
static atomic_ullong bytes;		/* bytes of the long messages */
static uint32_t trips[MOST];		/* ns */
static double medians[KINDS][TURNS_MOST];

static struct ibv_mr *buffer(const struct device *dev, size_t size)
{
	void *p = aligned_alloc(4096, size < 4096 ? 4096 : size);
	struct ibv_mr *mr;

	if (!p)
		die("no memory");
	memset(p, 0x5a, size);
	mr = device_reg(dev, p, size, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			IBV_ACCESS_REMOTE_READ);
	return mr;
}

static void make_pair(struct pair *pair, size_t size)
{
	end_create(&pair->here, &a);
	end_create(&pair->there, &b);
	end_connect(&pair->here, &pair->there);
	end_connect(&pair->there, &pair->here);
	pair->here_mr = buffer(&a, size);
	pair->there_mr = buffer(&b, size);
}

static void post(const struct end *end, enum ibv_wr_opcode opcode, const struct ibv_mr *from,
		 const struct ibv_mr *to)
{
	struct ibv_sge sge = { (uintptr_t)from->addr, from->length, from->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = (uintptr_t)to->addr, .rkey = to->rkey },
	};

	if (ibv_post_send(end->qp, &wr, &bad))
		die("ibv_post_send");
}

/* In either case the bytes flow from there to here. */
static void post_long(enum kind kind)
{
	if (kind == READS)
		post(&busy.here, IBV_WR_RDMA_READ, busy.here_mr, busy.there_mr);
	else
		post(&busy.there, IBV_WR_RDMA_WRITE, busy.there_mr, busy.here_mr);
}

static void flood(enum kind kind)
{
	const struct end *end = kind == READS ? &busy.here : &busy.there;
	int i;

	for (i = 0; i < RC_READS; i++)
		post_long(kind);
	while ((int)atomic_load(&now) == (int)kind) {
		end_expect(end, SLEEP);
		atomic_fetch_add(&bytes, LONG);
		post_long(kind);
	}
	while (i--)
		end_expect(end, SLEEP);
}

static void *make_work(void *cpu)
{
	run_on(*(int *)cpu);
	for (;;) {
		int kind = atomic_load(&now);

		if (kind == KINDS)
			return NULL;
		if (kind == WRITES || kind == READS)
			flood(kind);
		else if (kind == QUIET)
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
}

static int ascending(const void *x, const void *y)
{
	uint32_t p = *(const uint32_t *)x, q = *(const uint32_t *)y;

	return (p > q) - (p < q);
}

static int ascending_double(const void *x, const void *y)
{
	double p = *(const double *)x, q = *(const double *)y;

	return (p > q) - (p < q);
}

/* Return the median round trip in microseconds over @ns of time */
static double measure(uint64_t ns)
{
	uint64_t begin = now_ns(), last = begin, t;
	unsigned int n = 0;

	do {
		post(&pinged.here, IBV_WR_RDMA_WRITE, pinged.here_mr, pinged.there_mr);
		end_expect(&pinged.here, 0);
		t = now_ns();
		trips[n++] = t - last;
		last = t;
	} while (n < MOST && t - begin < ns);
	qsort(trips, n, sizeof(*trips), ascending);
	return trips[n / 2] / 1e3;
}

static double middle(double *values, int n)
{
	qsort(values, n, sizeof(*values), ascending_double);
	return values[n / 2];
}

static void report(int turns, const double *speed)
{
	double quiet = middle(medians[QUIET], turns);

	printf("beside         median round trip/us  change  MB/s\n");
	for (int kind = 0; kind < KINDS; kind++) {
		double all = middle(medians[kind], turns);

		printf("%-14s %20.1f %+6.1f%% %5.0f\n", names[kind], all, (all / quiet - 1) * 100,
		       speed[kind]);
	}
}

static void run(int turns, double *speed)
{
	for (int turn = 0; turn < turns; turn++) {
		for (int kind = 0; kind < KINDS; kind++) {
			unsigned long long had;

			atomic_store(&now, kind);
			measure(SETTLE);
			had = atomic_load(&bytes);
			medians[kind][turn] = measure(TURN);
			had = atomic_load(&bytes) - had;
			speed[kind] += had * 1e3 / TURN / turns;
		}
	}
	atomic_store(&now, KINDS);
}

int main(int argc, char **argv)
{
	int turns = argc > 3 ? atoi(argv[3]) : 0;
	double speed[KINDS] = {};
	int cpus[2] = { 0, 1 };
	pthread_t worker;

	if (turns < 1 || turns > TURNS_MOST) {
		fprintf(stderr, "usage: srnic-neighbour DEVICE DEVICE TURNS [CPU CPU]\n"
			"example: srnic-neighbour srnic0 srnic1 9\n");
		return 2;
	}
	for (int i = 0; i < 2 && argc > 5; i++)
		cpus[i] = atoi(argv[4 + i]);
	device_open(&a, argv[1]);
	device_open(&b, argv[2]);
	make_pair(&busy, LONG);
	make_pair(&pinged, PING);
	if (pthread_create(&worker, NULL, make_work, &cpus[0]))
		die("pthread_create");
	run_on(cpus[1]);
	run(turns, speed);
	pthread_join(worker, NULL);
	report(turns, speed);
	return 0;
}
