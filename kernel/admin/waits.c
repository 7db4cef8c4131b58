// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft admin - dumps of what waits: posted receives, and messages that no receive has taken
 *
 * A dump iterates over the endpoints and shared receive queues of a port, and over the objects of
 * each, oldest first. Before the objects of an endpoint are read, the kernel reads its receive
 * ring. An object appears once at most. One that waits during the whole dump appears.
 *
 * weft_ports_lock is held. The functions run in process context.
 */
#include <linux/slab.h>
#include <linux/weft_netlink.h>

#include "../dev/dev.h"
#include "../port/port.h"
#include "netlink.h"

#define WEFT_WAITS	32	/* objects read at a time */

/**
 * struct weft_waits - objects of an endpoint or a shared receive queue
 * @q: the endpoint or the queue
 * @addr: address of the endpoint
 * @recv: receives
 * @msg: messages
 */
struct weft_waits {
	struct weft_dev_queue q;
	struct weft_sockaddr addr;
	union {
		struct weft_recv_info recv[WEFT_WAITS];
		struct weft_msg_info msg[WEFT_WAITS];
	};
};

/* Put what both kinds of objects have. @any: no sender is named. Return: true: no space. */
static bool weft_waits_put(struct sk_buff *skb, bool tagged, u64 tag, u64 len, weft_ns age,
			   const struct weft_sockaddr *from, bool any)
{
	return nla_put_string(skb, WEFT_ATTR_KIND, tagged ? "tagged" : "untagged") ||
	       (tagged && weft_nl_u64(skb, WEFT_ATTR_TAG, tag)) ||
	       weft_nl_u64(skb, WEFT_ATTR_LEN, len) ||
	       weft_nl_u64(skb, WEFT_ATTR_AGE, age) ||
	       (!any && nla_put(skb, WEFT_ATTR_FROM, sizeof(*from), from));
}

static bool weft_recv_put(struct sk_buff *skb, const struct weft_recv_info *r)
{
	return weft_waits_put(skb, r->tagged, r->tag, r->len, r->age, &r->from, !r->directed) ||
	       (r->tagged && weft_nl_u64(skb, WEFT_ATTR_IGNORE, r->ignore)) ||
	       (r->found && nla_put_flag(skb, WEFT_ATTR_AGE_LEAST)) ||
	       weft_nl_u64(skb, WEFT_ATTR_BUF, r->buf);
}

static bool weft_msg_put(struct sk_buff *skb, const struct weft_msg_info *m)
{
	return weft_waits_put(skb, m->tagged, m->tag, m->len, m->age, &m->from, false) ||
	       weft_nl_u64(skb, WEFT_ATTR_CAME, m->came) ||
	       nla_put_string(skb, WEFT_ATTR_HOW, m->announced ? "announced" : "eager");
}

/* One message. Return: true; false: no space. */
static bool weft_waits_one(struct sk_buff *skb, struct netlink_callback *cb,
			   struct weft_port *port, const struct weft_waits *w, u8 cmd, u32 i)
{
	void *head = weft_nl_begin(skb, cb);

	if (!head)
		return false;
	if (weft_nl_owner_put(skb, cb, port, &w->q.ctx) ||
	    (w->q.ep && nla_put(skb, WEFT_ATTR_EP_ADDR, sizeof(w->addr), &w->addr)) ||
	    (w->q.srq && nla_put_u32(skb, WEFT_ATTR_SRQ, w->q.handle)) ||
	    (cmd == WEFT_CMD_RECV_GET ? weft_recv_put(skb, &w->recv[i]) :
					weft_msg_put(skb, &w->msg[i]))) {
		genlmsg_cancel(skb, head);
		return false;
	}
	genlmsg_end(skb, head);
	return true;
}

/* Read objects from *@next on. Return: their number, fewer than WEFT_WAITS: there are no more. */
static u32 weft_waits_read(struct weft_waits *w, u8 cmd, u64 *next)
{
	if (cmd == WEFT_CMD_MSG_GET)
		return w->q.ep ? weft_ep_msgs(w->q.ep, weft_now(), next, w->msg, WEFT_WAITS) : 0;
	if (w->q.ep)
		return weft_ep_recvs(w->q.ep, weft_now(), next, w->recv, WEFT_WAITS);
	return weft_srq_recvs(w->q.srq, weft_now(), next, w->recv, WEFT_WAITS);
}

/* The objects of an endpoint or queue, from *@next on. Return: 0: all, -EMSGSIZE: no space. */
static int weft_waits_queue(struct sk_buff *skb, struct netlink_callback *cb,
			    struct weft_port *port, struct weft_waits *w, u8 cmd, u64 *next)
{
	u64 from = *next;
	u32 i, n;

	if (!from)
		weft_dev_queue_apply(&w->q);
	if (w->q.ep)
		weft_ep_getname(w->q.ep, &w->addr);
	do {
		n = weft_waits_read(w, cmd, &from);
		for (i = 0; i < n; i++) {
			if (!weft_waits_one(skb, cb, port, w, cmd, i)) {
				*next = cmd == WEFT_CMD_RECV_GET ? w->recv[i].pos : w->msg[i].pos;
				return -EMSGSIZE;
			}
		}
	} while (n == WEFT_WAITS);
	return 0;
}

/**
 * weft_nl_waits - answer a dump of receives or messages, for one port
 * @skb: answer
 * @cb: the dump: WEFT_CMD_RECV_GET or WEFT_CMD_MSG_GET
 * @port: the port
 * @dump: position
 *
 * Context: process, weft_ports_lock is held.
 * Return: 0: no more in this port, -EMSGSIZE: no space, -ENOMEM.
 */
int weft_nl_waits(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port,
		  struct weft_dump *dump)
{
	const struct genlmsghdr *asked = nlmsg_data(cb->nlh);
	struct weft_waits *w = kzalloc(sizeof(*w), GFP_KERNEL);
	u64 pos = dump->pos, of;
	int ret = 0;

	if (!w)
		return -ENOMEM;
	while (!ret && !weft_dev_queue_next(port->dev, &pos, &w->q)) {
		of = (u64)w->q.ctx.ctx << 32 | w->q.handle;
		/* the object of the last call may be gone, and this one may be another */
		if (dump->of != of)
			dump->in = 0;
		dump->of = of;
		if (weft_nl_visible(cb, w->q.ctx.uid))
			ret = weft_waits_queue(skb, cb, port, w, asked->cmd, &dump->in);
		weft_dev_queue_put(&w->q);
		if (!ret)
			dump->pos = pos;
	}
	kfree(w);
	return ret;
}
