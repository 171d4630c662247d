#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: SCSI disks by iSER and by SRP hold what was written, and give it back, in the clear and sealed
# easy: yes
# timeout: 240
# cites: issue 26.4
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../consumers.sh"

target=/sys/kernel/config/target
core=$target/core/fileio_0
iqn=iqn.2024-01.test:srnic
guid=0x5e71c5e71c5e71c5
srp_port=5555
mib=${SRNIC_MIB:-4}

# disk: let the target's core have a file as a disk
disk()
{
	truncate -s "${mib}M" /run/test/disk
	mkdir -p $core/disk
	echo "fd_dev_name=/run/test/disk,fd_dev_size=$((mib << 20))" >$core/disk/control
	echo 1 >$core/disk/enable
}

no_disk()
{
	rmdir $core/disk $core
	rm /run/test/disk
}

# lun GROUP: make the disk LUN 0 of the portal group
lun()
{
	mkdir -p "$1/lun/lun_0"
	ln -s $core/disk "$1/lun/lun_0/disk"
}

no_lun()
{
	rm "$1/lun/lun_0/disk"
	rmdir "$1/lun/lun_0"
}

iser_target()
{
	local group=$target/iscsi/$iqn/tpgt_1
	mkdir -p $group/np/10.77.0.2:3260
	lun $group
	echo 0 >$group/attrib/authentication
	echo 1 >$group/attrib/generate_node_acls
	echo 0 >$group/attrib/demo_mode_write_protect
	echo 1 >$group/np/10.77.0.2:3260/iser
	echo 1 >$group/enable
}

iser_no_target()
{
	local group=$target/iscsi/$iqn/tpgt_1
	echo 0 >$group/enable
	no_lun $group
	rmdir $group/np/10.77.0.2:3260 $group $target/iscsi/$iqn $target/iscsi
}

iser_connect()
{
	iscsid
	iscsiadm -m discovery -t st -p 10.77.0.2 -I iser
	iscsiadm -m node -T $iqn -I iser --login
}

iser_disconnect()
{
	iscsiadm -m node -T $iqn --logout
	iscsiadm -m node -T $iqn -o delete
	iscsiadm -k 0
}

srp_target()
{
	local name group
	name=$(<"/sys/class/infiniband/srnic1/node_guid")
	group=$target/srpt/$name/$name
	mkdir -p "$group"
	echo $srp_port >$target/srpt/discovery_auth/rdma_cm_port
	lun "$group"
	# Initiators that nobody has named may only read. srpt names one after the target's address
	# (srpt_rdma_cm_req_recv() takes src_addr).
	mkdir -p "$group/acls/10.77.0.2/lun_0"
	ln -s "$group/lun/lun_0" "$group/acls/10.77.0.2/lun_0/disk"
	echo 1 >"$group/enable"
}

srp_no_target()
{
	local name group
	name=$(<"/sys/class/infiniband/srnic1/node_guid")
	group=$target/srpt/$name/$name
	echo 0 >"$group/enable"
	rm "$group/acls/10.77.0.2/lun_0/disk"
	rmdir "$group/acls/10.77.0.2/lun_0" "$group/acls/10.77.0.2"
	no_lun "$group"
	echo 0 >$target/srpt/discovery_auth/rdma_cm_port
	rmdir "$group" "${group%/*}" $target/srpt
}

srp_connect()
{
	soon test -e /sys/class/infiniband_srp/srp-srnic0-1 || fail "SRP does not use srnic0"
	echo "id_ext=$guid,ioc_guid=$guid,dest=10.77.0.2:$srp_port" \
		>/sys/class/infiniband_srp/srp-srnic0-1/add_target
}

srp_disconnect()
{
	echo 1 >/sys/class/srp_remote_ports/*/delete
}

# written_and_read: write random bytes to the disk, and read them by pieces of another size
written_and_read()
{
	local sd=(/sys/block/sd*)
	disk=/dev/${sd[0]##*/}
	# Direct I/O: the data read must cross the wire
	dd if=/run/test/random of="$disk" bs=1M oflag=direct status=none
	cmp /run/test/random /run/test/disk || fail "the disk holds something else"
	dd if="$disk" bs=96K iflag=direct status=none | cmp - /run/test/random ||
		fail "something else was read"
}

has_disk() { [ -e /sys/block/sda ]; }
has_none() { ! has_disk; }

# consumer NAME POLICY
consumer()
{
	say "$1"
	bed "$2" --flat
	disk
	"$1_target"
	"$1_connect"
	soon has_disk || fail "no disk has come"
	written_and_read
	expect_sealed "$2" 1000
	no_faults
	kernel_quiet 'I/O error|Sense Key|scsi host.*failed'
	"$1_disconnect"
	soon has_none || fail "the disk stays"
	"$1_no_target"
	no_disk
	testbed down
}

needs_program iscsid open-iscsi
needs_modules target_core_mod iscsi_target_mod ib_isert ib_iser sd_mod target_core_file
modprobe -q ib_srpt srpt_service_guid=$guid || skip "this kernel has no ib_srpt"
needs_modules ib_srp
needs_configfs
head -c "${mib}M" /dev/urandom >/run/test/random
for policy in "${passes[@]}"; do
	consumer iser "$policy"
	consumer srp "$policy"
done
modprobe -r ib_iser ib_srp ib_isert ib_srpt sd_mod target_core_file
