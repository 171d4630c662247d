// SPDX-License-Identifier: GPL-2.0
/*
 * Definitions of the tracepoints.
 */
#define CREATE_TRACE_POINTS
#include "trace/events.h"
