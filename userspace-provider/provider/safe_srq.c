// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Safe CQs with shared receive queues, see safe.c. It is not known in advance on which CQ a
 * receive will complete, so each CQ has room for all.
 *
 * Three kinds of receives may complete on one CQ: those waiting in the SRQ, those completed
 * on the CQ but unpolled, and those that a QP of the CQ has taken but not completed. The
 * last are one per QP, as QPs take receives one by one. The CQ reserves one entry per QP
 * for the last kind and, from the first QP on, as many entries as the SRQ has for the
 * others; without that room, the QP is not created. A receive may be posted if for each of
 * these CQs
 *
 *	receives waiting in the SRQ + its unpolled completions < the SRQ's size
 *
 * Together with the receives that QPs have taken, that stays within the reservation: only
 * a post increases the sum; a receive that leaves the SRQ moves from one term to the next,
 * once.
 *
 * Nothing is counted incrementally, so nothing leaks if a QP is destroyed while it has
 * a receive.
 */
#include <errno.h>
#include <stdlib.h>

#include "srnic.h"

/* A CQ on which receives of an SRQ may complete. */
struct srnic_srq_cq {
	struct srnic_srq_cq *next;
	struct srnic_safe *safe;
	unsigned int qps;
};

/*
 * look() - Return how many receives may be posted from @next on
 *
 * Reads the SRQ first, then the CQs. A receive beyond cons was taken by a QP. If cons shows
 * that the QP has since taken another, it completed the first before, and we see that: the
 * kernel writes the completion under the QP's lock before the QP takes the next, and stores
 * cons under the SRQ's lock. So at most one receive per QP is not seen, and each QP has an
 * entry for it.
 */
static uint32_t look(struct srnic_srq *srq, uint32_t next)
{
	uint32_t waiting = next - srnic_load_acquire(&srq->ring.hdr->cons);
	uint32_t most = 0, n;
	struct srnic_srq_cq *cq;

	for (cq = srq->cqs; cq; cq = cq->next) {
		n = srnic_safe_unpolled(cq->safe, srq);
		if (n > most)
			most = n;
	}
	n = waiting + most;
	return n < srq->ring.limit ? srq->ring.limit - n : 0;
}

/**
 * srnic_srq_claim() - Test whether a receive may be posted
 * @next: its index
 *
 * The budget of the last look() remains valid until it is used up: see above.
 *
 * Context: Called with the SRQ's lock held.
 * Return: 0 or ENOMEM.
 */
int srnic_srq_claim(struct srnic_srq *srq, uint32_t next)
{
	if (!srq->room)
		srq->room = look(srq, next);
	if (!srq->room)
		return ENOMEM;
	srq->room--;
	return 0;
}

static struct srnic_srq_cq **find(struct srnic_srq *srq, const struct srnic_safe *safe)
{
	struct srnic_srq_cq **at = &srq->cqs;

	while (*at && (*at)->safe != safe)
		at = &(*at)->next;
	return at;
}

/**
 * srnic_srq_join() - Add a QP that takes receives of @srq and completes them on a safe CQ
 *
 * Return: 0, or ENOMEM: the CQ lacks the entries.
 */
int srnic_srq_join(struct srnic_srq *srq, struct srnic_safe *safe)
{
	struct srnic_srq_cq *fresh = calloc(1, sizeof(*fresh)), **at;
	int ret;

	if (!fresh)
		return ENOMEM;
	fresh->safe = safe;

	srnic_lock(&srq->lock);
	at = find(srq, safe);
	ret = srnic_safe_reserve(safe, *at ? 1 : 1 + srq->ring.limit);
	if (!ret) {
		if (!*at) {
			*at = fresh;
			fresh = NULL;
		}
		(*at)->qps++;
	}
	srnic_unlock(&srq->lock);
	free(fresh);
	return ret;
}

/**
 * srnic_srq_leave() - Remove such a QP after its destruction and srnic_cq_forget()
 */
void srnic_srq_leave(struct srnic_srq *srq, struct srnic_safe *safe)
{
	struct srnic_srq_cq **at, *last = NULL;

	srnic_lock(&srq->lock);
	at = find(srq, safe);
	if (!--(*at)->qps) {
		last = *at;
		*at = last->next;
	}
	srnic_safe_release(safe, last ? 1 + srq->ring.limit : 1);
	srnic_unlock(&srq->lock);
	free(last);
}
