#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: a kernel consumer (NVMe over RDMA) writes a disk and reads it back, in the clear and sealed
# easy: yes
# timeout: 240
# cites: issue 2.3 (DMA and fast-register MRs, invalidation), issue 2.5 (kernel ULPs sealed)
. "$(dirname "$0")/../lib.sh"

nqn=srnic-test
nvmet=/sys/kernel/config/nvmet
mib=4

# target: export a file as a disk, at 10.77.0.2
target()
{
	truncate -s ${mib}M /run/test/disk
	mkdir $nvmet/subsystems/$nqn $nvmet/subsystems/$nqn/namespaces/1 $nvmet/ports/1
	echo 1 >$nvmet/subsystems/$nqn/attr_allow_any_host
	echo -n /run/test/disk >$nvmet/subsystems/$nqn/namespaces/1/device_path
	echo 1 >$nvmet/subsystems/$nqn/namespaces/1/enable
	echo rdma >$nvmet/ports/1/addr_trtype
	echo ipv4 >$nvmet/ports/1/addr_adrfam
	echo 10.77.0.2 >$nvmet/ports/1/addr_traddr
	echo 4420 >$nvmet/ports/1/addr_trsvcid
	ln -s $nvmet/subsystems/$nqn $nvmet/ports/1/subsystems/$nqn
}

no_target()
{
	rm $nvmet/ports/1/subsystems/$nqn
	rmdir $nvmet/ports/1 $nvmet/subsystems/$nqn/namespaces/1 $nvmet/subsystems/$nqn
	rm /run/test/disk
}

# connect: connect to the target; sets DISK and CONTROLLER
connect()
{
	local answer
	exec 3<>/dev/nvme-fabrics
	echo "transport=rdma,traddr=10.77.0.2,trsvcid=4420,nqn=$nqn,nr_io_queues=2" >&3
	read -r answer <&3
	exec 3>&-
	answer=${answer#instance=}
	CONTROLLER=nvme${answer%%,*}
	DISK=/dev/${CONTROLLER}n1
	soon test -b "$DISK" || fail "no disk of $CONTROLLER"
}

modprobe -a nvmet-rdma nvme-rdma
mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
head -c ${mib}M /dev/urandom >/run/test/random
for policy in "" require:aead:aes-gcm-128; do
	say "${policy:-in the clear}"
	testbed up --flat ${policy:+--policy "$policy"}
	target
	connect
	# Direct I/O: the data read must cross the wire
	dd if=/run/test/random of="$DISK" bs=1M oflag=direct status=none
	cmp /run/test/random /run/test/disk || fail "the disk holds something else"
	dd if="$DISK" bs=96K iflag=direct status=none | cmp - /run/test/random ||
		fail "something else was read"
	seals=$(counter srnic0 sth_sealed)
	if [ -n "$policy" ]; then
		[ "$seals" -gt 1000 ] || fail "only $seals packets were sealed"
	else
		[ "$seals" -eq 0 ] || fail "$seals packets were sealed"
	fi
	for dev in srnic0 srnic1; do
		[ "$(counter $dev stag_invalid)" -eq 0 ] || fail "$dev refused a key"
		sent_once a $dev
	done
	echo 1 >"/sys/class/nvme/$CONTROLLER/delete_controller"
	no_target
	testbed down
done
modprobe -r nvme-rdma nvmet-rdma
