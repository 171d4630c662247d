// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * srnic-xrc - extended reliable connections: processes that share a target by a domain's file.
 *
 *	srnic-xrc DEV FILE		the targets' end: waits for the initiator
 *	srnic-xrc DEV - HOST		the initiator, on another host
 *
 * The targets' end has several processes. The first one creates the domain of FILE and its target
 * QPs; each other one opens the domain and a target, and has a protection domain, a CQ, an SRQ and
 * a region of its own. The initiator reaches all of them through one connection, and then tries, on
 * connections of their own, what must be refused.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "connection.h"

#define PORT		"18515"
#define WORKERS		3
#define STRANGER	WORKERS		/* a process with another domain */
#define PROCESSES	(WORKERS + 1)
#define ROOM		16384
#define LONG		10000
#define RECEIVES	16
#define HOSTILE		9		/* connections that end in a refusal */
#define ACCESS		(IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_ATOMIC)
#define IMM(worker)	htobe32(0xabcd0000 | (worker))

/* Names of a process's objects, which the initiator is told */
struct worker {
	uint32_t srqn;
	uint32_t rkey;
	uint64_t addr;
};

/* Names of an end, which the other end is told before they connect */
struct hello {
	union ibv_gid gid;
	uint32_t qpn[1 + HOSTILE];
	struct worker worker[PROCESSES];
};

static int failed;

static void expect(bool holds, const char *format, ...)
{
	va_list args;

	if (holds)
		return;
	failed++;
	printf("not ok: ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
}

static void all_of(ssize_t done, size_t want, const char *what)
{
	if (done != (ssize_t)want)
		die(what);
}

/* ------------------------------------------------------------ connections */

static void connect_to(const struct device *dev, struct ibv_qp *qp, const union ibv_gid *gid,
		       uint32_t qpn)
{
	qp_to_rts(qp, &(struct qp_peer){
		.gid = *gid, .gid_index = dev->gid_index, .qpn = qpn, .mtu = IBV_MTU_1024,
	});
}

static struct ibv_xrcd *open_domain(const struct device *dev, int fd)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = fd, .oflags = O_CREAT,
	};
	struct ibv_xrcd *xrcd = ibv_open_xrcd(dev->ctx, &attr);

	if (!xrcd)
		die("ibv_open_xrcd");
	return xrcd;
}

static struct ibv_qp *create_target(const struct device *dev, struct ibv_xrcd *xrcd)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_XRC_RECV, .comp_mask = IBV_QP_INIT_ATTR_XRCD, .xrcd = xrcd,
	};
	struct ibv_qp *qp = ibv_create_qp_ex(dev->ctx, &init);

	if (!qp)
		die("a target");
	qp_to_init(qp);
	return qp;
}

/* ---------------------------------------------------- a process at the target */

struct station {
	struct device dev;
	struct ibv_xrcd *xrcd;
	struct ibv_qp *target;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_mr *mr;
	char *memory;
};

static void station_queue(struct station *s)
{
	struct ibv_srq_init_attr_ex init = {
		.attr = { .max_wr = RECEIVES, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_XRCD |
			     IBV_SRQ_INIT_ATTR_CQ | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = IBV_SRQT_XRC, .pd = s->dev.pd, .xrcd = s->xrcd,
	};

	s->cq = ibv_create_cq(s->dev.ctx, RECEIVES, NULL, NULL, 0);
	if (!s->cq)
		die("ibv_create_cq");
	init.cq = s->cq;
	s->srq = ibv_create_srq_ex(s->dev.ctx, &init);
	if (!s->srq)
		die("an SRQ of a domain");
	s->memory = aligned_alloc(4096, 2 * ROOM);
	if (!s->memory)
		die("memory");
	memset(s->memory, 0, 2 * ROOM);
	s->mr = device_reg(&s->dev, s->memory, 2 * ROOM, ACCESS | IBV_ACCESS_LOCAL_WRITE);
}

/* Messages arrive behind the first ROOM bytes, which the initiator reads and writes. */
static void station_receive(struct station *s)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)s->memory + ROOM, .length = ROOM, .lkey = s->mr->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = 7, .sg_list = &sge, .num_sge = 1 }, *bad;

	errno = ibv_post_srq_recv(s->srq, &wr, &bad);
	if (errno)
		die("ibv_post_srq_recv");
}

static void open_target(struct station *s, uint32_t qpn)
{
	struct ibv_qp_open_attr attr = {
		.comp_mask = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD |
			     IBV_QP_OPEN_ATTR_TYPE,
		.qp_num = qpn, .xrcd = s->xrcd, .qp_type = IBV_QPT_XRC_RECV,
	};

	s->target = ibv_open_qp(s->dev.ctx, &attr);
	if (!s->target)
		die("ibv_open_qp");
}

static void expect_receive(const struct station *s, int worker, enum ibv_wc_opcode opcode,
			   unsigned int flags, uint32_t len)
{
	struct end end = { .cq = s->cq };
	struct ibv_wc wc;

	end_wait(&end, &wc, 100);
	expect(wc.status == IBV_WC_SUCCESS, "worker %d: %s", worker, ibv_wc_status_str(wc.status));
	expect(wc.opcode == opcode && wc.byte_len == len && wc.wr_id == 7,
	       "worker %d: opcode %d, %u bytes", worker, wc.opcode, wc.byte_len);
	expect(wc.qp_num == s->target->qp_num, "worker %d: QP %#x", worker, wc.qp_num);
	expect(wc.wc_flags == flags && (!flags || wc.imm_data == IMM(worker)),
	       "worker %d: immediate data", worker);
}

static void expect_bytes(const char *at, char want, size_t len, int worker)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (at[i] != want)
			break;
	expect(i == len, "worker %d: byte %zu of %zu", worker, i, len);
}

/* The messages that the initiator sends to each worker, see send_all() */
static void worker_check(struct station *s, int worker)
{
	char mark = 'a' + worker;

	expect_receive(s, worker, IBV_WC_RECV, 0, 100);
	expect_bytes(s->memory + ROOM, mark, 100, worker);
	expect_receive(s, worker, IBV_WC_RECV, IBV_WC_WITH_IMM, LONG);
	expect_bytes(s->memory + ROOM, mark, LONG, worker);
	expect_receive(s, worker, IBV_WC_RECV, IBV_WC_WITH_IMM, 100);
	expect_receive(s, worker, IBV_WC_RECV, 0, LONG);
	expect_receive(s, worker, IBV_WC_RECV_RDMA_WITH_IMM, IBV_WC_WITH_IMM, LONG);
	expect_bytes(s->memory + 64, mark, LONG, worker);
	expect_receive(s, worker, IBV_WC_RECV_RDMA_WITH_IMM, IBV_WC_WITH_IMM, 8);
}

/*
 * A process, forked before any device is open. It reads the target's number from @in, and writes
 * the names of its objects to @out. A worker then checks the messages that it receives; when @in is
 * closed, all is over.
 */
static int process(const char *dev, const char *file, int number, int in, int out)
{
	struct station s = {};
	uint32_t qpn;
	int fd = -1, i;
	struct worker w;

	all_of(read(in, &qpn, sizeof(qpn)), sizeof(qpn), "the target's number");
	device_open(&s.dev, dev);
	if (number != STRANGER)
		fd = open(file, O_RDONLY);
	s.xrcd = open_domain(&s.dev, fd);
	if (number != STRANGER)
		open_target(&s, qpn);
	station_queue(&s);
	for (i = 0; i < RECEIVES; i++)
		station_receive(&s);
	if (ibv_get_srq_num(s.srq, &w.srqn))
		die("ibv_get_srq_num");
	w.rkey = s.mr->rkey;
	w.addr = (uintptr_t)s.memory;
	all_of(write(out, &w, sizeof(w)), sizeof(w), "a pipe");
	if (number != STRANGER)
		worker_check(&s, number);
	all_of(read(in, &qpn, 1), 0, "the end");

	if (number == STRANGER) {
		struct ibv_wc wc;

		expect(!ibv_poll_cq(s.cq, 1, &wc), "a message reached another domain");
		expect_bytes(s.memory, 0, 2 * ROOM, STRANGER);
	}
	/* some processes end without tidying up */
	if (number % 2)
		return failed;
	if (s.target && ibv_destroy_qp(s.target))
		die("ibv_destroy_qp of a shared target");
	if (ibv_destroy_srq(s.srq) || ibv_dereg_mr(s.mr) || ibv_destroy_cq(s.cq) ||
	    ibv_close_xrcd(s.xrcd) || ibv_dealloc_pd(s.dev.pd))
		die("destruction");
	return failed;
}

struct child {
	pid_t pid;
	int to;
	int from;
};

static void spawn(struct child *children, const char *dev, const char *file, int number)
{
	struct child *child = &children[number];
	int to[2], from[2], i;

	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		die("pipe");
	child->pid = fork();
	if (child->pid < 0)
		die("fork");
	if (!child->pid) {
		for (i = 0; i < number; i++) {
			close(children[i].to);
			close(children[i].from);
		}
		close(to[1]);
		close(from[0]);
		_exit(!!process(dev, file, number, to[0], from[1]));
	}
	close(to[0]);
	close(from[1]);
	child->to = to[1];
	child->from = from[0];
}

/* -------------------------------------------------------------- the two ends */

static int listen_once(void)
{
	struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_PASSIVE }, *ai;
	int one = 1, sock, fd;

	if (getaddrinfo(NULL, PORT, &hints, &ai))
		die("getaddrinfo");
	sock = socket(ai->ai_family, ai->ai_socktype | SOCK_CLOEXEC, 0);
	if (sock < 0 || setsockopt(sock, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(sock, ai->ai_addr, ai->ai_addrlen) || listen(sock, 1))
		die("listen");
	fd = accept(sock, NULL, NULL);
	if (fd < 0)
		die("accept");
	close(sock);
	return fd;
}

static int dial(const char *host)
{
	struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM }, *ai;
	int tries, fd;

	if (getaddrinfo(host, PORT, &hints, &ai))
		die(host);
	for (tries = 0; tries < 600; tries++) {
		fd = socket(ai->ai_family, ai->ai_socktype, 0);
		if (!connect(fd, ai->ai_addr, ai->ai_addrlen))
			return fd;
		close(fd);
		usleep(100000);
	}
	die("connect");
}

static void tell(int fd, const void *data, size_t len)
{
	all_of(send(fd, data, len, MSG_NOSIGNAL), len, "send");
}

static void hear(int fd, void *data, size_t len)
{
	all_of(recv(fd, data, len, MSG_WAITALL), len, "recv");
}

static int serve(const char *dev_name, const char *file)
{
	struct child child[PROCESSES];
	struct ibv_qp *target[1 + HOSTILE];
	struct hello ours = {}, theirs;
	struct ibv_xrcd *xrcd;
	struct device dev;
	int i, fd, sock, status;
	char byte = 0;

	fd = open(file, O_RDONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		die(file);
	for (i = 0; i < PROCESSES; i++)
		spawn(child, dev_name, file, i);
	device_open(&dev, dev_name);
	xrcd = open_domain(&dev, fd);
	for (i = 0; i <= HOSTILE; i++) {
		target[i] = create_target(&dev, xrcd);
		ours.qpn[i] = target[i]->qp_num;
	}
	for (i = 0; i < PROCESSES; i++) {
		all_of(write(child[i].to, &ours.qpn[0], 4), 4, "a pipe");
		all_of(read(child[i].from, &ours.worker[i], sizeof(ours.worker[i])),
		       sizeof(ours.worker[i]), "a process");
	}
	ours.gid = dev.gid;

	sock = listen_once();
	tell(sock, &ours, sizeof(ours));
	hear(sock, &theirs, sizeof(theirs));
	for (i = 0; i <= HOSTILE; i++)
		connect_to(&dev, target[i], &theirs.gid, theirs.qpn[i]);
	tell(sock, &byte, 1);
	/* the creator of the target is the first to leave it: the workers keep it */
	if (ibv_destroy_qp(target[0]))
		die("ibv_destroy_qp");
	hear(sock, &byte, 1);
	for (i = 1; i <= HOSTILE; i++)
		if (ibv_destroy_qp(target[i]))
			die("ibv_destroy_qp");
	for (i = 0; i < PROCESSES; i++) {
		close(child[i].to);
		waitpid(child[i].pid, &status, 0);
		expect(WIFEXITED(status) && !WEXITSTATUS(status), "process %d: %#x", i, status);
	}
	if (ibv_close_xrcd(xrcd))
		die("ibv_close_xrcd");
	printf("srnic-xrc: targets: %d failed\n", failed);
	return !!failed;
}

/* ------------------------------------------------------------------ initiator */

static struct initiator {
	struct device dev;
	struct end end[1 + HOSTILE];
	struct ibv_mr *mr;
	char *memory;
	struct hello theirs;
} me;

static void create_initiator(struct end *end)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_XRC_SEND,
		.cap = { .max_send_wr = 16, .max_send_sge = 1, .max_recv_wr = 5 },
	};

	end->dev = &me.dev;
	end->cq = ibv_create_cq(me.dev.ctx, 16, NULL, NULL, 0);
	if (!end->cq)
		die("ibv_create_cq");
	init.send_cq = end->cq;
	end->qp = ibv_create_qp(me.dev.pd, &init);
	if (!end->qp)
		die("an initiator");
	qp_to_init(end->qp);
}

static enum ibv_wc_status execute(struct end *end, enum ibv_wr_opcode opcode, uint32_t len,
				  uint32_t srqn, const struct worker *memory)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)me.memory, .length = len, .lkey = me.mr->lkey,
	};
	struct ibv_send_wr wr = {
		.opcode = opcode, .sg_list = &sge, .num_sge = 1, .send_flags = IBV_SEND_SIGNALED,
		.imm_data = IMM(memory - me.theirs.worker), .qp_type.xrc.remote_srqn = srqn,
	}, *bad;
	struct ibv_wc wc;

	if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD || opcode == IBV_WR_ATOMIC_CMP_AND_SWP) {
		wr.wr.atomic.remote_addr = memory->addr;
		wr.wr.atomic.rkey = memory->rkey;
		wr.wr.atomic.compare_add = opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ? 5 : 12;
		wr.wr.atomic.swap = 99;
	} else if (opcode == IBV_WR_SEND_WITH_INV) {
		wr.invalidate_rkey = memory->rkey;
	} else {
		wr.wr.rdma.remote_addr = memory->addr + 64;
		wr.wr.rdma.rkey = memory->rkey;
	}
	errno = ibv_post_send(end->qp, &wr, &bad);
	if (errno)
		die("ibv_post_send");
	end_wait(end, &wc, 100);
	return wc.status;
}

static void must(enum ibv_wc_status status, enum ibv_wc_status want, const char *what)
{
	expect(status == want, "%s: %s instead of %s", what, ibv_wc_status_str(status),
	       ibv_wc_status_str(want));
}

static void fill(char mark)
{
	memset(me.memory, mark, ROOM);
}

static uint64_t word(void)
{
	uint64_t value;

	memcpy(&value, me.memory, sizeof(value));
	return value;
}

/* Every operation of XRC, to one process: see worker_check() */
static void send_all(int number)
{
	const struct worker *w = &me.theirs.worker[number];
	struct end *end = &me.end[0];

	fill('a' + number);
	must(execute(end, IBV_WR_SEND, 100, w->srqn, w), IBV_WC_SUCCESS, "SEND");
	must(execute(end, IBV_WR_SEND_WITH_IMM, LONG, w->srqn, w), IBV_WC_SUCCESS, "SEND with imm");
	must(execute(end, IBV_WR_SEND_WITH_IMM, 100, w->srqn, w), IBV_WC_SUCCESS, "SEND with imm");
	must(execute(end, IBV_WR_SEND, LONG, w->srqn, w), IBV_WC_SUCCESS, "SEND");
	must(execute(end, IBV_WR_RDMA_WRITE, LONG, w->srqn, w), IBV_WC_SUCCESS, "WRITE");
	must(execute(end, IBV_WR_RDMA_WRITE, 8, w->srqn, w), IBV_WC_SUCCESS, "WRITE");
	must(execute(end, IBV_WR_RDMA_WRITE_WITH_IMM, LONG, w->srqn, w), IBV_WC_SUCCESS,
	     "WRITE with imm");
	must(execute(end, IBV_WR_RDMA_WRITE_WITH_IMM, 8, w->srqn, w), IBV_WC_SUCCESS,
	     "WRITE with imm");
	fill(0);
	must(execute(end, IBV_WR_RDMA_READ, 8, w->srqn, w), IBV_WC_SUCCESS, "READ");
	must(execute(end, IBV_WR_RDMA_READ, LONG, w->srqn, w), IBV_WC_SUCCESS, "READ");
	expect_bytes(me.memory, 'a' + number, LONG, number);
	must(execute(end, IBV_WR_ATOMIC_FETCH_AND_ADD, 8, w->srqn, w), IBV_WC_SUCCESS,
	     "FETCH & ADD");
	expect(word() == 0, "what FETCH & ADD returns");
	must(execute(end, IBV_WR_ATOMIC_FETCH_AND_ADD, 8, w->srqn, w), IBV_WC_SUCCESS,
	     "FETCH & ADD");
	must(execute(end, IBV_WR_ATOMIC_FETCH_AND_ADD, 8, w->srqn, w), IBV_WC_SUCCESS,
	     "FETCH & ADD");
	expect(word() == 10, "what the third FETCH & ADD returns");
	must(execute(end, IBV_WR_ATOMIC_CMP_AND_SWP, 8, w->srqn, w), IBV_WC_SUCCESS,
	     "COMPARE & SWAP");
	expect(word() == 15, "what COMPARE & SWAP returns");
}

/* The bits above the number of an SRQ mean nothing. */
static void send_wide(void)
{
	const struct worker *w = &me.theirs.worker[0];

	must(execute(&me.end[0], IBV_WR_RDMA_READ, 8, 0xff000000 | w->srqn, w), IBV_WC_SUCCESS,
	     "a number with bits above");
}

static void try_hostile(void)
{
	const struct worker *own = &me.theirs.worker[0], *other = &me.theirs.worker[1];
	const struct worker *stranger = &me.theirs.worker[STRANGER];
	const enum ibv_wc_status invalid = IBV_WC_REM_INV_REQ_ERR, access = IBV_WC_REM_ACCESS_ERR;
	const struct {
		const char *what;
		enum ibv_wr_opcode opcode;
		uint32_t len;
		uint32_t srqn;
		const struct worker *memory;
		enum ibv_wc_status want;
	} cases[HOSTILE] = {
		{ "a SEND to no SRQ", IBV_WR_SEND, 8, 0, own, invalid },
		{ "a SEND to an unknown SRQ", IBV_WR_SEND, 8, 0xffffff, own, invalid },
		{ "R7 a SEND to another domain",
		  IBV_WR_SEND, 8, stranger->srqn, stranger, invalid },
		{ "R7 a READ through another domain",
		  IBV_WR_RDMA_READ, 8, stranger->srqn, stranger, invalid },
		{ "R7 a WRITE to another process's memory",
		  IBV_WR_RDMA_WRITE, 8, own->srqn, other, access },
		{ "R7 a READ of another process's memory",
		  IBV_WR_RDMA_READ, 8, own->srqn, other, access },
		{ "R7 an atomic on a stranger's memory",
		  IBV_WR_ATOMIC_FETCH_AND_ADD, 8, own->srqn, stranger, access },
		/* only windows of the target itself could be invalidated, and it binds none */
		{ "R26 an invalidation", IBV_WR_SEND_WITH_INV, 8, own->srqn, own, access },
		{ "R26 an invalidation, of more packets",
		  IBV_WR_SEND_WITH_INV, LONG, own->srqn, own, access },
	};
	int i;

	for (i = 0; i < HOSTILE; i++)
		must(execute(&me.end[1 + i], cases[i].opcode, cases[i].len, cases[i].srqn,
			     cases[i].memory), cases[i].want, cases[i].what);
}

static int initiate(const char *dev_name, const char *host)
{
	struct hello ours = {};
	int i, sock;
	char byte;

	device_open(&me.dev, dev_name);
	me.memory = aligned_alloc(4096, ROOM);
	if (!me.memory)
		die("memory");
	me.mr = device_reg(&me.dev, me.memory, ROOM, IBV_ACCESS_LOCAL_WRITE);
	for (i = 0; i <= HOSTILE; i++) {
		create_initiator(&me.end[i]);
		ours.qpn[i] = me.end[i].qp->qp_num;
	}
	ours.gid = me.dev.gid;

	sock = dial(host);
	hear(sock, &me.theirs, sizeof(me.theirs));
	tell(sock, &ours, sizeof(ours));
	for (i = 0; i <= HOSTILE; i++)
		connect_to(&me.dev, me.end[i].qp, &me.theirs.gid, me.theirs.qpn[i]);
	hear(sock, &byte, 1);
	for (i = 0; i < WORKERS; i++)
		send_all(i);
	send_wide();
	try_hostile();
	/* refusals on other connections have not ended this one */
	send_wide();
	for (i = 0; i <= HOSTILE; i++)
		end_destroy(&me.end[i]);
	tell(sock, &byte, 1);
	printf("srnic-xrc: initiator: %d failed\n", failed);
	return !!failed;
}

int main(int argc, char **argv)
{
	if (argc == 3)
		return serve(argv[1], argv[2]);
	if (argc == 4)
		return initiate(argv[1], argv[3]);
	fprintf(stderr, "usage: srnic-xrc DEV FILE, or srnic-xrc DEV - HOST\n");
	return 2;
}
