// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The two places where one side may sleep: an idle SQ (need_wakeup and the
 * doorbell) and an application waiting for a completion (arm and the event). A
 * thread plays the kernel. Each round offers one item and waits until it is taken, so
 * a lost wake-up shows as a sleep that does not end.
 *
 * Each side delays its sleep or post by a time that varies from round to round; this
 * shifts the two pairs of accesses against each other.
 */
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "fake.h"
#include "test.h"

#define PATIENCE	60	/* seconds after which a sleeper counts as lost */

static _Atomic bool forgotten;

static void dawdle(uint32_t *seed, uint32_t most)
{
	uint32_t i;

	*seed = *seed * 1664525 + 1013904223;
	for (i = (*seed >> 16) % most; i; i--)
		atomic_signal_fence(memory_order_seq_cst);
}

static void sleep_until(sem_t *sem)
{
	struct timespec until;
	int ret;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PATIENCE;
	do {
		ret = sem_timedwait(sem, &until);
	} while (ret && errno == EINTR);
	if (ret)
		forgotten = true;
}

/* Old wake-ups that were not waited for must not end the next sleep. */
static void forget_old(sem_t *sem)
{
	while (!sem_trywait(sem))
		;
}

/* Wait until *@word is @val, on a possibly busy machine. */
static void await(__u32 *word, uint32_t val)
{
	unsigned int spins = 0;

	while (srnic_load_acquire(word) != val && !forgotten)
		if (++spins % 64 == 0)
			sched_yield();
}

/* The kernel's side of an SQ, as in Documentation/abi.md. */
static void *sq_consumer(void *arg)
{
	struct fake_ring *ring = fake_sq(arg);
	_Atomic uint32_t *need_wakeup = (_Atomic uint32_t *)&ring->hdr->need_wakeup;
	uint32_t seed = 1, last = ring->head + test_rounds();
	struct srnic_sq_wqe *wqe;

	atomic_store(need_wakeup, 0);
	while (ring->head != last && !forgotten) {
		wqe = fake_peek(ring);
		if (wqe) {
			CHECK(wqe->wr_id == ring->head);
			fake_take(ring);
			fake_retire(ring);
			dawdle(&seed, 64);
			continue;
		}
		forget_old(&fake.doorbell);
		atomic_store_explicit(need_wakeup, 1, memory_order_relaxed);
		atomic_thread_fence(memory_order_seq_cst);
		if (!fake_peek(ring))
			sleep_until(&fake.doorbell);
		atomic_store_explicit(need_wakeup, 0, memory_order_relaxed);
	}
	return NULL;
}

static void wakeup_doorbell_is_never_lost(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad_wr;
	uint32_t rounds = test_rounds(), seed = 2, i;
	pthread_t kernel;
	struct ibv_qp *qp;

	fake_begin();
	forgotten = false;
	fake.start = -(rounds / 2);		/* wraps half-way */
	qp = fake_create_qp(IBV_QPT_RC, 4, 0);
	pthread_create(&kernel, NULL, sq_consumer, qp);
	for (i = 0; i < rounds && !forgotten; i++) {
		wr.wr_id = fake.start + i;
		CHECK(!srnic_post_send(qp, &wr, &bad_wr));
		await(&to_sqp(qp)->sq.hdr->cons, fake.start + i + 1);
		dawdle(&seed, 64);
	}
	pthread_join(kernel, NULL);
	CHECK(!forgotten);
	CHECK(fake.doorbells > 0);
	srnic_destroy_qp(qp);
	fake_end();
}

static sem_t event;

/* The kernel's side of a CQ. */
static void *cq_producer(void *arg)
{
	struct fake_ring *ring = fake_cq(arg);
	uint32_t seed = 3, rounds = test_rounds(), i;

	for (i = 0; i < rounds && !forgotten; i++) {
		const struct srnic_cqe cqe = { .wr_id = i };

		if (fake_complete(ring, &cqe, false))
			sem_post(&event);
		await(&ring->hdr->cons, ring->head);
		dawdle(&seed, 64);
	}
	return NULL;
}

/* Use no lock: between arming and polling, it would act as a fence. */
static void wakeup_event_is_never_lost(void)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 4,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
		.flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED,
	};
	uint32_t rounds = test_rounds(), seed = 4, events = 0;
	uint64_t expected = 0;
	struct ibv_wc wc;
	pthread_t kernel;
	struct ibv_cq *cq;

	fake_begin();
	forgotten = false;
	sem_init(&event, 0, 0);
	fake.start = -(rounds / 2);
	cq = ibv_cq_ex_to_cq(srnic_create_cq_ex(&fake.ctx.vctx.context, &attr));
	pthread_create(&kernel, NULL, cq_producer, cq);
	while (expected < rounds && !forgotten) {
		if (srnic_poll_cq(cq, 1, &wc)) {
			CHECK(wc.wr_id == expected++);
			dawdle(&seed, 64);
			continue;
		}
		forget_old(&event);
		srnic_req_notify_cq(cq, 0);
		if (srnic_poll_cq(cq, 1, &wc)) {
			CHECK(wc.wr_id == expected++);
			continue;
		}
		sleep_until(&event);
		events++;
	}
	pthread_join(kernel, NULL);
	CHECK(!forgotten);
	CHECK(events > 0);
	srnic_destroy_cq(cq);
	sem_destroy(&event);
	fake_end();
}

/* Two threads post, one consumes: each thread's requests arrive whole and in order. */
#define POSTERS	2

static void *poster(void *arg)
{
	struct ibv_qp *qp = arg;
	static _Atomic uint64_t ids;
	struct ibv_send_wr wr[3] = {}, *bad_wr, *from;
	uint32_t rounds = test_rounds() / 20, i;
	uint64_t id = atomic_fetch_add(&ids, 1) % POSTERS << 32;

	for (i = 0; i < 3; i++) {
		wr[i].opcode = IBV_WR_SEND;
		wr[i].next = i < 2 ? &wr[i + 1] : NULL;
	}
	while (rounds-- && !forgotten) {
		for (i = 0; i < 3; i++)
			wr[i].wr_id = id++;
		for (from = wr; srnic_post_send(qp, from, &bad_wr) == ENOMEM; from = bad_wr)
			sched_yield();
	}
	return NULL;
}

static void wakeup_two_posters_share_a_qp(void)
{
	uint64_t total = (uint64_t)POSTERS * 3 * (test_rounds() / 20), n = 0;
	uint32_t next[POSTERS] = {};
	pthread_t thread[POSTERS];
	struct srnic_sq_wqe *wqe;
	struct ibv_qp *qp;
	int i;

	fake_begin();
	forgotten = false;
	qp = fake_create_qp(IBV_QPT_RC, 16, 0);
	for (i = 0; i < POSTERS; i++)
		pthread_create(&thread[i], NULL, poster, qp);
	while (n < total) {
		wqe = fake_peek(fake_sq(qp));
		if (!wqe) {
			sched_yield();
			continue;
		}
		CHECK((uint32_t)wqe->wr_id == next[wqe->wr_id >> 32 & 1]++);
		fake_take(fake_sq(qp));
		fake_retire(fake_sq(qp));
		n++;
	}
	for (i = 0; i < POSTERS; i++)
		pthread_join(thread[i], NULL);
	CHECK(!fake_peek(fake_sq(qp)));
	srnic_destroy_qp(qp);
	fake_end();
}

const struct test_case wakeup_tests[] = {
	TEST(wakeup_doorbell_is_never_lost),
	TEST(wakeup_event_is_never_lost),
	TEST(wakeup_two_posters_share_a_qp),
	{},
};
