/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft core - format of packets
 *
 * The structures weft_w_* describe bytes in a packet: packed, network byte order, at any alignment.
 * Structures that are read often have a counterpart in host order, with functions to decode and
 * encode it. Locks: none; all functions use memory of the caller.
 *
 * A packet is trusted only after weft_wire_hdr_get() and, if it carries chunks, weft_wire_check().
 * Then each chunk from weft_wire_next() has a known type and a body of the right length for its
 * structure. Its payload lies inside the packet and inside its message.
 *
 * The bytes of a packet may change at any time: a device can write to its buffers. So
 * weft_wire_next() checks each chunk again, and its result may differ from an earlier one. The body
 * of a chunk is not copied: the code that uses a field checks its own copy of it.
 */
#ifndef WEFT_WIRE_H
#define WEFT_WIRE_H

#include "core/base/env.h"
#include <linux/weft_rma.h>

#define WEFT_WIRE_VERSION	4
#define WEFT_WIRE_PORT		9471
#define WEFT_WIRE_HDR		32	/* bytes of the header */
#define WEFT_WIRE_CHUNK		4	/* bytes of a chunk's head */

/* Types of packets */
#define WEFT_PKT_HELLO		1
#define WEFT_PKT_DATA		2
#define WEFT_PKT_GONE		3	/* header alone; id and token of the answered packet */
#define WEFT_PKT_DGRAM		4	/* lane, PSN and acknowledgement are not used */
#define WEFT_PKT_GROUP		5	/* a DGRAM to a multicast group: path id and token are 0 */
#define WEFT_PKT_BYE		6	/* header alone: the path is unused */

#define WEFT_PKT_VERSION	15	/* struct weft_w_version, the same in all versions */

/* Flags of packets; unknown ones are ignored */
#define WEFT_PKT_ACKNOW		1	/* acknowledge now */
#define WEFT_PKT_PSN		2	/* @psn is valid: the packet has to be acknowledged */
#define WEFT_PKT_DUP		4	/* no PSN: packet @psn had been received before */
#define WEFT_PKT_SOON		8	/* BYE: the node needs the path for another node */

/* Types of chunks */
#define WEFT_CHUNK_EAGER	1
#define WEFT_CHUNK_RTS	2
#define WEFT_CHUNK_GRANT	3
#define WEFT_CHUNK_DATA		4
#define WEFT_CHUNK_DONE		5
#define WEFT_CHUNK_ABORT	6
#define WEFT_CHUNK_CM		7
#define WEFT_CHUNK_PING		8
#define WEFT_CHUNK_EPGONE	9
#define WEFT_CHUNK_CREDIT	10
#define WEFT_CHUNK_OPEN		11
#define WEFT_CHUNK_MTU		12
#define WEFT_CHUNK_RETIRE	13
#define WEFT_CHUNK_RETIRED	14
#define WEFT_CHUNK_PROBE	15
#define WEFT_CHUNK_PROBED	16
#define WEFT_CHUNK_WRITES	17	/* several short writes of a flow */
#define WEFT_CHUNK_ECHO		18
#define WEFT_CHUNK_ECHOED	19
#define WEFT_CHUNK_QUESTION	20
#define WEFT_CHUNK_ANSWER	21
#define WEFT_CHUNK_SKIP		0x80	/* a receiver skips unknown types with this bit */
#define WEFT_CHUNK_SACK		0x81
#define WEFT_CHUNK_HEAD		0x82	/* struct weft_w_eager: a head before its EAGER */

/* Flags of messages */
#define WEFT_MSG_TAGGED		1
#define WEFT_MSG_DATA		2	/* remote CQ data are valid */
#define WEFT_MSG_CONNECTED	4	/* between connected endpoints */
#define WEFT_MSG_PLACED		8	/* DONE(placed) is requested */
#define WEFT_MSG_MATCHED	16	/* DONE(matched) is requested */
#define WEFT_MSG_SOLICITED	32	/* the receiver has to be woken */
#define WEFT_MSG_RMA		64	/* one-sided operation: a request is in front */
#define WEFT_MSG_FLAGS		127	/* the known ones */
#define WEFT_MSG_GROUP		BIT(15)	/* came to a group; not on the wire */

/* Authentication codes of jobs: 0 for the default job; job.c makes the others */
#define WEFT_AUTH_BITS		48
#define WEFT_AUTH_MASK		((1ull << WEFT_AUTH_BITS) - 1)
#define WEFT_AUTH_FLOW		1	/* in EAGER and RTS */
#define WEFT_AUTH_CM		2	/* in REQ and REP */
#define WEFT_AUTH_DGRAM		3
#define WEFT_AUTH_GROUP		4
#define WEFT_AUTH_QUESTION	5

/* Kinds of DONE */
#define WEFT_DONE_PLACED	1
#define WEFT_DONE_MATCHED	2
#define WEFT_REPORT_MOST	64	/* operations that one DONE(executed) reports */
#define WEFT_DONE_EXECUTED	3	/* of operations in a row; @sid: others before this one */

/* Operations of connection management */
#define WEFT_CM_REQ		1
#define WEFT_CM_REP		2
#define WEFT_CM_REJ		3
#define WEFT_CM_RTU		4
#define WEFT_CM_FIN		5
#define WEFT_CM_FINACK		6

/* Operations of the handshake */
#define WEFT_HELLO_INIT		1
#define WEFT_HELLO_COOKIE	2
#define WEFT_HELLO_ACK		3

/* Capabilities in a handshake */
/* takes messages with WEFT_MSG_RMA, and DONE executed; 1 was for nodes without the latter */
#define WEFT_HELLO_RMA		2
#define WEFT_HELLO_WRITES	4	/* takes WRITES */
#define WEFT_HELLO_ECHO		8	/* answers ECHO */
#define WEFT_HELLO_QUESTION	16	/* answers QUESTION, maybe with WEFT_ANSWER_OFF */

/* One-sided operations */
#define WEFT_RMA_WRITE		1
#define WEFT_RMA_READ		2
#define WEFT_RMA_ATOMIC		3	/* no results; WEFT_RMA_ATOMIC + WEFT_ATOMIC_* */
#define WEFT_RMA_FETCH		4
#define WEFT_RMA_COMPARE	5

#define WEFT_SACK_BITS		1024	/* most bits of a SACK */
#define WEFT_RETIRED_BITS	2048	/* most bits of a RETIRED */

/**
 * struct weft_w_hdr - header of every packet
 * @vt: version in the high nibble, type in the low one
 * @flags: WEFT_PKT_*
 * @lane: lane
 * @words: length of the header in 32-bit words
 * @path: path id, chosen by the receiver
 * @token: token, see weft_hello_token()
 * @psn: packet sequence number; DGRAM, GROUP: authentication code of the sender's job, with @ack
 * @ack: every PSN before this one has been received
 * @job: 0: a packet may hold messages of several jobs, each with its authentication code
 * @window: eager window, absolute, KiB
 * @ack_delay: microseconds since the newest packet that advanced @ack
 */
struct weft_w_hdr {
	u8 vt;
	u8 flags;
	u8 lane;
	u8 words;
	__be32 path;
	__be64 token;
	__be32 psn;
	__be32 ack;
	__be16 job;
	__be16 window;
	__be32 ack_delay;
} __packed;

/**
 * struct weft_w_version - VERSION: a whole packet, the answer to a packet of another version
 * @vt: as in struct weft_w_hdr: version of its sender, WEFT_PKT_VERSION
 * @oldest: oldest version that its sender speaks
 * @newest: newest one
 * @rsvd: 0
 * @rsvd2: 0
 * @token: that of the answered packet's header
 * @rsvd3: 0
 *
 * Every version from 3 on has this packet, and in the header of its other packets @vt and @token at
 * these places.
 */
struct weft_w_version {
	u8 vt;
	u8 oldest;
	u8 newest;
	u8 rsvd;
	__be32 rsvd2;
	__be64 token;
	u8 rsvd3[16];
} __packed;

/**
 * struct weft_w_hello - bytes behind the header of a HELLO; a longer HELLO is accepted, its rest
 * ignored
 * @op: WEFT_HELLO_*
 * @rsvd: 0
 * @rsvd2: 0
 * @caps: capabilities of the sender, WEFT_HELLO_*; unknown ones are ignored
 * @incarnation: incarnation of the sender; INIT, ACK
 * @path: path id that the sender has chosen for packets to itself; INIT, ACK
 * @max_payload: bytes of UDP payload of the largest packet that the sender accepts; INIT, ACK
 * @offer: random number, from which and from that of the other side the tokens follow; INIT, ACK
 * @ack_delay: longest time in microseconds that the sender holds acknowledgements back; INIT, ACK
 * @rsvd3: 0
 * @nonce: INIT: random, new for each path; COOKIE, ACK: that of the INIT
 * @cookie: COOKIE: to be repeated by INIT; INIT: 0 or that of a COOKIE; ACK: 0
 *
 * The header of COOKIE and ACK has the path id and, as token, the offer of the INIT. That of INIT
 * has path id 0 and, as token, the nonce: VERSION repeats it. All three have the same length, so
 * that an answer is never longer than the packet that caused it.
 */
struct weft_w_hello {
	u8 op;
	u8 rsvd;
	__be16 rsvd2;
	__be32 caps;
	__be64 incarnation;
	__be32 path;
	__be32 max_payload;
	__be64 offer;
	__be32 ack_delay;
	__be32 rsvd3;
	__be64 nonce;
	__be64 cookie;
} __packed;

/**
 * struct weft_w_dgram - bytes behind the header of a DGRAM; the payload follows
 * @ssvc: service of the sender
 * @dsvc: service of the receiver
 * @flags: WEFT_MSG_DATA, WEFT_MSG_SOLICITED; unknown ones are ignored
 * @len: bytes of payload; further bytes of the packet are ignored
 * @data: remote CQ data
 */
struct weft_w_dgram {
	__be16 ssvc;
	__be16 dsvc;
	__be16 flags;
	__be16 len;
	__be64 data;
} __packed;

/**
 * struct weft_w_chunk - head of a chunk
 * @type: WEFT_CHUNK_*
 * @flags: 0; unknown ones are ignored
 * @len: bytes that follow, without the padding to a multiple of 4 (which the last chunk may lack)
 */
struct weft_w_chunk {
	u8 type;
	u8 flags;
	__be16 len;
} __packed;

/**
 * struct weft_w_flow - pair of endpoints, and a message's number in it
 * @ssvc: service of the message's sender
 * @dsvc: service of its receiver
 * @sgen: generation of the sender's endpoint
 * @dgen: generation of the receiver's endpoint, 0: not known yet
 * @mseq: number of the message, from 1
 */
struct weft_w_flow {
	__be16 ssvc;
	__be16 dsvc;
	__be32 sgen;
	__be32 dgen;
	__be32 mseq;
} __packed;

/**
 * struct weft_w_head - head of a message
 * @flow: its flow and number
 * @tag: tag
 * @data: remote CQ data
 * @len: bytes of the whole message
 * @mark: WEFT_MSG_* in the upper 16 bits, authentication code of the sender's job in the other bits
 */
struct weft_w_head {
	struct weft_w_flow flow;
	__be64 tag;
	__be64 data;
	__be64 len;
	__be64 mark;
} __packed;

/**
 * struct weft_w_eager - EAGER; payload follows
 * @head: head of the message
 * @off: offset of the payload in the message
 * @rsvd: 0
 */
struct weft_w_eager {
	struct weft_w_head head;
	__be32 off;
	__be32 rsvd;
} __packed;

/**
 * struct weft_w_rts - RTS
 * @head: head of the message
 * @sid: sender's rendezvous id
 * @rsvd: 0
 */
struct weft_w_rts {
	struct weft_w_head head;
	__be32 sid;
	__be32 rsvd;
} __packed;

/**
 * struct weft_w_grant - GRANT
 * @sid: sender's rendezvous id
 * @rid: receiver's rendezvous id
 * @upto: offset up to which the sender may send; 0: the message is not wanted
 */
struct weft_w_grant {
	__be32 sid;
	__be32 rid;
	__be64 upto;
} __packed;

/**
 * struct weft_w_data - DATA; payload follows
 * @rid: receiver's rendezvous id
 * @rsvd: 0
 * @off: offset of the payload in the message
 */
struct weft_w_data {
	__be32 rid;
	__be32 rsvd;
	__be64 off;
} __packed;

/**
 * struct weft_w_done - DONE
 * @flow: flow and number of the message
 * @sid: sender's rendezvous id, 0: eager; EXECUTED: number of messages before this one that have
 *	been executed, too
 * @status: errno
 * @kind: WEFT_DONE_*
 */
struct weft_w_done {
	struct weft_w_flow flow;
	__be32 sid;
	__be16 status;
	__be16 kind;
} __packed;

/**
 * struct weft_w_abort - ABORT
 * @flow: flow and number of the message
 * @sid: sender's rendezvous id
 * @status: errno
 * @rsvd: 0
 */
struct weft_w_abort {
	struct weft_w_flow flow;
	__be32 sid;
	__be16 status;
	__be16 rsvd;
} __packed;

/**
 * struct weft_w_cm - CM; private data follow, at most WEFT_CM_DATA_MAX bytes
 * @flow: services and generations; @flow.mseq is 0
 * @op: WEFT_CM_*
 * @rsvd: 0
 * @status: errno; REQ, REP: upper 16 bits of the authentication code of the sender's job
 * @req: requester's connection id
 * @rsp: responder's connection id
 * @last: FIN: number of the last message of this side; REQ, REP: lower 32 bits of the
 *	authentication code
 */
struct weft_w_cm {
	struct weft_w_flow flow;
	u8 op;
	u8 rsvd;
	__be16 status;
	__be32 req;
	__be32 rsp;
	__be32 last;
} __packed;

/**
 * struct weft_w_ping - PING
 * @rsvd: 0
 */
struct weft_w_ping {
	__be32 rsvd;
} __packed;

/**
 * struct weft_w_epgone - EPGONE
 * @flow: this message and all later ones of the flow are lost
 * @rsvd: 0
 */
struct weft_w_epgone {
	struct weft_w_flow flow;
	__be32 rsvd;
} __packed;

/**
 * struct weft_w_credit - CREDIT
 * @flow: flow, and number of the last message that its sender may begin
 * @bytes: bytes of eager payload that it may send since the flow began, modulo 2^32
 */
struct weft_w_credit {
	struct weft_w_flow flow;
	__be32 bytes;
} __packed;

/**
 * struct weft_w_open - OPEN
 * @flow: the flow; @flow.mseq is 0
 * @mark: authentication code of the sender's job; the upper 16 bits are 0
 */
struct weft_w_open {
	struct weft_w_flow flow;
	__be64 mark;
} __packed;

/**
 * struct weft_w_mtu - MTU
 * @size: bytes of UDP payload of the largest packet that the sender takes now
 * @no: number of this announcement, from 1 (HELLO: 0); the highest one applies
 */
struct weft_w_mtu {
	__be32 size;
	__be32 no;
} __packed;

/**
 * struct weft_w_retire - RETIRE
 * @psn: every PSN of the packet's lane before this one is given up
 */
struct weft_w_retire {
	__be32 psn;
} __packed;

#define WEFT_RETIRED_PARTS	2	/* packets taken in part that RETIRED reports */

/**
 * struct weft_w_retired - RETIRED, the answer to RETIRE; a bitmap follows
 * @lane: lane of the RETIRE
 * @rsvd: 0
 * @rsvd2: 0
 * @psn: that of the RETIRE
 * @from: every PSN before this one had been received; bit i of the bitmap, counted as in SACK:
 *	@from + i had been received
 * @part: packets that had been taken in part
 * @part.psn: PSN
 * @part.done: number of chunks that were taken, 0: no such packet
 */
struct weft_w_retired {
	u8 lane;
	u8 rsvd;
	__be16 rsvd2;
	__be32 psn;
	__be32 from;
	struct {
		__be32 psn;
		__be32 done;
	} part[WEFT_RETIRED_PARTS];
} __packed;

/**
 * struct weft_w_probe - PROBE; zeros follow, so that the packet has the size that is probed
 * @rsvd: 0
 */
struct weft_w_probe {
	__be32 rsvd;
} __packed;

/**
 * struct weft_w_probed - PROBED, the answer to PROBE
 * @size: bytes of the packet with the PROBE, from the weft header on
 */
struct weft_w_probed {
	__be32 size;
} __packed;

#define WEFT_ECHO_ASK		U32_MAX	/* @seq: a packet that only asks what has come */

/**
 * struct weft_w_echo - ECHO; zeros may follow
 * @no: number of the probe, from 1; a later probe of the path has a higher one
 * @seq: number of the packet, from 0, or WEFT_ECHO_ASK
 * @stamp: the answer repeats it
 * @rsvd: 0; so that the answer is not longer
 */
struct weft_w_echo {
	__be32 no;
	__be32 seq;
	__be64 stamp;
	__be64 rsvd;
} __packed;

/**
 * struct weft_w_echoed - ECHOED, the answer to ECHO
 * @no: number of the probe
 * @seq: number of the answered packet
 * @stamp: that of the answered packet
 * @came: packets of this probe that have come so far, without those that ask
 * @answered: those of them that were answered
 */
struct weft_w_echoed {
	__be32 no;
	__be32 seq;
	__be64 stamp;
	__be32 came;
	__be32 answered;
} __packed;

/**
 * struct weft_w_question - QUESTION: what does an endpoint wait for? Zeros follow, so that the
 * answer is not longer
 * @no: number of the question
 * @ssvc: service of the asking endpoint
 * @dsvc: service of the endpoint that is asked about
 * @auth: authentication code of the asking endpoint's job, WEFT_AUTH_QUESTION
 */
struct weft_w_question {
	__be32 no;
	__be16 ssvc;
	__be16 dsvc;
	__be64 auth;
} __packed;

/* What an answer says */
#define WEFT_ANSWER_OK		0
#define WEFT_ANSWER_OFF		1	/* the node answers no questions */
#define WEFT_ANSWER_NONE	2	/* it has no such endpoint in the job of the asking one */

/* Flags of struct weft_w_held */
#define WEFT_HELD_TAGGED	1	/* the oldest one is tagged */
#define WEFT_HELD_NAMED		2	/* the oldest receive names its sender */
#define WEFT_HELD_LEAST		4	/* the oldest receive may be older */

/**
 * struct weft_w_held - objects of one kind, in an answer
 * @n: their number
 * @ms: milliseconds for which the oldest one has waited; the other fields are of this one
 * @tag: its tag
 * @flags: WEFT_HELD_*
 * @waits: a send: WEFT_FOR_*
 * @rsvd: 0
 */
struct weft_w_held {
	__be32 n;
	__be32 ms;
	__be64 tag;
	u8 flags;
	u8 waits;
	__be16 rsvd;
} __packed;

/**
 * struct weft_w_answer - ANSWER, the answer to QUESTION
 * @no: number of the question
 * @status: WEFT_ANSWER_*; unless it is OK, the fields behind are 0
 * @program: letter of the program's state, as in proc(5), 0: not known
 * @rsvd: 0
 * @pid: process
 * @comm: its command name, with a 0 at the end
 * @full: completions that wait for space in its completion queues
 * @recv: posted receives that take messages of the asking endpoint
 * @msg: messages of the asking endpoint that no receive has taken
 * @send: sends under way to the asking endpoint
 * @wait: all posted receives
 * @recv_ignore: bits of the tag that the oldest receive of @recv does not compare
 * @wait_ignore: the same of @wait
 * @peer: address that the oldest of @wait names
 * @port: its service
 * @family: 4, 6; 0: it names none
 */
struct weft_w_answer {
	__be32 no;
	u8 status;
	u8 program;
	__be16 rsvd;
	__be32 pid;
	u8 comm[16];
	__be32 full;
	struct weft_w_held recv;
	struct weft_w_held msg;
	struct weft_w_held send;
	struct weft_w_held wait;
	__be64 recv_ignore;
	__be64 wait_ignore;
	u8 peer[16];
	__be16 port;
	__be16 family;
} __packed;

/**
 * struct weft_held - objects of one kind, in an answer; see struct weft_w_held
 * @n: their number; where many are, they are counted up to a bound
 * @ms: milliseconds for which the oldest one has waited; the other fields are of this one
 * @tag: its tag
 * @ignore: a receive: bits of the tag that are not compared
 * @tagged: it is tagged
 * @named: a receive: it names its sender
 * @least: a receive: it may be older than @ms
 * @waits: a send: WEFT_FOR_*; of a peer, any number
 */
struct weft_held {
	u32 n;
	u32 ms;
	u64 tag;
	u64 ignore;
	bool tagged;
	bool named;
	bool least;
	u8 waits;
};

/**
 * struct weft_answer - what a program does and waits for; see struct weft_w_answer
 * @status: WEFT_ANSWER_*; of a peer, any number
 * @program: letter of the program's state, 0: not known
 * @pid: process
 * @comm: its command name: a string of printable characters
 * @full: completions that wait for space in its completion queues
 * @recv: posted receives that take messages of the asking endpoint
 * @msg: messages of the asking endpoint that no receive has taken
 * @send: sends under way to the asking endpoint
 * @wait: all posted receives
 * @peer: endpoint that the oldest of these names, family 0: none
 */
struct weft_answer {
	u8 status;
	char program;
	u32 pid;
	char comm[16];
	u32 full;
	struct weft_held recv;
	struct weft_held msg;
	struct weft_held send;
	struct weft_held wait;
	struct weft_sockaddr peer;
};

/**
 * struct weft_w_rma - request, the begin of the payload of a message with WEFT_MSG_RMA; @nseg
 * segments follow, then the bytes of a short write, or operands and compare operands
 * @op: WEFT_RMA_*
 * @nseg: number of remote segments, 1 to WEFT_IOV_MAX; 0 only if @len is 0
 * @aop: atomic operations: WEFT_AOP_*; else 0
 * @atype: atomic operations: WEFT_ATYPE_*; else 0
 * @uid: the initiator's user, in the initial user namespace
 * @id: rendezvous id of the bytes; WRITE: of the initiator, 0: they follow; READ, FETCH, COMPARE:
 *	see WEFT_RMA_ID; ATOMIC: 0
 * @sid: atomic operations: rendezvous id of the operands, 0: they follow; else 0
 * @len: bytes of the operation; atomic operations: of their elements
 * @granted: READ, FETCH, COMPARE: bytes that the target may send at once
 */
struct weft_w_rma {
	u8 op;
	u8 nseg;
	u8 aop;
	u8 atype;
	__be32 uid;
	__be32 id;
	__be32 sid;
	__be64 len;
	__be64 granted;
} __packed;

/**
 * struct weft_w_rseg - a remote segment of a request
 * @key: key of its region
 * @addr: address in the region
 * @len: bytes; those of all segments add up to the length of the operation
 */
struct weft_w_rseg {
	__be64 key;
	__be64 addr;
	__be64 len;
} __packed;

/**
 * struct weft_w_writes - WRITES: messages in a row, each the request of a write with one segment,
 * and its bytes; @n structures weft_w_write follow
 * @flow: flow, and number of the first message
 * @mark: of each message, as in struct weft_w_head: WEFT_MSG_RMA, and nothing else than
 *	WEFT_MSG_PLACED and WEFT_MSG_CONNECTED
 * @uid: of each request
 * @n: number of messages, 1 to WEFT_WRITES_MOST
 * @len: bytes of each write, 1 to WEFT_WRITES_BYTES
 * @key: of each segment
 */
struct weft_w_writes {
	struct weft_w_flow flow;
	__be64 mark;
	__be32 uid;
	__be16 n;
	__be16 len;
	__be64 key;
} __packed;

/**
 * struct weft_w_write - a write in WRITES
 * @addr: address of its segment
 * @bytes: its bytes, and zeros up to a multiple of 8
 */
struct weft_w_write {
	__be64 addr;
	u8 bytes[];
} __packed;

/*
 * Ids of bytes that an initiator asks for have this bit. The initiator chooses such an id, and the
 * target sends the bytes. Ids that a sender chooses for its own messages have it clear.
 */
#define WEFT_RMA_ID		BIT(31)

/* ---- Structures in host order ---------------------------------------- */

/**
 * struct weft_hdr - header
 * @type: WEFT_PKT_*
 * @flags: WEFT_PKT_*
 * @lane: lane
 * @path: path id
 * @token: token
 * @psn: packet sequence number
 * @ack: cumulative acknowledgement
 * @window: eager window, KiB
 * @ack_delay: microseconds
 */
struct weft_hdr {
	u8 type;
	u8 flags;
	u8 lane;
	u32 path;
	u64 token;
	u32 psn;
	u32 ack;
	u16 window;
	u32 ack_delay;
};

/**
 * struct weft_hello - handshake; fields as in struct weft_w_hello
 * @op: WEFT_HELLO_*
 * @caps: capabilities
 * @incarnation: incarnation of the sender
 * @path: path id
 * @max_payload: bytes
 * @offer: random number
 * @ack_delay: microseconds
 * @nonce: nonce of the initiator
 * @cookie: cookie of the responder
 */
struct weft_hello {
	u8 op;
	u32 caps;
	u64 incarnation;
	u32 path;
	u32 max_payload;
	u64 offer;
	u32 ack_delay;
	u64 nonce;
	u64 cookie;
};

/**
 * struct weft_flowid - flow and number
 * @ssvc: service of the message's sender
 * @dsvc: service of its receiver
 * @sgen: generation of the sender's endpoint
 * @dgen: generation of the receiver's endpoint, 0: not known yet
 * @mseq: number of the message
 */
struct weft_flowid {
	u16 ssvc;
	u16 dsvc;
	u32 sgen;
	u32 dgen;
	u32 mseq;
};

/**
 * struct weft_head - head of a message
 * @flow: its flow and number
 * @tag: tag
 * @data: remote CQ data
 * @len: bytes of the whole message
 * @flags: WEFT_MSG_*
 * @auth: authentication code of the sender's job
 */
struct weft_head {
	struct weft_flowid flow;
	u64 tag;
	u64 data;
	u64 len;
	u16 flags;
	u64 auth;
};

/**
 * struct weft_dgram - a datagram
 * @ssvc: service of the sender
 * @dsvc: service of the receiver
 * @flags: WEFT_MSG_*
 * @len: bytes
 * @data: remote CQ data
 * @auth: authentication code of the sender's job; part of the header
 * @pay: payload
 */
struct weft_dgram {
	u16 ssvc;
	u16 dsvc;
	u16 flags;
	u32 len;
	u64 data;
	u64 auth;
	const u8 *pay;
};

/**
 * struct weft_rseg - a remote segment
 * @key: key of its region
 * @addr: address in the region
 * @len: bytes
 */
struct weft_rseg {
	u64 key;
	u64 addr;
	u64 len;
};

/**
 * struct weft_req - request of a one-sided operation
 * @op: WEFT_RMA_*
 * @nseg: number of @seg
 * @aop: WEFT_AOP_*
 * @atype: WEFT_ATYPE_*
 * @uid: the initiator's user
 * @id: rendezvous id; WRITE: 0: the bytes follow the request
 * @sid: rendezvous id of operands, 0: they follow the request
 * @len: bytes of the operation
 * @granted: READ, FETCH, COMPARE: bytes that the target may send at once
 * @seg: remote segments
 */
struct weft_req {
	u8 op;
	u8 nseg;
	u8 aop;
	u8 atype;
	u32 uid;
	u32 id;
	u32 sid;
	u64 len;
	u64 granted;
	struct weft_rseg seg[WEFT_IOV_MAX];
};

/* Bytes of the longest request */
#define WEFT_REQ_MAX	(sizeof(struct weft_w_rma) + WEFT_IOV_MAX * sizeof(struct weft_w_rseg))
/* Bytes of a request with one segment */
#define WEFT_REQ_ONE	((u32)(sizeof(struct weft_w_rma) + sizeof(struct weft_w_rseg)))
/* Maximum payload of an operation that uses no credit in bytes: Documentation/rma.rst */
#define WEFT_REQ_FREE	256

#define WEFT_WRITES_MOST	64	/* most messages of a chunk WRITES: WEFT_REPORT_MOST */
/* Bytes of the longest of them: none uses credit in bytes */
#define WEFT_WRITES_BYTES	(WEFT_REQ_FREE - WEFT_REQ_ONE)

/**
 * struct weft_writes - several short writes
 * @flow: flow, and number of the first message
 * @flags: WEFT_MSG_* of each
 * @auth: authentication code of the sender's job
 * @uid: the initiator's user
 * @n: number of messages
 * @len: bytes of each write
 * @key: key of their region
 */
struct weft_writes {
	struct weft_flowid flow;
	u16 flags;
	u64 auth;
	u32 uid;
	u32 n;
	u32 len;
	u64 key;
};

/**
 * struct weft_chunk - a chunk found in a packet
 * @type: WEFT_CHUNK_*
 * @len: bytes of @body, at least those of the structure of the type
 * @body: bytes behind the chunk's head
 * @pay: payload, private data or bitmaps behind the structure
 * @paylen: bytes of @pay
 */
struct weft_chunk {
	u8 type;
	u16 len;
	const void *body;
	const u8 *pay;
	u32 paylen;
};

/**
 * struct weft_chunks - rest of a packet
 * @at: next chunk
 * @left: bytes left
 */
struct weft_chunks {
	const u8 *at;
	u32 left;
};

#define WEFT_DGRAM_HEAD	(WEFT_WIRE_HDR + sizeof(struct weft_w_dgram))

/* Bytes before the payload of a packet with DATA or EAGER alone */
#define WEFT_WIRE_DATA	(WEFT_WIRE_HDR + WEFT_WIRE_CHUNK + sizeof(struct weft_w_data))
#define WEFT_WIRE_EAGER	(WEFT_WIRE_HDR + WEFT_WIRE_CHUNK + sizeof(struct weft_w_eager))

/* ---- Functions ------------------------------------------------------- */

int weft_wire_hdr_get(const void *pkt, u32 len, struct weft_hdr *h, struct weft_chunks *rest);

int weft_wire_hello_get(const struct weft_chunks *rest, struct weft_hello *h);
void weft_wire_hello_put(void *dst, const struct weft_hello *h);

/* Return: the authentication code in the header of a DGRAM or a GROUP. */
static inline u64 weft_wire_dgram_auth(const struct weft_hdr *h)
{
	return (u64)h->psn << 32 | h->ack;
}

int weft_wire_dgram_get(const struct weft_chunks *rest, struct weft_dgram *d);
void weft_wire_dgram_put(void *dst, const struct weft_dgram *d);

int weft_wire_count(const struct weft_chunks *rest, struct weft_chunk *first);
int weft_wire_check(const struct weft_chunks *rest);
bool weft_wire_next(struct weft_chunks *rest, struct weft_chunk *c);
u32 weft_wire_run(const u8 *pkt, u32 left, u32 seg, u32 stride, bool *acknow);

void weft_wire_flow_get(const struct weft_w_flow *w, struct weft_flowid *f);
void weft_wire_head_get(const struct weft_w_head *w, struct weft_head *h);
u32 weft_wire_req_put(void *dst, const struct weft_req *r);
int weft_wire_req_get(const void *src, u32 len, struct weft_req *r);
void weft_wire_req_id(void *req, u32 id);
void weft_wire_req_sid(void *req, u32 sid);
void weft_wire_req_grant(void *req, u64 granted);
int weft_wire_writes_get(const struct weft_chunk *c, struct weft_writes *w);
u32 weft_wire_writes_put(void *dst, const struct weft_writes *w);

/* Return: bytes of a write of @len bytes in a chunk WRITES. */
static inline u32 weft_writes_size(u32 len)
{
	return sizeof(struct weft_w_write) + ALIGN(len, 8);
}

/* Return: true for an atomic operation. @op: WEFT_RMA_*. */
static inline bool weft_req_atomic(u8 op)
{
	return op >= WEFT_RMA_ATOMIC;
}

/* Return: true for an operation that brings bytes to the initiator. */
static inline bool weft_req_fetches(u8 op)
{
	return op == WEFT_RMA_READ || op > WEFT_RMA_ATOMIC;
}

/* Return: bytes that the initiator sends: of a write, or operands. */
static inline u64 weft_req_bytes(const struct weft_req *r)
{
	if (r->op == WEFT_RMA_READ || (weft_req_atomic(r->op) && r->aop == WEFT_AOP_READ))
		return 0;
	return r->op == WEFT_RMA_COMPARE ? 2 * r->len : r->len;
}

/*
 * Return: bytes of eager payload that a message of @len bytes with the flags @flags counts for. An
 * operation that fits into each packet is free.
 */
static inline u32 weft_wire_counts(u16 flags, u64 len)
{
	return unlikely(flags & WEFT_MSG_RMA) && len <= WEFT_REQ_FREE ? 0 : (u32)len;
}

/* Return: bytes of a chunk with @len bytes behind its head, including padding. */
static inline u32 weft_wire_size(u32 len)
{
	return WEFT_WIRE_CHUNK + ((len + 3) & ~3u);
}

/*
 * Write a chunk up to its payload and return the number of bytes written. The caller appends
 * @paylen bytes and zeros up to weft_wire_size(). @dst may have any alignment.
 */
u32 weft_wire_data_put(void *dst, u32 rid, u64 off, u32 paylen);
/* Write a whole chunk, including padding, and return its bytes. */
void weft_wire_heads_put(u8 *first, u32 n, u32 size, u32 step, u8 type);
void weft_wire_part_put(u8 *end, u8 type, u64 off, u32 paylen);
u32 weft_wire_rts_put(void *dst, const struct weft_head *h, u32 sid);
u32 weft_wire_grant_put(void *dst, u32 sid, u32 rid, u64 upto);
u32 weft_wire_done_put(void *dst, const struct weft_flowid *f, u32 sid, u16 status, u16 kind);
u32 weft_wire_abort_put(void *dst, const struct weft_flowid *f, u32 sid, u16 status);
u32 weft_wire_ping_put(void *dst);
u32 weft_wire_epgone_put(void *dst, const struct weft_flowid *f);
u32 weft_wire_open_put(void *dst, const struct weft_flowid *f, u64 auth);
u32 weft_wire_credit_put(void *dst, const struct weft_flowid *f, u32 msgs, u32 bytes);
u32 weft_wire_mtu_put(void *dst, u32 size, u32 no);
u32 weft_wire_retire_put(void *dst, u32 psn);
u32 weft_wire_retired_put(void *dst, const struct weft_w_retired *w, const u32 *words, u32 n);
/* Write PROBE up to the zeros, @paylen of them. */
u32 weft_wire_probe_put(void *dst, u32 paylen);
u32 weft_wire_probed_put(void *dst, u32 size);
/* Write ECHO up to the zeros, @paylen of them. */
u32 weft_wire_echo_put(void *dst, u32 no, u32 seq, u64 stamp, u32 paylen);
u32 weft_wire_echoed_put(void *dst, const struct weft_w_echo *echo, u32 came, u32 answered);
/* Write QUESTION up to the zeros, @paylen of them. */
u32 weft_wire_question_put(void *dst, u32 no, u16 ssvc, u16 dsvc, u64 auth, u32 paylen);
u32 weft_wire_answer_put(void *dst, u32 no, const struct weft_answer *a);
void weft_wire_answer_get(const struct weft_w_answer *w, struct weft_answer *a);
u32 weft_wire_cm_put(void *dst, const struct weft_w_cm *cm, const void *data, u32 len);
u32 weft_wire_sack_put(void *dst, const u32 *words, u32 n);

/* Return: offset in its message of an EAGER chunk's payload. @end: end of the chunk's structure. */
u32 weft_wire_eager_off(const u8 *end);
/* Return: word @i of the bitmap of a SACK or RETIRED chunk. */
u32 weft_wire_sack_word(const struct weft_chunk *c, u32 i);

/* ---- Encoding of every message --------------------------------------- */

/**
 * weft_wire_hdr_put - write a packet's header
 * @pkt: buffer of WEFT_WIRE_HDR bytes
 * @h: the header
 */
static inline void weft_wire_hdr_put(void *pkt, const struct weft_hdr *h)
{
	struct weft_w_hdr *w = pkt;

	w->vt = WEFT_WIRE_VERSION << 4 | h->type;
	w->flags = h->flags;
	w->lane = h->lane;
	w->words = WEFT_WIRE_HDR / 4;
	w->path = cpu_to_be32(h->path);
	w->token = cpu_to_be64(h->token);
	w->psn = cpu_to_be32(h->psn);
	w->ack = cpu_to_be32(h->ack);
	w->job = 0;
	w->window = cpu_to_be16(h->window);
	w->ack_delay = cpu_to_be32(h->ack_delay);
}

/**
 * weft_wire_flow_put - write a flow
 * @w: out: on the wire
 * @f: in host order
 */
static inline void weft_wire_flow_put(struct weft_w_flow *w, const struct weft_flowid *f)
{
	w->ssvc = cpu_to_be16(f->ssvc);
	w->dsvc = cpu_to_be16(f->dsvc);
	w->sgen = cpu_to_be32(f->sgen);
	w->dgen = cpu_to_be32(f->dgen);
	w->mseq = cpu_to_be32(f->mseq);
}

/**
 * weft_wire_head_put - write a message's head
 * @w: out: on the wire
 * @h: in host order
 */
static inline void weft_wire_head_put(struct weft_w_head *w, const struct weft_head *h)
{
	weft_wire_flow_put(&w->flow, &h->flow);
	w->tag = cpu_to_be64(h->tag);
	w->data = cpu_to_be64(h->data);
	w->len = cpu_to_be64(h->len);
	w->mark = cpu_to_be64((u64)h->flags << WEFT_AUTH_BITS | h->auth);
}

/* Write a chunk's head. Return: address of its body. */
static inline void *weft_wire_chunk_put(void *dst, u8 type, u32 len)
{
	struct weft_w_chunk *w = dst;

	w->type = type;
	w->flags = 0;
	w->len = cpu_to_be16(len);
	return w + 1;
}

/* Write an EAGER chunk up to its payload, or (@type) a HEAD. Return: bytes written. */
static inline u32 weft_wire_begin_put(void *dst, u8 type, const struct weft_head *h, u32 off,
				      u32 paylen)
{
	struct weft_w_eager *w = weft_wire_chunk_put(dst, type, sizeof(*w) + paylen);

	weft_wire_head_put(&w->head, h);
	w->off = cpu_to_be32(off);
	w->rsvd = 0;
	return WEFT_WIRE_CHUNK + sizeof(*w);
}

/**
 * weft_wire_eager_put - write an EAGER chunk up to its payload
 * @dst: buffer of 60 bytes
 * @h: head of the message
 * @off: offset of the payload
 * @paylen: bytes of payload that the caller appends
 *
 * Return: bytes written.
 */
static inline u32 weft_wire_eager_put(void *dst, const struct weft_head *h, u32 off, u32 paylen)
{
	return weft_wire_begin_put(dst, WEFT_CHUNK_EAGER, h, off, paylen);
}

#endif
