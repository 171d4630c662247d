// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of engine/open: packets are opened wherever their bytes lie, and
 * what others may see is not overwritten.
 */
#include <linux/module.h>

#include "srnic.h"
#include "engine/open.h"
#include "sth_fixture.h"

/**
 * struct place - where the bytes of a packet lie
 * @whole: headers and payload are contiguous
 * @writable: they may be overwritten
 * @keep: the ciphertext is needed again
 */
struct place {
	bool whole;
	bool writable;
	bool keep;
};

static const struct place places[] = {
	{ true, true, false }, { true, true, true }, { true, false, false },
	{ false, true, false }, { false, true, true }, { false, false, false },
};

/**
 * struct arrival - a packet as net passes it on
 * @v: its vector
 * @at: offset of its payload
 * @rx: carrier
 * @pkt: the packet
 * @ends: its addresses
 * @head: BTH to STH, in opaque mode to the extension headers
 * @tail: payload and pad
 * @text: payload and pad after the packet was opened
 */
struct arrival {
	const struct sth_packet_vector *v;
	unsigned int at;
	struct srnic_rx rx;
	struct srnic_pkt pkt;
	struct srnic_ends ends;
	u8 *head;
	u8 *tail;
	u8 *text;
};

static void *alloc(struct kunit *test, size_t len)
{
	void *p = kunit_kzalloc(test, len ?: 1, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	return p;
}

static struct arrival *arrive(struct kunit *test, const struct srnic_sth *to,
			      const struct sth_packet_vector *v, const struct place *place)
{
	const struct srnic_sth_params *params = srnic_sth_params(to);
	struct arrival *a = alloc(test, sizeof(*a));

	a->v = v;
	a->at = v->hdr_len + srnic_sth_len(to);
	a->rx.whole = place->whole;
	a->rx.writable = place->writable;
	memcpy(a->ends.sgid, params->remote_gid, 16);
	memcpy(a->ends.dgid, params->local_gid, 16);
	a->head = alloc(test, v->len);
	a->tail = place->whole ? a->head + a->at : alloc(test, v->len - a->at);
	a->text = alloc(test, v->len - a->at);
	memcpy(a->head, v->sealed, a->at);
	memcpy(a->tail, v->sealed + a->at, v->len - a->at);
	KUNIT_ASSERT_EQ(test, srnic_wire_parse(&a->pkt, a->head, v->len + SRNIC_ICRC_LEN),
			SRNIC_WIRE_OK);
	a->pkt.ends = &a->ends;
	a->pkt.payload = a->tail;
	return a;
}

/* Open the packet, and take the payload before another packet uses the same buffer. */
static int open_arrival(struct srnic_sth *to, enum srnic_sth_flow flow, struct arrival *a,
			bool keep)
{
	enum srnic_sth_mode mode = srnic_sth_params(to)->mode;
	struct srnic_sth_payload payload;
	struct srnic_opening opening;
	int err = -EMSGSIZE;

	local_bh_disable();
	if (srnic_opening_init(&opening, &a->rx, &a->pkt, mode,
			       keep ? SRNIC_KEEP_SOURCE : SRNIC_SPEND_SOURCE)) {
		payload = srnic_opening_payload(&opening);
		err = srnic_sth_open(to, flow, &a->pkt, &payload);
	}
	if (!err) {
		srnic_opening_take(&opening, &a->pkt);
		memcpy(a->text, a->pkt.payload, a->v->len - a->at);
	}
	local_bh_enable();
	return err;
}

/* Expect the fields of the extension headers as the sender wrote them, and the payload. */
static void expect_opened(struct kunit *test, const struct arrival *a, enum srnic_sth_mode mode)
{
	const size_t first = offsetof(struct srnic_pkt, va);
	const size_t last = offsetofend(struct srnic_pkt, syndrome);
	u8 *clear = alloc(test, a->v->len + SRNIC_HDR_MAX);
	struct srnic_pkt *want = alloc(test, sizeof(*want));
	unsigned int i;

	memcpy(clear, a->v->sealed, a->v->len);
	if (mode == SRNIC_STH_OPAQUE)
		memcpy(clear + SRNIC_BTH_LEN, a->v->ext, a->v->hdr_len - SRNIC_BTH_LEN);
	KUNIT_ASSERT_EQ(test, srnic_wire_parse(want, clear, a->v->len + SRNIC_ICRC_LEN),
			SRNIC_WIRE_OK);
	KUNIT_EXPECT_MEMEQ_MSG(test, (u8 *)&a->pkt + first, (u8 *)want + first, last - first,
			       "%s", a->v->name);
	for (i = 0; i < a->v->payload_len; i++)
		KUNIT_ASSERT_EQ_MSG(test, a->text[i], (u8)(13 * i + 5), "%s, byte %u", a->v->name,
				    i);
}

/* The ciphertext stays where others may see it, or where it is needed again. */
static void expect_kept(struct kunit *test, const struct arrival *a, const struct place *place)
{
	if (!place->whole || !place->writable || place->keep)
		KUNIT_EXPECT_MEMEQ_MSG(test, a->head, a->v->sealed, a->at, "%s", a->v->name);
	if (!place->writable || place->keep)
		KUNIT_EXPECT_MEMEQ_MSG(test, a->tail, a->v->sealed + a->at, a->v->len - a->at,
				       "%s", a->v->name);
	else
		KUNIT_EXPECT_PTR_EQ(test, a->pkt.payload, a->tail);
}

static void check_places(struct kunit *test, struct sth_pair *p, const struct sth_packet_vector *v)
{
	int receiver = !sth_sender_of(v);
	struct srnic_sth *to = p->end[receiver];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		struct arrival *a = arrive(test, to, v, &places[i]);

		sth_go_to(test, p, v);
		KUNIT_ASSERT_EQ_MSG(test, open_arrival(to, sth_flow_at(receiver, v->owner), a,
						       places[i].keep), 0, "%s, %u", v->name, i);
		expect_opened(test, a, srnic_sth_params(to)->mode);
		expect_kept(test, a, &places[i]);
	}
}

static void a_packet_opens_wherever_its_bytes_lie(struct kunit *test)
{
	struct sth_pair p = sth_ready_pair(test, test->param_value, true);

	sth_with_vectors(test, &p, check_places);
}

/* Until the tag has verified, nothing of the plaintext is where the engine reads it. */
static void check_forgery(struct kunit *test, struct sth_pair *p,
			  const struct sth_packet_vector *v)
{
	int receiver = !sth_sender_of(v);
	struct srnic_sth *to = p->end[receiver];
	struct arrival *a = arrive(test, to, v, &places[0]);
	struct srnic_pkt before;

	a->head[v->hdr_len + srnic_sth_len(to) - 1] ^= 1;
	before = a->pkt;
	sth_go_to(test, p, v);
	KUNIT_EXPECT_EQ_MSG(test, open_arrival(to, sth_flow_at(receiver, v->owner), a, false),
			    -EBADMSG, "%s", v->name);
	KUNIT_EXPECT_MEMEQ_MSG(test, &a->pkt, &before, sizeof(before), "%s", v->name);
}

static void a_forged_packet_leaves_no_fields(struct kunit *test)
{
	struct sth_pair p = sth_ready_pair(test, test->param_value, true);

	sth_with_vectors(test, &p, check_forgery);
}

static struct kunit_case open_cases[] = {
	KUNIT_CASE_PARAM(a_packet_opens_wherever_its_bytes_lie, sth_thorough_gen),
	KUNIT_CASE_PARAM(a_forged_packet_leaves_no_fields, sth_thorough_gen),
	{}
};

static struct kunit_suite open_suite = {
	.name = "srnic-open",
	.test_cases = open_cases,
};

kunit_test_suite(open_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's memory for opening packets");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
