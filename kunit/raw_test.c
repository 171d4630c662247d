// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of raw packets: flow rules, the frames that they give to QPs, and the spreading of
 * frames over receive queues. R numbers are the rows of Documentation/security/rfc5042.md.
 */
#include <kunit/test.h>
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/module.h>
#include <linux/tcp.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/net_namespace.h>

#include "srnic.h"
#include "engine/frame.h"
#include "net/frame.h"
#include "raw/match.h"
#include "raw/raw.h"
#include "verbs/ops.h"

#define WR		8	/* entries of queues */
#define QPS		3
#define ROOM		2048	/* bytes of a receive */
#define PAYLOAD		100

#define V4		(SRNIC_HAVE_ETH | SRNIC_HAVE_IPV4)
#define V6		(SRNIC_HAVE_ETH | SRNIC_HAVE_IPV6)

/**
 * struct world - A device on a netdev of nobody, and raw packet QPs with a CQ each
 * @dev: the device
 * @pd: a protection domain
 * @cq: completion queues
 * @qp: queue pairs, which can receive
 * @room: memory of the receives of each
 * @cq_mem: memory of @cq
 * @qp_mem: memory of @qp
 */
struct world {
	struct srnic_dev *dev;
	struct ib_pd *pd;
	struct ib_cq *cq[QPS];
	struct srnic_qp *qp[QPS];
	u8 room[QPS][ROOM];
	struct srnic_cq cq_mem[QPS];
	struct srnic_qp qp_mem[QPS];
};

/* ---------------------------------------------------------------- fixture */

static void *zeroed(struct kunit *test, size_t size)
{
	void *object = kunit_kzalloc(test, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, object);
	return object;
}

static const struct ib_device_ops *ops_of(struct kunit *test)
{
	struct world *w = test->priv;

	return &w->dev->ib.ops;
}

static u64 counted(struct kunit *test, enum srnic_stat stat)
{
	struct world *w = test->priv;

	return srnic_stats_sum(w->dev->stats, stat);
}

/* The engine's part of a raw packet QP, with the queues of a kernel consumer. */
static void make_qp(struct kunit *test, int i)
{
	struct world *w = test->priv;
	const struct ib_cq_init_attr attr = { .cqe = WR };
	struct srnic_cq *cq = &w->cq_mem[i];
	struct srnic_qp *qp = &w->qp_mem[i];
	struct ib_qp_init_attr init = {
		.qp_type = IB_QPT_UC,
		.cap = { .max_send_wr = 1, .max_recv_wr = WR, .max_recv_sge = 1 },
	};

	cq->ib.device = &w->dev->ib;
	KUNIT_ASSERT_EQ(test, ops_of(test)->create_cq(&cq->ib, &attr, NULL), 0);
	w->cq[i] = &cq->ib;
	init.send_cq = &cq->ib;
	init.recv_cq = &cq->ib;
	qp->ib.device = &w->dev->ib;
	qp->ib.pd = w->pd;
	qp->ib.qp_type = IB_QPT_UC;
	KUNIT_ASSERT_EQ(test, ops_of(test)->create_qp(&qp->ib, &init, NULL), 0);
	qp->ib.qp_type = IB_QPT_RAW_PACKET;
	w->qp[i] = qp;
	spin_lock_bh(&qp->lock);
	qp->state = IB_QPS_RTR;
	spin_unlock_bh(&qp->lock);
}

static void close_world(void *arg)
{
	struct world *w = arg;

	for (int i = 0; i < QPS; i++) {
		if (w->qp[i])
			w->dev->ib.ops.destroy_qp(&w->qp[i]->ib, NULL);
		if (w->cq[i])
			w->dev->ib.ops.destroy_cq(w->cq[i], NULL);
	}
	if (w->pd)
		w->dev->ib.ops.dealloc_pd(w->pd, NULL);
	rcu_barrier();
	srnic_dev_close(w->dev);
	if (w->dev->ndev)
		free_netdev(w->dev->ndev);
}

static int raw_test_init(struct kunit *test)
{
	struct world *w = zeroed(test, sizeof(*w));
	struct srnic_pd *pd = zeroed(test, sizeof(*pd));
	struct ib_port_data *ports = zeroed(test, 2 * sizeof(*ports));

	test->priv = w;
	w->dev = zeroed(test, sizeof(*w->dev));
	ports[SRNIC_PORT].immutable.core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	w->dev->ib.port_data = ports;
	w->dev->net = &init_net;
	srnic_dev_init(w->dev);
	KUNIT_ASSERT_EQ(test, kunit_add_action(test, close_world, w), 0);
	KUNIT_ASSERT_EQ(test, srnic_dev_open(w->dev), 0);
	w->dev->ndev = alloc_etherdev(0);
	KUNIT_ASSERT_NOT_NULL(test, w->dev->ndev);
	pd->ib.device = &w->dev->ib;
	KUNIT_ASSERT_EQ(test, ops_of(test)->alloc_pd(&pd->ib, NULL), 0);
	w->pd = &pd->ib;
	for (int i = 0; i < QPS; i++)
		make_qp(test, i);
	return 0;
}

/* Post a receive of @len bytes to a QP. */
static void post(struct kunit *test, int i, u32 len)
{
	struct world *w = test->priv;
	struct ib_sge sge = {
		.addr = (uintptr_t)w->room[i], .length = len, .lkey = SRNIC_DMA_LKEY,
	};
	const struct ib_recv_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 };
	const struct ib_recv_wr *bad;

	KUNIT_ASSERT_EQ(test, ops_of(test)->post_recv(&w->qp[i]->ib, &wr, &bad), 0);
}

/* Return the bytes of the next completion of a QP; 0: none; a failed one's status, negated */
static int received(struct kunit *test, int i)
{
	struct world *w = test->priv;
	struct ib_wc wc;

	if (!ops_of(test)->poll_cq(w->cq[i], 1, &wc))
		return 0;
	KUNIT_EXPECT_EQ(test, wc.wr_id, i);
	return wc.status ? -wc.status : wc.byte_len;
}

/* ----------------------------------------------------------------- frames */

/* A frame of some kind; all fields that rules can name differ from 0 */
static u32 write_frame(u8 *frame, u32 have)
{
	static const u8 dst[ETH_ALEN] = { 0x01, 0x50, 0x56, 0x19, 0x20, 0xa7 };
	static const u8 src[ETH_ALEN] = { 0x24, 0x8a, 0x07, 0xa5, 0x28, 0xc8 };
	u8 *at = frame + ETH_HLEN;
	__be16 type = htons(have & SRNIC_HAVE_IPV6 ? ETH_P_IPV6 : ETH_P_IP);
	u8 proto = have & SRNIC_HAVE_TCP ? IPPROTO_TCP : IPPROTO_UDP;
	__be16 ports[2] = { htons(1234), htons(5678) };

	memcpy(frame, dst, ETH_ALEN);
	memcpy(frame + ETH_ALEN, src, ETH_ALEN);
	memcpy(frame + 2 * ETH_ALEN, &type, sizeof(type));
	if (have & SRNIC_HAVE_VLAN) {
		static const __be16 tag[2] = { cpu_to_be16(ETH_P_8021Q), cpu_to_be16(0xac0c) };

		memcpy(frame + 2 * ETH_ALEN, tag, sizeof(tag));
		memcpy(frame + ETH_HLEN + 2, &type, sizeof(type));
		at += VLAN_HLEN;
	}
	if (have & SRNIC_HAVE_IPV6) {
		struct ipv6hdr ip = {
			.version = 6, .priority = 0xa, .flow_lbl = { 0xb1, 0xc2, 0xd3 },
			.payload_len = htons(PAYLOAD), .nexthdr = proto, .hop_limit = 64,
		};

		memset(&ip.saddr, 0xa5, sizeof(ip.saddr));
		memset(&ip.daddr, 0x5a, sizeof(ip.daddr));
		memcpy(at, &ip, sizeof(ip));
		at += sizeof(ip);
	} else {
		struct iphdr ip = {
			.version = 4, .ihl = 6, .tos = 0x1c, .ttl = 63, .protocol = proto,
			.tot_len = htons(24 + PAYLOAD), .frag_off = htons(IP_DF),
			.saddr = htonl(0x01020304), .daddr = htonl(0x05060708),
		};

		memcpy(at, &ip, sizeof(ip));
		memset(at + sizeof(ip), 1, 4);	/* options: NOP */
		at += sizeof(ip) + 4;
	}
	memcpy(at, ports, sizeof(ports));
	for (u32 i = sizeof(ports); i < PAYLOAD; i++)
		at[i] = i;
	return at + PAYLOAD - frame;
}

/* A frame as the stack has it: behind its Ethernet header */
static struct sk_buff *make_skb(struct kunit *test, u32 have)
{
	struct world *w = test->priv;
	struct sk_buff *skb = alloc_skb(ROOM, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_reserve(skb, 64);
	skb_put(skb, write_frame(skb->data, have));
	skb->dev = w->dev->ndev;
	skb->protocol = eth_type_trans(skb, w->dev->ndev);
	skb_reset_network_header(skb);
	return skb;
}

/* Let the stack give a frame to the device's tap. */
static void arrive(struct kunit *test, struct sk_buff *skb)
{
	struct world *w = test->priv;
	struct srnic_tap *tap;

	local_bh_disable();
	rcu_read_lock();
	tap = rcu_dereference(w->dev->tap);
	if (tap)
		tap->pt.func(skb, w->dev->ndev, &tap->pt, w->dev->ndev);
	else
		kfree_skb(skb);
	rcu_read_unlock();
	local_bh_enable();
}

static void arrive_plain(struct kunit *test)
{
	arrive(test, make_skb(test, V4));
}

/* ------------------------------------------------------------------ rules */

/* A rule of one part at most */
struct rule {
	struct ib_flow_attr attr;
	union ib_flow_spec spec;
};

static struct ib_flow *add(struct kunit *test, int i, const struct ib_flow_attr *attr)
{
	struct world *w = test->priv;
	struct ib_flow *flow = srnic_flow_add(w->qp[i], attr);

	KUNIT_ASSERT_FALSE(test, IS_ERR(flow));
	return flow;
}

static struct ib_flow *add_type(struct kunit *test, int i, enum ib_flow_attr_type type)
{
	const struct ib_flow_attr attr = { .type = type, .size = sizeof(attr) };

	return add(test, i, &attr);
}

static struct ib_flow *add_priority(struct kunit *test, int i, u16 priority, u32 flags)
{
	const struct ib_flow_attr attr = {
		.size = sizeof(attr), .priority = priority, .flags = flags,
	};

	return add(test, i, &attr);
}

static void remove_flow(struct kunit *test, struct ib_flow *flow)
{
	struct world *w = test->priv;

	srnic_flow_remove(w->dev, flow);
}

/* Where the fields of a header are in a rule, followed by the mask, and in those of a frame */
struct place {
	size_t val;
	size_t key;
	size_t len;
};

struct kind_param {
	const char *name;
	u32 type;
	u32 frame;	/* SRNIC_HAVE_* of a frame that has the header */
	u32 other;	/* and of one that has not */
	struct place at;
};

#define ETHERNET	{ offsetof(union ib_flow_spec, eth.val),		\
			  offsetof(struct srnic_frame_key, eth),		\
			  sizeof(struct ib_flow_eth_filter) }
#define IP4		{ offsetof(union ib_flow_spec, ipv4.val),		\
			  offsetof(struct srnic_frame_key, ipv4),		\
			  sizeof(struct ib_flow_ipv4_filter) }
#define IP6		{ offsetof(union ib_flow_spec, ipv6.val),		\
			  offsetof(struct srnic_frame_key, ipv6),		\
			  sizeof(struct ib_flow_ipv6_filter) }
#define PORTS		{ offsetof(union ib_flow_spec, tcp_udp.val),		\
			  offsetof(struct srnic_frame_key, ports),		\
			  sizeof(struct ib_flow_tcp_udp_filter) }

static const struct kind_param kind_params[] = {
	{ "Ethernet with a VLAN", IB_FLOW_SPEC_ETH, V4 | SRNIC_HAVE_VLAN, V4, ETHERNET },
	{ "IPv4", IB_FLOW_SPEC_IPV4, V4, V6, IP4 },
	{ "IPv4 behind a VLAN header", IB_FLOW_SPEC_IPV4, V4 | SRNIC_HAVE_VLAN, V6, IP4 },
	{ "IPv6", IB_FLOW_SPEC_IPV6, V6, V4, IP6 },
	{ "TCP over IPv4", IB_FLOW_SPEC_TCP, V4 | SRNIC_HAVE_TCP, V4, PORTS },
	{ "TCP over IPv6", IB_FLOW_SPEC_TCP, V6 | SRNIC_HAVE_TCP, V6, PORTS },
	{ "UDP over IPv4", IB_FLOW_SPEC_UDP, V4, V4 | SRNIC_HAVE_TCP, PORTS },
	{ "UDP over IPv6", IB_FLOW_SPEC_UDP, V6, V6 | SRNIC_HAVE_TCP, PORTS },
};

static void kind_desc(const struct kind_param *p, char *desc)
{
	strscpy(desc, p->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(kind, kind_params, kind_desc);

static void parse(struct srnic_frame_key *key, u32 have)
{
	u8 frame[256];
	u32 len = write_frame(frame, have);

	srnic_frame_parse(key, frame, min_t(u32, len, SRNIC_FRAME_HEAD));
}

static bool spec_matches(struct kunit *test, const union ib_flow_spec *spec,
			 const struct srnic_frame_key *key)
{
	struct srnic_match match = {};

	KUNIT_ASSERT_EQ(test, srnic_match_make(&match, spec), 0);
	return srnic_match_frame(&match, key);
}

static void a_rule_compares_each_bit_that_its_mask_has_and_no_other(struct kunit *test)
{
	const struct kind_param *p = test->param_value;
	union ib_flow_spec spec = { .type = p->type };
	u8 *val = (u8 *)&spec + p->at.val, *mask = val + p->at.len;
	struct srnic_frame_key key, other;

	parse(&key, p->frame);
	parse(&other, p->other);
	memcpy(val, (u8 *)&key + p->at.key, p->at.len);
	memset(mask, 0xff, p->at.len);
	KUNIT_EXPECT_TRUE(test, spec_matches(test, &spec, &key));
	KUNIT_EXPECT_FALSE(test, spec_matches(test, &spec, &other));
	for (size_t i = 0; i < p->at.len * 8; i++) {
		val[i / 8] ^= BIT(i % 8);
		KUNIT_EXPECT_FALSE_MSG(test, spec_matches(test, &spec, &key), "bit %zu", i);
		mask[i / 8] ^= BIT(i % 8);
		KUNIT_EXPECT_TRUE_MSG(test, spec_matches(test, &spec, &key), "bit %zu", i);
		mask[i / 8] ^= BIT(i % 8);
		val[i / 8] ^= BIT(i % 8);
	}
}

/* The fields are those that were written, each at its place. */
static void the_fields_of_a_frame_are_those_that_it_has(struct kunit *test)
{
	struct srnic_frame_key key;

	parse(&key, V4 | SRNIC_HAVE_VLAN);
	KUNIT_EXPECT_EQ(test, key.have, V4 | SRNIC_HAVE_VLAN | SRNIC_HAVE_UDP);
	KUNIT_EXPECT_EQ(test, key.eth.dst_mac[0], 0x01);
	KUNIT_EXPECT_EQ(test, key.eth.src_mac[5], 0xc8);
	KUNIT_EXPECT_EQ(test, ntohs(key.eth.ether_type), ETH_P_IP);
	KUNIT_EXPECT_EQ(test, ntohs(key.eth.vlan_tag), 0xac0c);
	KUNIT_EXPECT_EQ(test, ntohl(key.ipv4.src_ip), 0x01020304);
	KUNIT_EXPECT_EQ(test, ntohl(key.ipv4.dst_ip), 0x05060708);
	KUNIT_EXPECT_EQ(test, key.ipv4.proto, IPPROTO_UDP);
	KUNIT_EXPECT_EQ(test, key.ipv4.tos, 0x1c);
	KUNIT_EXPECT_EQ(test, key.ipv4.ttl, 63);
	KUNIT_EXPECT_EQ(test, key.ipv4.flags, IB_IPV4_DONT_FRAG);
	KUNIT_EXPECT_EQ(test, ntohs(key.ports.src_port), 1234);
	KUNIT_EXPECT_EQ(test, ntohs(key.ports.dst_port), 5678);

	parse(&key, V6 | SRNIC_HAVE_TCP);
	KUNIT_EXPECT_EQ(test, key.have, V6 | SRNIC_HAVE_TCP);
	KUNIT_EXPECT_EQ(test, key.ipv6.src_ip[15], 0xa5);
	KUNIT_EXPECT_EQ(test, key.ipv6.dst_ip[0], 0x5a);
	KUNIT_EXPECT_EQ(test, ntohl(key.ipv6.flow_label), 0x1c2d3);
	KUNIT_EXPECT_EQ(test, key.ipv6.traffic_class, 0xab);
	KUNIT_EXPECT_EQ(test, key.ipv6.next_hdr, IPPROTO_TCP);
	KUNIT_EXPECT_EQ(test, key.ipv6.hop_limit, 64);
}

/* KASAN watches the copy, which is as long as the frame. */
static void a_frame_that_is_cut_short_has_only_whole_headers(struct kunit *test)
{
	static const u32 kinds[] = { V4, V6, V4 | SRNIC_HAVE_VLAN, V6 | SRNIC_HAVE_TCP };
	struct srnic_frame_key whole, key;
	u8 frame[256];

	for (int i = 0; i < ARRAY_SIZE(kinds); i++) {
		u32 last = 0;

		write_frame(frame, kinds[i]);
		parse(&whole, kinds[i]);
		for (u32 len = 0; len <= SRNIC_FRAME_HEAD; len++) {
			u8 *copy = kmemdup(frame, len, GFP_KERNEL);

			KUNIT_ASSERT_NOT_NULL(test, copy);
			srnic_frame_parse(&key, copy, len);
			kfree(copy);
			KUNIT_EXPECT_EQ(test, key.have & ~whole.have, 0);
			KUNIT_EXPECT_EQ(test, key.have & last, last);
			last = key.have;
		}
		KUNIT_EXPECT_EQ(test, last, whole.have);
	}
}

static void ports_are_in_first_fragments_and_behind_no_extension(struct kunit *test)
{
	struct srnic_frame_key key;
	u8 frame[256];

	write_frame(frame, V4);
	frame[ETH_HLEN + 6] = 0x20;	/* more fragments */
	srnic_frame_parse(&key, frame, SRNIC_FRAME_HEAD);
	KUNIT_EXPECT_EQ(test, key.have, V4 | SRNIC_HAVE_UDP);
	KUNIT_EXPECT_EQ(test, key.ipv4.flags, IB_IPV4_MORE_FRAG);
	frame[ETH_HLEN + 7] = 1;	/* the second one */
	srnic_frame_parse(&key, frame, SRNIC_FRAME_HEAD);
	KUNIT_EXPECT_EQ(test, key.have, V4);

	write_frame(frame, V6);
	frame[ETH_HLEN + 6] = IPPROTO_HOPOPTS;
	srnic_frame_parse(&key, frame, SRNIC_FRAME_HEAD);
	KUNIT_EXPECT_EQ(test, key.have, V6);
}

static void a_header_of_another_version_or_length_is_none(struct kunit *test)
{
	static const u8 firsts[] = { 0x56, 0x40, 0x44, 0x06, 0x00, 0xff };
	struct srnic_frame_key key;
	u8 frame[256];

	for (int i = 0; i < ARRAY_SIZE(firsts); i++) {
		write_frame(frame, V4);
		frame[ETH_HLEN] = firsts[i];
		srnic_frame_parse(&key, frame, SRNIC_FRAME_HEAD);
		KUNIT_EXPECT_EQ_MSG(test, key.have, SRNIC_HAVE_ETH, "%#x", firsts[i]);
	}
	write_frame(frame, V6);
	frame[ETH_HLEN] = 0x4a;
	srnic_frame_parse(&key, frame, SRNIC_FRAME_HEAD);
	KUNIT_EXPECT_EQ(test, key.have, SRNIC_HAVE_ETH);
}

static void headers_and_actions_that_are_not_known_are_refused(struct kunit *test)
{
	static const u32 types[] = {
		IB_FLOW_SPEC_IB, IB_FLOW_SPEC_ESP, IB_FLOW_SPEC_VXLAN_TUNNEL, IB_FLOW_SPEC_GRE,
		IB_FLOW_SPEC_MPLS, IB_FLOW_SPEC_INNER | IB_FLOW_SPEC_ETH, IB_FLOW_SPEC_ACTION_TAG,
		IB_FLOW_SPEC_ACTION_DROP, IB_FLOW_SPEC_ACTION_HANDLE, IB_FLOW_SPEC_ACTION_COUNT,
	};
	struct srnic_match match;

	for (int i = 0; i < ARRAY_SIZE(types); i++) {
		const union ib_flow_spec spec = { .type = types[i] };

		KUNIT_EXPECT_EQ(test, srnic_match_make(&match, &spec), -EOPNOTSUPP);
	}
}

static void rules_that_cannot_be_kept_are_refused(struct kunit *test)
{
	struct world *w = test->priv;
	static const struct {
		int type, flags, specs, size, err;
	} cases[] = {
		{ .flags = IB_FLOW_ATTR_FLAGS_EGRESS, .size = sizeof(struct rule),
		  .err = -EOPNOTSUPP },
		{ .type = IB_FLOW_ATTR_SNIFFER + 1, .size = sizeof(struct rule),
		  .err = -EOPNOTSUPP },
		{ .type = IB_FLOW_ATTR_ALL_DEFAULT, .specs = 1, .size = sizeof(struct rule),
		  .err = -EINVAL },
		{ .specs = 1, .size = sizeof(struct ib_flow_attr), .err = -EINVAL },
	};

	for (int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct rule rule = {
			.attr = { .type = cases[i].type, .flags = cases[i].flags,
				  .num_of_specs = cases[i].specs, .size = cases[i].size },
			.spec.eth = { .type = IB_FLOW_SPEC_ETH, .size = sizeof(rule.spec.eth) },
		};

		KUNIT_EXPECT_EQ(test, PTR_ERR(srnic_flow_add(w->qp[0], &rule.attr)),
				cases[i].err);
	}
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(w->dev->tap));
}

static void R28_only_raw_packet_qps_of_the_netdevs_namespace_get_rules(struct kunit *test)
{
	const struct ib_flow_attr attr = { .size = sizeof(attr), .port = SRNIC_PORT };
	const struct ib_flow_attr elsewhere = { .size = sizeof(attr), .port = SRNIC_PORT + 1 };
	struct world *w = test->priv;
	struct ib_qp *qp = &w->qp[0]->ib;

	KUNIT_EXPECT_EQ(test, PTR_ERR(ops_of(test)->create_flow(qp, (void *)&elsewhere, NULL)),
			-EINVAL);
	qp->qp_type = IB_QPT_UD;
	KUNIT_EXPECT_EQ(test, PTR_ERR(ops_of(test)->create_flow(qp, (void *)&attr, NULL)),
			-EOPNOTSUPP);
	qp->qp_type = IB_QPT_RAW_PACKET;
	w->dev->net = (struct net *)w;	/* not this thread's; it is only compared */
	KUNIT_EXPECT_EQ(test, PTR_ERR(ops_of(test)->create_flow(qp, (void *)&attr, NULL)), -EPERM);
	w->dev->net = &init_net;
	KUNIT_EXPECT_EQ(test, srnic_quota_get(&w->dev->guard, SRNIC_QUOTA_FLOW).used, 0);
}

static void R18_rules_are_counted_and_given_back(struct kunit *test)
{
	struct ib_flow_attr attr = { .size = sizeof(attr), .port = SRNIC_PORT };
	struct world *w = test->priv;
	struct ib_flow *flow;

	srnic_quota_set(&w->dev->guard, SRNIC_QUOTA_FLOW, 1, 0);
	flow = ops_of(test)->create_flow(&w->qp[0]->ib, &attr, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(flow));
	flow->qp = &w->qp[0]->ib;	/* as the core does */
	flow->device = &w->dev->ib;
	KUNIT_EXPECT_EQ(test, PTR_ERR(ops_of(test)->create_flow(&w->qp[0]->ib, &attr, NULL)),
			-ENOMEM);
	attr.flags = IB_FLOW_ATTR_FLAGS_EGRESS;
	KUNIT_EXPECT_EQ(test, ops_of(test)->destroy_flow(flow), 0);
	KUNIT_EXPECT_EQ(test, PTR_ERR(ops_of(test)->create_flow(&w->qp[0]->ib, &attr, NULL)),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, srnic_quota_get(&w->dev->guard, SRNIC_QUOTA_FLOW).used, 0);
}

/* ---------------------------------------------------------------- receipt */

static void the_first_level_that_has_a_rule_gets_the_frame(struct kunit *test)
{
	struct ib_flow *flow[2];

	for (int i = 0; i < QPS; i++)
		post(test, i, ROOM);
	flow[0] = add_priority(test, 0, 7, 0);
	flow[1] = add_priority(test, 1, 6, 0);
	arrive_plain(test);
	KUNIT_EXPECT_EQ(test, received(test, 0), 0);
	KUNIT_EXPECT_GT(test, received(test, 1), 0);
	remove_flow(test, flow[1]);
	arrive_plain(test);
	KUNIT_EXPECT_GT(test, received(test, 0), 0);
	KUNIT_EXPECT_EQ(test, received(test, 1), 0);
	remove_flow(test, flow[0]);
	arrive_plain(test);
	KUNIT_EXPECT_EQ(test, received(test, 0), 0);
}

static void each_qp_of_a_level_gets_a_frame_once(struct kunit *test)
{
	struct ib_flow *flow[4];

	for (int i = 0; i < 4; i++) {
		post(test, i % 2, ROOM);
		flow[i] = add_priority(test, i % 2, 3, 0);
	}
	arrive_plain(test);
	for (int i = 0; i < 2; i++) {
		KUNIT_EXPECT_GT(test, received(test, i), 0);
		KUNIT_EXPECT_EQ(test, received(test, i), 0);
	}
	for (int i = 0; i < 4; i++)
		remove_flow(test, flow[i]);
}

static void a_rule_that_does_not_trap_lets_frames_pass(struct kunit *test)
{
	struct ib_flow *flow[2];

	post(test, 0, ROOM);
	post(test, 1, ROOM);
	flow[0] = add_priority(test, 0, 0, IB_FLOW_ATTR_FLAGS_DONT_TRAP);
	flow[1] = add_priority(test, 1, 1, 0);
	arrive_plain(test);
	KUNIT_EXPECT_GT(test, received(test, 0), 0);
	KUNIT_EXPECT_GT(test, received(test, 1), 0);
	remove_flow(test, flow[0]);
	remove_flow(test, flow[1]);
}

static void defaults_get_what_no_other_rule_gets_and_sniffers_all(struct kunit *test)
{
	struct ib_flow *all = add_type(test, 0, IB_FLOW_ATTR_ALL_DEFAULT);
	struct ib_flow *group = add_type(test, 1, IB_FLOW_ATTR_MC_DEFAULT);
	struct ib_flow *sniffer = add_type(test, 2, IB_FLOW_ATTR_SNIFFER);
	struct sk_buff *single;

	for (int i = 0; i < QPS; i++) {
		post(test, i, ROOM);
		post(test, i, ROOM);
	}
	arrive_plain(test);
	KUNIT_EXPECT_EQ(test, received(test, 0), 0);
	KUNIT_EXPECT_GT(test, received(test, 1), 0);
	KUNIT_EXPECT_GT(test, received(test, 2), 0);
	single = make_skb(test, V4);
	*skb_mac_header(single) = 0x02;
	arrive(test, single);
	KUNIT_EXPECT_GT(test, received(test, 0), 0);
	KUNIT_EXPECT_EQ(test, received(test, 1), 0);
	KUNIT_EXPECT_GT(test, received(test, 2), 0);
	remove_flow(test, all);
	remove_flow(test, group);
	remove_flow(test, sniffer);
}

static void a_received_frame_is_the_one_that_was_sent(struct kunit *test)
{
	struct ib_flow *flow = add_type(test, 0, IB_FLOW_ATTR_NORMAL);
	struct world *w = test->priv;
	u8 frame[256];
	u32 len = write_frame(frame, V4);

	post(test, 0, ROOM);
	arrive_plain(test);
	KUNIT_EXPECT_EQ(test, received(test, 0), len);
	KUNIT_EXPECT_EQ(test, memcmp(w->room[0], frame, len), 0);
	remove_flow(test, flow);
}

static void a_frame_that_is_too_long_costs_its_receive_and_no_more(struct kunit *test)
{
	struct ib_flow *flow = add_type(test, 0, IB_FLOW_ATTR_NORMAL);
	struct world *w = test->priv;
	u8 frame[256];
	u32 len = write_frame(frame, V4);

	post(test, 0, len - 1);
	post(test, 0, len);
	arrive_plain(test);
	KUNIT_EXPECT_EQ(test, received(test, 0), -IB_WC_LOC_LEN_ERR);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_raw_too_long), 1);
	KUNIT_EXPECT_NULL(test, memchr_inv(w->room[0], 0, ROOM));
	arrive_plain(test);
	KUNIT_EXPECT_EQ(test, received(test, 0), len);
	arrive_plain(test);
	KUNIT_EXPECT_EQ(test, received(test, 0), 0);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_raw_no_recv), 1);
	remove_flow(test, flow);
}

static void frames_of_this_host_and_of_other_namespaces_are_not_received(struct kunit *test)
{
	static const u8 types[] = { PACKET_OUTGOING, PACKET_LOOPBACK };
	struct ib_flow *flow = add_type(test, 0, IB_FLOW_ATTR_SNIFFER);
	struct world *w = test->priv;
	struct srnic_tap *tap = rcu_dereference_protected(w->dev->tap, true);

	post(test, 0, ROOM);
	for (int i = 0; i < ARRAY_SIZE(types); i++) {
		struct sk_buff *skb = make_skb(test, V4);

		skb->pkt_type = types[i];
		arrive(test, skb);
	}
	tap->net = (struct net *)w;	/* as if the netdev had moved */
	arrive_plain(test);
	tap->net = &init_net;
	KUNIT_EXPECT_EQ(test, received(test, 0), 0);
	arrive_plain(test);
	KUNIT_EXPECT_GT(test, received(test, 0), 0);
	remove_flow(test, flow);
}

static void a_qp_that_cannot_receive_gets_no_frames(struct kunit *test)
{
	struct ib_flow *flow = add_type(test, 0, IB_FLOW_ATTR_NORMAL);
	struct world *w = test->priv;

	post(test, 0, ROOM);
	WRITE_ONCE(w->qp[0]->state, IB_QPS_INIT);
	arrive_plain(test);
	KUNIT_EXPECT_EQ(test, received(test, 0), 0);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_raw_no_recv), 0);
	WRITE_ONCE(w->qp[0]->state, IB_QPS_RTR);
	remove_flow(test, flow);
}

static void the_tap_is_open_while_there_are_rules(struct kunit *test)
{
	struct world *w = test->priv;
	struct ib_flow *flow[2];

	KUNIT_EXPECT_TRUE(test, list_empty(&w->dev->ndev->ptype_all));
	flow[0] = add_type(test, 0, IB_FLOW_ATTR_NORMAL);
	flow[1] = add_type(test, 1, IB_FLOW_ATTR_NORMAL);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&w->dev->ndev->ptype_all));
	remove_flow(test, flow[0]);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&w->dev->ndev->ptype_all));
	remove_flow(test, flow[1]);
	KUNIT_EXPECT_TRUE(test, list_empty(&w->dev->ndev->ptype_all));
}

/* ------------------------------------------------- what the stack has changed */

static void a_vlan_header_beside_the_frame_is_received_in_it(struct kunit *test)
{
	struct ib_flow *flow = add_type(test, 0, IB_FLOW_ATTR_NORMAL);
	struct sk_buff *skb = make_skb(test, V4);
	struct world *w = test->priv;
	struct srnic_frame_key key;
	u8 frame[256], head[SRNIC_FRAME_HEAD];
	u32 len = write_frame(frame, V4 | SRNIC_HAVE_VLAN);

	__vlan_hwaccel_put_tag(skb, htons(ETH_P_8021Q), 0xac0c);
	srnic_frame_parse(&key, head, srnic_frame_read(skb, head, sizeof(head)));
	KUNIT_EXPECT_EQ(test, key.have, V4 | SRNIC_HAVE_VLAN | SRNIC_HAVE_UDP);
	KUNIT_EXPECT_EQ(test, memcmp(head, frame, sizeof(head)), 0);
	post(test, 0, ROOM);
	arrive(test, skb);
	KUNIT_EXPECT_EQ(test, received(test, 0), len);
	KUNIT_EXPECT_EQ(test, memcmp(w->room[0], frame, len), 0);
	remove_flow(test, flow);
}

/* Returns a TCP segment of IPv4 without options, whose checksum is left to a device. */
static struct sk_buff *make_tcp(struct kunit *test, u32 payload)
{
	struct sk_buff *skb = make_skb(test, V4 | SRNIC_HAVE_TCP);
	struct iphdr *ip = ip_hdr(skb);
	struct tcphdr *tcp;

	skb_trim(skb, sizeof(*ip));
	ip->ihl = 5;
	ip->tot_len = htons(sizeof(*ip) + sizeof(*tcp) + payload);
	ip->check = 0;
	ip->check = ip_fast_csum((u8 *)ip, ip->ihl);
	tcp = skb_put_zero(skb, sizeof(*tcp));
	skb_set_transport_header(skb, sizeof(*ip));
	tcp->doff = 5;
	tcp->ack = 1;
	memset(skb_put(skb, payload), 0x77, payload);
	tcp->check = ~csum_tcpudp_magic(ip->saddr, ip->daddr, skb->len - sizeof(*ip),
				       IPPROTO_TCP, 0);
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_transport_header(skb) - skb->head;
	skb->csum_offset = offsetof(struct tcphdr, check);
	return skb;
}

static bool tcp_frame_ok(const u8 *frame, u32 len)
{
	const struct iphdr *ip = (const void *)(frame + ETH_HLEN);
	u32 bytes = len - ETH_HLEN - sizeof(*ip);

	return ntohs(ip->tot_len) == len - ETH_HLEN && !ip_fast_csum(ip, 5) &&
	       !csum_tcpudp_magic(ip->saddr, ip->daddr, bytes, IPPROTO_TCP,
				  csum_partial(ip + 1, bytes, 0));
}

static void a_checksum_that_was_left_to_a_device_is_computed(struct kunit *test)
{
	struct ib_flow *flow = add_type(test, 0, IB_FLOW_ATTR_NORMAL);
	struct sk_buff *skb = make_tcp(test, 100);
	struct world *w = test->priv;
	__sum16 before = tcp_hdr(skb)->check;
	int len;

	post(test, 0, ROOM);
	skb_get(skb);
	arrive(test, skb);
	len = received(test, 0);
	KUNIT_EXPECT_EQ(test, len, ETH_HLEN + 20 + 20 + 100);
	KUNIT_EXPECT_TRUE(test, tcp_frame_ok(w->room[0], len));
	/* the stack's own is as it was */
	KUNIT_EXPECT_TRUE(test, tcp_hdr(skb)->check == before);
	KUNIT_EXPECT_TRUE(test, skb->ip_summed == CHECKSUM_PARTIAL);
	kfree_skb(skb);
	remove_flow(test, flow);
}

static void a_super_packet_is_received_frame_by_frame(struct kunit *test)
{
	struct ib_flow *flow = add_type(test, 0, IB_FLOW_ATTR_NORMAL);
	struct sk_buff *skb = make_tcp(test, 250);
	struct world *w = test->priv;
	u8 *copy = zeroed(test, skb->len);

	skb_shinfo(skb)->gso_type = SKB_GSO_TCPV4;
	skb_shinfo(skb)->gso_size = 100;
	skb_shinfo(skb)->gso_segs = 3;
	memcpy(copy, skb->data, skb->len);
	for (int i = 0; i < 4; i++)
		post(test, 0, ROOM);
	skb_get(skb);
	arrive(test, skb);
	for (int i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, received(test, 0), ETH_HLEN + 40 + (i < 2 ? 100 : 50));
	KUNIT_EXPECT_EQ(test, received(test, 0), 0);
	KUNIT_EXPECT_TRUE(test, tcp_frame_ok(w->room[0], ETH_HLEN + 40 + 50));
	KUNIT_EXPECT_EQ(test, memcmp(copy, skb->data, skb->len), 0);
	kfree_skb(skb);
	remove_flow(test, flow);
}

/* -------------------------------------------------------------------- RSS */

static const u8 rss_key[SRNIC_RX_HASH_KEY_LEN] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
	0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
	0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

#define HASH_IPV4	(SRNIC_RX_HASH_SRC_IPV4 | SRNIC_RX_HASH_DST_IPV4)
#define HASH_IPV6	(SRNIC_RX_HASH_SRC_IPV6 | SRNIC_RX_HASH_DST_IPV6)
#define HASH_TCP	(SRNIC_RX_HASH_SRC_PORT_TCP | SRNIC_RX_HASH_DST_PORT_TCP)
#define HASH_UDP	(SRNIC_RX_HASH_SRC_PORT_UDP | SRNIC_RX_HASH_DST_PORT_UDP)

static u32 hash(struct kunit *test, const struct srnic_frame_key *key, u32 fields)
{
	struct srnic_rss *rss = zeroed(test, sizeof(*rss));

	rss->fields = fields;
	memcpy(rss->key, rss_key, sizeof(rss_key));
	return srnic_rss_hash(rss, key);
}

/* Microsoft, "Verifying the RSS Hash Calculation" */
static void hashes_are_those_that_are_published(struct kunit *test)
{
	static const struct {
		u32 src, dst;
		u16 sport, dport;
		u32 ip, tcp;
	} v4[] = {
		{ 0x420995bb, 0xa18e6450, 2794, 1766, 0x323e8fc2, 0x51ccc178 },
		{ 0xc75c6f02, 0x41458c53, 14230, 4739, 0xd718262a, 0xc626b0ea },
		{ 0x1813c65f, 0x0c16cfb8, 12898, 38024, 0xd2d0a5de, 0x5c2b394a },
	};
	struct srnic_frame_key key = { .have = V4 | SRNIC_HAVE_TCP };

	for (int i = 0; i < ARRAY_SIZE(v4); i++) {
		key.ipv4.src_ip = htonl(v4[i].src);
		key.ipv4.dst_ip = htonl(v4[i].dst);
		key.ports.src_port = htons(v4[i].sport);
		key.ports.dst_port = htons(v4[i].dport);
		KUNIT_EXPECT_EQ(test, hash(test, &key, HASH_IPV4), v4[i].ip);
		KUNIT_EXPECT_EQ(test, hash(test, &key, HASH_IPV4 | HASH_TCP), v4[i].tcp);
		/* fields that the frame does not have are left out */
		KUNIT_EXPECT_EQ(test, hash(test, &key, HASH_IPV4 | HASH_UDP | HASH_IPV6), v4[i].ip);
	}
}

static void hashes_of_ipv6_are_those_that_are_published(struct kunit *test)
{
	static const u8 src[] = { 0x3f, 0xfe, 0x25, 0x01, 0x02, 0x00, 0x1f, 0xff, [15] = 7 };
	static const u8 dst[] = { 0x3f, 0xfe, 0x25, 0x01, 0x02, 0x00, 0x00, 0x03, [15] = 1 };
	struct srnic_frame_key key = {
		.have = V6 | SRNIC_HAVE_TCP,
		.ports = { .src_port = htons(2794), .dst_port = htons(1766) },
	};

	memcpy(key.ipv6.src_ip, src, sizeof(src));
	memcpy(key.ipv6.dst_ip, dst, sizeof(dst));
	KUNIT_EXPECT_EQ(test, hash(test, &key, HASH_IPV6), 0x2cc18cd5);
	KUNIT_EXPECT_EQ(test, hash(test, &key, HASH_IPV6 | HASH_TCP), 0x40207d3d);
}

/* A table of two receive queues, whose QPs are those of the fixture */
static void frames_go_to_the_queue_that_their_hash_selects(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_rss *rss = zeroed(test, struct_size(rss, queue, 2));
	struct srnic_frame_key key;
	struct ib_flow *flow;
	int pick;

	rss->fields = HASH_IPV4;
	memcpy(rss->key, rss_key, sizeof(rss_key));
	rss->mask = 1;
	rss->queue[0] = w->qp[1];
	rss->queue[1] = w->qp[2];
	w->qp[0]->rss = rss;
	flow = add_type(test, 0, IB_FLOW_ATTR_NORMAL);
	parse(&key, V4);
	pick = 1 + (hash(test, &key, HASH_IPV4) & 1);
	for (int i = 1; i < QPS; i++)
		post(test, i, ROOM);
	arrive_plain(test);
	KUNIT_EXPECT_GT(test, received(test, pick), 0);
	KUNIT_EXPECT_EQ(test, received(test, QPS - pick), 0);
	remove_flow(test, flow);
	w->qp[0]->rss = NULL;
}

static void a_hash_of_other_functions_fields_or_keys_is_refused(struct kunit *test)
{
	static const struct {
		struct srnic_create_qp_cmd cmd;
		int want;
	} tries[] = {
		{ { HASH_IPV4, SRNIC_RX_HASH_TOEPLITZ, SRNIC_RX_HASH_KEY_LEN, 0 }, 0 },
		{ { 0, SRNIC_RX_HASH_TOEPLITZ, SRNIC_RX_HASH_KEY_LEN, 0 }, 0 },
		{ { HASH_IPV4, 2, SRNIC_RX_HASH_KEY_LEN, 0 }, -EOPNOTSUPP },
		{ { BIT(8), SRNIC_RX_HASH_TOEPLITZ, SRNIC_RX_HASH_KEY_LEN, 0 }, -EOPNOTSUPP },
		{ { BIT(31), SRNIC_RX_HASH_TOEPLITZ, SRNIC_RX_HASH_KEY_LEN, 0 }, -EOPNOTSUPP },
		{ { 0, SRNIC_RX_HASH_TOEPLITZ, SRNIC_RX_HASH_KEY_LEN - 1, 0 }, -EINVAL },
		{ { 0, SRNIC_RX_HASH_TOEPLITZ, SRNIC_RX_HASH_KEY_LEN, 1 }, -EINVAL },
	};
	struct srnic_wq *wq = zeroed(test, sizeof(*wq));
	struct ib_wq *queues[] = { &wq->ib };
	const struct ib_rwq_ind_table table = { .ind_tbl = queues };

	for (int i = 0; i < ARRAY_SIZE(tries); i++) {
		struct srnic_rss *rss = srnic_rss_alloc(&table, &tries[i].cmd);

		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR_OR_ZERO(rss), tries[i].want, "try %d", i);
		if (IS_ERR(rss))
			continue;
		KUNIT_EXPECT_PTR_EQ(test, rss->queue[0], &wq->qp);
		kfree(rss);
	}
}

static void R18_tables_are_counted_and_bounded(struct kunit *test)
{
	struct ib_rwq_ind_table_init_attr init = { .log_ind_tbl_size = SRNIC_MAX_RWQ_TABLE_LOG };
	struct srnic_rwq_table *table = zeroed(test, sizeof(*table));
	struct world *w = test->priv;

	table->ib.device = &w->dev->ib;
	srnic_quota_set(&w->dev->guard, SRNIC_QUOTA_RWQ_TABLE, 1, 0);
	KUNIT_EXPECT_EQ(test, ops_of(test)->create_rwq_ind_table(&table->ib, &init, NULL), 0);
	KUNIT_EXPECT_EQ(test, ops_of(test)->create_rwq_ind_table(&table->ib, &init, NULL), -ENOMEM);
	KUNIT_EXPECT_EQ(test, ops_of(test)->destroy_rwq_ind_table(&table->ib), 0);
	init.log_ind_tbl_size++;
	KUNIT_EXPECT_EQ(test, ops_of(test)->create_rwq_ind_table(&table->ib, &init, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, srnic_quota_get(&w->dev->guard, SRNIC_QUOTA_RWQ_TABLE).used, 0);
}

/* ---------------------------------------------------------------- sending */

static void a_frame_fits_the_mtu_and_has_an_ethernet_header(struct kunit *test)
{
	struct world *w = test->priv;
	u8 plain[ETH_HLEN] = { [12] = 0x08 };
	u8 tagged[ETH_HLEN] = { [12] = 0x81 };

	w->dev->ndev->mtu = 1500;
	KUNIT_EXPECT_FALSE(test, srnic_frame_fits(w->dev->ndev, plain, 0));
	KUNIT_EXPECT_FALSE(test, srnic_frame_fits(w->dev->ndev, plain, ETH_HLEN - 1));
	KUNIT_EXPECT_TRUE(test, srnic_frame_fits(w->dev->ndev, plain, ETH_HLEN));
	KUNIT_EXPECT_TRUE(test, srnic_frame_fits(w->dev->ndev, plain, 1514));
	KUNIT_EXPECT_FALSE(test, srnic_frame_fits(w->dev->ndev, plain, 1515));
	KUNIT_EXPECT_TRUE(test, srnic_frame_fits(w->dev->ndev, tagged, 1518));
	KUNIT_EXPECT_FALSE(test, srnic_frame_fits(w->dev->ndev, tagged, 1519));
}

static struct kunit_case raw_cases[] = {
	KUNIT_CASE_PARAM(a_rule_compares_each_bit_that_its_mask_has_and_no_other, kind_gen_params),
	KUNIT_CASE(the_fields_of_a_frame_are_those_that_it_has),
	KUNIT_CASE(a_frame_that_is_cut_short_has_only_whole_headers),
	KUNIT_CASE(ports_are_in_first_fragments_and_behind_no_extension),
	KUNIT_CASE(a_header_of_another_version_or_length_is_none),
	KUNIT_CASE(headers_and_actions_that_are_not_known_are_refused),
	KUNIT_CASE(rules_that_cannot_be_kept_are_refused),
	KUNIT_CASE(R28_only_raw_packet_qps_of_the_netdevs_namespace_get_rules),
	KUNIT_CASE(R18_rules_are_counted_and_given_back),
	KUNIT_CASE(the_first_level_that_has_a_rule_gets_the_frame),
	KUNIT_CASE(each_qp_of_a_level_gets_a_frame_once),
	KUNIT_CASE(a_rule_that_does_not_trap_lets_frames_pass),
	KUNIT_CASE(defaults_get_what_no_other_rule_gets_and_sniffers_all),
	KUNIT_CASE(a_received_frame_is_the_one_that_was_sent),
	KUNIT_CASE(a_frame_that_is_too_long_costs_its_receive_and_no_more),
	KUNIT_CASE(frames_of_this_host_and_of_other_namespaces_are_not_received),
	KUNIT_CASE(a_qp_that_cannot_receive_gets_no_frames),
	KUNIT_CASE(the_tap_is_open_while_there_are_rules),
	KUNIT_CASE(a_vlan_header_beside_the_frame_is_received_in_it),
	KUNIT_CASE(a_checksum_that_was_left_to_a_device_is_computed),
	KUNIT_CASE(a_super_packet_is_received_frame_by_frame),
	KUNIT_CASE(hashes_are_those_that_are_published),
	KUNIT_CASE(hashes_of_ipv6_are_those_that_are_published),
	KUNIT_CASE(frames_go_to_the_queue_that_their_hash_selects),
	KUNIT_CASE(a_hash_of_other_functions_fields_or_keys_is_refused),
	KUNIT_CASE(R18_tables_are_counted_and_bounded),
	KUNIT_CASE(a_frame_fits_the_mtu_and_has_an_ethernet_header),
	{}
};

static struct kunit_suite raw_suite = {
	.name = "srnic-raw",
	.init = raw_test_init,
	.test_cases = raw_cases,
};

kunit_test_suite(raw_suite);

MODULE_DESCRIPTION("KUnit suite of raw packets");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
