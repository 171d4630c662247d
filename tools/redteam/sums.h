/* SPDX-License-Identifier: GPL-2.0 */
/* Repair of checksums and ICRC, for the attackers in C. */
#ifndef SRNIC_REDTEAM_SUMS_H
#define SRNIC_REDTEAM_SUMS_H

#include <stddef.h>
#include <stdint.h>

/* Return the offset of UDP after an IP header without options or extensions, or 0 */
size_t udp_at(const uint8_t *ip, size_t len);
/* @at: result of udp_at(); @len: of the IP packet, including the ICRC */
void repair_icrc(uint8_t *ip, size_t at, size_t len);
/* Repair the IP checksum, and UDP's unless the packet has none */
void repair_sums(uint8_t *ip, size_t at, size_t len);

#endif
