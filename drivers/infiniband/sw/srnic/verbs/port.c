// SPDX-License-Identifier: GPL-2.0
/*
 * The port, derived from the lower netdev.
 */
#include <linux/netdevice.h>
#include <rdma/ib_mad.h>
#include "ops.h"
#include "sth/sth.h"

/* one per address; the core creates three sysfs files for each entry, used or not */
#define SRNIC_GIDS	256

/*
 * Most bytes besides payload and seal that the transition to RTR allows for
 * (protocol.md, section 2): IPv6 header, UDP, BTH, extension headers and ICRC.
 */
#define SRNIC_HEADROOM	(40 + 8 + SRNIC_BTH_LEN + SRNIC_LOADED_EXT_MAX + SRNIC_ICRC_LEN)

/*
 * Space for a seal is always reserved, so that the MTU does not change when a
 * seal is requested. It is the usual length, with which 4096 bytes just fit a
 * netdev MTU of 4200, or more if the longest suite in the namespace's rules
 * needs more.
 */
#define SRNIC_USUAL_STH	20

static unsigned int sth_room(const struct srnic_dev *dev)
{
	struct net *net = READ_ONCE(dev->net);

	return max_t(unsigned int, net ? srnic_policy_longest_sth(net) : 0, SRNIC_USUAL_STH);
}

/**
 * srnic_active_mtu() - Return the largest payload that fits the netdev with all headers
 * @dev: the device
 *
 * Includes the seal that the namespace's rules ask for at present (srdma.md,
 * decision 18).
 *
 * Return: the active MTU, at least IB_MTU_256.
 */
enum ib_mtu srnic_active_mtu(const struct srnic_dev *dev)
{
	int room = (int)READ_ONCE(dev->ndev->mtu) - SRNIC_HEADROOM - sth_room(dev);
	enum ib_mtu mtu = IB_MTU_4096;

	while (mtu > IB_MTU_256 && ib_mtu_enum_to_int(mtu) > room)
		mtu--;
	return mtu;
}

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

int srnic_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	struct srnic_dev *dev = to_srnic(ib);

	port_query_state(dev->ndev, attr);
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = srnic_active_mtu(dev);
	attr->phys_mtu = READ_ONCE(dev->ndev->mtu);
	attr->gid_tbl_len = SRNIC_GIDS;
	attr->ip_gids = true;
	attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->max_msg_sz = SRNIC_MAX_MSG;
	attr->bad_pkey_cntr = srnic_stats_sum(dev->stats, SRNIC_STAT_wrong_pkey);
	attr->qkey_viol_cntr = srnic_stats_sum(dev->stats, SRNIC_STAT_wrong_qkey);
	attr->pkey_tbl_len = 1;
	attr->max_vl_num = 1;
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

	if (!ndev)
		return -EINVAL;
	return srnic_net_gid_add(to_srnic(attr->device), &attr->gid, ndev, context);
}

int srnic_del_gid(const struct ib_gid_attr *attr, void **context)
{
	srnic_net_gid_del(context);
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
