// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Thread domains, and parent domains, which join one and a protection domain, and which may bring
 * an allocator of the application. The kernel knows neither.
 *
 * The rings of a queue are the kernel's pages. The allocator is asked for the other memory that
 * posting and polling touch: the structure of the QP, CQ or SRQ, with its locks and indices.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "srnic.h"

#define CACHE_LINE	64

#define KNOWN_MASK	(IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS |		\
			 IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT)

struct ibv_td *srnic_alloc_td(struct ibv_context *ctx, struct ibv_td_init_attr *attr)
{
	struct srnic_td *td;

	if (attr->comp_mask) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	td = calloc(1, sizeof(*td));
	if (!td)
		return NULL;
	td->ibv.context = ctx;
	return &td->ibv;
}

int srnic_dealloc_td(struct ibv_td *ibtd)
{
	struct srnic_td *td = to_std(ibtd);

	if (atomic_load(&td->users))
		return EBUSY;
	free(td);
	return 0;
}

/* Return 0 or an errno. */
static int check_attr(struct ibv_parent_domain_init_attr *attr)
{
	if (attr->comp_mask & ~(uint32_t)KNOWN_MASK)
		return EOPNOTSUPP;
	if (!attr->pd || to_spd(attr->pd)->parent_of)
		return EINVAL;
	/* memory of the one is for the other to free */
	if (attr->comp_mask & IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS &&
	    (!attr->alloc || !attr->free))
		return EINVAL;
	return 0;
}

/**
 * srnic_alloc_parent_domain() - Create a parent domain of a PD
 *
 * It shares the PD's handle. Queues in a parent domain with a thread domain use no locks.
 */
struct ibv_pd *srnic_alloc_parent_domain(struct ibv_context *ctx,
					 struct ibv_parent_domain_init_attr *attr)
{
	struct srnic_pd *parent;

	(void)ctx;
	errno = check_attr(attr);
	if (errno)
		return NULL;
	parent = calloc(1, sizeof(*parent));
	if (!parent)
		return NULL;

	ibv_initialize_parent_domain(&parent->ibv, attr->pd);
	parent->parent_of = to_spd(attr->pd);
	atomic_fetch_add(&parent->parent_of->users, 1);
	if (attr->td) {
		parent->td = to_std(attr->td);
		atomic_fetch_add(&parent->td->users, 1);
	}
	if (attr->comp_mask & IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS) {
		parent->alloc = attr->alloc;
		parent->free = attr->free;
	}
	if (attr->comp_mask & IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT)
		parent->alloc_context = attr->pd_context;
	return &parent->ibv;
}

/* Return 0, or EBUSY while queues are in the domain. */
int srnic_dealloc_parent_domain(struct srnic_pd *parent)
{
	if (atomic_load(&parent->users))
		return EBUSY;
	atomic_fetch_sub(&parent->parent_of->users, 1);
	if (parent->td)
		atomic_fetch_sub(&parent->td->users, 1);
	free(parent);
	return 0;
}

/* Return memory of the application, or NULL if the default is to give it; errno tells. */
static void *custom_alloc(struct srnic_pd *parent, size_t size, uint64_t type)
{
	void *mem;

	if (!parent->alloc)
		return NULL;
	errno = 0;
	mem = parent->alloc(&parent->ibv, parent->alloc_context, size, CACHE_LINE, type);
	if (mem == IBV_ALLOCATOR_USE_DEFAULT) {
		errno = 0;
		return NULL;
	}
	if (!mem)
		errno = ENOMEM;
	return mem;
}

/**
 * srnic_home_alloc() - Allocate the structure of a queue in a domain
 * @home: returns the place, to be stored in the structure
 * @ibpd: the queue's domain, or NULL
 * @size: bytes
 * @object: UVERBS_OBJECT_QP, UVERBS_OBJECT_CQ or UVERBS_OBJECT_SRQ
 *
 * Return: zeroed memory, or NULL with errno set.
 */
void *srnic_home_alloc(struct srnic_home *home, struct ibv_pd *ibpd, size_t size, uint32_t object)
{
	struct srnic_pd *parent = ibpd && to_spd(ibpd)->parent_of ? to_spd(ibpd) : NULL;
	void *mem = NULL;

	*home = (struct srnic_home) {
		.parent = parent,
		.type = (uint64_t)SRNIC_DRIVER_ID << 32 | object,
	};
	errno = 0;
	if (parent)
		mem = custom_alloc(parent, size, home->type);
	if (errno)
		return NULL;
	home->custom = mem;
	if (mem)
		memset(mem, 0, size);
	else
		mem = calloc(1, size);
	if (mem && parent)
		atomic_fetch_add(&parent->users, 1);
	return mem;
}

/**
 * srnic_home_free() - Free the structure of a queue
 * @home: a copy of its place, from srnic_home_alloc()
 * @mem: the structure
 *
 * errno is unchanged.
 */
void srnic_home_free(struct srnic_home home, void *mem)
{
	struct srnic_pd *parent = home.parent;
	int err = errno;

	if (home.custom)
		parent->free(&parent->ibv, parent->alloc_context, mem, home.type);
	else
		free(mem);
	if (parent)
		atomic_fetch_sub(&parent->users, 1);
	errno = err;
}
