#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: completion events may be delayed until there are several completions or a period ends; none is lost, clear and sealed
# easy: yes
# timeout: 60
# cites: issue 26, ibv_modify_cq(3)
. "$(dirname "$0")/../lib.sh"

for policy in '' require:aead:aes-gcm-128; do
	say "${policy:-in the clear}"
	testbed up --flat ${policy:+--policy "$policy"}
	srnic-moderation srnic0
	# for kernel consumers
	rdma dev set srnic0 adaptive-moderation on
	grep -q 'adaptive-moderation on' < <(rdma -d dev show srnic0) || fail "it does not adapt"
	[ -z "$policy" ] || [ "$(counter srnic0 sth_opened)" -gt 100 ] || fail "it was not sealed"
	testbed down
done
