/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Offloads for IP over InfiniBand (RFC 4391): checksums, and large sends.
 */
#ifndef SRNIC_ENGINE_IPOIB_H
#define SRNIC_ENGINE_IPOIB_H

#include <linux/types.h>

#define SRNIC_ENCAP_LEN	4	/* RFC 4391, section 6 */

/* Headers of RFC 4391, IPv4 and TCP with all options have 124 bytes. */
#define SRNIC_LSO_HDR_MAX	128

/**
 * struct srnic_lso - A large send: one TCP segment, to be cut into datagrams
 * @header: headers of the whole: those of RFC 4391, of IP and of TCP
 * @hlen: bytes of @header
 * @mss: bytes of payload of each datagram but the last
 * @length: bytes of payload of all of them
 */
struct srnic_lso {
	const u8 *header;
	u32 hlen;
	u32 mss;
	u32 length;
};

bool srnic_lso_valid(const struct srnic_lso *lso, u32 mtu);
u32 srnic_lso_cut(const struct srnic_lso *lso, u32 i, u8 *header);
void srnic_ipoib_fill_csum(u8 *datagram, u32 len);
bool srnic_ipoib_csum_ok(const u8 *datagram, u32 len);

#endif /* SRNIC_ENGINE_IPOIB_H */
