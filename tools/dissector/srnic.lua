-- SPDX-License-Identifier: GPL-2.0
--
-- srnic's Secure Transport Header in Wireshark and tshark. README.md is the manual.
--
-- This is a post-dissector: Wireshark's own dissector parses RoCEv2, and this one adds what
-- it does not know.

local folder = debug.getinfo(1, "S").source:match("^@?(.-)[^/\\]*$")
package.path = folder .. "?.lua;" .. package.path

local find_carrier = require "srnic.carrier"
local format = require "srnic.format"
local icrc = require "srnic.icrc"
local registered = require "srnic.fields".registered
local read = require "srnic.keys"
local segments = require "srnic.segments"
local show = require "srnic.show"
local tracker = require "srnic.tracker"

local srnic = Proto("srnic", "Secure Transport Header (srnic)")
srnic.fields = registered.fields
srnic.experts = registered.experts
srnic.prefs.keys = Pref.string("Key files", "",
	"Files as srnic key gen writes them, with semicolons between them")
srnic.prefs.grants = Pref.string("Grant files", "",
	"Memory keys as srnic_grant_pack(3) writes them, with semicolons between the files")

srnic.prefs.secrets = Pref.string("Secret files", "",
	"Secrets of connections as srnic-secrets(8) writes them, with semicolons between the files")

-- Results per frame. A frame may be dissected several times but is followed only once, in
-- order: PSNs and counters depend on earlier frames.
local following, frames

function srnic.init()
	following = tracker.new(read.keys(srnic.prefs.keys, report_failure),
		read.grants(srnic.prefs.grants, report_failure),
		read.secrets(srnic.prefs.secrets, report_failure))
	frames = {}
end

-- Follow the packets of a frame; return those with something to show
local function follow(tvb, carrier, frame)
	local captured = math.min(carrier.length, tvb:len() - carrier.at)
	if captured < format.BTH then
		return {}
	end
	local texts = segments(tvb(carrier.at, captured):raw())
	local found, at = {}, carrier.at
	for place, text in ipairs(texts) do
		local packet = format.parse(text, captured < carrier.length)
		if packet then
			packet.sgid, packet.dgid, packet.port = carrier.sgid, carrier.dgid, carrier.port
			packet.at, packet.length, packet.place, packet.of = at, #text, place, #texts
			packet.icrc_right = icrc(carrier, text, place - 1) == packet.icrc
			local verdict = following:follow(packet, frame)
			found[#found + 1] = verdict and { packet = packet, verdict = verdict }
		end
		at = at + #text
	end
	return found
end

-- Redo verdicts that had to wait for later frames
local function follow_again(found, frame)
	for _, each in ipairs(found) do
		if each.verdict.pending then
			each.verdict = following:follow(each.packet, frame)
		end
	end
end

function srnic.dissector(tvb, pinfo, tree)
	local carrier = find_carrier(tvb)
	if not carrier then
		return
	end
	if frames[pinfo.number] then
		follow_again(frames[pinfo.number], pinfo.number)
	else
		frames[pinfo.number] = follow(tvb, carrier, pinfo.number)
	end
	pinfo.cols.info:append(show.line(frames[pinfo.number]))
	for _, each in ipairs(frames[pinfo.number]) do
		local packet = each.packet
		show.packet(srnic, tree, tvb(packet.at, packet.length), packet, each.verdict)
	end
end

register_postdissector(srnic)

-- Wireshark's own dissector knows RoCEv2's port only
local udp = DissectorTable.get("udp.port")
local own = udp:get_dissector(4791)
if own then
	udp:add(4792, own)
end
