// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Address handles. The address stays in the kernel and work requests refer to it by
 * number, so a process cannot forge the path of its datagrams.
 */
#include <stdlib.h>

#include "srnic.h"

struct ibv_ah *srnic_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct srnic_create_ah_uresp resp = {};
	struct srnic_ah *ah;

	ah = calloc(1, sizeof(*ah));
	if (!ah)
		return NULL;

	if (ibv_cmd_create_ah(pd, &ah->ibv, attr, &resp.ibv, sizeof(resp))) {
		free(ah);
		return NULL;
	}
	ah->number = resp.drv.ah;
	return &ah->ibv;
}

int srnic_destroy_ah(struct ibv_ah *ah)
{
	int ret = ibv_cmd_destroy_ah(ah);

	if (!ret)
		free(to_sah(ah));
	return ret;
}
