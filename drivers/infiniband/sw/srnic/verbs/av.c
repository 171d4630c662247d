// SPDX-License-Identifier: GPL-2.0
/*
 * Address vectors, of address handles and of connected QPs (IBA 11.2.2.1): their checks, and their
 * paths.
 */
#include "fabric/fabric.h"
#include "verbs/ops.h"

/**
 * srnic_av_is_own() - Tell whether an address vector is that of this node
 * @dev: the device
 * @av: the address vector
 *
 * LID 0 is that of a subnet manager that has not yet come: until then, requests to it end here.
 *
 * Context: any.
 * Return: whether it is without a GRH that of an InfiniBand port, or of its switch.
 */
bool srnic_av_is_own(const struct srnic_dev *dev, const struct rdma_ah_attr *av)
{
	u32 lid = rdma_ah_get_dlid(av);

	if (!dev->fabric || rdma_ah_get_ah_flags(av) & IB_AH_GRH)
		return false;
	if (!lid)
		return srnic_fabric_is_managed(dev->fabric);
	return srnic_fabric_is_own_lid(dev->fabric, lid) || srnic_switch_qpn(dev->fabric, lid);
}

/**
 * srnic_av_check() - Check an address vector
 * @dev: the device
 * @av: the address vector
 *
 * RoCE addresses need a GRH (annex A16.4.5). Without one, an InfiniBand port that manages itself
 * reaches only itself: LIDs are labels, which no table maps to GIDs, and its subnet administration
 * says that all paths need a GRH. A subnet manager's says that none does, so its LIDs are known
 * (protocol.md).
 *
 * Context: any.
 * Return: 0, -EINVAL, or -EHOSTUNREACH (an unknown LID of another port, without a GRH).
 */
int srnic_av_check(struct srnic_dev *dev, const struct rdma_ah_attr *av)
{
	union ib_gid gid;

	if (av->type != rdma_ah_find_type(&dev->ib, SRNIC_PORT) ||
	    rdma_ah_get_port_num(av) != SRNIC_PORT)
		return -EINVAL;
	if (rdma_ah_get_ah_flags(av) & IB_AH_GRH)
		return av->grh.sgid_attr ? 0 : -EINVAL;
	if (!dev->fabric)
		return -EINVAL;
	if (srnic_av_is_own(dev, av))
		return 0;
	return srnic_lids_find(dev->fabric, rdma_ah_get_dlid(av), &gid);
}

/* A path from the port to itself, whose packets say that they have no GRH */
static int av_path_own(struct srnic_path *path, struct srnic_dev *dev, u16 sport)
{
	union ib_gid *gid = &dev->fabric->gid;
	struct rdma_ah_attr av = { .type = RDMA_AH_ATTR_TYPE_IB };

	rdma_ah_set_grh(&av, gid, 0, 0, 0, 0);
	return srnic_path_init_port(path, dev, gid, &av, sport & ~SRNIC_IB_SPORT_GRH);
}

/*
 * A path to a port that a LID names. Its packets say that they have no GRH, and from which LID they
 * come, in the flow label: consumers take an answer only if it is addressed as the question was.
 */
static int av_path_lid(struct srnic_path *path, struct srnic_dev *dev,
		       const struct rdma_ah_attr *av, u16 sport)
{
	struct rdma_ah_attr full = { .type = RDMA_AH_ATTR_TYPE_IB };
	union ib_gid gid;
	int err;

	err = srnic_lids_find(dev->fabric, rdma_ah_get_dlid(av), &gid);
	if (err)
		return err;
	rdma_ah_set_grh(&full, &gid, READ_ONCE(dev->fabric->lid), 0, 0, 0);
	return srnic_path_init_port(path, dev, &dev->fabric->gid, &full,
				    sport & ~SRNIC_IB_SPORT_GRH);
}

/**
 * srnic_av_path() - Make the path that an address vector names
 * @path: filled in; its old content is overwritten, not released
 * @dev: the device
 * @av: address vector that srnic_av_check() has accepted
 * @sport: UDP source port, host order, at least 0xc000; without a GRH, bit 14 is cleared
 *
 * Context: any.
 * Return: 0, -EHOSTUNREACH (the LID has been forgotten), or an errno of srnic_path_init().
 */
int srnic_av_path(struct srnic_path *path, struct srnic_dev *dev, const struct rdma_ah_attr *av,
		  u16 sport)
{
	if (srnic_av_is_own(dev, av))
		return av_path_own(path, dev, sport);
	if (!(rdma_ah_get_ah_flags(av) & IB_AH_GRH))
		return av_path_lid(path, dev, av, sport);
	if (dev->fabric)
		return srnic_path_init_port(path, dev, &av->grh.sgid_attr->gid, av, sport);
	return srnic_path_init(path, av->grh.sgid_attr, av, sport);
}
