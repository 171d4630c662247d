// SPDX-License-Identifier: GPL-2.0
/*
 * The SA's multicast groups, and requests that read them. This port is the only
 * possible member of a group, so its join state is kept in the group's record.
 */
#include <linux/slab.h>
#include "wire/wire.h"
#include "fabric/sa.h"

#define FIELD(comp_bit, member, length, bits)				\
	SRNIC_SA_FIELD(comp_bit, struct srnic_sa_member, member, 0, length, bits)

#define HOP_BYTE	3	/* of sl_flow_hop */

/* Components of MCMemberRecord, IBA 15.2.5.17; those of the group first */
static const struct srnic_sa_field fields[] = {
	FIELD(0, mgid, 16, 0xff),
	FIELD(2, qkey, 4, 0xff),
	FIELD(3, mlid, 2, 0xff),
	FIELD(6, tclass, 1, 0xff),
	FIELD(7, pkey, 2, 0x7f),	/* without the membership bit */
	FIELD(12, sl_flow_hop, 1, 0xf0),
	FIELD(13, sl_flow_hop, 3, 0x0f),
	SRNIC_SA_FIELD(14, struct srnic_sa_member, sl_flow_hop, HOP_BYTE, 1, 0xff),
	FIELD(15, scope_state, 1, 0xf0),
#define GROUP_FIELDS 9
	FIELD(1, port_gid, 16, 0xff),
	FIELD(16, scope_state, 1, 0x0f),
	FIELD(17, proxy_join, 1, 0x80),
};

/* Tell whether a group has the parameters that a request names. */
bool srnic_sa_group_match(const struct ib_sa_mad *in, const struct srnic_sa_member *rec)
{
	const struct srnic_sa_member *want = (const void *)in->data;
	u8 mtu = srnic_sa_wanted(in, IB_SA_MCMEMBER_REC_MTU_SELECTOR, IB_SA_MCMEMBER_REC_MTU,
				 want->mtu);
	u8 rate = srnic_sa_wanted(in, IB_SA_MCMEMBER_REC_RATE_SELECTOR, IB_SA_MCMEMBER_REC_RATE,
				  want->rate);
	u8 life = srnic_sa_wanted(in, IB_SA_MCMEMBER_REC_PACKET_LIFE_TIME_SELECTOR,
				  IB_SA_MCMEMBER_REC_PACKET_LIFE_TIME, want->life);

	return srnic_sa_match(in, fields, GROUP_FIELDS, rec) &&
	       srnic_sa_match_mtu(mtu, SRNIC_SA_VALUE(rec->mtu)) &&
	       srnic_sa_match_rate(rate, SRNIC_SA_VALUE(rec->rate)) &&
	       srnic_sa_match_life(life, SRNIC_SA_VALUE(rec->life));
}

/* As srnic_sa_group_match(), and the membership, too. */
bool srnic_sa_member_match(const struct ib_sa_mad *in, const struct srnic_sa_member *rec)
{
	return srnic_sa_match(in, fields + GROUP_FIELDS, ARRAY_SIZE(fields) - GROUP_FIELDS, rec) &&
	       srnic_sa_group_match(in, rec);
}

/* Context: under fabric->sa.lock. */
struct srnic_sa_group *srnic_sa_group_find(struct srnic_fabric *fabric, const union ib_gid *mgid)
{
	struct srnic_sa_group *group;

	lockdep_assert_held(&fabric->sa.lock);
	list_for_each_entry(group, &fabric->sa.groups, node)
		if (srnic_gid_equal(group->rec.mgid.raw, mgid->raw))
			return group;
	return NULL;
}

/*
 * Add a group, with the MLID that follows from its MGID. Return NULL if there
 * are too many, or no memory.
 *
 * Context: process; under fabric->sa.lock.
 */
struct srnic_sa_group *srnic_sa_group_add(struct srnic_fabric *fabric,
					  const struct srnic_sa_member *rec)
{
	struct srnic_sa_group *group;

	lockdep_assert_held(&fabric->sa.lock);
	if (fabric->sa.count == SRNIC_FABRIC_GROUPS)
		return NULL;
	group = kzalloc(sizeof(*group), GFP_KERNEL);
	if (!group)
		return NULL;
	group->rec = *rec;
	group->rec.mlid = cpu_to_be16(srnic_mgid_lid(rec->mgid.raw));
	list_add_tail(&group->node, &fabric->sa.groups);
	fabric->sa.count++;
	return group;
}

/* Context: under fabric->sa.lock. */
void srnic_sa_group_remove(struct srnic_fabric *fabric, struct srnic_sa_group *group)
{
	lockdep_assert_held(&fabric->sa.lock);
	list_del(&group->node);
	fabric->sa.count--;
	kfree(group);
}

/*
 * Fill in the record of the group and its member. A group without one has
 * neither PortGID nor JoinState.
 */
void srnic_sa_group_record(const struct srnic_fabric *fabric, const struct srnic_sa_group *group,
			   struct srnic_sa_member *rec)
{
	*rec = group->rec;
	if (rec->scope_state & SRNIC_SA_JOIN_STATE)
		rec->port_gid = fabric->gid;
}

void srnic_sa_groups_free(struct srnic_fabric *fabric)
{
	struct srnic_sa_group *group, *next;

	mutex_lock(&fabric->sa.lock);
	list_for_each_entry_safe(group, next, &fabric->sa.groups, node)
		srnic_sa_group_remove(fabric, group);
	mutex_unlock(&fabric->sa.lock);
}

/**
 * srnic_sa_get_member() - Answer a Get or GetTable of MCMemberRecord
 * @fabric: the port
 * @in: the request
 * @table: records of the reply
 *
 * Context: process.
 * Return: status of the reply.
 */
u16 srnic_sa_get_member(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
			struct srnic_sa_table *table)
{
	struct srnic_sa_group *group;
	struct srnic_sa_member rec;
	u16 status = SRNIC_SA_OK;

	mutex_lock(&fabric->sa.lock);
	list_for_each_entry(group, &fabric->sa.groups, node) {
		srnic_sa_group_record(fabric, group, &rec);
		if (srnic_sa_member_match(in, &rec))
			status = srnic_sa_table_add(table, &rec);
		if (status)
			break;
	}
	mutex_unlock(&fabric->sa.lock);
	return status;
}
