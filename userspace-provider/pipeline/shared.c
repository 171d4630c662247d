// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Resources that the connections of a device share: protection domain, completion queue,
 * shared receive queue. Only the worker that creates queue pairs uses the list.
 */
#include <errno.h>
#include <stdlib.h>
#include "pipeline.h"

#define CQE		4096

static uint32_t lesser(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* librdmacm may close the device when its last identifier is destroyed, before the QP is. */
static struct rdma_cm_id *drop_anchor(struct rdma_pipeline *pipe, struct rdma_cm_id *id)
{
	struct sockaddr_storage addr = id->route.addr.src_storage;
	struct rdma_cm_id *anchor;

	if (addr.ss_family == AF_INET)
		((struct sockaddr_in *)&addr)->sin_port = 0;
	else if (addr.ss_family == AF_INET6)
		((struct sockaddr_in6 *)&addr)->sin6_port = 0;
	if (rdma_create_id(pipe->channels[0].cm, &anchor, NULL, RDMA_PS_TCP))
		return NULL;
	if (!rdma_bind_addr(anchor, (struct sockaddr *)&addr) && anchor->verbs == id->verbs)
		return anchor;
	rdma_destroy_id(anchor);
	return NULL;
}

static void put(struct shared *shared)
{
	if (shared->srq)
		ibv_destroy_srq(shared->srq);
	if (shared->cq)
		ibv_destroy_cq(shared->cq);
	if (shared->pd)
		ibv_dealloc_pd(shared->pd);
	if (shared->anchor)
		rdma_destroy_id(shared->anchor);
	free(shared);
}

static int make_srq(const struct rdma_pipeline_attr *attr, struct shared *shared)
{
	struct ibv_srq_init_attr init = {
		.attr.max_wr = attr->srq_wr,
		.attr.max_sge = attr->srq_sge ?: 1,
	};

	shared->srq = ibv_create_srq(shared->pd, &init);
	return shared->srq ? 0 : -(errno ?: ENOMEM);
}

static int make(struct rdma_pipeline *pipe, struct rdma_cm_id *id, struct shared *shared)
{
	struct ibv_device_attr device = {};
	int err;

	shared->verbs = id->verbs;
	shared->anchor = drop_anchor(pipe, id);
	if (!shared->anchor)
		return -(errno ?: ENODEV);
	err = ibv_query_device(id->verbs, &device);
	if (err)
		return -err;
	shared->pd = ibv_alloc_pd(id->verbs);
	if (!shared->pd)
		return -(errno ?: ENOMEM);
	shared->cq = ibv_create_cq(id->verbs, lesser(pipe->attr.cqe ?: CQE, device.max_cqe), NULL,
				   NULL, 0);
	if (!shared->cq)
		return -(errno ?: ENOMEM);
	return pipe->attr.srq_wr ? make_srq(&pipe->attr, shared) : 0;
}

int shared_get(struct rdma_pipeline *pipe, struct rdma_cm_id *id, struct shared **shared)
{
	struct shared *new;
	int err;

	for (*shared = pipe->shared; *shared; *shared = (*shared)->next)
		if ((*shared)->verbs == id->verbs)
			return 0;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	err = make(pipe, id, new);
	if (err) {
		put(new);
		return err;
	}
	new->next = pipe->shared;
	pipe->shared = new;
	*shared = new;
	return 0;
}

void shared_free(struct rdma_pipeline *pipe)
{
	struct shared *shared;

	while ((shared = pipe->shared)) {
		pipe->shared = shared->next;
		put(shared);
	}
}
