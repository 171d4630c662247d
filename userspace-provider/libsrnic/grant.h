/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * grant - what is behind struct srnic_grant: as the kernel gives and takes it.
 */
#ifndef GRANT_H
#define GRANT_H

#include <srnic/verbs.h>

struct srnic_grant {
	struct srnic_ioctl_grant body;
};

/* 0, or -ENOMEM with the line noted */
int grant_new(struct srnic_grant **grant);
/* 0, or -EINVAL with the line noted; @tree may be NULL */
int grant_check_tree(const struct srnic_tree *tree);
int grant_check_right(enum srnic_right right);
/* log2 of its smallest block; of a tree that was checked */
uint8_t grant_block_shift(const struct srnic_tree *tree);

#endif /* GRANT_H */
