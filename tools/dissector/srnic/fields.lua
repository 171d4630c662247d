-- SPDX-License-Identifier: GPL-2.0
--
-- Fields and notes, as named in filters.

local format = require "srnic.format"

local CODES = {
	[0] = "none", "96 bits", "128 bits", "160 bits", "224 bits", "256 bits", "384 bits",
	"512 bits",
}
-- At most so many packets are missing (section 2)
local GAPS = { [0] = "not told", "1 packet", "2 packets", "4 packets", "8 packets", "16 packets",
	"32 packets", "64 packets" }
-- The values of Wireshark's own checksums
local STATUS = { bad = 0, good = 1, unverified = 2 }
local STATUS_NAMES = { [0] = "bad", "good", "unverified" }

local fields = {
	segments = ProtoField.uint32("srnic.segments", "Packets in this super-packet"),
	segment = ProtoField.uint32("srnic.segment", "Place in the super-packet"),
	opcode = ProtoField.uint8("srnic.opcode", "Opcode", base.HEX, format.names),
	qpn = ProtoField.uint24("srnic.qpn", "Destination queue pair", base.HEX),
	sqpn = ProtoField.uint24("srnic.sqpn", "Source queue pair", base.HEX),
	psn = ProtoField.uint24("srnic.psn", "Packet sequence number", base.HEX),
	version = ProtoField.uint8("srnic.version", "Version"),
	key_id = ProtoField.bytes("srnic.key_id", "Key id"),
	share = ProtoField.bytes("srnic.share", "Share"),
	nq = ProtoField.bytes("srnic.nq", "n_q"),
	nr = ProtoField.bytes("srnic.nr", "n_r"),
	code = ProtoField.uint8("srnic.sth.code", "Code", base.DEC, CODES, 0x70),
	echo = ProtoField.uint8("srnic.echo", "Congestion experienced", base.DEC, { [0] = "no", "yes" }, 0x08),
	gap = ProtoField.uint8("srnic.gap", "Gap, at most", base.DEC, GAPS, 0x07),
	sth = ProtoField.bytes("srnic.sth", "STH"),
	salt = ProtoField.bytes("srnic.sth.salt", "Salt"),
	counter = ProtoField.uint64("srnic.sth.counter", "Counter"),
	tag = ProtoField.bytes("srnic.sth.tag", "Tag"),
	status = ProtoField.uint8("srnic.sth.tag.status", "Tag status", base.DEC, STATUS_NAMES),
	suite = ProtoField.string("srnic.sth.suite", "Suite"),
	possible = ProtoField.string("srnic.sth.suites", "Suites with this code"),
	mode = ProtoField.string("srnic.sth.mode", "Mode"),
	key = ProtoField.string("srnic.sth.key", "Key"),
	grant = ProtoField.string("srnic.sth.grant", "Proved by grant"),
	psn64 = ProtoField.uint64("srnic.sth.psn64", "PSN64", base.HEX),
	epoch = ProtoField.uint64("srnic.sth.epoch", "Epoch"),
	phase = ProtoField.uint16("srnic.sth.phase", "Phase"),
	replays = ProtoField.framenum("srnic.sth.replays", "The counter was used in frame"),
	ext = ProtoField.bytes("srnic.ext", "Opened extension headers"),
	addr = ProtoField.uint64("srnic.addr", "Address", base.HEX),
	rkey = ProtoField.uint32("srnic.rkey", "R_Key", base.HEX),
	dmalen = ProtoField.uint32("srnic.dmalen", "Length"),
	feth = ProtoField.uint32("srnic.feth", "FLUSH", base.HEX),
	swap = ProtoField.uint64("srnic.swap", "Swap or add", base.HEX),
	compare = ProtoField.uint64("srnic.compare", "Compare", base.HEX),
	orig = ProtoField.uint64("srnic.orig", "Previous contents", base.HEX),
	imm = ProtoField.uint32("srnic.imm", "Immediate data", base.HEX),
	syndrome = ProtoField.uint8("srnic.syndrome", "Syndrome", base.HEX),
	msn = ProtoField.uint24("srnic.msn", "Message sequence number"),
	qkey = ProtoField.uint32("srnic.qkey", "Q_Key", base.HEX),
	srqn = ProtoField.uint24("srnic.srqn", "Shared receive queue", base.HEX),
	payload = ProtoField.bytes("srnic.payload", "Payload"),
	wire = ProtoField.bytes("srnic.payload.wire", "Ciphertext, or payload and pad, as on the wire"),
	icrc = ProtoField.bytes("srnic.icrc", "ICRC"),
	icrc_status = ProtoField.uint8("srnic.icrc.status", "ICRC status", base.DEC, STATUS_NAMES),
}

local group, severity = expert.group, expert.severity

local function new_note(name, ...)
	return ProtoExpert.new("srnic." .. name, ...)
end

-- Notes on a packet, and the reaction of a receiver (sections 9 and 13)
local notes = {
	phase = new_note("sth.phase.bad", "There is no key of this phase yet, or any more: dropped",
		group.SECURITY, severity.ERROR),
	bad = new_note("sth.tag.bad", "The tag is wrong: dropped",
		group.SECURITY, severity.ERROR),
	bad_or_proved = new_note("sth.tag.unproved",
		"The tag is wrong, or a memory key that was not given proves the request",
		group.SECURITY, severity.ERROR),
	missing = new_note("sth.missing", "No STH, on a sealed connection: dropped",
		group.SECURITY, severity.ERROR),
	unexpected = new_note("sth.unexpected", "Not the code of the connection's suite, or of datagrams: dropped",
		group.SECURITY, severity.ERROR),
	psn = new_note("sth.psn", "The PSN is below the flow's start: dropped",
		group.SEQUENCE, severity.ERROR),
	counter = new_note("sth.counter.spent", "The counter is 2^26 or more: dropped",
		group.SECURITY, severity.ERROR),
	replayed = new_note("sth.replayed",
		"The counter has been used: a replay, dropped, or captured twice",
		group.SECURITY, severity.WARN),
	pad = new_note("sth.pad", "The pad is not zero: dropped", group.SECURITY, severity.ERROR),
	short = new_note("sth.short", "There is no room for STH and pad: dropped",
		group.MALFORMED, severity.ERROR),
	frame = new_note("handshake.wrong", "A handshake frame that breaks section 7: dropped",
		group.MALFORMED, severity.ERROR),
	version_1 = new_note("handshake.version_1",
		"A handshake frame of version 1, which nobody speaks any more: dropped",
		group.PROTOCOL, severity.WARN),
	cut = new_note("cut", "The packet was not captured whole: capture without -s",
		group.UNDECODED, severity.WARN),
	no_key = new_note("no_key", "Right under none of the keys given",
		group.DECRYPTION, severity.NOTE),
	no_secret = new_note("no_secret",
		"The secret of the connection was not given: the key alone opens nothing",
		group.DECRYPTION, severity.NOTE),
	no_handshake = new_note("no_handshake",
		"The flow's handshake is not in the capture: neither epoch nor keys can be told",
		group.DECRYPTION, severity.NOTE),
	icrc = new_note("icrc.bad", "The ICRC is wrong: dropped, before the STH is looked at",
		group.CHECKSUM, severity.ERROR),
	super_packet = new_note("superpacket",
		"Captured with segmentation offload on: it was taken apart by its headers",
		group.REASSEMBLE, severity.NOTE),
}

local registered = { fields = {}, experts = {} }
for _, field in pairs(fields) do
	table.insert(registered.fields, field)
end
for _, note in pairs(notes) do
	table.insert(registered.experts, note)
end

return {
	CODES = CODES, STATUS = STATUS, fields = fields, notes = notes, registered = registered,
}
