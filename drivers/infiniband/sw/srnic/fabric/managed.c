// SPDX-License-Identifier: GPL-2.0
/*
 * The state of a port that a subnet manager of user space manages: LIDs and PortState come from its
 * Sets of PortInfo (IBA 14.2.5.6). A port that manages itself is up as its netdev is.
 */
#include "export.h"
#include "fabric/port.h"

/*
 * The PortState that a Set leads to, by the present one (IBA 14.2.5.6, PortState); NOP: none is
 * asked for. Others are invalid.
 */
static const struct {
	u8 now;
	u8 wanted;
	u8 next;
} transitions[] = {
	{ IB_PORT_INIT, IB_PORT_ARMED, IB_PORT_ARMED },
	{ IB_PORT_ARMED, IB_PORT_ARMED, IB_PORT_ARMED },
	{ IB_PORT_ARMED, IB_PORT_ACTIVE, IB_PORT_ACTIVE },
	{ IB_PORT_ACTIVE, IB_PORT_ACTIVE, IB_PORT_ACTIVE },
	{ IB_PORT_INIT, IB_PORT_DOWN, IB_PORT_INIT },
	{ IB_PORT_ARMED, IB_PORT_DOWN, IB_PORT_INIT },
	{ IB_PORT_ACTIVE, IB_PORT_DOWN, IB_PORT_INIT },
	{ IB_PORT_DOWN, IB_PORT_DOWN, IB_PORT_DOWN },
};

/**
 * srnic_port_state_next() - Find the PortState that a Set of PortInfo leads to
 * @state: the present one, replaced by the next one
 * @info: PortInfo of the Set
 *
 * A link that is taken down trains again at once.
 *
 * Return: MAD status, host order.
 */
u16 srnic_port_state_next(u8 *state, const struct ib_port_info *info)
{
	u8 wanted = info->linkspeed_portstate & 0xf;
	unsigned int i;

	if (wanted == IB_PORT_NOP)
		return 0;
	for (i = 0; i < ARRAY_SIZE(transitions); i++) {
		if (transitions[i].now != *state || transitions[i].wanted != wanted)
			continue;
		*state = transitions[i].next;
		return 0;
	}
	return SRNIC_MAD_INVALID_FIELD;
}

/* Replace a LID that is read without a lock. Return whether it was another. */
static bool replace_lid(u16 *lid, u16 value)
{
	bool changed = *lid != value;

	WRITE_ONCE(*lid, value);
	return changed;
}

/* Consumers query the port when they hear of these. */
static void tell_if(struct srnic_fabric *fabric, bool changed, enum ib_event_type event)
{
	if (changed)
		fabric->notify(fabric, event);
}

static void set_lids(struct srnic_fabric *fabric, u16 lid, u16 sm_lid)
{
	bool moved, succeeded;

	spin_lock(&fabric->lock);
	moved = replace_lid(&fabric->lid, lid);
	succeeded = replace_lid(&fabric->sm_lid, sm_lid);
	spin_unlock(&fabric->lock);
	srnic_subnet_set_lid(fabric, &fabric->gid, lid);
	tell_if(fabric, moved, IB_EVENT_LID_CHANGE);
	/* ib_core addresses the new one at once */
	tell_if(fabric, succeeded && sm_lid, IB_EVENT_SM_CHANGE);
}

static void set_state(struct srnic_fabric *fabric, u8 state)
{
	u8 before;

	spin_lock(&fabric->lock);
	before = fabric->state;
	WRITE_ONCE(fabric->state, state);
	spin_unlock(&fabric->lock);
	tell_if(fabric, state == IB_PORT_ACTIVE && before != state, IB_EVENT_PORT_ACTIVE);
	tell_if(fabric, state != IB_PORT_ACTIVE && before == IB_PORT_ACTIVE, IB_EVENT_PORT_ERR);
}

/**
 * srnic_managed_set_info() - Apply a Set of PortInfo
 * @fabric: a port that a subnet manager manages
 * @info: PortInfo of the Set
 *
 * Context: process.
 * Return: MAD status, host order.
 */
u16 srnic_managed_set_info(struct srnic_fabric *fabric, const struct ib_port_info *info)
{
	u16 lid = be16_to_cpu(info->lid), sm_lid = be16_to_cpu(info->sm_lid);
	u8 state = READ_ONCE(fabric->state);
	u16 status = srnic_port_state_next(&state, info);

	if (status || !srnic_lid_is_unicast(lid) || !srnic_lid_is_unicast(sm_lid))
		return SRNIC_MAD_INVALID_FIELD;
	set_lids(fabric, lid, sm_lid);
	set_state(fabric, state);
	return 0;
}

/* ib_core queries the port when it hears of its state. */
static void forget_manager(struct srnic_fabric *fabric)
{
	spin_lock(&fabric->lock);
	WRITE_ONCE(fabric->sm_lid, 0);
	spin_unlock(&fabric->lock);
}

/**
 * srnic_fabric_link() - Note that the netdev has come up or gone down
 * @fabric: the port
 *
 * The subnet manager is unknown until it configures the port again. ib_core would address requests
 * to it meanwhile, and a port that is removed waits for the timeouts of its leaves.
 *
 * Context: process.
 * Return: whether the port's state is that of the netdev; otherwise it comes up when the subnet
 * manager says so.
 */
bool srnic_fabric_link(struct srnic_fabric *fabric)
{
	if (!srnic_fabric_is_managed(fabric))
		return true;
	forget_manager(fabric);
	set_state(fabric, IB_PORT_INIT);
	return false;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_fabric_link);

/*
 * Give the port its values before a manager has configured it, or after the last one has gone.
 *
 * Context: process.
 */
void srnic_managed_reset(struct srnic_fabric *fabric, u16 lid, u8 state)
{
	set_lids(fabric, lid, lid);
	set_state(fabric, state);
}
