// SPDX-License-Identifier: GPL-2.0
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include "provider.h"

#define VERBS		"libibverbs.so.1"
#define ABI_MAX		99

/* The function that a provider registers with has the number of its ABI in its name. */
static int abi_of(void *verbs)
{
	char name[40];
	int abi;

	for (abi = ABI_MAX; abi; abi--) {
		snprintf(name, sizeof(name), "verbs_register_driver_%d", abi);
		if (dlsym(verbs, name))
			break;
	}
	return abi;
}

bool provider_path(char *path, size_t size)
{
	void *verbs = dlopen(VERBS, RTLD_LAZY | RTLD_LOCAL);
	const char *end = NULL;
	struct link_map *map;
	int abi;

	if (!verbs)
		return false;
	abi = abi_of(verbs);
	if (abi && !dlinfo(verbs, RTLD_DI_LINKMAP, &map))
		end = strrchr(map->l_name, '/');
	if (end)
		snprintf(path, size, "%.*s/libibverbs/libsrnic-rdmav%d.so",
			 (int)(end - map->l_name), map->l_name, abi);
	dlclose(verbs);
	return end;
}
