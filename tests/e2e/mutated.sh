#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: of changed copies of all kinds of sealed packets, sent beside live traffic, none is accepted; no QP is lost, every byte is right
# easy: yes
# timeout: 120
# cites: P11, R6, protocol.md 4 and 9, issue 4 (10^6 mutated packets)
. "$(dirname "$0")/../lib.sh"

mutants=${SRNIC_MUTANTS:-20000}
sizes=${SRNIC_SIZES:-0,3000}
all=send,send_inline,send_imm,send_inv,write,write_imm,read,cmp_swap,fetch_add,atomic_write
headers="aes-cmac-128/96:header hmac-sha512:header aes-gmac-128:header"
bodies="aes-cmac-256:packet hmac-sha1:packet aes-gmac-256:packet aes-gcm-128:aead chacha20-poly1305:aead"
bodies+=" aes-gcm-256:opaque"

# Reasons for which a packet may be dropped. sth_crowded is not among them: a handshake
# frame that finds the worker busy is retransmitted.
reasons=(malformed unknown_opcode no_qp wrong_state wrong_address wrong_pkey wrong_qkey icrc_errors
	sth_auth_failed sth_missing sth_unexpected sth_replayed sth_proof_failed peer_cut_off)
# Errors that would follow if a mutant were accepted
later=(stag_invalid stag_pd stag_bounds stag_access rrq_exceeded cq_overflow bad_wqe
	retry_exceeded_err retry_rnr_exceeded_err policy_prefer_clear)

# every_seal PATTERN: print all SUITE:MODE of the kernel whose mode matches, in one line
every_seal()
{
	on a srnic suite list | awk -v wanted="$1" 'NR > 1 {
		n = split($2, mode, ",")
		for (i = 1; i <= n; i++)
			if (mode[i] ~ wanted)
				printf "%s:%s ", $1, mode[i]
	}'
}

# read_counters END DEV: read all counters into `counters`, by end and name
declare -A counters before sent
read_counters()
{
	local words i
	read -ra words <<<"$(on "$1" rdma statistic show link "$2/1")"
	for ((i = 2; i + 1 < ${#words[@]}; i++)); do
		counters[$1.${words[i]}]=${words[i + 1]}
	done
}

# sum END NAME...: total growth of these counters
sum()
{
	local end=$1 total=0 name
	shift
	for name; do
		total=$((total + ${counters[$end.$name]:?$end has no counter $name} - before[$end.$name]))
	done
	echo $total
}

# beside WIRE-OPTION... -- VERIFY-OPTION...: run traffic on all of `seals` at once until the
# wire has sent its mutants. Results of the wire go into `sent`, counters into `counters`.
beside()
{
	local wire=() name value
	while [ "$1" != -- ]; do
		wire+=("$1")
		shift
	done
	shift
	rm -f /run/test/done
	read_counters a srnic0
	read_counters b srnic1
	for name in "${!counters[@]}"; do
		before[$name]=${counters[$name]}
	done
	ip netns exec m srnic-mutate "${wire[@]}" --done /run/test/done ma mb >/run/test/mutate.log &
	local wire_pid=$!
	LIMIT=$((600 + mutants / 100)) sealed_each "$@" --offsets 1 -m 1024 --psn 0xffffe0 --timeout 16 \
		--patience 500 --together --until /run/test/done
	kill $wire_pid
	wait $wire_pid
	while IFS='=' read -r name value; do
		sent[$name]=$value
	done </run/test/mutate.log
	read_counters a srnic0
	read_counters b srnic1
}

# accounted EXTRA: check that each end opened exactly the genuine packets (with EXTRA=copies
# also one copy of each) and dropped all others
accounted()
{
	local end name refused silent opened
	for end in a b; do
		opened=$(sum $end sth_opened)
		refused=$(sum $end "${reasons[@]}")
		# Handshake frames that are not due are dropped without being counted
		silent=${sent[${end}_like_handshake]}
		say "$end: ${sent[${end}_sealed]} genuine, ${sent[${end}_mutants]} others;" \
			"opened $opened, refused $refused, at most $silent in silence:" \
			"$(for name in "${reasons[@]}"; do echo "$name $(sum $end "$name")"; done |
				grep -v ' 0$' | paste -sd ,)"
		if [ "$1" = copies ]; then
			((opened == sent[${end}_sealed] + sent[${end}_mutants] - silent)) ||
				fail "$end did not open each copy: nothing here would notice"
			refused=$((refused + opened - sent[${end}_sealed]))
		else
			((opened == sent[${end}_sealed])) || fail "$end opened others than the genuine"
		fi
		# A peer that is ready first retransmits an early handshake frame, which may
		# be dropped, too
		((refused <= sent[${end}_mutants] + sent[${end}_handshake] &&
		  refused + silent >= sent[${end}_mutants])) ||
			fail "$end refused others than those that are not genuine"
		[ "$(sum $end sth_handshakes)" -eq $((2 * ${#seals[@]})) ] ||
			fail "$end says $(sum $end sth_handshakes) handshakes of ${#seals[@]} connections"
		[ "$(sum $end "${later[@]}")" -eq 0 ] || fail "$end was asked for what is not there"
	done
}

# attack WHAT PATTERN SEALS COUNT WIRE-OPTION... -- VERIFY-OPTION...: send COUNT mutants
# beside traffic under these seals; in the soak, under all seals whose mode matches
attack()
{
	local what=$1 pattern=$2 chosen=$3 count=$4
	shift 4
	[ -z "${SRNIC_EVERY_SEAL-}" ] || [ "$pattern" = none ] || chosen=$(every_seal "$pattern")
	read -ra seals <<<"$chosen"
	say "$what: $count beside ${#seals[@]} connections"
	beside --count "$count" --each "${SRNIC_EACH:-14}" "$@"
	((sent[a_mutants] + sent[b_mutants] == count)) || fail "only so many: ${sent[*]}"
	genuine=$((genuine + sent[a_sealed] + sent[b_sealed]))
}

# shellcheck disable=SC2119 # options of the test bed: none
foreign_wire
(umask 077 && on a srnic key gen k --file /run/test/k.key)
on b srnic key add k --file /run/test/k.key
genuine=0
attack "copies, which this suite cannot tell, to see that they would be seen" none \
	hmac-sha256:packet 200 --copies -- --ops $all --sizes "$sizes"
accounted copies

attack "headers" header "$headers" $((mutants * 3 / 10)) --payload-open --lose 100 -- --ops $all --sizes "$sizes" --late
accounted none
((sent[a_lost] + sent[b_lost] > 0)) || fail "nothing was lost, so that no NAK was to be changed"

attack "all of the packet" 'packet|aead|opaque' "$bodies" $((mutants * 6 / 10)) --lose 100 -- \
	--ops $all --sizes "$sizes" --late
accounted none
[ "$(sum a rcvd_rnr_err)" -gt 0 ] || fail "there was no RNR NAK to be changed"
[ "$(sum b sth_replayed)" -gt 0 ] || fail "no counter came twice"

attack "unreliable connections" 'packet|aead|opaque' \
	"hmac-sha224:packet aes-gcm-192:aead aes-gcm-128:opaque" $((mutants / 10)) -- \
	--uc --ops send,send_imm,write_imm --sizes "$sizes"
accounted none
testbed down
say "$mutants packets that nobody sent beside $genuine that somebody did: 0 accepted, 0 QPs lost"
