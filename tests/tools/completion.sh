#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Test shell completion, with a stand-in for the command that completion asks for names. TAP
# on standard output.

set -uo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
count=0
status=0

srnic()
{
	case $* in
	"policy list") printf '%s\n' PREFIX 10.77.0.0/24 fd77::/64 default ;;
	"key list" | "-n blue key list") printf '%s\n' "NAME BYTES GENERATION SEALED OTHER" "lab 32 1 0 -" ;;
	"suite list" | "-n blue suite list")
		printf '%s\n' "SUITE MODES TAG" "a-mac header,packet 12" "a-mac/96 header,packet 8" \
			"a-cipher aead 16"
		;;
	show) printf '%s\n' DEVICE srnic0 srnic1 ;;
	"peer list") printf '%s\n' "NAME ADDRESS" "b 10.77.0.2" "c 10.77.0.3" ;;
	"peer show") printf '%s\n' "DEVICE PEER" "srnic0 10.77.0.9" "srnic1 fd77::9" ;;
	"quota show") printf '%s\n' "DEVICE QUOTA" "srnic0 qp" "srnic0 mr" "srnic1 qp" ;;
	*) echo "asked for: $*" >&2 ;;
	esac
}

# shellcheck source=../../tools/srnic/completion.bash
. "$top/tools/srnic/completion.bash"

# offers LINE WORD...: check that completion at the end of LINE offers these words, in any
# order
offers()
{
	local COMP_LINE=$1 COMP_POINT=${#1} COMPREPLY=() got want
	shift
	_srnic
	got=$(printf '%s\n' "${COMPREPLY[@]}" | sort | xargs)
	want=$(printf '%s\n' "$@" | sort | xargs)
	count=$((count + 1))
	if [[ $got == "$want" ]]; then
		echo "ok $count - completion: '$COMP_LINE'"
	else
		echo "not ok $count - completion: '$COMP_LINE'"
		echo "# offered: $got"
		status=1
	fi
}

offers "srnic " show qp policy key quota limit pkey subnet mtu suite log peer genkey pubkey apply save doctor help
offers "srnic p" policy peer pkey pubkey
offers "srnic policy " list add replace del flush
offers "srnic policy fl" flush
offers "srnic policy flush "
offers "srnic policy flush x "
offers "srnic policy del " 10.77.0.0/24 fd77::/64 default
offers "srnic policy del 10.77.0.0/24 "
offers "srnic policy add default require aead aes-gcm-128 key lab " clear-cm uncached
offers "srnic policy add " default
offers "srnic policy add 10.0.0.0/8 " off prefer require
offers "srnic policy add 10.0.0.0/8 require " header packet aead opaque
offers "srnic policy add 10.0.0.0/8 require aead " a-cipher
offers "srnic policy add 10.0.0.0/8 require header " a-mac a-mac/96
offers "srnic -n blue policy add 10.0.0.0/8 require packet a-mac/" a-mac/96
offers "srnic policy add 10.0.0.0/8 require aead a-cipher " key
offers "srnic -n blue policy add default require aead a-cipher key " lab
offers "srnic key " list add replace gen stage promote retire del
offers "srnic key del " lab
offers "srnic key promote " lab
offers "srnic key stage lab " --file --raw -
offers "srnic key add lab " --file --raw -
offers "srnic qp " dev srnic0 srnic1
offers "srnic qp dev srnic1" srnic1
offers "srnic quota set " dev srnic0 srnic1
offers "srnic quota set dev " srnic0 srnic1
offers "srnic quota set srnic0 " qp mr
offers "srnic quota set dev srnic0 m" mr
offers "srnic quota set srnic0 qp "
offers "srnic quota set srnic0 qp 100 " reserve
offers "srnic quota set dev srnic0 qp 100 " reserve
offers "srnic quota set srnic0 qp 100 reserve "
offers "srnic quota " show users set
offers "srnic quota users " dev srnic0 srnic1
offers "srnic quota show srnic0 "
offers "srnic limit set srnic0 " idle faults cutoff greed ecn
offers "srnic limit set dev srnic0 " idle faults cutoff greed ecn
offers "srnic limit set srnic0 idle " none
offers "srnic limit show " dev srnic0 srnic1
offers "srnic limit show srnic0 "
offers "srnic pkey " show add del
offers "srnic pkey add " dev srnic0 srnic1
offers "srnic pkey add srnic0 "
offers "srnic subnet " show add del
offers "srnic subnet add srnic0 " manager member
offers "srnic mtu " show set
offers "srnic mtu set " dev srnic0 srnic1
offers "srnic mtu set dev srnic0 " 256 512 1024 2048 4096
offers "srnic mtu show srnic0 "
offers "srnic log " show follow
offers "srnic log follow " dev srnic0 srnic1
offers "srnic log follow dev " srnic0 srnic1
offers "srnic peer " show cut allow add del list
offers "srnic peer show dev " srnic0 srnic1
offers "srnic peer cut " dev srnic0 srnic1
offers "srnic peer cut srnic0 " 10.77.0.9
offers "srnic peer allow dev srnic1 " fd77::9
offers "srnic peer allow srnic1 fd77::9 "
offers "srnic peer cut srnic0 10.77.0.9 " seconds
offers "srnic peer cut srnic0 10.77.0.9 seconds "
offers "srnic peer add "
offers "srnic peer add b " --public-key --address --endpoint --suite
offers "srnic peer add b --public-key "
offers "srnic peer add b --public-key x --a" --address
offers "srnic peer add b --suite " a-cipher
offers "srnic peer del " b c
offers "srnic peer del b "
offers "srnic genkey "
offers "srnic suite " list
offers "srnic --j" --json
echo "1..$count"
exit $status
