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
#include <net/ipv6_stubs.h>
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
 * Join or leave by @change; the namespace's socket is the member. dev->ifindex is the netdev's
 * number in that namespace.
 */
static int mcast_change6(struct srnic_dev *dev, const struct in6_addr *addr,
			 int (*change)(struct sock *sk, int ifindex, const struct in6_addr *addr))
{
	struct srnic_netns *ns = srnic_netns(dev->net);
	int err = -EAFNOSUPPORT;

	/* excludes srnic_net_put(); RTNL below is for kernels whose MLD still needs it */
	mutex_lock(&ns->lock);
	if (ns->sock6) {
		struct sock *sk = ns->sock6->sk;

		rtnl_lock();
		lock_sock(sk);
		err = change(sk, dev->ifindex, addr);
		release_sock(sk);
		rtnl_unlock();
	}
	mutex_unlock(&ns->lock);
	return err;
}

static int mcast_join6(struct srnic_dev *dev, const struct in6_addr *addr)
{
	return mcast_change6(dev, addr, ipv6_stub->ipv6_sock_mc_join);
}

static void mcast_leave6(struct srnic_dev *dev, const struct in6_addr *addr)
{
	mcast_change6(dev, addr, ipv6_stub->ipv6_sock_mc_drop);
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

/**
 * srnic_net_join() - Join a group
 * @dev: the device, whose netdev joins
 * @mgid: the group; the caller counts attached QPs, and joins once for each device
 *
 * Context: process, takes RTNL.
 * Return: 0, -EINVAL (not a group), -ENODEV or -EAFNOSUPPORT (the netdev lacks the protocol
 * or has left the namespace), or another negative errno.
 */
int srnic_net_join(struct srnic_dev *dev, const union ib_gid *mgid)
{
	if (!srnic_gid_is_multicast(mgid->raw))
		return -EINVAL;
	if (srnic_gid_is_v4(mgid->raw))
		return mcast_join4(dev, srnic_gid_v4(mgid->raw));
	return mcast_join6(dev, (const struct in6_addr *)mgid->raw);
}

/**
 * srnic_net_leave() - Leave a group
 * @dev: the device, which has joined the group
 * @mgid: the group
 *
 * A netdev that has changed namespace or lost the protocol is no member any more (IPv4); the
 * namespace's socket still is (IPv6).
 *
 * Context: process, takes RTNL.
 */
void srnic_net_leave(struct srnic_dev *dev, const union ib_gid *mgid)
{
	if (srnic_gid_is_v4(mgid->raw))
		mcast_leave4(dev, srnic_gid_v4(mgid->raw));
	else
		mcast_leave6(dev, (const struct in6_addr *)mgid->raw);
}
