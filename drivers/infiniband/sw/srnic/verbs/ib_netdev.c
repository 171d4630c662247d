// SPDX-License-Identifier: GPL-2.0
/*
 * The netdev of ib_ipoib. Its QP and its sending are ib_ipoib's own; datagrams that arrive for the
 * QP go to the network stack at once (engine/ud_netdev.c).
 */
#include <linux/netdevice.h>
#include <linux/unaligned.h>
#include "engine/ud_netdev.h"
#include "verbs/ops.h"

/**
 * struct ib_netdev - Private data of a netdev of ib_ipoib
 * @rn: ib_ipoib's part
 * @ops: ib_ipoib's operations, which ours call
 * @dev: the device
 * @receipt: receipt of datagrams
 *
 * rtnetlink allocates children of such a netdev, with room for ib_ipoib's own, larger data.
 */
struct ib_netdev {
	struct rdma_netdev rn;
	const struct net_device_ops *ops;
	struct srnic_dev *dev;
	struct srnic_ud_netdev receipt;
};

/* A hardware address begins with a byte of flags and the QPN (RFC 4391, section 9.1). */
static u32 qpn_of(const struct net_device *ndev)
{
	return get_unaligned_be24(ndev->dev_addr + 1);
}

static int ib_netdev_init(struct net_device *ndev)
{
	struct ib_netdev *priv = netdev_priv(ndev);
	int err;

	ndev->tstats = netdev_alloc_pcpu_stats(struct pcpu_sw_netstats);
	if (!ndev->tstats)
		return -ENOMEM;
	priv->receipt.dev = ndev;
	err = srnic_ud_backlog_init(&priv->receipt);
	if (err)
		goto free_stats;
	err = priv->ops->ndo_init(ndev);
	if (err)
		goto backlog_exit;
	err = srnic_ud_netdev_attach(priv->dev, &priv->receipt, qpn_of(ndev));
	if (err)
		goto uninit;
	return 0;

uninit:
	priv->ops->ndo_uninit(ndev);
backlog_exit:
	srnic_ud_backlog_exit(&priv->receipt);
free_stats:
	free_percpu(ndev->tstats);
	ndev->tstats = NULL;
	return err;
}

static void ib_netdev_uninit(struct net_device *ndev)
{
	struct ib_netdev *priv = netdev_priv(ndev);

	srnic_ud_netdev_detach(priv->dev, &priv->receipt);
	priv->ops->ndo_uninit(ndev);
	srnic_ud_backlog_exit(&priv->receipt);
	free_percpu(ndev->tstats);
	ndev->tstats = NULL;
}

static int ib_netdev_open(struct net_device *ndev)
{
	const struct ib_netdev *priv = netdev_priv(ndev);

	return priv->ops->ndo_open(ndev);
}

static int ib_netdev_stop(struct net_device *ndev)
{
	struct ib_netdev *priv = netdev_priv(ndev);
	int err = priv->ops->ndo_stop(ndev);

	/* the netdev may move to another namespace, which must not get this one's packets */
	srnic_ud_backlog_discard(&priv->receipt);
	return err;
}

/* ib_ipoib's own counters have what it sends, and what connected mode receives. */
static void ib_netdev_stats(struct net_device *ndev, struct rtnl_link_stats64 *stats)
{
	netdev_stats_to_stats64(stats, &ndev->stats);
	dev_fetch_sw_netstats(stats, ndev->tstats);
}

static const struct net_device_ops ib_netdev_ops = {
	.ndo_init = ib_netdev_init,
	.ndo_uninit = ib_netdev_uninit,
	.ndo_open = ib_netdev_open,
	.ndo_stop = ib_netdev_stop,
	.ndo_get_stats64 = ib_netdev_stats,
};

/*
 * ib_ipoib has set its operations. It takes the error as a request to use its own functions to send
 * and to join groups.
 */
static int ib_netdev_setup(struct ib_device *ib, u32 port, struct net_device *ndev, void *param)
{
	struct ib_netdev *priv = netdev_priv(ndev);

	priv->dev = to_srnic(ib);
	priv->ops = ndev->netdev_ops;
	ndev->netdev_ops = &ib_netdev_ops;
	return -EOPNOTSUPP;
}

int srnic_ib_netdev_params(struct ib_device *ib, u32 port, enum rdma_netdev_t type,
			   struct rdma_netdev_alloc_params *params)
{
	if (type != RDMA_NETDEV_IPOIB)
		return -EOPNOTSUPP;
	*params = (struct rdma_netdev_alloc_params) {
		.sizeof_priv = sizeof(struct ib_netdev),
		.txqs = 1,
		.rxqs = 1,
		.initialize_rdma_netdev = ib_netdev_setup,
	};
	return 0;
}
