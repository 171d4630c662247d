-- SPDX-License-Identifier: GPL-2.0
--
-- Display of a packet: its tree and a summary.

local definitions = require "srnic.fields"
local format = require "srnic.format"
local suites = require "srnic.suites"
local CODES, STATUS = definitions.CODES, definitions.STATUS
local fields, notes = definitions.fields, definitions.notes

local function uint64(value)
	return UInt64.new(value % 4294967296, math.floor(value / 4294967296))
end

local function names_of(possible)
	local out = {}
	for i, suite in ipairs(possible) do
		out[i] = suite.name
	end
	return table.concat(out, ", ")
end

-- Add values that are not in the packet's bytes
local function add_known(tree, range, verdict)
	local known = {
		{ fields.suite, verdict.suite and verdict.suite.name },
		{ fields.possible, verdict.possible and names_of(verdict.possible) },
		{ fields.mode, verdict.mode },
		{ fields.key, verdict.key },
		{ fields.grant, verdict.grant },
		{ fields.psn64, verdict.psn64 and uint64(verdict.psn64) },
		{ fields.epoch, verdict.epoch and uint64(verdict.epoch) },
		{ fields.phase, verdict.phase },
		{ fields.status, STATUS[verdict.status] },
		{ fields.replays, verdict.replays },
	}
	for _, pair in ipairs(known) do
		if pair[2] then
			tree:add(pair[1], range, pair[2]):set_generated()
		end
	end
end

-- Test whether a counter precedes the tag; nil if that is unknown
local function has_counter(packet, verdict)
	if packet.kind == "handshake" then
		return false
	end
	local possible = verdict.possible or { verdict.suite }
	local first = possible[1] and possible[1].nonce_family
	for _, suite in ipairs(possible) do
		if suite.nonce_family ~= first or suite.code ~= packet.code then
			return nil
		end
	end
	return first
end

local function is_datagram(packet)
	return packet.kind == "datagram" and packet.code == suites.DATAGRAM_CODE
end

local function add_sth(tree, range, packet, verdict)
	local sth, counter = tree:add(fields.sth, range), has_counter(packet, verdict)
	if is_datagram(packet) then
		sth:add(fields.salt, range(0, 8))
		sth:add(fields.counter, range(8, 8))
		sth:add(fields.tag, range(16))
	elseif counter then
		sth:add(fields.counter, range(0, 4))
		sth:add(fields.tag, range(4))
	elseif counter == false then
		sth:add(fields.tag, range)
	end
end

-- Test whether the payload is not encrypted
local function is_clear(verdict)
	if verdict.mode then
		return not suites.ENCRYPTS[verdict.mode]
	end
	for _, suite in ipairs(verdict.possible) do
		if suites.ENCRYPTS[suite.modes[1]] then
			return false
		end
	end
	return true
end

-- Add extension headers that were encrypted
local function add_extensions(tree, opened, packet)
	local item = tree:add(fields.ext, opened)
	for _, field in ipairs(format.extensions(packet, opened:len())) do
		item:add(fields[field[1]], opened(field[2], field[3]))
	end
end

-- Add what was decrypted: the payload, in mode opaque behind the extension headers
local function add_opened(tree, packet, verdict, size)
	local hidden = packet.hidden or 0
	local opened = ByteArray.new(verdict.text, true):tvb("Opened payload")
	if hidden > 0 then
		add_extensions(tree, opened(0, hidden), packet)
	end
	if size > 0 then
		tree:add(fields.payload, opened(hidden, size))
	end
end

-- Add the payload. If the tag is wrong, show only the bytes on the wire: no peer sent them
local function add_payload(tree, range, packet, verdict)
	local size = range:len() - (packet.hidden or 0) - packet.pad
	if verdict.status == "bad" or not verdict.payload and not is_clear(verdict) then
		tree:add(fields.wire, range)
	elseif suites.ENCRYPTS[verdict.mode] then
		add_opened(tree, packet, verdict, size)
	elseif size > 0 then
		tree:add(fields.payload, range(0, size))
	end
end

local function add_handshake(tree, range, frame)
	if frame.version_1 then
		tree:add(fields.version, range, 1):set_generated()
		tree:add(fields.nq, range(0, 16))
		return tree:add(fields.nr, range(16, 16))
	end
	tree:add(fields.version, range(0, 1))
	tree:add(fields.key_id, range(4, 4))
	tree:add(fields.nq, range(8, 16))
	tree:add(fields.nr, range(24, 16))
	tree:add(fields.share, range(40))
end

local function add_body(tree, range, packet, verdict)
	packet = format.in_mode(packet, verdict.mode)
	local header = #packet.header
	if packet.kind == "handshake" then
		add_handshake(tree, range(format.BTH, header - format.BTH), packet)
	elseif packet.sqpn then
		tree:add(fields.sqpn, range(format.BTH + 5, 3))
	end
	if #packet.sth > 0 then
		add_sth(tree, range(header, #packet.sth), packet, verdict)
		add_known(tree, range(header, #packet.sth), verdict)
	end
	if #packet.rest > 0 and #packet.sth > 0 and packet.kind ~= "handshake" then
		add_payload(tree, range(header + #packet.sth, #packet.rest), packet, verdict)
	end
end

local function add_icrc(tree, range, packet)
	local icrc = tree:add(fields.icrc, range)
	icrc:add(fields.icrc_status, range,
		packet.icrc_right and STATUS.good or STATUS.bad):set_generated()
	if not packet.icrc_right then
		icrc:add_proto_expert_info(notes.icrc)
	end
end

-- Summarise a packet in a few words, for the packet list and the top of the tree
local function summary(packet, verdict)
	local words = {}
	if packet.kind == "handshake" then
		words[1] = format.names[packet.opcode] .. (packet.version_1 and ", version 1" or "")
	elseif is_datagram(packet) then
		words[1] = "STH of a datagram"
	else
		words[1] = "STH " .. CODES[packet.code]
	end
	if verdict.suite then
		table.insert(words, verdict.suite.name .. " " .. verdict.mode)
	end
	if verdict.epoch then
		table.insert(words, ("epoch %d"):format(verdict.epoch))
	end
	if verdict.phase and verdict.phase > 0 then
		table.insert(words, ("phase %d"):format(verdict.phase))
	end
	if not packet.cut and not packet.icrc_right then
		table.insert(words, "ICRC WRONG")
	end
	if verdict.status == "bad" then
		local access = format.in_mode(packet, verdict.mode).access
		table.insert(words, access and "TAG WRONG, OR PROVED" or "TAG WRONG")
	elseif verdict.grant then
		table.insert(words, "tag and proof good")
	elseif verdict.status == "good" then
		table.insert(words, "tag good")
	end
	return table.concat(words, ", ")
end

-- Summarise a frame; consecutive equal packets are counted
local function line(found)
	local out, before, count = {}, nil, 0
	for _, each in ipairs(found) do
		local words = summary(each.packet, each.verdict)
		if words == before then
			count = count + 1
			out[#out] = (" [%d × %s]"):format(count, words)
		else
			before, count = words, 1
			out[#out + 1] = " [" .. words .. "]"
		end
	end
	return table.concat(out)
end

-- Show the packet in a range
local function show(proto, tree, range, packet, verdict)
	local item = tree:add(proto, range, "Secure Transport Header: " ..
		summary(packet, verdict))
	if packet.of > 1 then
		item:add(fields.segments, range, packet.of):set_generated()
		item:add(fields.segment, range, packet.place):set_generated()
		item:add_proto_expert_info(notes.super_packet)
	end
	item:add(fields.opcode, range(0, 1))
	item:add(fields.qpn, range(5, 3))
	item:add(fields.code, range(8, 1))
	if packet.kind == "response" then
		item:add(fields.echo, range(8, 1))
	end
	if format.acknowledges(packet) then
		item:add(fields.gap, range(8, 1))
	end
	item:add(fields.psn, range(9, 3))
	if packet.sth then
		add_body(item, range, packet, verdict)
	end
	if not packet.cut then
		add_icrc(item, range(range:len() - format.ICRC), packet)
	end
	for _, note in ipairs(verdict.notes) do
		item:add_proto_expert_info(notes[note])
	end
end

return { packet = show, line = line }
