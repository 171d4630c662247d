// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Key derivation with libcrypto. libcrypto wipes its copies of keys, and so do we.
 */
#include <errno.h>
#include <string.h>
#include <openssl/evp.h>
#include "crypto.h"
#include "error.h"

#define SHA256_LEN	32

static int refuse(const char *algorithm)
{
	return fail(EOPNOTSUPP, "libcrypto refuses %s: allow it in openssl.cnf(5)", algorithm);
}

int crypto_cmac(uint8_t out[SRNIC_IOCTL_MKEY_LEN], const uint8_t key[SRNIC_IOCTL_MKEY_LEN],
		const void *data, size_t len)
{
	size_t made;

	if (!EVP_Q_mac(NULL, "CMAC", NULL, "AES-128-CBC", NULL, key, SRNIC_IOCTL_MKEY_LEN, data,
		       len, out, SRNIC_IOCTL_MKEY_LEN, &made) || made != SRNIC_IOCTL_MKEY_LEN)
		return refuse("AES-CMAC");
	return 0;
}

/* SP 800-108 in counter mode, reduced to the first block */
int crypto_k_memory(uint8_t out[SRNIC_IOCTL_MKEY_LEN], const void *kpd, size_t len)
{
	static const uint8_t fixed[] = {
		0, 0, 0, 1,					/* i = 1 */
		'S', 'T', 'H', '1', ' ', 'm', 'e', 'm', 'o', 'r', 'y', 0,
		0, 0, 0, 8 * SRNIC_IOCTL_MKEY_LEN,		/* L; the context is empty */
	};
	uint8_t block[SHA256_LEN];
	size_t made;
	int err = 0;

	if (EVP_Q_mac(NULL, "HMAC", NULL, "SHA256", NULL, kpd, len, fixed, sizeof(fixed), block,
		      sizeof(block), &made) && made == sizeof(block))
		memcpy(out, block, SRNIC_IOCTL_MKEY_LEN);
	else
		err = refuse("HMAC-SHA-256");
	explicit_bzero(block, sizeof(block));
	return err;
}
