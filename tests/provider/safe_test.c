// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Safe CQs: posted requests have room to complete, and polled completions make room.
 * fake_complete() fails if a CQ overflows.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "fake.h"
#include "test.h"

#define SIGNALED	IBV_SEND_SIGNALED
#define PATIENCE	60	/* seconds after which a rejected post counts as permanent */

static struct srnic_pd pd;

static struct ibv_context *ctx(void)
{
	return &fake.ctx.vctx.context;
}

static void begin(void)
{
	fake_begin();
	fake.ctx.safe_cq = true;
	fake.start = UINT32_MAX - 2;	/* make the indices wrap */
	pd.ibv.context = ctx();
}

static struct ibv_cq *new_cq(uint32_t cqe)
{
	return srnic_create_cq(ctx(), cqe, NULL, 0);
}

static struct ibv_qp *try_qp(struct ibv_cq *send_cq, struct ibv_cq *recv_cq, struct ibv_srq *srq,
			     uint32_t max_wr)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = send_cq, .recv_cq = recv_cq, .srq = srq,
		.cap = { .max_send_wr = max_wr, .max_recv_wr = max_wr, .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC, .pd = &pd.ibv,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
	};
	struct ibv_qp *qp = srnic_create_qp_ex(ctx(), &attr);

	if (qp)
		qp->state = IBV_QPS_RTS;
	return qp;
}

static struct ibv_qp *new_qp(struct ibv_cq *cq, uint32_t max_wr)
{
	struct ibv_qp *qp = try_qp(cq, cq, NULL, max_wr);

	CHECK(qp);
	return qp;
}

static struct ibv_srq *new_srq(uint32_t max_wr)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = max_wr, .max_sge = 1 } };

	return srnic_create_srq(&pd.ibv, &attr);
}

static int send_one(struct ibv_qp *qp, uint64_t wr_id, unsigned int flags)
{
	struct ibv_send_wr wr = { .wr_id = wr_id, .opcode = IBV_WR_SEND, .send_flags = flags };
	struct ibv_send_wr *bad_wr;

	return srnic_post_send(qp, &wr, &bad_wr);
}

static int recv_one(struct ibv_qp *qp)
{
	struct ibv_recv_wr wr = {}, *bad_wr;

	return srnic_post_recv(qp, &wr, &bad_wr);
}

static int srq_one(struct ibv_srq *srq)
{
	struct ibv_recv_wr wr = {}, *bad_wr;

	return srnic_post_srq_recv(srq, &wr, &bad_wr);
}

/* Return how many posts, at most @most, succeed before one fails for lack of room. */
static int sends(struct ibv_qp *qp, int most, unsigned int flags)
{
	int n = 0, ret = 0;

	while (n < most && !(ret = send_one(qp, 1000 + n, flags)))
		n++;
	CHECK(!ret || ret == ENOMEM);
	return n;
}

static int recvs(struct ibv_qp *qp, int most)
{
	int n = 0, ret = 0;

	while (n < most && !(ret = recv_one(qp)))
		n++;
	CHECK(!ret || ret == ENOMEM);
	return n;
}

static int srqs(struct ibv_srq *srq, int most)
{
	int n = 0, ret = 0;

	while (n < most && !(ret = srq_one(srq)))
		n++;
	CHECK(!ret || ret == ENOMEM);
	return n;
}

static void tell(struct ibv_cq *cq, struct ibv_qp *qp, uint64_t wr_id, uint32_t status,
		 uint32_t opcode)
{
	struct srnic_cqe cqe = {
		.wr_id = wr_id, .status = status, .opcode = opcode, .qp_num = qp->qp_num,
	};

	fake_complete(fake_cq(cq), &cqe, false);
}

/*
 * Let the kernel retire the next @n requests: first the slots, then the completions. Failed
 * requests always complete.
 */
static void done_sends(struct ibv_cq *cq, struct ibv_qp *qp, int n, uint32_t status)
{
	while (n--) {
		struct srnic_sq_wqe *wqe = fake_peek(fake_sq(qp));
		uint64_t wr_id;
		bool told;

		CHECK(wqe);
		if (!wqe)
			return;
		wr_id = wqe->wr_id;
		told = status || wqe->flags & SRNIC_WQE_SIGNALED;
		fake_take(fake_sq(qp));
		fake_retire(fake_sq(qp));
		if (told)
			tell(cq, qp, wr_id, status, IBV_WC_SEND);
	}
}

static void take_recvs(struct fake_ring *ring, int n)
{
	while (n--) {
		CHECK(fake_peek(ring));
		fake_take(ring);
		fake_retire(ring);
	}
}

static void done_recvs(struct ibv_cq *cq, struct ibv_qp *qp, struct fake_ring *ring, int n)
{
	while (n--) {
		take_recvs(ring, 1);
		tell(cq, qp, 0, IBV_WC_SUCCESS, IBV_WC_RECV);
	}
}

static int poll(struct ibv_cq *cq, int n)
{
	struct ibv_wc wc[64];

	return srnic_poll_cq(cq, n, wc);
}

static uint32_t reserved(struct ibv_cq *cq)
{
	return to_scq(cq)->safe->reserved;
}

static void end(struct ibv_cq *cq, struct ibv_qp *qp)
{
	srnic_destroy_qp(qp);
	CHECK(!reserved(cq));
	srnic_destroy_cq(cq);
	fake_end();
}

static void R22_a_queue_of_n_takes_n_posts_and_k_more_after_k_polls(void)
{
	const int n = 7;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	int k;

	begin();
	cq = new_cq(n);
	qp = new_qp(cq, 32);
	CHECK(sends(qp, 32, SIGNALED) == n);
	done_sends(cq, qp, n, IBV_WC_SUCCESS);
	CHECK(sends(qp, 1, SIGNALED) == 0);	/* nothing was polled */
	for (k = 1; k <= n; k++) {
		CHECK(poll(cq, k) == k);
		CHECK(sends(qp, 32, SIGNALED) == k);
		done_sends(cq, qp, k, IBV_WC_SUCCESS);
	}
	end(cq, qp);
}

static void R22_without_it_nothing_is_held(void)
{
	struct ibv_cq *cq;
	struct ibv_qp *qp;

	begin();
	fake.ctx.safe_cq = false;
	cq = new_cq(2);
	qp = new_qp(cq, 8);
	CHECK(!to_scq(cq)->safe);
	CHECK(sends(qp, 32, SIGNALED) == 8 && recvs(qp, 32) == 8);
	srnic_destroy_qp(qp);
	srnic_destroy_cq(cq);
	fake_end();
}

static void R22_sends_and_receives_of_all_queue_pairs_count_together(void)
{
	struct ibv_qp *one, *two;
	struct ibv_cq *cq;

	begin();
	cq = new_cq(8);
	one = new_qp(cq, 4);
	two = new_qp(cq, 4);
	CHECK(recvs(one, 3) == 3 && sends(two, 3, SIGNALED) == 3);
	CHECK(recvs(two, 4) == 2);
	CHECK(!sends(one, 1, SIGNALED) && !recvs(one, 1));
	done_recvs(cq, one, fake_rq(one), 1);
	done_sends(cq, two, 1, IBV_WC_SUCCESS);
	CHECK(poll(cq, 8) == 2 && reserved(cq) == 6);
	CHECK(sends(one, 4, 0) == 2);
	srnic_destroy_qp(one);
	CHECK(reserved(cq) == 4);
	end(cq, two);
}

static void R22_each_queue_of_a_pair_counts_on_its_own_completion_queue(void)
{
	struct ibv_cq *send_cq, *recv_cq;
	struct ibv_qp *qp;

	begin();
	send_cq = new_cq(3);
	recv_cq = new_cq(5);
	qp = try_qp(send_cq, recv_cq, NULL, 8);
	CHECK(sends(qp, 8, 0) == 3 && recvs(qp, 8) == 5);
	done_recvs(recv_cq, qp, fake_rq(qp), 2);
	CHECK(poll(recv_cq, 8) == 2 && recvs(qp, 8) == 2 && !sends(qp, 1, 0));
	srnic_destroy_qp(qp);
	CHECK(!reserved(send_cq) && !reserved(recv_cq));
	srnic_destroy_cq(recv_cq);
	srnic_destroy_cq(send_cq);
	fake_end();
}

static void R22_a_send_has_its_slot_until_it_is_polled(void)
{
	struct ibv_cq *cq;
	struct ibv_qp *qp;

	begin();
	cq = new_cq(16);
	qp = new_qp(cq, 4);
	CHECK(sends(qp, 16, SIGNALED) == 4);
	done_sends(cq, qp, 4, IBV_WC_SUCCESS);
	CHECK(!sends(qp, 1, SIGNALED));
	CHECK(poll(cq, 3) == 3 && sends(qp, 16, SIGNALED) == 3);
	end(cq, qp);
}

static void R22_a_completion_gives_those_before_it_back(void)
{
	struct ibv_cq *cq;
	struct ibv_qp *qp;

	begin();
	cq = new_cq(4);
	qp = new_qp(cq, 8);
	CHECK(sends(qp, 3, 0) == 3 && sends(qp, 2, SIGNALED) == 1);
	done_sends(cq, qp, 4, IBV_WC_SUCCESS);
	CHECK(!sends(qp, 1, 0));		/* its completion is unpolled */
	CHECK(poll(cq, 4) == 1 && !reserved(cq));
	CHECK(sends(qp, 8, 0) == 4);
	end(cq, qp);
}

static void R22_what_ends_in_silence_is_given_back_but_for_the_last(void)
{
	struct ibv_qp *qp, *other;
	struct ibv_cq *cq;
	int i;

	begin();
	cq = new_cq(4);
	qp = new_qp(cq, 8);
	other = new_qp(cq, 8);
	CHECK(sends(qp, 8, 0) == 4);
	done_sends(cq, qp, 1, IBV_WC_SUCCESS);
	CHECK(!sends(qp, 1, 0));		/* its completion may be outstanding */
	done_sends(cq, qp, 2, IBV_WC_SUCCESS);
	CHECK(sends(other, 8, 0) == 2);		/* other QPs can use the room */
	done_sends(cq, other, 2, IBV_WC_SUCCESS);
	for (i = 0; i < 20; i++) {
		CHECK(sends(qp, 1, 0) == 1);
		done_sends(cq, qp, 1, IBV_WC_SUCCESS);
	}
	srnic_destroy_qp(other);
	end(cq, qp);
}

/* The kernel has retired a failed request and not yet written its completion. */
static void R22_one_that_is_retired_and_not_yet_told_is_held(void)
{
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	int more;

	begin();
	cq = new_cq(4);
	qp = new_qp(cq, 8);
	CHECK(sends(qp, 4, 0) == 4);
	done_sends(cq, qp, 2, IBV_WC_SUCCESS);
	fake_take(fake_sq(qp));
	fake_retire(fake_sq(qp));
	more = sends(qp, 8, 0);
	CHECK(more == 2);
	tell(cq, qp, 1002, IBV_WC_REM_ACCESS_ERR, IBV_WC_SEND);
	done_sends(cq, qp, 1 + more, IBV_WC_WR_FLUSH_ERR);	/* all complete: they fit */
	CHECK(poll(cq, 8) == 4 && !reserved(cq));
	end(cq, qp);
}

/* A failed unsignaled request is identified by its wr_id. */
static void R22_a_failure_gives_those_before_it_back(void)
{
	struct ibv_cq *cq;
	struct ibv_qp *qp;

	begin();
	cq = new_cq(8);
	qp = new_qp(cq, 8);
	CHECK(sends(qp, 5, 0) == 5);
	done_sends(cq, qp, 3, IBV_WC_SUCCESS);
	done_sends(cq, qp, 1, IBV_WC_REM_ACCESS_ERR);
	CHECK(poll(cq, 8) == 1 && reserved(cq) == 1);
	end(cq, qp);
}

/* With one wr_id for all, it is not known which of them failed. */
static void R22_failures_that_cannot_be_told_apart_never_free_too_much(void)
{
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	int fails, n, i;

	for (fails = 0; fails < 5; fails++) {
		begin();
		cq = new_cq(6);
		qp = new_qp(cq, 8);
		for (i = 0; i < 6; i++)
			CHECK(!send_one(qp, 7, i % 3 == 2 ? SIGNALED : 0));
		done_sends(cq, qp, fails, IBV_WC_SUCCESS);
		done_sends(cq, qp, 1, IBV_WC_REM_ACCESS_ERR);
		poll(cq, 1 + (fails > 2));
		for (n = 0; n < 8 && !send_one(qp, 7, 0); n++)
			;
		done_sends(cq, qp, 5 - fails + n, IBV_WC_WR_FLUSH_ERR);
		poll(cq, 8);
		CHECK(!send_one(qp, 7, 0));	/* but posting is not blocked for good */
		end(cq, qp);
	}
}

static void R22_work_for_a_queue_pair_in_error_is_held_too(void)
{
	struct ibv_cq *cq;
	struct ibv_qp *qp;

	begin();
	cq = new_cq(4);
	qp = new_qp(cq, 8);
	qp->state = IBV_QPS_ERR;
	CHECK(sends(qp, 2, 0) == 2 && recvs(qp, 8) == 2);
	done_sends(cq, qp, 2, IBV_WC_WR_FLUSH_ERR);
	done_recvs(cq, qp, fake_rq(qp), 2);
	CHECK(!sends(qp, 1, 0) && !recvs(qp, 1));
	CHECK(poll(cq, 1) == 1 && sends(qp, 8, 0) == 1);
	end(cq, qp);
}

static void R22_reset_gives_all_back_with_the_slots(void)
{
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };
	struct ibv_qp *qp, *other;
	struct ibv_cq *cq;

	begin();
	cq = new_cq(8);
	qp = new_qp(cq, 8);
	other = new_qp(cq, 8);
	CHECK(sends(qp, 4, SIGNALED) == 4 && recvs(qp, 3) == 3 && sends(other, 8, 0) == 1);
	done_sends(cq, qp, 2, IBV_WC_SUCCESS);
	done_recvs(cq, qp, fake_rq(qp), 1);
	CHECK(!srnic_modify_qp(qp, &reset, IBV_QP_STATE));
	CHECK(reserved(cq) == 1);
	qp->state = IBV_QPS_RTS;
	CHECK(sends(qp, 1, SIGNALED) == 1 && recvs(qp, 1) == 1);
	CHECK(sends(other, 8, SIGNALED) == 5);
	done_sends(cq, other, 6, IBV_WC_WR_FLUSH_ERR);
	CHECK(poll(cq, 8) == 6 && reserved(cq) == 2);	/* removed completions release nothing */
	CHECK(sends(qp, 7, SIGNALED) == 6);
	done_sends(cq, qp, 7, IBV_WC_SUCCESS);
	CHECK(poll(cq, 8) == 7 && sends(qp, 8, SIGNALED) == 7);
	srnic_destroy_qp(other);
	end(cq, qp);
}

static void R22_resizing_below_what_is_held_is_refused(void)
{
	struct ibv_cq *cq;
	struct ibv_qp *qp;

	begin();
	cq = new_cq(8);
	qp = new_qp(cq, 32);
	CHECK(sends(qp, 6, SIGNALED) == 6);
	CHECK(srnic_resize_cq(cq, 5) == EINVAL && cq->cqe == 8);
	done_sends(cq, qp, 1, IBV_WC_SUCCESS);
	CHECK(!srnic_resize_cq(cq, 6) && !sends(qp, 1, SIGNALED));
	CHECK(!srnic_resize_cq(cq, 20) && sends(qp, 32, SIGNALED) == 14);
	done_sends(cq, qp, 19, IBV_WC_SUCCESS);
	CHECK(poll(cq, 1) == 1 && reserved(cq) == 19);
	CHECK(poll(cq, 32) == 19 && !reserved(cq));

	fake.fail = EINVAL;
	CHECK(srnic_resize_cq(cq, 10) == EINVAL && sends(qp, 32, SIGNALED) == 20);
	done_sends(cq, qp, 20, IBV_WC_SUCCESS);
	CHECK(poll(cq, 32) == 20);
	fake.bad_ring = true;
	CHECK(srnic_resize_cq(cq, 40) == EPROTO && !sends(qp, 1, SIGNALED));
	end(cq, qp);
}

static void R22_iterated_completions_give_back_at_the_end(void)
{
	struct ibv_cq_init_attr_ex cq_attr = { .cqe = 4 };
	struct ibv_poll_cq_attr attr = {};
	struct ibv_cq_ex *ex;
	struct ibv_cq *cq;
	struct ibv_qp *qp;

	begin();
	ex = srnic_create_cq_ex(ctx(), &cq_attr);
	cq = ibv_cq_ex_to_cq(ex);
	qp = new_qp(cq, 8);
	CHECK(sends(qp, 8, SIGNALED) == 4);
	done_sends(cq, qp, 4, IBV_WC_SUCCESS);
	CHECK(!ibv_start_poll(ex, &attr) && !ibv_next_poll(ex));
	CHECK(!sends(qp, 1, SIGNALED));		/* posting meanwhile is allowed */
	ibv_end_poll(ex);
	CHECK(sends(qp, 8, SIGNALED) == 2);
	end(cq, qp);
}

static void R22_what_was_not_posted_after_all_is_given_back(void)
{
	struct ibv_send_wr wr[3] = {
		{ .opcode = IBV_WR_SEND, .next = &wr[1] },
		{ .opcode = IBV_WR_SEND, .num_sge = 9, .next = &wr[2] },
		{ .opcode = IBV_WR_SEND },
	}, *bad_wr;
	struct ibv_qp_ex *ex;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	int i;

	begin();
	cq = new_cq(4);
	qp = new_qp(cq, 8);
	ex = ibv_qp_to_qp_ex(qp);
	fake.doorbell_errno = EIO;
	CHECK(send_one(qp, 0, 0) == EIO && !reserved(cq));
	fake.doorbell_errno = 0;
	CHECK(srnic_post_send(qp, wr, &bad_wr) == EINVAL && bad_wr == &wr[1]);
	CHECK(reserved(cq) == 1);

	ibv_wr_start(ex);
	ibv_wr_send(ex);
	ibv_wr_send(ex);
	CHECK(reserved(cq) == 3);
	ibv_wr_abort(ex);
	CHECK(reserved(cq) == 1);
	ibv_wr_start(ex);
	for (i = 0; i < 4; i++)
		ibv_wr_send(ex);
	CHECK(ibv_wr_complete(ex) == ENOMEM && reserved(cq) == 1);
	ibv_wr_start(ex);
	for (i = 0; i < 3; i++)
		ibv_wr_send(ex);
	CHECK(!ibv_wr_complete(ex) && reserved(cq) == 4);
	done_sends(cq, qp, 4, IBV_WC_WR_FLUSH_ERR);
	CHECK(poll(cq, 8) == 4 && !reserved(cq));
	end(cq, qp);
}

static void R22_a_shared_receive_queue_has_room_on_each_of_its_completion_queues(void)
{
	struct ibv_cq *small, *large;
	struct ibv_qp *one, *two;
	struct ibv_srq *srq;

	begin();
	srq = new_srq(4);
	small = new_cq(4);
	large = new_cq(8);
	CHECK(!try_qp(small, small, srq, 4) && errno == ENOMEM);
	CHECK(!reserved(small));
	one = try_qp(large, large, srq, 4);
	CHECK(one && reserved(large) == 5);	/* all its entries, and one for the QP */
	two = try_qp(large, large, srq, 4);
	CHECK(two && reserved(large) == 6);
	CHECK(sends(one, 8, 0) == 2 && !sends(two, 1, 0));
	srnic_destroy_qp(one);
	CHECK(reserved(large) == 5);
	srnic_destroy_qp(two);
	CHECK(!reserved(large) && !to_ssrq(srq)->cqs);
	srnic_destroy_srq(srq);
	srnic_destroy_cq(small);
	srnic_destroy_cq(large);
	fake_end();
}

static void R22_a_shared_receive_queue_waits_for_its_completions_to_be_polled(void)
{
	struct ibv_srq_attr size = { .max_wr = 8 };
	struct ibv_cq *cq[2];
	struct ibv_qp *qp[2];
	struct ibv_srq *srq;

	begin();
	srq = new_srq(4);
	cq[0] = new_cq(5);
	cq[1] = new_cq(5);
	qp[0] = try_qp(cq[0], cq[0], srq, 4);
	qp[1] = try_qp(cq[1], cq[1], srq, 4);
	CHECK(srqs(srq, 8) == 4);
	done_recvs(cq[0], qp[0], fake_srq(srq), 3);
	take_recvs(fake_srq(srq), 1);		/* taken by the second QP */
	CHECK(srqs(srq, 8) == 1);
	done_recvs(cq[0], qp[0], fake_srq(srq), 1);
	CHECK(!srqs(srq, 1));
	CHECK(poll(cq[0], 2) == 2 && srqs(srq, 8) == 2);

	/* all of them on the second QP, which has taken one already */
	done_recvs(cq[1], qp[1], fake_srq(srq), 2);
	tell(cq[1], qp[1], 0, IBV_WC_SUCCESS, IBV_WC_RECV);
	CHECK(srqs(srq, 8) == 1);
	CHECK(srnic_modify_srq(srq, &size, IBV_SRQ_MAX_WR) == EBUSY);

	srnic_destroy_qp(qp[0]);
	srnic_destroy_qp(qp[1]);
	CHECK(!reserved(cq[0]) && !reserved(cq[1]));
	CHECK(!srnic_modify_srq(srq, &size, IBV_SRQ_MAX_WR));
	srnic_destroy_srq(srq);
	srnic_destroy_cq(cq[0]);
	srnic_destroy_cq(cq[1]);
	fake_end();
}

static void R22_a_resized_shared_receive_queue_is_looked_at_anew(void)
{
	struct ibv_srq_attr size = { .max_wr = 4 };
	struct ibv_srq *srq;
	struct ibv_cq *cq;
	struct ibv_qp *qp;

	begin();
	srq = new_srq(16);
	CHECK(srqs(srq, 1) == 1);
	CHECK(!srnic_modify_srq(srq, &size, IBV_SRQ_MAX_WR));
	cq = new_cq(5);
	qp = try_qp(cq, cq, srq, 1);
	CHECK(qp && srqs(srq, 8) == 3);
	done_recvs(cq, qp, fake_srq(srq), 4);
	CHECK(!srqs(srq, 1));
	srnic_destroy_qp(qp);
	srnic_destroy_srq(srq);
	srnic_destroy_cq(cq);
	fake_end();
}

/* QPs destroyed while they have a receive must not use the queue up. */
static void R22_a_shared_receive_queue_outlives_what_its_queue_pairs_take_along(void)
{
	struct ibv_srq *srq;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	int i;

	begin();
	srq = new_srq(2);
	cq = new_cq(3);
	CHECK(srqs(srq, 8) == 2);
	for (i = 0; i < 10; i++) {
		qp = try_qp(cq, cq, srq, 1);
		CHECK(qp);
		done_recvs(cq, qp, fake_srq(srq), 1);
		take_recvs(fake_srq(srq), 1);
		srnic_destroy_qp(qp);
		CHECK(srqs(srq, 8) == 2);
	}
	CHECK(!reserved(cq));
	srnic_destroy_srq(srq);
	srnic_destroy_cq(cq);
	fake_end();
}

static void R22_who_misspells_it_is_told(void)
{
	static const struct {
		const char *word;
		int ret;
		bool wanted;
	} words[] = {
		{ NULL, 0, false }, { "0", 0, false }, { "1", 0, true },
		{ "yes", EINVAL, false }, { "", EINVAL, false }, { "11", EINVAL, false },
	};
	unsigned int i;
	bool wanted;

	for (i = 0; i < ARRAY_LEN(words); i++) {
		if (words[i].word)
			setenv("SRNIC_SAFE_CQ", words[i].word, 1);
		else
			unsetenv("SRNIC_SAFE_CQ");
		CHECK(srnic_safe_wanted(&wanted) == words[i].ret && wanted == words[i].wanted);
	}
	unsetenv("SRNIC_SAFE_CQ");
}

/*
 * Two threads post as much as possible, one polls, and a kernel completes:
 * fake_complete() fails if the CQ ever overflows.
 */
static struct {
	struct ibv_cq *cq;
	struct ibv_qp *qp[2];
	_Atomic bool stop;
} race;

/* Post one request, as soon as there is room; how long all take depends on the machine. */
static bool post_patiently(struct ibv_qp *qp, unsigned int i)
{
	time_t until = time(NULL) + PATIENCE;
	int ret;

	while ((ret = send_one(qp, i, i % 5 ? 0 : SIGNALED)) == ENOMEM && time(NULL) < until)
		sched_yield();
	return !ret;
}

static void *poster(void *arg)
{
	struct ibv_qp *qp = arg;
	unsigned int rounds = test_rounds() / 10, i;

	for (i = 0; i < rounds && post_patiently(qp, i); i++)
		;
	CHECK(i == rounds);
	return NULL;
}

static void *poller(void *arg)
{
	(void)arg;
	while (!race.stop)
		if (!poll(race.cq, 3))
			sched_yield();
	return NULL;
}

/* Takes turns; one in 16 unsignaled requests completes, as if it had failed. */
static void *completer(void *arg)
{
	uint32_t seed = 3, i;

	(void)arg;
	for (i = 0; !race.stop; i++) {
		struct ibv_qp *qp = race.qp[i & 1];

		if (!fake_peek(fake_sq(qp))) {
			sched_yield();
			continue;
		}
		seed = seed * 1664525 + 1013904223;
		done_sends(race.cq, qp, 1, seed >> 28 ? IBV_WC_SUCCESS : IBV_WC_GENERAL_ERR);
	}
	return NULL;
}

static void R22_threads_that_post_beside_each_other_do_not_overflow_it(void)
{
	pthread_t thread[4];
	unsigned int i;

	begin();
	race.stop = false;
	race.cq = new_cq(5);
	for (i = 0; i < 2; i++)
		race.qp[i] = new_qp(race.cq, 4);
	pthread_create(&thread[0], NULL, poster, race.qp[0]);
	pthread_create(&thread[1], NULL, poster, race.qp[1]);
	pthread_create(&thread[2], NULL, poller, NULL);
	pthread_create(&thread[3], NULL, completer, NULL);
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
	race.stop = true;
	pthread_join(thread[2], NULL);
	pthread_join(thread[3], NULL);
	srnic_destroy_qp(race.qp[0]);
	end(race.cq, race.qp[1]);
}

const struct test_case safe_tests[] = {
	TEST(R22_a_queue_of_n_takes_n_posts_and_k_more_after_k_polls),
	TEST(R22_without_it_nothing_is_held),
	TEST(R22_sends_and_receives_of_all_queue_pairs_count_together),
	TEST(R22_each_queue_of_a_pair_counts_on_its_own_completion_queue),
	TEST(R22_a_send_has_its_slot_until_it_is_polled),
	TEST(R22_a_completion_gives_those_before_it_back),
	TEST(R22_what_ends_in_silence_is_given_back_but_for_the_last),
	TEST(R22_one_that_is_retired_and_not_yet_told_is_held),
	TEST(R22_a_failure_gives_those_before_it_back),
	TEST(R22_failures_that_cannot_be_told_apart_never_free_too_much),
	TEST(R22_work_for_a_queue_pair_in_error_is_held_too),
	TEST(R22_reset_gives_all_back_with_the_slots),
	TEST(R22_resizing_below_what_is_held_is_refused),
	TEST(R22_iterated_completions_give_back_at_the_end),
	TEST(R22_what_was_not_posted_after_all_is_given_back),
	TEST(R22_a_shared_receive_queue_has_room_on_each_of_its_completion_queues),
	TEST(R22_a_shared_receive_queue_waits_for_its_completions_to_be_polled),
	TEST(R22_a_resized_shared_receive_queue_is_looked_at_anew),
	TEST(R22_a_shared_receive_queue_outlives_what_its_queue_pairs_take_along),
	TEST(R22_who_misspells_it_is_told),
	TEST(R22_threads_that_post_beside_each_other_do_not_overflow_it),
	{},
};
