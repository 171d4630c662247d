-- SPDX-License-Identifier: GPL-2.0
--
-- Reader of key files, in the format of `srnic key gen` and `srnic key add` (srnic(8)), of
-- files with grants, and of files with secrets of connections.

local memory = require "srnic.memory"

local SHORTEST, LONGEST = 16, 32
-- Hexadecimal digits of a share or a secret
local SHARE = 64

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

-- Decode a line with a secret; nil if it has none, false if it is invalid
local function secret_of(line)
	local kind, rest = line:match("^%s*(%S*)%s*(.-)%s*$")
	if kind == "" or kind:sub(1, 1) == "#" then
		return nil
	end
	local a, b, z = rest:match("^(%x+)%s+(%x+)%s+(%x+)$")
	if kind ~= "Z" or not a or #a ~= SHARE or #b ~= SHARE or #z ~= SHARE then
		return false
	end
	return { shares = from_hex(a) .. from_hex(b), z = from_hex(z) }
end

-- Add the secrets of a file; return why that is impossible
local function add_secrets(found, path)
	local file, why = io.open(path, "r")
	if not file then
		return why
	end
	for line in file:lines() do
		local secret = secret_of(line)
		if secret then
			found[secret.shares] = secret
		elseif secret == false then
			why = path .. ": a line has Z, and shares of A and B and their secret"
		end
	end
	file:close()
	return why
end

-- Read files with secrets of connections, as srnic-secrets(8) writes them; return them by the
-- shares of A and B
local function secrets(paths, complain)
	local found = {}
	for path in paths:gmatch("[^;]+") do
		local why = add_secrets(found, path:match("^%s*(.-)%s*$"))
		if why then
			complain("srnic: no secret from " .. why)
		end
	end
	return found
end

return { keys = reader(KEY, "key"), grants = reader(GRANT, "grant"), secrets = secrets }
