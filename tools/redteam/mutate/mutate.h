/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mutate - makes a packet from one or two genuine ones that differs from all genuine ones.
 */
#ifndef MUTATE_H
#define MUTATE_H

#include "kept.h"

struct mutator {
	struct chance chance;
	bool payload_open;	/* mode header: the seal does not cover the payload */
};

/*
 * Make a mutant of @genuine, with right lengths, checksums and ICRC, for which no seal is
 * valid. Return false if this attempt had no result.
 */
bool mutate(struct mutator *by, const struct frame *genuine, struct frame *mutant);
/* Print the number of mutants by mutation, one per line */
void mutate_account(void);

#endif /* MUTATE_H */
