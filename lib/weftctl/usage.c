// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What each process, path or endpoint does. Each object adds to the one that it belongs to.
 *
 * The kernel counts the messages of endpoints with their bytes, and the packets of paths. The
 * difference of two looks is what was sent between them. A path has no count of messages. But the
 * messages of its flows have numbers, whose difference is their count; datagrams have none.
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

/* The same for tallies */
static int by_origin(const void *a, const void *b)
{
	const struct tally *x = *(const struct tally *const *)a;
	const struct tally *y = *(const struct tally *const *)b;
	int diff = DIFFER(x->is_path, y->is_path);

	diff = diff ? diff : strcmp(x->port, y->port);
	diff = diff ? diff : DIFFER(x->ctx, y->ctx);
	diff = diff ? diff : DIFFER(x->pid, y->pid);
	return diff ? diff : memcmp(&x->addr, &y->addr, sizeof(x->addr));
}

/* Objects of the look before, in the order of @compare */
struct earlier {
	const void **all;
	size_t n;
	int (*compare)(const void *a, const void *b);
};

static int sort_earlier(struct earlier *e, const void *all, size_t n, size_t size,
			int (*compare)(const void *a, const void *b))
{
	size_t i;

	*e = (struct earlier){ .all = malloc((n + 1) * sizeof(*e->all)), .n = n,
			       .compare = compare };
	if (!e->all)
		return -1;
	for (i = 0; i < n; i++)
		e->all[i] = (const char *)all + i * size;
	qsort(e->all, n, sizeof(*e->all), compare);
	return 0;
}

/* The same object as @x in the look before. It is @none if the object is new: it began at 0. */
static const void *earlier(const struct earlier *e, const void *x, const void *none)
{
	const void **found = bsearch(&x, e->all, e->n, sizeof(*e->all), e->compare);

	return found ? *found : none;
}

/* The look before; without it nothing is known of what was sent since */
struct past {
	bool known;
	struct earlier seen;
	struct earlier tallies;
};

static int recall(struct past *past, const struct look *before)
{
	static const struct look none;

	past->known = before;
	if (!before)
		before = &none;
	return sort_earlier(&past->seen, before->all, before->n, sizeof(*before->all),
			    by_identity) ||
	       sort_earlier(&past->tallies, before->tallies, before->ntallies,
			    sizeof(*before->tallies), by_origin) ? -1 : 0;
}

/* What has been added to a count; one that went down is of another object with that name */
static uint64_t more(uint64_t before, uint64_t now)
{
	return now < before ? now : now - before;
}

static const struct seen *seen_before(const struct past *past, const struct seen *x)
{
	static const struct seen none;

	return earlier(&past->seen, x, &none);
}

static void add_flow(struct usage *u, const struct past *past, const struct seen *x)
{
	uint32_t count;

	/* within the node messages have no numbers */
	if (!past->known || !x->last)
		return;
	count = count_between(seen_before(past, x)->last, x->last);
	u->has_messages = true;
	u->sent = x->in ? 0 : count;
	u->received = x->in ? count : 0;
}

static void add_path(struct usage *u, const struct past *past, const struct seen *x)
{
	strcpy(u->state, x->state);
	u->srtt = x->srtt;
	u->cwnd = x->cwnd;
	u->flight = x->flight;
	if (past->known)
		u->retrans = more(seen_before(past, x)->retrans, x->retrans);
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

static bool add(struct usage *u, enum usage_by by, const struct past *past, const struct seen *x)
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
		/* its endpoint has been counted */
		if (by == USAGE_PATH)
			add_flow(u, past, x);
		return true;
	case SEEN_PATH:
		add_path(u, past, x);
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

/* Return: false: it is nobody's in this view */
static bool add_tally(struct usage *u, enum usage_by by, const struct past *past,
		      const struct tally *x)
{
	static const struct tally none;
	const struct tally *before = earlier(&past->tallies, x, &none);
	bool by_path = by == USAGE_PATH;

	memset(u, 0, sizeof(*u));
	if (!past->known || x->is_path != by_path)
		return false;
	strcpy(u->port, x->port);
	strcpy(u->comm, x->comm);
	u->pid = x->pid;
	u->uid = x->uid;
	if (by != USAGE_PROCESS)
		u->addr = x->addr;
	if (by == USAGE_ENDPOINT)
		u->ctx = x->ctx;
	u->has_bytes = true;
	u->sent_bytes = more(before->sent_bytes, x->sent_bytes);
	u->received_bytes = more(before->received_bytes, x->received_bytes);
	u->has_messages = !x->is_path;
	*(x->is_path ? &u->sent_packets : &u->sent) = more(before->sent, x->sent);
	*(x->is_path ? &u->received_packets : &u->received) = more(before->received, x->received);
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

/* Messages, bytes, then what waits: the most first. Equal ones stay in one order. */
static int busier(const void *a, const void *b)
{
	const struct usage *x = a, *y = b;
	int diff = DIFFER(y->sent + y->received, x->sent + x->received);

	diff = diff ? diff : DIFFER(y->sent_bytes + y->received_bytes,
				    x->sent_bytes + x->received_bytes);
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
	to->has_messages |= more->has_messages;
	to->sent += more->sent;
	to->received += more->received;
	to->has_bytes |= more->has_bytes;
	to->sent_bytes += more->sent_bytes;
	to->received_bytes += more->received_bytes;
	to->sent_packets += more->sent_packets;
	to->received_packets += more->received_packets;
	to->retrans += more->retrans;
	if (to->oldest_ms < more->oldest_ms)
		to->oldest_ms = more->oldest_ms;
}

long usage_of(enum usage_by by, const struct look *now, const struct look *before,
	      struct usage **to)
{
	struct usage *all = malloc((now->n + now->ntallies + 1) * sizeof(*all));
	struct past past = { 0 };
	size_t i, n = 0, found = 0;
	int err = !all || recall(&past, before);

	for (i = 0; i < now->n && !err; i++)
		n += add(&all[n], by, &past, &now->all[i]);
	for (i = 0; i < now->ntallies && !err; i++)
		n += add_tally(&all[n], by, &past, &now->tallies[i]);
	free(past.seen.all);
	free(past.tallies.all);
	if (err) {
		free(all);
		all = NULL;
	}
	*to = all;
	if (err)
		return -1;
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
