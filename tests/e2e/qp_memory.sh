#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: an idle RC QP uses less than 8 KiB of kernel memory beyond its rings, and all of it is freed
# easy: yes
# timeout: 120
# cites: issue 2 (memory)
. "$(dirname "$0")/../lib.sh"

most=8192
# The test kernel adds red zones, stack traces and kmemleak's records to every object
! on_debug_kernel || most=32768

testbed up
on a python3 "$repo/tools/bench/qp_memory.py" --device srnic0 \
	--gid-index "$(gid_of a srnic0)" --gid ::ffff:10.77.0.1 --count 500 | tee /run/test/qp_memory
python3 - /run/test/qp_memory $most <<-'END'
	import json, sys
	each = json.load(open(sys.argv[1]))["bytes"]
	assert 0 < each < int(sys.argv[2]), f"{each} bytes a QP"
END
testbed down
