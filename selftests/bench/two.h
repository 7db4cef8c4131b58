/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two processes, one end each, on one machine or on two
 *
 * The client prints. On one machine it is the parent, and the server is its child. They exchange
 * addresses and "ready" through a socket, never during a measurement.
 */
#ifndef BENCH_TWO_H
#define BENCH_TWO_H

#include "side.h"

/**
 * struct two - one of the two processes
 * @s: its end
 * @sock: to the other process
 * @client: the client
 * @apart: each process has a machine of its own
 * @sent: sends that have to complete, counted from the opening on
 * @received: receives that have to complete, likewise
 */
struct two {
	struct side *s;
	int sock;
	bool client;
	bool apart;
	uint64_t sent;
	uint64_t received;
};

/* Fork, open, connect. Returns in both processes. */
void two_open(struct two *t, const struct side_opts *client, const struct side_opts *server);
/* The same on one of two machines, whose processes have met (meet.h). */
void two_open_apart(struct two *t, const struct side_opts *own, bool client, int sock);
/* A server that was forked ends here. */
void two_close(struct two *t);
/* Wait here until both processes have come. */
void two_meet(struct two *t);

#endif
