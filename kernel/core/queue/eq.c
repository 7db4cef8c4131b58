// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft core - event queues
 *
 * Locks: eq->lock protects the list. The posting code allocates events. Events that must not fail
 * for lack of memory are part of their endpoint (owned).
 */
#include "core/queue/queue.h"

/**
 * weft_eq_init - make an event queue
 * @eq: the queue; one reference is the caller's
 */
void weft_eq_init(struct weft_eq *eq)
{
	memset(eq, 0, sizeof(*eq));
	weft_lock_init(&eq->lock, WEFT_RANK_QUEUE);
	refcount_set(&eq->ref, 1);
	weft_list_init(&eq->wake);
	weft_list_init(&eq->events);
}

/**
 * weft_eq_get - take a reference
 * @eq: the queue
 */
void weft_eq_get(struct weft_eq *eq)
{
	refcount_inc(&eq->ref);
}

/**
 * weft_eq_put - drop a reference
 * @eq: the queue
 */
void weft_eq_put(struct weft_eq *eq)
{
	if (refcount_dec_and_test(&eq->ref))
		weft_env_free_eq(eq);
}

static bool weft_eq_is_mark(const struct weft_qev *ev)
{
	return ev->ev.type == WEFT_EV_SRQ_LOW || ev->ev.type == WEFT_EV_EP_HIGH;
}

static void weft_eq_drop(struct weft_eq *eq, struct weft_qev *ev)
{
	if (weft_eq_is_mark(ev))
		WRITE_ONCE(eq->marks, eq->marks - 1);
	weft_list_del(&ev->node);
	if (!ev->owned)
		weft_free(ev);
}

/**
 * weft_eq_post - append an event
 * @eq: the queue
 * @ev: the event; belongs to the queue until it is read, unless an endpoint owns it
 * @out: the queue is put into out->wake_eq
 */
void weft_eq_post(struct weft_eq *eq, struct weft_qev *ev, struct weft_out *out)
{
	weft_lock(&eq->lock);
	weft_list_add_tail(&eq->events, &ev->node);
	if (weft_eq_is_mark(ev))
		WRITE_ONCE(eq->marks, eq->marks + 1);
	if (!eq->waking) {
		eq->waking = true;
		weft_eq_get(eq);
		weft_list_add_tail(&out->wake_eq, &eq->wake);
	}
	weft_unlock(&eq->lock);
}

/**
 * weft_eq_read - take the first event
 * @eq: the queue
 * @buf: kernel memory for struct weft_event and its data, padded with zeros to a multiple of 8
 * @room: size of @buf
 *
 * Return: bytes; -EAGAIN: no event; -EMSGSIZE: it does not fit, and stays.
 */
int weft_eq_read(struct weft_eq *eq, void *buf, u32 room)
{
	struct weft_list *l;
	struct weft_qev *ev;
	u32 len, size;
	int r;

	weft_lock(&eq->lock);
	l = weft_list_first(&eq->events);
	if (!l) {
		r = -EAGAIN;
		goto out;
	}
	ev = weft_entry(l, struct weft_qev, node);
	len = min_t(u32, ev->ev.data_len, WEFT_CM_DATA_MAX);
	size = sizeof(ev->ev) + ALIGN(len, 8);
	if (size > room) {
		r = -EMSGSIZE;
		goto out;
	}
	memset((u8 *)buf + sizeof(ev->ev), 0, size - sizeof(ev->ev));
	memcpy(buf, &ev->ev, sizeof(ev->ev));
	memcpy((u8 *)buf + sizeof(ev->ev), ev->data, len);
	weft_eq_drop(eq, ev);
	r = size;
out:
	weft_unlock(&eq->lock);
	return r;
}

/**
 * weft_eq_ready - is there an event?
 * @eq: the queue
 *
 * Return: true if there is one.
 */
bool weft_eq_ready(struct weft_eq *eq)
{
	bool ready;

	weft_lock(&eq->lock);
	ready = !weft_list_empty(&eq->events);
	weft_unlock(&eq->lock);
	return ready;
}

/**
 * weft_eq_forget - take an event back
 * @eq: the queue
 * @ev: a posted event in valid memory: owned by an endpoint, or known to be unread; not a watermark
 *	event
 *
 * Return: true if it was unread; it belongs to the caller again.
 */
bool weft_eq_forget(struct weft_eq *eq, struct weft_qev *ev)
{
	bool found;

	weft_lock(&eq->lock);
	found = !weft_list_empty(&ev->node);
	weft_list_del(&ev->node);
	weft_unlock(&eq->lock);
	return found;
}

/**
 * weft_eq_purge - drop the events of an endpoint
 * @eq: the queue
 * @handle: the endpoint's handle
 */
void weft_eq_purge(struct weft_eq *eq, u32 handle)
{
	struct weft_list *l, *tmp;

	weft_lock(&eq->lock);
	weft_list_for_each_safe(l, tmp, &eq->events) {
		struct weft_qev *ev = weft_entry(l, struct weft_qev, node);

		if (ev->ev.handle == handle)
			weft_eq_drop(eq, ev);
	}
	weft_unlock(&eq->lock);
}

/**
 * weft_eq_fini - drop all events
 * @eq: the queue
 */
void weft_eq_fini(struct weft_eq *eq)
{
	struct weft_list *l;

	weft_lock(&eq->lock);
	while ((l = weft_list_first(&eq->events)))
		weft_eq_drop(eq, weft_entry(l, struct weft_qev, node));
	weft_unlock(&eq->lock);
}
