/* SPDX-License-Identifier: GPL-2.0 */
/* Found on kernels that do not have it yet, as 6.1: an architecture's header. */
#include <asm/unaligned.h>
