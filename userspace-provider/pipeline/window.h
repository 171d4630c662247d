/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * window - how many connection requests may be unanswered at once. QP1 has 512 receives, and a
 * request that is lost there is sent again only after four seconds. Grows as in TCP: by one
 * for each answer up to the threshold, then by one a window; a loss halves it, once for all
 * requests that were sent before.
 */
#ifndef WINDOW_H
#define WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#define WINDOW_MIN	4u
#define WINDOW_FIRST	64u

struct window {
	uint32_t size;
	uint32_t max;
	uint32_t threshold;
	uint32_t in_flight;
	uint32_t credit;	/* answers since the last growth */
	uint64_t sent;		/* requests ever sent */
	uint64_t cut;		/* @sent when the window was halved */
};

/* @max: at least 1 */
void window_init(struct window *window, uint32_t max);
bool window_has_room(const struct window *window);
/* Return the number of the request, for window_shrink() */
uint64_t window_send(struct window *window);
/* A request is no longer in flight */
void window_leave(struct window *window);
/* A request was answered */
void window_grow(struct window *window);
/* A request was lost, or met a busy peer */
void window_shrink(struct window *window, uint64_t number);

#endif /* WINDOW_H */
