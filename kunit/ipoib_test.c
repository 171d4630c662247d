// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the offloads for IP over InfiniBand: large sends are cut into datagrams that
 * are compared with those that this suite builds, and checksums with sums of its own.
 */
#include <linux/module.h>
#include <linux/random.h>
#include <net/ip.h>
#include <net/tcp.h>

#include "pair_fixture.h"
#include "engine/ah.h"
#include "engine/backpressure.h"
#include "engine/ipoib.h"
#include "engine/requester.h"
#include "engine/ud_netdev.h"
#include "fabric/fabric.h"

#define MTU		2048
#define ENCAP		4
#define FIRST_IP_ID	0xfffe		/* wraps */
#define FIRST_SEQ	0xfffff000	/* wraps, too */
#define TCP_OPTIONS	12
#define QKEY		0x80000b1b
#define PAYLOAD		70000

/* Structure of the packets: protocol, and whether its header and that of IP have options */
struct flavour {
	const char *name;
	bool v4;
	bool udp;
	u32 ip_options;
	u32 tcp_options;
};

static const struct flavour flavours[] = {
	{ "TCP over IPv4", true, false, 0, 0 },
	{ "TCP with timestamps over IPv4", true, false, 0, TCP_OPTIONS },
	{ "TCP with timestamps over IPv4 with options", true, false, 8, TCP_OPTIONS },
	{ "TCP over IPv6", false, false, 0, 0 },
	{ "TCP with timestamps over IPv6", false, false, 0, TCP_OPTIONS },
	{ "UDP over IPv4", true, true, 0, 0 },
	{ "UDP over IPv6", false, true, 0, 0 },
};

static void flavour_name(const struct flavour *f, char *desc)
{
	strscpy(desc, f->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(flavour, flavours, flavour_name);

/* One segment: its number in the stream, its flags, its payload */
struct segment {
	u16 id;
	u32 seq;
	u8 flags;
	const u8 *payload;
	u32 len;
};

/* ------------------------------------------------- packets by this suite */

static void put16(u8 *at, u32 value)
{
	at[0] = value >> 8;
	at[1] = value;
}

static u32 ip_len(const struct flavour *f)
{
	return f->v4 ? 20 + f->ip_options : 40;
}

static u32 l4_header(const struct flavour *f)
{
	return f->udp ? 8 : 20 + f->tcp_options;
}

static u32 headers(const struct flavour *f)
{
	return ENCAP + ip_len(f) + l4_header(f);
}

/* Add 16-bit words, in network order, to a sum of 32 bits. */
static u32 sum_words(u32 sum, const u8 *p, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++) {
		sum += i % 2 ? p[i] : p[i] << 8;
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return sum;
}

static u16 folded(u32 sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

static u16 sum_of_l4(const struct flavour *f, const u8 *ip, u32 len)
{
	u32 sum = len + (f->udp ? 17 : 6);

	sum = (sum & 0xffff) + (sum >> 16);
	sum = f->v4 ? sum_words(sum, ip + 12, 8) : sum_words(sum, ip + 8, 32);
	return folded(sum_words(sum, ip + ip_len(f), len));
}

static void write_ip(const struct flavour *f, u8 *ip, u16 id, u32 len)
{
	static const u8 addresses[] = { 10, 78, 0, 1, 10, 78, 0, 2 };
	u32 i;

	if (!f->v4) {
		memset(ip, 0, 40);
		ip[0] = 0x60;
		put16(ip + 4, len);
		ip[6] = f->udp ? 17 : 6;
		ip[7] = 64;
		for (i = 8; i < 40; i++)
			ip[i] = 0xf0 + i;
		return;
	}
	memset(ip, 1, ip_len(f));	/* options: no operation */
	ip[0] = 0x40 + ip_len(f) / 4;
	ip[1] = 0x02;
	put16(ip + 2, ip_len(f) + len);
	put16(ip + 4, id);
	put16(ip + 6, 0x4000);
	ip[8] = 64;
	ip[9] = f->udp ? 17 : 6;
	put16(ip + 10, 0);
	memcpy(ip + 12, addresses, sizeof(addresses));
	put16(ip + 10, folded(sum_words(0, ip, ip_len(f))));
}

static void write_l4(const struct flavour *f, u8 *l4, const struct segment *s)
{
	put16(l4, 5201);
	put16(l4 + 2, 40000);
	if (f->udp) {
		put16(l4 + 4, 8 + s->len);
		put16(l4 + 6, 0);
		return;
	}
	memset(l4 + 20, 1, f->tcp_options);
	put16(l4 + 4, s->seq >> 16);
	put16(l4 + 6, s->seq);
	memset(l4 + 8, 0x5a, 4);
	l4[12] = l4_header(f) / 4 << 4;
	l4[13] = s->flags;
	put16(l4 + 14, 501);
	memset(l4 + 16, 0, 4);
}

/* Write a datagram with right checksums to @p. Return its length. */
static u32 write_datagram(const struct flavour *f, const struct segment *s, u8 *p)
{
	u8 *ip = p + ENCAP, *l4 = ip + ip_len(f);
	u32 len = l4_header(f) + s->len;
	u16 check;

	put16(p, f->v4 ? 0x0800 : 0x86dd);
	put16(p + 2, 0);
	write_ip(f, ip, s->id, len);
	write_l4(f, l4, s);
	memcpy(l4 + l4_header(f), s->payload, s->len);
	check = sum_of_l4(f, ip, len);
	put16(l4 + (f->udp ? 6 : 16), f->udp && !check ? 0xffff : check);
	return ENCAP + ip_len(f) + len;
}

/* Replace the checksums by what may be there before they are written. */
static void spoil_checksums(const struct flavour *f, u8 *p)
{
	if (f->v4)
		put16(p + ENCAP + 10, 0xbad1);
	put16(p + ENCAP + ip_len(f) + (f->udp ? 6 : 16), 0xbad2);
}

static u8 *some_bytes(struct kunit *test, u32 len)
{
	u8 *p = kunit_kmalloc(test, len, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	get_random_bytes(p, len);
	return p;
}

/* ------------------------------------------------------------- the cutting */

/* All flags that only the first or the last datagram keeps, and two that all keep */
#define ALL_FLAGS	(TCPHDR_FIN | TCPHDR_PSH | TCPHDR_CWR | TCPHDR_ECE | TCPHDR_ACK)

/* Write datagram @i of a large send with ALL_FLAGS, as it must be. Return its length. */
static u32 write_cut(const struct flavour *f, const struct srnic_lso *lso, const u8 *payload,
		     u32 i, u8 *p)
{
	struct segment s = {
		.id = FIRST_IP_ID + i,
		.seq = FIRST_SEQ + i * lso->mss,
		.flags = TCPHDR_ACK | TCPHDR_ECE,
		.payload = payload + i * lso->mss,
		.len = min(lso->mss, lso->length - i * lso->mss),
	};

	if (!i)
		s.flags |= TCPHDR_CWR;
	if (i == (lso->length - 1) / lso->mss)
		s.flags |= TCPHDR_FIN | TCPHDR_PSH;
	return write_datagram(f, &s, p);
}

/*
 * Make a large send of @length bytes in datagrams of MTU. Its headers have the lengths that the
 * stack writes, and no checksum.
 */
static struct srnic_lso large_send(struct kunit *test, const struct flavour *f, u32 length)
{
	u8 *header = kunit_kzalloc(test, SRNIC_LSO_HDR_MAX, GFP_KERNEL);
	const struct segment s = {
		.id = FIRST_IP_ID,
		.seq = FIRST_SEQ,
		.flags = ALL_FLAGS,
	};

	KUNIT_ASSERT_NOT_NULL(test, header);
	write_datagram(f, &s, header);
	put16(header + ENCAP + (f->v4 ? 2 : 4), length);
	spoil_checksums(f, header);
	return (struct srnic_lso) {
		.header = header,
		.hlen = headers(f),
		.mss = MTU - headers(f),
		.length = length,
	};
}

/* Compare each datagram of a large send with that of this suite. */
static void compare_cut(struct kunit *test, const struct flavour *f, u32 length)
{
	struct srnic_lso lso = large_send(test, f, length);
	u8 *payload = some_bytes(test, length);
	u8 *made = some_bytes(test, MTU), *want = some_bytes(test, MTU);
	u32 i, len;

	KUNIT_ASSERT_TRUE(test, srnic_lso_valid(&lso, MTU));
	for (i = 0; i * lso.mss < length; i++) {
		len = lso.hlen + srnic_lso_cut(&lso, i, made);
		memcpy(made + lso.hlen, payload + i * lso.mss, len - lso.hlen);
		srnic_ipoib_fill_csum(made, len);
		KUNIT_ASSERT_EQ(test, len, write_cut(f, &lso, payload, i, want));
		KUNIT_EXPECT_MEMEQ(test, made, want, len);
	}
}

static void each_datagram_of_a_large_send_is_right_to_the_byte(struct kunit *test)
{
	static const u32 lengths[] = { 1, 1000, 4000, 5977, 65000 };
	const struct flavour *f = test->param_value;
	struct srnic_lso udp;
	u32 i;

	if (f->udp) {
		udp = large_send(test, f, 1000);
		KUNIT_EXPECT_FALSE(test, srnic_lso_valid(&udp, MTU));
		return;
	}
	for (i = 0; i < ARRAY_SIZE(lengths); i++)
		compare_cut(test, f, lengths[i]);
}

/* A fault of a large send: a byte of the header, or a length */
struct lso_fault {
	const char *name;
	bool v6;
	u32 at;		/* 0: none */
	u8 value;
	s32 hlen;	/* added */
	s32 mss;	/* added */
	s32 length;	/* added */
};

#define LSO_LENGTH	10000

static const struct lso_fault lso_faults[] = {
	{ "no payload", .length = -LSO_LENGTH },
	{ "more than the stack ever sends", .length = GSO_MAX_SIZE },
	{ "no segment size", .mss = -(MTU - 44) },
	{ "datagrams of more than the MTU", .mss = 1 },
	{ "a segment size that wraps", .mss = -MTU },
	{ "a header that is too short", .hlen = -1 },
	{ "a header that is too long", .hlen = 4, .mss = -4 },
	{ "a header of a few bytes", .hlen = -40 },
	{ "no header", .hlen = -44 },
	{ "ARP", .at = 1, .value = 6 },
	{ "another version", .at = 4, .value = 0x65 },
	{ "a header of IPv4 that is too short", .at = 4, .value = 0x44 },
	{ "a header of IPv4 that is longer than all", .at = 4, .value = 0x4f },
	{ "a fragment", .at = 10, .value = 0x20 },
	{ "UDP", .at = 13, .value = 17 },
	{ "a header of TCP that is too short", .at = 36, .value = 0x40 },
	{ "a header of TCP that is longer than all", .at = 36, .value = 0x60 },
	{ "another version behind the type of IPv6", .v6 = true, .at = 4, .value = 0x45 },
	{ "an extension header", .v6 = true, .at = 10, .value = 0 },
	{ "IPv6 with a header that is too short", .v6 = true, .hlen = -20, .mss = 20 },
};

static void fault_name(const struct lso_fault *fault, char *desc)
{
	strscpy(desc, fault->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(lso_fault, lso_faults, fault_name);

static void what_cannot_be_cut_is_refused(struct kunit *test)
{
	const struct lso_fault *fault = test->param_value;
	const struct flavour *f = &flavours[fault->v6 ? 3 : 0];
	struct srnic_lso lso = large_send(test, f, LSO_LENGTH);

	KUNIT_ASSERT_TRUE(test, srnic_lso_valid(&lso, MTU));
	if (fault->at)
		((u8 *)lso.header)[fault->at] = fault->value;
	lso.hlen += fault->hlen;
	lso.mss += fault->mss;
	lso.length += fault->length;
	KUNIT_EXPECT_FALSE(test, srnic_lso_valid(&lso, MTU));
}

/* --------------------------------------------------------------- checksums */

static void checksums_are_written(struct kunit *test)
{
	const struct flavour *f = test->param_value;
	struct segment s = { .id = 7, .seq = 8, .flags = TCPHDR_ACK };
	u8 *made = some_bytes(test, MTU), *want = some_bytes(test, MTU);
	u32 len;

	s.payload = some_bytes(test, 1000);
	for (s.len = 0; s.len < 70; s.len++) {
		len = write_datagram(f, &s, want);
		memcpy(made, want, len);
		spoil_checksums(f, made);
		srnic_ipoib_fill_csum(made, len);
		KUNIT_EXPECT_MEMEQ(test, made, want, len);
	}
}

/* RFC 768: a sum of zero is sent as ones, because zero says that there is no checksum */
static void a_udp_checksum_is_never_zero(struct kunit *test)
{
	const struct flavour *f = &flavours[5];
	u8 payload[2] = {}, *p = some_bytes(test, MTU);
	struct segment s = { .payload = payload, .len = sizeof(payload) };
	u8 *check = p + ENCAP + 20 + 6;
	u32 len = write_datagram(f, &s, p);

	memcpy(payload, check, sizeof(payload));
	len = write_datagram(f, &s, p);
	KUNIT_ASSERT_EQ(test, check[0] << 8 | check[1], 0xffff);
	spoil_checksums(f, p);
	srnic_ipoib_fill_csum(p, len);
	KUNIT_EXPECT_EQ(test, check[0] << 8 | check[1], 0xffff);
	KUNIT_EXPECT_TRUE(test, srnic_ipoib_csum_ok(p, len));
}

/* Datagrams that have no checksum of TCP or UDP to write or to check: a byte of a good one */
struct odd {
	const char *name;
	u32 flavour;
	u32 at;
	u8 value;
	bool untouched;	/* it does not get the checksum of an IPv4 header either */
	s32 len;	/* added to the bytes that there are */
};

static const struct odd odd_ones[] = {
	{ "a first fragment", 0, 10, 0x20 },
	{ "a fragment", 0, 11, 0x03 },
	{ "ICMP", 0, 13, 1 },
	{ "ARP", 0, 1, 6, true },
	{ "the wrong version", 0, 4, 0x65, true },
	{ "a header of IPv4 that is too short", 0, 4, 0x44, true },
	{ "a packet that is shorter than its header", 0, 7, 19, true },
	{ "a packet that has not all arrived", 0, 0, 8, true, -1 },
	{ "a few bytes", 0, 0, 8, true, -137 },
	{ "no byte", 0, 0, 8, true, -140 },
	{ "TCP that is shorter than its header", 0, 7, 39 },
	{ "a segment of UDP that is longer than the packet", 5, 29, 200 },
	{ "an extension header", 3, 10, 0 },
	{ "IPv6 that has not all arrived", 3, 0, 0x86, true, -1 },
	{ "UDP over IPv6 that is shorter than its header", 6, 9, 7 },
};

static void odd_name(const struct odd *odd, char *desc)
{
	strscpy(desc, odd->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(odd, odd_ones, odd_name);

static void other_datagrams_stay_as_they_are(struct kunit *test)
{
	const struct odd *odd = test->param_value;
	const struct flavour *f = &flavours[odd->flavour];
	struct segment s = { .payload = some_bytes(test, 96), .len = 96 };
	u8 *p = some_bytes(test, MTU), *before = some_bytes(test, MTU);
	u32 len = write_datagram(f, &s, p);

	p[odd->at] = odd->value;
	len += odd->len;
	if (f->v4 && !odd->untouched) {
		put16(p + ENCAP + 10, 0);
		put16(p + ENCAP + 10, folded(sum_words(0, p + ENCAP, 20)));
	}
	KUNIT_EXPECT_FALSE(test, srnic_ipoib_csum_ok(p, len));
	memcpy(before, p, MTU);
	srnic_ipoib_fill_csum(p, len);
	KUNIT_EXPECT_MEMEQ(test, p, before, MTU);
}

/* Tell whether a checksum covers the byte: not RFC 4391's reserved ones, nor some of IPv6. */
static bool is_covered(const struct flavour *f, u32 at)
{
	u32 in_ip = at - ENCAP;

	if (at == 2 || at == 3)
		return false;
	return f->v4 || in_ip == 0 || (in_ip > 3 && in_ip != 7);
}

static void a_changed_byte_is_not_called_right(struct kunit *test)
{
	const struct flavour *f = test->param_value;
	struct segment s = { .payload = some_bytes(test, 201), .len = 201 };
	u8 *p = some_bytes(test, MTU);
	u32 len, i;

	len = write_datagram(f, &s, p);
	KUNIT_ASSERT_TRUE(test, srnic_ipoib_csum_ok(p, len));
	for (i = 0; i < len; i++) {
		p[i] ^= 0x55;
		KUNIT_EXPECT_EQ_MSG(test, srnic_ipoib_csum_ok(p, len), !is_covered(f, i),
				    "byte %u", i);
		p[i] ^= 0x55;
	}
	/* bytes behind the packet are not part of it */
	KUNIT_EXPECT_TRUE(test, srnic_ipoib_csum_ok(p, len + 7));
	/* nor does the alignment matter */
	memmove(p + 1, p, len);
	KUNIT_EXPECT_TRUE(test, srnic_ipoib_csum_ok(p + 1, len));
}

/* Its sum is right, too, as one in 65,536 is by chance. */
static void udp_without_a_checksum_is_not_called_right(struct kunit *test)
{
	struct segment s = { .payload = some_bytes(test, 30), .len = 30 };
	u8 *p = some_bytes(test, MTU);
	u32 len = write_datagram(&flavours[5], &s, p);
	u8 *udp = p + ENCAP + 20;

	put16(udp + 8, ~folded(get_unaligned_be16(udp + 6) + get_unaligned_be16(udp + 8)));
	put16(udp + 6, 0);
	KUNIT_EXPECT_FALSE(test, srnic_ipoib_csum_ok(p, len));
}

/* ------------------------------------------------- datagrams from QP to QP */

#define WQES		4
#define MAX_SGE		3
#define RECEIVES	64
#define SLOT		4096	/* of the receiver's memory, for each datagram */

/* An end of the conversation: pair_fixture.h's QPs need these as UD QPs */
struct end {
	struct srnic_cq cq;
	struct srnic_ibah ibah;
	struct srnic_ah ah;
	u8 *memory;
	u32 receives;	/* posted so far */
};

/* Post receives until the queue is full. */
static void give_receives(struct srnic_qp *qp, struct end *end)
{
	int err;

	do {
		u32 slot = end->receives++ % RECEIVES;
		struct ib_sge sge = {
			.addr = (uintptr_t)(end->memory + slot * SLOT),
			.length = SRNIC_GRH_LEN + MTU,
			.lkey = SRNIC_DMA_LKEY,
		};
		struct ib_recv_wr wr = { .wr_id = slot, .sg_list = &sge, .num_sge = 1 };

		err = srnic_rq_post(&qp->rq.ring, &wr, 1);
	} while (!err);
	end->receives--;
}

static void give_queues(struct kunit *test, struct srnic_qp *qp, struct end *end)
{
	struct srnic_sq *sq = &qp->sq;

	srnic_cq_init(&end->cq, no_work);
	KUNIT_ASSERT_EQ(test, srnic_ring_alloc(&end->cq.ring, 2 * RECEIVES,
					       sizeof(struct srnic_cqe), false), 0);
	qp->scq = &end->cq;
	qp->rcq = &end->cq;
	KUNIT_ASSERT_EQ(test, srnic_ring_alloc(&qp->rq.ring, RECEIVES, 64, false), 0);
	qp->rq.max_sge = 1;
	spin_lock_init(&sq->post_lock);
	sq->entries = WQES;
	sq->limit = WQES;
	sq->max_sge = MAX_SGE;
	sq->lso = true;
	sq->sig_all = true;
	sq->lso_at = sizeof(struct srnic_swqe) + MAX_SGE * sizeof(struct srnic_abi_sge);
	sq->stride = ALIGN(sq->lso_at + SRNIC_LSO_HDR_MAX, 32);
	sq->wqes = kunit_kzalloc(test, WQES * sq->stride, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, sq->wqes);
	end->memory = kunit_kzalloc(test, RECEIVES * SLOT, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, end->memory);
	give_receives(qp, end);
}

static struct end *ends_of(struct kunit *test, int which)
{
	struct world *w = test->priv;

	return container_of(w->qp[which]->scq, struct end, cq);
}

static int qps_init(struct kunit *test)
{
	struct srnic_qp *qp;
	struct world *w;
	struct end *end;
	int which;

	if (pair_init(test))
		return -ENOMEM;
	w = test->priv;
	w->dev->fabric = kunit_kzalloc(test, sizeof(*w->dev->fabric), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w->dev->fabric);
	for (which = A; which <= B; which++) {
		qp = w->qp[which];
		qp->ib.qp_type = IB_QPT_UD;
		qp->transport = SRNIC_TP_UD;
		qp->mtu = MTU;
		qp->attr.qkey = QKEY;
		qp->path.net = &init_net;
		end = kunit_kzalloc(test, sizeof(*end), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, end);
		give_queues(test, qp, end);
		spin_lock_init(&end->ah.lock);
		end->ah.path = qp->path;
		end->ibah.ah = &end->ah;
	}
	return 0;
}

static void qps_exit(struct kunit *test)
{
	struct world *w = test->priv;
	int which;

	for (which = A; w && which <= B; which++) {
		if (!w->qp[which] || !w->qp[which]->scq)
			continue;
		srnic_ring_free(&w->qp[which]->rq.ring);
		srnic_ring_free(&w->qp[which]->scq->ring);
	}
	pair_exit(test);
}

/* Post what @wr and @sges say to A's send queue. */
static int post(struct kunit *test, struct ib_ud_wr *wr, struct ib_sge *sges, int num)
{
	struct world *w = test->priv;
	const struct ib_send_wr *bad;

	wr->wr.sg_list = sges;
	wr->wr.num_sge = num;
	wr->ah = &ends_of(test, A)->ibah.ib;
	wr->remote_qpn = w->qp[B]->ib.qp_num;
	wr->remote_qkey = QKEY;
	return srnic_post_send(&w->qp[A]->ib, &wr->wr, &bad);
}

static int post_large(struct kunit *test, const struct srnic_lso *lso, const u8 *payload)
{
	struct ib_ud_wr wr = {
		.wr = { .opcode = IB_WR_LSO, .send_flags = IB_SEND_IP_CSUM },
		.header = (void *)lso->header,
		.hlen = lso->hlen,
		.mss = lso->mss,
	};
	u32 cut = min(lso->length, 777U);
	struct ib_sge sges[2] = {
		{ .addr = (uintptr_t)payload, .length = cut },
		{ .addr = (uintptr_t)(payload + cut), .length = lso->length - cut },
	};

	return post(test, &wr, sges, 2);
}

/* Post a SEND of one datagram. */
static int post_one(struct kunit *test, const u8 *datagram, u32 len, int flags)
{
	struct ib_ud_wr wr = { .wr = { .opcode = IB_WR_SEND, .send_flags = flags } };
	struct ib_sge sge = { .addr = (uintptr_t)datagram, .length = len };

	return post(test, &wr, &sge, 1);
}

/* Take the next completion of an end. */
static struct srnic_cqe completion(struct kunit *test, int which)
{
	struct srnic_cqe cqe = {};

	KUNIT_ASSERT_TRUE(test, srnic_cq_pop(&ends_of(test, which)->cq, &cqe));
	KUNIT_EXPECT_EQ(test, cqe.status, IB_WC_SUCCESS);
	return cqe;
}

/* Expect that @datagram is the next that B has received, and that its checksums are @right. */
static void expect_datagram(struct kunit *test, const u8 *datagram, u32 len, bool right)
{
	struct srnic_cqe cqe = completion(test, B);
	const u8 *got = ends_of(test, B)->memory + cqe.wr_id * SLOT + SRNIC_GRH_LEN;

	KUNIT_EXPECT_EQ(test, cqe.opcode, IB_WC_RECV);
	KUNIT_ASSERT_EQ(test, cqe.byte_len, SRNIC_GRH_LEN + len);
	KUNIT_EXPECT_EQ(test, !!(cqe.wc_flags & SRNIC_WC_IP_CSUM_OK), right);
	KUNIT_EXPECT_MEMEQ(test, got, datagram, len);
}

/*
 * Run A's requester until all is built: a turn ends with its time, which may be soon. Return the
 * number of turns that have sent, with that of the post.
 */
static u32 build_all(struct kunit *test)
{
	struct world *w = test->priv;
	struct srnic_qp *qp = w->qp[A];
	u32 sent = skb_queue_len(&qp->out), turns = !!sent;

	lock(qp);
	while (qp->sq.next != qp->sq.prod) {
		srnic_requester_run(qp);
		turns += skb_queue_len(&qp->out) > sent;
		sent = skb_queue_len(&qp->out);
	}
	unlock(qp);
	return turns;
}

/* Deliver all packets of A. Return the number of sk_buffs that they were in. */
static u32 deliver_all(struct kunit *test)
{
	struct sk_buff *skb;
	u32 n = 0;

	for (; (skb = take(test, A, false)); n++)
		deliver(test, skb, B, 0);
	return n;
}

static void a_large_send_leaves_as_one_burst(struct kunit *test)
{
	const struct flavour *f = &flavours[1];
	struct srnic_lso lso = large_send(test, f, 20000);
	u8 *payload = some_bytes(test, PAYLOAD), *want = some_bytes(test, MTU);
	struct srnic_cqe cqe;
	u32 i, turns;

	KUNIT_ASSERT_EQ(test, post_large(test, &lso, payload), 0);
	turns = build_all(test);
	KUNIT_EXPECT_EQ(test, deliver_all(test), turns);
	for (i = 0; i < DIV_ROUND_UP(lso.length, lso.mss); i++)
		expect_datagram(test, want, write_cut(f, &lso, payload, i, want), true);
	KUNIT_EXPECT_FALSE(test, srnic_cq_waiting(&ends_of(test, B)->cq));
	cqe = completion(test, A);
	KUNIT_EXPECT_EQ(test, cqe.opcode, IB_WC_LSO);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_sent_pkts), i);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_rdma_sends), 1);
}

/* As ib_ipoib posts. Return the number of bursts that wait to leave. */
static u32 post_with_bhs_off(struct kunit *test, const struct srnic_lso *lso, const u8 *payload)
{
	struct world *w = test->priv;
	int err;

	local_bh_disable();
	err = lso ? post_large(test, lso, payload) : post_one(test, payload, w->qp[A]->mtu, 0);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, err, 0);
	return skb_queue_len(&w->qp[A]->out);
}

static void with_bhs_off_a_large_send_waits_for_the_worker(struct kunit *test)
{
	struct srnic_lso lso = large_send(test, &flavours[0], 20000);
	u8 *payload = some_bytes(test, PAYLOAD);
	struct world *w = test->priv;
	struct srnic_qp *qp = w->qp[A];

	KUNIT_EXPECT_EQ(test, post_with_bhs_off(test, NULL, payload), 1);
	KUNIT_EXPECT_EQ(test, post_with_bhs_off(test, &lso, payload), 1);
	KUNIT_EXPECT_TRUE(test, test_bit(SRNIC_QP_WORK_SEND, &qp->work_bits));
	KUNIT_EXPECT_TRUE(test, test_bit(SRNIC_QP_WORK_FLUSH, &qp->work_bits));
	KUNIT_EXPECT_EQ(test, post_with_bhs_off(test, NULL, payload), 1);	/* behind it */

	build_all(test);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_rdma_sends), 3);
	deliver_all(test);
	KUNIT_EXPECT_EQ(test, post_with_bhs_off(test, NULL, payload), 1);
}

static void each_large_send_of_a_turn_is_one_burst(struct kunit *test)
{
	struct srnic_lso lso = large_send(test, &flavours[0], 10000);
	u8 *payload = some_bytes(test, PAYLOAD);
	u32 i, turns;

	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, post_with_bhs_off(test, &lso, payload), 0);
	turns = build_all(test);
	/* a turn that ends with its time, in the midst of a large send, adds a burst */
	KUNIT_EXPECT_LE(test, deliver_all(test), 3 + turns - 1);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_rdma_sends), 3);
}

/* A turn ends with its budget, even in the midst of a large send; or with its time, unsent. */
static void a_large_send_continues_in_the_next_turn(struct kunit *test)
{
	const struct flavour *f = &flavours[0];
	struct srnic_lso lso = large_send(test, f, 300 * RECEIVES - 10);
	u8 *payload = some_bytes(test, PAYLOAD), *want = some_bytes(test, MTU);
	struct world *w = test->priv;
	struct srnic_qp *qp = w->qp[A];
	u32 i = 0, turns, n;

	lso.mss = 100;
	n = DIV_ROUND_UP(lso.length, lso.mss);
	KUNIT_ASSERT_EQ(test, post_large(test, &lso, payload), 0);
	KUNIT_EXPECT_NE(test, qp->sq.next, qp->sq.prod);
	for (turns = 0; i < n && turns < n; turns++) {
		deliver_all(test);
		while (srnic_cq_waiting(&ends_of(test, B)->cq))
			expect_datagram(test, want, write_cut(f, &lso, payload, i++, want), true);
		give_receives(w->qp[B], ends_of(test, B));
		lock(qp);
		srnic_requester_run(qp);
		unlock(qp);
	}
	KUNIT_EXPECT_EQ(test, i, n);
	KUNIT_EXPECT_EQ(test, completion(test, A).opcode, IB_WC_LSO);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_sent_pkts), n);
}

static void a_datagram_that_finds_no_receive_is_counted(struct kunit *test)
{
	u8 *payload = some_bytes(test, PAYLOAD);
	u32 i;

	for (i = 0; i < RECEIVES + 2; i++) {
		KUNIT_ASSERT_EQ(test, post_one(test, payload, 100, 0), 0);
		build_all(test);
		deliver_all(test);
	}
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_rdma_recvs), RECEIVES);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_ud_no_recv), 2);
}

/* The suite resumes the QP itself. */
/* A netdev that is down; the stack drops what it receives. */
static struct srnic_ud_netdev *make_netdev(struct kunit *test)
{
	struct srnic_ud_netdev *netdev = kunit_kzalloc(test, sizeof(*netdev), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, netdev);
	netdev->dev = alloc_netdev(0, "kunit%d", NET_NAME_UNKNOWN, ether_setup);
	KUNIT_ASSERT_NOT_NULL(test, netdev->dev);
	netdev->dev->tstats = netdev_alloc_pcpu_stats(struct pcpu_sw_netstats);
	KUNIT_ASSERT_TRUE(test, !!netdev->dev->tstats);
	KUNIT_ASSERT_EQ(test, srnic_ud_backlog_init(netdev), 0);
	return netdev;
}

static void free_netdev_of(struct srnic_ud_netdev *netdev)
{
	srnic_ud_backlog_exit(netdev);
	free_percpu(netdev->dev->tstats);
	free_netdev(netdev->dev);
}

static u64 netdev_received(const struct srnic_ud_netdev *netdev)
{
	struct rtnl_link_stats64 stats = {};

	dev_fetch_sw_netstats(&stats, netdev->dev->tstats);
	return stats.rx_packets;
}

static void send_one(struct kunit *test, const u8 *payload)
{
	KUNIT_ASSERT_EQ(test, post_one(test, payload, 100, 0), 0);
	build_all(test);
	deliver_all(test);
}

static void a_netdev_receives_in_place_of_the_queue(struct kunit *test)
{
	struct srnic_ud_netdev *netdev = make_netdev(test);
	u8 *payload = some_bytes(test, PAYLOAD);
	struct world *w = test->priv;
	struct srnic_qp *qp = w->qp[B];

	KUNIT_ASSERT_EQ(test, srnic_ud_netdev_attach(w->dev, netdev, qp->ib.qp_num), 0);
	send_one(test, payload);
	KUNIT_EXPECT_EQ(test, netdev_received(netdev), 1);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_rdma_recvs), 0);

	qp->attr.qkey++;
	send_one(test, payload);
	KUNIT_EXPECT_EQ(test, netdev_received(netdev), 1);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_wrong_qkey), 1);
	qp->attr.qkey--;

	srnic_ud_netdev_detach(w->dev, netdev);
	send_one(test, payload);
	KUNIT_EXPECT_EQ(test, netdev_received(netdev), 1);
	KUNIT_EXPECT_EQ(test, counted(test, SRNIC_STAT_rdma_recvs), 1);
	free_netdev_of(netdev);
}

static void only_a_datagram_qp_of_the_kernel_has_a_netdev(struct kunit *test)
{
	struct srnic_ud_netdev *netdev = make_netdev(test);
	struct world *w = test->priv;
	struct srnic_qp *qp = w->qp[B];
	u32 qpn = qp->ib.qp_num;

	KUNIT_EXPECT_EQ(test, srnic_ud_netdev_attach(w->dev, netdev, qpn + 1), -ENOENT);
	qp->mem.user = true;
	KUNIT_EXPECT_EQ(test, srnic_ud_netdev_attach(w->dev, netdev, qpn), -ENOENT);
	qp->mem.user = false;
	qp->ib.qp_type = IB_QPT_RC;
	KUNIT_EXPECT_EQ(test, srnic_ud_netdev_attach(w->dev, netdev, qpn), -ENOENT);
	qp->ib.qp_type = IB_QPT_UD;
	KUNIT_EXPECT_NULL(test, qp->netdev);
	free_netdev_of(netdev);
}

static void no_room(struct srnic_txq *txq)
{
}

static void take_stack(void *world)
{
	struct world *w = world;

	__skb_queue_purge(&w->qp[A]->out);
	srnic_txq_close(&w->qp[A]->txq);
	synchronize_rcu();
	srnic_txq_group_exit(&w->dev->txq_group);
}

/* Let A count what it has in the stack. */
static void give_stack(struct kunit *test)
{
	struct world *w = test->priv;
	int err;

	KUNIT_ASSERT_EQ(test, srnic_txq_group_init(&w->dev->txq_group), 0);
	err = srnic_txq_open(&w->qp[A]->txq, &w->dev->txq_group, &init_net, no_room);
	KUNIT_ASSERT_EQ(test, err, 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, take_stack, w), 0);
}

static void resume(struct srnic_qp *qp)
{
	lock(qp);
	srnic_tx_resume(qp);
	unlock(qp);
}

/* Post a datagram. Return true if it must leave from the CPU of those before it. */
static bool follows(struct kunit *test)
{
	u8 *payload = some_bytes(test, MTU);
	struct world *w = test->priv;

	w->qp[A]->out_follows = false;
	KUNIT_ASSERT_EQ(test, post_one(test, payload, MTU, 0), 0);
	build_all(test);
	KUNIT_EXPECT_FALSE(test, w->qp[A]->out_timed);
	return w->qp[A]->out_follows;
}

static void a_datagram_follows_only_those_that_have_not_left(struct kunit *test)
{
	struct world *w = test->priv;

	give_stack(test);
	KUNIT_EXPECT_FALSE(test, follows(test));
	KUNIT_EXPECT_TRUE(test, follows(test));
	deliver_all(test);
	resume(w->qp[A]);
	KUNIT_EXPECT_FALSE(test, follows(test));
}

/*
 * A full queue drops the second burst of a large send: the same datagrams are built again, and
 * the work request completes when they have left.
 */
static void what_a_queue_drops_of_a_large_send_is_built_again(struct kunit *test)
{
	const struct flavour *f = &flavours[1];
	struct srnic_lso lso = large_send(test, f, 65000);
	u8 *payload = some_bytes(test, PAYLOAD), *want = some_bytes(test, MTU);
	struct world *w = test->priv;
	struct srnic_qp *qp = w->qp[A];
	struct sk_buff_head none;
	struct sk_buff *left, *dropped;
	u32 i;

	__skb_queue_head_init(&none);
	give_stack(test);
	KUNIT_ASSERT_EQ(test, post_large(test, &lso, payload), 0);
	build_all(test);
	left = __skb_dequeue(&qp->out);
	dropped = __skb_dequeue(&qp->out);
	KUNIT_ASSERT_TRUE(test, left && dropped);
	lock(qp);
	srnic_tx_requeue(qp, srnic_out_cb(dropped), &none);
	unlock(qp);
	kfree_skb(dropped);
	KUNIT_EXPECT_FALSE(test, srnic_cq_waiting(qp->scq));
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&qp->out));
	__skb_queue_tail(&qp->out, left);
	for (i = 0; i < RECEIVES && !srnic_cq_waiting(qp->scq); i++) {
		deliver_all(test);
		KUNIT_EXPECT_FALSE(test, srnic_cq_waiting(qp->scq));
		resume(qp);
	}
	for (i = 0; i < DIV_ROUND_UP(lso.length, lso.mss); i++)
		expect_datagram(test, want, write_cut(f, &lso, payload, i, want), true);
	KUNIT_EXPECT_EQ(test, completion(test, A).opcode, IB_WC_LSO);
}

static void a_datagram_without_a_route_is_complete(struct kunit *test)
{
	struct srnic_ah *ah = &ends_of(test, A)->ah;
	u8 *p = some_bytes(test, 100);
	struct world *w = test->priv;

	give_stack(test);
	ah->path.dst = NULL;
	KUNIT_ASSERT_EQ(test, post_one(test, p, 100, 0), 0);
	build_all(test);
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&w->qp[A]->out));
	KUNIT_EXPECT_EQ(test, completion(test, A).opcode, IB_WC_SEND);
	KUNIT_EXPECT_EQ(test, w->qp[A]->req.una, w->qp[A]->req.psn);
	ah->path.dst = &w->dst;
}

/* Let A send to B by InfiniBand ports' packets. */
static void take_ib_path(struct kunit *test)
{
	static const union ib_gid ib_gids[] = {
		{ .raw = { 0xfe, 0x80, [15] = 1 } }, { .raw = { 0xfe, 0x80, [15] = 2 } },
	};
	struct rdma_ah_attr attr = {
		.type = RDMA_AH_ATTR_TYPE_IB,
		.ah_flags = IB_AH_GRH,
		.grh = { .dgid = ib_gids[B], .hop_limit = 1 },
	};
	struct srnic_path *path = &ends_of(test, A)->ah.path;
	struct world *w = test->priv;

	KUNIT_ASSERT_EQ(test, srnic_path_address(path, &ib_gids[A], &attr, SPORT,
						 htons(SRNIC_IB_PORT)), 0);
	path->dst = &w->dst;
}

/* IBA 8.3: PayLen covers what follows, with the ICRC. libibverbs reads NxtHdr. */
static void I17_a_datagram_comes_with_the_grh_of_infiniband(struct kunit *test)
{
	static const u32 lens[] = { 1, 100, 1999 };
	u8 *p = some_bytes(test, MTU);
	const u8 *grh;
	int i;

	take_ib_path(test);
	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		KUNIT_ASSERT_EQ(test, post_one(test, p, lens[i], 0), 0);
		build_all(test);
		deliver_all(test);
		grh = ends_of(test, B)->memory + completion(test, B).wr_id * SLOT;
		KUNIT_EXPECT_EQ(test, grh[0] >> 4, 6);
		KUNIT_EXPECT_EQ(test, get_unaligned_be16(grh + 4), 12 + 8 + ALIGN(lens[i], 4) + 4);
		KUNIT_EXPECT_EQ(test, grh[6], 0x1b);
		KUNIT_EXPECT_EQ(test, grh[7], 1);
		completion(test, A);
	}
}

static void checksums_are_written_on_request(struct kunit *test)
{
	struct segment s = { .payload = some_bytes(test, 500), .len = 500, .flags = TCPHDR_ACK };
	u8 *p = some_bytes(test, MTU), *spoilt = some_bytes(test, MTU);
	const struct flavour *f = &flavours[0];
	u32 len = write_datagram(f, &s, p);

	memcpy(spoilt, p, len);
	spoil_checksums(f, spoilt);
	KUNIT_EXPECT_EQ(test, post_one(test, spoilt, len, IB_SEND_IP_CSUM), 0);
	KUNIT_EXPECT_EQ(test, post_one(test, p, len, 0), 0);
	KUNIT_EXPECT_EQ(test, post_one(test, spoilt, len, 0), 0);
	build_all(test);
	deliver_all(test);
	expect_datagram(test, p, len, true);
	expect_datagram(test, p, len, true);
	expect_datagram(test, spoilt, len, false);
}

static void offloads_are_for_datagrams_of_infiniband_ports(struct kunit *test)
{
	struct srnic_lso lso = large_send(test, &flavours[0], 5000);
	u8 *payload = some_bytes(test, PAYLOAD);
	struct world *w = test->priv;
	struct srnic_fabric *fabric = w->dev->fabric;
	struct srnic_qp *qp = w->qp[A];

	qp->sq.lso = false;
	KUNIT_EXPECT_EQ(test, post_large(test, &lso, payload), -EINVAL);
	qp->sq.lso = true;
	qp->mem.user = true;
	KUNIT_EXPECT_EQ(test, post_large(test, &lso, payload), -EINVAL);
	qp->mem.user = false;
	w->dev->fabric = NULL;
	KUNIT_EXPECT_EQ(test, post_one(test, payload, 100, IB_SEND_IP_CSUM), -EINVAL);
	w->dev->fabric = fabric;
	qp->ib.qp_type = IB_QPT_RC;
	KUNIT_EXPECT_EQ(test, post_large(test, &lso, payload), -EINVAL);
	KUNIT_EXPECT_EQ(test, deliver_all(test), 0);
}

static void a_large_send_that_cannot_be_cut_is_not_accepted(struct kunit *test)
{
	struct srnic_lso lso = large_send(test, &flavours[0], 5000);
	u8 *payload = some_bytes(test, PAYLOAD);
	struct world *w = test->priv;

	lso.mss = MTU;
	KUNIT_EXPECT_EQ(test, post_large(test, &lso, payload), -EINVAL);
	lso.mss = -1;
	KUNIT_EXPECT_EQ(test, post_large(test, &lso, payload), -EINVAL);
	lso.mss = 1000;
	lso.hlen = -1;
	KUNIT_EXPECT_EQ(test, post_large(test, &lso, payload), -EINVAL);
	lso.hlen = SRNIC_LSO_HDR_MAX + 1;
	KUNIT_EXPECT_EQ(test, post_large(test, &lso, payload), -EINVAL);
	KUNIT_EXPECT_EQ(test, deliver_all(test), 0);
	KUNIT_EXPECT_FALSE(test, srnic_cq_waiting(w->qp[A]->scq));
}

static struct kunit_case ipoib_cases[] = {
	KUNIT_CASE_PARAM(each_datagram_of_a_large_send_is_right_to_the_byte, flavour_gen_params),
	KUNIT_CASE_PARAM(what_cannot_be_cut_is_refused, lso_fault_gen_params),
	KUNIT_CASE_PARAM(checksums_are_written, flavour_gen_params),
	KUNIT_CASE(a_udp_checksum_is_never_zero),
	KUNIT_CASE_PARAM(other_datagrams_stay_as_they_are, odd_gen_params),
	KUNIT_CASE_PARAM(a_changed_byte_is_not_called_right, flavour_gen_params),
	KUNIT_CASE(udp_without_a_checksum_is_not_called_right),
	KUNIT_CASE(a_large_send_leaves_as_one_burst),
	KUNIT_CASE(with_bhs_off_a_large_send_waits_for_the_worker),
	KUNIT_CASE(each_large_send_of_a_turn_is_one_burst),
	KUNIT_CASE(a_large_send_continues_in_the_next_turn),
	KUNIT_CASE(a_datagram_that_finds_no_receive_is_counted),
	KUNIT_CASE(a_netdev_receives_in_place_of_the_queue),
	KUNIT_CASE(only_a_datagram_qp_of_the_kernel_has_a_netdev),
	KUNIT_CASE(a_datagram_follows_only_those_that_have_not_left),
	KUNIT_CASE(what_a_queue_drops_of_a_large_send_is_built_again),
	KUNIT_CASE(a_datagram_without_a_route_is_complete),
	KUNIT_CASE(I17_a_datagram_comes_with_the_grh_of_infiniband),
	KUNIT_CASE(checksums_are_written_on_request),
	KUNIT_CASE(offloads_are_for_datagrams_of_infiniband_ports),
	KUNIT_CASE(a_large_send_that_cannot_be_cut_is_not_accepted),
	{}
};

static struct kunit_suite ipoib_suite = {
	.name = "srnic-ipoib",
	.init = qps_init,
	.exit = qps_exit,
	.test_cases = ipoib_cases,
};

kunit_test_suite(ipoib_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's offloads for IP over InfiniBand");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
