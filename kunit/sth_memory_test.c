// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of memory keys (sRDMA 4.6, 4.7; protocol.md, section 12): values
 * that python3-cryptography computed, and proofs under the seals of whole
 * packets.
 */
#include <linux/bottom_half.h>
#include <linux/module.h>

#include "sth_fixture.h"
#include "wire/wire.h"

#define ADDR	0x7f0000001000ULL
#define LENGTH	BIT_ULL(24)
#define RKEY	0x12345678
#define MIB	BIT_ULL(20)

/* K_MR for K_PD 00 01 .. 1f and the region above */
static const u8 kmr[SRNIC_MKEY_LEN] = {
	0x4a, 0xb5, 0xd9, 0xfc, 0x89, 0x03, 0x92, 0x73,
	0xc9, 0xd1, 0x1e, 0xd5, 0x9d, 0x97, 0x9c, 0x49,
};

static const u8 roots[SRNIC_RIGHTS][SRNIC_MKEY_LEN] = {
	{ 0x42, 0x18, 0x59, 0x7d, 0x3e, 0x7f, 0x31, 0xfc,
	  0x18, 0x62, 0xc5, 0xfa, 0x2a, 0x95, 0x61, 0xc6 },
	{ 0x0e, 0x99, 0x78, 0x3c, 0xa5, 0x00, 0x51, 0x30,
	  0xc6, 0x17, 0x2d, 0x40, 0x9a, 0xf9, 0x3d, 0x2f },
	{ 0x33, 0x94, 0x9d, 0x51, 0xe2, 0x5c, 0x2c, 0x51,
	  0x13, 0x85, 0x26, 0x51, 0x41, 0xe0, 0x7b, 0x28 },
};

/**
 * struct access_vector - an access and its proof
 * @right: right that the access needs
 * @depth: depth of the region's tree
 * @block_shift: block_shift of the region's tree
 * @start: offset of the first byte
 * @end: offset past the last byte
 * @ksr: K_SR
 * @proof: CMAC(K_SR, "0123456789abcdef" "fedcba9876543210" "srnic")
 * @node: key of the block of the access
 * @node_start: offset of the block
 * @node_shift: log2 of the block's length
 */
struct access_vector {
	enum srnic_right right;
	u8 depth;
	u8 block_shift;
	u64 start;
	u64 end;
	u8 ksr[SRNIC_MKEY_LEN];
	u8 proof[SRNIC_STH_PROOF_LEN];
	u8 node[SRNIC_MKEY_LEN];
	u64 node_start;
	u8 node_shift;
};

static const struct access_vector accesses[] = {
	{ SRNIC_RIGHT_READ, 0, 0, 0x300000, 0x400000,
		.ksr = { 0xe5, 0x17, 0x18, 0x1c, 0x3f, 0x88, 0x91, 0x8e,
			0x2d, 0xcd, 0x54, 0x39, 0x66, 0x8d, 0x06, 0x48 },
		.proof = { 0xb6, 0xa4, 0xc2, 0xb8, 0x7f, 0xb1, 0x04, 0xd5,
			0x85, 0x00, 0xa3, 0x3d, 0x27, 0x4e, 0xfd, 0x6f },
		.node = { 0x42, 0x18, 0x59, 0x7d, 0x3e, 0x7f, 0x31, 0xfc,
			0x18, 0x62, 0xc5, 0xfa, 0x2a, 0x95, 0x61, 0xc6 },
		.node_start = 0x0, .node_shift = 24 },
	{ SRNIC_RIGHT_READ, 63, 0, 0x300000, 0x400000,
		.ksr = { 0x37, 0x40, 0x4e, 0x86, 0x27, 0x20, 0x9a, 0x4a,
			0x2c, 0xb7, 0x81, 0xb7, 0x65, 0xf1, 0xdf, 0xe0 },
		.proof = { 0x6b, 0x45, 0x28, 0xd8, 0x6c, 0xde, 0xd9, 0x36,
			0x07, 0x05, 0x83, 0xb5, 0xf9, 0x3d, 0x93, 0x3d },
		.node = { 0x35, 0xad, 0xb2, 0x7f, 0x97, 0xe0, 0x5b, 0x5c,
			0x38, 0x4e, 0xc8, 0xfc, 0x55, 0x35, 0x25, 0x35 },
		.node_start = 0x300000, .node_shift = 20 },
	{ SRNIC_RIGHT_WRITE, 63, 12, 0x7ff000, 0x801000,
		.ksr = { 0x41, 0x3b, 0x9a, 0x9f, 0xbc, 0x12, 0xb2, 0xac,
			0xb8, 0xec, 0xce, 0x51, 0x1a, 0x82, 0x84, 0xa2 },
		.proof = { 0x55, 0x7e, 0xb7, 0x77, 0x5d, 0x7e, 0x4a, 0x4c,
			0xdf, 0xb6, 0x6d, 0x3f, 0xbe, 0x63, 0xfe, 0x83 },
		.node = { 0x0e, 0x99, 0x78, 0x3c, 0xa5, 0x00, 0x51, 0x30,
			0xc6, 0x17, 0x2d, 0x40, 0x9a, 0xf9, 0x3d, 0x2f },
		.node_start = 0x0, .node_shift = 24 },
	{ SRNIC_RIGHT_ATOMIC, 63, 0, 0xfffff8, 0x1000000,
		.ksr = { 0x17, 0xa9, 0x95, 0x19, 0x43, 0x65, 0x55, 0x4d,
			0x46, 0x20, 0x99, 0x5d, 0x47, 0x33, 0xa3, 0xf2 },
		.proof = { 0x93, 0x36, 0xb4, 0x5d, 0xe6, 0xaf, 0xdf, 0xcd,
			0x83, 0x5a, 0xc7, 0x23, 0x37, 0xcd, 0x21, 0x52 },
		.node = { 0x98, 0xb0, 0xe2, 0x87, 0x4b, 0x2f, 0xd3, 0x1f,
			0x33, 0x45, 0xfc, 0x72, 0x05, 0x48, 0x5d, 0x75 },
		.node_start = 0xfffff8, .node_shift = 3 },
	{ SRNIC_RIGHT_READ, 2, 0, 0x300000, 0x300001,
		.ksr = { 0x61, 0xe7, 0x6a, 0x60, 0x43, 0x40, 0x29, 0x0f,
			0x2b, 0x02, 0x71, 0x82, 0x45, 0xeb, 0x35, 0xba },
		.proof = { 0x25, 0xd8, 0xde, 0x56, 0x90, 0x56, 0x6c, 0x85,
			0x26, 0x14, 0x90, 0x26, 0x7c, 0xc7, 0x2d, 0xad },
		.node = { 0x30, 0x4d, 0x94, 0x80, 0x3b, 0x97, 0xe6, 0xda,
			0x41, 0x09, 0x3a, 0x03, 0x9c, 0x08, 0x92, 0xdc },
		.node_start = 0x0, .node_shift = 22 },
	{ SRNIC_RIGHT_READ, 63, 12, 0x300000, 0x300001,
		.ksr = { 0xce, 0x60, 0x80, 0x7f, 0x95, 0x60, 0xb5, 0x61,
			0xee, 0xec, 0x92, 0x83, 0xae, 0xc7, 0x22, 0xcd },
		.proof = { 0xc5, 0x55, 0x67, 0x7b, 0x24, 0x73, 0x0b, 0x11,
			0xc4, 0xf6, 0x2d, 0x8b, 0xae, 0x49, 0x8b, 0xe7 },
		.node = { 0xb0, 0x63, 0x00, 0xea, 0xeb, 0x34, 0x95, 0x51,
			0xbb, 0x23, 0xaa, 0x34, 0x11, 0xe2, 0xda, 0x78 },
		.node_start = 0x300000, .node_shift = 12 },
};

static void access_desc(const struct access_vector *v, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "right %d, depth %u, [%#llx, %#llx)", v->right,
		 v->depth, v->start, v->end);
}

KUNIT_ARRAY_PARAM(access, accesses, access_desc);

static int sth_memory_init(struct kunit *test)
{
	return srnic_mkey_prepare();
}

static struct srnic_mkey root_of(struct kunit *test, enum srnic_right right, u8 depth,
				 u8 block_shift)
{
	struct srnic_mkey mkey = { .addr = ADDR, .rkey = RKEY };

	KUNIT_ASSERT_EQ(test, srnic_tree_init(&mkey.tree, LENGTH, depth, block_shift), 0);
	KUNIT_ASSERT_EQ(test, srnic_mkey_root(&mkey, kmr, right), 0);
	return mkey;
}

static void prove(struct kunit *test, const struct srnic_mkey *mkey,
		  const struct srnic_va_range *access, struct srnic_ksr *ksr,
		  const struct srnic_proof_input *in, u8 proof[SRNIC_STH_PROOF_LEN])
{
	int err;

	local_bh_disable();
	err = srnic_mkey_prove(mkey, access, ksr, in, proof);
	local_bh_enable();
	KUNIT_ASSERT_EQ(test, err, 0);
}

/* Compute the proof over "srnic" and two nonces. */
static void compute_proof(struct kunit *test, const struct srnic_mkey *mkey, u64 start, u64 end,
			  struct srnic_ksr *ksr, u8 proof[SRNIC_STH_PROOF_LEN])
{
	const struct srnic_va_range access = { .addr = ADDR + start, .len = end - start };
	const struct srnic_proof_input in = {
		.nq = "0123456789abcdef", .nr = "fedcba9876543210", .head = "srnic", .head_len = 5,
	};

	prove(test, mkey, &access, ksr, &in, proof);
}

static void P8_a_regions_key_follows_from_the_domains(struct kunit *test)
{
	const struct srnic_va_range region = { .addr = ADDR, .len = LENGTH };
	u8 kpd[32], key[SRNIC_MKEY_LEN];
	unsigned int i;

	for (i = 0; i < sizeof(kpd); i++)
		kpd[i] = i;
	KUNIT_ASSERT_EQ(test, srnic_mkey_region(kpd, sizeof(kpd), &region, RKEY, key), 0);
	KUNIT_EXPECT_MEMEQ(test, key, kmr, sizeof(kmr));
}

static void S12_each_right_has_a_tree_of_its_own(struct kunit *test)
{
	enum srnic_right right;

	for (right = SRNIC_RIGHT_READ; right <= SRNIC_RIGHTS; right++) {
		struct srnic_mkey mkey = root_of(test, right, 63, 0);

		KUNIT_EXPECT_MEMEQ(test, mkey.key, roots[right - 1], SRNIC_MKEY_LEN);
		KUNIT_EXPECT_EQ(test, mkey.node.start, 0);
		KUNIT_EXPECT_EQ(test, mkey.node.shift, 24);
	}
}

static void P10_proofs_are_those_of_python(struct kunit *test)
{
	const struct access_vector *v = test->param_value;
	struct srnic_mkey mkey = root_of(test, v->right, v->depth, v->block_shift);
	u8 proof[SRNIC_STH_PROOF_LEN];
	struct srnic_ksr ksr = {};

	compute_proof(test, &mkey, v->start, v->end, &ksr, proof);
	KUNIT_EXPECT_MEMEQ(test, ksr.key, v->ksr, SRNIC_MKEY_LEN);
	KUNIT_EXPECT_MEMEQ(test, proof, v->proof, SRNIC_STH_PROOF_LEN);
}

static void P10_the_key_of_a_block_gives_the_proof_that_the_owner_expects(struct kunit *test)
{
	const struct access_vector *v = test->param_value;
	struct srnic_mkey mkey = root_of(test, v->right, v->depth, v->block_shift);
	u8 proof[SRNIC_STH_PROOF_LEN];
	struct srnic_ksr ksr = {};

	mkey.node.start = v->node_start;
	mkey.node.shift = v->node_shift;
	memcpy(mkey.key, v->node, sizeof(mkey.key));
	KUNIT_ASSERT_EQ(test, srnic_mkey_validate(&mkey), 0);
	KUNIT_EXPECT_TRUE(test, srnic_mkey_covers(&mkey, ADDR + v->start, v->end - v->start));
	compute_proof(test, &mkey, v->start, v->end, &ksr, proof);
	KUNIT_EXPECT_MEMEQ(test, proof, v->proof, SRNIC_STH_PROOF_LEN);
}

static void P10_another_access_has_another_proof(struct kunit *test)
{
	struct srnic_mkey mkey = root_of(test, SRNIC_RIGHT_READ, 63, 0);
	struct srnic_mkey other = root_of(test, SRNIC_RIGHT_WRITE, 63, 0);
	u8 proof[SRNIC_STH_PROOF_LEN], again[SRNIC_STH_PROOF_LEN];
	struct srnic_ksr ksr = {};

	compute_proof(test, &mkey, 0, MIB, &ksr, proof);
	compute_proof(test, &mkey, 0, MIB, &ksr, again);
	KUNIT_EXPECT_MEMEQ(test, proof, again, sizeof(proof));
	compute_proof(test, &mkey, 0, MIB + 1, &ksr, again);
	KUNIT_EXPECT_MEMNEQ(test, proof, again, sizeof(proof));
	compute_proof(test, &mkey, 1, MIB, &ksr, again);
	KUNIT_EXPECT_MEMNEQ(test, proof, again, sizeof(proof));
	/* with the K_SR that the last call cached */
	compute_proof(test, &mkey, 0, MIB, &ksr, again);
	KUNIT_EXPECT_MEMEQ(test, proof, again, sizeof(proof));
	compute_proof(test, &other, 0, MIB, &ksr, again);
	KUNIT_EXPECT_MEMNEQ(test, proof, again, sizeof(proof));
}

/* C2: a proof is good for one payload, in one life of the connection. */
static void P10_a_proof_covers_session_and_payload(struct kunit *test)
{
	const struct srnic_va_range access = { .addr = ADDR, .len = 64 };
	struct srnic_mkey mkey = root_of(test, SRNIC_RIGHT_WRITE, 63, 0);
	u8 proof[SRNIC_STH_PROOF_LEN], other[SRNIC_STH_PROOF_LEN];
	u8 *bytes = kunit_kzalloc(test, 64, GFP_KERNEL);
	u8 nonces[2][16] = {};
	struct scatterlist sg[2];
	const struct srnic_proof_input in = {
		.nq = nonces[0], .nr = nonces[1], .head = "srnic", .head_len = 5,
		.payload = sg, .payload_len = 64,
	};
	struct srnic_ksr ksr = {};

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	sg_init_table(sg, 2);
	sg_set_buf(&sg[0], bytes, 20);
	sg_set_buf(&sg[1], bytes + 20, 44);
	prove(test, &mkey, &access, &ksr, &in, proof);
	sg_init_one(sg, bytes, 64);
	prove(test, &mkey, &access, &ksr, &in, other);
	KUNIT_EXPECT_MEMEQ_MSG(test, proof, other, 16, "in one piece or in two");
	bytes[63] ^= 1;
	prove(test, &mkey, &access, &ksr, &in, other);
	KUNIT_EXPECT_MEMNEQ(test, proof, other, 16);
	bytes[63] ^= 1;
	nonces[0][15] ^= 1;
	prove(test, &mkey, &access, &ksr, &in, other);
	KUNIT_EXPECT_MEMNEQ(test, proof, other, 16);
	nonces[0][15] ^= 1;
	nonces[1][0] ^= 1;
	prove(test, &mkey, &access, &ksr, &in, other);
	KUNIT_EXPECT_MEMNEQ(test, proof, other, 16);
}

static void P10_a_key_covers_its_block_to_the_byte(struct kunit *test)
{
	struct srnic_mkey mkey = root_of(test, SRNIC_RIGHT_READ, 63, 0);

	mkey.node.start = 3 * MIB;
	mkey.node.shift = 20;
	KUNIT_EXPECT_TRUE(test, srnic_mkey_covers(&mkey, ADDR + 3 * MIB, MIB));
	KUNIT_EXPECT_TRUE(test, srnic_mkey_covers(&mkey, ADDR + 4 * MIB - 1, 1));
	KUNIT_EXPECT_FALSE(test, srnic_mkey_covers(&mkey, ADDR + 3 * MIB - 1, 1));
	KUNIT_EXPECT_FALSE(test, srnic_mkey_covers(&mkey, ADDR + 3 * MIB, MIB + 1));
	KUNIT_EXPECT_FALSE(test, srnic_mkey_covers(&mkey, ADDR + 4 * MIB, 1));
	KUNIT_EXPECT_FALSE(test, srnic_mkey_covers(&mkey, ADDR + 3 * MIB, 0));
	KUNIT_EXPECT_FALSE(test, srnic_mkey_covers(&mkey, ADDR - 1, 1));
	KUNIT_EXPECT_FALSE(test, srnic_mkey_covers(&mkey, ADDR + 3 * MIB, ~0ULL));
	KUNIT_EXPECT_FALSE(test, srnic_mkey_covers(&mkey, 3 * MIB, MIB));
	KUNIT_EXPECT_FALSE(test, srnic_mkey_covers(&mkey, ~0ULL, 2));
}

static void P10_a_key_of_no_block_is_refused(struct kunit *test)
{
	struct srnic_mkey fine = root_of(test, SRNIC_RIGHT_READ, 4, 0), mkey = fine;

	KUNIT_EXPECT_EQ(test, srnic_mkey_validate(&mkey), 0);
	KUNIT_EXPECT_NE(test, mkey.serial, fine.serial);
	mkey.right = 0;
	KUNIT_EXPECT_EQ(test, srnic_mkey_validate(&mkey), -EINVAL);
	mkey.right = SRNIC_RIGHTS + 1;
	KUNIT_EXPECT_EQ(test, srnic_mkey_validate(&mkey), -EINVAL);
	mkey = fine;
	mkey.tree.length = 0;
	KUNIT_EXPECT_EQ(test, srnic_mkey_validate(&mkey), -EINVAL);
	mkey = fine;
	mkey.node.shift = 19;	/* a fifth step */
	KUNIT_EXPECT_EQ(test, srnic_mkey_validate(&mkey), -EINVAL);
	mkey.node.shift = 20;
	mkey.node.start = 1;
	KUNIT_EXPECT_EQ(test, srnic_mkey_validate(&mkey), -EINVAL);
	mkey.node.start = MIB;
	KUNIT_EXPECT_EQ(test, srnic_mkey_validate(&mkey), 0);
}

/* Make a READ request of X for [@start, @end), in a box. */
static struct sth_box *read_box(struct kunit *test, const struct sth_pair *p, u64 start, u64 end)
{
	const struct srnic_opcode *opc = &srnic_opcode_table[SRNIC_OPC_READ_REQ];
	unsigned int sth_len = srnic_sth_len(p->end[X]);
	u8 body[SRNIC_HDR_MAX] = {};
	struct srnic_pkt pkt = {
		.opcode = SRNIC_OPC_READ_REQ,
		.opc = opc,
		.hdr_len = opc->hdr_len,
		.sth_len = sth_len,
		.sth_code = srnic_sth_code(p->end[X]),
		.psn = p->v->flow[X].start & SRNIC_PSN_MASK,
		.va = ADDR + start,
		.rkey = RKEY,
		.dmalen = end - start,
	};
	struct sth_box *box;

	srnic_wire_build(&pkt, body);
	box = sth_box_of(test, p, X, body, opc->hdr_len + sth_len, opc->hdr_len);
	box->pkt.opc = opc;
	box->pkt.va = pkt.va;
	box->pkt.dmalen = pkt.dmalen;
	return box;
}

/* Return how Y, which requires a proof by @theirs, opens X's request proved by @ours. */
static int send_read(struct kunit *test, const struct sth_pair *p, const struct srnic_mkey *ours,
		     const struct srnic_mkey *theirs)
{
	struct sth_box *box = read_box(test, p, 3 * MIB, 4 * MIB);

	box->pkt.mkey = ours;
	KUNIT_ASSERT_EQ(test, sth_box_seal(p->end[X], SRNIC_FLOW_OURS, box), 0);
	box->pkt.mkey = theirs;
	return sth_box_open(p->end[Y], SRNIC_FLOW_THEIRS, box);
}

static void P9_a_request_is_as_good_as_its_proof(struct kunit *test)
{
	struct sth_pair p = sth_ready_pair(test, test->param_value, false);
	struct srnic_mkey mkey = root_of(test, SRNIC_RIGHT_READ, 63, 0);
	struct srnic_mkey same = root_of(test, SRNIC_RIGHT_READ, 63, 0);
	struct srnic_mkey write = root_of(test, SRNIC_RIGHT_WRITE, 63, 0);
	struct srnic_mkey flat = root_of(test, SRNIC_RIGHT_READ, 0, 0);
	struct srnic_mkey foreign = mkey;

	foreign.key[0] ^= 1;
	foreign.serial = same.serial + 1000;
	KUNIT_EXPECT_EQ(test, send_read(test, &p, &mkey, &same), 0);
	KUNIT_EXPECT_EQ(test, send_read(test, &p, NULL, &mkey), -EBADMSG);
	KUNIT_EXPECT_EQ(test, send_read(test, &p, &mkey, NULL), -EBADMSG);
	KUNIT_EXPECT_EQ(test, send_read(test, &p, &foreign, &mkey), -EBADMSG);
	KUNIT_EXPECT_EQ(test, send_read(test, &p, &write, &mkey), -EBADMSG);
	KUNIT_EXPECT_EQ(test, send_read(test, &p, &flat, &mkey), -EBADMSG);
	KUNIT_EXPECT_EQ(test, send_read(test, &p, &mkey, &mkey), 0);
	KUNIT_EXPECT_EQ(test, send_read(test, &p, NULL, NULL), 0);
}

/* K_AB alone is not enough: it enters the key of the MAC, not that of the proof. */
static void P9_no_bit_of_a_proved_request_may_change(struct kunit *test)
{
	struct sth_pair p = sth_ready_pair(test, test->param_value, false);
	struct srnic_mkey mkey = root_of(test, SRNIC_RIGHT_READ, 63, 0);
	struct sth_box *box = read_box(test, &p, 3 * MIB, 4 * MIB);
	struct sth_trip trip = {
		.to = p.end[Y],
		.flow = SRNIC_FLOW_THEIRS,
		.psn64 = p.v->flow[X].start,
		.box = box,
		.name = p.v->name,
	};

	box->pkt.mkey = &mkey;
	KUNIT_ASSERT_EQ(test, sth_box_seal(p.end[X], SRNIC_FLOW_OURS, box), 0);
	sth_keep_sealed(test, &trip);
	sth_expect_no_change(test, &trip);
	KUNIT_EXPECT_EQ(test, sth_box_open(p.end[Y], SRNIC_FLOW_THEIRS, box), 0);
}

static struct kunit_case sth_memory_cases[] = {
	KUNIT_CASE(P8_a_regions_key_follows_from_the_domains),
	KUNIT_CASE(S12_each_right_has_a_tree_of_its_own),
	KUNIT_CASE_PARAM(P10_proofs_are_those_of_python, access_gen_params),
	KUNIT_CASE_PARAM(P10_the_key_of_a_block_gives_the_proof_that_the_owner_expects,
			 access_gen_params),
	KUNIT_CASE(P10_another_access_has_another_proof),
	KUNIT_CASE(P10_a_proof_covers_session_and_payload),
	KUNIT_CASE(P10_a_key_covers_its_block_to_the_byte),
	KUNIT_CASE(P10_a_key_of_no_block_is_refused),
	KUNIT_CASE_PARAM(P9_a_request_is_as_good_as_its_proof, sth_proving_gen),
	KUNIT_CASE_PARAM(P9_no_bit_of_a_proved_request_may_change, sth_proving_gen),
	{}
};

static struct kunit_suite sth_memory_suite = {
	.name = "srnic-sth-memory",
	.init = sth_memory_init,
	.test_cases = sth_memory_cases,
};

kunit_test_suite(sth_memory_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's memory keys");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
