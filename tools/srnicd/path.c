// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include "path.h"

bool path_join(char path[PATH_MAX], const char *folder, const char *name, struct why *why)
{
	if (snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX)
		return true;
	return why_not(why, "the path of %.40s in %.100s... is too long", name, folder);
}
