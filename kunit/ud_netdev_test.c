// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of receipt for ib_ipoib's netdev: payloads leave their carrier, and packets that a
 * netdev of this suite hands to the network stack are compared with those of ib_ipoib itself.
 */
#include <kunit/test.h>
#include <linux/if_arp.h>
#include <linux/if_infiniband.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/unaligned.h>
#include <net/ip.h>

#include "srnic.h"
#include "engine/engine.h"
#include "engine/ipoib.h"
#include "engine/ud_netdev.h"
#include "net/net.h"

#define ENCAP		SRNIC_ENCAP_LEN
#define MAC		(INFINIBAND_ALEN + ENCAP)
#define QPN		0x123456
#define OVERHEAD	24	/* BTH, DETH, ICRC */
#define LONG		2000
#define SHORT		100
#define SEGS		4
#define CHARGED		SZ_64K	/* for a carrier: drivers charge more than the packets have */
#define MANY		4096	/* one round of the stack: 64 carriers of 64 */
#define TOO_MANY	20000
#define CARRIER		128	/* most datagrams of a carrier */
#define WAIT		(60 * HZ)	/* longer than any machine needs */

static const u8 peer[] = { 0xfe, 0x80, [15] = 2 };
static const u8 own[] = { 0xfe, 0x80, [15] = 1 };
static const u8 everybody[] = { 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, [12] = 0xff, 0xff, 0xff, 0xff };
static const u8 some_group[] = { 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, [15] = 1 };

/* The packet that the network stack got last */
struct arrival {
	struct packet_type type;
	wait_queue_head_t wait;
	int count;
	u8 pkt_type;
	u8 ip_summed;
	u8 mac[MAC];
	u32 len;
	u8 data[LONG];
};

struct world {
	struct net_device *ndev;
	struct srnic_ud_netdev netdev;
	struct srnic_ends ends;
	struct srnic_pkt pkt;
	struct sk_buff *carrier;
	struct arrival got;
};

/* ------------------------------------------------- packets by this suite */

static u8 byte_of(u32 i)
{
	return i * 7 + (i >> 8);
}

/* Make a carrier of @segs packets of a fragment, or, if @linear, of its linear part. */
static void make_carrier(struct kunit *test, u32 len, u32 segs, bool linear)
{
	u32 bytes = (OVERHEAD + len) * segs;
	struct world *w = test->priv;
	struct page *page;
	u8 *at;
	u32 i;

	kfree_skb(w->carrier);
	w->carrier = alloc_skb(linear ? bytes : 0, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w->carrier);
	if (linear) {
		at = skb_put(w->carrier, bytes);
	} else {
		page = alloc_pages(GFP_KERNEL | __GFP_COMP, get_order(bytes));
		KUNIT_ASSERT_NOT_NULL(test, page);
		skb_add_rx_frag(w->carrier, 0, page, 0, bytes, CHARGED);
		at = page_address(page);
	}
	for (i = 0; i < bytes; i++)
		at[i] = byte_of(i);
	w->pkt = (struct srnic_pkt) {
		.skb = w->carrier,
		.ends = &w->ends,
		.sqpn = QPN + 1,
		.len = OVERHEAD + len,
		.payload = at + OVERHEAD - SRNIC_ICRC_LEN,
		.payload_len = len,
	};
}

/* Make the payload a datagram of UDP, whose checksum is right. */
static void make_datagram(struct kunit *test, u32 len)
{
	struct world *w = test->priv;
	u8 *at = w->pkt.payload;

	memset(at, 0, ENCAP);
	put_unaligned_be16(ETH_P_IP, at);
	at[ENCAP] = 0x45;
	at[ENCAP + 1] = 0;
	put_unaligned_be16(len - ENCAP, at + ENCAP + 2);
	put_unaligned_be32(1 << 16, at + ENCAP + 4);
	put_unaligned_be16(64 << 8 | IPPROTO_UDP, at + ENCAP + 8);
	put_unaligned_be32(0x0a4e0002, at + ENCAP + 12);
	put_unaligned_be32(0x0a4e0001, at + ENCAP + 16);
	put_unaligned_be16(len - ENCAP - sizeof(struct iphdr), at + ENCAP + 24);
	srnic_ipoib_fill_csum(at, len);
}

static struct sk_buff *lift(struct kunit *test, u32 linear)
{
	struct world *w = test->priv;
	struct sk_buff *skb;

	local_bh_disable();
	skb = srnic_rx_lift(&w->pkt, MAC, linear);
	local_bh_enable();
	KUNIT_ASSERT_NOT_NULL(test, skb);
	KUNIT_EXPECT_GE(test, skb_headroom(skb), MAC);
	KUNIT_EXPECT_EQ(test, skb->len, w->pkt.payload_len);
	return skb;
}

static void expect_bytes(struct kunit *test, const struct sk_buff *skb)
{
	struct world *w = test->priv;
	u8 *copy = kunit_kzalloc(test, skb->len, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, copy);
	KUNIT_ASSERT_EQ(test, skb_copy_bits(skb, 0, copy, skb->len), 0);
	KUNIT_EXPECT_MEMEQ(test, copy, w->pkt.payload, w->pkt.payload_len);
}

/* ------------------------------------------------- payloads leave their carrier */

static void long_payload_shares_the_carriers_page(struct kunit *test)
{
	struct world *w = test->priv;
	struct sk_buff *skb;
	struct page *page;

	make_carrier(test, LONG, SEGS, false);
	page = skb_frag_page(&skb_shinfo(w->carrier)->frags[0]);
	skb = lift(test, ENCAP);
	expect_bytes(test, skb);
	KUNIT_EXPECT_EQ(test, skb_headlen(skb), ENCAP);
	KUNIT_ASSERT_EQ(test, skb_shinfo(skb)->nr_frags, 1);
	KUNIT_EXPECT_PTR_EQ(test, skb_frag_page(&skb_shinfo(skb)->frags[0]), page);
	KUNIT_EXPECT_EQ(test, page_ref_count(page), 2);
	kfree_skb(skb);
	KUNIT_EXPECT_EQ(test, page_ref_count(page), 1);
}

/* A socket's limit counts truesize: it must not hold more memory than it is charged for. */
static void payloads_of_a_carrier_are_charged_with_all_of_it(struct kunit *test)
{
	struct world *w = test->priv;
	struct sk_buff *skb;
	u32 charged = 0;
	u32 i;

	make_carrier(test, LONG, SEGS, false);
	for (i = 0; i < SEGS; i++) {
		skb = lift(test, ENCAP);
		charged += skb->truesize;
		kfree_skb(skb);
		w->pkt.payload += w->pkt.len;
	}
	KUNIT_EXPECT_GE(test, charged, w->carrier->truesize);
}

static void expect_copy(struct kunit *test)
{
	struct sk_buff *skb = lift(test, ENCAP);

	expect_bytes(test, skb);
	KUNIT_EXPECT_EQ(test, skb_shinfo(skb)->nr_frags, 0);
	kfree_skb(skb);
}

static void short_payload_is_copied(struct kunit *test)
{
	make_carrier(test, SHORT, SEGS, false);
	expect_copy(test);
}

static void payload_of_the_linear_part_is_copied(struct kunit *test)
{
	make_carrier(test, LONG, 1, true);
	expect_copy(test);
}

static void payload_that_was_copied_out_of_the_carrier_is_copied(struct kunit *test)
{
	struct world *w = test->priv;
	u8 *scratch = kunit_kzalloc(test, LONG, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, scratch);
	make_carrier(test, LONG, SEGS, false);
	memcpy(scratch, w->pkt.payload, LONG);
	w->pkt.payload = scratch;
	expect_copy(test);
}

/* Others may write to a carrier's pages, but must not change bytes that have been verified. */
static void sealed_payload_is_copied(struct kunit *test)
{
	struct world *w = test->priv;

	make_carrier(test, LONG, SEGS, false);
	w->pkt.sth_len = 16;
	expect_copy(test);
}

/* Someone else, such as a capture, has the packet. ESP decrypts in place. */
static void payload_of_a_carrier_with_a_clone_is_copied(struct kunit *test)
{
	struct world *w = test->priv;
	struct sk_buff *clone;

	make_carrier(test, LONG, SEGS, false);
	clone = skb_clone(w->carrier, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, clone);
	expect_copy(test);
	kfree_skb(clone);
}

static void shared_pages_are_not_written_in_place(struct kunit *test)
{
	struct sk_buff *skb;

	make_carrier(test, LONG, SEGS, false);
	skb = lift(test, ENCAP);
	KUNIT_EXPECT_TRUE(test, skb_has_shared_frag(skb));
	kfree_skb(skb);
}

/* A cache of fragments may have single pages only, and some kernels refuse to refill it then. */
static void copy_of_more_than_a_page_has_pages_of_its_own(struct kunit *test)
{
	struct sk_buff *skb;

	make_carrier(test, PAGE_SIZE, 1, true);
	skb = lift(test, ENCAP);
	expect_bytes(test, skb);
	KUNIT_EXPECT_FALSE(test, skb->head_frag);
	kfree_skb(skb);

	make_carrier(test, LONG, 1, true);
	skb = lift(test, ENCAP);
	KUNIT_EXPECT_TRUE(test, skb->head_frag);
	kfree_skb(skb);
}

/* ------------------------------------------------- the netdev receives */

static int note_arrival(struct sk_buff *skb, struct net_device *ndev, struct packet_type *type,
			struct net_device *orig)
{
	struct arrival *got = container_of(type, struct arrival, type);

	got->pkt_type = skb->pkt_type;
	got->ip_summed = skb->ip_summed;
	got->len = skb->len;
	memcpy(got->mac, skb_mac_header(skb), MAC);
	skb_copy_bits(skb, 0, got->data, min_t(u32, skb->len, LONG));
	kfree_skb(skb);
	/* after the facts: paired with expect_arrival() */
	smp_store_release(&got->count, got->count + 1);
	wake_up(&got->wait);
	return NET_RX_SUCCESS;
}

/* Let the netdev receive the packet. */
static void receive(struct kunit *test)
{
	struct world *w = test->priv;

	local_bh_disable();
	srnic_ud_netdev_rx(&w->netdev, &w->pkt);
	local_bh_enable();
}

static void expect_arrival(struct kunit *test, int count)
{
	struct world *w = test->priv;

	/* before the facts: paired with note_arrival() */
	wait_event_timeout(w->got.wait, smp_load_acquire(&w->got.count) >= count, WAIT);
	KUNIT_ASSERT_EQ(test, w->got.count, count);
}

static struct rtnl_link_stats64 stats_of(const struct world *w)
{
	struct rtnl_link_stats64 stats = {};

	netdev_stats_to_stats64(&stats, &w->ndev->stats);
	dev_fetch_sw_netstats(&stats, w->ndev->tstats);
	return stats;
}

static void set_ends(struct world *w, const u8 *sgid, const u8 *dgid)
{
	memcpy(w->ends.sgid, sgid, sizeof(w->ends.sgid));
	memcpy(w->ends.dgid, dgid, sizeof(w->ends.dgid));
}

static void datagram_reaches_the_stack(struct kunit *test)
{
	static const u8 none[INFINIBAND_ALEN];
	struct world *w = test->priv;

	make_carrier(test, LONG, 1, false);
	make_datagram(test, LONG);
	receive(test);
	expect_arrival(test, 1);
	KUNIT_EXPECT_EQ(test, w->got.pkt_type, PACKET_HOST);
	KUNIT_EXPECT_EQ(test, w->got.len, LONG - ENCAP);
	KUNIT_EXPECT_MEMEQ(test, w->got.data, w->pkt.payload + ENCAP, LONG - ENCAP);
	KUNIT_EXPECT_MEMEQ(test, w->got.mac, none, INFINIBAND_ALEN);
	KUNIT_EXPECT_MEMEQ(test, w->got.mac + INFINIBAND_ALEN, w->pkt.payload, ENCAP);
	KUNIT_EXPECT_EQ(test, stats_of(w).rx_packets, 1);
	KUNIT_EXPECT_EQ(test, stats_of(w).rx_bytes, LONG - ENCAP);
}

static void right_checksums_are_not_checked_again(struct kunit *test)
{
	struct world *w = test->priv;

	w->ndev->features &= ~NETIF_F_GRO;	/* GRO checks them, too */
	make_carrier(test, LONG, 1, false);
	make_datagram(test, LONG);
	receive(test);
	expect_arrival(test, 1);
	KUNIT_EXPECT_EQ(test, w->got.ip_summed, CHECKSUM_UNNECESSARY);

	w->pkt.payload[LONG - 1] ^= 1;
	receive(test);
	expect_arrival(test, 2);
	KUNIT_EXPECT_EQ(test, w->got.ip_summed, CHECKSUM_NONE);
}

static void checksums_are_left_to_the_stack_if_it_wants(struct kunit *test)
{
	struct world *w = test->priv;

	w->ndev->features &= ~(NETIF_F_RXCSUM | NETIF_F_GRO);
	make_carrier(test, LONG, 1, false);
	make_datagram(test, LONG);
	receive(test);
	expect_arrival(test, 1);
	KUNIT_EXPECT_EQ(test, w->got.ip_summed, CHECKSUM_NONE);
}

static void groups_are_told_apart(struct kunit *test)
{
	struct world *w = test->priv;

	make_carrier(test, SHORT, 1, false);
	make_datagram(test, SHORT);
	set_ends(w, peer, everybody);
	receive(test);
	expect_arrival(test, 1);
	KUNIT_EXPECT_EQ(test, w->got.pkt_type, PACKET_BROADCAST);
	KUNIT_EXPECT_EQ(test, stats_of(w).multicast, 0);

	set_ends(w, peer, some_group);
	receive(test);
	expect_arrival(test, 2);
	KUNIT_EXPECT_EQ(test, w->got.pkt_type, PACKET_MULTICAST);
	KUNIT_EXPECT_EQ(test, stats_of(w).multicast, 1);
}

/* RFC 4391, section 9.1: the QPN is part of the address, so a node may have several. */
static void own_datagrams_to_a_group_do_not_come_back(struct kunit *test)
{
	struct world *w = test->priv;

	make_carrier(test, SHORT, 1, false);
	make_datagram(test, SHORT);
	set_ends(w, own, some_group);
	w->pkt.sqpn = QPN;
	receive(test);
	KUNIT_EXPECT_EQ(test, stats_of(w).rx_packets, 0);
	KUNIT_EXPECT_EQ(test, stats_of(w).rx_errors, 0);

	w->pkt.sqpn = QPN + 1;
	receive(test);
	expect_arrival(test, 1);
	set_ends(w, peer, some_group);
	w->pkt.sqpn = QPN;
	receive(test);
	expect_arrival(test, 2);
}

static void datagram_without_a_header_is_an_error(struct kunit *test)
{
	struct world *w = test->priv;

	make_carrier(test, ENCAP - 1, 1, false);
	receive(test);
	KUNIT_EXPECT_EQ(test, stats_of(w).rx_packets, 0);
	KUNIT_EXPECT_EQ(test, stats_of(w).rx_errors, 1);
	KUNIT_EXPECT_EQ(test, stats_of(w).rx_length_errors, 1);

	make_carrier(test, ENCAP, 1, false);
	make_datagram(test, ENCAP);
	receive(test);
	KUNIT_EXPECT_EQ(test, stats_of(w).rx_packets, 1);
}

static void datagram_beyond_the_largest_is_an_error(struct kunit *test)
{
	struct world *w = test->priv;

	w->netdev.longest = LONG - 1;
	make_carrier(test, LONG, 1, false);
	make_datagram(test, LONG);
	receive(test);
	KUNIT_EXPECT_EQ(test, stats_of(w).rx_packets, 0);
	KUNIT_EXPECT_EQ(test, stats_of(w).rx_errors, 1);
	KUNIT_EXPECT_EQ(test, stats_of(w).rx_length_errors, 1);
}

/*
 * BHs are off, and the stack does not run. The netdev receives @count datagrams, one in @carrier of
 * which is the first of its carrier; 0: none.
 */
static void queue_up(struct kunit *test, int count, int carrier)
{
	struct world *w = test->priv;
	int i;

	w->ndev->features &= ~NETIF_F_GRO;
	for (i = 0; i < count; i++) {
		w->pkt.seg = carrier ? i % carrier : 1;
		srnic_ud_netdev_rx(&w->netdev, &w->pkt);
	}
}

/* Let the netdev receive @count datagrams before the stack runs. Return how many it keeps. */
static int flood(struct kunit *test, int count, int carrier)
{
	struct world *w = test->priv;

	make_carrier(test, SHORT, 1, false);
	make_datagram(test, SHORT);
	local_bh_disable();
	queue_up(test, count, carrier);
	local_bh_enable();
	return count - stats_of(w).rx_dropped;
}

/* A super-packet from the wire has dozens; the stack's own queue for tunnels keeps 1000. */
static void thousands_wait_for_the_stack(struct kunit *test)
{
	struct world *w = test->priv;

	KUNIT_EXPECT_EQ(test, flood(test, MANY, 64), MANY);
	expect_arrival(test, MANY);
	KUNIT_EXPECT_EQ(test, stats_of(w).rx_packets, MANY);
}

static void the_queue_is_bounded(struct kunit *test)
{
	int kept = flood(test, TOO_MANY, 64);

	KUNIT_EXPECT_LT(test, kept, TOO_MANY);
	expect_arrival(test, kept);
}

/* The queue's own CPU runs its NAPI. */
static struct napi_struct *napi_of_this_cpu(const struct net_device *ndev)
{
	struct napi_struct *napi;

	list_for_each_entry(napi, &ndev->napi_list, dev_list) {
		if (test_bit(NAPI_STATE_SCHED, &napi->state))
			return napi;
	}
	return NULL;
}

/* A peer may send super-packets whose first segment is wrong. */
static void a_round_of_the_stack_is_bounded(struct kunit *test)
{
	struct world *w = test->priv;
	struct napi_struct *napi;

	make_carrier(test, SHORT, 1, false);
	make_datagram(test, SHORT);
	local_bh_disable();
	queue_up(test, 10 * CARRIER, 0);
	napi = napi_of_this_cpu(w->ndev);
	KUNIT_EXPECT_TRUE(test, !!napi);
	if (napi) {
		KUNIT_EXPECT_EQ(test, napi->poll(napi, 0), 0);
		KUNIT_EXPECT_TRUE_MSG(test, test_bit(NAPI_STATE_SCHED, &napi->state), "netpoll");
		KUNIT_EXPECT_EQ(test, napi->poll(napi, 1), 1);
	}
	KUNIT_EXPECT_LE(test, w->got.count, CARRIER);
	local_bh_enable();
	expect_arrival(test, 10 * CARRIER);
}

/* They would reach another namespace if the netdev moves to it now. */
static void datagrams_that_are_discarded_never_arrive(struct kunit *test)
{
	struct world *w = test->priv;
	int arrived, kept;

	kept = flood(test, TOO_MANY, 1);
	srnic_ud_backlog_discard(&w->netdev);
	arrived = w->got.count;
	KUNIT_EXPECT_LE(test, arrived, kept);
	receive(test);
	expect_arrival(test, arrived + 1);
}

/* ------------------------------------------------- fixture */

static netdev_tx_t drop(struct sk_buff *skb, struct net_device *ndev)
{
	kfree_skb(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops ops = { .ndo_start_xmit = drop };

static void setup(struct net_device *ndev)
{
	ndev->netdev_ops = &ops;
	ndev->type = ARPHRD_INFINIBAND;
	ndev->addr_len = INFINIBAND_ALEN;
	ndev->hard_header_len = MAC;
	ndev->mtu = LONG;
	ndev->flags = IFF_NOARP;
	ndev->features = NETIF_F_RXCSUM | NETIF_F_GRO;
	ndev->hw_features = NETIF_F_RXCSUM;
}

static void set_addresses(struct net_device *ndev)
{
	u8 addr[INFINIBAND_ALEN] = {};

	put_unaligned_be32(QPN, addr);
	memcpy(addr + 4, own, sizeof(own));
	dev_addr_mod(ndev, 0, addr, sizeof(addr));
	memset(ndev->broadcast, 0xff, 4);
	memcpy(ndev->broadcast + 4, everybody, sizeof(everybody));
}

static int init(struct kunit *test)
{
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	int err;

	KUNIT_ASSERT_NOT_NULL(test, w);
	test->priv = w;
	init_waitqueue_head(&w->got.wait);
	set_ends(w, peer, own);
	w->ndev = alloc_netdev(0, "kunit-ib%d", NET_NAME_UNKNOWN, setup);
	KUNIT_ASSERT_NOT_NULL(test, w->ndev);
	set_addresses(w->ndev);
	w->ndev->tstats = netdev_alloc_pcpu_stats(struct pcpu_sw_netstats);
	KUNIT_ASSERT_TRUE(test, !!w->ndev->tstats);
	w->netdev.dev = w->ndev;
	KUNIT_ASSERT_EQ(test, srnic_ud_backlog_init(&w->netdev), 0);
	w->netdev.qpn = QPN;
	w->netdev.longest = PAGE_SIZE;
	rtnl_lock();
	err = register_netdevice(w->ndev) ?: dev_open(w->ndev, NULL);
	rtnl_unlock();
	KUNIT_ASSERT_EQ(test, err, 0);
	w->got.type = (struct packet_type) {
		.type = htons(ETH_P_IP),
		.dev = w->ndev,
		.func = note_arrival,
	};
	dev_add_pack(&w->got.type);
	return 0;
}

static void cleanup(struct kunit *test)
{
	struct world *w = test->priv;

	kfree_skb(w->carrier);
	dev_remove_pack(&w->got.type);
	unregister_netdev(w->ndev);
	srnic_ud_backlog_exit(&w->netdev);
	free_percpu(w->ndev->tstats);
	free_netdev(w->ndev);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(long_payload_shares_the_carriers_page),
	KUNIT_CASE(payloads_of_a_carrier_are_charged_with_all_of_it),
	KUNIT_CASE(short_payload_is_copied),
	KUNIT_CASE(payload_of_the_linear_part_is_copied),
	KUNIT_CASE(payload_that_was_copied_out_of_the_carrier_is_copied),
	KUNIT_CASE(sealed_payload_is_copied),
	KUNIT_CASE(payload_of_a_carrier_with_a_clone_is_copied),
	KUNIT_CASE(shared_pages_are_not_written_in_place),
	KUNIT_CASE(copy_of_more_than_a_page_has_pages_of_its_own),
	KUNIT_CASE(datagram_reaches_the_stack),
	KUNIT_CASE(right_checksums_are_not_checked_again),
	KUNIT_CASE(checksums_are_left_to_the_stack_if_it_wants),
	KUNIT_CASE(groups_are_told_apart),
	KUNIT_CASE(own_datagrams_to_a_group_do_not_come_back),
	KUNIT_CASE(datagram_without_a_header_is_an_error),
	KUNIT_CASE(datagram_beyond_the_largest_is_an_error),
	KUNIT_CASE(thousands_wait_for_the_stack),
	KUNIT_CASE(the_queue_is_bounded),
	KUNIT_CASE(a_round_of_the_stack_is_bounded),
	KUNIT_CASE(datagrams_that_are_discarded_never_arrive),
	{}
};

static struct kunit_suite suite = {
	.name = "srnic-ud-netdev",
	.init = init,
	.exit = cleanup,
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit suite of receipt for ib_ipoib's netdev");
MODULE_IMPORT_NS(SRNIC_KUNIT);
