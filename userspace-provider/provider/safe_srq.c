// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Safe CQs and shared receive queues: see safe.c. Nobody knows beforehand on which CQ a
 * receive will complete, so each has room for all.
 *
 * What may complete on one CQ out of an SRQ is what waits in the SRQ, what has completed
 * on that CQ and was not polled, and what a QP of that CQ has taken and not completed:
 * one a QP, for QPs take them one by one. For the latter the CQ reserves one entry a QP,
 * and for the others, together, as many as the SRQ has, from the first QP on: without
 * that room there is no QP. A receive is posted if for each of those CQs
 *
 *	receives that wait in the SRQ + its completions that wait to be polled
 *
 * are less than the SRQ's size. Together with what QPs have in their hands that is no
 * more than is reserved, and it stays so: only a post adds to the three; what leaves the
 * SRQ goes from one to the next, once.
 *
 * Nothing is counted along, and so nothing is lost where a QP is destroyed with a
 * receive in its hands.
 */
#include <errno.h>
#include <stdlib.h>

#include "srnic.h"

/* A CQ that receives of an SRQ may complete on. */
struct srnic_srq_cq {
	struct srnic_srq_cq *next;
	struct srnic_safe *safe;
	unsigned int qps;
};

/*
 * look - how many receives may be posted from @next on
 *
 * First the SRQ, then the CQs. A receive that has left the SRQ by cons was taken by a QP.
 * If that QP has taken another since, by cons, it had completed the first before, and we
 * see it: the kernel writes the completion under the QP's lock before the QP takes again,
 * and stores cons under the SRQ's. So what is not seen is one a QP, for which there is
 * room apart.
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
 * srnic_srq_claim - whether a receive may be posted
 * @next: its index
 *
 * Called with the SRQ's lock. What the last look allowed is allowed still, if it was not
 * used up: see above.
 *
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
 * srnic_srq_join - one QP more takes receives of @srq and completes them on a safe CQ
 *
 * Return: 0, or ENOMEM: the CQ has not the room.
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
 * srnic_srq_leave - such a QP has been destroyed, and what it had completed is gone
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
