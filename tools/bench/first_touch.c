// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * first-touch - how long a peer's first access to memory takes
 *
 *	first-touch PEER_DEV OWNER_DEV KINDS SAMPLES
 *
 * A process is connected with itself by two devices. For each kind of KINDS, for WRITE and READ
 * and each size, it prints a line: kind, way, bytes, and the median of so many samples in
 * microseconds. Each sample accesses pages that nobody has touched before; the peer's memory is
 * pinned and in use. The kinds, whose letters KINDS has:
 *
 *	p	the owner's memory has been registered, which pins it: the price of the access alone
 *	o	it has been registered to be paged on demand
 *	r	registration, which pins it, is part of the sample: the way without paging
 *
 * A device that cannot page on demand has no lines of that kind. The process sleeps until the
 * completion.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "connection.h"

#define RIGHTS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)
#define MOST	(1UL << 20)
#define WARM	2		/* samples that do not count */

static const size_t sizes[] = { 4096, 65536, MOST };

static const struct way {
	const char *name;
	enum ibv_wr_opcode opcode;
} ways[] = {
	{ "write", IBV_WR_RDMA_WRITE },
	{ "read", IBV_WR_RDMA_READ },
};

static struct device peer_dev, owner_dev;

/* The peer's end sleeps on its channel. */
struct pair {
	struct end peer, owner;
	struct ibv_comp_channel *channel;
	struct ibv_mr *mr;
};

static char *fresh(size_t length)
{
	char *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	if (memory == MAP_FAILED)
		die("mmap");
	madvise(memory, length, MADV_NOHUGEPAGE);	/* fails where there are none */
	return memory;
}

static void pair_open(struct pair *p)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 16, .max_recv_wr = 16, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	char *memory = fresh(MOST);

	memset(memory, 'p', MOST);
	p->mr = device_reg(&peer_dev, memory, MOST, RIGHTS);
	p->channel = ibv_create_comp_channel(peer_dev.ctx);
	p->peer.dev = &peer_dev;
	p->peer.cq = ibv_create_cq(peer_dev.ctx, 32, NULL, p->channel, 0);
	if (!p->channel || !p->peer.cq)
		die("a CQ");
	init.send_cq = p->peer.cq;
	init.recv_cq = p->peer.cq;
	p->peer.qp = ibv_create_qp(peer_dev.pd, &init);
	if (!p->peer.qp)
		die("ibv_create_qp");
	qp_to_init(p->peer.qp);
	end_create(&p->owner, &owner_dev);
	end_connect(&p->peer, &p->owner);
	end_connect(&p->owner, &p->peer);
}

static void post(struct pair *p, const struct way *way, char *to, uint32_t rkey, size_t size)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)p->mr->addr, .length = size, .lkey = p->mr->lkey,
	};
	struct ibv_send_wr *bad, wr = {
		.opcode = way->opcode, .send_flags = IBV_SEND_SIGNALED, .sg_list = &sge,
		.num_sge = 1,
		.wr.rdma = { .remote_addr = (uintptr_t)to, .rkey = rkey },
	};

	if (ibv_req_notify_cq(p->peer.cq, 0) || ibv_post_send(p->peer.qp, &wr, &bad))
		die("ibv_post_send");
}

static void await(struct pair *p)
{
	struct ibv_cq *cq;
	void *context;

	if (ibv_get_cq_event(p->channel, &cq, &context))
		die("ibv_get_cq_event");
	ibv_ack_cq_events(cq, 1);
	end_expect(&p->peer, 0);
}

/* Access fresh memory once; return the nanoseconds that it took. */
static uint64_t sample(struct pair *p, char kind, const struct way *way, size_t size)
{
	int access = kind == 'o' ? RIGHTS | IBV_ACCESS_ON_DEMAND : RIGHTS;
	struct ibv_mr *mr = NULL;
	char *memory = fresh(size);
	uint64_t begin, end;

	if (kind != 'r')
		mr = device_reg(&owner_dev, memory, size, access);
	begin = now_ns();
	if (kind == 'r')
		mr = device_reg(&owner_dev, memory, size, access);
	post(p, way, memory, mr->rkey, size);
	await(p);
	end = now_ns();
	if (way->opcode == IBV_WR_RDMA_WRITE && memcmp(memory, p->mr->addr, size))
		die("bytes of a WRITE");
	if (way->opcode == IBV_WR_RDMA_READ && *(char *)p->mr->addr)
		die("bytes of a READ");
	if (ibv_dereg_mr(mr))
		die("ibv_dereg_mr");
	munmap(memory, size);
	memset(p->mr->addr, 'p', size);
	return end - begin;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void measure(struct pair *p, char kind, const struct way *way, size_t size, int samples)
{
	uint64_t *times = calloc(samples, sizeof(*times));

	if (!times)
		die("calloc");
	for (int i = 0; i < WARM; i++)
		sample(p, kind, way, size);
	for (int i = 0; i < samples; i++)
		times[i] = sample(p, kind, way, size);
	qsort(times, samples, sizeof(*times), compare);
	printf("%c %s %zu %.1f\n", kind, way->name, size, times[samples / 2] / 1e3);
	free(times);
}

/* Whether a peer's WRITEs and READs may find pages absent */
static bool pages_on_demand(const struct device *dev)
{
	const uint32_t wanted = IBV_ODP_SUPPORT_WRITE | IBV_ODP_SUPPORT_READ;
	struct ibv_device_attr_ex attr;

	return !ibv_query_device_ex(dev->ctx, NULL, &attr) &&
	       attr.odp_caps.general_caps & IBV_ODP_SUPPORT &&
	       (attr.odp_caps.per_transport_caps.rc_odp_caps & wanted) == wanted;
}

static void measure_kind(struct pair *p, char kind, int samples)
{
	for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++)
		for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
			measure(p, kind, &ways[w], sizes[s], samples);
}

int main(int argc, char **argv)
{
	struct pair p = {};

	if (argc != 5 || atoi(argv[4]) < 1) {
		fprintf(stderr, "usage: first-touch PEER_DEV OWNER_DEV KINDS SAMPLES\n");
		return 2;
	}
	device_open(&peer_dev, argv[1]);
	device_open(&owner_dev, argv[2]);
	setbuf(stdout, NULL);
	pair_open(&p);
	for (const char *kind = argv[3]; *kind; kind++)
		if (*kind != 'o' || pages_on_demand(&owner_dev))
			measure_kind(&p, *kind, atoi(argv[4]));
	return 0;
}
