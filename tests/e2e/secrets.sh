#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: no log, trace, command or sysfs file shows a key at any time of its life
# easy: yes
# timeout: 200
# cites: issue 4.7, threat-model.md 53
. "$(dirname "$0")/../lib.sh"

trace=/sys/kernel/tracing
secret=/run/test/secret
shown=/run/test/shown

# key_on HOST VERB: do the same with the key file on both ends
key_on()
{
	on "$1" srnic key "$2" k --file $secret --raw
}

# told: collect all that an administrator can read
told()
{
	local host what
	for host in a b; do
		for what in show "-d qp" key policy peer limit log "suite list" quota; do
			# shellcheck disable=SC2086 # words of a command
			on $host srnic -j $what || true
		done
		on $host rdma -j -dd resource show || true
		for what in qp cm_id cq mr pd srq ctx; do
			on $host rdma -j -dd resource show "$what" || true
		done
		on $host rdma -j statistic show || true
	done >"$shown/told.$1" 2>&1
	grep -rsI . /sys/module/srnic /sys/class/infiniband/srnic0/ >"$shown/sysfs.$1" || true
	cp /proc/keys /proc/crypto $shown
}

testbed up
mkdir -p $shown
head -c 32 /dev/urandom >$secret
echo 8192 >$trace/buffer_size_kb
for group in srnic rdma_core ib_mad rdma_cma ib_umad net netlink; do
	[ ! -d $trace/events/$group ] || echo 1 >$trace/events/$group/enable
done
echo 'module srnic +p; module ib_core +p' >/proc/dynamic_debug/control || true
on a srnic log follow >$shown/followed 2>&1 &
follower=$!

say "who looks finds what is there"
od -An -tx8 $secret >$shown/planted
! "$repo/tests/programs/seek.py" $secret $shown/planted || fail "a key is not found"
rm $shown/planted

for seal in "aead aes-gcm-128" "header aes-cmac-128"; do
	say "$seal"
	for host in a b; do
		key_on $host replace
		# shellcheck disable=SC2086 # mode and suite
		on $host srnic policy replace 10.77.0.0/24 require $seal key k
	done
	pair in b rping -s -a 10.77.0.2 -C 3 -- in a rping -c -a 10.77.0.2 -C 3
	told "${seal%% *}"
done

say "with another key at the other end, and without one"
head -c 32 /dev/urandom >/run/test/other
on b srnic key replace k --file /run/test/other --raw
on a timeout 10 rping -c -a 10.77.0.2 -C 1 >/run/test/c.log 2>&1 || true
on b srnic key del k
on a timeout 10 rping -c -a 10.77.0.2 -C 1 >/run/test/c.log 2>&1 || true
! key_on a add 2>$shown/twice || fail "a key is added twice"
told gone
kill $follower
wait $follower || true

dmesg >$shown/dmesg
cat $trace/trace >$shown/trace
[ "$(grep -c 'srnic_sealed' $shown/trace)" -gt 0 ] || fail "nothing was traced"
"$repo/tests/programs/seek.py" $secret $shown/*
"$repo/tests/programs/seek.py" /run/test/other $shown/*
testbed down
