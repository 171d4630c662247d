// SPDX-License-Identifier: GPL-2.0
/*
 * PortInfo (IBA 14.2.5.6), for the subnet management agent and the SA. Its
 * values come from query_port, so the two cannot disagree.
 */
#include <linux/string.h>
#include "fabric/port.h"

#define PORT_OF_MOD	0xff	/* AttributeModifier: port number; the top bit selects a format */

#define CLIENT_REREGISTER	0x80
#define DOWN_DEFAULT_POLLING	2
#define SPEED_QDR		IB_SPEED_QDR	/* fastest of LinkSpeedActive */
#define EXT_SPEED_SHIFT		4	/* IB_SPEED_FDR is 1 of LinkSpeedExtActive */

/* Fields behind those of struct ib_port_info, offsets (IBA 14.2.5.6) */
#define SPEED_EXT_AT		62	/* active, supported: 4 bits each */
#define SPEED_EXT_ENABLED_AT	63

/* PortInfo, aligned: the data of a MAD may not be */
union port_info {
	struct ib_port_info info;
	u8 bytes[IB_SMP_DATA_SIZE];
};

static_assert(sizeof(union port_info) == IB_SMP_DATA_SIZE);

/* The speed is that of the netdev below: enabled, supported and active are one. */
static void fill_speed(union port_info *p, const struct ib_port_attr *attr)
{
	u8 speed = min_t(u16, attr->active_speed, SPEED_QDR);
	u8 ext = min_t(u16, attr->active_speed >> EXT_SPEED_SHIFT, 0xf);

	p->info.link_width_enabled = attr->active_width;
	p->info.link_width_supported = attr->active_width;
	p->info.link_width_active = attr->active_width;
	p->info.linkspeed_portstate = speed << 4 | attr->state;
	p->info.linkspeedactive_enabled = speed << 4 | speed;
	if (attr->port_cap_flags & IB_PORT_EXTENDED_SPEEDS_SUP) {
		p->bytes[SPEED_EXT_AT] = ext << 4 | ext;
		p->bytes[SPEED_EXT_ENABLED_AT] = ext;
	}
}

/* Fill in PortInfo, IB_SMP_DATA_SIZE bytes, from what query_port reports. */
void srnic_sma_fill_info(const struct srnic_fabric *fabric, const struct ib_port_attr *attr,
			 void *data)
{
	union port_info p = {};
	struct ib_port_info *info = &p.info;

	info->gid_prefix = fabric->gid.global.subnet_prefix;
	info->lid = cpu_to_be16(attr->lid);
	info->sm_lid = cpu_to_be16(attr->sm_lid);
	info->cap_mask = cpu_to_be32(attr->port_cap_flags);
	info->local_port_num = SRNIC_PORT;
	fill_speed(&p, attr);
	info->portphysstate_linkdown = attr->phys_state << 4 | DOWN_DEFAULT_POLLING;
	info->mkeyprot_resv_lmc = attr->lmc;
	info->neighbormtu_mastersmsl = attr->active_mtu << 4 | attr->sm_sl;
	info->vlcap_inittype = attr->max_vl_num << 4;
	info->inittypereply_mtucap = attr->init_type_reply << 4 | attr->max_mtu;
	info->operationalvl_pei_peo_fpi_fpo = attr->max_vl_num << 4;
	info->pkey_violations = cpu_to_be16(min_t(u32, attr->bad_pkey_cntr, U16_MAX));
	info->qkey_violations = cpu_to_be16(min_t(u32, attr->qkey_viol_cntr, U16_MAX));
	info->guid_cap = SRNIC_FABRIC_GIDS;
	info->clientrereg_resv_subnetto = attr->subnet_timeout;
	info->resv_resptimevalue = SRNIC_FABRIC_TIMEOUT;
	memcpy(data, &p, sizeof(p));
}

/*
 * Fill in PortInfo, IB_SMP_DATA_SIZE bytes. Return 0 or the error of query_port.
 *
 * Context: process.
 */
int srnic_sma_fill_port_info(struct srnic_fabric *fabric, void *data)
{
	struct ib_port_attr attr;
	int err = srnic_fabric_query_port(fabric, &attr);

	if (!err)
		srnic_sma_fill_info(fabric, &attr, data);
	return err;
}

static u16 set_info(struct srnic_fabric *fabric, const void *data)
{
	struct ib_port_info info;

	memcpy(&info, data, sizeof(info));	/* aligned */
	return srnic_managed_set_info(fabric, &info);
}

/**
 * srnic_sma_port_info() - Answer a Get or a Set of PortInfo
 * @fabric: the port
 * @in: the request
 * @data: data of the reply, IB_SMP_DATA_SIZE bytes; those of the request for a Set
 *
 * A Set changes LIDs and state of a port that a subnet manager manages. Otherwise it changes
 * nothing: they follow from the netdev below. The MTU is always that of srnic_fabric_set_mtu().
 * A Set may ask consumers to register again, and the reply then has that bit (IBA 14.4.11).
 *
 * Context: process.
 * Return: MAD status, host order.
 */
u16 srnic_sma_port_info(struct srnic_fabric *fabric, const struct ib_mad *in, void *data)
{
	u32 port = be32_to_cpu(in->mad_hdr.attr_mod) & PORT_OF_MOD;
	struct ib_port_info *info = data;
	u8 reregister = info->clientrereg_resv_subnetto & CLIENT_REREGISTER;
	u16 status = 0;

	if (port && port != SRNIC_PORT)
		return SRNIC_MAD_INVALID_FIELD;
	if (in->mad_hdr.method == IB_MGMT_METHOD_SET && srnic_fabric_is_managed(fabric))
		status = set_info(fabric, data);
	if (srnic_sma_fill_port_info(fabric, data))
		return IB_MGMT_MAD_STATUS_BUSY;
	if (reregister) {
		info->clientrereg_resv_subnetto |= CLIENT_REREGISTER;
		fabric->notify(fabric, IB_EVENT_CLIENT_REREGISTER);
	}
	return status;
}
