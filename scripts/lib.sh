# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced by the other scripts: where things are, and how to speak.

# A user's path may lack where depmod, modprobe and their like are
export PATH=$PATH:/usr/sbin:/sbin

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)

# Kernels and their sources are large, slow to make and the same for every
# checkout: they live outside it.
cache=${SRNIC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/srnic}

me=${0##*/}

say() { printf '%s: %s\n' "$me" "$*" >&2; }
die() { say "$*"; exit 1; }

# lasted SECONDS: a duration as people write it
lasted()
{
	if (($1 < 60)); then
		printf '%d s' "$1"
	else
		printf '%d min %02d s' $(($1 / 60)) $(($1 % 60))
	fi
}

# name of a lock: the file descriptor that holds it
declare -A locks=()

# locked NAME: hold a lock until this script and what it started have ended, so
# that two of them do not make the same thing in the cache at once. Who holds it
# already need not wait, least of all for himself.
locked()
{
	[[ -z ${locks[$1]-} ]] || return 0
	mkdir -p "$cache"
	exec {lock_fd}>"$cache/.lock-$1"
	locks[$1]=$lock_fd
	flock -n "$lock_fd" && return
	say "waiting for another $me"
	flock "$lock_fd"
}

# config_key FRAGMENT: what identifies a kernel that we build: the source, the
# compiler, the options, but not the comments between them.
config_key()
{
	{
		readlink "$cache/source/current"
		"${CC:-gcc}" -dumpfullversion
		grep '^CONFIG' "$repo/scripts/$1"
	} | sha256sum | cut -c1-16
}

# kernel_dir stock|debug|uml: the folder of that kernel in the cache, whether it
# is there or not. In it: release (written last), vmlinuz (of uml: linux), build,
# lib/modules.
kernel_dir()
{
	case $1 in
	stock) printf '%s\n' "$cache/stock/current" ;;
	debug) printf '%s\n' "$cache/debug/$(config_key debug-kernel.config)" ;;
	uml) printf '%s\n' "$cache/uml/$(config_key uml-kernel.config)" ;;
	*) die "no kernel '$1': stock, debug or uml" ;;
	esac
}

# work_tree: a path to this checkout that make and kbuild can work in. They
# take a path with a space for two. Such a checkout is mirrored in the cache,
# file by file, by links.
work_tree()
{
	local tree part
	if [[ $repo != *[[:space:]:%#\$]* ]]; then
		printf '%s\n' "$repo"
		return
	fi
	tree=$cache/mirror/$(printf '%s' "$repo" | sha256sum | cut -c1-16)
	mkdir -p "$tree"
	for part in "$repo"/*; do
		[[ $part == */build ]] || cp -rsf "$part" "$tree/"
	done
	find "$tree" -xtype l -delete
	printf '%s\n' "$tree"
}
