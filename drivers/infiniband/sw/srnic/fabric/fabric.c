// SPDX-License-Identifier: GPL-2.0
/*
 * The management state of an InfiniBand port: GID, LID, capabilities.
 */
#include "export.h"
#include "wire/wire.h"
#include "fabric/port.h"

/**
 * srnic_fabric_modify_port() - Set and clear bits of the port's CapabilityMask
 * @ib: the device
 * @port: port number
 * @mask: bits of enum ib_port_modify_mask, none of which is supported
 * @props: bits to set, and bits to clear
 *
 * ib_cm sets IB_PORT_CM_SUP; the file issm of a subnet manager sets IB_PORT_SM.
 *
 * Context: process.
 * Return: 0, -EINVAL for another port, or -EOPNOTSUPP.
 */
int srnic_fabric_modify_port(struct ib_device *ib, u32 port, int mask,
			     struct ib_port_modify *props)
{
	struct srnic_fabric *fabric = to_srnic(ib)->fabric;

	if (port != SRNIC_PORT)
		return -EINVAL;
	if (mask)
		return -EOPNOTSUPP;
	spin_lock(&fabric->lock);
	WRITE_ONCE(fabric->cap_mask,
		   (fabric->cap_mask | props->set_port_cap_mask) & ~props->clr_port_cap_mask);
	spin_unlock(&fabric->lock);
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_fabric_modify_port);

/**
 * srnic_fabric_query_gid() - Read an entry of the GID table
 * @ib: the device
 * @port: port number
 * @index: index of the entry
 * @gid: the GID
 *
 * Context: any.
 * Return: 0, or -EINVAL for an index beyond the table.
 */
int srnic_fabric_query_gid(struct ib_device *ib, u32 port, int index, union ib_gid *gid)
{
	struct srnic_fabric *fabric = to_srnic(ib)->fabric;

	if (index < 0 || index >= SRNIC_FABRIC_GIDS)
		return -EINVAL;
	*gid = fabric->gid;
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_fabric_query_gid);

/*
 * Tell whether a MAD comes from this node. Packets of other nodes have a GRH;
 * the loopback of a MAD that was sent without one has none, either. ib_mad
 * passes local directed-route SMPs with the permissive LID, and sysfs no
 * completion at all. The port drops packets to QP0 that arrive from the network,
 * before they get here.
 */
bool srnic_fabric_is_own(const struct srnic_fabric *fabric, const struct ib_wc *wc)
{
	if (!wc)
		return true;
	return !(wc->wc_flags & IB_WC_GRH) &&
	       srnic_fabric_is_own_lid(fabric, wc->slid);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_fabric_is_own);

/*
 * Read the attributes of the port as query_port reports them. ib_query_port()
 * would do that and look the subnet prefix up in the core's cache, which only a
 * registered device has.
 */
int srnic_fabric_query_port(struct srnic_fabric *fabric, struct ib_port_attr *attr)
{
	struct ib_device *ib = &fabric->dev->ib;

	memset(attr, 0, sizeof(*attr));
	return ib->ops.query_port(ib, SRNIC_PORT, attr);
}

/* Return the GUID of the port. */
__be64 srnic_fabric_guid(const struct srnic_fabric *fabric)
{
	return fabric->gid.global.interface_id;
}
