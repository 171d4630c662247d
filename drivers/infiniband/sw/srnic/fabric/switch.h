/* SPDX-License-Identifier: GPL-2.0 */
/*
 * switch - a virtual switch, for the subnet manager that runs on this node: port 1 leads to this
 * node's own InfiniBand port, each further one to another node. Directed-route SMPs pass through it
 * (IBA 14.2.2), and it answers those to itself. Nothing else is forwarded: data goes from node
 * to node over Ethernet.
 */
#ifndef SRNIC_FABRIC_SWITCH_H
#define SRNIC_FABRIC_SWITCH_H

#include <linux/completion.h>
#include <linux/refcount.h>
#include "fabric/port.h"
#include "subnet.h"

#define SRNIC_SWITCH_PORTS	36	/* besides port 0, the switch's own */
#define SRNIC_SWITCH_OWN	1	/* leads to this node */
#define SRNIC_SWITCH_FIRST	2	/* of those that lead to other nodes */
#define SRNIC_SWITCH_LIDS	1024	/* LinearFDBCap */
#define SRNIC_SWITCH_MLIDS	1024	/* MulticastFDBCap */
#define SRNIC_SWITCH_POSITIONS	3	/* of 16 ports, in the multicast table */
#define SRNIC_SWITCH_EXPECTED	16	/* requests of other managers that wait for an answer */

/* Results of srnic_switch_route() besides the number of a port */
#define SRNIC_ROUTE_HERE	0	/* it is for the switch */
#define SRNIC_ROUTE_DROP	(-1)

/**
 * struct srnic_switch_port - A port of the switch
 * @gid: GID of the node behind it; zero: there is none
 * @state: an enum ib_port_state
 * @missed: probes in a row that had no answer
 */
struct srnic_switch_port {
	union ib_gid gid;
	u8 state;
	u8 missed;
};

/**
 * struct srnic_switch_request - A request of another node's manager to this node's
 * @tid: TransactionID; 0: unused
 * @port: port that it came by
 * @qpn: QP that the answer goes to
 */
struct srnic_switch_request {
	__be64 tid;
	u8 port;
	u32 qpn;
};

/**
 * struct srnic_switch - A virtual switch
 * @fabric: InfiniBand port of this node
 * @lock: protects the fields from @lid on; process context
 * @pd: protection domain of @qp
 * @cq: completion queue of @qp; its handlers run in process context, one at a time
 * @qp: sends and receives SMPs, as QP0 of a switch
 * @works: work requests that have not ended, and 1 until the QP is emptied
 * @drained: none is left
 * @probe: looks which nodes are there
 * @guid: GUID of the switch
 * @lid: LID of port 0
 * @sm_lid: MasterSMLID of port 0
 * @state0: PortState of port 0
 * @changed: PortStateChange of SwitchInfo
 * @life: LifeTimeValue of SwitchInfo, and other fields that are kept as set
 * @ports: ports by number
 * @lft: linear forwarding table, kept for the manager
 * @lft_top: LinearFDBTop
 * @mft: multicast forwarding table, likewise
 * @mft_top: MulticastFDBTop
 * @expected: requests to this node's manager
 * @next: number of the next entry of @expected
 * @next_tid: TransactionID of the next trap or probe
 */
struct srnic_switch {
	struct srnic_fabric *fabric;
	struct mutex lock;	/* from lid on */
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	refcount_t works;
	struct completion drained;
	struct delayed_work probe;
	__be64 guid;
	u16 lid;
	u16 sm_lid;
	u8 state0;
	bool changed;
	u8 life;
	struct srnic_switch_port ports[SRNIC_SWITCH_PORTS + 1];
	u8 lft[SRNIC_SWITCH_LIDS];
	__be16 lft_top;
	__be16 mft[SRNIC_SWITCH_POSITIONS][SRNIC_SWITCH_MLIDS];
	__be16 mft_top;
	struct srnic_switch_request expected[SRNIC_SWITCH_EXPECTED];
	unsigned int next;
	u32 next_tid;
};

/* switch.c: its life */
int srnic_switch_update(struct srnic_fabric *fabric, const struct srnic_subnet *subnet);
void srnic_switch_destroy(struct srnic_fabric *fabric);

/* switch_route.c: directed routes, IBA 14.2.2 */
int srnic_switch_route(struct ib_smp *smp, u8 in_port);

/* switch_mad.c: its SMPs */
int srnic_switch_open(struct srnic_switch *sw);
void srnic_switch_close(struct srnic_switch *sw);
void srnic_switch_send(struct srnic_switch *sw, u8 port, u32 qpn, const void *mad);
void srnic_switch_expect(struct srnic_fabric *fabric, const struct ib_wc *wc,
			 const struct ib_grh *grh, const struct ib_mad *in);

/* switch_sma.c, switch_port.c: answers to SMPs, under sw->lock */
void srnic_switch_answer(struct srnic_switch *sw, u8 in_port, const struct ib_mad *in,
			 struct ib_mad *out);
u16 srnic_switch_port_info(struct srnic_switch *sw, u8 in_port, const struct ib_mad *in,
			   void *data);

/* switch_probe.c: the state of its links, under sw->lock */
void srnic_switch_probe(struct work_struct *work);
void srnic_switch_heard(struct srnic_switch *sw, u8 port);
void srnic_switch_follow(struct srnic_switch *sw, u8 port, u8 state);

#endif /* SRNIC_FABRIC_SWITCH_H */
