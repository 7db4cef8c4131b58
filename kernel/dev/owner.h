/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft - owners: the workers that contexts of one user share. Life and locks: owner.c
 */
#ifndef WEFT_OWNER_H
#define WEFT_OWNER_H

#include <linux/list.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>

/* Works of one user that run at a time, in each of its workqueues; others wait in the workqueue. */
#define WEFT_OWNER_WORKERS	64

/**
 * struct weft_owner - a user with contexts, on any port
 * @node: in weft_owners; weft_owners_lock
 * @uid: the user; constant
 * @ctxs: its contexts; weft_owners_lock
 * @work: deferred work of its contexts
 * @ends: the end of its contexts
 * @idle: frees the owner when it has been idle for a while
 */
struct weft_owner {
	struct list_head node;
	kuid_t uid;
	u32 ctxs;
	struct workqueue_struct *work;
	struct workqueue_struct *ends;
	struct delayed_work idle;
};

extern struct workqueue_struct *weft_dev_wq;

struct weft_owner *weft_owner_get(kuid_t uid);
void weft_owner_put(struct weft_owner *owner);
int weft_owners_init(void);
void weft_owners_exit(void);

#endif
