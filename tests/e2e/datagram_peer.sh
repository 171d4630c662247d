#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: sealed datagrams follow the specification, as implemented by a peer in Python: every suite and mode, hosts and groups; wrong ones are dropped
# easy: yes
# timeout: 400
# cites: protocol.md 11, issue 4.1, issue 4.4
. "$(dirname "$0")/../lib.sh"

testbed up
# The peer counts packets, not bursts
on a ethtool -K va gso off tx-udp-segmentation off >/dev/null
(umask 077 && on a srnic key gen k --file /run/test/k.key
	od -An -v -tx1 -N20 /dev/urandom | tr -d ' \n' >/run/test/g.key)
on a srnic key add g --file /run/test/g.key
on a "$repo/tests/programs/datagram_peer.py" --device srnic0 --netns b --dev vb \
	--mac "$(on a cat /sys/class/net/va/address)" \
	--key /run/test/k.key --group-key /run/test/g.key
testbed down
