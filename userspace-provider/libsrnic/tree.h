/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * tree - a region's blocks (protocol.md, section 12): numbers only, no keys.
 */
#ifndef TREE_H
#define TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <rdma/srnic-ioctl.h>

/* Bytes [start, end) from the region's first, or a block of such: 2^63 is the most */
struct range {
	uint64_t start;
	uint64_t end;
};

/* log2 of the root's length */
unsigned int tree_root_shift(uint64_t length);
/* log2 of the smallest blocks' */
unsigned int tree_leaf_shift(const struct srnic_ioctl_grant *tree);
/* Whether region and node of a grant are possible */
bool tree_is_sound(const struct srnic_ioctl_grant *grant);
/* The node of a grant */
struct range tree_node(const struct srnic_ioctl_grant *grant);
/* Makes of the node of @grant the half of it that @inner lies in; false if there is none */
bool tree_step(struct srnic_ioctl_grant *grant, const struct range *inner);
/* What of a block belongs to the region */
struct range tree_clip(const struct srnic_ioctl_grant *tree, struct range block);
/* The shortest range around @range that consists of blocks */
struct range tree_round(const struct srnic_ioctl_grant *tree, const struct range *range);
/* The greatest block of the node of @grant with which such a range begins */
struct range tree_first_block(const struct srnic_ioctl_grant *grant, const struct range *range);

#endif /* TREE_H */
