// SPDX-License-Identifier: GPL-2.0
/*
 * The MTU of an InfiniBand port, which the administrator sets (RFC 4391, section 5). The engine
 * reads it, so it is in the device, and has no lock for readers.
 */
#include "export.h"
#include "fabric/port.h"

/**
 * srnic_fabric_set_mtu() - Set the MTU of the port, and of the groups of IP over InfiniBand
 * @fabric: the port
 * @mtu: the MTU, which all nodes must be given
 *
 * Consumers join their groups again upon the event, and read the new MTU from the reply.
 *
 * Context: process.
 * Return: 0; -EINVAL: no such MTU; -ERANGE: more than the consumers' buffers were made for.
 */
int srnic_fabric_set_mtu(struct srnic_fabric *fabric, enum ib_mtu mtu)
{
	struct srnic_dev *dev = fabric->dev;
	bool changed;

	if (mtu < IB_MTU_256 || mtu > IB_MTU_4096)
		return -EINVAL;
	if (mtu > dev->ib_max_mtu)
		return -ERANGE;
	mutex_lock(&fabric->sa.lock);
	changed = dev->ib_mtu != mtu;
	WRITE_ONCE(dev->ib_mtu, mtu);
	srnic_sa_mtu_changed(fabric);
	mutex_unlock(&fabric->sa.lock);
	if (changed)
		fabric->notify(fabric, IB_EVENT_CLIENT_REREGISTER);
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_fabric_set_mtu);
