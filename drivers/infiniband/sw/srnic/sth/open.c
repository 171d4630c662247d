// SPDX-License-Identifier: GPL-2.0
/*
 * Opening of packets (Documentation/protocol.md, section 9): verify first, and
 * change no state before (sRDMA 5.2, figure 3).
 */
#include "export.h"
#include "sth/crypto.h"

/**
 * srnic_sth_pad_ok() - Tell whether a verified packet's pad bytes are zero
 * @mode: mode of its seal
 * @pkt: the packet
 * @text: payload and pad, as received and as decrypted
 *
 * Other pad bytes would be a covert channel past the checks (protocol.md,
 * section 4). Header mode does not cover the pad, so it is not checked there.
 */
bool srnic_sth_pad_ok(enum srnic_sth_mode mode, const struct srnic_pkt *pkt,
		      const struct srnic_text *text)
{
	struct scatterlist *list = mode == SRNIC_STH_AEAD ? text->dst : text->src;
	u8 pad[3] = {};

	if (!pkt->pad || mode == SRNIC_STH_HEADER)
		return true;
	if (pkt->pad > sizeof(pad) || pkt->pad > text->len)
		return false;
	sg_pcopy_to_buffer(list, sg_nents(list), pad, pkt->pad, text->len - pkt->pad);
	return !(pad[0] | pad[1] | pad[2]);
}

/* Called under rcu_read_lock(). */
static int open_in_epoch(struct srnic_sth *sth, enum srnic_sth_flow flow, u64 psn64,
			 const struct srnic_pkt *pkt, const struct srnic_text *text)
{
	struct srnic_epoch_keys *keys = srnic_flow_keys(&sth->flow[flow], srnic_epoch(psn64));
	const struct srnic_sth_suite *suite = sth->params.suite;
	struct srnic_sth_input in = {
		.nonce64 = srnic_sth_nonce64(!sth->local_b, psn64),
		.counter_len = suite->family->has_counter ? SRNIC_STH_COUNTER_LEN : 0,
		.udp_len = pkt->len + 8,
		.sgid = pkt->ends->sgid,
		.dgid = pkt->ends->dgid,
		.hdr = pkt->hdr,
		.hdr_len = pkt->hdr_len,
	};
	const u8 *seal = pkt->hdr + pkt->hdr_len;
	struct srnic_subkey *key;
	int err = 0;

	if (!keys)
		return -ENOKEY;
	key = &keys->subkey[SRNIC_TO_OPEN];
	if (key->failed >= suite->max_failed)
		return -EKEYEXPIRED;
	if (in.counter_len) {
		in.counter = get_unaligned_be32(seal);
		seal += SRNIC_STH_COUNTER_LEN;
		if (in.counter >= SRNIC_STH_EMISSIONS)
			return -EBADMSG;
		/* This check is cheap, the tag's is not. */
		if (!srnic_replay_fresh(&key->replay, in.counter))
			return -EALREADY;
		srnic_sth_nonce96(sth->scratch.iv, in.nonce64, in.counter);
	}
	memcpy(sth->scratch.tag, seal, suite->tag_len);
	sth->scratch.input_len = srnic_sth_mac_input(&in, sth->scratch.input);
	if (unlikely(pkt->mkey))
		err = srnic_sth_prove(sth, flow, pkt);
	if (!err)
		err = srnic_sth_apply(sth, flow, keys, SRNIC_TO_OPEN, text);
	if (err == -EBADMSG)
		key->failed++;
	if (err)
		return err;
	if (in.counter_len)
		srnic_replay_mark(&key->replay, in.counter);
	return 0;
}

/**
 * srnic_sth_open() - Verify a packet, and decrypt it in aead mode
 * @sth: the connection
 * @flow: theirs for requests, ours for responses
 * @pkt: as parsed, with the STH behind @pkt->hdr_len; @pkt->ends has its
 *	addresses, @pkt->mkey the key of the memory that it accesses, or %NULL
 * @text: payload and pad; on failure the contents of its destination are
 *	undefined
 *
 * If the tag is wrong, only counters of failures change.
 *
 * Context: any up to softirq, under the QP's lock.
 * Return: 0; -EBADMSG if tag, STH code or pad is wrong, or the counter is out
 * of range; -EALREADY if the counter was seen or is older than the window;
 * -ENOKEY if the flow or epoch has no keys; -ERANGE if the PSN is below the
 * flow's start; -EKEYEXPIRED after too many wrong tags (the QP goes to error);
 * or the crypto driver's errno.
 */
int srnic_sth_open(struct srnic_sth *sth, enum srnic_sth_flow flow, struct srnic_pkt *pkt,
		   const struct srnic_text *text)
{
	struct srnic_flow *f = &sth->flow[flow];
	u64 psn64;
	int err;

	if (pkt->sth_code != srnic_sth_code(sth) || pkt->sth_len != srnic_sth_len(sth) ||
	    pkt->hdr_len > SRNIC_EXT_MAX) {
		err = -EBADMSG;
		goto out;
	}
	if (!srnic_sth_flow_ready(sth, flow)) {
		err = -ENOKEY;
		goto out;
	}
	err = srnic_psn64(f->expected, f->start, pkt->psn, &psn64);
	if (err)
		goto out;

	rcu_read_lock();
	err = open_in_epoch(sth, flow, psn64, pkt, text);
	rcu_read_unlock();

	if (!err && !srnic_sth_pad_ok(sth->params.mode, pkt, text))
		err = -EBADMSG;
out:
	if (!err)
		f->opened++;
	else if (err == -EALREADY)
		f->replayed++;
	else
		f->failed++;
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_open);
