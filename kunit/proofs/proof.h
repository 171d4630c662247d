/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the proofs are written in: values that may be any, what is taken for granted
 * of them, and what follows. Kept out of the harnesses: how cbmc is told.
 *
 * The head of a harness is read by ./prove. Each line names one of these; a tab goes on.
 *
 *	proves:	in one line
 *	cites:	requirements
 *	files:	what of the rooms it is linked with
 *	unwind:	iterations of the longest loop, and one more: cbmc shows that they are
 *		enough. Without it, the proof takes too long for 'make check'
 *	size:	FILE: `TEXT` => `TEXT`: what is made smaller for that
 *	soak-unwind, soak-size: the same for 'make soak'
 *	wraps:	FUNCTION: why its arithmetic does, or cuts off
 *	broken:	FILE: `TEXT` => `TEXT`: a bug; the proof must fail with it
 */
#ifndef SRNIC_PROOF_H
#define SRNIC_PROOF_H

#include "shim.h"

/* functions of these names and without a body: any value, to cbmc */
bool nondet_bool(void);
u8 nondet_u8(void);
u16 nondet_u16(void);
u32 nondet_u32(void);
u64 nondet_u64(void);
s32 nondet_s32(void);

/* any bytes in an object that is there already */
#define ANY_BYTES(object)	__CPROVER_havoc_object(object)
#define GIVEN(condition)	__CPROVER_assume(condition)
#define PROVE(condition)	__CPROVER_assert(condition, #condition)
/* what follows is reached at all: else what was given contradicts itself */
#define POSSIBLE()		__CPROVER_assert(false, "POSSIBLE")

/* exactly so many bytes, of any content: one over is out of bounds */
static inline void *any_memory(size_t size)
{
	void *memory = malloc(size);

	GIVEN(memory);
	return memory;
}

#endif /* SRNIC_PROOF_H */
