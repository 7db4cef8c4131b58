/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft - what a device needs of its port
 *
 * kernel/admin provides it (join.c). All is bound when linking.
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
 * Context: any. Return: false: it is on its way to be freed.
 */
bool weft_up_tryget(struct weft_port *port);

/**
 * weft_up_put - drop a reference
 * @port: the port
 *
 * Sleeps; with the last one the device is freed by weft_dev_free().
 */
void weft_up_put(struct weft_port *port);

/**
 * weft_up_query - fill in what the port knows of WEFT_IOC_QUERY's answer
 * @port: the port
 * @q: out: name, netdev, driver, mtu, speed, link_up
 *
 * Context: any.
 */
void weft_up_query(struct weft_port *port, struct weft_ioc_query *q);

/**
 * weft_up_queues - queue pairs that threads may poll
 * @port: the port; its driver is attached
 *
 * Context: process. Return: how many; 1 where the driver has none of its own.
 */
u32 weft_up_queues(struct weft_port *port);

/**
 * weft_up_poll - have packets of a queue pair taken
 * @port: the port; its driver is attached
 * @queue: the queue pair
 * @budget: packets at most
 *
 * Context: process; one thread for each queue. Return: packets taken.
 */
u32 weft_up_poll(struct weft_port *port, u32 queue, u32 budget);

/**
 * weft_up_arm - let a queue pair interrupt
 * @port: the port; its driver is attached
 * @queue: the queue pair
 *
 * Context: any, not inside of weft_up_poll(). Return: something has come already.
 */
bool weft_up_arm(struct weft_port *port, u32 queue);

#endif
