// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * srnic-streams - a QP's windows are unbound in linear time.
 *
 * A process binds windows of type 2 to one QP, then as many to another of the
 * same domain. It resets the first QP, and destroys the second one. With four
 * times as many windows each may take four times as long, and slightly more. Run
 * it where the clock counts instructions (scripts/vm --icount); elsewhere it
 * compares times, which are unreliable.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "connection.h"

#define FEWER		500	/* unless an argument says how many */
#define MORE		4	/* times as many */
#define MOST_RATIO	6	/* linear: 4; quadratic: 16 */
#define LENGTH		4096
#define MOST_PENDING	64

struct costs {
	uint64_t reset, destroy;
};

static struct device dev;
static struct ibv_mr *mr;
static char buf[LENGTH] __attribute__((aligned(LENGTH)));

static void bind(struct end *end, struct ibv_mw *mw)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED,
		.bind_mw = { .mw = mw, .rkey = ibv_inc_rkey(mw->rkey),
			     .bind_info = { .mr = mr, .addr = (uintptr_t)buf, .length = LENGTH,
					    .mw_access_flags = IBV_ACCESS_REMOTE_READ } },
	}, *bad;

	if (ibv_post_send(end->qp, &wr, &bad))
		die("BIND_MW");
}

static void fill(struct end *end, struct ibv_mw **mws, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		mws[i] = ibv_alloc_mw(dev.pd, IBV_MW_TYPE_2);
		if (!mws[i])
			die("ibv_alloc_mw");
		bind(end, mws[i]);
		if (i >= MOST_PENDING)
			end_expect(end, 0);
	}
	for (unsigned int i = 0; i < count && i < MOST_PENDING; i++)
		end_expect(end, 0);
}

static void empty(struct ibv_mw **mws, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		if (ibv_dealloc_mw(mws[i]))
			die("ibv_dealloc_mw");
}

static void reset(struct end *end)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };

	if (ibv_modify_qp(end->qp, &attr, IBV_QP_STATE))
		die("RESET");
}

static void destroy(struct end *end)
{
	if (ibv_destroy_qp(end->qp))
		die("ibv_destroy_qp");
	end->qp = NULL;
}

static uint64_t timed(void (*stop)(struct end *end), struct end *end)
{
	uint64_t begin = now_ns();

	stop(end);
	return now_ns() - begin;
}

/* Return nanoseconds, which under icount are instructions, of a RESET and of a destroy. */
static struct costs cost(unsigned int count)
{
	struct ibv_mw **mws = calloc(2 * count, sizeof(*mws));
	struct end first, second;
	struct costs costs;

	if (!mws)
		die("calloc");
	end_create(&first, &dev);
	end_create(&second, &dev);
	end_connect(&first, &second);
	end_connect(&second, &first);
	fill(&first, mws, count);
	fill(&second, mws + count, count);

	costs.reset = timed(reset, &first);
	costs.destroy = timed(destroy, &second);

	empty(mws, 2 * count);
	end_destroy(&first);
	end_destroy(&second);
	free(mws);
	return costs;
}

static int check(const char *what, uint64_t fewer, uint64_t more, unsigned int windows)
{
	int bad = more > MOST_RATIO * fewer;

	printf("%s %s: %llu with %u windows, %llu with %u: %.1f times\n", bad ? "FAIL" : "ok  ",
	       what, (unsigned long long)fewer, windows, (unsigned long long)more, MORE * windows,
	       (double)more / fewer);
	return bad;
}

int main(int argc, char **argv)
{
	int windows = argc == 3 ? atoi(argv[2]) : FEWER;
	struct costs fewer, more;
	int bad;

	if (argc < 2 || argc > 3 || windows < 1) {
		fprintf(stderr, "usage: srnic-streams DEVICE [WINDOWS]\n");
		return 2;
	}
	device_open(&dev, argv[1]);
	mr = device_reg(&dev, buf, LENGTH, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
			IBV_ACCESS_MW_BIND);
	fewer = cost(windows);
	more = cost(MORE * windows);
	bad = check("RESET", fewer.reset, more.reset, windows);
	bad |= check("destroy", fewer.destroy, more.destroy, windows);
	return bad;
}
