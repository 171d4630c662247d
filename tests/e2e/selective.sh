#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: only a lost packet is sent again, because the packets behind it are kept; a READ asks only for lost responses, also of rxe
# easy: yes
# timeout: 420
# cites: IBA 9.7.5.1.1, protocol.md section 2, issue 21.3
. "$(dirname "$0")/../lib.sh"

n=600
! on_debug_kernel || n=60

# far_fewer END DEVICE KEEPER KEEPERS-DEVICE: fail unless END has sent fewer than half as many
# packets again as KEEPER has kept; a requester that goes back N sends all kept packets again
far_fewer()
{
	local again kept
	again=$(count_of "$1" "$2" retransmits)
	kept=$(count_of "$3" "$4" early_kept)
	say "$kept packets were kept, $again sent again"
	expect_count "$1" "$2" retransmits -gt 0
	test $((2 * again)) -lt "$kept" || fail "$again packets were sent again"
}

policies=("" require:aead:aes-gcm-128)
! on_debug_kernel || policies=(require:packet:aes-cmac-128)
for policy in "${policies[@]}"; do
	for verb in write read; do
		testbed up --netem "delay 2ms loss 1% limit 100000" ${policy:+--policy "$policy"}
		# a long timeout, so that packets are sent again only for losses
		tool ib_${verb}_bw -s 65536 -n $n -u 20
		[ $verb = write ] || far_fewer a srnic0 a srnic0
		[ $verb = read ] || far_fewer a srnic0 b srnic1
		testbed down
	done
done

say "srnic reads what rxe serves"
testbed up --type interop
tc qdisc add dev va root netem delay 4ms loss 1% limit 100000
gb=$(gid_of b srnic1)
pair ib_read_bw -d rxe0 -F -s 65536 -n $n -u 20 -x "$(gid_of_rxe)" -- \
	in b ib_read_bw -d srnic1 -x "$gb" -F -s 65536 -n $n -u 20 10.77.0.1
far_fewer b srnic1 b srnic1
testbed down
