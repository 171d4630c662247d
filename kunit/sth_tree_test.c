// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of a region's blocks (sRDMA 4.7; protocol.md, section 12): the
 * block of an access, at every depth and every edge. Also runs in user space.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "sth/pure.h"

#define MIB	BIT_ULL(20)

static struct srnic_tree tree_of(struct kunit *test, u64 length, u8 depth, u8 block_shift)
{
	struct srnic_tree tree;

	KUNIT_ASSERT_EQ(test, srnic_tree_init(&tree, length, depth, block_shift), 0);
	return tree;
}

/* Return the number of steps from the root to the block of an access. */
static unsigned int walk(const struct srnic_tree *tree, u64 start, u64 end,
			 struct srnic_tree_node *node)
{
	unsigned int steps = 0;

	node->start = 0;
	node->shift = srnic_tree_root(tree);
	while (srnic_tree_step(tree, node, start, end))
		steps++;
	return steps;
}

static void P10_one_mib_of_sixteen_takes_four_steps(struct kunit *test)
{
	struct srnic_tree tree = tree_of(test, 16 * MIB, 63, 0);
	struct srnic_tree_node node;
	u64 i;

	for (i = 0; i < 16; i++) {
		KUNIT_EXPECT_EQ(test, walk(&tree, i * MIB, (i + 1) * MIB, &node), 4);
		KUNIT_EXPECT_EQ(test, node.start, i * MIB);
		KUNIT_EXPECT_EQ(test, node.shift, 20);
	}
}

static void P10_depth_0_is_the_root_alone(struct kunit *test)
{
	struct srnic_tree tree = tree_of(test, 16 * MIB, 0, 0);
	struct srnic_tree_node node;

	KUNIT_EXPECT_EQ(test, walk(&tree, 0, 1, &node), 0);
	KUNIT_EXPECT_EQ(test, walk(&tree, 16 * MIB - 1, 16 * MIB, &node), 0);
	KUNIT_EXPECT_EQ(test, node.shift, 24);
}

static void P10_no_block_is_deeper_than_the_limit(struct kunit *test)
{
	struct srnic_tree_node node;
	u8 depth;

	for (depth = 0; depth <= SRNIC_TREE_MAX; depth++) {
		struct srnic_tree tree = tree_of(test, BIT_ULL(63), depth, 0);

		KUNIT_EXPECT_EQ(test, walk(&tree, 0, 1, &node), depth);
		KUNIT_EXPECT_EQ(test, node.start, 0);
		KUNIT_EXPECT_EQ(test, walk(&tree, BIT_ULL(63) - 1, BIT_ULL(63), &node), depth);
		KUNIT_EXPECT_EQ(test, node.start, BIT_ULL(63) - BIT_ULL(63 - depth));
		KUNIT_EXPECT_EQ(test, node.shift, 63 - depth);
	}
}

static void P10_no_block_is_shorter_than_the_smallest(struct kunit *test)
{
	struct srnic_tree_node node;
	u8 shift;

	for (shift = 0; shift <= SRNIC_TREE_MAX; shift++) {
		struct srnic_tree tree = tree_of(test, MIB, 63, shift);

		walk(&tree, MIB - 1, MIB, &node);
		KUNIT_EXPECT_EQ(test, node.shift, min_t(u8, shift, 20));
	}
}

/* Find the smallest block by trying all blocks, from the smallest upwards. */
static struct srnic_tree_node smallest(const struct srnic_tree *tree, u64 start, u64 end)
{
	struct srnic_tree_node node;

	for (node.shift = 0; node.shift < srnic_tree_root(tree); node.shift++)
		for (node.start = 0; node.start < tree->length;
		     node.start += BIT_ULL(node.shift))
			if (srnic_tree_is_node(tree, &node) &&
			    srnic_tree_contains(tree, &node, start, end))
				return node;
	node.start = 0;
	return node;
}

static void expect_smallest(struct kunit *test, const struct srnic_tree *tree)
{
	struct srnic_tree_node node, want;
	u64 start, end;

	for (start = 0; start < tree->length; start++) {
		for (end = start + 1; end <= tree->length; end++) {
			walk(tree, start, end, &node);
			want = smallest(tree, start, end);
			KUNIT_ASSERT_EQ(test, node.start, want.start);
			KUNIT_ASSERT_EQ(test, node.shift, want.shift);
		}
	}
}

static void P10_every_access_belongs_to_the_smallest_block_around_it(struct kunit *test)
{
	static const u64 lengths[] = { 1, 2, 3, 7, 8, 9, 16, 31, 33 };
	u8 depth, shift;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		for (depth = 0; depth < 7; depth++) {
			for (shift = 0; shift < 7; shift++) {
				struct srnic_tree tree = tree_of(test, lengths[i], depth, shift);

				expect_smallest(test, &tree);
			}
		}
	}
}

static void P10_a_region_of_any_length_has_a_root_of_the_next_power_of_two(struct kunit *test)
{
	struct srnic_tree tree = tree_of(test, 1, 63, 0);

	KUNIT_EXPECT_EQ(test, srnic_tree_root(&tree), 0);
	tree = tree_of(test, MIB, 63, 0);
	KUNIT_EXPECT_EQ(test, srnic_tree_root(&tree), 20);
	tree = tree_of(test, MIB + 1, 63, 0);
	KUNIT_EXPECT_EQ(test, srnic_tree_root(&tree), 21);
	tree = tree_of(test, BIT_ULL(63), 63, 0);
	KUNIT_EXPECT_EQ(test, srnic_tree_root(&tree), 63);
}

static void P10_what_cannot_be_cut_so_is_refused(struct kunit *test)
{
	struct srnic_tree tree;

	KUNIT_EXPECT_EQ(test, srnic_tree_init(&tree, 0, 1, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, srnic_tree_init(&tree, BIT_ULL(63) + 1, 1, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, srnic_tree_init(&tree, ~0ULL, 1, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, srnic_tree_init(&tree, MIB, 64, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, srnic_tree_init(&tree, MIB, 1, 64), -EINVAL);
}

struct node_case {
	u64 start;
	u8 shift;
	bool is;
};

static void P10_blocks_that_are_none(struct kunit *test)
{
	/* a region of 3 MiB, at most two steps, blocks of at least 1 MiB */
	static const struct node_case cases[] = {
		{ 0, 22, true }, { 0, 21, true }, { 2 * MIB, 21, true }, { 2 * MIB, 20, true },
		{ 0, 20, true }, { 0, 19, false },	/* too deep */
		{ 0, 23, false }, { 0, 64, false }, { 0, 255, false },
		{ MIB, 21, false },			/* not aligned: overlaps two blocks */
		{ 3 * MIB, 20, false },			/* behind the last byte */
		{ BIT_ULL(63), 20, false }, { ~0ULL, 20, false }, { 1, 20, false },
	};
	struct srnic_tree tree = tree_of(test, 3 * MIB, 2, 20);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct srnic_tree_node node = { cases[i].start, cases[i].shift };

		KUNIT_EXPECT_EQ_MSG(test, srnic_tree_is_node(&tree, &node), cases[i].is,
				    "case %u", i);
	}
}

static void P10_a_block_contains_its_own_bytes_and_no_others(struct kunit *test)
{
	struct srnic_tree tree = tree_of(test, 3 * MIB, 63, 0);
	struct srnic_tree_node node = { 2 * MIB, 21 };

	KUNIT_EXPECT_TRUE(test, srnic_tree_contains(&tree, &node, 2 * MIB, 3 * MIB));
	KUNIT_EXPECT_TRUE(test, srnic_tree_contains(&tree, &node, 3 * MIB - 1, 3 * MIB));
	KUNIT_EXPECT_FALSE(test, srnic_tree_contains(&tree, &node, 2 * MIB - 1, 3 * MIB));
	/* The block extends past the end of the region. */
	KUNIT_EXPECT_FALSE(test, srnic_tree_contains(&tree, &node, 2 * MIB, 3 * MIB + 1));
	KUNIT_EXPECT_FALSE(test, srnic_tree_contains(&tree, &node, 2 * MIB, 2 * MIB));
	KUNIT_EXPECT_FALSE(test, srnic_tree_contains(&tree, &node, 3 * MIB, 2 * MIB));
	KUNIT_EXPECT_FALSE(test, srnic_tree_contains(&tree, &node, 2 * MIB, ~0ULL));

	node.start = 0;
	KUNIT_EXPECT_TRUE(test, srnic_tree_contains(&tree, &node, 0, 2 * MIB));
	KUNIT_EXPECT_FALSE(test, srnic_tree_contains(&tree, &node, 0, 2 * MIB + 1));
	KUNIT_EXPECT_FALSE(test, srnic_tree_contains(&tree, &node, 2 * MIB, 3 * MIB));
}

static struct kunit_case sth_tree_cases[] = {
	KUNIT_CASE(P10_one_mib_of_sixteen_takes_four_steps),
	KUNIT_CASE(P10_depth_0_is_the_root_alone),
	KUNIT_CASE(P10_no_block_is_deeper_than_the_limit),
	KUNIT_CASE(P10_no_block_is_shorter_than_the_smallest),
	KUNIT_CASE(P10_every_access_belongs_to_the_smallest_block_around_it),
	KUNIT_CASE(P10_a_region_of_any_length_has_a_root_of_the_next_power_of_two),
	KUNIT_CASE(P10_what_cannot_be_cut_so_is_refused),
	KUNIT_CASE(P10_blocks_that_are_none),
	KUNIT_CASE(P10_a_block_contains_its_own_bytes_and_no_others),
	{}
};

static struct kunit_suite sth_tree_suite = {
	.name = "srnic-sth-tree",
	.test_cases = sth_tree_cases,
};

kunit_test_suite(sth_tree_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's blocks of regions");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
