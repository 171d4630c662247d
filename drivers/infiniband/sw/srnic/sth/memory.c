// SPDX-License-Identifier: GPL-2.0
/*
 * Memory keys (sRDMA 4.6, 4.7; Documentation/protocol.md, section 12): a
 * request proves that its sender was given the key of the bytes that it
 * accesses.
 *
 * All derivations are AES-CMAC under keys that are used for a few blocks only.
 * So each CPU has one transform whose key is set for each use, which allocates
 * nothing.
 */
#include <crypto/utils.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include "export.h"
#include "sth/crypto.h"

#define MAC_ALG		"cmac(aes)"

/* First byte of each CMAC input, to separate its uses. */
enum domain {
	D_REGION,	/* K_MR */
	D_RIGHT,	/* root of the tree of one right */
	D_CHILD,	/* key of a child block */
	D_ACCESS,	/* K_SR */
};

static DEFINE_PER_CPU(struct crypto_shash *, mac_tfm);
static DEFINE_MUTEX(tfms_lock);
static bool tfms_ready;
static atomic64_t last_serial = ATOMIC64_INIT(0);

static void free_tfms(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		crypto_free_shash(per_cpu(mac_tfm, cpu));
		per_cpu(mac_tfm, cpu) = NULL;
	}
}

static int alloc_tfms(void)
{
	struct crypto_shash *tfm;
	int cpu;

	for_each_possible_cpu(cpu) {
		tfm = crypto_alloc_shash(MAC_ALG, 0, 0);
		if (IS_ERR(tfm)) {
			free_tfms();
			return PTR_ERR(tfm);
		}
		per_cpu(mac_tfm, cpu) = tfm;
	}
	return 0;
}

/**
 * srnic_mkey_prepare() - Allocate the transforms for memory keys
 *
 * To be called before memory keys are used; further calls do nothing.
 *
 * Context: process; loads the crypto module.
 * Return: 0; -EOPNOTSUPP if the kernel has no AES-CMAC; -ENOMEM.
 */
int srnic_mkey_prepare(void)
{
	int err = 0;

	mutex_lock(&tfms_lock);
	if (!tfms_ready)
		err = alloc_tfms();
	if (!err)
		tfms_ready = true;
	mutex_unlock(&tfms_lock);
	return err == -ENOENT ? -EOPNOTSUPP : err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mkey_prepare);

/**
 * srnic_mkey_exit() - Free the transforms at module unload
 */
void srnic_mkey_exit(void)
{
	free_tfms();
}

/* Called with BHs disabled: the CPU's transform is not used concurrently. */
static int mac_with_key(const u8 key[SRNIC_MKEY_LEN], const u8 *data, unsigned int len,
			u8 out[SRNIC_MKEY_LEN])
{
	struct crypto_shash *tfm = this_cpu_read(mac_tfm);
	int err;

	err = crypto_shash_setkey(tfm, key, SRNIC_MKEY_LEN);
	return err ?: crypto_shash_tfm_digest(tfm, data, len, out);
}

/* Leave no key in the CPU's transform. */
static int wipe_tfm(int err)
{
	static const u8 zero_key[SRNIC_MKEY_LEN];

	return crypto_shash_setkey(this_cpu_read(mac_tfm), zero_key, sizeof(zero_key)) ?: err;
}

/* Replace @key by the key that it yields for a range. */
static int mac_range(u8 key[SRNIC_MKEY_LEN], enum domain domain, u64 start, u64 end)
{
	u8 input[1 + 2 * sizeof(u64)];
	u8 out[SRNIC_MKEY_LEN];
	int err;

	input[0] = domain;
	put_unaligned_be64(start, input + 1);
	put_unaligned_be64(end, input + 9);
	err = mac_with_key(key, input, sizeof(input), out);
	if (!err)
		memcpy(key, out, sizeof(out));
	memzero_explicit(out, sizeof(out));
	return err;
}

/**
 * srnic_mkey_region() - Derive K_MR from the protection domain's key
 * @kpd: K_PD
 * @kpd_len: bytes in @kpd
 * @region: bytes of the region
 * @rkey: rkey of the region
 * @kmr: result
 *
 * Context: process, after srnic_mkey_prepare().
 * Return: 0 or a negative errno.
 */
int srnic_mkey_region(const u8 *kpd, unsigned int kpd_len, const struct srnic_va_range *region,
		      u32 rkey, u8 kmr[SRNIC_MKEY_LEN])
{
	const struct srnic_kdf_purpose memory = { .label = SRNIC_LABEL_MEMORY };
	u8 input[1 + 2 * sizeof(u64) + sizeof(u32)];
	u8 branch[SRNIC_MKEY_LEN];
	int err;

	input[0] = D_REGION;
	put_unaligned_be64(region->addr, input + 1);
	put_unaligned_be64(region->addr + region->len, input + 9);
	put_unaligned_be32(rkey, input + 17);
	err = srnic_kdf(kpd, kpd_len, &memory, branch, sizeof(branch));
	if (!err) {
		local_bh_disable();
		err = wipe_tfm(mac_with_key(branch, input, sizeof(input), kmr));
		local_bh_enable();
	}
	memzero_explicit(branch, sizeof(branch));
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mkey_region);

/**
 * srnic_mkey_root() - Derive the key of a whole region for one right
 * @mkey: addr, rkey and tree are set; the other members are filled in
 * @kmr: K_MR
 * @right: right that the key gives
 *
 * Context: process, after srnic_mkey_prepare().
 * Return: 0 or a negative errno.
 */
int srnic_mkey_root(struct srnic_mkey *mkey, const u8 kmr[SRNIC_MKEY_LEN], enum srnic_right right)
{
	const u8 input[] = { D_RIGHT, right };
	int err;

	mkey->right = right;
	mkey->node.start = 0;
	mkey->node.shift = srnic_tree_root(&mkey->tree);
	mkey->serial = atomic64_inc_return(&last_serial);
	local_bh_disable();
	err = wipe_tfm(mac_with_key(kmr, input, sizeof(input), mkey->key));
	local_bh_enable();
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mkey_root);

/**
 * srnic_mkey_validate() - Validate a key that was handed to us, and number it
 * @mkey: all members but serial, not yet validated; serial is filled in
 *
 * Return: 0, or -EINVAL if the region has no such block or there is no such
 * right.
 */
int srnic_mkey_validate(struct srnic_mkey *mkey)
{
	const struct srnic_tree *tree = &mkey->tree;
	struct srnic_tree rebuilt;

	if (mkey->right < SRNIC_RIGHT_READ || mkey->right > SRNIC_RIGHT_ATOMIC ||
	    srnic_tree_init(&rebuilt, tree->length, tree->depth, tree->block_shift) ||
	    !srnic_tree_is_node(tree, &mkey->node))
		return -EINVAL;
	mkey->serial = atomic64_inc_return(&last_serial);
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mkey_validate);

/**
 * srnic_mkey_covers() - Tell whether a key covers an access
 * @mkey: the key
 * @addr: virtual address of the first byte
 * @len: bytes
 */
bool srnic_mkey_covers(const struct srnic_mkey *mkey, u64 addr, u64 len)
{
	u64 start = addr - mkey->addr;

	return addr >= mkey->addr && len <= mkey->tree.length &&
	       start <= mkey->tree.length - len &&
	       srnic_tree_contains(&mkey->tree, &mkey->node, start, start + len);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mkey_covers);

static int access_key(const struct srnic_mkey *mkey, u64 start, u64 end, u8 ksr[SRNIC_MKEY_LEN])
{
	struct srnic_tree_node node = mkey->node;
	int err = 0;

	memcpy(ksr, mkey->key, SRNIC_MKEY_LEN);
	while (!err && srnic_tree_step(&mkey->tree, &node, start, end))
		err = mac_range(ksr, D_CHILD, node.start, node.start + BIT_ULL(node.shift));
	return err ?: mac_range(ksr, D_ACCESS, start, end);
}

/* Called with BHs disabled. */
static int prove_with_key(const u8 ksr[SRNIC_MKEY_LEN], const struct srnic_proof_input *in,
			  u8 proof[SRNIC_STH_PROOF_LEN])
{
	struct crypto_shash *tfm = this_cpu_read(mac_tfm);
	struct scatterlist *sg = in->payload;
	unsigned int len = in->payload_len;
	SHASH_DESC_ON_STACK(desc, tfm);
	int err;

	desc->tfm = tfm;
	err = crypto_shash_setkey(tfm, ksr, SRNIC_MKEY_LEN) ?:
	      crypto_shash_init(desc) ?:
	      crypto_shash_update(desc, in->nq, SRNIC_STH_NONCE_LEN) ?:
	      crypto_shash_update(desc, in->nr, SRNIC_STH_NONCE_LEN) ?:
	      crypto_shash_update(desc, in->head, in->head_len);
	for (; !err && len && sg; sg = sg_next(sg)) {
		unsigned int n = min(len, sg->length);

		err = crypto_shash_update(desc, sg_virt(sg), n);
		len -= n;
	}
	if (!err && WARN_ON_ONCE(len))
		err = -EINVAL;
	if (!err)
		err = crypto_shash_final(desc, proof);
	shash_desc_zero(desc);
	return err;
}

/**
 * srnic_mkey_prove() - Compute the proof for an access
 * @mkey: key that covers the access
 * @access: bytes of the access; at least one
 * @ksr: K_SR of the flow's last access; reused if this access is the same, else
 *	replaced
 * @in: bytes that the proof covers
 * @proof: result
 *
 * Prover and verifier both call this. Keys of inner nodes are not cached in the
 * region: they would have to be looked up and locked.
 *
 * Context: process or softirq, with BHs disabled.
 * Return: 0 or the crypto driver's errno.
 */
int srnic_mkey_prove(const struct srnic_mkey *mkey, const struct srnic_va_range *access,
		     struct srnic_ksr *ksr, const struct srnic_proof_input *in,
		     u8 proof[SRNIC_STH_PROOF_LEN])
{
	u64 start = access->addr - mkey->addr, end = start + access->len;
	int err = 0;

	lockdep_assert(softirq_count() || irqs_disabled());

	if (ksr->serial != mkey->serial || ksr->start != start || ksr->end != end) {
		ksr->serial = 0;
		err = access_key(mkey, start, end, ksr->key);
	}
	if (!err) {
		ksr->serial = mkey->serial;
		ksr->start = start;
		ksr->end = end;
		err = prove_with_key(ksr->key, in, proof);
	}
	return wipe_tfm(err);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mkey_prove);

/**
 * srnic_sth_forget_proof() - Wipe the K_SR of our last request
 * @sth: the connection
 *
 * To be called when a key is dropped from which it may have been derived.
 *
 * Context: under the QP's lock.
 */
void srnic_sth_forget_proof(struct srnic_sth *sth)
{
	memzero_explicit(&sth->ksr[SRNIC_FLOW_OURS], sizeof(sth->ksr[SRNIC_FLOW_OURS]));
}

/**
 * srnic_sth_prove() - Add a packet's proof to the tag, or remove it again
 * @sth: the connection; its scratch has the MAC input up to the headers, and the tag
 * @flow: flow of the request
 * @pkt: has a memory key, and RETH or AtomicETH
 * @payload: payload and pad as on the wire
 *
 * The tag on the wire is the sum of tag and proof. The connection's keys yield the one and not
 * the other, and a sum for another payload takes both.
 *
 * A forged packet may replace the cached K_SR. The next access then derives its
 * own again; the cached key is always correct.
 *
 * Context: under the QP's lock.
 * Return: 0 or the crypto driver's errno.
 */
int srnic_sth_prove(struct srnic_sth *sth, enum srnic_sth_flow flow, const struct srnic_pkt *pkt,
		    const struct srnic_sth_payload *payload)
{
	const struct srnic_va_range access = {
		.addr = pkt->va,
		.len = pkt->opc->atomic ? sizeof(u64) : pkt->dmalen,
	};
	struct srnic_sth_scratch *s = &sth->scratch;
	const struct srnic_proof_input in = {
		.nq = sth->flow[flow].nq,
		.nr = sth->flow[flow].nr,
		.head = s->input,
		.head_len = s->input_len,
		.payload = payload->src,
		.payload_len = s->mode == SRNIC_STH_HEADER ? 0 : payload->len,
	};
	u8 proof[SRNIC_STH_PROOF_LEN];
	int err;

	err = srnic_mkey_prove(pkt->mkey, &access, &sth->ksr[flow], &in, proof);
	crypto_xor(s->tag, proof, min_t(unsigned int, s->tag_len, sizeof(proof)));
	memzero_explicit(proof, sizeof(proof));
	return err;
}
