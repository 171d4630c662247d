// SPDX-License-Identifier: GPL-2.0
/*
 * The list of the subnet's nodes, as MADs need it (subnet.c changes it).
 */
#include "export.h"
#include "fabric/port.h"
#include "subnet.h"

/* Tell whether a subnet manager of user space manages the port. Context: any. */
bool srnic_fabric_is_managed(const struct srnic_fabric *fabric)
{
	return READ_ONCE(fabric->managed);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_fabric_is_managed);

/*
 * Return the roles of the node that a MAD came from, 0: a stranger. The buffer of a datagram has
 * the sender's GID even if it names itself by a LID.
 *
 * Context: any.
 */
u8 srnic_subnet_roles(const struct srnic_fabric *fabric, const struct ib_wc *wc,
		      const struct ib_grh *grh)
{
	const struct srnic_subnet_node *node;
	u8 roles = 0;

	if (srnic_fabric_is_own(fabric, wc))
		return SRNIC_SUBNET_OWN | SRNIC_SUBNET_MANAGER;
	if (!grh)
		return 0;
	rcu_read_lock();
	node = srnic_subnet_find(rcu_dereference(fabric->dev->subnet), &grh->sgid);
	/* only the kernel is this node: others may have its address, too */
	if (node && !(node->roles & SRNIC_SUBNET_OWN))
		roles = node->roles;
	rcu_read_unlock();
	return roles;
}

/* Note the LID of a node. Context: process. */
void srnic_subnet_set_lid(struct srnic_fabric *fabric, const union ib_gid *gid, u16 lid)
{
	struct srnic_subnet_node *node;

	spin_lock(&fabric->lock);
	node = srnic_subnet_find(rcu_dereference_protected(fabric->dev->subnet,
							   lockdep_is_held(&fabric->lock)), gid);
	if (node)
		WRITE_ONCE(node->lid, lid);
	spin_unlock(&fabric->lock);
}
