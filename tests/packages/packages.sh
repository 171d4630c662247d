#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Check the Debian packages: two builds are equal, lintian has nothing to say, and apt installs,
# upgrades and purges them in a fresh Debian, where DKMS builds the module for each kernel.
# TAP on standard output.
#
#	tests/packages/packages.sh FOLDER
#
# Cites: issue 27.3.

set -uo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd -P)
. "$top/tests/packages/debian.sh"

# sums FOLDER: the checksums of its packages
sums() { (cd "$1" && sha256sum -- *.deb); }

# later: build the packages of a later version
later()
{
	mkdir "$work/later"
	tar -C "$top" --exclude=./build --exclude=./.git -c . | tar -C "$work/later" -x
	sed -i 's/^srnic (0\.1)/srnic (0.1.1)/' "$work/later/debian/changelog"
	sed -i 's/"0\.1"/"0.1.1"/' "$work/later/include/srnic_version.h"
	"$work/later/scripts/build-packages" "$work/2" >&2
}

# is VERSION: whether module and tools of the fresh Debian say so
is()
{
	[[ $(find "$debian/lib/modules/" -name 'srnic.ko*' -exec modinfo -F version {} \; |
		sort -u) == "$1" ]] &&
		[[ $(in_debian srnic --version) == "srnic $1" ]] &&
		[[ $(in_debian srnicd --version) == "srnicd $1" ]]
}

# built_for PATTERN: whether DKMS has installed the module for such a kernel
built_for()
{
	in_debian dkms status srnic >"$work/status"
	grep -q "$1.*: installed" "$work/status"
}

# listing: the files of the fresh Debian, without logs, caches and what changes by itself
listing()
{
	(cd "$debian" && find . -path ./proc -prune -o -path ./packages -prune -o \
		-path ./var/log -prune -o -path ./var/cache -prune -o -path ./var/lib -prune -o \
		-path ./tmp -prune -o -print | sort)
}

"$top/scripts/build-packages" "$work/1" >&2 && "$top/scripts/build-packages" "$work/again" >&2
ok $? "they are built, and lintian has no error and no warning"
first=$(sums "$work/1") && [[ $first == "$(sums "$work/again")" ]]
ok $? "a second build gives the same bytes"
later
ok $? "a later version is built"

fresh_debian "$(own_release)" && install linux-headers-amd64 dkms pkgconf gcc libc6-dev
ok $? "a fresh Debian has headers of its kernel"
listing >"$work/before"
give "$work/1" && install "${debs[@]}"
ok $? "apt installs them, with all that they need"
built_for amd64
ok $? "DKMS has built the module for that kernel"
is 0.1
ok $? "module and tools have the version of the package"
in_debian python3 -c 'import srnic, rdma_pipeline' >&2
ok $? "the modules for Python are there"
in_debian sh -e >&2 <<'END'
pkg-config --exists libsrnic
for example in /usr/share/doc/librdma-pipeline-dev/examples/*_many.c; do
	cc -o /tmp/example "$example" $(pkg-config --cflags --libs librdma_pipeline)
done
END
ok $? "programs can be built with the libraries"
install linux-headers-6.12-amd64 && built_for '6\.12'
ok $? "a new kernel's headers come, and DKMS builds the module for it"

echo '# mine' >>"$debian/etc/libibverbs.d/srnic.driver"
give "$work/2" && install "${debs[@]}" && is 0.1.1
ok $? "apt upgrades them"
grep -q '^# mine' "$debian/etc/libibverbs.d/srnic.driver"
ok $? "what the administrator has written in a file of /etc stays"
names=("${debs[@]##*/}")
in_debian apt-get -y -q purge "${names[@]%%_*}" >&2
ok $? "apt purges them"
left=$(listing | comm -13 "$work/before" - | grep -iE 'srnic|rdma.pipeline')
echo "# ${left:-nothing is left}"
[[ -z $left ]]
ok $? "nothing is left"
the_end
