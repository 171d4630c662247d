#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: ib0 leaves checksums and large sends to the device: checksums are right, and wrong ones are noticed
# easy: yes
# timeout: 240
# cites: issue 24.3
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../ib.sh"

testbed up
ib_up a
ib_up b
bytes=500003
# TCP makes smaller sends where a round trip takes longer, or where acknowledgments come one by
# one, as on a busy machine: here all of the bytes fit in its first window
for end in a b; do
	on $end sysctl -qw net.ipv4.tcp_min_tso_segs=16 "net.ipv4.tcp_rmem=4096 4194304 8388608"
done
on a ip route add 10.78.0.2 dev ib0 initcwnd 500

# feature END NAME: state of a feature of ib0, "on" or "off"
feature()
{
	on "$1" ethtool -k ib0 | awk -v name="$2:" '$1 == name { print $2 }'
}

expect_feature()
{
	[ "$(feature "$1" "$2")" = "$3" ] || fail "$1: $2 is $(feature "$1" "$2"), not $3"
}

# snmp END NAME: a counter of the namespace
snmp()
{
	on "$1" nstat -asz "$2" | awk -v name="$2" '$1 == name { print $2 }'
}

# netdev_count END NAME: a counter of ib0
netdev_count()
{
	on "$1" cat "/sys/class/net/ib0/statistics/$2"
}

# dissect OPTION...: let tshark read the capture, and check checksums
dissect()
{
	tshark -n -r /run/test/ib0.pcap -o ip.check_checksum:TRUE -o tcp.check_checksum:TRUE \
		-o udp.check_checksum:TRUE "$@" 2>/run/test/tshark.log
}

# dissected: list each packet of the capture, once for all questions: tshark starts slowly. The
# status of a checksum is 0: bad, 1: good, or 2: not verified.
dissected()
{
	local fields=(ip.src ip.len ipv6.src ipv6.plen ip.checksum.status tcp.checksum.status
		udp.checksum.status)
	dissect -T fields "${fields[@]/#/-e}" >/run/test/packets || fail "$(cat /run/test/tshark.log)"
}

# captured CONDITION: number of the packets in the capture that match
captured()
{
	awk -F '\t' '
		{ src = $1; len = $2; src6 = $3; plen6 = $4; ip = $5; tcp = $6; udp = $7 }
		'"$1"' { n++ }
		END { print n + 0 }' /run/test/packets
}

# capture_ends: send a datagram to the discard port until tcpdump has written it
capture_ends()
{
	on a bash -c 'echo srnic-test-end >/dev/udp/10.78.0.2/9'
	grep -aq srnic-test-end /run/test/ib0.pcap
}

say "ethtool shows the offloads, and can switch them"
for end in a b; do
	for name in rx-checksumming tx-checksum-ipv4 scatter-gather tx-tcp-segmentation \
		generic-receive-offload; do
		expect_feature $end $name on
	done
done

say "datagrams on the wire have right checksums, whoever computed them"
on b ethtool -K ib0 gro off
# A short snapshot length: a buffer of this size then holds all that the test sends
ip netns exec b tcpdump -i ib0 -Q in -s 2100 -Z root -B 32768 --immediate-mode -U \
	-w /run/test/ib0.pcap >/run/test/tcpdump.log 2>&1 &
tcpdump=$!
soon grep -q "listening on" /run/test/tcpdump.log || fail "tcpdump: $(cat /run/test/tcpdump.log)"
sends=$(netdev_count a tx_packets)
bursts=$(count_of a iba sent_bursts)
packets=$(count_of a iba sent_pkts)
ib_exchange $bytes 10.78.0.2 fd78::2
on a ping -c 2 -s 20000 -W 60 10.78.0.2
on a ping -c 2 -W 60 fd78::2
soon capture_ends || fail "tcpdump has not written the end"
kill $tcpdump
wait $tcpdump || true
bursts=$(($(count_of a iba sent_bursts) - bursts))
packets=$(($(count_of a iba sent_pkts) - packets))
sends=$(($(netdev_count a tx_packets) - sends))
dissected
full=$(captured 'src == "10.78.0.1" && len > 2000')
full6=$(captured 'src6 == "fd78::1" && plen6 > 1960')
say "$sends sends, $packets datagrams in $bursts bursts: $full full ones of IPv4, $full6 of IPv6"
[ "$full" -gt $((bytes / 2100)) ] || fail "only $full full datagrams"
[ "$full6" -gt $((bytes / 2100)) ] || fail "only $full6 full datagrams of IPv6"
cut=$((packets - sends))
[ $cut -gt 200 ] || fail "there were too few large sends: only $cut datagrams are of one"
# Each large send adds all but one of its datagrams to a burst
[ $(((bursts - sends) * 10)) -lt $cut ] || fail "large sends do not leave as bursts"
[ "$(captured "len > 2044 || plen6 > 2004")" -eq 0 ] || fail "a datagram is too long"
wrong=$(captured 'ip ~ /0/ || tcp ~ /0/ || udp ~ /0/')
[ "$wrong" -eq 0 ] || {
	head -60 < <(dissect -V -c 2000 -Y "ip.checksum.status == 0 or tcp.checksum.status == 0 or
		udp.checksum.status == 0")
	fail "$wrong wrong checksums"
}
# The other full ones are fragments of pings
full=$(captured 'tcp != "" && src == "10.78.0.1" && len > 2000')
[ "$(captured 'ip == 1 && tcp == 1 && len > 2000')" -eq "$full" ] || fail "tshark has not checked all"

say "what arrives as a burst is put together"
on b ethtool -K ib0 gro on
packets=$(netdev_count b rx_packets)
received=$(snmp b IpInReceives)
ib_exchange $bytes 10.78.0.2
packets=$(($(netdev_count b rx_packets) - packets))
received=$(($(snmp b IpInReceives) - received))
say "$packets datagrams, $received packets of IP"
[ $((received * 4)) -lt $((packets * 3)) ] || fail "GRO joins too few"

say "a wrong checksum is noticed"
before=$(snmp b UdpInCsumErrors)
in-b "$repo/tests/programs/wrong_checksum.py" receive &
receiver=$!
# It does not listen by TCP, which `pair` would wait for
has_port() { grep -q ':138B ' < <(on b cat /proc/net/udp); }
soon has_port || fail "there is no receiver"
on a timeout 300 "$repo/tests/programs/wrong_checksum.py" send 10.78.0.1 10.78.0.2 10
wait $receiver || fail "a wrong checksum has passed"
[ $(($(snmp b UdpInCsumErrors) - before)) -eq 10 ] ||
	fail "$(($(snmp b UdpInCsumErrors) - before)) wrong checksums were noticed, not 10"
[ "$(snmp b TcpInCsumErrors)" -eq 0 ] || fail "TCP has seen wrong checksums"
[ "$(snmp a TcpInCsumErrors)" -eq 0 ] || fail "TCP has seen wrong checksums"

say "without the offloads: the sender's, the receiver's, both"
bytes=$((bytes / 5))
on a ethtool -K ib0 tx off tso off
expect_feature a tx-checksum-ipv4 off
expect_feature a tx-tcp-segmentation off
ib_exchange $bytes 10.78.0.2
on b ethtool -K ib0 rx off
expect_feature b rx-checksumming off
ib_exchange $bytes 10.78.0.2
on a ethtool -K ib0 tx on tso on
expect_feature a tx-tcp-segmentation on
ib_exchange $bytes 10.78.0.2
on b ethtool -K ib0 rx on

say "sealed"
ib_keys
ib_rules require aead aes-gcm-128
ib_exchange $bytes 10.78.0.2
[ "$(count_of a iba sth_sealed)" -gt $((bytes / 2100)) ] || fail "it was not sealed"
for end in a b; do
	[ "$(count_of $end ib$end icrc_errors malformed sth_auth_failed bad_wqe)" -eq 0 ] ||
		fail "$(on $end rdma statistic show link ib$end/1)"
done
ib_delete a
ib_delete b
testbed down
