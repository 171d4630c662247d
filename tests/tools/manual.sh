#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Compare the manual with the code: every counter, command, quota and option must be documented,
# and man must print no warning. TAP on standard output.

set -uo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
man=$top/Documentation/man
srnic=$top/drivers/infiniband/sw/srnic
. "$(dirname "$0")/tap.sh"

# mentions FILE WHAT WORD...: check that FILE has all of these words
mentions()
{
	local file=$1 what=$2 word missing=()
	shift 2
	for word; do
		grep -qw -- "$word" "$man/$file" || missing+=("$word")
	done
	echo "# not in $file: ${missing[*]:-nothing}"
	[[ $# -gt 0 && ${#missing[@]} -eq 0 ]]
	ok $? "$what in $file"
}

mapfile -t counters < <(sed -n 's/^SRNIC_STAT(\([a-z_]*\)).*/\1/p' "$srnic/stat_list.h")
mapfile -t commands < <(sed -n 's/^\t\t*{ "\([a-z]*\)", [a-z_]*_[a-z]* },*$/\1/p' \
	"$top"/tools/srnic/{cli,policy,key,log,peer}.c)
mentions srnic.7 "all counters" "${counters[@]}"
mapfile -t options < <(sed -n 's/.*add_argument("--\([a-z]*\)".*/\1/p' "$top/tools/secrets/srnic-secrets")
mentions srnic-secrets.8 "all options" "${options[@]}"
mentions srnic.8 "all commands" "${commands[@]}"
mapfile -t options < <(sed -n 's/^\t\t{ "\([a-z]*\)", [a-z]*_argument, .*/\1/p' "$top/tools/srnicd/main.c")
mentions srnicd.8 "all options" "${options[@]}"
mentions ../../tools/srnic/help.c "all commands" "${commands[@]}"

if command -v man >/dev/null && command -v groff >/dev/null; then
	for page in srnic.7 srnic.8 srnic-secrets.8 srnicd.8; do
		complaints=$(LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l "$man/$page" \
			2>&1 >/dev/null)
		echo "# ${complaints:-no warnings}"
		[[ -z $complaints ]]
		ok $? "man --warnings $page"
	done
else
	echo "ok $((++count)) - manual: man --warnings # SKIP man is not installed"
fi
the_end
