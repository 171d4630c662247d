-- SPDX-License-Identifier: GPL-2.0
--
-- Suites and modes (protocol.md, section 3).

local bytes = require "srnic.bytes"
local chacha20_poly1305 = require "srnic.chacha20_poly1305"
local cmac = require "srnic.cmac"
local format = require "srnic.format"
local gcm = require "srnic.gcm"
local hmac = require "srnic.hmac"
local sha1 = require "srnic.sha1"
local sha256 = require "srnic.sha256"
local sha512 = require "srnic.sha512"

-- Openers: functions of nonce, M, ciphertext and tag under a key that return the plaintext,
-- or nil if the tag is wrong. A PRF uses neither nonce nor ciphertext.
local function prf(make, tag_size)
	return function(key)
		local mac = make(key)
		return function(_, m, text, tag)
			return mac(m):sub(1, tag_size) == tag and text or nil
		end
	end
end

local function cmac_of(tag_size)
	return prf(cmac, tag_size)
end

local function hmac_of(hash, tag_size)
	return prf(function(key) return hmac(hash, key) end, tag_size)
end

local MAC, AEAD = { "header", "packet" }, { "aead", "opaque" }

-- name, id, nonce family, bytes of key and tag, STH code, modes, opener
local rows = {
	{ "aes-cmac-128", 0x0101, false, 16, 16, 2, MAC, cmac_of(16) },
	{ "aes-cmac-192", 0x0102, false, 24, 16, 2, MAC, cmac_of(16) },
	{ "aes-cmac-256", 0x0103, false, 32, 16, 2, MAC, cmac_of(16) },
	{ "aes-cmac-128/96", 0x0111, false, 16, 12, 1, MAC, cmac_of(12) },
	{ "aes-cmac-192/96", 0x0112, false, 24, 12, 1, MAC, cmac_of(12) },
	{ "aes-cmac-256/96", 0x0113, false, 32, 12, 1, MAC, cmac_of(12) },
	{ "hmac-sha1", 0x0201, false, 20, 20, 3, MAC, hmac_of(sha1, 20) },
	{ "hmac-sha224", 0x0202, false, 28, 28, 4, MAC, hmac_of(sha256.sha224, 28) },
	{ "hmac-sha256", 0x0203, false, 32, 32, 5, MAC, hmac_of(sha256.sha256, 32) },
	{ "hmac-sha384", 0x0204, false, 48, 48, 6, MAC, hmac_of(sha512.sha384, 48) },
	{ "hmac-sha512", 0x0205, false, 64, 64, 7, MAC, hmac_of(sha512.sha512, 64) },
	{ "aes-gmac-128", 0x0301, true, 16, 16, 3, MAC, gcm },
	{ "aes-gmac-256", 0x0303, true, 32, 16, 3, MAC, gcm },
	{ "aes-gcm-128", 0x0401, true, 16, 16, 3, AEAD, gcm },
	{ "aes-gcm-192", 0x0402, true, 24, 16, 3, AEAD, gcm },
	{ "aes-gcm-256", 0x0403, true, 32, 16, 3, AEAD, gcm },
	{ "chacha20-poly1305", 0x0501, true, 32, 16, 3, AEAD, chacha20_poly1305 },
}

-- A datagram's STH has space for a tag of 16 bytes (section 11)
local DATAGRAM_CODE, DATAGRAM_TAG = 5, 16

local suites, of_datagrams = {}, {}
for i, row in ipairs(rows) do
	suites[i] = {
		name = row[1], id = row[2], nonce_family = row[3], key_size = row[4],
		tag_size = row[5], code = row[6], modes = row[7], opener = row[8],
	}
	if suites[i].tag_size == DATAGRAM_TAG then
		of_datagrams[#of_datagrams + 1] = suites[i]
	end
end

local MODES = { header = 1, packet = 2, aead = 3, opaque = 4 }
local ENCRYPTS = { aead = true, opaque = true }

-- Maximum number of emissions under a sub-key (section 10): 2^26
local EMISSIONS = 0x4000000

-- Test whether the packet has a counter beyond its limit in all modes of the suite
local function is_spent(packet, suite)
	for _, mode in ipairs(suite.modes) do
		local sth = format.in_mode(packet, mode).sth
		if not sth or #sth < 4 or bytes.number(sth, 1, 4) < EMISSIONS then
			return false
		end
	end
	return true
end

-- Return the suites that may have made the packet's STH: the code is a length, which several
-- suites share, and a counter beyond its limit excludes suites with counters
local function possible(packet)
	local code = packet.code
	if packet.kind == "datagram" and code == DATAGRAM_CODE then
		return of_datagrams
	end
	local out = {}
	for _, suite in ipairs(suites) do
		if suite.code == code and not (suite.nonce_family and is_spent(packet, suite)) then
			out[#out + 1] = suite
		end
	end
	return out
end

return {
	all = suites, of_datagrams = of_datagrams, possible = possible, MODES = MODES,
	ENCRYPTS = ENCRYPTS,
	EMISSIONS = EMISSIONS, DATAGRAM_CODE = DATAGRAM_CODE,
}
