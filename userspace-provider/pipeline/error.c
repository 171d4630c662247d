// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Error messages: one line per thread, because functions without a handle can fail, too.
 */
#include <stdarg.h>
#include <stdio.h>
#include <rdma/rdma_pipeline.h>
#include "error.h"

static __thread char line[256];

int fail(int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	return -err;
}

const char *rdma_pipeline_message(void)
{
	return line;
}
