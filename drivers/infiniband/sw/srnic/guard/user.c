// SPDX-License-Identifier: GPL-2.0
/*
 * Users among whom the objects of a device are shared (RFC 5042 7.2, R31).
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/user_namespace.h>
#include <linux/workqueue.h>
#include "export.h"
#include "guard/guard.h"

/*
 * A user namespace gives its creator thousands of user IDs, but must not give
 * more than one share: all of them are charged to the owner of the namespace.
 * IDs in namespaces that root created, for containers for instance, count
 * separately.
 */
static kuid_t charged_uid(const struct cred *cred)
{
	const struct user_namespace *ns;
	kuid_t uid = cred->euid;

	for (ns = cred->user_ns; ns != &init_user_ns; ns = ns->parent)
		if (!uid_eq(ns->owner, GLOBAL_ROOT_UID))
			uid = ns->owner;
	return uid;
}

static struct srnic_user *user_find(struct srnic_guard *guard, kuid_t uid)
	__must_hold(&guard->lock)
{
	struct srnic_user *user;

	lockdep_assert_held(&guard->lock);
	list_for_each_entry(user, &guard->users, node)
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

/**
 * srnic_user_get() - Get the user that credentials belong to
 * @guard: guard of the device
 * @cred: the credentials
 *
 * Context: process.
 * Return: the user, to be released by srnic_user_put(), or ERR_PTR(-ENOMEM).
 */
struct srnic_user *srnic_user_get(struct srnic_guard *guard, const struct cred *cred)
{
	struct srnic_user *user, *new;
	unsigned long flags;
	kuid_t uid;

	new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	if (!new)
		return ERR_PTR(-ENOMEM);

	uid = charged_uid(cred);
	spin_lock_irqsave(&guard->lock, flags);
	user = user_find(guard, uid);
	if (!user) {
		swap(user, new);
		user->uid = uid;
		list_add_tail(&user->node, &guard->users);
	}
	user->refs++;
	spin_unlock_irqrestore(&guard->lock, flags);
	kfree(new);
	return user;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_user_get);

/**
 * srnic_user_current() - Get the user that objects of the current process are charged to
 * @guard: guard of the device
 *
 * Context: process.
 * Return: as srnic_user_get(), or NULL for the administrator, that is for a
 * process with CAP_SYS_RESOURCE in the initial user namespace.
 */
struct srnic_user *srnic_user_current(struct srnic_guard *guard)
{
	if (ns_capable_noaudit(&init_user_ns, CAP_SYS_RESOURCE))
		return NULL;
	return srnic_user_get(guard, current_cred());
}

/**
 * srnic_user_hold() - Take another reference to a user
 * @guard: guard of the device
 * @user: may be NULL
 *
 * For objects that may outlive the contexts of the user.
 *
 * Context: any.
 */
void srnic_user_hold(struct srnic_guard *guard, struct srnic_user *user)
{
	unsigned long flags;

	if (!user)
		return;
	spin_lock_irqsave(&guard->lock, flags);
	user->refs++;
	spin_unlock_irqrestore(&guard->lock, flags);
}

/**
 * srnic_user_put() - Drop a reference to a user
 * @guard: guard of the device
 * @user: may be NULL
 *
 * Context: process.
 */
void srnic_user_put(struct srnic_guard *guard, struct srnic_user *user)
{
	unsigned long flags;
	bool last;

	if (!user)
		return;
	spin_lock_irqsave(&guard->lock, flags);
	last = !--user->refs;
	if (last)
		list_del(&user->node);
	spin_unlock_irqrestore(&guard->lock, flags);
	if (!last)
		return;
	if (user->page_wq)
		destroy_workqueue(user->page_wq);
	kfree(user);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_user_put);

/**
 * srnic_user_prepare_paging() - Create the workers that fault in pages for a user
 * @user: a user who has a region that is paged on demand; NULL: the administrator
 *
 * A user whose pages never come (FUSE, for instance) stops no other user's by that.
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int srnic_user_prepare_paging(struct srnic_user *user)
{
	struct workqueue_struct *wq;

	if (!user || READ_ONCE(user->page_wq))
		return 0;
	wq = alloc_workqueue("srnic_page_%u", WQ_UNBOUND, SRNIC_MAX_PAGE_WORKERS,
			     from_kuid(&init_user_ns, user->uid));
	if (!wq)
		return -ENOMEM;
	if (cmpxchg(&user->page_wq, NULL, wq))
		destroy_workqueue(wq);
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_user_prepare_paging);

/**
 * srnic_user_nth() - Copy the nth user; users may be added and removed between calls
 * @guard: guard of the device
 * @n: index from 0
 * @copy: uid and used are filled in
 *
 * Context: any.
 * Return: true if there is an nth user.
 */
bool srnic_user_nth(struct srnic_guard *guard, unsigned int n, struct srnic_user *copy)
{
	const struct srnic_user *user;
	unsigned long flags;
	bool found = false;

	spin_lock_irqsave(&guard->lock, flags);
	list_for_each_entry(user, &guard->users, node) {
		if (n--)
			continue;
		copy->uid = user->uid;
		memcpy(copy->used, user->used, sizeof(copy->used));
		found = true;
		break;
	}
	spin_unlock_irqrestore(&guard->lock, flags);
	return found;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_user_nth);
