// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues: both ways to poll, timestamps, arming, resizing.
 */
#include <time.h>

#include "fake.h"
#include "test.h"

#define WC_ALL	(IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |	\
		 IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)

static struct ibv_context *ctx(void)
{
	return &fake.ctx.vctx.context;
}

static struct ibv_cq_ex *create_ex(uint32_t cqe, uint64_t wc_flags)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = cqe, .wc_flags = wc_flags };

	return srnic_create_cq_ex(ctx(), &attr);
}

static void complete(struct ibv_cq *cq, uint64_t first, uint64_t last)
{
	struct srnic_cqe cqe = {};

	for (cqe.wr_id = first; cqe.wr_id <= last; cqe.wr_id++)
		fake_complete(fake_cq(cq), &cqe, false);
}

static uint32_t left(struct ibv_cq *cq)
{
	return fake_cq(cq)->hdr->prod - fake_cq(cq)->hdr->cons;
}

static void cq_poll_fields(void)
{
	const struct srnic_cqe cqe = {
		.wr_id = 0x123456789abcdef0, .status = IBV_WC_LOC_PROT_ERR,
		.opcode = IBV_WC_RECV_RDMA_WITH_IMM, .vendor_err = 3, .byte_len = 4,
		.qp_num = 5, .src_qp = 6, .imm = htobe32(7), .pkey_index = 8,
		.wc_flags = SRNIC_WC_GRH | SRNIC_WC_WITH_INV,
	};
	struct ibv_wc wc;
	struct ibv_cq *cq;

	fake_begin();
	cq = srnic_create_cq(ctx(), 4, NULL, 0);
	CHECK(!srnic_poll_cq(cq, 1, &wc));
	CHECK(!srnic_poll_cq(cq, 0, &wc) && !srnic_poll_cq(cq, -1, &wc));
	fake_complete(fake_cq(cq), &cqe, false);
	CHECK(srnic_poll_cq(cq, 1, &wc) == 1);
	CHECK(wc.wr_id == cqe.wr_id && wc.status == IBV_WC_LOC_PROT_ERR);
	CHECK(wc.opcode == IBV_WC_RECV_RDMA_WITH_IMM && wc.vendor_err == 3);
	CHECK(wc.byte_len == 4 && wc.qp_num == 5 && wc.src_qp == 6);
	CHECK(wc.imm_data == htobe32(7) && wc.pkey_index == 8);
	CHECK(wc.wc_flags == (IBV_WC_GRH | IBV_WC_WITH_INV));
	CHECK(!left(cq));
	srnic_destroy_cq(cq);
	fake_end();
}

static void cq_poll_batches(void)
{
	uint64_t made = 0, polled = 0;
	struct ibv_wc wc[16];
	struct ibv_cq *cq;
	int round, n, i;

	fake_begin();
	fake.start = UINT32_MAX - 30;
	cq = srnic_create_cq(ctx(), 7, NULL, 0);
	for (round = 0; round < 200; round++) {
		if (left(cq) <= 3) {
			complete(cq, made, made + round % 4);
			made += round % 4 + 1;
		}
		n = srnic_poll_cq(cq, 1 + round % 3, wc);
		for (i = 0; i < n; i++)
			CHECK(wc[i].wr_id == polled++);
		CHECK(left(cq) == made - polled);
	}
	CHECK(polled > 200);
	srnic_destroy_cq(cq);
	fake_end();
}

/* The CQEs of one QP are removed; the other's stay in order, across the ring's end. */
static void cq_forgets_a_qp(void)
{
	struct srnic_cqe cqe = {};
	struct ibv_wc wc[8];
	struct ibv_cq *cq;

	fake_begin();
	fake.start = UINT32_MAX - 3;
	cq = srnic_create_cq(ctx(), 8, NULL, 0);
	for (cqe.wr_id = 0; cqe.wr_id < 8; cqe.wr_id++) {
		cqe.qp_num = cqe.wr_id % 3 ? 7 : 9;
		fake_complete(fake_cq(cq), &cqe, false);
	}
	srnic_cq_forget(cq, 9);
	CHECK(left(cq) == 5);
	CHECK(srnic_poll_cq(cq, 8, wc) == 5);
	CHECK(wc[0].wr_id == 1 && wc[1].wr_id == 2 && wc[2].wr_id == 4);
	CHECK(wc[3].wr_id == 5 && wc[4].wr_id == 7);
	complete(cq, 20, 21);
	CHECK(srnic_poll_cq(cq, 8, wc) == 2 && wc[1].wr_id == 21);
	srnic_cq_forget(cq, 7);
	CHECK(!left(cq));
	srnic_destroy_cq(cq);
	fake_end();
}

static void cq_ex_iterates(void)
{
	struct ibv_poll_cq_attr attr = {}, bad = { .comp_mask = 1 };
	struct ibv_cq_ex *ex;
	struct ibv_wc wc;
	struct ibv_cq *cq;

	fake_begin();
	fake.start = UINT32_MAX - 2;
	ex = create_ex(8, WC_ALL);
	cq = ibv_cq_ex_to_cq(ex);
	CHECK(ibv_start_poll(ex, &attr) == ENOENT);
	CHECK(ibv_start_poll(ex, &attr) == ENOENT);	/* the lock was released */
	CHECK(ibv_start_poll(ex, &bad) == EINVAL);

	complete(cq, 0, 4);
	CHECK(!ibv_start_poll(ex, &attr) && ex->wr_id == 0);
	CHECK(!ibv_next_poll(ex) && ex->wr_id == 1);
	CHECK(left(cq) == 5);			/* slots are returned only at the end */
	ibv_end_poll(ex);
	CHECK(left(cq) == 3);

	CHECK(!ibv_start_poll(ex, &attr) && ex->wr_id == 2);
	CHECK(!ibv_next_poll(ex) && ex->wr_id == 3);
	CHECK(!ibv_next_poll(ex) && ex->wr_id == 4);
	CHECK(ibv_next_poll(ex) == ENOENT);
	complete(cq, 5, 5);
	CHECK(!ibv_next_poll(ex) && ex->wr_id == 5);	/* arrived meanwhile */
	CHECK(ibv_next_poll(ex) == ENOENT);
	CHECK(!srnic_req_notify_cq(cq, 0));	/* arming between start and end is allowed */
	ibv_end_poll(ex);
	CHECK(!left(cq));

	complete(cq, 6, 7);
	CHECK(!ibv_start_poll(ex, &attr) && ex->wr_id == 6);
	ibv_end_poll(ex);
	CHECK(srnic_poll_cq(cq, 1, &wc) == 1 && wc.wr_id == 7);	/* both interfaces can be mixed */
	srnic_destroy_cq(cq);
	fake_end();
}

static void cq_ex_reads(void)
{
	struct srnic_cqe cqe = {
		.wr_id = 1, .status = IBV_WC_SUCCESS, .opcode = IBV_WC_RECV, .vendor_err = 3,
		.byte_len = 4, .qp_num = 5, .src_qp = 6, .imm = 7,
		.wc_flags = SRNIC_WC_WITH_INV,
	};
	struct ibv_poll_cq_attr attr = {};
	struct ibv_cq_ex *ex;
	struct timespec now;
	int64_t off;

	fake_begin();
	CHECK(!create_ex(8, IBV_WC_EX_WITH_FLOW_TAG) && errno == EOPNOTSUPP);
	ex = create_ex(8, 0);
	CHECK(ex && !ex->read_byte_len && !ex->read_completion_ts);
	srnic_destroy_cq(ibv_cq_ex_to_cq(ex));

	ex = create_ex(8, WC_ALL);
	clock_gettime(CLOCK_MONOTONIC, &now);
	cqe.timestamp = now.tv_sec * 1000000000ULL + now.tv_nsec;
	fake_complete(fake_cq(ibv_cq_ex_to_cq(ex)), &cqe, false);
	CHECK(!ibv_start_poll(ex, &attr));
	CHECK(ex->status == IBV_WC_SUCCESS && ibv_wc_read_opcode(ex) == IBV_WC_RECV);
	CHECK(ibv_wc_read_vendor_err(ex) == 3 && ibv_wc_read_byte_len(ex) == 4);
	CHECK(ibv_wc_read_qp_num(ex) == 5 && ibv_wc_read_src_qp(ex) == 6);
	CHECK(ibv_wc_read_invalidated_rkey(ex) == 7);
	CHECK(ibv_wc_read_wc_flags(ex) == IBV_WC_WITH_INV);
	CHECK(!ibv_wc_read_slid(ex) && !ibv_wc_read_sl(ex) && !ibv_wc_read_dlid_path_bits(ex));
	CHECK(ibv_wc_read_completion_ts(ex) == cqe.timestamp);
	clock_gettime(CLOCK_REALTIME, &now);
	off = ibv_wc_read_completion_wallclock_ns(ex) -
	      (now.tv_sec * 1000000000ULL + now.tv_nsec);
	CHECK(off > -10000000000LL && off < 10000000000LL);
	ibv_end_poll(ex);
	srnic_destroy_cq(ibv_cq_ex_to_cq(ex));
	fake_end();
}

/* Stamping makes the kernel read the clock, so it stamps only CQs that ask for it. */
static void cq_stamps_where_asked(void)
{
	static const struct {
		uint64_t wc_flags;
		uint64_t stamp;
	} asked[] = {
		{ 0, 0 },
		{ IBV_WC_STANDARD_FLAGS, 0 },
		{ IBV_WC_EX_WITH_COMPLETION_TIMESTAMP, 5 },
		{ IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK, 5 },
		{ WC_ALL, 5 },
	};
	const struct srnic_cqe cqe = { .timestamp = 5 };
	struct ibv_poll_cq_attr attr = {};
	struct ibv_cq_ex *ex;
	unsigned int i;

	fake_begin();
	for (i = 0; i < ARRAY_LEN(asked); i++) {
		ex = create_ex(4, asked[i].wc_flags);
		fake_complete(fake_cq(ibv_cq_ex_to_cq(ex)), &cqe, false);
		CHECK(!ibv_start_poll(ex, &attr));
		CHECK(to_scq_ex(ex)->cqe->timestamp == asked[i].stamp);
		ibv_end_poll(ex);
		srnic_destroy_cq(ibv_cq_ex_to_cq(ex));
	}
	fake_end();
}

static void cq_single_threaded(void)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 4, .comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
		.flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED,
	};
	struct srnic_td td = {};
	struct srnic_pd pd = {};
	struct srnic_pd parent = { .parent_of = &pd, .td = &td };
	struct ibv_cq_ex *ex;

	fake_begin();
	ex = srnic_create_cq_ex(ctx(), &attr);
	CHECK(ex && to_scq_ex(ex)->lock.elided);
	srnic_destroy_cq(ibv_cq_ex_to_cq(ex));

	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD;
	attr.parent_domain = &parent.ibv;
	ex = srnic_create_cq_ex(ctx(), &attr);
	CHECK(ex && to_scq_ex(ex)->lock.elided);
	srnic_destroy_cq(ibv_cq_ex_to_cq(ex));

	parent.td = NULL;
	ex = srnic_create_cq_ex(ctx(), &attr);
	CHECK(ex && !to_scq_ex(ex)->lock.elided);
	srnic_destroy_cq(ibv_cq_ex_to_cq(ex));

	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS;
	attr.flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN;
	CHECK(!srnic_create_cq_ex(ctx(), &attr) && errno == EOPNOTSUPP);
	fake_end();
}

static void cq_arms(void)
{
	const struct srnic_cqe good = {}, failed = { .status = IBV_WC_WR_FLUSH_ERR };
	struct fake_ring *ring;
	struct ibv_cq *cq;

	fake_begin();
	cq = srnic_create_cq(ctx(), 16, NULL, 0);
	ring = fake_cq(cq);
	CHECK(!fake_complete(ring, &good, true));	/* not armed */
	srnic_req_notify_cq(cq, 0);
	CHECK(fake_complete(ring, &good, false));
	CHECK(!fake_complete(ring, &good, true));	/* one event only */
	srnic_req_notify_cq(cq, 1);
	CHECK(!fake_complete(ring, &good, false));
	CHECK(fake_complete(ring, &good, true));
	srnic_req_notify_cq(cq, 1);
	CHECK(fake_complete(ring, &failed, false));
	srnic_req_notify_cq(cq, 0);
	srnic_req_notify_cq(cq, 1);			/* does not narrow the request */
	CHECK(fake_complete(ring, &good, false));
	srnic_destroy_cq(cq);
	fake_end();
}

static void cq_resizes(void)
{
	struct ibv_wc wc[32];
	struct ibv_cq *cq;
	int i;

	fake_begin();
	fake.start = UINT32_MAX - 3;
	cq = srnic_create_cq(ctx(), 8, NULL, 0);
	complete(cq, 0, 6);
	CHECK(srnic_poll_cq(cq, 2, wc) == 2);
	srnic_req_notify_cq(cq, 0);
	CHECK(!srnic_resize_cq(cq, 20) && cq->cqe == 20);
	CHECK(fake_cq(cq)->hdr->arm == SRNIC_ARM_NEXT);
	complete(cq, 7, 17);
	CHECK(srnic_poll_cq(cq, 32, wc) == 16);
	for (i = 0; i < 16; i++)
		CHECK(wc[i].wr_id == (uint64_t)i + 2);

	fake.fail = EINVAL;
	CHECK(srnic_resize_cq(cq, 1) == EINVAL);
	complete(cq, 18, 18);
	CHECK(srnic_poll_cq(cq, 32, wc) == 1);

	fake.bad_ring = true;			/* the mapping fails: unusable, but no crash */
	CHECK(srnic_resize_cq(cq, 40) == EPROTO);
	CHECK(!srnic_poll_cq(cq, 32, wc));
	CHECK(!srnic_req_notify_cq(cq, 0));
	srnic_destroy_cq(cq);
	fake_end();
}

const struct test_case cq_tests[] = {
	TEST(cq_poll_fields),
	TEST(cq_poll_batches),
	TEST(cq_forgets_a_qp),
	TEST(cq_ex_iterates),
	TEST(cq_ex_reads),
	TEST(cq_stamps_where_asked),
	TEST(cq_single_threaded),
	TEST(cq_arms),
	TEST(cq_resizes),
	{},
};
