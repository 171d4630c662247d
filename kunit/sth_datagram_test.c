// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of sealed datagrams (protocol.md, section 11): packets that
 * python3-cryptography sealed, and the rules by which datagrams are sealed.
 * Some packets are random; their number can be chosen (see sth_random_test.c).
 */
#include <kunit/resource.h>
#include <kunit/test.h>
#include <linux/inet.h>
#include <linux/kernel_read_file.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <net/net_namespace.h>

#include "sth/crypto.h"
#include "wire/wire.h"
#include "vectors/datagram.h"

#define KEY	"kunit-datagrams"

#define KIND_MASK	0xff000000	/* of a sender's QPN: the kind of port */

static char *datagrams;
module_param(datagrams, charp, 0400);
MODULE_PARM_DESC(datagrams, "file that tools/codec/random_packets.py --datagrams has written");

static void *file;
static size_t file_size;

/*
 * a packet as net passes it on, and memory to open it into; text is what follows
 * the STH: payload and pad, in opaque mode behind the extension headers
 */
struct packet {
	const struct datagram_packet_vector *v;
	const struct datagram_key_vector *k;
	struct srnic_ends ends;
	struct srnic_pkt pkt;
	struct scatterlist sg;
	u8 *bytes;
	unsigned int sth_at;
	u8 *text;
	unsigned int text_len;
};

static void destroy_action(void *dgram)
{
	srnic_dgram_destroy(dgram);
}

static struct srnic_dgram_id id_of(const struct datagram_key_vector *k)
{
	bool opaque = k->mode == SRNIC_STH_OPAQUE;
	struct srnic_dgram_id id = {
		.sqpn = opaque ? k->sqpn & KIND_MASK : k->sqpn,
		.salt = get_unaligned_be64(k->salt),
		.opaque = opaque,
	};

	memcpy(id.sgid, k->sgid, sizeof(id.sgid));
	memcpy(id.dgid, k->dgid, sizeof(id.dgid));
	return id;
}

static int kud_of(const struct datagram_key_vector *k, const u8 *sgid, const u8 *dgid, u8 *kud)
{
	if (!k->group)
		return srnic_dgram_pair_key(k->key, k->key_len, sgid, dgid, kud);
	srnic_dgram_group_key(k->key, k->key_len, kud);
	return 0;
}

static struct srnic_dgram *dgram_of(struct kunit *test, const struct datagram_key_vector *k,
				    const struct srnic_dgram_id *id)
{
	struct srnic_dgram_params params = {
		.suite = srnic_sth_suite_find(k->suite),
		.mode = k->mode,
	};
	struct srnic_dgram *dgram;

	KUNIT_ASSERT_EQ(test, kud_of(k, k->sgid, k->dgid, params.kud), 0);
	dgram = srnic_dgram_create(&params, id);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, dgram);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, destroy_action, dgram), 0);
	return dgram;
}

static struct srnic_dgram *dgram_for(struct kunit *test, const struct packet *p)
{
	struct srnic_dgram_id id = id_of(p->k);

	return dgram_of(test, p->k, &id);
}

/* Parse the packet in p->bytes. */
static void parse_packet(struct kunit *test, struct packet *p)
{
	KUNIT_ASSERT_EQ(test, srnic_wire_parse(&p->pkt, p->bytes, p->v->len + SRNIC_ICRC_LEN),
			SRNIC_WIRE_OK);
	p->pkt.ends = &p->ends;
	p->pkt.mkey = NULL;
	p->pkt.payload = p->bytes + p->pkt.hdr_len + p->pkt.sth_len;
	p->sth_at = srnic_sth_offset(p->k->mode, &p->pkt);
	p->text = p->bytes + p->sth_at + p->pkt.sth_len;
	p->text_len = p->bytes + p->v->len - p->text;
	sg_init_one(&p->sg, p->text, p->text_len ?: 1);
}

static struct packet *packet_of(struct kunit *test, const struct datagram_packet_vector *v)
{
	struct packet *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	p->v = v;
	p->k = &datagram_key_vectors[v->keys];
	memcpy(p->ends.sgid, p->k->sgid, sizeof(p->ends.sgid));
	memcpy(p->ends.dgid, p->k->dgid, sizeof(p->ends.dgid));
	p->ends.dport = htons(p->k->sqpn & KIND_MASK ? SRNIC_IB_PORT : SRNIC_ROCE_PORT);
	p->bytes = kunit_kzalloc(test, v->len + SRNIC_ICRC_LEN, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, p->bytes);
	memcpy(p->bytes, v->sealed, v->len);
	parse_packet(test, p);
	return p;
}

static int open_packet(struct srnic_dgram *dgram, struct packet *p)
{
	const struct srnic_sth_payload payload = srnic_sth_in_place(&p->sg, p->text_len);

	return srnic_dgram_open(dgram, &p->pkt, &payload);
}

static int seal_packet(struct srnic_dgram *dgram, struct packet *p, u64 counter)
{
	const struct srnic_sth_payload payload = srnic_sth_in_place(&p->sg, p->text_len);

	return srnic_dgram_seal(dgram, counter, &p->pkt, &payload);
}

/* Write the text as it was before the packet was sealed. */
static void fill_text(struct packet *p)
{
	unsigned int i;

	if (p->k->mode == SRNIC_STH_OPAQUE)
		memcpy(p->text, p->v->ext, p->pkt.payload - p->text);
	for (i = 0; i < p->v->payload_len; i++)
		p->pkt.payload[i] = 13 * i + 5;
	memset(p->pkt.payload + i, 0, p->v->pad);
}

static void expect_text(struct kunit *test, const struct packet *p)
{
	unsigned int i;

	if (p->k->mode == SRNIC_STH_OPAQUE)
		KUNIT_ASSERT_MEMEQ(test, p->text, p->v->ext, p->pkt.payload - p->text);
	for (i = 0; i < p->v->payload_len; i++)
		KUNIT_ASSERT_EQ_MSG(test, p->pkt.payload[i], (u8)(13 * i + 5), "byte %u", i);
}

static void key_desc(const struct datagram_key_vector *k, char *desc)
{
	strscpy(desc, k->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(key, datagram_key_vectors, key_desc);

static void packet_desc(const struct datagram_packet_vector *v, char *desc)
{
	strscpy(desc, v->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(packet, datagram_packet_vectors, packet_desc);

static void two_hosts_or_a_group_have_a_key(struct kunit *test)
{
	const struct datagram_key_vector *k = test->param_value;
	const struct srnic_dgram_id id = id_of(k);
	u8 kud[SRNIC_STH_KDF_KEY_LEN];

	KUNIT_EXPECT_TRUE(test, srnic_sth_suite_has_datagrams(srnic_sth_suite_find(k->suite)));
	KUNIT_EXPECT_EQ(test, srnic_gid_is_multicast(id.dgid), k->group);
	KUNIT_ASSERT_EQ(test, kud_of(k, id.sgid, id.dgid, kud), 0);
	KUNIT_EXPECT_MEMEQ(test, kud, k->k_ud, sizeof(kud));
	/* The key does not depend on the direction. */
	KUNIT_ASSERT_EQ(test, kud_of(k, id.dgid, id.sgid, kud), 0);
	KUNIT_EXPECT_MEMEQ(test, kud, k->k_ud, sizeof(kud));
}

static enum srnic_sth_mode other_form(enum srnic_sth_mode mode)
{
	return mode == SRNIC_STH_OPAQUE ? SRNIC_STH_AEAD : SRNIC_STH_OPAQUE;
}

static void what_another_sealed_is_opened_once(struct kunit *test)
{
	struct packet *p = packet_of(test, test->param_value);
	struct srnic_dgram *dgram = dgram_for(test, p);
	struct srnic_dgram_id id, want = id_of(p->k);

	srnic_dgram_id_of(&p->pkt, p->k->mode, &id);
	KUNIT_EXPECT_MEMEQ(test, &id, &want, sizeof(id));
	KUNIT_ASSERT_EQ(test, open_packet(dgram, p), 0);
	expect_text(test, p);
	/* In the other form it names no sub-key that there is. */
	memcpy(p->bytes, p->v->sealed, p->v->len);
	srnic_dgram_id_of(&p->pkt, other_form(p->k->mode), &id);
	KUNIT_EXPECT_NE(test, id.salt, want.salt);
	memcpy(p->bytes, p->v->sealed, p->v->len);
	KUNIT_EXPECT_EQ(test, open_packet(dgram, p), -EALREADY);
}

static void sealed_bytes_are_those_of_another(struct kunit *test)
{
	struct packet *p = packet_of(test, test->param_value);
	struct srnic_dgram_id id = id_of(p->k);
	struct srnic_dgram *dgram;

	id.sqpn = p->k->sqpn;	/* a sender names its QPN in every mode */
	dgram = dgram_of(test, p->k, &id);
	fill_text(p);
	memset(p->bytes + p->sth_at, 0, SRNIC_DGRAM_STH_LEN);
	KUNIT_ASSERT_EQ(test, seal_packet(dgram, p, p->v->counter), 0);
	KUNIT_EXPECT_MEMEQ(test, p->bytes, p->v->sealed, p->v->len);
}

/*
 * Skip byte 4 of the BTH, which may change in transit, and payloads in header
 * mode, which it does not cover. Of a long payload, change some bits only.
 */
static bool bit_is_tried(const struct packet *p, unsigned int bit)
{
	unsigned int byte = bit / 8, payload = p->pkt.hdr_len + SRNIC_DGRAM_STH_LEN;

	if (byte < payload)
		return byte != 4;
	return p->k->mode != SRNIC_STH_HEADER && (byte < payload + 8 || bit % 61 == 0);
}

/* The headers are not parsed again: the tag is wrong whatever they contain. */
static void any_bit_changed_is_noticed(struct kunit *test)
{
	struct packet *p = packet_of(test, test->param_value);
	struct srnic_dgram *dgram = dgram_for(test, p);
	unsigned int salt = p->sth_at, i;

	for (i = 0; i < 8 * p->v->len; i++) {
		int err;

		/* The salt selects the key: see below. */
		if (!bit_is_tried(p, i) || (i / 8 >= salt && i / 8 < salt + 8))
			continue;
		memcpy(p->bytes, p->v->sealed, p->v->len);
		p->bytes[i / 8] ^= BIT(i % 8);
		err = open_packet(dgram, p);
		KUNIT_ASSERT_EQ_MSG(test, err, -EBADMSG, "bit %u of byte %u", i % 8, i / 8);
	}
	memcpy(p->bytes, p->v->sealed, p->v->len);
	KUNIT_EXPECT_EQ_MSG(test, open_packet(dgram, p), 0, "and nothing has changed by it");
}

/*
 * Layout of a record, big endian: row of keys, header length, pad (1 byte
 * each), payload length, length (2), counter (8), salt (8), extension headers
 * (12), and the packet.
 */
#define RECORD_EXT	23
#define RECORD_LEN	(RECORD_EXT + 12)

struct record {
	struct datagram_packet_vector v;
	u64 salt;
};

/* Read the record at *@at and advance *@at; false at the end. */
static bool next_record(struct kunit *test, size_t *at, struct record *r)
{
	const u8 *p = file + *at;

	if (*at == file_size)
		return false;
	KUNIT_ASSERT_LE(test, RECORD_LEN, file_size - *at);
	*r = (struct record){
		.v = {
			.name = "random",
			.keys = p[0],
			.hdr_len = p[1],
			.pad = p[2],
			.payload_len = get_unaligned_be16(p + 3),
			.len = get_unaligned_be16(p + 5),
			.counter = get_unaligned_be64(p + 7),
			.sealed = p + RECORD_LEN,
			.ext = p + RECORD_EXT,
		},
		.salt = get_unaligned_be64(p + 15),
	};
	KUNIT_ASSERT_LT(test, r->v.keys, ARRAY_SIZE(datagram_key_vectors));
	*at += RECORD_LEN + r->v.len;
	KUNIT_ASSERT_LE(test, *at, file_size);
	return true;
}

static void check_both_ways(struct kunit *test, struct srnic_dgram *ours,
			    struct srnic_dgram *theirs, const struct datagram_packet_vector *v)
{
	struct packet *p = packet_of(test, v);

	KUNIT_ASSERT_EQ(test, p->pkt.hdr_len, v->hdr_len);
	KUNIT_ASSERT_EQ(test, open_packet(theirs, p), 0);
	expect_text(test, p);
	fill_text(p);
	memset(p->bytes + p->sth_at, 0, SRNIC_DGRAM_STH_LEN);
	KUNIT_ASSERT_EQ(test, seal_packet(ours, p, v->counter), 0);
	KUNIT_ASSERT_MEMEQ(test, p->bytes, v->sealed, v->len);
	kunit_kfree(test, p->bytes);
	kunit_kfree(test, p);
}

static void the_codec_and_the_kernel_agree_on_datagrams_drawn_at_random(struct kunit *test)
{
	const struct datagram_key_vector *k = test->param_value;
	struct srnic_dgram *ours = NULL, *theirs = NULL;
	struct srnic_dgram_id id = id_of(k);
	unsigned int n = 0;
	struct record r;
	size_t at = 0;

	if (!file)
		kunit_skip(test, "no file of datagrams");
	while (next_record(test, &at, &r)) {
		if (&datagram_key_vectors[r.v.keys] != k)
			continue;
		id.salt = r.salt;
		ours = ours ?: dgram_of(test, k, &id);
		theirs = theirs ?: dgram_of(test, k, &id);
		check_both_ways(test, ours, theirs, &r.v);
		n++;
		cond_resched();
	}
	KUNIT_EXPECT_GT(test, n, 0);
	kunit_info(test, "%u datagrams\n", n);
}

static void a_sub_key_is_one_senders_towards_one_destination(struct kunit *test)
{
	struct packet *p = packet_of(test, test->param_value);
	struct srnic_dgram_id other[5];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(other); i++)
		other[i] = id_of(p->k);
	other[0].salt ^= 1;
	other[1].sqpn ^= 1;
	other[2].sgid[15] ^= 1;
	other[3].dgid[15] ^= 1;
	other[4].sqpn ^= BIT(24);	/* a port of the other kind */
	for (i = 0; i < ARRAY_SIZE(other); i++) {
		/* In opaque mode, the sender's QPN is known only when the datagram is open. */
		bool same = i == 1 && p->k->mode == SRNIC_STH_OPAQUE;

		memcpy(p->bytes, p->v->sealed, p->v->len);
		KUNIT_EXPECT_EQ_MSG(test, open_packet(dgram_of(test, p->k, &other[i]), p),
				    same ? 0 : -EBADMSG, "%u", i);
	}
}

static void a_counter_that_nobody_uses_is_refused(struct kunit *test)
{
	struct packet *p = packet_of(test, &datagram_packet_vectors[0]);
	struct srnic_dgram *dgram = dgram_for(test, p);

	KUNIT_ASSERT_EQ(test, seal_packet(dgram, p, SRNIC_DGRAM_EMISSIONS), 0);
	KUNIT_EXPECT_EQ(test, open_packet(dgram, p), -EBADMSG);
}

static int sealed_and_opened(struct srnic_dgram *ours, struct srnic_dgram *theirs,
			     struct packet *p, u64 counter)
{
	fill_text(p);
	return seal_packet(ours, p, counter) ?: open_packet(theirs, p);
}

static void the_use_of_a_datagrams_secret_is_counted(struct kunit *test)
{
	struct packet *p = packet_of(test, &datagram_packet_vectors[0]);
	struct srnic_dgram_params params = {
		.suite = srnic_sth_suite_find(p->k->suite),
		.mode = p->k->mode,
		.key_use = srnic_key_use_begin(),
	};
	struct srnic_dgram_id id = id_of(p->k);
	struct srnic_dgram *dgram = srnic_dgram_create(&params, &id);

	KUNIT_ASSERT_NE(test, params.key_use, 0);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, dgram);
	KUNIT_EXPECT_EQ(test, seal_packet(dgram, p, 0), 0);
	KUNIT_EXPECT_EQ(test, seal_packet(dgram, p, 1), 0);
	srnic_dgram_destroy(dgram);
	KUNIT_EXPECT_EQ(test, srnic_key_use_bytes(params.key_use), 2 * p->pkt.len);
	srnic_key_use_end(params.key_use);
}

static void what_is_too_old_to_be_known_is_refused(struct kunit *test)
{
	struct packet *p = packet_of(test, test->param_value);
	struct srnic_dgram *ours = dgram_for(test, p), *theirs = dgram_for(test, p);
	/*
	 * Each packet has a range of counters of its own, since all packets of
	 * a sender share a key.
	 */
	u64 newest = 100000 * (1 + (p->v - datagram_packet_vectors));

	KUNIT_EXPECT_EQ(test, sealed_and_opened(ours, theirs, p, newest), 0);
	KUNIT_EXPECT_EQ(test, sealed_and_opened(ours, theirs, p, newest), -EALREADY);
	KUNIT_EXPECT_EQ(test, sealed_and_opened(ours, theirs, p, newest - 1), 0);
	KUNIT_EXPECT_EQ(test, sealed_and_opened(ours, theirs, p,
						newest - SRNIC_REPLAY_WINDOW + 1), 0);
	KUNIT_EXPECT_EQ(test, sealed_and_opened(ours, theirs, p,
						newest - SRNIC_REPLAY_WINDOW), -EALREADY);
	KUNIT_EXPECT_EQ(test, sealed_and_opened(ours, theirs, p, newest - 50000), -EALREADY);
	KUNIT_EXPECT_EQ(test, sealed_and_opened(ours, theirs, p, newest + 1), 0);
}

/* --- rules ----------------------------------------------------------------------- */

static void v4(u8 gid[16], u8 a, u8 d)
{
	memset(gid, 0, 16);
	gid[10] = 0xff;
	gid[11] = 0xff;
	gid[12] = a;
	gid[15] = d;
}

static void add_rule(struct kunit *test, const u8 gid[16], enum srnic_policy_rule kind,
		     const char *suite, enum srnic_sth_mode mode)
{
	struct srnic_policy policy = { .prefix_len = 128, .rule = kind, .mode = mode };

	memcpy(policy.prefix, gid, sizeof(policy.prefix));
	policy.suite = srnic_sth_suite_find(suite);
	strscpy(policy.key, KEY);
	KUNIT_ASSERT_EQ(test, srnic_policy_add(&init_net, &policy, true), 0);
}

static int resolve_dgram(const u8 *sgid, const u8 *dgid, enum srnic_sth_use use,
			 struct srnic_dgram_params *params)
{
	return srnic_dgram_resolve(&init_net, sgid, dgid, use, params);
}

static void forget_rules(void *unused)
{
	struct srnic_policy policy;

	while (!srnic_policy_get(&init_net, 0, &policy))
		srnic_policy_del(&init_net, policy.prefix, policy.prefix_len);
	srnic_key_del(&init_net, KEY);
}

static void with_rules(struct kunit *test)
{
	struct srnic_policy policy;

	if (!srnic_policy_get(&init_net, 0, &policy))
		kunit_skip(test, "there are rules in the initial namespace");
	KUNIT_ASSERT_EQ(test, kunit_add_action(test, forget_rules, NULL), 0);
}

static const u8 secret[16] = "sixteen bytes ..";

/* Add the key, and rules that require it: for the peer @there, and for @group. */
static void with_two_rules(struct kunit *test, u8 here[16], u8 there[16], u8 group[16])
{
	with_rules(test);
	v4(here, 10, 1);
	v4(there, 10, 2);
	v4(group, 239, 3);
	KUNIT_ASSERT_EQ(test, srnic_key_add(&init_net, KEY, secret, sizeof(secret), false), 0);
	add_rule(test, there, SRNIC_POLICY_REQUIRE, "aes-gcm-128", SRNIC_STH_AEAD);
	add_rule(test, group, SRNIC_POLICY_REQUIRE, "aes-cmac-128", SRNIC_STH_PACKET);
}

static void the_peers_rule_seals_and_for_a_group_the_groups(struct kunit *test)
{
	u8 here[16], there[16], group[16], kud[SRNIC_STH_KDF_KEY_LEN];
	struct srnic_dgram_params params;

	with_two_rules(test, here, there, group);

	KUNIT_ASSERT_EQ(test, srnic_dgram_pair_key(secret, 16, here, there, kud), 0);
	KUNIT_EXPECT_EQ(test, resolve_dgram(here, there, SRNIC_TO_SEAL, &params), 0);
	KUNIT_EXPECT_PTR_EQ(test, params.suite, srnic_sth_suite_find("aes-gcm-128"));
	KUNIT_EXPECT_EQ(test, params.mode, SRNIC_STH_AEAD);
	KUNIT_EXPECT_MEMEQ(test, params.kud, kud, sizeof(kud));
	KUNIT_EXPECT_EQ(test, resolve_dgram(there, here, SRNIC_TO_OPEN, &params), 0);
	KUNIT_EXPECT_MEMEQ(test, params.kud, kud, sizeof(kud));

	srnic_dgram_group_key(secret, 16, kud);
	KUNIT_EXPECT_EQ(test, resolve_dgram(here, group, SRNIC_TO_SEAL, &params), 0);
	KUNIT_EXPECT_PTR_EQ(test, params.suite, srnic_sth_suite_find("aes-cmac-128"));
	KUNIT_EXPECT_MEMEQ(test, params.kud, kud, sizeof(kud));
	/* regardless of the rule for the sender */
	KUNIT_EXPECT_EQ(test, resolve_dgram(there, group, SRNIC_TO_OPEN, &params), 0);
	KUNIT_EXPECT_MEMEQ(test, params.kud, kud, sizeof(kud));

	/* no rule matches */
	KUNIT_EXPECT_EQ(test, resolve_dgram(there, here, SRNIC_TO_SEAL, &params), 0);
	KUNIT_EXPECT_NULL(test, params.suite);
}

static void either_secret_of_a_key_opens_and_the_current_one_seals(struct kunit *test)
{
	static const u8 next[24] = "twenty-four bytes ......";
	u8 here[16], there[16], group[16], kud[SRNIC_STH_KDF_KEY_LEN];
	struct srnic_dgram_params params;

	with_two_rules(test, here, there, group);
	KUNIT_EXPECT_EQ(test, resolve_dgram(there, here, SRNIC_TO_OPEN, &params), 0);
	KUNIT_EXPECT_FALSE(test, params.has_other);

	KUNIT_ASSERT_EQ(test, srnic_key_stage(&init_net, KEY, next, sizeof(next)), 0);
	srnic_dgram_group_key(next, 24, kud);
	KUNIT_EXPECT_EQ(test, resolve_dgram(there, group, SRNIC_TO_OPEN, &params), 0);
	KUNIT_EXPECT_TRUE(test, params.has_other);
	KUNIT_EXPECT_MEMEQ(test, params.other_kud, kud, sizeof(kud));
	KUNIT_ASSERT_EQ(test, srnic_dgram_pair_key(next, 24, here, there, kud), 0);
	KUNIT_EXPECT_EQ(test, resolve_dgram(there, here, SRNIC_TO_OPEN, &params), 0);
	KUNIT_EXPECT_TRUE(test, params.has_other);
	KUNIT_EXPECT_MEMEQ(test, params.other_kud, kud, sizeof(kud));
	KUNIT_ASSERT_EQ(test, srnic_key_promote(&init_net, KEY), 0);
	KUNIT_EXPECT_EQ(test, resolve_dgram(here, there, SRNIC_TO_SEAL, &params), 0);
	KUNIT_EXPECT_MEMEQ(test, params.kud, kud, sizeof(kud));
	KUNIT_EXPECT_NE(test, params.key_use, 0);
}

static void without_key_or_form_require_refuses_and_prefer_is_clear(struct kunit *test)
{
	static const char *const suites[] = { "aes-gmac-128", "hmac-sha256" };
	struct srnic_dgram_params params;
	u8 here[16], there[16];
	unsigned int i;

	with_rules(test);
	v4(here, 10, 1);
	v4(there, 10, 2);
	for (i = 0; i < ARRAY_SIZE(suites); i++) {
		add_rule(test, there, SRNIC_POLICY_REQUIRE, suites[i], SRNIC_STH_HEADER);
		KUNIT_EXPECT_EQ(test, srnic_policy_brief(&init_net, there).datagrams, !i);
		KUNIT_EXPECT_EQ(test, resolve_dgram(here, there, SRNIC_TO_SEAL, &params), -EACCES);
		add_rule(test, there, SRNIC_POLICY_PREFER, suites[i], SRNIC_STH_HEADER);
		KUNIT_EXPECT_EQ(test, resolve_dgram(here, there, SRNIC_TO_SEAL, &params), 0);
		KUNIT_EXPECT_NULL(test, params.suite);
		/* The second suite is rejected even with a key. */
		if (!i)
			KUNIT_ASSERT_EQ(test, srnic_key_add(&init_net, KEY, secret, sizeof(secret),
							    false), 0);
	}
}

static int sth_datagram_suite_init(struct kunit_suite *suite)
{
	ssize_t len;

	if (!datagrams)
		return 0;
	len = kernel_read_file_from_path(datagrams, 0, &file, INT_MAX, &file_size,
					 READING_UNKNOWN);
	return len < 0 ? len : 0;
}

static void sth_datagram_suite_exit(struct kunit_suite *suite)
{
	vfree(file);
	file = NULL;
}

static struct kunit_case sth_datagram_cases[] = {
	KUNIT_CASE_PARAM(two_hosts_or_a_group_have_a_key, key_gen_params),
	KUNIT_CASE_PARAM(what_another_sealed_is_opened_once, packet_gen_params),
	KUNIT_CASE_PARAM(sealed_bytes_are_those_of_another, packet_gen_params),
	KUNIT_CASE_PARAM_ATTR(any_bit_changed_is_noticed, packet_gen_params,
			      { .speed = KUNIT_SPEED_SLOW }),
	KUNIT_CASE_PARAM(the_codec_and_the_kernel_agree_on_datagrams_drawn_at_random,
			 key_gen_params),
	KUNIT_CASE_PARAM(a_sub_key_is_one_senders_towards_one_destination, packet_gen_params),
	KUNIT_CASE(a_counter_that_nobody_uses_is_refused),
	KUNIT_CASE(the_use_of_a_datagrams_secret_is_counted),
	KUNIT_CASE_PARAM(what_is_too_old_to_be_known_is_refused, packet_gen_params),
	KUNIT_CASE(the_peers_rule_seals_and_for_a_group_the_groups),
	KUNIT_CASE(either_secret_of_a_key_opens_and_the_current_one_seals),
	KUNIT_CASE(without_key_or_form_require_refuses_and_prefer_is_clear),
	{}
};

static struct kunit_suite sth_datagram_suite = {
	.name = "srnic-sth-datagram",
	.suite_init = sth_datagram_suite_init,
	.suite_exit = sth_datagram_suite_exit,
	.test_cases = sth_datagram_cases,
};

kunit_test_suite(sth_datagram_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's sealed datagrams");
MODULE_IMPORT_NS(SRNIC_KUNIT);
MODULE_LICENSE("GPL");
