// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <string.h>
#include "request.h"

#define MAGIC		"SECM"
#define MAGIC_LEN	4
#define FIELDS_V1	20
#define FIELDS_V2	24
#define LABEL		"SECM request 2"	/* no other message begins with this */

static const uint8_t mac_lens[] = { 0, 16, 20, 32 };

unsigned int mac_len_of(uint8_t algorithm)
{
	return algorithm < sizeof(mac_lens) ? mac_lens[algorithm] : 0;
}

static uint8_t *put(uint8_t *at, uint64_t value, unsigned int len)
{
	while (len--)
		*at++ = value >> (8 * len);
	return at;
}

static uint64_t get(const uint8_t *at, unsigned int len)
{
	uint64_t value = 0;

	while (len--)
		value = value << 8 | *at++;
	return value;
}

static unsigned int fields_len(uint8_t version)
{
	return version == 1 ? FIELDS_V1 : FIELDS_V2;
}

static bool is_zero(const uint8_t *at, size_t len)
{
	while (len--)
		if (*at++)
			return false;
	return true;
}

/* @data is that of the whole request. Version 1 has no use for the nonce. */
static bool is_sound(const uint8_t *data, const struct request *request)
{
	unsigned int end = fields_len(request->version) + request->mac_len;

	return !data[7] && request->mac_len && request->mac_len == mac_len_of(request->algorithm) &&
	       request->key_id && (request->version == 2 || !request->nonce) &&
	       is_zero(data + end, REQUEST_LEN - end);
}

enum request_fault request_parse(const void *data, size_t len, struct request *request)
{
	const uint8_t *at = data;

	if (!data || len < MAGIC_LEN || memcmp(at, MAGIC, MAGIC_LEN))
		return REQUEST_MISSING;
	if (len < REQUEST_LEN)
		return REQUEST_MALFORMED;
	if (at[4] != 1 && at[4] != 2)
		return REQUEST_VERSION;
	memset(request, 0, sizeof(*request));
	request->version = at[4];
	request->algorithm = at[5];
	request->mac_len = at[6];
	request->key_id = get(at + 8, 4);
	request->nonce = get(at + 12, 8);
	if (!is_sound(at, request))
		return REQUEST_MALFORMED;
	if (request->version == 2)
		request->time = get(at + FIELDS_V1, 4);
	memcpy(request->mac, at + fields_len(request->version), request->mac_len);
	return REQUEST_FINE;
}

static void write_fields(const struct request *request, uint8_t *at)
{
	memcpy(at, MAGIC, MAGIC_LEN);
	at[4] = request->version;
	at[5] = request->algorithm;
	at[6] = request->mac_len;
	at[7] = 0;
	at = put(at + 8, request->key_id, 4);
	at = put(at, request->nonce, 8);
	if (request->version == 2)
		put(at, request->time, 4);
}

void request_write(const struct request *request, uint8_t data[REQUEST_LEN])
{
	memset(data, 0, REQUEST_LEN);
	write_fields(request, data);
	memcpy(data + fields_len(request->version), request->mac, request->mac_len);
}

size_t request_message(const struct request *request, const struct facts *facts,
		       uint8_t message[MESSAGE_MAX])
{
	uint8_t *at = message;

	if (request->version == 2) {
		memcpy(at, LABEL, sizeof(LABEL));
		at += sizeof(LABEL);
		write_fields(request, at);
		at += FIELDS_V2;
	}
	at = put(at, facts->qpn, 4);
	at = put(at, facts->psn, 4);
	if (request->version == 2) {
		memcpy(at, facts->client_gid, GID_LEN);
		memcpy(at + GID_LEN, facts->server_gid, GID_LEN);
		at = put(at + 2 * GID_LEN, facts->service, 8);
	}
	return at - message;
}

void hint_write(enum hint hint, uint8_t data[REFUSAL_LEN])
{
	memset(data, 0, REFUSAL_LEN);
	memcpy(data, MAGIC, MAGIC_LEN);
	data[4] = 1;
	data[5] = hint;
}

/* The CM pads the private data of rejections with zeros, too. */
enum hint hint_parse(const void *data, size_t len)
{
	const uint8_t *at = data;

	if (!data || len < REFUSAL_LEN || memcmp(at, MAGIC, MAGIC_LEN) || at[4] != 1 ||
	    at[5] > HINT_STALE || at[6] || at[7])
		return HINT_NONE;
	return at[5];
}
