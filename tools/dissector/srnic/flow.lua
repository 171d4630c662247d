-- SPDX-License-Identifier: GPL-2.0
--
-- A flow: one end's requests and the responses to them (protocol.md, sections 5, 9 and
-- 10), followed by an observer.

local bytes = require "srnic.bytes"
local memory = require "srnic.memory"
local suites = require "srnic.suites"

-- 2^23 and 2^24, as literals: in Lua 5.3 a power would be a float
local WINDOW, EPOCH = 0x800000, 0x1000000

local Flow = {}
Flow.__index = Flow

-- Without a connection, packets cannot be opened, but they are still counted
local function new(connection, requester, responder, start, nq, nr)
	return setmetatable({
		connection = connection, requester = requester, responder = responder, start = start,
		expected = start, openers = {}, seen = {},
		key = connection and connection:flow_key(requester, start, nq, nr),
	}, Flow)
end

-- Extend a PSN to 64 bits; nil below the flow's start. The greatest PSN so far is taken for
-- X: no two PSNs in flight are 2^23 apart.
function Flow:extend(psn)
	local lowest = self.expected - WINDOW
	local psn64 = lowest + (psn - lowest) % EPOCH
	return psn64 >= self.start and psn64 or nil
end

function Flow:sender(response)
	return response and self.responder or self.requester
end

function Flow:opener(response, epoch)
	local name = (response and "response " or "request ") .. epoch
	if not self.openers[name] then
		self.openers[name] = self.connection:opener(self.key, self:sender(response),
			response, epoch)
	end
	return self.openers[name]
end

-- Step 4 of section 9: check that the packet's counter is new
local function check_counter(self, packet, verdict)
	local counter = bytes.number(packet.sth, 1, 4)
	local name = table.concat({ packet.kind, verdict.epoch, counter }, " ")
	verdict.counter = counter
	if counter >= suites.EMISSIONS then
		verdict:note("counter")
	elseif self.seen[name] and verdict.status == "good" then
		verdict.replays = self.seen[name]
		verdict:note("replayed")
	elseif verdict.status == "good" then
		self.seen[name] = verdict.frame
	end
end

-- Open a request without a proof or with one: no byte of the packet names the grant. Return
-- the payload and pad, and the grant
local function open_proved(packet, grants, try)
	local text = try(nil)
	for _, grant in ipairs(not text and packet.access and grants or {}) do
		local fits = memory.proof(grant, packet.access, "")
		text = fits and try(function(m)
			return memory.proof(grant, packet.access, m)
		end)
		if text then
			return text, grant
		end
	end
	return text
end

local function open(self, packet, verdict, grants)
	local response = packet.kind == "response"
	local connection = self.connection
	local opener = self:opener(response, verdict.epoch)
	local text, grant = open_proved(packet, grants, function(prove)
		return connection:open(opener, self:sender(response), verdict.psn64, packet, prove)
	end)
	verdict.status = text and "good" or "bad"
	verdict.payload = text
	verdict.grant = grant and grant.name
	if not text then
		verdict:note(packet.access and "bad_or_proved" or "bad")
	end
	if connection.suite.nonce_family then
		check_counter(self, packet, verdict)
	end
	if text then
		verdict:check_pad(packet)
	end
end

-- Judge a packet of this flow
function Flow:judge(packet, verdict, have_keys, grants)
	local connection = self.connection
	if connection then
		verdict:sealed_by(connection)
		if packet.code ~= connection.suite.code then
			return verdict:note("unexpected")
		end
	elseif have_keys then
		verdict:note("no_key")
	end
	verdict.psn64 = self:extend(packet.psn)
	if not verdict.psn64 then
		return verdict:note("psn")
	end
	verdict.epoch = math.floor(verdict.psn64 / EPOCH)
	if connection then
		open(self, packet, verdict, grants)
	end
	if verdict.status ~= "bad" then
		self.expected = math.max(self.expected, verdict.psn64)
	end
end

return { new = new }
