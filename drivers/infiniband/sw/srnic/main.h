/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of main.c that the KUnit suites call.
 */
#ifndef SRNIC_MAIN_H
#define SRNIC_MAIN_H

struct notifier_block;

int srnic_pm_event(struct notifier_block *nb, unsigned long event, void *arg);

#endif /* SRNIC_MAIN_H */
