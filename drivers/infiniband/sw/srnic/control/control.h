/* SPDX-License-Identifier: GPL-2.0 */
/*
 * control - generic netlink: policy, keys, quotas, and what devices and QPs are
 * doing. The family is described in Documentation/netlink/specs/srnic.yaml; its
 * tables (control/nl.c, control/nl.h) are generated from it.
 *
 * A device belongs to the network namespace of its netdev: only there are its QPs
 * seen and its quotas set.
 */
#ifndef SRNIC_CONTROL_H
#define SRNIC_CONTROL_H

struct srnic_dev;

/* After srnic_policy_init(); the family is there once init has returned. */
int srnic_control_init(void);
void srnic_control_exit(void);

/*
 * Shows a device to the family, from its registration to its end. Process context;
 * del returns after the last dump that could still see the device.
 */
void srnic_control_dev_add(struct srnic_dev *dev);
void srnic_control_dev_del(struct srnic_dev *dev);

#endif /* SRNIC_CONTROL_H */
