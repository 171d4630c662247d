#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: an InfiniBand port carries programs whose addresses are GIDs (AF_IB), SRP by InfiniBand's connection manager, NVMe and RDS between addresses of IP over InfiniBand, in the clear and sealed
# easy: yes
# timeout: 300
# cites: issue 24.6
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../consumers.sh"
. "$(dirname "$0")/../scsi.sh"
. "$(dirname "$0")/../ib.sh"

bed_devices=(iba ibb)
target_address=10.78.0.2
srp_port=0

# port_gid DEVICE
port_gid() { cat "/sys/class/infiniband/$1/ports/1/gids/0"; }

# srp_here: the target and its initiator are named by their ports, and the target is found by a
# path that the subnet administration knows
srp_here()
{
	local from to
	from=$(port_gid iba)
	to=$(port_gid ibb)
	srp_initiator=$(cut -d: -f5- <<<"$from")
	srp_where=dgid=${to//:/},pkey=ffff,service_id=${guid#0x}
}

# with_gids PROGRAM OPTION...: run both ends of the program, whose addresses are GIDs
with_gids()
{
	local from to
	from=$(port_gid iba)
	to=$(port_gid ibb)
	say "$1: AF_IB"
	pair "$@" -f gid -b "$to" -- "$@" -f gid -b "$from" -s "$to"
}

nvme()
{
	say "NVMe"
	nvme_disk "$mib"
	written_and_read "$DISK"
	nvme_no_disk
}

rds()
{
	say "RDS"
	modprobe rds_rdma
	timeout 150 "$repo/tests/programs/rds.py" 10.78.0.1 10.78.0.2 || fail "RDS"
	# While its devices are there, for it would connect again
	modprobe -r rds_rdma
}

needs_target nvmet-rdma nvme-rdma
needs_srp
needs_modules rds_rdma
modprobe -r rds_rdma
for policy in "${passes[@]}"; do
	bed "$policy" --flat
	# They have the GIDs of the InfiniBand ports, by which srpt finds a port: the first with it
	rdma link delete srnic0
	rdma link delete srnic1
	ib_keys
	IFS=: read -ra seal <<<"$policy"
	[ -z "$policy" ] || ib_rules "${seal[@]}"
	ib_flat_up
	srp_here
	scsi_disk srp "$policy"
	nvme
	rds
	with_gids ucmatose -c 4 -C 20 -S 1000
	with_gids udaddy -c 2 -C 10
	no_faults
	expect_sealed "$policy" 3000
	none_refused
	kernel_quiet 'RDS.*(fail|error)'
	ib_flat_down
	testbed down
done
modprobe -r ib_srp ib_srpt sd_mod target_core_file nvme-rdma nvmet-rdma
