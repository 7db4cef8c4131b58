/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The character device without a library, for calls that no library makes
 *
 * Names and meanings are those of <linux/weft.h>. Functions that make an object print what failed
 * (check.h).
 */
#ifndef WEFT_RAW_H
#define WEFT_RAW_H

#include <linux/weft.h>
#include <sys/types.h>
#include "check.h"

#define RAW_MS 20000 /* longer than any operation takes */

/**
 * struct raw_cq - completion queue, mapped
 * @c: result of its creation
 * @ring: entries
 * @doorbell: consumer index
 * @status: the kernel's status
 * @head: consumer index, our copy
 */
struct raw_cq {
	struct weft_ioc_cq c;
	const struct weft_cqe *ring;
	volatile struct weft_cq_doorbell *doorbell;
	const volatile struct weft_cq_status *status;
	__u32 head;
};

/**
 * struct raw_ep - endpoint, mapped
 * @e: result of its creation
 * @sq: send ring
 * @rq: receive ring
 * @doorbell: producer indices
 * @status: the kernel's status
 */
struct raw_ep {
	struct weft_ioc_ep e;
	struct weft_sqe *sq;
	struct weft_rqe *rq;
	volatile struct weft_ep_doorbell *doorbell;
	const volatile struct weft_ep_status *status;
};

/**
 * struct raw_rdm - an enabled RDM endpoint that knows itself as address 0
 * @fd: context
 * @cq: for both directions
 * @eq: event queue
 * @av: address vector
 * @ep: endpoint
 * @addr: its address
 */
struct raw_rdm {
	int fd;
	struct raw_cq cq;
	struct weft_ioc_eq eq;
	struct weft_ioc_av av;
	struct raw_ep ep;
	struct weft_sockaddr addr;
};

/* Open a node's port from the namespace where the caller is. Return: file, negative errno. */
int raw_open(int node);
/* Return: 0, negative errno. */
int raw(int fd, unsigned long req, void *arg);
/* An ioctl whose structure is {size, flags 0, handle, 0}. */
int raw_handle(int fd, unsigned long req, __u32 handle);
/* lseek(2) on a device's file. Return: what it returns, negative errno. */
int raw_notify(int fd, __s64 where, int what);
/*
 * Wait on a queue's file (WEFT_CQ_SEEK_WAIT); ~0: for ever, else less than 2^45 ns, rounded up
 * to 2^20 from 2^25 on. Return: 0, negative errno.
 */
int raw_wait(int fd, __u32 seen, __u64 timeout_ns);
/* The same by WEFT_IOC_NOTIFY and WEFT_IOC_CQ_WAIT. */
int raw_notify_call(int fd, unsigned long handle, unsigned int what);
int raw_wait_call(int fd, __u32 seen, __u64 timeout_ns);
/* Map a part of an object. Return: its address, NULL: see errno. */
void *raw_map(int fd, const struct weft_map *m, int prot);
void raw_unmap(const volatile void *p, const struct weft_map *m);

bool raw_cq_new(int fd, __u32 slots, struct raw_cq *cq);
/* @flags: WEFT_EPF_* */
bool raw_ep_make(int fd, __u32 type, __u32 flags, __u32 slots, struct raw_ep *ep);
bool raw_rdm_make(int fd, __u32 flags, __u32 slots, struct raw_rdm *r);
bool raw_ep_new(int fd, __u32 type, __u32 slots, struct raw_ep *ep);
bool raw_rdm_new(int fd, __u32 slots, struct raw_rdm *r);
/* Close and unmap all objects but the context. */
void raw_rdm_release(struct raw_rdm *r);
/* The same, after destroying them. */
bool raw_rdm_free(struct raw_rdm *r);

/* Publish @n slots and notify. Return: 0, negative errno. */
int raw_post_sq(struct raw_rdm *r, __u32 n);
int raw_post_rq(struct raw_rdm *r, __u32 n);
/* The slot that the next entry begins with, zeroed but for @nslots, @context and op. */
struct weft_sqe *raw_sqe(struct raw_rdm *r, __u8 op, __u64 context);
struct weft_rqe *raw_rqe(struct raw_rdm *r, __u8 op, __u64 context);

/*
 * Run a case in a process of its own, which sees no files or maps of another case, and report it.
 * @begin: called before @test, NULL: none
 */
void raw_in_child(bool (*begin)(void), bool (*test)(void), const char *name, const char *where);

/* Wait for the next completion and copy its first slot. */
bool raw_completion(struct raw_cq *cq, struct weft_cqe *e);
/* No completion waits now. */
bool raw_quiet(struct raw_cq *cq);

#endif
