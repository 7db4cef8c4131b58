/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * weft - rings that programs share with the kernel
 *
 * What is in the memory that is mapped from a device of <linux/weft.h>, which has the calls: rings
 * of endpoints, shared receive queues and completion queues, their doorbells and status lines.
 *
 * Rules of growth: fixed-width fields, native byte order, no pointers (u64 instead), no enums, no
 * bit fields. Reserved fields and unknown flags must be 0.
 *
 * Field by field: Documentation/uapi.rst
 */
#ifndef _UAPI_LINUX_WEFT_RING_H
#define _UAPI_LINUX_WEFT_RING_H

#include <linux/types.h>

#define WEFT_SLOT_SIZE		64	/* of every ring */
#define WEFT_RING_MIN		16	/* slots of a ring; always a power of two */
#define WEFT_RING_MAX		65536
#define WEFT_NSLOTS_MAX		16	/* of one entry, its first slot included */
#define WEFT_INLINE_MAX		960	/* payload in the slots behind an entry: 15 * 64 */
#define WEFT_IOV_MAX		8	/* segments of a message */

/*
 * Indices are free-running u32; slot = index & (size - 1). An entry of several slots wraps slot by
 * slot.
 *
 * Each endpoint has one line of 64 bytes in a doorbell page (user writes) and one in a status page
 * (kernel writes); each CQ likewise. The doorbell is the producer index of SQ and RQ, and the
 * consumer index of a CQ.
 *
 * A. user: write slots; store doorbell (release)
 *    kernel: load doorbell (acquire); copy slots once
 * B. kernel: copied; store sq_head/rq_head (release)
 *    user: load head (acquire); reuse slots
 * C. kernel: write CQE; store its seq, cq tail (release)
 *    user: load tail (acquire); read CQE
 * D. user: read; store cq_head (release)
 *    kernel: load cq_head (acquire); reuse slots
 * E. user: store doorbell; full barrier; load flags
 *    kernel: set flag; full barrier; load doorbell
 *
 * The seq of a CQE alone does not prove that it is there: payload of an earlier round may stand in
 * its place.
 */

/**
 * struct weft_ep_doorbell - written by the user, 64 bytes
 * @sq_tail: producer index of the send queue
 * @rq_tail: producer index of the receive queue
 */
struct weft_ep_doorbell {
	__u32 sq_tail;
	__u32 rq_tail;
	__u32 pad[14];
};

/* after moving sq_tail notify (see below); while it is clear an engine looks at both doorbells */
#define WEFT_ST_SQ_NOTIFY		(1u << 0)
#define WEFT_ST_RQ_NOTIFY		(1u << 1)	/* after moving rq_tail notify */
/* the endpoint met an entry it could not decode: no more work is taken */
#define WEFT_ST_ERROR		(1u << 2)
#define WEFT_ST_CONNECTED	(1u << 3)	/* MSG: sends are accepted */
#define WEFT_ST_SHUT		(1u << 4)	/* MSG: was connected, is not any more */
#define WEFT_ST_UNEXP		(1u << 5)	/* the kernel holds unexpected messages */

/**
 * struct weft_ep_status - written by the kernel, 64 bytes
 * @sq_head: consumer index of the send queue
 * @rq_head: consumer index of the receive queue
 * @flags: WEFT_ST_*
 * @pad: 0
 */
struct weft_ep_status {
	__u32 sq_head;
	__u32 rq_head;
	__u32 flags;
	__u32 pad[13];
};

/**
 * struct weft_cq_doorbell - written by the user, 64 bytes
 * @head: consumer index
 */
struct weft_cq_doorbell {
	__u32 head;
	__u32 pad[15];
};

/* completions wait for room: after moving head call WEFT_IOC_CQ_NOTIFY */
#define WEFT_ST_CQ_NOTIFY		(1u << 0)
/* head was outside of the ring: nothing more is written */
#define WEFT_ST_CQ_ERROR	(1u << 1)

/**
 * struct weft_cq_status - written by the kernel, 64 bytes
 * @tail: producer index: every entry before it is complete; of a counter: moves with each event
 * @flags: WEFT_ST_CQ_*
 * @done: counter: operations that have reached their level; else 0
 * @failed: counter: operations that have failed; else 0
 * @pad: 0
 */
struct weft_cq_status {
	__u32 tail;
	__u32 flags;
	__u64 done;
	__u64 failed;
	__u32 pad[10];
};

/* Send queue operations */
#define WEFT_SQ_SEND		1	/* untagged */
#define WEFT_SQ_TSEND		2	/* tagged */

/* Flags of a send */
#define WEFT_SQ_INLINE		(1u << 0)	/* payload stands in the slots behind this one */
#define WEFT_SQ_DATA		(1u << 1)	/* @data goes to the receiver's completion */
/* write a completion on success; errors are always written */
#define WEFT_SQ_COMPLETION	(1u << 2)
/* complete when the peer node has it all; without a level: when the buffer is free */
#define WEFT_SQ_TRANSMIT	(1u << 3)
/* complete when it is placed or wholly buffered at the peer */
#define WEFT_SQ_DELIVERY	(1u << 4)
/* complete when a receive has taken it and has its bytes, or it was dropped */
#define WEFT_SQ_MATCH		(1u << 5)
/* wait for what was sent there before; only with WEFT_EPF_FENCE */
#define WEFT_SQ_FENCE		(1u << 6)
#define WEFT_SQ_MORE		(1u << 7)	/* more follows at once: a hint */
#define WEFT_SQ_SOLICITED	(1u << 8)	/* the receiver's completion says so */
/* @dst is a group that the endpoint has joined; DGRAM only */
#define WEFT_SQ_GROUP		(1u << 9)
#define WEFT_SQ_FLAGS		0x03ff		/* those that this kernel knows */

/**
 * struct weft_iov - a segment of user memory
 * @addr: user address
 * @len: bytes
 */
struct weft_iov {
	__u64 addr;
	__u64 len;
};

/**
 * struct weft_sqe - first slot of an entry in the send queue
 * @op: WEFT_SQ_SEND, WEFT_SQ_TSEND
 * @nslots: slots of the whole entry: 1 + payload or segments behind it, 4 segments a slot
 * @flags: WEFT_SQ_*
 * @dst: index in the address vector; must be 0 on a MSG endpoint; a group with WEFT_SQ_GROUP
 * @context: returned in the completion
 * @addr: user address of the only segment, when @niov is 1; else 0
 * @len: bytes of the message
 * @tag: tag of a tagged send, else 0
 * @data: remote CQ data with WEFT_SQ_DATA, else 0
 * @niov: 0: no payload or WEFT_SQ_INLINE, 1: @addr, 2..WEFT_IOV_MAX: struct weft_iov behind this
 *	slot
 * @rsvd: 0
 * @rsvd2: 0
 */
struct weft_sqe {
	__u8 op;
	__u8 nslots;
	__u16 flags;
	__u32 dst;
	__u64 context;
	__u64 addr;
	__u64 len;
	__u64 tag;
	__u64 data;
	__u32 niov;
	__u32 rsvd;
	__u64 rsvd2;
};

/*
 * Receive queue operations; those not listed in WEFT_CAP_* bits are refused with an error
 * completion EOPNOTSUPP. PEEK, CLAIM and DISCARD (WEFT_CAP_PEEK) are about tagged messages that
 * wait for a receive; they are looked at when the endpoint is notified, whatever its status says.
 */
#define WEFT_RQ_RECV		1	/* untagged */
#define WEFT_RQ_TRECV		2	/* tagged */
/* which message would a receive in this place get? ENOMSG: none; always completes */
#define WEFT_RQ_PEEK		3
/* receive the message that was set aside for @context; EINVAL: there is none */
#define WEFT_RQ_CLAIM		4
/* drop that message; always completes, but for WEFT_RQ_ANNOUNCE */
#define WEFT_RQ_DISCARD		5
/* of the oldest unmatched receive whose context is @tag; no completion of its own */
#define WEFT_RQ_CANCEL		6
/*
 * untagged, of a shared receive queue with a zone: @tag and @ignore hold the handles of the regions
 * that the segments are in, 32 bits each, the first segment's in the low half of @tag
 */
#define WEFT_RQ_REGION		16
#define WEFT_KEYS_MAX		4	/* segments of such a receive */

/* Flags of a receive */
/* write a completion on success; errors are always written */
#define WEFT_RQ_COMPLETION	(1u << 0)
/* RECV: takes messages one after the other until less than @ignore bytes are left */
#define WEFT_RQ_MULTI		(1u << 1)
/* PEEK: set the message aside for @context: nobody else sees it any more */
#define WEFT_RQ_KEEP		(1u << 2)
#define WEFT_RQ_DROP		(1u << 3)	/* PEEK: drop the message */
/*
 * RECV, TRECV: get the message, or @part bytes of one that is longer than the room, tell of it, and
 * set it aside for @context (WEFT_CAP_ANNOUNCE); never on datagram endpoints. CLAIM, DISCARD: the
 * message was set aside so; ECANCELED: it is gone. CLAIM places what comes behind those bytes, at
 * the same distance from the beginning; DISCARD never completes.
 */
#define WEFT_RQ_ANNOUNCE	(1u << 4)
#define WEFT_RQ_FLAGS		0x001f		/* those that this kernel knows */

#define WEFT_SRC_ANY		0xffffffffu

/**
 * struct weft_rqe - first slot of an entry in the receive queue
 * @op: WEFT_RQ_*
 * @nslots: slots of the whole entry
 * @flags: WEFT_RQ_*
 * @src: address vector index of the only sender it takes from, or WEFT_SRC_ANY; WEFT_SRC_ANY on MSG
 *	endpoints
 * @context: returned in the completion; what a message was set aside for: WEFT_RQ_CLAIM, _DISCARD
 * @addr: user address of the only segment, when @niov is 1; else 0
 * @len: bytes of room; PEEK: for the front of the message, if it is at hand
 * @tag: tag to match, WEFT_RQ_TRECV, _PEEK; context to cancel, WEFT_RQ_CANCEL; else 0
 * @ignore: bits of the tag that do not count, WEFT_RQ_TRECV, _PEEK; least room, WEFT_RQ_MULTI; else
 *	0
 * @niov: 0: no room, 1: @addr, 2..WEFT_IOV_MAX: struct weft_iov behind this slot
 * @part: RECV, TRECV with WEFT_RQ_ANNOUNCE: bytes of a message that is longer than the room, at
 *	most @len; else 0
 * @rsvd2: 0
 */
struct weft_rqe {
	__u8 op;
	__u8 nslots;
	__u16 flags;
	__u32 src;
	__u64 context;
	__u64 addr;
	__u64 len;
	__u64 tag;
	__u64 ignore;
	__u32 niov;
	__u32 part;
	__u64 rsvd2;
};

/* Flags of a completion */
#define WEFT_CQE_SEND		(1u << 0)	/* of a send, else of a receive */
#define WEFT_CQE_TAGGED		(1u << 1)	/* of a tagged operation */
#define WEFT_CQE_DATA		(1u << 2)	/* @data is valid */
/* payload behind this slot: copy @len - @olen bytes to @buf */
#define WEFT_CQE_INLINE		(1u << 3)
#define WEFT_CQE_MULTI		(1u << 4)	/* the multi-receive buffer is released */
#define WEFT_CQE_SOLICITED	(1u << 5)	/* the sender wants the receiver woken */
#define WEFT_CQE_RELEASE	(1u << 6)	/* no message: tells of the release alone */
/* of a receive with WEFT_RQ_ANNOUNCE; without @status the message is set aside for @context */
#define WEFT_CQE_ANNOUNCE	(1u << 7)
#define WEFT_CQE_CLAIM		(1u << 8)	/* of a CLAIM with WEFT_RQ_ANNOUNCE */
#define WEFT_CQE_GROUP		(1u << 9)	/* the message was sent to a group */
/*
 * the message has been received, @status (unless it was cut) is EADDRNOTAVAIL, and the slot behind
 * this one holds the struct weft_sockaddr of its sender (WEFT_EPF_SOURCE); not with WEFT_CQE_INLINE
 */
#define WEFT_CQE_FROM		(1u << 10)

/**
 * struct weft_cqe - first slot of an entry in a completion queue
 * @context: of the operation
 * @tag: sender's tag; on a failed receive the tag asked for
 * @data: remote CQ data
 * @len: receive: bytes of the whole message, also when cut (the placed ones are @len - @olen);
 *	send: bytes sent
 * @buf: WEFT_CQE_INLINE: where the payload is to be copied; multi-receive: where it was placed;
 *	else 0. A peek returns the front of the message in this way or not at all
 * @src: index of the sender in the address vector of the endpoint, WEFT_SRC_ANY: not in it
 * @flags: WEFT_CQE_*
 * @ep: low 16 bits of the endpoint's handle
 * @olen: bytes that did not fit (@status is then EMSGSIZE; of a peek it is 0), or with
 *	WEFT_CQE_ANNOUNCE that are to be claimed; else 0
 * @status: errno, 0: success; EMSGSIZE: truncated, ECANCELED: canceled
 * @nslots: slots of the whole entry
 * @rsvd: 0
 * @seq: index of this slot plus 1, written last: differs from that as long as the entry is not
 *	there
 *
 * Inline payload begins in the next slot (slot by slot round the ring's end).
 */
struct weft_cqe {
	__u64 context;
	__u64 tag;
	__u64 data;
	__u64 len;
	__u64 buf;
	__u32 src;
	__u16 flags;
	__u16 ep;
	__u64 olen;
	__u16 status;
	__u8 nslots;
	__u8 rsvd;
	__u32 seq;
};

#endif /* _UAPI_LINUX_WEFT_RING_H */
