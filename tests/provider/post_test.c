// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_post_send() and ibv_post_recv(): entries in the ring, rejected requests, and
 * doorbells.
 */
#include <pthread.h>

#include "fake.h"
#include "test.h"

static char data[256] = "The quick brown fox jumps over the lazy dog";

static struct ibv_sge sges[] = {
	{ .addr = (uintptr_t)data, .length = 3, .lkey = 0x101 },
	{ .addr = (uintptr_t)data + 4, .length = 5, .lkey = 0x202 },
	{ .addr = (uintptr_t)data + 10, .length = 5, .lkey = 0x303 },
};

static int post(struct ibv_qp *qp, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad_wr;
	int ret = srnic_post_send(qp, wr, &bad_wr);

	CHECK(bad_wr == (ret ? wr : NULL));
	return ret;
}

/* Post @wr, which must succeed, and return the entry that the kernel sees. */
static struct srnic_sq_wqe *posted(struct ibv_qp *qp, struct ibv_send_wr *wr)
{
	static struct srnic_sq_wqe nothing;
	struct srnic_sq_wqe *wqe;

	CHECK(!post(qp, wr));
	wqe = fake_peek(fake_sq(qp));
	CHECK(wqe);
	if (!wqe)
		return &nothing;
	fake_take(fake_sq(qp));
	fake_retire(fake_sq(qp));
	CHECK(wqe->wr_id == wr->wr_id);
	return wqe;
}

static void post_send_entry(void)
{
	struct ibv_send_wr wr = {
		.wr_id = 0x1122334455667788, .sg_list = sges, .num_sge = 3,
		.opcode = IBV_WR_SEND_WITH_IMM, .imm_data = htobe32(0xcafe),
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_SOLICITED | IBV_SEND_FENCE,
	};
	struct srnic_sq_wqe *wqe;
	struct ibv_qp *qp;

	fake_begin();
	qp = fake_create_qp(IBV_QPT_RC, 4, 0);
	wqe = posted(qp, &wr);
	CHECK(wqe->opcode == SRNIC_WQE_SEND_IMM);
	CHECK(wqe->flags == (SRNIC_WQE_SIGNALED | SRNIC_WQE_SOLICITED | SRNIC_WQE_FENCE));
	CHECK(wqe->imm == htobe32(0xcafe));
	CHECK(wqe->num_sge == 3 && !wqe->inline_len);
	CHECK(!memcmp(wqe + 1, sges, sizeof(sges)));
	srnic_destroy_qp(qp);
	fake_end();
}

static void post_rdma_and_atomic_entries(void)
{
	struct ibv_send_wr wr = {
		.sg_list = sges, .num_sge = 1, .opcode = IBV_WR_RDMA_READ,
		.wr.rdma = { .remote_addr = 0x123456789, .rkey = 0xabc },
	};
	struct srnic_sq_wqe *wqe;
	struct ibv_qp *qp;

	fake_begin();
	qp = fake_create_qp(IBV_QPT_RC, 4, 0);
	wqe = posted(qp, &wr);
	CHECK(wqe->opcode == SRNIC_WQE_READ && !wqe->flags);
	CHECK(wqe->remote_addr == 0x123456789 && wqe->rkey == 0xabc);

	wr.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
	wr.wr.atomic.remote_addr = 0x1000;
	wr.wr.atomic.rkey = 0xdef;
	wr.wr.atomic.compare_add = 7;
	wr.wr.atomic.swap = 8;
	wqe = posted(qp, &wr);
	CHECK(wqe->opcode == SRNIC_WQE_CMP_SWAP);
	CHECK(wqe->remote_addr == 0x1000 && wqe->rkey == 0xdef);
	CHECK(wqe->atomic.compare_add == 7 && wqe->atomic.swap == 8);
	srnic_destroy_qp(qp);
	fake_end();
}

/* Inline, the word is in the entry: the queue has no room for inline data. */
static void post_atomic_write(void)
{
	uint32_t word[] = { 0x11111111, 0x22222222, 0x33333333 };
	struct ibv_sge halves[] = {
		{ .addr = (uintptr_t)&word[0], .length = 4 },
		{ .addr = (uintptr_t)&word[1], .length = 4 },
		{ .addr = (uintptr_t)&word[2], .length = 1 },
	};
	struct ibv_send_wr wr = {
		.sg_list = halves, .num_sge = 2, .opcode = SRNIC_IBV_WR_ATOMIC_WRITE,
		.send_flags = IBV_SEND_INLINE,
		.wr.rdma = { .remote_addr = 0x123456788, .rkey = 0xabc },
	};
	struct srnic_sq_wqe *wqe;
	struct ibv_qp *qp;

	fake_begin();
	qp = fake_create_qp(IBV_QPT_RC, 4, 0);
	wqe = posted(qp, &wr);
	CHECK(wqe->opcode == SRNIC_WQE_ATOMIC_WRITE && wqe->flags == SRNIC_WQE_INLINE);
	CHECK(wqe->remote_addr == 0x123456788 && wqe->rkey == 0xabc && !wqe->num_sge);
	CHECK(!memcmp(&wqe->atomic_write.value, word, 8));
	wr.num_sge = 1;
	CHECK(post(qp, &wr) == EINVAL);
	wr.num_sge = 3;
	CHECK(post(qp, &wr) == EINVAL);

	wr.send_flags = 0;
	wr.num_sge = 2;
	wqe = posted(qp, &wr);
	CHECK(wqe->num_sge == 2 && !wqe->flags && !memcmp(wqe + 1, halves, 2 * sizeof(*halves)));

	/* struct ibv_send_wr has no room for the fields of a FLUSH */
	wr.opcode = SRNIC_IBV_WR_FLUSH;
	CHECK(post(qp, &wr) == EINVAL);
	srnic_destroy_qp(qp);
	fake_end();
}

/* An XRC initiator's requests name the peer's SRQ; a window has no use for it. */
static void post_names_the_srq(void)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_SEND, IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ,
		IBV_WR_ATOMIC_FETCH_AND_ADD,
	};
	struct ibv_send_wr wr = {
		.sg_list = sges, .num_sge = 1, .qp_type.xrc.remote_srqn = 0xff123456,
	};
	struct ibv_qp *qp;
	size_t i;

	fake_begin();
	qp = fake_create_qp(IBV_QPT_XRC_SEND, 8, 0);
	for (i = 0; i < ARRAY_LEN(opcodes); i++) {
		wr.opcode = opcodes[i];
		CHECK(posted(qp, &wr)->xrc.srqn == 0xff123456);
	}
	wr.opcode = SRNIC_IBV_WR_ATOMIC_WRITE;
	CHECK(post(qp, &wr) == EINVAL);
	srnic_destroy_qp(qp);
	qp = fake_create_qp(IBV_QPT_RC, 8, 0);
	wr.opcode = IBV_WR_RDMA_WRITE;
	CHECK(!posted(qp, &wr)->xrc.srqn);
	srnic_destroy_qp(qp);
	fake_end();
}

static void post_inline(void)
{
	struct ibv_send_wr wr = {
		.sg_list = sges, .num_sge = 3, .opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_INLINE,
	};
	struct ibv_sge large[] = {
		{ .addr = (uintptr_t)data, .length = 100 },
		{ .addr = (uintptr_t)data, .length = 1 },
	};
	struct srnic_sq_wqe *wqe;
	struct ibv_qp *qp;

	fake_begin();
	qp = fake_create_qp(IBV_QPT_RC, 4, 0);
	wqe = posted(qp, &wr);
	CHECK(wqe->flags == SRNIC_WQE_INLINE && !wqe->num_sge);
	CHECK(wqe->inline_len == 13 && !memcmp(wqe + 1, "Thequickbrown", 13));

	wr.sg_list = large;
	wr.num_sge = 1;
	CHECK(posted(qp, &wr)->inline_len == 100);
	wr.num_sge = 2;
	CHECK(post(qp, &wr) == EINVAL);
	large[1].length = UINT32_MAX;		/* a 32-bit sum would be 99 */
	CHECK(post(qp, &wr) == EINVAL);
	wr.num_sge = 0;
	CHECK(!posted(qp, &wr)->inline_len);
	wr.opcode = IBV_WR_RDMA_READ;
	CHECK(post(qp, &wr) == EINVAL);
	wr.opcode = IBV_WR_LOCAL_INV;
	CHECK(post(qp, &wr) == EINVAL);
	srnic_destroy_qp(qp);
	fake_end();
}

static void post_datagram(void)
{
	struct srnic_pd pd = { .ibv.context = &fake.ctx.vctx.context };
	struct ibv_ah_attr ah_attr = {};
	struct ibv_send_wr wr = {
		.sg_list = sges, .num_sge = 1, .opcode = IBV_WR_SEND,
		.wr.ud = { .remote_qpn = 0x123, .remote_qkey = 0x1ee7 },
	};
	struct srnic_sq_wqe *wqe;
	struct ibv_qp *qp;

	fake_begin();
	qp = fake_create_qp(IBV_QPT_UD, 4, 0);
	CHECK(post(qp, &wr) == EINVAL);		/* no AH */
	wr.wr.ud.ah = srnic_create_ah(&pd.ibv, &ah_attr);
	wqe = posted(qp, &wr);
	CHECK(wqe->ud.ah == 4711 && wqe->ud.qpn == 0x123 && wqe->ud.qkey == 0x1ee7);
	srnic_destroy_ah(wr.wr.ud.ah);
	srnic_destroy_qp(qp);
	fake_end();
}

static void post_binds_windows(void)
{
	struct ibv_mr mr = { .lkey = 0x5500 };
	struct ibv_mw mw = { .rkey = 0x66ff, .type = IBV_MW_TYPE_1 };
	struct ibv_mw_bind bind = {
		.wr_id = 9,
		.bind_info = { .mr = &mr, .addr = 0x4000, .length = 100,
			       .mw_access_flags = IBV_ACCESS_REMOTE_READ },
	};
	struct srnic_sq_wqe *wqe;
	struct ibv_qp *qp;

	fake_begin();
	qp = fake_create_qp(IBV_QPT_RC, 1, 0);
	CHECK(!srnic_bind_mw(qp, &mw, &bind));
	CHECK(mw.rkey == 0x6600);		/* only the low byte wraps */
	wqe = fake_peek(fake_sq(qp));
	CHECK(wqe && wqe->opcode == SRNIC_WQE_BIND_MW && wqe->wr_id == 9);
	CHECK(wqe->bind.mw_rkey == 0x66ff && wqe->bind.new_rkey == 0x6600);
	CHECK(wqe->bind.mr_lkey == 0x5500 && wqe->bind.addr == 0x4000);
	CHECK(wqe->bind.length == 100 && wqe->bind.access == IBV_ACCESS_REMOTE_READ);

	CHECK(srnic_bind_mw(qp, &mw, &bind) == ENOMEM);
	CHECK(mw.rkey == 0x6600);		/* a rejected post changes nothing */
	fake_take(fake_sq(qp));
	fake_retire(fake_sq(qp));
	bind.bind_info.mr = NULL;
	CHECK(srnic_bind_mw(qp, &mw, &bind) == EINVAL);
	bind.bind_info.length = 0;
	CHECK(!srnic_bind_mw(qp, &mw, &bind));
	srnic_destroy_qp(qp);
	fake_end();
}

/* All opcodes, and some invalid ones, on each type of QP. */
static void post_opcodes_by_type(void)
{
	static const struct {
		enum ibv_qp_type type;
		unsigned int opcodes;
	} allowed[] = {
		{ IBV_QPT_RC, 1 << IBV_WR_SEND | 1 << IBV_WR_SEND_WITH_IMM |
			      1 << IBV_WR_SEND_WITH_INV | 1 << IBV_WR_RDMA_WRITE |
			      1 << IBV_WR_RDMA_WRITE_WITH_IMM | 1 << IBV_WR_RDMA_READ |
			      1 << IBV_WR_ATOMIC_CMP_AND_SWP | 1 << IBV_WR_ATOMIC_FETCH_AND_ADD |
			      1 << IBV_WR_LOCAL_INV | 1 << IBV_WR_BIND_MW |
			      1 << SRNIC_IBV_WR_ATOMIC_WRITE },
		{ IBV_QPT_UC, 1 << IBV_WR_SEND | 1 << IBV_WR_SEND_WITH_IMM |
			      1 << IBV_WR_RDMA_WRITE | 1 << IBV_WR_RDMA_WRITE_WITH_IMM |
			      1 << IBV_WR_LOCAL_INV | 1 << IBV_WR_BIND_MW },
		{ IBV_QPT_UD, 1 << IBV_WR_SEND | 1 << IBV_WR_SEND_WITH_IMM },
	};
	struct srnic_ah ah = { .number = 1 };
	struct ibv_mw mw = {};
	unsigned int op, i;
	struct ibv_qp *qp;

	fake_begin();
	for (i = 0; i < ARRAY_LEN(allowed); i++) {
		qp = fake_create_qp(allowed[i].type, 32, 0);
		for (op = 0; op < 20; op++) {
			struct ibv_send_wr wr = { .opcode = op };

			if (allowed[i].type == IBV_QPT_UD)
				wr.wr.ud.ah = &ah.ibv;
			else if (op == IBV_WR_BIND_MW)
				wr.bind_mw.mw = &mw;
			CHECK(post(qp, &wr) == (allowed[i].opcodes >> op & 1 ? 0 : EINVAL));
		}
		srnic_destroy_qp(qp);
	}
	fake_end();
}

static void post_refuses(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND, .sg_list = sges, .num_sge = 1 };
	enum ibv_qp_state state;
	struct ibv_qp *qp;

	fake_begin();
	qp = fake_create_qp(IBV_QPT_RC, 8, 0);
	wr.num_sge = 5;
	CHECK(post(qp, &wr) == EINVAL);
	wr.num_sge = -1;
	CHECK(post(qp, &wr) == EINVAL);
	wr.num_sge = 1;
	wr.send_flags = IBV_SEND_IP_CSUM;
	CHECK(post(qp, &wr) == EINVAL);
	wr.send_flags = 0;
	wr.opcode = -1;
	CHECK(post(qp, &wr) == EINVAL);
	wr.opcode = IBV_WR_SEND;
	for (state = IBV_QPS_RESET; state <= IBV_QPS_ERR; state++) {
		qp->state = state;
		CHECK(post(qp, &wr) == (state < IBV_QPS_RTS ? EINVAL : 0));
	}
	CHECK(fake_sq(qp)->hdr->prod == 4);	/* RTS, SQD, SQE, ERR */
	srnic_destroy_qp(qp);
	fake_end();
}

static void post_batch_stops_where_full(void)
{
	struct ibv_send_wr wr[6] = {}, *bad_wr;
	struct ibv_qp *qp;
	int i;

	fake_begin();
	fake.start = UINT32_MAX - 1;
	qp = fake_create_qp(IBV_QPT_RC, 5, 0);
	for (i = 0; i < 6; i++)
		wr[i] = (struct ibv_send_wr) { .wr_id = i, .opcode = IBV_WR_SEND,
					       .next = i < 5 ? &wr[i + 1] : NULL };
	CHECK(srnic_post_send(qp, wr, &bad_wr) == ENOMEM);
	CHECK(bad_wr == &wr[5]);
	CHECK(fake.doorbells == 2);		/* the QP's first, and one for the whole batch */
	for (i = 0; i < 5; i++) {
		struct srnic_sq_wqe *wqe = fake_peek(fake_sq(qp));

		CHECK(wqe && wqe->wr_id == (uint64_t)i);
		fake_take(fake_sq(qp));
	}
	CHECK(!fake_peek(fake_sq(qp)));
	CHECK(post(qp, &wr[5]) == ENOMEM);
	fake_retire(fake_sq(qp));
	CHECK(!post(qp, &wr[5]));

	wr[0].next = &wr[1];
	wr[1].opcode = IBV_WR_TSO;
	CHECK(srnic_post_send(qp, wr, &bad_wr) == EINVAL);
	CHECK(bad_wr == &wr[1]);		/* the requests before it are posted */
	CHECK(fake_sq(qp)->hdr->prod == fake_sq(qp)->head + 2);
	srnic_destroy_qp(qp);
	fake_end();
}

static void post_rings_only_for_a_sleeper(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad_wr;
	struct ibv_qp *qp;

	fake_begin();
	qp = fake_create_qp(IBV_QPT_RC, 8, 0);
	CHECK(!post(qp, &wr));
	fake.doorbells = 0;			/* do not count the QP's first */
	CHECK(!post(qp, &wr) && fake.doorbells == 1);
	fake_sq(qp)->hdr->need_wakeup = 0;
	CHECK(!post(qp, &wr) && fake.doorbells == 1);
	fake_sq(qp)->hdr->need_wakeup = 1;
	CHECK(!post(qp, &wr) && fake.doorbells == 2);
	fake.doorbell_errno = EIO;		/* the device is gone */
	CHECK(srnic_post_send(qp, &wr, &bad_wr) == EIO && bad_wr == &wr);
	CHECK(fake.doorbells == 3);
	fake.doorbell_errno = ENOMEM;		/* retried, but not for ever: owed_test.c */
	CHECK(!post(qp, &wr) && fake.doorbells > 4);
	srnic_destroy_qp(qp);
	fake_end();
}

/* uverbs refuses write() to all but the credentials that have opened the file. */
static void post_rings_by_a_method_where_it_may_not_write(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad_wr;
	struct ibv_recv_wr recv = {}, *bad_recv;
	struct ibv_qp *qp;

	fake_begin();
	qp = fake_create_qp(IBV_QPT_RC, 8, 0);
	fake.no_write = true;
	CHECK(!post(qp, &wr));
	CHECK(fake.doorbells >= 1 && fake.writes == 1);
	fake.doorbells = 0;
	CHECK(!post(qp, &wr) && fake.doorbells == 1);
	CHECK(fake.writes == 1);		/* it has learned */
	fake.doorbell_errno = EIO;
	CHECK(srnic_post_send(qp, &wr, &bad_wr) == EIO);
	fake.doorbell_errno = 0;

	CHECK(!srnic_modify_qp(qp, &attr, IBV_QP_STATE));
	fake_rq(qp)->hdr->need_wakeup = 1;
	CHECK(!srnic_post_recv(qp, &recv, &bad_recv));
	CHECK(fake.recv_doorbells == 1 && fake.writes == 1);
	srnic_destroy_qp(qp);
	fake_end();
}

static void *post_canceled(void *arg)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad_wr;

	pthread_cancel(pthread_self());
	CHECK(!srnic_post_send(arg, &wr, &bad_wr));
	CHECK(!srnic_post_send(arg, &wr, &bad_wr));
	return arg;
}

/* A thread that is canceled ends later than in a post: the queue's lock would stay locked. */
static void post_is_no_cancellation_point(void)
{
	pthread_t thread;
	struct ibv_qp *qp;
	void *result;

	fake_begin();
	qp = fake_create_qp(IBV_QPT_RC, 8, 0);
	CHECK(!pthread_create(&thread, NULL, post_canceled, qp) && !pthread_join(thread, &result));
	CHECK(result == qp && fake.doorbells >= 2);
	if (result == qp)		/* else it could not be destroyed */
		srnic_destroy_qp(qp);
	fake_end();
}

/* The first doorbell allocates the kernel's memory for an SQ; if it fails, nothing is posted. */
static void post_first_doorbell_goes_ahead(void)
{
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };
	struct ibv_send_wr wr[2] = {
		{ .wr_id = 1, .opcode = IBV_WR_SEND, .next = &wr[1] },
		{ .wr_id = 2, .opcode = IBV_WR_TSO },
	}, *bad_wr;
	struct ibv_qp *qp;

	fake_begin();
	qp = fake_create_qp(IBV_QPT_RC, 8, 0);
	CHECK(post(qp, &wr[1]) == EINVAL && !fake.doorbells);	/* no doorbell without a request */

	fake_sq(qp)->hdr->need_wakeup = 0;	/* rings even if the kernel does not ask for it */
	fake.doorbell_errno = ENOMEM;
	CHECK(srnic_post_send(qp, wr, &bad_wr) == ENOMEM && bad_wr == wr);
	CHECK(srnic_post_send(qp, wr, &bad_wr) == ENOMEM);	/* the next is the first again */
	CHECK(!fake_peek(fake_sq(qp)));
	fake.doorbell_errno = 0;
	wr[1].opcode = IBV_WR_SEND;
	CHECK(!post(qp, wr));			/* the retried request is posted once */
	CHECK(fake_sq(qp)->hdr->prod == 2);

	fake.doorbells = 0;
	CHECK(!post(qp, wr) && !fake.doorbells);
	CHECK(!srnic_modify_qp(qp, &reset, IBV_QP_STATE));
	qp->state = IBV_QPS_RTS;
	CHECK(!post(qp, wr) && fake.doorbells == 1);	/* RESET needs no new first one */
	srnic_destroy_qp(qp);
	fake_end();
}

static void post_recv_entries(void)
{
	struct ibv_recv_wr wr[4] = {}, *bad_wr;
	struct srnic_rq_wqe *wqe;
	struct ibv_qp *qp;
	int i;

	fake_begin();
	fake.start = UINT32_MAX;
	qp = fake_create_qp(IBV_QPT_RC, 3, 0);
	qp->state = IBV_QPS_RESET;
	CHECK(srnic_post_recv(qp, wr, &bad_wr) == EINVAL);
	qp->state = IBV_QPS_INIT;
	for (i = 0; i < 4; i++)
		wr[i] = (struct ibv_recv_wr) { .wr_id = i, .sg_list = sges, .num_sge = i,
					       .next = i < 3 ? &wr[i + 1] : NULL };
	CHECK(srnic_post_recv(qp, wr, &bad_wr) == ENOMEM && bad_wr == &wr[3]);
	for (i = 0; i < 3; i++) {
		wqe = fake_peek(fake_rq(qp));
		CHECK(wqe && wqe->wr_id == (uint64_t)i && wqe->num_sge == (uint32_t)i);
		CHECK(!memcmp(wqe + 1, sges, i * sizeof(sges[0])));
		fake_take(fake_rq(qp));
	}
	fake_retire(fake_rq(qp));
	wr[3].num_sge = 5;
	CHECK(srnic_post_recv(qp, &wr[3], &bad_wr) == EINVAL && bad_wr == &wr[3]);
	wr[3].num_sge = -1;
	CHECK(srnic_post_recv(qp, &wr[3], &bad_wr) == EINVAL);
	CHECK(!fake.doorbells && !fake.recv_doorbells);
	srnic_destroy_qp(qp);
	fake_end();
}

/* In ERR no message makes the kernel read the ring, so it asks for doorbells. */
static void post_recv_rings_in_error(void)
{
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };
	struct ibv_recv_wr wr[2] = { { .wr_id = 1, .next = &wr[1] }, { .wr_id = 2 } }, *bad_wr;
	struct ibv_qp *qp;

	fake_begin();
	qp = fake_create_qp(IBV_QPT_RC, 6, 0);
	CHECK(!srnic_post_recv(qp, wr, &bad_wr) && !fake.recv_doorbells);

	fake_rq(qp)->hdr->need_wakeup = 1;	/* to ERR without the provider */
	CHECK(!srnic_post_recv(qp, wr, &bad_wr) && !bad_wr);
	CHECK(fake.recv_doorbells == 1);	/* one for the whole list */
	CHECK(fake_rq(qp)->hdr->prod == 4);
	wr[1].num_sge = 5;
	CHECK(srnic_post_recv(qp, wr, &bad_wr) == EINVAL && bad_wr == &wr[1]);
	CHECK(fake.recv_doorbells == 2);	/* for the requests before the bad one */
	CHECK(srnic_post_recv(qp, &wr[1], &bad_wr) == EINVAL && bad_wr == &wr[1]);
	CHECK(fake.recv_doorbells == 2);	/* none if nothing was posted */

	fake.doorbell_errno = EIO;		/* the device is gone: nothing is flushed */
	wr[1].num_sge = 0;
	CHECK(srnic_post_recv(qp, &wr[1], &bad_wr) == EIO && bad_wr == &wr[1]);
	CHECK(fake.recv_doorbells == 3);
	fake.doorbell_errno = 0;
	CHECK(srnic_post_recv(qp, wr, &bad_wr) == ENOMEM && bad_wr == wr);
	CHECK(fake.recv_doorbells == 3);	/* the ring is full: none */

	CHECK(!srnic_modify_qp(qp, &reset, IBV_QP_STATE));
	qp->state = IBV_QPS_INIT;
	CHECK(!srnic_post_recv(qp, wr, &bad_wr));
	CHECK(fake.recv_doorbells == 3 && !fake.doorbells);
	srnic_destroy_qp(qp);
	fake_end();
}

const struct test_case post_tests[] = {
	TEST(post_send_entry),
	TEST(post_rdma_and_atomic_entries),
	TEST(post_atomic_write),
	TEST(post_names_the_srq),
	TEST(post_inline),
	TEST(post_datagram),
	TEST(post_binds_windows),
	TEST(post_opcodes_by_type),
	TEST(post_refuses),
	TEST(post_batch_stops_where_full),
	TEST(post_rings_only_for_a_sleeper),
	TEST(post_rings_by_a_method_where_it_may_not_write),
	TEST(post_is_no_cancellation_point),
	TEST(post_first_doorbell_goes_ahead),
	TEST(post_recv_entries),
	TEST(post_recv_rings_in_error),
	{},
};
