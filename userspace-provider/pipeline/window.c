// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "window.h"

static uint32_t lesser(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

void window_init(struct window *window, uint32_t max)
{
	*window = (struct window){
		.size = lesser(WINDOW_FIRST, max),
		.max = max,
		.threshold = max,
	};
}

bool window_has_room(const struct window *window)
{
	return window->in_flight < window->size;
}

uint64_t window_send(struct window *window)
{
	window->in_flight++;
	return window->sent++;
}

void window_leave(struct window *window)
{
	window->in_flight--;
}

void window_grow(struct window *window)
{
	if (window->size >= window->max)
		return;
	if (window->size >= window->threshold && ++window->credit < window->size)
		return;
	window->credit = 0;
	window->size++;
}

void window_shrink(struct window *window, uint64_t number)
{
	uint32_t least = lesser(WINDOW_MIN, window->max);

	if (number < window->cut)
		return;
	window->cut = window->sent;
	window->size = window->size / 2 > least ? window->size / 2 : least;
	window->threshold = window->size;
	window->credit = 0;
}
