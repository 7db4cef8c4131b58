/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft - calls from a device to its port
 *
 * kernel/admin provides them (join.c). All are bound at link time.
 */
#ifndef WEFT_DEV_UPCALLS_H
#define WEFT_DEV_UPCALLS_H

#include <linux/types.h>

struct weft_ioc_query;
struct weft_port;

/**
 * weft_up_tryget - take a reference on a port whose device is in the table
 * @port: the port
 *
 * Context: any.
 * Return: true; false: the port is being freed.
 */
bool weft_up_tryget(struct weft_port *port);

/**
 * weft_up_put - drop a reference on a port
 * @port: the port
 *
 * Sleeps. With the last one, weft_dev_free() frees the device.
 */
void weft_up_put(struct weft_port *port);

/**
 * weft_up_query - fill in the port's part of the answer to WEFT_IOC_QUERY
 * @port: the port
 * @q: out: name, netdev, driver, mtu, speed, link_up
 *
 * Context: any.
 */
void weft_up_query(struct weft_port *port, struct weft_ioc_query *q);

/**
 * weft_up_queues - count the queue pairs that threads may poll
 * @port: the port; its driver is attached
 *
 * Context: process.
 * Return: the number; 1 if the driver has no queues of its own.
 */
u32 weft_up_queues(struct weft_port *port);

/**
 * weft_up_poll - take packets from a queue pair
 * @port: the port; its driver is attached
 * @queue: the queue pair
 * @budget: maximum number of packets
 *
 * Context: process; one thread for each queue.
 * Return: number of packets taken.
 */
u32 weft_up_poll(struct weft_port *port, u32 queue, u32 budget);

/**
 * weft_up_arm - arm the interrupt of a queue pair
 * @port: the port; its driver is attached
 * @queue: the queue pair
 *
 * Context: any, not inside of weft_up_poll().
 * Return: true if packets have come already.
 */
bool weft_up_arm(struct weft_port *port, u32 queue);

#endif
