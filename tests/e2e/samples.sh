#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: the sample program revokes access before it reads its buffer, whether its peer helps or goes on writing
# easy: yes
# timeout: 180
# cites: R11
. "$(dirname "$0")/../lib.sh"

# Use the build folder: samples are not installed
sample=$repo/build/tools/revoke-first

# revoke BY REFUSED CLIENT-OPTION...: BY is the end that must have revoked the access;
# REFUSED tells whether later writes must be rejected
revoke()
{
	local by=$1 refused=$2 status=0
	shift 2
	say "a client${*:+, $*}"
	in-b timeout 600 "$sample" >/run/test/server.log 2>&1 &
	local server=$!
	settle $server rping
	on a timeout 600 "$sample" "$@" 10.77.0.2 >/run/test/client.log 2>&1 || status=$?
	wait $server || fail "server: $(cat /run/test/server.log /run/test/client.log)"
	[ $status -eq 0 ] || fail "client: $(cat /run/test/client.log)"
	sed 's/^/  server: /' /run/test/server.log
	sed 's/^/  client: /' /run/test/client.log
	grep -q "^revoked: by $by" /run/test/server.log || fail "not revoked by $by"
	grep -q '^record: "' /run/test/server.log || fail "it has not looked at the record"
	[ "$(grep -n '^revoked' /run/test/server.log | cut -d: -f1)" -lt \
	  "$(grep -n '^record' /run/test/server.log | cut -d: -f1)" ] || fail "it looked first"
	grep -q '^unchanged' /run/test/server.log || fail "it has not compared"
	[ "$(grep -c '^refused: remote access error' /run/test/client.log)" -eq "$refused" ] ||
		fail "writing on was not refused"
}

for policy in "" require:aead:aes-gcm-128; do
	say "${policy:-in the clear}"
	testbed up ${policy:+--policy "$policy"}
	revoke "the peer" 0
	revoke ourselves 0 --plain
	grep -qF 'record: "revoke first, and then look"' /run/test/server.log ||
		fail "something else was read"
	expect_count b srnic1 stag_invalid -eq 0
	revoke "the peer" 1 --hostile
	grep -qF 'record: "revoke first, and then look"' /run/test/server.log ||
		fail "what was written afterwards is there"
	expect_count b srnic1 stag_invalid -eq 1
	revoke ourselves 1 --plain --hostile
	expect_count b srnic1 stag_invalid -eq 2
	testbed down
done
