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
 * A key has a place for two secrets, so that it can be replaced on two hosts one after the other
 * (protocol.md, section 7): the next is staged, promoted, and then the former is retired.
 *
 * Modules cannot walk a keyring, hence the separate list of keys.
 */
#include <linux/cred.h>
#include <linux/ctype.h>
#include <linux/key.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <keys/user-type.h>
#include "export.h"
#include "guard/guard.h"
#include "sth/key_use.h"
#include "sth/sth.h"

/* The possessor may add keys to the keyring and replace a key's secret. */
#define SRNIC_KEY_PERM	KEY_POS_WRITE

/* The key store requires a prefix in the description of a logon key. */
#define SRNIC_KEY_PREFIX	"srnic:"

/**
 * struct srnic_named_key - a key of a namespace
 * @node: entry in srnic_keys.list
 * @key: the secrets, in the key store; each has a place of its own
 * @use: of each of them
 * @current_at: place of the current secret; the other place may be empty
 * @staged: the other secret is the next one; else it is the former one
 * @generation: see struct srnic_key_info
 * @name: the name
 */
struct srnic_named_key {
	struct list_head node;
	struct key *key[SRNIC_SECRETS];
	u32 use[SRNIC_SECRETS];
	unsigned int current_at;
	bool staged;
	u32 generation;
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

/*
 * Lock the keys for a change that allocates memory. Workers read keys for packets that may be
 * needed to free memory, so the allocation must not wait for those.
 */
static unsigned int keys_lock(struct srnic_keys *keys)
{
	mutex_lock(&keys->lock);
	return memalloc_noio_save();
}

static void keys_unlock(struct srnic_keys *keys, unsigned int noio)
{
	memalloc_noio_restore(noio);
	mutex_unlock(&keys->lock);
}

static void srnic_keys_changed(struct net *net, struct srnic_keys *keys)
{
	lockdep_assert_held(&keys->lock);
	/* pairs with srnic_key_seq() */
	smp_store_release(&keys->seq, keys->seq + 1 ?: 1);
	srnic_key_wake(net);
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

/* Store a secret in a place of a key, replacing the one that is there. */
static int srnic_key_store(struct srnic_keys *keys, struct srnic_named_key *entry,
			   unsigned int at, const u8 *secret, unsigned int len)
{
	char description[sizeof(SRNIC_KEY_PREFIX "/0") + SRNIC_STH_NAME_MAX];
	struct key *ring;
	key_ref_t ref;

	ring = srnic_keys_ring(keys);
	if (IS_ERR(ring))
		return PTR_ERR(ring);

	/* no name has a slash */
	snprintf(description, sizeof(description), SRNIC_KEY_PREFIX "%s/%u", entry->name, at);
	ref = key_create_or_update(make_key_ref(ring, true), "logon", description, secret, len,
				   SRNIC_KEY_PERM, KEY_ALLOC_IN_QUOTA);
	if (IS_ERR(ref))
		return PTR_ERR(ref);
	/* The store returns the same key with a new secret, unless that key was revoked. */
	key_put(entry->key[at]);
	entry->key[at] = key_ref_to_ptr(ref);
	srnic_key_use_end(entry->use[at]);
	entry->use[at] = srnic_key_use_begin();
	return 0;
}

/* Wipe the secret in a place of a key, if there is one. */
static void srnic_key_wipe(struct srnic_keys *keys, struct srnic_named_key *entry,
			   unsigned int at)
{
	struct key *key = entry->key[at];

	if (!key)
		return;
	key_revoke(key);	/* wipes the secret immediately */
	key_unlink(keys->ring, key);
	key_put(key);
	entry->key[at] = NULL;
	srnic_key_use_end(entry->use[at]);
	entry->use[at] = 0;
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
	strscpy(entry->name, name, sizeof(entry->name));

	list_for_each_entry(after, &keys->list, node)
		if (strcmp(after->name, name) > 0)
			break;
	list_add_tail(&entry->node, &after->node);
	keys->count++;
	return entry;
}

static void srnic_key_free(struct srnic_keys *keys, struct srnic_named_key *entry)
{
	srnic_key_wipe(keys, entry, 0);
	srnic_key_wipe(keys, entry, 1);
	list_del(&entry->node);
	keys->count--;
	kfree(entry);
}

static bool srnic_key_len_ok(unsigned int len)
{
	return len >= SRNIC_STH_KEY_MIN && len <= SRNIC_STH_KEY_MAX;
}

/**
 * srnic_key_add() - Add a key, or replace its secret
 * @net: namespace
 * @name: name that srnic_key_name_ok() accepts
 * @secret: the secret; copied, the caller wipes its copy
 * @len: SRNIC_STH_KEY_MIN to SRNIC_STH_KEY_MAX bytes
 * @replace: replace the secrets of an existing key of this name, of which there may be two
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
	unsigned int noio;
	int err = 0;

	if (!srnic_key_name_ok(name) || !srnic_key_len_ok(len))
		return -EINVAL;

	noio = keys_lock(keys);
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

	err = srnic_key_store(keys, entry, entry->current_at, secret, len);
	if (err) {
		if (!entry->key[entry->current_at])
			srnic_key_free(keys, entry);
		goto unlock;
	}
	srnic_key_wipe(keys, entry, !entry->current_at);
	entry->generation = 1;
	srnic_keys_changed(net, keys);
unlock:
	keys_unlock(keys, noio);
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_key_add);

/**
 * srnic_key_stage() - Add the next secret of a key
 * @net: namespace
 * @name: name of the key
 * @secret: the secret; copied, the caller wipes its copy
 * @len: SRNIC_STH_KEY_MIN to SRNIC_STH_KEY_MAX bytes
 *
 * From now on, peers may use it; this host does not use it yet.
 *
 * Return: 0; -EINVAL; -ENOENT if there is no such key; -EEXIST if it has two secrets;
 * -EDQUOT as srnic_key_add().
 */
int srnic_key_stage(struct net *net, const char *name, const u8 *secret, unsigned int len)
{
	struct srnic_keys *keys = srnic_keys(net);
	struct srnic_named_key *entry;
	unsigned int noio;
	int err = -ENOENT;

	if (!srnic_key_len_ok(len))
		return -EINVAL;

	noio = keys_lock(keys);
	entry = srnic_key_find(keys, name);
	if (!entry)
		goto unlock;
	err = -EEXIST;
	if (entry->key[!entry->current_at])
		goto unlock;
	err = srnic_key_store(keys, entry, !entry->current_at, secret, len);
	if (err)
		goto unlock;
	entry->staged = true;
	srnic_keys_changed(net, keys);
unlock:
	keys_unlock(keys, noio);
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_key_stage);

/* Change a key. Return what @change returns, or -ENOENT if there is no such key. */
static int srnic_key_change(struct net *net, const char *name,
			    int (*change)(struct srnic_keys *keys, struct srnic_named_key *entry))
{
	struct srnic_keys *keys = srnic_keys(net);
	struct srnic_named_key *entry;
	unsigned int noio;
	int err;

	noio = keys_lock(keys);
	entry = srnic_key_find(keys, name);
	err = entry ? change(keys, entry) : -ENOENT;
	if (!err)
		srnic_keys_changed(net, keys);
	keys_unlock(keys, noio);
	return err;
}

static int srnic_key_promote_entry(struct srnic_keys *keys, struct srnic_named_key *entry)
{
	if (!entry->key[!entry->current_at] || !entry->staged)
		return -ENODATA;
	entry->current_at = !entry->current_at;
	entry->staged = false;
	entry->generation++;
	return 0;
}

/**
 * srnic_key_promote() - Make the next secret of a key the current one
 * @net: namespace
 * @name: name of the key
 *
 * The former one is still accepted from peers.
 *
 * Return: 0; -ENOENT if there is no such key; -ENODATA if it has no next secret.
 */
int srnic_key_promote(struct net *net, const char *name)
{
	return srnic_key_change(net, name, srnic_key_promote_entry);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_key_promote);

static int srnic_key_retire_entry(struct srnic_keys *keys, struct srnic_named_key *entry)
{
	if (!entry->key[!entry->current_at])
		return -ENODATA;
	srnic_key_wipe(keys, entry, !entry->current_at);
	return 0;
}

/**
 * srnic_key_retire() - Wipe the secret of a key that is not the current one
 * @net: namespace
 * @name: name of the key
 *
 * Connections that are already sealed keep it.
 *
 * Return: 0; -ENOENT if there is no such key; -ENODATA if it has no other secret.
 */
int srnic_key_retire(struct net *net, const char *name)
{
	return srnic_key_change(net, name, srnic_key_retire_entry);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_key_retire);

static int srnic_key_del_entry(struct srnic_keys *keys, struct srnic_named_key *entry)
{
	srnic_key_free(keys, entry);
	return 0;
}

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
	return srnic_key_change(net, name, srnic_key_del_entry);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_key_del);

/* Copy the secret unless @secret is NULL. Return its length, 0 if there is no valid key. */
static unsigned int srnic_key_payload(const struct key *key, u8 *secret)
{
	const struct user_key_payload *payload;
	unsigned int len = 0;

	if (!key || key_validate(key))
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

/* Return the place of a secret. */
static unsigned int srnic_key_place(const struct srnic_named_key *entry,
				    enum srnic_secret_of_key which)
{
	return which == SRNIC_SECRET_CURRENT ? entry->current_at : !entry->current_at;
}

/**
 * srnic_key_read() - Read the secrets of a key
 * @net: namespace
 * @name: name of the key
 * @secret: result, indexed by enum srnic_secret_of_key; the caller wipes it
 *
 * Both are read at one time: a promotion in between does not hide one of them.
 *
 * Return: 0, or -ENOKEY if there is no current secret.
 */
int srnic_key_read(struct net *net, const char *name, struct srnic_secret secret[SRNIC_SECRETS])
{
	struct srnic_keys *keys = srnic_keys(net);
	struct srnic_named_key *entry;
	unsigned int i;

	memset(secret, 0, SRNIC_SECRETS * sizeof(*secret));
	mutex_lock(&keys->lock);
	entry = srnic_key_find(keys, name);
	for (i = 0; entry && i < SRNIC_SECRETS; i++) {
		unsigned int at = srnic_key_place(entry, i);

		secret[i].len = srnic_key_payload(entry->key[at], secret[i].bytes);
		secret[i].use = entry->use[at];
	}
	mutex_unlock(&keys->lock);
	return secret[SRNIC_SECRET_CURRENT].len ? 0 : -ENOKEY;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_key_read);

/**
 * srnic_key_get() - Return the key at an index, in the order of names
 * @net: namespace
 * @index: from 0
 * @info: result, without secrets
 *
 * Return: 0, or -ENOENT past the end.
 */
int srnic_key_get(struct net *net, unsigned int index, struct srnic_key_info *info)
{
	struct srnic_keys *keys = srnic_keys(net);
	struct srnic_named_key *entry;
	unsigned int i;
	int err = -ENOENT;

	mutex_lock(&keys->lock);
	list_for_each_entry(entry, &keys->list, node) {
		if (index--)
			continue;
		memcpy(info->name, entry->name, sizeof(info->name));
		info->generation = entry->generation;
		for (i = 0; i < SRNIC_SECRETS; i++)
			info->len[i] = srnic_key_payload(entry->key[srnic_key_place(entry, i)],
							 NULL);
		info->sealed = srnic_key_use_bytes(entry->use[entry->current_at]);
		info->staged = entry->staged && info->len[SRNIC_SECRET_OTHER];
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
	/* pairs with srnic_keys_changed(): read the keys after the number */
	return smp_load_acquire(&srnic_keys(net)->seq);
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
