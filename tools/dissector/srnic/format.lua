-- SPDX-License-Identifier: GPL-2.0
--
-- Position and length of the STH in a packet (protocol.md, sections 2 and 7).

local bytes = require "srnic.bytes"
local memory = require "srnic.memory"

local BTH, ICRC = 12, 4

-- STH length for each code
local CODE_SIZES = { [0] = 0, 12, 16, 20, 28, 32, 48, 64 }

-- Bytes of extension headers (IBA 9.3)
local RETH, ATOMIC, AETH, ATOMIC_ACK, IMM, IETH, DETH, NONCES = 16, 28, 4, 8, 4, 4, 8, 32

-- Rights to protected memory (section 12)
local READ, WRITE, ATOMICALLY = 1, 2, 3

-- opcode, name, bytes of extension headers, requested right (IBA table 38). UC has the first
-- twelve requests of RC, plus 0x20.
local requests = {
	{ 0x00, "SEND FIRST", 0 }, { 0x01, "SEND MIDDLE", 0 }, { 0x02, "SEND LAST", 0 },
	{ 0x03, "SEND LAST IMM", IMM }, { 0x04, "SEND ONLY", 0 }, { 0x05, "SEND ONLY IMM", IMM },
	{ 0x06, "WRITE FIRST", RETH, WRITE }, { 0x07, "WRITE MIDDLE", 0 }, { 0x08, "WRITE LAST", 0 },
	{ 0x09, "WRITE LAST IMM", IMM }, { 0x0a, "WRITE ONLY", RETH, WRITE },
	{ 0x0b, "WRITE ONLY IMM", RETH + IMM, WRITE },
	{ 0x0c, "READ REQUEST", RETH, READ }, { 0x13, "COMPARE AND SWAP", ATOMIC, ATOMICALLY },
	{ 0x14, "FETCH AND ADD", ATOMIC, ATOMICALLY }, { 0x16, "SEND LAST INV", IETH },
	{ 0x17, "SEND ONLY INV", IETH },
}
local responses = {
	{ 0x0d, "READ RESPONSE FIRST", AETH }, { 0x0e, "READ RESPONSE MIDDLE", 0 },
	{ 0x0f, "READ RESPONSE LAST", AETH }, { 0x10, "READ RESPONSE ONLY", AETH },
	{ 0x11, "ACKNOWLEDGE", AETH }, { 0x12, "ATOMIC ACKNOWLEDGE", AETH + ATOMIC_ACK },
}
local datagrams = { { 0x64, "SEND ONLY", DETH }, { 0x65, "SEND ONLY IMM", DETH + IMM } }
local frames = {
	{ 0xc0, "HELLO", NONCES }, { 0xc1, "HELLO-ACK", NONCES }, { 0xc2, "CONFIRM", NONCES },
	{ 0xc3, "CONFIRM-ACK", NONCES },
}

local format = { BTH = BTH, ICRC = ICRC, ACKNOWLEDGE = 0x11, names = {} }
local opcodes = {}

local function add(rows, base, transport, kind)
	for _, row in ipairs(rows) do
		local value = base + row[1]
		opcodes[value] = { kind = kind, header = BTH + row[3], right = row[4] }
		format.names[value] = transport .. row[2]
	end
end

add(requests, 0, "RC ", "request")
add(responses, 0, "RC ", "response")
add({ table.unpack(requests, 1, 12) }, 0x20, "UC ", "request")
add(datagrams, 0, "UD ", "datagram")
add(frames, 0, "STH ", "handshake")

-- Parse the BTH at `at`
function format.bth(text, at)
	local opcode, flags = text:byte(at, at + 1)
	local byte8 = text:byte(at + 8)
	return {
		opcode = opcode,
		kind = opcodes[opcode] and opcodes[opcode].kind,
		flags = flags,
		pad = math.floor(flags / 16) % 4,
		version = flags % 16,
		pkey = bytes.number(text, at + 2, 2),
		qpn = bytes.number(text, at + 5, 3),
		code = math.floor(byte8 / 16) % 8,
		ack_wanted = byte8 >= 128,
		psn = bytes.number(text, at + 9, 3),
	}
end

-- Return the memory access of a request, from its RETH or AtomicETH; nil if it has none
local function access_of(header, right)
	local length = right ~= ATOMICALLY and right and bytes.number(header, BTH + 13, 4) or 8
	return right and length > 0 and {
		right = right, addr = memory.address(header, BTH + 1),
		rkey = bytes.number(header, BTH + 9, 4), length = length,
	} or nil
end

-- Addresses, length and headers as covered by a tag (section 4)
function format.covered(packet)
	return packet.sgid .. packet.dgid .. bytes.pack(packet.udp_length, 2)
		.. packet.header:sub(1, 4) .. "\255" .. packet.header:sub(6)
end

-- Parse a packet from BTH to ICRC; nil if it is neither RC, UC, UD nor a handshake frame.
-- `sth` is nil if the packet is too short for STH and pad, or was captured partially.
function format.parse(text, cut)
	local packet = #text >= BTH + ICRC and format.bth(text, 1)
	if not packet or not packet.kind then
		return nil
	end
	local header, size = opcodes[packet.opcode].header, CODE_SIZES[packet.code]
	packet.cut = cut
	packet.header = text:sub(1, header)
	packet.access = #packet.header == header and
		access_of(packet.header, opcodes[packet.opcode].right) or nil
	if packet.kind == "datagram" and #packet.header == header then
		packet.sqpn = bytes.number(packet.header, BTH + 6, 3)
	end
	packet.udp_length = 8 + #text
	packet.icrc = text:sub(-ICRC)
	if not cut and #text >= header + size + packet.pad + ICRC then
		packet.sth = text:sub(header + 1, header + size)
		packet.rest = text:sub(header + size + 1, -ICRC - 1)
	end
	return packet
end

return format
