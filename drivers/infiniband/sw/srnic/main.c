// SPDX-License-Identifier: GPL-2.0
/*
 * Module init and exit, "rdma link add", and events of the lower netdevs. This
 * is the only file that knows every room.
 */
#include <linux/if_arp.h>
#include <linux/if_vlan.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>
#include <rdma/rdma_netlink.h>
#include "srnic.h"
#include "control/control.h"
#include "engine/engine.h"
#include "engine/idle.h"
#include "mem/move.h"
#include "net/net.h"
#include "sth/sth.h"
#include "trace/log.h"
#include "verbs/verbs.h"
#include "wire/wire.h"

MODULE_DESCRIPTION("Software RDMA NIC: RoCEv2 with bounds to the byte and sealed packets");
MODULE_LICENSE("GPL");
MODULE_ALIAS_RDMA_LINK("srnic");

struct workqueue_struct *srnic_wq;

/* Two requests for the same netdev must not both find that it has no link yet. */
static DEFINE_MUTEX(link_lock);

/*
 * Make the device visible and start receiving. Return -EADDRINUSE if the RoCEv2
 * port is taken in the namespace of the netdev.
 *
 * ib_core calls this at registration and after each move of the RDMA device to
 * another network namespace (rdma dev set netns). Packets are received and sent
 * in the namespace of the netdev, which such a move does not change, so later
 * calls do nothing.
 */
static int srnic_enable_driver(struct ib_device *ib)
{
	struct srnic_dev *dev = to_srnic(ib);
	struct net *net = dev_net(dev->ndev);
	int err;

	if (dev->net)
		return 0;

	err = srnic_net_get(net);
	if (err)
		return err;
	dev->ifindex = dev->ndev->ifindex;
	WRITE_ONCE(dev->net, net);
	srnic_control_dev_add(dev);
	return 0;
}

/*
 * Release a device without consumers and without GIDs. The netdev is released
 * last: it keeps the namespace alive, and with it the state that srnic has
 * there.
 */
static void srnic_dealloc_driver(struct ib_device *ib)
{
	struct srnic_dev *dev = to_srnic(ib);

	if (dev->net)
		srnic_control_dev_del(dev);
	srnic_idle_exit(dev);
	/* wait for softirqs that looked the device up before its GIDs were removed */
	synchronize_net();
	srnic_dev_close(dev);
	srnic_log_free(dev->log);
	if (dev->net)
		srnic_net_put(dev->net);
	netdev_put(dev->ndev, &dev->ndev_tracker);
}

/* The operations that need every room; those of verbs are srnic_dev_ops. */
static const struct ib_device_ops srnic_life_ops = {
	.dealloc_driver = srnic_dealloc_driver,
	.enable_driver = srnic_enable_driver,
};

static struct srnic_dev *link_get(struct net_device *ndev)
{
	struct ib_device *ib = ib_device_get_by_netdev(ndev, SRNIC_DRIVER_ID);

	return ib ? to_srnic(ib) : NULL;
}

static void link_put(struct srnic_dev *dev)
{
	ib_device_put(&dev->ib);
}

static int link_create(const char *name, struct net_device *ndev)
{
	struct srnic_dev *dev;
	int err;

	dev = ib_alloc_device(srnic_dev, ib);
	if (!dev)
		return -ENOMEM;

	netdev_hold(ndev, &dev->ndev_tracker, GFP_KERNEL);
	dev->ndev = ndev;
	addrconf_addr_eui48((u8 *)&dev->ib.node_guid, (const char *)ndev->dev_addr);
	srnic_dev_init(dev);
	ib_set_device_ops(&dev->ib, &srnic_life_ops);

	err = srnic_dev_open(dev);
	if (err)
		goto dealloc;
	err = -ENOMEM;
	dev->log = srnic_log_alloc(dev);
	if (!dev->log)
		goto dealloc;
	err = ib_device_set_netdev(&dev->ib, ndev, SRNIC_PORT);
	if (err)
		goto dealloc;
	ib_mark_name_assigned_by_user(&dev->ib);
	err = ib_register_device(&dev->ib, name, NULL);
	if (err)
		goto dealloc;
	return 0;

dealloc:
	ib_dealloc_device(&dev->ib);
	return err;
}

static bool ndev_is_up(const struct net_device *ndev)
{
	return netif_running(ndev) && netif_carrier_ok(ndev);
}

static void link_set_state(struct srnic_dev *dev)
{
	bool up = ndev_is_up(dev->ndev);

	ASSERT_RTNL();
	if (up == dev->up)
		return;
	dev->up = up;
	if (!up)
		srnic_count(dev, link_downed);
	srnic_port_event(dev, up ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR);
}

/*
 * IBA defines no event for a change of the active MTU. PORT_ACTIVE makes
 * consumers and the core query the port again.
 */
static void link_set_mtu(struct srnic_dev *dev)
{
	enum ib_mtu mtu = srnic_active_mtu(dev);

	ASSERT_RTNL();
	if (mtu == dev->mtu)
		return;
	dev->mtu = mtu;
	if (dev->up)
		srnic_port_event(dev, IB_EVENT_PORT_ACTIVE);
}

/*
 * A device cannot be found by its netdev before it is registered, so events of
 * the netdev were missed until now. Apply the present state of the netdev.
 */
static void link_catch_up(struct net_device *ndev)
{
	struct srnic_dev *dev;

	rtnl_lock();
	dev = link_get(ndev);
	if (dev) {
		if (ndev->reg_state != NETREG_REGISTERED || !net_eq(dev_net(ndev), dev->net))
			ib_unregister_device_queued(&dev->ib);
		dev->mtu = srnic_active_mtu(dev);
		link_set_state(dev);
		link_put(dev);
	}
	rtnl_unlock();
}

/*
 * Handle "rdma link add". A VLAN gets no device of its own: its addresses are
 * GIDs of the device on the netdev below.
 */
static int srnic_newlink(const char *name, struct net_device *ndev)
{
	struct srnic_dev *dev;
	int err;

	if (ndev->type != ARPHRD_ETHER || is_vlan_dev(ndev))
		return -EOPNOTSUPP;

	mutex_lock(&link_lock);
	dev = link_get(ndev);
	if (dev) {
		link_put(dev);
		err = -EEXIST;
	} else {
		err = link_create(name, ndev);
	}
	mutex_unlock(&link_lock);

	if (!err)
		link_catch_up(ndev);
	return err;
}

static struct rdma_link_ops srnic_link_ops = {
	.type = "srnic",
	.newlink = srnic_newlink,
};

/*
 * A netdev that moves to another namespace is first unregistered in the old
 * one, which ends its link. ib_core tracks the addresses.
 */
static int srnic_netdev_event(struct notifier_block *nb, unsigned long event, void *arg)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(arg);
	struct srnic_dev *dev = link_get(ndev);

	if (!dev)
		return NOTIFY_DONE;

	switch (event) {
	case NETDEV_UNREGISTER:
		ib_unregister_device_queued(&dev->ib);
		break;
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
		link_set_state(dev);
		break;
	case NETDEV_CHANGEMTU:
		link_set_mtu(dev);
		break;
	case NETDEV_FEAT_CHANGE:
		/* another component may split super-packets from now on */
		WRITE_ONCE(dev->singly, false);
		break;
	}
	link_put(dev);
	return NOTIFY_DONE;
}

static struct notifier_block srnic_netdev_notifier = {
	.notifier_call = srnic_netdev_event,
};

static int __init srnic_init(void)
{
	int err;

	/* kernel consumers depend on this workqueue for writeback */
	srnic_wq = alloc_workqueue("srnic", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!srnic_wq)
		return -ENOMEM;
	srnic_crc_init();
	srnic_move_init();
	err = srnic_engine_init();
	if (err)
		goto destroy_wq;
	err = srnic_policy_init();
	if (err)
		goto engine_exit;
	err = srnic_net_init(srnic_engine_rx);
	if (err)
		goto policy_exit;
	err = srnic_control_init();
	if (err)
		goto net_exit;
	err = register_netdevice_notifier(&srnic_netdev_notifier);
	if (err)
		goto control_exit;
	rdma_link_register(&srnic_link_ops);
	return 0;

control_exit:
	srnic_control_exit();
net_exit:
	srnic_net_exit();
policy_exit:
	srnic_policy_exit();
engine_exit:
	srnic_engine_exit();
destroy_wq:
	destroy_workqueue(srnic_wq);
	return err;
}

/* Applications may still be running: ib_unregister_driver() disassociates them. */
static void __exit srnic_exit(void)
{
	rdma_link_unregister(&srnic_link_ops);
	ib_unregister_driver(SRNIC_DRIVER_ID);
	unregister_netdevice_notifier(&srnic_netdev_notifier);
	srnic_control_exit();
	srnic_net_exit();
	srnic_policy_exit();
	srnic_mkey_exit();
	srnic_engine_exit();
	destroy_workqueue(srnic_wq);
	/* wait for call_rcu() callbacks, whose code is about to be unloaded */
	rcu_barrier();
}

module_init(srnic_init);
module_exit(srnic_exit);
