/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_HOST_SPINLOCK_H
#define SRNIC_HOST_SPINLOCK_H

#include "shim.h"

typedef struct {} spinlock_t;	/* a member of structures; pure files take no lock */

#endif /* SRNIC_HOST_SPINLOCK_H */
