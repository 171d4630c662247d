/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Properties and states of send work requests.
 */
#ifndef SRNIC_ENGINE_WQE_H
#define SRNIC_ENGINE_WQE_H

#include "engine/engine.h"
#include "engine/ipoib.h"

/* struct srnic_swqe.state */
enum srnic_swqe_state {
	SRNIC_SWQE_NEW,		/* not started */
	SRNIC_SWQE_ACTIVE,	/* has PSNs; packets are being sent or will be */
	SRNIC_SWQE_DONE,	/* a local operation that has been executed */
	SRNIC_SWQE_FAILED,	/* has a status; the send queue stops here */
};

/* How the requester executes a work request; READ to CONFIRMED: srnic_wqe_answered() */
enum srnic_wqe_class {
	SRNIC_CLASS_DATA,	/* SEND, WRITE: payload goes out */
	SRNIC_CLASS_READ,	/* a request; the payload is in the responses */
	SRNIC_CLASS_ATOMIC,	/* a request; the response has eight bytes */
	SRNIC_CLASS_CONFIRMED,	/* FLUSH, ATOMIC WRITE: the response is a READ's without payload */
	SRNIC_CLASS_LOCAL,	/* no packets */
	SRNIC_CLASS_FRAME,	/* a frame of a raw packet QP: the payload is the packet */
};

/**
 * struct srnic_wqe_kind - Properties of an opcode of enum srnic_wqe_opcode
 * @class: how the requester executes it
 * @wc: opcode of its completion
 * @types: QP types that support it, BIT(enum ib_qp_type)
 * @first: packet opcodes by position in the message, without the transport's bits; a request
 *	has only @only
 * @middle: see @first
 * @last: see @first
 * @only: see @first
 */
struct srnic_wqe_kind {
	enum srnic_wqe_class class;
	enum ib_wc_opcode wc;
	u32 types;
	u8 first;
	u8 middle;
	u8 last;
	u8 only;
};

extern const struct srnic_wqe_kind srnic_wqe_kinds[SRNIC_WQE_OPCODES];

static inline const struct srnic_wqe_kind *srnic_wqe_kind(const struct srnic_swqe *wqe)
{
	return &srnic_wqe_kinds[wqe->opcode];
}

/* Return true if a work request needs responses of its own, not just an acknowledgment. */
static inline bool srnic_wqe_answered(const struct srnic_swqe *wqe)
{
	enum srnic_wqe_class class = srnic_wqe_kind(wqe)->class;

	return class >= SRNIC_CLASS_READ && class <= SRNIC_CLASS_CONFIRMED;
}

/* Return the index past the newest copy. */
static inline u32 srnic_sq_prod(const struct srnic_sq *sq)
{
	/* acquire: post_send has completed the copies before it stored prod */
	return smp_load_acquire(&sq->prod);
}

/* Return the large send that a work request with opcode SRNIC_WQE_LSO describes. */
static inline struct srnic_lso srnic_wqe_lso(const struct srnic_sq *sq,
					     const struct srnic_swqe *wqe)
{
	return (struct srnic_lso) {
		.header = (const u8 *)wqe + sq->lso_at,
		.hlen = wqe->ud.hlen,
		.mss = wqe->ud.mss,
		.length = wqe->length,
	};
}

static inline u32 srnic_wqe_packets(const struct srnic_swqe *wqe, u32 mtu)
{
	if (wqe->opcode == SRNIC_WQE_LSO)
		mtu = wqe->ud.mss;
	return wqe->length > mtu ? DIV_ROUND_UP(wqe->length, mtu) : 1;
}

enum ib_wc_status srnic_wqe_check(const struct srnic_qp *qp, const struct srnic_swqe *wqe);

/* sq.c */
int srnic_sq_alloc(struct srnic_qp *qp);
void srnic_sq_free(struct srnic_qp *qp);
struct srnic_swqe *srnic_sq_peek(struct srnic_qp *qp) __must_hold(&qp->lock);
u32 srnic_sq_waiting(const struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_sq_drop(struct srnic_qp *qp) __must_hold(&qp->lock);
bool srnic_sq_retire(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_sq_complete(struct srnic_qp *qp, const struct srnic_swqe *wqe,
		       enum ib_wc_status status) __must_hold(&qp->lock);
void srnic_sq_fail(struct srnic_qp *qp, struct srnic_swqe *wqe,
		   enum ib_wc_status status) __must_hold(&qp->lock);

#endif /* SRNIC_ENGINE_WQE_H */
