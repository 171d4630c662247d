// SPDX-License-Identifier: GPL-2.0
/*
 * Reception: packets reach their QPs after the checks that every packet must pass (IBA 9.6),
 * cheap ones first. A packet that fails a check is counted and dropped, and changes nothing.
 *
 * The packets of an sk_buff mostly belong to one QP, which is looked up and locked once for a
 * run of them. Acknowledgments, completion events and packets that the window admits follow at
 * the end of the run.
 */
#include "srnic.h"
#include "engine/completer.h"
#include "engine/due.h"
#include "engine/ecn.h"
#include "engine/fault.h"
#include "engine/handshake.h"
#include "engine/mcast.h"
#include "engine/open.h"
#include "engine/pkey.h"
#include "engine/qpn.h"
#include "engine/requester.h"
#include "engine/responder.h"
#include "engine/ud.h"
#include "engine/ud_keys.h"
#include "engine/unlock.h"
#include "export.h"
#include "trace/events.h"

#define MULTICAST_QPN	0xffffff	/* IBA 9.6.1.4 */

/* neither request nor response */
#define OPF_CONTROL	(SRNIC_OPF_HS | SRNIC_OPF_CNP)

/**
 * struct rx_run - Consecutive packets of one QP
 * @rx: carrier of the packets
 * @qp: the QP, locked
 * @cache: the region that the packets access
 * @responses: there were responses: the requester may continue
 * @requests: there were requests: replies may be due
 * @wrong_peer: the addresses are not those of the connection
 * @marked: the packets arrived with CE (RC)
 */
struct rx_run {
	struct srnic_rx *rx;
	struct srnic_qp *qp;
	struct srnic_mem_cache cache;
	bool responses;
	bool requests;
	bool wrong_peer;
	bool marked;
};

static bool state_fits(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	bool fits;

	if (pkt->opc->flags & SRNIC_OPF_RESP)
		fits = srnic_qp_sends(qp);
	else
		fits = srnic_qp_receives(qp);
	if (likely(fits))
		return true;
	srnic_qp_count_drop(qp, pkt, SRNIC_STAT_wrong_state);
	return false;
}

/* Handshakes are for sealed QPs, and CNPs have no seal (protocol.md, section 1). */
static bool control_fits(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	bool fits = pkt->opc->flags & SRNIC_OPF_CNP ? !pkt->sth_code : !!qp->sth;

	if (!fits)
		srnic_qp_count_drop(qp, pkt, SRNIC_STAT_sth_unexpected);
	return fits;
}

/* IBA A14: requests are for targets, and responses for initiators */
static bool direction_fits(const struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	bool response = pkt->opc->flags & SRNIC_OPF_RESP;

	return likely(qp->transport != SRNIC_TP_XRC) ||
	       qp->ib.qp_type == (response ? IB_QPT_XRC_INI : IB_QPT_XRC_TGT);
}

static bool opcode_fits(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	if (unlikely(pkt->opc->flags & OPF_CONTROL))
		return control_fits(qp, pkt);
	if (likely((pkt->opcode & SRNIC_TP_MASK) == qp->transport && direction_fits(qp, pkt)))
		return true;
	srnic_qp_count_drop(qp, pkt, SRNIC_STAT_unknown_opcode);
	return false;
}

/* IBA 10.9.3; QP1 takes any P_Key of the table. */
static bool pkey_fits(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	if (likely(srnic_pkey_match(srnic_qp_pkey(qp), pkt->pkey)))
		return true;
	if (qp->ib.qp_type == IB_QPT_GSI && srnic_pkey_index(qp->dev, pkt->pkey) >= 0)
		return true;
	srnic_qp_count_drop(qp, pkt, SRNIC_STAT_wrong_pkey);
	return false;
}

static bool packet_fits(const struct rx_run *run, const struct srnic_pkt *pkt)
{
	struct srnic_qp *qp = run->qp;

	if (!state_fits(qp, pkt) || !opcode_fits(qp, pkt))
		return false;
	if (unlikely(run->wrong_peer)) {
		srnic_qp_count_drop(qp, pkt, SRNIC_STAT_wrong_address);
		return false;
	}
	return pkey_fits(qp, pkt);
}

/* IBA 9.6.1.5.1: a connected QP accepts packets from its peer only. */
static bool is_wrong_peer(const struct srnic_qp *qp, const struct srnic_ends *ends)
{
	const struct srnic_ends *own = &qp->path.ends;

	if (!srnic_qp_connected(qp))
		return false;
	return !srnic_gid_equal(ends->sgid, own->dgid) || !srnic_gid_equal(ends->dgid, own->sgid);
}

/* Allow a datagram in the clear unless the rule of its sender or of its group requires a seal. */
static bool clear_allowed(struct srnic_qp *qp, const struct srnic_rx *rx,
			  const struct srnic_pkt *pkt)
{
	struct net *net = dev_net(pkt->skb->dev);
	struct srnic_policy_brief brief = srnic_policy_brief(net, rx->ends.sgid);

	if (likely(brief.rule != SRNIC_POLICY_REQUIRE) && unlikely(rx->multicast))
		brief = srnic_policy_brief(net, rx->ends.dgid);
	if (likely(brief.rule != SRNIC_POLICY_REQUIRE))
		return true;
	if (qp->ib.qp_type == IB_QPT_GSI && brief.clear_cm) {
		srnic_count(qp, policy_exempt);
		return true;
	}
	srnic_qp_count_drop(qp, pkt, SRNIC_STAT_sth_missing);
	return false;
}

/* Return the counter of the reason why a sealed datagram is refused. */
static enum srnic_stat refusal_of(int err)
{
	switch (err) {
	case -EPROTO:
		return SRNIC_STAT_sth_unexpected;
	case -EALREADY:
		return SRNIC_STAT_sth_replayed;
	case -ENOBUFS:
		return SRNIC_STAT_sth_crowded;
	case -EMSGSIZE:
		return SRNIC_STAT_malformed;
	default:
		return SRNIC_STAT_sth_auth_failed;
	}
}

/* @qp: the QP that the datagram is for; NULL for a group */
static bool open_datagram(struct srnic_rx *rx, struct srnic_qp *qp, struct srnic_pkt *pkt)
{
	int err = srnic_dgram_in_open(rx, pkt);

	if (!err) {
		srnic_count(rx->dev, sth_opened);
		trace_srnic_opened(rx->dev, pkt->dqpn, pkt);
		return true;
	}
	if (err == -EINPROGRESS)
		return false;
	if (qp)
		srnic_qp_count_drop(qp, pkt, refusal_of(err));
	else
		srnic_count_drop(rx->dev, pkt, refusal_of(err));
	return false;
}

static void rx_datagram(struct srnic_rx *rx, struct srnic_qp *qp, struct srnic_pkt *pkt)
{
	if (unlikely(pkt->sth_code)) {
		if (open_datagram(rx, qp, pkt))
			srnic_datagram_rx(qp, pkt);
		return;
	}
	if (clear_allowed(qp, rx, pkt))
		srnic_datagram_rx(qp, pkt);
}

static void rx_control(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	if (pkt->opc->flags & SRNIC_OPF_CNP)
		srnic_cnp_rx(qp);
	else
		srnic_hs_receive(qp, pkt);
}

static void rx_packet(struct rx_run *run, struct srnic_pkt *pkt)
{
	struct srnic_qp *qp = run->qp;

	if (!packet_fits(run, pkt))
		return;
	if (unlikely(!srnic_rx_icrc_ok(run->rx, pkt))) {
		srnic_qp_count_drop(qp, pkt, SRNIC_STAT_icrc_errors);
		return;
	}
	if (unlikely(pkt->opc->flags & OPF_CONTROL)) {
		rx_control(qp, pkt);
		return;
	}
	if (!srnic_qp_connected(qp)) {
		rx_datagram(run->rx, qp, pkt);
		return;
	}
	if (unlikely(!srnic_open_packet(qp, run->rx, pkt)))
		return;

	if (unlikely(run->marked))
		srnic_ecn_rx(qp, pkt);
	if (pkt->opc->flags & SRNIC_OPF_RESP) {
		srnic_completer_rx(qp, pkt, &run->cache);
		run->responses = true;
	} else {
		srnic_responder_rx(qp, pkt, &run->cache);
		run->requests = true;
	}
}

/* Reply to the run's requests, or let the worker do it if one of them repeats a READ. */
static void rx_reply(struct srnic_qp *qp)
{
	struct srnic_responder *resp = &qp->resp;

	srnic_responder_advanced(qp);
	if (unlikely(resp->replay))
		srnic_qp_kick(qp, SRNIC_QP_WORK_REPLY);
	else if (srnic_qp_reliable(qp))
		srnic_reply_run(qp);
}

/* Perform the actions that the run's packets have made due. */
static void run_end(struct rx_run *run)
{
	srnic_mem_cache_drop(&run->cache);
	if (run->requests || run->responses)
		WRITE_ONCE(run->qp->last_rx, jiffies);
	if (run->requests)
		rx_reply(run->qp);
	if (run->responses)
		srnic_requester_answered(run->qp);
}

/* Count a packet for a QP that is counted apart, and no longer for the device: see count_rx(). */
static void count_apart(struct srnic_qp *qp, const struct srnic_pkt *pkt)
{
	srnic_count_add(qp->dev, rcvd_pkts, -1ULL);
	srnic_count_add(qp->dev, rcvd_bytes, -(u64)pkt->len);
	srnic_count(qp, rcvd_pkts);
	srnic_count_add(qp, rcvd_bytes, pkt->len);
}

/* Receive consecutive packets of one QP, from @pkt on. Return true if another follows in @pkt. */
static bool rx_run(struct srnic_rx *rx, struct srnic_qp *qp, struct srnic_pkt *pkt)
{
	struct rx_run run = { .rx = rx, .qp = qp };
	u32 qpn = pkt->dqpn;
	bool apart, more;

	srnic_qp_lock(qp);
	apart = qp->stats != qp->dev->stats && !rx->reinjected;
	run.wrong_peer = is_wrong_peer(qp, &rx->ends);
	run.marked = srnic_qp_reliable(qp) && srnic_rx_marked(rx);
	do {
		if (unlikely(apart))
			count_apart(qp, pkt);
		rx_packet(&run, pkt);
		more = srnic_rx_next(rx, pkt);
	} while (more && pkt->dqpn == qpn);
	run_end(&run);
	srnic_qp_unlock(qp);
	return more;
}

/* Receive a datagram for a member of a group; its seal, if any, has been removed. */
static void rx_member(struct rx_run *run, struct srnic_pkt *pkt)
{
	struct srnic_qp *qp = run->qp;

	srnic_qp_lock(qp);
	if (packet_fits(run, pkt) && (pkt->sth_code || clear_allowed(qp, run->rx, pkt)))
		srnic_datagram_rx(qp, pkt);
	srnic_qp_unlock(qp);
}

/* Deliver a datagram to all QPs that are attached to its group; the payload is read-only. */
static void rx_multicast(struct srnic_rx *rx, struct srnic_pkt *pkt)
{
	struct srnic_mcast_group *group = srnic_mcast_find(rx->dev, rx->ends.dgid);
	struct rx_run run = { .rx = rx };
	u32 i;

	if (!group) {
		srnic_count_drop(rx->dev, pkt, SRNIC_STAT_no_qp);
		return;
	}
	if (pkt->opc->flags & SRNIC_OPF_CNP) {
		srnic_count_drop(rx->dev, pkt, SRNIC_STAT_unknown_opcode);
		return;
	}
	if (!srnic_rx_icrc_ok(rx, pkt)) {
		srnic_count_drop(rx->dev, pkt, SRNIC_STAT_icrc_errors);
		return;
	}
	if (pkt->sth_code && !open_datagram(rx, NULL, pkt))
		return;
	for (i = 0; i < group->count; i++) {
		run.qp = group->member[i].qp;
		rx_member(&run, pkt);
	}
}

static bool rx_some(struct srnic_rx *rx, struct srnic_pkt *pkt)
{
	bool group = pkt->dqpn == MULTICAST_QPN;
	struct srnic_qp *qp;

	/* IBA 9.6.1.4 and 9.6.1.5: packets to a group, and only these, have the multicast QPN */
	if (unlikely(rx->multicast != group)) {
		srnic_count_drop(rx->dev, pkt, SRNIC_STAT_wrong_address);
		return srnic_rx_next(rx, pkt);
	}
	if (unlikely(group)) {
		rx_multicast(rx, pkt);
		return srnic_rx_next(rx, pkt);
	}
	qp = srnic_qp_find(rx->dev, pkt->dqpn);
	if (likely(qp))
		return rx_run(rx, qp, pkt);

	srnic_count_drop(rx->dev, pkt, SRNIC_STAT_no_qp);
	return srnic_rx_next(rx, pkt);
}

static void count_rx(const struct srnic_rx *rx)
{
	if (rx->reinjected)
		return;
	srnic_count(rx->dev, rcvd_bursts);
	srnic_count_add(rx->dev, rcvd_pkts, rx->segs);
	srnic_count_add(rx->dev, rcvd_bytes, rx->len);
}

/**
 * srnic_engine_rx() - Receive all packets of one sk_buff
 * @rx: the packets, opened by net; the sk_buff is consumed
 *
 * Context: softirq, or BHs off; srnic_segment_lock() is held.
 */
void srnic_engine_rx(struct srnic_rx *rx)
{
	struct srnic_pkt pkt __uninitialized;
	bool more;

	count_rx(rx);
	rcu_read_lock();
	more = srnic_rx_next(rx, &pkt);
	while (more)
		more = rx_some(rx, &pkt);
	rcu_read_unlock();
	napi_consume_skb(rx->skb, 1);	/* for the next sender on this CPU: net/burst.c */
}

SRNIC_EXPORT_FOR_KUNIT(srnic_engine_rx);
