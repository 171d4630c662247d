#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: the library's examples seal their connections, grant one block of a region, and store keys and values, without privileges
# easy: yes
# timeout: 200
# cites: P7, P8, P9, P10, P13, protocol.md 12
. "$(dirname "$0")/../lib.sh"

# Use the build folder: only the sources of the examples are installed
examples=$repo/build/userspace-provider/libsrnic/examples
key=/run/test/key
(umask 022; head -c 32 /dev/urandom >$key; head -c 32 /dev/urandom >$key.other)
nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all)

# expect PATTERN FILE
expect()
{
	grep -q -- "$1" "$2" || fail "no '$1' in: $(cat "$2")"
}

testbed up

say "secure_ping, in each mode, by nobody in particular"
for seal in header:aes-cmac-128 packet:hmac-sha256 aead:chacha20-poly1305; do
	ping=("${nobody[@]}" "$examples/secure_ping" -k "$key" -m "${seal%:*}" -s "${seal#*:}")
	pair in b "${ping[@]}" -- in a "${ping[@]}" -n 50 -b 3000 10.77.0.2
	expect "50 messages of 3000 bytes, ${seal%:*} by ${seal#*:}" "$OUT"
done
expect_count b srnic1 sth_opened -gt 100

say "which a peer without the key does not get through"
timeout 600 in-b "$examples/secure_ping" -k $key >/run/test/server.log 2>&1 &
server=$!
settle $server "$examples/secure_ping" -k
! on a timeout 600 "$examples/secure_ping" -k $key.other -n 1 10.77.0.2 >/run/test/client.log 2>&1 ||
	fail "it does: $(cat /run/test/client.log)"
! wait $server || fail "and the server is content: $(cat /run/test/server.log)"
expect "has the peer the same key: transport retry counter exceeded" /run/test/client.log
expect "the peer is gone" /run/test/server.log

say "delegated_reader"
pair in b "${nobody[@]}" "$examples/delegated_reader" -k $key -- \
	in a "${nobody[@]}" "$examples/delegated_reader" -k $key -b 7 10.77.0.2
expect "^read: this is block 7$" "$OUT"
expect "^the block before: no answer$" "$OUT"
expect "^granted: block 7, to read$" "$OUT_SERVER"
expect_count b srnic1 sth_proof_failed -gt 0

say "kv_store, with two clients"
timeout 600 in-b "$examples/kv_store" -k $key -c 2 >/run/test/server.log 2>&1 &
server=$!
settle $server "$examples/kv_store" -k
timeout 600 in-b "$examples/kv_store" -k $key -n 100 10.77.0.2 >/run/test/second.log 2>&1 &
second=$!
on a timeout 600 "$examples/kv_store" -k $key -n 200 10.77.0.2 >/run/test/client.log 2>&1 ||
	fail "the first: $(cat /run/test/client.log /run/test/server.log)"
wait $second || fail "the second: $(cat /run/test/second.log /run/test/server.log)"
wait $server || fail "the server: $(cat /run/test/server.log)"
cat /run/test/client.log
expect "^200 gets in" /run/test/client.log
expect "^100 gets in" /run/test/second.log

say "what they say when it is not as it should be"
for example in secure_ping delegated_reader kv_store; do
	expect "^usage: $example -k FILE" <("$examples/$example" --help)
	! "$examples/$example" >/run/test/said 2>&1 || fail "$example needs no key"
	expect "a key is needed" /run/test/said
	! "$examples/$example" -k /dev/null >/run/test/said 2>&1 || fail "$example takes an empty key"
	expect "a key has 16 bytes at least" /run/test/said
	! on a "$examples/$example" -k $key -p 1 10.77.0.9 >/run/test/said 2>&1 || fail "$example goes nowhere"
	[ "$(wc -l </run/test/said)" -eq 1 ] || fail "$example: $(cat /run/test/said)"
done
testbed down
