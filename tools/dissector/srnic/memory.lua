-- SPDX-License-Identifier: GPL-2.0
--
-- Memory keys: what a request to a protected region is proved by (protocol.md, section 12).
-- Addresses have 64 bits, which Lua's numbers do not hold everywhere: they are Wireshark's
-- UInt64.

local bytes = require "srnic.bytes"
local cmac = require "srnic.cmac"

local ONE = UInt64.new(1)

local memory = {}

-- The number in eight bytes of a string; the first byte has index 1
function memory.address(text, at)
	return UInt64.decode(text:sub(at, at + 7), false)
end

local function range_of(start, stop)
	return start:encode(false) .. stop:encode(false)
end

-- log2 of the region's length, rounded up
local function root_of(grant)
	local shift = 0
	while shift < 63 and ONE:lshift(shift) < grant.length do
		shift = shift + 1
	end
	return shift
end

-- The access's first byte and the one behind its last, from the region's first; nil if it
-- is not in the grant's block
local function place_of(grant, access)
	if access.addr < grant.addr then
		return nil
	end
	local start = access.addr - grant.addr
	local stop = start + UInt64.new(access.length)
	local last = grant.start + ONE:lshift(grant.node_shift)
	if start < grant.start or stop > last or stop > grant.length then
		return nil
	end
	return start, stop
end

-- K_SR, from the block's key down to the smallest block around the access
local function access_key(grant, start, stop)
	local key, node, shift = grant.key, grant.start, grant.node_shift
	local steps = grant.depth - (root_of(grant) - shift)
	while shift > grant.block_shift and steps > 0 do
		local middle = node + ONE:lshift(shift - 1)
		if start < middle and stop > middle then
			break
		end
		node = start < middle and node or middle
		shift, steps = shift - 1, steps - 1
		key = cmac(key)("\2" .. range_of(node, node + ONE:lshift(shift)))
	end
	return cmac(key)("\3" .. range_of(start, stop))
end

-- The proof by a grant that a request with these headers has, or nil if it is not good for
-- what the request asks for
function memory.proof(grant, access, m)
	if access.rkey ~= grant.rkey or access.right ~= grant.right then
		return nil
	end
	local start, stop = place_of(grant, access)
	return start and cmac(access_key(grant, start, stop))(m)
end

-- A grant as srnic_grant_pack(3) writes it, or nil
function memory.unpack(text)
	if #text ~= 64 or text:sub(1, 5) ~= "srnG\1" then
		return nil
	end
	local grant = {
		right = text:byte(6), depth = text:byte(7), block_shift = text:byte(8),
		addr = memory.address(text, 9), length = memory.address(text, 17),
		start = memory.address(text, 25), rkey = bytes.number(text, 33, 4),
		node_shift = text:byte(37), key = text:sub(41, 56),
	}
	return cmac(grant.key)(text:sub(1, 56)):sub(1, 8) == text:sub(57) and grant or nil
end

return memory
