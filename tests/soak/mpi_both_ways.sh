#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: two processes of Open MPI exchange 36 MB through libfabric and through UCX, each in the clear and sealed
# timeout: 900
# cites: issue 26.4
SRNIC_EVERY=1 SRNIC_ROUNDS=10 exec "$(dirname "$0")/../e2e/mpi.sh"
