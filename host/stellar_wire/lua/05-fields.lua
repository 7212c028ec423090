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

