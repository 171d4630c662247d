#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: FLUSH and ATOMIC WRITE arrive, in the clear and in every mode, and a FLUSH needs its rights
# easy: yes
# timeout: 240
# cites: R10, R16, P1, issue 26
. "$(dirname "$0")/../lib.sh"

ops=write,atomic_write,flush,flush_mr
# No rxe: the ICRC of its FLUSH covers the headers twice, and the BTH once unmasked, because its
# table of opcodes has no offset of a payload there (6.12). Its ATOMIC WRITE: interop.sh
next=/usr/local/lib/next-rdma-core
[ -e $next/complete ] || {
	echo "no rdma-core of the next Debian, which has ibv_wr_flush(): scripts/setup check unpacks it"
	exit 77
}

# newer COMMAND...: run a program on rdma-core 56, which can post FLUSH
lib=$(dirname $next/usr/lib/*/ld-linux-x86-64.so.2)/
mkdir -p /run/test
newer=/run/test/newer
cat >$newer <<EOF
#!/bin/sh
program=\$(command -v "\$1")
shift
exec ${lib}ld-linux-x86-64.so.2 --library-path $lib:$next/usr/lib "\$program" "\$@"
EOF
chmod +x $newer

# both: a writes to b's memory and flushes it
both()
{
	pair in b srnic-verify -d srnic1 --ops $ops "$@" -- \
		in a $newer srnic-verify -d srnic0 --ops $ops "$@" 10.77.0.2
	tail -n 1 "$OUT"
}

for policy in '' $sealed_modes; do
	say "${policy:-in the clear}"
	testbed up ${policy:+--policy "$policy"}
	both --sizes 1,8,4096,100003 --timeout 20
	on a $newer srnic-flush srnic0
	[ -z "$policy" ] || expect_count b srnic1 sth_opened -gt 40
	testbed down
done
