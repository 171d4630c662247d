#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: libfabric's endpoints and UCX's transports carry messages, in the clear and sealed; libfabric compares the bytes
# timeout: 120
# cites: issue 26.4
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../consumers.sh"

size=${SRNIC_SIZE:-100003}
rounds=${SRNIC_ROUNDS:-5}

# libfabric KIND PROVIDER SIZE [SUFFIX], of the device's name. By itself the program takes the first device, even one that has no
# address in this namespace.
libfabric()
{
	local options=(-p "$2" -e "$1" -I "$rounds" -S "$3" -c)
	say "libfabric, $1, $2"
	pair in b fi_pingpong -d "srnic1${4-}" "${options[@]}" -- \
		in a fi_pingpong -d "srnic0${4-}" "${options[@]}" 10.77.0.2
	grep -q "=$rounds " "$OUT" || fail "$(cat "$OUT")"
}

# ucx TRANSPORTS TEST. Before version 1.19 UCX takes the address family of a datagram from the
# completion's service level, where mlx5 alone puts it, and drops all datagrams of other devices
# (uct_ud_iface_check_grh(); its commit 7de57ad9f): do without that check.
ucx()
{
	local options=(-t "$2" -s "$size" -n $((rounds * 4)) -w 1)
	local with=(env UCX_UD_VERBS_ETH_DGID_CHECK=n UCX_TLS="$1")
	say "UCX, $1, $2"
	pair in b "${with[@]}" UCX_NET_DEVICES=srnic1:1 ucx_perftest "${options[@]}" -- \
		in a "${with[@]}" UCX_NET_DEVICES=srnic0:1 ucx_perftest "${options[@]}" 10.77.0.2
	grep -q "^Final: *$((rounds * 4)) " "$OUT" || fail "$(cat "$OUT")"
}

# all_of_them: the long form
all_of_them()
{
	libfabric msg verbs "$size"
	libfabric rdm "verbs;ofi_rxm" "$size"
	libfabric dgram verbs 4000 -dgram
	ucx ud_v tag_bw
	ucx rc_v,ud_v tag_bw
	ucx rc_v,ud_v ucp_put_bw
	ucx rc_v,ud_v ucp_get
}

# some POLICY: the short form, one of each kind, because their processes poll, and so do not share
# a processor well
some()
{
	if [ -z "$1" ]; then
		libfabric msg verbs "$size"
		ucx ud_v tag_bw
	else
		libfabric rdm "verbs;ofi_rxm" "$size"
		ucx rc_v,ud_v tag_bw
	fi
}

needs_program fi_pingpong libfabric-bin
needs_program ucx_perftest ucx-utils
for policy in "${passes[@]}"; do
	bed "$policy"
	if [ "${SRNIC_EVERY-}" ]; then all_of_them; else some "$policy"; fi
	expect_count a srnic0 sent_bytes -gt $((4 * rounds * size))
	expect_sealed "$policy" 200
	no_faults
	testbed down
done
