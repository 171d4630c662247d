// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Mapping and unmapping of rings.
 */
#include <errno.h>
#include <sys/mman.h>

#include "srnic.h"

/**
 * srnic_map() - Map a ring that the kernel has described
 * @ctx: the context to whose command file the ring belongs
 * @abi: the kernel's description
 * @min_stride: minimum size of an entry, in bytes
 *
 * The mapping holds references on the pages: they outlive the object, the device and
 * the module. A poll after any of them has gone reads a ring that no longer changes.
 *
 * Return: the memory, or NULL with errno set.
 */
void *srnic_map(struct ibv_context *ctx, const struct srnic_abi_ring *abi, uint32_t min_stride)
{
	void *mem;

	if (!srnic_ring_fits(abi, min_stride)) {
		verbs_err(&to_sctx(ctx)->vctx, "the kernel's ring of %u entries of %u bytes does not fit its %u bytes: update module and provider together\n",
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
