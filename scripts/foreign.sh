# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced after lib.sh: kernels of other processors than this machine's. Their programs are built
# with a cross compiler against a root of that processor in the cache (scripts/fetch-root), which
# is also the root that scripts/vm shows.

: "${cache:?}"

# By architecture: the prefix of its compiler, and the name of the folder of its libraries
declare -rA triplets=([arm64]=aarch64-linux-gnu [s390x]=s390x-linux-gnu)

# arch_of NAME: print Debian's name of the architecture of a kernel, by the end of its name in
# kernels.list
arch_of()
{
	local arch=${1##*-}
	[[ ${triplets[$arch]-} ]] || arch=amd64
	printf '%s\n' "$arch"
}

is_foreign() { [[ $1 != amd64 ]]; }

# root_of ARCH: the folder of its root
root_of() { printf '%s\n' "$cache/root-$1"; }

# cross_variables ARCH: print the variables of make that build a program for it, one a line
cross_variables()
{
	local root libraries=usr/lib/${triplets[$1]}
	root=$(root_of "$1")
	cat <<-END
		CC=${triplets[$1]}-gcc --sysroot=$root
		PKG_CONFIG=env PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR=$root/$libraries/pkgconfig:$root/usr/share/pkgconfig pkg-config
		libdir=/$libraries
	END
}
