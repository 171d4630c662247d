// SPDX-License-Identifier: GPL-2.0
/*
 * CRC-32 by carry-less multiplication on x86.
 *
 * V. Gopal et al., "Fast CRC Computation for Generic Polynomials Using
 * PCLMULQDQ Instruction" (Intel, 2009): the remainder does not change if 128
 * bits of the message are replaced by their product with x^n mod P, added n
 * bits further on. With reflected bits, as in CRC-32, each half has a factor of
 * its own: x^(n + 32) mod P for the earlier half, x^(n - 32) mod P for the
 * later one, both reflected and shifted left by one.
 *
 * crc32-pclmul folds four registers at a time and copies them. This code folds
 * eight, and AVX's third operand makes the copies unnecessary, which saves a
 * third of the instructions.
 */
#include <asm/fpu/api.h>
#include <linux/build_bug.h>
#include <linux/cpufeature.h>
#include <linux/types.h>
#include "export.h"
#include "wire/wire.h"

#define LANES	8

static_assert(SRNIC_CRC_LANE * LANES == SRNIC_CRC_FOLD_MIN);

/**
 * struct factors - multipliers for folding and reduction
 * @lanes: x^(n + 32), x^(n - 32) mod P, for n = eight lanes
 * @lane: the same for n = one lane
 * @word: x^64 mod P
 * @mask: mask for the low 32 bits
 * @barrett: P, and the quotient of x^64 and P
 */
struct factors {
	u64 lanes[2];
	u64 lane[2];
	u64 word[2];
	u64 mask[2];
	u64 barrett[2];
};

static const struct factors factors __aligned(SRNIC_CRC_LANE) = {
	.lanes = { 0x1e88ef372, 0x14a7fe880 },
	.lane = { 0x1751997d0, 0x0ccaa009e },
	.word = { 0x163cd6124 },
	.mask = { 0xffffffff },
	.barrett = { 0x1db710641, 0x1f7011641 },
};

/* Multiply register @x by the factors in xmm15; overwrites xmm@t. */
#define FOLD(x, t) \
	"vpclmulqdq $0x00, %%xmm15, %%xmm" #x ", %%xmm" #t "\n\t" \
	"vpclmulqdq $0x11, %%xmm15, %%xmm" #x ", %%xmm" #x "\n\t" \
	"vpxor %%xmm" #t ", %%xmm" #x ", %%xmm" #x "\n\t"

/* Fold register @x onto the lane at @at. */
#define FOLD_NEXT(x, t, at) \
	FOLD(x, t) "vpxor " #at "(%[data]), %%xmm" #x ", %%xmm" #x "\n\t"

/* Fold the first register onto the next lane, in register @x. */
#define FOLD_INTO(x) \
	FOLD(0, 8) "vpxor %%xmm" #x ", %%xmm0, %%xmm0\n\t"

/*
 * Reduce 128 bits to 96 by x^96, then to 64 by x^64, then to 32 modulo P. The
 * last step is a Barrett reduction: it multiplies by the inverse instead of
 * dividing.
 */
#define REDUCE \
	"vpclmulqdq $0x01, %%xmm0, %%xmm15, %%xmm8\n\t" \
	"vpsrldq $8, %%xmm0, %%xmm0\n\t" \
	"vpxor %%xmm8, %%xmm0, %%xmm0\n\t" \
	"vmovdqa %[mask], %%xmm14\n\t" \
	"vpsrldq $4, %%xmm0, %%xmm8\n\t" \
	"vpand %%xmm14, %%xmm0, %%xmm0\n\t" \
	"vpclmulqdq $0x00, %[word], %%xmm0, %%xmm0\n\t" \
	"vpxor %%xmm8, %%xmm0, %%xmm0\n\t" \
	"vmovdqa %[barrett], %%xmm15\n\t" \
	"vpand %%xmm14, %%xmm0, %%xmm8\n\t" \
	"vpclmulqdq $0x10, %%xmm15, %%xmm8, %%xmm8\n\t" \
	"vpand %%xmm14, %%xmm8, %%xmm8\n\t" \
	"vpclmulqdq $0x00, %%xmm15, %%xmm8, %%xmm8\n\t" \
	"vpxor %%xmm8, %%xmm0, %%xmm0\n\t" \
	"vpextrd $1, %%xmm0, %[crc]\n\t"

/* Return the state after @blocks times LANES lanes (at least once) and @rest lanes more. */
static u32 fold_lanes(u32 crc, const u8 *data, size_t blocks, size_t rest)
{
	asm volatile("vmovdqu (%[data]), %%xmm0\n\t"
		     "vmovdqu 16(%[data]), %%xmm1\n\t"
		     "vmovdqu 32(%[data]), %%xmm2\n\t"
		     "vmovdqu 48(%[data]), %%xmm3\n\t"
		     "vmovdqu 64(%[data]), %%xmm4\n\t"
		     "vmovdqu 80(%[data]), %%xmm5\n\t"
		     "vmovdqu 96(%[data]), %%xmm6\n\t"
		     "vmovdqu 112(%[data]), %%xmm7\n\t"
		     "vmovd %[crc], %%xmm8\n\t"		/* added to the first four bytes */
		     "vpxor %%xmm8, %%xmm0, %%xmm0\n\t"
		     "vmovdqa %[lanes], %%xmm15\n\t"
		     "jmp 2f\n"
		     "1:\n\t"
		     FOLD_NEXT(0, 8, 0)
		     FOLD_NEXT(1, 9, 16)
		     FOLD_NEXT(2, 10, 32)
		     FOLD_NEXT(3, 11, 48)
		     FOLD_NEXT(4, 12, 64)
		     FOLD_NEXT(5, 13, 80)
		     FOLD_NEXT(6, 14, 96)
		     FOLD_NEXT(7, 8, 112)
		     "2:\n\t"
		     "sub $-128, %[data]\n\t"
		     "dec %[blocks]\n\t"
		     "jnz 1b\n\t"
		     "vmovdqa %[lane], %%xmm15\n\t"
		     FOLD_INTO(1) FOLD_INTO(2) FOLD_INTO(3) FOLD_INTO(4)
		     FOLD_INTO(5) FOLD_INTO(6) FOLD_INTO(7)
		     "jmp 4f\n"
		     "3:\n\t"
		     FOLD_NEXT(0, 8, 0)
		     "add $16, %[data]\n"
		     "4:\n\t"
		     "dec %[rest]\n\t"
		     "jns 3b\n\t"
		     REDUCE
		     : [crc] "+r" (crc), [data] "+r" (data), [blocks] "+r" (blocks),
		       [rest] "+r" (rest)
		     : [lanes] "m" (factors.lanes), [lane] "m" (factors.lane),
		       [word] "m" (factors.word), [mask] "m" (factors.mask),
		       [barrett] "m" (factors.barrett)
		     : "memory", "cc");
	return crc;
}

/**
 * srnic_crc_can_fold() - Tell whether this CPU supports srnic_crc_fold()
 */
bool srnic_crc_can_fold(void)
{
	return boot_cpu_has(X86_FEATURE_PCLMULQDQ) && boot_cpu_has(X86_FEATURE_AVX) &&
	       cpu_has_xfeatures(XFEATURE_MASK_SSE | XFEATURE_MASK_YMM, NULL);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_crc_can_fold);

/**
 * srnic_crc_fold() - Update a CRC over a run of bytes
 * @crc: state, updated
 * @data: bytes
 * @len: bytes in @data: at least SRNIC_CRC_FOLD_MIN, a multiple of
 *	SRNIC_CRC_LANE, and limited, because preemption is disabled
 *
 * Context: any, on a CPU for which srnic_crc_can_fold() is true.
 * Return: false if the FPU cannot be used in this context.
 */
bool srnic_crc_fold(u32 *crc, const u8 *data, size_t len)
{
	size_t lanes = len / SRNIC_CRC_LANE;

	if (unlikely(!irq_fpu_usable()))
		return false;
	kernel_fpu_begin();
	*crc = fold_lanes(*crc, data, lanes / LANES, lanes % LANES);
	kernel_fpu_end();
	return true;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_crc_fold);
