# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced after lib.sh by the scripts that build a kernel into the cache (build-test-kernel,
# build-uml-kernel). They set:
#	kernel		its name
#	variables	variables of make
#	base		the target of make that writes the first configuration
#	targets		those that build the image and the modules
#	objects		the number of files to compile; only the progress line uses it
# define:
#	take_image	copy the image from $build to $dir
# and call build_kernel.

kmake() { make -C "$src" O="$build" "${variables[@]}" -j"$(nproc)" "$@"; }

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

configure()
{
	kmake "$base"
	# The last setting of an option wins
	requested >>"$build/.config"
	kmake olddefconfig
}

# build_kernel: build the kernel, unless the cache has it, and print its folder. scripts/vm and
# scripts/uml call it at each start.
build_kernel()
{
	"$repo/scripts/setup" source
	src=$(cd "$cache/source/current" && pwd -P)
	dir=$(kernel_dir "$kernel")
	build=$dir/build
	log=$dir/build.log
	[[ -e $dir/release ]] || locked "$kernel"
	# Another run may have built it while this one waited for the lock
	[[ -e $dir/release ]] || compile
	printf '%s\n' "$dir"
}

# compile: build the kernel into $dir, under the lock
compile()
{
	local release ticker

	mkdir -p "$build"
	say "building the $kernel kernel in $dir, about 8 minutes on 2 cores"
	patch_source >"$log" 2>&1 || fail "a patch does not fit the source"
	configure >>"$log" 2>&1 || fail "the configuration failed"
	check_config

	progress {lock_fd}>&- &
	ticker=$!
	# shellcheck disable=SC2064 # its number is local
	trap "kill $ticker 2>/dev/null || true" EXIT
	kmake "${targets[@]}" >>"$log" 2>&1 || fail "the build failed"
	kmake INSTALL_MOD_PATH="$dir" modules_install >>"$log" 2>&1 ||
		fail "the modules were not installed"

	take_image
	release=$(<"$build/include/config/kernel.release")
	ln -sfn "$build" "$dir/lib/modules/$release/build"
	forget_objects
	printf '%s\n' "$release" >"$dir/release"
	say "the $kernel kernel $release is built, in $(lasted "$SECONDS")"
}
