-- SPDX-License-Identifier: GPL-2.0
--
-- The carrier of RoCEv2 in a frame: IP and UDP, to port 4791; or to 4792, that of InfiniBand
-- ports (protocol.md, section 17).
--
-- The headers are searched in the frame's bytes, because the fields of Wireshark's own
-- dissectors do not exist in each pass, and keys must be followed in the first.

local bytes = require "srnic.bytes"

-- The ports as a pattern, and the kinds of port by the last byte (section 1)
local PORTS, UDP = "\18[\183\184]", 8
local KINDS = { [183] = "\0", [184] = "\1" }
local PROTOCOL_UDP = 17
local MAPPED = bytes.zeros(10) .. "\255\255"

-- Maximum offset of the UDP header in a frame, with tunnels before it
local DEEPEST = 256

-- Return the IP header before a UDP header at `udp`, and the addresses as GIDs. Fragments
-- are ignored.
local function ipv4(text, udp, udp_length)
	for size = 20, 60, 4 do
		local at = udp - size
		if at < 1 then
			return nil
		end
		if text:byte(at) == 0x40 + size / 4 and text:byte(at + 9) == PROTOCOL_UDP
				and bytes.number(text, at + 2, 2) == size + udp_length
				and bytes.number(text, at + 6, 2) % 0x4000 == 0 then
			return text:sub(at, udp - 1), MAPPED .. text:sub(at + 12, at + 15),
				MAPPED .. text:sub(at + 16, at + 19)
		end
	end
end

local function ipv6(text, udp, udp_length)
	local at = udp - 40
	if at >= 1 and math.floor(text:byte(at) / 16) == 6 and text:byte(at + 6) == PROTOCOL_UDP
			and bytes.number(text, at + 4, 2) == udp_length then
		return text:sub(at, udp - 1), text:sub(at + 8, at + 23), text:sub(at + 24, at + 39)
	end
end

-- Find the carrier. Returns ip and udp: the headers' bytes; sgid, dgid; port: its kind, a byte;
-- at: offset of the payload in the frame, from 0; length: of the payload, which may exceed the
-- capture
return function(tvb)
	local text = tvb(0, math.min(tvb:len(), DEEPEST)):raw()
	local port = 2
	while true do
		port = text:find(PORTS, port + 1)
		if not port or port + 5 > #text then
			return nil
		end
		local udp = port - 2
		local length = bytes.number(text, udp + 4, 2)
		local ip, sgid, dgid = ipv4(text, udp, length)
		if not ip then
			ip, sgid, dgid = ipv6(text, udp, length)
		end
		if ip and length >= UDP then
			return {
				ip = ip, udp = text:sub(udp, udp + UDP - 1), sgid = sgid, dgid = dgid,
				port = KINDS[text:byte(port + 1)], at = udp + UDP - 1, length = length - UDP,
			}
		end
	end
end
