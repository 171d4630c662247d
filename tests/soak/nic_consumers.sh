#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: the consumers of RDMA work across emulated NICs, too, clear and sealed
# nic: virtio_net vmxnet3
# timeout: 600
# cites: issue 26, 4
e2e=$(dirname "$0")/../e2e
. "$e2e/../lib.sh"

for driver in virtio_net vmxnet3; do
	for consumer in ulp nvme_cut nfs scsi sockets fabrics mpi; do
		say "$consumer on $driver"
		SRNIC_NIC=$driver "$e2e/$consumer.sh" || fail "$consumer fails on $driver"
	done
done
