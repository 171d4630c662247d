// SPDX-License-Identifier: GPL-2.0
/*
 * The device: its table of operations, its capabilities, and the tables of its
 * objects.
 */
#include <linux/cpumask.h>
#include <linux/overflow.h>
#include <linux/random.h>
#include <linux/string.h>
#include "engine/ah.h"
#include "engine/idle.h"
#include "engine/mcast.h"
#include "engine/srq.h"
#include "engine/xrc.h"
#include "export.h"
#include "fabric/fabric.h"
#include "raw/raw.h"
#include "verbs/compat_ops.h"
#include "verbs/ops.h"

/*
 * srnic belongs to no organisation and has no OUI: use "sr", with the bit for
 * locally administered addresses set, and "nc".
 */
#define SRNIC_VENDOR_ID		0x027372
#define SRNIC_PART_ID		0x6e63

#define SRNIC_FW_MAJOR		0
#define SRNIC_FW_MINOR		1
#define SRNIC_FW_PATCH		0

/* 4.096 us << 15 = 134 ms: a loaded host responds within this time (IBA 9.7.6.1.3) */
#define SRNIC_ACK_DELAY		15

#define SRNIC_DEVICE_CAPS	(IB_DEVICE_BAD_PKEY_CNTR | IB_DEVICE_BAD_QKEY_CNTR |		\
				 IB_DEVICE_CURR_QP_STATE_MOD | IB_DEVICE_PORT_ACTIVE_EVENT |	\
				 IB_DEVICE_SYS_IMAGE_GUID | IB_DEVICE_RC_RNR_NAK_GEN |		\
				 IB_DEVICE_SRQ_RESIZE | IB_DEVICE_N_NOTIFY_CQ | IB_DEVICE_XRC |	\
				 IB_DEVICE_UD_AV_PORT_ENFORCE | IB_DEVICE_MEM_WINDOW |		\
				 IB_DEVICE_MEM_WINDOW_TYPE_2B | IB_DEVICE_MEM_MGT_EXTENSIONS |	\
				 (SRNIC_OFFERS_FLUSH ? IB_DEVICE_FLUSH_GLOBAL : 0))

/* A word is written at once by a processor of that width. */
#define SRNIC_WORD_CAPS		(IS_ENABLED(CONFIG_64BIT) ? IB_DEVICE_ATOMIC_WRITE : 0)

/*
 * Only where the kernel can write caches back to persistent memory. Registration refuses the
 * right for any other memory.
 */
#define SRNIC_PMEM_CAPS		(SRNIC_OFFERS_FLUSH && IS_ENABLED(CONFIG_ARCH_HAS_PMEM_API) ?	\
				 IB_DEVICE_FLUSH_PERSISTENT : 0)

#define SRNIC_PAGING		IS_ENABLED(CONFIG_INFINIBAND_ON_DEMAND_PAGING)

#define SRNIC_KERNEL_CAPS	(IBK_LOCAL_DMA_LKEY | IBK_ALLOW_USER_UNREG | IBK_SG_GAPS_REG |	\
				 (SRNIC_PAGING ? IBK_ON_DEMAND_PAGING : 0))

/* A region of the whole address space has more bytes than an unsigned long of 32 bits can count. */
#define SRNIC_IMPLICIT_CAPS	(IS_ENABLED(CONFIG_64BIT) ? IB_ODP_SUPPORT_IMPLICIT : 0)

/* UC: a message whose receive buffer, or whose target, is not there yet is lost. */
static const struct ib_odp_caps srnic_odp_caps = {
	.general_caps = IB_ODP_SUPPORT | SRNIC_IMPLICIT_CAPS,
	.per_transport_caps = {
		.rc_odp_caps = IB_ODP_SUPPORT_SEND | IB_ODP_SUPPORT_RECV | IB_ODP_SUPPORT_WRITE |
			       IB_ODP_SUPPORT_READ | IB_ODP_SUPPORT_ATOMIC |
			       IB_ODP_SUPPORT_SRQ_RECV,
		.uc_odp_caps = IB_ODP_SUPPORT_SEND,
		.ud_odp_caps = IB_ODP_SUPPORT_SEND | IB_ODP_SUPPORT_RECV |
			       IB_ODP_SUPPORT_SRQ_RECV,
	},
};

int srnic_take_quota_many(struct srnic_dev *dev, enum srnic_quota quota, struct srnic_user *user,
			  u32 n)
{
	int err = srnic_quota_take_many(&dev->guard, quota, user, n);

	if (err)
		srnic_count(dev, quota_refused);
	return err;
}

void srnic_give_quota_many(struct srnic_dev *dev, enum srnic_quota quota, struct srnic_user *user,
			   u32 n)
{
	srnic_quota_give_many(&dev->guard, quota, user, n);
}

int srnic_take_quota(struct srnic_dev *dev, enum srnic_quota quota, struct srnic_user *user)
{
	return srnic_take_quota_many(dev, quota, user, 1);
}

void srnic_give_quota(struct srnic_dev *dev, enum srnic_quota quota, struct srnic_user *user)
{
	srnic_give_quota_many(dev, quota, user, 1);
}

static int dev_limit(struct srnic_dev *dev, enum srnic_quota quota)
{
	return min_t(u32, srnic_quota_get(&dev->guard, quota).limit, INT_MAX);
}

/* Fill in the numbers of objects that guard grants at present. */
static void dev_query_counts(struct srnic_dev *dev, struct ib_device_attr *attr)
{
	attr->max_qp = dev_limit(dev, SRNIC_QUOTA_QP);
	attr->max_cq = dev_limit(dev, SRNIC_QUOTA_CQ);
	attr->max_mr = dev_limit(dev, SRNIC_QUOTA_MR);
	attr->max_mw = dev_limit(dev, SRNIC_QUOTA_MW);
	attr->max_pd = dev_limit(dev, SRNIC_QUOTA_PD);
	attr->max_ah = dev_limit(dev, SRNIC_QUOTA_AH);
	attr->max_srq = dev_limit(dev, SRNIC_QUOTA_SRQ);
	attr->max_mcast_grp = dev_limit(dev, SRNIC_QUOTA_MCAST);
	attr->max_total_mcast_qp_attach = dev_limit(dev, SRNIC_QUOTA_MCAST_QP);
}

/* Raw packets. The core has no field for the number of flows. */
static void dev_query_raw(struct srnic_dev *dev, struct ib_device_attr *attr)
{
	attr->device_cap_flags |= IB_DEVICE_MANAGED_FLOW_STEERING;
	attr->max_raw_ethy_qp = attr->max_qp;
	attr->max_wq_type_rq = dev_limit(dev, SRNIC_QUOTA_WQ);
	attr->rss_caps = (struct ib_rss_caps) {
		.supported_qpts = BIT(IB_QPT_RAW_PACKET),
		.max_rwq_indirection_tables = dev_limit(dev, SRNIC_QUOTA_RWQ_TABLE),
		.max_rwq_indirection_table_size = BIT(SRNIC_MAX_RWQ_TABLE_LOG),
	};
}

/* Device memory that one call may get at most; the core keeps its length in 32 bits. */
static u64 dev_max_dm_size(struct srnic_dev *dev)
{
	u64 pages = srnic_quota_get(&dev->guard, SRNIC_QUOTA_DEVICE).limit;

	return min_t(u64, pages << PAGE_SHIFT, U32_MAX & PAGE_MASK);
}

/* Fill in the maximum sizes of objects. */
static void dev_query_sizes(struct ib_device_attr *attr)
{
	attr->max_mr_size = SRNIC_MAX_MR_SIZE;
	attr->page_size_cap = ~(u64)(PAGE_SIZE - 1) & U32_MAX;
	attr->max_qp_wr = SRNIC_MAX_QP_WR;
	attr->max_send_sge = SRNIC_MAX_SGE;
	attr->max_recv_sge = SRNIC_MAX_SGE;
	attr->max_sge_rd = SRNIC_MAX_SGE;
	attr->max_cqe = SRNIC_MAX_CQE;
	/* all that the call can carry */
	attr->cq_caps.max_cq_moderation_count = U16_MAX;
	attr->cq_caps.max_cq_moderation_period = U16_MAX;
	attr->max_srq_wr = SRNIC_MAX_SRQ_WR;
	attr->max_srq_sge = SRNIC_MAX_SGE;
	attr->max_fast_reg_page_list_len = SRNIC_MAX_FRMR_PAGES;
	attr->max_mcast_qp_attach = SRNIC_MAX_MCAST_QP;
	attr->max_qp_rd_atom = SRNIC_MAX_RD_ATOMIC;
	attr->max_qp_init_rd_atom = SRNIC_MAX_RD_ATOMIC;
	if (check_mul_overflow(attr->max_qp, SRNIC_MAX_RD_ATOMIC, &attr->max_res_rd_atom))
		attr->max_res_rd_atom = INT_MAX;
}

static int srnic_query_device(struct ib_device *ib, struct ib_device_attr *attr,
			      struct ib_udata *udata)
{
	struct srnic_dev *dev = to_srnic(ib);

	/* later kernels' registration has none */
	if (udata && (udata->inlen || udata->outlen))
		return -EINVAL;

	memset(attr, 0, sizeof(*attr));
	attr->fw_ver = (u64)SRNIC_FW_MAJOR << 32 | SRNIC_FW_MINOR << 16 | SRNIC_FW_PATCH;
	attr->vendor_id = SRNIC_VENDOR_ID;
	attr->vendor_part_id = SRNIC_PART_ID;
	attr->sys_image_guid = ib->node_guid;
	attr->device_cap_flags = SRNIC_DEVICE_CAPS | SRNIC_WORD_CAPS | SRNIC_PMEM_CAPS;
	attr->kernel_cap_flags = SRNIC_KERNEL_CAPS;
	if (SRNIC_PAGING)
		attr->odp_caps = srnic_odp_caps;
	if (dev->fabric) {
		/* for ib_ipoib, which runs on InfiniBand ports only */
		attr->device_cap_flags |= IB_DEVICE_UD_IP_CSUM;
		attr->kernel_cap_flags |= IBK_UD_TSO;
	}
	attr->atomic_cap = IB_ATOMIC_HCA;
	attr->local_ca_ack_delay = SRNIC_ACK_DELAY;
	/* completions carry CLOCK_MONOTONIC in nanoseconds: 10^6 kHz */
	attr->timestamp_mask = U64_MAX;
	attr->hca_core_clock = 1000000;
	dev_query_counts(dev, attr);
	dev_query_sizes(attr);
	if (!dev->fabric)
		dev_query_raw(dev, attr);
	attr->max_dm_size = dev_max_dm_size(dev);
	attr->max_pkeys = dev->fabric ? SRNIC_PKEYS : 1;
	return 0;
}

static int srnic_modify_device(struct ib_device *ib, int mask, struct ib_device_modify *modify)
{
	if (mask & ~IB_DEVICE_MODIFY_NODE_DESC)
		return -EOPNOTSUPP;

	if (mask & IB_DEVICE_MODIFY_NODE_DESC)
		memcpy(ib->node_desc, modify->node_desc, sizeof(ib->node_desc));
	return 0;
}

static void srnic_get_dev_fw_str(struct ib_device *ib, char *str)
{
	scnprintf(str, IB_FW_VERSION_NAME_MAX, "%u.%u.%u", SRNIC_FW_MAJOR, SRNIC_FW_MINOR,
		  SRNIC_FW_PATCH);
}

/*
 * Omitted on purpose: enable_driver and dealloc_driver, which main sets;
 * modify_port, which only InfiniBand ports need (ib_port.c);
 * get_netdev, because main calls ib_device_set_netdev(); query_gid, because the
 * core keeps the GID table (add_gid).
 */
const struct ib_device_ops srnic_dev_ops = {
	.owner = THIS_MODULE,
	.driver_id = (enum rdma_driver_id)SRNIC_DRIVER_ID,
	.uverbs_abi_ver = SRNIC_ABI_VERSION,

	.add_gid = srnic_add_gid,
	.advise_mr = srnic_advise_mr,
	.alloc_dm = srnic_alloc_dm,
	.alloc_hw_port_stats = srnic_alloc_hw_port_stats,
	.alloc_mr = srnic_alloc_mr,
	.alloc_mw = srnic_alloc_mw,
	.alloc_pd = srnic_alloc_pd,
	.alloc_ucontext = srnic_alloc_ucontext,
	.alloc_xrcd = srnic_alloc_xrcd,
	.attach_mcast = srnic_attach_mcast,
	.counter_alloc_stats = srnic_counter_alloc_stats,
	SRNIC_OP_COUNTER_BIND_QP,
	.counter_dealloc = srnic_counter_dealloc,
	SRNIC_OP_COUNTER_UNBIND_QP,
	.counter_update_stats = srnic_counter_update_stats,
	.create_ah = srnic_create_ah,
	SRNIC_OP_CREATE_CQ,
	.create_flow = srnic_create_flow,
	.create_qp = srnic_create_qp,
	.create_rwq_ind_table = srnic_create_rwq_table,
	.create_srq = srnic_create_srq,
	.create_user_ah = srnic_create_ah,
	.create_wq = srnic_create_wq,
	.dealloc_dm = srnic_dealloc_dm,
	.dealloc_mw = srnic_dealloc_mw,
	.dealloc_pd = srnic_dealloc_pd,
	.dealloc_ucontext = srnic_dealloc_ucontext,
	.dealloc_xrcd = srnic_dealloc_xrcd,
	.del_gid = srnic_del_gid,
	.dereg_mr = srnic_dereg_mr,
	.destroy_ah = srnic_destroy_ah,
	.destroy_cq = srnic_destroy_cq,
	.destroy_flow = srnic_destroy_flow,
	.destroy_qp = srnic_destroy_qp,
	.destroy_rwq_ind_table = srnic_destroy_rwq_table,
	.destroy_srq = srnic_destroy_srq,
	.destroy_wq = srnic_destroy_wq,
	.detach_mcast = srnic_detach_mcast,
	.disassociate_ucontext = srnic_disassociate_ucontext,
	.fill_res_cq_entry = srnic_fill_res_cq,
	.fill_res_mr_entry = srnic_fill_res_mr,
	.fill_res_qp_entry = srnic_fill_res_qp,
	SRNIC_OP_FILL_RES_SRQ
	.get_dev_fw_str = srnic_get_dev_fw_str,
	.get_dma_mr = srnic_get_dma_mr,
	.get_hw_stats = srnic_get_hw_stats,
	.get_link_layer = srnic_link_layer,
	.get_port_immutable = srnic_port_immutable,
	.map_mr_sg = srnic_map_mr_sg,
	.mmap = srnic_mmap,
	.mmap_free = srnic_mmap_free,
	.modify_ah = srnic_modify_ah,
	.modify_cq = srnic_modify_cq,
	.modify_device = srnic_modify_device,
	.modify_qp = srnic_modify_qp,
	.modify_srq = srnic_modify_srq,
	.modify_wq = srnic_modify_wq,
	.peek_cq = srnic_peek_cq,
	.poll_cq = srnic_poll_cq,
	.post_recv = srnic_post_recv,
	.post_send = srnic_post_send,
	.post_srq_recv = srnic_post_srq_recv,
	.process_mad = srnic_process_mad,
	.query_ah = srnic_query_ah,
	.query_device = srnic_query_device,
	.query_pkey = srnic_query_pkey,
	.query_port = srnic_query_port,
	.query_qp = srnic_query_qp,
	.query_srq = srnic_query_srq,
	.query_ucontext = srnic_query_ucontext,
	.reg_dm_mr = srnic_reg_dm_mr,
	SRNIC_OP_REG_USER_MR,
	SRNIC_OP_REG_USER_MR_DMABUF,
	.req_notify_cq = srnic_req_notify_cq,
	.rereg_user_mr = srnic_rereg_user_mr,
	SRNIC_OP_RESIZE_CQ,

	SRNIC_COUNTER_SIZE
	INIT_RDMA_OBJ_SIZE(ib_ah, srnic_ibah, ib),
	INIT_RDMA_OBJ_SIZE(ib_cq, srnic_cq, ib),
	INIT_RDMA_OBJ_SIZE(ib_mw, srnic_mw, ib),
	INIT_RDMA_OBJ_SIZE(ib_pd, srnic_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_qp, srnic_qp, ib),
	INIT_RDMA_OBJ_SIZE(ib_rwq_ind_table, srnic_rwq_table, ib),
	INIT_RDMA_OBJ_SIZE(ib_srq, srnic_srq, ib),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, srnic_ucontext, ib),
	INIT_RDMA_OBJ_SIZE(ib_xrcd, srnic_xrcd, ib),
};

/**
 * srnic_dev_init() - Set the fields that the core needs before registration
 * @dev: zeroed except for ndev, udp_port, fabric and ib.node_guid
 *
 * Context: process.
 */
void srnic_dev_init(struct srnic_dev *dev)
{
	struct ib_device *ib = &dev->ib;

	ib->node_type = RDMA_NODE_IB_CA;
	ib->phys_port_cnt = SRNIC_PORT;
	/* a vector is a processor (cq.c) */
	ib->num_comp_vectors = num_online_cpus();
	ib->local_dma_lkey = SRNIC_DMA_LKEY;
	/*
	 * The doorbell is a POST_SEND without work requests; user space posts
	 * through rings.
	 */
	ib->uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_POST_SEND) |
			       BIT_ULL(IB_USER_VERBS_CMD_POST_RECV) |
			       BIT_ULL(IB_USER_VERBS_CMD_REQ_NOTIFY_CQ);
	strscpy(ib->node_desc, "srnic", sizeof(ib->node_desc));
	srnic_idle_init(dev);
	if (dev->fabric)
		ib_set_device_ops(ib, &srnic_ib_port_ops);
	ib_set_device_ops(ib, &srnic_dev_ops);
	if (IS_ENABLED(CONFIG_INFINIBAND_USER_ACCESS))
		ib->driver_def = srnic_uapi_defs;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_dev_init);

/*
 * RoCE devices take RTNL inside the lock. ib_ipoib takes that of an InfiniBand
 * port inside RTNL.
 */
static void dev_init_mcast(struct srnic_dev *dev)
{
	static struct lock_class_key fabric_key;

	mutex_init(&dev->mcast.lock);
	if (dev->fabric)
		lockdep_set_class(&dev->mcast.lock, &fabric_key);
	srnic_memberships_init(dev);
}

/**
 * srnic_dev_open() - Create the tables and counters of a device
 * @dev: the device
 *
 * Context: process.
 * Return: 0 or -ENOMEM; srnic_dev_close() may be called in either case.
 */
int srnic_dev_open(struct srnic_dev *dev)
{
	xa_init_flags(&dev->qps, XA_FLAGS_ALLOC);
	xa_init_flags(&dev->ahs, XA_FLAGS_ALLOC1);
	xa_init_flags(&dev->srqs, XA_FLAGS_ALLOC1);
	dev->next_qpn = get_random_u32_inclusive(SRNIC_FIRST_QPN, SRNIC_LAST_QPN);
	dev_init_mcast(dev);
	srnic_guard_init(&dev->guard);

	srnic_stat_sets_init(&dev->stat_sets);
	dev->stats = alloc_percpu(struct srnic_stats);
	if (!dev->stats)
		return -ENOMEM;
	dev->peers = srnic_peers_alloc(&dev->guard);
	if (!dev->peers)
		goto free_stats;
	if (srnic_stag_table_init(dev))
		goto free_peers;
	if (srnic_txq_group_init(&dev->txq_group))
		goto free_stags;
	if (srnic_mcast_init(dev))
		goto free_txqs;
	dev->dgram_in = srnic_dgram_in_alloc(dev);
	if (!dev->dgram_in)
		goto free_groups;
	if (srnic_raw_open(dev))
		goto free_dgrams;
	return 0;

free_dgrams:
	srnic_dgram_in_free(dev->dgram_in);
free_groups:
	srnic_mcast_exit(dev);
free_txqs:
	srnic_txq_group_exit(&dev->txq_group);
free_stags:
	srnic_stag_table_exit(dev);
free_peers:
	srnic_peers_free(dev->peers);
free_stats:
	free_percpu(dev->stats);
	dev->stats = NULL;
	return -ENOMEM;
}

SRNIC_EXPORT_FOR_KUNIT(srnic_dev_open);

/**
 * srnic_dev_close() - Undo srnic_dev_open()
 * @dev: the device, without objects
 *
 * Context: process.
 */
void srnic_dev_close(struct srnic_dev *dev)
{
	if (!dev->stats)
		return;

	srnic_memberships_exit(dev);
	srnic_raw_close(dev);
	srnic_dgram_in_free(dev->dgram_in);
	srnic_mcast_exit(dev);
	srnic_txq_group_exit(&dev->txq_group);
	srnic_stag_table_exit(dev);
	srnic_peers_free(dev->peers);
	srnic_stat_sets_exit(&dev->stat_sets);
	free_percpu(dev->stats);
	xa_destroy(&dev->srqs);
	xa_destroy(&dev->ahs);
	xa_destroy(&dev->qps);
}

SRNIC_EXPORT_FOR_KUNIT(srnic_dev_close);
