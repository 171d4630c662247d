/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Everything counted is named once: SRNIC_STATS(X) makes the enum here and the
 * names in stats.c; rdma statistic, netlink and the manual use them.
 */
#ifndef SRNIC_STATS_H
#define SRNIC_STATS_H

#include <linux/percpu.h>
#include <linux/u64_stats_sync.h>

#define SRNIC_STATS(X)					\
	X(sent_pkts)					\
	X(sent_bytes)					\
	X(rcvd_pkts)					\
	X(rcvd_bytes)					\
	X(sent_bursts)					\
	X(rcvd_bursts)					\
	X(send_err)					\
	X(duplicate_request)				\
	X(out_of_seq_request)				\
	X(rcvd_rnr_err)					\
	X(send_rnr_err)					\
	X(rcvd_seq_err)					\
	X(ack_deferred)					\
	X(retry_exceeded_err)				\
	X(retry_rnr_exceeded_err)			\
	X(completer_retry_err)				\
	X(retransmits)					\
	X(link_downed)					\
	X(rdma_sends)					\
	X(rdma_recvs)					\
	X(sth_sealed)					\
	X(sth_opened)					\
	X(sth_auth_failed)				\
	X(sth_missing)					\
	X(sth_unexpected)				\
	X(sth_replayed)					\
	X(sth_handshakes)				\
	X(policy_exempt)				\
	X(policy_prefer_clear)				\
	X(stag_invalid)					\
	X(stag_pd)					\
	X(stag_bounds)					\
	X(stag_access)					\
	X(quota_refused)				\
	X(rrq_exceeded)					\
	X(srq_unfair)					\
	X(cq_overflow)					\
	X(icrc_errors)					\
	X(malformed)					\
	X(unknown_opcode)				\
	X(no_qp)					\
	X(wrong_state)					\
	X(wrong_address)				\
	X(wrong_pkey)					\
	X(wrong_qkey)					\
	X(bad_wqe)

#define SRNIC_STAT_ENUM(name)	SRNIC_STAT_##name,
enum srnic_stat {
	SRNIC_STATS(SRNIC_STAT_ENUM)
	SRNIC_STAT_COUNT,
};

struct srnic_stats {
	u64 val[SRNIC_STAT_COUNT];
};

/* any context; the per-CPU word is updated by one instruction */
#define srnic_count_add(dev, name, n) \
	this_cpu_add((dev)->stats->val[SRNIC_STAT_##name], (n))
#define srnic_count(dev, name)	srnic_count_add(dev, name, 1)

#endif /* SRNIC_STATS_H */
