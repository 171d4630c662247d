/* SPDX-License-Identifier: GPL-2.0 */
/* Differences between the crypto APIs of kernel versions; see compat.h. */
#ifndef SRNIC_COMPAT_CRYPTO_H
#define SRNIC_COMPAT_CRYPTO_H

#include <linux/crypto.h>
#include <linux/version.h>

#if KERNEL_VERSION(6, 12, 0) > LINUX_VERSION_CODE
#include <linux/list.h>
#include <linux/rwsem.h>

/* Exported, but declared in crypto/internal.h only, which packages of headers lack */
extern struct list_head crypto_alg_list;
extern struct rw_semaphore crypto_alg_sem;

/*
 * 6.1: crypto_has_alg() loads the template that a name begins with, and makes an instance of it,
 * whatever its flags. So anybody who asked for the suites would load modules.
 */
static inline bool srnic_alg_is_loaded(const char *name)
{
	const u32 not_usable = CRYPTO_ALG_LARVAL | CRYPTO_ALG_DEAD | CRYPTO_ALG_DYING |
			       CRYPTO_ALG_INTERNAL;
	const struct crypto_alg *alg;
	bool loaded = false;

	down_read(&crypto_alg_sem);
	list_for_each_entry(alg, &crypto_alg_list, cra_list)
		loaded |= (alg->cra_flags & CRYPTO_ALG_TESTED) &&
			  !(alg->cra_flags & not_usable) &&
			  !strcmp(alg->cra_name, name);
	up_read(&crypto_alg_sem);
	return loaded;
}
#else
static inline bool srnic_alg_is_loaded(const char *name)
{
	return crypto_has_alg(name, CRYPTO_ALG_TESTED, CRYPTO_ALG_TESTED | CRYPTO_NOLOAD);
}
#endif

#endif /* SRNIC_COMPAT_CRYPTO_H */
