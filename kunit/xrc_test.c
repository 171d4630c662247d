// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of extended reliable connections (IBA A14): A is an initiator, and B a target, whose
 * domain has two SRQs. Each of these has a protection domain, a region and a CQ of its own.
 */
#include <linux/module.h>

#include "pair_fixture.h"
#include "engine/requester.h"
#include "engine/responder.h"
#include "engine/xrc.h"
#include "sth/crypto.h"

#define IOVA		0x7f0000000000ULL
#define LENGTH		SZ_8K
#define RECEIVES	4
#define SQ_ENTRIES	8
#define DEPTH		4	/* max_dest_rd_atomic of B */
#define MTU		256
#define ALL_RIGHTS	(IB_ACCESS_LOCAL_WRITE | SRNIC_ACCESS_REMOTE)

/* A queue of a domain, and what a process has beside it */
struct side {
	struct srnic_pd pd;
	struct srnic_cq cq;
	struct srnic_srq srq;
	struct srnic_mr mr;
	u8 memory[LENGTH] __aligned(8);
};

enum { FIRST, SECOND, FOREIGN, BASIC, SIDES };

/* FIRST and SECOND belong to the target's domain, FOREIGN to another, BASIC to none. */
struct bed {
	struct srnic_xrcd xrcd;
	struct srnic_xrcd other;
	struct srnic_xrc xrc;
	struct side side[SIDES];
	u8 payload[MTU];
};

static struct bed *bed;

/* ---------------------------------------------------------------- fixture */

static void bed_region(struct kunit *test, struct side *side)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = &side->mr;

	spin_lock_init(&side->pd.lock);
	side->pd.ib.device = &w->dev->ib;
	srnic_stag_init(&mr->stag, SRNIC_STAG_USER, &side->pd);
	mr->stag.mr = mr;
	KUNIT_ASSERT_EQ(test, srnic_map_alloc(&mr->map, 1), 0);
	mr->map.blocks[0] = side->memory;
	mr->map.count = 1;
	mr->map.shift = 13;
	mr->stag.iova = IOVA;
	mr->stag.length = LENGTH;
	mr->stag.access = ALL_RIGHTS;
	KUNIT_ASSERT_EQ(test, srnic_stag_insert(w->dev, &mr->stag), 0);
	srnic_stag_publish(&mr->stag);
}

static void bed_queue(struct kunit *test, int at)
{
	struct side *side = &bed->side[at];
	struct srnic_srq *srq = &side->srq;
	struct world *w = test->priv;

	srnic_cq_init(&side->cq, no_work);
	KUNIT_ASSERT_EQ(test, srnic_ring_alloc(&side->cq.ring, RECEIVES, sizeof(struct srnic_cqe),
					       false), 0);
	KUNIT_ASSERT_EQ(test, srnic_ring_alloc(&srq->ring, RECEIVES, 64, false), 0);
	srq->number = 0x100 + at;
	srq->max_sge = 1;
	srq->mem.pd = &side->pd;
	srq->mem.user = true;
	spin_lock_init(&srq->lock);
	srnic_share_init(&srq->share);
	if (at != BASIC)
		srnic_xrc_srq_init(srq, at == FOREIGN ? &bed->other : &bed->xrcd, &side->cq);
	KUNIT_ASSERT_EQ(test, xa_err(xa_store(&w->dev->srqs, srq->number, srq, GFP_KERNEL)), 0);
}

/* Post a receive of @len bytes at the start of a side's region, under @lkey. */
static void give_under(struct kunit *test, int at, u32 len, u32 lkey)
{
	struct side *side = &bed->side[at];
	struct ib_sge sge = { .addr = IOVA, .length = len, .lkey = lkey };
	const struct ib_recv_wr wr = { .wr_id = at, .sg_list = &sge, .num_sge = 1 };

	KUNIT_ASSERT_EQ(test, srnic_rq_post(&side->srq.ring, &wr, 1), 0);
}

static void give(struct kunit *test, int at, u32 len)
{
	give_under(test, at, len, bed->side[at].mr.stag.key);
}

/* Make A an initiator and B a target. */
static void make_xrc(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_qp *qp = w->qp[B];

	w->qp[A]->ib.qp_type = IB_QPT_XRC_INI;
	w->qp[A]->transport = SRNIC_TP_XRC;
	w->qp[A]->attr.max_rd_atomic = DEPTH;
	w->qp[A]->mtu = MTU;
	pair_make_sq(test, SQ_ENTRIES, 2 * MTU)->max_inline = 2 * MTU;

	bed->xrc.qp = qp;
	bed->xrc.xrcd = &bed->xrcd;
	INIT_LIST_HEAD(&bed->xrcd.targets);
	list_add(&bed->xrc.node, &bed->xrcd.targets);
	qp->ib.qp_type = IB_QPT_XRC_TGT;
	qp->transport = SRNIC_TP_XRC;
	qp->xrc = &bed->xrc;
	qp->mem.user = true;
	qp->mem.unpaged = true;
	qp->mtu = MTU;
	qp->attr.qp_access_flags = SRNIC_ACCESS_REMOTE;
	qp->attr.max_dest_rd_atomic = DEPTH;
	KUNIT_ASSERT_EQ(test, srnic_rres_resize(qp), 0);
}

static int xrc_test_init(struct kunit *test)
{
	int err = pair_init(test);
	struct world *w;
	int at;

	bed = NULL;
	if (err)
		return err;
	w = test->priv;
	w->dev->no_gso = true;
	xa_init(&w->dev->srqs);
	KUNIT_ASSERT_EQ(test, srnic_stag_table_init(w->dev), 0);
	bed = kunit_kzalloc(test, sizeof(*bed), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, bed);
	mutex_init(&bed->xrcd.lock);
	mutex_init(&bed->other.lock);
	INIT_LIST_HEAD(&bed->other.targets);
	for (at = 0; at < SIDES; at++) {
		bed_region(test, &bed->side[at]);
		bed_queue(test, at);
	}
	make_xrc(test);
	return 0;
}

static void xrc_test_exit(struct kunit *test)
{
	struct world *w = test->priv;
	int at;

	for (at = 0; bed && at < SIDES; at++) {
		struct side *side = &bed->side[at];

		srnic_stag_quiesce(&side->mr.stag);
		srnic_stag_remove(w->dev, &side->mr.stag);
		srnic_map_release(&side->mr.map);
		srnic_ring_free(&side->srq.ring);
		srnic_ring_free(&side->cq.ring);
	}
	if (bed) {
		synchronize_rcu();
		srnic_stag_table_exit(w->dev);
		xa_destroy(&w->dev->srqs);
	}
	if (w && w->qp[B])
		kfree(w->qp[B]->resp.rres);
	pair_exit(test);
}

/* --------------------------------------------------------------- requests */

static u32 number_of(int at)
{
	return bed->side[at].srq.number;
}

static struct srnic_pkt request(u8 opcode, u32 srqn, u32 payload_len)
{
	return (struct srnic_pkt) {
		.opcode = SRNIC_TP_XRC | opcode, .srqn = srqn,
		.payload = bed->payload, .payload_len = payload_len,
	};
}

/* A request for @len bytes of the region of the side @at */
static struct srnic_pkt request_to(u8 opcode, u32 srqn, int at, u32 len)
{
	struct srnic_pkt pkt = request(opcode, srqn, 0);

	pkt.va = IOVA;
	pkt.rkey = bed->side[at].mr.stag.key;
	pkt.dmalen = len;
	return pkt;
}

static void reply(struct kunit *test)
{
	struct world *w = test->priv;
	u32 turns;

	/* a clock tick ends a turn, so a turn may send nothing */
	for (turns = 0; turns < 8; turns++) {
		lock(w->qp[B]);
		srnic_reply_run(w->qp[B]);
		unlock(w->qp[B]);
	}
}

/* Let B receive @pkt in sequence, verified. */
static void receive(struct kunit *test, struct srnic_pkt pkt)
{
	struct world *w = test->priv;
	struct srnic_mem_cache cache = {};
	struct srnic_qp *qp = w->qp[B];

	pkt.opc = &srnic_opcode_table[pkt.opcode];
	pkt.ends = &qp->path.ends;
	pkt.psn = qp->resp.psn;
	/* the others are answered in any case */
	pkt.ackreq = pkt.opc->flags & (SRNIC_OPF_SEND | SRNIC_OPF_WRITE);
	lock(qp);
	srnic_responder_rx(qp, &pkt, &cache);
	srnic_mem_cache_drop(&cache);
	unlock(qp);
}

/* Expect an answer with @opcode, of RC, and @syndrome. */
static void expect_answer(struct kunit *test, u8 opcode, u8 syndrome)
{
	struct srnic_pkt pkt;

	reply(test);
	KUNIT_ASSERT_TRUE(test, next_packet(test, B, &pkt));
	KUNIT_EXPECT_EQ(test, pkt.opcode, SRNIC_TP_XRC | opcode);
	KUNIT_EXPECT_EQ(test, pkt.syndrome, syndrome);
	expect_silence(test, B);
}

static void expect_ack(struct kunit *test)
{
	expect_answer(test, SRNIC_OPC_ACK, SRNIC_AETH_ACK | SRNIC_CREDIT_NONE);
}

/* Expect a NAK that ends the connection, and begin a new one with the same QPs. */
static void expect_nak(struct kunit *test, enum srnic_nak code)
{
	struct world *w = test->priv;
	struct srnic_qp *qp = w->qp[B];

	expect_answer(test, SRNIC_OPC_ACK, SRNIC_AETH_NAK | code);
	KUNIT_EXPECT_EQ(test, qp->state, IB_QPS_ERR);
	lock(qp);
	qp->state = IB_QPS_RTS;
	memset(&qp->resp.nak, 0, sizeof(qp->resp.nak));
	qp->resp.message = 0;
	qp->resp.rwqe.valid = false;
	unlock(qp);
}

static void expect_completion(struct kunit *test, int at, u32 byte_len)
{
	struct world *w = test->priv;
	struct srnic_cqe cqe;

	KUNIT_ASSERT_TRUE(test, srnic_cq_pop(&bed->side[at].cq, &cqe));
	KUNIT_EXPECT_EQ(test, cqe.status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, cqe.wr_id, at);
	KUNIT_EXPECT_EQ(test, cqe.qp_num, w->qp[B]->ib.qp_num);
	KUNIT_EXPECT_EQ(test, cqe.byte_len, byte_len);
}

/* Nothing has been taken from a queue, and nothing has completed. */
static void expect_untouched(struct kunit *test, int at, int receives)
{
	KUNIT_EXPECT_EQ(test, srnic_ring_pending(&bed->side[at].srq.ring), receives);
	KUNIT_EXPECT_EQ(test, srnic_cq_waiting(&bed->side[at].cq), 0U);
}

static void expect_all_untouched(struct kunit *test, int receives)
{
	int at;

	for (at = 0; at < SIDES; at++)
		expect_untouched(test, at, receives);
}

/* -------------------------------------------------------------- responder */

static void a_message_is_received_from_the_queue_that_it_names(struct kunit *test)
{
	static const int order[] = { FIRST, SECOND, SECOND, FIRST };
	int i, at;

	for (at = FIRST; at <= SECOND; at++) {
		give(test, at, 100);
		give(test, at, 100);
	}
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		bed->payload[0] = 0x40 + i;
		receive(test, request(SRNIC_OPC_SEND_ONLY, number_of(order[i]), 60));
		expect_ack(test);
		expect_completion(test, order[i], 60);
		KUNIT_EXPECT_EQ(test, bed->side[order[i]].memory[0], 0x40 + i);
	}
	expect_all_untouched(test, 0);
}

static void a_write_with_immediate_data_takes_a_receive_of_the_queue(struct kunit *test)
{
	struct srnic_pkt pkt = request_to(SRNIC_OPC_WRITE_ONLY_IMM, number_of(SECOND), SECOND, 8);
	struct srnic_cqe cqe;

	give(test, FIRST, 8);
	give(test, SECOND, 8);
	pkt.payload_len = 8;
	pkt.va += 64;
	pkt.imm = cpu_to_be32(0x12345678);
	memset(bed->payload, 0xab, 8);
	receive(test, pkt);
	expect_ack(test);
	KUNIT_ASSERT_TRUE(test, srnic_cq_pop(&bed->side[SECOND].cq, &cqe));
	KUNIT_EXPECT_EQ(test, cqe.opcode, IB_WC_RECV_RDMA_WITH_IMM);
	KUNIT_EXPECT_EQ(test, cqe.imm, (__force u32)pkt.imm);
	KUNIT_EXPECT_EQ(test, bed->side[SECOND].memory[64], 0xab);
	expect_untouched(test, FIRST, 1);
}

/* IBA A14 */
static void R7_a_queue_of_another_domain_or_of_none_is_refused(struct kunit *test)
{
	const u32 numbers[] = { number_of(FOREIGN), number_of(BASIC), 0, 0x99, 0xffffff };
	static const u8 opcodes[] = {
		SRNIC_OPC_SEND_ONLY, SRNIC_OPC_SEND_FIRST, SRNIC_OPC_WRITE_ONLY,
		SRNIC_OPC_READ_REQ, SRNIC_OPC_FETCH_ADD, SRNIC_OPC_WRITE_ONLY_IMM,
	};
	int i, j, at;

	for (at = 0; at < SIDES; at++)
		give(test, at, MTU);
	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		for (j = 0; j < ARRAY_SIZE(opcodes); j++) {
			struct srnic_pkt pkt = request_to(opcodes[j], numbers[i], FIRST, 8);

			if (opcodes[j] != SRNIC_OPC_READ_REQ && opcodes[j] != SRNIC_OPC_FETCH_ADD)
				pkt.payload_len = opcodes[j] == SRNIC_OPC_SEND_FIRST ? MTU : 8;
			receive(test, pkt);
			expect_nak(test, SRNIC_NAK_INVALID_REQ);
		}
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_wrong_srq), i * j);
	expect_all_untouched(test, 1);
	KUNIT_EXPECT_NULL(test, memchr_inv(bed->side[FIRST].memory, 0, LENGTH));
}

static void all_packets_of_a_message_name_one_queue(struct kunit *test)
{
	static const u8 next[] = { SRNIC_OPC_SEND_MIDDLE, SRNIC_OPC_SEND_LAST };
	int i;

	for (i = 0; i < ARRAY_SIZE(next); i++) {
		give(test, FIRST, 3 * MTU);
		give(test, SECOND, 3 * MTU);
		receive(test, request(SRNIC_OPC_SEND_FIRST, number_of(FIRST), MTU));
		expect_ack(test);
		receive(test, request(next[i], number_of(SECOND), MTU));
		expect_nak(test, SRNIC_NAK_INVALID_REQ);
		expect_untouched(test, FIRST, 0);
		expect_untouched(test, SECOND, i + 1);
	}
}

static void a_long_message_keeps_its_queue(struct kunit *test)
{
	give(test, SECOND, 3 * MTU);
	receive(test, request(SRNIC_OPC_SEND_FIRST, number_of(SECOND), MTU));
	receive(test, request(SRNIC_OPC_SEND_MIDDLE, number_of(SECOND), MTU));
	receive(test, request(SRNIC_OPC_SEND_LAST, number_of(SECOND), 5));
	expect_ack(test);
	expect_completion(test, SECOND, 2 * MTU + 5);
}

/* The keys of a request are those of the domain of its queue. */
static void R7_memory_is_reached_through_a_queue_of_its_domain_only(struct kunit *test)
{
	static const u8 opcodes[] = {
		SRNIC_OPC_WRITE_ONLY, SRNIC_OPC_READ_REQ, SRNIC_OPC_FETCH_ADD, SRNIC_OPC_CMP_SWAP,
	};
	static const u8 answers[] = {
		SRNIC_OPC_ACK, SRNIC_OPC_READ_RESP_ONLY, SRNIC_OPC_ATOMIC_ACK,
		SRNIC_OPC_ATOMIC_ACK,
	};
	int i, by, at;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++)
		for (by = FIRST; by <= SECOND; by++)
			for (at = FIRST; at <= SECOND; at++) {
				struct srnic_pkt pkt = request_to(opcodes[i], number_of(by), at, 8);

				if (opcodes[i] == SRNIC_OPC_WRITE_ONLY)
					pkt.payload_len = 8;
				receive(test, pkt);
				if (by != at)
					expect_nak(test, SRNIC_NAK_REM_ACCESS);
				else
					expect_answer(test, answers[i],
						      SRNIC_AETH_ACK | SRNIC_CREDIT_NONE);
			}
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_stag_pd), 2 * i);
}

/* A READ may be answered after a request that named another queue. */
static void an_answer_is_read_through_the_queue_of_its_request(struct kunit *test)
{
	struct srnic_pkt pkt;

	give(test, SECOND, 8);
	receive(test, request_to(SRNIC_OPC_READ_REQ, number_of(FIRST), FIRST, 8));
	receive(test, request(SRNIC_OPC_SEND_ONLY, number_of(SECOND), 8));
	reply(test);
	KUNIT_ASSERT_TRUE(test, next_packet(test, B, &pkt));
	KUNIT_EXPECT_EQ(test, pkt.opcode, SRNIC_TP_XRC | SRNIC_OPC_READ_RESP_ONLY);
	KUNIT_EXPECT_EQ(test, pkt.payload_len, 8);
	KUNIT_ASSERT_TRUE(test, next_packet(test, B, &pkt));
	KUNIT_EXPECT_EQ(test, pkt.opcode, SRNIC_TP_XRC | SRNIC_OPC_ACK);
	expect_completion(test, SECOND, 8);
	/* and the next request of that queue finds its domain again */
	receive(test, request_to(SRNIC_OPC_READ_REQ, number_of(SECOND), SECOND, 8));
	expect_answer(test, SRNIC_OPC_READ_RESP_ONLY, SRNIC_AETH_ACK | SRNIC_CREDIT_NONE);
}

/* SGEs are keys of the queue's owner, who is a process. */
static void R28_the_dma_key_serves_no_receive_of_a_process(struct kunit *test)
{
	struct srnic_cqe cqe;

	give_under(test, FIRST, 8, SRNIC_DMA_LKEY);
	receive(test, request(SRNIC_OPC_SEND_ONLY, number_of(FIRST), 8));
	expect_nak(test, SRNIC_NAK_REM_OP);
	KUNIT_ASSERT_TRUE(test, srnic_cq_pop(&bed->side[FIRST].cq, &cqe));
	KUNIT_EXPECT_EQ(test, cqe.status, IB_WC_LOC_PROT_ERR);
}

/* ---------------------------------------------------------- destroyed SRQs */

static void destroy_srq(struct kunit *test, int at)
{
	struct world *w = test->priv;

	xa_erase(&w->dev->srqs, number_of(at));
	srnic_xrc_srq_gone(&bed->side[at].srq);
}

static void a_message_ends_with_its_queue(struct kunit *test)
{
	struct world *w = test->priv;

	give(test, FIRST, 3 * MTU);
	receive(test, request(SRNIC_OPC_SEND_FIRST, number_of(FIRST), MTU));
	expect_ack(test);
	destroy_srq(test, FIRST);
	KUNIT_EXPECT_NULL(test, w->qp[B]->srq);
	KUNIT_EXPECT_NULL(test, w->qp[B]->rcq);
	KUNIT_EXPECT_NULL(test, w->qp[B]->mem.pd);
	KUNIT_EXPECT_FALSE(test, w->qp[B]->resp.rwqe.valid);
	receive(test, request(SRNIC_OPC_SEND_LAST, number_of(FIRST), 5));
	expect_nak(test, SRNIC_NAK_INVALID_REQ);
	expect_untouched(test, FIRST, 0);
}

static void the_other_queues_of_the_domain_stay(struct kunit *test)
{
	give(test, SECOND, 8);
	receive(test, request(SRNIC_OPC_SEND_ONLY, number_of(SECOND), 8));
	expect_ack(test);
	destroy_srq(test, FIRST);
	expect_completion(test, SECOND, 8);
	give(test, SECOND, 8);
	receive(test, request(SRNIC_OPC_SEND_ONLY, number_of(SECOND), 8));
	expect_ack(test);
	expect_completion(test, SECOND, 8);
	receive(test, request(SRNIC_OPC_SEND_ONLY, number_of(FIRST), 8));
	expect_nak(test, SRNIC_NAK_INVALID_REQ);
}

static void R12_a_read_is_not_answered_after_its_queue_has_gone(struct kunit *test)
{
	receive(test, request_to(SRNIC_OPC_READ_REQ, number_of(FIRST), FIRST, 8));
	destroy_srq(test, FIRST);
	expect_nak(test, SRNIC_NAK_REM_ACCESS);
}

/* sRDMA 4.4: the key of a domain is its process's; a target gets requests for several */
static void no_domain_gives_a_target_its_key(struct kunit *test)
{
	struct world *w = test->priv;

	give(test, FIRST, 8);
	receive(test, request(SRNIC_OPC_SEND_ONLY, number_of(FIRST), 8));
	expect_ack(test);
	KUNIT_EXPECT_PTR_EQ(test, w->qp[B]->mem.pd, &bed->side[FIRST].pd);
	KUNIT_EXPECT_NULL(test, srnic_xrc_own_domain(w->qp[B]));
	KUNIT_EXPECT_PTR_EQ(test, srnic_xrc_own_domain(w->qp[A]), w->qp[A]->mem.pd);
}

/* A request that is not verified yet must change nothing. */
static void the_stream_of_a_request_is_found_without_a_change(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_qp *qp = w->qp[B];

	give(test, FIRST, 8);
	receive(test, request(SRNIC_OPC_SEND_ONLY, number_of(FIRST), 8));
	expect_ack(test);
	lock(qp);
	KUNIT_EXPECT_PTR_EQ(test, srnic_xrc_stream(qp, number_of(SECOND)),
			    (const struct srnic_mem_stream *)&bed->side[SECOND].srq.mem);
	KUNIT_EXPECT_NULL(test, srnic_xrc_stream(qp, number_of(FOREIGN)));
	KUNIT_EXPECT_PTR_EQ(test, qp->mem.pd, &bed->side[FIRST].pd);
	unlock(qp);
}

/* A region that is paged on demand must not serve while its pages happen to be there. */
static void queues_of_a_target_reach_pinned_memory_only(struct kunit *test)
{
	struct srnic_stag *stag = &bed->side[FIRST].mr.stag;

	KUNIT_EXPECT_TRUE(test, bed->side[FIRST].srq.mem.unpaged);
	stag->checks = SRNIC_CHECK_RESIDENT;
	receive(test, request_to(SRNIC_OPC_READ_REQ, number_of(FIRST), FIRST, 8));
	expect_nak(test, SRNIC_NAK_REM_ACCESS);
}

/* ------------------------------------------------------------- the packets */

static void expect_dropped(struct kunit *test, int to, u8 opcode)
{
	u64 before = counted(test, SRNIC_STAT_unknown_opcode);
	struct world *w = test->priv;
	u32 psn = w->qp[to]->resp.psn;

	deliver(test, packet(test, !to, &(struct srnic_pkt) {
		.opcode = opcode, .psn = psn, .srqn = number_of(FIRST) },
		FAULT_NONE, false), to, NOW);
	KUNIT_EXPECT_EQ_MSG(test, counted(test, SRNIC_STAT_unknown_opcode), before + 1,
			    "opcode %#x", opcode);
	KUNIT_EXPECT_EQ(test, w->qp[to]->resp.psn, psn);
	expect_silence(test, to);
}

static void an_initiator_takes_no_requests_and_a_target_no_responses(struct kunit *test)
{
	give(test, FIRST, 8);
	expect_dropped(test, A, SRNIC_TP_XRC | SRNIC_OPC_SEND_ONLY);
	expect_dropped(test, A, SRNIC_TP_XRC | SRNIC_OPC_READ_REQ);
	expect_dropped(test, B, SRNIC_TP_XRC | SRNIC_OPC_ACK);
	expect_dropped(test, B, SRNIC_TP_XRC | SRNIC_OPC_READ_RESP_ONLY);
	expect_dropped(test, A, SRNIC_OPC_ACK);
	expect_dropped(test, B, SRNIC_OPC_SEND_ONLY);
	expect_dropped(test, B, SRNIC_TP_UC | SRNIC_OPC_SEND_ONLY);
	expect_untouched(test, FIRST, 1);
}

static struct srnic_swqe *post(struct kunit *test, enum srnic_wqe_opcode opcode, u32 len)
{
	struct world *w = test->priv;
	struct srnic_sq *sq = &w->qp[A]->sq;
	struct srnic_swqe *wqe = srnic_sq_wqe(sq, sq->prod);

	memset(wqe, 0, sq->stride);
	wqe->opcode = opcode;
	wqe->raddr = IOVA;
	wqe->srqn = 0xff000000 | number_of(SECOND);	/* bits that no SRQ number has */
	wqe->rkey = bed->side[SECOND].mr.stag.key;
	wqe->length = len;
	if (opcode < SRNIC_WQE_READ)
		wqe->flags = SRNIC_SWQE_INLINE;
	sq->prod++;
	return wqe;
}

/* Return how many of the packets that A sends now ask for an acknowledgment. The last one does. */
static unsigned int asks_of(struct kunit *test, int packets)
{
	struct srnic_pkt pkt = {};
	unsigned int asks = 0;

	pair_send(test, 4 * SQ_ENTRIES);
	while (packets--) {
		KUNIT_ASSERT_TRUE(test, next_packet(test, A, &pkt));
		asks += pkt.ackreq;
	}
	expect_silence(test, A);
	KUNIT_EXPECT_TRUE(test, pkt.ackreq);
	return asks;
}

/* An acknowledgment on the way serves the messages behind. */
static void a_message_is_acknowledged_on_the_way_if_another_follows(struct kunit *test)
{
	struct world *w = test->priv;

	w->qp[A]->req.cc.window = 4;	/* each packet would ask */
	post(test, SRNIC_WQE_WRITE, 2 * MTU);
	KUNIT_EXPECT_EQ(test, asks_of(test, 2), 1);
	w->qp[A]->req.una = w->qp[A]->req.psn;
	post(test, SRNIC_WQE_WRITE, 2 * MTU);
	post(test, SRNIC_WQE_WRITE, 2 * MTU);
	KUNIT_EXPECT_EQ_MSG(test, asks_of(test, 4), 3, "the second one is alone again");
	w->qp[A]->req.una = w->qp[A]->req.psn;
	w->qp[A]->req.cc.window = 1;
	post(test, SRNIC_WQE_WRITE, 2 * MTU);
	KUNIT_EXPECT_EQ_MSG(test, asks_of(test, 1), 1, "the window has room for one packet");
}

static void each_request_names_the_queue_of_its_work_request(struct kunit *test)
{
	static const u8 want[] = {
		SRNIC_OPC_SEND_FIRST, SRNIC_OPC_SEND_LAST, SRNIC_OPC_WRITE_FIRST,
		SRNIC_OPC_WRITE_LAST_IMM, SRNIC_OPC_SEND_ONLY_INV, SRNIC_OPC_READ_REQ,
		SRNIC_OPC_FETCH_ADD, SRNIC_OPC_CMP_SWAP,
	};
	struct srnic_pkt pkt;
	int i;

	post(test, SRNIC_WQE_SEND, MTU + 1);
	post(test, SRNIC_WQE_WRITE_IMM, MTU + 1);
	post(test, SRNIC_WQE_SEND_INV, 5);
	post(test, SRNIC_WQE_READ, 0);
	post(test, SRNIC_WQE_FETCH_ADD, 8);
	post(test, SRNIC_WQE_CMP_SWAP, 8);
	pair_send(test, 4 * SQ_ENTRIES);
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		KUNIT_ASSERT_TRUE(test, next_packet(test, A, &pkt));
		KUNIT_EXPECT_EQ(test, pkt.opcode, SRNIC_TP_XRC | want[i]);
		KUNIT_EXPECT_EQ(test, pkt.srqn, number_of(SECOND));
	}
	expect_silence(test, A);
}

static void a_work_request_completes_with_its_answer(struct kunit *test)
{
	static const enum srnic_wqe_opcode opcodes[] = {
		SRNIC_WQE_SEND, SRNIC_WQE_WRITE, SRNIC_WQE_READ,
	};
	struct world *w = test->priv;
	int i;

	give(test, SECOND, 8);
	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		post(test, opcodes[i], opcodes[i] == SRNIC_WQE_READ ? 0 : 8);
		pair_send(test, 4 * SQ_ENTRIES);
		deliver(test, take(test, A, false), B, NOW);
		deliver(test, take(test, B, false), A, NOW);
		KUNIT_EXPECT_EQ(test, w->qp[A]->sq.cons, i + 1);
		__skb_queue_purge(&w->qp[A]->out);
	}
	expect_completion(test, SECOND, 8);
}

/* IBA A19: FLUSH and ATOMIC WRITE are operations of RC. */
static void work_requests_of_rc_only_fail(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_swqe *wqe = post(test, SRNIC_WQE_FLUSH, 0);

	wqe->flags = 0;
	wqe->flush.types = SRNIC_FETH_GLOBAL;
	lock(w->qp[A]);
	KUNIT_EXPECT_EQ(test, srnic_wqe_check(w->qp[A], wqe), IB_WC_LOC_QP_OP_ERR);
	w->qp[A]->ib.qp_type = IB_QPT_RC;
	KUNIT_EXPECT_EQ(test, srnic_wqe_check(w->qp[A], wqe),
			SRNIC_OFFERS_FLUSH ? IB_WC_SUCCESS : IB_WC_LOC_QP_OP_ERR);
	unlock(w->qp[A]);
}

/* ------------------------------------------------------------------ seals */

static bool is_ipv4(const struct sth_connection_vector *v)
{
	return srnic_gid_is_v4(v->x_gid);
}

static const void *sealed_gen(const void *prev, char *desc)
{
	return sth_next(prev, desc, is_ipv4);
}

/*
 * Deliver a sealed SEND to B that names the SRQ of SECOND; if @changed, that of FIRST is put in its
 * place on the way.
 */
static void deliver_sealed(struct kunit *test, bool changed)
{
	struct world *w = test->priv;
	struct srnic_qp *qp = w->qp[A];
	struct srnic_pkt pkt = request(SRNIC_OPC_SEND_ONLY, number_of(SECOND), 0);
	u8 *body = kunit_kzalloc(test, SRNIC_HDR_MAX, GFP_KERNEL);
	unsigned int at, len;

	KUNIT_ASSERT_NOT_NULL(test, body);
	pkt.psn = w->qp[B]->resp.psn;
	pkt.sth_code = srnic_sth_code(qp->sth);
	pkt.pkey = SRNIC_PKEY;
	pkt.dqpn = qp->attr.dest_qp_num;
	len = seal_packet(test, qp, &pkt, body);
	at = srnic_sth_params(qp->sth)->mode == SRNIC_STH_OPAQUE ? pkt.sth_len : 0;
	if (changed)
		body[SRNIC_BTH_LEN + at + 3] ^= number_of(FIRST) ^ number_of(SECOND);
	lock(qp);
	KUNIT_EXPECT_EQ(test, srnic_build_frame(qp, body, len), 0);
	unlock(qp);
	deliver(test, take(test, A, false), B, NOW);
}

/* protocol.md, section 2: the XRCETH is an extension header like others */
static void P2_a_seal_covers_the_queue_that_a_request_names(struct kunit *test)
{
	struct world *w = test->priv;

	kfree(w->qp[B]->resp.rres);
	seal(test);
	make_xrc(test);
	give(test, FIRST, 8);
	give(test, SECOND, 8);
	deliver_sealed(test, true);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_sth_auth_failed), 1);
	expect_untouched(test, FIRST, 1);
	expect_untouched(test, SECOND, 1);
	deliver_sealed(test, false);
	expect_completion(test, SECOND, 0);
	expect_untouched(test, FIRST, 1);
}

static struct kunit_case xrc_cases[] = {
	KUNIT_CASE(a_message_is_received_from_the_queue_that_it_names),
	KUNIT_CASE(a_write_with_immediate_data_takes_a_receive_of_the_queue),
	KUNIT_CASE(R7_a_queue_of_another_domain_or_of_none_is_refused),
	KUNIT_CASE(all_packets_of_a_message_name_one_queue),
	KUNIT_CASE(a_long_message_keeps_its_queue),
	KUNIT_CASE(R7_memory_is_reached_through_a_queue_of_its_domain_only),
	KUNIT_CASE(an_answer_is_read_through_the_queue_of_its_request),
	KUNIT_CASE(R28_the_dma_key_serves_no_receive_of_a_process),
	KUNIT_CASE(a_message_ends_with_its_queue),
	KUNIT_CASE(the_other_queues_of_the_domain_stay),
	KUNIT_CASE(R12_a_read_is_not_answered_after_its_queue_has_gone),
	KUNIT_CASE(no_domain_gives_a_target_its_key),
	KUNIT_CASE(the_stream_of_a_request_is_found_without_a_change),
	KUNIT_CASE(queues_of_a_target_reach_pinned_memory_only),
	KUNIT_CASE(an_initiator_takes_no_requests_and_a_target_no_responses),
	KUNIT_CASE(a_message_is_acknowledged_on_the_way_if_another_follows),
	KUNIT_CASE(each_request_names_the_queue_of_its_work_request),
	KUNIT_CASE(a_work_request_completes_with_its_answer),
	KUNIT_CASE(work_requests_of_rc_only_fail),
	KUNIT_CASE_PARAM(P2_a_seal_covers_the_queue_that_a_request_names, sealed_gen),
	{}
};

static struct kunit_suite xrc_suite = {
	.name = "srnic-xrc",
	.init = xrc_test_init,
	.exit = xrc_test_exit,
	.test_cases = xrc_cases,
};

kunit_test_suite(xrc_suite);

MODULE_DESCRIPTION("KUnit suite of extended reliable connections");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
