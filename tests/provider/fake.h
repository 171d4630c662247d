/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A fake kernel: it answers the provider's commands, which arrive through libibverbs,
 * provides rings from a memfd, and receives doorbells. Its use of the rings follows
 * Documentation/abi.md and is written independently of ring.h.
 */
#ifndef SRNIC_FAKE_H
#define SRNIC_FAKE_H

#include <semaphore.h>

#include <rdma/srnic-ioctl.h>

#include "../../userspace-provider/provider/srnic.h"
#include "../../userspace-provider/provider/wqe.h"

/* The kernel's end of a ring. */
struct fake_ring {
	struct srnic_ring_hdr *hdr;
	char *slots;
	struct srnic_abi_ring abi;
	uint32_t head;		/* next to consume, or next to fill */
	bool timed;		/* CQ: stamp completions */
};

enum { FAKE_SQ, FAKE_RQ, FAKE_RINGS };

struct fake_object {
	struct fake_ring ring[FAKE_RINGS];
	bool is_pd;
	struct srnic_ioctl_dm dm;
};

struct fake_dmabuf {
	uint64_t offset, length, iova;
	int fd, access;
};

struct fake {
	struct srnic_context ctx;
	struct verbs_device vdev;
	int fd;
	uint64_t end;			/* offset in the memfd behind all rings */
	uint32_t start;			/* first index of new rings */
	int fail;			/* errno for the next command */
	unsigned int commands;		/* number of commands */
	bool bad_ring;			/* describe rings inconsistently */
	int doorbell_errno;		/* errno of all doorbells; 0: they succeed */
	unsigned int retires;		/* entries that the next doorbell takes first */
	bool no_write;			/* refuse write(), as of other credentials */
	_Atomic unsigned int writes;	/* number of write() */
	_Atomic unsigned int doorbells;	/* number of SQ doorbells */
	unsigned int recv_doorbells;	/* number of RQ doorbells */
	struct ibv_wq_attr wq_attr;	/* of the last ibv_modify_wq() */
	struct srnic_create_qp_cmd rss;	/* of the last QP with an indirection table */
	sem_t doorbell;
	struct fake_object object[64];	/* indexed by handle */
	unsigned int objects;
	struct {
		uint64_t offset;
		struct srnic_ring_hdr *hdr;
	} ring[256];			/* all rings since the start */
	unsigned int rings;
	struct fake_dmabuf dmabuf;	/* that was registered last */
};

extern struct fake fake;

/* The provider's system calls, see --wrap in tests.mk. */
ssize_t __real_write(int fd, const void *buf, size_t len);
ssize_t __wrap_write(int fd, const void *buf, size_t len);
long __wrap_syscall(long number, ...);
void *__real_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *addr, size_t len, int prot, int flags, int fd, off_t offset);
int __real_munmap(void *addr, size_t len);
int __wrap_munmap(void *addr, size_t len);

void fake_begin(void);		/* call at the start of each case ... */
void fake_end(void);		/* ... and at its end */

/* The fake kernel's answers about its contexts and regions. */
#define FAKE_LIMITS	((struct srnic_alloc_ucontext_resp) { .max_sge = 7, .max_inline = 77 })
#define FAKE_LKEY	0x1234
#define FAKE_RKEY	0x1235

struct fake_ring *fake_sq(struct ibv_qp *qp);
struct fake_ring *fake_rq(struct ibv_qp *qp);
struct fake_ring *fake_srq(struct ibv_srq *srq);
struct fake_ring *fake_wq(struct ibv_wq *wq);
struct fake_ring *fake_cq(struct ibv_cq *cq);

/* Make a ring without an object, for tests of ring.h alone. */
void fake_ring_make(struct fake_ring *ring, uint32_t entries, uint32_t stride, uint32_t limit);
void fake_ring_drop(struct fake_ring *ring);

/* Consumer's end: return the entry at head, or NULL; advance head; publish it. */
void *fake_peek(struct fake_ring *ring);
void fake_take(struct fake_ring *ring);
void fake_retire(struct fake_ring *ring);
/* Take and retire the next send request that the kernel sees; without one, return one that fails
 * every comparison.
 */
struct srnic_sq_wqe *fake_seen(struct ibv_qp *qp);
/* Producer's end: write a CQE; return whether an event is due. */
bool fake_complete(struct fake_ring *ring, const struct srnic_cqe *cqe, bool solicited);

static inline void *fake_slot(struct fake_ring *ring, uint32_t index)
{
	return ring->slots + (size_t)(index & (ring->abi.entries - 1)) * ring->abi.stride;
}

/* Create objects of a common size. */
struct ibv_qp *fake_create_qp(enum ibv_qp_type type, uint32_t max_wr, uint64_t send_ops);

#endif /* SRNIC_FAKE_H */
