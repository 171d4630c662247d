// SPDX-License-Identifier: GPL-2.0
/*
 * Events: reading them, and closing channels that queues still use.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "ioctls.h"

int events_read(struct shot *shot)
{
	struct caller *caller = shot->caller;
	enum kind kind = chance_one_in(&caller->chance, 2) ? CHANNEL : EVENTS;
	struct object *object = object_any(caller, shot->file, kind);
	char events[256];
	unsigned int handle = object ? atomic_load(&object->handle) : 0;

	if (!handle)
		return EBADF;
	fcntl(handle - 1, F_SETFL, O_NONBLOCK);
	/* no event, or a buffer too small for one, is a valid result, too */
	if (read(handle - 1, events, chance_below(&caller->chance, sizeof(events))) < 0 &&
	    errno != EAGAIN)
		return errno;
	return 0;
}

int channel_close(struct shot *shot)
{
	struct caller *caller = shot->caller;
	enum kind kind = chance_one_in(&caller->chance, 2) ? CHANNEL : EVENTS;
	struct object *object = object_victim(caller, shot->file, kind);
	unsigned int handle = object ? atomic_exchange(&object->handle, 0) : 0;

	if (!handle)
		return EBADF;
	return close(handle - 1) ? errno : 0;
}
