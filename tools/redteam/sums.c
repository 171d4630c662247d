// SPDX-License-Identifier: GPL-2.0
/* Checksums and ICRC of modified or newly built packets. */
#include <netinet/in.h>
#include <string.h>
#include "sums.h"

static uint32_t sum16(const uint8_t *p, size_t len, uint32_t sum)
{
	for (size_t i = 0; i + 1 < len; i += 2)
		sum += p[i] << 8 | p[i + 1];
	if (len & 1)
		sum += p[len - 1] << 8;
	return sum;
}

static uint16_t fold(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

static void put16(uint8_t *p, uint16_t v)
{
	p[0] = v >> 8;
	p[1] = v;
}

size_t udp_at(const uint8_t *ip, size_t len)
{
	if (len >= 28 && ip[0] == 0x45 && ip[9] == IPPROTO_UDP)
		return 20;
	if (len >= 48 && ip[0] >> 4 == 6 && ip[6] == IPPROTO_UDP)
		return 40;
	return 0;
}

static uint32_t crc32(uint32_t crc, const uint8_t *p, size_t len)
{
	while (len--) {
		crc ^= *p++;
		for (int i = 0; i < 8; i++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320U : 0);
	}
	return crc;
}

/* The invariant CRC, IBA A17.3.3 */
void repair_icrc(uint8_t *ip, size_t at, size_t len)
{
	static const uint8_t ones[8] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	uint8_t head[40 + 8 + 12];
	uint32_t crc;

	if (len < at + 8 + 12 + 4)
		return;
	memcpy(head, ip, at + 8 + 12);
	if (at == 20) {
		head[1] = head[8] = head[10] = head[11] = 0xff;
	} else {
		head[0] |= 0x0f;
		head[1] = head[2] = head[3] = head[7] = 0xff;
	}
	head[at + 6] = head[at + 7] = 0xff;
	head[at + 8 + 4] = 0xff;
	crc = crc32(~0U, ones, 8);
	crc = crc32(crc, head, at + 8 + 12);
	crc = ~crc32(crc, ip + at + 20, len - at - 24);
	for (int i = 0; i < 4; i++)
		ip[len - 4 + i] = crc >> (8 * i);
}

void repair_sums(uint8_t *ip, size_t at, size_t len)
{
	uint8_t *udp = ip + at;
	uint32_t sum;

	if (at == 20) {
		put16(ip + 10, 0);
		put16(ip + 10, fold(sum16(ip, 20, 0)));
	}
	if (!udp[6] && !udp[7])
		return;		/* sent without a checksum */
	put16(udp + 6, 0);
	sum = at == 20 ? sum16(ip + 12, 8, 0) : sum16(ip + 8, 32, 0);
	sum = fold(sum16(udp, len - at, sum + IPPROTO_UDP + (len - at)));
	put16(udp + 6, sum ? sum : 0xffff);
}
