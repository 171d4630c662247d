/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SRNIC_ENGINE_LIFE_H
#define SRNIC_ENGINE_LIFE_H

struct srnic_dev;
struct srnic_qp;

void srnic_life_end_seals(struct srnic_dev *dev);
void srnic_life_wipe(struct srnic_qp *qp);

#endif /* SRNIC_ENGINE_LIFE_H */
