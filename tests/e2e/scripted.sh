#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: srnic follows the IBA against a scripted peer: new and retransmitted READs, too many of them, losses, exhausted retries, limits for duplicates, packets of a stranger
# easy: yes
# timeout: 240
# cites: R16, R23, R24, R25, IBA 9.6.1.5.1, IBA 9.7.5.1.3, IBA 9.7.6.1.3, IBA 9.7.5.2.8
. "$(dirname "$0")/../lib.sh"

testbed up
# The script counts packets, not bursts
sysctl -qw net.core.netdev_max_backlog=100000
on a ethtool -K va tx-udp-segmentation off >/dev/null
# Delay responses, so that the script can send the next request before the first is answered
on b tc qdisc add dev vb root netem delay 20ms
on a python3 "$repo/tests/programs/scripted.py" --device srnic0 \
	--gid-index "$(gid_of a srnic0)" --netns b --dev vb --mac "$(on a cat /sys/class/net/va/address)" \
	--from 10.77.0.2 --to 10.77.0.1
expect_count a srnic0 rrq_exceeded -eq 2
expect_count a srnic0 retry_exceeded_err -eq 1
expect_count a srnic0 retry_rnr_exceeded_err -eq 1
testbed down
