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
