// SPDX-License-Identifier: GPL-2.0
/*
 * Receipt for a GID: its namespace's port is open (socket.c), and the GID is in the table
 * (gid.c).
 */
#include "srnic.h"
#include "net/internal.h"

/**
 * srnic_net_of() - Return the namespace of a netdev
 * @ndev: the netdev
 *
 * Without RTNL, the netdev may move at any time, and the namespace that it leaves may be freed.
 *
 * Context: process.
 * Return: the namespace, with a reference for put_net(), or %NULL if it is going.
 */
struct net *srnic_net_of(const struct net_device *ndev)
{
	struct net *net;

	rcu_read_lock();
	net = maybe_get_net(dev_net(ndev));
	rcu_read_unlock();
	return net;
}

/**
 * srnic_net_gid_add() - Start receiving for a GID
 * @dev: the device
 * @gid: the address
 * @ndev: netdev that has the address: the device's own, or one on top of it
 * @vlan: ID of the VLAN that @ndev is on, or SRNIC_NO_VLAN
 * @ctx: set for srnic_net_gid_del()
 *
 * A macvlan or VLAN may have been moved to another namespace: the port is opened there, too.
 *
 * Context: process; RTNL may be held.
 * Return: 0, an errno of srnic_net_get() in the netdev's namespace, -ENODEV if that namespace is
 * going, or another negative errno.
 */
int srnic_net_gid_add(struct srnic_dev *dev, const union ib_gid *gid, struct net_device *ndev,
		      u16 vlan, void **ctx)
{
	struct srnic_gid_entry *entry;
	struct net *net;
	int err;

	net = srnic_net_of(ndev);
	if (!net)
		return -ENODEV;
	err = srnic_net_get(net, dev->udp_port);
	if (err)
		goto out;
	entry = srnic_gid_add(dev, net, gid, ndev, vlan);
	if (IS_ERR(entry)) {
		srnic_net_put(net, dev->udp_port);
		err = PTR_ERR(entry);
		goto out;
	}
	*ctx = entry;
out:
	put_net(net);	/* from here on, the exit of the namespace waits for the GID */
	return err;
}

/**
 * srnic_net_gid_del() - Stop receiving for a GID
 * @dev: the device
 * @ctx: pointer that srnic_net_gid_add() has set, or a NULL pointer; cleared
 *
 * Packets may still reach the device until a grace period has passed.
 *
 * Context: process.
 */
void srnic_net_gid_del(struct srnic_dev *dev, void **ctx)
{
	struct srnic_gid_entry *entry = *ctx;

	if (!entry)
		return;
	*ctx = NULL;
	srnic_net_put(srnic_gid_del(entry), dev->udp_port);
}
