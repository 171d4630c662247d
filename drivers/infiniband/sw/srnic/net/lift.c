// SPDX-License-Identifier: GPL-2.0
/*
 * Payloads that the network stack receives as packets of their own: an sk_buff for each, which
 * shares the pages of the carrier where it can.
 */
#include <linux/math64.h>
#include "compat_net.h"
#include "export.h"
#include "srnic.h"
#include "net/internal.h"

/* Bytes up to which a copy costs less than a reference to a page */
#define LIFT_COPY	256

/* Return the index of the fragment of @skb that has @at; -1: none has, it may be a copy. */
static int lift_frag(const struct sk_buff *skb, const u8 *at)
{
	int i;

	if (!skb_frags_readable(skb))
		return -1;
	for (i = 0; i < skb_shinfo(skb)->nr_frags; i++) {
		const skb_frag_t *frag = &skb_shinfo(skb)->frags[i];
		const u8 *begin = skb_frag_address(frag);

		if (at >= begin && at < begin + skb_frag_size(frag))
			return i;
	}
	return -1;
}

/* Return the part of the carrier's memory that a packet keeps from being freed. */
static u32 lift_truesize(const struct srnic_pkt *pkt)
{
	return div_u64((u64)pkt->skb->truesize * pkt->len, pkt->skb->len);
}

/*
 * As napi_alloc_skb() does: out of a page that the CPU's packets share, which may be a single one.
 * More than a page is allocated apart.
 */
static struct sk_buff *lift_alloc(u32 room)
{
	u32 size = SKB_HEAD_ALIGN(room);
	struct sk_buff *skb = NULL;
	void *head;

	if (size > PAGE_SIZE)
		return alloc_skb(room, GFP_ATOMIC);
	head = napi_alloc_frag(size);
	if (head)
		skb = napi_build_skb(head, size);
	if (head && unlikely(!skb))
		skb_free_frag(head);
	return skb;
}

/*
 * Whether a payload may share its carrier's pages. It may not if it is sealed: the bytes that were
 * verified must not change any more, and others may be able to write to the pages. Nor if others
 * have a clone of the carrier: ESP of a kernel that does not look at SKBFL_SHARED_FRAG decrypts in
 * place.
 */
static bool may_share(const struct srnic_pkt *pkt)
{
	return pkt->payload_len > LIFT_COPY && !pkt->sth_len && !skb_cloned(pkt->skb);
}

/* Append all of the payload but its first @linear bytes. */
static void lift_share(struct sk_buff *skb, const struct srnic_pkt *pkt, u32 linear, int i)
{
	const skb_frag_t *frag = &skb_shinfo(pkt->skb)->frags[i];
	const u8 *from = pkt->payload + linear;
	u32 off = from - (const u8 *)skb_frag_address(frag);

	get_page(skb_frag_page(frag));
	skb_add_rx_frag(skb, 0, skb_frag_page(frag), skb_frag_off(frag) + off,
			pkt->payload_len - linear, lift_truesize(pkt));
	skb_shinfo(skb)->flags |= SKBFL_SHARED_FRAG;	/* others receive parts of the page */
}

/**
 * srnic_rx_lift() - Make an sk_buff of a packet's payload
 * @pkt: a packet as srnic_rx_next() returned it, all checks passed
 * @headroom: bytes to reserve in front of the payload
 * @linear: bytes of the payload, at most all, that must be in the sk_buff's linear part
 *
 * Context: softirq, or BHs off.
 * Return: the sk_buff, or NULL if memory is short.
 */
struct sk_buff *srnic_rx_lift(const struct srnic_pkt *pkt, u32 headroom, u32 linear)
{
	int frag = may_share(pkt) ? lift_frag(pkt->skb, pkt->payload) : -1;
	u32 copied = frag < 0 ? pkt->payload_len : linear;
	/* IP pulls headers out of a fragment: they fit here, too */
	u32 room = headroom + max_t(u32, copied, LIFT_COPY);
	struct sk_buff *skb = lift_alloc(room);

	if (unlikely(!skb))
		return NULL;
	skb_reserve(skb, headroom);
	skb_put_data(skb, pkt->payload, copied);
	if (frag >= 0)
		lift_share(skb, pkt, copied, frag);
	return skb;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_rx_lift);
