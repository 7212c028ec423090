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


local PORT = 62842
local VERSION = 0
local CHECK_SIZE = 4
local HOPS_MAX = 8
local EXTENSION_LIMIT = 256
local OPCODE_NAMES = { [1] = "WRITE", [2] = "WRITE_IMM", [3] = "SEND", [4] = "SEND_IMM", [5] = "READ_REQUEST", [6] = "READ_RESPONSE", [7] = "ATOMIC", [8] = "ACK", [9] = "NACK", [10] = "CREDIT", [11] = "CNP", [12] = "PROBE", [13] = "PROBE_REPLY", [14] = "DEADLOCK", [15] = "CAPABILITY", [16] = "REDUCE" }
local ACK_CODE_NAMES = { [0] = "OK", [1001] = "REGISTRATION_TIMEOUT", [2003] = "REMOTE_KEY", [3008] = "NO_CREDIT" }
local PROTOCOLS = { HOP_BY_HOP = 0, TCP = 6, UDP = 17, ROUTING = 43, FRAGMENT = 44, AH = 51, DESTINATION = 60 }
local WALKED = { [0] = true, [43] = true, [44] = true, [51] = true, [60] = true }
local SOURCE_ROUTES = { [131] = true, [137] = true }
local HOME_ADDRESSES = { [201] = true }

local HEADERS = {}
HEADERS.IPV4 = declare("IPv4", 20, {
  { name = "version", byte = 0, size = 1, bit = 0, width = 4 },
  { name = "ihl", byte = 0, size = 1, bit = 4, width = 4 },
  { name = "dscp", byte = 1, size = 1, bit = 0, width = 6 },
  { name = "ecn", byte = 1, size = 1, bit = 6, width = 2 },
  { name = "total_length", byte = 2, size = 2, bit = 0, width = 16 },
  { name = "identification", byte = 4, size = 2, bit = 0, width = 16 },
  { name = "evil", byte = 6, size = 1, bit = 0, width = 1 },
  { name = "dont_fragment", byte = 6, size = 1, bit = 1, width = 1 },
  { name = "more_fragments", byte = 6, size = 1, bit = 2, width = 1 },
  { name = "fragment_offset", byte = 6, size = 2, bit = 3, width = 13 },
  { name = "ttl", byte = 8, size = 1, bit = 0, width = 8 },
  { name = "protocol", byte = 9, size = 1, bit = 0, width = 8 },
  { name = "checksum", byte = 10, size = 2, bit = 0, width = 16 },
  { name = "src", byte = 12, size = 4, bit = 0, width = 32 },
  { name = "dst", byte = 16, size = 4, bit = 0, width = 32 },
})
HEADERS.IPV6 = declare("IPv6", 40, {
  { name = "version", byte = 0, size = 1, bit = 0, width = 4 },
  { name = "dscp", byte = 0, size = 2, bit = 4, width = 6 },
  { name = "ecn", byte = 1, size = 1, bit = 2, width = 2 },
  { name = "flow_label", byte = 1, size = 3, bit = 4, width = 20 },
  { name = "payload_length", byte = 4, size = 2, bit = 0, width = 16 },
  { name = "next_header", byte = 6, size = 1, bit = 0, width = 8 },
  { name = "hop_limit", byte = 7, size = 1, bit = 0, width = 8 },
  { name = "src", byte = 8, size = 16, bit = 0, width = 128 },
  { name = "dst", byte = 24, size = 16, bit = 0, width = 128 },
})
HEADERS.IPV6_EXTENSION = declare("IPv6 extension header, first word", 4, {
  { name = "next_header", byte = 0, size = 1, bit = 0, width = 8 },
  { name = "length", byte = 1, size = 1, bit = 0, width = 8 },
  { name = "body", byte = 2, size = 2, bit = 0, width = 16 },
})
HEADERS.IPV6_ROUTING = declare("IPv6 routing header, first word", 4, {
  { name = "next_header", byte = 0, size = 1, bit = 0, width = 8 },
  { name = "length", byte = 1, size = 1, bit = 0, width = 8 },
  { name = "routing_type", byte = 2, size = 1, bit = 0, width = 8 },
  { name = "segments_left", byte = 3, size = 1, bit = 0, width = 8 },
})
HEADERS.IPV6_FRAGMENT = declare("IPv6 fragment header", 8, {
  { name = "next_header", byte = 0, size = 1, bit = 0, width = 8 },
  { name = "reserved", byte = 1, size = 1, bit = 0, width = 8 },
  { name = "fragment_offset", byte = 2, size = 2, bit = 0, width = 13 },
  { name = "reserved_low", byte = 3, size = 1, bit = 5, width = 2 },
  { name = "more_fragments", byte = 3, size = 1, bit = 7, width = 1 },
  { name = "identification", byte = 4, size = 4, bit = 0, width = 32 },
})
HEADERS.UDP = declare("UDP", 8, {
  { name = "sport", byte = 0, size = 2, bit = 0, width = 16 },
  { name = "dport", byte = 2, size = 2, bit = 0, width = 16 },
  { name = "length", byte = 4, size = 2, bit = 0, width = 16 },
  { name = "checksum", byte = 6, size = 2, bit = 0, width = 16 },
})
HEADERS.UDP.runs = { { from = 0, to = 6, covered = true }, { from = 6, to = 8, covered = false } }
HEADERS.STELLAR = declare("StellarTP base header", 12, {
  { name = "version", byte = 0, size = 1, bit = 0, width = 2, proto = ProtoField.uint8("stellartp.version", "Version", base.DEC, nil, 0xC0, "0") },
  { name = "opcode", byte = 0, size = 1, bit = 2, width = 6, proto = ProtoField.uint8("stellartp.opcode", "Opcode", base.DEC, OPCODE_NAMES, 0x3F, "what the packet is") },
  { name = "flags", byte = 1, size = 1, bit = 0, width = 8, proto = ProtoField.uint8("stellartp.flags", "Flags", base.HEX, nil, nil, "message, request and extension flags") },
  { name = "flow", byte = 2, size = 3, bit = 0, width = 24, proto = ProtoField.uint24("stellartp.flow", "Flow", base.DEC, nil, nil, "flow, as the receiver named it") },
  { name = "psn", byte = 5, size = 3, bit = 0, width = 24, proto = ProtoField.uint24("stellartp.psn", "PSN", base.DEC, nil, nil, "packet sequence number of the flow") },
  { name = "placement", byte = 8, size = 4, bit = 0, width = 32, proto = ProtoField.uint32("stellartp.placement", "Placement", base.HEX, nil, nil, "where the payload goes") },
})
HEADERS.STELLAR.runs = { { from = 0, to = 12, covered = true } }
HEADERS.ADDR = declare("ADDR extension", 16, {
  { name = "rkey", byte = 0, size = 4, bit = 0, width = 32, proto = ProtoField.uint32("stellartp.addr.rkey", "Remote key", base.HEX, nil, nil, "remote key of the memory region") },
  { name = "address", byte = 4, size = 8, bit = 0, width = 64, proto = ProtoField.uint64("stellartp.addr.address", "Address", base.HEX, nil, nil, "virtual address at the receiver") },
  { name = "length", byte = 12, size = 4, bit = 0, width = 32, proto = ProtoField.uint32("stellartp.addr.length", "Length", base.DEC, nil, nil, "bytes of the whole message") },
})
HEADERS.ADDR.runs = { { from = 0, to = 16, covered = true } }
HEADERS.IMM = declare("IMM extension", 4, {
  { name = "data", byte = 0, size = 4, bit = 0, width = 32, proto = ProtoField.uint32("stellartp.imm.data", "Data", base.HEX, nil, nil, "immediate data") },
})
HEADERS.IMM.runs = { { from = 0, to = 4, covered = true } }
HEADERS.ACK = declare("ACK extension", 16, {
  { name = "bitmap", byte = 0, size = 8, bit = 0, width = 64, proto = ProtoField.uint64("stellartp.ack.bitmap", "Bitmap", base.HEX, nil, nil, "bit i: PSN + 1 + i has arrived") },
  { name = "credits", byte = 8, size = 2, bit = 0, width = 16, proto = ProtoField.uint16("stellartp.ack.credits", "Credits", base.DEC, nil, nil, "packets that the receiver still grants") },
  { name = "path", byte = 10, size = 2, bit = 0, width = 16, proto = ProtoField.uint16("stellartp.ack.path", "Path", base.DEC, nil, nil, "UDP source port of the packet that is answered") },
  { name = "code", byte = 12, size = 2, bit = 0, width = 16, proto = ProtoField.uint16("stellartp.ack.code", "Code", base.DEC, ACK_CODE_NAMES, nil, "0, or the error's number") },
  { name = "echo", byte = 14, size = 2, bit = 0, width = 16, proto = ProtoField.uint16("stellartp.ack.echo", "Echo", base.HEX, nil, nil, "congestion echo: bit 15 CE seen, bits 14 to 0 CE-marked packets") },
})
HEADERS.ACK.runs = { { from = 0, to = 16, covered = true } }
HEADERS.INT = declare("INT extension, first word", 4, {
  { name = "hops_used", byte = 0, size = 1, bit = 0, width = 4, proto = ProtoField.uint8("stellartp.int.hops_used", "Hops used", base.DEC, nil, 0xF0, "hops that have written") },
  { name = "hops_reserved", byte = 0, size = 1, bit = 4, width = 4, proto = ProtoField.uint8("stellartp.int.hops_reserved", "Hops reserved", base.DEC, nil, 0xF, "hops that the sender left room for, at most 8") },
  { name = "exceeded", byte = 1, size = 1, bit = 0, width = 1, proto = ProtoField.bool("stellartp.int.exceeded", "Exceeded", 8, nil, 0x80, "a hop found no room") },
  { name = "zero", byte = 1, size = 3, bit = 1, width = 23, proto = ProtoField.uint24("stellartp.int.zero", "Zero", base.HEX, nil, 0x7FFFFF, "0; anything else is malformed") },
})
HEADERS.INT.runs = { { from = 0, to = 4, covered = false } }
HEADERS.INT_HOP = declare("INT hop", 8, {
  { name = "queue", byte = 0, size = 3, bit = 0, width = 20, proto = ProtoField.uint24("stellartp.int.hop.queue", "Queue", base.DEC, nil, 0xFFFFF0, "queue depth in units of 64 bytes, saturating") },
  { name = "utilisation", byte = 2, size = 2, bit = 4, width = 12, proto = ProtoField.uint16("stellartp.int.hop.utilisation", "Utilisation", base.DEC, nil, 0xFFF, "link utilisation in units of 1/4095 of the line rate") },
  { name = "time", byte = 4, size = 4, bit = 0, width = 32, proto = ProtoField.uint32("stellartp.int.hop.time", "Time", base.DEC, nil, nil, "local time in ns, wrapping") },
})
HEADERS.INT_HOP.runs = { { from = 0, to = 8, covered = false } }
local RULES = {
  [1] = { required = {}, allowed = { ADDR = true, INT = true }, body = 0 },  -- WRITE
  [2] = { required = { IMM = true }, allowed = { ADDR = true, INT = true }, body = 0 },  -- WRITE_IMM
  [3] = { required = {}, allowed = { INT = true }, body = 0 },  -- SEND
  [4] = { required = { IMM = true }, allowed = { INT = true }, body = 0 },  -- SEND_IMM
  [5] = { required = { ADDR = true }, allowed = { INT = true }, body = 0 },  -- READ_REQUEST
  [6] = { required = {}, allowed = { ADDR = true, IMM = true, INT = true }, body = 0 },  -- READ_RESPONSE
  [7] = { required = { ADDR = true }, allowed = { INT = true }, body = 20 },  -- ATOMIC
  [8] = { required = { ACK = true }, allowed = { INT = true }, body = 0 },  -- ACK
  [9] = { required = { ACK = true }, allowed = { INT = true }, body = 0 },  -- NACK
  [10] = { required = { ACK = true }, allowed = { INT = true }, body = 0 },  -- CREDIT
  [11] = { required = {}, allowed = { ACK = true, INT = true }, body = 0 },  -- CNP
  [12] = { required = {}, allowed = { INT = true }, body = 8 },  -- PROBE
  [13] = { required = {}, allowed = { ACK = true, INT = true }, body = 8 },  -- PROBE_REPLY
  [14] = { required = {}, allowed = { INT = true }, body = 8 },  -- DEADLOCK
  [15] = { required = {}, allowed = { INT = true }, body = 8 },  -- CAPABILITY
  [16] = { required = { IMM = true }, allowed = { ADDR = true, INT = true }, body = 4 },  -- REDUCE
}
local FLAGS = {
  { name = "SOM", value = 0x80, proto = ProtoField.bool("stellartp.flags.som", "SOM", 8, nil, 0x80, "first packet of the message") },
  { name = "EOM", value = 0x40, proto = ProtoField.bool("stellartp.flags.eom", "EOM", 8, nil, 0x40, "last packet of the message") },
  { name = "ACK_REQ", value = 0x20, proto = ProtoField.bool("stellartp.flags.ack_req", "ACK_REQ", 8, nil, 0x20, "the receiver answers with an ACK at once") },
  { name = "RETX", value = 0x10, proto = ProtoField.bool("stellartp.flags.retx", "RETX", 8, nil, 0x10, "sent again; the PSN is that of the first time") },
  { name = "ADDR", value = 0x08, proto = ProtoField.bool("stellartp.flags.addr", "ADDR", 8, nil, 0x08, "the ADDR extension follows") },
  { name = "IMM", value = 0x04, proto = ProtoField.bool("stellartp.flags.imm", "IMM", 8, nil, 0x04, "the IMM extension follows") },
  { name = "ACK", value = 0x02, proto = ProtoField.bool("stellartp.flags.ack", "ACK", 8, nil, 0x02, "the ACK extension follows") },
  { name = "INT", value = 0x01, proto = ProtoField.bool("stellartp.flags.int", "INT", 8, nil, 0x01, "the INT extension follows") },
}
local EXTENSIONS = {
  { name = "ADDR", flag = 0x08, header = HEADERS.ADDR },
  { name = "IMM", flag = 0x04, header = HEADERS.IMM },
  { name = "ACK", flag = 0x02, header = HEADERS.ACK },
  { name = "INT", flag = 0x01, header = HEADERS.INT },
}

-- ---------------------------------------------------------------------------------------------
-- Fields that no header declares, expert infos, preferences.

-- As in Wireshark's own fields for checksums.
local STATUS = { bad = 0, good = 1, unverified = 2 }
local STATUS_NAMES = { [0] = "Bad", [1] = "Good", [2] = "Unverified" }

local OTHER = {
  payload = ProtoField.bytes("stellartp.payload", "Payload", base.SPACE,
    "What lies between the last extension and the check, the opcode's body included"),
  check = ProtoField.uint32("stellartp.check", "Check", base.HEX, nil, nil,
    "End-to-end check, least significant byte first on the wire"),
  computed = ProtoField.uint32("stellartp.check.computed", "Computed check", base.HEX, nil, nil,
    "What the check ought to be"),
  status = ProtoField.uint8("stellartp.check.status", "Check status", base.DEC, STATUS_NAMES, nil,
    "Unverified: not all bytes are there, or a receiver would not judge it"),
}

local function malformed(name, text)
  return ProtoExpert.new("stellartp." .. name, text, expert.group.MALFORMED, expert.severity.ERROR)
end

local EXPERTS = {
  truncated = malformed("truncated", "No room for headers, least body and check"),
  bad_opcode = malformed("bad_opcode", "The opcode is not assigned"),
  bad_extension = malformed("bad_extension", "Not the opcode's set of extensions"),
  bad_int = malformed("bad_int", "INT is malformed"),
  check = ProtoExpert.new("stellartp.check.bad", "The end-to-end check is wrong",
    expert.group.CHECKSUM, expert.severity.ERROR),
  other_version = ProtoExpert.new("stellartp.other_version", "A version that is not known",
    expert.group.UNDECODED, expert.severity.WARN),
  not_candidate = ProtoExpert.new("stellartp.not_candidate", "Not StellarTP for a receiver",
    expert.group.PROTOCOL, expert.severity.WARN),
  trimmed = ProtoExpert.new("stellartp.trimmed", "A switch cut the payload",
    expert.group.SEQUENCE, expert.severity.NOTE),
  cut = ProtoExpert.new("stellartp.cut", "The capture ends inside the packet",
    expert.group.UNDECODED, expert.severity.NOTE),
}

local all = {}
for _, header in pairs(HEADERS) do
  for _, field in ipairs(header.fields) do all[#all + 1] = field.proto end
end
for _, flag in ipairs(FLAGS) do all[#all + 1] = flag.proto end
for _, field in pairs(OTHER) do all[#all + 1] = field end
stellartp.fields = all
local experts = {}
for _, info in pairs(EXPERTS) do experts[#experts + 1] = info end
stellartp.experts = experts

stellartp.prefs.port = Pref.uint("UDP port", PORT, "UDP destination port of StellarTP; 0: none")
stellartp.prefs.verify = Pref.bool("Verify the end-to-end check", true,
  "Compute the check of whole packets and compare")
stellartp.prefs.trim = Pref.bool("Switches trim packets", false,
  "Packets with the DSCP below are taken as cut by a switch; nothing of them is judged")
stellartp.prefs.trim_dscp = Pref.uint("DSCP of trimmed packets", 0, "0 to 63")


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

-- ---------------------------------------------------------------------------------------------
-- The headers around the datagram, for which the end-to-end check needs the frame itself.

local ip_source, ipv6_source = Field.new("ip.src"), Field.new("ipv6.src")

-- The innermost IP header in front of byte `udp_at`: its tvb, version and first byte, or nil.
local function innermost(udp_at)
  local found, version
  for kind, extract in pairs({ [4] = ip_source, [6] = ipv6_source }) do
    local all = { extract() }
    local info = all[#all]
    if info and info.source and info.offset < udp_at and not (found and found.offset > info.offset)
    then
      found, version = info, kind
    end
  end
  if not found then return nil end
  local header = version == 4 and HEADERS.IPV4 or HEADERS.IPV6
  return found.source, version, found.offset - header.src.byte
end

local function contains(data, numbers)
  for index = 1, #data do
    if numbers[string.byte(data, index)] then return true end
  end
  return false
end

-- What is known of an IPv4 header: `l4`, `payload` (bytes), `objection` (why a receiver does not
-- take the packet as StellarTP); nil when it is not whole.
local function walk_ipv4(frame, at)
  local header = HEADERS.IPV4
  local length = 4 * value(frame, at, header.ihl)
  if length < header.size or at + length > frame:len() then return nil end
  local found = { l4 = at + length, payload = value(frame, at, header.total_length) - length }
  local options = length > header.size and frame:raw(at + header.size, length - header.size) or ""
  if ones_complement_sum(frame:raw(at, length)) ~= 0xFFFF then
    found.objection = "the IPv4 header checksum is wrong"
  elseif value(frame, at, header.more_fragments) + value(frame, at, header.fragment_offset) > 0 then
    found.objection = "a fragment"
  elseif contains(options, SOURCE_ROUTES) then
    found.objection = "a source route"
  elseif found.payload < 0 then
    found.objection = "the IPv4 total length is below the header length"
  end
  return found.payload >= 0 and found or { l4 = found.l4, payload = 0, objection = found.objection }
end

local function extension_size(kind, length)
  if kind == PROTOCOLS.FRAGMENT then return HEADERS.IPV6_FRAGMENT.size end
  if kind == PROTOCOLS.AH then return 4 * (length + 2) end
  return 8 * (length + 1)
end

-- Why one extension header keeps a packet from being StellarTP, or nil.
local function extension_objection(frame, at, kind, size)
  local fragment, routing = HEADERS.IPV6_FRAGMENT, HEADERS.IPV6_ROUTING
  if kind == PROTOCOLS.FRAGMENT then
    local parts = value(frame, at, fragment.fragment_offset) + value(frame, at, fragment.more_fragments)
    return parts > 0 and "a fragment" or nil
  elseif kind == PROTOCOLS.ROUTING then
    return value(frame, at, routing.segments_left) > 0 and "segments left to visit" or nil
  elseif kind == PROTOCOLS.DESTINATION then
    return contains(frame:raw(at + 2, size - 2), HOME_ADDRESSES) and "a home address option" or nil
  end
end

-- The same of an IPv6 header and its extension headers, which must end at byte `udp_at`.
local function walk_ipv6(frame, at, udp_at)
  local header, word = HEADERS.IPV6, HEADERS.IPV6_EXTENSION
  if at + header.size > frame:len() then return nil end
  local payload = value(frame, at, header.payload_length)
  local kind, l4, objection = value(frame, at, header.next_header), at + header.size, nil
  if payload == 0 and kind == PROTOCOLS.HOP_BY_HOP then objection = "a jumbogram" end
  while l4 < udp_at and WALKED[kind] and l4 + word.size <= frame:len() do
    local size = extension_size(kind, value(frame, l4, word.length))
    if l4 + size > udp_at or l4 + size > frame:len() then return nil end
    objection = objection or extension_objection(frame, l4, kind, size)
    kind, l4 = value(frame, l4, word.next_header), l4 + size
  end
  local extensions = l4 - at - header.size
  if extensions > EXTENSION_LIMIT then
    objection = objection or "extension headers of more than " .. EXTENSION_LIMIT .. " bytes"
  elseif extensions > payload then
    objection = objection or "extension headers past the payload length"
  end
  return { l4 = l4, payload = math.max(0, payload - extensions), objection = objection }
end

-- All of the headers around the datagram whose payload is `tvb`, or nil when they are not found
-- in one piece: `frame` (its tvb), `l4`, `payload`, `objection`, `dscp`, `addresses` (bytes as a
-- string), `between` (bytes from the addresses to UDP), `udp_length`.
local function enclosing(tvb)
  local udp_at = tvb:offset() - HEADERS.UDP.size
  local frame, version, at = innermost(udp_at)
  if not frame or udp_at + HEADERS.UDP.size > frame:len() then return nil end
  local walk = version == 4 and walk_ipv4 or walk_ipv6
  local found = walk(frame, at, udp_at)
  if not found or found.l4 ~= udp_at then
    return nil  -- behind a reassembly, or a header that is not walked
  end
  local header = version == 4 and HEADERS.IPV4 or HEADERS.IPV6
  local first, last = at + header.src.byte, at + header.size
  found.frame = frame
  found.dscp = value(frame, at, header.dscp)
  found.addresses = frame:raw(first, last - first)
  found.between = udp_at - last
  found.udp_length = value(frame, udp_at, HEADERS.UDP.length)
  return found
end

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

-- ---------------------------------------------------------------------------------------------
-- The dissector. Steps and names follow docs/parser.md, step 8.

local function names(list)
  return #list > 0 and table.concat(list, ", ") or "none"
end

local function note(tree, expert, text)
  tree:add_proto_expert_info(EXPERTS[expert], text)
end

-- A declared header at byte `at`, each field in `tree`.
local function show(tree, tvb, at, header)
  for _, field in ipairs(header.fields) do
    if field.proto then tree:add(field.proto, tvb(at + field.byte, field.size)) end
  end
end

-- The flags byte again, a line for each flag.
local function show_flags(tree, tvb, at)
  local field = HEADERS.STELLAR.flags
  local branch = tree:add(field.proto, tvb(at + field.byte, field.size))
  for _, flag in ipairs(FLAGS) do
    branch:add(flag.proto, tvb(at + field.byte, field.size))
  end
end

local function show_base(tree, tvb)
  for _, field in ipairs(HEADERS.STELLAR.fields) do
    if field == HEADERS.STELLAR.flags then
      show_flags(tree, tvb, 0)
    else
      tree:add(field.proto, tvb(field.byte, field.size))
    end
  end
end

-- Extensions that the flags announce, in order, and the set's objection or nil.
local function announced(flags, rule)
  local list, missing, foreign = {}, {}, {}
  for _, extension in ipairs(EXTENSIONS) do
    local there = math.floor(flags / extension.flag) % 2 == 1
    if there then list[#list + 1] = extension end
    if rule and there and not (rule.required[extension.name] or rule.allowed[extension.name]) then
      foreign[#foreign + 1] = extension.name
    elseif rule and not there and rule.required[extension.name] then
      missing[#missing + 1] = extension.name
    end
  end
  if #missing + #foreign == 0 then return list, nil end
  return list, "Extensions missing: " .. names(missing) .. "; not allowed: " .. names(foreign)
end

-- INT's first word: hops that have room, and what is wrong with it or nil.
local function judge_int(tvb, at)
  local header = HEADERS.INT
  local used, reserved = value(tvb, at, header.hops_used), value(tvb, at, header.hops_reserved)
  local zero = value(tvb, at, header.zero)
  local room = reserved <= HOPS_MAX and reserved or 0
  if reserved > HOPS_MAX then
    return room, "INT reserves " .. reserved .. " hops; at most " .. HOPS_MAX .. " are allowed"
  elseif used > reserved then
    return room, "INT has " .. used .. " hops used of " .. reserved .. " reserved"
  elseif zero ~= 0 then
    return room, "INT's zero bits are not 0"
  end
  return room, nil
end

local function show_hops(tree, tvb, at, hops, used)
  local header = HEADERS.INT_HOP
  for hop = 0, hops - 1 do
    local first = at + hop * header.size
    if first + header.size > tvb:len() then return end
    local title = "Hop " .. hop .. (hop < used and "" or " (not used)")
    show(tree:add(stellartp, tvb(first, header.size), title), tvb, first, header)
  end
end

-- INT at byte `at`, `spare` bytes being left for its hops; returns the end, the hops' layout, and
-- whether there is room for the hops.
local function show_int(tree, tvb, at, spare, trimmed, layout)
  local header = HEADERS.INT
  local hops, wrong = judge_int(tvb, at)
  local stack = hops * HEADERS.INT_HOP.size
  local fits = trimmed or stack <= spare
  local size = math.min(header.size + (fits and stack or 0), tvb:len() - at)
  local branch = tree:add(stellartp, tvb(at, size), header.title)
  show(branch, tvb, at, header)
  if wrong and not trimmed then note(branch, "bad_int", wrong) end
  if not fits then return at + header.size, false end
  show_hops(branch, tvb, at + header.size, hops, value(tvb, at, header.hops_used))
  for _ = 1, hops do layout[#layout + 1] = HEADERS.INT_HOP end
  return at + header.size + stack, true
end

-- The extensions; returns the end of the last, whether all that were looked at are in the capture,
-- and whether INT's hops have room.
local function show_extensions(tree, tvb, list, spare, trimmed, layout)
  local at = HEADERS.STELLAR.size
  for _, extension in ipairs(list) do
    local header = extension.header
    if at + header.size > tvb:len() then return at, false, true end
    layout[#layout + 1] = header
    if header == HEADERS.INT then
      local fits
      at, fits = show_int(tree, tvb, at, spare, trimmed, layout)
      return at, at <= tvb:len(), fits
    end
    show(tree:add(stellartp, tvb(at, header.size), header.title), tvb, at, header)
    at = at + header.size
  end
  return at, true, true
end

local function show_status(tree, tvb, status, computed)
  local item = tree:add(OTHER.status, tvb, status):set_generated()
  if computed then tree:add(OTHER.computed, tvb, computed):set_generated() end
  if status == STATUS.bad then note(item, "check", "The end-to-end check is wrong") end
end

-- The check at byte `at`: as it stands, what it should be, and the status.
local function show_check(tree, tvb, at, around, layout)
  local range, status, computed = tvb(at, CHECK_SIZE), STATUS.unverified, nil
  tree:add_le(OTHER.check, range)
  if around and stellartp.prefs.verify then
    computed = computed_check(around, layout)
    status = computed == range:le_uint() and STATUS.good or STATUS.bad
  end
  show_status(tree, range, status, computed)
  return status
end

-- ---------------------------------------------------------------------------------------------

local function opcode_name(opcode)
  return OPCODE_NAMES[opcode] or ("Opcode " .. opcode)
end

local function info_text(tvb, flags)
  local header, words = HEADERS.STELLAR, {}
  words[1] = opcode_name(value(tvb, 0, header.opcode))
  words[2] = "Flow=" .. value(tvb, 0, header.flow)
  words[3] = "PSN=" .. value(tvb, 0, header.psn)
  for _, flag in ipairs(FLAGS) do
    if math.floor(flags / flag.value) % 2 == 1 then words[#words + 1] = flag.name end
  end
  return table.concat(words, " ")
end

-- Without a status to state: what is there is not judged.
local function unjudged(tree, tvb, text)
  show_status(tree, tvb(), STATUS.unverified)
  return text
end

local function truncated(tree, tvb, text)
  note(tree, "truncated", text)
  return unjudged(tree, tvb, " [truncated]")
end

-- Payload and check behind the last header at byte `at`.
local function show_rest(tree, tvb, at, facts, layout)
  local last = facts.trimmed and tvb:len() or facts.room - CHECK_SIZE
  local size = math.min(last, tvb:len()) - at
  if size > 0 then tree:add(OTHER.payload, tvb(at, size)) end
  local text = " Len=" .. math.max(0, last - at)
  if facts.trimmed then return unjudged(tree, tvb, text .. " [trimmed]") end
  if last + CHECK_SIZE > tvb:len() then return unjudged(tree, tvb, text .. " [cut]") end
  local status = show_check(tree, tvb, last, facts.around, layout)
  return text .. (status == STATUS.bad and " [bad check]" or "")
end

-- Everything behind a whole base header; returns the end of the info column.
local function show_packet(tree, tvb, facts)
  local header = HEADERS.STELLAR
  local opcode, flags = value(tvb, 0, header.opcode), value(tvb, 0, header.flags)
  local rule = RULES[opcode]
  local list, wrong = announced(flags, rule)
  show_base(tree, tvb)
  local need = header.size
  for _, extension in ipairs(list) do need = need + extension.header.size end
  if not facts.trimmed then
    need = need + (rule and rule.body or 0) + CHECK_SIZE
    if not rule then note(tree, "bad_opcode", "Opcode " .. opcode .. " is not assigned") end
    if wrong then note(tree, "bad_extension", wrong) end
  end
  if facts.room < need then
    if facts.trimmed then return unjudged(tree, tvb, " [trimmed]") end
    return truncated(tree, tvb, "The UDP payload has " .. facts.room .. " bytes; headers, body and"
      .. " check need " .. need)
  end
  local layout = { header }
  local at, whole, fits =
    show_extensions(tree, tvb, list, facts.room - need, facts.trimmed, layout)
  if not fits then return truncated(tree, tvb, "The UDP payload ends inside INT's hops") end
  if not whole then return unjudged(tree, tvb, facts.trimmed and " [trimmed]" or " [cut]") end
  return show_rest(tree, tvb, at, facts, layout)
end

-- What a receiver that is set up as the preferences say knows of the datagram: `room` for
-- StellarTP (bytes), `trimmed`, `objection`, `around`.
local function datagram(tvb)
  local prefs, around = stellartp.prefs, enclosing(tvb)
  if not around then
    return { room = tvb:reported_len(), objection = "its headers are not in this frame" }
  end
  local trimmed = prefs.trim and around.dscp == prefs.trim_dscp
  local objection = around.objection
  if not objection and around.udp_length < HEADERS.UDP.size then
    objection = "the UDP length is below " .. HEADERS.UDP.size
  elseif not objection and not trimmed and around.udp_length > around.payload then
    objection = "the UDP length is past the IP payload"
  end
  trimmed = trimmed and not objection
  local room = trimmed and around.payload or around.udp_length
  return {
    room = math.max(0, room - HEADERS.UDP.size),
    trimmed = trimmed,
    objection = objection,
    around = not objection and around or nil,
    frame = around,
  }
end

-- The bytes that belong to StellarTP. Of a trimmed packet Wireshark may have given fewer, since
-- the UDP length no longer says where it ends.
local function bytes_of(facts, tvb)
  if not facts.trimmed then return tvb end
  local frame, first = facts.frame.frame, facts.frame.l4 + HEADERS.UDP.size
  local size = math.min(facts.room, frame:len() - first)
  return size > 0 and frame(first, size):tvb() or tvb
end

local function dissect(tvb, tree, facts)
  if facts.trimmed then
    note(tree, "trimmed", "A switch has cut this packet (by its DSCP)")
  elseif tvb:len() < facts.room then
    note(tree, "cut", "The capture has " .. tvb:len() .. " of " .. facts.room .. " bytes")
  end
  if facts.objection then
    note(tree, "not_candidate", "A receiver takes this as no StellarTP packet: " .. facts.objection)
  end
  local header = HEADERS.STELLAR
  if facts.room > 0 and tvb:len() > 0 and value(tvb, 0, header.version) ~= VERSION then
    tree:add(header.version.proto, tvb(0, 1))
    local version = value(tvb, 0, header.version)
    note(tree, "other_version", "Version " .. version .. "; " .. VERSION .. " is known here")
    return unjudged(tree, tvb, "Version " .. version)
  elseif facts.room < header.size or (facts.trimmed and tvb:len() < header.size) then
    local there = math.min(facts.room, tvb:len())
    return "StellarTP" .. truncated(tree, tvb, "The UDP payload has " .. there
      .. " bytes; the base header needs " .. header.size)
  elseif tvb:len() < header.size then
    return unjudged(tree, tvb, "StellarTP [cut]")
  end
  return info_text(tvb, value(tvb, 0, header.flags)) .. show_packet(tree, tvb, facts)
end

local registered = 0  -- the port under which Wireshark calls us; 0: none

function stellartp.dissector(tvb, pinfo, tree)
  if pinfo.src_port == registered and pinfo.dst_port ~= registered then
    return 0  -- the source port is entropy: only the destination says StellarTP
  end
  local facts = datagram(tvb)
  local bytes = bytes_of(facts, tvb)
  local branch = tree:add(stellartp, bytes())
  pinfo.cols.protocol = stellartp.description
  local text = dissect(bytes, branch, facts)
  pinfo.cols.info = text
  branch:append_text(", " .. text)
  return tvb:len()
end

local function register()
  local ports, wanted = DissectorTable.get("udp.port"), stellartp.prefs.port
  if wanted == registered then return end
  if registered ~= 0 then ports:remove(registered, stellartp) end
  registered = wanted <= 65535 and wanted or 0
  if registered ~= 0 then ports:add(registered, stellartp) end
end

stellartp.prefs_changed = register
register()
