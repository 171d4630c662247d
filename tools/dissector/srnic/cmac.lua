-- SPDX-License-Identifier: GPL-2.0
--
-- AES-CMAC (RFC 4493, SP 800-38B).

local aes = require "srnic.aes"
local bytes = require "srnic.bytes"
local bor, bxor, lshift, rshift = bit.bor, bit.bxor, bit.lshift, bit.rshift

-- Multiply by x, modulo x^128 + x^7 + x^2 + x + 1
local function double(a, b, c, d)
	local carried = rshift(a, 31) * 0x87
	return bor(lshift(a, 1), rshift(b, 31)), bor(lshift(b, 1), rshift(c, 31)),
		bor(lshift(c, 1), rshift(d, 31)), bxor(lshift(d, 1), carried)
end

local function words(text, at)
	return bytes.word(text, at), bytes.word(text, at + 4), bytes.word(text, at + 8),
		bytes.word(text, at + 12)
end

-- Combine the last block with one of the two sub-keys
local function finish(block, k1, k2)
	local whole = #block == 16
	local key = whole and k1 or k2
	local a, b, c, d = words(whole and block or bytes.padded(block .. "\128", 16), 1)
	return bxor(a, key[1]), bxor(b, key[2]), bxor(c, key[3]), bxor(d, key[4])
end

-- Return a function that computes the tag of a message
return function(key)
	local expanded = aes.expand(key)
	local k1 = { double(aes.encrypt(expanded, 0, 0, 0, 0)) }
	local k2 = { double(table.unpack(k1)) }
	return function(message)
		local blocks = math.max(1, math.ceil(#message / 16))
		local a, b, c, d = 0, 0, 0, 0
		for i = 1, blocks do
			local p, q, r, s
			if i < blocks then
				p, q, r, s = words(message, 16 * i - 15)
			else
				p, q, r, s = finish(message:sub(16 * i - 15), k1, k2)
			end
			a, b, c, d = aes.encrypt(expanded, bxor(a, p), bxor(b, q), bxor(c, r), bxor(d, s))
		end
		return bytes.from_words(a, b, c, d)
	end
end
