// SPDX-License-Identifier: GPL-2.0
/*
 * proves: a handshake frame that arrives again changes nothing, and is answered by the same bytes
 * cites: protocol.md, section 7
 * unwind: 42
 * wraps: all_zero: the last decrement is of 0; its result is not used
 * wraps: hs_ask_first: counts what was sent without an answer; 2^32 frames take years
 * wraps: hs_ask_again: so does this
 * wraps: hs_rx_confirm_ack: an errno is converted to the type of BIT() and back
 * broken: sth/handshake.c: `if (f->state == SRNIC_HS_LISTEN) {`
 *	=> `if (f->state != SRNIC_HS_IDLE) {`
 * broken: sth/handshake.c: `if (f->state == SRNIC_HS_CONFIRM && nonce`
 *	=> `if (f->state == SRNIC_HS_DONE && nonce`
 * broken: sth/handshake.c: `BIT(SRNIC_HS_CONFIRM), hs_rx_confirm_ack` => `~0U, hs_rx_confirm_ack`
 * broken: sth/handshake.c: `hs->key_id = sth->pair[secret].id;`
 *	=> `hs->key_id = sth->flow[SRNIC_FLOW_OURS].tries;`
 * broken: sth/handshake.c: `len = hs_build(sth, secret, &hs, reply);`
 *	=> `len = hs_build(sth, f->secret, &hs, reply);`
 *
 * For any state of one end. Between the two arrivals it may receive any other frame, or send what
 * is due. Only then HELLO-ACK may change the state again: a former n_r displaces the present one
 * until the responder is asked again (section 7).
 *
 * Tags are not computed: if two replies have the same MAC input under the same key, and the MAC is
 * a function, they have the same tag.
 */
#include "handshake_ends.h"

/**
 * struct answer - result of hs_rx()
 * @ret: its value
 * @frame: the reply
 * @input: MAC input of the reply
 * @hs: its key
 */
struct answer {
	int ret;
	u8 frame[SRNIC_HS_FRAME_LEN];
	u8 input[INPUT_LEN];
	const struct crypto_shash *hs;
};

static struct end end;
static struct answer *answer;

int crypto_shash_tfm_digest(struct crypto_shash *tfm, const u8 *data, unsigned int len, u8 *out)
{
	PROVE(len == INPUT_LEN);
	if (fails())
		return -ENOMEM;
	memcpy(answer->input, data, INPUT_LEN);
	answer->hs = tfm;
	ANY_SLICE(out, HMAC_LEN);
	return 0;
}

static void receive(const u8 *frame, struct answer *to)
{
	unsigned int len;

	answer = to;
	to->ret = srnic_sth_hs_rx(&end.sth, frame, SRNIC_HS_FRAME_LEN, to->frame, &len);
}

static bool same_state(const struct srnic_sth *a, const struct srnic_sth *b)
{
	unsigned int i = nondet_u32();

	GIVEN(i < sizeof(*a));
	return ((const u8 *)a)[i] == ((const u8 *)b)[i];
}

static bool same_answer(const struct answer *a, const struct answer *b)
{
	return a->hs == b->hs && !crypto_memneq(a->frame, b->frame, SRNIC_HS_HDR_LEN) &&
	       !crypto_memneq(a->input, b->input, INPUT_LEN);
}

int main(void)
{
	u8 frame[SRNIC_HS_FRAME_LEN], other[SRNIC_HS_FRAME_LEN];
	struct answer first, between, again;
	struct srnic_sth before;
	bool at_once = true;

	srnic_sth_present_life = nondet_u32();
	given_end(&end);
	acting = &end;
	receive(frame, &first);
	GIVEN(first.ret > 0);

	answer = &between;
	if (nondet_bool()) {
		receive(other, &between);
		at_once = false;
	} else if (nondet_bool()) {
		srnic_sth_hs_next(&end.sth, other);
	}

	before = end.sth;
	receive(frame, &again);
	if (at_once || !(first.ret & (int)SRNIC_HS_NEXT))
		PROVE(same_state(&end.sth, &before));
	if (!(first.ret & (int)SRNIC_HS_NEXT))
		PROVE(again.ret <= 0 || again.ret == (int)SRNIC_HS_REPLY);
	if (first.ret & (int)SRNIC_HS_REPLY && again.ret == (int)SRNIC_HS_REPLY) {
		PROVE(same_answer(&first, &again));
		if (first.ret & (int)SRNIC_HS_THEIRS)
			POSSIBLE();
	}
	return 0;
}
