#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: librdma_pipeline on srnic and on rxe: 256 connections at once, with HMAC 1 and 2; each that fails has a reason; requests without the key are refused and logged
# easy: yes
# timeout: 300
# cites: issue 25, SECM S1 to S14
. "$(dirname "$0")/../lib.sh"

live=/usr/lib/srnic/pipeline-live
key=5:sha256:a-secret-of-thirty-two-bytes-....
port=7471
copies=${SRNIC_FORGED:-20}	# of each of 9 kinds of forged requests
every=${SRNIC_EVERY-}		# the long form: 256 connections with each hash, on each device
log=/run/test/illegal.log
mkdir -p /run/test

# serve OPTION...: start a server in b
serve()
{
	rm -f $log /run/test/server.stop
	mkfifo /run/test/server.stop
	in-b $live serve $port --log $log --timeout 120000 "$@" </run/test/server.stop >/run/test/server.json \
		2>/run/test/server.log &
	server=$!
	exec 9>/run/test/server.stop
	soon listens_by_cm $server || fail "the server: $(cat /run/test/server.log)"
}

# served: stop the server, and print its counters
served()
{
	exec 9>&-
	wait $server || fail "the server ended with $?: $(cat /run/test/server.log)"
	cat /run/test/server.json
}

# value NAME: a counter that the server has printed
value()
{
	grep -o "\"$1\":[0-9]*" /run/test/server.json | cut -d: -f2
}

# clients COUNT OPTION...: connections from a, which must end as the options say
clients()
{
	local count=$1
	shift
	timeout 600 in-a $live connect 10.77.0.2 $port "$count" --timeout 120000 "$@" \
		2>/run/test/clients.log || fail "clients: $(tail -n 20 /run/test/clients.log)"
}

# logged REASON: whether the log has a line with that reason
logged()
{
	grep -q "\"reason\":\"$1\"" $log
}

# all_up COUNT OPTION...: so many connections, twice, beside 64 to a port without a listener
all_up()
{
	local count=$1
	shift
	say "$count connections: $*"
	serve "$@"
	clients "$count" --rounds 2 --nobody 10.77.0.2:7999:64 "$@"
	[ "$(grep -c 'nobody: no listener' /run/test/clients.log)" -eq 128 ] ||
		fail "the wrong reasons: $(cat /run/test/clients.log)"
	served
	[ "$(value accepted)" -eq $((2 * count)) ] || fail "the server has not accepted all"
}

# nobody_at_all: to an address that no host has
nobody_at_all()
{
	say "64 connections to no host"
	serve
	clients 64 --nobody 10.77.0.99:$port:64
	[ "$(grep -c 'nobody: .*\(no address\|no route\|unreachable\)' /run/test/clients.log)" -eq 64 ] ||
		fail "the wrong reasons: $(cat /run/test/clients.log)"
	served
}

# refused LABEL REASON OPTION...: 16 connections that must be refused
refused()
{
	local label=$1 reason=$2
	shift 2
	say "refused: $label"
	serve --key $key
	clients 16 --refused "$@"
	served
	[ "$(value refused) $(value accepted)" = "16 0" ] || fail "$label: not all were refused"
	logged "$reason" || fail "$label: the log has no $reason: $(cat $log)"
}

# forged AT SEEN: requests that an attacker on the wire makes from one that it has seen
forged()
{
	local attacker
	say "forged requests"
	serve --key $key
	"$repo/tests/programs/forged_requests.py" --at "$1" --seen "$2" --port $port --count "$copies" \
		>/run/test/attack.json 2>/run/test/attack.log &
	attacker=$!
	soon grep -q listening /run/test/attack.log || fail "$(cat /run/test/attack.log)"
	clients 1 --key $key
	wait $attacker || fail "the attacker: $(cat /run/test/attack.log)"
	cat /run/test/attack.json
	served
	grep -q '"sent": '$((9 * copies))', .*"rejected": '$((9 * copies))', "accepted": 0,' /run/test/attack.json ||
		fail "not all forged requests were rejected"
	[ "$(value refused) $(value accepted)" = "$((9 * copies)) 1" ] || fail "the server has not refused them"
	for reason in replay mac missing malformed key; do
		logged $reason || fail "the log has no $reason: $(cat $log)"
	done
}

# everything FEWER AT SEEN: on the test bed that is up. The library's hashes do not depend on the
# device, nor on how many connections there are.
everything()
{
	local fewer=${every:+256}
	fewer=${fewer:-$1}
	shift
	all_up 256
	for hash in md5:a-secret-of-16-b sha1:a-secret-of-16-b "${key#*:}"; do
		((fewer == 0)) || all_up "$fewer" --key 5:"$hash" --version 1
	done
	all_up 256 --key $key
	nobody_at_all
	refused "no authentication" missing
	refused "another key" mac --key 5:sha256:another-secret-of-thirty-two....
	refused "an unknown key" key --key 6:sha256:a-secret-of-thirty-two-bytes-....
	refused "version 1" version --key $key --version 1
	say "a backlog of 4"
	serve --backlog 4
	clients 256
	served
	forged "$@"
}

testbed up
everything 64 a:va b:vb
testbed down
say "on rxe"
testbed up --type rxe --flat
everything 0 v0 v1
testbed down
