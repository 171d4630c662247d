// SPDX-License-Identifier: GPL-2.0
/*
 * LIDs of an InfiniBand port: labels that every node computes from the GID.
 *
 * Packets have a GRH and no LRH, so nothing is forwarded by LID. Consumers and
 * the subnet management still name ports and groups by one. Two GIDs may have
 * the same label: the GID decides.
 */
#include "export.h"
#include "wire/wire.h"

#define GUID_OFFSET	8	/* of the GUID in a GID, IBA 4.1.1 */
#define GUID_LEN	8
#define GID_LEN		16

#define LID_FIRST	0x0001U	/* unicast: 0x0001 to 0xbfff, IBA 4.1.3 */
#define LID_COUNT	0xbfffU
#define MLID_FIRST	0xc000U	/* multicast: 0xc000 to 0xfffe, of which the last is unused */
#define MLID_COUNT	0x3ffeU

/*
 * CRC-32 of IEEE 802.3 as Ethernet and zlib have it: reflected bits, seed ~0,
 * and the complement of the final state.
 */
static u32 crc_label(const u8 *p, size_t len)
{
	return ~srnic_crc_update(~0U, p, len);
}

/**
 * srnic_gid_lid() - Return the LID of a port
 * @gid: a unicast GID of the port; its GUID determines the LID
 *
 * Context: any.
 * Return: 0x0001 to 0xbfff, host order.
 */
u16 srnic_gid_lid(const u8 gid[16])
{
	return LID_FIRST + crc_label(gid + GUID_OFFSET, GUID_LEN) % LID_COUNT;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_gid_lid);

/**
 * srnic_mgid_lid() - Return the MLID of a multicast group
 * @mgid: multicast GID, all of which determines the MLID
 *
 * Context: any.
 * Return: 0xc000 to 0xfffd, host order.
 */
u16 srnic_mgid_lid(const u8 mgid[16])
{
	return MLID_FIRST + crc_label(mgid, GID_LEN) % MLID_COUNT;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_mgid_lid);
