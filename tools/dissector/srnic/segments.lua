-- SPDX-License-Identifier: GPL-2.0
--
-- Super-packets taken apart. A capture on the machine that sends, or on a veth pair, shows
-- what the stack hands on: with segmentation offload, many packets behind one UDP header,
-- all but the last of one length (architecture.md, the way of a message out).

local format = require "srnic.format"

local SHORTEST = format.BTH + format.ICRC

-- Whether a packet may follow the other in one burst: of the same queue pair and kind,
-- and later
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

-- The length of the first packet: the shortest that makes every packet follow the one
-- before. One that stands alone has none, but for a chance of 2^-40.
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

-- The packets, BTH to ICRC each, behind a UDP header
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
