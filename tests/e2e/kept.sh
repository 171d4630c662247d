#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: cached packet memory is released when sending stops; 64 KiB a processor remain
# easy: yes
# timeout: 200
# cites: issue 21 (memory)
. "$(dirname "$0")/../lib.sh"

kept() { count_of a srnic0 chunk_bytes; }

idle=$((65536 * $(getconf _NPROCESSORS_CONF)))
testbed up
pair in b ib_write_bw -d srnic1 -x "$(gid_of b srnic1)" -s 65536 -n 2000 -t 64 -F -- \
	in a ib_write_bw -d srnic0 -x "$(gid_of a srnic0)" -s 65536 -n 2000 -t 64 -F 10.77.0.2
most=$(kept)
say "$most bytes after 125 MiB"
[ "$most" -gt 0 ] || fail "nothing is kept"
until [ "$(kept)" -le $idle ]; do
	((SECONDS < 180)) || fail "$(kept) bytes are kept still"
	sleep 5
done
say "$(kept) bytes now"
testbed down
