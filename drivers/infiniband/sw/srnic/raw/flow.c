// SPDX-License-Identifier: GPL-2.0
/*
 * The flow rules of a device: they say which raw packet QP gets a copy of a frame that the netdev
 * has received. Rules are compared in the order of their levels. The first level that has a rule
 * for a frame gets it, unless the rule lets frames pass (DONT_TRAP); of each level, each QP gets a
 * frame once.
 */
#include <linux/etherdevice.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include "export.h"
#include "srnic.h"
#include "engine/frame.h"
#include "net/frame.h"
#include "raw/match.h"
#include "raw/raw.h"

/* Levels before and behind those of normal rules, which are their priorities */
#define LEVEL_SNIFFER		(-1)
#define LEVEL_MC_DEFAULT	(U16_MAX + 1)
#define LEVEL_ALL_DEFAULT	(U16_MAX + 2)

/**
 * struct srnic_raw - Flow rules of a device
 * @lock: serialises changes
 * @flows: rules, by level and QP; read under RCU
 */
struct srnic_raw {
	struct mutex lock;	/* changes */
	struct list_head flows;
};

/**
 * struct srnic_flow - A flow rule
 * @ib: core part
 * @node: entry in the device's rules
 * @qp: the QP that gets the frames, which the core keeps
 * @level: rules of lower levels come first
 * @passes: frames also go to rules of higher levels
 * @group: frames to group addresses only
 * @count: number of parts
 * @match: parts, all of which a frame must match
 */
struct srnic_flow {
	struct ib_flow ib;
	struct list_head node;
	struct srnic_qp *qp;
	int level;
	bool passes;
	bool group;
	u8 count;
	struct srnic_match match[];
};

/**
 * srnic_raw_open() - Set up the flow rules of a device: there are none
 * @dev: the device
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int srnic_raw_open(struct srnic_dev *dev)
{
	struct srnic_raw *raw = kzalloc(sizeof(*raw), GFP_KERNEL_ACCOUNT);

	if (!raw)
		return -ENOMEM;
	mutex_init(&raw->lock);
	INIT_LIST_HEAD(&raw->flows);
	dev->raw = raw;
	return 0;
}

/**
 * srnic_raw_close() - Undo srnic_raw_open()
 * @dev: the device, which has no rules
 *
 * Context: process.
 */
void srnic_raw_close(struct srnic_dev *dev)
{
	kfree(dev->raw);
	dev->raw = NULL;
}

static bool flow_matches(const struct srnic_flow *flow, const struct srnic_frame_key *key)
{
	if (flow->group && !is_multicast_ether_addr(key->eth.dst_mac))
		return false;
	for (u32 i = 0; i < flow->count; i++) {
		if (!srnic_match_frame(&flow->match[i], key))
			return false;
	}
	return true;
}

static void flow_deliver(const struct srnic_flow *flow, const struct srnic_frame_key *key,
			 struct sk_buff *frames)
{
	struct srnic_qp *qp = flow->qp;

	srnic_frames_receive(qp->rss ? srnic_rss_pick(qp->rss, key) : qp, frames);
}

/* Rules of one level and QP are neighbours. */
static bool same_receiver(const struct srnic_flow *flow, const struct srnic_flow *last)
{
	return last && last->level == flow->level && last->qp == flow->qp;
}

/* All frames of a super-packet have the same fields. */
static void raw_rx(struct sk_buff *skb, void *arg)
{
	const struct srnic_flow *flow, *last = NULL;
	struct sk_buff *frames = NULL;
	struct srnic_raw *raw = arg;
	struct srnic_frame_key key;
	u8 head[SRNIC_FRAME_HEAD];
	int end = INT_MAX;

	srnic_frame_parse(&key, head, srnic_frame_read(skb, head, sizeof(head)));
	list_for_each_entry_rcu(flow, &raw->flows, node) {
		if (flow->level > end)
			break;
		if (same_receiver(flow, last) || !flow_matches(flow, &key))
			continue;
		if (!frames)
			frames = srnic_frame_split(skb);
		if (!frames)
			return;
		flow_deliver(flow, &key, frames);
		last = flow;
		if (!flow->passes)
			end = flow->level;
	}
	kfree_skb_list(frames);
}

static int flow_set_level(struct srnic_flow *flow, const struct ib_flow_attr *attr)
{
	switch (attr->type) {
	case IB_FLOW_ATTR_NORMAL:
		flow->level = attr->priority;
		flow->passes = attr->flags & IB_FLOW_ATTR_FLAGS_DONT_TRAP;
		return 0;
	case IB_FLOW_ATTR_SNIFFER:
		flow->level = LEVEL_SNIFFER;
		flow->passes = true;
		break;
	case IB_FLOW_ATTR_MC_DEFAULT:
		flow->level = LEVEL_MC_DEFAULT;
		flow->group = true;
		break;
	case IB_FLOW_ATTR_ALL_DEFAULT:
		flow->level = LEVEL_ALL_DEFAULT;
		break;
	default:
		return -EOPNOTSUPP;
	}
	/* these are for all frames, or all to groups */
	return attr->num_of_specs ? -EINVAL : 0;
}

static int flow_set_matches(struct srnic_flow *flow, const struct ib_flow_attr *attr)
{
	const u8 *end = (const u8 *)attr + attr->size;
	const u8 *at = (const u8 *)attr->flows;
	int err = 0;

	for (u32 i = 0; i < attr->num_of_specs && !err; i++) {
		const union ib_flow_spec *spec = (const union ib_flow_spec *)at;

		if (at + sizeof(spec->type) + sizeof(spec->size) > end || at + spec->size > end)
			return -EINVAL;
		err = srnic_match_make(&flow->match[i], spec);
		at += spec->size;
	}
	return err;
}

static struct srnic_flow *flow_alloc(struct srnic_qp *qp, const struct ib_flow_attr *attr)
{
	struct srnic_flow *flow;
	int err;

	if (attr->flags & ~IB_FLOW_ATTR_FLAGS_DONT_TRAP)
		return ERR_PTR(-EOPNOTSUPP);
	flow = kzalloc(struct_size(flow, match, attr->num_of_specs), GFP_KERNEL_ACCOUNT);
	if (!flow)
		return ERR_PTR(-ENOMEM);
	flow->qp = qp;
	flow->count = attr->num_of_specs;
	err = flow_set_level(flow, attr) ?: flow_set_matches(flow, attr);
	if (!err)
		return flow;
	kfree(flow);
	return ERR_PTR(err);
}

static bool flow_precedes(const struct srnic_flow *flow, const struct srnic_flow *other)
{
	if (flow->level != other->level)
		return flow->level < other->level;
	return flow->qp < other->qp;
}

static void flow_insert(struct srnic_raw *raw, struct srnic_flow *flow)
{
	struct list_head *before = &raw->flows;
	struct srnic_flow *other;

	lockdep_assert_held(&raw->lock);

	list_for_each_entry(other, &raw->flows, node) {
		if (flow_precedes(flow, other)) {
			before = &other->node;
			break;
		}
	}
	list_add_tail_rcu(&flow->node, before);
}

/**
 * srnic_flow_add() - Add a rule that gives frames of the netdev to a QP
 * @qp: a raw packet QP
 * @attr: the rule
 *
 * Context: process.
 * Return: the rule, or an ERR_PTR(): -ENOMEM; -EINVAL; -EOPNOTSUPP: it names a header or an action
 * that is not supported.
 */
struct ib_flow *srnic_flow_add(struct srnic_qp *qp, const struct ib_flow_attr *attr)
{
	struct srnic_flow *flow = flow_alloc(qp, attr);
	struct srnic_raw *raw = qp->dev->raw;
	int err = 0;

	if (IS_ERR(flow))
		return ERR_CAST(flow);
	mutex_lock(&raw->lock);
	if (list_empty(&raw->flows))
		err = srnic_tap_open(qp->dev, raw_rx, raw);
	if (!err)
		flow_insert(raw, flow);
	mutex_unlock(&raw->lock);
	if (!err)
		return &flow->ib;
	kfree(flow);
	return ERR_PTR(err);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_flow_add);

/**
 * srnic_flow_remove() - Remove a rule, and wait until no frame is being received by it
 * @dev: the device
 * @ib: from srnic_flow_add()
 *
 * Context: process.
 */
void srnic_flow_remove(struct srnic_dev *dev, struct ib_flow *ib)
{
	struct srnic_flow *flow = container_of(ib, struct srnic_flow, ib);
	struct srnic_raw *raw = dev->raw;

	mutex_lock(&raw->lock);
	list_del_rcu(&flow->node);
	if (list_empty(&raw->flows))
		srnic_tap_close(dev);
	mutex_unlock(&raw->lock);
	synchronize_net();
	kfree(flow);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_flow_remove);
