#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: the unchanged provider works with the next Debian's rdma-core (56): both ways of posting, rdma_cm, sealed
# easy: yes
# timeout: 120
# cites: issue 2.4
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../rdma_core.sh"

needs_rdma_core next-rdma-core "no rdma-core of the next Debian: scripts/setup check unpacks it where there is an older one"
ls "$unpacked"/usr/lib/*/libibverbs.so.1.14.56.* || fail "that is not rdma-core 56"
run_rdma_core "$unpacked"
