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
 * srnic_netdev_mtu_for() - Return the netdev MTU that packets need
 * @dev: the device
 * @mtu: most bytes of payload, an enum ib_mtu
 *
 * Includes all headers and the seal that the namespace's rules require at present (protocol.md,
 * section 2).
 *
 * Context: any.
 * Return: bytes.
 */
unsigned int srnic_netdev_mtu_for(const struct srnic_dev *dev, enum ib_mtu mtu)
{
	return ib_mtu_enum_to_int(mtu) + MTU_HEADROOM + sth_headroom(dev);
}

/* Return the largest payload that fits the netdev, at least IB_MTU_256. */
static enum ib_mtu fitting_mtu(const struct srnic_dev *dev)
{
	unsigned int most = READ_ONCE(dev->ndev->mtu);
	enum ib_mtu mtu = IB_MTU_4096;

	while (mtu > IB_MTU_256 && srnic_netdev_mtu_for(dev, mtu) > most)
		mtu--;
	return mtu;
}

/**
 * srnic_ib_fitting_mtu() - Return the largest MTU that an InfiniBand port can have at present
 * @dev: the device
 *
 * The default is always possible, for IPv6 fragments packets (protocol.md, section 17). A larger
 * one is of use only if it saves that.
 *
 * Context: any.
 * Return: the MTU.
 */
enum ib_mtu srnic_ib_fitting_mtu(const struct srnic_dev *dev)
{
	return max_t(enum ib_mtu, SRNIC_IB_MTU, fitting_mtu(dev));
}

/**
 * srnic_active_mtu() - Return the active MTU
 * @dev: the device
 *
 * It is the largest payload that fits the netdev with all headers; that of an InfiniBand port,
 * which must be the same on all nodes, is set by the administrator.
 *
 * Context: any.
 * Return: the active MTU, at least IB_MTU_256.
 */
enum ib_mtu srnic_active_mtu(const struct srnic_dev *dev)
{
	return dev->fabric ? READ_ONCE(dev->ib_mtu) : fitting_mtu(dev);
}
