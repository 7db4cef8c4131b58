-- SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
--
-- Dissector of weft's packets, for Wireshark and tshark (Documentation/wireshark.rst). The format
-- is that of Documentation/wire.rst; names of fields are those of kernel/core/wire/wire.h.
--
-- The file runs in Lua 5.2 (Wireshark 4.0) and in Lua 5.4 (4.4). These have no bit operators in
-- common, so bits are computed with numbers. Numbers of 64 bits are read as floating-point numbers,
-- which suffices to compare lengths; Wireshark shows the exact ones.
--
-- Each length is checked before bytes are read, because packets may be forged or cut by the
-- capture. Work and state per packet are bounded by its length.

local weft = Proto("weft", "weft")

local VERSION = 4
local HEADER = 32	-- bytes of a packet's header
local WORD = 4294967296.0

local floor = math.floor
local byte, sub, fmt = string.byte, string.sub, string.format

-- ---- Numbers ------------------------------------------------------------------------

local function u16(s, o)
	local a, b = byte(s, o + 1, o + 2)

	return a * 256 + b
end

local function u32(s, o)
	local a, b, c, d = byte(s, o + 1, o + 4)

	return ((a * 256 + b) * 256 + c) * 256 + d
end

local function u64(s, o)
	return u32(s, o) * WORD + u32(s, o + 4)
end

local function hex64(s, o)
	local high = u32(s, o)

	return high == 0 and fmt("0x%x", u32(s, o + 4)) or fmt("0x%x%08x", high, u32(s, o + 4))
end

local function bit(value, mask)
	return floor(value / mask) % 2 == 1
end

-- Does PSN "a" come before "b"?
local function before(a, b)
	local d = (b - a) % 4294967296

	return d > 0 and d < 2147483648
end

-- ---- Names ---------------------------------------------------------------------------

local packet_types = {
	[1] = "HELLO", [2] = "DATA", [3] = "GONE", [4] = "DGRAM", [5] = "GROUP", [6] = "BYE",
	[15] = "VERSION",
}
local lanes = {
	[0] = "FIRST", [1] = "FIRST", [2] = "REST", [3] = "REST", [4] = "DATA", [5] = "DATA",
}
local classes = { [0] = "FIRST", [1] = "REST", [2] = "DATA" }
local hello_ops = { [1] = "INIT", [2] = "COOKIE", [3] = "ACK" }
local done_kinds = { [1] = "placed", [2] = "matched", [3] = "executed" }
local cm_ops = {
	[1] = "REQ", [2] = "REP", [3] = "REJ", [4] = "RTU", [5] = "FIN", [6] = "FINACK",
}
local echo_seqs = { [4294967295] = "asks for a report" }
local answer_states = { [0] = "answered", [1] = "answers no questions", [2] = "no such endpoint" }
local sends_wait_for = {
	[0] = "handshake", "contact", "endpoint", "fence", "credit", "window", "turn", "receive",
	"grant", "memory", "ack", "answer",
}
local rma_ops = {
	[1] = "write", [2] = "read", [3] = "atomic", [4] = "atomic with results",
	[5] = "atomic with results and compare operands",
}
local atomic_ops = {
	[0] = "MIN", "MAX", "SUM", "PROD", "LOR", "LAND", "BOR", "BAND", "LXOR", "BXOR", "READ",
	"WRITE", "CSWAP", "CSWAP_NE", "CSWAP_LE", "CSWAP_LT", "CSWAP_GE", "CSWAP_GT", "MSWAP",
}
local atomic_types = {
	[0] = "INT8", "UINT8", "INT16", "UINT16", "INT32", "UINT32", "INT64", "UINT64", "FLOAT",
	"DOUBLE", "FLOAT_COMPLEX",
}
-- numbers of Linux on most architectures
local errnos = {
	[0] = "success", [1] = "EPERM", [2] = "ENOENT", [4] = "EINTR", [5] = "EIO",
	[7] = "E2BIG", [11] = "EAGAIN", [12] = "ENOMEM", [13] = "EACCES", [14] = "EFAULT",
	[16] = "EBUSY", [17] = "EEXIST", [19] = "ENODEV", [22] = "EINVAL", [28] = "ENOSPC",
	[32] = "EPIPE", [34] = "ERANGE", [42] = "ENOMSG", [71] = "EPROTO", [74] = "EBADMSG",
	[90] = "EMSGSIZE", [93] = "EPROTONOSUPPORT", [95] = "EOPNOTSUPP", [97] = "EAFNOSUPPORT",
	[98] = "EADDRINUSE", [99] = "EADDRNOTAVAIL", [100] = "ENETDOWN", [101] = "ENETUNREACH",
	[103] = "ECONNABORTED", [104] = "ECONNRESET", [105] = "ENOBUFS", [106] = "EISCONN",
	[107] = "ENOTCONN", [108] = "ESHUTDOWN", [110] = "ETIMEDOUT", [111] = "ECONNREFUSED",
	[112] = "EHOSTDOWN", [113] = "EHOSTUNREACH", [114] = "EALREADY", [121] = "EREMOTEIO",
	[125] = "ECANCELED", [129] = "EKEYREJECTED",
}

local function errno(n)
	return errnos[n] or fmt("errno %d", n)
end

-- ---- Fields ---------------------------------------------------------------------------

local P = ProtoField
local f = {}	-- by the last parts of their names
local list = {}

local function field(key, make, name, ...)
	f[key] = make("weft." .. key, name, ...)
	list[#list + 1] = f[key]
end

local function flag(key, name, bits, mask)
	field(key, P.bool, name, bits, nil, mask)
end

-- a reference to another packet of the capture
local function frame(key, name, kind)
	field(key, P.framenum, name, base.NONE, frametype and frametype[kind] or nil)
end

-- header
field("version", P.uint8, "Version", base.DEC, nil, 0xf0)
field("type", P.uint8, "Type", base.DEC, packet_types, 0x0f)
field("flags", P.uint8, "Flags", base.HEX)
flag("flags.acknow", "ACKNOW: acknowledge at once", 8, 0x01)
flag("flags.psn", "PSN: has a PSN and wants an acknowledgement", 8, 0x02)
flag("flags.dup", "DUP: reports a packet that came again", 8, 0x04)
flag("flags.soon", "SOON: the sender needs the path for another node", 8, 0x08)
field("lane", P.uint8, "Lane", base.DEC, lanes)
field("class", P.uint8, "Class", base.DEC, classes)
field("words", P.uint8, "Length of the header (32-bit words)", base.DEC)
field("path", P.uint32, "Path id", base.HEX)
field("token", P.uint64, "Token", base.HEX)
field("psn", P.uint32, "PSN", base.DEC)
field("dup_psn", P.uint32, "PSN that came again", base.DEC)
field("ack", P.uint32, "Cumulative acknowledgement", base.DEC)
field("window", P.uint16, "Eager window (KiB, modulo 65536)", base.DEC)
field("ack_delay", P.uint32, "Acknowledgement delay (us)", base.DEC)
field("rsvd", P.bytes, "Reserved")
field("unknown", P.bytes, "Unknown bytes")
field("cut", P.uint32, "Bytes that the capture lacks", base.DEC)
field("stream", P.uint32, "Path number in this capture", base.DEC)
field("message", P.uint32, "Message number in this capture", base.DEC)

-- VERSION
field("version.oldest", P.uint8, "Oldest version that the sender speaks", base.DEC)
field("version.newest", P.uint8, "Newest version that the sender speaks", base.DEC)

-- HELLO
field("hello.op", P.uint8, "Operation", base.DEC, hello_ops)
field("hello.caps", P.uint32, "Capabilities", base.HEX)
flag("hello.caps.rma", "Takes one-sided operations", 32, 0x02)
flag("hello.caps.writes", "Takes WRITES", 32, 0x04)
flag("hello.caps.echo", "Answers ECHO", 32, 0x08)
flag("hello.caps.question", "Answers QUESTION", 32, 0x10)
field("hello.incarnation", P.uint64, "Incarnation of the sender", base.HEX)
field("hello.path", P.uint32, "Path id for packets to the sender", base.HEX)
field("hello.max_payload", P.uint32, "Largest UDP payload that the sender takes", base.DEC)
field("hello.offer", P.uint64, "Offer", base.HEX)
field("hello.ack_delay", P.uint32, "Longest acknowledgement delay (1024 ns)", base.DEC)
field("hello.nonce", P.uint64, "Nonce", base.HEX)
field("hello.cookie", P.uint64, "Cookie", base.HEX)
field("hello.initiator_token", P.uint64, "Token of packets to the initiator", base.HEX)
field("hello.responder_token", P.uint64, "Token of packets to the responder", base.HEX)

-- chunks and datagrams
field("chunk.type", P.uint8, "Type of the chunk", base.HEX)
field("chunk.flags", P.uint8, "Flags of the chunk", base.HEX)
field("chunk.len", P.uint16, "Length of the content", base.DEC)
field("padding", P.bytes, "Padding")
field("payload", P.bytes, "Payload")
field("ssvc", P.uint16, "Service of the sender", base.DEC)
field("dsvc", P.uint16, "Service of the receiver", base.DEC)
field("sgen", P.uint32, "Generation of the flow's sending end", base.HEX)
field("dgen", P.uint32, "Generation of the receiver's endpoint", base.HEX)
field("mseq", P.uint32, "Number of the message (mseq)", base.DEC)
field("tag", P.uint64, "Tag", base.HEX)
field("data", P.uint64, "Remote CQ data", base.HEX)
field("len", P.uint64, "Length of the message", base.DEC)
field("msg.flags", P.uint16, "Flags of the message", base.HEX)
flag("msg.tagged", "Tagged", 16, 0x0001)
flag("msg.data", "Has data", 16, 0x0002)
flag("msg.connected", "Between connected endpoints", 16, 0x0004)
flag("msg.placed", "DONE placed is wanted", 16, 0x0008)
flag("msg.matched", "DONE matched is wanted", 16, 0x0010)
flag("msg.solicited", "Solicited", 16, 0x0020)
flag("msg.rma", "One-sided operation", 16, 0x0040)
field("auth", P.uint64, "Authentication code", base.HEX)
field("auth.high", P.uint16, "Authentication code, upper 16 bits", base.HEX)
field("auth.low", P.uint32, "Authentication code, lower 32 bits", base.HEX)
field("off", P.uint64, "Offset", base.DEC)
field("sid", P.uint32, "Rendezvous id of the sender (sid)", base.HEX)
field("rid", P.uint32, "Rendezvous id of the receiver (rid)", base.HEX)
field("upto", P.uint64, "The sender may send up to", base.DEC)
field("status", P.uint16, "Status", base.DEC, errnos)
field("done.kind", P.uint16, "Kind", base.DEC, done_kinds)
field("done.more", P.uint32, "Messages before this one that were executed, too", base.DEC)
field("cm.op", P.uint8, "Operation", base.DEC, cm_ops)
field("cm.req", P.uint32, "Connection id of the requester", base.HEX)
field("cm.rsp", P.uint32, "Connection id of the responder", base.HEX)
field("cm.takes", P.uint16, "Sender takes messages until FINACK", base.DEC)
field("cm.last", P.uint32, "Number of the last message", base.DEC)
field("cm.private", P.bytes, "Private data")
field("credit.msgs", P.uint32, "Messages may begin up to number", base.DEC)
field("credit.bytes", P.uint32, "Bytes of eager payload since the flow began", base.DEC)
field("mtu.size", P.uint32, "Largest UDP payload that the sender takes", base.DEC)
field("mtu.no", P.uint32, "Number of the announcement", base.DEC)
field("retire.psn", P.uint32, "Every PSN is given up before", base.DEC)
field("retired.lane", P.uint8, "Lane of the RETIRE", base.DEC, lanes)
field("retired.psn", P.uint32, "PSN of the RETIRE", base.DEC)
field("retired.from", P.uint32, "First PSN of the bitmap", base.DEC)
field("retired.part_psn", P.uint32, "PSN that was taken in part", base.DEC)
field("retired.part_done", P.uint32, "Chunks of it that were taken", base.DEC)
field("probe.zeros", P.bytes, "Zeros")
field("probed.size", P.uint32, "Size of the packet with PROBE", base.DEC)
field("echo.no", P.uint32, "Number of the probe", base.DEC)
field("echo.seq", P.uint32, "Number of the packet", base.DEC, echo_seqs)
field("echo.stamp", P.uint64, "Time since the probe began (ns)", base.DEC)
field("echo.zeros", P.bytes, "Zeros")
field("echoed.came", P.uint32, "Packets of the probe that have come", base.DEC)
field("echoed.answered", P.uint32, "Packets of it that were answered", base.DEC)
field("question.no", P.uint32, "Number of the question", base.DEC)
field("question.zeros", P.bytes, "Zeros")
field("answer.status", P.uint8, "Answer", base.DEC, answer_states)
field("answer.program", P.string, "State of the program")
field("answer.pid", P.uint32, "Process", base.DEC)
field("answer.comm", P.stringz, "Command name")
field("answer.full", P.uint32, "Completions that wait for space", base.DEC)
field("answer.recv", P.uint32, "Receives that take messages of the asking endpoint", base.DEC)
field("answer.msg", P.uint32, "Messages of the asking endpoint without a receive", base.DEC)
field("answer.send", P.uint32, "Sends under way to the asking endpoint", base.DEC)
field("answer.wait", P.uint32, "Posted receives", base.DEC)
field("answer.ms", P.uint32, "The oldest has waited (ms)", base.DEC)
field("answer.flags", P.uint8, "Flags", base.HEX)
flag("answer.tagged", "Tagged", 8, 0x01)
flag("answer.named", "Names its sender", 8, 0x02)
flag("answer.least", "May be older", 8, 0x04)
field("answer.for", P.uint8, "The send waits for", base.DEC, sends_wait_for)
field("answer.ignore", P.uint64, "Bits of the tag that are not compared", base.HEX)
field("answer.ipv4", P.ipv4, "Sender that the oldest receive names")
field("answer.ipv6", P.ipv6, "Sender that the oldest receive names")
field("answer.service", P.uint16, "Its service", base.DEC)
field("answer.family", P.uint16, "Its family: 4, 6, 0: none", base.DEC)
field("bitmap", P.uint32, "Bitmap", base.HEX)
field("received", P.string, "Received")
field("missing", P.string, "Missing")

-- one-sided operations
field("rma.op", P.uint8, "One-sided operation", base.DEC, rma_ops)
field("rma.nseg", P.uint8, "Remote segments", base.DEC)
field("rma.aop", P.uint8, "Atomic operation", base.DEC, atomic_ops)
field("rma.atype", P.uint8, "Type of an element", base.DEC, atomic_types)
field("rma.uid", P.uint32, "User of the initiator", base.DEC)
field("rma.id", P.uint32, "Rendezvous id of the bytes", base.HEX)
field("rma.sid", P.uint32, "Rendezvous id of the operands (sid)", base.HEX)
field("rma.len", P.uint64, "Length of the operation", base.DEC)
field("rma.granted", P.uint64, "The target may send at once", base.DEC)
field("rma.key", P.uint64, "Key", base.HEX)
field("rma.addr", P.uint64, "Address", base.HEX)
field("rma.seglen", P.uint64, "Length of the segment", base.DEC)
field("rma.operands", P.bytes, "Operands")
field("rma.compare", P.bytes, "Compare operands")
field("writes.n", P.uint16, "Number of messages", base.DEC)
field("writes.len", P.uint16, "Bytes of each write", base.DEC)
field("writes.write", P.none, "Write")

-- what the dissector found out
frame("again_of", "This packet repeats that of frame", "RETRANS_PREV")
frame("again_in", "This packet is repeated in frame", "RETRANS_NEXT")
frame("acked_in", "Acknowledged in frame", "ACK")
frame("retired_in", "Given up (RETIRE) in frame", "NONE")
frame("ended_in", "The path ends by GONE in frame", "NONE")
frame("acks", "Newest packet that this one acknowledges first: frame", "ACK")
field("acks.n", P.uint32, "Packets that this one acknowledges first", base.DEC)
field("rtt", P.relative_time, "Time since that packet was sent")
frame("dup_of", "The packet that came again: frame", "DUP_ACK")
field("gap", P.uint32, "Packets of this lane before this one that are not in the capture", base.DEC)
frame("msg.first_in", "The message begins in frame", "NONE")
frame("msg.last_in", "The message is complete in frame", "NONE")
frame("granted_in", "First GRANT in frame", "RESPONSE")
frame("rts_in", "Announced in frame", "REQUEST")
frame("data_first_in", "First DATA in frame", "NONE")
frame("data_last_in", "Last DATA in frame", "NONE")
frame("placed_in", "DONE placed in frame", "RESPONSE")
frame("answered_in", "Answered in frame", "RESPONSE")
frame("answer_to", "Answer to frame", "REQUEST")
field("answer_time", P.relative_time, "Time from request to answer")

local chunk_names = {
	[1] = "EAGER", [2] = "RTS", [3] = "GRANT", [4] = "DATA", [5] = "DONE", [6] = "ABORT",
	[7] = "CM", [8] = "PING", [9] = "EPGONE", [10] = "CREDIT", [11] = "OPEN", [12] = "MTU",
	[13] = "RETIRE", [14] = "RETIRED", [15] = "PROBE", [16] = "PROBED", [17] = "WRITES",
	[18] = "ECHO", [19] = "ECHOED", [20] = "QUESTION", [21] = "ANSWER",
	[0x81] = "SACK", [0x82] = "HEAD",
}
-- a field for each type of chunk: weft.eager, weft.rts
for _, name in pairs(chunk_names) do
	field("chunk." .. name:lower(), P.none, name)
end
field("chunk.other", P.none, "Chunk of unknown type")

weft.fields = list

-- ---- Expert information ----------------------------------------------------------------

local E = {}
local experts = {}

local function expert_info(key, text, group, severity)
	E[key] = ProtoExpert.new("weft." .. key, text, group, severity)
	experts[#experts + 1] = E[key]
end

expert_info("malformed", "A receiver drops this packet: its form is invalid",
	    expert.group.MALFORMED, expert.severity.ERROR)
expert_info("invalid", "A field has an invalid value", expert.group.PROTOCOL,
	    expert.severity.ERROR)
expert_info("bad_version", "Another version of the wire format", expert.group.PROTOCOL,
	    expert.severity.WARN)
expert_info("unknown_chunk", "Unknown type of chunk: a receiver drops the packet",
	    expert.group.UNDECODED, expert.severity.ERROR)
expert_info("skipped_chunk", "Unknown type of chunk, which a receiver skips",
	    expert.group.UNDECODED, expert.severity.NOTE)
expert_info("unknown_bytes", "Bytes that this version does not define",
	    expert.group.UNDECODED, expert.severity.NOTE)
expert_info("retransmission", "This packet was sent before", expert.group.SEQUENCE,
	    expert.severity.NOTE)
expert_info("spurious", "This packet was sent again after its acknowledgement",
	    expert.group.SEQUENCE, expert.severity.WARN)
expert_info("dup", "The receiver already had the packet", expert.group.SEQUENCE,
	    expert.severity.NOTE)
expert_info("gap_before", "Earlier packets of the lane are not in the capture, or come later",
	    expert.group.SEQUENCE, expert.severity.NOTE)
expert_info("failed", "A message or a connection failed", expert.group.RESPONSE_CODE, expert.severity.WARN)
expert_info("gone", "GONE: the path id is unknown, or the path ends", expert.group.RESPONSE_CODE, expert.severity.WARN)
expert_info("unanswered", "No answer in this capture", expert.group.SEQUENCE,
	    expert.severity.NOTE)
expert_info("unacked", "No acknowledgement in this capture", expert.group.SEQUENCE,
	    expert.severity.CHAT)

weft.experts = experts

-- ---- Preferences ------------------------------------------------------------------------

weft.prefs.ports = Pref.range("UDP ports", "9471", "UDP ports of weft (udp_port)", 65535)
weft.prefs.link = Pref.bool("Link packets", true,
	"Find retransmissions, acknowledgements and answers. This takes memory for each packet.")

-- ---- State of a capture -------------------------------------------------------------------
--
-- A "way" is one direction of a path: all packets with one path id and token. Its state has the
-- way back, if that is known: from a handshake, else from the addresses.
--
-- The first pass makes a note for each packet and each chunk that has something to say about
-- others. Later passes only show notes: by then these also know what came after the packet.
--
-- Fields of notes: f: frame; t: its time; af, at: those of the answer.

local ways	-- by path id and token
local hellos	-- handshakes, by nonce
local current	-- newest way, by source and destination
local tokens	-- newest frame with a token; VERSION repeats it
local notes	-- by frame and place in the frame
local kinds	-- types of chunks that made the notes
local streams	-- numbers of paths
local messages	-- numbers of messages

local function forget()
	ways, hellos, current, tokens, notes, kinds = {}, {}, {}, {}, {}, {}
	streams, messages = 0, 0
end

weft.init = forget
forget()

local function new_stream()
	streams = streams + 1
	return streams - 1
end

local function way_of(key)
	local w = ways[key]

	if not w then
		w = { lanes = {}, flows = {}, sids = {}, rids = {}, cm = {}, retires = {},
		      probes = {}, echoes = {}, questions = {} }
		ways[key] = w
	end
	return w
end

local function join(a, b)
	a.back, b.back = b, a
	a.stream = a.stream or b.stream or new_stream()
	b.stream = a.stream
end

local function lane_of(way, no)
	local l = way.lanes[no]

	if not l then
		l = { by = {}, queue = {}, head = 1 }
		way.lanes[no] = l
	end
	return l
end

-- Take the packets before "psn" out of the queue of those without an acknowledgement. The queue has
-- the order of their first transmission.
local function for_all_before(l, psn, do_it)
	local r = l.queue[l.head]

	while r and (r.af or before(r.psn, psn)) do
		if not r.af then
			do_it(r)
		end
		l.queue[l.head] = nil
		l.head = l.head + 1
		r = l.queue[l.head]
	end
end

-- The flow at "o" of chunk bytes, by services and generation of its sending end.
local function flow_of(way, raw, o)
	local key = sub(raw, o + 1, o + 8)
	local flow = way.flows[key]

	if not flow then
		flow = { msgs = {} }
		way.flows[key] = flow
	end
	return flow
end

-- Is the packet quoted by an ICMP message?
local icmp, icmpv6 = Field.new("icmp.type"), Field.new("icmpv6.type")

-- ---- Showing ----------------------------------------------------------------------------

local function generated(item)
	item:set_generated(true)
	return item
end

local function show_frame(tree, key, number)
	if number then
		generated(tree:add(f[key], number))
	end
end

local function show_time(tree, key, seconds)
	local whole = floor(seconds)

	generated(tree:add(f[key], NSTime.new(whole, floor((seconds - whole) * 1e9 + 0.5))))
end

-- A request: its answer, or that there is none.
local function show_request(c, tree, n)
	if not n then
		return
	end
	if n.af then
		show_frame(tree, "answered_in", n.af)
		show_time(tree, "answer_time", n.at - n.t)
	elseif n.wants and n.way and n.way.gone then
		show_frame(tree, "ended_in", n.way.gone)
	elseif c.later and n.wants then
		tree:add_proto_expert_info(E.unanswered)
	end
end

-- A note of something that is to be answered
local function request(c)
	return { f = c.frame, t = c.time, wants = true, way = c.way }
end

local function show_answer(c, tree, n)
	if n then
		show_frame(tree, "answer_to", n.f)
		show_time(tree, "answer_time", c.time - n.t)
	end
end

local function answer(c, n)
	if n and not n.af then
		n.af, n.at = c.frame, c.time
	end
	return n
end

-- The note for the place "o" of the packet: made by "make" in the first pass. A packet that is
-- repeated has the notes of the first one, unless a forged one has other chunks.
local function note(c, o, make)
	local key = c.frame * 262144 + c.base + o

	if not c.later and c.links then
		local first = c.old and c.old.place + o - c.begin

		if not first then
			notes[key], kinds[key] = make(), c.chunk
		elseif kinds[first] == c.chunk then
			notes[key] = notes[first]
		end
	end
	return notes[key]
end

local function malformed(c, item, text)
	item:add_proto_expert_info(E.malformed, text)
	c.bad = text
end

local function unknown(c, tree, o, n)
	if n > 0 then
		tree:add(f.unknown, c.buf(o, n)):add_proto_expert_info(E.unknown_bytes)
	end
end

local function add(c, tree, key, o, n)
	return tree:add(f[key], c.buf(o, n))
end

-- bytes without a meaning; the sender sends zeros
local function reserved(c, tree, o, n)
	tree:add(f.rsvd, c.buf(o, n))
end

local function bytes(c, tree, key, o, n)
	if n > 0 then
		tree:add(f[key], c.buf(o, n))
	end
end

-- ---- Parts of chunks --------------------------------------------------------------------

local function show_ends(c, tree, o)
	add(c, tree, "ssvc", o, 2)
	add(c, tree, "dsvc", o + 2, 2)
end

-- A flow; "number" is the field for its last part, nil: none.
local function show_flow(c, tree, o, number)
	show_ends(c, tree, o)
	add(c, tree, "sgen", o + 4, 4)
	add(c, tree, "dgen", o + 8, 4)
	if number then
		add(c, tree, number, o + 12, 4)
	else
		reserved(c, tree, o + 12, 4)
	end
end

local function flow_text(c, o)
	return fmt("%d > %d", u16(c.raw, o), u16(c.raw, o + 2))
end

local function msg_text(c, o)
	return fmt("%s #%d", flow_text(c, o), u32(c.raw, o + 12))
end

local function show_msg_flags(c, tree, o)
	local t = add(c, tree, "msg.flags", o, 2)

	for _, key in ipairs({ "tagged", "data", "connected", "placed", "matched", "solicited",
			       "rma" }) do
		add(c, t, "msg." .. key, o, 2)
	end
end

local function show_auth(c, tree, o)
	tree:add(f.auth, c.buf(o, 6), c.buf(o, 6):uint64())
end

local function show_head(c, tree, o)
	show_flow(c, tree, o, "mseq")
	add(c, tree, "tag", o + 16, 8)
	add(c, tree, "data", o + 24, 8)
	add(c, tree, "len", o + 32, 8)
	show_msg_flags(c, tree, o + 40)
	show_auth(c, tree, o + 42)
end

local function head_text(c, o)
	local flags = u16(c.raw, o + 40)
	local text = msg_text(c, o)

	if bit(flags, 1) then
		text = text .. " tag " .. hex64(c.raw, o + 16)
	end
	return fmt("%s len %.0f", text, u64(c.raw, o + 32))
end

local function new_message(m)
	m.no = messages
	messages = messages + 1
	return m
end

local function show_message(tree, m)
	generated(tree:add(f.message, m.no))
end

-- The message whose head is at "o", a note.
local function msg_of(c, o)
	local flow = flow_of(c.way, c.raw, o)
	local seq = u32(c.raw, o + 12)
	local m = flow.msgs[seq]

	if not m then
		local flags = u16(c.raw, o + 40)

		m = new_message({ f = c.frame, t = c.time, way = c.way, len = u64(c.raw, o + 32),
				  got = 0, placed = bit(flags, 8), matched = bit(flags, 16),
				  rma = bit(flags, 64) })
		-- a write without results is always answered
		m.wants = m.placed or m.matched or m.rma
		flow.msgs[seq] = m
	end
	return m
end

-- "n" more bytes of a message have come.
local function msg_bytes(c, m, n)
	m.got = m.got + n
	if m.got >= m.len and not m.last then
		m.last = c.frame
	end
end

local function show_msg(c, tree, m)
	if not m then
		return
	end
	show_message(tree, m)
	if m.f ~= c.frame then
		show_frame(tree, "msg.first_in", m.f)
	end
	if m.last ~= c.frame then
		show_frame(tree, "msg.last_in", m.last)
	end
	show_frame(tree, "placed_in", m.pf)
	if m.f == c.frame or m.wants and not m.af then
		show_request(c, tree, m)
	else
		show_frame(tree, "answered_in", m.af)
	end
end

-- A transfer of announced bytes, a note of the message.
local function transfer(m, len)
	return { m = m, f = m.f, t = m.t, len = len, got = 0 }
end

local function show_transfer(c, tree, t)
	if not t then
		return
	end
	show_frame(tree, "granted_in", t.gf)
	show_frame(tree, "data_first_in", t.df)
	show_frame(tree, "data_last_in", t.dl)
end

-- Ranges of numbers, as text: bits that are set and bits that are not, up to the last set one.
local function bitmap(c, o, n, from)
	local set, clear = {}, {}
	local first, state, last = 0, nil, -1

	local function stretch(stop)
		local into = state and set or clear
		local a, b = (from + first) % 4294967296, (from + stop - 1) % 4294967296

		if stop > first then
			into[#into + 1] = a == b and fmt("%d", a) or fmt("%d-%d", a, b)
		end
	end

	for w = 0, floor(n / 4) - 1 do
		local word = u32(c.raw, o + 4 * w)

		for i = 0, 31 do
			local b = word % 2 == 1
			local at = 32 * w + i

			if b ~= state then
				if state ~= nil then
					stretch(at)
				end
				first, state = at, b
			end
			word = floor(word / 2)
			if b then
				last = at
			end
		end
	end
	if state then
		stretch(last + 1)
	end
	return table.concat(set, ", "), table.concat(clear, ", ")
end

local function show_bitmap(c, tree, o, n, from)
	local set, clear = bitmap(c, o, n, from)

	for w = 0, floor(n / 4) - 1 do
		add(c, tree, "bitmap", o + 4 * w, 4)
	end
	if n > 0 then
		generated(tree:add(f.received, c.buf(o, n), set))
		generated(tree:add(f.missing, c.buf(o, n), clear))
	end
	return set, clear
end

-- ---- One-sided operations -----------------------------------------------------------------

local function is_atomic(op)
	return op >= 3
end

local function fetches(op)
	return op == 2 or op > 3
end

-- Bytes that the initiator sends: of a write, or operands.
local function req_bytes(op, aop, len)
	if op == 2 or is_atomic(op) and aop == 10 then
		return 0
	end
	return op == 5 and 2 * len or len
end

-- What is wrong with the request at "o", of which "n" bytes and "pay" bytes behind it are there.
local function req_flaw(c, o, pay)
	local raw = c.raw
	local op, nseg, aop, atype = byte(raw, o + 1, o + 4)
	local id, sid = u32(raw, o + 8), u32(raw, o + 12)
	local len, granted = u64(raw, o + 16), u64(raw, o + 24)
	local sum, own = 0, 0

	if op < 1 or op > 5 then
		return "unknown operation"
	end
	for i = 0, nseg - 1 do
		sum = sum + u64(raw, o + 32 + 24 * i + 16)
	end
	if sum ~= len then
		return "the segments do not add up to the length"
	end
	if fetches(op) then
		if not bit(id, 2147483648) or granted > len then
			return "id or grant"
		end
	elseif granted ~= 0 then
		return "a grant without bytes to return"
	end
	if is_atomic(op) then
		own = sid
		if len < 1 or len > 8192 then
			return "length of an atomic operation"
		end
		if op == 3 and id ~= 0 then
			return "id without results"
		end
	else
		if op == 1 then
			own = id
		end
		if aop ~= 0 or atype ~= 0 or sid ~= 0 then
			return "atomic fields in another operation"
		end
	end
	if own ~= 0 then
		if bit(own, 2147483648) or req_bytes(op, aop, len) == 0 or pay ~= 0 then
			return "announced bytes"
		end
	elseif pay ~= req_bytes(op, aop, len) then
		return "number of bytes"
	end
end

local function req_text(c, o)
	local op, _, aop, atype = byte(c.raw, o + 1, o + 4)
	local len = u64(c.raw, o + 16)

	if is_atomic(op) then
		return fmt("atomic %s %s %.0f bytes%s", atomic_ops[aop] or aop,
			   atomic_types[atype] or atype, len, op > 3 and ", results" or "")
	end
	return fmt("%s %.0f bytes", rma_ops[op] or "operation " .. op, len)
end

-- A request, at the begin of "n" bytes of payload. "whole": these are the whole message.
local function show_request_of(c, tree, o, n, whole)
	local raw = c.raw
	local op, nseg, aop, rest, len, pay

	if n < 32 or n < 32 + 24 * byte(raw, o + 2) or byte(raw, o + 2) > 8 then
		bytes(c, tree, "payload", o, n)
		tree:add_proto_expert_info(E.invalid, "the request is too short, or has too many segments")
		return nil
	end
	op, nseg, aop = byte(raw, o + 1, o + 3)
	add(c, tree, "rma.op", o, 1)
	add(c, tree, "rma.nseg", o + 1, 1)
	if is_atomic(op) then
		add(c, tree, "rma.aop", o + 2, 1)
		add(c, tree, "rma.atype", o + 3, 1)
	else
		reserved(c, tree, o + 2, 2)
	end
	add(c, tree, "rma.uid", o + 4, 4)
	add(c, tree, "rma.id", o + 8, 4)
	add(c, tree, "rma.sid", o + 12, 4)
	add(c, tree, "rma.len", o + 16, 8)
	add(c, tree, "rma.granted", o + 24, 8)
	for i = 0, nseg - 1 do
		local at = o + 32 + 24 * i

		add(c, tree, "rma.key", at, 8)
		add(c, tree, "rma.addr", at + 8, 8)
		add(c, tree, "rma.seglen", at + 16, 8)
	end
	rest = o + 32 + 24 * nseg
	pay = o + n - rest
	len = u64(raw, o + 16)
	if is_atomic(op) then
		local one = math.min(pay, len)

		bytes(c, tree, "rma.operands", rest, one)
		bytes(c, tree, "rma.compare", rest + one, pay - one)
	else
		bytes(c, tree, "payload", rest, pay)
	end
	if whole then
		local flaw = req_flaw(c, o, pay)

		if flaw then
			tree:add_proto_expert_info(E.invalid, "invalid request: " .. flaw)
		end
	end
	return req_text(c, o)
end

-- The transfers that a request begins; "n" bytes of it are there.
local function link_request(c, m, o, n)
	local op, nseg, aop, id, sid, len

	if n < 32 then
		return
	end
	op, nseg, aop = byte(c.raw, o + 1, o + 3)
	id, sid, len = u32(c.raw, o + 8), u32(c.raw, o + 12), u64(c.raw, o + 16)
	m.wants = true
	if fetches(op) then
		m.fetch = transfer(m, len)
		m.fetch.fetch = true
		-- the bytes travel on the way back, and both ids are the initiator's
		if c.way.back then
			c.way.back.sids[id], c.way.back.rids[id] = m.fetch, m.fetch
		end
	elseif op == 1 then
		sid = id
	end
	if sid ~= 0 then
		m.announced = transfer(m, req_bytes(op, aop, len))
		c.way.sids[sid] = m.announced
	end
end

-- ---- Chunks ---------------------------------------------------------------------------------
--
-- Each has: fixed: bytes of its structure; tail: most bytes that may follow; flaw: what is wrong
-- with its fields, which makes the packet invalid; show: (c, tree, o, n): the content of n bytes
-- at o; it returns a text.

local chunks = {}
local ANY = 65535

local function eager_flaw(c, o, n)
	local len, pay = u64(c.raw, o + 32), n - 56

	if u32(c.raw, o + 48) + pay > len or pay == 0 and len > 0 then
		return "the payload is not inside of the message"
	end
end

chunks[1] = { fixed = 56, tail = ANY, flaw = eager_flaw, show = function(c, tree, o, n)
	local off, pay = u32(c.raw, o + 48), n - 56
	local rma = bit(u16(c.raw, o + 40), 64)
	local len = u64(c.raw, o + 32)
	local text = head_text(c, o)
	local m, req

	show_head(c, tree, o)
	add(c, tree, "off", o + 48, 4)
	reserved(c, tree, o + 52, 4)
	m = note(c, o, function()
		local m = msg_of(c, o)

		msg_bytes(c, m, pay)
		if rma and off == 0 then
			link_request(c, m, o + 56, pay)
		end
		return m
	end)
	if rma and off == 0 then
		req = show_request_of(c, tree, o + 56, pay, pay == len)
	else
		bytes(c, tree, "payload", o + 56, pay)
	end
	if m then
		show_msg(c, tree, m)
		show_transfer(c, tree, m.fetch or m.announced)
	end
	if pay < len then
		text = fmt("%s [%d-%d]", text, off, off + pay - 1)
	end
	return req and text .. " " .. req or text
end }

chunks[2] = { fixed = 56, tail = 0, show = function(c, tree, o)
	local m

	show_head(c, tree, o)
	add(c, tree, "sid", o + 48, 4)
	reserved(c, tree, o + 52, 4)
	m = note(c, o, function()
		local m = msg_of(c, o)

		m.wants = true
		m.announced = transfer(m, m.len)
		c.way.sids[u32(c.raw, o + 48)] = m.announced
		return m
	end)
	if m then
		show_msg(c, tree, m)
		show_transfer(c, tree, m.announced)
	end
	return fmt("%s sid 0x%x", head_text(c, o), u32(c.raw, o + 48))
end }

chunks[3] = { fixed = 16, tail = 0, show = function(c, tree, o)
	local sid, rid, upto = u32(c.raw, o), u32(c.raw, o + 4), u64(c.raw, o + 8)
	local t

	add(c, tree, "sid", o, 4)
	add(c, tree, "rid", o + 4, 4)
	add(c, tree, "upto", o + 8, 8)
	t = note(c, o, function()
		local t = c.way.back and c.way.back.sids[sid]

		if t then
			t.gf = t.gf or c.frame
			c.way.back.rids[rid] = t
		end
		return t or nil
	end)
	if t then
		show_message(tree, t.m)
		show_frame(tree, "rts_in", t.f)
		show_time(tree, "answer_time", c.time - t.t)
		show_transfer(c, tree, t)
	end
	if upto == 0 then
		return fmt("sid 0x%x: not wanted", sid)
	end
	return fmt("sid 0x%x rid 0x%x up to %.0f", sid, rid, upto)
end }

local function data_flaw(c, o, n)
	if n == 16 then
		return "no payload"
	end
	if u64(c.raw, o + 8) + (n - 16) >= WORD * WORD then
		return "offset"
	end
end

chunks[4] = { fixed = 16, tail = ANY, flaw = data_flaw, show = function(c, tree, o, n)
	local rid, off, pay = u32(c.raw, o), u64(c.raw, o + 8), n - 16
	local t

	add(c, tree, "rid", o, 4)
	reserved(c, tree, o + 4, 4)
	add(c, tree, "off", o + 8, 8)
	bytes(c, tree, "payload", o + 16, pay)
	t = note(c, o, function()
		local t = c.way.rids[rid]

		if t then
			t.df = t.df or c.frame
			t.got = t.got + pay
			if t.got >= t.len and not t.dl then
				t.dl = c.frame
				if t.fetch then
					answer(c, t.m)
				end
			end
		end
		return t
	end)
	if t then
		show_message(tree, t.m)
		show_frame(tree, "rts_in", t.f)
		show_transfer(c, tree, t)
	end
	return fmt("rid 0x%x [%.0f-%.0f]", rid, off, off + pay - 1)
end }

local function done_flaw(c, o)
	local sid, status, kind = u32(c.raw, o + 16), u16(c.raw, o + 20), u16(c.raw, o + 22)

	if kind == 3 then
		if status ~= 0 or sid >= 64 then
			return "status or number of executed operations"
		end
	elseif kind ~= 1 and kind ~= 2 then
		return "kind of DONE"
	end
end

-- DONE reached the sender of message "m".
local function done(c, m, kind, status)
	if status == 0 and kind == 1 then
		m.pf = m.pf or c.frame
		if m.matched then
			return
		end
	end
	answer(c, m)
end

chunks[5] = { fixed = 24, tail = 0, flaw = done_flaw, show = function(c, tree, o)
	local sid, status, kind = u32(c.raw, o + 16), u16(c.raw, o + 20), u16(c.raw, o + 22)
	local last, n, text

	show_flow(c, tree, o, "mseq")
	add(c, tree, kind == 3 and "done.more" or "sid", o + 16, 4)
	add(c, tree, "status", o + 20, 2)
	add(c, tree, "done.kind", o + 22, 2)
	n = note(c, o, function()
		local n = {}
		local flow = c.way.back and flow_of(c.way.back, c.raw, o)
		local seq = u32(c.raw, o + 12)

		for i = kind == 3 and sid or 0, 0, -1 do
			local m = flow and flow.msgs[(seq - i) % 4294967296]

			if m then
				done(c, m, kind, status)
				n[#n + 1] = m
			end
		end
		-- the initiator ends a read early
		if flow and kind ~= 3 and not n[1] and c.way.back.sids[sid] then
			n[1] = answer(c, c.way.back.sids[sid].m)
		end
		return n
	end) or {}
	for _, m in ipairs(n) do
		show_message(tree, m)
		if m.f ~= last then
			show_answer(c, tree, m)
			last = m.f
		end
	end
	text = msg_text(c, o) .. " " .. (done_kinds[kind] or kind)
	if kind == 3 and sid > 0 then
		text = fmt("%s, and %d before", text, sid)
	end
	if status ~= 0 then
		text = text .. " " .. errno(status)
		tree:add_proto_expert_info(E.failed, "DONE: " .. errno(status))
	end
	return text
end }

chunks[6] = { fixed = 24, tail = 0, show = function(c, tree, o)
	local sid, status = u32(c.raw, o + 16), u16(c.raw, o + 20)
	local m

	show_flow(c, tree, o, "mseq")
	add(c, tree, "sid", o + 16, 4)
	add(c, tree, "status", o + 20, 2)
	reserved(c, tree, o + 22, 2)
	m = note(c, o, function()
		local t = sid ~= 0 and c.way.sids[sid]

		return t and answer(c, t.m) or nil
	end)
	if m then
		show_message(tree, m)
		show_answer(c, tree, m)
	end
	if status ~= 0 then
		tree:add_proto_expert_info(E.failed, "ABORT: " .. errno(status))
	end
	return fmt("%s %s%s", msg_text(c, o), sid == 0 and "the flow ends" or fmt("sid 0x%x", sid),
		   status ~= 0 and " " .. errno(status) or "")
end }

-- The connection that a chunk CM belongs to, of either side.
local function conn_of(c, req, rsp)
	local own, peer = c.way.cm[req], c.way.back and c.way.back.cm[req]

	if own and peer and own.rsp ~= rsp then
		return peer
	end
	return own or peer
end

-- Connection management: a request has the field of the note that is answered.
local function link_cm(c, op, req, rsp)
	local conn

	if op == 1 then
		conn = request(c)
		conn.fins = {}
		c.way.cm[req] = conn
		return conn, nil
	end
	conn = conn_of(c, req, rsp)
	if not conn then
		return nil, nil
	end
	if op == 2 then
		conn.rsp = rsp
		conn.rep = request(c)
		return conn.rep, answer(c, conn)
	elseif op == 3 then
		return nil, answer(c, conn)
	elseif op == 4 then
		return nil, answer(c, conn.rep)
	elseif op == 5 then
		local fin = request(c)

		conn.fins[c.way] = fin
		return fin, nil
	end
	return nil, c.way.back and answer(c, conn.fins[c.way.back])
end

local function cm_flaw(c, o)
	if not cm_ops[byte(c.raw, o + 17)] then
		return "operation of CM"
	end
end

chunks[7] = { fixed = 32, tail = 256, flaw = cm_flaw, show = function(c, tree, o, n)
	local op, status = byte(c.raw, o + 17), u16(c.raw, o + 18)
	local req, rsp = u32(c.raw, o + 20), u32(c.raw, o + 24)
	local text = fmt("%s %s", cm_ops[op] or op, flow_text(c, o))
	local cm

	show_flow(c, tree, o)
	add(c, tree, "cm.op", o + 16, 1)
	reserved(c, tree, o + 17, 1)
	if op == 1 or op == 2 then
		add(c, tree, "auth.high", o + 18, 2)
	elseif op == 5 then
		add(c, tree, "cm.takes", o + 18, 2)
	else
		add(c, tree, "status", o + 18, 2)
	end
	add(c, tree, "cm.req", o + 20, 4)
	add(c, tree, "cm.rsp", o + 24, 4)
	if op == 1 or op == 2 then
		add(c, tree, "auth.low", o + 28, 4)
		generated(tree:add(f.auth, UInt64.new(u32(c.raw, o + 28), status)))
	elseif op == 5 then
		add(c, tree, "cm.last", o + 28, 4)
		text = fmt("%s last #%d", text, u32(c.raw, o + 28))
	else
		reserved(c, tree, o + 28, 4)
	end
	bytes(c, tree, "cm.private", o + 32, n - 32)
	cm = note(c, o, function()
		local request, of = link_cm(c, op, req, rsp)

		return (request or of) and { request = request, of = of } or nil
	end)
	if cm then
		show_answer(c, tree, cm.of)
		show_request(c, tree, cm.request)
	end
	if op == 3 then
		text = text .. " " .. errno(status)
		tree:add_proto_expert_info(E.failed, "REJ: " .. errno(status))
	end
	return text
end }

chunks[8] = { fixed = 4, tail = 0, show = function(c, tree, o)
	reserved(c, tree, o, 4)
	return ""
end }

chunks[9] = { fixed = 20, tail = 0, show = function(c, tree, o)
	local n

	show_flow(c, tree, o, "mseq")
	reserved(c, tree, o + 16, 4)
	n = note(c, o, function()
		local flow = c.way.back and flow_of(c.way.back, c.raw, o)
		local seq = u32(c.raw, o + 12)
		local n

		if not flow then
			return nil
		end
		n = flow.open and not flow.open.af and flow.open or flow.msgs[seq]
		answer(c, flow.open)
		-- this message and all later ones are lost
		while flow.msgs[seq] and not flow.msgs[seq].lost do
			answer(c, flow.msgs[seq]).lost = true
			seq = (seq + 1) % 4294967296
		end
		return n
	end)
	show_answer(c, tree, n)
	tree:add_proto_expert_info(E.failed, "EPGONE: the endpoint does not exist")
	return msg_text(c, o)
end }

chunks[10] = { fixed = 20, tail = 0, show = function(c, tree, o)
	local n

	show_flow(c, tree, o, "credit.msgs")
	add(c, tree, "credit.bytes", o + 16, 4)
	n = note(c, o, function()
		local flow = c.way.back and flow_of(c.way.back, c.raw, o)
		local open = flow and flow.open

		return open and not open.af and answer(c, open) or nil
	end)
	show_answer(c, tree, n)
	return fmt("%s up to #%d, %d bytes", flow_text(c, o), u32(c.raw, o + 12),
		   u32(c.raw, o + 16))
end }

chunks[11] = { fixed = 24, tail = 0, show = function(c, tree, o)
	local n

	show_flow(c, tree, o)
	reserved(c, tree, o + 16, 2)
	show_auth(c, tree, o + 18)
	n = note(c, o, function()
		local flow = flow_of(c.way, c.raw, o)

		flow.open = request(c)
		return flow.open
	end)
	show_request(c, tree, n)
	return flow_text(c, o)
end }

chunks[12] = { fixed = 8, tail = 0, show = function(c, tree, o)
	add(c, tree, "mtu.size", o, 4)
	add(c, tree, "mtu.no", o + 4, 4)
	return fmt("%d bytes, announcement %d", u32(c.raw, o), u32(c.raw, o + 4))
end }

chunks[13] = { fixed = 4, tail = 0, show = function(c, tree, o)
	local psn = u32(c.raw, o)
	local n

	add(c, tree, "retire.psn", o, 4)
	n = note(c, o, function()
		local n = request(c)

		for_all_before(lane_of(c.way, c.lane), psn, function(r)
			r.retired = c.frame
		end)
		c.way.retires[c.lane * WORD + (c.psn or 0)] = n
		return n
	end)
	show_request(c, tree, n)
	return fmt("PSNs before %d", psn)
end }

local function words_flaw(c, o, n)
	if (n - 28) % 4 ~= 0 then
		return "bitmap"
	end
end

chunks[14] = { fixed = 28, tail = 256, flaw = words_flaw, show = function(c, tree, o, n)
	local psn, from = u32(c.raw, o + 4), u32(c.raw, o + 8)
	local text = fmt("PSN %d: had all before %d", psn, from)
	local set, retire

	add(c, tree, "retired.lane", o, 1)
	reserved(c, tree, o + 1, 3)
	add(c, tree, "retired.psn", o + 4, 4)
	add(c, tree, "retired.from", o + 8, 4)
	for i = 0, 1 do
		add(c, tree, "retired.part_psn", o + 12 + 8 * i, 4)
		add(c, tree, "retired.part_done", o + 16 + 8 * i, 4)
	end
	set = show_bitmap(c, tree, o + 28, n - 28, from)
	retire = note(c, o, function()
		local key = byte(c.raw, o + 1) * WORD + psn

		return answer(c, c.way.back and c.way.back.retires[key])
	end)
	show_answer(c, tree, retire)
	return set ~= "" and text .. ", and " .. set or text
end }

chunks[15] = { fixed = 4, tail = ANY, show = function(c, tree, o, n)
	local probe

	reserved(c, tree, o, 4)
	bytes(c, tree, "probe.zeros", o + 4, n - 4)
	probe = note(c, o, function()
		local probe = request(c)

		-- the chunk ends its packet
		c.way.probes[o + n - c.begin] = probe
		return probe
	end)
	show_request(c, tree, probe)
	return fmt("%d bytes", o + n - c.begin)
end }

chunks[16] = { fixed = 4, tail = 0, show = function(c, tree, o)
	local size = u32(c.raw, o)

	add(c, tree, "probed.size", o, 4)
	show_answer(c, tree, note(c, o, function()
		return answer(c, c.way.back and c.way.back.probes[size])
	end))
	return fmt("%d bytes", size)
end }

-- Show the probe, the packet and the stamp of a chunk. Return: key of the packet, and text.
local function show_echo(c, tree, o)
	local no, seq = u32(c.raw, o), u32(c.raw, o + 4)

	add(c, tree, "echo.no", o, 4)
	add(c, tree, "echo.seq", o + 4, 4)
	add(c, tree, "echo.stamp", o + 8, 8)
	return sub(c.raw, o + 1, o + 8),
	       fmt("%d: %s", no, echo_seqs[seq] or fmt("packet %d", seq))
end

chunks[18] = { fixed = 24, tail = ANY, show = function(c, tree, o, n)
	local key, text = show_echo(c, tree, o)
	local echo

	reserved(c, tree, o + 16, 8)
	bytes(c, tree, "echo.zeros", o + 24, n - 24)
	echo = note(c, o, function()
		local echo = request(c)

		c.way.echoes[key] = echo
		return echo
	end)
	show_request(c, tree, echo)
	return text
end }

chunks[19] = { fixed = 24, tail = 0, show = function(c, tree, o)
	local key, text = show_echo(c, tree, o)

	add(c, tree, "echoed.came", o + 16, 4)
	add(c, tree, "echoed.answered", o + 20, 4)
	show_answer(c, tree, note(c, o, function()
		return answer(c, c.way.back and c.way.back.echoes[key])
	end))
	return text .. fmt(", %d came, %d answered", u32(c.raw, o + 16), u32(c.raw, o + 20))
end }

chunks[20] = { fixed = 16, tail = ANY, show = function(c, tree, o, n)
	local no = u32(c.raw, o)

	add(c, tree, "question.no", o, 4)
	show_ends(c, tree, o + 4)
	tree:add(f.auth, c.buf(o + 8, 8))
	bytes(c, tree, "question.zeros", o + 16, n - 16)
	show_request(c, tree, note(c, o, function()
		local question = request(c)

		c.way.questions[no] = question
		return question
	end))
	return fmt("%d", no)
end }

-- Show one kind of objects of an answer.
local function show_held(c, tree, key, o)
	local held, flags = add(c, tree, key, o, 4)

	if u32(c.raw, o) == 0 then
		return
	end
	add(c, held, "answer.ms", o + 4, 4)
	add(c, held, "tag", o + 8, 8)
	flags = add(c, held, "answer.flags", o + 16, 1)
	add(c, flags, "answer.tagged", o + 16, 1)
	add(c, flags, "answer.named", o + 16, 1)
	add(c, flags, "answer.least", o + 16, 1)
	if key == "answer.send" then
		add(c, held, "answer.for", o + 17, 1)
	end
end

chunks[21] = { fixed = 148, tail = 0, show = function(c, tree, o)
	local no, status = u32(c.raw, o), byte(c.raw, o + 5)
	local family = u16(c.raw, o + 146)

	add(c, tree, "question.no", o, 4)
	add(c, tree, "answer.status", o + 4, 1)
	show_answer(c, tree, note(c, o, function()
		return answer(c, c.way.back and c.way.back.questions[no])
	end))
	if status == 0 then
		add(c, tree, "answer.program", o + 5, 1)
		add(c, tree, "answer.pid", o + 8, 4)
		add(c, tree, "answer.comm", o + 12, 16)
		add(c, tree, "answer.full", o + 28, 4)
		show_held(c, tree, "answer.recv", o + 32)
		show_held(c, tree, "answer.msg", o + 52)
		show_held(c, tree, "answer.send", o + 72)
		show_held(c, tree, "answer.wait", o + 92)
		add(c, tree, "answer.ignore", o + 112, 8)
		add(c, tree, "answer.ignore", o + 120, 8)
		if family == 4 then
			add(c, tree, "answer.ipv4", o + 128, 4)
		elseif family == 6 then
			add(c, tree, "answer.ipv6", o + 128, 16)
		end
		add(c, tree, "answer.service", o + 144, 2)
		add(c, tree, "answer.family", o + 146, 2)
	end
	return fmt("%d: %s", no, answer_states[status] or fmt("status %d", status))
end }

-- Bytes of each write of a chunk WRITES.
local function write_size(c, o)
	return 8 + 8 * floor((u16(c.raw, o + 30) + 7) / 8)
end

local function writes_flaw(c, o, n)
	local flags, count, len = u16(c.raw, o + 16) % 128, u16(c.raw, o + 28), u16(c.raw, o + 30)

	if count < 1 or count > 64 or len < 1 or len > 200 or
	   n - 40 ~= count * write_size(c, o) then
		return "number or length of the writes"
	end
	-- one-sided, with or without "connected" and "DONE placed is wanted"
	if flags ~= 64 and flags ~= 68 and flags ~= 72 and flags ~= 76 then
		return "flags of WRITES"
	end
end

chunks[17] = { fixed = 40, tail = ANY, flaw = writes_flaw, show = function(c, tree, o)
	local count, len = u16(c.raw, o + 28), u16(c.raw, o + 30)
	local first, size = u32(c.raw, o + 12), write_size(c, o)
	local msgs

	show_flow(c, tree, o, "mseq")
	show_msg_flags(c, tree, o + 16)
	show_auth(c, tree, o + 18)
	add(c, tree, "rma.uid", o + 24, 4)
	add(c, tree, "writes.n", o + 28, 2)
	add(c, tree, "writes.len", o + 30, 2)
	add(c, tree, "rma.key", o + 32, 8)
	msgs = note(c, o, function()
		local flow = flow_of(c.way, c.raw, o)
		local msgs = {}

		for i = 0, count - 1 do
			local m = new_message(request(c))

			msgs[i] = m
			flow.msgs[(first + i) % 4294967296] = m
		end
		return msgs
	end)
	for i = 0, count - 1 do
		local at = o + 40 + i * size
		local t = add(c, tree, "writes.write", at, size)

		t:set_text(fmt("Write #%d to %s", (first + i) % 4294967296, hex64(c.raw, at)))
		add(c, t, "rma.addr", at, 8)
		bytes(c, t, "payload", at + 8, len)
		bytes(c, t, "padding", at + 8 + len, size - 8 - len)
		if msgs and msgs[i] then
			show_message(t, msgs[i])
			show_request(c, t, msgs[i])
		end
	end
	return fmt("%s #%d-%d, %d bytes each", flow_text(c, o), first,
		   (first + count - 1) % 4294967296, len)
end }

-- An acknowledgement: the first one of how many packets, and the newest of these
local function acknowledge(c, acks, r)
	if not r.af then
		r.af, r.at = c.frame, c.time
		acks = acks or { n = 0 }
		acks.n, acks.r, acks.once = acks.n + 1, r, r.last == r.first
	end
	return acks
end

local function link_sack(c, o, n, from)
	local acks

	if not c.way.back then
		return nil
	end
	for w = 0, floor(n / 4) - 1 do
		local word = u32(c.raw, o + 4 * w)

		for i = 0, 31 do
			local r = word % 2 == 1 and
				  lane_of(c.way.back, c.lane).by[(from + 32 * w + i) % 4294967296]

			if r then
				acks = acknowledge(c, acks, r)
			end
			word = floor(word / 2)
		end
	end
	return acks
end

local function link_ack(c)
	local acks

	if c.way.back then
		for_all_before(lane_of(c.way.back, c.lane), c.ack, function(r)
			acks = acknowledge(c, acks, r)
		end)
	end
	return acks
end

local function show_acks(c, tree, acks)
	if acks then
		show_frame(tree, "acks", acks.r.f)
		generated(tree:add(f["acks.n"], acks.n))
		-- (of a packet that was sent twice nobody knows which one is meant)
		if acks.once then
			show_time(tree, "rtt", acks.r.at - acks.r.t)
		end
	end
end

local function sack_flaw(c, o, n)
	if n == 0 or n % 4 ~= 0 or n > 128 then
		return "bitmap"
	end
end

chunks[0x81] = { fixed = 0, tail = ANY, flaw = sack_flaw, show = function(c, tree, o, n)
	local from = (c.ack + 1) % 4294967296
	local set, clear = show_bitmap(c, tree, o, n, from)

	show_acks(c, tree, note(c, o, function()
		-- one is enough: its length bounds the work
		if c.sacked then
			return nil
		end
		c.sacked = true
		return link_sack(c, o, n, from)
	end))
	return fmt("received %s, missing %d%s", set, c.ack, clear ~= "" and ", " .. clear or "")
end }

chunks[0x82] = { fixed = 56, tail = 0, show = function(c, tree, o)
	local m

	show_head(c, tree, o)
	add(c, tree, "off", o + 48, 4)
	reserved(c, tree, o + 52, 4)
	m = note(c, o, function()
		return msg_of(c, o)
	end)
	show_msg(c, tree, m)
	return head_text(c, o)
end }

-- ---- Packets ------------------------------------------------------------------------------------

-- Does a packet begin at "o"? Packets in a row may be one UDP datagram in the capture of a sender or
-- receiver, which the device cuts or has joined (GSO, GRO). They may be of several paths. No chunk
-- has a type that is the first byte of a packet.
local function next_begins(c, o)
	local raw = c.raw

	if o + HEADER > c.have then
		return false
	end
	local vt, _, lane, words = byte(raw, o + 1, o + 4)

	return floor(vt / 16) == VERSION and vt % 16 >= 1 and vt % 16 <= 6 and lane < 6 and
	       words * 4 >= HEADER and words * 4 <= c.len - o and u16(raw, o + 24) == 0
end

-- The chunk at "o". Return: where it ends, nil: the packet is invalid from there on.
local function show_chunk(c, o)
	local raw, kind, len, stop, chunk, name, tree, text

	if c.len - o < 4 then
		malformed(c, c.tree, "a chunk's head is cut off")
		return nil
	end
	if c.have - o < 4 then
		return nil
	end
	raw = c.raw
	kind, len = byte(raw, o + 1), u16(raw, o + 2)
	stop = o + 4 + len
	c.chunk = kind
	chunk = chunks[kind]
	name = chunk_names[kind]
	tree = c.tree:add(f["chunk." .. (name or "other"):lower()],
			  c.buf(o, math.min(c.have, stop) - o))
	tree:set_text(name or fmt("Chunk 0x%02x", kind))
	add(c, tree, "chunk.type", o, 1):append_text(name and fmt(" (%s)", name) or "")
	add(c, tree, "chunk.flags", o + 1, 1)
	add(c, tree, "chunk.len", o + 2, 2)
	if stop > c.len then
		malformed(c, tree, "the chunk is longer than its packet")
		return nil
	end
	if not chunk then
		if kind < 128 then
			tree:add_proto_expert_info(E.unknown_chunk)
			malformed(c, tree, fmt("chunk of unknown type 0x%02x", kind))
			return nil
		end
		tree:add_proto_expert_info(E.skipped_chunk)
	elseif len < chunk.fixed or len - chunk.fixed > chunk.tail then
		malformed(c, tree, fmt("length of %s", name))
		return nil
	end
	if stop > c.have then
		return nil
	end
	local flaw = chunk and chunk.flaw and chunk.flaw(c, o + 4, len)

	if flaw then
		malformed(c, tree, flaw)
		return nil
	end
	if chunk then
		text = chunk.show(c, tree, o + 4, len)
		tree:set_text(text == "" and name or name .. ": " .. text)
		c.info[#c.info + 1] = text == "" and name or name .. " " .. text
	else
		unknown(c, tree, o + 4, len)
		c.info[#c.info + 1] = fmt("chunk 0x%02x", kind)
	end
	-- zeros up to a multiple of 4, which the end of a packet lacks
	local pad = (4 - len % 4) % 4

	if pad > 0 and not next_begins(c, stop) then
		pad = math.min(pad, c.have - stop)
		bytes(c, tree, "padding", stop, pad)
		stop = stop + pad
	end
	return stop
end

-- All chunks from "o" on: none, if the packet only acknowledges. Return: the end of the packet.
local function show_chunks(c, o)
	while o < c.len and not next_begins(c, o) do
		local stop = show_chunk(c, o)

		if not stop then
			-- what nobody knows the meaning of: behind the head of the chunk
			if c.bad and c.have - o > 0 then
				unknown(c, c.tree, math.min(o + 4, c.have), c.have - math.min(o + 4, c.have))
			end
			return c.len
		end
		o = stop
	end
	return o
end

-- A packet with a PSN: was it sent before, and does it follow the newest one of its lane?
local function link_psn(c)
	local l = lane_of(c.way, c.lane)
	local r = l.by[c.psn]
	local p = { f = c.frame }

	if r then
		p.of, p.spurious = r.last.f, r.af
		r.last.again = c.frame
	else
		r = { f = c.frame, t = c.time, psn = c.psn, first = p,
		      place = c.frame * 262144 + c.base + c.begin }
		l.by[c.psn] = r
		l.tail = l.tail and l.tail + 1 or 1
		l.queue[l.tail] = r
		if not l.newest then
			l.newest = c.psn
		elseif before(l.newest, c.psn) then
			p.gap = (c.psn - l.newest - 1) % 4294967296
			l.newest = c.psn
		end
	end
	p.r = r
	r.last = p
	return p
end

local function show_psn(c, tree, p)
	local r = p.r

	if p.of then
		show_frame(tree, "again_of", p.of)
		tree:add_proto_expert_info(E.retransmission)
		c.marks = c.marks .. "[Retransmission] "
		if p.spurious then
			tree:add_proto_expert_info(E.spurious)
		end
	end
	show_frame(tree, "again_in", p.again)
	show_frame(tree, "acked_in", r.af)
	show_frame(tree, "retired_in", r.retired)
	if not r.af and not r.retired then
		if c.way.gone then
			show_frame(tree, "ended_in", c.way.gone)
		elseif c.later then
			tree:add_proto_expert_info(E.unacked)
		end
	end
	if p.gap and p.gap > 0 then
		generated(tree:add(f.gap, p.gap))
		tree:add_proto_expert_info(E.gap_before)
		c.marks = c.marks .. fmt("[%d missing] ", p.gap)
	end
end

-- The way of a packet, and its way back. It answers a BYE.
local function link_way(c)
	local w = way_of(c.key)
	local here, there = c.src .. ">" .. c.dst, c.dst .. ">" .. c.src

	if not w.back then
		local back = current[there]

		if back and not back.back and back ~= w then
			join(w, back)
		end
	end
	w.stream = w.stream or new_stream()
	current[here] = w
	if w.back and w.back.bye then
		answer(c, w.back.bye)
		w.back.bye = nil
	end
	return w
end

local function show_stream(c, tree, w)
	if w and w.stream then
		generated(tree:add(f.stream, w.stream))
	end
end

local function show_chunk_packet(c)
	local raw, o, tree = c.raw, c.begin, c.tree
	local flags = byte(raw, o + 2)
	local psn = bit(flags, 2)
	local sum

	c.lane, c.ack = byte(raw, o + 3), u32(raw, o + 20)
	c.psn = psn and u32(raw, o + 16) or nil
	if psn then
		add(c, tree, "psn", o + 16, 4)
	elseif bit(flags, 4) then
		add(c, tree, "dup_psn", o + 16, 4)
		tree:add_proto_expert_info(E.dup)
	else
		reserved(c, tree, o + 16, 4)
	end
	add(c, tree, "ack", o + 20, 4)
	reserved(c, tree, o + 24, 2)
	add(c, tree, "window", o + 26, 2)
	add(c, tree, "ack_delay", o + 28, 4)
	local n = note(c, o, function()
		local n = { way = link_way(c) }

		c.way = n.way
		if psn then
			n.psn = link_psn(c)
		elseif bit(flags, 4) and c.way.back then
			n.dup = lane_of(c.way.back, c.lane).by[u32(raw, o + 16)]
		end
		n.acks = link_ack(c)
		return n
	end)
	if n then
		c.way = n.way
		show_stream(c, tree, n.way)
		if n.psn then
			show_psn(c, tree, n.psn)
			c.old = n.psn.of and n.psn.r
		end
		show_frame(tree, "dup_of", n.dup and n.dup.f)
		show_acks(c, tree, n.acks)
	end
	sum = fmt("%s/%d%s ack %d", lanes[c.lane] or "?", c.lane, psn and fmt(" psn %d", c.psn) or "",
		  c.ack)
	if bit(flags, 4) then
		sum = fmt("%s dup %d", sum, u32(raw, o + 16))
	end
	tree:append_text(", " .. sum)
	o = show_chunks(c, o + c.hlen)
	if #c.info > 8 then
		c.info[9] = fmt("and %d more", #c.info - 8)
	end
	return o, c.marks .. sum .. (c.info[1] and ": " or "") .. table.concat(c.info, " | ", 1,
		math.min(#c.info, 9))
end

-- The tokens of packets follow from the offers of both sides.
local function token_of(to, from)
	return to:bxor(from:rol(32))
end

local function link_hello(c, op, o)
	local raw = c.raw
	local nonce = sub(raw, o + 41, o + 48)
	local cookie = sub(raw, o + 49, o + 56)
	local h = hellos[nonce]
	local n = { f = c.frame, t = c.time }

	if not h then
		h = { asks = {}, stream = new_stream() }
		hellos[nonce] = h
	end
	n.h = h
	if op == 1 then
		-- the same INIT again?
		local ask = h.asks[cookie]

		if ask then
			n.of, ask.last.again = ask.last.f, c.frame
		end
		n.ask = ask or request(c)
		n.ask.last = n
		h.asks[cookie] = n.ask
		if cookie == ("\0"):rep(8) then
			h.plain = n.ask
		else
			h.full = n.ask
		end
	elseif op == 2 then
		n.to = answer(c, h.plain)
	else
		local ours = c.buf(o - c.hlen + 8, 8):uint64()
		local theirs = c.buf(o + 24, 8):uint64()

		n.to = answer(c, h.full)
		-- packets to the initiator, and to the responder
		n.a, n.b = token_of(ours, theirs), token_of(theirs, ours)

		local a = way_of(sub(c.key, 1, 4) .. n.a:encode(false))
		local b = way_of(sub(raw, o + 17, o + 20) .. n.b:encode(false))

		if not a.back and not b.back then
			a.stream = a.stream or h.stream
			join(a, b)
		end
	end
	return n
end

local function show_hello(c)
	local raw, o, tree = c.raw, c.begin + c.hlen, c.tree
	local op, caps, n, text

	if c.len - o < 56 then
		malformed(c, tree, "HELLO is too short")
		return c.len, "too short"
	end
	if c.have - o < 56 then
		return c.len, "cut"
	end
	op = byte(raw, o + 1)
	add(c, tree, "window", c.begin + 26, 2)
	add(c, tree, "hello.op", o, 1)
	reserved(c, tree, o + 1, 3)
	caps = add(c, tree, "hello.caps", o + 4, 4)
	add(c, caps, "hello.caps.rma", o + 4, 4)
	add(c, caps, "hello.caps.writes", o + 4, 4)
	add(c, caps, "hello.caps.echo", o + 4, 4)
	add(c, caps, "hello.caps.question", o + 4, 4)
	add(c, tree, "hello.incarnation", o + 8, 8)
	add(c, tree, "hello.path", o + 16, 4)
	add(c, tree, "hello.max_payload", o + 20, 4)
	add(c, tree, "hello.offer", o + 24, 8)
	add(c, tree, "hello.ack_delay", o + 32, 4)
	reserved(c, tree, o + 36, 4)
	add(c, tree, "hello.nonce", o + 40, 8)
	add(c, tree, "hello.cookie", o + 48, 8)
	if not hello_ops[op] then
		malformed(c, tree, "operation of HELLO")
		return c.len, fmt("operation %d", op)
	end
	if op ~= 2 and (u32(raw, o + 20) < 1232 or u32(raw, o + 16) == 0) then
		tree:add_proto_expert_info(E.invalid, "path id 0, or largest payload below 1232")
	end
	text = fmt("%s nonce %s", hello_ops[op], hex64(raw, o + 40))
	if op == 1 and u64(raw, o + 48) ~= 0 then
		text = text .. ", with cookie"
	end
	n = note(c, c.begin, function() return link_hello(c, op, o) end)
	if n then
		generated(tree:add(f.stream, n.h.stream))
		show_frame(tree, "again_of", n.of)
		show_frame(tree, "again_in", n.again)
		if n.of then
			c.marks = "[again] "
		end
		show_answer(c, tree, n.to)
		show_request(c, tree, n.ask)
		if n.a then
			generated(tree:add(f["hello.initiator_token"], n.a))
			generated(tree:add(f["hello.responder_token"], n.b))
		end
	end
	return o + 56, c.marks .. text
end

-- A header alone. The id and token of GONE are those of packets to its sender.
local function show_header(c)
	local gone = c.kind == 3
	local n

	n = note(c, c.begin, function()
		local n = {}

		n.way = gone and ways[c.key] or not gone and link_way(c) or nil
		if gone and n.way then
			n.to, n.way.bye = answer(c, n.way.bye), nil
			n.way.gone = n.way.gone or c.frame
			if n.way.back then
				n.way.back.gone = n.way.gone
			end
		elseif not gone then
			c.way = n.way
			n.ask = n.way.bye or request(c)
			n.way.bye = n.ask
		end
		return n
	end)
	if n then
		show_stream(c, c.tree, n.way)
		show_answer(c, c.tree, n.to)
		show_request(c, c.tree, n.ask)
	end
	if gone and not (n and n.to) then
		c.tree:add_proto_expert_info(E.gone)
	end
	return c.begin + c.hlen, fmt("path 0x%x", u32(c.raw, c.begin + 4)) ..
	       (bit(byte(c.raw, c.begin + 2), 8) and ", soon" or "")
end

local function show_dgram(c)
	local raw, o, tree = c.raw, c.begin + c.hlen, c.tree
	local len, n

	tree:add(f.auth, c.buf(c.begin + 16, 8))
	if c.len - o < 16 then
		malformed(c, tree, "the datagram is too short")
		return c.len, "too short"
	end
	if c.have - o < 16 then
		return c.len, "cut"
	end
	len = u16(raw, o + 6)
	show_ends(c, tree, o)
	show_msg_flags(c, tree, o + 4)
	add(c, tree, "len", o + 6, 2)
	add(c, tree, "data", o + 8, 8)
	if len > c.len - o - 16 then
		malformed(c, tree, "the payload is longer than the packet")
		len = c.len - o - 16
	end
	bytes(c, tree, "payload", o + 16, math.min(len, c.have - o - 16))
	if c.kind == 4 then
		n = note(c, c.begin, function() return link_way(c) end)
		show_stream(c, tree, n)
	end
	return o + 16 + len, fmt("%s len %d", flow_text(c, o), u16(raw, o + 6))
end

local function show_version(c)
	local raw, o, tree = c.raw, c.begin, c.tree
	local n

	add(c, tree, "version.oldest", o + 1, 1)
	add(c, tree, "version.newest", o + 2, 1)
	reserved(c, tree, o + 3, 5)
	add(c, tree, "token", o + 8, 8)
	reserved(c, tree, o + 16, 16)
	unknown(c, tree, o + 32, c.have - o - 32)
	tree:add_proto_expert_info(E.bad_version, fmt("The sender speaks versions %d to %d",
						      byte(raw, o + 2), byte(raw, o + 3)))
	n = note(c, o, function() return tokens[sub(raw, o + 9, o + 16)] end)
	show_answer(c, tree, n)
	return c.len, fmt("versions %d to %d", byte(raw, o + 2), byte(raw, o + 3))
end

-- The packet at "c.begin". Return: its end; a text.
local function show_packet(c)
	local raw, o = c.raw, c.begin
	local tree = c.tree
	local left, have = c.len - o, c.have - o
	local vt, version, flags, stop, text, t

	if left < HEADER then
		malformed(c, tree, "shorter than a header")
		unknown(c, tree, o, have)
		return c.len, "too short"
	end
	if have < HEADER then
		return c.len, "cut"
	end
	vt = byte(raw, o + 1)
	version, c.kind = floor(vt / 16), vt % 16
	c.name = packet_types[c.kind] or fmt("type %d", c.kind)
	tree:append_text(", " .. c.name)
	add(c, tree, "version", o, 1)
	add(c, tree, "type", o, 1)
	if c.kind == 15 and version >= 3 then
		return show_version(c)
	end
	-- (VERSION of a peer repeats these bytes of any version)
	c.key = sub(raw, o + 5, o + 16)
	if not c.later and c.links then
		tokens[sub(raw, o + 9, o + 16)] = { f = c.frame, t = c.time }
	end
	if version ~= VERSION then
		tree:add_proto_expert_info(E.bad_version, fmt("Version %d", version))
		unknown(c, tree, o + 1, have - 1)
		return c.len, fmt("version %d", version)
	end
	flags = add(c, tree, "flags", o + 1, 1)
	for _, key in ipairs({ "acknow", "psn", "dup", "soon" }) do
		add(c, flags, "flags." .. key, o + 1, 1)
	end
	if c.kind == 2 then
		t = add(c, tree, "lane", o + 2, 1)
		generated(tree:add(f.class, c.buf(o + 2, 1), floor(byte(raw, o + 3) / 2)))
		if byte(raw, o + 3) > 5 then
			t:add_proto_expert_info(E.invalid, "there is no such lane")
		end
	else
		reserved(c, tree, o + 2, 1)
	end
	t = add(c, tree, "words", o + 3, 1)
	add(c, tree, "path", o + 4, 4)
	add(c, tree, "token", o + 8, 8)
	c.hlen = byte(raw, o + 4) * 4
	if c.hlen < HEADER or c.hlen > left then
		malformed(c, t, "length of the header")
	elseif u16(raw, o + 24) ~= 0 then
		malformed(c, tree, "bytes 24 and 25 are not 0")
	elseif c.kind < 1 or c.kind > 6 then
		malformed(c, tree, "unknown type of packet")
	end
	if c.bad then
		unknown(c, tree, o + 16, have - 16)
		return c.len, "invalid"
	end
	unknown(c, tree, o + HEADER, math.min(c.hlen, have) - HEADER)
	if c.kind == 2 then
		return show_chunk_packet(c)
	end
	if c.kind ~= 4 and c.kind ~= 5 then
		reserved(c, tree, o + 16, 8)
	end
	reserved(c, tree, o + 24, 2)
	if c.kind ~= 1 then
		reserved(c, tree, o + 26, 2)
	end
	reserved(c, tree, o + 28, 4)
	if c.kind == 1 then
		stop, text = show_hello(c)
	elseif c.kind == 3 or c.kind == 6 then
		stop, text = show_header(c)
	else
		stop, text = show_dgram(c)
	end
	if stop < c.have and not next_begins(c, stop) then
		unknown(c, tree, stop, c.have - stop)
		stop = c.len
	end
	return stop, text
end

function weft.dissector(buf, pinfo, tree)
	local len, have = buf:reported_len(), buf:len()
	local packets, texts, begin = 0, {}, 0

	if have == 0 then
		return 0
	end
	local c = {
		buf = buf, raw = buf:raw(0, have), len = len, have = have, base = buf:offset(),
		frame = pinfo.number, time = pinfo.rel_ts, later = pinfo.visited,
		links = weft.prefs.link and not icmp() and not icmpv6(),
		src = tostring(pinfo.src), dst = tostring(pinfo.dst),
	}

	pinfo.cols.protocol:set("weft")
	while begin < have do
		local stop, text

		c.begin, c.info, c.marks = begin, {}, ""
		c.bad, c.old, c.way, c.sacked, c.key, c.kind, c.psn, c.chunk = nil
		c.tree = tree:add(weft, buf(begin, have - begin), "weft")
		stop, text = show_packet(c)
		c.tree:set_len(math.min(stop, have) - begin)
		packets = packets + 1
		if packets <= 3 then
			texts[packets] = fmt("%s%s%s", c.bad and "[Malformed] " or "", c.name and
					     c.name .. " " or "", text)
		end
		begin = stop
	end
	if have < len then
		generated(tree:add(f.cut, len - have))
	end
	if packets > 3 then
		texts[4] = fmt("%d packets in all", packets)
	end
	pinfo.cols.info:set(table.concat(texts, " || "))
	return have
end

-- ---- UDP ports ---------------------------------------------------------------------------------

local udp_ports = DissectorTable.get("udp.port")
local ports = "9471"

udp_ports:add(ports, weft)

function weft.prefs_changed()
	if weft.prefs.ports == ports then
		return
	end
	if ports ~= "" then
		udp_ports:remove(ports, weft)
	end
	ports = weft.prefs.ports
	if ports ~= "" then
		udp_ports:add(ports, weft)
	end
end
