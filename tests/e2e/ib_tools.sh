#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: the tools of InfiniBand's administrators (infiniband-diags) read an InfiniBand port: its state, tables and counters, and what its subnet administration knows
# easy: yes
# timeout: 240
# cites: protocol.md section 17; srnic(7), InfiniBand ports
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../ib.sh"

# shows WORDS COMMAND...: whether the command succeeds and prints the words, apart from the
# dots with which these tools fill their lines
shows()
{
	local wanted=$1 said
	shift
	said=$(on a "$@" 2>&1) || fail "$* has failed: $said"
	[[ $(tr -s '. \t\n' ' ' <<<"$said") == *"$wanted"* ]] || fail "$* does not say '$wanted': $said"
}

# xmit_packets: as perfquery reads it
xmit_packets()
{
	on a perfquery -C iba -x "$lid" 1 | tr -d . | sed -n 's/^PortXmitPkts://p'
}

command -v saquery >/dev/null || fail "infiniband-diags is not installed: run scripts/setup"
testbed up
modprobe ib_umad
ib_up a
ib_up b
port=/sys/class/infiniband/iba/ports/1
lid=$(<$port/lid)
guid=0x$(tr -d : <<<"$(cut -d: -f5- $port/gids/0)")
on a ping -c 1 -W 60 10.78.0.2

say "state"
shows "State: Active Physical state: LinkUp" ibstat iba 1
shows "Base lid: $((lid))" ibstat iba 1
shows "4: ACTIVE" ibstatus iba
shows "GID $(python3 -c "import ipaddress; print(ipaddress.ip_address('$(<$port/gids/0)'))")" \
	ibaddr -C iba

say "the management agent, by LID and by directed route"
for way in "$lid" "-D 0"; do
	# shellcheck disable=SC2086 # two words
	{
		shows "NodeType: Channel Adapter" smpquery -C iba nodeinfo $way
		shows "PortGuid: $guid" smpquery -C iba nodeinfo $way
		shows "LinkState: Active" smpquery -C iba portinfo $way
		shows "0: 0xffff 0x0000" smpquery -C iba pkeys $way
		shows "$guid" smpquery -C iba gi $way
	}
done
shows "SMINFO_MASTER" sminfo -C iba

say "the performance agent counts what leaves"
before=$(xmit_packets)
on a ping -q -c 20 -i 0.01 10.78.0.2
[ "$(xmit_packets)" -ge $((before + 20)) ] || fail "$(xmit_packets) packets after $before"
shows "SymbolErrorCounter: 0" perfquery -C iba "$lid" 1

say "the subnet administration: nodes, paths, groups"
peer=$(cat /sys/class/infiniband/ibb/ports/1/gids/0)
shows "port_guid $guid" saquery -C iba NR
shows "LinkState: Active" saquery -C iba PIR
shows "dlid $(($(cat /sys/class/infiniband/ibb/ports/1/lid)))" \
	saquery -C iba --sgid-to-dgid "$(<$port/gids/0)-$peer"
shows "MGID ff12:401b:ffff::ffff:ffff" saquery -C iba -g
shows "Base version 1" saquery -C iba -c

say "a fabric of one node"
shows "Ca 1" ibnetdiscover -C iba
ib_delete a
ib_delete b
testbed down
