#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: a kernel consumer (NVMe over RDMA) writes a disk and reads it back, in the clear and sealed
# easy: yes
# timeout: 240
# cites: issue 2.3 (DMA and fast-register MRs, invalidation), issue 2.5 (kernel ULPs sealed)
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../consumers.sh"

mib=4

modprobe -a nvmet-rdma nvme-rdma
head -c ${mib}M /dev/urandom >/run/test/random
for policy in "${passes[@]}"; do
	bed "$policy" --flat
	nvme_disk $mib
	written_and_read "$DISK"
	expect_sealed "$policy" 1000
	for dev in srnic0 srnic1; do
		[ "$(counter $dev stag_invalid)" -eq 0 ] || fail "$dev refused a key"
		sent_once a $dev
	done
	nvme_no_disk
	testbed down
done
modprobe -r nvme-rdma nvmet-rdma
