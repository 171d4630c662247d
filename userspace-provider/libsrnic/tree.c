// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "tree.h"
#include <srnic/verbs.h>

#define LENGTH_MAX	((uint64_t)1 << SRNIC_TREE_MAX)

unsigned int tree_root_shift(uint64_t length)
{
	return length > 1 ? 64 - __builtin_clzll(length - 1) : 0;
}

unsigned int tree_leaf_shift(const struct srnic_ioctl_grant *tree)
{
	unsigned int root = tree_root_shift(tree->length);
	unsigned int deepest = root > tree->depth ? root - tree->depth : 0;
	unsigned int shift = tree->block_shift > deepest ? tree->block_shift : deepest;

	return shift < root ? shift : root;
}

/* The region may end with the last byte of the address space. */
static bool region_is_sound(const struct srnic_ioctl_grant *grant)
{
	return grant->length && grant->length <= LENGTH_MAX && grant->depth <= SRNIC_TREE_MAX &&
	       grant->block_shift <= SRNIC_TREE_MAX &&
	       grant->addr + (grant->length - 1) >= grant->addr;
}

bool tree_is_sound(const struct srnic_ioctl_grant *grant)
{
	uint64_t beyond;

	if (!region_is_sound(grant) || grant->node_shift > tree_root_shift(grant->length) ||
	    grant->node_shift < tree_leaf_shift(grant))
		return false;
	beyond = ((uint64_t)1 << grant->node_shift) - 1;
	return grant->start < grant->length && !(grant->start & beyond);
}

struct range tree_node(const struct srnic_ioctl_grant *grant)
{
	return (struct range){
		.start = grant->start,
		.end = grant->start + ((uint64_t)1 << grant->node_shift),
	};
}

bool tree_step(struct srnic_ioctl_grant *grant, const struct range *inner)
{
	uint64_t middle;

	if (grant->node_shift <= tree_leaf_shift(grant))
		return false;
	middle = grant->start + ((uint64_t)1 << (grant->node_shift - 1));
	if (inner->start < middle && inner->end > middle)
		return false;
	if (inner->start >= middle)
		grant->start = middle;
	grant->node_shift--;
	return true;
}

struct range tree_clip(const struct srnic_ioctl_grant *tree, struct range block)
{
	if (block.end > tree->length)
		block.end = tree->length;
	return block;
}

static bool fits(const struct srnic_ioctl_grant *grant, const struct range *range,
		 unsigned int shift)
{
	uint64_t len = (uint64_t)1 << shift;
	struct range block = { range->start, range->start + len };

	return !(range->start & (len - 1)) && tree_clip(grant, block).end <= range->end;
}

/* The last block is clipped to the region, so blocks that differ only beyond it are equal. */
struct range tree_first_block(const struct srnic_ioctl_grant *grant, const struct range *range)
{
	unsigned int shift = tree_leaf_shift(grant);

	while (shift < grant->node_shift && fits(grant, range, shift + 1))
		shift++;
	return (struct range){ range->start, range->start + ((uint64_t)1 << shift) };
}

struct range tree_round(const struct srnic_ioctl_grant *tree, const struct range *range)
{
	uint64_t beyond = ((uint64_t)1 << tree_leaf_shift(tree)) - 1;

	return tree_clip(tree, (struct range){
		.start = range->start & ~beyond,
		.end = (range->end + beyond) & ~beyond,
	});
}
