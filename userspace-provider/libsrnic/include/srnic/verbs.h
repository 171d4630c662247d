/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Keys that a program gives to what it has made by libibverbs: to its protection
 * domains, queue pairs and memory regions on an srnic device; and grants, by which it
 * lets others into parts of a region. libsrnic(7) is the manual.
 *
 * No privilege is needed, and no handle: the objects are the caller's own. The library
 * calls nothing of libibverbs, whose objects are only looked at.
 *
 * Functions that can fail return 0, or a negative errno value; srnic_error() then
 * has a line that says what was wrong and what to do. They can be called from any
 * thread; an object must not be destroyed meanwhile.
 */
#ifndef SRNIC_VERBS_H
#define SRNIC_VERBS_H

#include <infiniband/verbs.h>
#include <rdma/srnic-ioctl.h>
#include <srnic/srnic.h>

#ifdef __cplusplus
extern "C" {
#endif

struct srnic_grant;	/* a block of a region, one right, and the key to it: secret */

/* Length of keys of regions, in bytes */
#define SRNIC_MKEY_LEN	SRNIC_IOCTL_MKEY_LEN

/* Length of a packed grant, in bytes */
#define SRNIC_GRANT_LEN	64

/* Steps that a tree can have */
#define SRNIC_TREE_MAX	63

/**
 * enum srnic_right - what a grant is good for
 * @SRNIC_RIGHT_READ: RDMA READ
 * @SRNIC_RIGHT_WRITE: RDMA WRITE, with and without immediate data
 * @SRNIC_RIGHT_ATOMIC: compare and swap, fetch and add
 *
 * The region's own access flags are asked as well: a grant adds nothing to them.
 */
enum srnic_right {
	SRNIC_RIGHT_READ = SRNIC_IOCTL_READ,
	SRNIC_RIGHT_WRITE = SRNIC_IOCTL_WRITE,
	SRNIC_RIGHT_ATOMIC = SRNIC_IOCTL_ATOMIC,
};

/**
 * struct srnic_tree - which parts of a region can have keys of their own
 * @depth: how often a part can be halved, from the whole region on; 0: no part has a
 *	key, only the whole; at most SRNIC_TREE_MAX
 * @block: no part is shorter than this, in bytes: a power of two; 0 is taken for 1
 *
 * The region's length counts as rounded up to a power of two. Parts of 1 MiB of a region
 * of 16 MiB take a depth of 4. Each step costs both ends 16 bytes of AES-CMAC a request.
 */
struct srnic_tree {
	unsigned int depth;
	uint64_t block;
};

/**
 * srnic_key_pd() - give a protection domain a key, from which others are derived
 * @pd: the domain, or a parent domain that stands for it
 * @key: the key (K_PD); NULL: the kernel draws one at random, which nobody else has
 * @len: 16 to 32 (SRNIC_IOCTL_KEY_MIN, SRNIC_IOCTL_KEY_MAX), in bytes; 0 without a @key
 *
 * Queue pairs of the domain that ask for a seal (srnic_seal_qp()) have it by a key derived
 * from this one, unless it was drawn: no peer has that. Its regions' keys are derived from
 * it where they are given none. It is kept until the domain ends, and cannot be read back.
 * The caller's copy is the caller's to wipe.
 *
 * Return: 0; -EEXIST: it has one, or one was drawn by srnic_protect_mr(); -EINVAL: @len is
 * not as said above, or it is no srnic device's; -EPROTONOSUPPORT: the driver is too old.
 */
int srnic_key_pd(struct ibv_pd *pd, const void *key, size_t len);

/**
 * srnic_seal_qp() - seal a connected queue pair
 * @qp: RC or UC, before it goes to RTR
 * @mode: what the seal covers, no less than the policy asks
 * @suite: name of a suite that has the mode; key and tag no shorter than the policy asks
 * @key: what both ends of this connection have (K_AB); NULL: the domain's key, or if that
 *	has none the policy's
 * @len: 16 to 32 (SRNIC_IOCTL_KEY_MIN, SRNIC_IOCTL_KEY_MAX), in bytes; 0 without a @key
 *
 * For one connection: RESET forgets it. The peer must do the same. Where the policy has a
 * key as well, both are needed.
 *
 * Return: 0; -EINVAL: something is not as said above, there is no such suite, or it is no
 * srnic device's; -EOPNOTSUPP: the suite does not have the mode, the kernel not the
 * suite, or it is no connected queue pair; -EPROTONOSUPPORT: the driver is too old. What
 * the policy has against it, the step to RTR tells: EACCES.
 */
int srnic_seal_qp(struct ibv_qp *qp, enum srnic_mode mode, const char *suite, const void *key,
		  size_t len);

/**
 * srnic_protect_mr() - let only those into a region that prove to have its key
 * @mr: the region
 * @tree: which parts of it can have keys of their own; NULL: none
 * @key: the region's key (K_MR), SRNIC_MKEY_LEN bytes; NULL: derived from the domain's, which
 *	is drawn at random if it has none
 *
 * When this returns, each READ, WRITE and atomic has to come by a sealed connection, from a
 * queue pair that has been given a grant (srnic_use_grant()): that of another is dropped
 * in silence, and what is not sealed draws a remote access error. SENDs are not concerned.
 * Where the key is derived, a region that is registered again with the same addresses
 * and the same rkey has the same key. It is kept until the region ends; until then the
 * region has no windows, and is not registered anew with other bytes or another domain.
 *
 * Return: 0; -EEXIST: it is protected; -EBUSY: windows are bound to it; -EINVAL: @tree is not
 * as said above, or it is no srnic device's; -EOPNOTSUPP: the kernel has no AES-CMAC;
 * -EPROTONOSUPPORT: the driver is too old.
 */
int srnic_protect_mr(struct ibv_mr *mr, const struct srnic_tree *tree, const void *key);

/**
 * srnic_grant_mr() - have a grant made of a whole region
 * @mr: one's own region, which is protected
 * @right: one right; a grant of each for who needs several
 * @grant: the grant, to be given to srnic_grant_free(); NULL if this fails
 *
 * Return: 0; -ENOKEY: the region is not protected; -EINVAL: no such right, or it is no
 * srnic device's; -EPROTONOSUPPORT: the driver is too old; -ENOMEM.
 */
int srnic_grant_mr(struct ibv_mr *mr, enum srnic_right right, struct srnic_grant **grant);

/**
 * srnic_grant_derive() - make a grant of a whole region from the domain's key
 * @kpd: key of the region's domain (K_PD); its region's key must be a derived one
 * @len: of @kpd, 16 to 32, in bytes
 * @addr: the region's first byte as its owner names it to peers; 0 if that is zero-based
 * @length: of the region, in bytes, at most 2^63
 * @rkey: the region's
 * @tree: as the region's owner gave it; NULL: none
 * @right: one right
 * @grant: the grant, to be given to srnic_grant_free(); NULL if this fails
 *
 * For those to whom the owner has given the domain's key: they need no grants handed to
 * them, and the owner need not know of their existence.
 *
 * Return: 0; -EINVAL: something is not as said above; -EOPNOTSUPP: libcrypto has not got
 * the algorithms; -ENOMEM.
 */
int srnic_grant_derive(const void *kpd, size_t len, uint64_t addr, uint64_t length, uint32_t rkey,
		       const struct srnic_tree *tree, enum srnic_right right,
		       struct srnic_grant **grant);

/**
 * srnic_grant_narrow() - make a grant of one block out of a grant
 * @grant: stays as it is
 * @addr: the block's first byte, as the region's owner names it
 * @len: the block's length, in bytes; of the last one, up to the region's end
 * @part: the grant, to be given to srnic_grant_free(); NULL if this fails
 *
 * Nobody need be asked: each holder can hand on parts of what he has, and never more.
 *
 * Return: 0; -ERANGE: not inside the grant's block; -EINVAL: this is no block, the line
 * says which would do; -EOPNOTSUPP: libcrypto has not got the algorithms; -ENOMEM.
 */
int srnic_grant_narrow(const struct srnic_grant *grant, uint64_t addr, uint64_t len,
		       struct srnic_grant **part);

/**
 * srnic_grant_cover() - make a grant of the first of the blocks that a range consists of
 * @grant: stays as it is
 * @addr: the range's first byte; moved to the first behind @part
 * @len: the range's length, in bytes; becomes what is left
 * @part: the grant, to be given to srnic_grant_free(); NULL if this fails
 *
 * Called until @len is 0, it yields the smallest number of blocks that have exactly
 * these bytes: two for each step of the tree, at most.
 *
 * Return: 0; -ERANGE: not inside the grant's block; -EINVAL: no blocks begin and end there,
 * the line says where some do; -EOPNOTSUPP: libcrypto has not got the algorithms; -ENOMEM.
 * If it fails, @addr and @len stay as they are.
 */
int srnic_grant_cover(const struct srnic_grant *grant, uint64_t *addr, uint64_t *len,
		      struct srnic_grant **part);

/** srnic_grant_addr() - the block's first byte, as the region's owner names it */
uint64_t srnic_grant_addr(const struct srnic_grant *grant);
/** srnic_grant_len() - length of the block as far as there is a region, in bytes */
uint64_t srnic_grant_len(const struct srnic_grant *grant);
/** srnic_grant_rkey() - the region's rkey */
uint32_t srnic_grant_rkey(const struct srnic_grant *grant);
/** srnic_grant_right() - what it is good for */
enum srnic_right srnic_grant_right(const struct srnic_grant *grant);

/**
 * srnic_grant_pack() - write a grant as bytes, to be given to a peer
 * @grant: stays as it is
 * @packed: where to
 *
 * Who reads them has the grant: they belong on a channel that nobody else reads, such as
 * a SEND on a connection sealed in mode aead. srnic_grant_pack(3) has the format.
 *
 * Return: 0; -EOPNOTSUPP: libcrypto has not got the algorithms.
 */
int srnic_grant_pack(const struct srnic_grant *grant, uint8_t packed[SRNIC_GRANT_LEN]);

/**
 * srnic_grant_unpack() - read a grant
 * @packed: as srnic_grant_pack() wrote it; the caller's to wipe
 * @len: SRNIC_GRANT_LEN
 * @grant: the grant, to be given to srnic_grant_free(); NULL if this fails
 *
 * Return: 0; -EINVAL: this is no grant, or it has changed on the way; -EPROTONOSUPPORT: it
 * is of a later version; -EOPNOTSUPP: libcrypto has not got the algorithms; -ENOMEM.
 */
int srnic_grant_unpack(const void *packed, size_t len, struct srnic_grant **grant);

/**
 * srnic_grant_free() - wipe a grant, and give it back
 * @grant: may be NULL; queue pairs that use it, and parts of it, stay as they are
 */
void srnic_grant_free(struct srnic_grant *grant);

/**
 * srnic_use_grant() - have requests of a queue pair proved by a grant
 * @qp: connected, by whatever connection; it need not be sealed yet
 * @grant: may be freed afterwards
 *
 * It holds for requests with the grant's rkey and right that lie inside its block. A queue
 * pair can use several, of one region, too: that which was given last, of those that are
 * good for a request, is taken. Where it has some for an rkey and none is good, the request
 * ends with IBV_WC_LOC_PROT_ERR, and is not sent: one that lies in two blocks has to be
 * split. RESET forgets them.
 *
 * Return: 0; -ENOSPC: the queue pair uses 128; -EINVAL: it is no srnic device's; -EOPNOTSUPP:
 * it is no connected queue pair, or the kernel has no AES-CMAC; -EPROTONOSUPPORT: the
 * driver is too old; -ENOMEM.
 */
int srnic_use_grant(struct ibv_qp *qp, const struct srnic_grant *grant);

/**
 * srnic_drop_grants() - have no requests of a queue pair to a region proved any more
 * @qp: the queue pair
 * @rkey: the region's
 *
 * Others that have the grants keep them: a key is no good any more when the region has ended.
 *
 * Return: 0; -ENOENT: it uses none; -EINVAL: it is no srnic device's; -EPROTONOSUPPORT: the
 * driver is too old.
 */
int srnic_drop_grants(struct ibv_qp *qp, uint32_t rkey);

/**
 * srnic_bind_mr() - let one queue pair use a region, and no other
 * @mr: the region
 * @qp: of the same protection domain, in any state
 *
 * When this returns, neither lkey nor rkey of the region is of use on behalf of another queue
 * pair: a peer's request there draws a remote access error. A queue pair that goes, or is
 * reset, takes the region's use with it; it is to be deregistered then. No windows are
 * bound to it, and it is not registered anew in another domain.
 *
 * Return: 0; -EEXIST: it is some queue pair's; -EBUSY: windows are bound to it; -EINVAL: they
 * are of two domains, or of no srnic device; -EPROTONOSUPPORT: the driver is too old.
 */
int srnic_bind_mr(struct ibv_mr *mr, struct ibv_qp *qp);

#ifdef __cplusplus
}
#endif

#endif /* SRNIC_VERBS_H */
