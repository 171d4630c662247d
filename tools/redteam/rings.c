// SPDX-License-Identifier: GPL-2.0
/*
 * srnic-rings - a process that corrupts its own rings (RFC 5042 section 3, R1, R28).
 *
 * For each fault it makes a QP, connects it to a bystander QP of the same process, writes
 * the fault into the send ring without the provider's knowledge, and rings the doorbell
 * itself. The faulty QP must end in ERR (or the fault must have no effect), and the
 * bystanders must continue to work.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <rdma/ib_user_verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "srnic-abi.h"

#define DEPTH	64
#define MAPS	64
#define PATIENCE_MS	120000	/* timeout for all waits */

struct map {
	uintptr_t start, end;
};

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static uint8_t buf[65536];
static int gid_index = -1;
static union ibv_gid gid;
static unsigned int passed, failed;

static void die(const char *what)
{
	fprintf(stderr, "srnic-rings: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void verdict(bool good, const char *lie, const char *why)
{
	if (good)
		passed++;
	else
		failed++;
	printf("%s - %s%s%s\n", good ? "ok" : "not ok", lie, good ? "" : ": ", good ? "" : why);
}

static int read_maps(struct map *maps)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];
	int n = 0;

	while (f && n < MAPS && fgets(line, sizeof(line), f))
		if (strstr(line, "infiniband/uverbs") &&
		    sscanf(line, "%lx-%lx", &maps[n].start, &maps[n].end) == 2)
			n++;
	if (f)
		fclose(f);
	return n;
}

/* Return the largest mapping that was added since @old: the send ring */
static struct srnic_ring_hdr *new_ring(const struct map *old, int nold)
{
	struct map now[MAPS], best = { 0, 0 };
	int n = read_maps(now);

	for (int i = 0; i < n; i++) {
		bool known = false;

		for (int j = 0; j < nold; j++)
			known |= old[j].start <= now[i].start && now[i].end <= old[j].end;
		if (!known && now[i].end - now[i].start > best.end - best.start)
			best = now[i];
	}
	if (!best.start) {
		fprintf(stderr, "srnic-rings: the provider mapped no send ring\n");
		exit(1);
	}
	return (void *)best.start;
}

static struct ibv_qp *make_qp(struct ibv_srq *srq)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .srq = srq, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = DEPTH, .max_recv_wr = 4, .max_send_sge = 4,
			 .max_recv_sge = 1, .max_inline_data = 64 },
	};
	struct ibv_qp *qp = ibv_create_qp(pd, &init);

	if (!qp)
		die("ibv_create_qp");
	return qp;
}

static void connect_qp(struct ibv_qp *qp, uint32_t to)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};

	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			  IBV_QP_ACCESS_FLAGS))
		die("INIT");
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = to,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .dgid = gid, .sgid_index = gid_index, .hop_limit = 4 } },
	};
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			  IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			  IBV_QP_MIN_RNR_TIMER))
		die("RTR");
	attr = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 2 };
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			  IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC))
		die("RTS");
}

static void doorbell(struct ibv_qp *qp)
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

static enum ibv_qp_state state_of(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	if (ibv_query_qp(qp, &attr, IBV_QP_STATE, &init))
		die("ibv_query_qp");
	return attr.qp_state;
}

static void drain(void)
{
	struct ibv_wc wc[16];

	while (ibv_poll_cq(cq, 16, wc) > 0)
		;
}

/* Test whether a WRITE between the two bystanders succeeds */
static bool alive(struct ibv_qp *qp)
{
	struct ibv_sge sge = { (uintptr_t)buf, 4096, mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)buf + 8192, mr->rkey },
	};
	struct ibv_wc wc;

	drain();
	if (ibv_post_send(qp, &wr, &bad))
		return false;
	for (int i = 0; i < PATIENCE_MS; i++) {
		/* the faulty QP may reach ERR before all of its requests have completed */
		while (ibv_poll_cq(cq, 1, &wc) == 1)
			if (wc.qp_num == qp->qp_num)
				return wc.status == IBV_WC_SUCCESS;
		usleep(1000);
	}
	return false;
}

/* --- the faults: each changes slot 0, which holds a valid WRITE, or prod, which is 1 --- */

typedef void (*lie_fn)(struct srnic_ring_hdr *ring, struct srnic_sq_wqe *wqe);

static void honest(struct srnic_sq_wqe *wqe)
{
	struct srnic_abi_sge *sge = (void *)(wqe + 1);

	memset(wqe, 0, sizeof(*wqe));
	wqe->opcode = SRNIC_WQE_WRITE;
	wqe->num_sge = 1;
	wqe->flags = SRNIC_WQE_SIGNALED;
	wqe->rkey = mr->rkey;
	wqe->remote_addr = (uintptr_t)buf + 8192;
	*sge = (struct srnic_abi_sge){ (uintptr_t)buf, 64, mr->lkey };
}

static void bad_opcode(struct srnic_ring_hdr *ring, struct srnic_sq_wqe *wqe)
{
	(void)ring;
	wqe->opcode = 0xff;
}

static void kernel_opcode(struct srnic_ring_hdr *ring, struct srnic_sq_wqe *wqe)
{
	(void)ring;
	wqe->opcode = SRNIC_WQE_REG_MR;
	memset(wqe->reserved, 0x41, sizeof(wqe->reserved));
}

static void many_sges(struct srnic_ring_hdr *ring, struct srnic_sq_wqe *wqe)
{
	(void)ring;
	wqe->num_sge = 255;
}

static void long_inline(struct srnic_ring_hdr *ring, struct srnic_sq_wqe *wqe)
{
	(void)ring;
	wqe->flags |= SRNIC_WQE_INLINE;
	wqe->inline_len = 0xffffffff;
}

static void unknown_flags(struct srnic_ring_hdr *ring, struct srnic_sq_wqe *wqe)
{
	(void)ring;
	wqe->flags = 0xffff;
}

static void far_producer(struct srnic_ring_hdr *ring, struct srnic_sq_wqe *wqe)
{
	(void)wqe;
	ring->prod = 0x80000000;
}

static void huge_length(struct srnic_ring_hdr *ring, struct srnic_sq_wqe *wqe)
{
	struct srnic_abi_sge *sge = (void *)(wqe + 1);

	(void)ring;
	wqe->num_sge = 2;
	sge[0].length = 0xffffffff;
	sge[1] = sge[0];
}

static void foreign_lkey(struct srnic_ring_hdr *ring, struct srnic_sq_wqe *wqe)
{
	struct srnic_abi_sge *sge = (void *)(wqe + 1);

	(void)ring;
	sge->lkey = mr->lkey ^ 0x5a5a5a00;
}

static void dma_lkey(struct srnic_ring_hdr *ring, struct srnic_sq_wqe *wqe)
{
	struct srnic_abi_sge *sge = (void *)(wqe + 1);

	(void)ring;
	sge->lkey = 0;
	sge->addr = 0xffff888000000000ULL;
}

static const struct {
	const char *name;
	lie_fn lie;
} lies[] = {
	{ "an opcode that does not exist", bad_opcode },
	{ "the kernel's own opcode, with a pointer", kernel_opcode },
	{ "255 SGEs", many_sges },
	{ "4 GiB of inline data", long_inline },
	{ "flags that do not exist", unknown_flags },
	{ "a producer index beyond the ring", far_producer },
	{ "a message longer than 2^31 bytes", huge_length },
	{ "a key that nobody has", foreign_lkey },
	{ "key 0 with a kernel address", dma_lkey },
};

static void try_lie(int i, struct ibv_qp *bystander)
{
	struct map maps[MAPS];
	int n = read_maps(maps);
	struct ibv_qp *liar = make_qp(NULL);
	struct srnic_ring_hdr *ring = new_ring(maps, n);
	struct srnic_sq_wqe *wqe = (void *)((uint8_t *)ring + SRNIC_RING_SLOTS);
	bool err = false;

	connect_qp(liar, bystander->qp_num);
	honest(wqe);
	__atomic_store_n(&ring->prod, 1, __ATOMIC_RELEASE);
	lies[i].lie(ring, wqe);
	doorbell(liar);
	for (int t = 0; t < PATIENCE_MS && !err; t++) {
		err = state_of(liar) == IBV_QPS_ERR;
		usleep(1000);
	}
	verdict(err, lies[i].name, "the QP is not in ERR");
	verdict(alive(bystander), "  and the bystanders live", "a WRITE between them failed");
	ibv_destroy_qp(liar);
	drain();
}

/* Fill rings with random bytes while the kernel reads them; only survival counts */
static void noise(struct ibv_qp *bystander, int rounds)
{
	for (int r = 0; r < rounds; r++) {
		struct map maps[MAPS];
		int n = read_maps(maps);
		struct ibv_qp *liar = make_qp(NULL);
		struct srnic_ring_hdr *ring = new_ring(maps, n);
		uint32_t *words = (void *)((uint8_t *)ring + SRNIC_RING_SLOTS);

		connect_qp(liar, bystander->qp_num);
		for (int k = 0; k < 8; k++) {
			for (int w = 0; w < 512; w++)
				words[w] = random() ^ random() << 16;
			__atomic_store_n(&ring->prod, random() % (DEPTH + 2), __ATOMIC_RELEASE);
			doorbell(liar);
		}
		ibv_destroy_qp(liar);
		drain();
	}
	verdict(alive(bystander), "random rings: the bystanders live", "a WRITE between them failed");
}

/* Return the status of a SEND */
static enum ibv_wc_status sent(struct ibv_qp *qp)
{
	struct ibv_sge sge = { (uintptr_t)buf, 64, mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};
	struct ibv_wc wc;

	if (ibv_post_send(qp, &wr, &bad))
		die("SEND");
	for (int i = 0; i < 5000; i++) {
		while (ibv_poll_cq(cq, 1, &wc) == 1)
			if (wc.qp_num == qp->qp_num)
				return wc.status;
		usleep(1000);
	}
	return IBV_WC_GENERAL_ERR;
}

/* Count SRQ_ERR events of a shared receive queue */
static int srq_errors(const struct ibv_srq *srq)
{
	struct pollfd fd = { .fd = ctx->async_fd, .events = POLLIN };
	struct ibv_async_event event;
	int found = 0;

	while (poll(&fd, 1, 500) == 1 && !ibv_get_async_event(ctx, &event)) {
		found += event.event_type == IBV_EVENT_SRQ_ERR && event.element.srq == srq;
		ibv_ack_async_event(&event);
	}
	return found;
}

#define RECEIVERS	2

/* A bad index of an SRQ ends the QPs that receive from it; its owner gets one event */
static void break_srq(struct ibv_qp *bystander)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = DEPTH, .max_sge = 1 } };
	struct ibv_qp *from[RECEIVERS], *to[RECEIVERS];
	struct map maps[MAPS];
	int n = read_maps(maps);
	struct ibv_srq *srq = ibv_create_srq(pd, &init);
	struct srnic_ring_hdr *ring;

	if (!srq)
		die("ibv_create_srq");
	ring = new_ring(maps, n);
	for (int i = 0; i < RECEIVERS; i++) {
		from[i] = make_qp(NULL);
		to[i] = make_qp(srq);
		connect_qp(from[i], to[i]->qp_num);
		connect_qp(to[i], from[i]->qp_num);
	}
	srq_errors(srq);
	__atomic_store_n(&ring->prod, 0x80000000, __ATOMIC_RELEASE);
	for (int i = 0; i < RECEIVERS; i++) {
		verdict(sent(from[i]) == IBV_WC_REM_OP_ERR,
			"a shared queue's index beyond the ring", "the sender is not refused");
		verdict(state_of(to[i]) == IBV_QPS_ERR, "  and the receiver ends",
			"it is not in ERR");
		/* repairing the index has no effect any more */
		__atomic_store_n(&ring->prod, 0, __ATOMIC_RELEASE);
	}
	verdict(srq_errors(srq) == 1, "  and the event SRQ_ERR is raised once", "it is not");
	verdict(alive(bystander), "  and the bystanders live", "a WRITE between them failed");
	for (int i = 0; i < RECEIVERS; i++) {
		ibv_destroy_qp(from[i]);
		ibv_destroy_qp(to[i]);
	}
	ibv_destroy_srq(srq);
	drain();
}

static void open_all(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_gid_entry entries[64];
	ssize_t n;

	for (int i = 0; list && list[i]; i++)
		if (!name || !strcmp(ibv_get_device_name(list[i]), name))
			ctx = ibv_open_device(list[i]);
	if (!ctx)
		die("no such device");
	n = ibv_query_gid_table(ctx, entries, 64, 0);
	for (ssize_t i = 0; i < n && gid_index < 0; i++)
		if (entries[i].gid_type == IBV_GID_TYPE_ROCE_V2) {
			gid_index = entries[i].gid_index;
			gid = entries[i].gid;
		}
	pd = ibv_alloc_pd(ctx);
	cq = ibv_create_cq(ctx, 4096, NULL, NULL, 0);
	mr = pd ? ibv_reg_mr(pd, buf, sizeof(buf), IBV_ACCESS_LOCAL_WRITE |
			     IBV_ACCESS_REMOTE_WRITE) : NULL;
	if (gid_index < 0 || !cq || !mr)
		die("set-up");
}

int main(int argc, char **argv)
{
	struct ibv_qp *a, *b;

	if (argc > 1 && !strcmp(argv[1], "--help")) {
		puts("usage: srnic-rings [DEV]\n\n"
		     "Writes invalid values into its own rings; each must affect its own QP alone.");
		return 0;
	}
	open_all(argc > 1 ? argv[1] : NULL);
	a = make_qp(NULL);
	b = make_qp(NULL);
	connect_qp(a, b->qp_num);
	connect_qp(b, a->qp_num);
	verdict(alive(a), "two QPs of one device talk", "a WRITE between them failed");
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++)
		try_lie(i, a);
	break_srq(a);
	noise(a, 200);
	printf("srnic-rings: %u passed, %u failed\n", passed, failed);
	return failed ? 1 : 0;
}
