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
#define SCOPE_OF_MGID	0x0f	/* in its second byte */
#define LINK_LOCAL	2	/* the scope */

/* MGIDs of the SA's own choice: ff1, scope, a01b, P_Key, number (as those of opensm) */
static void mgid_choose(struct srnic_fabric *fabric, union ib_gid *mgid, u8 scope, __be16 pkey)
{
	do {
		memset(mgid, 0, sizeof(*mgid));
		put_unaligned_be32(0xff10a01b | scope << 16, mgid->raw);
		put_unaligned(pkey, (__be16 *)(mgid->raw + 4));
		put_unaligned_be32(++fabric->sa.next_mgid, mgid->raw + 12);
	} while (srnic_sa_group_find(fabric, mgid));
}

/* Scopes 0 and 15 are reserved, and scope 1 does not leave the node (RFC 4291, 2.7). */
static bool mgid_valid(const union ib_gid *mgid)
{
	u8 scope = mgid->raw[1] & SCOPE_OF_MGID;

	return mgid->raw[0] == 0xff && scope > 1 && scope < 15;
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

/* Fill in the MGID and its scope. A request without MGID leaves the choice to the SA. */
static u16 fill_mgid(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		     struct srnic_sa_member *rec)
{
	const struct srnic_sa_member *want = (const void *)in->data;
	bool has_scope = srnic_sa_has(in, IB_SA_MCMEMBER_REC_SCOPE);
	u8 scope = want->scope_state >> SCOPE_SHIFT;

	rec->mgid = want->mgid;
	if (rdma_is_zero_gid(&rec->mgid))
		mgid_choose(fabric, &rec->mgid, has_scope ? scope : LINK_LOCAL, rec->pkey);
	if (!mgid_valid(&rec->mgid))
		return SRNIC_SA_REQ_INVALID_GID;
	if (has_scope && scope != (rec->mgid.raw[1] & SCOPE_OF_MGID))
		return SRNIC_SA_REQ_INVALID;
	rec->scope_state = (rec->mgid.raw[1] & SCOPE_OF_MGID) << SCOPE_SHIFT;
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
