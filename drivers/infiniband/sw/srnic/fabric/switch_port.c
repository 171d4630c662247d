// SPDX-License-Identifier: GPL-2.0
/*
 * PortInfo of the switch's ports (IBA 14.2.5.6). Port 0 is the switch's own: it alone has LIDs, and
 * it is always up, as far as the manager says so.
 */
#include <linux/string.h>
#include "fabric/switch.h"

#define PORT_OF_MOD	0xff	/* AttributeModifier: port number */

static u8 *state_of(struct srnic_switch *sw, u8 port)
{
	return port ? &sw->ports[port].state : &sw->state0;
}

/* Fill in PortInfo. The link is as this node's port has it. */
static int fill_info(struct srnic_switch *sw, u8 port, u8 in_port, void *data)
{
	struct ib_port_info info;
	struct ib_port_attr attr;
	u8 state = *state_of(sw, port);
	int err = srnic_fabric_query_port(sw->fabric, &attr);

	if (err)
		return err;
	attr.state = state;
	attr.phys_state = state == IB_PORT_DOWN ? IB_PORT_PHYS_STATE_POLLING :
						  IB_PORT_PHYS_STATE_LINK_UP;
	attr.lid = port ? 0 : sw->lid;
	attr.sm_lid = port ? 0 : sw->sm_lid;
	attr.port_cap_flags = 0;
	srnic_sma_fill_info(sw->fabric, &attr, data);
	memcpy(&info, data, sizeof(info));	/* aligned */
	info.local_port_num = in_port;
	if (port) {
		info.gid_prefix = 0;
		info.guid_cap = 0;
	}
	memcpy(data, &info, sizeof(info));
	return 0;
}

static u16 set_info(struct srnic_switch *sw, u8 port, const void *data)
{
	struct ib_port_info info;
	u16 status;

	memcpy(&info, data, sizeof(info));	/* aligned */
	status = srnic_port_state_next(state_of(sw, port), &info);
	if (status || port)
		return status;
	sw->lid = be16_to_cpu(info.lid);
	sw->sm_lid = be16_to_cpu(info.sm_lid);
	WRITE_ONCE(sw->fabric->switch_lid, sw->lid);
	return 0;
}

/**
 * srnic_switch_port_info() - Answer a Get or a Set of PortInfo of a port of the switch
 * @sw: the switch
 * @in_port: port that the request came by
 * @in: the request; its modifier names the port
 * @data: data of the reply, IB_SMP_DATA_SIZE bytes; those of the request for a Set
 *
 * Context: process, under @sw->lock.
 * Return: MAD status, host order.
 */
u16 srnic_switch_port_info(struct srnic_switch *sw, u8 in_port, const struct ib_mad *in,
			   void *data)
{
	u8 port = be32_to_cpu(in->mad_hdr.attr_mod) & PORT_OF_MOD;
	u16 status = 0;

	lockdep_assert_held(&sw->lock);
	if (port > SRNIC_SWITCH_PORTS)
		return SRNIC_MAD_INVALID_FIELD;
	if (in->mad_hdr.method == IB_MGMT_METHOD_SET)
		status = set_info(sw, port, data);
	if (fill_info(sw, port, in_port, data))
		return IB_MGMT_MAD_STATUS_BUSY;
	return status;
}
