// SPDX-License-Identifier: GPL-2.0
/*
 * The grammar: all calls for a device of srnic through uverbs, and those that srnic does not
 * support and must refuse. Numbers and layouts are those of rdma/ib_user_verbs.h,
 * rdma/ib_user_ioctl_cmds.h and, for the driver's parts and methods, rdma/srnic-abi.h and
 * rdma/srnic-ioctl.h.
 */
#include <string.h>

#include "ioctls.h"

#define PORT		1
/* LOCAL_WRITE, REMOTE_WRITE, _READ, _ATOMIC, FLUSH_GLOBAL; not ZERO_BASED */
#define ACCESS		0x16f
#define DM_ACCESS	0x27	/* zero-based, all but atomics, which need alignment */
#define DMABUF_ACCESS	0xf	/* local and remote */
#define QUERY_QP_ALL	0x1fffff

#define SIZE_OF(type, member)	sizeof(((struct type){}).member)

/* A member of a command; an attribute; an attribute that is a handle; an optional one */
#define IN(type, member, value, arg) \
	{ offsetof(struct type, member), SIZE_OF(type, member), value, false, arg }
#define ATTR(id, size, value, arg)	{ UVERBS_ATTR_##id, size, value, false, arg }
#define OBJ(id, value, kind)		{ UVERBS_ATTR_##id, 0, value, false, kind }
#define MAY(id, size, value, arg)	{ UVERBS_ATTR_##id, size, value, true, arg }

/* A list of fields and its length */
#define LIST(...)							\
	.fields = (const struct field[]){ __VA_ARGS__ },		\
	.nfields = ARRAY_SIZE(((const struct field[]){ __VA_ARGS__ }))

#define CMD(cmd, type, answer)						\
	.way = COMMAND, .number = IB_USER_VERBS_CMD_##cmd,		\
	.in = sizeof(struct type), .out = answer
#define EX(cmd, type, answer)						\
	.way = EXTENDED, .number = IB_USER_VERBS_EX_CMD_##cmd,		\
	.in = sizeof(struct type), .out = answer
#define METHOD_OF(obj, meth)						\
	.way = METHOD, .object = UVERBS_OBJECT_##obj, .number = UVERBS_METHOD_##meth

/* A method of srnic's own */
#define OWN_METHOD(obj, meth)						\
	.way = METHOD, .object = UVERBS_OBJECT_##obj, .number = SRNIC_METHOD_##meth
#define OWN(id, size, value, arg)	{ SRNIC_ATTR_##id, size, value, false, arg }
#define OWN_OBJ(id, value, kind)	{ SRNIC_ATTR_##id, 0, value, false, kind }
#define OWN_MAY(id, size, value, arg)	{ SRNIC_ATTR_##id, size, value, true, arg }

#define RESP(type)	sizeof(struct ib_uverbs_##type##_resp)

static const struct field create_qp[] = {
	IN(ib_uverbs_create_qp, pd_handle, HANDLE, PD),
	IN(ib_uverbs_create_qp, send_cq_handle, HANDLE, CQ),
	IN(ib_uverbs_create_qp, recv_cq_handle, HANDLE, CQ),
	IN(ib_uverbs_create_qp, srq_handle, HANDLE, SRQ),
	IN(ib_uverbs_create_qp, max_send_wr, UP_TO, 64),
	IN(ib_uverbs_create_qp, max_recv_wr, UP_TO, 64),
	IN(ib_uverbs_create_qp, max_send_sge, UP_TO, 8),
	IN(ib_uverbs_create_qp, max_recv_sge, UP_TO, 8),
	IN(ib_uverbs_create_qp, max_inline_data, UP_TO, 256),
	IN(ib_uverbs_create_qp, sq_sig_all, UP_TO, 1),
	IN(ib_uverbs_create_qp, qp_type, TYPE, 0),
	IN(ib_uverbs_create_qp, is_srq, FIXED, 0),
};

static const struct field ex_create_qp[] = {
	IN(ib_uverbs_ex_create_qp, pd_handle, HANDLE, PD),
	IN(ib_uverbs_ex_create_qp, send_cq_handle, HANDLE, CQ),
	IN(ib_uverbs_ex_create_qp, recv_cq_handle, HANDLE, CQ),
	IN(ib_uverbs_ex_create_qp, srq_handle, HANDLE, SRQ),
	IN(ib_uverbs_ex_create_qp, max_send_wr, UP_TO, 64),
	IN(ib_uverbs_ex_create_qp, max_recv_wr, UP_TO, 64),
	IN(ib_uverbs_ex_create_qp, max_send_sge, UP_TO, 8),
	IN(ib_uverbs_ex_create_qp, max_recv_sge, UP_TO, 8),
	IN(ib_uverbs_ex_create_qp, max_inline_data, UP_TO, 256),
	IN(ib_uverbs_ex_create_qp, sq_sig_all, UP_TO, 1),
	IN(ib_uverbs_ex_create_qp, qp_type, TYPE, 0),
	IN(ib_uverbs_ex_create_qp, is_srq, FIXED, 0),
	IN(ib_uverbs_ex_create_qp, comp_mask, FIXED, 0),
	IN(ib_uverbs_ex_create_qp, create_flags, FIXED, 0),
};

/* The mask selects the fields that count: sense_modify_qp() sets it and some of the others */
static const struct field modify_qp[] = {
	IN(ib_uverbs_modify_qp, qp_handle, HANDLE, QP),
	IN(ib_uverbs_modify_qp, attr_mask, FIXED, 0),
	IN(ib_uverbs_modify_qp, qkey, UP_TO, 0xffff),
	IN(ib_uverbs_modify_qp, rq_psn, FIXED, 0),
	IN(ib_uverbs_modify_qp, dest_qp_num, FIXED, 0),
	IN(ib_uverbs_modify_qp, qp_access_flags, BITS, 0x30f),
	IN(ib_uverbs_modify_qp, qp_state, FIXED, 0),
	IN(ib_uverbs_modify_qp, cur_qp_state, FIXED, 0),
	IN(ib_uverbs_modify_qp, path_mtu, FIXED, 3),
	IN(ib_uverbs_modify_qp, max_rd_atomic, UP_TO, 16),
	IN(ib_uverbs_modify_qp, max_dest_rd_atomic, UP_TO, 16),
	IN(ib_uverbs_modify_qp, port_num, FIXED, PORT),
	IN(ib_uverbs_modify_qp, timeout, UP_TO, 12),
	IN(ib_uverbs_modify_qp, retry_cnt, UP_TO, 3),
	IN(ib_uverbs_modify_qp, rnr_retry, UP_TO, 3),
	IN(ib_uverbs_modify_qp, dest, FIXED, 0),
};

#define THOSE(array)	.fields = array, .nfields = ARRAY_SIZE(array)

const struct call calls[] = {
	/* the device */
	{ "get_context", CMD(GET_CONTEXT, ib_uverbs_get_context, RESP(get_context)),
	  .drv_out = sizeof(struct srnic_alloc_ucontext_resp), .makes = EVENTS, .weight = 2 },
	{ "query_device", CMD(QUERY_DEVICE, ib_uverbs_query_device, RESP(query_device)) },
	{ "ex_query_device",
	  EX(QUERY_DEVICE, ib_uverbs_ex_query_device, RESP(ex_query_device)),
	  LIST(IN(ib_uverbs_ex_query_device, comp_mask, FIXED, 0)) },
	{ "query_port", CMD(QUERY_PORT, ib_uverbs_query_port, RESP(query_port)),
	  LIST(IN(ib_uverbs_query_port, port_num, FIXED, PORT)) },
	{ "device/get_context", METHOD_OF(DEVICE, GET_CONTEXT),
	  .drv_out = sizeof(struct srnic_alloc_ucontext_resp), .apart = true,
	  LIST(MAY(GET_CONTEXT_NUM_COMP_VECTORS, 4, OUT, 0),
	       MAY(GET_CONTEXT_CORE_SUPPORT, 8, OUT, 0)) },
	{ "device/query_port", METHOD_OF(DEVICE, QUERY_PORT),
	  LIST(ATTR(QUERY_PORT_PORT_NUM, 8, FIXED, PORT),
	       ATTR(QUERY_PORT_RESP, sizeof(struct ib_uverbs_query_port_resp_ex), OUT, 0)) },
	{ "device/info_handles", METHOD_OF(DEVICE, INFO_HANDLES),
	  LIST(ATTR(INFO_OBJECT_ID, 8, UP_TO, UVERBS_OBJECT_MW),
	       MAY(INFO_TOTAL_HANDLES, 4, OUT, 0),
	       ATTR(INFO_HANDLES_LIST, 64, OUT, 0)) },
	{ "device/query_gid_table", METHOD_OF(DEVICE, QUERY_GID_TABLE),
	  LIST(ATTR(QUERY_GID_TABLE_ENTRY_SIZE, 8, FIXED, sizeof(struct ib_uverbs_gid_entry)),
	       MAY(QUERY_GID_TABLE_FLAGS, 4, FIXED, 0),
	       ATTR(QUERY_GID_TABLE_RESP_ENTRIES, FIELD_SIZE, OUT, 0),
	       ATTR(QUERY_GID_TABLE_RESP_NUM_ENTRIES, 8, OUT, 0)) },
	{ "device/query_gid_entry", METHOD_OF(DEVICE, QUERY_GID_ENTRY),
	  LIST(ATTR(QUERY_GID_ENTRY_PORT, 8, FIXED, PORT),
	       ATTR(QUERY_GID_ENTRY_GID_INDEX, 8, UP_TO, 1),
	       ATTR(QUERY_GID_ENTRY_FLAGS, 4, FIXED, 0),
	       ATTR(QUERY_GID_ENTRY_RESP_ENTRY, sizeof(struct ib_uverbs_gid_entry), OUT, 0)) },
	{ "events/alloc", METHOD_OF(ASYNC_EVENT, ASYNC_EVENT_ALLOC), .makes = EVENTS,
	  LIST(OBJ(ASYNC_EVENT_ALLOC_FD_HANDLE, NEW, EVENTS)) },
	{ "create_comp_channel", CMD(CREATE_COMP_CHANNEL, ib_uverbs_create_comp_channel,
				     RESP(create_comp_channel)), .makes = CHANNEL },

	/* domains */
	{ "alloc_pd", CMD(ALLOC_PD, ib_uverbs_alloc_pd, RESP(alloc_pd)), .makes = PD },
	{ "dealloc_pd", CMD(DEALLOC_PD, ib_uverbs_dealloc_pd, 0), .ends = PD,
	  LIST(IN(ib_uverbs_dealloc_pd, pd_handle, VICTIM, PD)) },
	{ "pd/destroy", METHOD_OF(PD, PD_DESTROY), .ends = PD,
	  LIST(OBJ(DESTROY_PD_HANDLE, VICTIM, PD)) },

	{ "open_xrcd", CMD(OPEN_XRCD, ib_uverbs_open_xrcd, RESP(open_xrcd)), .makes = XRCD,
	  LIST(IN(ib_uverbs_open_xrcd, fd, FIXED, (uint32_t)-1),
	       IN(ib_uverbs_open_xrcd, oflags, FIXED, 0100)) },
	{ "close_xrcd", CMD(CLOSE_XRCD, ib_uverbs_close_xrcd, 0), .ends = XRCD,
	  LIST(IN(ib_uverbs_close_xrcd, xrcd_handle, VICTIM, XRCD)) },
	{ "xrcd/destroy", METHOD_OF(XRCD, XRCD_DESTROY), .ends = XRCD,
	  LIST(OBJ(DESTROY_XRCD_HANDLE, VICTIM, XRCD)) },

	/* addresses */
	{ "create_ah", CMD(CREATE_AH, ib_uverbs_create_ah, RESP(create_ah)), .makes = AH,
	  .drv_out = sizeof(struct srnic_create_ah_resp),
	  LIST(IN(ib_uverbs_create_ah, pd_handle, HANDLE, PD),
	       IN(ib_uverbs_create_ah, attr, ROUTE, 0)) },
	{ "destroy_ah", CMD(DESTROY_AH, ib_uverbs_destroy_ah, 0), .ends = AH,
	  LIST(IN(ib_uverbs_destroy_ah, ah_handle, VICTIM, AH)) },
	{ "ah/destroy", METHOD_OF(AH, AH_DESTROY), .ends = AH,
	  LIST(OBJ(DESTROY_AH_HANDLE, VICTIM, AH)) },

	/* memory */
	{ "reg_mr", CMD(REG_MR, ib_uverbs_reg_mr, RESP(reg_mr)), .makes = MR, .weight = 8,
	  .sense = sense_reg_mr,
	  LIST(IN(ib_uverbs_reg_mr, start, START, 0), IN(ib_uverbs_reg_mr, length, LENGTH, 0),
	       IN(ib_uverbs_reg_mr, hca_va, FIXED, 0), IN(ib_uverbs_reg_mr, pd_handle, HANDLE, PD),
	       IN(ib_uverbs_reg_mr, access_flags, BITS, ACCESS)) },
	{ "rereg_mr", CMD(REREG_MR, ib_uverbs_rereg_mr, RESP(rereg_mr)), .weight = 8,
	  .sense = sense_rereg_mr,
	  LIST(IN(ib_uverbs_rereg_mr, mr_handle, HANDLE, MR),
	       IN(ib_uverbs_rereg_mr, flags, BITS, 7),
	       IN(ib_uverbs_rereg_mr, start, START, 0),
	       IN(ib_uverbs_rereg_mr, length, LENGTH, 0),
	       IN(ib_uverbs_rereg_mr, hca_va, FIXED, 0),
	       IN(ib_uverbs_rereg_mr, pd_handle, HANDLE, PD),
	       IN(ib_uverbs_rereg_mr, access_flags, BITS, ACCESS)) },
	{ "dereg_mr", CMD(DEREG_MR, ib_uverbs_dereg_mr, 0), .ends = MR,
	  LIST(IN(ib_uverbs_dereg_mr, mr_handle, VICTIM, MR)) },
	{ "mr/destroy", METHOD_OF(MR, MR_DESTROY), .ends = MR,
	  LIST(OBJ(DESTROY_MR_HANDLE, VICTIM, MR)) },
	{ "mr/reg_dm", METHOD_OF(MR, DM_MR_REG), .makes = MR, .weight = 4,
	  LIST(OBJ(REG_DM_MR_HANDLE, NEW, MR), OBJ(REG_DM_MR_PD_HANDLE, HANDLE, PD),
	       OBJ(REG_DM_MR_DM_HANDLE, HANDLE, DM), ATTR(REG_DM_MR_OFFSET, 8, UP_TO, 4096),
	       ATTR(REG_DM_MR_LENGTH, 8, SIZE, 4096),
	       MAY(REG_DM_MR_ACCESS_FLAGS, 4, FIXED, DM_ACCESS),
	       ATTR(REG_DM_MR_RESP_LKEY, 4, OUT, 0), ATTR(REG_DM_MR_RESP_RKEY, 4, OUT, 0)) },
	{ "mr/reg_dmabuf", METHOD_OF(MR, REG_DMABUF_MR), .makes = MR, .weight = 4,
	  LIST(OBJ(REG_DMABUF_MR_HANDLE, NEW, MR), OBJ(REG_DMABUF_MR_PD_HANDLE, HANDLE, PD),
	       ATTR(REG_DMABUF_MR_OFFSET, 8, FIXED, 0),
	       ATTR(REG_DMABUF_MR_LENGTH, 8, SIZE, DMABUF_LENGTH),
	       ATTR(REG_DMABUF_MR_IOVA, 8, FIXED, 0), ATTR(REG_DMABUF_MR_FD, 4, FIXED, DMABUF_FD),
	       MAY(REG_DMABUF_MR_ACCESS_FLAGS, 4, FIXED, DMABUF_ACCESS),
	       ATTR(REG_DMABUF_MR_RESP_LKEY, 4, OUT, 0),
	       ATTR(REG_DMABUF_MR_RESP_RKEY, 4, OUT, 0)) },
	{ "mr/advise", METHOD_OF(MR, ADVISE_MR), .weight = 4,
	  LIST(OBJ(ADVISE_MR_PD_HANDLE, HANDLE, PD), ATTR(ADVISE_MR_ADVICE, 8, UP_TO, 2),
	       ATTR(ADVISE_MR_FLAGS, 4, UP_TO, 1),
	       ATTR(ADVISE_MR_SGE_LIST, sizeof(struct ib_uverbs_sge), PART, 0)) },
	{ "mr/query", METHOD_OF(MR, QUERY_MR),
	  LIST(OBJ(QUERY_MR_HANDLE, HANDLE, MR),
	       ATTR(QUERY_MR_RESP_LKEY, 4, OUT, 0), ATTR(QUERY_MR_RESP_RKEY, 4, OUT, 0),
	       ATTR(QUERY_MR_RESP_LENGTH, 8, OUT, 0), MAY(QUERY_MR_RESP_IOVA, 8, OUT, 0)) },
	{ "alloc_mw", CMD(ALLOC_MW, ib_uverbs_alloc_mw, RESP(alloc_mw)), .makes = MW,
	  LIST(IN(ib_uverbs_alloc_mw, pd_handle, HANDLE, PD),
	       IN(ib_uverbs_alloc_mw, mw_type, SIZE, 2)) },
	{ "dealloc_mw", CMD(DEALLOC_MW, ib_uverbs_dealloc_mw, 0), .ends = MW,
	  LIST(IN(ib_uverbs_dealloc_mw, mw_handle, VICTIM, MW)) },
	{ "mw/destroy", METHOD_OF(MW, MW_DESTROY), .ends = MW,
	  LIST(OBJ(DESTROY_MW_HANDLE, VICTIM, MW)) },

	/* device memory */
	{ "dm/alloc", METHOD_OF(DM, DM_ALLOC), .makes = DM,
	  LIST(OBJ(ALLOC_DM_HANDLE, NEW, DM), ATTR(ALLOC_DM_LENGTH, 8, SIZE, 16384),
	       ATTR(ALLOC_DM_ALIGNMENT, 4, UP_TO, 12)) },
	{ "dm/free", METHOD_OF(DM, DM_FREE), .ends = DM,
	  LIST(OBJ(FREE_DM_HANDLE, VICTIM, DM)) },

	/* completion queues */
	{ "create_cq", CMD(CREATE_CQ, ib_uverbs_create_cq, RESP(create_cq)), .makes = CQ,
	  .drv_out = sizeof(struct srnic_create_cq_resp),
	  LIST(IN(ib_uverbs_create_cq, cqe, SIZE, 256),
	       IN(ib_uverbs_create_cq, comp_vector, FIXED, 0),
	       IN(ib_uverbs_create_cq, comp_channel, TRACK, 0)) },
	{ "ex_create_cq", EX(CREATE_CQ, ib_uverbs_ex_create_cq, RESP(ex_create_cq)), .makes = CQ,
	  .drv_out = sizeof(struct srnic_create_cq_resp),
	  LIST(IN(ib_uverbs_ex_create_cq, cqe, SIZE, 256),
	       IN(ib_uverbs_ex_create_cq, comp_vector, FIXED, 0),
	       IN(ib_uverbs_ex_create_cq, comp_channel, TRACK, 0),
	       IN(ib_uverbs_ex_create_cq, comp_mask, FIXED, 0),
	       IN(ib_uverbs_ex_create_cq, flags, BITS, 1)) },
	{ "cq/create", METHOD_OF(CQ, CQ_CREATE), .makes = CQ,
	  .drv_out = sizeof(struct srnic_create_cq_resp),
	  LIST(OBJ(CREATE_CQ_HANDLE, NEW, CQ), ATTR(CREATE_CQ_CQE, 4, SIZE, 256),
	       ATTR(CREATE_CQ_USER_HANDLE, 8, FIXED, 0),
	       MAY(CREATE_CQ_COMP_CHANNEL, 0, HANDLE, CHANNEL),
	       ATTR(CREATE_CQ_COMP_VECTOR, 4, FIXED, 0), MAY(CREATE_CQ_FLAGS, 4, BITS, 1),
	       ATTR(CREATE_CQ_RESP_CQE, 4, OUT, 0), MAY(CREATE_CQ_EVENT_FD, 0, HANDLE, EVENTS)) },
	{ "resize_cq", CMD(RESIZE_CQ, ib_uverbs_resize_cq, RESP(resize_cq)),
	  .drv_out = sizeof(struct srnic_resize_cq_resp),
	  LIST(IN(ib_uverbs_resize_cq, cq_handle, HANDLE, CQ),
	       IN(ib_uverbs_resize_cq, cqe, SIZE, 512)) },
	{ "ex_modify_cq", EX(MODIFY_CQ, ib_uverbs_ex_modify_cq, 0),
	  LIST(IN(ib_uverbs_ex_modify_cq, cq_handle, HANDLE, CQ),
	       IN(ib_uverbs_ex_modify_cq, attr_mask, BITS, 1),
	       IN(ib_uverbs_ex_modify_cq, attr.cq_count, UP_TO, 16),
	       IN(ib_uverbs_ex_modify_cq, attr.cq_period, UP_TO, 500)) },
	{ "req_notify_cq", CMD(REQ_NOTIFY_CQ, ib_uverbs_req_notify_cq, 0),
	  LIST(IN(ib_uverbs_req_notify_cq, cq_handle, HANDLE, CQ),
	       IN(ib_uverbs_req_notify_cq, solicited_only, UP_TO, 1)) },
	{ "destroy_cq", CMD(DESTROY_CQ, ib_uverbs_destroy_cq, RESP(destroy_cq)), .ends = CQ,
	  LIST(IN(ib_uverbs_destroy_cq, cq_handle, VICTIM, CQ)) },
	{ "cq/destroy", METHOD_OF(CQ, CQ_DESTROY), .ends = CQ,
	  LIST(OBJ(DESTROY_CQ_HANDLE, VICTIM, CQ), ATTR(DESTROY_CQ_RESP, 8, OUT, 0)) },

	/* queue pairs */
	{ "create_qp", CMD(CREATE_QP, ib_uverbs_create_qp, RESP(create_qp)), .makes = QP,
	  .drv_out = sizeof(struct srnic_create_qp_resp), .sense = sense_create_qp,
	  THOSE(create_qp) },
	{ "ex_create_qp", EX(CREATE_QP, ib_uverbs_ex_create_qp, RESP(ex_create_qp)), .makes = QP,
	  .drv_out = sizeof(struct srnic_create_qp_resp), .sense = sense_create_qp,
	  THOSE(ex_create_qp) },
	{ "qp/create", METHOD_OF(QP, QP_CREATE), .makes = QP,
	  .drv_out = sizeof(struct srnic_create_qp_resp),
	  LIST(OBJ(CREATE_QP_HANDLE, NEW, QP), OBJ(CREATE_QP_PD_HANDLE, HANDLE, PD),
	       MAY(CREATE_QP_SRQ_HANDLE, 0, HANDLE, SRQ),
	       OBJ(CREATE_QP_SEND_CQ_HANDLE, HANDLE, CQ),
	       OBJ(CREATE_QP_RECV_CQ_HANDLE, HANDLE, CQ),
	       ATTR(CREATE_QP_USER_HANDLE, 8, FIXED, 0),
	       ATTR(CREATE_QP_CAP, sizeof(struct ib_uverbs_qp_cap), CAP, 0),
	       ATTR(CREATE_QP_TYPE, 8, TYPE, 0), MAY(CREATE_QP_FLAGS, 4, FIXED, 0),
	       MAY(CREATE_QP_EVENT_FD, 0, HANDLE, EVENTS),
	       ATTR(CREATE_QP_RESP_CAP, sizeof(struct ib_uverbs_qp_cap), OUT, 0),
	       ATTR(CREATE_QP_RESP_QP_NUM, 4, OUT, 0)) },
	{ "create_qp/initiator", CMD(CREATE_QP, ib_uverbs_create_qp, RESP(create_qp)), .makes = QP,
	  .drv_out = sizeof(struct srnic_create_qp_resp), .sense = sense_initiator,
	  LIST(IN(ib_uverbs_create_qp, pd_handle, HANDLE, PD),
	       IN(ib_uverbs_create_qp, send_cq_handle, HANDLE, CQ),
	       IN(ib_uverbs_create_qp, max_send_wr, UP_TO, 64),
	       IN(ib_uverbs_create_qp, max_send_sge, UP_TO, 8),
	       IN(ib_uverbs_create_qp, qp_type, FIXED, XRC_INI)) },
	{ "create_qp/target", CMD(CREATE_QP, ib_uverbs_create_qp, RESP(create_qp)), .makes = QP,
	  .sense = sense_target,
	  LIST(IN(ib_uverbs_create_qp, pd_handle, HANDLE, XRCD),
	       IN(ib_uverbs_create_qp, qp_type, FIXED, XRC_TGT)) },
	{ "qp/create target", METHOD_OF(QP, QP_CREATE), .makes = QP, .sense = sense_target,
	  LIST(OBJ(CREATE_QP_HANDLE, NEW, QP), OBJ(CREATE_QP_XRCD_HANDLE, HANDLE, XRCD),
	       MAY(CREATE_QP_SRQ_HANDLE, 0, HANDLE, SRQ),
	       ATTR(CREATE_QP_USER_HANDLE, 8, FIXED, 0),
	       ATTR(CREATE_QP_CAP, sizeof(struct ib_uverbs_qp_cap), CAP, 0),
	       ATTR(CREATE_QP_TYPE, 8, FIXED, XRC_TGT),
	       ATTR(CREATE_QP_RESP_CAP, sizeof(struct ib_uverbs_qp_cap), OUT, 0),
	       ATTR(CREATE_QP_RESP_QP_NUM, 4, OUT, 0)) },
	/* not OPEN_QP: in 6.12, the core does not initialise mcast_lock of such a handle */
	{ "modify_qp", CMD(MODIFY_QP, ib_uverbs_modify_qp, 0), .weight = 16,
	  .sense = sense_modify_qp, .note = note_modify_qp, THOSE(modify_qp) },
	{ "ex_modify_qp", EX(MODIFY_QP, ib_uverbs_ex_modify_qp, RESP(ex_modify_qp)), .weight = 8,
	  .sense = sense_modify_qp, .note = note_modify_qp, THOSE(modify_qp) },
	{ "bring a QP up", .way = OTHER, .weight = 16, .run = qp_bring_up },
	{ "query_qp", CMD(QUERY_QP, ib_uverbs_query_qp, RESP(query_qp)),
	  LIST(IN(ib_uverbs_query_qp, qp_handle, HANDLE, QP),
	       IN(ib_uverbs_query_qp, attr_mask, BITS, QUERY_QP_ALL)) },
	{ "destroy_qp", CMD(DESTROY_QP, ib_uverbs_destroy_qp, RESP(destroy_qp)), .ends = QP,
	  LIST(IN(ib_uverbs_destroy_qp, qp_handle, VICTIM, QP)) },
	{ "qp/destroy", METHOD_OF(QP, QP_DESTROY), .ends = QP,
	  LIST(OBJ(DESTROY_QP_HANDLE, VICTIM, QP), ATTR(DESTROY_QP_RESP, 4, OUT, 0)) },
	{ "attach_mcast", CMD(ATTACH_MCAST, ib_uverbs_attach_mcast, 0), .weight = 8,
	  .sense = sense_mcast, .note = note_mcast,
	  LIST(IN(ib_uverbs_attach_mcast, gid, GROUP, 0),
	       IN(ib_uverbs_attach_mcast, qp_handle, HANDLE, QP)) },
	{ "detach_mcast", CMD(DETACH_MCAST, ib_uverbs_detach_mcast, 0), .weight = 2,
	  .sense = sense_mcast, .note = note_mcast,
	  LIST(IN(ib_uverbs_detach_mcast, gid, GROUP, 0),
	       IN(ib_uverbs_detach_mcast, qp_handle, HANDLE, QP)) },
	{ "post_send", CMD(POST_SEND, ib_uverbs_post_send, RESP(post_send)), .weight = 12,
	  .sense = sense_post_send,
	  LIST(IN(ib_uverbs_post_send, qp_handle, HANDLE, QP),
	       IN(ib_uverbs_post_send, wr_count, FIXED, 0),
	       IN(ib_uverbs_post_send, sge_count, FIXED, 0),
	       IN(ib_uverbs_post_send, wqe_size, FIXED, sizeof(struct ib_uverbs_send_wr))) },
	{ "post_recv", CMD(POST_RECV, ib_uverbs_post_recv, RESP(post_recv)),
	  LIST(IN(ib_uverbs_post_recv, qp_handle, HANDLE, QP),
	       IN(ib_uverbs_post_recv, wr_count, FIXED, 0),
	       IN(ib_uverbs_post_recv, sge_count, FIXED, 0),
	       IN(ib_uverbs_post_recv, wqe_size, FIXED, sizeof(struct ib_uverbs_recv_wr))) },

	/* shared receive queues */
	{ "create_srq", CMD(CREATE_SRQ, ib_uverbs_create_srq, RESP(create_srq)), .makes = SRQ,
	  .drv_out = sizeof(struct srnic_create_srq_resp),
	  LIST(IN(ib_uverbs_create_srq, pd_handle, HANDLE, PD),
	       IN(ib_uverbs_create_srq, max_wr, SIZE, 128),
	       IN(ib_uverbs_create_srq, max_sge, SIZE, 8),
	       IN(ib_uverbs_create_srq, srq_limit, FIXED, 0)) },
	{ "create_xsrq", CMD(CREATE_XSRQ, ib_uverbs_create_xsrq, RESP(create_srq)), .makes = SRQ,
	  .drv_out = sizeof(struct srnic_create_srq_resp),
	  LIST(IN(ib_uverbs_create_xsrq, pd_handle, HANDLE, PD),
	       IN(ib_uverbs_create_xsrq, srq_type, FIXED, IB_UVERBS_SRQT_BASIC),
	       IN(ib_uverbs_create_xsrq, max_wr, SIZE, 64),
	       IN(ib_uverbs_create_xsrq, max_sge, SIZE, 4),
	       IN(ib_uverbs_create_xsrq, srq_limit, FIXED, 0),
	       IN(ib_uverbs_create_xsrq, cq_handle, HANDLE, CQ)) },
	{ "create_xsrq/xrc", CMD(CREATE_XSRQ, ib_uverbs_create_xsrq, RESP(create_srq)),
	  .makes = SRQ, .drv_out = sizeof(struct srnic_create_srq_resp), .weight = 8,
	  LIST(IN(ib_uverbs_create_xsrq, pd_handle, HANDLE, PD),
	       IN(ib_uverbs_create_xsrq, srq_type, FIXED, IB_UVERBS_SRQT_XRC),
	       IN(ib_uverbs_create_xsrq, max_wr, SIZE, 64),
	       IN(ib_uverbs_create_xsrq, max_sge, SIZE, 4),
	       IN(ib_uverbs_create_xsrq, srq_limit, FIXED, 0),
	       IN(ib_uverbs_create_xsrq, xrcd_handle, HANDLE, XRCD),
	       IN(ib_uverbs_create_xsrq, cq_handle, HANDLE, CQ)) },
	{ "srq/create", METHOD_OF(SRQ, SRQ_CREATE), .makes = SRQ,
	  .drv_out = sizeof(struct srnic_create_srq_resp),
	  LIST(OBJ(CREATE_SRQ_HANDLE, NEW, SRQ), OBJ(CREATE_SRQ_PD_HANDLE, HANDLE, PD),
	       ATTR(CREATE_SRQ_USER_HANDLE, 8, FIXED, 0), ATTR(CREATE_SRQ_MAX_WR, 4, SIZE, 128),
	       ATTR(CREATE_SRQ_MAX_SGE, 4, SIZE, 8), ATTR(CREATE_SRQ_LIMIT, 4, FIXED, 0),
	       ATTR(CREATE_SRQ_TYPE, 8, FIXED, IB_UVERBS_SRQT_BASIC),
	       MAY(CREATE_SRQ_EVENT_FD, 0, HANDLE, EVENTS),
	       ATTR(CREATE_SRQ_RESP_MAX_WR, 4, OUT, 0),
	       ATTR(CREATE_SRQ_RESP_MAX_SGE, 4, OUT, 0),
	       MAY(CREATE_SRQ_RESP_SRQ_NUM, 4, OUT, 0)) },
	{ "modify_srq", CMD(MODIFY_SRQ, ib_uverbs_modify_srq, 0), .sense = sense_modify_srq,
	  .drv_in = sizeof(struct srnic_modify_srq_cmd),
	  LIST(IN(ib_uverbs_modify_srq, srq_handle, HANDLE, SRQ),
	       IN(ib_uverbs_modify_srq, attr_mask, BITS, 3),
	       IN(ib_uverbs_modify_srq, max_wr, SIZE, 256),
	       IN(ib_uverbs_modify_srq, srq_limit, UP_TO, 16)) },
	{ "query_srq", CMD(QUERY_SRQ, ib_uverbs_query_srq, RESP(query_srq)),
	  LIST(IN(ib_uverbs_query_srq, srq_handle, HANDLE, SRQ)) },
	{ "destroy_srq", CMD(DESTROY_SRQ, ib_uverbs_destroy_srq, RESP(destroy_srq)), .ends = SRQ,
	  LIST(IN(ib_uverbs_destroy_srq, srq_handle, VICTIM, SRQ)) },
	{ "srq/destroy", METHOD_OF(SRQ, SRQ_DESTROY), .ends = SRQ,
	  LIST(OBJ(DESTROY_SRQ_HANDLE, VICTIM, SRQ), ATTR(DESTROY_SRQ_RESP, 4, OUT, 0)) },

	/* keys: rarely, because protected objects reject requests without the key */
	{ "device/query_context", METHOD_OF(DEVICE, QUERY_CONTEXT),
	  LIST(MAY(QUERY_CONTEXT_NUM_COMP_VECTORS, 4, OUT, 0),
	       OWN(QUERY_CONTEXT_RESP, sizeof(struct srnic_alloc_ucontext_resp), OUT, 0)) },
	{ "pd/query", OWN_METHOD(PD, PD_QUERY), LIST(OWN_OBJ(PD_QUERY_HANDLE, HANDLE, PD)) },
	{ "dm/query", OWN_METHOD(DM, DM_QUERY),
	  LIST(OWN_OBJ(DM_QUERY_HANDLE, HANDLE, DM),
	       OWN(DM_QUERY_RESP, sizeof(struct srnic_ioctl_dm), OUT, 0)) },
	{ "pd/set_key", OWN_METHOD(PD, PD_SET_KEY), .weight = 2,
	  LIST(OWN_OBJ(PD_SET_KEY_HANDLE, HANDLE, PD),
	       OWN_MAY(PD_SET_KEY_KEY, SRNIC_IOCTL_KEY_MAX, FIXED, 0)) },
	{ "qp/seal", OWN_METHOD(QP, QP_SEAL), .weight = 2, .sense = sense_seal,
	  LIST(OWN_OBJ(QP_SEAL_HANDLE, HANDLE, QP),
	       OWN(QP_SEAL_REQUEST, sizeof(struct srnic_ioctl_seal), SEAL, 0),
	       OWN_MAY(QP_SEAL_KEY, SRNIC_IOCTL_KEY_MIN, FIXED, 0)) },
	{ "qp/use_grant", OWN_METHOD(QP, QP_USE_GRANT), .weight = 8, .note = note_use_grant,
	  LIST(OWN_OBJ(QP_USE_GRANT_HANDLE, HANDLE, QP),
	       OWN(QP_USE_GRANT_GRANT, sizeof(struct srnic_ioctl_grant), GRANT, 0)) },
	{ "qp/drop_grants", OWN_METHOD(QP, QP_DROP_GRANTS), .weight = 2, .sense = sense_drop_grants,
	  LIST(OWN_OBJ(QP_DROP_GRANTS_HANDLE, HANDLE, QP),
	       OWN(QP_DROP_GRANTS_RKEY, 4, FIXED, 0)) },
	{ "mr/protect", OWN_METHOD(MR, MR_PROTECT), .weight = 2, .note = note_protect,
	  LIST(OWN_OBJ(MR_PROTECT_HANDLE, HANDLE, MR),
	       OWN(MR_PROTECT_TREE, sizeof(struct srnic_ioctl_tree), TREE, 0),
	       OWN_MAY(MR_PROTECT_KEY, SRNIC_IOCTL_MKEY_LEN, FIXED, 0)) },
	{ "mr/grant", OWN_METHOD(MR, MR_GRANT), .sense = sense_grant,
	  LIST(OWN_OBJ(MR_GRANT_HANDLE, HANDLE, MR),
	       OWN(MR_GRANT_RIGHT, 4, SIZE, SRNIC_IOCTL_ATOMIC),
	       OWN(MR_GRANT_GRANT, sizeof(struct srnic_ioctl_grant), OUT, 0)) },

	{ "mr/bind", OWN_METHOD(MR, MR_BIND), .weight = 2,
	  LIST(OWN_OBJ(MR_BIND_HANDLE, HANDLE, MR), OWN_OBJ(MR_BIND_QP, HANDLE, QP)) },

	/* other than commands */
	{ "mmap", .way = OTHER, .weight = 8, .run = ring_map },
	{ "read events", .way = OTHER, .run = events_read },
	{ "close channel", .way = OTHER, .run = channel_close },
	{ "write to a ring", .way = OTHER, .weight = 120,
	  .run = ring_scribble },

	{ "send packets", .way = OTHER, .weight = 60, .run = packets_send },

	/* not supported by srnic */
#define ABSENT	.absent = true
	{ "poll_cq", CMD(POLL_CQ, ib_uverbs_poll_cq, RESP(poll_cq)), ABSENT,
	  LIST(IN(ib_uverbs_poll_cq, cq_handle, HANDLE, CQ),
	       IN(ib_uverbs_poll_cq, ne, SIZE, 4)) },
	{ "post_srq_recv", CMD(POST_SRQ_RECV, ib_uverbs_post_srq_recv, RESP(post_srq_recv)),
	  ABSENT, LIST(IN(ib_uverbs_post_srq_recv, srq_handle, HANDLE, SRQ)) },
	{ "ex_create_flow", EX(CREATE_FLOW, ib_uverbs_create_flow, RESP(create_flow)), ABSENT,
	  LIST(IN(ib_uverbs_create_flow, qp_handle, HANDLE, QP)) },
	{ "ex_create_wq", EX(CREATE_WQ, ib_uverbs_ex_create_wq, RESP(ex_create_wq)), ABSENT,
	  LIST(IN(ib_uverbs_ex_create_wq, pd_handle, HANDLE, PD),
	       IN(ib_uverbs_ex_create_wq, cq_handle, HANDLE, CQ),
	       IN(ib_uverbs_ex_create_wq, max_wr, SIZE, 64)) },
	{ "ex_create_rwq_ind_tbl", EX(CREATE_RWQ_IND_TBL, ib_uverbs_ex_create_rwq_ind_table,
				      RESP(ex_create_rwq_ind_table)), ABSENT },
	{ "wq/create", METHOD_OF(WQ, WQ_CREATE), ABSENT,
	  LIST(OBJ(CREATE_WQ_HANDLE, NEW, 0), OBJ(CREATE_WQ_PD_HANDLE, HANDLE, PD),
	       OBJ(CREATE_WQ_CQ_HANDLE, HANDLE, CQ), ATTR(CREATE_WQ_USER_HANDLE, 8, FIXED, 0),
	       ATTR(CREATE_WQ_TYPE, 8, FIXED, 0), ATTR(CREATE_WQ_MAX_WR, 4, SIZE, 64),
	       ATTR(CREATE_WQ_MAX_SGE, 4, SIZE, 4), ATTR(CREATE_WQ_RESP_MAX_WR, 4, OUT, 0),
	       ATTR(CREATE_WQ_RESP_MAX_SGE, 4, OUT, 0),
	       ATTR(CREATE_WQ_RESP_WQ_NUM, 4, OUT, 0)) },
	{ "counters/create", METHOD_OF(COUNTERS, COUNTERS_CREATE), ABSENT,
	  LIST(OBJ(CREATE_COUNTERS_HANDLE, NEW, 0)) },
};

const size_t ncalls = ARRAY_SIZE(calls);

const struct call *call_named(const char *name)
{
	for (size_t i = 0; i < ncalls; i++)
		if (!strcmp(calls[i].name, name))
			return &calls[i];
	return NULL;
}

/* Return one of the calls that end an object of that kind; NULL for descriptors */
const struct call *call_that_ends(struct caller *caller, enum kind kind)
{
	const struct call *found = NULL;
	uint32_t n = 0;

	for (size_t i = 0; i < ncalls; i++)
		if (calls[i].ends == (int)kind && chance_one_in(&caller->chance, ++n))
			found = &calls[i];
	return found;
}
