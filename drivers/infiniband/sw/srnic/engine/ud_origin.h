/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_UD_ORIGIN_H
#define SRNIC_ENGINE_UD_ORIGIN_H

#include "engine/engine.h"

/* ud_origin.c: the origin of a datagram. Under the QP's lock */
bool srnic_ud_has_grh(const struct srnic_ends *ends);
bool srnic_ud_is_foreign(const struct srnic_qp *qp, const struct srnic_ends *ends);
void srnic_ud_fill_origin(const struct srnic_qp *qp, const struct srnic_ends *ends,
			  struct srnic_cqe *cqe);

#endif /* SRNIC_ENGINE_UD_ORIGIN_H */
