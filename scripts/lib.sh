# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced by the other scripts: paths, messages, locks.

# depmod, modprobe and others may be missing from a user's PATH
export PATH=$PATH:/usr/sbin:/sbin

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)

# Kernels and their sources are large, slow to build and the same for every checkout, so
# they are kept outside of it.
cache=${SRNIC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/srnic}

me=${0##*/}

say() { printf '%s: %s\n' "$me" "$*" >&2; }
die() { say "$*"; exit 1; }

# help_if_asked ARGUMENT...: if the first argument asks for help, print the comment at the
# start of the script, and exit
help_if_asked()
{
	[[ ${1-} == -h || ${1-} == --help ]] || return 0
	sed -n '4,/^$/s/^# \{0,1\}//p' "$0"
	exit
}

# lasted SECONDS: format a duration
lasted()
{
	if (($1 < 60)); then
		printf '%d s' "$1"
	else
		printf '%d min %02d s' $(($1 / 60)) $(($1 % 60))
	fi
}

# Lock name to file descriptor
declare -A locks=()

# locked NAME: hold a lock until this script and its children have ended, so that two
# scripts do not build the same thing in the cache at once. Returns at once if this script
# holds the lock already.
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

# The options of each kernel that we build, and patches of its source, as files of this folder
declare -A fragments=(
	[debug]='test-kernel.config x86-kernel.config debug-kernel.config'
	[test-i386]='test-kernel.config x86-kernel.config i386-kernel.config'
	[test-s390x]='test-kernel.config s390x-kernel.config'
	[uml]='uml-kernel.config uml-xstate.patch'
	[uml-debug]='uml-kernel.config uml-debug-kernel.config uml-xstate.patch'
)

# config_key FRAGMENT...: an identifier of a kernel that we build, made from the source, the
# compiler, the options, without comments, and the lines that patches change
config_key()
{
	{
		readlink "$cache/source/current"
		"${CC:-gcc}" -dumpfullversion
		(cd "$repo/scripts" && grep -hE '^(CONFIG|[+-])' "$@")
	} | sha256sum | cut -c1-16
}

# is_listed NAME: whether it names a line of kernels.list
is_listed() { grep -q "^${1//./\\.}: " "$repo/scripts/kernels.list"; }

# is_test_kernel NAME: whether scripts/build-test-kernel builds it
is_test_kernel() { [[ ${fragments[$1]-} == test-kernel.config\ * ]]; }

# kernel_dir NAME: the folder of the kernel stock, of one that we build, or of one in
# kernels.list, in the cache, even if it does not exist yet. It has: release (written last),
# vmlinuz (uml: linux), build, lib/modules.
kernel_dir()
{
	[[ $1 != stock ]] || { printf '%s\n' "$cache/stock/current"; return; }
	! is_listed "$1" || { printf '%s\n' "$cache/kernels/$1/current"; return; }
	[[ -n ${fragments[$1]-} ]] || die "unknown kernel '$1': use stock, ${!fragments[*]}" \
		"or one of scripts/kernels.list"
	# shellcheck disable=SC2086 # a list of words
	printf '%s\n' "$cache/$1/$(config_key ${fragments[$1]})"
}

# work_tree: a path to this checkout that make and kbuild can handle. They split paths at
# spaces, so such a checkout is mirrored in the cache, file by file, by links.
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

# build_user_parts [FOLDER]: build the user-space parts, and install them into the folder
build_user_parts()
{
	local part
	for part in userspace-provider{,/libsrnic,/pipeline} tools tests/programs; do
		"$repo/scripts/build-user" "$part" "$@"
	done
}

# merge_usr DIR: move the folder's bin, sbin and lib below its usr
merge_usr()
{
	local name
	for name in bin sbin lib; do
		[[ -d $1/$name && ! -L $1/$name ]] || continue
		mkdir -p "$1/usr/$name"
		cp -a "$1/$name/." "$1/usr/$name/"
		rm -rf "${1:?}/$name"
	done
}
