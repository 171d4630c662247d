// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Devices, their quotas, and the MTU of InfiniBand ports.
 */
#include <string.h>
#include "nl.h"

struct srnic_dev {
	struct nlmsghdr nlh;
};

struct srnic_quota {
	struct nlattr nest;
};

int srnic_dev_list(struct srnic *srnic, struct srnic_list **list)
{
	return nl_dump_all(srnic, SRNIC_CMD_DEV_GET, list);
}

const struct srnic_dev *srnic_dev_next(const struct srnic_list *list, const struct srnic_dev *dev)
{
	return (const void *)nl_next(list, (const void *)dev, SRNIC_CMD_DEV_GET);
}

const struct srnic_dev *srnic_dev_find(const struct srnic_list *list, const char *name)
{
	const struct srnic_dev *dev;

	srnic_for_each_dev(dev, list)
		if (!strcmp(srnic_dev_name(dev), name))
			return dev;
	return NULL;
}

const char *srnic_dev_name(const struct srnic_dev *dev)
{
	return nl_text(nl_attr(&dev->nlh, SRNIC_A_DEV_NAME));
}

uint32_t srnic_dev_index(const struct srnic_dev *dev)
{
	return nl_uint(nl_attr(&dev->nlh, SRNIC_A_DEV_INDEX));
}

unsigned int srnic_dev_ifindex(const struct srnic_dev *dev)
{
	return nl_uint(nl_attr(&dev->nlh, SRNIC_A_DEV_IFINDEX));
}

unsigned int srnic_dev_mtu(const struct srnic_dev *dev)
{
	return nl_uint(nl_attr(&dev->nlh, SRNIC_A_DEV_MTU));
}

unsigned int srnic_dev_ib_mtu(const struct srnic_dev *dev)
{
	return nl_uint(nl_attr(&dev->nlh, SRNIC_A_DEV_IB_MTU));
}

int srnic_dev_set_ib_mtu(struct srnic *srnic, uint32_t dev_index, unsigned int bytes)
{
	union nl_request request;
	struct nlmsghdr *nlh;

	nlh = nl_begin(&request, SRNIC_CMD_MTU_SET);
	mnl_attr_put_u32(nlh, SRNIC_A_DEV_INDEX, dev_index);
	mnl_attr_put_u32(nlh, SRNIC_A_DEV_IB_MTU, bytes);
	return nl_do(srnic, nlh);
}

const struct srnic_quota *srnic_quota_next(const struct srnic_dev *dev,
					   const struct srnic_quota *quota)
{
	return (const void *)nl_next_attr(&dev->nlh, (const void *)quota, SRNIC_A_DEV_QUOTA);
}

const char *srnic_quota_name(const struct srnic_quota *quota)
{
	return nl_text(nl_nested(&quota->nest, SRNIC_A_QUOTA_NAME));
}

uint32_t srnic_quota_used(const struct srnic_quota *quota)
{
	return nl_uint(nl_nested(&quota->nest, SRNIC_A_QUOTA_USED));
}

uint32_t srnic_quota_limit(const struct srnic_quota *quota)
{
	return nl_uint(nl_nested(&quota->nest, SRNIC_A_QUOTA_LIMIT));
}

uint32_t srnic_quota_reserve(const struct srnic_quota *quota)
{
	return nl_uint(nl_nested(&quota->nest, SRNIC_A_QUOTA_RESERVE));
}

/* @reserve: NULL to let the kernel choose */
static int quota_set(struct srnic *srnic, uint32_t dev_index, const char *name, uint32_t limit,
		     const uint32_t *reserve)
{
	union nl_request request;
	struct nlmsghdr *nlh;
	struct nlattr *nest;
	int err;

	nlh = nl_begin(&request, SRNIC_CMD_QUOTA_SET);
	mnl_attr_put_u32(nlh, SRNIC_A_DEV_INDEX, dev_index);
	nest = mnl_attr_nest_start(nlh, SRNIC_A_DEV_QUOTA);
	err = nl_put_name(nlh, SRNIC_A_QUOTA_NAME, "quota", name);
	if (err)
		return err;
	mnl_attr_put_u32(nlh, SRNIC_A_QUOTA_LIMIT, limit);
	if (reserve)
		mnl_attr_put_u32(nlh, SRNIC_A_QUOTA_RESERVE, *reserve);
	mnl_attr_nest_end(nlh, nest);
	return nl_do(srnic, nlh);
}

int srnic_quota_set(struct srnic *srnic, uint32_t dev_index, const char *name, uint32_t limit)
{
	return quota_set(srnic, dev_index, name, limit, NULL);
}

int srnic_quota_set_reserve(struct srnic *srnic, uint32_t dev_index, const char *name,
			    uint32_t limit, uint32_t reserve)
{
	return quota_set(srnic, dev_index, name, limit, &reserve);
}
