// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * srnic-dmabuf - memory of another driver, registered by ibv_reg_dmabuf_mr(3).
 *
 *	srnic-dmabuf PEER_DEV OWNER_DEV [ROUNDS]
 *	srnic-dmabuf PEER_DEV OWNER_DEV limited
 *
 * A process is connected with itself by two devices. The owner registers a part of a dma-buf, which
 * udmabuf makes of a memfd; a peer accesses it, with memory of its own. All of the buffer is
 * compared after each request. With ROUNDS, it instead deregisters such a region so often while the
 * peer writes to it: not one byte may change afterwards. With "limited", the device allows as many
 * pinned pages as the buffer has: one region of it is possible, however short, and not two.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "connection.h"
#include "statements.h"

#define PAGE		4096UL
#define ROOM		(10 * PAGE)		/* the buffer */
#define FIRST		(2 * PAGE + 1000)	/* the region: not from a page's start to its end */
#define LENGTH		(3 * PAGE + 504)
#define IOVA		(0x7000000000UL + FIRST % PAGE)
#define RIGHTS		(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)
#define ARRAY_LEN(a)	(sizeof(a) / sizeof((a)[0]))

static struct device peer_dev, owner_dev;

/* A dma-buf, and its bytes */
struct buffer {
	int fd;
	char *bytes;
};

/* A connection; the owner registers a buffer, the peer has memory of its own. */
struct pair {
	struct end peer, owner;
	struct buffer buffer;
	struct ibv_mr *mr, *other_mr;
	uint32_t key;		/* of the buffer's region, also after it has gone */
	char *other;
};

static struct buffer buffer_open(void)
{
	struct udmabuf_create create = { .flags = UDMABUF_FLAGS_CLOEXEC, .size = ROOM };
	int dev = open("/dev/udmabuf", O_RDWR);
	struct buffer buffer;

	if (dev < 0)
		die("/dev/udmabuf");
	create.memfd = memfd_create("dmabuf", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	if (ftruncate(create.memfd, ROOM) || fcntl(create.memfd, F_ADD_SEALS, F_SEAL_SHRINK))
		die("memfd_create");
	buffer.fd = ioctl(dev, UDMABUF_CREATE, &create);
	if (buffer.fd < 0)
		die("UDMABUF_CREATE");
	buffer.bytes = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, create.memfd, 0);
	if (buffer.bytes == MAP_FAILED)
		die("mmap");
	close(create.memfd);
	close(dev);
	return buffer;
}

static void buffer_close(struct buffer *buffer)
{
	munmap(buffer->bytes, ROOM);
	close(buffer->fd);
}

static struct ibv_mr *reg(const struct buffer *buffer, int access)
{
	return ibv_reg_dmabuf_mr(owner_dev.pd, FIRST, LENGTH, IOVA, buffer->fd, access);
}

static void pair_open(struct pair *p, int access)
{
	end_create(&p->peer, &peer_dev);
	end_create(&p->owner, &owner_dev);
	end_connect(&p->peer, &p->owner);
	end_connect(&p->owner, &p->peer);
	p->buffer = buffer_open();
	p->mr = reg(&p->buffer, access);
	if (!p->mr)
		die("ibv_reg_dmabuf_mr");
	p->key = p->mr->rkey;	/* the L_Key, too */
	p->other = calloc(1, ROOM);
	p->other_mr = device_reg(&peer_dev, p->other, ROOM, RIGHTS);
}

static void pair_close(struct pair *p)
{
	end_destroy(&p->peer);
	end_destroy(&p->owner);
	if ((p->mr && ibv_dereg_mr(p->mr)) || ibv_dereg_mr(p->other_mr))
		die("ibv_dereg_mr");
	buffer_close(&p->buffer);
	free(p->other);
}

/* A request, of the peer or of the owner; the peer's memory is used from its start. */
struct request {
	enum ibv_wr_opcode opcode;
	uint64_t at;		/* offset in the region */
	uint32_t length;
	bool own;		/* the owner's request */
};

static void fill_in_target(struct ibv_send_wr *wr, uint64_t addr, uint32_t rkey)
{
	if (wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD || wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP) {
		wr->wr.atomic.remote_addr = addr;
		wr->wr.atomic.rkey = rkey;
		wr->wr.atomic.compare_add = 0x0102030405060708;
		wr->wr.atomic.swap = 0x1112131415161718;
	} else {
		wr->wr.rdma.remote_addr = addr;
		wr->wr.rdma.rkey = rkey;
	}
}

static void post(struct pair *p, const struct request *r)
{
	const uint64_t addr = IOVA + r->at, other = (uintptr_t)p->other;
	struct ibv_sge sge = {
		.addr = r->own ? addr : other,
		.length = r->length,
		.lkey = r->own ? p->key : p->other_mr->lkey,
	};
	struct ibv_send_wr *bad, wr = {
		.opcode = r->opcode, .send_flags = IBV_SEND_SIGNALED, .sg_list = &sge, .num_sge = 1,
	};

	fill_in_target(&wr, r->own ? other : addr, r->own ? p->other_mr->rkey : p->key);
	if (ibv_post_send(r->own ? p->owner.qp : p->peer.qp, &wr, &bad))
		die("ibv_post_send");
}

static enum ibv_wc_status result(const struct end *end)
{
	struct ibv_wc wc;

	end_wait(end, &wc, 50);
	return wc.status;
}

static enum ibv_wc_status run(struct pair *p, const struct request *r)
{
	post(p, r);
	return result(r->own ? &p->owner : &p->peer);
}

static void fill(char *memory, size_t length, unsigned int seed)
{
	for (size_t i = 0; i < length; i++)
		memory[i] = i * 13 + (i >> 8) + seed;
}

/* Whether the buffer is as fill() has left it, but for @length bytes of the region at @at */
static bool placed(const struct pair *p, unsigned int seed, uint64_t at, const void *data,
		   size_t length)
{
	char *want = malloc(ROOM);
	bool same;

	fill(want, ROOM, seed);
	memcpy(want + FIRST + at, data, length);
	same = !memcmp(p->buffer.bytes, want, ROOM);
	free(want);
	return same;
}

/* ---- Cases ---- */

/* Each operation changes the bytes that it names, at either end of the region, and no other. */
static void transfers(void)
{
	static const struct { uint64_t at; uint32_t length; } parts[] = {
		{ 0, LENGTH }, { 0, 1 }, { LENGTH - 1, 1 }, { 3, 5000 }, { LENGTH - 4100, 4100 },
	};
	struct pair p;

	pair_open(&p, RIGHTS);
	for (size_t i = 0; i < 2 * ARRAY_LEN(parts); i++) {
		const uint64_t at = parts[i / 2].at;
		const uint32_t length = parts[i / 2].length;
		const bool own = i % 2;
		struct request request = { .at = at, .length = length, .own = own };

		/* into the buffer ... */
		fill(p.buffer.bytes, ROOM, i);
		fill(p.other, ROOM, i + 99);
		request.opcode = own ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE;
		is(run(&p, &request), IBV_WC_SUCCESS, "into the buffer");
		ok(placed(&p, i, at, p.other, length), "bytes of the buffer");
		/* ... and out of it */
		memset(p.other, 0, ROOM);
		request.opcode = own ? IBV_WR_RDMA_WRITE : IBV_WR_RDMA_READ;
		is(run(&p, &request), IBV_WC_SUCCESS, "out of the buffer");
		ok(!memcmp(p.other, p.buffer.bytes + FIRST + at, length) && !p.other[length],
		   "bytes out of the buffer");
	}
	pair_close(&p);
}

static void atomics(void)
{
	const uint64_t before = 0x0102030405060708, swapped = 0x1112131415161718;
	const uint64_t sum = swapped + before;
	const uint64_t at = LENGTH - 8;
	struct pair p;

	pair_open(&p, RIGHTS);
	fill(p.buffer.bytes, ROOM, 5);
	memcpy(p.buffer.bytes + FIRST + at, &before, 8);
	is(run(&p, &(struct request){ IBV_WR_ATOMIC_CMP_AND_SWP, at, 8, false }), IBV_WC_SUCCESS,
	   "compare and swap");
	ok(placed(&p, 5, at, &swapped, 8) && !memcmp(p.other, &before, 8), "a word is swapped");
	is(run(&p, &(struct request){ IBV_WR_ATOMIC_FETCH_AND_ADD, at, 8, false }), IBV_WC_SUCCESS,
	   "fetch and add");
	ok(placed(&p, 5, at, &sum, 8) && !memcmp(p.other, &swapped, 8), "a word is added to");
	pair_close(&p);
}

static void sends(void)
{
	struct ibv_recv_wr *bad, wr = { .num_sge = 1 };
	struct ibv_sge sge;
	struct pair p;

	pair_open(&p, RIGHTS);
	fill(p.buffer.bytes, ROOM, 6);
	fill(p.other, ROOM, 7);
	sge = (struct ibv_sge){ .addr = IOVA + 1, .length = LENGTH - 1, .lkey = p.mr->lkey };
	wr.sg_list = &sge;
	if (ibv_post_recv(p.owner.qp, &wr, &bad))
		die("ibv_post_recv");
	is(run(&p, &(struct request){ IBV_WR_SEND, 0, LENGTH - 1, false }), IBV_WC_SUCCESS, "SEND");
	is(result(&p.owner), IBV_WC_SUCCESS, "receipt");
	ok(placed(&p, 6, 1, p.other, LENGTH - 1), "a message is received in the buffer");
	pair_close(&p);
}

/* Bytes at both ends, and rights: nothing is read or changed. */
static void refused_requests(void)
{
	static const struct {
		int access;
		struct request request;
		enum ibv_wc_status want;
		const char *what;
	} cases[] = {
		{ RIGHTS, { IBV_WR_RDMA_WRITE, -1, 1, false }, IBV_WC_REM_ACCESS_ERR,
		  "WRITE before the region" },
		{ RIGHTS, { IBV_WR_RDMA_WRITE, LENGTH - 1, 2, false }, IBV_WC_REM_ACCESS_ERR,
		  "WRITE behind the region" },
		{ RIGHTS, { IBV_WR_RDMA_READ, LENGTH, 1, false }, IBV_WC_REM_ACCESS_ERR,
		  "READ behind the region" },
		{ RIGHTS, { IBV_WR_ATOMIC_FETCH_AND_ADD, LENGTH, 8, false }, IBV_WC_REM_ACCESS_ERR,
		  "atomic behind the region" },
		{ RIGHTS, { IBV_WR_RDMA_WRITE, LENGTH - 1, 2, true }, IBV_WC_LOC_PROT_ERR,
		  "own WRITE from behind the region" },
		{ RIGHTS & ~IBV_ACCESS_REMOTE_WRITE, { IBV_WR_RDMA_WRITE, 0, 8, false },
		  IBV_WC_REM_ACCESS_ERR, "WRITE without the right" },
		{ RIGHTS & ~IBV_ACCESS_REMOTE_READ, { IBV_WR_RDMA_READ, 0, 8, false },
		  IBV_WC_REM_ACCESS_ERR, "READ without the right" },
		{ RIGHTS & ~IBV_ACCESS_REMOTE_ATOMIC, { IBV_WR_ATOMIC_FETCH_AND_ADD, 0, 8, false },
		  IBV_WC_REM_ACCESS_ERR, "atomic without the right" },
		{ IBV_ACCESS_REMOTE_READ, { IBV_WR_RDMA_READ, 0, 8, true }, IBV_WC_LOC_PROT_ERR,
		  "own READ into a region that is for reading" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct pair p;

		pair_open(&p, cases[i].access);
		fill(p.buffer.bytes, ROOM, i);
		is(run(&p, &cases[i].request), cases[i].want, cases[i].what);
		ok(placed(&p, i, 0, p.buffer.bytes + FIRST, 0) && !p.other[0], cases[i].what);
		pair_close(&p);
	}
}

/* ibv_reg_dmabuf_mr(3) */
static void refused_registrations(void)
{
	const struct buffer buffer = buffer_open();
	const int memfd = memfd_create("no dma-buf", 0);
	const struct {
		uint64_t offset, length, iova;
		int fd, access, err;
	} cases[] = {
		{ 0, PAGE, 0, -1, RIGHTS, EBADF },
		{ 0, PAGE, 0, memfd, RIGHTS, EINVAL },
		{ 0, 0, 0, buffer.fd, RIGHTS, EINVAL },
		{ 0, ROOM + 1, 0, buffer.fd, RIGHTS, EINVAL },
		{ ROOM - 1, 2, PAGE - 1, buffer.fd, RIGHTS, EINVAL },
		{ ROOM, 1, 0, buffer.fd, RIGHTS, EINVAL },
		{ -PAGE, 2 * PAGE, 0, buffer.fd, RIGHTS, EINVAL },
		{ PAGE, PAGE, 8, buffer.fd, RIGHTS, EINVAL },
		{ 0, 2 * PAGE, -PAGE, buffer.fd, RIGHTS, EINVAL },
		{ 0, PAGE, 0, buffer.fd, IBV_ACCESS_REMOTE_WRITE, EINVAL },
		{ 0, PAGE, 0, buffer.fd, RIGHTS | IBV_ACCESS_MW_BIND, EINVAL },
		{ 0, PAGE, 0, buffer.fd, RIGHTS | IBV_ACCESS_ON_DEMAND, EINVAL },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		errno = 0;
		if (!ibv_reg_dmabuf_mr(owner_dev.pd, cases[i].offset, cases[i].length,
				       cases[i].iova, cases[i].fd, cases[i].access) &&
		    errno == cases[i].err)
			continue;
		printf("not ok: registration %zu: %s\n", i, strerror(errno));
		failed++;
	}
	close(memfd);
	close(buffer.fd);
	munmap(buffer.bytes, ROOM);
}

/* The region keeps the buffer: its file may be closed and its mapping may go. */
static void closed(void)
{
	const struct request read = { IBV_WR_RDMA_READ, 0, LENGTH, false };
	struct pair p;

	pair_open(&p, RIGHTS);
	fill(p.buffer.bytes, ROOM, 8);
	buffer_close(&p.buffer);
	is(run(&p, &read), IBV_WC_SUCCESS, "READ of a buffer that was closed");
	p.buffer.bytes = malloc(ROOM);
	fill(p.buffer.bytes, ROOM, 8);
	ok(!memcmp(p.other, p.buffer.bytes + FIRST, LENGTH), "bytes of a buffer that was closed");
	free(p.buffer.bytes);
	p.buffer = buffer_open();
	pair_close(&p);
}

/* Return a dma-buf of the kernel's heap, or -1 if there is no heap. */
static int heap_alloc(int flags)
{
	struct dma_heap_allocation_data data = { .len = ROOM, .fd_flags = flags };
	int heap = open("/dev/dma_heap/system", O_RDONLY | O_CLOEXEC);

	if (heap < 0)
		return -1;
	if (ioctl(heap, DMA_HEAP_IOCTL_ALLOC, &data))
		die("DMA_HEAP_IOCTL_ALLOC");
	close(heap);
	return data.fd;
}

/* A file that was opened for reading gives no right to write. */
static void read_only(void)
{
	struct ibv_mr *mr;
	int fd = heap_alloc(O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		printf("no /dev/dma_heap/system\n");
		return;
	}
	errno = 0;
	ok(!ibv_reg_dmabuf_mr(owner_dev.pd, 0, PAGE, 0, fd, RIGHTS) && errno == EACCES,
	   "a file for reading is not registered for writing");
	mr = ibv_reg_dmabuf_mr(owner_dev.pd, 0, PAGE, 0, fd, IBV_ACCESS_REMOTE_READ);
	ok(mr, "a file for reading is registered for reading");
	if (mr && ibv_dereg_mr(mr))
		die("ibv_dereg_mr");
	close(fd);
}

/* It cannot get other bytes, rights or another domain. */
static void reregistered(void)
{
	struct pair p;

	pair_open(&p, RIGHTS);
	ok(ibv_rereg_mr(p.mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, IBV_ACCESS_REMOTE_READ),
	   "a region of a dma-buf is not reregistered");
	is(run(&p, &(struct request){ IBV_WR_RDMA_WRITE, 0, 8, false }), IBV_WC_SUCCESS,
	   "the region is as before");
	pair_close(&p);
}

/* ---- Deregistration while the peer writes ---- */

struct writer {
	struct pair *p;
	atomic_uint done;
	enum ibv_wc_status last;
};

/* Write until a request fails. */
static void *write_on(void *arg)
{
	const struct request write = { IBV_WR_RDMA_WRITE, 0, LENGTH, false };
	struct writer *w = arg;

	do {
		w->last = run(w->p, &write);
		atomic_fetch_add(&w->done, 1);
	} while (!w->last);
	return NULL;
}

static void deregister(void)
{
	struct writer w = {};
	pthread_t thread;
	struct pair p;

	pair_open(&p, RIGHTS);
	memset(p.other, 'w', ROOM);
	w.p = &p;
	if (pthread_create(&thread, NULL, write_on, &w))
		die("pthread_create");
	while (!atomic_load(&w.done))
		usleep(100);
	if (ibv_dereg_mr(p.mr))
		die("ibv_dereg_mr");
	p.mr = NULL;
	fill(p.buffer.bytes, ROOM, 3);
	pthread_join(thread, NULL);
	is(w.last, IBV_WC_REM_ACCESS_ERR, "WRITE to a region that has gone");
	ok(placed(&p, 3, 0, p.buffer.bytes + FIRST, 0), "bytes of a region that has gone");
	pair_close(&p);
}

/* All of the buffer counts, also for a region of one byte, until it is deregistered. */
static void limited(void)
{
	const struct buffer buffer = buffer_open();
	struct ibv_mr *mr;

	for (int i = 0; i < 3; i++) {
		mr = ibv_reg_dmabuf_mr(owner_dev.pd, 0, 1, 0, buffer.fd, RIGHTS);
		if (!mr)
			die("the first region");
		errno = 0;
		ok(!ibv_reg_dmabuf_mr(owner_dev.pd, 0, 1, 0, buffer.fd, RIGHTS) && errno == ENOMEM,
		   "the limit is kept");
		if (ibv_dereg_mr(mr))
			die("ibv_dereg_mr");
	}
}

int main(int argc, char **argv)
{
	static void (*const cases[])(void) = {
		transfers, atomics, sends, refused_requests, refused_registrations, closed,
		read_only, reregistered,
	};

	if (argc < 3 || argc > 4) {
		fprintf(stderr, "usage: %s PEER_DEV OWNER_DEV [ROUNDS | limited]\n", argv[0]);
		return 2;
	}
	device_open(&peer_dev, argv[1]);
	device_open(&owner_dev, argv[2]);
	if (argc == 4 && !strcmp(argv[3], "limited"))
		limited();
	else if (argc == 4)
		for (int i = atoi(argv[3]); i > 0 && !failed; i--)
			deregister();
	else
		for (size_t i = 0; i < ARRAY_LEN(cases); i++)
			cases[i]();
	if (!failed)
		printf("all ok\n");
	return failed != 0;
}
