/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fields of a frame that flow rules name, and the comparison with a rule.
 */
#ifndef SRNIC_RAW_MATCH_H
#define SRNIC_RAW_MATCH_H

#include <rdma/ib_verbs.h>

/* Most bytes that srnic_frame_parse() reads: Ethernet, VLAN, IPv4 with options, ports */
#define SRNIC_FRAME_HEAD	(18 + 60 + 4)

/* struct srnic_frame_key.have */
#define SRNIC_HAVE_ETH		BIT(0)
#define SRNIC_HAVE_VLAN		BIT(1)
#define SRNIC_HAVE_IPV4		BIT(2)
#define SRNIC_HAVE_IPV6		BIT(3)
#define SRNIC_HAVE_TCP		BIT(4)
#define SRNIC_HAVE_UDP		BIT(5)

/**
 * struct srnic_frame_key - Fields of a frame, in the form of the filters that name them
 * @have: SRNIC_HAVE_*: headers that the frame has; the fields of others are zero
 * @eth: Ethernet; the type is the one behind a VLAN header
 * @ipv4: IPv4
 * @ipv6: IPv6
 * @ports: TCP or UDP
 */
struct srnic_frame_key {
	u32 have;
	struct ib_flow_eth_filter eth;
	struct ib_flow_ipv4_filter ipv4;
	struct ib_flow_ipv6_filter ipv6;
	struct ib_flow_tcp_udp_filter ports;
};

#define SRNIC_FILTER_MAX	sizeof(struct ib_flow_ipv6_filter)

/**
 * struct srnic_match - A part of a rule: fields of one header
 * @kind: row of the table of headers
 * @need: SRNIC_HAVE_*: headers that the frame must have
 * @val: the fields, where @mask is 1; elsewhere 0
 * @mask: bits that are compared
 */
struct srnic_match {
	u8 kind;
	u32 need;
	u8 val[SRNIC_FILTER_MAX];
	u8 mask[SRNIC_FILTER_MAX];
};

/* match.c: any context */
void srnic_frame_parse(struct srnic_frame_key *key, const u8 *head, u32 len);
int srnic_match_make(struct srnic_match *match, const union ib_flow_spec *spec);
bool srnic_match_frame(const struct srnic_match *match, const struct srnic_frame_key *key);

#endif /* SRNIC_RAW_MATCH_H */
