#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: connections may derive sub-keys for each packet: all suites that can do so work, with either kind of peer, are shown, and use less memory; others are rejected
# easy: yes
# timeout: 300
# cites: P7, issue 4.2
. "$(dirname "$0")/../lib.sh"

count=400
! on_debug_kernel || count=60
all=send,send_inline,send_imm,send_inv,write,write_imm,read,cmp_swap,fetch_add,atomic_write

# uneven: rules as sealed_each expects them, with 'uncached' at both ends, at a alone and at
# b alone, in turn
uneven()
{
	local rule i=0 where
	for rule in /run/test/rule.*; do
		where=("-e /" "-e /sys/class/net/va" "-e /sys/class/net/vb")
		cat >"$rule.uneven" <<-END
			[ ${where[i++ % 3]} ] && uncached=uncached
			$(cat "$rule") \$uncached
		END
		mv "$rule.uneven" "$rule"
	done
}

testbed up
(umask 077 && on a srnic key gen k --file /run/test/k.key)
on b srnic key add k --file /run/test/k.key

say "who can"
on a srnic -j suite list >/run/test/suites
mapfile -t seals < <(python3 - <<-'END'
	import json
	for suite in json.load(open("/run/test/suites")):
	    if not suite["suite"].startswith(("aes-gcm", "aes-gmac")):
	        for mode in suite["modes"]:
	            print(f"{suite['suite']}:{mode}")
END
)
say "${#seals[@]} seals"
((${#seals[@]} >= 20)) || fail "too few seals: ${seals[*]}"
sealed_rules
uneven
OWN_RULES=yes sealed_each --ops $all --sizes 0,5,3000 --offsets 1 -m 1024
for name in sth_auth_failed sth_replayed; do
	expect_count a srnic0 $name -eq 0
	expect_count b srnic1 $name -eq 0
done

say "who cannot"
for suite in aes-gcm-128:aead aes-gmac-128:packet; do
	! on a srnic policy replace 10.77.0.2 require ${suite#*:} ${suite%:*} key k uncached 2>/run/test/err ||
		fail "$suite can"
	grep -q "${suite%:*} cannot be uncached" /run/test/err || fail "$(cat /run/test/err)"
done

# memory [uncached]: kernel memory of a sealed QP
memory()
{
	on a srnic policy replace 10.77.0.1 require header aes-cmac-128 key k "$@"
	on a python3 "$repo/tools/bench/qp_memory.py" --device srnic0 --pairs \
		--gid-index "$(gid_of a srnic0)" --gid ::ffff:10.77.0.1 --count $count >/run/test/memory
	python3 -c 'import json; print(json.load(open("/run/test/memory"))["bytes"])'
}

say "memory of a sealed queue pair"
kept=$(memory)
derived=$(memory uncached)
say "cached $kept bytes, uncached $derived"
((derived < kept)) || fail "nothing is saved"
testbed down
