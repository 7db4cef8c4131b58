/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libweft: one-sided operations (WEFT_CAP_RMA)
 *
 * <weft/weft.h> includes this header.
 */
#ifndef _WEFT_RMA_H
#define _WEFT_RMA_H

#include <weft/types.h>
#include <linux/weft_rma.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* ---- Regions: weft_region(3) ------------------------------------------------------------ */

/**
 * struct weft_region - memory that peers may access
 * @iov: segments, one behind the other; nothing need be mapped there
 * @count: number of segments, 1..WEFT_IOV_MAX
 * @base: address of the first byte, as peers name it
 * @access: WEFT_REGION_READ, WEFT_REGION_WRITE, both or 0
 * @flags: 0 or WEFT_REGIONF_KEY: the kernel chooses the key
 * @cntr: counts the operations of peers that have changed the region, NULL: no counter
 * @zone: protection zone, 0: none; see struct weft_ep_attr
 */
struct weft_region {
	const struct iovec *iov;
	size_t count;
	uint64_t base;
	uint32_t access;
	uint32_t flags;
	struct weft_cntr *cntr;
	uint32_t zone;
};

/**
 * weft_region_add() - let peers access memory (WEFT_IOC_REGION_ADD)
 * @ctx: context; peers access the region through its endpoints
 * @region: the region; the structure and @iov may be reused when the call returns
 * @key: in: key by which peers name the region, unique in its zone; with WEFT_REGIONF_KEY: out
 *
 * Pins no memory. Any thread.
 *
 * Return: 0, -EINVAL: access, segments, no byte, -EFAULT: a segment that wraps, -EEXIST: the key is
 * in use in the zone, -ENOENT: no such counter, -ENOSPC: a limit of the user, -ENOMEM, -errno.
 */
int weft_region_add(struct weft_ctx *ctx, const struct weft_region *region, uint64_t *key);

/**
 * weft_region_end() - end a region (WEFT_IOC_REGION_END)
 * @ctx: context
 * @zone: protection zone of the region, 0: none
 * @key: key of the region
 *
 * When the call returns, no peer accesses the memory through the region. Any thread.
 *
 * Return: 0, -ENOENT: no such region, -ENOMEM, -errno.
 */
int weft_region_end(struct weft_ctx *ctx, uint32_t zone, uint64_t key);

/* ---- Operations: weft_write(3) ---------------------------------------------------------- */

/*
 * The calls use the sending half of an endpoint with WEFT_EPF_RMA. Results, threads and WEFT_MORE
 * are those of weft_send(). -EINVAL also means that local and remote segments have different sums
 * of bytes. -EMSGSIZE also means that payload and remote segments exceed WEFT_NSLOTS_MAX slots.
 */

/**
 * weft_write() - write to a region of a peer, one segment
 * @ep: sending half
 * @buf: bytes to write, may be NULL when @len is 0
 * @len: bytes
 * @dst: index in the address vector; 0 on a MSG endpoint
 * @raddr: address in the region
 * @key: key of the region
 * @data: remote CQ data, used only with WEFT_SQ_DATA
 * @context: returned in the completion
 * @flags: WEFT_SQ_INLINE, _DATA, _COMPLETION, _FENCE, the levels, and WEFT_MORE
 *
 * Return: 0 or a negative errno, see above.
 */
int weft_write(struct weft_ep *ep, const void *buf, size_t len, uint32_t dst, uint64_t raddr,
	       uint64_t key, uint64_t data, uint64_t context, uint32_t flags);

/**
 * weft_writev() - write to regions of a peer, several segments
 * @ep: sending half
 * @iov: local segments, as in weft_sendv()
 * @count: number of local segments, 0..WEFT_IOV_MAX
 * @dst: as in weft_write()
 * @rem: remote segments; the array may be reused when the call returns
 * @nrem: number of remote segments, 0..WEFT_IOV_MAX
 * @data: as in weft_write()
 * @context: as in weft_write()
 * @flags: as in weft_write()
 *
 * Return: 0 or a negative errno, see above.
 */
int weft_writev(struct weft_ep *ep, const struct iovec *iov, size_t count, uint32_t dst,
		const struct weft_rma_iov *rem, size_t nrem, uint64_t data, uint64_t context,
		uint32_t flags);

/**
 * weft_read() - read from a region of a peer, one segment
 * @ep: sending half
 * @buf: buffer for the bytes, may be NULL when @len is 0
 * @len: bytes
 * @dst: as in weft_write()
 * @raddr: as in weft_write()
 * @key: as in weft_write()
 * @context: as in weft_write()
 * @flags: WEFT_SQ_COMPLETION, _FENCE, the levels, and WEFT_MORE
 *
 * Return: 0 or a negative errno, see above.
 */
int weft_read(struct weft_ep *ep, void *buf, size_t len, uint32_t dst, uint64_t raddr,
	      uint64_t key, uint64_t context, uint32_t flags);

/**
 * weft_readv() - read from regions of a peer, several segments
 * @ep: sending half
 * @iov: local segments
 * @count: number of local segments, 0..WEFT_IOV_MAX
 * @dst: as in weft_write()
 * @rem: as in weft_writev()
 * @nrem: as in weft_writev()
 * @context: as in weft_write()
 * @flags: as in weft_read()
 *
 * Return: 0 or a negative errno, see above.
 */
int weft_readv(struct weft_ep *ep, const struct iovec *iov, size_t count, uint32_t dst,
	       const struct weft_rma_iov *rem, size_t nrem, uint64_t context, uint32_t flags);

/**
 * struct weft_atomic - an atomic operation on elements of regions of a peer
 * @op: WEFT_AOP_*
 * @type: WEFT_ATYPE_*
 * @kind: WEFT_ATOMIC_BASE, _FETCH or _COMPARE; WEFT_ATOMIC_VALID() tells what is supported
 * @len: bytes of the elements, a multiple of WEFT_ATYPE_SIZE(); at most WEFT_ATOMIC_MAX_COUNT
 *	elements and WEFT_ATOMIC_MAX_BYTES
 * @iov: operands, @len bytes; none with WEFT_AOP_READ
 * @count: number of their segments, 0..WEFT_IOV_MAX
 * @cmp: compare operands, @len bytes with WEFT_ATOMIC_COMPARE, else none
 * @ncmp: number of their segments
 * @res: results, the initial values: @len bytes, none with WEFT_ATOMIC_BASE
 * @nres: number of their segments
 * @rem: the elements, each aligned to its size
 * @nrem: number of their segments, 1..WEFT_IOV_MAX
 */
struct weft_atomic {
	uint8_t op;
	uint8_t type;
	uint8_t kind;
	uint64_t len;
	const struct iovec *iov;
	size_t count;
	const struct iovec *cmp;
	size_t ncmp;
	const struct iovec *res;
	size_t nres;
	const struct weft_rma_iov *rem;
	size_t nrem;
};

/**
 * weft_atomic() - execute an atomic operation on regions of a peer, see weft_atomic(3)
 * @ep: sending half
 * @a: the operation; the structure and all arrays may be reused when the call returns
 * @dst: as in weft_write()
 * @context: as in weft_write()
 * @flags: WEFT_SQ_INLINE (operands), _COMPLETION, _FENCE, the levels, and WEFT_MORE
 *
 * Operands may be changed when the entry has left the ring, with WEFT_SQ_INLINE at once. Results
 * are in place when the operation completes.
 *
 * Return: 0 or a negative errno, see above. Operations that are not supported, and elements that
 * are not aligned, have an error completion.
 */
int weft_atomic(struct weft_ep *ep, const struct weft_atomic *a, uint32_t dst, uint64_t context,
		uint32_t flags);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* _WEFT_RMA_H */
