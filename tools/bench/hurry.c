// SPDX-License-Identifier: GPL-2.0
/*
 * Preloaded into perftest: its sleeps take no time.
 *
 * ib_write_bw sleeps for a second before it connects, and the bench starts it
 * hundreds of times. Nothing that is measured sleeps.
 */
#include <unistd.h>

unsigned int sleep(unsigned int seconds)
{
	(void)seconds;
	return 0;
}
