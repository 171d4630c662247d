-- SPDX-License-Identifier: GPL-2.0
--
-- Tests the dissector's primitives on published vectors, for test_dissector.py. The argument
-- names a file of lines with fields separated by tabs:
--
--	poly	NAME KEY MESSAGE TAG
--	kdf	NAME KEY FIXED OUT
--	mac	SUITE NAME VALID KEY IV MESSAGE TAG
--	aead	SUITE NAME VALID KEY IV DATA TEXT CIPHERTEXT TAG
--
-- Prints the vectors that fail, and how many succeed.

package.path = debug.getinfo(1, "S").source:match("^@?(.-)[^/\\]*$") .. "?.lua;" .. package.path

local kdf = require "srnic.kdf"
local poly1305 = require "srnic.poly1305"
local suites = require "srnic.suites"

local openers = {}
for _, suite in ipairs(suites.all) do
	openers[suite.name] = suite.opener
end

local function unhex(digits)
	return (digits:gsub("..", function(byte)
		return string.char(tonumber(byte, 16))
	end))
end

local holds = {
	poly = function(_, key, message, tag)
		return poly1305(unhex(key), unhex(message)) == unhex(tag)
	end,
	kdf = function(_, key, fixed, out)
		out = unhex(out)
		return kdf.counter_mode(unhex(key), unhex(fixed), #out) == out
	end,
	mac = function(suite, _, valid, key, iv, message, tag)
		local open = openers[suite](unhex(key))
		return (open(unhex(iv), unhex(message), "", unhex(tag)) == "") == (valid == "true")
	end,
	aead = function(suite, _, valid, key, iv, data, text, sealed, tag)
		local open = openers[suite](unhex(key))
		local opened = open(unhex(iv), unhex(data), unhex(sealed), unhex(tag))
		return opened == (valid == "true" and unhex(text) or nil)
	end,
}

local right = 0
for line in io.lines((...)) do
	local words = {}
	for word in (line .. "\t"):gmatch("([^\t]*)\t") do
		words[#words + 1] = word
	end
	if holds[words[1]](table.unpack(words, 2)) then
		right = right + 1
	else
		print("wrong: " .. words[2] .. " " .. words[3])
	end
end
print("right: " .. right)
