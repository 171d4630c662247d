#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: srnic mtu gives an InfiniBand port, its groups and the running ib0 another MTU, with which datagrams of 4092 bytes pass, in the clear and sealed, and refuses what the netdev does not carry
# easy: yes
# timeout: 200
# cites: rfc4391.md I13, I14
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../ib.sh"

# refused WORDS COMMAND...: check that srnic refuses the command at end a, and says these words
refused()
{
	local said=$1
	shift
	! on a "$@" 2>/run/test/why || fail "not refused: $*"
	grep -q "$said" /run/test/why || fail "$*: $(cat /run/test/why)"
}

# ib0_has MTU: whether both ib0s have it
ib0_has()
{
	local end
	for end in a b; do
		[ "$(on $end cat /sys/class/net/ib0/mtu)" = "$1" ] || return 1
	done
}

# give MTU: give both ports that MTU, and wait until both ib0s follow
give()
{
	local end
	for end in a b; do
		on $end srnic mtu set ib$end "$1"
	done
	soon ib0_has $(($1 - 4)) || fail "MTU $1: $(on a ip link show ib0; on b ip link show ib0)"
	for end in a b; do
		soon ib_has_carrier $end || fail "$end: no carrier"
	done
}

# packets_of LENGTH: check that IP packets of that length pass whole, and longer ones not; IPv6
# needs links with 1280 bytes (RFC 8200, 5)
packets_of()
{
	soon on a ping -c 1 -W 10 -s $(($1 - 28)) -M "do" 10.78.0.2
	! on a ping -c 1 -W 10 -s $(($1 - 27)) -M "do" 10.78.0.2 || fail "$(($1 + 1)) bytes have passed"
	on b ping -c 1 -W 60 -s $(($1 - 28)) -M "do" 10.78.0.1
	[ "$1" -lt 1280 ] || on a ping -c 1 -W 60 -s $(($1 - 48)) -M "do" fd78::2
}

# fragmented END: number of packets that the end's netdev has sent in fragments of IPv6
fragmented()
{
	on "$1" sed -n 's/^Ip6FragCreates[[:space:]]*//p' /proc/net/snmp6
}

bytes=2M
! on_debug_kernel || bytes=200K

testbed up
ib_up a
ib_up b
ib0_has 2044

say "the port's MTU, as srnic, ibverbs and the SA show it"
[ "$(on a srnic mtu | xargs)" = "DEVICE IB-MTU iba 2048" ] || fail "$(on a srnic mtu)"
[ "$(on a srnic -j mtu show iba)" = '[{"device":"iba","ib_mtu":2048}]' ]
on a "$repo/tests/programs/ipoib_longest.py" iba "$(cat /sys/class/infiniband/ibb/ports/1/gids/0)" 2048

say "4096: ib0 follows without a restart, and packets of 4092 bytes pass, in one piece"
before=$(fragmented a)
give 4096
packets_of 4092
[ "$(on a srnic -j show | python3 -c '
import json, sys
print(*(d.get("ib_mtu") for d in json.load(sys.stdin)))')" = "None 4096" ] || fail "$(on a srnic show)"
on a "$repo/tests/programs/ipoib_longest.py" iba "$(cat /sys/class/infiniband/ibb/ports/1/gids/0)" 4096
ib_groups
pair in b iperf3 -s -1 -- in a iperf3 -c 10.78.0.2 -n $bytes
pair in b iperf3 -s -1 -- in a iperf3 -c fd78::2 -n $bytes -R
pair in b rping -s -a 10.78.0.2 -C 3 -- in a rping -c -a 10.78.0.2 -C 3
[ "$(fragmented a)" = "$before" ] || fail "packets were sent in fragments"

say "what is refused, and why"
refused "RoCE device" srnic mtu set srnic0 4096
for mtu in 0 128 3000 8192; do
	refused "$mtu is not an MTU: choose" srnic mtu set iba $mtu
done
refused "not permitted" setpriv --reuid 65534 --clear-groups srnic mtu set iba 2048
[ "$(on a srnic -j mtu show iba)" = '[{"device":"iba","ib_mtu":4096}]' ]

say "sealed"
ib_keys
ib_rules require aead aes-gcm-128
soon on a ping -c 1 -W 2 10.78.0.2
packets_of 4092
ib_exchange 100000 10.78.0.2
ib_groups
for end in a b; do
	[ "$(count_of $end ib$end sth_sealed)" -gt 10 ] || fail "$end has sealed nothing"
	on $end srnic policy del fe80::/64
	on $end srnic policy del ff12::/16
done

say "when the netdev's MTU shrinks, the port keeps its own, and IPv6 fragments"
for end in a b; do
	on $end ip link set v$end mtu 1500
done
ib0_has 4092
packets_of 4092
[ "$(fragmented a)" -gt "$before" ] || fail "no packet was sent in fragments"

say "back to 2048, and to less; 4096 needs a larger netdev MTU then"
give 2048
packets_of 2044
give 1024
packets_of 1020
refused "MTU is 1500, and 4096 needs 4200: raise it" srnic mtu set iba 4096

say "nor is 4096 possible if the netdev had no room for it when the link was added"
ib_delete a
ib_add a
on a ip link set va mtu 4352
refused "delete the link and add it again" srnic mtu set iba 4096
ib_delete a
ib_add a
on a srnic mtu set iba 4096
ib_delete a
ib_delete b
testbed down
