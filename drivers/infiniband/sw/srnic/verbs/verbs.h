/* SPDX-License-Identifier: GPL-2.0 */
/*
 * verbs - the operations of ib_device_ops, one file per object.
 */
#ifndef SRNIC_VERBS_H
#define SRNIC_VERBS_H

#include <rdma/ib_verbs.h>
#include "srnic.h"
#include "queue/queue.h"
#include "mem/mem.h"
#include "net/net.h"
#include "engine/engine.h"

struct srnic_ucontext {
	struct ib_ucontext ib;
	struct srnic_user *user;
};

static inline struct srnic_ucontext *to_srnic_ucontext(struct ib_ucontext *ib)
{
	return container_of(ib, struct srnic_ucontext, ib);
}

/* device.c: called by main */
extern const struct ib_device_ops srnic_dev_ops;
void srnic_dev_init(struct srnic_dev *dev);	/* all but registration */
int srnic_dev_open(struct srnic_dev *dev);	/* tables and counters */
void srnic_dev_close(struct srnic_dev *dev);
void srnic_ib_port_set_speed(struct srnic_dev *dev);	/* InfiniBand ports; under RTNL */
void srnic_port_event(struct srnic_dev *dev, enum ib_event_type event);

#endif /* SRNIC_VERBS_H */
