/* SPDX-License-Identifier: GPL-2.0 */
/* Found on kernels that do not have it yet, as 6.1: part of a larger header. */
#include <linux/netdevice.h>
