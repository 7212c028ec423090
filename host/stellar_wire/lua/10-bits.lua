-- ---------------------------------------------------------------------------------------------
-- Bits. Lua 5.1 to 5.2 have libraries for the exclusive or, later versions an operator, which
-- the earlier ones could not even read: hence the text.

local xor
if bit32 then
  xor = bit32.bxor
else
  local chunk = load("return function(a, b) return a ~ b end")
  xor = chunk and chunk() or require("bit").bxor
end

-- Value of a declared field (32 bits at most) of the header that starts at byte `at` of `tvb`.
local function value(tvb, at, field)
  return tvb(at + field.byte, field.size):bitfield(field.bit, field.width)
end

-- CRC-32 of IEEE 802.3, bits of a byte least significant first.
local CRC_TABLE = {}
for index = 0, 255 do
  local crc = index
  for _ = 1, 8 do
    local low = crc % 2
    crc = (crc - low) / 2
    if low == 1 then crc = xor(crc, 0xEDB88320) % 0x100000000 end
  end
  CRC_TABLE[index] = crc
end

local function crc_feed(crc, data)
  local byte, entry, x = string.byte, CRC_TABLE, xor
  for index = 1, #data do
    local low = crc % 256
    crc = x(entry[x(low, byte(data, index))], (crc - low) / 256)
  end
  return crc % 0x100000000  -- BitOp's numbers have a sign
end

-- One's complement sum of the 16-bit words of `data`, whose length is even.
local function ones_complement_sum(data)
  local total = 0
  for index = 1, #data - 1, 2 do
    local high, low = string.byte(data, index, index + 1)
    total = total + 256 * high + low
  end
  while total > 0xFFFF do
    total = total % 0x10000 + math.floor(total / 0x10000)
  end
  return total
end
