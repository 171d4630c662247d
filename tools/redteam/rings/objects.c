// SPDX-License-Identifier: GPL-2.0
/*
 * Queue pairs of each kind, what they need, and their completions.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <net/ethernet.h>
#include <netinet/ip.h>
#include <string.h>
#include <unistd.h>
#include "rings.h"

#define PROTOCOL	0x88b5	/* for local experiments (IEEE 802) */
#define GROUP_ADDRESS	{ 0x03, 0, 0, 0, 0, 0 }

static const enum ibv_qp_type qp_types[KINDS] = {
	[RC]	= IBV_QPT_RC,
	[XRC]	= IBV_QPT_XRC_SEND,
	[RAW]	= IBV_QPT_RAW_PACKET,
};

struct ibv_qp *create_qp(enum kind kind, struct ibv_cq *cq, const struct ibv_qp_cap *cap)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = qp_types[kind], .cap = *cap,
	};
	struct ibv_qp *qp = ibv_create_qp(world.pd, &init);

	if (!qp)
		die("ibv_create_qp");
	return qp;
}

/* Return an RC QP that receives from a shared queue */
struct ibv_qp *create_receiver(struct ibv_srq *srq)
{
	struct ibv_qp_init_attr init = {
		.send_cq = world.liar_cq, .recv_cq = world.liar_cq, .srq = srq,
		.qp_type = IBV_QPT_RC, .cap = { .max_send_wr = 1, .max_send_sge = 1 },
	};
	struct ibv_qp *qp = ibv_create_qp(world.pd, &init);

	if (!qp)
		die("a QP of a shared queue");
	return qp;
}

struct ibv_xrcd *create_domain(void)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1, .oflags = O_CREAT,
	};
	struct ibv_xrcd *xrcd = ibv_open_xrcd(world.ctx, &attr);

	if (!xrcd)
		die("ibv_open_xrcd");
	return xrcd;
}

struct ibv_qp *create_target(void)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_XRC_RECV, .comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.xrcd = world.xrcd,
	};
	struct ibv_qp *qp = ibv_create_qp_ex(world.ctx, &init);

	if (!qp)
		die("an XRC target");
	return qp;
}

struct ibv_srq *create_xrc_srq(struct ibv_xrcd *xrcd, struct ibv_cq *cq, uint32_t *srqn)
{
	struct ibv_srq_init_attr_ex init = {
		.attr = { .max_wr = DEPTH, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_XRCD |
			     IBV_SRQ_INIT_ATTR_CQ | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = IBV_SRQT_XRC, .pd = world.pd, .xrcd = xrcd, .cq = cq,
	};
	struct ibv_srq *srq = ibv_create_srq_ex(world.ctx, &init);

	if (!srq || ibv_get_srq_num(srq, srqn))
		die("an SRQ of a domain");
	return srq;
}

/* A rule for the frames to a group */
struct ibv_flow *create_rule(struct ibv_qp *qp, enum group group)
{
	struct {
		struct ibv_flow_attr attr;
		struct ibv_flow_spec_eth eth;
	} rule = {
		.attr = { .type = IBV_FLOW_ATTR_NORMAL, .size = sizeof(rule), .num_of_specs = 1,
			  .port = 1 },
		.eth = { .type = IBV_FLOW_SPEC_ETH, .size = sizeof(rule.eth),
			 .val.dst_mac = GROUP_ADDRESS },
	};
	struct ibv_flow *flow;

	rule.eth.val.dst_mac[ETH_ALEN - 1] = group;
	memset(rule.eth.mask.dst_mac, 0xff, ETH_ALEN);
	flow = ibv_create_flow(qp, &rule.attr);
	if (!flow)
		die("ibv_create_flow");
	return flow;
}

static void connect_one(struct ibv_qp *qp, uint32_t to)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};

	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			  IBV_QP_ACCESS_FLAGS))
		die("INIT");
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = to,
		.max_dest_rd_atomic = 1,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .dgid = world.gid, .sgid_index = world.gid_index,
				      .hop_limit = 4 } },
	};
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			  IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			  IBV_QP_MIN_RNR_TIMER))
		die("RTR");
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .max_rd_atomic = 1,
	};
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			  IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC))
		die("RTS");
}

void connect_qps(struct ibv_qp *a, struct ibv_qp *b)
{
	connect_one(a, b->qp_num);
	connect_one(b, a->qp_num);
}

void start_raw(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };

	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PORT))
		die("INIT of a raw packet QP");
	attr.qp_state = IBV_QPS_RTR;
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE))
		die("RTR of a raw packet QP");
	attr.qp_state = IBV_QPS_RTS;
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE))
		die("RTS of a raw packet QP");
}

enum ibv_qp_state state_of(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	if (ibv_query_qp(qp, &attr, IBV_QP_STATE, &init))
		die("ibv_query_qp");
	return attr.qp_state;
}

bool soon_in_error(struct ibv_qp *qp)
{
	for (int i = 0; i < world.patience; i++) {
		if (state_of(qp) == IBV_QPS_ERR)
			return true;
		usleep(1000);
	}
	return false;
}

void drain(struct ibv_cq *cq)
{
	struct ibv_wc wc[16];

	while (ibv_poll_cq(cq, 16, wc) > 0)
		;
}

/* Wait for a completion of a queue, and discard those of others: false if there is none */
bool completes(struct ibv_cq *cq, uint32_t number, struct ibv_wc *wc)
{
	for (int i = 0; i < world.patience; i++) {
		while (ibv_poll_cq(cq, 1, wc) == 1)
			if (wc->qp_num == number)
				return true;
		usleep(1000);
	}
	return false;
}

/* SEND a message, through an SRQ of a domain if there is one: false if it does not complete */
bool send_message(struct ibv_qp *from, uint32_t srqn, struct ibv_wc *wc)
{
	struct ibv_sge sge = { (uintptr_t)world.memory + AT_SOURCE, MESSAGE, world.mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED, .qp_type.xrc.remote_srqn = srqn,
	};

	if (ibv_post_send(from, &wr, &bad))
		die("SEND");
	return completes(world.cq, from->qp_num, wc);
}

/* Write a frame to a group, with an IPv4 header of that source; return its length */
uint32_t write_frame(enum place at, enum group group, uint32_t source)
{
	struct ether_header *eth = (void *)(world.memory + at);
	struct iphdr ip = {
		.version = 4, .ihl = 5, .tot_len = htons(MESSAGE - sizeof(*eth)),
		.protocol = IPPROTO_UDP, .saddr = htonl(source),
	};
	const uint8_t address[] = GROUP_ADDRESS;

	memset(eth, 0, MESSAGE);
	memcpy(eth->ether_dhost, address, ETH_ALEN);
	eth->ether_dhost[ETH_ALEN - 1] = group;
	eth->ether_shost[0] = 0x02;
	eth->ether_type = htons(group == GROUP_EAR ? ETHERTYPE_IP : PROTOCOL);
	memcpy(eth + 1, &ip, sizeof(ip));
	return MESSAGE;
}
