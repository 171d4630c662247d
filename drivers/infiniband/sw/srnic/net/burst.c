// SPDX-License-Identifier: GPL-2.0
/*
 * Bursts: packets that leave together in one sk_buff, which the stack or the NIC cuts into
 * equal segments (UDP segmentation offload) only where it must.
 *
 * A segment's bytes, from BTH to ICRC, are contiguous: the receiver at the other end of a
 * veth pair, or on lo, gets these pages and reads them in place.
 */
#include <linux/mm.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ipv6.h>
#include <net/udp.h>
#include "compat_net.h"
#include "export.h"
#include "net/frame.h"
#include "net/internal.h"

/* A linear sk_buff is cheaper than fragments up to this number of bytes in all. */
#define BURST_LINEAR	1536

/*
 * BTHs begin this many bytes behind a multiple of 16. Payloads, behind a BTH with or without
 * a RETH, then begin at multiples of 16, which suits CRCs by multiplication.
 */
#define BURST_SKEW	(16 - SRNIC_BTH_LEN)

static unsigned int ip_len(const struct srnic_path *path)
{
	return path->ends.v4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr);
}

static unsigned int dev_gso_max(const struct net_device *dev, bool v4)
{
	return v4 ? READ_ONCE(dev->gso_ipv4_max_size) : READ_ONCE(dev->gso_max_size);
}

/**
 * srnic_burst_max() - Return how many segments one burst can take
 * @path: path to the destination; gets a route if it has none
 * @seg_len: bytes of a segment, from BTH to ICRC
 *
 * The IP length field has 16 bits, also in a super-packet, and the output device may set
 * lower limits. Segments that exceed the route's MTU go alone.
 *
 * Context: any up to softirq; users of the path serialise.
 * Return: at least 1.
 */
u16 srnic_burst_max(struct srnic_path *path, u16 seg_len)
{
	const struct net_device *dev;
	unsigned int overhead;
	unsigned int bytes;
	unsigned int segs;

	if (!seg_len || srnic_path_route(path) || seg_len > srnic_path_max_len(path))
		return 1;

	dev = path->dst->dev;
	overhead = LL_RESERVED_SPACE(dev) + ip_len(path) + sizeof(struct udphdr);
	bytes = min_t(unsigned int, dev_gso_max(dev, path->ends.v4), U16_MAX);
	if (bytes <= overhead)
		return 1;

	segs = min((bytes - overhead) / seg_len, READ_ONCE(dev->gso_max_segs));
	return clamp_t(unsigned int, segs, 1, UDP_MAX_SEGMENTS);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_burst_max);

/*
 * Reserve room for the headers, which are pushed later, and for IPsec, which states its needs
 * in the route. This is cheap: the linear part is cut off a chunk and not cleared, and the
 * sk_buff comes from this CPU's cache of recently freed ones.
 */
static struct sk_buff *burst_alloc(const struct srnic_path *path, unsigned int linear)
{
	const struct dst_entry *dst = path->dst;
	unsigned int head = LL_RESERVED_SPACE(dst->dev) + dst->header_len +
			    ip_len(path) + sizeof(struct udphdr);
	struct srnic_chunk_frag frag;
	struct sk_buff *skb;
	u32 size;

	head = ALIGN(head, 16) + BURST_SKEW;
	size = SKB_HEAD_ALIGN(head + linear + dst->trailer_len);
	if (!srnic_chunk_alloc_frag(&frag, size, size))
		return NULL;
	skb = napi_build_skb(page_address(frag.page) + frag.off, size);
	if (!skb) {
		put_page(frag.page);
		return NULL;
	}
	skb_reserve(skb, head);
	return skb;
}

/* Open the next page fragment, with room for all segments to come if the chunk has it. */
static bool burst_add_frag(struct srnic_burst *burst)
{
	struct sk_buff *skb = burst->skb;
	unsigned int nr = skb_shinfo(skb)->nr_frags;
	u32 bytes = (u32)(burst->max_segs - burst->segs) * burst->seg_len;
	struct srnic_chunk_frag frag;

	if (nr == MAX_SKB_FRAGS)
		return false;
	if (!srnic_chunk_alloc_frag(&frag, BURST_SKEW + burst->seg_len, BURST_SKEW + bytes))
		return false;

	skb_fill_page_desc(skb, nr, frag.page, frag.off + BURST_SKEW, 0);
	skb->truesize += frag.len;
	burst->frag_tail = page_address(frag.page) + frag.off + BURST_SKEW;
	burst->frag_avail = frag.len - BURST_SKEW;
	return true;
}

/* Return the unused room to the chunk, for the next burst. */
static void burst_return_tail(struct srnic_burst *burst)
{
	const skb_frag_t *frag;

	if (!burst->frag_tail)
		return;
	frag = &skb_shinfo(burst->skb)->frags[skb_shinfo(burst->skb)->nr_frags - 1];
	srnic_chunk_return_tail(skb_frag_page(frag), skb_frag_off(frag) + skb_frag_size(frag),
				burst->frag_avail);
	burst->skb->truesize -= burst->frag_avail;
	burst->frag_avail = 0;
}

/**
 * srnic_burst_open() - Begin a burst
 * @burst: filled in
 * @path: path to the destination; gets a route if it has none
 * @seg_len: bytes of the longest segment, from BTH to ICRC
 * @segs: largest number of segments
 *
 * Context: process or softirq, BHs off; users of the path serialise.
 * Return: 0, -ENOMEM, or an errno of srnic_path_route().
 */
int srnic_burst_open(struct srnic_burst *burst, struct srnic_path *path, u16 seg_len, u16 segs)
{
	u32 bytes = (u32)seg_len * segs;
	bool linear = bytes <= BURST_LINEAR;
	int err;

	err = srnic_path_route(path);
	if (err)
		return err;

	*burst = (struct srnic_burst) {
		.path = path,
		.id = path->ip_id,
		.seg_len = seg_len,
		.max_segs = segs,
	};
	burst->skb = burst_alloc(path, linear ? bytes : 0);
	if (!burst->skb)
		return -ENOMEM;

	if (!linear && !burst_add_frag(burst)) {
		srnic_burst_abort(burst);
		return -ENOMEM;
	}
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_burst_open);

/* The room suffices: no segment is longer than seg_len, and at most max_segs are taken. */
static u8 *burst_put(struct srnic_burst *burst, u16 len)
{
	struct sk_buff *skb = burst->skb;
	u8 *p = burst->frag_tail;

	if (!p)
		return __skb_put(skb, len);

	burst->frag_tail += len;
	burst->frag_avail -= len;
	skb_frag_size_add(&skb_shinfo(skb)->frags[skb_shinfo(skb)->nr_frags - 1], len);
	skb->len += len;
	skb->data_len += len;
	return p;
}

/**
 * srnic_burst_segment() - Take room for the next segment
 * @burst: an open burst
 * @len: bytes of the segment; a segment shorter than @burst->seg_len is the last one
 *
 * Context: process or softirq, BHs off.
 * Return: address for the segment's bytes; %NULL if the burst is full or memory is short:
 * the caller closes the burst and opens another.
 */
u8 *srnic_burst_segment(struct srnic_burst *burst, u16 len)
{
	u8 *p;

	if (WARN_ON_ONCE(len > burst->seg_len))
		return NULL;
	if (!srnic_burst_has_room(burst))
		return NULL;
	if (burst->frag_tail && burst->frag_avail < len && !burst_add_frag(burst))
		return NULL;

	p = burst_put(burst, len);
	burst->segs++;
	burst->short_last = len < burst->seg_len;
	return p;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_burst_segment);

/**
 * srnic_burst_undo_segment() - Undo the last srnic_burst_segment()
 * @burst: an open burst
 * @len: bytes of the segment
 *
 * For a payload that could not be gathered or sealed.
 *
 * Context: any up to softirq.
 */
void srnic_burst_undo_segment(struct srnic_burst *burst, u16 len)
{
	struct sk_buff *skb = burst->skb;

	burst->segs--;
	burst->short_last = false;
	if (!burst->frag_tail) {
		__skb_trim(skb, skb->len - len);
		return;
	}
	burst->frag_tail -= len;
	burst->frag_avail += len;
	skb_frag_size_sub(&skb_shinfo(skb)->frags[skb_shinfo(skb)->nr_frags - 1], len);
	skb->len -= len;
	skb->data_len -= len;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_burst_undo_segment);

/* Drop the last page fragment if it is empty: its only segment was taken back. */
static void burst_drop_empty_frag(struct sk_buff *skb)
{
	int last = skb_shinfo(skb)->nr_frags - 1;
	struct page *page;

	if (last < 0 || skb_frag_size(&skb_shinfo(skb)->frags[last]))
		return;
	page = skb_frag_page(&skb_shinfo(skb)->frags[last]);
	skb_shinfo(skb)->nr_frags--;
	put_page(page);
}

static struct srnic_icrc_base *icrc_base(struct srnic_path *path, u16 udp_len)
{
	return &path->icrc[udp_len / 4 % ARRAY_SIZE(path->icrc)];
}

/**
 * srnic_burst_icrc() - Begin the ICRC of the segment just taken
 * @burst: an open burst
 * @len: bytes of the segment
 * @bth: the segment's BTH, already written
 *
 * Segmentation gives each segment its own length and, for IPv4, the next identification
 * (inet_gso_segment()). The ICRC covers both.
 *
 * Context: any; users of the path serialise.
 * Return: CRC state at the BTH, see srnic_icrc_begin().
 */
u32 srnic_burst_icrc(struct srnic_burst *burst, u16 len, const u8 *bth)
{
	struct srnic_path *path = burst->path;
	u16 udp_len = sizeof(struct udphdr) + len;

	return srnic_icrc_begin(icrc_base(path, udp_len), &path->ends,
				burst->id + burst->segs - 1, udp_len, bth);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_burst_icrc);

/*
 * The UDP checksum is left to the device or to the caller of its driver; on veth and lo it is
 * never computed. The ICRC protects better, but segmentation needs the checksum, and GRO lets
 * packets without one overtake packets with one that it holds of the same flow
 * (udp_gro_receive_segment()). burst_alloc() has reserved room for both headers.
 */
static void burst_push_udp(struct srnic_burst *burst)
{
	const struct srnic_ends *ends = &burst->path->ends;
	struct sk_buff *skb = burst->skb;
	struct udphdr *uh = __skb_push(skb, sizeof(*uh));

	skb_reset_transport_header(skb);
	uh->source = ends->sport;
	uh->dest = ends->dport;
	uh->len = htons(skb->len);
	if (ends->v4)
		uh->check = ~udp_v4_check(skb->len, srnic_gid_v4(ends->sgid),
					  srnic_gid_v4(ends->dgid), 0);
	else
		uh->check = ~udp_v6_check(skb->len, (struct in6_addr *)ends->sgid,
					  (struct in6_addr *)ends->dgid, 0);
	/* an InfiniBand port's MTU does not depend on the netdev's: IPv6 may fragment */
	skb->ignore_df = ends->dport == htons(SRNIC_IB_PORT);
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_transport_header(skb) - skb->head;
	skb->csum_offset = offsetof(struct udphdr, check);
	if (burst->segs == 1)
		return;
	skb_shinfo(skb)->gso_type = SKB_GSO_UDP_L4;
	skb_shinfo(skb)->gso_size = burst->seg_len;
	skb_shinfo(skb)->gso_segs = burst->segs;
}

static void burst_push_ip(struct srnic_burst *burst)
{
	const struct srnic_path *path = burst->path;
	struct sk_buff *skb = burst->skb;
	unsigned int len = skb->len;
	u8 *iph = __skb_push(skb, ip_len(path));

	skb_reset_network_header(skb);
	memcpy(iph, path->ends.iph, ip_len(path));
	if (path->ends.v4) {
		/* ip_local_out() fills in tot_len and the checksum */
		((struct iphdr *)iph)->id = htons(burst->id);
		skb->protocol = htons(ETH_P_IP);
	} else {
		((struct ipv6hdr *)iph)->payload_len = htons(len);
		skb->protocol = htons(ETH_P_IPV6);
	}
}

/**
 * srnic_burst_close() - Finish the sk_buff and append it to a queue
 * @burst: an open burst; dropped if it has no segments
 * @out: the queue
 *
 * Context: process or softirq, BHs off; users of the path and of @out serialise.
 */
void srnic_burst_close(struct srnic_burst *burst, struct sk_buff_head *out)
{
	struct srnic_path *path = burst->path;
	struct sk_buff *skb = burst->skb;

	if (!burst->segs) {
		srnic_burst_abort(burst);
		return;
	}

	burst_return_tail(burst);
	burst_drop_empty_frag(skb);
	burst_push_udp(burst);
	burst_push_ip(burst);
	path->ip_id = burst->id + burst->segs;

	skb->priority = rt_tos2priority(path->tos);
	__skb_set_sw_hash(skb, path->hash, true);
	skb_dst_set(skb, dst_clone(path->dst));
	__skb_queue_tail(out, skb);
	burst->skb = NULL;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_burst_close);

/**
 * srnic_burst_abort() - Drop a burst
 * @burst: an open burst
 *
 * Context: process or softirq, BHs off.
 */
void srnic_burst_abort(struct srnic_burst *burst)
{
	burst_return_tail(burst);
	kfree_skb(burst->skb);
	burst->skb = NULL;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_burst_abort);

static struct net *net_of(const struct sk_buff *skb)
{
	return dev_net(skb_dst(skb)->dev);
}

/**
 * srnic_net_send() - Hand a finished burst to the stack
 * @skb: sk_buff that srnic_burst_close() has queued, or a frame of a raw packet QP; consumed
 *
 * The burst passes the same stages as every local packet: firewall (OUTPUT), IPsec, neighbour
 * table, queueing discipline.
 *
 * Context: any up to softirq, no lock of srnic held: on lo and veth the receiver's softirq may
 * run at the end of this call.
 * Return: 0; NET_XMIT_DROP: a queue was full; NET_XMIT_CN: a queue was full and dropped
 * another packet; or a negative errno: the burst cannot be sent.
 */
int srnic_net_send(struct sk_buff *skb)
{
	int err;

	rcu_read_lock();
	if (skb->protocol == htons(ETH_P_IP))
		err = ip_local_out(net_of(skb), NULL, skb);
	else if (likely(skb->protocol == htons(ETH_P_IPV6)))
		err = ip6_local_out(net_of(skb), NULL, skb);
	else
		err = srnic_frame_xmit(skb);
	rcu_read_unlock();
	return err;
}
