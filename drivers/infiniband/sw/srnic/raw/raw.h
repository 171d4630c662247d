/* SPDX-License-Identifier: GPL-2.0 */
/*
 * raw - flow steering: rules that give frames of the netdev to raw packet QPs, and receive-side
 * scaling (RSS), which spreads the frames of a rule over receive queues. It sees each frame of the
 * netdev, but only while rules exist.
 */
#ifndef SRNIC_RAW_H
#define SRNIC_RAW_H

#include <rdma/ib_verbs.h>
#include <rdma/srnic-abi.h>

struct srnic_dev;
struct srnic_frame_key;
struct srnic_qp;

/* Entries of an indirection table: more than any device has receive queues */
#define SRNIC_MAX_RWQ_TABLE_LOG	9

/* flow.c: process context */
int srnic_raw_open(struct srnic_dev *dev);
void srnic_raw_close(struct srnic_dev *dev);
struct ib_flow *srnic_flow_add(struct srnic_qp *qp, const struct ib_flow_attr *attr);
void srnic_flow_remove(struct srnic_dev *dev, struct ib_flow *ib);

/**
 * struct srnic_rss - How a QP spreads frames over receive queues
 * @fields: SRNIC_RX_HASH_* of a frame that are hashed
 * @key: key of the Toeplitz hash
 * @mask: number of entries in @queue, a power of two, less one
 * @queue: QPs of the receive queues, which the QP's indirection table keeps
 */
struct srnic_rss {
	u32 fields;
	u8 key[SRNIC_RX_HASH_KEY_LEN];
	u32 mask;
	struct srnic_qp *queue[];
};

/* rss.c */
struct srnic_rss *srnic_rss_alloc(const struct ib_rwq_ind_table *table,
				  const struct srnic_create_qp_cmd *cmd);
struct srnic_qp *srnic_rss_pick(const struct srnic_rss *rss, const struct srnic_frame_key *key);
u32 srnic_rss_hash(const struct srnic_rss *rss, const struct srnic_frame_key *key);

#endif /* SRNIC_RAW_H */
