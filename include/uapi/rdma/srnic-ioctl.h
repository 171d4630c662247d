/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR Linux-OpenIB) */
/*
 * Keys of protection domains, queue pairs and memory regions, and regions of
 * one queue pair; and objects that processes share: methods and attributes that
 * srnic adds to the objects of uverbs (RDMA_VERBS_IOCTL). Documentation/abi.md
 * describes them; libsrnic has functions for keys, the provider uses the others.
 *
 * A handle refers to an object of the caller's own context; objects of other
 * contexts cannot be named.
 */
#ifndef SRNIC_IOCTL_H
#define SRNIC_IOCTL_H

#include <linux/types.h>
#include <rdma/ib_user_ioctl_cmds.h>

#define SRNIC_IOCTL_KEY_MIN	16	/* bytes of K_PD and K_AB */
#define SRNIC_IOCTL_KEY_MAX	32
#define SRNIC_IOCTL_MKEY_LEN	16	/* bytes of K_MR and of keys derived from it */
#define SRNIC_IOCTL_SUITE_LEN	32	/* name of a suite, with the terminating zero */

/* attributes of UVERBS_METHOD_QUERY_CONTEXT of UVERBS_OBJECT_DEVICE */
enum srnic_query_context_attrs {
	/* out: struct srnic_alloc_ucontext_resp */
	SRNIC_ATTR_QUERY_CONTEXT_RESP = (1U << UVERBS_ID_NS_SHIFT),
};

/* methods of UVERBS_OBJECT_PD */
enum srnic_pd_methods {
	SRNIC_METHOD_PD_SET_KEY = (1U << UVERBS_ID_NS_SHIFT),
	SRNIC_METHOD_PD_QUERY,
};

enum srnic_pd_set_key_attrs {
	SRNIC_ATTR_PD_SET_KEY_HANDLE = (1U << UVERBS_ID_NS_SHIFT),
	SRNIC_ATTR_PD_SET_KEY_KEY,	/* K_PD; absent: the kernel draws a random one */
};

/* Succeeds if the handle is a protection domain of the caller's context. */
enum srnic_pd_query_attrs {
	SRNIC_ATTR_PD_QUERY_HANDLE = (1U << UVERBS_ID_NS_SHIFT),
};

/* methods of UVERBS_OBJECT_QP */
enum srnic_qp_methods {
	SRNIC_METHOD_QP_SEAL = (1U << UVERBS_ID_NS_SHIFT),
	SRNIC_METHOD_QP_USE_GRANT,
	SRNIC_METHOD_QP_DROP_GRANTS,
};

enum srnic_qp_seal_attrs {
	SRNIC_ATTR_QP_SEAL_HANDLE = (1U << UVERBS_ID_NS_SHIFT),
	SRNIC_ATTR_QP_SEAL_REQUEST,	/* struct srnic_ioctl_seal */
	SRNIC_ATTR_QP_SEAL_KEY,		/* K_AB; absent: use the domain's, or the policy's */
};

enum srnic_qp_use_grant_attrs {
	SRNIC_ATTR_QP_USE_GRANT_HANDLE = (1U << UVERBS_ID_NS_SHIFT),
	SRNIC_ATTR_QP_USE_GRANT_GRANT,	/* struct srnic_ioctl_grant */
};

enum srnic_qp_drop_grants_attrs {
	SRNIC_ATTR_QP_DROP_GRANTS_HANDLE = (1U << UVERBS_ID_NS_SHIFT),
	SRNIC_ATTR_QP_DROP_GRANTS_RKEY,	/* __u32 */
};

/* methods of UVERBS_OBJECT_MR */
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
	SRNIC_ATTR_MR_GRANT_GRANT,	/* out: struct srnic_ioctl_grant of the whole region */
};

/* Bind the region to a queue pair of its protection domain, which alone may then use it. */
enum srnic_mr_bind_attrs {
	SRNIC_ATTR_MR_BIND_HANDLE = (1U << UVERBS_ID_NS_SHIFT),
	SRNIC_ATTR_MR_BIND_QP,		/* handle of the queue pair */
};

/* methods of UVERBS_OBJECT_DM */
enum srnic_dm_methods {
	SRNIC_METHOD_DM_QUERY = (1U << UVERBS_ID_NS_SHIFT),
};

enum srnic_dm_query_attrs {
	SRNIC_ATTR_DM_QUERY_HANDLE = (1U << UVERBS_ID_NS_SHIFT),
	SRNIC_ATTR_DM_QUERY_RESP,	/* out: struct srnic_ioctl_dm */
};

/* Each right has a tree of its own (protocol.md, section 12). */
enum srnic_ioctl_right {
	SRNIC_IOCTL_READ = 1,
	SRNIC_IOCTL_WRITE,
	SRNIC_IOCTL_ATOMIC,
};

struct srnic_ioctl_dm {
	__aligned_u64 offset;	/* offset for mmap() */
	__aligned_u64 size;	/* bytes of the mapping, whole pages */
	__aligned_u64 length;	/* bytes of the device memory */
};

struct srnic_ioctl_seal {
	char suite[SRNIC_IOCTL_SUITE_LEN];
	__u8 mode;		/* enum srnic_mode of linux/srnic.h, not OFF */
	__u8 reserved[7];
};

/* Limits of the parts for which keys can be derived */
struct srnic_ioctl_tree {
	__u8 depth;		/* steps from the root, at most 63; 0: parts have no keys */
	__u8 block_shift;	/* log2 of the bytes of the smallest part */
	__u8 reserved[6];
};

/*
 * The key of a node of a region's tree. Its holder can prove every access
 * inside the node, of this right and no other. Secret.
 */
struct srnic_ioctl_grant {
	__aligned_u64 addr;	/* virtual address of the region's first byte */
	__aligned_u64 length;	/* bytes of the region */
	__aligned_u64 start;	/* offset of the node's first byte from addr */
	__u32 rkey;
	__u8 right;		/* enum srnic_ioctl_right */
	__u8 depth;		/* of the region's tree, as block_shift */
	__u8 block_shift;
	__u8 node_shift;	/* log2 of the node's length */
	__u8 key[SRNIC_IOCTL_MKEY_LEN];
};

#endif /* SRNIC_IOCTL_H */
