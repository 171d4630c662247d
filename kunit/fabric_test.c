// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of fabric: the SMA, the PMA and the SA of an InfiniBand port, from
 * request to reply. I numbers are requirements of RFC 4391; offsets in records
 * are written as numbers, independently of the structures of fabric.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "fabric/sa.h"

#define LID		0x4996	/* kunit/wire_test.c computes it */
#define BROADCAST_MLID	0xdf36
#define PEER_LID	0x8832

static const union ib_gid own = {
	.raw = { 0xfe, 0x80, [8] = 0x50, 0x54, 0, 0xff, 0xfe, 0x12, 0x34, 0x56 },
};

static const union ib_gid peer = { .raw = { 0xfe, 0x80, [15] = 1 } };

static const union ib_gid broadcast = {
	.raw = { 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, [12] = 0xff, 0xff, 0xff, 0xff },
};

/* 224.0.0.1, and ff02::1 */
static const union ib_gid all_ip4 = { .raw = { 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, [15] = 1 } };
static const union ib_gid all_ip6 = { .raw = { 0xff, 0x12, 0x60, 0x1b, 0xff, 0xff, [15] = 1 } };

/* The port, and the last reply of each agent */
struct world {
	struct srnic_dev *dev;
	struct srnic_fabric *fabric;
	struct ib_mad in;
	struct ib_mad out;
	struct ib_sa_mad request;
	struct ib_sa_mad reply;
	struct srnic_sa_table table;
	enum ib_event_type event;
	unsigned int events;
};

static struct world *the_world;	/* for the functions that the port calls */

static int fake_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	attr->state = IB_PORT_ACTIVE;
	attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	attr->max_mtu = the_world->dev->ib_max_mtu;
	attr->active_mtu = the_world->dev->ib_mtu;
	attr->lid = LID;
	attr->sm_lid = LID;
	attr->subnet_timeout = 18;
	attr->port_cap_flags = the_world->fabric->cap_mask;
	attr->active_width = IB_WIDTH_4X;
	attr->active_speed = IB_SPEED_SDR;
	attr->max_vl_num = 1;
	attr->qkey_viol_cntr = 0x12345;
	return 0;
}

static void note_event(struct srnic_fabric *fabric, enum ib_event_type event)
{
	the_world->event = event;
	the_world->events++;
}

static int fabric_init(struct kunit *test)
{
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, w);
	the_world = w;
	test->priv = w;
	w->dev = kunit_kzalloc(test, sizeof(*w->dev), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w->dev);
	srnic_stat_sets_init(&w->dev->stat_sets);
	w->dev->stats = alloc_percpu(struct srnic_stats);
	KUNIT_ASSERT_TRUE(test, !!w->dev->stats);
	w->dev->pkeys[SRNIC_PKEY_INDEX] = SRNIC_PKEY;
	w->dev->ib_max_mtu = IB_MTU_4096;
	w->dev->ib.ops.query_port = fake_query_port;
	w->dev->ib.node_guid = cpu_to_be64(0x5254000000123456);
	w->dev->ib.attrs.vendor_id = 0x027372;
	w->dev->ib.attrs.vendor_part_id = 0x6e63;
	strscpy(w->dev->ib.node_desc, "a node");
	w->fabric = srnic_fabric_alloc(w->dev, &own);
	KUNIT_ASSERT_NOT_NULL(test, w->fabric);
	w->fabric->notify = note_event;
	w->dev->fabric = w->fabric;
	return 0;
}

static void fabric_exit(struct kunit *test)
{
	struct world *w = test->priv;

	if (!w || !w->dev)
		return;
	srnic_sa_table_free(&w->table);
	srnic_fabric_free(w->fabric);
	free_percpu(w->dev->stats);
}

/* ------------------------------------------------------------- MADs, the SMA */

#define SMP_DATA	64	/* offset in a MAD: of an SMP's data, and of a PMA MAD's */
#define UNSUPPORTED	0x000c
#define INVALID_FIELD	0x001c

/* Begin a MAD in w->in. */
static struct ib_mad_hdr *mad(struct kunit *test, u8 mgmt_class, u8 method, __be16 attr)
{
	struct world *w = test->priv;

	memset(&w->in, 0, sizeof(w->in));
	w->in.mad_hdr.base_version = 1;
	w->in.mad_hdr.class_version = 1;
	w->in.mad_hdr.mgmt_class = mgmt_class;
	w->in.mad_hdr.method = method;
	w->in.mad_hdr.attr_id = attr;
	w->in.mad_hdr.tid = cpu_to_be64(0x1122334455667788);
	return &w->in.mad_hdr;
}

static int process_from(struct kunit *test, const struct ib_wc *wc)
{
	struct world *w = test->priv;
	size_t size = sizeof(w->out);
	u16 pkey_index = 0;

	memset(&w->out, 0, sizeof(w->out));
	return srnic_process_mad(&w->dev->ib, 0, SRNIC_PORT, wc, NULL, &w->in, &w->out, &size,
				 &pkey_index);
}

/* Process w->in, which must have a reply. Return its data. */
static u8 *answered(struct kunit *test, u16 status)
{
	struct world *w = test->priv;

	KUNIT_EXPECT_EQ(test, process_from(test, NULL),
			IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY);
	KUNIT_EXPECT_EQ(test, w->out.mad_hdr.method, IB_MGMT_METHOD_GET_RESP);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(w->out.mad_hdr.status), status);
	KUNIT_EXPECT_TRUE(test, w->out.mad_hdr.tid == w->in.mad_hdr.tid);
	KUNIT_EXPECT_TRUE(test, w->out.mad_hdr.attr_id == w->in.mad_hdr.attr_id);
	return (u8 *)&w->out + SMP_DATA;
}

static u8 *smp_get(struct kunit *test, __be16 attr)
{
	mad(test, IB_MGMT_CLASS_SUBN_LID_ROUTED, IB_MGMT_METHOD_GET, attr);
	return answered(test, 0);
}

/* IBA 14.2.5.2, 14.2.5.3 */
static void node_info_names_node_and_port(struct kunit *test)
{
	u8 *d = smp_get(test, IB_SMP_ATTR_NODE_INFO);

	KUNIT_EXPECT_EQ(test, get_unaligned_be32(d), 0x01010101);	/* versions, CA, ports */
	KUNIT_EXPECT_EQ(test, get_unaligned_be64(d + 12), 0x5254000000123456);
	KUNIT_EXPECT_MEMEQ(test, d + 20, own.raw + 8, 8);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(d + 28), 16);		/* P_Keys */
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(d + 30), 0x6e63);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(d + 36), 0x01027372);	/* port, vendor */
	d = smp_get(test, IB_SMP_ATTR_NODE_DESC);
	KUNIT_EXPECT_STREQ(test, (char *)d, "a node");
}

/* IBA 14.2.5.6 */
static void I18_port_info_is_what_query_port_reports(struct kunit *test)
{
	struct world *w = test->priv;
	u8 *d = smp_get(test, IB_SMP_ATTR_PORT_INFO);

	KUNIT_EXPECT_EQ(test, get_unaligned_be64(d), 0);		/* M_Key */
	KUNIT_EXPECT_MEMEQ(test, d + 8, own.raw, 8);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(d + 16), LID);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(d + 18), LID);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(d + 20), w->fabric->cap_mask);
	KUNIT_EXPECT_EQ(test, d[28], 1);				/* port */
	KUNIT_EXPECT_EQ(test, d[31], IB_WIDTH_4X);
	KUNIT_EXPECT_EQ(test, d[32], IB_SPEED_SDR << 4 | IB_PORT_ACTIVE);
	KUNIT_EXPECT_EQ(test, d[33] >> 4, IB_PORT_PHYS_STATE_LINK_UP);
	KUNIT_EXPECT_EQ(test, d[36] >> 4, IB_MTU_2048);			/* neighbor MTU */
	KUNIT_EXPECT_EQ(test, d[37] >> 4, 1);				/* VLs */
	KUNIT_EXPECT_EQ(test, d[41] & 0xf, IB_MTU_4096);		/* MTU capability */
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(d + 48), 0xffff);	/* violations, at most */
	KUNIT_EXPECT_EQ(test, d[50], 1);				/* GUIDs */
	KUNIT_EXPECT_EQ(test, d[51], 18);				/* subnet timeout */
}

static void another_port_or_block_is_an_invalid_field(struct kunit *test)
{
	__be16 attrs[] = { IB_SMP_ATTR_PORT_INFO, IB_SMP_ATTR_GUID_INFO, IB_SMP_ATTR_PKEY_TABLE };
	int i;

	for (i = 0; i < ARRAY_SIZE(attrs); i++) {
		mad(test, IB_MGMT_CLASS_SUBN_LID_ROUTED, IB_MGMT_METHOD_GET, attrs[i])->attr_mod =
			cpu_to_be32(2);
		answered(test, INVALID_FIELD);
	}
}

static void set_port_info_changes_no_port_value(struct kunit *test)
{
	struct world *w = test->priv;
	u8 before[64];

	memcpy(before, smp_get(test, IB_SMP_ATTR_PORT_INFO), sizeof(before));
	mad(test, IB_MGMT_CLASS_SUBN_LID_ROUTED, IB_MGMT_METHOD_SET, IB_SMP_ATTR_PORT_INFO);
	memset((u8 *)&w->in + SMP_DATA, 0x7f, 64);
	KUNIT_EXPECT_MEMEQ(test, answered(test, 0), before, sizeof(before));
	KUNIT_EXPECT_EQ(test, w->events, 0);
}

/* IBA 14.4.11 */
static void client_reregister_is_an_event_and_acknowledged(struct kunit *test)
{
	struct world *w = test->priv;
	u8 *d;

	mad(test, IB_MGMT_CLASS_SUBN_LID_ROUTED, IB_MGMT_METHOD_SET, IB_SMP_ATTR_PORT_INFO);
	((u8 *)&w->in)[SMP_DATA + 51] = 0x80;
	d = answered(test, 0);
	KUNIT_EXPECT_EQ(test, d[51], 0x80 | 18);
	KUNIT_EXPECT_EQ(test, w->events, 1);
	KUNIT_EXPECT_EQ(test, (u32)w->event, (u32)IB_EVENT_CLIENT_REREGISTER);
	KUNIT_EXPECT_EQ(test, smp_get(test, IB_SMP_ATTR_PORT_INFO)[51], 18);
}

static void I23_gid_0_is_the_prefix_and_the_port_guid(struct kunit *test)
{
	struct world *w = test->priv;
	union ib_gid gid;

	KUNIT_EXPECT_EQ(test, srnic_fabric_query_gid(&w->dev->ib, 1, 0, &gid), 0);
	KUNIT_EXPECT_MEMEQ(test, gid.raw, own.raw, 16);
	KUNIT_EXPECT_EQ(test, srnic_fabric_query_gid(&w->dev->ib, 1, SRNIC_FABRIC_GIDS, &gid),
			-EINVAL);
	KUNIT_EXPECT_MEMEQ(test, smp_get(test, IB_SMP_ATTR_GUID_INFO), own.raw + 8, 8);
	mad(test, IB_MGMT_CLASS_SUBN_LID_ROUTED, IB_MGMT_METHOD_SET, IB_SMP_ATTR_GUID_INFO);
	KUNIT_EXPECT_MEMEQ(test, answered(test, 0), own.raw + 8, 8);
}

static void I7_the_default_pkey_is_full_and_cannot_be_removed(struct kunit *test)
{
	struct world *w = test->priv;
	u16 pkey = 0;
	u8 *d;

	KUNIT_EXPECT_EQ(test, get_unaligned_be16(smp_get(test, IB_SMP_ATTR_PKEY_TABLE)), 0xffff);
	mad(test, IB_MGMT_CLASS_SUBN_LID_ROUTED, IB_MGMT_METHOD_SET, IB_SMP_ATTR_PKEY_TABLE);
	memset((u8 *)&w->in + SMP_DATA, 0x81, 64);
	d = answered(test, 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(d), 0xffff);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(d + 2), 0x8181);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(d + 2 * 16), 0);	/* beyond the table */
	KUNIT_EXPECT_EQ(test, w->events, 1);
	KUNIT_EXPECT_EQ(test, (u32)w->event, (u32)IB_EVENT_PKEY_CHANGE);
	KUNIT_EXPECT_EQ(test, srnic_fabric_query_pkey(&w->dev->ib, 1, 0, &pkey), 0);
	KUNIT_EXPECT_EQ(test, pkey, 0xffff);
	KUNIT_EXPECT_EQ(test, srnic_fabric_query_pkey(&w->dev->ib, 1, 15, &pkey), 0);
	KUNIT_EXPECT_EQ(test, pkey, 0x8181);
	KUNIT_EXPECT_EQ(test, srnic_fabric_query_pkey(&w->dev->ib, 1, 16, &pkey), -EINVAL);
	answered(test, 0);
	KUNIT_EXPECT_EQ(test, w->events, 1);	/* nothing has changed the second time */
}

/* The table as srnic pkey changes it: one entry a partition, in the first free place. */
static void I7_partitions_are_added_and_removed(struct kunit *test)
{
	struct world *w = test->priv;
	u16 pkey;
	int i;

	KUNIT_EXPECT_EQ(test, srnic_fabric_add_pkey(w->fabric, 0x8001), 0);
	KUNIT_EXPECT_EQ(test, srnic_fabric_add_pkey(w->fabric, 0x0002), 0);
	KUNIT_EXPECT_EQ(test, w->events, 2);
	KUNIT_EXPECT_EQ(test, (u32)w->event, (u32)IB_EVENT_PKEY_CHANGE);
	KUNIT_EXPECT_EQ(test, srnic_fabric_query_pkey(&w->dev->ib, 1, 2, &pkey), 0);
	KUNIT_EXPECT_EQ(test, pkey, 2);

	/* neither twice, nor as another kind of member, nor partition 0 */
	KUNIT_EXPECT_EQ(test, srnic_fabric_add_pkey(w->fabric, 0x8001), -EEXIST);
	KUNIT_EXPECT_EQ(test, srnic_fabric_add_pkey(w->fabric, 0x0001), -EEXIST);
	KUNIT_EXPECT_EQ(test, srnic_fabric_add_pkey(w->fabric, 0x7fff), -EEXIST);
	KUNIT_EXPECT_EQ(test, srnic_fabric_add_pkey(w->fabric, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, srnic_fabric_add_pkey(w->fabric, 0x8000), -EINVAL);
	KUNIT_EXPECT_EQ(test, srnic_fabric_del_pkey(w->fabric, 0xffff), -EINVAL);
	KUNIT_EXPECT_EQ(test, srnic_fabric_del_pkey(w->fabric, 0x8003), -ENOENT);
	KUNIT_EXPECT_EQ(test, srnic_fabric_del_pkey(w->fabric, 0x8000), -ENOENT);
	KUNIT_EXPECT_EQ(test, w->events, 2);

	KUNIT_EXPECT_EQ(test, srnic_fabric_del_pkey(w->fabric, 0x0001), 0);
	KUNIT_EXPECT_EQ(test, w->dev->pkeys[1], 0);
	for (i = 0; i < SRNIC_PKEYS - 2; i++)
		KUNIT_EXPECT_EQ(test, srnic_fabric_add_pkey(w->fabric, 0x8010 + i), 0);
	KUNIT_EXPECT_EQ(test, w->dev->pkeys[1], 0x8010);
	KUNIT_EXPECT_EQ(test, srnic_fabric_add_pkey(w->fabric, 0x8100), -ENOSPC);
}

static void I7_a_manager_sets_partitions_twice_or_none(struct kunit *test)
{
	struct world *w = test->priv;
	u8 *set = (u8 *)&w->in + SMP_DATA;

	mad(test, IB_MGMT_CLASS_SUBN_LID_ROUTED, IB_MGMT_METHOD_SET, IB_SMP_ATTR_PKEY_TABLE);
	put_unaligned_be16(0x8001, set + 2);
	put_unaligned_be16(0x8000, set + 4);
	put_unaligned_be16(0x0001, set + 6);
	answered(test, 0);
	KUNIT_EXPECT_EQ(test, w->dev->pkeys[1], 0x8001);
	KUNIT_EXPECT_EQ(test, w->dev->pkeys[2], 0);
	KUNIT_EXPECT_EQ(test, w->dev->pkeys[3], 0x0001);
	KUNIT_EXPECT_EQ(test, srnic_fabric_del_pkey(w->fabric, 0x8001), 0);
	KUNIT_EXPECT_EQ(test, w->dev->pkeys[1], 0);
	KUNIT_EXPECT_EQ(test, w->dev->pkeys[3], 0);
}

static void there_is_one_virtual_lane(struct kunit *test)
{
	u8 zero[64] = {};

	KUNIT_EXPECT_MEMEQ(test, smp_get(test, IB_SMP_ATTR_SL_TO_VL_TABLE), zero, 64);
	KUNIT_EXPECT_MEMEQ(test, smp_get(test, IB_SMP_ATTR_VL_ARB_TABLE), zero, 64);
}

/* IBA 14.2.5.13 */
static void sm_info_is_the_nodes_own_unless_user_space_has_a_manager(struct kunit *test)
{
	struct ib_port_modify props = { .set_port_cap_mask = IB_PORT_SM };
	struct world *w = test->priv;
	u8 *d = smp_get(test, IB_SMP_ATTR_SM_INFO);

	KUNIT_EXPECT_MEMEQ(test, d, own.raw + 8, 8);
	KUNIT_EXPECT_EQ(test, d[20], 3);	/* priority 0, master */
	KUNIT_EXPECT_EQ(test, srnic_fabric_modify_port(&w->dev->ib, 1, 0, &props), 0);
	KUNIT_EXPECT_EQ(test, process_from(test, NULL), IB_MAD_RESULT_SUCCESS);
}

static void modify_port_sets_and_clears_capabilities(struct kunit *test)
{
	struct ib_port_modify props = { .set_port_cap_mask = IB_PORT_CM_SUP };
	struct world *w = test->priv;
	u32 before = w->fabric->cap_mask;

	KUNIT_EXPECT_EQ(test, srnic_fabric_modify_port(&w->dev->ib, 1, 0, &props), 0);
	KUNIT_EXPECT_EQ(test, w->fabric->cap_mask, before | IB_PORT_CM_SUP);
	props = (struct ib_port_modify){ .clr_port_cap_mask = IB_PORT_CM_SUP };
	KUNIT_EXPECT_EQ(test, srnic_fabric_modify_port(&w->dev->ib, 1, 0, &props), 0);
	KUNIT_EXPECT_EQ(test, w->fabric->cap_mask, before);
	KUNIT_EXPECT_EQ(test, srnic_fabric_modify_port(&w->dev->ib, 1, IB_PORT_SHUTDOWN, &props),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, srnic_fabric_modify_port(&w->dev->ib, 2, 0, &props), -EINVAL);
}

/* IBA 13.4.5, 13.4.7 */
static void unsupported_attributes_methods_and_versions_are_refused(struct kunit *test)
{
	mad(test, IB_MGMT_CLASS_SUBN_LID_ROUTED, IB_MGMT_METHOD_GET, IB_SMP_ATTR_SWITCH_INFO);
	answered(test, UNSUPPORTED);
	mad(test, IB_MGMT_CLASS_SUBN_LID_ROUTED, IB_MGMT_METHOD_SET, IB_SMP_ATTR_NODE_DESC);
	answered(test, UNSUPPORTED);
	mad(test, IB_MGMT_CLASS_SUBN_LID_ROUTED, IB_MGMT_METHOD_GET,
	    IB_SMP_ATTR_NODE_DESC)->class_version = 2;
	answered(test, 4);
}

/* IBA 14.2.2 */
static void a_reply_to_a_directed_route_has_the_direction_bit(struct kunit *test)
{
	mad(test, IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE, IB_MGMT_METHOD_GET, IB_SMP_ATTR_NODE_INFO);
	answered(test, 0x8000);
	mad(test, IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE, IB_MGMT_METHOD_GET, IB_SMP_ATTR_SWITCH_INFO);
	answered(test, 0x8000 | UNSUPPORTED);
}

static void responses_and_other_classes_are_left_to_agents(struct kunit *test)
{
	static const struct { u8 mgmt_class, method; } rows[] = {
		{ IB_MGMT_CLASS_SUBN_LID_ROUTED, IB_MGMT_METHOD_GET_RESP },
		{ IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE, IB_MGMT_METHOD_GET_RESP },
		{ IB_MGMT_CLASS_SUBN_LID_ROUTED, IB_MGMT_METHOD_TRAP },
		{ IB_MGMT_CLASS_PERF_MGMT, IB_MGMT_METHOD_GET_RESP },
		{ IB_MGMT_CLASS_SUBN_ADM, IB_SA_METHOD_GET_TABLE },
		{ IB_MGMT_CLASS_SUBN_ADM, IB_MGMT_METHOD_GET_RESP },
		{ IB_MGMT_CLASS_SUBN_ADM, IB_SA_METHOD_DELETE_RESP },
		{ IB_MGMT_CLASS_CM, IB_MGMT_METHOD_SEND },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		mad(test, rows[i].mgmt_class, rows[i].method, IB_SMP_ATTR_NODE_INFO);
		KUNIT_EXPECT_EQ_MSG(test, process_from(test, NULL), IB_MAD_RESULT_SUCCESS,
				    "row %d", i);
	}
	/* IBA 13.4.9: no response */
	mad(test, IB_MGMT_CLASS_SUBN_LID_ROUTED, IB_MGMT_METHOD_TRAP_REPRESS, IB_SMP_ATTR_NOTICE);
	KUNIT_EXPECT_EQ(test, process_from(test, NULL),
			IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED);
}

static u64 foreign(struct kunit *test)
{
	struct world *w = test->priv;

	return srnic_stats_sum(w->dev->stats, SRNIC_STAT_mad_foreign);
}

static void only_this_node_may_manage_the_port(struct kunit *test)
{
	static const struct {
		struct ib_wc wc;
		bool own;
	} rows[] = {
		{ { .slid = LID }, true },
		{ { .slid = 0xffff }, true },	/* local directed route */
		{ { .slid = PEER_LID }, false },
		{ { .slid = LID, .wc_flags = IB_WC_GRH }, false },
		{ { .slid = 0 }, false },
	};
	struct world *w = test->priv;
	u64 dropped = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		KUNIT_EXPECT_EQ(test, srnic_fabric_is_own(w->fabric, &rows[i].wc), rows[i].own);
		mad(test, IB_MGMT_CLASS_SUBN_LID_ROUTED, IB_MGMT_METHOD_GET,
		    IB_SMP_ATTR_NODE_INFO);
		KUNIT_EXPECT_EQ_MSG(test, process_from(test, &rows[i].wc), IB_MAD_RESULT_SUCCESS |
				    (rows[i].own ? IB_MAD_RESULT_REPLY : IB_MAD_RESULT_CONSUMED),
				    "row %d", i);
		dropped += !rows[i].own;
		KUNIT_EXPECT_EQ(test, foreign(test), dropped);
	}
}

/* ------------------------------------------------------------------- the PMA */

#define PORT_SELECT	1
#define COUNTER_SELECT	2

/* Read counters, or set them to zero. Return the data of the reply. */
static u8 *counters(struct kunit *test, u8 method, __be16 attr, u16 select)
{
	struct world *w = test->priv;
	u8 *d = (u8 *)&w->in + SMP_DATA;

	mad(test, IB_MGMT_CLASS_PERF_MGMT, method, attr);
	d[PORT_SELECT] = SRNIC_PORT;
	put_unaligned_be16(select, d + COUNTER_SELECT);
	return answered(test, 0);
}

/* IBA 16.1.3.5, 16.1.4.11 */
static void counters_are_those_of_the_device_and_data_in_words(struct kunit *test)
{
	struct world *w = test->priv;
	u8 *d;

	srnic_count_add(w->dev, sent_bytes, 4000);
	srnic_count_add(w->dev, rcvd_bytes, 400);
	srnic_count_add(w->dev, sent_pkts, 10);
	srnic_count_add(w->dev, rcvd_pkts, 1ULL << 33);
	srnic_count_add(w->dev, link_downed, 300);
	srnic_count_add(w->dev, malformed, 2);
	srnic_count_add(w->dev, icrc_errors, 3);
	srnic_count_add(w->dev, send_err, 4);

	d = counters(test, IB_MGMT_METHOD_GET, IB_PMA_PORT_COUNTERS, 0);
	KUNIT_EXPECT_EQ(test, d[PORT_SELECT], SRNIC_PORT);
	KUNIT_EXPECT_EQ(test, d[7], 0xff);			/* link downed: does not wrap */
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(d + 8), 5);	/* receive errors */
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(d + 14), 4);	/* discards */
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(d + 24), 1000);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(d + 28), 100);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(d + 32), 10);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(d + 36), U32_MAX);

	d = counters(test, IB_MGMT_METHOD_GET, IB_PMA_PORT_COUNTERS_EXT, 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be64(d + 8), 1000);
	KUNIT_EXPECT_EQ(test, get_unaligned_be64(d + 16), 100);
	KUNIT_EXPECT_EQ(test, get_unaligned_be64(d + 24), 10);
	KUNIT_EXPECT_EQ(test, get_unaligned_be64(d + 32), 1ULL << 33);
}

static void only_selected_counters_are_cleared(struct kunit *test)
{
	struct world *w = test->priv;
	u8 *d;

	srnic_count_add(w->dev, sent_pkts, 10);
	srnic_count_add(w->dev, rcvd_pkts, 20);
	d = counters(test, IB_MGMT_METHOD_SET, IB_PMA_PORT_COUNTERS, 0x4000);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(d + 32), 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(d + 36), 20);
	srnic_count_add(w->dev, sent_pkts, 3);
	d = counters(test, IB_MGMT_METHOD_GET, IB_PMA_PORT_COUNTERS_EXT, 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be64(d + 24), 3);
	/* those of rdma statistic go on */
	KUNIT_EXPECT_EQ(test, srnic_stats_sum(w->dev->stats, SRNIC_STAT_sent_pkts), 13);
}

static void other_nodes_may_read_counters_and_not_clear_them(struct kunit *test)
{
	struct ib_wc wc = { .slid = PEER_LID, .wc_flags = IB_WC_GRH };

	counters(test, IB_MGMT_METHOD_GET, IB_PMA_PORT_COUNTERS, 0);
	KUNIT_EXPECT_EQ(test, process_from(test, &wc),
			IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY);
	counters(test, IB_MGMT_METHOD_SET, IB_PMA_PORT_COUNTERS, 0xffff);
	KUNIT_EXPECT_EQ(test, process_from(test, &wc),
			IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED);
	KUNIT_EXPECT_EQ(test, foreign(test), 1);
}

static void counters_of_another_port_are_an_invalid_field(struct kunit *test)
{
	mad(test, IB_MGMT_CLASS_PERF_MGMT, IB_MGMT_METHOD_GET, IB_PMA_PORT_COUNTERS);
	answered(test, INVALID_FIELD);
}

static void the_pma_has_64_bit_counters(struct kunit *test)
{
	u8 *d;

	mad(test, IB_MGMT_CLASS_PERF_MGMT, IB_MGMT_METHOD_GET, IB_PMA_CLASS_PORT_INFO);
	d = answered(test, 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(d), 0x01010400);	/* versions, capabilities */
}

/* The counters of an Ethernet port are no concern of its peers, whose MADs have a completion */
static void an_ethernet_port_shows_its_counters_to_the_kernel_only(struct kunit *test)
{
	struct world *w = test->priv;
	struct ib_wc wc = { .wc_flags = IB_WC_GRH };
	u8 *d;

	w->dev->fabric = NULL;
	srnic_count_add(w->dev, sent_bytes, 4000);
	srnic_count_add(w->dev, send_err, 4);
	d = counters(test, IB_MGMT_METHOD_GET, IB_PMA_PORT_COUNTERS, 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(d + 14), 4);	/* discards */
	d = counters(test, IB_MGMT_METHOD_GET, IB_PMA_PORT_COUNTERS_EXT, 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be64(d + 8), 1000);
	KUNIT_EXPECT_EQ(test, process_from(test, &wc), IB_MAD_RESULT_SUCCESS);
	w->in.mad_hdr.method = IB_MGMT_METHOD_SET;
	KUNIT_EXPECT_EQ(test, process_from(test, NULL), IB_MAD_RESULT_SUCCESS);
	mad(test, IB_MGMT_CLASS_PERF_MGMT, IB_MGMT_METHOD_GET, IB_PMA_CLASS_PORT_INFO);
	d = answered(test, 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(d), 0x01010400);
	mad(test, IB_MGMT_CLASS_SUBN_LID_ROUTED, IB_MGMT_METHOD_GET, IB_SMP_ATTR_NODE_INFO);
	KUNIT_EXPECT_EQ(test, process_from(test, NULL), IB_MAD_RESULT_SUCCESS);
	w->dev->fabric = w->fabric;
}

/* -------------------------------------------------------------------- the SA */

/* Begin a request in w->request. Return its data. */
static u8 *request(struct kunit *test, u8 method, u16 attr, ib_sa_comp_mask mask)
{
	struct world *w = test->priv;

	memset(&w->request, 0, sizeof(w->request));
	w->request.mad_hdr.base_version = 1;
	w->request.mad_hdr.class_version = 2;
	w->request.mad_hdr.mgmt_class = IB_MGMT_CLASS_SUBN_ADM;
	w->request.mad_hdr.method = method;
	w->request.mad_hdr.attr_id = cpu_to_be16(attr);
	w->request.mad_hdr.tid = cpu_to_be64(7);
	w->request.sa_hdr.comp_mask = mask;
	return w->request.data;
}

/* Have the request answered. Return the status. */
static u16 ask(struct kunit *test)
{
	struct world *w = test->priv;

	srnic_sa_table_free(&w->table);
	KUNIT_EXPECT_TRUE(test, srnic_sa_answer(w->fabric, &w->request, &w->reply, &w->table));
	KUNIT_EXPECT_EQ(test, w->reply.mad_hdr.method, w->request.mad_hdr.method == 0x02 ? 0x81 :
			w->request.mad_hdr.method | 0x80);
	KUNIT_EXPECT_TRUE(test, w->reply.mad_hdr.tid == w->request.mad_hdr.tid);
	KUNIT_EXPECT_TRUE(test, w->reply.mad_hdr.attr_id == w->request.mad_hdr.attr_id);
	return be16_to_cpu(w->reply.mad_hdr.status);
}

static void the_sa_has_multicast_and_send_only_full_members(struct kunit *test)
{
	struct world *w = test->priv;

	request(test, IB_MGMT_METHOD_GET, IB_SA_ATTR_CLASS_PORTINFO, 0);
	KUNIT_ASSERT_EQ(test, ask(test), 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(w->reply.data), 0x01020200);
	KUNIT_EXPECT_TRUE(test, get_unaligned_be32(w->reply.data + 4) >> 5 & BIT(12));
}

static void requests_that_the_sa_does_not_know_are_refused(struct kunit *test)
{
	struct world *w = test->priv;

	request(test, IB_MGMT_METHOD_GET, IB_SA_ATTR_TRACE_REC, 0);
	KUNIT_EXPECT_EQ(test, ask(test), UNSUPPORTED);
	request(test, IB_MGMT_METHOD_SET, IB_SA_ATTR_PATH_REC, 0);
	KUNIT_EXPECT_EQ(test, ask(test), UNSUPPORTED);
	request(test, IB_MGMT_METHOD_GET, IB_SA_ATTR_PATH_REC, 0);
	w->request.mad_hdr.class_version = 1;
	KUNIT_EXPECT_EQ(test, ask(test), 4);
	/* a response is never answered */
	request(test, IB_MGMT_METHOD_GET_RESP, IB_SA_ATTR_PATH_REC, 0);
	KUNIT_EXPECT_FALSE(test, srnic_sa_answer(w->fabric, &w->request, &w->reply, &w->table));
}

static void requests_with_one_record_need_no_agent(struct kunit *test)
{
	struct ib_wc wc = { .slid = LID };
	struct world *w = test->priv;

	request(test, IB_MGMT_METHOD_GET, IB_SA_ATTR_NODE_REC, 0);
	memcpy(&w->in, &w->request, sizeof(w->in));
	KUNIT_EXPECT_EQ(test, process_from(test, &wc),
			IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY);
	KUNIT_EXPECT_EQ(test, w->out.mad_hdr.method, IB_MGMT_METHOD_GET_RESP);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(w->out.mad_hdr.status), 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16((u8 *)&w->out + 56), LID);
}

static void the_sa_serves_only_this_node(struct kunit *test)
{
	static const u8 methods[] = {
		IB_MGMT_METHOD_GET, IB_MGMT_METHOD_SET, IB_SA_METHOD_DELETE,
		IB_SA_METHOD_GET_TABLE, IB_SA_METHOD_GET_MULTI,
	};
	struct ib_wc wc = { .slid = LID, .wc_flags = IB_WC_GRH };
	struct world *w = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(methods); i++) {
		request(test, methods[i], IB_SA_ATTR_MC_MEMBER_REC, 0);
		memcpy(&w->in, &w->request, sizeof(w->in));
		KUNIT_EXPECT_EQ(test, process_from(test, &wc),
				IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED);
		KUNIT_EXPECT_EQ(test, foreign(test), i + 1);
	}
}

/* ib_mad keeps the segments of requests for a table, and passes them on */
static void requests_for_a_table_are_for_the_agent(struct kunit *test)
{
	struct ib_wc wc = { .slid = LID };
	struct world *w = test->priv;

	request(test, IB_SA_METHOD_GET_TABLE, IB_SA_ATTR_NODE_REC, 0);
	memcpy(&w->in, &w->request, sizeof(w->in));
	KUNIT_EXPECT_EQ(test, process_from(test, &wc), IB_MAD_RESULT_SUCCESS);
	KUNIT_EXPECT_EQ(test, foreign(test), 0);
}

/* IBA 15.4.1.2: nobody finds the right SM_Key by asking */
static void a_wrong_sm_key_has_no_reply(struct kunit *test)
{
	struct ib_wc wc = { .slid = LID };
	struct world *w = test->priv;

	request(test, IB_MGMT_METHOD_GET, IB_SA_ATTR_NODE_REC, 0);
	w->request.sa_hdr.sm_key = cpu_to_be64(2);
	KUNIT_EXPECT_FALSE(test, srnic_sa_answer(w->fabric, &w->request, &w->reply, &w->table));
	memcpy(&w->in, &w->request, sizeof(w->in));
	KUNIT_EXPECT_EQ(test, process_from(test, &wc),
			IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED);
	w->request.sa_hdr.sm_key = cpu_to_be64(1);
	KUNIT_EXPECT_EQ(test, ask(test), 0);
}

/* Ask for all records of an attribute. Return the number of those that there are. */
static u32 list_of(struct kunit *test, u16 attr)
{
	struct world *w = test->priv;

	request(test, IB_SA_METHOD_GET_TABLE, attr, 0);
	KUNIT_EXPECT_EQ(test, ask(test), 0);
	return w->table.count;
}

/* Subscribe to a trap, or unsubscribe. Return the status. */
static u16 inform(struct kunit *test, bool subscribe, u16 trap, u32 qpn)
{
	u8 *d = request(test, IB_MGMT_METHOD_SET, IB_SA_ATTR_INFORM_INFO, 0);

	d[23] = subscribe;
	put_unaligned_be16(trap, d + 26);
	put_unaligned_be32(qpn << 8, d + 28);
	return ask(test);
}

/* IBA 13.4.8.3 */
static void subscriptions_are_kept_until_they_are_ended(struct kunit *test)
{
	struct world *w = test->priv;

	KUNIT_EXPECT_EQ(test, inform(test, false, 66, 1), SRNIC_SA_REQ_INVALID);
	KUNIT_EXPECT_EQ(test, inform(test, true, 66, 0), 0);
	KUNIT_EXPECT_MEMEQ(test, w->reply.data, w->request.data, 36);
	KUNIT_EXPECT_EQ_MSG(test, inform(test, true, 66, 1), 0, "again");
	KUNIT_EXPECT_EQ(test, inform(test, true, 67, 0), 0);
	KUNIT_ASSERT_EQ(test, list_of(test, IB_SA_ATTR_INFORM_INFO_REC), 2);
	KUNIT_EXPECT_MEMEQ(test, w->table.records, own.raw, 16);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(w->table.records + 24 + 26), 66);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(w->table.records + 24 + 28), 1 << 8);

	KUNIT_EXPECT_EQ_MSG(test, inform(test, false, 66, 0), SRNIC_SA_REQ_INVALID, "QPN");
	KUNIT_EXPECT_EQ(test, inform(test, false, 66, 1), 0);
	KUNIT_EXPECT_EQ(test, list_of(test, IB_SA_ATTR_INFORM_INFO_REC), 1);
}

static void the_number_of_subscriptions_is_bounded(struct kunit *test)
{
	int i;

	for (i = 0; i < SRNIC_FABRIC_SUBSCRIPTIONS; i++)
		KUNIT_ASSERT_EQ(test, inform(test, true, i, 0), 0);
	KUNIT_EXPECT_EQ(test, inform(test, true, i, 0), SRNIC_SA_NO_RESOURCES);
	KUNIT_EXPECT_EQ(test, inform(test, false, 0, 1), 0);
	KUNIT_EXPECT_EQ(test, inform(test, true, i, 0), 0);
}

#define SERVICE		(IB_SA_COMP_MASK(0) | IB_SA_COMP_MASK(1) | IB_SA_COMP_MASK(4) |	\
			 IB_SA_COMP_MASK(5) | IB_SA_COMP_MASK(6))
#define SERVICE_NAME	IB_SA_COMP_MASK(6)
#define FOREVER		0xffffffff

/* Begin a request about a service. Return its data. */
static u8 *service(struct kunit *test, u8 method, ib_sa_comp_mask mask, u64 id, const char *name)
{
	u8 *d = request(test, method, IB_SA_ATTR_SERVICE_REC, mask);

	put_unaligned_be64(id, d);
	memcpy(d + 8, &own, 16);
	put_unaligned_be32(FOREVER, d + 28);
	memcpy(d + 48, name, strlen(name));
	return d;
}

/* Register a service with a key, whose bytes are equal. Return the status. */
static u16 enter(struct kunit *test, u64 id, const char *name, u8 key)
{
	memset(service(test, IB_MGMT_METHOD_SET, SERVICE, id, name) + 32, key, 16);
	return ask(test);
}

static u16 find_service(struct kunit *test, const char *name)
{
	service(test, IB_MGMT_METHOD_GET, SERVICE_NAME, 0, name);
	return ask(test);
}

/* IBA 15.2.5.14 */
static void services_are_found_by_name_until_they_are_deleted(struct kunit *test)
{
	struct world *w = test->priv;

	KUNIT_EXPECT_EQ(test, find_service(test, "a disk"), SRNIC_SA_NO_RECORDS);
	KUNIT_ASSERT_EQ(test, enter(test, 7, "a disk", 0), 0);
	KUNIT_ASSERT_EQ(test, enter(test, 8, "a tape", 0), 0);
	KUNIT_ASSERT_EQ(test, find_service(test, "a disk"), 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be64(w->reply.data), 7);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(w->reply.data + 24), 0xffff);
	KUNIT_EXPECT_EQ(test, list_of(test, IB_SA_ATTR_SERVICE_REC), 2);

	service(test, IB_SA_METHOD_DELETE, SERVICE_NAME, 0, "a disk");
	KUNIT_EXPECT_EQ(test, ask(test), 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be64(w->reply.data), 7);
	KUNIT_EXPECT_EQ(test, find_service(test, "a disk"), SRNIC_SA_NO_RECORDS);
	service(test, IB_SA_METHOD_DELETE, SERVICE_NAME, 0, "a disk");
	KUNIT_EXPECT_EQ(test, ask(test), SRNIC_SA_NO_RECORDS);
}

static void a_change_of_a_service_with_a_key_needs_the_key(struct kunit *test)
{
	struct world *w = test->priv;

	KUNIT_ASSERT_EQ(test, enter(test, 7, "a disk", 0), 0);
	KUNIT_ASSERT_EQ_MSG(test, enter(test, 7, "a disk", 5), 0, "it had none");
	KUNIT_EXPECT_NULL_MSG(test, memchr_inv(w->reply.data + 32, 0, 16), "nobody is told");
	KUNIT_EXPECT_EQ(test, enter(test, 7, "a tape", 0), SRNIC_SA_REQ_INVALID);
	KUNIT_EXPECT_EQ(test, enter(test, 7, "a tape", 6), SRNIC_SA_REQ_INVALID);
	KUNIT_EXPECT_EQ(test, find_service(test, "a tape"), SRNIC_SA_NO_RECORDS);
	KUNIT_EXPECT_EQ(test, enter(test, 7, "a tape", 5), 0);
	KUNIT_EXPECT_EQ(test, find_service(test, "a disk"), SRNIC_SA_NO_RECORDS);
	KUNIT_ASSERT_EQ(test, find_service(test, "a tape"), 0);
	KUNIT_EXPECT_NULL(test, memchr_inv(w->reply.data + 32, 0, 16));
}

static void a_service_ends_with_its_lease(struct kunit *test)
{
	put_unaligned_be32(0, service(test, IB_MGMT_METHOD_SET, SERVICE, 7, "a disk") + 28);
	KUNIT_EXPECT_EQ(test, ask(test), 0);
	KUNIT_EXPECT_EQ(test, find_service(test, "a disk"), SRNIC_SA_NO_RECORDS);
}

static void a_service_needs_an_id_a_gid_and_a_pkey_of_the_port(struct kunit *test)
{
	service(test, IB_MGMT_METHOD_SET, SERVICE & ~IB_SA_COMP_MASK(0), 7, "a disk");
	KUNIT_EXPECT_EQ(test, ask(test), SRNIC_SA_INSUFFICIENT);
	service(test, IB_MGMT_METHOD_SET, SERVICE & ~IB_SA_COMP_MASK(1), 7, "a disk");
	KUNIT_EXPECT_EQ(test, ask(test), SRNIC_SA_INSUFFICIENT);
	put_unaligned_be16(0x8001, service(test, IB_MGMT_METHOD_SET, SERVICE | IB_SA_COMP_MASK(2),
					   7, "a disk") + 24);
	KUNIT_EXPECT_EQ(test, ask(test), SRNIC_SA_REQ_INVALID);
}

static void the_number_of_services_is_bounded(struct kunit *test)
{
	int i;

	for (i = 0; i < SRNIC_FABRIC_SERVICES; i++)
		KUNIT_ASSERT_EQ(test, enter(test, i, "a disk", 0), 0);
	KUNIT_EXPECT_EQ(test, enter(test, i, "a disk", 0), SRNIC_SA_NO_RESOURCES);
	KUNIT_EXPECT_EQ_MSG(test, enter(test, 3, "a tape", 0), 0, "one that is there");
}

/* IBA 15.4.1.2: P_Keys are for trusted requests only */
static void the_sa_has_the_tables_of_this_port(struct kunit *test)
{
	static const u16 none[] = {
		IB_SA_ATTR_SWITCH_REC, IB_SA_ATTR_LINEAR_FDB_REC, IB_SA_ATTR_MCAST_FDB_REC,
		IB_SA_ATTR_LINK_REC,
	};
	struct world *w = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(none); i++)
		KUNIT_EXPECT_EQ(test, list_of(test, none[i]), 0);
	KUNIT_ASSERT_EQ(test, list_of(test, IB_SA_ATTR_GUID_INFO_REC), 1);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(w->table.records), LID);
	KUNIT_EXPECT_MEMEQ(test, w->table.records + 8, own.raw + 8, 8);
	KUNIT_ASSERT_EQ(test, list_of(test, IB_SA_ATTR_SM_INFO_REC), 1);
	KUNIT_EXPECT_MEMEQ(test, w->table.records + 4, own.raw + 8, 8);
	KUNIT_EXPECT_EQ_MSG(test, w->table.records[24], 3, "master");

	request(test, IB_SA_METHOD_GET_TABLE, IB_SA_ATTR_PARTITION_REC, 0);
	KUNIT_EXPECT_EQ(test, ask(test), SRNIC_SA_REQ_INVALID);
	w->request.sa_hdr.sm_key = cpu_to_be64(1);
	KUNIT_ASSERT_EQ(test, ask(test), 0);
	KUNIT_ASSERT_EQ(test, w->table.count, 1);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(w->table.records + 8), 0xffff);
}

static void node_and_port_records_are_this_nodes(struct kunit *test)
{
	struct world *w = test->priv;

	request(test, IB_SA_METHOD_GET_TABLE, IB_SA_ATTR_NODE_REC, 0);
	KUNIT_ASSERT_EQ(test, ask(test), 0);
	KUNIT_ASSERT_EQ(test, w->table.count, 1);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(w->reply.sa_hdr.attr_offset), 14);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(w->table.records), LID);
	KUNIT_EXPECT_STREQ(test, (char *)w->table.records + 44, "a node");

	put_unaligned_be16(PEER_LID, request(test, IB_SA_METHOD_GET_TABLE, IB_SA_ATTR_NODE_REC,
					     IB_SA_COMP_MASK(0)));
	KUNIT_EXPECT_EQ(test, ask(test), 0);
	KUNIT_EXPECT_EQ(test, w->table.count, 0);

	put_unaligned_be16(LID, request(test, IB_MGMT_METHOD_GET, IB_SA_ATTR_PORT_INFO_REC,
					IB_SA_COMP_MASK(0)));
	KUNIT_ASSERT_EQ(test, ask(test), 0);
	KUNIT_EXPECT_EQ(test, w->reply.data[2], 1);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(w->reply.data + 4 + 16), LID);
}

/* --------------------------------------------------------------------- paths */

/* Ask for the path to a GID, with the components that ipoib sends. */
static u8 *path_to(struct kunit *test, const union ib_gid *dgid, ib_sa_comp_mask more)
{
	u8 *d = request(test, IB_MGMT_METHOD_GET, IB_SA_ATTR_PATH_REC,
			IB_SA_PATH_REC_DGID | IB_SA_PATH_REC_SGID | IB_SA_PATH_REC_NUMB_PATH |
			IB_SA_PATH_REC_TRAFFIC_CLASS | IB_SA_PATH_REC_PKEY | more);

	memcpy(d + 8, dgid, 16);
	memcpy(d + 24, &own, 16);
	d[49] = 1;
	put_unaligned_be16(0xffff, d + 50);
	return d;
}

/* IBA 15.2.5.16 */
static void I25_a_path_has_the_label_of_its_destination(struct kunit *test)
{
	struct world *w = test->priv;
	u8 *r = w->reply.data;

	path_to(test, &peer, 0);
	KUNIT_ASSERT_EQ(test, ask(test), 0);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(w->reply.sa_hdr.attr_offset), 8);
	KUNIT_EXPECT_MEMEQ(test, r + 8, peer.raw, 16);
	KUNIT_EXPECT_MEMEQ(test, r + 24, own.raw, 16);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(r + 40), PEER_LID);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(r + 42), LID);
	/* 0 would leave out the GRH; above 1, ib_cm takes the path for one between subnets */
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(r + 44), 1);
	KUNIT_EXPECT_EQ(test, r[48], 0);		/* traffic class */
	KUNIT_EXPECT_EQ(test, r[49] & 0x80, 0x80);	/* reversible */
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(r + 50), 0xffff);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(r + 52), 0);	/* SL */
	KUNIT_EXPECT_EQ(test, r[54], 2 << 6 | IB_MTU_2048);
	KUNIT_EXPECT_EQ(test, r[55], 2 << 6 | IB_RATE_10_GBPS);
	KUNIT_EXPECT_EQ(test, r[56] >> 6, 2);
}

static void a_path_table_has_the_one_path(struct kunit *test)
{
	struct world *w = test->priv;

	path_to(test, &own, 0);
	w->request.mad_hdr.method = IB_SA_METHOD_GET_TABLE;
	KUNIT_ASSERT_EQ(test, ask(test), 0);
	KUNIT_ASSERT_EQ(test, w->table.count, 1);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(w->table.records + 40), LID);
}

static void a_path_has_the_traffic_class_that_is_asked_for(struct kunit *test)
{
	struct world *w = test->priv;

	path_to(test, &peer, 0)[48] = 0x20;
	KUNIT_ASSERT_EQ(test, ask(test), 0);
	KUNIT_EXPECT_EQ(test, w->reply.data[48], 0x20);
}

#define GID_COUNTS	(IB_SA_COMP_MASK(19) | IB_SA_COMP_MASK(20))

/* Ask for the paths from and to these GIDs. Return the status. */
static u16 ask_paths(struct kunit *test, ib_sa_comp_mask mask, const union ib_gid *from,
		     int n_from, const union ib_gid *to, int n_to)
{
	u8 *d = request(test, IB_SA_METHOD_GET_MULTI, IB_SA_ATTR_MULTI_PATH_REC, mask);

	d[4] = 0x20;	/* traffic class */
	d[5] = 2;	/* paths */
	d[15] = n_from;
	d[16] = n_to;
	memcpy(d + 24, from, 16 * n_from);
	memcpy(d + 24 + 16 * n_from, to, 16 * n_to);
	return ask(test);
}

/* IBA 15.2.5.20 */
static void paths_between_several_gids_are_this_nodes(struct kunit *test)
{
	const ib_sa_comp_mask tclass = IB_SA_COMP_MASK(4), limit = IB_SA_COMP_MASK(6);
	const union ib_gid both[] = { own, peer };
	struct world *w = test->priv;

	KUNIT_ASSERT_EQ(test, ask_paths(test, GID_COUNTS | tclass, both, 2, both, 2), 0);
	KUNIT_ASSERT_EQ(test, w->table.count, 2);
	KUNIT_EXPECT_MEMEQ(test, w->table.records + 8, own.raw, 16);
	KUNIT_EXPECT_MEMEQ(test, w->table.records + 64 + 8, peer.raw, 16);
	KUNIT_EXPECT_MEMEQ(test, w->table.records + 64 + 24, own.raw, 16);
	KUNIT_EXPECT_EQ(test, w->table.records[64 + 48], 0x20);
	/* at most as many as are asked for */
	KUNIT_ASSERT_EQ(test, ask_paths(test, GID_COUNTS | limit, both, 1, both, 2), 0);
	KUNIT_EXPECT_EQ(test, w->table.count, 2);
	w->request.data[5] = 1;
	KUNIT_ASSERT_EQ(test, ask(test), 0);
	KUNIT_EXPECT_EQ(test, w->table.count, 1);
}

static void a_request_of_paths_that_is_not_whole_is_refused(struct kunit *test)
{
	const union ib_gid many[] = { own, own, own, own, own, own, own, own, own, own };

	KUNIT_EXPECT_EQ(test, ask_paths(test, 0, &own, 1, &own, 1), SRNIC_SA_INSUFFICIENT);
	KUNIT_EXPECT_EQ(test, ask_paths(test, IB_SA_COMP_MASK(19), &own, 1, &own, 1),
			SRNIC_SA_INSUFFICIENT);
	KUNIT_EXPECT_EQ(test, ask_paths(test, GID_COUNTS, &own, 1, &own, 0), SRNIC_SA_REQ_INVALID);
	KUNIT_EXPECT_EQ(test, ask_paths(test, GID_COUNTS, &own, 0, &own, 1), SRNIC_SA_REQ_INVALID);
	KUNIT_EXPECT_EQ(test, ask_paths(test, GID_COUNTS, &own, 1, many, 10), 0);
	((struct world *)test->priv)->request.data[15] = 2;
	KUNIT_EXPECT_EQ_MSG(test, ask(test), SRNIC_SA_REQ_INVALID, "more than one MAD holds");
	KUNIT_EXPECT_EQ(test, ask_paths(test, GID_COUNTS, &own, 1, &broadcast, 1),
			SRNIC_SA_REQ_INVALID);
	KUNIT_EXPECT_EQ(test, ask_paths(test, GID_COUNTS, &broadcast, 1, &own, 1),
			SRNIC_SA_REQ_INVALID);
}

static void paths_that_do_not_exist_have_no_record(struct kunit *test)
{
	static const union ib_gid elsewhere = { .raw = { 0x20, 0x01, [15] = 1 } };
	u8 *d;

	path_to(test, &elsewhere, 0);
	KUNIT_EXPECT_EQ(test, ask(test), SRNIC_SA_REQ_INVALID_GID);
	d = path_to(test, &peer, 0);
	d[24] ^= 1;	/* the source is another node */
	KUNIT_EXPECT_EQ(test, ask(test), SRNIC_SA_NO_RECORDS);
	put_unaligned_be16(0x8001, path_to(test, &peer, 0) + 50);
	KUNIT_EXPECT_EQ(test, ask(test), SRNIC_SA_NO_RECORDS);
	path_to(test, &peer, IB_SA_PATH_REC_SL)[53] = 1;
	KUNIT_EXPECT_EQ(test, ask(test), SRNIC_SA_NO_RECORDS);
	put_unaligned_be16(1, path_to(test, &peer, IB_SA_PATH_REC_DLID) + 40);
	KUNIT_EXPECT_EQ(test, ask(test), SRNIC_SA_NO_RECORDS);
	path_to(test, &all_ip4, 0);
	KUNIT_EXPECT_EQ(test, ask(test), SRNIC_SA_NO_RECORDS);	/* no such group */
}

/* IBA 10.9.3: a limited member communicates with full ones. */
static void I7_a_path_has_the_ports_own_pkey(struct kunit *test)
{
	struct world *w = test->priv;
	u8 *r = w->reply.data;

	KUNIT_ASSERT_EQ(test, srnic_fabric_add_pkey(w->fabric, 0x0001), 0);
	KUNIT_ASSERT_EQ(test, srnic_fabric_add_pkey(w->fabric, 0x8002), 0);
	put_unaligned_be16(0x8001, path_to(test, &peer, 0) + 50);
	KUNIT_ASSERT_EQ(test, ask(test), 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(r + 50), 0x0001);
	put_unaligned_be16(0x0002, path_to(test, &peer, 0) + 50);
	KUNIT_ASSERT_EQ(test, ask(test), 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(r + 50), 0x8002);
}

static void selectors_select(struct kunit *test)
{
	static const struct {
		u8 at, field;
		u16 status;
	} rows[] = {
		{ 54, IB_SA_EQ << 6 | IB_MTU_2048, 0 },
		{ 54, IB_SA_EQ << 6 | IB_MTU_4096, SRNIC_SA_NO_RECORDS },
		{ 54, IB_SA_GT << 6 | IB_MTU_1024, 0 },
		{ 54, IB_SA_GT << 6 | IB_MTU_2048, SRNIC_SA_NO_RECORDS },
		{ 54, IB_SA_LT << 6 | IB_MTU_4096, 0 },
		{ 54, IB_SA_LT << 6 | IB_MTU_2048, SRNIC_SA_NO_RECORDS },
		{ 54, IB_SA_BEST << 6, 0 },
		/* the number of 5 Gb/s is larger than that of 10, that of 2.5 smaller */
		{ 55, IB_SA_GT << 6 | IB_RATE_5_GBPS, 0 },
		{ 55, IB_SA_GT << 6 | IB_RATE_20_GBPS, SRNIC_SA_NO_RECORDS },
		{ 55, IB_SA_LT << 6 | IB_RATE_5_GBPS, SRNIC_SA_NO_RECORDS },
		{ 55, IB_SA_LT << 6 | IB_RATE_20_GBPS, 0 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		path_to(test, &peer, rows[i].at == 54 ?
			IB_SA_PATH_REC_MTU_SELECTOR | IB_SA_PATH_REC_MTU :
			IB_SA_PATH_REC_RATE_SELECTOR | IB_SA_PATH_REC_RATE)[rows[i].at] =
			rows[i].field;
		KUNIT_EXPECT_EQ_MSG(test, ask(test), rows[i].status, "row %d", i);
	}
}

static void a_path_to_a_group_has_its_parameters(struct kunit *test)
{
	struct world *w = test->priv;

	path_to(test, &broadcast, 0);
	KUNIT_ASSERT_EQ(test, ask(test), 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(w->reply.data + 40), BROADCAST_MLID);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(w->reply.data + 44), 1);
	KUNIT_EXPECT_EQ(test, w->reply.data[54], 2 << 6 | IB_MTU_2048);
}

/* -------------------------------------------------------------------- groups */

#define JOIN	(IB_SA_MCMEMBER_REC_MGID | IB_SA_MCMEMBER_REC_PORT_GID |	\
		 IB_SA_MCMEMBER_REC_PKEY | IB_SA_MCMEMBER_REC_JOIN_STATE)
#define CREATE	(JOIN | IB_SA_MCMEMBER_REC_QKEY | IB_SA_MCMEMBER_REC_MTU_SELECTOR |	\
		 IB_SA_MCMEMBER_REC_MTU | IB_SA_MCMEMBER_REC_TRAFFIC_CLASS |		\
		 IB_SA_MCMEMBER_REC_RATE_SELECTOR | IB_SA_MCMEMBER_REC_RATE |		\
		 IB_SA_MCMEMBER_REC_SL | IB_SA_MCMEMBER_REC_FLOW_LABEL |		\
		 IB_SA_MCMEMBER_REC_HOP_LIMIT)

#define FULL		1
#define NON		2
#define SEND_ONLY	4
#define SEND_ONLY_FULL	8

#define QKEY		0x80000b1b

/* Begin a request about a member, as ipoib writes it: parameters are the broadcast group's. */
static u8 *member(struct kunit *test, u8 method, ib_sa_comp_mask mask, const union ib_gid *mgid,
		  u8 state)
{
	u8 *d = request(test, method, IB_SA_ATTR_MC_MEMBER_REC, mask);

	memcpy(d, mgid, 16);
	memcpy(d + 16, &own, 16);
	put_unaligned_be32(QKEY, d + 32);
	d[38] = IB_SA_EQ << 6 | IB_MTU_2048;
	put_unaligned_be16(0xffff, d + 40);
	d[42] = IB_SA_EQ << 6 | IB_RATE_10_GBPS;
	d[47] = 1;	/* hop limit */
	d[48] = state;
	return d;
}

static u16 join(struct kunit *test, ib_sa_comp_mask mask, const union ib_gid *mgid, u8 state)
{
	member(test, IB_MGMT_METHOD_SET, mask, mgid, state);
	return ask(test);
}

static u16 leave(struct kunit *test, const union ib_gid *mgid, u8 state)
{
	member(test, IB_SA_METHOD_DELETE, JOIN & ~IB_SA_MCMEMBER_REC_PKEY, mgid, state);
	return ask(test);
}

/* Return the number of groups, all of which are then in w->table. */
static unsigned int list_groups(struct kunit *test)
{
	struct world *w = test->priv;

	request(test, IB_SA_METHOD_GET_TABLE, IB_SA_ATTR_MC_MEMBER_REC, 0);
	KUNIT_EXPECT_EQ(test, ask(test), 0);
	return w->table.count;
}

static void I10_the_broadcast_group_determines_every_parameter(struct kunit *test)
{
	struct world *w = test->priv;
	u8 *r;

	KUNIT_ASSERT_EQ(test, list_groups(test), 1);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(w->reply.sa_hdr.attr_offset), 7);
	r = w->table.records;
	KUNIT_EXPECT_MEMEQ(test, r, broadcast.raw, 16);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(r + 36), BROADCAST_MLID);
	KUNIT_EXPECT_EQ(test, r[38], 2 << 6 | IB_MTU_2048);
	KUNIT_EXPECT_EQ(test, r[39], 0);			/* traffic class */
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(r + 40), 0xffff);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(r + 44), 1);	/* SL, flow label, hop limit */
	KUNIT_EXPECT_EQ(test, r[48], 2 << 4);			/* link-local, without members */
}

static void I8_the_qkey_of_the_broadcast_group_is_privileged(struct kunit *test)
{
	struct world *w = test->priv;

	KUNIT_ASSERT_EQ(test, list_groups(test), 1);
	KUNIT_EXPECT_TRUE(test, get_unaligned_be32(w->table.records + 32) & 0x80000000);
}

static void I13_a_join_response_has_the_parameters(struct kunit *test)
{
	struct world *w = test->priv;
	u8 *r = w->reply.data;

	/* the components that ipoib sends for the broadcast group */
	KUNIT_ASSERT_EQ(test, join(test, JOIN, &broadcast, FULL), 0);
	KUNIT_EXPECT_MEMEQ(test, r, broadcast.raw, 16);
	KUNIT_EXPECT_MEMEQ(test, r + 16, own.raw, 16);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(r + 32), QKEY);
	KUNIT_EXPECT_EQ(test, r[38] & 0x3f, IB_MTU_2048);
	KUNIT_EXPECT_EQ(test, r[48], 2 << 4 | FULL);
}

static void I12_a_full_member_of_no_other_partition_is_admitted(struct kunit *test)
{
	union ib_gid other = broadcast;
	u8 *d;

	other.raw[4] = 0x80;
	other.raw[5] = 0x01;
	d = member(test, IB_MGMT_METHOD_SET, CREATE, &other, FULL);
	put_unaligned_be16(0x8001, d + 40);
	KUNIT_EXPECT_EQ(test, ask(test), SRNIC_SA_REQ_INVALID);
	KUNIT_EXPECT_EQ(test, list_groups(test), 1);
}

/* Join the broadcast group of a partition. Return the status. */
static u16 join_partition(struct kunit *test, u16 pkey)
{
	union ib_gid mgid = broadcast;
	u8 *d;

	put_unaligned_be16(pkey, mgid.raw + 4);
	d = member(test, IB_MGMT_METHOD_SET, JOIN, &mgid, FULL);
	put_unaligned_be16(pkey, d + 40);
	return ask(test);
}

static void I14_each_partition_of_the_port_has_a_broadcast_group(struct kunit *test)
{
	struct world *w = test->priv;

	w->dev->pkeys[3] = 0x8001;
	w->dev->pkeys[4] = 0x0002;	/* limited member */
	KUNIT_EXPECT_EQ(test, join_partition(test, 0x8001), 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(w->reply.data + 32), QKEY);
	KUNIT_EXPECT_NE(test, join_partition(test, 0x8002), 0);
	KUNIT_EXPECT_EQ(test, list_groups(test), 2);
}

static void I14_a_broadcast_group_goes_with_its_partition(struct kunit *test)
{
	union ib_gid mgid = broadcast;
	struct world *w = test->priv;
	unsigned int i;

	/* more partitions, one after another, than there may be groups */
	for (i = 1; i <= SRNIC_FABRIC_GROUPS; i++) {
		put_unaligned_be16(0x8000 | i, mgid.raw + 4);
		KUNIT_ASSERT_EQ(test, srnic_fabric_add_pkey(w->fabric, 0x8000 | i), 0);
		KUNIT_ASSERT_EQ(test, join_partition(test, 0x8000 | i), 0);
		KUNIT_ASSERT_EQ(test, leave(test, &mgid, FULL), 0);
		KUNIT_EXPECT_EQ(test, list_groups(test), 2);
		KUNIT_ASSERT_EQ(test, srnic_fabric_del_pkey(w->fabric, i), 0);
		KUNIT_EXPECT_EQ(test, list_groups(test), 1);
	}
}

static void I14_a_member_keeps_the_broadcast_group_of_a_former_partition(struct kunit *test)
{
	union ib_gid mgid = broadcast;
	struct world *w = test->priv;

	put_unaligned_be16(0x8001, mgid.raw + 4);
	KUNIT_ASSERT_EQ(test, srnic_fabric_add_pkey(w->fabric, 0x8001), 0);
	KUNIT_ASSERT_EQ(test, join_partition(test, 0x8001), 0);
	KUNIT_ASSERT_EQ(test, srnic_fabric_del_pkey(w->fabric, 0x8001), 0);
	KUNIT_EXPECT_EQ(test, list_groups(test), 2);
	KUNIT_EXPECT_EQ(test, leave(test, &mgid, FULL), 0);
	KUNIT_EXPECT_EQ(test, list_groups(test), 1);
	/* a partition that comes back before that has a permanent group again */
	KUNIT_ASSERT_EQ(test, srnic_fabric_add_pkey(w->fabric, 0x8001), 0);
	KUNIT_ASSERT_EQ(test, join_partition(test, 0x8001), 0);
	KUNIT_ASSERT_EQ(test, srnic_fabric_del_pkey(w->fabric, 0x8001), 0);
	KUNIT_ASSERT_EQ(test, srnic_fabric_add_pkey(w->fabric, 0x8001), 0);
	KUNIT_ASSERT_EQ(test, join_partition(test, 0x8001), 0);
	KUNIT_EXPECT_EQ(test, leave(test, &mgid, FULL), 0);
	KUNIT_EXPECT_EQ(test, list_groups(test), 2);
}

static void I31_a_group_has_the_parameters_of_the_broadcast_group(struct kunit *test)
{
	/* a change of the request: the byte at an offset; the first row changes nothing */
	static const struct {
		const char *what;
		u8 at, by;
		u16 status;
	} rows[] = {
		{ "nothing", 0, 0, 0 },
		{ "P_Key", 40, 0x01, SRNIC_SA_REQ_INVALID },
		{ "Q_Key", 35, 0x01, SRNIC_SA_REQ_INVALID },
		{ "privilege of the Q_Key", 32, 0x80, SRNIC_SA_REQ_INVALID },
		{ "SL", 44, 0x10, SRNIC_SA_REQ_INVALID },
		{ "MTU", 38, IB_MTU_2048 ^ IB_MTU_1024, SRNIC_SA_REQ_INVALID },
		{ "hop limit", 47, 0x03, SRNIC_SA_REQ_INVALID },
		{ "scope", 1, 0x02 ^ 0x05, SRNIC_SA_REQ_INVALID },
		{ "P_Key in the MGID", 5, 0x01, SRNIC_SA_REQ_INVALID },
		/* these SHOULD agree, and need not */
		{ "traffic class", 39, 0x20, 0 },
		{ "flow label", 46, 0x01, 0 },
	};
	union ib_gid mgid = all_ip4;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		mgid.raw[15] = i + 1;
		member(test, IB_MGMT_METHOD_SET, CREATE, &mgid, FULL)[rows[i].at] ^= rows[i].by;
		KUNIT_EXPECT_EQ_MSG(test, ask(test), rows[i].status, "%s", rows[i].what);
	}
	KUNIT_EXPECT_EQ(test, list_groups(test), 1 + 3);
}

/* Return the MTU field of the group's record. */
static u8 mtu_of_group(struct kunit *test, const union ib_gid *mgid)
{
	struct world *w = test->priv;

	member(test, IB_MGMT_METHOD_GET, IB_SA_MCMEMBER_REC_MGID, mgid, 0);
	KUNIT_EXPECT_EQ(test, ask(test), 0);
	return w->reply.data[38];
}

/* Return the MTU field of the path to the peer. */
static u8 mtu_of_path(struct kunit *test)
{
	struct world *w = test->priv;

	path_to(test, &peer, 0);
	KUNIT_EXPECT_EQ(test, ask(test), 0);
	return w->reply.data[54];
}

static void I14_groups_and_paths_have_the_mtu_that_is_set(struct kunit *test)
{
	static const enum ib_mtu mtus[] = { IB_MTU_4096, IB_MTU_256, IB_MTU_1024, IB_MTU_2048 };
	struct world *w = test->priv;
	int i;

	KUNIT_ASSERT_EQ(test, srnic_fabric_add_pkey(w->fabric, 0x8001), 0);
	KUNIT_ASSERT_EQ(test, join_partition(test, 0x8001), 0);
	KUNIT_ASSERT_EQ(test, join(test, CREATE, &all_ip4, FULL), 0);
	KUNIT_ASSERT_EQ(test, join(test, CREATE, &all_ip6, SEND_ONLY_FULL), 0);
	KUNIT_EXPECT_EQ(test, mtu_of_path(test), IB_SA_EQ << 6 | IB_MTU_2048);
	for (i = 0; i < ARRAY_SIZE(mtus); i++) {
		u8 field = IB_SA_EQ << 6 | mtus[i];

		KUNIT_ASSERT_EQ(test, srnic_fabric_set_mtu(w->fabric, mtus[i]), 0);
		KUNIT_EXPECT_EQ(test, mtu_of_group(test, &broadcast), field);
		KUNIT_EXPECT_EQ(test, mtu_of_group(test, &all_ip4), field);
		KUNIT_EXPECT_EQ(test, mtu_of_group(test, &all_ip6), field);
		KUNIT_EXPECT_EQ(test, mtu_of_path(test), field);
		/* the join response of another partition's broadcast group */
		KUNIT_EXPECT_EQ(test, join_partition(test, 0x8001), 0);
		KUNIT_EXPECT_EQ(test, w->reply.data[38], field);
		KUNIT_EXPECT_EQ(test, smp_get(test, IB_SMP_ATTR_PORT_INFO)[36] >> 4, mtus[i]);
	}
}

static void I13_a_join_response_has_the_mtu_that_is_set(struct kunit *test)
{
	struct world *w = test->priv;
	u8 *d;

	KUNIT_ASSERT_EQ(test, srnic_fabric_set_mtu(w->fabric, IB_MTU_4096), 0);
	KUNIT_ASSERT_EQ(test, join(test, JOIN, &broadcast, FULL), 0);
	KUNIT_EXPECT_EQ(test, w->reply.data[38] & 0x3f, IB_MTU_4096);
	/* with which ipoib joins the other groups, and not with the former one */
	KUNIT_EXPECT_EQ(test, join(test, CREATE, &all_ip4, FULL), SRNIC_SA_REQ_INVALID);
	d = member(test, IB_MGMT_METHOD_SET, CREATE, &all_ip4, FULL);
	d[38] = IB_SA_EQ << 6 | IB_MTU_4096;
	KUNIT_EXPECT_EQ(test, ask(test), 0);
	/* the broadcast group of a partition that is new */
	KUNIT_ASSERT_EQ(test, srnic_fabric_add_pkey(w->fabric, 0x8001), 0);
	KUNIT_ASSERT_EQ(test, join_partition(test, 0x8001), 0);
	KUNIT_EXPECT_EQ(test, w->reply.data[38] & 0x3f, IB_MTU_4096);
}

static void I14_members_are_told_to_join_again_when_the_mtu_changes(struct kunit *test)
{
	struct world *w = test->priv;

	KUNIT_ASSERT_EQ(test, srnic_fabric_set_mtu(w->fabric, IB_MTU_4096), 0);
	KUNIT_EXPECT_EQ(test, w->events, 1);
	KUNIT_EXPECT_EQ(test, (u32)w->event, (u32)IB_EVENT_CLIENT_REREGISTER);
	/* nothing has changed the second time */
	KUNIT_ASSERT_EQ(test, srnic_fabric_set_mtu(w->fabric, IB_MTU_4096), 0);
	KUNIT_EXPECT_EQ(test, w->events, 1);
	KUNIT_ASSERT_EQ(test, srnic_fabric_set_mtu(w->fabric, IB_MTU_2048), 0);
	KUNIT_EXPECT_EQ(test, w->events, 2);
}

static void I14_an_mtu_beyond_that_of_the_buffers_is_refused(struct kunit *test)
{
	struct world *w = test->priv;

	w->dev->ib_max_mtu = IB_MTU_2048;
	KUNIT_EXPECT_EQ(test, srnic_fabric_set_mtu(w->fabric, IB_MTU_4096), -ERANGE);
	KUNIT_EXPECT_EQ(test, srnic_fabric_set_mtu(w->fabric, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, srnic_fabric_set_mtu(w->fabric, IB_MTU_4096 + 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, w->events, 0);
	KUNIT_EXPECT_EQ(test, (u32)w->dev->ib_mtu, (u32)IB_MTU_2048);
	KUNIT_EXPECT_EQ(test, mtu_of_group(test, &broadcast), IB_SA_EQ << 6 | IB_MTU_2048);
}

static void I9_no_group_has_more_than_the_mtu_of_the_link(struct kunit *test)
{
	static const union ib_gid large = { .raw = { 0xff, 0x12, [15] = 1 } };
	static const union ib_gid small = { .raw = { 0xff, 0x12, [15] = 2 } };
	struct world *w = test->priv;

	KUNIT_ASSERT_EQ(test, srnic_fabric_set_mtu(w->fabric, IB_MTU_4096), 0);
	member(test, IB_MGMT_METHOD_SET, CREATE, &large, FULL)[38] = IB_SA_EQ << 6 | IB_MTU_4096;
	KUNIT_ASSERT_EQ(test, ask(test), 0);
	member(test, IB_MGMT_METHOD_SET, CREATE, &small, FULL)[38] = IB_SA_EQ << 6 | IB_MTU_512;
	KUNIT_ASSERT_EQ(test, ask(test), 0);
	KUNIT_ASSERT_EQ(test, srnic_fabric_set_mtu(w->fabric, IB_MTU_2048), 0);
	KUNIT_EXPECT_EQ(test, mtu_of_group(test, &large), IB_SA_EQ << 6 | IB_MTU_2048);
	KUNIT_EXPECT_EQ(test, mtu_of_group(test, &small), IB_SA_EQ << 6 | IB_MTU_512);
}

static void I9_a_group_with_more_than_the_mtu_of_the_link_is_refused(struct kunit *test)
{
	static const union ib_gid plain = { .raw = { 0xff, 0x12, [15] = 1 } };
	u8 *d;

	d = member(test, IB_MGMT_METHOD_SET, CREATE, &plain, FULL);
	d[38] = IB_SA_EQ << 6 | IB_MTU_4096;
	KUNIT_EXPECT_EQ(test, ask(test), SRNIC_SA_REQ_INVALID);
	d[38] = IB_SA_GT << 6 | IB_MTU_2048;
	KUNIT_EXPECT_EQ(test, ask(test), SRNIC_SA_REQ_INVALID);
	/* an existing group, too, cannot be joined at 4096 */
	d = member(test, IB_MGMT_METHOD_SET, CREATE, &broadcast, FULL);
	d[38] = IB_SA_EQ << 6 | IB_MTU_4096;
	KUNIT_EXPECT_EQ(test, ask(test), SRNIC_SA_REQ_INVALID);
}

static void the_mtu_of_a_group_is_the_largest_allowed(struct kunit *test)
{
	static const union ib_gid plain = { .raw = { 0xff, 0x12, [15] = 1 } };
	struct world *w = test->priv;

	member(test, IB_MGMT_METHOD_SET, CREATE, &plain, FULL)[38] = IB_SA_LT << 6 | IB_MTU_2048;
	KUNIT_ASSERT_EQ(test, ask(test), 0);
	KUNIT_EXPECT_EQ(test, w->reply.data[38], 2 << 6 | IB_MTU_1024);
}

/* IBA 15.2.5.17.2: 0 is 4.096 us, the shortest */
static void a_group_may_have_any_packet_life_time(struct kunit *test)
{
	static const union ib_gid plain = { .raw = { 0xff, 0x12, [15] = 1 } };
	struct world *w = test->priv;

	member(test, IB_MGMT_METHOD_SET, CREATE | IB_SA_MCMEMBER_REC_PACKET_LIFE_TIME_SELECTOR |
	       IB_SA_MCMEMBER_REC_PACKET_LIFE_TIME, &plain, FULL)[43] = IB_SA_EQ << 6;
	KUNIT_ASSERT_EQ(test, ask(test), 0);
	KUNIT_EXPECT_EQ(test, w->reply.data[43], IB_SA_EQ << 6);
}

/* IBA 15.2.5.17.2 */
static void a_group_is_created_by_a_full_member_with_all_components(struct kunit *test)
{
	static const ib_sa_comp_mask required[] = {
		IB_SA_MCMEMBER_REC_PORT_GID, IB_SA_MCMEMBER_REC_JOIN_STATE,
		IB_SA_MCMEMBER_REC_PKEY, IB_SA_MCMEMBER_REC_QKEY, IB_SA_MCMEMBER_REC_SL,
		IB_SA_MCMEMBER_REC_FLOW_LABEL, IB_SA_MCMEMBER_REC_TRAFFIC_CLASS,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(required); i++)
		KUNIT_EXPECT_EQ_MSG(test, join(test, CREATE & ~required[i], &all_ip6, FULL),
				    SRNIC_SA_INSUFFICIENT, "component %d", i);
	KUNIT_EXPECT_EQ(test, join(test, CREATE, &all_ip6, NON), SRNIC_SA_REQ_INVALID);
	KUNIT_EXPECT_EQ(test, join(test, CREATE, &all_ip6, SEND_ONLY), SRNIC_SA_REQ_INVALID);
	KUNIT_EXPECT_EQ(test, join(test, CREATE, &all_ip6, 0), SRNIC_SA_REQ_INVALID);
	KUNIT_EXPECT_EQ(test, list_groups(test), 1);
	KUNIT_EXPECT_EQ(test, join(test, CREATE, &all_ip6, FULL), 0);
	KUNIT_EXPECT_EQ(test, join(test, JOIN, &all_ip6, NON), 0);
	KUNIT_EXPECT_EQ(test, list_groups(test), 2);
}

static void I29_a_send_only_full_member_creates_the_group(struct kunit *test)
{
	struct world *w = test->priv;

	KUNIT_EXPECT_EQ(test, join(test, CREATE, &all_ip4, SEND_ONLY_FULL), 0);
	KUNIT_EXPECT_EQ(test, w->reply.data[48] & 0xf, SEND_ONLY_FULL);
}

static void I32_a_group_goes_with_its_last_member(struct kunit *test)
{
	struct world *w = test->priv;

	KUNIT_ASSERT_EQ(test, join(test, CREATE, &all_ip4, FULL), 0);
	KUNIT_ASSERT_EQ(test, join(test, CREATE, &all_ip4, SEND_ONLY_FULL), 0);
	KUNIT_EXPECT_EQ(test, w->reply.data[48] & 0xf, FULL | SEND_ONLY_FULL);
	KUNIT_EXPECT_EQ(test, leave(test, &all_ip4, FULL), 0);
	KUNIT_EXPECT_EQ(test, w->reply.data[48] & 0xf, SEND_ONLY_FULL);
	KUNIT_EXPECT_EQ(test, list_groups(test), 2);
	/* not a member in this state any more */
	KUNIT_EXPECT_EQ(test, leave(test, &all_ip4, FULL), SRNIC_SA_REQ_INVALID);
	KUNIT_EXPECT_EQ(test, leave(test, &all_ip4, SEND_ONLY_FULL), 0);
	KUNIT_EXPECT_EQ(test, list_groups(test), 1);
	KUNIT_EXPECT_EQ(test, leave(test, &all_ip4, FULL), SRNIC_SA_REQ_INVALID);
}

static void the_broadcast_group_remains_without_members(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, join(test, JOIN, &broadcast, FULL), 0);
	KUNIT_EXPECT_EQ(test, leave(test, &broadcast, FULL), 0);
	KUNIT_EXPECT_EQ(test, list_groups(test), 1);
	KUNIT_EXPECT_EQ(test, join(test, JOIN, &broadcast, FULL), 0);
}

static void only_this_port_joins_for_itself(struct kunit *test)
{
	u8 *d;

	member(test, IB_MGMT_METHOD_SET, JOIN, &broadcast, FULL)[31] ^= 1;
	KUNIT_EXPECT_EQ(test, ask(test), SRNIC_SA_REQ_INVALID_GID);
	d = member(test, IB_MGMT_METHOD_SET, JOIN | IB_SA_MCMEMBER_REC_PROXY_JOIN, &broadcast,
		   FULL);
	d[49] = 0x80;
	KUNIT_EXPECT_EQ(test, ask(test), SRNIC_SA_REQ_INVALID);
}

/* As osmtest, the test of opensm, expects: IBA 15.2.5.17.2 */
static void mgids_that_no_group_may_have_are_refused(struct kunit *test)
{
	static const union ib_gid mgids[] = {
		{ .raw = { 0xfe, 0x80, [15] = 1 } },
		{ .raw = { 0xff, 0x10, [15] = 1 } },
		{ .raw = { 0xff, 0x11, [15] = 1 } },
		{ .raw = { 0xff, 0x22, [15] = 1 } },
		/* those of the SA's own choice */
		{ .raw = { 0xff, 0x12, 0xa0, 0x1b, [15] = 1 } },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(mgids); i++)
		KUNIT_EXPECT_EQ_MSG(test, join(test, CREATE, &mgids[i], FULL),
				    SRNIC_SA_REQ_INVALID, "MGID %d", i);
	KUNIT_EXPECT_EQ(test, list_groups(test), 1);
}

static void the_scope_of_a_group_is_that_of_its_mgid(struct kunit *test)
{
	static const union ib_gid reserved = { .raw = { 0xff, 0x1f, 0xa0, 0x1c, [15] = 1 } };
	static const union ib_gid none;
	struct world *w = test->priv;

	member(test, IB_MGMT_METHOD_SET, CREATE | IB_SA_MCMEMBER_REC_SCOPE, &reserved, FULL)[48] |=
		2 << 4;
	KUNIT_ASSERT_EQ(test, ask(test), 0);
	KUNIT_EXPECT_EQ(test, w->reply.data[48], 0xf1);
	/* the SA has none of scope 0 or 1 */
	member(test, IB_MGMT_METHOD_SET, CREATE | IB_SA_MCMEMBER_REC_SCOPE, &none, FULL)[48] |=
		1 << 4;
	KUNIT_EXPECT_EQ(test, ask(test), SRNIC_SA_REQ_INVALID);
}

static void the_sa_chooses_mgids_that_are_not_named(struct kunit *test)
{
	static const union ib_gid none;
	struct world *w = test->priv;
	u8 first[16];

	KUNIT_ASSERT_EQ(test, join(test, CREATE, &none, FULL), 0);
	memcpy(first, w->reply.data, sizeof(first));
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(first), 0xff12a01b);
	KUNIT_ASSERT_EQ(test, join(test, CREATE, &none, FULL), 0);
	KUNIT_EXPECT_MEMNEQ(test, w->reply.data, first, sizeof(first));
	KUNIT_EXPECT_EQ(test, list_groups(test), 3);
}

static void the_number_of_groups_is_bounded(struct kunit *test)
{
	union ib_gid mgid = all_ip4;
	struct world *w = test->priv;
	unsigned int i;

	for (i = 1; i < SRNIC_FABRIC_GROUPS; i++) {
		put_unaligned_be32(i, mgid.raw + 12);
		KUNIT_ASSERT_EQ(test, join(test, CREATE, &mgid, FULL), 0);
	}
	put_unaligned_be32(i, mgid.raw + 12);
	KUNIT_EXPECT_EQ(test, join(test, CREATE, &mgid, FULL), SRNIC_SA_NO_RESOURCES);
	KUNIT_EXPECT_EQ(test, list_groups(test), SRNIC_FABRIC_GROUPS);
	/* each record begins at a multiple of eight bytes */
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(w->table.records + 56 * 200 + 12), 200);
	/* a leave makes room */
	put_unaligned_be32(1, mgid.raw + 12);
	KUNIT_EXPECT_EQ(test, leave(test, &mgid, FULL), 0);
	KUNIT_EXPECT_EQ(test, join(test, CREATE, &mgid, FULL), 0);
}

/* IBA 15.4.4 */
static void get_has_exactly_one_record(struct kunit *test)
{
	struct world *w = test->priv;

	KUNIT_ASSERT_EQ(test, join(test, CREATE, &all_ip4, FULL), 0);
	request(test, IB_MGMT_METHOD_GET, IB_SA_ATTR_MC_MEMBER_REC, 0);
	KUNIT_EXPECT_EQ(test, ask(test), SRNIC_SA_TOO_MANY_RECORDS);
	member(test, IB_MGMT_METHOD_GET, IB_SA_MCMEMBER_REC_MGID, &all_ip6, 0);
	KUNIT_EXPECT_EQ(test, ask(test), SRNIC_SA_NO_RECORDS);
	member(test, IB_MGMT_METHOD_GET, IB_SA_MCMEMBER_REC_MGID, &all_ip4, 0);
	KUNIT_EXPECT_EQ(test, ask(test), 0);
	KUNIT_EXPECT_MEMEQ(test, w->reply.data + 16, own.raw, 16);
	member(test, IB_MGMT_METHOD_GET, IB_SA_MCMEMBER_REC_JOIN_STATE, &all_ip6, FULL);
	KUNIT_EXPECT_EQ(test, ask(test), 0);
	KUNIT_EXPECT_MEMEQ(test, w->reply.data, all_ip4.raw, 16);
}

static struct kunit_case fabric_cases[] = {
	KUNIT_CASE(node_info_names_node_and_port),
	KUNIT_CASE(I18_port_info_is_what_query_port_reports),
	KUNIT_CASE(another_port_or_block_is_an_invalid_field),
	KUNIT_CASE(set_port_info_changes_no_port_value),
	KUNIT_CASE(client_reregister_is_an_event_and_acknowledged),
	KUNIT_CASE(I23_gid_0_is_the_prefix_and_the_port_guid),
	KUNIT_CASE(I7_the_default_pkey_is_full_and_cannot_be_removed),
	KUNIT_CASE(I7_partitions_are_added_and_removed),
	KUNIT_CASE(I7_a_manager_sets_partitions_twice_or_none),
	KUNIT_CASE(there_is_one_virtual_lane),
	KUNIT_CASE(sm_info_is_the_nodes_own_unless_user_space_has_a_manager),
	KUNIT_CASE(modify_port_sets_and_clears_capabilities),
	KUNIT_CASE(unsupported_attributes_methods_and_versions_are_refused),
	KUNIT_CASE(a_reply_to_a_directed_route_has_the_direction_bit),
	KUNIT_CASE(responses_and_other_classes_are_left_to_agents),
	KUNIT_CASE(only_this_node_may_manage_the_port),
	KUNIT_CASE(counters_are_those_of_the_device_and_data_in_words),
	KUNIT_CASE(only_selected_counters_are_cleared),
	KUNIT_CASE(other_nodes_may_read_counters_and_not_clear_them),
	KUNIT_CASE(counters_of_another_port_are_an_invalid_field),
	KUNIT_CASE(the_pma_has_64_bit_counters),
	KUNIT_CASE(an_ethernet_port_shows_its_counters_to_the_kernel_only),
	KUNIT_CASE(the_sa_has_multicast_and_send_only_full_members),
	KUNIT_CASE(requests_that_the_sa_does_not_know_are_refused),
	KUNIT_CASE(requests_with_one_record_need_no_agent),
	KUNIT_CASE(the_sa_serves_only_this_node),
	KUNIT_CASE(requests_for_a_table_are_for_the_agent),
	KUNIT_CASE(a_wrong_sm_key_has_no_reply),
	KUNIT_CASE(subscriptions_are_kept_until_they_are_ended),
	KUNIT_CASE(the_number_of_subscriptions_is_bounded),
	KUNIT_CASE(services_are_found_by_name_until_they_are_deleted),
	KUNIT_CASE(a_change_of_a_service_with_a_key_needs_the_key),
	KUNIT_CASE(a_service_ends_with_its_lease),
	KUNIT_CASE(a_service_needs_an_id_a_gid_and_a_pkey_of_the_port),
	KUNIT_CASE(the_number_of_services_is_bounded),
	KUNIT_CASE(the_sa_has_the_tables_of_this_port),
	KUNIT_CASE(paths_between_several_gids_are_this_nodes),
	KUNIT_CASE(a_request_of_paths_that_is_not_whole_is_refused),
	KUNIT_CASE(node_and_port_records_are_this_nodes),
	KUNIT_CASE(I25_a_path_has_the_label_of_its_destination),
	KUNIT_CASE(a_path_table_has_the_one_path),
	KUNIT_CASE(a_path_has_the_traffic_class_that_is_asked_for),
	KUNIT_CASE(paths_that_do_not_exist_have_no_record),
	KUNIT_CASE(I7_a_path_has_the_ports_own_pkey),
	KUNIT_CASE(selectors_select),
	KUNIT_CASE(a_path_to_a_group_has_its_parameters),
	KUNIT_CASE(I10_the_broadcast_group_determines_every_parameter),
	KUNIT_CASE(I8_the_qkey_of_the_broadcast_group_is_privileged),
	KUNIT_CASE(I13_a_join_response_has_the_parameters),
	KUNIT_CASE(I12_a_full_member_of_no_other_partition_is_admitted),
	KUNIT_CASE(I14_each_partition_of_the_port_has_a_broadcast_group),
	KUNIT_CASE(I14_a_broadcast_group_goes_with_its_partition),
	KUNIT_CASE(I14_a_member_keeps_the_broadcast_group_of_a_former_partition),
	KUNIT_CASE(I31_a_group_has_the_parameters_of_the_broadcast_group),
	KUNIT_CASE(I14_groups_and_paths_have_the_mtu_that_is_set),
	KUNIT_CASE(I13_a_join_response_has_the_mtu_that_is_set),
	KUNIT_CASE(I14_members_are_told_to_join_again_when_the_mtu_changes),
	KUNIT_CASE(I14_an_mtu_beyond_that_of_the_buffers_is_refused),
	KUNIT_CASE(I9_no_group_has_more_than_the_mtu_of_the_link),
	KUNIT_CASE(I9_a_group_with_more_than_the_mtu_of_the_link_is_refused),
	KUNIT_CASE(the_mtu_of_a_group_is_the_largest_allowed),
	KUNIT_CASE(a_group_may_have_any_packet_life_time),
	KUNIT_CASE(a_group_is_created_by_a_full_member_with_all_components),
	KUNIT_CASE(I29_a_send_only_full_member_creates_the_group),
	KUNIT_CASE(I32_a_group_goes_with_its_last_member),
	KUNIT_CASE(the_broadcast_group_remains_without_members),
	KUNIT_CASE(only_this_port_joins_for_itself),
	KUNIT_CASE(mgids_that_no_group_may_have_are_refused),
	KUNIT_CASE(the_scope_of_a_group_is_that_of_its_mgid),
	KUNIT_CASE(the_sa_chooses_mgids_that_are_not_named),
	KUNIT_CASE(the_number_of_groups_is_bounded),
	KUNIT_CASE(get_has_exactly_one_record),
	{}
};

static struct kunit_suite fabric_suite = {
	.name = "srnic-fabric",
	.init = fabric_init,
	.exit = fabric_exit,
	.test_cases = fabric_cases,
};

kunit_test_suite(fabric_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's fabric room");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
