// SPDX-License-Identifier: GPL-2.0
/*
 * Creating a multicast group: a Set of MCMemberRecord for a group that does not
 * exist (IBA 15.2.5.17.2).
 */
#include <linux/string.h>
#include <rdma/ib_cache.h>
#include "fabric/sa.h"

/* IBA 15.2.5.17.2: the creator of a group must determine these components */
#define CREATE_COMPONENTS	(IB_SA_MCMEMBER_REC_MGID |		\
				 IB_SA_MCMEMBER_REC_PORT_GID |		\
				 IB_SA_MCMEMBER_REC_JOIN_STATE |	\
				 IB_SA_MCMEMBER_REC_PKEY |		\
				 IB_SA_MCMEMBER_REC_QKEY |		\
				 IB_SA_MCMEMBER_REC_SL |		\
				 IB_SA_MCMEMBER_REC_FLOW_LABEL |	\
				 IB_SA_MCMEMBER_REC_TRAFFIC_CLASS)

/*
 * Members that can create a group. A send-only full member can: the receivers
 * are members at other nodes, which this SA does not know.
 */
#define CREATORS	(BIT(FULLMEMBER_JOIN) | BIT(SENDONLY_FULLMEMBER_JOIN))

#define NO_LIFE		0xff	/* more than the component has bits for */

#define SCOPE_SHIFT	4	/* in scope_state */
/* Scopes, RFC 4291, 2.7 */
#define NODE_LOCAL	1
#define LINK_LOCAL	2

/* In the second byte of an MGID: flags, of which T alone has a meaning, and scope */
#define MGID_RESERVED	0xe0
#define MGID_SCOPE	0x0f

#define MGID_OWN	0xff10a01b	/* the first bytes, apart from the scope */

/* MGIDs of the SA's own choice: ff1, scope, a01b, P_Key, number (as those of opensm) */
static void mgid_choose(struct srnic_fabric *fabric, union ib_gid *mgid, u8 scope, __be16 pkey)
{
	do {
		memset(mgid, 0, sizeof(*mgid));
		put_unaligned_be32(MGID_OWN | scope << 16, mgid->raw);
		put_unaligned(pkey, (__be16 *)(mgid->raw + 4));
		put_unaligned_be32(++fabric->sa.next_mgid, mgid->raw + 12);
	} while (srnic_sa_group_find(fabric, mgid));
}

/*
 * Tell whether a request may name a new group so. Scope 0 is reserved, and scope 1 does not leave
 * the node; opensm takes 15, though it is reserved, too. Only the SA makes MGIDs that look like
 * those of its own choice.
 */
static bool mgid_may_be_named(const union ib_gid *mgid)
{
	u32 begin = get_unaligned_be32(mgid->raw);

	return mgid->raw[0] == 0xff && !(mgid->raw[1] & MGID_RESERVED) &&
	       (mgid->raw[1] & MGID_SCOPE) > NODE_LOCAL &&
	       (begin & ~(MGID_SCOPE << 16)) != MGID_OWN;
}

/* Choose the MTU of a new group: the largest that the request and the port allow. 0: none */
static u8 choose_mtu(u8 want, u8 most)
{
	u8 value = SRNIC_SA_VALUE(want), mtu = most;

	if (SRNIC_SA_SELECTOR(want) == IB_SA_EQ)
		mtu = value;
	else if (SRNIC_SA_SELECTOR(want) == IB_SA_LT)
		mtu = min(mtu, value ? value - 1 : 0);
	return mtu <= most && srnic_sa_match_mtu(want, mtu) ? mtu : 0;
}

/* Nothing is paced by the rate of a group, so any may be asked for. 0: none */
static u8 choose_rate(u8 want)
{
	u8 rate = SRNIC_SA_SELECTOR(want) == IB_SA_EQ ? SRNIC_SA_VALUE(want) : SRNIC_SA_RATE;

	return ib_rate_to_mbps(rate) > 0 && srnic_sa_match_rate(want, rate) ? rate : 0;
}

/* Choose the packet life time. 0 is one: 4.096 us */
static u8 choose_life(u8 want)
{
	u8 life = SRNIC_SA_SELECTOR(want) == IB_SA_EQ ? SRNIC_SA_VALUE(want) : SRNIC_SA_LIFE;

	return srnic_sa_match_life(want, life) ? life : NO_LIFE;
}

/* Fill in MTU, rate and life time of a new group from the request. */
static u16 fill_selected(const struct srnic_fabric *fabric, const struct ib_sa_mad *in,
			 struct srnic_sa_member *rec)
{
	const struct srnic_sa_member *want = (const void *)in->data;
	u8 mtu = choose_mtu(srnic_sa_wanted(in, IB_SA_MCMEMBER_REC_MTU_SELECTOR,
					    IB_SA_MCMEMBER_REC_MTU, want->mtu),
			    fabric->dev->ib_mtu);
	u8 rate = choose_rate(srnic_sa_wanted(in, IB_SA_MCMEMBER_REC_RATE_SELECTOR,
					      IB_SA_MCMEMBER_REC_RATE, want->rate));
	u8 life = choose_life(srnic_sa_wanted(in, IB_SA_MCMEMBER_REC_PACKET_LIFE_TIME_SELECTOR,
					      IB_SA_MCMEMBER_REC_PACKET_LIFE_TIME, want->life));

	rec->mtu = SRNIC_SA_EXACTLY(mtu);
	rec->rate = SRNIC_SA_EXACTLY(rate);
	rec->life = SRNIC_SA_EXACTLY(life);
	return mtu && rate && life != NO_LIFE ? SRNIC_SA_OK : SRNIC_SA_REQ_INVALID;
}

/*
 * Fill in the MGID and its scope. A request without MGID leaves the choice to the SA; in one with
 * an MGID, this has the scope.
 */
static u16 fill_mgid(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		     struct srnic_sa_member *rec)
{
	const struct srnic_sa_member *want = (const void *)in->data;
	u8 scope = LINK_LOCAL;

	rec->mgid = want->mgid;
	if (!rdma_is_zero_gid(&rec->mgid)) {
		if (!mgid_may_be_named(&rec->mgid))
			return SRNIC_SA_REQ_INVALID;
		rec->scope_state = (rec->mgid.raw[1] & MGID_SCOPE) << SCOPE_SHIFT;
		return SRNIC_SA_OK;
	}
	if (srnic_sa_has(in, IB_SA_MCMEMBER_REC_SCOPE))
		scope = want->scope_state >> SCOPE_SHIFT;
	if (scope <= NODE_LOCAL)
		return SRNIC_SA_REQ_INVALID;
	mgid_choose(fabric, &rec->mgid, scope, rec->pkey);
	rec->scope_state = scope << SCOPE_SHIFT;
	return SRNIC_SA_OK;
}

/* Fill in the record of a new group from the request. */
static u16 fill_group(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		      struct srnic_sa_member *rec)
{
	const struct srnic_sa_member *want = (const void *)in->data;
	u16 status;

	memset(rec, 0, sizeof(*rec));
	status = fill_selected(fabric, in, rec);
	if (status)
		return status;
	rec->qkey = want->qkey;
	rec->tclass = want->tclass;
	rec->pkey = want->pkey | cpu_to_be16(SRNIC_PKEY_FULL);
	rec->sl_flow_hop = want->sl_flow_hop;
	if (!srnic_sa_has(in, IB_SA_MCMEMBER_REC_HOP_LIMIT)) {
		rec->sl_flow_hop &= cpu_to_be32(~SRNIC_SA_HOP);
		rec->sl_flow_hop |= cpu_to_be32(SRNIC_SA_HOP_LIMIT);
	}
	return fill_mgid(fabric, in, rec);
}

/**
 * srnic_sa_create() - Create the group that a request describes
 * @fabric: the port
 * @in: the request, whose member has been checked
 * @group: the group, without members
 *
 * Context: process; under fabric->sa.lock.
 * Return: status of the reply.
 */
u16 srnic_sa_create(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		    struct srnic_sa_group **group)
{
	const struct srnic_sa_member *want = (const void *)in->data;
	struct srnic_sa_member rec;
	u16 status;

	if (!(want->scope_state & CREATORS))
		return SRNIC_SA_REQ_INVALID;
	if (!srnic_sa_has(in, CREATE_COMPONENTS))
		return SRNIC_SA_INSUFFICIENT;
	status = fill_group(fabric, in, &rec);
	if (status)
		return status;
	if (!srnic_fabric_has_pkey(fabric, be16_to_cpu(rec.pkey)))
		return SRNIC_SA_REQ_INVALID;
	if (srnic_sa_is_ipoib(&rec.mgid)) {
		status = srnic_sa_ipoib_check(fabric, &rec);
		if (status)
			return status;
	}
	*group = srnic_sa_group_add(fabric, &rec);
	return *group ? SRNIC_SA_OK : SRNIC_SA_NO_RESOURCES;
}
