// SPDX-License-Identifier: GPL-2.0
/*
 * Receipt for a GID: its namespace's port is open (socket.c), and the GID is in the table
 * (gid.c).
 */
#include "srnic.h"
#include "net/internal.h"

/**
 * srnic_net_gid_add() - Start receiving for a GID
 * @dev: the device
 * @gid: the address
 * @ndev: netdev that has the address: the device's own, or one on top of it
 * @ctx: set for srnic_net_gid_del()
 *
 * A macvlan or VLAN may have been moved to another namespace: the port is opened there, too.
 *
 * Context: process; RTNL may be held.
 * Return: 0, an errno of srnic_net_get() in the netdev's namespace, or another negative errno.
 */
int srnic_net_gid_add(struct srnic_dev *dev, const union ib_gid *gid, struct net_device *ndev,
		      void **ctx)
{
	struct net *net = dev_net(ndev);
	struct srnic_gid_entry *entry;
	int err;

	err = srnic_net_get(net, dev->udp_port);
	if (err)
		return err;
	entry = srnic_gid_add(dev, net, gid, ndev);
	if (IS_ERR(entry)) {
		srnic_net_put(net, dev->udp_port);
		return PTR_ERR(entry);
	}
	*ctx = entry;
	return 0;
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
