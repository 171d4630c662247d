// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <rdma/rdma_pipeline.h>

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

const char *rdma_pipeline_stage_name(enum rdma_pipeline_stage stage)
{
	static const char * const names[] = {
		[RDMA_PIPELINE_CREATE_ID] = "create_id",
		[RDMA_PIPELINE_RESOLVE_ADDR] = "resolve_addr",
		[RDMA_PIPELINE_RESOLVE_ROUTE] = "resolve_route",
		[RDMA_PIPELINE_CREATE_QP] = "create_qp",
		[RDMA_PIPELINE_CONNECT] = "connect",
		[RDMA_PIPELINE_ESTABLISHED] = "established",
	};

	return stage < COUNT(names) ? names[stage] : "unknown";
}

const char *rdma_pipeline_reason_name(enum rdma_pipeline_reason reason)
{
	static const char * const names[] = {
		[RDMA_PIPELINE_NO_REASON] = "none",
		[RDMA_PIPELINE_CALL] = "call failed",
		[RDMA_PIPELINE_NO_ADDRESS] = "no address",
		[RDMA_PIPELINE_NO_ROUTE] = "no route",
		[RDMA_PIPELINE_UNREACHABLE] = "unreachable",
		[RDMA_PIPELINE_NO_LISTENER] = "no listener",
		[RDMA_PIPELINE_REJECTED] = "rejected",
		[RDMA_PIPELINE_REFUSED] = "refused",
		[RDMA_PIPELINE_STALE] = "stale",
		[RDMA_PIPELINE_BUSY] = "busy",
		[RDMA_PIPELINE_PROTOCOL] = "protocol",
		[RDMA_PIPELINE_RESET] = "reset",
		[RDMA_PIPELINE_TIMEOUT] = "timeout",
		[RDMA_PIPELINE_CANCELED] = "canceled",
		[RDMA_PIPELINE_REMOVED] = "device removed",
	};

	return reason < COUNT(names) ? names[reason] : "unknown";
}
