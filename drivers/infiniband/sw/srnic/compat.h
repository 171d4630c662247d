/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernel versions. The module is written for the newest one; here and in
 * compat_*.h, older ones learn its names. compat.mk searches the kernel's headers and defines
 * SRNIC_HAVE_*, because distributions backport and versions say little. A version in a comment is
 * the newest of Debian's that lacks what follows.
 */
#ifndef SRNIC_COMPAT_H
#define SRNIC_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/local_lock.h>
#include <linux/mm.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

/* 6.12 */
#ifndef timer_container_of
#define timer_container_of	from_timer
#endif

/* 6.12: the caller stores the function. */
#ifndef SRNIC_HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *timer),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* 6.1: softirqs run no work items. A kernel thread of high priority does. */
#ifndef SRNIC_HAVE_BH_WQ
#define system_bh_wq	system_highpri_wq
#endif

/* 6.12: workqueues that are not unbound are of a CPU, unasked. */
#ifndef SRNIC_HAVE_WQ_PERCPU
#define WQ_PERCPU		0
#define system_percpu_wq	system_wq
#define system_dfl_wq		system_unbound_wq
#endif

/* 6.1: BHs exclude each other on a CPU with PREEMPT_RT, too. */
#ifndef local_lock_nested_bh
#define local_lock_nested_bh(lock)	((void)(lock))
#define local_unlock_nested_bh(lock)	((void)(lock))
#endif

/* 6.1, before the updates of 2026 */
#ifndef __counted_by
#define __counted_by(...)
#endif

/* Before 6.6 no memory was a shadow stack. */
#ifndef VM_SHADOW_STACK
#define VM_SHADOW_STACK	VM_NONE
#endif

/* 6.1: drivers write the flags. */
#ifndef SRNIC_HAVE_VM_FLAGS_MOD
static inline void vm_flags_mod(struct vm_area_struct *vma, vm_flags_t set, vm_flags_t clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#endif

/* 5.10: the kernel does not tell of forks of its virtual machine. */
#ifndef SRNIC_HAVE_VMFORK
struct notifier_block;

static inline int register_random_vmfork_notifier(struct notifier_block *nb)
{
	return 0;
}

static inline int unregister_random_vmfork_notifier(struct notifier_block *nb)
{
	return 0;
}
#endif

#endif /* SRNIC_COMPAT_H */
