// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * srnic-paging - memory that is registered with IBV_ACCESS_ON_DEMAND.
 *
 *	srnic-paging PEER_DEV OWNER_DEV [INVALIDATIONS]
 *
 * A process is connected with itself by two devices. Each case has a connection of its own; one
 * end is the owner of memory that is paged on demand, the other one a peer with pinned memory.
 * With INVALIDATIONS, it instead exchanges the memory behind the region so often, in the middle of
 * accesses of each kind. Memory that has been taken out of the region is filled with a canary: not
 * one byte of it may change or reach the peer.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "connection.h"
#include "statements.h"

#define PAGE		4096UL
#define PAGES		40
#define ROOM		(PAGES * PAGE)
#define RIGHTS		(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)
#define ANONYMOUS	(MAP_PRIVATE | MAP_ANONYMOUS)
#define RW		(PROT_READ | PROT_WRITE)

static struct device peer_dev, owner_dev;

/* A connection; the owner's memory is paged on demand, the peer's is pinned. */
struct pair {
	struct end peer, owner;
	char *own, *other;
	struct ibv_mr *own_mr, *other_mr;
};

static char *map(int prot, int flags, int fd)
{
	char *memory = mmap(NULL, ROOM, prot, flags, fd, 0);

	if (memory == MAP_FAILED)
		die("mmap");
	return memory;
}

static void pair_connect(struct pair *p)
{
	end_create(&p->peer, &peer_dev);
	end_create(&p->owner, &owner_dev);
	end_connect(&p->peer, &p->owner);
	end_connect(&p->owner, &p->peer);
}

static void pair_open(struct pair *p, int prot, int flags, int fd)
{
	pair_connect(p);
	p->own = map(prot, flags, fd);
	p->own_mr = device_reg(&owner_dev, p->own, ROOM, RIGHTS | IBV_ACCESS_ON_DEMAND);
	p->other = map(RW, ANONYMOUS, -1);
	p->other_mr = device_reg(&peer_dev, p->other, ROOM, RIGHTS);
}

static void pair_close(struct pair *p)
{
	end_destroy(&p->peer);
	end_destroy(&p->owner);
	if ((p->own_mr && ibv_dereg_mr(p->own_mr)) || ibv_dereg_mr(p->other_mr))
		die("ibv_dereg_mr");
	munmap(p->own, ROOM);
	munmap(p->other, ROOM);
}

/* ---- Operations of @length bytes, at the start of both memories ---- */

static void post(const struct end *end, enum ibv_wr_opcode opcode, void *local, uint32_t lkey,
		 void *remote, uint32_t rkey, uint32_t length)
{
	struct ibv_sge sge = { .addr = (uintptr_t)local, .length = length, .lkey = lkey };
	struct ibv_send_wr *bad, wr = {
		.opcode = opcode, .send_flags = IBV_SEND_SIGNALED, .sg_list = &sge, .num_sge = 1,
	};

	if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = (uintptr_t)remote;
		wr.wr.atomic.rkey = rkey;
		wr.wr.atomic.compare_add = 1;
	} else {
		wr.wr.rdma.remote_addr = (uintptr_t)remote;
		wr.wr.rdma.rkey = rkey;
	}
	if (ibv_post_send(end->qp, &wr, &bad))
		die("ibv_post_send");
}

static enum ibv_wc_status result(const struct end *end)
{
	struct ibv_wc wc;

	end_wait(end, &wc, 50);
	return wc.status;
}

/* The peer accesses the owner's memory. */
static enum ibv_wc_status access_own(struct pair *p, enum ibv_wr_opcode opcode, uint32_t length)
{
	post(&p->peer, opcode, p->other, p->other_mr->lkey, p->own, p->own_mr->rkey, length);
	return result(&p->peer);
}

/* The owner accesses the peer's memory, out of its own or into it. */
static enum ibv_wc_status access_other(struct pair *p, enum ibv_wr_opcode opcode, uint32_t length)
{
	post(&p->owner, opcode, p->own, p->own_mr->lkey, p->other, p->other_mr->rkey, length);
	return result(&p->owner);
}

static void post_recv(const struct end *end, void *memory, uint32_t lkey)
{
	struct ibv_sge sge = { .addr = (uintptr_t)memory, .length = ROOM, .lkey = lkey };
	struct ibv_recv_wr *bad, wr = { .sg_list = &sge, .num_sge = 1 };

	if (ibv_post_recv(end->qp, &wr, &bad))
		die("ibv_post_recv");
}

static bool filled(const char *memory, char with, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (memory[i] != with)
			return false;
	return true;
}

/* Waits for pages of the owner's device; the core keeps counters for 10 ms */
static unsigned long waits(void)
{
	char path[256];
	unsigned long n;
	FILE *file;

	usleep(20000);
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/hw_counters/page_waits",
		 ibv_get_device_name(owner_dev.ctx->device));
	file = fopen(path, "r");
	if (!file || fscanf(file, "%lu", &n) != 1)
		die(path);
	fclose(file);
	return n;
}

/* ---- Cases ---- */

/* Memory that was never touched */
static void cold(void)
{
	unsigned long before = waits();
	struct pair p;

	pair_open(&p, RW, ANONYMOUS, -1);
	memset(p.other, 'w', ROOM);
	is(access_own(&p, IBV_WR_RDMA_WRITE, ROOM), IBV_WC_SUCCESS, "WRITE to cold memory");
	ok(filled(p.own, 'w', ROOM), "bytes of a WRITE to cold memory");
	ok(waits() > before, "a WRITE to cold memory waits for pages");
	pair_close(&p);

	pair_open(&p, RW, ANONYMOUS, -1);
	memset(p.other, 'x', ROOM);
	is(access_own(&p, IBV_WR_RDMA_READ, ROOM), IBV_WC_SUCCESS, "READ of cold memory");
	ok(filled(p.other, 0, ROOM), "zeros of a READ of cold memory");
	pair_close(&p);

	pair_open(&p, RW, ANONYMOUS, -1);
	memset(p.other, 's', ROOM);
	post_recv(&p.owner, p.own, p.own_mr->lkey);
	post(&p.peer, IBV_WR_SEND, p.other, p.other_mr->lkey, NULL, 0, ROOM);
	is(result(&p.peer), IBV_WC_SUCCESS, "SEND to a cold buffer");
	is(result(&p.owner), IBV_WC_SUCCESS, "receipt in a cold buffer");
	ok(filled(p.own, 's', ROOM), "bytes of a SEND to a cold buffer");
	pair_close(&p);

	pair_open(&p, RW, ANONYMOUS, -1);
	is(access_own(&p, IBV_WR_ATOMIC_FETCH_AND_ADD, 8), IBV_WC_SUCCESS, "atomic on cold memory");
	is(access_own(&p, IBV_WR_ATOMIC_FETCH_AND_ADD, 8), IBV_WC_SUCCESS, "the next one");
	ok(*(uint64_t *)p.own == 2 && *(uint64_t *)p.other == 1, "atomics are executed once");
	pair_close(&p);
}

/* The owner's own requests */
static void cold_local(void)
{
	struct pair p;

	pair_open(&p, RW, ANONYMOUS, -1);
	memset(p.other, 'x', ROOM);
	is(access_other(&p, IBV_WR_RDMA_WRITE, ROOM), IBV_WC_SUCCESS, "WRITE from cold memory");
	ok(filled(p.other, 0, ROOM), "zeros of a WRITE from cold memory");
	pair_close(&p);

	pair_open(&p, RW, ANONYMOUS, -1);
	memset(p.other, 'r', ROOM);
	is(access_other(&p, IBV_WR_RDMA_READ, ROOM), IBV_WC_SUCCESS, "READ into cold memory");
	ok(filled(p.own, 'r', ROOM), "bytes of a READ into cold memory");
	pair_close(&p);

	pair_open(&p, RW, ANONYMOUS, -1);
	*(uint64_t *)p.other = 41;
	is(access_other(&p, IBV_WR_ATOMIC_FETCH_AND_ADD, 8), IBV_WC_SUCCESS,
	   "atomic with a cold result");
	ok(*(uint64_t *)p.own == 41 && *(uint64_t *)p.other == 42, "that atomic is executed once");
	pair_close(&p);
}

static void dropped_pages(void)
{
	struct pair p;

	pair_open(&p, RW, ANONYMOUS, -1);
	memset(p.other, 'a', ROOM);
	is(access_own(&p, IBV_WR_RDMA_WRITE, ROOM), IBV_WC_SUCCESS, "first WRITE");
	if (madvise(p.own, ROOM, MADV_DONTNEED))
		die("madvise");
	is(access_own(&p, IBV_WR_RDMA_READ, ROOM), IBV_WC_SUCCESS, "READ of dropped pages");
	ok(filled(p.other, 0, ROOM), "dropped pages are zeros");
	memset(p.other, 'b', ROOM);
	is(access_own(&p, IBV_WR_RDMA_WRITE, ROOM), IBV_WC_SUCCESS, "WRITE to dropped pages");
	ok(filled(p.own, 'b', ROOM), "the process has the bytes written after a READ");
	pair_close(&p);
}

/* A child keeps what it was given: a later WRITE goes to the parent's copy. */
static void forked(void)
{
	int to_child[2], status;
	struct pair p;
	pid_t child;
	char byte = 0;

	if (pipe(to_child))
		die("pipe");
	pair_open(&p, RW, ANONYMOUS, -1);
	memset(p.other, 'p', ROOM);
	is(access_own(&p, IBV_WR_RDMA_WRITE, ROOM), IBV_WC_SUCCESS, "WRITE before a fork");
	child = fork();
	if (!child)
		_exit(read(to_child[0], &byte, 1) == 1 && filled(p.own, 'p', ROOM) ? 0 : 1);
	memset(p.other, 0, ROOM);
	is(access_own(&p, IBV_WR_RDMA_READ, ROOM), IBV_WC_SUCCESS, "READ after a fork");
	ok(filled(p.other, 'p', ROOM), "bytes of a READ after a fork");
	memset(p.other, 'q', ROOM);
	is(access_own(&p, IBV_WR_RDMA_WRITE, ROOM), IBV_WC_SUCCESS, "WRITE after a fork");
	ok(filled(p.own, 'q', ROOM), "the parent has the bytes of a WRITE after a fork");
	if (write(to_child[1], &byte, 1) != 1 || waitpid(child, &status, 0) != child)
		die("the child");
	ok(WIFEXITED(status) && !WEXITSTATUS(status), "the child keeps its bytes");
	close(to_child[0]);
	close(to_child[1]);
	pair_close(&p);
}

/* Memory that the process has no more; it was in use before */
static void unmapped(void)
{
	static const struct {
		enum ibv_wr_opcode opcode;
		bool own;	/* the owner's request */
		enum ibv_wc_status want;
	} cases[] = {
		{ IBV_WR_RDMA_WRITE, false, IBV_WC_REM_ACCESS_ERR },
		{ IBV_WR_RDMA_READ, false, IBV_WC_REM_ACCESS_ERR },
		{ IBV_WR_ATOMIC_FETCH_AND_ADD, false, IBV_WC_REM_ACCESS_ERR },
		{ IBV_WR_RDMA_WRITE, true, IBV_WC_LOC_PROT_ERR },
		{ IBV_WR_RDMA_READ, true, IBV_WC_LOC_PROT_ERR },
		{ IBV_WR_ATOMIC_FETCH_AND_ADD, true, IBV_WC_LOC_PROT_ERR },
	};
	struct pair p;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pair_open(&p, RW, ANONYMOUS, -1);
		is(access_own(&p, IBV_WR_RDMA_WRITE, 8), IBV_WC_SUCCESS, "WRITE before munmap");
		munmap(p.own, ROOM);
		if (cases[i].own)
			is(access_other(&p, cases[i].opcode, 8), cases[i].want,
			   "own request after munmap");
		else
			is(access_own(&p, cases[i].opcode, 8), cases[i].want,
			   "peer's request after munmap");
		pair_close(&p);
	}
	pair_open(&p, RW, ANONYMOUS, -1);
	post_recv(&p.owner, p.own, p.own_mr->lkey);
	munmap(p.own, ROOM);
	post(&p.peer, IBV_WR_SEND, p.other, p.other_mr->lkey, NULL, 0, 8);
	is(result(&p.peer), IBV_WC_REM_OP_ERR, "SEND to an unmapped buffer");
	is(result(&p.owner), IBV_WC_LOC_PROT_ERR, "receipt in an unmapped buffer");
	pair_close(&p);
}

/* A peer may only read memory that the process may only read. */
static void read_only(void)
{
	struct pair p;

	pair_open(&p, RW, ANONYMOUS, -1);
	memset(p.own, 'o', ROOM);
	if (mprotect(p.own, ROOM, PROT_READ))
		die("mprotect");
	is(access_own(&p, IBV_WR_RDMA_READ, ROOM), IBV_WC_SUCCESS, "READ of read-only memory");
	ok(filled(p.other, 'o', ROOM), "bytes of read-only memory");
	memset(p.other, 'x', ROOM);
	is(access_own(&p, IBV_WR_RDMA_WRITE, ROOM), IBV_WC_REM_ACCESS_ERR,
	   "WRITE to read-only memory");
	ok(filled(p.own, 'o', ROOM), "read-only memory is unchanged");
	pair_close(&p);

	pair_open(&p, RW, ANONYMOUS, -1);
	is(access_own(&p, IBV_WR_RDMA_WRITE, ROOM), IBV_WC_SUCCESS, "WRITE before mprotect");
	if (mprotect(p.own, ROOM, PROT_NONE))
		die("mprotect");
	is(access_own(&p, IBV_WR_RDMA_READ, ROOM), IBV_WC_REM_ACCESS_ERR,
	   "READ of memory without any right");
	pair_close(&p);
}

/* Bytes written to a file's pages are the file's, even after the mapping is gone. */
static void files(void)
{
	int fd = memfd_create("paging", 0);
	char *bytes = malloc(ROOM);
	struct pair p;

	if (fd < 0 || ftruncate(fd, ROOM))
		die("memfd_create");
	pair_open(&p, RW, MAP_SHARED, fd);
	memset(p.other, 'f', ROOM);
	is(access_own(&p, IBV_WR_RDMA_WRITE, ROOM), IBV_WC_SUCCESS, "WRITE to a file's pages");
	munmap(p.own, ROOM);
	ok(pread(fd, bytes, ROOM, 0) == (ssize_t)ROOM && filled(bytes, 'f', ROOM),
	   "the file has the bytes");
	p.own = mmap(p.own, ROOM, RW, MAP_SHARED | MAP_FIXED, fd, 0);
	if (ftruncate(fd, PAGE))
		die("ftruncate");
	is(access_own(&p, IBV_WR_RDMA_READ, PAGE), IBV_WC_SUCCESS, "READ of what is left");
	is(access_own(&p, IBV_WR_RDMA_READ, PAGE + 1), IBV_WC_REM_ACCESS_ERR,
	   "READ beyond the end of the file");
	pair_close(&p);
	close(fd);
	free(bytes);
}

/* The kernel itself cannot access this memory. */
static void secret(void)
{
#ifdef SYS_memfd_secret
	int fd = syscall(SYS_memfd_secret, 0);
	struct pair p;

	if (fd < 0) {
		printf("no memfd_secret()\n");
		return;
	}
	if (ftruncate(fd, ROOM))
		die("ftruncate");
	pair_open(&p, RW, MAP_SHARED, fd);
	memset(p.own, 's', PAGE);
	is(access_own(&p, IBV_WR_RDMA_READ, PAGE), IBV_WC_REM_ACCESS_ERR, "READ of secret memory");
	pair_close(&p);
	close(fd);
#endif
}

static void moved(void)
{
	struct pair p;
	char *there;

	pair_open(&p, RW, ANONYMOUS, -1);
	memset(p.other, 'm', ROOM);
	is(access_own(&p, IBV_WR_RDMA_WRITE, ROOM), IBV_WC_SUCCESS, "WRITE before mremap");
	there = mremap(p.own, ROOM, ROOM, MREMAP_MAYMOVE | MREMAP_FIXED, map(RW, ANONYMOUS, -1));
	if (there == MAP_FAILED)
		die("mremap");
	memset(p.other, 'x', ROOM);
	is(access_own(&p, IBV_WR_RDMA_WRITE, ROOM), IBV_WC_REM_ACCESS_ERR, "WRITE after mremap");
	ok(filled(there, 'm', ROOM), "moved memory is unchanged");
	munmap(there, ROOM);
	pair_close(&p);
}

static int advise(struct pair *p, enum ib_uverbs_advise_mr_advice advice, void *at,
		  uint32_t length, uint32_t lkey)
{
	struct ibv_sge sge = { .addr = (uintptr_t)at, .length = length, .lkey = lkey };

	return ibv_advise_mr(p->own_mr->pd, advice, IBV_ADVISE_MR_FLAG_FLUSH, &sge, 1);
}

static void prefetched(void)
{
	unsigned long before;
	struct ibv_mr *mr;
	struct pair p;

	pair_open(&p, RW, ANONYMOUS, -1);
	ok(!advise(&p, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, p.own, ROOM, p.own_mr->lkey),
	   "prefetch for writing");
	before = waits();
	is(access_own(&p, IBV_WR_RDMA_WRITE, ROOM), IBV_WC_SUCCESS, "WRITE to prefetched memory");
	ok(waits() == before, "a WRITE to prefetched memory does not wait");
	pair_close(&p);

	pair_open(&p, RW, ANONYMOUS, -1);
	memset(p.own, 'n', PAGE);
	ok(!advise(&p, IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT, p.own, ROOM, p.own_mr->lkey),
	   "prefetch of what is there");
	before = waits();
	is(access_own(&p, IBV_WR_RDMA_READ, PAGE), IBV_WC_SUCCESS, "READ of a page that was there");
	ok(waits() == before, "a READ of a page that was there does not wait");
	is(access_own(&p, IBV_WR_RDMA_READ, ROOM), IBV_WC_SUCCESS, "READ of pages that were not");
	ok(waits() > before, "a READ of pages that were not there waits");

	ok(advise(&p, IBV_ADVISE_MR_ADVICE_PREFETCH, p.own, ROOM, p.own_mr->lkey ^ 0x100) ==
	   EFAULT, "prefetch by no key");
	ok(advise(&p, IBV_ADVISE_MR_ADVICE_PREFETCH, p.own + 1, ROOM, p.own_mr->lkey) == EFAULT,
	   "prefetch of more than the region");
	ok(advise(&p, 99, p.own, ROOM, p.own_mr->lkey) == EOPNOTSUPP, "an unknown advice");
	mr = device_reg(&owner_dev, p.own, ROOM, IBV_ACCESS_ON_DEMAND);
	ok(advise(&p, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, p.own, ROOM, mr->lkey) == EPERM,
	   "prefetch for writing where the region is for reading");
	ibv_dereg_mr(mr);
	mr = device_reg(&owner_dev, p.own, ROOM, IBV_ACCESS_LOCAL_WRITE);
	ok(advise(&p, IBV_ADVISE_MR_ADVICE_PREFETCH, p.own, ROOM, mr->lkey) == EFAULT,
	   "prefetch of pinned memory");
	ibv_dereg_mr(mr);
	munmap(p.own + PAGE, PAGE);
	ok(advise(&p, IBV_ADVISE_MR_ADVICE_PREFETCH, p.own, ROOM, p.own_mr->lkey) == EFAULT,
	   "prefetch of unmapped memory");
	pair_close(&p);
}

/* One region for the whole address space, with memory that comes later */
static void implicit(void)
{
	struct ibv_mr *all = device_reg(&owner_dev, NULL, SIZE_MAX, RIGHTS | IBV_ACCESS_ON_DEMAND);
	struct pair p;
	char *later;

	pair_open(&p, RW, ANONYMOUS, -1);
	later = map(RW, ANONYMOUS, -1);
	memset(p.other, 'i', ROOM);
	post(&p.peer, IBV_WR_RDMA_WRITE, p.other, p.other_mr->lkey, later, all->rkey, ROOM);
	is(result(&p.peer), IBV_WC_SUCCESS, "WRITE to the whole address space");
	ok(filled(later, 'i', ROOM), "bytes of that WRITE");
	memset(p.other, 0, ROOM);
	post(&p.owner, IBV_WR_RDMA_WRITE, later, all->lkey, p.other, p.other_mr->rkey, ROOM);
	is(result(&p.owner), IBV_WC_SUCCESS, "WRITE from the whole address space");
	ok(filled(p.other, 'i', ROOM), "bytes of that WRITE");
	munmap(later, ROOM);
	post(&p.peer, IBV_WR_RDMA_READ, p.other, p.other_mr->lkey, later, all->rkey, ROOM);
	is(result(&p.peer), IBV_WC_REM_ACCESS_ERR, "READ of what was unmapped");
	pair_close(&p);

	/* an address of the kernel */
	pair_open(&p, RW, ANONYMOUS, -1);
	post(&p.peer, IBV_WR_RDMA_READ, p.other, p.other_mr->lkey, (void *)~0xffffffUL, all->rkey,
	     8);
	is(result(&p.peer), IBV_WC_REM_ACCESS_ERR, "READ of the kernel's memory");
	pair_close(&p);
	if (ibv_dereg_mr(all))
		die("ibv_dereg_mr");
}

#define QKEY		0x11111111
#define DATAGRAMS	10
#define SLOT		(40 + PAGE / 2)

static struct ibv_qp *datagram_qp(const struct device *dev, struct ibv_cq *cq)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_UD, .send_cq = cq, .recv_cq = cq,
		.cap = { .max_send_wr = 16, .max_recv_wr = 16, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	struct ibv_qp *qp = ibv_create_qp(dev->pd, &init);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY };

	if (!qp || ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				 IBV_QP_QKEY))
		die("a UD QP");
	attr.qp_state = IBV_QPS_RTR;
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE))
		die("INIT to RTR");
	attr.qp_state = IBV_QPS_RTS;
	attr.sq_psn = 0;
	if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN))
		die("RTR to RTS");
	return qp;
}

static void send_datagram(const struct end *from, const struct end *to, struct ibv_ah *ah,
			  struct ibv_sge *sge)
{
	struct ibv_send_wr *bad, wr = {
		.opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED, .sg_list = sge,
		.num_sge = 1,
		.wr.ud = { .ah = ah, .remote_qpn = to->qp->qp_num, .remote_qkey = QKEY },
	};

	if (ibv_post_send(from->qp, &wr, &bad))
		die("ibv_post_send");
	end_expect(from, 50);
}

/* A UD QP of each device: the peer sends out of its memory, the owner receives into paged memory */
struct datagram_pair {
	struct end peer, owner;
	struct ibv_ah *ah;
	char *in, *out;
	struct ibv_mr *in_mr, *out_mr;
};

static void datagram_open(struct datagram_pair *p, int out_access)
{
	struct ibv_ah_attr to = {
		.is_global = 1, .port_num = 1,
		.grh = { .dgid = owner_dev.gid, .sgid_index = peer_dev.gid_index, .hop_limit = 4 },
	};

	p->peer.dev = &peer_dev;
	p->owner.dev = &owner_dev;
	p->ah = ibv_create_ah(peer_dev.pd, &to);
	p->peer.cq = ibv_create_cq(peer_dev.ctx, 64, NULL, NULL, 0);
	p->owner.cq = ibv_create_cq(owner_dev.ctx, 64, NULL, NULL, 0);
	if (!p->ah || !p->peer.cq || !p->owner.cq)
		die("a CQ or an AH");
	p->peer.qp = datagram_qp(&peer_dev, p->peer.cq);
	p->owner.qp = datagram_qp(&owner_dev, p->owner.cq);
	p->in = map(RW, ANONYMOUS, -1);
	p->out = map(RW, ANONYMOUS, -1);
	p->in_mr = device_reg(&owner_dev, p->in, ROOM, RIGHTS | IBV_ACCESS_ON_DEMAND);
	p->out_mr = device_reg(&peer_dev, p->out, ROOM, out_access);
}

static void datagram_close(struct datagram_pair *p)
{
	ibv_destroy_ah(p->ah);
	end_destroy(&p->peer);
	end_destroy(&p->owner);
	ibv_dereg_mr(p->in_mr);
	ibv_dereg_mr(p->out_mr);
	munmap(p->in, ROOM);
	munmap(p->out, ROOM);
}

static void post_slot(const struct end *owner, struct ibv_mr *mr, void *at, uint32_t len, int id)
{
	struct ibv_sge sge = { .addr = (uintptr_t)at, .length = len, .lkey = mr->lkey };
	struct ibv_recv_wr *bad, wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1 };

	if (ibv_post_recv(owner->qp, &wr, &bad))
		die("ibv_post_recv");
}

/* Datagrams wait for pages; the buffers that they arrive in may be in another order. */
static void datagrams(void)
{
	struct datagram_pair p;
	unsigned int sum = 0;

	datagram_open(&p, RIGHTS | IBV_ACCESS_ON_DEMAND);
	for (int i = 0; i < DATAGRAMS; i++)
		post_slot(&p.owner, p.in_mr, p.in + i * SLOT, SLOT, i);
	for (int i = 0; i < DATAGRAMS; i++) {
		struct ibv_sge sge = { .addr = (uintptr_t)p.out + i * PAGE, .length = PAGE / 2,
				       .lkey = p.out_mr->lkey };

		/* the first ones are all zeros, out of pages that were never touched */
		if (i > 2)
			memset(p.out + i * PAGE, i, PAGE / 2);
		send_datagram(&p.peer, &p.owner, p.ah, &sge);
	}
	for (int i = 0; i < DATAGRAMS; i++) {
		struct ibv_wc wc;
		const char *payload;

		end_wait(&p.owner, &wc, 50);
		payload = p.in + wc.wr_id * SLOT + 40;
		is(wc.status, IBV_WC_SUCCESS, "receipt of a datagram");
		ok(wc.byte_len == SLOT && filled(payload, payload[0], PAGE / 2),
		   "bytes of a datagram");
		sum += payload[0];
	}
	ok(sum == 3 + 4 + 5 + 6 + 7 + 8 + 9, "each datagram arrives once");
	datagram_close(&p);
}

/* The last 40 bytes of a buffer are in a page that the process does not have. */
static void datagram_into_a_hole(void)
{
	struct datagram_pair p;
	struct ibv_sge sge = { .length = PAGE };
	struct ibv_wc wc;

	datagram_open(&p, RIGHTS);
	sge.addr = (uintptr_t)p.out;
	sge.lkey = p.out_mr->lkey;
	munmap(p.in + PAGE, PAGE);
	post_slot(&p.owner, p.in_mr, p.in, 40 + PAGE, 0);
	send_datagram(&p.peer, &p.owner, p.ah, &sge);
	end_wait(&p.owner, &wc, 50);
	is(wc.status, IBV_WC_LOC_PROT_ERR, "receipt of a datagram into a hole");
	datagram_close(&p);
}

static void refusals(void)
{
	char *memory = map(RW, ANONYMOUS, -1);
	struct ibv_mr *mr;

	mr = ibv_reg_mr(owner_dev.pd, memory, ROOM, RIGHTS | IBV_ACCESS_ON_DEMAND |
			IBV_ACCESS_MW_BIND);
	ok(!mr && errno == EOPNOTSUPP, "a region for windows");
	mr = device_reg(&owner_dev, memory, ROOM, RIGHTS | IBV_ACCESS_ON_DEMAND);
	ok(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, 0) && errno == EOPNOTSUPP,
	   "re-registration");
	ibv_dereg_mr(mr);
	mr = device_reg(&owner_dev, memory, ROOM, RIGHTS);
	ok(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			RIGHTS | IBV_ACCESS_ON_DEMAND) && errno == EOPNOTSUPP,
	   "re-registration of pinned memory");
	ibv_dereg_mr(mr);
	munmap(memory, ROOM);
}

static void capabilities(void)
{
	struct ibv_device_attr_ex attr;
	const struct ibv_odp_caps *caps = &attr.odp_caps;

	if (ibv_query_device_ex(owner_dev.ctx, NULL, &attr))
		die("ibv_query_device_ex");
	ok(caps->general_caps == (IBV_ODP_SUPPORT | IBV_ODP_SUPPORT_IMPLICIT), "general caps");
	ok(caps->per_transport_caps.rc_odp_caps ==
	   (IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV | IBV_ODP_SUPPORT_WRITE |
	    IBV_ODP_SUPPORT_READ | IBV_ODP_SUPPORT_ATOMIC | IBV_ODP_SUPPORT_SRQ_RECV), "RC caps");
	ok(caps->per_transport_caps.uc_odp_caps == IBV_ODP_SUPPORT_SEND, "UC caps");
	ok(caps->per_transport_caps.ud_odp_caps ==
	   (IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV | IBV_ODP_SUPPORT_SRQ_RECV), "UD caps");
}

/* ---- Races ---- */

#define RACE_PAGES	8
#define RACE_ROOM	(RACE_PAGES * PAGE)
#define WORDS		(RACE_ROOM / 8)
#define CANARY		0xc5c5c5c5c5c5c5c5ULL
#define CONTENT		0x1111111111111111ULL
#define WATCH		2000		/* ns to look at what was taken out */
#define TURNS		1000		/* of the processor that are given away before a sleep */

static struct race {
	const char *name;
	enum ibv_wr_opcode opcode;
	bool own;		/* the owner's requests */
	bool written;		/* the region is, not the peer's memory */
	uint32_t length;
} races[] = {
	{ "WRITE", IBV_WR_RDMA_WRITE, false, true, RACE_ROOM },
	{ "READ", IBV_WR_RDMA_READ, false, false, RACE_ROOM },
	{ "FETCH_ADD", IBV_WR_ATOMIC_FETCH_AND_ADD, false, true, 8 },
	{ "WRITE from it", IBV_WR_RDMA_WRITE, true, false, RACE_ROOM },
	{ "READ into it", IBV_WR_RDMA_READ, true, true, RACE_ROOM },
};

/* Two pieces of memory are behind the region by turns: @fd, which we see at @alias */
struct run {
	const struct race *race;
	struct pair pair;
	int fd[2];
	uint64_t *alias[2];
	atomic_bool stop, ended;
	unsigned long messages, exchanges, stray, leaked;
};

/* Access the region without a pause. */
static void *accesses(void *arg)
{
	struct run *r = arg;
	struct pair *p = &r->pair;
	uint64_t *other = (uint64_t *)p->other;

	while (!atomic_load(&r->stop)) {
		enum ibv_wc_status status = r->race->own ?
			access_other(p, r->race->opcode, r->race->length) :
			access_own(p, r->race->opcode, r->race->length);

		if (status) {
			is(status, IBV_WC_SUCCESS, r->race->name);
			break;
		}
		r->messages++;
		for (size_t i = 0; i < r->race->length / 8; i++)
			r->leaked += other[i] == CANARY;
	}
	atomic_store(&r->ended, true);
	return NULL;
}

static void fill(uint64_t *words, uint64_t with)
{
	for (size_t i = 0; i < WORDS; i++)
		words[i] = with;
}

/* Take the memory out that is behind the region, which gets the other piece, full of @content. */
static void exchange(struct run *r, uint64_t content)
{
	unsigned int in = ++r->exchanges & 1;
	uint64_t *out = r->alias[!in];

	fill(r->alias[in], content);
	if (mmap(r->pair.own, RACE_ROOM, RW, MAP_SHARED | MAP_FIXED, r->fd[in], 0) == MAP_FAILED)
		die("mmap");
	fill(out, CANARY);
	for (uint64_t end = now_ns() + WATCH; now_ns() < end;)
		;
	for (size_t w = 0; w < WORDS; w++)
		r->stray += out[w] != CANARY;
}

/* Wait until an access has come as far as that word of the memory that the region has now. */
static void await_word(struct run *r, size_t w, uint64_t content)
{
	volatile uint64_t *to = r->race->written ? r->alias[r->exchanges & 1] :
						   (uint64_t *)r->pair.other;

	unsigned int turns = 0;

	while ((to[w] == content) == r->race->written && !atomic_load(&r->ended)) {
		if (++turns < TURNS)
			sched_yield();
		else
			usleep(10);
	}
}

/*
 * Exchange the memory @times in the middle of an access: after any of its words. Now and then do
 * so without waiting, when pages are just being had.
 */
static void exchanges(struct run *r, unsigned long times)
{
	const size_t words = r->race->length / 8;
	uint64_t content = CONTENT;

	while (times && !atomic_load(&r->ended)) {
		size_t w = random() % (words + (words + 3) / 4);

		exchange(r, ++content);
		if (w >= words)
			continue;
		await_word(r, w, content);
		times--;
	}
}

static void run_race(const struct race *race, unsigned long times)
{
	struct run r = { .race = race };
	pthread_t thread;

	for (int i = 0; i < 2; i++) {
		r.fd[i] = memfd_create("paging", 0);
		if (r.fd[i] < 0 || ftruncate(r.fd[i], ROOM))
			die("memfd_create");
		r.alias[i] = (uint64_t *)map(RW, MAP_SHARED, r.fd[i]);
	}
	pair_open(&r.pair, RW, MAP_SHARED, r.fd[0]);
	if (pthread_create(&thread, NULL, accesses, &r))
		die("pthread_create");
	exchanges(&r, times);
	atomic_store(&r.stop, true);
	pthread_join(thread, NULL);
	printf("%s: %lu exchanges, %lu in the middle, %lu messages, %lu stray words, %lu leaked words\n",
	       race->name, r.exchanges, times, r.messages, r.stray, r.leaked);
	ok(!r.stray && !r.leaked && r.messages, race->name);
	pair_close(&r.pair);
	for (int i = 0; i < 2; i++) {
		munmap(r.alias[i], ROOM);
		close(r.fd[i]);
	}
}

int main(int argc, char **argv)
{
	static void (*const cases[])(void) = {
		capabilities, refusals, cold, cold_local, dropped_pages, forked, unmapped,
		read_only, files, secret, moved, prefetched, implicit, datagrams,
		datagram_into_a_hole,
	};

	if (argc < 3 || argc > 4) {
		fprintf(stderr, "usage: srnic-paging PEER_DEV OWNER_DEV [INVALIDATIONS]\n");
		return 2;
	}
	device_open(&peer_dev, argv[1]);
	device_open(&owner_dev, argv[2]);
	setbuf(stdout, NULL);
	if (argc == 4) {
		for (size_t i = 0; i < sizeof(races) / sizeof(races[0]); i++)
			run_race(&races[i], strtoul(argv[3], NULL, 0));
	} else {
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
			cases[i]();
		printf("srnic-paging: %d failed\n", failed);
	}
	return !!failed;
}
