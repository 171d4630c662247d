// SPDX-License-Identifier: GPL-2.0
/*
 * Sealing of packets (Documentation/protocol.md, section 8).
 */
#include "export.h"
#include "sth/crypto.h"

/* Called under rcu_read_lock(). */
static int seal_in_epoch(struct srnic_sth *sth, enum srnic_sth_flow flow, u64 psn64,
			 struct srnic_pkt *pkt, const struct srnic_sth_payload *payload)
{
	struct srnic_epoch_keys *keys = srnic_flow_keys(&sth->flow[flow], srnic_epoch(psn64));
	struct srnic_subkey_use with = { .flow = flow, .keys = keys, .use = SRNIC_TO_SEAL };
	const struct srnic_sth_family *family = sth->params.suite->family;
	struct srnic_sth_input in = {
		.nonce64 = srnic_sth_nonce64(sth->local_b, psn64),
		.counter_len = family->has_counter ? SRNIC_STH_COUNTER_LEN : 0,
		.udp_len = pkt->len + 8,
		.sgid = sth->params.local_gid,
		.dgid = sth->params.remote_gid,
		.hdr = pkt->hdr,
		.hdr_len = srnic_sth_offset(sth->params.mode, pkt),
	};
	u8 *out = pkt->hdr + in.hdr_len;
	int err;

	if (!keys)
		return -ENOKEY;
	with.key = srnic_phase_to_seal(&sth->flow[flow], keys);
	if (IS_ERR(with.key))
		return PTR_ERR(with.key);
	/* Count before the cipher runs, and never undo it, so that no nonce is used twice. */
	in.counter = with.key->emitted++;
	srnic_phase_name(pkt->hdr, with.key->phase);

	if (family->has_counter) {
		srnic_sth_nonce96(sth->scratch.iv, in.nonce64, in.counter);
		put_unaligned_be32(in.counter, out);
		out += SRNIC_STH_COUNTER_LEN;
	}
	sth->scratch.input_len = srnic_sth_mac_input(&in, sth->scratch.input);
	err = srnic_sth_apply(sth, &with, payload);
	if (unlikely(pkt->mkey) && !err) {
		/* after the cipher, which overwrites the input and encrypts the payload */
		sth->scratch.input_len = srnic_sth_mac_input(&in, sth->scratch.input);
		err = srnic_sth_prove(sth, flow, pkt, payload);
	}
	if (err)
		return err;
	memcpy(out, sth->scratch.tag, sth->form.tag_len);
	return 0;
}

/**
 * srnic_sth_seal() - Fill in a packet's STH
 * @sth: the connection
 * @flow: ours for requests, theirs for responses
 * @pkt: @pkt->hdr has the complete BTH and extension headers, with the STH
 *	code, and space for the STH behind them, in opaque mode behind the BTH;
 *	@pkt->len, @psn, @hdr_len, @sth_len and @mkey are set; with a memory key
 *	also @va and @dmalen
 * @payload: payload and pad, encrypted in place by modes that encrypt; in opaque
 *	mode the extension headers precede them
 *
 * Context: any up to softirq, under the QP's lock.
 * Return: 0; -ENOKEY if the flow is not confirmed or the epoch's keys are not
 * derived yet (retry after the handshake or after srnic_sth_rekey()); -ERANGE
 * if the PSN is below the flow's start; -EKEYEXPIRED if the last phase has
 * reached its limit of emissions, or the connection began in a former life (the QP goes
 * to error); or the crypto driver's errno.
 */
int srnic_sth_seal(struct srnic_sth *sth, enum srnic_sth_flow flow, struct srnic_pkt *pkt,
		   const struct srnic_sth_payload *payload)
{
	struct srnic_flow *f = &sth->flow[flow];
	u64 psn64;
	int err;

	if (WARN_ON_ONCE(pkt->sth_len != srnic_sth_len(sth) || pkt->hdr_len > SRNIC_EXT_MAX))
		return -EINVAL;
	if (!srnic_sth_flow_ready(sth, flow))
		return -ENOKEY;
	if (!srnic_sth_lives(sth))
		return -EKEYEXPIRED;
	err = srnic_psn64(f->expected, f->start, pkt->psn, &psn64);
	if (err)
		return err;

	rcu_read_lock();
	err = seal_in_epoch(sth, flow, psn64, pkt, payload);
	rcu_read_unlock();
	if (err)
		return err;
	f->sealed++;
	srnic_key_use_count(srnic_flow_key_use(sth, f), &f->unreported, pkt->len);
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_sth_seal);
