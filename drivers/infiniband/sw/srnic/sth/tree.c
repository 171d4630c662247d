// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks of a region, each with a key of its own (sRDMA 4.7; Documentation/protocol.md,
 * section 12): which one an access belongs to, and the way there.
 */
#include "export.h"
#include "sth/pure.h"

/**
 * srnic_tree_init - blocks of a region
 * @tree: result
 * @length: of the region, bytes
 * @depth: steps that may be taken from the root
 * @block_shift: log2 of the smallest block
 *
 * Return: 0, or -EINVAL: no bytes, more than 2^63, or more steps than these have.
 */
int srnic_tree_init(struct srnic_tree *tree, u64 length, u8 depth, u8 block_shift)
{
	if (!length || length > BIT_ULL(SRNIC_TREE_MAX) || depth > SRNIC_TREE_MAX ||
	    block_shift > SRNIC_TREE_MAX)
		return -EINVAL;
	tree->length = length;
	tree->depth = depth;
	tree->block_shift = block_shift;
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_tree_init);

/**
 * srnic_tree_root - the block that all others are parts of
 * @tree: of the region
 *
 * Return: log2 of the region's length, rounded up; the block begins at 0.
 */
u8 srnic_tree_root(const struct srnic_tree *tree)
{
	return tree->length > 1 ? fls64(tree->length - 1) : 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_tree_root);

/**
 * srnic_tree_is_node - whether there is such a block
 * @tree: of the region
 * @node: may be anything
 *
 * Return: true if it is the root, or can be reached from it, and has bytes of the
 * region in it.
 */
bool srnic_tree_is_node(const struct srnic_tree *tree, const struct srnic_tree_node *node)
{
	u8 root = srnic_tree_root(tree);

	if (node->shift > root || root - node->shift > tree->depth)
		return false;
	if (node->shift < root && node->shift < tree->block_shift)
		return false;
	return node->start < tree->length && !(node->start & (BIT_ULL(node->shift) - 1));
}

SRNIC_EXPORT_FOR_KUNIT(srnic_tree_is_node);

/**
 * srnic_tree_contains - whether an access lies in a block
 * @tree: of the region
 * @node: the block
 * @start: first byte, from the region's first
 * @end: one past its last
 */
bool srnic_tree_contains(const struct srnic_tree *tree, const struct srnic_tree_node *node,
			 u64 start, u64 end)
{
	return start < end && end <= tree->length && start >= node->start &&
	       end - node->start <= BIT_ULL(node->shift);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_tree_contains);

/**
 * srnic_tree_step - one step towards the smallest block that contains an access
 * @tree: of the region
 * @node: a block that contains it; where true is returned, the half that does
 * @start: first byte, from the region's first
 * @end: one past its last
 *
 * Return: false if there is none: it needs both halves, or @node is as deep or as
 * small as blocks may be.
 */
bool srnic_tree_step(const struct srnic_tree *tree, struct srnic_tree_node *node,
		     u64 start, u64 end)
{
	u64 middle;

	if (node->shift <= tree->block_shift ||
	    srnic_tree_root(tree) - node->shift >= tree->depth)
		return false;

	/* at most 2^63: no sum wraps */
	middle = node->start + BIT_ULL(node->shift - 1);
	if (start < middle && end > middle)
		return false;
	if (start >= middle)
		node->start = middle;
	node->shift--;
	return true;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_tree_step);
