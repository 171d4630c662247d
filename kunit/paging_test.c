// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of mem: regions that are paged on demand. R numbers are the rows of
 * Documentation/security/rfc5042.md.
 */
#include <kunit/test.h>
#include <linux/bottom_half.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "srnic.h"
#include "mem/mem.h"

#define RIGHTS		(IB_ACCESS_LOCAL_WRITE | SRNIC_ACCESS_REMOTE | IB_ACCESS_ON_DEMAND)
#define PAGES		300
#define ROOM		(PAGES * PAGE_SIZE)

/**
 * struct world - A device with two protection domains, and a region of the test's own memory
 * @dev: the device, for its table of keys
 * @pd: the domains
 * @qp: a stream of each
 * @mr: the region, in the first one
 * @memory: address of its first byte
 * @gone: the region has been destroyed
 */
struct world {
	struct srnic_dev dev;
	struct srnic_pd pd[2];
	struct srnic_mem_stream qp[2];
	struct srnic_mr *mr;
	unsigned long memory;
	bool gone;
};

static void end_region(struct world *w)
{
	if (w->gone)
		return;
	w->gone = true;
	srnic_region_retire(w->mr);
	srnic_stag_remove(&w->dev, &w->mr->stag);
	srnic_map_release(&w->mr->map);
	synchronize_rcu();
}

static void end_world(void *arg)
{
	struct world *w = arg;

	end_region(w);
	srnic_stag_table_exit(&w->dev);
}

static void make_region(struct kunit *test, struct world *w, unsigned long prot)
{
	struct srnic_mr *mr = kunit_kzalloc(test, sizeof(*mr), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, mr);
	w->memory = kunit_vm_mmap(test, NULL, 0, ROOM, prot, MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NE(test, w->memory, 0);
	KUNIT_ASSERT_LT(test, w->memory, TASK_SIZE);
	srnic_stag_init(&mr->stag, SRNIC_STAG_ON_DEMAND, &w->pd[0]);
	mr->stag.mr = mr;
	mr->stag.access = RIGHTS;
	mr->stag.iova = w->memory;
	mr->stag.length = ROOM;
	KUNIT_ASSERT_EQ(test, srnic_stag_insert(&w->dev, &mr->stag), 0);
	w->mr = mr;
	KUNIT_ASSERT_EQ(test, srnic_region_page(mr, w->memory), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, end_world, w), 0);
}

static struct world *make_world(struct kunit *test, unsigned long prot)
{
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, w);
	KUNIT_ASSERT_EQ(test, srnic_stag_table_init(&w->dev), 0);
	for (int i = 0; i < 2; i++) {
		w->pd[i].ib.device = &w->dev.ib;
		spin_lock_init(&w->pd[i].lock);
		w->qp[i].pd = &w->pd[i];
		w->qp[i].user = true;
		INIT_LIST_HEAD(&w->qp[i].stags);
	}
	make_region(test, w, prot);
	return w;
}

static struct srnic_access access_to(const struct world *w, u64 off, u64 len, u32 rights)
{
	return (struct srnic_access){
		.key = w->mr->stag.key, .rights = rights, .va = w->memory + off, .len = len,
	};
}

static enum srnic_mem_status status_of(const struct world *w, u64 off, u64 len, u32 rights)
{
	const struct srnic_access access = access_to(w, off, len, rights);
	enum srnic_mem_status status;
	struct srnic_mem_ref ref;

	local_bh_disable();
	status = srnic_mem_get(&w->qp[0], &access, &ref);
	if (!status)
		srnic_mem_put(&ref);
	local_bh_enable();
	return status;
}

static int page_in(const struct world *w, u64 off, u64 len, u32 rights, u64 ahead)
{
	const struct srnic_access access = access_to(w, off, len, rights);

	return srnic_mem_page_in(&w->qp[0], &access, ahead);
}

static void place(struct kunit *test, const struct world *w, u64 off, u8 value)
{
	const struct srnic_access access = access_to(w, off, 1, IB_ACCESS_REMOTE_WRITE);
	struct srnic_mem_ref ref;

	local_bh_disable();
	if (!srnic_mem_get(&w->qp[0], &access, &ref)) {
		srnic_mem_place(&ref, access.va, &value, 1);
		srnic_mem_put(&ref);
	} else {
		KUNIT_FAIL(test, "byte %llu is not there", off);
	}
	local_bh_enable();
}

static u8 byte_of_process(struct kunit *test, const struct world *w, u64 off)
{
	u8 value = 0;

	KUNIT_EXPECT_EQ(test, copy_from_user(&value, u64_to_user_ptr(w->memory + off), 1), 0);
	return value;
}

#define PUT	IB_ACCESS_REMOTE_WRITE
#define GET	IB_ACCESS_REMOTE_READ

static void pages_are_absent_until_they_are_requested(struct kunit *test)
{
	struct world *w = make_world(test, PROT_READ | PROT_WRITE);

	KUNIT_EXPECT_EQ(test, status_of(w, 5, 10, PUT), SRNIC_MEM_ABSENT);
	KUNIT_EXPECT_EQ(test, page_in(w, 5, 10, PUT, 0), 0);
	KUNIT_EXPECT_EQ(test, status_of(w, 5, 10, PUT), SRNIC_MEM_OK);
	place(test, w, 14, 77);
	KUNIT_EXPECT_EQ(test, byte_of_process(test, w, 14), 77);

	/* an access in two pages needs both */
	KUNIT_EXPECT_EQ(test, status_of(w, PAGE_SIZE - 1, 2, PUT), SRNIC_MEM_ABSENT);
	KUNIT_EXPECT_EQ(test, page_in(w, PAGE_SIZE - 1, 2, PUT, 0), 0);
	KUNIT_EXPECT_EQ(test, status_of(w, PAGE_SIZE - 1, 2, PUT), SRNIC_MEM_OK);
}

static void no_more_is_needed_than_is_accessed_at_a_time(struct kunit *test)
{
	struct world *w = make_world(test, PROT_READ | PROT_WRITE);

	KUNIT_EXPECT_EQ(test, page_in(w, 0, SRNIC_MEM_PACKET, PUT, 0), 0);
	KUNIT_EXPECT_EQ(test, status_of(w, 0, ROOM, PUT), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, status_of(w, 0, ROOM, GET), SRNIC_MEM_ABSENT);
	KUNIT_EXPECT_EQ(test, page_in(w, 0, ROOM, GET, 0), 0);
	KUNIT_EXPECT_EQ(test, status_of(w, 0, ROOM, GET), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, status_of(w, SRNIC_MEM_TURN, 1, GET), SRNIC_MEM_ABSENT);

	KUNIT_EXPECT_EQ(test, status_of(w, ROOM - 1, 1, GET | SRNIC_ACCESS_LATER), SRNIC_MEM_OK);
}

static void R32_pages_that_the_process_may_read_are_not_written(struct kunit *test)
{
	struct world *w = make_world(test, PROT_READ);

	KUNIT_EXPECT_EQ(test, page_in(w, 0, 1, GET, 0), 0);
	KUNIT_EXPECT_EQ(test, status_of(w, 0, 1, GET), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, status_of(w, 0, 1, PUT), SRNIC_MEM_ABSENT);
	KUNIT_EXPECT_EQ(test, status_of(w, 0, 8, IB_ACCESS_REMOTE_ATOMIC), SRNIC_MEM_ABSENT);
	KUNIT_EXPECT_LT(test, page_in(w, 0, 1, PUT, 0), 0);
	KUNIT_EXPECT_EQ(test, status_of(w, 0, 1, PUT), SRNIC_MEM_ABSENT);
}

/* The page of zeros is everybody's */
static void R32_pages_that_were_only_read_are_written_as_copies(struct kunit *test)
{
	struct world *w = make_world(test, PROT_READ | PROT_WRITE);

	KUNIT_EXPECT_EQ(test, page_in(w, 0, 1, GET, 0), 0);
	KUNIT_EXPECT_EQ(test, status_of(w, 0, 1, PUT), SRNIC_MEM_ABSENT);
	KUNIT_EXPECT_EQ(test, page_in(w, 0, 1, PUT, 0), 0);
	place(test, w, 0, 5);
	KUNIT_EXPECT_EQ(test, byte_of_process(test, w, 0), 5);
	KUNIT_EXPECT_EQ(test, page_in(w, PAGE_SIZE, 1, GET, 0), 0);
	KUNIT_EXPECT_EQ(test, byte_of_process(test, w, PAGE_SIZE), 0);
}

static void R12_pages_that_the_process_has_lost_are_absent(struct kunit *test)
{
	struct world *w = make_world(test, PROT_READ | PROT_WRITE);

	KUNIT_EXPECT_EQ(test, page_in(w, 0, 2 * PAGE_SIZE, GET, 0), 0);
	KUNIT_EXPECT_EQ(test, vm_munmap(w->memory, PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, status_of(w, 0, 1, GET), SRNIC_MEM_ABSENT);
	KUNIT_EXPECT_EQ(test, status_of(w, PAGE_SIZE, 1, GET), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, page_in(w, 0, 1, GET, 0), -EFAULT);
	/* memory behind the needed bytes does not count */
	KUNIT_EXPECT_EQ(test, page_in(w, PAGE_SIZE, 1, PUT, ROOM), 0);
	KUNIT_EXPECT_EQ(test, vm_munmap(w->memory + 3 * PAGE_SIZE, PAGE_SIZE), 0);
	KUNIT_EXPECT_EQ(test, page_in(w, 2 * PAGE_SIZE, 1, PUT, ROOM), 0);
	KUNIT_EXPECT_EQ(test, status_of(w, 2 * PAGE_SIZE, 1, PUT), SRNIC_MEM_OK);
}

static void R7_nothing_is_requested_for_an_access_that_is_refused(struct kunit *test)
{
	struct world *w = make_world(test, PROT_READ | PROT_WRITE);
	struct srnic_access access = access_to(w, 0, 1, PUT);

	KUNIT_EXPECT_EQ(test, srnic_mem_page_in(&w->qp[1], &access, 0), 0);
	access.len = ROOM + 1;
	KUNIT_EXPECT_EQ(test, srnic_mem_page_in(&w->qp[0], &access, 0), 0);
	access = access_to(w, 0, 1, IB_ACCESS_MW_BIND);
	KUNIT_EXPECT_EQ(test, srnic_mem_page_in(&w->qp[0], &access, 0), 0);
	KUNIT_EXPECT_EQ(test, status_of(w, 0, 1, PUT), SRNIC_MEM_ABSENT);
	KUNIT_EXPECT_EQ(test, status_of(w, 0, ROOM + 1, PUT), SRNIC_MEM_BOUNDS);
}

static void streams_that_cannot_wait_reach_no_paged_memory(struct kunit *test)
{
	struct world *w = make_world(test, PROT_READ | PROT_WRITE);

	KUNIT_EXPECT_EQ(test, page_in(w, 0, 1, GET, 0), 0);
	KUNIT_EXPECT_EQ(test, status_of(w, 0, 1, GET), SRNIC_MEM_OK);
	w->qp[0].unpaged = true;
	KUNIT_EXPECT_EQ(test, status_of(w, 0, 1, GET), SRNIC_MEM_ACCESS);
	KUNIT_EXPECT_EQ(test, status_of(w, PAGE_SIZE, 1, GET), SRNIC_MEM_ACCESS);
}

static void R18_a_page_in_is_bounded(struct kunit *test)
{
	struct world *w = make_world(test, PROT_READ | PROT_WRITE);

	KUNIT_EXPECT_EQ(test, page_in(w, 0, 1, GET, ~0ULL), 0);
	KUNIT_EXPECT_EQ(test, status_of(w, SZ_1M - 1, 1, GET), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, status_of(w, SZ_1M, 1, GET), SRNIC_MEM_ABSENT);
	KUNIT_EXPECT_EQ(test, page_in(w, ROOM - 1, 1, GET, ~0ULL), 0);
	KUNIT_EXPECT_EQ(test, status_of(w, ROOM - 1, 1, GET), SRNIC_MEM_OK);
}

static void R12_no_page_comes_after_the_region_has_gone(struct kunit *test)
{
	struct world *w = make_world(test, PROT_READ | PROT_WRITE);

	KUNIT_EXPECT_EQ(test, page_in(w, 0, 1, GET, 0), 0);
	end_region(w);
	KUNIT_EXPECT_EQ(test, page_in(w, 0, 1, GET, 0), 0);
	KUNIT_EXPECT_EQ(test, status_of(w, 0, 1, GET), SRNIC_MEM_INVALID);
}

struct unmapper {
	struct mm_struct *mm;
	unsigned long memory;
	struct completion done;
};

static int unmap_thread(void *arg)
{
	struct unmapper *u = arg;

	kthread_use_mm(u->mm);
	vm_munmap(u->memory, PAGE_SIZE);
	kthread_unuse_mm(u->mm);
	complete_all(&u->done);
	return 0;
}

static void R12_a_page_stays_as_long_as_an_access_is_in_progress(struct kunit *test)
{
	struct world *w = make_world(test, PROT_READ | PROT_WRITE);
	struct unmapper *u = kunit_kzalloc(test, sizeof(*u), GFP_KERNEL);
	struct task_struct *task;

	KUNIT_ASSERT_NOT_NULL(test, u);
	KUNIT_ASSERT_EQ(test, page_in(w, 0, 2 * PAGE_SIZE, PUT, 2 * PAGE_SIZE), 0);
	u->mm = current->mm;
	u->memory = w->memory;
	init_completion(&u->done);
	KUNIT_ASSERT_TRUE(test, srnic_stag_get(&w->mr->stag));
	task = kthread_run(unmap_thread, u, "srnic-paging-test");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));

	for (int i = 0; i < 3000 && srnic_stag_valid(&w->mr->stag); i++)
		usleep_range(100, 1000);
	KUNIT_EXPECT_FALSE(test, srnic_stag_valid(&w->mr->stag));
	/* other accesses are told to wait, even to pages that stay */
	KUNIT_EXPECT_EQ(test, status_of(w, PAGE_SIZE, 1, PUT), SRNIC_MEM_ABSENT);
	KUNIT_EXPECT_EQ(test, wait_for_completion_timeout(&u->done, HZ / 20), 0);
	srnic_stag_put(&w->mr->stag);
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&u->done, 300 * HZ), 0);
	KUNIT_EXPECT_EQ(test, status_of(w, PAGE_SIZE, 1, PUT), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, status_of(w, 0, 1, PUT), SRNIC_MEM_ABSENT);
}

static void prefetch_obeys_the_region(struct kunit *test)
{
	struct world *w = make_world(test, PROT_READ | PROT_WRITE);
	struct srnic_access access = access_to(w, 0, PAGE_SIZE, 0);

	access.local = true;
	KUNIT_EXPECT_EQ(test, srnic_mem_prefetch(&w->qp[0], &access, SRNIC_PREFETCH_PRESENT), 0);
	KUNIT_EXPECT_EQ(test, status_of(w, 0, 1, GET), SRNIC_MEM_ABSENT);
	KUNIT_EXPECT_EQ(test, srnic_mem_prefetch(&w->qp[0], &access, SRNIC_PREFETCH_FAULT), 0);
	KUNIT_EXPECT_EQ(test, status_of(w, 0, 1, GET), SRNIC_MEM_OK);
	KUNIT_EXPECT_EQ(test, srnic_mem_prefetch(&w->qp[1], &access, SRNIC_PREFETCH_FAULT),
			-EFAULT);
	access.len = ROOM + 1;
	KUNIT_EXPECT_EQ(test, srnic_mem_prefetch(&w->qp[0], &access, SRNIC_PREFETCH_FAULT),
			-EFAULT);
	access.len = 0;
	KUNIT_EXPECT_EQ(test, srnic_mem_prefetch(&w->qp[0], &access, SRNIC_PREFETCH_FAULT), 0);
}

static void rights_that_do_not_fit_are_refused(struct kunit *test)
{
	struct world *w = make_world(test, PROT_READ | PROT_WRITE);

	KUNIT_EXPECT_EQ(test, srnic_region_protect(w->mr, NULL), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, srnic_region_bind(w->mr, &w->qp[0]), 0);
	KUNIT_EXPECT_EQ(test, srnic_region_check_access(RIGHTS), 0);
	KUNIT_EXPECT_EQ(test, srnic_region_check_access(RIGHTS | IB_ACCESS_MW_BIND), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, srnic_region_check_access(RIGHTS | IB_ACCESS_FLUSH_PERSISTENT),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, srnic_region_check_access(IB_ACCESS_ON_DEMAND |
							IB_ACCESS_REMOTE_WRITE), -EINVAL);
}

static struct kunit_case paging_cases[] = {
	KUNIT_CASE(pages_are_absent_until_they_are_requested),
	KUNIT_CASE(no_more_is_needed_than_is_accessed_at_a_time),
	KUNIT_CASE(R32_pages_that_the_process_may_read_are_not_written),
	KUNIT_CASE(R32_pages_that_were_only_read_are_written_as_copies),
	KUNIT_CASE(R12_pages_that_the_process_has_lost_are_absent),
	KUNIT_CASE(R7_nothing_is_requested_for_an_access_that_is_refused),
	KUNIT_CASE(streams_that_cannot_wait_reach_no_paged_memory),
	KUNIT_CASE(R18_a_page_in_is_bounded),
	KUNIT_CASE(R12_no_page_comes_after_the_region_has_gone),
	KUNIT_CASE(R12_a_page_stays_as_long_as_an_access_is_in_progress),
	KUNIT_CASE(prefetch_obeys_the_region),
	KUNIT_CASE(rights_that_do_not_fit_are_refused),
	{}
};

static struct kunit_suite paging_suite = {
	.name = "srnic-paging",
	.test_cases = paging_cases,
};

kunit_test_suite(paging_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's regions that are paged on demand");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
