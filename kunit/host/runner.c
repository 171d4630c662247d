// SPDX-License-Identifier: GPL-2.0
/*
 * Run the registered suites: TAP on standard output, then "N passed, N failed".
 *
 *	check [PATTERN]		only cases whose "suite: case" contains PATTERN
 */
#include <stdarg.h>
#include <kunit/test.h>

struct kunit_block {
	struct kunit_block *next;
	void *p;	/* a separate allocation, so that ASan guards both its ends */
};

static struct kunit_suite *suites;
static const char *pattern = "";
static unsigned int passed, failed;

void kunit_register(struct kunit_suite *suite)
{
	suite->next = suites;
	suites = suite;
}

void kunit_report(struct kunit *test, const char *file, int line, const char *expr,
		  const char *fmt, ...)
{
	va_list args;

	test->failed = true;
	if (!*expr && !*fmt)
		return;
	printf("# %s:%d: %s: ", file, line, expr);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	puts("");
}

void kunit_abort(struct kunit *test)
{
	longjmp(test->abort, 1);
}

void *kunit_kzalloc(struct kunit *test, size_t size, int gfp)
{
	struct kunit_block *block = malloc(sizeof(*block));

	(void)gfp;
	block->p = calloc(1, size);
	block->next = test->blocks;
	test->blocks = block;
	return block->p;
}

static void free_blocks(struct kunit *test)
{
	while (test->blocks) {
		struct kunit_block *block = test->blocks;

		test->blocks = block->next;
		free(block->p);
		free(block);
	}
}

static void run(struct kunit_suite *suite, struct kunit_case *c, const void *param,
		const char *desc)
{
	struct kunit test = { .param_value = param };
	char name[512];

	snprintf(name, sizeof(name), "%s: %s%s%s", suite->name, c->name,
		 *desc ? ": " : "", desc);
	if (!strstr(name, pattern))
		return;

	if (!setjmp(test.abort)) {
		if (suite->init && suite->init(&test))
			kunit_report(&test, __FILE__, __LINE__, "init", "failed");
		else
			c->run_case(&test);
	}
	if (suite->exit)
		suite->exit(&test);
	free_blocks(&test);

	if (test.failed)
		failed++;
	else
		passed++;
	printf("%sok %u - %s\n", test.failed ? "not " : "", passed + failed, name);
}

static void run_all(struct kunit_suite *suite, struct kunit_case *c)
{
	char desc[KUNIT_PARAM_DESC_SIZE] = "";
	const void *param = NULL;

	if (!c->generate_params) {
		run(suite, c, NULL, "");
		return;
	}
	while ((param = c->generate_params(param, desc)))
		run(suite, c, param, desc);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		pattern = argv[1];

	puts("TAP version 14");
	for (struct kunit_suite *suite = suites; suite; suite = suite->next)
		for (struct kunit_case *c = suite->test_cases; c->run_case; c++)
			run_all(suite, c);
	printf("1..%u\n", passed + failed);
	printf("%u passed, %u failed\n", passed, failed);
	return failed || !passed;
}
