// SPDX-License-Identifier: GPL-2.0
/*
 * Segmentation of a received sk_buff into its packets. Headers and payload of each are
 * contiguous: in place if they are contiguous in the carrier, else copied.
 *
 * A packet in place is read more than once: to parse it, to check it, to place its payload. So
 * a packet that others may write to meanwhile is copied.
 */
#include <linux/highmem.h>
#include <linux/ip.h>
#include <linux/local_lock.h>
#include <linux/udp.h>
#include <net/ip.h>
#include "compat.h"
#include "compat_net.h"
#include "export.h"
#include "srnic.h"
#include "net/internal.h"
#include "trace/drop.h"

/*
 * Bytes behind the headers of the longest packet: 4096 bytes of payload and the ICRC. Longer
 * packets that are not contiguous are malformed.
 */
#define SCRATCH_LEN	(4096 + SRNIC_ICRC_LEN)

#define ICRC_CACHE_SLOTS	16

/* Contribution of the headers of packets of one flow and length to the ICRC */
struct icrc_cache_slot {
	struct srnic_ends ends;
	struct srnic_icrc_base icrc;
};

/*
 * Each CPU has one. The buffer is ordinary memory, not per-CPU memory, because sth makes
 * scatterlists of it. Flows are cached across carriers because small messages and
 * acknowledgments come in carriers of one packet.
 */
struct segment_scratch {
	local_lock_t lock;
	u8 *buf;
	struct icrc_cache_slot *flows;
};

static DEFINE_PER_CPU(struct segment_scratch, segment_scratch);

int __init srnic_segment_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct segment_scratch *scratch = per_cpu_ptr(&segment_scratch, cpu);

		local_lock_init(&scratch->lock);
		scratch->buf = kmalloc_node(SCRATCH_LEN, GFP_KERNEL, cpu_to_node(cpu));
		scratch->flows = kcalloc_node(ICRC_CACHE_SLOTS, sizeof(*scratch->flows), GFP_KERNEL,
					      cpu_to_node(cpu));
		if (!scratch->buf || !scratch->flows) {
			srnic_segment_exit();
			return -ENOMEM;
		}
	}
	return 0;
}

void srnic_segment_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct segment_scratch *scratch = per_cpu_ptr(&segment_scratch, cpu);

		/* packets of sealed connections are decrypted in place */
		kfree_sensitive(scratch->buf);
		scratch->buf = NULL;
		kfree(scratch->flows);
		scratch->flows = NULL;
	}
}

/**
 * srnic_segment_lock() - Reserve this CPU's scratch for one struct srnic_rx
 *
 * Context: softirq, or with bottom halves disabled. Undo with srnic_segment_unlock().
 */
void srnic_segment_lock(void)
{
	local_lock_nested_bh(&segment_scratch.lock);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_segment_lock);

/**
 * srnic_segment_unlock() - Undo srnic_segment_lock()
 *
 * Context: as srnic_segment_lock(), on the same CPU.
 */
void srnic_segment_unlock(void)
{
	local_unlock_nested_bh(&segment_scratch.lock);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_segment_unlock);

static void rx_fill_ends(struct srnic_rx *rx, const struct udphdr *uh, bool v4)
{
	const struct sk_buff *skb = rx->skb;
	struct srnic_ends *ends = &rx->ends;

	ends->sport = uh->source;
	ends->dport = uh->dest;
	ends->v4 = v4;
	if (v4) {
		const struct iphdr *iph = ip_hdr(skb);

		memcpy(ends->iph, iph, sizeof(*iph));
		ipv6_addr_set_v4mapped(iph->saddr, (struct in6_addr *)ends->sgid);
		ipv6_addr_set_v4mapped(iph->daddr, (struct in6_addr *)ends->dgid);
	} else {
		const struct ipv6hdr *ip6h = ipv6_hdr(skb);

		memcpy(ends->iph, ip6h, sizeof(*ip6h));
		memcpy(ends->sgid, &ip6h->saddr, sizeof(ends->sgid));
		memcpy(ends->dgid, &ip6h->daddr, sizeof(ends->dgid));
	}
}

/**
 * srnic_rx_open() - Begin to take an sk_buff apart
 * @rx: filled in, except for the device and the receiving netdev
 * @skb: a UDP datagram or super-packet, its network header set and its UDP header in the
 *	linear part
 * @thoff: offset of the UDP header from @skb->data, in bytes
 * @v4: the network header is IPv4
 *
 * The number of segments is computed: gso_segs cannot be trusted, because in a virtual machine
 * the host sets it. A super-packet is as long as the sk_buff, which IP has trimmed to its own
 * length; a datagram may be shorter than the IP payload.
 *
 * Return: true; false if the lengths contradict each other: then @rx has addresses only.
 */
bool srnic_rx_open(struct srnic_rx *rx, struct sk_buff *skb, unsigned int thoff, bool v4)
{
	const struct udphdr *uh = (struct udphdr *)(skb->data + thoff);
	bool super = skb_is_gso(skb) && skb_shinfo(skb)->gso_type & SKB_GSO_UDP_L4;
	u32 avail = skb->len - thoff;
	u32 len = super ? avail : ntohs(uh->len);

	rx->skb = skb;
	rx->off = thoff + sizeof(*uh);
	rx->len = len - sizeof(*uh);
	rx->seg = 0;
	rx->icrc = NULL;
	rx->linear_writable = !skb_cloned(skb);
	rx->id_fixed = false;
	rx->reinjected = false;
	rx_fill_ends(rx, uh, v4);
	if (len <= sizeof(*uh) || len > avail)
		return false;

	rx->seg_size = super ? skb_shinfo(skb)->gso_size : rx->len;
	rx->segs = DIV_ROUND_UP(rx->len, rx->seg_size);
	rx->multicast = srnic_gid_is_multicast(rx->ends.dgid);
	return true;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_rx_open);

/*
 * Return the address of @len bytes at @off if they are contiguous and can be read in place,
 * else NULL. Fragments from splice() or sendfile() may still be mapped by the sender: any
 * process on this machine that has a UDP socket and a route to here.
 */
static u8 *carrier_in_place(const struct sk_buff *skb, u32 off, u32 len)
{
	unsigned int i;

	if (off + len <= skb_headlen(skb))
		return skb->data + off;
	if (off < skb_headlen(skb) || !skb_frags_readable(skb) || skb_has_shared_frag(skb))
		return NULL;

	off -= skb_headlen(skb);
	for (i = 0; i < skb_shinfo(skb)->nr_frags; i++) {
		const skb_frag_t *frag = &skb_shinfo(skb)->frags[i];
		u32 size = skb_frag_size(frag);

		if (off < size) {
			if (off + len > size || PageHighMem(skb_frag_page(frag)))
				return NULL;
			return skb_frag_address(frag) + off;
		}
		off -= size;
	}
	return NULL;
}

/*
 * Fragments are never overwritten: others may have their pages even if this sk_buff is not a
 * clone. A copy of a clone's head, as forwarding makes it, shares them with the clone, and the
 * ring of a packet socket stays mapped.
 */
static bool range_writable(const struct srnic_rx *rx, u32 off, u32 len)
{
	return rx->linear_writable && off + len <= skb_headlen(rx->skb);
}

/* Return BTH, extension headers and STH, in place or copied to @pkt's own buffer. */
static u8 *segment_headers(const struct sk_buff *skb, struct srnic_pkt *pkt, u32 len)
{
	u32 n = min_t(u32, len, SRNIC_HDR_MAX);
	u8 *hdr = carrier_in_place(skb, pkt->off, n);

	if (hdr)
		return hdr;
	if (skb_copy_bits(skb, pkt->off, pkt->hdrbuf, n))
		return NULL;
	return pkt->hdrbuf;
}

/* Return payload, pad and ICRC, in place or copied to this CPU's scratch. */
static u8 *segment_payload(struct srnic_rx *rx, const struct srnic_pkt *pkt)
{
	u32 off = srnic_pkt_payload_off(pkt);
	u32 len = pkt->len - pkt->hdr_len - pkt->sth_len;
	u8 *payload = carrier_in_place(rx->skb, off, len);

	if (payload) {
		rx->writable = range_writable(rx, off, len);
		return payload;
	}

	payload = this_cpu_read(segment_scratch.buf);
	if (len > SCRATCH_LEN || skb_copy_bits(rx->skb, off, payload, len))
		return NULL;
	rx->writable = true;
	return payload;
}

static enum srnic_wire_err segment_parse(struct srnic_rx *rx, struct srnic_pkt *pkt, u32 len)
{
	u8 *whole = carrier_in_place(rx->skb, pkt->off, len);
	enum srnic_wire_err err;
	u8 *hdr;

	hdr = whole ?: segment_headers(rx->skb, pkt, len);
	if (!hdr)
		return SRNIC_WIRE_SHORT;
	err = srnic_wire_parse(pkt, hdr, len);
	if (err)
		return err;
	rx->whole = whole;
	if (likely(whole)) {
		rx->writable = range_writable(rx, pkt->off, len);
		pkt->payload = hdr + pkt->hdr_len + pkt->sth_len;
		return SRNIC_WIRE_OK;
	}
	pkt->payload = segment_payload(rx, pkt);
	return pkt->payload ? SRNIC_WIRE_OK : SRNIC_WIRE_SHORT;
}

/**
 * srnic_rx_next() - Take the next packet of an sk_buff
 * @rx: an sk_buff being taken apart
 * @pkt: filled in; its pointers are valid until the next call, or until @rx->skb is freed
 *
 * Malformed packets and unknown opcodes are counted and skipped.
 *
 * Context: softirq, or BHs off; this CPU's scratch locked.
 * Return: true; false if there are no more packets.
 */
bool srnic_rx_next(struct srnic_rx *rx, struct srnic_pkt *pkt)
{
	while (rx->seg < rx->segs) {
		u32 at = rx->seg * rx->seg_size;
		enum srnic_wire_err err;

		pkt->skb = rx->skb;
		pkt->ends = &rx->ends;
		pkt->seg = rx->seg++;
		pkt->off = rx->off + at;
		err = segment_parse(rx, pkt, min(rx->len - at, rx->seg_size));
		if (likely(!err))
			return true;

		srnic_count_drop_unparsed(rx->dev, rx->ends.sgid, err == SRNIC_WIRE_OPCODE ?
					  SRNIC_STAT_unknown_opcode : SRNIC_STAT_malformed);
	}
	return false;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_rx_next);

/* Continue the ICRC from the BTH to the pad, in two runs only if they are not contiguous. */
static u32 segment_crc(u32 crc, const struct srnic_pkt *pkt)
{
	u32 hdr_len = pkt->hdr_len + pkt->sth_len;
	u32 len = pkt->payload_len + pkt->pad;

	if (pkt->hdr + hdr_len == pkt->payload)
		return srnic_crc_update(crc, pkt->hdr, hdr_len + len);
	crc = srnic_crc_update(crc, pkt->hdr, hdr_len);
	return srnic_crc_update(crc, pkt->payload, len);
}

static struct srnic_icrc_base *icrc_cache_lookup(const struct srnic_ends *ends, u16 udp_len)
{
	struct icrc_cache_slot *flows = this_cpu_read(segment_scratch.flows);
	u16 mix = ntohs(ends->sport) ^ udp_len >> 2;
	struct icrc_cache_slot *flow = &flows[(mix ^ mix >> 4) % ICRC_CACHE_SLOTS];

	if (!flow->icrc.udp_len || !srnic_icrc_alike(&flow->ends, ends)) {
		flow->ends = *ends;
		flow->icrc.udp_len = 0;
	}
	return &flow->icrc;
}

static bool segment_icrc_matches(struct srnic_rx *rx, const struct srnic_pkt *pkt, u16 id)
{
	u16 udp_len = sizeof(struct udphdr) + pkt->len;
	__le32 icrc;
	u32 crc;

	if (!rx->icrc || rx->icrc->udp_len != udp_len)
		rx->icrc = icrc_cache_lookup(&rx->ends, udp_len);
	crc = srnic_icrc_begin(rx->icrc, &rx->ends, id, udp_len, pkt->hdr);
	crc = segment_crc(crc, pkt);
	memcpy(&icrc, pkt->payload + pkt->payload_len + pkt->pad, sizeof(icrc));
	return icrc == srnic_icrc_end(crc);
}

/**
 * srnic_rx_icrc_ok() - Check the ICRC of the packet that srnic_rx_next() returned
 * @rx: an sk_buff being taken apart
 * @pkt: its current packet
 *
 * A super-packet has one IP header. The identifications of its segments rise by one if the
 * sender built it whole or GRO joined packets whose identifications rise. GRO also joins
 * packets that share one identification (DF set). The second segment shows which is the case.
 *
 * Context: as for srnic_rx_next().
 * Return: true if the ICRC is correct; the caller counts a failure.
 */
bool srnic_rx_icrc_ok(struct srnic_rx *rx, struct srnic_pkt *pkt)
{
	u16 id = 0;

	if (rx->ends.v4)
		id = get_unaligned_be16(rx->ends.iph + offsetof(struct iphdr, id));
	if (rx->id_fixed)
		return segment_icrc_matches(rx, pkt, id);
	if (likely(segment_icrc_matches(rx, pkt, id + pkt->seg)))
		return true;
	if (!rx->ends.v4 || !pkt->seg || !segment_icrc_matches(rx, pkt, id))
		return false;
	rx->id_fixed = true;
	return true;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_rx_icrc_ok);
