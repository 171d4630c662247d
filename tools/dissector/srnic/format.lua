-- SPDX-License-Identifier: GPL-2.0
--
-- Position and length of the STH in a packet, and the fields of a handshake frame
-- (protocol.md, sections 2 and 7).

local bytes = require "srnic.bytes"
local memory = require "srnic.memory"

local BTH, ICRC = 12, 4

-- STH length for each code
local CODE_SIZES = { [0] = 0, 12, 16, 20, 28, 32, 48, 64 }

-- Bytes of extension headers (IBA 9.3, A14, A19)
local RETH, ATOMIC, AETH, ATOMIC_ACK, IMM, IETH, DETH, FETH = 16, 28, 4, 8, 4, 4, 8, 4
local XRCETH = 4

-- Bytes of version, key id, nonces and share in a handshake frame. Version 1 had only nonces:
-- its frames are recognised by their length.
local BODY, NONCES, HS_TAG = 72, 32, 16
local VERSION_1 = BTH + NONCES + HS_TAG + ICRC

-- Fields of extension headers, by kind of packet and bytes of the headers: name, offset, size
local REMOTE = { { "addr", 0, 8 }, { "rkey", 8, 4 } }
local SENDER = { { "qkey", 0, 4 }, { "sqpn", 5, 3 } }
local ANSWER = { { "syndrome", 0, 1 }, { "msn", 1, 3 } }

local function with(list, ...)
	local out = { table.unpack(list) }
	for _, field in ipairs { ... } do
		out[#out + 1] = field
	end
	return out
end

local EXTENSIONS = {
	request = {
		[RETH] = with(REMOTE, { "dmalen", 12, 4 }),
		[RETH + IMM] = with(REMOTE, { "dmalen", 12, 4 }, { "imm", 16, 4 }),
		[ATOMIC] = with(REMOTE, { "swap", 12, 8 }, { "compare", 20, 8 }),
		[IMM] = { { "imm", 0, 4 } },
	},
	response = {
		[AETH] = ANSWER,
		[AETH + ATOMIC_ACK] = with(ANSWER, { "orig", 4, 8 }),
	},
	datagram = { [DETH] = SENDER, [DETH + IMM] = with(SENDER, { "imm", 8, 4 }) },
}
-- SEND with IETH: the rkey to invalidate. FLUSH: FETH and RETH are as long as RETH and ImmDt
local OTHERS = {
	[0x16] = { { "rkey", 0, 4 } }, [0x17] = { { "rkey", 0, 4 } },
	[0x1c] = { { "feth", 0, 4 }, { "addr", 4, 8 }, { "rkey", 12, 4 }, { "dmalen", 16, 4 } },
}

-- Rights to protected memory (section 12)
local READ, WRITE, ATOMICALLY = 1, 2, 3

-- opcode, name, bytes of extension headers, requested right, bytes before the RETH (IBA table 38,
-- A19). UC has the first twelve requests of RC, plus 0x20. XRC has all but A19's, plus 0xa0, and its
-- requests have an XRCETH in front (A14).
local requests = {
	{ 0x00, "SEND FIRST", 0 }, { 0x01, "SEND MIDDLE", 0 }, { 0x02, "SEND LAST", 0 },
	{ 0x03, "SEND LAST IMM", IMM }, { 0x04, "SEND ONLY", 0 }, { 0x05, "SEND ONLY IMM", IMM },
	{ 0x06, "WRITE FIRST", RETH, WRITE }, { 0x07, "WRITE MIDDLE", 0 }, { 0x08, "WRITE LAST", 0 },
	{ 0x09, "WRITE LAST IMM", IMM }, { 0x0a, "WRITE ONLY", RETH, WRITE },
	{ 0x0b, "WRITE ONLY IMM", RETH + IMM, WRITE },
	{ 0x0c, "READ REQUEST", RETH, READ }, { 0x13, "COMPARE AND SWAP", ATOMIC, ATOMICALLY },
	{ 0x14, "FETCH AND ADD", ATOMIC, ATOMICALLY }, { 0x16, "SEND LAST INV", IETH },
	{ 0x17, "SEND ONLY INV", IETH }, { 0x1c, "FLUSH", FETH + RETH, WRITE, FETH },
	{ 0x1d, "ATOMIC WRITE", RETH, WRITE },
}
local responses = {
	{ 0x0d, "READ RESPONSE FIRST", AETH }, { 0x0e, "READ RESPONSE MIDDLE", 0 },
	{ 0x0f, "READ RESPONSE LAST", AETH }, { 0x10, "READ RESPONSE ONLY", AETH },
	{ 0x11, "ACKNOWLEDGE", AETH }, { 0x12, "ATOMIC ACKNOWLEDGE", AETH + ATOMIC_ACK },
}
local datagrams = { { 0x64, "SEND ONLY", DETH }, { 0x65, "SEND ONLY IMM", DETH + IMM } }
local frames = {
	{ 0xc0, "HELLO", BODY }, { 0xc1, "HELLO-ACK", BODY }, { 0xc2, "CONFIRM", BODY },
	{ 0xc3, "CONFIRM-ACK", BODY },
}

local format = { BTH = BTH, ICRC = ICRC, names = {} }
local XRC = 0xa0
local opcodes = {}

-- `more`: bytes of headers in front of those of the rows
local function add(rows, base, transport, kind, more)
	more = more or 0
	for _, row in ipairs(rows) do
		local value = base + row[1]
		opcodes[value] = {
			kind = kind, header = BTH + more + row[3], right = row[4],
			reth = more + (row[5] or 0), flush = row[5], xrc = more > 0,
		}
		format.names[value] = transport .. row[2]
	end
end

add(requests, 0, "RC ", "request")
add(responses, 0, "RC ", "response")
add({ table.unpack(requests, 1, 12) }, 0x20, "UC ", "request")
add({ table.unpack(requests, 1, 17) }, XRC, "XRC ", "request", XRCETH)
add(responses, XRC, "XRC ", "response")
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
		phase = text:byte(at + 4) % 4,
		psn = bytes.number(text, at + 9, 3),
	}
end

-- Return the memory access of a request, from its RETH or AtomicETH; nil if it has none, or, a
-- FLUSH, is for a whole region
local function access_of(header, opcode)
	local at, right = BTH + opcode.reth, opcode.right
	local length = right ~= ATOMICALLY and right and bytes.number(header, at + 13, 4) or 8
	if opcode.flush and math.floor(header:byte(at) / 16) % 2 == 1 then
		return nil
	end
	return right and length > 0 and {
		right = right, addr = memory.address(header, at + 1),
		rkey = bytes.number(header, at + 9, 4), length = length,
	} or nil
end

-- Return the fields of the extension headers, `size` bytes, of an opcode of RC, UC or UD
local function extensions(opcode, kind, size)
	return OTHERS[opcode] or EXTENSIONS[kind] and EXTENSIONS[kind][size] or {}
end

-- Return the fields of the extension headers, `size` bytes
function format.extensions(packet, size)
	if not opcodes[packet.opcode].xrc then
		return extensions(packet.opcode, packet.kind, size)
	end
	local fields = { { "srqn", 1, 3 } }
	for _, field in ipairs(extensions(packet.opcode - XRC, packet.kind, size - XRCETH)) do
		fields[#fields + 1] = { field[1], field[2] + XRCETH, field[3] }
	end
	return fields
end

-- Test for an ACK or a NAK
function format.acknowledges(packet)
	return packet.opcode == 0x11 or packet.opcode == XRC + 0x11
end

-- Return the packet in the form that it has in a mode (section 2). In mode opaque, `header` is
-- the BTH, `rest` begins with the extension headers, and nothing that they say is known.
function format.in_mode(packet, mode)
	if mode ~= "opaque" or packet.kind == "handshake" or not packet.sth then
		return packet
	end
	if not packet.opaque then
		local all, size = packet.header .. packet.sth .. packet.rest, #packet.sth
		packet.opaque = setmetatable({
			header = all:sub(1, BTH), sth = all:sub(BTH + 1, BTH + size),
			rest = all:sub(BTH + size + 1), hidden = #packet.header - BTH,
			access = false, sqpn = false,
		}, { __index = packet })
	end
	return packet.opaque
end

-- Addresses, length and headers as covered by a tag (section 4)
function format.covered(packet)
	return packet.sgid .. packet.dgid .. bytes.pack(packet.udp_length, 2)
		.. packet.header:sub(1, 4) .. "\255" .. packet.header:sub(6)
end

-- Test for a handshake frame of version 1
local function is_version_1(packet, text, cut)
	return packet.kind == "handshake" and #text == VERSION_1 and not cut
end

-- Return the fields of a handshake frame, from BTH to share
function format.handshake(header)
	return {
		version = header:byte(BTH + 1), reserved = header:sub(BTH + 2, BTH + 4),
		key_id = header:sub(BTH + 5, BTH + 8), nq = header:sub(BTH + 9, BTH + 24),
		nr = header:sub(BTH + 25, BTH + 40), share = header:sub(BTH + 41),
	}
end

-- Parse a packet from BTH to ICRC; nil if it is neither RC, UC, XRC, UD nor a handshake frame.
-- `sth` is nil if the packet is too short for STH and pad, or was captured partially.
function format.parse(text, cut)
	local packet = #text >= BTH + ICRC and format.bth(text, 1)
	if not packet or not packet.kind then
		return nil
	end
	local header, size = opcodes[packet.opcode].header, CODE_SIZES[packet.code]
	packet.cut = cut
	packet.version_1 = is_version_1(packet, text, cut)
	header = packet.version_1 and BTH + NONCES or header
	packet.header = text:sub(1, header)
	packet.access = #packet.header == header and
		access_of(packet.header, opcodes[packet.opcode]) or nil
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
