/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A kernel that is not one: it answers the commands that the provider gives
 * through libibverbs, lends it rings out of a memfd, and sees its doorbells.
 * What it does to the rings follows Documentation/abi.md and is written
 * independently of ring.h.
 */
#ifndef SRNIC_FAKE_H
#define SRNIC_FAKE_H

#include <semaphore.h>

#include "../provider/srnic.h"
#include "../provider/wqe.h"

/* The kernel's end of a ring. */
struct fake_ring {
	struct srnic_ring_hdr *hdr;
	char *slots;
	struct srnic_abi_ring abi;
	uint32_t head;		/* next to take, or next to fill */
	bool timed;		/* of a CQ: completions are stamped */
};

enum { FAKE_SQ, FAKE_RQ, FAKE_RINGS };

struct fake_object {
	struct fake_ring ring[FAKE_RINGS];
};

struct fake {
	struct srnic_context ctx;
	struct ibv_device dev;
	int fd;
	uint64_t end;			/* of the memfd's rings */
	uint32_t start;			/* index at which new rings begin */
	int fail;			/* errno for the next command */
	bool bad_ring;			/* describe rings that make no sense */
	int doorbell_errno;		/* for every doorbell, once set */
	_Atomic unsigned int doorbells;	/* of SQs */
	unsigned int recv_doorbells;	/* of RQs */
	sem_t doorbell;
	struct fake_object object[64];	/* by handle */
	unsigned int objects;
	struct {
		uint64_t offset;
		struct srnic_ring_hdr *hdr;
	} ring[256];			/* all that were ever made */
	unsigned int rings;
};

extern struct fake fake;

/* How the provider's system calls arrive: see --wrap in tests.mk. */
ssize_t __real_write(int fd, const void *buf, size_t len);
ssize_t __wrap_write(int fd, const void *buf, size_t len);
void *__real_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *addr, size_t len, int prot, int flags, int fd, off_t offset);
int __real_munmap(void *addr, size_t len);
int __wrap_munmap(void *addr, size_t len);

void fake_begin(void);		/* each case starts with it ... */
void fake_end(void);		/* ... and ends with it */

struct fake_ring *fake_sq(struct ibv_qp *qp);
struct fake_ring *fake_rq(struct ibv_qp *qp);
struct fake_ring *fake_srq(struct ibv_srq *srq);
struct fake_ring *fake_cq(struct ibv_cq *cq);

/* A ring without an object, for tests of ring.h alone. */
void fake_ring_make(struct fake_ring *ring, uint32_t entries, uint32_t stride, uint32_t limit);
void fake_ring_drop(struct fake_ring *ring);

/* consumer's end: the entry at head, or NULL; advance; tell user space */
void *fake_peek(struct fake_ring *ring);
void fake_take(struct fake_ring *ring);
void fake_retire(struct fake_ring *ring);
/* producer's end: a CQE goes in; whether an event is due */
bool fake_complete(struct fake_ring *ring, const struct srnic_cqe *cqe, bool solicited);

static inline void *fake_slot(struct fake_ring *ring, uint32_t index)
{
	return ring->slots + (size_t)(index & (ring->abi.entries - 1)) * ring->abi.stride;
}

/* Objects of a common size. */
struct ibv_qp *fake_create_qp(enum ibv_qp_type type, uint32_t max_wr, uint64_t send_ops);

#endif /* SRNIC_FAKE_H */
