#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: two processes of Open MPI exchange messages through libfabric in the clear, and through UCX sealed
# timeout: 120
# cites: issue 26.4
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../consumers.sh"

rounds=${SRNIC_ROUNDS:-2}
# Both ways in each pass: the long form
every=${SRNIC_EVERY-}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# mpirun looks for a program to reach other hosts, and needs none
export OMPI_MCA_plm_rsh_agent=true

# ranks VARIABLE SUFFIX OPTION...: run rank 0 with srnic0 in the variable, and rank 1 with srnic1
ranks()
{
	local variable=$1 suffix=$2 before bytes
	local program=("$repo/tests/programs/mpi.py" --rounds "$rounds")
	shift 2
	before=$(count_of a srnic0 sent_bytes)
	bytes=$(timeout 150 mpirun -np 1 -x "$variable=srnic0$suffix" "$@" "${program[@]}" : \
		-np 1 -x "$variable=srnic1$suffix" "$@" "${program[@]}" 2>/run/test/mpi.log) ||
		fail "$(tail -n 20 /run/test/mpi.log)"
	say "$bytes bytes are right"
	# Each rank compares what it receives; none of it may have gone through shared memory
	expect_count a srnic0 sent_bytes -ge $((before + bytes))
}

# For the check that is left out see fabrics.sh. UCX also connects a QP to itself, which no seal can
# protect: both directions would have one key and the same numbers. It goes on without, and would
# only print errors.
through_ucx()
{
	say "UCX"
	OMPI_MCA_pml=ucx ranks UCX_NET_DEVICES :1 -x UCX_TLS=rc_v,ud_v,self \
		-x UCX_UD_VERBS_ETH_DGID_CHECK=n -x UCX_LOG_LEVEL=fatal
}

through_libfabric()
{
	say "libfabric"
	OMPI_MCA_pml=cm OMPI_MCA_mtl=ofi OMPI_MCA_opal_common_ofi_provider_include="verbs;ofi_rxm" \
		ranks FI_VERBS_DEVICE_NAME ""
}

needs_program mpirun openmpi-bin
for policy in "${passes[@]}"; do
	# Both ranks are started by one mpirun, in one namespace
	bed "$policy" --flat
	[ -z "$policy$every" ] || through_ucx
	if [ -z "$policy" ] || [ "$every" ]; then through_libfabric; fi
	expect_sealed "$policy" 300
	no_faults
	testbed down
done
