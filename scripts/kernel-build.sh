# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced by scripts that build a kernel into the cache (build-test-kernel,
# build-uml-kernel). They set: kernel, its name; build, the folder; log; objects, the number
# of files to compile.

# requested: print the options that the kernel must have
requested()
{
	# shellcheck disable=SC2086 # a list of words
	(cd "$repo/scripts" && grep -h '^CONFIG' ${fragments[$kernel]})
}

# Patch the source in the cache, once
patch_source()
{
	local file
	for file in ${fragments[$kernel]}; do
		[[ $file == *.patch ]] || continue
		! patch -s -f -R --dry-run -p1 -d "$src" <"$repo/scripts/$file" >/dev/null || continue
		patch -s -f -p1 -d "$src" <"$repo/scripts/$file" || return
	done
}

# Check that every requested option is set. kconfig silently drops options with unmet
# dependencies, and a test kernel without KASAN would pass every test.
check_config()
{
	local line name missing=()
	while read -r line; do
		name=${line%%=*}
		if [[ $line == *=n ]]; then
			! grep -q "^$name=" "$build/.config" || missing+=("$line")
		else
			grep -qxF "$line" "$build/.config" || missing+=("$line")
		fi
	done < <(requested)
	((${#missing[@]} == 0)) && return
	say "these options did not get into the $kernel kernel:"
	printf '\t%s\n' "${missing[@]}" >&2
	return 1
}

# progress: print a line now and then, until killed
progress()
{
	local start=$SECONDS n percent
	while sleep 15; do
		n=$(grep -cE '^  (CC|AS)' "$log" || true)
		percent=$((n * 100 / objects))
		say "$((percent < 99 ? percent : 99)) %, $(lasted $((SECONDS - start)))"
	done
}

# fail WHAT: show the end of the log and exit
fail()
{
	tail -n 20 "$log" >&2
	die "$1; the whole log is in $log"
}

# Delete the objects, gigabytes of them. Keep what the build of an external module needs,
# and vmlinux, to look up addresses.
forget_objects()
{
	find "$build" -type f \( -name '*.o' -o -name '*.a' -o -name '.*.cmd' \
		-o -name '*.ko' -o -name '*.mod' -o -name '*.mod.c' \
		-o -name 'vmlinux.*' -o -name '.tmp_*' \) \
		! -path "$build/scripts/*" ! -path "$build/tools/*" \
		! -path "$build/include/*" -delete
}
