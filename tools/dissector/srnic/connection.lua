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

-- Identify an end: GID, kind of port (a byte) and QPN
local function end_of(gid, port, qpn)
	return gid .. port .. bytes.pack(qpn, 3)
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

-- Return the secret of the connection, from the shares of a flow's requester and responder;
-- nil if it is not known
function Connection:secret(secrets, requester, shares)
	if direction(self, requester) == 0 then
		return secrets[shares.requester .. shares.responder]
	end
	return secrets[shares.responder .. shares.requester]
end

-- Derive K_X of an end's flow: those of both flows are one result
local function root_of(self, requester, secret)
	local both = kdf.derive(self.k_ab, "STH2 shared", secret.z .. secret.shares, 64)
	return direction(self, requester) == 0 and both:sub(1, 32) or both:sub(33)
end

-- Derive K_F of epoch 0
function Connection:flow_key(requester, secret, start, nq, nr)
	local context = self.s .. string.char(direction(self, requester)) .. bytes.zeros(3)
		.. bytes.pack(start, 4) .. nq .. nr .. self.a .. self.b
	return kdf.derive(root_of(self, requester, secret), "STH2 flow", context, 32)
end

-- Derive K_F of the next epoch
local function ratchet(flow_key)
	return kdf.derive(flow_key, "STH2 ratchet", "", 32)
end

-- Return the opener for a sub-key of an end's requests or responses. time: epoch and phase
function Connection:opener(flow_key, sender, response, time)
	local context = self.s .. string.char(direction(self, sender), response and 1 or 0)
		.. bytes.pack(time.phase, 2) .. bytes.pack(time.epoch, 8)
	return self.suite.opener(kdf.derive(flow_key, "STH2 packet", context, self.suite.key_size))
end

-- Return the payload and pad of a packet, in mode opaque behind the extension headers; nil if the
-- tag is wrong (section 9). packet: in the form of the mode. prove:
-- computes the proof from the bytes of the packet that it covers, for requests that need one
-- (section 12)
function Connection:open(opener, sender, psn64, packet, prove)
	local counter = self.suite.nonce_family and packet.sth:sub(1, 4) or ""
	local head = mac_input(self, sender, psn64, counter, packet)
	local tag = packet.sth:sub(#counter + 1)
	if prove then
		tag = bytes.xor(tag, prove(self.mode == "header" and head or head .. packet.rest))
	end
	local m = self.mode == "packet" and head .. packet.rest or head
	local encrypts = suites.ENCRYPTS[self.mode]
	local text = opener(m:sub(1, 8) .. counter, m, encrypts and packet.rest or "", tag)
	return text and (encrypts and text or packet.rest)
end

local function new(a, b, suite, mode, key_name, k_ab)
	local s = bytes.pack(suite.id, 2) .. string.char(suites.MODES[mode], suite.tag_size)
	local k_hs = kdf.derive(k_ab, "STH2 handshake", s .. a .. b, 32)
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

-- Search under the keys with this key id, trying each as K_PD and as K_AB, since key files do
-- not say which
local function find(keys, x, y, key_id, fits)
	local a, b = in_order(x, y)
	for _, key in ipairs(keys) do
		local k_c = kdf.derive(key.bytes, "STH1 connection", "", 32)
		for _, k_ab in ipairs { kdf.derive(k_c, "STH1 pair", a .. b, 32), key.bytes } do
			local found = kdf.derive(k_ab, "STH2 key id", a .. b, 4) == key_id
				and find_under(k_ab, key.name, a, b, fits)
			if found then
				return found
			end
		end
	end
end

return { find = find, end_of = end_of, ratchet = ratchet }
