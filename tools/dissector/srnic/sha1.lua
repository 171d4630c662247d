-- SPDX-License-Identifier: GPL-2.0
--
-- SHA-1 (FIPS 180-4, 6.1).

local bytes = require "srnic.bytes"
local merkle_damgard = require "srnic.merkle_damgard"
local band, bnot, bor, bxor = bit.band, bit.bnot, bit.bor, bit.bxor
local rol, tobit = bit.rol, bit.tobit

local schedule = {}

local function expand(text, at)
	local w = schedule
	for i = 1, 16 do
		w[i] = bytes.word(text, at + 4 * i - 4)
	end
	for i = 17, 80 do
		w[i] = rol(bxor(w[i - 3], w[i - 8], w[i - 14], w[i - 16]), 1)
	end
	return w
end

local function choose(x, y, z)
	return bor(band(x, y), band(bnot(x), z))
end

local function majority(x, y, z)
	return bor(band(x, y), band(x, z), band(y, z))
end

-- Four groups of twenty rounds
local quarters = {
	{ choose, 0x5a827999 },
	{ bxor, 0x6ed9eba1 },
	{ majority, 0x8f1bbcdc },
	{ bxor, 0xca62c1d6 },
}

local function compress(state, text, at)
	local w = expand(text, at)
	local a, b, c, d, e = table.unpack(state)
	for quarter, what in ipairs(quarters) do
		local mix, constant = what[1], what[2]
		for i = 20 * quarter - 19, 20 * quarter do
			local sum = tobit(rol(a, 5) + mix(b, c, d) + e + constant + w[i])
			a, b, c, d, e = sum, a, rol(b, 30), c, d
		end
	end
	for i, word in ipairs { a, b, c, d, e } do
		state[i] = tobit(state[i] + word)
	end
end

return merkle_damgard {
	block = 64, length_size = 8, size = 20, compress = compress,
	initial = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 },
}
