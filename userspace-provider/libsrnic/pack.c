// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Encoding of grants as bytes: srnic_grant_pack(3) has the format, which is fixed for each
 * version.
 */
#include <endian.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include "crypto.h"
#include "error.h"
#include "grant.h"
#include "tree.h"

#define PACK_VERSION	1

/*
 * The check detects accidents, not attacks: the holder of a grant can make a valid check for
 * other contents. It cannot be a key of the tree: none is the CMAC of bytes that start with
 * the magic.
 */
struct packed {
	char magic[4];
	uint8_t version;
	uint8_t right;
	uint8_t depth;
	uint8_t block_shift;
	__be64 addr;
	__be64 length;
	__be64 start;
	__be32 rkey;
	uint8_t node_shift;
	uint8_t zero[3];
	uint8_t key[SRNIC_MKEY_LEN];
	uint8_t check[8];
} __attribute__((packed));	/* may be unaligned */

_Static_assert(sizeof(struct packed) == SRNIC_GRANT_LEN, "as the manual has it");

static const char magic[4] = { 's', 'r', 'n', 'G' };

static int make_check(uint8_t check[8], const struct packed *packed)
{
	uint8_t mac[SRNIC_MKEY_LEN];
	int err;

	err = crypto_cmac(mac, packed->key, packed, offsetof(struct packed, check));
	if (!err)
		memcpy(check, mac, sizeof(packed->check));
	return err;
}

static void pack(struct packed *packed, const struct srnic_ioctl_grant *body)
{
	*packed = (struct packed){
		.version = PACK_VERSION,
		.right = body->right,
		.depth = body->depth,
		.block_shift = body->block_shift,
		.addr = htobe64(body->addr),
		.length = htobe64(body->length),
		.start = htobe64(body->start),
		.rkey = htobe32(body->rkey),
		.node_shift = body->node_shift,
	};
	memcpy(packed->magic, magic, sizeof(magic));
	memcpy(packed->key, body->key, sizeof(packed->key));
}

static void unpack(struct srnic_ioctl_grant *body, const struct packed *packed)
{
	*body = (struct srnic_ioctl_grant){
		.addr = be64toh(packed->addr),
		.length = be64toh(packed->length),
		.start = be64toh(packed->start),
		.rkey = be32toh(packed->rkey),
		.right = packed->right,
		.depth = packed->depth,
		.block_shift = packed->block_shift,
		.node_shift = packed->node_shift,
	};
	memcpy(body->key, packed->key, sizeof(body->key));
}

int srnic_grant_pack(const struct srnic_grant *grant, uint8_t packed[SRNIC_GRANT_LEN])
{
	struct packed *to = (void *)packed;
	int err;

	pack(to, &grant->body);
	err = make_check(to->check, to);
	if (err)
		explicit_bzero(packed, SRNIC_GRANT_LEN);
	return err;
}

static int check_packed(const struct packed *packed, size_t len)
{
	uint8_t check[sizeof(packed->check)];
	int err;

	if (len != sizeof(*packed))
		return fail(EINVAL, "packed grant has %zu bytes: it must have %d", len,
			    SRNIC_GRANT_LEN);
	if (memcmp(packed->magic, magic, sizeof(magic)))
		return fail(EINVAL, "the bytes are not a packed grant: the magic number is missing");
	if (packed->version != PACK_VERSION)
		return fail(EPROTONOSUPPORT, "grant has version %u: this library knows version %d only",
			    packed->version, PACK_VERSION);
	err = make_check(check, packed);
	if (err)
		return err;
	if (memcmp(packed->check, check, sizeof(check)))
		return fail(EINVAL, "the grant's checksum is wrong: have it sent again");
	return 0;
}

static int check_body(const struct packed *packed, const struct srnic_ioctl_grant *body)
{
	static const uint8_t zero[sizeof(packed->zero)];
	int err;

	err = grant_check_right(body->right);
	if (err)
		return err;
	if (memcmp(packed->zero, zero, sizeof(zero)) || !tree_is_sound(body))
		return fail(EINVAL, "the grant names a block that no region can have: have it sent again");
	return 0;
}

int srnic_grant_unpack(const void *packed, size_t len, struct srnic_grant **grant)
{
	int err;

	*grant = NULL;
	err = check_packed(packed, len) ?: grant_new(grant);
	if (err)
		return err;
	unpack(&(*grant)->body, packed);
	err = check_body(packed, &(*grant)->body);
	if (err) {
		srnic_grant_free(*grant);
		*grant = NULL;
	}
	return err;
}
