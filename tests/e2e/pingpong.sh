#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: ibv_rc, uc, ud and srq_pingpong work, by polling and with events, at several MTUs
# easy: yes
# timeout: 180
# cites: issue 2.7
. "$(dirname "$0")/../lib.sh"

testbed up
ga=$(gid_of a srnic0)
gb=$(gid_of b srnic1)
for tool in ibv_rc_pingpong ibv_uc_pingpong ibv_ud_pingpong ibv_srq_pingpong; do
	for extra in "" "-e"; do
		size=$([ $tool = ibv_ud_pingpong ] && echo 1000 || echo 4096)
		say "$tool $extra"
		pair in b $tool -d srnic1 -g "$gb" -n 200 -s "$size" $extra -- \
			in a $tool -d srnic0 -g "$ga" -n 200 -s "$size" $extra 10.77.0.2
	done
done
for mtu in 256 512 2048 4096; do
	say "ibv_rc_pingpong, path MTU $mtu, data checked"
	pair in b ibv_rc_pingpong -d srnic1 -g "$gb" -m $mtu -n 30 -s 20001 -c -- \
		in a ibv_rc_pingpong -d srnic0 -g "$ga" -m $mtu -n 30 -s 20001 -c 10.77.0.2
done
nothing_lost
testbed down

# psn64s WHERE: print the positions of both flows of the sealed QP
psn64s()
{
	on "$1" srnic -j -d qp | grep -o '"psn64":[0-9]*' | cut -d : -f 2
}

say "ibv_uc_pingpong, sealed: without acknowledgments, too, both flows move on"
testbed up --policy require:packet:aes-cmac-128
on b timeout 600 ibv_uc_pingpong -d srnic1 -g "$(gid_of b srnic1)" -n 1000000 >/dev/null &
server=$!
settle $server ibv_uc_pingpong
on a timeout 600 ibv_uc_pingpong -d srnic0 -g "$(gid_of a srnic0)" -n 1000000 10.77.0.2 >/dev/null &
two_flows() { [ "$(psn64s a | wc -l)" -ge 2 ]; }
soon two_flows || fail "no flows: $(on a srnic -d qp)"
before=$(psn64s a)
# moved: whether both flows have advanced
moved() { [ "$(paste <(echo "$before") <(psn64s a) | awk '$2 > $1' | wc -l)" -eq 2 ]; }
soon moved || fail "flows stood at $before and stand at $(psn64s a)"
kill -0 $server || fail "it ended early"
kill $server

for extra in "" "-e"; do
	say "ibv_srq_pingpong $extra, sealed"
	pair in b ibv_srq_pingpong -d srnic1 -g "$(gid_of b srnic1)" -n 200 $extra -- \
		in a ibv_srq_pingpong -d srnic0 -g "$(gid_of a srnic0)" -n 200 $extra 10.77.0.2
done
testbed down
