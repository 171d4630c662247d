// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/srnic.yaml */
/* YNL-GEN kernel source */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "nl.h"

#include <uapi/linux/srnic.h>

/* Common nested types */
const struct nla_policy srnic_limit_nl_policy[SRNIC_A_LIMIT_HIGHEST + 1] = {
	[SRNIC_A_LIMIT_NAME] = { .type = NLA_NUL_STRING, .len = SRNIC_NAME_MAX, },
	[SRNIC_A_LIMIT_VALUE] = { .type = NLA_U32, },
	[SRNIC_A_LIMIT_HIGHEST] = { .type = NLA_U32, },
};

const struct nla_policy srnic_node_nl_policy[SRNIC_A_NODE_UP + 1] = {
	[SRNIC_A_NODE_GID] = NLA_POLICY_EXACT_LEN(16),
	[SRNIC_A_NODE_ROLE] = NLA_POLICY_MAX(NLA_U8, 1),
	[SRNIC_A_NODE_LID] = { .type = NLA_U16, },
	[SRNIC_A_NODE_PORT] = { .type = NLA_U8, },
	[SRNIC_A_NODE_UP] = { .type = NLA_FLAG, },
};

const struct nla_policy srnic_quota_nl_policy[SRNIC_A_QUOTA_RESERVE + 1] = {
	[SRNIC_A_QUOTA_NAME] = { .type = NLA_NUL_STRING, .len = SRNIC_NAME_MAX, },
	[SRNIC_A_QUOTA_USED] = { .type = NLA_U32, },
	[SRNIC_A_QUOTA_LIMIT] = { .type = NLA_U32, },
	[SRNIC_A_QUOTA_RESERVE] = { .type = NLA_U32, },
};

/* SRNIC_CMD_POLICY_ADD - do */
static const struct nla_policy srnic_policy_add_nl_policy[SRNIC_A_POLICY_UNCACHED + 1] = {
	[SRNIC_A_POLICY_PREFIX] = NLA_POLICY_EXACT_LEN(16),
	[SRNIC_A_POLICY_PREFIX_LEN] = NLA_POLICY_MAX(NLA_U8, 128),
	[SRNIC_A_POLICY_RULE] = NLA_POLICY_MAX(NLA_U8, 2),
	[SRNIC_A_POLICY_MODE] = NLA_POLICY_MAX(NLA_U8, 4),
	[SRNIC_A_POLICY_SUITE] = { .type = NLA_NUL_STRING, .len = SRNIC_NAME_MAX, },
	[SRNIC_A_POLICY_KEY] = { .type = NLA_NUL_STRING, .len = SRNIC_NAME_MAX, },
	[SRNIC_A_POLICY_REPLACE] = { .type = NLA_FLAG, },
	[SRNIC_A_POLICY_CLEAR_CM] = { .type = NLA_FLAG, },
	[SRNIC_A_POLICY_UNCACHED] = { .type = NLA_FLAG, },
};

/* SRNIC_CMD_POLICY_DEL - do */
static const struct nla_policy srnic_policy_del_nl_policy[SRNIC_A_POLICY_PREFIX_LEN + 1] = {
	[SRNIC_A_POLICY_PREFIX] = NLA_POLICY_EXACT_LEN(16),
	[SRNIC_A_POLICY_PREFIX_LEN] = NLA_POLICY_MAX(NLA_U8, 128),
};

/* SRNIC_CMD_KEY_ADD - do */
static const struct nla_policy srnic_key_add_nl_policy[SRNIC_A_KEY_REPLACE + 1] = {
	[SRNIC_A_KEY_NAME] = { .type = NLA_NUL_STRING, .len = SRNIC_NAME_MAX, },
	[SRNIC_A_KEY_SECRET] = { .type = NLA_BINARY, },
	[SRNIC_A_KEY_REPLACE] = { .type = NLA_FLAG, },
};

/* SRNIC_CMD_KEY_DEL - do */
static const struct nla_policy srnic_key_del_nl_policy[SRNIC_A_KEY_NAME + 1] = {
	[SRNIC_A_KEY_NAME] = { .type = NLA_NUL_STRING, .len = SRNIC_NAME_MAX, },
};

/* SRNIC_CMD_QUOTA_SET - do */
static const struct nla_policy srnic_quota_set_nl_policy[SRNIC_A_DEV_QUOTA + 1] = {
	[SRNIC_A_DEV_INDEX] = { .type = NLA_U32, },
	[SRNIC_A_DEV_QUOTA] = NLA_POLICY_NESTED(srnic_quota_nl_policy),
};

/* SRNIC_CMD_LIMIT_SET - do */
static const struct nla_policy srnic_limit_set_nl_policy[SRNIC_A_DEV_LIMIT + 1] = {
	[SRNIC_A_DEV_INDEX] = { .type = NLA_U32, },
	[SRNIC_A_DEV_LIMIT] = NLA_POLICY_NESTED(srnic_limit_nl_policy),
};

/* SRNIC_CMD_USER_GET - dump */
static const struct nla_policy srnic_user_get_nl_policy[SRNIC_A_USER_DEV_INDEX + 1] = {
	[SRNIC_A_USER_DEV_INDEX] = { .type = NLA_U32, },
};

/* SRNIC_CMD_QP_GET - dump */
static const struct nla_policy srnic_qp_get_nl_policy[SRNIC_A_QP_DEV_INDEX + 1] = {
	[SRNIC_A_QP_DEV_INDEX] = { .type = NLA_U32, },
};

/* SRNIC_CMD_LOG_GET - dump */
static const struct nla_policy srnic_log_get_nl_policy[SRNIC_A_LOG_DEV_INDEX + 1] = {
	[SRNIC_A_LOG_DEV_INDEX] = { .type = NLA_U32, },
};

/* SRNIC_CMD_PEER_GET - dump */
static const struct nla_policy srnic_peer_get_nl_policy[SRNIC_A_PEER_DEV_INDEX + 1] = {
	[SRNIC_A_PEER_DEV_INDEX] = { .type = NLA_U32, },
};

/* SRNIC_CMD_PEER_CUT - do */
static const struct nla_policy srnic_peer_cut_nl_policy[SRNIC_A_PEER_SECONDS + 1] = {
	[SRNIC_A_PEER_DEV_INDEX] = { .type = NLA_U32, },
	[SRNIC_A_PEER_ADDRESS] = NLA_POLICY_EXACT_LEN(16),
	[SRNIC_A_PEER_SECONDS] = { .type = NLA_U32, },
};

/* SRNIC_CMD_PEER_ALLOW - do */
static const struct nla_policy srnic_peer_allow_nl_policy[SRNIC_A_PEER_ADDRESS + 1] = {
	[SRNIC_A_PEER_DEV_INDEX] = { .type = NLA_U32, },
	[SRNIC_A_PEER_ADDRESS] = NLA_POLICY_EXACT_LEN(16),
};

/* SRNIC_CMD_KEY_STAGE - do */
static const struct nla_policy srnic_key_stage_nl_policy[SRNIC_A_KEY_SECRET + 1] = {
	[SRNIC_A_KEY_NAME] = { .type = NLA_NUL_STRING, .len = SRNIC_NAME_MAX, },
	[SRNIC_A_KEY_SECRET] = { .type = NLA_BINARY, },
};

/* SRNIC_CMD_KEY_PROMOTE - do */
static const struct nla_policy srnic_key_promote_nl_policy[SRNIC_A_KEY_NAME + 1] = {
	[SRNIC_A_KEY_NAME] = { .type = NLA_NUL_STRING, .len = SRNIC_NAME_MAX, },
};

/* SRNIC_CMD_KEY_RETIRE - do */
static const struct nla_policy srnic_key_retire_nl_policy[SRNIC_A_KEY_NAME + 1] = {
	[SRNIC_A_KEY_NAME] = { .type = NLA_NUL_STRING, .len = SRNIC_NAME_MAX, },
};

/* SRNIC_CMD_PKEY_ADD - do */
static const struct nla_policy srnic_pkey_add_nl_policy[SRNIC_A_DEV_PKEY + 1] = {
	[SRNIC_A_DEV_INDEX] = { .type = NLA_U32, },
	[SRNIC_A_DEV_PKEY] = { .type = NLA_U16, },
};

/* SRNIC_CMD_PKEY_DEL - do */
static const struct nla_policy srnic_pkey_del_nl_policy[SRNIC_A_DEV_PKEY + 1] = {
	[SRNIC_A_DEV_INDEX] = { .type = NLA_U32, },
	[SRNIC_A_DEV_PKEY] = { .type = NLA_U16, },
};

/* SRNIC_CMD_MTU_SET - do */
static const struct nla_policy srnic_mtu_set_nl_policy[SRNIC_A_DEV_IB_MTU + 1] = {
	[SRNIC_A_DEV_INDEX] = { .type = NLA_U32, },
	[SRNIC_A_DEV_IB_MTU] = { .type = NLA_U32, },
};

/* SRNIC_CMD_NODE_ADD - do */
static const struct nla_policy srnic_node_add_nl_policy[SRNIC_A_DEV_NODE + 1] = {
	[SRNIC_A_DEV_INDEX] = { .type = NLA_U32, },
	[SRNIC_A_DEV_NODE] = NLA_POLICY_NESTED(srnic_node_nl_policy),
};

/* SRNIC_CMD_NODE_DEL - do */
static const struct nla_policy srnic_node_del_nl_policy[SRNIC_A_DEV_NODE + 1] = {
	[SRNIC_A_DEV_INDEX] = { .type = NLA_U32, },
	[SRNIC_A_DEV_NODE] = NLA_POLICY_NESTED(srnic_node_nl_policy),
};

/* Ops table for srnic */
static const struct genl_split_ops srnic_nl_ops[] = {
	{
		.cmd		= SRNIC_CMD_POLICY_ADD,
		.doit		= srnic_nl_policy_add_doit,
		.policy		= srnic_policy_add_nl_policy,
		.maxattr	= SRNIC_A_POLICY_UNCACHED,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= SRNIC_CMD_POLICY_DEL,
		.doit		= srnic_nl_policy_del_doit,
		.policy		= srnic_policy_del_nl_policy,
		.maxattr	= SRNIC_A_POLICY_PREFIX_LEN,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= SRNIC_CMD_POLICY_GET,
		.dumpit	= srnic_nl_policy_get_dumpit,
		.flags	= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= SRNIC_CMD_KEY_ADD,
		.doit		= srnic_nl_key_add_doit,
		.policy		= srnic_key_add_nl_policy,
		.maxattr	= SRNIC_A_KEY_REPLACE,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= SRNIC_CMD_KEY_DEL,
		.doit		= srnic_nl_key_del_doit,
		.policy		= srnic_key_del_nl_policy,
		.maxattr	= SRNIC_A_KEY_NAME,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= SRNIC_CMD_KEY_GET,
		.dumpit	= srnic_nl_key_get_dumpit,
		.flags	= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
	{
		.cmd	= SRNIC_CMD_SUITE_GET,
		.dumpit	= srnic_nl_suite_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd	= SRNIC_CMD_DEV_GET,
		.dumpit	= srnic_nl_dev_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= SRNIC_CMD_QUOTA_SET,
		.doit		= srnic_nl_quota_set_doit,
		.policy		= srnic_quota_set_nl_policy,
		.maxattr	= SRNIC_A_DEV_QUOTA,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= SRNIC_CMD_LIMIT_SET,
		.doit		= srnic_nl_limit_set_doit,
		.policy		= srnic_limit_set_nl_policy,
		.maxattr	= SRNIC_A_DEV_LIMIT,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= SRNIC_CMD_USER_GET,
		.dumpit		= srnic_nl_user_get_dumpit,
		.policy		= srnic_user_get_nl_policy,
		.maxattr	= SRNIC_A_USER_DEV_INDEX,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= SRNIC_CMD_QP_GET,
		.dumpit		= srnic_nl_qp_get_dumpit,
		.policy		= srnic_qp_get_nl_policy,
		.maxattr	= SRNIC_A_QP_DEV_INDEX,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= SRNIC_CMD_LOG_GET,
		.dumpit		= srnic_nl_log_get_dumpit,
		.policy		= srnic_log_get_nl_policy,
		.maxattr	= SRNIC_A_LOG_DEV_INDEX,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= SRNIC_CMD_PEER_GET,
		.dumpit		= srnic_nl_peer_get_dumpit,
		.policy		= srnic_peer_get_nl_policy,
		.maxattr	= SRNIC_A_PEER_DEV_INDEX,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= SRNIC_CMD_PEER_CUT,
		.doit		= srnic_nl_peer_cut_doit,
		.policy		= srnic_peer_cut_nl_policy,
		.maxattr	= SRNIC_A_PEER_SECONDS,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= SRNIC_CMD_PEER_ALLOW,
		.doit		= srnic_nl_peer_allow_doit,
		.policy		= srnic_peer_allow_nl_policy,
		.maxattr	= SRNIC_A_PEER_ADDRESS,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= SRNIC_CMD_KEY_STAGE,
		.doit		= srnic_nl_key_stage_doit,
		.policy		= srnic_key_stage_nl_policy,
		.maxattr	= SRNIC_A_KEY_SECRET,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= SRNIC_CMD_KEY_PROMOTE,
		.doit		= srnic_nl_key_promote_doit,
		.policy		= srnic_key_promote_nl_policy,
		.maxattr	= SRNIC_A_KEY_NAME,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= SRNIC_CMD_KEY_RETIRE,
		.doit		= srnic_nl_key_retire_doit,
		.policy		= srnic_key_retire_nl_policy,
		.maxattr	= SRNIC_A_KEY_NAME,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= SRNIC_CMD_PKEY_ADD,
		.doit		= srnic_nl_pkey_add_doit,
		.policy		= srnic_pkey_add_nl_policy,
		.maxattr	= SRNIC_A_DEV_PKEY,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= SRNIC_CMD_PKEY_DEL,
		.doit		= srnic_nl_pkey_del_doit,
		.policy		= srnic_pkey_del_nl_policy,
		.maxattr	= SRNIC_A_DEV_PKEY,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= SRNIC_CMD_MTU_SET,
		.doit		= srnic_nl_mtu_set_doit,
		.policy		= srnic_mtu_set_nl_policy,
		.maxattr	= SRNIC_A_DEV_IB_MTU,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= SRNIC_CMD_NODE_ADD,
		.doit		= srnic_nl_node_add_doit,
		.policy		= srnic_node_add_nl_policy,
		.maxattr	= SRNIC_A_DEV_NODE,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= SRNIC_CMD_NODE_DEL,
		.doit		= srnic_nl_node_del_doit,
		.policy		= srnic_node_del_nl_policy,
		.maxattr	= SRNIC_A_DEV_NODE,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
};

static const struct genl_multicast_group srnic_nl_mcgrps[] = {
	[SRNIC_NLGRP_EVENTS] = { "events", .flags = GENL_MCAST_CAP_NET_ADMIN, },
	[SRNIC_NLGRP_KEYS] = { "keys", .flags = GENL_MCAST_CAP_NET_ADMIN, },
};

struct genl_family srnic_nl_family __ro_after_init = {
	.name		= SRNIC_FAMILY_NAME,
	.version	= SRNIC_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.split_ops	= srnic_nl_ops,
	.n_split_ops	= ARRAY_SIZE(srnic_nl_ops),
	.mcgrps		= srnic_nl_mcgrps,
	.n_mcgrps	= ARRAY_SIZE(srnic_nl_mcgrps),
};
