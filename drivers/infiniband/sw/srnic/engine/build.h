/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Building of packets into bursts, shared by requester and responder.
 */
#ifndef SRNIC_ENGINE_BUILD_H
#define SRNIC_ENGINE_BUILD_H

#include "engine/engine.h"
#include "mem/mem.h"

/* Limits of a turn, packets and jiffies: others wait that long for this core and this lock */
#define SRNIC_TURN		64
#define SRNIC_TURN_JIFFIES	1

/**
 * struct srnic_source - Source of a packet's payload
 * @sge: SGEs of a work request, or NULL
 * @num_sge: number of SGEs in @sge
 * @data: inline data, or NULL
 * @ref: region that has been checked, or NULL
 * @at: offset into the message (@sge, @data), or address in the region (@ref)
 * @header: bytes in front of it
 * @header_len: number of bytes in @header
 * @ip_csum: the payload is IP over InfiniBand, whose checksums are to be written
 */
struct srnic_source {
	const struct srnic_abi_sge *sge;
	u32 num_sge;
	const u8 *data;
	const struct srnic_mem_ref *ref;
	u64 at;
	const u8 *header;
	u32 header_len;
	bool ip_csum;
};

/* Return the source of a work request's payload, from its start: its SGEs, or @inline_data. */
static inline struct srnic_source srnic_source_of(const struct srnic_swqe *wqe,
						  const u8 *inline_data)
{
	if (wqe->flags & SRNIC_SWQE_INLINE)
		return (struct srnic_source){ .data = inline_data };
	return (struct srnic_source){ .sge = wqe->sge, .num_sge = wqe->num_sge };
}

/**
 * struct srnic_build - One turn of sending
 * @qp: QP that sends; its lock is held
 * @path: path of the packets: that of the QP, or of an address handle
 * @sth: seal of the connection, or NULL
 * @dgram: seal of datagrams to the destination of @path, or NULL
 * @opaque: the mode of the seal is opaque
 * @flow: OURS for requests, THEIRS for responses
 * @burst: burst being filled, if @open
 * @pkt: next packet to send; the fields that all packets of a QP share are set
 * @at: index of the work request whose packets are built
 * @packets: number of packets built, for the counters
 * @sealed: number of sealed packets among them
 * @bytes: bytes of all of them, from BTH to ICRC
 * @bursts: number of bursts that they form
 * @cache: region from which payload is gathered
 * @deadline: jiffies: end of the turn
 * @max_bytes: most bytes of the turn
 * @first_psn: PSN of the first packet in @burst
 * @second_psn: PSN of the second packet in @burst, if there are two
 * @first_opcode: opcode of the first packet in @burst
 * @last_psn: PSN of the last response
 * @open: @burst is open
 */
struct srnic_build {
	struct srnic_qp *qp;
	struct srnic_path *path;
	struct srnic_sth *sth;
	struct srnic_dgram *dgram;
	bool opaque;
	enum srnic_sth_flow flow;
	struct srnic_burst burst;
	struct srnic_pkt pkt;
	u32 at;
	u32 packets;
	u32 sealed;
	u32 bytes;
	u32 bursts;
	struct srnic_mem_cache cache;
	unsigned long deadline;
	u32 max_bytes;
	u32 first_psn;
	u32 second_psn;
	u32 last_psn;
	u8 first_opcode;
	bool open;
};

void srnic_build_begin(struct srnic_build *build, struct srnic_qp *qp, struct srnic_path *path,
		       enum srnic_sth_flow flow);
int srnic_build_packet(struct srnic_build *build, const struct srnic_source *src, u32 len,
		       u32 more);
void srnic_build_seal(struct srnic_build *build, struct srnic_dgram *dgram);
void srnic_build_close(struct srnic_build *build);
void srnic_build_end(struct srnic_build *build);

/* Return whether the next packet can join the open burst: otherwise it may open one for more. */
static inline bool srnic_build_has_room(const struct srnic_build *build)
{
	return build->open && srnic_burst_has_room(&build->burst);
}

/**
 * srnic_build_over() - Return whether the turn has lasted long enough
 * @build: the turn
 *
 * The time is limited because the QP's lock is held and BHs are off meanwhile, and sealing may
 * be slow; the bytes are limited by the room in the stack.
 */
static inline bool srnic_build_over(const struct srnic_build *build)
{
	return build->bytes >= build->max_bytes || time_after(jiffies, build->deadline);
}

int srnic_build_frame(struct srnic_qp *qp, const u8 *frame, unsigned int len);

#endif /* SRNIC_ENGINE_BUILD_H */
