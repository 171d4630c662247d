/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * keys - rings of keys: they sign requests, and verify them.
 */
#ifndef KEYS_H
#define KEYS_H

#include <rdma/rdma_pipeline.h>
#include "request.h"

/*
 * Return 0, or a negative errno value with the message set if requests of this version cannot
 * be signed: the ring is empty, or its key's algorithm is not for the version.
 */
int keys_can_sign(struct rdma_pipeline_keys *keys, unsigned int version);

/* Write an authenticated request; errors as above */
int keys_sign(struct rdma_pipeline_keys *keys, unsigned int version, const struct facts *facts,
	      uint8_t data[REQUEST_LEN]);

/* Return NULL if the request is authentic, or else a word for the log */
const char *keys_verify(struct rdma_pipeline_keys *keys, const struct request *request,
			const struct facts *facts);

#endif /* KEYS_H */
