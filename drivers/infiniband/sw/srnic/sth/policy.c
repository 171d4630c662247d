// SPDX-License-Identifier: GPL-2.0
/*
 * Policy: the rules of a network namespace that say which peer gets which seal,
 * longest prefix first.
 *
 * Connections look up their rule once, at INIT->RTR; datagrams once a packet.
 * The list is sorted, so the first match is the longest. A tree is not needed:
 * administrators write the list, and it has a handful of entries.
 */
#define pr_fmt(fmt) "srnic: " fmt

#include <linux/bitops.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/ratelimit.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include "export.h"
#include "guard/guard.h"
#include "sth/sth.h"

struct srnic_policy_entry {
	struct list_head node;
	struct srnic_policy policy;
	struct rcu_head rcu;
};

/**
 * struct srnic_policies - rules of one namespace
 * @lock: serialises writers; readers are under RCU
 * @list: struct srnic_policy_entry, sorted by length of prefix, then by prefix
 * @count: entries in @list
 * @seq: see srnic_policy_seq()
 */
struct srnic_policies {
	struct mutex lock;	/* writers */
	struct list_head list;
	unsigned int count;
	unsigned int seq;
};

static unsigned int srnic_policies_id __read_mostly;

static struct srnic_policies *srnic_policies(struct net *net)
{
	return net_generic(net, srnic_policies_id);
}

/* Return how many leading bits of @a and @b are equal, up to 128. */
static unsigned int srnic_common_bits(const u8 a[16], const u8 b[16])
{
	unsigned int i;

	for (i = 0; i < 16; i++)
		if (a[i] != b[i])
			return 8 * i + 8 - fls(a[i] ^ b[i]);
	return 128;
}

/**
 * srnic_policy_prefix_ok() - Return whether a prefix is well-formed
 * @prefix: GID
 * @len: bits of it that count
 *
 * Bits set beyond @len are most likely a mistake.
 *
 * Context: any.
 */
bool srnic_policy_prefix_ok(const u8 prefix[16], unsigned int len)
{
	unsigned int i;

	if (len > 128)
		return false;
	for (i = len; i < 128; i++)
		if (prefix[i / 8] & (0x80 >> (i % 8)))
			return false;
	return true;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_policy_prefix_ok);

static bool srnic_policy_valid(const struct srnic_policy *policy)
{
	if (!srnic_policy_prefix_ok(policy->prefix, policy->prefix_len))
		return false;

	switch (policy->rule) {
	case SRNIC_POLICY_OFF:
		return policy->mode == SRNIC_STH_OFF && !policy->suite && !policy->key[0] &&
		       !policy->clear_cm && !policy->uncached;
	case SRNIC_POLICY_PREFER:
	case SRNIC_POLICY_REQUIRE:
		return policy->mode != SRNIC_STH_OFF && policy->suite &&
		       srnic_sth_suite_allows(policy->suite, policy->mode) &&
		       (!policy->uncached || srnic_sth_suite_uncached(policy->suite)) &&
		       srnic_key_name_ok(policy->key);
	}
	return false;
}

/* Compare a prefix with an entry in list order: < 0 if the prefix precedes the entry. */
static int srnic_policy_cmp(const u8 prefix[16], unsigned int prefix_len,
			    const struct srnic_policy_entry *entry)
{
	if (prefix_len != entry->policy.prefix_len)
		return entry->policy.prefix_len - prefix_len;
	return memcmp(prefix, entry->policy.prefix, 16);
}

static void srnic_policies_changed(struct srnic_policies *policies)
{
	lockdep_assert_held(&policies->lock);
	/* pairs with srnic_policy_seq(): the list first */
	smp_store_release(&policies->seq, policies->seq + 1 ?: 1);
}

/**
 * srnic_policy_add() - Add a rule, or replace the rule for the same prefix
 * @net: namespace
 * @policy: the rule; copied
 * @replace: replace an existing rule
 *
 * Return: 0; -EINVAL if the rule is inconsistent; -EEXIST; -ENOSPC if there are
 * SRNIC_MAX_POLICIES rules; -ENOMEM.
 */
int srnic_policy_add(struct net *net, const struct srnic_policy *policy, bool replace)
{
	struct srnic_policies *policies = srnic_policies(net);
	struct srnic_policy_entry *entry, *at;
	int cmp = -1;
	int err = 0;

	if (!srnic_policy_valid(policy))
		return -EINVAL;
	entry = kzalloc(sizeof(*entry), GFP_KERNEL_ACCOUNT);
	if (!entry)
		return -ENOMEM;
	entry->policy = *policy;

	mutex_lock(&policies->lock);
	list_for_each_entry(at, &policies->list, node) {
		cmp = srnic_policy_cmp(policy->prefix, policy->prefix_len, at);
		if (cmp <= 0)
			break;
	}
	if (!list_entry_is_head(at, &policies->list, node) && !cmp) {
		if (!replace) {
			err = -EEXIST;
			goto unlock;
		}
		list_replace_rcu(&at->node, &entry->node);
		kfree_rcu(at, rcu);
	} else {
		if (policies->count >= SRNIC_MAX_POLICIES) {
			err = -ENOSPC;
			goto unlock;
		}
		list_add_tail_rcu(&entry->node, &at->node);
		policies->count++;
	}
	srnic_policies_changed(policies);
	entry = NULL;
unlock:
	mutex_unlock(&policies->lock);
	kfree(entry);
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_policy_add);

/**
 * srnic_policy_del() - Delete a rule
 * @net: namespace
 * @prefix: exact prefix of the rule
 * @prefix_len: bits in @prefix
 *
 * Return: 0 or -ENOENT.
 */
int srnic_policy_del(struct net *net, const u8 prefix[16], u8 prefix_len)
{
	struct srnic_policies *policies = srnic_policies(net);
	struct srnic_policy_entry *entry;
	int err = -ENOENT;

	mutex_lock(&policies->lock);
	list_for_each_entry(entry, &policies->list, node) {
		if (srnic_policy_cmp(prefix, prefix_len, entry))
			continue;
		list_del_rcu(&entry->node);
		kfree_rcu(entry, rcu);
		policies->count--;
		srnic_policies_changed(policies);
		err = 0;
		break;
	}
	mutex_unlock(&policies->lock);
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_policy_del);

/* Return the rule for a peer, or NULL; under RCU. */
static const struct srnic_policy *srnic_policy_find(struct net *net, const u8 peer[16])
{
	struct srnic_policies *policies = srnic_policies(net);
	struct srnic_policy_entry *entry;

	list_for_each_entry_rcu(entry, &policies->list, node)
		if (srnic_common_bits(entry->policy.prefix, peer) >= entry->policy.prefix_len)
			return &entry->policy;
	return NULL;
}

/* Log the peer, the missing key and the remedy in one line. */
static void srnic_policy_warn_no_key(struct net *net, const u8 peer[16],
				     const struct srnic_policy *policy)
{
	pr_warn_ratelimited("no connection with %pI6c: policy requires key %s, which net:[%u] does not have; add it by 'srnic key add %s' or change the rule\n",
			    peer, policy->key, net->ns.inum, policy->key);
}

/* Read the secrets of a key, at one time. */
static int read_key(struct net *net, const char *name, struct srnic_sth_params *params)
{
	struct srnic_secret secret[SRNIC_SECRETS];
	unsigned int i;
	int err;

	err = srnic_key_read(net, name, secret);
	if (!err) {
		params->key_len = secret[SRNIC_SECRET_CURRENT].len;
		memcpy(params->key, secret[SRNIC_SECRET_CURRENT].bytes, sizeof(params->key));
		params->other_key_len = secret[SRNIC_SECRET_OTHER].len;
		memcpy(params->other_key, secret[SRNIC_SECRET_OTHER].bytes,
		       sizeof(params->other_key));
		for (i = 0; i < SRNIC_SECRETS; i++)
			params->key_use[i] = secret[i].use;
	}
	memzero_explicit(secret, sizeof(secret));
	return err;
}

static void clear_params(struct srnic_sth_params *params)
{
	params->suite = NULL;
	params->mode = SRNIC_STH_OFF;
	params->key_len = 0;
	params->other_key_len = 0;
	params->pair_key = false;
	params->app_key_len = 0;
	params->preferred_clear = false;
	params->uncached = false;
	memzero_explicit(params->key, sizeof(params->key));
	memzero_explicit(params->other_key, sizeof(params->other_key));
	memset(params->key_use, 0, sizeof(params->key_use));
}

/* Resolve the rule, which is returned in @policy. Return 0, or -ENOKEY if it requires a key. */
static int resolve_rule(struct net *net, const u8 peer[16], struct srnic_sth_params *params,
			struct srnic_policy *policy)
{
	const struct srnic_policy *found;

	clear_params(params);
	policy->rule = SRNIC_POLICY_OFF;
	rcu_read_lock();
	found = srnic_policy_find(net, peer);
	if (found)
		*policy = *found;
	rcu_read_unlock();
	if (policy->rule == SRNIC_POLICY_OFF)
		return 0;

	if (!read_key(net, policy->key, params)) {
		params->suite = policy->suite;
		params->mode = policy->mode;
		params->uncached = policy->uncached;
		return 0;
	}
	if (policy->rule == SRNIC_POLICY_PREFER) {
		params->preferred_clear = true;
		return 0;
	}
	return -ENOKEY;
}

/**
 * srnic_policy_resolve() - Resolve the policy for connections to a peer
 * @net: namespace of the local GID's netdev
 * @peer: remote GID, IPv4 in mapped form
 * @params: suite, mode, key and other_key with their lengths and uses, uncached
 *	and preferred_clear are set; the caller wipes it
 *
 * Context: process.
 * Return: 0, or -EACCES if the rule is 'require' and there is no usable key.
 */
int srnic_policy_resolve(struct net *net, const u8 peer[16], struct srnic_sth_params *params)
{
	struct srnic_policy policy;

	if (!resolve_rule(net, peer, params, &policy))
		return 0;
	srnic_policy_warn_no_key(net, peer, &policy);
	return -EACCES;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_policy_resolve);

/**
 * srnic_policy_obtain() - Resolve the policy, and have a missing key added
 * @net: namespace of the local GID's netdev, which the caller holds
 * @peer: remote GID, IPv4 in mapped form
 * @wait: how long to wait for a key that a rule requires, in jiffies; 0: only report it
 * @params: as srnic_policy_resolve()
 *
 * If nobody listens for wanted keys, it does not wait.
 *
 * Context: process; a fatal signal ends the wait.
 * Return: 0, or -EACCES if the rule is 'require' and there is no usable key.
 */
int srnic_policy_obtain(struct net *net, const u8 peer[16], long wait,
			struct srnic_sth_params *params)
{
	struct srnic_policy policy;
	unsigned int seq;

	for (;;) {
		/* read first: a key that is added from now on ends the wait */
		seq = srnic_key_seq(net);
		if (!resolve_rule(net, peer, params, &policy))
			return 0;
		if (!srnic_key_want(net, policy.key, peer) || wait <= 0)
			break;
		wait = srnic_key_await(net, seq, wait);
		if (wait <= 0)
			break;
	}
	srnic_policy_warn_no_key(net, peer, &policy);
	return -EACCES;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_policy_obtain);

/**
 * srnic_policy_brief() - Return the rule for a peer or a group in brief, off if there is none
 * @net: namespace of the device
 * @gid: of the peer or the group
 *
 * Context: any.
 */
struct srnic_policy_brief srnic_policy_brief(struct net *net, const u8 gid[16])
{
	struct srnic_policy_brief brief = { .rule = SRNIC_POLICY_OFF };
	const struct srnic_policy *policy;

	rcu_read_lock();
	policy = srnic_policy_find(net, gid);
	if (policy && policy->rule != SRNIC_POLICY_OFF) {
		brief.rule = policy->rule;
		brief.datagrams = srnic_sth_suite_has_datagrams(policy->suite);
		brief.opaque = policy->mode == SRNIC_STH_OPAQUE;
		brief.clear_cm = policy->clear_cm;
	}
	rcu_read_unlock();
	return brief;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_policy_brief);

/*
 * Bytes of a datagram's STH that do not fit in the space of a connection's
 * longest extension headers: a datagram has a DETH where a WRITE has an RETH
 * and immediate data. Over IPv6 a datagram with immediate data may still exceed
 * the MTU by 4 bytes, and is lost. This is the price of an IB MTU of 4096 on a
 * netdev MTU of 4200.
 */
#define DGRAM_STH_EXTRA	(SRNIC_DGRAM_STH_LEN - (SRNIC_PAYLOAD_EXT_MAX - SRNIC_DETH_LEN))

/**
 * srnic_policy_longest_sth() - Return how many bytes of a packet seals may need
 * @net: namespace
 *
 * Context: any.
 * Return: bytes of the longest STH that a rule demands, in addition to a
 * connection's longest headers; 0 if no rule demands one.
 */
unsigned int srnic_policy_longest_sth(struct net *net)
{
	struct srnic_policies *policies = srnic_policies(net);
	struct srnic_policy_entry *entry;
	unsigned int longest = 0;

	rcu_read_lock();
	list_for_each_entry_rcu(entry, &policies->list, node) {
		const struct srnic_policy *policy = &entry->policy;

		if (policy->rule == SRNIC_POLICY_OFF)
			continue;
		longest = max(longest, srnic_sth_suite_sth_len(policy->suite));
		if (srnic_sth_suite_has_datagrams(policy->suite))
			longest = max_t(unsigned int, longest, DGRAM_STH_EXTRA);
	}
	rcu_read_unlock();
	return longest;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_policy_longest_sth);

/**
 * srnic_policy_get() - Copy one of the rules
 * @net: namespace
 * @index: of the rule, in the order in which they are looked up
 * @policy: the copy
 *
 * Context: any.
 * Return: 0, or -ENOENT: there are no more.
 */
int srnic_policy_get(struct net *net, unsigned int index, struct srnic_policy *policy)
{
	struct srnic_policies *policies = srnic_policies(net);
	struct srnic_policy_entry *entry;
	int err = -ENOENT;

	rcu_read_lock();
	list_for_each_entry_rcu(entry, &policies->list, node) {
		if (index--)
			continue;
		*policy = entry->policy;
		err = 0;
		break;
	}
	rcu_read_unlock();
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_policy_get);

/**
 * srnic_policy_seq() - Return a number that differs after each change of the rules
 * @net: namespace
 *
 * Context: any. A reader of the rules takes the number first: the rules that it reads are then
 * as new as the number says, or newer.
 * Return: never 0.
 */
unsigned int srnic_policy_seq(struct net *net)
{
	/* pairs with srnic_policies_changed(): read the list after the number */
	return smp_load_acquire(&srnic_policies(net)->seq);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_policy_seq);

static int __net_init srnic_policies_net_init(struct net *net)
{
	struct srnic_policies *policies = srnic_policies(net);

	mutex_init(&policies->lock);
	INIT_LIST_HEAD(&policies->list);
	policies->seq = 1;
	return 0;
}

static void __net_exit srnic_policies_net_exit(struct net *net)
{
	struct srnic_policies *policies = srnic_policies(net);
	struct srnic_policy_entry *entry, *next;

	list_for_each_entry_safe(entry, next, &policies->list, node)
		kfree_rcu(entry, rcu);
}

static struct pernet_operations srnic_policies_net_ops = {
	.init = srnic_policies_net_init,
	.exit = srnic_policies_net_exit,
	.id = &srnic_policies_id,
	.size = sizeof(struct srnic_policies),
};

/**
 * srnic_policy_init() - Set up the rules and keys of all namespaces
 *
 * Context: process, at module load.
 * Return: 0 or an error of register_pernet_subsys() or of the key ring.
 */
int __init srnic_policy_init(void)
{
	int err;

	err = srnic_wanted_init();
	if (err)
		return err;
	err = srnic_key_init();
	if (err)
		goto wanted_exit;
	err = register_pernet_subsys(&srnic_policies_net_ops);
	if (err)
		goto key_exit;
	return 0;

key_exit:
	srnic_key_exit();
wanted_exit:
	srnic_wanted_exit();
	return err;
}

/**
 * srnic_policy_exit() - Undo srnic_policy_init()
 *
 * Context: process; no device exists.
 */
void srnic_policy_exit(void)
{
	unregister_pernet_subsys(&srnic_policies_net_ops);
	srnic_key_exit();
	srnic_wanted_exit();
}
