#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: if a queue marks packets instead of dropping them, RC is ECN-capable by rule, CNPs or (sealed) echoes slow the sender, and no packet is lost
# timeout: 300
# cites: issue 21.3, IBA A17.9, RFC 3168
# easy: counts alone
. "$(dirname "$0")/../lib.sh"

# netem marks ECN-capable packets and drops the others: TCP and ARP, which are retransmitted
queue="netem loss 10% ecn limit 100000"

# up RULE [OPTION...]: set up the test bed; RULE is 1 or none
up()
{
	local rule=$1
	shift
	testbed up "$@"
	on a srnic limit set srnic0 ecn "$rule"
	on b srnic limit set srnic1 ecn "$rule"
	record
}

# wired: finish the capture. Plain queues first, so that the end marker cannot be dropped.
wired()
{
	on a tc qdisc replace dev va root pfifo
	on b tc qdisc replace dev vb root pfifo
	recorded
}

# seen FILTER: count the captured RoCE packets that match
seen()
{
	tcpdump -nr /run/test/wire.pcap "udp dst port 4791 and ($1)" 2>/dev/null | wc -l
}

say "by rule, in the clear"
up 1 --qdisc "$queue"
tool ib_write_bw -s 65536 -n 50
expect_count b srnic1 rcvd_ecn_marked -gt 0
expect_count b srnic1 sent_cnps -gt 0
expect_count a srnic0 rcvd_cnps -gt 0
expect_count a srnic0 ecn_slowed -gt 0
expect_count a srnic0 ignored_cnps -eq 0
slowed=$(count_of a srnic0 ecn_slowed)
tool ib_read_bw -s 65536 -n 50
expect_count a srnic0 rcvd_ecn_marked -gt 0
expect_count a srnic0 sent_cnps -gt 0
expect_count a srnic0 ecn_slowed -gt "$slowed"
tool ib_send_bw -s 65536 -n 50
nothing_lost
wired
[ "$(seen 'ip[1] & 3 = 0')" -eq 0 ] || fail "packets of RC are not ECN-capable"
[ "$(seen 'ip[1] & 3 = 3')" -gt 0 ] || fail "no packet was marked"
[ "$(seen 'udp[8] = 0x81')" -gt 0 ] || fail "there was no CNP"
testbed down

say "by rule, but of UC and UD"
up 1
tool ib_write_bw -c UC -s 65536 -n 20
tool ib_send_bw -c UD -r 600 -s 1024 -n 100
wired
[ "$(seen udp)" -gt 0 ] || fail "there was nothing on the wire"
[ "$(seen 'ip[1] & 3 != 0')" -eq 0 ] || fail "UC or UD is ECN-capable"
testbed down

say "without a rule"
up none --qdisc "$queue"
tool ib_write_bw -s 65536 -n 50
neither rcvd_ecn_marked sent_cnps rcvd_cnps ecn_slowed
expect_count a srnic0 retransmits -gt 0
wired
[ "$(seen 'ip[1] & 3 != 0')" -eq 0 ] || fail "a packet was ECN-capable"
testbed down

for policy in ${SRNIC_POLICIES:-require:aead:aes-gcm-128}; do
	say "by rule, $policy"
	up 1 --qdisc "$queue" --policy "$policy"
	tool ib_write_bw -s 65536 -n 50
	expect_count b srnic1 rcvd_ecn_marked -gt 0
	expect_count a srnic0 rcvd_ecn_echoes -gt 0
	expect_count a srnic0 ecn_slowed -gt 0
	slowed=$(count_of a srnic0 ecn_slowed)
	tool ib_read_bw -s 65536 -n 50
	expect_count a srnic0 rcvd_ecn_marked -gt 0
	expect_count a srnic0 ecn_slowed -gt "$slowed"
	nothing_lost
	neither sent_cnps rcvd_cnps sth_auth_failed
	wired
	[ "$(seen 'udp[8] = 0x81')" -eq 0 ] || fail "there was a CNP"
	testbed down
done
