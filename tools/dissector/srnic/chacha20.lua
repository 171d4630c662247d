-- SPDX-License-Identifier: GPL-2.0
--
-- ChaCha20 (RFC 8439, 2.3 and 2.4). Its integers are little-endian.

local bytes = require "srnic.bytes"
local bxor, rol, tobit = bit.bxor, bit.rol, bit.tobit

local function quarter(s, a, b, c, d)
	local w, x, y, z = s[a], s[b], s[c], s[d]
	w = tobit(w + x)
	z = rol(bxor(z, w), 16)
	y = tobit(y + z)
	x = rol(bxor(x, y), 12)
	w = tobit(w + x)
	z = rol(bxor(z, w), 8)
	y = tobit(y + z)
	x = rol(bxor(x, y), 7)
	s[a], s[b], s[c], s[d] = w, x, y, z
end

local function double_round(s)
	quarter(s, 1, 5, 9, 13)
	quarter(s, 2, 6, 10, 14)
	quarter(s, 3, 7, 11, 15)
	quarter(s, 4, 8, 12, 16)
	quarter(s, 1, 6, 11, 16)
	quarter(s, 2, 7, 12, 13)
	quarter(s, 3, 8, 9, 14)
	quarter(s, 4, 5, 10, 15)
end

-- Initial state: constants, key, counter, nonce
local function state_of(key, counter, nonce)
	local text, state = "expand 32-byte k" .. key, {}
	for at = 1, #text, 4 do
		state[#state + 1] = bit.bswap(bytes.word(text, at))
	end
	state[13] = counter
	for at = 1, 9, 4 do
		state[#state + 1] = bit.bswap(bytes.word(nonce, at))
	end
	return state
end

local chacha20 = {}

-- Return a block of 64 bytes of the key stream
function chacha20.block(key, counter, nonce)
	local before = state_of(key, counter, nonce)
	local state = { table.unpack(before) }
	for _ = 1, 10 do
		double_round(state)
	end
	for i = 1, 16 do
		state[i] = bit.bswap(tobit(state[i] + before[i]))
	end
	return bytes.from_words(table.unpack(state))
end

function chacha20.crypt(key, counter, nonce, text)
	local padded, out = bytes.padded(text, 64), {}
	for at = 1, #padded, 64 do
		local stream = chacha20.block(key, counter + (at - 1) / 64, nonce)
		for i = 0, 60, 4 do
			out[#out + 1] = bytes.from_words(
				bxor(bytes.word(stream, i + 1), bytes.word(padded, at + i)))
		end
	end
	return table.concat(out):sub(1, #text)
end

return chacha20
