/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mutate - a packet made of a genuine one, or of two, that no genuine one is like.
 */
#ifndef MUTATE_H
#define MUTATE_H

#include "kept.h"

struct mutator {
	struct chance chance;
	bool payload_open;	/* header mode: a seal does not cover the payload */
};

/*
 * What becomes of @genuine, with lengths, sums and ICRC right; false if nothing has this
 * time. What it is now no seal can be right for.
 */
bool mutate(struct mutator *by, const struct frame *genuine, struct frame *mutant);
/* how many of each kind there were, one a line */
void mutate_account(void);

#endif /* MUTATE_H */
