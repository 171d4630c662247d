/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Regions of a dma-buf, for verbs; process context.
 */
#ifndef SRNIC_MEM_DMABUF_H
#define SRNIC_MEM_DMABUF_H

#include "mem/mem.h"

struct dma_buf;
struct srnic_dmabuf;

int srnic_dmabuf_check_access(int access);
int srnic_dmabuf_take(struct srnic_map *map, struct dma_buf *buf, u64 offset, u64 length,
		      int access);
u64 srnic_dmabuf_pages(const struct srnic_map *map);
int srnic_dmabuf_map(struct srnic_map *map);
/* region.c */
void srnic_dmabuf_drop(struct srnic_dmabuf *own);

#endif /* SRNIC_MEM_DMABUF_H */
