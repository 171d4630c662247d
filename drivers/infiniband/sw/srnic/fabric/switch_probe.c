// SPDX-License-Identifier: GPL-2.0
/*
 * The switch's links: a node is there as long as it answers. It is asked for its PortInfo each
 * second, which it tells its managers only. The manager hears of changes at once (trap 128).
 */
#include <linux/string.h>
#include <rdma/ib_cache.h>
#include "export.h"
#include "fabric/switch.h"

#define PROBE_MS	1000
#define PROBE_MISSES	3	/* in a row: the link is down */

#define TRAP_LINK_STATE	128	/* IBA 14.2.5.1: the link state of a port has changed */
#define NOTICE_URGENT	0x81	/* generic (the top bit), type: urgent */
#define PRODUCER_SWITCH	2

/* Notice, IBA 13.4.8.2, of trap 128 */
struct notice {
	u8 type;
	u8 producer[3];
	__be16 trap;
	__be16 issuer_lid;
	__be16 toggle_count;
	__be16 lid;
} __packed;

static void fill_header(struct srnic_switch *sw, struct ib_smp *smp, u8 method, __be16 attr_id)
{
	memset(smp, 0, sizeof(*smp));
	smp->base_version = 1;
	smp->mgmt_class = IB_MGMT_CLASS_SUBN_LID_ROUTED;
	smp->class_version = 1;
	smp->method = method;
	smp->attr_id = attr_id;
	smp->tid = cpu_to_be64(++sw->next_tid);
}

/* Tell the manager of this node, if there is one and it has given the switch a LID. */
static void send_trap(struct srnic_switch *sw)
{
	struct ib_smp smp;
	struct notice *notice = (struct notice *)smp.data;

	if (!sw->lid || !(READ_ONCE(sw->fabric->cap_mask) & IB_PORT_SM))
		return;
	fill_header(sw, &smp, IB_MGMT_METHOD_TRAP, IB_SMP_ATTR_NOTICE);
	notice->type = NOTICE_URGENT;
	notice->producer[2] = PRODUCER_SWITCH;
	notice->trap = cpu_to_be16(TRAP_LINK_STATE);
	notice->issuer_lid = cpu_to_be16(sw->lid);
	notice->lid = notice->issuer_lid;
	srnic_switch_send(sw, SRNIC_SWITCH_OWN, 0, &smp);
}

static void set_state(struct srnic_switch *sw, u8 port, u8 state)
{
	sw->ports[port].state = state;
	sw->changed = true;
	send_trap(sw);
}

/* A node has sent something: its link is up. Context: process, under @sw->lock. */
void srnic_switch_heard(struct srnic_switch *sw, u8 port)
{
	lockdep_assert_held(&sw->lock);
	sw->ports[port].missed = 0;
	if (sw->ports[port].state == IB_PORT_DOWN)
		set_state(sw, port, IB_PORT_INIT);
}

/**
 * srnic_switch_follow() - Note the state of the port at the other end of a link
 * @sw: the switch
 * @port: number of the switch's port; the other end can be heard
 * @state: PortState of the other end
 *
 * A link that was cut for less time than the probes need to notice leaves the other end in state
 * Init, and so this end, too, for the manager to find both (IBA 7.2.7). The manager arms both
 * ends before it activates one, so Armed here and Init there is its work under way.
 *
 * Context: process, under @sw->lock.
 */
void srnic_switch_follow(struct srnic_switch *sw, u8 port, u8 state)
{
	u8 own = sw->ports[port].state;

	lockdep_assert_held(&sw->lock);
	if (own == IB_PORT_DOWN || (own == IB_PORT_ACTIVE && state == IB_PORT_INIT))
		set_state(sw, port, IB_PORT_INIT);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_switch_follow);

static void probe_node(struct srnic_switch *sw, u8 port)
{
	struct srnic_switch_port *link = &sw->ports[port];
	struct ib_smp smp;

	if (link->missed < PROBE_MISSES)
		link->missed++;
	else if (link->state != IB_PORT_DOWN)
		set_state(sw, port, IB_PORT_DOWN);
	fill_header(sw, &smp, IB_MGMT_METHOD_GET, IB_SMP_ATTR_PORT_INFO);
	srnic_switch_send(sw, port, 0, &smp);
}

/* This node's own port is there as long as its netdev is up. */
static void probe_own(struct srnic_switch *sw)
{
	struct ib_port_attr attr;

	if (srnic_fabric_query_port(sw->fabric, &attr))
		return;
	if (attr.state != IB_PORT_DOWN)
		srnic_switch_follow(sw, SRNIC_SWITCH_OWN, attr.state);
	else if (sw->ports[SRNIC_SWITCH_OWN].state != IB_PORT_DOWN)
		set_state(sw, SRNIC_SWITCH_OWN, IB_PORT_DOWN);
}

/* The work item of @sw->probe. */
void srnic_switch_probe(struct work_struct *work)
{
	struct srnic_switch *sw = container_of(to_delayed_work(work), struct srnic_switch, probe);
	u8 port;

	mutex_lock(&sw->lock);
	probe_own(sw);
	for (port = SRNIC_SWITCH_FIRST; port <= SRNIC_SWITCH_PORTS; port++)
		if (!rdma_is_zero_gid(&sw->ports[port].gid))
			probe_node(sw, port);
	mutex_unlock(&sw->lock);
	schedule_delayed_work(&sw->probe, msecs_to_jiffies(PROBE_MS));
}
