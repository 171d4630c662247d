#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: debug only
# what: when any one allocation of a verb or of a new link fails, it returns ENOMEM, loses nothing and leaks nothing
# timeout: 240
# cites: issue 2.2, issue 5 (fault injection)
. "$(dirname "$0")/../lib.sh"

# Fail allocations that may sleep, too, without a log entry for each
for cause in failslab fail_page_alloc; do
	echo N >/sys/kernel/debug/$cause/ignore-gfp-wait
	echo 0 >/sys/kernel/debug/$cause/verbose
done
echo N >/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem
echo 0 >/sys/kernel/debug/fail_page_alloc/min-order

# objects: print the number of objects of each kind
objects()
{
	on a rdma resource show srnic0
}

# Sealed, so that derivation of keys and allocation of ciphers are covered as well
testbed up --policy require:aead:aes-gcm-128
before=$(objects)
on a srnic-failnth srnic0 | tee /run/test/out
grep -qE '^[1-9][0-9]{2,} allocations failed' /run/test/out ||
	fail "hardly an allocation failed: is fault injection at work?"
after=$(objects)
[ "$before" = "$after" ] || fail "left behind: $after; before: $before"
pair in b rping -s -a 10.77.0.2 -C 2 -- in a rping -c -a 10.77.0.2 -C 2

say "links that lack memory"
ip -n a link add spare type dummy
ip -n a link set spare up
for type in srnic srnic_ib; do
	on a "$repo/tests/programs/no_memory_link.py" $type spare
done
ip -n a link del spare
testbed down
