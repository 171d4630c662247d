# SPDX-License-Identifier: GPL-2.0
#
# Functions for tests with consumers of RDMA, sourced after lib.sh. SRNIC_NIC=virtio_net puts
# their test beds on emulated NICs, which the VM must have (scripts/vm --nic virtio_net).

# A pass in the clear, and one under a rule that requires seals
passes=("" require:aead:aes-gcm-128)

# skip WORDS...: end the test, which cannot run here, and say why
skip()
{
	echo "$*"
	exit 77
}

# needs_program NAME PACKAGE
needs_program()
{
	command -v "$1" >/dev/null || skip "there is no $1: scripts/setup consumers installs $2"
}

# needs_modules NAME...
needs_modules()
{
	local module
	for module; do
		modprobe -q "$module" || skip "this kernel has no $module"
	done
}

# bed POLICY OPTION...: set up the test bed, in the clear if POLICY is empty
bed()
{
	say "${1:-in the clear}"
	BED=srnic-test-bed-$$-$SECONDS
	echo "$BED" >/dev/kmsg
	testbed up ${SRNIC_NIC:+--nic "$SRNIC_NIC"} ${1:+--policy "$1"} "${@:2}"
}

# no_bad_packets: check that no packet was taken for wrong or forged at either end
no_bad_packets()
{
	neither rrq_exceeded cq_overflow icrc_errors malformed unknown_opcode sth_auth_failed \
		sth_missing sth_unexpected sth_replayed bad_wqe
}

# no_faults: likewise, and that no access to memory was refused
no_faults()
{
	no_bad_packets
	neither stag_invalid stag_pd stag_bounds stag_access
}

# kernel_quiet PATTERN: check that the kernel has logged nothing of the kind on this test bed
kernel_quiet()
{
	local said
	! said=$(dmesg | sed "1,/$BED/d" | grep -E "$1") || fail "the kernel says: $said"
}

nvmet=/sys/kernel/config/nvmet
nqn=srnic-test

needs_configfs()
{
	mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
}

# Where the target is: a test may set another address
target_address=10.77.0.2

# nvme_target FILE: export the file as a disk
nvme_target()
{
	needs_configfs
	mkdir $nvmet/subsystems/$nqn $nvmet/subsystems/$nqn/namespaces/1 $nvmet/ports/1
	echo 1 >$nvmet/subsystems/$nqn/attr_allow_any_host
	echo -n "$1" >$nvmet/subsystems/$nqn/namespaces/1/device_path
	echo 1 >$nvmet/subsystems/$nqn/namespaces/1/enable
	echo rdma >$nvmet/ports/1/addr_trtype
	echo ipv4 >$nvmet/ports/1/addr_adrfam
	echo $target_address >$nvmet/ports/1/addr_traddr
	echo 4420 >$nvmet/ports/1/addr_trsvcid
	nvme_plug
}

# nvme_unplug: end the target's connections and refuse others, until nvme_plug
nvme_unplug()
{
	rm $nvmet/ports/1/subsystems/$nqn
}

nvme_plug()
{
	ln -s $nvmet/subsystems/$nqn $nvmet/ports/1/subsystems/$nqn
}

nvme_no_target()
{
	nvme_unplug
	rmdir $nvmet/ports/1 $nvmet/subsystems/$nqn/namespaces/1 $nvmet/subsystems/$nqn
}

# nvme_connect OPTION...: connect to the target; sets DISK and CONTROLLER
nvme_connect()
{
	local answer options="transport=rdma,traddr=$target_address,trsvcid=4420"
	options+=",nqn=$nqn,nr_io_queues=2"
	exec 3<>/dev/nvme-fabrics
	echo "$options$(printf ',%s' "$@")" >&3
	read -r answer <&3
	exec 3>&-
	answer=${answer#instance=}
	CONTROLLER=nvme${answer%%,*}
	DISK=/dev/${CONTROLLER}n1
	soon test -b "$DISK" || fail "no disk of $CONTROLLER"
}

nvme_disconnect()
{
	echo 1 >"/sys/class/nvme/$CONTROLLER/delete_controller"
}

# nvme_disk MIB OPTION...: export a file as a disk, and connect to it; sets DISK and CONTROLLER
nvme_disk()
{
	truncate -s "${1}M" /run/test/disk
	nvme_target /run/test/disk
	nvme_connect "${@:2}"
}

nvme_no_disk()
{
	nvme_disconnect
	nvme_no_target
	rm /run/test/disk
}

# written_and_read DISK: write /run/test/random to the disk, whose file is /run/test/disk, and read
# it by pieces of another size
written_and_read()
{
	# Direct I/O: the data read must cross the wire
	dd if=/run/test/random of="$1" bs=1M oflag=direct status=none
	cmp /run/test/random /run/test/disk || fail "the disk holds something else"
	dd if="$1" bs=96K iflag=direct status=none | cmp - /run/test/random ||
		fail "something else was read"
}

nfsd=/proc/fs/nfsd
export=/run/test/export
mounted=/run/test/mounted
nfs_forever=2147483647
# NFSEXP_FSID, _NOSUBTREECHECK, _ASYNC and _INSECURE_PORT
nfs_flags=$((0x2000 | 0x400 | 0x10 | 0x2))

# nfs_entry CACHE WORDS...: answer a question of the server, as rpc.mountd would
nfs_entry()
{
	echo "${*:2}" >/proc/net/rpc/"$1"/channel
}

# nfs_server: export a folder to 10.77.0.1, by RDMA only; no program of nfs-utils is needed
nfs_server()
{
	mkdir -p $export $mounted
	mount -t nfsd nfsd $nfsd
	nfs_entry auth.unix.ip nfsd 10.77.0.1 $nfs_forever clients
	nfs_entry nfsd.export clients $export $nfs_forever $nfs_flags 65534 65534 0
	nfs_entry nfsd.fh clients 1 '\x00000000' $nfs_forever $export
	# The older versions need programs beside the server
	echo "-3" >$nfsd/versions
	# The least for which the server waits for clients of an earlier life
	echo 10 >$nfsd/nfsv4gracetime
	echo "rdma 20049" >$nfsd/portlist
	echo 2 >$nfsd/threads
}

nfs_no_server()
{
	echo 0 >$nfsd/threads
	umount $nfsd
	rm -r $export
}

nfs_mount()
{
	mount -i -t nfs4 -o vers=4.2,proto=rdma,port=20049,addr=10.77.0.2,clientaddr=10.77.0.1 \
		10.77.0.2:/ $mounted
}
