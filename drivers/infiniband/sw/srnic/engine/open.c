// SPDX-License-Identifier: GPL-2.0
/*
 * Seals of received packets (protocol.md, section 9): whether a packet has the seal that its QP
 * requires, and whether the seal is correct. A packet that fails is dropped and never answered.
 */
#include <linux/slab.h>
#include "srnic.h"
#include "engine/due.h"
#include "engine/fault.h"
#include "engine/open.h"
#include "engine/proof.h"

/*
 * Per-CPU buffer into which payload is decrypted if its carrier is shared: a packet tap must
 * not see plaintext. The user has BHs off, and uses the plaintext before the next packet.
 */
#define SCRATCH_LEN	(4096 + 4)	/* the longest payload and its pad */

static DEFINE_PER_CPU(u8 *, scratch);

int srnic_engine_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		u8 *p = kmalloc_node(SCRATCH_LEN, GFP_KERNEL, cpu_to_node(cpu));

		if (!p) {
			srnic_engine_exit();
			return -ENOMEM;
		}
		per_cpu(scratch, cpu) = p;
	}
	return 0;
}

void srnic_engine_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		kfree_sensitive(per_cpu(scratch, cpu));
		per_cpu(scratch, cpu) = NULL;
	}
}

/**
 * srnic_open_lists() - Set up the lists for opening a packet's payload and pad
 * @pkt: the packet
 * @elsewhere: decrypt into the buffer of this CPU, not in place
 * @src: source list; not set if there is neither payload nor pad
 * @dst: destination list; likewise
 *
 * The length is limited to that of the largest path MTU, because a tag over 64 KiB is
 * expensive.
 *
 * Context: softirq, or BHs off until the payload has been used.
 * Return: address of the opened payload, or NULL if it is too long.
 */
u8 *srnic_open_lists(const struct srnic_pkt *pkt, bool elsewhere, struct scatterlist *src,
		     struct scatterlist *dst)
{
	u32 len = pkt->payload_len + pkt->pad;
	u8 *to = pkt->payload;

	if (len > SCRATCH_LEN)
		return NULL;
	if (!len)
		return to;
	if (elsewhere)
		to = this_cpu_read(scratch);
	sg_init_one(src, pkt->payload, len);
	sg_init_one(dst, to, len);
	return to;
}

static void open_refuse(struct srnic_qp *qp, const struct srnic_pkt *pkt, int err)
{
	if (err == -EALREADY)
		srnic_qp_refuse(qp, pkt, sth_replayed);
	else if (pkt->mkey)
		srnic_qp_refuse(qp, pkt, sth_proof_failed);
	else
		srnic_qp_refuse(qp, pkt, sth_auth_failed);
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
		srnic_qp_refuse(qp, pkt, sth_unexpected);
	else
		srnic_qp_refuse(qp, pkt, sth_missing);
	return false;
}

static int open_seal(struct srnic_qp *qp, struct srnic_pkt *pkt, struct scatterlist *src,
		     struct scatterlist *dst, u32 len)
{
	const struct srnic_text text = {
		.src = len ? src : NULL,
		.dst = len ? dst : NULL,
		.len = len,
	};
	bool response = pkt->opc->flags & SRNIC_OPF_RESP;
	struct srnic_mem_ref ref;
	int err;

	pkt->mkey = srnic_proof_demanded(qp, pkt, &ref);
	err = srnic_sth_open(qp->sth, response ? SRNIC_FLOW_OURS : SRNIC_FLOW_THEIRS, pkt,
			     &text);
	pkt->proved = pkt->mkey;
	if (unlikely(err))
		open_refuse(qp, pkt, err);
	if (unlikely(pkt->mkey))
		srnic_mem_put(&ref);
	return err;
}

/* noinline: packets without a seal do not pay for clearing its stack */
static noinline bool open_sealed(struct srnic_qp *qp, struct srnic_pkt *pkt, bool writable)
{
	bool decrypts = srnic_sth_params(qp->sth)->mode == SRNIC_STH_AEAD;
	struct scatterlist src;
	struct scatterlist dst;
	u8 *to;

	to = srnic_open_lists(pkt, decrypts && !writable, &src, &dst);
	if (!to) {
		srnic_qp_refuse(qp, pkt, malformed);
		return false;
	}
	if (unlikely(open_seal(qp, pkt, &src, &dst, pkt->payload_len + pkt->pad)))
		return false;
	srnic_count(qp->dev, sth_opened);
	trace_srnic_opened(qp->dev, qp->ib.qp_num, pkt);
	pkt->payload = to;
	return true;
}

/**
 * srnic_open_packet() - Verify and remove the seal of a packet
 * @qp: QP that the packet is for
 * @pkt: a packet with a correct ICRC; on success, its payload is plaintext
 * @writable: the payload may be decrypted in place
 *
 * Context: softirq, under the QP's lock.
 * Return: true if the packet may be processed.
 */
bool srnic_open_packet(struct srnic_qp *qp, struct srnic_pkt *pkt, bool writable)
{
	lockdep_assert_held(&qp->lock);

	pkt->proved = false;
	if (!code_fits(qp, pkt))
		return false;
	return !qp->sth || open_sealed(qp, pkt, writable);
}
