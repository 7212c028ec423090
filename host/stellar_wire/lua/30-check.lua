-- ---------------------------------------------------------------------------------------------
-- The end-to-end check: CRC-32 over the bytes that docs/wire-format.md, section 6, lists.

-- `length` bytes of a header from `data` (a string, first byte at `first`), those that are not
-- covered as zeros.
local function masked(header, data, first)
  local parts = {}
  for _, run in ipairs(header.runs) do
    local size = run.to - run.from
    parts[#parts + 1] = run.covered and data:sub(first + run.from, first + run.to - 1)
      or string.rep("\0", size)
  end
  return table.concat(parts)
end

-- The check of a whole datagram; `around` is what `enclosing` gives, `layout` the headers behind
-- UDP in order, with those of INT's hops.
local function computed_check(around, layout)
  local data = around.frame:raw(around.l4, around.udp_length)
  local crc = crc_feed(0xFFFFFFFF, around.addresses)
  crc = crc_feed(crc, string.rep("\0", around.between))
  crc = crc_feed(crc, masked(HEADERS.UDP, data, 1))
  local at = 1 + HEADERS.UDP.size
  for _, header in ipairs(layout) do
    crc = crc_feed(crc, masked(header, data, at))
    at = at + header.size
  end
  crc = crc_feed(crc, data:sub(at, #data - CHECK_SIZE))
  return 0xFFFFFFFF - crc
end
