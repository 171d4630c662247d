/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parts of srnic-rings: objects of each kind, the rings behind them, and bystanders that must go
 * on whatever is written into a ring.
 */
#ifndef SRNIC_REDTEAM_RINGS_H
#define SRNIC_REDTEAM_RINGS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "srnic-abi.h"

#define DEPTH		64	/* entries of a ring that has lies */
#define MESSAGE		64	/* bytes of a message, or of a frame */
#define BIT(n)		(1U << (n))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Types of queue pairs that have a send ring */
enum kind {
	RC,
	XRC,	/* initiators */
	RAW,
	KINDS,
};

#define ALL_KINDS	(BIT(KINDS) - 1)

/* Last bytes of group addresses: frames to a group return to the rules of their device */
enum group {
	GROUP_BYSTANDER,
	GROUP_LIE,	/* the bystander also receives these, which must never come */
	GROUP_EAR,	/* queues whose receive rings have lies */
	GROUP_NOBODY,
};

/* Places in the memory of all regions */
enum place {
	AT_SOURCE	= 0,
	AT_TARGET	= 8192,
	AT_FRAME	= 16384,	/* of bystanders */
	AT_RECEIVE	= 20480,
	AT_LIE		= 24576,	/* a frame of a liar */
	AT_EAR		= 28672,
	MEMORY		= 65536,
};

/**
 * struct world - the process's device, and what all tests share
 * @cq: completions of the bystanders
 * @liar_cq: completions of the queues whose rings have lies
 * @mr: region with all rights
 * @fixed: region of the same memory, which may only be read
 * @srq: of @xrcd, for the bystanders; @srqn is its number
 * @other_srqn: number of an SRQ of another XRC domain
 * @mtu: of the netdev
 * @patience: timeout of all waits, in ms
 */
struct world {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_cq *liar_cq;
	struct ibv_mr *mr;
	struct ibv_mr *fixed;
	struct ibv_xrcd *xrcd;
	struct ibv_srq *srq;
	uint32_t srqn;
	uint32_t other_srqn;
	uint32_t mtu;
	int patience;
	union ibv_gid gid;
	int gid_index;
	uint8_t memory[MEMORY];
};

extern struct world world;

/* main.c */
void die(const char *what) __attribute__((noreturn));
void verdict(bool good, const char *lie, const char *why);

/* ring.c */
void ring_note(void);
struct srnic_ring_hdr *ring_found(void);
void ring_publish(struct srnic_ring_hdr *ring, uint32_t prod);
void ring_scribble(struct srnic_ring_hdr *ring);
void ring_doorbell(struct ibv_qp *qp);

static inline void *ring_first(struct srnic_ring_hdr *ring)
{
	return (uint8_t *)ring + SRNIC_RING_SLOTS;
}

/* lies.c */

/* struct sge_lie - a change to the only SGE of a sound entry */
struct sge_lie {
	const char *name;
	void (*tell)(struct srnic_abi_sge *sge);
};

/**
 * struct index_lie - an index after one sound entry
 * @prod: the index
 * @beyond_ring: the number of the ring's entries is added
 */
struct index_lie {
	const char *name;
	uint32_t prod;
	bool beyond_ring;
};

#define SGE_LIES	3
#define INDEX_LIES	4

extern const struct sge_lie sge_lies[SGE_LIES];
extern const struct index_lie index_lies[INDEX_LIES];

static inline void ring_publish_lie(struct srnic_ring_hdr *ring, const struct index_lie *lie,
				    uint32_t depth)
{
	ring_publish(ring, lie->prod + (lie->beyond_ring ? depth : 0));
}

/* objects.c */
struct ibv_qp *create_qp(enum kind kind, struct ibv_cq *cq, const struct ibv_qp_cap *cap);
struct ibv_qp *create_receiver(struct ibv_srq *srq);
struct ibv_qp *create_target(void);
struct ibv_srq *create_xrc_srq(struct ibv_xrcd *xrcd, struct ibv_cq *cq, uint32_t *srqn);
struct ibv_xrcd *create_domain(void);
struct ibv_flow *create_rule(struct ibv_qp *qp, enum group group);
void connect_qps(struct ibv_qp *a, struct ibv_qp *b);
void start_raw(struct ibv_qp *qp);
enum ibv_qp_state state_of(struct ibv_qp *qp);
bool soon_in_error(struct ibv_qp *qp);
void drain(struct ibv_cq *cq);
bool completes(struct ibv_cq *cq, uint32_t number, struct ibv_wc *wc);
bool send_message(struct ibv_qp *from, uint32_t srqn, struct ibv_wc *wc);
uint32_t write_frame(enum place at, enum group group, uint32_t source);

/* bystanders.c */
void bystanders_start(void);
void bystanders_live(void);
void send_frame(enum group group, uint32_t source);

/* send.c, receive.c, shared.c: lies in rings of these sorts */
void lie_to_senders(void);
void lie_to_receivers(void);
void break_shared_queues(void);

#endif
