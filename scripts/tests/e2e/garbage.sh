#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: floods of packets that are refused leave an honest stream at least half of its throughput
# timeout: 180
# cites: R25, issue 5.6
. "$(dirname "$0")/../lib.sh"

# flood_by COMMAND: what srnic-throughput is to run beside the stream
# shellcheck disable=SC2016 # it is its shell that expands the rest
flood_by()
{
	echo 'exec '"$*"' srnic-garbage $KIND v0 '"$(</sys/class/net/v1/address)"' 10.77.0.1 10.77.0.2 $QPN'
}

# apart KIND...: stream and flood run where the scheduler has them
apart()
{
	srnic-throughput srnic0 srnic1 "${SRNIC_TURNS:-5}" 0.5 "$(flood_by)" "$@"
}

# together KIND...: both on one processor, which they share as any two processes do: what
# is refused may cost hardly more than the first kind, at which the module never looks
together()
{
	taskset 1 srnic-throughput --of-first srnic0 srnic1 "${SRNIC_TURNS:-3}" 0.75 \
		"$(flood_by taskset 1)" "$@"
}

# expect_refused COUNTER...: the floods have arrived
expect_refused()
{
	local name
	for name; do
		[ "$(counter srnic1 "$name")" -gt 10000 ] ||
			fail "$name is $(counter srnic1 "$name") only"
	done
}

say "in the clear"
testbed up --flat
apart closed malformed qp icrc old
say "in the clear, on one processor"
together closed-1k qp icrc old
expect_refused malformed no_qp icrc_errors
testbed down

say "sealed"
testbed up --flat --policy require:packet:aes-cmac-128
apart closed-1k icrc seal
say "sealed, on one processor"
together closed-1k icrc seal
expect_refused icrc_errors sth_auth_failed
testbed down
