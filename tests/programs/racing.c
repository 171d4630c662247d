// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * srnic-racing - revoke a region while a peer is accessing it.
 *
 * On one CPU a peer WRITEs to a region, READs it, SENDs to it or adds to its
 * words without a pause. On another its owner revokes the region or its window
 * at a random moment and, as soon as that verb has returned, writes a canary
 * into each block. From then on not one byte may change, and no byte of the
 * canary may reach the peer (RFC 5042 6.2.2, R12). The rejected access must end
 * the peer's connection; each round uses a new one.
 *
 * A round counts as a race if its message was cut in two. Messages alternate
 * between two colours: a region that shows both was being written. A READ was
 * in progress if only a part of it has arrived.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "connection.h"

#define REGION		(1 << 20)	/* four turns of the responder */
#define WORDS		(REGION / 8)
#define BLOCK		256		/* words; two blocks a packet */
#define SLOTS		2		/* messages in flight */
#define LONGEST_WAIT	4000000		/* ns; some messages take that long */
#define WATCH		500000		/* ns after the peer's last completion */
#define MORE		20		/* maximum of rounds, as a multiple of those wanted */

#define NOTHING		0ULL
#define CONTENT		0x1111111111111111ULL
#define COLOUR(i)	(0xa0a0a0a0a0a0a0a0ULL + (i))
#define CANARY		0xc5c5c5c5c5c5c5c5ULL

#define RIGHTS		(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

struct flow {
	const char *name;
	enum ibv_wr_opcode opcode;
	enum ibv_wc_status refused;	/* status at the peer after a rejection */
	unsigned int length;
	unsigned int under_way;
};

static const struct flow flows[] = {
	{ "WRITE", IBV_WR_RDMA_WRITE, IBV_WC_REM_ACCESS_ERR, REGION, SLOTS },
	{ "READ", IBV_WR_RDMA_READ, IBV_WC_REM_ACCESS_ERR, REGION, SLOTS },
	{ "SEND", IBV_WR_SEND, IBV_WC_REM_OP_ERR, REGION, SLOTS },
	{ "FETCH_ADD", IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_WC_REM_ACCESS_ERR, 8, RC_READS },
};

struct round;

struct way {
	const char *name;
	enum ibv_mw_type window;	/* 0: no window */
	void (*take_back)(struct round *r);
};

/* State of the whole run */
static struct device dev;
static struct end helper, helpers_peer;	/* the first binds windows of type 1 */
static uint64_t *region;
static uint64_t *slots[SLOTS];		/* the peer's */
static struct ibv_mr *slots_mr[SLOTS];

struct round {
	const struct flow *flow;
	const struct way *way;
	struct end owner;
	struct end peer;
	struct ibv_mr *mr;
	struct ibv_mw *mw;
	uint32_t rkey;
	atomic_uint done;		/* completions at the peer */
	enum ibv_wc_status status;	/* status of the last completion */
	unsigned int cut;		/* message of that completion */
	bool raced;
	uint64_t took;			/* duration of the verb in ns */
	unsigned long stray;		/* changed words */
};

/* ---- Ways to revoke ---- */

static void deregister(struct round *r)
{
	if (ibv_dereg_mr(r->mr))
		die("ibv_dereg_mr");
	r->mr = NULL;
}

static void reregister(struct round *r)
{
	if (ibv_rereg_mr(r->mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, 0))
		die("ibv_rereg_mr");
}

static struct ibv_mw_bind_info bind_info(const struct round *r)
{
	return (struct ibv_mw_bind_info){
		.mr = r->mr, .addr = (uintptr_t)region, .length = REGION,
		.mw_access_flags = RIGHTS & ~IBV_ACCESS_LOCAL_WRITE,
	};
}

/* Bind the same bytes to a new key, which invalidates the former one. */
static void bind_type_1(struct round *r)
{
	struct ibv_mw_bind bind = {
		.send_flags = IBV_SEND_SIGNALED, .bind_info = bind_info(r),
	};

	if (ibv_bind_mw(helper.qp, r->mw, &bind))
		die("ibv_bind_mw");
	end_expect(&helper, 0);
}

static void bind_type_2(struct round *r)
{
	struct ibv_send_wr *bad, wr = {
		.opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED,
		.bind_mw = { .mw = r->mw, .rkey = ibv_inc_rkey(r->mw->rkey),
			     .bind_info = bind_info(r) },
	};

	if (ibv_post_send(r->owner.qp, &wr, &bad))
		die("BIND_MW");
	end_expect(&r->owner, 0);
	r->mw->rkey = wr.bind_mw.rkey;
}

static void invalidate(struct round *r)
{
	struct ibv_send_wr *bad, wr = {
		.opcode = IBV_WR_LOCAL_INV, .send_flags = IBV_SEND_SIGNALED,
		.invalidate_rkey = r->rkey,
	};

	if (ibv_post_send(r->owner.qp, &wr, &bad))
		die("LOCAL_INV");
	end_expect(&r->owner, 0);
}

static void deallocate(struct round *r)
{
	if (ibv_dealloc_mw(r->mw))
		die("ibv_dealloc_mw");
	r->mw = NULL;
}

static const struct way ways[] = {
	{ "ibv_dereg_mr", 0, deregister },
	{ "ibv_rereg_mr", 0, reregister },
	{ "ibv_bind_mw", IBV_MW_TYPE_1, bind_type_1 },
	{ "ibv_dealloc_mw", IBV_MW_TYPE_1, deallocate },
	{ "LOCAL_INV", IBV_MW_TYPE_2, invalidate },
};

#define FLOWS	(sizeof(flows) / sizeof(flows[0]))
#define WAYS	(sizeof(ways) / sizeof(ways[0]))

/* ---- The peer ---- */

static void fill(uint64_t *words, uint64_t with)
{
	for (unsigned int i = 0; i < WORDS; i++)
		words[i] = with;
}

/* Mark words that a READ has not reached yet */
static void clear_marks(uint64_t *slot)
{
	for (unsigned int i = 0; i < WORDS; i += BLOCK)
		slot[i] = NOTHING;
}

static void post_message(struct round *r, unsigned int number)
{
	const struct flow *flow = r->flow;
	unsigned int slot = number % SLOTS;
	uint64_t at = (uintptr_t)region;
	struct ibv_sge sge = { (uintptr_t)slots[slot], flow->length, slots_mr[slot]->lkey };
	struct ibv_send_wr *bad, wr = {
		.wr_id = number, .sg_list = &sge, .num_sge = 1, .opcode = flow->opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = at, .rkey = r->rkey },
	};

	if (flow->opcode == IBV_WR_RDMA_READ)
		clear_marks(slots[slot]);
	if (flow->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = at + number * BLOCK * 8 % REGION;
		wr.wr.atomic.compare_add = 1;
		wr.wr.atomic.rkey = r->rkey;
	}
	if (ibv_post_send(r->peer.qp, &wr, &bad))
		die("the peer's ibv_post_send");
}

/* Send until a message is rejected */
static void *stream(void *arg)
{
	struct round *r = arg;
	struct ibv_wc wc;
	unsigned int number;

	run_on(0);
	for (number = 0; number < r->flow->under_way; number++)
		post_message(r, number);
	for (;;) {
		end_wait(&r->peer, &wc, 0);
		if (wc.status != IBV_WC_SUCCESS)
			break;
		atomic_fetch_add(&r->done, 1);
		post_message(r, number++);
	}
	r->status = wc.status;
	r->cut = wc.wr_id;
	return NULL;
}

/* ---- The owner ---- */

static void spin_for(uint64_t ns)
{
	uint64_t until = now_ns() + ns;

	while (now_ns() < until)
		;
}

/*
 * Write one word of each block first, from the last block to the first:
 * messages are placed in ascending order, so a late writer still has the end of
 * the region to write. Then fill the rest.
 */
static void plant(struct round *r)
{
	bool seen[SLOTS] = {};

	for (unsigned int i = WORDS; i; i -= BLOCK) {
		uint64_t was = __atomic_exchange_n(&region[i - BLOCK], CANARY, __ATOMIC_SEQ_CST);

		for (unsigned int k = 0; k < SLOTS; k++)
			seen[k] |= was == COLOUR(k);
	}
	for (unsigned int i = 0; i < WORDS; i++)
		if (i % BLOCK)
			region[i] = CANARY;
	r->raced = seen[0] && seen[1];
}

/* Count changed bytes in the region, and bytes of the canary at the peer */
static void look(struct round *r)
{
	for (unsigned int i = 0; i < WORDS; i++)
		r->stray += __atomic_load_n(&region[i], __ATOMIC_RELAXED) != CANARY;
	if (r->flow->opcode != IBV_WR_RDMA_READ)
		return;
	for (unsigned int k = 0; k < SLOTS; k++)
		for (unsigned int i = 0; i < WORDS; i++)
			r->stray += slots[k][i] != NOTHING && slots[k][i] != CONTENT;
}

/*
 * Return whether the rejected message had begun; for messages that write,
 * plant() knows.
 */
static bool has_raced(const struct round *r)
{
	const uint64_t *slot = slots[r->cut % SLOTS];
	unsigned int come = 0;

	if (r->flow->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
		return true;	/* others are always in flight */
	if (r->flow->opcode != IBV_WR_RDMA_READ)
		return r->raced;
	for (unsigned int i = 0; i < WORDS; i += BLOCK)
		come += slot[i] != NOTHING;
	return come && come < WORDS / BLOCK;
}

static void post_receives(struct round *r)
{
	struct ibv_sge sge = { (uintptr_t)region, REGION, r->mr->lkey };
	struct ibv_recv_wr *bad, wr = { .sg_list = &sge, .num_sge = 1 };

	for (unsigned int i = 0; i < RC_DEPTH; i++)
		if (ibv_post_recv(r->owner.qp, &wr, &bad))
			die("ibv_post_recv");
}

static void set_up(struct round *r)
{
	fill(region, CONTENT);
	for (unsigned int i = 0; i < SLOTS; i++)
		fill(slots[i], r->flow->opcode == IBV_WR_RDMA_READ ? NOTHING : COLOUR(i));
	end_create(&r->owner, &dev);
	end_create(&r->peer, &dev);
	end_connect(&r->owner, &r->peer);
	end_connect(&r->peer, &r->owner);

	r->mr = device_reg(&dev, region, REGION, RIGHTS | IBV_ACCESS_MW_BIND);
	r->rkey = r->mr->rkey;
	if (r->flow->opcode == IBV_WR_SEND)
		post_receives(r);
	if (!r->way->window)
		return;
	r->mw = ibv_alloc_mw(dev.pd, r->way->window);
	if (!r->mw)
		die("ibv_alloc_mw");
	if (r->way->window == IBV_MW_TYPE_2)
		bind_type_2(r);
	else
		bind_type_1(r);
	r->rkey = r->mw->rkey;
}

static void tear_down(struct round *r)
{
	end_destroy(&r->peer);
	end_destroy(&r->owner);
	if (r->mw)
		deallocate(r);
	if (r->mr)
		deregister(r);
}

static void race(struct round *r)
{
	uint64_t wait = (uint64_t)random() % LONGEST_WAIT;
	pthread_t peer;
	uint64_t begin;

	set_up(r);
	if (pthread_create(&peer, NULL, stream, r))
		die("pthread_create");
	while (!atomic_load(&r->done))
		;
	spin_for(wait);

	begin = now_ns();
	r->way->take_back(r);
	r->took = now_ns() - begin;
	plant(r);

	if (pthread_join(peer, NULL))
		die("pthread_join");
	spin_for(WATCH);
	look(r);
	r->raced = has_raced(r);
	tear_down(r);
}

/* ---- The run ---- */

struct tally {
	unsigned int rounds, raced;
	unsigned long stray, ended_otherwise;
	uint64_t longest;
};

static struct tally tallies[FLOWS][WAYS];
static unsigned int wanted[FLOWS];	/* rounds */

/* A receive request can name a region, not a window. */
static bool possible(const struct flow *flow, const struct way *way)
{
	return flow->opcode != IBV_WR_SEND || !way->window;
}

static void count(struct tally *t, const struct round *r)
{
	t->rounds++;
	t->raced += r->raced;
	t->stray += r->stray;
	t->ended_otherwise += r->status != r->flow->refused;
	if (t->longest < r->took)
		t->longest = r->took;
}

static void add(struct tally *to, const struct tally *from)
{
	to->rounds += from->rounds;
	to->raced += from->raced;
	to->stray += from->stray;
	to->ended_otherwise += from->ended_otherwise;
	if (to->longest < from->longest)
		to->longest = from->longest;
}

/* Sum up all rounds of a flow, for every way to revoke */
static struct tally of_flow(unsigned int flow)
{
	struct tally all = {};

	for (unsigned int way = 0; way < WAYS; way++)
		add(&all, &tallies[flow][way]);
	return all;
}

static void run_one(unsigned int flow, unsigned int way)
{
	struct round r = { .flow = &flows[flow], .way = &ways[way] };

	race(&r);
	count(&tallies[flow][way], &r);
}

/* Distribute the rounds by the number of ways that each flow has */
static void share_out(unsigned int rounds)
{
	unsigned int all = 0, has[FLOWS] = {};

	for (unsigned int i = 0; i < FLOWS; i++)
		for (unsigned int k = 0; k < WAYS; k++)
			has[i] += possible(&flows[i], &ways[k]);
	for (unsigned int i = 0; i < FLOWS; i++)
		all += has[i];
	for (unsigned int i = 0; i < FLOWS; i++)
		wanted[i] = (rounds * has[i] + all - 1) / all;
}

/*
 * Run the wanted rounds, and more until a third of that number has raced: on a
 * busy machine owner and peer seldom run at the same time.
 */
static void run(unsigned int flow)
{
	for (unsigned int i = 0, n = 0; n < MORE * wanted[flow]; i++) {
		if (n >= wanted[flow] && of_flow(flow).raced >= wanted[flow] / 3)
			return;
		if (!possible(&flows[flow], &ways[i % WAYS]))
			continue;
		run_one(flow, i % WAYS);
		n++;
	}
}

static void print_row(const char *flow, const char *way, const struct tally *t)
{
	printf("%-10s %-15s %6u %6u %9lu %11lu %12.2f\n", flow, way, t->rounds, t->raced,
	       t->stray * 8, t->ended_otherwise, t->longest / 1e6);
}

static bool is_one_sided(const struct flow *flow)
{
	return flow->opcode == IBV_WR_RDMA_WRITE || flow->opcode == IBV_WR_RDMA_READ;
}

/*
 * Print the results; return whether they are correct and each flow has raced
 * often enough.
 */
static bool report(void)
{
	struct tally whole = {}, one_sided = {};
	bool fine = true;

	printf("%-10s %-15s %6s %6s %9s %11s %12s\n", "flow", "taken back by", "rounds",
	       "raced", "stray B", "not refused", "longest/ms");
	for (unsigned int i = 0; i < FLOWS; i++) {
		struct tally all = of_flow(i);

		for (unsigned int k = 0; k < WAYS; k++)
			if (possible(&flows[i], &ways[k]))
				print_row(flows[i].name, ways[k].name, &tallies[i][k]);
		print_row(flows[i].name, "any", &all);
		if (all.raced < wanted[i] / 3) {
			printf("too few have raced to say anything\n");
			fine = false;
		}
		add(&whole, &all);
		if (is_one_sided(&flows[i]))
			add(&one_sided, &all);
	}
	printf("%u of %u rounds have raced, %u of these with a WRITE or READ: %lu stray bytes\n",
	       whole.raced, whole.rounds, one_sided.raced, whole.stray * 8);
	return fine && !whole.stray && !whole.ended_otherwise;
}

static uint64_t *pages(void)
{
	void *p = mmap(NULL, REGION, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	return p;
}

static void prepare(const char *name)
{
	device_open(&dev, name);
	region = pages();
	for (unsigned int i = 0; i < SLOTS; i++) {
		slots[i] = pages();
		slots_mr[i] = device_reg(&dev, slots[i], REGION, IBV_ACCESS_LOCAL_WRITE);
	}
	end_create(&helper, &dev);
	end_create(&helpers_peer, &dev);
	end_connect(&helper, &helpers_peer);
	end_connect(&helpers_peer, &helper);
}

int main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[2]) : 0;

	if (rounds < 1) {
		fprintf(stderr, "usage: srnic-racing DEVICE ROUNDS [SEED]\n"
			"example: srnic-racing srnic0 300\n");
		return 2;
	}
	srandom(argc > 3 ? atoi(argv[3]) : 1);
	run_on(1);
	prepare(argv[1]);
	share_out(rounds);
	for (unsigned int i = 0; i < FLOWS; i++)
		run(i);
	return !report();
}
