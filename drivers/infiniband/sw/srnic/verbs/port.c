// SPDX-License-Identifier: GPL-2.0
/*
 * The port, derived from the lower netdev.
 */
#include <linux/netdevice.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_mad.h>
#include "verbs/ops.h"

/* one per address; the core creates three sysfs files for each entry, used or not */
#define SRNIC_GIDS	256

static void port_query_state(const struct net_device *ndev, struct ib_port_attr *attr)
{
	if (!netif_running(ndev)) {
		attr->state = IB_PORT_DOWN;
		attr->phys_state = IB_PORT_PHYS_STATE_DISABLED;
	} else if (!netif_carrier_ok(ndev)) {
		attr->state = IB_PORT_DOWN;
		attr->phys_state = IB_PORT_PHYS_STATE_POLLING;
	} else {
		attr->state = IB_PORT_ACTIVE;
		attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	}
}

/**
 * srnic_port_fill() - Fill in the attributes that ports of both kinds have
 * @dev: the device
 * @attr: attributes, zeroed
 *
 * Context: process.
 */
void srnic_port_fill(struct srnic_dev *dev, struct ib_port_attr *attr)
{
	port_query_state(dev->ndev, attr);
	attr->active_mtu = srnic_active_mtu(dev);
	attr->max_msg_sz = SRNIC_MAX_MSG;
	attr->bad_pkey_cntr = srnic_stats_sum(dev->stats, SRNIC_STAT_wrong_pkey);
	attr->qkey_viol_cntr = srnic_stats_sum(dev->stats, SRNIC_STAT_wrong_qkey);
	attr->max_vl_num = 1;
}

int srnic_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	struct srnic_dev *dev = to_srnic(ib);

	srnic_port_fill(dev, attr);
	attr->max_mtu = IB_MTU_4096;
	attr->phys_mtu = READ_ONCE(dev->ndev->mtu);
	attr->gid_tbl_len = SRNIC_GIDS;
	attr->ip_gids = true;
	attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->pkey_tbl_len = 1;
	return ib_get_eth_speed(ib, port, &attr->active_speed, &attr->active_width);
}

int srnic_port_immutable(struct ib_device *ib, u32 port, struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	immutable->pkey_tbl_len = 1;
	immutable->gid_tbl_len = SRNIC_GIDS;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

enum rdma_link_layer srnic_link_layer(struct ib_device *ib, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

int srnic_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey)
{
	if (index != SRNIC_PKEY_INDEX)
		return -EINVAL;

	*pkey = SRNIC_PKEY;
	return 0;
}

/*
 * The core tracks the addresses of the netdev and of the netdevs stacked on it,
 * in every network namespace, and holds the entry's netdev.
 */
int srnic_add_gid(const struct ib_gid_attr *attr, void **context)
{
	struct net_device *ndev = rcu_dereference_protected(attr->ndev, true);
	u16 vlan;

	if (!ndev || rdma_read_gid_l2_fields(attr, &vlan, NULL))
		return -EINVAL;
	return srnic_net_gid_add(to_srnic(attr->device), &attr->gid, ndev, vlan, context);
}

int srnic_del_gid(const struct ib_gid_attr *attr, void **context)
{
	srnic_net_gid_del(to_srnic(attr->device), context);
	return 0;
}

/**
 * srnic_port_event() - Tell consumers that the port has come up or gone down
 * @dev: the device, registered
 * @event: IB_EVENT_PORT_ACTIVE or IB_EVENT_PORT_ERR
 *
 * Context: any.
 */
void srnic_port_event(struct srnic_dev *dev, enum ib_event_type event)
{
	struct ib_event ev = {
		.device = &dev->ib,
		.element.port_num = SRNIC_PORT,
		.event = event,
	};

	ib_dispatch_event(&ev);
}
