/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets into bursts: what requester and responder share of sending.
 */
#ifndef SRNIC_ENGINE_BUILD_H
#define SRNIC_ENGINE_BUILD_H

#include "engine/engine.h"
#include "mem/mem.h"

/* packets a turn, and jiffies: what others wait for at most, on this core and for this lock */
#define SRNIC_TURN		64
#define SRNIC_TURN_JIFFIES	1

/**
 * struct srnic_source - where a packet's payload comes from
 * @sge: a work request's list, or NULL
 * @num_sge: its length
 * @data: inline data, or NULL
 * @ref: a region, checked, or NULL
 * @at: offset into the message (@sge, @data) or address in the region (@ref)
 */
struct srnic_source {
	const struct srnic_abi_sge *sge;
	u32 num_sge;
	const u8 *data;
	const struct srnic_mem_ref *ref;
	u64 at;
};

/**
 * struct srnic_build - one turn of sending
 * @qp: whose packets; its lock is held
 * @path: where to: the QP's, or an address handle's
 * @sth: seal of the connection, or NULL
 * @dgram: seal of datagrams to where @path goes, or NULL
 * @flow: OURS for requests, THEIRS for responses
 * @burst: being filled, if @open
 * @pkt: the packet to be sent next; what all packets of a QP share is set
 * @at: index of the work request that requests are built of
 * @packets: built, to be counted
 * @sealed: of them
 * @bytes: of all of them, BTH to ICRC
 * @bursts: they make
 * @hold: region that payload is gathered from
 * @until: jiffies; how long the turn may last
 * @most: bytes that the turn may have
 * @first_psn: of @burst
 * @second_psn: likewise, if there are two packets in it
 * @open: see @burst
 */
struct srnic_build {
	struct srnic_qp *qp;
	struct srnic_path *path;
	struct srnic_sth *sth;
	struct srnic_dgram *dgram;
	enum srnic_sth_flow flow;
	struct srnic_burst burst;
	struct srnic_pkt pkt;
	u32 at;
	u32 packets;
	u32 sealed;
	u32 bytes;
	u32 bursts;
	struct srnic_hold hold;
	unsigned long until;
	u32 most;
	u32 first_psn;
	u32 second_psn;
	bool open;
};

void srnic_build_begin(struct srnic_build *build, struct srnic_qp *qp, struct srnic_path *path,
		       enum srnic_sth_flow flow);
int srnic_build_packet(struct srnic_build *build, const struct srnic_source *src, u32 len,
		       u32 more);
void srnic_build_seal(struct srnic_build *build, struct srnic_dgram *dgram);
void srnic_build_close(struct srnic_build *build);
void srnic_build_end(struct srnic_build *build);
/**
 * srnic_build_over - Return whether the turn has lasted long enough
 * @build: the turn
 *
 * By time: the QP's lock is held and BHs are off all the while, and sealing may be
 * slow. Or by what the stack has room for.
 */
static inline bool srnic_build_over(const struct srnic_build *build)
{
	return build->bytes >= build->most || time_after(jiffies, build->until);
}

int srnic_build_frame(struct srnic_qp *qp, const u8 *frame, unsigned int len);

#endif /* SRNIC_ENGINE_BUILD_H */
