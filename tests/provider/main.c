// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

static const struct test_case *const suites[] = {
	ring_tests, post_tests, wr_tests, owed_tests, cq_tests, object_tests, domain_tests,
	import_tests, dm_tests, raw_tests, safe_tests, wakeup_tests,
};

static _Atomic unsigned int failures;

void test_fail(const char *file, int line, const char *what)
{
	if (failures++ < 20)
		printf("# %s:%d: not so: %s\n", strrchr(file, '/') + 1, line, what);
}

unsigned int test_rounds(void)
{
	const char *rounds = getenv("SRNIC_TEST_ROUNDS");

	return rounds ? strtoul(rounds, NULL, 0) : 1000000;
}

static bool run(const struct test_case *test, unsigned int number)
{
	failures = 0;
	test->run();
	printf("%s %u - %s\n", failures ? "not ok" : "ok", number, test->name);
	fflush(stdout);
	return !failures;
}

/* TAP. The argument selects the cases whose names contain it. */
int main(int argc, char **argv)
{
	const struct test_case *test;
	unsigned int count = 0, failed = 0;
	size_t i;

	puts("TAP version 13");
	for (i = 0; i < ARRAY_LEN(suites); i++) {
		for (test = suites[i]; test->name; test++) {
			if (argc > 1 && !strstr(test->name, argv[1]))
				continue;
			if (!run(test, ++count))
				failed++;
		}
	}
	printf("1..%u\n", count);
	return failed != 0;
}
