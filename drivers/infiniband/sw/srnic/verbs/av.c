// SPDX-License-Identifier: GPL-2.0
/*
 * Address vectors, of address handles and of connected QPs (IBA 11.2.2.1): their checks, and their
 * paths.
 */
#include "fabric/fabric.h"
#include "verbs/ops.h"

/**
 * srnic_av_check() - Check an address vector
 * @dev: the device
 * @av: the address vector
 *
 * RoCE addresses need a GRH (annex A16.4.5). Without one, an InfiniBand port reaches only itself:
 * LIDs are labels, which no table maps to GIDs. The subnet administration says that all paths
 * need a GRH (protocol.md).
 *
 * Context: any.
 * Return: 0, -EINVAL, or -EHOSTUNREACH (a LID of another port, without a GRH).
 */
int srnic_av_check(struct srnic_dev *dev, const struct rdma_ah_attr *av)
{
	if (av->type != rdma_ah_find_type(&dev->ib, SRNIC_PORT) ||
	    rdma_ah_get_port_num(av) != SRNIC_PORT)
		return -EINVAL;
	if (rdma_ah_get_ah_flags(av) & IB_AH_GRH)
		return av->grh.sgid_attr ? 0 : -EINVAL;
	if (!dev->fabric)
		return -EINVAL;
	return srnic_fabric_is_own_lid(dev->fabric, rdma_ah_get_dlid(av)) ? 0 : -EHOSTUNREACH;
}

/* A path from the port to itself, whose packets say that they have no GRH */
static int av_path_own(struct srnic_path *path, struct srnic_dev *dev, u16 sport)
{
	union ib_gid *gid = &dev->fabric->gid;
	struct rdma_ah_attr av = { .type = RDMA_AH_ATTR_TYPE_IB };

	rdma_ah_set_grh(&av, gid, 0, 0, 0, 0);
	return srnic_path_init_port(path, dev, gid, &av, sport & ~SRNIC_IB_SPORT_GRH);
}

/**
 * srnic_av_path() - Make the path that an address vector names
 * @path: filled in; its old content is overwritten, not released
 * @dev: the device
 * @av: address vector that srnic_av_check() has accepted
 * @sport: UDP source port, host order, at least 0xc000; without a GRH, bit 14 is cleared
 *
 * Context: any.
 * Return: 0, or an errno of srnic_path_init().
 */
int srnic_av_path(struct srnic_path *path, struct srnic_dev *dev, const struct rdma_ah_attr *av,
		  u16 sport)
{
	if (!(rdma_ah_get_ah_flags(av) & IB_AH_GRH))
		return av_path_own(path, dev, sport);
	if (dev->fabric)
		return srnic_path_init_port(path, dev, &av->grh.sgid_attr->gid, av, sport);
	return srnic_path_init(path, av->grh.sgid_attr, av, sport);
}
