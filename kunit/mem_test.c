// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of mem: keys, regions, windows, and access checks to the byte. R
 * numbers are the rows of Documentation/security/rfc5042.md.
 */
#include <kunit/test.h>
#include <linux/bitmap.h>
#include <linux/bottom_half.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "srnic.h"
#include "mem/mem.h"
#include "mem/memcpy.h"
#include "queue/queue.h"
#include "sth/sth.h"

#define ALL_RIGHTS	(IB_ACCESS_LOCAL_WRITE | SRNIC_ACCESS_REMOTE | IB_ACCESS_MW_BIND)
#define REMOTE_WRITE_RIGHTS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
				 IB_ACCESS_REMOTE_READ)
#define IOVA		0x7f0000001234ULL
#define LENGTH		10000		/* more than two pages */
#define KEYS		100000

/**
 * struct world - A device with two protection domains, not registered with the core
 * @dev: the device, for its table of keys
 * @pd: the domains
 * @qp: streams of two QPs in pd[0] and of one in pd[1]; of kernel consumers
 */
struct world {
	struct srnic_dev dev;
	struct srnic_pd pd[2];
	struct srnic_mem_stream qp[3];
};

static void end_world(void *arg)
{
	struct world *w = arg;

	srnic_stag_table_exit(&w->dev);
}

static int mem_test_init(struct kunit *test)
{
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, w);
	KUNIT_ASSERT_EQ(test, srnic_stag_table_init(&w->dev), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, end_world, w), 0);
	for (int i = 0; i < 2; i++) {
		w->pd[i].ib.device = &w->dev.ib;
		spin_lock_init(&w->pd[i].lock);
	}
	for (int i = 0; i < 3; i++) {
		w->qp[i].pd = &w->pd[i / 2];
		w->qp[i].qpn = 16 + i;
		INIT_LIST_HEAD(&w->qp[i].stags);
	}
	test->priv = w;
	return 0;
}

/* ----------------------------------------------------------------- fixtures */

static void free_mr(void *arg)
{
	struct srnic_mr *mr = arg;
	struct world *w = container_of(mr->stag.pd, struct world, pd[0]);

	srnic_stag_quiesce(&mr->stag);
	srnic_stag_remove(&w->dev, &mr->stag);
	srnic_map_release(&mr->map);
	srnic_map_release(&mr->next_map);
	synchronize_rcu();
}

static struct srnic_mr *new_mr(struct kunit *test, enum srnic_stag_kind kind)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = kunit_kzalloc(test, sizeof(*mr), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, mr);
	srnic_stag_init(&mr->stag, kind, &w->pd[0]);
	mr->stag.mr = mr;
	KUNIT_ASSERT_EQ(test, srnic_stag_insert(&w->dev, &mr->stag), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, free_mr, mr), 0);
	return mr;
}

/*
 * Create a region like reg_user_mr does, from pages that are not contiguous.
 * The value of each byte is a function of its position in the region.
 */
static struct srnic_mr *new_region(struct kunit *test, u64 iova, u64 length, u32 access)
{
	struct srnic_mr *mr = new_mr(test, SRNIC_STAG_USER);
	u32 pages = PFN_UP(length + offset_in_page(iova));
	u8 *memory = kunit_kzalloc(test, (pages + 1) * PAGE_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, memory);
	KUNIT_ASSERT_EQ(test, srnic_map_alloc(&mr->map, pages), 0);
	memory = PTR_ALIGN(memory, PAGE_SIZE);
	mr->map.count = pages;
	mr->map.shift = PAGE_SHIFT;
	for (u32 i = 0; i < pages; i++)
		mr->map.blocks[i] = memory + (pages - 1 - i) * PAGE_SIZE;

	mr->stag.iova = iova;
	mr->stag.length = length;
	mr->stag.offset = offset_in_page(iova);
	mr->stag.access = access;
	srnic_stag_publish(&mr->stag);
	return mr;
}

static void free_device_memory(void *pages)
{
	srnic_pages_free(pages);
}

/* Create a region like reg_dm_mr does: from some byte of device memory on. */
static struct srnic_mr *new_device_region(struct kunit *test, u32 offset, u32 length, u32 access)
{
	struct srnic_pages *pages = kunit_kzalloc(test, sizeof(*pages), GFP_KERNEL);
	u32 first = PHYS_PFN(offset), end = PFN_UP(offset + length);
	struct srnic_mr *mr;

	KUNIT_ASSERT_NOT_NULL(test, pages);
	KUNIT_ASSERT_EQ(test, srnic_pages_alloc(pages, end + 1), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, free_device_memory, pages), 0);
	mr = new_mr(test, SRNIC_STAG_DEVICE);
	KUNIT_ASSERT_EQ(test, srnic_map_pages(&mr->map, &pages->page[first], end - first), 0);
	mr->stag.length = length;
	mr->stag.offset = offset_in_page(offset);
	mr->stag.access = access | IB_ZERO_BASED;
	srnic_stag_publish(&mr->stag);
	return mr;
}

static u8 *region_byte(struct srnic_mr *mr, u64 at)
{
	u64 off = mr->stag.offset + at;

	return mr->map.blocks[off >> PAGE_SHIFT] + offset_in_page(off);
}

static enum srnic_mem_status try(struct srnic_mem_stream *qp, u32 key, u64 va, u64 len,
				 u32 rights, bool local)
{
	const struct srnic_access access = {
		.key = key, .rights = rights, .va = va, .len = len, .local = local,
	};
	enum srnic_mem_status status;
	struct srnic_mem_ref ref;

	local_bh_disable();
	status = srnic_mem_get(qp, &access, &ref);
	if (!status)
		srnic_mem_put(&ref);
	local_bh_enable();
	return status;
}

#define read_status(qp, key, va, len)	try(qp, key, va, len, IB_ACCESS_REMOTE_READ, false)

static void free_window(void *arg)
{
	struct srnic_stag *window = arg;
	struct world *w = container_of(window->pd, struct world, pd[0]);

	srnic_stag_remove(&w->dev, window);
	srnic_window_retire(window);
	synchronize_rcu();
}

static struct srnic_stag *new_window(struct kunit *test, enum srnic_stag_kind kind)
{
	struct world *w = test->priv;
	struct srnic_stag *window = kunit_kzalloc(test, sizeof(*window), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, window);
	srnic_stag_init(window, kind, &w->pd[0]);
	KUNIT_ASSERT_EQ(test, srnic_stag_insert(&w->dev, window), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, free_window, window), 0);
	return window;
}

static u32 next_variant(u32 key)
{
	return (key & ~0xffU) | ((key + 1) & 0xff);
}

static int bind(struct srnic_mem_stream *qp, struct srnic_stag *window, struct srnic_mr *mr,
		u64 addr, u64 length, u32 access)
{
	const struct srnic_abi_bind wanted = {
		.addr = addr,
		.length = length,
		.mr_lkey = mr->stag.key,
		.mw_rkey = window->key,
		.new_rkey = next_variant(window->key),
		.access = access,
	};
	int err;

	local_bh_disable();
	err = srnic_mem_bind(qp, &wanted);
	local_bh_enable();
	return err;
}

static int invalidate(struct srnic_mem_stream *qp, u32 key, enum srnic_inv_by by)
{
	int err;

	local_bh_disable();
	err = srnic_mem_invalidate(qp, key, by);
	local_bh_enable();
	return err;
}

/* ------------------------------------------------------------------- bounds */

static void R10_region_ends_at_its_first_and_its_last_byte(struct kunit *test)
{
	static const s64 steps[] = { -4097, -2, -1, 0, 1, 2, 4097 };
	struct world *w = test->priv;
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);

	for (int i = 0; i < ARRAY_SIZE(steps); i++) {
		for (int j = 0; j < ARRAY_SIZE(steps); j++) {
			s64 first = steps[i];
			s64 end = LENGTH + steps[j];
			bool inside = first >= 0 && end <= LENGTH;

			KUNIT_EXPECT_EQ_MSG(test, read_status(&w->qp[0], mr->stag.key, IOVA + first,
							      end - first),
					    inside ? SRNIC_MEM_OK : SRNIC_MEM_BOUNDS,
					    "bytes %lld to %lld", first, end);
		}
	}
}

static void R10_single_bytes_at_both_ends(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	u32 key = mr->stag.key;

	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], key, IOVA - 1, 1), SRNIC_MEM_BOUNDS);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], key, IOVA, 1), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], key, IOVA + LENGTH - 1, 1), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], key, IOVA + LENGTH, 1), SRNIC_MEM_BOUNDS);
}

static void R10_sums_that_wrap_reach_nothing(struct kunit *test)
{
	static const u64 lengths[] = { 1, 2, LENGTH, LENGTH + 1, 1ULL << 31, 1ULL << 32,
				       1ULL << 63, U64_MAX - 1, U64_MAX };
	struct world *w = test->priv;
	struct srnic_mr *low = new_region(test, 0, LENGTH, ALL_RIGHTS);
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);

	for (int i = 0; i < ARRAY_SIZE(lengths); i++) {
		u64 len = lengths[i];

		/* the end, modulo 2^64, lies inside the region */
		KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], low->stag.key, 5 - len, len),
				len <= 5 ? SRNIC_MEM_OK : SRNIC_MEM_BOUNDS);
		KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], mr->stag.key, U64_MAX, len),
				SRNIC_MEM_BOUNDS);
		if (len > LENGTH)
			KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], mr->stag.key, IOVA, len),
					SRNIC_MEM_BOUNDS);
	}
}

static void R10_region_may_end_at_the_end_of_all_addresses(struct kunit *test)
{
	struct world *w = test->priv;
	u64 iova = 0 - (u64)LENGTH;
	struct srnic_mr *mr = new_region(test, iova, LENGTH, ALL_RIGHTS);
	u32 key = mr->stag.key;

	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], key, iova, LENGTH), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], key, U64_MAX, 1), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], key, U64_MAX, 2), SRNIC_MEM_BOUNDS);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], key, iova - 1, 1), SRNIC_MEM_BOUNDS);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], key, 0, 1), SRNIC_MEM_BOUNDS);
}

/* --------------------------------------------------- domains, rights, keys */

static void R7_key_of_another_domain_is_refused(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	struct srnic_mem_stream *stranger = &w->qp[2];
	u32 key = mr->stag.key;

	KUNIT_EXPECT_EQ(test, read_status(&w->qp[1], key, IOVA, 1), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, read_status(stranger, key, IOVA, 1), SRNIC_MEM_PD);
	KUNIT_EXPECT_EQ(test, try(stranger, key, IOVA, 1, IB_ACCESS_REMOTE_WRITE, false),
			SRNIC_MEM_PD);
	KUNIT_EXPECT_EQ(test, try(stranger, key, IOVA, 8, IB_ACCESS_REMOTE_ATOMIC, false),
			SRNIC_MEM_PD);
	KUNIT_EXPECT_EQ(test, try(stranger, key, IOVA, 1, 0, true), SRNIC_MEM_PD);
	KUNIT_EXPECT_EQ(test, try(stranger, key, IOVA, 1, IB_ACCESS_LOCAL_WRITE, true),
			SRNIC_MEM_PD);
}

static void R16_each_right_allows_what_it_names_and_no_more(struct kunit *test)
{
	static const u32 rights[] = { IB_ACCESS_LOCAL_WRITE, IB_ACCESS_REMOTE_READ,
				      IB_ACCESS_REMOTE_WRITE, IB_ACCESS_REMOTE_ATOMIC,
				      IB_ACCESS_FLUSH_GLOBAL, IB_ACCESS_FLUSH_PERSISTENT };
	struct world *w = test->priv;

	for (u32 set = 0; set < 1 << ARRAY_SIZE(rights); set++) {
		struct srnic_mr *mr;
		u32 access = 0;

		for (int i = 0; i < ARRAY_SIZE(rights); i++)
			access |= set & 1 << i ? rights[i] : 0;
		mr = new_region(test, IOVA, LENGTH, access);

		for (int i = 0; i < ARRAY_SIZE(rights); i++)
			KUNIT_EXPECT_EQ_MSG(test, try(&w->qp[0], mr->stag.key, IOVA, 8, rights[i],
						      rights[i] == IB_ACCESS_LOCAL_WRITE),
					    set & 1 << i ? SRNIC_MEM_OK : SRNIC_MEM_ACCESS,
					    "right %#x of %#x", rights[i], access);
		/* local reads are always allowed */
		KUNIT_EXPECT_EQ(test, try(&w->qp[0], mr->stag.key, IOVA, 8, 0, true), SRNIC_MEM_OK);
	}
}

static void R10_R16_what_is_held_is_checked_as_if_it_were_not(struct kunit *test)
{
	static const struct {
		s64 at;
		u64 len;
		u32 rights;
		u32 variant;
		enum srnic_mem_status want;
	} tries[] = {
		{ 0, LENGTH, IB_ACCESS_REMOTE_READ, 0, SRNIC_MEM_OK },
		{ LENGTH - 1, 1, IB_ACCESS_REMOTE_READ, 0, SRNIC_MEM_OK },
		{ LENGTH, 1, IB_ACCESS_REMOTE_READ, 0, SRNIC_MEM_BOUNDS },
		{ -1, 1, IB_ACCESS_REMOTE_READ, 0, SRNIC_MEM_BOUNDS },
		{ 1, LENGTH, IB_ACCESS_REMOTE_READ, 0, SRNIC_MEM_BOUNDS },
		{ 1, U64_MAX, IB_ACCESS_REMOTE_READ, 0, SRNIC_MEM_BOUNDS },
		{ 0, 8, IB_ACCESS_REMOTE_WRITE, 0, SRNIC_MEM_ACCESS },
		{ 0, 8, IB_ACCESS_REMOTE_READ, 1, SRNIC_MEM_INVALID },
		{ 0, 8, IB_ACCESS_REMOTE_READ, 0, SRNIC_MEM_OK },
	};
	enum srnic_mem_status got[ARRAY_SIZE(tries)];
	struct world *w = test->priv;
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, IB_ACCESS_REMOTE_READ);
	struct srnic_mr *other = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	struct srnic_access access = {
		.key = other->stag.key, .rights = IB_ACCESS_REMOTE_READ, .va = IOVA, .len = 8,
	};
	struct srnic_mem_cache cache = { };
	int counts[4];

	local_bh_disable();
	for (int i = 0; i < ARRAY_SIZE(tries); i++) {
		const struct srnic_access one = {
			.key = mr->stag.key ^ tries[i].variant,
			.rights = tries[i].rights,
			.va = IOVA + tries[i].at,
			.len = tries[i].len,
		};

		got[i] = srnic_mem_get_cached(&w->qp[0], &one, &cache);
	}
	counts[0] = atomic_read(&mr->stag.active) - SRNIC_STAG_VALID;
	srnic_mem_get_cached(&w->qp[0], &access, &cache);
	counts[1] = atomic_read(&mr->stag.active) - SRNIC_STAG_VALID;
	counts[2] = atomic_read(&other->stag.active) - SRNIC_STAG_VALID;
	srnic_mem_cache_drop(&cache);
	counts[3] = atomic_read(&other->stag.active) - SRNIC_STAG_VALID;
	local_bh_enable();

	for (int i = 0; i < ARRAY_SIZE(tries); i++)
		KUNIT_EXPECT_EQ_MSG(test, got[i], tries[i].want, "try %d", i);
	KUNIT_EXPECT_EQ(test, counts[0], 1);
	KUNIT_EXPECT_EQ(test, counts[1], 0);
	KUNIT_EXPECT_EQ(test, counts[2], 1);
	KUNIT_EXPECT_EQ(test, counts[3], 0);
}

static void all_32_bits_of_a_key_count(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);

	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], mr->stag.key, IOVA, 1), SRNIC_MEM_OK);
	for (int bit = 0; bit < 32; bit++)
		KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], mr->stag.key ^ 1U << bit, IOVA, 1),
				SRNIC_MEM_INVALID);
}

static void R28_local_dma_key_is_a_kernel_consumers_alone(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mem_stream *user = &w->qp[1];
	u64 va = (uintptr_t)&w->pd;

	user->user = true;
	KUNIT_EXPECT_EQ(test, try(&w->qp[0], SRNIC_DMA_LKEY, va, 8, 0, true), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, try(user, SRNIC_DMA_LKEY, va, 8, 0, true), SRNIC_MEM_INVALID);
	KUNIT_EXPECT_EQ(test, try(user, SRNIC_DMA_LKEY, va, 8, IB_ACCESS_LOCAL_WRITE, true),
			SRNIC_MEM_INVALID);
	/* R_Key rules refuse it even on behalf of a kernel consumer */
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], SRNIC_DMA_LKEY, va, 8), SRNIC_MEM_INVALID);
	KUNIT_EXPECT_EQ(test, read_status(user, SRNIC_DMA_LKEY, va, 8), SRNIC_MEM_INVALID);
}

static void region_at_rest_is_not_accessible(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);

	KUNIT_EXPECT_EQ(test, srnic_region_retire(mr), 0);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], mr->stag.key, IOVA, 1), SRNIC_MEM_INVALID);
	srnic_stag_publish(&mr->stag);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], mr->stag.key, IOVA, 1), SRNIC_MEM_OK);
}

static void rights_that_cannot_be_granted_are_refused(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, srnic_region_check_access(0), 0);
	KUNIT_EXPECT_EQ(test, srnic_region_check_access(ALL_RIGHTS), 0);
	KUNIT_EXPECT_EQ(test, srnic_region_check_access(IB_ACCESS_REMOTE_READ), 0);
	KUNIT_EXPECT_EQ(test, srnic_region_check_access(IB_ACCESS_RELAXED_ORDERING), 0);
	KUNIT_EXPECT_EQ(test, srnic_region_check_access(IB_ACCESS_REMOTE_WRITE), -EINVAL);
	KUNIT_EXPECT_EQ(test, srnic_region_check_access(IB_ACCESS_REMOTE_ATOMIC), -EINVAL);
	KUNIT_EXPECT_EQ(test, srnic_region_check_access(IB_ACCESS_ON_DEMAND | IB_ACCESS_MW_BIND),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, srnic_region_check_access(SRNIC_ACCESS_FLUSH), 0);
}

/* --------------------------------------------------------------------- keys */

/* Return the key of a registration that is undone at once. */
static u32 a_key(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_stag stag = {};

	srnic_stag_init(&stag, SRNIC_STAG_USER, &w->pd[0]);
	KUNIT_ASSERT_EQ(test, srnic_stag_insert(&w->dev, &stag), 0);
	srnic_stag_remove(&w->dev, &stag);
	return stag.key;
}

static void no_index_comes_twice(struct kunit *test)
{
	unsigned long *seen = bitmap_zalloc(1 << 24, GFP_KERNEL);
	u32 again = 0;

	KUNIT_ASSERT_NOT_NULL(test, seen);
	for (u32 i = 0; i < KEYS; i++) {
		again += __test_and_set_bit(a_key(test) >> 8, seen);
		if (!(i & 1023)) {
			synchronize_rcu();
			cond_resched();
		}
	}
	synchronize_rcu();
	KUNIT_EXPECT_EQ(test, again, 0);
	KUNIT_EXPECT_FALSE(test, test_bit(SRNIC_DMA_LKEY >> 8, seen));
	bitmap_free(seen);
}

static void R9_no_index_comes_back_before_100000_others(struct kunit *test)
{
	no_index_comes_twice(test);
}

static void R9_nor_when_all_have_been_given_out_and_the_order_changes(struct kunit *test)
{
	struct world *w = test->priv;

	w->dev.stag_seq.count = (1 << 24) - KEYS / 2;
	no_index_comes_twice(test);
}

/* each bit is set in half of the keys, and changes between half of the pairs */
static void R9_keys_are_hard_to_predict(struct kunit *test)
{
	u32 n = 20000;
	u32 ones[32] = {}, flips[32] = {};
	u32 last = 0;

	for (u32 i = 0; i < n; i++) {
		u32 key = a_key(test);

		for (int bit = 0; bit < 32; bit++) {
			ones[bit] += key >> bit & 1;
			flips[bit] += (key ^ last) >> bit & 1;
		}
		last = key;
	}
	synchronize_rcu();
	/* 20000 coin tosses: mean 10000, 6 standard deviations of 71 on each side */
	for (int bit = 0; bit < 32; bit++) {
		KUNIT_EXPECT_LT_MSG(test, abs((int)ones[bit] - 10000), 430, "bit %d", bit);
		KUNIT_EXPECT_LT_MSG(test, abs((int)flips[bit] - 10000), 430, "bit %d", bit);
	}
}

#define INDEX_MASK	0xffffffU

static u32 guess_the_next_number(const u32 *last)
{
	return last[0] + 1;
}

static u32 guess_the_same_step(const u32 *last)
{
	return last[0] + (last[0] - last[1]);
}

static u32 guess_a_step_that_grows_evenly(const u32 *last)
{
	return 3 * (last[0] - last[1]) + last[2];
}

static u32 guess_the_same_bits_flipped(const u32 *last)
{
	return last[0] ^ last[1] ^ last[2];
}

/* Invert an odd number modulo 2^32; each step doubles the number of correct bits. */
static u32 inverse_mod_2_32(u32 odd)
{
	u32 x = odd;

	for (int i = 0; i < 4; i++)
		x *= 2 - odd * x;
	return x;
}

/* Predict a linear congruential generator from three outputs. */
static u32 guess_the_same_factor(const u32 *last)
{
	u32 step = last[0] - last[1], former = last[1] - last[2];

	return last[0] + (former & 1 ? step * inverse_mod_2_32(former) * step : step);
}

static const struct guess {
	const char *how;
	u32 (*next)(const u32 *last);
} guesses[] = {
	{ "the next number", guess_the_next_number },
	{ "the same step", guess_the_same_step },
	{ "a step that grows evenly", guess_a_step_that_grows_evenly },
	{ "the same bits flipped", guess_the_same_bits_flipped },
	{ "the same factor", guess_the_same_factor },
};

/*
 * A predictor that learns from the keys seen. For each byte of a key, it
 * predicts the value that has most often followed the last one; for each bit,
 * the value that has most often followed its last eight values.
 */
struct learner {
	u16 followed[4][256][256];
	u8 most[4][256];
	int ones[32][256];
	u8 past[32];
	u32 last;
	u32 bytes_right[4];
	u32 bits_right[32];
};

static void learn_key(struct learner *l, u32 key)
{
	for (int i = 0; i < 4; i++) {
		u8 was = l->last >> 8 * i, is = key >> 8 * i;
		u16 *followed = l->followed[i][was];

		l->bytes_right[i] += l->most[i][was] == is;
		if (++followed[is] > followed[l->most[i][was]])
			l->most[i][was] = is;
	}
	for (int bit = 0; bit < 32; bit++) {
		int *ones = &l->ones[bit][l->past[bit]];
		bool is = key >> bit & 1;

		l->bits_right[bit] += (*ones > 0) == is;
		*ones += is ? 1 : -1;
		l->past[bit] = l->past[bit] << 1 | is;
	}
	l->last = key;
}

/*
 * A random guess comes within 2^15 of a 24-bit index, or hits a byte, once in
 * 256 times: 391 times in 100000, with 6 standard deviations of 119 together.
 * It hits an index more than twice in one of ten million runs.
 */
static void R9_over_100000_keys_no_predictor_beats_chance(struct kunit *test)
{
	u32 near[ARRAY_SIZE(guesses)] = {}, hit[ARRAY_SIZE(guesses)] = {};
	struct learner *l = kvzalloc(sizeof(*l), GFP_KERNEL);
	u32 last[3] = {};

	KUNIT_ASSERT_NOT_NULL(test, l);
	for (u32 i = 0; i < KEYS; i++) {
		u32 key = a_key(test);

		for (int k = 0; k < ARRAY_SIZE(guesses); k++) {
			u32 off = ((key >> 8) - guesses[k].next(last)) & INDEX_MASK;

			hit[k] += !off;
			near[k] += ((off + 0x8000) & INDEX_MASK) < 0x10000;
		}
		learn_key(l, key);
		memmove(&last[1], &last[0], sizeof(last) - sizeof(last[0]));
		last[0] = key >> 8;
		if (!(i & 1023)) {
			synchronize_rcu();
			cond_resched();
		}
	}
	synchronize_rcu();
	for (int k = 0; k < ARRAY_SIZE(guesses); k++) {
		KUNIT_EXPECT_LE_MSG(test, hit[k], 2, "%s", guesses[k].how);
		KUNIT_EXPECT_LE_MSG(test, near[k], 510, "%s", guesses[k].how);
	}
	for (int i = 0; i < 4; i++)
		KUNIT_EXPECT_LE_MSG(test, l->bytes_right[i], 510, "byte %d", i);
	/* mean 50000, 6 standard deviations of 158 */
	for (int bit = 0; bit < 32; bit++)
		KUNIT_EXPECT_LE_MSG(test, l->bits_right[bit], 50949, "bit %d", bit);
	kvfree(l);
}

static void R9_devices_give_out_keys_in_orders_of_their_own(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_dev *other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);
	u32 same = 0;

	KUNIT_ASSERT_NOT_NULL(test, other);
	KUNIT_ASSERT_EQ(test, srnic_stag_table_init(other), 0);
	for (u32 i = 0; i < 1000; i++) {
		struct srnic_stag a = {}, b = {};

		srnic_stag_init(&a, SRNIC_STAG_USER, &w->pd[0]);
		srnic_stag_init(&b, SRNIC_STAG_USER, &w->pd[0]);
		KUNIT_ASSERT_EQ(test, srnic_stag_insert(&w->dev, &a), 0);
		KUNIT_ASSERT_EQ(test, srnic_stag_insert(other, &b), 0);
		same += a.index == b.index;
		srnic_stag_remove(&w->dev, &a);
		srnic_stag_remove(other, &b);
	}
	synchronize_rcu();
	srnic_stag_table_exit(other);
	KUNIT_EXPECT_LT(test, same, 3);
}

/* --------------------------------------------------------------- quiescence */

struct quiescer {
	struct srnic_stag *stag;
	struct completion done;
};

static int quiesce_thread(void *arg)
{
	struct quiescer *q = arg;

	srnic_stag_quiesce(q->stag);
	complete(&q->done);
	return 0;
}

static void R12_invalidation_waits_for_bursts_in_progress(struct kunit *test)
{
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	struct quiescer *q = kunit_kzalloc(test, sizeof(*q), GFP_KERNEL);
	struct task_struct *task;

	KUNIT_ASSERT_NOT_NULL(test, q);
	q->stag = &mr->stag;
	init_completion(&q->done);
	KUNIT_ASSERT_TRUE(test, srnic_stag_get(&mr->stag));
	KUNIT_ASSERT_TRUE(test, srnic_stag_get(&mr->stag));
	task = kthread_run(quiesce_thread, q, "srnic-mem-test");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));

	while (srnic_stag_valid(&mr->stag))
		usleep_range(100, 1000);
	/* no new reference is granted */
	KUNIT_EXPECT_FALSE(test, srnic_stag_get(&mr->stag));
	KUNIT_EXPECT_EQ(test, wait_for_completion_timeout(&q->done, HZ / 20), 0);
	srnic_stag_put(&mr->stag);
	KUNIT_EXPECT_EQ(test, wait_for_completion_timeout(&q->done, HZ / 20), 0);
	srnic_stag_put(&mr->stag);
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&q->done, 300 * HZ), 0);
}

static void R12_refused_accesses_do_not_delay_an_invalidation(struct kunit *test)
{
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);

	srnic_stag_quiesce(&mr->stag);
	for (int i = 0; i < 1000; i++) {
		KUNIT_EXPECT_FALSE(test, srnic_stag_get(&mr->stag));
		KUNIT_EXPECT_EQ(test, atomic_read(&mr->stag.active), 0);
	}
}

/* ------------------------------------------------------------ moving bytes */

static void gathered_bytes_are_the_regions_and_so_is_the_crc(struct kunit *test)
{
	static const struct { u32 at, len; } runs[] = {
		{ 0, 1 }, { 0, LENGTH }, { 3, 4096 }, { 100, 5000 }, { LENGTH - 1, 1 }, { 2763, 2 },
		{ 2764, 4096 },
	};
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	struct srnic_mem_ref ref = { .stag = &mr->stag, .mr = mr };
	u8 *got = kunit_kzalloc(test, LENGTH, GFP_KERNEL);
	u8 *want = kunit_kzalloc(test, LENGTH, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, got);
	KUNIT_ASSERT_NOT_NULL(test, want);
	for (u32 i = 0; i < LENGTH; i++) {
		want[i] = i * 7 + (i >> 8);
		*region_byte(mr, i) = want[i];
	}

	for (int i = 0; i < ARRAY_SIZE(runs); i++) {
		u32 at = runs[i].at, len = runs[i].len;

		memset(got, 0, LENGTH);
		srnic_mem_gather(&ref, IOVA + at, got, len);
		KUNIT_EXPECT_MEMEQ(test, got, want + at, len);
	}
}

static void copies_by_string_instruction_are_whole_and_touch_nothing_else(struct kunit *test)
{
	static const u16 lens[] = { 0, 1, 7, 8, 9, 63, 64, 65, 1000, 4095, 4096, 4097 };
	const u32 room = 4097 + 2;
	u8 *dst = kunit_kzalloc(test, room, GFP_KERNEL);
	u8 *src = kunit_kzalloc(test, room, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, dst);
	KUNIT_ASSERT_NOT_NULL(test, src);
	for (u32 i = 0; i < room; i++)
		src[i] = i * 7 + (i >> 8);
	for (int i = 0; i < ARRAY_SIZE(lens); i++) {
		memset(dst, 0x5a, room);
		srnic_memcpy_string(dst + 1, src, lens[i]);
		KUNIT_EXPECT_MEMEQ(test, dst + 1, src, lens[i]);
		KUNIT_EXPECT_EQ(test, dst[0], 0x5a);
		KUNIT_EXPECT_EQ(test, dst[lens[i] + 1], 0x5a);
	}
}

static void placed_bytes_are_placed_and_no_others(struct kunit *test)
{
	static const struct { u32 at, len; } runs[] = {
		{ 0, 1 }, { 0, LENGTH }, { 3, 4096 }, { 100, 5000 }, { LENGTH - 1, 1 }, { 2763, 2 },
	};
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	struct srnic_mem_ref ref = { .stag = &mr->stag, .mr = mr };
	u8 *src = kunit_kzalloc(test, LENGTH, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, src);
	memset(src, 0x5a, LENGTH);
	for (int i = 0; i < ARRAY_SIZE(runs); i++) {
		u32 wrong = 0;

		for (u32 page = 0; page < mr->map.count; page++)
			memset(mr->map.blocks[page], 0xc3, PAGE_SIZE);
		srnic_mem_place(&ref, IOVA + runs[i].at, src, runs[i].len);
		for (u32 at = 0; at < LENGTH; at++) {
			bool placed = at >= runs[i].at && at < runs[i].at + runs[i].len;

			wrong += *region_byte(mr, at) != (placed ? 0x5a : 0xc3);
		}
		KUNIT_EXPECT_EQ(test, wrong, 0);
	}
}

static void blocks_larger_than_a_page_are_walked_as_such(struct kunit *test)
{
	struct srnic_mr *mr = new_mr(test, SRNIC_STAG_USER);
	struct srnic_mem_ref ref = { .stag = &mr->stag, .mr = mr };
	u8 *memory = kunit_kzalloc(test, 64, GFP_KERNEL);
	u8 got[24];

	KUNIT_ASSERT_NOT_NULL(test, memory);
	KUNIT_ASSERT_EQ(test, srnic_map_alloc(&mr->map, 4), 0);
	/* four blocks of 16 bytes, in reverse order */
	for (int i = 0; i < 4; i++)
		mr->map.blocks[i] = memory + (3 - i) * 16;
	mr->map.count = 4;
	mr->map.shift = 4;
	mr->stag.iova = 1000;
	mr->stag.length = 60;
	mr->stag.offset = 2;
	for (int i = 0; i < 64; i++)
		memory[i] = i;

	srnic_mem_gather(&ref, 1000 + 10, got, sizeof(got));
	for (int i = 0; i < sizeof(got); i++) {
		int off = 12 + i;

		KUNIT_EXPECT_EQ(test, got[i], (3 - off / 16) * 16 + off % 16);
	}
}

static void atomics_do_what_they_are_called(struct kunit *test)
{
	u64 iova = IOVA & ~7ULL;
	struct srnic_mr *mr = new_region(test, iova, LENGTH, ALL_RIGHTS);
	struct srnic_mem_ref ref = { .stag = &mr->stag, .mr = mr };
	u64 *word = (u64 *)region_byte(mr, 8);

	*word = 100;
	KUNIT_EXPECT_EQ(test, srnic_mem_fetch_add(&ref, iova + 8, 5), 100);
	KUNIT_EXPECT_EQ(test, *word, 105);
	KUNIT_EXPECT_EQ(test, srnic_mem_cmp_swap(&ref, iova + 8, 104, 7), 105);
	KUNIT_EXPECT_EQ(test, *word, 105);
	KUNIT_EXPECT_EQ(test, srnic_mem_cmp_swap(&ref, iova + 8, 105, 7), 105);
	KUNIT_EXPECT_EQ(test, *word, 7);
	KUNIT_EXPECT_EQ(test, srnic_mem_fetch_add(&ref, iova + 8, U64_MAX), 7);
	KUNIT_EXPECT_EQ(test, *word, 6);
}

/* --------------------------------------------------------------------- SGEs */

static enum srnic_mem_status gather(struct srnic_mem_stream *qp, const struct srnic_abi_sge *sge,
				    u32 num, u32 off, void *dst, u32 len)
{
	const struct srnic_sge_pos from = { .sge = sge, .left = num, .off = off };
	struct srnic_mem_cache cache = { };
	enum srnic_mem_status status;

	local_bh_disable();
	status = srnic_sge_gather(qp, &cache, &from, dst, len);
	srnic_mem_cache_drop(&cache);
	local_bh_enable();
	return status;
}

static enum srnic_mem_status place(struct srnic_mem_stream *qp, const struct srnic_abi_sge *sge,
				   u32 num, u32 off, const void *src, u32 len)
{
	const struct srnic_sge_pos to = { .sge = sge, .left = num, .off = off };
	struct srnic_mem_cache cache = { };
	enum srnic_mem_status status;

	local_bh_disable();
	status = srnic_sge_place(qp, &cache, &to, src, len);
	srnic_mem_cache_drop(&cache);
	local_bh_enable();
	return status;
}

static void message_is_its_sges_one_after_the_other(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	u32 key = mr->stag.key;
	/* empty SGEs need no key */
	const struct srnic_abi_sge sges[] = {
		{ IOVA + 50, 0, 12345 }, { IOVA + 100, 3, key }, { 0, 0, 0 },
		{ IOVA + 200, 5, key }, { IOVA, 1, key }, { 77, 0, 99 },
	};
	static const u32 at[] = { 100, 101, 102, 200, 201, 202, 203, 204, 0 };
	u8 got[9], want[9];

	for (int i = 0; i < 9; i++) {
		want[i] = 0x10 + i;
		*region_byte(mr, at[i]) = want[i];
	}
	for (u32 off = 0; off < 9; off++) {
		for (u32 len = 0; len <= 9 - off; len++) {
			memset(got, 0, sizeof(got));
			KUNIT_EXPECT_EQ(test, gather(&w->qp[0], sges, 6, off, got, len),
					SRNIC_MEM_OK);
			KUNIT_EXPECT_MEMEQ(test, got, want + off, len);
		}
		KUNIT_EXPECT_EQ(test, gather(&w->qp[0], sges, 6, off, got, 10 - off),
				SRNIC_MEM_BOUNDS);
	}
	KUNIT_EXPECT_EQ(test, place(&w->qp[0], sges, 6, 2, "abcd", 4), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, *region_byte(mr, 102), 'a');
	KUNIT_EXPECT_EQ(test, *region_byte(mr, 200), 'b');
	KUNIT_EXPECT_EQ(test, *region_byte(mr, 202), 'd');
	KUNIT_EXPECT_EQ(test, *region_byte(mr, 203), want[6]);
}

static void R10_local_access_is_checked_to_the_byte_too(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	u32 key = mr->stag.key;
	struct srnic_abi_sge sge = { IOVA + LENGTH - 4, 8, key };
	u8 buf[8] = {};

	KUNIT_EXPECT_EQ(test, gather(&w->qp[0], &sge, 1, 0, buf, 4), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, gather(&w->qp[0], &sge, 1, 0, buf, 5), SRNIC_MEM_BOUNDS);
	KUNIT_EXPECT_EQ(test, place(&w->qp[0], &sge, 1, 4, buf, 1), SRNIC_MEM_BOUNDS);
	sge = (struct srnic_abi_sge){ U64_MAX - 2, 8, key };
	KUNIT_EXPECT_EQ(test, gather(&w->qp[0], &sge, 1, 0, buf, 8), SRNIC_MEM_BOUNDS);
	KUNIT_EXPECT_EQ(test, gather(&w->qp[0], &sge, 1, 4, buf, 1), SRNIC_MEM_BOUNDS);
}

static void local_access_needs_domain_and_right(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, IB_ACCESS_REMOTE_READ);
	struct srnic_abi_sge sge = { IOVA, 8, mr->stag.key };
	u8 buf[8] = {};

	KUNIT_EXPECT_EQ(test, gather(&w->qp[0], &sge, 1, 0, buf, 8), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, place(&w->qp[0], &sge, 1, 0, buf, 8), SRNIC_MEM_ACCESS);
	KUNIT_EXPECT_EQ(test, gather(&w->qp[2], &sge, 1, 0, buf, 8), SRNIC_MEM_PD);
	sge.lkey ^= 1;
	KUNIT_EXPECT_EQ(test, gather(&w->qp[0], &sge, 1, 0, buf, 8), SRNIC_MEM_INVALID);
}

/* --------------------------------------------------------- fast registration */

static struct srnic_mr *new_fast(struct kunit *test)
{
	struct srnic_mr *mr = new_mr(test, SRNIC_STAG_FAST);

	mr->max_blocks = 4;
	KUNIT_ASSERT_EQ(test, srnic_map_alloc(&mr->map, 4), 0);
	KUNIT_ASSERT_EQ(test, srnic_map_alloc(&mr->next_map, 4), 0);
	mr->ib.page_size = PAGE_SIZE;
	return mr;
}

static int map_one(struct srnic_mr *mr, u8 *page, u32 offset, u32 length)
{
	struct scatterlist sg;

	sg_init_one(&sg, page + offset, length);
	sg_dma_address(&sg) = (uintptr_t)page + offset;
	sg_dma_len(&sg) = length;
	return srnic_region_map_sg(mr, &sg, 1, NULL);
}

static int reg(struct srnic_mem_stream *qp, struct srnic_mr *mr, u32 key, u32 access)
{
	int err;

	local_bh_disable();
	err = srnic_mem_reg(qp, mr, key, access);
	local_bh_enable();
	return err;
}

static u8 *new_page(struct kunit *test, u8 content)
{
	u8 *page = (u8 *)__get_free_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	memset(page, content, PAGE_SIZE);
	return page;
}

static void fast_registration_takes_effect_with_its_work_request(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_fast(test);
	u8 *a = new_page(test, 'a'), *b = new_page(test, 'b');
	struct srnic_mem_ref ref = { .stag = &mr->stag, .mr = mr };
	u32 first = mr->stag.key, second = next_variant(first);
	u64 va = (uintptr_t)a + 16;
	u8 got = 0;

	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], first, va, 1), SRNIC_MEM_INVALID);
	KUNIT_ASSERT_EQ(test, map_one(mr, a, 16, 100), 1);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], first, va, 1), SRNIC_MEM_INVALID);
	KUNIT_ASSERT_EQ(test, reg(&w->qp[0], mr, first, ALL_RIGHTS), 0);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], first, va, 100), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], first, va, 101), SRNIC_MEM_BOUNDS);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], first, va - 1, 1), SRNIC_MEM_BOUNDS);

	/* a mapping made while the region is valid takes effect with REG_MR */
	KUNIT_ASSERT_EQ(test, map_one(mr, b, 0, PAGE_SIZE), 1);
	srnic_mem_gather(&ref, va, &got, 1);
	KUNIT_EXPECT_EQ(test, got, 'a');
	KUNIT_EXPECT_EQ(test, reg(&w->qp[0], mr, second, ALL_RIGHTS), -EINVAL);
	KUNIT_EXPECT_EQ(test, invalidate(&w->qp[0], first, SRNIC_INV_BY_OWNER), 0);
	KUNIT_EXPECT_EQ(test, reg(&w->qp[0], mr, second, IB_ACCESS_REMOTE_READ), 0);
	srnic_mem_gather(&ref, (uintptr_t)b, &got, 1);
	KUNIT_EXPECT_EQ(test, got, 'b');
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], first, (uintptr_t)b, 1), SRNIC_MEM_INVALID);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], second, (uintptr_t)b, 1), SRNIC_MEM_OK);

	KUNIT_EXPECT_EQ(test, invalidate(&w->qp[0], second, SRNIC_INV_BY_OWNER), 0);
	free_page((unsigned long)a);
	free_page((unsigned long)b);
}

static void fast_registration_is_checked(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_fast(test);
	struct srnic_mr *user = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	u8 *page = new_page(test, 0);
	u32 key = mr->stag.key;

	KUNIT_ASSERT_EQ(test, map_one(mr, page, 0, 100), 1);
	KUNIT_EXPECT_EQ(test, reg(&w->qp[0], mr, key ^ 0x100, ALL_RIGHTS), -EINVAL);
	KUNIT_EXPECT_EQ(test, reg(&w->qp[2], mr, key, ALL_RIGHTS), -EACCES);
	KUNIT_EXPECT_EQ(test, reg(&w->qp[0], mr, key, IB_ACCESS_REMOTE_WRITE), -EINVAL);
	KUNIT_EXPECT_EQ(test, reg(&w->qp[0], mr, key, IB_ACCESS_FLUSH_PERSISTENT), -EINVAL);
	KUNIT_EXPECT_EQ(test, reg(&w->qp[0], user, user->stag.key, ALL_RIGHTS), -EINVAL);
	mr->ib.length = PAGE_SIZE + 1;	/* more than the mapped length */
	KUNIT_EXPECT_EQ(test, reg(&w->qp[0], mr, key, ALL_RIGHTS), -EINVAL);
	mr->ib.length = U64_MAX;
	KUNIT_EXPECT_EQ(test, reg(&w->qp[0], mr, key, ALL_RIGHTS), -EINVAL);
	KUNIT_EXPECT_FALSE(test, srnic_stag_valid(&mr->stag));
	mr->ib.page_size = 3000;
	KUNIT_EXPECT_EQ(test, map_one(mr, page, 0, 100), -EINVAL);
	free_page((unsigned long)page);
}

/* --------------------------------------------------- fast registration with gaps */

#define PIECES		4
#define GAPPED		(4 * PAGE_SIZE)	/* bytes of memory that pieces are in */

/* An entry of a list: bytes of the memory */
struct piece {
	u32 at;
	u32 length;
};

/* Odd lengths at odd places: one byte, over the end of a page, pages, out of order */
static const struct piece odd_pieces[PIECES] = {
	{ 9001, 3 }, { 100, 1 }, { 4090, 20 }, { 4200, 4801 },
};

#define ODD_LENGTH	(3 + 1 + 20 + 4801)

static struct srnic_mr *new_gaps(struct kunit *test)
{
	struct srnic_mr *mr = new_mr(test, SRNIC_STAG_FAST);

	mr->max_blocks = PIECES;
	KUNIT_ASSERT_EQ(test, srnic_map_alloc_pieces(&mr->map, PIECES), 0);
	KUNIT_ASSERT_EQ(test, srnic_map_alloc_pieces(&mr->next_map, PIECES), 0);
	mr->ib.page_size = PAGE_SIZE;
	return mr;
}

static int map_pieces(struct srnic_mr *mr, u8 *memory, const struct piece *pieces, int number,
		      unsigned int *offset)
{
	struct scatterlist sg[PIECES + 2];

	sg_init_table(sg, ARRAY_SIZE(sg));
	for (int i = 0; i < number; i++) {
		sg_dma_address(&sg[i]) = (uintptr_t)memory + pieces[i].at;
		sg_dma_len(&sg[i]) = pieces[i].length;
	}
	return srnic_region_map_sg(mr, sg, number, offset);
}

static u8 *new_memory(struct kunit *test)
{
	u8 *memory = kunit_kzalloc(test, GAPPED, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, memory);
	memset(memory, 0xee, GAPPED);
	return memory;
}

/* Register the odd pieces of @memory. */
static struct srnic_mr *new_odd_region(struct kunit *test, u8 *memory, u32 access)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_gaps(test);

	KUNIT_ASSERT_EQ(test, map_pieces(mr, memory, odd_pieces, PIECES, NULL), PIECES);
	KUNIT_ASSERT_EQ(test, reg(&w->qp[0], mr, mr->stag.key, access), 0);
	return mr;
}

static void R10_region_with_gaps_is_its_pieces_to_the_byte(struct kunit *test)
{
	struct world *w = test->priv;
	u8 *memory = new_memory(test), *want = new_memory(test);
	u8 *data = new_memory(test), *got = new_memory(test);
	struct srnic_mr *mr = new_odd_region(test, memory, REMOTE_WRITE_RIGHTS);
	struct srnic_mem_ref ref = { .stag = &mr->stag, .mr = mr };
	u64 va = mr->ib.iova;
	u32 done = 0;

	KUNIT_EXPECT_EQ(test, mr->ib.length, ODD_LENGTH);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], mr->stag.key, va, ODD_LENGTH), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], mr->stag.key, va, ODD_LENGTH + 1),
			SRNIC_MEM_BOUNDS);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], mr->stag.key, va - 1, 2), SRNIC_MEM_BOUNDS);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], mr->stag.key, va + ODD_LENGTH, 1),
			SRNIC_MEM_BOUNDS);

	for (u32 i = 0; i < ODD_LENGTH; i++)
		data[i] = i * 7 + i / 256;
	for (int i = 0; i < PIECES; i++) {
		memcpy(want + odd_pieces[i].at, data + done, odd_pieces[i].length);
		done += odd_pieces[i].length;
	}
	srnic_mem_place(&ref, va, data, ODD_LENGTH);
	KUNIT_EXPECT_EQ(test, memcmp(memory, want, GAPPED), 0);
	for (u32 from = 0; from < 30; from++) {
		for (u32 len = 1; from + len < 40; len++) {
			srnic_mem_gather(&ref, va + from, got, len);
			KUNIT_EXPECT_EQ_MSG(test, memcmp(got, data + from, len), 0,
					    "%u bytes from %u on", len, from);
			memset(memory, 0xee, GAPPED);
			srnic_mem_place(&ref, va + from, data + from, len);
			srnic_mem_place(&ref, va, data, ODD_LENGTH);
			KUNIT_EXPECT_EQ(test, memcmp(memory, want, GAPPED), 0);
		}
	}
	srnic_mem_gather(&ref, va, got, ODD_LENGTH);
	KUNIT_EXPECT_EQ(test, memcmp(got, data, ODD_LENGTH), 0);
}

/* The consumer may name the region by other addresses. */
static void region_with_gaps_may_have_any_address(struct kunit *test)
{
	struct world *w = test->priv;
	u8 *memory = new_memory(test);
	struct srnic_mr *mr = new_gaps(test);
	struct srnic_mem_ref ref = { .stag = &mr->stag, .mr = mr };
	u8 got[2];

	KUNIT_ASSERT_EQ(test, map_pieces(mr, memory, odd_pieces, PIECES, NULL), PIECES);
	mr->ib.iova = IOVA + 3;
	KUNIT_ASSERT_EQ(test, reg(&w->qp[0], mr, mr->stag.key, IB_ACCESS_REMOTE_READ), 0);
	memory[odd_pieces[0].at + 2] = 'a';
	memory[odd_pieces[1].at] = 'b';
	srnic_mem_gather(&ref, IOVA + 3 + 2, got, 2);
	KUNIT_EXPECT_EQ(test, memcmp(got, "ab", 2), 0);
}

static void as_many_pieces_are_mapped_as_fit(struct kunit *test)
{
	static const struct piece many[PIECES + 2] = {
		{ 10, 5 }, { 20, 0 }, { 30, 6 }, { 40, 7 }, { 50, 8 }, { 60, 9 },
	};
	struct srnic_mr *mr = new_gaps(test);
	u8 *memory = new_memory(test);
	unsigned int offset = 2;

	/* an entry without bytes takes no piece */
	KUNIT_EXPECT_EQ(test, map_pieces(mr, memory, many, PIECES + 2, &offset), PIECES + 1);
	KUNIT_EXPECT_EQ(test, mr->ib.length, 5 - 2 + 6 + 7 + 8);
	KUNIT_EXPECT_EQ(test, mr->ib.iova, (uintptr_t)memory + 12);
	KUNIT_EXPECT_EQ(test, offset, 0);
	offset = 5;	/* nothing is left of the first entry */
	KUNIT_EXPECT_EQ(test, map_pieces(mr, memory, many, 2, &offset), -EINVAL);
	KUNIT_EXPECT_EQ(test, map_pieces(mr, memory, many, 0, NULL), -EINVAL);
}

static void R10_region_with_gaps_is_no_longer_than_its_pieces(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_gaps(test);
	u8 *memory = new_memory(test);

	KUNIT_ASSERT_EQ(test, map_pieces(mr, memory, odd_pieces, PIECES, NULL), PIECES);
	mr->ib.length++;
	KUNIT_EXPECT_EQ(test, reg(&w->qp[0], mr, mr->stag.key, IB_ACCESS_REMOTE_READ), -EINVAL);
	mr->ib.length = U64_MAX;
	KUNIT_EXPECT_EQ(test, reg(&w->qp[0], mr, mr->stag.key, IB_ACCESS_REMOTE_READ), -EINVAL);
	KUNIT_EXPECT_FALSE(test, srnic_stag_valid(&mr->stag));
}

static void R10_no_word_lies_in_two_pieces(struct kunit *test)
{
	static const struct piece words[] = { { 0, 4 }, { 64, 12 } };
	const u64 word = 0x0102030405060708;
	struct world *w = test->priv;
	struct srnic_mr *mr = new_gaps(test);
	u8 *memory = new_memory(test), *before = new_memory(test);
	struct srnic_mem_ref ref = { .stag = &mr->stag, .mr = mr };
	u32 key = mr->stag.key;

	KUNIT_ASSERT_EQ(test, map_pieces(mr, memory, words, 2, NULL), 2);
	KUNIT_EXPECT_EQ(test, reg(&w->qp[0], mr, key, ALL_RIGHTS), -EINVAL);
	KUNIT_ASSERT_EQ(test, reg(&w->qp[0], mr, key, REMOTE_WRITE_RIGHTS), 0);
	/* aligned for the peer and in memory, but with 4 bytes there only */
	KUNIT_EXPECT_FALSE(test, srnic_mem_atomic_write(&ref, mr->ib.iova, &word));
	KUNIT_EXPECT_EQ(test, memcmp(memory, before, GAPPED), 0);
	KUNIT_EXPECT_TRUE(test, srnic_mem_atomic_write(&ref, mr->ib.iova + 4, &word));
	KUNIT_EXPECT_EQ(test, *(u64 *)(memory + 64), word);
}

static void R7_R26_only_permitted_streams_invalidate_a_key(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_fast(test);
	struct srnic_mr *user = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	u8 *page = new_page(test, 0);
	u32 key = mr->stag.key;

	KUNIT_ASSERT_EQ(test, map_one(mr, page, 0, 100), 1);
	KUNIT_ASSERT_EQ(test, reg(&w->qp[0], mr, key, IB_ACCESS_LOCAL_WRITE), 0);
	KUNIT_EXPECT_EQ(test, invalidate(&w->qp[2], key, SRNIC_INV_BY_OWNER), -EACCES);
	KUNIT_EXPECT_EQ(test, invalidate(&w->qp[2], key, SRNIC_INV_BY_PEER), -EACCES);
	KUNIT_EXPECT_EQ(test, invalidate(&w->qp[0], key ^ 1, SRNIC_INV_BY_OWNER), -EINVAL);
	/* the key grants the peer no right */
	KUNIT_EXPECT_EQ(test, invalidate(&w->qp[0], key, SRNIC_INV_BY_PEER), -EACCES);
	KUNIT_EXPECT_TRUE(test, srnic_stag_valid(&mr->stag));
	KUNIT_EXPECT_EQ(test, invalidate(&w->qp[1], key, SRNIC_INV_BY_OWNER), 0);
	KUNIT_EXPECT_FALSE(test, srnic_stag_valid(&mr->stag));

	KUNIT_ASSERT_EQ(test, reg(&w->qp[0], mr, key, IB_ACCESS_REMOTE_READ), 0);
	/* another stream of the domain shares the key; its peer must not invalidate it */
	KUNIT_EXPECT_EQ(test, invalidate(&w->qp[1], key, SRNIC_INV_BY_PEER), -EACCES);
	KUNIT_EXPECT_TRUE(test, srnic_stag_valid(&mr->stag));
	KUNIT_EXPECT_EQ(test, invalidate(&w->qp[0], key, SRNIC_INV_BY_PEER), 0);
	/* the owner may invalidate again after the peer */
	KUNIT_EXPECT_EQ(test, invalidate(&w->qp[0], key, SRNIC_INV_BY_OWNER), 0);

	/* a region made by ibv_reg_mr() can only be removed by ibv_dereg_mr() */
	KUNIT_EXPECT_EQ(test, invalidate(&w->qp[0], user->stag.key, SRNIC_INV_BY_OWNER), -EACCES);
	KUNIT_EXPECT_EQ(test, invalidate(&w->qp[0], user->stag.key, SRNIC_INV_BY_PEER), -EACCES);
	KUNIT_EXPECT_TRUE(test, srnic_stag_valid(&user->stag));
	KUNIT_EXPECT_EQ(test, invalidate(&w->qp[0], 0, SRNIC_INV_BY_PEER), -EINVAL);
	free_page((unsigned long)page);
}

/* ------------------------------------------------------------------ windows */

static void R10_R15_window_is_a_part_of_a_region_to_the_byte(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	struct srnic_stag *window = new_window(test, SRNIC_STAG_MW1);
	static const struct { s64 at, len; } bad[] = {
		{ -1, 1 }, { -1, LENGTH }, { 0, LENGTH + 1 }, { LENGTH, 1 }, { 1, LENGTH },
		{ 1, -1 }, { LENGTH - 1, 2 },
	};

	for (int i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ(test, bind(&w->qp[0], window, mr, IOVA + bad[i].at, bad[i].len,
					   IB_ACCESS_REMOTE_READ), -EINVAL);
	KUNIT_EXPECT_EQ(test, atomic_read(&mr->windows), 0);

	/* a single byte */
	KUNIT_ASSERT_EQ(test, bind(&w->qp[0], window, mr, IOVA + 77, 1, IB_ACCESS_REMOTE_READ), 0);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], window->key, IOVA + 77, 1), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], window->key, IOVA + 76, 1), SRNIC_MEM_BOUNDS);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], window->key, IOVA + 78, 1), SRNIC_MEM_BOUNDS);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], window->key, IOVA + 77, 2), SRNIC_MEM_BOUNDS);
	/* the whole region */
	KUNIT_ASSERT_EQ(test, bind(&w->qp[0], window, mr, IOVA, LENGTH, IB_ACCESS_REMOTE_READ), 0);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], window->key, IOVA, LENGTH), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], window->key, IOVA, LENGTH + 1),
			SRNIC_MEM_BOUNDS);
}

static void window_shows_the_bytes_that_it_was_bound_to(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	struct srnic_stag *window = new_window(test, SRNIC_STAG_MW2);
	struct srnic_access access = { .rights = IB_ACCESS_REMOTE_READ, .va = 9, .len = 3 };
	struct srnic_mem_ref ref;
	u8 got[3];

	for (int i = 0; i < 3; i++)
		*region_byte(mr, 4999 + i) = 'x' + i;
	KUNIT_ASSERT_EQ(test, bind(&w->qp[0], window, mr, IOVA + 4990, 100,
				   IB_ACCESS_REMOTE_READ | IB_ZERO_BASED), 0);

	/* zero-based: the addresses are offsets */
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], window->key, 0, 100), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], window->key, 1, 100), SRNIC_MEM_BOUNDS);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], window->key, IOVA + 4990, 1),
			SRNIC_MEM_BOUNDS);
	access.key = window->key;
	local_bh_disable();
	KUNIT_ASSERT_EQ(test, srnic_mem_get(&w->qp[0], &access, &ref), SRNIC_MEM_OK);
	srnic_mem_gather(&ref, 9, got, 3);
	srnic_mem_put(&ref);
	local_bh_enable();
	KUNIT_EXPECT_MEMEQ(test, got, "xyz", 3);
}

static void R8_type_2_window_works_on_its_stream_only(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	struct srnic_stag *one = new_window(test, SRNIC_STAG_MW1);
	struct srnic_stag *two = new_window(test, SRNIC_STAG_MW2);

	KUNIT_ASSERT_EQ(test, bind(&w->qp[0], one, mr, IOVA, 100, IB_ACCESS_REMOTE_READ), 0);
	KUNIT_ASSERT_EQ(test, bind(&w->qp[0], two, mr, IOVA, 100, IB_ACCESS_REMOTE_READ), 0);

	/* type 1: usable by any QP of the domain */
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], one->key, IOVA, 1), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[1], one->key, IOVA, 1), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[2], one->key, IOVA, 1), SRNIC_MEM_PD);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], two->key, IOVA, 1), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[1], two->key, IOVA, 1), SRNIC_MEM_PD);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[2], two->key, IOVA, 1), SRNIC_MEM_PD);
	/* another QP of the domain must not invalidate it */
	KUNIT_EXPECT_EQ(test, invalidate(&w->qp[1], two->key, SRNIC_INV_BY_PEER), -EACCES);
	KUNIT_EXPECT_EQ(test, invalidate(&w->qp[2], two->key, SRNIC_INV_BY_PEER), -EACCES);
	KUNIT_EXPECT_EQ(test, invalidate(&w->qp[0], two->key, SRNIC_INV_BY_PEER), 0);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], two->key, IOVA, 1), SRNIC_MEM_INVALID);
	/* type 1 cannot be invalidated, only bound to zero bytes */
	KUNIT_EXPECT_EQ(test, invalidate(&w->qp[0], one->key, SRNIC_INV_BY_OWNER), -EINVAL);
}

static void R10_a_word_aligned_for_a_peer_is_aligned_in_memory(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	struct srnic_stag *window = new_window(test, SRNIC_STAG_MW2);
	const u32 atomic = IB_ACCESS_REMOTE_ATOMIC;
	const u64 word = ALIGN(IOVA, sizeof(u64));

	KUNIT_EXPECT_EQ(test, bind(&w->qp[0], window, mr, word + 4, 100, atomic | IB_ZERO_BASED),
			-EINVAL);
	/* alignment is irrelevant without atomics or with the region's addresses */
	KUNIT_EXPECT_EQ(test, bind(&w->qp[0], window, mr, word + 4, 100, atomic), 0);
	KUNIT_ASSERT_EQ(test, invalidate(&w->qp[0], window->key, SRNIC_INV_BY_OWNER), 0);
	KUNIT_EXPECT_EQ(test, bind(&w->qp[0], window, mr, word + 4, 100,
				   IB_ACCESS_REMOTE_READ | IB_ZERO_BASED), 0);
	KUNIT_ASSERT_EQ(test, invalidate(&w->qp[0], window->key, SRNIC_INV_BY_OWNER), 0);
	KUNIT_EXPECT_EQ(test, bind(&w->qp[0], window, mr, word + 8, 100, atomic | IB_ZERO_BASED),
			0);
}

static void R16_window_has_the_rights_of_its_bind(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH,
					 IB_ACCESS_LOCAL_WRITE | IB_ACCESS_MW_BIND);
	struct srnic_stag *window = new_window(test, SRNIC_STAG_MW1);

	/* the region grants no remote right, the window grants remote write only */
	KUNIT_ASSERT_EQ(test, bind(&w->qp[0], window, mr, IOVA, 100, IB_ACCESS_REMOTE_WRITE), 0);
	KUNIT_EXPECT_EQ(test, try(&w->qp[0], mr->stag.key, IOVA, 1, IB_ACCESS_REMOTE_WRITE, false),
			SRNIC_MEM_ACCESS);
	KUNIT_EXPECT_EQ(test, try(&w->qp[0], window->key, IOVA, 1, IB_ACCESS_REMOTE_WRITE, false),
			SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], window->key, IOVA, 1), SRNIC_MEM_ACCESS);
	KUNIT_EXPECT_EQ(test, try(&w->qp[0], window->key, IOVA, 8, IB_ACCESS_REMOTE_ATOMIC, false),
			SRNIC_MEM_ACCESS);
	/* a window cannot be used as L_Key */
	KUNIT_EXPECT_EQ(test, try(&w->qp[0], window->key, IOVA, 1, 0, true), SRNIC_MEM_INVALID);
}

static void bind_needs_the_rights_to_it(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	struct srnic_mr *shut = new_region(test, IOVA, LENGTH, ALL_RIGHTS & ~IB_ACCESS_MW_BIND);
	struct srnic_mr *fixed = new_region(test, IOVA, LENGTH, IB_ACCESS_MW_BIND);
	struct srnic_stag *window = new_window(test, SRNIC_STAG_MW1);
	u32 key = window->key;

	KUNIT_EXPECT_EQ(test, bind(&w->qp[0], window, shut, IOVA, 1, 0), -EACCES);
	KUNIT_EXPECT_EQ(test, bind(&w->qp[0], window, fixed, IOVA, 1, IB_ACCESS_REMOTE_WRITE),
			-EACCES);
	KUNIT_EXPECT_EQ(test, bind(&w->qp[0], window, fixed, IOVA, 8, IB_ACCESS_REMOTE_ATOMIC),
			-EACCES);
	KUNIT_EXPECT_EQ(test, bind(&w->qp[0], window, mr, IOVA, 8, IB_ACCESS_FLUSH_GLOBAL),
			-EACCES);
	mr->stag.access |= IB_ACCESS_FLUSH_GLOBAL;
	KUNIT_EXPECT_EQ(test, bind(&w->qp[0], window, mr, IOVA, 8, IB_ACCESS_FLUSH_PERSISTENT),
			-EACCES);
	KUNIT_EXPECT_EQ(test, bind(&w->qp[2], window, mr, IOVA, 1, 0), -EACCES);
	/* a region of another domain, moved there by hand */
	shut->stag.access |= IB_ACCESS_MW_BIND;
	shut->stag.pd = w->qp[2].pd;
	KUNIT_EXPECT_EQ(test, bind(&w->qp[0], window, shut, IOVA, 1, 0), -EACCES);
	shut->stag.pd = w->qp[0].pd;
	KUNIT_EXPECT_EQ(test, bind(&w->qp[0], window, mr, IOVA, 1, IB_ACCESS_MW_BIND), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, bind(&w->qp[0], window, mr, IOVA, 1, IB_ZERO_BASED), -EINVAL);
	KUNIT_EXPECT_EQ(test, window->key, key);
	KUNIT_EXPECT_FALSE(test, srnic_stag_valid(window));
	KUNIT_EXPECT_EQ(test, bind(&w->qp[0], window, fixed, IOVA, 1, IB_ACCESS_REMOTE_READ), 0);
}

static void local_right_asked_of_a_window_gives_no_right(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	struct srnic_stag *window = new_window(test, SRNIC_STAG_MW1);

	KUNIT_ASSERT_EQ(test, bind(&w->qp[0], window, mr, IOVA, 100,
				   IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ), 0);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], window->key, IOVA, 1), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, try(&w->qp[0], window->key, IOVA, 1, IB_ACCESS_REMOTE_WRITE, false),
			SRNIC_MEM_ACCESS);
	KUNIT_EXPECT_EQ(test, try(&w->qp[0], window->key, IOVA, 1, IB_ACCESS_LOCAL_WRITE, false),
			SRNIC_MEM_ACCESS);
}

static void failed_bind_leaves_the_window_as_it_was(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	struct srnic_stag *window = new_window(test, SRNIC_STAG_MW1);

	KUNIT_ASSERT_EQ(test, bind(&w->qp[0], window, mr, IOVA, 100, IB_ACCESS_REMOTE_READ), 0);
	KUNIT_EXPECT_EQ(test, bind(&w->qp[0], window, mr, IOVA, LENGTH + 1, IB_ACCESS_REMOTE_READ),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], window->key, IOVA, 100), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, atomic_read(&mr->windows), 1);
}

static void R12_rebinding_makes_the_former_key_worthless(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	struct srnic_stag *window = new_window(test, SRNIC_STAG_MW1);
	u32 former;

	KUNIT_ASSERT_EQ(test, bind(&w->qp[0], window, mr, IOVA, 100, IB_ACCESS_REMOTE_READ), 0);
	former = window->key;
	KUNIT_ASSERT_EQ(test, bind(&w->qp[0], window, mr, IOVA, 100, IB_ACCESS_REMOTE_READ), 0);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], former, IOVA, 1), SRNIC_MEM_INVALID);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], window->key, IOVA, 1), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, atomic_read(&mr->windows), 1);

	/* a bind of zero bytes */
	KUNIT_ASSERT_EQ(test, bind(&w->qp[0], window, mr, 0, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], window->key, IOVA, 1), SRNIC_MEM_INVALID);
	KUNIT_EXPECT_EQ(test, atomic_read(&mr->windows), 0);
}

static void type_2_window_is_bound_once_and_invalidated(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	struct srnic_stag *window = new_window(test, SRNIC_STAG_MW2);
	struct srnic_abi_bind wanted = {
		.addr = IOVA, .length = 10, .mr_lkey = mr->stag.key, .mw_rkey = window->key,
		.new_rkey = window->key, .access = IB_ACCESS_REMOTE_READ,
	};

	local_bh_disable();
	KUNIT_EXPECT_EQ(test, srnic_mem_bind(&w->qp[0], &wanted), -EINVAL);	/* same key */
	wanted.new_rkey ^= 0x100;
	KUNIT_EXPECT_EQ(test, srnic_mem_bind(&w->qp[0], &wanted), -EINVAL);	/* other index */
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, bind(&w->qp[0], window, mr, IOVA, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, bind(&w->qp[0], window, mr, IOVA, 10, IB_ACCESS_REMOTE_READ), 0);
	KUNIT_EXPECT_EQ(test, bind(&w->qp[0], window, mr, IOVA, 10, IB_ACCESS_REMOTE_READ),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, invalidate(&w->qp[0], window->key, SRNIC_INV_BY_OWNER), 0);
	KUNIT_EXPECT_EQ(test, invalidate(&w->qp[0], window->key, SRNIC_INV_BY_OWNER), -EINVAL);
	KUNIT_EXPECT_EQ(test, bind(&w->qp[1], window, mr, IOVA, 10, IB_ACCESS_REMOTE_READ), 0);
}

static void window_is_not_bound_to_a_window(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	struct srnic_stag *inner = new_window(test, SRNIC_STAG_MW1);
	struct srnic_stag *outer = new_window(test, SRNIC_STAG_MW1);
	struct srnic_abi_bind wanted = {
		.addr = IOVA, .length = 10, .access = IB_ACCESS_REMOTE_READ,
	};

	KUNIT_ASSERT_EQ(test, bind(&w->qp[0], outer, mr, IOVA, 100, IB_ACCESS_REMOTE_READ), 0);
	wanted.mr_lkey = outer->key;
	wanted.mw_rkey = inner->key;
	wanted.new_rkey = next_variant(inner->key);
	local_bh_disable();
	KUNIT_EXPECT_EQ(test, srnic_mem_bind(&w->qp[0], &wanted), -EINVAL);
	/* a region must not be rebound like a window */
	wanted.mr_lkey = mr->stag.key;
	wanted.mw_rkey = mr->stag.key;
	wanted.new_rkey = next_variant(mr->stag.key);
	KUNIT_EXPECT_EQ(test, srnic_mem_bind(&w->qp[0], &wanted), -EINVAL);
	local_bh_enable();
}

static void region_stays_as_long_as_windows_are_bound(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	struct srnic_stag *one = new_window(test, SRNIC_STAG_MW1);
	struct srnic_stag *two = new_window(test, SRNIC_STAG_MW2);

	KUNIT_ASSERT_EQ(test, bind(&w->qp[0], one, mr, IOVA, 10, IB_ACCESS_REMOTE_READ), 0);
	KUNIT_ASSERT_EQ(test, bind(&w->qp[0], two, mr, IOVA, 10, IB_ACCESS_REMOTE_READ), 0);
	KUNIT_EXPECT_EQ(test, srnic_region_retire(mr), -EBUSY);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], mr->stag.key, IOVA, 1), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, invalidate(&w->qp[0], two->key, SRNIC_INV_BY_OWNER), 0);
	KUNIT_EXPECT_EQ(test, srnic_region_retire(mr), -EBUSY);
	KUNIT_EXPECT_EQ(test, bind(&w->qp[0], one, mr, 0, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, srnic_region_retire(mr), 0);
}

static void R8_windows_go_with_their_qp(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	struct srnic_stag *windows[3];

	for (int i = 0; i < 3; i++) {
		windows[i] = new_window(test, SRNIC_STAG_MW2);
		KUNIT_ASSERT_EQ(test, bind(&w->qp[i == 1], windows[i], mr, IOVA, 10,
					   IB_ACCESS_REMOTE_READ), 0);
	}
	srnic_stream_end(&w->qp[0]);
	KUNIT_EXPECT_EQ(test, atomic_read(&mr->windows), 1);
	/* a later QP at the same address inherits no windows */
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], windows[0]->key, IOVA, 1), SRNIC_MEM_INVALID);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], windows[2]->key, IOVA, 1), SRNIC_MEM_INVALID);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[1], windows[1]->key, IOVA, 1), SRNIC_MEM_OK);
	srnic_stream_end(&w->qp[1]);
	KUNIT_EXPECT_EQ(test, atomic_read(&mr->windows), 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&w->qp[0].stags));
}

/* more than one batch */
#define MANY_WINDOWS	100

static void R8_a_queue_pair_that_goes_meets_its_own_windows_only(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	struct srnic_stag *window;

	for (int i = 0; i < 2 * MANY_WINDOWS; i++) {
		window = new_window(test, SRNIC_STAG_MW2);
		KUNIT_ASSERT_EQ(test, bind(&w->qp[i & 1], window, mr, IOVA, 10,
					   IB_ACCESS_REMOTE_READ), 0);
	}
	KUNIT_EXPECT_EQ(test, list_count_nodes(&w->qp[0].stags), MANY_WINDOWS);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&w->qp[1].stags), MANY_WINDOWS);

	srnic_stream_end(&w->qp[0]);
	KUNIT_EXPECT_TRUE(test, list_empty(&w->qp[0].stags));
	KUNIT_EXPECT_EQ(test, list_count_nodes(&w->qp[1].stags), MANY_WINDOWS);
	KUNIT_EXPECT_EQ(test, atomic_read(&mr->windows), MANY_WINDOWS);
}

static void R8_a_region_may_serve_one_stream_only(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	struct srnic_stag *window = new_window(test, SRNIC_STAG_MW2);
	u32 key = mr->stag.key;

	KUNIT_EXPECT_EQ(test, read_status(&w->qp[1], key, IOVA, 1), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, srnic_region_bind(mr, &w->qp[2]), -EINVAL);
	KUNIT_ASSERT_EQ(test, srnic_region_bind(mr, &w->qp[0]), 0);
	KUNIT_EXPECT_EQ(test, srnic_region_bind(mr, &w->qp[0]), -EEXIST);
	KUNIT_EXPECT_EQ(test, srnic_region_bind(mr, &w->qp[1]), -EEXIST);

	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], key, IOVA, LENGTH), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[1], key, IOVA, 1), SRNIC_MEM_PD);
	KUNIT_EXPECT_EQ(test, try(&w->qp[0], key, IOVA, 1, IB_ACCESS_LOCAL_WRITE, true),
			SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, try(&w->qp[1], key, IOVA, 1, IB_ACCESS_LOCAL_WRITE, true),
			SRNIC_MEM_PD);
	/* not even a window of the same stream may be bound to it */
	KUNIT_EXPECT_EQ(test, bind(&w->qp[0], window, mr, IOVA, 10, IB_ACCESS_REMOTE_READ),
			-EACCES);

	/* a later QP at the same address inherits no regions */
	srnic_stream_end(&w->qp[0]);
	KUNIT_EXPECT_TRUE(test, list_empty(&w->qp[0].stags));
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], key, IOVA, 1), SRNIC_MEM_PD);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[1], key, IOVA, 1), SRNIC_MEM_PD);
}

static void R8_a_region_with_windows_is_not_bound(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	struct srnic_stag *window = new_window(test, SRNIC_STAG_MW1);

	KUNIT_ASSERT_EQ(test, bind(&w->qp[1], window, mr, IOVA, 10, IB_ACCESS_REMOTE_READ), 0);
	KUNIT_EXPECT_EQ(test, srnic_region_bind(mr, &w->qp[0]), -EBUSY);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[1], mr->stag.key, IOVA, 1), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, srnic_region_bind(new_fast(test), &w->qp[0]), -EINVAL);
}

static void R8_a_region_that_goes_leaves_its_stream(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);

	KUNIT_ASSERT_EQ(test, srnic_region_bind(mr, &w->qp[0]), 0);
	srnic_region_unbind(mr);
	KUNIT_EXPECT_TRUE(test, list_empty(&w->qp[0].stags));
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], mr->stag.key, IOVA, 1), SRNIC_MEM_PD);
}

/* Allocate memory keys for a region; their contents do not matter here. */
static struct srnic_mkey *new_mkeys(struct kunit *test)
{
	struct srnic_mkey *mkeys = kunit_kcalloc(test, SRNIC_RIGHTS, sizeof(*mkeys), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, mkeys);
	return mkeys;
}

static void P9_a_protected_region_is_for_proved_requests(struct kunit *test)
{
	static const u32 rights[] = { IB_ACCESS_REMOTE_READ, IB_ACCESS_REMOTE_WRITE,
				      IB_ACCESS_REMOTE_ATOMIC };
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	struct world *w = test->priv;
	struct srnic_mem_stream *qp = &w->qp[0];
	u32 key = mr->stag.key;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, srnic_region_protect(mr, new_mkeys(test)), 0);
	for (i = 0; i < ARRAY_SIZE(rights); i++) {
		KUNIT_EXPECT_EQ(test, try(qp, key, IOVA, 8, rights[i], false), SRNIC_MEM_ACCESS);
		KUNIT_EXPECT_EQ(test, try(qp, key, IOVA, 8, rights[i] | SRNIC_ACCESS_PROVED,
					  false), SRNIC_MEM_OK);
	}
	/* local work requests use its L_Key and need no proof */
	KUNIT_EXPECT_EQ(test, try(qp, key, IOVA, 8, IB_ACCESS_LOCAL_WRITE, true), SRNIC_MEM_OK);
}

static void P9_a_proof_is_no_right(struct kunit *test)
{
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, IB_ACCESS_REMOTE_READ);
	u32 write = IB_ACCESS_REMOTE_WRITE | SRNIC_ACCESS_PROVED;
	u32 read = IB_ACCESS_REMOTE_READ | SRNIC_ACCESS_PROVED;
	struct world *w = test->priv;
	u32 key = mr->stag.key;

	KUNIT_ASSERT_EQ(test, srnic_region_protect(mr, new_mkeys(test)), 0);
	KUNIT_EXPECT_EQ(test, try(&w->qp[0], key, IOVA, 8, read, false), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, try(&w->qp[0], key, IOVA, 8, write, false), SRNIC_MEM_ACCESS);
	KUNIT_EXPECT_EQ(test, try(&w->qp[0], key, IOVA + LENGTH, 1, read, false), SRNIC_MEM_BOUNDS);
	KUNIT_EXPECT_EQ(test, try(&w->qp[2], key, IOVA, 8, read, false), SRNIC_MEM_PD);
}

/* Return the result of srnic_mem_mkeys() without keeping the reference. */
static const struct srnic_mkey *mkeys_of(struct srnic_mem_stream *qp, u32 key, u64 va, u64 len,
					 u32 rights)
{
	const struct srnic_access access = { .key = key, .rights = rights, .va = va, .len = len };
	const struct srnic_mkey *mkeys;
	struct srnic_mem_ref ref;

	local_bh_disable();
	mkeys = srnic_mem_mkeys(qp, &access, &ref);
	if (mkeys)
		srnic_mem_put(&ref);
	local_bh_enable();
	return mkeys;
}

static void P9_a_proof_is_asked_for_where_there_is_something_to_be_had(struct kunit *test)
{
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, IB_ACCESS_REMOTE_READ);
	struct srnic_mr *open = new_region(test, IOVA, LENGTH, IB_ACCESS_REMOTE_READ);
	struct srnic_mkey *mkeys = new_mkeys(test);
	struct world *w = test->priv;
	struct srnic_mem_stream *qp = &w->qp[0];
	u32 key = mr->stag.key;

	KUNIT_ASSERT_EQ(test, srnic_region_protect(mr, mkeys), 0);
	KUNIT_EXPECT_PTR_EQ(test, mkeys_of(qp, key, IOVA, 8, IB_ACCESS_REMOTE_READ), mkeys);
	KUNIT_EXPECT_NULL(test, mkeys_of(qp, key, IOVA, 8, IB_ACCESS_REMOTE_WRITE));
	KUNIT_EXPECT_NULL(test, mkeys_of(qp, key, IOVA + LENGTH - 7, 8, IB_ACCESS_REMOTE_READ));
	KUNIT_EXPECT_NULL(test, mkeys_of(qp, key ^ 1, IOVA, 8, IB_ACCESS_REMOTE_READ));
	KUNIT_EXPECT_NULL(test, mkeys_of(&w->qp[2], key, IOVA, 8, IB_ACCESS_REMOTE_READ));
	KUNIT_EXPECT_NULL(test, mkeys_of(qp, open->stag.key, IOVA, 8, IB_ACCESS_REMOTE_READ));
	srnic_stag_quiesce(&mr->stag);	/* returns at once if no reference is left */
}

static void P9_no_window_leads_past_a_regions_keys(struct kunit *test)
{
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	struct srnic_mr *bound = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	struct srnic_stag *window = new_window(test, SRNIC_STAG_MW1);
	struct world *w = test->priv;
	struct srnic_mem_stream *qp = &w->qp[0];

	KUNIT_ASSERT_EQ(test, srnic_region_protect(mr, new_mkeys(test)), 0);
	KUNIT_EXPECT_EQ(test, bind(qp, window, mr, IOVA, 10, IB_ACCESS_REMOTE_READ), -EACCES);
	KUNIT_ASSERT_EQ(test, bind(qp, window, bound, IOVA, 10, IB_ACCESS_REMOTE_READ), 0);
	KUNIT_EXPECT_EQ(test, srnic_region_protect(bound, new_mkeys(test)), -EBUSY);
	KUNIT_EXPECT_EQ(test, read_status(qp, bound->stag.key, IOVA, 1), SRNIC_MEM_OK);
}

static void P9_a_region_is_protected_once(struct kunit *test)
{
	struct srnic_mr *mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	struct srnic_mr *fast = new_fast(test);

	KUNIT_ASSERT_EQ(test, srnic_region_protect(mr, new_mkeys(test)), 0);
	KUNIT_EXPECT_EQ(test, srnic_region_protect(mr, new_mkeys(test)), -EEXIST);
	KUNIT_EXPECT_EQ(test, srnic_region_protect(fast, new_mkeys(test)), -EINVAL);
}

/**
 * struct change - Another thread binds or protects a region that is in use
 * @mr: the region
 * @qp: stream to bind it to; NULL: protect it
 * @mkeys: keys to protect it with
 * @task: the thread, not yet awake
 * @err: result
 * @done: completed afterwards
 */
struct change {
	struct srnic_mr *mr;
	struct srnic_mem_stream *qp;
	struct srnic_mkey *mkeys;
	struct task_struct *task;
	int err;
	struct completion done;
};

static int change_thread(void *arg)
{
	struct change *c = arg;

	c->err = c->qp ? srnic_region_bind(c->mr, c->qp) : srnic_region_protect(c->mr, c->mkeys);
	complete(&c->done);
	return 0;
}

/* The change runs on another CPU, because this one may have BHs off meanwhile. */
static struct change *new_change(struct kunit *test, bool bind_it)
{
	struct change *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	struct world *w = test->priv;

	KUNIT_ASSERT_NOT_NULL(test, c);
	c->mr = new_region(test, IOVA, LENGTH, ALL_RIGHTS);
	c->qp = bind_it ? &w->qp[0] : NULL;
	c->mkeys = new_mkeys(test);
	init_completion(&c->done);
	c->task = kthread_create(change_thread, c, "srnic-mem-test");
	KUNIT_ASSERT_FALSE(test, IS_ERR(c->task));
	kthread_bind(c->task, cpumask_any_but(cpu_online_mask, smp_processor_id()));
	return c;
}

static void R8_P9_a_region_stays_valid_while_it_is_bound_or_protected(struct kunit *test)
{
	struct world *w = test->priv;

	if (num_online_cpus() < 2)
		kunit_skip(test, "there is one processor");
	for (int bind_it = 0; bind_it <= 1; bind_it++) {
		struct srnic_access access = {
			.rights = IB_ACCESS_REMOTE_READ | (bind_it ? 0 : SRNIC_ACCESS_PROVED),
			.va = IOVA,
			.len = 8,
		};
		enum srnic_mem_status refused;
		struct srnic_mem_ref ref;
		struct change *c;
		int tries = 0;

		migrate_disable();
		c = new_change(test, bind_it);
		access.key = c->mr->stag.key;
		/*
		 * Keep one burst in progress, which the change must wait for, and
		 * start others until it has begun.
		 */
		local_bh_disable();
		KUNIT_EXPECT_EQ(test, srnic_mem_get(&w->qp[0], &access, &ref), SRNIC_MEM_OK);
		wake_up_process(c->task);
		do {
			mdelay(1);
			refused = try(&w->qp[0], access.key, access.va, access.len, access.rights,
				      false);
		} while (!refused && ++tries < 1000 && !c->mr->stag.one_stream &&
			 !c->mr->stag.mkeys);
		KUNIT_EXPECT_EQ(test, refused, SRNIC_MEM_OK);
		KUNIT_EXPECT_TRUE(test, c->mr->stag.one_stream || c->mr->stag.mkeys);
		/* the change waits for the burst in progress */
		mdelay(20);
		KUNIT_EXPECT_FALSE(test, completion_done(&c->done));
		srnic_mem_put(&ref);
		local_bh_enable();
		migrate_enable();
		KUNIT_ASSERT_NE(test, wait_for_completion_timeout(&c->done, 10 * HZ), 0);
		KUNIT_EXPECT_EQ(test, c->err, 0);
	}
}

/* Return how many of these bytes of the region's pages are not zero. */
static u32 bytes_changed(const struct srnic_mr *mr, u32 first, u32 len)
{
	u32 changed = 0;

	for (u32 at = 0; at < len; at++)
		changed += !!((u8 *)mr->map.blocks[(first + at) >> PAGE_SHIFT])
			     [offset_in_page(first + at)];
	return changed;
}

static void R10_R13_device_memory_is_a_region_to_the_byte(struct kunit *test)
{
	struct world *w = test->priv;
	const u32 offset = PAGE_SIZE + 904, length = PAGE_SIZE + 100;
	struct srnic_mr *mr = new_device_region(test, offset, length, ALL_RIGHTS);
	struct srnic_mem_ref ref = { .stag = &mr->stag, .mr = mr };
	u32 key = mr->stag.key, size = mr->map.count << PAGE_SHIFT;
	u8 *src = kunit_kzalloc(test, length, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, src);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], key, 0, length), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], key, 0, length + 1), SRNIC_MEM_BOUNDS);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], key, length, 1), SRNIC_MEM_BOUNDS);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], key, U64_MAX, 1), SRNIC_MEM_BOUNDS);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[2], key, 0, 1), SRNIC_MEM_PD);

	KUNIT_EXPECT_EQ(test, bytes_changed(mr, 0, size), 0);
	memset(src, 0x5a, length);
	srnic_mem_place(&ref, 0, src, length);
	KUNIT_EXPECT_EQ(test, bytes_changed(mr, 904, length), length);
	KUNIT_EXPECT_EQ(test, bytes_changed(mr, 0, size), length);
}

static void device_memory_is_a_region_like_others(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_mr *mr = new_device_region(test, 64, 1000, ALL_RIGHTS);
	struct srnic_mr *bound = new_device_region(test, 64, 1000, ALL_RIGHTS);
	struct srnic_stag *window = new_window(test, SRNIC_STAG_MW2);

	KUNIT_EXPECT_EQ(test, bind(&w->qp[0], window, mr, 500, 10, IB_ACCESS_REMOTE_READ), 0);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], window->key, 500, 10), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], window->key, 500, 11), SRNIC_MEM_BOUNDS);

	KUNIT_EXPECT_EQ(test, srnic_region_bind(bound, &w->qp[0]), 0);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[1], bound->stag.key, 0, 1), SRNIC_MEM_PD);
	KUNIT_EXPECT_EQ(test, srnic_region_protect(bound, new_mkeys(test)), 0);
	KUNIT_EXPECT_EQ(test, read_status(&w->qp[0], bound->stag.key, 0, 1), SRNIC_MEM_ACCESS);

	local_bh_disable();
	KUNIT_EXPECT_EQ(test, srnic_mem_invalidate(&w->qp[0], bound->stag.key, SRNIC_INV_BY_PEER),
			-EACCES);
	local_bh_enable();
}

static struct kunit_case mem_cases[] = {
	KUNIT_CASE(R10_region_ends_at_its_first_and_its_last_byte),
	KUNIT_CASE(R10_R13_device_memory_is_a_region_to_the_byte),
	KUNIT_CASE(device_memory_is_a_region_like_others),
	KUNIT_CASE(R10_single_bytes_at_both_ends),
	KUNIT_CASE(R10_sums_that_wrap_reach_nothing),
	KUNIT_CASE(R10_region_may_end_at_the_end_of_all_addresses),
	KUNIT_CASE(R7_key_of_another_domain_is_refused),
	KUNIT_CASE(R16_each_right_allows_what_it_names_and_no_more),
	KUNIT_CASE(R10_R16_what_is_held_is_checked_as_if_it_were_not),
	KUNIT_CASE(all_32_bits_of_a_key_count),
	KUNIT_CASE(R28_local_dma_key_is_a_kernel_consumers_alone),
	KUNIT_CASE(region_at_rest_is_not_accessible),
	KUNIT_CASE(rights_that_cannot_be_granted_are_refused),
	KUNIT_CASE_SLOW(R9_no_index_comes_back_before_100000_others),
	KUNIT_CASE_SLOW(R9_nor_when_all_have_been_given_out_and_the_order_changes),
	KUNIT_CASE_SLOW(R9_keys_are_hard_to_predict),
	KUNIT_CASE_SLOW(R9_over_100000_keys_no_predictor_beats_chance),
	KUNIT_CASE(R9_devices_give_out_keys_in_orders_of_their_own),
	KUNIT_CASE(R12_invalidation_waits_for_bursts_in_progress),
	KUNIT_CASE(R12_refused_accesses_do_not_delay_an_invalidation),
	KUNIT_CASE(gathered_bytes_are_the_regions_and_so_is_the_crc),
	KUNIT_CASE(copies_by_string_instruction_are_whole_and_touch_nothing_else),
	KUNIT_CASE(placed_bytes_are_placed_and_no_others),
	KUNIT_CASE(blocks_larger_than_a_page_are_walked_as_such),
	KUNIT_CASE(atomics_do_what_they_are_called),
	KUNIT_CASE(message_is_its_sges_one_after_the_other),
	KUNIT_CASE(R10_local_access_is_checked_to_the_byte_too),
	KUNIT_CASE(local_access_needs_domain_and_right),
	KUNIT_CASE(fast_registration_takes_effect_with_its_work_request),
	KUNIT_CASE(fast_registration_is_checked),
	KUNIT_CASE(R10_region_with_gaps_is_its_pieces_to_the_byte),
	KUNIT_CASE(region_with_gaps_may_have_any_address),
	KUNIT_CASE(as_many_pieces_are_mapped_as_fit),
	KUNIT_CASE(R10_region_with_gaps_is_no_longer_than_its_pieces),
	KUNIT_CASE(R10_no_word_lies_in_two_pieces),
	KUNIT_CASE(R7_R26_only_permitted_streams_invalidate_a_key),
	KUNIT_CASE(R10_R15_window_is_a_part_of_a_region_to_the_byte),
	KUNIT_CASE(window_shows_the_bytes_that_it_was_bound_to),
	KUNIT_CASE(R8_type_2_window_works_on_its_stream_only),
	KUNIT_CASE(R10_a_word_aligned_for_a_peer_is_aligned_in_memory),
	KUNIT_CASE(R16_window_has_the_rights_of_its_bind),
	KUNIT_CASE(bind_needs_the_rights_to_it),
	KUNIT_CASE(local_right_asked_of_a_window_gives_no_right),
	KUNIT_CASE(failed_bind_leaves_the_window_as_it_was),
	KUNIT_CASE(R12_rebinding_makes_the_former_key_worthless),
	KUNIT_CASE(type_2_window_is_bound_once_and_invalidated),
	KUNIT_CASE(window_is_not_bound_to_a_window),
	KUNIT_CASE(region_stays_as_long_as_windows_are_bound),
	KUNIT_CASE(R8_windows_go_with_their_qp),
	KUNIT_CASE(R8_a_queue_pair_that_goes_meets_its_own_windows_only),
	KUNIT_CASE(R8_a_region_may_serve_one_stream_only),
	KUNIT_CASE(R8_a_region_with_windows_is_not_bound),
	KUNIT_CASE(R8_a_region_that_goes_leaves_its_stream),
	KUNIT_CASE(P9_a_protected_region_is_for_proved_requests),
	KUNIT_CASE(P9_a_proof_is_no_right),
	KUNIT_CASE(P9_a_proof_is_asked_for_where_there_is_something_to_be_had),
	KUNIT_CASE(P9_no_window_leads_past_a_regions_keys),
	KUNIT_CASE(P9_a_region_is_protected_once),
	KUNIT_CASE(R8_P9_a_region_stays_valid_while_it_is_bound_or_protected),
	{}
};

static struct kunit_suite mem_suite = {
	.name = "srnic-mem",
	.init = mem_test_init,
	.test_cases = mem_cases,
};

kunit_test_suite(mem_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's mem room");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
