// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Thread domains and parent domains: they keep each other and are kept by their queues, and an
 * allocator of the application gives the memory of queues (ibv_alloc_parent_domain(3)).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "test.h"

/* The answer of the application's allocator, and the last request to it */
static struct {
	enum { GIVE, DEFAULT, FAIL } answer;
	struct ibv_pd *pd;
	unsigned int calls, frees;
	uint64_t type;
	void *mem;
	size_t size;
} app;

static struct ibv_context *ctx(void)
{
	return &fake.ctx.vctx.context;
}

static void *app_alloc(struct ibv_pd *pd, void *context, size_t size, size_t alignment,
		       uint64_t type)
{
	CHECK(pd == app.pd && context == &app && alignment == 64);
	app.calls++;
	app.type = type;
	app.size = size;
	if (app.answer != GIVE)
		return app.answer == DEFAULT ? IBV_ALLOCATOR_USE_DEFAULT : NULL;
	app.mem = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
	memset(app.mem, 0xa5, size);
	return app.mem;
}

static void app_free(struct ibv_pd *pd, void *context, void *mem, uint64_t type)
{
	CHECK(pd == app.pd && context == &app && mem == app.mem && type == app.type);
	app.frees++;
	free(mem);
	errno = EBADF;			/* of no interest to the verb */
}

/* Begin a case: a PD, and in it a parent domain with the allocator. */
static struct ibv_pd *begin(void)
{
	struct ibv_parent_domain_init_attr attr = {
		.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS |
			     IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT,
		.alloc = app_alloc, .free = app_free, .pd_context = &app,
	};

	memset(&app, 0, sizeof(app));
	fake_begin();
	attr.pd = srnic_alloc_pd(ctx());
	app.pd = srnic_alloc_parent_domain(ctx(), &attr);
	CHECK(app.pd);
	return attr.pd;
}

static void end(struct ibv_pd *pd)
{
	CHECK(!srnic_dealloc_pd(app.pd) && !srnic_dealloc_pd(pd));
	fake_end();
}

static struct ibv_qp *new_qp(void)
{
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = 4, .max_recv_wr = 4 }, .qp_type = IBV_QPT_RC,
	};

	return srnic_create_qp(app.pd, &attr);
}

static struct ibv_cq *new_cq(void)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 4, .comp_mask = IBV_CQ_INIT_ATTR_MASK_PD, .parent_domain = app.pd,
	};
	struct ibv_cq_ex *ex = srnic_create_cq_ex(ctx(), &attr);

	return ex ? ibv_cq_ex_to_cq(ex) : NULL;
}

static struct ibv_srq *new_srq(void)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 4, .max_sge = 1 } };

	return srnic_create_srq(app.pd, &attr);
}

static void domain_keeps_its_parts(void)
{
	struct ibv_td_init_attr td_attr = {};
	struct ibv_parent_domain_init_attr attr = {};
	struct ibv_pd *pd, *parent, *plain;
	struct ibv_td *td;

	fake_begin();
	pd = srnic_alloc_pd(ctx());
	td = srnic_alloc_td(ctx(), &td_attr);
	attr.pd = pd;
	plain = srnic_alloc_parent_domain(ctx(), &attr);
	attr.td = td;
	parent = srnic_alloc_parent_domain(ctx(), &attr);
	CHECK(parent && parent->handle == pd->handle);
	CHECK(srnic_single_threaded(parent) && !srnic_single_threaded(plain));
	CHECK(!srnic_single_threaded(pd));

	CHECK(srnic_dealloc_pd(pd) == EBUSY);
	CHECK(srnic_dealloc_td(td) == EBUSY);
	CHECK(!srnic_dealloc_pd(parent));
	CHECK(!srnic_dealloc_td(td));
	CHECK(srnic_dealloc_pd(pd) == EBUSY);
	CHECK(!srnic_dealloc_pd(plain));
	CHECK(!srnic_dealloc_pd(pd));
	fake_end();
}

static void domain_refuses_what_it_does_not_know(void)
{
	struct ibv_td_init_attr td_attr = { .comp_mask = 1 };
	struct ibv_parent_domain_init_attr attr = {};
	struct ibv_pd *pd = begin();

	CHECK(!srnic_alloc_td(ctx(), &td_attr) && errno == EOPNOTSUPP);
	CHECK(!srnic_alloc_parent_domain(ctx(), &attr) && errno == EINVAL);
	attr.pd = app.pd;		/* a parent domain has no parent domains */
	CHECK(!srnic_alloc_parent_domain(ctx(), &attr) && errno == EINVAL);
	attr.pd = pd;
	attr.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT << 1;
	CHECK(!srnic_alloc_parent_domain(ctx(), &attr) && errno == EOPNOTSUPP);
	attr.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS;
	attr.alloc = app_alloc;
	CHECK(!srnic_alloc_parent_domain(ctx(), &attr) && errno == EINVAL);
	attr.alloc = NULL;
	attr.free = app_free;
	CHECK(!srnic_alloc_parent_domain(ctx(), &attr) && errno == EINVAL);
	end(pd);
}

/* Without the mask's bit, the fields have no meaning. */
static void domain_ignores_an_allocator_without_its_bit(void)
{
	struct ibv_parent_domain_init_attr attr = { .alloc = app_alloc, .free = app_free };
	struct ibv_pd *pd = begin(), *with = app.pd;
	struct ibv_qp *qp;

	attr.pd = pd;
	app.pd = srnic_alloc_parent_domain(ctx(), &attr);
	qp = new_qp();
	CHECK(qp && !app.calls && !srnic_destroy_qp(qp));
	CHECK(!srnic_dealloc_pd(app.pd));
	app.pd = with;
	end(pd);
}

static void domain_of_one_thread_has_queues_without_locks(void)
{
	struct ibv_td_init_attr td_attr = {};
	struct ibv_parent_domain_init_attr attr = {};
	struct ibv_pd *pd = begin(), *with = app.pd;
	struct ibv_srq *srq;
	struct ibv_cq *cq;
	struct ibv_qp *qp;

	attr.pd = pd;
	attr.td = srnic_alloc_td(ctx(), &td_attr);
	app.pd = srnic_alloc_parent_domain(ctx(), &attr);
	qp = new_qp();
	cq = new_cq();
	srq = new_srq();
	CHECK(qp && to_sqp(qp)->sq_lock.elided && to_sqp(qp)->rq_lock.elided);
	CHECK(cq && to_scq(cq)->lock.elided);
	CHECK(srq && to_ssrq(srq)->lock.elided);
	CHECK(!srnic_destroy_qp(qp) && !srnic_destroy_cq(cq) && !srnic_destroy_srq(srq));
	CHECK(!srnic_dealloc_pd(app.pd) && !srnic_dealloc_td(attr.td));
	app.pd = with;
	end(pd);
}

static uint64_t type_of(uint32_t object)
{
	return (uint64_t)SRNIC_DRIVER_ID << 32 | object;
}

/* The memory that the application gives is neither zeroed nor freed by anyone else. */
static void domain_allocator_gives_the_memory_of_queues(void)
{
	struct ibv_pd *pd = begin();
	struct ibv_srq *srq;
	struct ibv_cq *cq;
	struct ibv_qp *qp;

	qp = new_qp();
	CHECK(to_sqp(qp) == app.mem && app.size == sizeof(struct srnic_qp));
	CHECK(app.type == type_of(UVERBS_OBJECT_QP) && !to_sqp(qp)->send_debt.qp);
	CHECK(srnic_dealloc_pd(app.pd) == EBUSY);
	CHECK(!srnic_destroy_qp(qp) && app.frees == 1);

	cq = new_cq();
	CHECK(to_scq(cq) == app.mem && app.size == sizeof(struct srnic_cq));
	CHECK(app.type == type_of(UVERBS_OBJECT_CQ) && !to_scq(cq)->debts);
	CHECK(srnic_dealloc_pd(app.pd) == EBUSY);
	CHECK(!srnic_destroy_cq(cq) && app.frees == 2);

	srq = new_srq();
	CHECK(to_ssrq(srq) == app.mem && app.size == sizeof(struct srnic_srq));
	CHECK(app.type == type_of(UVERBS_OBJECT_SRQ) && !to_ssrq(srq)->cqs);
	CHECK(srnic_dealloc_pd(app.pd) == EBUSY);
	CHECK(!srnic_destroy_srq(srq) && app.frees == 3 && app.calls == 3);
	end(pd);
}

static void domain_allocator_may_leave_it_to_the_default(void)
{
	struct ibv_pd *pd = begin();
	struct ibv_cq *cq;
	struct ibv_qp *qp;

	app.answer = DEFAULT;
	qp = new_qp();
	cq = new_cq();
	CHECK(qp && cq && app.calls == 2);
	CHECK(srnic_dealloc_pd(app.pd) == EBUSY);
	CHECK(!srnic_destroy_qp(qp) && !srnic_destroy_cq(cq) && !app.frees);
	end(pd);
}

static void domain_allocator_may_fail(void)
{
	struct ibv_pd *pd = begin();
	unsigned int objects = fake.objects;

	app.answer = FAIL;
	CHECK(!new_qp() && errno == ENOMEM);
	CHECK(!new_cq() && errno == ENOMEM);
	CHECK(!new_srq() && errno == ENOMEM);
	CHECK(app.calls == 3 && fake.objects == objects);
	end(pd);
}

/* A queue that is not created, or not destroyed: each block is freed once, and errno stays. */
static void domain_allocator_gets_back_what_failed(void)
{
	struct ibv_pd *pd = begin();
	struct ibv_qp *qp;

	fake.fail = ENOSPC;
	CHECK(!new_qp() && errno == ENOSPC && app.frees == 1);
	fake.fail = ENOSPC;
	CHECK(!new_cq() && errno == ENOSPC && app.frees == 2);
	fake.fail = ENOSPC;
	CHECK(!new_srq() && errno == ENOSPC && app.frees == 3);
	fake.bad_ring = true;
	CHECK(!new_qp() && errno == EPROTO && app.frees == 4);
	CHECK(!new_cq() && errno == EPROTO && app.frees == 5);
	CHECK(!new_srq() && errno == EPROTO && app.frees == 6);
	fake.bad_ring = false;

	qp = new_qp();
	fake.fail = EBUSY;
	CHECK(srnic_destroy_qp(qp) == EBUSY && app.frees == 6);
	CHECK(!srnic_destroy_qp(qp) && app.frees == 7 && app.calls == 7);
	end(pd);
}

/* A CQ belongs to no protection domain. */
static void domain_of_a_cq_is_a_parent_domain(void)
{
	struct ibv_pd *pd = begin(), *parent = app.pd;

	app.pd = pd;
	CHECK(!new_cq() && errno == EINVAL);
	app.pd = NULL;
	CHECK(!new_cq() && errno == EINVAL);
	app.pd = parent;
	end(pd);
}

const struct test_case domain_tests[] = {
	TEST(domain_keeps_its_parts),
	TEST(domain_refuses_what_it_does_not_know),
	TEST(domain_ignores_an_allocator_without_its_bit),
	TEST(domain_of_one_thread_has_queues_without_locks),
	TEST(domain_allocator_gives_the_memory_of_queues),
	TEST(domain_allocator_may_leave_it_to_the_default),
	TEST(domain_allocator_may_fail),
	TEST(domain_allocator_gets_back_what_failed),
	TEST(domain_of_a_cq_is_a_parent_domain),
	{},
};
