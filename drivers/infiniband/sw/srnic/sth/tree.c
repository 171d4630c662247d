// SPDX-License-Identifier: GPL-2.0
/*
 * The tree of a region's blocks, each of which has a key of its own (sRDMA 4.7;
 * Documentation/protocol.md, section 12): find the block of an access, and the
 * steps from the root to it.
 */
#include "export.h"
#include "sth/pure.h"

/**
 * srnic_tree_init() - Initialise the tree of a region
 * @tree: result
 * @length: bytes of the region
 * @depth: greatest number of steps from the root to a block
 * @block_shift: log2 of the shortest block
 *
 * Return: 0, or -EINVAL if @length is 0 or more than 2^63, or @depth or
 * @block_shift is more than SRNIC_TREE_MAX.
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
 * srnic_tree_root() - Return log2 of the length of the root block
 * @tree: tree of the region
 *
 * The root begins at offset 0; its length is that of the region, rounded up to
 * a power of two.
 */
u8 srnic_tree_root(const struct srnic_tree *tree)
{
	return tree->length > 1 ? fls64(tree->length - 1) : 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_tree_root);

/**
 * srnic_tree_is_node() - Tell whether a block exists
 * @tree: tree of the region
 * @node: any value, not validated
 *
 * Return: true if @node is the root, or can be reached from it, and contains
 * bytes of the region.
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
 * srnic_tree_contains() - Tell whether an access lies in a block
 * @tree: tree of the region
 * @node: the block
 * @start: offset of the first byte in the region
 * @end: offset past the last byte
 */
bool srnic_tree_contains(const struct srnic_tree *tree, const struct srnic_tree_node *node,
			 u64 start, u64 end)
{
	return start < end && end <= tree->length && start >= node->start &&
	       end - node->start <= BIT_ULL(node->shift);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_tree_contains);

/**
 * srnic_tree_step() - Take one step towards the smallest block that contains an
 *	access
 * @tree: tree of the region
 * @node: a block that contains the access; replaced by its half that contains
 *	the access if true is returned
 * @start: offset of the first byte in the region
 * @end: offset past the last byte
 *
 * Return: false if no smaller block contains the access: it needs both halves,
 * or @node has the greatest depth or the least length.
 */
bool srnic_tree_step(const struct srnic_tree *tree, struct srnic_tree_node *node,
		     u64 start, u64 end)
{
	u64 middle;

	if (node->shift <= tree->block_shift ||
	    srnic_tree_root(tree) - node->shift >= tree->depth)
		return false;

	/* No sum wraps: offsets are at most 2^63. */
	middle = node->start + BIT_ULL(node->shift - 1);
	if (start < middle && end > middle)
		return false;
	if (start >= middle)
		node->start = middle;
	node->shift--;
	return true;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_tree_step);
