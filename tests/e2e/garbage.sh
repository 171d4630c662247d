#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: in a flood of bad packets each is counted and dropped at the first check that it fails, without an answer; a stream beside the flood arrives complete
# easy: yes
# timeout: 180
# cites: R25, issue 5.6
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../probes.sh"

count=${SRNIC_FLOOD:-5000}

# connect: start a stream of WRITEs and READs from a to b that verifies every byte. Sets QPN
# to b's QP.
connect()
{
	# shellcheck disable=SC2054 # those commas are the tool's
	local options=(--ops=write,read --sizes "1,4000,70001" --offsets 3 --timeout 20 --until /run/test/done)
	rm -f /run/test/done
	pair in b srnic-verify -d srnic1 "${options[@]}" -- \
		in a srnic-verify -d srnic0 "${options[@]}" 10.77.0.2 &
	stream=$!
	soon beyond 1000 b srnic1 rcvd_pkts || fail "there is no stream"
	QPN=$(on b rdma resource show qp link srnic1 | sed -n 's/.* lqpn \([0-9]*\) .*type RC state RTS.*/\1/p')
}

# quiet: whether the stream is idle
quiet()
{
	local before
	before=$(count_of b srnic1 rcvd_pkts)
	sleep 0.5
	[ "$(count_of b srnic1 rcvd_pkts)" -eq "$before" ]
}

# repeated: number of packets that the stream has retransmitted; on a busy machine it also
# sends probes
repeated()
{
	echo $(($(count_of a srnic0 retransmits) + $(count_of a srnic0 probes)))
}

# flood KIND COUNTER: send a flood and check that COUNTER counts every packet of it, and
# besides them at most the stream's retransmissions
flood()
{
	local before again grown
	# A packet that the stream repeats between these two lines must not be unexplained
	again=$(repeated)
	before=$(count_of b srnic1 "$2")
	on a srnic-garbage "$1" va "$(on b cat /sys/class/net/vb/address)" 10.77.0.1 10.77.0.2 "$QPN" "$count"
	grown=$(($(count_of b srnic1 "$2") - before))
	again=$(($(repeated) - again))
	((grown >= count && grown <= count + again)) ||
		fail "$1: $2 has grown by $grown, not $count, and $again were sent again"
}

# costs KIND COUNTER STEPS: check that each packet takes exactly the first STEPS of $steps. Only
# packets that take all of them may be answered, within limits.
costs()
{
	local kind=$1 steps_due=$3 step due sent unanswered answers i=0
	sent=$(count_of b srnic1 sent_pkts)
	unanswered=$(count_of b srnic1 duplicate_unanswered)
	[ ! -e $tracing/kprobe_events ] || probe "${steps[@]}"
	flood "$kind" "$2"
	sent=$(($(count_of b srnic1 sent_pkts) - sent))
	answers=$(($(count_of b srnic1 duplicate_unanswered) - unanswered + sent))
	[ $answers -eq $((steps_due < ${#steps[@]} ? 0 : count)) ] ||
		fail "$kind: $answers answers, given or not"
	for step in "${steps[@]}"; do
		[ -e $tracing/events/srnic_test ] || break
		echo "$kind: $step $(taken "$step") times"
		due=$((i++ < steps_due ? count : 0))
		# Answers are packets, too, and take these steps on arrival
		[ "$step" = srnic_responder_rx ] || due=$((due + sent))
		[ "$(taken "$step")" -eq $due ] || fail "$kind: $step should have been taken $due times"
	done
	[ ! -e $tracing/events/srnic_test ] || no_probes
}

# floods KIND:COUNTER:STEPS...: send each flood beside a connection that is stopped, to
# count its steps, and then beside a running one; $steps are the expensive ones, in order
floods()
{
	local what
	connect
	pkill -STOP -x srnic-verify
	soon quiet || fail "the stream goes on without its processes"
	for what; do
		IFS=: read -ra what <<<"$what"
		costs "${what[@]}"
	done
	pkill -CONT -x srnic-verify
	for what in "$@"; do
		say "$what, beside the stream"
		IFS=: read -ra what <<<"$what"
		beside=$(count_of b srnic1 rcvd_pkts)
		flood "${what[@]:0:2}"
		soon beyond $((beside + count + 100)) b srnic1 rcvd_pkts || fail "the stream has ended"
	done
	touch /run/test/done
	wait $stream || fail "the stream did not survive"
	expect_count a srnic0 retry_exceeded_err -eq 0
}

say "in the clear"
testbed up
steps=(srnic_rx_icrc_ok srnic_responder_rx)
floods malformed:malformed:0 qp:no_qp:0 icrc:icrc_errors:1 old:duplicate_request:2
testbed down

say "sealed"
testbed up --policy require:packet:aes-cmac-128
steps=(srnic_rx_icrc_ok srnic_open_seal srnic_responder_rx)
floods icrc:icrc_errors:1 seal:sth_auth_failed:2
testbed down
