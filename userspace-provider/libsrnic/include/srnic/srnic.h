/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * libsrnic - which peer gets which seal, and what devices and queue pairs are
 * doing: the generic netlink family of the srnic driver. libsrnic(7) is the manual.
 *
 * Functions that can fail return 0, or a negative errno value; srnic_error() then
 * has a line that says what was wrong and what to do.
 *
 * What the kernel tells comes as a list, which stays as it was when it was asked
 * for. Its members, and the text that they hold, belong to the list and go with it;
 * what reads them cannot fail. Where a kernel tells less than this header knows, a
 * number is 0, a text is "", and a pointer to anything else is NULL.
 *
 * A handle is for one thread at a time; lists can be read by many.
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
struct srnic_list;	/* what the kernel told */

struct srnic_suite;
struct srnic_policy;
struct srnic_key;
struct srnic_dev;
struct srnic_quota;
struct srnic_user;
struct srnic_limit;
struct srnic_qp;
struct srnic_flow;
struct srnic_log_entry;
struct srnic_peer;
struct srnic_fault;

/* For srnic_open(): the namespace of the calling thread */
#define SRNIC_NETNS_OWN	(-1)

/* For lists of what a device has: of all devices */
#define SRNIC_DEV_ALL	UINT32_MAX

/* Flags of srnic_policy_add() and srnic_key_add() */
#define SRNIC_REPLACE	(1u << 0)	/* there may be one already */
/* Of srnic_policy_add() alone; from libsrnic 1.1 on */
#define SRNIC_CLEAR_CM	(1u << 1)	/* the connection manager's messages stay clear */
#define SRNIC_UNCACHED	(1u << 2)	/* connections derive sub-keys when a packet comes */

/* Enough for any address or prefix as text */
#define SRNIC_TEXT_MAX	64

/**
 * struct srnic_prefix - addresses that begin alike
 * @addr: IPv6 address, or IPv4 in mapped form (::ffff:a.b.c.d), in network order;
 *	0 beyond the prefix
 * @len: in bits, 0 to 128; an IPv4 prefix has 96 more than it is written with
 */
struct srnic_prefix {
	uint8_t addr[16];
	uint8_t len;
};

/**
 * srnic_open() - find the driver's netlink family in a network namespace
 * @srnic: the handle, to be given to srnic_close(); NULL if this fails
 * @netns: file descriptor of a network namespace, which may be closed afterwards,
 *	or SRNIC_NETNS_OWN. The calling thread stays where it is.
 *
 * The kernel loads the driver, if it is installed.
 *
 * Return: 0; -ENOENT: the kernel does not know srnic; -EPERM: the namespace may not
 * be entered (CAP_SYS_ADMIN); -EBADF, -EINVAL: @netns is no network namespace;
 * -EPROTO: the answer made no sense; -ENOMEM, or another error of socket(2) or
 * pthread_create(3).
 */
int srnic_open(struct srnic **srnic, int netns);

/**
 * srnic_close() - give back a handle
 * @srnic: may be NULL; lists that came from it stay
 */
void srnic_close(struct srnic *srnic);

/**
 * srnic_error() - why the last call failed
 *
 * Return: one line without its end, as the kernel worded it if it did; "" if no call
 * of this thread has failed yet. It is the thread's own, and stays until its next
 * call that fails.
 */
const char *srnic_error(void);

/**
 * srnic_list_free() - give back a list with all its members
 * @list: may be NULL
 */
void srnic_list_free(struct srnic_list *list);

/*
 * All of the following that take a handle may also return -ENOMEM, -EAGAIN (a list
 * changed faster than it could be read), -EPROTO (the answer made no sense), and errors
 * of send(2) and recv(2).
 */

/**
 * srnic_suite_list() - list the suites of algorithms that the driver knows
 * @srnic: handle
 * @list: for srnic_suite_next()
 *
 * Return: 0, or a negative errno value.
 */
int srnic_suite_list(struct srnic *srnic, struct srnic_list **list);

/**
 * srnic_suite_next() - go through a list of suites
 * @list: from srnic_suite_list(); any other counts as empty
 * @suite: the one before, NULL for the first
 *
 * Return: a suite, or NULL at the end.
 */
const struct srnic_suite *srnic_suite_next(const struct srnic_list *list,
					   const struct srnic_suite *suite);

#define srnic_for_each_suite(suite, list)				\
	for ((suite) = srnic_suite_next(list, NULL); (suite);		\
	     (suite) = srnic_suite_next(list, suite))

/** srnic_suite_name() - what rules call it, "aes-gcm-128" for instance */
const char *srnic_suite_name(const struct srnic_suite *suite);
/** srnic_suite_has_mode() - whether it can be used in a mode */
bool srnic_suite_has_mode(const struct srnic_suite *suite, enum srnic_mode mode);
/** srnic_suite_tag_len() - size of the tag, in bytes */
unsigned int srnic_suite_tag_len(const struct srnic_suite *suite);
/** srnic_suite_sth_len() - what it adds to each packet, tag included, in bytes */
unsigned int srnic_suite_sth_len(const struct srnic_suite *suite);
/** srnic_suite_available() - whether the running kernel has the algorithms */
bool srnic_suite_available(const struct srnic_suite *suite);

/**
 * srnic_policy_add() - add a rule, or replace it
 * @srnic: handle
 * @prefix: the peers' addresses
 * @rule: what is asked of connections with them
 * @mode: what the seal covers; SRNIC_MODE_OFF where @rule is SRNIC_RULE_OFF
 * @suite: name of a suite that has the mode; NULL where @rule is SRNIC_RULE_OFF
 * @key: name of a key, which need not be there yet; NULL where @rule is
 *	SRNIC_RULE_OFF
 * @flags: SRNIC_REPLACE; but not where @rule is SRNIC_RULE_OFF: SRNIC_CLEAR_CM,
 *	SRNIC_UNCACHED; or 0
 *
 * It holds for connections that are made, and for datagrams that are sent, from now on.
 * Needs CAP_NET_ADMIN in the user namespace that owns the handle's.
 *
 * Return: 0; -EEXIST: there is a rule with this prefix, and no SRNIC_REPLACE;
 * -EINVAL: something is not as said above; -EOPNOTSUPP: the suite does not have the
 * mode, or the kernel not the suite; -ENOSPC: too many rules; -EPERM.
 */
int srnic_policy_add(struct srnic *srnic, const struct srnic_prefix *prefix, enum srnic_rule rule,
		     enum srnic_mode mode, const char *suite, const char *key, unsigned int flags);

/**
 * srnic_policy_del() - delete a rule
 * @srnic: handle
 * @prefix: exactly the rule's
 *
 * Connections that were made under it go on. Needs CAP_NET_ADMIN.
 *
 * Return: 0; -ENOENT: there is none; -EINVAL: bits beyond the prefix; -EPERM.
 */
int srnic_policy_del(struct srnic *srnic, const struct srnic_prefix *prefix);

/**
 * srnic_policy_flush() - delete all rules
 * @srnic: handle
 *
 * One after the other, the longest prefix first. A rule that somebody adds meanwhile
 * may stay. New connections are in the clear afterwards. Needs CAP_NET_ADMIN.
 *
 * Return: 0; -EPERM. If it fails, some rules may be gone.
 */
int srnic_policy_flush(struct srnic *srnic);

/**
 * srnic_policy_list() - list the rules, longest prefix first
 * @srnic: handle
 * @list: for srnic_policy_next()
 *
 * Needs CAP_NET_ADMIN.
 *
 * Return: 0; -EPERM.
 */
int srnic_policy_list(struct srnic *srnic, struct srnic_list **list);

/**
 * srnic_policy_next() - go through a list of rules
 * @list: from srnic_policy_list(); any other counts as empty
 * @policy: the one before, NULL for the first
 *
 * Return: a rule, or NULL at the end.
 */
const struct srnic_policy *srnic_policy_next(const struct srnic_list *list,
					     const struct srnic_policy *policy);

#define srnic_for_each_policy(policy, list)				\
	for ((policy) = srnic_policy_next(list, NULL); (policy);	\
	     (policy) = srnic_policy_next(list, policy))

/** srnic_policy_prefix() - the peers' addresses */
struct srnic_prefix srnic_policy_prefix(const struct srnic_policy *policy);
/** srnic_policy_rule() - what is asked; may be newer than this header */
enum srnic_rule srnic_policy_rule(const struct srnic_policy *policy);
/** srnic_policy_mode() - what the seal covers */
enum srnic_mode srnic_policy_mode(const struct srnic_policy *policy);
/** srnic_policy_suite() - the suite's name, "" where nothing is sealed */
const char *srnic_policy_suite(const struct srnic_policy *policy);
/** srnic_policy_key() - the key's name, "" where nothing is sealed */
const char *srnic_policy_key(const struct srnic_policy *policy);
/** srnic_policy_clear_cm() - whether the connection manager's messages stay clear */
bool srnic_policy_clear_cm(const struct srnic_policy *policy);

/** srnic_policy_uncached() - whether connections derive sub-keys when a packet comes */
bool srnic_policy_uncached(const struct srnic_policy *policy);

/**
 * srnic_key_add() - give the kernel a pre-shared key, or replace it
 * @srnic: handle
 * @name: 1 to 31 (SRNIC_NAME_MAX) letters, digits, '.', '_' or '-'
 * @secret: the key; it cannot be read back. The library wipes its own copies, the
 *	caller's is the caller's to wipe (explicit_bzero(3)).
 * @len: 16 to 32 (SRNIC_SECRET_MIN, SRNIC_SECRET_MAX), in bytes
 * @flags: SRNIC_REPLACE, or 0
 *
 * It is used for connections that are made from now on. Needs CAP_NET_ADMIN.
 *
 * Return: 0; -EEXIST: there is a key of this name, and no SRNIC_REPLACE; -EINVAL:
 * name or length are not as said above; -ENOSPC: too many keys; -EDQUOT: the user's
 * quota of kernel keys is used up; -EPERM.
 */
int srnic_key_add(struct srnic *srnic, const char *name, const void *secret, size_t len,
		  unsigned int flags);

/**
 * srnic_key_del() - delete a key
 * @srnic: handle
 * @name: its name
 *
 * Connections that are sealed with it go on. Needs CAP_NET_ADMIN.
 *
 * Return: 0; -ENOENT: there is none; -EINVAL: this is no name; -EPERM.
 */
int srnic_key_del(struct srnic *srnic, const char *name);

/**
 * srnic_key_list() - list the keys: their names and lengths, no secrets
 * @srnic: handle
 * @list: for srnic_key_next()
 *
 * Needs CAP_NET_ADMIN.
 *
 * Return: 0; -EPERM.
 */
int srnic_key_list(struct srnic *srnic, struct srnic_list **list);

/**
 * srnic_key_next() - go through a list of keys
 * @list: from srnic_key_list(); any other counts as empty
 * @key: the one before, NULL for the first
 *
 * Return: a key, or NULL at the end.
 */
const struct srnic_key *srnic_key_next(const struct srnic_list *list, const struct srnic_key *key);

#define srnic_for_each_key(key, list)					\
	for ((key) = srnic_key_next(list, NULL); (key);			\
	     (key) = srnic_key_next(list, key))

/** srnic_key_name() - its name */
const char *srnic_key_name(const struct srnic_key *key);
/** srnic_key_len() - length of the secret, in bytes */
unsigned int srnic_key_len(const struct srnic_key *key);

/**
 * srnic_dev_list() - list the devices whose netdev is in the namespace
 * @srnic: handle
 * @list: for srnic_dev_next()
 *
 * Return: 0, or a negative errno value.
 */
int srnic_dev_list(struct srnic *srnic, struct srnic_list **list);

/**
 * srnic_dev_next() - go through a list of devices
 * @list: from srnic_dev_list(); any other counts as empty
 * @dev: the one before, NULL for the first
 *
 * Return: a device, or NULL at the end.
 */
const struct srnic_dev *srnic_dev_next(const struct srnic_list *list, const struct srnic_dev *dev);

#define srnic_for_each_dev(dev, list)					\
	for ((dev) = srnic_dev_next(list, NULL); (dev);			\
	     (dev) = srnic_dev_next(list, dev))

/**
 * srnic_dev_find() - find a device in a list
 * @list: from srnic_dev_list()
 * @name: of the RDMA device
 *
 * Return: the device, or NULL.
 */
const struct srnic_dev *srnic_dev_find(const struct srnic_list *list, const char *name);

/** srnic_dev_name() - the RDMA device's name */
const char *srnic_dev_name(const struct srnic_dev *dev);
/** srnic_dev_index() - its number, as ibv_get_device_index() tells it */
uint32_t srnic_dev_index(const struct srnic_dev *dev);
/** srnic_dev_ifindex() - number of the netdev below, in the handle's namespace */
unsigned int srnic_dev_ifindex(const struct srnic_dev *dev);
/** srnic_dev_mtu() - the netdev's MTU, in bytes */
unsigned int srnic_dev_mtu(const struct srnic_dev *dev);

/**
 * srnic_quota_next() - go through what a device grants
 * @dev: the device
 * @quota: the one before, NULL for the first
 *
 * Return: a quota, or NULL at the end.
 */
const struct srnic_quota *srnic_quota_next(const struct srnic_dev *dev,
					   const struct srnic_quota *quota);

#define srnic_for_each_quota(quota, dev)				\
	for ((quota) = srnic_quota_next(dev, NULL); (quota);		\
	     (quota) = srnic_quota_next(dev, quota))

/** srnic_quota_name() - of what, "qp" for instance */
const char *srnic_quota_name(const struct srnic_quota *quota);
/** srnic_quota_used() - how many objects or pages are in use */
uint32_t srnic_quota_used(const struct srnic_quota *quota);
/** srnic_quota_limit() - how many objects or pages there can be */
uint32_t srnic_quota_limit(const struct srnic_quota *quota);
/** srnic_quota_reserve() - how many of these are for the kernel and the administrator alone */
uint32_t srnic_quota_reserve(const struct srnic_quota *quota);

/**
 * srnic_quota_set() - change how much a device grants
 * @srnic: handle
 * @dev_index: the device, as srnic_dev_index() tells it
 * @name: of what
 * @limit: in objects or pages; what is granted stays granted if it is more
 *
 * Needs CAP_NET_ADMIN.
 *
 * Return: 0; -ENODEV: no such device in this namespace; -ENOENT: no such quota;
 * -EINVAL: this is no name; -EPERM.
 */
int srnic_quota_set(struct srnic *srnic, uint32_t dev_index, const char *name, uint32_t limit);

/**
 * srnic_quota_set_reserve() - the same, and how much of it no user gets
 * @srnic: handle
 * @dev_index: the device, as srnic_dev_index() tells it
 * @name: of what
 * @limit: in objects or pages
 * @reserve: in the same, for the kernel and the administrator alone; srnic_quota_set()
 *	makes it a sixteenth of the limit
 *
 * Needs CAP_NET_ADMIN.
 *
 * Return: as of srnic_quota_set().
 */
int srnic_quota_set_reserve(struct srnic *srnic, uint32_t dev_index, const char *name,
			    uint32_t limit, uint32_t reserve);

/**
 * srnic_limit_next() - go through the limits of what a peer of a device may do
 * @dev: the device
 * @limit: the one before, NULL for the first
 *
 * Return: a limit, or NULL at the end.
 */
const struct srnic_limit *srnic_limit_next(const struct srnic_dev *dev,
					   const struct srnic_limit *limit);

#define srnic_for_each_limit(limit, dev)				\
	for ((limit) = srnic_limit_next(dev, NULL); (limit);		\
	     (limit) = srnic_limit_next(dev, limit))

/**
 * srnic_limit_name() - of what
 * @limit: the limit
 *
 * Return: "idle", the seconds for which a peer may say nothing; "faults", of one peer in a
 * second; "cutoff", the seconds for which it is cut off if there are more; "greed", 1 if a
 * queue pair may take all of a shared receive queue; "ecn", 1 if packets of RC are
 * ECN-capable; or one that is newer than this header.
 */
const char *srnic_limit_name(const struct srnic_limit *limit);
/** srnic_limit_value() - in the limit's unit; 0: there is none */
uint32_t srnic_limit_value(const struct srnic_limit *limit);
/** srnic_limit_highest() - the value cannot be more */
uint32_t srnic_limit_highest(const struct srnic_limit *limit);

/**
 * srnic_limit_set() - change a limit of a device
 * @srnic: handle
 * @dev_index: the device, as srnic_dev_index() tells it
 * @name: of what
 * @value: in its unit; 0: there is none
 *
 * Needs CAP_NET_ADMIN.
 *
 * Return: 0; -ENODEV: no such device in this namespace; -ENOENT: no such limit;
 * -ERANGE: it cannot be so large; -EINVAL: this is no name; -EPERM.
 */
int srnic_limit_set(struct srnic *srnic, uint32_t dev_index, const char *name, uint32_t value);

/**
 * srnic_user_list() - list who has how much of devices
 * @srnic: handle
 * @dev_index: of this one only, as srnic_dev_index() tells it; SRNIC_DEV_ALL: of all
 * @list: to be freed
 *
 * The administrator, who may have everything, is not among them. Needs CAP_NET_ADMIN.
 *
 * Return: 0; -ENODEV: no such device in this namespace; -EPERM; -ENOMEM.
 */
int srnic_user_list(struct srnic *srnic, uint32_t dev_index, struct srnic_list **list);

/**
 * srnic_user_next() - go through a list of users
 * @list: from srnic_user_list()
 * @user: the one before, NULL for the first
 *
 * Return: a user of a device, or NULL at the end.
 */
const struct srnic_user *srnic_user_next(const struct srnic_list *list,
					 const struct srnic_user *user);

#define srnic_for_each_user(user, list)					\
	for ((user) = srnic_user_next(list, NULL); (user);		\
	     (user) = srnic_user_next(list, user))

/** srnic_user_dev_index() - of which device */
uint32_t srnic_user_dev_index(const struct srnic_user *user);
/** srnic_user_dev_name() - of which device */
const char *srnic_user_dev_name(const struct srnic_user *user);
/** srnic_user_uid() - his user ID, of whoever made the user namespace if it is not root's */
uint32_t srnic_user_uid(const struct srnic_user *user);

/**
 * srnic_user_quota_next() - go through what is his
 * @user: the user
 * @quota: the one before, NULL for the first
 *
 * Return: of which srnic_quota_name() and srnic_quota_used() can be asked; NULL at the end.
 */
const struct srnic_quota *srnic_user_quota_next(const struct srnic_user *user,
						const struct srnic_quota *quota);

#define srnic_for_each_user_quota(quota, user)				\
	for ((quota) = srnic_user_quota_next(user, NULL); (quota);	\
	     (quota) = srnic_user_quota_next(user, quota))

/**
 * srnic_qp_list() - list queue pairs
 * @srnic: handle
 * @dev_index: those of this device, or SRNIC_DEV_ALL
 * @list: for srnic_qp_next()
 *
 * The list is empty if there is no such device. Needs CAP_NET_ADMIN.
 *
 * Return: 0; -EPERM.
 */
int srnic_qp_list(struct srnic *srnic, uint32_t dev_index, struct srnic_list **list);

/**
 * srnic_qp_next() - go through a list of queue pairs
 * @list: from srnic_qp_list(); any other counts as empty
 * @qp: the one before, NULL for the first
 *
 * Return: a queue pair, or NULL at the end.
 */
const struct srnic_qp *srnic_qp_next(const struct srnic_list *list, const struct srnic_qp *qp);

#define srnic_for_each_qp(qp, list)					\
	for ((qp) = srnic_qp_next(list, NULL); (qp);			\
	     (qp) = srnic_qp_next(list, qp))

/** srnic_qp_dev_index() - number of its device */
uint32_t srnic_qp_dev_index(const struct srnic_qp *qp);
/** srnic_qp_dev_name() - name of its device */
const char *srnic_qp_dev_name(const struct srnic_qp *qp);
/** srnic_qp_num() - its number */
uint32_t srnic_qp_num(const struct srnic_qp *qp);
/** srnic_qp_type() - transport service; may be newer than this header */
enum srnic_qp_type srnic_qp_type(const struct srnic_qp *qp);
/** srnic_qp_state() - state; may be newer than this header */
enum srnic_qp_state srnic_qp_state(const struct srnic_qp *qp);
/** srnic_qp_peer() - 16 bytes, the peer's address; NULL if it has no peer */
const uint8_t *srnic_qp_peer(const struct srnic_qp *qp);
/** srnic_qp_peer_num() - the peer's queue pair number, if it has a peer */
uint32_t srnic_qp_peer_num(const struct srnic_qp *qp);
/** srnic_qp_mode() - what of its packets the seal covers */
enum srnic_mode srnic_qp_mode(const struct srnic_qp *qp);
/** srnic_qp_suite() - the suite's name, "" where nothing is sealed */
const char *srnic_qp_suite(const struct srnic_qp *qp);
/** srnic_qp_driver() - the kernel's crypto driver behind the suite, or "" */
const char *srnic_qp_driver(const struct srnic_qp *qp);

/** srnic_qp_uncached() - whether it derives sub-keys when a packet comes, and keeps none */
bool srnic_qp_uncached(const struct srnic_qp *qp);

/**
 * srnic_flow_next() - go through the flows of a sealed queue pair
 * @qp: the queue pair; one that is not sealed has none
 * @flow: the one before, NULL for the first
 *
 * Return: a flow: one side's requests, and the responses to them; NULL at the end.
 */
const struct srnic_flow *srnic_flow_next(const struct srnic_qp *qp, const struct srnic_flow *flow);

#define srnic_for_each_flow(flow, qp)					\
	for ((flow) = srnic_flow_next(qp, NULL); (flow);		\
	     (flow) = srnic_flow_next(qp, flow))

/** srnic_flow_side() - whose requests */
enum srnic_flow_side srnic_flow_side(const struct srnic_flow *flow);
/** srnic_flow_ready() - whether the handshake is confirmed */
bool srnic_flow_ready(const struct srnic_flow *flow);
/** srnic_flow_epoch() - number of the sub-key in use, a new one each 2^24 packets */
uint64_t srnic_flow_epoch(const struct srnic_flow *flow);
/** srnic_flow_psn64() - packet sequence number with its wraps: epoch << 24 | PSN */
uint64_t srnic_flow_psn64(const struct srnic_flow *flow);
/** srnic_flow_sealed() - packets sent under a seal */
uint64_t srnic_flow_sealed(const struct srnic_flow *flow);
/** srnic_flow_opened() - packets received whose seal was right */
uint64_t srnic_flow_opened(const struct srnic_flow *flow);
/** srnic_flow_failed() - packets received whose seal was wrong, and dropped */
uint64_t srnic_flow_failed(const struct srnic_flow *flow);
/** srnic_flow_replayed() - packets received again, and dropped */
uint64_t srnic_flow_replayed(const struct srnic_flow *flow);

/**
 * srnic_log_list() - list what was refused of late: packets, and accesses to memory
 * @srnic: handle
 * @dev_index: by this device, or SRNIC_DEV_ALL
 * @list: for srnic_log_next()
 *
 * The oldest of a device first. A device keeps its last 256 entries, and makes ten a
 * second at most for each reason. The list is empty if there is no such device. Needs
 * CAP_NET_ADMIN.
 *
 * Return: 0; -EPERM.
 */
int srnic_log_list(struct srnic *srnic, uint32_t dev_index, struct srnic_list **list);

/**
 * srnic_log_follow() - wait for what is refused from now on
 * @srnic: handle; the first call makes it listen, later ones go on where that was
 * @timeout: how long to wait, in milliseconds; -1: for ever
 * @list: for srnic_log_next(), of all devices; empty if the time is up
 *
 * Entries that come while something else is asked by the same handle are lost to this
 * function: use a handle of its own. Needs CAP_NET_ADMIN.
 *
 * Return: 0; -EPERM; -EINTR: a signal came; -ENOBUFS: more came than there was room
 * for, srnic_log_list() has the rest; -EOPNOTSUPP: the driver has no log.
 */
int srnic_log_follow(struct srnic *srnic, int timeout, struct srnic_list **list);

/**
 * srnic_log_next() - go through a list of what was refused
 * @list: from srnic_log_list() or srnic_log_follow(); any other counts as empty
 * @entry: the one before, NULL for the first
 *
 * Return: an entry, or NULL at the end.
 */
const struct srnic_log_entry *srnic_log_next(const struct srnic_list *list,
					     const struct srnic_log_entry *entry);

#define srnic_for_each_log(entry, list)					\
	for ((entry) = srnic_log_next(list, NULL); (entry);		\
	     (entry) = srnic_log_next(list, entry))

/** srnic_log_dev_index() - number of the device */
uint32_t srnic_log_dev_index(const struct srnic_log_entry *entry);
/** srnic_log_dev_name() - name of the device */
const char *srnic_log_dev_name(const struct srnic_log_entry *entry);
/** srnic_log_serial() - place among the device's entries, from 0 on */
uint64_t srnic_log_serial(const struct srnic_log_entry *entry);
/** srnic_log_time() - when, in nanoseconds since 1970 */
uint64_t srnic_log_time(const struct srnic_log_entry *entry);
/** srnic_log_count() - how many for this reason since the entry before it, with this one */
uint64_t srnic_log_count(const struct srnic_log_entry *entry);
/** srnic_log_reason() - the counter that it moved, "stag_bounds" for instance */
const char *srnic_log_reason(const struct srnic_log_entry *entry);
/** srnic_log_peer() - 16 bytes, where it came from by its own account; NULL if unknown */
const uint8_t *srnic_log_peer(const struct srnic_log_entry *entry);
/** srnic_log_legible() - whether the packet could be read, and the following are known */
bool srnic_log_legible(const struct srnic_log_entry *entry);
/** srnic_log_qp_num() - number of the queue pair that it was for */
uint32_t srnic_log_qp_num(const struct srnic_log_entry *entry);
/** srnic_log_psn() - its packet sequence number */
uint32_t srnic_log_psn(const struct srnic_log_entry *entry);
/** srnic_log_opcode() - the packet's opcode (IBA table 38) */
uint8_t srnic_log_opcode(const struct srnic_log_entry *entry);

/**
 * srnic_peer_list() - list the peers that have erred, or are cut off
 * @srnic: handle
 * @dev_index: those of this device, or SRNIC_DEV_ALL
 * @list: for srnic_peer_next()
 *
 * A device remembers 1024 of them. The list is empty if there is no such device. Needs
 * CAP_NET_ADMIN.
 *
 * Return: 0; -EPERM.
 */
int srnic_peer_list(struct srnic *srnic, uint32_t dev_index, struct srnic_list **list);

/**
 * srnic_peer_next() - go through a list of peers
 * @list: from srnic_peer_list(); any other counts as empty
 * @peer: the one before, NULL for the first
 *
 * Return: a peer of a device, or NULL at the end.
 */
const struct srnic_peer *srnic_peer_next(const struct srnic_list *list,
					 const struct srnic_peer *peer);

#define srnic_for_each_peer(peer, list)					\
	for ((peer) = srnic_peer_next(list, NULL); (peer);		\
	     (peer) = srnic_peer_next(list, peer))

/** srnic_peer_dev_index() - number of the device */
uint32_t srnic_peer_dev_index(const struct srnic_peer *peer);
/** srnic_peer_dev_name() - name of the device */
const char *srnic_peer_dev_name(const struct srnic_peer *peer);
/** srnic_peer_address() - 16 bytes, where its packets say that they come from; or NULL */
const uint8_t *srnic_peer_address(const struct srnic_peer *peer);
/** srnic_peer_silent() - milliseconds since its last fault, or packet that was dropped */
uint64_t srnic_peer_silent(const struct srnic_peer *peer);
/** srnic_peer_dropped() - packets dropped because it was cut off */
uint64_t srnic_peer_dropped(const struct srnic_peer *peer);
/** srnic_peer_is_cut_off() - whether its packets are dropped */
bool srnic_peer_is_cut_off(const struct srnic_peer *peer);
/** srnic_peer_is_timed() - whether that ends by itself */
bool srnic_peer_is_timed(const struct srnic_peer *peer);
/** srnic_peer_seconds() - in how many seconds, then */
uint32_t srnic_peer_seconds(const struct srnic_peer *peer);

/**
 * srnic_fault_next() - go through what a peer has done wrong, or over and over
 * @peer: the peer
 * @fault: the one before, NULL for the first
 *
 * Return: a kind of fault of which there were some, or NULL at the end.
 */
const struct srnic_fault *srnic_fault_next(const struct srnic_peer *peer,
					   const struct srnic_fault *fault);

#define srnic_for_each_fault(fault, peer)				\
	for ((fault) = srnic_fault_next(peer, NULL); (fault);		\
	     (fault) = srnic_fault_next(peer, fault))

/** srnic_fault_name() - what kind, "garbage" for instance */
const char *srnic_fault_name(const struct srnic_fault *fault);
/** srnic_fault_count() - how many */
uint64_t srnic_fault_count(const struct srnic_fault *fault);

/**
 * srnic_peer_cut() - drop from now on what comes from an address
 * @srnic: handle
 * @dev_index: by this device, as srnic_dev_index() tells it
 * @address: 16 bytes, IPv4 in mapped form
 * @seconds: for how long; 0: until srnic_peer_allow()
 *
 * Nothing need be known of that peer. Its connections are not ended: they see nothing of
 * it any more. Needs CAP_NET_ADMIN.
 *
 * Return: 0; -ENODEV: no such device in this namespace; -ERANGE: not for so long; -ENOSPC:
 * too many are cut off; -EPERM.
 */
int srnic_peer_cut(struct srnic *srnic, uint32_t dev_index, const uint8_t address[16],
		   uint32_t seconds);

/**
 * srnic_peer_allow() - take it again
 * @srnic: handle
 * @dev_index: by this device, as srnic_dev_index() tells it
 * @address: 16 bytes, IPv4 in mapped form
 *
 * Needs CAP_NET_ADMIN.
 *
 * Return: 0; -ENODEV: no such device in this namespace; -ENOENT: it is not cut off; -EPERM.
 */
int srnic_peer_allow(struct srnic *srnic, uint32_t dev_index, const uint8_t address[16]);

/*
 * Names, as srnic(8) has them. A value that is newer than the library is "?"; a name
 * that is none is -EINVAL.
 */
const char *srnic_rule_name(enum srnic_rule rule);
const char *srnic_mode_name(enum srnic_mode mode);
const char *srnic_qp_type_name(enum srnic_qp_type type);
const char *srnic_qp_state_name(enum srnic_qp_state state);
const char *srnic_flow_side_name(enum srnic_flow_side side);
int srnic_rule_parse(enum srnic_rule *rule, const char *name);
int srnic_mode_parse(enum srnic_mode *mode, const char *name);

/**
 * srnic_prefix_parse() - read a prefix
 * @prefix: what was read
 * @text: "192.0.2.0/24", "2001:db8::/32", one address, or "default" (all peers)
 *
 * Return: 0, or -EINVAL.
 */
int srnic_prefix_parse(struct srnic_prefix *prefix, const char *text);

/**
 * srnic_prefix_text() - write a prefix, IPv4 where it is IPv4 only
 * @prefix: the prefix
 * @text: where to
 *
 * Return: @text.
 */
const char *srnic_prefix_text(const struct srnic_prefix *prefix, char text[SRNIC_TEXT_MAX]);

/**
 * srnic_addr_text() - write an address, IPv4 where it is mapped
 * @addr: 16 bytes, in network order
 * @text: where to
 *
 * Return: @text.
 */
const char *srnic_addr_text(const uint8_t addr[16], char text[SRNIC_TEXT_MAX]);

#ifdef __cplusplus
}
#endif

#endif /* SRNIC_SRNIC_H */
