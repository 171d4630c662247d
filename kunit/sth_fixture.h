/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fixture for the suites of sth's crypto files: both ends of one connection, in
 * one kernel.
 */
#ifndef SRNIC_KUNIT_STH_FIXTURE_H
#define SRNIC_KUNIT_STH_FIXTURE_H

#include <kunit/resource.h>
#include <kunit/test.h>
#include <linux/slab.h>

#include "sth/crypto.h"
#include "vectors/sth.h"

#define X	0
#define Y	1

/* end[X] and end[Y] of a connection; flow X carries X's requests */
struct sth_pair {
	const struct sth_connection_vector *v;
	struct srnic_sth *end[2];
};

static inline enum srnic_sth_flow sth_flow_at(int end, int owner)
{
	return end == owner ? SRNIC_FLOW_OURS : SRNIC_FLOW_THEIRS;
}

static inline void sth_params_of(struct srnic_sth_params *params,
				 const struct sth_connection_vector *v, int end)
{
	memset(params, 0, sizeof(*params));
	params->suite = srnic_sth_suite_find(v->suite);
	params->mode = v->mode;
	params->pair_key = v->pair_key;
	params->key_len = v->key_len;
	memcpy(params->key, v->key, v->key_len);
	memcpy(params->local_gid, end == X ? v->x_gid : v->y_gid, 16);
	memcpy(params->remote_gid, end == X ? v->y_gid : v->x_gid, 16);
	params->local_qpn = end == X ? v->x_qpn : v->y_qpn;
	params->remote_qpn = end == X ? v->y_qpn : v->x_qpn;
}

static inline void sth_destroy_action(void *sth)
{
	srnic_sth_destroy(sth);
}

static inline struct srnic_sth *sth_make_of(struct kunit *test,
					    const struct srnic_sth_params *params)
{
	struct srnic_sth *sth = srnic_sth_create(params);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, sth);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, sth_destroy_action, sth), 0);
	return sth;
}

static inline struct srnic_sth *sth_make_by(struct kunit *test,
					    const struct sth_connection_vector *v, int end,
					    bool uncached)
{
	struct srnic_sth_params params;

	sth_params_of(&params, v, end);
	params.uncached = uncached;
	return sth_make_of(test, &params);
}

static inline struct srnic_sth *sth_make(struct kunit *test,
					 const struct sth_connection_vector *v, int end)
{
	return sth_make_by(test, v, end, false);
}

/*
 * Make both ends with both flows started, with fresh nonces and shares or, if @fixed,
 * those of the vectors. Ends in the mask @uncached (BIT(X), BIT(Y)) keep no
 * sub-keys.
 */
static inline struct sth_pair sth_pair_by(struct kunit *test,
					  const struct sth_connection_vector *v, bool fixed,
					  unsigned long uncached)
{
	struct sth_pair p = { .v = v };
	int end, owner;

	for (end = X; end <= Y; end++) {
		p.end[end] = sth_make_by(test, v, end, uncached & BIT(end));
		if (fixed) {
			memcpy(p.end[end]->ephemeral.secret, v->share_secret[end], 32);
			memcpy(p.end[end]->ephemeral.ours, v->share[end], 32);
		}
		for (owner = X; owner <= Y; owner++) {
			enum srnic_sth_flow flow = sth_flow_at(end, owner);
			struct srnic_flow *f = &p.end[end]->flow[flow];

			srnic_sth_flow_start(p.end[end], flow, v->flow[owner].start);
			if (!fixed)
				continue;
			if (flow == SRNIC_FLOW_OURS)
				memcpy(f->nq, v->flow[owner].nq, 16);
			else
				memcpy(f->nr, v->flow[owner].nr, 16);
		}
	}
	return p;
}

static inline struct sth_pair sth_pair_of(struct kunit *test,
					  const struct sth_connection_vector *v, bool fixed)
{
	return sth_pair_by(test, v, fixed, 0);
}

/* Run the handshake of one flow without loss. */
static inline void sth_shake(struct kunit *test, struct sth_pair *p, int owner)
{
	struct srnic_sth *req = p->end[owner], *resp = p->end[!owner];
	u8 frame[SRNIC_HS_FRAME_LEN], reply[SRNIC_HS_FRAME_LEN];
	unsigned int reply_len, round;

	for (round = 0; round < 2; round++) {
		int len = srnic_sth_hs_next(req, frame);
		int got;

		KUNIT_ASSERT_EQ(test, len, SRNIC_HS_FRAME_LEN);
		got = srnic_sth_hs_rx(resp, frame, len, reply, &reply_len);
		KUNIT_ASSERT_EQ(test, got, SRNIC_HS_REPLY | (round ? SRNIC_HS_THEIRS : 0));
		got = srnic_sth_hs_rx(req, reply, reply_len, frame, &reply_len);
		KUNIT_ASSERT_EQ(test, got, round ? SRNIC_HS_READY : SRNIC_HS_NEXT);
	}
	KUNIT_ASSERT_TRUE(test, srnic_sth_flow_ready(req, SRNIC_FLOW_OURS));
	KUNIT_ASSERT_TRUE(test, srnic_sth_flow_ready(resp, SRNIC_FLOW_THEIRS));
}

static inline struct sth_pair sth_ready_pair_by(struct kunit *test,
						const struct sth_connection_vector *v, bool fixed,
						unsigned long uncached)
{
	struct sth_pair p = sth_pair_by(test, v, fixed, uncached);

	sth_shake(test, &p, X);
	sth_shake(test, &p, Y);
	return p;
}

static inline struct sth_pair sth_ready_pair(struct kunit *test,
					     const struct sth_connection_vector *v, bool fixed)
{
	return sth_ready_pair_by(test, v, fixed, 0);
}

/* Move on as if everything before @psn64 had been exchanged and verified. */
static inline void sth_expect(struct kunit *test, struct srnic_sth *sth,
			      enum srnic_sth_flow flow, u64 psn64)
{
	sth->flow[flow].expected = psn64;
	KUNIT_ASSERT_EQ(test, srnic_sth_rekey(sth), 0);
}

/**
 * struct sth_box - a packet and its memory
 * @pkt: the packet
 * @ends: its addresses
 * @body: BTH to pad
 * @len: bytes in @body
 * @sth_at: offset of the STH in @body: behind all headers, in opaque mode behind
 *	the BTH
 * @sg: bytes behind the STH: payload and pad, in opaque mode behind the extension
 *	headers
 */
struct sth_box {
	struct srnic_pkt pkt;
	struct srnic_ends ends;
	u8 *body;
	unsigned int len;
	unsigned int sth_at;
	struct scatterlist sg;
};

/* Return how many bytes follow the STH. */
static inline unsigned int sth_box_payload_len(const struct sth_box *box)
{
	return box->len - box->sth_at - box->pkt.sth_len;
}

/* Parse the BTH in the box again; the headers' layout stays that of the first opcode. */
static inline void sth_box_reparse(struct sth_box *box)
{
	struct srnic_pkt *pkt = &box->pkt;

	pkt->opcode = box->body[0];
	pkt->pad = box->body[1] >> 4 & 3;
	pkt->sth_code = box->body[8] >> 4 & 7;
	pkt->psn = get_unaligned_be32(box->body + 8) & SRNIC_PSN_MASK;
}

static inline struct sth_box *sth_box_of(struct kunit *test, const struct sth_pair *p, int sender,
					 const u8 *body, unsigned int len, unsigned int hdr_len)
{
	const struct srnic_sth_params *params = srnic_sth_params(p->end[sender]);
	struct sth_box *box = kunit_kzalloc(test, sizeof(*box), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, box);
	box->body = kunit_kzalloc(test, len, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, box->body);
	if (body)
		memcpy(box->body, body, len);
	box->len = len;
	memcpy(box->ends.sgid, params->local_gid, 16);
	memcpy(box->ends.dgid, params->remote_gid, 16);
	box->pkt.ends = &box->ends;
	box->pkt.hdr = box->body;
	box->pkt.hdr_len = hdr_len;
	box->sth_at = srnic_sth_offset(params->mode, &box->pkt);
	box->pkt.sth_len = srnic_sth_len(p->end[sender]);
	box->pkt.len = len + SRNIC_ICRC_LEN;
	sth_box_reparse(box);
	box->pkt.payload_len = len - hdr_len - box->pkt.sth_len - box->pkt.pad;
	sg_init_one(&box->sg, box->body + box->sth_at + box->pkt.sth_len,
		    sth_box_payload_len(box) ?: 1);
	return box;
}

static inline struct srnic_sth_payload sth_box_payload(struct sth_box *box)
{
	return srnic_sth_in_place(&box->sg, sth_box_payload_len(box));
}

static inline int sth_box_seal(struct srnic_sth *sth, enum srnic_sth_flow flow,
			       struct sth_box *box)
{
	const struct srnic_sth_payload payload = sth_box_payload(box);
	int err;

	local_bh_disable();	/* as under the QP's lock */
	err = srnic_sth_seal(sth, flow, &box->pkt, &payload);
	local_bh_enable();
	return err;
}

static inline int sth_box_open(struct srnic_sth *sth, enum srnic_sth_flow flow,
			       struct sth_box *box)
{
	const struct srnic_sth_payload payload = sth_box_payload(box);
	int err;

	local_bh_disable();
	err = srnic_sth_open(sth, flow, &box->pkt, &payload);
	local_bh_enable();
	return err;
}

/* Fill in the payload of all vectors and of most tests. */
static inline void sth_fill(u8 *p, unsigned int len, unsigned int pad)
{
	unsigned int i;

	for (i = 0; i < len; i++)
		p[i] = i < len - pad ? 13 * i + 5 : 0;
}

static inline struct srnic_epoch_keys *sth_keys_of(struct srnic_sth *sth,
						   enum srnic_sth_flow flow, u64 psn64)
{
	return rcu_dereference_protected(sth->flow[flow].keys[srnic_epoch(psn64) & 1], true);
}

static inline struct srnic_subkey *sth_subkey_of(struct srnic_sth *sth, enum srnic_sth_flow flow,
						 u64 psn64, enum srnic_sth_use use)
{
	struct srnic_phases *phases = &sth_keys_of(sth, flow, psn64)->phases[use];

	return rcu_dereference_protected(phases->at[srnic_phase_index(phases->latest)], true);
}

/* Responses travel against their flow. */
static inline int sth_sender_of(const struct sth_packet_vector *v)
{
	return v->response ? !v->owner : v->owner;
}

/* Tell whether a flow has the keys of a PSN, and has not passed the phase. */
static inline bool sth_has_keys(const struct srnic_flow *f, u64 psn64, u16 phase)
{
	const struct srnic_epoch_keys *keys;
	u64 first, last;

	srnic_epoch_live(psn64, &first, &last);
	if (!srnic_flow_has_keys(f, first) || !srnic_flow_has_keys(f, last))
		return false;
	keys = rcu_dereference_protected(f->keys[srnic_epoch(psn64) & 1], true);
	return keys->phases[SRNIC_TO_SEAL].latest <= phase &&
	       keys->phases[SRNIC_TO_OPEN].latest <= phase;
}

/* Go back to the vector's K_F of epoch 0. */
static inline void sth_rewind(struct srnic_flow *f, const struct sth_flow_vector *v)
{
	memcpy(f->key, v->key, sizeof(f->key));
	f->key_epoch = 0;
}

/* Go on to a phase of the sub-key, as if those before had been used up. */
static inline void sth_go_to_phase(struct kunit *test, struct srnic_sth *sth,
				   enum srnic_sth_flow flow, struct srnic_phases *phases,
				   u16 phase)
{
	while (phases->latest < phase) {
		phases->due = true;
		sth->flow[flow].update_due = true;
		KUNIT_ASSERT_EQ(test, srnic_sth_rekey(sth), 0);
		KUNIT_ASSERT_EQ(test, phases->derived, phases->latest + 1);
		phases->latest++;
	}
}

/* Move both ends to the vector's PSN in its flow, as if no packet were sealed there yet. */
static inline void sth_go_to(struct kunit *test, struct sth_pair *p,
			     const struct sth_packet_vector *v)
{
	int sender = sth_sender_of(v), end;

	for (end = X; end <= Y; end++) {
		enum srnic_sth_use use = end == sender ? SRNIC_TO_SEAL : SRNIC_TO_OPEN;
		enum srnic_sth_flow flow = sth_flow_at(end, v->owner);
		struct srnic_flow *f = &p->end[end]->flow[flow];
		struct srnic_subkey *key;

		if (!sth_has_keys(f, v->psn64, v->phase))
			sth_rewind(f, &p->v->flow[v->owner]);
		sth_expect(test, p->end[end], flow, v->psn64);
		sth_go_to_phase(test, p->end[end], flow,
				&sth_keys_of(p->end[end], flow, v->psn64)->phases[use], v->phase);
		key = sth_subkey_of(p->end[end], flow, v->psn64, use);
		memset(&key->replay, 0, sizeof(key->replay));
		key->emitted = v->counter;
	}
}

static inline struct sth_box *sth_sealed_box(struct kunit *test, const struct sth_pair *p,
					     const struct sth_packet_vector *v)
{
	return sth_box_of(test, p, sth_sender_of(v), v->sealed, v->len, v->hdr_len);
}

/* Return the vector's packet as before it was sealed. */
static inline struct sth_box *sth_clear_box(struct kunit *test, const struct sth_pair *p,
					    const struct sth_packet_vector *v)
{
	struct sth_box *box = sth_sealed_box(test, p, v);
	unsigned int len = v->payload_len + v->pad;
	unsigned int ext = sth_box_payload_len(box) - len;

	box->body[SRNIC_PHASE_AT] = 0;
	memset(box->body + box->sth_at, 0xaa, v->len - box->sth_at);
	memcpy(box->body + v->len - len - ext, v->ext, ext);
	sth_fill(box->body + v->len - len, len, v->pad);
	return box;
}

static inline int sth_seal_vector(struct sth_pair *p, const struct sth_packet_vector *v,
				  struct sth_box *box)
{
	int sender = sth_sender_of(v);

	return sth_box_seal(p->end[sender], sth_flow_at(sender, v->owner), box);
}

static inline int sth_open_vector(struct sth_pair *p, const struct sth_packet_vector *v,
				  struct sth_box *box)
{
	int receiver = !sth_sender_of(v);

	return sth_box_open(p->end[receiver], sth_flow_at(receiver, v->owner), box);
}

typedef void (*sth_packet_check)(struct kunit *test, struct sth_pair *p,
			     const struct sth_packet_vector *v);

/* Check every packet that the codec sealed on this connection. */
static inline void sth_with_vectors(struct kunit *test, struct sth_pair *p, sth_packet_check check)
{
	unsigned int i, n = 0;

	for (i = 0; i < ARRAY_SIZE(sth_packet_vectors); i++) {
		if (&sth_connection_vectors[sth_packet_vectors[i].connection] != p->v)
			continue;
		sth_go_to(test, p, &sth_packet_vectors[i]);
		check(test, p, &sth_packet_vectors[i]);
		n++;
	}
	KUNIT_EXPECT_GT(test, n, 0);
}

static inline void sth_expect_payload(struct kunit *test, struct sth_pair *p,
				      const struct sth_packet_vector *v, const u8 *payload)
{
	struct sth_box *clear = sth_clear_box(test, p, v);
	unsigned int len = sth_box_payload_len(clear);

	KUNIT_EXPECT_MEMEQ_MSG(test, payload, clear->body + v->len - len, len, "%s", v->name);
}

static inline void sth_check_sealing(struct kunit *test, struct sth_pair *p,
				     const struct sth_packet_vector *v)
{
	struct sth_box *box = sth_clear_box(test, p, v);

	KUNIT_ASSERT_EQ_MSG(test, sth_seal_vector(p, v, box), 0, "%s", v->name);
	KUNIT_EXPECT_MEMEQ_MSG(test, box->body, v->sealed, v->len, "%s", v->name);
}

static inline void sth_check_opening(struct kunit *test, struct sth_pair *p,
				     const struct sth_packet_vector *v)
{
	struct sth_box *box = sth_sealed_box(test, p, v);

	KUNIT_ASSERT_EQ_MSG(test, sth_open_vector(p, v, box), 0, "%s", v->name);
	sth_expect_payload(test, p, v, box->body + v->len - sth_box_payload_len(box));
}

/* Return a SEND ONLY with a word of payload, sent by @sender in the flow of X or Y. */
static inline struct sth_box *sth_send_only(struct kunit *test, const struct sth_pair *p,
					    int sender, u32 psn)
{
	unsigned int sth_len = srnic_sth_len(p->end[sender]), len = SRNIC_BTH_LEN + sth_len + 4;
	struct sth_box *box = sth_box_of(test, p, sender, NULL, len, SRNIC_BTH_LEN);

	box->body[0] = SRNIC_OPC_SEND_ONLY;
	put_unaligned_be16(0xffff, box->body + 2);
	put_unaligned_be32(srnic_sth_params(p->end[sender])->remote_qpn, box->body + 4);
	put_unaligned_be32(psn, box->body + 8);
	box->body[8] = srnic_sth_code(p->end[sender]) << 4;
	sth_box_reparse(box);
	return box;
}

/* Seal a request by X and open it at Y. */
static inline int sth_pass(struct kunit *test, struct sth_pair *p, u64 psn64)
{
	struct sth_box *box = sth_send_only(test, p, X, psn64 & SRNIC_PSN_MASK);

	return sth_box_seal(p->end[X], SRNIC_FLOW_OURS, box) ?:
	       sth_box_open(p->end[Y], SRNIC_FLOW_THEIRS, box);
}

/**
 * struct sth_trip - a sealed packet and its receiver
 * @to: the receiver
 * @flow: flow of the packet, as the receiver sees it
 * @psn64: PSN64 of the packet
 * @box: the packet; modified for each attempt
 * @sealed: its body as it was sealed
 * @name: name in messages
 */
struct sth_trip {
	struct srnic_sth *to;
	enum srnic_sth_flow flow;
	u64 psn64;
	struct sth_box *box;
	const u8 *sealed;
	const char *name;
};

/* Keep a copy of the packet as it is sealed now. */
static inline void sth_keep_sealed(struct kunit *test, struct sth_trip *t)
{
	u8 *sealed = kunit_kmalloc(test, t->box->len, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, sealed);
	memcpy(sealed, t->box->body, t->box->len);
	t->sealed = sealed;
}

/* Change each bit of @bytes in the packet, one at a time; restore its body each time. */
static inline void sth_flip_all(struct kunit *test, const struct sth_trip *t, u8 *bytes,
				unsigned int len)
{
	struct sth_box *box = t->box;
	unsigned int bit;

	for (bit = 0; bit < 8 * len; bit++) {
		/* FECN, BECN, reserved: may change. The phase may not. */
		if (bytes == box->body && bit / 8 == SRNIC_PHASE_AT && bit % 8 < 6)
			continue;
		bytes[bit / 8] ^= 0x80 >> bit % 8;
		sth_box_reparse(box);
		KUNIT_ASSERT_NE_MSG(test, sth_box_open(t->to, t->flow, box), 0, "%s, bit %u",
				    t->name, bit);
		bytes[bit / 8] ^= 0x80 >> bit % 8;
		memcpy(box->body, t->sealed, box->len);
	}
	sth_box_reparse(box);
}

/* No bit that the tag covers may change; failed attempts change only counters. */
static inline void sth_expect_no_change(struct kunit *test, const struct sth_trip *t)
{
	struct srnic_flow *f = &t->to->flow[t->flow], before = *f;
	struct srnic_subkey *key = sth_subkey_of(t->to, t->flow, t->psn64, SRNIC_TO_OPEN);
	struct srnic_replay *replay = &key->replay, seen = *replay;
	unsigned int covered = t->box->len;

	if (t->to->params.mode == SRNIC_STH_HEADER)
		covered -= sth_box_payload_len(t->box);
	sth_flip_all(test, t, t->box->body, covered);
	sth_flip_all(test, t, t->box->ends.sgid, 16);
	sth_flip_all(test, t, t->box->ends.dgid, 16);
	KUNIT_EXPECT_GT(test, f->failed, before.failed);
	before.failed = f->failed;
	before.replayed = f->replayed;
	before.update_due = f->update_due;	/* a packet named the next phase */
	KUNIT_EXPECT_MEMEQ(test, f, &before, sizeof(before));
	KUNIT_EXPECT_MEMEQ(test, replay, &seen, sizeof(seen));
}

static inline void sth_connection_desc(const struct sth_connection_vector *v, char *desc)
{
	strscpy(desc, v->name, KUNIT_PARAM_DESC_SIZE);
}

typedef bool (*sth_wanted)(const struct sth_connection_vector *v);

static inline const void *sth_next(const void *prev, char *desc, sth_wanted wanted)
{
	const struct sth_connection_vector *v = prev;

	for (v = v ? v + 1 : sth_connection_vectors;
	     v < sth_connection_vectors + ARRAY_SIZE(sth_connection_vectors); v++) {
		if (!wanted(v))
			continue;
		sth_connection_desc(v, desc);
		return v;
	}
	return NULL;
}

static inline bool sth_is_thorough(const struct sth_connection_vector *v)
{
	return v->thorough;
}

static inline const struct srnic_sth_family *sth_family_of(const struct sth_connection_vector *v)
{
	return srnic_sth_suite_find(v->suite)->family;
}

static inline bool sth_counts(const struct sth_connection_vector *v)
{
	return sth_family_of(v)->has_counter;
}

/* Select the first connection of its family and mode. */
static inline bool sth_is_first(const struct sth_connection_vector *v)
{
	const struct sth_connection_vector *w;

	for (w = sth_connection_vectors; w < v; w++)
		if (w->mode == v->mode && sth_family_of(w) == sth_family_of(v))
			return false;
	return true;
}

/* Select the same where requests can be proved (protocol.md, section 12). */
static inline bool sth_proves(const struct sth_connection_vector *v)
{
	return sth_is_first(v) && v->mode != SRNIC_STH_OPAQUE;
}

static inline bool sth_can_be_uncached(const struct sth_connection_vector *v)
{
	return srnic_sth_suite_uncached(srnic_sth_suite_find(v->suite));
}

/* Select a few connections, for slow tests that do not depend on the suite. */
static inline const void *sth_thorough_gen(const void *prev, char *desc)
{
	return sth_next(prev, desc, sth_is_thorough);
}

/* Select one connection of each kind, for tests that do not depend on the algorithm. */
static inline const void *sth_kind_gen(const void *prev, char *desc)
{
	return sth_next(prev, desc, sth_is_first);
}

/* Select one connection of each kind that has memory keys. */
static inline const void *sth_proving_gen(const void *prev, char *desc)
{
	return sth_next(prev, desc, sth_proves);
}

/* Select connections with an emission counter. */
static inline const void *sth_counting_gen(const void *prev, char *desc)
{
	return sth_next(prev, desc, sth_counts);
}

/* Select connections that can derive their sub-keys for each packet. */
static inline const void *sth_uncached_gen(const void *prev, char *desc)
{
	return sth_next(prev, desc, sth_can_be_uncached);
}

#endif /* SRNIC_KUNIT_STH_FIXTURE_H */
