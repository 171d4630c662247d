/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_OPEN_H
#define SRNIC_ENGINE_OPEN_H

#include "engine/engine.h"

/**
 * struct srnic_opening - Memory that a packet is opened from and to
 * @mode: mode of the seal
 * @bounce: the plaintext goes to @dst, not in place
 * @len: bytes of payload and pad; in opaque mode the extension headers precede them
 * @src: where they are; in opaque mode in two pieces if they are not contiguous
 * @dst: a buffer for the plaintext, if @bounce
 * @ext: opaque mode: address of the opened extension headers
 * @payload: address of the opened payload
 */
struct srnic_opening {
	enum srnic_sth_mode mode;
	bool bounce;
	u32 len;
	struct scatterlist src[2];
	struct scatterlist dst;
	const u8 *ext;
	u8 *payload;
};

static inline struct srnic_sth_payload srnic_opening_payload(struct srnic_opening *opening)
{
	if (!opening->len)
		return srnic_sth_in_place(NULL, 0);
	return (struct srnic_sth_payload){
		.src = opening->src,
		.dst = opening->bounce ? &opening->dst : opening->src,
		.len = opening->len,
	};
}

bool srnic_open_seal(struct srnic_qp *qp, const struct srnic_rx *rx, struct srnic_pkt *pkt)
	__must_hold(&qp->lock);

/* Verify and remove the seal of a packet if one is required: see srnic_open_seal(). */
static inline bool srnic_open_packet(struct srnic_qp *qp, const struct srnic_rx *rx,
				     struct srnic_pkt *pkt)
	__must_hold(&qp->lock)
{
	pkt->proved = false;
	if (likely(!qp->sth && !pkt->sth_code))
		return true;
	return srnic_open_seal(qp, rx, pkt);
}

/* The fate of the ciphertext */
enum srnic_opening_source {
	SRNIC_SPEND_SOURCE,
	SRNIC_KEEP_SOURCE,
};

bool srnic_opening_init(struct srnic_opening *opening, const struct srnic_rx *rx,
			const struct srnic_pkt *pkt, enum srnic_sth_mode mode,
			enum srnic_opening_source source);
void srnic_opening_take(const struct srnic_opening *opening, struct srnic_pkt *pkt);

#endif /* SRNIC_ENGINE_OPEN_H */
