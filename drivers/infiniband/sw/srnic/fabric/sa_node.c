// SPDX-License-Identifier: GPL-2.0
/*
 * The SA's records of itself and of this node: ClassPortInfo, NodeRecord,
 * PortInfoRecord (IBA 15.2.5).
 */
#include <linux/string.h>
#include "fabric/sa.h"

#define UD_MULTICAST	0x0200	/* CapabilityMask, IBA 15.2.4: multicast is supported */

/* NodeRecord, IBA 15.2.5.2 */
struct node_record {
	__be16 lid;
	__be16 reserved;
	struct ib_node_info info;
	u8 desc[IB_DEVICE_NODE_DESC_MAX];
} __packed;

static_assert(sizeof(struct node_record) == 108);

/* PortInfoRecord, IBA 15.2.5.3 */
struct port_record {
	__be16 lid;
	u8 port;
	u8 options;
	u8 info[IB_SMP_DATA_SIZE];
} __packed;

static_assert(sizeof(struct port_record) == 68);

#define NODE_FIELD(comp_bit, member, length)				\
	SRNIC_SA_FIELD(comp_bit, struct node_record, member, 0, length, 0xff)
#define PORT_FIELD(comp_bit, member, length)				\
	SRNIC_SA_FIELD(comp_bit, struct port_record, member, 0, length, 0xff)

static const struct srnic_sa_field node_fields[] = {
	NODE_FIELD(0, lid, 2),
	NODE_FIELD(4, info.node_type, 1),
	NODE_FIELD(5, info.num_ports, 1),
	NODE_FIELD(6, info.sys_guid, 8),
	NODE_FIELD(7, info.node_guid, 8),
	NODE_FIELD(8, info.port_guid, 8),
	NODE_FIELD(12, info.local_port_num, 1),
	NODE_FIELD(14, desc, IB_DEVICE_NODE_DESC_MAX),
};

static const struct srnic_sa_field port_fields[] = {
	PORT_FIELD(0, lid, 2),
	PORT_FIELD(1, port, 1),
};

/**
 * srnic_sa_get_class_port_info() - Answer a Get of ClassPortInfo
 * @fabric: the port
 * @in: the request
 * @table: records of the reply
 *
 * Context: process.
 * Return: status of the reply.
 */
u16 srnic_sa_get_class_port_info(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
				 struct srnic_sa_table *table)
{
	struct ib_class_port_info info = {
		.base_version = IB_MGMT_BASE_VERSION,
		.class_version = IB_SA_CLASS_VERSION,
		.capability_mask = cpu_to_be16(UD_MULTICAST),
	};

	ib_set_cpi_resp_time(&info, SRNIC_FABRIC_TIMEOUT);
	/* tells ipoib that it may join groups to which it only sends (join state 8) */
	ib_set_cpi_capmask2(&info, IB_SA_CAP_MASK2_SENDONLY_FULL_MEM_SUPPORT);
	return srnic_sa_table_add(table, &info);
}

/**
 * srnic_sa_get_node() - Answer a Get or GetTable of NodeRecord
 * @fabric: the port
 * @in: the request
 * @table: records of the reply: at most that of this node
 *
 * Context: process.
 * Return: status of the reply.
 */
u16 srnic_sa_get_node(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		      struct srnic_sa_table *table)
{
	struct node_record rec = { .lid = cpu_to_be16(fabric->lid) };

	srnic_sma_node_info(fabric, &rec.info);
	memcpy(rec.desc, fabric->dev->ib.node_desc, sizeof(rec.desc));
	return srnic_sa_table_add_match(table, in, node_fields, ARRAY_SIZE(node_fields), &rec);
}

/**
 * srnic_sa_get_port() - Answer a Get or GetTable of PortInfoRecord
 * @fabric: the port
 * @in: the request; of its components, LID and port number select
 * @table: records of the reply: at most that of this port
 *
 * Context: process.
 * Return: status of the reply.
 */
u16 srnic_sa_get_port(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		      struct srnic_sa_table *table)
{
	struct port_record rec = { .lid = cpu_to_be16(fabric->lid), .port = SRNIC_PORT };

	if (!srnic_sa_match(in, port_fields, ARRAY_SIZE(port_fields), &rec))
		return SRNIC_SA_OK;
	if (srnic_sma_fill_port_info(fabric, rec.info))
		return SRNIC_SA_NO_RESOURCES;
	return srnic_sa_table_add(table, &rec);
}
