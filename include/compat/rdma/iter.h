/* SPDX-License-Identifier: GPL-2.0 */
/* Found on kernels that do not have it yet: there, it is a part of other headers. */
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
