// SPDX-License-Identifier: GPL-2.0
/*
 * srnic-ioctls - processes that make valid and invalid calls to the kernel (RFC 5042 section
 * 6.5, R1 and R28), while valid and invalid packets arrive.
 *
 * The run consists of rounds. Several processes with several threads make calls from the
 * grammar, on files of their own, which they close and reopen, and on one shared by all. One
 * process is killed and replaced meanwhile; at the end of a round, all are killed and their
 * objects go. The kernel's log shows whether the kernel has survived. The program itself
 * checks that each call was granted often enough, otherwise the run has shown nothing, and
 * that calls not supported by srnic were never granted.
 */
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ioctls.h"

#define PROCESSES	3
#define THREADS		2
#define ROUND_MS	4000
#define ROUND_CALLS	4000
#define ROUND_MAX_S	40	/* then without them */
#define PATIENCE_S	120	/* seconds in which a killed process must exit */
#define LIFE		1500	/* average number of calls between two openings of a file */

/* Minimum for a meaningful run: for each call, and for requests in rings */
#define LEAST_GRANTED	3
#define LEAST_CALLS	10000	/* a busy machine gets more time */
#define LEAST_SHARE	60	/* one in so many calls */
#define LEAST_DONE	20
#define GRACE_S		420	/* seconds of extra time to reach the minimum */

#define ORDINARY	4	/* default weight */

static uint64_t seed;
static const struct call *draw[4096];
static size_t ndraw;

/* Enter each call as often as its weight */
static void prepare_draw(void)
{
	for (size_t i = 0; i < ncalls; i++) {
		int n = calls[i].weight ?: calls[i].absent ? 1 : ORDINARY;

		while (!calls[i].apart && n-- && ndraw < ARRAY_SIZE(draw))
			draw[ndraw++] = &calls[i];
	}
}

/* Create the first objects of a file, which most calls need */
static void found(struct caller *caller, struct file *file)
{
	const char *first[] = {
		"alloc_pd", "alloc_pd", "alloc_pd", "alloc_pd", "create_comp_channel",
		"create_cq", "cq/create", "reg_mr", "reg_mr", "create_srq", "create_ah",
		"create_qp", "qp/create", "ex_create_qp", "create_qp", "alloc_mw",
		"mmap", "mmap", "mmap", "mmap", "mmap", "mmap", "mmap", "mmap",
		"bring a QP up", "bring a QP up", "bring a QP up",
	};

	for (size_t i = 0; i < ARRAY_SIZE(first); i++)
		call_make(caller, file, call_named(first[i]), false);
}

/*
 * A file needs a context before anything else; retry until one is granted. Do not request a
 * second one by the method: 6.12's core then leaks the reference that it has taken to the
 * process, before it calls the driver (ib_init_ucontext() fails, and
 * UVERBS_METHOD_GET_CONTEXT frees the context without rdma_restrack_put()).
 */
static void reopen(struct caller *caller, struct file *file)
{
	const struct call *ways[] = {
		call_named("get_context"), call_named("device/get_context"),
	};

	if (pthread_mutex_trylock(&file->opening))
		return;
	device_close(file);
	if (device_open(caller, file))
		while (call_make(caller, file, ways[chance_below(&caller->chance, 2)],
				 chance_one_in(&caller->chance, 3)))
			;
	device_show(caller, file);
	found(caller, file);
	pthread_mutex_unlock(&file->opening);
}

/* Make a random call; if there are many objects of its kind, end one instead */
static void call_something(struct caller *caller)
{
	struct file *file = file_any(caller);
	const struct call *call = draw[chance_below(&caller->chance, ndraw)];

	if (chance_one_in(&caller->chance, LIFE))
		reopen(caller, file_own(chance_below(&caller->chance, PRIVATE_FILES)));
	if (call->makes && objects_abound(file, call->makes))
		call = call_that_ends(caller, call->makes) ?: call_named("close channel");
	call_make(caller, file, call, chance_one_in(&caller->chance, 2));
}

static void *call_on(void *arg)
{
	struct caller caller;

	caller_begin(&caller, (uintptr_t)arg);
	for (;;)
		call_something(&caller);
	return NULL;
}

/* Does not return */
static void process(uint64_t its_seed)
{
	pthread_t threads[THREADS];
	struct caller caller;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	process_begin();
	caller_begin(&caller, its_seed);
	for (int i = 0; i < PRIVATE_FILES; i++)
		reopen(&caller, file_own(i));
	for (uint64_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, call_on,
				   (void *)(uintptr_t)chance_stir(its_seed + i + 1)))
			err(2, "pthread_create");
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

static pid_t start(uint64_t its_seed)
{
	pid_t pid = fork();

	if (pid < 0)
		err(2, "fork");
	if (!pid)
		process(its_seed);
	return pid;
}

static void wait_ms(unsigned int ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000L }, NULL);
}

/* Kill a process and wait for its exit: one that hangs in the kernel does not exit */
static void end(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	for (int i = 0; i < PATIENCE_S * 100; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return;
		wait_ms(10);
	}
	errx(1, "process %d hangs in a system call", pid);
}

/* A process that ended by itself has a bug of this program's own */
static void must_live(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, WNOHANG) == pid)
		errx(2, "process %d has ended: status %#x", pid, status);
}

static unsigned long made(const struct tally *tally)
{
	return tally->granted + tally->refused;
}

static unsigned long calls_made(void)
{
	unsigned long sum = 0;

	for (size_t i = 0; i < ncalls; i++)
		sum += made(&world->tallies[i]);
	return sum;
}

/*
 * Wait for half a round: for its time, and on a busy machine until it has its calls. Some objects
 * are rarely idle, and can be destroyed only after many calls of one round.
 */
static void wait_half_round(void)
{
	unsigned long until = calls_made() + ROUND_CALLS / 2;

	wait_ms(ROUND_MS / 2);
	for (int i = 0; i < ROUND_MAX_S / 2 * 10 && calls_made() < until; i++)
		wait_ms(100);
}

static void play_round(uint64_t number)
{
	uint64_t its_seed = chance_stir(seed + number * 1000);
	pid_t pids[PROCESSES];
	struct caller caller;

	process_begin();
	caller_begin(&caller, its_seed);
	reopen(&caller, &world->shared);
	for (int i = 0; i < PROCESSES; i++)
		pids[i] = start(its_seed + i * 100);

	wait_half_round();
	must_live(pids[0]);
	end(pids[0]);
	pids[0] = start(its_seed + 50);
	wait_half_round();
	for (int i = 0; i < PROCESSES; i++) {
		must_live(pids[i]);
		end(pids[i]);
	}
	device_close(&world->shared);
	caller_end(&caller);
}

static void print_errors(const struct tally *tally)
{
	for (int i = 0; i < ERRNOS; i++)
		if (tally->errors[i])
			printf(" %s %lu", strerrorname_np(i) ?: "?", tally->errors[i]);
	putchar('\n');
}

static const char *judge(const struct call *call, const struct tally *tally)
{
	if (call->absent)
		return tally->granted ? "GRANTED" : "";
	if (tally->granted < LEAST_GRANTED || tally->granted * LEAST_SHARE < made(tally))
		return "TOO FEW";
	return "";
}

/* Return whether the run has reached the minimum; @names: print what is missing */
static bool shown(bool names)
{
	bool good = world->ended[0] >= LEAST_DONE;

	if (names && !good)
		puts("TOO FEW work requests done");
	for (size_t i = 0; i < ncalls; i++) {
		const char *word = judge(&calls[i], &world->tallies[i]);

		if (names && *word)
			printf("%s: %s\n", calls[i].name, word);
		good &= !*word;
	}
	return good;
}

static void report(void)
{
	printf("%-24s %9s %9s  %s\n", "call", "granted", "refused", "why");
	for (size_t i = 0; i < ncalls; i++) {
		const struct tally *tally = &world->tallies[i];

		printf("%-24s %9lu %9lu %s", calls[i].name, tally->granted, tally->refused,
		       judge(&calls[i], tally));
		print_errors(tally);
	}
	printf("%lu calls, %lu packets; %lu work requests done, failed by status", calls_made(),
	       world->packets, world->ended[0]);
	for (size_t i = 1; i < ARRAY_SIZE(world->ended); i++)
		if (world->ended[i])
			printf(" %zu: %lu", i, world->ended[i]);
	putchar('\n');
}

/* Continue until the time is up, or longer if the minimum was not reached */
static bool goes_on(time_t until)
{
	time_t now = time(NULL);

	if (now < until || calls_made() < LEAST_CALLS)
		return true;
	return now < until + GRACE_S && !shown(false);
}

static const char usage[] =
	"usage: srnic-ioctls DEV [SECONDS [SEED [ROUND]]]\n"
	"\n"
	"Makes valid and invalid calls to uverbs for DEV during SECONDS (20). SEED (the time)\n"
	"determines the calls; ROUND repeats that round of a run alone.\n";

int main(int argc, char **argv)
{
	unsigned int seconds = argc > 2 ? atoi(argv[2]) : 20;
	uint64_t first = argc > 4 ? strtoull(argv[4], NULL, 0) : 0, number = first;
	time_t until = time(NULL) + seconds;

	if (argc < 2 || argc > 5 || argv[1][0] == '-') {
		fputs(usage, argc == 2 && !strcmp(argv[1], "--help") ? stdout : stderr);
		return argc == 2 && !strcmp(argv[1], "--help") ? 0 : 2;
	}
	seed = argc > 3 ? strtoull(argv[3], NULL, 0) : (uint64_t)until;
	printf("seed %llu\n", (unsigned long long)seed);
	fflush(stdout);
	prepare_draw();
	world_make(argv[1], ncalls);
	do {
		play_round(number++);
	} while (argc <= 4 && goes_on(until));
	printf("%llu rounds\n", (unsigned long long)(number - first));
	report();
	return shown(true) ? 0 : 1;
}
