// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of verbs: objects of a kernel consumer, on a device that is not registered with
 * the core. Each object is created, changed and destroyed by the operations of struct
 * ib_device_ops. R numbers are the rows of Documentation/security/rfc5042.md.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <net/netlink.h>

#include "srnic.h"
#include "engine/ah.h"
#include "engine/srq.h"
#include "verbs/ops.h"

#define WR		16	/* entries of queues */
#define REMOTE_RIGHTS	(SRNIC_ACCESS_REMOTE | IB_ACCESS_LOCAL_WRITE)

/**
 * struct world - A device, and objects that others need
 * @dev: the device
 * @pd: a protection domain
 * @cq: a completion queue
 */
struct world {
	struct srnic_dev *dev;
	struct ib_pd *pd;
	struct ib_cq *cq;
};

static const struct ib_device_ops *ops_of(struct kunit *test)
{
	struct world *w = test->priv;

	return &w->dev->ib.ops;
}

static u32 used(struct kunit *test, enum srnic_quota quota)
{
	struct world *w = test->priv;

	return srnic_quota_get(&w->dev->guard, quota).used;
}

/* Return zeroed memory for an object, which the core allocates otherwise. */
static void *zeroed(struct kunit *test, size_t size)
{
	void *object = kunit_kzalloc(test, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, object);
	return object;
}

static int create_cq(struct kunit *test, struct srnic_cq *cq, const struct ib_cq_init_attr *attr)
{
	struct world *w = test->priv;

	cq->ib.device = &w->dev->ib;
	return ops_of(test)->create_cq(&cq->ib, attr, NULL);
}

static struct ib_cq *make_cq(struct kunit *test, const struct ib_cq_init_attr *attr, int *err)
{
	struct srnic_cq *cq = zeroed(test, sizeof(*cq));

	*err = create_cq(test, cq, attr);
	return &cq->ib;
}

static void close_world(void *arg)
{
	struct world *w = arg;

	if (w->cq)
		w->dev->ib.ops.destroy_cq(w->cq, NULL);
	if (w->pd)
		w->dev->ib.ops.dealloc_pd(w->pd, NULL);
	rcu_barrier();
	srnic_dev_close(w->dev);
}

static int verbs_test_init(struct kunit *test)
{
	const struct ib_cq_init_attr attr = { .cqe = WR };
	struct world *w = zeroed(test, sizeof(*w));
	struct srnic_pd *pd = zeroed(test, sizeof(*pd));
	struct srnic_cq *cq = zeroed(test, sizeof(*cq));
	/* by number: the first is 1 */
	struct ib_port_data *ports = zeroed(test, 2 * sizeof(*ports));

	test->priv = w;
	w->dev = zeroed(test, sizeof(*w->dev));
	ports[SRNIC_PORT].immutable.core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	w->dev->ib.port_data = ports;
	srnic_dev_init(w->dev);
	/* KUnit frees in reverse order, so all memory has been allocated by now */
	KUNIT_ASSERT_EQ(test, kunit_add_action(test, close_world, w), 0);
	KUNIT_ASSERT_EQ(test, srnic_dev_open(w->dev), 0);
	pd->ib.device = &w->dev->ib;
	KUNIT_ASSERT_EQ(test, ops_of(test)->alloc_pd(&pd->ib, NULL), 0);
	w->pd = &pd->ib;
	KUNIT_ASSERT_EQ(test, create_cq(test, cq, &attr), 0);
	w->cq = &cq->ib;
	return 0;
}

/* ------------------------------------------------------- domains and queues */

static void R18_domains_are_counted_and_given_back(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_pd *pd = zeroed(test, sizeof(*pd));

	pd->ib.device = &w->dev->ib;
	srnic_quota_set(&w->dev->guard, SRNIC_QUOTA_PD, 2, 0);
	KUNIT_EXPECT_EQ(test, ops_of(test)->alloc_pd(&pd->ib, NULL), 0);
	KUNIT_EXPECT_EQ(test, used(test, SRNIC_QUOTA_PD), 2);
	KUNIT_EXPECT_EQ(test, ops_of(test)->dealloc_pd(&pd->ib, NULL), 0);
	KUNIT_EXPECT_EQ(test, used(test, SRNIC_QUOTA_PD), 1);

	srnic_quota_set(&w->dev->guard, SRNIC_QUOTA_PD, 1, 0);
	memset(pd, 0, sizeof(*pd));
	pd->ib.device = &w->dev->ib;
	KUNIT_EXPECT_EQ(test, ops_of(test)->alloc_pd(&pd->ib, NULL), -ENOMEM);
	KUNIT_EXPECT_EQ(test, used(test, SRNIC_QUOTA_PD), 1);
}

static void the_key_of_a_domain_goes_with_it(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_pd *pd = zeroed(test, sizeof(*pd));

	pd->ib.device = &w->dev->ib;
	KUNIT_ASSERT_EQ(test, ops_of(test)->alloc_pd(&pd->ib, NULL), 0);
	memset(pd->key, 0x5a, sizeof(pd->key));
	ops_of(test)->dealloc_pd(&pd->ib, NULL);
	KUNIT_EXPECT_NULL(test, memchr_inv(pd->key, 0, sizeof(pd->key)));
}

static void R21_completion_queues_have_the_sizes_that_guard_allows(struct kunit *test)
{
	static const struct {
		struct ib_cq_init_attr attr;
		int want;
	} tries[] = {
		{ { .cqe = 0 }, -EINVAL },
		{ { .cqe = 1 }, 0 },
		{ { .cqe = SRNIC_MAX_CQE + 1 }, -EINVAL },
		{ { .cqe = 1, .flags = IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION }, 0 },
		{ { .cqe = 1, .flags = IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN }, -EOPNOTSUPP },
	};

	const int beyond = SRNIC_MAX_CQE + 1;

	for (int i = 0; i < ARRAY_SIZE(tries); i++) {
		int err;
		struct ib_cq *cq = make_cq(test, &tries[i].attr, &err);

		KUNIT_EXPECT_EQ_MSG(test, err, tries[i].want, "try %d", i);
		if (err)
			continue;
		KUNIT_EXPECT_GE(test, cq->cqe, tries[i].attr.cqe);
		KUNIT_EXPECT_EQ(test, ops_of(test)->resize_cq(cq, 100, NULL), 0);
		KUNIT_EXPECT_GE(test, cq->cqe, 100);
		KUNIT_EXPECT_EQ(test, ops_of(test)->resize_cq(cq, beyond, NULL), -EINVAL);
		KUNIT_EXPECT_GE(test, cq->cqe, 100);
		KUNIT_EXPECT_EQ(test, ops_of(test)->destroy_cq(cq, NULL), 0);
	}
	KUNIT_EXPECT_EQ(test, used(test, SRNIC_QUOTA_CQ), 1);
}

static void completions_of_a_qp_that_has_gone_are_not_polled(struct kunit *test)
{
	const struct srnic_cqe cqe = { .qp_num = 0x123, .wr_id = 7 };
	struct world *w = test->priv;
	struct ib_wc wc;

	KUNIT_ASSERT_EQ(test, srnic_cq_push(to_srnic_cq(w->cq), &cqe, false), 0);
	KUNIT_EXPECT_EQ(test, ops_of(test)->peek_cq(w->cq, 5), 1);
	KUNIT_EXPECT_EQ(test, ops_of(test)->poll_cq(w->cq, 1, &wc), 0);
	KUNIT_EXPECT_EQ(test, ops_of(test)->peek_cq(w->cq, 5), 0);
}

/* IBA 11.4.2.2 */
static void a_request_for_events_reports_what_was_missed(struct kunit *test)
{
	const enum ib_cq_notify_flags next = IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS;
	const struct srnic_cqe cqe = { };
	struct world *w = test->priv;

	KUNIT_EXPECT_EQ(test, ops_of(test)->req_notify_cq(w->cq, next), 0);
	srnic_cq_push(to_srnic_cq(w->cq), &cqe, false);
	KUNIT_EXPECT_EQ(test, ops_of(test)->req_notify_cq(w->cq, IB_CQ_NEXT_COMP), 0);
	KUNIT_EXPECT_GT(test, ops_of(test)->req_notify_cq(w->cq, next), 0);
}

static void R1_a_vector_that_there_is_not_is_refused(struct kunit *test)
{
	struct world *w = test->priv;
	struct ib_cq_init_attr attr = { .cqe = 1 };
	int err;

	attr.comp_vector = w->dev->ib.num_comp_vectors;
	KUNIT_EXPECT_EQ(test, w->dev->ib.num_comp_vectors, num_online_cpus());
	make_cq(test, &attr, &err);
	KUNIT_EXPECT_EQ(test, err, -EINVAL);
	attr.comp_vector = U32_MAX;
	make_cq(test, &attr, &err);
	KUNIT_EXPECT_EQ(test, err, -EINVAL);
	KUNIT_EXPECT_EQ(test, used(test, SRNIC_QUOTA_CQ), 1);
}

/* The event of a CQ */
struct event {
	struct completion done;
	int cpu;
};

static void note_event(struct ib_cq *ib, void *context)
{
	struct event *event = context;

	event->cpu = smp_processor_id();
	complete(&event->done);
}

/*
 * Return the processor that handles the event of a completion which processor 0 writes. @wc: as
 * ib_alloc_cq() has it, and processes do not.
 */
static int cpu_of_event(struct kunit *test, struct ib_wc *wc, enum ib_poll_context poll, u32 vector)
{
	const struct ib_cq_init_attr attr = { .cqe = 1, .comp_vector = vector };
	struct srnic_cq *cq = zeroed(test, sizeof(*cq));
	const struct srnic_cqe cqe = { };
	struct event event;

	cq->ib.wc = wc;
	cq->ib.poll_ctx = poll;
	KUNIT_ASSERT_EQ(test, create_cq(test, cq, &attr), 0);
	init_completion(&event.done);
	cq->ib.comp_handler = note_event;
	cq->ib.cq_context = &event;
	srnic_cq_arm(cq, SRNIC_ARM_NEXT);
	set_cpus_allowed_ptr(current, cpumask_of(0));
	srnic_cq_push(cq, &cqe, false);
	srnic_cq_notify(cq);
	set_cpus_allowed_ptr(current, cpu_possible_mask);
	wait_for_completion(&event.done);
	ops_of(test)->destroy_cq(&cq->ib, NULL);
	return event.cpu;
}

static void a_vector_is_the_processor_that_serves_the_queue(struct kunit *test)
{
	struct world *w = test->priv;
	struct ib_wc wc;

	if (num_online_cpus() < 2)
		kunit_skip(test, "there is one processor");
	for (u32 i = 0; i < w->dev->ib.num_comp_vectors; i++) {
		KUNIT_EXPECT_EQ(test, cpu_of_event(test, &wc, IB_POLL_SOFTIRQ, i), i);
		KUNIT_EXPECT_EQ(test, cpu_of_event(test, &wc, IB_POLL_WORKQUEUE, i), i);
		/* no work moves for those whose thread may run anywhere */
		KUNIT_EXPECT_EQ(test, cpu_of_event(test, &wc, IB_POLL_UNBOUND_WORKQUEUE, i), 0);
		KUNIT_EXPECT_EQ(test, cpu_of_event(test, &wc, IB_POLL_DIRECT, i), 0);
		/* nor for processes, whose CQs do not say how they are polled */
		KUNIT_EXPECT_EQ(test, cpu_of_event(test, NULL, IB_POLL_SOFTIRQ, i), 0);
	}
}

/* -------------------------------------------------- shared receive queues */

static struct ib_srq *make_srq(struct kunit *test, const struct ib_srq_attr *attr, int *err)
{
	struct ib_srq_init_attr init = { .srq_type = IB_SRQT_BASIC, .attr = *attr };
	struct world *w = test->priv;
	struct srnic_srq *srq = zeroed(test, sizeof(*srq));

	srq->ib.device = &w->dev->ib;
	srq->ib.pd = w->pd;
	*err = ops_of(test)->create_srq(&srq->ib, &init, NULL);
	return &srq->ib;
}

static void R18_shared_queues_have_the_sizes_that_guard_allows(struct kunit *test)
{
	static const struct {
		struct ib_srq_attr attr;
		int want;
	} tries[] = {
		{ { .max_wr = 0, .max_sge = 1 }, -EINVAL },
		{ { .max_wr = 1, .max_sge = 0 }, -EINVAL },
		{ { .max_wr = 1, .max_sge = SRNIC_MAX_SGE + 1 }, -EINVAL },
		{ { .max_wr = SRNIC_MAX_SRQ_WR + 1, .max_sge = 1 }, -EINVAL },
		{ { .max_wr = WR, .max_sge = SRNIC_MAX_SGE }, 0 },
	};

	for (int i = 0; i < ARRAY_SIZE(tries); i++) {
		int err;
		struct ib_srq *srq = make_srq(test, &tries[i].attr, &err);

		KUNIT_EXPECT_EQ_MSG(test, err, tries[i].want, "try %d", i);
		KUNIT_EXPECT_EQ(test, used(test, SRNIC_QUOTA_SRQ), !err);
		if (!err)
			ops_of(test)->destroy_srq(srq, NULL);
	}
	KUNIT_EXPECT_EQ(test, used(test, SRNIC_QUOTA_SRQ), 0);
}

/* IBA 11.2.3.3 */
static void the_limit_of_a_shared_queue_stays_within_its_size(struct kunit *test)
{
	struct ib_srq_attr attr = { .max_wr = WR, .max_sge = 1 };
	int err;
	struct ib_srq *srq = make_srq(test, &attr, &err);

	KUNIT_ASSERT_EQ(test, err, 0);
	attr.srq_limit = WR;
	KUNIT_EXPECT_EQ(test, ops_of(test)->modify_srq(srq, &attr, IB_SRQ_LIMIT, NULL), 0);
	attr.srq_limit = WR + 1;
	KUNIT_EXPECT_EQ(test, ops_of(test)->modify_srq(srq, &attr, IB_SRQ_LIMIT, NULL), -EINVAL);
	attr.max_wr = WR / 2;
	KUNIT_EXPECT_EQ(test, ops_of(test)->modify_srq(srq, &attr, IB_SRQ_MAX_WR, NULL), -EINVAL);
	attr.max_wr = SRNIC_MAX_SRQ_WR + 1;
	KUNIT_EXPECT_EQ(test, ops_of(test)->modify_srq(srq, &attr, IB_SRQ_MAX_WR, NULL), -EINVAL);

	KUNIT_EXPECT_EQ(test, ops_of(test)->query_srq(srq, &attr), 0);
	KUNIT_EXPECT_EQ(test, attr.max_wr, WR);
	KUNIT_EXPECT_EQ(test, attr.srq_limit, WR);
	attr.max_wr = 2 * WR;
	KUNIT_EXPECT_EQ(test, ops_of(test)->modify_srq(srq, &attr, IB_SRQ_MAX_WR, NULL), 0);
	ops_of(test)->query_srq(srq, &attr);
	KUNIT_EXPECT_EQ(test, attr.max_wr, 2 * WR);
	KUNIT_EXPECT_EQ(test, attr.srq_limit, WR);
	ops_of(test)->destroy_srq(srq, NULL);
}

static void a_shared_queue_takes_what_fits_and_names_the_rest(struct kunit *test)
{
	const struct ib_srq_attr attr = { .max_wr = 2, .max_sge = 1 };
	struct ib_recv_wr wr[3] = { { .next = &wr[1] }, { .next = &wr[2] } };
	const struct ib_recv_wr *bad = NULL;
	int err;
	struct ib_srq *srq = make_srq(test, &attr, &err);

	KUNIT_ASSERT_EQ(test, err, 0);
	KUNIT_EXPECT_EQ(test, ops_of(test)->post_srq_recv(srq, wr, &bad), -ENOMEM);
	KUNIT_EXPECT_PTR_EQ(test, bad, &wr[2]);
	ops_of(test)->destroy_srq(srq, NULL);
}

/* ------------------------------------------------------------- queue pairs */

static struct ib_qp *make_qp(struct kunit *test, struct ib_qp_init_attr *init, int *err)
{
	struct world *w = test->priv;
	struct srnic_qp *qp = zeroed(test, sizeof(*qp));

	init->send_cq = w->cq;
	init->recv_cq = w->cq;
	qp->ib.device = &w->dev->ib;
	qp->ib.pd = w->pd;
	qp->ib.qp_type = init->qp_type;
	*err = ops_of(test)->create_qp(&qp->ib, init, NULL);
	return &qp->ib;
}

static struct ib_qp *make_good_qp(struct kunit *test, enum ib_qp_type type)
{
	struct ib_qp_init_attr init = {
		.qp_type = type,
		.port_num = SRNIC_PORT,
		.cap = { .max_send_wr = WR, .max_recv_wr = WR, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	int err;
	struct ib_qp *qp = make_qp(test, &init, &err);

	KUNIT_ASSERT_EQ(test, err, 0);
	return qp;
}

static void R18_queue_pairs_have_the_sizes_that_guard_allows(struct kunit *test)
{
	static const struct {
		struct ib_qp_cap cap;
		int want;
	} tries[] = {
		{ { .max_send_wr = SRNIC_MAX_QP_WR + 1 }, -EINVAL },
		{ { .max_recv_wr = SRNIC_MAX_QP_WR + 1 }, -EINVAL },
		{ { .max_send_sge = SRNIC_MAX_SGE + 1 }, -EINVAL },
		{ { .max_recv_sge = SRNIC_MAX_SGE + 1 }, -EINVAL },
		{ { .max_inline_data = SRNIC_MAX_INLINE + 1 }, -EINVAL },
		{ { .max_send_wr = 1, .max_inline_data = SRNIC_MAX_INLINE }, 0 },
	};

	for (int i = 0; i < ARRAY_SIZE(tries); i++) {
		struct ib_qp_init_attr init = { .qp_type = IB_QPT_RC, .cap = tries[i].cap };
		int err;
		struct ib_qp *qp = make_qp(test, &init, &err);

		KUNIT_EXPECT_EQ_MSG(test, err, tries[i].want, "try %d", i);
		KUNIT_EXPECT_EQ(test, used(test, SRNIC_QUOTA_QP), !err);
		if (!err)
			ops_of(test)->destroy_qp(qp, NULL);
	}
	KUNIT_EXPECT_EQ(test, used(test, SRNIC_QUOTA_QP), 0);
}

/* Of a RoCE port, which has no QP0 */
static void queue_pairs_are_of_the_types_that_there_are(struct kunit *test)
{
	static const struct {
		enum ib_qp_type type;
		u32 port;
		int want;
	} tries[] = {
		{ IB_QPT_RC, 0, 0 }, { IB_QPT_UC, 0, 0 }, { IB_QPT_UD, 0, 0 },
		{ IB_QPT_GSI, SRNIC_PORT, 0 }, { IB_QPT_GSI, SRNIC_PORT + 1, -EINVAL },
		{ IB_QPT_SMI, SRNIC_PORT, -EOPNOTSUPP },
		{ IB_QPT_RAW_PACKET, SRNIC_PORT, -EOPNOTSUPP },
		/* the kernel's work requests name no SRQ, and a target needs an XRC domain */
		{ IB_QPT_XRC_INI, 0, -EOPNOTSUPP }, { IB_QPT_XRC_TGT, 0, -EINVAL },
	};

	for (int i = 0; i < ARRAY_SIZE(tries); i++) {
		struct ib_qp_init_attr init = {
			.qp_type = tries[i].type, .port_num = tries[i].port,
		};
		int err;
		struct ib_qp *qp = make_qp(test, &init, &err);

		KUNIT_EXPECT_EQ_MSG(test, err, tries[i].want, "try %d", i);
		if (err)
			continue;
		KUNIT_EXPECT_EQ(test, qp->qp_num == SRNIC_GSI_QPN, init.qp_type == IB_QPT_GSI);
		ops_of(test)->destroy_qp(qp, NULL);
	}
}

#define INIT_MASK	(IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS)

/* IBA 11.2.4.2 */
static void a_change_that_is_refused_changes_nothing(struct kunit *test)
{
	static const struct {
		struct ib_qp_attr attr;
		int mask;
	} tries[] = {
		{ { .qp_state = IB_QPS_RTS }, IB_QP_STATE },
		{ { .qp_state = IB_QPS_INIT, .port_num = 2 }, INIT_MASK },
		{ { .qp_state = IB_QPS_INIT, .port_num = 1, .pkey_index = 1 }, INIT_MASK },
		{ { .qp_state = IB_QPS_INIT, .port_num = 1, .qp_access_flags = ~0 }, INIT_MASK },
		{ { .qp_state = IB_QPS_INIT, .port_num = 1, .cur_qp_state = IB_QPS_INIT },
		  INIT_MASK | IB_QP_CUR_STATE },
	};
	struct ib_qp *qp = make_good_qp(test, IB_QPT_RC);
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;

	for (int i = 0; i < ARRAY_SIZE(tries); i++) {
		attr = tries[i].attr;
		KUNIT_EXPECT_EQ_MSG(test, ops_of(test)->modify_qp(qp, &attr, tries[i].mask, NULL),
				    -EINVAL, "try %d", i);
		memset(&attr, 0xff, sizeof(attr));
		KUNIT_EXPECT_EQ(test, ops_of(test)->query_qp(qp, &attr, 0, &init), 0);
		KUNIT_EXPECT_EQ(test, attr.qp_state, IB_QPS_RESET);
		KUNIT_EXPECT_EQ(test, attr.qp_access_flags, 0);
		KUNIT_EXPECT_EQ(test, attr.port_num, SRNIC_PORT);
	}
	ops_of(test)->destroy_qp(qp, NULL);
}

static void a_queue_pair_says_what_was_asked_for_until_it_is_reset(struct kunit *test)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT, .port_num = 1, .qp_access_flags = REMOTE_RIGHTS,
	};
	struct ib_qp *qp = make_good_qp(test, IB_QPT_RC);
	struct ib_qp_init_attr init;

	KUNIT_EXPECT_EQ(test, ops_of(test)->modify_qp(qp, &attr, INIT_MASK, NULL), 0);
	ops_of(test)->query_qp(qp, &attr, 0, &init);
	KUNIT_EXPECT_EQ(test, attr.qp_state, IB_QPS_INIT);
	KUNIT_EXPECT_EQ(test, attr.qp_access_flags, REMOTE_RIGHTS);
	KUNIT_EXPECT_GE(test, attr.cap.max_send_wr, WR);

	attr = (struct ib_qp_attr){ .qp_state = IB_QPS_RESET };
	KUNIT_EXPECT_EQ(test, ops_of(test)->modify_qp(qp, &attr, IB_QP_STATE, NULL), 0);
	ops_of(test)->query_qp(qp, &attr, 0, &init);
	KUNIT_EXPECT_EQ(test, attr.qp_state, IB_QPS_RESET);
	KUNIT_EXPECT_EQ(test, attr.qp_access_flags, 0);
	ops_of(test)->destroy_qp(qp, NULL);
}

/* IBA 10.8.3.1 and 10.8.3.2: RESET takes no requests, INIT takes receives only */
static void work_requests_are_taken_in_the_states_that_allow_them(struct kunit *test)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT, .port_num = 1 };
	struct ib_qp *qp = make_good_qp(test, IB_QPT_RC);
	const struct ib_send_wr send = { .opcode = IB_WR_SEND };
	const struct ib_recv_wr *bad_recv;
	const struct ib_send_wr *bad_send;
	const struct ib_recv_wr recv = { };

	KUNIT_EXPECT_EQ(test, ops_of(test)->post_recv(qp, &recv, &bad_recv), -EINVAL);
	KUNIT_EXPECT_EQ(test, ops_of(test)->post_send(qp, &send, &bad_send), -EINVAL);
	KUNIT_ASSERT_EQ(test, ops_of(test)->modify_qp(qp, &attr, INIT_MASK, NULL), 0);
	KUNIT_EXPECT_EQ(test, ops_of(test)->post_recv(qp, &recv, &bad_recv), 0);
	KUNIT_EXPECT_EQ(test, ops_of(test)->post_send(qp, &send, &bad_send), -EINVAL);
	KUNIT_EXPECT_PTR_EQ(test, bad_send, &send);
	ops_of(test)->destroy_qp(qp, NULL);
}

/* ------------------------------------------------------- regions and windows */

static void R18_regions_and_windows_are_counted_and_given_back(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mw *mw = zeroed(test, sizeof(*mw));
	struct ib_mr *mr = ops_of(test)->alloc_mr(w->pd, IB_MR_TYPE_MEM_REG, 4);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mr);
	mw->ib.device = &w->dev->ib;
	mw->ib.pd = w->pd;
	mw->ib.type = IB_MW_TYPE_2;
	KUNIT_ASSERT_EQ(test, ops_of(test)->alloc_mw(&mw->ib, NULL), 0);
	KUNIT_EXPECT_EQ(test, used(test, SRNIC_QUOTA_MR), 1);
	KUNIT_EXPECT_EQ(test, used(test, SRNIC_QUOTA_MW), 1);
	KUNIT_EXPECT_NE(test, mr->rkey >> 8, mw->ib.rkey >> 8);
	KUNIT_EXPECT_EQ(test, ops_of(test)->dealloc_mw(&mw->ib), 0);
	KUNIT_EXPECT_EQ(test, ops_of(test)->dereg_mr(mr, NULL), 0);
	KUNIT_EXPECT_EQ(test, used(test, SRNIC_QUOTA_MR), 0);
	KUNIT_EXPECT_EQ(test, used(test, SRNIC_QUOTA_MW), 0);
}

static void fast_registration_has_the_types_and_sizes_that_there_are(struct kunit *test)
{
	static const struct {
		enum ib_mr_type type;
		u32 max_sg;
		int want;
	} tries[] = {
		{ IB_MR_TYPE_MEM_REG, 0, -EINVAL },
		{ IB_MR_TYPE_MEM_REG, SRNIC_MAX_FRMR_PAGES + 1, -EINVAL },
		{ IB_MR_TYPE_SG_GAPS, 0, -EINVAL },
		{ IB_MR_TYPE_SG_GAPS, SRNIC_MAX_FRMR_PAGES + 1, -EINVAL },
		{ IB_MR_TYPE_INTEGRITY, 1, -EOPNOTSUPP },
		{ IB_MR_TYPE_MEM_REG, SRNIC_MAX_FRMR_PAGES, 0 },
		{ IB_MR_TYPE_SG_GAPS, SRNIC_MAX_FRMR_PAGES, 0 },
	};
	struct world *w = test->priv;

	for (int i = 0; i < ARRAY_SIZE(tries); i++) {
		struct ib_mr *mr = ops_of(test)->alloc_mr(w->pd, tries[i].type, tries[i].max_sg);

		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR_OR_ZERO(mr), tries[i].want, "try %d", i);
		if (!IS_ERR(mr))
			ops_of(test)->dereg_mr(mr, NULL);
	}
	KUNIT_EXPECT_EQ(test, used(test, SRNIC_QUOTA_MR), 0);
}

static void a_region_over_all_memory_is_not_durable(struct kunit *test)
{
	struct world *w = test->priv;
	struct ib_mr *mr = ops_of(test)->get_dma_mr(w->pd, IB_ACCESS_FLUSH_PERSISTENT);

	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(mr), -EINVAL);
	mr = ops_of(test)->get_dma_mr(w->pd, IB_ACCESS_REMOTE_WRITE);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(mr), -EINVAL);
	mr = ops_of(test)->get_dma_mr(w->pd, IB_ACCESS_LOCAL_WRITE);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mr);
	KUNIT_EXPECT_EQ(test, ops_of(test)->dereg_mr(mr, NULL), 0);
}

/* ---------------------------------------------- addresses, groups, the device */

static void addresses_are_checked(struct kunit *test)
{
	static const struct rdma_ah_attr tries[] = {
		{ .type = RDMA_AH_ATTR_TYPE_ROCE, .port_num = 1 },	/* no GRH */
		{ .type = RDMA_AH_ATTR_TYPE_ROCE, .port_num = 2, .ah_flags = IB_AH_GRH },
		{ .type = RDMA_AH_ATTR_TYPE_OPA, .port_num = 1, .ah_flags = IB_AH_GRH },
		{ .type = RDMA_AH_ATTR_TYPE_ROCE, .port_num = 1, .ah_flags = IB_AH_GRH },
	};
	struct world *w = test->priv;
	struct srnic_ibah *ah = zeroed(test, sizeof(*ah));

	ah->ib.device = &w->dev->ib;
	ah->ib.pd = w->pd;
	for (int i = 0; i < ARRAY_SIZE(tries); i++) {
		struct rdma_ah_attr attr = tries[i];
		struct rdma_ah_init_attr init = { .ah_attr = &attr };

		KUNIT_EXPECT_EQ_MSG(test, ops_of(test)->create_ah(&ah->ib, &init, NULL), -EINVAL,
				    "try %d", i);
		KUNIT_EXPECT_EQ(test, used(test, SRNIC_QUOTA_AH), 0);
	}
}

static void only_groups_are_attached_to(struct kunit *test)
{
	union ib_gid host = { .raw = { [10] = 0xff, 0xff, 10, 77, 0, 1 } };
	struct ib_qp *qp = make_good_qp(test, IB_QPT_UD);

	KUNIT_EXPECT_EQ(test, ops_of(test)->attach_mcast(qp, &host, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, used(test, SRNIC_QUOTA_MCAST), 0);
	KUNIT_EXPECT_EQ(test, used(test, SRNIC_QUOTA_MCAST_QP), 0);
	KUNIT_EXPECT_EQ(test, ops_of(test)->detach_mcast(qp, &host, 0), -EINVAL);
	ops_of(test)->destroy_qp(qp, NULL);
}

static void capabilities_are_the_limits_that_are_enforced(struct kunit *test)
{
	struct ib_udata none = { }, some = { .outlen = 8 };
	struct world *w = test->priv;
	struct ib_device_attr attr;

	srnic_quota_set(&w->dev->guard, SRNIC_QUOTA_QP, 77, 0);
	KUNIT_ASSERT_EQ(test, ops_of(test)->query_device(&w->dev->ib, &attr, &none), 0);
	KUNIT_EXPECT_EQ(test, attr.max_qp, 77);
	KUNIT_EXPECT_EQ(test, attr.max_cqe, SRNIC_MAX_CQE);
	KUNIT_EXPECT_EQ(test, attr.max_qp_wr, SRNIC_MAX_QP_WR);
	KUNIT_EXPECT_EQ(test, attr.max_srq_wr, SRNIC_MAX_SRQ_WR);
	KUNIT_EXPECT_EQ(test, ops_of(test)->query_device(&w->dev->ib, &attr, &some), -EINVAL);
}

static void counters_are_of_one_port(struct kunit *test)
{
	struct world *w = test->priv;
	struct rdma_hw_stats *stats = ops_of(test)->alloc_hw_port_stats(&w->dev->ib, SRNIC_PORT);

	KUNIT_ASSERT_NOT_NULL(test, stats);
	srnic_count(w->dev, quota_refused);
	KUNIT_EXPECT_EQ(test, ops_of(test)->get_hw_stats(&w->dev->ib, stats, SRNIC_PORT, 0),
			SRNIC_STAT_COUNT);
	KUNIT_EXPECT_EQ(test, stats->value[SRNIC_STAT_quota_refused], 1);
	KUNIT_EXPECT_STREQ(test, stats->descs[SRNIC_STAT_quota_refused].name, "quota_refused");
	KUNIT_EXPECT_EQ(test, ops_of(test)->get_hw_stats(&w->dev->ib, stats, SRNIC_PORT + 1, 0),
			-EINVAL);
	rdma_free_hw_stats_struct(stats);
}

static bool message_has(const struct sk_buff *msg, const void *bytes, size_t len)
{
	for (size_t i = 0; i + len <= msg->len; i++) {
		if (!memcmp(msg->data + i, bytes, len))
			return true;
	}
	return false;
}

static void details_of_objects_name_no_key(struct kunit *test)
{
	struct world *w = test->priv;
	struct ib_mr *mr = ops_of(test)->alloc_mr(w->pd, IB_MR_TYPE_MEM_REG, 1);
	struct sk_buff *msg = nlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	struct sk_buff *full = nlmsg_new(0, GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mr);
	KUNIT_ASSERT_NOT_NULL(test, msg);
	KUNIT_ASSERT_NOT_NULL(test, full);
	KUNIT_EXPECT_EQ(test, ops_of(test)->fill_res_mr_entry(msg, mr), 0);
	KUNIT_EXPECT_TRUE(test, message_has(msg, "valid", 6));
	KUNIT_EXPECT_FALSE(test, message_has(msg, &mr->rkey, sizeof(mr->rkey)));
	KUNIT_EXPECT_EQ(test, ops_of(test)->fill_res_cq_entry(msg, w->cq), 0);
	KUNIT_EXPECT_TRUE(test, message_has(msg, "waiting", 8));

	skb_put(full, skb_tailroom(full));
	KUNIT_EXPECT_EQ(test, ops_of(test)->fill_res_cq_entry(full, w->cq), -EMSGSIZE);
	kfree_skb(full);
	kfree_skb(msg);
	ops_of(test)->dereg_mr(mr, NULL);
}

static struct kunit_case verbs_cases[] = {
	KUNIT_CASE(R18_domains_are_counted_and_given_back),
	KUNIT_CASE(the_key_of_a_domain_goes_with_it),
	KUNIT_CASE(R21_completion_queues_have_the_sizes_that_guard_allows),
	KUNIT_CASE(R1_a_vector_that_there_is_not_is_refused),
	KUNIT_CASE(a_vector_is_the_processor_that_serves_the_queue),
	KUNIT_CASE(completions_of_a_qp_that_has_gone_are_not_polled),
	KUNIT_CASE(a_request_for_events_reports_what_was_missed),
	KUNIT_CASE(R18_shared_queues_have_the_sizes_that_guard_allows),
	KUNIT_CASE(the_limit_of_a_shared_queue_stays_within_its_size),
	KUNIT_CASE(a_shared_queue_takes_what_fits_and_names_the_rest),
	KUNIT_CASE(R18_queue_pairs_have_the_sizes_that_guard_allows),
	KUNIT_CASE(queue_pairs_are_of_the_types_that_there_are),
	KUNIT_CASE(a_change_that_is_refused_changes_nothing),
	KUNIT_CASE(a_queue_pair_says_what_was_asked_for_until_it_is_reset),
	KUNIT_CASE(work_requests_are_taken_in_the_states_that_allow_them),
	KUNIT_CASE(R18_regions_and_windows_are_counted_and_given_back),
	KUNIT_CASE(fast_registration_has_the_types_and_sizes_that_there_are),
	KUNIT_CASE(a_region_over_all_memory_is_not_durable),
	KUNIT_CASE(addresses_are_checked),
	KUNIT_CASE(only_groups_are_attached_to),
	KUNIT_CASE(capabilities_are_the_limits_that_are_enforced),
	KUNIT_CASE(counters_are_of_one_port),
	KUNIT_CASE(details_of_objects_name_no_key),
	{}
};

static struct kunit_suite verbs_suite = {
	.name = "srnic-verbs",
	.init = verbs_test_init,
	.test_cases = verbs_cases,
};

kunit_test_suite(verbs_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's verbs");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
