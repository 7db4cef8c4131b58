// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft port - references on a port, its name, and reports of its link by drivers
 *
 * Drivers call these functions, and port.c calls drivers. This file calls neither. The state
 * machine is in port.h. The functions take no lock.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/slab.h>

#include "history.h"
#include "port.h"
#include "upcalls.h"
#include "../trace/upcalls.h"

/** weft_port_wq - deletes ports whose device has gone */
struct workqueue_struct *weft_port_wq;

/**
 * weft_named_port - name a port in trace points
 * @core: its core
 *
 * Context: any.
 * Return: the name.
 */
const char *weft_named_port(const struct weft_core *core)
{
	return weft_port_of(core)->name;
}

/**
 * weft_port_get - take another reference
 * @port: the port; the caller has a reference
 *
 * Context: any.
 */
void weft_port_get(struct weft_port *port)
{
	refcount_inc(&port->ref);
}

/**
 * weft_port_tryget - take a reference on a port that was found under RCU
 * @port: the port
 *
 * Context: any.
 * Return: true; false: the port is being freed.
 */
bool weft_port_tryget(struct weft_port *port)
{
	return refcount_inc_not_zero(&port->ref);
}

/**
 * weft_port_put - drop a reference
 * @port: the port
 *
 * The last one ends the core, which sleeps. Takes no lock of this file.
 *
 * Context: process.
 */
void weft_port_put(struct weft_port *port)
{
	if (!refcount_dec_and_test(&port->ref))
		return;
	if (port->begun) {
		weft_up_free(port);
		weft_core_exit(&port->core);
	}
	weft_history_put(port->history);
	kvfree_rcu(port, rcu);
}

/**
 * weft_port_lost - have a worker delete a port whose device has gone
 * @port: the port; the caller keeps it from being freed
 *
 * Context: any; also under rtnl, which the worker takes.
 */
void weft_port_lost(struct weft_port *port)
{
	weft_port_get(port);
	if (!queue_work(weft_port_wq, &port->kill_work))
		weft_port_put(port);
}

/**
 * weft_port_link - report that the link has come up or gone down
 * @port: the port
 * @up: packets can be sent and received
 *
 * Context: any; a driver serialises its calls for one port.
 */
void weft_port_link(struct weft_port *port, bool up)
{
	int from = up ? WEFT_PORT_DOWN : WEFT_PORT_UP;
	int to = up ? WEFT_PORT_UP : WEFT_PORT_DOWN;

	if (cmpxchg(&port->state, from, to) != from || list_empty(&port->node))
		return;
	weft_history_plain(port->history, up ? WEFT_NOTE_LINK_UP : WEFT_NOTE_LINK_DOWN);
	pr_info_ratelimited("%s: link %s\n", port->name, up ? "up" : "down");
}
