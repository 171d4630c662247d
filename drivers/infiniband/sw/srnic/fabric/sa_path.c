// SPDX-License-Identifier: GPL-2.0
/*
 * Path records (IBA 15.2.5.16). There is one path to each port of the subnet,
 * and its record follows from the GID: the SA knows no other node, so a record
 * does not show that its destination exists.
 */
#include <linux/string.h>
#include "wire/wire.h"
#include "fabric/sa.h"

#define FIELD(comp_bit, member, length, bits)				\
	SRNIC_SA_FIELD(comp_bit, struct srnic_sa_path, member, 0, length, bits)

/* Components that must be as requested; the others are accepted or have their own check. */
static const struct srnic_sa_field fields[] = {
	FIELD(3, sgid, 16, 0xff),
	FIELD(4, dlid, 2, 0xff),
	FIELD(5, slid, 2, 0xff),
	FIELD(6, flow_hop, 1, 0x80),	/* raw traffic */
	SRNIC_SA_FIELD(9, struct srnic_sa_path, flow_hop, 3, 1, 0xff),
	SRNIC_SA_FIELD(15, struct srnic_sa_path, qos_sl, 1, 1, 0x0f),
};

#define PKEY_BASE	0x7fff
#define ONE_REVERSIBLE	(0x80 | 1)	/* numb_path */
#define SL_SHIFT	28	/* in sl_flow_hop of a group */

/* kbit/s of a lane at each speed, IBA volume 2 */
static const struct {
	u16 speed;
	u32 kbps;
} lanes[] = {
	{ IB_SPEED_SDR, 2500000 },
	{ IB_SPEED_DDR, 5000000 },
	{ IB_SPEED_QDR, 10000000 },
	{ IB_SPEED_FDR10, 10312500 },
	{ IB_SPEED_FDR, 14062500 },
	{ IB_SPEED_EDR, 25781250 },
	{ IB_SPEED_HDR, 53125000 },
	{ IB_SPEED_NDR, 106250000 },
};

/* Choose the fastest rate that the port reaches. */
static u8 port_rate(const struct ib_port_attr *attr)
{
	u8 best = IB_RATE_2_5_GBPS, rate;
	s64 kbps = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(lanes); i++)
		if (attr->active_speed >= lanes[i].speed)
			kbps = (s64)lanes[i].kbps * ib_width_enum_to_int(attr->active_width);
	for (rate = IB_RATE_2_5_GBPS; rate <= IB_RATE_800_GBPS; rate++)
		if (1000LL * ib_rate_to_mbps(rate) <= kbps &&
		    ib_rate_to_mbps(rate) > ib_rate_to_mbps(best))
			best = rate;
	return best;
}

static bool is_multicast(const union ib_gid *gid)
{
	return gid->raw[0] == 0xff;
}

/*
 * Fill in a path to a port. Every traffic class and flow label is accepted: they
 * become those of the underlay's IPv6.
 */
static u16 fill_unicast(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
			struct srnic_sa_path *path)
{
	const struct srnic_sa_path *want = (const void *)in->data;
	struct ib_port_attr attr;

	if (path->dgid.global.subnet_prefix != fabric->gid.global.subnet_prefix)
		return SRNIC_SA_REQ_INVALID_GID;
	if (srnic_fabric_query_port(fabric, &attr))
		return SRNIC_SA_NO_RESOURCES;
	path->dlid = cpu_to_be16(srnic_gid_lid(path->dgid.raw));
	path->mtu = SRNIC_SA_EXACTLY(attr.active_mtu);
	path->rate = SRNIC_SA_EXACTLY(port_rate(&attr));
	path->life = SRNIC_SA_EXACTLY(SRNIC_SA_LIFE);
	path->pkey = cpu_to_be16(SRNIC_PKEY);
	if (srnic_sa_has(in, IB_SA_PATH_REC_PKEY))
		path->pkey = cpu_to_be16(srnic_fabric_own_pkey(fabric, be16_to_cpu(want->pkey)));
	if (srnic_sa_has(in, IB_SA_PATH_REC_TRAFFIC_CLASS))
		path->tclass = want->tclass;
	path->flow_hop = cpu_to_be32(SRNIC_SA_HOP_LIMIT);
	if (srnic_sa_has(in, IB_SA_PATH_REC_FLOW_LABEL))
		path->flow_hop |= want->flow_hop & cpu_to_be32(SRNIC_SA_FLOW);
	return SRNIC_SA_OK;
}

/* Fill in a path to a multicast group: its parameters. */
static u16 fill_multicast(struct srnic_fabric *fabric, struct srnic_sa_path *path)
{
	struct srnic_sa_group *group;
	u32 sl_flow_hop;

	mutex_lock(&fabric->sa.lock);
	group = srnic_sa_group_find(fabric, &path->dgid);
	if (group) {
		sl_flow_hop = be32_to_cpu(group->rec.sl_flow_hop);
		path->dlid = group->rec.mlid;
		path->mtu = group->rec.mtu;
		path->rate = group->rec.rate;
		path->life = group->rec.life;
		path->pkey = group->rec.pkey;
		path->tclass = group->rec.tclass;
		path->flow_hop = cpu_to_be32(sl_flow_hop & (SRNIC_SA_FLOW | SRNIC_SA_HOP));
		path->qos_sl = cpu_to_be16(sl_flow_hop >> SL_SHIFT);
	}
	mutex_unlock(&fabric->sa.lock);
	return group ? SRNIC_SA_OK : SRNIC_SA_NO_RECORDS;
}

/* Fill in the path that a request asks for; without a destination, that to this port. */
static u16 fill_path(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		     struct srnic_sa_path *path)
{
	const struct srnic_sa_path *want = (const void *)in->data;

	memset(path, 0, sizeof(*path));
	path->sgid = fabric->gid;
	path->slid = cpu_to_be16(fabric->lid);
	path->numb_path = ONE_REVERSIBLE;
	if (srnic_sa_has(in, IB_SA_PATH_REC_SERVICE_ID))
		path->service_id = want->service_id;
	path->dgid = srnic_sa_has(in, IB_SA_PATH_REC_DGID) ? want->dgid : fabric->gid;
	return is_multicast(&path->dgid) ? fill_multicast(fabric, path) :
					   fill_unicast(fabric, in, path);
}

static bool path_match(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		       const struct srnic_sa_path *path)
{
	const struct srnic_sa_path *want = (const void *)in->data;
	u8 mtu = srnic_sa_wanted(in, IB_SA_PATH_REC_MTU_SELECTOR, IB_SA_PATH_REC_MTU, want->mtu);
	u8 rate = srnic_sa_wanted(in, IB_SA_PATH_REC_RATE_SELECTOR, IB_SA_PATH_REC_RATE,
				  want->rate);
	u8 life = srnic_sa_wanted(in, IB_SA_PATH_REC_PACKET_LIFE_TIME_SELECTOR,
				  IB_SA_PATH_REC_PACKET_LIFE_TIME, want->life);

	if (srnic_sa_has(in, IB_SA_PATH_REC_PKEY) &&
	    (path->pkey ^ want->pkey) & cpu_to_be16(PKEY_BASE))
		return false;
	return srnic_fabric_own_pkey(fabric, be16_to_cpu(path->pkey)) &&
	       srnic_sa_match(in, fields, ARRAY_SIZE(fields), path) &&
	       srnic_sa_match_mtu(mtu, SRNIC_SA_VALUE(path->mtu)) &&
	       srnic_sa_match_rate(rate, SRNIC_SA_VALUE(path->rate)) &&
	       srnic_sa_match_life(life, SRNIC_SA_VALUE(path->life));
}

/**
 * srnic_sa_get_path() - Answer a Get or GetTable of PathRecord
 * @fabric: the port
 * @in: the request
 * @table: records of the reply
 *
 * Context: process.
 * Return: status of the reply.
 */
u16 srnic_sa_get_path(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
		      struct srnic_sa_table *table)
{
	struct srnic_sa_path path;
	u16 status = fill_path(fabric, in, &path);

	if (status)
		return status;
	return path_match(fabric, in, &path) ? srnic_sa_table_add(table, &path) : SRNIC_SA_OK;
}
