// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of queue: rings and the entries read from them, with a hostile
 * other side; completions and events. R numbers are the rows of
 * Documentation/security/rfc5042.md.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "compat.h"
#include "srnic.h"
#include "queue/queue.h"

#define MAX_SGE		4
#define MAX_INLINE	64
#define SQ_STRIDE	128
#define RQ_STRIDE	96

static void free_ring(void *ring)
{
	srnic_ring_free(ring);
}

static struct srnic_ring *new_ring(struct kunit *test, u32 limit, u32 stride, bool user)
{
	struct srnic_ring *ring = kunit_kzalloc(test, sizeof(*ring), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ring);
	KUNIT_ASSERT_EQ(test, srnic_ring_alloc(ring, limit, stride, user), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, free_ring, ring), 0);
	return ring;
}

/* Move the ring's indices to just before their wrap. */
static void move_to_wrap(struct srnic_ring *ring)
{
	ring->head = U32_MAX - 1;
	ring->hdr->prod = ring->head;
	ring->hdr->cons = ring->head;
}

/* ------------------------------------------------------------------- memory */

static void ring_is_rounded_up_and_all_of_it_granted(struct kunit *test)
{
	static const u32 wanted[] = { 1, 2, 3, 63, 64, 65, 1000 };

	for (int i = 0; i < ARRAY_SIZE(wanted); i++) {
		struct srnic_ring *ring = new_ring(test, wanted[i], 64, true);

		KUNIT_EXPECT_GE(test, ring->entries, wanted[i]);
		KUNIT_EXPECT_LT(test, ring->entries / 2, wanted[i]);
		KUNIT_EXPECT_TRUE(test, is_power_of_2(ring->entries));
		KUNIT_EXPECT_EQ(test, ring->limit, ring->entries);
		KUNIT_EXPECT_EQ(test, ring->pages.count, srnic_ring_pages(wanted[i], 64));
		KUNIT_EXPECT_GE(test, (size_t)ring->pages.count << PAGE_SHIFT,
				SRNIC_RING_SLOTS + ring->entries * 64);
	}
}

/* Write to pages and free them: the next ones that are allocated are these. */
static void leave_content(struct kunit *test, unsigned int count)
{
	struct page *page, *next;
	LIST_HEAD(pages);

	while (count--) {
		page = alloc_page(GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, page);
		memset(page_address(page), 0xa5, PAGE_SIZE);
		list_add(&page->lru, &pages);
	}
	list_for_each_entry_safe(page, next, &pages, lru)
		__free_page(page);
}

static void R13_fresh_ring_has_no_old_content(struct kunit *test)
{
	struct srnic_ring *ring;

	if (want_init_on_alloc(0))
		kunit_skip(test, "this kernel clears all pages");
	leave_content(test, 16);
	ring = new_ring(test, 300, 64, true);
	KUNIT_EXPECT_NULL(test, memchr_inv(ring->hdr, 0, (size_t)ring->pages.count << PAGE_SHIFT));
}

static void every_slot_is_its_own_memory(struct kunit *test)
{
	struct srnic_ring *ring = new_ring(test, 200, 96, false);

	for (u32 i = 0; i < ring->entries; i++)
		memset(srnic_ring_slot(ring, i), i, 96);
	for (u32 i = 0; i < ring->entries; i++)
		KUNIT_EXPECT_NULL(test, memchr_inv(srnic_ring_slot(ring, i), (u8)i, 96));
	KUNIT_EXPECT_NULL(test, memchr_inv(ring->hdr, 0, SRNIC_RING_SLOTS));
	KUNIT_EXPECT_PTR_EQ(test, srnic_ring_slot(ring, ring->entries), ring->slots);
}

static void pending_counts_across_the_wrap_of_the_index(struct kunit *test)
{
	struct srnic_ring *ring = new_ring(test, 8, 64, true);

	for (u32 head = U32_MAX - 10; head != 10; head++) {
		ring->head = head;
		for (u32 n = 0; n <= 8; n++) {
			ring->hdr->prod = head + n;
			KUNIT_EXPECT_EQ(test, srnic_ring_pending(ring), n);
		}
	}
}

static void R1_producer_index_that_cannot_be_is_refused(struct kunit *test)
{
	static const u32 lies[] = { 9, 10, 1000, 0x7fffffff, 0x80000000, U32_MAX };
	struct srnic_ring *ring = new_ring(test, 8, 64, true);

	for (u32 head = U32_MAX - 10; head != 10; head++) {
		ring->head = head;
		for (int i = 0; i < ARRAY_SIZE(lies); i++) {
			ring->hdr->prod = head + lies[i];
			KUNIT_EXPECT_EQ(test, srnic_ring_pending(ring), -EINVAL);
		}
	}
}

/* --------------------------------------------------------------- send queue */

struct sq_fixture {
	struct srnic_ring *ring;
	struct srnic_swqe *swqe;
	u8 *end;	/* end of the memory that @swqe may use */
};

#define SWQE_TAIL	(MAX_SGE * sizeof(struct srnic_abi_sge))
#define GUARD_BYTES	64

static struct sq_fixture new_sq(struct kunit *test)
{
	struct sq_fixture sq = { .ring = new_ring(test, 4, SQ_STRIDE, true) };

	sq.swqe = kunit_kzalloc(test, sizeof(*sq.swqe) + SWQE_TAIL + GUARD_BYTES, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, sq.swqe);
	sq.end = (u8 *)sq.swqe->sge + SWQE_TAIL;
	memset(sq.end, 0xee, GUARD_BYTES);
	move_to_wrap(sq.ring);
	return sq;
}

static struct srnic_sq_wqe *sq_slot(struct sq_fixture *sq)
{
	return srnic_ring_slot(sq->ring, sq->ring->hdr->prod);
}

static int sq_fetch(struct sq_fixture *sq)
{
	return srnic_sq_fetch(sq->ring, sq->swqe, MAX_SGE, MAX_INLINE);
}

static void fetched_request_is_what_was_posted(struct kunit *test)
{
	struct sq_fixture sq = new_sq(test);

	for (u32 i = 0; i < 10; i++) {
		struct srnic_sq_wqe *wqe = sq_slot(&sq);
		struct srnic_abi_sge *sge = (void *)(wqe + 1);

		*wqe = (struct srnic_sq_wqe){
			.wr_id = 0x1122334455667788 + i, .opcode = SRNIC_WQE_WRITE_IMM,
			.num_sge = 2, .flags = SRNIC_WQE_SIGNALED | SRNIC_WQE_FENCE,
			.imm = 0xa1b2c3d4, .rkey = 0x5678 + i, .remote_addr = 0xdead0000 + i,
		};
		sge[0] = (struct srnic_abi_sge){ .addr = 0x1000, .length = 100, .lkey = 1 };
		sge[1] = (struct srnic_abi_sge){ .addr = 0x2000, .length = 23, .lkey = 2 };
		sq.ring->hdr->prod++;

		KUNIT_ASSERT_EQ(test, srnic_ring_pending(sq.ring), 1);
		KUNIT_ASSERT_EQ(test, sq_fetch(&sq), 0);
		KUNIT_EXPECT_EQ(test, srnic_ring_pending(sq.ring), 0);
		KUNIT_EXPECT_EQ(test, sq.swqe->wr_id, 0x1122334455667788 + i);
		KUNIT_EXPECT_EQ(test, sq.swqe->opcode, SRNIC_WQE_WRITE_IMM);
		KUNIT_EXPECT_EQ(test, sq.swqe->flags, SRNIC_WQE_SIGNALED | SRNIC_WQE_FENCE);
		KUNIT_EXPECT_EQ(test, sq.swqe->num_sge, 2);
		KUNIT_EXPECT_EQ(test, sq.swqe->length, 123);
		KUNIT_EXPECT_EQ(test, (__force u32)sq.swqe->imm, 0xa1b2c3d4);
		KUNIT_EXPECT_EQ(test, sq.swqe->rkey, 0x5678 + i);
		KUNIT_EXPECT_EQ(test, sq.swqe->raddr, 0xdead0000 + i);
		KUNIT_EXPECT_MEMEQ(test, sq.swqe->sge, sge, 2 * sizeof(*sge));
	}
}

static void R1_what_the_process_writes_later_does_not_matter(struct kunit *test)
{
	struct sq_fixture sq = new_sq(test);
	struct srnic_sq_wqe *wqe = sq_slot(&sq);
	struct srnic_abi_sge *sge = (void *)(wqe + 1);

	*wqe = (struct srnic_sq_wqe){ .wr_id = 7, .opcode = SRNIC_WQE_SEND, .num_sge = 1 };
	*sge = (struct srnic_abi_sge){ .addr = 0x1000, .length = 8, .lkey = 1 };
	sq.ring->hdr->prod++;
	KUNIT_ASSERT_EQ(test, sq_fetch(&sq), 0);
	memset(wqe, 0xff, SQ_STRIDE);

	KUNIT_EXPECT_EQ(test, sq.swqe->wr_id, 7);
	KUNIT_EXPECT_EQ(test, sq.swqe->opcode, SRNIC_WQE_SEND);
	KUNIT_EXPECT_EQ(test, sq.swqe->num_sge, 1);
	KUNIT_EXPECT_EQ(test, sq.swqe->length, 8);
	KUNIT_EXPECT_EQ(test, sq.swqe->sge[0].addr, 0x1000);
}

struct sq_case {
	const char *name;
	u8 opcode;
	u8 num_sge;
	u16 flags;
	u32 inline_len;
	u32 lens[MAX_SGE];
	bool good;
	u32 length;	/* if valid */
};

static const struct sq_case sq_case_rows[] = {
	{ "send of nothing", SRNIC_WQE_SEND, 0, 0, 0, {}, true, 0 },
	{ "all SGEs", SRNIC_WQE_SEND, MAX_SGE, 0, 0, { 1, 2, 3, 4 }, true, 10 },
	{ "one SGE too many", SRNIC_WQE_SEND, MAX_SGE + 1, 0, 0, {}, false },
	{ "255 SGEs", SRNIC_WQE_SEND, 255, 0, 0, {}, false },
	{ "2 GiB", SRNIC_WQE_WRITE, 2, 0, 0, { 0x40000000, 0x40000000 }, true, 0x80000000 },
	{ "2 GiB and a byte, for the engine to refuse", SRNIC_WQE_WRITE, 2, 0, 0,
	  { 0x40000000, 0x40000001 }, true, 0x80000001 },
	{ "lengths whose sum would wrap", SRNIC_WQE_READ, 3, 0, 0, { U32_MAX, 1, 8 }, true,
	  U32_MAX },
	{ "unknown opcode", SRNIC_WQE_OPCODES, 0, 0, 0, {}, false },
	{ "opcode 255", 255, 0, 0, 0, {}, false },
	{ "R28: fast registration", SRNIC_WQE_REG_MR, 0, 0, 0, {}, false },
	{ "a large send", SRNIC_WQE_LSO, 0, 0, 0, {}, false },
	{ "unknown flag", SRNIC_WQE_SEND, 0, SRNIC_WQE_FLAGS + 1, 0, {}, false },
	{ "all unknown flags", SRNIC_WQE_SEND, 0, 0xfff0, 0, {}, false },
	{ "inline", SRNIC_WQE_SEND, 0, SRNIC_WQE_INLINE, MAX_INLINE, {}, true, MAX_INLINE },
	{ "inline write", SRNIC_WQE_WRITE_IMM, 0, SRNIC_WQE_INLINE, 1, {}, true, 1 },
	{ "inline, a byte too many", SRNIC_WQE_SEND, 0, SRNIC_WQE_INLINE, MAX_INLINE + 1, {},
	  false },
	{ "inline, 4 GiB", SRNIC_WQE_SEND, 0, SRNIC_WQE_INLINE, U32_MAX, {}, false },
	{ "inline READ", SRNIC_WQE_READ, 0, SRNIC_WQE_INLINE, 8, {}, false },
	{ "inline atomic", SRNIC_WQE_CMP_SWAP, 0, SRNIC_WQE_INLINE, 8, {}, false },
	{ "atomic", SRNIC_WQE_FETCH_ADD, 1, 0, 0, { 8 }, true, 8 },
	{ "atomic into more", SRNIC_WQE_CMP_SWAP, 1, 0, 0, { 64 }, true, 8 },
	{ "atomic into 7 bytes", SRNIC_WQE_CMP_SWAP, 1, 0, 0, { 7 }, false },
	{ "atomic into nothing", SRNIC_WQE_FETCH_ADD, 0, 0, 0, {}, false },
	{ "flush", SRNIC_WQE_FLUSH, 0, 0, 0, {}, true, 0 },
	{ "flush with data", SRNIC_WQE_FLUSH, 1, 0, 0, { 8 }, false },
	{ "inline flush", SRNIC_WQE_FLUSH, 0, SRNIC_WQE_INLINE, 8, {}, false },
	{ "atomic write", SRNIC_WQE_ATOMIC_WRITE, 1, 0, 0, { 8 }, true, 8 },
	{ "atomic write of 7 bytes", SRNIC_WQE_ATOMIC_WRITE, 1, 0, 0, { 7 }, false },
	{ "atomic write of nothing", SRNIC_WQE_ATOMIC_WRITE, 0, 0, 0, {}, false },
	{ "invalidate", SRNIC_WQE_LOCAL_INV, 0, 0, 0, {}, true, 0 },
	{ "invalidate with data", SRNIC_WQE_LOCAL_INV, 1, 0, 0, { 8 }, false },
	{ "bind", SRNIC_WQE_BIND_MW, 0, 0, 0, {}, true, 0 },
	{ "bind with data", SRNIC_WQE_BIND_MW, 1, 0, 0, { 8 }, false },
};

KUNIT_ARRAY_PARAM_DESC(sq_case, sq_case_rows, name);

static void R1_request_is_checked_after_it_was_copied(struct kunit *test)
{
	const struct sq_case *c = test->param_value;
	struct sq_fixture sq = new_sq(test);
	struct srnic_sq_wqe *wqe = sq_slot(&sq);
	struct srnic_abi_sge *sge = (void *)(wqe + 1);
	u32 head = sq.ring->head;

	memset(wqe, 0, SQ_STRIDE);
	wqe->wr_id = 42;
	wqe->opcode = c->opcode;
	wqe->num_sge = c->num_sge;
	wqe->flags = c->flags;
	wqe->inline_len = c->inline_len;
	for (int i = 0; i < MAX_SGE; i++)
		sge[i].length = c->lens[i];
	if (c->flags & SRNIC_WQE_INLINE)
		memset(wqe + 1, 0xab, MAX_INLINE);

	KUNIT_EXPECT_EQ(test, sq_fetch(&sq), c->good ? 0 : -EINVAL);
	KUNIT_EXPECT_EQ(test, sq.swqe->wr_id, 42);
	KUNIT_EXPECT_EQ(test, sq.ring->head, head + 1);
	KUNIT_EXPECT_NULL(test, memchr_inv(sq.end, 0xee, GUARD_BYTES));
	if (!c->good)
		return;
	KUNIT_EXPECT_EQ(test, sq.swqe->length, c->length);
	if (c->flags & SRNIC_WQE_INLINE) {
		KUNIT_EXPECT_EQ(test, sq.swqe->num_sge, 0);
		KUNIT_EXPECT_NULL(test, memchr_inv(sq.swqe->inline_data, 0xab, c->length));
	}
}

/* Its inline data is in the entry itself: a queue without inline data takes it, too. */
static void word_and_flush_are_taken_from_the_entry(struct kunit *test)
{
	struct sq_fixture sq = new_sq(test);
	struct srnic_sq_wqe *wqe = sq_slot(&sq);

	memset(wqe, 0, SQ_STRIDE);
	wqe->opcode = SRNIC_WQE_ATOMIC_WRITE;
	wqe->flags = SRNIC_WQE_INLINE;
	wqe->inline_len = U32_MAX;
	wqe->remote_addr = 7;
	wqe->rkey = 8;
	wqe->atomic_write.value = 0x0102030405060708;
	sq.ring->hdr->prod++;
	KUNIT_ASSERT_EQ(test, sq_fetch(&sq), 0);
	KUNIT_EXPECT_TRUE(test, sq.swqe->raddr == 7 && sq.swqe->rkey == 8);
	KUNIT_EXPECT_EQ(test, sq.swqe->word, 0x0102030405060708);
	KUNIT_EXPECT_EQ(test, sq.swqe->length, 8);
	KUNIT_EXPECT_EQ(test, sq.swqe->num_sge, 0);

	wqe = sq_slot(&sq);
	memset(wqe, 0, SQ_STRIDE);
	wqe->opcode = SRNIC_WQE_FLUSH;
	wqe->flush.length = U32_MAX;
	wqe->flush.types = 0x101;	/* the engine refuses it: no bit is dropped */
	wqe->flush.level = 0x100;
	KUNIT_ASSERT_EQ(test, sq_fetch(&sq), 0);
	KUNIT_EXPECT_EQ(test, sq.swqe->flush.length, U32_MAX);
	KUNIT_EXPECT_EQ(test, sq.swqe->flush.types, 0xff);
	KUNIT_EXPECT_EQ(test, sq.swqe->flush.level, 0xff);
}

static void kernel_pointer_does_not_come_from_a_user_ring(struct kunit *test)
{
	struct sq_fixture sq = new_sq(test);
	struct srnic_sq_wqe *wqe = sq_slot(&sq);

	memset(sq.swqe, 0xff, sizeof(*sq.swqe));
	memset(wqe, 0xff, SQ_STRIDE);
	wqe->opcode = SRNIC_WQE_SEND;
	wqe->num_sge = 0;
	wqe->flags = 0;
	KUNIT_ASSERT_EQ(test, sq_fetch(&sq), 0);
	KUNIT_EXPECT_NULL(test, sq.swqe->ud.kah);
}

static void the_kernel_says_that_it_sleeps_and_looks_again(struct kunit *test)
{
	struct srnic_ring *ring = new_ring(test, 4, SQ_STRIDE, true);

	KUNIT_EXPECT_FALSE(test, ring->asleep);
	KUNIT_EXPECT_FALSE(test, srnic_sq_sleep(ring));
	KUNIT_EXPECT_EQ(test, ring->hdr->need_wakeup, 1);
	KUNIT_EXPECT_TRUE(test, ring->asleep);
	srnic_sq_awake(ring);
	KUNIT_EXPECT_EQ(test, ring->hdr->need_wakeup, 0);
	KUNIT_EXPECT_FALSE(test, ring->asleep);

	ring->hdr->prod++;
	KUNIT_EXPECT_TRUE(test, srnic_sq_sleep(ring));
	KUNIT_EXPECT_EQ(test, ring->hdr->need_wakeup, 0);
	KUNIT_EXPECT_FALSE(test, ring->asleep);

	ring->hdr->prod = 1000;
	KUNIT_EXPECT_TRUE(test, srnic_sq_sleep(ring));
	KUNIT_EXPECT_FALSE(test, ring->asleep);
}

/* ------------------------------------------------------------ receive queue */

static int post_recv(struct srnic_ring *ring, u64 wr_id, struct ib_sge *sges, int num)
{
	struct ib_recv_wr wr = { .wr_id = wr_id, .sg_list = sges, .num_sge = num };

	return srnic_rq_post(ring, &wr, MAX_SGE);
}

static struct srnic_rwqe *new_rwqe(struct kunit *test)
{
	struct srnic_rwqe *rwqe = kunit_kzalloc(test, sizeof(*rwqe), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rwqe);
	return rwqe;
}

static void receives_come_in_the_order_of_posting(struct kunit *test)
{
	struct srnic_ring *ring = new_ring(test, 4, RQ_STRIDE, false);
	struct srnic_rwqe *rwqe = new_rwqe(test);
	struct ib_sge sges[] = { { 0x1000, 10, 1 }, { 0x2000, 20, 2 } };

	move_to_wrap(ring);
	KUNIT_EXPECT_EQ(test, srnic_rq_fetch(ring, rwqe, MAX_SGE), 0);
	for (u32 round = 0; round < 5; round++) {
		for (u32 i = 0; i < 4; i++)
			KUNIT_EXPECT_EQ(test, post_recv(ring, round * 4 + i, sges, 2), 0);
		KUNIT_EXPECT_EQ(test, post_recv(ring, 99, sges, 2), -ENOMEM);
		for (u32 i = 0; i < 4; i++) {
			KUNIT_EXPECT_EQ(test, srnic_rq_fetch(ring, rwqe, MAX_SGE), 1);
			KUNIT_EXPECT_EQ(test, rwqe->wr_id, round * 4 + i);
			KUNIT_EXPECT_EQ(test, rwqe->num_sge, 2);
			KUNIT_EXPECT_EQ(test, rwqe->length, 30);
			KUNIT_EXPECT_EQ(test, rwqe->sge[1].addr, 0x2000);
		}
		KUNIT_EXPECT_EQ(test, srnic_rq_fetch(ring, rwqe, MAX_SGE), 0);
	}
}

static void slot_is_free_again_once_it_has_been_copied(struct kunit *test)
{
	struct srnic_ring *ring = new_ring(test, 2, RQ_STRIDE, false);
	struct srnic_rwqe *rwqe = new_rwqe(test);

	for (u32 i = 0; i < 10; i++) {
		KUNIT_EXPECT_EQ(test, post_recv(ring, i, NULL, 0), 0);
		KUNIT_EXPECT_EQ(test, srnic_rq_fetch(ring, rwqe, MAX_SGE), 1);
		KUNIT_EXPECT_EQ(test, ring->hdr->cons, i + 1);
	}
}

static void receive_with_too_many_sges_is_not_posted(struct kunit *test)
{
	struct srnic_ring *ring = new_ring(test, 2, RQ_STRIDE, false);
	struct ib_sge sges[MAX_SGE + 1] = {};

	KUNIT_EXPECT_EQ(test, post_recv(ring, 1, sges, MAX_SGE), 0);
	KUNIT_EXPECT_EQ(test, post_recv(ring, 1, sges, MAX_SGE + 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, post_recv(ring, 1, sges, -1), -EINVAL);
	KUNIT_EXPECT_EQ(test, srnic_ring_pending(ring), 1);
}

static void R1_bad_receive_is_reported_and_consumed(struct kunit *test)
{
	static const struct {
		u32 num_sge;
		u32 length;
	} bad[] = { { MAX_SGE + 1, 0 }, { U32_MAX, 0 }, { 3, 0x40000000 } };
	struct srnic_ring *ring = new_ring(test, 4, RQ_STRIDE, true);
	struct srnic_rwqe *rwqe = new_rwqe(test);

	for (int i = 0; i < ARRAY_SIZE(bad); i++) {
		struct srnic_rq_wqe *wqe = srnic_ring_slot(ring, ring->hdr->prod++);
		struct srnic_abi_sge *sge = (void *)(wqe + 1);

		*wqe = (struct srnic_rq_wqe){ .wr_id = 50 + i, .num_sge = bad[i].num_sge };
		for (int j = 0; j < MAX_SGE; j++)
			sge[j] = (struct srnic_abi_sge){ .length = bad[i].length };

		KUNIT_EXPECT_EQ(test, srnic_rq_fetch(ring, rwqe, MAX_SGE), -EINVAL);
		KUNIT_EXPECT_EQ(test, rwqe->wr_id, 50 + i);
		KUNIT_EXPECT_EQ(test, rwqe->num_sge, 0);
		KUNIT_EXPECT_EQ(test, srnic_ring_pending(ring), 0);
	}
	ring->hdr->prod = ring->head + 5;
	KUNIT_EXPECT_EQ(test, srnic_rq_fetch(ring, rwqe, MAX_SGE), -EINVAL);
}

/* Resize as verbs does; return 0 or -EINVAL. */
static int exchange_rq(struct srnic_ring *ring, struct srnic_ring *new)
{
	struct srnic_ring_move move = {};
	int err;

	while ((err = srnic_rq_exchange(ring, new, &move)) == -EAGAIN)
		srnic_ring_move_some(&move, new, ring);
	return err;
}

static void resized_receive_queue_keeps_what_waits(struct kunit *test)
{
	struct srnic_ring *ring = new_ring(test, 4, RQ_STRIDE, false);
	struct srnic_ring *small = new_ring(test, 2, RQ_STRIDE, false);
	struct srnic_ring *large = new_ring(test, 16, RQ_STRIDE, false);
	struct srnic_rwqe *rwqe = new_rwqe(test);

	move_to_wrap(ring);
	for (u32 i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, post_recv(ring, i, NULL, 0), 0);

	KUNIT_EXPECT_EQ(test, exchange_rq(ring, small), -EINVAL);
	KUNIT_EXPECT_EQ(test, ring->entries, 4);
	KUNIT_EXPECT_EQ(test, exchange_rq(ring, large), 0);
	KUNIT_EXPECT_EQ(test, ring->entries, 16);
	for (u32 i = 3; i < 16; i++)
		KUNIT_EXPECT_EQ(test, post_recv(ring, i, NULL, 0), 0);
	KUNIT_EXPECT_EQ(test, post_recv(ring, 16, NULL, 0), -ENOMEM);
	for (u32 i = 0; i < 16; i++) {
		KUNIT_EXPECT_EQ(test, srnic_rq_fetch(ring, rwqe, MAX_SGE), 1);
		KUNIT_EXPECT_EQ(test, rwqe->wr_id, i);
	}
}

/* more entries than are moved under a lock */
#define MANY_ENTRIES	(4 * SRNIC_RING_MOVE_BATCH)

static void receives_move_a_batch_at_a_time_while_others_come_and_go(struct kunit *test)
{
	struct srnic_ring *ring = new_ring(test, 2 * MANY_ENTRIES, RQ_STRIDE, false);
	struct srnic_ring *other = new_ring(test, MANY_ENTRIES, RQ_STRIDE, false);
	struct srnic_rwqe *rwqe = new_rwqe(test);
	struct srnic_ring_move move = {};
	u32 posted = 0, taken = 0;

	move_to_wrap(ring);
	for (; posted < MANY_ENTRIES; posted++)
		KUNIT_ASSERT_EQ(test, post_recv(ring, posted, NULL, 0), 0);
	while (srnic_rq_exchange(ring, other, &move) == -EAGAIN) {
		KUNIT_ASSERT_EQ(test, ring->entries, 2 * MANY_ENTRIES);
		srnic_ring_move_some(&move, other, ring);
		/* Alternately take more entries than are moved, and fewer. */
		for (u32 i = posted & 1 ? 10 : 100; i--; taken++)
			KUNIT_ASSERT_EQ(test, srnic_rq_fetch(ring, rwqe, MAX_SGE), 1);
		KUNIT_ASSERT_EQ(test, post_recv(ring, posted++, NULL, 0), 0);
	}
	KUNIT_EXPECT_GT(test, posted, MANY_ENTRIES + 1);
	KUNIT_EXPECT_EQ(test, ring->entries, MANY_ENTRIES);
	KUNIT_EXPECT_EQ(test, ring->hdr->cons, ring->head);
	for (; taken < posted; taken++) {
		KUNIT_ASSERT_EQ(test, srnic_rq_fetch(ring, rwqe, MAX_SGE), 1);
		KUNIT_EXPECT_EQ(test, rwqe->wr_id, taken);
	}
	KUNIT_EXPECT_EQ(test, srnic_rq_fetch(ring, rwqe, MAX_SGE), 0);
}

static void R1_queue_with_a_nonsensical_index_is_not_resized(struct kunit *test)
{
	struct srnic_ring *ring = new_ring(test, 4, RQ_STRIDE, true);
	struct srnic_ring *large = new_ring(test, 16, RQ_STRIDE, true);

	ring->hdr->prod = 5;
	KUNIT_EXPECT_EQ(test, exchange_rq(ring, large), -EINVAL);
	KUNIT_EXPECT_EQ(test, ring->entries, 4);
}

/* --------------------------------------------------------- completion queue */

/**
 * struct cq_fixture - a CQ, and the observations of its consumer
 * @cq: the CQ; first member
 * @consumer: the task of the test
 * @calls: number of calls of comp_handler
 * @direct: number of these that @consumer made itself; a worker made the others
 * @depth: current nesting of comp_handler
 * @deepest: largest @depth
 * @bh_off: BHs were disabled in every call
 * @push_in_handler: number of completions that comp_handler adds
 * @errors: runs of error_work
 */
struct cq_fixture {
	struct srnic_cq cq;
	struct task_struct *consumer;
	int calls;
	int direct;
	int depth;
	int deepest;
	bool bh_off;
	int push_in_handler;
	int errors;
};

static void cq_on_error(struct work_struct *work)
{
	struct cq_fixture *f = container_of(work, struct cq_fixture, cq.error_work);

	f->errors++;
}

static int push_cqe(struct cq_fixture *f, u64 wr_id, bool solicited)
{
	struct srnic_cqe cqe = { .wr_id = wr_id };

	return srnic_cq_push(&f->cq, &cqe, solicited);
}

static void cq_handler(struct ib_cq *ib, void *context)
{
	struct cq_fixture *f = context;
	struct srnic_cqe cqe;

	f->calls++;
	f->direct += current == f->consumer;
	f->deepest = max(f->deepest, ++f->depth);
	f->bh_off &= !!softirq_count();
	/* Takes the CQ's lock: would deadlock if the caller held it. */
	srnic_cq_pop(&f->cq, &cqe);
	if (f->push_in_handler) {
		f->push_in_handler--;
		srnic_cq_arm(&f->cq, SRNIC_ARM_NEXT);
		push_cqe(f, 1000, false);
		srnic_cq_notify(&f->cq);
	}
	f->depth--;
}

static void stop_cq(void *arg)
{
	struct srnic_cq *cq = arg;

	srnic_cq_stop(cq);
	srnic_ring_free(&cq->ring);
}

static struct cq_fixture *new_cq(struct kunit *test, u32 limit, bool user)
{
	struct cq_fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	srnic_cq_init(&f->cq, cq_on_error);
	KUNIT_ASSERT_EQ(test, srnic_ring_alloc(&f->cq.ring, limit, sizeof(struct srnic_cqe),
					       user), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, stop_cq, &f->cq), 0);
	f->cq.ib.comp_handler = cq_handler;
	f->cq.ib.cq_context = f;
	f->consumer = current;
	f->bh_off = true;
	return f;
}

/* Raise an event if one is due; return whether there was one. */
static bool raise_event(struct cq_fixture *f)
{
	int before = f->calls;

	srnic_cq_notify(&f->cq);
	return f->calls != before;
}

static void completions_come_in_order_across_the_wrap(struct kunit *test)
{
	struct cq_fixture *f = new_cq(test, 4, false);
	struct srnic_cqe cqe;

	f->cq.ring.head = U32_MAX - 1;
	f->cq.tail = f->cq.ring.head;
	for (u32 round = 0; round < 5; round++) {
		for (u32 i = 0; i < 4; i++)
			KUNIT_EXPECT_EQ(test, push_cqe(f, round * 4 + i, false), 0);
		KUNIT_EXPECT_EQ(test, srnic_cq_waiting(&f->cq), 4);
		for (u32 i = 0; i < 4; i++) {
			KUNIT_EXPECT_TRUE(test, srnic_cq_pop(&f->cq, &cqe));
			KUNIT_EXPECT_EQ(test, cqe.wr_id, round * 4 + i);
		}
		KUNIT_EXPECT_FALSE(test, srnic_cq_pop(&f->cq, &cqe));
	}
}

static void R27_full_queue_refuses_and_is_given_up(struct kunit *test)
{
	struct cq_fixture *f = new_cq(test, 4, false);
	struct srnic_cqe cqe;

	for (u32 i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, push_cqe(f, i, false), 0);
	KUNIT_EXPECT_EQ(test, push_cqe(f, 4, false), -EOVERFLOW);
	KUNIT_EXPECT_EQ(test, push_cqe(f, 5, false), -EOVERFLOW);
	for (u32 i = 0; i < 4; i++) {
		KUNIT_EXPECT_TRUE(test, srnic_cq_pop(&f->cq, &cqe));
		KUNIT_EXPECT_EQ(test, cqe.wr_id, i);
	}
	/* No completion is accepted after an overflow. */
	KUNIT_EXPECT_EQ(test, push_cqe(f, 6, false), -EOVERFLOW);
	KUNIT_EXPECT_FALSE(test, srnic_cq_pop(&f->cq, &cqe));
	flush_work(&f->cq.error_work);
	KUNIT_EXPECT_EQ(test, f->errors, 1);
}

static void R27_consumer_index_that_cannot_be_hurts_its_writer_alone(struct kunit *test)
{
	static const u32 lies[] = { 1, 4, 0x7fffffff, 0x80000000, U32_MAX - 4 };

	for (int i = 0; i < ARRAY_SIZE(lies); i++) {
		struct cq_fixture *f = new_cq(test, 4, true);
		struct cq_fixture *other = new_cq(test, 4, true);

		f->cq.ring.hdr->cons = lies[i];
		KUNIT_EXPECT_EQ(test, push_cqe(f, 1, false), -EOVERFLOW);
		KUNIT_EXPECT_LE(test, srnic_cq_waiting(&f->cq), 4);
		KUNIT_EXPECT_EQ(test, push_cqe(other, 1, false), 0);
		flush_work(&f->cq.error_work);
		KUNIT_EXPECT_EQ(test, f->errors, 1);
		KUNIT_EXPECT_EQ(test, other->errors, 0);
	}
}

static void R1_kernel_index_does_not_come_from_the_ring(struct kunit *test)
{
	struct cq_fixture *f = new_cq(test, 4, true);
	struct srnic_cqe *slot = f->cq.ring.slots;

	KUNIT_EXPECT_EQ(test, push_cqe(f, 1, false), 0);
	f->cq.ring.hdr->prod = 77;
	KUNIT_EXPECT_EQ(test, push_cqe(f, 2, false), 0);
	KUNIT_EXPECT_EQ(test, f->cq.ring.hdr->prod, 2);
	KUNIT_EXPECT_EQ(test, slot[0].wr_id, 1);
	KUNIT_EXPECT_EQ(test, slot[1].wr_id, 2);
}

static void user_queue_is_not_polled_by_the_kernel(struct kunit *test)
{
	struct cq_fixture *f = new_cq(test, 4, true);
	struct srnic_cqe cqe;

	KUNIT_EXPECT_EQ(test, push_cqe(f, 1, false), 0);
	KUNIT_EXPECT_FALSE(test, srnic_cq_pop(&f->cq, &cqe));
	KUNIT_EXPECT_EQ(test, srnic_cq_waiting(&f->cq), 1);
}

/* Arm as this kind of consumer does. */
static void arm_cq(struct cq_fixture *f, u32 value)
{
	if (f->cq.ring.user)
		WRITE_ONCE(f->cq.ring.hdr->arm, value);
	else
		srnic_cq_arm(&f->cq, value);
}

static void one_event_a_request(struct kunit *test)
{
	for (int user = 0; user <= 1; user++) {
		struct cq_fixture *f = new_cq(test, 16, user);

		push_cqe(f, 1, true);
		KUNIT_EXPECT_FALSE(test, raise_event(f));

		arm_cq(f, SRNIC_ARM_NEXT);
		KUNIT_EXPECT_FALSE(test, raise_event(f));
		push_cqe(f, 2, false);
		push_cqe(f, 3, false);
		KUNIT_EXPECT_TRUE(test, raise_event(f));
		KUNIT_EXPECT_FALSE(test, raise_event(f));
		push_cqe(f, 4, true);
		KUNIT_EXPECT_FALSE(test, raise_event(f));
	}
}

static void solicited_request_waits_for_a_solicited_completion(struct kunit *test)
{
	for (int user = 0; user <= 1; user++) {
		struct cq_fixture *f = new_cq(test, 16, user);

		arm_cq(f, SRNIC_ARM_SOLICITED);
		push_cqe(f, 1, false);
		KUNIT_EXPECT_FALSE(test, raise_event(f));
		push_cqe(f, 2, true);
		KUNIT_EXPECT_TRUE(test, raise_event(f));
		push_cqe(f, 3, true);
		KUNIT_EXPECT_FALSE(test, raise_event(f));
	}
}

static void wider_of_two_requests_counts(struct kunit *test)
{
	for (int user = 0; user <= 1; user++) {
		struct cq_fixture *f = new_cq(test, 16, user);

		srnic_cq_arm(&f->cq, SRNIC_ARM_NEXT);
		srnic_cq_arm(&f->cq, SRNIC_ARM_SOLICITED);
		push_cqe(f, 1, false);
		KUNIT_EXPECT_TRUE(test, raise_event(f));
	}
}

static void R1_nonsensical_arm_word_is_no_request(struct kunit *test)
{
	struct cq_fixture *f = new_cq(test, 16, true);

	arm_cq(f, 3);
	push_cqe(f, 1, true);
	KUNIT_EXPECT_FALSE(test, raise_event(f));
	arm_cq(f, U32_MAX);
	push_cqe(f, 2, true);
	KUNIT_EXPECT_FALSE(test, raise_event(f));
	arm_cq(f, SRNIC_ARM_NEXT);
	push_cqe(f, 3, false);
	KUNIT_EXPECT_TRUE(test, raise_event(f));
}

static void request_tells_of_completions_that_wait(struct kunit *test)
{
	for (int user = 0; user <= 1; user++) {
		struct cq_fixture *f = new_cq(test, 16, user);

		KUNIT_EXPECT_FALSE(test, srnic_cq_arm(&f->cq, SRNIC_ARM_NEXT));
		push_cqe(f, 1, false);
		KUNIT_EXPECT_TRUE(test, srnic_cq_arm(&f->cq, SRNIC_ARM_NEXT));
	}
}

/* ------------------------------------------------------------- moderation */

#define HOUR	(3600U * USEC_PER_SEC)

static void moderated_event_waits_for_the_number_of_completions(struct kunit *test)
{
	for (int user = 0; user <= 1; user++) {
		struct cq_fixture *f = new_cq(test, 16, user);

		KUNIT_ASSERT_EQ(test, srnic_cq_moderate(&f->cq, 3, HOUR), 0);
		for (int round = 0; round < 2; round++) {
			arm_cq(f, SRNIC_ARM_NEXT);
			push_cqe(f, 1, false);
			KUNIT_EXPECT_FALSE(test, raise_event(f));
			push_cqe(f, 2, true);
			KUNIT_EXPECT_FALSE(test, raise_event(f));
			push_cqe(f, 3, false);
			KUNIT_EXPECT_TRUE(test, raise_event(f));
			push_cqe(f, 4, false);
			KUNIT_EXPECT_FALSE(test, raise_event(f));
		}
	}
}

static void moderation_delays_no_completion(struct kunit *test)
{
	struct cq_fixture *f = new_cq(test, 16, false);
	struct srnic_cqe cqe;

	KUNIT_ASSERT_EQ(test, srnic_cq_moderate(&f->cq, 100, HOUR), 0);
	arm_cq(f, SRNIC_ARM_NEXT);
	push_cqe(f, 7, false);
	KUNIT_EXPECT_TRUE(test, srnic_cq_pop(&f->cq, &cqe));
	KUNIT_EXPECT_EQ(test, cqe.wr_id, 7);
}

/* Completions that do not match the request do not count. */
static void moderated_solicited_request_counts_solicited_completions(struct kunit *test)
{
	for (int user = 0; user <= 1; user++) {
		struct cq_fixture *f = new_cq(test, 16, user);

		KUNIT_ASSERT_EQ(test, srnic_cq_moderate(&f->cq, 2, HOUR), 0);
		arm_cq(f, SRNIC_ARM_SOLICITED);
		push_cqe(f, 1, false);
		push_cqe(f, 2, true);
		push_cqe(f, 3, false);
		KUNIT_EXPECT_FALSE(test, raise_event(f));
		push_cqe(f, 4, true);
		KUNIT_EXPECT_TRUE(test, raise_event(f));
	}
}

static void moderation_does_not_delay_an_error(struct kunit *test)
{
	const struct srnic_cqe error = { .status = IB_WC_WR_FLUSH_ERR };

	for (int user = 0; user <= 1; user++) {
		struct cq_fixture *f = new_cq(test, 16, user);

		KUNIT_ASSERT_EQ(test, srnic_cq_moderate(&f->cq, 100, HOUR), 0);
		arm_cq(f, SRNIC_ARM_NEXT);
		push_cqe(f, 1, false);
		KUNIT_EXPECT_FALSE(test, raise_event(f));
		KUNIT_EXPECT_EQ(test, srnic_cq_push(&f->cq, &error, true), 0);
		KUNIT_EXPECT_TRUE(test, raise_event(f));
	}
}

static void moderated_event_comes_when_its_period_ends(struct kunit *test)
{
	for (int user = 0; user <= 1; user++) {
		struct cq_fixture *f = new_cq(test, 16, user);

		KUNIT_ASSERT_EQ(test, srnic_cq_moderate(&f->cq, 100, 1), 0);
		arm_cq(f, SRNIC_ARM_NEXT);
		push_cqe(f, 1, false);
		/* a minute, on a machine that is busy */
		for (int i = 0; i < 3000 && !READ_ONCE(f->calls); i++)
			msleep(20);
		KUNIT_EXPECT_EQ(test, f->calls, 1);
		KUNIT_EXPECT_TRUE(test, f->bh_off);
	}
}

/* A change raises what was delayed under the old terms. */
static void changed_moderation_raises_what_was_delayed(struct kunit *test)
{
	static const struct {
		u32 count;
		u32 period;
		bool delays;
	} tries[] = {
		{ 50, HOUR, true }, { 0, HOUR, false }, { 1, HOUR, false }, { 50, 0, false },
		{ 0, 0, false },
	};

	for (int i = 0; i < ARRAY_SIZE(tries); i++) {
		struct cq_fixture *f = new_cq(test, 16, i & 1);

		KUNIT_ASSERT_EQ(test, srnic_cq_moderate(&f->cq, 100, HOUR), 0);
		arm_cq(f, SRNIC_ARM_NEXT);
		push_cqe(f, 1, false);
		KUNIT_EXPECT_FALSE(test, raise_event(f));
		KUNIT_EXPECT_EQ(test, srnic_cq_moderate(&f->cq, tries[i].count, tries[i].period),
				0);
		KUNIT_EXPECT_EQ(test, f->calls, 1);
		arm_cq(f, SRNIC_ARM_NEXT);
		push_cqe(f, 2, false);
		KUNIT_EXPECT_EQ_MSG(test, raise_event(f), !tries[i].delays, "try %d", i);
	}
}

static void R1_request_that_a_process_takes_back_raises_no_event(struct kunit *test)
{
	struct cq_fixture *f = new_cq(test, 16, true);

	KUNIT_ASSERT_EQ(test, srnic_cq_moderate(&f->cq, 2, HOUR), 0);
	arm_cq(f, SRNIC_ARM_NEXT);
	push_cqe(f, 1, false);
	f->cq.ring.hdr->arm = 0x12345678;
	KUNIT_EXPECT_EQ(test, srnic_cq_moderate(&f->cq, 0, 0), 0);
	push_cqe(f, 2, true);
	KUNIT_EXPECT_FALSE(test, raise_event(f));
	KUNIT_EXPECT_EQ(test, f->calls, 0);
}

/* The fixture stops the queue at the end. */
static void queue_may_go_while_an_event_is_delayed(struct kunit *test)
{
	struct cq_fixture *f = new_cq(test, 16, false);

	KUNIT_ASSERT_EQ(test, srnic_cq_moderate(&f->cq, 100, 1000), 0);
	arm_cq(f, SRNIC_ARM_NEXT);
	push_cqe(f, 1, false);
}

static void handler_runs_alone_with_bottom_halves_off(struct kunit *test)
{
	struct cq_fixture *f = new_cq(test, 64, false);

	f->push_in_handler = 3;
	srnic_cq_arm(&f->cq, SRNIC_ARM_NEXT);
	push_cqe(f, 1, false);
	KUNIT_EXPECT_TRUE(test, raise_event(f));
	KUNIT_EXPECT_EQ(test, f->calls, 4);
	KUNIT_EXPECT_EQ(test, f->deepest, 1);
	KUNIT_EXPECT_TRUE(test, f->bh_off);
}

static void handler_that_never_ends_is_left_to_the_worker(struct kunit *test)
{
	struct cq_fixture *f = new_cq(test, 256, false);

	f->push_in_handler = 100;
	srnic_cq_arm(&f->cq, SRNIC_ARM_NEXT);
	push_cqe(f, 1, false);
	srnic_cq_notify(&f->cq);
	while (flush_work(&f->cq.notify_work))
		;
	KUNIT_EXPECT_EQ(test, f->calls, 101);
	KUNIT_EXPECT_GT(test, f->direct, 0);
	KUNIT_EXPECT_LT(test, f->direct, 100);
	KUNIT_EXPECT_EQ(test, f->deepest, 1);
}

static void indirect_event_is_a_workers(struct kunit *test)
{
	struct cq_fixture *f = new_cq(test, 16, false);

	srnic_cq_arm(&f->cq, SRNIC_ARM_NEXT);
	push_cqe(f, 1, false);
	srnic_cq_notify_later(&f->cq);
	flush_work(&f->cq.notify_work);
	KUNIT_EXPECT_EQ(test, f->calls, 1);
	KUNIT_EXPECT_EQ(test, f->direct, 0);
}

static void R21_resize_loses_no_completion_and_no_request(struct kunit *test)
{
	for (int user = 0; user <= 1; user++) {
		struct cq_fixture *f = new_cq(test, 4, user);
		struct srnic_ring *large = new_ring(test, 64, sizeof(struct srnic_cqe), user);
		struct srnic_cqe *slots;

		f->cq.ring.head = U32_MAX - 1;
		f->cq.tail = f->cq.ring.head;
		f->cq.ring.hdr->cons = f->cq.ring.head;
		for (u32 i = 0; i < 3; i++)
			push_cqe(f, i, false);
		arm_cq(f, SRNIC_ARM_SOLICITED);

		KUNIT_EXPECT_EQ(test, srnic_cq_exchange(&f->cq, large), 0);
		KUNIT_EXPECT_EQ(test, f->cq.ring.entries, 64);
		KUNIT_EXPECT_EQ(test, f->cq.ring.hdr->prod, 3);
		KUNIT_EXPECT_EQ(test, srnic_cq_waiting(&f->cq), 3);
		slots = f->cq.ring.slots;
		for (u32 i = 0; i < 3; i++)
			KUNIT_EXPECT_EQ(test, slots[i].wr_id, i);
		for (u32 i = 3; i < 64; i++)
			KUNIT_EXPECT_EQ(test, push_cqe(f, i, false), 0);
		KUNIT_EXPECT_FALSE(test, raise_event(f));
		KUNIT_EXPECT_EQ(test, push_cqe(f, 64, true), -EOVERFLOW);
	}
}

static void R21_resize_carries_the_request_over(struct kunit *test)
{
	for (int user = 0; user <= 1; user++) {
		struct cq_fixture *f = new_cq(test, 4, user);
		struct srnic_ring *large = new_ring(test, 8, sizeof(struct srnic_cqe), user);

		arm_cq(f, SRNIC_ARM_NEXT);
		KUNIT_EXPECT_EQ(test, srnic_cq_exchange(&f->cq, large), 0);
		push_cqe(f, 1, false);
		KUNIT_EXPECT_TRUE(test, raise_event(f));
	}
}

static void R21_resize_below_what_waits_is_refused(struct kunit *test)
{
	struct cq_fixture *f = new_cq(test, 4, false);
	struct srnic_ring *small = new_ring(test, 2, sizeof(struct srnic_cqe), false);
	struct srnic_cqe cqe;

	for (u32 i = 0; i < 3; i++)
		push_cqe(f, i, false);
	KUNIT_EXPECT_EQ(test, srnic_cq_exchange(&f->cq, small), -EINVAL);
	KUNIT_EXPECT_EQ(test, f->cq.ring.entries, 4);
	for (u32 i = 0; i < 3; i++) {
		KUNIT_EXPECT_TRUE(test, srnic_cq_pop(&f->cq, &cqe));
		KUNIT_EXPECT_EQ(test, cqe.wr_id, i);
	}
}

static void R1_queue_whose_consumer_index_cannot_be_is_not_resized(struct kunit *test)
{
	struct cq_fixture *f = new_cq(test, 4, true);
	struct srnic_ring *large = new_ring(test, 64, sizeof(struct srnic_cqe), true);

	f->cq.ring.hdr->cons = 12;
	KUNIT_EXPECT_EQ(test, srnic_cq_exchange(&f->cq, large), -EINVAL);
	KUNIT_EXPECT_EQ(test, f->cq.ring.entries, 4);
}

/* 16 MiB: a kernel that copies them with interrupts off loses many ticks. */
#define CQ_LARGE	SZ_256K
#define TICK_NS		(100 * NSEC_PER_USEC)
#define TICKS_LEAST	8

/**
 * struct ticker - interrupts taken while a queue is resized
 * @timer: on the CPU of the test
 * @f: fixture to which completions are pushed
 * @taken: number of interrupts so far
 */
struct ticker {
	struct hrtimer timer;
	struct cq_fixture *f;
	u32 taken;
};

static enum hrtimer_restart tick_fire(struct hrtimer *timer)
{
	struct ticker *ticker = container_of(timer, struct ticker, timer);

	push_cqe(ticker->f, CQ_LARGE + ticker->taken++, false);
	hrtimer_forward_now(timer, ns_to_ktime(TICK_NS));
	return HRTIMER_RESTART;
}

static struct ticker *new_ticker(struct kunit *test, struct cq_fixture *f)
{
	struct ticker *ticker = kunit_kzalloc(test, sizeof(*ticker), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ticker);
	ticker->f = f;
	hrtimer_setup(&ticker->timer, tick_fire, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	return ticker;
}

static void interrupts_are_taken_while_a_queue_is_resized(struct kunit *test)
{
	struct cq_fixture *f = new_cq(test, 2 * CQ_LARGE, false);
	struct srnic_ring *other = new_ring(test, 2 * CQ_LARGE, sizeof(struct srnic_cqe), false);
	struct ticker *ticker = new_ticker(test, f);
	struct srnic_cqe cqe = {};
	u32 wrong = 0, got;
	int err;

	for (u32 i = 0; i < CQ_LARGE; i++)
		push_cqe(f, i, false);
	migrate_disable();
	hrtimer_start(&ticker->timer, ns_to_ktime(TICK_NS), HRTIMER_MODE_REL_PINNED_HARD);
	err = srnic_cq_exchange(&f->cq, other);
	hrtimer_cancel(&ticker->timer);
	migrate_enable();

	KUNIT_EXPECT_EQ(test, err, 0);
	/* With interrupts off during the whole copy, only one would be taken, at its end. */
	KUNIT_EXPECT_GE(test, ticker->taken, TICKS_LEAST);
	for (got = 0; srnic_cq_pop(&f->cq, &cqe); got++)
		wrong += cqe.wr_id != got;
	KUNIT_EXPECT_EQ(test, got, CQ_LARGE + ticker->taken);
	KUNIT_EXPECT_EQ(test, wrong, 0);
}

static struct kunit_case queue_cases[] = {
	KUNIT_CASE(ring_is_rounded_up_and_all_of_it_granted),
	KUNIT_CASE(R13_fresh_ring_has_no_old_content),
	KUNIT_CASE(every_slot_is_its_own_memory),
	KUNIT_CASE(pending_counts_across_the_wrap_of_the_index),
	KUNIT_CASE(R1_producer_index_that_cannot_be_is_refused),
	KUNIT_CASE(fetched_request_is_what_was_posted),
	KUNIT_CASE(R1_what_the_process_writes_later_does_not_matter),
	KUNIT_CASE_PARAM(R1_request_is_checked_after_it_was_copied, sq_case_gen_params),
	KUNIT_CASE(word_and_flush_are_taken_from_the_entry),
	KUNIT_CASE(kernel_pointer_does_not_come_from_a_user_ring),
	KUNIT_CASE(the_kernel_says_that_it_sleeps_and_looks_again),
	KUNIT_CASE(receives_come_in_the_order_of_posting),
	KUNIT_CASE(slot_is_free_again_once_it_has_been_copied),
	KUNIT_CASE(receive_with_too_many_sges_is_not_posted),
	KUNIT_CASE(R1_bad_receive_is_reported_and_consumed),
	KUNIT_CASE(resized_receive_queue_keeps_what_waits),
	KUNIT_CASE(receives_move_a_batch_at_a_time_while_others_come_and_go),
	KUNIT_CASE(R1_queue_with_a_nonsensical_index_is_not_resized),
	KUNIT_CASE(completions_come_in_order_across_the_wrap),
	KUNIT_CASE(R27_full_queue_refuses_and_is_given_up),
	KUNIT_CASE(R27_consumer_index_that_cannot_be_hurts_its_writer_alone),
	KUNIT_CASE(R1_kernel_index_does_not_come_from_the_ring),
	KUNIT_CASE(user_queue_is_not_polled_by_the_kernel),
	KUNIT_CASE(one_event_a_request),
	KUNIT_CASE(solicited_request_waits_for_a_solicited_completion),
	KUNIT_CASE(wider_of_two_requests_counts),
	KUNIT_CASE(R1_nonsensical_arm_word_is_no_request),
	KUNIT_CASE(request_tells_of_completions_that_wait),
	KUNIT_CASE(moderated_event_waits_for_the_number_of_completions),
	KUNIT_CASE(moderation_delays_no_completion),
	KUNIT_CASE(moderated_solicited_request_counts_solicited_completions),
	KUNIT_CASE(moderation_does_not_delay_an_error),
	KUNIT_CASE(moderated_event_comes_when_its_period_ends),
	KUNIT_CASE(changed_moderation_raises_what_was_delayed),
	KUNIT_CASE(R1_request_that_a_process_takes_back_raises_no_event),
	KUNIT_CASE(queue_may_go_while_an_event_is_delayed),
	KUNIT_CASE(handler_runs_alone_with_bottom_halves_off),
	KUNIT_CASE(handler_that_never_ends_is_left_to_the_worker),
	KUNIT_CASE(indirect_event_is_a_workers),
	KUNIT_CASE(R21_resize_loses_no_completion_and_no_request),
	KUNIT_CASE(R21_resize_carries_the_request_over),
	KUNIT_CASE(R21_resize_below_what_waits_is_refused),
	KUNIT_CASE(R1_queue_whose_consumer_index_cannot_be_is_not_resized),
	KUNIT_CASE_SLOW(interrupts_are_taken_while_a_queue_is_resized),
	{}
};

static struct kunit_suite queue_suite = {
	.name = "srnic-queue",
	.test_cases = queue_cases,
};

kunit_test_suite(queue_suite);

MODULE_DESCRIPTION("KUnit suite of srnic's queue room");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(SRNIC_KUNIT);
