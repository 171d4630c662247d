// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Grants: derive a block's key on the path down a region's tree (protocol.md, section 12).
 * Intermediate keys are wiped: each of them opens more than the resulting grant.
 */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "crypto.h"
#include "error.h"
#include "grant.h"
#include "tree.h"

/* Purpose of a CMAC: the first byte of its input */
enum use {
	USE_REGION,
	USE_ROOT,
	USE_CHILD,
};

int grant_new(struct srnic_grant **grant)
{
	*grant = calloc(1, sizeof(**grant));
	return *grant ? 0 : fail(ENOMEM, "out of memory");
}

void srnic_grant_free(struct srnic_grant *grant)
{
	if (!grant)
		return;
	explicit_bzero(grant, sizeof(*grant));
	free(grant);
}

int grant_check_tree(const struct srnic_tree *tree)
{
	if (!tree)
		return 0;
	if (tree->depth > SRNIC_TREE_MAX)
		return fail(EINVAL, "tree depth %u is too large: the maximum is %d", tree->depth,
			    SRNIC_TREE_MAX);
	if (tree->block & (tree->block - 1))
		return fail(EINVAL, "block size %" PRIu64 " must be a power of two",
			    tree->block);
	return 0;
}

uint8_t grant_block_shift(const struct srnic_tree *tree)
{
	return tree && tree->block ? __builtin_ctzll(tree->block) : 0;
}

int grant_check_right(enum srnic_right right)
{
	if (right < SRNIC_RIGHT_READ || right > SRNIC_RIGHT_ATOMIC)
		return fail(EINVAL, "unknown right %d: a grant is for reads, writes or atomics",
			    right);
	return 0;
}

static int region_key(struct srnic_ioctl_grant *body)
{
	struct {
		uint8_t use;
		__be64 start;
		__be64 end;
		__be32 rkey;
	} __attribute__((packed)) of = {
		.use = USE_REGION,
		.start = htobe64(body->addr),
		.end = htobe64(body->addr + body->length),
		.rkey = htobe32(body->rkey),
	};

	return crypto_cmac(body->key, body->key, &of, sizeof(of));
}

static int root_key(struct srnic_ioctl_grant *body)
{
	uint8_t of[] = { USE_ROOT, body->right };

	return crypto_cmac(body->key, body->key, of, sizeof(of));
}

/* Replace the parent's key by that of its child, which is the current node */
static int child_key(struct srnic_ioctl_grant *body)
{
	struct range node = tree_node(body);
	struct {
		uint8_t use;
		__be64 start;
		__be64 end;
	} __attribute__((packed)) of = {
		.use = USE_CHILD,
		.start = htobe64(node.start),
		.end = htobe64(node.end),
	};

	return crypto_cmac(body->key, body->key, &of, sizeof(of));
}

/* Descend to the smallest block that contains @inner */
static int go_down(struct srnic_ioctl_grant *body, const struct range *inner)
{
	int err = 0;

	while (!err && tree_step(body, inner))
		err = child_key(body);
	return err;
}

static int derive(struct srnic_ioctl_grant *body, const void *kpd, size_t len)
{
	int err;

	err = crypto_k_memory(body->key, kpd, len);
	if (!err)
		err = region_key(body);
	if (!err)
		err = root_key(body);
	return err;
}

static int check_region(const struct srnic_ioctl_grant *body)
{
	if (tree_is_sound(body))
		return 0;
	return fail(EINVAL, "a region cannot have %" PRIu64 " bytes at %#" PRIx64,
		    (uint64_t)body->length, (uint64_t)body->addr);
}

int srnic_grant_derive(const void *kpd, size_t len, uint64_t addr, uint64_t length, uint32_t rkey,
		       const struct srnic_tree *tree, enum srnic_right right,
		       struct srnic_grant **grant)
{
	struct srnic_ioctl_grant body = {
		.addr = addr,
		.length = length,
		.rkey = rkey,
		.right = right,
		.depth = tree ? tree->depth : 0,
		.block_shift = grant_block_shift(tree),
		.node_shift = tree_root_shift(length),
	};
	int err;

	*grant = NULL;
	if (!kpd || len < SRNIC_IOCTL_KEY_MIN || len > SRNIC_IOCTL_KEY_MAX)
		return fail(EINVAL, "key has %zu bytes: it must have %d to %d", kpd ? len : 0,
			    SRNIC_IOCTL_KEY_MIN, SRNIC_IOCTL_KEY_MAX);
	err = grant_check_tree(tree) ?: grant_check_right(right) ?: check_region(&body) ?:
		grant_new(grant);
	if (err)
		return err;

	(*grant)->body = body;
	err = derive(&(*grant)->body, kpd, len);
	if (err) {
		srnic_grant_free(*grant);
		*grant = NULL;
	}
	return err;
}

/* Convert an offset in the region to the address in requests */
static uint64_t as_named(const struct srnic_grant *grant, uint64_t offset)
{
	return grant->body.addr + offset;
}

/* @range: returns the bytes as offsets in the region */
static int check_inside(const struct srnic_grant *grant, uint64_t addr, uint64_t len,
			struct range *range)
{
	struct range node = tree_clip(&grant->body, tree_node(&grant->body));
	uint64_t start = addr - grant->body.addr;

	if (start < node.start || start > node.end || len > node.end - start)
		return fail(ERANGE, "%#" PRIx64 " bytes at %#" PRIx64 ": the grant is for %#" PRIx64
			    " at %#" PRIx64 " only", len, addr, srnic_grant_len(grant),
			    srnic_grant_addr(grant));
	if (!len)
		return fail(EINVAL, "the range is empty: grant at least one byte");
	*range = (struct range){ start, start + len };
	return 0;
}

/* Make a grant for the smallest block of @grant that contains @inner */
static int make_part(const struct srnic_grant *grant, const struct range *inner,
		     struct srnic_grant **part)
{
	int err;

	err = grant_new(part);
	if (err)
		return err;
	(*part)->body = grant->body;
	err = go_down(&(*part)->body, inner);
	if (err) {
		srnic_grant_free(*part);
		*part = NULL;
	}
	return err;
}

/* Descend without deriving keys, to find the block */
static struct range smallest_around(const struct srnic_ioctl_grant *body,
				    const struct range *inner)
{
	struct srnic_ioctl_grant walk = *body;
	struct range node;

	while (tree_step(&walk, inner))
		;
	node = tree_clip(&walk, tree_node(&walk));
	explicit_bzero(&walk, sizeof(walk));
	return node;
}

int srnic_grant_narrow(const struct srnic_grant *grant, uint64_t addr, uint64_t len,
		       struct srnic_grant **part)
{
	struct range inner, block;
	int err;

	*part = NULL;
	err = check_inside(grant, addr, len, &inner);
	if (err)
		return err;
	block = smallest_around(&grant->body, &inner);
	if (block.start != inner.start || block.end != inner.end)
		return fail(EINVAL, "%#" PRIx64 " bytes at %#" PRIx64
			    " are not a block: the smallest around them has %#" PRIx64
			    " at %#" PRIx64 "; for less give several grants, by srnic_grant_cover()",
			    len, addr, block.end - block.start, as_named(grant, block.start));
	return make_part(grant, &inner, part);
}

int srnic_grant_cover(const struct srnic_grant *grant, uint64_t *addr, uint64_t *len,
		      struct srnic_grant **part)
{
	struct range range, round, block;
	uint64_t made;
	int err;

	*part = NULL;
	err = check_inside(grant, *addr, *len, &range);
	if (err)
		return err;
	round = tree_round(&grant->body, &range);
	if (round.start != range.start || round.end != range.end)
		return fail(EINVAL, "%#" PRIx64 " bytes at %#" PRIx64
			    " do not begin and end with blocks: %#" PRIx64 " at %#" PRIx64 " do",
			    *len, *addr, round.end - round.start, as_named(grant, round.start));

	block = tree_clip(&grant->body, tree_first_block(&grant->body, &range));
	err = make_part(grant, &block, part);
	if (err)
		return err;
	made = block.end - block.start;
	*addr += made;
	*len -= made;
	return 0;
}

uint64_t srnic_grant_addr(const struct srnic_grant *grant)
{
	return as_named(grant, grant->body.start);
}

uint64_t srnic_grant_len(const struct srnic_grant *grant)
{
	struct range block = tree_clip(&grant->body, tree_node(&grant->body));

	return block.end - block.start;
}

uint32_t srnic_grant_rkey(const struct srnic_grant *grant)
{
	return grant->body.rkey;
}

enum srnic_right srnic_grant_right(const struct srnic_grant *grant)
{
	return grant->body.right;
}
