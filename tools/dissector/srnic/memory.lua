-- SPDX-License-Identifier: GPL-2.0
--
-- Memory keys, which prove requests to a protected region (protocol.md, section 12).
-- Addresses have 64 bits, which not all versions of Lua can represent: use Wireshark's
-- UInt64.

local bytes = require "srnic.bytes"
local cmac = require "srnic.cmac"

local ONE = UInt64.new(1)

local memory = {}

-- Decode eight bytes of a string; the first byte has index 1
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

-- Return the offsets of the access's first byte and of the byte after its last in the
-- region; nil if the access is not inside the grant's block
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

-- Derive K_SR: descend from the block's key to the smallest block that contains the access
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

-- Compute the proof of a request under a grant, from what it covers: nonces of the handshake, M,
-- and payload; nil if the grant does not permit the request
function memory.proof(grant, access, covered)
	if access.rkey ~= grant.rkey or access.right ~= grant.right then
		return nil
	end
	local start, stop = place_of(grant, access)
	return start and cmac(access_key(grant, start, stop))(covered)
end

-- Decode a grant in the format of srnic_grant_pack(3); nil if it is invalid
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
