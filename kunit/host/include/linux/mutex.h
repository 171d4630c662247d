/* SPDX-License-Identifier: GPL-2.0 */
#include "shim.h"

struct mutex {};	/* a member of structures; pure files take no lock */
