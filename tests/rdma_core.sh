# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced after lib.sh by the tests that run programs of another rdma-core than this system's.

# needs_rdma_core NAME WHAT: skip the test, as WHAT says, unless /usr/local/lib/NAME is there. Sets unpacked.
needs_rdma_core()
{
	unpacked=/usr/local/lib/$1
	[ ! -e "$unpacked/complete" ] || return 0
	echo "$2"
	exit 77
}

between()
{
	pair in b "$1" -d srnic1 -g "$(gid_of b srnic1)" "${@:2}" -- \
		in a "$1" -d srnic0 -g "$(gid_of a srnic0)" "${@:2}" 10.77.0.2
}

# run_rdma_core FOLDER: its programs use srnic devices, in the clear and sealed
run_rdma_core()
{
	local policy
	PATH=$1:$PATH
	for policy in '' require:aead:aes-gcm-128; do
		say "${policy:-in the clear}"
		testbed up ${policy:+--policy "$policy"}
		[ "$(on a which rping)" = "$1/rping" ] || fail "that is not the rping of $1"

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
}
