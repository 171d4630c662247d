#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: 8 jobs of fio with 32 requests each verify an NVMe-oF disk, though the target disconnects in the middle, in the clear and sealed
# easy: yes
# timeout: 240
# cites: issue 26.4
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../consumers.sh"

jobs=8
# MiB that each job writes and verifies
each=${SRNIC_EACH:-1}
rounds=${SRNIC_ROUNDS:-3}

# verified: write blocks of random sizes in random order, then read and compare each; all that in rounds
verified()
{
	fio --name=verify --filename="$DISK" --direct=1 --ioengine=libaio --thread \
		--numjobs=$jobs --iodepth=32 --rw=randwrite --bsrange=4k-64k \
		--size="${each}M" --offset_increment="${each}M" --loops="$rounds" \
		--verify=crc32c --verify_fatal=1 --group_reporting
}

# written: set WRITTEN to the sectors that were written to the disk. This starts no process: fio
# might be through before that one.
written()
{
	local fields
	read -ra fields <"/sys/block/${DISK#/dev/}/stat"
	WRITTEN=${fields[6]}
}

in_state() { [ "$(<"/sys/class/nvme/$CONTROLLER/state")" = "$1" ]; }

# cut: disconnect when an eighth of the first round is written, and let the host connect again.
# Sets FROZEN to what was written until then.
cut()
{
	written
	until ((WRITTEN >= jobs * each * 2048 / 8)); do
		kill -0 "$fio" 2>/dev/null || fail "fio has ended: $(tail -n 20 /run/test/fio.log)"
		read -rt 0.02 -u "$silence" || true
		written
	done
	nvme_unplug
	soon in_state connecting || fail "the host has not noticed"
	written
	FROZEN=$WRITTEN
	nvme_plug
	soon in_state live || fail "the host does not connect again"
}

# A pipe that nobody writes to
exec {silence}<> <(:)
needs_program fio fio
needs_modules nvmet-rdma nvme-rdma
for policy in "${passes[@]}"; do
	bed "$policy" --flat
	nvme_disk $((jobs * each)) reconnect_delay=1
	verified >/run/test/fio.log 2>&1 &
	fio=$!
	cut
	wait $fio || fail "fio: $(tail -n 20 /run/test/fio.log)"
	written
	((FROZEN < WRITTEN)) || fail "fio had written all before the cut"
	say "$FROZEN of $WRITTEN sectors were written before the cut"
	grep -E 'READ:|WRITE:' /run/test/fio.log
	expect_sealed "$policy" 1000
	# Requests that are under way at the cut may arrive when their key has gone
	no_bad_packets
	kernel_quiet 'I/O error|blk_update_request'
	nvme_no_disk
	testbed down
done
modprobe -r nvme-rdma nvmet-rdma
