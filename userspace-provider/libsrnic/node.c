// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Nodes of the subnets of InfiniBand ports.
 */
#include "nl.h"

struct srnic_node {
	struct nlattr nest;
};

const struct srnic_node *srnic_node_next(const struct srnic_dev *dev,
					 const struct srnic_node *node)
{
	return (const void *)nl_next_attr((const void *)dev, (const void *)node, SRNIC_A_DEV_NODE);
}

const uint8_t *srnic_node_gid(const struct srnic_node *node)
{
	return nl_address(nl_nested(&node->nest, SRNIC_A_NODE_GID));
}

enum srnic_role srnic_node_role(const struct srnic_node *node)
{
	return nl_uint(nl_nested(&node->nest, SRNIC_A_NODE_ROLE));
}

uint16_t srnic_node_lid(const struct srnic_node *node)
{
	return nl_uint(nl_nested(&node->nest, SRNIC_A_NODE_LID));
}

unsigned int srnic_node_port(const struct srnic_node *node)
{
	return nl_uint(nl_nested(&node->nest, SRNIC_A_NODE_PORT));
}

bool srnic_node_is_up(const struct srnic_node *node)
{
	return nl_nested(&node->nest, SRNIC_A_NODE_UP);
}

static int change(struct srnic *srnic, uint8_t cmd, uint32_t dev_index, enum srnic_role role,
		  const uint8_t *gid)
{
	union nl_request request;
	struct nlmsghdr *nlh;
	struct nlattr *nest;

	nlh = nl_begin(&request, cmd);
	mnl_attr_put_u32(nlh, SRNIC_A_DEV_INDEX, dev_index);
	nest = mnl_attr_nest_start(nlh, SRNIC_A_DEV_NODE);
	mnl_attr_put_u8(nlh, SRNIC_A_NODE_ROLE, role);
	if (gid)
		mnl_attr_put(nlh, SRNIC_A_NODE_GID, 16, gid);
	mnl_attr_nest_end(nlh, nest);
	return nl_do(srnic, nlh);
}

int srnic_node_add(struct srnic *srnic, uint32_t dev_index, enum srnic_role role,
		   const uint8_t *gid)
{
	return change(srnic, SRNIC_CMD_NODE_ADD, dev_index, role, gid);
}

int srnic_node_del(struct srnic *srnic, uint32_t dev_index, enum srnic_role role,
		   const uint8_t *gid)
{
	return change(srnic, SRNIC_CMD_NODE_DEL, dev_index, role, gid);
}
