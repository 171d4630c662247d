// SPDX-License-Identifier: GPL-2.0
/*
 * MultiPathRecord (IBA 15.2.5.20): the paths between several sources and
 * destinations, each of them as a request of PathRecord has it.
 */
#include <linux/slab.h>
#include <linux/string.h>
#include "fabric/sa.h"

/* MultiPathRecord: its members up to @life are those of PathRecord */
struct multipath {
	__be32 flow_hop;
	u8 tclass;
	u8 numb_path;
	__be16 pkey;
	__be16 qos_sl;
	u8 mtu;
	u8 rate;
	u8 life;
	u8 service_id_high;
	u8 independence;
	u8 sgid_count;
	u8 dgid_count;
	u8 service_id_low[7];
	union ib_gid gids[];	/* sources, then destinations */
} __packed;

static_assert(sizeof(struct multipath) == 24);

/* Components */
#define NUMB_PATH	IB_SA_COMP_MASK(6)
#define GID_COUNTS	(IB_SA_COMP_MASK(19) | IB_SA_COMP_MASK(20))

/* Components 0 to 15 are 6 to 21 of PathRecord, and in the same place of it. */
#define PATH_COMPONENTS	0xffff
#define PATH_SHIFT	6
#define PATH_LEN	offsetofend(struct multipath, life)

#define PATHS		0x7f	/* of numb_path */

/* GIDs in one MAD; a request with more is not answered in part, but refused */
#define GIDS_MAX	((IB_MGMT_SA_DATA - sizeof(struct multipath)) / sizeof(union ib_gid))

/* Number of GIDs that a request has, 0 if it is invalid */
static unsigned int count_gids(const struct multipath *want)
{
	unsigned int n = want->sgid_count + want->dgid_count, i;

	if (!want->sgid_count || !want->dgid_count || n > GIDS_MAX)
		return 0;
	for (i = 0; i < n; i++)
		if (rdma_is_multicast_addr((struct in6_addr *)want->gids[i].raw))
			return 0;
	return n;
}

/* Make a request of PathRecord of what all paths have in common. */
static void begin_path(const struct ib_sa_mad *in, struct ib_sa_mad *one)
{
	u64 common = be64_to_cpu((__force __be64)in->sa_hdr.comp_mask) & PATH_COMPONENTS;

	one->sa_hdr.comp_mask = (__force ib_sa_comp_mask)cpu_to_be64(common << PATH_SHIFT);
	one->sa_hdr.comp_mask |= IB_SA_PATH_REC_SGID | IB_SA_PATH_REC_DGID;
	memcpy(one->data + offsetof(struct srnic_sa_path, flow_hop), in->data, PATH_LEN);
}

/**
 * srnic_sa_get_multipath() - Answer a GetMulti of MultiPathRecord
 * @fabric: the port
 * @in: the request
 * @table: path records of the reply: those of this node's sources
 *
 * Context: process.
 * Return: status of the reply.
 */
u16 srnic_sa_get_multipath(struct srnic_fabric *fabric, const struct ib_sa_mad *in,
			   struct srnic_sa_table *table)
{
	const struct multipath *want = (const void *)in->data;
	unsigned int n = count_gids(want), limit = GIDS_MAX * GIDS_MAX, s, d;
	struct srnic_sa_path *path;
	struct ib_sa_mad *one;
	u16 status = SRNIC_SA_OK;

	if (!srnic_sa_has(in, GID_COUNTS))
		return SRNIC_SA_INSUFFICIENT;
	if (!n)
		return SRNIC_SA_REQ_INVALID;
	if (srnic_sa_has(in, NUMB_PATH))
		limit = want->numb_path & PATHS;
	one = kzalloc(sizeof(*one), GFP_KERNEL);
	if (!one)
		return SRNIC_SA_NO_RESOURCES;

	begin_path(in, one);
	path = (void *)one->data;
	for (s = 0; s < want->sgid_count; s++)
		for (d = want->sgid_count; d < n && table->count < limit && !status; d++) {
			path->sgid = want->gids[s];
			path->dgid = want->gids[d];
			status = srnic_sa_get_path(fabric, one, table);
		}
	kfree(one);
	return status;
}
