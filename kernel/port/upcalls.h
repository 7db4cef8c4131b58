/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft port - what a port needs of the device that shows it to programs
 *
 * kernel/admin provides it (join.c). All is bound when linking.
 */
#ifndef WEFT_PORT_UPCALLS_H
#define WEFT_PORT_UPCALLS_H

#include <linux/types.h>

struct weft_port;

/**
 * weft_up_add - the port works: show it to programs
 * @port: the port
 *
 * Sleeps, weft_ports_lock held. Return: 0 or a negative errno.
 */
int weft_up_add(struct weft_port *port);

/**
 * weft_up_halt - the port is going: no engine polls it any more, or will
 * @port: the port; weft_up_add() may not have been called
 *
 * Sleeps, weft_ports_lock held.
 */
void weft_up_halt(struct weft_port *port);

/**
 * weft_up_del - the port is going: programs cannot open it, and the core fails all they wait for
 * @port: the port; packets still leave
 *
 * Sleeps, weft_ports_lock held.
 */
void weft_up_del(struct weft_port *port);

/**
 * weft_up_free - the last reference has gone
 * @port: the port; its core has not been taken down yet
 *
 * Sleeps.
 */
void weft_up_free(struct weft_port *port);

/**
 * weft_up_irq - a driver's queue has something
 * @port: the port; its driver has ops->poll()
 * @queue: the queue pair
 *
 * In an RCU read section (as interrupts are). Context: any. Return: a thread comes to poll it;
 * false: the driver does it itself.
 */
bool weft_up_irq(struct weft_port *port, u32 queue);

#endif
