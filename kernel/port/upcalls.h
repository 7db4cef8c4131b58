/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft port - calls from a port to the device that presents it to programs
 *
 * kernel/admin provides them (join.c). All are bound at link time.
 */
#ifndef WEFT_PORT_UPCALLS_H
#define WEFT_PORT_UPCALLS_H

#include <linux/types.h>

struct net;
struct weft_history_event;
struct weft_port;

/**
 * weft_up_add - make a working port visible to programs
 * @port: the port
 *
 * Sleeps.
 *
 * Context: process, weft_ports_lock held.
 * Return: 0 or a negative errno.
 */
int weft_up_add(struct weft_port *port);

/**
 * weft_up_used - check whether programs have a port open
 * @port: the port, in the list of ports
 *
 * Sleeps, weft_ports_lock held.
 *
 * Return: true if a program has it open now.
 */
bool weft_up_used(struct weft_port *port);

/**
 * weft_up_halt - stop engines from polling a port, for good
 * @port: the port, going; weft_up_add() may not have been called
 *
 * Sleeps, weft_ports_lock held.
 */
void weft_up_halt(struct weft_port *port);

/**
 * weft_up_del - prevent opens of a port, and have the core fail its endpoints
 * @port: the port, going; it can still send packets
 *
 * Sleeps, weft_ports_lock held.
 */
void weft_up_del(struct weft_port *port);

/**
 * weft_up_free - free the device of a port after its last reference has gone
 * @port: the port; its core has not ended yet
 *
 * Sleeps.
 */
void weft_up_free(struct weft_port *port);

/**
 * weft_up_event - tell listeners of an event of a port
 * @net: the port's namespace
 * @port: the port's name
 * @event: the event
 *
 * Sleeps.
 */
void weft_up_event(struct net *net, const char *port, const struct weft_history_event *event);

/**
 * weft_up_irq - report that a queue of a driver has packets
 * @port: the port; its driver has ops->poll()
 * @queue: the queue pair
 *
 * Context: any, in an RCU read section (as interrupts are).
 *
 * Return: true: a thread polls the queue; false: the driver must poll it.
 */
bool weft_up_irq(struct weft_port *port, u32 queue);

#endif
