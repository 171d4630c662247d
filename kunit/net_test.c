// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of net: bursts as srnic builds them, as the stack frags them into packets, and as
 * srnic parses them.
 */
#include <kunit/test.h>
#include <linux/etherdevice.h>
#include <linux/module.h>
#include <linux/udp.h>
#include <net/gso.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>

#include "srnic.h"
#include "net/internal.h"
#include "wire/wire.h"

#define SPORT		49999
#define FIRST_PSN	0xfffffe	/* wraps in a burst */
#define FIRST_ID	0xfffe		/* IPv4 identification; wraps, too */
#define OVERHEAD	(SRNIC_BTH_LEN + SRNIC_ICRC_LEN)

/**
 * struct shape - A burst to test
 * @name: name of the case
 * @v4: IPv4 underlay; false: IPv6
 * @seg_len: length of each segment but the last, from BTH to ICRC, in bytes
 * @segs: number of segments
 * @last_len: length of the last segment, in bytes
 */
struct shape {
	const char *name;
	bool v4;
	u16 seg_len;
	u16 segs;
	u16 last_len;
};

static const struct shape shapes[] = {
	{ "one small packet, IPv4", true, OVERHEAD + 4, 1, OVERHEAD + 4 },
	{ "one small packet, IPv6", false, OVERHEAD + 4, 1, OVERHEAD + 4 },
	{ "one of 4096, IPv4", true, OVERHEAD + 4096, 1, OVERHEAD + 4096 },
	{ "a few in a linear sk_buff, IPv4", true, OVERHEAD + 256, 5, OVERHEAD + 256 },
	{ "a few in a linear sk_buff, IPv6", false, OVERHEAD + 256, 5, OVERHEAD + 16 },
	{ "two of 1024, IPv4", true, OVERHEAD + 1024, 2, OVERHEAD + 1024 },
	{ "15 of 4096, IPv4", true, OVERHEAD + 4096, 15, OVERHEAD + 4096 },
	{ "15 of 4096, IPv6", false, OVERHEAD + 4096, 15, OVERHEAD + 4096 },
	{ "15 of 4096, last short, IPv4", true, OVERHEAD + 4096, 15, OVERHEAD },
	{ "15 of 4096, last short, IPv6", false, OVERHEAD + 4096, 15, OVERHEAD + 12 },
	{ "60 of 1024, last short, IPv4", true, OVERHEAD + 1024, 60, OVERHEAD + 1020 },
	{ "two of 4096, last short, IPv6", false, OVERHEAD + 4096, 2, OVERHEAD + 4 },
};

static void shape_name(const struct shape *shape, char *desc)
{
	strscpy(desc, shape->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(shape, shapes, shape_name);

/* ---------------------------------------------------------------- fixture */

/* A route and a device that are private to the test */
struct world {
	struct net_device *ndev;
	struct dst_ops ops;
	struct dst_entry dst;
	struct srnic_path path;
	struct srnic_dev *dev;
	struct sk_buff_head out;
};

static unsigned int world_mtu(const struct dst_entry *dst)
{
	return 4352;
}

static int net_test_init(struct kunit *test)
{
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, w);
	test->priv = w;
	__skb_queue_head_init(&w->out);
	w->dev = kunit_kzalloc(test, sizeof(*w->dev), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w->dev);
	w->dev->stats = alloc_percpu(struct srnic_stats);
	KUNIT_ASSERT_TRUE(test, !!w->dev->stats);
	w->ndev = alloc_etherdev(0);
	KUNIT_ASSERT_NOT_NULL(test, w->ndev);

	w->ops.mtu = world_mtu;
	dst_init(&w->dst, &w->ops, w->ndev, DST_OBSOLETE_NONE, DST_NOCOUNT);
	w->path.dst = &w->dst;
	return 0;
}

static void net_test_exit(struct kunit *test)
{
	struct world *w = test->priv;

	if (!w)
		return;
	__skb_queue_purge(&w->out);
	if (w->ndev) {
		netdev_put(w->ndev, &w->dst.dev_tracker);
		free_netdev(w->ndev);
	}
	if (w->dev)
		free_percpu(w->dev->stats);
}

static void set_addresses(struct kunit *test, bool v4)
{
	static const union ib_gid gids[2][2] = {
		{ { .raw = { 0xfd, 0x77, [15] = 1 } }, { .raw = { 0xfd, 0x77, [15] = 2 } } },
		{ { .raw = { [10] = 0xff, 0xff, 10, 77, 0, 1 } },
		  { .raw = { [10] = 0xff, 0xff, 10, 77, 0, 2 } } },
	};
	struct world *w = test->priv;
	struct rdma_ah_attr ah = {
		.type = RDMA_AH_ATTR_TYPE_ROCE,
		.ah_flags = IB_AH_GRH,
		.grh = { .dgid = gids[v4][1], .traffic_class = 0xa2, .flow_label = 0x12345 },
	};

	KUNIT_ASSERT_EQ(test, srnic_path_address(&w->path, &gids[v4][0], &ah, SPORT,
						 htons(SRNIC_ROCE_PORT)), 0);
	w->path.ip_id = FIRST_ID;
}

static u64 count_of(const struct world *w, enum srnic_stat stat)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu_ptr(w->dev->stats, cpu)->val[stat];
	return sum;
}

/* Return byte @i of the payload of packet @psn. */
static u8 payload_byte(u32 psn, u32 i)
{
	return psn * 31 + i * 7 + (i >> 8);
}

/* The burst functions need BHs off; KUnit runs with BHs on. */
static int burst_open(struct srnic_burst *burst, struct srnic_path *path, u16 seg_len, u16 segs)
{
	int err;

	local_bh_disable();
	err = srnic_burst_open(burst, path, seg_len, segs);
	local_bh_enable();
	return err;
}

static u8 *burst_segment(struct srnic_burst *burst, u16 len)
{
	u8 *p;

	local_bh_disable();
	p = srnic_burst_segment(burst, len);
	local_bh_enable();
	return p;
}

static void burst_close(struct srnic_burst *burst, struct sk_buff_head *out)
{
	local_bh_disable();
	srnic_burst_close(burst, out);
	local_bh_enable();
}

static void burst_abort(struct srnic_burst *burst)
{
	local_bh_disable();
	srnic_burst_abort(burst);
	local_bh_enable();
}

/* Add a packet to the burst, with payload and ICRC. Return false if there is no room. */
static bool put_packet(struct srnic_burst *burst, u32 psn, u16 len)
{
	struct srnic_pkt pkt = {
		.opcode = SRNIC_OPC_WRITE_MIDDLE,
		.pkey = SRNIC_PKEY,
		.dqpn = 0x123456,
		.psn = psn,
	};
	u8 *p = burst_segment(burst, len);
	u32 i, crc;

	if (!p)
		return false;
	srnic_wire_build(&pkt, p);
	for (i = 0; i < len - OVERHEAD; i++)
		p[SRNIC_BTH_LEN + i] = payload_byte(psn, i);
	crc = srnic_burst_icrc(burst, len, p);
	crc = srnic_crc_update(crc, p, len - SRNIC_ICRC_LEN);
	put_unaligned(srnic_icrc_end(crc), (__le32 *)(p + len - SRNIC_ICRC_LEN));
	return true;
}

static u16 shape_len(const struct shape *shape, u16 seg)
{
	return seg == shape->segs - 1 ? shape->last_len : shape->seg_len;
}

/* Complete the IP header as ip_local_out() does. */
static void finish_ip(struct sk_buff *skb, bool v4)
{
	skb_reset_mac_header(skb);
	if (!v4)
		return;
	ip_hdr(skb)->tot_len = htons(skb->len);
	ip_send_check(ip_hdr(skb));
}

/* Build the burst as one sk_buff. */
static struct sk_buff *build_super(struct kunit *test, const struct shape *shape)
{
	struct world *w = test->priv;
	struct srnic_burst burst;
	struct sk_buff *skb;
	u16 seg;

	KUNIT_ASSERT_EQ(test, burst_open(&burst, &w->path, shape->seg_len, shape->segs), 0);
	for (seg = 0; seg < shape->segs; seg++)
		KUNIT_EXPECT_TRUE(test, put_packet(&burst, srnic_psn_add(FIRST_PSN, seg),
						   shape_len(shape, seg)));
	burst_close(&burst, &w->out);
	skb = __skb_dequeue(&w->out);
	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb->dev = w->ndev;
	finish_ip(skb, shape->v4);
	return skb;
}

/* Build packet number @seg of the burst as an sk_buff of its own. */
static struct sk_buff *build_single(struct kunit *test, const struct shape *shape, u16 seg)
{
	u16 len = shape_len(shape, seg);
	struct world *w = test->priv;
	struct srnic_burst burst;
	struct sk_buff *skb;

	KUNIT_ASSERT_EQ(test, burst_open(&burst, &w->path, len, 1), 0);
	KUNIT_EXPECT_TRUE(test, put_packet(&burst, srnic_psn_add(FIRST_PSN, seg), len));
	burst_close(&burst, &w->out);
	skb = __skb_dequeue(&w->out);
	KUNIT_ASSERT_NOT_NULL(test, skb);
	finish_ip(skb, shape->v4);
	return skb;
}

static unsigned int thoff(bool v4)
{
	return v4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr);
}

static struct udphdr *udp_of(struct sk_buff *skb, bool v4)
{
	return (struct udphdr *)(skb->data + thoff(v4));
}

static u16 receive_burst(struct kunit *test, struct sk_buff *skb, const struct shape *shape);

/* ------------------------------------------------------------- bursts out */

static __sum16 udp_sum(struct sk_buff *skb, bool v4)
{
	unsigned int len = skb->len - thoff(v4);
	__wsum sum = skb_checksum(skb, thoff(v4), len, 0);

	if (v4)
		return csum_tcpudp_magic(ip_hdr(skb)->saddr, ip_hdr(skb)->daddr, len,
					 IPPROTO_UDP, sum);
	return csum_ipv6_magic(&ipv6_hdr(skb)->saddr, &ipv6_hdr(skb)->daddr, len, IPPROTO_UDP,
			       sum);
}

/* Complete the UDP checksum, as the device or the stack does on transmission; verify it. */
static void finish_udp(struct kunit *test, struct sk_buff *skb, bool v4)
{
	KUNIT_ASSERT_EQ(test, skb_linearize(skb), 0);
	if (skb->ip_summed == CHECKSUM_PARTIAL)
		KUNIT_ASSERT_EQ(test, skb_checksum_help(skb), 0);
	KUNIT_EXPECT_NE(test, (__force u16)udp_of(skb, v4)->check, 0);
	KUNIT_EXPECT_EQ(test, (__force u16)udp_sum(skb, v4), 0);
}

static void expect_same_packet(struct kunit *test, struct sk_buff *seg, struct sk_buff *single,
			       bool v4)
{
	finish_udp(test, seg, v4);
	finish_udp(test, single, v4);
	KUNIT_ASSERT_EQ(test, seg->len, single->len);
	KUNIT_EXPECT_MEMEQ(test, seg->data, single->data, seg->len);
}

static void cut_and_compare(struct kunit *test, const struct shape *shape,
			    netdev_features_t features)
{
	struct sk_buff *skb, *segs, *seg, *next;
	struct world *w = test->priv;
	u16 n = 0;

	set_addresses(test, shape->v4);
	skb = build_super(test, shape);
	segs = skb_gso_segment(skb, features);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, segs);
	consume_skb(skb);

	w->path.ip_id = FIRST_ID;
	skb_list_walk_safe(segs, seg, next) {
		struct sk_buff *single = build_single(test, shape, n++);

		skb_mark_not_on_list(seg);
		expect_same_packet(test, seg, single, shape->v4);
		kfree_skb(seg);
		kfree_skb(single);
	}
	KUNIT_EXPECT_EQ(test, n, shape->segs);
}

static void burst_cut_in_software_equals_packets_sent_singly(struct kunit *test)
{
	const struct shape *shape = test->param_value;

	if (shape->segs == 1)
		kunit_skip(test, "nothing to cut");
	cut_and_compare(test, shape, 0);
}

static void burst_cut_without_copying_equals_packets_sent_singly(struct kunit *test)
{
	const struct shape *shape = test->param_value;

	if (shape->segs == 1)
		kunit_skip(test, "nothing to cut");
	cut_and_compare(test, shape, NETIF_F_SG | NETIF_F_HW_CSUM);
}

static void short_segment_ends_a_burst(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_burst burst;

	set_addresses(test, true);
	KUNIT_ASSERT_EQ(test, burst_open(&burst, &w->path, 1040, 8), 0);
	KUNIT_EXPECT_NOT_NULL(test, burst_segment(&burst, 1040));
	KUNIT_EXPECT_NOT_NULL(test, burst_segment(&burst, 1036));
	KUNIT_EXPECT_NULL(test, burst_segment(&burst, 1040));
	burst_abort(&burst);
}

static void burst_takes_no_more_than_was_asked_for(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_burst burst;

	set_addresses(test, true);
	KUNIT_ASSERT_EQ(test, burst_open(&burst, &w->path, 4112, 2), 0);
	KUNIT_EXPECT_NOT_NULL(test, burst_segment(&burst, 4112));
	KUNIT_EXPECT_NOT_NULL(test, burst_segment(&burst, 4112));
	KUNIT_EXPECT_NULL(test, burst_segment(&burst, 4112));
	burst_abort(&burst);
}

/* The segment lies in the middle of a chunk, at its start, or in a linear sk_buff. */
static void segment_given_back_leaves_no_trace(struct kunit *test)
{
	static const struct shape shapes[] = {
		{ "", true, OVERHEAD + 4096, 3, OVERHEAD + 4096 },
		{ "", true, OVERHEAD + 4096, 7, OVERHEAD + 4096 },
		{ "", true, OVERHEAD + 64, 3, OVERHEAD + 64 },
	};
	struct world *w = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		const struct shape *shape = &shapes[i];
		struct srnic_burst burst;
		struct sk_buff *skb;
		u16 seg;

		set_addresses(test, true);
		KUNIT_ASSERT_EQ(test, burst_open(&burst, &w->path, shape->seg_len, 15), 0);
		for (seg = 0; seg < shape->segs; seg++)
			put_packet(&burst, srnic_psn_add(FIRST_PSN, seg), shape->seg_len);
		KUNIT_ASSERT_NOT_NULL(test, burst_segment(&burst, 32));
		srnic_burst_undo_segment(&burst, 32);
		KUNIT_ASSERT_NOT_NULL(test, burst_segment(&burst, shape->seg_len));
		srnic_burst_undo_segment(&burst, shape->seg_len);
		burst_close(&burst, &w->out);

		skb = __skb_dequeue(&w->out);
		KUNIT_ASSERT_NOT_NULL(test, skb);
		finish_ip(skb, true);
		KUNIT_EXPECT_EQ(test, skb->len, thoff(true) + sizeof(struct udphdr) +
				shape->segs * shape->seg_len);
		KUNIT_EXPECT_EQ(test, skb_shinfo(skb)->gso_segs, shape->segs);
		KUNIT_EXPECT_EQ(test, receive_burst(test, skb, shape), shape->segs);
	}
}

static void empty_burst_leaves_nothing(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_burst burst;

	set_addresses(test, true);
	KUNIT_ASSERT_EQ(test, burst_open(&burst, &w->path, 4112, 8), 0);
	burst_close(&burst, &w->out);
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&w->out));
	KUNIT_EXPECT_EQ(test, w->path.ip_id, FIRST_ID);
}

/* A burst that is opened for several packets but gets one is an ordinary packet. */
static void burst_that_stays_single_has_no_segmentation(struct kunit *test)
{
	static const struct shape shape = { "", true, OVERHEAD + 4096, 2, OVERHEAD + 8 };
	struct world *w = test->priv;
	struct srnic_burst burst;
	struct sk_buff *skb, *single;

	set_addresses(test, true);
	KUNIT_ASSERT_EQ(test, burst_open(&burst, &w->path, shape.seg_len, 8), 0);
	KUNIT_EXPECT_TRUE(test, put_packet(&burst, FIRST_PSN, shape.seg_len));
	burst_close(&burst, &w->out);
	skb = __skb_dequeue(&w->out);
	KUNIT_ASSERT_NOT_NULL(test, skb);
	finish_ip(skb, true);
	KUNIT_EXPECT_FALSE(test, skb_is_gso(skb));
	KUNIT_EXPECT_TRUE(test, skb->ip_summed == CHECKSUM_PARTIAL);

	w->path.ip_id = FIRST_ID;
	single = build_single(test, &shape, 0);
	KUNIT_EXPECT_EQ(test, skb_linearize(skb), 0);
	KUNIT_EXPECT_EQ(test, skb_linearize(single), 0);
	KUNIT_EXPECT_EQ(test, skb->len, single->len);
	KUNIT_EXPECT_MEMEQ(test, skb->data, single->data, single->len);
	kfree_skb(skb);
	kfree_skb(single);
}

/* Build a burst of full segments, all of whose bytes are @fill. */
static struct sk_buff *build_filled(struct kunit *test, u16 seg_len, u16 segs, u8 fill)
{
	struct world *w = test->priv;
	struct srnic_burst burst;
	u16 i;

	KUNIT_ASSERT_EQ(test, burst_open(&burst, &w->path, seg_len, segs), 0);
	for (i = 0; i < segs; i++) {
		u8 *p = burst_segment(&burst, seg_len);

		KUNIT_ASSERT_NOT_NULL(test, p);
		memset(p, fill, seg_len);
	}
	burst_close(&burst, &w->out);
	return __skb_dequeue(&w->out);
}

static bool all_bytes_are(struct kunit *test, const struct sk_buff *skb, u8 fill)
{
	u32 off = skb->len - skb->data_len;
	u8 *bytes = kunit_kmalloc(test, skb->data_len, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	KUNIT_ASSERT_EQ(test, skb_copy_bits(skb, off, bytes, skb->data_len), 0);
	return !memchr_inv(bytes, fill, skb->data_len);
}

/* P11, R5: net reuses a page only when it holds the only reference. */
static void bytes_under_way_stay_as_they_are(struct kunit *test)
{
	enum { HELD = 40 };
	struct sk_buff *held[HELD];
	unsigned int i;

	set_addresses(test, true);
	for (i = 0; i < HELD; i++) {
		held[i] = build_filled(test, 4112, 1 + i % 15, i);
		/* another burst in between, which is freed at once */
		kfree_skb(build_filled(test, 2000 + 8 * i, 3, 0xff));
	}
	for (i = 0; i < HELD; i++) {
		KUNIT_EXPECT_TRUE_MSG(test, all_bytes_are(test, held[i], i), "burst %u", i);
		kfree_skb(held[i]);
	}
}

static void pages_that_come_back_are_used_again(struct kunit *test)
{
	enum { LAPS = 200, ENOUGH = 32 };
	const struct page *seen[ENOUGH];
	unsigned int n = 0, i, k;

	set_addresses(test, true);
	/* pages return to the CPU that cut bursts off them, so stay on one CPU */
	migrate_disable();
	for (i = 0; i < LAPS; i++) {
		struct sk_buff *skb = build_filled(test, 4112, 15, i);
		const struct page *page = skb_frag_page(&skb_shinfo(skb)->frags[0]);

		for (k = 0; k < n && seen[k] != page; k++)
			;
		if (k == n && n < ENOUGH)
			seen[n++] = page;
		kfree_skb(skb);
	}
	migrate_enable();
	KUNIT_EXPECT_LT(test, n, (unsigned int)ENOUGH);
}

static void burst_respects_the_limits_of_ip_and_netdev(struct kunit *test)
{
	struct world *w = test->priv;

	set_addresses(test, true);
	KUNIT_EXPECT_EQ(test, srnic_burst_max(&w->path, 4112), 15);
	KUNIT_EXPECT_EQ(test, srnic_burst_max(&w->path, 16), UDP_MAX_SEGMENTS);
	/* a packet that exceeds the MTU would be fragmented, so it is sent alone */
	KUNIT_EXPECT_EQ(test, srnic_burst_max(&w->path, 4352 - 27), 1);
	KUNIT_EXPECT_GT(test, srnic_burst_max(&w->path, 4352 - 28), 1);
	netif_set_tso_max_segs(w->ndev, 3);
	KUNIT_EXPECT_EQ(test, srnic_burst_max(&w->path, 1040), 3);
	netif_set_tso_max_size(w->ndev, 9000);
	KUNIT_EXPECT_EQ(test, srnic_burst_max(&w->path, 4112), 2);
	netif_set_tso_max_size(w->ndev, 100);
	KUNIT_EXPECT_EQ(test, srnic_burst_max(&w->path, 4112), 1);
}

static void families_do_not_mix(struct kunit *test)
{
	static const union ib_gid v4 = { .raw = { [10] = 0xff, 0xff, 10, 77, 0, 1 } };
	struct rdma_ah_attr ah = {
		.ah_flags = IB_AH_GRH,
		.grh.dgid = { .raw = { 0xfd, 0x77, [15] = 2 } },
	};
	struct srnic_path path = {};

	KUNIT_EXPECT_EQ(test, srnic_path_address(&path, &v4, &ah, SPORT,
						 htons(SRNIC_ROCE_PORT)), -EINVAL);
}

/* -------------------------------------------------------------- bursts in */

/* Parse the packets of @skb, check every byte, and free @skb. Return the number of packets. */
static u16 receive_burst(struct kunit *test, struct sk_buff *skb, const struct shape *shape)
{
	struct world *w = test->priv;
	bool ok = true, icrc_ok = true;
	struct srnic_pkt pkt;
	struct srnic_rx rx;
	u16 n = 0;
	u32 i;

	local_bh_disable();
	if (srnic_rx_open(&rx, skb, thoff(shape->v4), shape->v4)) {
		rx.dev = w->dev;
		srnic_segment_lock();
		while (srnic_rx_next(&rx, &pkt)) {
			u32 psn = srnic_psn_add(FIRST_PSN, pkt.seg);

			ok &= pkt.psn == psn && pkt.len == shape_len(shape, pkt.seg);
			ok &= pkt.payload_len == pkt.len - OVERHEAD;
			for (i = 0; i < pkt.payload_len; i++)
				ok &= pkt.payload[i] == payload_byte(psn, i);
			icrc_ok &= srnic_rx_icrc_ok(&rx, &pkt);
			n++;
		}
		srnic_segment_unlock();
	}
	local_bh_enable();
	kfree_skb(skb);
	KUNIT_EXPECT_TRUE(test, ok);
	KUNIT_EXPECT_TRUE(test, icrc_ok);
	return n;
}

static void burst_is_read_in_place(struct kunit *test)
{
	const struct shape *shape = test->param_value;

	set_addresses(test, shape->v4);
	KUNIT_EXPECT_EQ(test, receive_burst(test, build_super(test, shape), shape), shape->segs);
}

static void burst_is_read_from_a_linear_carrier(struct kunit *test)
{
	const struct shape *shape = test->param_value;
	struct sk_buff *skb;

	set_addresses(test, shape->v4);
	skb = build_super(test, shape);
	KUNIT_ASSERT_EQ(test, skb_linearize(skb), 0);
	KUNIT_EXPECT_EQ(test, receive_burst(test, skb, shape), shape->segs);
}

/* Copy @skb into @head linear bytes and fragments of @piece bytes, and free it. */
static struct sk_buff *copy_to_frags(struct kunit *test, struct sk_buff *skb, u32 head, u32 piece)
{
	struct sk_buff *copy = alloc_skb(head, GFP_KERNEL);
	u32 off;

	KUNIT_ASSERT_NOT_NULL(test, copy);
	KUNIT_ASSERT_EQ(test, skb_copy_bits(skb, 0, skb_put(copy, head), head), 0);
	skb_reset_network_header(copy);
	for (off = head; off < skb->len; off += piece) {
		u32 len = min(piece, skb->len - off);
		struct page *page = alloc_page(GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, page);
		KUNIT_ASSERT_EQ(test, skb_copy_bits(skb, off, page_address(page), len), 0);
		skb_add_rx_frag(copy, skb_shinfo(copy)->nr_frags, page, 0, len, PAGE_SIZE);
	}
	skb_shinfo(copy)->gso_type = skb_shinfo(skb)->gso_type;
	skb_shinfo(copy)->gso_size = skb_shinfo(skb)->gso_size;
	kfree_skb(skb);
	return copy;
}

static void burst_is_read_from_odd_fragments(struct kunit *test)
{
	const struct shape *shape = test->param_value;
	u32 head = thoff(shape->v4) + sizeof(struct udphdr);
	static const u16 odd[] = { 0, 1, 5, 11, 12, 13, 15 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(odd); i++) {
		struct sk_buff *skb;
		u32 piece;

		set_addresses(test, shape->v4);
		skb = build_super(test, shape);
		piece = max(7U, DIV_ROUND_UP(skb->len, MAX_SKB_FRAGS - 1) | 1);
		skb = copy_to_frags(test, skb, head + odd[i], piece);
		KUNIT_EXPECT_EQ(test, receive_burst(test, skb, shape), shape->segs);
	}
}

static void segments_of_one_id_are_accepted(struct kunit *test)
{
	static const struct shape shape = { "", true, OVERHEAD + 1024, 3, OVERHEAD + 1024 };
	struct world *w = test->priv;
	struct sk_buff *skb, *single;
	u16 seg;

	set_addresses(test, true);
	skb = build_super(test, &shape);
	KUNIT_ASSERT_EQ(test, skb_linearize(skb), 0);
	for (seg = 0; seg < shape.segs; seg++) {
		u32 off = thoff(true) + sizeof(struct udphdr);

		w->path.ip_id = FIRST_ID;
		single = build_single(test, &shape, seg);
		memcpy(skb->data + off + seg * shape.seg_len, single->data + off, shape.seg_len);
		kfree_skb(single);
	}
	KUNIT_EXPECT_EQ(test, receive_burst(test, skb, &shape), 3);
}

/* Count the packets of @skb that parse, and those of them with a right ICRC. Free @skb. */
static void count_received(struct kunit *test, struct sk_buff *skb, u16 *parsed, u16 *right)
{
	struct world *w = test->priv;
	struct srnic_pkt pkt;
	struct srnic_rx rx;

	*parsed = 0;
	*right = 0;
	local_bh_disable();
	if (srnic_rx_open(&rx, skb, thoff(true), true)) {
		rx.dev = w->dev;
		srnic_segment_lock();
		while (srnic_rx_next(&rx, &pkt)) {
			(*parsed)++;
			*right += srnic_rx_icrc_ok(&rx, &pkt);
		}
		srnic_segment_unlock();
	}
	local_bh_enable();
	kfree_skb(skb);
}

static void every_corrupted_byte_is_found(struct kunit *test)
{
	static const struct shape shape = { "", true, OVERHEAD + 64, 3, OVERHEAD + 8 };
	u32 first = thoff(true) + sizeof(struct udphdr);
	u16 parsed, right;
	u32 off, len;

	len = first + 2 * shape.seg_len + shape.last_len;
	for (off = first; off < len; off++) {
		u32 in_seg = (off - first) % shape.seg_len;
		struct sk_buff *skb;

		/* FECN, BECN and the reserved bits beside them may change in transit */
		if (in_seg == 4)
			continue;
		set_addresses(test, true);
		skb = build_super(test, &shape);
		KUNIT_ASSERT_EQ(test, skb_linearize(skb), 0);
		skb->data[off] ^= 0x10;
		count_received(test, skb, &parsed, &right);
		KUNIT_EXPECT_EQ_MSG(test, right, 2, "byte %u", off);
	}
}

static void truncated_packets_are_counted_and_skipped(struct kunit *test)
{
	static const struct shape shape = { "", true, OVERHEAD + 64, 1, OVERHEAD + 64 };
	u32 first = thoff(true) + sizeof(struct udphdr);
	struct world *w = test->priv;
	u16 parsed, right;
	u16 len;

	/* the UDP length agrees with the truncation */
	for (len = 1; len < OVERHEAD; len++) {
		struct sk_buff *skb;

		set_addresses(test, true);
		skb = build_single(test, &shape, 0);
		__skb_trim(skb, first + len);
		udp_of(skb, true)->len = htons(sizeof(struct udphdr) + len);
		count_received(test, skb, &parsed, &right);
		KUNIT_EXPECT_EQ(test, parsed, 0);
		KUNIT_EXPECT_EQ(test, count_of(w, SRNIC_STAT_malformed), len);
	}
}

static void lengths_that_contradict_each_other_are_refused(struct kunit *test)
{
	static const struct shape shape = { "", true, OVERHEAD + 64, 1, OVERHEAD + 64 };
	u32 udp_len = sizeof(struct udphdr) + OVERHEAD + 64;
	static const int bad[] = { 1, 1000, -OVERHEAD - 64, -OVERHEAD - 65, -OVERHEAD - 72 };
	struct srnic_rx rx;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct sk_buff *skb;

		set_addresses(test, true);
		skb = build_single(test, &shape, 0);
		udp_of(skb, true)->len = htons(udp_len + bad[i]);
		KUNIT_EXPECT_FALSE(test, srnic_rx_open(&rx, skb, thoff(true), true));
		kfree_skb(skb);
	}
}

static void padding_behind_the_datagram_is_ignored(struct kunit *test)
{
	static const struct shape shape = { "", true, OVERHEAD + 4, 1, OVERHEAD + 4 };
	struct sk_buff *skb;

	set_addresses(test, true);
	skb = build_single(test, &shape, 0);
	KUNIT_ASSERT_EQ(test, skb_pad(skb, 12), 0);
	skb_put(skb, 12);
	KUNIT_EXPECT_EQ(test, receive_burst(test, skb, &shape), 1);
}

static void unknown_opcode_is_counted_and_the_rest_goes_on(struct kunit *test)
{
	static const struct shape shape = { "", true, OVERHEAD + 64, 3, OVERHEAD + 64 };
	u32 first = thoff(true) + sizeof(struct udphdr);
	struct world *w = test->priv;
	struct sk_buff *skb;
	u16 parsed, right;

	set_addresses(test, true);
	skb = build_super(test, &shape);
	KUNIT_ASSERT_EQ(test, skb_linearize(skb), 0);
	skb->data[first + shape.seg_len] = 0xff;
	count_received(test, skb, &parsed, &right);
	KUNIT_EXPECT_EQ(test, parsed, 2);
	KUNIT_EXPECT_EQ(test, right, 2);
	KUNIT_EXPECT_EQ(test, count_of(w, SRNIC_STAT_unknown_opcode), 1);
	KUNIT_EXPECT_EQ(test, count_of(w, SRNIC_STAT_malformed), 0);
}

static bool first_is_writable(struct kunit *test, struct sk_buff *skb)
{
	struct world *w = test->priv;
	struct srnic_rx rx = {};
	struct srnic_pkt pkt;

	local_bh_disable();
	KUNIT_EXPECT_TRUE(test, srnic_rx_open(&rx, skb, thoff(true), true));
	rx.dev = w->dev;
	srnic_segment_lock();
	KUNIT_EXPECT_TRUE(test, srnic_rx_next(&rx, &pkt));
	srnic_segment_unlock();
	local_bh_enable();
	return rx.writable;
}

static void carrier_that_others_see_is_not_writable(struct kunit *test)
{
	static const struct shape shape = { "", true, OVERHEAD + 4096, 2, OVERHEAD + 4096 };
	struct sk_buff *skb, *clone;

	set_addresses(test, true);
	skb = build_super(test, &shape);
	KUNIT_ASSERT_EQ(test, skb_linearize(skb), 0);
	KUNIT_EXPECT_TRUE(test, first_is_writable(test, skb));
	clone = skb_clone(skb, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, clone);
	KUNIT_EXPECT_FALSE(test, first_is_writable(test, skb));
	kfree_skb(clone);
	kfree_skb(skb);
}

/* A router that changes a packet which a packet socket has cloned copies only the head. */
static void fragments_that_a_clone_may_have_are_not_writable(struct kunit *test)
{
	static const struct shape shape = { "", true, OVERHEAD + 4096, 2, OVERHEAD + 4096 };
	struct sk_buff *skb, *clone;

	set_addresses(test, true);
	skb = build_super(test, &shape);
	KUNIT_ASSERT_TRUE(test, skb_is_nonlinear(skb));
	clone = skb_clone(skb, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, clone);
	KUNIT_ASSERT_EQ(test, pskb_expand_head(skb, 0, 0, GFP_KERNEL), 0);
	KUNIT_ASSERT_FALSE(test, skb_cloned(skb));
	KUNIT_EXPECT_FALSE(test, first_is_writable(test, skb));
	kfree_skb(clone);
	kfree_skb(skb);
}

/* The fragments are pages that splice() shares with a process (skb_has_shared_frag()). */
static void fragments_that_others_may_write_to_are_read_once(struct kunit *test)
{
	static const struct shape shape = { "", true, OVERHEAD + 2048, 1, OVERHEAD + 2048 };
	u32 head = thoff(true) + sizeof(struct udphdr);
	struct world *w = test->priv;
	struct srnic_rx rx = {};
	struct srnic_pkt pkt;
	struct sk_buff *skb;

	set_addresses(test, true);
	skb = copy_to_frags(test, build_super(test, &shape), head, PAGE_SIZE);
	skb_shinfo(skb)->flags |= SKBFL_SHARED_FRAG;
	local_bh_disable();
	KUNIT_EXPECT_TRUE(test, srnic_rx_open(&rx, skb, thoff(true), true));
	rx.dev = w->dev;
	srnic_segment_lock();
	KUNIT_EXPECT_TRUE(test, srnic_rx_next(&rx, &pkt));
	memset(skb_frag_address(&skb_shinfo(skb)->frags[0]), 0xa5, shape.seg_len);
	KUNIT_EXPECT_TRUE(test, srnic_rx_icrc_ok(&rx, &pkt));
	KUNIT_EXPECT_TRUE(test, rx.writable);
	srnic_segment_unlock();
	local_bh_enable();
	kfree_skb(skb);
}

/*
 * nf_reinject() does so for packets that a rule has queued for a program. Behind the hook, code
 * uses what belongs to this CPU: lockdep asserts that BHs are off there.
 */
static void a_hook_that_runs_in_a_program_has_bhs_off(struct kunit *test)
{
	const struct nf_hook_state state = { .pf = NFPROTO_IPV4 };
	struct srnic_netns *ns = kunit_kzalloc(test, sizeof(*ns), GFP_KERNEL);
	struct world *w = test->priv;
	struct sk_buff *skb;

	KUNIT_ASSERT_NOT_NULL(test, ns);
	KUNIT_ASSERT_EQ(test, srnic_demux_open(ns), 0);
	set_addresses(test, true);
	skb = build_super(test, &shapes[0]);
	skb->dev = w->ndev;
	skb->pkt_type = PACKET_HOST;
	skb_dst_drop(skb);
	rcu_read_lock();
	KUNIT_EXPECT_EQ(test, srnic_demux_in(ns, skb, &state), NF_ACCEPT);
	rcu_read_unlock();
	KUNIT_EXPECT_FALSE(test, softirq_count());
	kfree_skb(skb);
	srnic_demux_close(ns);
}

/* 2.5 MiB in chunks of 64 KiB */
#define MANY_CHUNKS	40

static void chunks_that_nobody_needs_are_let_go_of(struct kunit *test)
{
	const u64 idle = (u64)SZ_64K * num_possible_cpus();
	struct srnic_chunk_frag *frags;
	u64 peak, half;
	int i;

	frags = kunit_kcalloc(test, MANY_CHUNKS, sizeof(*frags), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, frags);
	migrate_disable();	/* use the ring of one CPU */
	local_bh_disable();
	for (i = 0; i < MANY_CHUNKS && srnic_chunk_alloc_frag(&frags[i], SZ_64K, SZ_64K); i++)
		;
	local_bh_enable();
	peak = srnic_chunk_bytes();
	KUNIT_EXPECT_GE(test, peak, (u64)SZ_64K * MANY_CHUNKS);

	/* a ring in use keeps the chunks that are in flight */
	srnic_chunk_trim();
	KUNIT_EXPECT_GE(test, srnic_chunk_bytes(), (u64)SZ_64K * (MANY_CHUNKS - 1));
	while (i--)
		put_page(frags[i].page);
	local_bh_disable();
	KUNIT_EXPECT_TRUE(test, srnic_chunk_alloc_frag(&frags[0], SZ_64K, SZ_64K));
	put_page(frags[0].page);
	local_bh_enable();

	KUNIT_EXPECT_TRUE(test, srnic_chunk_trim());
	half = srnic_chunk_bytes();
	KUNIT_EXPECT_LE(test, half, peak * 6 / 10);
	KUNIT_EXPECT_GT(test, half, idle);
	KUNIT_EXPECT_FALSE(test, srnic_chunk_trim());
	migrate_enable();
	KUNIT_EXPECT_LE(test, srnic_chunk_bytes(), idle);

	/* bursts can be cut off the chunk that remains */
	local_bh_disable();
	KUNIT_EXPECT_TRUE(test, srnic_chunk_alloc_frag(&frags[0], SZ_64K, SZ_64K));
	put_page(frags[0].page);
	local_bh_enable();
}

static struct kunit_case net_cases[] = {
	KUNIT_CASE_PARAM(burst_cut_in_software_equals_packets_sent_singly, shape_gen_params),
	KUNIT_CASE_PARAM(burst_cut_without_copying_equals_packets_sent_singly, shape_gen_params),
	KUNIT_CASE(short_segment_ends_a_burst),
	KUNIT_CASE(burst_takes_no_more_than_was_asked_for),
	KUNIT_CASE(segment_given_back_leaves_no_trace),
	KUNIT_CASE(empty_burst_leaves_nothing),
	KUNIT_CASE(burst_that_stays_single_has_no_segmentation),
	KUNIT_CASE(bytes_under_way_stay_as_they_are),
	KUNIT_CASE(pages_that_come_back_are_used_again),
	KUNIT_CASE(burst_respects_the_limits_of_ip_and_netdev),
	KUNIT_CASE(families_do_not_mix),
	KUNIT_CASE_PARAM(burst_is_read_in_place, shape_gen_params),
	KUNIT_CASE_PARAM(burst_is_read_from_a_linear_carrier, shape_gen_params),
	KUNIT_CASE_PARAM(burst_is_read_from_odd_fragments, shape_gen_params),
	KUNIT_CASE(segments_of_one_id_are_accepted),
	KUNIT_CASE(every_corrupted_byte_is_found),
	KUNIT_CASE(truncated_packets_are_counted_and_skipped),
	KUNIT_CASE(lengths_that_contradict_each_other_are_refused),
	KUNIT_CASE(padding_behind_the_datagram_is_ignored),
	KUNIT_CASE(unknown_opcode_is_counted_and_the_rest_goes_on),
	KUNIT_CASE(carrier_that_others_see_is_not_writable),
	KUNIT_CASE(fragments_that_a_clone_may_have_are_not_writable),
	KUNIT_CASE(fragments_that_others_may_write_to_are_read_once),
	KUNIT_CASE(a_hook_that_runs_in_a_program_has_bhs_off),
	KUNIT_CASE(chunks_that_nobody_needs_are_let_go_of),
	{}
};

static struct kunit_suite net_suite = {
	.name = "srnic-net",
	.init = net_test_init,
	.exit = net_test_exit,
	.test_cases = net_cases,
};

kunit_test_suite(net_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's net room");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
