/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A spin lock that costs only a predictable branch if the application has promised, by
 * a thread domain, that one thread at a time uses the object.
 */
#ifndef SRNIC_LOCK_H
#define SRNIC_LOCK_H

#include <pthread.h>
#include <stdbool.h>

struct srnic_lock {
	pthread_spinlock_t spin;
	bool elided;
};

static inline void srnic_lock_init(struct srnic_lock *lock, bool elided)
{
	pthread_spin_init(&lock->spin, PTHREAD_PROCESS_PRIVATE);
	lock->elided = elided;
}

static inline void srnic_lock_destroy(struct srnic_lock *lock)
{
	pthread_spin_destroy(&lock->spin);
}

static inline void srnic_lock(struct srnic_lock *lock)
{
	if (!lock->elided)
		pthread_spin_lock(&lock->spin);
}

static inline void srnic_unlock(struct srnic_lock *lock)
{
	if (!lock->elided)
		pthread_spin_unlock(&lock->spin);
}

#endif /* SRNIC_LOCK_H */
