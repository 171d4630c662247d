# SPDX-License-Identifier: GPL-2.0
#
# Waiting for servers in the other one of two VMs (testbed up --pair). Source it after lib.sh.

# settle PID COMMAND...: wait until the program in the other VM listens: for TCP at the port of
# perftest, of srnic-verify or of iperf3, or for rdma_cm. lib.sh looks at this VM's processes.
settle()
{
	in-b timeout 20 sh -c "
		until grep -qE ':(4853|48A8|1451) [0-9A-F:]* 0A' /proc/net/tcp* ||
			rdma resource show cm_id | grep LISTEN >/dev/null; do sleep 0.1; done" || true
}
