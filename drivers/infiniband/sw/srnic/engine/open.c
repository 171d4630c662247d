// SPDX-License-Identifier: GPL-2.0
/*
 * The seal of a received packet (protocol.md, section 9): whether it has the one its
 * QP asks for, and whether that is right. What fails is dropped and never answered.
 */
#include <linux/slab.h>
#include "srnic.h"
#include "engine/fault.h"
#include "engine/open.h"
#include "engine/proof.h"
#include "engine/unlock.h"

/*
 * Where payload is decrypted to if its carrier is shared: a packet tap must not see
 * plaintext. With BHs off the CPU's is ours; what lies in it is used before the next
 * packet.
 */
#define SCRATCH_LEN	(4096 + 4)	/* the longest payload, and its pad */

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
 * srnic_open_lists - from where to where a packet's payload and pad are opened
 * @pkt: the packet
 * @elsewhere: they are decrypted, and must not be where they are
 * @src: list of where they are; not set if there are none
 * @dst: list of where to; likewise
 *
 * None is longer than the largest path MTU, and a tag over 64 KiB is dear.
 *
 * Context: softirq, or BHs off: what lies elsewhere is used before they are on again.
 * Return: where the payload will be, or NULL if it is too long.
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

static void refuse(struct srnic_qp *qp, const struct srnic_pkt *pkt, int err)
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

/* The code on the wire must be the one configured: nothing is negotiated. */
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
		refuse(qp, pkt, err);
	if (unlikely(pkt->mkey))
		srnic_mem_put(&ref);
	return err;
}

/* noinline: what it has on the stack is not to be cleared for packets without a seal */
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
 * srnic_open_packet - check and remove a packet's seal
 * @qp: whose packet it is
 * @pkt: with a good ICRC; payload points to plaintext afterwards
 * @writable: its payload may be decrypted where it is
 *
 * Context: softirq, under the QP's lock.
 * Return: true if the packet may be looked at.
 */
bool srnic_open_packet(struct srnic_qp *qp, struct srnic_pkt *pkt, bool writable)
{
	lockdep_assert_held(&qp->lock);

	pkt->proved = false;
	if (!code_fits(qp, pkt))
		return false;
	return !qp->sth || open_sealed(qp, pkt, writable);
}
