/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_PAGE_IN_H
#define SRNIC_ENGINE_PAGE_IN_H

#include "engine/engine.h"

/* page_in.c: return true if the caller is to wait; false: the process has no such memory */
bool srnic_page_in(struct srnic_qp *qp, enum srnic_sth_flow flow,
		   const struct srnic_access *access, u64 ahead) __must_hold(&qp->lock);
bool srnic_page_in_sges(struct srnic_qp *qp, enum srnic_sth_flow flow,
			const struct srnic_sge_pos *at, u32 len, u32 rights) __must_hold(&qp->lock);
u8 srnic_page_in_rnr_code(struct srnic_qp *qp) __must_hold(&qp->lock);
void srnic_page_in_later(struct srnic_page_in *in);
void srnic_page_in_forget(struct srnic_qp *qp) __must_hold(&qp->lock);
int srnic_page_in_start(void);
void srnic_page_in_stop(void);

/* page_in_work.c: process context */
void srnic_page_in_init(struct srnic_qp *qp);
void srnic_page_in_cancel(struct srnic_qp *qp);

static inline bool srnic_page_in_due(const struct srnic_qp *qp, enum srnic_sth_flow flow)
{
	return qp->page_in[flow].state == SRNIC_PAGE_IN_DUE;
}

#endif /* SRNIC_ENGINE_PAGE_IN_H */
