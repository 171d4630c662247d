-- SPDX-License-Identifier: GPL-2.0
--
-- Sealed datagrams (protocol.md, section 11). They need no handshake: two hosts, or a
-- group, share a key, and each packet carries the salt and the counter of its seal.

local bytes = require "srnic.bytes"
local connection = require "srnic.connection"
local format = require "srnic.format"
local kdf = require "srnic.kdf"
local suites = require "srnic.suites"

-- Ends of salt and counter in an STH
local SALTED, NUMBERED = 8, 16
local MAPPED = bytes.zeros(10) .. "\255\255"

local Datagrams = {}
Datagrams.__index = Datagrams

local function new(keys)
	return setmetatable({
		keys = keys,
		seals = {},	-- by sender's and destination's GIDs: all that there may be
		known = {},	-- by the same: the one that was right last
		seen = {},	-- frames by what was counted: sender, destination, salt and counter
	}, Datagrams)
end

-- Test for a multicast GID of IPv6, or of IPv4 in mapped form
local function is_group(gid)
	return gid:byte(1) == 255
		or gid:sub(1, 12) == MAPPED and math.floor(gid:byte(13) / 16) == 14
end

-- Derive K_UD. HMAC itself pads a group's key with zeros.
local function root_of(key, sgid, dgid)
	if is_group(dgid) then
		return key
	end
	local k_c = kdf.derive(key, "STH1 connection", "", 32)
	local pair = sgid < dgid and sgid .. dgid or dgid .. sgid
	return kdf.derive(k_c, "STH1 datagram pair", pair, 32)
end

-- Return all possible seals between two hosts, or to a group
local function seals_of(self, packet)
	local name = packet.sgid .. packet.dgid
	if self.seals[name] then
		return self.seals[name]
	end
	local out = {}
	for _, key in ipairs(self.keys) do
		local k_ud = root_of(key.bytes, packet.sgid, packet.dgid)
		for _, suite in ipairs(suites.of_datagrams) do
			for _, mode in ipairs(suite.modes) do
				out[#out + 1] = {
					suite = suite, mode = mode, key_name = key.name, k_ud = k_ud,
					openers = {},	-- by sender and salt
				}
			end
		end
	end
	self.seals[name] = out
	return out
end

local function new_opener(seal, stream)
	local s = bytes.pack(seal.suite.id, 2)
		.. string.char(suites.MODES[seal.mode], seal.suite.tag_size)
	return seal.suite.opener(kdf.derive(seal.k_ud, "STH1 datagram", s .. stream,
		seal.suite.key_size))
end

-- Return the payload and pad, in mode opaque behind the extension headers; nil if the packet has
-- another seal. In mode opaque, the sub-key does not depend on the sender's QPN.
local function open(seal, packet)
	packet = format.in_mode(packet, seal.mode)
	local stream = connection.end_of(packet.sgid, packet.port, packet.sqpn or 0)
		.. packet.sth:sub(1, SALTED)
	local opener = seal.openers[stream] or new_opener(seal, stream)
	local m = packet.sth:sub(1, NUMBERED) .. format.covered(packet)
	if seal.mode == "packet" then
		m = m .. packet.rest
	end
	local encrypts = suites.ENCRYPTS[seal.mode]
	local nonce = bytes.zeros(4) .. packet.sth:sub(SALTED + 1, NUMBERED)
	local text = opener(nonce, m, encrypts and packet.rest or "", packet.sth:sub(NUMBERED + 1))
	if text then
		seal.openers[stream] = opener
		return encrypts and text or packet.rest
	end
end

-- Return the seal that opens the packet, and the plaintext. Try the last seal of the same
-- hosts first: it has most likely not changed.
local function find(self, packet)
	local known = self.known[packet.sgid .. packet.dgid]
	local text = known and open(known, packet)
	if text then
		return known, text
	end
	for _, seal in ipairs(seals_of(self, packet)) do
		text = seal ~= known and open(seal, packet)
		if text then
			return seal, text
		end
	end
	return known
end

-- packet: in the form of the seal's mode
local function check_counter(self, packet, verdict)
	local name = packet.sgid .. packet.dgid .. packet.port .. packet.header:sub(18, 20)
		.. packet.sth:sub(1, NUMBERED)
	local high, low = bytes.number(packet.sth, 9, 4), bytes.number(packet.sth, 13, 4)
	if high > 0 or low >= suites.EMISSIONS then
		verdict:note("counter")
	elseif verdict.status == "good" and self.seen[name] then
		verdict.replays = self.seen[name]
		verdict:note("replayed")
	elseif verdict.status == "good" then
		self.seen[name] = verdict.frame
	end
end

-- Judge a datagram that has an STH
function Datagrams:judge(packet, verdict)
	if packet.code ~= suites.DATAGRAM_CODE then
		return verdict:note("unexpected")
	end
	local seal, text = find(self, packet)
	if seal then
		packet = format.in_mode(packet, seal.mode)
		verdict:sealed_by(seal)
		verdict.status = text and "good" or "bad"
		verdict:opened(packet, text)
	end
	if text then
		self.known[packet.sgid .. packet.dgid] = seal
		verdict:check_pad(packet)
	elseif #self.keys > 0 then
		verdict:note(seal and "bad" or "no_key")
	end
	-- Without the seal, other bytes may be taken for the counter
	if seal then
		check_counter(self, packet, verdict)
	end
end

return { new = new }
