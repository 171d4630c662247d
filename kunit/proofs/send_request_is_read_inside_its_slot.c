// SPDX-License-Identifier: GPL-2.0
/*
 * proves: a send is copied once from within its slot and checked, for any contents of a user's ring
 * cites: R1, R28, IBA 11.4.1.1
 * files: queue/index.c queue/sq.c
 * unwind: 5
 * wraps: srnic_sq_fetch: the kernel's own index runs freely modulo 2^32
 * broken: queue/sq.c: `if (wqe->opcode >= SRNIC_WQE_OPCODES)`
 *	=> `if (wqe->opcode > SRNIC_WQE_OPCODES)`
 * broken: queue/sq.c: `if (wqe->inline_len > max_inline)`
 *	=> `if ((s32)wqe->inline_len > (s32)max_inline)`
 * broken: queue/sq.c: `if (wqe->num_sge > max_sge)` => `if (wqe->num_sge > max_sge + 1)`
 * broken: queue/sq.c: `[SRNIC_WQE_BIND_MW]	= { .known = true },`
 *	=> `[SRNIC_WQE_REG_MR]	= { .known = true },`
 * broken: queue/sq.c: `swqe->ud.kah = NULL;` => `;`
 * broken: queue/sq.c: `if (swqe->length < SQ_WORD_LEN)` => `if (!wqe->num_sge)`
 * broken: queue/sq.c: `min_t(u64, length, U32_MAX)` => `length`
 */
#include "hostile_ring.h"

#define MAX_SGE		2
#define MAX_INLINE	24
#define ROOM		(MAX_SGE * sizeof(struct srnic_abi_sge))	/* the longer of the two */

static bool has_word(const struct srnic_swqe *swqe)
{
	return swqe->opcode == SRNIC_WQE_CMP_SWAP || swqe->opcode == SRNIC_WQE_FETCH_ADD ||
	       swqe->opcode == SRNIC_WQE_ATOMIC_WRITE;
}

int main(void)
{
	struct srnic_ring ring = hostile_ring(sizeof(struct srnic_sq_wqe) + ROOM);
	struct srnic_swqe *swqe = any_memory(sizeof(*swqe) + ROOM);
	u64 length = 0;

	if (srnic_sq_fetch(&ring, swqe, MAX_SGE, MAX_INLINE))
		return 0;

	PROVE(swqe->opcode < SRNIC_WQE_OPCODES && !(swqe->flags & ~SRNIC_WQE_FLAGS));
	/* REG_MR has a kernel pointer, which no user may supply. */
	PROVE(swqe->opcode != SRNIC_WQE_REG_MR && swqe->opcode != SRNIC_WQE_LSO);
	if (swqe->opcode == SRNIC_WQE_SEND || swqe->opcode == SRNIC_WQE_SEND_IMM)
		PROVE(!swqe->ud.kah);
	if (swqe->flags & SRNIC_SWQE_INLINE) {
		PROVE(swqe->length <= MAX_INLINE && !swqe->num_sge);
		PROVE(!has_word(swqe) || swqe->length == 8);
		POSSIBLE();
		return 0;
	}
	PROVE(swqe->num_sge <= MAX_SGE);
	for (u32 i = 0; i < swqe->num_sge; i++)
		length += swqe->sge[i].length;
	PROVE(has_word(swqe) ? swqe->length == 8 && length >= 8 :
			       swqe->length == min_t(u64, length, U32_MAX));
	POSSIBLE();
	return 0;
}
