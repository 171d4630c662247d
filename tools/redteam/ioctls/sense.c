// SPDX-License-Identifier: GPL-2.0
/*
 * Constraints between the fields of some commands: calls that ignore them are almost never
 * granted.
 */
#include <errno.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

#include "ioctls.h"

#define PAGE_MASK	0xfffULL
/* enum ib_access_flags: remote write and atomic access require local write access */
#define LOCAL_WRITE	1
#define REMOTE_WRITE	2
#define REMOTE_READ	4
#define REMOTE_ATOMIC	8

/* enum ib_qp_attr_mask */
#define STATE		(1 << 0)
#define ACCESS_FLAGS	(1 << 3)
#define PKEY_INDEX	(1 << 4)
#define PORT		(1 << 5)
#define QKEY		(1 << 6)
#define AV		(1 << 7)
#define PATH_MTU	(1 << 8)
#define TIMEOUT		(1 << 9)
#define RETRY_CNT	(1 << 10)
#define RNR_RETRY	(1 << 11)
#define RQ_PSN		(1 << 12)
#define MAX_RD_ATOMIC	(1 << 13)
#define MIN_RNR_TIMER	(1 << 15)
#define SQ_PSN		(1 << 16)
#define MAX_DEST_RD	(1 << 17)
#define DEST_QPN	(1 << 20)

#define ON_DEMAND	0x40
#define FLUSH_GLOBAL	0x100
#define ALL_ACCESS	(LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC | FLUSH_GLOBAL)

/* Mostly grant all access, otherwise the random choice made valid */
static uint32_t granted_access(struct chance *chance, uint32_t access)
{
	if (!chance_one_in(chance, 4))
		return ALL_ACCESS;
	return access & (REMOTE_WRITE | REMOTE_ATOMIC) ? access | LOCAL_WRITE : access;
}

void sense_reg_mr(struct shot *shot)
{
	struct ib_uverbs_reg_mr *cmd = (void *)shot->in;

	/* start and hca_va must have the same offset in a page */
	cmd->hca_va = chance_one_in(&shot->caller->chance, 4) ? cmd->start & PAGE_MASK :
							       cmd->start;
	cmd->access_flags = granted_access(&shot->caller->chance, cmd->access_flags);
	if (chance_one_in(&shot->caller->chance, 4))
		cmd->access_flags |= ON_DEMAND;
}

void sense_rereg_mr(struct shot *shot)
{
	struct ib_uverbs_rereg_mr *cmd = (void *)shot->in;

	cmd->hca_va = cmd->start;
	cmd->access_flags = granted_access(&shot->caller->chance, cmd->access_flags);
}

/* Return the members that both forms of the command share, at different offsets */
static struct ib_uverbs_ex_create_qp *qp_part(struct shot *shot)
{
	size_t before = offsetof(struct ib_uverbs_create_qp, user_handle);

	return (void *)((uint8_t *)shot->in + (shot->call->way == EXTENDED ? 0 : before));
}

void sense_create_qp(struct shot *shot)
{
	struct ib_uverbs_ex_create_qp *cmd = qp_part(shot);

	cmd->is_srq = chance_one_in(&shot->caller->chance, 4);
}

void sense_initiator(struct shot *shot)
{
	shot->type = XRC_INI;
}

void sense_target(struct shot *shot)
{
	shot->type = XRC_TGT;
}

/* Return the next state on the path to RTS, occasionally another one */
static uint8_t next_state(const struct shot *shot, uint8_t state)
{
	const uint8_t way[] = { INIT, RTR, RTS, RTS, RTS, RTS, RESET };
	struct chance *chance = &shot->caller->chance;

	if (!shot->onward && chance_one_in(chance, 12))
		return chance_below(chance, 2) ? ERR : RESET;
	if (!shot->onward && state == RTS && chance_one_in(chance, 4))
		return SQD;
	return way[state % ARRAY_SIZE(way)];
}

/* IBA 11.2.4.2, table 91: attributes required by a transition */
static uint32_t mask_to_init(uint8_t type)
{
	return STATE | PKEY_INDEX | PORT | (type == UD ? QKEY : ACCESS_FLAGS);
}

static uint32_t mask_to_rtr(uint8_t type)
{
	uint32_t connected = STATE | AV | PATH_MTU | DEST_QPN | RQ_PSN;

	if (type == UD)
		return STATE;
	return type == UC ? connected : connected | MAX_DEST_RD | MIN_RNR_TIMER;
}

static uint32_t mask_to_rts(uint8_t type)
{
	/* uverbs drops those that an end of XRC does not have */
	if (type == RC || type == XRC_INI || type == XRC_TGT)
		return STATE | SQ_PSN | TIMEOUT | RETRY_CNT | RNR_RETRY | MAX_RD_ATOMIC;
	return STATE | SQ_PSN;
}

static uint32_t mask_for(uint8_t state, uint8_t next, uint8_t type)
{
	if (next == INIT)
		return mask_to_init(type);
	if (next == RTR)
		return mask_to_rtr(type);
	if (next == RTS && state == RTR)
		return mask_to_rts(type);
	return STATE;
}

/* Of XRC, an initiator needs a target and the other way round */
static bool is_other_end(const struct shot *shot, const struct object *qp)
{
	return qp->type == (shot->object->type == XRC_INI ? XRC_TGT : XRC_INI);
}

static struct object *peer_for(struct shot *shot)
{
	struct object *qp = shot->object;

	if (qp->type == XRC_INI || qp->type == XRC_TGT)
		return object_fit(shot, QP, is_other_end);
	return chance_one_in(&shot->caller->chance, 4) ?
	       object_any(shot->caller, shot->file, QP) : qp;
}

/*
 * Connect to itself or to another queue pair of the same file, whose cooperation is not
 * needed, so that work requests written into rings arrive.
 */
void sense_modify_qp(struct shot *shot)
{
	struct ib_uverbs_modify_qp *cmd = (void *)shot->in;
	struct chance *chance = &shot->caller->chance;
	struct object *qp = shot->object, *peer;

	if (!qp)
		return;
	peer = peer_for(shot);
	shot->state = next_state(shot, qp->state);
	cmd->qp_state = shot->state;
	cmd->attr_mask = mask_for(qp->state, shot->state, qp->type);
	cmd->dest_qp_num = peer ? peer->number : qp->number;
	cmd->dest.sgid_index = address_of_own(cmd->dest.dgid);
	cmd->dest.is_global = 1;
	cmd->dest.port_num = 1;
	cmd->dest.hop_limit = 4;
	cmd->min_rnr_timer = 1;
	cmd->qp_access_flags = granted_access(chance, cmd->qp_access_flags);
	/* wait for receivers that have not posted a receive */
	if (!chance_one_in(chance, 4))
		cmd->rnr_retry = 7;
}

void note_modify_qp(struct shot *shot)
{
	shot->object->state = shot->state;
}

/* Bring a queue pair to RTS, state by state: random calls would rarely get there */
int qp_bring_up(struct shot *shot)
{
	const struct call *modify = call_named("modify_qp");
	struct object *qp = object_any(shot->caller, shot->file, QP);
	int err = 0;

	if (!qp)
		return ENOENT;
	for (int i = 0; i < 4 && qp->state != RTS && !err; i++)
		err = call_onward(shot->caller, shot->file, modify, qp);
	return err;
}

/* Only UD queue pairs can join a group, and only members can leave it */
/* For uverbs, a group with another LID is another group. */
static uint16_t joined_bit(const struct ib_uverbs_attach_mcast *cmd)
{
	return 1 << (cmd->gid[15] % GROUPS + GROUPS * (cmd->mlid % GROUP_LIDS));
}

static bool joins_or_leaves(const struct shot *shot, const struct object *qp)
{
	bool leaves = shot->call->number == IB_USER_VERBS_CMD_DETACH_MCAST;

	return qp->type == UD && !!(qp->groups & joined_bit((void *)shot->in)) == leaves;
}

void sense_mcast(struct shot *shot)
{
	struct ib_uverbs_attach_mcast *cmd = (void *)shot->in;

	cmd->mlid = chance_below(&shot->caller->chance, GROUP_LIDS);
	shot->object = object_fit(shot, QP, joins_or_leaves);
	if (shot->object)
		cmd->qp_handle = atomic_load(&shot->object->handle) - 1;
}

void note_mcast(struct shot *shot)
{
	shot->object->groups ^= joined_bit((void *)shot->in);
}

/* The answer to a resize is written to the address in the driver's part */
void sense_modify_srq(struct shot *shot)
{
	struct srnic_modify_srq_cmd *part = (void *)((uint8_t *)shot->in + shot->call->in);

	part->resp_addr = (uintptr_t)shot->out;
}

/* Without a work request this is the doorbell. Occasionally add a work request. */
void sense_post_send(struct shot *shot)
{
	struct ib_uverbs_post_send *cmd = (void *)shot->in;
	struct chance *chance = &shot->caller->chance;

	if (!chance_one_in(chance, 8))
		return;
	cmd->wr_count = 1;
	cmd->send_wr[0].opcode = chance_below(chance, 14);
	cmd->send_wr[0].num_sge = chance_below(chance, 3);
	cmd->send_wr[0].wr.ud.ah = chance_below(chance, 64);
	cmd->sge_count = cmd->send_wr[0].num_sge;
	shot->in_len += sizeof(cmd->send_wr[0]) + cmd->sge_count * sizeof(struct ib_uverbs_sge);
}
