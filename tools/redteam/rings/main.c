// SPDX-License-Identifier: GPL-2.0
/*
 * srnic-rings - a process that corrupts its own rings (RFC 5042 section 3, R1, R28).
 *
 * For each fault it makes queues of each kind, with peers of the same process, writes the fault
 * into a ring without the provider's knowledge, and rings the doorbell itself, or lets a message
 * or a frame arrive. The faulty queue must stop (or the fault must have no effect), and the
 * bystanders must continue to work.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rings.h"

#define GIDS	64

struct world world = { .patience = 120000 };

static unsigned int passed, failed;

void die(const char *what)
{
	fprintf(stderr, "srnic-rings: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* After a failure, others shall come soon. */
void verdict(bool good, const char *lie, const char *why)
{
	if (good) {
		passed++;
	} else {
		failed++;
		world.patience = 1000;
	}
	printf("%s - %s%s%s\n", good ? "ok" : "not ok", lie, good ? "" : ": ", good ? "" : why);
	fflush(stdout);
}

static void open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	for (int i = 0; list && list[i] && !world.ctx; i++)
		if (!name || !strcmp(ibv_get_device_name(list[i]), name))
			world.ctx = ibv_open_device(list[i]);
	if (!world.ctx)
		die("no such device");
	world.pd = ibv_alloc_pd(world.ctx);
	world.cq = ibv_create_cq(world.ctx, 4096, NULL, NULL, 0);
	world.liar_cq = ibv_create_cq(world.ctx, 4096, NULL, NULL, 0);
	if (!world.pd || !world.cq || !world.liar_cq)
		die("set-up");
}

static void find_gid(void)
{
	struct ibv_gid_entry entries[GIDS];
	ssize_t n = ibv_query_gid_table(world.ctx, entries, GIDS, 0);

	for (ssize_t i = 0; i < n; i++)
		if (entries[i].gid_type == IBV_GID_TYPE_ROCE_V2) {
			world.gid_index = entries[i].gid_index;
			world.gid = entries[i].gid;
			return;
		}
	die("no GID");
}

/* The MTU of the netdev bounds frames. */
static uint32_t read_mtu(void)
{
	char path[256], netdev[64] = "";
	unsigned int mtu = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/gid_attrs/ndevs/%d",
		 ibv_get_device_name(world.ctx->device), world.gid_index);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%63s", netdev) != 1)
		die(path);
	fclose(f);
	snprintf(path, sizeof(path), "/sys/class/net/%s/mtu", netdev);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%u", &mtu) != 1)
		die(path);
	fclose(f);
	return mtu;
}

static void register_memory(void)
{
	world.mr = ibv_reg_mr(world.pd, world.memory, MEMORY, IBV_ACCESS_LOCAL_WRITE |
			      IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
	world.fixed = ibv_reg_mr(world.pd, world.memory, MEMORY, 0);
	if (!world.mr || !world.fixed)
		die("ibv_reg_mr");
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--help")) {
		puts("usage: srnic-rings [DEV]\n\n"
		     "Writes invalid values into its own rings; each must affect its own queue alone.\n"
		     "Queues of frames need CAP_NET_RAW.");
		return 0;
	}
	open_device(argc > 1 ? argv[1] : NULL);
	find_gid();
	world.mtu = read_mtu();
	register_memory();
	world.xrcd = create_domain();
	world.srq = create_xrc_srq(world.xrcd, world.cq, &world.srqn);
	create_xrc_srq(create_domain(), world.cq, &world.other_srqn);
	bystanders_start();
	bystanders_live();
	lie_to_senders();
	lie_to_receivers();
	break_shared_queues();
	printf("srnic-rings: %u passed, %u failed\n", passed, failed);
	return failed ? 1 : 0;
}
