// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Device memory: copies stay inside it, other processes see the same bytes, and failures leak
 * nothing (ibv_alloc_dm(3), ibv_import_dm(3)).
 */
#include <string.h>

#include "fake.h"
#include "test.h"

static struct ibv_context *ctx(void)
{
	return &fake.ctx.vctx.context;
}

static struct ibv_dm *alloc(size_t length)
{
	struct ibv_alloc_dm_attr attr = { .length = length };

	return srnic_alloc_dm(ctx(), &attr);
}

static void dm_copies_stay_inside_it(void)
{
	const char data[8] = "contents";
	char copy[8] = {};
	struct ibv_dm *dm;

	fake_begin();
	dm = alloc(5000);
	CHECK(dm && dm->context == ctx());
	CHECK(!ibv_memcpy_to_dm(dm, 4992, data, 8));
	CHECK(!ibv_memcpy_from_dm(copy, dm, 4992, 8) && !memcmp(copy, data, 8));
	CHECK(!ibv_memcpy_to_dm(dm, 5000, data, 0));

	/* there are bytes behind it, up to the end of the page */
	CHECK(ibv_memcpy_to_dm(dm, 4996, data, 8) == EFAULT);
	CHECK(ibv_memcpy_from_dm(copy, dm, 4996, 8) == EFAULT);
	CHECK(ibv_memcpy_to_dm(dm, 5004, data, 0) == EFAULT);
	CHECK(ibv_memcpy_to_dm(dm, UINT64_MAX - 3, data, 8) == EFAULT);
	CHECK(ibv_memcpy_from_dm(copy, dm, 8, SIZE_MAX - 3) == EFAULT);
	/* words of four bytes only, as with other devices */
	CHECK(ibv_memcpy_to_dm(dm, 2, data, 4) == EINVAL);
	CHECK(ibv_memcpy_from_dm(copy, dm, 4, 3) == EINVAL);
	CHECK(!srnic_free_dm(dm));
	fake_end();
}

static void dm_fails_cleanly(void)
{
	struct ibv_alloc_dm_attr attr = { .length = 64, .comp_mask = 1 };
	struct ibv_dm *dm;

	fake_begin();
	CHECK(!srnic_alloc_dm(ctx(), &attr) && errno == EOPNOTSUPP && !fake.commands);
	fake.fail = ENOMEM;
	CHECK(!alloc(64) && errno == ENOMEM);
	dm = alloc(64);
	fake.fail = EBUSY;		/* a region of it exists */
	CHECK(srnic_free_dm(dm) == EBUSY);
	CHECK(!ibv_memcpy_to_dm(dm, 0, "1234", 4));	/* it still exists */
	CHECK(!srnic_free_dm(dm));
	fake_end();
}

static void dm_imported_is_the_same_memory(void)
{
	struct ibv_dm *dm, *imported;
	char copy[4] = {};

	fake_begin();
	dm = alloc(64);
	imported = srnic_import_dm(ctx(), dm->handle);
	CHECK(imported && imported->handle == dm->handle);
	CHECK(!ibv_memcpy_to_dm(dm, 60, "same", 4));
	CHECK(!ibv_memcpy_from_dm(copy, imported, 60, 4) && !memcmp(copy, "same", 4));
	CHECK(ibv_memcpy_from_dm(copy, imported, 64, 4) == EFAULT);

	CHECK(!srnic_import_dm(ctx(), 4711) && errno == ENOENT);
	fake.commands = 0;
	srnic_unimport_dm(imported);
	CHECK(!fake.commands);		/* the memory stays */
	CHECK(!srnic_free_dm(dm));
	fake_end();
}

static void dm_is_registered(void)
{
	struct ibv_pd *pd;
	struct ibv_dm *dm;
	struct ibv_mr *mr;

	fake_begin();
	pd = srnic_alloc_pd(ctx());
	dm = alloc(64);
	mr = srnic_reg_dm_mr(pd, dm, 8, 56, IBV_ACCESS_ZERO_BASED);
	CHECK(mr && mr->lkey == FAKE_LKEY && mr->rkey == FAKE_RKEY && !mr->addr);
	CHECK(!srnic_dereg_mr(verbs_get_mr(mr)));
	fake.fail = EINVAL;
	CHECK(!srnic_reg_dm_mr(pd, dm, 8, 57, IBV_ACCESS_ZERO_BASED) && errno == EINVAL);
	CHECK(!srnic_free_dm(dm));
	srnic_dealloc_pd(pd);
	fake_end();
}

const struct test_case dm_tests[] = {
	TEST(dm_copies_stay_inside_it),
	TEST(dm_fails_cleanly),
	TEST(dm_imported_is_the_same_memory),
	TEST(dm_is_registered),
	{},
};
