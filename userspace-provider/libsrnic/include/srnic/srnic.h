/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * libsrnic - seal policy and state of the srnic driver: rules, keys, devices, quotas,
 * queue pairs, refused packets and peers, by generic netlink. libsrnic(7) is the manual.
 *
 * Functions that can fail return 0 or a negative errno value. srnic_error() then returns
 * one line that describes the error and how to correct it.
 *
 * Queries return a list: a snapshot of the kernel's state. Members and their strings
 * belong to the list and are freed with it; accessors cannot fail. Attributes that the
 * running kernel does not report read as 0, "" (strings) or NULL (other pointers).
 *
 * Only one thread at a time may use a handle; any number of threads may read a list.
 */
#ifndef SRNIC_SRNIC_H
#define SRNIC_SRNIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/srnic.h>

#ifdef __cplusplus
extern "C" {
#endif

struct srnic;		/* a handle: one network namespace's family */
struct srnic_list;	/* objects that the kernel has reported */

struct srnic_suite;
struct srnic_policy;
struct srnic_key;
struct srnic_wanted;
struct srnic_dev;
struct srnic_quota;
struct srnic_user;
struct srnic_limit;
struct srnic_node;
struct srnic_pkey;
struct srnic_qp;
struct srnic_flow;
struct srnic_log_entry;
struct srnic_peer;
struct srnic_fault;

/* For srnic_open(): the network namespace of the calling thread */
#define SRNIC_NETNS_OWN	(-1)

/* For lists of objects of a device: all devices */
#define SRNIC_DEV_ALL	UINT32_MAX

/* Flags of srnic_policy_add() and srnic_key_add() */
#define SRNIC_REPLACE	(1u << 0)	/* replace an existing object */
/* For srnic_policy_add() only; since libsrnic 1.1 */
#define SRNIC_CLEAR_CM	(1u << 1)	/* leave CM messages unsealed */
#define SRNIC_UNCACHED	(1u << 2)	/* derive sub-keys for each packet */

/* Size of a buffer for any address or prefix as text, in bytes */
#define SRNIC_TEXT_MAX	64

/**
 * struct srnic_prefix - Prefix of peer addresses
 * @addr: IPv6 address, or IPv4-mapped address (::ffff:a.b.c.d), in network order;
 *	bits beyond the prefix are 0
 * @len: 0 to 128, in bits; 96 more than the written length of an IPv4 prefix
 */
struct srnic_prefix {
	uint8_t addr[16];
	uint8_t len;
};

/**
 * srnic_open() - Find the driver's netlink family in a network namespace
 * @srnic: returns the handle, for srnic_close(); NULL on failure
 * @netns: file descriptor of a network namespace, or SRNIC_NETNS_OWN; the caller may
 *	close it afterwards. The calling thread does not change its namespace.
 *
 * The kernel loads the driver if it is installed.
 *
 * Return: 0; -ENOENT: the kernel has no srnic driver; -EPERM: no permission to enter the
 * namespace (CAP_SYS_ADMIN); -EBADF, -EINVAL: @netns is not a network namespace;
 * -EPROTO: the kernel sent a malformed answer; -ENOMEM, or another error of socket(2) or
 * pthread_create(3).
 */
int srnic_open(struct srnic **srnic, int netns);

/**
 * srnic_close() - Close a handle
 * @srnic: may be NULL; lists obtained from it remain valid
 */
void srnic_close(struct srnic *srnic);

/**
 * srnic_error() - Return a message for the last failed call
 *
 * Return: one line without a newline, in the kernel's words where the kernel sent a
 * message; "" if no call of this thread has failed. The string belongs to the thread and
 * is valid until its next failing call.
 */
const char *srnic_error(void);

/**
 * srnic_list_free() - Free a list and its members
 * @list: may be NULL
 */
void srnic_list_free(struct srnic_list *list);

/*
 * All functions below that take a handle may also return -ENOMEM, -EAGAIN (the list changed
 * faster than it could be read), -EPROTO (the kernel sent a malformed answer), and errors
 * of send(2) and recv(2).
 */

/**
 * srnic_suite_list() - List the cipher suites of the driver
 * @srnic: handle
 * @list: returns the list, for srnic_suite_next()
 *
 * Return: 0, or a negative errno value.
 */
int srnic_suite_list(struct srnic *srnic, struct srnic_list **list);

/**
 * srnic_suite_next() - Return the next suite of a list
 * @list: from srnic_suite_list(); any other list counts as empty
 * @suite: the previous suite; NULL for the first
 *
 * Return: a suite, or NULL at the end.
 */
const struct srnic_suite *srnic_suite_next(const struct srnic_list *list,
					   const struct srnic_suite *suite);

#define srnic_for_each_suite(suite, list)				\
	for ((suite) = srnic_suite_next(list, NULL); (suite);		\
	     (suite) = srnic_suite_next(list, suite))

/** srnic_suite_name() - Return the suite's name in rules, for example "aes-gcm-128" */
const char *srnic_suite_name(const struct srnic_suite *suite);
/** srnic_suite_has_mode() - Test whether the suite supports a mode */
bool srnic_suite_has_mode(const struct srnic_suite *suite, enum srnic_mode mode);
/** srnic_suite_tag_len() - Return the size of the tag, in bytes */
unsigned int srnic_suite_tag_len(const struct srnic_suite *suite);
/** srnic_suite_sth_len() - Return the overhead per packet including the tag, in bytes */
unsigned int srnic_suite_sth_len(const struct srnic_suite *suite);
/** srnic_suite_available() - Test whether the running kernel has the suite's algorithms */
bool srnic_suite_available(const struct srnic_suite *suite);

/**
 * srnic_policy_add() - Add or replace a rule
 * @srnic: handle
 * @prefix: the peers' addresses
 * @rule: requirement for connections with these peers
 * @mode: coverage of the seal; SRNIC_MODE_OFF if @rule is SRNIC_RULE_OFF
 * @suite: name of a suite that supports @mode; NULL if @rule is SRNIC_RULE_OFF
 * @key: name of a key, which need not exist yet; NULL if @rule is SRNIC_RULE_OFF
 * @flags: 0 or SRNIC_REPLACE; unless @rule is SRNIC_RULE_OFF, also SRNIC_CLEAR_CM and
 *	SRNIC_UNCACHED
 *
 * The rule applies to connections that are made, and datagrams that are sent, from now on.
 * Needs CAP_NET_ADMIN in the user namespace that owns the handle's network namespace.
 *
 * Return: 0; -EEXIST: the prefix has a rule and @flags lacks SRNIC_REPLACE;
 * -EINVAL: an argument violates the above; -EOPNOTSUPP: the suite does not support the
 * mode, or the kernel lacks the suite; -ENOSPC: too many rules; -EPERM.
 */
int srnic_policy_add(struct srnic *srnic, const struct srnic_prefix *prefix, enum srnic_rule rule,
		     enum srnic_mode mode, const char *suite, const char *key, unsigned int flags);

/**
 * srnic_policy_del() - Delete a rule
 * @srnic: handle
 * @prefix: the rule's exact prefix
 *
 * Existing connections are not affected. Needs CAP_NET_ADMIN.
 *
 * Return: 0; -ENOENT: no such rule; -EINVAL: bits set beyond the prefix; -EPERM.
 */
int srnic_policy_del(struct srnic *srnic, const struct srnic_prefix *prefix);

/**
 * srnic_policy_flush() - Delete all rules
 * @srnic: handle
 *
 * Deletes rules one by one, longest prefix first; rules added concurrently may survive.
 * New connections are in the clear afterwards. Needs CAP_NET_ADMIN.
 *
 * Return: 0; -EPERM. On failure, some rules may already be deleted.
 */
int srnic_policy_flush(struct srnic *srnic);

/**
 * srnic_policy_list() - List the rules, longest prefix first
 * @srnic: handle
 * @list: returns the list, for srnic_policy_next()
 *
 * Needs CAP_NET_ADMIN.
 *
 * Return: 0; -EPERM.
 */
int srnic_policy_list(struct srnic *srnic, struct srnic_list **list);

/**
 * srnic_policy_next() - Return the next rule of a list
 * @list: from srnic_policy_list(); any other list counts as empty
 * @policy: the previous rule; NULL for the first
 *
 * Return: a rule, or NULL at the end.
 */
const struct srnic_policy *srnic_policy_next(const struct srnic_list *list,
					     const struct srnic_policy *policy);

#define srnic_for_each_policy(policy, list)				\
	for ((policy) = srnic_policy_next(list, NULL); (policy);	\
	     (policy) = srnic_policy_next(list, policy))

/** srnic_policy_prefix() - Return the peers' addresses */
struct srnic_prefix srnic_policy_prefix(const struct srnic_policy *policy);
/** srnic_policy_rule() - Return the requirement; the value may be newer than this header */
enum srnic_rule srnic_policy_rule(const struct srnic_policy *policy);
/** srnic_policy_mode() - Return the coverage of the seal */
enum srnic_mode srnic_policy_mode(const struct srnic_policy *policy);
/** srnic_policy_suite() - Return the suite's name; "" if the rule seals nothing */
const char *srnic_policy_suite(const struct srnic_policy *policy);
/** srnic_policy_key() - Return the key's name; "" if the rule seals nothing */
const char *srnic_policy_key(const struct srnic_policy *policy);
/** srnic_policy_clear_cm() - Test whether CM messages stay unsealed */
bool srnic_policy_clear_cm(const struct srnic_policy *policy);

/** srnic_policy_uncached() - Test whether connections derive sub-keys for each packet */
bool srnic_policy_uncached(const struct srnic_policy *policy);

/**
 * srnic_key_add() - Add a pre-shared key to the kernel, or replace it
 * @srnic: handle
 * @name: 1 to 31 (SRNIC_NAME_MAX) letters, digits, '.', '_' or '-'
 * @secret: the key; it cannot be read back. The library wipes its own copies; the caller
 *	wipes @secret (explicit_bzero(3)).
 * @len: 16 to 32 (SRNIC_SECRET_MIN, SRNIC_SECRET_MAX), in bytes
 * @flags: SRNIC_REPLACE, or 0
 *
 * The key applies to connections that are made from now on. A key that is replaced loses all
 * of its secrets. Needs CAP_NET_ADMIN.
 *
 * Return: 0; -EEXIST: a key of this name exists and @flags lacks SRNIC_REPLACE; -EINVAL:
 * name or length violate the above; -ENOSPC: too many keys; -EDQUOT: the user's
 * quota of kernel keys is used up; -EPERM.
 */
int srnic_key_add(struct srnic *srnic, const char *name, const void *secret, size_t len,
		  unsigned int flags);

/**
 * srnic_key_stage() - Add the next secret of a key; since libsrnic 1.1
 * @srnic: handle
 * @name: name of the key
 * @secret: the next secret, as for srnic_key_add()
 * @len: 16 to 32, in bytes
 *
 * Peers may use it from now on. To replace a key on two hosts, stage the same secret on both,
 * promote it on both, and retire the former one on both: between any two of these steps both
 * hosts have a secret in common. Needs CAP_NET_ADMIN.
 *
 * Return: 0; -ENOENT: no such key; -EEXIST: the key has two secrets; -EINVAL, -EDQUOT,
 * -EPERM: as for srnic_key_add().
 */
int srnic_key_stage(struct srnic *srnic, const char *name, const void *secret, size_t len);

/**
 * srnic_key_promote() - Make the next secret of a key the current one; since libsrnic 1.1
 * @srnic: handle
 * @name: name of the key
 *
 * Connections that are made from now on use it. Peers may still use the former one. Needs
 * CAP_NET_ADMIN.
 *
 * Return: 0; -ENOENT: no such key; -ENODATA: no next secret; -EINVAL: not a valid name; -EPERM.
 */
int srnic_key_promote(struct srnic *srnic, const char *name);

/**
 * srnic_key_retire() - Wipe the secret of a key that is not current; since libsrnic 1.1
 * @srnic: handle
 * @name: name of the key
 *
 * Connections sealed with it are not affected. Needs CAP_NET_ADMIN.
 *
 * Return: 0; -ENOENT: no such key; -ENODATA: the key has one secret only; -EINVAL: not a
 * valid name; -EPERM.
 */
int srnic_key_retire(struct srnic *srnic, const char *name);

/**
 * srnic_key_del() - Delete a key
 * @srnic: handle
 * @name: its name
 *
 * Connections sealed with the key are not affected. Needs CAP_NET_ADMIN.
 *
 * Return: 0; -ENOENT: no such key; -EINVAL: not a valid name; -EPERM.
 */
int srnic_key_del(struct srnic *srnic, const char *name);

/**
 * srnic_key_list() - List the names and lengths of the keys, without secrets
 * @srnic: handle
 * @list: returns the list, for srnic_key_next()
 *
 * Needs CAP_NET_ADMIN.
 *
 * Return: 0; -EPERM.
 */
int srnic_key_list(struct srnic *srnic, struct srnic_list **list);

/**
 * srnic_key_next() - Return the next key of a list
 * @list: from srnic_key_list(); any other list counts as empty
 * @key: the previous key; NULL for the first
 *
 * Return: a key, or NULL at the end.
 */
const struct srnic_key *srnic_key_next(const struct srnic_list *list, const struct srnic_key *key);

#define srnic_for_each_key(key, list)					\
	for ((key) = srnic_key_next(list, NULL); (key);			\
	     (key) = srnic_key_next(list, key))

/** srnic_key_name() - Return the key's name */
const char *srnic_key_name(const struct srnic_key *key);
/** srnic_key_len() - Return the length of the secret, in bytes */
unsigned int srnic_key_len(const struct srnic_key *key);
/** srnic_key_generation() - Return 1, and one more for each promotion since the key was added */
uint32_t srnic_key_generation(const struct srnic_key *key);
/**
 * srnic_key_sealed() - Return how many bytes of packets the current secret has sealed on this
 *	host; connections that are open report them in steps of 256 KiB
 */
uint64_t srnic_key_sealed(const struct srnic_key *key);
/** srnic_key_other_len() - Return the length of the second secret, in bytes; 0: there is none */
unsigned int srnic_key_other_len(const struct srnic_key *key);
/** srnic_key_is_staged() - Test whether there is a second secret, and it is the next one */
bool srnic_key_is_staged(const struct srnic_key *key);

/**
 * srnic_wanted_follow() - Wait for reports of missing keys; since libsrnic 1.1
 * @srnic: handle; its first call starts listening, later calls continue from there
 * @timeout: how long to wait, in milliseconds; -1: for ever
 * @list: returns the reports, for srnic_wanted_next(); empty after a timeout
 *
 * The kernel reports a key that a rule requires and that does not exist, when a connection is
 * made or a datagram is sent. As long as a handle listens, connections of programs wait up to
 * five seconds for the key. A key is reported once a second at most. Reports that arrive while
 * the handle is used for a query are lost: use a separate handle. Needs CAP_NET_ADMIN.
 *
 * Return: 0; -EPERM; -EINTR: interrupted by a signal; -ENOBUFS: reports were lost;
 * -EOPNOTSUPP: the driver reports none.
 */
int srnic_wanted_follow(struct srnic *srnic, int timeout, struct srnic_list **list);

/**
 * srnic_wanted_next() - Return the next report of a list
 * @list: from srnic_wanted_follow(); any other list counts as empty
 * @wanted: the previous report; NULL for the first
 *
 * Return: a report, or NULL at the end.
 */
const struct srnic_wanted *srnic_wanted_next(const struct srnic_list *list,
					     const struct srnic_wanted *wanted);

#define srnic_for_each_wanted(wanted, list)				\
	for ((wanted) = srnic_wanted_next(list, NULL); (wanted);	\
	     (wanted) = srnic_wanted_next(list, wanted))

/** srnic_wanted_key() - Return the name of the missing key */
const char *srnic_wanted_key(const struct srnic_wanted *wanted);
/** srnic_wanted_peer() - Return the address of the peer, 16 bytes; NULL if unknown */
const uint8_t *srnic_wanted_peer(const struct srnic_wanted *wanted);

/**
 * srnic_fd() - Return a descriptor for poll(2); since libsrnic 1.1
 * @srnic: handle that listens
 *
 * The descriptor is readable when a report or an entry has arrived. It belongs to the handle;
 * read it by srnic_wanted_follow() or srnic_log_follow() only.
 *
 * Return: the descriptor.
 */
int srnic_fd(const struct srnic *srnic);

/**
 * srnic_dev_list() - List the devices whose netdev is in the handle's namespace
 * @srnic: handle
 * @list: returns the list, for srnic_dev_next()
 *
 * Return: 0, or a negative errno value.
 */
int srnic_dev_list(struct srnic *srnic, struct srnic_list **list);

/**
 * srnic_dev_next() - Return the next device of a list
 * @list: from srnic_dev_list(); any other list counts as empty
 * @dev: the previous device; NULL for the first
 *
 * Return: a device, or NULL at the end.
 */
const struct srnic_dev *srnic_dev_next(const struct srnic_list *list, const struct srnic_dev *dev);

#define srnic_for_each_dev(dev, list)					\
	for ((dev) = srnic_dev_next(list, NULL); (dev);			\
	     (dev) = srnic_dev_next(list, dev))

/**
 * srnic_dev_find() - Find a device in a list
 * @list: from srnic_dev_list()
 * @name: name of the RDMA device
 *
 * Return: the device, or NULL.
 */
const struct srnic_dev *srnic_dev_find(const struct srnic_list *list, const char *name);

/** srnic_dev_name() - Return the RDMA device's name */
const char *srnic_dev_name(const struct srnic_dev *dev);
/** srnic_dev_index() - Return the device's number, as ibv_get_device_index() does */
uint32_t srnic_dev_index(const struct srnic_dev *dev);
/** srnic_dev_ifindex() - Return the index of the device's netdev, in the handle's namespace */
unsigned int srnic_dev_ifindex(const struct srnic_dev *dev);
/** srnic_dev_mtu() - Return the netdev's MTU, in bytes */
unsigned int srnic_dev_mtu(const struct srnic_dev *dev);

/**
 * srnic_quota_next() - Return the next quota of a device
 * @dev: the device
 * @quota: the previous quota; NULL for the first
 *
 * Return: a quota, or NULL at the end.
 */
const struct srnic_quota *srnic_quota_next(const struct srnic_dev *dev,
					   const struct srnic_quota *quota);

#define srnic_for_each_quota(quota, dev)				\
	for ((quota) = srnic_quota_next(dev, NULL); (quota);		\
	     (quota) = srnic_quota_next(dev, quota))

/** srnic_quota_name() - Return the name of the resource, for example "qp" */
const char *srnic_quota_name(const struct srnic_quota *quota);
/** srnic_quota_used() - Return how many objects or pages are in use */
uint32_t srnic_quota_used(const struct srnic_quota *quota);
/** srnic_quota_limit() - Return how many objects or pages the device grants in total */
uint32_t srnic_quota_limit(const struct srnic_quota *quota);
/** srnic_quota_reserve() - Return how many of these only the kernel and administrator get */
uint32_t srnic_quota_reserve(const struct srnic_quota *quota);

/**
 * srnic_quota_set() - Change a quota of a device
 * @srnic: handle
 * @dev_index: the device, from srnic_dev_index()
 * @name: name of the resource
 * @limit: in objects or pages; grants above a lowered limit remain
 *
 * Needs CAP_NET_ADMIN.
 *
 * Return: 0; -ENODEV: no such device in this namespace; -ENOENT: no such quota;
 * -EINVAL: not a valid name; -EPERM.
 */
int srnic_quota_set(struct srnic *srnic, uint32_t dev_index, const char *name, uint32_t limit);

/**
 * srnic_quota_set_reserve() - Change a quota of a device and its reserve
 * @srnic: handle
 * @dev_index: the device, from srnic_dev_index()
 * @name: name of the resource
 * @limit: in objects or pages; grants above a lowered limit remain
 * @reserve: part of @limit for the kernel and the administrator only;
 *	srnic_quota_set() sets it to a sixteenth of the limit
 *
 * Needs CAP_NET_ADMIN.
 *
 * Return: as srnic_quota_set().
 */
int srnic_quota_set_reserve(struct srnic *srnic, uint32_t dev_index, const char *name,
			    uint32_t limit, uint32_t reserve);

/**
 * srnic_limit_next() - Return the next limit that a device imposes on peers
 * @dev: the device
 * @limit: the previous limit; NULL for the first
 *
 * Return: a limit, or NULL at the end.
 */
const struct srnic_limit *srnic_limit_next(const struct srnic_dev *dev,
					   const struct srnic_limit *limit);

#define srnic_for_each_limit(limit, dev)				\
	for ((limit) = srnic_limit_next(dev, NULL); (limit);		\
	     (limit) = srnic_limit_next(dev, limit))

/**
 * srnic_limit_name() - Return the name of a limit
 * @limit: the limit
 *
 * Return: "idle": seconds for which a peer may stay silent; "faults": faults of one peer
 * per second; "cutoff": seconds for which a peer is cut off beyond that; "greed": 1 if a
 * queue pair may take all of a shared receive queue; "ecn": 1 if RC packets are
 * ECN-capable; or a name newer than this header.
 */
const char *srnic_limit_name(const struct srnic_limit *limit);
/** srnic_limit_value() - Return the value in the limit's unit; 0: no limit */
uint32_t srnic_limit_value(const struct srnic_limit *limit);
/** srnic_limit_highest() - Return the largest value that the limit accepts */
uint32_t srnic_limit_highest(const struct srnic_limit *limit);

/**
 * srnic_limit_set() - Change a limit of a device
 * @srnic: handle
 * @dev_index: the device, from srnic_dev_index()
 * @name: name of the limit
 * @value: in the limit's unit; 0: no limit
 *
 * Needs CAP_NET_ADMIN.
 *
 * Return: 0; -ENODEV: no such device in this namespace; -ENOENT: no such limit;
 * -ERANGE: @value is too large; -EINVAL: not a valid name; -EPERM.
 */
int srnic_limit_set(struct srnic *srnic, uint32_t dev_index, const char *name, uint32_t value);

/**
 * srnic_pkey_next() - Return the next P_Key of an InfiniBand port
 * @dev: the device; one that is no InfiniBand port has none
 * @pkey: the previous P_Key; NULL for the first
 *
 * Since libsrnic 1.1.
 *
 * Return: a P_Key, or NULL at the end.
 */
const struct srnic_pkey *srnic_pkey_next(const struct srnic_dev *dev,
					 const struct srnic_pkey *pkey);

#define srnic_for_each_pkey(pkey, dev)				\
	for ((pkey) = srnic_pkey_next(dev, NULL); (pkey);	\
	     (pkey) = srnic_pkey_next(dev, pkey))

/** srnic_pkey_value() - Return the P_Key; its highest bit tells a full member */
uint16_t srnic_pkey_value(const struct srnic_pkey *pkey);

/**
 * srnic_pkey_add() - Make an InfiniBand port a member of a partition
 * @srnic: handle
 * @dev_index: the device, from srnic_dev_index()
 * @pkey: the P_Key; its highest bit makes the port a full member
 *
 * Needs CAP_NET_ADMIN. Since libsrnic 1.1.
 *
 * Return: 0; -ENODEV: no such device in this namespace; -EOPNOTSUPP: it is no InfiniBand
 * port; -EEXIST: it is a member already; -ENOSPC: its table is full; -EINVAL: partition 0;
 * -EPERM.
 */
int srnic_pkey_add(struct srnic *srnic, uint32_t dev_index, uint16_t pkey);

/**
 * srnic_pkey_del() - End an InfiniBand port's membership of a partition
 * @srnic: handle
 * @dev_index: the device, from srnic_dev_index()
 * @pkey: the P_Key, with or without the bit of full members
 *
 * Needs CAP_NET_ADMIN. Since libsrnic 1.1.
 *
 * Return: 0; -ENODEV: no such device in this namespace; -EOPNOTSUPP: it is no InfiniBand
 * port; -ENOENT: it is no member; -EINVAL: the default partition; -EPERM.
 */
int srnic_pkey_del(struct srnic *srnic, uint32_t dev_index, uint16_t pkey);

/**
 * srnic_node_next() - Return the next node of the subnet of an InfiniBand port
 * @dev: the device; one that is no InfiniBand port has none
 * @node: the previous node; NULL for the first
 *
 * A node that has both roles comes twice. Since libsrnic 1.1.
 *
 * Return: a node, or NULL at the end.
 */
const struct srnic_node *srnic_node_next(const struct srnic_dev *dev,
					 const struct srnic_node *node);

#define srnic_for_each_node(node, dev)				\
	for ((node) = srnic_node_next(dev, NULL); (node);	\
	     (node) = srnic_node_next(dev, node))

/** srnic_node_gid() - Return the GID of a node's port: 16 bytes */
const uint8_t *srnic_node_gid(const struct srnic_node *node);
/** srnic_node_role() - Return the role of a node */
enum srnic_role srnic_node_role(const struct srnic_node *node);
/** srnic_node_lid() - Return the LID of a node's port; 0: it is not known */
uint16_t srnic_node_lid(const struct srnic_node *node);
/** srnic_node_port() - Return the switch's port that a node is behind; 0: of none */
unsigned int srnic_node_port(const struct srnic_node *node);
/** srnic_node_is_up() - Tell whether the node behind the switch's port is there */
bool srnic_node_is_up(const struct srnic_node *node);

/**
 * srnic_node_add() - Add a role of a node to the subnet of an InfiniBand port
 * @srnic: handle
 * @dev_index: the device, from srnic_dev_index()
 * @role: SRNIC_ROLE_MANAGER: its subnet manager may configure the port;
 *	SRNIC_ROLE_MEMBER: it is behind the switch of the port
 * @gid: GID of the node's port, 16 bytes; NULL: this node itself
 *
 * With its first manager, a port ceases to manage itself. Needs CAP_NET_ADMIN. Since
 * libsrnic 1.1.
 *
 * Return: 0; -ENODEV: no such device in this namespace; -EOPNOTSUPP: it is no InfiniBand
 * port; -EINVAL: no such GID can be; -EEXIST: the node has the role; -ENOSPC: the subnet has
 * as many nodes as it can; -EPERM.
 */
int srnic_node_add(struct srnic *srnic, uint32_t dev_index, enum srnic_role role,
		   const uint8_t *gid);

/**
 * srnic_node_del() - Remove a role of a node from the subnet of an InfiniBand port
 * @srnic: handle
 * @dev_index: the device, from srnic_dev_index()
 * @role: the role
 * @gid: GID of the node's port, 16 bytes; NULL: this node itself
 *
 * Without a manager, a port manages itself. Needs CAP_NET_ADMIN. Since libsrnic 1.1.
 *
 * Return: 0; -ENODEV: no such device in this namespace; -EOPNOTSUPP: it is no InfiniBand
 * port; -ENOENT: the node does not have the role; -EPERM.
 */
int srnic_node_del(struct srnic *srnic, uint32_t dev_index, enum srnic_role role,
		   const uint8_t *gid);

/**
 * srnic_dev_ib_mtu() - Return the MTU of an InfiniBand port, in bytes
 * @dev: the device
 *
 * Since libsrnic 1.1.
 *
 * Return: the MTU; 0: it is no InfiniBand port, or the module is older than this function.
 */
unsigned int srnic_dev_ib_mtu(const struct srnic_dev *dev);

/**
 * srnic_dev_set_ib_mtu() - Set the MTU of an InfiniBand port
 * @srnic: handle
 * @dev_index: the device, from srnic_dev_index()
 * @bytes: 256, 512, 1024, 2048 or 4096; all nodes must be given the same
 *
 * Needs CAP_NET_ADMIN. Since libsrnic 1.1.
 *
 * Return: 0; -ENODEV: no such device in this namespace; -EOPNOTSUPP: it is no InfiniBand
 * port; -EINVAL: not one of these; -EMSGSIZE: above 2048, and the netdev's MTU has no room for
 * it; -ERANGE: it had none when the link was added; -EPERM.
 */
int srnic_dev_set_ib_mtu(struct srnic *srnic, uint32_t dev_index, unsigned int bytes);

/**
 * srnic_user_list() - List the resource usage of each user
 * @srnic: handle
 * @dev_index: one device, from srnic_dev_index(), or SRNIC_DEV_ALL
 * @list: returns the list, for srnic_user_next() and srnic_list_free()
 *
 * The administrator is exempt from the limits per user and not listed. Needs CAP_NET_ADMIN.
 *
 * Return: 0; -ENODEV: no such device in this namespace; -EPERM; -ENOMEM.
 */
int srnic_user_list(struct srnic *srnic, uint32_t dev_index, struct srnic_list **list);

/**
 * srnic_user_next() - Return the next user of a list
 * @list: from srnic_user_list()
 * @user: the previous user; NULL for the first
 *
 * Return: a user of a device, or NULL at the end.
 */
const struct srnic_user *srnic_user_next(const struct srnic_list *list,
					 const struct srnic_user *user);

#define srnic_for_each_user(user, list)					\
	for ((user) = srnic_user_next(list, NULL); (user);		\
	     (user) = srnic_user_next(list, user))

/** srnic_user_dev_index() - Return the number of the device */
uint32_t srnic_user_dev_index(const struct srnic_user *user);
/** srnic_user_dev_name() - Return the name of the device */
const char *srnic_user_dev_name(const struct srnic_user *user);
/** srnic_user_uid() - Return the user ID; in a user namespace, the ID of its creator */
uint32_t srnic_user_uid(const struct srnic_user *user);

/**
 * srnic_user_quota_next() - Return the next quota that a user takes part of
 * @user: the user
 * @quota: the previous quota; NULL for the first
 *
 * Return: a quota for srnic_quota_name() and srnic_quota_used(); NULL at the end.
 */
const struct srnic_quota *srnic_user_quota_next(const struct srnic_user *user,
						const struct srnic_quota *quota);

#define srnic_for_each_user_quota(quota, user)				\
	for ((quota) = srnic_user_quota_next(user, NULL); (quota);	\
	     (quota) = srnic_user_quota_next(user, quota))

/**
 * srnic_qp_list() - List queue pairs
 * @srnic: handle
 * @dev_index: one device, from srnic_dev_index(), or SRNIC_DEV_ALL
 * @list: returns the list, for srnic_qp_next()
 *
 * The list is empty if the device does not exist. Needs CAP_NET_ADMIN.
 *
 * Return: 0; -EPERM.
 */
int srnic_qp_list(struct srnic *srnic, uint32_t dev_index, struct srnic_list **list);

/**
 * srnic_qp_next() - Return the next queue pair of a list
 * @list: from srnic_qp_list(); any other list counts as empty
 * @qp: the previous queue pair; NULL for the first
 *
 * Return: a queue pair, or NULL at the end.
 */
const struct srnic_qp *srnic_qp_next(const struct srnic_list *list, const struct srnic_qp *qp);

#define srnic_for_each_qp(qp, list)					\
	for ((qp) = srnic_qp_next(list, NULL); (qp);			\
	     (qp) = srnic_qp_next(list, qp))

/** srnic_qp_dev_index() - Return the number of the device */
uint32_t srnic_qp_dev_index(const struct srnic_qp *qp);
/** srnic_qp_dev_name() - Return the name of the device */
const char *srnic_qp_dev_name(const struct srnic_qp *qp);
/** srnic_qp_num() - Return the QPN */
uint32_t srnic_qp_num(const struct srnic_qp *qp);
/** srnic_qp_type() - Return the transport service; may be newer than this header */
enum srnic_qp_type srnic_qp_type(const struct srnic_qp *qp);
/** srnic_qp_state() - Return the state; may be newer than this header */
enum srnic_qp_state srnic_qp_state(const struct srnic_qp *qp);
/** srnic_qp_peer() - Return the peer's address, 16 bytes; NULL without a peer */
const uint8_t *srnic_qp_peer(const struct srnic_qp *qp);
/** srnic_qp_peer_num() - Return the peer's QPN; meaningless without a peer */
uint32_t srnic_qp_peer_num(const struct srnic_qp *qp);
/** srnic_qp_mode() - Return the coverage of the seal */
enum srnic_mode srnic_qp_mode(const struct srnic_qp *qp);
/** srnic_qp_suite() - Return the suite's name; "" if the queue pair is not sealed */
const char *srnic_qp_suite(const struct srnic_qp *qp);
/** srnic_qp_driver() - Return the kernel crypto driver of the suite, or "" */
const char *srnic_qp_driver(const struct srnic_qp *qp);

/** srnic_qp_uncached() - Test whether sub-keys are derived for each packet and not kept */
bool srnic_qp_uncached(const struct srnic_qp *qp);

/**
 * srnic_flow_next() - Return the next flow of a sealed queue pair
 * @qp: the queue pair; an unsealed one has no flows
 * @flow: the previous flow; NULL for the first
 *
 * Return: a flow (one side's requests and the responses to them), or NULL at the end.
 */
const struct srnic_flow *srnic_flow_next(const struct srnic_qp *qp, const struct srnic_flow *flow);

#define srnic_for_each_flow(flow, qp)					\
	for ((flow) = srnic_flow_next(qp, NULL); (flow);		\
	     (flow) = srnic_flow_next(qp, flow))

/** srnic_flow_side() - Return which side sends the requests of the flow */
enum srnic_flow_side srnic_flow_side(const struct srnic_flow *flow);
/** srnic_flow_ready() - Test whether the handshake is confirmed */
bool srnic_flow_ready(const struct srnic_flow *flow);
/** srnic_flow_epoch() - Return the number of the current sub-key; one per 2^24 packets */
uint64_t srnic_flow_epoch(const struct srnic_flow *flow);
/** srnic_flow_psn64() - Return the extended PSN: epoch << 24 | PSN */
uint64_t srnic_flow_psn64(const struct srnic_flow *flow);
/** srnic_flow_sealed() - Return the number of packets sent with a seal */
uint64_t srnic_flow_sealed(const struct srnic_flow *flow);
/** srnic_flow_opened() - Return the number of packets received with a valid seal */
uint64_t srnic_flow_opened(const struct srnic_flow *flow);
/** srnic_flow_failed() - Return the number of packets dropped for an invalid seal */
uint64_t srnic_flow_failed(const struct srnic_flow *flow);
/** srnic_flow_replayed() - Return the number of replayed packets, which were dropped */
uint64_t srnic_flow_replayed(const struct srnic_flow *flow);

/**
 * srnic_log_list() - List recently refused packets and memory accesses
 * @srnic: handle
 * @dev_index: one device, from srnic_dev_index(), or SRNIC_DEV_ALL
 * @list: returns the list, for srnic_log_next()
 *
 * Each device's entries are listed oldest first. A device keeps its last 256 entries and
 * adds at most ten per second for each reason. The list is empty if the device does not
 * exist. Needs CAP_NET_ADMIN.
 *
 * Return: 0; -EPERM.
 */
int srnic_log_list(struct srnic *srnic, uint32_t dev_index, struct srnic_list **list);

/**
 * srnic_log_follow() - Wait for new log entries
 * @srnic: handle; its first call starts listening, later calls continue from there
 * @timeout: how long to wait, in milliseconds; -1: for ever
 * @list: returns entries of all devices, for srnic_log_next(); empty after a timeout
 *
 * Entries that arrive while the handle is used for another query are lost: use a separate
 * handle. Needs CAP_NET_ADMIN.
 *
 * Return: 0; -EPERM; -EINTR: interrupted by a signal; -ENOBUFS: the socket's buffer
 * overflowed, srnic_log_list() returns the lost entries; -EOPNOTSUPP: the driver has no log.
 */
int srnic_log_follow(struct srnic *srnic, int timeout, struct srnic_list **list);

/**
 * srnic_log_next() - Return the next entry of a list of log entries
 * @list: from srnic_log_list() or srnic_log_follow(); any other list counts as empty
 * @entry: the previous entry; NULL for the first
 *
 * Return: an entry, or NULL at the end.
 */
const struct srnic_log_entry *srnic_log_next(const struct srnic_list *list,
					     const struct srnic_log_entry *entry);

#define srnic_for_each_log(entry, list)					\
	for ((entry) = srnic_log_next(list, NULL); (entry);		\
	     (entry) = srnic_log_next(list, entry))

/** srnic_log_dev_index() - Return the number of the device */
uint32_t srnic_log_dev_index(const struct srnic_log_entry *entry);
/** srnic_log_dev_name() - Return the name of the device */
const char *srnic_log_dev_name(const struct srnic_log_entry *entry);
/** srnic_log_serial() - Return the serial number among the device's entries, from 0 on */
uint64_t srnic_log_serial(const struct srnic_log_entry *entry);
/** srnic_log_time() - Return the time, in nanoseconds since 1970 */
uint64_t srnic_log_time(const struct srnic_log_entry *entry);
/** srnic_log_count() - Return the occurrences since the reason's previous entry, this included */
uint64_t srnic_log_count(const struct srnic_log_entry *entry);
/** srnic_log_reason() - Return the counter that was incremented, for example "stag_bounds" */
const char *srnic_log_reason(const struct srnic_log_entry *entry);
/** srnic_log_peer() - Return the packet's source address, 16 bytes; NULL if unknown */
const uint8_t *srnic_log_peer(const struct srnic_log_entry *entry);
/** srnic_log_legible() - Test whether the packet was parsed and the following are known */
bool srnic_log_legible(const struct srnic_log_entry *entry);
/** srnic_log_qp_num() - Return the destination QPN */
uint32_t srnic_log_qp_num(const struct srnic_log_entry *entry);
/** srnic_log_psn() - Return the packet's PSN */
uint32_t srnic_log_psn(const struct srnic_log_entry *entry);
/** srnic_log_opcode() - Return the packet's opcode (IBA table 38) */
uint8_t srnic_log_opcode(const struct srnic_log_entry *entry);

/**
 * srnic_peer_list() - List peers that have caused faults or are cut off
 * @srnic: handle
 * @dev_index: one device, from srnic_dev_index(), or SRNIC_DEV_ALL
 * @list: returns the list, for srnic_peer_next()
 *
 * A device remembers 1024 peers. The list is empty if the device does not exist. Needs
 * CAP_NET_ADMIN.
 *
 * Return: 0; -EPERM.
 */
int srnic_peer_list(struct srnic *srnic, uint32_t dev_index, struct srnic_list **list);

/**
 * srnic_peer_next() - Return the next peer of a list
 * @list: from srnic_peer_list(); any other list counts as empty
 * @peer: the previous peer; NULL for the first
 *
 * Return: a peer of a device, or NULL at the end.
 */
const struct srnic_peer *srnic_peer_next(const struct srnic_list *list,
					 const struct srnic_peer *peer);

#define srnic_for_each_peer(peer, list)					\
	for ((peer) = srnic_peer_next(list, NULL); (peer);		\
	     (peer) = srnic_peer_next(list, peer))

/** srnic_peer_dev_index() - Return the number of the device */
uint32_t srnic_peer_dev_index(const struct srnic_peer *peer);
/** srnic_peer_dev_name() - Return the name of the device */
const char *srnic_peer_dev_name(const struct srnic_peer *peer);
/** srnic_peer_address() - Return the source address in the packets, 16 bytes; or NULL */
const uint8_t *srnic_peer_address(const struct srnic_peer *peer);
/** srnic_peer_silent() - Return the time since the last fault or dropped packet, in ms */
uint64_t srnic_peer_silent(const struct srnic_peer *peer);
/** srnic_peer_dropped() - Return the number of packets dropped by the cut-off */
uint64_t srnic_peer_dropped(const struct srnic_peer *peer);
/** srnic_peer_is_cut_off() - Test whether the peer's packets are dropped */
bool srnic_peer_is_cut_off(const struct srnic_peer *peer);
/** srnic_peer_is_timed() - Test whether the cut-off ends by itself */
bool srnic_peer_is_timed(const struct srnic_peer *peer);
/** srnic_peer_seconds() - Return the seconds left of a timed cut-off */
uint32_t srnic_peer_seconds(const struct srnic_peer *peer);

/**
 * srnic_fault_next() - Return the next kind of fault that a peer has caused
 * @peer: the peer
 * @fault: the previous kind; NULL for the first
 *
 * Return: a kind of fault with a count above 0, or NULL at the end.
 */
const struct srnic_fault *srnic_fault_next(const struct srnic_peer *peer,
					   const struct srnic_fault *fault);

#define srnic_for_each_fault(fault, peer)				\
	for ((fault) = srnic_fault_next(peer, NULL); (fault);		\
	     (fault) = srnic_fault_next(peer, fault))

/** srnic_fault_name() - Return the kind of fault, for example "garbage" */
const char *srnic_fault_name(const struct srnic_fault *fault);
/** srnic_fault_count() - Return the number of faults */
uint64_t srnic_fault_count(const struct srnic_fault *fault);

/**
 * srnic_peer_cut() - Cut off a peer: drop all packets from its address
 * @srnic: handle
 * @dev_index: the device that drops, from srnic_dev_index()
 * @address: 16 bytes; IPv4 addresses in mapped form
 * @seconds: duration; 0: until srnic_peer_allow()
 *
 * The peer need not be known to the device. Its connections stay up but receive nothing.
 * Needs CAP_NET_ADMIN.
 *
 * Return: 0; -ENODEV: no such device in this namespace; -ERANGE: @seconds is too large;
 * -ENOSPC: too many peers are cut off; -EPERM.
 */
int srnic_peer_cut(struct srnic *srnic, uint32_t dev_index, const uint8_t address[16],
		   uint32_t seconds);

/**
 * srnic_peer_allow() - End the cut-off of a peer
 * @srnic: handle
 * @dev_index: the device that drops, from srnic_dev_index()
 * @address: 16 bytes; IPv4 addresses in mapped form
 *
 * Needs CAP_NET_ADMIN.
 *
 * Return: 0; -ENODEV: no such device in this namespace; -ENOENT: not cut off; -EPERM.
 */
int srnic_peer_allow(struct srnic *srnic, uint32_t dev_index, const uint8_t address[16]);

/*
 * Names as in srnic(8). The name of a value newer than the library is "?"; parsing an
 * unknown name fails with -EINVAL.
 */
const char *srnic_rule_name(enum srnic_rule rule);
const char *srnic_mode_name(enum srnic_mode mode);
const char *srnic_qp_type_name(enum srnic_qp_type type);
const char *srnic_qp_state_name(enum srnic_qp_state state);
const char *srnic_flow_side_name(enum srnic_flow_side side);
int srnic_rule_parse(enum srnic_rule *rule, const char *name);
int srnic_mode_parse(enum srnic_mode *mode, const char *name);

/**
 * srnic_prefix_parse() - Parse a prefix
 * @prefix: returns the prefix
 * @text: "192.0.2.0/24", "2001:db8::/32", a single address, or "default" (all peers)
 *
 * Return: 0, or -EINVAL.
 */
int srnic_prefix_parse(struct srnic_prefix *prefix, const char *text);

/**
 * srnic_prefix_text() - Format a prefix, in IPv4 notation if it covers only IPv4
 * @prefix: the prefix
 * @text: returns the text
 *
 * Return: @text.
 */
const char *srnic_prefix_text(const struct srnic_prefix *prefix, char text[SRNIC_TEXT_MAX]);

/**
 * srnic_addr_text() - Format an address, in IPv4 notation if it is IPv4-mapped
 * @addr: 16 bytes, in network order
 * @text: returns the text
 *
 * Return: @text.
 */
const char *srnic_addr_text(const uint8_t addr[16], char text[SRNIC_TEXT_MAX]);

#ifdef __cplusplus
}
#endif

#endif /* SRNIC_SRNIC_H */
