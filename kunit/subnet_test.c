// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of subnets that a subnet manager of user space manages: changes of a port, knowledge
 * of LIDs, and the switch that the manager sees. I numbers are requirements of RFC 4391,
 * C numbers rules of IBA 14.2.2.
 */
#include <kunit/test.h>
#include <linux/if.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <net/ipv6.h>

#include "engine/ud_origin.h"
#include "fabric/sa.h"
#include "fabric/switch.h"

#define LABEL		0x4996	/* LID of the port while it manages itself; kunit/wire_test.c */
#define MANAGER_LID	7
#define MEMBER_LID	9

static const union ib_gid own = {
	.raw = { 0xfe, 0x80, [8] = 0x50, 0x54, 0, 0xff, 0xfe, 0x12, 0x34, 0x56 },
};

static const union ib_gid manager = { .raw = { 0xfe, 0x80, [15] = 1 } };
static const union ib_gid member = { .raw = { 0xfe, 0x80, [15] = 2 } };
static const union ib_gid stranger = { .raw = { 0xfe, 0x80, [15] = 3 } };

/* The port, as the manager and a member of its subnet see it */
struct world {
	struct srnic_dev *dev;
	struct srnic_fabric *fabric;
	struct srnic_subnet *subnet;
	struct srnic_switch *sw;
	struct ib_mad in;
	struct ib_mad out;
	struct ib_grh grh;
	struct ib_wc wc;
	u32 events;		/* bits of enum ib_event_type */
};

static struct world *the_world;	/* for the functions that the port calls */

static int fake_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	const struct srnic_fabric *fabric = the_world->fabric;

	attr->state = fabric->state;
	attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = IB_MTU_2048;
	attr->lid = fabric->lid;
	attr->sm_lid = fabric->sm_lid;
	attr->active_width = IB_WIDTH_4X;
	attr->active_speed = IB_SPEED_SDR;
	attr->max_vl_num = 1;
	return 0;
}

static void note_event(struct srnic_fabric *fabric, enum ib_event_type event)
{
	the_world->events |= BIT(event);
}

/* The list of nodes that srnic_subnet_add() would make, without a switch's QP */
static void make_subnet(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_subnet_node nodes[] = {
		{ own, 0, SRNIC_SUBNET_OWN, 0 },
		{ manager, MANAGER_LID, SRNIC_SUBNET_MANAGER, 0 },
		{ member, MEMBER_LID, SRNIC_SUBNET_MEMBER, SRNIC_SWITCH_FIRST },
	};

	w->subnet = kzalloc(struct_size(w->subnet, nodes, ARRAY_SIZE(nodes)), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w->subnet);
	spin_lock_init(&w->subnet->heard_lock);
	w->subnet->count = ARRAY_SIZE(nodes);
	memcpy(w->subnet->nodes, nodes, sizeof(nodes));
	rcu_assign_pointer(w->dev->subnet, w->subnet);
	mutex_lock(&w->fabric->subnet_lock);
	srnic_subnet_set_managed(w->fabric, true);
	mutex_unlock(&w->fabric->subnet_lock);
	w->events = 0;
}

static int subnet_init(struct kunit *test)
{
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, w);
	the_world = w;
	test->priv = w;
	w->dev = kunit_kzalloc(test, sizeof(*w->dev), GFP_KERNEL);
	w->sw = kunit_kzalloc(test, sizeof(*w->sw), GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, w->dev && w->sw);
	srnic_stat_sets_init(&w->dev->stat_sets);
	w->dev->stats = alloc_percpu(struct srnic_stats);
	KUNIT_ASSERT_TRUE(test, !!w->dev->stats);
	w->dev->pkeys[SRNIC_PKEY_INDEX] = SRNIC_PKEY;
	w->dev->ib_max_mtu = IB_MTU_4096;
	w->dev->ib.ops.query_port = fake_query_port;
	strscpy(w->dev->ib.node_desc, "a node");
	w->fabric = srnic_fabric_alloc(w->dev, &own);
	KUNIT_ASSERT_NOT_NULL(test, w->fabric);
	w->fabric->notify = note_event;
	w->dev->fabric = w->fabric;
	w->sw->fabric = w->fabric;
	w->sw->guid = cpu_to_be64(0x1234);
	mutex_init(&w->sw->lock);
	w->sw->ports[SRNIC_SWITCH_FIRST].state = IB_PORT_INIT;
	make_subnet(test);
	return 0;
}

static void subnet_exit(struct kunit *test)
{
	struct world *w = test->priv;

	if (!w || !w->dev)
		return;
	srnic_fabric_free(w->fabric);
	free_percpu(w->dev->stats);
}

/* ------------------------------------------------------- who may do what */

static struct ib_smp *smp(struct kunit *test, u8 method, __be16 attr)
{
	struct world *w = test->priv;

	memset(&w->in, 0, sizeof(w->in));
	w->in.mad_hdr.base_version = 1;
	w->in.mad_hdr.class_version = 1;
	w->in.mad_hdr.mgmt_class = IB_MGMT_CLASS_SUBN_LID_ROUTED;
	w->in.mad_hdr.method = method;
	w->in.mad_hdr.attr_id = attr;
	return (struct ib_smp *)&w->in;
}

/* Process w->in as it comes from a node. Return bits of enum ib_mad_result. */
static int process(struct kunit *test, const union ib_gid *from)
{
	struct world *w = test->priv;
	size_t size = sizeof(w->out);
	u16 pkey_index = 0;

	w->grh.sgid = *from;
	w->wc.wc_flags = IB_WC_GRH;
	memset(&w->out, 0, sizeof(w->out));
	return srnic_process_mad(&w->dev->ib, 0, SRNIC_PORT, &w->wc, &w->grh, &w->in, &w->out,
				 &size, &pkey_index);
}

static u64 foreign(struct kunit *test)
{
	struct world *w = test->priv;

	return srnic_stats_sum(w->dev->stats, SRNIC_STAT_mad_foreign);
}

static void set_port(struct kunit *test, u16 lid, u16 sm_lid, u8 state)
{
	struct ib_smp *s = smp(test, IB_MGMT_METHOD_SET, IB_SMP_ATTR_PORT_INFO);
	struct ib_port_info *info = (struct ib_port_info *)s->data;

	info->lid = cpu_to_be16(lid);
	info->sm_lid = cpu_to_be16(sm_lid);
	info->linkspeed_portstate = state;
}

#define REPLIED		(IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY)
#define CONSUMED	(IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED)

static void a_managed_port_waits_for_its_manager(struct kunit *test)
{
	struct world *w = test->priv;

	KUNIT_EXPECT_TRUE(test, srnic_fabric_is_managed(w->fabric));
	KUNIT_EXPECT_EQ(test, w->fabric->state, IB_PORT_INIT);
	KUNIT_EXPECT_EQ(test, w->fabric->lid, 0);
	KUNIT_EXPECT_EQ(test, w->fabric->sm_lid, 0);
}

static void a_manager_configures_the_port(struct kunit *test)
{
	struct world *w = test->priv;
	union ib_gid gid;

	set_port(test, 5, MANAGER_LID, IB_PORT_ARMED);
	KUNIT_EXPECT_EQ(test, process(test, &manager), REPLIED);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(w->out.mad_hdr.status), 0);
	KUNIT_EXPECT_EQ(test, w->fabric->lid, 5);
	KUNIT_EXPECT_EQ(test, w->fabric->sm_lid, MANAGER_LID);
	KUNIT_EXPECT_EQ(test, w->events, BIT(IB_EVENT_LID_CHANGE) | BIT(IB_EVENT_SM_CHANGE));
	set_port(test, 5, MANAGER_LID, IB_PORT_ACTIVE);
	KUNIT_EXPECT_EQ(test, process(test, &manager), REPLIED);
	KUNIT_EXPECT_EQ(test, w->fabric->state, IB_PORT_ACTIVE);
	KUNIT_EXPECT_TRUE(test, w->events & BIT(IB_EVENT_PORT_ACTIVE));
	KUNIT_EXPECT_EQ(test, srnic_lids_find(w->fabric, MANAGER_LID, &gid), 0);
	KUNIT_EXPECT_MEMEQ(test, gid.raw, manager.raw, 16);
	KUNIT_EXPECT_EQ(test, w->subnet->nodes[0].lid, 5);
}

static void others_do_not_configure_it(struct kunit *test)
{
	struct world *w = test->priv;
	u64 before = foreign(test);

	set_port(test, 5, MANAGER_LID, IB_PORT_ARMED);
	KUNIT_EXPECT_EQ(test, process(test, &member), CONSUMED);
	KUNIT_EXPECT_EQ(test, process(test, &stranger), CONSUMED);
	/* somebody who has taken the address of this node, which has a manager of its own */
	w->subnet->nodes[0].roles |= SRNIC_SUBNET_MANAGER;
	KUNIT_EXPECT_EQ(test, process(test, &own), CONSUMED);
	KUNIT_EXPECT_EQ(test, foreign(test), before + 3);
	KUNIT_EXPECT_EQ(test, w->fabric->state, IB_PORT_INIT);
	KUNIT_EXPECT_EQ(test, w->fabric->lid, 0);
	KUNIT_EXPECT_EQ(test, w->events, 0);
}

static void nodes_of_the_subnet_may_read(struct kunit *test)
{
	u64 before = foreign(test);

	smp(test, IB_MGMT_METHOD_GET, IB_SMP_ATTR_NODE_INFO);
	KUNIT_EXPECT_EQ(test, process(test, &manager), REPLIED);
	KUNIT_EXPECT_EQ(test, process(test, &member), REPLIED);
	KUNIT_EXPECT_EQ(test, process(test, &stranger), CONSUMED);
	KUNIT_EXPECT_EQ(test, foreign(test), before + 1);
}

static void impossible_lids_and_states_are_refused(struct kunit *test)
{
	static const struct {
		u16 lid;
		u16 sm_lid;
		u8 state;
	} wrong[] = {
		{ 0, MANAGER_LID, IB_PORT_ARMED }, { 5, 0, IB_PORT_ARMED },
		{ 0xc000, MANAGER_LID, IB_PORT_ARMED }, { 0xffff, MANAGER_LID, IB_PORT_ARMED },
		{ 5, 0xc000, IB_PORT_ARMED }, { 5, MANAGER_LID, IB_PORT_ACTIVE },
		{ 5, MANAGER_LID, IB_PORT_INIT }, { 5, MANAGER_LID, 15 },
	};
	struct world *w = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		set_port(test, wrong[i].lid, wrong[i].sm_lid, wrong[i].state);
		KUNIT_EXPECT_EQ(test, process(test, &manager), REPLIED);
		KUNIT_EXPECT_EQ(test, be16_to_cpu(w->out.mad_hdr.status), 0x1c);
		KUNIT_EXPECT_EQ(test, w->fabric->lid, 0);
		KUNIT_EXPECT_EQ(test, w->fabric->state, IB_PORT_INIT);
	}
	KUNIT_EXPECT_EQ(test, w->events, 0);
}

static void a_link_that_comes_back_waits_for_the_manager(struct kunit *test)
{
	struct world *w = test->priv;

	w->fabric->state = IB_PORT_ACTIVE;
	w->fabric->lid = MEMBER_LID;
	w->fabric->sm_lid = MANAGER_LID;
	KUNIT_EXPECT_FALSE(test, srnic_fabric_link(w->fabric));
	KUNIT_EXPECT_EQ(test, w->fabric->state, IB_PORT_INIT);
	KUNIT_EXPECT_EQ(test, w->fabric->lid, MEMBER_LID);
	KUNIT_EXPECT_EQ(test, w->fabric->sm_lid, 0);
	KUNIT_EXPECT_EQ(test, w->events, BIT(IB_EVENT_PORT_ERR));
	w->fabric->managed = false;
	KUNIT_EXPECT_TRUE(test, srnic_fabric_link(w->fabric));
}

static void a_port_without_a_manager_manages_itself_again(struct kunit *test)
{
	struct world *w = test->priv;
	union ib_gid gid;

	a_manager_configures_the_port(test);
	mutex_lock(&w->fabric->subnet_lock);
	srnic_subnet_set_managed(w->fabric, false);
	mutex_unlock(&w->fabric->subnet_lock);
	KUNIT_EXPECT_EQ(test, w->fabric->lid, LABEL);
	KUNIT_EXPECT_EQ(test, w->fabric->sm_lid, LABEL);
	KUNIT_EXPECT_EQ(test, w->fabric->state, IB_PORT_ACTIVE);
	KUNIT_EXPECT_TRUE(test, w->events & BIT(IB_EVENT_CLIENT_REREGISTER));
	KUNIT_EXPECT_EQ(test, srnic_lids_find(w->fabric, MANAGER_LID, &gid), -EHOSTUNREACH);
}

static void names_of_nodes_are_checked(struct kunit *test)
{
	static const union ib_gid group = { .raw = { 0xff, 0x12, [15] = 1 } };
	static const union ib_gid none;
	struct world *w = test->priv;

	KUNIT_EXPECT_EQ(test, srnic_subnet_add(w->fabric, &group, SRNIC_SUBNET_MANAGER), -EINVAL);
	KUNIT_EXPECT_EQ(test, srnic_subnet_add(w->fabric, &none, SRNIC_SUBNET_MANAGER), -EINVAL);
	KUNIT_EXPECT_EQ(test, srnic_subnet_add(w->fabric, &own, SRNIC_SUBNET_MEMBER), -EINVAL);
	KUNIT_EXPECT_EQ(test, srnic_subnet_add(w->fabric, &stranger, SRNIC_SUBNET_MANAGER),
			-ENODEV);
	w->fabric->attached = true;
	KUNIT_EXPECT_EQ(test, srnic_subnet_add(w->fabric, &manager, SRNIC_SUBNET_MANAGER),
			-EEXIST);
	KUNIT_EXPECT_EQ(test, srnic_subnet_del(w->fabric, &stranger, SRNIC_SUBNET_MANAGER),
			-ENOENT);
	KUNIT_EXPECT_EQ(test, srnic_subnet_del(w->fabric, &member, SRNIC_SUBNET_MANAGER), -ENOENT);
	w->fabric->attached = false;
}

/* ------------------------------------------------------------------ the SA */

static struct ib_sa_mad *sa(struct kunit *test, u8 method)
{
	struct ib_mad_hdr *hdr = &((struct world *)test->priv)->in.mad_hdr;

	smp(test, method, cpu_to_be16(IB_SA_ATTR_PATH_REC));
	hdr->mgmt_class = IB_MGMT_CLASS_SUBN_ADM;
	hdr->class_version = IB_SA_CLASS_VERSION;
	return (struct ib_sa_mad *)hdr;
}

static void requests_of_the_subnet_are_for_the_managers_sa(struct kunit *test)
{
	sa(test, IB_MGMT_METHOD_GET);
	KUNIT_EXPECT_EQ(test, process(test, &member), IB_MAD_RESULT_SUCCESS);
	KUNIT_EXPECT_EQ(test, process(test, &manager), IB_MAD_RESULT_SUCCESS);
	KUNIT_EXPECT_EQ(test, process(test, &stranger), CONSUMED);
}

static void a_path_of_the_manager_says_which_port_has_a_lid(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_sa_path *path = (void *)sa(test, IB_MGMT_METHOD_GET_RESP)->data;
	union ib_gid gid;

	path->dlid = cpu_to_be16(20);
	memcpy(&path->dgid, &stranger, sizeof(stranger));
	KUNIT_EXPECT_EQ(test, process(test, &member), IB_MAD_RESULT_SUCCESS);
	KUNIT_EXPECT_EQ(test, process(test, &stranger), IB_MAD_RESULT_SUCCESS);
	KUNIT_EXPECT_EQ(test, srnic_lids_find(w->fabric, 20, &gid), -EHOSTUNREACH);
	KUNIT_EXPECT_EQ(test, process(test, &manager), IB_MAD_RESULT_SUCCESS);
	KUNIT_EXPECT_EQ(test, srnic_lids_find(w->fabric, 20, &gid), 0);
	KUNIT_EXPECT_MEMEQ(test, gid.raw, stranger.raw, 16);
	/* the port with that LID is another one now */
	memcpy(&path->dgid, &member, sizeof(member));
	process(test, &manager);
	KUNIT_EXPECT_EQ(test, srnic_lids_find(w->fabric, 20, &gid), 0);
	KUNIT_EXPECT_MEMEQ(test, gid.raw, member.raw, 16);
}

static void the_number_of_lids_is_bounded(struct kunit *test)
{
	struct world *w = test->priv;
	union ib_gid gid;
	u32 lid, known = 0;

	for (lid = 1; lid < 0xc000; lid++)
		srnic_lids_learn(w->fabric, lid, &member);
	for (lid = 1; lid < 0xc000; lid++)
		known += !srnic_lids_find(w->fabric, lid, &gid);
	KUNIT_EXPECT_EQ(test, known, 4096);
}

/* ------------------------------------------------- where a datagram came from */

#define WITH_GRH	0xc123
#define BY_LID		0x8123	/* without a GRH, from another node */

/* Fill in the ends of a packet from a node, with a flow label. */
static void come_from(struct srnic_ends *ends, const union ib_gid *gid, u16 sport, u32 label)
{
	*ends = (struct srnic_ends){ .dport = htons(SRNIC_IB_PORT), .sport = htons(sport) };
	memcpy(ends->sgid, gid, sizeof(*gid));
	ends->ifindex = 2;
	ip6_flow_hdr((struct ipv6hdr *)ends->iph, 0, htonl(label));
}

static u32 slid(struct kunit *test, u8 type, const struct srnic_ends *ends)
{
	struct world *w = test->priv;
	struct srnic_qp *qp = kunit_kzalloc(test, sizeof(*qp), GFP_KERNEL);
	struct srnic_cqe cqe = {};

	KUNIT_ASSERT_NOT_NULL(test, qp);
	qp->dev = w->dev;
	qp->ib.qp_type = type;
	srnic_ud_fill_origin(qp, ends, &cqe);
	return cqe.slid;
}

static bool is_foreign(struct kunit *test, u8 type, const struct srnic_ends *ends)
{
	struct world *w = test->priv;
	struct srnic_qp *qp = kunit_kzalloc(test, sizeof(*qp), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, qp);
	qp->dev = w->dev;
	qp->ib.qp_type = type;
	return srnic_ud_is_foreign(qp, ends);
}

static void qp0_is_for_the_nodes_that_are_named(struct kunit *test)
{
	struct srnic_ends ends;

	come_from(&ends, &manager, WITH_GRH, 0);
	KUNIT_EXPECT_FALSE(test, is_foreign(test, IB_QPT_SMI, &ends));
	come_from(&ends, &member, BY_LID, 0);
	KUNIT_EXPECT_FALSE(test, is_foreign(test, IB_QPT_SMI, &ends));
	come_from(&ends, &stranger, WITH_GRH, 0);
	KUNIT_EXPECT_TRUE(test, is_foreign(test, IB_QPT_SMI, &ends));
	come_from(&ends, &stranger, BY_LID, 30);
	KUNIT_EXPECT_TRUE(test, is_foreign(test, IB_QPT_SMI, &ends));
	/* a process of this node, or somebody who has taken its address */
	come_from(&ends, &own, BY_LID, 0);
	KUNIT_EXPECT_TRUE(test, is_foreign(test, IB_QPT_SMI, &ends));
	KUNIT_EXPECT_TRUE(test, is_foreign(test, IB_QPT_GSI, &ends));
	come_from(&ends, &own, WITH_GRH, 0);
	KUNIT_EXPECT_TRUE(test, is_foreign(test, IB_QPT_SMI, &ends));
	KUNIT_EXPECT_FALSE(test, is_foreign(test, IB_QPT_GSI, &ends));
	come_from(&ends, &own, SRNIC_IB_PORT, 0);
	ends.ifindex = LOOPBACK_IFINDEX;
	KUNIT_EXPECT_FALSE(test, is_foreign(test, IB_QPT_SMI, &ends));
}

static void the_list_says_which_lid_a_named_node_has(struct kunit *test)
{
	struct srnic_ends ends;

	come_from(&ends, &member, BY_LID, 30);
	KUNIT_EXPECT_EQ(test, slid(test, IB_QPT_GSI, &ends), MEMBER_LID);
	come_from(&ends, &manager, WITH_GRH, 0);
	KUNIT_EXPECT_EQ(test, slid(test, IB_QPT_GSI, &ends), MANAGER_LID);
}

static void another_node_may_say_which_lid_it_has(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_ends ends;
	union ib_gid gid;

	come_from(&ends, &stranger, BY_LID, 30);
	KUNIT_EXPECT_FALSE(test, is_foreign(test, IB_QPT_GSI, &ends));
	KUNIT_EXPECT_EQ(test, slid(test, IB_QPT_GSI, &ends), 30);
	KUNIT_EXPECT_EQ(test, srnic_lids_find(w->fabric, 30, &gid), 0);
	KUNIT_EXPECT_MEMEQ(test, gid.raw, stranger.raw, 16);
	/* the manager knows better */
	srnic_lids_learn(w->fabric, 30, &member);
	KUNIT_EXPECT_EQ(test, slid(test, IB_QPT_GSI, &ends), 30);
	KUNIT_EXPECT_EQ(test, srnic_lids_find(w->fabric, 30, &gid), 0);
	KUNIT_EXPECT_MEMEQ(test, gid.raw, member.raw, 16);
}

static void nobody_claims_the_lid_of_a_named_node(struct kunit *test)
{
	static const u32 claims[] = { 5, MANAGER_LID, MEMBER_LID, 0, 0xc000, 0xffff, 0x10005 };
	struct world *w = test->priv;
	struct srnic_ends ends;
	int i;

	w->subnet->nodes[0].lid = 5;
	w->fabric->lid = 5;
	for (i = 0; i < ARRAY_SIZE(claims); i++) {
		come_from(&ends, &stranger, BY_LID, claims[i]);
		KUNIT_EXPECT_EQ(test, slid(test, IB_QPT_GSI, &ends), 0);
	}
	come_from(&ends, &own, WITH_GRH, 5);
	KUNIT_EXPECT_EQ(test, slid(test, IB_QPT_GSI, &ends), 0);
	w->wc.slid = 0;
	w->fabric->lid = 0;
	KUNIT_EXPECT_FALSE(test, srnic_fabric_is_own(w->fabric, &w->wc));
}

static void only_the_kernel_of_this_node_has_the_permissive_lid(struct kunit *test)
{
	struct srnic_ends ends;

	come_from(&ends, &own, SRNIC_IB_PORT, 0);
	ends.ifindex = LOOPBACK_IFINDEX;
	KUNIT_EXPECT_EQ(test, slid(test, IB_QPT_UD, &ends), 0xffff);
	KUNIT_EXPECT_EQ(test, slid(test, IB_QPT_SMI, &ends), 0xffff);
	come_from(&ends, &stranger, BY_LID, 0xffff);
	KUNIT_EXPECT_EQ(test, slid(test, IB_QPT_UD, &ends), 0);
	/* ib_ipoib drops what it has sent itself */
	the_world->subnet->nodes[0].lid = 5;
	come_from(&ends, &own, WITH_GRH, 0);
	KUNIT_EXPECT_EQ(test, slid(test, IB_QPT_UD, &ends), 5);
}

/* -------------------------------------------------------------- the switch */

struct route {
	const char *what;
	u8 path[4];		/* the initial path, from hop 1 on */
	u8 cnt;
	u8 ptr;
	u8 in;
	bool back;
	u8 return_path[4];
	int out;
	u8 next_ptr;
};

static const struct route routes[] = {
	{ "to the switch", { 1 }, 1, 1, 1, false, {}, SRNIC_ROUTE_HERE, 2 },
	{ "to a node", { 1, 2 }, 2, 1, 1, false, {}, 2, 2 },
	{ "to this node", { 1, 1 }, 2, 1, 1, false, {}, 1, 2 },
	{ "beyond a node", { 1, 2, 4 }, 3, 1, 1, false, {}, 2, 2 },
	{ "by a port that is none", { 1, 37 }, 2, 1, 1, false, {}, SRNIC_ROUTE_DROP, 0 },
	{ "by port 0", { 1, 0 }, 2, 1, 1, false, {}, SRNIC_ROUTE_DROP, 0 },
	{ "before its begin", { 1 }, 1, 0, 1, false, {}, SRNIC_ROUTE_DROP, 0 },
	{ "behind its end", { 1 }, 1, 2, 1, false, {}, SRNIC_ROUTE_DROP, 0 },
	{ "too long", { 1 }, 64, 1, 1, false, {}, SRNIC_ROUTE_DROP, 0 },
	{ "back from a node", { 1, 2 }, 2, 2, 2, true, { 1, 1 }, 1, 1 },
	{ "back from another node", { 1, 2 }, 2, 2, 3, true, { 1, 1 }, SRNIC_ROUTE_DROP, 0 },
	{ "back to a port that is none", { 1, 2 }, 2, 2, 2, true, { 37, 1 }, SRNIC_ROUTE_DROP, 0 },
	{ "back at its end", { 1 }, 1, 1, 1, true, { 1 }, SRNIC_ROUTE_DROP, 0 },
	{ "back from too far", { 1, 2 }, 2, 3, 2, true, { 1, 1 }, SRNIC_ROUTE_DROP, 0 },
};

static void route_desc(const struct route *route, char *desc)
{
	strscpy(desc, route->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(route, routes, route_desc);

static void C14_9_C14_13_a_directed_route_goes_through_the_switch(struct kunit *test)
{
	const struct route *route = test->param_value;
	struct ib_smp s = {
		.hop_cnt = route->cnt,
		.hop_ptr = route->ptr,
		.dr_slid = IB_LID_PERMISSIVE,
		.dr_dlid = IB_LID_PERMISSIVE,
		.status = route->back ? IB_SMP_DIRECTION : 0,
	};

	memcpy(s.initial_path + 1, route->path, sizeof(route->path));
	memcpy(s.return_path + 1, route->return_path, sizeof(route->return_path));
	KUNIT_EXPECT_EQ(test, srnic_switch_route(&s, route->in), route->out);
	if (route->out == SRNIC_ROUTE_DROP)
		return;
	KUNIT_EXPECT_EQ(test, s.hop_ptr, route->next_ptr);
	if (!route->back)
		KUNIT_EXPECT_EQ(test, s.return_path[route->ptr], route->in);
	s.dr_dlid = cpu_to_be16(5);
	KUNIT_EXPECT_EQ(test, srnic_switch_route(&s, route->in), SRNIC_ROUTE_DROP);
}

/* Ask the switch, as from port 1. Return the data of its answer. */
static u8 *ask(struct kunit *test, u16 status)
{
	struct world *w = test->priv;

	mutex_lock(&w->sw->lock);
	srnic_switch_answer(w->sw, SRNIC_SWITCH_OWN, &w->in, &w->out);
	mutex_unlock(&w->sw->lock);
	KUNIT_EXPECT_EQ(test, w->out.mad_hdr.method, IB_MGMT_METHOD_GET_RESP);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(w->out.mad_hdr.status), status);
	return ((struct ib_smp *)&w->out)->data;
}

static struct ib_smp *about(struct kunit *test, u8 method, __be16 attr, u32 mod)
{
	struct ib_smp *s = smp(test, method, attr);

	s->attr_mod = cpu_to_be32(mod);
	return s;
}

static void the_switch_says_what_it_is(struct kunit *test)
{
	u8 *d;

	about(test, IB_MGMT_METHOD_GET, IB_SMP_ATTR_NODE_INFO, 0);
	d = ask(test, 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(d), 0x01010224); /* versions, switch, ports */
	KUNIT_EXPECT_EQ(test, get_unaligned_be64(d + 12), 0x1234);
	KUNIT_EXPECT_EQ(test, d[36], SRNIC_SWITCH_OWN);		/* the port it came by */
	about(test, IB_MGMT_METHOD_GET, IB_SMP_ATTR_NODE_DESC, 0);
	KUNIT_EXPECT_STREQ(test, (char *)ask(test, 0), "srnic switch of a node");
	about(test, IB_MGMT_METHOD_GET, IB_SMP_ATTR_GUID_INFO, 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be64(ask(test, 0)), 0x1234);
	about(test, IB_MGMT_METHOD_GET, IB_SMP_ATTR_SM_INFO, 0);
	ask(test, 0x0c);
	about(test, IB_MGMT_METHOD_SET, IB_SMP_ATTR_NODE_INFO, 0);
	ask(test, 0x0c);
}

static void switch_info_tells_of_a_change_until_it_is_cleared(struct kunit *test)
{
	struct world *w = test->priv;
	struct ib_smp *s;
	u8 *d;

	w->sw->changed = true;
	about(test, IB_MGMT_METHOD_GET, IB_SMP_ATTR_SWITCH_INFO, 0);
	d = ask(test, 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(d), 1024);		/* LinearFDBCap */
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(d + 4), 1024);		/* MulticastFDBCap */
	KUNIT_EXPECT_EQ(test, d[11] & 0x04, 0x04);			/* PortStateChange */
	s = about(test, IB_MGMT_METHOD_SET, IB_SMP_ATTR_SWITCH_INFO, 0);
	put_unaligned_be16(9, s->data + 6);				/* LinearFDBTop */
	s->data[11] = 0x90;
	d = ask(test, 0);
	KUNIT_EXPECT_EQ(test, d[11], 0x94);
	s->data[11] = 0x94;
	d = ask(test, 0);
	KUNIT_EXPECT_EQ(test, d[11], 0x90);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(d + 6), 9);
}

static void tables_are_kept_as_written(struct kunit *test)
{
	static const struct {
		__be16 attr;
		u32 first;
		u32 last;
		u32 beyond;
	} tables[] = {
		{ IB_SMP_ATTR_LINEAR_FORWARD_TABLE, 0, 15, 16 },
		{ IB_SMP_ATTR_MCAST_FORWARD_TABLE, 0, 0x2000001f, 0x20000020 },
		{ IB_SMP_ATTR_MCAST_FORWARD_TABLE, 0x10000003, 0x20000000, 0x30000000 },
	};
	struct ib_smp *s;
	int i;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		s = about(test, IB_MGMT_METHOD_SET, tables[i].attr, tables[i].last);
		memset(s->data, 0x40 + i, sizeof(s->data));
		ask(test, 0);
		about(test, IB_MGMT_METHOD_GET, tables[i].attr, tables[i].last);
		KUNIT_EXPECT_EQ(test, get_unaligned_be64(ask(test, 0) + 56),
				0x4040404040404040 + i * 0x0101010101010101);
		about(test, IB_MGMT_METHOD_GET, tables[i].attr, tables[i].first);
		KUNIT_EXPECT_EQ(test, get_unaligned_be64(ask(test, 0)), 0);
		about(test, IB_MGMT_METHOD_SET, tables[i].attr, tables[i].beyond);
		ask(test, 0x1c);
	}
}

static void port_0_alone_has_a_lid(struct kunit *test)
{
	struct world *w = test->priv;
	u8 *d;

	set_port(test, 12, MANAGER_LID, 0);
	ask(test, 0);
	KUNIT_EXPECT_EQ(test, w->sw->lid, 12);
	KUNIT_EXPECT_EQ(test, w->fabric->switch_lid, 12);
	about(test, IB_MGMT_METHOD_GET, IB_SMP_ATTR_PORT_INFO, 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(ask(test, 0) + 16), 12);
	set_port(test, 13, MANAGER_LID, IB_PORT_ARMED);
	w->in.mad_hdr.attr_mod = cpu_to_be32(SRNIC_SWITCH_FIRST);
	d = ask(test, 0);
	KUNIT_EXPECT_EQ(test, get_unaligned_be16(d + 16), 0);
	KUNIT_EXPECT_EQ(test, d[32] & 0xf, IB_PORT_ARMED);
	KUNIT_EXPECT_EQ(test, w->sw->lid, 12);
	about(test, IB_MGMT_METHOD_GET, IB_SMP_ATTR_PORT_INFO, SRNIC_SWITCH_PORTS + 1);
	ask(test, 0x1c);
}

static void a_port_that_is_down_cannot_be_armed(struct kunit *test)
{
	struct world *w = test->priv;

	w->sw->ports[SRNIC_SWITCH_FIRST].state = IB_PORT_DOWN;
	set_port(test, 0, 0, IB_PORT_ARMED);
	w->in.mad_hdr.attr_mod = cpu_to_be32(SRNIC_SWITCH_FIRST);
	KUNIT_EXPECT_EQ(test, ask(test, 0x1c)[32] & 0xf, IB_PORT_DOWN);
}

/* States of both ends of a link, and the next one of the switch's */
static const struct ends {
	u8 own;
	u8 other;
	u8 next;
} ends[] = {
	{ IB_PORT_DOWN, IB_PORT_INIT, IB_PORT_INIT },
	{ IB_PORT_DOWN, IB_PORT_ACTIVE, IB_PORT_INIT },
	{ IB_PORT_ARMED, IB_PORT_INIT, IB_PORT_ARMED },
	{ IB_PORT_ACTIVE, IB_PORT_INIT, IB_PORT_INIT },
	{ IB_PORT_ACTIVE, IB_PORT_ARMED, IB_PORT_ACTIVE },
	{ IB_PORT_ACTIVE, IB_PORT_ACTIVE, IB_PORT_ACTIVE },
};

static void a_link_that_was_cut_for_a_moment_is_configured_again(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_switch_port *link = &w->sw->ports[SRNIC_SWITCH_FIRST];
	int i;

	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		link->state = ends[i].own;
		w->sw->changed = false;
		mutex_lock(&w->sw->lock);
		srnic_switch_follow(w->sw, SRNIC_SWITCH_FIRST, ends[i].other);
		mutex_unlock(&w->sw->lock);
		KUNIT_EXPECT_EQ_MSG(test, link->state, ends[i].next, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, w->sw->changed, ends[i].own != ends[i].next,
				    "row %d", i);
	}
}

static struct kunit_case subnet_cases[] = {
	KUNIT_CASE(a_managed_port_waits_for_its_manager),
	KUNIT_CASE(a_manager_configures_the_port),
	KUNIT_CASE(others_do_not_configure_it),
	KUNIT_CASE(nodes_of_the_subnet_may_read),
	KUNIT_CASE(impossible_lids_and_states_are_refused),
	KUNIT_CASE(a_link_that_comes_back_waits_for_the_manager),
	KUNIT_CASE(a_port_without_a_manager_manages_itself_again),
	KUNIT_CASE(names_of_nodes_are_checked),
	KUNIT_CASE(requests_of_the_subnet_are_for_the_managers_sa),
	KUNIT_CASE(a_path_of_the_manager_says_which_port_has_a_lid),
	KUNIT_CASE(the_number_of_lids_is_bounded),
	KUNIT_CASE(qp0_is_for_the_nodes_that_are_named),
	KUNIT_CASE(the_list_says_which_lid_a_named_node_has),
	KUNIT_CASE(another_node_may_say_which_lid_it_has),
	KUNIT_CASE(nobody_claims_the_lid_of_a_named_node),
	KUNIT_CASE(only_the_kernel_of_this_node_has_the_permissive_lid),
	KUNIT_CASE_PARAM(C14_9_C14_13_a_directed_route_goes_through_the_switch, route_gen_params),
	KUNIT_CASE(the_switch_says_what_it_is),
	KUNIT_CASE(switch_info_tells_of_a_change_until_it_is_cleared),
	KUNIT_CASE(tables_are_kept_as_written),
	KUNIT_CASE(port_0_alone_has_a_lid),
	KUNIT_CASE(a_port_that_is_down_cannot_be_armed),
	KUNIT_CASE(a_link_that_was_cut_for_a_moment_is_configured_again),
	{}
};

static struct kunit_suite subnet_suite = {
	.name = "srnic-subnet",
	.init = subnet_init,
	.exit = subnet_exit,
	.test_cases = subnet_cases,
};

kunit_test_suite(subnet_suite);

MODULE_DESCRIPTION("KUnit suite of subnets that a subnet manager manages");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
