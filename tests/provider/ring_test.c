// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ring.h by itself: free-running indices and their wrap, full and empty rings, arming.
 */
#include "fake.h"
#include "test.h"

#define ENTRIES	8

static void fill_to_limit(uint32_t start, uint32_t limit)
{
	struct srnic_ring user = {};
	struct fake_ring kernel;
	uint32_t i;

	fake_begin();
	fake.start = start;
	fake_ring_make(&kernel, ENTRIES, 16, limit);
	srnic_ring_init_producer(&user, kernel.hdr, &kernel.abi);
	CHECK(!fake_peek(&kernel));

	for (i = 0; i < limit; i++) {
		CHECK(!srnic_ring_full(&user, user.mine));
		CHECK(srnic_ring_slot(&user, user.mine) == fake_slot(&kernel, start + i));
		srnic_ring_produced(&user, user.mine + 1);
	}
	CHECK(srnic_ring_full(&user, user.mine));
	CHECK(kernel.hdr->prod == start + limit);

	for (i = 0; i < limit; i++) {
		CHECK(fake_peek(&kernel) == fake_slot(&kernel, start + i));
		fake_take(&kernel);
	}
	CHECK(!fake_peek(&kernel));
	CHECK(srnic_ring_full(&user, user.mine));	/* consumed, but not retired */
	fake_retire(&kernel);
	CHECK(!srnic_ring_full(&user, user.mine));
	fake_ring_drop(&kernel);
	fake_end();
}

static void ring_fills_and_empties(void)
{
	fill_to_limit(0, ENTRIES);
}

static void ring_is_full_at_limit(void)
{
	fill_to_limit(0, 5);
}

static void ring_wraps_at_2_32(void)
{
	fill_to_limit(UINT32_MAX - 2, ENTRIES);
	fill_to_limit(UINT32_MAX, 1);
	fill_to_limit(UINT32_MAX - 4, 5);
}

/* Batches of each size, across the wrap of index and ring: nothing is lost or altered. */
static void ring_carries_batches(void)
{
	struct srnic_ring user = {};
	struct fake_ring kernel;
	uint64_t sent = 0, seen = 0;
	uint32_t batch, n;

	fake_begin();
	fake.start = UINT32_MAX - 100;
	fake_ring_make(&kernel, ENTRIES, 16, 7);
	srnic_ring_init_producer(&user, kernel.hdr, &kernel.abi);
	for (batch = 0; sent < 1000; batch = (batch + 1) % 9) {
		for (n = 0; n < batch && !srnic_ring_full(&user, user.mine + n); n++)
			*(uint64_t *)srnic_ring_slot(&user, user.mine + n) = sent++;
		CHECK(n == (batch < 7 ? batch : 7));
		srnic_ring_produced(&user, user.mine + n);
		for (; fake_peek(&kernel); fake_take(&kernel))
			CHECK(*(uint64_t *)fake_peek(&kernel) == seen++);
		fake_retire(&kernel);
	}
	CHECK(sent == seen);
	fake_ring_drop(&kernel);
	fake_end();
}

static void ring_completions_wrap(void)
{
	struct srnic_cqe cqe = {}, *slot;
	struct srnic_ring user = {};
	struct fake_ring kernel = {};
	uint32_t round, i;

	fake_begin();
	fake.start = UINT32_MAX - 20;
	fake_ring_make(&kernel, ENTRIES, sizeof(cqe), ENTRIES);
	srnic_ring_init_consumer(&user, kernel.hdr, &kernel.abi);
	CHECK(!srnic_ring_ready(&user, 1));
	for (round = 0; round < 40; round++) {
		for (i = 0; i < round % (ENTRIES + 1); i++, cqe.wr_id++)
			fake_complete(&kernel, &cqe, false);
		CHECK(srnic_ring_ready(&user, 100) == i);
		for (; i; i--) {
			slot = srnic_ring_slot(&user, user.mine++);
			CHECK(slot->wr_id == cqe.wr_id - i);
		}
		srnic_ring_consumed(&user);
		CHECK(!srnic_ring_ready(&user, 1));
	}
	fake_ring_drop(&kernel);
	fake_end();
}

static void ring_arm_only_widens(void)
{
	struct srnic_ring_hdr hdr = {};
	struct srnic_ring user = { .hdr = &hdr };

	srnic_ring_arm(&user, SRNIC_ARM_SOLICITED);
	CHECK(hdr.arm == SRNIC_ARM_SOLICITED);
	srnic_ring_arm(&user, SRNIC_ARM_NEXT);
	CHECK(hdr.arm == SRNIC_ARM_NEXT);
	srnic_ring_arm(&user, SRNIC_ARM_SOLICITED);
	CHECK(hdr.arm == SRNIC_ARM_NEXT);
}

static void ring_refuses_nonsense(void)
{
	const struct srnic_abi_ring good = {
		.size = 4096, .entries = 32, .stride = 64, .limit = 20,
	};
	struct srnic_abi_ring bad;

	CHECK(srnic_ring_fits(&good, 64));
	CHECK(!srnic_ring_fits(&good, 72));
	bad = good;
	bad.entries = 0;
	CHECK(!srnic_ring_fits(&bad, 64));
	bad.entries = 24;
	CHECK(!srnic_ring_fits(&bad, 64));
	bad.entries = 64;
	CHECK(!srnic_ring_fits(&bad, 64));	/* 256 + 64 * 64 > 4096 */
	bad.entries = 1U << 31;
	CHECK(!srnic_ring_fits(&bad, 64));	/* overflow must not hide it */
	bad = good;
	bad.limit = 33;
	CHECK(!srnic_ring_fits(&bad, 64));
	bad = good;
	bad.stride = 68;
	CHECK(!srnic_ring_fits(&bad, 64));
}

const struct test_case ring_tests[] = {
	TEST(ring_fills_and_empties),
	TEST(ring_is_full_at_limit),
	TEST(ring_wraps_at_2_32),
	TEST(ring_carries_batches),
	TEST(ring_completions_wrap),
	TEST(ring_arm_only_widens),
	TEST(ring_refuses_nonsense),
	{},
};
