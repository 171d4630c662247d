-- SPDX-License-Identifier: GPL-2.0
--
-- Integers in strings of bytes, most significant first (protocol.md, conventions).
--
-- Words of 32 bits are what Wireshark's `bit` makes of them: signed, in every version of
-- Lua. Where a number's sign matters, bytes.unsigned() comes first.

local band, bor, lshift, rshift = bit.band, bit.bor, bit.lshift, bit.rshift
local char, floor = string.char, math.floor

local bytes = {}

-- A whole number, not negative, in so many bytes
function bytes.pack(value, length)
	local out = {}
	for i = length, 1, -1 do
		out[i] = char(value % 256)
		value = floor(value / 256)
	end
	return table.concat(out)
end

-- The number in so many bytes, six at most, of a string; the first byte has index 1
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

-- With zeros behind it, up to a multiple of so many bytes
function bytes.padded(text, block)
	return text .. bytes.zeros(-#text % block)
end

function bytes.is_zero(text)
	return not text:find("[^\0]")
end

return bytes
