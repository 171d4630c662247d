-- SPDX-License-Identifier: GPL-2.0
--
-- The shared state of a connection's ends: identities, seal and secret; and the keys derived
-- from it (protocol.md, sections 1, 4 and 6).

local bytes = require "srnic.bytes"
local format = require "srnic.format"
local hmac = require "srnic.hmac"
local kdf = require "srnic.kdf"
local sha256 = require "srnic.sha256".sha256
local suites = require "srnic.suites"

local Connection = {}
Connection.__index = Connection

-- Return the two ends as A and B
local function in_order(x, y)
	if x < y then
		return x, y
	end
	return y, x
end

-- Identify an end: GID and QPN
local function end_of(gid, qpn)
	return gid .. bytes.pack(qpn, 4)
end

local function direction(self, sender)
	return sender == self.b and 1 or 0
end

-- M of section 4, without the payload
local function mac_input(self, sender, psn64, counter, packet)
	local nonce = string.char(128 * direction(self, sender)) .. bytes.pack(psn64, 7)
	return nonce .. counter .. format.covered(packet)
end

-- Test whether the tag of a handshake frame from an end is right (section 7)
function Connection:confirms(sender, frame)
	local tag = self.handshake_mac(mac_input(self, sender, frame.psn, "", frame))
	return tag:sub(1, 16) == frame.sth
end

-- Derive K_F
function Connection:flow_key(requester, start, nq, nr)
	local context = self.s .. string.char(direction(self, requester)) .. bytes.zeros(3)
		.. bytes.pack(start, 4) .. nq .. nr .. self.a .. self.b
	return kdf.derive(self.k_ab, "STH1 flow", context, 32)
end

-- Return the opener for the sub-key of an end's requests or responses in an epoch
function Connection:opener(flow_key, sender, response, epoch)
	local context = self.s .. string.char(direction(self, sender), response and 1 or 0)
		.. bytes.zeros(2) .. bytes.pack(epoch, 8)
	return self.suite.opener(kdf.derive(flow_key, "STH1 packet", context, self.suite.key_size))
end

-- Return the payload and pad of a packet, or nil if the tag is wrong (section 9). prove:
-- computes the proof from M so far, for requests that need one (section 12)
function Connection:open(opener, sender, psn64, packet, prove)
	local counter = self.suite.nonce_family and packet.sth:sub(1, 4) or ""
	local m = mac_input(self, sender, psn64, counter, packet)
	if prove then
		m = m .. prove(m)
	end
	if self.mode == "packet" then
		m = m .. packet.rest
	end
	local sealed = self.mode == "aead" and packet.rest or ""
	local text = opener(m:sub(1, 8) .. counter, m, sealed, packet.sth:sub(#counter + 1))
	return text and (self.mode == "aead" and text or packet.rest)
end

local function new(a, b, suite, mode, key_name, k_ab)
	local s = bytes.pack(suite.id, 2) .. string.char(suites.MODES[mode], suite.tag_size)
	local k_hs = kdf.derive(k_ab, "STH1 handshake", s .. a .. b, 32)
	return setmetatable({
		a = a, b = b, suite = suite, mode = mode, key_name = key_name, k_ab = k_ab, s = s,
		handshake_mac = hmac(sha256, k_hs),
	}, Connection)
end

-- Return the first connection for which `fits` holds, of all possible under a K_AB
local function find_under(k_ab, key_name, a, b, fits)
	for _, suite in ipairs(suites.all) do
		for _, mode in ipairs(suite.modes) do
			local connection = new(a, b, suite, mode, key_name, k_ab)
			if fits(connection) then
				return connection
			end
		end
	end
end

-- Search under all keys, trying each as K_PD and as K_AB, since key files do not say which
local function find(keys, x, y, fits)
	local a, b = in_order(x, y)
	for _, key in ipairs(keys) do
		local k_c = kdf.derive(key.bytes, "STH1 connection", "", 32)
		local k_ab = kdf.derive(k_c, "STH1 pair", a .. b, 32)
		local found = find_under(k_ab, key.name, a, b, fits)
			or find_under(key.bytes, key.name, a, b, fits)
		if found then
			return found
		end
	end
end

return { find = find, end_of = end_of }
