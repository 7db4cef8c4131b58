// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft admin - events of ports: dumps of their histories, and messages to listeners
 *
 * An event is sent to the multicast group "events" of the port's network namespace. Listeners need
 * CAP_NET_ADMIN there, as events name users. A dump shows a user to itself and to CAP_NET_ADMIN.
 *
 * Locks: weft_events_lock keeps the family registered while an event is sent.
 */
#include <linux/mutex.h>
#include <net/sock.h>

#include "../compat.h"
#include "../port/history.h"
#include "../port/upcalls.h"
#include "netlink.h"

/** weft_event_groups - the groups of the family */
const struct genl_multicast_group weft_event_groups[1] = {
	{ .name = WEFT_GENL_EVENTS, .flags = GENL_MCAST_CAP_NET_ADMIN },
};

static DEFINE_MUTEX(weft_events_lock);
static bool weft_events_on;

/* ---- Attributes ------------------------------------------------------------------------------ */

/* Put what kinds of events have apart from the times. */
static bool weft_event_values_put(struct sk_buff *skb, const struct weft_note *note)
{
	switch (note->kind) {
	case WEFT_NOTE_LIMIT:
		return nla_put_string(skb, WEFT_ATTR_EVENT_LIMIT, note->limit);
	case WEFT_NOTE_VERSION:
	case WEFT_NOTE_MTU:
	case WEFT_NOTE_MTU_RAISED:
		return weft_nl_u64(skb, WEFT_ATTR_EVENT_FROM, note->from) ||
		       weft_nl_u64(skb, WEFT_ATTR_EVENT_TO, note->to);
	case WEFT_NOTE_GIVEN_UP:
	case WEFT_NOTE_DENIED:
		return weft_nl_u64(skb, WEFT_ATTR_EVENT_TO, note->to);
	default:
		return false;
	}
}

/* Put the node of an event, or its endpoint, which only those see who see its user. */
static bool weft_event_addr_put(struct sk_buff *skb, const struct weft_history_event *e, u32 uid)
{
	struct weft_sockaddr addr = e->addr;

	if (!e->note.addr)
		return false;
	if (e->note.kind != WEFT_NOTE_EP_KILLED)
		return nla_put(skb, WEFT_ATTR_EVENT_PEER, sizeof(addr), &addr);
	addr.port = cpu_to_be16(e->note.to);
	return uid != WEFT_NOTE_NO_UID && nla_put(skb, WEFT_ATTR_EP_ADDR, sizeof(addr), &addr);
}

/* @uid: the event's user for the reader, WEFT_NOTE_NO_UID: none, or not for it to see */
static bool weft_event_put(struct sk_buff *skb, const char *port,
			   const struct weft_history_event *e, u32 uid)
{
	const struct weft_note *note = &e->note;
	const char *why = weft_history_why(note);

	return nla_put_string(skb, WEFT_ATTR_PORT_NAME, port) ||
	       weft_nl_u64(skb, WEFT_ATTR_EVENT_FIRST, e->first) ||
	       (e->count > 1 &&
		(weft_nl_u64(skb, WEFT_ATTR_EVENT_LAST, e->last) ||
		 weft_nl_u64(skb, WEFT_ATTR_EVENT_COUNT, e->count))) ||
	       nla_put_string(skb, WEFT_ATTR_EVENT_WHAT, weft_history_what(note->kind)) ||
	       (*why && nla_put_string(skb, WEFT_ATTR_EVENT_WHY, why)) ||
	       weft_event_addr_put(skb, e, uid) ||
	       (note->err && nla_put_u32(skb, WEFT_ATTR_EVENT_ERR, note->err)) ||
	       (uid != WEFT_NOTE_NO_UID && nla_put_u32(skb, WEFT_ATTR_UID, uid)) ||
	       weft_event_values_put(skb, note);
}

/* ---- Dumps ----------------------------------------------------------------------------------- */

/**
 * weft_nl_events - answer a command that asks for the events of ports
 * @skb: answer
 * @cb: the dump
 *
 * Context: process.
 * Return: bytes in @skb, 0: the end, or a negative errno.
 */
int weft_nl_events(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct weft_history_walk *walk = (struct weft_history_walk *)cb->ctx, next;
	struct nlattr *attr = weft_genl_dump_attrs(cb)[WEFT_ATTR_PORT_NAME];
	u64 cookie = sock_net(cb->skb->sk)->net_cookie;
	const char *name = attr ? nla_data(attr) : NULL;
	struct weft_history_event e;
	char port[WEFT_NAME_MAX];
	void *head;

	BUILD_BUG_ON(sizeof(*walk) > sizeof(cb->ctx));
	for (;;) {
		next = *walk;
		if (!weft_history_next(cookie, name, &next, port, &e)) {
			*walk = next;
			break;
		}
		head = weft_nl_begin(skb, cb);
		if (!head || weft_event_put(skb, port, &e, weft_nl_uid(cb, e.note.uid))) {
			if (head)
				genlmsg_cancel(skb, head);
			return skb->len ?: -EMSGSIZE;
		}
		genlmsg_end(skb, head);
		*walk = next;
	}
	if (name && !walk->found) {
		NL_SET_ERR_MSG(cb->extack,
			       "no port of this name has events in this network namespace; see 'port show'");
		return -ENODEV;
	}
	return skb->len;
}

/* ---- Listeners ------------------------------------------------------------------------------- */

/**
 * weft_up_event - tell listeners of an event of a port; see port/upcalls.h
 * @net: the port's namespace
 * @port: the port's name
 * @event: the event
 *
 * Context: process.
 */
void weft_up_event(struct net *net, const char *port, const struct weft_history_event *event)
{
	struct sk_buff *skb;
	void *head;
	u32 uid;

	mutex_lock(&weft_events_lock);
	if (!weft_events_on || !genl_has_listeners(&weft_family, net, 0))
		goto unlock;
	skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!skb)
		goto unlock;
	uid = event->note.uid;
	if (uid != WEFT_NOTE_NO_UID)
		uid = from_kuid_munged(net->user_ns, KUIDT_INIT(uid));
	head = genlmsg_put(skb, 0, 0, &weft_family, 0, WEFT_CMD_EVENT_GET);
	if (!head || weft_nl_u64(skb, WEFT_ATTR_EVENT_NR, event->nr) ||
	    weft_event_put(skb, port, event, uid)) {
		nlmsg_free(skb);
		goto unlock;
	}
	genlmsg_end(skb, head);
	genlmsg_multicast_netns(&weft_family, net, skb, 0, 0, GFP_KERNEL);
unlock:
	mutex_unlock(&weft_events_lock);
}

/**
 * weft_events_switch - begin or end to tell listeners
 * @on: true: the family is registered; false: it is about to end
 *
 * Context: process.
 */
void weft_events_switch(bool on)
{
	mutex_lock(&weft_events_lock);
	weft_events_on = on;
	mutex_unlock(&weft_events_lock);
}
