/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * tree - the blocks of a region (protocol.md, section 12): arithmetic only, no keys.
 */
#ifndef TREE_H
#define TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <rdma/srnic-ioctl.h>

/* Offsets [start, end) in a region or block, in bytes; at most 2^63 */
struct range {
	uint64_t start;
	uint64_t end;
};

/* Return log2 of the root's length */
unsigned int tree_root_shift(uint64_t length);
/* Return log2 of the smallest block's length */
unsigned int tree_leaf_shift(const struct srnic_ioctl_grant *tree);
/* Test whether a grant's region and node can exist */
bool tree_is_sound(const struct srnic_ioctl_grant *grant);
/* Return the node of a grant */
struct range tree_node(const struct srnic_ioctl_grant *grant);
/* Replace the node of @grant by its half that contains @inner; false if there is none */
bool tree_step(struct srnic_ioctl_grant *grant, const struct range *inner);
/* Clip a block to the region */
struct range tree_clip(const struct srnic_ioctl_grant *tree, struct range block);
/* Return the smallest range that contains @range and consists of blocks */
struct range tree_round(const struct srnic_ioctl_grant *tree, const struct range *range);
/* Return the largest block within the node of @grant with which such a range begins */
struct range tree_first_block(const struct srnic_ioctl_grant *grant, const struct range *range);

#endif /* TREE_H */
