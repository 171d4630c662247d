// SPDX-License-Identifier: GPL-2.0
/*
 * proves: each step in the tree contains the access; the walk ends at the smallest such block
 * cites: sRDMA 4.7 (P10); protocol.md, section 12
 * files: sth/tree.c
 * unwind: 1
 * broken: sth/tree.c: `start < middle && end > middle` => `start < middle && end > middle + 1`
 * broken: sth/tree.c: `if (start >= middle)` => `if (start > middle)`
 * broken: sth/tree.c: `node->shift >= tree->depth` => `node->shift > tree->depth`
 * broken: sth/tree.c: `node->shift <= tree->block_shift` => `node->shift < tree->block_shift`
 */
#include "proof.h"
#include "sth/pure.h"

int main(void)
{
	u64 start = nondet_u64(), end = nondet_u64();
	struct srnic_tree_node node, half;
	struct srnic_tree tree;

	GIVEN(!srnic_tree_init(&tree, nondet_u64(), nondet_u8(), nondet_u8()));
	node.start = nondet_u64();
	node.shift = nondet_u8();
	GIVEN(srnic_tree_is_node(&tree, &node));
	GIVEN(srnic_tree_contains(&tree, &node, start, end));

	half.start = nondet_u64();
	half.shift = node.shift ? node.shift - 1 : 0;
	if (srnic_tree_step(&tree, &node, start, end)) {
		PROVE(srnic_tree_is_node(&tree, &node));
		PROVE(srnic_tree_contains(&tree, &node, start, end));
		PROVE(node.shift == half.shift && half.shift < 63);
		POSSIBLE();
		return 0;
	}
	/* No other half is a block that contains the access. */
	if (node.shift && srnic_tree_is_node(&tree, &half))
		PROVE(!srnic_tree_contains(&tree, &half, start, end));
	POSSIBLE();
	return 0;
}
