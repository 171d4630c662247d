/* SPDX-License-Identifier: GPL-2.0 */
/*
 * path - the paths of the files in the folder.
 */
#ifndef PATH_H
#define PATH_H

#include <limits.h>
#include "why.h"

/* Set the path of a file of the folder. Fail rather than cut it off: that names another file. */
bool path_join(char path[PATH_MAX], const char *folder, const char *name, struct why *why);

#endif /* PATH_H */
