// SPDX-License-Identifier: GPL-2.0
/*
 * Membership in multicast groups of the underlay: IGMP and MLD inform switches and routers,
 * and netdevs let the frames through.
 *
 * A RoCEv2 MGID is an IP group address, IPv4 in mapped form (annex A17.3.4). InfiniBand's
 * multicast MGIDs (FF12:401B:: and the like) are IPv6 groups as well.
 *
 * A device is torn down some time after its netdev has moved to another namespace. The device
 * leaves its groups where it joined them, in dev->net, which exists until then.
 */
#include <linux/igmp.h>
#include <linux/inetdevice.h>
#include <linux/rtnetlink.h>
#include "compat_net.h"
#include "srnic.h"
#include "net/internal.h"

/* Return the netdev's IPv4 part, or NULL without IPv4 or outside the device's namespace. */
static struct in_device *mcast_in_dev(const struct srnic_dev *dev)
{
	ASSERT_RTNL();
	return net_eq(dev_net(dev->ndev), dev->net) ? __in_dev_get_rtnl(dev->ndev) : NULL;
}

static int mcast_join4(struct srnic_dev *dev, __be32 addr)
{
	struct in_device *in_dev;

	rtnl_lock();
	in_dev = mcast_in_dev(dev);
	if (in_dev)
		ip_mc_inc_group(in_dev, addr);
	rtnl_unlock();
	return in_dev ? 0 : -ENODEV;
}

/* A netdev that moved has lost its memberships with its in_device: others own the new ones. */
static void mcast_leave4(struct srnic_dev *dev, __be32 addr)
{
	struct in_device *in_dev;

	rtnl_lock();
	in_dev = mcast_in_dev(dev);
	if (in_dev)
		ip_mc_dec_group(in_dev, addr);
	rtnl_unlock();
}

#if IS_ENABLED(CONFIG_IPV6)
/*
 * Join or leave by @change; the namespace's socket for the port is the member. dev->ifindex is
 * the netdev's number in that namespace.
 */
static int mcast_change6(struct srnic_dev *dev, const struct in6_addr *addr,
			 int (*change)(struct sock *sk, int ifindex, const struct in6_addr *addr))
{
	struct srnic_netns *ns = srnic_netns(dev->net);
	struct srnic_netns_port *port = srnic_netns_port(ns, dev->udp_port);
	int err = -EAFNOSUPPORT;

	/* for kernels whose MLD still needs it; first, because GIDs are added under it */
	rtnl_lock();
	mutex_lock(&ns->lock);	/* excludes srnic_net_put() */
	if (port->sock6) {
		struct sock *sk = port->sock6->sk;

		lock_sock(sk);
		err = change(sk, dev->ifindex, addr);
		release_sock(sk);
	}
	mutex_unlock(&ns->lock);
	rtnl_unlock();
	return err;
}

static int mcast_join6(struct srnic_dev *dev, const struct in6_addr *addr)
{
	return mcast_change6(dev, addr, ipv6_sock_mc_join);
}

static void mcast_leave6(struct srnic_dev *dev, const struct in6_addr *addr)
{
	mcast_change6(dev, addr, ipv6_sock_mc_drop);
}
#else
static int mcast_join6(struct srnic_dev *dev, const struct in6_addr *addr)
{
	return -EAFNOSUPPORT;
}

static void mcast_leave6(struct srnic_dev *dev, const struct in6_addr *addr)
{
}
#endif

int srnic_mcast_join(struct srnic_dev *dev, const union ib_gid *mgid)
{
	if (srnic_gid_is_v4(mgid->raw))
		return mcast_join4(dev, srnic_gid_v4(mgid->raw));
	return mcast_join6(dev, (const struct in6_addr *)mgid->raw);
}

void srnic_mcast_leave(struct srnic_dev *dev, const union ib_gid *mgid)
{
	if (srnic_gid_is_v4(mgid->raw))
		mcast_leave4(dev, srnic_gid_v4(mgid->raw));
	else
		mcast_leave6(dev, (const struct in6_addr *)mgid->raw);
}

/**
 * srnic_net_join() - Join a group
 * @dev: the device, whose netdev joins
 * @mgid: the group; the caller counts attached QPs, and joins once for each device
 *
 * An InfiniBand port joins some time later (membership.c).
 *
 * Context: process, takes RTNL; RTNL may be held for an InfiniBand port.
 * Return: 0, -EINVAL (not a group), -ENODEV or -EAFNOSUPPORT (the netdev lacks the protocol
 * or has left the namespace), or another negative errno.
 */
int srnic_net_join(struct srnic_dev *dev, const union ib_gid *mgid)
{
	if (!srnic_gid_is_multicast(mgid->raw))
		return -EINVAL;
	return dev->fabric ? srnic_membership_add(dev, mgid) : srnic_mcast_join(dev, mgid);
}

/**
 * srnic_net_leave() - Leave a group
 * @dev: the device, which has joined the group
 * @mgid: the group
 *
 * A netdev that has changed namespace or lost the protocol is no member any more (IPv4); the
 * namespace's socket still is (IPv6).
 *
 * Context: process, takes RTNL; RTNL may be held for an InfiniBand port.
 */
void srnic_net_leave(struct srnic_dev *dev, const union ib_gid *mgid)
{
	if (dev->fabric)
		srnic_membership_del(dev, mgid);
	else
		srnic_mcast_leave(dev, mgid);
}
