// SPDX-License-Identifier: GPL-2.0
/*
 * Unreliable datagrams: UD QPs, QP0 and QP1 (IBA 9.8.3). Each message is one packet, except for a
 * large send, which is cut into many (ipoib.c).
 */
#include <linux/unaligned.h>
#include <net/flow.h>
#include <rdma/ib_hdrs.h>
#include "srnic.h"
#include "engine/ah.h"
#include "engine/due.h"
#include "engine/fault.h"
#include "engine/held.h"
#include "engine/ipoib.h"
#include "engine/page_in.h"
#include "engine/pkey.h"
#include "engine/recv.h"
#include "engine/requester.h"
#include "engine/ud.h"
#include "engine/ud_keys.h"
#include "engine/ud_netdev.h"
#include "engine/ud_origin.h"
#include "mem/mem.h"

#define QKEY_OWN	BIT(31)	/* IBA 10.2.5: use the QP's own Q_Key */
#define QPN_MASK	0xffffff

/* Return the address handle that a work request names: by pointer, or by a user's number. */
static struct srnic_ah *ud_find_ah(const struct srnic_qp *qp, const struct srnic_swqe *wqe)
{
	struct srnic_ah *ah;

	if (!qp->sq.ring.user)
		return wqe->ud.kah;
	ah = xa_load(&qp->dev->ahs, wqe->ud.ah);
	return ah && ah->pd == qp->mem.pd ? ah : NULL;
}

/* Return the rule for the destination of @ah; look it up again after the rules have changed. */
static const struct srnic_policy_brief *ah_policy(struct srnic_ah *ah)
{
	unsigned int seq = srnic_policy_seq(ah->path.net);

	if (unlikely(ah->policy_seq != seq)) {
		ah->policy = srnic_policy_brief(ah->path.net, ah->path.ends.dgid);
		ah->policy_seq = seq;
	}
	return &ah->policy;
}

/* Return the seal of datagrams to @ah; NULL: in the clear. Errors as srnic_dgram_out_find(). */
static struct srnic_dgram *ud_seal(struct srnic_qp *qp, struct srnic_ah *ah)
{
	const struct srnic_policy_brief *rule = ah_policy(ah);

	if (likely(rule->rule == SRNIC_POLICY_OFF))
		return NULL;
	if (rule->clear_cm && qp->ib.qp_type == IB_QPT_GSI) {
		srnic_count(qp, policy_exempt);
		return NULL;
	}
	return srnic_dgram_out_find(qp, &ah->path);
}

static bool ah_equal(const struct srnic_swqe *a, const struct srnic_swqe *b)
{
	return a->ud.ah == b->ud.ah && a->ud.kah == b->ud.kah;
}

/* Return how many waiting datagrams can share a new super-packet with @first; 1 if one has room. */
static u32 ud_alike(const struct srnic_build *build, const struct srnic_swqe *first)
{
	const struct srnic_qp *qp = build->qp;
	u32 have, n;

	if (srnic_build_has_room(build))
		return 1;
	have = min(srnic_sq_waiting(qp), SRNIC_TURN);
	if (first->opcode == SRNIC_WQE_LSO)
		return srnic_psn_diff(first->last_psn, qp->req.psn) + 1;
	for (n = 1; n < have; n++) {
		const struct srnic_swqe *wqe = srnic_sq_wqe(&qp->sq, qp->sq.next + n);

		if (wqe->opcode != first->opcode || wqe->length != first->length ||
		    !ah_equal(wqe, first))
			break;
	}
	return n;
}

static bool ud_sent_all(const struct srnic_qp *qp, const struct srnic_swqe *wqe)
{
	return srnic_psn_diff(qp->req.psn, wqe->last_psn) > 0;
}

/* The work request completes when its packets have left the stack (departure.c). */
static void ud_advance(struct srnic_qp *qp, const struct srnic_swqe *wqe)
{
	qp->req.psn = srnic_psn_add(qp->req.psn, 1);
	qp->req.max_sent = qp->req.psn;
	if (ud_sent_all(qp, wqe))
		qp->sq.next++;
}

/* Skip a datagram that cannot be sent, as if it was lost in the network. */
static void ud_drop(struct srnic_qp *qp, const struct srnic_swqe *wqe)
{
	srnic_count(qp, send_err);
	ud_advance(qp, wqe);
}

/* Make the headers of the next datagram of a large send. Return the datagram's length. */
static u32 ud_cut(const struct srnic_qp *qp, const struct srnic_swqe *wqe,
		  struct srnic_source *src, u8 *header)
{
	u32 i = srnic_psn_since(qp->req.psn, wqe->first_psn);
	struct srnic_lso lso = srnic_wqe_lso(&qp->sq, wqe);

	src->header = header;
	src->header_len = lso.hlen;
	src->at = i * lso.mss;
	src->ip_csum = true;
	return lso.hlen + srnic_lso_cut(&lso, i, header);
}

/* Work requests of QP1 name a P_Key each (IBA 11.4.1.1); those of other QPs have the QP's. */
static u16 ud_pkey(const struct srnic_qp *qp, const struct srnic_swqe *wqe)
{
	if (qp->ib.qp_type != IB_QPT_GSI || !qp->dev->fabric)
		return srnic_qp_pkey(qp);
	return wqe->ud.pkey_index < SRNIC_PKEYS ? READ_ONCE(qp->dev->pkeys[wqe->ud.pkey_index]) : 0;
}

/* SMPs without an address are for the switch of this node, if there is one (fabric/switch.c). */
static u32 ud_dqpn(const struct srnic_qp *qp, const struct srnic_swqe *wqe)
{
	u32 qpn = wqe->ud.qpn & QPN_MASK;

	if (qp->ib.qp_type == IB_QPT_SMI && qpn == SRNIC_SMI_QPN)
		return wqe->ud.kah->smi_qpn;
	return qpn;
}

static void ud_headers(struct srnic_build *build, const struct srnic_swqe *wqe)
{
	struct srnic_qp *qp = build->qp;
	struct srnic_pkt *pkt = &build->pkt;

	pkt->opcode = SRNIC_TP_UD | srnic_wqe_kind(wqe)->only;
	pkt->psn = qp->req.psn;
	pkt->pkey = ud_pkey(qp, wqe);
	pkt->dqpn = ud_dqpn(qp, wqe);
	pkt->qkey = wqe->ud.qkey & QKEY_OWN ? qp->attr.qkey : wqe->ud.qkey;
	pkt->sqpn = qp->ib.qp_num;
	pkt->imm = wqe->imm;
	pkt->se = wqe->flags & SRNIC_SWQE_SOLICITED;
}

static int ud_send_one(struct srnic_build *build, struct srnic_swqe *wqe)
{
	struct srnic_source src = srnic_source_of(wqe, wqe->inline_data);
	u8 header[SRNIC_LSO_HDR_MAX] __uninitialized;
	struct srnic_qp *qp = build->qp;
	u32 len = wqe->length;
	int err;

	src.ip_csum = wqe->flags & SRNIC_SWQE_IP_CSUM;
	if (wqe->opcode == SRNIC_WQE_LSO)
		len = ud_cut(qp, wqe, &src, header);
	ud_headers(build, wqe);

	err = srnic_build_packet(build, &src, len, ud_alike(build, wqe));
	if (err == -EFAULT) {
		srnic_sq_fail(qp, wqe, IB_WC_LOC_PROT_ERR);
		return err;
	}
	if (err == -EBUSY)
		return err;
	if (err)
		ud_drop(qp, wqe);
	else
		ud_advance(qp, wqe);
	return 0;
}

/* Return the next datagram if it has the same address handle and is available now. */
static struct srnic_swqe *ud_next_alike(struct srnic_build *build, struct srnic_swqe *last)
{
	struct srnic_qp *qp = build->qp;
	struct srnic_swqe *wqe;

	if (!ud_sent_all(qp, last))
		return last;
	if (!srnic_sq_waiting(qp))
		return NULL;
	wqe = srnic_sq_wqe(&qp->sq, qp->sq.next);
	if (wqe->state != SRNIC_SWQE_NEW || !ah_equal(wqe, last) ||
	    srnic_requester_start(build, wqe))
		return NULL;
	return wqe;
}

/* Fail a work request that can never be sent. */
static int ud_fail(struct srnic_qp *qp, struct srnic_swqe *wqe)
{
	srnic_count(qp, bad_wqe);
	srnic_sq_fail(qp, wqe, IB_WC_LOC_QP_OP_ERR);
	return -EINVAL;
}

static int ud_send_some(struct srnic_build *build, struct srnic_swqe *wqe, int budget)
{
	int sent = 0;
	int err;

	do {
		err = ud_send_one(build, wqe);
		if (err)
			break;
		sent++;
		if (sent == budget || srnic_build_over(build))
			break;
		wqe = ud_next_alike(build, wqe);
	} while (wqe);
	srnic_build_close(build);
	return err ?: sent;
}

/* Hold @ah->lock as long as a burst is open, because the burst uses the path of @ah. */
static int ud_send_to_ah(struct srnic_build *build, struct srnic_ah *ah, struct srnic_swqe *wqe,
			 int budget)
{
	struct srnic_dgram *dgram;
	int ret = 1;

	spin_lock(&ah->lock);
	dgram = ud_seal(build->qp, ah);
	if (!IS_ERR(dgram)) {
		build->path = &ah->path;
		srnic_build_seal(build, dgram);
		ret = ud_send_some(build, wqe, budget);
	} else if (PTR_ERR(dgram) == -ENOKEY) {
		ret = -ENOKEY;
	} else if (PTR_ERR(dgram) == -EACCES) {
		ret = ud_fail(build->qp, wqe);
	} else {
		ud_drop(build->qp, wqe);
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
	ah = ud_find_ah(qp, wqe);
	ret = ah ? ud_send_to_ah(build, ah, wqe, budget) : ud_fail(qp, wqe);
	rcu_read_unlock();
	return ret;
}

/*
 * Turn the IPv6 header into the GRH of an InfiniBand port: its NxtHdr says that a BTH follows, and
 * its PayLen covers neither UDP header nor seal (IBA 8.3).
 */
static void ud_make_ib_grh(const struct srnic_pkt *pkt, u8 grh[SRNIC_GRH_LEN])
{
	put_unaligned_be16(pkt->len - pkt->sth_len, grh + offsetof(struct ib_grh, paylen));
	grh[offsetof(struct ib_grh, next_hdr)] = IB_GRH_NEXT_HDR;
}

/*
 * Fill the first 40 bytes of a datagram's buffer: the IPv6 header; for IPv4, 20 zero bytes and
 * the IPv4 header (annex A17.4.5.1).
 */
static void ud_fill_grh(const struct srnic_pkt *pkt, u8 grh[SRNIC_GRH_LEN])
{
	const struct srnic_ends *ends = pkt->ends;
	const u32 len = sizeof(struct iphdr);

	if (!ends->v4) {
		memcpy(grh, ends->iph, SRNIC_GRH_LEN);
		if (ends->dport == htons(SRNIC_IB_PORT))
			ud_make_ib_grh(pkt, grh);
		return;
	}
	memset(grh, 0, SRNIC_GRH_LEN - len);
	memcpy(grh + SRNIC_GRH_LEN - len, ends->iph, len);
}

/* Place header and payload from @to on, which is then where the last of them begins. */
static enum srnic_mem_status ud_place(struct srnic_qp *qp, const struct srnic_pkt *pkt,
				      const u8 grh[SRNIC_GRH_LEN], struct srnic_sge_pos *to)
{
	struct srnic_mem_cache cache = { };
	enum srnic_mem_status status;

	status = srnic_sge_place(qp->recv_mem, &cache, to, grh, SRNIC_GRH_LEN);
	if (!status && pkt->payload_len) {
		to->off = SRNIC_GRH_LEN;
		status = srnic_sge_place(qp->recv_mem, &cache, to, pkt->payload, pkt->payload_len);
	}
	srnic_mem_cache_drop(&cache);
	return status;
}

/* Completions of QP1 say which P_Key matched, for the reply to have it, too (IBA 11.4.2.1). */
static u16 ud_pkey_index(const struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	int index = qp->attr.pkey_index;

	if (qp->ib.qp_type == IB_QPT_GSI)
		index = srnic_pkey_index(qp->dev, pkt->pkey);
	/* the table may have changed since the packet was admitted */
	return index < 0 ? SRNIC_PKEY_INDEX : index;
}

/* Return false if the datagram's buffer waits for pages: for those of @len bytes at @at. */
static bool ud_place_failed(struct srnic_qp *qp, const struct srnic_sge_pos *at, u32 len,
			    enum srnic_mem_status status)
{
	if (status == SRNIC_MEM_ABSENT &&
	    srnic_page_in_sges(qp, SRNIC_FLOW_THEIRS, at, len, IB_ACCESS_LOCAL_WRITE))
		return false;
	srnic_recv_fail(qp, IB_WC_LOC_PROT_ERR);
	srnic_qp_fatal(qp, -1);
	return true;
}

/*
 * Place a datagram that has passed all checks, and complete it. Return false if it is to be tried
 * again, when pages have been faulted in; it may then have another buffer.
 */
static bool ud_deliver(struct srnic_qp *qp, const struct srnic_pkt *pkt, struct srnic_cqe *cqe,
		       const u8 grh[SRNIC_GRH_LEN])
{
	enum srnic_mem_status status;
	struct srnic_sge_pos to;
	int ret;

	ret = srnic_recv_get(qp, pkt);
	if (!ret) {
		srnic_count(qp, ud_no_recv);
		return true;
	}
	if (ret < 0) {
		srnic_recv_fail(qp, IB_WC_LOC_QP_OP_ERR);
		srnic_qp_fatal(qp, -1);
		return true;
	}
	if (cqe->byte_len > qp->resp.rwqe.length) {
		srnic_qp_count_drop(qp, pkt, SRNIC_STAT_ud_too_long);
		return true;
	}
	to = (struct srnic_sge_pos){ .sge = qp->resp.rwqe.sge, .left = qp->resp.rwqe.num_sge };
	status = ud_place(qp, pkt, grh, &to);
	if (unlikely(status))
		return ud_place_failed(qp, &to, to.off ? pkt->payload_len : SRNIC_GRH_LEN, status);
	srnic_recv_complete(qp, cqe, pkt);
	return true;
}

/**
 * srnic_datagram_again() - Receive datagrams that have waited for pages
 * @qp: a UD QP; if it does not receive any more, they are lost
 *
 * Context: process, under the QP's lock.
 */
void srnic_datagram_again(struct srnic_qp *qp)
{
	struct srnic_held *held, *next;

	lockdep_assert_held(&qp->lock);

	list_for_each_entry_safe(held, next, &qp->held, node) {
		if (srnic_qp_receives(qp) &&
		    !ud_deliver(qp, &held->pkt, &held->cqe, held->grh))
			break;
		srnic_held_remove(qp, held);
	}
}

/* Complete a receive with a datagram that has passed all checks. */
static void ud_receive(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	u8 grh[SRNIC_GRH_LEN];
	struct srnic_cqe cqe = {
		.opcode = IB_WC_RECV,
		.byte_len = SRNIC_GRH_LEN + pkt->payload_len,
		.src_qp = pkt->sqpn,
		.wc_flags = srnic_ud_has_grh(pkt->ends) ? SRNIC_WC_GRH : 0,
		.pkey_index = ud_pkey_index(qp, pkt),
	};

	if (srnic_qp_offloads_ip(qp) && srnic_ipoib_csum_ok(pkt->payload, pkt->payload_len))
		cqe.wc_flags |= SRNIC_WC_IP_CSUM_OK;
	srnic_ud_fill_origin(qp, pkt->ends, &cqe);
	ud_fill_grh(pkt, grh);
	if (unlikely(!ud_deliver(qp, pkt, &cqe, grh)))
		srnic_held_add(qp, pkt, &cqe, grh);
}

/**
 * srnic_datagram_rx() - Receive a datagram
 * @qp: a UD, GSI or SMI QP, in RTR or later
 * @pkt: the packet; its ICRC and its seal, if any, are correct
 *
 * Datagrams that cannot be received are dropped (IBA 9.8.3.2.2), even those too long for the
 * buffer: a stranger who knows the Q_Key must not be able to stop the queue.
 *
 * Context: softirq, under the QP's lock.
 */
void srnic_datagram_rx(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	lockdep_assert_held(&qp->lock);

	if (unlikely(srnic_ud_is_foreign(qp, pkt->ends))) {
		srnic_qp_count_drop(qp, pkt, SRNIC_STAT_wrong_address);
		return;
	}
	if (pkt->qkey != qp->attr.qkey) {
		srnic_qp_count_drop(qp, pkt, SRNIC_STAT_wrong_qkey);
		return;
	}
	if (qp->netdev)
		srnic_ud_netdev_rx(qp->netdev, pkt);
	else
		ud_receive(qp, pkt);
}
