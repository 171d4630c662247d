#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: the srnic command works against the kernel: rules, keys, quotas, output, errors, permissions
# core: srnic command
# easy: yes
# timeout: 300
# cites: protocol.md 6, srnic(7) and srnic(8)
. "$(dirname "$0")/../lib.sh"

# refused STATUS PATTERN WHERE COMMAND...: check that COMMAND exits with STATUS and prints
# one line on stderr that matches
refused()
{
	local status=$1 pattern=$2 got=0
	shift 2
	# That kernel's messages to netlink have no values (control/compat_genl.h)
	! older_than 6.2 || pattern="($pattern|this name or value is unknown)"
	on "$@" >/run/test/out 2>/run/test/err </dev/null || got=$?
	[ "$got" -eq "$status" ] || fail "$*: status $got, not $status: $(cat /run/test/err)"
	[ "$(wc -l </run/test/err)" -eq 1 ] || fail "$*: not one line: $(cat /run/test/err)"
	grep -qE "^srnic: .*$pattern" /run/test/err || fail "$*: $(cat /run/test/err)"
	[ ! -s /run/test/out ] || fail "$*: refused, but prints: $(cat /run/test/out)"
}

# json WHERE EXPRESSION COMMAND...: evaluate EXPRESSION on the command's JSON output, named
# x
json()
{
	local where=$1 expression=$2
	shift 2
	on "$where" "$@" >/run/test/json
	python3 -c 'import json, sys
x = json.load(open("/run/test/json"))
print(eval(sys.argv[1]))' "$expression" || fail "$*: no JSON, or not this: $(cat /run/test/json)"
}

# expect WANTED WHERE EXPRESSION COMMAND...
expect()
{
	local wanted=$1 got
	shift
	got=$(json "$@")
	[ "$got" = "$wanted" ] || fail "$*: $got, not $wanted"
}

# without_chacha20: remove the cipher, if it is a module
without_chacha20()
{
	modprobe -r chacha20poly1305
	echo "install chacha20poly1305 /bin/false" >/etc/modprobe.d/srnic-test.conf
	refused 1 "chacha20-poly1305 needs rfc7539\(chacha20,poly1305\), which this kernel lacks" \
		a srnic policy add 10.77.0.2/32 require aead chacha20-poly1305 key lab
	expect "['chacha20-poly1305']" a '[s["suite"] for s in x if not s["available"]]' srnic -j suite
	rm /etc/modprobe.d/srnic-test.conf
	on a srnic policy add 10.77.0.2/32 require aead chacha20-poly1305 key lab

	say "nor is there a connection where it has gone since, and the log says why"
	modprobe -r chacha20poly1305
	echo "install chacha20poly1305 /bin/false" >/etc/modprobe.d/srnic-test.conf
	in-b timeout 900 ibv_rc_pingpong -d srnic1 -g "$(gid_of b srnic1)" -n 10 >/dev/null 2>&1 &
	server=$!
	settle $server ibv_rc_pingpong
	! on a timeout 300 ibv_rc_pingpong -d srnic0 -g "$(gid_of a srnic0)" -n 10 10.77.0.2 >/dev/null 2>&1 ||
		fail "a connection without the suite's algorithm"
	kill $server 2>/dev/null || true
	wait $server || true
	dmesg >/run/test/dmesg
	grep -q "srnic: no connection with .*10\.77\.0\.2: suite chacha20-poly1305 needs rfc7539" /run/test/dmesg ||
		fail "the log does not say what is missing: $(grep srnic: /run/test/dmesg)"
	rm /etc/modprobe.d/srnic-test.conf
	on a srnic policy del 10.77.0.2/32
}

testbed up
umask 077

say "a device is shown where its netdev is, and nowhere else"
expect "['srnic0']" a '[d["device"] for d in x]' srnic -j show
expect "['srnic1']" b '[d["device"] for d in x]' srnic -j show
[ "$(srnic -j show)" = "[]" ] || fail "the initial namespace shows devices of others"
refused 1 "no srnic device 'srnic1' in this namespace" a srnic show dev srnic1

say "the doctor finds no fault where there is none"
on a srnic doctor >/run/test/doctor || fail "a fault: $(cat /run/test/doctor)"
srnic doctor >/run/test/doctor && fail "no fault without a device: $(cat /run/test/doctor)"
grep -q "^FAULT .*there is no device" /run/test/doctor || fail "$(cat /run/test/doctor)"

say "keys: gen, add, replace, list, del"
on a srnic key gen lab --file /run/test/lab.key
[ "$(stat -c '%a %s' /run/test/lab.key)" = "600 65" ] || fail "key gen left $(stat -c '%a %s' /run/test/lab.key)"
refused 2 "File exists" a srnic key gen lab2 --file /run/test/lab.key
on b srnic key add lab <"/run/test/lab.key"
head -c 16 /dev/urandom >/run/test/raw.key
refused 1 "there is a key of this name: replace or delete it" a srnic key add lab --raw --file /run/test/raw.key
on a srnic key add other --raw --file /run/test/raw.key
expect "[('lab', 32), ('other', 16)]" a '[(k["name"], k["bytes"]) for k in x]' srnic -j key
expect "[('lab', 32)]" b '[(k["name"], k["bytes"]) for k in x]' srnic --json key list
on a srnic key del other
refused 1 "no key of this name: see 'srnic key list'" a srnic key del other

say "nobody can read them, nor see that they are there"
if grep srnic /proc/keys; then
	fail "keys are listed in /proc/keys"
fi
if on a srnic -j key | grep -i "$(cut -c1-16 /run/test/lab.key)"; then
	fail "a dump shows a key"
fi

say "bad keys and lines are refused before the kernel is asked"
head -c 15 /dev/urandom >/run/test/short.key
head -c 33 /dev/urandom >/run/test/long.key
refused 2 "holds 15 bytes: a key has 16 to 32" a srnic key add k --raw --file /run/test/short.key
refused 2 "holds 33 bytes" a srnic key add k --raw --file /run/test/long.key
refused 2 "standard input is empty" a srnic key add k
refused 2 "never on the command line" a srnic key add k 00112233445566778899aabbccddeeff
refused 2 "write 10.77.0.0/24" a srnic policy add 10.77.0.1/24 off
refused 2 "'require' needs a key" a srnic policy add 10.77.0.0/24 require aead aes-gcm-128
refused 2 "use 1 to 31 letters" a srnic policy add 10.77.0.0/24 require aead aes-gcm-128 key 'a b'

say "rules: add, replace, list, del; the kernel says what is wrong"
on a srnic policy add 10.77.0.0/24 require aead aes-gcm-128 key lab
on a srnic policy add fd77::/64 prefer packet aes-cmac-128 key nowhere
on a srnic policy add default off
expect "[('10.77.0.0/24', 'require', True), ('fd77::/64', 'prefer', False), ('default', 'off', None)]" \
	a '[(r["prefix"], r["rule"], r.get("key_present")) for r in x]' srnic -j policy
grep -q "^note .*fd77::/64: key nowhere is missing" < <(on a srnic doctor) || fail "the doctor misses a key"
refused 1 "there is a rule with this prefix: replace or delete it" a srnic policy add 10.77.0.0/24 off
refused 1 "suite aes-gcm-128 does not offer this mode: choose aead or opaque" \
	a srnic policy replace default require header aes-gcm-128 key lab
refused 1 "suite aes-cmac-128 does not offer this mode: choose header or packet" \
	a srnic policy replace default require aead aes-cmac-128 key lab
refused 1 "suite aes-gmac-256 does not offer this mode: choose header or packet" \
	a srnic policy replace default require aead aes-gmac-256 key lab
refused 1 "suite chacha20-poly1305 does not offer this mode: choose aead or opaque" \
	a srnic policy replace default require packet chacha20-poly1305 key lab
refused 1 "unknown suite 'rot13': see 'srnic suite list'" a srnic policy replace default require aead rot13 key lab
refused 1 "no rule with exactly this prefix" a srnic policy del 10.77.0.0/25
on a srnic policy replace default prefer header aes-cmac-128 key lab
on a srnic policy del fd77::/64
expect "['10.77.0.0/24', 'default']" a '[r["prefix"] for r in x]' srnic -j policy
on a srnic policy del default
expect "[]" b 'x' srnic -j policy

say "an algorithm that the kernel lacks is named when a rule asks for it"
[ "$(on a srnic -j suite | grep -o '"available":true' | wc -l)" -eq "$(on a srnic -j suite | grep -o '"suite"' | wc -l)" ] ||
	fail "not every suite is available: $(on a srnic suite)"
[ "$(modinfo -n chacha20poly1305)" = "(builtin)" ] || without_chacha20

say "nor where packets are longer than the way there allows"
on a ip link set va mtu 2000
in-b timeout 900 ibv_rc_pingpong -d srnic1 -g "$(gid_of b srnic1)" -m 4096 -n 10 >/dev/null 2>&1 &
server=$!
settle $server ibv_rc_pingpong
! on a timeout 300 ibv_rc_pingpong -d srnic0 -g "$(gid_of a srnic0)" -m 4096 -n 10 10.77.0.2 \
	>/run/test/c.log 2>&1 || fail "a connection without room for its packets"
grep -q "Failed to modify QP to RTR" /run/test/c.log || fail "not refused at once: $(cat /run/test/c.log)"
kill $server 2>/dev/null || true
wait $server || true
dmesg >/run/test/dmesg
grep -q "srnic: no connection with .*10\.77\.0\.2: path MTU 4096 needs packets of [0-9]* bytes" /run/test/dmesg ||
	fail "the log does not say what has no room: $(grep srnic: /run/test/dmesg)"
on a ip link set va mtu 4352

say "-n finds the namespace; without it, it is the initial one's"
[ "$(srnic -j policy)" = "[]" ] || fail "rules of another namespace are shown"

say "a sealed connection is seen in 'srnic qp'"
on b srnic policy add 10.77.0.0/24 require aead aes-gcm-128 key lab
in-b timeout 3000 rping -s -a 10.77.0.2 -C 1000000 >/run/test/s.log 2>&1 &
server=$!
settle $server rping
in-a timeout 3000 rping -c -a 10.77.0.2 -C 1000000 >/run/test/c.log 2>&1 &
client=$!
hundred() { [ "$(json a 'sum(f["sealed"] for q in x for f in q.get("flows", []))' srnic -j qp)" -ge 100 ]; }
soon hundred || fail "no sealed packets are seen: $(cat /run/test/json /run/test/c.log)"
expect "[('10.77.0.2', 'aead', 'aes-gcm-128', 'rts', True)]" a \
	'[(q["peer"], q["mode"], q["suite"], q["state"], all(f["ready"] for f in q["flows"][:1])) for q in x if q["type"] == "rc"]' \
	srnic -j qp dev srnic0
expect "0" a 'sum(f["failed"] + f["replayed"] for q in x for f in q.get("flows", []))' srnic -j qp
say "and in 'rdma resource', with what is the driver's to say"
for line in "qp sq_limit window seal" "cq waiting overflow" "mr valid access kind"; do
	read -ra words <<<"$line"
	on a rdma -dd resource show "${words[0]}" >/run/test/resource
	for word in "${words[@]:1}"; do
		grep -q "$word" /run/test/resource || fail "no $word: $(cat /run/test/resource)"
	done
done
grep -q '10\.77\.0\.2.*aes-gcm-128.*ours' < <(on a srnic -d qp) || fail "qp -d: $(on a srnic -d qp)"

say "a key that goes takes no connection with it, and lets no new one be made"
on a srnic key del lab
kill -0 $client 2>/dev/null || fail "the connection ended with its key"
kill $client $server 2>/dev/null || true
wait $client $server 2>/dev/null || true
in-b timeout 900 rping -s -a 10.77.0.2 -C 1 >/run/test/s2.log 2>&1 &
server=$!
settle $server rping
! on a timeout 300 rping -c -a 10.77.0.2 -C 1 >/run/test/c.log 2>&1 || fail "a connection without the key"
dmesg >/run/test/dmesg
grep -q "srnic: no connection with .*10\.77\.0\.2.*requires key lab" /run/test/dmesg ||
	fail "the log does not say which key is missing: $(cat /run/test/c.log; grep srnic: /run/test/dmesg)"
kill $server 2>/dev/null || true
wait $server 2>/dev/null || true

say "settings that were saved are applied, and applied again"
on a srnic key add lab --file /run/test/lab.key
on a srnic policy add fd77::/64 prefer packet aes-cmac-128 key lab clear-cm
on a srnic policy add default off
on a srnic policy list >/run/test/rules
on a srnic save >/run/test/saved
sed 's|/etc/srnic/|/run/test/|' /run/test/saved >/run/test/settings
on a srnic policy flush
on a srnic key del lab
on a srnic apply /run/test/settings
on a srnic apply /run/test/settings
[ "$(on a srnic policy list)" = "$(cat /run/test/rules)" ] || fail "other rules: $(on a srnic policy list)"
sed -i '2s/lab/nowhere/' /run/test/settings
echo "policy del 10.0.0.0/8" >>/run/test/settings
refused 1 "settings:6: policy del: no rule with exactly this prefix" a srnic apply /run/test/settings
refused 1 "cannot open /etc/srnic/srnic.conf: No such file" a srnic apply

say "policy flush leaves no rule, here only"
on a srnic policy flush
expect "[]" a x srnic -j policy list
expect "1" b 'len(x)' srnic -j policy list

say "quotas: lowered, they refuse; raised, they grant"
expect "True" a 'all(q["used"] <= q["limit"] for q in x)' srnic -j quota
on a srnic quota set dev srnic0 pd 0
! on a timeout 300 ibv_rc_pingpong -d srnic0 >/run/test/c.log 2>&1 || fail "a PD beyond the quota"
grep -q "Couldn't allocate PD" /run/test/c.log || fail "not for want of a PD: $(cat /run/test/c.log)"
expect "True" a '[q["limit"] for q in x if q["quota"] == "pd"] == [0]' srnic -j quota show srnic0
on a srnic quota set srnic0 pd 100
refused 1 "unknown quota 'nonsense': see 'srnic quota show'" a srnic quota set srnic0 nonsense 1
refused 1 "no srnic device 'srnic1' in this namespace" a srnic quota set srnic1 pd 1

say "who is not administrator of the namespace sees devices and suites, and nothing else"
user() { on a setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all "$@"; }
user srnic show >/dev/null
user srnic suite list >/dev/null
if [ "$(modinfo -n chacha20poly1305)" != "(builtin)" ]; then
	modprobe -r chacha20poly1305
	user srnic -j suite >/run/test/out
	[ ! -e /sys/module/chacha20poly1305 ] || fail "anybody loads modules by asking for the suites"
	! grep -q '"chacha20-poly1305".*"available":true' /run/test/out || fail "what is not loaded is available"
	expect "[]" a '[s["suite"] for s in x if not s["available"]]' srnic -j suite
	[ -e /sys/module/chacha20poly1305 ] || fail "the check loads nothing"
	expect "[]" a '[s["suite"] for s in x if not s["available"]]' setpriv --reuid 65534 --regid 65534 \
		--clear-groups --bounding-set=-all srnic -j suite
fi
for line in "policy list" "key list" "qp" "policy add default off" "key del lab" \
	"quota set srnic0 pd 1"; do
	# shellcheck disable=SC2086 # the line's words
	! user srnic $line >/run/test/out 2>/run/test/err || fail "anybody may: srnic $line"
	grep -q "not permitted: needs CAP_NET_ADMIN" /run/test/err || fail "srnic $line: $(cat /run/test/err)"
done

say "root of a user namespace has rules and keys of its own, and cannot touch another's"
unshare -Urn srnic policy add default off
grep -q '"mine"' < <(unshare -Urn bash -c \
	'srnic key add mine --raw --file /run/test/raw.key && srnic -j key') || fail "no keys in a user namespace"
! on a unshare -Ur srnic quota set srnic0 pd 1 2>/run/test/err || fail "another's quota was set"
grep -q "not permitted" /run/test/err || fail "quota: $(cat /run/test/err)"

testbed down
