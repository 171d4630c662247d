-- SPDX-License-Identifier: GPL-2.0
--
-- Key files, as `srnic key gen` writes them and `srnic key add` reads them (srnic(8)).

local SHORTEST, LONGEST = 16, 32

local function from_hex(digits)
	return (digits:gsub("..", function(byte)
		return string.char(tonumber(byte, 16))
	end))
end

-- The key, or nil. What has nothing but hexadecimal digits and white space is that, and
-- never taken for bytes.
local function parse(text)
	local digits = text:gsub("%s", "")
	if digits:find("^%x+$") then
		if #digits % 2 == 1 then
			return nil
		end
		text = from_hex(digits)
	end
	return #text >= SHORTEST and #text <= LONGEST and text or nil
end

local function read(path)
	local file, why = io.open(path, "rb")
	if not file then
		return nil, why
	end
	local key = parse(file:read(512) or "")
	file:close()
	return key, path .. ": a key has 16 to 32 bytes, or 32 to 64 hexadecimal digits"
end

-- The keys of files, whose names have semicolons between them; `complain` is told what
-- could not be read
return function(paths, complain)
	local keys = {}
	for path in paths:gmatch("[^;]+") do
		path = path:match("^%s*(.-)%s*$")
		local key, why = read(path)
		if key then
			keys[#keys + 1] = { name = path:match("[^/\\]*$"), bytes = key }
		else
			complain("srnic: no key from " .. why)
		end
	end
	return keys
end
