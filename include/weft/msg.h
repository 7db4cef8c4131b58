/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libweft: sends and receives
 *
 * <weft/weft.h> includes this header.
 */
#ifndef _WEFT_MSG_H
#define _WEFT_MSG_H

#include <weft/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* ---- Messages: weft_send(3), weft_recv(3), weft_tpeek(3), weft_srq_recv(3), weft_flush(3)  */

/*
 * Library flag of sends and receives: write the entry but do not ring the doorbell yet. The next
 * call on the same half without the flag rings it for all deferred entries. So do weft_flush_*(),
 * weft_publish(), and a call that returns -EAGAIN. In a send entry the flag becomes WEFT_SQ_MORE,
 * the hint to the kernel.
 */
#define WEFT_MORE	(1u << 31)

/*
 * Calls of this part never block. A doorbell may enter the kernel when the kernel requests that.
 * They return
 *
 *   0		accepted: a completion follows if the operation fails, or if its flags request it;
 *   -EAGAIN	the ring lacks slots now: read completions and try again;
 *   -EIO	the endpoint is in error (WEFT_ST_ERROR) or has no such ring;
 *   -EINVAL	unknown flags, or too many segments (more than WEFT_IOV_MAX);
 *   -EMSGSIZE	WEFT_SQ_INLINE with more than WEFT_INLINE_MAX bytes.
 *
 * Threads: calls on one half of an endpoint must not overlap, nor those on one shared receive
 * queue, see <weft/weft.h>.
 *
 * The kernel finds all other errors in an entry. They arrive as the status of a completion.
 */

/**
 * weft_send() - send untagged, one segment
 * @ep: sending half
 * @buf: payload, may be NULL when @len is 0
 * @len: bytes
 * @dst: index in the address vector; 0 on a MSG endpoint
 * @data: remote CQ data, used only with WEFT_SQ_DATA
 * @context: returned in the completion
 * @flags: WEFT_SQ_* (the levels, _INLINE, _DATA, _COMPLETION, ...) and WEFT_MORE
 *
 * Return: 0 or a negative errno, see above.
 */
int weft_send(struct weft_ep *ep, const void *buf, size_t len, uint32_t dst, uint64_t data,
	      uint64_t context, uint32_t flags);

/**
 * weft_sendv() - send untagged, several segments
 * @ep: sending half
 * @iov: segments; without WEFT_SQ_INLINE their memory must outlive the call, but @iov need not
 * @count: number of segments, 0..WEFT_IOV_MAX
 * @dst: as in weft_send()
 * @data: as in weft_send()
 * @context: as in weft_send()
 * @flags: as in weft_send()
 *
 * Return: 0 or a negative errno, see above.
 */
int weft_sendv(struct weft_ep *ep, const struct iovec *iov, size_t count, uint32_t dst,
	       uint64_t data, uint64_t context, uint32_t flags);

/**
 * weft_tsend() - send tagged, one segment
 * @ep: sending half
 * @buf: as in weft_send()
 * @len: as in weft_send()
 * @dst: as in weft_send()
 * @tag: tag for the receiver to match
 * @data: as in weft_send()
 * @context: as in weft_send()
 * @flags: as in weft_send()
 *
 * Return: 0 or a negative errno, see above.
 */
int weft_tsend(struct weft_ep *ep, const void *buf, size_t len, uint32_t dst, uint64_t tag,
	       uint64_t data, uint64_t context, uint32_t flags);

/**
 * weft_tsendv() - send tagged, several segments
 * @ep: sending half
 * @iov: as in weft_sendv()
 * @count: as in weft_sendv()
 * @dst: as in weft_send()
 * @tag: as in weft_tsend()
 * @data: as in weft_send()
 * @context: as in weft_send()
 * @flags: as in weft_send()
 *
 * Return: 0 or a negative errno, see above.
 */
int weft_tsendv(struct weft_ep *ep, const struct iovec *iov, size_t count, uint32_t dst,
		uint64_t tag, uint64_t data, uint64_t context, uint32_t flags);

/**
 * weft_recv() - post a receive, untagged, one segment
 * @ep: receiving half
 * @buf: buffer, may be NULL when @len is 0
 * @len: bytes
 * @src: index of the only sender to match, or WEFT_SRC_ANY; WEFT_SRC_ANY on a MSG endpoint
 * @context: returned in the completion, and used by weft_cancel()
 * @flags: WEFT_RQ_COMPLETION and WEFT_MORE
 *
 * Return: 0 or a negative errno, see above.
 */
int weft_recv(struct weft_ep *ep, void *buf, size_t len, uint32_t src, uint64_t context,
	      uint32_t flags);

/**
 * weft_recvv() - post a receive, untagged, several segments
 * @ep: receiving half
 * @iov: segments
 * @count: number of segments, 0..WEFT_IOV_MAX
 * @src: as in weft_recv()
 * @context: as in weft_recv()
 * @flags: as in weft_recv()
 *
 * Return: 0 or a negative errno, see above.
 */
int weft_recvv(struct weft_ep *ep, const struct iovec *iov, size_t count, uint32_t src,
	       uint64_t context, uint32_t flags);

/**
 * weft_trecv() - post a receive, tagged, one segment
 * @ep: receiving half
 * @buf: as in weft_recv()
 * @len: as in weft_recv()
 * @src: as in weft_recv()
 * @tag: to match
 * @ignore: bits of the tag to ignore
 * @context: as in weft_recv()
 * @flags: as in weft_recv()
 *
 * Return: 0 or a negative errno, see above.
 */
int weft_trecv(struct weft_ep *ep, void *buf, size_t len, uint32_t src, uint64_t tag,
	       uint64_t ignore, uint64_t context, uint32_t flags);

/**
 * weft_trecvv() - post a receive, tagged, several segments
 * @ep: receiving half
 * @iov: as in weft_recvv()
 * @count: as in weft_recvv()
 * @src: as in weft_recv()
 * @tag: as in weft_trecv()
 * @ignore: as in weft_trecv()
 * @context: as in weft_recv()
 * @flags: as in weft_recv()
 *
 * Return: 0 or a negative errno, see above.
 */
int weft_trecvv(struct weft_ep *ep, const struct iovec *iov, size_t count, uint32_t src,
		uint64_t tag, uint64_t ignore, uint64_t context, uint32_t flags);

/**
 * weft_recv_multi() - post a buffer for several consecutive untagged messages
 * @ep: receiving half
 * @buf: buffer
 * @len: bytes, at least 1
 * @least: the buffer is released when fewer bytes are left; at most @len
 * @src: as in weft_recv()
 * @context: context of all its completions
 * @flags: WEFT_RQ_COMPLETION: for messages; the release (WEFT_CQE_MULTI) is always reported, once
 *
 * Return: 0 or a negative errno, see above.
 */
int weft_recv_multi(struct weft_ep *ep, void *buf, size_t len, size_t least, uint32_t src,
		    uint64_t context, uint32_t flags);

/**
 * weft_recv_announce() - post a receive of an announcement, untagged (WEFT_CAP_ANNOUNCE)
 * @ep: receiving half, not of a DGRAM endpoint
 * @buf: buffer for a message, or for the front of one that does not fit; may be NULL when @len is 0
 * @len: bytes
 * @part: bytes of that front, at most @len
 * @context: context of the completion, which always comes (WEFT_CQE_ANNOUNCE); the message is set
 *	aside for it, until weft_tclaim() or weft_tdiscard() with WEFT_RQ_ANNOUNCE
 * @flags: WEFT_MORE
 *
 * The number of such receives and messages set aside is limited to the endpoint's receives. More
 * complete with status ENOBUFS.
 *
 * Return: 0 or a negative errno, see above.
 */
int weft_recv_announce(struct weft_ep *ep, void *buf, size_t len, uint32_t part, uint64_t context,
		       uint32_t flags);

/**
 * weft_trecv_announce() - post a receive of an announcement, tagged (WEFT_CAP_ANNOUNCE)
 * @ep: as in weft_recv_announce()
 * @buf: as in weft_recv_announce()
 * @len: as in weft_recv_announce()
 * @part: as in weft_recv_announce()
 * @src: as in weft_recv()
 * @tag: to match
 * @ignore: bits of the tag to ignore
 * @context: as in weft_recv_announce()
 * @flags: WEFT_MORE
 *
 * Return: 0 or a negative errno, see above.
 */
int weft_trecv_announce(struct weft_ep *ep, void *buf, size_t len, uint32_t part, uint32_t src,
			uint64_t tag, uint64_t ignore, uint64_t context, uint32_t flags);

/**
 * weft_tpeek() - find a tagged message that waits for a receive (WEFT_CAP_PEEK)
 * @ep: receiving half
 * @iov: buffer for the front of the message; used if it is one segment of at most WEFT_INLINE_MAX
 *	bytes, and the kernel holds them: then the completion's @buf is not 0
 * @count: number of segments, may be 0
 * @src: as in weft_recv()
 * @tag: as in weft_trecv()
 * @ignore: as in weft_trecv()
 * @context: context of the completion, and of the message set aside
 * @flags: WEFT_RQ_KEEP: set the message aside for @context; WEFT_RQ_DROP: drop it
 *
 * Its completion always comes, and at once. It has the message's length, tag, data and source, or
 * status ENOMSG. EINVAL: a message is set aside for @context already. ENOBUFS: too many messages
 * are set aside.
 *
 * Return: 0 or a negative errno, see above.
 */
int weft_tpeek(struct weft_ep *ep, const struct iovec *iov, size_t count, uint32_t src,
	       uint64_t tag, uint64_t ignore, uint64_t context, uint32_t flags);

/**
 * weft_tclaim() - receive the message that is set aside for @context
 * @ep: receiving half
 * @iov: as in weft_recvv()
 * @count: as in weft_recvv()
 * @context: context of the peek, returned in the completion. Status EINVAL: no message is set aside
 *	for it
 * @flags: WEFT_RQ_COMPLETION; WEFT_RQ_ANNOUNCE: the message was announced, tagged or not: the
 *	announced bytes are not placed again, and status ECANCELED means that the message is gone
 *
 * Return: 0 or a negative errno, see above.
 */
int weft_tclaim(struct weft_ep *ep, const struct iovec *iov, size_t count, uint64_t context,
		uint32_t flags);

/**
 * weft_tdiscard() - drop the message that is set aside for @context
 * @ep: receiving half
 * @context: as in weft_tclaim(); a completion of length 0 always comes
 * @flags: 0; WEFT_RQ_ANNOUNCE: the message was announced; no completion comes
 *
 * Return: 0 or a negative errno, see above.
 */
int weft_tdiscard(struct weft_ep *ep, uint64_t context, uint32_t flags);

/**
 * weft_cancel() - cancel the oldest unmatched receive with this context (WEFT_IOC_CANCEL)
 * @ep: receiving half
 * @context: context of the receive
 *
 * Its completion (ECANCELED) is in the queue when the call returns. Receives deferred by WEFT_MORE
 * are published first.
 *
 * Return: 0, also if no such receive exists; -EINVAL: passive, not enabled, or shares receives;
 * -EAGAIN: the receive is still in the ring, and its completion queue is full; -ENOMEM, -errno.
 */
int weft_cancel(struct weft_ep *ep, uint64_t context);

/**
 * weft_flush_send() - ring the doorbell for sends deferred by WEFT_MORE
 * @ep: sending half, not of a passive endpoint
 *
 * Notifies if the kernel requests that.
 */
void weft_flush_send(struct weft_ep *ep);

/**
 * weft_flush_recv() - ring the doorbell for receives deferred by WEFT_MORE
 * @ep: receiving half; nothing happens without a receive ring
 *
 * Notifies if the kernel requests that.
 */
void weft_flush_recv(struct weft_ep *ep);

/**
 * weft_send_space() - report the free slots of the send ring
 * @ep: sending half
 *
 * Return: number of free slots.
 */
uint32_t weft_send_space(struct weft_ep *ep);

/**
 * weft_recv_space() - report the free slots of the receive ring
 * @ep: receiving half
 *
 * Return: number of free slots.
 */
uint32_t weft_recv_space(struct weft_ep *ep);

/**
 * weft_srq_recvv() - post a shared receive, untagged
 * @srq: shared receive queue without a zone
 * @iov: segments
 * @count: number of segments, 0..WEFT_IOV_MAX
 * @src: as in weft_recv()
 * @context: as in weft_recv()
 * @flags: as in weft_recv()
 *
 * Return: 0 or a negative errno, see above.
 */
int weft_srq_recvv(struct weft_srq *srq, const struct iovec *iov, size_t count, uint32_t src,
		   uint64_t context, uint32_t flags);

/**
 * weft_srq_trecvv() - post a shared receive, tagged
 * @srq: shared receive queue without a zone
 * @iov: segments
 * @count: number of segments, 0..WEFT_IOV_MAX
 * @src: as in weft_recv()
 * @tag: as in weft_trecv()
 * @ignore: as in weft_trecv()
 * @context: as in weft_recv()
 * @flags: as in weft_recv()
 *
 * Return: 0 or a negative errno, see above.
 */
int weft_srq_trecvv(struct weft_srq *srq, const struct iovec *iov, size_t count, uint32_t src,
		    uint64_t tag, uint64_t ignore, uint64_t context, uint32_t flags);

/**
 * weft_srq_recv_multi() - post a shared buffer for several untagged messages
 * @srq: shared receive queue without a zone
 * @buf: as in weft_recv_multi()
 * @len: as in weft_recv_multi()
 * @least: as in weft_recv_multi()
 * @src: as in weft_recv()
 * @context: as in weft_recv_multi()
 * @flags: as in weft_recv_multi()
 *
 * Each endpoint's messages complete in its own queue. The release is reported in the queue of the
 * endpoint whose message ends last.
 *
 * Return: 0 or a negative errno, see above.
 */
int weft_srq_recv_multi(struct weft_srq *srq, void *buf, size_t len, size_t least, uint32_t src,
			uint64_t context, uint32_t flags);

/**
 * weft_srq_recvk() - post a shared receive into registered memory
 * @srq: shared receive queue with a zone
 * @iov: segments
 * @keys: handle of each segment's region
 * @count: segments, 0..WEFT_KEYS_MAX
 * @context: as in weft_recv()
 * @flags: as in weft_recv()
 *
 * The kernel checks the regions when the receive is used. If a region does not fit, or no longer
 * fits, the completion has status EACCES.
 *
 * Return: 0 or a negative errno, see above.
 */
int weft_srq_recvk(struct weft_srq *srq, const struct iovec *iov, const uint32_t *keys,
		   size_t count, uint64_t context, uint32_t flags);

/**
 * weft_srq_flush() - ring the doorbell for shared receives deferred by WEFT_MORE
 * @srq: shared receive queue
 */
void weft_srq_flush(struct weft_srq *srq);

/**
 * weft_srq_space() - report the free slots of the ring
 * @srq: shared receive queue
 *
 * Return: number of free slots.
 */
uint32_t weft_srq_space(struct weft_srq *srq);

/**
 * weft_publish() - store both doorbells without a notify call
 * @ep: both halves, not of a passive endpoint
 *
 * For a weft_cq_wait() that notifies @ep.
 */
void weft_publish(struct weft_ep *ep);

/**
 * weft_publish_send() - store the doorbell of sends deferred by WEFT_MORE, without a notify call
 * @ep: sending half, not of a passive endpoint
 */
void weft_publish_send(struct weft_ep *ep);

/**
 * weft_publish_recv() - store the doorbell of receives deferred by WEFT_MORE, without a notify call
 * @ep: receiving half, with a receive ring
 */
void weft_publish_recv(struct weft_ep *ep);

/**
 * weft_notify() - have the kernel process the published entries
 * @ep: endpoint
 *
 * Any thread, at the same time as any other call on @ep except its destruction.
 */
void weft_notify(struct weft_ep *ep);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* _WEFT_MSG_H */
