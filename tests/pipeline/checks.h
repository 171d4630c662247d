/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Checks of the library's tests */
#ifndef PIPELINE_CHECKS_H
#define PIPELINE_CHECKS_H

#include <unistd.h>
#include <rdma/rdma_pipeline.h>

#define last_error rdma_pipeline_message
#include "../checks.h"

/* Wait until a condition is true, a minute at most: the machine may be busy. The condition is
 * evaluated once more after that.
 */
#define soon(condition) ({						\
	unsigned int tries_ = 60000;					\
	while (!(condition) && tries_--)				\
		usleep(1000);						\
	(condition);							\
})

static int summary(void)
{
	printf("1..%u\n", tests);
	return failures ? 1 : 0;
}

#endif /* PIPELINE_CHECKS_H */
