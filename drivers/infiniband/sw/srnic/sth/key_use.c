// SPDX-License-Identifier: GPL-2.0
/*
 * The bytes that each secret of a key has sealed, so that it can be replaced by volume of traffic.
 *
 * Connections and datagram keys outlive the secret from which they were derived. So they refer to
 * it by a number, count for themselves, and look the number up once for each SRNIC_KEY_USE_STEP.
 */
#include <linux/atomic.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include "export.h"
#include "sth/key_use.h"

/**
 * struct srnic_key_use - the use of a secret
 * @bytes: bytes of the packets that it has sealed, from BTH to ICRC
 * @rcu: frees it
 */
struct srnic_key_use {
	atomic64_t bytes;
	struct rcu_head rcu;
};

static DEFINE_XARRAY_ALLOC1(uses);
static u32 last_use;

/**
 * srnic_key_use_begin() - Begin to count the use of a secret
 *
 * Context: process.
 * Return: its number; 0 if there is no memory: then nothing is counted.
 */
u32 srnic_key_use_begin(void)
{
	struct srnic_key_use *use = kzalloc(sizeof(*use), GFP_KERNEL_ACCOUNT);
	u32 id;

	if (!use)
		return 0;
	if (xa_alloc_cyclic(&uses, &id, use, xa_limit_32b, &last_use, GFP_KERNEL) >= 0)
		return id;
	kfree(use);
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_key_use_begin);

/**
 * srnic_key_use_end() - Forget the use of a secret
 * @id: from srnic_key_use_begin()
 *
 * Packets that it seals from now on are not counted.
 */
void srnic_key_use_end(u32 id)
{
	struct srnic_key_use *use = xa_erase(&uses, id);

	if (use)
		kfree_rcu(use, rcu);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_key_use_end);

/**
 * srnic_key_use_bytes() - Return the bytes that a secret has sealed
 * @id: from srnic_key_use_begin()
 *
 * Return: bytes, without those that connections have not reported yet, which are fewer than
 * SRNIC_KEY_USE_STEP and a packet for each flow.
 */
u64 srnic_key_use_bytes(u32 id)
{
	struct srnic_key_use *use;
	u64 bytes;

	rcu_read_lock();
	use = xa_load(&uses, id);
	bytes = use ? atomic64_read(&use->bytes) : 0;
	rcu_read_unlock();
	return bytes;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_key_use_bytes);

/**
 * srnic_key_use_report() - Report the bytes sealed since the last report
 * @id: number of the secret; 0, or that of a forgotten secret: the bytes are not counted
 * @bytes: bytes to report; set to 0
 *
 * Context: any up to softirq.
 */
void srnic_key_use_report(u32 id, u32 *bytes)
{
	struct srnic_key_use *use;

	rcu_read_lock();
	use = xa_load(&uses, id);
	if (use)
		atomic64_add(*bytes, &use->bytes);
	rcu_read_unlock();
	*bytes = 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_key_use_report);
