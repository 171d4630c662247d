#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: rping works between two namespaces with data checks: IPv4, IPv6, clear and sealed
# core: rping, clear and sealed
# easy: yes
# timeout: 240
# cites: P1, P5, issue 2
. "$(dirname "$0")/../lib.sh"

ping_ipv4()
{
	pair in b rping -s -a 10.77.0.2 -C 30 -S 65000 -V -- \
		in a rping -c -a 10.77.0.2 -C 30 -S 65000 -V
}

ping_ipv6()
{
	pair in b rping -s -a fd77::2 -C 20 -S 3000 -v -V -- \
		in a rping -c -a fd77::2 -C 20 -S 3000 -v -V
}

say "in the clear"
testbed up --ipv6
ping_ipv4
ping_ipv6
expect_count a srnic0 sth_sealed -eq 0
sent_once a srnic0
sent_once b srnic1
testbed down

# verify.sh covers every mode
for policy in require:packet:aes-cmac-128 require:aead:aes-gcm-128; do
	say "$policy"
	testbed up --ipv6 --policy "$policy"
	ping_ipv4
	ping_ipv6
	expect_count a srnic0 sth_sealed -gt 100
	expect_count b srnic1 sth_opened -gt 100
	expect_count b srnic1 sth_auth_failed -eq 0
	sent_once a srnic0
	testbed down
done
