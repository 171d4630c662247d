# SPDX-License-Identifier: GPL-2.0
#
# InfiniBand ports on the ends of a test bed, and IP over them by the stock ib_ipoib.
# Source it after lib.sh.

# The ends: a and b of testbed, or namespaces that the test makes, n1, n2 and so on. The netdev
# of end E is vE.
ib_ends=(a b)

# ib_number END: last number of its addresses
ib_number()
{
	case $1 in
	a) echo 1 ;;
	b) echo 2 ;;
	*) echo "${1#n}" ;;
	esac
}

# ib_device END: name of the InfiniBand device on that end
ib_device() { echo "ib$1"; }

# ib_netdev END: name of the netdev that ib_ipoib has made for that end's device: its link
# address ends with the port's GID. ib_ipoib makes it in the initial namespace.
ib_netdev()
{
	local gid dir address
	gid=$(cat "/sys/class/infiniband/$(ib_device "$1")/ports/1/gids/0") || return 1
	for dir in /sys/class/net/*; do
		address=$(tr -d : <"$dir/address" 2>/dev/null) || continue
		[ "${address:8}" != "${gid//:/}" ] || { basename "$dir"; return; }
	done
	return 1
}

# ib_place END: move that netdev into the end's namespace, as ib0
ib_place()
{
	local dev
	# Two VMs have a port each, and no namespaces
	[ -e "/run/netns/$1" ] || { on "$1" ip link show ib0 >/dev/null 2>&1; return; }
	dev=$(ib_netdev "$1") || return 1
	ip link set "$dev" netns "$1" name ib0
}

ib_has_carrier()
{
	[ "$(on "$1" cat /sys/class/net/ib0/carrier 2>/dev/null)" = 1 ]
}

# ib_add END: add an InfiniBand port to that end's netdev
ib_add()
{
	on "$1" rdma link add "$(ib_device "$1")" type srnic_ib netdev "v$1"
}

ib_delete()
{
	on "$1" rdma link delete "$(ib_device "$1")"
}

# ib_up END: add a port, and bring up ib0 with 10.78.0.N and fd78::N, N = ib_number END
ib_up()
{
	local n
	n=$(ib_number "$1")
	on "$1" modprobe ib_ipoib
	ib_add "$1"
	soon ib_place "$1" || fail "ib_ipoib has made no netdev for $(ib_device "$1")"
	on "$1" sh -c "
		echo 0 >/proc/sys/net/ipv6/conf/ib0/accept_dad
		ip link set ib0 up
		ip addr add 10.78.0.$n/24 brd + dev ib0
		ip addr add fd78::$n/64 dev ib0 nodad"
	soon ib_has_carrier "$1" || fail "no carrier: $(on "$1" ip -d link show ib0)"
}

# ib_node_add END: a namespace with the netdev vEND at the wire
ib_node_add()
{
	ip netns add "$1"
	ip link add "p$1" mtu 4352 type veth peer name "v$1" netns "$1" mtu 4352
	ip link set "p$1" master wire up
	on "$1" sh -c "
		echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad
		echo 0 >/proc/sys/net/ipv6/conf/v$1/accept_dad
		ip link set lo up
		ip link set v$1 up"
	soon ib_node_has_address "$1"
}

ib_node_has_address()
{
	grep -q fe80: < <(ip -n "$1" -6 -o addr show dev "v$1" scope link -tentative)
}

# ib_node_die END: its namespace goes with all that is in it
ib_node_die()
{
	ip netns del "$1"
	soon absent "/sys/class/infiniband/$(ib_device "$1")"
}

# ib_wire_up: a wire with all of ib_ends at it, which the test has named n1, n2 and so on
ib_wire_up()
{
	local end
	mkdir -p /run/test
	ip link add wire mtu 4352 type bridge
	ip link set wire up
	for end in "${ib_ends[@]}"; do
		ib_node_add "$end"
	done
}

ib_wire_down()
{
	local end
	for end in "${ib_ends[@]}"; do
		[ ! -e "/sys/class/infiniband/$(ib_device "$end")" ] || ib_delete "$end"
		ip netns del "$end"
	done
	ip link del wire
}

# ib_gid END
ib_gid() { cat "/sys/class/infiniband/$(ib_device "$1")/ports/1/gids/0"; }

# ib_guid END: of its port
ib_guid() { echo "0x$(tr -d : <<<"$(ib_gid "$1" | cut -d: -f5-)")"; }

# ib_lid END: its LID, a decimal number; 0: it has none
ib_lid() { echo $(($(<"/sys/class/infiniband/$(ib_device "$1")/ports/1/lid"))); }

# ib_port_is STATE END...
ib_port_is()
{
	local state=$1 end
	shift
	for end; do
		[[ $(<"/sys/class/infiniband/$(ib_device "$end")/ports/1/state") == *" $state" ]] ||
			return 1
	done
}

# ib_each_pair COMMAND: run it for every end and every other one
ib_each_pair()
{
	local end peer
	for end in "${ib_ends[@]}"; do
		for peer in "${ib_ends[@]}"; do
			[ "$end" = "$peer" ] || "$1" "$end" "$peer"
		done
	done
}

# ib_reaches END PEER [PREFIX]: over ib0, soon; PREFIX is that of the address
ib_reaches()
{
	soon on "$1" ping -q -c 1 -W 3 "${3:-10.78.0.}$(ib_number "$2")" >/dev/null ||
		fail "$1 does not reach $2: $(on "$1" ip neigh show)"
}

# ib_member END GROUP: whether the end's netdev is a member of a group of its IPv6
ib_member()
{
	grep -q "inet6 $2" < <(on "$1" ip -6 maddr show dev "v$1")
}

# ib_no_member END GROUP
ib_no_member()
{
	! ib_member "$@"
}

# ib_manage MANAGER END...: have the manager's node see the ends, and the ends be managed by it
ib_manage()
{
	local manager=$1 end
	shift
	on "$manager" srnic subnet add "$(ib_device "$manager")" manager
	for end; do
		on "$manager" srnic subnet add "$(ib_device "$manager")" member "$(ib_gid "$end")"
		on "$end" srnic subnet add "$(ib_device "$end")" manager "$(ib_gid "$manager")"
	done
}

opensm_unpacked=/usr/local/lib/opensm

# ib_needs_opensm: skip the test where it is not
ib_needs_opensm()
{
	[ -e $opensm_unpacked/complete ] || {
		echo "there is no opensm: scripts/setup fetches it"
		exit 77
	}
}

# Q_Key of the subnets that opensm manages: privileged (RFC 4391, 4.1), and not the port's own
ib_subnet_qkey=0x80001234

# opensm_start END PRIORITY: start a subnet manager there. Its log is /run/test/opensm.END, its
# process ID ${opensm_pids[END]}
declare -A opensm_pids
opensm_start()
{
	local home=/run/test/opensm-$1
	mkdir -p "$home"
	printf '%s\n' "sminfo_polling_timeout 1000" "polling_retry_number 2" \
		"sm_priority $2" >"$home/conf"
	echo "Default=0x7fff, ipoib, Q_Key=$ib_subnet_qkey : ALL=full;" >"$home/partitions"
	env LD_LIBRARY_PATH=$opensm_unpacked/usr/lib/x86_64-linux-gnu OSM_TMP_DIR="$home" \
		OSM_CACHE_DIR="$home" ip netns exec "$1" $opensm_unpacked/usr/sbin/opensm \
		-F "$home/conf" -P "$home/partitions" -g "$(ib_guid "$1")" -f "/run/test/opensm.$1" \
		</dev/null >"$home/out" 2>&1 &
	opensm_pids[$1]=$!
}

# opensm_kill END: opensm waits for ever, if it is asked to end when its port is gone
opensm_kill()
{
	kill -KILL "${opensm_pids[$1]}"
	wait "${opensm_pids[$1]}" 2>/dev/null || true
}

# Packets to the other end's address leave by ib0, as `testbed up --flat` does it for the netdevs
ib_flat_rules=(
	"pref 5 iif lo to 10.78.0.2 lookup 110"
	"pref 5 iif lo to 10.78.0.1 lookup 111"
)

# ib_flat_up: add a port to both netdevs of `testbed up --flat`, and bring up ipoa with 10.78.0.1
# and ipob with 10.78.0.2, in the initial namespace, where kernel consumers are
ib_flat_up()
{
	local end n
	modprobe ib_ipoib
	for end in a b; do
		n=$(ib_number $end)
		rdma link add ib$end type srnic_ib netdev v$((n - 1))
		soon ib_netdev $end >/dev/null || fail "ib_ipoib has made no netdev for ib$end"
		ip link set "$(ib_netdev $end)" name ipo$end
		sysctl -qw net.ipv4.conf.ipo$end.rp_filter=0 net.ipv4.conf.ipo$end.accept_local=1
		ip link set ipo$end up
		ip addr add 10.78.0.$n/24 dev ipo$end
	done
	ip -batch - <<-END
		$(printf 'rule add %s\n' "${ib_flat_rules[@]}")
		route add 10.78.0.2 dev ipoa src 10.78.0.1 table 110
		route add 10.78.0.1 dev ipob src 10.78.0.2 table 111
	END
	ping -q -c 1 -W 60 -I 10.78.0.1 10.78.0.2
}

ib_flat_down()
{
	printf 'rule del %s\n' "${ib_flat_rules[@]}" | ip -batch -
	rdma link delete iba
	rdma link delete ibb
}

# ib_keys: make the keys k, for hosts, and g, for groups, and give them to the ends
ib_keys()
{
	local name
	for name in k g; do
		head -c 32 /dev/urandom >/run/test/key.$name
		od -A n -v -t x1 -w32 /run/test/key.$name | tr -d ' ' >/run/test/$name.key
	done
	ib_give_keys "${ib_ends[@]}"
}

# ib_give_keys END...: an end may be in another VM, which has no such files
ib_give_keys()
{
	local end name
	for end; do
		for name in k g; do
			on "$end" sh -c "echo $(<"/run/test/$name.key") >/run/ib.key &&
				srnic key replace $name --file /run/ib.key"
		done
	done
}

# ib_rules RULE MODE SUITE: set rules for all of the InfiniBand ports' traffic, at all ends
ib_rules()
{
	local end
	for end in "${ib_ends[@]}"; do
		on "$end" srnic policy replace fe80::/64 "$@" key k
		on "$end" srnic policy replace ff12::/16 "$@" key g
	done
}

# ib_groups: have a's broadcast and multicast datagrams arrive at b
ib_groups()
{
	local receiver
	on b sysctl -qw net.ipv4.icmp_echo_ignore_broadcasts=0
	on a ping -b -c 1 -W 60 10.78.0.255
	in-b "$repo/tests/programs/multicast.py" receive 239.1.2.3 10.78.0.2 &
	receiver=$!
	on a timeout 300 "$repo/tests/programs/multicast.py" send 239.1.2.3 10.78.0.1
	wait $receiver
}

# ib_exchange BYTES ADDRESS...: send that many bytes from a to each address of b by TCP, and as
# many back
ib_exchange()
{
	local bytes=$1 address
	shift
	for address; do
		pair in b "$repo/tests/programs/exchange.py" serve -- \
			in a "$repo/tests/programs/exchange.py" connect "$address" "$bytes"
	done
}

# ib_traffic: exchange packets of all kinds over ib0
ib_traffic()
{
	on a ping -c 2 -W 60 10.78.0.2
	on a ping -c 1 -W 60 -s 2016 -M "do" 10.78.0.2
	on b ping -c 2 -W 60 fd78::1
	ib_groups
	pair in b iperf3 -s -1 -- in a iperf3 -c 10.78.0.2 -l 30K -n 120K
	pair in b iperf3 -s -1 -- in a iperf3 -c fd78::2 -l 30K -n 120K -R
	pair in b rping -s -a 10.78.0.2 -C 3 -- in a rping -c -a 10.78.0.2 -C 3
}

# none_refused: check that no end has dropped a datagram because of its seal
none_refused()
{
	local end name
	for end in "${ib_ends[@]}"; do
		for name in sth_missing sth_auth_failed sth_unexpected sth_replayed policy_exempt; do
			expect_count "$end" "$(ib_device "$end")" $name -eq 0
		done
	done
}

# unsealed END: number of packets that the port has sent in the clear. Frames of a handshake
# have a tag of their own, and are among them.
unsealed()
{
	local dev
	dev=$(ib_device "$1")
	echo $(($(count_of "$1" "$dev" sent_pkts) - $(count_of "$1" "$dev" sth_sealed)))
}

# ib_over_wire: exchange packets of all kinds in the clear, then sealed, on a test bed that is up
ib_over_wire()
{
	local end seal
	ib_keys
	for seal in "" "require aead aes-gcm-128"; do
		say "${seal:-in the clear}"
		# shellcheck disable=SC2086 # words
		[ -z "$seal" ] || ib_rules $seal
		ib_up a
		ib_up b
		ib_traffic
		none_refused
		for end in a b; do
			expect_count $end ib$end icrc_errors -eq 0
			[ -z "$seal" ] || expect_count $end ib$end sth_opened -gt 50
		done
		ib_delete a
		ib_delete b
	done
}
