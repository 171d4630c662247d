#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: sockets of RDS, with its RDMA, and of SMC-R v2 carry random bytes both ways, in the clear and sealed
# easy: yes
# timeout: 240
# cites: issue 26.4
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../consumers.sh"

programs=$repo/tests/programs
rounds=${SRNIC_ROUNDS:-1}
bytes=${SRNIC_BYTES:-300000}
connections=2

# begin WORDS...: begin a step, and keep what srnic0 has sent and received until then
begin()
{
	say "$@"
	SENT=$(count_of a srnic0 sent_bytes)
	RCVD=$(count_of a srnic0 rcvd_bytes)
}

# carried LEAST: check that srnic0 has sent and received that many bytes since, without a fault
carried()
{
	expect_count a srnic0 sent_bytes -ge $((SENT + $1))
	expect_count a srnic0 rcvd_bytes -ge $((RCVD + $1))
	no_faults
}

rds()
{
	local compared
	begin "RDS"
	compared=$(timeout 150 "$programs/rds.py" 10.77.0.1 10.77.0.2 --rounds "$rounds") || fail "RDS"
	say "$compared bytes are right"
	# Half of them go each way
	carried $((compared / 2))
}

# answered: whether the server waits for connections
answered() { grep -q listening /run/test/smc.log; }

# smc_once: sockets of SMC carry bytes
smc_once()
{
	local server compared
	begin "SMC-R v2"
	rm -f /run/test/smc.log
	in-b "$programs/smc.py" serve 10.77.0.2 --connections $connections >/run/test/smc.log 2>&1 &
	server=$!
	soon answered || fail "the server does not listen"
	compared=$(timeout 150 in-a "$programs/smc.py" call 10.77.0.2 --connections $connections \
		--bytes "$bytes") || fail "SMC: $(cat /run/test/smc.log)"
	wait $server || fail "SMC's server: $(cat /run/test/smc.log)"
	say "$compared bytes are right"
}

# all_by_srnic: whether no socket has fallen back to TCP: srnic0 would not have sent its bytes
all_by_srnic() { (($(count_of a srnic0 sent_bytes) >= SENT + connections * bytes)); }

# A socket falls back if the first message by RDMA has no answer in 5 s (SMC_LLC_WAIT_FIRST_TIME),
# as on a busy machine: try again
smc()
{
	local tries
	for tries in 1 2 3; do
		smc_once
		! all_by_srnic || break
		say "a socket has fallen back to TCP ($tries)"
	done
	carried $((connections * bytes))
}

needs_modules rds_rdma smc
# Each device becomes a client of both: the modules must not stay
modprobe -r rds_rdma
"$programs/smc.py" eid
for policy in "${passes[@]}"; do
	modprobe rds_rdma
	bed "$policy" --flat
	rds
	smc
	expect_sealed "$policy" 400
	kernel_quiet 'SMC.*(fail|error)|RDS.*(fail|error)'
	# While its devices are there: RDS would try to connect again when the first has gone, and
	# rdma_resolve_addr() warns of its identifier
	modprobe -r rds_rdma
	testbed down
done
modprobe -r smc
