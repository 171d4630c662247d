// SPDX-License-Identifier: GPL-2.0
/*
 * Lies in the rings of queues that receive: of queue pairs, shared ones, and queues of frames. A
 * message or a frame arrives, and ends the QP or queue that would receive it, and nothing else.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "rings.h"

#define QUEUES		2
#define RECEIVES	256	/* so that this ring is larger than that of sends */
#define NOISE_ROUNDS	20

/*
 * struct ear - a queue with a ring that is written to
 * @from: sends messages to @to; NULL: frames come from a bystander
 * @to: the QP that ends; NULL: @wq[1] does, beside @wq[0] in an indirection table
 * @number: QP number in the completions of the receives
 */
struct ear {
	struct ibv_qp *from;
	struct ibv_qp *to;
	struct ibv_srq *srq;
	struct ibv_wq *wq[QUEUES];
	struct ibv_rwq_ind_table *table;
	struct ibv_flow *rule;
	struct srnic_ring_hdr *ring;
	uint32_t number;
	uint32_t srqn;
};

static const struct ibv_qp_cap small = { .max_send_wr = 1, .max_send_sge = 1 };
static const struct ibv_qp_cap large = {
	.max_send_wr = 1, .max_send_sge = 1, .max_recv_wr = RECEIVES, .max_recv_sge = 1,
};

static void make_rc(struct ear *ear)
{
	ear->from = create_qp(RC, world.cq, &small);
	ring_note();
	ear->to = create_qp(RC, world.liar_cq, &large);
	ear->ring = ring_found();
	connect_qps(ear->from, ear->to);
}

static void make_shared(struct ear *ear)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = RECEIVES, .max_sge = 1 } };

	ear->from = create_qp(RC, world.cq, &small);
	ring_note();
	ear->srq = ibv_create_srq(world.pd, &init);
	if (!ear->srq)
		die("ibv_create_srq");
	ear->ring = ring_found();
	ear->to = create_receiver(ear->srq);
	connect_qps(ear->from, ear->to);
}

static void make_xrc(struct ear *ear)
{
	ear->from = create_qp(XRC, world.cq, &small);
	ear->to = create_target();
	ring_note();
	ear->srq = create_xrc_srq(world.xrcd, world.liar_cq, &ear->srqn);
	ear->ring = ring_found();
	connect_qps(ear->from, ear->to);
}

static void make_raw(struct ear *ear)
{
	ring_note();
	ear->to = create_qp(RAW, world.liar_cq, &large);
	ear->ring = ring_found();
	start_raw(ear->to);
	ear->rule = create_rule(ear->to, GROUP_EAR);
}

static struct ibv_wq *create_wq(void)
{
	struct ibv_wq_init_attr init = {
		.wq_type = IBV_WQT_RQ, .max_wr = RECEIVES, .max_sge = 1, .pd = world.pd,
		.cq = world.liar_cq,
	};
	struct ibv_wq_attr ready = {
		.attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_RDY,
	};
	struct ibv_wq *wq = ibv_create_wq(world.ctx, &init);

	if (!wq || ibv_modify_wq(wq, &ready))
		die("a queue of frames");
	return wq;
}

/*
 * With only this bit of the key, the hash of a frame is the last bit of its source (Toeplitz: bit
 * 31 of the input takes bits 31 to 62 of the key).
 */
static struct ibv_qp *create_spread(struct ibv_rwq_ind_table *table)
{
	static uint8_t key[SRNIC_RX_HASH_KEY_LEN] = { [7] = 0x02 };
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RAW_PACKET, .pd = world.pd, .rwq_ind_tbl = table,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE |
			     IBV_QP_INIT_ATTR_RX_HASH,
		.rx_hash_conf = { IBV_RX_HASH_FUNC_TOEPLITZ, sizeof(key), key,
				  IBV_RX_HASH_SRC_IPV4 },
	};
	struct ibv_qp *qp = ibv_create_qp_ex(world.ctx, &init);

	if (!qp)
		die("a QP with an indirection table");
	return qp;
}

static void make_wq(struct ear *ear)
{
	struct ibv_rwq_ind_table_init_attr init = { .log_ind_tbl_size = 1, .ind_tbl = ear->wq };

	ear->wq[0] = create_wq();
	ring_note();
	ear->wq[1] = create_wq();
	ear->ring = ring_found();
	ear->table = ibv_create_rwq_ind_table(world.ctx, &init);
	if (!ear->table)
		die("ibv_create_rwq_ind_table");
	ear->from = create_spread(ear->table);
	ear->rule = create_rule(ear->from, GROUP_EAR);
}

static const struct receiver {
	const char *name;
	void (*make)(struct ear *ear);
} receivers[] = {
	{ "RC", make_rc },
	{ "SRQ", make_shared },
	{ "SRQ of XRC", make_xrc },
	{ "raw", make_raw },
	{ "WQ", make_wq },
};

static void start_ear(struct ear *ear, const struct receiver *receiver)
{
	drain(world.liar_cq);
	memset(ear, 0, sizeof(*ear));
	receiver->make(ear);
	ear->number = ear->to ? ear->to->qp_num : ear->wq[1]->wq_num;
}

static void end_ear(struct ear *ear)
{
	int err = 0;

	err |= ear->rule ? ibv_destroy_flow(ear->rule) : 0;
	err |= ear->from ? ibv_destroy_qp(ear->from) : 0;
	err |= ear->to ? ibv_destroy_qp(ear->to) : 0;
	err |= ear->srq ? ibv_destroy_srq(ear->srq) : 0;
	err |= ear->table ? ibv_destroy_rwq_ind_table(ear->table) : 0;
	for (int i = 0; i < QUEUES; i++)
		err |= ear->wq[i] ? ibv_destroy_wq(ear->wq[i]) : 0;
	if (err)
		die("destruction");
}

/* Let something arrive for the ring */
static void arrive(struct ear *ear)
{
	struct ibv_wc wc;

	if (ear->rule)
		send_frame(GROUP_EAR, 1);
	else
		send_message(ear->from, ear->srqn, &wc);
}

static void write_sound(struct srnic_rq_wqe *wqe)
{
	struct srnic_abi_sge *sge = (void *)(wqe + 1);

	*wqe = (struct srnic_rq_wqe){ .wr_id = 7, .num_sge = 1 };
	*sge = (struct srnic_abi_sge){
		(uintptr_t)world.memory + AT_EAR, 256, world.mr->lkey,
	};
}

/* Post a sound receive to the neighbour in the table, and let a frame come for it */
static bool neighbour_lives(struct ear *ear)
{
	struct ibv_sge sge = { (uintptr_t)world.memory + AT_EAR, 256, world.mr->lkey };
	struct ibv_recv_wr *bad, wr = { .sg_list = &sge, .num_sge = 1 };
	struct ibv_wc wc;

	if (ibv_post_wq_recv(ear->wq[0], &wr, &bad))
		return false;
	send_frame(GROUP_EAR, 2);
	return completes(world.liar_cq, ear->wq[0]->wq_num, &wc) && wc.status == IBV_WC_SUCCESS;
}

/* A queue's state cannot be queried, but a change on a condition does nothing unless it is met. */
static bool wq_soon_in_error(struct ibv_wq *wq)
{
	struct ibv_wq_attr attr = {
		.attr_mask = IBV_WQ_ATTR_CURR_STATE, .curr_wq_state = IBV_WQS_ERR,
	};

	for (int i = 0; i < world.patience; i++) {
		if (!ibv_modify_wq(wq, &attr))
			return true;
		usleep(1000);
	}
	return false;
}

static void judge(struct ear *ear)
{
	verdict(ear->to ? soon_in_error(ear->to) : wq_soon_in_error(ear->wq[1]),
		"  and the receiver ends", "it is not in ERR");
	if (ear->wq[0])
		verdict(neighbour_lives(ear), "  and its neighbour lives", "a frame was lost");
	bystanders_live();
	end_ear(ear);
}

/* --- the lies: each changes a sound receive --- */

static void many_sges(struct srnic_rq_wqe *wqe)
{
	wqe->num_sge = 255;
}

static void most_sges(struct srnic_rq_wqe *wqe)
{
	wqe->num_sge = 0xffffffff;
}

static void huge_length(struct srnic_rq_wqe *wqe)
{
	struct srnic_abi_sge *sge = (void *)(wqe + 1);

	sge->length = 0xffffffff;
}

static void fixed_lkey(struct srnic_rq_wqe *wqe)
{
	struct srnic_abi_sge *sge = (void *)(wqe + 1);

	sge->lkey = world.fixed->lkey;
}

static const struct lie {
	const char *name;
	void (*tell)(struct srnic_rq_wqe *wqe);
} lies[] = {
	{ "255 SGEs", many_sges },
	{ "2^32 - 1 SGEs", most_sges },
	{ "a buffer of 4 GiB", huge_length },
	{ "the key of memory that may only be read", fixed_lkey },
};

/* Make a queue with a sound receive in its ring, which is returned */
static struct srnic_rq_wqe *begin_lie(struct ear *ear, const struct receiver *receiver)
{
	struct srnic_rq_wqe *wqe;

	start_ear(ear, receiver);
	wqe = ring_first(ear->ring);
	write_sound(wqe);
	return wqe;
}

/* Let something arrive for the first entry, and check whether it ends as it should */
static void first_ends(struct ear *ear, const char *receiver, const char *lie, bool well)
{
	struct ibv_wc wc;
	char name[96];

	ring_publish(ear->ring, 1);
	arrive(ear);
	snprintf(name, sizeof(name), "%s: %s", receiver, lie);
	verdict(completes(world.liar_cq, ear->number, &wc) &&
		(wc.status == IBV_WC_SUCCESS) == well, name,
		well ? "a sound receive has failed" : "the receive does not fail");
}

static void tell_lie(const struct receiver *receiver, const struct lie *lie)
{
	struct ear ear;

	lie->tell(begin_lie(&ear, receiver));
	first_ends(&ear, receiver->name, lie->name, false);
	judge(&ear);
}

static void tell_sge_lie(const struct receiver *receiver, const struct sge_lie *lie)
{
	struct ear ear;

	lie->tell((void *)(begin_lie(&ear, receiver) + 1));
	first_ends(&ear, receiver->name, lie->name, false);
	judge(&ear);
}

static void lie_about_index(const struct receiver *receiver, const struct index_lie *lie)
{
	struct ear ear;

	begin_lie(&ear, receiver);
	first_ends(&ear, receiver->name, lie->name, true);
	ring_publish_lie(ear.ring, lie, RECEIVES);
	arrive(&ear);
	judge(&ear);
}

static void noise(const struct receiver *receiver)
{
	struct ear ear;

	for (int round = 0; round < NOISE_ROUNDS; round++) {
		start_ear(&ear, receiver);
		for (int k = 0; k < 4; k++) {
			ring_scribble(ear.ring);
			arrive(&ear);
		}
		end_ear(&ear);
	}
	verdict(true, "random rings", "");
	bystanders_live();
}

void lie_to_receivers(void)
{
	for (size_t r = 0; r < ARRAY_SIZE(receivers); r++) {
		for (size_t i = 0; i < ARRAY_SIZE(lies); i++)
			tell_lie(&receivers[r], &lies[i]);
		for (size_t i = 0; i < SGE_LIES; i++)
			tell_sge_lie(&receivers[r], &sge_lies[i]);
		for (size_t i = 0; i < INDEX_LIES; i++)
			lie_about_index(&receivers[r], &index_lies[i]);
		noise(&receivers[r]);
	}
}
