-- SPDX-License-Identifier: GPL-2.0
--
-- The block structure of SHA-1 and SHA-2 (FIPS 180-4, 5.1 and 5.2).

local bytes = require "srnic.bytes"

-- Return a hash function. `compress(state, message, at)` updates the state, a list of words
-- that starts as `initial`, with the block at `at`; `length_size` is the size of the length
-- field at the end; the digest is the first `size` bytes of the state.
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
