// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft admin - what the answers to all dumps have in common: the header, who sees what, the owner
 *
 * The functions take no lock, and run in process context.
 */
#include <linux/uidgid.h>
#include <net/sock.h>

#include "../dev/dev.h"
#include "../port/port.h"
#include "netlink.h"

/**
 * weft_nl_begin - begin the message of an object
 * @skb: answer
 * @cb: the dump
 *
 * Return: for genlmsg_end() or genlmsg_cancel(); NULL: no space.
 */
void *weft_nl_begin(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct genlmsghdr *asked = nlmsg_data(cb->nlh);

	return weft_nl_head(skb, NETLINK_CB(cb->skb).portid, cb->nlh, NLM_F_MULTI, asked->cmd);
}

/**
 * weft_nl_visible - check whether the caller may see the objects of a user
 * @cb: the dump
 * @uid: the user
 *
 * Return: true for the user's own objects, and with CAP_NET_ADMIN in the namespace.
 */
bool weft_nl_visible(struct netlink_callback *cb, kuid_t uid)
{
	return uid_eq(NETLINK_CB(cb->skb).creds.uid, uid) ||
	       netlink_ns_capable(cb->skb, sock_net(cb->skb->sk)->user_ns, CAP_NET_ADMIN);
}

/**
 * weft_nl_uid - a user as the caller may see it
 * @cb: the dump
 * @uid: the user, as in the initial user namespace; WEFT_NOTE_NO_UID: none
 *
 * Return: the id in the caller's user namespace; WEFT_NOTE_NO_UID: none, or not for it to see.
 */
u32 weft_nl_uid(struct netlink_callback *cb, u32 uid)
{
	if (uid == WEFT_NOTE_NO_UID || !weft_nl_visible(cb, KUIDT_INIT(uid)))
		return WEFT_NOTE_NO_UID;
	return from_kuid_munged(sk_user_ns(NETLINK_CB(cb->skb).sk), KUIDT_INIT(uid));
}

/**
 * weft_nl_owner_put - put the port, and the program that owns an object
 * @skb: answer
 * @cb: the dump
 * @port: the port
 * @ctx: the object's context
 *
 * Return: true: no space.
 */
bool weft_nl_owner_put(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port,
		       const struct weft_dev_ctx *ctx)
{
	return nla_put_string(skb, WEFT_ATTR_PORT_NAME, port->name) ||
	       nla_put_u32(skb, WEFT_ATTR_CTX_ID, ctx->ctx) ||
	       nla_put_u32(skb, WEFT_ATTR_PID, ctx->pid) ||
	       nla_put_u32(skb, WEFT_ATTR_UID,
			   from_kuid_munged(sk_user_ns(NETLINK_CB(cb->skb).sk), ctx->uid)) ||
	       nla_put_string(skb, WEFT_ATTR_COMM, ctx->comm);
}

/**
 * weft_nl_near_put - put the port, and an endpoint of this node with its program
 * @skb: answer
 * @cb: the dump
 * @port: the port
 * @near: the endpoint; without an address only the port is put
 *
 * Return: true: no space.
 */
bool weft_nl_near_put(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port,
		      const struct weft_near_info *near)
{
	struct weft_dev_ctx ctx = {
		.ctx = near->program.ctx,
		.pid = near->program.pid,
		.uid = KUIDT_INIT(near->uid),
	};

	memcpy(ctx.comm, near->program.comm, sizeof(ctx.comm));
	if (!near->addr.family)
		return nla_put_string(skb, WEFT_ATTR_PORT_NAME, port->name);
	return weft_nl_owner_put(skb, cb, port, &ctx) ||
	       nla_put(skb, WEFT_ATTR_EP_ADDR, sizeof(near->addr), &near->addr);
}
