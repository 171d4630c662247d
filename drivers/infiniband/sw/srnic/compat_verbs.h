/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between the RDMA subsystems of kernel versions, see compat.h.
 */
#ifndef SRNIC_COMPAT_VERBS_H
#define SRNIC_COMPAT_VERBS_H

#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>

/* 6.12: no hints for DMA */
struct ib_dmah;

/*
 * 6.1: the core knows neither FLUSH nor ATOMIC WRITE (IBA A19). These are the numbers of its later
 * interface to user space. It refuses the rights to flush for regions, so nothing of FLUSH is
 * offered. It passes through all that ATOMIC WRITE needs.
 */
#ifdef SRNIC_HAVE_FLUSH
#define SRNIC_OFFERS_FLUSH		true
#else
#define SRNIC_OFFERS_FLUSH		false
#define IB_ACCESS_FLUSH_GLOBAL		BIT(8)
#define IB_ACCESS_FLUSH_PERSISTENT	BIT(9)
#define IB_DEVICE_FLUSH_GLOBAL		BIT_ULL(38)
#define IB_DEVICE_FLUSH_PERSISTENT	BIT_ULL(39)
#define IB_DEVICE_ATOMIC_WRITE		BIT_ULL(40)
#define IB_WC_FLUSH			((enum ib_wc_opcode)8)
#define IB_WC_ATOMIC_WRITE		((enum ib_wc_opcode)9)
#define IB_WR_ATOMIC_WRITE		15
#endif

/* 6.12: buffers have no other descriptions than addresses. */
#ifndef SRNIC_HAVE_UMEM_GET_VA
#define ib_umem_get_va	ib_umem_get
#endif

/* 6.1: drivers convert what stands for a DMA address. */
#ifndef SRNIC_HAVE_VIRT_DMA_TO_PTR
static inline void *ib_virt_dma_to_ptr(u64 dma_addr)
{
	return (void *)(uintptr_t)dma_addr;
}
#endif

/* 6.1: drivers themselves see that pages that were pinned for reading stay so. */
#ifndef SRNIC_HAVE_UMEM_CHECK_REREG
static inline int ib_umem_check_rereg(struct ib_umem *umem, int flags, int access)
{
	bool keeps_pages = flags & IB_MR_REREG_ACCESS && !(flags & IB_MR_REREG_TRANS);

	return umem && keeps_pages && ib_access_writable(access) && !umem->writable ? -EACCES : 0;
}
#endif

/* 6.1: ib_rate_to_mbps() knows no such rate, and says so. */
#ifndef SRNIC_HAVE_RATE_800
#define IB_RATE_800_GBPS	((enum ib_rate)23)
#endif

/* 6.1: the lock that the mapping of a dma-buf needs is the core's own. */
#ifndef SRNIC_HAVE_DMABUF_UNLOCKED
#define dma_buf_vmap_unlocked	dma_buf_vmap
#define dma_buf_vunmap_unlocked	dma_buf_vunmap
#endif

/* 6.1: udev cannot learn that a user has named a device, and may rename it. */
#ifndef SRNIC_HAVE_NAME_ASSIGNED
static inline void ib_mark_name_assigned_by_user(struct ib_device *ib)
{
}
#endif

#endif /* SRNIC_COMPAT_VERBS_H */
