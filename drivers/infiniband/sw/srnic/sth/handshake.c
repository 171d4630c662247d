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

/* CONFIRMs without answer after which HELLO asks for n_r again */
#define CONFIRMS	3

/* HELLOs without answer after which the other key is tried */
#define HELLOS		4

/* Compute the tag of a frame that this end sends (SRNIC_TO_SEAL) or has received. */
static int hs_tag(struct srnic_sth *sth, enum srnic_secret_of_key secret,
		  enum srnic_sth_use use, const u8 *hdr, u8 tag[HMAC_LEN])
{
	const struct srnic_sth_params *params = &sth->params;
	bool ours = use == SRNIC_TO_SEAL;
	u32 psn = get_unaligned_be32(hdr + 8) & SRNIC_PSN_MASK;
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
	return crypto_shash_tfm_digest(sth->pair[secret].hs, input, len, tag);
}

/* Build a frame under a key; @hs has opcode, PSN and nonces. */
static int hs_build(struct srnic_sth *sth, enum srnic_secret_of_key secret,
		    struct srnic_hs_frame *hs, u8 *frame)
{
	u8 tag[HMAC_LEN];
	int err;

	hs->pkey = sth->params.pkey;
	hs->dqpn = sth->params.remote_qpn;
	hs->key_id = sth->pair[secret].id;
	memcpy(hs->share, sth->ephemeral.ours, sizeof(hs->share));
	srnic_hs_build(hs, frame);
	err = hs_tag(sth, secret, SRNIC_TO_SEAL, frame, tag);
	if (err)
		return err;
	memcpy(frame + SRNIC_HS_HDR_LEN, tag, SRNIC_HS_TAG_LEN);
	return SRNIC_HS_FRAME_LEN;
}

/* Build a frame of our flow, under a key. */
static int hs_ask(struct srnic_sth *sth, enum srnic_secret_of_key secret, u8 opcode, u8 *frame)
{
	const struct srnic_flow *f = &sth->flow[SRNIC_FLOW_OURS];
	struct srnic_hs_frame hs = { .opcode = opcode, .psn = f->start };

	memcpy(hs.nq, f->nq, sizeof(hs.nq));
	if (opcode != SRNIC_OPC_HELLO)
		memcpy(hs.nr, f->nr, sizeof(hs.nr));
	return hs_build(sth, secret, &hs, frame);
}

static bool hs_owner_is_b(const struct srnic_sth *sth, enum srnic_sth_flow flow)
{
	return flow == SRNIC_FLOW_OURS ? sth->local_b : !sth->local_b;
}

/* Return the root of a flow's keys, or an ERR_PTR, as srnic_ephemeral_agree() does. */
static const u8 *hs_agree(struct srnic_sth *sth, enum srnic_sth_flow flow,
			  enum srnic_secret_of_key secret, const struct srnic_hs_frame *hs)
{
	return srnic_ephemeral_agree(sth, secret, hs_owner_is_b(sth, flow), hs->share);
}

/* Derive K_F of epoch 0 from both nonces and the root, which both shares entered. */
static int hs_derive_flow_key(struct srnic_sth *sth, enum srnic_sth_flow flow, const u8 *root)
{
	struct srnic_flow *f = &sth->flow[flow];
	const struct srnic_flow_id id = {
		.owner_b = hs_owner_is_b(sth, flow),
		.start = f->start,
		.nq = f->nq,
		.nr = f->nr,
	};
	u8 ctx[SRNIC_CTX_FLOW_LEN];
	const struct srnic_kdf_purpose purpose = { SRNIC_LABEL_FLOW, ctx, sizeof(ctx) };
	int err;

	srnic_ctx_flow(ctx, &sth->form, &id, sth->ab);
	err = srnic_kdf(root, SRNIC_STH_KDF_KEY_LEN, &purpose, f->key, sizeof(f->key));
	f->key_epoch = 0;
	return err;
}

/* Install the sub-keys of a flow and open it. */
static int hs_confirm_flow(struct srnic_sth *sth, enum srnic_sth_flow flow, const u8 *root)
{
	struct srnic_flow *f = &sth->flow[flow];
	int err;

	err = hs_derive_flow_key(sth, flow, root);
	if (!err)
		err = srnic_flow_keys_install(sth, flow);
	if (err)
		return err;
	srnic_ephemeral_forget(sth, hs_owner_is_b(sth, flow));
	WRITE_ONCE(f->state, SRNIC_HS_DONE);
	/*
	 * Pairs with the acquire in srnic_sth_flow_ready(), which precedes the
	 * lookup of keys.
	 */
	smp_store_release(&f->ready, true);
	return 0;
}

/*
 * Build HELLO under the current key, and if that remains unanswered, in turn under the other one.
 * The responder may have begun before that one became ours, or after it ceased to be.
 */
static int hs_ask_first(struct srnic_sth *sth, struct srnic_flow *f, u8 *frame)
{
	return hs_ask(sth, f->tries++ / HELLOS % sth->pairs, SRNIC_OPC_HELLO, frame);
}

/*
 * Build CONFIRM; but if that remains unanswered, every other time HELLO, under each key in turn.
 * The responder may have been reset, and have another n_r, and another key.
 */
static int hs_ask_again(struct srnic_sth *sth, struct srnic_flow *f, u8 *frame)
{
	unsigned int tries = f->tries++;

	if (tries <= CONFIRMS || tries & 1)
		return hs_ask(sth, f->secret, SRNIC_OPC_CONFIRM, frame);
	return hs_ask(sth, (tries - CONFIRMS) / 2 % sth->pairs, SRNIC_OPC_HELLO, frame);
}

/**
 * srnic_sth_hs_next() - Build the frame that is due on our flow
 * @sth: the connection
 * @frame: buffer of SRNIC_HS_FRAME_LEN bytes
 *
 * Each call repeats the frame, until an answer changes the state of the flow. If the policy's key
 * has two secrets, HELLO is sent under the current one, and after each HELLOS frames without answer
 * under the other of the two. When CONFIRM has been repeated CONFIRMS times, every other frame is
 * HELLO, under each of them in turn.
 *
 * Return: bytes from BTH to the end of the STH; 0 if the flow is confirmed;
 * -ENOTCONN if it has not started, or the connection ended with a former life; or another
 * negative errno.
 */
int srnic_sth_hs_next(struct srnic_sth *sth, u8 *frame)
{
	struct srnic_flow *f = &sth->flow[SRNIC_FLOW_OURS];
	/* pairs with the release in srnic_sth_flow_start() */
	enum srnic_hs_state state = smp_load_acquire(&f->state);

	if (!srnic_sth_lives(sth))
		return -ENOTCONN;
	switch (state) {
	case SRNIC_HS_HELLO:
		return hs_ask_first(sth, f, frame);
	case SRNIC_HS_CONFIRM:
		return hs_ask_again(sth, f, frame);
	case SRNIC_HS_DONE:
		return 0;
	default:
		return -ENOTCONN;
	}
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_hs_next);

static bool nonce_equal(const u8 *a, const u8 *b)
{
	return !crypto_memneq(a, b, SRNIC_STH_NONCE_LEN);
}

/* Answer a frame of the peer, HELLO or CONFIRM, under the key that it has. */
static int hs_reply(struct srnic_sth *sth, enum srnic_secret_of_key secret,
		    const struct srnic_hs_frame *to, u8 *reply, unsigned int *reply_len)
{
	const struct srnic_flow *f = &sth->flow[SRNIC_FLOW_THEIRS];
	struct srnic_hs_frame hs = {
		.opcode = to->opcode == SRNIC_OPC_HELLO ? SRNIC_OPC_HELLO_ACK :
							  SRNIC_OPC_CONFIRM_ACK,
		.psn = f->start,
	};
	int len;

	memcpy(hs.nq, to->nq, sizeof(hs.nq));
	memcpy(hs.nr, f->nr, sizeof(hs.nr));
	len = hs_build(sth, secret, &hs, reply);
	if (len < 0)
		return len;
	*reply_len = len;
	return SRNIC_HS_REPLY;
}

/*
 * A replayed HELLO gets here, too. It is answered and changes no state. Once the flow is confirmed,
 * only its own requester is answered, which may have stored an older n_r since.
 */
static int hs_rx_hello(struct srnic_sth *sth, enum srnic_secret_of_key secret,
		       const struct srnic_hs_frame *hs, u8 *reply, unsigned int *reply_len)
{
	const struct srnic_flow *f = &sth->flow[SRNIC_FLOW_THEIRS];

	if (f->state == SRNIC_HS_DONE && secret != f->secret)
		return -EPROTO;
	return hs_reply(sth, secret, hs, reply, reply_len);
}

static int hs_rx_hello_ack(struct srnic_sth *sth, enum srnic_secret_of_key secret,
			   const struct srnic_hs_frame *hs, u8 *reply, unsigned int *reply_len)
{
	struct srnic_flow *f = &sth->flow[SRNIC_FLOW_OURS];

	if (f->state == SRNIC_HS_CONFIRM && nonce_equal(hs->nr, f->nr))
		return -EPROTO;
	f->secret = secret;
	memcpy(f->nr, hs->nr, sizeof(f->nr));
	f->tries = 0;
	WRITE_ONCE(f->state, SRNIC_HS_CONFIRM);
	return SRNIC_HS_NEXT;
}

/* n_r is fresh: a CONFIRM that carries it answers our HELLO-ACK, in this incarnation. */
static int hs_rx_confirm(struct srnic_sth *sth, enum srnic_secret_of_key secret,
			 const struct srnic_hs_frame *hs, u8 *reply, unsigned int *reply_len)
{
	struct srnic_flow *f = &sth->flow[SRNIC_FLOW_THEIRS];
	const u8 *root;
	int err, done = 0;

	if (f->state == SRNIC_HS_LISTEN) {
		root = hs_agree(sth, SRNIC_FLOW_THEIRS, secret, hs);
		if (IS_ERR(root))
			return PTR_ERR(root);
		memcpy(f->nq, hs->nq, sizeof(f->nq));
		f->secret = secret;
		err = hs_confirm_flow(sth, SRNIC_FLOW_THEIRS, root);
		if (err)
			return err;
		done = SRNIC_HS_THEIRS;
	} else if (!nonce_equal(hs->nq, f->nq) || secret != f->secret) {
		return -EPROTO;
	}
	err = hs_reply(sth, secret, hs, reply, reply_len);
	/*
	 * The flow stays confirmed if this fails: the peer retransmits, and
	 * gets another reply.
	 */
	return (err < 0 ? 0 : err) | done;
}

/*
 * The answer to any of our CONFIRMs: an older HELLO-ACK, which somebody has recorded, may have
 * taken the place of the last one since.
 */
static int hs_rx_confirm_ack(struct srnic_sth *sth, enum srnic_secret_of_key secret,
			     const struct srnic_hs_frame *hs, u8 *reply, unsigned int *reply_len)
{
	struct srnic_flow *f = &sth->flow[SRNIC_FLOW_OURS];
	const u8 *root;
	int err;

	root = hs_agree(sth, SRNIC_FLOW_OURS, secret, hs);
	if (IS_ERR(root))
		return PTR_ERR(root);
	f->secret = secret;
	memcpy(f->nr, hs->nr, sizeof(f->nr));
	err = hs_confirm_flow(sth, SRNIC_FLOW_OURS, root);
	return err ?: SRNIC_HS_READY;
}

/**
 * struct hs_handler - how a frame is received
 * @flow: the flow that it belongs to
 * @states: BIT(enum srnic_hs_state) of those in which it can be of use
 * @rx: handle the frame; its tag is right
 */
struct hs_handler {
	enum srnic_sth_flow flow;
	unsigned int states;
	int (*rx)(struct srnic_sth *sth, enum srnic_secret_of_key secret,
		  const struct srnic_hs_frame *hs, u8 *reply, unsigned int *reply_len);
};

static const struct hs_handler hs_handlers[] = {
	[SRNIC_OPC_HELLO - SRNIC_OPC_HELLO] = {
		SRNIC_FLOW_THEIRS, BIT(SRNIC_HS_LISTEN) | BIT(SRNIC_HS_DONE), hs_rx_hello,
	},
	[SRNIC_OPC_HELLO_ACK - SRNIC_OPC_HELLO] = {
		SRNIC_FLOW_OURS, BIT(SRNIC_HS_HELLO) | BIT(SRNIC_HS_CONFIRM), hs_rx_hello_ack,
	},
	[SRNIC_OPC_CONFIRM - SRNIC_OPC_HELLO] = {
		SRNIC_FLOW_THEIRS, BIT(SRNIC_HS_LISTEN) | BIT(SRNIC_HS_DONE), hs_rx_confirm,
	},
	[SRNIC_OPC_CONFIRM_ACK - SRNIC_OPC_HELLO] = {
		SRNIC_FLOW_OURS, BIT(SRNIC_HS_CONFIRM), hs_rx_confirm_ack,
	},
};

/*
 * Each frame from the peer has this end's own nonce, except HELLO, which precedes it. Once the flow
 * is confirmed, HELLO has the nonce of its requester.
 */
static bool hs_has_our_nonce(const struct srnic_flow *f, const struct srnic_hs_frame *hs)
{
	switch (hs->opcode) {
	case SRNIC_OPC_HELLO:
		return f->state != SRNIC_HS_DONE || nonce_equal(hs->nq, f->nq);
	case SRNIC_OPC_CONFIRM:
		return nonce_equal(hs->nr, f->nr);
	default:
		return nonce_equal(hs->nq, f->nq);
	}
}

/* Return the key that has an identifier, an index of @sth->pair, or -EBADMSG if none has. */
static int hs_find_key(const struct srnic_sth *sth, u32 id)
{
	unsigned int i;

	for (i = 0; i < sth->pairs; i++)
		if (sth->pair[i].id == id)
			return i;
	return -EBADMSG;
}

/* Return the key that the frame is under. */
static int hs_check(const struct srnic_sth *sth, const struct srnic_hs_frame *hs)
{
	const struct hs_handler *handler = &hs_handlers[hs->opcode - SRNIC_OPC_HELLO];
	const struct srnic_flow *f = &sth->flow[handler->flow];

	/* pairs with the release in srnic_sth_flow_start() */
	if (!(handler->states & BIT(smp_load_acquire(&f->state))))
		return -EPROTO;
	if (hs->psn != f->start || !srnic_sth_lives(sth) || !hs_has_our_nonce(f, hs))
		return -EPROTO;
	return hs_find_key(sth, hs->key_id);
}

/**
 * srnic_sth_hs_check() - Check whether a handshake frame is expected, before its tag
 * @sth: connection that matches the frame's addresses and destination QP
 * @frame: the frame from BTH to the end of the STH
 * @len: bytes in @frame
 *
 * Costs no cryptography. Except for the flow's progress, the compared state does not change during
 * the life of a flow, so a refused frame could not have been of use later.
 *
 * Context: any up to softirq, under the QP's lock.
 * Return: 0; -EBADMSG if the frame is under a key that is not ours; -EPROTONOSUPPORT if it is of
 * another version of the protocol; -EPROTO if it is not a handshake frame, or not expected.
 */
int srnic_sth_hs_check(const struct srnic_sth *sth, const u8 *frame, unsigned int len)
{
	struct srnic_hs_frame hs;
	int secret;

	secret = srnic_hs_parse(&hs, frame, len) ?: hs_check(sth, &hs);
	return min(secret, 0);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_hs_check);

/**
 * srnic_sth_hs_rx() - Process a received handshake frame
 * @sth: connection that matches the frame's addresses and destination QP
 * @frame: the frame from BTH to the end of the STH
 * @len: bytes in @frame
 * @reply: buffer of SRNIC_HS_FRAME_LEN bytes
 * @reply_len: result: bytes in @reply if SRNIC_HS_REPLY is returned
 *
 * Return: a mask of SRNIC_HS_*, or a negative errno. With no state changed: -EBADMSG if the tag
 * is wrong; -EPROTONOSUPPORT if the frame is of another version; -EPROTO if it is not a handshake
 * frame, or not expected in this state; -EKEYREJECTED if the peer's share is no public key. With
 * another errno this machine has failed: no flow is confirmed, and the frame can be processed when
 * the peer repeats it.
 */
int srnic_sth_hs_rx(struct srnic_sth *sth, const u8 *frame, unsigned int len,
		    u8 *reply, unsigned int *reply_len)
{
	struct srnic_hs_frame hs;
	u8 tag[HMAC_LEN];
	int err, secret;

	secret = srnic_hs_parse(&hs, frame, len) ?: hs_check(sth, &hs);
	if (secret < 0)
		return secret;
	if (!srnic_ephemeral_fits(&sth->ephemeral, hs.share))
		return -EPROTO;
	err = hs_tag(sth, secret, SRNIC_TO_OPEN, frame, tag);
	if (!err && crypto_memneq(tag, frame + SRNIC_HS_HDR_LEN, SRNIC_HS_TAG_LEN))
		err = -EBADMSG;
	memzero_explicit(tag, sizeof(tag));
	if (err)
		return err;
	return hs_handlers[hs.opcode - SRNIC_OPC_HELLO].rx(sth, secret, &hs, reply, reply_len);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_hs_rx);
