// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft admin - dumps of what is under way: sends, and the flows that they belong to
 *
 * A dump iterates over the path within the node and the paths to other nodes, and over the objects
 * of each, in the order of their numbers. An object appears once at most. One that stays during the
 * whole dump appears, unless its path ends.
 *
 * weft_ports_lock is held. The functions run in process context.
 */
#include <linux/slab.h>
#include <linux/weft_netlink.h>

#include "../dev/dev.h"
#include "../port/port.h"
#include "netlink.h"

#define WEFT_UNDERWAY	32	/* objects read at a time */

/**
 * struct weft_underway - objects of a path
 * @flow: flows
 * @send: sends
 * @out: output of the core
 */
struct weft_underway {
	union {
		struct weft_flow_info flow[WEFT_UNDERWAY];
		struct weft_send_info send[WEFT_UNDERWAY];
	};
	struct weft_out out;
};

static const char *weft_send_kind(const struct weft_send_info *s)
{
	if (s->source)
		return "answer";
	switch (s->op) {
	case WEFT_SQ_TSEND:
		return "tagged";
	case WEFT_SQ_WRITE:
		return "write";
	case WEFT_SQ_READ:
		return "read";
	case WEFT_SQ_ATOMIC:
		return "atomic";
	case WEFT_SQ_FETCH:
		return "fetch";
	default:
		return "untagged";
	}
}

/**
 * weft_nl_for - the word for what a send waits for
 * @waits: WEFT_FOR_*; of another node, any number
 *
 * Return: the word.
 */
const char *weft_nl_for(u8 waits)
{
	static const char * const words[WEFT_FOR_N] = {
		[WEFT_FOR_HANDSHAKE] = "handshake",
		[WEFT_FOR_CONTACT] = "contact",
		[WEFT_FOR_ENDPOINT] = "endpoint",
		[WEFT_FOR_FENCE] = "fence",
		[WEFT_FOR_CREDIT] = "credit",
		[WEFT_FOR_WINDOW] = "window",
		[WEFT_FOR_TURN] = "turn",
		[WEFT_FOR_RECEIVE] = "receive",
		[WEFT_FOR_GRANT] = "grant",
		[WEFT_FOR_MEMORY] = "memory",
		[WEFT_FOR_ACK] = "ack",
		[WEFT_FOR_ANSWER] = "answer",
	};

	return waits < WEFT_FOR_N ? words[waits] : "unknown";
}

static bool weft_send_put(struct sk_buff *skb, const struct weft_send_info *s)
{
	return nla_put_string(skb, WEFT_ATTR_KIND, weft_send_kind(s)) ||
	       (s->op == WEFT_SQ_TSEND &&
		weft_nl_u64(skb, WEFT_ATTR_TAG, s->tag)) ||
	       nla_put(skb, WEFT_ATTR_TO, sizeof(s->peer), &s->peer) ||
	       weft_nl_u64(skb, WEFT_ATTR_LEN, s->len) ||
	       weft_nl_u64(skb, WEFT_ATTR_SENT, s->sent) ||
	       nla_put_string(skb, WEFT_ATTR_HOW, s->local ? "local" :
						  s->announced ? "announced" : "eager") ||
	       nla_put_string(skb, WEFT_ATTR_FOR, weft_nl_for(s->waits)) ||
	       weft_nl_u64(skb, WEFT_ATTR_AGE, s->age) ||
	       (s->told && nla_put_flag(skb, WEFT_ATTR_TOLD));
}

static bool weft_flow_info_put(struct sk_buff *skb, const struct weft_flow_info *f)
{
	static const char * const states[] = {
		[WEFT_FLOWS_ASKING] = "asking",
		[WEFT_FLOWS_REFUSED] = "refused",
		[WEFT_FLOWS_OPEN] = "open",
		[WEFT_FLOWS_CLOSING] = "closing",
		[WEFT_FLOWS_DEAD] = "dead",
	};

	return nla_put_string(skb, WEFT_ATTR_FLOW_WAY, f->in ? "in" : "out") ||
	       nla_put_string(skb, WEFT_ATTR_FLOW_STATE, states[f->state]) ||
	       nla_put(skb, WEFT_ATTR_FLOW_PEER, sizeof(f->peer), &f->peer) ||
	       nla_put_u32(skb, WEFT_ATTR_FLOW_LAST, f->last) ||
	       nla_put_u32(skb, WEFT_ATTR_FLOW_CREDIT, f->credit) ||
	       nla_put_u32(skb, WEFT_ATTR_FLOW_BYTES, f->credit_bytes) ||
	       nla_put_u32(skb, WEFT_ATTR_FLOW_WAITING, f->waiting) ||
	       (!f->in && nla_put_u32(skb, WEFT_ATTR_FLOW_UNACKED, f->unacked)) ||
	       (f->early && nla_put_u32(skb, WEFT_ATTR_FLOW_EARLY, f->early)) ||
	       (f->age && weft_nl_u64(skb, WEFT_ATTR_AGE, f->age));
}

/* One message, of a send or a flow. Return: true; false: no space. */
static bool weft_underway_one(struct sk_buff *skb, struct netlink_callback *cb,
			      struct weft_port *port, const struct weft_send_info *send,
			      const struct weft_flow_info *flow)
{
	const struct weft_near_info *near = send ? &send->near : &flow->near;
	void *head;

	if (!weft_nl_visible(cb, KUIDT_INIT(near->uid)))
		return true;
	head = weft_nl_begin(skb, cb);
	if (!head)
		return false;
	if (weft_nl_near_put(skb, cb, port, near) ||
	    (send ? weft_send_put(skb, send) : weft_flow_info_put(skb, flow))) {
		genlmsg_cancel(skb, head);
		return false;
	}
	genlmsg_end(skb, head);
	return true;
}

/* The flows of a path in one direction. Return: 0: all, -EMSGSIZE: no space. */
static int weft_underway_way(struct sk_buff *skb, struct netlink_callback *cb,
			     struct weft_port *port, struct weft_path *path,
			     struct weft_underway *u, struct weft_dump *dump)
{
	struct weft_flow_pos next = dump->send.flow;
	u32 i, n;

	do {
		n = dump->flows_in ?
			weft_path_flows_in(path, weft_now(), &next, u->flow, WEFT_UNDERWAY) :
			weft_path_flows_out(path, weft_now(), &next, u->flow, WEFT_UNDERWAY);
		for (i = 0; i < n; i++) {
			dump->send.flow = u->flow[i].pos;
			if (!weft_underway_one(skb, cb, port, NULL, &u->flow[i]))
				return -EMSGSIZE;
		}
	} while (n == WEFT_UNDERWAY);
	return 0;
}

/* Begin with the flows of a path in that direction, or with its sends. */
static void weft_underway_begin(struct weft_dump *dump, bool flows_in)
{
	memset(&dump->send, 0, sizeof(dump->send));
	dump->flows_in = flows_in;
}

static int weft_underway_flows(struct sk_buff *skb, struct netlink_callback *cb,
			       struct weft_port *port, struct weft_path *path,
			       struct weft_underway *u, struct weft_dump *dump)
{
	if (!dump->flows_in) {
		if (weft_underway_way(skb, cb, port, path, u, dump))
			return -EMSGSIZE;
		weft_underway_begin(dump, true);
	}
	return weft_underway_way(skb, cb, port, path, u, dump);
}

static int weft_underway_sends(struct sk_buff *skb, struct netlink_callback *cb,
			       struct weft_port *port, struct weft_path *path,
			       struct weft_underway *u, struct weft_dump *dump)
{
	struct weft_send_pos pos = dump->send;
	u32 i, n;

	do {
		n = weft_path_sends(path, weft_now(), &pos, u->send, WEFT_UNDERWAY, &u->out);
		weft_flush(&u->out);
		for (i = 0; i < n; i++) {
			dump->send = u->send[i].pos;
			if (!weft_underway_one(skb, cb, port, &u->send[i], NULL))
				return -EMSGSIZE;
		}
	} while (n == WEFT_UNDERWAY);
	return 0;
}

/* The path at position *@pos: 0: within the node. Return: the path, referenced; NULL: no more. */
static struct weft_path *weft_underway_path(struct weft_core *core, u64 *pos)
{
	struct weft_path *path = core->local;
	u32 slot = *pos ? *pos - 1 : 0;

	if (*pos)
		path = weft_path_next(core, &slot);
	else
		weft_path_get(path);
	*pos = slot + 1ull;
	return path;
}

/**
 * weft_nl_underway - answer a dump of sends or flows, for one port
 * @skb: answer
 * @cb: the dump: WEFT_CMD_SEND_GET or WEFT_CMD_FLOW_GET
 * @port: the port
 * @dump: position
 *
 * Context: process, weft_ports_lock is held.
 * Return: 0: no more in this port, -EMSGSIZE: no space, -ENOMEM.
 */
int weft_nl_underway(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port,
		     struct weft_dump *dump)
{
	const struct genlmsghdr *asked = nlmsg_data(cb->nlh);
	struct weft_underway *u = kvzalloc(sizeof(*u), GFP_KERNEL);
	struct weft_path *path;
	u64 pos = dump->pos;
	int ret = 0;

	if (!u)
		return -ENOMEM;
	weft_out_init(&u->out, &port->core);
	while (!ret && (path = weft_underway_path(&port->core, &pos))) {
		ret = asked->cmd == WEFT_CMD_SEND_GET ?
			weft_underway_sends(skb, cb, port, path, u, dump) :
			weft_underway_flows(skb, cb, port, path, u, dump);
		weft_path_put(path);
		if (!ret) {
			dump->pos = pos;
			weft_underway_begin(dump, false);
		}
	}
	kvfree(u);
	return ret;
}
