-- SPDX-License-Identifier: GPL-2.0
--
-- The AEAD of RFC 8439, 2.8.

local bytes = require "srnic.bytes"
local chacha20 = require "srnic.chacha20"
local poly1305 = require "srnic.poly1305"

local function length_of(text)
	return bytes.pack(#text, 8):reverse()
end

-- Return an opener: a function that returns the plaintext, or nil if the tag is wrong
return function(key)
	return function(nonce, data, text, tag)
		local once = chacha20.block(key, 0, nonce):sub(1, 32)
		local message = bytes.padded(data, 16) .. bytes.padded(text, 16) ..
			length_of(data) .. length_of(text)
		if poly1305(once, message) == tag then
			return chacha20.crypt(key, 1, nonce, text)
		end
	end
end
