/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * crypto - functions to derive the keys of memory (protocol.md, sections 6 and 12). They
 * return 0, or -EOPNOTSUPP with the message set.
 */
#ifndef CRYPTO_H
#define CRYPTO_H

#include <stddef.h>
#include <stdint.h>
#include <rdma/srnic-ioctl.h>

/* AES-CMAC-128; @out may be @key */
int crypto_cmac(uint8_t out[SRNIC_IOCTL_MKEY_LEN], const uint8_t key[SRNIC_IOCTL_MKEY_LEN],
		const void *data, size_t len);
/* K_M, the memory branch of K_PD; @len: of @kpd, in bytes */
int crypto_k_memory(uint8_t out[SRNIC_IOCTL_MKEY_LEN], const void *kpd, size_t len);

#endif /* CRYPTO_H */
