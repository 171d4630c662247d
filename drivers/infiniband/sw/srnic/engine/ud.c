// SPDX-License-Identifier: GPL-2.0
/*
 * Unreliable datagrams: UD QPs and QP1 (IBA 9.8.3). Each message is one packet.
 */
#include "srnic.h"
#include "engine/ah.h"
#include "engine/due.h"
#include "engine/fault.h"
#include "engine/recv.h"
#include "engine/requester.h"
#include "engine/ud.h"
#include "engine/ud_keys.h"
#include "mem/mem.h"

#define QKEY_OWN	BIT(31)	/* IBA 10.2.5: use the QP's own Q_Key */
#define QPN_MASK	0xffffff

/* Return the address handle that a work request names: by pointer, or by a user's number. */
static struct srnic_ah *find_ah(const struct srnic_qp *qp, const struct srnic_swqe *wqe)
{
	struct srnic_ah *ah;

	if (!qp->sq.ring.user)
		return wqe->ud.kah;
	ah = xa_load(&qp->dev->ahs, wqe->ud.ah);
	return ah && ah->pd == qp->pd ? ah : NULL;
}

/* Return the rule for the destination of @ah; look it up again after the rules have changed. */
static const struct srnic_policy_brief *rule_of(struct srnic_ah *ah)
{
	unsigned int seq = srnic_policy_seq(ah->path.net);

	if (unlikely(ah->policy_seq != seq)) {
		ah->policy = srnic_policy_brief(ah->path.net, ah->path.ends.dgid);
		ah->policy_seq = seq;
	}
	return &ah->policy;
}

/* Return the seal of datagrams to @ah; NULL: in the clear. Errors as srnic_dgram_out_find(). */
static struct srnic_dgram *seal_of(struct srnic_qp *qp, struct srnic_ah *ah)
{
	const struct srnic_policy_brief *rule = rule_of(ah);

	if (likely(rule->rule == SRNIC_POLICY_OFF))
		return NULL;
	if (rule->clear_cm && qp->ib.qp_type == IB_QPT_GSI) {
		srnic_count(qp->dev, policy_exempt);
		return NULL;
	}
	return srnic_dgram_out_find(qp, &ah->path);
}

static bool same_ah(const struct srnic_swqe *a, const struct srnic_swqe *b)
{
	return a->ud.ah == b->ud.ah && a->ud.kah == b->ud.kah;
}

/* Return how many waiting datagrams can share a super-packet with @first. */
static u32 ud_alike(const struct srnic_qp *qp, const struct srnic_swqe *first)
{
	u32 have = min(srnic_sq_waiting(qp), SRNIC_TURN);
	u32 n;

	for (n = 1; n < have; n++) {
		const struct srnic_swqe *wqe = srnic_sq_wqe(&qp->sq, qp->sq.next + n);

		if (wqe->opcode != first->opcode || wqe->length != first->length ||
		    !same_ah(wqe, first))
			break;
	}
	return n;
}

/* The work request completes when the packet has left the stack (departure.c). */
static void ud_pass(struct srnic_qp *qp)
{
	qp->req.psn = srnic_psn_add(qp->req.psn, 1);
	qp->req.max_sent = qp->req.psn;
	qp->sq.next++;
}

/* Skip a datagram that cannot be sent, as if it was lost in the network. */
static void ud_lose(struct srnic_qp *qp)
{
	srnic_count(qp->dev, send_err);
	ud_pass(qp);
}

static int send_one(struct srnic_build *build, struct srnic_swqe *wqe)
{
	struct srnic_qp *qp = build->qp;
	struct srnic_pkt *pkt = &build->pkt;
	struct srnic_source src = {};
	int err;

	if (wqe->flags & SRNIC_SWQE_INLINE) {
		src.data = wqe->inline_data;
	} else {
		src.sge = wqe->sge;
		src.num_sge = wqe->num_sge;
	}
	pkt->opcode = SRNIC_TP_UD | srnic_wqe_kind(wqe)->only;
	pkt->psn = qp->req.psn;
	pkt->dqpn = wqe->ud.qpn & QPN_MASK;
	pkt->qkey = wqe->ud.qkey & QKEY_OWN ? qp->attr.qkey : wqe->ud.qkey;
	pkt->sqpn = qp->ib.qp_num;
	pkt->imm = wqe->imm;
	pkt->se = wqe->flags & SRNIC_SWQE_SOLICITED;

	err = srnic_build_packet(build, &src, wqe->length, build->open ? 1 : ud_alike(qp, wqe));
	if (err == -EFAULT) {
		srnic_sq_fail(qp, wqe, IB_WC_LOC_PROT_ERR);
		return err;
	}
	if (err)
		ud_lose(qp);
	else
		ud_pass(qp);
	return 0;
}

/* Return the next datagram if it has the same address handle and is available now. */
static struct srnic_swqe *next_like(struct srnic_build *build, const struct srnic_swqe *last)
{
	struct srnic_qp *qp = build->qp;
	struct srnic_swqe *wqe;

	if (!srnic_sq_waiting(qp))
		return NULL;
	wqe = srnic_sq_wqe(&qp->sq, qp->sq.next);
	if (wqe->state != SRNIC_SWQE_NEW || !same_ah(wqe, last) ||
	    srnic_requester_start(build, wqe))
		return NULL;
	return wqe;
}

/* Fail a work request that can never be sent. */
static int ud_refuse(struct srnic_qp *qp, struct srnic_swqe *wqe)
{
	srnic_count(qp->dev, bad_wqe);
	srnic_sq_fail(qp, wqe, IB_WC_LOC_QP_OP_ERR);
	return -EINVAL;
}

static int send_some(struct srnic_build *build, struct srnic_swqe *wqe, int budget)
{
	int sent = 0;
	int err;

	do {
		err = send_one(build, wqe);
		if (err)
			break;
		sent++;
		if (sent == budget || srnic_build_over(build))
			break;
		wqe = next_like(build, wqe);
	} while (wqe);
	srnic_build_close(build);
	return err ?: sent;
}

/* Hold @ah->lock as long as a burst is open, because the burst uses the path of @ah. */
static int send_all(struct srnic_build *build, struct srnic_ah *ah, struct srnic_swqe *wqe,
		    int budget)
{
	struct srnic_dgram *dgram;
	int ret = 1;

	spin_lock(&ah->lock);
	dgram = seal_of(build->qp, ah);
	if (!IS_ERR(dgram)) {
		build->path = &ah->path;
		srnic_build_seal(build, dgram);
		ret = send_some(build, wqe, budget);
	} else if (PTR_ERR(dgram) == -ENOKEY) {
		ret = -ENOKEY;
	} else if (PTR_ERR(dgram) == -EACCES) {
		ret = ud_refuse(build->qp, wqe);
	} else {
		ud_lose(build->qp);
	}
	spin_unlock(&ah->lock);
	return ret;
}

/**
 * srnic_datagram_send() - Send a datagram, and those behind it with the same address handle
 * @build: the turn; no burst is open
 * @wqe: a work request that srnic_requester_start() has started
 * @budget: most datagrams to send
 *
 * Context: process or softirq, under the QP's lock.
 * Return: number of datagrams sent or lost, or a negative errno if the turn must end; -ENOKEY:
 * sending resumes when the worker has derived a key.
 */
int srnic_datagram_send(struct srnic_build *build, struct srnic_swqe *wqe, int budget)
{
	struct srnic_qp *qp = build->qp;
	struct srnic_ah *ah;
	int ret;

	lockdep_assert_held(&qp->lock);

	rcu_read_lock();
	ah = find_ah(qp, wqe);
	ret = ah ? send_all(build, ah, wqe, budget) : ud_refuse(qp, wqe);
	rcu_read_unlock();
	return ret;
}

/*
 * Fill the first 40 bytes of a datagram's buffer: the IPv6 header; for IPv4, 20 zero bytes and
 * the IPv4 header (annex A17.4.5.1).
 */
static void network_header(const struct srnic_ends *ends, u8 grh[SRNIC_GRH_LEN])
{
	const u32 len = sizeof(struct iphdr);

	if (!ends->v4) {
		memcpy(grh, ends->iph, SRNIC_GRH_LEN);
		return;
	}
	memset(grh, 0, SRNIC_GRH_LEN - len);
	memcpy(grh + SRNIC_GRH_LEN - len, ends->iph, len);
}

static enum srnic_mem_status ud_place(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	const struct srnic_rwqe *rwqe = &qp->resp.rwqe;
	struct srnic_sge_pos to = { .sge = rwqe->sge, .left = rwqe->num_sge };
	struct srnic_hold hold = { };
	enum srnic_mem_status status;
	u8 grh[SRNIC_GRH_LEN];

	network_header(pkt->ends, grh);
	status = srnic_sge_place(&qp->mem, &hold, &to, grh, sizeof(grh));
	to.off = sizeof(grh);
	if (!status && pkt->payload_len)
		status = srnic_sge_place(&qp->mem, &hold, &to, pkt->payload, pkt->payload_len);
	srnic_hold_drop(&hold);
	return status;
}

/**
 * srnic_datagram_rx() - Receive a datagram
 * @qp: a UD or GSI QP, in RTR or later
 * @pkt: the packet; its ICRC and its seal, if any, are correct
 *
 * Datagrams that cannot be received are dropped (IBA 9.8.3.2.2), even those too long for the
 * buffer: a stranger who knows the Q_Key must not be able to stop the queue.
 *
 * Context: softirq, under the QP's lock.
 */
void srnic_datagram_rx(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	struct srnic_rwqe *rwqe = &qp->resp.rwqe;
	struct srnic_cqe cqe = {
		.opcode = IB_WC_RECV,
		.byte_len = SRNIC_GRH_LEN + pkt->payload_len,
		.src_qp = pkt->sqpn,
		.wc_flags = SRNIC_WC_GRH,
		.pkey_index = SRNIC_PKEY_INDEX,
	};
	int ret;

	lockdep_assert_held(&qp->lock);

	if (pkt->qkey != qp->attr.qkey) {
		srnic_qp_refuse(qp, pkt, wrong_qkey);
		return;
	}
	ret = srnic_recv_get(qp, pkt);
	if (!ret)
		return;
	if (ret < 0) {
		srnic_recv_fail(qp, IB_WC_LOC_QP_OP_ERR);
		srnic_qp_fatal(qp, -1);
		return;
	}
	if (cqe.byte_len > rwqe->length) {
		srnic_qp_refuse(qp, pkt, ud_too_long);
		return;
	}
	if (ud_place(qp, pkt)) {
		srnic_recv_fail(qp, IB_WC_LOC_PROT_ERR);
		srnic_qp_fatal(qp, -1);
		return;
	}
	srnic_recv_complete(qp, &cqe, pkt);
}
