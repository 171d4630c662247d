// SPDX-License-Identifier: GPL-2.0
/*
 * Memory keys (sRDMA 4.6, 4.7; Documentation/protocol.md, section 12): a request proves
 * that who makes it was given the key of the bytes that it touches.
 *
 * Everything is AES-CMAC under a key that is used for a few blocks and then for the
 * next: one transform a CPU, keyed anew each time, which allocates nothing.
 */
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include "export.h"
#include "sth/crypto.h"

#define MAC_ALG		"cmac(aes)"

/* the first byte of each input: uses of CMAC that must not meet */
enum domain {
	D_REGION,	/* K_MR */
	D_RIGHT,	/* the root of one right's tree */
	D_CHILD,	/* a block's key */
	D_ACCESS,	/* K_SR */
};

/* and the padding of its last block */
static_assert(SRNIC_STH_INPUT_MAX + SRNIC_STH_PROOF_LEN + 16 <= SRNIC_STH_LINEAR);

static DEFINE_PER_CPU(struct crypto_shash *, mac_tfm);
static DEFINE_MUTEX(ready_lock);
static bool ready;
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
 * srnic_mkey_prepare - memory keys are going to be used
 *
 * Context: process; loads the crypto module.
 * Return: 0; -EOPNOTSUPP if this kernel has no AES-CMAC; -ENOMEM.
 */
int srnic_mkey_prepare(void)
{
	int err = 0;

	mutex_lock(&ready_lock);
	if (!ready)
		err = alloc_tfms();
	if (!err)
		ready = true;
	mutex_unlock(&ready_lock);
	return err == -ENOENT ? -EOPNOTSUPP : err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mkey_prepare);

/**
 * srnic_mkey_exit - at module unload
 */
void srnic_mkey_exit(void)
{
	free_tfms();
}

/* with BHs off: the CPU's transform is ours */
static int mac(const u8 key[SRNIC_MKEY_LEN], const u8 *data, unsigned int len,
	       u8 out[SRNIC_MKEY_LEN])
{
	struct crypto_shash *tfm = this_cpu_read(mac_tfm);
	int err;

	err = crypto_shash_setkey(tfm, key, SRNIC_MKEY_LEN);
	return err ?: crypto_shash_tfm_digest(tfm, data, len, out);
}

/* no key is left behind in the CPU's transform */
static int wipe_tfm(int err)
{
	static const u8 nothing[SRNIC_MKEY_LEN];

	return crypto_shash_setkey(this_cpu_read(mac_tfm), nothing, sizeof(nothing)) ?: err;
}

/* @key becomes what it yields for a range */
static int mac_range(u8 key[SRNIC_MKEY_LEN], enum domain domain, u64 start, u64 end)
{
	u8 input[1 + 2 * sizeof(u64)];
	u8 out[SRNIC_MKEY_LEN];
	int err;

	input[0] = domain;
	put_unaligned_be64(start, input + 1);
	put_unaligned_be64(end, input + 9);
	err = mac(key, input, sizeof(input), out);
	if (!err)
		memcpy(key, out, sizeof(out));
	memzero_explicit(out, sizeof(out));
	return err;
}

/**
 * srnic_mkey_region - K_MR as it follows from the domain's key
 * @kpd: K_PD
 * @kpd_len: bytes
 * @addr: the region's first byte, as its owner names it
 * @length: bytes
 * @rkey: its key
 * @kmr: result
 *
 * Context: process, after srnic_mkey_prepare().
 * Return: 0 or a negative errno.
 */
int srnic_mkey_region(const u8 *kpd, unsigned int kpd_len, u64 addr, u64 length, u32 rkey,
		      u8 kmr[SRNIC_MKEY_LEN])
{
	u8 input[1 + 2 * sizeof(u64) + sizeof(u32)];
	u8 branch[SRNIC_MKEY_LEN];
	int err;

	input[0] = D_REGION;
	put_unaligned_be64(addr, input + 1);
	put_unaligned_be64(addr + length, input + 9);
	put_unaligned_be32(rkey, input + 17);
	err = srnic_kdf(kpd, kpd_len, SRNIC_LABEL_MEMORY, NULL, 0, branch, sizeof(branch));
	if (!err) {
		local_bh_disable();
		err = wipe_tfm(mac(branch, input, sizeof(input), kmr));
		local_bh_enable();
	}
	memzero_explicit(branch, sizeof(branch));
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mkey_region);

/**
 * srnic_mkey_root - the key of a whole region, for one right
 * @mkey: addr, rkey and tree are set; the rest is filled in
 * @kmr: K_MR
 * @right: which
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
	err = wipe_tfm(mac(kmr, input, sizeof(input), mkey->key));
	local_bh_enable();
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mkey_root);

/**
 * srnic_mkey_given - a key that came from somebody else
 * @mkey: all but serial are set, to anything
 *
 * Return: 0; -EINVAL if there is no such block, or no such right.
 */
int srnic_mkey_given(struct srnic_mkey *mkey)
{
	const struct srnic_tree *tree = &mkey->tree;
	struct srnic_tree fine;

	if (mkey->right < SRNIC_RIGHT_READ || mkey->right > SRNIC_RIGHT_ATOMIC ||
	    srnic_tree_init(&fine, tree->length, tree->depth, tree->block_shift) ||
	    !srnic_tree_is_node(tree, &mkey->node))
		return -EINVAL;
	mkey->serial = atomic64_inc_return(&last_serial);
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mkey_given);

/**
 * srnic_mkey_covers - whether a key is good for an access
 * @mkey: the key
 * @addr: first byte, as the region's owner names it
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

/**
 * srnic_mkey_prove - the proof that goes with an access
 * @mkey: covers it
 * @addr: first byte
 * @len: bytes, not 0
 * @ksr: of the last access of this flow; used again where this one is the same
 * @data: MAC input up to and with the extension headers
 * @data_len: bytes
 * @proof: result; may follow @data
 *
 * The verifier does the same. Steps are taken for one access after the other: nothing
 * is kept a region, for it would have to be found and locked.
 *
 * Context: process or softirq, BHs off.
 * Return: 0 or the crypto driver's errno.
 */
int srnic_mkey_prove(const struct srnic_mkey *mkey, u64 addr, u64 len, struct srnic_ksr *ksr,
		     const u8 *data, unsigned int data_len, u8 proof[SRNIC_STH_PROOF_LEN])
{
	u64 start = addr - mkey->addr, end = start + len;
	int err = 0;

	lockdep_assert(in_softirq() || irqs_disabled());

	if (ksr->serial != mkey->serial || ksr->start != start || ksr->end != end) {
		ksr->serial = 0;
		err = access_key(mkey, start, end, ksr->key);
	}
	if (!err) {
		ksr->serial = mkey->serial;
		ksr->start = start;
		ksr->end = end;
		err = mac(ksr->key, data, data_len, proof);
	}
	return wipe_tfm(err);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mkey_prove);

/**
 * srnic_sth_prove - put a packet's proof behind its headers
 * @sth: the connection; its input has the headers
 * @flow: whose request it is
 * @pkt: with a memory key, RETH or AtomicETH
 * @input_len: bytes in the input; the proof is added
 *
 * A packet that turns out to be forged leaves another K_SR behind than it found. It
 * costs who comes next the steps; the key itself is never anything but right.
 *
 * Under the QP's lock.
 *
 * Return: 0 or the crypto driver's errno.
 */
int srnic_sth_prove(struct srnic_sth *sth, enum srnic_sth_flow flow, const struct srnic_pkt *pkt,
		    unsigned int *input_len)
{
	u64 len = pkt->opc->atomic ? sizeof(u64) : pkt->dmalen;
	int err;

	err = srnic_mkey_prove(pkt->mkey, pkt->va, len, &sth->ksr[flow], sth->scratch.input,
			       *input_len, sth->scratch.input + *input_len);
	*input_len += SRNIC_STH_PROOF_LEN;
	return err;
}
