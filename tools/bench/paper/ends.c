// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "ends.h"

#define GIDS		16
#define SUITE		"aes-cmac-128"	/* as in the paper: a MAC by AES-128 */
#define ALL_RIGHTS	(IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | \
			 IBV_ACCESS_REMOTE_ATOMIC)

unsigned int queue_depth = 2 * OUTSTANDING;

static const char *const devices[] = { "srnic0", "srnic1" };
static const uint8_t key[32] = "both ends are here: 32 bytes.";

static const struct way ways[] = {
	{ "none", SRNIC_MODE_OFF, NULL, false, false },
	{ "basic", SRNIC_MODE_HEADER, SUITE, false, false },
	{ "pd-prot", SRNIC_MODE_HEADER, SUITE, true, false },
	{ "ext-mem", SRNIC_MODE_HEADER, SUITE, false, true },
	{ "pd-prot+ext-mem", SRNIC_MODE_HEADER, SUITE, true, true },
	{ "packet", SRNIC_MODE_PACKET, SUITE, false, false },
	{ "aead", SRNIC_MODE_AEAD, "aes-gcm-128", false, false },
};

#define WAYS	(sizeof(ways) / sizeof(ways[0]))

const struct way *find_way(const char *name)
{
	for (size_t i = 0; i < WAYS; i++)
		if (!strcmp(ways[i].name, name))
			return &ways[i];
	return NULL;
}

bool choose_way(struct way *way, const char *name, const char *seal)
{
	static const struct {
		const char *name;
		enum srnic_mode mode;
	} modes[] = {
		{ "header:", SRNIC_MODE_HEADER }, { "packet:", SRNIC_MODE_PACKET },
		{ "aead:", SRNIC_MODE_AEAD },
	};
	const struct way *found = find_way(name);

	if (!found)
		return false;
	*way = *found;
	if (!seal)
		return true;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strncmp(seal, modes[i].name, strlen(modes[i].name))) {
			way->mode = modes[i].mode;
			way->suite = seal + strlen(modes[i].name);
			return true;
		}
	return false;
}

void list_ways(void)
{
	for (size_t i = 0; i < WAYS; i++)
		printf(" %s", ways[i].name);
}

void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

static struct ibv_context *open_device(const char *name)
{
	struct ibv_context *context = NULL;
	struct ibv_device **list;
	int i, n;

	list = ibv_get_device_list(&n);
	for (i = 0; list && i < n && !context; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			context = ibv_open_device(list[i]);
	ibv_free_device_list(list);
	if (!context)
		die("there is no %s: the bench's test bed is not up", name);
	return context;
}

/* Find the GID of the pair's IPv4 address */
static void find_gid(struct end *end)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	for (end->gid_index = 0; end->gid_index < GIDS; end->gid_index++)
		if (!ibv_query_gid(end->context, 1, end->gid_index, &end->gid) &&
		    !memcmp(end->gid.raw, mapped, sizeof(mapped)))
			return;
	die("no IPv4 address");
}

static void open_domain(struct end *end, const char *device, const struct way *way)
{
	end->context = open_device(device);
	find_gid(end);
	end->pd = ibv_alloc_pd(end->context);
	end->scq = ibv_create_cq(end->context, queue_depth, NULL, NULL, 0);
	end->rcq = ibv_create_cq(end->context, queue_depth, NULL, NULL, 0);
	if (!end->pd || !end->scq || !end->rcq)
		die("no PD or CQ: %s", strerror(errno));
	if (way->pd_key && srnic_key_pd(end->pd, key, sizeof(key)))
		die("%s", srnic_error());
}

static void open_end(struct end *end, const char *device, const struct way *way)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = queue_depth, .max_recv_wr = queue_depth, .max_send_sge = 2,
			 .max_recv_sge = 1, .max_inline_data = INLINE },
	};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = ALL_RIGHTS,
	};

	if (!end->context)
		open_domain(end, device, way);
	init.send_cq = end->scq;
	init.recv_cq = end->rcq;
	end->qp = ibv_create_qp(end->pd, &init);
	if (!end->qp)
		die("no QP: %s", strerror(errno));
	if (ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			  IBV_QP_ACCESS_FLAGS))
		die("no INIT");
}

static void seal(struct end *end, const struct way *way)
{
	if (!way->suite)
		return;
	if (srnic_seal_qp(end->qp, way->mode, way->suite, way->pd_key ? NULL : key,
			  way->pd_key ? 0 : sizeof(key)))
		die("%s", srnic_error());
}

static void ready(struct end *end, const struct end *peer)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_4096,
		.dest_qp_num = peer->qp->qp_num,
		.max_dest_rd_atomic = 16,
		.min_rnr_timer = 1,
		.ah_attr = {
			.is_global = 1,
			.port_num = 1,
			.grh = { .dgid = peer->gid, .sgid_index = end->gid_index,
				 .hop_limit = 64 },
		},
	};

	if (ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			  IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			  IBV_QP_MIN_RNR_TIMER))
		die("no RTR: %s", strerror(errno));
	attr.qp_state = IBV_QPS_RTS;
	attr.timeout = 14;
	attr.retry_cnt = 7;
	attr.rnr_retry = 7;
	attr.max_rd_atomic = 16;
	if (ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			  IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC))
		die("no RTS: %s", strerror(errno));
}

void share_domain(struct end *end, const struct end *with)
{
	*end = *with;
	end->qp = NULL;
}

void connect_ends(struct end *client, struct end *server, const struct way *way)
{
	open_end(client, devices[0], way);
	open_end(server, devices[1], way);
	seal(client, way);
	seal(server, way);
	ready(client, server);
	ready(server, client);
}

struct ibv_mr *register_memory(struct end *end, void *addr, size_t len, int access)
{
	struct ibv_mr *mr = ibv_reg_mr(end->pd, addr, len, IBV_ACCESS_LOCAL_WRITE | access);

	if (!mr)
		die("no region of %zu bytes: %s", len, strerror(errno));
	return mr;
}

void allow(struct end *client, struct ibv_mr *mr, enum srnic_right right)
{
	struct srnic_grant *grant;

	if (srnic_grant_mr(mr, right, &grant) || srnic_use_grant(client->qp, grant))
		die("%s", srnic_error());
	srnic_grant_free(grant);
}

void protect(struct end *client, struct ibv_mr *mr, enum srnic_right right, unsigned int depth,
	     uint64_t block)
{
	struct srnic_tree tree = { .depth = depth, .block = block };

	if (srnic_protect_mr(mr, &tree, NULL))
		die("%s", srnic_error());
	allow(client, mr, right);
}

void post(struct end *end, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	if (ibv_post_send(end->qp, wr, &bad))
		die("a work request was not taken: %s", strerror(errno));
}

bool poll_one(struct ibv_cq *cq, struct ibv_wc *wc)
{
	int n = ibv_poll_cq(cq, 1, wc);

	if (n < 0)
		die("a CQ cannot be polled");
	if (n && wc->status)
		die("a request failed: %s", ibv_wc_status_str(wc->status));
	return n;
}
