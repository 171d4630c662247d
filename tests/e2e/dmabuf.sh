#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: both
# what: all operations work on a dma-buf, to the byte, in the clear and sealed; it is limited, and has no access after its region
# timeout: 300
# cites: R10, R12, R16, R18, R32, issue 26.2
. "$(dirname "$0")/../lib.sh"

rounds=${SRNIC_ROUNDS:-100}
on_debug_kernel && rounds=$((rounds / 4))

for policy in '' require:aead:aes-gcm-128; do
	say "${policy:-in the clear}"
	testbed up --flat ${policy:+--policy "$policy"}
	srnic-dmabuf srnic0 srnic1
	[ -z "$policy" ] || [ "$(counter srnic1 sth_opened)" -gt 40 ] || fail "nothing was sealed"
	say "$rounds deregistrations"
	srnic-dmabuf srnic0 srnic1 "$rounds"
	testbed down
done

say "limits"
testbed up --flat
# As many pages as the program's buffer has
srnic quota set srnic1 pinned_pages 10
srnic-dmabuf srnic0 srnic1 limited
testbed down

say "processes that are killed"
testbed up --flat
for i in 1 2 3; do
	timeout -s KILL "$i" srnic-dmabuf srnic0 srnic1 100000 || [ $? -eq 137 ]
done
gone() { [ "$(rdma resource show mr | grep -c srnic-dmabuf)" = 0 ]; }
soon gone || fail "regions of killed processes are left"
srnic-dmabuf srnic0 srnic1
testbed down
