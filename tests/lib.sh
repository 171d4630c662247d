# SPDX-License-Identifier: GPL-2.0
#
# Functions for the end-to-end tests, sourced inside the VM. A test is a script that exits 0
# only if all that it states is true, and otherwise prints what is not. No test asserts
# anything about time, because the machine may be busy: tests wait for a state, and time
# limits only end tests that hang.

set -euo pipefail

tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repo=$(cd "$tests/.." && pwd)

fail()
{
	echo "FAIL: $*" >&2
	exit 1
}

# on_debug_kernel: whether this is the test kernel, which is several times slower and
# reports more errors
on_debug_kernel()
{
	[ -e /sys/kernel/debug/kmemleak ]
}

# long_message POLICY: size in bytes of a long message: more than a turn of the responder. Under
# emulation a sealed stream, or the test kernel without a seal, reaches 10 MB/s.
long_message()
{
	if [ -n "$1" ] || on_debug_kernel; then
		echo 100003
	else
		echo 300007
	fi
}

# on WHERE COMMAND...: same as `in`, which is a reserved word at the start of a shell
# command
on()
{
	command in "$@"
}

# older_than VERSION: whether the kernel is older than that version of Linux
older_than()
{
	! printf '%s\n' "$1" "$(uname -r)" | sort -CV
}

# soon COMMAND...: repeat COMMAND until it succeeds; give up after three minutes. A long wait must
# not take the processor from what is awaited: a start costs milliseconds in a VM.
soon()
{
	local end=$((SECONDS + 180)) tenths=1
	until "$@"; do
		((SECONDS < end)) || return 1
		sleep $((tenths / 10)).$((tenths % 10))
		tenths=$((tenths < 10 ? tenths + 1 : 10))
	done
}

# absent FILE...: whether none of these files exists
absent()
{
	local file
	for file; do
		[ ! -e "$file" ] || return 1
	done
}

# say WORDS...: print the next step, with the time
say()
{
	echo "- $* [$SECONDS s]"
}

# counter DEV NAME: value of a hardware counter
counter()
{
	cat "/sys/class/infiniband/$1/ports/1/hw_counters/$2"
}

# The devices of a and b
bed_devices=(srnic0 srnic1)

# expect_sealed POLICY LEAST: a's device has sealed more than LEAST packets, or none if POLICY is
# empty
expect_sealed()
{
	local seals
	seals=$(count_of a "${bed_devices[0]}" sth_sealed)
	if [ -n "$1" ]; then
		[ "$seals" -gt "$2" ] || fail "only $seals packets were sealed"
	else
		[ "$seals" -eq 0 ] || fail "$seals packets were sealed"
	fi
}

# killed PROGRAM: its processes are killed while peers access their memory, and leave no region
killed()
{
	local program=$1 life lives="1 2 3"
	gone() { [ "$(rdma resource show mr | grep -c "$program")" = 0 ]; }
	! on_debug_kernel || lives="1 2"
	for life in $lives; do
		timeout -s KILL "$life" "$program" srnic0 srnic1 100000 || [ $? -eq 137 ]
	done
	soon gone || fail "regions of killed processes are left"
}

# count_of WHERE DEV NAME...: sum of these counters, read inside the namespace, because
# sysfs shows a device only there
count_of()
{
	local where=$1 dev=$2 words i found=0 total=0
	shift 2
	# Without an interpreter: under emulation its start takes half a second
	read -ra words <<<"$(on "$where" rdma statistic show link "$dev/1")"
	for ((i = 2; i + 1 < ${#words[@]}; i++)); do
		[[ " $* " == *" ${words[i]} "* ]] || continue
		total=$((total + words[i + 1]))
		found=$((found + 1))
	done
	[ $found -eq $# ] || fail "$dev has not all counters of: $*"
	echo $total
}

# beyond N WHERE DEV NAME...: whether the sum of these counters is above N
beyond()
{
	[ "$(count_of "${@:2}")" -gt "$1" ]
}

# all_arrived: whether each end has received as many packets as the other has sent
all_arrived()
{
	[ "$(count_of a srnic0 sent_pkts)" -eq "$(count_of b srnic1 rcvd_pkts)" ] &&
		[ "$(count_of b srnic1 sent_pkts)" -eq "$(count_of a srnic0 rcvd_pkts)" ]
}

# nothing_lost: check that no packet was lost between a and b. Retransmissions do not tell:
# on a busy machine the sender may retransmit packets that have arrived.
nothing_lost()
{
	local end
	soon all_arrived || {
		for end in "a srnic0" "b srnic1"; do
			# shellcheck disable=SC2086 # two words
			echo "$end: sent $(count_of $end sent_pkts), received $(count_of $end rcvd_pkts)"
		done
		fail "packets were lost"
	}
}

# dropped: number of packets that the netdevs of a and b dropped. rxe's counters do not tell
# what it received: it counts no packet of a QP that has gone.
dropped()
{
	local end total=0 name
	for end in "a va" "b vb"; do
		for name in rx_dropped tx_dropped; do
			total=$((total + $(on "${end% *}" cat "/sys/class/net/${end#* }/statistics/$name")))
		done
	done
	echo $total
}

# expect_count WHERE DEV NAME OP N: compare a counter with a bound (-eq, -gt ...)
expect_count()
{
	local value
	value=$(count_of "$1" "$2" "$3")
	test "$value" "$4" "$5" || fail "counter $3 of $2 is $value, expected $4 $5"
}

# sent_once WHERE DEV: check that the device retransmitted nothing, unless a probe or the retry
# timer found an answer late: on a machine that stalls, both retransmit packets that have arrived
sent_once()
{
	local names="rcvd_seq_err rcvd_rnr_err probes completer_retry_err" name
	if [ "$(count_of "$1" "$2" probes completer_retry_err)" -eq 0 ] &&
		[ "$(count_of "$1" "$2" retransmits)" -ne 0 ]; then
		for name in $names; do
			echo "$name: $(count_of "$1" "$2" $name)"
		done
		fail "$2 retransmitted $(count_of "$1" "$2" retransmits) packets"
	fi
}

# neither NAME...: check that these counters are 0 at both ends
neither()
{
	local end name
	for end in "a ${bed_devices[0]}" "b ${bed_devices[1]}"; do
		for name; do
			# shellcheck disable=SC2086 # two words
			expect_count $end "$name" -eq 0
		done
	done
}

# child_of PID: set CHILD to the child of the process if it is `timeout`, else to PID
child_of()
{
	local list=/proc/$1/task/$1/children
	CHILD=''
	if [ -e "$list" ]; then
		# this file has no newline at the end
		read -r CHILD _ 2>/dev/null <"$list" || true
	else
		# The test kernel lacks this file; the search takes longer
		CHILD=$(pgrep -P "$1") || true
	fi
	[ "$CHILD" ] || CHILD=$1
}

# hibernate: hibernate as far as to stop all processes, and continue; no image is written. The
# kernel then delays for five seconds without scheduling, which on a busy host is long enough for
# its watchdog.
hibernate()
{
	local watchdog=/proc/sys/kernel/watchdog_thresh threshold
	threshold=$(cat $watchdog)
	echo 60 >$watchdog
	echo freezer >/sys/power/pm_test
	echo disk >/sys/power/state
	echo none >/sys/power/pm_test
	echo "$threshold" >$watchdog
}

# listens PID: whether the process, or its child if it is `timeout`, has a TCP port open
listens()
{
	local line
	child_of "$1"
	while read -r line; do
		# sl, local, remote, st
		[[ ! $line =~ ^[0-9]+:\ [^\ ]+\ [^\ ]+\ 0A ]] || return 0
	done < <(cat "/proc/$CHILD/net/tcp" "/proc/$CHILD/net/tcp6" 2>/dev/null)
	return 1
}

# listens_by_cm PID: the same for rdma_cm
listens_by_cm()
{
	child_of "$1"
	grep -q "state LISTEN .*pid $CHILD " \
		< <(nsenter -t "$CHILD" -n rdma resource show cm_id 2>/dev/null)
}

# awaits_event PID: whether it waits for an event of rdma_cm, as ucmatose and udaddy do when they
# listen. Where the address is a GID, rdma shows no identifiers.
awaits_event()
{
	child_of "$1"
	grep -q ucma_get_event < <(cat "/proc/$CHILD/stack" 2>/dev/null)
}

# joined PID: whether the process's namespace has joined the group that these tests give to
# programs
joined()
{
	child_of "$1"
	# of IP, or of RDMA on an InfiniBand port
	grep -qE '239\.7\.7\.7|ff12:4001:ffff::f07:707' \
		< <(nsenter -t "$CHILD" -n ip maddr show 2>/dev/null)
}

# settle PID COMMAND...: wait until the process listens or has ended; at most a minute
settle()
{
	local pid=$1 how=listens end
	shift
	[[ ! " $* " =~ (\ (rping|ucmatose|udaddy|rstream|-R)|/examples/[a-z_]+)\  ]] || how=listens_by_cm
	[[ " $* " != *" -f gid "* ]] || how=awaits_event
	[[ " $* " != *239.7.7.7* ]] || how=joined
	end=$((${EPOCHREALTIME/[.,]/} + 60 * 1000000))
	until $how "$pid"; do
		[ -e "/proc/$pid" ] || return 0
		((${EPOCHREALTIME/[.,]/} < end)) || {
			echo "after a minute there is no port of: $*" >&2
			return 0
		}
		sleep 0.05
	done
}

# rping_raced LOG: whether rping was through, and only its thread for events failed: it may read
# from the channel when main() has destroyed it, and then ends the process with -1 (cm_thread())
rping_raced()
{
	grep -q 'server DISCONNECT EVENT\.\.\.' "$1" &&
		grep -q '^rdma_get_cm_event: Bad file descriptor' "$1"
}

# pair SERVER-COMMAND -- CLIENT-COMMAND: start the server, wait until it listens, run the
# client. Both must succeed; they are killed after LIMIT seconds (default: 300, on the test
# kernel 900).
pair()
{
	local server=() log status=0 pid limit=300
	! on_debug_kernel || limit=900
	limit=${LIMIT:-$limit}
	while [ "$1" != -- ]; do
		server+=("$1")
		shift
	done
	shift
	log=$(mktemp)
	timeout "$limit" "${server[@]}" >"$log" 2>&1 &
	pid=$!
	settle $pid "${server[@]}"
	timeout "$limit" "$@" >"$log.client" 2>&1 || status=$?
	if [ $status -ne 0 ]; then
		kill $pid 2>/dev/null || true
		wait $pid 2>/dev/null || true
		echo "--- server: ${server[*]}"
		tail -n 40 "$log"
		echo "--- client: $*"
		tail -n 40 "$log.client"
		fail "client exited with $status: $*"
	fi
	wait $pid || rping_raced "$log" || {
		status=$?
		tail -n 15 "$log"
		fail "server exited with $status: ${server[*]}"
	}
	OUT=$log.client
	OUT_SERVER=$log
}

# gid_of WHERE DEV [ipv4|ipv6]: index of a routable RoCEv2 GID
gid_of()
{
	# Not by ibv_devinfo, which takes five seconds on the test kernel
	# shellcheck disable=SC2016 # for that shell to expand
	on "$1" sh -c '
		cd "/sys/class/infiniband/$1/ports/1/gids" || exit
		i=0
		while read -r gid <$i; do
			case $gid in
			0000:0000:0000:0000:0000:ffff:*) family=ipv4 ;;
			0000:0000:0000:0000:* | fe80:*) family= ;;
			*) family=ipv6 ;;
			esac
			if [ "$family" = "$2" ]; then
				echo $i
				exit
			fi
			i=$((i + 1))
		done' sh "$2" "${3:-ipv4}"
}

# gid_of_rxe: likewise of rxe0, which is in the initial namespace
gid_of_rxe()
{
	ibv_devinfo -v -d rxe0 |
		awk '/::ffff:/ && !n++ { match($0, /[0-9]+\]/); print substr($0, RSTART, RLENGTH - 1) }'
}

# tool NAME OPTION...: run a tool of perftest from a to b, with the same options at both
# ends
tool()
{
	local name=$1
	shift
	say "$name $*"
	pair in b "$name" -d srnic1 -x "$(gid_of b srnic1)" -F "$@" -- \
		in a "$name" -d srnic0 -x "$(gid_of a srnic0)" -F "$@" 10.77.0.2
}

# Policies that seal, in the syntax of `testbed up --policy`
sealed_modes="require:header:aes-cmac-128 require:packet:aes-cmac-128 require:aead:aes-gcm-128 require:opaque:aes-gcm-256"

# record: capture the traffic of vb in /run/test/wire.pcap, until `recorded`
record()
{
	record_on b vb
}

# record_on WHERE DEV: likewise of another netdev
record_on()
{
	recorded_in=$1
	# ip netns exec replaces itself, so this is the PID of tcpdump. Port 9 carries the
	# end marker.
	ip netns exec "$recorded_in" tcpdump -i "$2" -Z root -B 32768 --immediate-mode -U \
		-w /run/test/wire.pcap \
		udp port 4791 or udp port 4792 or udp port 9 >/run/test/tcpdump.log 2>&1 &
	recorder=$!
	until [ -s /run/test/wire.pcap ]; do
		kill -0 $recorder || fail "tcpdump: $(cat /run/test/tcpdump.log)"
		sleep 0.05
	done
}

# recorded: send a marker and wait until tcpdump has written it, and so all packets before
# it
recorded()
{
	on "$recorded_in" bash -c 'echo srnic-test-end >/dev/udp/10.77.0.1/9'
	soon grep -aq srnic-test-end /run/test/wire.pcap || fail "tcpdump does not keep up"
	kill $recorder
	wait $recorder || true
	cat /run/test/tcpdump.log
}

# secrets_start: collect the secrets of sealed connections in /run/test/secrets, without which
# no capture of them can be opened, until `secrets_stop`
secrets_start()
{
	rm -f /run/test/secrets
	srnic-secrets --output /run/test/secrets &
	collector=$!
	until [ -s /run/test/secrets ]; do
		kill -0 $collector 2>/dev/null || fail "srnic-secrets has ended"
		sleep 0.05
	done
}

secrets_stop()
{
	kill $collector
	wait $collector || fail "srnic-secrets has failed"
}

# single_packets: send single packets, as on a wire, instead of super-packets
single_packets()
{
	local end
	for end in a b; do
		on $end ethtool -K v$end gso off tso off gro off tx-udp-segmentation off >/dev/null
	done
}

# datagrams_start: start to send ten datagrams from a to b and back, one after the other.
# Sets PINGED and PINGING. With events, so that they sleep while nothing comes.
datagrams_start()
{
	in-b ibv_ud_pingpong -d srnic1 -g "$(gid_of b srnic1)" -e -n 10 >/run/test/s.log 2>&1 &
	PINGED=$!
	settle $PINGED ibv_ud_pingpong
	in-a ibv_ud_pingpong -d srnic0 -g "$(gid_of a srnic0)" -e -n 10 10.77.0.2 >/run/test/c.log 2>&1 &
	PINGING=$!
}

datagrams_end()
{
	kill $PINGED $PINGING 2>/dev/null || true
	wait $PINGED $PINGING 2>/dev/null || true
}

# datagrams_pass: whether they arrive
datagrams_pass()
{
	datagrams_start
	soon grep -q 'iters in' /run/test/c.log || { datagrams_end; return 1; }
	datagrams_end
}

# datagrams_refused LABEL WHERE DEV COUNTER: check that no datagram arrives, and that
# COUNTER grows
datagrams_refused()
{
	local label=$1 before
	shift
	before=$(count_of "$@")
	datagrams_start
	soon beyond "$before" "$@" || fail "$label: $* does not grow: $(cat /run/test/[cs].log)"
	sleep 1		# time for wrongly accepted packets to arrive
	! grep 'iters in' /run/test/[cs].log || fail "$label: datagrams passed"
	datagrams_end
}

# foreign_wire TESTBED-OPTION...: set up a test bed without a connection between ma and mb:
# a program in the namespace m must carry the frames. It gets single frames with full
# checksums.
foreign_wire()
{
	local end dev
	testbed up --netem "limit 100000" "$@"
	for end in a b; do
		on $end ethtool -K v$end gso off tso off gro off tx off tx-udp-segmentation off >/dev/null
	done
	for dev in ma mb x0 x1; do
		ip netns exec m tc qdisc del dev $dev clsact
	done
}

# sealed_rules: for each SUITE:MODE of `seals` write /run/test/rule.N, a script that sets a
# rule for it with the key k
sealed_rules()
{
	local seal i=0
	for seal in "${seals[@]}"; do
		echo "exec srnic policy replace 10.77.0.0/24 require ${seal#*:} ${seal%:*} key k" \
			>/run/test/rule.$i
		i=$((i + 1))
	done
}

# sealed_each OPTION...: run srnic-verify with a connection for each of `seals`, one process
# at each end. Before each connection it sets a rule: that of sealed_rules, or with
# OWN_RULES=yes the caller's.
sealed_each()
{
	[ "${OWN_RULES-}" ] || sealed_rules
	# shellcheck disable=SC2016 # srnic-verify sets it
	set -- "$@" --connections ${#seals[@]} --before 'sh /run/test/rule.$N'
	LIMIT=${LIMIT:-900} pair in b srnic-verify -d srnic1 "$@" -- in a srnic-verify -d srnic0 "$@" 10.77.0.2
	tail -n 1 "$OUT"
}

# goes_on PID: whether srnic1 in b receives a thousand packets more while the process lives,
# and no connection fails; waits three minutes at most
goes_on()
{
	local begin now end=$((SECONDS + 180))
	begin=$(count_of b srnic1 rcvd_pkts)
	while kill -0 "$1" 2>/dev/null && ((SECONDS < end)); do
		! grep -q 'type RC state ERR' < <(on b rdma resource show qp link srnic1) || return 1
		sleep 0.2
		now=$(count_of b srnic1 rcvd_pkts)
		((now - begin < 1000)) || return 0
	done
	return 1
}

# frozen COMMAND...: start an endless rping, run an attack that prints "following" when it
# has found its victim, stop rping during the attack, and let it continue afterwards. Sets
# SURVIVED to whether rping went on; the attack's output is in /run/test/attack.log.
frozen()
{
	local server client attack
	timeout 3000 in-b rping -s -a 10.77.0.2 -V >/run/test/s.log 2>&1 &
	server=$!
	settle $server rping
	"$@" >/run/test/attack.log 2>&1 &
	attack=$!
	timeout 3000 in-a rping -c -a 10.77.0.2 -V >/run/test/c.log 2>&1 &
	client=$!
	until grep -q following /run/test/attack.log; do
		kill -0 $attack 2>/dev/null || fail "the attack gave up: $(cat /run/test/attack.log)"
		sleep 0.1
	done
	pkill -STOP -x rping
	wait $attack || fail "the attack failed: $(cat /run/test/attack.log)"
	pkill -CONT -x rping
	SURVIVED=no
	! goes_on $client || SURVIVED=yes
	kill $client $server 2>/dev/null || true
	wait $client $server || true
}
