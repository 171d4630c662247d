-- SPDX-License-Identifier: GPL-2.0
--
-- SHA-224 and SHA-256 (FIPS 180-4, 6.2 and 6.3).

local bytes = require "srnic.bytes"
local constants = require "srnic.sha2_constants"
local merkle_damgard = require "srnic.merkle_damgard"
local band, bnot, bxor = bit.band, bit.bnot, bit.bxor
local ror, rshift, tobit = bit.ror, bit.rshift, bit.tobit

local schedule = {}

local function expand(text, at)
	local w = schedule
	for i = 1, 16 do
		w[i] = bytes.word(text, at + 4 * i - 4)
	end
	for i = 17, 64 do
		local x, y = w[i - 15], w[i - 2]
		local s0 = bxor(ror(x, 7), ror(x, 18), rshift(x, 3))
		local s1 = bxor(ror(y, 17), ror(y, 19), rshift(y, 10))
		w[i] = tobit(w[i - 16] + s0 + w[i - 7] + s1)
	end
	return w
end

local function compress(state, text, at)
	local w, k = expand(text, at), constants.rounds_high
	local a, b, c, d, e, f, g, h = table.unpack(state)
	for i = 1, 64 do
		local s1 = bxor(ror(e, 6), ror(e, 11), ror(e, 25))
		local choice = bxor(band(e, f), band(bnot(e), g))
		local t1 = h + s1 + choice + k[i] + w[i]
		local s0 = bxor(ror(a, 2), ror(a, 13), ror(a, 22))
		local majority = bxor(band(a, b), band(a, c), band(b, c))
		a, b, c, d, e, f, g, h = tobit(t1 + s0 + majority), a, b, c, tobit(d + t1), e, f, g
	end
	for i, word in ipairs { a, b, c, d, e, f, g, h } do
		state[i] = tobit(state[i] + word)
	end
end

local function variant(size, initial)
	return merkle_damgard {
		block = 64, length_size = 8, size = size, compress = compress, initial = initial,
	}
end

return { sha224 = variant(28, constants.sha224), sha256 = variant(32, constants.sha256) }
