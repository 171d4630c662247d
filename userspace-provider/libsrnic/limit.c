// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Limits that a device imposes on its peers.
 */
#include "nl.h"

struct srnic_limit {
	struct nlattr nest;
};

const struct srnic_limit *srnic_limit_next(const struct srnic_dev *dev,
					   const struct srnic_limit *limit)
{
	return (const void *)nl_next_attr((const void *)dev, (const void *)limit,
					  SRNIC_A_DEV_LIMIT);
}

const char *srnic_limit_name(const struct srnic_limit *limit)
{
	return nl_text(nl_nested(&limit->nest, SRNIC_A_LIMIT_NAME));
}

uint32_t srnic_limit_value(const struct srnic_limit *limit)
{
	return nl_uint(nl_nested(&limit->nest, SRNIC_A_LIMIT_VALUE));
}

uint32_t srnic_limit_highest(const struct srnic_limit *limit)
{
	return nl_uint(nl_nested(&limit->nest, SRNIC_A_LIMIT_HIGHEST));
}

int srnic_limit_set(struct srnic *srnic, uint32_t dev_index, const char *name, uint32_t value)
{
	union nl_request request;
	struct nlmsghdr *nlh;
	struct nlattr *nest;
	int err;

	nlh = nl_begin(&request, SRNIC_CMD_LIMIT_SET);
	mnl_attr_put_u32(nlh, SRNIC_A_DEV_INDEX, dev_index);
	nest = mnl_attr_nest_start(nlh, SRNIC_A_DEV_LIMIT);
	err = nl_put_name(nlh, SRNIC_A_LIMIT_NAME, "limit", name);
	if (err)
		return err;
	mnl_attr_put_u32(nlh, SRNIC_A_LIMIT_VALUE, value);
	mnl_attr_nest_end(nlh, nest);
	return nl_do(srnic, nlh);
}
