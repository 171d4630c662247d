// SPDX-License-Identifier: GPL-2.0
/*
 * Seals of received packets (protocol.md, section 9): whether a packet has the seal that its QP
 * requires, and whether the seal is correct. A packet that fails is dropped and never answered.
 */
#include <linux/slab.h>
#include "export.h"
#include "srnic.h"
#include "engine/due.h"
#include "engine/fault.h"
#include "engine/open.h"
#include "engine/page_in.h"
#include "engine/proof.h"
#include "trace/events.h"

#define PAYLOAD_MAX	(4096 + 4)	/* the longest payload and its pad */

/*
 * Per-CPU buffer into which packets are decrypted if their carrier is shared: a packet tap must
 * not see plaintext. The user has BHs off, and uses the plaintext before the next packet. Before
 * it there is room for extension headers that are not contiguous with the payload.
 */
#define SCRATCH_EXT	128
#define SCRATCH_LEN	(SCRATCH_EXT + SRNIC_EXT_MAX + PAYLOAD_MAX)

static_assert(SCRATCH_EXT >= SRNIC_EXT_MAX);

static DEFINE_PER_CPU(u8 *, scratch);

/**
 * srnic_engine_init() - Allocate the memory that packets are opened in
 *
 * Context: process, at module load.
 * Return: 0 or -ENOMEM.
 */
int srnic_engine_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		u8 *p = kmalloc_node(SCRATCH_LEN, GFP_KERNEL, cpu_to_node(cpu));

		if (!p)
			goto exit;
		per_cpu(scratch, cpu) = p;
	}
	if (srnic_page_in_start())
		goto exit;
	return 0;

exit:
	srnic_engine_exit();
	return -ENOMEM;
}

/**
 * srnic_engine_exit() - Undo srnic_engine_init(), or as much of it as succeeded
 *
 * Context: process; no packet is being received.
 */
void srnic_engine_exit(void)
{
	int cpu;

	srnic_page_in_stop();
	for_each_possible_cpu(cpu) {
		kfree_sensitive(per_cpu(scratch, cpu));
		per_cpu(scratch, cpu) = NULL;
	}
}

/*
 * Set up the source where extension headers and payload are apart. The headers are copied, because
 * they may be on the stack.
 */
static noinline void list_apart(struct srnic_opening *opening, const struct srnic_pkt *pkt,
				u32 ext)
{
	u8 *copy = this_cpu_read(scratch);
	u32 len = opening->len - ext;

	memcpy(copy, pkt->hdr + SRNIC_BTH_LEN + pkt->sth_len, ext);
	opening->ext = copy;
	sg_init_table(opening->src, len ? 2 : 1);
	sg_set_buf(&opening->src[0], copy, ext);
	if (len)
		sg_set_buf(&opening->src[1], pkt->payload, len);
}

/**
 * srnic_opening_init() - Set up the memory for opening a packet
 * @opening: result
 * @rx: carrier of the packet
 * @pkt: the packet
 * @mode: mode of its seal
 * @source: whether the ciphertext must stay as it is
 *
 * The length is limited to that of the largest path MTU, because a tag over 64 KiB is
 * expensive.
 *
 * Context: softirq, or BHs off until the payload has been used.
 * Return: true; false if the packet is too long.
 */
bool srnic_opening_init(struct srnic_opening *opening, const struct srnic_rx *rx,
			const struct srnic_pkt *pkt, enum srnic_sth_mode mode,
			enum srnic_opening_source source)
{
	u32 ext = pkt->hdr_len - srnic_sth_offset(mode, pkt);
	u32 len = pkt->payload_len + pkt->pad;

	if (len > PAYLOAD_MAX)
		return false;
	opening->mode = mode;
	opening->len = ext + len;
	opening->ext = pkt->payload - ext;
	opening->payload = pkt->payload;
	if (!opening->len)
		return true;
	if (unlikely(ext && !rx->whole))
		list_apart(opening, pkt, ext);
	else
		srnic_sth_one_piece(opening->src, pkt->payload - ext, opening->len);

	/* Neither the clone of a packet tap nor other members of a group must see plaintext. */
	opening->bounce = srnic_sth_encrypts(mode) &&
			  (source == SRNIC_KEEP_SOURCE || !rx->writable);
	if (opening->bounce) {
		u8 *to = this_cpu_read(scratch) + SCRATCH_EXT;

		srnic_sth_one_piece(&opening->dst, to, opening->len);
		opening->ext = to;
		opening->payload = to + ext;
	}
	return true;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_opening_init);

/**
 * srnic_opening_take() - Use the result of opening a packet
 * @opening: the memory that it was opened from and to
 * @pkt: the packet, verified; on return, its payload is plaintext, and its fields of the
 *	extension headers are those that the sender wrote
 */
void srnic_opening_take(const struct srnic_opening *opening, struct srnic_pkt *pkt)
{
	pkt->payload = opening->payload;
	if (opening->mode == SRNIC_STH_OPAQUE)
		srnic_wire_parse_ext(pkt, opening->ext);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_opening_take);

static void open_count_drop(struct srnic_qp *qp, const struct srnic_pkt *pkt, int err)
{
	if (err == -EALREADY)
		srnic_qp_count_drop(qp, pkt, SRNIC_STAT_sth_replayed);
	else if (pkt->mkey)
		srnic_qp_count_drop(qp, pkt, SRNIC_STAT_sth_proof_failed);
	else
		srnic_qp_count_drop(qp, pkt, SRNIC_STAT_sth_auth_failed);
	if (err == -EKEYEXPIRED)
		srnic_qp_fatal(qp, IB_EVENT_QP_FATAL);
}

/* The code on the wire must be the configured one: nothing is negotiated. */
static bool code_fits(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	u8 code = qp->sth ? srnic_sth_code(qp->sth) : 0;

	if (likely(pkt->sth_code == code))
		return true;
	if (pkt->sth_code)
		srnic_qp_count_drop(qp, pkt, SRNIC_STAT_sth_unexpected);
	else
		srnic_qp_count_drop(qp, pkt, SRNIC_STAT_sth_missing);
	return false;
}

/* In opaque mode, the region is not known yet: requests have no proofs, and are refused later. */
static int open_seal(struct srnic_qp *qp, struct srnic_pkt *pkt, struct srnic_opening *opening)
{
	const struct srnic_sth_payload payload = srnic_opening_payload(opening);
	enum srnic_sth_flow flow = pkt->opc->flags & SRNIC_OPF_RESP ? SRNIC_FLOW_OURS :
								      SRNIC_FLOW_THEIRS;
	struct srnic_mem_ref ref;
	int err;

	pkt->mkey = NULL;
	if (opening->mode != SRNIC_STH_OPAQUE)
		pkt->mkey = srnic_proof_demanded(qp, pkt, &ref);
	err = srnic_sth_open(qp->sth, flow, pkt, &payload);
	pkt->proved = pkt->mkey;
	if (err == -ENOKEY && srnic_sth_update_due(qp->sth, flow))
		srnic_qp_kick(qp, SRNIC_QP_WORK_REKEY);
	if (unlikely(err))
		open_count_drop(qp, pkt, err);
	if (unlikely(pkt->mkey))
		srnic_mem_put(&ref);
	return err;
}

/* noinline: packets without a seal do not pay for clearing its stack */
static noinline bool open_sealed(struct srnic_qp *qp, const struct srnic_rx *rx,
				 struct srnic_pkt *pkt)
{
	struct srnic_opening opening __uninitialized;

	if (!srnic_opening_init(&opening, rx, pkt, srnic_sth_params(qp->sth)->mode,
				SRNIC_SPEND_SOURCE)) {
		srnic_qp_count_drop(qp, pkt, SRNIC_STAT_malformed);
		return false;
	}
	if (unlikely(open_seal(qp, pkt, &opening)))
		return false;
	srnic_opening_take(&opening, pkt);
	srnic_count(qp, sth_opened);
	trace_srnic_opened(qp->dev, qp->ib.qp_num, pkt);
	return true;
}

/**
 * srnic_open_seal() - Verify and remove the seal of a packet, which has one or should have
 * @qp: QP that the packet is for
 * @rx: carrier of the packet
 * @pkt: a packet with a correct ICRC; on success, its payload and its extension headers are
 *	plaintext
 *
 * Context: softirq, under the QP's lock.
 * Return: true if the packet may be processed.
 */
bool srnic_open_seal(struct srnic_qp *qp, const struct srnic_rx *rx, struct srnic_pkt *pkt)
{
	lockdep_assert_held(&qp->lock);

	return code_fits(qp, pkt) && open_sealed(qp, rx, pkt);
}
