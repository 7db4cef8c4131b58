// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What each process, path or endpoint does. Each object adds to the one that it belongs to.
 *
 * The kernel does not count messages by process or endpoint. But the messages of a flow between
 * nodes have numbers: the difference of two looks is the number of messages. Messages within the
 * node and datagrams have none.
 */
#include <stdlib.h>
#include <string.h>

#include "rates.h"
#include "usage.h"

/* ---- What has changed since the look before ---------------------------------------------- */

#define DIFFER(a, b)	((a) < (b) ? -1 : (a) > (b))

/* By what makes a flow or a path the same one in both looks */
static int by_identity(const void *a, const void *b)
{
	const struct seen *x = *(const struct seen *const *)a;
	const struct seen *y = *(const struct seen *const *)b;
	int diff = DIFFER(x->kind, y->kind);

	diff = diff ? diff : strcmp(x->port, y->port);
	diff = diff ? diff : DIFFER(x->ctx, y->ctx);
	diff = diff ? diff : DIFFER(x->pid, y->pid);
	diff = diff ? diff : DIFFER(x->in, y->in);
	diff = diff ? diff : memcmp(&x->ep, &y->ep, sizeof(x->ep));
	return diff ? diff : memcmp(&x->peer, &y->peer, sizeof(x->peer));
}

/* Flows and paths of the look before, in order */
struct earlier {
	const struct seen **all;
	size_t n;
	bool known;
};

static int sort_earlier(struct earlier *e, const struct look *before)
{
	size_t i, n = before ? before->n : 0;

	*e = (struct earlier){ .all = malloc((n + 1) * sizeof(*e->all)), .known = before };
	if (!e->all)
		return -1;
	for (i = 0; i < n; i++)
		if (before->all[i].kind == SEEN_FLOW || before->all[i].kind == SEEN_PATH)
			e->all[e->n++] = &before->all[i];
	qsort(e->all, e->n, sizeof(*e->all), by_identity);
	return 0;
}

/* The same object in the look before. It is @none if the object is new: it began at 0. */
static const struct seen *earlier(const struct earlier *e, const struct seen *x)
{
	static const struct seen none;
	const struct seen **found = bsearch(&x, e->all, e->n, sizeof(*e->all), by_identity);

	return found ? *found : &none;
}

static void add_flow(struct usage *u, const struct earlier *e, const struct seen *x)
{
	uint32_t count;

	/* within the node messages have no numbers */
	if (!e->known || !x->last)
		return;
	count = count_between(earlier(e, x)->last, x->last);
	u->numbered = true;
	u->sent = x->in ? 0 : count;
	u->received = x->in ? count : 0;
}

static void add_path(struct usage *u, const struct earlier *e, const struct seen *x)
{
	uint64_t before = earlier(e, x)->retrans;

	strcpy(u->state, x->state);
	u->srtt = x->srtt;
	u->cwnd = x->cwnd;
	u->flight = x->flight;
	if (e->known)
		u->retrans = x->retrans < before ? x->retrans : x->retrans - before;
}

/* ---- What an object adds to whom --------------------------------------------------------- */

/* Write whose object it is. Return: false: nobody's in this view */
static bool owner(struct usage *u, enum usage_by by, const struct seen *x)
{
	strcpy(u->port, x->port);
	if (by == USAGE_PATH) {
		u->addr = x->peer;
		u->addr.port = 0;
		return x->peer.family && x->kind != SEEN_EP;
	}
	/* an incoming flow whose endpoint has gone is nobody's */
	if (x->kind == SEEN_PATH || x->kind == SEEN_PORT || (x->kind == SEEN_FLOW && !x->ep.family))
		return false;
	u->pid = x->pid;
	u->uid = x->uid;
	strcpy(u->comm, x->comm);
	if (by == USAGE_PROCESS)
		return true;
	u->addr = x->ep;
	u->ctx = x->ctx;
	u->srq = x->srq;
	return x->ep.family || x->srq;
}

static bool add(struct usage *u, enum usage_by by, const struct earlier *e, const struct seen *x)
{
	memset(u, 0, sizeof(*u));
	if (!owner(u, by, x))
		return false;
	switch (x->kind) {
	case SEEN_RECV:
		u->recvs = 1;
		break;
	case SEEN_MSG:
		u->msgs = 1;
		u->came = x->came;
		break;
	case SEEN_SEND:
		u->sends = 1;
		break;
	case SEEN_CQ:
	case SEEN_PORT:
		return false;
	case SEEN_FLOW:
		add_flow(u, e, x);
		return true;
	case SEEN_PATH:
		add_path(u, e, x);
		return true;
	case SEEN_EP:
		u->endpoints = 1;
		if (by == USAGE_ENDPOINT)
			strcpy(u->state, x->state);
		return true;
	}
	u->oldest_ms = x->age_ms;
	return true;
}

/* ---- All of them -------------------------------------------------------------------------- */

static int by_owner(const void *a, const void *b)
{
	const struct usage *x = a, *y = b;
	int diff = strcmp(x->port, y->port);

	diff = diff ? diff : DIFFER(x->pid, y->pid);
	diff = diff ? diff : DIFFER(x->ctx, y->ctx);
	diff = diff ? diff : DIFFER(x->srq, y->srq);
	diff = diff ? diff : memcmp(&x->addr, &y->addr, sizeof(x->addr));
	return diff;
}

/* Messages, then what waits: the most first. Equal ones stay in one order. */
static int busier(const void *a, const void *b)
{
	const struct usage *x = a, *y = b;
	int diff = DIFFER(y->sent + y->received, x->sent + x->received);

	diff = diff ? diff : DIFFER(y->sends + y->msgs, x->sends + x->msgs);
	diff = diff ? diff : DIFFER(y->oldest_ms, x->oldest_ms);
	return diff ? diff : by_owner(a, b);
}

static void merge(struct usage *to, const struct usage *more)
{
	if (more->state[0]) {
		strcpy(to->state, more->state);
		to->srtt = more->srtt;
		to->cwnd = more->cwnd;
		to->flight = more->flight;
	}
	if (!to->comm[0])
		strcpy(to->comm, more->comm);
	to->endpoints += more->endpoints;
	to->sends += more->sends;
	to->recvs += more->recvs;
	to->msgs += more->msgs;
	to->came += more->came;
	to->numbered |= more->numbered;
	to->sent += more->sent;
	to->received += more->received;
	to->retrans += more->retrans;
	if (to->oldest_ms < more->oldest_ms)
		to->oldest_ms = more->oldest_ms;
}

long usage_of(enum usage_by by, const struct look *now, const struct look *before,
	      struct usage **to)
{
	struct usage *all = malloc((now->n + 1) * sizeof(*all));
	struct earlier e = { 0 };
	size_t i, n = 0, found = 0;

	*to = all;
	if (!all || sort_earlier(&e, before)) {
		free(all);
		*to = NULL;
		return -1;
	}
	for (i = 0; i < now->n; i++)
		n += add(&all[n], by, &e, &now->all[i]);
	free(e.all);
	qsort(all, n, sizeof(*all), by_owner);
	for (i = 0; i < n; i++) {
		if (found && !by_owner(&all[found - 1], &all[i]))
			merge(&all[found - 1], &all[i]);
		else
			all[found++] = all[i];
	}
	qsort(all, found, sizeof(*all), busier);
	return (long)found;
}
