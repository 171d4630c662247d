-- SPDX-License-Identifier: GPL-2.0
--
-- Follows a capture: handshakes, the packets of the flows that they start (protocol.md,
-- section 7), and datagrams, which need no handshake.
--
-- The frames of a handshake reveal everything except for the connection's seal and its secret.
-- The seal is the suite and mode under which, with one of the keys, a frame's tag is right. The
-- secret follows from no recording: it must be given.

local bytes = require "srnic.bytes"
local connection = require "srnic.connection"
local datagram = require "srnic.datagram"
local flow = require "srnic.flow"
local format = require "srnic.format"
local suites = require "srnic.suites"

local HELLO, CONFIRM = 0xc0, 0xc2
local VERSION = 2

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

-- Note the plaintext of a packet, nil if it was not opened. In mode opaque, the extension headers
-- come first.
function Verdict:opened(packet, text)
	local hidden = packet.hidden or 0
	self.text = text
	self.payload = text and text:sub(hidden + 1)
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

-- keys, grants, secrets: as read by keys.lua
local function new(keys, grants, secrets)
	return setmetatable({
		keys = keys,
		grants = grants,
		secrets = secrets,
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
	local named = connection.end_of(frame.dgid, frame.port, frame.qpn)
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
		connection.find(self.keys, requester, responder, frame.hs.key_id, fits) or nil
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
local function well_formed(frame)
	local hs = frame.hs
	return frame.code == 2 and frame.rest == "" and frame.flags == 0 and not frame.ack_wanted
		and hs.version == VERSION and bytes.is_zero(hs.reserved)
		and not bytes.is_zero(hs.nq) and bytes.is_zero(hs.nr) == (frame.opcode == HELLO)
end

-- Remember the sender's share. A responder that was reset has another share, and another n_r
local function note_share(frame, handshake)
	if from_requester(frame) then
		handshake.share = frame.hs.share
	else
		handshake.shares[frame.hs.nr] = frame.hs.share
	end
end

-- Derive K_F of epoch 0; nil if the key or the secret is not known
local function flow_key(self, frame, handshake)
	local found, hs, requester = handshake.connection, frame.hs, handshake.requester
	local shares = { requester = handshake.share, responder = handshake.shares[hs.nr] }
	if not found or not shares.requester or not shares.responder then
		return nil
	end
	local secret = found:secret(self.secrets, requester, shares)
	return secret and found:flow_key(requester, secret, frame.psn, hs.nq, hs.nr)
end

-- Start a flow once its requester has confirmed it; a repeated confirmation starts no other
local function begin(self, frame, handshake)
	local requester, responder = handshake.requester, handshake.responder
	local name = frame.hs.nq .. frame.hs.nr
	if not requester or not responder or self.flows[name] then
		return
	end
	local begun = flow.new {
		connection = handshake.connection, requester = requester, responder = responder,
		start = frame.psn, nonces = name, key = flow_key(self, frame, handshake),
	}
	self.flows[name] = begun
	self.receivers["request" .. responder] = begun
	self.receivers["response" .. requester] = begun
end

function Tracker:handshake(frame, verdict)
	if frame.version_1 then
		return verdict:note("version_1")
	end
	frame.hs = format.handshake(frame.header)
	if not well_formed(frame) then
		return verdict:note("frame")
	end
	local nq = frame.hs.nq
	-- shares: of the responder, by n_r
	local handshake = self.handshakes[nq] or { shares = {} }
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
		note_share(frame, handshake)
		if frame.opcode >= CONFIRM then
			begin(self, frame, handshake)
		end
	end
end

-- Judge a packet; nil if there is nothing to show: it has no STH, and belongs to no flow
-- that requires one
function Tracker:follow(packet, frame_number)
	local receiver = self.receivers[packet.kind
		.. connection.end_of(packet.dgid, packet.port, packet.qpn)]
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
