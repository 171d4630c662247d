/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A minimal harness: cases in tables, CHECK in cases. A failed check ends
 * neither its case nor the run.
 */
#ifndef SRNIC_TEST_H
#define SRNIC_TEST_H

#include <stdbool.h>
#include <stddef.h>

struct test_case {
	const char *name;
	void (*run)(void);
};

#define TEST(fn)	{ #fn, fn }
#define ARRAY_LEN(a)	(sizeof(a) / sizeof((a)[0]))

/* the suites; each ends with an entry without a name */
extern const struct test_case ring_tests[];
extern const struct test_case post_tests[];
extern const struct test_case wr_tests[];
extern const struct test_case owed_tests[];
extern const struct test_case cq_tests[];
extern const struct test_case object_tests[];
extern const struct test_case domain_tests[];
extern const struct test_case import_tests[];
extern const struct test_case dm_tests[];
extern const struct test_case raw_tests[];
extern const struct test_case safe_tests[];
extern const struct test_case wakeup_tests[];

void test_fail(const char *file, int line, const char *what);

/* Rounds of the race tests: SRNIC_TEST_ROUNDS, by default a million. */
unsigned int test_rounds(void);

#define CHECK(cond)							\
	do {								\
		if (!(cond))						\
			test_fail(__FILE__, __LINE__, #cond);		\
	} while (0)

#endif /* SRNIC_TEST_H */
