# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced by the tests of packages, which have set top, with their arguments: FOLDER first. A fresh
# Debian in $debian, below a folder of this run, $work; and packages for it.

: "${top:?}"
. "$top/scripts/lib.sh"
. "$top/scripts/debian.sh"
. "$top/tests/tools/tap.sh"
help_if_asked "$@"

mkdir -p "$1"
logs=$(cd "$1" && pwd -P)
work=$(mktemp -d "$logs/run.XXXXXX")
debian=$work/debian

# leave: let the folders be removed; traps call it
leave()
{
	local at
	for at in "$debian" "$work/builder"; do
		umount "$at/proc" 2>/dev/null
	done
	rm -rf "$work"
}
trap leave EXIT

# in_debian COMMAND...: run a command in the fresh Debian. A make of DKMS would heed the variables
# that the make of 'make soak' was given, O= among them.
in_debian()
{
	env -u MAKEFLAGS -u MAKEOVERRIDES -u MFLAGS -u MAKELEVEL \
		DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 chroot "$debian" "$@"
}

# install PACKAGE...: install them there; if that fails, show why DKMS has not built the module
install()
{
	in_debian apt-get -y -q --no-install-recommends install "$@" >&2 && return
	find "$debian/var/lib/dkms" -name make.log -exec tail -n 40 {} + >&2
	return 1
}

own_release() { (. /etc/os-release && echo "$VERSION_CODENAME"); }

# fresh_debian RELEASE: unpack it into $debian, from this machine's own mirrors
fresh_debian()
{
	local suite lines=()
	for suite in "$1" "$1-security"; do
		lines+=("deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(mirror_of "$suite") $suite main")
	done
	mmdebstrap --quiet --mode=root --variant=apt --skip=check/qemu "$1" "$debian" \
		"${lines[@]}" >&2 &&
		mount -t proc proc "$debian/proc" && in_debian apt-get -qq update >&2
}

# build_for RELEASE FOLDER: build the packages in that release, unless it is this machine's
build_for()
{
	if [[ $1 == "$(own_release)" ]]; then
		"$top/scripts/build-packages" "$2" >&2
		return
	fi
	local debian=$work/builder
	fresh_debian "$1" && install dpkg-dev || return
	mkdir -p "$debian/build/srnic" "$2"
	tar -C "$top" --exclude=./build --exclude=./.git -c . | tar -C "$debian/build/srnic" -x
	in_debian sh -ec 'cd /build/srnic
		apt-get -y -q --no-install-recommends build-dep ./
		dpkg-buildpackage --build=binary --no-sign -j"$(nproc)"' >&2 || return
	mv "$debian"/build/*.deb "$2/"
	umount "$debian/proc"
	rm -rf "$debian"
}

# give FOLDER: put its packages into the fresh Debian, without those of debugging symbols. Sets debs.
give()
{
	rm -rf "$debian/packages"
	mkdir "$debian/packages"
	cp "$1"/*.deb "$debian/packages/"
	rm -f "$debian"/packages/*-dbgsym_*
	debs=("$debian"/packages/*.deb)
	debs=("${debs[@]#"$debian"}")
}
