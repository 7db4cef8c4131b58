// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft admin - dumps of connections, completion queues, shared receive queues and registered memory
 *
 * Each function puts one object, as dump.c says. Connections are found by their numbers, the others
 * by context and handle, regions by context and number. So an object appears once or not at all.
 *
 * weft_ports_lock is held. The functions run in process context.
 */
#include <linux/uidgid.h>
#include <linux/weft_netlink.h>

#include "../dev/dev.h"
#include "../port/port.h"
#include "netlink.h"

/**
 * weft_nl_conn - put the next connection of a port
 * @skb: answer
 * @cb: the dump
 * @port: the port
 * @pos: position
 *
 * Return: as weft_dump_fn (dump.c).
 */
int weft_nl_conn(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port,
		 u64 *pos)
{
	static const char * const states[WEFT_CONNS_N] = {
		[WEFT_CONNS_ASKING] = "asking",
		[WEFT_CONNS_ASKED] = "asked",
		[WEFT_CONNS_ACCEPTED] = "accepted",
		[WEFT_CONNS_UP] = "up",
		[WEFT_CONNS_CLOSING] = "closing",
	};
	struct weft_conn_info info;

	do {
		if (!weft_core_conns(&port->core, weft_now(), pos, &info, 1))
			return -ENOENT;
	} while (!weft_nl_visible(cb, KUIDT_INIT(info.near.uid)));
	return weft_nl_near_put(skb, cb, port, &info.near) ||
	       nla_put_string(skb, WEFT_ATTR_CONN_ROLE, info.active ? "active" : "passive") ||
	       nla_put_string(skb, WEFT_ATTR_CONN_STATE, states[info.state]) ||
	       nla_put(skb, WEFT_ATTR_EP_PEER, sizeof(info.peer), &info.peer) ||
	       weft_nl_u64(skb, WEFT_ATTR_AGE, info.age);
}

static bool weft_cq_fill_put(struct sk_buff *skb, const struct weft_cq_info *info)
{
	return nla_put_u32(skb, WEFT_ATTR_CQ_SLOTS, info->size) ||
	       nla_put_u32(skb, WEFT_ATTR_CQ_UNREAD, info->unread) ||
	       nla_put_u32(skb, WEFT_ATTR_CQ_WAITING, info->waiting) ||
	       (info->waiting &&
		weft_nl_u64(skb, WEFT_ATTR_AGE, weft_since(weft_now(), info->full))) ||
	       (info->bad && nla_put_flag(skb, WEFT_ATTR_CQ_ERROR));
}

static bool weft_cntr_put(struct sk_buff *skb, const struct weft_cq_info *info)
{
	return weft_nl_u64(skb, WEFT_ATTR_CNTR_DONE, info->done) ||
	       weft_nl_u64(skb, WEFT_ATTR_CNTR_FAILED, info->failed);
}

/**
 * weft_nl_cq - put the next completion queue or counter of a port
 * @skb: answer
 * @cb: the dump
 * @port: the port
 * @pos: position
 *
 * Return: as weft_dump_fn (dump.c).
 */
int weft_nl_cq(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port, u64 *pos)
{
	struct weft_dev_cq cq;

	do {
		if (weft_dev_cq_next(port->dev, pos, &cq))
			return -ENOENT;
	} while (!weft_nl_visible(cb, cq.ctx.uid));
	return weft_nl_owner_put(skb, cb, port, &cq.ctx) ||
	       nla_put_u32(skb, WEFT_ATTR_CQ, cq.handle) ||
	       nla_put_string(skb, WEFT_ATTR_KIND, cq.info.size ? "queue" : "counter") ||
	       (cq.info.size ? weft_cq_fill_put(skb, &cq.info) : weft_cntr_put(skb, &cq.info)) ||
	       (cq.waiter && nla_put_flag(skb, WEFT_ATTR_CQ_WAITER));
}

/* Put a shared receive queue that is in use. Return: 1: no space, 0, or -ENOMEM. */
static int weft_srq_put_one(struct sk_buff *skb, struct netlink_callback *cb,
			    struct weft_port *port, struct weft_dev_queue *q)
{
	struct weft_srq_info info;

	if (weft_dev_srq_look(q, &info))
		return -ENOMEM;
	return weft_nl_owner_put(skb, cb, port, &q->ctx) ||
	       nla_put_u32(skb, WEFT_ATTR_SRQ, q->handle) ||
	       nla_put_u32(skb, WEFT_ATTR_EP_POSTED, info.available) ||
	       nla_put_u32(skb, WEFT_ATTR_SRQ_HELD, info.held) ||
	       nla_put_u32(skb, WEFT_ATTR_SRQ_RECVS, info.recvs) ||
	       (info.low && nla_put_u32(skb, WEFT_ATTR_SRQ_LOW, info.low)) ||
	       nla_put_u32(skb, WEFT_ATTR_CTX_NEP, info.eps) ||
	       nla_put_u32(skb, WEFT_ATTR_SRQ_WAITING, info.waiting);
}

/**
 * weft_nl_srq - put the next shared receive queue of a port
 * @skb: answer
 * @cb: the dump
 * @port: the port
 * @pos: position
 *
 * Return: as weft_dump_fn (dump.c).
 */
int weft_nl_srq(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port, u64 *pos)
{
	struct weft_dev_queue q;
	bool wanted;
	int ret = 0;

	do {
		if (weft_dev_queue_next(port->dev, pos, &q))
			return -ENOENT;
		wanted = q.srq && weft_nl_visible(cb, q.ctx.uid);
		if (wanted)
			ret = weft_srq_put_one(skb, cb, port, &q);
		weft_dev_queue_put(&q);
	} while (!wanted);
	return ret;
}

static const char *weft_access_name(const struct weft_dev_mr *mr)
{
	static const char * const names[] = { "none", "read", "write", "read,write" };

	BUILD_BUG_ON(WEFT_MR_READ != WEFT_REGION_READ || WEFT_MR_WRITE != WEFT_REGION_WRITE);
	return names[mr->info.access & (WEFT_REGION_READ | WEFT_REGION_WRITE)];
}

/**
 * weft_nl_mr - put the next registered memory of a port's programs
 * @skb: answer
 * @cb: the dump
 * @port: the port
 * @pos: position
 *
 * Return: as weft_dump_fn (dump.c).
 */
int weft_nl_mr(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port, u64 *pos)
{
	struct weft_dev_mr mr;

	do {
		if (weft_dev_mr_next(port->dev, pos, &mr))
			return -ENOENT;
	} while (!weft_nl_visible(cb, mr.ctx.uid));
	return weft_nl_owner_put(skb, cb, port, &mr.ctx) ||
	       nla_put_string(skb, WEFT_ATTR_KIND, mr.pinned ? "pinned" : "remote") ||
	       (mr.pinned ? nla_put_u32(skb, WEFT_ATTR_MR, mr.handle) :
			    weft_nl_u64(skb, WEFT_ATTR_MR_KEY, mr.info.key)) ||
	       (mr.info.zone && nla_put_u32(skb, WEFT_ATTR_MR_ZONE, mr.info.zone)) ||
	       weft_nl_u64(skb, WEFT_ATTR_BUF, mr.info.base) ||
	       weft_nl_u64(skb, WEFT_ATTR_LEN, mr.info.len) ||
	       nla_put_string(skb, WEFT_ATTR_MR_ACCESS, weft_access_name(&mr)) ||
	       (!mr.pinned && nla_put_u32(skb, WEFT_ATTR_MR_USERS, mr.info.users));
}
