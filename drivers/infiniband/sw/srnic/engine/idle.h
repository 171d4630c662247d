/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_IDLE_H
#define SRNIC_ENGINE_IDLE_H

struct srnic_dev;

void srnic_idle_init(struct srnic_dev *dev);
void srnic_idle_changed(struct srnic_dev *dev);
void srnic_idle_exit(struct srnic_dev *dev);

#endif /* SRNIC_ENGINE_IDLE_H */
