// SPDX-License-Identifier: GPL-2.0
/*
 * Building of packets into bursts. Headers, payload, seal and ICRC are written directly to the
 * memory that the packet is sent from. Consecutive packets of the same length form one
 * super-packet; a shorter packet ends it, any other begins the next one.
 */
#include "srnic.h"
#include "engine/backpressure.h"
#include "engine/build.h"
#include "engine/gso_watch.h"
#include "engine/ipoib.h"
#include "engine/page_in.h"
#include "engine/pkey.h"
#include "engine/proof.h"
#include "engine/reorder.h"
#include "engine/ud_keys.h"
#include "export.h"
#include "trace/events.h"

/**
 * srnic_build_begin() - Begin a turn of sending
 * @build: the turn, filled in
 * @qp: the QP; its lock is held until srnic_build_end()
 * @path: path of the packets; the caller may change it between bursts
 * @flow: OURS to send requests, THEIRS to send responses
 *
 * Context: any up to softirq, under the QP's lock.
 */
void srnic_build_begin(struct srnic_build *build, struct srnic_qp *qp, struct srnic_path *path,
		       enum srnic_sth_flow flow)
{
	struct srnic_pkt *pkt = &build->pkt;

	lockdep_assert_held(&qp->lock);

	build->qp = qp;
	build->path = path;
	build->sth = qp->sth;
	build->dgram = NULL;
	build->opaque = qp->sth && srnic_sth_params(qp->sth)->mode == SRNIC_STH_OPAQUE;
	build->flow = flow;
	build->packets = 0;
	build->sealed = 0;
	build->bytes = 0;
	build->bursts = 0;
	build->deadline = jiffies + SRNIC_TURN_JIFFIES;
	build->max_bytes = U32_MAX;
	build->last_psn = 0;
	build->cache.valid = false;
	build->open = false;

	/* the opcode determines the other fields, packet by packet */
	pkt->skb = NULL;
	pkt->dqpn = qp->attr.dest_qp_num;
	pkt->pkey = srnic_qp_pkey(qp);
	pkt->mig = true;	/* "migrated": adapters expect this without APM (IBA 17.2.8.1) */
	pkt->becn = false;
	pkt->fecn = false;
	pkt->se = false;
	pkt->ackreq = false;
	pkt->echo = false;
	pkt->gap = flow == SRNIC_FLOW_OURS && qp->req.tells_gaps ? SRNIC_GAP_UNDERSTOOD : 0;
	pkt->mkey = NULL;
	pkt->sth_code = qp->sth ? srnic_sth_code(qp->sth) : 0;
	pkt->sth_len = qp->sth ? srnic_sth_len(qp->sth) : 0;
}

/**
 * srnic_build_seal() - Set the seal of the datagrams that follow
 * @build: the turn; no burst is open
 * @dgram: the seal, or NULL for datagrams in the clear
 */
void srnic_build_seal(struct srnic_build *build, struct srnic_dgram *dgram)
{
	build->dgram = dgram;
	build->opaque = dgram && srnic_dgram_mode(dgram) == SRNIC_STH_OPAQUE;
	build->pkt.sth_code = dgram ? SRNIC_DGRAM_CODE : 0;
	build->pkt.sth_len = dgram ? SRNIC_DGRAM_STH_LEN : 0;
}

/* Take @len bytes from the open burst, or from a new one for @more packets of that length. */
static u8 *take_segment(struct srnic_build *build, u16 len, u32 more, int *err)
{
	u8 *seg;
	u16 segs;

	if (build->open) {
		seg = len <= build->burst.seg_len ? srnic_burst_segment(&build->burst, len) : NULL;
		if (seg)
			return seg;
		srnic_build_close(build);
	}

	segs = 1;
	if (more > 1 && likely(!READ_ONCE(build->qp->dev->no_gso)))
		segs = min_t(u32, more, srnic_burst_max(build->path, len));
	*err = srnic_burst_open(&build->burst, build->path, len, segs);
	if (unlikely(*err))
		return NULL;
	build->first_psn = build->pkt.psn;
	build->first_opcode = build->pkt.opcode;
	build->open = true;
	seg = srnic_burst_segment(&build->burst, len);
	if (unlikely(!seg))
		*err = -ENOMEM;
	return seg;
}

/* The payload could not be gathered: return -EBUSY if it can soon. */
static int gather_failed(struct srnic_build *build, const struct srnic_sge_pos *from, u32 len,
			 enum srnic_mem_status status)
{
	if (status == SRNIC_MEM_ABSENT &&
	    srnic_page_in_sges(build->qp, SRNIC_FLOW_OURS, from, len, 0))
		return -EBUSY;
	return -EFAULT;
}

static int gather_data(struct srnic_build *build, const struct srnic_source *src, u8 *dst, u32 len)
{
	const struct srnic_sge_pos from = { .sge = src->sge, .left = src->num_sge, .off = src->at };
	enum srnic_mem_status status;

	if (src->sge) {
		status = srnic_sge_gather(&build->qp->mem, &build->cache, &from, dst, len);
		return unlikely(status) ? gather_failed(build, &from, len, status) : 0;
	}
	if (src->ref)
		srnic_mem_gather(src->ref, src->at, dst, len);
	else
		memcpy(dst, src->data + src->at, len);
	return 0;
}

static int build_gather(struct srnic_build *build, const struct srnic_source *src)
{
	const struct srnic_pkt *pkt = &build->pkt;
	u32 header_len = src->header_len;
	int err;

	if (header_len)
		memcpy(pkt->payload, src->header, header_len);
	err = gather_data(build, src, pkt->payload + header_len, pkt->payload_len - header_len);
	if (!err && src->ip_csum)
		srnic_ipoib_fill_csum(pkt->payload, pkt->payload_len);
	return err;
}

/*
 * The ICRC covers the bytes as sent (protocol.md, section 2): @seg has @len bytes, including
 * the ICRC. The gathered bytes are still in the level 1 cache.
 */
static void put_icrc(struct srnic_burst *burst, u8 *seg, u16 len)
{
	u32 crc = srnic_burst_icrc(burst, len, seg);

	len -= SRNIC_ICRC_LEN;
	crc = srnic_crc_update(crc, seg, len);
	put_unaligned_le32(le32_to_cpu(srnic_icrc_end(crc)), seg + len);
}

static int fill_clear(struct srnic_build *build, const struct srnic_source *src)
{
	struct srnic_pkt *pkt = &build->pkt;
	int err;

	if (pkt->payload_len) {
		err = build_gather(build, src);
		if (unlikely(err))
			return err;
	}
	if (pkt->pad)
		memset(pkt->payload + pkt->payload_len, 0, pkt->pad);
	put_icrc(&build->burst, pkt->hdr, pkt->len);
	return 0;
}

/* Tell whether requests have proofs: in opaque mode none has (protocol.md, section 12). */
static bool build_proves(const struct srnic_build *build)
{
	return unlikely(!list_empty(&build->qp->grants)) && build->flow == SRNIC_FLOW_OURS &&
	       !build->opaque;
}

static int fill_sealed(struct srnic_build *build, const struct srnic_source *src)
{
	struct srnic_pkt *pkt = &build->pkt;
	u8 *text = build->opaque ? pkt->hdr + SRNIC_BTH_LEN + pkt->sth_len : pkt->payload;
	u8 *end = pkt->payload + pkt->payload_len + pkt->pad;
	u32 len = end - text;
	struct scatterlist sg;
	const struct srnic_sth_payload payload = srnic_sth_in_place(len ? &sg : NULL, len);
	int err;

	if (pkt->payload_len) {
		err = build_gather(build, src);
		if (unlikely(err))
			return err;
		memset(end - pkt->pad, 0, pkt->pad);
	}
	if (len)
		srnic_sth_one_piece(&sg, text, len);
	if (build_proves(build)) {
		err = srnic_proof_find(build->qp, pkt);
		if (unlikely(err))
			return err;
	}
	if (build->dgram)
		err = srnic_dgram_seal(build->dgram, srnic_dgram_out_next_counter(build->qp), pkt,
				       &payload);
	else
		err = srnic_sth_seal(build->sth, build->flow, pkt, &payload);
	if (unlikely(err))
		return err;
	build->sealed++;
	trace_srnic_sealed(build->qp->dev, build->qp->ib.qp_num, pkt);
	put_icrc(&build->burst, pkt->hdr, pkt->len);
	return 0;
}

/**
 * srnic_build_packet() - Append a packet to the burst
 * @build: the turn; its pkt has opcode, psn, and the fields that the opcode carries
 * @src: source of the payload; not used if @len is 0
 * @len: bytes of payload
 * @more: number of packets of this length that the caller will build, this one included
 *
 * Context: any up to softirq, under the QP's lock.
 * Return: 0; -EFAULT if the payload may not be read (nothing was appended); -EBUSY if its pages
 * are being faulted in, after which the requester continues; -ENOMEM, -EHOSTUNREACH, -ENETDOWN or
 * -ENOKEY if the packet cannot be sent now; -EKEYEXPIRED if it can never be sent.
 */
int srnic_build_packet(struct srnic_build *build, const struct srnic_source *src, u32 len,
		       u32 more)
{
	struct srnic_pkt *pkt = &build->pkt;
	u8 *seg;
	int err;

	pkt->opc = &srnic_opcode_table[pkt->opcode];
	pkt->hdr_len = pkt->opc->hdr_len;
	pkt->pad = -len & 3;
	pkt->payload_len = len;
	pkt->len = pkt->hdr_len + pkt->sth_len + len + pkt->pad + SRNIC_ICRC_LEN;

	seg = take_segment(build, pkt->len, more, &err);
	if (unlikely(!seg))
		return err;

	pkt->ends = &build->path->ends;
	pkt->hdr = seg;
	pkt->payload = seg + pkt->hdr_len + pkt->sth_len;
	srnic_wire_build_apart(pkt, seg, seg + SRNIC_BTH_LEN + (build->opaque ? pkt->sth_len : 0));

	err = pkt->sth_len ? fill_sealed(build, src) : fill_clear(build, src);
	if (unlikely(err)) {
		srnic_burst_undo_segment(&build->burst, pkt->len);
		return err;
	}
	build->packets++;
	build->bytes += pkt->len;
	if (build->burst.segs == 2)
		build->second_psn = pkt->psn;
	return 0;
}

static enum srnic_out_kind build_kind(const struct srnic_build *build)
{
	if (build->flow == SRNIC_FLOW_OURS)
		return SRNIC_OUT_REQUEST;
	if ((build->first_opcode & SRNIC_OPC_MASK) == SRNIC_OPC_ACK)
		return SRNIC_OUT_ACK;
	return SRNIC_OUT_RESPONSE;
}

/*
 * Charge the closed burst to the QP until it has left, and store its kind and first PSN, in case
 * the stack drops it.
 */
static void build_charge(struct srnic_build *build)
{
	bool ours = build->flow == SRNIC_FLOW_OURS;
	struct srnic_qp *qp = build->qp;
	struct sk_buff *skb = skb_peek_tail(&qp->out);

	*srnic_out_cb(skb) = (struct srnic_out_cb) {
		.kind = build_kind(build),
		.psn = build->first_psn,
		.last = build->last_psn,
	};
	if (build->burst.segs > 1)
		srnic_gso_watch_built(ours ? &qp->req.gso_watch : &qp->resp.gso_watch,
				      build->second_psn);
	srnic_txq_charge(&qp->txq, skb);
}

/**
 * srnic_build_close() - Close the open burst, so that its packets leave as one
 * @build: the turn
 *
 * The caller must do this before it changes the path or releases the path's lock. The burst's
 * region is released, too: a thread that withdraws the region waits for it.
 */
void srnic_build_close(struct srnic_build *build)
{
	srnic_mem_cache_drop(&build->cache);
	if (!build->open)
		return;
	if (likely(build->burst.segs)) {
		srnic_burst_close(&build->burst, &build->qp->out);
		build_charge(build);
	} else {
		srnic_burst_abort(&build->burst);
	}
	build->bursts++;
	build->open = false;
}

/**
 * srnic_build_end() - End the turn
 * @build: the turn
 *
 * The packets leave when the QP is unlocked.
 */
void srnic_build_end(struct srnic_build *build)
{
	struct srnic_qp *qp = build->qp;

	srnic_build_close(build);
	if (!build->packets)
		return;
	srnic_count_add(qp, sent_pkts, build->packets);
	srnic_count_add(qp, sent_bytes, build->bytes);
	srnic_count_add(qp, sent_bursts, build->bursts);
	if (build->sealed)
		srnic_count_add(qp, sth_sealed, build->sealed);
}

/**
 * srnic_build_frame() - Build a handshake frame or a CNP for sending
 * @qp: the QP, locked
 * @frame: the packet from the BTH on, without the ICRC
 * @len: bytes in @frame
 *
 * Context: any up to softirq, under the QP's lock; the frame leaves at the unlock.
 * Return: 0 or a negative errno.
 */
int srnic_build_frame(struct srnic_qp *qp, const u8 *frame, unsigned int len)
{
	struct srnic_burst burst;
	u8 *seg;
	int err;

	lockdep_assert_held(&qp->lock);

	err = srnic_burst_open(&burst, &qp->path, len + SRNIC_ICRC_LEN, 1);
	if (err)
		return err;
	seg = srnic_burst_segment(&burst, len + SRNIC_ICRC_LEN);
	if (!seg) {
		srnic_burst_abort(&burst);
		return -ENOMEM;
	}

	memcpy(seg, frame, len);
	put_icrc(&burst, seg, len + SRNIC_ICRC_LEN);
	srnic_burst_close(&burst, &qp->out);
	*srnic_out_cb(skb_peek_tail(&qp->out)) = (struct srnic_out_cb){ .kind = SRNIC_OUT_FRAME };
	srnic_count(qp, sent_pkts);
	srnic_count_add(qp, sent_bytes, len + SRNIC_ICRC_LEN);
	srnic_count(qp, sent_bursts);
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_build_frame);
