#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: QEMU migrates by RDMA, chunk by chunk in the clear, and with all memory pinned sealed, and no byte of the memory changes
# easy: yes
# timeout: 120
# cites: issue 26.4
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../consumers.sh"

mib=${SRNIC_MIB:-64}
# Both ways to register in each pass: the long form
every=${SRNIC_EVERY-}
folder=/run/test/qemu
# Most of the memory; QEMU finds the pages that hold zero, and does not write them
filled=$((mib * 5 / 8))
compared=0

# machine WHERE OPTION...: start a machine that does not run
machine()
{
	on "$1" qemu-system-x86_64 -accel tcg -machine pc -m "${mib}M" -S -nodefaults -display none \
		-qmp unix:$folder/"$1",server=on,wait=off "${@:2}" >"$folder/$1.log" 2>&1 &
	machines+=($!)
}

# migrate [--pin-all]: from a to b
migrate()
{
	local where before
	say "migration ${*:-by chunks}"
	before=$(count_of a srnic0 sent_bytes)
	machines=()
	mkdir $folder
	machine a -device loader,file=/run/test/random,addr=0x100000,force-raw=on
	machine b -incoming defer
	for where in a b; do
		soon test -S "$folder/$where" || fail "$(cat "$folder/$where.log")"
	done
	"$repo/tests/programs/migration.py" "$@" $folder rdma:10.77.0.2:4444 "$mib" ||
		fail "$(cat $folder/*.log)"
	cmp $folder/a.memory $folder/b.memory || fail "the memory has changed"
	cmp -i 1M:0 -n ${filled}M $folder/b.memory /run/test/random || fail "this is another memory"
	compared=$((compared + (mib << 20)))
	# By RDMA, not by another way
	expect_count a srnic0 sent_bytes -ge $((before + (filled << 20)))
	kill "${machines[@]}"
	wait "${machines[@]}" || true
	rm -r $folder
}

needs_program qemu-system-x86_64 qemu-system-x86
head -c ${filled}M /dev/urandom >/run/test/random
for policy in "${passes[@]}"; do
	bed "$policy"
	# ib_core misses an answer of ARP that arrives at once, and then waits for QEMU's 10 s
	# (rdma_resolve_ip() queues the request after the question): ask before
	on a bash -c 'echo >/dev/udp/10.77.0.2/9'
	if [ -z "$policy" ] || [ "$every" ]; then migrate; fi
	if [ "$policy$every" ]; then migrate --pin-all; fi
	expect_sealed "$policy" 10000
	no_faults
	testbed down
done
say "$compared bytes are right"
