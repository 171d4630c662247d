# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# srnicd on both ends of the test bed, each with its own private key. After lib.sh.

declare -A daemon

# cmd HOST ARGUMENT...: the command srnic, with that host's files
cmd()
{
	local host=$1
	shift
	on "$host" env SRNIC_FOLDER="/run/test/$host" srnic "$@"
}

# daemon_start HOST OPTION...: start srnicd as a user that has nothing but CAP_NET_ADMIN
daemon_start()
{
	local host=$1
	shift
	ip netns exec "$host" setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs \
		--inh-caps=-all,+net_admin --ambient-caps=-all,+net_admin \
		--bounding-set=-all,+net_admin \
		srnicd --config "/run/test/$host" "$@" >"/run/test/$host.log" 2>&1 &
	daemon[$host]=$!
	soon says "$host" ready || fail "srnicd of $host: $(cat "/run/test/$host.log")"
}

daemon_kill()
{
	kill "${2:--TERM}" "${daemon[$1]}"
	wait "${daemon[$1]}" || [ "${2-}" ] || fail "srnicd of $1 failed: $(cat "/run/test/$1.log")"
}

# says HOST TEXT: whether the daemon's log has the text
says()
{
	grep -q -- "$2" "/run/test/$1.log"
}

# logs: both logs, for a message
logs()
{
	cat /run/test/a.log /run/test/b.log
}

has_key()
{
	[[ $(cmd "$1" -j peer list) == *'"key_present":true'* ]]
}

# generation HOST: of its key, as the kernel counts
generation()
{
	cmd "$1" -j key | sed -n 's/.*"generation":\([0-9]*\).*/\1/p'
}

# beyond_generation HOST N
beyond_generation()
{
	[ "$(generation "$1")" -gt "$2" ]
}

# identities: make the hosts' private keys; their public ones are in `public`
declare -A public
identities()
{
	local host

	for host in a b; do
		public[$host]=$(cmd $host genkey)
		chown 65534:65534 "/run/test/$host/private.key"
	done
}

ping()
{
	pair in b rping -s -a 10.77.0.2 -C 3 -- in a rping -c -a 10.77.0.2 -C 3
}
