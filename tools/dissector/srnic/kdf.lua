-- SPDX-License-Identifier: GPL-2.0
--
-- SP 800-108r1, 4.1: counter mode with HMAC-SHA-256 (protocol.md, section 6).

local bytes = require "srnic.bytes"
local hmac = require "srnic.hmac"
local sha256 = require "srnic.sha256".sha256

local kdf = {}

function kdf.counter_mode(key, fixed, length)
	local prf, out = hmac(sha256, key), ""
	for i = 1, math.ceil(length / 32) do
		out = out .. prf(bytes.pack(i, 4) .. fixed)
	end
	return out:sub(1, length)
end

function kdf.derive(key, label, context, length)
	return kdf.counter_mode(key, label .. "\0" .. context .. bytes.pack(8 * length, 4), length)
end

return kdf
