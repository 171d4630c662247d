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
 * @src: payload and pad as received
 * @dst: payload and pad as decrypted
 * @len: bytes of payload and pad
 *
 * Other pad bytes would be a covert channel past the checks (protocol.md,
 * section 4). Header mode does not cover the pad, so it is not checked there.
 */
bool srnic_sth_pad_ok(enum srnic_sth_mode mode, const struct srnic_pkt *pkt,
		      struct scatterlist *src, struct scatterlist *dst, unsigned int len)
{
	struct scatterlist *list = mode == SRNIC_STH_AEAD ? dst : src;
	u8 pad[3] = {};

	if (!pkt->pad || mode == SRNIC_STH_HEADER)
		return true;
	if (pkt->pad > sizeof(pad) || pkt->pad > len)
		return false;
	sg_pcopy_to_buffer(list, sg_nents(list), pad, pkt->pad, len - pkt->pad);
	return !(pad[0] | pad[1] | pad[2]);
}

static int open_by(struct srnic_sth *sth, enum srnic_sth_flow flow, struct srnic_epoch_keys *keys,
		   unsigned int input_len, struct scatterlist *src, struct scatterlist *dst,
		   unsigned int len)
{
	if (unlikely(sth->shared))
		return srnic_shared_open(sth, flow, keys, input_len, src, dst, len);
	return sth->params.suite->family->open(&sth->scratch, &keys->open.cipher, input_len, src,
					       dst, len);
}

static int open_under(struct srnic_sth *sth, enum srnic_sth_flow flow,
		      struct srnic_epoch_keys *keys, u64 psn64, const struct srnic_pkt *pkt,
		      struct scatterlist *src, struct scatterlist *dst, unsigned int len)
{
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
	struct srnic_subkey *key = &keys->open;
	const u8 *seal = pkt->hdr + pkt->hdr_len;
	unsigned int input_len;
	int err = 0;

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
	input_len = srnic_sth_mac_input(&in, sth->scratch.input);
	if (unlikely(pkt->mkey))
		err = srnic_sth_prove(sth, flow, pkt, &input_len);
	if (!err)
		err = open_by(sth, flow, keys, input_len, src, dst, len);
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
 * @src: payload and pad, at most SRNIC_STH_PAYLOAD_SG pieces of kernel memory;
 *	may be NULL if @len is 0
 * @dst: destination of decryption in aead mode; may be @src. Undefined contents
 *	on failure
 * @len: bytes of payload and pad
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
		   struct scatterlist *src, struct scatterlist *dst, unsigned int len)
{
	struct srnic_flow *f = &sth->flow[flow];
	struct srnic_epoch_keys *keys;
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
	keys = srnic_flow_keys(f, srnic_epoch(psn64));
	err = keys ? open_under(sth, flow, keys, psn64, pkt, src, dst, len) : -ENOKEY;
	rcu_read_unlock();

	if (!err && !srnic_sth_pad_ok(sth->params.mode, pkt, src, dst, len))
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
