/* SPDX-License-Identifier: GPL-2.0 */
#include "shim.h"

struct page;	/* headers name it; pure files do not use it */
struct vm_area_struct;
