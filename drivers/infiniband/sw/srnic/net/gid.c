// SPDX-License-Identifier: GPL-2.0
/*
 * Which device has a GID: looked up for every sk_buff that comes in.
 *
 * One table for all namespaces. Link-local addresses are unique on a link only, so
 * several devices may have the same; the netdev tells them apart.
 *
 * ib_core gives a device the addresses of every netdev on top of its own as well:
 * macvlan, VLAN, bridge, VRF master. Where such a netdev has a device too, both have
 * the same GID on the same netdev, and what comes in is for the upper one.
 */
#include <linux/hashtable.h>
#include <linux/slab.h>
#include <net/ipv6.h>
#include "srnic.h"
#include "net/internal.h"

#define GID_BITS	10
#define NETDEV_BITS	6

/**
 * struct gid_entry - one GID of one device
 * @by_gid: in gid_table, RCU
 * @by_netdev: in netdev_table, RCU
 * @net: namespace of the netdev, which need not be the device's; we receive there
 * @gid: the address, IPv4 in mapped form
 * @ifindex: of the netdev, which may be a VLAN on the device's own
 * @dev: the device; outlives the entry and a grace period
 * @sock: IPv6: bound to the netdev and to no port, for route look-ups; or NULL
 * @rcu: readers of the tables may still see a deleted entry
 */
struct gid_entry {
	struct hlist_node by_gid;
	struct hlist_node by_netdev;
	struct net *net;
	union ib_gid gid;
	int ifindex;
	struct srnic_dev *dev;
	struct socket *sock;
	struct rcu_head rcu;
};

static DEFINE_HASHTABLE(gid_table, GID_BITS);
static DEFINE_HASHTABLE(netdev_table, NETDEV_BITS);
static DEFINE_SPINLOCK(gid_lock);	/* writers of both, and of gid_epoch */
static u32 gid_epoch;

static u32 gid_hash(const struct net *net, const u8 gid[16])
{
	return __ipv6_addr_jhash((const struct in6_addr *)gid, net_hash_mix(net));
}

/*
 * The entry of @gid on netdev @ifindex; failing that, and unless the address is
 * one of a link only, on any netdev: hosts take what is addressed to them by
 * whichever way it comes (RFC 1122, 3.3.4.2: the weak model, as Linux has it).
 */
static struct gid_entry *gid_entry_find(const struct net *net, const u8 gid[16], int ifindex)
{
	struct gid_entry *entry, *other = NULL;

	hash_for_each_possible_rcu(gid_table, entry, by_gid, gid_hash(net, gid)) {
		if (entry->net != net || !srnic_gid_equal(entry->gid.raw, gid))
			continue;
		if (entry->ifindex == ifindex)
			return entry;
		other = other ?: entry;
	}
	if (other && ipv6_addr_type((const struct in6_addr *)gid) & IPV6_ADDR_LINKLOCAL)
		return NULL;
	return other;
}

/**
 * srnic_gid_epoch - whether the tables are still what they were
 *
 * Who asks before a look-up may go by its result as long as the answer is the same. A
 * device whose last GID went has not been freed then: that takes a grace period more.
 *
 * Context: RCU read side.
 */
u32 srnic_gid_epoch(void)
{
	/* pairs with gid_changed(): the tables are at least as new as the answer */
	return smp_load_acquire(&gid_epoch);
}

/* What was looked up before, is to be looked up again. */
static void gid_changed(void)
	__must_hold(&gid_lock)
{
	/* the tables before it: pairs with srnic_gid_epoch() */
	smp_store_release(&gid_epoch, gid_epoch + 1);
}

/**
 * srnic_gid_find - the device that a GID belongs to
 * @net: namespace
 * @gid: destination
 * @ifindex: receiving netdev
 *
 * Context: RCU read side.
 * Return: the device, valid for as long as the read side lasts, or %NULL.
 */
struct srnic_dev *srnic_gid_find(const struct net *net, const u8 gid[16], int ifindex)
{
	struct gid_entry *entry = gid_entry_find(net, gid, ifindex);

	return entry ? entry->dev : NULL;
}

/**
 * srnic_gid_find_netdev - the device that has any GID on a netdev
 * @net: namespace
 * @ifindex: the netdev
 *
 * For multicast: a group is not in anybody's GID table. The netdev's own device comes
 * before those below it.
 *
 * Context: RCU read side.
 * Return: the device, valid for as long as the read side lasts, or %NULL.
 */
struct srnic_dev *srnic_gid_find_netdev(const struct net *net, int ifindex)
{
	struct gid_entry *entry;

	hash_for_each_possible_rcu(netdev_table, entry, by_netdev, ifindex) {
		if (entry->net == net && entry->ifindex == ifindex)
			return entry->dev;
	}
	return NULL;
}

/**
 * srnic_gid_sock - the socket to make route look-ups with
 * @net: namespace
 * @gid: source
 * @ifindex: its netdev
 *
 * Context: RCU read side.
 * Return: a socket bound to the netdev, or %NULL.
 */
struct sock *srnic_gid_sock(const struct net *net, const u8 gid[16], int ifindex)
{
	struct gid_entry *entry = gid_entry_find(net, gid, ifindex);

	if (!entry || entry->ifindex != ifindex || !entry->sock)
		return NULL;
	return entry->sock->sk;
}

/* Where IPv6 is off, link-local GIDs exist all the same, and lead nowhere. */
static int gid_sock_create(struct gid_entry *entry)
{
	struct socket *sock;
	int err;

	if (srnic_gid_is_v4(entry->gid.raw))
		return 0;
	err = sock_create_kern(entry->net, AF_INET6, SOCK_DGRAM, IPPROTO_UDP, &sock);
	if (err)
		return err == -EAFNOSUPPORT ? 0 : err;

	/* srnic_gid_sock() hands it to RCU readers */
	sock_set_flag(sock->sk, SOCK_RCU_FREE);
	err = sock_bindtoindex(sock->sk, entry->ifindex, true);
	if (err) {
		sock_release(sock);
		return err;
	}
	entry->sock = sock;
	return 0;
}

/*
 * Readers take the first that matches. So the device whose own netdev has the GID goes
 * in front, and those that have it from a netdev on top of theirs behind.
 */
static void gid_entry_link(struct hlist_node *node, struct hlist_head *head, bool own)
{
	if (own)
		hlist_add_head_rcu(node, head);
	else
		hlist_add_tail_rcu(node, head);
}

static void gid_entry_add(struct gid_entry *entry, bool own)
{
	u32 bucket = hash_min(gid_hash(entry->net, entry->gid.raw), GID_BITS);

	spin_lock(&gid_lock);
	gid_entry_link(&entry->by_gid, &gid_table[bucket], own);
	bucket = hash_min(entry->ifindex, NETDEV_BITS);
	gid_entry_link(&entry->by_netdev, &netdev_table[bucket], own);
	gid_changed();
	spin_unlock(&gid_lock);
}

/**
 * srnic_net_gid_add - receive for a GID
 * @dev: the device
 * @gid: the address
 * @ndev: the netdev that has it: the device's own, or one on top of that
 * @ctx: what srnic_net_gid_del() wants
 *
 * A macvlan or VLAN may have been moved to another namespace: the port is opened there, too.
 *
 * Context: process; RTNL may be held.
 * Return: 0, or why the port cannot be had there, or another negative errno.
 */
int srnic_net_gid_add(struct srnic_dev *dev, const union ib_gid *gid, struct net_device *ndev,
		      void **ctx)
{
	struct gid_entry *entry;
	int err;

	entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return -ENOMEM;
	entry->net = dev_net(ndev);
	entry->gid = *gid;
	entry->ifindex = ndev->ifindex;
	entry->dev = dev;
	err = srnic_net_get(entry->net);
	if (err)
		goto free;
	err = gid_sock_create(entry);
	if (err)
		goto put_net;
	gid_entry_add(entry, ndev == dev->ndev);
	*ctx = entry;
	return 0;

put_net:
	srnic_net_put(entry->net);
free:
	kfree(entry);
	return err;
}

/**
 * srnic_net_gid_del - receive for a GID no longer
 * @ctx: what srnic_net_gid_add() left there
 *
 * Packets may still be on their way to the device until a grace period has passed.
 *
 * Context: process.
 */
void srnic_net_gid_del(void **ctx)
{
	struct gid_entry *entry = *ctx;

	if (!entry)
		return;
	*ctx = NULL;

	spin_lock(&gid_lock);
	hash_del_rcu(&entry->by_gid);
	hash_del_rcu(&entry->by_netdev);
	gid_changed();
	spin_unlock(&gid_lock);

	if (entry->sock)
		sock_release(entry->sock);
	srnic_net_put(entry->net);
	kfree_rcu(entry, rcu);
}
