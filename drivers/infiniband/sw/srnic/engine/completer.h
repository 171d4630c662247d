/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_COMPLETER_H
#define SRNIC_ENGINE_COMPLETER_H

#include "engine/engine.h"
#include "mem/mem.h"

void srnic_completer_rx(struct srnic_qp *qp, const struct srnic_pkt *pkt,
			struct srnic_mem_cache *cache) __must_hold(&qp->lock);

#endif /* SRNIC_ENGINE_COMPLETER_H */
