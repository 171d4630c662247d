#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: firewall rules see and can stop every packet, in and out, or ask a program; connection tracking sees the flows
# easy: yes
# timeout: 180
. "$(dirname "$0")/../lib.sh"

testbed up

# pingpong: run ibv_rc_pingpong from a to b; return its exit status. If no packet passes,
# the client gives up after its retries, and the server has to be killed.
pingpong()
{
	local status=0 server
	in-b timeout 600 ibv_rc_pingpong -d srnic1 -g "$(gid_of b srnic1)" -n 50 >/run/test/ps.log 2>&1 &
	server=$!
	settle $server ibv_rc_pingpong
	on a timeout 300 ibv_rc_pingpong -d srnic0 -g "$(gid_of a srnic0)" -n 50 10.77.0.2 \
		>/run/test/pp.log 2>&1 || status=$?
	[ $status -eq 0 ] || kill $server || true
	wait $server || true
	return $status
}

# stopped: check that the client gives up because no response arrives
stopped()
{
	! pingpong && grep -q 'transport retry counter exceeded' /run/test/pp.log
}

# packets NAME: value of a named counter in b
packets()
{
	on b nft -j list counter inet t "$1" |
		python3 -c 'import json,sys
print([x["counter"]["packets"] for x in json.load(sys.stdin)["nftables"] if "counter" in x][0])'
}

say "no rules"
pingpong || fail "no way through without rules: $(cat /run/test/pp.log)"

for hook in input output; do
	say "$hook: drop"
	on b nft -f - <<-END
		table inet t {
			counter stopped { }
			chain c {
				type filter hook $hook priority 0;
				udp dport 4791 counter name stopped drop
			}
		}
	END
	stopped || fail "a rule in $hook did not stop it: $(cat /run/test/pp.log)"
	[ "$(packets stopped)" -gt 0 ] || fail "no packet passed through $hook"
	on b nft delete table inet t
done

say "egress: a rule that drops for good does not count as a full queue"
on a nft -f - <<-END
	table netdev t {
		chain c {
			type filter hook egress device va priority 0;
			udp dport 4791 drop
		}
	}
END
refused=$(count_of a srnic0 send_err)
stopped || fail "a rule in egress did not stop it: $(cat /run/test/pp.log)"
expect_count a srnic0 send_err -gt "$refused"
on a nft delete table netdev t

# In RoCEv2 both directions use the same destination port, each with its own source port.
# Responses therefore belong to another flow, and no flow is ever answered.
say "connection tracking: a flow begins once"
modprobe nf_conntrack
on b sysctl -qw net.netfilter.nf_conntrack_acct=1
on b nft -f - <<-END
	table inet t {
		counter first { }
		counter later { }
		chain c {
			type filter hook input priority 0;
			udp dport 4791 ct original packets 1 counter name first accept
			udp dport 4791 ct original packets > 1 counter name later accept
		}
	}
END
pingpong || fail "no way through with connection tracking: $(cat /run/test/pp.log)"
say "first of a flow: $(packets first), later: $(packets later)"
[ "$(packets first)" -ge 1 ] || fail "no packet began a flow"
[ "$(packets first)" -le 4 ] || fail "$(packets first) packets began a flow"
[ "$(packets later)" -ge 20 ] || fail "only $(packets later) packets belonged to one"

say "a priority as late as it may be is before us"
on b nft delete table inet t
on b nft -f - <<-END
	table inet t {
		counter stopped { }
		chain c {
			type filter hook input priority 2147483646;
			udp dport 4791 counter name stopped drop
		}
	}
END
stopped || fail "a late rule was passed over: $(cat /run/test/pp.log)"

for hook in prerouting input; do
	say "$hook: a program decides about every packet"
	on b nft delete table inet t
	on b nft -f - <<-END
		table inet t {
			counter queued { }
			chain c {
				type filter hook $hook priority 0;
				udp dport 4791 counter name queued queue num 7
			}
		}
	END
	stopped || fail "packets passed without the program: $(cat /run/test/pp.log)"
	in-b "$repo/tests/programs/queue_rule.py" 7 >/run/test/queue.log 2>&1 &
	program=$!
	soon grep -q ready /run/test/queue.log || fail "$(cat /run/test/queue.log)"
	before=$(packets queued)
	pingpong || fail "no way through by the program: $(cat /run/test/pp.log /run/test/queue.log)"
	pair in b srnic-verify -d srnic1 --ops send,write,read -- \
		in a srnic-verify -d srnic0 --ops send,write,read 10.77.0.2
	kill $program
	wait $program || true
	[ "$(packets queued)" -gt $((before + 100)) ] || fail "$(packets queued) packets were queued"
done
testbed down
