/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft - character devices: what the rest of the module sees of them
 *
 * Every port has a node /dev/weft/<port> and a directory /sys/class/weft/<port>. All functions here
 * sleep. They take locks of kernel/dev and of the core, none of kernel/port; weft_dev_add(),
 * weft_dev_del() and weft_dev_free() of one port never run at the same time. Those that look at
 * contexts need a port between weft_dev_add() and weft_dev_free().
 *
 * A context holds a reference on its port until the last of its objects has been freed.
 */
#ifndef WEFT_DEV_H
#define WEFT_DEV_H

#include "../core/api/api.h"
#include <linux/device.h>
#include <linux/sched.h>
#include <linux/uidgid.h>

struct weft_port;
struct weft_dev;

/* Module life. weft_dev_exit() after all ports are gone; it waits for what is still being freed. */
int weft_dev_init(void);
void weft_dev_exit(void);

/**
 * weft_dev_add - show a port to programs
 * @port: the port; works already
 * @groups: sysfs attributes, may be NULL; dev_get_drvdata() of the device is the port
 *
 * Return: 0, -ENOMEM, -ENOSPC: too many ports, -EEXIST. weft_dev_free() is to be called in either
 * case.
 */
int weft_dev_add(struct weft_port *port, const struct attribute_group **groups);

/**
 * weft_dev_del - a port goes
 * @port: the port; still able to transmit
 *
 * Removes node and directory, calls weft_core_stop() until it is through, and wakes all who wait.
 * Files that are open stay: they can be closed, and their objects destroyed; any other call on them
 * says ENODEV.
 */
void weft_dev_del(struct weft_port *port);

/**
 * weft_dev_free - the port is being freed
 * @port: the port; weft_dev_add() may have failed or not have been called
 *
 * For the last weft_port_put(), when nothing comes up from the port any more and before
 * weft_core_exit(): work that outlived its context has been done when this returns. May be called
 * from any workqueue.
 */
void weft_dev_free(struct weft_port *port);

/**
 * struct weft_dev_stat - what programs have of a port
 * @contexts: contexts
 * @objects: objects in them
 * @pinned: bytes pinned
 */
struct weft_dev_stat {
	u32 contexts;
	u32 objects;
	u64 pinned;
};

void weft_dev_stat(struct weft_port *port, struct weft_dev_stat *stat);

/**
 * weft_key_digest - what the core is told of a job's key
 * @key: out
 * @bytes: the key
 * @len: bytes of it
 *
 * The same on all nodes. Any context.
 */
void weft_key_digest(struct weft_job_key *key, const void *bytes, u32 len);

/**
 * struct weft_dev_ctx - a context and who has it
 * @ctx: its number, module-wide
 * @pid: process that opened it, in the initial namespace
 * @uid: its user
 * @comm: its name
 * @objects: objects in the context
 * @pinned: bytes pinned by it
 */
struct weft_dev_ctx {
	u32 ctx;
	pid_t pid;
	kuid_t uid;
	char comm[TASK_COMM_LEN];
	u32 objects;
	u64 pinned;
};

/**
 * weft_dev_ctx_next - go through the contexts of a port
 * @port: the port
 * @pos: where to go on; 0 in the beginning
 * @ctx: out: the context
 *
 * Return: 0, -ENOENT: no more.
 */
int weft_dev_ctx_next(struct weft_port *port, u64 *pos, struct weft_dev_ctx *ctx);

/**
 * struct weft_dev_ep - an endpoint and who has it
 * @info: the endpoint
 * @ctx: its context
 */
struct weft_dev_ep {
	struct weft_ep_info info;
	struct weft_dev_ctx ctx;
};

/**
 * weft_dev_ep_next - go through the endpoints of a port
 * @port: the port
 * @pos: where to go on; 0 in the beginning
 * @ep: out: the endpoint
 *
 * Return: 0, -ENOENT: no more.
 */
int weft_dev_ep_next(struct weft_port *port, u64 *pos, struct weft_dev_ep *ep);

#endif
