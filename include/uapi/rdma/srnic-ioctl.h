/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR Linux-OpenIB) */
/*
 * Keys of protection domains, queue pairs and memory regions, and regions of one queue
 * pair: methods that srnic adds to uverbs' objects (RDMA_VERBS_IOCTL).
 * Documentation/abi.md explains them; libsrnic has functions for them.
 *
 * They act on what the caller's own context has made: a handle of another is none.
 */
#ifndef SRNIC_IOCTL_H
#define SRNIC_IOCTL_H

#include <linux/types.h>
#include <rdma/ib_user_ioctl_cmds.h>

#define SRNIC_IOCTL_KEY_MIN	16	/* K_PD and K_AB, bytes */
#define SRNIC_IOCTL_KEY_MAX	32
#define SRNIC_IOCTL_MKEY_LEN	16	/* K_MR and what is derived from it */
#define SRNIC_IOCTL_SUITE_LEN	32	/* a suite's name, with the zero behind it */

/* of UVERBS_OBJECT_PD */
enum srnic_pd_methods {
	SRNIC_METHOD_PD_SET_KEY = (1U << UVERBS_ID_NS_SHIFT),
};

enum srnic_pd_set_key_attrs {
	SRNIC_ATTR_PD_SET_KEY_HANDLE = (1U << UVERBS_ID_NS_SHIFT),
	SRNIC_ATTR_PD_SET_KEY_KEY,	/* K_PD; absent: the kernel draws one */
};

/* of UVERBS_OBJECT_QP */
enum srnic_qp_methods {
	SRNIC_METHOD_QP_SEAL = (1U << UVERBS_ID_NS_SHIFT),
	SRNIC_METHOD_QP_USE_GRANT,
	SRNIC_METHOD_QP_DROP_GRANTS,
};

enum srnic_qp_seal_attrs {
	SRNIC_ATTR_QP_SEAL_HANDLE = (1U << UVERBS_ID_NS_SHIFT),
	SRNIC_ATTR_QP_SEAL_WISH,	/* struct srnic_ioctl_seal */
	SRNIC_ATTR_QP_SEAL_KEY,		/* K_AB; absent: that of the domain, or the policy's */
};

enum srnic_qp_use_grant_attrs {
	SRNIC_ATTR_QP_USE_GRANT_HANDLE = (1U << UVERBS_ID_NS_SHIFT),
	SRNIC_ATTR_QP_USE_GRANT_GRANT,	/* struct srnic_ioctl_grant */
};

enum srnic_qp_drop_grants_attrs {
	SRNIC_ATTR_QP_DROP_GRANTS_HANDLE = (1U << UVERBS_ID_NS_SHIFT),
	SRNIC_ATTR_QP_DROP_GRANTS_RKEY,	/* __u32 */
};

/* of UVERBS_OBJECT_MR */
enum srnic_mr_methods {
	SRNIC_METHOD_MR_PROTECT = (1U << UVERBS_ID_NS_SHIFT),
	SRNIC_METHOD_MR_GRANT,
	SRNIC_METHOD_MR_BIND,
};

enum srnic_mr_protect_attrs {
	SRNIC_ATTR_MR_PROTECT_HANDLE = (1U << UVERBS_ID_NS_SHIFT),
	SRNIC_ATTR_MR_PROTECT_TREE,	/* struct srnic_ioctl_tree */
	SRNIC_ATTR_MR_PROTECT_KEY,	/* K_MR; absent: derived from the domain's key */
};

enum srnic_mr_grant_attrs {
	SRNIC_ATTR_MR_GRANT_HANDLE = (1U << UVERBS_ID_NS_SHIFT),
	SRNIC_ATTR_MR_GRANT_RIGHT,	/* enum srnic_ioctl_right, __u32 */
	SRNIC_ATTR_MR_GRANT_GRANT,	/* out: struct srnic_ioctl_grant, of the whole region */
};

/* The region serves that queue pair, of its domain, and no other. */
enum srnic_mr_bind_attrs {
	SRNIC_ATTR_MR_BIND_HANDLE = (1U << UVERBS_ID_NS_SHIFT),
	SRNIC_ATTR_MR_BIND_QP,		/* handle */
};

/* Each has a tree of its own (protocol.md, section 12). */
enum srnic_ioctl_right {
	SRNIC_IOCTL_READ = 1,
	SRNIC_IOCTL_WRITE,
	SRNIC_IOCTL_ATOMIC,
};

struct srnic_ioctl_seal {
	char suite[SRNIC_IOCTL_SUITE_LEN];
	__u8 mode;		/* enum srnic_mode of linux/srnic.h, not OFF */
	__u8 reserved[7];
};

/* How far down keys of parts can be derived. */
struct srnic_ioctl_tree {
	__u8 depth;		/* steps from the root, at most 63; 0: no part has a key */
	__u8 block_shift;	/* log2 of the smallest part, bytes */
	__u8 reserved[6];
};

/*
 * The key of a node of a region's tree: who has it can prove every access inside, of
 * this right and no other. Secret.
 */
struct srnic_ioctl_grant {
	__aligned_u64 addr;	/* the region's first byte, as its owner names it */
	__aligned_u64 length;	/* of the region, bytes */
	__aligned_u64 start;	/* the node's first byte, from addr */
	__u32 rkey;
	__u8 right;		/* enum srnic_ioctl_right */
	__u8 depth;		/* of the region's tree */
	__u8 block_shift;
	__u8 node_shift;	/* log2 of the node's length */
	__u8 key[SRNIC_IOCTL_MKEY_LEN];
};

#endif /* SRNIC_IOCTL_H */
