// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft port - history: the last events of each port, for an administrator
 *
 * The core reports events by weft_env_note(), the port and its drivers by weft_history_plain(). A
 * history keeps the last WEFT_HISTORY_EVENTS in a ring. An event that repeats the last one about
 * its node is counted, and not stored again. A limit is noted at most once a second for each user.
 *
 * A history outlives its port, so that an administrator can see how the port ended:
 *
 *	none ---(port is made)---> open <---(port of this name)--- idle
 *	                            |                               ^ |
 *	                            +------(port is gone)-----------+ +--(too many)---> freed
 *
 * A worker tells listeners of each event (weft_up_event()). Events that are overwritten before that
 * are not told; the numbers of messages show how many. What an administrator must know also goes to
 * the kernel log: one line for each node and cause in ten minutes, and few lines in all.
 *
 * Locks: weft_history_lock protects the list, and may sleep. h->lock protects a history. Any lock
 * of the core may be held outside of h->lock, and none is taken inside.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/in6.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/ratelimit.h>
#include <linux/slab.h>
#include <net/net_namespace.h>

#include "../trace/trace_core.h"
#include "history.h"
#include "port.h"
#include "upcalls.h"

#define WEFT_HISTORY_NEAR	8	/* newest events among which repetitions are found */
#define WEFT_HISTORY_LOG	(600 * HZ)	/* between two equal lines of the kernel log */

/**
 * struct weft_history - the events of a port, or of one that is gone
 * @node: in weft_histories
 * @ref: references: the list, a port, the worker
 * @id: number of the history, from 1 on; constant
 * @name: name of the port; constant
 * @net_cookie: its namespace; constant
 * @lock: all below; BH
 * @net: the port's namespace, NULL: idle; not held; written with weft_history_lock held, too
 * @next: number of the next event
 * @nr: messages to listeners
 * @tell: namespace of the listeners that the worker tells, held by it; NULL: it does not run
 * @work: the worker
 * @gate: when a limit may be reported again, by weft_history_gate(); jiffies
 * @log: limits the lines of the kernel log
 * @event: event number n is in slot n % WEFT_HISTORY_EVENTS
 */
struct weft_history {
	struct list_head node;
	struct kref ref;
	u64 id;
	char name[WEFT_NAME_MAX];
	u64 net_cookie;
	spinlock_t lock;	/* all below */
	struct net *net;
	u64 next;
	u64 nr;
	struct net *tell;
	struct work_struct work;
	unsigned long gate[WEFT_HISTORY_GATES];
	struct ratelimit_state log;
	struct weft_history_event event[WEFT_HISTORY_EVENTS];
};

static LIST_HEAD(weft_histories);
static DEFINE_MUTEX(weft_history_lock);
static u64 weft_histories_id;	/* of the newest one */

/* ---- Words ----------------------------------------------------------------------------------- */

/**
 * struct weft_history_word - words for a kind of events
 * @what: name
 * @why: what it means; with an errno weft_history_why() says more
 * @log: the kernel log gets a line
 */
struct weft_history_word {
	const char *what;
	const char *why;
	bool log;
};

#define WEFT_WHY_SILENT \
	"the node never answered; does a firewall drop weft's UDP port? Is its limit 'paths' full?"

static const struct weft_history_word weft_history_words[WEFT_NOTE_KINDS] = {
	[WEFT_NOTE_PATH_UP] = { "path-up", "the node has answered" },
	[WEFT_NOTE_PATH_DOWN] = { "path-down", NULL, true },
	[WEFT_NOTE_PATH_IDLE] = { "path-idle", "no program used the path, so it ended" },
	[WEFT_NOTE_RESTARTED] = { "peer-restarted", "the node's port has begun anew" },
	[WEFT_NOTE_VERSION] = { "peer-version",
		"the node speaks other versions of the protocol; upgrade the older module", true },
	[WEFT_NOTE_MTU] = { "mtu-reduced",
		"longer packets do not arrive; check the MTU of all devices on the way" },
	[WEFT_NOTE_MTU_RAISED] = { "mtu-raised", "longer packets arrive than before" },
	[WEFT_NOTE_GIVEN_UP] = { "messages-given-up", NULL, true },
	[WEFT_NOTE_LIMIT] = { "limit-reached", "see 'weftctl limit show'", true },
	[WEFT_NOTE_EP_KILLED] = { "endpoint-killed",
		"an administrator has ended the endpoint; its program has to close it" },
	[WEFT_NOTE_PORT_ADD] = { "port-added", "" },
	[WEFT_NOTE_PORT_DEL] = { "port-deleted", "" },
	[WEFT_NOTE_LINK_UP] = { "link-up", "" },
	[WEFT_NOTE_LINK_DOWN] = { "link-down", "the device has no carrier, or is set down" },
	[WEFT_NOTE_DEVICE] = { "device-gone", "the port's device was removed" },
	[WEFT_NOTE_BROKEN] = { "device-broken",
		"the device broke its rules or asked for a reset; the port is given up" },
	[WEFT_NOTE_CONFLICT] = { "address-conflict",
		"another node on the link has an address of this port" },
	[WEFT_NOTE_DENIED] = { "rma-denied", "one-sided operations had no right to their memory" },
};

/**
 * weft_history_what - name a kind of events
 * @kind: the kind
 *
 * Return: the name.
 */
const char *weft_history_what(u8 kind)
{
	return weft_history_words[kind].what;
}

/**
 * weft_history_why - explain an event
 * @note: the event
 *
 * Return: the cause and what to do, "": nothing to say.
 */
const char *weft_history_why(const struct weft_note *note)
{
	const char *why = weft_history_words[note->kind].why;

	if (why)
		return why;
	switch (note->err) {
	case ECONNABORTED:
		return "an administrator has deleted the path";
	case ECONNREFUSED:
		return "the receiver's endpoint has gone";
	case ECONNRESET:
		return "the node's port has ended or restarted";
	case EHOSTUNREACH:
		return WEFT_WHY_SILENT;
	case ETIMEDOUT:
		return "the node was silent, or its program did not receive in time";
	case EPROTONOSUPPORT:
		return "the node speaks other versions of the protocol";
	default:
		return "the port or its route has gone";
	}
}

/* Write a line to the kernel log. */
static void weft_history_print(const struct weft_history *h, const struct weft_note *note)
{
	const char *what = weft_history_what(note->kind), *why = weft_history_why(note);
	char from[WEFT_TRACE_NAME];

	if (note->kind == WEFT_NOTE_LIMIT && note->uid != WEFT_NOTE_NO_UID) {
		pr_warn("%s: %s %s by user %u: %s\n", h->name, what, note->limit, note->uid, why);
	} else if (note->kind == WEFT_NOTE_LIMIT) {
		pr_warn("%s: %s %s: %s\n", h->name, what, note->limit, why);
	} else {
		weft_trace_node(from, note->addr);
		if (note->kind == WEFT_NOTE_PATH_DOWN)
			pr_warn("%s: %s to %s: %s\n", h->name, what, from, why);
		else if (note->kind == WEFT_NOTE_VERSION)
			pr_warn("%s: %s %llu to %llu of %s: %s\n", h->name, what, note->from,
				note->to, from, why);
		else
			pr_warn("%s: %s: %llu messages to %s, already reported as sent: %s\n",
				h->name, what, note->to, from, why);
	}
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void weft_history_free(struct kref *ref)
{
	kvfree(container_of(ref, struct weft_history, ref));
}

/**
 * weft_history_put - drop a reference
 * @h: the history, NULL: none
 *
 * Context: any but hard interrupts.
 */
void weft_history_put(struct weft_history *h)
{
	if (h)
		kref_put(&h->ref, weft_history_free);
}

/* Take a history off the list. */
static void weft_history_forget(struct weft_history *h)
{
	lockdep_assert_held(&weft_history_lock);
	list_del_init(&h->node);
	weft_history_put(h);
}

static struct weft_history_event *weft_history_at(struct weft_history *h, u64 pos)
{
	return &h->event[pos % WEFT_HISTORY_EVENTS];
}

/* Copy an event for use without h->lock. */
static void weft_history_copy(struct weft_history_event *to, const struct weft_history_event *e)
{
	*to = *e;
	if (to->note.addr)
		to->note.addr = &to->addr;
}

static u64 weft_history_oldest(const struct weft_history *h)
{
	return h->next - min_t(u64, h->next, WEFT_HISTORY_EVENTS);
}

/* Tell listeners of the events that they have not heard of. */
static void weft_history_work(struct work_struct *work)
{
	struct weft_history *h = container_of(work, struct weft_history, work);
	struct weft_history_event e, *next;
	struct net *net;
	u64 pos;

	for (;;) {
		spin_lock_bh(&h->lock);
		next = NULL;
		/* from the oldest on: it may have been repeated */
		for (pos = weft_history_oldest(h); pos < h->next && !next; pos++)
			if (weft_history_at(h, pos)->untold)
				next = weft_history_at(h, pos);
		net = h->tell;
		if (next) {
			next->untold = false;
			next->nr = ++h->nr;
			weft_history_copy(&e, next);
		} else {
			h->tell = NULL;
		}
		spin_unlock_bh(&h->lock);
		if (!next) {
			put_net(net);
			break;
		}
		weft_up_event(net, h->name, &e);
		cond_resched();
	}
	weft_history_put(h);
}

static struct weft_history *weft_history_new(struct net *net, const char *name)
{
	struct weft_history *h = kvzalloc(sizeof(*h), GFP_KERNEL);

	if (!h)
		return NULL;
	INIT_LIST_HEAD(&h->node);
	kref_init(&h->ref);
	strscpy(h->name, name, sizeof(h->name));
	h->net_cookie = net->net_cookie;
	spin_lock_init(&h->lock);
	INIT_WORK(&h->work, weft_history_work);
	ratelimit_state_init(&h->log, DEFAULT_RATELIMIT_INTERVAL, DEFAULT_RATELIMIT_BURST);
	ratelimit_set_flags(&h->log, RATELIMIT_MSG_ON_RELEASE);
	return h;
}

/**
 * weft_history_open - find or make the history of a new port
 * @net: the port's namespace
 * @name: the port's name
 *
 * Context: process.
 * Return: the history, referenced, until weft_history_close() open; NULL: no memory.
 */
struct weft_history *weft_history_open(struct net *net, const char *name)
{
	struct weft_history *h, *found = NULL;

	mutex_lock(&weft_history_lock);
	list_for_each_entry(h, &weft_histories, node)
		if (h->net_cookie == net->net_cookie && !h->net && !strcmp(h->name, name))
			found = h;
	if (!found) {
		found = weft_history_new(net, name);
		if (found) {
			found->id = ++weft_histories_id;
			list_add_tail(&found->node, &weft_histories);
		}
	}
	if (found) {
		kref_get(&found->ref);
		spin_lock_bh(&found->lock);
		found->net = net;
		spin_unlock_bh(&found->lock);
	}
	mutex_unlock(&weft_history_lock);
	return found;
}

/**
 * weft_history_close - make a history idle: its port is gone
 * @h: the history
 *
 * Afterwards the namespace is not used. A history without events is forgotten, as its port never
 * worked. Of too many the one that has been idle longest is forgotten.
 *
 * Context: process.
 */
void weft_history_close(struct weft_history *h)
{
	struct weft_history *o, *oldest = NULL;
	u32 n = 0;

	mutex_lock(&weft_history_lock);
	spin_lock_bh(&h->lock);
	h->net = NULL;
	spin_unlock_bh(&h->lock);
	/* idle ones stand behind one another in the order of their ends */
	list_move_tail(&h->node, &weft_histories);
	if (!h->next) {
		weft_history_forget(h);
	} else {
		list_for_each_entry_reverse(o, &weft_histories, node) {
			if (o->net)
				continue;
			n++;
			oldest = o;
		}
		if (n > WEFT_HISTORY_IDLE)
			weft_history_forget(oldest);
	}
	mutex_unlock(&weft_history_lock);
}

/**
 * weft_histories_exit - forget all histories
 *
 * No port exists, so no work is queued any more. Work that runs has references of its own.
 *
 * Context: process.
 */
void weft_histories_exit(void)
{
	struct weft_history *h, *tmp;

	mutex_lock(&weft_history_lock);
	list_for_each_entry_safe(h, tmp, &weft_histories, node)
		weft_history_forget(h);
	mutex_unlock(&weft_history_lock);
}

/* ---- Events ---------------------------------------------------------------------------------- */

static bool weft_history_same_addr(const struct weft_history_event *e, const struct weft_note *note)
{
	if (!e->note.addr || !note->addr)
		return !e->note.addr && !note->addr;
	return e->addr.family == note->addr->family &&
	       !memcmp(e->addr.addr, note->addr->addr, sizeof(e->addr.addr));
}

static bool weft_history_same(const struct weft_history_event *e, const struct weft_note *note)
{
	/* each endpoint of an address ends by itself */
	if (note->kind == WEFT_NOTE_EP_KILLED && e->note.to != note->to)
		return false;
	return e->note.kind == note->kind && e->note.err == note->err && e->note.uid == note->uid &&
	       e->note.limit == note->limit && weft_history_same_addr(e, note);
}

/*
 * Return: a recent event that @note repeats, without another one about its node, or about the port,
 * since; or NULL. Limits are reached independently of all others.
 */
static struct weft_history_event *weft_history_repeated(struct weft_history *h,
							const struct weft_note *note)
{
	struct weft_history_event *e;
	u64 i, n = min_t(u64, h->next, WEFT_HISTORY_NEAR);

	lockdep_assert_held(&h->lock);
	for (i = 1; i <= n; i++) {
		e = weft_history_at(h, h->next - i);
		if (weft_history_same(e, note))
			return e;
		if (e->note.kind != WEFT_NOTE_LIMIT && weft_history_same_addr(e, note))
			return NULL;
	}
	return NULL;
}

/* Return: true if the kernel log gets a line about @note now. */
static bool weft_history_logs(struct weft_history *h, const struct weft_note *note)
{
	u64 pos = h->next, oldest = weft_history_oldest(h);
	struct weft_history_event *e;

	lockdep_assert_held(&h->lock);
	if (!weft_history_words[note->kind].log)
		return false;
	while (pos > oldest) {
		e = weft_history_at(h, --pos);
		if (e->in_log && time_before(jiffies, e->logged + WEFT_HISTORY_LOG) &&
		    weft_history_same(e, note))
			return false;
	}
	return __ratelimit(&h->log);
}

/* Return: true if a limit may be reported now. Takes no lock, as limits may be reached often. */
static bool weft_history_gate(struct weft_history *h, const struct weft_note *note)
{
	unsigned long *gate, now = jiffies, at;

	gate = &h->gate[(((unsigned long)note->limit >> 3) + note->uid) % WEFT_HISTORY_GATES];
	at = READ_ONCE(*gate);
	if (at && time_before(now, at))
		return false;
	WRITE_ONCE(*gate, (now + HZ) ?: 1);
	return true;
}

/**
 * weft_history_add - add an event
 * @h: the history, referenced
 * @note: the event
 *
 * Context: any but hard interrupts.
 */
void weft_history_add(struct weft_history *h, const struct weft_note *note)
{
	struct weft_history_event *e;
	bool log, tell = false;
	u64 now;

	if (note->kind == WEFT_NOTE_LIMIT && !weft_history_gate(h, note))
		return;
	spin_lock_bh(&h->lock);
	now = ktime_get_real_ns();
	log = weft_history_logs(h, note);
	e = weft_history_repeated(h, note);
	if (!e) {
		e = weft_history_at(h, h->next);
		/* nobody will be told of the event that was here: its message has a number, too */
		h->nr += e->untold;
		memset(e, 0, sizeof(*e));
		h->next++;
		e->first = now;
	}
	e->note = *note;
	if (note->addr) {
		e->addr = *note->addr;
		e->addr.port = 0;
		e->note.addr = &e->addr;
	}
	e->last = now;
	e->count++;
	e->untold = true;
	if (log) {
		e->in_log = true;
		e->logged = jiffies;
	}
	if (!h->tell && h->net) {
		h->tell = maybe_get_net(h->net);
		tell = h->tell;
		if (tell)
			kref_get(&h->ref);
	}
	spin_unlock_bh(&h->lock);
	if (tell && !queue_work(weft_port_wq, &h->work))
		WARN_ON_ONCE(true);
	if (log)
		weft_history_print(h, note);
}

/**
 * weft_history_plain - add an event of the port itself, without further values
 * @h: the history, referenced
 * @kind: enum weft_history_kind
 *
 * Context: any but hard interrupts.
 */
void weft_history_plain(struct weft_history *h, u8 kind)
{
	weft_history_add(h, &(struct weft_note){ .kind = kind, .uid = WEFT_NOTE_NO_UID });
}

/**
 * weft_env_note - report what an administrator may want to know; see core/base/env.h
 * @core: the core
 * @note: the event
 *
 * Context: any but hard interrupts.
 */
void weft_env_note(struct weft_core *core, const struct weft_note *note)
{
	weft_history_add(weft_port_of(core)->history, note);
}

/* ---- Dumps ----------------------------------------------------------------------------------- */

/* Read the first event from *@pos on, and move *@pos behind it. Return: true; false: none. */
static bool weft_history_read(struct weft_history *h, u64 *pos, struct weft_history_event *event)
{
	bool found;

	spin_lock_bh(&h->lock);
	*pos = max(*pos, weft_history_oldest(h));
	found = *pos < h->next;
	if (found)
		weft_history_copy(event, weft_history_at(h, (*pos)++));
	spin_unlock_bh(&h->lock);
	return found;
}

/* Return: the history with the least number from @id on, NULL: none. */
static struct weft_history *weft_history_from(u64 net_cookie, const char *name, u64 id)
{
	struct weft_history *h, *best = NULL;

	lockdep_assert_held(&weft_history_lock);
	list_for_each_entry(h, &weft_histories, node)
		if (h->net_cookie == net_cookie && (!name || !strcmp(h->name, name)) &&
		    h->id >= id && (!best || h->id < best->id))
			best = h;
	return best;
}

/**
 * weft_history_next - iterate over the events of a namespace, those of ports that are gone too
 * @net_cookie: the namespace
 * @name: name of the only port to look at, NULL: all ports
 * @walk: position, zeroed at first
 * @port: out: name of the port
 * @event: out: the event
 *
 * Context: process.
 * Return: true; false: no more events.
 */
bool weft_history_next(u64 net_cookie, const char *name, struct weft_history_walk *walk,
		       char port[WEFT_NAME_MAX], struct weft_history_event *event)
{
	struct weft_history *h;
	bool found = false;

	mutex_lock(&weft_history_lock);
	while (!found) {
		h = weft_history_from(net_cookie, name, walk->id);
		if (!h)
			break;
		if (h->id != walk->id)
			walk->pos = 0;
		walk->id = h->id;
		walk->found = true;
		found = weft_history_read(h, &walk->pos, event);
		if (found) {
			strscpy_pad(port, h->name, WEFT_NAME_MAX);
		} else {
			walk->id++;
			walk->pos = 0;
		}
	}
	mutex_unlock(&weft_history_lock);
	return found;
}
