/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Endpoints for tests with faults in every call (faults.h)
 *
 * A call that reports a fault is repeated: it has changed nothing, so the repetition works.
 * Functions return whether to continue. They return false when a fault leaves no object to continue
 * with. Other errors are reported by wrong(). end_close() closes all objects in any case.
 */
#ifndef WEFT_END_H
#define WEFT_END_H

#include <linux/weft.h>
#include <stdbool.h>

#define END_SLOTS 16

/**
 * struct end - an endpoint with all that it needs; END_NONE at first
 * @fd: context
 * @lent: it is another end's
 * @flags: of the endpoint, WEFT_EPF_*; set before end_make()
 * @srq: handle of the shared receives that it has; set before end_make()
 * @key: of its job, NULL: the default one; set before end_make()
 * @cq: of both directions
 * @cntr: counter of sends
 * @eq: events
 * @av: not of MSG endpoints
 * @ep: endpoint
 * @en: has its address
 * @ring: entries of @cq
 * @cqbell: doorbell of @cq
 * @cqstat: status of @cq
 * @sq: send ring
 * @rq: receive ring
 * @bell: doorbell
 * @head: consumer index of @cq
 */
struct end {
	int fd;
	bool lent;
	__u32 flags;
	__u32 srq;
	const char *key;
	struct weft_ioc_cq cq;
	struct weft_ioc_cq cntr;
	struct weft_ioc_eq eq;
	struct weft_ioc_av av;
	struct weft_ioc_ep ep;
	struct weft_ioc_ep_enable en;
	char *ring, *cqbell, *cqstat, *sq, *rq, *bell;
	__u32 head;
};

/* An end before end_open(). */
#define END_NONE { .fd = -1, .cq = { .fd = -1 }, .cntr = { .fd = -1 }, .eq = { .fd = -1 } }

/**
 * struct end_event - an event
 * @ev: event
 * @data: private data behind it
 */
struct end_event {
	struct weft_event ev;
	char data[WEFT_CM_DATA_MAX];
};

/* An ioctl; @size: of its structure. */
bool end_call(int fd, const char *name, unsigned long req, void *arg, size_t size);
#define END_CALL(fd, name, arg) end_call(fd, #name, WEFT_IOC_##name, arg, sizeof(*(arg)))
/* An ioctl whose structure is {size, flags 0, handle, 0}. */
bool end_handle(int fd, const char *name, unsigned long req, __u32 handle);
#define END_HANDLE(fd, name, handle) end_handle(fd, #name, WEFT_IOC_##name, handle)

/* A context on a node, where the caller is then; or the context of another end. */
bool end_open(struct end *e, int node);
void end_lend(struct end *e, const struct end *of);
/* Endpoint and queues; enabled, but for a passive one. */
bool end_make(struct end *e, __u32 type);
void end_close(struct end *e);

/* Map a part of an object. */
bool end_map(int fd, const struct weft_map *m, int prot, char **p);
/* Insert an address. @index: out */
bool end_know(struct end *e, const struct weft_sockaddr *addr, __u32 *index);
/* Post a send to @dst, with more @flags, or a receive, and notify. */
bool end_send(struct end *e, __u32 dst, const void *buf, __u32 len, __u16 flags);
bool end_recv(struct end *e, void *buf, __u32 len);
/*
 * The next completion's errno, or a negative one: no completion came. @sent: out: it is of a send.
 */
int end_completion(struct end *e, bool *sent);
/* The next event has the type @type; or it reports a fault, and the test cannot continue. */
bool end_event(struct end *e, __u32 type, struct end_event *ev);

/*
 * One message from @a to @b, which may be the same; @dst: b's index at a. Both ends complete, or
 * only the sender, with an error. @late: post the receive after the send.
 */
bool end_message(struct end *a, __u32 dst, struct end *b, __u32 len, bool late);
/* Messages of all kinds, one of them with its receive before and one with its receive after. */
bool end_messages(struct end *a, __u32 dst, struct end *b);

#endif
