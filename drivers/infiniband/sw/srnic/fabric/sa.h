/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The subnet administration: from a request MAD to the records of its reply
 * (IBA 15.2). sa_agent.c receives and sends those of GetTable and GetMulti, which
 * may need several MADs; ib_mad does so for the others. No other file knows an agent.
 */
#ifndef SRNIC_FABRIC_SA_H
#define SRNIC_FABRIC_SA_H

#include <rdma/ib_sa.h>
#include "fabric/port.h"

/* Status of a reply, IBA 15.2.7: class-specific part of the MAD status */
enum srnic_sa_status {
	SRNIC_SA_OK			= 0,
	SRNIC_SA_NO_RESOURCES		= 0x0100,
	SRNIC_SA_REQ_INVALID		= 0x0200,
	SRNIC_SA_NO_RECORDS		= 0x0300,
	SRNIC_SA_TOO_MANY_RECORDS	= 0x0400,
	SRNIC_SA_REQ_INVALID_GID	= 0x0500,
	SRNIC_SA_INSUFFICIENT		= 0x0600,	/* components of the request */
};

/* PathRecord, IBA 15.2.5.16; mtu, rate and life: selector (2 bits), value (6) */
struct srnic_sa_path {
	__be64 service_id;
	union ib_gid dgid;
	union ib_gid sgid;
	__be16 dlid;
	__be16 slid;
	__be32 flow_hop;	/* raw traffic (1 bit), 3 bits, flow label (20), hop limit */
	u8 tclass;
	u8 numb_path;		/* reversible (1 bit), number of paths (7) */
	__be16 pkey;
	__be16 qos_sl;		/* QoS class (12 bits), SL (4) */
	u8 mtu;
	u8 rate;
	u8 life;
	u8 preference;
	u8 reserved[6];
} __packed;

static_assert(sizeof(struct srnic_sa_path) == 64);

/* MCMemberRecord, IBA 15.2.5.17 */
struct srnic_sa_member {
	union ib_gid mgid;
	union ib_gid port_gid;
	__be32 qkey;
	__be16 mlid;
	u8 mtu;
	u8 tclass;
	__be16 pkey;
	u8 rate;
	u8 life;
	__be32 sl_flow_hop;	/* SL (4 bits), flow label (20), hop limit */
	u8 scope_state;		/* scope, join state: 4 bits each */
	u8 proxy_join;		/* the top bit */
	u8 reserved[2];
} __packed;

static_assert(sizeof(struct srnic_sa_member) == 52);

/* Lengths of other records, bytes */
#define SRNIC_SA_SWITCH_LEN	24	/* SwitchInfoRecord */
#define SRNIC_SA_FDB_LEN	72	/* Linear- and MulticastForwardingTableRecord */
#define SRNIC_SA_SM_LEN		25	/* SMInfoRecord */
#define SRNIC_SA_LINK_LEN	6	/* LinkRecord */
#define SRNIC_SA_GUID_LEN	72	/* GUIDInfoRecord */
#define SRNIC_SA_PKEY_LEN	72	/* P_KeyTableRecord */
#define SRNIC_SA_SERVICE_LEN	176	/* ServiceRecord */
#define SRNIC_SA_INFORM_LEN	36	/* InformInfo */
#define SRNIC_SA_INFORM_REC_LEN	60	/* InformInfoRecord */

/* SM_Key of trusted requests, as opensm has it by default (IBA 15.4.1.2) */
#define SRNIC_SA_SM_KEY		1

/* Selector and value of an MTU, a rate or a packet life time */
#define SRNIC_SA_SELECTOR(field)	((field) >> 6)
#define SRNIC_SA_VALUE(field)		((field) & 0x3f)
#define SRNIC_SA_EXACTLY(value)		(IB_SA_EQ << 6 | (value))

#define SRNIC_SA_JOIN_STATE		0x0f	/* in scope_state */

/* Fields of flow_hop and sl_flow_hop */
#define SRNIC_SA_SL_FLOW	0xffffff00U
#define SRNIC_SA_FLOW		0x0fffff00U
#define SRNIC_SA_HOP		0x000000ffU

/* Values of every path and group */
/* above 0: packets have a GRH; above 1: ib_cm takes the path for one between subnets */
#define SRNIC_SA_HOP_LIMIT	1
/* 4.096 us << 16 = 268 ms, as the RDMA CM assumes for Ethernet */
#define SRNIC_SA_LIFE		16
/* 10 Gb/s: rate of a group, unless its creator chooses another (as that of opensm) */
#define SRNIC_SA_RATE		IB_RATE_10_GBPS

/**
 * struct srnic_sa_group - A multicast group
 * @node: entry in the SA's list
 * @permanent: exists without members
 * @rec: its record; the join state is this port's
 */
struct srnic_sa_group {
	struct list_head node;
	bool permanent;
	struct srnic_sa_member rec;
};

/**
 * struct srnic_sa_table - The records of a reply
 * @records: records, each of @stride bytes; freed by srnic_sa_table_free()
 * @count: number of records
 * @room: number of records that @records has room for
 * @len: bytes of a record
 * @stride: @len rounded up to eight bytes, the unit of AttributeOffset
 */
struct srnic_sa_table {
	u8 *records;
	unsigned int count;
	unsigned int room;
	u16 len;
	u16 stride;
};

/**
 * struct srnic_sa_field - A component of a record
 * @bit: its number in the ComponentMask
 * @at: offset of its first byte
 * @len: bytes that it lies in
 * @mask: bits of the first byte that belong to it; all of the others do
 */
struct srnic_sa_field {
	u8 bit;
	u8 at;
	u8 len;
	u8 mask;
};

/* Describe @length bytes of @member of a record, from its byte @skip on. */
#define SRNIC_SA_FIELD(comp_bit, type, member, skip, length, bits) {	\
	.bit = (comp_bit),						\
	.at = offsetof(type, member) + (skip),				\
	.len = (length),						\
	.mask = (bits),							\
}

static inline bool srnic_sa_has(const struct ib_sa_mad *in, ib_sa_comp_mask component)
{
	return (in->sa_hdr.comp_mask & component) == component;
}

/* sa.c */
bool srnic_sa_answer(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		     struct ib_sa_mad *out, struct srnic_sa_table *table);
void srnic_sa_table_free(struct srnic_sa_table *table);

/* sa_match.c */
int srnic_sa_table_grow(struct srnic_sa_table *table);
u16 srnic_sa_table_add(struct srnic_sa_table *table, const void *record);
bool srnic_sa_match(const struct ib_sa_mad *in, const struct srnic_sa_field *fields,
		    unsigned int n, const void *record);
u16 srnic_sa_table_add_match(struct srnic_sa_table *table, const struct ib_sa_mad *in,
			     const struct srnic_sa_field *fields, unsigned int n,
			     const void *record);
u8 srnic_sa_wanted(const struct ib_sa_mad *in, ib_sa_comp_mask selector, ib_sa_comp_mask value,
		   u8 field);
bool srnic_sa_match_mtu(u8 want, u8 have);
bool srnic_sa_match_rate(u8 want, u8 have);
/* as for an MTU, but the best is the smallest, which is that of all paths */
#define srnic_sa_match_life(want, have)	srnic_sa_match_mtu(want, have)

/**
 * typedef srnic_sa_fn - Answer a request of one method and attribute
 * @fabric: the port
 * @in: the request
 * @table: records of the reply, empty; srnic_sa_table_add() adds to it
 *
 * Context: process.
 * Return: status of the reply, host order.
 */
typedef u16 (*srnic_sa_fn)(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
			   struct srnic_sa_table *table);

/* sa_create.c */
u16 srnic_sa_create(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		    struct srnic_sa_group **group);

/* sa_path.c, sa_group.c, sa_join.c, sa_node.c */
u16 srnic_sa_get_path(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		      struct srnic_sa_table *table);
u16 srnic_sa_get_member(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
			struct srnic_sa_table *table);
u16 srnic_sa_join(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		  struct srnic_sa_table *table);
u16 srnic_sa_leave(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		   struct srnic_sa_table *table);
u16 srnic_sa_get_class_port_info(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
				 struct srnic_sa_table *table);
u16 srnic_sa_get_node(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		      struct srnic_sa_table *table);
u16 srnic_sa_get_port(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		      struct srnic_sa_table *table);

/* sa_multipath.c */
u16 srnic_sa_get_multipath(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
			   struct srnic_sa_table *table);

/* sa_inform.c */
u16 srnic_sa_set_inform_info(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
			     struct srnic_sa_table *table);
u16 srnic_sa_get_subscriptions(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
			       struct srnic_sa_table *table);

/* sa_service.c */
u16 srnic_sa_set_service(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
			 struct srnic_sa_table *table);
u16 srnic_sa_get_service(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
			 struct srnic_sa_table *table);
u16 srnic_sa_delete_service(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
			    struct srnic_sa_table *table);

/* sa_tables.c */
u16 srnic_sa_get_guids(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		       struct srnic_sa_table *table);
u16 srnic_sa_get_pkeys(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		       struct srnic_sa_table *table);
u16 srnic_sa_get_sm(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		    struct srnic_sa_table *table);
u16 srnic_sa_get_none(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		      struct srnic_sa_table *table);

/* sa_group.c: under fabric->sa.lock */
struct srnic_sa_group *srnic_sa_group_find(struct srnic_fabric *fabric, const union ib_gid *mgid);
struct srnic_sa_group *srnic_sa_group_add(struct srnic_fabric *fabric,
					  const struct srnic_sa_member *rec);
void srnic_sa_group_remove(struct srnic_fabric *fabric, struct srnic_sa_group *group);
void srnic_sa_group_record(const struct srnic_fabric *fabric, const struct srnic_sa_group *group,
			   struct srnic_sa_member *rec);
bool srnic_sa_group_match(const struct ib_sa_mad *in, const struct srnic_sa_member *rec);
bool srnic_sa_member_match(const struct ib_sa_mad *in, const struct srnic_sa_member *rec);

/* sa_ipoib.c: groups of IP over InfiniBand (RFC 4391) */
bool srnic_sa_is_ipoib(const union ib_gid *mgid);
struct srnic_sa_group *srnic_sa_broadcast(struct srnic_fabric *fabric, const union ib_gid *mgid);
u16 srnic_sa_ipoib_check(struct srnic_fabric *fabric, const struct srnic_sa_member *rec);

#endif /* SRNIC_FABRIC_SA_H */
