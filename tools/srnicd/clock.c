// SPDX-License-Identifier: GPL-2.0
#include <time.h>
#include "clock.h"

uint64_t clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec * 1000ull + now.tv_nsec / 1000000;
}
