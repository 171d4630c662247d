# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Counts calls of functions of the module. A kernel without kprobes has no $tracing/kprobe_events.

tracing=/sys/kernel/tracing

# probe STEP...: count the calls of these functions
probe()
{
	local step
	for step; do
		echo "p:srnic_test/$step srnic:$step" >>$tracing/kprobe_events
	done
	echo 1 >$tracing/events/srnic_test/enable
}

# taken STEP: number of calls since then
taken()
{
	awk -v step="$1" '$1 == step { print $2 }' $tracing/kprobe_profile
}

discard_probes()
{
	: >$tracing/kprobe_events
}

# no_probes: stop counting. The kernel may still hold an event that has just been disabled.
no_probes()
{
	echo 0 >$tracing/events/srnic_test/enable
	soon discard_probes 2>/dev/null || fail "the kernel keeps the probes"
}
