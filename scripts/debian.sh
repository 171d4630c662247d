# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced after lib.sh: Debian's packages, unpacked into the cache. Nothing is installed.

: "${cache:?}"

# open_archives DIR ARCHITECTURE SUITE...: let apt know these suites alone, from this machine's
# mirrors with Debian's keys; programs that run here are NAME:amd64. It works in DIR; this machine's
# sources and lists do not change. Returns 1 if a suite cannot be reached.
open_archives()
{
	local dir=$1 arch=$2 keys=/usr/share/keyrings/debian-archive-keyring.gpg suite mirror
	shift 2
	[[ -e $keys ]] || die "no $keys: is this Debian?"
	mkdir -p "$dir"/{lists,archives}/partial
	for suite; do
		mirror=$(mirror_of "$suite")
		[[ $mirror ]] || return 1
		printf 'deb [signed-by=%s] %s %s main\n' "$keys" "$mirror" "$suite"
	done >"$dir/sources.list"
	cat >"$dir/apt.conf" <<-EOF
		Dir::Etc::sourcelist "$dir/sources.list";
		Dir::Etc::sourceparts "-";
		Dir::State::lists "$dir/lists";
		Dir::Cache "$dir";
		APT::Architecture "$arch";
		APT::Architectures { "$arch"; "amd64"; };
		APT::Sandbox::User "root";
		Acquire::Languages "none";
	EOF
	export APT_CONFIG=$dir/apt.conf
	apt-get -qq --error-on=any update >&2
}

# mirror_of SUITE: print the address from which this machine's apt has such a suite
mirror_of()
{
	local own
	own=$(. /etc/os-release && printf '%s\n' "$VERSION_CODENAME")
	[[ $1 != *-security ]] || own+=-security
	# shellcheck disable=SC2016 # apt's own variable
	env -u APT_CONFIG apt-get indextargets --format '$(REPO_URI)' \
		'Created-By: Packages' "Release: $own" 'Component: main' | sed -n 1p
}

# depends PACKAGE: print its dependencies, one a line, including alternatives
depends()
{
	apt-cache --no-all-versions show "$1" 2>/dev/null |
		sed -n 's/^Depends: *//p' | tr ',|' '\n' | awk '{print $1}'
}

# first_dependency PATTERN META...: print the package that the first existing meta package
# currently depends on
first_dependency()
{
	local pattern=$1 meta name
	shift
	for meta; do
		name=$(grep -m1 -E "$pattern" < <(depends "$meta")) || continue
		printf '%s\n' "$name"
		return
	done
	return 1
}

# unpack PACKAGE DIR: download and unpack without installing
unpack()
{
	local tmp start=$SECONDS user=()
	tmp=$(mktemp -d "$cache/download.XXXXXX")
	# apt's own user may not be allowed to enter a folder below a home
	((EUID)) || user=(-o APT::Sandbox::User=root)
	say "fetching $1"
	if ! (cd "$tmp" && apt-get -qq "${user[@]}" download "$1" >&2); then
		rm -rf "$tmp"
		return 1
	fi
	dpkg -x "$tmp"/*.deb "$2"
	say "fetched $1, $(du -h "$tmp"/*.deb | cut -f1)," \
		"in $(lasted $((SECONDS - start)))"
	rm -rf "$tmp"
}

# relocate_headers DIR RELEASE: let the headers be used where they were unpacked. The packages'
# paths are absolute.
relocate_headers()
{
	local dir=$1 release=$2
	sed -i "s|/usr/src/|$dir/usr/src/|" \
		"$dir/usr/src/linux-headers-$release/Makefile"
	ln -sfn "$dir/usr/src/linux-headers-$release" "$dir/build"
	# vmlinux has the types for BTF, which would need pahole and time
	rm -f "$dir/usr/src/linux-headers-$release/vmlinux"
}

# unpack_headers DIR RELEASE: unpack what modules are built with
unpack_headers()
{
	local package
	for package in "linux-headers-$2" $(depends "linux-headers-$2" |
		grep -E '^linux-(headers|kbuild)-'); do
		[[ $package != linux-kbuild-* ]] || package+=:amd64
		unpack "$package" "$1"
	done
	relocate_headers "$1" "$2"
}

# unpack_image DIR RELEASE: unpack what a machine boots. Later releases have it in parts.
unpack_image()
{
	local package
	for package in "linux-image-$2" $(depends "linux-image-$2" |
		grep -E '^linux-(base|binary|modules)-[0-9]' || true); do
		unpack "$package" "$1"
	done
}

# The parts of Debian's kernel that a virtual machine without hardware can use. depmod would
# have to read the other 3,500 modules for every VM.
useful_modules=(
	arch block crypto fs lib mm net
	drivers/{block,char,infiniband,net,nvme,target,virtio}
	# for iSER and SRP
	drivers/scsi/{scsi_{common,mod,transport_iscsi,transport_srp},sd_mod,libiscsi}.ko
)
useless_modules=(drivers/net/{can,ethernet,usb,wireless} net/{bluetooth,mac80211,wireless})

trim_modules()
{
	local all=$1.all name
	mv "$1" "$all"
	for name in "${useful_modules[@]}"; do
		[[ $name != *.ko || -e $all/$name ]] || name+=.xz
		[[ -e $all/$name ]] || continue
		mkdir -p "$(dirname "$1/$name")"
		mv "$all/$name" "$1/$name"
	done
	rm -rf "$all" "${useless_modules[@]/#/$1/}"
	# The initramfs needs some of them uncompressed, and xz is slow under TCG
	find "$1" -name '*.ko.xz' -print0 | xargs -0 -r -n 64 -P "$(nproc)" xz -d
}

# prepare_image DIR RELEASE: let scripts/vm boot the image that was unpacked there
prepare_image()
{
	local dir=$1 release=$2
	[[ -e $dir/lib ]] || ln -s usr/lib "$dir/lib"
	say "unpacking the modules of $release"
	trim_modules "$dir/lib/modules/$release/kernel"
	ln -sfn "$dir/build" "$dir/lib/modules/$release/build"
	rm -f "$dir/lib/modules/$release/source"
	depmod -b "$dir" "$release"
	if [[ -e $dir/boot ]]; then
		mv "$dir/boot/vmlinuz-$release" "$dir/vmlinuz"
	else
		mv "$dir/lib/modules/$release/vmlinuz" "$dir/vmlinuz"
	fi
	rm -rf "${dir:?}/boot" "${dir:?}/usr/share"
}

# add_modules DIR RELEASE: add the modules that an earlier version of trim_modules left out. All
# else stays: a VM may be running from there.
add_modules()
{
	local dir=$1 release=$2
	rm -rf "$dir.tmp"
	mkdir "$dir.tmp"
	unpack_image "$dir.tmp" "$release"
	prepare_image "$dir.tmp" "$release"
	cp -rn "$dir.tmp/lib/modules/$release/kernel" "$dir/lib/modules/$release/"
	depmod -b "$dir" "$release"
	rm -rf "$dir.tmp"
}

# The folder of the libraries of a package, below where it is unpacked
libraries=usr/lib/x86_64-linux-gnu

# is_elf FILE: whether it is a program or a library, and not a script
is_elf() { [[ -f $1 && $(head -c 4 "$1" | tr -d '\0') == $'\x7fELF' ]]; }

# use_loader ROOT PROGRAM: put a script in the place of the program, which starts it with the
# C library of ROOT, under its own name
use_loader()
{
	local loader=("$1/$libraries/ld-linux-x86-64.so.2" --library-path "$1/$libraries")
	is_elf "$2" && "${loader[@]}" --list "$2" >/dev/null || return 0
	mv "$2" "$2.elf"
	{
		printf '#!/bin/sh\nexec'
		printf ' %q' "${loader[@]}"
		# shellcheck disable=SC2016 # the script's own
		printf ' --argv0 "$0" %q "$@"\n' "$2.elf"
	} >"$2"
	chmod +x "$2"
}
