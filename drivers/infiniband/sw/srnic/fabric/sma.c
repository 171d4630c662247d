// SPDX-License-Identifier: GPL-2.0
/*
 * The subnet management agent, apart from PortInfo (IBA 14.2.5).
 *
 * The port configures itself, so a Set changes little: fields that a subnet
 * manager may write, but that are fixed here, are reported as they are.
 */
#include <linux/jiffies.h>
#include <linux/string.h>
#include "fabric/port.h"

#define SMP_VERSION	1	/* base and class version, IBA 14.2.1 */
#define NODE_TYPE_CA	1	/* IBA 14.2.5.3 */

#define SM_STATE_MASTER	3	/* SMInfo, IBA 14.2.5.13 */

static u16 get_node_desc(struct srnic_fabric *fabric, const struct ib_mad *in, void *data)
{
	memcpy(data, fabric->dev->ib.node_desc, IB_DEVICE_NODE_DESC_MAX);
	return 0;
}

/* Fill in NodeInfo (IBA 14.2.5.3). */
void srnic_sma_node_info(struct srnic_fabric *fabric, struct ib_node_info *info)
{
	const struct ib_device *ib = &fabric->dev->ib;

	info->base_version = SMP_VERSION;
	info->class_version = SMP_VERSION;
	info->node_type = NODE_TYPE_CA;
	info->num_ports = SRNIC_PORT;
	info->sys_guid = ib->attrs.sys_image_guid;
	info->node_guid = ib->node_guid;
	info->port_guid = srnic_fabric_guid(fabric);
	info->partition_cap = cpu_to_be16(SRNIC_PKEYS);
	info->device_id = cpu_to_be16(ib->attrs.vendor_part_id);
	info->revision = cpu_to_be32(ib->attrs.hw_ver);
	info->local_port_num = SRNIC_PORT;
	put_unaligned_be24(ib->attrs.vendor_id, info->vendor_id);
}

static u16 get_node_info(struct srnic_fabric *fabric, const struct ib_mad *in, void *data)
{
	srnic_sma_node_info(fabric, data);
	return 0;
}

/* The AttributeModifier is the number of a block of entries. All entries fit in the first. */
static bool is_first_block(const struct ib_mad *in)
{
	return !in->mad_hdr.attr_mod;
}

/* Fill in the first block of GUIDInfo (IBA 14.2.5.5), IB_SMP_DATA_SIZE bytes. */
void srnic_sma_fill_guids(struct srnic_fabric *fabric, void *data)
{
	__be64 guid = srnic_fabric_guid(fabric);

	memset(data, 0, IB_SMP_DATA_SIZE);
	memcpy(data, &guid, sizeof(guid));
}

/* Answer a Get, and a Set likewise: the only entry, 0, is read-only (IBA 14.2.5.5). */
static u16 guid_info(struct srnic_fabric *fabric, const struct ib_mad *in, void *data)
{
	if (!is_first_block(in))
		return SRNIC_MAD_INVALID_FIELD;
	srnic_sma_fill_guids(fabric, data);
	return 0;
}

/* Fill in the first block of the P_Key table (IBA 14.2.5.7), IB_SMP_DATA_SIZE bytes. */
void srnic_sma_fill_pkeys(struct srnic_fabric *fabric, void *data)
{
	__be16 *pkeys = data;
	int i;

	memset(data, 0, IB_SMP_DATA_SIZE);
	for (i = 0; i < SRNIC_PKEYS; i++)
		pkeys[i] = cpu_to_be16(READ_ONCE(fabric->dev->pkeys[i]));
}

static u16 get_pkey_table(struct srnic_fabric *fabric, const struct ib_mad *in, void *data)
{
	if (!is_first_block(in))
		return SRNIC_MAD_INVALID_FIELD;
	srnic_sma_fill_pkeys(fabric, data);
	return 0;
}

/* Replace the P_Keys (IBA 14.2.5.7). Entries beyond the table are ignored. */
static u16 set_pkey_table(struct srnic_fabric *fabric, const struct ib_mad *in, void *data)
{
	const __be16 *wanted = data;
	u16 pkeys[SRNIC_PKEYS];
	int i;

	if (!is_first_block(in))
		return SRNIC_MAD_INVALID_FIELD;
	for (i = 0; i < SRNIC_PKEYS; i++)
		pkeys[i] = be16_to_cpu(wanted[i]);
	srnic_fabric_set_pkeys(fabric, pkeys);
	return get_pkey_table(fabric, in, data);
}

/* SLtoVLMappingTable and VLArbitrationTable: there is one VL, number 0. */
static u16 only_vl0(struct srnic_fabric *fabric, const struct ib_mad *in, void *data)
{
	memset(data, 0, IB_SMP_DATA_SIZE);
	return 0;
}

/* Fill in SMInfo: the manager of a port that manages itself is always the master. */
void srnic_sma_fill_sm_info(struct srnic_fabric *fabric, struct srnic_sm_info *info)
{
	info->guid = srnic_fabric_guid(fabric);
	info->sm_key = 0;
	/* shows that the manager is alive: grows every second */
	info->act_count = cpu_to_be32(div_u64(get_jiffies_64(), HZ));
	info->priority_state = SM_STATE_MASTER;
}

/* A port that another one manages has a manager only if user space has one (mad.c). */
static u16 get_sm_info(struct srnic_fabric *fabric, const struct ib_mad *in, void *data)
{
	if (srnic_fabric_is_managed(fabric))
		return IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB;
	srnic_sma_fill_sm_info(fabric, data);
	return 0;
}

static const struct srnic_mad_attr attrs[] = {
	{ IB_SMP_ATTR_NODE_DESC, SRNIC_MAD_GET, get_node_desc },
	{ IB_SMP_ATTR_NODE_INFO, SRNIC_MAD_GET, get_node_info },
	{ IB_SMP_ATTR_GUID_INFO, SRNIC_MAD_GET_SET, guid_info },
	{ IB_SMP_ATTR_PORT_INFO, SRNIC_MAD_GET_SET, srnic_sma_port_info },
	{ IB_SMP_ATTR_PKEY_TABLE, SRNIC_MAD_GET, get_pkey_table },
	{ IB_SMP_ATTR_PKEY_TABLE, SRNIC_MAD_SET, set_pkey_table },
	{ IB_SMP_ATTR_SL_TO_VL_TABLE, SRNIC_MAD_GET_SET, only_vl0 },
	{ IB_SMP_ATTR_VL_ARB_TABLE, SRNIC_MAD_GET_SET, only_vl0 },
	{ IB_SMP_ATTR_SM_INFO, SRNIC_MAD_GET, get_sm_info },
};

#define SMA_CLASS(number) {						\
	.mgmt_class = (number),						\
	.attrs = attrs,							\
	.n_attrs = ARRAY_SIZE(attrs),					\
	.offset = offsetof(struct ib_smp, data),			\
	.len = IB_SMP_DATA_SIZE,					\
	.own_only = SRNIC_MAD_GET_SET,					\
}

const struct srnic_mad_class srnic_sma_lid_routed = SMA_CLASS(IB_MGMT_CLASS_SUBN_LID_ROUTED);
const struct srnic_mad_class srnic_sma_directed = SMA_CLASS(IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE);
