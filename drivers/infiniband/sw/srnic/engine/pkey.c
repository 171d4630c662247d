// SPDX-License-Identifier: GPL-2.0
/*
 * P_Keys of received packets, for QP1, which accepts all of the device's table.
 */
#include "engine/pkey.h"

/**
 * srnic_pkey_index() - Find the P_Key of the device that a packet's P_Key matches
 * @dev: the device
 * @pkey: P_Key of the packet
 *
 * Context: any.
 * Return: index in the P_Key table, or -1.
 */
int srnic_pkey_index(const struct srnic_dev *dev, u16 pkey)
{
	int i;

	for (i = 0; i < SRNIC_PKEYS; i++)
		if (srnic_pkey_match(READ_ONCE(dev->pkeys[i]), pkey))
			return i;
	return -1;
}
