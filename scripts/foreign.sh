# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced after lib.sh: kernels of other processors than this machine's. Their programs are built
# with a cross compiler against a root of that processor in the cache (scripts/fetch-root), which
# is also the root that scripts/vm shows.

: "${repo:?}" "${cache:?}"

# By Debian's name of an architecture: the folder of its libraries, the prefix of its compiler if
# that is another name, and the kernel's name of it if that is another
declare -rA triplets=([arm64]=aarch64-linux-gnu [i386]=i386-linux-gnu [s390x]=s390x-linux-gnu)
declare -rA prefixes=([i386]=i686-linux-gnu)
declare -rA kernel_names=([s390x]=s390)

# prefix_of ARCH: print the prefix of its compiler
prefix_of() { printf '%s\n' "${prefixes[$1]:-${triplets[$1]}}"; }

# need_compiler ARCH: install the compiler if it is missing
need_compiler() { command -v "$(prefix_of "$1")-gcc" >/dev/null || "$repo/scripts/setup" foreign; }

# kernel_variables ARCH: print the variables of make that build a kernel for it, one a line
kernel_variables() { printf '%s\n' "ARCH=${kernel_names[$1]:-$1}" "CROSS_COMPILE=$(prefix_of "$1")-"; }

# arch_of NAME: print Debian's name of the architecture of a kernel, by the end of the kernel's name
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
		CC=$(prefix_of "$1")-gcc --sysroot=$root
		PKG_CONFIG=env PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR=$root/$libraries/pkgconfig:$root/usr/share/pkgconfig pkg-config
		libdir=/$libraries
	END
}
