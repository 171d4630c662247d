#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: debug
# what: the kernel survives valid and invalid commands, rings, packets and netlink messages, and leaks no object
# timeout: 660
# cites: R1, R28, issue 5 (fuzzing of ioctls and rings)
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../ib.sh"

seconds=${SRNIC_SECONDS:-10}

# as_user END COMMAND...: run as a user without privileges and with limited memory
as_user()
{
	local end=$1
	shift
	(
		ulimit -l 65536
		exec in-"$end" setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
	)
}

# objects: print the number of objects of each kind
objects()
{
	on a rdma resource show srnic0
	on b rdma resource show srnic1
}

testbed up
ib_add b
# The user makes a dma-buf
chmod a+rw /dev/udmabuf
before=$(objects)
say "commands of a user"
as_user a srnic-ioctls srnic0 "$seconds" >/run/test/ioctls.log 2>&1 &
ioctls=$!
# Keep this shell ahead of the processes that make calls without end
renice -n -10 $$ >/dev/null
say "messages of root, elsewhere"
on b "$repo/tools/redteam/messages.py" srnic1 ibb $((200 + 4 * seconds))
say "messages of a user"
as_user b "$repo/tools/redteam/messages.py" srnic1 ibb $((60 + seconds / 2))
wait $ioctls || fail "commands: $(cat /run/test/ioctls.log)"
for name in malformed unknown_opcode icrc_errors no_qp; do
	expect_count a srnic0 $name -gt 0
done
cat /run/test/ioctls.log
after=$(objects)
[ "$before" = "$after" ] || fail "left behind: $after; before: $before"
testbed down
