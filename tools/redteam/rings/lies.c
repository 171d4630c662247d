// SPDX-License-Identifier: GPL-2.0
/*
 * Lies that the rings of senders and of receivers have in common.
 */
#include "rings.h"

static void foreign_lkey(struct srnic_abi_sge *sge)
{
	sge->lkey ^= 0x5a5a5a00;
}

static void dma_lkey(struct srnic_abi_sge *sge)
{
	sge->lkey = 0;
	sge->addr = 0xffff888000000000ULL;
}

static void far_address(struct srnic_abi_sge *sge)
{
	sge->addr = (uintptr_t)world.memory + MEMORY - MESSAGE + 1;
}

const struct sge_lie sge_lies[SGE_LIES] = {
	{ "a key that nobody has", foreign_lkey },
	{ "key 0 with a kernel address", dma_lkey },
	{ "a byte beyond the region", far_address },
};

const struct index_lie index_lies[INDEX_LIES] = {
	{ "an index far ahead", 0x80000000, false },
	{ "an index one ahead of the ring", 1 + 1, true },
	{ "an index that runs back", 0, false },
	{ "an index that runs back below 0", 0xffffffff, false },
};
