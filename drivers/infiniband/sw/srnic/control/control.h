/* SPDX-License-Identifier: GPL-2.0 */
/*
 * control - generic netlink family for policy, keys, quotas, limits, and the
 * state of devices, QPs and peers. Documentation/netlink/specs/srnic.yaml
 * describes it; its tables (control/nl.c, control/nl.h) are generated from
 * there.
 *
 * A device belongs to the network namespace of its netdev: its QPs are visible
 * and its quotas can be set only there.
 */
#ifndef SRNIC_CONTROL_H
#define SRNIC_CONTROL_H

struct srnic_dev;

/* Call after srnic_policy_init(). The family accepts requests before init returns. */
int srnic_control_init(void);
void srnic_control_exit(void);

/*
 * Make a device visible to the family, and hide it again. Process context; del
 * returns after the last dump that could see the device.
 */
void srnic_control_dev_add(struct srnic_dev *dev);
void srnic_control_dev_del(struct srnic_dev *dev);
void srnic_control_each_dev(void (*call)(struct srnic_dev *dev));

#endif /* SRNIC_CONTROL_H */
