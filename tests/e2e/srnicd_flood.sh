#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: a flood of TCP connections from many addresses keeps no peer of srnicd out; connections, memory and log lines of the daemon are bounded
# easy: yes
# timeout: 300
# cites: issue 23.4, 23.6
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../srnicd.sh"

progress=/run/test/flood
most_fds=90	# 2 x 32 of strangers, the daemon's own, and those of its peer
most_kib=8192	# of memory for them: a TLS session takes some 50 KiB

# closed: how many connections of the flood the daemon of a has closed
closed()
{
	awk 'END { print $2 + 0 }' $progress
}

# closed_by_a N: whether they are so many
closed_by_a()
{
	[ "$(closed)" -ge "$1" ]
}

# more_closed N: wait until it has closed so many more
more_closed()
{
	soon closed_by_a $(($(closed) + $1)) ||
		fail "the flood: $(cat $progress); the daemon: $(tail -n 20 /run/test/a.log)"
}

# resident: memory of the daemon of a, KiB
resident()
{
	sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/${daemon[a]}/status"
}

testbed up
identities
cmd a peer add b --public-key "${public[b]}" --address 10.77.0.2
cmd b peer add a --public-key "${public[a]}" --address 10.77.0.1 --endpoint 10.77.0.1
daemon_start a
before=$(resident)

strangers=()
for n in $(seq 100 139); do
	on b ip addr add "10.77.0.$n/24" dev vb
	strangers+=("10.77.0.$n")
done
: >$progress
in-b "$repo/tests/programs/flood.py" 10.77.0.1 14791 $progress "${strangers[@]}" &
flood=$!
more_closed 200

say "a peer gets its key during the flood"
daemon_start b
soon has_key a || fail "a has no key: $(tail -n 20 /run/test/a.log /run/test/b.log)"
soon has_key b || fail "b has no key: $(tail -n 20 /run/test/a.log /run/test/b.log)"
ping

say "a peer that begins anew is not kept out, either"
before_generation=$(generation b)
daemon_kill b -KILL
daemon_start b
soon beyond_generation b "$before_generation" || fail "b keeps its key: $(tail -n 20 /run/test/[ab].log)"
more_closed 200

say "what the daemon holds for strangers is bounded"
fds=(/proc/"${daemon[a]}"/fd/*)
after=$(resident)
say "$(cat $progress): connections made, closed; the daemon has ${#fds[@]} descriptors and $((after - before)) KiB more"
[ ${#fds[@]} -le $most_fds ] || fail "${#fds[@]} descriptors"
[ $((after - before)) -le $most_kib ] || fail "$((after - before)) KiB"

say "it says so, in few lines"
soon says a "more connections were refused" || fail "$(tail -n 20 /run/test/a.log)"
rm $progress
wait $flood || fail "the flood has failed"
lines=$(wc -l </run/test/a.log)
read -r uptime _ </proc/uptime
# five in 10 s, and their sum
[ "$lines" -le $((20 + 6 * (${uptime%.*} / 10 + 1))) ] || fail "$lines lines: $(tail -n 40 /run/test/a.log)"
ping
daemon_kill a
daemon_kill b
testbed down
