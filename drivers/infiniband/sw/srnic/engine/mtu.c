// SPDX-License-Identifier: GPL-2.0
/*
 * The active MTU, derived from the lower netdev and the namespace's rules.
 */
#include <linux/netdevice.h>
#include "srnic.h"
#include "engine/engine.h"

/*
 * Most bytes besides payload and seal that the transition to RTR allows for
 * (protocol.md, section 2): IPv6 header, UDP, BTH, extension headers and ICRC. XRC needs 4 bytes
 * more: with a netdev MTU of 4200 to 4203, its QPs cannot use the 4096 bytes that others can.
 */
#define MTU_HEADROOM	(40 + 8 + SRNIC_BTH_LEN + SRNIC_PAYLOAD_EXT_MAX + SRNIC_ICRC_LEN)

/*
 * Space for a seal is always reserved, so that the MTU does not change when a
 * seal is requested. It is the usual length, with which 4096 bytes just fit a
 * netdev MTU of 4200, or more if the longest suite in the namespace's rules
 * needs more.
 */
#define MTU_USUAL_STH	20

static unsigned int sth_headroom(const struct srnic_dev *dev)
{
	struct net *net = READ_ONCE(dev->net);

	return max_t(unsigned int, net ? srnic_policy_longest_sth(net) : 0, MTU_USUAL_STH);
}

/**
 * srnic_active_mtu() - Return the largest payload that fits the netdev with all headers
 * @dev: the device
 *
 * Includes the seal that the namespace's rules require at present (protocol.md,
 * section 2). All ports of a fabric have the same MTU, whatever their netdevs'.
 *
 * Context: any.
 * Return: the active MTU, at least IB_MTU_256.
 */
enum ib_mtu srnic_active_mtu(const struct srnic_dev *dev)
{
	int avail = (int)READ_ONCE(dev->ndev->mtu) - MTU_HEADROOM - sth_headroom(dev);
	enum ib_mtu mtu = IB_MTU_4096;

	if (dev->fabric)
		return SRNIC_FABRIC_MTU;
	while (mtu > IB_MTU_256 && ib_mtu_enum_to_int(mtu) > avail)
		mtu--;
	return mtu;
}
