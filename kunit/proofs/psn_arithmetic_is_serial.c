// SPDX-License-Identifier: GPL-2.0
/*
 * proves: PSN distances are correct up to half of the space, and adding one yields the other PSN
 * cites: IBA 9.7.2
 * unwind: 1
 * wraps: srnic_psn_diff: serial arithmetic modulo 2^24 (IBA 9.7.2)
 * wraps: srnic_psn_since: serial arithmetic modulo 2^24 (IBA 9.7.2)
 * broken: wire/wire.h: `(s32)((a - b) << 8) >> 8` => `(s32)(a - b)`
 * broken: wire/wire.h: `return (psn + n) & SRNIC_PSN_MASK;` => `return psn + n;`
 * broken: wire/wire.h: `return (psn - first) & SRNIC_PSN_MASK;` => `return psn - first;`
 */
#include "proof.h"
#include "wire/wire.h"

#define HALF	(1 << 23)

int main(void)
{
	u32 a = nondet_u32(), b = nondet_u32(), n = nondet_u32();
	s32 ahead;

	GIVEN(a <= SRNIC_PSN_MASK && b <= SRNIC_PSN_MASK && n < HALF);

	ahead = srnic_psn_diff(a, b);
	PROVE(ahead >= -HALF && ahead < HALF);
	PROVE((ahead == 0) == (a == b));
	PROVE(ahead == -HALF || srnic_psn_diff(b, a) == -ahead);
	PROVE(ahead < 0 || srnic_psn_add(b, ahead) == a);

	PROVE(srnic_psn_add(a, n) <= SRNIC_PSN_MASK);
	PROVE(srnic_psn_diff(srnic_psn_add(a, n), a) == (s32)n);
	PROVE(srnic_psn_since(srnic_psn_add(a, n), a) == n);
	POSSIBLE();
	return 0;
}
