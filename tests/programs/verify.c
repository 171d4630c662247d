// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * srnic-verify - every RC opcode between two RDMA devices, checked byte by
 * byte.
 *
 * Two processes agree over TCP on a list of cases (opcode x size x offset). The
 * bytes of a case come from a generator seeded with its number, so that both
 * sides know what must arrive; canaries around the target show stray writes.
 * Works on any RDMA device (srnic, rxe, hardware), and so tests interoperation.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <getopt.h>
#include <infiniband/verbs.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* numbers that verbs.h has from rdma-core 45 on */
#define FLUSH			((enum ibv_wr_opcode)14)
#define ATOMIC_WRITE		((enum ibv_wr_opcode)15)
#define EX_WITH_FLUSH		(1 << 11)
#define EX_WITH_ATOMIC_WRITE	(1 << 12)
#define ACCESS_FLUSH_GLOBAL	(1 << 8)
#define FLUSH_GLOBAL		1
#define FLUSH_MR		1

#define CANARY		256
#define CANARY_BYTE	0xc5
#define MAX_LIST	64
#define BULK_MSG_MAX	(1U << 20)
#define BULK_DEPTH	8
#define BULK_OPS	3
#define LATE_US		100000	/* longer than the peer needs to send */
#define LATE_EACH	8	/* one of this many cases */
#define POLLS		100	/* without a pause; then the processor is for the one that works */
#define PAUSE_US	50
#define LINGER_US	500000	/* time for packets in flight to arrive */

struct options {
	const char *dev;
	const char *server;	/* NULL: this is the server */
	int port;
	int gid_index;
	enum ibv_mtu mtu;
	uint32_t psn;
	size_t sizes[MAX_LIST];
	int nsizes;
	size_t offsets[MAX_LIST];
	int noffsets;
	char *ops;
	size_t bulk;
	bool late;
	int timeout;
	int patience;		/* seconds to wait for a completion */
	int rounds;
	int connections;
	bool together;
	bool uc;
	const char *until;	/* repeat the cases until this file exists */
	const char *before;	/* command to run before each connection */
};

struct peer {
	uint32_t qpn;
	uint32_t psn;
	union ibv_gid gid;
	uint64_t addr;
	uint32_t rkey;
	uint32_t window_rkey;
};

/* state of one connection */
struct connection {
	struct ibv_qp *qp;
	struct peer you;
};

struct session {
	const struct options *opt;
	int sock;
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	struct ibv_mw *mw;
	uint8_t *buf;
	size_t room;
	uint64_t bulk_rounds;
	size_t bulk_msg;
	struct peer me, you;
	unsigned long cases, failures;
	uint64_t case_no;
	bool last_round;
};

static void die(const char *fmt, ...)
{
	va_list ap;

	fputs("srnic-verify: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

/* splitmix64: the bytes of case n depend on n only */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static void fill(uint8_t *p, size_t len, uint64_t seed)
{
	for (size_t i = 0; i < len; i += 8) {
		uint64_t v = mix(seed * 0x100000001ULL + i);

		memcpy(p + i, &v, len - i < 8 ? len - i : 8);
	}
}

static bool same(const uint8_t *p, size_t len, uint64_t seed)
{
	for (size_t i = 0; i < len; i += 8) {
		uint64_t v = mix(seed * 0x100000001ULL + i);

		if (memcmp(p + i, &v, len - i < 8 ? len - i : 8))
			return false;
	}
	return true;
}

static bool untouched(const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (p[i] != CANARY_BYTE)
			return false;
	return true;
}

/* --- the TCP side channel --- */

static void tcp_all(int fd, void *p, size_t len, bool send_it)
{
	uint8_t *b = p;

	while (len) {
		ssize_t n = send_it ? write(fd, b, len) : read(fd, b, len);

		if (n <= 0)
			die("the other side went away");
		b += n;
		len -= n;
	}
}

static void barrier(struct session *s)
{
	char c = 'b';

	tcp_all(s->sock, &c, 1, true);
	tcp_all(s->sock, &c, 1, false);
}

static int tcp_open(const struct options *opt)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE };
	struct addrinfo *ai;
	char port[16];
	int one = 1, fd = -1, lfd;

	snprintf(port, sizeof(port), "%d", opt->port);
	if (getaddrinfo(opt->server, port, &hints, &ai))
		die("cannot resolve %s", opt->server ? opt->server : "the local address");
	if (!opt->server) {
		lfd = socket(ai->ai_family, SOCK_STREAM, 0);
		setsockopt(lfd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		if (bind(lfd, ai->ai_addr, ai->ai_addrlen) || listen(lfd, 1))
			die("port %d: %s", opt->port, strerror(errno));
		fd = accept(lfd, NULL, NULL);
		close(lfd);
	} else {
		for (int i = 0; i < 100; i++) {
			fd = socket(ai->ai_family, SOCK_STREAM, 0);
			if (!connect(fd, ai->ai_addr, ai->ai_addrlen))
				break;
			close(fd);
			fd = -1;
			usleep(100000);
		}
	}
	if (fd < 0)
		die("no connection to %s port %d", opt->server ? opt->server : "anyone", opt->port);
	freeaddrinfo(ai);
	return fd;
}

/* --- the RDMA side --- */

static struct ibv_context *open_dev(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;

	for (int i = 0; list && list[i]; i++)
		if (!name || !strcmp(ibv_get_device_name(list[i]), name)) {
			ctx = ibv_open_device(list[i]);
			break;
		}
	if (!ctx)
		die("no RDMA device %s here: see ibv_devices", name ? name : "at all");
	return ctx;
}

static int find_gid(struct ibv_context *ctx, bool v6)
{
	struct ibv_gid_entry entries[64];
	ssize_t n = ibv_query_gid_table(ctx, entries, 64, 0);
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	for (ssize_t i = 0; i < n; i++) {
		bool v4 = !memcmp(entries[i].gid.raw, mapped, 12);
		bool local = entries[i].gid.raw[0] == 0xfe;

		if (entries[i].gid_type == IBV_GID_TYPE_ROCE_V2 && (v6 ? !v4 && !local : v4))
			return entries[i].gid_index;
	}
	die("no RoCEv2 GID of the family asked for");
	return -1;
}

/* the right that a FLUSH needs, if there is one to come */
static int flush_access(const struct options *opt)
{
	return strstr(opt->ops, "flush") ? ACCESS_FLUSH_GLOBAL : 0;
}

static void open_session(struct session *s)
{
	s->ctx = open_dev(s->opt->dev);
	s->pd = ibv_alloc_pd(s->ctx);
	s->cq = ibv_create_cq(s->ctx, 256, NULL, NULL, 0);
	s->buf = aligned_alloc(4096, (s->room + 4095) & ~4095UL);
	if (!s->pd || !s->cq || !s->buf)
		die("set-up: %s", strerror(errno));
	memset(s->buf, CANARY_BYTE, s->room);
	s->mr = ibv_reg_mr(s->pd, s->buf, s->room,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
			   IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC |
			   IBV_ACCESS_MW_BIND | flush_access(s->opt));
	if (!s->mr)
		die("ibv_reg_mr of %zu bytes: %s", s->room, strerror(errno));
}

/* only the side that drives the cases posts them */
static struct ibv_qp *create_qp(struct session *s, struct ibv_qp_init_attr *init)
{
	struct ibv_qp_init_attr_ex ex = {
		.send_cq = init->send_cq, .recv_cq = init->recv_cq, .cap = init->cap,
		.qp_type = init->qp_type, .pd = s->pd,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
	};

	if (s->opt->server && strstr(s->opt->ops, "atomic_write"))
		ex.send_ops_flags |= EX_WITH_ATOMIC_WRITE;
	if (s->opt->server && flush_access(s->opt))
		ex.send_ops_flags |= EX_WITH_FLUSH;
	if (ex.send_ops_flags)
		return ibv_create_qp_ex(s->ctx, &ex);
	return ibv_create_qp(s->pd, init);
}

static void open_qp(struct session *s)
{
	struct ibv_qp_init_attr init = {
		.send_cq = s->cq, .recv_cq = s->cq,
		.cap = { .max_send_wr = 64, .max_recv_wr = 64, .max_send_sge = 3,
			 .max_recv_sge = 3, .max_inline_data = 64 },
		.qp_type = s->opt->uc ? IBV_QPT_UC : IBV_QPT_RC,
	};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};

	if (!s->opt->uc)
		attr.qp_access_flags |= IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
					flush_access(s->opt);

	s->qp = create_qp(s, &init);
	if (!s->qp)
		die("ibv_create_qp: %s", strerror(errno));
	if (ibv_modify_qp(s->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			  IBV_QP_ACCESS_FLAGS))
		die("RESET to INIT: %s", strerror(errno));
}

static void exchange(struct session *s, int gid_index)
{
	struct peer out;

	s->me.qpn = s->qp->qp_num;
	s->me.psn = s->opt->psn;
	s->me.addr = (uintptr_t)s->buf;
	s->me.rkey = s->mr->rkey;
	if (ibv_query_gid(s->ctx, 1, gid_index, &s->me.gid))
		die("ibv_query_gid %d: %s", gid_index, strerror(errno));
	out = s->me;
	tcp_all(s->sock, &out, sizeof(out), true);
	tcp_all(s->sock, &s->you, sizeof(s->you), false);
}

static void connect_qp(struct session *s, int gid_index)
{
	int rtr = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	int rts = IBV_QP_STATE | IBV_QP_SQ_PSN;
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = s->opt->mtu, .dest_qp_num = s->you.qpn,
		.rq_psn = s->you.psn, .max_dest_rd_atomic = 4, .min_rnr_timer = 12,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh.dgid = s->you.gid, .grh.sgid_index = gid_index,
			     .grh.hop_limit = 64 },
	};
	int err;

	if (!s->opt->uc) {
		rtr |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
		rts |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
		       IBV_QP_MAX_QP_RD_ATOMIC;
	}
	err = ibv_modify_qp(s->qp, &attr, rtr);
	if (err)
		die("INIT to RTR: %s", strerror(err));
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS, .timeout = s->opt->timeout, .retry_cnt = 7, .rnr_retry = 7,
		.sq_psn = s->opt->psn, .max_rd_atomic = 4,
	};
	err = ibv_modify_qp(s->qp, &attr, rts);
	if (err)
		die("RTR to RTS: %s", strerror(err));
}

static void wait_cqe(struct session *s, struct ibv_wc *wc, const char *what)
{
	time_t end = time(NULL) + s->opt->patience;
	int n, polls = 0;

	do {
		if (polls++ > POLLS)
			usleep(PAUSE_US);
		n = ibv_poll_cq(s->cq, 1, wc);
		if (n < 0)
			die("%s: ibv_poll_cq failed", what);
		if (!n && time(NULL) > end)
			die("%s: no completion in %d s", what, s->opt->patience);
	} while (!n);
	if (wc->status != IBV_WC_SUCCESS)
		die("%s: completed with %s (%d), vendor error %u", what,
		    ibv_wc_status_str(wc->status), wc->status, wc->vendor_err);
}

/* --- one case --- */

struct test_case {
	const char *op;
	size_t size;
	size_t off;
	uint64_t seed;
};

static void note(struct session *s, const struct test_case *c, bool good, const char *why)
{
	s->cases++;
	if (good)
		return;
	s->failures++;
	printf("not ok: %s, %zu bytes, offset %zu: %s\n", c->op, c->size, c->off, why);
}

/* the target must have the case's bytes, surrounded by the canary */
static void check_target(struct session *s, const struct test_case *c)
{
	uint8_t *at = s->buf + CANARY + c->off;

	note(s, c, same(at, c->size, c->seed), "the bytes are not those that were sent");
	note(s, c, untouched(s->buf, CANARY + c->off) && untouched(at + c->size, CANARY),
	     "bytes outside the target were written");
	memset(at, CANARY_BYTE, c->size);
}

static void post(struct session *s, struct ibv_send_wr *wr, const char *what)
{
	struct ibv_send_wr *bad;
	int err = ibv_post_send(s->qp, wr, &bad);

	if (err)
		die("%s: ibv_post_send: %s", what, strerror(err));
}

/* three SGEs, the middle one of a single byte, to test the seams */
static int cut(struct session *s, const struct test_case *c, struct ibv_sge sge[3])
{
	uint64_t at = (uintptr_t)s->buf + CANARY + c->off;
	size_t a = c->size / 3;

	if (c->size < 3) {
		sge[0] = (struct ibv_sge){ at, c->size, s->mr->lkey };
		return c->size ? 1 : 0;
	}
	sge[0] = (struct ibv_sge){ at, a, s->mr->lkey };
	sge[1] = (struct ibv_sge){ at + a, 1, s->mr->lkey };
	sge[2] = (struct ibv_sge){ at + a + 1, c->size - a - 1, s->mr->lkey };
	return 3;
}

static void post_recv(struct session *s, const struct test_case *c)
{
	struct ibv_sge sge[3];
	struct ibv_recv_wr *bad, wr = { .wr_id = c->seed, .sg_list = sge };
	int err;

	wr.num_sge = cut(s, c, sge);
	err = ibv_post_recv(s->qp, &wr, &bad);
	if (err)
		die("ibv_post_recv: %s", strerror(err));
}

static enum ibv_wr_opcode wr_opcode(const char *op)
{
	static const struct { const char *name; enum ibv_wr_opcode opcode; } table[] = {
		{ "send", IBV_WR_SEND },
		{ "send_inline", IBV_WR_SEND },
		{ "send_imm", IBV_WR_SEND_WITH_IMM },
		{ "send_inv", IBV_WR_SEND_WITH_INV },
		{ "write", IBV_WR_RDMA_WRITE },
		{ "write_imm", IBV_WR_RDMA_WRITE_WITH_IMM },
		{ "read", IBV_WR_RDMA_READ },
		{ "cmp_swap", IBV_WR_ATOMIC_CMP_AND_SWP },
		{ "fetch_add", IBV_WR_ATOMIC_FETCH_AND_ADD },
		{ "atomic_write", ATOMIC_WRITE },
		{ "flush", FLUSH },
		{ "flush_mr", FLUSH },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (!strcmp(op, table[i].name))
			return table[i].opcode;
	die("unknown operation %s: see --help", op);
	return 0;
}

static bool takes_receive(enum ibv_wr_opcode opcode)
{
	return opcode == IBV_WR_SEND || opcode == IBV_WR_SEND_WITH_IMM ||
	       opcode == IBV_WR_SEND_WITH_INV || opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}

static bool is_atomic(enum ibv_wr_opcode opcode)
{
	return opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ||
	       opcode == ATOMIC_WRITE;
}

/* --- operations that only ibv_wr_*() posts --- */

typedef void (*wr_atomic_write)(struct ibv_qp_ex *, uint32_t, uint64_t, const void *);
typedef void (*wr_flush)(struct ibv_qp_ex *, uint32_t, uint64_t, size_t, uint8_t, uint8_t);

/* operation number @n behind those that the structure had before rdma-core 44 */
static void *late_operation(struct ibv_qp_ex *ex, int n)
{
	size_t at = offsetof(struct ibv_qp_ex, wr_abort) + (n + 1) * sizeof(void *);
	void *operation;

	memcpy(&operation, (char *)ex + at, sizeof(operation));
	return operation;
}

static struct ibv_qp_ex *begin_ex(struct session *s, uint64_t wr_id)
{
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(s->qp);

	ibv_wr_start(ex);
	ex->wr_id = wr_id;
	ex->wr_flags = IBV_SEND_SIGNALED;
	return ex;
}

static void post_ex(struct ibv_qp_ex *ex, const char *what)
{
	int err = ibv_wr_complete(ex);

	if (err)
		die("%s: ibv_wr_complete: %s", what, strerror(err));
}

static void post_atomic_write(struct session *s, const struct ibv_send_wr *wr, uint64_t word)
{
	struct ibv_qp_ex *ex = begin_ex(s, wr->wr_id);
	wr_atomic_write operation = (wr_atomic_write)late_operation(ex, 0);

	operation(ex, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr, &word);
	post_ex(ex, "atomic_write");
}

/* a FLUSH of the bytes that the WRITE before it carries; nobody waits between them */
static void post_flush(struct session *s, const struct test_case *c, const struct ibv_send_wr *wr)
{
	bool whole = !strcmp(c->op, "flush_mr");
	struct ibv_qp_ex *ex = begin_ex(s, wr->wr_id);
	wr_flush operation = (wr_flush)late_operation(ex, 1);

	operation(ex, wr->wr.rdma.rkey, whole ? 0 : wr->wr.rdma.remote_addr, whole ? 0 : c->size,
		  FLUSH_GLOBAL, whole ? FLUSH_MR : 0);
	post_ex(ex, c->op);
}

static void active_side(struct session *s, const struct test_case *c)
{
	enum ibv_wr_opcode opcode = wr_opcode(c->op);
	struct ibv_sge sge[3];
	struct ibv_send_wr wr = {
		.wr_id = c->seed, .sg_list = sge, .opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.imm_data = htobe32((uint32_t)c->seed),
		.wr.rdma = { .remote_addr = s->you.addr + CANARY + c->off, .rkey = s->you.rkey },
	};
	struct ibv_wc wc;

	if (opcode == IBV_WR_SEND_WITH_INV)
		wr.invalidate_rkey = s->you.window_rkey;
	if (!strcmp(c->op, "send_inline"))
		wr.send_flags |= IBV_SEND_INLINE;
	if (opcode != IBV_WR_RDMA_READ)
		fill(s->buf + CANARY + c->off, c->size, c->seed);
	wr.num_sge = cut(s, c, sge);
	barrier(s);		/* the target is ready */
	if (opcode == FLUSH)
		wr.opcode = IBV_WR_RDMA_WRITE;
	post(s, &wr, c->op);
	if (opcode == FLUSH)
		post_flush(s, c, &wr);
	wait_cqe(s, &wc, c->op);
	if (opcode == FLUSH) {
		wait_cqe(s, &wc, c->op);
		note(s, c, (int)wc.opcode == 8, "the completion is not that of a FLUSH");
	}
	if (opcode == IBV_WR_RDMA_READ)
		check_target(s, c);
	else
		memset(s->buf + CANARY + c->off, CANARY_BYTE, c->size);
	barrier(s);		/* done: the target may look */
}

static void bind_window(struct session *s)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED,
		.bind_mw = { .mw = s->mw, .rkey = ibv_inc_rkey(s->mw->rkey),
			     .bind_info = { .mr = s->mr, .addr = (uintptr_t)s->buf, .length = 64,
					    .mw_access_flags = IBV_ACCESS_REMOTE_WRITE } },
	};
	struct ibv_wc wc;

	post(s, &wr, "bind");
	wait_cqe(s, &wc, "bind");
	s->mw->rkey = wr.bind_mw.rkey;
}

static void note_invalidated(struct session *s, const struct test_case *c, const struct ibv_wc *wc)
{
	/* rxe's provider reports this flag with the kernel's value */
	bool rxe = !strncmp(ibv_get_device_name(s->ctx->device), "rxe", 3);
	unsigned int flag = rxe ? 1 << 2 : IBV_WC_WITH_INV;
	char why[96];

	snprintf(why, sizeof(why), "flags %#x and invalidated key %#x, the window's was %#x",
		 wc->wc_flags, wc->invalidated_rkey, s->mw->rkey);
	note(s, c, (wc->wc_flags & flag) && wc->invalidated_rkey == s->mw->rkey, why);
}

static void passive_side(struct session *s, const struct test_case *c)
{
	enum ibv_wr_opcode opcode = wr_opcode(c->op);
	bool late = s->opt->late && !(c->seed % LATE_EACH);
	struct ibv_wc wc;

	if (takes_receive(opcode) && !late)
		post_recv(s, c);
	if (opcode == IBV_WR_RDMA_READ)
		fill(s->buf + CANARY + c->off, c->size, c->seed);
	barrier(s);
	if (takes_receive(opcode) && late) {
		usleep(LATE_US);
		post_recv(s, c);
	}
	if (takes_receive(opcode)) {
		wait_cqe(s, &wc, c->op);
		note(s, c, wc.byte_len == c->size, "byte_len of the receive is wrong");
		note(s, c, wc.wr_id == c->seed, "wr_id of the receive is wrong");
		if (opcode == IBV_WR_SEND_WITH_IMM || opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
			note(s, c, (wc.wc_flags & IBV_WC_WITH_IMM) &&
			     wc.imm_data == htobe32((uint32_t)c->seed), "the immediate is wrong");
		if (opcode == IBV_WR_SEND_WITH_INV)
			note_invalidated(s, c, &wc);
	}
	barrier(s);
	if (opcode == IBV_WR_RDMA_READ)
		memset(s->buf + CANARY + c->off, CANARY_BYTE, c->size);
	else
		check_target(s, c);
}

/* atomics: check result and effect, 8 bytes at an aligned offset */
static void atomic_case(struct session *s, const struct test_case *c)
{
	enum ibv_wr_opcode opcode = wr_opcode(c->op);
	bool cas = opcode == IBV_WR_ATOMIC_CMP_AND_SWP;
	bool adds = opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
	uint64_t before = mix(c->seed), arg = mix(c->seed + 1);
	uint64_t *word = (uint64_t *)(s->buf + CANARY);
	struct ibv_sge sge = { (uintptr_t)word, 8, s->mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = c->seed, .sg_list = &sge, .num_sge = 1, .opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.atomic = { .remote_addr = s->you.addr + CANARY, .rkey = s->you.rkey,
			       .compare_add = cas ? before : arg, .swap = arg },
	};
	struct ibv_wc wc;

	if (s->opt->server) {
		barrier(s);
		if (opcode == ATOMIC_WRITE)
			post_atomic_write(s, &wr, arg);
		else
			post(s, &wr, c->op);
		wait_cqe(s, &wc, c->op);
		note(s, c, opcode == ATOMIC_WRITE ? (int)wc.opcode == 9 : *word == before,
		     "the returned value or opcode is wrong");
		barrier(s);
	} else {
		*word = before;
		barrier(s);
		barrier(s);
		note(s, c, *word == (adds ? before + arg : arg), "the target's value is wrong");
	}
	memset(word, CANARY_BYTE, 8);
}

static void run_case(struct session *s, const char *op, size_t size, size_t off)
{
	struct test_case c = { .op = op, .size = size, .off = off, .seed = ++s->case_no };
	enum ibv_wr_opcode opcode = wr_opcode(op);

	if (!strcmp(op, "send_inline") && size > 64)
		return;
	if (opcode == IBV_WR_SEND_WITH_INV && !s->opt->server) {
		if (!s->mw)
			s->mw = ibv_alloc_mw(s->pd, IBV_MW_TYPE_2);
		if (!s->mw)
			die("ibv_alloc_mw type 2: %s", strerror(errno));
		bind_window(s);
		s->me.window_rkey = s->mw->rkey;
		tcp_all(s->sock, &s->me.window_rkey, 4, true);
	} else if (opcode == IBV_WR_SEND_WITH_INV) {
		tcp_all(s->sock, &s->you.window_rkey, 4, false);
	}
	if (is_atomic(opcode))
		atomic_case(s, &c);
	else if (s->opt->server)
		active_side(s, &c);
	else
		passive_side(s, &c);
}

static void run_cases(struct session *s)
{
	char *ops = strdup(s->opt->ops), *save = NULL;

	for (char *op = strtok_r(ops, ",", &save); op; op = strtok_r(NULL, ",", &save)) {
		if (is_atomic(wr_opcode(op))) {
			run_case(s, op, 8, 0);
			continue;
		}
		for (int i = 0; i < s->opt->nsizes; i++)
			for (int j = 0; j < s->opt->noffsets; j++)
				run_case(s, op, s->opt->sizes[i], s->opt->offsets[j]);
	}
	free(ops);
}

/* --- bulk: SEND, WRITE and READ in turn, several in flight, all bytes compared --- */

/* at least one round of each operation, with messages as long as this allows */
static void bulk_plan(struct session *s)
{
	uint64_t most = (uint64_t)BULK_DEPTH * BULK_MSG_MAX;

	s->bulk_rounds = (s->opt->bulk + most - 1) / most;
	if (s->bulk_rounds < BULK_OPS)
		s->bulk_rounds = BULK_OPS;
	s->bulk_msg = s->opt->bulk / (s->bulk_rounds * BULK_DEPTH);
	if (!s->bulk_msg)
		die("--bulk: at least %d bytes", BULK_OPS * BULK_DEPTH);
}

static size_t bulk_at(const struct session *s, uint64_t n)
{
	return CANARY + (n % BULK_DEPTH) * s->bulk_msg;
}

static void bulk_post(struct session *s, uint64_t n, enum ibv_wr_opcode opcode)
{
	size_t at = bulk_at(s, n);
	struct ibv_sge sge = { (uintptr_t)s->buf + at, s->bulk_msg, s->mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = n, .sg_list = &sge, .num_sge = 1, .opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = s->you.addr + at, .rkey = s->you.rkey },
	};

	post(s, &wr, "bulk");
}

static void bulk_receive(struct session *s, uint64_t n)
{
	struct ibv_sge sge = { (uintptr_t)s->buf + bulk_at(s, n), s->bulk_msg, s->mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = n, .sg_list = &sge, .num_sge = 1 }, *bad;

	if (ibv_post_recv(s->qp, &wr, &bad))
		die("bulk: ibv_post_recv failed");
}

static void bulk_round(struct session *s, uint64_t first, enum ibv_wr_opcode opcode)
{
	bool active = s->opt->server;
	bool source = active == (opcode != IBV_WR_RDMA_READ);
	struct test_case c = { .op = "bulk", .size = s->bulk_msg };
	bool receives = !source && opcode == IBV_WR_SEND;
	struct ibv_wc wc;

	for (uint64_t n = first; n < first + BULK_DEPTH; n++) {
		if (source)
			fill(s->buf + bulk_at(s, n), s->bulk_msg, ~n);
		else if (receives && !s->opt->late)
			bulk_receive(s, n);
	}
	barrier(s);
	for (uint64_t n = first; receives && s->opt->late && n < first + BULK_DEPTH; n++) {
		usleep(LATE_US);
		bulk_receive(s, n);
	}
	for (uint64_t n = first; active && n < first + BULK_DEPTH; n++)
		bulk_post(s, n, opcode);
	for (int i = 0; (active || opcode == IBV_WR_SEND) && i < BULK_DEPTH; i++)
		wait_cqe(s, &wc, "bulk");
	barrier(s);
	for (uint64_t n = first; !source && n < first + BULK_DEPTH; n++) {
		uint8_t *at = s->buf + bulk_at(s, n);

		note(s, &c, same(at, s->bulk_msg, ~n), "the bytes are not those that were sent");
		memset(at, 0, s->bulk_msg);
	}
	barrier(s);
}

static void run_bulk(struct session *s)
{
	static const enum ibv_wr_opcode ops[BULK_OPS] = {
		IBV_WR_SEND, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ
	};

	for (uint64_t r = 0; r < s->bulk_rounds; r++)
		bulk_round(s, r * BULK_DEPTH, ops[r % BULK_OPS]);
}

/* --- one connection --- */

static void run_before(const struct options *opt, int connection)
{
	char number[12];

	if (!opt->before)
		return;
	snprintf(number, sizeof(number), "%d", connection);
	setenv("N", number, 1);
	if (system(opt->before))
		die("connection %d: '%s' failed", connection, opt->before);
}

static void open_connection(struct session *s, int gid, int number)
{
	run_before(s->opt, number);
	open_qp(s);
	exchange(s, gid);
	connect_qp(s, gid);
	barrier(s);
}

static void close_connection(struct session *s)
{
	if (ibv_destroy_qp(s->qp))
		die("ibv_destroy_qp: %s", strerror(errno));
}

/*
 * With a file to wait for, the client decides: one more round after the file
 * exists.
 */
static bool another_round(struct session *s, int done)
{
	char go = s->last_round ? 'e' : 'g';

	if (!s->opt->until)
		return done < s->opt->rounds;
	if (s->opt->server)
		s->last_round = !access(s->opt->until, F_OK);
	tcp_all(s->sock, &go, 1, s->opt->server);
	return go == 'g';
}

static void run_connection(struct session *s, int gid, int number)
{
	open_connection(s, gid, number);
	if (s->opt->bulk)
		run_bulk(s);
	else
		for (int r = 0; another_round(s, r); r++)
			run_cases(s);
	barrier(s);
	close_connection(s);
}

/* run each case on all connections, round by round */
static void run_together(struct session *s, int gid)
{
	struct connection *all = calloc(s->opt->connections, sizeof(*all));

	if (!all)
		die("no memory");
	for (int n = 0; n < s->opt->connections; n++) {
		open_connection(s, gid, n);
		all[n] = (struct connection){ s->qp, s->you };
	}
	for (int r = 0; another_round(s, r); r++)
		for (int n = 0; n < s->opt->connections; n++) {
			s->qp = all[n].qp;
			s->you = all[n].you;
			run_cases(s);
		}
	usleep(LINGER_US);
	barrier(s);
	for (int n = 0; n < s->opt->connections; n++) {
		s->qp = all[n].qp;
		close_connection(s);
	}
	free(all);
}

/* --- options --- */

static int sizes_of(char *arg, size_t *list)
{
	char *save = NULL;
	int n = 0;

	for (char *w = strtok_r(arg, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
		char *end;

		if (n == MAX_LIST)
			die("at most %d numbers in a list", MAX_LIST);
		list[n++] = strtoull(w, &end, 0);
		if (*end)
			die("'%s' is not a number", w);
	}
	return n;
}

static enum ibv_mtu mtu_of(const char *arg)
{
	for (int m = IBV_MTU_256; m <= IBV_MTU_4096; m++)
		if (atoi(arg) == 128 << m)
			return m;
	die("path MTU %s: choose 256, 512, 1024, 2048 or 4096", arg);
	return 0;
}

static const char usage[] =
"usage: srnic-verify [options]            wait for the other side\n"
"       srnic-verify [options] HOST       connect to it and drive the cases\n"
"\n"
"Sends every opcode at every size and offset, and compares all bytes.\n"
"Both sides need the same --ops, --sizes, --offsets, --bulk, --late, --rounds, --until,\n"
"--connections, --together and --uc.\n"
"\n"
"  -d, --dev NAME       RDMA device (the first)\n"
"  -6, --ipv6           use an IPv6 GID\n"
"  -g, --gid N          use this GID index\n"
"  -p, --port N         TCP port of the side channel (18600)\n"
"  -m, --mtu N          path MTU (1024)\n"
"      --psn N          starting PSN (0)\n"
"      --ops LIST       send,send_inline,send_imm,send_inv,write,write_imm,read,\n"
"                       cmp_swap,fetch_add,atomic_write,flush,flush_mr (all but send_inv and\n"
"                       the last three)\n"
"      --sizes LIST     bytes (0,1,1023,1024,1025,65536)\n"
"      --offsets LIST   into the buffer (0,1)\n"
"      --bulk BYTES     instead of cases: this much random data, 8 messages in flight\n"
"      --late           post receives too late (RNR); of the cases, one in eight\n"
"      --rounds N       repeat the cases N times (1)\n"
"      --until FILE     repeat them until FILE exists on the connecting side, and once more\n"
"      --connections N  repeat everything on N connections, one after the other (1)\n"
"      --together       run each round on all connections in turn; not with --bulk\n"
"      --uc             unreliable connections: with send, send_imm and write_imm only,\n"
"                       and without --late\n"
"      --before COMMAND run COMMAND before each connection, with its number, from 0, in $N\n"
"      --timeout N      IB timeout exponent (14)\n"
"      --patience S     seconds that one completion may take (300)\n"
"\n"
"Example, in two shells:\n"
"  in b srnic-verify -d srnic1 -m 4096\n"
"  in a srnic-verify -d srnic0 -m 4096 10.77.0.2\n";

static void parse(struct options *opt, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "dev", 1, NULL, 'd' }, { "ipv6", 0, NULL, '6' }, { "gid", 1, NULL, 'g' },
		{ "port", 1, NULL, 'p' }, { "mtu", 1, NULL, 'm' }, { "psn", 1, NULL, 1 },
		{ "ops", 1, NULL, 2 }, { "sizes", 1, NULL, 3 }, { "offsets", 1, NULL, 4 },
		{ "bulk", 1, NULL, 5 }, { "timeout", 1, NULL, 6 }, { "patience", 1, NULL, 7 },
		{ "rounds", 1, NULL, 8 }, { "connections", 1, NULL, 9 },
		{ "before", 1, NULL, 10 }, { "late", 0, NULL, 11 }, { "until", 1, NULL, 12 },
		{ "together", 0, NULL, 13 }, { "uc", 0, NULL, 14 }, { "help", 0, NULL, 'h' }, { }
	};
	int c;

	while ((c = getopt_long(argc, argv, "d:6g:p:m:h", longs, NULL)) != -1) {
		switch (c) {
		case 'd': opt->dev = optarg; break;
		case '6': opt->gid_index = -6; break;
		case 'g': opt->gid_index = atoi(optarg); break;
		case 'p': opt->port = atoi(optarg); break;
		case 'm': opt->mtu = mtu_of(optarg); break;
		case 1: opt->psn = strtoul(optarg, NULL, 0) & 0xffffff; break;
		case 2: opt->ops = optarg; break;
		case 3: opt->nsizes = sizes_of(optarg, opt->sizes); break;
		case 4: opt->noffsets = sizes_of(optarg, opt->offsets); break;
		case 5: opt->bulk = strtoull(optarg, NULL, 0); break;
		case 6: opt->timeout = atoi(optarg); break;
		case 7: opt->patience = atoi(optarg); break;
		case 8: opt->rounds = atoi(optarg); break;
		case 9: opt->connections = atoi(optarg); break;
		case 10: opt->before = optarg; break;
		case 11: opt->late = true; break;
		case 12: opt->until = optarg; break;
		case 13: opt->together = true; break;
		case 14: opt->uc = true; break;
		case 'h': fputs(usage, stdout); exit(0);
		default: fputs("see srnic-verify --help\n", stderr); exit(2);
		}
	}
	opt->server = argv[optind];
}

int main(int argc, char **argv)
{
	struct options opt = {
		.port = 18600, .gid_index = -4, .mtu = IBV_MTU_1024, .timeout = 14, .patience = 300,
		.rounds = 1, .connections = 1, .offsets = { 0, 1 }, .noffsets = 2,
		.sizes = { 0, 1, 1023, 1024, 1025, 65536 }, .nsizes = 6,
		.ops = "send,send_inline,send_imm,write,write_imm,read,cmp_swap,fetch_add",
	};
	struct session s = { .opt = &opt };
	int gid;

	parse(&opt, argc, argv);
	for (int i = 0; i < opt.nsizes; i++)
		for (int j = 0; j < opt.noffsets; j++)
			if (opt.sizes[i] + opt.offsets[j] > s.room)
				s.room = opt.sizes[i] + opt.offsets[j];
	if (opt.bulk) {
		bulk_plan(&s);
		if (s.room < BULK_DEPTH * s.bulk_msg)
			s.room = BULK_DEPTH * s.bulk_msg;
	}
	s.room += 2 * CANARY + 8;
	open_session(&s);
	gid = opt.gid_index < 0 ? find_gid(s.ctx, opt.gid_index == -6) : opt.gid_index;
	s.sock = tcp_open(&opt);
	if (opt.together)
		run_together(&s, gid);
	for (int n = 0; !opt.together && n < opt.connections; n++)
		run_connection(&s, gid, n);
	printf("srnic-verify: %lu checks, %lu failed\n", s.cases, s.failures);
	return s.failures ? 1 : 0;
}
