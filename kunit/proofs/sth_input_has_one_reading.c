// SPDX-License-Identifier: GPL-2.0
/*
 * proves: the MAC input fits its buffer, and packets with equal inputs are equal
 * cites: protocol.md, section 4
 * files: sth/nonce.c
 * unwind: 140
 * broken: sth/nonce.c: `return psn64 | (u64)from_b << 63;`
 *	=> `return psn64 | (u64)from_b << 23;`
 * broken: sth/nonce.c: `put_unaligned_be32(counter, iv + 8);`
 *	=> `put_unaligned_be32(counter, iv + 4);`
 * broken: sth/nonce.c: `memcpy(p, in->dgid, SRNIC_GID_LEN);`
 *	=> `memcpy(p, in->sgid, SRNIC_GID_LEN);`
 * broken: sth/nonce.c: `p[BTH_VARIANT] = 0xff;` => `p[BTH_VARIANT + 1] = 0xff;`
 */
#include "proof.h"
#include "sth/pure.h"

struct packet {
	struct srnic_sth_input in;
	bool from_b;
	u64 psn64;
	u8 sgid[SRNIC_GID_LEN];
	u8 dgid[SRNIC_GID_LEN];
	u8 hdr[SRNIC_EXT_MAX];
};

/* Both ends know the family (from the rule) and the headers' length (from the opcode). */
static void given_packet(struct packet *p, u8 counter_len, unsigned int hdr_len)
{
	ANY_BYTES(p);
	p->from_b = nondet_bool();
	GIVEN(p->psn64 < BIT_ULL(63));
	p->in.nonce64 = srnic_sth_nonce64(p->from_b, p->psn64);
	p->in.counter_len = counter_len;
	GIVEN(counter_len == SRNIC_DGRAM_COUNTER_LEN || p->in.counter <= U32_MAX);
	p->in.sgid = p->sgid;
	p->in.dgid = p->dgid;
	p->in.hdr = p->hdr;
	p->in.hdr_len = hdr_len;
}

static void nonces_differ(const struct packet *a, const struct packet *b)
{
	u8 iv_a[SRNIC_STH_IV_LEN], iv_b[SRNIC_STH_IV_LEN];

	srnic_sth_nonce96(iv_a, a->in.nonce64, a->in.counter);
	srnic_sth_nonce96(iv_b, b->in.nonce64, b->in.counter);
	if (memcmp(iv_a, iv_b, sizeof(iv_a)))
		return;
	PROVE(a->from_b == b->from_b && a->psn64 == b->psn64 &&
	      a->in.counter == b->in.counter);
	POSSIBLE();
}

int main(void)
{
	unsigned int hdr_len = nondet_u32(), i = nondet_u32(), len;
	u8 buf_a[SRNIC_STH_INPUT_MAX], buf_b[SRNIC_STH_INPUT_MAX];
	u8 counter_len = nondet_u8();
	struct packet a, b;

	GIVEN(hdr_len >= SRNIC_BTH_LEN && hdr_len <= SRNIC_EXT_MAX);
	GIVEN(!counter_len || counter_len == SRNIC_STH_COUNTER_LEN ||
	      counter_len == SRNIC_DGRAM_COUNTER_LEN);
	given_packet(&a, counter_len, hdr_len);
	given_packet(&b, counter_len, hdr_len);
	if (counter_len == SRNIC_STH_COUNTER_LEN)
		nonces_differ(&a, &b);

	len = srnic_sth_mac_input(&a.in, buf_a);
	PROVE(len <= SRNIC_STH_INPUT_MAX && srnic_sth_mac_input(&b.in, buf_b) == len);
	if (memcmp(buf_a, buf_b, len))
		return 0;

	PROVE(a.from_b == b.from_b && a.psn64 == b.psn64);
	PROVE(!counter_len || a.in.counter == b.in.counter);
	PROVE(a.in.udp_len == b.in.udp_len);
	PROVE(!memcmp(a.sgid, b.sgid, SRNIC_GID_LEN) && !memcmp(a.dgid, b.dgid, SRNIC_GID_LEN));
	/* Byte 4 may change in transit. */
	GIVEN(i < hdr_len && i != 4);
	PROVE(a.hdr[i] == b.hdr[i]);
	POSSIBLE();
	return 0;
}
