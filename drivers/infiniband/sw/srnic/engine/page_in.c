// SPDX-License-Identifier: GPL-2.0
/*
 * Waits for pages of regions that are paged on demand (mem/odp.c). The context that finds pages
 * absent changes nothing and notes them; a worker (page_in_work.c) faults them in, and the flow
 * continues where it stopped:
 *
 * - A peer's WRITE, atomic or SEND is answered by an RNR NAK, and sent again by the peer. A READ is
 *   accepted, and its responses wait.
 * - Our requests wait for the bytes to send. A response whose buffer is absent is dropped, and
 *   requested again.
 * - A datagram waits (held.c). A UC message is lost, as it may be.
 *
 * A flow of a QP waits for one access at a time, and one access faults in a bounded number of
 * pages: this bounds the work that a peer causes. Each flow has a work of its own and each user has
 * workers of its own, because a page may be slow, or never come: it comes from where the process's
 * memory comes from.
 */
#include "export.h"
#include "srnic.h"
#include "engine/page_in.h"

/*
 * Codes of RNR NAKs (IBA table 46; two codes are a doubling): at first the time in which memory
 * that was never touched can be had, 0.03 ms for a page, 0.48 ms for 1 MiB. Then they grow, slowly
 * at first, so that a fault that is nearly done is not awaited for long, up to 163.84 ms: a peer
 * with few retries waits for a slow page, too, 0.18 s with six of them.
 */
#define RNR_FIRST	3
#define RNR_FIRST_MOST	11
#define RNR_LAST	28

/* Jiffies until pages that could not be had are requested again */
#define PAUSE		max(HZ / 50, 1)

/* For regions of the administrator, who has no account (guard/user.c) */
static struct workqueue_struct *page_wq;

static void queue_page_in(struct srnic_page_in *in, unsigned long delay)
{
	struct srnic_user *user = in->stream->pd->user;

	queue_delayed_work(user ? user->page_wq : page_wq, &in->work, delay);
}

static u8 first_rnr_code(u64 ahead)
{
	return min(RNR_FIRST + ilog2(max(ahead >> PAGE_SHIFT, 1ULL)), RNR_FIRST_MOST);
}

static u8 next_rnr_code(u8 code)
{
	return min(code + 3 + code / 4, RNR_LAST);
}

static bool same_access(const struct srnic_access *a, const struct srnic_access *b)
{
	return a->key == b->key && a->va == b->va && a->rights == b->rights;
}

static bool page_in(struct srnic_qp *qp, enum srnic_sth_flow flow,
		    const struct srnic_mem_stream *stream, const struct srnic_access *access,
		    u64 ahead)
{
	struct srnic_page_in *in = &qp->page_in[flow];

	/* the domain of an XRC target is that of its last request: a worker could not use it */
	if (unlikely(qp->xrc))
		return false;
	if (in->state == SRNIC_PAGE_IN_DUE)
		return true;	/* for another access, maybe: this one has its turn next */
	if (in->state == SRNIC_PAGE_IN_FAILED && same_access(&in->access, access)) {
		in->state = SRNIC_PAGE_IN_IDLE;
		srnic_count(qp, page_refused);
		return false;
	}
	srnic_count(qp, page_waits);
	in->state = SRNIC_PAGE_IN_DUE;
	in->rnr_code = first_rnr_code(ahead);
	in->access = *access;
	in->ahead = ahead;
	in->stream = stream;
	queue_page_in(in, 0);
	return true;
}

/**
 * srnic_page_in() - Request the absent pages of a peer's access
 * @qp: the QP
 * @flow: the flow that waits
 * @access: has just been answered by SRNIC_MEM_ABSENT
 * @ahead: bytes from the first one on that will probably be accessed
 *
 * Context: process or softirq, under the QP's lock.
 * Return: true: the flow continues later, with the same access; false: the process cannot access
 * these bytes itself.
 */
bool srnic_page_in(struct srnic_qp *qp, enum srnic_sth_flow flow,
		   const struct srnic_access *access, u64 ahead)
{
	lockdep_assert_held(&qp->lock);
	return page_in(qp, flow, &qp->mem, access, ahead);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_page_in);

/**
 * srnic_page_in_sges() - Request absent pages of a work request's buffers
 * @qp: the QP
 * @flow: OURS: a send work request's; THEIRS: a receive work request's
 * @at: where the access begins, in the kernel's copy of the list
 * @len: bytes that are accessed
 * @rights: IB_ACCESS_LOCAL_WRITE, or 0 for reading
 *
 * Context: process or softirq, under the QP's lock.
 * Return: as srnic_page_in(); false also if the access is refused for another reason now.
 */
bool srnic_page_in_sges(struct srnic_qp *qp, enum srnic_sth_flow flow,
			const struct srnic_sge_pos *at, u32 len, u32 rights)
{
	const struct srnic_mem_stream *stream = &qp->mem;
	struct srnic_access access = { .rights = rights };
	enum srnic_mem_status status;
	u64 ahead;

	lockdep_assert_held(&qp->lock);

	if (flow == SRNIC_FLOW_THEIRS)
		stream = qp->recv_mem;
	status = srnic_sge_find_absent(stream, at, len, &access, &ahead);
	if (status && status != SRNIC_MEM_ABSENT)
		return false;
	/* if they have come meanwhile, the worker has nothing to do but to continue */
	return page_in(qp, flow, stream, &access, ahead);
}

/**
 * srnic_page_in_rnr_code() - Return the time after which a refused peer is to try again
 * @qp: an RC QP whose responder waits
 *
 * Context: softirq, under the QP's lock.
 * Return: code for the AETH (IBA table 46).
 */
u8 srnic_page_in_rnr_code(struct srnic_qp *qp)
{
	struct srnic_page_in *in = &qp->page_in[SRNIC_FLOW_THEIRS];
	u8 code = RNR_FIRST;

	lockdep_assert_held(&qp->lock);

	if (in->state == SRNIC_PAGE_IN_DUE) {
		code = in->rnr_code;
		in->rnr_code = next_rnr_code(code);
	}
	return code;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_page_in_rnr_code);

/**
 * srnic_page_in_later() - Try again in a while to get the pages that a flow waits for
 * @in: the flow's wait
 *
 * Memory was short, or the kernel took the pages back each time.
 *
 * Context: process, under the QP's lock.
 */
void srnic_page_in_later(struct srnic_page_in *in)
{
	queue_page_in(in, PAUSE);
}

/**
 * srnic_page_in_forget() - End all waits of a QP
 * @qp: the QP, in RESET; its works have been cancelled
 */
void srnic_page_in_forget(struct srnic_qp *qp)
{
	lockdep_assert_held(&qp->lock);

	for (unsigned int flow = 0; flow < SRNIC_FLOWS; flow++) {
		qp->page_in[flow].state = SRNIC_PAGE_IN_IDLE;
		qp->page_in[flow].response = false;
	}
}

/**
 * srnic_page_in_start() - Create the administrator's workers, at module load
 *
 * Return: 0 or -ENOMEM.
 */
int srnic_page_in_start(void)
{
	page_wq = alloc_workqueue("srnic_page", WQ_UNBOUND, 0);
	return page_wq ? 0 : -ENOMEM;
}

/**
 * srnic_page_in_stop() - Destroy the administrator's workers
 */
void srnic_page_in_stop(void)
{
	if (page_wq)
		destroy_workqueue(page_wq);
	page_wq = NULL;
}
