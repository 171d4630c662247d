#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the machine of reboot.sh, once after each start: the steps of a user, as root. Prints "yes"
# or "no" and what was to be seen, a line each; "end" when all steps were taken.

readonly address=10.77.0.1
export LC_ALL=C.UTF-8 HOME=/root
cd /test || exit

# see TEXT COMMAND...: report whether the command succeeds, and print what it prints if not
see()
{
	local text=$1
	shift
	if "$@" >/test/out 2>&1; then
		echo "yes $text"
	else
		echo "no $text"
		sed 's/^/# /' /test/out
	fi
}

netdev() { basename /sys/class/net/en*; }
device_is() { rdma link show | grep -qx "link $1/1 state ACTIVE physical_state LINK_UP netdev $(netdev) *"; }

# rping_ends ROUNDS: two programs of this machine exchange messages
rping_ends()
{
	rping -s -C "$1" -a $address &
	sleep 3
	timeout 200 rping -c -C "$1" -a $address -v && wait $!
}

# sealed_rping: whether both ends of a connection are sealed while it lasts
sealed_rping()
{
	rping_ends 400 >/test/rping 2>&1 &
	local seals=0 i
	for ((i = 0; i < 40 && seals < 2; i++)); do
		sleep 1
		seals=$(srnic -j qp | grep -o '"mode":"aead"' | wc -l)
	done
	wait $! && ((seals == 2))
	local status=$?
	cat /test/rping
	return $status
}

# The commands of the README
use()
{
	see "rdma link add makes a device" rdma link add srnic0 type srnic netdev "$(netdev)"
	see "it is active" device_is srnic0
	see "ibv_devinfo shows it" ibv_devinfo -d srnic0
	see "rping runs" rping_ends 10
	see "srnic doctor finds nothing that is broken" srnic doctor
	see "a key is made" srnic key gen office --file key
	see "a rule is added" srnic policy add 10.77.0.0/24 require aead aes-gcm-128 key office
	see "rping runs sealed" sealed_rping
	see "settings are saved" sh -c 'srnic save >/etc/srnic/srnic.conf'
	see "the key is kept" install -m 600 key /etc/srnic/office.key
	see "the device is deleted" rdma link delete srnic0
	see "the service starts" systemctl enable --now "srnic@$(netdev)"
	see "its device is active" device_is "srnic_$(netdev)"
}

again()
{
	see "after a reboot the device is there" device_is "srnic_$(netdev)"
	see "the service has not failed" systemctl is-active "srnic@$(netdev)"
	see "the rule is there" sh -c "srnic policy list | grep -q '10.77.0.0/24.*require.*aead.*aes-gcm-128.*office'"
	see "rping runs sealed again" sealed_rping
	mapfile -t names < <(packages)
	see "apt purges the packages" apt-get -y -q purge "${names[@]}"
	see "the device is gone with them" sh -c '! rdma link show | grep -q srnic'
}

packages() { dpkg-query -W -f '${Package} ${Source}\n' | awk '$1 ~ /srnic/ || $2 == "srnic" { print $1 }'; }

# Secrets and settings that the administrator wrote in /etc/srnic are the administrator's
no_file() { ! find / -xdev \( -path /test -o -path /etc/srnic -o -path /var/log -o -path /var/cache \) -prune -o -name '*srnic*' -print | grep .; }

gone()
{
	see "the machine starts without them: no unit has failed" sh -c '! systemctl --failed --plain --no-legend | grep .'
	see "no module is left" sh -c '! modinfo srnic'
	see "no file is left" no_file
}

boot=$(($(cat boot 2>/dev/null || echo 0) + 1))
echo $boot >boot
case $boot in
1) use ;;
2) again ;;
*) gone ;;
esac
echo end
