-- SPDX-License-Identifier: GPL-2.0
--
-- AES (FIPS 197), encryption only: neither CMAC nor GCM decrypts blocks.
--
-- The time of table lookups depends on secret bytes. That does not matter for reading a
-- capture, but an implementation that carries traffic must not do it.

local bytes = require "srnic.bytes"
local band, bor, bxor = bit.band, bit.bor, bit.bxor
local lshift, rol, ror, rshift = bit.lshift, bit.rol, bit.ror, bit.rshift

-- Multiply by x, modulo x^8 + x^4 + x^3 + x + 1
local function double(x)
	local twice = lshift(x, 1)
	return twice > 255 and bxor(twice, 0x11b) or twice
end

local function rol8(x, n)
	return band(bor(lshift(x, n), rshift(x, 8 - n)), 255)
end

-- Compute the S-box: p runs through the powers of 3, q through their inverses
local function make_sbox()
	local box, p, q = { [0] = 0x63 }, 1, 1
	repeat
		p = bxor(p, double(p))
		q = bxor(q, lshift(q, 1))
		q = bxor(q, lshift(q, 2))
		q = band(bxor(q, lshift(q, 4)), 255)
		if q > 127 then
			q = bxor(q, 9)
		end
		box[p] = bxor(q, rol8(q, 1), rol8(q, 2), rol8(q, 3), rol8(q, 4), 0x63)
	until p == 1
	return box
end

local sbox = make_sbox()

-- SubBytes and MixColumns of a byte, for each position in a column
local t0, t1, t2, t3 = {}, {}, {}, {}
for x = 0, 255 do
	local s = sbox[x]
	local d = double(s)
	local column = bor(lshift(d, 24), lshift(s, 16), lshift(s, 8), bxor(d, s))
	t0[x], t1[x], t2[x], t3[x] = column, ror(column, 8), ror(column, 16), ror(column, 24)
end

local function sub_word(w)
	return bor(lshift(sbox[rshift(w, 24)], 24), lshift(sbox[band(rshift(w, 16), 255)], 16),
		lshift(sbox[band(rshift(w, 8), 255)], 8), sbox[band(w, 255)])
end

local aes = {}

-- Expand a key: return the round keys, four words each, and their number in `rounds`
function aes.expand(key)
	local size = #key / 4
	local words, constant = { rounds = size + 6 }, 1
	for i = 1, size do
		words[i] = bytes.word(key, 4 * i - 3)
	end
	for i = size + 1, 4 * (size + 7) do
		local word, place = words[i - 1], (i - 1) % size
		if place == 0 then
			word = bxor(sub_word(rol(word, 8)), lshift(constant, 24))
			constant = double(constant)
		elseif size == 8 and place == 4 then
			word = sub_word(word)
		end
		words[i] = bxor(words[i - size], word)
	end
	return words
end

local function mixed(a, b, c, d, key)
	return bxor(t0[rshift(a, 24)], t1[band(rshift(b, 16), 255)], t2[band(rshift(c, 8), 255)],
		t3[band(d, 255)], key)
end

local function last(a, b, c, d, key)
	return bxor(lshift(sbox[rshift(a, 24)], 24), lshift(sbox[band(rshift(b, 16), 255)], 16),
		lshift(sbox[band(rshift(c, 8), 255)], 8), sbox[band(d, 255)], key)
end

-- Encrypt a block of four words
function aes.encrypt(k, a, b, c, d)
	local at = 4 * k.rounds
	a, b, c, d = bxor(a, k[1]), bxor(b, k[2]), bxor(c, k[3]), bxor(d, k[4])
	for i = 5, at, 4 do
		a, b, c, d = mixed(a, b, c, d, k[i]), mixed(b, c, d, a, k[i + 1]),
			mixed(c, d, a, b, k[i + 2]), mixed(d, a, b, c, k[i + 3])
	end
	return last(a, b, c, d, k[at + 1]), last(b, c, d, a, k[at + 2]),
		last(c, d, a, b, k[at + 3]), last(d, a, b, c, k[at + 4])
end

return aes
