// SPDX-License-Identifier: GPL-2.0
/*
 * Pre-shared keys of a network namespace.
 *
 * The kernel's key store holds the secrets as keys of type logon, which cannot
 * be read back, in a keyring that belongs to no process. Only the possessor has
 * rights to them, and only this file possesses them: user space cannot find,
 * describe, link or revoke them. Each is charged to the user that adds it, and
 * wiped when it is freed.
 *
 * Modules cannot walk a keyring, hence the separate list of keys.
 */
#include <linux/cred.h>
#include <linux/ctype.h>
#include <linux/key.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <keys/user-type.h>
#include "export.h"
#include "guard/guard.h"
#include "sth/sth.h"

/* The possessor may add keys to the keyring and replace a key's secret. */
#define SRNIC_KEY_PERM	KEY_POS_WRITE

/* The key store requires a prefix in the description of a logon key. */
#define SRNIC_KEY_PREFIX	"srnic:"

struct srnic_named_key {
	struct list_head node;
	struct key *key;
	char name[SRNIC_STH_NAME_MAX];
};

/**
 * struct srnic_keys - keys of one namespace
 * @lock: protects all members
 * @list: struct srnic_named_key, sorted by name
 * @count: entries in @list
 * @seq: see srnic_key_seq()
 * @ring: keyring of the keys; allocated with the first key, so that a namespace
 *	without keys is not charged
 */
struct srnic_keys {
	struct mutex lock;	/* all members */
	struct list_head list;
	unsigned int count;
	unsigned int seq;
	struct key *ring;
};

static unsigned int srnic_keys_id __read_mostly;

static struct srnic_keys *srnic_keys(struct net *net)
{
	return net_generic(net, srnic_keys_id);
}

/**
 * srnic_key_name_ok() - Tell whether a key name is valid
 * @name: name to check
 *
 * A valid name has 1 to 31 letters, digits, '.', '_' or '-', and does not begin
 * with '-'. Such a name never needs quoting and cannot be taken for an option.
 */
bool srnic_key_name_ok(const char *name)
{
	unsigned int i;

	if (name[0] == '-')
		return false;
	for (i = 0; name[i]; i++)
		if (!isascii(name[i]) || (!isalnum(name[i]) && !strchr("._-", name[i])))
			return false;
	return i && i < SRNIC_STH_NAME_MAX;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_key_name_ok);

static void srnic_keys_changed(struct srnic_keys *keys)
{
	lockdep_assert_held(&keys->lock);
	WRITE_ONCE(keys->seq, keys->seq + 1 ?: 1);
}

static struct srnic_named_key *srnic_key_find(struct srnic_keys *keys, const char *name)
{
	struct srnic_named_key *entry;

	lockdep_assert_held(&keys->lock);
	list_for_each_entry(entry, &keys->list, node)
		if (!strcmp(entry->name, name))
			return entry;
	return NULL;
}

static struct key *srnic_keys_ring(struct srnic_keys *keys)
{
	struct key *ring;

	lockdep_assert_held(&keys->lock);
	if (keys->ring)
		return keys->ring;

	ring = keyring_alloc(".srnic", current_fsuid(), current_fsgid(), current_cred(),
			     SRNIC_KEY_PERM, KEY_ALLOC_IN_QUOTA, NULL, NULL);
	if (!IS_ERR(ring))
		keys->ring = ring;
	return ring;
}

/* Store a secret under a name, replacing one of the same name. */
static struct key *srnic_key_store(struct srnic_keys *keys, const char *name, const u8 *secret,
				   unsigned int len)
{
	char description[sizeof(SRNIC_KEY_PREFIX) + SRNIC_STH_NAME_MAX];
	struct key *ring;
	key_ref_t ref;

	ring = srnic_keys_ring(keys);
	if (IS_ERR(ring))
		return ring;

	snprintf(description, sizeof(description), SRNIC_KEY_PREFIX "%s", name);
	ref = key_create_or_update(make_key_ref(ring, true), "logon", description, secret, len,
				   SRNIC_KEY_PERM, KEY_ALLOC_IN_QUOTA);
	if (IS_ERR(ref))
		return ERR_CAST(ref);
	return key_ref_to_ptr(ref);
}

static struct srnic_named_key *srnic_key_new(struct srnic_keys *keys, const char *name)
{
	struct srnic_named_key *entry, *after;

	lockdep_assert_held(&keys->lock);
	if (keys->count >= SRNIC_MAX_KEYS)
		return ERR_PTR(-ENOSPC);

	entry = kzalloc(sizeof(*entry), GFP_KERNEL_ACCOUNT);
	if (!entry)
		return ERR_PTR(-ENOMEM);
	strscpy(entry->name, name);

	list_for_each_entry(after, &keys->list, node)
		if (strcmp(after->name, name) > 0)
			break;
	list_add_tail(&entry->node, &after->node);
	keys->count++;
	return entry;
}

static void srnic_key_free(struct srnic_keys *keys, struct srnic_named_key *entry)
{
	if (entry->key) {
		key_revoke(entry->key);		/* wipes the secret immediately */
		key_unlink(keys->ring, entry->key);
		key_put(entry->key);
	}
	list_del(&entry->node);
	keys->count--;
	kfree(entry);
}

/**
 * srnic_key_add() - Add a key, or replace its secret
 * @net: namespace
 * @name: name that srnic_key_name_ok() accepts
 * @secret: the secret; copied, the caller wipes its copy
 * @len: SRNIC_STH_KEY_MIN to SRNIC_STH_KEY_MAX bytes
 * @replace: replace the secret of an existing key of this name
 *
 * Connections that are already sealed keep the old secret.
 *
 * Return: 0; -EINVAL; -EEXIST; -ENOSPC if there are SRNIC_MAX_KEYS keys;
 * -EDQUOT if the caller's key quota (keyrings(7)) is exhausted.
 */
int srnic_key_add(struct net *net, const char *name, const u8 *secret, unsigned int len,
		  bool replace)
{
	struct srnic_keys *keys = srnic_keys(net);
	struct srnic_named_key *entry;
	struct key *key;
	int err = 0;

	if (!srnic_key_name_ok(name) || len < SRNIC_STH_KEY_MIN || len > SRNIC_STH_KEY_MAX)
		return -EINVAL;

	mutex_lock(&keys->lock);
	entry = srnic_key_find(keys, name);
	if (entry && !replace) {
		err = -EEXIST;
		goto unlock;
	}
	if (!entry)
		entry = srnic_key_new(keys, name);
	if (IS_ERR(entry)) {
		err = PTR_ERR(entry);
		goto unlock;
	}

	key = srnic_key_store(keys, name, secret, len);
	if (IS_ERR(key)) {
		err = PTR_ERR(key);
		if (!entry->key)
			srnic_key_free(keys, entry);
		goto unlock;
	}
	/* The store returns the same key with a new secret, unless that key was revoked. */
	key_put(entry->key);
	entry->key = key;
	srnic_keys_changed(keys);
unlock:
	mutex_unlock(&keys->lock);
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_key_add);

/**
 * srnic_key_del() - Delete a key
 * @net: namespace
 * @name: name of the key
 *
 * Rules may still name the key: 'require' then rejects connections, 'prefer'
 * makes them in the clear.
 *
 * Return: 0 or -ENOENT.
 */
int srnic_key_del(struct net *net, const char *name)
{
	struct srnic_keys *keys = srnic_keys(net);
	struct srnic_named_key *entry;

	mutex_lock(&keys->lock);
	entry = srnic_key_find(keys, name);
	if (entry) {
		srnic_key_free(keys, entry);
		srnic_keys_changed(keys);
	}
	mutex_unlock(&keys->lock);
	return entry ? 0 : -ENOENT;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_key_del);

/* Copy the secret unless @secret is NULL. Return its length, 0 if the key is invalid. */
static unsigned int srnic_key_payload(const struct key *key, u8 *secret)
{
	const struct user_key_payload *payload;
	unsigned int len = 0;

	if (key_validate(key))
		return 0;

	rcu_read_lock();
	payload = user_key_payload_rcu(key);
	if (payload && payload->datalen <= SRNIC_STH_KEY_MAX) {
		len = payload->datalen;
		if (secret)
			memcpy(secret, payload->data, len);
	}
	rcu_read_unlock();
	return len;
}

/**
 * srnic_key_read() - Read the secret of a key
 * @net: namespace
 * @name: name of the key
 * @secret: result; the caller wipes it
 *
 * Return: bytes in @secret, or -ENOKEY.
 */
int srnic_key_read(struct net *net, const char *name, u8 secret[SRNIC_STH_KEY_MAX])
{
	struct srnic_keys *keys = srnic_keys(net);
	struct srnic_named_key *entry;
	unsigned int len = 0;

	mutex_lock(&keys->lock);
	entry = srnic_key_find(keys, name);
	if (entry)
		len = srnic_key_payload(entry->key, secret);
	mutex_unlock(&keys->lock);
	return len ?: -ENOKEY;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_key_read);

/**
 * srnic_key_get() - Return the key at an index, in the order of names
 * @net: namespace
 * @index: from 0
 * @name: result
 * @len: result, bytes of the secret
 *
 * Return: 0, or -ENOENT past the end.
 */
int srnic_key_get(struct net *net, unsigned int index, char name[SRNIC_STH_NAME_MAX],
		  unsigned int *len)
{
	struct srnic_keys *keys = srnic_keys(net);
	struct srnic_named_key *entry;
	int err = -ENOENT;

	mutex_lock(&keys->lock);
	list_for_each_entry(entry, &keys->list, node) {
		if (index--)
			continue;
		memcpy(name, entry->name, SRNIC_STH_NAME_MAX);
		*len = srnic_key_payload(entry->key, NULL);
		err = 0;
		break;
	}
	mutex_unlock(&keys->lock);
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_key_get);

/**
 * srnic_key_seq() - Return a number that changes whenever the keys change
 * @net: namespace
 *
 * Return: the number, never 0.
 */
unsigned int srnic_key_seq(struct net *net)
{
	return READ_ONCE(srnic_keys(net)->seq);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_key_seq);

static int __net_init srnic_keys_net_init(struct net *net)
{
	struct srnic_keys *keys = srnic_keys(net);

	mutex_init(&keys->lock);
	INIT_LIST_HEAD(&keys->list);
	keys->seq = 1;
	return 0;
}

static void __net_exit srnic_keys_net_exit(struct net *net)
{
	struct srnic_keys *keys = srnic_keys(net);
	struct srnic_named_key *entry, *next;

	list_for_each_entry_safe(entry, next, &keys->list, node)
		srnic_key_free(keys, entry);
	key_put(keys->ring);
}

static struct pernet_operations srnic_keys_net_ops = {
	.init = srnic_keys_net_init,
	.exit = srnic_keys_net_exit,
	.id = &srnic_keys_id,
	.size = sizeof(struct srnic_keys),
};

int __init srnic_key_init(void)
{
	return register_pernet_subsys(&srnic_keys_net_ops);
}

void srnic_key_exit(void)
{
	unregister_pernet_subsys(&srnic_keys_net_ops);
}
