// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Rings into the process and out of it.
 */
#include <errno.h>
#include <sys/mman.h>

#include "srnic.h"

/**
 * srnic_map - map the ring that the kernel described
 * @ctx: the context whose command file it belongs to
 * @abi: the description
 * @min_stride: the least size of an entry
 *
 * The pages belong to the mapping too: they outlive the object, the device and
 * the module, so a poll after any of them has gone reads a ring that stands still.
 *
 * Return: the memory, or NULL with errno set.
 */
void *srnic_map(struct ibv_context *ctx, const struct srnic_abi_ring *abi, uint32_t min_stride)
{
	void *mem;

	if (!srnic_ring_fits(abi, min_stride)) {
		verbs_err(&to_sctx(ctx)->vctx, "ring of %u x %u bytes in %u makes no sense\n",
			  abi->entries, abi->stride, abi->size);
		errno = EPROTO;
		return NULL;
	}
	mem = mmap(NULL, abi->size, PROT_READ | PROT_WRITE, MAP_SHARED, ctx->cmd_fd, abi->offset);
	return mem == MAP_FAILED ? NULL : mem;
}

void srnic_ring_unmap(struct srnic_ring *ring)
{
	if (ring->hdr)
		munmap(ring->hdr, ring->size);
	ring->hdr = NULL;
}
