/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * request - the authentication in the private data of a connection request, and the hint in
 * that of a rejection. Pure: no keys, no clock, no memory but the caller's.
 *
 * Big-endian, all bytes behind the MAC are 0:
 *
 *	 0  magic "SECM"
 *	 4  version	1, 2
 *	 5  algorithm	enum rdma_pipeline_algorithm
 *	 6  length of the MAC
 *	 7  flags	0
 *	 8  key id
 *	12  nonce	random; 0 in version 1
 *	20  time	version 2 only: seconds since the Epoch, modulo 2^32
 *	20  MAC		24 in version 2
 *
 * The MAC of version 1 covers QPN and starting PSN (SECM, 3.3); that of version 2 also all
 * fields before it, both GIDs and the service id.
 */
#ifndef REQUEST_H
#define REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REQUEST_LEN	56	/* IBA 12.6.5: 92 bytes, of which RDMA-CM takes 36 */
#define MAC_MAX		32
#define MESSAGE_MAX	128
#define REFUSAL_LEN	8
#define GID_LEN		16

struct request {
	uint8_t version;
	uint8_t algorithm;
	uint8_t mac_len;
	uint32_t key_id;
	uint64_t nonce;
	uint32_t time;
	uint8_t mac[MAC_MAX];
};

/* The connection that a request asks for */
struct facts {
	uint32_t qpn;
	uint32_t psn;
	uint8_t client_gid[GID_LEN];
	uint8_t server_gid[GID_LEN];
	uint64_t service;
};

enum request_fault {
	REQUEST_FINE,
	REQUEST_MISSING,	/* no authentication */
	REQUEST_MALFORMED,
	REQUEST_VERSION,	/* unknown version */
};

/* Why a listener rejects, for the requester's library */
enum hint {
	HINT_NONE,
	HINT_BUSY,
	HINT_REFUSED,
	HINT_STALE,
};

/* Return the length of an algorithm's MAC in bytes; 0: unknown */
unsigned int mac_len_of(uint8_t algorithm);

/* @request is defined only if the result is REQUEST_FINE */
enum request_fault request_parse(const void *data, size_t len, struct request *request);

void request_write(const struct request *request, uint8_t data[REQUEST_LEN]);

/* Write the bytes that the MAC covers; return their number. */
size_t request_message(const struct request *request, const struct facts *facts,
		       uint8_t message[MESSAGE_MAX]);

void hint_write(enum hint hint, uint8_t data[REFUSAL_LEN]);
enum hint hint_parse(const void *data, size_t len);

#endif /* REQUEST_H */
