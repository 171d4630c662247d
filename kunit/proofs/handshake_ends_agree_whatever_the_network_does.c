// SPDX-License-Identifier: GPL-2.0
/*
 * proves: two ends that have confirmed a flow agree on it, whatever a network without the key does
 * cites: protocol.md, section 7
 * unwind: 34
 * wraps: all_zero: the last decrement is of 0; its result is not used
 * wraps: hs_rx_confirm_ack: an errno is converted to the type of BIT() and back
 * wraps: hs_ask_first: counts what was sent without an answer; 2^32 frames take years
 * wraps: hs_ask_again: so does this
 * broken: sth/handshake.c: `if (!err && crypto_memneq(` => `if (err && crypto_memneq(`
 * broken: sth/handshake.c: `return nonce_equal(hs->nr, f->nr);` => `return true;`
 * broken: sth/handshake.c: `return nonce_equal(hs->nq, f->nq);` => `return true;`
 * broken: sth/handshake.c: `if (hs->psn != f->start || !srnic` => `if (!srnic`
 * broken: sth/handshake.c: `} else if (!nonce_equal(hs->nq, f->nq) || secret != f->secret) {`
 *	=> `} else if (secret != f->secret) {`
 * broken: sth/handshake.c: `err = hs_confirm_flow(sth, SRNIC_FLOW_OURS, root);`
 *	=> `f->secret = 0; err = hs_confirm_flow(sth, SRNIC_FLOW_OURS, root);`
 * broken: sth/handshake.c: `err = hs_confirm_flow(sth, SRNIC_FLOW_OURS, root);`
 *	=> `f->nr[0] = 0; err = hs_confirm_flow(sth, SRNIC_FLOW_OURS, root);`
 * broken: sth/handshake.c: `BIT(SRNIC_HS_HELLO) | BIT(SRNIC_HS_CONFIRM)` => `~0U`
 * broken: sth/handshake.c: `srnic_sth_from_b(sth, use)` => `srnic_sth_from_b(sth, SRNIC_TO_SEAL)`
 * broken: sth/handshake.c: `return flow == SRNIC_FLOW_OURS ? sth->local_b : !sth->local_b;`
 *	=> `return sth->local_b;`
 * broken: sth/handshake.c: `srnic_ephemeral_forget(sth, hs_owner_is_b(sth, flow))`
 *	=> `srnic_ephemeral_forget(sth, !hs_owner_is_b(sth, flow))`
 * broken: sth/handshake.c: `f->key_epoch = 0;` => `;`
 * broken: sth/ephemeral.c: `return ephemeral->root[secret][owner_b];`
 *	=> `return ephemeral->root[0][owner_b];`
 * broken: sth/ephemeral.c: `return !ephemeral->agreed ||`
 *	=> `return theirs || !ephemeral->agreed ||`
 *
 * By induction over events, so that the number of frames and of resets has no limit: in any state
 * that the invariant allows, one end receives any bytes, or sends the frame that is due, or starts
 * a flow, or is reset. Afterwards the invariant holds again. It holds for two new ends, because
 * each of its parts is about a flow that has started. Some parts are claims of their own:
 *
 *  - ready_requester_has_a_responder(): if a flow of the requester is ready, and its responder has
 *    not been reset since, then the flow is confirmed there, too, with the same nonces, starting
 *    PSN and owner, and K_F is derived from the same K_AB, Z, shares and context;
 *  - responder_was_asked(): a responder confirms only a flow that its requester asked for;
 *  - a frame that was sealed stays one that its end would seal. So in state DONE no flow changes
 *    its n_q, n_r or key, and n_r is not confirmed with another n_q.
 *
 * The network is an intruder without K_HS. Its frame has any bytes, but its tag is right only if
 * the MAC input is one that an end has sealed under that key: the ideal MAC. So it may drop, keep,
 * repeat, reorder, reflect, change and forge frames. The set of MAC inputs sealed so far is not
 * kept as a list. It is described, as more than is possible:
 *
 *  - in this life of an end, may_have_sealed(): by its present state, whose changes must not take
 *    anything from the set;
 *  - in its former lives, may_have_sealed_before(): anything that has another share and another
 *    nonce of that end, because both are drawn anew. This is the ideal random number.
 */
#include "handshake_ends.h"

/* Offsets in the MAC input of a handshake frame: section 4 */
#define AT_SGID		8
#define AT_DGID		(AT_SGID + SRNIC_GID_LEN)
#define AT_HDR		(AT_DGID + SRNIC_GID_LEN + 2)
#define AT_PSN		(AT_HDR + 8)
#define AT_NQ		(AT_HDR + SRNIC_BTH_LEN + 8)
#define AT_NR		(AT_NQ + SRNIC_STH_NONCE_LEN)
#define AT_SHARE	(AT_NR + SRNIC_STH_NONCE_LEN)

static_assert(AT_HDR + SRNIC_HS_HDR_LEN == INPUT_LEN);

static struct end me, peer;
/* the frame that is being received, until its tag has been computed */
static const u8 *received;

static bool is_from(const struct end *x, const u8 *input)
{
	return input[0] >> 7 == x->sth.local_b &&
	       same(input + AT_SGID, x->sth.params.local_gid, SRNIC_GID_LEN) &&
	       same(input + AT_DGID, x->sth.params.remote_gid, SRNIC_GID_LEN);
}

/* Tell whether an end has this key: a number may belong to both. */
static bool has_key(const struct end *x, u8 number)
{
	return x->hs[0].number == number || (x->sth.pairs > 1 && x->hs[1].number == number);
}

static bool has_asked(const struct end *x, u8 number)
{
	return (x->asked[0] && x->hs[0].number == number) ||
	       (x->asked[1] && x->hs[1].number == number);
}

/* Tell whether @x may have sealed a MAC input in its present life; its peer is @y. */
static bool may_have_sealed(const struct end *x, const struct end *y, u8 number, const u8 *input)
{
	u8 opcode = input[AT_HDR];
	bool request = opcode == SRNIC_OPC_HELLO || opcode == SRNIC_OPC_CONFIRM;
	const struct srnic_flow *f = &x->sth.flow[request ? SRNIC_FLOW_OURS : SRNIC_FLOW_THEIRS];
	const struct srnic_flow *of_y = &y->sth.flow[SRNIC_FLOW_THEIRS];

	if (!is_from(x, input) || !has_key(x, number) || f->state == SRNIC_HS_IDLE ||
	    !same_share(input + AT_SHARE, x->sth.ephemeral.ours) ||
	    (get_unaligned_be32(input + AT_PSN) & SRNIC_PSN_MASK) != f->start ||
	    !same_nonce(input + (request ? AT_NQ : AT_NR), request ? f->nq : f->nr))
		return false;
	switch (opcode) {
	case SRNIC_OPC_HELLO:
	case SRNIC_OPC_HELLO_ACK:
		return true;
	case SRNIC_OPC_CONFIRM:
		return of_y->state == SRNIC_HS_IDLE || !same_nonce(input + AT_NR, of_y->nr) ||
		       has_asked(x, number);
	case SRNIC_OPC_CONFIRM_ACK:
		return f->state == SRNIC_HS_DONE && same_nonce(input + AT_NQ, f->nq) &&
		       number == x->hs[f->secret].number;
	default:
		return false;
	}
}

/* Tell whether an end may have sealed a MAC input before its nonces and share were drawn. */
static bool may_have_sealed_before(const struct end *x, const u8 *input)
{
	u8 opcode = input[AT_HDR];
	bool request = opcode == SRNIC_OPC_HELLO || opcode == SRNIC_OPC_CONFIRM;
	const struct srnic_flow *f = &x->sth.flow[request ? SRNIC_FLOW_OURS : SRNIC_FLOW_THEIRS];

	return is_from(x, input) && !same_share(input + AT_SHARE, x->sth.ephemeral.ours) &&
	       (f->state == SRNIC_HS_IDLE ||
		!same_nonce(input + (request ? AT_NQ : AT_NR), request ? f->nq : f->nr));
}

static bool was_sealed(u8 number, const u8 *input)
{
	return may_have_sealed(&me, &peer, number, input) ||
	       may_have_sealed(&peer, &me, number, input) ||
	       may_have_sealed_before(&me, input) || may_have_sealed_before(&peer, input);
}

int crypto_shash_tfm_digest(struct crypto_shash *tfm, const u8 *data, unsigned int len, u8 *out)
{
	const u8 *frame = received;

	PROVE(len == INPUT_LEN);
	PROVE(tfm == &acting->hs[0] || tfm == &acting->hs[1]);
	received = NULL;
	if (fails())
		return -ENOMEM;
	ANY_SLICE(out, HMAC_LEN);
	if (!frame) {
		PROVE(may_have_sealed(&me, &peer, tfm->number, data));
		return 0;
	}
	if (same(out, frame + SRNIC_HS_HDR_LEN, SRNIC_HS_TAG_LEN))
		GIVEN(was_sealed(tfm->number, data));
	return 0;
}

static void write_shared(const struct end *x, u8 shared[SRNIC_CTX_SHARED_LEN])
{
	const u8 *ours = x->sth.ephemeral.ours, *theirs = x->sth.ephemeral.theirs;
	u8 *a = shared + SRNIC_STH_SHARE_LEN, *b = a + SRNIC_STH_SHARE_LEN;
	unsigned int i;

	for (i = 0; i < SRNIC_STH_SHARE_LEN; i++) {
		shared[i] = ours[i] ^ theirs[i];
		a[i] = x->sth.local_b ? theirs[i] : ours[i];
		b[i] = x->sth.local_b ? ours[i] : theirs[i];
	}
}

/* The roots of an end are derived from its share and the one that it has of the peer. */
static bool roots_are_of_the_shares(const struct end *x)
{
	const struct srnic_ephemeral *e = &x->sth.ephemeral;
	u8 shared[SRNIC_CTX_SHARED_LEN];

	if (!e->agreed)
		return same_share(e->secret, e->ours);
	write_shared(x, shared);
	return same(x->shared[0], shared, sizeof(shared)) &&
	       (x->sth.pairs < 2 || same(x->shared[1], shared, sizeof(shared)));
}

/* K_F of a confirmed flow is derived from what the state of the flow tells. */
static bool key_is_of_the_flow(const struct end *x, enum srnic_sth_flow flow)
{
	const struct srnic_flow *f = &x->sth.flow[flow];
	const struct flow_key *key = &x->key[flow];
	const struct srnic_flow_id id = {
		.owner_b = x->sth.local_b == (flow == SRNIC_FLOW_OURS),
		.start = f->start,
		.nq = f->nq,
		.nr = f->nr,
	};
	u8 shared[SRNIC_CTX_SHARED_LEN], ctx[SRNIC_CTX_FLOW_LEN];

	if (f->state != SRNIC_HS_DONE)
		return true;
	write_shared(x, shared);
	srnic_ctx_flow(ctx, &x->sth.form, &id, x->sth.ab);
	return key->number == x->hs[f->secret].number && key->owner_b == id.owner_b &&
	       same(key->shared, shared, sizeof(shared)) && same(key->ctx, ctx, sizeof(ctx));
}

/* A requester that has the present n_r of its peer has asked under the key that it has with it. */
static bool requester_has_asked(const struct end *x, const struct end *y)
{
	const struct srnic_flow *f = &x->sth.flow[SRNIC_FLOW_OURS];
	const struct srnic_flow *g = &y->sth.flow[SRNIC_FLOW_THEIRS];

	if ((f->state != SRNIC_HS_CONFIRM && f->state != SRNIC_HS_DONE) ||
	    g->state == SRNIC_HS_IDLE || !same_nonce(f->nr, g->nr))
		return true;
	return has_asked(x, x->hs[f->secret].number);
}

/* A responder has confirmed what the requester asked for. */
static bool responder_was_asked(const struct end *x, const struct end *y)
{
	const struct srnic_flow *f = &x->sth.flow[SRNIC_FLOW_OURS];
	const struct srnic_flow *g = &y->sth.flow[SRNIC_FLOW_THEIRS];

	if (g->state != SRNIC_HS_DONE || f->state == SRNIC_HS_IDLE || !same_nonce(f->nq, g->nq))
		return true;
	return has_asked(x, y->key[SRNIC_FLOW_THEIRS].number) && f->start == g->start &&
	       same_share(y->sth.ephemeral.theirs, x->sth.ephemeral.ours);
}

/* A requester that is ready has a responder with the same key, unless that was reset. */
static bool ready_requester_has_a_responder(const struct end *x, const struct end *y)
{
	const struct srnic_flow *f = &x->sth.flow[SRNIC_FLOW_OURS];
	const struct srnic_flow *g = &y->sth.flow[SRNIC_FLOW_THEIRS];

	if (f->state != SRNIC_HS_DONE || g->state == SRNIC_HS_IDLE || !same_nonce(f->nr, g->nr))
		return true;
	return g->state == SRNIC_HS_DONE && f->start == g->start && same_nonce(f->nq, g->nq) &&
	       same_key(&x->key[SRNIC_FLOW_OURS], &y->key[SRNIC_FLOW_THEIRS]);
}

static void given_invariant(void)
{
	srnic_sth_present_life = nondet_u32();
	given_end(&me);
	given_end(&peer);
	acting = &me;
	GIVEN(ends_are_of_one_connection(&me, &peer));
	GIVEN(roots_are_of_the_shares(&me) && roots_are_of_the_shares(&peer));
	GIVEN(key_is_of_the_flow(&me, SRNIC_FLOW_OURS));
	GIVEN(key_is_of_the_flow(&me, SRNIC_FLOW_THEIRS));
	GIVEN(key_is_of_the_flow(&peer, SRNIC_FLOW_OURS));
	GIVEN(key_is_of_the_flow(&peer, SRNIC_FLOW_THEIRS));
	GIVEN(requester_has_asked(&me, &peer) && requester_has_asked(&peer, &me));
	GIVEN(responder_was_asked(&me, &peer) && responder_was_asked(&peer, &me));
	GIVEN(ready_requester_has_a_responder(&me, &peer));
	GIVEN(ready_requester_has_a_responder(&peer, &me));
}

static void prove_invariant(void)
{
	PROVE(end_is_sound(&me));
	PROVE(ends_are_of_one_connection(&me, &peer));
	PROVE(roots_are_of_the_shares(&me));
	PROVE(key_is_of_the_flow(&me, SRNIC_FLOW_OURS));
	PROVE(key_is_of_the_flow(&me, SRNIC_FLOW_THEIRS));
	PROVE(requester_has_asked(&me, &peer));
	PROVE(requester_has_asked(&peer, &me));
	PROVE(responder_was_asked(&me, &peer));
	PROVE(responder_was_asked(&peer, &me));
	PROVE(ready_requester_has_a_responder(&me, &peer));
	PROVE(ready_requester_has_a_responder(&peer, &me));
}

static void receive(void)
{
	const struct srnic_flow *requester = &peer.sth.flow[SRNIC_FLOW_OURS];
	const struct srnic_flow *responder = &peer.sth.flow[SRNIC_FLOW_THEIRS];
	u8 frame[SRNIC_HS_FRAME_LEN], reply[SRNIC_HS_FRAME_LEN];
	const struct srnic_flow *f = me.sth.flow;
	unsigned int reply_len;
	int ret;

	received = frame;
	ret = srnic_sth_hs_rx(&me.sth, frame, sizeof(frame), reply, &reply_len);
	if (ret < 0)
		return;
	if (ret & SRNIC_HS_NEXT && same_nonce(f[SRNIC_FLOW_OURS].nr, responder->nr))
		me.asked[f[SRNIC_FLOW_OURS].secret] = true;
	if (ret & SRNIC_HS_READY && same_nonce(f[SRNIC_FLOW_OURS].nr, responder->nr))
		POSSIBLE();
	if (ret & SRNIC_HS_THEIRS && same_nonce(f[SRNIC_FLOW_THEIRS].nq, requester->nq))
		POSSIBLE();
}

static void send(void)
{
	u8 frame[SRNIC_HS_FRAME_LEN];

	received = NULL;
	if (srnic_sth_hs_next(&me.sth, frame) > 0)
		POSSIBLE();
}

/*
 * Start a flow, as srnic_sth_flow_start() does. The nonce is in no state and in no frame so far;
 * @input is any of these.
 */
static void start(enum srnic_sth_flow flow, const u8 *input)
{
	struct srnic_flow *f = &me.sth.flow[flow];
	u8 *nonce = flow == SRNIC_FLOW_OURS ? f->nq : f->nr;
	unsigned int i;

	GIVEN(f->state == SRNIC_HS_IDLE);
	for (i = 0; i < SRNIC_STH_NONCE_LEN; i++)
		nonce[i] = nondet_u8();
	GIVEN(!same_nonce(nonce, peer.sth.flow[!flow].nq));
	GIVEN(!same_nonce(nonce, peer.sth.flow[!flow].nr));
	GIVEN(!same_nonce(nonce, input + AT_NQ) && !same_nonce(nonce, input + AT_NR));
	f->start = nondet_u32() & SRNIC_PSN_MASK;
	if (flow == SRNIC_FLOW_OURS) {
		f->state = SRNIC_HS_HELLO;
	} else {
		f->state = SRNIC_HS_LISTEN;
		for (i = 0; i < SRNIC_SECRETS; i++)
			peer.asked[i] = false;
	}
	POSSIBLE();
}

/* Begin another life. The share is in no state and in no frame so far. */
static void reset(const u8 *input)
{
	unsigned int i;

	given_end(&me);
	GIVEN(ends_are_of_one_connection(&me, &peer));
	for (i = 0; i < SRNIC_FLOWS; i++)
		GIVEN(me.sth.flow[i].state == SRNIC_HS_IDLE);
	for (i = 0; i < SRNIC_SECRETS; i++)
		GIVEN(!me.asked[i]);
	GIVEN(!me.sth.ephemeral.agreed && roots_are_of_the_shares(&me));
	GIVEN(!same_share(me.sth.ephemeral.ours, input + AT_SHARE));
	GIVEN(!same_share(me.sth.ephemeral.ours, peer.sth.ephemeral.theirs));
	POSSIBLE();
}

int main(void)
{
	u8 input[INPUT_LEN], number = nondet_u8();
	bool was;

	given_invariant();
	was = was_sealed(number, input);
	switch (nondet_u8()) {
	case 0:
		receive();
		break;
	case 1:
		send();
		break;
	case 2:
		start(SRNIC_FLOW_OURS, input);
		break;
	case 3:
		start(SRNIC_FLOW_THEIRS, input);
		break;
	default:
		reset(input);
	}
	prove_invariant();
	PROVE(!was || was_sealed(number, input));
	return 0;
}
