#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: programs that use the connection manager work: ucmatose, udaddy, mckey, rstream, qperf
# easy: yes
# timeout: 240
# cites: issue 2.7
. "$(dirname "$0")/../lib.sh"

# qperf_figure WHAT: take one measurement. Debian's qperf (0.4.11) tells its client the port
# before it listens there (fixed upstream: "Fix rdmacm race"), so the first REQ may find no
# listener. Only this error is retried.
qperf_figure()
{
	local try status
	for try in {1..40}; do
		status=0
		on a timeout 300 qperf -t 2 -cm1 10.77.0.2 "$1" >/run/test/qperf.out 2>&1 || status=$?
		[ $status -ne 0 ] || break
		grep -q 'RDMA CM: Event rejected' /run/test/qperf.out || break
	done
	cat /run/test/qperf.out
	[ $status -eq 0 ] && grep -q -E '(bw|latency) +=' /run/test/qperf.out && return
	cat /run/test/qperf.log
	fail "qperf gave no figure for $1, at try $try (exit status $status)"
}

testbed up
say "ucmatose"
pair in b ucmatose -b 10.77.0.2 -c 8 -C 20 -S 1000 -- in a ucmatose -s 10.77.0.2 -c 8 -C 20 -S 1000
say "udaddy"
pair in b udaddy -b 10.77.0.2 -c 2 -C 10 -- in a udaddy -s 10.77.0.2 -c 2 -C 10
say "rstream"
pair in b rstream -b 10.77.0.2 -S 65536 -C 100 -- in a rstream -s 10.77.0.2 -S 65536 -C 100
say "mckey: multicast between the namespaces"
pair in b timeout 300 mckey -m 239.7.7.7 -b 10.77.0.2 -C 5 -- \
	in a mckey -m 239.7.7.7 -b 10.77.0.1 -s -C 5
say "qperf"
in-b timeout 3000 qperf >/run/test/qperf.log 2>&1 &
server=$!
settle $server qperf
for what in rc_bw rc_lat rc_rdma_read_bw rc_rdma_write_bw; do
	qperf_figure "$what"
done
kill $server 2>/dev/null || true
wait $server 2>/dev/null || true
testbed down
