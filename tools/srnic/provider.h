/* SPDX-License-Identifier: GPL-2.0 */
/*
 * provider - where libibverbs looks for the provider of srnic's devices.
 */
#ifndef PROVIDER_H
#define PROVIDER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Return its path for the libibverbs that programs get: beside the library, with the number of the
 * provider ABI in its name. False if there is no such library.
 */
bool provider_path(char *path, size_t size);

#endif /* PROVIDER_H */
