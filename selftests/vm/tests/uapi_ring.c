// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Wrong contents of rings and doorbells
 *
 * An entry that can be decoded but is wrong gives an error completion with its context, and later
 * entries work. An entry that cannot be decoded stops its endpoint with an event. An impossible
 * consumer index stops its queue. The kernel continues in every case.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "raw.h"

static int fd;
static struct raw_rdm r;

/* An endpoint sends itself a message: receive, inline send, both completions. */
static bool works(__u64 value)
{
	struct weft_sqe *s;
	struct weft_cqe e;
	bool sent = false, got = false;
	__u64 payload;

	raw_rqe(&r, WEFT_RQ_RECV, value + 1);
	CHECK_EQ(raw_post_rq(&r, 1), 0);
	s = raw_sqe(&r, WEFT_SQ_SEND, value);
	s->flags |= WEFT_SQ_INLINE;
	s->nslots = 2;
	s->len = sizeof(value);
	memcpy(&r.ep.sq[(r.ep.doorbell->sq_tail + 1) & (r.ep.e.sq_slots - 1)], &value,
	       sizeof(value));
	CHECK_EQ(raw_post_sq(&r, 2), 0);
	while (!sent || !got) {
		__u32 at = r.cq.head;

		CHECK(raw_completion(&r.cq, &e));
		if (e.flags & WEFT_CQE_SEND) {
			CHECK_EQ(e.context, value);
			CHECK_EQ(e.status, 0);
			sent = true;
			continue;
		}
		/* the receive is empty: cut, and reported */
		CHECK_EQ(e.context, value + 1);
		CHECK_EQ(e.status, EMSGSIZE);
		CHECK_EQ(e.len, sizeof(value));
		CHECK_EQ(e.olen, sizeof(value));
		if (e.flags & WEFT_CQE_INLINE && e.nslots == 2) {
			memcpy(&payload, &r.cq.ring[(at + 1) & (r.cq.c.slots - 1)],
			       sizeof(payload));
			CHECK_EQ(payload, value);
		}
		got = true;
	}
	CHECK(raw_quiet(&r.cq));
	return true;
}

struct wrong {
	const char *what;
	unsigned int at;
	unsigned int bytes;
	__u64 value;
	int err;
};

#define SQ(field, value, err)	{ "send: " #field " " #value, offsetof(struct weft_sqe, field), \
				  sizeof(((struct weft_sqe *)0)->field), value, err }
#define RQ(field, value, err)	{ "receive: " #field " " #value, offsetof(struct weft_rqe, field), \
				  sizeof(((struct weft_rqe *)0)->field), value, err }

static const struct wrong sends[] = {
	SQ(op, 0, EOPNOTSUPP),
	SQ(op, 3, EOPNOTSUPP),
	SQ(op, 255, EOPNOTSUPP),
	SQ(flags, 0x8000, EINVAL),
	SQ(flags, WEFT_SQ_COMPLETION | 0x0400, EINVAL),
	SQ(flags, WEFT_SQ_GROUP, EINVAL),
	SQ(flags, WEFT_SQ_FENCE, EINVAL),
	SQ(dst, 1, EINVAL),
	SQ(dst, 0xffffffff, EINVAL),
	SQ(addr, 4096, EINVAL),
	SQ(len, 1, EINVAL),
	SQ(len, ~0ull, EMSGSIZE),
	SQ(tag, 1, EINVAL),
	SQ(data, 1, EINVAL),
	SQ(niov, 2, EINVAL),
	SQ(niov, 9, EINVAL),
	SQ(niov, 0xffffffff, EINVAL),
	SQ(nrem, 1, EINVAL),
	SQ(raddr, 1ull << 63, EINVAL),
};

static const struct wrong receives[] = {
	RQ(op, 0, EOPNOTSUPP),
	RQ(op, WEFT_RQ_PEEK, ENOMSG),
	RQ(op, WEFT_RQ_CLAIM, EINVAL),
	RQ(op, WEFT_RQ_DISCARD, EINVAL),
	RQ(op, WEFT_RQ_REGION, EOPNOTSUPP),
	RQ(op, 255, EOPNOTSUPP),
	RQ(flags, 0x8001, EINVAL),
	RQ(flags, WEFT_RQ_MULTI, EINVAL),
	RQ(flags, WEFT_RQ_KEEP, EINVAL),
	RQ(flags, WEFT_RQ_DROP, EINVAL),
	RQ(addr, 4096, EINVAL),
	RQ(len, 1, EINVAL),
	RQ(tag, 1, EINVAL),
	RQ(ignore, 1, EINVAL),
	RQ(niov, 2, EINVAL),
	RQ(niov, 9, EINVAL),
	RQ(part, 1, EINVAL),
	RQ(rsvd2, 1, EINVAL),
};

static bool refused(const struct wrong *w, bool send, __u64 context)
{
	struct weft_cqe e;
	char *slot;

	slot = send ? (char *)raw_sqe(&r, WEFT_SQ_SEND, context)
		    : (char *)raw_rqe(&r, WEFT_RQ_RECV, context);
	memcpy(slot + w->at, &w->value, w->bytes);
	CHECK_EQ(send ? raw_post_sq(&r, 1) : raw_post_rq(&r, 1), 0);
	CHECK(raw_completion(&r.cq, &e));
	CHECK_EQ(e.context, context);
	CHECK_EQ(e.status, w->err);
	CHECK_EQ(!!(e.flags & WEFT_CQE_SEND), send);
	CHECK_EQ(e.ep, r.ep.e.handle & 0xffff);
	CHECK_EQ(e.nslots, 1);
	CHECK_EQ(e.rsvd, 0);
	CHECK(!(r.ep.status->flags & WEFT_ST_ERROR));
	return true;
}

static bool all_refused(const struct wrong *w, unsigned int n, bool send)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (!refused(&w[i], send, 0xc0ffee00 + i)) {
			printf("# %s\n", w[i].what);
			return false;
		}
	}
	return works(0x1111);
}

static bool wrong_sends(void)
{
	return all_refused(sends, sizeof(sends) / sizeof(sends[0]), true);
}

static bool wrong_receives(void)
{
	return all_refused(receives, sizeof(receives) / sizeof(receives[0]), false);
}

/* Missing memory. */
static bool bad_memory(void)
{
	struct weft_sqe *s;
	struct weft_cqe e;
	int i;

	for (i = 0; i < 3; i++) {
		s = raw_sqe(&r, WEFT_SQ_SEND, 5);
		s->niov = 1;
		s->addr = i == 0 ? 4096 : i == 1 ? 0xffff800000000000ull : ~0ull - 50;
		s->len = 100;
		CHECK_EQ(raw_post_sq(&r, 1), 0);
		CHECK(raw_completion(&r.cq, &e));
		CHECK_EQ(e.context, 5);
		CHECK_EQ(e.status, EFAULT);
	}
	return works(0x2222);
}

/* The endpoint accepts no more: flag, event once; its queue and a new endpoint work. */
static bool stopped(void)
{
	struct weft_event ev;
	struct raw_rdm other;

	CHECK(r.ep.status->flags & WEFT_ST_ERROR);
	CHECK_EQ(read(r.eq.fd, &ev, sizeof(ev)), sizeof(ev));
	CHECK_EQ(ev.type, WEFT_EV_EP_ERROR);
	CHECK_EQ(ev.handle, r.ep.e.handle);
	CHECK(ev.status);
	CHECK_EQ(ev.data_len, 0);
	CHECK_EQ(fcntl(r.eq.fd, F_SETFL, O_NONBLOCK), 0);
	CHECK_EQ(read(r.eq.fd, &ev, sizeof(ev)) < 0 ? errno : 0, EAGAIN);
	/* a valid entry changes nothing now */
	raw_rqe(&r, WEFT_RQ_RECV, 1);
	raw_post_rq(&r, 1);
	raw_sqe(&r, WEFT_SQ_SEND, 1);
	raw_post_sq(&r, 1);
	CHECK_EQ(read(r.eq.fd, &ev, sizeof(ev)) < 0 ? errno : 0, EAGAIN);
	CHECK_EQ(raw_handle(fd, WEFT_IOC_DESTROY, r.ep.e.handle), 0);
	other = r;
	CHECK(raw_rdm_new(fd, 16, &r));
	CHECK(works(0x3333));
	r = other;
	return true;
}

static bool sq_nslots(__u8 nslots)
{
	raw_sqe(&r, WEFT_SQ_SEND, 9)->nslots = nslots;
	raw_post_sq(&r, 1);
	return stopped();
}

static bool rq_nslots(__u8 nslots)
{
	raw_rqe(&r, WEFT_RQ_RECV, 9)->nslots = nslots;
	raw_post_rq(&r, 1);
	return stopped();
}

static bool sq_none(void)
{
	return sq_nslots(0);
}

static bool sq_cut(void)
{
	return sq_nslots(2);
}

static bool sq_many(void)
{
	return sq_nslots(WEFT_NSLOTS_MAX + 1);
}

static bool rq_none(void)
{
	return rq_nslots(0);
}

static bool rq_cut(void)
{
	return rq_nslots(3);
}

static bool sq_far(void)
{
	raw_post_sq(&r, r.ep.e.sq_slots + 1);
	return stopped();
}

static bool rq_far(void)
{
	raw_post_rq(&r, ~0u);
	return stopped();
}

/* A queue whose reader stores a false consumer index. */
static bool cq_head(void)
{
	CHECK(works(0x4444));
	r.cq.doorbell->head = r.cq.head + 1000;
	raw_sqe(&r, 99, 1);
	CHECK_EQ(raw_post_sq(&r, 1), 0);
	raw(r.cq.c.fd, WEFT_IOC_CQ_NOTIFY, NULL);
	/* seen at the latest when the kernel looks for free slots */
	while (!(r.cq.status->flags & WEFT_ST_CQ_ERROR) &&
	       r.cq.status->tail - r.cq.head <= r.cq.c.slots) {
		raw_sqe(&r, 99, 1);
		CHECK_EQ(raw_post_sq(&r, 1), 0);
	}
	CHECK(r.cq.status->flags & WEFT_ST_CQ_ERROR);
	return true;
}

/* Random entries and indices, many times: errors are the only effect. */
static bool torn(void)
{
	volatile __u64 *sq = (volatile __u64 *)r.ep.sq, *rq = (volatile __u64 *)r.ep.rq;
	uint64_t until = now_ms() + 1500;
	__u64 x = 88172645463325252ull;

	while (now_ms() < until) {
		int i;

		for (i = 0; i < 200; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			sq[x % (r.ep.e.sq_slots * 8)] = x >> (x & 63);
			rq[(x >> 20) % (r.ep.e.rq_slots * 8)] = x >> ((x >> 8) & 63);
		}
		r.ep.doorbell->sq_tail = x;
		r.ep.doorbell->rq_tail = x >> 32;
		if (x & 7) {
			r.ep.doorbell->sq_tail = r.ep.status->sq_head + (x >> 40) % 16;
			r.ep.doorbell->rq_tail = r.ep.status->rq_head + (x >> 50) % 16;
		}
		r.cq.doorbell->head = r.cq.status->tail;
		raw_post_sq(&r, 0);
		raw_post_rq(&r, 0);
		if (r.ep.status->flags & WEFT_ST_ERROR) {
			CHECK(raw_rdm_free(&r) && raw_rdm_new(fd, 16, &r));
			sq = (volatile __u64 *)r.ep.sq;
			rq = (volatile __u64 *)r.ep.rq;
		}
	}
	return true;
}

static bool begin(void)
{
	fd = raw_open(0);
	return fd >= 0 && raw_rdm_new(fd, 16, &r);
}

int main(void)
{
	node_enter(0);
	raw_in_child(begin, wrong_sends, "wrong entry", "sends");
	raw_in_child(begin, wrong_receives, "wrong entry", "receives");
	raw_in_child(begin, bad_memory, "wrong entry", "memory that is not there");
	raw_in_child(begin, sq_none, "undecodable", "send of no slots");
	raw_in_child(begin, sq_cut, "undecodable", "send of more slots than posted");
	raw_in_child(begin, sq_many, "undecodable", "send of too many slots");
	raw_in_child(begin, rq_none, "undecodable", "receive of no slots");
	raw_in_child(begin, rq_cut, "undecodable", "receive of more slots than posted");
	raw_in_child(begin, sq_far, "doorbell", "send index outside of the ring");
	raw_in_child(begin, rq_far, "doorbell", "receive index outside of the ring");
	raw_in_child(begin, cq_head, "doorbell", "completion index outside of the ring");
	raw_in_child(begin, torn, "rings", "random contents");
	return results_end();
}
