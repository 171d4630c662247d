// SPDX-License-Identifier: GPL-2.0
/*
 * Sealing of packets (Documentation/protocol.md, section 8).
 */
#include "export.h"
#include "sth/crypto.h"

static int seal_by(struct srnic_sth *sth, enum srnic_sth_flow flow, struct srnic_epoch_keys *keys,
		   unsigned int input_len, struct scatterlist *payload, unsigned int len)
{
	if (unlikely(sth->shared))
		return srnic_shared_seal(sth, flow, keys, input_len, payload, len);
	return sth->params.suite->family->seal(&sth->scratch, &keys->seal.cipher, input_len,
					       payload, len);
}

static int seal_under(struct srnic_sth *sth, enum srnic_sth_flow flow,
		      struct srnic_epoch_keys *keys, u64 psn64, struct srnic_pkt *pkt,
		      struct scatterlist *payload, unsigned int len)
{
	const struct srnic_sth_family *family = sth->params.suite->family;
	struct srnic_sth_input in = {
		.nonce64 = srnic_sth_nonce64(sth->local_b, psn64),
		.counter_len = family->has_counter ? SRNIC_STH_COUNTER_LEN : 0,
		.udp_len = pkt->len + 8,
		.sgid = sth->params.local_gid,
		.dgid = sth->params.remote_gid,
		.hdr = pkt->hdr,
		.hdr_len = pkt->hdr_len,
	};
	struct srnic_subkey *key = &keys->seal;
	u8 *out = pkt->hdr + pkt->hdr_len;
	unsigned int input_len;
	int err = 0;

	if (key->emitted >= SRNIC_STH_EMISSIONS)
		return -EKEYEXPIRED;
	/* Count before the cipher runs, and never undo it, so that no nonce is used twice. */
	in.counter = key->emitted++;

	if (family->has_counter) {
		srnic_sth_nonce96(sth->scratch.iv, in.nonce64, in.counter);
		put_unaligned_be32(in.counter, out);
		out += SRNIC_STH_COUNTER_LEN;
	}
	input_len = srnic_sth_mac_input(&in, sth->scratch.input);
	if (unlikely(pkt->mkey))
		err = srnic_sth_prove(sth, flow, pkt, &input_len);
	if (!err)
		err = seal_by(sth, flow, keys, input_len, payload, len);
	if (err)
		return err;
	memcpy(out, sth->scratch.tag, sth->seals.tag_len);
	return 0;
}

/**
 * srnic_sth_seal() - Fill in a packet's STH
 * @sth: the connection
 * @flow: ours for requests, theirs for responses
 * @pkt: @pkt->hdr has the complete BTH and extension headers, with the STH
 *	code, followed by space for the STH; @pkt->len, @psn, @hdr_len, @sth_len
 *	and @mkey are set; with a memory key also @va and @dmalen
 * @payload: payload and pad, at most SRNIC_STH_PAYLOAD_SG pieces of kernel
 *	memory, encrypted in place in aead mode; may be NULL if @len is 0
 * @len: bytes of payload and pad
 *
 * Context: any up to softirq, under the QP's lock.
 * Return: 0; -ENOKEY if the flow is not confirmed or the epoch's keys are not
 * derived yet (retry after the handshake or after srnic_sth_rekey()); -ERANGE
 * if the PSN is below the flow's start; -EKEYEXPIRED if the sub-key has reached
 * its limit of emissions (the QP goes to error); or the crypto driver's errno.
 */
int srnic_sth_seal(struct srnic_sth *sth, enum srnic_sth_flow flow, struct srnic_pkt *pkt,
		   struct scatterlist *payload, unsigned int len)
{
	struct srnic_flow *f = &sth->flow[flow];
	struct srnic_epoch_keys *keys;
	u64 psn64;
	int err;

	if (WARN_ON_ONCE(pkt->sth_len != srnic_sth_len(sth) || pkt->hdr_len > SRNIC_EXT_MAX))
		return -EINVAL;
	if (!srnic_sth_flow_ready(sth, flow))
		return -ENOKEY;
	err = srnic_psn64(f->expected, f->start, pkt->psn, &psn64);
	if (err)
		return err;

	rcu_read_lock();
	keys = srnic_flow_keys(f, srnic_epoch(psn64));
	err = keys ? seal_under(sth, flow, keys, psn64, pkt, payload, len) : -ENOKEY;
	rcu_read_unlock();
	if (!err)
		f->sealed++;
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_seal);
