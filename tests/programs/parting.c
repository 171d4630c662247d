// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * srnic-parting - a receiver may destroy its QP as soon as it has a message.
 *
 * A device reads from itself and then sends itself a message from another CPU,
 * and the receiving QP is destroyed as soon as the message has arrived. The
 * sender must still get its acknowledgment: programs end like this
 * (ibv_rc_pingpong), and hardware acknowledges before it completes. The second
 * CPU matters because srnic's responses leave from the CPU that sent the
 * READ's, so that they stay in order.
 */
#include <stdio.h>
#include <stdlib.h>
#include "connection.h"

#define SIZE		64

static struct device dev;
static struct ibv_mr *mr;
static char buf[SIZE];

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

static enum ibv_wc_status wait_for(const struct end *end)
{
	struct ibv_wc wc;

	end_wait(end, &wc, 0);
	return wc.status;
}

/* Return the status of the sender's last message. */
static enum ibv_wc_status round_of(int first, int second)
{
	struct end from, to;
	enum ibv_wc_status status;

	end_create(&from, &dev);
	end_create(&to, &dev);
	end_connect(&from, &to);
	end_connect(&to, &from);
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
	end_destroy(&from);
	end_destroy(&to);
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
	device_open(&dev, argv[1]);
	mr = device_reg(&dev, buf, sizeof(buf), IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	for (int i = 0; i < rounds; i++)
		lost += round_of(i & 1, ~i & 1) != IBV_WC_SUCCESS;
	printf("%d rounds, %d last messages not acknowledged\n", rounds, lost);
	return lost ? 1 : 0;
}
