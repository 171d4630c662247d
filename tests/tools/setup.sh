#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Test scripts/setup and its helpers, as far as this is possible without a network. TAP on
# standard output.

set -uo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/tap.sh"

# shellcheck disable=SC2016 # the inner shell expands it
SRNIC_CACHE=$dir timeout 100 bash -euc '. "${0%/*}/lib.sh"; locked one; locked two; locked one' \
	"$top/scripts/setup" >&2
ok $? "who holds a lock does not wait for himself"

(
	exec {fd}>"$dir/.lock-one"
	flock "$fd"
	# shellcheck disable=SC2016 # likewise
	! SRNIC_CACHE=$dir timeout 2 bash -euc '. "${0%/*}/lib.sh"; locked one' "$top/scripts/setup" >&2
)
ok $? "another does"

tree=$dir/tree
kept=(arch/x86/mm/init.c arch/um/kernel/mem.c arch/arm64/Kconfig sound/Makefile drivers/infiniband/core/cm.c)
gone=(arch/arm64/mm/init.c sound/core/pcm.c drivers/gpu/drm/i915/gem.c)
for file in "${kept[@]}" "${gone[@]}" drivers/{media,staging,net/{ethernet,wireless}}/x.c; do
	mkdir -p "$tree/${file%/*}"
	echo >"$tree/$file"
done
"$top/scripts/trim-source" "$tree" >&2
ok $? "a kernel source is trimmed"
(cd "$tree" && ls "${kept[@]}") >/dev/null
ok $? "what our kernels are made of stays"
[ -z "$(cd "$tree" && ls "${gone[@]}" 2>/dev/null)" ]
ok $? "what they cannot use goes"

for script in bench demo fetch-kernel fetch-root kernels profile profile-native setup uml vm; do
	grep -q '^Examples\?:' < <("$top/scripts/$script" --help)
	ok $? "scripts/$script --help has examples"
done

the_end
