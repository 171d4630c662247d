/* SPDX-License-Identifier: GPL-2.0 */
/*
 * nonces - whether a counter comes twice under a key: then a nonce may have (protocol.md,
 * sections 3 and 8). For suites of the nonce family, whose counters are on the wire. It has
 * no key and needs none: a sub-key serves one queue pair's requests or its responses, one
 * way, in one epoch.
 */
#ifndef NONCES_H
#define NONCES_H

#include "frame.h"

/* a genuine packet that a queue pair has emitted, whether it arrives or not */
void nonces_note(const struct frame *frame);
unsigned long nonces_seen(void);
unsigned long nonces_twice(void);
/* so many sub-keys */
unsigned int nonces_keys(void);

#endif /* NONCES_H */
