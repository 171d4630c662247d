/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kept - genuine packets, some of each kind that has come by: an attacker has a memory.
 */
#ifndef KEPT_H
#define KEPT_H

#include "../ioctls/chance.h"
#include "frame.h"

/* one of each kind's is forgotten for it, once there are enough */
void kept_add(const struct frame *frame, struct chance *chance);
/* any, each kind as likely as each other; NULL if nothing has come by */
const struct frame *kept_any(struct chance *chance);
/* any that was sent to that side, if there is one */
const struct frame *kept_to(int side, struct chance *chance);
/* how many kinds there are */
unsigned int kept_kinds(void);

#endif /* KEPT_H */
