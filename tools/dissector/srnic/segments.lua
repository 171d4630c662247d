-- SPDX-License-Identifier: GPL-2.0
--
-- Splitting of super-packets. With segmentation offload, a capture on the sender or on a
-- veth pair shows many packets behind one UDP header, all of one length except for the last
-- (architecture.md, the way of a message out).

local format = require "srnic.format"

local SHORTEST = format.BTH + format.ICRC

-- Test whether a packet may follow the other in one burst: same queue pair and kind, later
-- PSN
local function follows(one, other)
	return other.kind == one.kind and other.pkey == one.pkey and other.qpn == one.qpn
		and other.code == one.code and other.version == 0
		and (other.psn - one.psn - 1) % 0x1000000 < 0x800000
end

local function all_follow(text, length)
	local before = format.bth(text, 1)
	for at = length + 1, #text, length do
		if #text - at + 1 < SHORTEST then
			return false
		end
		local bth = format.bth(text, at)
		if not follows(before, bth) then
			return false
		end
		before = bth
	end
	return true
end

-- Return the length of the first packet: the shortest for which each packet follows the one
-- before. A single packet is split by mistake with a probability of 2^-40.
local function length_of_first(text)
	local qpn, at = text:sub(6, 8), SHORTEST + 5
	while true do
		at = text:find(qpn, at + 1, true)
		if not at then
			return #text
		end
		local length = at - 6
		if length % 4 == 0 and all_follow(text, length) then
			return length
		end
	end
end

-- Return the packets behind a UDP header, each from BTH to ICRC
return function(text)
	if #text < SHORTEST or not format.bth(text, 1).kind then
		return { text }
	end
	local length, out = length_of_first(text), {}
	for at = 1, #text, length do
		out[#out + 1] = text:sub(at, at + length - 1)
	end
	return out
end
