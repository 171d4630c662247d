# SPDX-License-Identifier: GPL-2.0
#
# SCSI disks that the kernel's target exports, and initiators log in to. Source it after
# consumers.sh.

target=/sys/kernel/config/target
core=$target/core/fileio_0
mib=${SRNIC_MIB:-4}
guid=0x5e71c5e71c5e71c5

# needs_target MODULE...: load the kernel's target, what its disks need, and these modules
needs_target()
{
	needs_modules target_core_mod sd_mod target_core_file "$@"
	needs_configfs
	head -c "${mib}M" /dev/urandom >/run/test/random
}

needs_srp()
{
	modprobe -q ib_srpt srpt_service_guid=$guid || skip "this kernel has no ib_srpt"
	needs_modules ib_srp
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

# srp_group: portal group of the target's device
srp_group()
{
	local name
	name=$(<"/sys/class/infiniband/${bed_devices[1]}/node_guid")
	echo "$target/srpt/$name/$name"
}

# srp_target: for the initiator $srp_initiator. It listens for rdma_cm at $srp_port, unless that
# is 0.
srp_target()
{
	local group
	group=$(srp_group)
	mkdir -p "$group"
	echo "$srp_port" >$target/srpt/discovery_auth/rdma_cm_port
	lun "$group"
	# Initiators that nobody has named may only read
	mkdir -p "$group/acls/$srp_initiator/lun_0"
	ln -s "$group/lun/lun_0" "$group/acls/$srp_initiator/lun_0/disk"
	echo 1 >"$group/enable"
}

srp_no_target()
{
	local group
	group=$(srp_group)
	echo 0 >"$group/enable"
	rm "$group/acls/$srp_initiator/lun_0/disk"
	rmdir "$group/acls/$srp_initiator/lun_0" "$group/acls/$srp_initiator"
	no_lun "$group"
	echo 0 >$target/srpt/discovery_auth/rdma_cm_port
	rmdir "$group" "${group%/*}" $target/srpt
}

# srp_connect: log in to the target, which is found at $srp_where
srp_connect()
{
	local host=/sys/class/infiniband_srp/srp-${bed_devices[0]}-1
	soon test -e "$host" || fail "SRP does not use ${bed_devices[0]}"
	echo "id_ext=$guid,ioc_guid=$guid,$srp_where" >"$host/add_target"
}

srp_disconnect()
{
	echo 1 >/sys/class/srp_remote_ports/*/delete
}

has_disk() { [ -e /sys/block/sda ]; }
has_none() { ! has_disk; }

# scsi_disk NAME POLICY: on a test bed that is up, an initiator of the kind NAME logs in to a
# target, writes its disk and reads it back, and logs out
scsi_disk()
{
	say "$1"
	truncate -s "${mib}M" /run/test/disk
	mkdir -p $core/disk
	echo "fd_dev_name=/run/test/disk,fd_dev_size=$((mib << 20))" >$core/disk/control
	echo 1 >$core/disk/enable
	"$1_target"
	"$1_connect"
	soon has_disk || fail "no disk has come"
	written_and_read /dev/sda
	expect_sealed "$2" 1000
	no_faults
	kernel_quiet 'I/O error|Sense Key|scsi host.*failed'
	"$1_disconnect"
	soon has_none || fail "the disk stays"
	"$1_no_target"
	rmdir $core/disk $core
	rm /run/test/disk
}
