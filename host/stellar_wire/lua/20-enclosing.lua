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
