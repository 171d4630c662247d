// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue pairs, and the flows of sealed ones.
 */
#include "nl.h"

struct srnic_qp {
	struct nlmsghdr nlh;
};

struct srnic_flow {
	struct nlattr nest;
};

int srnic_qp_list(struct srnic *srnic, uint32_t dev_index, struct srnic_list **list)
{
	return nl_dump_of(srnic, SRNIC_CMD_QP_GET, SRNIC_A_QP_DEV_INDEX, dev_index, list);
}

const struct srnic_qp *srnic_qp_next(const struct srnic_list *list, const struct srnic_qp *qp)
{
	return (const void *)nl_next(list, (const void *)qp, SRNIC_CMD_QP_GET);
}

uint32_t srnic_qp_dev_index(const struct srnic_qp *qp)
{
	return nl_uint(nl_attr(&qp->nlh, SRNIC_A_QP_DEV_INDEX));
}

const char *srnic_qp_dev_name(const struct srnic_qp *qp)
{
	return nl_text(nl_attr(&qp->nlh, SRNIC_A_QP_DEV_NAME));
}

uint32_t srnic_qp_num(const struct srnic_qp *qp)
{
	return nl_uint(nl_attr(&qp->nlh, SRNIC_A_QP_QPN));
}

enum srnic_qp_type srnic_qp_type(const struct srnic_qp *qp)
{
	return nl_uint(nl_attr(&qp->nlh, SRNIC_A_QP_TYPE));
}

enum srnic_qp_state srnic_qp_state(const struct srnic_qp *qp)
{
	return nl_uint(nl_attr(&qp->nlh, SRNIC_A_QP_STATE));
}

const uint8_t *srnic_qp_peer(const struct srnic_qp *qp)
{
	return nl_address(nl_attr(&qp->nlh, SRNIC_A_QP_PEER));
}

uint32_t srnic_qp_peer_num(const struct srnic_qp *qp)
{
	return nl_uint(nl_attr(&qp->nlh, SRNIC_A_QP_PEER_QPN));
}

enum srnic_mode srnic_qp_mode(const struct srnic_qp *qp)
{
	return nl_uint(nl_attr(&qp->nlh, SRNIC_A_QP_MODE));
}

const char *srnic_qp_suite(const struct srnic_qp *qp)
{
	return nl_text(nl_attr(&qp->nlh, SRNIC_A_QP_SUITE));
}

bool srnic_qp_uncached(const struct srnic_qp *qp)
{
	return nl_attr(&qp->nlh, SRNIC_A_QP_UNCACHED);
}

const char *srnic_qp_driver(const struct srnic_qp *qp)
{
	return nl_text(nl_attr(&qp->nlh, SRNIC_A_QP_DRIVER));
}

const struct srnic_flow *srnic_flow_next(const struct srnic_qp *qp, const struct srnic_flow *flow)
{
	return (const void *)nl_next_attr(&qp->nlh, (const void *)flow, SRNIC_A_QP_FLOW);
}

enum srnic_flow_side srnic_flow_side(const struct srnic_flow *flow)
{
	return nl_uint(nl_nested(&flow->nest, SRNIC_A_FLOW_SIDE));
}

bool srnic_flow_ready(const struct srnic_flow *flow)
{
	return nl_nested(&flow->nest, SRNIC_A_FLOW_READY);
}

uint64_t srnic_flow_epoch(const struct srnic_flow *flow)
{
	return nl_uint(nl_nested(&flow->nest, SRNIC_A_FLOW_EPOCH));
}

uint64_t srnic_flow_psn64(const struct srnic_flow *flow)
{
	return nl_uint(nl_nested(&flow->nest, SRNIC_A_FLOW_PSN64));
}

uint64_t srnic_flow_sealed(const struct srnic_flow *flow)
{
	return nl_uint(nl_nested(&flow->nest, SRNIC_A_FLOW_SEALED));
}

uint64_t srnic_flow_opened(const struct srnic_flow *flow)
{
	return nl_uint(nl_nested(&flow->nest, SRNIC_A_FLOW_OPENED));
}

uint64_t srnic_flow_failed(const struct srnic_flow *flow)
{
	return nl_uint(nl_nested(&flow->nest, SRNIC_A_FLOW_FAILED));
}

uint64_t srnic_flow_replayed(const struct srnic_flow *flow)
{
	return nl_uint(nl_nested(&flow->nest, SRNIC_A_FLOW_REPLAYED));
}
