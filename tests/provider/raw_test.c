// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Raw packets: the SEND of a frame, receive queues without a QP, and QPs that spread frames.
 */
#include <errno.h>
#include <string.h>

#include "fake.h"
#include "test.h"

static char frame[64] = "destination and source of a frame";

static struct ibv_context *ctx(void)
{
	return &fake.ctx.vctx.context;
}

static void raw_send_is_a_frame(void)
{
	struct ibv_sge sge = { .addr = (uintptr_t)frame, .length = 60, .lkey = 5 };
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND };
	struct ibv_send_wr *bad;
	struct srnic_sq_wqe *wqe;
	struct ibv_qp *qp;

	fake_begin();
	qp = fake_create_qp(IBV_QPT_RAW_PACKET, 4, 0);
	wr.send_flags = IBV_SEND_SIGNALED | IBV_SEND_SOLICITED;
	CHECK(!srnic_post_send(qp, &wr, &bad));
	wqe = fake_seen(qp);
	CHECK(wqe->opcode == SRNIC_WQE_FRAME && wqe->flags == SRNIC_WQE_SIGNALED);
	CHECK(wqe->num_sge == 1 && !memcmp(wqe + 1, &sge, sizeof(sge)));
	wr.send_flags = IBV_SEND_INLINE;
	CHECK(!srnic_post_send(qp, &wr, &bad));
	wqe = fake_seen(qp);
	CHECK(wqe->opcode == SRNIC_WQE_FRAME && wqe->inline_len == 60);
	CHECK(!memcmp(wqe + 1, frame, 60));
	wr.opcode = IBV_WR_SEND_WITH_IMM;
	CHECK(srnic_post_send(qp, &wr, &bad) == EINVAL);
	srnic_destroy_qp(qp);
	fake_end();
}

static void raw_builder_sends_a_frame(void)
{
	struct srnic_qp refused = {};
	struct ibv_qp_ex *ex;
	struct ibv_qp *qp;

	fake_begin();
	qp = fake_create_qp(IBV_QPT_RAW_PACKET, 4, IBV_QP_EX_WITH_SEND);
	ex = ibv_qp_to_qp_ex(qp);
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	ibv_wr_set_sge(ex, 7, (uintptr_t)frame, 60);
	CHECK(!ibv_wr_complete(ex));
	CHECK(fake_seen(qp)->opcode == SRNIC_WQE_FRAME);
	CHECK(srnic_set_wr_ops(&refused, IBV_QPT_RAW_PACKET, IBV_QP_EX_WITH_RDMA_WRITE) ==
	      EOPNOTSUPP);
	srnic_destroy_qp(qp);
	fake_end();
}

static int post(struct ibv_wq *wq, uint64_t id)
{
	struct ibv_sge sge = { .addr = (uintptr_t)frame, .length = 60, .lkey = 5 };
	struct ibv_recv_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *bad;

	return wq->post_recv(wq, &wr, &bad);
}

static void set_state(struct ibv_wq *wq, enum ibv_wq_state state)
{
	struct ibv_wq_attr attr = { .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = state };

	CHECK(!srnic_modify_wq(wq, &attr));
}

static void raw_queue_is_posted_to_and_reset(void)
{
	struct srnic_pd pd = { .ibv.context = ctx() };
	struct ibv_wq_init_attr attr = { .wq_type = IBV_WQT_RQ, .max_wr = 4, .max_sge = 1 };
	struct srnic_rq_wqe *wqe;
	unsigned int commands;
	struct ibv_wq *wq;

	fake_begin();
	attr.pd = &pd.ibv;
	attr.cq = srnic_create_cq(ctx(), 8, NULL, 0);
	wq = srnic_create_wq(ctx(), &attr);
	CHECK(post(wq, 1) == EINVAL);		/* in RESET */
	set_state(wq, IBV_WQS_RDY);
	commands = fake.commands;
	CHECK(!post(wq, 2));
	wqe = fake_peek(fake_wq(wq));
	CHECK(wqe && wqe->wr_id == 2 && wqe->num_sge == 1);
	CHECK(fake.commands == commands);	/* no doorbell */
	for (uint64_t id = 3; id < 6; id++)
		CHECK(!post(wq, id));
	CHECK(post(wq, 6) == ENOMEM);
	set_state(wq, IBV_WQS_RESET);
	set_state(wq, IBV_WQS_RDY);
	CHECK(!post(wq, 7));
	wqe = fake_peek(fake_wq(wq));
	CHECK(wqe && wqe->wr_id == 7);
	CHECK(!srnic_destroy_wq(wq));
	CHECK(!srnic_destroy_cq(attr.cq));
	fake_end();
}

static void raw_queue_in_error_is_flushed(void)
{
	struct srnic_pd pd = { .ibv.context = ctx() };
	struct ibv_wq_init_attr attr = { .wq_type = IBV_WQT_RQ, .max_wr = 4, .max_sge = 1 };
	struct ibv_wq *wq;

	fake_begin();
	attr.pd = &pd.ibv;
	attr.cq = srnic_create_cq(ctx(), 8, NULL, 0);
	wq = srnic_create_wq(ctx(), &attr);
	set_state(wq, IBV_WQS_RDY);
	fake_wq(wq)->hdr->need_wakeup = 1;	/* the kernel has moved it to ERR */
	CHECK(!post(wq, 1));
	CHECK(fake.wq_attr.attr_mask == IBV_WQ_ATTR_STATE && fake.wq_attr.wq_state == IBV_WQS_ERR);
	fake.fail = EIO;
	CHECK(post(wq, 2) == EIO);
	CHECK(!srnic_destroy_wq(wq));
	CHECK(!srnic_destroy_cq(attr.cq));
	fake_end();
}

static void raw_queues_of_other_kinds_are_refused(void)
{
	struct ibv_wq_init_attr attr = { .wq_type = IBV_WQT_RQ + 1, .max_wr = 4, .max_sge = 1 };

	fake_begin();
	CHECK(!srnic_create_wq(ctx(), &attr) && errno == EOPNOTSUPP);
	attr.wq_type = IBV_WQT_RQ;
	attr.comp_mask = IBV_WQ_INIT_ATTR_FLAGS;
	attr.create_flags = IBV_WQ_FLAGS_CVLAN_STRIPPING;
	CHECK(!srnic_create_wq(ctx(), &attr) && errno == EOPNOTSUPP);
	attr.create_flags = 0;
	fake.ctx.safe_cq = true;
	CHECK(!srnic_create_wq(ctx(), &attr) && errno == EOPNOTSUPP);
	fake.ctx.safe_cq = false;
	fake.fail = ENOSPC;
	CHECK(!srnic_create_wq(ctx(), &attr) && errno == ENOSPC);
	fake.bad_ring = true;
	CHECK(!srnic_create_wq(ctx(), &attr) && errno == EPROTO);
	fake_end();
}

static void raw_qp_spreads_by_a_hash(void)
{
	struct srnic_pd pd = { .ibv.context = ctx() };
	struct ibv_rwq_ind_table table = { .context = ctx() };
	uint8_t key[SRNIC_RX_HASH_KEY_LEN] = { 1, [39] = 40 };
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE |
			     IBV_QP_INIT_ATTR_RX_HASH,
		.pd = &pd.ibv, .rwq_ind_tbl = &table,
		.rx_hash_conf = {
			.rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ,
			.rx_hash_key_len = sizeof(key), .rx_hash_key = key,
			.rx_hash_fields_mask = IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_DST_PORT_UDP,
		},
	};
	struct ibv_qp *qp;

	fake_begin();
	qp = srnic_create_qp_ex(ctx(), &attr);
	CHECK(qp && fake.rss.rx_hash_fields ==
	      (SRNIC_RX_HASH_SRC_IPV4 | SRNIC_RX_HASH_DST_PORT_UDP));
	CHECK(fake.rss.rx_hash_function == SRNIC_RX_HASH_TOEPLITZ);
	CHECK(!memcmp(fake.rss.rx_hash_key, key, sizeof(key)));
	srnic_destroy_qp(qp);
	attr.rx_hash_conf.rx_hash_key_len--;
	CHECK(!srnic_create_qp_ex(ctx(), &attr) && errno == EINVAL);
	attr.rx_hash_conf.rx_hash_key_len++;
	attr.rx_hash_conf.rx_hash_fields_mask = 1ULL << 32;
	CHECK(!srnic_create_qp_ex(ctx(), &attr) && errno == EOPNOTSUPP);
	attr.comp_mask &= ~IBV_QP_INIT_ATTR_RX_HASH;
	CHECK(!srnic_create_qp_ex(ctx(), &attr) && errno == EINVAL);
	attr.comp_mask |= IBV_QP_INIT_ATTR_RX_HASH;
	attr.qp_type = IBV_QPT_UD;
	CHECK(!srnic_create_qp_ex(ctx(), &attr) && errno == EOPNOTSUPP);
	fake_end();
}

const struct test_case raw_tests[] = {
	TEST(raw_send_is_a_frame),
	TEST(raw_builder_sends_a_frame),
	TEST(raw_queue_is_posted_to_and_reset),
	TEST(raw_queue_in_error_is_flushed),
	TEST(raw_queues_of_other_kinds_are_refused),
	TEST(raw_qp_spreads_by_a_hash),
	{},
};
