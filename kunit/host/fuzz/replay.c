// SPDX-License-Identifier: GPL-2.0
/*
 * Run a target over a corpus without libFuzzer: once for each file of the given
 * folders.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include "fuzz.h"

/* Not called here: there are no mutations. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
	abort();
}

static void run_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	size_t size, room = 1 << 16;
	uint8_t *data = malloc(room);

	if (!file || !data) {
		perror(path);
		exit(1);
	}
	size = fread(data, 1, room, file);
	fclose(file);
	/* exact size, so that ASan detects any access past its end */
	data = realloc(data, size ? size : 1);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
}

static unsigned int run_folder(const char *name)
{
	DIR *folder = opendir(name);
	struct dirent *entry;
	unsigned int count = 0;
	char path[4096];

	if (!folder) {
		perror(name);
		exit(1);
	}
	while ((entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", name, entry->d_name);
		run_file(path);
		count++;
	}
	closedir(folder);
	return count;
}

int main(int argc, char **argv)
{
	unsigned int count = 0;

	for (int i = 1; i < argc; i++)
		count += run_folder(argv[i]);
	printf("%u inputs\n", count);
	return !count;
}
