// SPDX-License-Identifier: GPL-2.0
/*
 * The port of a device of type srnic_ib: an InfiniBand port, on which the stock ib_ipoib runs.
 * fabric answers management datagrams, and keeps what a subnet manager may change.
 */
#include <linux/ethtool.h>
#include <linux/rtnetlink.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_smi.h>
#include "fabric/fabric.h"
#include "verbs/ops.h"

/* Rates of a link of four lanes, IBA 5.1 */
static const struct {
	u32 mbps;
	enum ib_port_speed speed;
} ib_port_speeds[] = {
	{ 10000, IB_SPEED_SDR }, { 20000, IB_SPEED_DDR }, { 40000, IB_SPEED_QDR },
	{ 56000, IB_SPEED_FDR }, { 100000, IB_SPEED_EDR }, { 200000, IB_SPEED_HDR },
};

/**
 * srnic_ib_port_set_speed() - Read the speed of the netdev
 * @dev: the device
 *
 * The result is kept because ipoib queries the port under RTNL, which a look at
 * the netdev needs. The lowest rate that suffices is reported.
 *
 * Context: process, RTNL.
 */
void srnic_ib_port_set_speed(struct srnic_dev *dev)
{
	struct ethtool_link_ksettings settings = {};
	u32 mbps = 0;
	size_t i = 0;

	ASSERT_RTNL();
	if (!__ethtool_get_link_ksettings(dev->ndev, &settings) &&
	    settings.base.speed != (u32)SPEED_UNKNOWN)
		mbps = settings.base.speed;
	while (i < ARRAY_SIZE(ib_port_speeds) - 1 && ib_port_speeds[i].mbps < mbps)
		i++;
	WRITE_ONCE(dev->fabric->speed, ib_port_speeds[i].speed);
}

static int ib_port_query(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	struct srnic_dev *dev = to_srnic(ib);
	const struct srnic_fabric *fabric = dev->fabric;

	srnic_port_fill(dev, attr);
	attr->max_mtu = dev->ib_max_mtu;
	attr->phys_mtu = ib_mtu_enum_to_int(dev->ib_max_mtu);
	attr->gid_tbl_len = SRNIC_FABRIC_GIDS;
	attr->pkey_tbl_len = SRNIC_PKEYS;
	attr->port_cap_flags = READ_ONCE(fabric->cap_mask);
	attr->lid = READ_ONCE(fabric->lid);
	attr->sm_lid = READ_ONCE(fabric->sm_lid);
	if (attr->state == IB_PORT_ACTIVE)
		attr->state = READ_ONCE(fabric->state);
	attr->subnet_timeout = SRNIC_FABRIC_TIMEOUT;
	attr->active_speed = READ_ONCE(fabric->speed);
	attr->active_width = IB_WIDTH_4X;
	return 0;
}

static int ib_port_immutable(struct ib_device *ib, u32 port, struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_IB;
	immutable->pkey_tbl_len = SRNIC_PKEYS;
	immutable->gid_tbl_len = SRNIC_FABRIC_GIDS;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

static enum rdma_link_layer ib_port_link_layer(struct ib_device *ib, u32 port)
{
	return IB_LINK_LAYER_INFINIBAND;
}

/* Set before srnic_dev_ops, which does not replace the operations that are set */
const struct ib_device_ops srnic_ib_port_ops = {
	.get_link_layer = ib_port_link_layer,
	.get_port_immutable = ib_port_immutable,
	.modify_port = srnic_fabric_modify_port,
	.query_gid = srnic_fabric_query_gid,
	.query_pkey = srnic_fabric_query_pkey,
	.query_port = ib_port_query,
	.rdma_netdev_get_params = srnic_ib_netdev_params,
};
