-- ---------------------------------------------------------------------------------------------
-- Bits. Wireshark up to 4.2 has Lua 5.2 with the library bit32; with later versions of Lua there is
-- an operator in its place, which the earlier ones could not even read: hence the text.

local xor
if bit32 then
  xor = bit32.bxor
elseif bit then
  xor = bit.bxor  -- LuaBitOp; its results have a sign
else
  xor = load("return function(a, b) return a ~ b end")()
end

-- Value of a declared field (32 bits at most) of the header that starts at byte `at` of `tvb`.
local function value(tvb, at, field)
  return tvb(at + field.byte, field.size):bitfield(field.bit, field.width)
end

-- CRC-32 of IEEE 802.3, bits of a byte least significant first. CRC_TABLES[k][byte] is what a byte
-- does to the register when k zeros follow it: so four bytes go in at once.
local CRC_TABLES = { [0] = {}, {}, {}, {} }
for index = 0, 255 do
  local crc = index
  for _ = 1, 8 do
    local low = crc % 2
    crc = (crc - low) / 2
    if low == 1 then crc = xor(crc, 0xEDB88320) % 0x100000000 end
  end
  CRC_TABLES[0][index] = crc
end
for zeros = 1, 3 do
  for index = 0, 255 do
    local crc = CRC_TABLES[zeros - 1][index]
    local low = crc % 256
    CRC_TABLES[zeros][index] = xor(CRC_TABLES[0][low], (crc - low) / 256) % 0x100000000
  end
end

local function crc_feed(crc, data)
  local byte, x = string.byte, xor
  local t0, t1, t2, t3 = CRC_TABLES[0], CRC_TABLES[1], CRC_TABLES[2], CRC_TABLES[3]
  local whole = #data - #data % 4
  for index = 1, whole, 4 do
    local a, b, c, d = byte(data, index, index + 3)
    local word = x(crc, a + b * 0x100 + c * 0x10000 + d * 0x1000000) % 0x100000000
    local first = word % 0x100
    local second = (word % 0x10000 - first) / 0x100
    local third = (word % 0x1000000 - word % 0x10000) / 0x10000
    local fourth = (word - word % 0x1000000) / 0x1000000
    crc = x(x(t3[first], t2[second]), x(t1[third], t0[fourth])) % 0x100000000
  end
  for index = whole + 1, #data do
    local low = crc % 256
    crc = x(t0[x(low, byte(data, index))], (crc - low) / 256) % 0x100000000
  end
  return crc
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
