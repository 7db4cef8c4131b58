// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft admin - dumps of the generic netlink family "weft"
 *
 * A dump iterates over the ports of the caller's namespace, or over the named port, and over the
 * objects of each. Each object is one message; a call returns as many messages as fit. Between
 * calls only a position is kept. So objects created or destroyed meanwhile may be missing or appear
 * twice. Endpoints and contexts of other users are visible only with CAP_NET_ADMIN in the
 * namespace.
 *
 * Each call holds weft_ports_lock, which keeps the ports. The functions run in process context.
 */
#include <linux/etherdevice.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <linux/weft_netlink.h>
#include <net/sock.h>

#include "../compat.h"
#include "../dev/dev.h"
#include "../port/neigh.h"
#include "../port/port.h"
#include "netlink.h"

/**
 * struct weft_dump - position of a dump
 * @pos: position in the port
 * @port: number of the port in the namespace
 * @found: a port was found
 */
struct weft_dump {
	u64 pos;
	u32 port;
	bool found;
};

/*
 * Put the next object of @port at or after dump->pos, and move the position behind it. Return: 1:
 * there may be more, 0: no more in this port, -EMSGSIZE: no space, the position stays.
 */
typedef int (*weft_dump_fn)(struct sk_buff *skb, struct netlink_callback *cb,
			    struct weft_port *port,
			    struct weft_dump *dump);

static void *weft_dump_begin(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd)
{
	return genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, &weft_family,
			   NLM_F_MULTI, cmd);
}

/* @err: an attribute did not fit. */
static int weft_dump_end(struct sk_buff *skb, void *head, bool err)
{
	if (err) {
		genlmsg_cancel(skb, head);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, head);
	return 1;
}

static int weft_dump(struct sk_buff *skb, struct netlink_callback *cb, weft_dump_fn fn)
{
	struct weft_dump *dump = (struct weft_dump *)cb->ctx;
	struct nlattr *name = weft_genl_dump_attrs(cb)[WEFT_ATTR_PORT_NAME];
	struct net *net = sock_net(cb->skb->sk);
	struct weft_port *port;
	u32 n = 0;
	int ret = 0;

	BUILD_BUG_ON(sizeof(struct weft_dump) > sizeof(cb->ctx));
	mutex_lock(&weft_ports_lock);
	list_for_each_entry(port, &weft_ports, node) {
		if (!net_eq(port->net, net) || (name && nla_strcmp(name, port->name)))
			continue;
		dump->found = true;
		if (n++ < dump->port)
			continue;
		do {
			ret = fn(skb, cb, port, dump);
		} while (ret > 0);
		if (ret < 0)
			break;
		dump->port = n;
		dump->pos = 0;
	}
	mutex_unlock(&weft_ports_lock);
	if (name && !dump->found) {
		NL_SET_ERR_MSG(cb->extack,
			       "no such port in this network namespace; see 'port show'");
		return -ENODEV;
	}
	return ret < 0 && !skb->len ? ret : skb->len;
}

static int weft_dump_port(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port,
			  struct weft_dump *dump)
{
	void *head;

	if (dump->pos)
		return 0;
	head = weft_dump_begin(skb, cb, WEFT_CMD_PORT_GET);
	if (!head)
		return -EMSGSIZE;
	if (weft_nl_port_put(skb, port))
		return weft_dump_end(skb, head, true);
	dump->pos = 1;
	return weft_dump_end(skb, head, false);
}

/* ---- Contexts and endpoints ------------------------------------------------------------------ */

static bool weft_dump_visible(struct netlink_callback *cb, const struct weft_dev_ctx *ctx)
{
	return uid_eq(NETLINK_CB(cb->skb).creds.uid, ctx->uid) ||
	       netlink_ns_capable(cb->skb, sock_net(cb->skb->sk)->user_ns, CAP_NET_ADMIN);
}

static bool weft_dump_owner(struct sk_buff *skb, struct netlink_callback *cb,
			    struct weft_port *port,
			    const struct weft_dev_ctx *ctx)
{
	return nla_put_string(skb, WEFT_ATTR_PORT_NAME, port->name) ||
	       nla_put_u32(skb, WEFT_ATTR_CTX_ID, ctx->ctx) ||
	       nla_put_u32(skb, WEFT_ATTR_PID, ctx->pid) ||
	       nla_put_u32(skb, WEFT_ATTR_UID,
			   from_kuid_munged(sk_user_ns(NETLINK_CB(cb->skb).sk), ctx->uid)) ||
	       nla_put_string(skb, WEFT_ATTR_COMM, ctx->comm);
}

static int weft_dump_ctx(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port,
			 struct weft_dump *dump)
{
	struct weft_dev_ctx ctx;
	u64 pos = dump->pos;
	bool err = false;
	void *head;

	do {
		if (weft_dev_ctx_next(port->dev, &pos, &ctx))
			return 0;
	} while (!weft_dump_visible(cb, &ctx));
	head = weft_dump_begin(skb, cb, WEFT_CMD_CTX_GET);
	if (!head)
		return -EMSGSIZE;
	err = weft_dump_owner(skb, cb, port, &ctx) ||
	      nla_put_u32(skb, WEFT_ATTR_CTX_NOBJ, ctx.objects) ||
	      nla_put_u64_64bit(skb, WEFT_ATTR_PINNED, ctx.pinned, WEFT_ATTR_PAD);
	if (!err)
		dump->pos = pos;
	return weft_dump_end(skb, head, err);
}

static const char *weft_ep_type_name(u32 type)
{
	switch (type) {
	case WEFT_EP_MSG:
		return "msg";
	case WEFT_EP_RDM:
		return "rdm";
	case WEFT_EP_DGRAM:
		return "dgram";
	case WEFT_EP_PASSIVE:
		return "passive";
	default:
		return "?";
	}
}

static const char *weft_ep_state_name(u32 state)
{
	static const char * const names[] = {
		[WEFT_EPS_NEW] = "new",
		[WEFT_EPS_ENABLED] = "enabled",
		[WEFT_EPS_LISTENING] = "listening",
		[WEFT_EPS_CONNECTING] = "connecting",
		[WEFT_EPS_ACCEPTED] = "accepted",
		[WEFT_EPS_CONNECTED] = "connected",
		[WEFT_EPS_CLOSING] = "closing",
		[WEFT_EPS_CLOSED] = "closed",
		[WEFT_EPS_ERROR] = "error",
		[WEFT_EPS_DEAD] = "dead",
	};

	return state < ARRAY_SIZE(names) ? names[state] : "?";
}

static int weft_dump_ep(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port,
			struct weft_dump *dump)
{
	struct weft_dev_ep ep;
	u64 pos = dump->pos;
	bool err = false;
	void *head;

	do {
		if (weft_dev_ep_next(port->dev, &pos, &ep))
			return 0;
	} while (!weft_dump_visible(cb, &ep.ctx));
	head = weft_dump_begin(skb, cb, WEFT_CMD_EP_GET);
	if (!head)
		return -EMSGSIZE;
	err = weft_dump_owner(skb, cb, port, &ep.ctx) ||
	      nla_put_u32(skb, WEFT_ATTR_EP_HANDLE, ep.info.handle) ||
	      nla_put_string(skb, WEFT_ATTR_EP_TYPE, weft_ep_type_name(ep.info.type)) ||
	      nla_put_string(skb, WEFT_ATTR_EP_STATE, weft_ep_state_name(ep.info.state)) ||
	      nla_put(skb, WEFT_ATTR_EP_ADDR, sizeof(ep.info.addr), &ep.info.addr) ||
	      (ep.info.peer.family &&
	       nla_put(skb, WEFT_ATTR_EP_PEER, sizeof(ep.info.peer), &ep.info.peer)) ||
	      nla_put_u32(skb, WEFT_ATTR_EP_POSTED, ep.info.posted) ||
	      nla_put_u32(skb, WEFT_ATTR_EP_UNEXP, ep.info.unexp) ||
	      nla_put_u32(skb, WEFT_ATTR_EP_SENDING, ep.info.sending) ||
	      (ep.info.job[0] && nla_put_string(skb, WEFT_ATTR_JOB_NAME, ep.info.job));
	if (!err)
		dump->pos = pos;
	return weft_dump_end(skb, head, err);
}

/* ---- Counters and paths ---------------------------------------------------------------------- */

#define WEFT_COUNTER_NAME(name, text)	#name,
static const char * const weft_counter_names[] = { WEFT_COUNTERS(WEFT_COUNTER_NAME) };

static int weft_dump_stat(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port,
			  struct weft_dump *dump)
{
	bool err;
	void *head;

	if (dump->pos >= WEFT_NCOUNTERS)
		return 0;
	head = weft_dump_begin(skb, cb, WEFT_CMD_STATS_GET);
	if (!head)
		return -EMSGSIZE;
	err = nla_put_string(skb, WEFT_ATTR_PORT_NAME, port->name) ||
	      nla_put_string(skb, WEFT_ATTR_STAT_NAME, weft_counter_names[dump->pos]) ||
	      nla_put_u64_64bit(skb, WEFT_ATTR_STAT_VALUE,
				weft_counters_read(port->core.cnt, dump->pos),
				WEFT_ATTR_PAD);
	if (!err)
		dump->pos++;
	return weft_dump_end(skb, head, err);
}

static const char *weft_path_state_name(u32 state)
{
	switch (state) {
	case WEFT_PATHS_HELLO:
		return "hello";
	case WEFT_PATHS_UP:
		return "up";
	case WEFT_PATHS_LEAVING:
		return "leaving";
	default:
		return "dead";
	}
}

static int weft_dump_path(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port,
			  struct weft_dump *dump)
{
	struct weft_path_info info;
	struct weft_path *path;
	void *head;
	bool err;

	path = weft_path_nth(&port->core, dump->pos);
	if (!path)
		return 0;
	weft_path_look(path, &info);
	weft_path_put(path);
	head = weft_dump_begin(skb, cb, WEFT_CMD_PATH_GET);
	if (!head)
		return -EMSGSIZE;
	err = nla_put_string(skb, WEFT_ATTR_PORT_NAME, port->name) ||
	      nla_put(skb, WEFT_ATTR_PATH_ADDR, sizeof(info.addr), &info.addr) ||
	      nla_put_string(skb, WEFT_ATTR_PATH_STATE, weft_path_state_name(info.state)) ||
	      nla_put_u64_64bit(skb, WEFT_ATTR_PATH_SRTT, info.srtt, WEFT_ATTR_PAD) ||
	      nla_put_u32(skb, WEFT_ATTR_PATH_CWND, info.cwnd) ||
	      nla_put_u32(skb, WEFT_ATTR_PATH_FLIGHT, info.flight) ||
	      nla_put_u32(skb, WEFT_ATTR_PATH_NFLOW, info.nflow) ||
	      nla_put_u64_64bit(skb, WEFT_ATTR_PATH_RETRANS, info.retrans, WEFT_ATTR_PAD);
	if (!err)
		dump->pos++;
	return weft_dump_end(skb, head, err);
}

static int weft_dump_neigh(struct sk_buff *skb, struct netlink_callback *cb,
			   struct weft_port *port, struct weft_dump *dump)
{
	struct weft_neigh_info info;
	void *head;
	bool err;

	if (!weft_port_neigh(port, dump->pos, &info))
		return 0;
	head = weft_dump_begin(skb, cb, WEFT_CMD_NEIGH_GET);
	if (!head)
		return -EMSGSIZE;
	err = nla_put_string(skb, WEFT_ATTR_PORT_NAME, port->name) ||
	      nla_put(skb, WEFT_ATTR_NEIGH_ADDR, sizeof(info.addr), &info.addr) ||
	      (is_valid_ether_addr(info.mac) &&
	       nla_put(skb, WEFT_ATTR_NEIGH_MAC, sizeof(info.mac), info.mac)) ||
	      nla_put_string(skb, WEFT_ATTR_NEIGH_STATE, weft_neigh_state_name(info.state)) ||
	      nla_put_u64_64bit(skb, WEFT_ATTR_NEIGH_IDLE, info.idle, WEFT_ATTR_PAD);
	if (!err)
		dump->pos++;
	return weft_dump_end(skb, head, err);
}

static int weft_dump_limit(struct sk_buff *skb, struct netlink_callback *cb,
			   struct weft_port *port, struct weft_dump *dump)
{
	struct weft_limit_info info;
	void *head;
	bool err;

	if (!weft_limit_look(&port->core, dump->pos, &info))
		return 0;
	head = weft_dump_begin(skb, cb, WEFT_CMD_LIMIT_GET);
	if (!head)
		return -EMSGSIZE;
	err = nla_put_string(skb, WEFT_ATTR_PORT_NAME, port->name) ||
	      nla_put_string(skb, WEFT_ATTR_LIMIT_NAME, info.name) ||
	      nla_put_string(skb, WEFT_ATTR_LIMIT_UNIT, info.unit) ||
	      nla_put_u64_64bit(skb, WEFT_ATTR_LIMIT_VALUE, info.value, WEFT_ATTR_PAD) ||
	      nla_put_u64_64bit(skb, WEFT_ATTR_LIMIT_MIN, info.min, WEFT_ATTR_PAD) ||
	      nla_put_u64_64bit(skb, WEFT_ATTR_LIMIT_MAX, info.max, WEFT_ATTR_PAD) ||
	      (info.counts &&
	       nla_put_u64_64bit(skb, WEFT_ATTR_LIMIT_USED, info.used, WEFT_ATTR_PAD)) ||
	      (info.has_hits &&
	       nla_put_u64_64bit(skb, WEFT_ATTR_LIMIT_HITS, info.hits, WEFT_ATTR_PAD));
	if (!err)
		dump->pos++;
	return weft_dump_end(skb, head, err);
}

static bool weft_dump_who(struct sk_buff *skb, struct netlink_callback *cb,
			  const struct weft_job_who *who)
{
	struct user_namespace *ns = sk_user_ns(NETLINK_CB(cb->skb).sk);
	bool err = !who->nuid && !who->ngid && nla_put_flag(skb, WEFT_ATTR_JOB_ALL);
	u32 i;

	for (i = 0; i < who->nuid; i++)
		err = err || nla_put_u32(skb, WEFT_ATTR_JOB_UID,
					 from_kuid_munged(ns, KUIDT_INIT(who->uid[i])));
	for (i = 0; i < who->ngid; i++)
		err = err || nla_put_u32(skb, WEFT_ATTR_JOB_GID,
					 from_kgid_munged(ns, KGIDT_INIT(who->gid[i])));
	return err;
}

static int weft_dump_job(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port,
			 struct weft_dump *dump)
{
	struct weft_job_info *info = kmalloc(sizeof(*info), GFP_KERNEL);
	void *head = NULL;
	bool err = true;
	int ret = 0;

	if (!info)
		return -ENOMEM;
	if (weft_job_look(&port->core, dump->pos, info)) {
		head = weft_dump_begin(skb, cb, WEFT_CMD_JOB_GET);
		ret = -EMSGSIZE;
	}
	if (head) {
		err = nla_put_string(skb, WEFT_ATTR_PORT_NAME, port->name) ||
		      nla_put_string(skb, WEFT_ATTR_JOB_NAME, info->name) ||
		      nla_put_u32(skb, WEFT_ATTR_JOB_NEP, info->users) ||
		      weft_dump_who(skb, cb, &info->who);
		if (!err)
			dump->pos++;
		ret = weft_dump_end(skb, head, err);
	}
	kfree(info);
	return ret;
}

/* ---- For netlink.c; context of all: process -------------------------------------------------- */

/**
 * weft_nl_port_dump - WEFT_CMD_PORT_GET
 * @skb: answer
 * @cb: the dump
 *
 * Return: bytes in @skb, 0: the end, or a negative errno.
 */
int weft_nl_port_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return weft_dump(skb, cb, weft_dump_port);
}

/**
 * weft_nl_ep_dump - WEFT_CMD_EP_GET
 * @skb: answer
 * @cb: the dump
 *
 * Return: as weft_nl_port_dump().
 */
int weft_nl_ep_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return weft_dump(skb, cb, weft_dump_ep);
}

/**
 * weft_nl_ctx_dump - WEFT_CMD_CTX_GET
 * @skb: answer
 * @cb: the dump
 *
 * Return: as weft_nl_port_dump().
 */
int weft_nl_ctx_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return weft_dump(skb, cb, weft_dump_ctx);
}

/**
 * weft_nl_stats_dump - WEFT_CMD_STATS_GET
 * @skb: answer
 * @cb: the dump
 *
 * Return: as weft_nl_port_dump().
 */
int weft_nl_stats_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return weft_dump(skb, cb, weft_dump_stat);
}

/**
 * weft_nl_path_dump - WEFT_CMD_PATH_GET
 * @skb: answer
 * @cb: the dump
 *
 * Return: as weft_nl_port_dump().
 */
int weft_nl_path_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return weft_dump(skb, cb, weft_dump_path);
}

/**
 * weft_nl_neigh_dump - WEFT_CMD_NEIGH_GET
 * @skb: answer
 * @cb: the dump
 *
 * Return: as weft_nl_port_dump().
 */
int weft_nl_neigh_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return weft_dump(skb, cb, weft_dump_neigh);
}

/**
 * weft_nl_limit_dump - WEFT_CMD_LIMIT_GET
 * @skb: answer
 * @cb: the dump
 *
 * Return: as weft_nl_port_dump().
 */
int weft_nl_limit_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return weft_dump(skb, cb, weft_dump_limit);
}

/**
 * weft_nl_job_dump - WEFT_CMD_JOB_GET
 * @skb: answer
 * @cb: the dump
 *
 * Return: as weft_nl_port_dump().
 */
int weft_nl_job_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return weft_dump(skb, cb, weft_dump_job);
}
