// SPDX-License-Identifier: GPL-2.0
/*
 * Multicast groups of IP over InfiniBand (RFC 4391, section 4). Their MGIDs are
 *
 *	ff, flags and scope, 401b (IPv4) or 601b (IPv6), P_Key, 80 bits of the group
 *
 * The broadcast group of a partition determines the parameters of the others.
 */
#include "fabric/sa.h"

#define IPV4_SIGNATURE	0x401b
#define IPV6_SIGNATURE	0x601b

#define FLAGS_SCOPE	1	/* offset in an MGID */
#define SIGNATURE	2
#define PKEY		4
#define GROUP		12

/* Transient, link-local: the only scope in use (RFC 4391, section 4.1). */
#define LINK_LOCAL	0x12
#define SCOPE_LINK	(2 << 4)	/* in scope_state */

/*
 * opensm's Q_Key, with the high bit: only the privileged may use it
 * (RFC 4391, sections 4.1 and 13).
 */
#define BROADCAST_QKEY	0x80000b1b

/* Tell whether an MGID is that of IP over InfiniBand. */
bool srnic_sa_is_ipoib(const union ib_gid *mgid)
{
	u16 signature = get_unaligned_be16(mgid->raw + SIGNATURE);

	return mgid->raw[0] == 0xff &&
	       (signature == IPV4_SIGNATURE || signature == IPV6_SIGNATURE);
}

static void fill_broadcast(const struct srnic_fabric *fabric, struct srnic_sa_member *rec,
			   const union ib_gid *mgid, u16 pkey)
{
	memset(rec, 0, sizeof(*rec));
	rec->mgid = *mgid;
	rec->qkey = cpu_to_be32(BROADCAST_QKEY);
	rec->mtu = SRNIC_SA_EXACTLY(fabric->dev->ib_mtu);
	rec->pkey = cpu_to_be16(pkey);
	rec->rate = SRNIC_SA_EXACTLY(SRNIC_SA_RATE);
	rec->life = SRNIC_SA_EXACTLY(SRNIC_SA_LIFE);
	/* SL and flow label 0 */
	rec->sl_flow_hop = cpu_to_be32(SRNIC_SA_HOP_LIMIT);
	rec->scope_state = SCOPE_LINK;
}

/**
 * srnic_sa_broadcast() - Return the broadcast group of a partition
 * @fabric: the port
 * @mgid: any group of IP over InfiniBand in the partition
 *
 * The group exists without members in each partition that the port is a full
 * member of: it is created when it is first needed.
 *
 * Context: process; under fabric->sa.lock.
 * Return: the group; NULL if the scope of @mgid is another or the port is no
 * full member, or if there are too many groups.
 */
struct srnic_sa_group *srnic_sa_broadcast(struct srnic_fabric *fabric, const union ib_gid *mgid)
{
	u16 pkey = get_unaligned_be16(mgid->raw + PKEY);
	union ib_gid broadcast = { .raw = { 0xff, LINK_LOCAL } };
	struct srnic_sa_group *group;
	struct srnic_sa_member rec;

	if (mgid->raw[FLAGS_SCOPE] != LINK_LOCAL || !(pkey & SRNIC_PKEY_FULL) ||
	    !srnic_fabric_has_pkey(fabric, pkey))
		return NULL;
	put_unaligned_be16(IPV4_SIGNATURE, broadcast.raw + SIGNATURE);
	put_unaligned_be16(pkey, broadcast.raw + PKEY);
	memset(broadcast.raw + GROUP, 0xff, 4);

	group = srnic_sa_group_find(fabric, &broadcast);
	if (!group) {
		fill_broadcast(fabric, &rec, &broadcast, pkey);
		group = srnic_sa_group_add(fabric, &rec);
	}
	if (group)
		group->permanent = true;
	return group;
}

/*
 * Let the broadcast groups of partitions that the port has left go: at once, or with the last
 * member, which leaves when it learns that the P_Key is gone.
 *
 * Context: process.
 */
void srnic_sa_pkeys_changed(struct srnic_fabric *fabric)
{
	struct srnic_sa_group *group, *next;

	mutex_lock(&fabric->sa.lock);
	list_for_each_entry_safe(group, next, &fabric->sa.groups, node) {
		if (!group->permanent ||
		    srnic_fabric_has_pkey(fabric, be16_to_cpu(group->rec.pkey)))
			continue;
		group->permanent = false;
		if (!(group->rec.scope_state & SRNIC_SA_JOIN_STATE))
			srnic_sa_group_remove(fabric, group);
	}
	mutex_unlock(&fabric->sa.lock);
}

/*
 * Give the groups of IP over InfiniBand the port's MTU: those of a partition have that of its
 * broadcast group (RFC 4391, section 10). Others keep theirs, if it is not larger (section 4.1).
 *
 * Context: process; under fabric->sa.lock.
 */
void srnic_sa_mtu_changed(struct srnic_fabric *fabric)
{
	enum ib_mtu mtu = fabric->dev->ib_mtu;
	struct srnic_sa_group *group;

	lockdep_assert_held(&fabric->sa.lock);
	list_for_each_entry(group, &fabric->sa.groups, node)
		if (srnic_sa_is_ipoib(&group->rec.mgid) || SRNIC_SA_VALUE(group->rec.mtu) > mtu)
			group->rec.mtu = SRNIC_SA_EXACTLY(mtu);
}

/* Create the broadcast group of the default P_Key. Return 0 or -ENOMEM. */
int srnic_sa_groups_init(struct srnic_fabric *fabric)
{
	union ib_gid mgid = {
		.raw = { 0xff, 0x12, 0x40, 0x1b, SRNIC_PKEY >> 8, SRNIC_PKEY & 0xff,
			 [12] = 0xff, 0xff, 0xff, 0xff },
	};
	bool created;

	INIT_LIST_HEAD(&fabric->sa.groups);
	mutex_lock(&fabric->sa.lock);
	created = srnic_sa_broadcast(fabric, &mgid);
	mutex_unlock(&fabric->sa.lock);
	return created ? 0 : -ENOMEM;
}

/**
 * srnic_sa_ipoib_check() - Compare a new group with its broadcast group
 * @fabric: the port
 * @rec: record of the new group
 *
 * RFC 4391, section 10: P_Key, Q_Key, SL, MTU and HopLimit MUST be those of the
 * broadcast group; the P_Key in the MGID is that of the group (section 4).
 *
 * Context: process; under fabric->sa.lock.
 * Return: status of the reply.
 */
u16 srnic_sa_ipoib_check(struct srnic_fabric *fabric, const struct srnic_sa_member *rec)
{
	const struct srnic_sa_group *broadcast = srnic_sa_broadcast(fabric, &rec->mgid);
	__be32 flow = cpu_to_be32(SRNIC_SA_FLOW);

	if (!broadcast)
		return SRNIC_SA_REQ_INVALID;
	if (rec->pkey != broadcast->rec.pkey || rec->qkey != broadcast->rec.qkey ||
	    rec->mtu != broadcast->rec.mtu ||
	    (rec->sl_flow_hop & ~flow) != (broadcast->rec.sl_flow_hop & ~flow))
		return SRNIC_SA_REQ_INVALID;
	return SRNIC_SA_OK;
}
