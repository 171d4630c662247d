#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Test how scripts/vm handles a failing emulator, with a stand-in for QEMU. TAP on standard
# output.

set -uo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/tap.sh"

# Use a copy that stages nothing: this test runs while the tools are built
tree=$dir/tree
mkdir "$tree"
cp -r "$top/scripts" "$tree/"
printf '#!/bin/sh\n' | tee "$tree/scripts/stage" >"$tree/scripts/stage-often"

# emulator LINE...: create an emulator whose Nth start writes the Nth line to the kernel's
# log; further starts repeat the last one. "done" ends the command, with status 0.
emulator()
{
	rm -f "$dir/starts"
	printf '%s\n' "$@" >"$dir/lines"
	cat >"$dir/qemu-system-x86_64" <<-'END'
		#!/bin/bash
		dir=$(dirname "$0")
		[[ $* =~ path=([^ ]*)/dmesg ]]
		run=${BASH_REMATCH[1]}
		echo >>"$dir/starts"
		line=$(head -n "$(wc -l <"$dir/starts")" "$dir/lines" | tail -n 1)
		echo "$line" | tr ';' '\n' >"$run/dmesg"
		[[ $line != *done* ]] || echo 0 >"$run/status"
	END
	chmod +x "$dir/qemu-system-x86_64"
}

# vm: run scripts/vm; return its exit status
vm()
{
	PATH=$dir:$PATH "$tree/scripts/vm" --no-build --log "$dir/log" "$@" -- true >&2
}

starts()
{
	wc -l <"$dir/starts"
}

emulator 'Oops: int3;Kernel panic' 'done'
vm && (($(starts) == 2))
ok $? "a kernel that died as it booted is started once more"

emulator 'Oops: int3;Kernel panic'
vm
(($? == 125 && $(starts) == 2))
ok $? "and not a third time"

emulator 'srnic-vm: the command starts;Kernel panic' 'done'
vm --allow-splat
(($? == 125 && $(starts) == 1))
ok $? "one that died later is not: that is a finding"

emulator 'done'
vm && (($(starts) == 1))
ok $? "one that did its work is not"

the_end
