/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * crypto - the functions that keys of memory are derived by (protocol.md, sections 6, 12).
 * 0, or -EOPNOTSUPP with the line noted.
 */
#ifndef CRYPTO_H
#define CRYPTO_H

#include <stddef.h>
#include <stdint.h>
#include <rdma/srnic-ioctl.h>

/* AES-CMAC-128; @out may be @key */
int crypto_cmac(uint8_t out[SRNIC_IOCTL_MKEY_LEN], const uint8_t key[SRNIC_IOCTL_MKEY_LEN],
		const void *data, size_t len);
/* K_M, the memory branch of K_PD, which has @len bytes */
int crypto_k_memory(uint8_t out[SRNIC_IOCTL_MKEY_LEN], const void *kpd, size_t len);

#endif /* CRYPTO_H */
