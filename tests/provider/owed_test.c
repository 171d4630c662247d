// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Doorbells that fail behind published entries: the entries cannot be taken back, and an
 * application that was told that they are not posted would post them twice. A doorbell that
 * fails for now is rung later; if the device is gone, the retired entries were posted.
 */
#include <errno.h>
#include <pthread.h>

#include "fake.h"
#include "test.h"

static struct ibv_cq *send_cq, *recv_cq;

/* Make an RC QP whose first doorbell has been rung, and whose kernel sleeps. */
static struct ibv_qp *begin(void)
{
	static struct srnic_pd pd;
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad_wr;
	struct ibv_qp_init_attr_ex attr = {
		.cap = { .max_send_wr = 8, .max_recv_wr = 8,
			 .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = &pd.ibv,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
	};
	struct ibv_context *ctx = &fake.ctx.vctx.context;
	struct ibv_qp *qp;

	fake_begin();
	pd.ibv.context = ctx;
	send_cq = attr.send_cq = srnic_create_cq(ctx, 16, NULL, 0);
	recv_cq = attr.recv_cq = srnic_create_cq(ctx, 16, NULL, 0);
	qp = srnic_create_qp_ex(ctx, &attr);
	qp->state = IBV_QPS_RTS;
	CHECK(!srnic_post_send(qp, &wr, &bad_wr));
	fake_take(fake_sq(qp));
	fake_retire(fake_sq(qp));
	fake.doorbells = 0;
	return qp;
}

static void end(struct ibv_qp *qp)
{
	fake.doorbell_errno = 0;
	CHECK(!qp || !srnic_destroy_qp(qp));
	srnic_destroy_cq(send_cq);
	srnic_destroy_cq(recv_cq);
	fake_end();
}

static int post_three(struct ibv_qp *qp, struct ibv_send_wr wr[3], struct ibv_send_wr **bad_wr)
{
	int i;

	for (i = 0; i < 3; i++)
		wr[i] = (struct ibv_send_wr) { .wr_id = i, .opcode = IBV_WR_SEND,
					       .next = i < 2 ? &wr[i + 1] : NULL };
	return srnic_post_send(qp, wr, bad_wr);
}

static int complete_three(struct ibv_qp *qp)
{
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(qp);
	int i;

	ibv_wr_start(ex);
	for (i = 0; i < 3; i++)
		ibv_wr_send(ex);
	return ibv_wr_complete(ex);
}

/* The kernel lacked memory, and has some again. */
static void memory_returns(void)
{
	fake.doorbell_errno = 0;
	fake.doorbells = 0;
	fake.recv_doorbells = 0;
}

static int poll_empty(struct ibv_cq *cq)
{
	struct ibv_wc wc;

	return srnic_poll_cq(cq, 1, &wc);
}

static void owed_doorbell_is_rung_by_a_poll(void)
{
	struct ibv_send_wr wr[3], *bad_wr;
	struct ibv_qp *qp = begin();
	uint32_t prod = fake_sq(qp)->hdr->prod;

	fake.doorbell_errno = ENOMEM;
	CHECK(!post_three(qp, wr, &bad_wr) && !bad_wr);
	CHECK(fake_sq(qp)->hdr->prod == prod + 3);	/* posted, and once */
	CHECK(fake.doorbells > 1);

	CHECK(!poll_empty(send_cq));			/* tries again, and fails again */
	memory_returns();
	CHECK(!poll_empty(recv_cq) && !fake.doorbells);	/* a CQ of others */
	CHECK(!poll_empty(send_cq) && fake.doorbells == 1);
	CHECK(!poll_empty(send_cq) && fake.doorbells == 1);	/* it is paid */
	end(qp);
}

static void owed_doorbell_is_rung_by_an_extended_poll(void)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 16 };
	struct ibv_poll_cq_attr poll = {};
	struct ibv_send_wr wr[3], *bad_wr;
	struct ibv_qp *qp = begin();
	struct ibv_cq_ex *cq;

	cq = srnic_create_cq_ex(&fake.ctx.vctx.context, &attr);
	qp->send_cq = ibv_cq_ex_to_cq(cq);
	fake.doorbell_errno = EAGAIN;
	CHECK(!post_three(qp, wr, &bad_wr));
	memory_returns();
	CHECK(ibv_start_poll(cq, &poll) == ENOENT && fake.doorbells == 1);
	qp->send_cq = send_cq;
	CHECK(!srnic_destroy_cq(ibv_cq_ex_to_cq(cq)));
	end(qp);
}

/* An application that sleeps then would wait for ever. */
static void owed_doorbell_is_rung_before_an_event_is_requested(void)
{
	struct ibv_send_wr wr[3], *bad_wr;
	struct ibv_qp *qp = begin();

	fake.doorbell_errno = EINTR;
	CHECK(!post_three(qp, wr, &bad_wr));
	CHECK(srnic_req_notify_cq(send_cq, 0) == EINTR);
	memory_returns();
	CHECK(!srnic_req_notify_cq(send_cq, 0) && fake.doorbells == 1);
	end(qp);
}

static void owed_doorbell_is_rung_by_the_next_post(void)
{
	struct ibv_send_wr wr[3], *bad_wr;
	struct ibv_qp *qp = begin();

	fake.doorbell_errno = ENOMEM;
	CHECK(!post_three(qp, wr, &bad_wr));
	memory_returns();
	CHECK(!post_three(qp, wr, &bad_wr) && fake.doorbells == 1);
	fake_sq(qp)->hdr->need_wakeup = 0;		/* the kernel is awake */
	CHECK(!poll_empty(send_cq) && fake.doorbells == 1);
	end(qp);
}

static void owed_doorbell_of_a_batch(void)
{
	struct ibv_qp *qp = begin();
	uint32_t prod = fake_sq(qp)->hdr->prod;

	fake.doorbell_errno = ENOMEM;
	CHECK(!complete_three(qp));
	CHECK(fake_sq(qp)->hdr->prod == prod + 3);
	memory_returns();
	CHECK(!poll_empty(send_cq) && fake.doorbells == 1);
	end(qp);
}

/* In ERR the kernel flushes receives when the doorbell is rung. */
static void owed_doorbell_for_receives(void)
{
	struct ibv_recv_wr wr[2] = { { .wr_id = 1, .next = &wr[1] }, { .wr_id = 2 } }, *bad_wr;
	struct ibv_qp *qp = begin();

	fake_rq(qp)->hdr->need_wakeup = 1;
	fake.doorbell_errno = ENOMEM;
	CHECK(!srnic_post_recv(qp, wr, &bad_wr) && !bad_wr);
	CHECK(fake_rq(qp)->hdr->prod == 2);
	memory_returns();
	CHECK(!poll_empty(send_cq) && !fake.recv_doorbells);
	CHECK(!poll_empty(recv_cq) && fake.recv_doorbells == 1 && !fake.doorbells);
	end(qp);
}

static void owed_doorbells_end_with_the_qp(void)
{
	struct ibv_recv_wr recv = {}, *bad_recv;
	struct ibv_send_wr wr[3], *bad_wr;
	struct ibv_qp *qp = begin();

	fake_rq(qp)->hdr->need_wakeup = 1;
	fake.doorbell_errno = ENOMEM;
	CHECK(!post_three(qp, wr, &bad_wr));
	CHECK(!srnic_post_recv(qp, &recv, &bad_recv));
	memory_returns();
	CHECK(!srnic_destroy_qp(qp));
	CHECK(!poll_empty(send_cq) && !poll_empty(recv_cq));
	CHECK(!fake.doorbells && !fake.recv_doorbells);
	end(NULL);
}

/* The device goes away: only entries that the kernel has retired were posted. */
static void owed_doorbell_of_a_device_that_is_gone(void)
{
	struct ibv_recv_wr recv[2] = { { .next = &recv[1] }, {} }, *bad_recv;
	struct ibv_send_wr wr[3], *bad_wr;
	struct ibv_qp *qp = begin();

	fake.doorbell_errno = EIO;
	CHECK(post_three(qp, wr, &bad_wr) == EIO && bad_wr == &wr[0]);
	fake_sq(qp)->head += 3;
	fake_retire(fake_sq(qp));

	fake.retires = 2;			/* for another thread, before it fails */
	CHECK(post_three(qp, wr, &bad_wr) == EIO && bad_wr == &wr[2]);
	fake.retires = 1 + 3;
	CHECK(!post_three(qp, wr, &bad_wr) && !bad_wr);
	fake.retires = 2;
	CHECK(complete_three(qp) == EIO);
	fake.retires = 1 + 3;
	CHECK(!complete_three(qp));

	fake_rq(qp)->hdr->need_wakeup = 1;
	fake.retires = 1;
	CHECK(srnic_post_recv(qp, recv, &bad_recv) == EIO && bad_recv == &recv[1]);
	fake.retires = 1 + 2;
	CHECK(!srnic_post_recv(qp, recv, &bad_recv) && !bad_recv);
	CHECK(!poll_empty(send_cq) && !poll_empty(recv_cq));
	end(qp);
}

static _Atomic bool done;

static void *poller(void *arg)
{
	(void)arg;
	while (!atomic_load(&done))
		poll_empty(send_cq);
	return NULL;
}

/* One thread owes and pays, the other pays, and the QP is destroyed under it. */
static void owed_doorbells_of_two_threads(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad_wr;
	struct ibv_qp *qp = begin();
	pthread_t thread;
	int i;

	atomic_store(&done, false);
	fake.doorbell_errno = ENOMEM;
	pthread_create(&thread, NULL, poller, NULL);
	for (i = 0; i < 1000; i++) {
		CHECK(!srnic_post_send(qp, &wr, &bad_wr));
		fake_take(fake_sq(qp));
		fake_retire(fake_sq(qp));
	}
	CHECK(!srnic_destroy_qp(qp));
	atomic_store(&done, true);
	pthread_join(thread, NULL);
	end(NULL);
}

const struct test_case owed_tests[] = {
	TEST(owed_doorbell_is_rung_by_a_poll),
	TEST(owed_doorbell_is_rung_by_an_extended_poll),
	TEST(owed_doorbell_is_rung_before_an_event_is_requested),
	TEST(owed_doorbell_is_rung_by_the_next_post),
	TEST(owed_doorbell_of_a_batch),
	TEST(owed_doorbell_for_receives),
	TEST(owed_doorbells_end_with_the_qp),
	TEST(owed_doorbell_of_a_device_that_is_gone),
	TEST(owed_doorbells_of_two_threads),
	{},
};
