// SPDX-License-Identifier: GPL-2.0
/*
 * proves: a receive is copied from within its slot and checked, for any contents of a user's ring
 * cites: R1, IBA 10.8.3
 * files: queue/index.c queue/rq.c
 * unwind: 3
 * size: rdma/srnic-abi.h: `SRNIC_MAX_SGE		32` => `SRNIC_MAX_SGE		2`
 * wraps: srnic_ring_pending: indices run freely modulo 2^32 (abi.md)
 * wraps: srnic_rq_fetch: the kernel's own index runs freely modulo 2^32
 * broken: queue/rq.c: `wqe->num_sge > max_sge` => `(int)wqe->num_sge > (int)max_sge`
 * broken: queue/rq.c: `if (length > SRNIC_MAX_MSG)` => `if (length > ~0ULL)`
 * broken: queue/rq.c: `if (pending <= 0)` => `if (!pending)`
 */
#include "hostile_ring.h"
#include "guard/guard.h"

#define MAX_SGE	SRNIC_MAX_SGE

int main(void)
{
	struct srnic_ring ring =
		hostile_ring(sizeof(struct srnic_rq_wqe) + MAX_SGE * sizeof(struct srnic_abi_sge));
	u32 head = ring.head, prod = ring.hdr->prod;
	u32 after = head == U32_MAX ? 0 : head + 1;
	/* number of entries that the user claims */
	u64 ahead = (BIT_ULL(32) + prod - head) & U32_MAX;
	struct srnic_rwqe rwqe;
	u64 length = 0;
	int got;

	ANY_BYTES(&rwqe);
	got = srnic_rq_fetch(&ring, &rwqe, MAX_SGE);
	PROVE(got == 1 || got == 0 || got == -EINVAL);
	PROVE((got == 0) == (head == prod));
	PROVE(ahead <= ring.entries || (got == -EINVAL && ring.head == head));
	/* At most one entry is consumed, and never the same one twice. */
	PROVE(ring.head == head || ring.head == after);
	PROVE(got != 1 || ring.head != head);
	if (got != 1)
		return 0;

	PROVE(rwqe.num_sge <= MAX_SGE && rwqe.length <= SRNIC_MAX_MSG);
	for (u32 i = 0; i < rwqe.num_sge; i++)
		length += rwqe.sge[i].length;
	PROVE(rwqe.length == length && rwqe.done == 0);
	POSSIBLE();
	return 0;
}
