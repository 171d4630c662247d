#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: 'rdma statistic qp' counts queue pairs apart, by hand and by type, clear and sealed; the sums of the device stay whole
# easy: yes
# timeout: 120
# cites: issue 26.2, R28
. "$(dirname "$0")/../lib.sh"

options=("--ops=write,read,send" --sizes "64,5000" --offsets 1 --timeout 20)

# stream: both ends exchange messages until it is told to end; sets $stream
stream()
{
	rm -f /run/test/done
	pair in b srnic-verify -d srnic1 "${options[@]}" --until /run/test/done -- \
		in a srnic-verify -d srnic0 "${options[@]}" --until /run/test/done 10.77.0.2 &
	stream=$!
	soon is_running || fail "there is no stream"
}

end_stream()
{
	touch /run/test/done
	wait $stream || fail "the stream has failed"
}

# qpn_of WHERE DEV: number of the stream's QP
qpn_of() { on "$1" rdma resource show qp link "$2" | sed -n 's/.* lqpn \([0-9]*\) .*type RC state RTS.*/\1/p'; }

is_running() { [ -n "$(qpn_of a srnic0)" ] && [ -n "$(qpn_of b srnic1)" ]; }

# apart WHERE DEV COUNTER: the sum over the device's counters of QPs, 0 if there is none
apart()
{
	on "$1" rdma statistic qp show link "$2/1" |
		sed -n "s/.*[^a-z_]$3 \([0-9]*\).*/\1/p" | awk '{ sum += $1 } END { print sum + 0 }'
}

counts() { [ "$(apart a srnic0 "$1")" -gt "$2" ]; }

# whole: check that all that a has sent has come to b, and the reverse, as the devices' sums say
whole()
{
	local name
	for name in pkts bytes; do
		[ "$(count_of a srnic0 sent_$name)" -eq "$(count_of b srnic1 rcvd_$name)" ] ||
			fail "a has sent $(count_of a srnic0 sent_$name) $name, b has received $(count_of b srnic1 rcvd_$name)"
		[ "$(count_of b srnic1 sent_$name)" -eq "$(count_of a srnic0 rcvd_$name)" ] ||
			fail "b has sent $(count_of b srnic1 sent_$name) $name, a has received $(count_of a srnic0 rcvd_$name)"
	done
}

for policy in '' require:aead:aes-gcm-128; do
	say "${policy:-in the clear}: one queue pair, by hand"
	testbed up ${policy:+--policy "$policy"}
	stream
	qpn=$(qpn_of a srnic0)
	on a rdma statistic qp bind link srnic0/1 lqpn "$qpn"
	cntn=$(on a rdma statistic qp show link srnic0/1 | sed -n 's/.* cntn \([0-9]*\) .*/\1/p')
	[ -n "$cntn" ] || fail "there is no counter: $(on a rdma statistic qp show link srnic0/1)"
	soon counts sent_pkts 20 || fail "the queue pair's packets are not counted: $(on a rdma statistic qp show link srnic0/1)"
	soon counts rcvd_bytes 20000 || fail "what it receives is not counted"
	if [ -n "$policy" ]; then
		counts sth_sealed 10 || fail "its seals are not counted"
	fi
	on a rdma statistic qp unbind link srnic0/1 cntn "$cntn" lqpn "$qpn"
	[ "$(apart a srnic0 sent_pkts)" -eq 0 ] || fail "a counter without a queue pair is left"
	end_stream
	whole

	say "${policy:-in the clear}: all queue pairs, by type"
	on a rdma statistic qp set link srnic0/1 auto type on
	on b rdma statistic qp set link srnic1/1 auto type on
	stream
	soon counts sent_pkts 20 || fail "they are not counted: $(on a rdma statistic qp show)"
	end_stream
	[ "$(apart a srnic0 sent_pkts)" -eq 0 ] || fail "a counter outlived its queue pairs"
	whole
	[ -n "$policy" ] || testbed down
done

say "only for the administrator"
! on a setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps -all --bounding-set -all \
	rdma statistic qp set link srnic0/1 auto off 2>/run/test/err || fail "a user may bind queue pairs"
grep -q "not permitted" /run/test/err || fail "$(cat /run/test/err)"

say "the device goes while its queue pairs are counted"
stream >/run/test/log 2>&1
on a rdma link delete srnic0
touch /run/test/done
wait $stream || true
testbed down
