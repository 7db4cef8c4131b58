/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Announced messages: side A of the row's pair sends; side B gets an announcement, and claims or
 * discards. For tests of buffered receives and of variable messages.
 */
#ifndef WEFT_TOLD_H
#define WEFT_TOLD_H

#include "rows.h"

#define LIMIT	4096u		/* FI_OPT_BUFFERED_LIMIT */
#define MIN	100u		/* FI_OPT_BUFFERED_MIN */
#define LONG	(1u << 20)	/* this length stays at the sender until it is claimed */
#define PLAIN	(~0ull)		/* instead of a tag: untagged */

#ifndef FI_BUFFERED_RECV
#define FI_BUFFERED_RECV (1ULL << 51)
#endif

/* options of rows: announcements at once; FI_BUFFERED_RECV; FI_VARIABLE_MSG */
#define SIZED .o.limit = LIMIT, .o.min = MIN
#define MODE .o.mode = FI_BUFFERED_RECV, SIZED
#define VARIABLE .o.caps = FI_VARIABLE_MSG, SIZED

/* lengths on either side of each limit */
#define NLENS 9
extern const size_t lens[NLENS];

/* contents of an announcement */
struct told {
	struct fi_recv_context *ctx;
	const uint8_t *buf;
	struct fi_cq_tagged_entry c;
};

/* A sends. Messages that are under way at the same time have places of their own in sbuf. */
bool sends(size_t at, size_t len, uint64_t tag, unsigned int n);
/* @n of A's sends are complete, in any order. */
bool sent(unsigned int n);

/* B's next completion announces message @n. @user: context of the posted tag. */
bool announced_as(struct told *t, size_t len, uint64_t tag, unsigned int n, void *user,
		  uint64_t more);
/* The same, untagged. */
bool announced(struct told *t, size_t len, unsigned int n);

/* B claims or discards, according to @flags. Return: the call's result. */
ssize_t settle_iov(void *context, const struct iovec *iov, size_t count, bool tagged,
		   uint64_t flags);
ssize_t settle(void *context, void *buf, size_t len, bool tagged, uint64_t flags);
/* B's next completion is that of a claim. */
bool claimed(void *user, size_t len, uint64_t tag, uint64_t more);
/* Claim all of message @n. */
bool claim(struct told *t, size_t len, uint64_t tag, unsigned int n);
bool discard(struct told *t, bool tagged);

/* Ask for offers. Return: number of offers; @mode, @caps: of all of them. */
int offers(enum fi_ep_type type, uint64_t caps, uint64_t hmode, size_t rx_ctx, uint64_t *mode,
	   uint64_t *got);

#endif
