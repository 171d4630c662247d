// SPDX-License-Identifier: GPL-2.0
/*
 * Joining and leaving multicast groups: Set and Delete of MCMemberRecord
 * (IBA 15.2.5.17).
 */
#include <linux/string.h>
#include "fabric/sa.h"

#define JOIN_COMPONENTS		(IB_SA_MCMEMBER_REC_MGID |		\
				 IB_SA_MCMEMBER_REC_PORT_GID |		\
				 IB_SA_MCMEMBER_REC_JOIN_STATE)

#define PROXY_JOIN	0x80

/* Check the member that a request names: it must be this port, for itself. */
static u16 check_member(const struct srnic_fabric *fabric, const struct ib_sa_mad *in)
{
	const struct srnic_sa_member *want = (const void *)in->data;

	if (!srnic_sa_has(in, JOIN_COMPONENTS))
		return SRNIC_SA_INSUFFICIENT;
	if (memcmp(&want->port_gid, &fabric->gid, sizeof(fabric->gid)))
		return SRNIC_SA_REQ_INVALID_GID;
	if (!(want->scope_state & SRNIC_SA_JOIN_STATE))
		return SRNIC_SA_REQ_INVALID;
	if (srnic_sa_has(in, IB_SA_MCMEMBER_REC_PROXY_JOIN) && want->proxy_join & PROXY_JOIN)
		return SRNIC_SA_REQ_INVALID;
	return SRNIC_SA_OK;
}

/* Let @apply change the membership that a request names. */
static u16 change_membership(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
			     struct srnic_sa_table *table, srnic_sa_fn apply)
{
	u16 status = check_member(fabric, in);

	if (status)
		return status;
	mutex_lock(&fabric->sa.lock);
	status = apply(fabric, in, table);
	mutex_unlock(&fabric->sa.lock);
	return status;
}

static struct srnic_sa_group *lookup_group(struct srnic_fabric *fabric, const union ib_gid *mgid)
{
	/* the broadcast group of a partition is there before the first join */
	if (srnic_sa_is_ipoib(mgid))
		srnic_sa_broadcast(fabric, mgid);
	return srnic_sa_group_find(fabric, mgid);
}

static u16 join_group(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		      struct srnic_sa_table *table)
{
	const struct srnic_sa_member *want = (const void *)in->data;
	struct srnic_sa_group *group = lookup_group(fabric, &want->mgid);
	struct srnic_sa_member rec;
	u16 status = SRNIC_SA_OK;

	if (!group)
		status = srnic_sa_create(fabric, in, &group);
	else if (!srnic_sa_group_match(in, &group->rec) ||
		 !srnic_fabric_has_pkey(fabric, be16_to_cpu(group->rec.pkey)))
		status = SRNIC_SA_REQ_INVALID;
	if (status)
		return status;

	group->rec.scope_state |= want->scope_state & SRNIC_SA_JOIN_STATE;
	srnic_sa_group_record(fabric, group, &rec);
	return srnic_sa_table_add(table, &rec);
}

/**
 * srnic_sa_join() - Answer a Set of MCMemberRecord
 * @fabric: the port
 * @in: the request
 * @table: records of the reply: the group's, with all states in which the port
 *	is a member now
 *
 * A group that does not exist is created.
 *
 * Context: process.
 * Return: status of the reply.
 */
u16 srnic_sa_join(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		  struct srnic_sa_table *table)
{
	return change_membership(fabric, in, table, join_group);
}

static u16 leave_group(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		       struct srnic_sa_table *table)
{
	const struct srnic_sa_member *want = (const void *)in->data;
	struct srnic_sa_group *group = srnic_sa_group_find(fabric, &want->mgid);
	u8 state = want->scope_state & SRNIC_SA_JOIN_STATE;
	struct srnic_sa_member rec;

	if (!group || state & ~group->rec.scope_state)
		return SRNIC_SA_REQ_INVALID;
	group->rec.scope_state &= ~state;
	srnic_sa_group_record(fabric, group, &rec);
	if (!group->permanent && !(group->rec.scope_state & SRNIC_SA_JOIN_STATE))
		srnic_sa_group_remove(fabric, group);
	return srnic_sa_table_add(table, &rec);
}

/**
 * srnic_sa_leave() - Answer a Delete of MCMemberRecord
 * @fabric: the port
 * @in: the request
 * @table: records of the reply: the group's, with the states that remain
 *
 * The group goes with its last member, unless it is permanent.
 *
 * Context: process.
 * Return: status of the reply.
 */
u16 srnic_sa_leave(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		   struct srnic_sa_table *table)
{
	return change_membership(fabric, in, table, leave_group);
}
