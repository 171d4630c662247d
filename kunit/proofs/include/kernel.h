/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of the kernel's API that sth/crypto.h names, for proofs: declarations only. A proof
 * gives a body to each function that the files under proof call.
 */
#ifndef SRNIC_PROOF_KERNEL_H
#define SRNIC_PROOF_KERNEL_H

#include "shim.h"

#define __must_check		__attribute__((warn_unused_result))
#define __percpu
#define __rcu
#define IS_ENABLED(CONFIG_option)	(CONFIG_option)	/* in #if: 0 without KUnit */

/* linux/err.h */
#define MAX_ERRNO		4095UL

static inline bool IS_ERR(const void *p)
{
	return (uintptr_t)p > ULONG_MAX - MAX_ERRNO;
}

static inline long PTR_ERR(const void *p)
{
	return (long)p;
}

static inline void *ERR_PTR(long err)
{
	return (void *)err;
}

/* linux/rcupdate.h */
#define rcu_dereference(p)	READ_ONCE(p)
#define rcu_read_lock()		barrier()
#define rcu_read_unlock()	barrier()

/* linux/scatterlist.h */
#define SG_END			2UL

struct scatterlist {
	unsigned long page_link;
	unsigned int offset;
	unsigned int length;
};

void sg_set_buf(struct scatterlist *list, const void *buf, unsigned int len);

/* crypto/ and asm/simd.h */
#define CRYPTO_MAX_ALG_NAME	1

struct crypto_shash;

bool crypto_simd_usable(void);
int crypto_shash_tfm_digest(struct crypto_shash *tfm, const u8 *data, unsigned int len, u8 *out);

/* crypto/curve25519.h */
#define CURVE25519_KEY_SIZE	SRNIC_STH_SHARE_LEN

bool curve25519(u8 *shared, const u8 *secret, const u8 *point);
bool curve25519_generate_public(u8 *point, const u8 *secret);
void curve25519_generate_secret(u8 *secret);

/*
 * crypto/utils.h and linux/string.h, byte by byte: cbmc's own memcpy() replaces the whole object
 * that it writes to, of which a connection's state is a small part.
 */
static inline unsigned long crypto_memneq(const void *a, const void *b, size_t size)
{
	const u8 *p = a, *q = b;
	u8 differ = 0;

	for (size_t i = 0; i < size; i++)
		differ |= p[i] ^ q[i];
	return differ;
}

static inline void memzero_explicit(void *p, size_t size)
{
	u8 *to = p;

	for (size_t i = 0; i < size; i++)
		to[i] = 0;
}

static inline void proof_memcpy(void *to, const void *from, size_t size)
{
	const u8 *q = from;
	u8 *p = to;

	for (size_t i = 0; i < size; i++)
		p[i] = q[i];
}

#define memcpy(to, from, size)	proof_memcpy(to, from, size)

#endif /* SRNIC_PROOF_KERNEL_H */
