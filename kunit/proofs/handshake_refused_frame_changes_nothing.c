// SPDX-License-Identifier: GPL-2.0
/*
 * proves: a handshake frame that is refused changes nothing, and one without a right tag is refused
 * cites: protocol.md, section 7
 * unwind: 33
 * wraps: all_zero: the last decrement is of 0; its result is not used
 * wraps: hs_rx_confirm_ack: an errno is converted to the type of BIT() and back
 * broken: sth/handshake.c: `if (!err && crypto_memneq(` => `if (err && crypto_memneq(`
 * broken: sth/handshake.c: `!srnic_sth_lives(sth) || !hs_has` => `!hs_has`
 * broken: sth/handshake.c: `for (i = 0; i < sth->pairs; i++)`
 *	=> `for (i = 0; i <= sth->pairs; i++)`
 * broken: sth/handshake.c: `if (f->state == SRNIC_HS_CONFIRM &&`
 *	=> `f->tries = 0; if (f->state == SRNIC_HS_CONFIRM &&`
 * broken: sth/handshake.c: `root = hs_agree(sth, SRNIC_FLOW_THEIRS,`
 *	=> `f->nq[0] = 0; root = hs_agree(sth, SRNIC_FLOW_THEIRS,`
 * broken: sth/handshake.c: `len = hs_build(sth, secret, &hs, reply);`
 *	=> `*reply_len = len = hs_build(sth, secret, &hs, reply);`
 * broken: sth/ephemeral.c: `if (!shared_context(sth, theirs, ctx))`
 *	=> `ephemeral->theirs[0] = 0; if (!shared_context(sth, theirs, ctx))`
 * broken: sth/format.c: `if (len != SRNIC_HS_FRAME_LEN)` => `if (len < SRNIC_HS_HDR_LEN)`
 *
 * For any state of one end, and any bytes of any length, which hs_check() and hs_rx() read. The
 * MAC returns any tag here, right or wrong.
 */
#include "handshake_ends.h"

static const u8 *received;
static unsigned int digests;
static bool tag_is_right;

int crypto_shash_tfm_digest(struct crypto_shash *tfm, const u8 *data, unsigned int len, u8 *out)
{
	PROVE(tfm == &acting->hs[0] || tfm == &acting->hs[1]);
	PROVE(len == INPUT_LEN);
	if (fails())
		return -ENOMEM;
	ANY_SLICE(out, HMAC_LEN);
	if (!digests++)
		tag_is_right = !memcmp(out, received + SRNIC_HS_HDR_LEN, SRNIC_HS_TAG_LEN);
	return 0;
}

static bool same_state(const struct srnic_sth *a, const struct srnic_sth *b)
{
	unsigned int i = nondet_u32();

	GIVEN(i < sizeof(*a));
	return ((const u8 *)a)[i] == ((const u8 *)b)[i];
}

static bool same_progress(const struct srnic_flow *a, const struct srnic_flow *b)
{
	return a[0].state == b[0].state && a[1].state == b[1].state &&
	       a[0].ready == b[0].ready && a[1].ready == b[1].ready;
}

static bool is_refusal(int ret)
{
	return ret == -EBADMSG || ret == -EPROTO || ret == -EKEYREJECTED;
}

static void receive(void)
{
	unsigned int len = nondet_u32(), was = nondet_u32(), reply_len = was;
	u8 *frame, *reply = any_memory(SRNIC_HS_FRAME_LEN);
	struct srnic_sth before;
	struct end end;
	int checked, ret;

	srnic_sth_present_life = nondet_u32();
	given_end(&end);
	acting = &end;
	GIVEN(len <= 2 * SRNIC_HS_FRAME_LEN);
	frame = any_memory(len);
	received = frame;
	before = end.sth;

	checked = srnic_sth_hs_check(&end.sth, frame, len);
	ret = srnic_sth_hs_rx(&end.sth, frame, len, reply, &reply_len);

	/* A frame that is not expected costs no cryptography. */
	if (checked) {
		PROVE(ret == checked && !digests);
		POSSIBLE();
	}
	if (is_refusal(ret))
		PROVE(same_state(&end.sth, &before));
	if (ret >= 0) {
		PROVE(!checked && tag_is_right);
		POSSIBLE();
	}
	if (ret < 0)
		PROVE(same_progress(end.sth.flow, before.flow));
	PROVE(reply_len == (ret >= 0 && ret & SRNIC_HS_REPLY ? SRNIC_HS_FRAME_LEN : was));
	PROVE(end_is_sound(&end));
}

int main(void)
{
	receive();
	return 0;
}
