// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_wr_*(): all builders and setters; a batch is posted as a whole or not at all.
 */
#include <errno.h>
#include "fake.h"
#include "test.h"

#define ALL_RC	(IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM |			\
		 IBV_QP_EX_WITH_SEND_WITH_INV | IBV_QP_EX_WITH_RDMA_WRITE |		\
		 IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ |	\
		 IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | \
		 IBV_QP_EX_WITH_LOCAL_INV | IBV_QP_EX_WITH_BIND_MW)

static char data[256] = "The quick brown fox";

static struct ibv_qp_ex *begin(uint32_t max_wr, struct ibv_qp **qp)
{
	fake_begin();
	*qp = fake_create_qp(IBV_QPT_RC, max_wr, ALL_RC);
	return ibv_qp_to_qp_ex(*qp);
}

static void end(struct ibv_qp *qp)
{
	srnic_destroy_qp(qp);
	fake_end();
}

static void wr_names_the_srq(void)
{
	struct ibv_qp_ex *ex;
	struct ibv_qp *qp;

	fake_begin();
	qp = fake_create_qp(IBV_QPT_XRC_SEND, 4, IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_READ);
	ex = ibv_qp_to_qp_ex(qp);
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	ibv_wr_set_xrc_srqn(ex, 0x123);
	ibv_wr_rdma_read(ex, 1, 2);
	ibv_wr_set_xrc_srqn(ex, 0x456);
	CHECK(!ibv_wr_complete(ex));
	CHECK(fake_seen(qp)->xrc.srqn == 0x123);
	CHECK(fake_seen(qp)->xrc.srqn == 0x456);
	end(qp);
}

static void wr_builders(void)
{
	struct ibv_mr mr = { .lkey = 0x5500 };
	struct ibv_mw mw = { .rkey = 0x6600 };
	struct ibv_mw_bind_info info = { .mr = &mr, .addr = 0x4000, .length = 9,
					 .mw_access_flags = IBV_ACCESS_REMOTE_WRITE };
	struct srnic_sq_wqe *wqe;
	struct ibv_qp_ex *ex;
	struct ibv_qp *qp;

	ex = begin(16, &qp);
	ex->wr_id = 1;
	ex->wr_flags = IBV_SEND_SIGNALED | IBV_SEND_FENCE;
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	ex->wr_id = 2;
	ex->wr_flags = 0;
	ibv_wr_send_imm(ex, htobe32(5));
	ibv_wr_send_inv(ex, 6);
	ibv_wr_rdma_write(ex, 7, 8);
	ibv_wr_rdma_write_imm(ex, 9, 10, htobe32(11));
	ibv_wr_rdma_read(ex, 12, 13);
	ibv_wr_atomic_cmp_swp(ex, 14, 15, 16, 17);
	ibv_wr_atomic_fetch_add(ex, 18, 19, 20);
	ibv_wr_local_inv(ex, 21);
	ibv_wr_bind_mw(ex, &mw, 0x6601, &info);
	CHECK(!fake_peek(fake_sq(qp)));		/* not before complete */
	CHECK(!ibv_wr_complete(ex));
	CHECK(fake.doorbells == 2);		/* the QP's first, and one for the whole batch */

	wqe = fake_seen(qp);
	CHECK(wqe->opcode == SRNIC_WQE_SEND && wqe->wr_id == 1);
	CHECK(wqe->flags == (SRNIC_WQE_SIGNALED | SRNIC_WQE_FENCE));
	wqe = fake_seen(qp);
	CHECK(wqe->opcode == SRNIC_WQE_SEND_IMM && wqe->imm == htobe32(5));
	CHECK(wqe->wr_id == 2 && !wqe->flags);
	wqe = fake_seen(qp);
	CHECK(wqe->opcode == SRNIC_WQE_SEND_INV && wqe->imm == 6);
	wqe = fake_seen(qp);
	CHECK(wqe->opcode == SRNIC_WQE_WRITE && wqe->rkey == 7 && wqe->remote_addr == 8);
	wqe = fake_seen(qp);
	CHECK(wqe->opcode == SRNIC_WQE_WRITE_IMM && wqe->rkey == 9 && wqe->remote_addr == 10);
	CHECK(wqe->imm == htobe32(11));
	wqe = fake_seen(qp);
	CHECK(wqe->opcode == SRNIC_WQE_READ && wqe->rkey == 12 && wqe->remote_addr == 13);
	wqe = fake_seen(qp);
	CHECK(wqe->opcode == SRNIC_WQE_CMP_SWAP && wqe->rkey == 14 && wqe->remote_addr == 15);
	CHECK(wqe->atomic.compare_add == 16 && wqe->atomic.swap == 17);
	wqe = fake_seen(qp);
	CHECK(wqe->opcode == SRNIC_WQE_FETCH_ADD && wqe->rkey == 18 && wqe->remote_addr == 19);
	CHECK(wqe->atomic.compare_add == 20);
	wqe = fake_seen(qp);
	CHECK(wqe->opcode == SRNIC_WQE_LOCAL_INV && wqe->imm == 21);
	wqe = fake_seen(qp);
	CHECK(wqe->opcode == SRNIC_WQE_BIND_MW && wqe->bind.mw_rkey == 0x6600);
	CHECK(wqe->bind.new_rkey == 0x6601 && wqe->bind.mr_lkey == 0x5500);
	CHECK(!fake_peek(fake_sq(qp)));
	end(qp);
}

/* The operations of rdma-core 44 and 45, which the running library may not have */
static void wr_late_builders(void)
{
	const uint64_t ops = SRNIC_QP_EX_WITH_ATOMIC_WRITE | SRNIC_QP_EX_WITH_FLUSH;
	void (*flush)(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, size_t len, uint8_t type,
		      uint8_t level);
	void (*atomic_write)(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr, const void *word);
	struct srnic_sq_wqe *wqe;
	struct ibv_qp_ex *ex;
	struct ibv_qp *qp;
	char *late;

	ex = begin(8, &qp);
	late = (char *)ex + offsetof(struct ibv_qp_ex, wr_abort) + sizeof(void *);
	CHECK(srnic_set_late_wr_ops(to_sqp(qp), ops, late) == EOPNOTSUPP);
	CHECK(srnic_set_late_wr_ops(to_sqp(qp), ops, late + sizeof(void *)) == EOPNOTSUPP);
	CHECK(!srnic_set_late_wr_ops(to_sqp(qp), ops, late + 2 * sizeof(void *)));
	memcpy(&atomic_write, late, sizeof(atomic_write));
	memcpy(&flush, late + sizeof(void *), sizeof(flush));

	ibv_wr_start(ex);
	atomic_write(ex, 1, 16, data);
	flush(ex, 2, 24, 25, 3, 1);
	CHECK(!ibv_wr_complete(ex));
	wqe = fake_seen(qp);
	CHECK(wqe->opcode == SRNIC_WQE_ATOMIC_WRITE && wqe->rkey == 1 && wqe->remote_addr == 16);
	CHECK(wqe->flags == SRNIC_WQE_INLINE && !memcmp(&wqe->atomic_write.value, data, 8));
	wqe = fake_seen(qp);
	CHECK(wqe->opcode == SRNIC_WQE_FLUSH && wqe->rkey == 2 && wqe->remote_addr == 24);
	CHECK(wqe->flush.length == 25 && wqe->flush.types == 3 && wqe->flush.level == 1);
	CHECK(!wqe->flags);

	ibv_wr_start(ex);
	flush(ex, 2, 24, (size_t)UINT32_MAX + 1, 1, 0);
	CHECK(ibv_wr_complete(ex) == EINVAL);
	end(qp);
	fake_begin();
	CHECK(!fake_create_qp(IBV_QPT_UC, 4, SRNIC_QP_EX_WITH_ATOMIC_WRITE));
	CHECK(!fake_create_qp(IBV_QPT_UC, 4, SRNIC_QP_EX_WITH_FLUSH));
	fake_end();
}

/* Kernels before 6.2 have no rights to flush: nothing of FLUSH is offered there. */
static void wr_flush_refused(void)
{
	struct ibv_qp *qp;

	fake_begin();
	fake.ctx.features = SRNIC_FEATURE_NO_FLUSH;
	errno = 0;
	CHECK(!fake_create_qp(IBV_QPT_RC, 4, SRNIC_QP_EX_WITH_FLUSH) && errno == EOPNOTSUPP);
	qp = fake_create_qp(IBV_QPT_RC, 4, IBV_QP_EX_WITH_SEND);
	CHECK(qp);
	end(qp);
}

static void wr_setters(void)
{
	struct ibv_sge sges[] = {
		{ .addr = 1, .length = 2, .lkey = 3 },
		{ .addr = 4, .length = 5, .lkey = 6 },
		{ .addr = 7, .length = 8, .lkey = 9 },
	};
	struct ibv_data_buf bufs[] = { { data, 3 }, { data + 4, 5 }, { data + 10, 5 } };
	struct srnic_sq_wqe *wqe;
	struct ibv_qp_ex *ex;
	struct ibv_qp *qp;

	ex = begin(8, &qp);
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	ibv_wr_set_sge(ex, 3, 1, 2);
	ibv_wr_send(ex);
	ibv_wr_set_sge_list(ex, 3, sges);
	ibv_wr_send(ex);
	ibv_wr_set_inline_data(ex, data, 9);
	ibv_wr_send(ex);
	ibv_wr_set_inline_data_list(ex, 3, bufs);
	CHECK(!ibv_wr_complete(ex));

	wqe = fake_seen(qp);
	CHECK(wqe->num_sge == 1 && !memcmp(wqe + 1, sges, sizeof(sges[0])));
	wqe = fake_seen(qp);
	CHECK(wqe->num_sge == 3 && !memcmp(wqe + 1, sges, sizeof(sges)));
	wqe = fake_seen(qp);
	CHECK(wqe->inline_len == 9 && !memcmp(wqe + 1, "The quick", 9));
	CHECK(wqe->flags == SRNIC_WQE_INLINE && !wqe->num_sge);
	wqe = fake_seen(qp);
	CHECK(wqe->inline_len == 13 && !memcmp(wqe + 1, "Thequickbrown", 13));
	end(qp);
}

static void wr_datagram(void)
{
	struct srnic_ah ah = { .number = 42 };
	struct srnic_sq_wqe *wqe;
	struct ibv_qp_ex *ex;
	struct ibv_qp *qp;

	fake_begin();
	CHECK(!fake_create_qp(IBV_QPT_UD, 4, IBV_QP_EX_WITH_RDMA_WRITE));
	CHECK(errno == EOPNOTSUPP);
	qp = fake_create_qp(IBV_QPT_UD, 4, IBV_QP_EX_WITH_SEND);
	ex = ibv_qp_to_qp_ex(qp);
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	ibv_wr_set_ud_addr(ex, &ah.ibv, 5, 6);
	CHECK(!ibv_wr_complete(ex));
	wqe = fake_seen(qp);
	CHECK(wqe->ud.ah == 42 && wqe->ud.qpn == 5 && wqe->ud.qkey == 6);
	end(qp);
}

static void wr_batch_is_all_or_nothing(void)
{
	struct ibv_sge sges[5] = {};
	struct ibv_qp_ex *ex;
	struct ibv_qp *qp;
	int i;

	ex = begin(4, &qp);
	ibv_wr_start(ex);
	for (i = 0; i < 5; i++)
		ibv_wr_send(ex);
	CHECK(ibv_wr_complete(ex) == ENOMEM);

	ibv_wr_start(ex);
	ibv_wr_send(ex);
	ibv_wr_set_sge_list(ex, 5, sges);
	ibv_wr_send(ex);
	CHECK(ibv_wr_complete(ex) == EINVAL);

	ibv_wr_start(ex);
	ibv_wr_send(ex);
	ibv_wr_set_inline_data(ex, data, 101);
	CHECK(ibv_wr_complete(ex) == EINVAL);

	ibv_wr_start(ex);
	ibv_wr_rdma_read(ex, 1, 2);
	ibv_wr_set_inline_data(ex, data, 1);
	CHECK(ibv_wr_complete(ex) == EINVAL);

	ibv_wr_start(ex);
	ibv_wr_send(ex);
	ibv_wr_abort(ex);
	CHECK(!fake_peek(fake_sq(qp)) && !fake.doorbells);

	qp->state = IBV_QPS_INIT;
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	CHECK(ibv_wr_complete(ex) == EINVAL);
	qp->state = IBV_QPS_RTS;

	ibv_wr_start(ex);
	CHECK(!ibv_wr_complete(ex));		/* an empty batch is no error */
	CHECK(!fake.doorbells);

	ibv_wr_start(ex);
	ibv_wr_send(ex);
	ibv_wr_set_inline_data(ex, data, 100);
	CHECK(!ibv_wr_complete(ex));
	CHECK(fake_seen(qp)->inline_len == 100);
	CHECK(!fake_peek(fake_sq(qp)));
	end(qp);
}

/* As in post_test.c: if the kernel has no memory, the batch is not posted. */
static void wr_first_doorbell_goes_ahead(void)
{
	struct ibv_qp_ex *ex;
	struct ibv_qp *qp;

	ex = begin(4, &qp);
	fake_sq(qp)->hdr->need_wakeup = 0;
	fake.doorbell_errno = ENOMEM;
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	CHECK(ibv_wr_complete(ex) == ENOMEM);
	CHECK(!fake_peek(fake_sq(qp)));

	fake.doorbell_errno = 0;
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	CHECK(!ibv_wr_complete(ex));
	CHECK(fake_sq(qp)->hdr->prod == 1);
	end(qp);
}

const struct test_case wr_tests[] = {
	TEST(wr_names_the_srq),
	TEST(wr_builders),
	TEST(wr_late_builders),
	TEST(wr_flush_refused),
	TEST(wr_setters),
	TEST(wr_datagram),
	TEST(wr_batch_is_all_or_nothing),
	TEST(wr_first_doorbell_goes_ahead),
	{},
};
