// SPDX-License-Identifier: GPL-2.0
/*
 * Module init and exit, "rdma link add", and events of the lower netdevs and of
 * the machine. This is the only file that knows every room.
 */
#include <linux/if_arp.h>
#include <linux/if_vlan.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/rtnetlink.h>
#include <linux/suspend.h>
#include <net/addrconf.h>
#include <rdma/rdma_netlink.h>
#include <srnic_version.h>
#include "compat.h"
#include "export.h"
#include "main.h"
#include "srnic.h"
#include "control/control.h"
#include "engine/engine.h"
#include "engine/idle.h"
#include "engine/life.h"
#include "fabric/fabric.h"
#include "mem/memcpy.h"
#include "net/net.h"
#include "sth/sth.h"
#include "trace/log.h"
#include "verbs/verbs.h"
#include "wire/wire.h"

/* ib_core takes addresses of the kernel for those of DMA where a device has no hardware */
#if !IS_ENABLED(CONFIG_INFINIBAND_VIRT_DMA)
#error "RDMA without hardware does not work on a kernel with CONFIG_HIGHMEM"
#endif

MODULE_DESCRIPTION("Software RDMA NIC: RoCEv2 with bounds to the byte and sealed packets");
MODULE_LICENSE("GPL");
MODULE_VERSION(SRNIC_VERSION);
MODULE_ALIAS_RDMA_LINK("srnic");
MODULE_ALIAS_RDMA_LINK("srnic_ib");

struct workqueue_struct *srnic_wq;
struct workqueue_struct *srnic_cpu_wq;

/* Two requests for the same netdev must not both find that it has no link yet. */
static DEFINE_MUTEX(link_lock);

/* Links that receive, by which events of their netdevs find them */
static LIST_HEAD(links);
static DEFINE_SPINLOCK(links_lock);

/* A netdev has at most one link of each port. */
static const u16 link_ports[] = { SRNIC_ROCE_PORT, SRNIC_IB_PORT };

static void links_add(struct srnic_dev *dev)
{
	spin_lock(&links_lock);
	list_add_tail(&dev->link_node, &links);
	spin_unlock(&links_lock);
}

static void links_del(struct srnic_dev *dev)
{
	spin_lock(&links_lock);
	list_del(&dev->link_node);
	spin_unlock(&links_lock);
}

/* Return the link of @ndev that uses @port, for link_put(), or NULL. */
static struct srnic_dev *link_get(const struct net_device *ndev, u16 port)
{
	struct srnic_dev *dev, *found = NULL;

	spin_lock(&links_lock);
	list_for_each_entry(dev, &links, link_node) {
		if (dev->ndev == ndev && dev->udp_port == htons(port) &&
		    ib_device_try_get(&dev->ib)) {
			found = dev;
			break;
		}
	}
	spin_unlock(&links_lock);
	return found;
}

static void link_put(struct srnic_dev *dev)
{
	ib_device_put(&dev->ib);
}

static bool ndev_is_up(const struct net_device *ndev)
{
	return netif_running(ndev) && netif_carrier_ok(ndev);
}

static void link_set_state(struct srnic_dev *dev)
{
	bool up = ndev_is_up(dev->ndev);

	ASSERT_RTNL();
	if (dev->fabric)
		srnic_ib_port_set_speed(dev);
	if (up == dev->up)
		return;
	dev->up = up;
	if (!up)
		srnic_count(dev, link_downed);
	if (!dev->fabric || srnic_fabric_link(dev->fabric))
		srnic_port_event(dev, up ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR);
}

/*
 * IBA defines no event for a change of the active MTU. PORT_ACTIVE makes
 * consumers and the core query the port again. The MTU of an InfiniBand port is the
 * administrator's, whatever the netdev's: fabric reports its changes.
 */
static void link_set_mtu(struct srnic_dev *dev)
{
	enum ib_mtu mtu = srnic_active_mtu(dev);

	ASSERT_RTNL();
	if (dev->fabric || mtu == dev->mtu)
		return;
	dev->mtu = mtu;
	if (dev->up)
		srnic_port_event(dev, IB_EVENT_PORT_ACTIVE);
}

/* Apply the present state of the netdev, whose events were missed until now. */
static void link_catch_up(struct srnic_dev *dev)
{
	ASSERT_RTNL();
	if (dev->ndev->reg_state != NETREG_REGISTERED || !net_eq(dev_net(dev->ndev), dev->net))
		ib_unregister_device_queued(&dev->ib);
	WRITE_ONCE(dev->no_gso, false);
	link_set_mtu(dev);
	link_set_state(dev);
}

/*
 * Make the device visible and start receiving. Return -EADDRINUSE if its UDP port is taken in the
 * namespace of the netdev, -ENODEV if that namespace is going. The core adds the GIDs of a RoCE
 * device; that of an InfiniBand port never changes.
 *
 * ib_core calls this at registration and after each move of the RDMA device to
 * another network namespace (rdma dev set netns). Packets are received and sent
 * in the namespace of the netdev, which such a move does not change, so later
 * calls only apply what has happened to the netdev meanwhile.
 */
static int srnic_enable_driver(struct ib_device *ib)
{
	struct srnic_dev *dev = to_srnic(ib);
	struct net *net;
	int err;

	if (dev->net) {
		rtnl_lock();
		link_catch_up(dev);
		rtnl_unlock();
		return 0;
	}
	net = srnic_net_of(dev->ndev);
	if (!net)
		return -ENODEV;

	err = srnic_net_get(net, dev->udp_port);
	if (err)
		goto out;
	if (dev->fabric)
		err = srnic_net_gid_add(dev, &dev->fabric->gid, dev->ndev, SRNIC_NO_VLAN,
					&dev->port_gid);
	if (err) {
		srnic_net_put(net, dev->udp_port);
		goto out;
	}
	dev->ifindex = dev->ndev->ifindex;
	WRITE_ONCE(dev->net, net);
	links_add(dev);
	srnic_control_dev_add(dev);
out:
	put_net(net);	/* from here on, the exit of the namespace waits for the link */
	return err;
}

/*
 * Release a device without consumers and without GIDs. The netdev is released
 * last: it keeps the namespace alive, and with it the state that srnic has
 * there.
 */
static void srnic_dealloc_driver(struct ib_device *ib)
{
	struct srnic_dev *dev = to_srnic(ib);

	if (dev->net) {
		srnic_control_dev_del(dev);
		links_del(dev);
	}
	srnic_net_gid_del(dev, &dev->port_gid);
	srnic_idle_exit(dev);
	/* wait for softirqs that looked the device up before its GIDs were removed */
	synchronize_net();
	srnic_dev_close(dev);
	srnic_log_free(dev->log);
	srnic_fabric_free(dev->fabric);
	if (dev->net)
		srnic_net_put(dev->net, dev->udp_port);
	netdev_put(dev->ndev, &dev->ndev_tracker);
}

/* The operations that need every room; those of verbs are srnic_dev_ops. */
static const struct ib_device_ops srnic_life_ops = {
	.dealloc_driver = srnic_dealloc_driver,
	.enable_driver = srnic_enable_driver,
};

/*
 * The GID of an InfiniBand port is the netdev's link-local address, by which
 * neighbour discovery finds it; its GUID is the interface identifier.
 */
static void link_local_gid(struct net_device *ndev, union ib_gid *gid)
{
	struct inet6_ifaddr *ifa;
	struct inet6_dev *in6;

	gid->global.subnet_prefix = cpu_to_be64(0xfe80000000000000ULL);
	addrconf_addr_eui48((u8 *)&gid->global.interface_id, (const char *)ndev->dev_addr);

	rcu_read_lock();
	in6 = __in6_dev_get(ndev);
	if (in6) {
		read_lock_bh(&in6->lock);
		list_for_each_entry(ifa, &in6->addr_list, if_list) {
			if (ipv6_addr_type(&ifa->addr) & IPV6_ADDR_LINKLOCAL) {
				memcpy(gid, &ifa->addr, sizeof(*gid));
				break;
			}
		}
		read_unlock_bh(&in6->lock);
	}
	rcu_read_unlock();
}

static int link_make_fabric(struct srnic_dev *dev)
{
	union ib_gid gid;

	link_local_gid(dev->ndev, &gid);
	dev->ib_max_mtu = srnic_ib_fitting_mtu(dev);
	dev->fabric = srnic_fabric_alloc(dev, &gid);
	if (!dev->fabric)
		return -ENOMEM;
	dev->ib.node_guid = gid.global.interface_id;
	return 0;
}

static int link_create(const char *name, struct net_device *ndev, u16 port)
{
	struct srnic_dev *dev;
	int err;

	dev = ib_alloc_device(srnic_dev, ib);
	if (!dev)
		return -ENOMEM;

	netdev_hold(ndev, &dev->ndev_tracker, GFP_KERNEL);
	dev->ndev = ndev;
	dev->udp_port = htons(port);
	dev->pkeys[SRNIC_PKEY_INDEX] = SRNIC_PKEY;
	addrconf_addr_eui48((u8 *)&dev->ib.node_guid, (const char *)ndev->dev_addr);
	err = port == SRNIC_IB_PORT ? link_make_fabric(dev) : 0;
	srnic_dev_init(dev);
	ib_set_device_ops(&dev->ib, &srnic_life_ops);

	err = err ?: srnic_dev_open(dev);
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

/* A device cannot be found by its netdev before it is registered. */
static void link_added(struct net_device *ndev, u16 port)
{
	struct srnic_dev *dev;

	rtnl_lock();
	dev = link_get(ndev, port);
	if (dev) {
		link_catch_up(dev);
		link_put(dev);
	}
	rtnl_unlock();
}

/*
 * Handle "rdma link add". A VLAN gets no device of its own: its addresses are
 * GIDs of the device on the netdev below.
 */
static int link_add(const char *name, struct net_device *ndev, u16 port)
{
	struct srnic_dev *dev;
	int err;

	if (ndev->type != ARPHRD_ETHER || is_vlan_dev(ndev))
		return -EOPNOTSUPP;

	mutex_lock(&link_lock);
	dev = link_get(ndev, port);
	if (dev) {
		link_put(dev);
		err = -EEXIST;
	} else {
		err = link_create(name, ndev, port);
	}
	mutex_unlock(&link_lock);

	if (!err)
		link_added(ndev, port);
	return err;
}

static int srnic_newlink(const char *name, struct net_device *ndev)
{
	return link_add(name, ndev, SRNIC_ROCE_PORT);
}

static int srnic_ib_newlink(const char *name, struct net_device *ndev)
{
	return link_add(name, ndev, SRNIC_IB_PORT);
}

static struct rdma_link_ops srnic_link_ops = {
	.type = "srnic",
	.newlink = srnic_newlink,
};

static struct rdma_link_ops srnic_ib_link_ops = {
	.type = "srnic_ib",
	.newlink = srnic_ib_newlink,
};

/*
 * A netdev that moves to another namespace is first unregistered in the old
 * one, which ends its links. ib_core tracks the addresses.
 */
static void link_event(struct srnic_dev *dev, unsigned long event)
{
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
		WRITE_ONCE(dev->no_gso, false);
		break;
	}
}

static int srnic_netdev_event(struct notifier_block *nb, unsigned long event, void *arg)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(arg);
	struct srnic_dev *dev;

	for (size_t i = 0; i < ARRAY_SIZE(link_ports); i++) {
		dev = link_get(ndev, link_ports[i]);
		if (!dev)
			continue;
		link_event(dev, event);
		link_put(dev);
	}
	return NOTIFY_DONE;
}

static struct notifier_block srnic_netdev_notifier = {
	.notifier_call = srnic_netdev_event,
};

/*
 * This machine is a copy of a virtual machine, and its random numbers are its
 * own from now on. The original, or other copies, may go on with the same
 * counters. A fork is noticed some time after it has happened: packets that are
 * sealed meanwhile are a stated limit (protocol.md, section 13).
 */
static int srnic_vm_forked(struct notifier_block *nb, unsigned long event, void *arg)
{
	srnic_sth_begin_life();
	srnic_control_each_dev(srnic_life_end_seals);
	return NOTIFY_DONE;
}

static struct notifier_block srnic_vm_notifier = {
	.notifier_call = srnic_vm_forked,
};

/**
 * srnic_pm_event() - Seal nothing while the machine hibernates
 * @nb: our notifier
 * @event: PM_HIBERNATION_PREPARE, PM_POST_HIBERNATION, or others, which are ignored
 * @arg: not used
 *
 * The kernel that writes the image of a hibernating machine runs on after the
 * image was taken, and so does the machine that continues from it. Therefore
 * nothing is sealed from before the image until after the continuation.
 * Suspension to RAM repeats nothing.
 *
 * Context: process.
 * Return: NOTIFY_DONE.
 */
int srnic_pm_event(struct notifier_block *nb, unsigned long event, void *arg)
{
	switch (event) {
	case PM_HIBERNATION_PREPARE:
		srnic_sth_hold_life();
		break;
	case PM_POST_HIBERNATION:
		srnic_sth_release_life();
		break;
	default:
		return NOTIFY_DONE;
	}
	srnic_control_each_dev(srnic_life_end_seals);
	return NOTIFY_DONE;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_pm_event);

static struct notifier_block srnic_pm_notifier = {
	.notifier_call = srnic_pm_event,
};

static int __init srnic_life_init(void)
{
	int err;

	err = register_random_vmfork_notifier(&srnic_vm_notifier);
	if (err)
		return err;
	err = register_pm_notifier(&srnic_pm_notifier);
	if (err)
		unregister_random_vmfork_notifier(&srnic_vm_notifier);
	return err;
}

static void srnic_life_exit(void)
{
	unregister_pm_notifier(&srnic_pm_notifier);
	unregister_random_vmfork_notifier(&srnic_vm_notifier);
}

static int __init srnic_rooms_init(void)
{
	int err;

	err = srnic_engine_init();
	if (err)
		return err;
	err = srnic_policy_init();
	if (err)
		goto engine_exit;
	err = srnic_net_init(srnic_engine_rx);
	if (err)
		goto policy_exit;
	err = srnic_control_init();
	if (err)
		goto net_exit;
	return 0;

net_exit:
	srnic_net_exit();
policy_exit:
	srnic_policy_exit();
engine_exit:
	srnic_engine_exit();
	return err;
}

static void srnic_rooms_exit(void)
{
	srnic_control_exit();
	srnic_net_exit();
	srnic_policy_exit();
	srnic_mkey_exit();
	srnic_engine_exit();
}

static void srnic_wq_exit(void)
{
	if (srnic_cpu_wq)
		destroy_workqueue(srnic_cpu_wq);
	if (srnic_wq)
		destroy_workqueue(srnic_wq);
}

/* Kernel consumers depend on these workqueues for writeback. */
static int srnic_wq_init(void)
{
	srnic_wq = alloc_workqueue("srnic", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	srnic_cpu_wq = alloc_workqueue("srnic_cpu", WQ_PERCPU | WQ_HIGHPRI | WQ_MEM_RECLAIM, 0);
	if (srnic_wq && srnic_cpu_wq)
		return 0;
	srnic_wq_exit();
	return -ENOMEM;
}

static int __init srnic_init(void)
{
	int err;

	err = srnic_wq_init();
	if (err)
		return err;
	srnic_crc_init();
	srnic_memcpy_init();
	err = srnic_rooms_init();
	if (err)
		goto wq_exit;
	err = srnic_life_init();
	if (err)
		goto rooms_exit;
	err = register_netdevice_notifier(&srnic_netdev_notifier);
	if (err)
		goto life_exit;
	err = srnic_fabric_init();
	if (err)
		goto unregister_notifier;
	rdma_link_register(&srnic_link_ops);
	rdma_link_register(&srnic_ib_link_ops);
	return 0;

unregister_notifier:
	unregister_netdevice_notifier(&srnic_netdev_notifier);
life_exit:
	srnic_life_exit();
rooms_exit:
	srnic_rooms_exit();
wq_exit:
	srnic_wq_exit();
	return err;
}

/* Applications may still be running: ib_unregister_driver() disassociates them. */
static void __exit srnic_exit(void)
{
	rdma_link_unregister(&srnic_ib_link_ops);
	rdma_link_unregister(&srnic_link_ops);
	ib_unregister_driver(SRNIC_DRIVER_ID);
	srnic_fabric_exit();
	unregister_netdevice_notifier(&srnic_netdev_notifier);
	srnic_life_exit();
	srnic_rooms_exit();
	srnic_wq_exit();
	/* wait for call_rcu() callbacks, whose code is about to be unloaded */
	rcu_barrier();
}

module_init(srnic_init);
module_exit(srnic_exit);
