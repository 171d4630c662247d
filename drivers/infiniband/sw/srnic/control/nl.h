/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/srnic.yaml */
/* YNL-GEN kernel header */

#ifndef _LINUX_SRNIC_GEN_H
#define _LINUX_SRNIC_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/linux/srnic.h>

/* Common nested types */
extern const struct nla_policy srnic_limit_nl_policy[SRNIC_A_LIMIT_HIGHEST + 1];
extern const struct nla_policy srnic_node_nl_policy[SRNIC_A_NODE_UP + 1];
extern const struct nla_policy srnic_quota_nl_policy[SRNIC_A_QUOTA_RESERVE + 1];

int srnic_nl_policy_add_doit(struct sk_buff *skb, struct genl_info *info);
int srnic_nl_policy_del_doit(struct sk_buff *skb, struct genl_info *info);
int srnic_nl_policy_get_dumpit(struct sk_buff *skb,
			       struct netlink_callback *cb);
int srnic_nl_key_add_doit(struct sk_buff *skb, struct genl_info *info);
int srnic_nl_key_del_doit(struct sk_buff *skb, struct genl_info *info);
int srnic_nl_key_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int srnic_nl_suite_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int srnic_nl_dev_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int srnic_nl_quota_set_doit(struct sk_buff *skb, struct genl_info *info);
int srnic_nl_limit_set_doit(struct sk_buff *skb, struct genl_info *info);
int srnic_nl_user_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int srnic_nl_qp_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int srnic_nl_log_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int srnic_nl_peer_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int srnic_nl_peer_cut_doit(struct sk_buff *skb, struct genl_info *info);
int srnic_nl_peer_allow_doit(struct sk_buff *skb, struct genl_info *info);
int srnic_nl_key_stage_doit(struct sk_buff *skb, struct genl_info *info);
int srnic_nl_key_promote_doit(struct sk_buff *skb, struct genl_info *info);
int srnic_nl_key_retire_doit(struct sk_buff *skb, struct genl_info *info);
int srnic_nl_pkey_add_doit(struct sk_buff *skb, struct genl_info *info);
int srnic_nl_pkey_del_doit(struct sk_buff *skb, struct genl_info *info);
int srnic_nl_mtu_set_doit(struct sk_buff *skb, struct genl_info *info);
int srnic_nl_node_add_doit(struct sk_buff *skb, struct genl_info *info);
int srnic_nl_node_del_doit(struct sk_buff *skb, struct genl_info *info);

enum {
	SRNIC_NLGRP_EVENTS,
	SRNIC_NLGRP_KEYS,
};

extern struct genl_family srnic_nl_family;

#endif /* _LINUX_SRNIC_GEN_H */
