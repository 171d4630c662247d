#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Check the units: systemd understands them, and that of srnicd keeps the daemon from what it
# does not need. TAP on standard output.

set -uo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
unit=$top/tools/srnicd/srnicd.service
. "$(dirname "$0")/tap.sh"

if ! command -v systemd-analyze >/dev/null; then
	echo "ok $((++count)) - unit: systemd-analyze # SKIP systemd is not installed"
	the_end
fi
# The daemon need not be installed here
complaints=$(systemd-analyze verify --man=no "$unit" 2>&1 | grep -v 'srnicd is not executable')
echo "# ${complaints:-no complaints}"
[[ -z $complaints ]]
ok $? "systemd understands that of srnicd"
work=$(mktemp -d)
cp "$top/tools/srnic/srnic@.service" "$work/srnic@eth0.service"
complaints=$(systemd-analyze verify --man=no "$work/srnic@eth0.service" 2>&1)
rm -rf "$work"
echo "# ${complaints:-no complaints}"
[[ -z $complaints ]]
ok $? "systemd understands that of a device"

# The command of a line of that unit for a netdev, with $work/etc in place of /etc
command_for()
{
	local line instance
	instance=$(systemd-escape "$2")
	line=$(sed -n "s/^$1=//p" "$top/tools/srnic/srnic@.service")
	line=${line//%i/$instance}
	line=${line//%I/$2}
	line=${line//\$\$/\$}
	echo "${line//\/etc/$work\/etc}"
}
work=$(mktemp -d)
mkdir -p "$work/etc/srnic"
printf '#!/bin/sh\necho "srnic $*"\n' >"$work/srnic"
chmod +x "$work/srnic"
cp "$top/tools/srnic/srnic@.service" "$work/srnic@$(systemd-escape br-lan).service"
complaints=$(systemd-analyze verify --man=no "$work/srnic@$(systemd-escape br-lan).service" 2>&1)
echo "# ${complaints:-no complaints}"
[[ -z $complaints ]]
ok $? "also where the name of the netdev must be escaped"
applied=$(PATH=$work:$PATH bash -c "$(command_for ExecStartPost br-lan)")
[[ -z $applied ]]
ok $? "without a file for the netdev, nothing is applied"
touch "$work/etc/srnic/br-lan.conf"
applied=$(PATH=$work:$PATH bash -c "$(command_for ExecStartPost br-lan)")
echo "# $applied"
[[ $applied == "srnic apply $work/etc/srnic/br-lan.conf" ]]
ok $? "the file has the name of the netdev, not that of the instance"
rm -rf "$work"
systemd-analyze security --offline=true --no-pager --threshold=20 "$unit" >/dev/null 2>&1
ok $? "systemd rates its exposure at 2 of 10 at most"
grep -qx 'CapabilityBoundingSet=CAP_NET_ADMIN' "$unit" && grep -qx 'DynamicUser=yes' "$unit"
ok $? "it has a user of its own, with one capability"
the_end
