-- SPDX-License-Identifier: GPL-2.0
--
-- HMAC (RFC 2104).

local bytes = require "srnic.bytes"

local function masked(key, mask)
	return (key:gsub(".", function(byte)
		return string.char(bit.bxor(byte:byte(), mask))
	end))
end

-- Return a function that computes the tag of a message
return function(hash, key)
	if #key > hash.block then
		key = hash.digest(key)
	end
	local block = key .. bytes.zeros(hash.block - #key)
	local inner, outer = masked(block, 0x36), masked(block, 0x5c)
	return function(message)
		return hash.digest(outer .. hash.digest(inner .. message))
	end
end
