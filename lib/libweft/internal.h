/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Objects of libweft, and functions that its files share: ioctls, maps, loads and stores on shared
 * pages. Letters A to E name the pairings in <linux/weft_ring.h>.
 */
#ifndef _LIBWEFT_INTERNAL_H
#define _LIBWEFT_INTERNAL_H

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <weft/weft.h>

#include "hints.h"

#define LW_CACHE_LINE	64

/* A mapped part of the device. Objects share areas with several doorbells or status lines. */
struct lw_area {
	struct lw_area *next;
	uint64_t off;
	uint32_t len;
	unsigned int refs;
	void *mem;
};

/* An object's part of an area. */
struct lw_view {
	struct lw_area *area;
	void *at;
};

/*
 * Each ioctl that creates or destroys an object holds @lock, together with the maps of the object.
 * Else an offset that the kernel reuses could match the map of its former owner.
 */
struct weft_ctx {
	int fd;
	uint32_t seek;			/* 1: notify and wait are lseek(2); 0: ioctls */
	uint32_t timed;			/* 1: WEFT_NOTIFY_TIMED exists */
	pthread_mutex_t lock;
	unsigned int nobj;
	struct lw_area *areas;
};

struct weft_cq {
	struct weft_ctx *ctx;
	const struct weft_cqe *ring;
	uint32_t mask;
	uint32_t head;			/* next entry to read */
	uint32_t tail;			/* the kernel's tail, as last read */
	uint32_t settled;		/* payload before this entry has been copied */
	struct weft_cq_doorbell *doorbell;
	const struct weft_cq_status *status;
	int fd;
	uint32_t handle;
	struct lw_view view[3];
};

/* A counter: a completion queue without a ring */
struct weft_cntr {
	struct weft_ctx *ctx;
	struct weft_cq_doorbell *doorbell;
	const struct weft_cq_status *status;
	int fd;
	uint32_t handle;
	struct lw_view view[2];
};

/* Sending or receiving half of an endpoint, or shared receives: the producer's side of a ring. */
struct lw_queue {
	unsigned char *slots;		/* NULL: passive endpoint, or receives are shared */
	uint32_t size;			/* slots, a power of two; 0: none */
	uint32_t tail;			/* next slot to write */
	uint32_t head;			/* the kernel's head, as last read */
	uint32_t notify_if;		/* WEFT_ST_*_NOTIFY */
	uint32_t notify;			/* WEFT_NOTIFY_*; 0: WEFT_IOC_SRQ_NOTIFY */
	uint32_t handle;		/* handle of the object to be notified */
	int fd;
	uint32_t seek;			/* the context's, 0: without @notify */
	uint32_t *doorbell;
	const uint32_t *khead;
	const uint32_t *flags;
} __attribute__((aligned(LW_CACHE_LINE)));

struct weft_ep {
	struct lw_queue sq;
	struct lw_queue rq;
	struct weft_ctx *ctx;
	const struct weft_ep_status *status;
	uint32_t handle;
	struct lw_view view[4];
};

struct weft_srq {
	struct lw_queue rq;
	struct weft_ctx *ctx;
	const struct weft_ep_status *status;
	uint32_t handle;
	struct lw_view view[3];
};

struct weft_eq {
	struct weft_ctx *ctx;
	int fd;
	uint32_t handle;
	uint32_t pos;			/* unread events: buf[pos..len) */
	uint32_t len;
	unsigned char buf[2048] __attribute__((aligned(8)));
};

struct lw_av_addr {
	struct weft_sockaddr addr;
	uint32_t uses;			/* insertions minus removals; 0: no address */
};

struct weft_av {
	struct weft_ctx *ctx;
	uint32_t handle;
	uint32_t high;			/* above every index assigned so far */
	uint32_t room;			/* entries of @addr */
	struct lw_av_addr *addr;
};

/* ioctl(2) with a negative errno as result */
int lw_ioctl(int fd, unsigned long req, void *arg);

/* Notify an endpoint of the context @fd, again after a signal; @what: WEFT_NOTIFY_* */
void lw_notify(int fd, uint32_t seek, uint32_t handle, uint32_t what);

/*
 * Wait on the file @fd of a completion queue or counter: WEFT_CQ_SEEK_WAIT, which rounds up a
 * timeout that its encoding cannot represent, or WEFT_IOC_CQ_WAIT. Return: 0, -errno.
 */
int lw_wait(const struct weft_ctx *ctx, int fd, uint32_t seen, uint64_t timeout_ns);

/*
 * Create an object by ioctl @req, map its parts, and undo both. The caller holds ctx->lock;
 * lw_destroy() takes the lock.
 */
int lw_create(struct weft_ctx *ctx, unsigned long req, void *arg);
int lw_map(struct weft_ctx *ctx, const struct weft_map *map, int prot, struct lw_view *view);
int lw_destroy_locked(struct weft_ctx *ctx, uint32_t handle, struct lw_view *view,
		      unsigned int count);
int lw_destroy(struct weft_ctx *ctx, uint32_t handle, struct lw_view *view, unsigned int count);
void lw_unmap(struct weft_ctx *ctx, struct lw_area *area);

static inline uint32_t lw_load(const uint32_t *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static inline uint32_t lw_load_acquire(const uint32_t *p)
{
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

static inline void lw_store_release(uint32_t *p, uint32_t val)
{
	__atomic_store_n(p, val, __ATOMIC_RELEASE);
}

/* 16 bytes in a register */
typedef uint64_t lw_pair __attribute__((vector_size(16)));

/* Copy 1 to 64 bytes without a call, for which a caller would save registers. */
WEFT_INLINED void lw_copy_few(void *dst, const void *src, size_t len)
{
	const unsigned char *from = src;
	unsigned char *to = dst;
	lw_pair a, b, c, d;
	uint64_t x, y;
	uint32_t v, w;

	if (!weft_unlikely(len - 8 > 8)) {
		memcpy(&x, from, 8);
		memcpy(&y, from + len - 8, 8);
		memcpy(to, &x, 8);
		memcpy(to + len - 8, &y, 8);
	} else if (len > 16) {
		memcpy(&a, from, 16);
		memcpy(&b, from + len - 16, 16);
		if (len > 32) {
			memcpy(&c, from + 16, 16);
			memcpy(&d, from + len - 32, 16);
			memcpy(to + 16, &c, 16);
			memcpy(to + len - 32, &d, 16);
		}
		memcpy(to, &a, 16);
		memcpy(to + len - 16, &b, 16);
	} else if (len > 3) {
		memcpy(&v, from, 4);
		memcpy(&w, from + len - 4, 4);
		memcpy(to, &v, 4);
		memcpy(to + len - 4, &w, 4);
	} else {
		to[0] = from[0];
		to[len / 2] = from[len / 2];
		to[len - 1] = from[len - 1];
	}
}

/* memcpy() that makes no call for a few bytes */
static inline void lw_copy(void *dst, const void *src, size_t len)
{
	if (len - 1 < 64)
		lw_copy_few(dst, src, len);
	else
		memcpy(dst, src, len);
}

static inline void lw_full_barrier(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* compat.c: functions of earlier releases */
int lw_ep_create_0_1(struct weft_ctx *ctx, struct weft_ep_attr *attr, struct weft_ep **ep);
int lw_ep_enable_all_0_1(struct weft_ep *ep, const struct weft_ep_queues *q);

#endif /* _LIBWEFT_INTERNAL_H */
