// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Layout of what the provider and libibverbs both access, identical in rdma-core 37 to 56;
 * any other layout fails to compile. The private headers are vendored, but they contain
 * structures of the installed verbs.h. Two of these have grown in this range: ibv_qp_ex,
 * which moves the end of verbs_qp (see offer_wr() in the provider's qp.c), and ibv_port_attr,
 * which the provider only passes on.
 */
#include <infiniband/driver.h>

#ifdef __LP64__

#define SIZE(type, size)						\
	_Static_assert(sizeof(struct type) == (size), "size of " #type)
#define PLACE(type, field, place)					\
	_Static_assert(offsetof(struct type, field) == (place), #type "." #field)

/* used at loading */
SIZE(verbs_device_ops, 72);
PLACE(verbs_device_ops, name, 0);
PLACE(verbs_device_ops, match_min_abi_version, 8);
PLACE(verbs_device_ops, match_max_abi_version, 12);
PLACE(verbs_device_ops, match_table, 16);
PLACE(verbs_device_ops, alloc_context, 40);
PLACE(verbs_device_ops, alloc_device, 56);
PLACE(verbs_device_ops, uninit_device, 64);
SIZE(verbs_match_ent, 24);
PLACE(verbs_match_ent, u, 8);
PLACE(verbs_match_ent, kind, 20);

/* devices and contexts */
SIZE(ibv_device, 664);
SIZE(verbs_device, 712);
PLACE(verbs_device, ops, 664);
PLACE(verbs_device, sysfs, 696);
SIZE(ibv_context, 328);
PLACE(ibv_context, cmd_fd, 264);
SIZE(verbs_context, 648);
PLACE(verbs_context, priv, 208);
PLACE(verbs_context, sz, 312);
PLACE(verbs_context, context, 320);
SIZE(verbs_context_ops, 608);

/* objects */
SIZE(ibv_pd, 16);
SIZE(ibv_td, 8);
SIZE(ibv_mr, 48);
SIZE(verbs_mr, 56);
SIZE(ibv_dm, 32);
SIZE(verbs_dm, 40);
PLACE(verbs_dm, handle, 32);
SIZE(ibv_mw, 32);
SIZE(ibv_ah, 24);
SIZE(ibv_cq, 128);
SIZE(ibv_cq_ex, 288);
PLACE(ibv_cq_ex, start_poll, 144);
SIZE(verbs_cq, 288);
SIZE(ibv_srq, 128);
SIZE(verbs_srq, 160);
PLACE(verbs_srq, srq_num, 152);
SIZE(ibv_qp, 160);
PLACE(ibv_qp_ex, wr_start, 320);
PLACE(ibv_qp_ex, wr_abort, 336);
_Static_assert(offsetof(struct verbs_qp, comp_mask) == sizeof(struct ibv_qp_ex),
	       "verbs_qp.comp_mask");
_Static_assert(sizeof(struct ibv_qp_ex) == 344 || sizeof(struct ibv_qp_ex) == 352 ||
	       sizeof(struct ibv_qp_ex) == 360, "size of ibv_qp_ex");

/* arguments and results */
SIZE(ibv_wc, 48);
SIZE(ibv_send_wr, 128);
SIZE(ibv_recv_wr, 32);
SIZE(ibv_sge, 16);
SIZE(ibv_device_attr, 232);
SIZE(ibv_values_ex, 24);
SIZE(ibv_qp_attr, 144);
SIZE(ibv_qp_init_attr_ex, 136);
SIZE(ibv_srq_init_attr_ex, 64);
SIZE(ibv_cq_init_attr_ex, 56);
SIZE(ibv_parent_domain_init_attr, 48);

#endif /* __LP64__ */
