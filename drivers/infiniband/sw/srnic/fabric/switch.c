// SPDX-License-Identifier: GPL-2.0
/*
 * The life of the switch: it exists as long as a node of the subnet is behind it.
 */
#include <linux/slab.h>
#include "fabric/switch.h"

/* The GUID of the switch is that of the port, with the filler of its EUI-64 the other way round. */
#define GUID_FILLER_DIFFERS	0x0000000101000000ULL	/* ff:fe and fe:ff */

static struct srnic_switch *switch_new(struct srnic_fabric *fabric)
{
	struct srnic_switch *sw = kvzalloc(sizeof(*sw), GFP_KERNEL);
	u8 port;
	int err;

	if (!sw)
		return ERR_PTR(-ENOMEM);
	sw->fabric = fabric;
	mutex_init(&sw->lock);
	INIT_DELAYED_WORK(&sw->probe, srnic_switch_probe);
	sw->guid = srnic_fabric_guid(fabric) ^ cpu_to_be64(GUID_FILLER_DIFFERS);
	sw->state0 = IB_PORT_ACTIVE;
	for (port = SRNIC_SWITCH_OWN; port <= SRNIC_SWITCH_PORTS; port++)
		sw->ports[port].state = IB_PORT_DOWN;
	err = srnic_switch_open(sw);
	if (err) {
		kvfree(sw);
		return ERR_PTR(err);
	}
	return sw;
}

/* Make the switch known, or NULL: none. MADs that use the old one have ended then. */
static void switch_publish(struct srnic_fabric *fabric, struct srnic_switch *sw)
{
	mutex_lock(&fabric->switch_lock);
	fabric->sw = sw;
	WRITE_ONCE(fabric->switch_lid, 0);
	WRITE_ONCE(fabric->switch_qpn, sw ? sw->qp->qp_num : 0);
	mutex_unlock(&fabric->switch_lock);
}

/**
 * srnic_switch_destroy() - Destroy the switch of a port, if it has one
 * @fabric: the port
 *
 * Context: process, under @fabric->subnet_lock.
 */
void srnic_switch_destroy(struct srnic_fabric *fabric)
{
	struct srnic_switch *sw = fabric->sw;

	lockdep_assert_held(&fabric->subnet_lock);
	if (!sw)
		return;
	switch_publish(fabric, NULL);
	cancel_delayed_work_sync(&sw->probe);
	srnic_switch_close(sw);
	mutex_destroy(&sw->lock);
	kvfree(sw);
}

static const struct srnic_subnet_node *node_at(const struct srnic_subnet *subnet, u8 port)
{
	unsigned int i;

	for (i = 0; i < subnet->count; i++)
		if (subnet->nodes[i].port == port)
			return &subnet->nodes[i];
	return NULL;
}

/* Have the ports follow the list. A port whose node is another is down until it answers. */
static void switch_plug(struct srnic_switch *sw, const struct srnic_subnet *subnet)
{
	const struct srnic_subnet_node *node;
	struct srnic_switch_port *port;
	u8 i;

	mutex_lock(&sw->lock);
	for (i = SRNIC_SWITCH_FIRST; i <= SRNIC_SWITCH_PORTS; i++) {
		port = &sw->ports[i];
		node = node_at(subnet, i);
		if (!memcmp(&port->gid, node ? &node->gid : &zgid, sizeof(port->gid)))
			continue;
		sw->changed |= port->state != IB_PORT_DOWN;
		*port = (struct srnic_switch_port){
			.gid = node ? node->gid : zgid,
			.state = IB_PORT_DOWN,
		};
	}
	mutex_unlock(&sw->lock);
}

/**
 * srnic_switch_update() - Apply a new list of nodes to the switch
 * @fabric: the port
 * @subnet: the new list
 *
 * Context: process, under @fabric->subnet_lock.
 * Return: 0 or an error.
 */
int srnic_switch_update(struct srnic_fabric *fabric, const struct srnic_subnet *subnet)
{
	struct srnic_switch *sw = fabric->sw;

	lockdep_assert_held(&fabric->subnet_lock);
	if (!srnic_subnet_has(subnet, SRNIC_SUBNET_MEMBER)) {
		srnic_switch_destroy(fabric);
		return 0;
	}
	if (!sw) {
		sw = switch_new(fabric);
		if (IS_ERR(sw))
			return PTR_ERR(sw);
		switch_publish(fabric, sw);
		schedule_delayed_work(&sw->probe, 0);
	}
	switch_plug(sw, subnet);
	return 0;
}

/**
 * srnic_switch_qpn() - Return the QP that SMPs without an address go to
 * @fabric: the port
 * @lid: LID that they are addressed to, host order
 *
 * Context: any.
 * Return: number of the switch's QP, if SMPs to the LID are for the switch; else 0, that of QP0.
 */
u32 srnic_switch_qpn(const struct srnic_fabric *fabric, u16 lid)
{
	if (lid == be16_to_cpu(IB_LID_PERMISSIVE) ||
	    (lid && lid == READ_ONCE(fabric->switch_lid)))
		return READ_ONCE(fabric->switch_qpn);
	return 0;
}

/**
 * srnic_switch_link_is_up() - Tell whether the node behind a port of the switch is there
 * @fabric: the port of this node
 * @port: number of the switch's port
 *
 * Context: process.
 * Return: whether the link is up, configured or not.
 */
bool srnic_switch_link_is_up(struct srnic_fabric *fabric, u8 port)
{
	bool up;

	mutex_lock(&fabric->switch_lock);
	up = fabric->sw && READ_ONCE(fabric->sw->ports[port].state) != IB_PORT_DOWN;
	mutex_unlock(&fabric->switch_lock);
	return up;
}
