-- SPDX-License-Identifier: GPL-2.0
--
-- The ICRC of RoCEv2 (IBA annex A17.3.3): Ethernet's CRC over the fields that do not change
-- in transit.

local bytes = require "srnic.bytes"
local band, bxor, rshift = bit.band, bit.bxor, bit.rshift

local remainders = {}
for byte = 0, 255 do
	local crc = byte
	for _ = 1, 8 do
		crc = bxor(rshift(crc, 1), band(crc, 1) * 0xedb88320)
	end
	remainders[byte] = crc
end

local function crc32(text)
	local crc = -1
	for i = 1, #text do
		crc = bxor(rshift(crc, 8), remainders[band(bxor(crc, text:byte(i)), 255)])
	end
	return bit.bnot(crc)
end

-- Return the IP header as sent for a single packet, with ones in fields that may change:
-- DSCP and ECN, TTL, checksum; in IPv6 traffic class, flow label, hop limit. The IPv4 id of
-- a segment is that of the super-packet plus its index, from 0.
local function ip_of(ip, udp_length, place)
	if #ip == 40 and ip:byte(1) >= 0x60 then
		return "\111\255\255\255" .. bytes.pack(udp_length, 2) .. ip:sub(7, 7) .. "\255" ..
			ip:sub(9)
	end
	local id = (bytes.number(ip, 5, 2) + place) % 65536
	return ip:sub(1, 1) .. "\255" .. bytes.pack(#ip + udp_length, 2) .. bytes.pack(id, 2) ..
		ip:sub(7, 8) .. "\255" .. ip:sub(10, 10) .. "\255\255" .. ip:sub(13)
end

-- Compute the ICRC of a packet, given from BTH to ICRC
return function(carrier, text, place)
	local udp_length = 8 + #text
	local crc = crc32(("\255"):rep(8) .. ip_of(carrier.ip, udp_length, place) ..
		carrier.udp:sub(1, 4) .. bytes.pack(udp_length, 2) .. "\255\255" ..
		text:sub(1, 4) .. "\255" .. text:sub(6, -5))
	return bytes.from_words(bit.bswap(crc))
end
