-- SPDX-License-Identifier: GPL-2.0
--
-- GHASH (SP 800-38D, 6.4), bytewise with a table of multiples of the key.
--
-- The first bit of a block is the coefficient of x^0: to multiply by x is to shift right.

local bytes = require "srnic.bytes"
local band, bor, bxor = bit.band, bit.bor, bit.bxor
local lshift, rshift = bit.lshift, bit.rshift

-- Reductions of the bits that are shifted out, as XOR into the first word
local reduced = {}
for byte = 0, 255 do
	local sum = 0
	for place = 0, 7 do
		if band(byte, lshift(1, place)) ~= 0 then
			sum = bxor(sum, rshift(0xe1000000, 7 - place))
		end
	end
	reduced[byte] = sum
end

local function times_x(a, b, c, d)
	local out = band(d, 1) * 0xe1000000
	return bxor(rshift(a, 1), out), bor(rshift(b, 1), lshift(a, 31)),
		bor(rshift(c, 1), lshift(b, 31)), bor(rshift(d, 1), lshift(c, 31))
end

-- Return the products of the key and each byte value, in four tables of one word each
local function multiples(a, b, c, d)
	local ta, tb, tc, td = { [0] = 0 }, { [0] = 0 }, { [0] = 0 }, { [0] = 0 }
	local place = 128
	while place >= 1 do
		ta[place], tb[place], tc[place], td[place] = a, b, c, d
		a, b, c, d = times_x(a, b, c, d)
		place = place / 2
	end
	for i = 3, 255 do
		local one = band(i, -i)
		local rest = i - one
		if rest > 0 then
			ta[i], tb[i] = bxor(ta[one], ta[rest]), bxor(tb[one], tb[rest])
			tc[i], td[i] = bxor(tc[one], tc[rest]), bxor(td[one], td[rest])
		end
	end
	return ta, tb, tc, td
end

-- Return a function that hashes a text of whole blocks to four words
return function(...)
	local ta, tb, tc, td = multiples(...)
	return function(text)
		local a, b, c, d = 0, 0, 0, 0
		for at = 1, #text, 16 do
			local block = bytes.from_words(bxor(a, bytes.word(text, at)),
				bxor(b, bytes.word(text, at + 4)), bxor(c, bytes.word(text, at + 8)),
				bxor(d, bytes.word(text, at + 12)))
			a, b, c, d = 0, 0, 0, 0
			for i = 16, 1, -1 do
				local byte, out = block:byte(i), band(d, 255)
				d = bxor(rshift(d, 8), lshift(c, 24), td[byte])
				c = bxor(rshift(c, 8), lshift(b, 24), tc[byte])
				b = bxor(rshift(b, 8), lshift(a, 24), tb[byte])
				a = bxor(rshift(a, 8), reduced[out], ta[byte])
			end
		end
		return a, b, c, d
	end
end
