/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * cancel - put off the cancellation of the calling thread (pthread_cancel(3)): a function that has
 * several steps, or waits with a reference, must not end between them.
 */
#ifndef CANCEL_H
#define CANCEL_H

#include <pthread.h>

/* Return the state for cancel_restore(). */
static inline int cancel_put_off(void)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	return state;
}

static inline void cancel_restore(int state)
{
	pthread_setcancelstate(state, &state);
}

#endif /* CANCEL_H */
