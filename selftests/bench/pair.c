// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Both ends in one thread. */
#include "pair.h"

#define IDLE_TURNS 1000000  /* polls of both ends without a completion: the provider hangs */

static struct side *at(struct pair *p, int end)
{
	if (p->roam)
		side_enter(p->s[end]);
	return p->s[end];
}

bool pair_turn(struct pair *p, int end)
{
	int taken = side_reap(at(p, end));

	return taken || side_reap(at(p, !end));
}

static void turn(struct pair *p, int end, uint64_t *idle)
{
	if (pair_turn(p, end) || (p->wait && side_wait(p->s[end])))
		*idle = 0;
	else if (++*idle > IDLE_TURNS)
		bench_stop("nothing completes any more");
}

void pair_recv(struct pair *p, int end, void *buf, size_t len, uint64_t tag,
	       struct fi_context2 *ctx)
{
	uint64_t idle = 0;

	while (side_recv(at(p, end), buf, len, tag, ctx))
		turn(p, end, &idle);
}

void pair_send(struct pair *p, int end, const void *buf, size_t len, uint64_t tag)
{
	uint64_t idle = 0;

	while (side_send(at(p, end), buf, len, tag))
		turn(p, end, &idle);
}

void pair_sendmsg(struct pair *p, int end, const void *buf, size_t len, uint64_t tag,
		  uint64_t flags)
{
	uint64_t idle = 0;

	while (side_sendmsg(at(p, end), buf, len, tag, flags))
		turn(p, end, &idle);
}

void pair_inject(struct pair *p, int end, const void *buf, size_t len, uint64_t tag)
{
	uint64_t idle = 0;

	while (side_inject(at(p, end), buf, len, tag))
		turn(p, end, &idle);
}

void pair_put(struct pair *p, int end, const void *buf, size_t len)
{
	uint64_t idle = 0;

	while (side_put(at(p, end), buf, len, 0))
		turn(p, end, &idle);
}

void pair_write(struct pair *p, int end, const void *buf, size_t len)
{
	uint64_t idle = 0;

	while (side_write(at(p, end), buf, len, 0))
		turn(p, end, &idle);
}

void pair_writemsg(struct pair *p, int end, const void *buf, size_t len, size_t offset,
		   uint64_t flags)
{
	uint64_t idle = 0;

	while (side_writemsg(at(p, end), buf, len, offset, flags))
		turn(p, end, &idle);
}

void pair_read(struct pair *p, int end, void *buf, size_t len)
{
	uint64_t idle = 0;

	while (side_read(at(p, end), buf, len, 0))
		turn(p, end, &idle);
}

void pair_fetch(struct pair *p, int end, uint64_t *old)
{
	uint64_t idle = 0;

	while (side_fetch(at(p, end), old, 0))
		turn(p, end, &idle);
}

void pair_until(struct pair *p, int end,
		bool (*holds)(struct pair *p, int end, const struct area *a),
		const struct area *a)
{
	uint64_t idle = 0;

	while (!holds(p, end, a))
		if (pair_turn(p, end))
			idle = 0;
		else if (++idle > IDLE_TURNS)
			bench_stop("nothing arrives any more");
}

void pair_received(struct pair *p, int end, uint64_t count)
{
	uint64_t idle = 0;

	while (p->s[end]->received < count)
		turn(p, end, &idle);
}

void pair_sent(struct pair *p, int end, uint64_t count)
{
	uint64_t idle = 0;

	while (p->s[end]->sent < count)
		turn(p, end, &idle);
}

/* One message each way. */
static void pair_greet(struct pair *p)
{
	char buf[8] = {};
	int from;

	p->roam = true;
	for (from = 0; from < 2; from++) {
		pair_recv(p, !from, buf, sizeof(buf), 0, NULL);
		pair_inject(p, from, buf, sizeof(buf), 0);
		pair_received(p, !from, 1);
	}
	p->roam = false;
}

void pair_open(struct pair *p, const struct side_opts *a, const struct side_opts *b)
{
	char name[2][SIDE_ADDR];

	p->s[0] = side_open(a);
	p->s[1] = side_open(b);
	p->wait = a->block;
	side_name(p->s[0], name[0]);
	side_name(p->s[1], name[1]);
	side_peer(p->s[0], name[1]);
	side_peer(p->s[1], name[0]);
	pair_greet(p);
}

void pair_close(struct pair *p)
{
	side_close(p->s[0]);
	side_close(p->s[1]);
}
