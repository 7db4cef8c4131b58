// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The same as fail_nth between nodes: messages; connections that are made, ended, refused and
 * handed on; paths that are made anew
 *
 * Then other threads get the faults: softirqs that receive, workers that pin and copy, and engines.
 * No call reports those, because packets are sent again.
 *
 * The kernel must support fault injection (make check-debug). Arguments name sequences, none: all
 * of them.
 * TIMEOUT: 600
 */
#include <errno.h>
#include <sys/socket.h>
#include "end.h"
#include "engine_set.h"
#include "faults.h"
#include "looks.h"
#include "raw.h"

/* ---- Messages -------------------------------------------------------------------------------- */

static void between(void)
{
	struct end a = END_NONE, b = END_NONE;
	__u32 there, back;

	if (end_open(&a, 0) && end_open(&b, 1) && end_make(&a, WEFT_EP_RDM) &&
	    end_make(&b, WEFT_EP_RDM) && end_know(&a, &b.en.addr, &there) &&
	    end_know(&b, &a.en.addr, &back) && end_messages(&a, there, &b))
		end_message(&b, back, &a, 64, true);
	end_close(&a);
	end_close(&b);
}

/* ---- Paths ----------------------------------------------------------------------------------- */

#define IDLE_MS		100	/* idle time of paths during this walk */
#define IDLE_MS_EVER	300000

static struct end pair[2];
static __u32 pair_there;
static bool paths_idle;

static bool paths_go(void)
{
	if (paths_idle)
		return true;
	CHECK(port_limit(0, "idle-ms", IDLE_MS) && port_limit(1, "idle-ms", IDLE_MS));
	/* a path that is idle already keeps its old deadline, until it is used */
	between();
	paths_idle = true;
	return true;
}

static bool paths_stay(void)
{
	if (paths_idle)
		CHECK(port_limit(0, "idle-ms", IDLE_MS_EVER) &&
		      port_limit(1, "idle-ms", IDLE_MS_EVER));
	return true;
}

static void pair_close(void)
{
	end_close(&pair[0]);
	end_close(&pair[1]);
}

static bool pair_make(void)
{
	uint64_t until = now_ms() + RAW_MS;
	int i;

	for (i = 0; i < 2; i++)
		CHECK(end_open(&pair[i], i) && end_make(&pair[i], WEFT_EP_RDM));
	CHECK(end_know(&pair[0], &pair[1].en.addr, &pair_there));
	for (i = 0; i < 2; i++)
		while (port_attr(i, "paths"))
			CHECK(now_ms() < until);
	return true;
}

/* Two ends between nodes that have no path. */
static bool pair_open(void)
{
	CHECK(paths_go());
	pair[0] = (struct end)END_NONE;
	pair[1] = (struct end)END_NONE;
	if (pair_make())
		return true;
	/* (the walks after this one count open objects) */
	pair_close();
	return false;
}

static void pair_use(void)
{
	end_message(&pair[0], pair_there, &pair[1], 64, false);
	pair_close();
}

/* ---- Engines --------------------------------------------------------------------------------- */

static bool engines_poll;

/* The engines' threads do from now on what calls did. */
static bool engines_start(void)
{
	if (!engines_poll)
		CHECK(engine_set_all("engine poll"));
	engines_poll = true;
	return true;
}

static bool engines_stop(void)
{
	return !engines_poll || engine_set_all("engine inline");
}

/* ---- Connections ----------------------------------------------------------------------------- */

static bool listens(struct end *l, struct weft_sockaddr *addr)
{
	struct weft_ioc_cm cm = { .size = sizeof(cm), .backlog = 4 };

	if (!end_make(l, WEFT_EP_PASSIVE))
		return false;
	cm.handle = l->ep.handle;
	cm.eq = l->eq.handle;
	if (!END_CALL(l->fd, LISTEN, &cm))
		return false;
	*addr = cm.addr;
	return true;
}

static bool asks(struct end *a, const struct weft_sockaddr *addr)
{
	struct weft_ioc_cm cm = { .size = sizeof(cm), .data_len = 5, .data = "hello" };

	if (!end_make(a, WEFT_EP_MSG))
		return false;
	cm.handle = a->ep.handle;
	cm.addr = *addr;
	return END_CALL(a->fd, CONNECT, &cm);
}

/* The next request at a listener. @conn: out: its id */
static bool asked(struct end *l, __u64 *conn)
{
	struct end_event ev;

	if (!end_event(l, WEFT_EV_CONNREQ, &ev))
		return false;
	*conn = ev.ev.conn;
	return true;
}

static bool accepts(struct end *b, __u64 conn)
{
	struct weft_ioc_cm cm = { .size = sizeof(cm), .conn = conn, .data_len = 2, .data = "hi" };

	if (!end_make(b, WEFT_EP_MSG))
		return false;
	cm.handle = b->ep.handle;
	return END_CALL(b->fd, ACCEPT, &cm);
}

/* Messages in both directions, and the end. */
static bool talk(struct end *a, struct end *b)
{
	struct weft_ioc_name name = { .size = sizeof(name), .handle = a->ep.handle };
	struct end_event ev;

	return end_event(a, WEFT_EV_CONNECTED, &ev) && end_event(b, WEFT_EV_CONNECTED, &ev) &&
	       END_CALL(a->fd, GETPEER, &name) && end_message(a, 0, b, 3000, false) &&
	       end_message(b, 0, a, 400000, true) && END_HANDLE(a->fd, SHUTDOWN, a->ep.handle) &&
	       end_event(a, WEFT_EV_SHUTDOWN, &ev) && end_event(b, WEFT_EV_SHUTDOWN, &ev);
}

static void connects(void)
{
	struct end l = END_NONE, a = END_NONE, b = END_NONE;
	struct weft_sockaddr addr;
	__u64 conn;

	if (end_open(&l, 1) && listens(&l, &addr) && end_open(&a, 0) && asks(&a, &addr) &&
	    asked(&l, &conn)) {
		end_lend(&b, &l);
		if (accepts(&b, conn))
			talk(&a, &b);
	}
	end_close(&b);
	end_close(&a);
	end_close(&l);
}

static bool is_refused(struct end *a)
{
	struct end_event ev;

	if (!end_event(a, WEFT_EV_CONN_FAILED, &ev))
		return false;
	return ev.ev.status == ECONNREFUSED || fine("CONNECT", -(int)ev.ev.status);
}

/* One request is handed on and refused, one finds no listener. */
static void refuses(void)
{
	struct end l = END_NONE, l2 = END_NONE, a = END_NONE, a2 = END_NONE;
	struct weft_ioc_cm hand = { .size = sizeof(hand) };
	struct weft_ioc_cm rej = { .size = sizeof(rej), .data_len = 2, .data = "no" };
	struct weft_sockaddr addr, addr2;

	if (end_open(&l, 1) && listens(&l, &addr) && end_open(&a, 0) && asks(&a, &addr) &&
	    asked(&l, &hand.conn)) {
		end_lend(&l2, &l);
		end_lend(&a2, &a);
		hand.handle = l.ep.handle;
		if (listens(&l2, &addr2)) {
			hand.addr.port = addr2.port;
			rej.handle = l2.ep.handle;
			if (END_CALL(l.fd, HANDOFF, &hand) && asked(&l2, &rej.conn) &&
			    END_CALL(l.fd, REJECT, &rej) && is_refused(&a) &&
			    END_HANDLE(l.fd, DESTROY, l2.ep.handle) && asks(&a2, &addr2))
				is_refused(&a2);
		}
	}
	end_close(&l2);
	end_close(&a2);
	end_close(&l);
	end_close(&a);
}

int main(int argc, char **argv)
{
	static const struct walk walks[] = {
		{ .name = "between", .where = "with messages between nodes", .run = between },
		{ .name = "connect", .where = "with connections", .run = connects },
		{ .name = "refuse", .where = "with connections that are refused", .run = refuses },
		{ .name = "paths", .where = "with a new path", .run = pair_use,
		  .before = pair_open },
		{ .name = "others-between", .where = "with messages between nodes",
		  .run = between, .others = true },
		{ .name = "others-connect", .where = "with connections", .run = connects,
		  .others = true },
		{ .name = "others-refuse", .where = "with connections that are refused",
		  .run = refuses, .others = true },
		{ .name = "others-paths", .where = "with a new path", .run = pair_use,
		  .before = pair_open, .others = true },
		{ .name = "others-engines", .where = "with messages that engines send",
		  .run = between, .before = engines_start, .others = true },
	};
	int status;

	if (nodes_are_one()) {
		printf("1..0 # SKIP there is one node\n");
		return 4;
	}
	status = walks_run(walks, sizeof(walks) / sizeof(walks[0]), argc, argv);
	return engines_stop() && paths_stay() ? status : 1;
}
