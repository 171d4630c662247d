#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: NFS 4.2 over RDMA, which registers lists with gaps, writes and reads files at odd places and at random, in the clear and sealed
# easy: yes
# timeout: 240
# cites: issue 26, issue 2.5 (kernel ULPs sealed)
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../consumers.sh"

needs_modules nfsd rpcrdma nfsv4
head -c 3M /dev/urandom >/run/test/random
for policy in "${passes[@]}"; do
	bed "$policy" --flat
	nfs_server
	nfs_mount
	cp /run/test/random $mounted/file
	sync $mounted/file
	cmp /run/test/random $export/file || fail "the file holds something else"
	# Into pieces of odd lengths at odd addresses, past the client's cache
	"$repo/tests/programs/scattered.py" $mounted/file /run/test/random
	"$repo/tests/programs/random_io.py" --steps 60 $mounted/changed
	expect_sealed "$policy" 500
	for dev in srnic0 srnic1; do
		[ "$(counter $dev stag_bounds)" -eq 0 ] || fail "$dev refused a range"
	done
	umount $mounted
	nfs_no_server
	testbed down
done
