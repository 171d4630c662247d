/* SPDX-License-Identifier: GPL-2.0 */
#include "shim.h"

struct scatterlist;	/* headers name it; pure files do not use it */
