// SPDX-License-Identifier: GPL-2.0
/*
 * Creation and destruction of the management state of an InfiniBand port.
 */
#include <linux/slab.h>
#include "export.h"
#include "wire/wire.h"
#include "fabric/port.h"

#define PORT_CAPS	(IB_PORT_SYS_IMAGE_GUID_SUP | IB_PORT_CLIENT_REG_SUP)

static void dispatch_event(struct srnic_fabric *fabric, enum ib_event_type event)
{
	struct ib_event ev = {
		.device = &fabric->dev->ib,
		.element.port_num = SRNIC_PORT,
		.event = event,
	};

	ib_dispatch_event(&ev);
}

/**
 * srnic_fabric_alloc() - Create the management state of an InfiniBand port
 * @dev: the device, whose P_Key table has the default P_Key
 * @gid: GID 0: the prefix fe80::/64 and the port's GUID
 *
 * The broadcast group of the default P_Key exists from the start, as if an
 * administrator had created it (RFC 4391, section 5).
 *
 * Context: process.
 * Return: the state; NULL: no memory.
 */
struct srnic_fabric *srnic_fabric_alloc(struct srnic_dev *dev, const union ib_gid *gid)
{
	struct srnic_fabric *fabric = kzalloc(sizeof(*fabric), GFP_KERNEL);

	if (!fabric)
		return NULL;
	fabric->dev = dev;
	fabric->gid = *gid;
	fabric->lid = srnic_gid_lid(gid->raw);
	fabric->sm_lid = fabric->lid;
	fabric->state = IB_PORT_ACTIVE;
	mutex_init(&fabric->subnet_lock);
	mutex_init(&fabric->switch_lock);
	mutex_init(&fabric->lids.lock);
	xa_init(&fabric->lids.gids);
	spin_lock_init(&fabric->lock);
	fabric->cap_mask = PORT_CAPS;
	fabric->speed = IB_SPEED_SDR;
	fabric->notify = dispatch_event;
	dev->ib_mtu = SRNIC_IB_MTU;
	mutex_init(&fabric->sa.lock);
	INIT_LIST_HEAD(&fabric->sa.services);
	INIT_LIST_HEAD(&fabric->sa.subscriptions);
	if (srnic_sa_groups_init(fabric)) {
		kfree(fabric);
		return NULL;
	}
	return fabric;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_fabric_alloc);

/**
 * srnic_fabric_free() - Destroy the management state of a port
 * @fabric: the state, without an agent; NULL: does nothing
 *
 * Context: process.
 */
void srnic_fabric_free(struct srnic_fabric *fabric)
{
	if (!fabric)
		return;
	srnic_sa_subscriptions_free(fabric);
	srnic_sa_services_free(fabric);
	srnic_sa_groups_free(fabric);
	srnic_lids_clear(fabric);
	srnic_subnet_free(fabric);
	mutex_destroy(&fabric->lids.lock);
	mutex_destroy(&fabric->switch_lock);
	mutex_destroy(&fabric->subnet_lock);
	mutex_destroy(&fabric->sa.lock);
	kfree(fabric);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_fabric_free);
