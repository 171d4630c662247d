// SPDX-License-Identifier: GPL-2.0
/*
 * The switch's subnet management agent, apart from PortInfo (IBA 14.2.5). Tables are kept for the
 * manager and for tools that show them; nothing is forwarded by them.
 */
#include <linux/string.h>
#include <linux/utsname.h>
#include "export.h"
#include "fabric/switch.h"

#define SMP_VERSION	1	/* base and class version, IBA 14.2.1 */
#define NODE_TYPE_SWITCH	2	/* IBA 14.2.5.3 */
#define LFT_BLOCK	64	/* LIDs of a block, IBA 14.2.5.10 */
#define MFT_BLOCK	32	/* MLIDs of a block, IBA 14.2.5.12 */
#define MFT_BLOCK_OF	0x1ff	/* AttributeModifier: number of the block */
#define MFT_POSITION_SHIFT	28	/* and that of the position */
#define PORT_CHANGE	0x04	/* in life_state */

/* SwitchInfo, IBA 14.2.5.4 */
struct switch_info {
	__be16 linear_cap;
	__be16 random_cap;
	__be16 multicast_cap;
	__be16 linear_top;
	u8 default_port;
	u8 default_primary;
	u8 default_not_primary;
	u8 life_state;		/* LifeTimeValue (5 bits), PortStateChange, 2 bits */
	__be16 lids_per_port;
	__be16 partition_cap;
	u8 flags;
	u8 reserved;
	__be16 multicast_top;
} __packed;

/* A request to an attribute: @data is that of the reply, and of the request if it is a Set */
struct request {
	struct srnic_switch *sw;
	const struct ib_mad *in;
	u8 in_port;
	bool set;
	u32 mod;
	void *data;
};

static u16 node_desc(const struct request *req)
{
	/* as the node's own, which says which host it is of */
	snprintf(req->data, IB_DEVICE_NODE_DESC_MAX, "srnic switch of %.40s",
		 req->sw->fabric->dev->ib.node_desc);
	return 0;
}

static u16 node_info(const struct request *req)
{
	struct ib_node_info *info = req->data;

	srnic_sma_node_info(req->sw->fabric, info);
	info->node_type = NODE_TYPE_SWITCH;
	info->num_ports = SRNIC_SWITCH_PORTS;
	info->sys_guid = req->sw->guid;
	info->node_guid = req->sw->guid;
	info->port_guid = req->sw->guid;
	info->local_port_num = req->in_port;
	return 0;
}

/* A Set of PortStateChange clears it. */
static u16 switch_info(const struct request *req)
{
	struct switch_info *info = req->data;
	struct srnic_switch *sw = req->sw;

	if (req->set) {
		sw->lft_top = info->linear_top;
		sw->mft_top = info->multicast_top;
		sw->life = info->life_state & ~PORT_CHANGE;
		if (info->life_state & PORT_CHANGE)
			sw->changed = false;
	}
	memset(info, 0, sizeof(*info));
	info->linear_cap = cpu_to_be16(SRNIC_SWITCH_LIDS);
	info->multicast_cap = cpu_to_be16(SRNIC_SWITCH_MLIDS);
	info->linear_top = sw->lft_top;
	info->multicast_top = sw->mft_top;
	info->life_state = sw->life | (sw->changed ? PORT_CHANGE : 0);
	return 0;
}

static u16 port_info(const struct request *req)
{
	return srnic_switch_port_info(req->sw, req->in_port, req->in, req->data);
}

/* Port 0 has one GUID. */
static u16 guid_info(const struct request *req)
{
	if (req->mod)
		return SRNIC_MAD_INVALID_FIELD;
	memset(req->data, 0, IB_SMP_DATA_SIZE);
	memcpy(req->data, &req->sw->guid, sizeof(req->sw->guid));
	return 0;
}

/* Partitions are enforced by the nodes, each for itself: the tables have the default P_Key only. */
static u16 pkey_table(const struct request *req)
{
	__be16 *pkeys = req->data;

	if (req->mod & 0xffff)
		return SRNIC_MAD_INVALID_FIELD;
	memset(pkeys, 0, IB_SMP_DATA_SIZE);
	pkeys[0] = cpu_to_be16(SRNIC_PKEY);
	return 0;
}

/* SLtoVLMappingTable and VLArbitrationTable: there is one VL, number 0. */
static u16 only_vl0(const struct request *req)
{
	memset(req->data, 0, IB_SMP_DATA_SIZE);
	return 0;
}

/* Read from a table, or write to it. */
static void copy_block(const struct request *req, void *table, size_t len)
{
	if (req->set)
		memcpy(table, req->data, len);
	else
		memcpy(req->data, table, len);
}

static u16 linear_table(const struct request *req)
{
	if (req->mod >= SRNIC_SWITCH_LIDS / LFT_BLOCK)
		return SRNIC_MAD_INVALID_FIELD;
	copy_block(req, &req->sw->lft[req->mod * LFT_BLOCK], LFT_BLOCK);
	return 0;
}

static u16 multicast_table(const struct request *req)
{
	u32 position = req->mod >> MFT_POSITION_SHIFT, block = req->mod & MFT_BLOCK_OF;

	if (position >= SRNIC_SWITCH_POSITIONS || block >= SRNIC_SWITCH_MLIDS / MFT_BLOCK)
		return SRNIC_MAD_INVALID_FIELD;
	copy_block(req, &req->sw->mft[position][block * MFT_BLOCK], MFT_BLOCK * sizeof(__be16));
	return 0;
}

static const struct {
	__be16 id;
	u8 methods;
	u16 (*answer)(const struct request *req);
} attrs[] = {
	{ IB_SMP_ATTR_NODE_DESC, SRNIC_MAD_GET, node_desc },
	{ IB_SMP_ATTR_NODE_INFO, SRNIC_MAD_GET, node_info },
	{ IB_SMP_ATTR_SWITCH_INFO, SRNIC_MAD_GET_SET, switch_info },
	{ IB_SMP_ATTR_PORT_INFO, SRNIC_MAD_GET_SET, port_info },
	{ IB_SMP_ATTR_GUID_INFO, SRNIC_MAD_GET, guid_info },
	{ IB_SMP_ATTR_PKEY_TABLE, SRNIC_MAD_GET_SET, pkey_table },
	{ IB_SMP_ATTR_SL_TO_VL_TABLE, SRNIC_MAD_GET_SET, only_vl0 },
	{ IB_SMP_ATTR_VL_ARB_TABLE, SRNIC_MAD_GET_SET, only_vl0 },
	{ IB_SMP_ATTR_LINEAR_FORWARD_TABLE, SRNIC_MAD_GET_SET, linear_table },
	{ IB_SMP_ATTR_MCAST_FORWARD_TABLE, SRNIC_MAD_GET_SET, multicast_table },
};

static u16 answer_attr(const struct request *req)
{
	const struct ib_mad_hdr *hdr = &req->in->mad_hdr;
	unsigned int i;

	if (hdr->class_version != SMP_VERSION)
		return IB_MGMT_MAD_STATUS_BAD_VERSION;
	for (i = 0; i < ARRAY_SIZE(attrs); i++)
		if (attrs[i].id == hdr->attr_id && attrs[i].methods & BIT(hdr->method))
			return attrs[i].answer(req);
	return IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB;
}

/**
 * srnic_switch_answer() - Answer a Get or a Set to the switch
 * @sw: the switch
 * @in_port: port that the request came by
 * @in: the request
 * @out: the reply
 *
 * Context: process, under @sw->lock.
 */
void srnic_switch_answer(struct srnic_switch *sw, u8 in_port, const struct ib_mad *in,
			 struct ib_mad *out)
{
	struct ib_smp *smp = (struct ib_smp *)out;
	const struct request req = {
		.sw = sw,
		.in = in,
		.in_port = in_port,
		.set = in->mad_hdr.method == IB_MGMT_METHOD_SET,
		.mod = be32_to_cpu(in->mad_hdr.attr_mod),
		.data = smp->data,
	};

	lockdep_assert_held(&sw->lock);
	*out = *in;
	if (!req.set)
		memset(smp->data, 0, sizeof(smp->data));
	smp->status = cpu_to_be16(answer_attr(&req));
	smp->method = IB_MGMT_METHOD_GET_RESP;
	if (smp->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE)
		smp->status |= IB_SMP_DIRECTION;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_switch_answer);
