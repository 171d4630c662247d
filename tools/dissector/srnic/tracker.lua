-- SPDX-License-Identifier: GPL-2.0
--
-- Follows a capture: handshakes, the packets of the flows that they start (protocol.md,
-- section 7), and datagrams, which need no handshake.
--
-- The frames of a handshake reveal everything except for the connection's seal. That is the
-- suite and mode under which, with one of the keys, a frame's tag is right.

local bytes = require "srnic.bytes"
local connection = require "srnic.connection"
local datagram = require "srnic.datagram"
local flow = require "srnic.flow"
local suites = require "srnic.suites"

local HELLO, CONFIRM = 0xc0, 0xc2

-- What is known of a packet. status: of its tag, "good", "bad" or "unverified"; pending:
-- later packets may change the verdict
local Verdict = {}
Verdict.__index = Verdict

-- Add a note: a name among fields.lua's notes
function Verdict:note(name)
	table.insert(self.notes, name)
end

function Verdict:sealed_by(found)
	self.suite, self.mode, self.key = found.suite, found.mode, found.key_name
end

-- Check the pad of an opened packet; in mode header, the receiver accepts any
function Verdict:check_pad(packet)
	if self.mode ~= "header" and packet.pad > 0
			and not bytes.is_zero(self.payload:sub(-packet.pad)) then
		self:note("pad")
	end
end

local Tracker = {}
Tracker.__index = Tracker

-- keys, grants: as read by keys.lua
local function new(keys, grants)
	return setmetatable({
		keys = keys,
		grants = grants,
		handshakes = {},	-- by n_q
		connections = {},	-- the last one, by both ends
		flows = {},		-- by both nonces
		receivers = {},		-- flows, by kind of packet and the end that opens it
		datagrams = datagram.new(keys),
	}, Tracker)
end

local function from_requester(frame)
	return frame.opcode == HELLO or frame.opcode == CONFIRM
end

-- Return requester and responder: one is named by the frame, the other by other frames of
-- the handshake
local function ends_of(frame, handshake)
	local named = connection.end_of(frame.dgid, frame.qpn)
	if from_requester(frame) then
		return handshake.requester, named
	end
	return named, handshake.responder
end

-- Return the connection under which the frame's tag is right: the handshake's own, once it
-- is known. Try the last one of these ends first: it has most likely not changed.
local function connection_of(self, frame, requester, responder, handshake)
	local sender = from_requester(frame) and requester or responder
	local function fits(candidate)
		return candidate:confirms(sender, frame)
	end
	local known = handshake.connection or self.connections[requester .. responder]
	if known and fits(known) then
		return known
	end
	return not handshake.connection and
		connection.find(self.keys, requester, responder, fits) or nil
end

local function verify(self, frame, requester, responder, handshake, verdict)
	local found = connection_of(self, frame, requester, responder, handshake)
	if found then
		self.connections[requester .. responder] = found
		self.connections[responder .. requester] = found
		verdict.status = "good"
		verdict:sealed_by(found)
	elseif handshake.connection then
		verdict.status = "bad"
		verdict:note("bad")
	else
		verdict:note("no_key")
	end
	return found
end

-- Check what both ends demand of a frame besides its tag
local function well_formed(frame, nq, nr)
	return frame.code == 2 and frame.rest == "" and frame.flags == 0 and not frame.ack_wanted
		and not bytes.is_zero(nq) and bytes.is_zero(nr) == (frame.opcode == HELLO)
end

-- Start a flow once its requester has confirmed it; a repeated confirmation starts no other
local function begin(self, handshake, start, nq, nr)
	local requester, responder = handshake.requester, handshake.responder
	if not requester or not responder or self.flows[nq .. nr] then
		return
	end
	local begun = flow.new(handshake.connection, requester, responder, start, nq, nr)
	self.flows[nq .. nr] = begun
	self.receivers["request" .. responder] = begun
	self.receivers["response" .. requester] = begun
end

function Tracker:handshake(frame, verdict)
	local nq, nr = frame.header:sub(13, 28), frame.header:sub(29, 44)
	if not well_formed(frame, nq, nr) then
		return verdict:note("frame")
	end
	local handshake = self.handshakes[nq] or {}
	self.handshakes[nq] = handshake
	local requester, responder = ends_of(frame, handshake)
	local found
	if #self.keys > 0 and requester and responder then
		found = verify(self, frame, requester, responder, handshake, verdict)
	end
	verdict.pending = not (requester and responder)
	-- A wrong frame must not change what right ones have established
	if found or not handshake.connection then
		handshake.requester, handshake.responder = requester, responder
		handshake.connection = found
		if frame.opcode >= CONFIRM then
			begin(self, handshake, frame.psn, nq, nr)
		end
	end
end

-- Judge a packet; nil if there is nothing to show: it has no STH, and belongs to no flow
-- that requires one
function Tracker:follow(packet, frame_number)
	local receiver = self.receivers[packet.kind .. connection.end_of(packet.dgid, packet.qpn)]
	if packet.code == 0 and not receiver then
		return nil
	end
	local verdict = setmetatable({ status = "unverified", notes = {}, frame = frame_number },
		Verdict)
	if packet.cut then
		verdict:note("cut")
	elseif packet.code == 0 then
		verdict:note("missing")
	elseif not packet.sth then
		verdict:note("short")
	elseif packet.kind == "handshake" then
		self:handshake(packet, verdict)
	elseif packet.kind == "datagram" then
		self.datagrams:judge(packet, verdict)
	elseif receiver then
		receiver:judge(packet, verdict, #self.keys > 0, self.grants)
	else
		verdict:note("no_handshake")
	end
	if not verdict.suite and packet.kind ~= "handshake" then
		verdict.possible = suites.possible(packet)
	end
	return verdict
end

return { new = new }
