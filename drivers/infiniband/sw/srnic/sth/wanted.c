// SPDX-License-Identifier: GPL-2.0
/*
 * Keys that a rule requires and the namespace does not have: they are reported to listeners, such
 * as srnicd, which may add them while a connection waits.
 *
 * Any program that makes connections can cause reports, and so can its peers. So a key is reported
 * at most once a second, and a namespace has at most SRNIC_WANTED_KEYS reports in that time.
 */
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/wait.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include "export.h"
#include "sth/sth.h"

#define SRNIC_WANTED_KEYS	16

/* A key that was reported; @until is the end of its second. Without a name: a free entry */
struct srnic_wanted_key {
	char name[SRNIC_STH_NAME_MAX];
	unsigned long until;
};

/**
 * struct srnic_wanted - keys of one namespace that were reported recently
 * @lock: protects @key
 * @key: the keys, in no order
 * @changed: waiters for a change of the keys
 */
struct srnic_wanted {
	spinlock_t lock;	/* key */
	struct srnic_wanted_key key[SRNIC_WANTED_KEYS];
	wait_queue_head_t changed;
};

static unsigned int srnic_wanted_id __read_mostly;
static const struct srnic_key_listener *listener;

static struct srnic_wanted *srnic_wanted(struct net *net)
{
	return net_generic(net, srnic_wanted_id);
}

/**
 * srnic_key_listen() - Set the listener for wanted keys
 * @to: the listener, or NULL
 *
 * Context: process; no connection is made while it changes.
 * Return: the former listener.
 */
const struct srnic_key_listener *srnic_key_listen(const struct srnic_key_listener *to)
{
	const struct srnic_key_listener *former = listener;

	WRITE_ONCE(listener, to);
	return former;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_key_listen);

static bool has_passed(const struct srnic_wanted_key *key)
{
	return !key->name[0] || time_after(jiffies, key->until);
}

/* Note that a key is reported. Return false if it was reported already, or if too many were. */
static bool note_key(struct srnic_wanted *wanted, const char *name)
{
	struct srnic_wanted_key *free = NULL;
	unsigned int i;

	lockdep_assert_held(&wanted->lock);
	for (i = 0; i < SRNIC_WANTED_KEYS; i++) {
		struct srnic_wanted_key *key = &wanted->key[i];

		if (has_passed(key))
			free = key;
		else if (!strcmp(key->name, name))
			return false;
	}
	if (!free)
		return false;
	strscpy(free->name, name, sizeof(free->name));
	free->until = jiffies + HZ;
	return true;
}

/**
 * srnic_key_want() - Report to the listener that a connection needs a key
 * @net: namespace
 * @name: name of the key
 * @peer: GID of the peer
 *
 * Context: process.
 * Return: true if there is a listener, which may add the key.
 */
bool srnic_key_want(struct net *net, const char *name, const u8 peer[16])
{
	const struct srnic_key_listener *to = READ_ONCE(listener);
	struct srnic_wanted *wanted = srnic_wanted(net);
	bool report;

	if (!to || !to->listens(net))
		return false;
	spin_lock(&wanted->lock);
	report = note_key(wanted, name);
	spin_unlock(&wanted->lock);
	if (report)
		to->tell(net, name, peer);
	return true;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_key_want);

/**
 * srnic_key_await() - Wait for a change of the keys
 * @net: namespace, which the caller holds
 * @seq: srnic_key_seq() before the caller looked for its key
 * @timeout: how long to wait, in jiffies
 *
 * Context: process; a fatal signal ends the wait.
 * Return: jiffies left, at least 1; 0 after the timeout; -ERESTARTSYS.
 */
long srnic_key_await(struct net *net, unsigned int seq, long timeout)
{
	return wait_event_killable_timeout(srnic_wanted(net)->changed,
					   srnic_key_seq(net) != seq, timeout);
}

/**
 * srnic_key_wake() - Wake the waiters for a change of the keys
 * @net: namespace, whose srnic_key_seq() has changed
 */
void srnic_key_wake(struct net *net)
{
	wake_up_all(&srnic_wanted(net)->changed);
}

static int __net_init srnic_wanted_net_init(struct net *net)
{
	struct srnic_wanted *wanted = srnic_wanted(net);

	spin_lock_init(&wanted->lock);
	init_waitqueue_head(&wanted->changed);
	return 0;
}

static struct pernet_operations srnic_wanted_net_ops = {
	.init = srnic_wanted_net_init,
	.id = &srnic_wanted_id,
	.size = sizeof(struct srnic_wanted),
};

int __init srnic_wanted_init(void)
{
	return register_pernet_subsys(&srnic_wanted_net_ops);
}

void srnic_wanted_exit(void)
{
	unregister_pernet_subsys(&srnic_wanted_net_ops);
}
