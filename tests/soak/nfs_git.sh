#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: over NFS 4.2 on RDMA, clear and sealed, git packs, clones and checks a repository, and a file is changed at random; no byte is wrong
# easy: yes
# timeout: 1200
# cites: issue 26, issue 2.5 (kernel ULPs sealed)
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../consumers.sh"

files=${SRNIC_FILES:-300}
steps=${SRNIC_STEPS:-3000}
commits=4
compared=0
origin=/run/test/origin
export HOME=/run/test GIT_CONFIG_NOSYSTEM=1

# make_origin: a repository with work tree, packed
make_origin()
{
	git init -q -b main $origin
	"$repo/tests/programs/git_history.py" "$files" $commits | git -C $origin fast-import --quiet
	git -C $origin checkout -q
	bytes=$(cd $origin && git ls-files -z | xargs -0 stat -c %s -- |
		awk '{ sum += $1 } END { print sum }')
	say "$(git -C $origin rev-list --count HEAD) commits, $(git -C $origin ls-files | wc -l) files," \
		"$bytes bytes"
}

# by_git: copy the repository to the server, clone it from there to there, and check it
by_git()
{
	say "git clone"
	git clone -q --bare --no-local $origin $mounted/bare
	git -C $mounted/bare repack -q -a -d -f
	git clone -q --no-local $mounted/bare $mounted/clone
	git -C $mounted/clone fsck --full --strict
	# Past the client's cache, and then on the server itself
	umount $mounted
	nfs_mount
	diff -r --no-dereference -x .git $origin $mounted/clone || fail "the client sees other files"
	diff -r --no-dereference -x .git $origin $export/clone || fail "the server has other files"
	git -C $export/clone fsck --full --strict
	[ "$(git -C $export/clone rev-parse HEAD)" = "$(git -C $origin rev-parse HEAD)" ] ||
		fail "this is another commit"
	compared=$((compared + 2 * bytes))
}

needs_program git git
needs_modules nfsd rpcrdma nfsv4
make_origin
for policy in "${passes[@]}"; do
	bed "$policy" --flat
	nfs_server
	nfs_mount
	grep -q " $mounted nfs4 .*vers=4\.2.*proto=rdma" /proc/mounts || fail "$(grep nfs4 /proc/mounts)"
	by_git
	say "$steps steps at random"
	"$repo/tests/programs/random_io.py" --steps "$steps" --seed $RANDOM $mounted/file
	expect_sealed "$policy" 5000
	no_faults
	umount $mounted
	nfs_no_server
	testbed down
done
say "$compared bytes of files are right"
