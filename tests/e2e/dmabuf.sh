#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: both
# what: all operations work on a dma-buf, to the byte, in the clear and sealed; it is limited, and has no access after its region
# timeout: 300
# cites: R10, R12, R16, R18, R32, issue 26.2
. "$(dirname "$0")/../lib.sh"

rounds=${SRNIC_ROUNDS:-100}
on_debug_kernel && rounds=$((rounds / 4))

# on_testbed POLICY
on_testbed()
{
	say "${1:-in the clear}"
	srnic-dmabuf srnic0 srnic1
	[ -z "$1" ] || [ "$(counter srnic1 sth_opened)" -gt 40 ] || fail "nothing was sealed"
	say "$rounds deregistrations"
	srnic-dmabuf srnic0 srnic1 "$rounds"
}

testbed up --flat
say "processes that are killed, before all others"
killed srnic-dmabuf
on_testbed ''
say "limits"
# As many pages as the program's buffer has
srnic quota set srnic1 pinned_pages 10
srnic-dmabuf srnic0 srnic1 limited
testbed down

testbed up --flat --policy require:aead:aes-gcm-128
on_testbed require:aead:aes-gcm-128
testbed down
