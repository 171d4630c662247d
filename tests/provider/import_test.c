// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Objects of another process: imported objects are those of the kernel, and giving them up
 * destroys none of them (ibv_import_device(3), ibv_import_pd(3), ibv_import_mr(3)).
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "fake.h"
#include "test.h"

static void import_context_has_the_limits_of_the_kernel(void)
{
	const struct srnic_alloc_ucontext_resp limits = FAKE_LIMITS;
	struct verbs_context *vctx;
	struct srnic_context *ctx;
	int fd;

	fake_begin();
	fd = dup(fake.fd);
	vctx = srnic_import_context(&fake.vdev.device, fd);
	CHECK(vctx && vctx->context.cmd_fd == fd && vctx->context.device == &fake.vdev.device);
	ctx = to_sctx(&vctx->context);
	CHECK(ctx->max_sge == limits.max_sge && ctx->max_inline == limits.max_inline);
	CHECK(!ctx->features && !ctx->safe_cq);
	CHECK(atomic_load(&ctx->no_write));	/* another process may not */
	CHECK(fake.commands == 1);	/* nothing is made in the kernel */

	CHECK(!ibv_close_device(&vctx->context));
	CHECK(fcntl(fd, F_GETFD) < 0 && errno == EBADF);
	CHECK(fake.commands == 1);
	fake_end();
}

/* An older module has no such query: EOPNOTSUPP, as of a device that cannot be imported. */
static void import_context_fails_cleanly(void)
{
	int fd;

	fake_begin();
	fake.fail = EOPNOTSUPP;
	fd = dup(fake.fd);
	CHECK(!srnic_import_context(&fake.vdev.device, fd) && errno == EOPNOTSUPP);
	CHECK(fcntl(fd, F_GETFD) < 0 && errno == EBADF);
	fake_end();
}

/* The context owns the descriptor, so it is closed as well if there is no context. */
static void import_context_leaks_no_descriptor(void)
{
	int fd;

	fake_begin();
	fd = dup(fake.fd);
	setenv("SRNIC_SAFE_CQ", "maybe", 1);
	CHECK(!srnic_import_context(&fake.vdev.device, fd) && errno == EINVAL);
	unsetenv("SRNIC_SAFE_CQ");
	CHECK(fcntl(fd, F_GETFD) < 0 && errno == EBADF);
	CHECK(!fake.commands);
	fake_end();
}

static void import_pd_is_one_of_the_context(void)
{
	struct ibv_context *ctx = &fake.ctx.vctx.context;
	struct ibv_pd *pd, *imported;
	struct ibv_cq *cq;

	fake_begin();
	pd = srnic_alloc_pd(ctx);
	cq = srnic_create_cq(ctx, 4, NULL, 0);
	imported = srnic_import_pd(ctx, pd->handle);
	CHECK(imported && imported != pd);
	CHECK(imported->context == ctx && imported->handle == pd->handle);
	CHECK(!srnic_single_threaded(imported));

	CHECK(!srnic_import_pd(ctx, cq->handle) && errno == ENOENT);
	CHECK(!srnic_import_pd(ctx, 4711) && errno == ENOENT);
	fake.fail = EPROTONOSUPPORT;	/* an older module */
	CHECK(!srnic_import_pd(ctx, pd->handle) && errno == EPROTONOSUPPORT);

	fake.commands = 0;
	srnic_unimport_pd(imported);
	CHECK(!fake.commands);		/* the domain stays */
	CHECK(!srnic_dealloc_pd(pd));
	srnic_destroy_cq(cq);
	fake_end();
}

static void import_mr_has_the_keys_and_no_address(void)
{
	struct ibv_context *ctx = &fake.ctx.vctx.context;
	struct ibv_pd *pd;
	struct ibv_mr *mr;

	fake_begin();
	pd = srnic_alloc_pd(ctx);
	mr = srnic_import_mr(pd, 33);
	CHECK(mr && mr->handle == 33 && mr->pd == pd && mr->context == ctx);
	CHECK(mr->lkey == FAKE_LKEY && mr->rkey == FAKE_RKEY && !mr->addr);
	fake.commands = 0;
	srnic_unimport_mr(mr);
	CHECK(!fake.commands);		/* the region stays */

	mr = srnic_import_mr(pd, 33);
	fake.commands = 0;
	CHECK(!srnic_dereg_mr(verbs_get_mr(mr)) && fake.commands == 1);

	fake.fail = ENOENT;
	CHECK(!srnic_import_mr(pd, 34) && errno == ENOENT);
	srnic_dealloc_pd(pd);
	fake_end();
}

const struct test_case import_tests[] = {
	TEST(import_context_has_the_limits_of_the_kernel),
	TEST(import_context_fails_cleanly),
	TEST(import_context_leaks_no_descriptor),
	TEST(import_pd_is_one_of_the_context),
	TEST(import_mr_has_the_keys_and_no_address),
	{},
};
