// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many connections at random: asked for, accepted, refused, used, shut down and killed. They run on
 * bad networks, within a node and between nodes.
 *
 * Each request has one outcome. Private data arrive whole. Each side is told once that the
 * connection has ended. Messages sent before a shutdown arrive before the end is told.
 */
#include <stdarg.h>

#include "rig.h"
#include "harness.h"

#define PROCS	4
#define LINKS	64
#define POSTED	8		/* posted receives of a side at any time */
#define SENDS	16		/* sends of a side under way */
#define ROOM	3000
#define SERVICE	7000

/**
 * struct side - one end of a connection
 * @ep: endpoint, NULL: none, or gone
 * @proc: index of its process
 * @handle: handle of the endpoint, also after its end
 * @asked: the side has asked for the connection
 * @up: CONNECTED has come
 * @failed: CONN_FAILED has come
 * @down: SHUTDOWN has come
 * @closed: the side has called shutdown
 * @killed: the endpoint was closed while it was up
 * @sent: messages sent
 * @got: messages received
 * @open: receives that have not completed
 * @posted: receives posted so far
 * @no: post number of each receive
 * @bufs: their buffers
 * @out: buffers of sends
 */
struct side {
	struct rig_ep *ep;
	u32 proc;
	u32 handle;
	bool asked;
	bool up;
	bool failed;
	bool down;
	bool closed;
	bool killed;
	u32 sent;
	u32 got;
	u32 open;
	u32 posted;
	u32 no[POSTED];
	u8 *bufs[POSTED];
	u8 *out[SENDS];
};

/**
 * struct link - a connection, or the attempt at one
 * @s: the side that asks, and the other one
 * @conn: id of the request, until it is answered
 * @refused: the program refused the request
 * @nobody: the service has no listener
 * @used: this entry is in use
 */
struct link {
	struct side s[2];
	u64 conn;
	bool refused;
	bool nobody;
	bool used;
};

/**
 * struct world - a run
 * @rig: the rig
 * @proc: processes
 * @eq: their event queues
 * @cq: their completion queues
 * @listener: their listeners
 * @link: connections
 * @nlink: used so far
 * @rough: paths and listeners may go: requests may fail, messages may be lost
 * @note: how to repeat the run
 */
struct world {
	struct rig *rig;
	struct rig_proc *proc[PROCS];
	struct rig_eq *eq[PROCS];
	struct rig_cq *cq[PROCS];
	struct rig_ep *listener[PROCS];
	struct link link[LINKS];
	u32 nlink;
	bool rough;
	char note[128];
};

static void __noreturn __printf(2, 3) die(struct world *w, const char *fmt, ...)
{
	va_list ap;

	rig_dump(w->rig);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	weft_host_die(__FILE__, __LINE__, "the run has failed");
}

/* Private data of a link: its number, followed by as many bytes as the number says. */
static u32 data_of(u32 n, u8 salt, u8 *data)
{
	u32 i, len = 4 + n * 37 % (WEFT_CM_DATA_MAX - 3);

	memcpy(data, &n, 4);
	for (i = 4; i < len; i++)
		data[i] = n * 7 + i + salt;
	return len;
}

static void check_data(struct world *w, u32 n, u8 salt, const u8 *data, u32 len)
{
	u8 want[WEFT_CM_DATA_MAX];

	if (len != data_of(n, salt, want) || memcmp(want, data, len))
		die(w, "link %u: private data are not what was sent (%u bytes)", n, len);
}

/* ---- Sides ----------------------------------------------------------- */

static u64 context(u32 link, u32 side, u32 what)
{
	return (u64)link << 16 | side << 8 | what;
}

static void post(struct world *w, u32 n, u32 k, u32 slot)
{
	struct side *s = &w->link[n].s[k];
	struct rig_op op = { .flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .n = 1 };

	s->bufs[slot] = rig_buf(w->proc[s->proc], ROOM);
	op.iov[0].addr = (uintptr_t)s->bufs[slot];
	op.iov[0].len = ROOM;
	op.context = context(n, k, slot);
	if (rig_recv(s->ep, &op))
		die(w, "link %u: receive is refused", n);
	s->open++;
	s->no[slot] = ++s->posted;
}

/* An endpoint with receives. */
static void equip(struct world *w, u32 n, u32 k, u32 proc)
{
	struct side *s = &w->link[n].s[k];
	u32 i;

	s->proc = proc;
	s->ep = rig_ep_new(w->proc[proc], WEFT_EP_MSG, 0, 64, 32, 0);
	if (!s->ep || rig_ep_enable(s->ep, w->cq[proc], w->cq[proc], w->eq[proc], NULL))
		die(w, "link %u: endpoint cannot be made", n);
	s->handle = s->ep->handle;
	for (i = 0; i < POSTED; i++)
		post(w, n, k, i);
}

static void complete(struct world *w, const struct weft_cqe *e)
{
	u32 n = e->context >> 16, k = e->context >> 8 & 1, slot = e->context & 0xff;
	struct side *s = &w->link[n].s[k];
	u32 word[2];

	if (n >= w->nlink || !s->ep)
		die(w, "completion of link %u, which is gone", n);
	if (e->flags & WEFT_CQE_SEND) {
		if (e->status && !w->rough && !s->down && !s->closed && !w->link[n].s[!k].closed &&
		    !w->link[n].s[!k].killed)
			die(w, "link %u: send fails: %u", n, e->status);
		if (slot >= SENDS || !s->out[slot])
			die(w, "link %u: send %u completes twice", n, slot);
		rig_buf_free(w->proc[s->proc], s->out[slot]);
		s->out[slot] = NULL;
		return;
	}
	if (slot >= POSTED || !s->bufs[slot])
		die(w, "link %u: receive %u completes twice", n, slot);
	s->open--;
	if (!e->status) {
		if (s->down)
			die(w, "link %u: message after SHUTDOWN", n);
		memcpy(word, s->bufs[slot], sizeof(word));
		/*
		 * the first message takes the first receive, and so on; the receives complete in
		 * any order
		 */
		if (word[0] != n || word[1] != s->no[slot])
			die(w, "link %u: receive %u has taken message %u of link %u", n,
			    s->no[slot], word[1], word[0]);
		s->got++;
	} else if (e->status != ECANCELED && e->status != ENOTCONN && !w->rough) {
		die(w, "link %u: receive fails: %u", n, e->status);
	}
	rig_buf_free(w->proc[s->proc], s->bufs[slot]);
	s->bufs[slot] = NULL;
	if (!e->status)
		post(w, n, k, slot);
}

static void read_cq(struct world *w, u32 p)
{
	struct weft_cqe e;

	while (rig_cq_read(w->cq[p], &e) > 0)
		complete(w, &e);
}

static void close_side(struct world *w, u32 n, u32 k)
{
	struct side *s = &w->link[n].s[k];
	u32 i;

	if (!s->ep)
		return;
	read_cq(w, s->proc);
	s->killed = true;
	rig_ep_free(s->ep);
	/* read its last completions while the entry still describes the endpoint */
	read_cq(w, s->proc);
	s->ep = NULL;
	for (i = 0; i < POSTED; i++) {
		if (s->bufs[i])
			rig_buf_free(w->proc[s->proc], s->bufs[i]);
		s->bufs[i] = NULL;
	}
	for (i = 0; i < SENDS; i++) {
		if (s->out[i])
			rig_buf_free(w->proc[s->proc], s->out[i]);
		s->out[i] = NULL;
	}
	s->open = 0;
}

static void send_one(struct world *w, u32 n, u32 k)
{
	struct side *s = &w->link[n].s[k];
	u32 len = rig_below(w->rig, 3) ? 8 : 8 + rig_below(w->rig, ROOM - 8);
	struct rig_op op = { .flags = WEFT_SQ_COMPLETION, .n = 1 };
	u32 word[2] = { n, s->sent + 1 };
	u32 i;

	for (i = 0; i < SENDS && s->out[i]; i++)
		;
	if (i == SENDS)
		return;
	s->out[i] = rig_buf(w->proc[s->proc], len);
	memcpy(s->out[i], word, sizeof(word));
	op.context = context(n, k, i);
	op.iov[0].addr = (uintptr_t)s->out[i];
	op.iov[0].len = len;
	if (len <= WEFT_INLINE_MAX)
		op.flags |= WEFT_SQ_INLINE;
	if (!rig_send(s->ep, &op)) {
		s->sent++;
		return;
	}
	rig_buf_free(w->proc[s->proc], s->out[i]);
	s->out[i] = NULL;
}

/* ---- Connections ----------------------------------------------------- */

static void ask(struct world *w)
{
	u32 n = w->nlink++, to = rig_below(w->rig, PROCS);
	struct link *l = &w->link[n];
	u8 data[WEFT_CM_DATA_MAX];
	u32 len = data_of(n, 1, data);
	int err;

	l->used = true;
	equip(w, n, 0, rig_below(w->rig, PROCS));
	l->nobody = !rig_below(w->rig, 10) || !w->listener[to];
	l->s[0].asked = true;
	err = rig_connect(l->s[0].ep, w->proc[to]->node->index, l->nobody ? 9 : SERVICE + to, data,
			  len);
	if (err)
		die(w, "link %u: connect: %d", n, err);
}

static void on_request(struct world *w, u32 p, const struct weft_event *ev, const u8 *got)
{
	u8 data[WEFT_CM_DATA_MAX];
	struct link *l;
	u32 n, len;
	int err;

	memcpy(&n, got, 4);
	if (n >= w->nlink)
		die(w, "request of link %u", n);
	check_data(w, n, 1, got, ev->data_len);
	l = &w->link[n];
	if (l->s[1].asked)
		die(w, "link %u is asked for twice", n);
	l->s[1].asked = true;
	if (!rig_below(w->rig, 6)) {
		l->refused = true;
		len = data_of(n, 2, data);
		err = rig_reject(w->listener[p], ev->conn, data, len);
	} else {
		equip(w, n, 1, p);
		len = data_of(n, 3, data);
		err = rig_accept(l->s[1].ep, ev->conn, data, len);
	}
	/* the requester may be gone by now */
	if (err && !l->s[0].killed && !w->rough)
		die(w, "link %u: answer: %d", n, err);
	if (err && l->s[1].ep)
		close_side(w, n, 1);
}

static void on_event(struct world *w, u32 p, const struct weft_event *ev, const u8 *data)
{
	struct side *s = NULL;
	u32 n, k = 0;

	if (ev->type == WEFT_EV_CONNREQ) {
		on_request(w, p, ev, data);
		return;
	}
	for (n = 0; n < w->nlink && !s; n++)
		for (k = 0; k < 2 && !s; k++)
			if (w->link[n].s[k].ep && w->link[n].s[k].proc == p &&
			    w->link[n].s[k].handle == ev->handle)
				s = &w->link[n].s[k];
	n--;
	k--;
	if (!s)
		die(w, "event %u for endpoint %x", ev->type, ev->handle);
	switch (ev->type) {
	case WEFT_EV_CONNECTED:
		if (s->up || s->failed || s->down)
			die(w, "link %u: CONNECTED", n);
		if (k == 0)
			check_data(w, n, 3, data, ev->data_len);
		s->up = true;
		break;
	case WEFT_EV_CONN_FAILED:
		if (s->up || s->failed || k)
			die(w, "link %u: CONN_FAILED", n);
		if (w->link[n].refused && ev->status == ECONNREFUSED && ev->data_len)
			check_data(w, n, 2, data, ev->data_len);
		else if (!w->rough && !w->link[n].nobody && ev->status != ECONNREFUSED)
			die(w, "link %u: CONN_FAILED %u", n, ev->status);
		s->failed = true;
		break;
	case WEFT_EV_SHUTDOWN:
		if (!s->up || s->down)
			die(w, "link %u: SHUTDOWN", n);
		s->down = true;
		break;
	default:
		die(w, "event %u", ev->type);
	}
}

static void read_all(struct world *w)
{
	u8 data[WEFT_CM_DATA_MAX];
	struct weft_event ev;
	u32 p;

	for (p = 0; p < PROCS; p++) {
		/* read the completions that came before an event first */
		bool more = true;

		while (more) {
			more = rig_eq_read(w->eq[p], &ev, data);
			read_cq(w, p);
			if (more)
				on_event(w, p, &ev, data);
		}
	}
}

static void act(struct world *w)
{
	u32 n = rig_below(w->rig, w->nlink ? w->nlink : 1), k = rig_below(w->rig, 2);
	struct side *s = &w->link[n].s[k];
	bool live = s->ep && s->up && !s->down && !s->closed;

	switch (rig_below(w->rig, 8)) {
	case 0:
		if (w->nlink < LINKS)
			ask(w);
		break;
	case 1:
		if (live && !rig_below(w->rig, 4)) {
			if (rig_shutdown(s->ep))
				die(w, "link %u: shutdown is refused", n);
			s->closed = true;
		}
		break;
	case 2:
		if (!rig_below(w->rig, 8))
			close_side(w, n, k);
		break;
	case 3:
		if (w->rough && w->rig->conf.nodes > 1 && !rig_below(w->rig, 30))
			rig_cut(w->rig, 0, 1, !rig_is_cut(w->rig, 0, 1));
		break;
	case 4:
		if (w->rough && !rig_below(w->rig, 60)) {
			u32 p = rig_below(w->rig, PROCS);

			if (w->listener[p])
				rig_ep_free(w->listener[p]);
			w->listener[p] = NULL;
		}
		break;
	default:
		if (live)
			send_one(w, n, k);
	}
}

/* ---- Runs ------------------------------------------------------------ */

/* Return: link @n has come to a state that it does not leave by itself. */
static bool settled(const struct link *l)
{
	const struct side *a = &l->s[0], *b = &l->s[1];

	if (a->ep && !a->up && !a->failed)
		return false;
	if (a->ep && a->up && !a->down && (a->closed || b->closed || b->killed))
		return false;
	if (b->ep && b->up && !b->down && (a->closed || b->closed || a->killed))
		return false;
	return !(a->ep && a->down && a->open) && !(b->ep && b->down && b->open);
}

static void finish(struct world *w)
{
	weft_ns end = w->rig->now + 60 * NSEC_PER_SEC;
	u32 n;

	rig_mend(w->rig);
	for (n = 0; n < w->nlink;) {
		read_all(w);
		if (settled(&w->link[n])) {
			n++;
			continue;
		}
		if (w->rig->now > end)
			die(w, "link %u does not come to an end", n);
		rig_run(w->rig, NSEC_PER_MSEC);
	}
	for (n = 0; n < w->nlink; n++) {
		struct link *l = &w->link[n];
		u32 k;

		if ((l->refused || l->nobody) && (l->s[0].up || l->s[1].up))
			die(w, "link %u is up and should not be", n);
		for (k = 0; k < 2 && !w->rough; k++) {
			struct side *s = &l->s[k], *o = &l->s[!k];

			/*
			 * the peer got all messages, unless the peer closed first or had too few
			 * receives
			 */
			if (s->up && s->closed && o->ep && o->up && !o->closed && o->got != s->sent)
				die(w, "link %u: %u messages sent, %u received", n, s->sent,
				    o->got);
			if (o->got > s->sent)
				die(w, "link %u: %u messages sent, %u received", n, s->sent,
				    o->got);
		}
	}
}

static void run(u64 seed, bool rough, const char *test)
{
	struct world *w = calloc(1, sizeof(*w));
	struct rig_conf conf;
	u32 i, k, n;

	snprintf(w->note, sizeof(w->note),
		 "again: WEFT_TEST=%s WEFT_SEED=%llu build/host/test_conns", test,
		 (unsigned long long)seed);
	weft_host_note(w->note);
	rig_conf_default(&conf, seed);
	conf.loss = seed % 4 * RIG_PPM / 50;
	conf.dup = seed % 3 * RIG_PPM / 50;
	conf.late = seed % 5 * RIG_PPM / 50;
	conf.nodes = 1 + seed % 3;
	w->rough = rough;
	w->rig = rig_new(&conf);
	for (i = 0; i < PROCS; i++) {
		w->proc[i] = rig_proc_new(&w->rig->node[i % conf.nodes]);
		w->eq[i] = rig_eq_new(w->proc[i]);
		w->cq[i] = rig_cq_new(w->proc[i], 16 << rig_below(w->rig, 4));
		w->listener[i] = rig_ep_new(w->proc[i], WEFT_EP_PASSIVE, 0, 0, 0, SERVICE + i);
		if (!w->listener[i] ||
		    rig_listen(w->listener[i], w->eq[i], 1 + rig_below(w->rig, 8)))
			die(w, "cannot listen");
	}
	for (n = 200 + rig_below(w->rig, 1500); n; n--) {
		act(w);
		if (!rig_below(w->rig, 3))
			read_all(w);
		for (k = rig_below(w->rig, 20); k; k--)
			rig_step(w->rig, w->rig->now + 50000);
	}
	finish(w);
	for (i = 0; i < PROCS; i++)
		rig_proc_end(w->proc[i], rig_below(w->rig, 2));
	if (rig_below(w->rig, 2))
		rig_run(w->rig, 20 * NSEC_PER_SEC);
	rig_free(w->rig);
	weft_host_note(NULL);
	free(w);
}

static void runs(const char *test, u64 first, u64 count, bool rough)
{
	const char *one = getenv("WEFT_SEED"), *many = getenv("WEFT_RUNS"),
		   *only = getenv("WEFT_TEST");
	u64 seed = one ? strtoull(one, NULL, 0) : first;
	u64 last = one ? seed : first + (many ? strtoull(many, NULL, 0) : count) - 1;

	if (only && strcmp(only, test))
		return;
	for (; seed <= last; seed++)
		run(seed, rough, test);
}

TEST(conns__smooth)
{
	runs("conns__smooth", 1, 60, false);
}

TEST(conns__rough)
{
	runs("conns__rough", 1000, 60, true);
}

TEST_HARNESS_MAIN
