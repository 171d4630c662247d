// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints' bodies, once.
 */
#define CREATE_TRACE_POINTS
#include "trace/events.h"
