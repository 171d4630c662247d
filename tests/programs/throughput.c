// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * srnic-throughput - a connection's throughput beside another load.
 *
 * One device WRITEs 64 KiB messages to another, alone and beside a command, in
 * turns, so that other load of the machine affects both. A shell runs the
 * command with KIND and QPN (the number of the target QP) in its environment.
 * The command gets SIGTERM at the end of its turn, and its output must start
 * with a number: the packets that it has sent.
 *
 * Prints figures without judging them: they depend on the machine and its load.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "connection.h"

#define MESSAGE		(64 << 10)
#define UNDER_WAY	16
#define START		(250 * 1000000ULL)	/* ns for a command to start */
#define TURN		(600 * 1000000ULL)	/* ns of a measurement */
#define TURNS_MOST	100
#define SLEEP		200	/* us; sleep, because polling would take CPU time from the load */

static struct device a, b;
static struct end from, to;
static struct ibv_mr *source, *target;

static struct ibv_mr *buffer(const struct device *dev)
{
	void *p = aligned_alloc(4096, MESSAGE);
	struct ibv_mr *mr;

	if (!p)
		die("no memory");
	memset(p, 0x5a, MESSAGE);
	mr = device_reg(dev, p, MESSAGE, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	return mr;
}

static void post(void)
{
	struct ibv_sge sge = { (uintptr_t)source->addr, MESSAGE, source->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = (uintptr_t)target->addr, .rkey = target->rkey },
	};

	if (ibv_post_send(from.qp, &wr, &bad))
		die("ibv_post_send");
}

/* Stream for @ns; return MB/s. */
static double stream(uint64_t ns)
{
	uint64_t begin = now_ns(), t;
	unsigned long done = 0;

	do {
		end_expect(&from, SLEEP);
		post();
		done++;
		t = now_ns();
	} while (t - begin < ns);
	return done * MESSAGE * 1e3 / (t - begin);
}

struct flood {
	pid_t pid;
	int out;
};

static struct flood start(const char *command, const char *kind)
{
	struct flood flood;
	int ends[2];

	if (pipe(ends))
		die("pipe");
	setenv("KIND", kind, 1);
	flood.pid = fork();
	if (flood.pid < 0)
		die("fork");
	if (!flood.pid) {
		dup2(ends[1], 1);
		close(ends[0]);
		close(ends[1]);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	close(ends[1]);
	flood.out = ends[0];
	return flood;
}

/* End the load's turn; return its output. */
static double end(const struct flood *flood)
{
	char said[80] = "";
	int status = 0;

	kill(flood->pid, SIGTERM);
	if (read(flood->out, said, sizeof(said) - 1) < 1)
		said[0] = 0;
	close(flood->out);
	if (waitpid(flood->pid, &status, 0) < 0 || status || !atof(said)) {
		fprintf(stderr, "srnic-throughput: the command failed or has sent nothing\n");
		exit(1);
	}
	return atof(said);
}

static int ascending(const void *x, const void *y)
{
	double p = *(const double *)x, q = *(const double *)y;

	return (p > q) - (p < q);
}

static double middle(double *values, int n)
{
	qsort(values, n, sizeof(*values), ascending);
	return values[n / 2];
}

/* Print the throughput beside a kind of load: medians over the turns. */
static void measure(const char *command, const char *kind, int turns)
{
	double alone[TURNS_MOST], beside[TURNS_MOST], shares[TURNS_MOST], sent = 0;

	for (int turn = 0; turn < turns; turn++) {
		struct flood flood;

		alone[turn] = stream(TURN);
		flood = start(command, kind);
		stream(START);
		beside[turn] = stream(TURN);
		shares[turn] = beside[turn] / alone[turn];
		sent += end(&flood);
	}
	printf("%-12s %10.1f %10.1f %8.1f%% %12.0f\n", kind, middle(alone, turns),
	       middle(beside, turns), middle(shares, turns) * 100,
	       sent / turns / (TURN + START) * 1e9);
}

static void connect_them(char **names)
{
	char number[16];

	device_open(&a, names[0]);
	device_open(&b, names[1]);
	end_create(&from, &a);
	end_create(&to, &b);
	end_connect(&from, &to);
	end_connect(&to, &from);
	source = buffer(&a);
	target = buffer(&b);
	snprintf(number, sizeof(number), "%u", to.qp->qp_num);
	setenv("QPN", number, 1);
	for (int i = 0; i < UNDER_WAY; i++)
		post();
	stream(TURN);
}

static int usage(void)
{
	fprintf(stderr,
		"usage: srnic-throughput DEVICE DEVICE TURNS COMMAND KIND...\n"
		"example: srnic-throughput srnic0 srnic1 5 "
		"'exec srnic-garbage $KIND v0 $MAC 10.77.0.1 10.77.0.2 $QPN' icrc qp\n");
	return 2;
}

int main(int argc, char **argv)
{
	int turns = argc > 5 ? atoi(argv[3]) : 0;

	if (turns < 1 || turns > TURNS_MOST)
		return usage();
	/* print errors after the results before them */
	setvbuf(stdout, NULL, _IOLBF, 0);
	connect_them(argv + 1);
	printf("beside       alone/MB/s beside/MB/s    left    packets/s\n");
	for (char **kind = argv + 5; *kind; kind++)
		measure(argv[4], *kind, turns);
	return 0;
}
