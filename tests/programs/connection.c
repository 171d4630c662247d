// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * RC connections of a process with itself.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "connection.h"

#define PATIENCE	120	/* seconds to wait for a completion */
#define ACCESS		(IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_ATOMIC)

void die(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
	exit(1);
}

void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

void device_open(struct device *dev, const char *name)
{
	static const unsigned char v4[12] = { [10] = 0xff, [11] = 0xff };
	struct ibv_device **list = ibv_get_device_list(NULL);

	*dev = (struct device){};
	for (; list && *list && !dev->ctx; list++)
		if (!strcmp(ibv_get_device_name(*list), name))
			dev->ctx = ibv_open_device(*list);
	if (!dev->ctx)
		die(name);
	while (!ibv_query_gid(dev->ctx, 1, dev->gid_index, &dev->gid) &&
	       memcmp(dev->gid.raw, v4, sizeof(v4)))
		dev->gid_index++;
	dev->pd = ibv_alloc_pd(dev->ctx);
	if (!dev->pd)
		die("ibv_alloc_pd");
}

struct ibv_mr *device_reg(const struct device *dev, void *memory, size_t length, int access)
{
	struct ibv_mr *mr = ibv_reg_mr(dev->pd, memory, length, access);

	if (!mr)
		die("ibv_reg_mr");
	return mr;
}

void qp_to_init(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = ACCESS,
	};

	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			  IBV_QP_ACCESS_FLAGS))
		die("RESET to INIT");
}

void qp_to_rts(struct ibv_qp *qp, const struct qp_peer *peer)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = peer->mtu,
		.dest_qp_num = peer->qpn, .min_rnr_timer = 12,
		.max_dest_rd_atomic = RC_READS,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .dgid = peer->gid, .sgid_index = peer->gid_index,
				      .hop_limit = 4 } },
	};

	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			  IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			  IBV_QP_MIN_RNR_TIMER))
		die("INIT to RTR");
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7,
		.max_rd_atomic = RC_READS,
	};
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			  IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC))
		die("RTR to RTS");
}

void end_create(struct end *end, const struct device *dev)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = RC_DEPTH, .max_recv_wr = RC_DEPTH,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};

	end->dev = dev;
	end->cq = ibv_create_cq(dev->ctx, 2 * RC_DEPTH, NULL, NULL, 0);
	if (!end->cq)
		die("ibv_create_cq");
	init.send_cq = end->cq;
	init.recv_cq = end->cq;
	end->qp = ibv_create_qp(dev->pd, &init);
	if (!end->qp)
		die("ibv_create_qp");
	qp_to_init(end->qp);
}

void end_connect(const struct end *end, const struct end *other)
{
	qp_to_rts(end->qp, &(struct qp_peer){
		.gid = other->dev->gid, .gid_index = end->dev->gid_index,
		.qpn = other->qp->qp_num, .mtu = IBV_MTU_4096,
	});
}

void end_destroy(struct end *end)
{
	if (end->qp && ibv_destroy_qp(end->qp))
		die("ibv_destroy_qp");
	if (ibv_destroy_cq(end->cq))
		die("ibv_destroy_cq");
}

void end_wait(const struct end *end, struct ibv_wc *wc, unsigned int pause)
{
	uint64_t until = now_ns() + PATIENCE * 1000000000ULL;
	int n;

	errno = ETIMEDOUT;
	while (!(n = ibv_poll_cq(end->cq, 1, wc))) {
		if (now_ns() > until)
			die("a completion");
		if (pause)
			usleep(pause);
	}
	if (n < 0)
		die("ibv_poll_cq");
}

void end_expect(const struct end *end, unsigned int pause)
{
	struct ibv_wc wc;

	end_wait(end, &wc, pause);
	errno = EIO;
	if (wc.status != IBV_WC_SUCCESS)
		die(ibv_wc_status_str(wc.status));
}
