// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft port - interface between the core and a driver: packets, paths and their timers (the port's
 * part of core/base/env.h)
 *
 * The timer of a path is lazy. A later deadline only changes pp->at. If the timer expires too
 * early, it restarts itself. While it is queued or its function runs, it holds one reference on the
 * path. So a path is never closed under it:
 *
 *	idle (armed == U64_MAX) --start: get--> queued --expires--> running --> idle: put
 *	                                           ^                   |
 *	                                           +-- deadline moved -+
 *
 * Another CPU may queue it again while its function runs. Then the running function needs its own
 * reference.
 *
 * Softirq work shares one struct weft_out per CPU. It is in use from the entry into the core to the
 * end of weft_flush(). A device that delivers packets inside its transmit function could enter
 * twice. Then the packets are dropped, as on a wire.
 *
 * port->path_lock protects the list of path parts. pp->lock protects a timer. Both exclude
 * softirqs. Order: Documentation/locking.rst.
 */
#include <linux/percpu.h>
#include <linux/ratelimit.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "../compat.h"
#include "../trace/trace_core.h"
#include "history.h"
#include "path.h"

/**
 * struct weft_soft - output for softirq work of one CPU
 * @out: output of the core; empty, unless @busy
 * @busy: @out is in use
 */
struct weft_soft {
	struct weft_out out;
	bool busy;
};

static struct weft_soft __percpu *weft_soft;

#define WEFT_TIMER_MODE		HRTIMER_MODE_ABS_PINNED_SOFT

/* between two lines of the kernel log about refused operations of one path */
#define WEFT_DENIED_QUIET	(60 * NSEC_PER_SEC)

/* Take this CPU's output for a call of a port's core; BH is off. Return: the output. */
static struct weft_out *weft_soft_begin(struct weft_soft *soft, struct weft_port *port)
{
	soft->busy = true;
	soft->out.core = &port->core;
	return &soft->out;
}

/* Flush the output, and give it back. */
static void weft_soft_end(struct weft_soft *soft)
{
	weft_flush(&soft->out);
	soft->busy = false;
}

/* ---- Packets --------------------------------------------------------------------------------- */

/**
 * weft_port_rx - pass received packets to the core
 * @port: the port
 * @rx: packets; valid until it returns
 * @n: number of packets, at most 16
 *
 * Context: BH off, no lock held.
 */
void weft_port_rx(struct weft_port *port, const struct weft_rx *rx, u32 n)
{
	struct weft_soft *soft = this_cpu_ptr(weft_soft);

	if (unlikely(soft->busy)) {
		weft_count_add(&port->core, rx_dropped, n);
		return;
	}
	weft_core_rx(&port->core, weft_now(), rx, n, weft_soft_begin(soft, port));
	weft_soft_end(soft);
}

/**
 * weft_env_tx - send packets; see core/base/env.h
 * @core: the core
 * @tx: packets
 * @n: number of packets
 *
 * Context: any but hard interrupt; no lock of the core held.
 */
void weft_env_tx(struct weft_core *core, struct weft_tx *tx, u32 n)
{
	struct weft_port *port = weft_port_of(core);

	local_bh_disable();
	rcu_read_lock();
	if (likely(READ_ONCE(port->state) < WEFT_PORT_GONE))
		port->ops->tx(port, tx, n);
	rcu_read_unlock();
	local_bh_enable();
}

/**
 * weft_env_tx_resv - reserve a packet; see core/base/env.h
 * @core: the core
 * @path: the path
 * @b: the packet
 *
 * Context: BH off; locks of the core may be held.
 * Return: true: reserved; false: the packet must be sent by weft_env_tx().
 */
bool weft_env_tx_resv(struct weft_core *core, struct weft_path *path, struct weft_tx_resv *b)
{
	struct weft_port *port = weft_port_of(core);

	return port->ops->resv && READ_ONCE(port->state) < WEFT_PORT_GONE &&
	       port->ops->resv(port, path, b);
}

/**
 * weft_env_send - send a reserved packet; see core/base/env.h
 * @core: the core
 * @path: the path
 * @b: the packet, with its bytes written
 *
 * The driver still works if the port is GONE by now. It is stopped only after an RCU grace period,
 * and BH has been off since weft_env_tx_resv().
 *
 * Context: BH off; no lock of the core held.
 */
void weft_env_send(struct weft_core *core, struct weft_path *path, struct weft_tx_resv *b)
{
	struct weft_port *port = weft_port_of(core);

	port->ops->send(port, path, b);
}

/* ---- Timers ---------------------------------------------------------------------------------- */

static void weft_timer_due(struct weft_ppath *pp, weft_ns now)
{
	struct weft_soft *soft = this_cpu_ptr(weft_soft);

	if (WARN_ON_ONCE(soft->busy))
		return;
	weft_core_timer(pp->path, now, weft_soft_begin(soft, pp->port));
	weft_soft_end(soft);
}

/*
 * Softirq. The function owns the reference of the queued timer, unless the timer was queued again.
 */
static enum hrtimer_restart weft_timer_fn(struct hrtimer *timer)
{
	struct weft_ppath *pp = container_of(timer, struct weft_ppath, timer);
	weft_ns now = weft_now();
	bool queued, due = false;

	spin_lock(&pp->lock);
	queued = hrtimer_is_queued(timer);
	if (!pp->closed && pp->at != U64_MAX) {
		if (pp->at > now) {
			pp->armed = pp->at;
			hrtimer_start(timer, ns_to_ktime(pp->at), WEFT_TIMER_MODE);
			spin_unlock(&pp->lock);
			return HRTIMER_NORESTART;
		}
		pp->at = U64_MAX;
		due = true;
	}
	if (!queued)
		pp->armed = U64_MAX;
	else if (due)
		weft_path_get(pp->path);
	spin_unlock(&pp->lock);

	if (due)
		weft_timer_due(pp, now);
	if (due || !queued)
		weft_path_put(pp->path);
	return HRTIMER_NORESTART;
}

/**
 * weft_env_timer - set a path's timer; see core/base/env.h
 * @path: the path
 * @at: deadline, U64_MAX: none
 *
 * Context: any but hard interrupt; the caller has a reference on the path, and may hold its lock.
 */
void weft_env_timer(struct weft_path *path, weft_ns at)
{
	struct weft_ppath *pp = *weft_path_port(path);

	if (!pp)
		return;
	spin_lock_bh(&pp->lock);
	pp->at = at;
	if (at < pp->armed && !pp->closed) {
		if (pp->armed == U64_MAX)
			weft_path_get(path);
		pp->armed = at;
		hrtimer_start(&pp->timer, ns_to_ktime(at), WEFT_TIMER_MODE);
	}
	spin_unlock_bh(&pp->lock);
}

/* ---- Paths ----------------------------------------------------------------------------------- */

/**
 * weft_env_path_open - open a path; see core/base/env.h
 * @path: the path
 * @max_payload: out: maximum UDP payload of a packet on the route
 *
 * Context: any but hard interrupt; locks of the core may be held.
 * Return: 0, -ENETUNREACH, -EHOSTUNREACH, -ENOMEM.
 */
int weft_env_path_open(struct weft_path *path, u32 *max_payload)
{
	struct weft_port *port = weft_port_of(weft_path_core(path));
	struct weft_ppath *pp;
	int err = -ENETUNREACH;

	pp = kzalloc(struct_size(pp, priv, DIV_ROUND_UP(port->ops->path_size, sizeof(u64))),
		     GFP_ATOMIC | __GFP_ACCOUNT | __GFP_NOWARN);
	if (!pp)
		return -ENOMEM;
	pp->path = path;
	pp->port = port;
	pp->at = U64_MAX;
	pp->armed = U64_MAX;
	/* the driver has no part of a local path */
	pp->released = weft_path_local(path);
	spin_lock_init(&pp->lock);
	hrtimer_setup(&pp->timer, weft_timer_fn, CLOCK_MONOTONIC, WEFT_TIMER_MODE);

	local_bh_disable();
	rcu_read_lock();
	if (pp->released)
		err = 0;
	else if (READ_ONCE(port->state) < WEFT_PORT_GONE)
		err = port->ops->path_open(port, path, pp->priv, max_payload);
	rcu_read_unlock();
	local_bh_enable();
	if (err)
		goto free;

	/* Either weft_paths_stop() sees the path, or this code sees that the port has gone. */
	spin_lock_bh(&port->path_lock);
	if (READ_ONCE(port->state) >= WEFT_PORT_GONE)
		err = -ENETUNREACH;
	else
		list_add_tail(&pp->node, &port->ppaths);
	spin_unlock_bh(&port->path_lock);
	if (err) {
		if (!pp->released)
			port->ops->path_close(pp->priv);
		goto free;
	}
	*weft_path_port(path) = pp;
	return 0;
free:
	kfree(pp);
	return err;
}

/**
 * weft_env_path_fit - find the largest packet that the device takes now; see core/base/env.h
 * @path: the path, open and locked; not local
 *
 * Context: BH off.
 * Return: its payload; 0: not known, or constant.
 */
u32 weft_env_path_fit(struct weft_path *path)
{
	struct weft_port *port = weft_port_of(weft_path_core(path));
	u32 fit = 0;

	rcu_read_lock();
	if (port->ops->path_fit && READ_ONCE(port->state) < WEFT_PORT_GONE)
		fit = port->ops->path_fit(port, path);
	rcu_read_unlock();
	return fit;
}

/**
 * weft_paths_refit - have all paths take over a change of the device's MTU
 * @port: the port, between ops->attach() and ops->detach()
 *
 * Context: process. Between a few paths softirqs have their turn.
 */
void weft_paths_refit(struct weft_port *port)
{
	struct weft_soft *soft;
	u32 pos = 0;
	bool more;

	do {
		local_bh_disable();
		soft = this_cpu_ptr(weft_soft);
		more = weft_core_refit(&port->core, &pos, weft_now(), weft_soft_begin(soft, port));
		weft_soft_end(soft);
		local_bh_enable();
	} while (more);
}

/**
 * weft_port_retime - have all paths take over a limit that is a time
 * @port: the port
 *
 * Context: process. Between a few paths softirqs have their turn.
 */
void weft_port_retime(struct weft_port *port)
{
	u32 pos = 0;
	bool more;

	do {
		local_bh_disable();
		more = weft_core_retime(&port->core, &pos, weft_now());
		local_bh_enable();
	} while (more);
}

/**
 * weft_env_path_close - close a path whose last reference is dropped; see core/base/env.h
 * @path: the path
 *
 * The timer is idle. Or its function has left the core and is about to return, inside of an RCU
 * read section.
 *
 * Context: any but hard interrupt.
 */
void weft_env_path_close(struct weft_path *path)
{
	struct weft_ppath *pp = *weft_path_port(path);

	if (!pp)
		return;
	*weft_path_port(path) = NULL;
	spin_lock_bh(&pp->port->path_lock);
	list_del(&pp->node);
	if (!pp->released)
		pp->port->ops->path_close(pp->priv);
	spin_unlock_bh(&pp->port->path_lock);
	kfree_rcu(pp, rcu);
}

/**
 * struct weft_denied_why - a cause of refused operations
 * @word: for the trace point
 * @text: for the kernel log
 */
struct weft_denied_why {
	const char *word;
	const char *text;
};

static const struct weft_denied_why weft_denied_whys[] = {
	[WEFT_DENIED_KEY] = { "key", "no region has the key" },
	[WEFT_DENIED_BOUNDS] = { "bounds", "it reaches beyond the region" },
	[WEFT_DENIED_RIGHT] = { "right", "the region lacks the right" },
	[WEFT_DENIED_ENDPOINT] = { "endpoint", "the endpoint lacks the right" },
	[WEFT_DENIED_USER] = { "user", "the region is another user's" },
};

/* Return: time for a line about refused operations of a path. Counts the operation. */
static bool weft_denied_tell(struct weft_ppath *pp)
{
	static DEFINE_RATELIMIT_STATE(all_paths, DEFAULT_RATELIMIT_INTERVAL,
				      DEFAULT_RATELIMIT_BURST);
	weft_ns now = weft_now();

	pp->denied++;
	if ((pp->denied_at && now - pp->denied_at < WEFT_DENIED_QUIET) || !__ratelimit(&all_paths))
		return false;
	pp->denied_at = now;
	return true;
}

/**
 * weft_env_denied - report an operation that was refused; see core/base/env.h
 * @path: its path
 * @d: the operation
 *
 * The kernel log gets one line for each path in WEFT_DENIED_QUIET.
 *
 * Context: any but hard interrupt; the path is locked.
 */
void weft_env_denied(struct weft_path *path, const struct weft_denied *d)
{
	const struct weft_port *port = weft_port_of(weft_path_core(path));
	const struct weft_denied_why *why = &weft_denied_whys[d->why];
	struct weft_ppath *pp = *weft_path_port(path);
	char from[WEFT_TRACE_NAME];

	trace_weft_rma_denied(port->name, weft_path_addr(path), d->uid, d->service, d->key, d->addr,
			      EACCES, why->word);
	if (!pp || !weft_denied_tell(pp))
		return;
	weft_trace_node(from, weft_path_addr(path));
	pr_warn("%s: node %s: %u one-sided operations refused, the last one of user %u with key %#llx on service %u: %s. Mend that program, or end it if it guesses keys; trace point weft_rma_denied shows each\n",
		port->name, from, pp->denied, d->uid, d->key, d->service, why->text);
	weft_history_add(port->history, &(struct weft_note){
		.kind = WEFT_NOTE_DENIED, .err = EACCES, .uid = d->uid, .to = pp->denied,
		.addr = weft_path_addr(path),
	});
	pp->denied = 0;
}

/**
 * weft_paths_fail - end the paths that other nodes opened to a port whose creation failed
 * @port: the port, without endpoints; it receives no more packets
 *
 * Context: process.
 */
void weft_paths_fail(struct weft_port *port)
{
	struct weft_soft *soft;
	bool more;

	do {
		local_bh_disable();
		soft = this_cpu_ptr(weft_soft);
		more = weft_core_stop(&port->core, weft_now(), ENODEV,
				      weft_soft_begin(soft, port));
		weft_soft_end(soft);
		local_bh_enable();
	} while (more);
}

/**
 * weft_paths_stop - stop the path timers of a port that is GONE
 * @port: the port
 *
 * Running timers have ended after the caller's next RCU grace period.
 *
 * Context: process.
 */
void weft_paths_stop(struct weft_port *port)
{
	struct weft_ppath *pp;
	struct weft_path *path;
	LIST_HEAD(done);

	for (;;) {
		path = NULL;
		spin_lock_bh(&port->path_lock);
		pp = list_first_entry_or_null(&port->ppaths, struct weft_ppath, node);
		if (!pp)
			break;
		list_move(&pp->node, &done);
		spin_lock(&pp->lock);
		pp->closed = true;
		if (pp->armed != U64_MAX) {
			path = pp->path;
			weft_path_get(path);
		}
		spin_unlock(&pp->lock);
		spin_unlock_bh(&port->path_lock);
		if (!path)
			continue;
		if (hrtimer_cancel(&pp->timer))
			weft_path_put(path);
		weft_path_put(path);
	}
	list_splice(&done, &port->ppaths);
	spin_unlock_bh(&port->path_lock);
}

/**
 * weft_paths_each - call a function for the driver's part of each path
 * @port: the port
 * @fn: the function; called with BH off and a spin lock held; not for released paths
 *
 * Misses some paths of a port that is being stopped, as that releases all of them.
 *
 * Context: any but hard interrupt.
 */
void weft_paths_each(struct weft_port *port, void (*fn)(void *priv))
{
	struct weft_ppath *pp;

	spin_lock_bh(&port->path_lock);
	list_for_each_entry(pp, &port->ppaths, node)
		if (!pp->released)
			fn(pp->priv);
	spin_unlock_bh(&port->path_lock);
}

/**
 * weft_paths_release - make the driver release all remaining paths
 * @port: the port, GONE for an RCU grace period
 *
 * Context: process.
 */
void weft_paths_release(struct weft_port *port)
{
	struct weft_ppath *pp;

	spin_lock_bh(&port->path_lock);
	list_for_each_entry(pp, &port->ppaths, node) {
		if (!pp->released)
			port->ops->path_close(pp->priv);
		pp->released = true;
	}
	spin_unlock_bh(&port->path_lock);
}

/**
 * weft_paths_init - allocate the memory for softirqs
 *
 * Context: process.
 * Return: 0, -ENOMEM.
 */
int weft_paths_init(void)
{
	int cpu;

	weft_soft = alloc_percpu(struct weft_soft);
	if (!weft_soft)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		weft_out_init(&per_cpu_ptr(weft_soft, cpu)->out, NULL);
	return 0;
}

/**
 * weft_paths_exit - the reverse of weft_paths_init()
 *
 * Context: process.
 */
void weft_paths_exit(void)
{
	free_percpu(weft_soft);
}
