-- SPDX-License-Identifier: GPL-2.0
--
-- How SHA-1 and SHA-2 cut a message into blocks (FIPS 180-4, 5.1 and 5.2).

local bytes = require "srnic.bytes"

-- A hash function of messages: `compress(state, message, at)` takes the block that begins
-- there into the state, a list of words that begins as `initial`; `length_size` bytes at
-- the end say how long the message is; the digest is the first `size` bytes of the state.
return function(hash)
	local function digest(message)
		local tail = "\128" .. bytes.zeros(-(#message + 1 + hash.length_size) % hash.block)
		local padded = message .. tail .. bytes.pack(8 * #message, hash.length_size)
		local state = { table.unpack(hash.initial) }
		for at = 1, #padded, hash.block do
			hash.compress(state, padded, at)
		end
		return bytes.from_words(table.unpack(state)):sub(1, hash.size)
	end
	return { digest = digest, block = hash.block }
end
