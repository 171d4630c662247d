// SPDX-License-Identifier: GPL-2.0
/*
 * proves: two new ends agree after any four arrivals of frames, which can confirm a flow
 * cites: protocol.md, section 7
 * soak-unwind: 42
 * wraps: all_zero: the last decrement is of 0; its result is not used
 * broken: sth/handshake.c: `if (!err && crypto_memneq(` => `if (err && crypto_memneq(`
 * broken: sth/handshake.c: `if (hs->psn != f->start || !srnic` => `if (!srnic`
 *
 * The proof by induction (handshake_ends_agree_whatever_the_network_does.c) has no such limit, but
 * describes the frames that were sent by the states of the ends. Here they are kept: a tag is right
 * only if an end has computed it, of this MAC input and under this key. And a flow can be confirmed
 * from the beginning, so that the invariant is not empty.
 *
 * Frames arrive at the two ends in turn; one that is refused stands for none. Each has any bytes.
 * After each arrival an end may send the frame that is due.
 *
 * With eight arrivals both flows can be confirmed: cbmc finds such a course in two minutes. But
 * cadical did not prove within ten that the ends then always agree.
 */
#include "handshake_ends.h"

#define ARRIVALS	4
#define SLOTS		(2 * ARRIVALS + 1)

/**
 * struct sealed - a MAC input of which an end has computed a tag
 * @number: its key; 0: nothing
 * @input: the MAC input
 */
struct sealed {
	u8 number;
	u8 input[INPUT_LEN];
};

static struct end a, b;
static struct sealed sealed[SLOTS];
static unsigned int slot;
static const u8 *received;

/* A tag names its slot. */
static bool was_sealed(u8 number, const u8 *input, u8 tag)
{
	bool was = false;
	unsigned int i;

	for (i = 0; i < slot; i++)
		was |= tag == i && number == sealed[i].number &&
		       same(input, sealed[i].input, INPUT_LEN);
	return was;
}

int crypto_shash_tfm_digest(struct crypto_shash *tfm, const u8 *data, unsigned int len, u8 *out)
{
	const u8 *frame = received;

	PROVE(len == INPUT_LEN);
	received = NULL;
	out[1] = 0;
	if (frame) {
		out[0] = frame[SRNIC_HS_HDR_LEN];
		if (!was_sealed(tfm->number, data, out[0]))
			out[0] ^= 1;
		return 0;
	}
	sealed[slot].number = tfm->number;
	memcpy(sealed[slot].input, data, INPUT_LEN);
	out[0] = slot;
	return 0;
}

/* A connection of which nothing is known but its own nonces and share */
static void given_new_end(struct end *e)
{
	given_end(e);
	GIVEN(e->sth.life == srnic_sth_present_life);
	GIVEN(e->sth.pair[0].hs && !e->sth.ephemeral.agreed);
	GIVEN(same_share(e->sth.ephemeral.secret, e->sth.ephemeral.ours));
	GIVEN(e->sth.flow[SRNIC_FLOW_OURS].state == SRNIC_HS_HELLO);
	GIVEN(!e->sth.flow[SRNIC_FLOW_OURS].tries);
	GIVEN(e->sth.flow[SRNIC_FLOW_THEIRS].state == SRNIC_HS_LISTEN);
}

/* Deliver any frame to an end. Then the intruder gets the one that is due on its own flow. */
static void let_act(struct end *e)
{
	u8 due[SRNIC_HS_FRAME_LEN], frame[SRNIC_HS_FRAME_LEN], reply[SRNIC_HS_FRAME_LEN];
	unsigned int reply_len;

	acting = e;
	received = frame;
	srnic_sth_hs_rx(&e->sth, frame, sizeof(frame), reply, &reply_len);
	slot++;
	received = NULL;
	srnic_sth_hs_next(&e->sth, due);
	slot++;
}

static bool is_done(const struct end *e, enum srnic_sth_flow flow)
{
	return e->sth.flow[flow].state == SRNIC_HS_DONE;
}

/* A requester that is ready has a responder with the same flow and key. */
static bool agree(const struct end *x, const struct end *y)
{
	const struct srnic_flow *f = &x->sth.flow[SRNIC_FLOW_OURS];
	const struct srnic_flow *g = &y->sth.flow[SRNIC_FLOW_THEIRS];

	if (!is_done(x, SRNIC_FLOW_OURS))
		return !is_done(y, SRNIC_FLOW_THEIRS) || same_nonce(f->nq, g->nq);
	return is_done(y, SRNIC_FLOW_THEIRS) && f->start == g->start &&
	       same_nonce(f->nq, g->nq) && same_nonce(f->nr, g->nr) &&
	       same_key(&x->key[SRNIC_FLOW_OURS], &y->key[SRNIC_FLOW_THEIRS]);
}

int main(void)
{
	u8 hello[SRNIC_HS_FRAME_LEN];
	unsigned int i;

	srnic_sth_present_life = 1;
	given_new_end(&a);
	given_new_end(&b);
	GIVEN(ends_are_of_one_connection(&a, &b));
	may_fail = false;

	acting = &a;
	srnic_sth_hs_next(&a.sth, hello);
	slot++;
	for (i = 0; i < ARRIVALS; i++)
		let_act(i % 2 ? &a : &b);

	PROVE(agree(&a, &b));
	PROVE(agree(&b, &a));
	if (is_done(&a, SRNIC_FLOW_OURS))
		POSSIBLE();
	return 0;
}
