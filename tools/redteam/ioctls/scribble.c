// SPDX-License-Identifier: GPL-2.0
/*
 * Writes into rings: mostly valid work requests, so that queue pairs live long enough for
 * invalid ones; and noise. A ring stays mapped here while other threads resize or destroy
 * its object.
 */
#include <errno.h>
#include <pthread.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>
#include <sys/mman.h>

#include "ioctls.h"

#define RINGS	64

enum flow { SENDS, RECEIVES, COMPLETIONS };

/**
 * struct ring - A ring known to the process
 * @lock: protects all members; threads skip a ring that is locked
 * @file: the file of its object
 * @handle: handle of the queue pair or other object
 * @flow: direction
 * @type: of the queue pair
 * @abi: the kernel's description
 * @mem: mapping; NULL: not mapped
 */
struct ring {
	pthread_mutex_t lock;
	struct file *file;
	uint32_t handle;
	enum flow flow;
	uint8_t type;
	struct srnic_abi_ring abi;
	struct srnic_ring_hdr *mem;
};

static struct ring rings[RINGS];

static void ring_unmap(struct ring *ring)
{
	if (ring->mem)
		munmap(ring->mem, ring->abi.size);
	ring->mem = NULL;
}

/* A new process has no rings: its parent's mappings are not inherited (VM_DONTCOPY). */
void rings_forget(void)
{
	for (int i = 0; i < RINGS; i++) {
		ring_unmap(&rings[i]);
		rings[i] = (struct ring){ .lock = PTHREAD_MUTEX_INITIALIZER };
	}
}

/* Record a ring in a random slot, whose previous ring is unmapped and forgotten */
static void ring_remember(struct shot *shot, uint32_t handle, enum flow flow,
			  const struct srnic_abi_ring *abi)
{
	struct ring *ring = &rings[chance_below(&shot->caller->chance, RINGS)];

	if (!abi->size || pthread_mutex_trylock(&ring->lock))
		return;
	ring_unmap(ring);
	ring->file = shot->file;
	ring->handle = handle;
	ring->flow = flow;
	ring->type = shot->type;
	ring->abi = *abi;
	pthread_mutex_unlock(&ring->lock);
}

static void remember_qp(struct shot *shot, uint32_t handle,
			const struct srnic_create_qp_resp *answer)
{
	ring_remember(shot, handle, SENDS, &answer->sq);
	ring_remember(shot, handle, RECEIVES, &answer->rq);
}

/**
 * rings_note() - Record the rings made or moved by a call
 * @shot: a well-formed call that was granted
 * @handle: of its object
 */
void rings_note(struct shot *shot, uint32_t handle)
{
	const struct call *call = shot->call;
	const void *answer = (uint8_t *)shot->out + (call->way == METHOD ? 0 : call->out);
	size_t size = call->drv_out;

	if (!size)
		return;
	if (call->makes == QP)
		remember_qp(shot, handle, answer);
	else if (call->makes == CQ || size == sizeof(struct srnic_resize_cq_resp))
		ring_remember(shot, handle, COMPLETIONS, answer);
	else if (call->makes == SRQ || call->sense == sense_modify_srq)
		ring_remember(shot, handle, RECEIVES, answer);
}

static struct ring *ring_any(struct caller *caller, bool mapped)
{
	uint32_t from = chance_below(&caller->chance, RINGS);

	for (int i = 0; i < RINGS; i++) {
		struct ring *ring = &rings[(from + i) % RINGS];

		if (!ring->abi.size || pthread_mutex_trylock(&ring->lock))
			continue;
		if (!!ring->mem == mapped)
			return ring;
		pthread_mutex_unlock(&ring->lock);
	}
	return NULL;
}

/* Map a ring with a wrong offset, size or protection, which the kernel must refuse */
static int ring_map_oddly(struct caller *caller, const struct ring *ring)
{
	struct chance *chance = &caller->chance;
	const struct srnic_abi_ring *abi = &ring->abi;
	uint64_t offset = abi->offset, size = abi->size;
	int prot = PROT_READ | PROT_WRITE, flags = MAP_SHARED;
	void *mem;

	switch (chance_below(chance, 5)) {
	case 0:
		offset = (uint64_t)chance_below(chance, 1 << 16) << 12;
		break;
	case 1:
		offset = chance_any(chance) & ~0xfffULL;
		break;
	case 2:
		size += 0x1000;
		break;
	case 3:
		prot |= PROT_EXEC;
		break;
	default:
		flags = MAP_PRIVATE;
	}
	mem = mmap(NULL, size, prot, flags, ring->file->fd, offset);
	if (mem == MAP_FAILED)
		return errno;
	munmap(mem, size);
	return 0;
}

/* Map a ring that is not mapped yet */
int ring_map(struct shot *shot)
{
	struct ring *ring = ring_any(shot->caller, false);
	void *mem;
	int err = 0;

	if (!ring)
		return 0;
	if (chance_one_in(&shot->caller->chance, 4)) {
		err = ring_map_oddly(shot->caller, ring);
		goto unlock;
	}
	mem = mmap(NULL, ring->abi.size, PROT_READ | PROT_WRITE, MAP_SHARED, ring->file->fd,
		   ring->abi.offset);
	if (mem == MAP_FAILED) {
		err = errno;
		ring->abi.size = 0;
	} else {
		ring->mem = mem;
	}
unlock:
	pthread_mutex_unlock(&ring->lock);
	return err;
}

static void *slot_of(const struct ring *ring, uint32_t index)
{
	return (uint8_t *)ring->mem + SRNIC_RING_SLOTS +
	       (size_t)(index & (ring->abi.entries - 1)) * ring->abi.stride;
}

/* Choose part of a region to be advised on, occasionally beyond its end */
void load_part(struct caller *caller, struct file *file, struct ib_uverbs_sge *part)
{
	struct object *mr = object_any(caller, file, MR);
	struct chance *chance = &caller->chance;

	memset(part, 0, sizeof(*part));
	if (!mr || !mr->length)
		return;
	part->lkey = mr->number;
	part->addr = mr->start + chance_below(chance, mr->length);
	part->length = chance_below(chance, mr->start + mr->length - part->addr + 1);
	if (chance_one_in(chance, 16))
		part->length += chance_below(chance, 64);
}

/* Choose part of a region, occasionally beyond its end */
static void load_sge(struct caller *caller, const struct ring *ring, struct srnic_abi_sge *sge)
{
	struct object *mr = object_any(caller, ring->file, MR);
	struct chance *chance = &caller->chance;

	if (!mr || !mr->length)
		return;
	sge->lkey = mr->number;
	sge->addr = mr->start + chance_below(chance, mr->length);
	sge->length = chance_below(chance, mr->start + mr->length - sge->addr + 1);
	/* mostly short, to fit into the receiver's buffers */
	if (!chance_one_in(chance, 8))
		sge->length &= 0x1ff;
	if (chance_one_in(chance, 64))
		sge->length += chance_below(chance, 64);
}

static uint32_t load_sges(struct caller *caller, const struct ring *ring, size_t head, void *slot)
{
	uint32_t room = (ring->abi.stride - head) / sizeof(struct srnic_abi_sge);
	uint32_t n = chance_below(&caller->chance, room > 4 ? 4 : room + 1);

	for (uint32_t i = 0; i < n; i++)
		load_sge(caller, ring, (struct srnic_abi_sge *)((uint8_t *)slot + head) + i);
	return n;
}

static void load_remote(struct caller *caller, const struct ring *ring, struct srnic_sq_wqe *wqe)
{
	struct object *mr = object_any(caller, ring->file, MR);

	if (!mr)
		return;
	wqe->rkey = mr->number;
	wqe->remote_addr = mr->start;
	if (chance_one_in(&caller->chance, 4))
		wqe->remote_addr += chance_below(&caller->chance, mr->length + 1);
}

static void load_bind(struct caller *caller, const struct ring *ring, struct srnic_sq_wqe *wqe)
{
	struct object *mw = object_any(caller, ring->file, MW);
	struct object *mr = object_any(caller, ring->file, MR);

	if (!mw || !mr)
		return;
	wqe->bind.mw_rkey = mw->number;
	wqe->bind.new_rkey = (mw->number & ~0xffU) | chance_below(&caller->chance, 256);
	wqe->bind.mr_lkey = mr->number;
	wqe->bind.addr = mr->start;
	wqe->bind.length = chance_below(&caller->chance, mr->length + 1);
	wqe->bind.access = chance_below(&caller->chance, 16);
	/* if the bind succeeds, the window has the new key */
	mw->number = wqe->bind.new_rkey;
}

/* Address a datagram to a queue pair of the same file */
static void load_datagram(struct caller *caller, const struct ring *ring, struct srnic_sq_wqe *wqe)
{
	struct object *ah = object_any(caller, ring->file, AH);
	struct object *qp = object_any(caller, ring->file, QP);

	wqe->ud.ah = ah ? ah->number : chance_below(&caller->chance, 64);
	wqe->ud.qpn = qp ? qp->number : 0;
	wqe->ud.qkey = 0x80000000;
}

/* Name a queue of the peer's domain, which may be the one of the same file */
static void load_srq(struct caller *caller, const struct ring *ring, struct srnic_sq_wqe *wqe)
{
	struct object *srq = object_any(caller, ring->file, SRQ);
	struct chance *chance = &caller->chance;

	wqe->xrc.srqn = srq && !chance_one_in(chance, 16) ? srq->number : chance_any(chance);
}

/* Choose an opcode of the queue pair's type (abi.md), occasionally any; XRC has those of RC */
static uint8_t load_opcode(struct caller *caller, const struct ring *ring)
{
	const uint8_t likely[][10] = {
		{ SRNIC_WQE_SEND, SRNIC_WQE_SEND_IMM, SRNIC_WQE_WRITE, SRNIC_WQE_WRITE_IMM,
		  SRNIC_WQE_READ, SRNIC_WQE_CMP_SWAP, SRNIC_WQE_FETCH_ADD, SRNIC_WQE_BIND_MW,
		  SRNIC_WQE_FLUSH, SRNIC_WQE_ATOMIC_WRITE },
		{ SRNIC_WQE_SEND, SRNIC_WQE_SEND_IMM, SRNIC_WQE_WRITE, SRNIC_WQE_WRITE_IMM,
		  SRNIC_WQE_WRITE, SRNIC_WQE_WRITE, SRNIC_WQE_SEND, SRNIC_WQE_BIND_MW,
		  SRNIC_WQE_WRITE, SRNIC_WQE_SEND },
		{ SRNIC_WQE_SEND, SRNIC_WQE_SEND_IMM, SRNIC_WQE_SEND, SRNIC_WQE_SEND,
		  SRNIC_WQE_SEND, SRNIC_WQE_SEND, SRNIC_WQE_SEND, SRNIC_WQE_SEND,
		  SRNIC_WQE_SEND, SRNIC_WQE_SEND },
	};

	uint8_t row = ring->type == XRC_INI ? 0 : ring->type - RC;

	if (row > UD - RC || chance_one_in(&caller->chance, 24))
		return chance_below(&caller->chance, SRNIC_WQE_OPCODES + 1);
	return likely[row][chance_below(&caller->chance, row || ring->type == RC ? 10 : 8)];
}

/* Mostly the one type that ordinary memory has */
static void load_flush(struct caller *caller, struct srnic_sq_wqe *wqe)
{
	struct chance *chance = &caller->chance;

	wqe->flush.length = chance_below(chance, 4096);
	wqe->flush.types = chance_one_in(chance, 4) ? chance_any(chance) : 1;
	wqe->flush.level = chance_one_in(chance, 16) ? chance_any(chance) :
						       chance_below(chance, 2);
}

static void load_data(struct caller *caller, const struct ring *ring, struct srnic_sq_wqe *wqe)
{
	struct srnic_abi_sge *sge = (void *)(wqe + 1);

	if (wqe->opcode <= SRNIC_WQE_WRITE_IMM && chance_one_in(&caller->chance, 4)) {
		wqe->flags |= SRNIC_WQE_INLINE;
		wqe->inline_len = chance_below(&caller->chance,
					       ring->abi.stride - sizeof(*wqe) + 1);
		return;
	}
	if (wqe->opcode == SRNIC_WQE_FLUSH) {
		load_flush(caller, wqe);
		return;
	}
	if (wqe->opcode < SRNIC_WQE_LOCAL_INV || wqe->opcode == SRNIC_WQE_ATOMIC_WRITE)
		wqe->num_sge = load_sges(caller, ring, sizeof(*wqe), wqe);
	if (wqe->num_sge && (wqe->opcode == SRNIC_WQE_CMP_SWAP ||
			     wqe->opcode == SRNIC_WQE_FETCH_ADD ||
			     wqe->opcode == SRNIC_WQE_ATOMIC_WRITE)) {
		wqe->num_sge = 1;
		sge->length = 8;
		wqe->remote_addr &= ~7ULL;
	}
}

static void load_send(struct caller *caller, const struct ring *ring, struct srnic_sq_wqe *wqe)
{
	struct chance *chance = &caller->chance;

	memset(wqe, 0, ring->abi.stride);
	wqe->wr_id = chance_any(chance);
	wqe->opcode = load_opcode(caller, ring);
	wqe->flags = SRNIC_WQE_SIGNALED | (chance_below(chance, 2) ? SRNIC_WQE_SOLICITED : 0);
	if (ring->type == RC && chance_one_in(chance, 8))
		wqe->flags |= SRNIC_WQE_FENCE;
	if (ring->type == UD)
		load_datagram(caller, ring, wqe);
	else if (wqe->opcode == SRNIC_WQE_BIND_MW)
		load_bind(caller, ring, wqe);
	else
		load_remote(caller, ring, wqe);
	if (wqe->opcode == SRNIC_WQE_SEND_INV || wqe->opcode == SRNIC_WQE_LOCAL_INV)
		wqe->imm = wqe->rkey;
	load_data(caller, ring, wqe);
	if (ring->type == XRC_INI && wqe->opcode != SRNIC_WQE_BIND_MW)
		load_srq(caller, ring, wqe);
}

static void load_receive(struct caller *caller, const struct ring *ring, struct srnic_rq_wqe *wqe)
{
	memset(wqe, 0, ring->abi.stride);
	wqe->wr_id = chance_any(&caller->chance);
	wqe->num_sge = load_sges(caller, ring, sizeof(*wqe), wqe);
}

/* Write random words anywhere, including the header */
static void make_noise(struct caller *caller, const struct ring *ring)
{
	volatile uint32_t *words = (void *)ring->mem;

	for (uint32_t i = 1 + chance_below(&caller->chance, 16); i; i--)
		words[chance_below(&caller->chance, ring->abi.size / 4)] =
			chance_any(&caller->chance);
}

/* Ring the doorbell: the command, with that queue pair */
static void ring_doorbell(struct caller *caller, const struct ring *ring, const char *name)
{
	const struct call *call = call_named(name);
	struct shot shot;

	shot_load(&shot, caller, ring->file, call);
	((struct ib_uverbs_post_send *)shot.in)->qp_handle = ring->handle;
	shot_form(&shot);
	call_count(call, shot_fire(&shot));
}

static void produce(struct caller *caller, const struct ring *ring)
{
	uint32_t prod = __atomic_load_n(&ring->mem->prod, __ATOMIC_RELAXED);
	uint32_t cons = __atomic_load_n(&ring->mem->cons, __ATOMIC_ACQUIRE);
	uint32_t n = 1 + chance_below(&caller->chance, 4);

	/* overfill the ring only occasionally */
	if (prod - cons + n > ring->abi.limit && !chance_one_in(&caller->chance, 32))
		n = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (ring->flow == SENDS)
			load_send(caller, ring, slot_of(ring, prod + i));
		else
			load_receive(caller, ring, slot_of(ring, prod + i));
	}
	__atomic_store_n(&ring->mem->prod, prod + n, __ATOMIC_RELEASE);
	if (ring->flow == SENDS)
		ring_doorbell(caller, ring, "post_send");
	else if (chance_one_in(&caller->chance, 8))
		ring_doorbell(caller, ring, "post_recv");
}

static void consume(struct caller *caller, const struct ring *ring)
{
	uint32_t cons = __atomic_load_n(&ring->mem->cons, __ATOMIC_RELAXED);
	uint32_t prod = __atomic_load_n(&ring->mem->prod, __ATOMIC_ACQUIRE);

	for (uint32_t i = cons; i != prod && i - cons < ring->abi.entries; i++) {
		const struct srnic_cqe *cqe = slot_of(ring, i);
		uint32_t status = cqe->status;

		if (status < ARRAY_SIZE(world->ended))
			atomic_fetch_add(&world->ended[status], 1);
	}
	__atomic_store_n(&ring->mem->cons, prod, __ATOMIC_RELEASE);
	if (chance_one_in(&caller->chance, 2))
		__atomic_store_n(&ring->mem->arm, chance_below(&caller->chance, 4),
				 __ATOMIC_SEQ_CST);
}

/* Use a ring: produce or consume, rarely write noise or unmap it */
int ring_scribble(struct shot *shot)
{
	struct caller *caller = shot->caller;
	struct ring *ring = ring_any(caller, true);

	if (!ring)
		return EAGAIN;
	if (chance_one_in(&caller->chance, 200))
		ring_unmap(ring);
	else if (chance_one_in(&caller->chance, 200))
		make_noise(caller, ring);
	else if (ring->flow == COMPLETIONS)
		consume(caller, ring);
	else
		produce(caller, ring);
	pthread_mutex_unlock(&ring->lock);
	return 0;
}
