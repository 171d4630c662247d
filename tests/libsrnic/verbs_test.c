// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * libsrnic's functions on libibverbs objects, without a kernel: the calls that it makes, its
 * error messages, and grants, which are compared with vectors of the independent codec.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <openssl/evp.h>
#include <srnic/verbs.h>
#include "checks.h"
#include "uverbs.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
#define __maybe_unused	__attribute__((unused))
#include "vectors/memory.h"

#define NUM(array)	(sizeof(array) / sizeof(*(array)))
#define KEY_AT		40	/* offset in a packed grant */
#define CHECK_AT	56

static struct ibv_device device = { .name = "srnic7" };
static struct ibv_context context = { .device = &device, .cmd_fd = UVERBS_FD };
static struct ibv_pd pd = { .context = &context, .handle = 11 };
static struct ibv_qp qp = { .context = &context, .handle = 12 };
static struct ibv_mr mr = { .context = &context, .handle = 13 };

static const uint8_t key[32] = "32 bytes that nobody should know";

static bool called(uint16_t object, uint16_t method, unsigned int num_attrs)
{
	return uverbs.calls == 1 && !uverbs.malformed && uverbs.object == object &&
	       uverbs.method == method && uverbs.num_attrs == num_attrs;
}

static void test_key_pd(void)
{
	uverbs_reset();
	check(!srnic_key_pd(&pd, key, sizeof(key)) &&
	      called(UVERBS_OBJECT_PD, SRNIC_METHOD_PD_SET_KEY, 2) &&
	      uverbs_handle_is(SRNIC_ATTR_PD_SET_KEY_HANDLE, pd.handle) &&
	      uverbs_attr_is(SRNIC_ATTR_PD_SET_KEY_KEY, key, 32), "a domain's key");
	check(uverbs_attr(SRNIC_ATTR_PD_SET_KEY_KEY)->word == (uintptr_t)key,
	      "is read where the caller has it");
	uverbs_reset();
	check(!srnic_key_pd(&pd, NULL, 0) &&
	      called(UVERBS_OBJECT_PD, SRNIC_METHOD_PD_SET_KEY, 1) &&
	      !uverbs_attr(SRNIC_ATTR_PD_SET_KEY_KEY), "one that the kernel draws");

	uverbs_reset();
	check(failed(srnic_key_pd(&pd, key, 15), EINVAL,
		     "key has 15 bytes: it must have 16 to 32") &&
	      failed(srnic_key_pd(&pd, key, 33), EINVAL, "33 bytes") &&
	      failed(srnic_key_pd(&pd, key, 0), EINVAL, "0 bytes") &&
	      failed(srnic_key_pd(&pd, NULL, 16), EINVAL,
		     "key is NULL, but its length is 16") && !uverbs.calls,
	      "keys that do not fit are not sent");
	uverbs.err = EEXIST;
	check(failed(srnic_key_pd(&pd, key, 16), EEXIST, "the domain has a key"), "a second key");
}

static void test_seal_qp(void)
{
	struct srnic_ioctl_seal request = { .suite = "aes-gcm-128", .mode = SRNIC_MODE_AEAD };

	uverbs_reset();
	check(!srnic_seal_qp(&qp, SRNIC_MODE_AEAD, "aes-gcm-128", key, 24) &&
	      called(UVERBS_OBJECT_QP, SRNIC_METHOD_QP_SEAL, 3) &&
	      uverbs_handle_is(SRNIC_ATTR_QP_SEAL_HANDLE, qp.handle) &&
	      uverbs_attr_is(SRNIC_ATTR_QP_SEAL_REQUEST, &request, sizeof(request)) &&
	      uverbs_attr_is(SRNIC_ATTR_QP_SEAL_KEY, key, 24), "a queue pair's seal and key");
	uverbs_reset();
	check(!srnic_seal_qp(&qp, SRNIC_MODE_AEAD, "aes-gcm-128", NULL, 0) &&
	      called(UVERBS_OBJECT_QP, SRNIC_METHOD_QP_SEAL, 2) &&
	      uverbs_attr_is(SRNIC_ATTR_QP_SEAL_REQUEST, &request, sizeof(request)),
	      "a seal by the domain's key");

	uverbs_reset();
	check(failed(srnic_seal_qp(&qp, 5, "aes-gcm-128", key, 16), EINVAL, "unknown mode 5") &&
	      failed(srnic_seal_qp(&qp, SRNIC_MODE_OFF, "aes-gcm-128", key, 16), EINVAL,
		     "unknown mode 0") &&
	      failed(srnic_seal_qp(&qp, SRNIC_MODE_AEAD, NULL, key, 16), EINVAL,
		     "name '' is invalid") &&
	      failed(srnic_seal_qp(&qp, SRNIC_MODE_AEAD, "", key, 16), EINVAL,
		     "name '' is invalid") &&
	      failed(srnic_seal_qp(&qp, SRNIC_MODE_AEAD, "12345678901234567890123456789012", key,
				   16), EINVAL, "is invalid: use 1 to 31") &&
	      failed(srnic_seal_qp(&qp, SRNIC_MODE_AEAD, "aes-gcm-128", key, 33), EINVAL,
		     "key has 33 bytes") &&
	      failed(srnic_seal_qp(&qp, SRNIC_MODE_AEAD, "aes-gcm-128", NULL, 16), EINVAL,
		     "key is NULL, but") && !uverbs.calls, "seals that do not fit are not sent");
	uverbs.err = EINVAL;
	check(failed(srnic_seal_qp(&qp, SRNIC_MODE_AEAD, "rot13", key, 16), EINVAL,
		     "no such suite ('srnic suite'), or the queue pair is in RTR"),
	      "a suite that there is not, or that comes too late");
	uverbs.err = EOPNOTSUPP;
	check(failed(srnic_seal_qp(&qp, SRNIC_MODE_AEAD, "aes-cmac-128", key, 16), EOPNOTSUPP,
		     "the suite lacks the mode"), "a suite that has not the mode");
}

static void test_protect_mr(void)
{
	static const struct srnic_ioctl_tree whole, blocks = { .depth = 4, .block_shift = 20 };
	struct srnic_tree tree = { .depth = 4, .block = 1 << 20 };

	uverbs_reset();
	check(!srnic_protect_mr(&mr, &tree, key) &&
	      called(UVERBS_OBJECT_MR, SRNIC_METHOD_MR_PROTECT, 3) &&
	      uverbs_handle_is(SRNIC_ATTR_MR_PROTECT_HANDLE, mr.handle) &&
	      uverbs_attr_is(SRNIC_ATTR_MR_PROTECT_TREE, &blocks, sizeof(blocks)) &&
	      uverbs_attr_is(SRNIC_ATTR_MR_PROTECT_KEY, key, 16), "a region's tree and key");
	uverbs_reset();
	check(!srnic_protect_mr(&mr, NULL, NULL) &&
	      called(UVERBS_OBJECT_MR, SRNIC_METHOD_MR_PROTECT, 2) &&
	      uverbs_attr_is(SRNIC_ATTR_MR_PROTECT_TREE, &whole, sizeof(whole)),
	      "a region as a whole, by a derived key");

	uverbs_reset();
	tree = (struct srnic_tree){ .depth = 64 };
	check(failed(srnic_protect_mr(&mr, &tree, NULL), EINVAL, "tree depth 64"),
	      "a tree that is too deep");
	tree = (struct srnic_tree){ .depth = 1, .block = 4097 };
	check(failed(srnic_protect_mr(&mr, &tree, NULL), EINVAL, "block size 4097") &&
	      !uverbs.calls, "blocks that are none");
	tree = (struct srnic_tree){ .depth = 63, .block = 1ULL << 63 };
	check(!srnic_protect_mr(&mr, &tree, NULL), "the deepest, of the largest blocks");
	uverbs.err = EEXIST;
	check(failed(srnic_protect_mr(&mr, NULL, NULL), EEXIST, "the region is already protected"),
	      "a second protection");
	uverbs.err = EBUSY;
	check(failed(srnic_protect_mr(&mr, NULL, NULL), EBUSY, "windows are bound"),
	      "a region with windows");
	uverbs.err = EOPNOTSUPP;
	check(failed(srnic_protect_mr(&mr, NULL, NULL), EOPNOTSUPP, "AES-CMAC"),
	      "a kernel that cannot");
}

static void test_bind_mr(void)
{
	uverbs_reset();
	check(!srnic_bind_mr(&mr, &qp) && called(UVERBS_OBJECT_MR, SRNIC_METHOD_MR_BIND, 2) &&
	      uverbs_handle_is(SRNIC_ATTR_MR_BIND_HANDLE, mr.handle) &&
	      uverbs_handle_is(SRNIC_ATTR_MR_BIND_QP, qp.handle), "a region of one queue pair");
	uverbs.err = EEXIST;
	check(failed(srnic_bind_mr(&mr, &qp), EEXIST, "register another"), "a second queue pair");
	uverbs.err = EBUSY;
	check(failed(srnic_bind_mr(&mr, &qp), EBUSY, "unbind them"), "a region with windows");
	uverbs.err = EINVAL;
	check(failed(srnic_bind_mr(&mr, &qp), EINVAL, "one protection domain"), "two domains");
}

static const struct srnic_ioctl_grant granted = {
	.addr = 0x7f0000001000, .length = 100000, .rkey = 0x00010203, .right = SRNIC_RIGHT_WRITE,
	.depth = 3, .block_shift = 12, .node_shift = 17, .key = "sixteen of bytes",
};

static void test_grant_mr(void)
{
	uint32_t right = SRNIC_RIGHT_WRITE;
	struct srnic_grant *grant;

	uverbs_reset();
	uverbs.grant = granted;
	check(!srnic_grant_mr(&mr, SRNIC_RIGHT_WRITE, &grant) &&
	      called(UVERBS_OBJECT_MR, SRNIC_METHOD_MR_GRANT, 3) &&
	      uverbs_handle_is(SRNIC_ATTR_MR_GRANT_HANDLE, mr.handle) &&
	      uverbs_attr_is(SRNIC_ATTR_MR_GRANT_RIGHT, &right, sizeof(right)),
	      "a grant of a region");
	check(srnic_grant_addr(grant) == granted.addr && srnic_grant_len(grant) == 100000 &&
	      srnic_grant_rkey(grant) == granted.rkey &&
	      srnic_grant_right(grant) == SRNIC_RIGHT_WRITE, "and what it is for");
	srnic_grant_free(grant);
	srnic_grant_free(NULL);

	check(failed(srnic_grant_mr(&mr, 0, &grant), EINVAL, "unknown right 0") && !grant &&
	      failed(srnic_grant_mr(&mr, 4, &grant), EINVAL, "unknown right 4") && !grant &&
	      uverbs.calls == 1, "rights that there are not are not asked for");
	uverbs.err = ENOKEY;
	check(failed(srnic_grant_mr(&mr, SRNIC_RIGHT_READ, &grant), ENOKEY, "srnic_protect_mr()") &&
	      !grant, "a region that is not protected");
	uverbs.err = 0;
	check(failed(srnic_grant_mr(&mr, SRNIC_RIGHT_READ, &grant), EPROTO, "is malformed") &&
	      !grant, "a grant of another right");
	uverbs.grant.node_shift = 99;
	check(failed(srnic_grant_mr(&mr, SRNIC_RIGHT_WRITE, &grant), EPROTO, "is malformed") &&
	      !grant, "a grant of no block");
}

static void test_use_grant(void)
{
	uint32_t rkey = granted.rkey;
	struct srnic_grant *grant;

	uverbs_reset();
	uverbs.grant = granted;
	must_work(srnic_grant_mr(&mr, SRNIC_RIGHT_WRITE, &grant));
	uverbs_reset();
	check(!srnic_use_grant(&qp, grant) &&
	      called(UVERBS_OBJECT_QP, SRNIC_METHOD_QP_USE_GRANT, 2) &&
	      uverbs_handle_is(SRNIC_ATTR_QP_USE_GRANT_HANDLE, qp.handle) &&
	      uverbs_attr_is(SRNIC_ATTR_QP_USE_GRANT_GRANT, &granted, sizeof(granted)),
	      "a grant is used as it was given");
	uverbs.err = ENOSPC;
	check(failed(srnic_use_grant(&qp, grant), ENOSPC, "srnic_drop_grants()"),
	      "more than a queue pair uses");
	uverbs.err = EOPNOTSUPP;
	check(failed(srnic_use_grant(&qp, grant), EOPNOTSUPP, "only RC and UC"),
	      "by a queue pair that cannot");
	srnic_grant_free(grant);

	uverbs_reset();
	check(!srnic_drop_grants(&qp, rkey) &&
	      called(UVERBS_OBJECT_QP, SRNIC_METHOD_QP_DROP_GRANTS, 2) &&
	      uverbs_handle_is(SRNIC_ATTR_QP_DROP_GRANTS_HANDLE, qp.handle) &&
	      uverbs_attr_is(SRNIC_ATTR_QP_DROP_GRANTS_RKEY, &rkey, sizeof(rkey)),
	      "grants are dropped");
	uverbs.err = ENOENT;
	check(failed(srnic_drop_grants(&qp, rkey), ENOENT, "uses no grant"), "where there is none");
}

/* Errors common to all methods */
static void test_no_method(void)
{
	uverbs_reset();
	uverbs.foreign = true;
	check(failed(srnic_key_pd(&pd, key, 16), EINVAL, "srnic7 is not an srnic device"),
	      "a device of another driver");
	uverbs_reset();
	uverbs.err = EINVAL;
	check(failed(srnic_key_pd(&pd, key, 16), EINVAL, "refuses this as a domain's key"),
	      "is told from what the driver does not take");
	uverbs_reset();
	uverbs.old = true;
	check(failed(srnic_protect_mr(&mr, NULL, NULL), EPROTONOSUPPORT, "too old"),
	      "a driver of another time");
	uverbs_reset();
	uverbs.err = ENOENT;
	check(failed(srnic_key_pd(&pd, key, 16), ENOENT, "no such object"), "a handle of nothing");
	uverbs.err = EIO;
	check(failed(srnic_drop_grants(&qp, 1), EIO, "the device is gone"),
	      "a device that is gone");
	uverbs.err = EPERM;
	check(failed(srnic_key_pd(&pd, key, 16), EPERM, "Operation not permitted"),
	      "an error of which nobody thought");
	context.cmd_fd = -1;
	check(failed(srnic_key_pd(&pd, key, 16), ENOTTY, "uverbs' ioctl"),
	      "a kernel of another time");
	context.cmd_fd = UVERBS_FD;
}

static const uint8_t *key_of(const struct srnic_grant *grant)
{
	static uint8_t packed[SRNIC_GRANT_LEN];

	must_work(srnic_grant_pack(grant, packed));
	return packed + KEY_AT;
}

static struct srnic_grant *grant_of(const struct memory_region_vector *region, u8 right)
{
	struct srnic_tree tree = { region->depth, 1ULL << region->block_shift };
	struct srnic_grant *grant;

	must_work(srnic_grant_derive(memory_k_pd, sizeof(memory_k_pd), region->addr, region->length,
				     region->rkey, &tree, right, &grant));
	return grant;
}

/* Return the length of a node, clipped to the region */
static u64 node_len(const struct memory_region_vector *region, u64 start, unsigned int shift)
{
	u64 len = 1ULL << shift;

	return len < region->length - start ? len : region->length - start;
}

static void test_vectors(void)
{
	bool whole = true, roots = true, nodes = true, steps = true;
	const struct memory_region_vector *region;
	const struct memory_access_vector *row;
	struct srnic_grant *grant, *part;
	unsigned int i;

	for (i = 0; i < NUM(memory_access_vectors); i++) {
		row = &memory_access_vectors[i];
		region = &memory_region_vectors[row->region];
		grant = grant_of(region, row->right);
		whole &= srnic_grant_addr(grant) == region->addr &&
			 srnic_grant_len(grant) == region->length;
		roots &= !memcmp(key_of(grant), row->root, 16);
		must_work(srnic_grant_narrow(grant, region->addr + row->node_start,
					     node_len(region, row->node_start,
						      row->node_shift), &part));
		nodes &= !memcmp(key_of(part), row->node, 16);
		steps &= srnic_grant_addr(part) == region->addr + row->node_start &&
			 srnic_grant_len(part) ==
				 node_len(region, row->node_start, row->node_shift);
		srnic_grant_free(part);
		srnic_grant_free(grant);
	}
	check(whole, "grants of whole regions are for the regions");
	check(roots, "and have the codec's keys");
	check(steps, "parts are for the codec's blocks");
	check(nodes, "and have the codec's keys, too");
}

/* Narrowing in several steps or in one yields the same key */
static void test_chain(void)
{
	struct srnic_grant *grant = grant_of(&memory_region_vectors[0], SRNIC_RIGHT_READ);
	struct srnic_grant *first, *second, *at_once;
	u64 addr = memory_region_vectors[0].addr + (5 << 20);

	must_work(srnic_grant_narrow(grant, addr - (1 << 20), 4 << 20, &first));
	must_work(srnic_grant_narrow(first, addr, 1 << 20, &second));
	must_work(srnic_grant_narrow(grant, addr, 1 << 20, &at_once));
	check(!memcmp(key_of(second), key_of(at_once), 16) && srnic_grant_addr(second) == addr &&
	      srnic_grant_len(second) == 1 << 20 &&
	      srnic_grant_right(second) == SRNIC_RIGHT_READ, "a part of a part");
	srnic_grant_free(at_once);
	check(failed(srnic_grant_narrow(first, addr + (4 << 20), 1 << 20, &at_once), ERANGE,
		     "the grant is for 0x400000 at 0x7f0000400000 only") && !at_once,
	      "gives nothing beside it");
	srnic_grant_free(second);
	srnic_grant_free(first);
	srnic_grant_free(grant);
}

static void test_derive_refusals(void)
{
	struct srnic_tree deep = { .depth = 64 }, odd = { .block = 3 };
	struct srnic_grant *grant;
	u64 most = 1ULL << 63;

	check(failed(srnic_grant_derive(key, 15, 0, 1, 1, NULL, 1, &grant), EINVAL,
		     "key has 15 bytes") && !grant &&
	      failed(srnic_grant_derive(key, 33, 0, 1, 1, NULL, 1, &grant), EINVAL,
		     "key has 33 bytes") && !grant &&
	      failed(srnic_grant_derive(NULL, 16, 0, 1, 1, NULL, 1, &grant), EINVAL,
		     "key has 0 bytes") && !grant, "derived from no key");
	check(failed(srnic_grant_derive(key, 16, 0, 1, 1, &deep, 1, &grant), EINVAL, "depth 64") &&
	      failed(srnic_grant_derive(key, 16, 0, 1, 1, &odd, 1, &grant), EINVAL,
		     "block size 3") &&
	      failed(srnic_grant_derive(key, 16, 0, 1, 1, NULL, 9, &grant), EINVAL,
		     "unknown right 9") &&
	      !grant, "by no tree, for no right");
	check(failed(srnic_grant_derive(key, 16, 0, 0, 1, NULL, 1, &grant), EINVAL,
		     "cannot have 0 bytes") &&
	      failed(srnic_grant_derive(key, 16, 0, most + 1, 1, NULL, 1, &grant), EINVAL,
		     "a region cannot have") &&
	      failed(srnic_grant_derive(key, 16, -4095, 4096, 1, NULL, 1, &grant), EINVAL,
		     "at 0xfffffffffffff001") && !grant, "of no region");
	check(!srnic_grant_derive(key, 16, most, most, 1, NULL, 1, &grant),
	      "of one as large as can be, at the end of all addresses");
	srnic_grant_free(grant);
}

static void test_narrow_refusals(void)
{
	const struct memory_region_vector *region = &memory_region_vectors[3];
	struct srnic_grant *grant = grant_of(region, SRNIC_RIGHT_WRITE), *part;

	/* 100000 bytes: depth 3 limits blocks to 16 KiB, more than the tree's 4096 */
	check(failed(srnic_grant_narrow(grant, 4096, 4096, &part), EINVAL,
		     "at 0x1000 are not a block: the smallest around them has 0x4000 at 0") &&
	      strstr(srnic_error(), "give several grants, by srnic_grant_cover()") &&
	      !part, "below the depth");
	check(failed(srnic_grant_narrow(grant, 0x4000, 0x8000, &part), EINVAL,
		     "the smallest around them has 0x10000 at 0") && !part, "over the middle");
	check(failed(srnic_grant_narrow(grant, 0x10000, 0x8001, &part), EINVAL,
		     "has 0x86a0 at 0x10000") && !part, "one byte too many");
	check(failed(srnic_grant_narrow(grant, 0, 100001, &part), ERANGE, "is for 0x186a0 at 0") &&
	      failed(srnic_grant_narrow(grant, 100000, 1, &part), ERANGE, "only") &&
	      failed(srnic_grant_narrow(grant, -1, 1, &part), ERANGE, "only") &&
	      failed(srnic_grant_narrow(grant, 99999, -1, &part), ERANGE, "only") && !part,
	      "beyond the region");
	check(failed(srnic_grant_narrow(grant, 0, 0, &part), EINVAL,
		     "the range is empty") && !part,
	      "nothing");
	check(!srnic_grant_narrow(grant, 0x18000, 100000 - 0x18000, &part) &&
	      srnic_grant_len(part) == 100000 - 0x18000, "the last block, up to the region's end");
	srnic_grant_free(part);
	srnic_grant_free(grant);

	grant = grant_of(&memory_region_vectors[1], SRNIC_RIGHT_WRITE);
	check(!srnic_grant_narrow(grant, 0x7f0000001003, 4096, &part) &&
	      !memcmp(key_of(part), key_of(grant), 16), "the whole, where there are no parts");
	srnic_grant_free(part);
	check(failed(srnic_grant_narrow(grant, 0x7f0000001003, 8, &part), EINVAL,
		     "the smallest around them has 0x1000 at 0x7f0000001003"), "and no part of it");
	srnic_grant_free(grant);
}

/* All blocks of a tree, found by exhaustive search */
struct blocks {
	const struct memory_region_vector *region;
	unsigned int root;
};

static bool is_block(const struct blocks *blocks, u64 start, unsigned int shift)
{
	const struct memory_region_vector *region = blocks->region;

	return shift <= blocks->root && start < region->length && !(start % (1ULL << shift)) &&
	       blocks->root - shift <= region->depth &&
	       (shift >= region->block_shift || shift == blocks->root);
}

/* Count the blocks in [from, to) that are not part of a larger block in it */
static unsigned int largest_inside(const struct blocks *blocks, u64 from, u64 to, u64 *bytes)
{
	unsigned int shift, count = 0;
	u64 start, len, up;

	*bytes = 0;
	for (shift = 0; shift <= blocks->root; shift++) {
		for (start = from; start < to; start++) {
			len = node_len(blocks->region, start, shift);
			if (!is_block(blocks, start, shift) || start + len > to)
				continue;
			up = start & ~(1ULL << shift);
			if (is_block(blocks, up, shift + 1) && up >= from &&
			    up + node_len(blocks->region, up, shift + 1) <= to)
				continue;
			count++;
			*bytes += len;
		}
	}
	return count;
}

/* Test whether srnic_grant_cover() yields that many consecutive blocks */
static bool covers(const struct srnic_grant *grant, u64 from, u64 to, unsigned int count)
{
	u64 addr = from, len = to - from, at = from;
	struct srnic_grant *part, *again;
	bool fine = true;

	while (len) {
		if (srnic_grant_cover(grant, &addr, &len, &part))
			return false;
		fine &= srnic_grant_addr(part) == at && addr == at + srnic_grant_len(part) &&
			!srnic_grant_narrow(grant, at, srnic_grant_len(part), &again);
		fine &= again && !memcmp(key_of(part), key_of(again), 16);
		at = addr;
		count--;
		srnic_grant_free(again);
		srnic_grant_free(part);
	}
	return fine && !count && at == to;
}

static bool cover_refused(const struct srnic_grant *grant, u64 from, u64 to)
{
	struct srnic_grant *part = (void *)&part;
	u64 addr = from, len = to - from;

	return failed(srnic_grant_cover(grant, &addr, &len, &part), EINVAL,
		      "do not begin and end with blocks") && !part && addr == from &&
	       len == to - from;
}

static void test_cover(void)
{
	static const struct { u8 length, depth, block_shift; } trees[] = {
		{ 32, 5, 0 }, { 32, 3, 0 }, { 32, 63, 2 }, { 32, 0, 0 }, { 32, 9, 9 }, { 21, 9, 0 },
		{ 25, 2, 0 }, { 33, 9, 1 }, { 1, 0, 0 },
	};
	struct memory_region_vector region = {};
	struct blocks blocks = { .region = &region };
	unsigned int i, count, ranges = 0, refused = 0;
	struct srnic_grant *grant;
	u64 from, to, bytes;
	char name[64];
	bool fine;

	for (i = 0; i < NUM(trees); i++) {
		region.length = trees[i].length;
		region.depth = trees[i].depth;
		region.block_shift = trees[i].block_shift;
		for (blocks.root = 0; 1u << blocks.root < region.length;)
			blocks.root++;
		grant = grant_of(&region, SRNIC_RIGHT_READ);
		fine = true;
		for (from = 0; from < region.length; from++) {
			for (to = from + 1; to <= region.length; to++) {
				count = largest_inside(&blocks, from, to, &bytes);
				if (bytes == to - from) {
					fine &= covers(grant, from, to, count);
					ranges++;
				} else {
					fine &= cover_refused(grant, from, to);
					refused++;
				}
			}
		}
		snprintf(name, sizeof(name), "every range of %u bytes, depth %u, blocks of %u",
			 trees[i].length, trees[i].depth, 1 << trees[i].block_shift);
		check(fine, name);
		srnic_grant_free(grant);
	}
	check(ranges > 900 && refused > 2000, "of which many are, and many are not, of blocks");
}

static void test_cover_in_part(void)
{
	struct srnic_grant *grant = grant_of(&memory_region_vectors[3], SRNIC_RIGHT_WRITE);
	struct srnic_grant *half, *part;
	u64 addr = 0x14000, len = 100000 - 0x14000;

	must_work(srnic_grant_narrow(grant, 0x10000, 100000 - 0x10000, &half));
	check(!srnic_grant_cover(half, &addr, &len, &part) && addr == 0x18000 &&
	      srnic_grant_len(part) == 0x4000, "a part's part");
	srnic_grant_free(part);
	check(!srnic_grant_cover(half, &addr, &len, &part) && !len && addr == 100000 &&
	      srnic_grant_addr(part) == 0x18000, "and its last");
	srnic_grant_free(part);
	addr = 0xc000;
	len = 0x8000;
	check(failed(srnic_grant_cover(half, &addr, &len, &part), ERANGE,
		     "is for 0x86a0 at 0x10000") &&
	      !part, "beyond the part");
	addr = 0x12345;
	len = 1;
	check(failed(srnic_grant_cover(half, &addr, &len, &part), EINVAL,
		     "0x1 bytes at 0x12345 do not begin and end with blocks: 0x4000 at 0x10000 do"),
	      "what would do is told");
	len = 0;
	check(failed(srnic_grant_cover(half, &addr, &len, &part), EINVAL,
		     "the range is empty"), "nothing");
	srnic_grant_free(half);
	srnic_grant_free(grant);
}

/* The manual's example, written by hand; the check is the AES-CMAC of the bytes before it */
static const uint8_t packed_bytes[SRNIC_GRANT_LEN] = {
	's', 'r', 'n', 'G', 1, 2, 3, 12,			/* write, depth 3, 4096 bytes */
	0x00, 0x00, 0x7f, 0x00, 0x00, 0x00, 0x10, 0x00,		/* addr */
	0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x86, 0xa0,		/* length: 100000 */
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,		/* start */
	0x00, 0x01, 0x02, 0x03, 17, 0, 0, 0,			/* rkey, 128 KiB */
	's', 'i', 'x', 't', 'e', 'e', 'n', ' ', 'o', 'f', ' ', 'b', 'y', 't', 'e', 's',
};

static void set_check(uint8_t packed[SRNIC_GRANT_LEN])
{
	uint8_t mac[16];
	size_t len;

	if (!EVP_Q_mac(NULL, "CMAC", NULL, "AES-128-CBC", NULL, packed + KEY_AT, 16, packed,
		       CHECK_AT, mac, sizeof(mac), &len))
		abort();
	memcpy(packed + CHECK_AT, mac, SRNIC_GRANT_LEN - CHECK_AT);
}

static void test_pack(void)
{
	uint8_t want[SRNIC_GRANT_LEN], packed[SRNIC_GRANT_LEN + 1];
	struct srnic_grant *grant;

	memcpy(want, packed_bytes, sizeof(want));
	set_check(want);
	uverbs_reset();
	uverbs.grant = granted;
	must_work(srnic_grant_mr(&mr, SRNIC_RIGHT_WRITE, &grant));
	check(!srnic_grant_pack(grant, packed + 1) && !memcmp(packed + 1, want, sizeof(want)),
	      "a packed grant, byte by byte");
	srnic_grant_free(grant);

	check(!srnic_grant_unpack(packed + 1, SRNIC_GRANT_LEN, &grant), "is unpacked");
	uverbs_reset();
	check(!srnic_use_grant(&qp, grant) &&
	      uverbs_attr_is(SRNIC_ATTR_QP_USE_GRANT_GRANT, &granted, sizeof(granted)),
	      "and is what it was");
	srnic_grant_free(grant);
}

/* Change one byte, fix the check, and unpack; @says: the expected error, NULL: none */
static bool unpacks_with(unsigned int at, uint8_t byte, int err, const char *says)
{
	uint8_t packed[SRNIC_GRANT_LEN];
	struct srnic_grant *grant;
	int got;

	memcpy(packed, packed_bytes, sizeof(packed));
	packed[at] = byte;
	set_check(packed);
	got = srnic_grant_unpack(packed, sizeof(packed), &grant);
	srnic_grant_free(grant);
	return says ? failed(got, err, says) && !grant : !got && grant;
}

static void test_unpack_refusals(void)
{
	static const char none[] = "names a block that no region can have";
	uint8_t packed[SRNIC_GRANT_LEN + 1] = {};
	struct srnic_grant *grant;
	unsigned int i;
	bool fine = true;

	memcpy(packed, packed_bytes, sizeof(packed_bytes));
	set_check(packed);
	for (i = 0; i <= sizeof(packed); i++)
		if (i != SRNIC_GRANT_LEN)
			fine &= failed(srnic_grant_unpack(packed, i, &grant), EINVAL,
				       "bytes: it must have 64") && !grant;
	check(fine, "of another length");
	for (i = 0; i < 8 * SRNIC_GRANT_LEN; i++) {
		packed[i / 8] ^= 1 << i % 8;
		fine &= srnic_grant_unpack(packed, SRNIC_GRANT_LEN, &grant) < 0 && !grant;
		packed[i / 8] ^= 1 << i % 8;
	}
	check(fine && !srnic_grant_unpack(packed, SRNIC_GRANT_LEN, &grant), "no bit may change");
	srnic_grant_free(grant);

	check(unpacks_with(0, 'S', EINVAL, "not a packed grant"), "no magic");
	check(unpacks_with(4, 2, EPROTONOSUPPORT, "grant has version 2"), "a later version");
	check(unpacks_with(5, 0, EINVAL, "unknown right 0") &&
	      unpacks_with(5, 4, EINVAL, "unknown right 4") && unpacks_with(5, 3, 0, NULL), "rights");
	check(unpacks_with(6, 64, EINVAL, none) && unpacks_with(6, 63, 0, NULL), "depths");
	check(unpacks_with(7, 64, EINVAL, none) && unpacks_with(7, 63, 0, NULL), "block sizes");
	check(unpacks_with(8, 0xff, 0, NULL) && unpacks_with(16, 0xff, EINVAL, none), "lengths");
	check(unpacks_with(31, 1, EINVAL, none) && unpacks_with(29, 2, EINVAL, none), "starts");
	check(unpacks_with(36, 18, EINVAL, none) && unpacks_with(36, 13, EINVAL, none) &&
	      unpacks_with(36, 255, EINVAL, none) && unpacks_with(36, 14, 0, NULL), "nodes");
	check(unpacks_with(37, 1, EINVAL, none) && unpacks_with(39, 1, EINVAL, none),
	      "what is zero");
}

/* Random bytes are either rejected or yield a consistent grant */
static void test_any_bytes(void)
{
	unsigned int round, i, taken = 0, rounds = 20000;
	uint8_t packed[SRNIC_GRANT_LEN], again[SRNIC_GRANT_LEN];
	struct srnic_grant *grant, *part;
	bool fine = true;
	u64 addr, len;

	if (getenv("SRNIC_TEST_ROUNDS"))
		rounds = atoi(getenv("SRNIC_TEST_ROUNDS"));
	srandom(1);
	for (round = 0; round < rounds; round++) {
		memcpy(packed, packed_bytes, sizeof(packed));
		for (i = random() % 8; i--;)
			packed[5 + random() % 35] = random() % 3 ? random() % 70 : random();
		set_check(packed);
		if (srnic_grant_unpack(packed, sizeof(packed), &grant)) {
			fine &= !grant;
			continue;
		}
		taken++;
		fine &= !srnic_grant_pack(grant, again) && !memcmp(packed, again, sizeof(packed));
		addr = srnic_grant_addr(grant);
		len = srnic_grant_len(grant);
		fine &= len && !srnic_grant_cover(grant, &addr, &len, &part) && !len;
		srnic_grant_free(part);
		len = random() % srnic_grant_len(grant);
		addr = srnic_grant_addr(grant) + random() % srnic_grant_len(grant);
		if (!srnic_grant_narrow(grant, addr, len, &part))
			fine &= srnic_grant_addr(part) == addr && srnic_grant_len(part) == len;
		srnic_grant_free(part);
		srnic_grant_free(grant);
	}
	check(fine && taken > rounds / 10 && taken < rounds,
	      "whatever comes is refused, or behaves");
}

struct errand {
	struct srnic_grant *part;
	int err;
};

static void *narrow(void *arg)
{
	struct errand *errand = arg;
	struct srnic_tree tree = { .depth = 4 };
	struct srnic_grant *grant, *none;

	errand->err = srnic_grant_derive(memory_k_pd, sizeof(memory_k_pd),
					 memory_region_vectors[0].addr,
					 memory_region_vectors[0].length,
					 memory_region_vectors[0].rkey, &tree, SRNIC_RIGHT_READ,
					 &grant);
	if (!errand->err)
		errand->err = srnic_grant_narrow(grant, memory_region_vectors[0].addr, 1 << 20,
						 &errand->part);
	/* the last call leaves key material on the stack that nothing later overwrites */
	if (!errand->err && !srnic_grant_narrow(grant, memory_region_vectors[0].addr, 1, &none))
		errand->err = -EEXIST;
	srnic_grant_free(grant);
	return NULL;
}

/* Test whether memory that may be freed or uninitialized contains these bytes */
static bool memory_holds(const void *where, size_t len, const void *bytes, size_t count)
{
	int fd = open("/proc/self/mem", O_RDONLY);
	char *copy = malloc(len);
	bool found;

	if (fd < 0 || !copy || pread(fd, copy, len, (uintptr_t)where) != (ssize_t)len)
		abort();
	found = memmem(copy, len, bytes, count);
	free(copy);
	close(fd);
	return found;
}

/* Use a thread whose stack can be searched afterwards */
static void test_wiped(void)
{
	const struct memory_access_vector *whole = &memory_access_vectors[0];
	struct errand errand = {};
	size_t size = 256 * 1024;
	void *stack = aligned_alloc(4096, size);
	uint8_t made[16];
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, stack, size);
	must_work(pthread_create(&thread, &attr, narrow, &errand));
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	must_work(errand.err);
	memcpy(made, key_of(errand.part), sizeof(made));
	check(whole->right == SRNIC_RIGHT_READ && !whole->region &&
	      !memory_holds(stack, size, memory_k_m, 16) &&
	      !memory_holds(stack, size, whole->k_mr, 16) &&
	      !memory_holds(stack, size, whole->root, 16) &&
	      !memory_holds(stack, size, made, 16), "no key stays on the stack");
	free(stack);

	check(memory_holds(errand.part, SRNIC_GRANT_LEN, made, 8), "a grant has its key");
	srnic_grant_free(errand.part);
	check(!memory_holds(errand.part, SRNIC_GRANT_LEN, made, 8), "until it is freed");
}

int main(void)
{
	puts("TAP version 13");
	test_key_pd();
	test_seal_qp();
	test_protect_mr();
	test_bind_mr();
	test_grant_mr();
	test_use_grant();
	test_no_method();
	test_vectors();
	test_chain();
	test_derive_refusals();
	test_narrow_refusals();
	test_cover();
	test_cover_in_part();
	test_pack();
	test_unpack_refusals();
	test_any_bytes();
	test_wiped();
	printf("1..%u\n", tests);
	return failures != 0;
}
