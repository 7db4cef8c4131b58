// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft admin - calls between a port and its device
 *
 * kernel/port and kernel/dev do not call each other. Each declares the functions that it needs of
 * the other in its upcalls.h. This file implements them. It has no locks and no state.
 */
#include <linux/bottom_half.h>
#include <linux/netlink.h>

#include "../dev/dev.h"
#include "../dev/engine.h"
#include "../dev/upcalls.h"
#include "../port/port.h"
#include "../port/upcalls.h"
#include "admin.h"

/* ---- From ports to devices ------------------------------------------------------------------- */

int weft_up_add(struct weft_port *port)
{
	lockdep_assert_held(&weft_ports_lock);
	return weft_dev_add(&(struct weft_dev_conf){
		.port = port,
		.core = &port->core,
		.net = port->net,
		.cookie = port->net_cookie,
		.name = port->name,
		.groups = weft_sysfs_groups,
	}, &port->dev);
}

bool weft_up_used(struct weft_port *port)
{
	lockdep_assert_held(&weft_ports_lock);
	return weft_dev_used(port->dev);
}

void weft_up_halt(struct weft_port *port)
{
	lockdep_assert_held(&weft_ports_lock);
	weft_engine_stop(port->dev);
}

void weft_up_del(struct weft_port *port)
{
	lockdep_assert_held(&weft_ports_lock);
	weft_dev_del(port->dev);
}

void weft_up_free(struct weft_port *port)
{
	weft_dev_free(port->dev);
	port->dev = NULL;
}

bool weft_up_irq(struct weft_port *port, u32 queue)
{
	return weft_engine_irq(READ_ONCE(port->dev), queue);
}

/* ---- From devices to ports ------------------------------------------------------------------- */

bool weft_up_tryget(struct weft_port *port)
{
	return weft_port_tryget(port);
}

void weft_up_put(struct weft_port *port)
{
	weft_port_put(port);
}

void weft_up_query(struct weft_port *port, struct weft_ioc_query *q)
{
	weft_port_query(port, q);
}

u32 weft_up_queues(struct weft_port *port)
{
	return port->ops->queues ? port->ops->queues(port) : 1;
}

u32 weft_up_poll(struct weft_port *port, u32 queue, u32 budget)
{
	u32 n;

	if (!port->ops->poll)
		return 0;
	local_bh_disable();
	n = port->ops->poll(port, queue, budget);
	local_bh_enable();
	return n;
}

bool weft_up_arm(struct weft_port *port, u32 queue)
{
	return port->ops->arm && port->ops->arm(port, queue);
}

/* ---- From the administrator to both ---------------------------------------------------------- */

/**
 * weft_port_set_engine - change a port's engine
 * @net: namespace
 * @name: the port's name
 * @conf: the new settings
 * @extack: receives the reason of a failure
 *
 * Context: process.
 * Return: 0, -ENODEV, or the result of weft_engine_set().
 */
int weft_port_set_engine(struct net *net, const char *name, const struct weft_engine_conf *conf,
			 struct netlink_ext_ack *extack)
{
	struct weft_port *port = weft_port_find(net, name, extack);
	int err;

	if (!port)
		return -ENODEV;
	err = weft_engine_set(port->dev, conf, extack);
	weft_port_put(port);
	return err;
}

/**
 * weft_port_set_doorbell - change the form of the notify call and the wait
 * @net: namespace
 * @name: the port's name
 * @seek: true: lseek(2) is permitted, false: only ioctls
 * @extack: receives the reason of a failure
 *
 * Context: process.
 * Return: 0, -ENODEV.
 */
int weft_port_set_doorbell(struct net *net, const char *name, bool seek,
			   struct netlink_ext_ack *extack)
{
	struct weft_port *port = weft_port_find(net, name, extack);

	if (!port)
		return -ENODEV;
	weft_dev_set_seek(port->dev, seek);
	weft_port_put(port);
	return 0;
}
