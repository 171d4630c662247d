#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: services of a network run over ib0: addresses that nodes form of a router's prefix, logins by SSH, groups of IP and of RDMA
# easy: yes
# timeout: 150
# cites: issue 24, three nodes in namespaces; rfc4391.md I19, I27
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../ib.sh"

prefix=fd79::

# formed END: print the address that it has formed of the prefix
formed()
{
	on "$1" ip -6 -o addr show dev ib0 scope global dynamic -tentative |
		grep -o 'fd79:[0-9a-f:]*'
}

# identifier ADDRESS: its lower 64 bits
identifier()
{
	python3 -c "
import ipaddress
print(ipaddress.ip_address('$1').packed[8:].hex())"
}

for program in dropbear iperf; do
	command -v $program >/dev/null || {
		echo "there is no $program"
		exit 77
	}
done
testbed up
ib_up a
ib_up b

say "a node forms an address of the prefix that a router advertises"
on a sysctl -qw net.ipv6.conf.ib0.accept_ra=2
ip netns exec b "$repo/tests/programs/router.py" ib0 $prefix/64 &
router=$!
soon formed a >/dev/null || fail "no address: $(on a ip -6 addr show dev ib0)"
address=$(formed a)
local=$(on a ip -6 -o addr show dev ib0 scope link | grep -o 'fe80[0-9a-f:]*')
[ "$(identifier "$address")" = "$(identifier "$local")" ] || fail "$address, $local"
grep -q 'dev ib0' < <(on a ip -6 route show default) || fail "no route: $(on a ip -6 route)"
on b ip addr add ${prefix}2/64 dev ib0 nodad
on b ping -c 1 -W 60 "$address"
on a ping -c 1 -W 60 ${prefix}2
kill $router
wait $router || true

say "SSH, both ways of addressing"
home=/run/test/ssh
mkdir -p $home /root/.ssh
chmod 700 /root/.ssh
for name in host user; do
	dropbearkey -t ed25519 -f $home/$name >$home/$name.text 2>/dev/null
done
grep '^ssh-ed25519' $home/user.text >/root/.ssh/authorized_keys
chmod go-w /root
for address in 10.78.0.2 fd78::2; do
	ip netns exec b dropbear -F -E -s -r $home/host -p "[$address]:22" -P $home/pid \
		2>$home/server &
	server=$!
	settle $server dropbear
	said=$(on a timeout 120 dbclient -y -y -i $home/user "root@$address" \
		"cat /sys/class/net/ib0/address; head -c 300000 /dev/zero" </dev/null 2>$home/client |
		tr -d '\0') || fail "$(cat $home/client $home/server)"
	[ "$said" = "$(on b cat /sys/class/net/ib0/address)" ] ||
		fail "$said: $(cat $home/client $home/server)"
	kill $server
	wait $server || true
done

say "a stream to a group"
pair in b iperf -s -u -B 239.7.7.7%ib0 -P 1 -- \
	in a iperf -c 239.7.7.7%ib0 -B 10.78.0.1 -u -T 1 -b 2m -l 1400 -n 280000
grep -q '[0-9]/ *[0-9]* (' "$OUT_SERVER" || fail "nothing received: $(<"$OUT_SERVER")"

say "a group of RDMA"
pair in b timeout 300 mckey -m 239.7.7.7 -b 10.78.0.2 -C 5 -- \
	in a mckey -m 239.7.7.7 -b 10.78.0.1 -s -C 5
nothing_lost
ib_delete a
ib_delete b
testbed down
