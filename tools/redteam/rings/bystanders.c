// SPDX-License-Identifier: GPL-2.0
/*
 * Queue pairs whose rings are sound, one pair of each kind. They must go on after each lie that
 * another queue's ring has held.
 */
#include <string.h>
#include "rings.h"

static struct ibv_qp *from[KINDS];
static struct ibv_qp *to[KINDS];
static struct ibv_cq *received;	/* frames */
static uint32_t frames_sent;

void bystanders_start(void)
{
	const struct ibv_qp_cap cap = {
		.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1,
	};

	for (int kind = 0; kind < KINDS; kind++)
		from[kind] = create_qp(kind, world.cq, &cap);
	to[RC] = create_qp(RC, world.cq, &cap);
	to[XRC] = create_target();
	received = ibv_create_cq(world.ctx, 16, NULL, NULL, 0);
	if (!received)
		die("ibv_create_cq");
	to[RAW] = create_qp(RAW, received, &cap);
	connect_qps(from[RC], to[RC]);
	connect_qps(from[XRC], to[XRC]);
	start_raw(from[RAW]);
	start_raw(to[RAW]);
	create_rule(to[RAW], GROUP_BYSTANDER);
	create_rule(to[RAW], GROUP_LIE);
}

/* Execute a work request, successfully */
static bool execute(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_sge *sge)
{
	struct ibv_send_wr *bad;
	struct ibv_wc wc;

	wr->sg_list = sge;
	wr->num_sge = 1;
	wr->send_flags = IBV_SEND_SIGNALED;
	return !ibv_post_send(qp, wr, &bad) && completes(world.cq, qp->qp_num, &wc) &&
	       wc.status == IBV_WC_SUCCESS;
}

static bool rc_lives(void)
{
	struct ibv_sge sge = { (uintptr_t)world.memory + AT_SOURCE, 4096, world.mr->lkey };
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE,
		.wr.rdma = { (uintptr_t)world.memory + AT_TARGET, world.mr->rkey },
	};

	return execute(from[RC], &wr, &sge);
}

static bool xrc_lives(void)
{
	struct ibv_sge room = { (uintptr_t)world.memory + AT_RECEIVE, 64, world.mr->lkey };
	struct ibv_sge sge = { (uintptr_t)world.memory + AT_SOURCE, 64, world.mr->lkey };
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND, .qp_type.xrc.remote_srqn = world.srqn,
	};
	struct ibv_recv_wr *bad, recv = { .sg_list = &room, .num_sge = 1 };

	return !ibv_post_srq_recv(world.srq, &recv, &bad) && execute(from[XRC], &wr, &sge);
}

static bool execute_frame(enum group group, uint32_t source)
{
	uint32_t len = write_frame(AT_FRAME, group, source);
	struct ibv_sge sge = { (uintptr_t)world.memory + AT_FRAME, len, world.mr->lkey };
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };

	return execute(from[RAW], &wr, &sge);
}

/* The first frame that comes is the one that has been sent here: no liar has sent any. */
static bool raw_lives(void)
{
	struct ibv_sge room = { (uintptr_t)world.memory + AT_RECEIVE, 128, world.mr->lkey };
	struct ibv_recv_wr *bad, recv = { .sg_list = &room, .num_sge = 1 };
	struct ibv_wc wc;

	if (ibv_post_recv(to[RAW], &recv, &bad) ||
	    !execute_frame(GROUP_BYSTANDER, ++frames_sent) ||
	    !completes(received, to[RAW]->qp_num, &wc) || wc.status != IBV_WC_SUCCESS)
		return false;
	return !memcmp(world.memory + AT_FRAME, world.memory + AT_RECEIVE, wc.byte_len);
}

void bystanders_live(void)
{
	static const struct {
		const char *name;
		bool (*lives)(void);
		const char *why;
	} pairs[] = {
		{ "  and RC bystanders live", rc_lives, "a WRITE between them failed" },
		{ "  and XRC bystanders live", xrc_lives, "a SEND between them failed" },
		{ "  and raw bystanders live", raw_lives, "a frame between them was lost" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		verdict(pairs[i].lives(), pairs[i].name, pairs[i].why);
}

/* Send a frame by the bystander */
void send_frame(enum group group, uint32_t source)
{
	if (!execute_frame(group, source))
		die("a frame");
}
