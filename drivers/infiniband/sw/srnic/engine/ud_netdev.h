/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Datagrams that a netdev of ib_ipoib receives.
 */
#ifndef SRNIC_ENGINE_UD_NETDEV_H
#define SRNIC_ENGINE_UD_NETDEV_H

#include <linux/netdevice.h>
#include "srnic.h"
#include "wire/wire.h"

struct srnic_ud_backlog;

/**
 * struct srnic_ud_netdev - Receipt of a netdev of ib_ipoib
 * @dev: the netdev; its tstats count what arrives
 * @backlog: queues of datagrams for the stack, one for each CPU
 * @qpn: QP that it receives for
 * @longest: most bytes of a datagram
 */
struct srnic_ud_netdev {
	struct net_device *dev;
	struct srnic_ud_backlog __percpu *backlog;
	u32 qpn;
	u32 longest;
};

/* ud_attach.c */
int srnic_ud_netdev_attach(struct srnic_dev *dev, struct srnic_ud_netdev *netdev, u32 qpn);
void srnic_ud_netdev_detach(struct srnic_dev *dev, struct srnic_ud_netdev *netdev);

/* ud_netdev.c */
void srnic_ud_netdev_rx(struct srnic_ud_netdev *netdev, const struct srnic_pkt *pkt);

/* ud_backlog.c */
int srnic_ud_backlog_init(struct srnic_ud_netdev *netdev);
void srnic_ud_backlog_discard(struct srnic_ud_netdev *netdev);
void srnic_ud_backlog_exit(struct srnic_ud_netdev *netdev);
void srnic_ud_backlog_add(struct srnic_ud_netdev *netdev, struct sk_buff *skb, bool first);

#endif /* SRNIC_ENGINE_UD_NETDEV_H */
