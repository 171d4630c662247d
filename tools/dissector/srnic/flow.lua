-- SPDX-License-Identifier: GPL-2.0
--
-- A flow: one end's requests and the responses to them (protocol.md, sections 5, 9 and
-- 10), followed by an observer.

local bytes = require "srnic.bytes"
local format = require "srnic.format"
local ratchet = require "srnic.connection".ratchet
local memory = require "srnic.memory"
local suites = require "srnic.suites"

-- 2^23 and 2^24, as literals: in Lua 5.3 a power would be a float
local WINDOW, EPOCH = 0x800000, 0x1000000

local Flow = {}
Flow.__index = Flow

-- about: connection, requester, responder, start, nonces: n_q and n_r, key: K_F of epoch 0.
-- Without the key, packets cannot be opened, but they are still counted
local function new(about)
	return setmetatable({
		connection = about.connection, requester = about.requester, responder = about.responder,
		start = about.start, nonces = about.nonces,
		expected = about.start, openers = {}, seen = {}, phases = {},
		keys = { [0] = about.key }, newest = 0,	-- K_F by epoch: an old one does not follow
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

-- Return K_F of an epoch. extend() admits no epoch beyond the next one
function Flow:key(epoch)
	while self.newest < epoch do
		self.keys[self.newest + 1] = ratchet(self.keys[self.newest])
		self.newest = self.newest + 1
	end
	return self.keys[epoch]
end

-- Return the phase that a packet names, of an epoch: the newest of which a packet has been
-- opened, the one before it, or the next; nil if it names another (section 10)
function Flow:phase(packet, epoch)
	local newest = self.phases[packet.kind .. epoch] or 0
	for phase = math.max(newest - 1, 0), newest + 1 do
		if phase % 4 == packet.phase then
			return phase
		end
	end
end

function Flow:opener(packet, verdict)
	local name = table.concat({ packet.kind, verdict.epoch, verdict.phase }, " ")
	if not self.openers[name] then
		local response = packet.kind == "response"
		self.openers[name] = self.connection:opener(self:key(verdict.epoch),
			self:sender(response), response, verdict)
	end
	return self.openers[name]
end

-- Step 4 of section 9: check that the packet's counter is new
local function check_counter(self, packet, verdict)
	local counter = bytes.number(packet.sth, 1, 4)
	local name = table.concat({ packet.kind, verdict.epoch, verdict.phase, counter }, " ")
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
local function open_proved(packet, nonces, grants, try)
	local text = try(nil)
	for _, grant in ipairs(not text and packet.access and grants or {}) do
		local fits = memory.proof(grant, packet.access, "")
		text = fits and try(function(covered)
			return memory.proof(grant, packet.access, nonces .. covered)
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
	verdict.phase = self:phase(packet, verdict.epoch)
	if not verdict.phase then
		verdict.status = "bad"
		return verdict:note("phase")
	end
	local opener = self:opener(packet, verdict)
	local text, grant = open_proved(packet, self.nonces, grants, function(prove)
		return connection:open(opener, self:sender(response), verdict.psn64, packet, prove)
	end)
	verdict.status = text and "good" or "bad"
	verdict:opened(packet, text)
	verdict.grant = grant and grant.name
	if not text then
		verdict:note(packet.access and "bad_or_proved" or "bad")
	end
	if connection.suite.nonce_family then
		check_counter(self, packet, verdict)
	end
	if text then
		local name = packet.kind .. verdict.epoch
		self.phases[name] = math.max(verdict.phase, self.phases[name] or 0)
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
		packet = format.in_mode(packet, connection.mode)
		if not self.keys[0] then
			verdict:note("no_secret")
		end
	elseif have_keys then
		verdict:note("no_key")
	end
	verdict.psn64 = self:extend(packet.psn)
	if not verdict.psn64 then
		return verdict:note("psn")
	end
	verdict.epoch = math.floor(verdict.psn64 / EPOCH)
	if self.keys[0] then
		open(self, packet, verdict, grants)
	end
	if verdict.status ~= "bad" then
		self.expected = math.max(self.expected, verdict.psn64)
	end
end

return { new = new }
