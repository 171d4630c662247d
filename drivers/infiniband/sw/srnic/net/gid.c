// SPDX-License-Identifier: GPL-2.0
/*
 * Lookup of the device that has a GID, for every received sk_buff of a flow that demux.c does
 * not know.
 *
 * There is one table for all namespaces. Link-local addresses are unique on a link only, so
 * several devices may have the same one; the netdev tells them apart.
 *
 * ib_core also gives a device the addresses of every netdev on top of its own: macvlan, VLAN,
 * bridge, VRF master. If such a netdev has a device, too, both devices have the same GID on
 * the same netdev, and received packets are for the upper one.
 */
#include <linux/hashtable.h>
#include <linux/slab.h>
#include <net/ipv6.h>
#include "srnic.h"
#include "net/internal.h"

#define GID_BITS	10
#define NETDEV_BITS	6

/**
 * struct srnic_gid_entry - one GID of one device
 * @by_gid: in gid_table, RCU
 * @by_netdev: in netdev_table, RCU
 * @net: namespace of the netdev, in which packets are received; need not be the device's
 * @gid: the address, IPv4 in mapped form
 * @ifindex: index of the netdev, which may be a VLAN on the device's own
 * @vlan: ID of that VLAN, or SRNIC_NO_VLAN
 * @dev: the device; outlives the entry by a grace period
 * @sock: IPv6: socket bound to the netdev and to no port, for route lookups; or NULL
 * @rcu: frees the entry: readers of the tables may still see it after its removal
 */
struct srnic_gid_entry {
	struct hlist_node by_gid;
	struct hlist_node by_netdev;
	struct net *net;
	union ib_gid gid;
	int ifindex;
	u16 vlan;
	struct srnic_dev *dev;
	struct socket *sock;
	struct rcu_head rcu;
};

static DEFINE_HASHTABLE(gid_table, GID_BITS);
static DEFINE_HASHTABLE(netdev_table, NETDEV_BITS);
static DEFINE_SPINLOCK(gid_lock);	/* writers of both tables and of gid_epoch */
static u32 gid_epoch;

static u32 gid_hash(const struct net *net, const u8 gid[16])
{
	return __ipv6_addr_jhash((const struct in6_addr *)gid, net_hash_mix(net));
}

/*
 * Return the entry of @gid on netdev @ifindex for @port. If there is none, and the address is not
 * link-local, return one on any netdev: like Linux, srnic follows the weak host model and
 * accepts packets to its addresses on each netdev (RFC 1122, 3.3.4.2).
 */
static struct srnic_gid_entry *gid_entry_find(const struct net *net, const u8 gid[16], int ifindex,
					      __be16 port)
{
	struct srnic_gid_entry *entry, *other = NULL;

	hash_for_each_possible_rcu(gid_table, entry, by_gid, gid_hash(net, gid)) {
		if (entry->net != net || !srnic_gid_equal(entry->gid.raw, gid) ||
		    entry->dev->udp_port != port)
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
 * srnic_gid_epoch() - Return the generation of the GID tables
 *
 * The caller reads the epoch before a lookup, and may use the result as long as the epoch
 * stays the same. A device is freed only a grace period after the removal of its last GID has
 * changed the epoch.
 *
 * Context: RCU read side.
 * Return: a number that changes when a GID is added or removed.
 */
u32 srnic_gid_epoch(void)
{
	/* pairs with gid_changed(): the tables are at least as new as the epoch */
	return smp_load_acquire(&gid_epoch);
}

/* Invalidate the results of earlier lookups. */
static void gid_changed(void)
	__must_hold(&gid_lock)
{
	/* pairs with srnic_gid_epoch(): change the tables first */
	smp_store_release(&gid_epoch, gid_epoch + 1);
}

/**
 * srnic_gid_find() - Return the device that a GID belongs to
 * @net: namespace
 * @gid: destination GID
 * @ifindex: index of the receiving netdev
 * @port: UDP destination port
 *
 * Context: RCU read side.
 * Return: the device, valid for as long as the read side lasts, or %NULL.
 */
struct srnic_dev *srnic_gid_find(const struct net *net, const u8 gid[16], int ifindex,
				 __be16 port)
{
	struct srnic_gid_entry *entry = gid_entry_find(net, gid, ifindex, port);

	return entry ? entry->dev : NULL;
}

/**
 * srnic_gid_find_netdev() - Return the device that has any GID on a netdev
 * @net: namespace
 * @ifindex: index of the netdev
 * @port: UDP destination port
 *
 * For multicast: groups are not in the GID table. The netdev's own device comes before those
 * of the netdevs below it.
 *
 * Context: RCU read side.
 * Return: the device, valid for as long as the read side lasts, or %NULL.
 */
struct srnic_dev *srnic_gid_find_netdev(const struct net *net, int ifindex, __be16 port)
{
	struct srnic_gid_entry *entry;

	hash_for_each_possible_rcu(netdev_table, entry, by_netdev, ifindex) {
		if (entry->net == net && entry->ifindex == ifindex &&
		    entry->dev->udp_port == port)
			return entry->dev;
	}
	return NULL;
}

/**
 * srnic_gid_vlan() - Return the VLAN of a GID on a netdev
 * @dev: the device
 * @gid: the address
 * @ifindex: index of the netdev
 *
 * Context: RCU read side.
 * Return: the VLAN's ID; SRNIC_NO_VLAN if it is on none; -ENOENT if the device has no such GID
 * on that netdev.
 */
int srnic_gid_vlan(const struct srnic_dev *dev, const u8 gid[16], int ifindex)
{
	struct srnic_gid_entry *entry;

	hash_for_each_possible_rcu(netdev_table, entry, by_netdev, ifindex) {
		if (entry->dev == dev && entry->ifindex == ifindex &&
		    srnic_gid_equal(entry->gid.raw, gid))
			return entry->vlan;
	}
	return -ENOENT;
}

/**
 * srnic_gid_sock() - Return the socket for route lookups from a GID
 * @net: namespace
 * @gid: source GID
 * @ifindex: index of the GID's netdev
 * @port: UDP port of the device
 *
 * Context: RCU read side.
 * Return: a socket bound to the netdev, or %NULL.
 */
struct sock *srnic_gid_sock(const struct net *net, const u8 gid[16], int ifindex, __be16 port)
{
	struct srnic_gid_entry *entry = gid_entry_find(net, gid, ifindex, port);

	if (!entry || entry->ifindex != ifindex || !entry->sock)
		return NULL;
	return entry->sock->sk;
}

/* Link-local GIDs exist even without IPv6; they get no socket, and have no routes. */
static int gid_sock_create(struct srnic_gid_entry *entry)
{
	struct socket *sock;
	int err;

	if (srnic_gid_is_v4(entry->gid.raw))
		return 0;
	err = sock_create_kern(entry->net, AF_INET6, SOCK_DGRAM, IPPROTO_UDP, &sock);
	if (err)
		return err == -EAFNOSUPPORT ? 0 : err;

	/* srnic_gid_sock() returns it to RCU readers */
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
 * Readers take the first entry that matches. So the device whose own netdev has the GID goes
 * to the head, and devices that have it from a netdev on top of their own to the tail.
 */
static void gid_entry_link(struct hlist_node *node, struct hlist_head *head, bool own)
{
	if (own)
		hlist_add_head_rcu(node, head);
	else
		hlist_add_tail_rcu(node, head);
}

static void gid_entry_add(struct srnic_gid_entry *entry, bool own)
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
 * srnic_gid_add() - Add a GID to the tables
 * @dev: the device
 * @net: namespace in which packets are received: that of @ndev, which may move meanwhile
 * @gid: the address
 * @ndev: netdev that has the address: the device's own, or one on top of it
 * @vlan: ID of the VLAN that @ndev is on, or SRNIC_NO_VLAN
 *
 * Context: process; RTNL may be held.
 * Return: the entry, for srnic_gid_del(), or an ERR_PTR.
 */
struct srnic_gid_entry *srnic_gid_add(struct srnic_dev *dev, struct net *net,
				      const union ib_gid *gid, struct net_device *ndev, u16 vlan)
{
	struct srnic_gid_entry *entry;
	int err;

	entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return ERR_PTR(-ENOMEM);
	entry->net = net;
	entry->gid = *gid;
	entry->ifindex = ndev->ifindex;
	entry->vlan = vlan;
	entry->dev = dev;
	err = gid_sock_create(entry);
	if (err) {
		kfree(entry);
		return ERR_PTR(err);
	}
	gid_entry_add(entry, ndev == dev->ndev);
	return entry;
}

/**
 * srnic_gid_del() - Remove a GID from the tables
 * @entry: the entry
 *
 * Packets may still reach the device until a grace period has passed.
 *
 * Context: process.
 * Return: the namespace in which packets were received.
 */
struct net *srnic_gid_del(struct srnic_gid_entry *entry)
{
	struct net *net = entry->net;

	spin_lock(&gid_lock);
	hash_del_rcu(&entry->by_gid);
	hash_del_rcu(&entry->by_netdev);
	gid_changed();
	spin_unlock(&gid_lock);

	if (entry->sock)
		sock_release(entry->sock);
	kfree_rcu(entry, rcu);
	return net;
}
