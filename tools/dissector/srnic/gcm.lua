-- SPDX-License-Identifier: GPL-2.0
--
-- AES-GCM with 96-bit nonces and full tags (SP 800-38D). AES-GMAC is AES-GCM without
-- plaintext.

local aes = require "srnic.aes"
local bytes = require "srnic.bytes"
local ghash = require "srnic.ghash"
local bxor = bit.bxor

-- Encrypt or decrypt. Block 1 of the key stream is reserved for the tag.
local function crypt(key, nonce, text)
	local x, y, z = bytes.word(nonce, 1), bytes.word(nonce, 5), bytes.word(nonce, 9)
	local padded, out = bytes.padded(text, 16), {}
	for at = 1, #padded, 16 do
		local a, b, c, d = aes.encrypt(key, x, y, z, (at + 31) / 16)
		out[#out + 1] = bytes.from_words(bxor(a, bytes.word(padded, at)),
			bxor(b, bytes.word(padded, at + 4)), bxor(c, bytes.word(padded, at + 8)),
			bxor(d, bytes.word(padded, at + 12)))
	end
	return table.concat(out):sub(1, #text)
end

-- Return an opener: a function that returns the plaintext, or nil if the tag is wrong
return function(key)
	local expanded = aes.expand(key)
	local hash = ghash(aes.encrypt(expanded, 0, 0, 0, 0))
	return function(nonce, data, text, tag)
		local a, b, c, d = hash(bytes.padded(data, 16) .. bytes.padded(text, 16) ..
			bytes.pack(8 * #data, 8) .. bytes.pack(8 * #text, 8))
		local w, x, y, z = aes.encrypt(expanded, bytes.word(nonce, 1), bytes.word(nonce, 5),
			bytes.word(nonce, 9), 1)
		if bytes.from_words(bxor(a, w), bxor(b, x), bxor(c, y), bxor(d, z)) == tag then
			return crypt(expanded, nonce, text)
		end
	end
end
