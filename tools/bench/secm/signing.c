// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Time what librdma_pipeline adds to a connection for its authentication: to sign a request and
 * to verify it (SECM, 5.3). Runs on the host itself, at the processor's own speed.
 *
 *	signing REPETITIONS
 *
 * Prints a line of JSON for each algorithm and version.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "keys.h"

#define KEY_ID	1

static const struct {
	const char *name;
	enum rdma_pipeline_algorithm algorithm;
	unsigned int version;
} ways[] = {
	{ "MD5", RDMA_PIPELINE_HMAC_MD5, 1 },
	{ "SHA1", RDMA_PIPELINE_HMAC_SHA1, 1 },
	{ "SHA256", RDMA_PIPELINE_HMAC_SHA256, 1 },
	{ "SHA256", RDMA_PIPELINE_HMAC_SHA256, 2 },
};

static int stop(const char *what)
{
	fprintf(stderr, "signing: %s\n", what);
	exit(1);
}

static double now(void)
{
	struct timespec clock;

	clock_gettime(CLOCK_MONOTONIC, &clock);
	return clock.tv_sec * 1e6 + clock.tv_nsec / 1e3;
}

static void measure(unsigned int way, unsigned int count)
{
	static const unsigned char secret[32] = { 1, 2, 3 };
	struct facts facts = { .qpn = 17, .psn = 4711, .service = 7471 };
	unsigned int version = ways[way].version;
	struct rdma_pipeline_keys *keys;
	uint8_t data[REQUEST_LEN];
	struct request request;
	double times[3];
	unsigned int i;

	if (rdma_pipeline_keys_create(&keys) ||
	    rdma_pipeline_key_add(keys, KEY_ID, ways[way].algorithm, secret, sizeof(secret)))
		stop(rdma_pipeline_message());
	/* The first use of an algorithm loads it */
	if (keys_sign(keys, version, &facts, data))
		stop(rdma_pipeline_message());
	times[0] = now();
	for (i = 0; i < count; i++, facts.psn++)
		if (keys_sign(keys, version, &facts, data))
			stop(rdma_pipeline_message());
	facts.psn--;
	times[1] = now();
	for (i = 0; i < count; i++)
		if (request_parse(data, sizeof(data), &request) ||
		    keys_verify(keys, &request, &facts))
			stop("a request is not authentic");
	times[2] = now();
	printf("{\"algorithm\":\"%s\",\"version\":%u,\"sign_us\":%.3f,\"verify_us\":%.3f}\n",
	       ways[way].name, version, (times[1] - times[0]) / count,
	       (times[2] - times[1]) / count);
	rdma_pipeline_keys_free(keys);
}

int main(int argc, char **argv)
{
	unsigned int count = argc == 2 ? atoi(argv[1]) : 0;
	unsigned int way;

	if (!count) {
		fprintf(stderr, "usage: signing REPETITIONS\n");
		return 2;
	}
	for (way = 0; way < sizeof(ways) / sizeof(ways[0]); way++)
		measure(way, count);
	return 0;
}
