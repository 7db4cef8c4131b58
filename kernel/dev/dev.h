/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft - character devices: their interface to the rest of the module
 *
 * Every port has a node /dev/weft/<port> and a directory /sys/class/weft/<port>. All functions here
 * sleep. They take locks of kernel/dev and of the core, none of kernel/port. weft_dev_add(),
 * weft_dev_del() and weft_dev_free() of a port never run at the same time. Functions that read
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

/* Life of the module. weft_dev_exit() runs after all ports; it waits for pending frees. */
int weft_dev_init(void);
void weft_dev_exit(void);

/**
 * struct weft_dev_conf - port of a device
 * @port: the port, already working; passed to upcalls, opaque here
 * @core: its core
 * @net: its network namespace
 * @cookie: cookie of that namespace
 * @name: its name; copied
 * @groups: sysfs attributes, may be NULL; dev_get_drvdata() of the device is the port's device
 */
struct weft_dev_conf {
	struct weft_port *port;
	struct weft_core *core;
	struct net *net;
	u64 cookie;
	const char *name;
	const struct attribute_group **groups;
};

/**
 * weft_dev_add - make a port visible to programs
 * @conf: the port
 * @to: out: the device, also when a step after its creation fails
 *
 * Return: 0, -ENOMEM, -ENOSPC: too many ports, -EEXIST. The caller calls weft_dev_free() in either
 * case.
 */
int weft_dev_add(const struct weft_dev_conf *conf, struct weft_dev **to);

/* Return: the port of a device. */
struct weft_port *weft_dev_port(const struct weft_dev *dev);

/**
 * weft_dev_del - withdraw a port from programs
 * @dev: its device, NULL: none; the port is still able to transmit
 *
 * Removes the node and the directory, calls weft_core_stop() until it is complete, and wakes all
 * waiters. Open files stay: programs can close them and destroy their objects. Any other call on
 * them returns ENODEV.
 */
void weft_dev_del(struct weft_dev *dev);

/**
 * weft_dev_free - free the device of a port
 * @dev: the device, NULL: none
 *
 * The last weft_port_put() calls it, after the last upcall of the port and before weft_core_exit().
 * Work that outlived its context is done when it returns. Any workqueue but weft_dev_wq may call
 * it.
 */
void weft_dev_free(struct weft_dev *dev);

/**
 * struct weft_dev_stat - use of a port by programs
 * @contexts: contexts
 * @objects: objects in them
 * @pinned: bytes pinned
 * @seek: contexts that are opened now may notify and wait by lseek(2)
 */
struct weft_dev_stat {
	u32 contexts;
	u32 objects;
	u64 pinned;
	bool seek;
};

void weft_dev_stat(struct weft_dev *dev, struct weft_dev_stat *stat);

/**
 * weft_dev_used - check whether programs have a port open
 * @dev: the port's device
 *
 * A context that its program has closed, or whose program has ended, does not count: a worker may
 * still be about to free it.
 *
 * Context: process.
 * Return: true if a program has the port open.
 */
bool weft_dev_used(struct weft_dev *dev);

/**
 * weft_dev_set_seek - permit or refuse lseek(2) as the notify call and as the wait
 * @dev: the port's device
 * @seek: true: permit it
 *
 * Applies to contexts that are opened afterwards: programs read it once (WEFT_CAP_SEEK).
 *
 * Context: any.
 */
void weft_dev_set_seek(struct weft_dev *dev, bool seek);

/**
 * weft_key_digest - make the digest of a job's key
 * @key: out
 * @bytes: the key
 * @len: bytes of it
 *
 * The digest is the same on all nodes.
 *
 * Context: any.
 */
void weft_key_digest(struct weft_job_key *key, const void *bytes, u32 len);

/**
 * struct weft_dev_ctx - a context and its owner
 * @ctx: its number, unique in the module
 * @pid: process that opened it, in the initial namespace
 * @uid: user of that process
 * @comm: command name of that process
 * @objects: objects in the context
 * @endpoints: endpoints among them; only weft_dev_ctx_next() fills it in
 * @pinned: bytes pinned by it
 */
struct weft_dev_ctx {
	u32 ctx;
	pid_t pid;
	kuid_t uid;
	char comm[TASK_COMM_LEN];
	u32 objects;
	u32 endpoints;
	u64 pinned;
};

/**
 * weft_dev_ctx_next - iterate over the contexts of a port
 * @dev: the port's device
 * @pos: position; 0 in the beginning
 * @ctx: out: the context
 *
 * Return: 0, -ENOENT: no more contexts.
 */
int weft_dev_ctx_next(struct weft_dev *dev, u64 *pos, struct weft_dev_ctx *ctx);

/**
 * struct weft_dev_ep - an endpoint and its owner
 * @info: the endpoint
 * @ctx: its context
 */
struct weft_dev_ep {
	struct weft_ep_info info;
	struct weft_dev_ctx ctx;
};

/**
 * weft_dev_ep_next - iterate over the endpoints of a port
 * @dev: the port's device
 * @pos: position; 0 in the beginning
 * @ep: out: the endpoint
 *
 * Return: 0, -ENOENT: no more endpoints.
 */
int weft_dev_ep_next(struct weft_dev *dev, u64 *pos, struct weft_dev_ep *ep);

/* Return: the word for WEFT_EP_*, and for WEFT_EPS_*. */
const char *weft_ep_type_name(u32 type);
const char *weft_ep_state_name(u32 state);

struct weft_obj;

/**
 * struct weft_dev_queue - an endpoint or a shared receive queue, in use
 * @ctx: its context
 * @obj: its object
 * @ep: the endpoint, or NULL
 * @srq: the shared receive queue, or NULL
 * @handle: its handle in the context
 */
struct weft_dev_queue {
	struct weft_dev_ctx ctx;
	struct weft_obj *obj;
	struct weft_ep *ep;
	struct weft_srq *srq;
	u32 handle;
};

/**
 * weft_dev_queue_next - iterate over the endpoints and shared receive queues of a port
 * @dev: the port's device
 * @pos: position; 0 in the beginning
 * @q: out: the endpoint or the queue, to be dropped with weft_dev_queue_put()
 *
 * Return: 0, -ENOENT: no more of them.
 */
int weft_dev_queue_next(struct weft_dev *dev, u64 *pos, struct weft_dev_queue *q);

/**
 * weft_dev_queue_apply - have the kernel read the receive ring, as after a notify call
 * @q: the endpoint or the queue
 *
 * A program need not notify receives, so some may not have been read. Without memory nothing is
 * read.
 *
 * Context: process.
 */
void weft_dev_queue_apply(struct weft_dev_queue *q);

/**
 * weft_dev_srq_look - get the counts of a shared receive queue
 * @q: the queue; q->srq is not NULL
 * @info: out
 *
 * The kernel reads the receive ring before, as after a notify call.
 *
 * Context: process.
 * Return: 0, -ENOMEM.
 */
int weft_dev_srq_look(struct weft_dev_queue *q, struct weft_srq_info *info);

/**
 * weft_dev_queue_put - drop what weft_dev_queue_next() has found
 * @q: the endpoint or the queue
 *
 * Context: process. The caller does not hold a lock that the end of an object takes.
 */
void weft_dev_queue_put(struct weft_dev_queue *q);

/**
 * struct weft_dev_cq - a completion queue or a counter, and its owner
 * @ctx: its context
 * @handle: its handle in the context
 * @waiter: a thread sleeps or polls until an entry is written
 * @info: its state
 */
struct weft_dev_cq {
	struct weft_dev_ctx ctx;
	u32 handle;
	bool waiter;
	struct weft_cq_info info;
};

/**
 * weft_dev_cq_next - iterate over the completion queues and counters of a port
 * @dev: the port's device
 * @pos: position; 0 in the beginning
 * @cq: out: the queue
 *
 * Return: 0, -ENOENT: no more queues.
 */
int weft_dev_cq_next(struct weft_dev *dev, u64 *pos, struct weft_dev_cq *cq);

/**
 * struct weft_dev_mr - registered memory, and its owner
 * @ctx: its context
 * @pinned: a handle of memory that stays pinned; else a region that peers may access
 * @handle: @pinned: the handle
 * @info: @pinned: only zone, base, len and access (WEFT_MR_*) are set
 */
struct weft_dev_mr {
	struct weft_dev_ctx ctx;
	bool pinned;
	u32 handle;
	struct weft_region_info info;
};

/**
 * weft_dev_mr_next - iterate over the registered memory of a port's programs
 * @dev: the port's device
 * @pos: position; 0 in the beginning
 * @mr: out: the memory
 *
 * Return: 0, -ENOENT: no more of it.
 */
int weft_dev_mr_next(struct weft_dev *dev, u64 *pos, struct weft_dev_mr *mr);

#endif
