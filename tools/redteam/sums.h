/* SPDX-License-Identifier: GPL-2.0 */
/* What the attackers in C make right again on a packet. */
#ifndef SRNIC_REDTEAM_SUMS_H
#define SRNIC_REDTEAM_SUMS_H

#include <stddef.h>
#include <stdint.h>

/* where UDP begins behind an IP header without options or extensions, or 0 */
size_t udp_at(const uint8_t *ip, size_t len);
/* @at: what udp_at() says; @len: of the IP packet, its last four bytes the ICRC */
void repair_icrc(uint8_t *ip, size_t at, size_t len);
/* IP's, and UDP's unless the packet was sent without one */
void repair_sums(uint8_t *ip, size_t at, size_t len);

#endif
