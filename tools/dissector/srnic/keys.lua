-- SPDX-License-Identifier: GPL-2.0
--
-- Reader of key files, in the format of `srnic key gen` and `srnic key add` (srnic(8)), and
-- of files with grants.

local memory = require "srnic.memory"

local SHORTEST, LONGEST = 16, 32

local function from_hex(digits)
	return (digits:gsub("..", function(byte)
		return string.char(tonumber(byte, 16))
	end))
end

-- Return the bytes, or nil. Text of hexadecimal digits and white space only is never taken
-- as raw bytes.
local function parse(text)
	local digits = text:gsub("%s", "")
	if not digits:find("^%x+$") then
		return text
	end
	return #digits % 2 == 0 and from_hex(digits) or nil
end

local function read(path, kind)
	local file, why = io.open(path, "rb")
	if not file then
		return nil, why
	end
	local text = parse(file:read(512) or "")
	file:close()
	return text and kind.read(text), path .. ": " .. kind.demand
end

local KEY = {
	demand = "a key has 16 to 32 bytes, or 32 to 64 hexadecimal digits",
	read = function(text)
		return #text >= SHORTEST and #text <= LONGEST and { bytes = text } or nil
	end,
}

local GRANT = {
	demand = "a grant has 64 bytes, or 128 hexadecimal digits, as srnic_grant_pack(3) has them",
	read = memory.unpack,
}

-- Return a reader of files, named in a list separated by semicolons; it reports unreadable
-- files to `complain`
local function reader(kind, name)
	return function(paths, complain)
		local found = {}
		for path in paths:gmatch("[^;]+") do
			path = path:match("^%s*(.-)%s*$")
			local one, why = read(path, kind)
			if one then
				one.name = path:match("[^/\\]*$")
				found[#found + 1] = one
			else
				complain("srnic: no " .. name .. " from " .. why)
			end
		end
		return found
	end
end

return { keys = reader(KEY, "key"), grants = reader(GRANT, "grant") }
