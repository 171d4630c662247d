/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The provider's objects, and the interfaces between its files and main.c's table of
 * operations.
 */
#ifndef SRNIC_H
#define SRNIC_H

#include <infiniband/driver.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/srnic-abi.h>

#include "lock.h"
#include "ring.h"

/*
 * uverbs appends a driver's part to each command and response, directly after the
 * core's part and without padding.
 */
#define SRNIC_UHW(name, core, drv_struct)					\
	struct name {								\
		core ibv;							\
		struct drv_struct drv;						\
	};									\
	static_assert(offsetof(struct name, drv) == sizeof(core), #name)

SRNIC_UHW(srnic_get_context_uresp, struct ib_uverbs_get_context_resp, srnic_alloc_ucontext_resp);
SRNIC_UHW(srnic_create_cq_uresp, struct ib_uverbs_ex_create_cq_resp, srnic_create_cq_resp);
SRNIC_UHW(srnic_resize_cq_uresp, struct ib_uverbs_resize_cq_resp, srnic_resize_cq_resp);
SRNIC_UHW(srnic_create_qp_uresp, struct ib_uverbs_create_qp_resp, srnic_create_qp_resp);
SRNIC_UHW(srnic_create_rss_ucmd, struct ibv_create_qp_ex, srnic_create_qp_cmd);
SRNIC_UHW(srnic_create_rss_uresp, struct ib_uverbs_ex_create_qp_resp, srnic_create_qp_resp);
SRNIC_UHW(srnic_create_wq_uresp, struct ib_uverbs_ex_create_wq_resp, srnic_create_wq_resp);
SRNIC_UHW(srnic_create_srq_uresp, struct ib_uverbs_create_srq_resp, srnic_create_srq_resp);
SRNIC_UHW(srnic_modify_srq_ucmd, struct ibv_modify_srq, srnic_modify_srq_cmd);
SRNIC_UHW(srnic_create_ah_uresp, struct ib_uverbs_create_ah_resp, srnic_create_ah_resp);

struct srnic_device {
	struct verbs_device vdev;
};

struct srnic_context {
	struct verbs_context vctx;
	uint32_t max_sge;
	uint32_t max_inline;
	uint64_t features;
	bool safe_cq;		/* SRNIC_SAFE_CQ, see safe.c */
	atomic_bool no_write;	/* write() is refused: see post_command() */
};

struct srnic_td {
	struct ibv_td ibv;
	atomic_uint users;	/* number of parent domains */
};

struct srnic_pd {
	struct ibv_pd ibv;
	struct srnic_pd *parent_of;	/* set only in parent domains */
	struct srnic_td *td;		/* set only in parent domains; NULL: no thread domain */
	atomic_uint users;		/* of a PD: parent domains; of a parent domain: queues */
	/* of a parent domain with an allocator of the application */
	void *(*alloc)(struct ibv_pd *pd, void *context, size_t size, size_t alignment,
		       uint64_t type);
	void (*free)(struct ibv_pd *pd, void *context, void *mem, uint64_t type);
	void *alloc_context;
};

/* Where the structure of a queue is, see domain.c. */
struct srnic_home {
	struct srnic_pd *parent;	/* the parent domain that the queue is in, or NULL */
	uint64_t type;			/* as its allocator knows the structure */
	bool custom;			/* the allocator has given the memory */
};

#define SRNIC_SAFE_BUCKETS	64

/* The reserved entries of a safe CQ, see safe.c. */
struct srnic_safe {
	/*
	 * Protects this structure, the claims in the buckets and the location of the CQ's
	 * ring. Innermost lock: nests inside a work queue's lock and inside the CQ's lock.
	 */
	pthread_spinlock_t lock;
	struct srnic_ring *ring;	/* the CQ's ring */
	uint32_t done;			/* index of the oldest completion whose entry is held */
	uint32_t reserved;		/* number of entries */
	struct srnic_claims *claims[SRNIC_SAFE_BUCKETS];	/* by QP number */
};

/* The entries that a work queue holds on its CQ. */
struct srnic_claims {
	struct srnic_safe *safe;	/* of the work queue's CQ; NULL: the CQ is not safe */
	struct srnic_claims *next;	/* next in the bucket */
	struct srnic_ring *sq;		/* NULL: a receive queue */
	struct srnic_srq *srq;		/* the SRQ used by the QP, or NULL */
	uint32_t qp_num;
	uint32_t held;			/* number of entries; those of an SRQ are not included */
	uint32_t first;			/* send queue: index of the oldest held request */
	uint32_t settled;		/* see settle() */
};

/* A doorbell that is owed: see owed.c. The CQ's debts_lock protects it. */
struct srnic_debt {
	struct srnic_debt *next;
	struct srnic_qp *qp;		/* NULL: it is not owed */
};

struct srnic_cq {
	struct verbs_cq vcq;
	struct srnic_home home;
	struct srnic_ring ring;
	struct srnic_safe *safe;	/* NULL: the application must avoid overflow */
	struct srnic_lock lock;
	const struct srnic_cqe *cqe;	/* the current one, between start_poll and end_poll */
	/*
	 * Keeps the ring mapped while it is armed. @lock would not do: start_poll holds it
	 * until end_poll, and arming in between is allowed.
	 */
	pthread_spinlock_t arm_lock;
	/* The doorbells that queues with this CQ owe. A mutex: it is held while they are rung. */
	struct srnic_debt *_Atomic debts;
	pthread_mutex_t debts_lock;
};

struct srnic_srq {
	struct verbs_srq vsrq;
	struct srnic_home home;
	struct srnic_ring ring;
	struct srnic_lock lock;
	uint32_t max_sge;
	uint32_t srq_num;
	bool safe;			/* its context has safe CQs: see safe_srq.c */
	struct srnic_srq_cq *cqs;	/* on which its receives may complete */
	uint32_t room;			/* how many receives may be posted, by the last look() */
};

struct srnic_qp {
	struct verbs_qp vqp;
	void *vqp_grows[2];		/* space for newer verbs_qp: see offer_wr() */
	struct srnic_home home;

	struct srnic_lock sq_lock;
	struct srnic_ring sq;
	uint32_t max_send_sge;
	uint32_t max_inline;
	uint16_t always;		/* SRNIC_WQE_SIGNALED if sq_sig_all is set */
	bool sq_rung;			/* a doorbell has succeeded: see srnic_sq_first() */

	/* batch of ibv_wr_*(), from wr_start to wr_complete or wr_abort */
	struct srnic_sq_wqe *wr_wqe;	/* entry that the setters fill in */
	uint32_t wr_next;
	int wr_err;

	struct srnic_lock rq_lock;
	struct srnic_ring rq;
	uint32_t max_recv_sge;

	struct srnic_claims send_claims;
	struct srnic_claims recv_claims;

	struct srnic_debt send_debt;
	struct srnic_debt recv_debt;
};

/* A receive queue without a QP, for receive-side scaling */
struct srnic_wq {
	struct ibv_wq ibv;
	struct srnic_ring ring;
	struct srnic_lock lock;
	uint32_t max_sge;
};

struct srnic_ah {
	struct ibv_ah ibv;
	uint32_t number;
};

struct srnic_dm {
	struct verbs_dm vdm;
	char *mem;		/* mapped by this process */
	size_t size;		/* bytes of the mapping */
	uint64_t length;	/* bytes of the device memory */
};

static inline struct srnic_context *to_sctx(struct ibv_context *ctx)
{
	return container_of(ctx, struct srnic_context, vctx.context);
}

static inline struct srnic_td *to_std(struct ibv_td *td)
{
	return container_of(td, struct srnic_td, ibv);
}

static inline struct srnic_pd *to_spd(struct ibv_pd *pd)
{
	return container_of(pd, struct srnic_pd, ibv);
}

static inline struct srnic_dm *to_sdm(struct ibv_dm *dm)
{
	return container_of(dm, struct srnic_dm, vdm.dm);
}

static inline struct srnic_cq *to_scq(struct ibv_cq *cq)
{
	return container_of(cq, struct srnic_cq, vcq.cq);
}

static inline struct srnic_cq *to_scq_ex(struct ibv_cq_ex *cq)
{
	return container_of(cq, struct srnic_cq, vcq.cq_ex);
}

static inline struct srnic_srq *to_ssrq(struct ibv_srq *srq)
{
	return container_of(srq, struct srnic_srq, vsrq.srq);
}

static inline struct srnic_qp *to_sqp(struct ibv_qp *qp)
{
	return container_of(qp, struct srnic_qp, vqp.qp);
}

static inline struct srnic_qp *to_sqp_ex(struct ibv_qp_ex *qp)
{
	return container_of(qp, struct srnic_qp, vqp.qp_ex);
}

static inline struct srnic_wq *to_swq(struct ibv_wq *wq)
{
	return container_of(wq, struct srnic_wq, ibv);
}

static inline struct srnic_ah *to_sah(struct ibv_ah *ah)
{
	return container_of(ah, struct srnic_ah, ibv);
}

/* main.c */
struct verbs_context *srnic_import_context(struct ibv_device *device, int cmd_fd);

/* map.c */
void *srnic_map(struct ibv_context *ctx, const struct srnic_abi_ring *abi, uint32_t min_stride);
void srnic_ring_unmap(struct srnic_ring *ring);

/* pd.c */
struct ibv_pd *srnic_alloc_pd(struct ibv_context *ctx);
int srnic_dealloc_pd(struct ibv_pd *pd);
struct ibv_pd *srnic_import_pd(struct ibv_context *ctx, uint32_t handle);
void srnic_unimport_pd(struct ibv_pd *pd);

/* domain.c */
struct ibv_td *srnic_alloc_td(struct ibv_context *ctx, struct ibv_td_init_attr *attr);
int srnic_dealloc_td(struct ibv_td *td);
struct ibv_pd *srnic_alloc_parent_domain(struct ibv_context *ctx,
					 struct ibv_parent_domain_init_attr *attr);
int srnic_dealloc_parent_domain(struct srnic_pd *parent);
void *srnic_home_alloc(struct srnic_home *home, struct ibv_pd *pd, size_t size, uint32_t object);
void srnic_home_free(struct srnic_home home, void *mem);

/* Whether the application promised one thread at a time for the objects of @pd. */
static inline bool srnic_single_threaded(struct ibv_pd *pd)
{
	return pd && to_spd(pd)->td;
}

/* mr.c */
struct ibv_mr *srnic_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
			    int access);
struct ibv_mr *srnic_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
				   uint64_t iova, int fd, int access);
int srnic_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd, void *addr,
		   size_t length, int access);
int srnic_advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice, uint32_t flags,
		    struct ibv_sge *sg_list, uint32_t num_sge);
int srnic_dereg_mr(struct verbs_mr *vmr);
struct ibv_mr *srnic_import_mr(struct ibv_pd *pd, uint32_t handle);
void srnic_unimport_mr(struct ibv_mr *mr);
struct ibv_mw *srnic_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type);
int srnic_dealloc_mw(struct ibv_mw *mw);
int srnic_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind);

/* dm.c */
struct ibv_dm *srnic_alloc_dm(struct ibv_context *ctx, struct ibv_alloc_dm_attr *attr);
int srnic_free_dm(struct ibv_dm *dm);
struct ibv_dm *srnic_import_dm(struct ibv_context *ctx, uint32_t handle);
void srnic_unimport_dm(struct ibv_dm *dm);
struct ibv_mr *srnic_reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t offset,
			       size_t length, unsigned int access);

/* ah.c */
struct ibv_ah *srnic_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr);
int srnic_destroy_ah(struct ibv_ah *ah);

/* cq.c */
struct ibv_cq *srnic_create_cq(struct ibv_context *ctx, int cqe,
			       struct ibv_comp_channel *channel, int comp_vector);
struct ibv_cq_ex *srnic_create_cq_ex(struct ibv_context *ctx, struct ibv_cq_init_attr_ex *attr);
int srnic_resize_cq(struct ibv_cq *cq, int cqe);
int srnic_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr);
int srnic_destroy_cq(struct ibv_cq *cq);
int srnic_poll_cq(struct ibv_cq *cq, int num, struct ibv_wc *wc);
void srnic_cq_forget(struct ibv_cq *cq, uint32_t qp_num);
int srnic_req_notify_cq(struct ibv_cq *cq, int solicited_only);

/* safe.c */
int srnic_safe_wanted(bool *wanted);
struct srnic_safe *srnic_safe_create(struct srnic_ring *ring);
void srnic_safe_destroy(struct srnic_safe *safe);
void srnic_safe_consumed(struct srnic_safe *safe);
bool srnic_safe_may_shrink(struct srnic_safe *safe, uint32_t limit);
int srnic_safe_reserve(struct srnic_safe *safe, uint32_t n);
void srnic_safe_release(struct srnic_safe *safe, uint32_t n);
uint32_t srnic_safe_unpolled(struct srnic_safe *safe, const struct srnic_srq *srq);
int srnic_claim(struct srnic_claims *claims);
void srnic_unclaim(struct srnic_claims *claims, uint32_t next);
void srnic_claims_drop(struct srnic_claims *claims);
int srnic_safe_attach(struct srnic_qp *qp, const struct ibv_qp_init_attr_ex *attr);
void srnic_safe_detach(struct srnic_qp *qp);

static inline void srnic_safe_lock(struct srnic_safe *safe)
{
	if (safe)
		pthread_spin_lock(&safe->lock);
}

static inline void srnic_safe_unlock(struct srnic_safe *safe)
{
	if (safe)
		pthread_spin_unlock(&safe->lock);
}

/* safe_srq.c */
int srnic_srq_claim(struct srnic_srq *srq, uint32_t next);
int srnic_srq_join(struct srnic_srq *srq, struct srnic_safe *safe);
void srnic_srq_leave(struct srnic_srq *srq, struct srnic_safe *safe);

/* srq.c */
struct ibv_srq *srnic_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr);
struct ibv_srq *srnic_create_srq_ex(struct ibv_context *ctx, struct ibv_srq_init_attr_ex *attr);
int srnic_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int attr_mask);
int srnic_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr);
int srnic_destroy_srq(struct ibv_srq *srq);
int srnic_get_srq_num(struct ibv_srq *srq, uint32_t *srq_num);

/* xrcd.c */
struct ibv_xrcd *srnic_open_xrcd(struct ibv_context *ctx, struct ibv_xrcd_init_attr *attr);
int srnic_close_xrcd(struct ibv_xrcd *xrcd);

/* qp.c */
struct ibv_qp *srnic_open_qp(struct ibv_context *ctx, struct ibv_qp_open_attr *attr);
struct ibv_qp *srnic_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
struct ibv_qp *srnic_create_qp_ex(struct ibv_context *ctx, struct ibv_qp_init_attr_ex *attr);
int srnic_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask);
int srnic_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
		   struct ibv_qp_init_attr *init_attr);
int srnic_destroy_qp(struct ibv_qp *qp);

/* raw.c */
struct ibv_flow *srnic_create_flow(struct ibv_qp *qp, struct ibv_flow_attr *attr);
int srnic_destroy_flow(struct ibv_flow *flow);
struct ibv_wq *srnic_create_wq(struct ibv_context *ctx, struct ibv_wq_init_attr *attr);
int srnic_modify_wq(struct ibv_wq *wq, struct ibv_wq_attr *attr);
int srnic_destroy_wq(struct ibv_wq *wq);
struct ibv_rwq_ind_table *srnic_create_rwq_table(struct ibv_context *ctx,
						 struct ibv_rwq_ind_table_init_attr *attr);
int srnic_destroy_rwq_table(struct ibv_rwq_ind_table *table);
int srnic_create_rss(struct ibv_context *ctx, struct srnic_qp *qp,
		     struct ibv_qp_init_attr_ex *attr);

/* post.c */
int srnic_post_wq_recv(struct ibv_wq *wq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);
int srnic_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr);
int srnic_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);
int srnic_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
			struct ibv_recv_wr **bad_wr);
int srnic_sq_first(struct srnic_qp *qp);
int srnic_sq_ring(struct srnic_qp *qp);
int srnic_rq_ring(struct srnic_qp *qp);
int srnic_sq_kick(struct srnic_qp *qp);

/* owed.c */
bool srnic_is_transient(int err);
void srnic_owe(struct srnic_qp *qp, struct srnic_debt *debt);
int srnic_pay_all(struct srnic_cq *cq);
void srnic_debts_forget(struct srnic_qp *qp);

static inline int srnic_pay(struct srnic_cq *cq)
{
	return atomic_load_explicit(&cq->debts, memory_order_relaxed) ? srnic_pay_all(cq) : 0;
}

/* wr.c */
int srnic_set_wr_ops(struct srnic_qp *qp, enum ibv_qp_type type, uint64_t send_ops);
int srnic_set_late_wr_ops(struct srnic_qp *qp, uint64_t send_ops, const void *end);

#endif /* SRNIC_H */
