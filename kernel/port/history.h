/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft port - history: what has happened to a port, for an administrator. See history.c
 */
#ifndef WEFT_PORT_HISTORY_H
#define WEFT_PORT_HISTORY_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "../core/api/api.h"

struct net;

#define WEFT_HISTORY_EVENTS	256	/* events that a history keeps */
#define WEFT_HISTORY_IDLE	16	/* histories of ports that are gone */
#define WEFT_HISTORY_GATES	64	/* limits and users that are told apart */

/* Events that the port itself notes; those of the core are enum weft_note_kind. */
enum weft_history_kind {
	WEFT_NOTE_PORT_ADD = WEFT_NOTE_CORE,
	WEFT_NOTE_PORT_DEL,
	WEFT_NOTE_LINK_UP,
	WEFT_NOTE_LINK_DOWN,
	WEFT_NOTE_DEVICE,	/* the device has gone */
	WEFT_NOTE_BROKEN,	/* the device is broken */
	WEFT_NOTE_CONFLICT,	/* another node has an address of the port */
	WEFT_NOTE_DENIED,	/* one-sided operations were refused; uid, to: how many */
	WEFT_NOTE_KINDS,
};

/**
 * struct weft_history_event - an event, and its repetitions
 * @note: what has happened; @note.addr points to @addr or is NULL
 * @addr: the remote node, service 0
 * @nr: number of the message about it, 0: none yet
 * @first: when it happened, ns since 1970
 * @last: when it happened last
 * @count: how often
 * @untold: listeners have to be told
 * @logged: when the kernel log had a line about it, jiffies; valid if @in_log
 * @in_log: the kernel log had a line about it
 */
struct weft_history_event {
	struct weft_note note;
	struct weft_sockaddr addr;
	u64 nr;
	u64 first;
	u64 last;
	u64 count;
	bool untold;
	bool in_log;
	unsigned long logged;
};

struct weft_history *weft_history_open(struct net *net, const char *name);
void weft_history_close(struct weft_history *h);
void weft_history_put(struct weft_history *h);
void weft_histories_exit(void);

void weft_history_add(struct weft_history *h, const struct weft_note *note);
void weft_history_plain(struct weft_history *h, u8 kind);

/**
 * struct weft_history_walk - position of a walk over histories
 * @id: number of the history
 * @pos: the next event of it
 * @found: a history has been found
 */
struct weft_history_walk {
	u64 id;
	u64 pos;
	bool found;
};

bool weft_history_next(u64 net_cookie, const char *name, struct weft_history_walk *walk,
		       char port[WEFT_NAME_MAX], struct weft_history_event *event);
const char *weft_history_what(u8 kind);
const char *weft_history_why(const struct weft_note *note);

#endif
