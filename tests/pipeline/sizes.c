// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Sizes of the structures of the interface, for the test of the Python module.
 */
#include <rdma/rdma_pipeline.h>

const size_t pipeline_sizes[] = {
	sizeof(struct rdma_pipeline_attr),
	sizeof(struct rdma_pipeline_param),
	sizeof(struct rdma_pipeline_listen_param),
	sizeof(struct rdma_pipeline_error),
	sizeof(struct rdma_pipeline_event),
	sizeof(struct rdma_pipeline_stats),
};
