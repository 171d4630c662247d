/* SPDX-License-Identifier: GPL-2.0 */
/*
 * KUnit in user space: the part of <kunit/test.h> that the suites use, so that
 * a test body runs in the kernel and here. runner.c has the main().
 */
#ifndef SRNIC_HOST_KUNIT_TEST_H
#define SRNIC_HOST_KUNIT_TEST_H

#include <setjmp.h>
#include <linux/module.h>
#include "shim.h"

#define KUNIT_PARAM_DESC_SIZE	128

struct kunit {
	const void *param_value;
	void *priv;
	bool failed;
	jmp_buf abort;
	struct kunit_block *blocks;	/* freed when the case ends */
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
	const void *(*generate_params)(const void *prev, char *desc);
};

struct kunit_suite {
	const char name[256];
	int (*init)(struct kunit *test);
	void (*exit)(struct kunit *test);
	struct kunit_case *test_cases;
	struct kunit_suite *next;
};

void kunit_register(struct kunit_suite *suite);
void kunit_report(struct kunit *test, const char *file, int line, const char *expr,
		  const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void kunit_abort(struct kunit *test) __attribute__((noreturn));
void *kunit_kzalloc(struct kunit *test, size_t size, int gfp);
#define kunit_kmalloc kunit_kzalloc

#define KUNIT_CASE(fn)			{ .run_case = fn, .name = #fn }
#define KUNIT_CASE_SLOW(fn)		KUNIT_CASE(fn)
#define KUNIT_CASE_PARAM(fn, gen) \
	{ .run_case = fn, .name = #fn, .generate_params = gen }

#define KUNIT_ARRAY_PARAM_DESC(gen, array, member) \
static const void *gen##_gen_params(const void *prev, char *desc) \
{ \
	typeof((array)[0]) *p = prev ? (typeof(p))prev + 1 : (array); \
\
	if ((size_t)(p - (array)) >= ARRAY_SIZE(array)) \
		return NULL; \
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", p->member); \
	return p; \
}

#define kunit_test_suite(suite) \
static void __attribute__((constructor)) suite##_register(void) \
{ \
	kunit_register(&(suite)); \
}

#define SHIM_CHECK(test, ok, after, expr, ...) do { \
	if (!(ok)) { \
		kunit_report(test, __FILE__, __LINE__, expr, __VA_ARGS__); \
		after; \
	} \
} while (0)

#define SHIM_CMP(test, l, op, r, after, ...) do { \
	typeof(l) __l = (l); \
	typeof(r) __r = (r); \
\
	if (!(__l op __r)) { \
		kunit_report(test, __FILE__, __LINE__, #l " " #op " " #r, \
			     "%#llx, %#llx", (long long)__l, (long long)__r); \
		kunit_report(test, __FILE__, __LINE__, "", "" __VA_ARGS__); \
		after; \
	} \
} while (0)

#define KUNIT_FAIL(test, ...) \
	SHIM_CHECK(test, false, (void)0, "fail", __VA_ARGS__)
#define KUNIT_EXPECT_TRUE(test, c)	SHIM_CHECK(test, c, (void)0, #c, "false")
#define KUNIT_EXPECT_FALSE(test, c)	SHIM_CHECK(test, !(c), (void)0, "!" #c, "true")
#define KUNIT_EXPECT_TRUE_MSG(test, c, ...) \
	SHIM_CHECK(test, c, (void)0, #c, __VA_ARGS__)
#define KUNIT_EXPECT_FALSE_MSG(test, c, ...) \
	SHIM_CHECK(test, !(c), (void)0, "!" #c, __VA_ARGS__)
#define KUNIT_EXPECT_NULL(test, p)	SHIM_CHECK(test, !(p), (void)0, "!" #p, "not NULL")
#define KUNIT_EXPECT_NOT_NULL(test, p)	SHIM_CHECK(test, p, (void)0, #p, "NULL")
#define KUNIT_EXPECT_STREQ(test, l, r) \
	SHIM_CHECK(test, !strcmp(l, r), (void)0, #l " == " #r, "\"%s\", \"%s\"", l, r)
#define KUNIT_EXPECT_MEMEQ(test, l, r, n) \
	SHIM_CHECK(test, !memcmp(l, r, n), (void)0, #l " == " #r, "%zu bytes", (size_t)(n))
#define KUNIT_EXPECT_MEMEQ_MSG(test, l, r, n, ...) \
	SHIM_CHECK(test, !memcmp(l, r, n), (void)0, #l " == " #r, __VA_ARGS__)
#define KUNIT_EXPECT_MEMNEQ(test, l, r, n) \
	SHIM_CHECK(test, memcmp(l, r, n), (void)0, #l " != " #r, "%zu bytes", (size_t)(n))
#define KUNIT_EXPECT_EQ(test, l, r)	SHIM_CMP(test, l, ==, r, (void)0)
#define KUNIT_EXPECT_NE(test, l, r)	SHIM_CMP(test, l, !=, r, (void)0)
#define KUNIT_EXPECT_LT(test, l, r)	SHIM_CMP(test, l, <, r, (void)0)
#define KUNIT_EXPECT_LE(test, l, r)	SHIM_CMP(test, l, <=, r, (void)0)
#define KUNIT_EXPECT_GT(test, l, r)	SHIM_CMP(test, l, >, r, (void)0)
#define KUNIT_EXPECT_GE(test, l, r)	SHIM_CMP(test, l, >=, r, (void)0)
#define KUNIT_EXPECT_PTR_EQ(test, l, r) \
	SHIM_CHECK(test, (l) == (r), (void)0, #l " == " #r, "%p, %p", l, r)
#define KUNIT_EXPECT_EQ_MSG(test, l, r, ...) SHIM_CMP(test, l, ==, r, (void)0, __VA_ARGS__)
#define KUNIT_EXPECT_NE_MSG(test, l, r, ...) SHIM_CMP(test, l, !=, r, (void)0, __VA_ARGS__)

#define KUNIT_ASSERT_TRUE(test, c) \
	SHIM_CHECK(test, c, kunit_abort(test), #c, "false")
#define KUNIT_ASSERT_FALSE(test, c) \
	SHIM_CHECK(test, !(c), kunit_abort(test), "!" #c, "true")
#define KUNIT_ASSERT_NOT_NULL(test, p) \
	SHIM_CHECK(test, p, kunit_abort(test), #p, "NULL")
#define KUNIT_ASSERT_EQ(test, l, r)	SHIM_CMP(test, l, ==, r, kunit_abort(test))
#define KUNIT_ASSERT_NE(test, l, r)	SHIM_CMP(test, l, !=, r, kunit_abort(test))
#define KUNIT_ASSERT_LE(test, l, r)	SHIM_CMP(test, l, <=, r, kunit_abort(test))
#define KUNIT_ASSERT_EQ_MSG(test, l, r, ...) \
	SHIM_CMP(test, l, ==, r, kunit_abort(test), __VA_ARGS__)

#define kunit_info(test, ...)	do { printf("# " __VA_ARGS__); puts(""); } while (0)

#endif /* SRNIC_HOST_KUNIT_TEST_H */
