-- SPDX-License-Identifier: GPL-2.0
--
-- Poly1305 (RFC 8439, 2.5). A number is ten limbs of 13 bits, lowest first: sums of their
-- products are exact in doubles, the only numbers of Lua 5.2.

local floor = math.floor
local LIMB = 8192

-- Return the limbs of a byte string of at most 130 bits, lowest byte first
local function limbs_of(text)
	local limbs, held, scale, at = {}, 0, 1, 1
	for i = 1, 10 do
		while scale < LIMB do
			held = held + (text:byte(at) or 0) * scale
			scale, at = scale * 256, at + 1
		end
		limbs[i] = held % LIMB
		held, scale = floor(held / LIMB), scale / LIMB
	end
	return limbs
end

-- Reduce each limb below 2^13, except for the first, which may be slightly larger. The part
-- beyond 2^130 is multiplied by 5 and added
local function carry(limbs)
	local over = 0
	for i = 1, 10 do
		local sum = limbs[i] + over
		limbs[i] = sum % LIMB
		over = floor(sum / LIMB)
	end
	limbs[1] = limbs[1] + 5 * over
end

local function times(h, r)
	local product = {}
	for i = 1, 10 do
		local low, high = 0, 0
		for j = 1, 10 do
			if j <= i then
				low = low + h[j] * r[i - j + 1]
			else
				high = high + h[j] * r[i - j + 11]
			end
		end
		product[i] = low + 5 * high
	end
	carry(product)
	carry(product)
	return product
end

-- Reduce fully modulo 2^130 - 5: subtract it if adding 5 carries out of 130 bits
local function reduce(h)
	carry(h)
	carry(h)
	local more, over = {}, 5
	for i = 1, 10 do
		local sum = h[i] + over
		more[i] = sum % LIMB
		over = floor(sum / LIMB)
	end
	return over > 0 and more or h
end

-- Return the lowest 16 bytes of a number plus those of another, modulo 2^128
local function sum_of(limbs, text)
	local out, held, scale, next_limb, over = {}, 0, 1, 1, 0
	for i = 1, 16 do
		while scale < 256 do
			held = held + limbs[next_limb] * scale
			scale, next_limb = scale * LIMB, next_limb + 1
		end
		local sum = held % 256 + text:byte(i) + over
		out[i], over = string.char(sum % 256), floor(sum / 256)
		held, scale = floor(held / 256), scale / 256
	end
	return table.concat(out)
end

-- Clear the bits of r that must be zero (2.5.1)
local function clamp(text)
	local out = { text:byte(1, 16) }
	for _, i in ipairs { 4, 8, 12, 16 } do
		out[i] = out[i] % 16
	end
	for _, i in ipairs { 5, 9, 13 } do
		out[i] = out[i] - out[i] % 4
	end
	return string.char(table.unpack(out))
end

-- Compute the tag of a message under a one-time key of 32 bytes
return function(key, message)
	local r = limbs_of(clamp(key:sub(1, 16)))
	local h = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
	for at = 1, #message, 16 do
		local block = limbs_of(message:sub(at, at + 15) .. "\1")
		for i = 1, 10 do
			h[i] = h[i] + block[i]
		end
		h = times(h, r)
	end
	return sum_of(reduce(h), key:sub(17, 32))
end
