// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz grants that libsrnic gets from a peer, and operations on them. A grant
 * must be rejected or lie in its region; a narrowed grant must lie in the
 * original one; the blocks that cover a range must add up to the range, and no
 * larger block may be possible.
 *
 * Input: a packed grant without its checksum, which is repaired; then an
 * address and a length.
 */
#include <string.h>
#include <openssl/evp.h>
#include <srnic/verbs.h>
#include "fuzz/fuzz.h"

#define KEY_AT		40
#define CHECK_AT	56
#define STEPS_MAX	(2 * SRNIC_TREE_MAX)

static void set_check(uint8_t packed[SRNIC_GRANT_LEN])
{
	uint8_t mac[16];
	size_t len;

	CHECK(EVP_Q_mac(NULL, "CMAC", NULL, "AES-128-CBC", NULL, packed + KEY_AT, 16, packed,
			CHECK_AT, mac, sizeof(mac), &len));
	memcpy(packed + CHECK_AT, mac, SRNIC_GRANT_LEN - CHECK_AT);
}

/* Return the part's offset in the grant; addresses may end at 2^64, and no sum wraps. */
static uint64_t offset(const struct srnic_grant *grant, const struct srnic_grant *part)
{
	return srnic_grant_addr(part) - srnic_grant_addr(grant);
}

static void check_part(const struct srnic_grant *grant, const struct srnic_grant *part)
{
	CHECK(srnic_grant_len(part) && srnic_grant_len(part) <= srnic_grant_len(grant));
	CHECK(offset(grant, part) <= srnic_grant_len(grant) - srnic_grant_len(part));
	CHECK(srnic_grant_rkey(part) == srnic_grant_rkey(grant));
	CHECK(srnic_grant_right(part) == srnic_grant_right(grant));
}

static void fuzz_narrow(const struct srnic_grant *grant, uint64_t addr, uint64_t len)
{
	struct srnic_grant *part;

	if (srnic_grant_narrow(grant, addr, len, &part)) {
		CHECK(!part);
		return;
	}
	check_part(grant, part);
	CHECK(srnic_grant_addr(part) == addr && srnic_grant_len(part) == len);
	srnic_grant_free(part);
}

static void fuzz_cover(const struct srnic_grant *grant, uint64_t addr, uint64_t len)
{
	uint64_t at = addr, left = len;
	struct srnic_grant *part;
	unsigned int count = 0;

	while (left) {
		if (srnic_grant_cover(grant, &at, &left, &part)) {
			/* rejected at the first block, or not at all */
			CHECK(!part && !count && at == addr && left == len);
			return;
		}
		check_part(grant, part);
		CHECK(srnic_grant_addr(part) == at - srnic_grant_len(part));
		CHECK(++count <= STEPS_MAX);
		srnic_grant_free(part);
	}
	CHECK(at == addr + len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t packed[SRNIC_GRANT_LEN], again[SRNIC_GRANT_LEN];
	struct srnic_grant *grant;
	uint64_t range[2];

	if (size < CHECK_AT + sizeof(range))
		return 0;
	memcpy(packed, data, CHECK_AT);
	memcpy(range, data + CHECK_AT, sizeof(range));
	set_check(packed);
	if (srnic_grant_unpack(packed, sizeof(packed), &grant)) {
		CHECK(!grant);
		return 0;
	}
	CHECK(!srnic_grant_pack(grant, again) && !memcmp(packed, again, sizeof(packed)));
	check_part(grant, grant);

	/* with the range as given, then with the range moved into the grant */
	fuzz_narrow(grant, range[0], range[1]);
	fuzz_cover(grant, range[0], range[1]);
	range[0] = srnic_grant_addr(grant) + range[0] % srnic_grant_len(grant);
	range[1] %= srnic_grant_len(grant) + 1;
	fuzz_narrow(grant, range[0], range[1]);
	fuzz_cover(grant, range[0], range[1]);
	srnic_grant_free(grant);
	return 0;
}
