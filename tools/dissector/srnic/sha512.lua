-- SPDX-License-Identifier: GPL-2.0
--
-- SHA-384 and SHA-512 (FIPS 180-4, 6.4 and 6.5). A 64-bit word is two of 32 bits, the high
-- one first.

local bytes = require "srnic.bytes"
local constants = require "srnic.sha2_constants"
local merkle_damgard = require "srnic.merkle_damgard"
local band, bnot, bor, bxor = bit.band, bit.bnot, bit.bor, bit.bxor
local lshift, rshift = bit.lshift, bit.rshift

-- Add up to five 64-bit words; the result's words are unsigned
local function add(ah, al, bh, bl, ch, cl, dh, dl, eh, el)
	local low = al % 4294967296 + bl % 4294967296 + (cl or 0) % 4294967296
		+ (dl or 0) % 4294967296 + (el or 0) % 4294967296
	local rest = low % 4294967296
	local carry = (low - rest) / 4294967296
	return (ah + bh + (ch or 0) + (dh or 0) + (eh or 0) + carry) % 4294967296, rest
end

-- Return the high word of a rotation to the right. With the words exchanged, this is the low
-- word, or the high word of a rotation by 32 more
local function turned(high, low, n)
	return bor(rshift(high, n), lshift(low, 32 - n))
end

local function small0(h, l)
	return bxor(turned(h, l, 1), turned(h, l, 8), rshift(h, 7)),
		bxor(turned(l, h, 1), turned(l, h, 8), turned(l, h, 7))
end

local function small1(h, l)
	return bxor(turned(h, l, 19), turned(l, h, 29), rshift(h, 6)),
		bxor(turned(l, h, 19), turned(h, l, 29), turned(l, h, 6))
end

local function big0(h, l)
	return bxor(turned(h, l, 28), turned(l, h, 2), turned(l, h, 7)),
		bxor(turned(l, h, 28), turned(h, l, 2), turned(h, l, 7))
end

local function big1(h, l)
	return bxor(turned(h, l, 14), turned(h, l, 18), turned(l, h, 9)),
		bxor(turned(l, h, 14), turned(l, h, 18), turned(h, l, 9))
end

local function choose(x, y, z)
	return bxor(band(x, y), band(bnot(x), z))
end

local function majority(x, y, z)
	return bxor(band(x, y), band(x, z), band(y, z))
end

local high, low = {}, {}

local function expand(text, at)
	for i = 1, 16 do
		high[i] = bytes.word(text, at + 8 * i - 8)
		low[i] = bytes.word(text, at + 8 * i - 4)
	end
	for i = 17, 80 do
		local ah, al = small0(high[i - 15], low[i - 15])
		local bh, bl = small1(high[i - 2], low[i - 2])
		high[i], low[i] = add(high[i - 16], low[i - 16], ah, al, high[i - 7], low[i - 7],
			bh, bl)
	end
end

local function compress(state, text, at)
	expand(text, at)
	local ah, al, bh, bl, ch, cl, dh, dl, eh, el, fh, fl, gh, gl, hh, hl = table.unpack(state)
	for i = 1, 80 do
		local sh, sl = big1(eh, el)
		local th, tl = add(hh, hl, sh, sl, choose(eh, fh, gh), choose(el, fl, gl),
			constants.rounds_high[i], constants.rounds_low[i], high[i], low[i])
		sh, sl = big0(ah, al)
		local uh, ul = add(sh, sl, majority(ah, bh, ch), majority(al, bl, cl))
		hh, hl, gh, gl, fh, fl = gh, gl, fh, fl, eh, el
		eh, el = add(dh, dl, th, tl)
		dh, dl, ch, cl, bh, bl = ch, cl, bh, bl, ah, al
		ah, al = add(th, tl, uh, ul)
	end
	local words = { ah, al, bh, bl, ch, cl, dh, dl, eh, el, fh, fl, gh, gl, hh, hl }
	for i = 1, 16, 2 do
		state[i], state[i + 1] = add(state[i], state[i + 1], words[i], words[i + 1])
	end
end

local function variant(size, initial)
	return merkle_damgard {
		block = 128, length_size = 16, size = size, compress = compress, initial = initial,
	}
end

return { sha384 = variant(48, constants.sha384), sha512 = variant(64, constants.sha512) }
