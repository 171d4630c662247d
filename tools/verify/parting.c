// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * srnic-parting - who has taken a message may destroy the QP at once.
 *
 * A device reads from itself and then, from another CPU, sends itself a message, and
 * the receiving QP is destroyed as soon as that has come. The sender must still get
 * its acknowledgment: programs part like that (ibv_rc_pingpong), and an RNIC answers
 * before it completes. Another CPU, because srnic's answers leave from where the
 * READ's left, so that they do not overtake them.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PATIENCE	10	/* seconds a completion may take */
#define SIZE		64

struct end {
	struct ibv_cq *cq;
	struct ibv_qp *qp;
};

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_mr *mr;
static char buf[SIZE];
static union ibv_gid gid;
static int gid_index;

static void die(const char *what)
{
	fprintf(stderr, "srnic-parting: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

static void open_dev(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	static const unsigned char v4[12] = { [10] = 0xff, [11] = 0xff };

	for (; list && *list && !ctx; list++)
		if (!strcmp(ibv_get_device_name(*list), name))
			ctx = ibv_open_device(*list);
	if (!ctx)
		die(name);
	while (!ibv_query_gid(ctx, 1, gid_index, &gid) && memcmp(gid.raw, v4, sizeof(v4)))
		gid_index++;
	pd = ibv_alloc_pd(ctx);
	if (!pd)
		die("ibv_alloc_pd");
	mr = ibv_reg_mr(pd, buf, sizeof(buf), IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	if (!mr)
		die("ibv_reg_mr");
}

static void create(struct end *end)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_READ,
	};

	end->cq = ibv_create_cq(ctx, 8, NULL, NULL, 0);
	if (!end->cq)
		die("ibv_create_cq");
	init.send_cq = end->cq;
	init.recv_cq = end->cq;
	end->qp = ibv_create_qp(pd, &init);
	if (!end->qp)
		die("ibv_create_qp");
	if (ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			  IBV_QP_ACCESS_FLAGS))
		die("RESET to INIT");
}

/* 20 ms and three times more: long enough for what is under way, not for a person */
static void connect_to(struct end *end, const struct end *other)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024,
		.dest_qp_num = other->qp->qp_num, .min_rnr_timer = 12,
		.max_dest_rd_atomic = 1,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .dgid = gid, .sgid_index = gid_index, .hop_limit = 4 } },
	};

	if (ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			  IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			  IBV_QP_MIN_RNR_TIMER))
		die("INIT to RTR");
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 3, .max_rd_atomic = 1,
	};
	if (ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			  IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC))
		die("RTR to RTS");
}

static void post_recv(struct end *end)
{
	struct ibv_sge sge = { (uintptr_t)buf, SIZE, mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	if (ibv_post_recv(end->qp, &wr, &bad))
		die("ibv_post_recv");
}

static void post(struct end *end, enum ibv_wr_opcode opcode)
{
	struct ibv_sge sge = { (uintptr_t)buf, SIZE, mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = (uintptr_t)buf, .rkey = mr->rkey },
	}, *bad;

	if (ibv_post_send(end->qp, &wr, &bad))
		die("ibv_post_send");
}

static enum ibv_wc_status wait_for(struct end *end)
{
	time_t until = time(NULL) + PATIENCE;
	struct ibv_wc wc;
	int n;

	errno = ETIMEDOUT;
	while (!(n = ibv_poll_cq(end->cq, 1, &wc)))
		if (time(NULL) > until)
			die("a completion");
	if (n < 0)
		die("ibv_poll_cq");
	return wc.status;
}

static void destroy(struct end *end)
{
	if (end->qp && ibv_destroy_qp(end->qp))
		die("ibv_destroy_qp");
	if (ibv_destroy_cq(end->cq))
		die("ibv_destroy_cq");
}

/* Returns how the sender's last message ended. */
static enum ibv_wc_status round_of(int first, int second)
{
	struct end from, to;
	enum ibv_wc_status status;

	create(&from);
	create(&to);
	connect_to(&from, &to);
	connect_to(&to, &from);
	post_recv(&to);

	run_on(first);
	post(&from, IBV_WR_RDMA_READ);
	if (wait_for(&from))
		die("the READ");
	run_on(second);
	post(&from, IBV_WR_SEND);
	if (wait_for(&to))
		die("the message");
	if (ibv_destroy_qp(to.qp))
		die("ibv_destroy_qp");
	to.qp = NULL;
	status = wait_for(&from);
	destroy(&from);
	destroy(&to);
	return status;
}

int main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[2]) : 0;
	int lost = 0;

	if (rounds < 1) {
		fprintf(stderr, "usage: srnic-parting DEVICE ROUNDS\n"
			"example: srnic-parting srnic0 100\n");
		return 2;
	}
	open_dev(argv[1]);
	for (int i = 0; i < rounds; i++)
		lost += round_of(i & 1, ~i & 1) != IBV_WC_SUCCESS;
	printf("%d rounds, %d last messages not acknowledged\n", rounds, lost);
	return lost ? 1 : 0;
}
