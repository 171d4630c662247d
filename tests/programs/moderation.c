// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * srnic-moderation - completion events that are delayed come, and no completion is lost.
 *
 * A device sends itself messages. The receiver sleeps until an event tells it of completions,
 * which ibv_modify_cq() has delayed. Without the events this program does not end.
 */
#include <stdio.h>
#include <stdlib.h>
#include "connection.h"

#define SIZE		64
#define MESSAGES	64

static struct device dev;
static struct ibv_mr *mr;
static struct ibv_comp_channel *channel;
static char buf[SIZE];
static int wrong;

static void check(int holds, const char *what)
{
	printf("%s %s\n", holds ? "ok  " : "FAIL", what);
	wrong += !holds;
}

/* Return an errno. */
static int moderate(struct ibv_cq *cq, uint32_t mask, uint16_t count, uint16_t period)
{
	struct ibv_modify_cq_attr attr = {
		.attr_mask = mask, .moderate = { .cq_count = count, .cq_period = period },
	};

	return ibv_modify_cq(cq, &attr);
}

/* Create a QP whose completions raise events. */
static void receiver_create(struct end *end)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC, .sq_sig_all = 1,
		.cap = { MESSAGES, MESSAGES, 1, 1, 0 },
	};
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };

	end->dev = &dev;
	end->cq = ibv_create_cq(dev.ctx, 2 * MESSAGES, NULL, channel, 0);
	if (!end->cq)
		die("ibv_create_cq");
	init.send_cq = end->cq;
	init.recv_cq = end->cq;
	end->qp = ibv_create_qp(dev.pd, &init);
	if (!end->qp)
		die("ibv_create_qp");
	if (ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			  IBV_QP_ACCESS_FLAGS))
		die("RESET to INIT");
}

static void post_recvs(struct end *end, int number)
{
	struct ibv_sge sge = { (uintptr_t)buf, SIZE, mr->lkey };

	for (int i = 0; i < number; i++) {
		struct ibv_recv_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 }, *bad;

		if (ibv_post_recv(end->qp, &wr, &bad))
			die("ibv_post_recv");
	}
}

static void send_some(struct end *end, int number)
{
	struct ibv_sge sge = { (uintptr_t)buf, SIZE, mr->lkey };

	for (int i = 0; i < number; i++) {
		struct ibv_send_wr wr = {
			.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
			.send_flags = IBV_SEND_SIGNALED,
		}, *bad;

		if (ibv_post_send(end->qp, &wr, &bad))
			die("ibv_post_send");
	}
}

/* Sleep until the next event. */
static void await_event(void)
{
	struct ibv_cq *cq;
	void *context;

	if (ibv_get_cq_event(channel, &cq, &context))
		die("ibv_get_cq_event");
	ibv_ack_cq_events(cq, 1);
}

/* Receive by events, as ibv_get_cq_event(3) shows. Return how many came in order. */
static int receive(struct end *end, int number, enum ibv_wc_status status)
{
	int got = 0, ordered = 0;
	struct ibv_wc wc;

	while (got < number) {
		if (ibv_req_notify_cq(end->cq, 0))
			die("ibv_req_notify_cq");
		while (ibv_poll_cq(end->cq, 1, &wc) == 1) {
			ordered += wc.status == status && wc.wr_id == (uint64_t)got;
			got++;
		}
		if (got < number)
			await_event();
	}
	return ordered;
}

static void moderated(const char *what, uint16_t count, uint16_t period, int number)
{
	struct end from, to;

	end_create(&from, &dev);
	receiver_create(&to);
	end_connect(&from, &to);
	end_connect(&to, &from);
	post_recvs(&to, number);
	if (moderate(to.cq, IBV_CQ_ATTR_MODERATE, count, period))
		die("ibv_modify_cq");
	send_some(&from, number);
	check(receive(&to, number, IBV_WC_SUCCESS) == number, what);
	end_destroy(&from);
	end_destroy(&to);
}

/* The receives of a QP that fails are flushed, which its owner has to hear of. */
static void flushed(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct end from, to;

	end_create(&from, &dev);
	receiver_create(&to);
	end_connect(&from, &to);
	end_connect(&to, &from);
	post_recvs(&to, 2);
	if (moderate(to.cq, IBV_CQ_ATTR_MODERATE, UINT16_MAX, UINT16_MAX))
		die("ibv_modify_cq");
	if (ibv_req_notify_cq(to.cq, 0) || ibv_modify_qp(to.qp, &attr, IBV_QP_STATE))
		die("ERR");
	await_event();
	check(receive(&to, 2, IBV_WC_WR_FLUSH_ERR) == 2, "receives that are flushed");
	end_destroy(&from);
	end_destroy(&to);
}

static void capabilities(void)
{
	struct ibv_device_attr_ex attr = {};
	struct end to;

	if (ibv_query_device_ex(dev.ctx, NULL, &attr))
		die("ibv_query_device_ex");
	check(attr.cq_mod_caps.max_cq_count == UINT16_MAX &&
	      attr.cq_mod_caps.max_cq_period == UINT16_MAX, "limits of moderation are reported");
	receiver_create(&to);
	check(moderate(to.cq, IBV_CQ_ATTR_MODERATE << 1, 1, 1) != 0, "nothing else can be changed");
	end_destroy(&to);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: srnic-moderation DEVICE\n"
			"example: srnic-moderation srnic0\n");
		return 2;
	}
	device_open(&dev, argv[1]);
	mr = device_reg(&dev, buf, sizeof(buf), IBV_ACCESS_LOCAL_WRITE);
	channel = ibv_create_comp_channel(dev.ctx);
	if (!channel)
		die("ibv_create_comp_channel");

	capabilities();
	moderated("an event for 16 messages", 16, UINT16_MAX, MESSAGES);
	moderated("one for fewer, when the period ends", 16, 1000, MESSAGES - 5);
	moderated("one for each message", 0, 0, MESSAGES);
	flushed();
	return wrong ? 1 : 0;
}
