// SPDX-License-Identifier: GPL-2.0
/*
 * The VLAN that a received packet was for, which ib_core asks for when it replies to a MAD.
 */
#include <rdma/ib_cache.h>
#include "srnic.h"
#include "net/internal.h"

/* Return the VLAN of the first GID with the address, on any netdev. */
static u16 vlan_on_any(struct srnic_dev *dev, const u8 dgid[16])
{
	const struct ib_gid_attr *attr;
	u16 vlan = SRNIC_NO_VLAN;
	union ib_gid gid;

	memcpy(gid.raw, dgid, sizeof(gid.raw));
	attr = rdma_find_gid_by_port(&dev->ib, &gid, IB_GID_TYPE_ROCE_UDP_ENCAP, SRNIC_PORT, NULL);
	if (IS_ERR(attr))
		return SRNIC_NO_VLAN;
	rdma_read_gid_l2_fields(attr, &vlan, NULL);
	rdma_put_gid_attr(attr);
	return vlan;
}

/**
 * srnic_net_vlan() - Return the VLAN of the GID that a packet was for
 * @dev: the device that received the packet
 * @ends: the packet's addresses
 *
 * Several netdevs may have one link-local address: the GID of the netdev that received the packet
 * comes first. If that netdev has none, the packet came by another (the weak host model, RFC 1122,
 * 3.3.4.2; or a packet of the host to itself).
 *
 * Context: RCU read side. May read all of ib_core's table: not for the datapath.
 * Return: the VLAN's ID, or SRNIC_NO_VLAN.
 */
u16 srnic_net_vlan(struct srnic_dev *dev, const struct srnic_ends *ends)
{
	int vlan = srnic_gid_vlan(dev, ends->dgid, ends->ifindex);

	return vlan < 0 ? vlan_on_any(dev, ends->dgid) : vlan;
}
