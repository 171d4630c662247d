-- SPDX-License-Identifier: GPL-2.0
--
-- Integers in byte strings, most significant byte first (protocol.md, conventions).
--
-- 32-bit words are those of Wireshark's `bit`: signed, in all versions of Lua. Where the
-- sign matters, call bytes.unsigned() first.

local band, bor, lshift, rshift = bit.band, bit.bor, bit.lshift, bit.rshift
local char, floor = string.char, math.floor

local bytes = {}

-- Encode a non-negative integer in `length` bytes
function bytes.pack(value, length)
	local out = {}
	for i = length, 1, -1 do
		out[i] = char(value % 256)
		value = floor(value / 256)
	end
	return table.concat(out)
end

-- Decode an integer of at most six bytes; the first byte of the string has index 1
function bytes.number(text, at, length)
	local value = 0
	for i = at, at + length - 1 do
		value = value * 256 + text:byte(i)
	end
	return value
end

function bytes.word(text, at)
	local a, b, c, d = text:byte(at, at + 3)
	return bor(lshift(a, 24), lshift(b, 16), lshift(c, 8), d)
end

local function from_word(word)
	return char(rshift(word, 24), band(rshift(word, 16), 255), band(rshift(word, 8), 255),
		band(word, 255))
end

function bytes.from_words(...)
	local out = { ... }
	for i, word in ipairs(out) do
		out[i] = from_word(word)
	end
	return table.concat(out)
end

function bytes.unsigned(word)
	return word % 4294967296
end

function bytes.zeros(length)
	return ("\0"):rep(length)
end

-- Append zeros up to a multiple of the block size
function bytes.padded(text, block)
	return text .. bytes.zeros(-#text % block)
end

-- Return a string, its first bytes XORed with those of the mask
function bytes.xor(text, mask)
	local out = {}
	for i = 1, math.min(#text, #mask) do
		out[i] = char(bit.bxor(text:byte(i), mask:byte(i)))
	end
	return table.concat(out) .. text:sub(#out + 1)
end

function bytes.is_zero(text)
	return not text:find("[^\0]")
end

return bytes
