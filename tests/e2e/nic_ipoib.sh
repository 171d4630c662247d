#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: IP over InfiniBand carries packets of all kinds between NICs, in the clear and sealed
# nic: virtio_net
# easy: yes
# timeout: 240
# cites: rfc4391.md I1, I5; protocol.md section 17
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../ib.sh"

testbed up --nic virtio_net
ib_over_wire
testbed down
