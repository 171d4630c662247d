/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kept - a sample of genuine packets of each kind seen so far.
 */
#ifndef KEPT_H
#define KEPT_H

#include "../ioctls/chance.h"
#include "frame.h"

/* Add a packet; if its kind has enough, replace one of that kind */
void kept_add(const struct frame *frame, struct chance *chance);
/* Return a random packet, all kinds being equally likely; NULL if there is none */
const struct frame *kept_any(struct chance *chance);
/* Return a random packet, preferably one sent to that side */
const struct frame *kept_to(int side, struct chance *chance);
/* Return the number of kinds */
unsigned int kept_kinds(void);

#endif /* KEPT_H */
