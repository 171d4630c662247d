#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: a provider of another version of the ABI is refused by libibverbs, in one line that names both versions
# easy: yes
# cites: issue 27.5, abi.md
. "$(dirname "$0")/../lib.sh"

ours=$(awk '$2 == "SRNIC_ABI_VERSION" { print $3 }' include/uapi/rdma/srnic-abi.h)
other=$((ours + 1))

# another_version FILE: let the provider be of the next version of the ABI
another_version()
{
	python3 - "$1" "$ours" "$other" <<-'END'
		import struct, sys
		path, ours, other = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
		old = struct.pack("II", ours, ours)     # match_min_abi_version, match_max_abi_version
		text = open(path, "rb").read()
		assert text.count(old) == 1, f"{text.count(old)} places look like the versions"
		open(path, "wb").write(text.replace(old, struct.pack("II", other, other)))
	END
}

testbed up
# That of the libibverbs that runs: there may be one for a newer libibverbs as well
pabi=$(grep -aom1 'IBVERBS_PRIVATE_[0-9]*' /usr/lib/*/libibverbs.so.1)
provider=$(ls /usr/lib/*/libibverbs/libsrnic-rdmav"${pabi##*_}".so)
cp "$provider" /run/test/provider.so
on a ibv_devinfo -d srnic0 >/run/test/devinfo || fail "the provider of this version is refused"

another_version "$provider"
! on a ibv_devinfo -d srnic0 >/run/test/devinfo 2>&1 || fail "a provider of another version is taken"
cat /run/test/devinfo
grep -q "Driver srnic does not support the kernel ABI of $ours (supports $other to $other)" /run/test/devinfo ||
	fail "the versions are not named"

cp /run/test/provider.so "$provider"
on a ibv_devinfo -d srnic0 >/run/test/devinfo || fail "the provider of this version is refused later"
testbed down
