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
 * @payload: payload and pad, as received and as decrypted
 *
 * Other pad bytes would be a covert channel past the checks (protocol.md,
 * section 4). Header mode does not cover the pad, so it is not checked there.
 */
bool srnic_sth_pad_ok(enum srnic_sth_mode mode, const struct srnic_pkt *pkt,
		      const struct srnic_sth_payload *payload)
{
	struct scatterlist *list = srnic_sth_encrypts(mode) ? payload->dst : payload->src;
	u8 pad[3] = {};

	if (!pkt->pad || mode == SRNIC_STH_HEADER)
		return true;
	if (pkt->pad > sizeof(pad) || pkt->pad > payload->len)
		return false;
	sg_pcopy_to_buffer(list, sg_nents(list), pad, pkt->pad, payload->len - pkt->pad);
	return !(pad[0] | pad[1] | pad[2]);
}

/*
 * Read the counter of a packet, and its nonce. Return 0, -EBADMSG for a counter that nobody
 * uses, or -EALREADY for one that was seen.
 */
static int open_counter(struct srnic_sth *sth, struct srnic_subkey *key,
			struct srnic_sth_input *in, const u8 *seal)
{
	in->counter = get_unaligned_be32(seal);
	if (in->counter >= srnic_sth_emissions())
		return -EBADMSG;
	/* This check is cheap, the tag's is not. */
	if (!srnic_replay_fresh(&key->replay, in->counter))
		return -EALREADY;
	srnic_sth_nonce96(sth->scratch.iv, in->nonce64, in->counter);
	return 0;
}

/* Called under rcu_read_lock(). */
static int open_in_epoch(struct srnic_sth *sth, enum srnic_sth_flow flow, u64 psn64,
			 const struct srnic_pkt *pkt, const struct srnic_sth_payload *payload)
{
	struct srnic_epoch_keys *keys = srnic_flow_keys(&sth->flow[flow], srnic_epoch(psn64));
	struct srnic_subkey_use with = { .flow = flow, .keys = keys, .use = SRNIC_TO_OPEN };
	const struct srnic_sth_suite *suite = sth->params.suite;
	struct srnic_sth_input in = {
		.nonce64 = srnic_sth_nonce64(!sth->local_b, psn64),
		.counter_len = suite->family->has_counter ? SRNIC_STH_COUNTER_LEN : 0,
		.udp_len = pkt->len + 8,
		.sgid = pkt->ends->sgid,
		.dgid = pkt->ends->dgid,
		.hdr = pkt->hdr,
		.hdr_len = srnic_sth_offset(sth->params.mode, pkt),
	};
	const u8 *seal = pkt->hdr + in.hdr_len;
	struct srnic_subkey *key;
	int err = 0;

	if (!keys)
		return -ENOKEY;
	key = srnic_phase_to_open(&sth->flow[flow], keys, pkt->hdr);
	if (!key)
		return -ENOKEY;
	with.key = key;
	if (key->failed >= suite->max_failed)
		return -EKEYEXPIRED;
	if (in.counter_len)
		err = open_counter(sth, key, &in, seal);
	if (err)
		return err;
	memcpy(sth->scratch.tag, seal + in.counter_len, suite->tag_len);
	sth->scratch.input_len = srnic_sth_mac_input(&in, sth->scratch.input);
	if (unlikely(pkt->mkey))
		err = srnic_sth_prove(sth, flow, pkt, payload);
	if (!err)
		err = srnic_sth_apply(sth, &with, payload);
	if (err == -EBADMSG)
		key->failed++;
	if (err)
		return err;
	if (in.counter_len)
		srnic_replay_mark(&key->replay, in.counter);
	srnic_phase_opened(&sth->flow[flow], keys, key);
	return 0;
}

/**
 * srnic_sth_open() - Verify a packet, and decrypt it in modes that encrypt
 * @sth: the connection
 * @flow: theirs for requests, ours for responses
 * @pkt: as parsed, with the STH behind @pkt->hdr_len, in opaque mode behind the
 *	BTH; @pkt->ends has its addresses, @pkt->mkey the key of the memory that
 *	it accesses, or %NULL
 * @payload: payload and pad, in opaque mode behind the extension headers; on
 *	failure the contents of its destination are undefined
 *
 * If the tag is wrong, only counters of failures change.
 *
 * Context: any up to softirq, under the QP's lock.
 * Return: 0; -EBADMSG if tag, STH code or pad is wrong, or the counter is out
 * of range; -EALREADY if the counter was seen or is older than the window;
 * -ENOKEY if the flow, epoch or phase has no keys; -ERANGE if the PSN is below the
 * flow's start; -EKEYEXPIRED after too many wrong tags, or if the connection
 * began in a former life (the QP goes to error); or the crypto driver's errno.
 */
int srnic_sth_open(struct srnic_sth *sth, enum srnic_sth_flow flow, struct srnic_pkt *pkt,
		   const struct srnic_sth_payload *payload)
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
	if (!srnic_sth_lives(sth)) {
		err = -EKEYEXPIRED;
		goto out;
	}
	err = srnic_psn64(f->expected, f->start, pkt->psn, &psn64);
	if (err)
		goto out;

	rcu_read_lock();
	err = open_in_epoch(sth, flow, psn64, pkt, payload);
	rcu_read_unlock();

	if (!err && !srnic_sth_pad_ok(sth->params.mode, pkt, payload))
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
