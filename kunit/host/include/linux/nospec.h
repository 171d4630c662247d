/* SPDX-License-Identifier: GPL-2.0 */
/* User-space tests have no secrets to protect from speculation. */
#define array_index_nospec(index, size)	(index)
