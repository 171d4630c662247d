// SPDX-License-Identifier: GPL-2.0
/*
 * The rings that the provider has mapped, found without its knowledge, and the doorbell.
 */
#include <errno.h>
#include <inttypes.h>
#include <rdma/ib_user_verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "rings.h"

#define MAPS	128

struct map {
	uintptr_t start, end;
};

static struct map noted[MAPS];
static int notes;

static int read_maps(struct map *maps)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];
	int n = 0;

	while (f && n < MAPS && fgets(line, sizeof(line), f))
		if (strstr(line, "infiniband/uverbs") &&
		    sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &maps[n].start, &maps[n].end) == 2)
			n++;
	if (f)
		fclose(f);
	return n;
}

/* Note which rings there are. */
void ring_note(void)
{
	notes = read_maps(noted);
}

/* Return the largest ring that has been mapped since ring_note() */
struct srnic_ring_hdr *ring_found(void)
{
	struct map now[MAPS], best = { 0, 0 };
	int n = read_maps(now);

	for (int i = 0; i < n; i++) {
		bool known = false;

		for (int j = 0; j < notes; j++)
			known |= noted[j].start <= now[i].start && now[i].end <= noted[j].end;
		if (!known && now[i].end - now[i].start > best.end - best.start)
			best = now[i];
	}
	if (!best.start) {
		fprintf(stderr, "srnic-rings: the provider mapped no ring\n");
		exit(1);
	}
	return (void *)best.start;
}

void ring_publish(struct srnic_ring_hdr *ring, uint32_t prod)
{
	__atomic_store_n(&ring->prod, prod, __ATOMIC_RELEASE);
}

/* Fill the first entries with random bytes, and let the index be random. */
void ring_scribble(struct srnic_ring_hdr *ring)
{
	uint32_t *words = ring_first(ring);

	for (int w = 0; w < 512; w++)
		words[w] = random() ^ random() << 16;
	ring_publish(ring, random() % (DEPTH + 2));
}

void ring_doorbell(struct ibv_qp *qp)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_post_send cmd;
	} req = {
		.hdr = { .command = IB_USER_VERBS_CMD_POST_SEND, .in_words = sizeof(req) / 4,
			 .out_words = sizeof(struct ib_uverbs_post_send_resp) / 4 },
	};
	struct ib_uverbs_post_send_resp resp;

	req.cmd.response = (uintptr_t)&resp;
	req.cmd.qp_handle = qp->handle;
	req.cmd.wqe_size = sizeof(struct ib_uverbs_send_wr);
	if (write(qp->context->cmd_fd, &req, sizeof(req)) < 0 && errno != EINVAL && errno != ENOMEM)
		die("doorbell");
}
