// SPDX-License-Identifier: GPL-2.0
/*
 * The list of devices, and requests to show and change their quotas and limits.
 */
#include <linux/lockdep.h>
#include <linux/netdevice.h>
#include "control/control.h"
#include "control/genl.h"
#include "engine/idle.h"
#include "engine/ud_keys.h"
#include "net/net.h"
#include "srnic.h"
#include "trace/log.h"

LIST_HEAD(srnic_devices);
DEFINE_MUTEX(srnic_devices_lock);	/* the list, and the existence of its members */

/**
 * srnic_control_dev_add() - Make a device visible
 * @dev: registered with ib_core; @dev->ndev exists until
 *	srnic_control_dev_del()
 */
void srnic_control_dev_add(struct srnic_dev *dev)
{
	struct srnic_dev *after;

	mutex_lock(&srnic_devices_lock);
	list_for_each_entry(after, &srnic_devices, control_node)
		if (after->ib.index > dev->ib.index)
			break;
	list_add_tail(&dev->control_node, &after->control_node);
	mutex_unlock(&srnic_devices_lock);
	srnic_log_listen(dev->log, srnic_nl_log_notify);
}

/**
 * srnic_control_dev_del() - Undo srnic_control_dev_add(); waits for commands that use the device
 * @dev: the device
 *
 * Context: process.
 */
void srnic_control_dev_del(struct srnic_dev *dev)
{
	srnic_log_unlisten(dev->log);
	mutex_lock(&srnic_devices_lock);
	list_del(&dev->control_node);
	mutex_unlock(&srnic_devices_lock);
}

/**
 * srnic_control_each_dev() - Call a function for each device
 * @call: the function; it may sleep
 *
 * Context: process.
 */
void srnic_control_each_dev(void (*call)(struct srnic_dev *dev))
{
	struct srnic_dev *dev;

	mutex_lock(&srnic_devices_lock);
	list_for_each_entry(dev, &srnic_devices, control_node)
		call(dev);
	mutex_unlock(&srnic_devices_lock);
}

/**
 * srnic_seals_changed() - End a request that changes rules or keys
 * @info: the request
 * @err: its result; if it is 0, keys that were derived from former ones are discarded
 *
 * A device of another namespace may have addresses in this one. A namespace without addresses has
 * no keys: its owner, who may be anybody, cannot make others wait.
 *
 * Context: process.
 * Return: @err.
 */
int srnic_seals_changed(struct genl_info *info, int err)
{
	struct net *net = genl_info_net(info);
	struct srnic_dev *dev;

	if (err || !srnic_net_used(net))
		return err;
	mutex_lock(&srnic_devices_lock);
	list_for_each_entry(dev, &srnic_devices, control_node)
		srnic_dgram_discard(dev, net);
	mutex_unlock(&srnic_devices_lock);
	return 0;
}

/* Return the namespace's first device with index @index or more, or NULL. */
struct srnic_dev *srnic_device_from(struct net *net, u32 index)
{
	struct srnic_dev *dev;

	lockdep_assert_held(&srnic_devices_lock);
	list_for_each_entry(dev, &srnic_devices, control_node)
		if (dev->ib.index >= index && net_eq(dev->net, net))
			return dev;
	return NULL;
}

/**
 * srnic_dump_by_device() - Dump objects of the devices, one device after the other
 * @skb: message to fill
 * @cb: state of the dump; its args are the device index and the position to
 *	resume at
 * @only: attribute of the request that restricts the dump to one device
 * @put: put the objects from position *at on; set *at to the first one that did
 *	not fit
 *
 * Return: result of the dump.
 */
int srnic_dump_by_device(struct sk_buff *skb, struct netlink_callback *cb, int only,
			 int (*put)(struct sk_buff *skb, const struct genl_info *info,
				    struct srnic_dev *dev, long *at))
{
	const struct genl_info *info = genl_info_dump(cb);
	const struct nlattr *index = info->attrs[only];
	struct srnic_dev *dev;
	int err = 0;

	mutex_lock(&srnic_devices_lock);
	while ((dev = srnic_device_from(genl_info_net(info), cb->args[0]))) {
		if (dev->ib.index != cb->args[0]) {
			cb->args[0] = dev->ib.index;
			cb->args[1] = 0;
		}
		if (!index || nla_get_u32(index) == dev->ib.index)
			err = put(skb, info, dev, &cb->args[1]);
		if (err)
			break;
		cb->args[0]++;
		cb->args[1] = 0;
	}
	mutex_unlock(&srnic_devices_lock);
	return srnic_dump_result(skb, err);
}

static int srnic_put_quota(struct sk_buff *skb, struct srnic_guard *guard, enum srnic_quota quota)
{
	const struct srnic_quota_state state = srnic_quota_get(guard, quota);
	struct nlattr *nest;

	nest = nla_nest_start(skb, SRNIC_A_DEV_QUOTA);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_string(skb, SRNIC_A_QUOTA_NAME, srnic_quota_table[quota].name) ||
	    nla_put_u32(skb, SRNIC_A_QUOTA_USED, state.used) ||
	    nla_put_u32(skb, SRNIC_A_QUOTA_LIMIT, state.limit) ||
	    nla_put_u32(skb, SRNIC_A_QUOTA_RESERVE, state.reserve))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int srnic_put_limit(struct sk_buff *skb, const struct srnic_guard *guard,
			   enum srnic_limit limit)
{
	struct nlattr *nest;

	nest = nla_nest_start(skb, SRNIC_A_DEV_LIMIT);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_string(skb, SRNIC_A_LIMIT_NAME, srnic_limit_table[limit].name) ||
	    nla_put_u32(skb, SRNIC_A_LIMIT_VALUE, srnic_limit_get(guard, limit)) ||
	    nla_put_u32(skb, SRNIC_A_LIMIT_HIGHEST, srnic_limit_table[limit].max))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* Put the P_Keys of a port. Return 0 or -EMSGSIZE. */
static int put_pkeys(struct sk_buff *skb, const struct srnic_dev *dev)
{
	u16 pkey;
	int i;

	for (i = 0; i < SRNIC_PKEYS; i++) {
		pkey = READ_ONCE(dev->pkeys[i]);
		if (pkey && nla_put_u16(skb, SRNIC_A_DEV_PKEY, pkey))
			return -EMSGSIZE;
	}
	return 0;
}

/* Put what an InfiniBand port has and others have not. Return 0 or -EMSGSIZE. */
static int put_port(struct sk_buff *skb, struct srnic_dev *dev)
{
	if (!dev->fabric)
		return 0;
	if (nla_put_u32(skb, SRNIC_A_DEV_IB_MTU, ib_mtu_enum_to_int(READ_ONCE(dev->ib_mtu))))
		return -EMSGSIZE;
	return put_pkeys(skb, dev) ?: srnic_put_nodes(skb, dev);
}

static int srnic_put_dev(struct sk_buff *skb, const struct genl_info *info, struct srnic_dev *dev)
{
	unsigned int quota, limit;
	void *hdr;

	hdr = genlmsg_iput(skb, info);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_u32(skb, SRNIC_A_DEV_INDEX, dev->ib.index) ||
	    nla_put_string(skb, SRNIC_A_DEV_NAME, dev->ib.name) ||
	    nla_put_u32(skb, SRNIC_A_DEV_IFINDEX, dev->ndev->ifindex) ||
	    nla_put_u32(skb, SRNIC_A_DEV_MTU, READ_ONCE(dev->ndev->mtu)))
		goto cancel;
	for (quota = 0; quota < SRNIC_QUOTAS; quota++)
		if (srnic_put_quota(skb, &dev->guard, quota))
			goto cancel;
	for (limit = 0; limit < SRNIC_LIMITS; limit++)
		if (srnic_put_limit(skb, &dev->guard, limit))
			goto cancel;
	if (put_port(skb, dev))
		goto cancel;
	genlmsg_end(skb, hdr);
	return 0;

cancel:
	genlmsg_cancel(skb, hdr);
	return -EMSGSIZE;
}

int srnic_nl_dev_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct genl_info *info = genl_info_dump(cb);
	struct srnic_dev *dev;
	int err = 0;

	mutex_lock(&srnic_devices_lock);
	while ((dev = srnic_device_from(genl_info_net(info), cb->args[0]))) {
		err = srnic_put_dev(skb, info, dev);
		if (err)
			break;
		cb->args[0] = dev->ib.index + 1;
	}
	mutex_unlock(&srnic_devices_lock);
	return srnic_dump_result(skb, err);
}

/* A kind of named values of a device, which can be set */
struct srnic_named {
	const char *what;
	const struct nla_policy *policy;
	int attr;		/* the nest in a request */
	int max;		/* highest attribute in that nest */
	int name;		/* attribute with the name */
	int value;		/* attribute with the value */
	unsigned int count;
	const char *(*name_of)(unsigned int index);
};

static const char *srnic_quota_name(unsigned int quota)
{
	return srnic_quota_table[quota].name;
}

static const char *srnic_limit_name(unsigned int limit)
{
	return srnic_limit_table[limit].name;
}

static const struct srnic_named srnic_named_quota = {
	.what = "quota",
	.policy = srnic_quota_nl_policy,
	.attr = SRNIC_A_DEV_QUOTA,
	.max = SRNIC_A_QUOTA_MAX,
	.name = SRNIC_A_QUOTA_NAME,
	.value = SRNIC_A_QUOTA_LIMIT,
	.count = SRNIC_QUOTAS,
	.name_of = srnic_quota_name,
};

static const struct srnic_named srnic_named_limit = {
	.what = "limit",
	.policy = srnic_limit_nl_policy,
	.attr = SRNIC_A_DEV_LIMIT,
	.max = SRNIC_A_LIMIT_MAX,
	.name = SRNIC_A_LIMIT_NAME,
	.value = SRNIC_A_LIMIT_VALUE,
	.count = SRNIC_LIMITS,
	.name_of = srnic_limit_name,
};

static int srnic_index_of(struct genl_info *info, const struct srnic_named *named,
			  const struct nlattr *attr)
{
	const char *name = nla_data(attr);
	unsigned int i;

	for (i = 0; i < named->count; i++)
		if (!strcmp(named->name_of(i), name))
			return i;
	NL_SET_ERR_MSG_ATTR_FMT(info->extack, attr, "unknown %s '%s': see 'srnic %s show'",
				named->what, name, named->what);
	return -ENOENT;
}

/*
 * Return the index of the item that a request names, or a negative errno, and
 * parse its nest into @tb, which has @named->max + 1 entries.
 */
static int srnic_parse_named(struct genl_info *info, const struct srnic_named *named,
			     struct nlattr **tb)
{
	struct nlattr *nest;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, named->attr))
		return -EINVAL;
	nest = info->attrs[named->attr];
	err = nla_parse_nested(tb, named->max, nest, named->policy, info->extack);
	if (err)
		return err;
	if (NL_REQ_ATTR_CHECK(info->extack, nest, tb, named->name) ||
	    NL_REQ_ATTR_CHECK(info->extack, nest, tb, named->value))
		return -EINVAL;
	return srnic_index_of(info, named, tb[named->name]);
}

/* Return the device that @attr names. It exists as long as srnic_devices_lock is held. */
struct srnic_dev *srnic_named_dev(struct genl_info *info, int attr)
{
	const struct nlattr *index = info->attrs[attr];
	struct srnic_dev *dev;

	dev = srnic_device_from(genl_info_net(info), nla_get_u32(index));
	if (dev && dev->ib.index == nla_get_u32(index))
		return dev;
	NL_SET_ERR_MSG_ATTR(info->extack, index,
			    "no such device in this namespace: see 'srnic show'");
	return NULL;
}

static void srnic_set_quota(struct srnic_dev *dev, enum srnic_quota quota, struct nlattr **tb)
{
	u32 limit = nla_get_u32(tb[SRNIC_A_QUOTA_LIMIT]);

	srnic_quota_set(&dev->guard, quota, limit,
			tb[SRNIC_A_QUOTA_RESERVE] ? nla_get_u32(tb[SRNIC_A_QUOTA_RESERVE]) :
			srnic_quota_default_reserve(limit));
}

int srnic_nl_quota_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *tb[SRNIC_A_QUOTA_MAX + 1];
	struct srnic_dev *dev;
	int quota, err = 0;

	if (GENL_REQ_ATTR_CHECK(info, SRNIC_A_DEV_INDEX))
		return -EINVAL;
	quota = srnic_parse_named(info, &srnic_named_quota, tb);
	if (quota < 0)
		return quota;

	mutex_lock(&srnic_devices_lock);
	dev = srnic_named_dev(info, SRNIC_A_DEV_INDEX);
	if (dev)
		srnic_set_quota(dev, quota, tb);
	else
		err = -ENODEV;
	mutex_unlock(&srnic_devices_lock);
	return err;
}

static int srnic_set_limit(struct genl_info *info, struct srnic_dev *dev, enum srnic_limit limit,
			   u32 value)
{
	int err = srnic_limit_set(&dev->guard, limit, value);

	if (err)
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, info->attrs[SRNIC_A_DEV_LIMIT],
					"%s must be at most %u", srnic_limit_table[limit].name,
					srnic_limit_table[limit].max);
	else
		srnic_idle_changed(dev);
	return err;
}

int srnic_nl_limit_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *tb[SRNIC_A_LIMIT_MAX + 1];
	struct srnic_dev *dev;
	int limit, err;

	if (GENL_REQ_ATTR_CHECK(info, SRNIC_A_DEV_INDEX))
		return -EINVAL;
	limit = srnic_parse_named(info, &srnic_named_limit, tb);
	if (limit < 0)
		return limit;

	mutex_lock(&srnic_devices_lock);
	dev = srnic_named_dev(info, SRNIC_A_DEV_INDEX);
	err = dev ? srnic_set_limit(info, dev, limit, nla_get_u32(tb[SRNIC_A_LIMIT_VALUE])) :
		    -ENODEV;
	mutex_unlock(&srnic_devices_lock);
	return err;
}
