// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * P_Keys of InfiniBand ports.
 */
#include "nl.h"

struct srnic_pkey {
	struct nlattr attr;
};

const struct srnic_pkey *srnic_pkey_next(const struct srnic_dev *dev,
					 const struct srnic_pkey *pkey)
{
	return (const void *)nl_next_attr((const void *)dev, (const void *)pkey, SRNIC_A_DEV_PKEY);
}

uint16_t srnic_pkey_value(const struct srnic_pkey *pkey)
{
	return nl_uint(&pkey->attr);
}

static int change(struct srnic *srnic, uint8_t cmd, uint32_t dev_index, uint16_t pkey)
{
	union nl_request request;
	struct nlmsghdr *nlh;

	nlh = nl_begin(&request, cmd);
	mnl_attr_put_u32(nlh, SRNIC_A_DEV_INDEX, dev_index);
	mnl_attr_put_u16(nlh, SRNIC_A_DEV_PKEY, pkey);
	return nl_do(srnic, nlh);
}

int srnic_pkey_add(struct srnic *srnic, uint32_t dev_index, uint16_t pkey)
{
	return change(srnic, SRNIC_CMD_PKEY_ADD, dev_index, pkey);
}

int srnic_pkey_del(struct srnic *srnic, uint32_t dev_index, uint16_t pkey)
{
	return change(srnic, SRNIC_CMD_PKEY_DEL, dev_index, pkey);
}
