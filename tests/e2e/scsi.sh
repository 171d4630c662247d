#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: SCSI disks by iSER and by SRP hold what was written, and give it back, in the clear and sealed
# easy: yes
# timeout: 240
# cites: issue 26.4
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../consumers.sh"
. "$(dirname "$0")/../scsi.sh"

iqn=iqn.2024-01.test:srnic
srp_port=5555
srp_where=dest=10.77.0.2:$srp_port
# srpt names an initiator after the target's address (srpt_rdma_cm_req_recv() takes src_addr)
srp_initiator=10.77.0.2

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

needs_program iscsid open-iscsi
needs_target iscsi_target_mod ib_isert ib_iser
needs_srp
for policy in "${passes[@]}"; do
	for kind in iser srp; do
		bed "$policy" --flat
		scsi_disk $kind "$policy"
		testbed down
	done
done
modprobe -r ib_iser ib_srp ib_isert ib_srpt sd_mod target_core_file
