// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Every allocation, and every copy from or to a program, that weft makes in a program's calls fails
 * once
 *
 * The calls set up objects, and send messages and datagrams within a node. A sequence of calls runs
 * again and again. In the first run the first allocation or copy fails, in the next run the second,
 * and so on, until none is left. A call with a fault returns an errno for it, and works when it is
 * repeated. Sends complete or fail. No object is left, and the same sequence works afterwards.
 * fail_nth_nodes does the same between nodes.
 *
 * The kernel must support fault injection (make check-debug). A fault needs weft's own text in its
 * backtrace. Arguments name sequences, none: all of them.
 * TIMEOUT: 300
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include "end.h"
#include "faults.h"
#include "raw.h"

#define KEY "a key that is long enough"

/* Make an endpoint that has itself as an address. */
static bool alone(struct end *e, __u32 type, __u32 *self)
{
	return end_make(e, type) && end_know(e, &e->en.addr, self);
}

static void objects(void)
{
	struct weft_ioc_cq c = { .size = sizeof(c), .flags = WEFT_CQF_COUNT };
	struct weft_ioc_query query = { .size = sizeof(query) };
	static char memory[300000];
	struct weft_ioc_mr mr = { .size = sizeof(mr), .access = WEFT_MR_READ | WEFT_MR_WRITE,
				  .addr = (__u64)(uintptr_t)memory, .len = sizeof(memory) };
	struct weft_ioc_name name = { .size = sizeof(name) };
	struct weft_ioc_av_insert out = { .size = sizeof(out), .count = 1 };
	struct end e = END_NONE;
	__u32 self;

	if (end_open(&e, 0) && END_CALL(e.fd, QUERY, &query) && alone(&e, WEFT_EP_RDM, &self)) {
		out.handle = e.av.handle;
		out.index = (__u64)(uintptr_t)&self;
		name.handle = e.ep.handle;
		if (END_CALL(e.fd, AV_REMOVE, &out) && END_CALL(e.fd, GETNAME, &name) &&
		    END_CALL(e.fd, MR_REG, &mr) && END_HANDLE(e.fd, DESTROY, mr.handle) &&
		    END_CALL(e.fd, CQ_CREATE, &c)) {
			close(c.fd);
			END_HANDLE(e.fd, DESTROY, e.ep.handle);
		}
	}
	end_close(&e);
}

static void within(void)
{
	struct end e = END_NONE;
	__u32 self;

	if (end_open(&e, 0) && alone(&e, WEFT_EP_RDM, &self))
		end_messages(&e, self, &e);
	end_close(&e);
}

static bool job_there;

static bool job_add(void)
{
	if (!job_there)
		CHECK(!system("printf %s '" KEY "' | weftctl job add faults key - port weft0"));
	job_there = true;
	return true;
}

/* The same as within, of a job. */
static void job(void)
{
	struct end e = END_NONE;
	__u32 self;

	if (end_open(&e, 0)) {
		e.key = KEY;
		if (alone(&e, WEFT_EP_RDM, &self))
			end_message(&e, self, &e, 64, true);
	}
	end_close(&e);
}

/* ---- Shared receives ------------------------------------------------------------------------- */

/**
 * struct shared - shared receives
 * @q: the queue
 * @eq: its events
 * @rq: ring
 * @bell: doorbell
 */
struct shared {
	struct weft_ioc_srq q;
	struct weft_ioc_eq eq;
	char *rq, *bell;
};

static bool shared_make(struct end *e, struct shared *s)
{
	const int rw = PROT_READ | PROT_WRITE;

	s->eq.size = sizeof(s->eq);
	s->q.size = sizeof(s->q);
	s->q.slots = END_SLOTS;
	s->q.recvs = END_SLOTS;
	if (!END_CALL(e->fd, EQ_CREATE, &s->eq))
		return false;
	s->q.eq = s->eq.handle;
	if (!END_CALL(e->fd, SRQ_CREATE, &s->q) || !end_map(e->fd, &s->q.rq, rw, &s->rq) ||
	    !end_map(e->fd, &s->q.doorbell, rw, &s->bell))
		return false;
	e->srq = s->q.handle;
	return true;
}

static void shared_close(struct shared *s)
{
	if (s->rq)
		raw_unmap(s->rq, &s->q.rq);
	if (s->bell)
		raw_unmap(s->bell, &s->q.doorbell);
	if (s->eq.fd >= 0)
		close(s->eq.fd);
}

static bool shared_post(struct end *e, struct shared *s, void *buf, __u32 len, __u64 context)
{
	volatile struct weft_ep_doorbell *bell = (void *)s->bell;
	struct weft_rqe *r = (struct weft_rqe *)s->rq + (bell->rq_tail & (s->q.slots - 1));

	*r = (struct weft_rqe){ .op = WEFT_RQ_RECV, .nslots = 1, .context = context,
				.src = WEFT_SRC_ANY, .flags = WEFT_RQ_COMPLETION,
				.addr = (__u64)(uintptr_t)buf, .len = len, .niov = 1 };
	__atomic_store_n(&bell->rq_tail, bell->rq_tail + 1, __ATOMIC_RELEASE);
	return END_HANDLE(e->fd, SRQ_NOTIFY, s->q.handle);
}

/* Sends to itself, received by shared receives. */
static bool shared_messages(struct end *e, struct shared *s, __u32 self)
{
	static char from[3000], to[3000];
	bool sent = false;
	int i, n, status;

	for (i = 0; i < 4; i++) {
		if ((i & 1 || shared_post(e, s, to, sizeof(to), 1)) &&
		    end_send(e, self, from, i & 2 ? sizeof(from) : 64, 0) &&
		    (!(i & 1) || shared_post(e, s, to, sizeof(to), 1))) {
			for (n = 0; n < 2; n++) {
				status = end_completion(e, &sent);
				if (status < 0)
					return wrong("no completion: errno %d", -status);
				/* then the receive is still posted */
				if (!fine(sent ? "send" : "receive", -status))
					return false;
			}
		}
	}
	return true;
}

static void shares(void)
{
	struct shared s = { .eq.fd = -1 };
	struct weft_ioc_srq_query query = { .size = sizeof(query) };
	struct weft_ioc_srq_cancel cancel = { .size = sizeof(cancel), .context = 7 };
	struct weft_ioc_mark mark = { .size = sizeof(mark) }, held = { .size = sizeof(held) };
	struct weft_ioc_mark arm = { .size = sizeof(arm), .low = 1 };
	struct weft_ioc_srq more;
	static char memory[64];
	struct end e = END_NONE;
	__u32 self;

	if (end_open(&e, 0) && shared_make(&e, &s) && alone(&e, WEFT_EP_RDM, &self)) {
		query.handle = s.q.handle;
		cancel.handle = s.q.handle;
		cancel.cq = e.cq.handle;
		arm.handle = s.q.handle;
		mark.handle = e.ep.handle;
		mark.soft = 2;
		held.handle = e.ep.handle;
		more = (struct weft_ioc_srq){ .size = sizeof(more), .slots = 4 * END_SLOTS,
					      .recvs = 4 * END_SLOTS, .handle = s.q.handle };
		if (shared_messages(&e, &s, self) && END_CALL(e.fd, EP_MARK, &mark) &&
		    END_CALL(e.fd, EP_HELD, &held) && END_CALL(e.fd, SRQ_ARM, &arm) &&
		    shared_post(&e, &s, memory, sizeof(memory), 7) &&
		    END_CALL(e.fd, SRQ_CANCEL, &cancel) && END_CALL(e.fd, SRQ_QUERY, &query))
			END_CALL(e.fd, SRQ_RESIZE, &more);
	}
	shared_close(&s);
	end_close(&e);
}

/* ---- Datagrams ------------------------------------------------------------------------------- */

/* One to itself, which may be lost. */
static bool datagram(struct end *e, __u32 dst, __u16 flags)
{
	static char from[1000], to[1000];
	bool sent = false;
	int status;

	if (!end_recv(e, to, sizeof(to)) || !end_send(e, dst, from, sizeof(from), flags))
		return false;
	do { /* the payload is in between */
		status = end_completion(e, &sent);
		if (status < 0)
			return wrong("no completion: errno %d", -status);
		fine(sent ? "send" : "receive", -status);
	} while (!sent);
	return true;
}

static void datagrams(void)
{
	struct weft_ioc_group join = { .size = sizeof(join),
				       .flags = WEFT_GROUP_SEND | WEFT_GROUP_RECV,
				       .addr = { .family = AF_INET, .addr = { 239, 77, 0, 1 } } };
	struct weft_ioc_group leave = { .size = sizeof(leave) };
	struct end e = END_NONE;
	__u32 self;

	if (end_open(&e, 0) && alone(&e, WEFT_EP_DGRAM, &self) && datagram(&e, self, 0)) {
		join.handle = e.ep.handle;
		leave.handle = e.ep.handle;
		if (END_CALL(e.fd, GROUP_JOIN, &join)) {
			leave.group = join.group;
			if (datagram(&e, join.group, WEFT_SQ_GROUP))
				END_CALL(e.fd, GROUP_LEAVE, &leave);
		}
	}
	end_close(&e);
}

int main(int argc, char **argv)
{
	static const struct walk walks[] = {
		{ .name = "objects", .where = "while objects are made", .run = objects },
		{ .name = "within", .where = "while messages stay on the node", .run = within },
		{ .name = "job", .where = "in a job", .run = job,
		  .before = job_add },
		{ .name = "shares", .where = "with shared receives", .run = shares },
		{ .name = "datagrams", .where = "with datagrams", .run = datagrams },
	};
	int status;

	node_enter(0);
	status = walks_run(walks, sizeof(walks) / sizeof(walks[0]), argc, argv);
	return job_there && system("weftctl job del faults port weft0") ? 1 : status;
}
