/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Both ends in one thread: steps of a measurement, in turn
 *
 * While it waits, the thread polls both ends, first the end that it waits for. Some providers
 * progress only when they are called.
 */
#ifndef BENCH_PAIR_H
#define BENCH_PAIR_H

#include "side.h"

/**
 * struct pair - both ends
 * @s: the ends
 * @wait: wait for what the link brings: the emulator serves NICs in a time of its own, and polls
 *        meanwhile would be counted
 * @roam: enter each end's namespace before it is called, as pair_open() does for first messages
 */
struct pair {
	struct side *s[2];
	bool wait;
	bool roam;
};

/*
 * Open both ends and exchange first messages. Providers make their sockets at the first use, in the
 * namespace where the thread is then.
 */
void pair_open(struct pair *p, const struct side_opts *a, const struct side_opts *b);
void pair_close(struct pair *p);

/* Poll both ends once, this one first. Return: a completion has come. */
bool pair_turn(struct pair *p, int end);

/* Post, and repeat the call until it succeeds: see side.h. */
void pair_recv(struct pair *p, int end, void *buf, size_t len, uint64_t tag,
	       struct fi_context2 *ctx);
void pair_send(struct pair *p, int end, const void *buf, size_t len, uint64_t tag);
void pair_sendmsg(struct pair *p, int end, const void *buf, size_t len, uint64_t tag,
		  uint64_t flags);
void pair_inject(struct pair *p, int end, const void *buf, size_t len, uint64_t tag);
/* One-sided operations on the first bytes that the other end exposes, the same */
void pair_put(struct pair *p, int end, const void *buf, size_t len);
void pair_write(struct pair *p, int end, const void *buf, size_t len);
void pair_writemsg(struct pair *p, int end, const void *buf, size_t len, size_t at,
		   uint64_t flags);
void pair_read(struct pair *p, int end, void *buf, size_t len);
void pair_fetch(struct pair *p, int end, uint64_t *old);

struct area;
/* Poll both ends, this one first, until a condition holds. */
void pair_until(struct pair *p, int end,
		bool (*holds)(struct pair *p, int end, const struct area *a),
		const struct area *a);
/* Wait until an end has received (sent) so many, counted from its opening. */
void pair_received(struct pair *p, int end, uint64_t count);
void pair_sent(struct pair *p, int end, uint64_t count);

#endif
