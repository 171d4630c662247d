// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Safe CQs (RFC 5042 6.4.3.2, R22): a post that could make a CQ overflow is refused, as
 * by a full queue. SRNIC_SAFE_CQ=1 in the environment asks for it, for all CQs of a
 * context.
 *
 * Each work request that is posted holds an entry of the CQ it may complete on. An
 * unsignalled one does so, too: it completes if it fails, or is flushed. At any moment
 *
 *	completions that have not been polled + work requests that may yet complete
 *		<= entries held = reserved <= the CQ's limit
 *
 * so that the kernel, whatever it completes, finds room. What is held is given back no
 * sooner than it is certain that the kernel writes no completion for it any more, and
 * that the slot of one that it has written is the kernel's again. There are three ways
 * to be certain: the completion has been polled; a later one of the same send queue
 * has, for they come in order (send_done()); or the request was retired in silence
 * (settle()). RESET and destruction are a fourth.
 *
 * A send queue's slots between the oldest that is held and prod are its list of what is
 * held: nobody fills them anew before that, nor writes to them at all. So a send request
 * has its slot until it is given back, and not only until the kernel has retired it.
 *
 * Shared receive queues have a rule of their own: safe_srq.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "srnic.h"

/**
 * srnic_safe_wanted - what SRNIC_SAFE_CQ says
 * @wanted: set
 *
 * Return: 0, or EINVAL for what is neither 0 nor 1: who misspells it must not believe
 * himself safe.
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

/* @ring: of a new CQ */
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

/* The CQ's QPs are gone, and with them all claims. */
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

/* Whose completion that is; NULL if its QP is gone. */
static struct srnic_claims *claims_of(struct srnic_safe *safe, const struct srnic_cqe *cqe)
{
	struct srnic_claims *claims = *bucket_of(safe, cqe->qp_num);
	bool recv = cqe->opcode & IBV_WC_RECV;	/* the kernel sets it in error, too */

	while (claims && (claims->qp_num != cqe->qp_num || !claims->sq != recv))
		claims = claims->next;
	return claims;
}

/* The oldest @n. */
static void give_back(struct srnic_claims *claims, uint32_t n)
{
	claims->first += n;
	claims->held -= n;
	claims->safe->reserved -= n;
}

/**
 * send_done - how many are done with when @cqe has been polled
 *
 * All up to the first that can have completed so: one of that wr_id, and signalled if it
 * succeeded. It is one of those that are held, for of what came before nothing completes
 * any more. So the search ends there or earlier; and what it passes over is retired, or
 * this would not be, and completes no more, or would have done so before: completions of
 * a send queue come in order. It may end too early, where a program has one wr_id for
 * all and unsignalled ones fail: settle() finds the rest.
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
 * srnic_safe_consumed - give back the slots before ring->mine, and what was held for them
 *
 * Called with the CQ's lock. The slots go first, and all of it under one lock: who posts
 * with what was given back does so to a kernel that sees the room.
 */
void srnic_safe_consumed(struct srnic_safe *safe)
{
	pthread_spin_lock(&safe->lock);
	for (; safe->done != safe->ring->mine; safe->done++)
		completion_done(safe, srnic_ring_slot(safe->ring, safe->done));
	srnic_ring_consumed(safe->ring);
	pthread_spin_unlock(&safe->lock);
}

/* Has @what done to each send queue's claims. */
static void visit_sqs(struct srnic_safe *safe, void (*what)(struct srnic_claims *claims))
{
	struct srnic_claims *claims;
	unsigned int i;

	for (i = 0; i < SRNIC_SAFE_BUCKETS; i++)
		for (claims = safe->claims[i]; claims; claims = claims->next)
			if (claims->sq)
				what(claims);
}

/* All but the last that is retired; see settle(). */
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
 * settle - give back what was retired in silence
 *
 * The kernel retires the requests of a send queue in order, under a lock. Of each it
 * first stores cons, and then writes the completion, if there is one. When we see cons
 * behind request i, the completion of i may be still to come. But that of i - 1 was
 * written before: its store of prod precedes that store of cons, which we acquired, so
 * that the look at prod which follows sees it. (The other way round, prod before cons,
 * it could be written in between.)
 *
 * So where no completion of the queue waits to be polled, all but the last that is
 * retired have been polled, or had none. Where one waits, polling it tells more. The
 * last one is given back by the next that is retired.
 *
 * The lock keeps completions from being polled meanwhile, and their slots from being
 * filled anew.
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
 * srnic_safe_may_shrink - whether all that is held fits into a CQ of @limit
 *
 * Called with the lock of @safe.
 */
bool srnic_safe_may_shrink(struct srnic_safe *safe, uint32_t limit)
{
	if (safe->reserved > limit)
		settle(safe);
	return safe->reserved <= limit;
}

/**
 * srnic_safe_reserve - hold @n entries that are no work queue's
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

/* How many receives of @srq have completed there and wait to be polled. */
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
 * srnic_claim - hold an entry for one work request more
 *
 * Called with the work queue's lock. A send queue's slot comes with it.
 *
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
 * srnic_unclaim - requests of a send queue are not posted after all
 * @claims: not of a safe CQ: there is nothing to do
 * @next: the first of them
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
 * srnic_claims_drop - a QP completes nothing any more of what was posted
 * @claims: not of a safe CQ: there is nothing to do
 *
 * After srnic_cq_forget(): what the QP has completed takes room, too.
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
 * srnic_safe_attach - a new QP's CQs may be safe ones
 * @attr: as it was created
 *
 * Return: 0, or ENOMEM: the receive CQ has not the room that the SRQ needs.
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
 * srnic_safe_detach - a QP has been destroyed
 *
 * After srnic_cq_forget(), for both its CQs.
 */
void srnic_safe_detach(struct srnic_qp *qp)
{
	detach(&qp->send_claims);
	detach(&qp->recv_claims);
	if (qp->recv_claims.srq)
		srnic_srq_leave(qp->recv_claims.srq, qp->recv_claims.safe);
}
