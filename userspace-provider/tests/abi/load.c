// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Load the provider as libibverbs does, with all of its symbols bound at once, and say
 * what it registers: in place of libibverbs' own function comes the one below.
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
