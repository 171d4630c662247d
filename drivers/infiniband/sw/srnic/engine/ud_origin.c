// SPDX-License-Identifier: GPL-2.0
/*
 * The origin of a datagram: its completion says where a reply goes. QP0 and QP1 of an InfiniBand
 * port are not for every sender.
 */
#include <net/ipv6.h>
#include "export.h"
#include "srnic.h"
#include "subnet.h"
#include "engine/ud_origin.h"

/* RoCEv2's IP header stands for a GRH. Packets of InfiniBand ports say whether it does. */
bool srnic_ud_has_grh(const struct srnic_ends *ends)
{
	return ends->dport != htons(SRNIC_IB_PORT) || ends->sport & htons(SRNIC_IB_SPORT_GRH);
}

/*
 * Only packets of this node come by its loopback interface, and only the kernel sends from a port
 * that its own socket holds (net/socket.c, verbs/ah.c). An address alone proves nothing.
 */
static bool ud_kernels_own(const struct srnic_ends *ends)
{
	return ends->ifindex == LOOPBACK_IFINDEX && ends->sport == htons(SRNIC_IB_PORT);
}

static bool ud_is_own_gid(const struct srnic_subnet *subnet, const struct srnic_ends *ends)
{
	return !memcmp(&subnet->nodes[0].gid, ends->sgid, sizeof(union ib_gid));
}

/*
 * In a subnet with a manager, a node may be named by its LID. Nobody names this node itself, but
 * its own kernel: to QP0 neither by GID nor by LID, and to QP1 not by LID.
 */
static bool ud_foreign_to_subnet(const struct srnic_qp *qp, struct srnic_subnet *subnet,
				 const struct srnic_ends *ends)
{
	bool smi = qp->ib.qp_type == IB_QPT_SMI;

	if (ud_is_own_gid(subnet, ends))
		return smi || !srnic_ud_has_grh(ends);
	return smi && !srnic_subnet_find(subnet, ends->sgid);
}

/*
 * Tell whether the sender may not use the QP. QP0 serves the kernel of the node that it belongs to,
 * and nodes of its subnet that the administrator has named. QP1 serves everybody who names a GID,
 * or in a subnet a LID.
 */
bool srnic_ud_is_foreign(const struct srnic_qp *qp, const struct srnic_ends *ends)
{
	struct srnic_subnet *subnet;
	bool foreign;

	if (!qp->dev->fabric || qp->ib.qp_type == IB_QPT_UD || ud_kernels_own(ends))
		return false;
	rcu_read_lock();
	subnet = rcu_dereference(qp->dev->subnet);
	if (subnet)
		foreign = ud_foreign_to_subnet(qp, subnet, ends);
	else
		foreign = qp->ib.qp_type == IB_QPT_SMI || !srnic_ud_has_grh(ends);
	rcu_read_unlock();
	return foreign;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ud_is_foreign);

static bool ud_lid_is_taken(const struct srnic_subnet *subnet, u16 lid)
{
	unsigned int i;

	for (i = 0; i < subnet->count; i++)
		if (READ_ONCE(subnet->nodes[i].lid) == lid)
			return true;
	return false;
}

/*
 * Return the LID that a node says it has, in the flow label of a packet without a GRH; 0: none.
 * LIDs of the nodes that the administrator has named cannot be claimed: MADs from this node's LID
 * are trusted (srnic_fabric_is_own()), and a subnet administration knows its clients by their LIDs.
 */
static u16 ud_claimed_lid(const struct srnic_subnet *subnet, const struct srnic_ends *ends)
{
	u32 lid = be32_to_cpu(ip6_flowlabel((const struct ipv6hdr *)ends->iph));

	if (srnic_ud_has_grh(ends) || ends->v4 || !lid ||
	    lid >= be16_to_cpu(IB_MULTICAST_LID_BASE) || ud_lid_is_taken(subnet, lid))
		return 0;
	return lid;
}

/* Remember the LID of a node for the answer. Nobody trusts it for more (fabric/lids.c). */
static void ud_note_lid(struct srnic_subnet *subnet, u16 lid, const struct srnic_ends *ends)
{
	struct srnic_subnet_heard *heard = &subnet->heard[lid % SRNIC_SUBNET_HEARD];
	unsigned long flags;

	spin_lock_irqsave(&subnet->heard_lock, flags);
	heard->lid = lid;
	memcpy(&heard->gid, ends->sgid, sizeof(heard->gid));
	spin_unlock_irqrestore(&subnet->heard_lock, flags);
}

/* Return the LID that a datagram of QP0 or QP1 comes from, host order; 0: unknown. */
static u16 ud_mad_slid(struct srnic_subnet *subnet, const struct srnic_ends *ends)
{
	const struct srnic_subnet_node *node = srnic_subnet_find(subnet, ends->sgid);
	u16 lid;

	if (ud_kernels_own(ends))
		return READ_ONCE(subnet->nodes[0].lid) ?: be16_to_cpu(IB_LID_PERMISSIVE);
	if (node)
		return ud_is_own_gid(subnet, ends) ? 0 : READ_ONCE(node->lid);
	lid = ud_claimed_lid(subnet, ends);
	if (lid)
		ud_note_lid(subnet, lid, ends);
	return lid;
}

/*
 * Return the LID that a datagram of a UD QP comes from, host order; 0: unknown. ib_ipoib drops what
 * this node has sent to a group, and the switch trusts the kernel of this node.
 */
static u16 ud_own_slid(const struct srnic_subnet *subnet, const struct srnic_ends *ends)
{
	if (ud_kernels_own(ends))
		return be16_to_cpu(IB_LID_PERMISSIVE);
	return ud_is_own_gid(subnet, ends) ? READ_ONCE(subnet->nodes[0].lid) : 0;
}

/*
 * Return the LID that a datagram comes from, host order. That of a port that manages itself is a
 * label.
 */
static u16 ud_slid(const struct srnic_qp *qp, const struct srnic_ends *ends)
{
	struct srnic_subnet *subnet;
	u16 lid = 0;

	rcu_read_lock();
	subnet = rcu_dereference(qp->dev->subnet);
	if (likely(!subnet))
		lid = srnic_gid_lid(ends->sgid);
	else if (qp->ib.qp_type != IB_QPT_UD)
		lid = ud_mad_slid(subnet, ends);
	else
		lid = ud_own_slid(subnet, ends);
	rcu_read_unlock();
	return lid;
}

/*
 * Say where a datagram came from, for the reply to go there. ib_core replies to a MAD by the GID
 * that has the address, the VLAN and the version of IP that the completion says.
 */
void srnic_ud_fill_origin(const struct srnic_qp *qp, const struct srnic_ends *ends,
			  struct srnic_cqe *cqe)
{
	if (qp->dev->fabric) {
		cqe->slid = ud_slid(qp, ends);
		return;
	}
	if (qp->ib.qp_type != IB_QPT_GSI)
		return;
	cqe->wc_flags |= SRNIC_WC_WITH_NETWORK_HDR;
	cqe->network_hdr_type = ends->v4 ? RDMA_NETWORK_IPV4 : RDMA_NETWORK_IPV6;
	cqe->vlan_id = srnic_net_vlan(qp->dev, ends);
	if (cqe->vlan_id != SRNIC_NO_VLAN)
		cqe->wc_flags |= SRNIC_WC_WITH_VLAN;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_ud_fill_origin);
