# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Connections that are made again and again while a test does something to both ends, and a watch
# for packets without a seal. After lib.sh, for tests of keys that are replaced.

clear=/run/test/clear.pcap
empty=24	# bytes of a capture without packets
# logs that explain why a connection has failed; a test adds its own
evidence=(/run/test/connect.log)
# seconds between connections: where time must pass, others would only take the processor
rest=0

# connect: make two connections with messages in both directions, until told to stop
connect()
{
	local n=0
	until [ -e /run/test/stop ]; do
		pair in b ucmatose -b 10.77.0.2 -c 2 -C 5 -S 1000 -- \
			in a ucmatose -s 10.77.0.2 -c 2 -C 5 -S 1000
		n=$((n + 1))
		echo $n >/run/test/made.new
		mv /run/test/made.new /run/test/made
		sleep "$rest"
	done
}

# connecting_start: make connections in the background
connecting_start()
{
	echo 0 >/run/test/made
	connect >/run/test/connect.log 2>&1 &
	connecting=$!
}

# connecting_stop: check that the last ones could be made, too
connecting_stop()
{
	touch /run/test/stop
	wait $connecting || fail "a connection failed: $(cat "${evidence[@]}")"
}

# made: how often connections have been made
made()
{
	cat /run/test/made
}

# more_than N: whether connections have been made more than N times, or cannot be made
more_than()
{
	[ "$(made)" -gt "$1" ] || ! kill -0 $connecting 2>/dev/null
}

# meanwhile: wait until connections have been made that were begun before, or since
meanwhile()
{
	soon more_than "$(made)" || fail "no connection is made: $(cat /run/test/connect.log)"
	kill -0 $connecting 2>/dev/null || fail "a connection failed: $(cat "${evidence[@]}")"
}

# watch: capture packets without a seal: those whose BTH has STH code 0
watch()
{
	ip netns exec b tcpdump -i vb -Z root --immediate-mode -U -w $clear \
		'udp port 4791 and udp[16] & 0x70 = 0' >/run/test/tcpdump.log 2>&1 &
	watcher=$!
	soon test -s $clear || fail "tcpdump: $(cat /run/test/tcpdump.log)"
}

# nothing_clear: check that no packet without a seal was seen
nothing_clear()
{
	[ "$(stat -c %s $clear)" -eq $empty ] || fail "packets in the clear: $(tcpdump -nc 10 -r $clear)"
}
