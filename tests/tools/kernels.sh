#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Test what scripts/kernels makes of its findings, with stand-ins for the fetching and the
# building (issue 27). TAP on standard output.

set -uo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/tap.sh"

mkdir -p "$dir/scripts" "$dir/tests"
cp -r "$top/tests/runner" "$dir/tests/"
cp "$top/scripts/kernels" "$dir/scripts/"
printf '%s: meta suite\n' fine loud broken gone absurd >"$dir/scripts/kernels.list"
cat >"$dir/scripts/fetch-kernel" <<-'END'
	#!/bin/bash
	case $1 in
	gone) echo 'fetch-kernel: its archive cannot be reached: suite' >&2; exit 3 ;;
	absurd) echo 'fetch-kernel: no space left' >&2; exit 1 ;;
	esac
	folder=$(dirname "$0")/../kernels/$1
	mkdir -p "$folder"
	echo 9.9-amd64 >"$folder/release"
	echo "$folder"
END
cp "$dir/scripts/fetch-kernel" "$dir/scripts/build-test-kernel"
cat >"$dir/scripts/build-module" <<-'END'
	#!/bin/bash
	cd "$(dirname "$0")/.." && mkdir -p "build/$1" && exec >"build/$1/log"
	echo "warning: pahole version differs from the one used to build the kernel"
	[[ $1 != loud ]] || printf 'a.c:1:2: warning: %s\n' unused shadowed
	[[ $1 != broken ]] || { echo "a.c:3:4: error: undeclared | unknown"; exit 2; }
END
chmod +x "$dir"/scripts/*

"$dir/scripts/kernels" fine >"$dir/table" 2>/dev/null
ok $? "a kernel without warnings: status 0"
grep -qx '| fine | 9.9-amd64 | yes | 0 |  |' "$dir/table"
ok $? "its row says so"
! "$dir/scripts/kernels" loud >"$dir/table" 2>/dev/null
ok $? "warnings: status 1"
grep -qx '| loud | 9.9-amd64 | yes | 2 |  |' "$dir/table"
ok $? "those of the compiler are counted, and no others"
! "$dir/scripts/kernels" broken >"$dir/table" 2>/dev/null
ok $? "a build that fails: status 1"
grep -qx '| broken | 9.9-amd64 | no | 0 | a.c:3:4: error: undeclared \\| unknown |' "$dir/table"
ok $? "its row has the first error"
"$dir/scripts/kernels" gone fine >"$dir/table" 2>/dev/null
ok $? "a kernel that is not to be had is no failure"
grep -qx '| gone |  | - | - | skipped: its archive cannot be reached: suite |' "$dir/table"
ok $? "its row has the reason"
! "$dir/scripts/kernels" absurd fine >"$dir/table" 2>/dev/null
ok $? "a fetch that fails otherwise is a failure"
"$dir/scripts/kernels" test-i386 >"$dir/table" 2>/dev/null && grep -q '^| test-i386 | 9.9' "$dir/table"
ok $? "a test kernel is built first"
! "$dir/scripts/kernels" another 2>"$dir/said"
ok $? "a kernel that is not in the list is refused"
grep -q 'use fine, loud, broken, gone, absurd' "$dir/said"
ok $? "with the names that there are"
! "$dir/scripts/kernels" --json loud >"$dir/table" 2>/dev/null && grep -q '"warnings": 2' "$dir/table"
ok $? "--json has the same"
! "$dir/scripts/kernels" --record fine >"$dir/table" 2>"$dir/said" && grep -q 'with --test\|give both' "$dir/said"
ok $? "what was not tested is not recorded"

the_end
