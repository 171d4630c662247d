# SPDX-License-Identifier: GPL-2.0
#
# Sourced by scripts that run in a VM.

# other_processors 0|1: take all processors but the first away, or bring them back
other_processors()
{
	local cpu
	for cpu in /sys/devices/system/cpu/cpu[1-9]*/online; do
		[[ ! -e $cpu ]] || echo "$1" >"$cpu"
	done
}
