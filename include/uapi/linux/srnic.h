/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/srnic.yaml */
/* YNL-GEN uapi header */

#ifndef _UAPI_LINUX_SRNIC_H
#define _UAPI_LINUX_SRNIC_H

#define SRNIC_FAMILY_NAME	"srnic"
#define SRNIC_FAMILY_VERSION	1

/**
 * enum srnic_rule - Whether connections to and from a prefix are sealed.
 * @SRNIC_RULE_OFF: In the clear.
 * @SRNIC_RULE_PREFER: Sealed if the key exists, else in the clear; there is no
 *   negotiation.
 * @SRNIC_RULE_REQUIRE: Sealed; without the key there is no connection.
 */
enum srnic_rule {
	SRNIC_RULE_OFF,
	SRNIC_RULE_PREFER,
	SRNIC_RULE_REQUIRE,
};

/**
 * enum srnic_mode - Parts of a packet that the seal covers.
 * @SRNIC_MODE_OFF: Nothing.
 * @SRNIC_MODE_HEADER: The headers are authenticated, the payload is not.
 * @SRNIC_MODE_PACKET: Headers and payload are authenticated.
 * @SRNIC_MODE_AEAD: Headers and payload are authenticated, and the payload is
 *   encrypted.
 * @SRNIC_MODE_OPAQUE: All is authenticated, and all behind the base transport
 *   header is encrypted.
 */
enum srnic_mode {
	SRNIC_MODE_OFF,
	SRNIC_MODE_HEADER,
	SRNIC_MODE_PACKET,
	SRNIC_MODE_AEAD,
	SRNIC_MODE_OPAQUE,
};

/**
 * enum srnic_qp_type - Transport service.
 * @SRNIC_QP_TYPE_RC: Reliable connection.
 * @SRNIC_QP_TYPE_UC: Unreliable connection.
 * @SRNIC_QP_TYPE_UD: Datagrams.
 * @SRNIC_QP_TYPE_GSI: Datagrams of the connection manager, QP1.
 * @SRNIC_QP_TYPE_SMI: Datagrams of subnet management, QP0 of an InfiniBand
 *   port.
 * @SRNIC_QP_TYPE_XRC_INI: Extended reliable connection, its initiator.
 * @SRNIC_QP_TYPE_XRC_TGT: Extended reliable connection, its target.
 * @SRNIC_QP_TYPE_RAW_PACKET: Ethernet frames.
 */
enum srnic_qp_type {
	SRNIC_QP_TYPE_RC,
	SRNIC_QP_TYPE_UC,
	SRNIC_QP_TYPE_UD,
	SRNIC_QP_TYPE_GSI,
	SRNIC_QP_TYPE_SMI,
	SRNIC_QP_TYPE_XRC_INI,
	SRNIC_QP_TYPE_XRC_TGT,
	SRNIC_QP_TYPE_RAW_PACKET,
};

/**
 * enum srnic_qp_state - State as in the InfiniBand specification, 10.3.
 * @SRNIC_QP_STATE_RESET: Nothing is set up.
 * @SRNIC_QP_STATE_INIT: Receive work requests may be posted.
 * @SRNIC_QP_STATE_RTR: Ready to receive.
 * @SRNIC_QP_STATE_RTS: Ready to send.
 * @SRNIC_QP_STATE_SQD: The send queue is being drained, or is drained.
 * @SRNIC_QP_STATE_SQE: The send queue is in error.
 * @SRNIC_QP_STATE_ERR: The queue pair is in error.
 */
enum srnic_qp_state {
	SRNIC_QP_STATE_RESET,
	SRNIC_QP_STATE_INIT,
	SRNIC_QP_STATE_RTR,
	SRNIC_QP_STATE_RTS,
	SRNIC_QP_STATE_SQD,
	SRNIC_QP_STATE_SQE,
	SRNIC_QP_STATE_ERR,
};

/**
 * enum srnic_flow_side - Sender of the requests of a flow; the flow includes
 *   the responses to them.
 * @SRNIC_FLOW_SIDE_OURS: Requests of the local end, with the peer's responses.
 * @SRNIC_FLOW_SIDE_THEIRS: Requests of the peer, with the responses of the
 *   local end.
 */
enum srnic_flow_side {
	SRNIC_FLOW_SIDE_OURS,
	SRNIC_FLOW_SIDE_THEIRS,
};

/**
 * enum srnic_role - Role of a node in the subnet of an InfiniBand port.
 * @SRNIC_ROLE_MANAGER: A subnet manager runs there, which may configure the
 *   port.
 * @SRNIC_ROLE_MEMBER: It is behind the switch of the port, for a subnet
 *   manager of this node to see it.
 */
enum srnic_role {
	SRNIC_ROLE_MANAGER,
	SRNIC_ROLE_MEMBER,
};

/**
 * enum srnic_key_secret - Kind of a key's second secret. Peers may use it, as
 *   they may the current one.
 * @SRNIC_KEY_SECRET_NEXT: It is accepted, and not used yet.
 * @SRNIC_KEY_SECRET_FORMER: It was the current one, and is still accepted.
 */
enum srnic_key_secret {
	SRNIC_KEY_SECRET_NEXT,
	SRNIC_KEY_SECRET_FORMER,
};

#define SRNIC_NAME_MAX		31
#define SRNIC_SECRET_MIN	16
#define SRNIC_SECRET_MAX	32

enum {
	SRNIC_A_POLICY_PREFIX = 1,
	SRNIC_A_POLICY_PREFIX_LEN,
	SRNIC_A_POLICY_RULE,
	SRNIC_A_POLICY_MODE,
	SRNIC_A_POLICY_SUITE,
	SRNIC_A_POLICY_KEY,
	SRNIC_A_POLICY_REPLACE,
	SRNIC_A_POLICY_CLEAR_CM,
	SRNIC_A_POLICY_UNCACHED,

	__SRNIC_A_POLICY_MAX,
	SRNIC_A_POLICY_MAX = (__SRNIC_A_POLICY_MAX - 1)
};

enum {
	SRNIC_A_KEY_NAME = 1,
	SRNIC_A_KEY_SECRET,
	SRNIC_A_KEY_LEN,
	SRNIC_A_KEY_REPLACE,
	SRNIC_A_KEY_GENERATION,
	SRNIC_A_KEY_OTHER,
	SRNIC_A_KEY_OTHER_LEN,
	SRNIC_A_KEY_PEER,
	SRNIC_A_KEY_SEALED,

	__SRNIC_A_KEY_MAX,
	SRNIC_A_KEY_MAX = (__SRNIC_A_KEY_MAX - 1)
};

enum {
	SRNIC_A_SUITE_NAME = 1,
	SRNIC_A_SUITE_MODES,
	SRNIC_A_SUITE_STH_LEN,
	SRNIC_A_SUITE_TAG_LEN,
	SRNIC_A_SUITE_AVAILABLE,

	__SRNIC_A_SUITE_MAX,
	SRNIC_A_SUITE_MAX = (__SRNIC_A_SUITE_MAX - 1)
};

enum {
	SRNIC_A_QUOTA_NAME = 1,
	SRNIC_A_QUOTA_USED,
	SRNIC_A_QUOTA_LIMIT,
	SRNIC_A_QUOTA_RESERVE,

	__SRNIC_A_QUOTA_MAX,
	SRNIC_A_QUOTA_MAX = (__SRNIC_A_QUOTA_MAX - 1)
};

enum {
	SRNIC_A_LIMIT_NAME = 1,
	SRNIC_A_LIMIT_VALUE,
	SRNIC_A_LIMIT_HIGHEST,

	__SRNIC_A_LIMIT_MAX,
	SRNIC_A_LIMIT_MAX = (__SRNIC_A_LIMIT_MAX - 1)
};

enum {
	SRNIC_A_DEV_INDEX = 1,
	SRNIC_A_DEV_NAME,
	SRNIC_A_DEV_IFINDEX,
	SRNIC_A_DEV_MTU,
	SRNIC_A_DEV_QUOTA,
	SRNIC_A_DEV_LIMIT,
	SRNIC_A_DEV_PKEY,
	SRNIC_A_DEV_IB_MTU,
	SRNIC_A_DEV_NODE,

	__SRNIC_A_DEV_MAX,
	SRNIC_A_DEV_MAX = (__SRNIC_A_DEV_MAX - 1)
};

enum {
	SRNIC_A_NODE_GID = 1,
	SRNIC_A_NODE_ROLE,
	SRNIC_A_NODE_LID,
	SRNIC_A_NODE_PORT,
	SRNIC_A_NODE_UP,

	__SRNIC_A_NODE_MAX,
	SRNIC_A_NODE_MAX = (__SRNIC_A_NODE_MAX - 1)
};

enum {
	SRNIC_A_USER_DEV_INDEX = 1,
	SRNIC_A_USER_DEV_NAME,
	SRNIC_A_USER_UID,
	SRNIC_A_USER_QUOTA,

	__SRNIC_A_USER_MAX,
	SRNIC_A_USER_MAX = (__SRNIC_A_USER_MAX - 1)
};

enum {
	SRNIC_A_FLOW_SIDE = 1,
	SRNIC_A_FLOW_READY,
	SRNIC_A_FLOW_EPOCH,
	SRNIC_A_FLOW_PSN64,
	SRNIC_A_FLOW_SEALED,
	SRNIC_A_FLOW_OPENED,
	SRNIC_A_FLOW_FAILED,
	SRNIC_A_FLOW_REPLAYED,

	__SRNIC_A_FLOW_MAX,
	SRNIC_A_FLOW_MAX = (__SRNIC_A_FLOW_MAX - 1)
};

enum {
	SRNIC_A_QP_DEV_INDEX = 1,
	SRNIC_A_QP_DEV_NAME,
	SRNIC_A_QP_QPN,
	SRNIC_A_QP_TYPE,
	SRNIC_A_QP_STATE,
	SRNIC_A_QP_PEER,
	SRNIC_A_QP_PEER_QPN,
	SRNIC_A_QP_MODE,
	SRNIC_A_QP_SUITE,
	SRNIC_A_QP_DRIVER,
	SRNIC_A_QP_FLOW,
	SRNIC_A_QP_UNCACHED,

	__SRNIC_A_QP_MAX,
	SRNIC_A_QP_MAX = (__SRNIC_A_QP_MAX - 1)
};

enum {
	SRNIC_A_LOG_DEV_INDEX = 1,
	SRNIC_A_LOG_DEV_NAME,
	SRNIC_A_LOG_SERIAL,
	SRNIC_A_LOG_TIME,
	SRNIC_A_LOG_COUNT,
	SRNIC_A_LOG_REASON,
	SRNIC_A_LOG_PEER,
	SRNIC_A_LOG_QPN,
	SRNIC_A_LOG_PSN,
	SRNIC_A_LOG_OPCODE,

	__SRNIC_A_LOG_MAX,
	SRNIC_A_LOG_MAX = (__SRNIC_A_LOG_MAX - 1)
};

enum {
	SRNIC_A_FAULT_NAME = 1,
	SRNIC_A_FAULT_COUNT,

	__SRNIC_A_FAULT_MAX,
	SRNIC_A_FAULT_MAX = (__SRNIC_A_FAULT_MAX - 1)
};

enum {
	SRNIC_A_PEER_DEV_INDEX = 1,
	SRNIC_A_PEER_DEV_NAME,
	SRNIC_A_PEER_ADDRESS,
	SRNIC_A_PEER_FAULT,
	SRNIC_A_PEER_SILENT,
	SRNIC_A_PEER_DROPPED,
	SRNIC_A_PEER_CUT_OFF,
	SRNIC_A_PEER_SECONDS,

	__SRNIC_A_PEER_MAX,
	SRNIC_A_PEER_MAX = (__SRNIC_A_PEER_MAX - 1)
};

enum {
	SRNIC_CMD_POLICY_ADD = 1,
	SRNIC_CMD_POLICY_DEL,
	SRNIC_CMD_POLICY_GET,
	SRNIC_CMD_KEY_ADD,
	SRNIC_CMD_KEY_DEL,
	SRNIC_CMD_KEY_GET,
	SRNIC_CMD_SUITE_GET,
	SRNIC_CMD_DEV_GET,
	SRNIC_CMD_QUOTA_SET,
	SRNIC_CMD_LIMIT_SET,
	SRNIC_CMD_USER_GET,
	SRNIC_CMD_QP_GET,
	SRNIC_CMD_LOG_GET,
	SRNIC_CMD_LOG_NTF,
	SRNIC_CMD_PEER_GET,
	SRNIC_CMD_PEER_CUT,
	SRNIC_CMD_PEER_ALLOW,
	SRNIC_CMD_KEY_STAGE,
	SRNIC_CMD_KEY_PROMOTE,
	SRNIC_CMD_KEY_RETIRE,
	SRNIC_CMD_KEY_WANTED,
	SRNIC_CMD_PKEY_ADD,
	SRNIC_CMD_PKEY_DEL,
	SRNIC_CMD_MTU_SET,
	SRNIC_CMD_NODE_ADD,
	SRNIC_CMD_NODE_DEL,

	__SRNIC_CMD_MAX,
	SRNIC_CMD_MAX = (__SRNIC_CMD_MAX - 1)
};

#define SRNIC_MCGRP_EVENTS	"events"
#define SRNIC_MCGRP_KEYS	"keys"

#endif /* _UAPI_LINUX_SRNIC_H */
