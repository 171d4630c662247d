/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * grant - contents of struct srnic_grant, as exchanged with the kernel.
 */
#ifndef GRANT_H
#define GRANT_H

#include <srnic/verbs.h>

struct srnic_grant {
	struct srnic_ioctl_grant body;
};

/* Return 0, or -ENOMEM with the message set */
int grant_new(struct srnic_grant **grant);
/* Return 0, or -EINVAL with the message set; @tree may be NULL */
int grant_check_tree(const struct srnic_tree *tree);
int grant_check_right(enum srnic_right right);
/* Return log2 of the tree's smallest block; requires a checked tree */
uint8_t grant_block_shift(const struct srnic_tree *tree);

#endif /* GRANT_H */
