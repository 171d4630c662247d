/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_REQUEST_H
#define SRNIC_ENGINE_REQUEST_H

#include "engine/build.h"
#include "engine/wqe.h"

u32 srnic_request_alike(const struct srnic_build *build, const struct srnic_swqe *first)
	__must_hold(&build->qp->lock);
int srnic_request_data(struct srnic_build *build, const struct srnic_swqe *wqe, u32 i,
		       bool ackreq, u32 max_packets) __must_hold(&build->qp->lock);
int srnic_request_read(struct srnic_build *build, const struct srnic_swqe *wqe, u32 i,
		       u32 count, u32 more) __must_hold(&build->qp->lock);
int srnic_request_single(struct srnic_build *build, const struct srnic_swqe *wqe, u32 more)
	__must_hold(&build->qp->lock);

#endif /* SRNIC_ENGINE_REQUEST_H */
