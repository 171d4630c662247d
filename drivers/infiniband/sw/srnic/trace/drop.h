/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drop - Count what is refused: by reason, for the trace and the log, and
 * against its source. The reasons are the counters in stat_list.h.
 *
 * Context of all functions: any.
 */
#ifndef SRNIC_TRACE_DROP_H
#define SRNIC_TRACE_DROP_H

#include "trace/log.h"

struct srnic_pkt;

__cold void srnic_count_refused(const struct srnic_dev *dev, const struct srnic_log_entry *what);
__cold void srnic_count_drop(const struct srnic_dev *dev, const struct srnic_pkt *pkt,
			     enum srnic_stat why);
__cold void srnic_count_drop_unparsed(const struct srnic_dev *dev, const u8 *gid,
				      enum srnic_stat why);

#endif /* SRNIC_TRACE_DROP_H */
