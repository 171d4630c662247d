// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of explicit congestion notification: two connected QPs get each other's
 * packets, with and without a CE mark.
 */
#include <linux/module.h>

#include "pair_fixture.h"

#define APART		(50 * NSEC_PER_USEC)	/* least time between CNPs: DCQCN's N */

/* The CNP that B sends to A, from BTH to ICRC (IBA A17.9.3); zlib computed the ICRC. */
static const u8 cnp_by_hand[] = {
	0x81, 0x00, 0xff, 0xff, 0x40, 0x12, 0x34, 0x56, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x7d, 0x4b, 0x5c, 0xeb,
};

/* Build a WRITE of zero bytes, which needs no memory region. */
static struct sk_buff *request(struct kunit *test, int end, enum pkt_fault fault, bool marked)
{
	struct world *w = test->priv;
	struct srnic_pkt pkt = {
		.opcode = SRNIC_OPC_WRITE_ONLY,
		.psn = w->qp[end]->req.psn,
		.ackreq = true,
		.sth_code = w->qp[end]->sth ? srnic_sth_code(w->qp[end]->sth) : 0,
	};

	return packet(test, end, &pkt, fault, marked);
}

static struct sk_buff *response(struct kunit *test, int end, u8 opcode, bool marked)
{
	struct world *w = test->priv;
	struct srnic_pkt pkt = {
		.opcode = opcode,
		.psn = w->qp[!end]->req.una,
		.syndrome = 0x1f,
		.sth_code = w->qp[end]->sth ? srnic_sth_code(w->qp[end]->sth) : 0,
	};

	return packet(test, end, &pkt, FAULT_NONE, marked);
}

static struct sk_buff *cnp(struct kunit *test, int end, enum pkt_fault fault)
{
	struct srnic_pkt pkt = { .opcode = SRNIC_OPC_CNP, .becn = true };

	return packet(test, end, &pkt, fault, false);
}

/* Take all packets that @end has sent. Return the number of CNPs among them. */
static unsigned int cnps_of(struct kunit *test, int end)
{
	unsigned int n = 0;
	struct sk_buff *skb;

	while ((skb = take(test, end, false))) {
		n += opcode_of(skb) == SRNIC_OPC_CNP;
		kfree_skb(skb);
	}
	return n;
}

static struct srnic_congestion *cc_of(struct kunit *test, int end)
{
	struct world *w = test->priv;

	return &w->qp[end]->req.cc;
}

/* ------------------------------------------------------------------ cases */

static void a_mark_on_a_request_is_answered_by_a_cnp(struct kunit *test)
{
	struct sk_buff *skb;

	deliver(test, request(test, A, FAULT_NONE, true), B, NOW);
	skb = take(test, B, false);
	KUNIT_ASSERT_NOT_NULL(test, skb);
	KUNIT_ASSERT_EQ(test, skb->len, sizeof(struct iphdr) + sizeof(struct udphdr) +
			sizeof(cnp_by_hand));
	KUNIT_EXPECT_MEMEQ(test, udp_payload(skb), cnp_by_hand, sizeof(cnp_by_hand));
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_sent_cnps), 1);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_rcvd_ecn_marked), 1);

	deliver(test, skb, A, NOW);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_rcvd_cnps), 1);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_ecn_slowed), 1);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_ignored_cnps), 0);
	KUNIT_EXPECT_EQ(test, cc_of(test, A)->window, 8);
	KUNIT_EXPECT_EQ(test, cc_of(test, B)->window, 16);

	skb = take(test, B, false);
	KUNIT_ASSERT_NOT_NULL(test, skb);
	KUNIT_EXPECT_EQ(test, opcode_of(skb), SRNIC_OPC_ACK);
	kfree_skb(skb);
}

static void no_mark_no_cnp(struct kunit *test)
{
	deliver(test, request(test, A, FAULT_NONE, false), B, NOW);
	KUNIT_EXPECT_EQ(test, cnps_of(test, B), 0);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_rcvd_ecn_marked), 0);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_sent_cnps), 0);
}

static void a_mark_on_what_fails_its_checks_draws_nothing(struct kunit *test)
{
	static const enum pkt_fault faults[] = { FAULT_ICRC, FAULT_ADDRESS, FAULT_QPN, FAULT_PKEY };
	struct world *w = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(faults); i++)
		deliver(test, request(test, A, faults[i], true), B, NOW);
	w->qp[B]->state = IB_QPS_ERR;
	deliver(test, request(test, A, FAULT_NONE, true), B, NOW);
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&w->qp[B]->out));
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_rcvd_ecn_marked), 0);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_sent_cnps), 0);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_icrc_errors), 1);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_wrong_address), 1);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_no_qp), 1);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_wrong_pkey), 1);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_wrong_state), 1);
}

static void a_cnp_that_fails_its_checks_changes_nothing(struct kunit *test)
{
	static const enum pkt_fault faults[] = { FAULT_ICRC, FAULT_ADDRESS, FAULT_QPN, FAULT_PKEY };
	struct srnic_congestion before = *cc_of(test, A);
	struct world *w = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(faults); i++)
		deliver(test, cnp(test, B, faults[i]), A, 0);
	w->qp[A]->state = IB_QPS_ERR;
	deliver(test, cnp(test, B, FAULT_NONE), A, 0);
	w->qp[A]->state = IB_QPS_RESET;
	deliver(test, cnp(test, B, FAULT_NONE), A, 0);
	KUNIT_EXPECT_MEMEQ(test, cc_of(test, A), &before, sizeof(before));
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_rcvd_cnps), 0);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_ecn_slowed), 0);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_wrong_state), 2);

	w->qp[A]->state = IB_QPS_RTS;
	deliver(test, cnp(test, B, FAULT_NONE), A, 0);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_ecn_slowed), 1);
}

static void a_cnp_under_an_sth_is_refused(struct kunit *test)
{
	struct srnic_pkt pkt = { .opcode = SRNIC_OPC_CNP, .sth_code = 1 };
	struct world *w = test->priv;
	u8 body[SRNIC_BTH_LEN + SRNIC_CNP_LEN + 12] = {};

	pkt.pkey = SRNIC_PKEY;
	pkt.dqpn = QPN + A;
	srnic_wire_build(&pkt, body);
	lock(w->qp[B]);
	KUNIT_EXPECT_EQ(test, srnic_build_frame(w->qp[B], body, sizeof(body)), 0);
	unlock(w->qp[B]);
	deliver(test, take(test, B, false), A, 0);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_sth_unexpected), 1);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_rcvd_cnps), 0);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_ecn_slowed), 0);
}

/* Expect that A has received and ignored @cnps CNPs; its congestion control equals @before. */
static void expect_ignored(struct kunit *test, unsigned int cnps,
			   const struct srnic_congestion *before)
{
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_rcvd_cnps), cnps);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_ignored_cnps), cnps);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_ecn_slowed), 0);
	KUNIT_EXPECT_MEMEQ(test, cc_of(test, A), before, sizeof(*before));
}

static void cnps_to_those_that_do_not_send_are_counted_and_ignored(struct kunit *test)
{
	struct srnic_congestion before = *cc_of(test, A);
	struct world *w = test->priv;

	w->qp[A]->state = IB_QPS_RTR;
	deliver(test, cnp(test, B, FAULT_NONE), A, 0);
	w->qp[A]->state = IB_QPS_RTS;
	w->qp[A]->ib.qp_type = IB_QPT_UC;
	deliver(test, cnp(test, B, FAULT_NONE), A, 0);
	w->qp[A]->ib.qp_type = IB_QPT_UD;
	deliver(test, cnp(test, B, FAULT_NONE), A, 0);
	expect_ignored(test, 3, &before);
}

static void a_qp_sends_one_cnp_in_50_us(struct kunit *test)
{
	static const struct {
		u64 at;
		unsigned int cnps;
	} arrivals[] = {
		{ NOW, 1 }, { NOW, 0 }, { NOW + APART / 2, 0 }, { NOW + APART - 1, 0 },
		{ NOW + APART, 1 }, { NOW + 2 * APART - 1, 0 }, { NOW + 3 * APART, 1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(arrivals); i++) {
		deliver(test, request(test, A, FAULT_NONE, true), B, arrivals[i].at);
		KUNIT_EXPECT_EQ_MSG(test, cnps_of(test, B), arrivals[i].cnps, "arrival %u", i);
	}
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_rcvd_ecn_marked), ARRAY_SIZE(arrivals));
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_sent_cnps), 3);
}

static void a_mark_on_what_is_read_slows_the_reader_and_is_answered(struct kunit *test)
{
	struct world *w = test->priv;

	w->qp[A]->req.max_sent = srnic_psn_add(PSN, 1);
	deliver(test, response(test, B, SRNIC_OPC_READ_RESP_ONLY, true), A, NOW);
	KUNIT_EXPECT_EQ(test, cnps_of(test, A), 1);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_ecn_slowed), 1);
	KUNIT_EXPECT_EQ(test, cc_of(test, A)->window, 8);
}

static void a_mark_on_an_acknowledgment_draws_nothing(struct kunit *test)
{
	struct world *w = test->priv;

	w->qp[A]->req.max_sent = srnic_psn_add(PSN, 1);
	deliver(test, response(test, B, SRNIC_OPC_ACK, true), A, NOW);
	KUNIT_EXPECT_EQ(test, cnps_of(test, A), 0);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_rcvd_ecn_marked), 1);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_ecn_slowed), 0);
}

static void a_mark_on_a_cnp_draws_nothing(struct kunit *test)
{
	struct sk_buff *skb = cnp(test, B, FAULT_NONE);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	ip_hdr(skb)->tos |= INET_ECN_CE;
	deliver(test, skb, A, NOW);
	KUNIT_EXPECT_EQ(test, cnps_of(test, A), 0);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_rcvd_ecn_marked), 0);
}

/* ----------------------------------------------------------------- sealed */

/* The echo bit of BTH byte 8, which the tag covers (protocol.md, section 2) */
#define ECHO	0x08

static u8 byte8_of(struct sk_buff *skb)
{
	return udp_payload(skb)[8];
}

/* Flip the echo bit, and rebuild the packet, which corrects the ICRC. */
static struct sk_buff *with_echo_changed(struct kunit *test, int end, struct sk_buff *skb)
{
	unsigned int len = skb->len - sizeof(struct iphdr) - sizeof(struct udphdr) -
			   SRNIC_ICRC_LEN;
	struct world *w = test->priv;
	u8 body[SRNIC_HDR_MAX];

	KUNIT_ASSERT_LE(test, len, sizeof(body));
	memcpy(body, udp_payload(skb), len);
	kfree_skb(skb);
	body[8] ^= ECHO;
	lock(w->qp[end]);
	KUNIT_EXPECT_EQ(test, srnic_build_frame(w->qp[end], body, len), 0);
	unlock(w->qp[end]);
	return take(test, end, false);
}

/* Deliver a request of A to B. Return B's acknowledgment; expect that B sends nothing else. */
static struct sk_buff *acknowledged(struct kunit *test, bool marked)
{
	struct world *w = test->priv;
	struct sk_buff *skb;

	deliver(test, request(test, A, FAULT_NONE, marked), B, NOW);
	skb = take(test, B, false);
	KUNIT_ASSERT_NOT_NULL(test, skb);
	KUNIT_EXPECT_EQ(test, opcode_of(skb), SRNIC_OPC_ACK);
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&w->qp[B]->out));
	w->qp[A]->req.max_sent = srnic_psn_add(w->qp[A]->req.una, 1);
	return skb;
}

static void sealed_a_mark_is_echoed_once_and_there_is_no_cnp(struct kunit *test)
{
	struct sk_buff *skb;

	seal(test);
	skb = acknowledged(test, true);
	KUNIT_EXPECT_EQ(test, byte8_of(skb) & 0xf, ECHO);
	deliver(test, skb, A, NOW);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_rcvd_ecn_echoes), 1);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_ecn_slowed), 1);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_sent_cnps), 0);
	KUNIT_EXPECT_EQ(test, cc_of(test, A)->window, 8);

	skb = acknowledged(test, false);
	KUNIT_EXPECT_EQ(test, byte8_of(skb) & 0xf, 0);
	kfree_skb(skb);
}

static void sealed_an_echo_is_honoured_only_under_a_right_seal(struct kunit *test)
{
	struct sk_buff *skb;

	seal(test);
	deliver(test, with_echo_changed(test, B, acknowledged(test, false)), A, NOW);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_sth_auth_failed), 1);
	skb = acknowledged(test, true);
	deliver(test, with_echo_changed(test, B, skb), A, NOW);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_sth_auth_failed), 2);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_rcvd_ecn_echoes), 0);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_ecn_slowed), 0);
	KUNIT_EXPECT_EQ(test, cc_of(test, A)->window, 16);
}

static void sealed_a_mark_on_what_fails_its_checks_is_not_echoed(struct kunit *test)
{
	struct world *w = test->priv;

	seal(test);
	deliver(test, with_echo_changed(test, A, request(test, A, FAULT_NONE, false)), B, NOW);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_sth_auth_failed), 1);
	KUNIT_EXPECT_FALSE(test, w->qp[B]->resp.congested);
	deliver(test, request(test, A, FAULT_ICRC, true), B, NOW);
	KUNIT_EXPECT_FALSE(test, w->qp[B]->resp.congested);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_rcvd_ecn_marked), 0);
}

static void sealed_a_clear_cnp_is_ignored(struct kunit *test)
{
	struct srnic_congestion before;

	seal(test);
	before = *cc_of(test, A);
	deliver(test, cnp(test, B, FAULT_NONE), A, 0);
	expect_ignored(test, 1, &before);
}

static void sealed_a_mark_on_what_is_read_slows_the_reader(struct kunit *test)
{
	struct world *w = test->priv;

	seal(test);
	w->qp[A]->req.max_sent = srnic_psn_add(w->qp[A]->req.una, 1);
	deliver(test, response(test, B, SRNIC_OPC_READ_RESP_ONLY, true), A, NOW);
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&w->qp[A]->out));
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_ecn_slowed), 1);
	KUNIT_EXPECT_EQ(test, cc_of(test, A)->window, 8);
}

static void in_the_clear_the_bit_of_the_echo_is_reserved(struct kunit *test)
{
	struct sk_buff *skb = acknowledged(test, false);

	KUNIT_EXPECT_EQ(test, byte8_of(skb) & 0xf, 0);
	deliver(test, with_echo_changed(test, B, skb), A, NOW);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_rcvd_ecn_echoes), 0);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_ecn_slowed), 0);
}

/* Select the first IPv4 connection of its family and mode: the fixture builds IPv4 packets. */
static bool is_first_of_ipv4(const struct sth_connection_vector *v)
{
	const struct sth_connection_vector *w;

	for (w = sth_connection_vectors; w < v; w++)
		if (srnic_gid_is_v4(w->x_gid) && w->mode == v->mode &&
		    sth_family_of(w) == sth_family_of(v))
			return false;
	return srnic_gid_is_v4(v->x_gid);
}

static const void *sealed_gen(const void *prev, char *desc)
{
	return sth_next(prev, desc, is_first_of_ipv4);
}

/* ----------------------------------------------------------------- window */

static void mark(struct srnic_qp *qp)
{
	lock(qp);
	srnic_cc_marked(qp);
	unlock(qp);
}

/* End an epoch: acknowledge its packets, with an RTT of 1 ms in each sample. */
static void epoch(struct srnic_qp *qp, u64 *now)
{
	struct srnic_congestion *cc = &qp->req.cc;
	u32 first = cc->epoch_psn, end = cc->epoch_end;
	int i;

	lock(qp);
	qp->req.una = first;
	qp->req.psn = end;
	qp->req.max_sent = end;
	for (i = 1; i <= SRNIC_STAMPS; i++) {
		u32 psn = i < SRNIC_STAMPS ? srnic_psn_add(first, 1) : end;

		cc->stamp[0] = (struct srnic_stamp) { .psn = first, .sent = *now };
		cc->first = 0;
		cc->stamps = 1;
		cc->now = *now + NSEC_PER_MSEC;
		srnic_cc_acked(qp, psn);
		qp->req.una = psn;
	}
	cc->now = 0;
	*now += NSEC_PER_MSEC;
	unlock(qp);
}

/*
 * DCQCN: a marked epoch sets alpha to 15/16 alpha + 1/16, another epoch to 15/16 alpha. Alpha
 * has 16 fractional bits.
 */
static void alpha_follows_the_share_of_marked_epochs(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_congestion *cc = &w->qp[A]->req.cc;
	u64 now = NOW;

	KUNIT_EXPECT_EQ(test, cc->alpha, 65536);
	epoch(w->qp[A], &now);
	KUNIT_EXPECT_EQ(test, cc->alpha, 61440);	/* 15/16 */
	epoch(w->qp[A], &now);
	KUNIT_EXPECT_EQ(test, cc->alpha, 57600);	/* 225/256 */
	cc->window = 100;
	mark(w->qp[A]);
	KUNIT_EXPECT_EQ(test, cc->alpha, 58096);	/* 57600 * 15/16 + 4096 */
	KUNIT_EXPECT_EQ(test, cc->window, 56);		/* 100 * (1 - 0.4432) */
	epoch(w->qp[A], &now);
	KUNIT_EXPECT_EQ(test, cc->alpha, 58096);
	epoch(w->qp[A], &now);
	KUNIT_EXPECT_EQ(test, cc->alpha, 54465);	/* 58096 - 3631 */
}

static void one_reaction_an_epoch(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_congestion *cc = &w->qp[A]->req.cc;
	u64 now = NOW;

	cc->window = 64;
	cc->floor = 40;
	mark(w->qp[A]);
	mark(w->qp[A]);
	KUNIT_EXPECT_EQ(test, cc->window, 32);
	KUNIT_EXPECT_EQ(test, cc->floor, 32);
	KUNIT_EXPECT_FALSE(test, cc->slow_start);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_ecn_slowed), 1);
	cc->limited = true;
	epoch(w->qp[A], &now);
	KUNIT_EXPECT_EQ_MSG(test, cc->window, 32, "a marked epoch does not extend the window");
	mark(w->qp[A]);
	KUNIT_EXPECT_EQ(test, cc->window, 16);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_ecn_slowed), 2);
}

static void the_window_never_closes(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_congestion *cc = &w->qp[A]->req.cc;
	u64 now = NOW;
	int i;

	for (i = 0; i < 16; i++) {
		mark(w->qp[A]);
		KUNIT_EXPECT_GE(test, cc->window, SRNIC_WINDOW_MIN);
		epoch(w->qp[A], &now);
	}
	KUNIT_EXPECT_EQ(test, cc->window, SRNIC_WINDOW_MIN);
	KUNIT_EXPECT_EQ(test, cc->alpha, 65536);
}

/* -------------------------------------------------------------------- ECT */

static u8 ecn_of(struct kunit *test, bool v4, u8 tclass)
{
	static const union ib_gid v6[2] = {
		{ .raw = { 0xfd, 0x77, [15] = 1 } }, { .raw = { 0xfd, 0x77, [15] = 2 } },
	};
	const union ib_gid *ends = v4 ? gids : v6;
	struct rdma_ah_attr ah = {
		.type = RDMA_AH_ATTR_TYPE_ROCE,
		.ah_flags = IB_AH_GRH,
		.grh = { .dgid = ends[1], .traffic_class = tclass, .flow_label = 0xabcde },
	};
	struct srnic_path *path = kunit_kzalloc(test, sizeof(*path), GFP_KERNEL);
	u8 dsfield;

	KUNIT_ASSERT_NOT_NULL(test, path);
	KUNIT_ASSERT_EQ(test, srnic_path_address(path, &ends[0], &ah, SPORT,
						 htons(SRNIC_ROCE_PORT)), 0);
	srnic_path_set_ect(path);
	if (v4) {
		dsfield = ((struct iphdr *)path->ends.iph)->tos;
	} else {
		struct ipv6hdr *ip6h = (struct ipv6hdr *)path->ends.iph;

		KUNIT_EXPECT_TRUE(test, ip6h->version == 6);
		KUNIT_EXPECT_EQ(test, ntohl(ip6_flowlabel(ip6h)), 0xabcde);
		dsfield = ipv6_get_dsfield(ip6h);
	}
	KUNIT_EXPECT_EQ(test, dsfield & ~INET_ECN_MASK, tclass & ~INET_ECN_MASK);
	return dsfield & INET_ECN_MASK;
}

static void packets_are_ect_0_unless_the_consumer_says_otherwise(struct kunit *test)
{
	int v4;

	for (v4 = 0; v4 <= 1; v4++) {
		KUNIT_EXPECT_EQ(test, ecn_of(test, v4, 0), INET_ECN_ECT_0);
		KUNIT_EXPECT_EQ(test, ecn_of(test, v4, 0xa0), INET_ECN_ECT_0);
		KUNIT_EXPECT_EQ(test, ecn_of(test, v4, 0xa2), INET_ECN_ECT_0);
		KUNIT_EXPECT_EQ(test, ecn_of(test, v4, 0xa1), INET_ECN_ECT_1);
	}
}

static void marks_are_seen_in_ipv4_and_ipv6(struct kunit *test)
{
	static const struct {
		bool v4;
		u8 iph[2];
		bool marked;
	} rows[] = {
		{ true, { 0x45, 0xff }, true }, { true, { 0x45, 0x03 }, true },
		{ true, { 0x45, 0xfe }, false }, { true, { 0x45, 0xfd }, false },
		{ true, { 0x45, 0xfc }, false }, { false, { 0x60, 0x30 }, true },
		{ false, { 0x6f, 0xff }, true }, { false, { 0x6f, 0xef }, false },
		{ false, { 0x6f, 0xdf }, false }, { false, { 0x6f, 0xcf }, false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct srnic_rx rx = { .ends.v4 = rows[i].v4 };

		memcpy(rx.ends.iph, rows[i].iph, sizeof(rows[i].iph));
		KUNIT_EXPECT_EQ_MSG(test, srnic_rx_marked(&rx), rows[i].marked, "row %u", i);
	}
}

static struct kunit_case ecn_cases[] = {
	KUNIT_CASE(a_mark_on_a_request_is_answered_by_a_cnp),
	KUNIT_CASE(no_mark_no_cnp),
	KUNIT_CASE(a_mark_on_what_fails_its_checks_draws_nothing),
	KUNIT_CASE(a_cnp_that_fails_its_checks_changes_nothing),
	KUNIT_CASE(a_cnp_under_an_sth_is_refused),
	KUNIT_CASE(cnps_to_those_that_do_not_send_are_counted_and_ignored),
	KUNIT_CASE(a_qp_sends_one_cnp_in_50_us),
	KUNIT_CASE(a_mark_on_what_is_read_slows_the_reader_and_is_answered),
	KUNIT_CASE(a_mark_on_an_acknowledgment_draws_nothing),
	KUNIT_CASE(a_mark_on_a_cnp_draws_nothing),
	KUNIT_CASE_PARAM(sealed_a_mark_is_echoed_once_and_there_is_no_cnp, sealed_gen),
	KUNIT_CASE_PARAM(sealed_an_echo_is_honoured_only_under_a_right_seal, sealed_gen),
	KUNIT_CASE_PARAM(sealed_a_mark_on_what_fails_its_checks_is_not_echoed, sealed_gen),
	KUNIT_CASE_PARAM(sealed_a_clear_cnp_is_ignored, sealed_gen),
	KUNIT_CASE_PARAM(sealed_a_mark_on_what_is_read_slows_the_reader, sealed_gen),
	KUNIT_CASE(in_the_clear_the_bit_of_the_echo_is_reserved),
	KUNIT_CASE(alpha_follows_the_share_of_marked_epochs),
	KUNIT_CASE(one_reaction_an_epoch),
	KUNIT_CASE(the_window_never_closes),
	KUNIT_CASE(packets_are_ect_0_unless_the_consumer_says_otherwise),
	KUNIT_CASE(marks_are_seen_in_ipv4_and_ipv6),
	{}
};

static struct kunit_suite ecn_suite = {
	.name = "srnic-ecn",
	.init = pair_init,
	.exit = pair_exit,
	.test_cases = ecn_cases,
};

kunit_test_suite(ecn_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's congestion notification");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
