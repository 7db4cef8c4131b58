/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * weft - rings that programs share with the kernel
 *
 * Layout of the memory that is mapped from a device of <linux/weft.h>: rings of endpoints, shared
 * receive queues and completion queues, their doorbells and status lines. <linux/weft.h> has the
 * calls.
 *
 * Rules of growth: fixed-width fields, native byte order, no pointers (u64 instead), no enums, no
 * bit fields. Reserved fields and unknown flags must be 0.
 *
 * The protocol step by step: Documentation/uapi.rst
 */
#ifndef _UAPI_LINUX_WEFT_RING_H
#define _UAPI_LINUX_WEFT_RING_H

#include <linux/types.h>

#define WEFT_SLOT_SIZE		64	/* slot of every ring */
#define WEFT_RING_MIN		16	/* slots of a ring; always a power of two */
#define WEFT_RING_MAX		65536
#define WEFT_NSLOTS_MAX		16	/* slots of one entry, its first slot included */
#define WEFT_INLINE_MAX		960	/* payload in the slots after an entry: 15 * 64 */
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
 * The seq of a CQE alone does not prove that the CQE is complete: the slot may hold payload of an
 * earlier round.
 */

/**
 * struct weft_ep_doorbell - written by the user, 64 bytes
 * @sq_tail: producer index of the send queue
 * @rq_tail: producer index of the receive queue
 * @pad: unused
 */
struct weft_ep_doorbell {
	__u32 sq_tail;
	__u32 rq_tail;
	__u32 pad[14];
};

/* notify after moving sq_tail (see below); while clear, an engine polls both doorbells */
#define WEFT_ST_SQ_NOTIFY		(1u << 0)
#define WEFT_ST_RQ_NOTIFY		(1u << 1)	/* notify after moving rq_tail */
/* an entry of the endpoint could not be decoded: no more work is accepted */
#define WEFT_ST_ERROR		(1u << 2)
#define WEFT_ST_CONNECTED	(1u << 3)	/* MSG: sends are accepted */
#define WEFT_ST_SHUT		(1u << 4)	/* MSG: was connected, no longer is */
#define WEFT_ST_UNEXP		(1u << 5)	/* the kernel holds unexpected messages */
/* after WEFT_NOTIFY_TIMED: sends that are posted now leave at the latest after WEFT_TIMED_US */
#define WEFT_ST_SQ_TIMED	(1u << 6)

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
 * @pad: unused
 */
struct weft_cq_doorbell {
	__u32 head;
	__u32 pad[15];
};

/* completions wait for space: after moving head call WEFT_IOC_CQ_NOTIFY */
#define WEFT_ST_CQ_NOTIFY		(1u << 0)
/* head was outside of the ring: no more entries are written */
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
/* only with WEFT_EPF_RMA: */
#define WEFT_SQ_WRITE		3	/* write to regions of the peer */
#define WEFT_SQ_READ		4	/* read from regions of the peer */
#define WEFT_SQ_ATOMIC		5	/* atomic operation on regions of the peer */

/* Flags of a send */
#define WEFT_SQ_INLINE		(1u << 0)	/* payload is in the slots after this one */
#define WEFT_SQ_DATA		(1u << 1)	/* @data is passed to the receiver's completion */
/* write a completion on success; errors are always written */
#define WEFT_SQ_COMPLETION	(1u << 2)
/* complete when the peer node has all bytes; without a level: when the buffer may be reused */
#define WEFT_SQ_TRANSMIT	(1u << 3)
/* complete when the message is placed or wholly buffered at the peer */
#define WEFT_SQ_DELIVERY	(1u << 4)
/* complete when a receive has matched and placed the message, or the receiver dropped it */
#define WEFT_SQ_MATCH		(1u << 5)
/* wait for earlier sends to the same destination; only with WEFT_EPF_FENCE */
#define WEFT_SQ_FENCE		(1u << 6)
#define WEFT_SQ_MORE		(1u << 7)	/* more sends follow at once: a hint */
#define WEFT_SQ_SOLICITED	(1u << 8)	/* mark the receiver's completion as solicited */
/* @dst is a group that the endpoint has joined; DGRAM only */
#define WEFT_SQ_GROUP		(1u << 9)
#define WEFT_SQ_FLAGS		0x03ff		/* the flags that this kernel knows */

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
 * struct weft_rma_iov - a segment of a region of the peer
 * @addr: address in the region
 * @len: bytes
 * @key: key of the region
 * @rsvd: 0
 */
struct weft_rma_iov {
	__u64 addr;
	__u64 len;
	__u64 key;
	__u64 rsvd;
};

/**
 * struct weft_sqe - first slot of an entry in the send queue
 * @op: WEFT_SQ_SEND, _TSEND, _WRITE, _READ, _ATOMIC
 * @nslots: slots of the whole entry: 1 + payload or segments after it, 4 segments a slot; ATOMIC:
 *	segments of compare operands and of results, each kind from a new slot on; remote segments
 *	in the last slots, 2 a slot
 * @flags: WEFT_SQ_*
 * @dst: index in the address vector; must be 0 on a MSG endpoint; a group with WEFT_SQ_GROUP
 * @context: returned in the completion
 * @addr: user address of the only segment, when @niov is 1; else 0
 * @len: bytes of the message or operation; ATOMIC: bytes of its elements
 * @tag: tag of a tagged send; key of the only remote segment, when @nrem is 1; else 0
 * @data: remote CQ data with WEFT_SQ_DATA; ATOMIC: WEFT_ATOMIC_DATA() of
 *	<linux/weft_rma.h>; else 0
 * @niov: 0: no payload or WEFT_SQ_INLINE, 1: @addr, 2..WEFT_IOV_MAX: struct weft_iov after this
 *	slot
 * @nrem: WRITE, READ, ATOMIC: 0: @len is 0, 1: @tag and @raddr, 2..WEFT_IOV_MAX: struct
 *	weft_rma_iov in the last slots; else 0
 * @raddr: address in the region of the only remote segment, when @nrem is 1; else 0
 *
 * One-sided operations permit the flags INLINE (not READ), COMPLETION, TRANSMIT, DELIVERY, MORE and
 * FENCE, and WRITE also DATA. Only a WRITE with DATA has a completion at the peer. They complete
 * when the peer has executed them, with or without a level.
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
	__u32 nrem;
	__u64 raddr;
};

/*
 * Receive queue operations. An operation without its WEFT_CAP_* bit gets an error completion
 * EOPNOTSUPP. PEEK, CLAIM and DISCARD (WEFT_CAP_PEEK) concern tagged messages that wait for a
 * receive. They need a notify call, or an engine, whatever the endpoint's status shows.
 */
#define WEFT_RQ_RECV		1	/* untagged */
#define WEFT_RQ_TRECV		2	/* tagged */
/* report the message that a receive in this place would match; ENOMSG: none; always completes */
#define WEFT_RQ_PEEK		3
/* receive the message that was set aside for @context; EINVAL: none was set aside */
#define WEFT_RQ_CLAIM		4
/* drop that message; always completes, except with WEFT_RQ_ANNOUNCE */
#define WEFT_RQ_DISCARD		5
/* cancel the oldest unmatched receive whose context is @tag; has no completion of its own */
#define WEFT_RQ_CANCEL		6
/*
 * untagged, for a shared receive queue with a zone: @tag and @ignore hold the handles of the
 * segments' regions, 32 bits each. The first segment's handle is in the low half of @tag.
 */
#define WEFT_RQ_REGION		16
#define WEFT_KEYS_MAX		4	/* maximum number of segments of such a receive */

/* Flags of a receive */
/* write a completion on success; errors are always written */
#define WEFT_RQ_COMPLETION	(1u << 0)
/* RECV: match several messages in turn, until fewer than @ignore bytes are left */
#define WEFT_RQ_MULTI		(1u << 1)
/* PEEK: set the message aside for @context: no other receive matches it */
#define WEFT_RQ_KEEP		(1u << 2)
#define WEFT_RQ_DROP		(1u << 3)	/* PEEK: drop the message */
/*
 * RECV, TRECV: place the message, or @part bytes of a message longer than the buffer; report it,
 * and set it aside for @context (WEFT_CAP_ANNOUNCE). Not on datagram endpoints. CLAIM, DISCARD: the
 * message was set aside in this way; ECANCELED: it is gone. CLAIM places the bytes after those
 * already placed, at their offset in the message; DISCARD never completes.
 */
#define WEFT_RQ_ANNOUNCE	(1u << 4)
#define WEFT_RQ_FLAGS		0x001f		/* the flags that this kernel knows */

#define WEFT_SRC_ANY		0xffffffffu

/**
 * struct weft_rqe - first slot of an entry in the receive queue
 * @op: WEFT_RQ_*
 * @nslots: slots of the whole entry
 * @flags: WEFT_RQ_*
 * @src: address vector index of the only sender to match, or WEFT_SRC_ANY; WEFT_SRC_ANY on MSG
 *	endpoints
 * @context: returned in the completion; WEFT_RQ_CLAIM, _DISCARD: the context that the message was
 *	set aside for
 * @addr: user address of the only segment, when @niov is 1; else 0
 * @len: bytes of the buffer; PEEK: for the front of the message, if the kernel holds it
 * @tag: tag to match, WEFT_RQ_TRECV, _PEEK; context to cancel, WEFT_RQ_CANCEL; else 0
 * @ignore: bits of the tag to ignore, WEFT_RQ_TRECV, _PEEK; minimum of free bytes, WEFT_RQ_MULTI;
 *	else 0
 * @niov: 0: no buffer, 1: @addr, 2..WEFT_IOV_MAX: struct weft_iov after this slot
 * @part: RECV, TRECV with WEFT_RQ_ANNOUNCE: bytes to place of a message longer than the buffer, at
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
/* payload after this slot: copy @len - @olen bytes to @buf */
#define WEFT_CQE_INLINE		(1u << 3)
#define WEFT_CQE_MULTI		(1u << 4)	/* the multi-receive buffer is released */
#define WEFT_CQE_SOLICITED	(1u << 5)	/* the sender requests that the receiver be woken */
#define WEFT_CQE_RELEASE	(1u << 6)	/* no message: reports only the release */
/* of a receive with WEFT_RQ_ANNOUNCE; if @status is 0 the message is set aside for @context */
#define WEFT_CQE_ANNOUNCE	(1u << 7)
#define WEFT_CQE_CLAIM		(1u << 8)	/* of a CLAIM with WEFT_RQ_ANNOUNCE */
#define WEFT_CQE_GROUP		(1u << 9)	/* the message was sent to a group */
/*
 * the message has been received, @status (unless it was truncated) is EADDRNOTAVAIL, and the next
 * slot holds the struct weft_sockaddr of its sender (WEFT_EPF_SOURCE); not with WEFT_CQE_INLINE
 */
#define WEFT_CQE_FROM		(1u << 10)
/* with WEFT_CQE_SEND: of a WRITE or base ATOMIC; else of a peer's WRITE with DATA */
#define WEFT_CQE_WRITE		(1u << 11)
#define WEFT_CQE_READ		(1u << 12)	/* of a READ, or of an ATOMIC with results */
#define WEFT_CQE_ATOMIC		(1u << 13)	/* of an ATOMIC */

/**
 * struct weft_cqe - first slot of an entry in a completion queue
 * @context: context of the operation
 * @tag: the sender's tag; on a failed receive the requested tag
 * @data: remote CQ data
 * @len: receive: bytes of the whole message, also when truncated (@len - @olen bytes were placed);
 *	send: bytes sent
 * @buf: WEFT_CQE_INLINE: destination of the payload; multi-receive: place of the message; else 0. A
 *	peek returns the front of the message in this way or not at all
 * @src: index of the sender in the address vector of the endpoint, WEFT_SRC_ANY: not in the vector
 * @flags: WEFT_CQE_*
 * @ep: low 16 bits of the endpoint's handle
 * @olen: bytes that did not fit (@status is then EMSGSIZE; of a peek it is 0), or with
 *	WEFT_CQE_ANNOUNCE bytes left for the claim; else 0
 * @status: errno, 0: success; EMSGSIZE: truncated, ECANCELED: canceled
 * @nslots: slots of the whole entry
 * @rsvd: 0
 * @seq: index of this slot plus 1, written last: has another value until the entry is complete
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
