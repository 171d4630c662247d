/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Macros of the proofs: arbitrary values, assumptions about them, and claims.
 *
 * ./prove reads the head of a harness, and of the headers in this folder that it includes. Each
 * line has one of these keys; a tab continues a line.
 *
 *	proves:	the claim, in one line
 *	cites:	requirements
 *	files:	source files to link with
 *	unwind:	iterations of the longest loop plus one: cbmc shows that they are
 *		enough. Without it, the proof takes too long for 'make check'
 *	size:	FILE: `TEXT` => `TEXT`: a size reduced for that bound
 *	soak-unwind, soak-size: the same for 'make soak'
 *	every-size: a size reduced for both bounds
 *	soak-solver: program that decides the formula instead of cbmc's own solver
 *	loops:	FUNCTION.NUMBER:ITERATIONS plus one, of loops that 'unwind' would lengthen
 *	wraps:	FUNCTION: why its arithmetic wraps or truncates
 *	broken:	FILE: `TEXT` => `TEXT`: a bug with which the proof must fail
 */
#ifndef SRNIC_PROOF_H
#define SRNIC_PROOF_H

#include "shim.h"

/* cbmc takes functions of these names without a body as returning any value. */
bool nondet_bool(void);
u8 nondet_u8(void);
u16 nondet_u16(void);
u32 nondet_u32(void);
u64 nondet_u64(void);
s32 nondet_s32(void);

/* Assign any bytes to an existing object. */
#define ANY_BYTES(object)	__CPROVER_havoc_object(object)
#define ANY_SLICE(p, size)	__CPROVER_havoc_slice(p, size)
#define GIVEN(condition)	__CPROVER_assume(condition)
#define PROVE(condition)	__CPROVER_assert(condition, #condition)
/* Check that this place is reachable: otherwise the assumptions contradict each other. */
#define POSSIBLE()		__CPROVER_assert(false, "POSSIBLE")

/* Allocate exactly this size with any contents: an access past the end is out of bounds. */
static inline void *any_memory(size_t size)
{
	void *memory = malloc(size);

	GIVEN(memory);
	return memory;
}

#endif /* SRNIC_PROOF_H */
