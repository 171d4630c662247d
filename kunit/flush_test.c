// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of FLUSH and ATOMIC WRITE (IBA A19): rights, bounds, order, duplicates and limits of
 * the responder, and the requester's packets and completions. A sends to B.
 */
#include <linux/module.h>
#include <linux/sizes.h>

#include "pair_fixture.h"
#include "engine/requester.h"
#include "engine/responder.h"
#include "engine/write_back.h"
#include "sth/crypto.h"

#define IOVA		0x7f0000000000ULL
#define LENGTH		(SZ_1M + SZ_4K)
#define DEPTH		4	/* max_dest_rd_atomic of B */
#define SQ_ENTRIES	4
#define FLUSH_RIGHTS	(IB_ACCESS_FLUSH_GLOBAL | IB_ACCESS_FLUSH_PERSISTENT)
#define ALL_RIGHTS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | FLUSH_RIGHTS)

/* B's domain and region; the latter has one block */
static struct srnic_pd pd;
static struct srnic_mr *mr;
static u8 *memory;

static void flush_region_init(struct kunit *test)
{
	struct world *w = test->priv;

	memset(&pd, 0, sizeof(pd));
	spin_lock_init(&pd.lock);
	pd.ib.device = &w->dev->ib;
	mr = kunit_kzalloc(test, sizeof(*mr), GFP_KERNEL);
	memory = kunit_kzalloc(test, LENGTH, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, mr);
	KUNIT_ASSERT_NOT_NULL(test, memory);

	srnic_stag_init(&mr->stag, SRNIC_STAG_USER, &pd);
	mr->stag.mr = mr;
	KUNIT_ASSERT_EQ(test, srnic_map_alloc(&mr->map, 1), 0);
	mr->map.blocks[0] = memory;
	mr->map.count = 1;
	mr->map.shift = 21;
	mr->stag.iova = IOVA;
	mr->stag.length = LENGTH;
	mr->stag.access = ALL_RIGHTS;
	KUNIT_ASSERT_EQ(test, srnic_stag_insert(w->dev, &mr->stag), 0);
	srnic_stag_publish(&mr->stag);
}

static int flush_test_init(struct kunit *test)
{
	struct srnic_qp *qp;
	struct world *w;
	int err = pair_init(test);

	mr = NULL;
	if (err)
		return err;
	w = test->priv;
	w->dev->no_gso = true;
	KUNIT_ASSERT_EQ(test, srnic_stag_table_init(w->dev), 0);
	flush_region_init(test);
	pair_make_sq(test, SQ_ENTRIES, sizeof(struct srnic_abi_sge))->max_sge = 1;
	qp = w->qp[B];
	qp->mem.pd = &pd;
	INIT_LIST_HEAD(&qp->mem.stags);
	qp->attr.qp_access_flags = ALL_RIGHTS;
	qp->attr.max_dest_rd_atomic = DEPTH;
	w->qp[A]->attr.max_rd_atomic = DEPTH;
	return srnic_rres_resize(qp);
}

static void flush_test_exit(struct kunit *test)
{
	struct world *w = test->priv;

	if (mr) {
		srnic_stag_quiesce(&mr->stag);
		srnic_stag_remove(w->dev, &mr->stag);
		srnic_map_release(&mr->map);
		synchronize_rcu();
		srnic_stag_table_exit(w->dev);
	}
	if (w && w->qp[B])
		kfree(w->qp[B]->resp.rres);
	pair_exit(test);
}

/* --------------------------------------------------------------- requests */

static struct srnic_pkt flush_of(u64 va, u32 len, u32 feth)
{
	return (struct srnic_pkt) {
		.opcode = SRNIC_OPC_FLUSH, .va = va, .dmalen = len, .feth = feth,
		.rkey = mr->stag.key,
	};
}

static struct srnic_pkt write_of(u64 va, u64 *value)
{
	return (struct srnic_pkt) {
		.opcode = SRNIC_OPC_ATOMIC_WRITE, .va = va, .dmalen = sizeof(*value),
		.rkey = mr->stag.key, .payload = (u8 *)value, .payload_len = sizeof(*value),
	};
}

/* Let B do one turn of its replies, as its worker does. */
static void reply_more(struct kunit *test)
{
	struct world *w = test->priv;

	lock(w->qp[B]);
	srnic_reply_run(w->qp[B]);
	unlock(w->qp[B]);
}

/* A clock tick ends a turn, so a turn may send nothing. */
static void reply_all(struct kunit *test)
{
	u32 turns;

	for (turns = 0; turns < 8; turns++)
		reply_more(test);
}

/* Let B receive @pkt at @psn. It replies if @reply, as at the end of a burst. */
static void receive_at(struct kunit *test, struct srnic_pkt pkt, u32 psn, bool reply)
{
	struct world *w = test->priv;
	struct srnic_qp *qp = w->qp[B];
	struct srnic_mem_cache cache = {};

	pkt.opc = &srnic_opcode_table[pkt.opcode];
	pkt.ends = &qp->path.ends;
	pkt.psn = psn & SRNIC_PSN_MASK;
	lock(qp);
	srnic_responder_rx(qp, &pkt, &cache);
	srnic_mem_cache_drop(&cache);
	unlock(qp);
	if (reply)
		reply_all(test);
}

static void receive(struct kunit *test, struct srnic_pkt pkt)
{
	struct world *w = test->priv;

	receive_at(test, pkt, w->qp[B]->resp.psn, true);
}

/* IBA A19: a READ response without payload answers both operations. */
static void expect_answer(struct kunit *test, u32 psn)
{
	struct srnic_pkt pkt;

	KUNIT_ASSERT_TRUE(test, next_packet(test, B, &pkt));
	KUNIT_EXPECT_EQ(test, pkt.opcode, 0x10);
	KUNIT_EXPECT_EQ(test, pkt.payload_len, 0);
	KUNIT_EXPECT_EQ(test, pkt.syndrome & SRNIC_AETH_TYPE, SRNIC_AETH_ACK);
	KUNIT_EXPECT_EQ(test, pkt.psn, psn & SRNIC_PSN_MASK);
}

/* Expect a NAK that ends the connection, and begin a new one with the same QPs. */
static void expect_nak(struct kunit *test, enum srnic_nak code)
{
	struct world *w = test->priv;
	struct srnic_qp *qp = w->qp[B];
	struct srnic_pkt pkt;

	KUNIT_ASSERT_TRUE(test, next_packet(test, B, &pkt));
	KUNIT_EXPECT_EQ(test, pkt.syndrome, SRNIC_AETH_NAK | code);
	KUNIT_EXPECT_EQ(test, pkt.psn, qp->resp.psn);
	KUNIT_EXPECT_EQ(test, qp->state, IB_QPS_ERR);
	lock(qp);
	qp->state = IB_QPS_RTS;
	memset(&qp->resp.nak, 0, sizeof(qp->resp.nak));
	unlock(qp);
}

static void expect_executed(struct kunit *test, struct srnic_pkt pkt)
{
	struct world *w = test->priv;
	u32 psn = w->qp[B]->resp.psn;

	receive(test, pkt);
	expect_answer(test, psn);
	KUNIT_EXPECT_EQ(test, w->qp[B]->resp.psn, srnic_psn_add(psn, 1));
}

static void expect_refused(struct kunit *test, struct srnic_pkt pkt, enum srnic_nak code)
{
	receive(test, pkt);
	expect_nak(test, code);
	expect_silence(test, B);
}

static void expect_word(struct kunit *test, u32 at, u64 want)
{
	u64 word;

	memcpy(&word, memory + at, sizeof(word));
	KUNIT_EXPECT_EQ(test, word, want);
}

/* ------------------------------------------------------------ responder */

static void R16_a_flush_needs_the_rights_of_the_qp_and_of_the_key(struct kunit *test)
{
	struct world *w = test->priv;
	u32 types, qp, key;

	for (types = 1; types <= 3; types++)
		for (qp = 0; qp <= 3; qp++)
			for (key = 0; key <= 3; key++) {
				struct srnic_pkt pkt = flush_of(IOVA, 64, types);

				w->qp[B]->attr.qp_access_flags = qp << 8;
				mr->stag.access = key << 8;
				if (types & ~qp)
					expect_refused(test, pkt, SRNIC_NAK_INVALID_REQ);
				else if (types & ~key)
					expect_refused(test, pkt, SRNIC_NAK_REM_ACCESS);
				else
					expect_executed(test, pkt);
			}
}

static void a_flush_of_no_type_or_with_reserved_bits_is_refused(struct kunit *test)
{
	u32 bit;

	expect_refused(test, flush_of(IOVA, 64, 0), SRNIC_NAK_INVALID_REQ);
	expect_refused(test, flush_of(IOVA, 64, 1 << 4), SRNIC_NAK_INVALID_REQ);
	for (bit = 2; bit < 32; bit++) {
		if (bit == 4)
			continue;
		expect_refused(test, flush_of(IOVA, 64, 1 | BIT(bit)), SRNIC_NAK_INVALID_REQ);
	}
	expect_executed(test, flush_of(IOVA, 64, 0x11));
}

static void R10_a_flush_is_for_bytes_of_the_region(struct kunit *test)
{
	static const u32 types[] = { 1, 2 };
	int i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		u32 type = types[i];

		expect_executed(test, flush_of(IOVA + LENGTH - 1, 1, type));
		expect_executed(test, flush_of(IOVA + LENGTH, 0, type));
		expect_refused(test, flush_of(IOVA + LENGTH, 1, type), SRNIC_NAK_REM_ACCESS);
		expect_refused(test, flush_of(IOVA - 1, 2, type), SRNIC_NAK_REM_ACCESS);
		expect_refused(test, flush_of(IOVA - 1, 0, type), SRNIC_NAK_REM_ACCESS);
		expect_refused(test, flush_of(IOVA + 1, LENGTH, type), SRNIC_NAK_REM_ACCESS);
		expect_refused(test, flush_of(IOVA, U32_MAX, type), SRNIC_NAK_REM_ACCESS);
	}
	/* the fields of the RETH mean nothing */
	expect_executed(test, flush_of(0, U32_MAX, SRNIC_FETH_GLOBAL | SRNIC_FETH_REGION));
}

static void R7_R9_a_flush_needs_a_key_of_its_domain(struct kunit *test)
{
	static const u32 levels[] = { 0, SRNIC_FETH_REGION };
	struct srnic_pd other = { .ib.device = pd.ib.device };
	int i;

	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		struct srnic_pkt pkt = flush_of(IOVA, 64, SRNIC_FETH_GLOBAL | levels[i]);

		mr->stag.pd = &other;
		expect_refused(test, pkt, SRNIC_NAK_REM_ACCESS);
		mr->stag.pd = &pd;
		pkt.rkey ^= 0x100;
		expect_refused(test, pkt, SRNIC_NAK_REM_ACCESS);
		pkt.rkey ^= 0x101;
		expect_refused(test, pkt, SRNIC_NAK_REM_ACCESS);
	}
}

static void an_atomic_write_writes_its_word_and_nothing_else(struct kunit *test)
{
	u64 value = 0x1122334455667788;

	memset(memory, 0xee, 64);
	expect_executed(test, write_of(IOVA + 16, &value));
	expect_word(test, 16, value);
	KUNIT_EXPECT_NULL(test, memchr_inv(memory, 0xee, 16));
	KUNIT_EXPECT_NULL(test, memchr_inv(memory + 24, 0xee, 40));
}

static void an_atomic_write_has_eight_bytes(struct kunit *test)
{
	static const u16 lens[] = { 0, 1, 4, 7, 9, 12, 16, 4096 };
	u64 *value = kunit_kzalloc(test, SZ_4K, GFP_KERNEL);
	struct srnic_pkt pkt = write_of(IOVA, value);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, value);
	memset(memory, 0xee, 64);
	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		pkt = write_of(IOVA, value);
		pkt.payload_len = lens[i];
		expect_refused(test, pkt, SRNIC_NAK_INVALID_REQ);
		pkt.dmalen = lens[i];
		expect_refused(test, pkt, SRNIC_NAK_INVALID_REQ);
		pkt.payload_len = sizeof(u64);
		expect_refused(test, pkt, SRNIC_NAK_INVALID_REQ);
	}
	KUNIT_EXPECT_NULL(test, memchr_inv(memory, 0xee, 64));
}

static void R10_R16_an_atomic_write_needs_rights_to_an_aligned_word(struct kunit *test)
{
	struct world *w = test->priv;
	u64 value = 1;
	int i;

	memset(memory, 0xee, LENGTH);
	for (i = 1; i < 8; i++)
		expect_refused(test, write_of(IOVA + i, &value), SRNIC_NAK_INVALID_REQ);
	expect_refused(test, write_of(IOVA + LENGTH, &value), SRNIC_NAK_REM_ACCESS);
	expect_refused(test, write_of(IOVA - 8, &value), SRNIC_NAK_REM_ACCESS);
	mr->stag.access = ALL_RIGHTS & ~IB_ACCESS_REMOTE_WRITE;
	expect_refused(test, write_of(IOVA, &value), SRNIC_NAK_REM_ACCESS);
	mr->stag.access = ALL_RIGHTS;
	w->qp[B]->attr.qp_access_flags = ALL_RIGHTS & ~IB_ACCESS_REMOTE_WRITE;
	expect_refused(test, write_of(IOVA, &value), SRNIC_NAK_INVALID_REQ);
	KUNIT_EXPECT_NULL(test, memchr_inv(memory, 0xee, LENGTH));
}

/* A zero-based region for writes may begin anywhere in a page. */
static void a_word_that_is_misaligned_in_memory_is_refused(struct kunit *test)
{
	u64 value = 1;

	memset(memory, 0xee, 64);
	mr->stag.iova = 0;
	mr->stag.offset = 12;
	mr->stag.length = 64;
	expect_refused(test, write_of(8, &value), SRNIC_NAK_INVALID_REQ);
	KUNIT_EXPECT_NULL(test, memchr_inv(memory, 0xee, 64));
	mr->stag.offset = 16;
	expect_executed(test, write_of(8, &value));
	expect_word(test, 24, value);
}

static void an_atomic_write_is_executed_once(struct kunit *test)
{
	struct world *w = test->priv;
	u32 psn = w->qp[B]->resp.psn;
	u64 value = 1, later = 2;

	expect_executed(test, write_of(IOVA, &value));
	memcpy(memory, &later, sizeof(later));
	receive_at(test, write_of(IOVA, &value), psn, true);
	expect_answer(test, psn);
	expect_word(test, 0, later);
	/* not the same request */
	receive_at(test, write_of(IOVA + 8, &value), psn, true);
	receive_at(test, flush_of(IOVA, 64, 1), psn, true);
	expect_silence(test, B);
	expect_word(test, 8, 0);
}

static void a_flush_is_answered_again(struct kunit *test)
{
	struct world *w = test->priv;
	u32 psn = w->qp[B]->resp.psn;

	expect_executed(test, flush_of(IOVA, 64, 3));
	/* it has been executed: no right is needed any more */
	mr->stag.access = 0;
	receive_at(test, flush_of(IOVA, 64, 3), psn, true);
	expect_answer(test, psn);
	receive_at(test, flush_of(IOVA + 64, 64, 3), psn, true);
	expect_silence(test, B);
}

static void R24_no_more_are_outstanding_than_modify_qp_allows(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_qp *qp = w->qp[B];
	u32 psn = qp->resp.psn;
	u64 value = 1;
	int i;

	for (i = 0; i < DEPTH; i++)
		receive_at(test, flush_of(IOVA, 64, 1), qp->resp.psn, false);
	/* one FLUSH too many counts as lost, because rxe does not count them */
	receive_at(test, flush_of(IOVA, 64, 1), qp->resp.psn, false);
	KUNIT_EXPECT_EQ(test, qp->resp.psn, srnic_psn_add(psn, DEPTH));
	KUNIT_EXPECT_FALSE(test, qp->resp.nak.fatal);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_flush_waits), 1);
	receive_at(test, write_of(IOVA, &value), qp->resp.psn, true);
	for (i = 0; i < DEPTH; i++)
		expect_answer(test, psn + i);
	expect_nak(test, SRNIC_NAK_INVALID_REQ);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_rrq_exceeded), 1);
	expect_word(test, 0, 0);

	qp->resp.rres_limit = 0;
	expect_refused(test, flush_of(IOVA, 64, 1), SRNIC_NAK_INVALID_REQ);
	expect_refused(test, write_of(IOVA, &value), SRNIC_NAK_INVALID_REQ);
}

static void nothing_overtakes_a_long_flush(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_qp *qp = w->qp[B];
	u32 turns = 0, psn = qp->resp.psn;
	u64 value = 1;

	receive_at(test, flush_of(IOVA, LENGTH, 2), psn, false);
	KUNIT_EXPECT_TRUE_MSG(test, qp->resp.replay, "the worker goes on");
	receive_at(test, write_of(IOVA, &value), qp->resp.psn, false);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_flush_waits), 1);
	for (; qp->resp.flushing && turns < 100; turns++) {
		expect_silence(test, B);
		receive_at(test, write_of(IOVA, &value), qp->resp.psn, false);
		expect_word(test, 0, 0);
		reply_more(test);
	}
	KUNIT_EXPECT_GE(test, turns, LENGTH / SZ_64K);
	KUNIT_EXPECT_EQ(test, qp->resp.psn, srnic_psn_add(psn, 1));
	expect_answer(test, psn);
	expect_executed(test, write_of(IOVA, &value));
	expect_word(test, 0, value);
}

static void a_long_flush_whose_answer_was_lost_is_finished_first(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_qp *qp = w->qp[B];
	u32 i, psn = qp->resp.psn;

	receive_at(test, flush_of(0, 0, SRNIC_FETH_PERSISTENT | SRNIC_FETH_REGION), psn, false);
	/* as if there were no memory for the answer */
	lock(qp);
	srnic_rres_answered(qp, &qp->resp.rres[0]);
	unlock(qp);
	KUNIT_EXPECT_TRUE(test, qp->resp.flushing);
	receive_at(test, flush_of(0, 0, SRNIC_FETH_PERSISTENT | SRNIC_FETH_REGION), psn, false);
	KUNIT_EXPECT_TRUE(test, qp->resp.replay);
	for (i = 0; qp->resp.flushing && i < 100; i++)
		reply_more(test);
	KUNIT_EXPECT_GE(test, i, LENGTH / SZ_64K);
	expect_answer(test, psn);
	KUNIT_EXPECT_EQ(test, qp->resp.rres[0].flushed, LENGTH);
}

static void R12_a_region_that_goes_ends_its_flush(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_qp *qp = w->qp[B];
	struct srnic_pkt pkt;

	receive_at(test, flush_of(IOVA, LENGTH, 2), qp->resp.psn, false);
	srnic_stag_quiesce(&mr->stag);
	reply_all(test);
	KUNIT_ASSERT_TRUE(test, next_packet(test, B, &pkt));
	KUNIT_EXPECT_EQ(test, pkt.syndrome, SRNIC_AETH_NAK | SRNIC_NAK_REM_ACCESS);
	KUNIT_EXPECT_EQ(test, qp->state, IB_QPS_ERR);
	expect_silence(test, B);
}

static void P9_protected_memory_demands_proofs(struct kunit *test)
{
	struct srnic_pkt pkts[2];
	u64 value = 1;
	int i;

	mr->stag.checks = SRNIC_CHECK_PROOF;
	mr->stag.mkeys = kunit_kcalloc(test, SRNIC_RIGHTS, sizeof(*mr->stag.mkeys), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, mr->stag.mkeys);
	pkts[0] = flush_of(IOVA, 64, 1);
	pkts[1] = write_of(IOVA, &value);
	for (i = 0; i < 2; i++) {
		expect_refused(test, pkts[i], SRNIC_NAK_REM_ACCESS);
		expect_word(test, 0, 0);
		pkts[i].proved = true;
		expect_executed(test, pkts[i]);
	}
	/* no proof covers a whole region */
	pkts[0] = flush_of(IOVA, LENGTH, SRNIC_FETH_GLOBAL | SRNIC_FETH_REGION);
	pkts[0].proved = true;
	expect_refused(test, pkts[0], SRNIC_NAK_REM_ACCESS);
}

/* ------------------------------------------------------------ requester */

static struct srnic_swqe *post(struct kunit *test, enum srnic_wqe_opcode opcode)
{
	struct world *w = test->priv;
	struct srnic_sq *sq = &w->qp[A]->sq;
	struct srnic_swqe *wqe = srnic_sq_wqe(sq, sq->prod);

	memset(wqe, 0, sq->stride);
	wqe->opcode = opcode;
	wqe->raddr = IOVA + 8;
	wqe->rkey = mr->stag.key;
	if (opcode == SRNIC_WQE_FLUSH) {
		wqe->flush.length = 24;
		wqe->flush.types = SRNIC_FETH_PERSISTENT;
	} else {
		wqe->flags = SRNIC_SWQE_INLINE;
		wqe->length = sizeof(u64);
		wqe->word = 0x0102030405060708;
	}
	sq->prod++;
	return wqe;
}

static void requests_are_those_of_the_specification(struct kunit *test)
{
	static const u8 want[] = {
		0, 0, 0, 0x02,						/* FETH */
		0, 0, 0x7f, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 24,	/* RETH, rkey below */
	};
	struct world *w = test->priv;
	struct srnic_pkt pkt;
	struct sk_buff *skb;
	u64 word;

	post(test, SRNIC_WQE_FLUSH);
	post(test, SRNIC_WQE_FLUSH)->flush.level = 1;
	post(test, SRNIC_WQE_ATOMIC_WRITE);
	pair_send(test, 4 * SQ_ENTRIES);
	skb = take(test, A, false);
	KUNIT_ASSERT_NOT_NULL(test, skb);
	KUNIT_EXPECT_EQ(test, udp_payload(skb)[0], 0x1c);
	put_unaligned_be32(0, udp_payload(skb) + 24);
	KUNIT_EXPECT_MEMEQ(test, udp_payload(skb) + 12, want, sizeof(want));
	KUNIT_EXPECT_EQ(test, skb->len, 20 + 8 + 12 + 4 + 16 + 4);
	kfree_skb(skb);

	KUNIT_ASSERT_TRUE(test, next_packet(test, A, &pkt));
	KUNIT_EXPECT_EQ(test, pkt.feth, 0x12);
	KUNIT_EXPECT_EQ(test, pkt.psn, srnic_psn_add(w->qp[A]->req.una, 1));

	skb = take(test, A, false);
	KUNIT_ASSERT_NOT_NULL(test, skb);
	KUNIT_EXPECT_EQ(test, udp_payload(skb)[0], 0x1d);
	memcpy(&word, udp_payload(skb) + 28, sizeof(word));
	KUNIT_EXPECT_EQ(test, word, 0x0102030405060708);
	KUNIT_EXPECT_EQ(test, skb->len, 20 + 8 + 12 + 16 + 8 + 4);
	kfree_skb(skb);
}

static void a_request_completes_with_its_answer(struct kunit *test)
{
	static const enum srnic_wqe_opcode opcodes[] = { SRNIC_WQE_FLUSH, SRNIC_WQE_ATOMIC_WRITE };
	struct world *w = test->priv;
	struct srnic_qp *qp = w->qp[A];
	int i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		post(test, opcodes[i]);
		pair_send(test, 4 * SQ_ENTRIES);
		KUNIT_EXPECT_EQ(test, qp->req.rd_atomic, 1);
		/* an acknowledgment is no answer */
		deliver(test, packet(test, B, &(struct srnic_pkt) {
			.opcode = SRNIC_OPC_ACK, .syndrome = SRNIC_CREDIT_NONE,
			.psn = qp->req.una }, FAULT_NONE, false), A, NOW);
		KUNIT_EXPECT_EQ(test, qp->sq.cons, i);
		deliver(test, take(test, A, false), B, NOW);
		KUNIT_EXPECT_EQ(test, qp->sq.cons, i);
		deliver(test, take(test, B, false), A, NOW);
		KUNIT_EXPECT_EQ(test, qp->sq.cons, i + 1);
		KUNIT_EXPECT_EQ(test, qp->req.rd_atomic, 0);
		__skb_queue_purge(&qp->out);
	}
	expect_word(test, 8, 0x0102030405060708);
}

static void no_more_are_sent_than_the_peer_takes(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_pkt pkt;

	w->qp[A]->attr.max_rd_atomic = 1;
	post(test, SRNIC_WQE_ATOMIC_WRITE);
	post(test, SRNIC_WQE_FLUSH);
	pair_send(test, 4 * SQ_ENTRIES);
	KUNIT_EXPECT_TRUE(test, next_packet(test, A, &pkt));
	expect_silence(test, A);
}

static void malformed_work_requests_fail(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_qp *qp = w->qp[A];
	struct srnic_swqe *wqe = post(test, SRNIC_WQE_FLUSH);

	lock(qp);
	KUNIT_EXPECT_EQ(test, srnic_wqe_check(qp, wqe), IB_WC_SUCCESS);
	wqe->flush.types = 0;
	KUNIT_EXPECT_EQ(test, srnic_wqe_check(qp, wqe), IB_WC_LOC_QP_OP_ERR);
	wqe->flush.types = 4;
	KUNIT_EXPECT_EQ(test, srnic_wqe_check(qp, wqe), IB_WC_LOC_QP_OP_ERR);
	wqe->flush.types = 3;
	wqe->flush.level = 2;
	KUNIT_EXPECT_EQ(test, srnic_wqe_check(qp, wqe), IB_WC_LOC_QP_OP_ERR);
	wqe->flush.level = 1;
	wqe->flags = SRNIC_SWQE_INLINE;
	KUNIT_EXPECT_EQ(test, srnic_wqe_check(qp, wqe), IB_WC_LOC_QP_OP_ERR);

	wqe = post(test, SRNIC_WQE_ATOMIC_WRITE);
	KUNIT_EXPECT_EQ(test, srnic_wqe_check(qp, wqe), IB_WC_SUCCESS);
	wqe->flags = 0;
	wqe->length = 9;
	KUNIT_EXPECT_EQ(test, srnic_wqe_check(qp, wqe), IB_WC_LOC_LEN_ERR);
	wqe->length = 8;
	qp->attr.max_rd_atomic = 0;
	KUNIT_EXPECT_EQ(test, srnic_wqe_check(qp, wqe), IB_WC_LOC_QP_OP_ERR);
	qp->attr.max_rd_atomic = 1;
	qp->ib.qp_type = IB_QPT_UC;
	KUNIT_EXPECT_EQ(test, srnic_wqe_check(qp, wqe), IB_WC_LOC_QP_OP_ERR);
	unlock(qp);
}

static struct kunit_case flush_cases[] = {
	KUNIT_CASE(R16_a_flush_needs_the_rights_of_the_qp_and_of_the_key),
	KUNIT_CASE(a_flush_of_no_type_or_with_reserved_bits_is_refused),
	KUNIT_CASE(R10_a_flush_is_for_bytes_of_the_region),
	KUNIT_CASE(R7_R9_a_flush_needs_a_key_of_its_domain),
	KUNIT_CASE(an_atomic_write_writes_its_word_and_nothing_else),
	KUNIT_CASE(an_atomic_write_has_eight_bytes),
	KUNIT_CASE(R10_R16_an_atomic_write_needs_rights_to_an_aligned_word),
	KUNIT_CASE(a_word_that_is_misaligned_in_memory_is_refused),
	KUNIT_CASE(an_atomic_write_is_executed_once),
	KUNIT_CASE(a_flush_is_answered_again),
	KUNIT_CASE(R24_no_more_are_outstanding_than_modify_qp_allows),
	KUNIT_CASE(nothing_overtakes_a_long_flush),
	KUNIT_CASE(a_long_flush_whose_answer_was_lost_is_finished_first),
	KUNIT_CASE(R12_a_region_that_goes_ends_its_flush),
	KUNIT_CASE(P9_protected_memory_demands_proofs),
	KUNIT_CASE(requests_are_those_of_the_specification),
	KUNIT_CASE(a_request_completes_with_its_answer),
	KUNIT_CASE(no_more_are_sent_than_the_peer_takes),
	KUNIT_CASE(malformed_work_requests_fail),
	{}
};

static struct kunit_suite flush_suite = {
	.name = "srnic-flush",
	.init = flush_test_init,
	.exit = flush_test_exit,
	.test_cases = flush_cases,
};

kunit_test_suite(flush_suite);

MODULE_DESCRIPTION("KUnit suite of FLUSH and ATOMIC WRITE");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
