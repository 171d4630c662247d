// SPDX-License-Identifier: GPL-2.0
/*
 * The P_Key table of an InfiniBand port (IBA 10.9): the partitions that the port is a member
 * of. The engine reads it for each packet, so it is in the device, and has no lock for readers.
 */
#include <linux/string.h>
#include "export.h"
#include "fabric/port.h"

/**
 * srnic_fabric_query_pkey() - Read an entry of the P_Key table
 * @ib: the device
 * @port: port number
 * @index: index of the entry
 * @pkey: the P_Key, host order; 0: the entry is empty
 *
 * Context: any.
 * Return: 0, or -EINVAL for an index beyond the table.
 */
int srnic_fabric_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey)
{
	if (index >= SRNIC_PKEYS)
		return -EINVAL;
	*pkey = READ_ONCE(to_srnic(ib)->pkeys[index]);
	return 0;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_fabric_query_pkey);

/*
 * Return the port's P_Key of a partition, that of a full member if it is both, or 0 if it is no
 * member; ignore the P_Key's own bit.
 */
u16 srnic_fabric_own_pkey(const struct srnic_fabric *fabric, u16 pkey)
{
	u16 own = 0;
	int i;

	if (!(pkey & SRNIC_PKEY_BASE))
		return 0;
	for (i = 0; i < SRNIC_PKEYS; i++) {
		u16 entry = READ_ONCE(fabric->dev->pkeys[i]);

		if (!((entry ^ pkey) & SRNIC_PKEY_BASE))
			own |= entry;
	}
	return own;
}

/* Tell whether the port is a full member of a P_Key's partition; ignore the P_Key's own bit. */
bool srnic_fabric_has_pkey(const struct srnic_fabric *fabric, u16 pkey)
{
	return srnic_fabric_own_pkey(fabric, pkey) & SRNIC_PKEY_FULL;
}

static void pkeys_changed(struct srnic_fabric *fabric)
{
	srnic_sa_pkeys_changed(fabric);
	fabric->notify(fabric, IB_EVENT_PKEY_CHANGE);
}

/*
 * Replace the table, as a subnet manager does, except for entry 0: QP1 and the broadcast group
 * need the default P_Key. Partition 0 is invalid: its P_Keys are empty entries.
 *
 * Context: process.
 */
void srnic_fabric_set_pkeys(struct srnic_fabric *fabric, const u16 pkeys[SRNIC_PKEYS])
{
	u16 *table = fabric->dev->pkeys;
	bool changed = false;
	int i;

	spin_lock(&fabric->lock);
	for (i = SRNIC_PKEY_INDEX + 1; i < SRNIC_PKEYS; i++) {
		u16 pkey = pkeys[i] & SRNIC_PKEY_BASE ? pkeys[i] : 0;

		changed |= table[i] != pkey;
		WRITE_ONCE(table[i], pkey);
	}
	spin_unlock(&fabric->lock);
	if (changed)
		pkeys_changed(fabric);
}

/* Return the index of the entry for a P_Key's partition, or -1; 0 finds an empty entry. */
static int pkey_find(const u16 *table, u16 pkey)
{
	int i;

	for (i = 0; i < SRNIC_PKEYS; i++)
		if (!((table[i] ^ pkey) & SRNIC_PKEY_BASE))
			return i;
	return -1;
}

/**
 * srnic_fabric_add_pkey() - Make the port a member of a partition
 * @fabric: the port
 * @pkey: P_Key; its highest bit says whether as a full member
 *
 * Context: process.
 * Return: 0; -EINVAL for partition 0, -EEXIST if the port is a member already, -ENOSPC if
 * the table is full.
 */
int srnic_fabric_add_pkey(struct srnic_fabric *fabric, u16 pkey)
{
	u16 *table = fabric->dev->pkeys;
	int at, err = 0;

	if (!(pkey & SRNIC_PKEY_BASE))
		return -EINVAL;
	spin_lock(&fabric->lock);
	at = pkey_find(table, 0);
	if (pkey_find(table, pkey) >= 0)
		err = -EEXIST;
	else if (at < 0)
		err = -ENOSPC;
	else
		WRITE_ONCE(table[at], pkey);
	spin_unlock(&fabric->lock);
	if (!err)
		pkeys_changed(fabric);
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_fabric_add_pkey);

/**
 * srnic_fabric_del_pkey() - End the port's membership of a partition
 * @fabric: the port
 * @pkey: P_Key, with or without the bit of full members
 *
 * Queue pairs with the entry's index receive nothing from now on.
 *
 * Context: process.
 * Return: 0; -ENOENT if the port is no member, -EINVAL for the default partition.
 */
int srnic_fabric_del_pkey(struct srnic_fabric *fabric, u16 pkey)
{
	u16 *table = fabric->dev->pkeys;
	int at = -1, err = 0;

	spin_lock(&fabric->lock);
	if (pkey & SRNIC_PKEY_BASE)
		at = pkey_find(table, pkey);
	if (at < 0)
		err = -ENOENT;
	else if (at == SRNIC_PKEY_INDEX)
		err = -EINVAL;
	/* a subnet manager may have set it twice */
	for (; !err && at >= 0; at = pkey_find(table, pkey))
		WRITE_ONCE(table[at], 0);
	spin_unlock(&fabric->lock);
	if (!err)
		pkeys_changed(fabric);
	return err;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_fabric_del_pkey);
