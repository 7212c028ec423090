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
