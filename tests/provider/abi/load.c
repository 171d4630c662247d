// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Load the provider like libibverbs, with all symbols bound immediately, and print what it
 * registers: the function below replaces libibverbs' own.
 */
#include <dlfcn.h>
#include <stdio.h>

#include <infiniband/driver.h>

static const struct verbs_device_ops *registered;

__attribute__((visibility("default")))
void verbs_register_driver(const struct verbs_device_ops *ops)
{
	registered = ops;
}

int main(int argc, char **argv)
{
	if (argc != 2 || !dlopen(argv[1], RTLD_NOW)) {
		fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "load PROVIDER");
		return 1;
	}
	if (!registered || !registered->alloc_device || !registered->alloc_context) {
		fprintf(stderr, "it has not registered\n");
		return 1;
	}
	printf("%s %u-%u\n", registered->name, registered->match_min_abi_version,
	       registered->match_max_abi_version);
	return 0;
}
