#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: the unchanged provider works with the next Debian's rdma-core (56): both ways of posting, rdma_cm, sealed
# easy: yes
# timeout: 120
# cites: issue 2.4
. "$(dirname "$0")/../lib.sh"

next=/usr/local/lib/next-rdma-core
[ -e $next/complete ] || {
	echo "no rdma-core of the next Debian: scripts/setup check unpacks it where there is an older one"
	exit 77
}
PATH=$next:$PATH
ls $next/usr/lib/*/libibverbs.so.1.14.56.* || fail "that is not rdma-core 56"

between()
{
	pair in b "$1" -d srnic1 -g "$(gid_of b srnic1)" "${@:2}" -- \
		in a "$1" -d srnic0 -g "$(gid_of a srnic0)" "${@:2}" 10.77.0.2
}

for policy in '' require:aead:aes-gcm-128; do
	say "${policy:-in the clear}"
	testbed up ${policy:+--policy "$policy"}
	[ "$(on a which rping)" = $next/rping ] || fail "that is not rdma-core 56's"

	say "what it says of the device"
	on a ibv_devinfo -v -d srnic0 >/run/test/devinfo || fail "no ibv_devinfo"
	grep -q 'PORT_ACTIVE' /run/test/devinfo || fail "$(cat /run/test/devinfo)"

	say "posting by ibv_post_send() and by ibv_wr_send(), whose flag 44 and 56 keep in different places"
	between ibv_rc_pingpong -n 200 -s 20001 -c
	between ibv_rc_pingpong -n 200 -s 20001 -c -N
	between ibv_rc_pingpong -n 200 -s 4096 -e
	between ibv_srq_pingpong -n 200 -s 4096
	[ -n "$policy" ] || between ibv_ud_pingpong -n 200 -s 1000

	say "rdma_cm"
	pair in b rping -s -a 10.77.0.2 -C 30 -S 65000 -V -- \
		in a rping -c -a 10.77.0.2 -C 30 -S 65000 -V
	nothing_lost
	if [ -n "$policy" ]; then
		expect_count b srnic1 sth_opened -gt 1000
	else
		expect_count b srnic1 sth_opened -eq 0
	fi
	testbed down
done
