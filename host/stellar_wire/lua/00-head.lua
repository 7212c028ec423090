-- Wireshark dissector of StellarTP, version 0. SPDX-License-Identifier: BSD-2-Clause
--
-- Written by `make wire` (python -m stellar_wire) from stellar_spec and host/stellar_wire/lua; do
-- not edit. Use: wireshark -X lua_script:stellartp.lua, or copy it into the personal plugin folder.
-- What it shows: docs/dissectors.md. The format: docs/wire-format.md.

local stellartp = Proto("stellartp", "StellarTP")

local function declare(title, size, fields)
  local header = { title = title, size = size, fields = fields }
  for _, field in ipairs(fields) do header[field.name] = field end
  return header
end

