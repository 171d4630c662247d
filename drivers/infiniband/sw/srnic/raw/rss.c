// SPDX-License-Identifier: GPL-2.0
/*
 * Receive-side scaling: a hash over fields of a frame selects the receive queue, so that all
 * frames of a connection go to one queue. The hash is Toeplitz's, with the order of fields that
 * NICs have (addresses, then ports; source first).
 */
#include <linux/slab.h>
#include <linux/unaligned.h>
#include "export.h"
#include "engine/frame.h"
#include "raw/match.h"
#include "raw/raw.h"

/* A field of a frame's key that may be hashed, in the order in which they are */
struct rss_field {
	u32 field;
	u32 need;
	u16 off;
	u16 len;
};

#define OFF(member)	offsetof(struct srnic_frame_key, member)

static const struct rss_field rss_fields[] = {
	{ SRNIC_RX_HASH_SRC_IPV4, SRNIC_HAVE_IPV4, OFF(ipv4.src_ip), 4 },
	{ SRNIC_RX_HASH_DST_IPV4, SRNIC_HAVE_IPV4, OFF(ipv4.dst_ip), 4 },
	{ SRNIC_RX_HASH_SRC_IPV6, SRNIC_HAVE_IPV6, OFF(ipv6.src_ip), 16 },
	{ SRNIC_RX_HASH_DST_IPV6, SRNIC_HAVE_IPV6, OFF(ipv6.dst_ip), 16 },
	{ SRNIC_RX_HASH_SRC_PORT_TCP, SRNIC_HAVE_TCP, OFF(ports.src_port), 2 },
	{ SRNIC_RX_HASH_SRC_PORT_UDP, SRNIC_HAVE_UDP, OFF(ports.src_port), 2 },
	{ SRNIC_RX_HASH_DST_PORT_TCP, SRNIC_HAVE_TCP, OFF(ports.dst_port), 2 },
	{ SRNIC_RX_HASH_DST_PORT_UDP, SRNIC_HAVE_UDP, OFF(ports.dst_port), 2 },
};

/* The largest input: addresses of IPv6 and ports. The key has 32 bits more. */
static_assert(SRNIC_RX_HASH_KEY_LEN >= 36 + 4);

/* A window of 32 bits moves over the key; where the input has a 1, the hash takes the window. */
struct toeplitz {
	const u8 *key;
	u32 at;
	u32 hash;
};

static void toeplitz_add(struct toeplitz *toeplitz, const u8 *data, u32 len)
{
	for (u32 i = 0; i < len; i++, toeplitz->at++) {
		const u8 *key = toeplitz->key + toeplitz->at;
		u64 window = (u64)get_unaligned_be32(key) << 8 | key[4];

		for (u32 bit = 0; bit < 8; bit++) {
			if (data[i] & BIT(7 - bit))
				toeplitz->hash ^= window >> (8 - bit);
		}
	}
}

/**
 * srnic_rss_hash() - Hash the fields of a frame
 * @rss: key, and selection of fields
 * @key: the fields; those that the frame does not have are left out
 */
u32 srnic_rss_hash(const struct srnic_rss *rss, const struct srnic_frame_key *key)
{
	struct toeplitz toeplitz = { .key = rss->key };

	for (u32 i = 0; i < ARRAY_SIZE(rss_fields); i++) {
		const struct rss_field *field = &rss_fields[i];

		if (rss->fields & field->field && key->have & field->need)
			toeplitz_add(&toeplitz, (const u8 *)key + field->off, field->len);
	}
	return toeplitz.hash;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_rss_hash);

/**
 * srnic_rss_pick() - Return the QP of the receive queue that a frame is for
 * @rss: the indirection table, and how to hash
 * @key: fields of the frame
 *
 * Context: any.
 */
struct srnic_qp *srnic_rss_pick(const struct srnic_rss *rss, const struct srnic_frame_key *key)
{
	return rss->queue[srnic_rss_hash(rss, key) & rss->mask];
}

SRNIC_EXPORT_FOR_KUNIT(srnic_rss_pick);

/**
 * srnic_rss_alloc() - Create the part of a QP that spreads frames
 * @table: the indirection table, which the core keeps as long as the QP
 * @cmd: how to hash, as user space says
 *
 * Context: process.
 * Return: for kfree(), or an ERR_PTR(): -ENOMEM; -EINVAL: the key has another length, or cmd has
 * reserved bits; -EOPNOTSUPP: another function, or other fields.
 */
struct srnic_rss *srnic_rss_alloc(const struct ib_rwq_ind_table *table,
				  const struct srnic_create_qp_cmd *cmd)
{
	u32 count = BIT(table->log_ind_tbl_size);
	struct srnic_rss *rss;

	if (cmd->rx_hash_function != SRNIC_RX_HASH_TOEPLITZ ||
	    cmd->rx_hash_fields & ~SRNIC_RX_HASH_FIELDS)
		return ERR_PTR(-EOPNOTSUPP);
	if (cmd->rx_hash_key_len != SRNIC_RX_HASH_KEY_LEN || cmd->reserved)
		return ERR_PTR(-EINVAL);
	rss = kzalloc(struct_size(rss, queue, count), GFP_KERNEL_ACCOUNT);
	if (!rss)
		return ERR_PTR(-ENOMEM);
	rss->fields = cmd->rx_hash_fields;
	memcpy(rss->key, cmd->rx_hash_key, sizeof(rss->key));
	rss->mask = count - 1;
	for (u32 i = 0; i < count; i++)
		rss->queue[i] = &to_srnic_wq(table->ind_tbl[i])->qp;
	return rss;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_rss_alloc);
