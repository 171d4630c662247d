// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of selective recovery (protocol.md, section 2): the responder keeps requests that
 * arrive early, its NAK reports how many packets are missing, and the requester retransmits
 * only those. A sends to B.
 */
#include <linux/module.h>

#include "pair_fixture.h"
#include "engine/due.h"
#include "engine/backpressure.h"
#include "engine/reorder.h"
#include "engine/requester.h"

#define SQ_ENTRIES	16	/* entries of A's send queue */

static int reorder_test_init(struct kunit *test)
{
	struct world *w;
	int err = pair_init(test);

	if (err)
		return err;
	w = test->priv;
	pair_fill_sq(test, SQ_ENTRIES);
	w->dev->no_gso = true;
	return 0;
}

static void reorder_test_exit(struct kunit *test)
{
	struct world *w = test->priv;
	int end;

	for (end = A; w && end <= B; end++) {
		if (!w->qp[end])
			continue;
		lock(w->qp[end]);
		srnic_reorder_drop(w->qp[end], &w->qp[end]->req.early);
		srnic_reorder_drop(w->qp[end], &w->qp[end]->resp.early);
		unlock(w->qp[end]);
	}
	pair_exit(test);
}

/* Deliver @pkt as packet number @n of A to B, counted from A's oldest unacknowledged PSN. */
static void arrive_pkt(struct kunit *test, u32 n, struct srnic_pkt pkt)
{
	struct world *w = test->priv;

	pkt.psn = srnic_psn_add(w->qp[A]->req.una, n);
	pkt.sth_code = w->qp[A]->sth ? srnic_sth_code(w->qp[A]->sth) : 0;
	deliver(test, packet(test, A, &pkt, FAULT_NONE, false), B, NOW);
}

/* Deliver a packet of a WRITE, without payload, which needs no memory region. */
static void arrive_as(struct kunit *test, u32 n, u8 opcode)
{
	arrive_pkt(test, n, (struct srnic_pkt) { .opcode = opcode, .ackreq = true });
}

static void arrive(struct kunit *test, u32 n)
{
	arrive_as(test, n, SRNIC_OPC_WRITE_ONLY);
}

/* The same from a peer that understands reports of all gaps */
static void arrive_asking(struct kunit *test, u32 n)
{
	arrive_pkt(test, n, (struct srnic_pkt) {
		.opcode = SRNIC_OPC_WRITE_ONLY,
		.ackreq = true,
		.gap = SRNIC_GAP_UNDERSTOOD,
	});
}

/* Expect a NAK of B for packet number @n, with the code @gap of the number of missing packets. */
static void expect_nak(struct kunit *test, u32 n, u8 gap)
{
	struct world *w = test->priv;
	struct srnic_pkt pkt;

	KUNIT_ASSERT_TRUE(test, next_packet(test, B, &pkt));
	KUNIT_EXPECT_EQ(test, pkt.syndrome, SRNIC_AETH_NAK | SRNIC_NAK_PSN_SEQ);
	KUNIT_EXPECT_EQ(test, pkt.psn, srnic_psn_add(w->qp[A]->req.una, n));
	KUNIT_EXPECT_EQ(test, pkt.gap, gap);
}

/* Expect that B acknowledges all packets up to number @n. */
static void expect_ack(struct kunit *test, u32 n)
{
	struct world *w = test->priv;
	struct srnic_pkt pkt;

	KUNIT_ASSERT_FALSE(test, skb_queue_empty(&w->qp[B]->out));
	KUNIT_EXPECT_EQ_MSG(test, srnic_out_cb(skb_peek(&w->qp[B]->out))->kind, SRNIC_OUT_ACK,
			    "if a queue drops it, no answer is built again");
	KUNIT_ASSERT_TRUE(test, next_packet(test, B, &pkt));
	KUNIT_EXPECT_EQ(test, pkt.syndrome & SRNIC_AETH_TYPE, SRNIC_AETH_ACK);
	KUNIT_EXPECT_EQ(test, pkt.psn, srnic_psn_add(w->qp[A]->req.una, n));
	KUNIT_EXPECT_EQ(test, pkt.gap, 0);
}

/*
 * Expect that B acknowledges the packets before number @una and reports a later gap that begins
 * with packet number @n.
 */
static void expect_later_gap(struct kunit *test, u32 una, u32 n, u8 gap)
{
	struct world *w = test->priv;
	struct srnic_pkt pkt;

	KUNIT_ASSERT_TRUE(test, next_packet(test, B, &pkt));
	KUNIT_EXPECT_EQ(test, pkt.syndrome & SRNIC_AETH_TYPE, SRNIC_AETH_ACK);
	KUNIT_EXPECT_EQ(test, pkt.psn, srnic_psn_add(w->qp[A]->req.una, (int)una - 1));
	KUNIT_EXPECT_EQ(test, pkt.msn, srnic_psn_add(w->qp[A]->req.una, n));
	KUNIT_EXPECT_EQ(test, pkt.gap, gap);
}

/* Expect that B has executed @done requests and keeps @kept early ones. */
static void expect_state(struct kunit *test, u32 done, u32 kept)
{
	struct world *w = test->priv;

	KUNIT_EXPECT_EQ(test, w->qp[B]->resp.msn, done);
	KUNIT_EXPECT_EQ(test, w->qp[B]->resp.early.count, kept);
	KUNIT_EXPECT_EQ(test, atomic_read(&w->dev->early), kept);
}

/* -------------------------------------------------------------- responder */

static void a_gap_is_reported_once_and_what_lies_behind_is_kept(struct kunit *test)
{
	arrive(test, 0);
	expect_ack(test, 0);
	arrive(test, 2);
	expect_nak(test, 1, 1);
	arrive(test, 3);
	arrive(test, 5);
	expect_silence(test, B);
	expect_state(test, 1, 3);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_early_kept), 3);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_out_of_seq_request), 3);
}

static void a_gap_that_is_filled_lets_the_rest_follow_and_reports_the_next(struct kunit *test)
{
	arrive(test, 2);
	arrive(test, 3);
	arrive(test, 6);
	expect_nak(test, 0, 2);
	arrive(test, 0);
	expect_ack(test, 0);
	expect_state(test, 1, 3);
	arrive(test, 1);
	expect_nak(test, 4, 2);
	expect_state(test, 4, 1);
	arrive(test, 4);
	expect_ack(test, 4);
	arrive(test, 5);
	expect_ack(test, 6);
	expect_state(test, 7, 0);
}

static void a_second_loss_inside_a_gap_is_reported(struct kunit *test)
{
	arrive(test, 8);
	expect_nak(test, 0, 4);
	arrive(test, 0);
	expect_ack(test, 0);
	arrive(test, 3);
	expect_nak(test, 1, 2);
	arrive(test, 4);
	expect_silence(test, B);
	arrive(test, 1);
	arrive(test, 2);
	expect_ack(test, 1);
	expect_nak(test, 5, 3);
	expect_state(test, 5, 1);
}

static void early_packets_are_carried_out_in_order_whatever_their_own(struct kunit *test)
{
	static const u32 order[] = { 7, 3, 5, 1, 6, 3, 2, 4, 7, 0 };
	struct srnic_pkt pkt;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(order); i++)
		arrive(test, order[i]);
	while (next_packet(test, B, &pkt))
		;
	KUNIT_EXPECT_EQ(test, pkt.psn, srnic_psn_add(PSN, 7));
	KUNIT_EXPECT_EQ(test, pkt.syndrome & SRNIC_AETH_TYPE, SRNIC_AETH_ACK);
	expect_state(test, 8, 0);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_early_kept), 7);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_duplicate_request), 0);
}

static void the_code_of_a_gap_names_a_power_of_two(struct kunit *test)
{
	static const struct {
		u32 packets;
		u8 code;
	} gaps[] = { { 0, 0 }, { 1, 1 }, { 2, 2 }, { 3, 3 }, { 4, 3 }, { 5, 4 }, { 32, 6 },
		     { 33, 7 }, { 64, 7 }, { 65, 7 }, { 1 << 23, 7 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(gaps); i++) {
		KUNIT_EXPECT_EQ(test, srnic_gap_code(gaps[i].packets), gaps[i].code);
		KUNIT_EXPECT_GE(test, srnic_gap_packets(gaps[i].code),
				min(gaps[i].packets, SRNIC_GAP_MAX));
	}
	KUNIT_EXPECT_EQ(test, srnic_gap_packets(0), 0);
	KUNIT_EXPECT_EQ(test, srnic_gap_packets(7), SRNIC_GAP_MAX);
}

static void a_gap_longer_than_a_nak_can_tell_is_reported_in_parts(struct kunit *test)
{
	u32 i;

	arrive(test, SRNIC_GAP_MAX + 2);
	expect_nak(test, 0, 7);
	for (i = 0; i < SRNIC_GAP_MAX - 1; i++) {
		arrive(test, i);
		expect_ack(test, i);
	}
	arrive(test, SRNIC_GAP_MAX - 1);
	expect_nak(test, SRNIC_GAP_MAX, 2);
}

static void what_finds_no_room_is_dropped_and_the_nak_says_nothing_of_the_gap(struct kunit *test)
{
	struct world *w = test->priv;

	atomic_set(&w->dev->early, SRNIC_MAX_EARLY_ALL);
	arrive(test, 1);
	expect_nak(test, 0, 0);
	arrive(test, 2);
	expect_silence(test, B);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_early_dropped), 2);
	atomic_set(&w->dev->early, 0);
	arrive(test, 0);
	expect_ack(test, 0);
	expect_state(test, 1, 0);
}

static void R24_a_qp_keeps_no_more_than_its_share(struct kunit *test)
{
	struct world *w = test->priv;
	u32 i;

	for (i = 1; i <= SRNIC_MAX_EARLY + 3; i++)
		arrive(test, i);
	expect_nak(test, 0, 1);
	expect_silence(test, B);
	KUNIT_EXPECT_EQ(test, w->qp[B]->resp.early.count, SRNIC_MAX_EARLY);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_early_dropped), 3);
	arrive(test, 0);
	expect_ack(test, SRNIC_MAX_EARLY);
	expect_state(test, SRNIC_MAX_EARLY + 1, 0);
	arrive(test, SRNIC_MAX_EARLY + 2);
	expect_nak(test, SRNIC_MAX_EARLY + 1, 1);
}

static void what_lies_far_ahead_is_not_kept(struct kunit *test)
{
	arrive(test, 1 << 22);
	expect_nak(test, 0, 0);
	expect_state(test, 0, 0);
}

static void a_request_that_is_refused_takes_those_behind_it_along(struct kunit *test)
{
	struct srnic_pkt pkt;

	arrive_as(test, 1, SRNIC_OPC_WRITE_LAST);	/* no message has begun */
	arrive(test, 2);
	expect_nak(test, 0, 1);
	arrive(test, 0);
	KUNIT_ASSERT_TRUE(test, next_packet(test, B, &pkt));
	KUNIT_EXPECT_EQ(test, pkt.syndrome, SRNIC_AETH_NAK | SRNIC_NAK_INVALID_REQ);
	KUNIT_EXPECT_EQ(test, pkt.gap, 0);
	expect_state(test, 1, 0);
}

static void an_error_frees_what_was_kept(struct kunit *test)
{
	struct world *w = test->priv;

	arrive(test, 1);
	arrive(test, 2);
	expect_state(test, 0, 2);
	lock(w->qp[B]);
	srnic_qp_fatal(w->qp[B], -1);
	unlock(w->qp[B]);
	expect_state(test, 0, 0);
}

static void later_gaps_are_reported_to_a_peer_that_understands(struct kunit *test)
{
	arrive_asking(test, 0);
	expect_ack(test, 0);
	arrive_asking(test, 2);
	expect_nak(test, 1, 1);
	arrive_asking(test, 4);
	expect_later_gap(test, 1, 3, 1);
	arrive_asking(test, 8);
	expect_later_gap(test, 1, 5, 3);
	arrive_asking(test, 9);
	arrive_asking(test, 3);
	expect_silence(test, B);
	arrive_asking(test, 1);
	expect_ack(test, 4);
	arrive_asking(test, 5);
	arrive_asking(test, 6);
	arrive_asking(test, 7);
	expect_ack(test, 5);
	expect_ack(test, 6);
	expect_ack(test, 9);
	expect_silence(test, B);
	expect_state(test, 10, 0);
}

static void a_second_loss_inside_a_later_gap_is_reported(struct kunit *test)
{
	arrive_asking(test, 1);
	expect_nak(test, 0, 1);
	arrive_asking(test, 5);
	expect_later_gap(test, 0, 2, 3);
	arrive_asking(test, 4);
	expect_later_gap(test, 0, 2, 2);
	arrive_asking(test, 3);
	expect_later_gap(test, 0, 2, 1);
	arrive_asking(test, 2);
	expect_silence(test, B);
}

static void a_long_later_gap_is_reported_in_parts(struct kunit *test)
{
	u32 i;

	arrive_asking(test, 1);
	expect_nak(test, 0, 1);
	arrive_asking(test, SRNIC_GAP_MAX + 4);
	expect_later_gap(test, 0, 2, 7);
	for (i = 2; i < SRNIC_GAP_MAX + 1; i++)
		arrive_asking(test, i);
	expect_silence(test, B);
	arrive_asking(test, SRNIC_GAP_MAX + 1);
	expect_later_gap(test, 0, SRNIC_GAP_MAX + 2, 2);
}

/* IBA 9.7.4.1.1: a READ request takes the PSNs of its responses. */
static void behind_an_early_read_there_is_no_gap(struct kunit *test)
{
	arrive_pkt(test, 1, (struct srnic_pkt) {
		.opcode = SRNIC_OPC_READ_REQ,
		.dmalen = 3 * 4096,
		.gap = SRNIC_GAP_UNDERSTOOD,
	});
	expect_nak(test, 0, 1);
	arrive_asking(test, 4);
	expect_silence(test, B);
	arrive_asking(test, 6);
	expect_later_gap(test, 0, 5, 1);
}

/* More gaps than a turn reports: each of the others is reported when it is the first one. */
static void a_gap_that_was_not_reported_is_reported_when_it_is_the_first(struct kunit *test)
{
	struct world *w = test->priv;
	u32 i;

	w->qp[B]->tx_stopped = true;
	for (i = 1; i <= 2 * SRNIC_LATER_GAPS + 3; i += 2)
		arrive_asking(test, i);
	expect_silence(test, B);
	w->qp[B]->tx_stopped = false;
	arrive_asking(test, i - 1);
	expect_nak(test, 0, 1);
	for (i = 2; i <= 2 * SRNIC_LATER_GAPS; i += 2)
		expect_later_gap(test, 0, i, 1);
	expect_silence(test, B);
	for (i = 0; i <= 2 * SRNIC_LATER_GAPS; i += 2)
		arrive_asking(test, i);
	for (i = 1; i < 2 * SRNIC_LATER_GAPS; i += 2)
		expect_ack(test, i);
	expect_nak(test, 2 * SRNIC_LATER_GAPS + 2, 1);
}

/* -------------------------------------------------------------- requester */

/* Let A send all that it may. A clock tick ends a turn, so a turn may send nothing. */
static void run(struct kunit *test)
{
	struct world *w = test->priv;
	u32 turns;

	for (turns = 0; turns < 4 * SQ_ENTRIES; turns++) {
		lock(w->qp[A]);
		srnic_requester_run(w->qp[A]);
		unlock(w->qp[A]);
	}
}

static void allow_retries(struct srnic_qp *qp)
{
	qp->attr.retry_cnt = 7;
	qp->req.retry_left = 7;
}

/* Post @count WRITEs to A, let A send them, and lose all of them. */
static void send(struct kunit *test, u32 count)
{
	struct world *w = test->priv;
	struct srnic_pkt pkt;

	w->qp[A]->sq.prod += count;
	run(test);
	while (next_packet(test, A, &pkt))
		count--;
	KUNIT_EXPECT_EQ(test, count, 0);
}

static void nak(struct kunit *test, u32 psn, u8 gap)
{
	struct world *w = test->priv;
	struct srnic_pkt pkt = {
		.opcode = SRNIC_OPC_ACK,
		.psn = psn,
		.syndrome = SRNIC_AETH_NAK | SRNIC_NAK_PSN_SEQ,
		.gap = gap,
		.sth_code = w->qp[B]->sth ? srnic_sth_code(w->qp[B]->sth) : 0,
	};

	deliver(test, packet(test, B, &pkt, FAULT_NONE, false), A, NOW);
}

/* B reports a later gap that begins at @psn, and has received all up to @last. */
static void report_gap_after(struct kunit *test, u32 last, u32 psn, u8 gap)
{
	struct world *w = test->priv;
	struct srnic_pkt pkt = {
		.opcode = SRNIC_OPC_ACK,
		.psn = last,
		.syndrome = SRNIC_AETH_ACK | SRNIC_CREDIT_NONE,
		.msn = psn,
		.gap = gap,
		.sth_code = w->qp[B]->sth ? srnic_sth_code(w->qp[B]->sth) : 0,
	};

	deliver(test, packet(test, B, &pkt, FAULT_NONE, false), A, NOW);
}

static void report_gap(struct kunit *test, u32 psn, u8 gap)
{
	struct world *w = test->priv;

	report_gap_after(test, srnic_psn_add(w->qp[A]->req.una, -1), psn, gap);
}

/*
 * Expect that A sends @count packets from @psn on, and no more. The last one requests an
 * acknowledgment.
 */
static void expect_sent(struct kunit *test, u32 psn, u32 count)
{
	struct srnic_pkt pkt;
	u32 i;

	run(test);
	for (i = 0; i < count; i++) {
		KUNIT_ASSERT_TRUE(test, next_packet(test, A, &pkt));
		KUNIT_EXPECT_EQ(test, pkt.psn, srnic_psn_add(psn, i));
	}
	if (count)
		KUNIT_EXPECT_TRUE(test, pkt.ackreq);
	expect_silence(test, A);
}

/*
 * The response to a READ was lost, and an acknowledgment covers it, as after a duplicate of the
 * WRITE before it: the READ is requested again, once, and nothing is kept.
 */
static void an_acknowledgment_is_no_answer_to_a_read(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_qp *qp = w->qp[A];
	u32 read = srnic_psn_add(PSN, 1);
	struct srnic_pkt pkt;

	allow_retries(qp);
	qp->attr.max_rd_atomic = 1;
	srnic_sq_wqe(&qp->sq, 1)->opcode = SRNIC_WQE_READ;
	send(test, 2);
	report_gap_after(test, read, 0, 0);
	KUNIT_EXPECT_EQ(test, qp->req.una, read);
	KUNIT_EXPECT_EQ(test, qp->sq.cons, 1);
	KUNIT_EXPECT_EQ(test, qp->req.early.count, 0);
	KUNIT_ASSERT_TRUE(test, next_packet(test, A, &pkt));
	KUNIT_EXPECT_EQ(test, pkt.opcode, SRNIC_OPC_READ_REQ);
	KUNIT_EXPECT_EQ(test, pkt.psn, read);
	report_gap_after(test, read, 0, 0);
	run(test);
	expect_silence(test, A);
}

static void only_the_gap_is_sent_again(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_requester *req = &w->qp[A]->req;

	allow_retries(w->qp[A]);
	send(test, 10);
	nak(test, srnic_psn_add(PSN, 3), 2);
	expect_sent(test, srnic_psn_add(PSN, 3), 2);
	KUNIT_EXPECT_EQ(test, req->una, srnic_psn_add(PSN, 3));
	KUNIT_EXPECT_EQ(test, req->psn, srnic_psn_add(PSN, 10));
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_retransmits), 2);
	nak(test, srnic_psn_add(PSN, 3), 2);
	expect_sent(test, 0, 0);
	send(test, 1);
	nak(test, srnic_psn_add(PSN, 8), 7);
	expect_sent(test, srnic_psn_add(PSN, 8), 3);
}

static void a_peer_that_keeps_packets_is_asked_for_all_gaps(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_pkt pkt;

	allow_retries(w->qp[A]);
	w->qp[A]->sq.prod += 2;
	run(test);
	while (next_packet(test, A, &pkt))
		KUNIT_EXPECT_EQ_MSG(test, pkt.gap, 0, "a peer of any other kind sees a 0");
	nak(test, PSN, 0);
	run(test);
	while (next_packet(test, A, &pkt))
		KUNIT_EXPECT_EQ(test, pkt.gap, 0);
	nak(test, srnic_psn_add(PSN, 1), 1);
	run(test);
	KUNIT_ASSERT_TRUE(test, next_packet(test, A, &pkt));
	KUNIT_EXPECT_EQ(test, pkt.gap, SRNIC_GAP_UNDERSTOOD);
}

static void later_gaps_are_sent_again_and_cost_no_retry(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_requester *req = &w->qp[A]->req;

	allow_retries(w->qp[A]);
	send(test, 12);
	nak(test, srnic_psn_add(PSN, 1), 1);
	expect_sent(test, srnic_psn_add(PSN, 1), 1);
	report_gap(test, srnic_psn_add(PSN, 3), 1);
	expect_sent(test, srnic_psn_add(PSN, 3), 1);
	report_gap(test, srnic_psn_add(PSN, 6), 2);
	expect_sent(test, srnic_psn_add(PSN, 6), 2);
	KUNIT_EXPECT_EQ(test, req->retry_left, 6);
	KUNIT_EXPECT_EQ(test, req->una, srnic_psn_add(PSN, 1));
	KUNIT_EXPECT_EQ(test, req->psn, srnic_psn_add(PSN, 12));
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_retransmits), 4);
}

static void a_report_of_what_was_not_sent_or_has_arrived_changes_nothing(struct kunit *test)
{
	struct world *w = test->priv;
	u32 credit;

	allow_retries(w->qp[A]);
	send(test, 10);
	report_gap(test, srnic_psn_add(PSN, 3), 1);	/* no NAK has told that B keeps packets */
	nak(test, srnic_psn_add(PSN, 2), 1);
	expect_sent(test, srnic_psn_add(PSN, 2), 1);
	credit = w->qp[A]->req.cc.credit;
	report_gap(test, srnic_psn_add(PSN, 1), 1);
	report_gap(test, srnic_psn_add(PSN, 10), 1);
	report_gap(test, srnic_psn_add(PSN, 1 << 22), 7);
	report_gap(test, srnic_psn_add(PSN, 1 << 23), 7);
	report_gap_after(test, PSN, srnic_psn_add(PSN, 4), 1);	/* older than the NAK */
	expect_sent(test, 0, 0);
	KUNIT_EXPECT_EQ_MSG(test, w->qp[A]->req.cc.credit, credit, "none is taken");
	report_gap(test, srnic_psn_add(PSN, 8), 7);
	expect_sent(test, srnic_psn_add(PSN, 8), 2);
}

/* R25: a peer that reports gaps for ever gets twice what it acknowledges, and a window. */
static void reports_without_acknowledgments_end(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_pkt pkt;
	u32 i, sent = 0;

	allow_retries(w->qp[A]);
	send(test, 10);
	nak(test, srnic_psn_add(PSN, 1), 1);
	expect_sent(test, srnic_psn_add(PSN, 1), 1);
	for (i = 0; i < 400; i++) {
		report_gap(test, srnic_psn_add(PSN, 4), 3);
		while (next_packet(test, A, &pkt))
			sent++;
	}
	KUNIT_EXPECT_EQ(test, sent, 1024);
	nak(test, srnic_psn_add(PSN, 4), 1);
	expect_sent(test, srnic_psn_add(PSN, 4), 1);
	report_gap(test, srnic_psn_add(PSN, 6), 2);
	expect_sent(test, srnic_psn_add(PSN, 6), 2);
	report_gap(test, srnic_psn_add(PSN, 6), 2);
	expect_sent(test, 0, 0);
}

static void no_room(struct srnic_txq *txq)
{
}

/* The stack still holds more of A's bytes than its limit. */
static void a_gap_is_filled_though_the_window_waits_for_room(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_qp *qp = w->qp[A];
	struct sk_buff *skb;

	allow_retries(qp);
	send(test, 10);
	KUNIT_ASSERT_EQ(test, srnic_txq_group_init(&w->dev->txq_group), 0);
	KUNIT_ASSERT_EQ(test, srnic_txq_open(&qp->txq, &w->dev->txq_group, &init_net, no_room), 0);
	w->dev->txq_group.limit = SZ_16K;
	skb = alloc_skb(SZ_32K, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, skb);
	srnic_txq_charge(&qp->txq, skb);
	lock(qp);
	KUNIT_EXPECT_EQ(test, srnic_tx_allowance(qp), 0);
	unlock(qp);
	nak(test, srnic_psn_add(PSN, 3), 2);
	expect_sent(test, srnic_psn_add(PSN, 3), 2);
	KUNIT_EXPECT_EQ(test, qp->req.psn, srnic_psn_add(PSN, 10));
	kfree_skb(skb);
	srnic_txq_close(&qp->txq);
	synchronize_rcu();
	srnic_txq_group_exit(&w->dev->txq_group);
}

/* Else the timer of the probe sends everything again, an RTT after the gap was sent. */
static void a_reported_gap_settles_a_probe(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_probe *probe = &w->qp[A]->probe;

	allow_retries(w->qp[A]);
	send(test, 10);
	probe->waits = true;
	probe->suspect = true;
	probe->una = PSN;
	nak(test, PSN, 2);
	KUNIT_EXPECT_FALSE(test, probe->waits);
	KUNIT_EXPECT_FALSE(test, probe->suspect);
	expect_sent(test, PSN, 2);
}

/* The retransmitted packet may be lost, too: answers behind it are no samples of the path's RTT. */
static void a_probe_into_a_gap_that_was_filled_ends_the_timing_of_packets(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_qp *qp = w->qp[A];

	allow_retries(qp);
	send(test, 4);
	lock(qp);
	srnic_requester_probe(qp);
	unlock(qp);
	KUNIT_EXPECT_GT_MSG(test, qp->req.cc.stamps, 0, "nothing is known to be lost");
	expect_sent(test, PSN, 1);
	nak(test, PSN, 1);
	expect_sent(test, PSN, 1);
	KUNIT_EXPECT_EQ(test, qp->req.cc.stamps, 0);
	send(test, 4);
	KUNIT_EXPECT_GT(test, qp->req.cc.stamps, 0);
	lock(qp);
	srnic_requester_probe(qp);
	unlock(qp);
	KUNIT_EXPECT_EQ(test, qp->req.cc.stamps, 0);
}

/* A full queue has refused packets, and nothing is built until some have left. */
static void a_gap_is_not_sent_into_a_full_queue(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_qp *qp = w->qp[A];

	allow_retries(qp);
	send(test, 10);
	qp->tx_stopped = true;
	nak(test, srnic_psn_add(PSN, 3), 2);
	expect_silence(test, A);
	KUNIT_EXPECT_EQ(test, qp->req.psn, srnic_psn_add(PSN, 3));
	qp->tx_stopped = false;
}

static void a_responder_that_keeps_nothing_gets_all_again(struct kunit *test)
{
	struct world *w = test->priv;

	allow_retries(w->qp[A]);
	send(test, 10);
	nak(test, srnic_psn_add(PSN, 3), 0);
	expect_sent(test, srnic_psn_add(PSN, 3), 7);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_retransmits), 7);
}

static void a_gap_is_counted_against_the_retries(struct kunit *test)
{
	struct world *w = test->priv;

	send(test, 4);
	nak(test, PSN, 1);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_retry_exceeded_err), 1);
	expect_sent(test, 0, 0);
	KUNIT_EXPECT_EQ(test, w->qp[A]->state, IB_QPS_ERR);
}

/* A's netdev takes super-packets whole. */
static void allow_whole(struct kunit *test)
{
	struct world *w = test->priv;

	allow_retries(w->qp[A]);
	w->dev->ndev = w->ndev;
	w->ndev->features |= NETIF_F_GSO_UDP_L4;
	w->dev->no_gso = false;
}

/*
 * A's netdev takes super-packets whole; returns how many packets of the IP layer A sends. A slow
 * machine may end a turn after any packet, so where a super-packet begins is not known.
 */
static u32 send_whole(struct kunit *test, u32 count)
{
	struct world *w = test->priv;
	struct sk_buff *skb;
	u32 skbs = 0;

	allow_whole(test);
	w->qp[A]->sq.prod += count;
	run(test);
	while ((skb = __skb_dequeue(&w->qp[A]->out))) {
		kfree_skb(skb);
		skbs++;
	}
	return skbs;
}

/* Let A run a turn, and lose its packets. Return how many, if full super-packets have @most. */
static u32 expect_full_bursts(struct kunit *test, u32 most)
{
	struct world *w = test->priv;
	u32 packets = 0, skbs = 0;
	struct sk_buff *skb;

	lock(w->qp[A]);
	srnic_requester_run(w->qp[A]);
	unlock(w->qp[A]);
	while ((skb = __skb_dequeue(&w->qp[A]->out))) {
		packets += skb_shinfo(skb)->gso_segs ?: 1;
		skbs++;
		kfree_skb(skb);
	}
	KUNIT_EXPECT_EQ(test, skbs, DIV_ROUND_UP(packets, most));
	return packets;
}

static void all_super_packets_of_a_turn_are_full_but_the_last(struct kunit *test)
{
	struct world *w = test->priv;
	u32 sent = 0, turns;

	allow_whole(test);
	netif_set_tso_max_segs(w->ndev, 4);
	w->qp[A]->sq.prod += 15;
	for (turns = 0; turns < 4 * SQ_ENTRIES; turns++)
		sent += expect_full_bursts(test, 4);
	KUNIT_EXPECT_EQ(test, sent, 15);
}

static void a_gap_of_equal_requests_is_sent_again_as_one_super_packet(struct kunit *test)
{
	struct world *w = test->priv;
	struct sk_buff *skb;

	send_whole(test, 10);
	nak(test, srnic_psn_add(PSN, 3), 3);
	skb = __skb_dequeue(&w->qp[A]->out);
	KUNIT_ASSERT_NOT_NULL(test, skb);
	KUNIT_EXPECT_EQ(test, skb_shinfo(skb)->gso_segs, 4);
	kfree_skb(skb);
	expect_silence(test, A);
}

/* A sends the gap that begins with packet number @n as one super-packet; all of it is lost. */
static void lose_gap_of_four(struct kunit *test, u32 n)
{
	struct world *w = test->priv;

	nak(test, srnic_psn_add(PSN, n), 3);
	__skb_queue_purge(&w->qp[A]->out);
}

/* Issue 21.5: each super-packet loses all segments but the first, also those of a gap. */
static void super_packets_end_though_the_peer_keeps_what_arrives(struct kunit *test)
{
	struct world *w = test->priv;
	u32 flight;

	KUNIT_ASSERT_LT(test, send_whole(test, 12), 12);
	lose_gap_of_four(test, 0);
	for (flight = 1; flight <= 8; flight++) {
		KUNIT_EXPECT_FALSE(test, w->dev->no_gso);
		lose_gap_of_four(test, flight);
	}
	KUNIT_EXPECT_TRUE(test, w->dev->no_gso);
}

/* The same, with a peer that reports a gap once: probes tell how far it has come. */
static void a_probe_judges_the_super_packets_before_it(struct kunit *test)
{
	struct world *w = test->priv;
	u32 flight;

	send_whole(test, SQ_ENTRIES);
	lose_gap_of_four(test, 0);
	for (flight = 0; flight < 7; flight++) {
		KUNIT_EXPECT_FALSE(test, w->dev->no_gso);
		lose_gap_of_four(test, 2 * flight + 1);
		lock(w->qp[A]);
		w->qp[A]->req.una = srnic_psn_add(w->qp[A]->req.una, 1);
		srnic_requester_probe(w->qp[A]);
		unlock(w->qp[A]);
		__skb_queue_purge(&w->qp[A]->out);
	}
	KUNIT_EXPECT_TRUE(test, w->dev->no_gso);
}

static struct kunit_case reorder_cases[] = {
	KUNIT_CASE(a_gap_is_reported_once_and_what_lies_behind_is_kept),
	KUNIT_CASE(a_gap_that_is_filled_lets_the_rest_follow_and_reports_the_next),
	KUNIT_CASE(a_second_loss_inside_a_gap_is_reported),
	KUNIT_CASE(early_packets_are_carried_out_in_order_whatever_their_own),
	KUNIT_CASE(the_code_of_a_gap_names_a_power_of_two),
	KUNIT_CASE(a_gap_longer_than_a_nak_can_tell_is_reported_in_parts),
	KUNIT_CASE(what_finds_no_room_is_dropped_and_the_nak_says_nothing_of_the_gap),
	KUNIT_CASE(R24_a_qp_keeps_no_more_than_its_share),
	KUNIT_CASE(what_lies_far_ahead_is_not_kept),
	KUNIT_CASE(later_gaps_are_reported_to_a_peer_that_understands),
	KUNIT_CASE(a_second_loss_inside_a_later_gap_is_reported),
	KUNIT_CASE(a_long_later_gap_is_reported_in_parts),
	KUNIT_CASE(behind_an_early_read_there_is_no_gap),
	KUNIT_CASE(a_gap_that_was_not_reported_is_reported_when_it_is_the_first),
	KUNIT_CASE(a_request_that_is_refused_takes_those_behind_it_along),
	KUNIT_CASE(an_error_frees_what_was_kept),
	KUNIT_CASE(an_acknowledgment_is_no_answer_to_a_read),
	KUNIT_CASE(only_the_gap_is_sent_again),
	KUNIT_CASE(a_peer_that_keeps_packets_is_asked_for_all_gaps),
	KUNIT_CASE(later_gaps_are_sent_again_and_cost_no_retry),
	KUNIT_CASE(a_report_of_what_was_not_sent_or_has_arrived_changes_nothing),
	KUNIT_CASE(reports_without_acknowledgments_end),
	KUNIT_CASE(a_gap_is_filled_though_the_window_waits_for_room),
	KUNIT_CASE(a_probe_into_a_gap_that_was_filled_ends_the_timing_of_packets),
	KUNIT_CASE(a_gap_is_not_sent_into_a_full_queue),
	KUNIT_CASE(a_reported_gap_settles_a_probe),
	KUNIT_CASE(a_responder_that_keeps_nothing_gets_all_again),
	KUNIT_CASE(a_gap_is_counted_against_the_retries),
	KUNIT_CASE(all_super_packets_of_a_turn_are_full_but_the_last),
	KUNIT_CASE(a_gap_of_equal_requests_is_sent_again_as_one_super_packet),
	KUNIT_CASE(super_packets_end_though_the_peer_keeps_what_arrives),
	KUNIT_CASE(a_probe_judges_the_super_packets_before_it),
	{}
};

static struct kunit_suite reorder_suite = {
	.name = "srnic-reorder",
	.init = reorder_test_init,
	.exit = reorder_test_exit,
	.test_cases = reorder_cases,
};

kunit_test_suite(reorder_suite);

MODULE_IMPORT_NS(SRNIC_KUNIT);
MODULE_DESCRIPTION("KUnit suite of selective recovery");
MODULE_LICENSE("GPL");
