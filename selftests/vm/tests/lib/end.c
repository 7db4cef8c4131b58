// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "end.h"
#include "faults.h"
#include "raw.h"

#define PATIENCE 60000	/* ms; longer than any operation takes */

/* ---- Calls that may fail --------------------------------------------------------------------- */

/*
 * Such a call keeps its effect when its results cannot be written at the end: it must not be
 * repeated.
 */
static bool call_stands(unsigned long req)
{
	return req == WEFT_IOC_EP_ENABLE || req == WEFT_IOC_LISTEN || req == WEFT_IOC_AV_INSERT ||
	       req == WEFT_IOC_AV_REMOVE || req == WEFT_IOC_SRQ_RESIZE ||
	       req == WEFT_IOC_GROUP_JOIN;
}

/* A call has been repeated. */
static bool again(const char *call, int err)
{
	return !err || wrong("%s, made again, says errno %d", call, -err);
}

bool end_call(int fd, const char *name, unsigned long req, void *arg, size_t size)
{
	char copy[1024];
	int err;

	memcpy(copy, arg, size);
	err = raw(fd, req, arg);
	if (fine(name, err))
		return true;
	if (err == -EFAULT && call_stands(req))
		return false;
	memcpy(arg, copy, size);
	return again(name, raw(fd, req, arg));
}

bool end_handle(int fd, const char *name, unsigned long req, __u32 handle)
{
	struct weft_ioc_handle arg = { .size = sizeof(arg), .handle = handle };

	return end_call(fd, name, req, &arg, sizeof(arg));
}

bool end_map(int fd, const struct weft_map *m, int prot, char **p)
{
	*p = raw_map(fd, m, prot);
	if (fine("mmap", *p ? 0 : -errno))
		return true;
	*p = raw_map(fd, m, prot);
	return again("mmap", *p ? 0 : -errno);
}

/* ---- An end ---------------------------------------------------------------------------------- */

bool end_open(struct end *e, int node)
{
	node_enter(node);
	e->fd = raw_open(node);
	if (fine("open", e->fd < 0 ? e->fd : 0))
		return true;
	e->fd = raw_open(node);
	return again("open", e->fd < 0 ? e->fd : 0);
}

void end_lend(struct end *e, const struct end *of)
{
	e->fd = of->fd;
	e->lent = true;
}

static bool end_queues(struct end *e, __u32 type)
{
	const int rw = PROT_READ | PROT_WRITE;

	e->cq.size = sizeof(e->cq);
	e->cq.slots = END_SLOTS;
	e->cntr.size = sizeof(e->cntr);
	e->cntr.flags = WEFT_CQF_COUNT;
	e->av.size = sizeof(e->av);
	return END_CALL(e->fd, CQ_CREATE, &e->cq) && END_CALL(e->fd, CQ_CREATE, &e->cntr) &&
	       (type == WEFT_EP_MSG || END_CALL(e->fd, AV_CREATE, &e->av)) &&
	       end_map(e->fd, &e->cq.ring, PROT_READ, &e->ring) &&
	       end_map(e->fd, &e->cq.doorbell, rw, &e->cqbell) &&
	       end_map(e->fd, &e->cq.status, PROT_READ, &e->cqstat) &&
	       end_map(e->fd, &e->ep.sq, rw, &e->sq) &&
	       (e->srq || end_map(e->fd, &e->ep.rq, rw, &e->rq)) &&
	       end_map(e->fd, &e->ep.doorbell, rw, &e->bell);
}

bool end_make(struct end *e, __u32 type)
{
	bool active = type != WEFT_EP_PASSIVE;

	e->eq.size = sizeof(e->eq);
	e->ep.size = sizeof(e->ep);
	e->ep.type = type;
	e->ep.flags = e->flags | (e->srq ? WEFT_EPF_SRQ : 0);
	e->ep.sq_slots = active ? END_SLOTS : 0;
	e->ep.rq_slots = active && !e->srq ? END_SLOTS : 0;
	if (e->key) {
		e->ep.key = (__u64)(uintptr_t)e->key;
		e->ep.key_size = strlen(e->key);
	}
	if (!END_CALL(e->fd, EQ_CREATE, &e->eq) || !END_CALL(e->fd, EP_CREATE, &e->ep))
		return false;
	if (!active)
		return true;
	if (!end_queues(e, type))
		return false;
	e->en.size = sizeof(e->en);
	e->en.handle = e->ep.handle;
	e->en.tx_cq = e->cq.handle;
	e->en.rx_cq = e->cq.handle;
	e->en.tx_cntr = e->cntr.handle;
	e->en.eq = e->eq.handle;
	e->en.av = e->av.handle;
	e->en.srq = e->srq;
	return END_CALL(e->fd, EP_ENABLE, &e->en);
}

static void unmap(char *p, const struct weft_map *m)
{
	if (p)
		raw_unmap(p, m);
}

static void shut(int fd)
{
	if (fd >= 0)
		close(fd);
}

void end_close(struct end *e)
{
	unmap(e->ring, &e->cq.ring);
	unmap(e->cqbell, &e->cq.doorbell);
	unmap(e->cqstat, &e->cq.status);
	unmap(e->sq, &e->ep.sq);
	unmap(e->rq, &e->ep.rq);
	unmap(e->bell, &e->ep.doorbell);
	shut(e->cq.fd);
	shut(e->cntr.fd);
	shut(e->eq.fd);
	if (!e->lent)
		shut(e->fd);
}

bool end_know(struct end *e, const struct weft_sockaddr *addr, __u32 *index)
{
	struct weft_ioc_av_insert in = { .size = sizeof(in), .handle = e->av.handle, .count = 1 };

	in.addrs = (__u64)(uintptr_t)addr;
	in.index = (__u64)(uintptr_t)index;
	if (!END_CALL(e->fd, AV_INSERT, &in))
		return false;
	return in.done == 1 || wrong("AV_INSERT says 0 and has not inserted");
}

/* ---- Messages -------------------------------------------------------------------------------- */

/* Slot @i of the completion ring, counted from the first entry ever. */
static const struct weft_cqe *slot(const struct end *e, __u32 i)
{
	return (const struct weft_cqe *)e->ring + (i & (END_SLOTS - 1));
}

/* The payload behind an entry is copied to the receive's buffer. */
static void settle(const struct end *e, const struct weft_cqe *c)
{
	char *to = (char *)(uintptr_t)c->buf;
	size_t left = c->len - c->olen, n;
	__u32 i;

	for (i = e->head + 1; left; i++, to += n, left -= n) {
		n = left < sizeof(*c) ? left : sizeof(*c);
		memcpy(to, slot(e, i), n);
	}
}

int end_completion(struct end *e, bool *sent)
{
	const struct weft_cqe *c = slot(e, e->head);
	int err, status;

	do { /* a call that reports a fault is repeated: there is only one fault */
		err = raw_wait(e->cq.fd, e->head, PATIENCE * 1000000ull);
	} while (err == -EFAULT || err == -ENOMEM);
	if (err)
		return err;
	if (__atomic_load_n(&c->seq, __ATOMIC_ACQUIRE) != e->head + 1)
		return -EIO;
	status = c->status;
	*sent = c->flags & WEFT_CQE_SEND;
	if (c->flags & WEFT_CQE_INLINE)
		settle(e, c);
	e->head += c->nslots;
	((volatile struct weft_cq_doorbell *)e->cqbell)->head = e->head;
	return status;
}

static bool notify(struct end *e, int what)
{
	int err = raw_notify(e->fd, e->ep.handle, what);

	/* the entry is in the ring: the notify call is repeated, as a program does */
	return fine("notify", err) || again("notify", raw_notify(e->fd, e->ep.handle, what));
}

bool end_send(struct end *e, __u32 dst, const void *buf, __u32 len, __u16 flags)
{
	volatile struct weft_ep_doorbell *bell = (void *)e->bell;
	struct weft_sqe *s = (struct weft_sqe *)e->sq + (bell->sq_tail & (END_SLOTS - 1));

	*s = (struct weft_sqe){ .op = WEFT_SQ_SEND, .nslots = 1, .context = 2, .dst = dst,
				.flags = WEFT_SQ_COMPLETION | flags,
				.addr = len ? (__u64)(uintptr_t)buf : 0,
				.len = len, .niov = !!len };
	if (e->ep.type != WEFT_EP_DGRAM)
		s->flags |= WEFT_SQ_DELIVERY;
	__atomic_store_n(&bell->sq_tail, bell->sq_tail + 1, __ATOMIC_RELEASE);
	return notify(e, WEFT_NOTIFY_SQ);
}

bool end_recv(struct end *e, void *buf, __u32 len)
{
	volatile struct weft_ep_doorbell *bell = (void *)e->bell;
	struct weft_rqe *r = (struct weft_rqe *)e->rq + (bell->rq_tail & (END_SLOTS - 1));

	*r = (struct weft_rqe){ .op = WEFT_RQ_RECV, .nslots = 1, .context = 1,
				.src = WEFT_SRC_ANY, .flags = WEFT_RQ_COMPLETION,
				.addr = len ? (__u64)(uintptr_t)buf : 0,
				.len = len, .niov = !!len };
	__atomic_store_n(&bell->rq_tail, bell->rq_tail + 1, __ATOMIC_RELEASE);
	return notify(e, WEFT_NOTIFY_RQ);
}

/* The completions of a message: both have come, or the sender's alone with an error. */
static bool message_ends(struct end *a, struct end *b)
{
	int sends = -1, recvs = -1, status;
	bool sent = false;

	while (sends < 0 || (recvs < 0 && !sends)) {
		bool wait_send = sends < 0;

		status = end_completion(wait_send ? a : b, &sent);
		if (status < 0)
			return wrong("no completion of the %s: errno %d",
				     wait_send ? "send" : "receive", -status);
		if (a != b && sent != wait_send)
			return wrong("a completion of the other kind");
		fine(sent ? "send" : "receive", -status);
		if (sent)
			sends = status;
		else
			recvs = status;
	}
	return !sends && !recvs;
}

bool end_message(struct end *a, __u32 dst, struct end *b, __u32 len, bool late)
{
	char *from = mmap(NULL, len + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			  0);
	char *to = mmap(NULL, len + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool ok;

	pattern_fill(from, len, len);
	ok = (late || end_recv(b, to, len)) && end_send(a, dst, from, len, 0) &&
	     (!late || end_recv(b, to, len)) && message_ends(a, b);
	if (ok && !pattern_is(to, len, len))
		ok = wrong("a message of %u bytes has others", len);
	munmap(from, len + 1);
	munmap(to, len + 1);
	return ok;
}

bool end_messages(struct end *a, __u32 dst, struct end *b)
{
	static const __u32 lens[] = { 0, 64, 3000, 30000, 400000 };
	bool ok = true;
	size_t i;

	for (i = 0; ok && i < 2 * sizeof(lens) / sizeof(lens[0]); i++)
		ok = end_message(a, dst, b, lens[i / 2], i & 1);
	return ok;
}

/* ---- Events ---------------------------------------------------------------------------------- */

/* Return: 0, -ETIMEDOUT: none comes; or the error of read(2). */
static int event_read(struct end *e, struct end_event *ev)
{
	struct pollfd p = { .fd = e->eq.fd, .events = POLLIN };

	if (poll(&p, 1, PATIENCE) <= 0)
		return -ETIMEDOUT;
	return read(e->eq.fd, ev, sizeof(*ev)) < 0 ? -errno : 0;
}

bool end_event(struct end *e, __u32 type, struct end_event *ev)
{
	int err = event_read(e, ev);

	if (!fine("read", err) && !again("read", event_read(e, ev)))
		return false;
	if (ev->ev.type == type)
		return true;
	if (!ev->ev.status)
		return wrong("event %u comes instead of %u", ev->ev.type, type);
	return fine("event", -(int)ev->ev.status);
}
