// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Lifetime of objects: failures leak nothing (checked by the address sanitizer), RESET and a new
 * SRQ depth keep the rings consistent.
 */
#include "fake.h"
#include "test.h"

static struct ibv_context *ctx(void)
{
	return &fake.ctx.vctx.context;
}

static void object_creation_fails_cleanly(void)
{
	struct srnic_pd pd = { .ibv.context = ctx() };
	struct ibv_srq_init_attr srq_attr = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = 4, .max_recv_wr = 4 }, .qp_type = IBV_QPT_RC,
	};

	fake_begin();
	fake.fail = ENOSPC;
	CHECK(!srnic_create_cq(ctx(), 4, NULL, 0) && errno == ENOSPC);
	fake.fail = ENOSPC;
	CHECK(!srnic_create_qp(&pd.ibv, &attr) && errno == ENOSPC);
	fake.fail = ENOSPC;
	CHECK(!srnic_create_srq(&pd.ibv, &srq_attr) && errno == ENOSPC);

	fake.bad_ring = true;
	CHECK(!srnic_create_cq(ctx(), 4, NULL, 0) && errno == EPROTO);
	CHECK(!srnic_create_qp(&pd.ibv, &attr) && errno == EPROTO);
	CHECK(!srnic_create_srq(&pd.ibv, &srq_attr) && errno == EPROTO);

	attr.qp_type = IBV_QPT_DRIVER;
	CHECK(!srnic_create_qp(&pd.ibv, &attr) && errno == EOPNOTSUPP);
	fake_end();
}

static void object_destroy_may_be_refused(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad_wr;
	struct ibv_qp *qp;

	fake_begin();
	qp = fake_create_qp(IBV_QPT_RC, 4, 0);
	fake.fail = EBUSY;
	CHECK(srnic_destroy_qp(qp) == EBUSY);
	CHECK(!srnic_post_send(qp, &wr, &bad_wr));	/* the QP still exists */
	CHECK(!srnic_destroy_qp(qp));
	fake_end();
}

/* The region is addressed by iova; its addr is the offset (ibv_reg_dmabuf_mr(3)). */
static void object_region_of_a_dmabuf(void)
{
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ;
	const uint64_t iova = 0x7654321000 + 24;
	struct ibv_pd *pd;
	struct ibv_mr *mr;

	fake_begin();
	pd = srnic_alloc_pd(ctx());
	mr = srnic_reg_dmabuf_mr(pd, 4096 + 24, 100, iova, 77, access);
	CHECK(mr && mr->pd == pd && mr->context == ctx());
	CHECK(mr->addr == (void *)(4096 + 24) && mr->length == 100);
	CHECK(mr->lkey == FAKE_LKEY && mr->rkey == FAKE_RKEY);
	CHECK(fake.dmabuf.offset == 4096 + 24 && fake.dmabuf.length == 100);
	CHECK(fake.dmabuf.iova == iova && fake.dmabuf.fd == 77 && fake.dmabuf.access == access);
	CHECK(!srnic_dereg_mr(verbs_get_mr(mr)));

	fake.fail = EBADF;
	CHECK(!srnic_reg_dmabuf_mr(pd, 0, 100, 0, -1, access) && errno == EBADF);
	CHECK(!srnic_dealloc_pd(pd));
	fake_end();
}

static void object_reset_empties_the_sq(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad_wr;
	struct ibv_qp *qp;

	fake_begin();
	fake.start = UINT32_MAX - 1;
	qp = fake_create_qp(IBV_QPT_RC, 4, 0);
	while (!srnic_post_send(qp, &wr, &bad_wr))
		;
	CHECK(!srnic_modify_qp(qp, &attr, IBV_QP_STATE));
	qp->state = IBV_QPS_RTS;
	CHECK(!fake_peek(fake_sq(qp)));
	wr.wr_id = 5;
	CHECK(!srnic_post_send(qp, &wr, &bad_wr));
	CHECK(((struct srnic_sq_wqe *)fake_peek(fake_sq(qp)))->wr_id == 5);
	srnic_destroy_qp(qp);
	fake_end();
}

static int post_srq(struct ibv_srq *srq, uint64_t wr_id)
{
	struct ibv_sge sge = { .addr = wr_id, .length = 1, .lkey = 2 };
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1 }, *bad_wr;

	return srnic_post_srq_recv(srq, &wr, &bad_wr);
}

static void take_srq(struct ibv_srq *srq, uint64_t wr_id)
{
	struct srnic_rq_wqe *wqe = fake_peek(fake_srq(srq));

	CHECK(wqe && wqe->wr_id == wr_id && ((struct ibv_sge *)(wqe + 1))->addr == wr_id);
	fake_take(fake_srq(srq));
	fake_retire(fake_srq(srq));
}

static void object_srq_resizes(void)
{
	struct srnic_pd pd = { .ibv.context = ctx() };
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct ibv_srq *srq;
	uint32_t num = 0;
	uint64_t i;

	fake_begin();
	fake.start = UINT32_MAX - 2;
	srq = srnic_create_srq(&pd.ibv, &attr);
	CHECK(srq && attr.attr.max_sge == 4);	/* as granted */
	CHECK(!srnic_get_srq_num(srq, &num) && num == 77);
	for (i = 0; i < 4; i++)
		CHECK(!post_srq(srq, i));
	CHECK(post_srq(srq, 4) == ENOMEM);
	take_srq(srq, 0);

	attr.attr.max_wr = 10;
	CHECK(!srnic_modify_srq(srq, &attr.attr, IBV_SRQ_LIMIT));
	CHECK(!srnic_modify_srq(srq, &attr.attr, IBV_SRQ_MAX_WR));
	for (i = 4; i < 11; i++)
		CHECK(!post_srq(srq, i));
	CHECK(post_srq(srq, 11) == ENOMEM);
	for (i = 1; i < 11; i++)
		take_srq(srq, i);

	fake.bad_ring = true;
	CHECK(srnic_modify_srq(srq, &attr.attr, IBV_SRQ_MAX_WR) == EPROTO);
	for (i = 0; i < 20; i++)
		post_srq(srq, i);		/* without effect, but harmless */
	srnic_destroy_srq(srq);
	fake_end();
}

/* Receives of an SRQ belong to no QP in ERR, so need_wakeup in its ring rings no doorbell. */
static void object_srq_has_no_doorbell(void)
{
	struct srnic_pd pd = { .ibv.context = ctx() };
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct ibv_srq *srq;

	fake_begin();
	srq = srnic_create_srq(&pd.ibv, &attr);
	fake_srq(srq)->hdr->need_wakeup = 1;
	CHECK(!post_srq(srq, 0));
	CHECK(!fake.doorbells && !fake.recv_doorbells);
	srnic_destroy_srq(srq);
	fake_end();
}

static void object_qp_with_srq_has_no_rq(void)
{
	struct srnic_pd pd = { .ibv.context = ctx() };
	struct ibv_srq srq = {};
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = 4 }, .qp_type = IBV_QPT_RC, .srq = &srq, .sq_sig_all = 1,
	};
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad_wr;
	struct ibv_recv_wr recv = {}, *bad_recv;
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };
	struct ibv_qp *qp;

	fake_begin();
	qp = srnic_create_qp(&pd.ibv, &attr);
	qp->state = IBV_QPS_RTS;
	CHECK(srnic_post_recv(qp, &recv, &bad_recv) == EINVAL && bad_recv == &recv);
	CHECK(!srnic_post_send(qp, &wr, &bad_wr));
	CHECK(((struct srnic_sq_wqe *)fake_peek(fake_sq(qp)))->flags == SRNIC_WQE_SIGNALED);
	CHECK(!srnic_modify_qp(qp, &reset, IBV_QP_STATE));
	srnic_destroy_qp(qp);
	fake_end();
}

static void object_qp_of_no_depth_is_full(void)
{
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad_wr;
	struct ibv_recv_wr recv = {}, *bad_recv;
	struct ibv_qp_ex *ex;
	struct ibv_qp *qp;

	fake_begin();
	qp = fake_create_qp(IBV_QPT_RC, 0, IBV_QP_EX_WITH_SEND);
	CHECK(srnic_post_send(qp, &wr, &bad_wr) == ENOMEM && bad_wr == &wr);
	CHECK(srnic_post_recv(qp, &recv, &bad_recv) == ENOMEM && bad_recv == &recv);
	ex = ibv_qp_to_qp_ex(qp);
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	CHECK(ibv_wr_complete(ex) == ENOMEM);
	CHECK(!srnic_modify_qp(qp, &reset, IBV_QP_STATE));
	CHECK(!fake.doorbells && !fake.recv_doorbells);
	srnic_destroy_qp(qp);
	fake_end();
}

const struct test_case object_tests[] = {
	TEST(object_creation_fails_cleanly),
	TEST(object_destroy_may_be_refused),
	TEST(object_region_of_a_dmabuf),
	TEST(object_reset_empties_the_sq),
	TEST(object_srq_resizes),
	TEST(object_srq_has_no_doorbell),
	TEST(object_qp_with_srq_has_no_rq),
	TEST(object_qp_of_no_depth_is_full),
	{},
};
