#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: the provider, built for Debian sid's rdma-core, works with it, in the clear and sealed; its pyverbs suite has no failure and no error
# timeout: 1200
# cites: issue 27.2
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../rdma_core.sh"
. "$(dirname "$0")/../pyverbs.sh"

needs_rdma_core newest-rdma-core "no rdma-core of Debian sid: scripts/fetch-next newest-rdma-core unpacks it"
say "the provider for it is there"
ls -l /usr/lib/*/libibverbs/libsrnic-rdmav*
run_rdma_core "$unpacked"

say "pyverbs"
testbed up --flat
# Python 3.14 starts a server of processes, which an unpacked Python's C library cannot run; and
# rdma_resolve_addrinfo() needs Linux 6.17
pyverbs_without=(test_multi_process_alloc_dm test_rdmacm_async_resolve_addrinfo)
run_pyverbs "$unpacked"/usr/share/doc/rdma-core/tests 188 "$unpacked"/python3.14 -B
testbed down
