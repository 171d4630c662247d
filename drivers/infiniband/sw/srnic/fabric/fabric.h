/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fabric - the management of an InfiniBand port: subnet management agent (SMA),
 * performance management agent (PMA), and subnet administration (SA).
 *
 * Unless the administrator names a subnet manager (subnet.c), each node is its own,
 * and its own SA, so IP over InfiniBand (RFC 4391) needs no daemon. Nodes agree
 * because all of them compute the same records: LIDs from GIDs (wire/lid.c),
 * parameters of groups by constants, but for their MTU, which the administrator
 * sets to the same value on all nodes (mtu.c). The price: no node knows the members
 * that a group has on other nodes, and a path record does not show that its
 * destination exists.
 */
#ifndef SRNIC_FABRIC_H
#define SRNIC_FABRIC_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>

struct srnic_dev;
struct srnic_switch;

#define SRNIC_FABRIC_GIDS	1	/* length of the GID table, GUIDCap of PortInfo */
/* 4.096 us << 18 = 1 s: SubnetTimeOut of PortInfo, and response times */
#define SRNIC_FABRIC_TIMEOUT	18
/* Groups at most: bounds the memory and the SA's answers. */
#define SRNIC_FABRIC_GROUPS	256
/* Likewise for services, and for subscriptions to events */
#define SRNIC_FABRIC_SERVICES		64
#define SRNIC_FABRIC_SUBSCRIPTIONS	64
#define SRNIC_PMA_COUNTERS	7	/* counters of the PMA that can be set (fabric/pma.c) */

/**
 * struct srnic_fabric - Management state of an InfiniBand port
 * @dev: the device
 * @gid: GID 0: the prefix fe80::/64 and the port's GUID; constant
 * @lid: LID of the port, host order; read without a lock. That of a port that manages itself is
 *	a label of the GID
 * @sm_lid: LID of its subnet manager, likewise
 * @state: an enum ib_port_state, likewise: PortState while the netdev is up
 * @lock: protects @lid, @sm_lid, @state, @cap_mask, @pma_base, LIDs in the device's list of nodes,
 *	and changes of its P_Key table; process context
 * @cap_mask: CapabilityMask of PortInfo: IB_PORT_SYS_IMAGE_GUID_SUP,
 *	IB_PORT_CLIENT_REG_SUP, and the bits that consumers have set by
 *	srnic_fabric_modify_port(). query_port reports it as port_cap_flags
 * @pma_base: values of the counters that the PMA reports as zero
 * @speed: an enum ib_port_speed, that of the netdev; changed under RTNL
 * @notify: reports an event of the port to consumers; KUnit replaces it
 * @sa: state of the SA
 * @sa.lock: protects the rest of it, and changes of the device's ib_mtu
 * @sa.groups: list of struct srnic_sa_group
 * @sa.count: number of entries of @sa.groups
 * @sa.next_mgid: number of the next group whose MGID the SA chooses
 * @sa.services: list of the services that are registered (fabric/sa_service.c)
 * @sa.n_services: number of entries of @sa.services
 * @sa.subscriptions: list of subscriptions to events (fabric/sa_inform.c)
 * @sa.n_subscriptions: number of entries of @sa.subscriptions
 * @agent: MAD agent of the SA for tables; NULL: not registered
 * @subnet_lock: protects @agent, @managed, @attached, and changes of the device's list of nodes
 *	and of @sw
 * @managed: a subnet manager of user space manages the port; read without a lock
 * @attached: the device is registered, so that the port may have an agent and a switch
 * @switch_lock: protects @sw, as long as an SMP uses it
 * @sw: the switch of this node; NULL: there is none
 * @switch_lid: LID of @sw, host order; 0: none. Read without a lock
 * @switch_qpn: QP of @sw; 0: none. Likewise
 * @lids: ports of a subnet that a manager manages (fabric/lids.c)
 * @lids.lock: protects changes
 * @lids.gids: GIDs by LID
 * @lids.count: number of entries
 */
struct srnic_fabric {
	struct srnic_dev *dev;
	union ib_gid gid;
	u16 lid;
	u16 sm_lid;
	u8 state;
	spinlock_t lock;	/* values that a subnet manager may change */
	u32 cap_mask;
	u64 pma_base[SRNIC_PMA_COUNTERS];
	u16 speed;
	void (*notify)(struct srnic_fabric *fabric, enum ib_event_type event);
	struct {
		struct mutex lock;	/* all of sa, ib_mtu */
		struct list_head groups;
		unsigned int count;
		u32 next_mgid;
		struct list_head services;
		unsigned int n_services;
		struct list_head subscriptions;
		unsigned int n_subscriptions;
	} sa;
	struct ib_mad_agent *agent;
	struct mutex subnet_lock;	/* agent, managed, attached, nodes */
	bool managed;
	bool attached;
	struct mutex switch_lock;	/* sw */
	struct srnic_switch *sw;
	u16 switch_lid;
	u32 switch_qpn;
	struct {
		struct mutex lock;	/* changes */
		struct xarray gids;
		unsigned int count;
	} lids;
};

/* Tell whether a LID is the port's, or the permissive one, which stands for it. */
static inline bool srnic_fabric_is_own_lid(const struct srnic_fabric *fabric, u32 lid)
{
	return (lid && lid == READ_ONCE(fabric->lid)) || lid == be16_to_cpu(IB_LID_PERMISSIVE);
}

/* fabric.c: called by verbs and main */
struct srnic_fabric *srnic_fabric_alloc(struct srnic_dev *dev, const union ib_gid *gid);
void srnic_fabric_free(struct srnic_fabric *fabric);
int srnic_fabric_modify_port(struct ib_device *ib, u32 port, int mask,
			     struct ib_port_modify *props);
int srnic_fabric_query_gid(struct ib_device *ib, u32 port, int index, union ib_gid *gid);

bool srnic_fabric_is_managed(const struct srnic_fabric *fabric);

/* managed.c: called by main */
bool srnic_fabric_link(struct srnic_fabric *fabric);

/* switch.c: called by control */
bool srnic_switch_link_is_up(struct srnic_fabric *fabric, u8 port);

/* lids.c, switch.c: called by verbs */
int srnic_lids_find(struct srnic_fabric *fabric, u16 lid, union ib_gid *gid);
u32 srnic_switch_qpn(const struct srnic_fabric *fabric, u16 lid);

/* subnet.c: called by control */
int srnic_subnet_add(struct srnic_fabric *fabric, const union ib_gid *gid, u8 role);
int srnic_subnet_del(struct srnic_fabric *fabric, const union ib_gid *gid, u8 role);

/* pkey.c: called by verbs and control */
int srnic_fabric_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey);
int srnic_fabric_add_pkey(struct srnic_fabric *fabric, u16 pkey);
int srnic_fabric_del_pkey(struct srnic_fabric *fabric, u16 pkey);

/* mtu.c: called by control */
int srnic_fabric_set_mtu(struct srnic_fabric *fabric, enum ib_mtu mtu);

/* mad.c: the operation process_mad of struct ib_device_ops */
int srnic_process_mad(struct ib_device *ib, int flags, u32 port, const struct ib_wc *wc,
		      const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
		      size_t *out_size, u16 *out_pkey_index);

/* attach.c: called by main, at load and unload */
int srnic_fabric_init(void);
void srnic_fabric_exit(void);

#endif /* SRNIC_FABRIC_H */
