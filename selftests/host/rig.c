// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rig: time, events and nodes; rig_net.c has the network between them
 *
 * rig->lock covers what threads share: events, random numbers, paths and processes.
 */
#include <time.h>

#include "core/queue/queue.h"
#include "rig.h"

#define RIG_BATCH	16	/* packets that weft_core_rx() takes at most */

/**
 * struct rig_path - the adapter's side of a path
 * @next: in rig->paths
 * @path: the path, NULL: closed
 * @node: its node
 * @gen: the newest setting of the timer: older timer events are ignored
 */
struct rig_path {
	struct rig_path *next;
	struct weft_path *path;
	struct rig_node *node;
	u64 gen;
};

/* ---- Random numbers -------------------------------------------------- */

u64 rig_random(struct rig *rig)
{
	u64 z = __atomic_add_fetch(&rig->rnd, 0x9e3779b97f4a7c15ULL, __ATOMIC_RELAXED);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

u32 rig_below(struct rig *rig, u32 n)
{
	return n ? rig_random(rig) % n : 0;
}

bool rig_chance(struct rig *rig, u32 rate)
{
	return rate && (rig_random(rig) & (RIG_PPM - 1)) < rate;
}

/* ---- Time and threads ------------------------------------------------ */

weft_ns rig_now(struct rig *rig)
{
	struct timespec t;

	if (!rig->threads)
		return rig->now;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return rig->now + t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

weft_ns rig_time(struct rig *rig)
{
	return rig_now(rig) - rig_below(rig, rig->conf.skew);
}

/* What a node's clock shows at time @t. */
static weft_ns clock_at(struct rig_node *node, weft_ns t)
{
	return node->clock + t + (s64)t / RIG_PPM * node->rate;
}

weft_ns rig_clock(struct rig_node *node)
{
	return clock_at(node, rig_time(node->rig));
}

static __thread struct weft_out *thread_out;

struct weft_out *rig_out(struct rig_node *node)
{
	if (!node->rig->threads && !node->rig->aside)
		return &node->out;
	if (!thread_out)
		thread_out = malloc(sizeof(*thread_out));
	weft_out_init(thread_out, &node->core);
	return thread_out;
}

void rig_leave(struct rig_node *node, struct weft_out *out)
{
	weft_flush(out);
	weft_host_balanced(__FILE__, __LINE__);
	if (!node->rig->threads && !node->rig->aside) {
		weft_host_quiesce();
		return;
	}
	free(thread_out);
	thread_out = NULL;
}

void rig_fork(struct rig *rig)
{
	rig->threads = true;
}

void rig_join(struct rig *rig)
{
	rig->now = rig_now(rig);
	rig->threads = false;
}

/* ---- Events ---------------------------------------------------------- */

static bool before(const struct rig_event *a, const struct rig_event *b)
{
	return a->at < b->at || (a->at == b->at && a->seq < b->seq);
}

void rig_push(struct rig *rig, struct rig_event *ev)
{
	u32 i;

	pthread_mutex_lock(&rig->lock);
	i = rig->nheap++;
	ev->seq = rig->seq++;
	if (i == rig->room) {
		rig->room = rig->room * 2 + 64;
		rig->heap = realloc(rig->heap, rig->room * sizeof(*rig->heap));
	}
	for (; i && before(ev, &rig->heap[(i - 1) / 2]); i = (i - 1) / 2)
		rig->heap[i] = rig->heap[(i - 1) / 2];
	rig->heap[i] = *ev;
	pthread_mutex_unlock(&rig->lock);
}

/* Take the next event. rig->lock is held. */
static void pop(struct rig *rig, struct rig_event *ev)
{
	struct rig_event last = rig->heap[--rig->nheap];
	u32 i = 0;

	*ev = rig->heap[0];
	for (;;) {
		u32 c = 2 * i + 1;

		if (c >= rig->nheap)
			break;
		if (c + 1 < rig->nheap && before(&rig->heap[c + 1], &rig->heap[c]))
			c++;
		if (!before(&rig->heap[c], &last))
			break;
		rig->heap[i] = rig->heap[c];
		i = c;
	}
	rig->heap[i] = last;
}

/* ---- Calls of the core's environment --------------------------------- */

void weft_env_timer(struct weft_path *path, weft_ns at)
{
	struct rig_path *rp = *weft_path_port(path);
	struct rig_event ev = {
		.kind = RIG_EV_TIMER, .node = rp->node, .life = rp->node->life, .data = rp
	};
	weft_ns now;

	if (at == U64_MAX)
		weft_host_die(__FILE__, __LINE__, "timer is set to never");
	ev.at = rig_now(rp->node->rig);
	now = clock_at(rp->node, ev.at);
	/*
	 * The clock may run fast. The event is early by at most what the next check of the timer
	 * corrects.
	 */
	if (at > now)
		ev.at += (at - now) - (s64)(at - now) / RIG_PPM * rp->node->rate;
	ev.gen = __atomic_add_fetch(&rp->gen, 1, __ATOMIC_RELAXED);
	rig_push(rp->node->rig, &ev);
}

int weft_env_path_open(struct weft_path *path, u32 *max_payload)
{
	struct rig_node *node = weft_path_core(path)->port;
	struct rig_path *rp;

	if (!rig_find_node(node->rig, weft_path_addr(path)) &&
	    !weft_addr_is_group(weft_path_addr(path)))
		return -EHOSTUNREACH;
	rp = calloc(1, sizeof(*rp));
	rp->path = path;
	rp->node = node;
	pthread_mutex_lock(&node->rig->lock);
	rp->next = node->rig->paths;
	node->rig->paths = rp;
	node->npaths++;
	pthread_mutex_unlock(&node->rig->lock);
	*weft_path_port(path) = rp;
	*max_payload = node->fit;
	return 0;
}

void weft_env_note(struct weft_core *core, const struct weft_note *note)
{
	struct rig_node *node = core->port;
	struct rig_note *n = &node->note[note->kind];

	if (node->rig->threads)
		return;
	n->count++;
	n->last = *note;
	n->last.addr = NULL;
	if (note->addr)
		n->addr = *note->addr;
}

void weft_env_denied(struct weft_path *path, const struct weft_denied *d)
{
	struct rig_node *node = weft_path_core(path)->port;

	if (!node->rig->threads)
		node->denied = *d;
}

char weft_env_program(struct weft_core *core, u32 pid)
{
	return ((struct rig_node *)core->port)->program;
}

u32 weft_env_path_fit(struct weft_path *path)
{
	struct rig_node *node = weft_path_core(path)->port;

	return node->fit;
}

void weft_env_path_close(struct weft_path *path)
{
	struct rig_path *rp = *weft_path_port(path);

	if (!rp)
		return;
	if (rp->path != path)
		weft_host_die(__FILE__, __LINE__, "path is closed twice");
	WRITE_ONCE(rp->path, NULL);
	__atomic_sub_fetch(&rp->node->npaths, 1, __ATOMIC_RELAXED);
}

int weft_env_group(struct weft_core *core, const struct weft_sockaddr *group, bool join)
{
	struct rig_node *node = core->port;
	bool known;
	u32 i;

	weft_host_no_locks(__FILE__, __LINE__);
	for (i = 0; i < node->ngroups; i++)
		if (weft_addr_same_node(&node->groups[i], group))
			break;
	known = i < node->ngroups;
	if (join == known)
		weft_host_die(__FILE__, __LINE__, "a group is %s twice", join ? "joined" : "left");
	if (join && node->ngroups == RIG_GROUPS)
		return -ENOSPC;
	if (join)
		node->groups[node->ngroups++] = *group;
	else
		node->groups[i] = node->groups[--node->ngroups];
	return 0;
}

void weft_env_defer(struct weft_work *work)
{
	struct rig_proc *proc = work->ctx;
	struct rig_event ev = {
		.kind = RIG_EV_WORK, .node = proc->node, .life = proc->node->life, .data = work
	};

	weft_host_no_locks(__FILE__, __LINE__);
	ev.at = rig_now(proc->node->rig) + 500 + rig_below(proc->node->rig, 5000);
	rig_push(proc->node->rig, &ev);
}

/* ---- Time ------------------------------------------------------------ */

/*
 * Join as many of @n packets as form a run, in one piece of memory. A device that aggregates
 * packets does so. Return: how many.
 */
static u32 aggregate(struct rig *rig, const struct rig_event *ev, u32 n, struct weft_rx *rx)
{
	u32 seg = ev->len, len = 0, k = 0;
	u32 stride = rig_below(rig, 2) ? seg : seg + rig_below(rig, 200);
	bool alone = !rig_below(rig, 8);
	u8 *p = NULL;

	do {
		/* an empty packet has no memory: a read of it is found */
		if (k * stride + ev[k].len) {
			p = realloc(p, k * stride + ev[k].len);
			memcpy(p + k * stride, ev[k].data, ev[k].len);
		}
		len += ev[k].len;
		k++;
	} while (k < n && !alone && ev[k - 1].len == seg && ev[k].len <= seg &&
		 !memcmp(&ev[k].src, &ev->src, sizeof(ev->src)) &&
		 !memcmp(&ev[k].group, &ev->group, sizeof(ev->group)));
	rx->data = p;
	rx->len = len;
	rx->seg = k > 1 || rig_below(rig, 2) ? seg : 0;
	rx->stride = stride > seg || rig_below(rig, 2) ? stride : 0;
	rx->src = ev->src;
	rx->dst = ev->group.family ? WEFT_RX_GROUP : 0;
	memcpy(rx->group, ev->group.addr, sizeof(rx->group));
	rx->ecn = 0;
	return k;
}

/* Deliver packets to a node that is up. */
static void receive(struct rig_node *node, const struct rig_event *ev, u32 n)
{
	struct weft_out *out = rig_out(node);
	struct weft_rx rx[RIG_BATCH];
	u32 i, k = 0;

	for (i = 0; i < n; k++)
		i += aggregate(node->rig, ev + i, n - i, &rx[k]);
	weft_host_atomic(true);
	rig_rx(&node->core, rig_clock(node), rx, k, out);
	rig_leave(node, out);
	weft_host_atomic(false);
	while (k--)
		free((void *)rx[k].data);
}

static void arrive(struct rig_node *node, const struct rig_event *ev, u32 n)
{
	if (node->recv) {
		u32 i;

		for (i = 0; i < n; i++)
			node->recv(node, ev[i].from, ev[i].data, ev[i].len);
		return;
	}
	receive(node, ev, n);
}

static void expire(struct rig_path *rp, u64 gen)
{
	struct weft_path *path = READ_ONCE(rp->path);
	struct weft_out *out;

	if (!path || READ_ONCE(rp->gen) != gen)
		return;
	out = rig_out(rp->node);
	weft_host_atomic(true);
	weft_core_timer(path, clock_at(rp->node, rig_now(rp->node->rig)), out);
	rig_leave(rp->node, out);
	weft_host_atomic(false);
}

/* Return: a packet's length, lane and number. */
static u64 identity(const struct rig_event *ev)
{
	const struct weft_w_hdr *h = (const void *)ev->data;

	if (ev->len < sizeof(*h))
		return ev->len;
	return ev->len | (u64)h->lane << 16 | (u64)be32_to_cpu(h->psn) << 24;
}

/* Handle @n events: packets, or one event of another kind. */
static void happen(struct rig *rig, struct rig_event *ev, u32 n)
{
	struct rig_node *node = ev->node;
	struct weft_out *out;
	u32 i;

	if (!rig->threads)
		rig->last = node;
	for (i = 0; i < n && !rig->threads; i++) {
		u64 what = ev[i].at * 8 + ev[i].kind + ((u64)node->index << 48);

		rig->nevents++;
		rig->digest = (rig->digest ^ what) * 0x100000001b3ull;
		/* two packets may change places, also two of the same length */
		if (ev[i].kind == RIG_EV_PACKET)
			rig->digest = (rig->digest ^ identity(&ev[i])) * 0x100000001b3ull;
	}
	switch (ev->kind) {
	case RIG_EV_CALL:
		ev->fn(node, ev->data);
		break;
	case RIG_EV_HOP:
		rig_net_hop(rig, ev);
		break;
	case RIG_EV_LINK:
		rig_net_next(rig, ev);
		break;
	case RIG_EV_PACKET:
		if (ev->life == node->life && node->up && !node->crashed)
			arrive(node, ev, n);
		for (i = 0; i < n; i++)
			free(ev[i].data);
		break;
	case RIG_EV_TIMER:
		expire(ev->data, ev->gen);
		break;
	case RIG_EV_WORK:
		out = rig_out(node);
		weft_core_work(ev->data, rig_clock(node), out);
		rig_leave(node, out);
		break;
	}
	if (rig->check && ev->kind != RIG_EV_HOP && ev->kind != RIG_EV_LINK && node->up)
		rig->check(node);
}

/* Return: the next event can be handled together with packet @ev. */
static bool joins(struct rig *rig, const struct rig_event *ev)
{
	const struct rig_event *next = rig->heap;

	return rig->nheap && next->kind == RIG_EV_PACKET && next->node == ev->node &&
	       next->life == ev->life && next->at < ev->at + 2000 && rig_below(rig, 8);
}

bool rig_step(struct rig *rig, weft_ns until)
{
	struct rig_event ev[RIG_BATCH];
	u32 n = 0;

	pthread_mutex_lock(&rig->lock);
	if (rig->nheap && rig->heap[0].at <= until) {
		pop(rig, &ev[n++]);
		while (ev[0].kind == RIG_EV_PACKET && n < RIG_BATCH && joins(rig, &ev[n - 1]))
			pop(rig, &ev[n++]);
	}
	if (!rig->threads)
		rig->now = max(rig->now, n ? ev[n - 1].at : until);
	pthread_mutex_unlock(&rig->lock);
	if (n)
		happen(rig, ev, n);
	return n;
}

void rig_run(struct rig *rig, weft_ns ns)
{
	weft_ns until = rig->now + ns;

	while (rig_step(rig, until))
		;
}

void rig_aside(struct rig *rig, weft_ns ns)
{
	/* events use the objects that a mutex protects: they would wait for it for ever */
	if (rig->threads || rig->aside || weft_host_mutexes())
		return;
	rig->aside = true;
	rig_run(rig, ns);
	rig->aside = false;
}

bool rig_until(struct rig *rig, bool (*done)(void *arg), void *arg, weft_ns ns)
{
	weft_ns until = rig->now + ns;

	do {
		if (done(arg))
			return true;
	} while (rig_step(rig, until));
	return done(arg);
}

/* Work of a node that was queued and has not run. */
static void do_work(struct rig_node *node)
{
	struct rig *rig = node->rig;
	struct rig_event ev;
	u32 i;

	for (i = 0; i < rig->nheap; i++) {
		if (rig->heap[i].kind != RIG_EV_WORK || rig->heap[i].node != node ||
		    rig->heap[i].life != node->life)
			continue;
		ev = rig->heap[i];
		rig->heap[i].kind = 0;
		happen(rig, &ev, 1);
		i = (u32)-1;
	}
}

/* ---- Nodes ----------------------------------------------------------- */

void rig_node_addr(const struct rig_conf *conf, u32 index, u16 service, struct weft_sockaddr *addr)
{
	memset(addr, 0, sizeof(*addr));
	addr->family = conf->family;
	addr->port = cpu_to_be16(service);
	if (conf->family == AF_INET) {
		addr->addr[0] = 10;
		addr->addr[2] = (index + 1) >> 8;
		addr->addr[3] = index + 1;
	} else {
		addr->addr[0] = 0xfd;
		addr->addr[14] = (index + 1) >> 8;
		addr->addr[15] = index + 1;
	}
}

void rig_start(struct rig_node *node)
{
	struct weft_sockaddr addr;

	if (node->up)
		weft_host_die(__FILE__, __LINE__, "node is up");
	rig_node_addr(&node->rig->conf, node->index, 0, &addr);
	memset(&node->core, 0, sizeof(node->core));
	while (weft_core_init(&node->core, &node->rig->conf.core, &addr, 1, node))
		memset(&node->core, 0, sizeof(node->core));
	weft_out_init(&node->out, &node->core);
	node->crashed = false;
	node->life++;
	node->up = true;
}

void rig_fit(struct rig_node *node, u32 fit)
{
	struct weft_out *out = rig_out(node);
	u32 pos = 0;
	bool more;

	node->fit = fit;
	if (!node->up)
		return;
	do {
		weft_softirqs_off();
		more = weft_core_refit(&node->core, &pos, rig_clock(node), out);
		weft_softirqs_on();
	} while (more);
	rig_leave(node, out);
}

void rig_halt(struct rig_node *node, int err)
{
	bool more;

	do {
		more = weft_core_stop(&node->core, rig_clock(node), err, &node->out);
		weft_flush(&node->out);
	} while (more);
}

void rig_stop(struct rig_node *node, int err)
{
	if (!node->up)
		return;
	rig_halt(node, err);
	while (node->procs)
		rig_proc_end(node->procs, false);
	do_work(node);
	weft_core_exit(&node->core);
	weft_host_quiesce();
	weft_host_balanced(__FILE__, __LINE__);
	if (node->npaths)
		weft_host_die(__FILE__, __LINE__, "%u paths are left on node %u", node->npaths,
			      node->index);
	node->up = false;
}

void rig_crash(struct rig_node *node)
{
	node->crashed = true;
	while (node->procs)
		rig_proc_end(node->procs, true);
	rig_stop(node, ENODEV);
}

void rig_call(struct rig_node *node, weft_ns at, void (*fn)(struct rig_node *node, void *arg),
	      void *arg)
{
	struct rig_event ev = {
		.kind = RIG_EV_CALL, .at = at, .node = node, .life = node->life, .data = arg,
		.fn = fn
	};

	rig_push(node->rig, &ev);
}

void rig_inject(struct rig_node *node, const struct weft_sockaddr *src, const void *data, u32 len)
{
	static const struct weft_sockaddr none;

	rig_inject_group(node, src, &none, data, len);
}

void rig_inject_group(struct rig_node *node, const struct weft_sockaddr *src,
		      const struct weft_sockaddr *group, const void *data, u32 len)
{
	struct rig_event ev = {
		.kind = RIG_EV_PACKET,
		.at = node->rig->now,
		.node = node,
		.life = node->life,
		.len = len,
		.src = *src,
		.group = *group,
	};

	ev.data = malloc(len);
	memcpy(ev.data, data, len);
	rig_capture(node, src, group->family ? group : &node->core.addr[0], WEFT_CLASS_FIRST, data,
		    len, "injected");
	rig_capture_end();
	rig_push(node->rig, &ev);
}

u64 rig_counter(struct rig_node *node, enum weft_counter c)
{
	return weft_counters_read(node->core.cnt, c);
}

#define COUNTER_NAME(name, unit, settings, text)	#name " "

static void dump_counters(struct rig_node *node)
{
	const char *name = WEFT_COUNTERS(COUNTER_NAME);
	u32 c;

	fprintf(stderr, "node %u:", node->index);
	for (c = 0; c < WEFT_NCOUNTERS; c++) {
		int len = strcspn(name, " ");

		if (rig_counter(node, c))
			fprintf(stderr, " %.*s %llu", len, name,
				(unsigned long long)rig_counter(node, c));
		name += len + 1;
	}
	fputc('\n', stderr);
}

struct weft_path *rig_path(struct weft_core *core)
{
	u32 pos = 0;

	return weft_path_next(core, &pos);
}

static void dump_paths(struct rig_node *node)
{
	struct weft_path *path;
	u32 pos = 0;

	while ((path = weft_path_next(&node->core, &pos))) {
		struct weft_path_info i;

		weft_path_look(path, &i);
		fprintf(stderr, "  path to .%u.%u: state %u srtt %llu cwnd %u flight %u flows %u",
			i.addr.addr[i.addr.family == AF_INET ? 2 : 14],
			i.addr.addr[i.addr.family == AF_INET ? 3 : 15], i.state,
			(unsigned long long)i.srtt, i.cwnd, i.flight, i.nflow);
		fprintf(stderr, " again %llu\n", (unsigned long long)i.counts.retrans);
		weft_path_put(path);
	}
}

static void dump_eps(struct rig_node *node)
{
	struct rig_proc *proc;
	struct rig_ep *ep;

	for (proc = node->procs; proc; proc = proc->next) {
		for (ep = proc->eps; ep; ep = ep->next) {
			struct weft_ep_info i;

			weft_ep_look(ep->ep, &i);
			fprintf(stderr, "  ep %x: type %u state %u posted %u unexp %u sending %u",
				i.handle, i.type, i.state, i.posted, i.unexp, i.sending);
			fprintf(stderr, " sq %u/%u rq %u/%u flags %x\n", ep->status.sq_head,
				ep->sq_tail, ep->status.rq_head, ep->rq_tail, ep->status.flags);
		}
	}
}

void rig_dump(struct rig *rig)
{
	u32 i;

	fprintf(stderr, "seed %llu, %llu ns, %llu packets, %llu lost, %u events\n",
		(unsigned long long)rig->conf.seed, (unsigned long long)rig->now,
		(unsigned long long)rig->npackets, (unsigned long long)rig->nlost, rig->nheap);
	for (i = 0; i < min(rig->conf.nodes, 8u); i++) {
		if (!rig->node[i].up)
			continue;
		dump_counters(&rig->node[i]);
		dump_paths(&rig->node[i]);
		dump_eps(&rig->node[i]);
	}
}

/* ---- Start and end --------------------------------------------------- */

void rig_conf_default(struct rig_conf *conf, u64 seed)
{
	memset(conf, 0, sizeof(*conf));
	conf->seed = seed;
	conf->nodes = 2;
	conf->family = AF_INET;
	conf->delay = 10 * NSEC_PER_USEC;
	conf->jitter = NSEC_PER_USEC;
	conf->late_by = 500 * NSEC_PER_USEC;
	conf->max_payload = 1472;
	conf->resv = 4;
	weft_conf_default(&conf->core);
}

/* Change the MTU of the node's device, or what the network carries, to a random size. */
static void squeeze(struct rig_node *node, void *arg)
{
	struct rig *rig = node->rig;
	u32 size = rig->conf.max_payload;

	if (rig_below(rig, 3))
		size = WEFT_PAYLOAD_MIN + rig_below(rig, size - WEFT_PAYLOAD_MIN + 1);
	if (rig_below(rig, 3))
		rig_fit(node, size);
	else
		rig->conf.net.narrow = size;
}

/* Most changes are early, when there is most traffic. */
static void squeeze_all(struct rig *rig)
{
	u32 i, n = rig->conf.squeeze;
	u64 for_ns;

	for (i = 1; i <= n; i++) {
		for_ns = NSEC_PER_SEC * i / n * i / n;
		rig_call(&rig->node[rig_below(rig, rig->conf.nodes)],
			 rig->now + rig_random(rig) % for_ns, squeeze, NULL);
	}
}

struct rig *rig_new(const struct rig_conf *conf)
{
	struct rig *rig = calloc(1, sizeof(*rig));
	u32 i;

	pthread_mutex_init(&rig->lock, NULL);
	rig->conf = *conf;
	rig->rnd = conf->seed;
	rig->now = NSEC_PER_SEC + rig_random(rig) % NSEC_PER_SEC;
	weft_host_seed(rig_random(rig));
	rig_net_init(rig);
	rig_capture_begin();
	for (i = 0; i < conf->nodes; i++) {
		struct rig_node *node = &rig->node[i];

		if (conf->clocks) {
			node->clock = rig_random(rig) % (1000 * NSEC_PER_SEC);
			node->rate = (int)rig_below(rig, 2 * conf->clocks + 1) - (int)conf->clocks;
		}
		node->fit = conf->max_payload;
		rig_start(node);
	}
	squeeze_all(rig);
	return rig;
}

void rig_free(struct rig *rig)
{
	struct rig_proc *proc;
	struct rig_path *rp;
	u32 i;

	for (i = 0; i < rig->conf.nodes; i++)
		rig_stop(&rig->node[i], ENODEV);
	weft_host_quiesce();
	if (rig->nmem)
		weft_host_die(__FILE__, __LINE__, "%ld windows of memory are still held",
			      rig->nmem);
	if (weft_host_live())
		weft_host_die(__FILE__, __LINE__, "%ld allocations have not been freed",
			      weft_host_live());
	for (i = 0; i < rig->nheap; i++)
		if (rig->heap[i].kind == RIG_EV_PACKET || rig->heap[i].kind == RIG_EV_HOP)
			free(rig->heap[i].data);
	while ((proc = rig->ended)) {
		rig->ended = proc->next;
		free(proc);
	}
	while ((rp = rig->paths)) {
		rig->paths = rp->next;
		free(rp);
	}
	rig_net_free(rig);
	free(rig->heap);
	free(rig);
}
