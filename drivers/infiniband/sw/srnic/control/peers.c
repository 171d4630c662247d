// SPDX-License-Identifier: GPL-2.0
/*
 * Requests for peers: dump their faults, cut a peer off by hand, and allow it
 * again. The rule that cuts off automatically consists of two limits
 * (devices.c).
 */
#include <linux/jiffies.h>
#include "control/genl.h"
#include "srnic.h"

static int put_fault(struct sk_buff *skb, const char *name, u64 count)
{
	struct nlattr *nest;

	nest = nla_nest_start(skb, SRNIC_A_PEER_FAULT);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_string(skb, SRNIC_A_FAULT_NAME, name) ||
	    nla_put_uint(skb, SRNIC_A_FAULT_COUNT, count))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_faults(struct sk_buff *skb, const struct srnic_peer_state *peer)
{
	enum srnic_fault kind;

	for (kind = SRNIC_FAULT_NONE + 1; kind < SRNIC_FAULTS; kind++)
		if (peer->faults[kind] &&
		    put_fault(skb, srnic_fault_table[kind].name, peer->faults[kind]))
			return -EMSGSIZE;
	return 0;
}

static int put_peer(struct sk_buff *skb, const struct genl_info *info,
		    const struct srnic_dev *dev, const struct srnic_peer_state *peer)
{
	void *hdr = genlmsg_iput(skb, info);

	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_u32(skb, SRNIC_A_PEER_DEV_INDEX, dev->ib.index) ||
	    nla_put_string(skb, SRNIC_A_PEER_DEV_NAME, dev->ib.name) ||
	    nla_put(skb, SRNIC_A_PEER_ADDRESS, sizeof(peer->gid), peer->gid) ||
	    put_faults(skb, peer) ||
	    nla_put_uint(skb, SRNIC_A_PEER_SILENT, peer->silent) ||
	    nla_put_uint(skb, SRNIC_A_PEER_DROPPED, peer->dropped) ||
	    (peer->cut && nla_put_flag(skb, SRNIC_A_PEER_CUT_OFF)) ||
	    (peer->timed && nla_put_u32(skb, SRNIC_A_PEER_SECONDS, peer->left))) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

/* Put the peers from position *@place on; set *@place to the first that did not fit. */
static int put_peers(struct sk_buff *skb, const struct genl_info *info, struct srnic_dev *dev,
		     long *place)
{
	struct srnic_peer_state peer;
	unsigned long at = *place;
	int err;

	for (; srnic_peer_next(dev->peers, &at, jiffies, &peer); at++) {
		err = put_peer(skb, info, dev, &peer);
		if (err) {
			*place = at;
			return err;
		}
	}
	return 0;
}

int srnic_nl_peer_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return srnic_dump_by_device(skb, cb, SRNIC_A_PEER_DEV_INDEX, put_peers);
}

static int peer_cut_off(struct srnic_dev *dev, struct genl_info *info, const u8 *gid)
{
	const struct nlattr *seconds = info->attrs[SRNIC_A_PEER_SECONDS];
	int err = srnic_peer_cut(dev->peers, gid, seconds ? nla_get_u32(seconds) : 0, jiffies);

	if (err == -ERANGE)
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, seconds, "seconds must be at most %u",
					srnic_limit_table[SRNIC_LIMIT_CUTOFF].max);
	else if (err == -ENOSPC)
		GENL_SET_ERR_MSG_FMT(info, "the maximum of %u peers is cut off: allow some again",
				     SRNIC_MAX_CUT_OFF);
	return err;
}

static int peer_allow(struct srnic_dev *dev, struct genl_info *info, const u8 *gid)
{
	int err = srnic_peer_allow(dev->peers, gid);

	if (err)
		GENL_SET_ERR_MSG(info, "this peer is not cut off: see 'srnic peer'");
	return err;
}

/* Apply @what to the peer that a request names. */
static int peer_request(struct genl_info *info,
			int (*what)(struct srnic_dev *dev, struct genl_info *info, const u8 *gid))
{
	struct srnic_dev *dev;
	int err = -ENODEV;

	if (GENL_REQ_ATTR_CHECK(info, SRNIC_A_PEER_DEV_INDEX) ||
	    GENL_REQ_ATTR_CHECK(info, SRNIC_A_PEER_ADDRESS))
		return -EINVAL;

	mutex_lock(&srnic_devices_lock);
	dev = srnic_named_dev(info, SRNIC_A_PEER_DEV_INDEX);
	if (dev)
		err = what(dev, info, nla_data(info->attrs[SRNIC_A_PEER_ADDRESS]));
	mutex_unlock(&srnic_devices_lock);
	return err;
}

int srnic_nl_peer_cut_doit(struct sk_buff *skb, struct genl_info *info)
{
	return peer_request(info, peer_cut_off);
}

int srnic_nl_peer_allow_doit(struct sk_buff *skb, struct genl_info *info)
{
	return peer_request(info, peer_allow);
}
