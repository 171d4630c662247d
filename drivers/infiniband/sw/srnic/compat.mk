# SPDX-License-Identifier: GPL-2.0
#
# Included by the Kbuild files of the module and of its tests, which set srnic-dir: what compat*.h
# need to know of the kernel's headers.

# The kernel's own headers are searched before these, which replace only missing ones
ccflags-y += -I$(srnic-dir)/../../../../include/compat

# $(call has,HEADER,REGEXP,NAME): define SRNIC_HAVE_NAME if the header, with all white space as
# single spaces, matches. REGEXP has no comma and no parenthesis, which make would read.
has = $(shell cat $(srctree)/include/$(1) 2>/dev/null | tr -s '[:space:]' ' ' | \
	grep -qE '$(2)' && echo -DSRNIC_HAVE_$(3))

ccflags-y += $(call has,linux/hrtimer.h,void hrtimer_setup.,HRTIMER_SETUP)
ccflags-y += $(call has,linux/workqueue.h,workqueue_struct \*system_bh_wq,BH_WQ)
ccflags-y += $(call has,linux/workqueue.h,WQ_PERCPU =,WQ_PERCPU)
ccflags-y += $(call has,linux/mm.h,void vm_flags_mod.,VM_FLAGS_MOD)
ccflags-y += $(call has,linux/random.h,register_random_vmfork_notifier,VMFORK)

ccflags-y += $(call has,net/genetlink.h,struct genl_split_ops \{,GENL_SPLIT)
ccflags-y += $(call has,net/genetlink.h,genl_info_dump.,GENL_INFO_DUMP)
ccflags-y += $(call has,net/netlink.h,nla_put_uint.,NLA_UINT)
ccflags-y += $(call has,net/ipv6_stubs.h,struct ipv6_stub \{,IPV6_STUB)
ccflags-y += $(call has,linux/netdevice.h,gso_ipv4_max_size;,GSO_IPV4_MAX)
ccflags-y += $(call has,linux/skbuff.h,bool skb_frags_readable.,FRAGS_READABLE)
ccflags-y += $(call has,net/udp.h,int dif. int sdif. struct udp_table,UDP_TABLE_ARG)
ccflags-y += $(call has,net/netns/ipv4.h,struct udp_table,UDP_TABLE_OF_NET)
ccflags-y += $(call has,net/udp_tunnel.h,udp_tunnel_sock_release.struct sock ,TUNNEL_SK)

ccflags-y += $(call has,rdma/ib_umem.h,ib_umem_get_va.,UMEM_GET_VA)
ccflags-y += $(call has,rdma/ib_umem.h,int ib_umem_check_rereg.,UMEM_CHECK_REREG)
ccflags-y += $(call has,rdma/ib_verbs.h,IB_RATE_800_GBPS,RATE_800)
ccflags-y += $(call has,rdma/ib_verbs.h,ib_mark_name_assigned_by_user.,NAME_ASSIGNED)
ccflags-y += $(call has,rdma/ib_verbs.h,.fill_res_srq_entry.,FILL_RES_SRQ)
ccflags-y += $(call has,rdma/ib_verbs.h,IB_ACCESS_FLUSH_GLOBAL =,FLUSH)
ccflags-y += $(call has,rdma/ib_verbs.h,ib_virt_dma_to_ptr.,VIRT_DMA_TO_PTR)
ccflags-y += $(call has,rdma/ib_verbs.h,.create_cq..struct ib_cq \*cq. const struct \w+ \*attr. struct ib_udata,CREATE_CQ_UDATA)
ccflags-y += $(call has,rdma/ib_verbs.h,.counter_unbind_qp..struct ib_qp \*qp. u32 port,COUNTER_PORT)
ccflags-y += $(call has,rdma/ib_verbs.h,struct ib_dmah \*dmah,DMAH)
ccflags-y += $(call has,rdma/ib_verbs.h,.reg_user_mr_dmabuf..struct ib_pd \*pd. u64 offset. u64 length. u64 virt_addr. int fd. int mr_access_flags. struct ib_udata,DMABUF_UDATA)
ccflags-y += $(call has,linux/dma-buf.h,int dma_buf_vmap_unlocked.,DMABUF_UNLOCKED)
ccflags-y += $(call has,rdma/ib_verbs.h,resize_user_cq,RESIZE_USER_CQ)
