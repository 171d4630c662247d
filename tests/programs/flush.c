// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * srnic-flush - rights of FLUSH, of queue pair and region, by type and bytes.
 *
 * Each case has a connection of its own, of the process with itself, because a refusal ends it.
 * Needs the libibverbs of rdma-core 45 or later.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "connection.h"

/* numbers that verbs.h has from rdma-core 45 on */
#define EX_WITH_FLUSH	(1 << 11)
#define G		1	/* types, and rights shifted by RIGHTS */
#define P		2
#define RIGHTS		8
#define RANGE		0
#define WHOLE		1

#define ROOM		8192
#define DONE		IBV_WC_SUCCESS
#define NO_ACCESS	IBV_WC_REM_ACCESS_ERR
#define INVALID		IBV_WC_REM_INV_REQ_ERR
#define NOT_SENT	IBV_WC_LOC_QP_OP_ERR

static const struct flush_case {
	const char *what;
	int qp, region;		/* types that they grant */
	uint8_t type, level;
	long at, length;
	enum ibv_wc_status want;
} cases[] = {
	{ "all bytes", G, G, G, RANGE, 0, ROOM, DONE },
	{ "no bytes", G, G, G, RANGE, ROOM, 0, DONE },
	{ "the region, with an address that means nothing", G, G, G, WHOLE, 1 << 20, -1, DONE },
	{ "R16 where the QP does not grant it", 0, G, G, RANGE, 0, 8, INVALID },
	{ "R16 where the region does not", G | P, 0, G, RANGE, 0, 8, NO_ACCESS },
	{ "R16 a region that does not grant it", G | P, 0, G, WHOLE, 0, 8, NO_ACCESS },
	{ "R16 persistence where visibility is granted", G | P, G, P, RANGE, 0, 8, NO_ACCESS },
	{ "R16 both where one is granted", G | P, G, G | P, RANGE, 0, 8, NO_ACCESS },
	{ "R16 persistence where the QP grants visibility", G, G, P, RANGE, 0, 8, INVALID },
	{ "R10 the byte behind", G, G, G, RANGE, ROOM, 1, NO_ACCESS },
	{ "R10 the byte before", G, G, G, RANGE, -1, 1, NO_ACCESS },
	{ "R10 a byte more than there is", G, G, G, RANGE, 0, ROOM + 1, NO_ACCESS },
	{ "no type", G, G, 0, RANGE, 0, 8, NOT_SENT },
	{ "an unknown type", G, G, 4, RANGE, 0, 8, NOT_SENT },
	{ "an unknown level", G, G, G, 2, 0, 8, NOT_SENT },
};

typedef void (*wr_flush)(struct ibv_qp_ex *, uint32_t, uint64_t, size_t, uint8_t, uint8_t);

static struct ibv_qp *create_qp(const struct device *dev, struct ibv_cq *cq)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RC, .send_cq = cq, .recv_cq = cq, .pd = dev->pd,
		.cap = { .max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1 },
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = EX_WITH_FLUSH,
	};
	struct ibv_qp *qp = ibv_create_qp_ex(dev->ctx, &init);

	if (!qp)
		die("ibv_create_qp_ex with FLUSH");
	return qp;
}

static int to_init(struct ibv_qp *qp, int access)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = access,
	};

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			     IBV_QP_ACCESS_FLAGS);
}

static void create_end(struct end *end, const struct device *dev, int access)
{
	end->dev = dev;
	end->cq = ibv_create_cq(dev->ctx, 16, NULL, NULL, 0);
	if (!end->cq)
		die("ibv_create_cq");
	end->qp = create_qp(dev, end->cq);
	if (to_init(end->qp, access))
		die("RESET to INIT with FLUSH access");
}

/* Pointers of newer operations follow those that every verbs.h has. */
static void post_flush(struct ibv_qp *qp, const struct flush_case *c, const struct ibv_mr *mr)
{
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(qp);
	wr_flush operation;

	memcpy(&operation, (char *)ex + offsetof(struct ibv_qp_ex, wr_abort) + 2 * sizeof(void *),
	       sizeof(operation));
	ibv_wr_start(ex);
	ex->wr_flags = IBV_SEND_SIGNALED;
	operation(ex, mr->rkey, (uintptr_t)mr->addr + c->at, (uint32_t)c->length, c->type,
		  c->level);
	errno = ibv_wr_complete(ex);
	if (errno)
		die("ibv_wr_complete");
}

static int run_case(const struct device *dev, const struct flush_case *c, char *memory)
{
	struct ibv_mr *mr = ibv_reg_mr(dev->pd, memory, ROOM,
				       IBV_ACCESS_LOCAL_WRITE | c->region << RIGHTS);
	struct end peer, owner;
	struct ibv_wc wc;

	if (!mr)
		die("ibv_reg_mr with FLUSH access");
	create_end(&peer, dev, 0);
	create_end(&owner, dev, c->qp << RIGHTS);
	end_connect(&peer, &owner);
	end_connect(&owner, &peer);
	post_flush(peer.qp, c, mr);
	end_wait(&peer, &wc, 100);
	end_destroy(&peer);
	end_destroy(&owner);
	if (ibv_dereg_mr(mr))
		die("ibv_dereg_mr");
	if (wc.status == c->want)
		return 0;
	printf("not ok: %s: %s instead of %s\n", c->what, ibv_wc_status_str(wc.status),
	       ibv_wc_status_str(c->want));
	return 1;
}

/* Ordinary memory does not keep its bytes: the right to make them durable is refused. */
static int persistent_region(const struct device *dev, char *memory)
{
	struct ibv_mr *mr = ibv_reg_mr(dev->pd, memory, ROOM, IBV_ACCESS_LOCAL_WRITE | P << RIGHTS);

	if (!mr && errno == EINVAL)
		return 0;
	printf("not ok: a persistent region of ordinary memory\n");
	if (mr)
		ibv_dereg_mr(mr);
	return 1;
}

/* IB_UVERBS_DEVICE_FLUSH_GLOBAL, FLUSH_PERSISTENT and ATOMIC_WRITE */
static int check_device(const struct device *dev)
{
	const uint64_t want = 1ULL << 38 | 1ULL << 39 | 1ULL << 40;
	struct ibv_device_attr_ex attr;

	if (ibv_query_device_ex(dev->ctx, NULL, &attr))
		die("ibv_query_device_ex");
	if ((attr.device_cap_flags_ex & want) == want)
		return 0;
	printf("not ok: capabilities %#llx\n", (unsigned long long)attr.device_cap_flags_ex);
	return 1;
}

/* A QP takes all rights that the kernel knows, even those without effect, and no others. */
static int unknown_rights(const struct device *dev)
{
	struct ibv_cq *cq = ibv_create_cq(dev->ctx, 16, NULL, NULL, 0);
	struct ibv_qp *qp = cq ? create_qp(dev, cq) : NULL;
	int failed;

	if (!qp)
		die("ibv_create_cq");
	failed = to_init(qp, 1 << 10) != EINVAL;
	failed |= !!to_init(qp, (1 << 10) - 1);
	if (failed)
		printf("not ok: rights of a QP\n");
	ibv_destroy_qp(qp);
	ibv_destroy_cq(cq);
	return failed;
}

int main(int argc, char **argv)
{
	const size_t number = sizeof(cases) / sizeof(cases[0]);
	struct device dev;
	int failed = 0;
	char *memory;
	size_t i;

	if (argc != 2) {
		fprintf(stderr, "usage: srnic-flush DEV\n");
		return 2;
	}
	memory = aligned_alloc(4096, ROOM);
	if (!memory)
		die("memory");
	memset(memory, 0, ROOM);
	device_open(&dev, argv[1]);
	for (i = 0; i < number; i++)
		failed += run_case(&dev, &cases[i], memory);
	failed += persistent_region(&dev, memory);
	failed += check_device(&dev);
	failed += unknown_rights(&dev);
	printf("srnic-flush: %zu cases, %d failed\n", number + 3, failed);
	return !!failed;
}
