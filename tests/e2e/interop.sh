#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: srnic and rxe interoperate: all opcodes, odd sizes, IPv4 and IPv6, both directions
# core: interop with rxe
# easy: yes
# timeout: 420
# cites: issue 2.7
. "$(dirname "$0")/../lib.sh"

# rxe stores the ICRC as a number of the processor (rxe_icrc_generate())
[ "$(printf '\1\0' | od -A n -t u2)" -eq 1 ] || {
	echo "rxe's ICRC is reversed on a big-endian processor: it understands itself only"
	exit 77
}
ops=send,send_inline,send_imm,send_inv,write,write_imm,read,cmp_swap,fetch_add
# The rxe of Linux 6.1 has no more, nor that of a 32-bit kernel
older_than 6.2 || [ "$(getconf LONG_BIT)" -eq 32 ] || ops=$ops,atomic_write
long=$(long_message "")
testbed up --type interop --ipv6
# packets from before the second end was up
early=$(dropped)

# rxe is in the initial namespace, srnic in b: `verify SERVER-SIDE ARGS`
verify()
{
	local side=$1
	shift
	set -- "$@" --timeout 20
	if [ "$side" = srnic ]; then
		pair in b srnic-verify -d srnic1 "$@" -- srnic-verify -d rxe0 "$@" 10.77.0.2
	else
		pair srnic-verify -d rxe0 "$@" -- in b srnic-verify -d srnic1 "$@" 10.77.0.1
	fi
	tail -n 1 "$OUT"
}

for side in srnic rxe; do
	for mtu in 1024 4096; do
		say "$side is the target, path MTU $mtu"
		verify $side --ops $ops -m $mtu --offsets 0,1,4093 \
			--sizes "0,1,$((mtu - 1)),$mtu,$((mtu + 1)),$long"
	done
	say "$side is the target, IPv6"
	verify $side --ops $ops -m 4096 --sizes "0,1,4095,4096,4097,$long" --offsets 0,3 -6
done

say "rping, both ways, IPv4 and IPv6"
for prefix in 10.77.0. fd77::; do
	pair in b rping -s -a ${prefix}2 -C 20 -V -S 5000 -- rping -c -a ${prefix}2 -C 20 -V -S 5000
	pair rping -s -a ${prefix}1 -C 20 -V -S 5000 -- in b rping -c -a ${prefix}1 -C 20 -V -S 5000
done

# sound: check that no packet was dropped or damaged, and that srnic had to say nothing twice.
# rxe's timers are short for a slow emulation: its retransmissions are counted as duplicates.
sound()
{
	[ "$(dropped)" -eq "$early" ] || fail "$(($(dropped) - early)) packets were dropped"
	sent_once b srnic1
	expect_count b srnic1 icrc_errors -eq 0
	expect_count b srnic1 malformed -eq 0
}
sound

gb=$(gid_of b srnic1)
gr=$(gid_of_rxe)
for tool in ib_send_bw ib_write_bw ib_read_bw ib_atomic_bw ib_send_lat; do
	say "$tool, both ways"
	pair in b $tool -d srnic1 -x "$gb" -F -u 20 -n 100 -- $tool -d rxe0 -x "$gr" -F -u 20 -n 100 10.77.0.2
	pair $tool -d rxe0 -x "$gr" -F -u 20 -n 100 -- in b $tool -d srnic1 -x "$gb" -F -u 20 -n 100 10.77.0.1
done
sound

for tool in ibv_rc_pingpong ibv_uc_pingpong ibv_ud_pingpong ibv_srq_pingpong; do
	size=$([ $tool = ibv_ud_pingpong ] && echo 1000 || echo 4096)
	say "$tool"
	pair in b $tool -d srnic1 -g "$gb" -n 200 -s "$size" -- $tool -d rxe0 -g "$gr" -n 200 -s "$size" 10.77.0.2
done
say "nothing was lost on its way to rxe, nor from there"
sound
testbed down
