#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: libsrnic works against the kernel: suites, rules, keys, devices, peers, QPs, another namespace, permissions
# easy: yes
# timeout: 200
# cites: libsrnic(7), srnic(7)
. "$(dirname "$0")/../lib.sh"

live=/usr/lib/srnic/srnic-live

testbed up --policy require:aead:aes-gcm-128

say "what the command is made of"
grep -q 'libsrnic\.so\.1 => /' < <(ldd "$(command -v srnic)") || fail "srnic is linked with no libsrnic"

say "suites, a device and its quotas"
on a $live suites
on a $live dev srnic0
on a $live peers srnic0

say "a sealed connection, as both ends see it"
in-b timeout 600 rping -s -a 10.77.0.2 -C 1000000 >/run/test/s.log 2>&1 &
server=$!
settle $server rping
in-a timeout 600 rping -c -a 10.77.0.2 -C 1000000 >/run/test/c.log 2>&1 &
client=$!
on a $live sealed srnic0 10.77.0.2 aead aes-gcm-128 || fail "$(cat /run/test/s.log /run/test/c.log)"
on b $live sealed srnic1 10.77.0.1 aead aes-gcm-128
kill $client $server 2>/dev/null || true
wait $client $server 2>/dev/null || true

say "another namespace, without going there"
$live netns /run/netns/a srnic0
$live netns /run/netns/b srnic1

say "rules and keys, in a namespace that has none yet"
$live rules
$live keys
[ "$(srnic -j policy)$(srnic -j key)" = "[][]" ] || fail "something was left: $(srnic policy; srnic key)"
[ "$(on a srnic -j policy | grep -o '"prefix"' | wc -l)" -eq 2 ] || fail "rules of another namespace went, too"

say "one that is no namespace's administrator"
on a setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all $live unprivileged

say "no driver, but a kernel that loads it"
testbed down
modprobe -qr srnic
$live suites || fail "the driver was not loaded"
