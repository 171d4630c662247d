// SPDX-License-Identifier: GPL-2.0
/*
 * An index of a shared receive queue that cannot be ends the QPs that receive from it, and its
 * owner gets one event. The targets of an XRC domain may have others' queues, too.
 */
#include <poll.h>
#include <stdio.h>
#include "rings.h"

#define RECEIVERS	2

/* struct crowd - a shared queue, and receivers with their senders */
struct crowd {
	struct ibv_srq *srq;
	uint32_t srqn;
	struct ibv_qp *from[RECEIVERS];
	struct ibv_qp *to[RECEIVERS];
	struct srnic_ring_hdr *ring;
};

/* Return the status of a SEND */
static enum ibv_wc_status sent(const struct crowd *crowd, int i)
{
	struct ibv_wc wc;

	return send_message(crowd->from[i], crowd->srqn, &wc) ? wc.status : IBV_WC_GENERAL_ERR;
}

/* Count SRQ_ERR events of a shared receive queue */
static int srq_errors(const struct ibv_srq *srq)
{
	struct pollfd fd = { .fd = world.ctx->async_fd, .events = POLLIN };
	struct ibv_async_event event;
	int found = 0;

	while (poll(&fd, 1, 500) == 1 && !ibv_get_async_event(world.ctx, &event)) {
		found += event.event_type == IBV_EVENT_SRQ_ERR && event.element.srq == srq;
		ibv_ack_async_event(&event);
	}
	return found;
}

static void make_crowd(struct crowd *crowd, enum kind kind)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = DEPTH, .max_sge = 1 } };
	const struct ibv_qp_cap cap = { .max_send_wr = 1, .max_send_sge = 1 };

	*crowd = (struct crowd){};
	ring_note();
	crowd->srq = kind == XRC ? create_xrc_srq(world.xrcd, world.liar_cq, &crowd->srqn) :
				   ibv_create_srq(world.pd, &init);
	if (!crowd->srq)
		die("ibv_create_srq");
	crowd->ring = ring_found();
	for (int i = 0; i < RECEIVERS; i++) {
		crowd->from[i] = create_qp(kind, world.cq, &cap);
		crowd->to[i] = kind == XRC ? create_target() : create_receiver(crowd->srq);
		connect_qps(crowd->from[i], crowd->to[i]);
	}
}

static void end_crowd(struct crowd *crowd)
{
	for (int i = 0; i < RECEIVERS; i++)
		if (ibv_destroy_qp(crowd->from[i]) || ibv_destroy_qp(crowd->to[i]))
			die("ibv_destroy_qp");
	if (ibv_destroy_srq(crowd->srq))
		die("ibv_destroy_srq");
}

static void break_srq(enum kind kind, const char *name)
{
	struct crowd crowd;

	make_crowd(&crowd, kind);
	srq_errors(crowd.srq);
	ring_publish(crowd.ring, 0x80000000);
	for (int i = 0; i < RECEIVERS; i++) {
		verdict(sent(&crowd, i) == IBV_WC_REM_OP_ERR, name, "the sender is not refused");
		verdict(soon_in_error(crowd.to[i]), "  and the receiver ends", "it is not in ERR");
		/* repairing the index has no effect any more */
		ring_publish(crowd.ring, 0);
	}
	verdict(srq_errors(crowd.srq) == 1, "  and the event SRQ_ERR is raised once", "it is not");
	bystanders_live();
	end_crowd(&crowd);
}

void break_shared_queues(void)
{
	break_srq(RC, "a shared queue's index beyond the ring");
	break_srq(XRC, "a shared queue of XRC: an index beyond the ring");
}
