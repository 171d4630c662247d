/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_HOST_UIDGID_H
#define SRNIC_HOST_UIDGID_H

#include "shim.h"

typedef struct { u32 val; } kuid_t;	/* a member of structures; pure files do not use it */

#endif /* SRNIC_HOST_UIDGID_H */
