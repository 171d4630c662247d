/* SPDX-License-Identifier: GPL-2.0 */
#include "shim.h"

struct work_struct {};	/* a member of structures; pure files queue no work */
typedef void (*work_func_t)(struct work_struct *work);
