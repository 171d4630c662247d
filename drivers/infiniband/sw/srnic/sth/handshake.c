// SPDX-License-Identifier: GPL-2.0
/*
 * The freshness handshake (Documentation/protocol.md, section 7). Runs in
 * process context, under the QP's handshake mutex.
 *
 * Frames depend only on the state of the flow, so a retransmitted frame has the
 * same bytes, and no state is kept for a peer that has not proved its identity.
 */
#include <crypto/utils.h>
#include "export.h"
#include "sth/crypto.h"

#define HMAC_LEN	32

/* Compute the tag of a frame that this end sends (SRNIC_TO_SEAL) or has received. */
static int hs_tag(struct srnic_sth *sth, enum srnic_sth_use use, u32 psn, const u8 *hdr,
		  u8 tag[HMAC_LEN])
{
	const struct srnic_sth_params *params = &sth->params;
	bool ours = use == SRNIC_TO_SEAL;
	const struct srnic_sth_input in = {
		.nonce64 = srnic_sth_nonce64(srnic_sth_from_b(sth, use), psn),
		.udp_len = 8 + SRNIC_HS_FRAME_LEN + SRNIC_ICRC_LEN,
		.sgid = ours ? params->local_gid : params->remote_gid,
		.dgid = ours ? params->remote_gid : params->local_gid,
		.hdr = hdr,
		.hdr_len = SRNIC_HS_HDR_LEN,
	};
	u8 input[SRNIC_STH_INPUT_MAX];
	unsigned int len;

	len = srnic_sth_mac_input(&in, input);
	return crypto_shash_tfm_digest(sth->hs, input, len, tag);
}

static int hs_send(struct srnic_sth *sth, u8 opcode, const struct srnic_flow *f, const u8 *nq,
		   u8 *frame)
{
	struct srnic_hs_frame hs = {
		.opcode = opcode,
		.pkey = sth->params.pkey,
		.dqpn = sth->params.remote_qpn,
		.psn = f->start,
	};
	u8 tag[HMAC_LEN];
	int err;

	memcpy(hs.nq, nq, sizeof(hs.nq));
	if (opcode != SRNIC_OPC_HELLO)
		memcpy(hs.nr, f->nr, sizeof(hs.nr));
	srnic_hs_build(&hs, frame);
	err = hs_tag(sth, SRNIC_TO_SEAL, hs.psn, frame, tag);
	if (err)
		return err;
	memcpy(frame + SRNIC_HS_HDR_LEN, tag, SRNIC_HS_TAG_LEN);
	return SRNIC_HS_FRAME_LEN;
}

/* Derive K_F from both nonces, install the sub-keys and open the flow. */
static int confirm_flow(struct srnic_sth *sth, enum srnic_sth_flow flow)
{
	struct srnic_flow *f = &sth->flow[flow];
	const struct srnic_flow_id id = {
		.owner_b = flow == SRNIC_FLOW_OURS ? sth->local_b : !sth->local_b,
		.start = f->start,
		.nq = f->nq,
		.nr = f->nr,
	};
	u8 ctx[SRNIC_CTX_FLOW_LEN];
	const struct srnic_kdf_purpose purpose = { SRNIC_LABEL_FLOW, ctx, sizeof(ctx) };
	int err;

	srnic_ctx_flow(ctx, &sth->form, &id, sth->ab);
	err = srnic_kdf(sth->pair, sizeof(sth->pair), &purpose, f->key, sizeof(f->key));
	if (!err)
		err = srnic_flow_keys_install(sth, flow);
	if (err)
		return err;
	f->state = SRNIC_HS_DONE;
	/*
	 * Pairs with the acquire in srnic_sth_flow_ready(), which precedes the
	 * lookup of keys.
	 */
	smp_store_release(&f->ready, true);
	if (sth->flow[SRNIC_FLOW_OURS].ready && sth->flow[SRNIC_FLOW_THEIRS].ready)
		memzero_explicit(sth->pair, sizeof(sth->pair));
	return 0;
}

/**
 * srnic_sth_hs_next() - Build the frame that is due on our flow
 * @sth: the connection
 * @frame: buffer of SRNIC_HS_FRAME_MAX bytes
 *
 * Repeated calls build the same frame until an answer changes the state of the
 * flow.
 *
 * Return: bytes from BTH to the end of the STH; 0 if the flow is confirmed;
 * -ENOTCONN if it has not started; or another negative errno.
 */
int srnic_sth_hs_next(struct srnic_sth *sth, u8 *frame)
{
	struct srnic_flow *f = &sth->flow[SRNIC_FLOW_OURS];

	/* pairs with the release in srnic_sth_flow_start() */
	switch (smp_load_acquire(&f->state)) {
	case SRNIC_HS_HELLO:
		return hs_send(sth, SRNIC_OPC_HELLO, f, f->nq, frame);
	case SRNIC_HS_CONFIRM:
		return hs_send(sth, SRNIC_OPC_CONFIRM, f, f->nq, frame);
	case SRNIC_HS_DONE:
		return 0;
	default:
		return -ENOTCONN;
	}
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_hs_next);

static bool same_nonce(const u8 *a, const u8 *b)
{
	return !crypto_memneq(a, b, SRNIC_STH_NONCE_LEN);
}

static int reply_with(struct srnic_sth *sth, u8 opcode, const u8 *nq, u8 *reply,
		      unsigned int *reply_len)
{
	int len = hs_send(sth, opcode, &sth->flow[SRNIC_FLOW_THEIRS], nq, reply);

	if (len < 0)
		return len;
	*reply_len = len;
	return SRNIC_HS_REPLY;
}

/* A replayed HELLO gets here, too. It is answered and changes no state. */
static int rx_hello(struct srnic_sth *sth, const struct srnic_hs_frame *hs, u8 *reply,
		    unsigned int *reply_len)
{
	if (sth->flow[SRNIC_FLOW_THEIRS].state != SRNIC_HS_LISTEN)
		return -EPROTO;
	return reply_with(sth, SRNIC_OPC_HELLO_ACK, hs->nq, reply, reply_len);
}

static int rx_hello_ack(struct srnic_sth *sth, const struct srnic_hs_frame *hs, u8 *reply,
			unsigned int *reply_len)
{
	struct srnic_flow *f = &sth->flow[SRNIC_FLOW_OURS];

	if (f->state != SRNIC_HS_HELLO || !same_nonce(hs->nq, f->nq))
		return -EPROTO;
	memcpy(f->nr, hs->nr, sizeof(f->nr));
	f->state = SRNIC_HS_CONFIRM;
	return SRNIC_HS_NEXT;
}

/* n_r is fresh: a CONFIRM that carries it answers our HELLO-ACK, in this incarnation. */
static int rx_confirm(struct srnic_sth *sth, const struct srnic_hs_frame *hs, u8 *reply,
		      unsigned int *reply_len)
{
	struct srnic_flow *f = &sth->flow[SRNIC_FLOW_THEIRS];
	int err, done = 0;

	if (!same_nonce(hs->nr, f->nr))
		return -EPROTO;
	if (f->state == SRNIC_HS_LISTEN) {
		memcpy(f->nq, hs->nq, sizeof(f->nq));
		err = confirm_flow(sth, SRNIC_FLOW_THEIRS);
		if (err)
			return err;
		done = SRNIC_HS_THEIRS;
	} else if (!same_nonce(hs->nq, f->nq)) {
		return -EPROTO;
	}
	err = reply_with(sth, SRNIC_OPC_CONFIRM_ACK, f->nq, reply, reply_len);
	/*
	 * The flow stays confirmed if this fails: the peer retransmits, and
	 * gets another reply.
	 */
	return (err < 0 ? 0 : err) | done;
}

static int rx_confirm_ack(struct srnic_sth *sth, const struct srnic_hs_frame *hs, u8 *reply,
			  unsigned int *reply_len)
{
	struct srnic_flow *f = &sth->flow[SRNIC_FLOW_OURS];
	int err;

	if (f->state != SRNIC_HS_CONFIRM)
		return -EPROTO;
	if (!same_nonce(hs->nq, f->nq) || !same_nonce(hs->nr, f->nr))
		return -EPROTO;
	err = confirm_flow(sth, SRNIC_FLOW_OURS);
	return err ?: SRNIC_HS_READY;
}

static const struct {
	enum srnic_sth_flow flow;
	int (*rx)(struct srnic_sth *sth, const struct srnic_hs_frame *hs, u8 *reply,
		  unsigned int *reply_len);
} frames[] = {
	[SRNIC_OPC_HELLO - SRNIC_OPC_HELLO]	  = { SRNIC_FLOW_THEIRS, rx_hello },
	[SRNIC_OPC_HELLO_ACK - SRNIC_OPC_HELLO]	  = { SRNIC_FLOW_OURS, rx_hello_ack },
	[SRNIC_OPC_CONFIRM - SRNIC_OPC_HELLO]	  = { SRNIC_FLOW_THEIRS, rx_confirm },
	[SRNIC_OPC_CONFIRM_ACK - SRNIC_OPC_HELLO] = { SRNIC_FLOW_OURS, rx_confirm_ack },
};

/**
 * srnic_sth_hs_rx() - Process a received handshake frame
 * @sth: connection that matches the frame's addresses and destination QP
 * @frame: the frame from BTH to the end of the STH
 * @len: bytes in @frame
 * @reply: buffer of SRNIC_HS_FRAME_MAX bytes
 * @reply_len: result: bytes in @reply if SRNIC_HS_REPLY is returned
 *
 * Return: a mask of SRNIC_HS_*, or a negative errno with no state changed:
 * -EBADMSG if the tag is wrong; -EPROTO if it is not a handshake frame, or not
 * expected in this state.
 */
int srnic_sth_hs_rx(struct srnic_sth *sth, const u8 *frame, unsigned int len,
		    u8 *reply, unsigned int *reply_len)
{
	struct srnic_hs_frame hs;
	const struct srnic_flow *f;
	u8 tag[HMAC_LEN];
	unsigned int i;
	int err;

	err = srnic_hs_parse(&hs, frame, len);
	if (err)
		return err;
	err = hs_tag(sth, SRNIC_TO_OPEN, hs.psn, frame, tag);
	if (!err && crypto_memneq(tag, frame + SRNIC_HS_HDR_LEN, SRNIC_HS_TAG_LEN))
		err = -EBADMSG;
	memzero_explicit(tag, sizeof(tag));
	if (err)
		return err;

	i = hs.opcode - SRNIC_OPC_HELLO;
	f = &sth->flow[frames[i].flow];
	/* pairs with the release in srnic_sth_flow_start() */
	if (smp_load_acquire(&f->state) == SRNIC_HS_IDLE || hs.psn != f->start)
		return -EPROTO;
	return frames[i].rx(sth, &hs, reply, reply_len);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_hs_rx);
