#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: osmtest, the test of opensm, finds an InfiniBand port's subnet administration right: its records, services, subscriptions and multicast groups
# easy: yes
# timeout: 300
# cites: issue 24, what it must show; protocol.md section 17
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../ib.sh"

logged=/run/test/osmtest.log

# osmtest_passes FLOW: whether osmtest has found nothing. It exits with 0 then.
osmtest_passes()
{
	rm -f $logged
	on a env LD_LIBRARY_PATH=$opensm_unpacked/usr/lib/x86_64-linux-gnu OSM_TMP_DIR=/run/test \
		timeout 120 $opensm_unpacked/usr/sbin/osmtest -f "$1" -g "$guid" -i /run/test/inventory \
		-l $logged -v </dev/null >/run/test/osmtest.out 2>&1 || return 1
	grep -q PASS /run/test/osmtest.out
}

ib_needs_opensm		# osmtest comes with it
testbed up
modprobe ib_umad
ib_up a
ib_up b
on a ping -q -c 1 -W 60 10.78.0.2
guid=0x$(tr -d : <<<"$(cut -d: -f5- /sys/class/infiniband/iba/ports/1/gids/0)")
for flow in c a m; do
	say "osmtest -f $flow"
	osmtest_passes $flow || fail "osmtest -f $flow: $(grep 0x01 $logged | tail -n 15)"
done
say "the network is as before"
on a ping -q -c 1 -W 60 10.78.0.2
ib_delete a
ib_delete b
testbed down
