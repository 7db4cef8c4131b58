/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two RDM endpoints of this process that know each other, over libweft: for tests of the process's
 * memory.
 */
#ifndef WEFT_WPAIR_H
#define WEFT_WPAIR_H

#include <stddef.h>
#include <sys/uio.h>
#include <weft/weft.h>
#include "check.h"

/**
 * struct wside - one end, a context of its own
 * @ctx: context
 * @cq: completions of both directions
 * @av: address vector
 * @ep: endpoint
 * @peer: index of the other end
 */
struct wside {
	struct weft_ctx *ctx;
	struct weft_cq *cq;
	struct weft_av *av;
	struct weft_ep *ep;
	uint32_t peer;
};

/**
 * struct wpair - two ends
 * @a: sends; of node 0
 * @b: receives; of node 0 or 1
 */
struct wpair {
	struct wside a;
	struct wside b;
};

/* One end alone, in the caller's namespace. @addr: out: its address */
bool wside_open(struct wside *s, const char *port, struct weft_sockaddr *addr);

bool wpair_open(struct wpair *p, bool apart);
/* Both ends are in node 0, where the caller is already. The caller may be an ordinary user. */
bool wpair_open_here(struct wpair *p);
bool wpair_close(struct wpair *p);

/* Wait for one side's next completion, whatever its status is. */
bool wside_completion(struct wside *s, struct weft_cqe *e);

/* One message from @a to @b, of segments; both succeed. */
bool wpair_movev(struct wpair *p, const struct iovec *src, size_t nsrc, const struct iovec *dst,
		 size_t ndst);
bool wpair_move(struct wpair *p, const void *src, void *dst, size_t len);

/* The same with contents of its own, which are checked afterwards. */
bool wpair_check(struct wpair *p, void *src, void *dst, size_t len, uint32_t seed);

/* Bytes that the kernel says this process has pinned. */
size_t vm_pinned(void);
/* Wait until the kernel says that this much is pinned. */
bool vm_pinned_becomes(size_t bytes);

#endif
