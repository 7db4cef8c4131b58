/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two processes, one end each. The one that was started is the client and prints; its child is the
 * server. They tell each other addresses and "ready" through a socket pair, never while something
 * is measured.
 */
#ifndef BENCH_TWO_H
#define BENCH_TWO_H

#include "side.h"

/**
 * struct two - one of the two processes
 * @s: its end
 * @sock: to the other one
 * @client: the client
 * @sent: sends that have to complete, from the opening on
 * @received: and receives
 */
struct two {
	struct side *s;
	int sock;
	bool client;
	uint64_t sent;
	uint64_t received;
};

/* Fork, open, connect. Returns in both processes. */
void two_open(struct two *t, const struct side_opts *client, const struct side_opts *server);
/* The server ends here. */
void two_close(struct two *t);
/* Both come here before one goes on. */
void two_meet(struct two *t);

#endif
