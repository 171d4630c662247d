/* SPDX-License-Identifier: GPL-2.0 */
#include "shim.h"

typedef struct {} spinlock_t;	/* a member of structures; pure files take no lock */
