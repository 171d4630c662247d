/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions shared by the files of verbs: the operations of the table in
 * device.c, and a few helpers. The contracts of the operations are those of
 * struct ib_device_ops.
 */
#ifndef SRNIC_VERBS_OPS_H
#define SRNIC_VERBS_OPS_H

#include <rdma/uverbs_ioctl.h>
#include "verbs/verbs.h"

/* device.c: grants by guard; refusals are counted. 0 or -ENOMEM */
int srnic_take_quota_many(struct srnic_dev *dev, enum srnic_quota quota, struct srnic_user *user,
			  u32 n);
void srnic_give_quota_many(struct srnic_dev *dev, enum srnic_quota quota, struct srnic_user *user,
			   u32 n);
int srnic_take_quota(struct srnic_dev *dev, enum srnic_quota quota, struct srnic_user *user);
void srnic_give_quota(struct srnic_dev *dev, enum srnic_quota quota, struct srnic_user *user);
/* ucontext.c: copy a response; -EINVAL if user space has no room for all of it */
int srnic_respond(struct ib_udata *udata, const void *resp, size_t len);
/* -EINVAL if the response will not fit; to be called before anything is created */
int srnic_check_outlen(const struct ib_udata *udata, size_t len);
struct ib_ucontext *srnic_udata_context(struct ib_udata *udata);
/* the calling user; NULL: a kernel consumer or the administrator */
struct srnic_user *srnic_udata_user(struct ib_udata *udata);

/* mmap.c */
int srnic_ring_create(struct ib_udata *udata, struct srnic_ring *ring, u32 limit, u32 stride,
		      struct srnic_abi_ring *abi);
void srnic_ring_destroy(struct srnic_ring *ring);
void srnic_ring_detach(struct srnic_ring *ring, spinlock_t *lock);
struct srnic_mmap *srnic_mmap_new(struct ib_ucontext *uctx, enum srnic_quota quota, u32 count);
int srnic_mmap_insert(struct srnic_mmap *mmap, const struct srnic_pages *pages);
u64 srnic_mmap_offset(struct srnic_mmap *mmap);
void srnic_mmap_remove(struct srnic_mmap *mmap);
int srnic_mmap(struct ib_ucontext *uctx, struct vm_area_struct *vma);
void srnic_mmap_free(struct rdma_user_mmap_entry *entry);

/* port.c, ib_port.c */
extern const struct ib_device_ops srnic_ib_port_ops;
void srnic_port_fill(struct srnic_dev *dev, struct ib_port_attr *attr);
int srnic_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr);
int srnic_port_immutable(struct ib_device *ib, u32 port, struct ib_port_immutable *immutable);
enum rdma_link_layer srnic_link_layer(struct ib_device *ib, u32 port);
int srnic_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey);
int srnic_add_gid(const struct ib_gid_attr *attr, void **context);
int srnic_del_gid(const struct ib_gid_attr *attr, void **context);

/* ib_netdev.c */
int srnic_ib_netdev_params(struct ib_device *ib, u32 port, enum rdma_netdev_t type,
			   struct rdma_netdev_alloc_params *params);

/* ucontext.c, pd.c */
int srnic_alloc_ucontext(struct ib_ucontext *ib, struct ib_udata *udata);
int srnic_query_ucontext(struct ib_ucontext *ib, struct uverbs_attr_bundle *attrs);
void srnic_dealloc_ucontext(struct ib_ucontext *ib);
void srnic_disassociate_ucontext(struct ib_ucontext *ib);
int srnic_alloc_pd(struct ib_pd *ib, struct ib_udata *udata);
int srnic_dealloc_pd(struct ib_pd *ib, struct ib_udata *udata);

/* av.c */
bool srnic_av_is_own(const struct srnic_dev *dev, const struct rdma_ah_attr *av);
int srnic_av_check(struct srnic_dev *dev, const struct rdma_ah_attr *av);
int srnic_av_path(struct srnic_path *path, struct srnic_dev *dev, const struct rdma_ah_attr *av,
		  u16 sport);

/* ah.c */
int srnic_create_ah(struct ib_ah *ib, struct rdma_ah_init_attr *init, struct ib_udata *udata);
int srnic_modify_ah(struct ib_ah *ib, struct rdma_ah_attr *attr);
int srnic_query_ah(struct ib_ah *ib, struct rdma_ah_attr *attr);
int srnic_destroy_ah(struct ib_ah *ib, u32 flags);

/* mr.c, mw.c */
struct ib_mr *srnic_get_dma_mr(struct ib_pd *pd, int access);
struct ib_mr *srnic_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 iova, int access,
				struct ib_dmah *dmah, struct ib_udata *udata);
struct ib_mr *srnic_reg_user_mr_dmabuf(struct ib_pd *pd, u64 offset, u64 length, u64 iova, int fd,
				       int access, struct ib_dmah *dmah,
				       struct uverbs_attr_bundle *attrs);
struct ib_mr *srnic_rereg_user_mr(struct ib_mr *ib, int flags, u64 start, u64 length, u64 iova,
				  int access, struct ib_pd *pd, struct ib_udata *udata);
int srnic_dereg_mr(struct ib_mr *ib, struct ib_udata *udata);
int srnic_advise_mr(struct ib_pd *ib, enum ib_uverbs_advise_mr_advice advice, u32 flags,
		    struct ib_sge *sge, u32 num_sge, struct uverbs_attr_bundle *attrs);
struct ib_mr *srnic_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_sg);
int srnic_map_mr_sg(struct ib_mr *ib, struct scatterlist *sg, int nents, unsigned int *offset);
int srnic_alloc_mw(struct ib_mw *ib, struct ib_udata *udata);
int srnic_dealloc_mw(struct ib_mw *ib);

/**
 * struct srnic_dm - Device memory
 * @ib: core part
 * @length: bytes, as requested
 * @pages: the memory; bytes behind @length belong to nobody
 * @mmap: its place in the mmap space
 */
struct srnic_dm {
	struct ib_dm ib;
	u32 length;
	struct srnic_pages pages;
	struct srnic_mmap *mmap;
};

static inline struct srnic_dm *to_srnic_dm(struct ib_dm *ib)
{
	return container_of(ib, struct srnic_dm, ib);
}

/* dm.c; mr.c for regions */
struct ib_dm *srnic_alloc_dm(struct ib_device *ib, struct ib_ucontext *uctx,
			     struct ib_dm_alloc_attr *attr, struct uverbs_attr_bundle *attrs);
int srnic_dealloc_dm(struct ib_dm *ib, struct uverbs_attr_bundle *attrs);
struct ib_mr *srnic_reg_dm_mr(struct ib_pd *pd, struct ib_dm *ib, struct ib_dm_mr_attr *attr,
			      struct uverbs_attr_bundle *attrs);

/* cq.c */
int srnic_create_cq(struct ib_cq *ib, const struct ib_cq_init_attr *attr,
		    struct uverbs_attr_bundle *attrs);
int srnic_destroy_cq(struct ib_cq *ib, struct ib_udata *udata);
int srnic_resize_cq(struct ib_cq *ib, unsigned int cqe, struct ib_udata *udata);
int srnic_modify_cq(struct ib_cq *ib, u16 count, u16 period);
int srnic_poll_cq(struct ib_cq *ib, int num, struct ib_wc *wc);
int srnic_peek_cq(struct ib_cq *ib, int count);
int srnic_req_notify_cq(struct ib_cq *ib, enum ib_cq_notify_flags flags);

/* srq.c */
int srnic_create_srq(struct ib_srq *ib, struct ib_srq_init_attr *init, struct ib_udata *udata);
int srnic_modify_srq(struct ib_srq *ib, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		     struct ib_udata *udata);
int srnic_query_srq(struct ib_srq *ib, struct ib_srq_attr *attr);
int srnic_destroy_srq(struct ib_srq *ib, struct ib_udata *udata);
int srnic_post_srq_recv(struct ib_srq *ib, const struct ib_recv_wr *wr,
			const struct ib_recv_wr **bad_wr);

/* qp.c, qp_modify.c, qp_query.c */
int srnic_create_qp(struct ib_qp *ib, struct ib_qp_init_attr *init, struct ib_udata *udata);
int srnic_destroy_qp(struct ib_qp *ib, struct ib_udata *udata);
int srnic_modify_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask, struct ib_udata *udata);
int srnic_query_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		   struct ib_qp_init_attr *init);

/* qp.c, for wq.c */
int srnic_rq_create(struct srnic_qp *qp, struct ib_qp_cap *cap, struct ib_udata *udata,
		    struct srnic_abi_ring *abi);
void srnic_qp_init_mem(struct srnic_qp *qp);
void srnic_qp_join(struct srnic_qp *qp);
void srnic_qp_leave_cqs(struct srnic_qp *qp);

/* flow.c */
int srnic_raw_permit(const struct srnic_dev *dev);
struct ib_flow *srnic_create_flow(struct ib_qp *ib, struct ib_flow_attr *attr,
				  struct ib_udata *udata);
int srnic_destroy_flow(struct ib_flow *ib);

/* wq.c */
struct ib_wq *srnic_create_wq(struct ib_pd *pd, struct ib_wq_init_attr *init,
			      struct ib_udata *udata);
int srnic_modify_wq(struct ib_wq *ib, struct ib_wq_attr *attr, u32 mask, struct ib_udata *udata);
int srnic_destroy_wq(struct ib_wq *ib, struct ib_udata *udata);

/**
 * struct srnic_rwq_table - An indirection table of receive queues
 * @ib: core part, which has the queues
 * @user: the user who is charged for it
 */
struct srnic_rwq_table {
	struct ib_rwq_ind_table ib;
	struct srnic_user *user;
};

int srnic_create_rwq_table(struct ib_rwq_ind_table *ib, struct ib_rwq_ind_table_init_attr *init,
			   struct ib_udata *udata);
int srnic_destroy_rwq_table(struct ib_rwq_ind_table *ib);

/* xrc.c */
int srnic_alloc_xrcd(struct ib_xrcd *ib, struct ib_udata *udata);
int srnic_dealloc_xrcd(struct ib_xrcd *ib, struct ib_udata *udata);
int srnic_target_create(struct srnic_qp *qp, struct ib_xrcd *ib);
void srnic_target_join(struct srnic_qp *qp);
void srnic_target_destroy(struct srnic_qp *qp);

/* keys.c */
extern const struct uapi_definition srnic_uapi_defs[];
/* dm.c, mr_bind.c, pd.c, ucontext.c */
extern const struct uapi_definition srnic_dm_defs[];
extern const struct uapi_definition srnic_mr_bind_defs[];
extern const struct uapi_definition srnic_pd_defs[];
extern const struct uapi_definition srnic_ucontext_defs[];

/* mcast.c */
int srnic_attach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid);
int srnic_detach_mcast(struct ib_qp *ib, union ib_gid *gid, u16 lid);

/* counter.c */
struct rdma_hw_stats *srnic_counter_alloc_stats(struct rdma_counter *counter);
int srnic_counter_bind_qp(struct rdma_counter *counter, struct ib_qp *ib, u32 port);
int srnic_counter_unbind_qp(struct ib_qp *ib, u32 port);
int srnic_counter_dealloc(struct rdma_counter *counter);
int srnic_counter_update_stats(struct rdma_counter *counter);

/* stats.c, res.c */
struct rdma_hw_stats *srnic_alloc_hw_port_stats(struct ib_device *ib, u32 port);
int srnic_get_hw_stats(struct ib_device *ib, struct rdma_hw_stats *stats, u32 port, int index);
int srnic_fill_res_qp(struct sk_buff *msg, struct ib_qp *ib);
int srnic_fill_res_cq(struct sk_buff *msg, struct ib_cq *ib);
int srnic_fill_res_mr(struct sk_buff *msg, struct ib_mr *ib);
int srnic_fill_res_srq(struct sk_buff *msg, struct ib_srq *ib);

#endif /* SRNIC_VERBS_OPS_H */
