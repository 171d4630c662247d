// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Safe CQs (RFC 5042 6.4.3.2, R22): reject a post that could make a CQ overflow, like a post
 * to a full queue. SRNIC_SAFE_CQ=1 in the environment enables them for all CQs of a context.
 *
 * Each posted work request holds an entry of the CQ on which it may complete. So do
 * unsignaled ones, because they complete if they fail or are flushed. At any time
 *
 *	unpolled completions + work requests that may still complete
 *		<= entries held = reserved <= the CQ's limit
 *
 * so that the kernel has room for each completion that it writes. An entry is released when
 * it is certain that the kernel writes no more completion for it, and that the slot of a
 * completion already written is the kernel's again. It is certain in four cases: the
 * completion has been polled; a later one of the same send queue has, since they come in
 * order (send_done()); the request was retired without a completion (settle()); or the QP
 * was reset or destroyed.
 *
 * The slots of a send queue from the oldest held entry to prod are the list of held
 * requests: neither side writes to them before they are released. A send request thus
 * occupies its slot until release, not only until the kernel retires it.
 *
 * Shared receive queues follow a rule of their own: safe_srq.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "srnic.h"

/**
 * srnic_safe_wanted() - Read SRNIC_SAFE_CQ from the environment
 * @wanted: returns whether it is 1
 *
 * Return: 0, or EINVAL for a value other than 0 and 1: a typo must not silently disable the
 * protection.
 */
int srnic_safe_wanted(bool *wanted)
{
	const char *word = getenv("SRNIC_SAFE_CQ");

	*wanted = word && !strcmp(word, "1");
	if (!word || *wanted || !strcmp(word, "0"))
		return 0;
	fprintf(stderr, "srnic: SRNIC_SAFE_CQ is '%s': set it to 0 or 1, or unset it\n", word);
	return EINVAL;
}

/* @ring: the new CQ's ring */
struct srnic_safe *srnic_safe_create(struct srnic_ring *ring)
{
	struct srnic_safe *safe = calloc(1, sizeof(*safe));

	if (!safe)
		return NULL;
	pthread_spin_init(&safe->lock, PTHREAD_PROCESS_PRIVATE);
	safe->ring = ring;
	safe->done = ring->mine;
	return safe;
}

/* Called after the CQ's QPs have been destroyed, so no claims are left. */
void srnic_safe_destroy(struct srnic_safe *safe)
{
	if (!safe)
		return;
	pthread_spin_destroy(&safe->lock);
	free(safe);
}

static struct srnic_claims **bucket_of(struct srnic_safe *safe, uint32_t qp_num)
{
	return &safe->claims[qp_num % SRNIC_SAFE_BUCKETS];
}

/* Return the claims of the completion's work queue; NULL if its QP is gone. */
static struct srnic_claims *claims_of(struct srnic_safe *safe, const struct srnic_cqe *cqe)
{
	struct srnic_claims *claims = *bucket_of(safe, cqe->qp_num);
	bool recv = cqe->opcode & IBV_WC_RECV;	/* set by the kernel in error completions, too */

	while (claims && (claims->qp_num != cqe->qp_num || !claims->sq != recv))
		claims = claims->next;
	return claims;
}

/* Release the oldest @n entries. */
static void give_back(struct srnic_claims *claims, uint32_t n)
{
	claims->first += n;
	claims->held -= n;
	claims->safe->reserved -= n;
}

/**
 * send_done() - Return how many held send requests a polled completion releases
 *
 * These are all up to the first that may have completed like this: same wr_id, and signaled
 * unless the completion is an error. The completed request is still held, as requests before
 * the held ones no longer complete, so the search ends at it or before it. Skipped
 * requests are retired and will not complete: completions of a send queue come in order.
 * If unsignaled requests fail and all share one wr_id, the search may end too early;
 * settle() finds the rest.
 */
static uint32_t send_done(const struct srnic_claims *claims, const struct srnic_cqe *cqe)
{
	uint32_t n;

	for (n = 0; n < claims->held; n++) {
		const struct srnic_sq_wqe *wqe = srnic_ring_slot(claims->sq, claims->first + n);

		if (wqe->wr_id == cqe->wr_id &&
		    (cqe->status || wqe->flags & SRNIC_WQE_SIGNALED))
			return n + 1;
	}
	return 0;
}

static void completion_done(struct srnic_safe *safe, const struct srnic_cqe *cqe)
{
	struct srnic_claims *claims = claims_of(safe, cqe);

	if (claims && claims->sq)
		give_back(claims, send_done(claims, cqe));
	else if (claims && claims->held)
		give_back(claims, 1);
}

/**
 * srnic_safe_consumed() - Return the slots before ring->mine, and release their entries
 *
 * Context: Called with the CQ's lock held. Slots and entries change under one lock, so a
 * post that claims a released entry reaches a kernel that sees the free slot.
 */
void srnic_safe_consumed(struct srnic_safe *safe)
{
	pthread_spin_lock(&safe->lock);
	for (; safe->done != safe->ring->mine; safe->done++)
		completion_done(safe, srnic_ring_slot(safe->ring, safe->done));
	srnic_ring_consumed(safe->ring);
	pthread_spin_unlock(&safe->lock);
}

/* Call @what for the claims of each send queue. */
static void visit_sqs(struct srnic_safe *safe, void (*what)(struct srnic_claims *claims))
{
	struct srnic_claims *claims;
	unsigned int i;

	for (i = 0; i < SRNIC_SAFE_BUCKETS; i++)
		for (claims = safe->claims[i]; claims; claims = claims->next)
			if (claims->sq)
				what(claims);
}

/* Note all retired requests except for the last, see settle(). */
static void see_retired(struct srnic_claims *claims)
{
	claims->settled = srnic_load_acquire(&claims->sq->hdr->cons) - 1;
}

static void give_settled_back(struct srnic_claims *claims)
{
	int32_t n = claims->settled - claims->first;

	if (n > 0)
		give_back(claims, n);
}

/**
 * settle() - Release send requests that were retired without a completion
 *
 * The kernel retires the requests of a send queue in order, under a lock: for each, it
 * stores cons and then writes the completion, if there is one. When we see cons beyond
 * request i, the completion of i may be outstanding, but that of i - 1 is written: its
 * store of prod precedes the store of cons that we acquired, so the subsequent load of prod
 * sees it. (If prod was loaded before cons, the completion could be written in between.)
 *
 * So if no completion of the queue is unpolled, all retired requests but the last have been
 * polled or had no completion. If one is unpolled, polling it releases entries. The last
 * retired request is released after the next has been retired.
 *
 * The lock keeps completions from being polled and their slots from being refilled
 * meanwhile.
 */
static void settle(struct srnic_safe *safe)
{
	struct srnic_claims *claims;
	uint32_t prod, i;

	visit_sqs(safe, see_retired);
	prod = srnic_load_acquire(&safe->ring->hdr->prod);
	for (i = safe->done; i != prod; i++) {
		claims = claims_of(safe, srnic_ring_slot(safe->ring, i));
		if (claims)
			claims->settled = claims->first;
	}
	visit_sqs(safe, give_settled_back);
}

static bool has_room(const struct srnic_safe *safe, uint32_t n)
{
	return safe->reserved + n <= safe->ring->limit;
}

/**
 * srnic_safe_may_shrink() - Test whether all reserved entries fit into a CQ of @limit
 *
 * Context: Called with the lock of @safe held.
 */
bool srnic_safe_may_shrink(struct srnic_safe *safe, uint32_t limit)
{
	if (safe->reserved > limit)
		settle(safe);
	return safe->reserved <= limit;
}

/**
 * srnic_safe_reserve() - Reserve @n entries that belong to no work queue
 *
 * Return: 0 or ENOMEM.
 */
int srnic_safe_reserve(struct srnic_safe *safe, uint32_t n)
{
	int ret = ENOMEM;

	pthread_spin_lock(&safe->lock);
	if (!has_room(safe, n))
		settle(safe);
	if (has_room(safe, n)) {
		safe->reserved += n;
		ret = 0;
	}
	pthread_spin_unlock(&safe->lock);
	return ret;
}

void srnic_safe_release(struct srnic_safe *safe, uint32_t n)
{
	pthread_spin_lock(&safe->lock);
	safe->reserved -= n;
	pthread_spin_unlock(&safe->lock);
}

/* Return how many receives of @srq have completed on this CQ and are unpolled. */
uint32_t srnic_safe_unpolled(struct srnic_safe *safe, const struct srnic_srq *srq)
{
	const struct srnic_claims *claims;
	uint32_t prod, i, n = 0;

	pthread_spin_lock(&safe->lock);
	prod = srnic_load_acquire(&safe->ring->hdr->prod);
	for (i = safe->done; i != prod; i++) {
		claims = claims_of(safe, srnic_ring_slot(safe->ring, i));
		n += claims && claims->srq == srq;
	}
	pthread_spin_unlock(&safe->lock);
	return n;
}

static bool may_claim(const struct srnic_claims *claims)
{
	return has_room(claims->safe, 1) && (!claims->sq || claims->held < claims->sq->limit);
}

/**
 * srnic_claim() - Hold an entry for another work request
 *
 * For a send queue, this also takes the slot.
 *
 * Context: Called with the work queue's lock held.
 * Return: 0 or ENOMEM.
 */
int srnic_claim(struct srnic_claims *claims)
{
	struct srnic_safe *safe = claims->safe;
	int ret = ENOMEM;

	pthread_spin_lock(&safe->lock);
	if (!may_claim(claims))
		settle(safe);
	if (may_claim(claims)) {
		claims->held++;
		safe->reserved++;
		ret = 0;
	}
	pthread_spin_unlock(&safe->lock);
	return ret;
}

/**
 * srnic_unclaim() - Release the entries of send requests that were not posted
 * @claims: of a send queue; does nothing if its CQ is not safe
 * @next: index of the first such request
 */
void srnic_unclaim(struct srnic_claims *claims, uint32_t next)
{
	uint32_t n;

	if (!claims->safe)
		return;
	pthread_spin_lock(&claims->safe->lock);
	n = claims->first + claims->held - next;
	claims->held -= n;
	claims->safe->reserved -= n;
	pthread_spin_unlock(&claims->safe->lock);
}

/**
 * srnic_claims_drop() - Release all entries of a work queue whose requests no longer complete
 * @claims: of the work queue; does nothing if its CQ is not safe
 *
 * Call it after srnic_cq_forget(), because unpolled completions occupy entries.
 */
void srnic_claims_drop(struct srnic_claims *claims)
{
	if (!claims->safe)
		return;
	pthread_spin_lock(&claims->safe->lock);
	give_back(claims, claims->held);
	if (claims->sq)
		claims->first = claims->sq->mine;
	pthread_spin_unlock(&claims->safe->lock);
}

static void attach(struct srnic_claims *claims, struct srnic_safe *safe, struct srnic_qp *qp)
{
	struct srnic_claims **bucket = bucket_of(safe, qp->vqp.qp.qp_num);

	claims->safe = safe;
	claims->qp_num = qp->vqp.qp.qp_num;
	claims->first = claims->sq ? claims->sq->mine : 0;
	pthread_spin_lock(&safe->lock);
	claims->next = *bucket;
	*bucket = claims;
	pthread_spin_unlock(&safe->lock);
}

static void detach(struct srnic_claims *claims)
{
	struct srnic_safe *safe = claims->safe;
	struct srnic_claims **at;

	if (!safe)
		return;
	srnic_claims_drop(claims);
	pthread_spin_lock(&safe->lock);
	for (at = bucket_of(safe, claims->qp_num); *at != claims; at = &(*at)->next)
		;
	*at = claims->next;
	pthread_spin_unlock(&safe->lock);
}

static struct srnic_safe *safe_of(struct ibv_cq *cq)
{
	return cq ? to_scq(cq)->safe : NULL;
}

/**
 * srnic_safe_attach() - Register a new QP with those of its CQs that are safe
 * @attr: the attributes with which the QP was created
 *
 * Return: 0, or ENOMEM: the receive CQ lacks the entries that the SRQ needs.
 */
int srnic_safe_attach(struct srnic_qp *qp, const struct ibv_qp_init_attr_ex *attr)
{
	struct srnic_safe *send = safe_of(attr->send_cq);
	struct srnic_safe *recv = safe_of(attr->recv_cq);
	int ret;

	if (recv && attr->srq) {
		ret = srnic_srq_join(to_ssrq(attr->srq), recv);
		if (ret)
			return ret;
		qp->recv_claims.srq = to_ssrq(attr->srq);
	}
	if (recv)
		attach(&qp->recv_claims, recv, qp);
	if (send && qp->sq.hdr) {
		qp->send_claims.sq = &qp->sq;
		attach(&qp->send_claims, send, qp);
	}
	return 0;
}

/**
 * srnic_safe_detach() - Release the entries of a destroyed QP
 *
 * Call it after srnic_cq_forget() for both of its CQs.
 */
void srnic_safe_detach(struct srnic_qp *qp)
{
	detach(&qp->send_claims);
	detach(&qp->recv_claims);
	if (qp->recv_claims.srq)
		srnic_srq_leave(qp->recv_claims.srq, qp->recv_claims.safe);
}
