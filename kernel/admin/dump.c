// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft admin - dumps of the generic netlink family "weft"
 *
 * A dump iterates over the ports of the caller's namespace, or over the named port, and over the
 * objects of each. Each object is one message; a call returns as many messages as fit. Between
 * calls only a position is kept: a number that belongs to one object. So an object appears once at
 * most, and one that exists all the time appears. Neighbours are an exception: their positions may
 * change. Endpoints, contexts and counts of other users are visible only with CAP_NET_ADMIN in the
 * namespace.
 *
 * Each call holds weft_ports_lock, which keeps the ports. The functions run in process context.
 */
#include <linux/etherdevice.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <linux/weft_netlink.h>
#include <net/sock.h>

#include "../dev/dev.h"
#include "../port/neigh.h"
#include "../port/port.h"
#include "netlink.h"

/*
 * Put the next object of @port at or after *@pos into the message that has begun, and move *@pos
 * behind it. Return: 0; 1 or -EMSGSIZE: no space; -ENOENT: no more in this port; -ENOMEM.
 */
typedef int (*weft_dump_fn)(struct sk_buff *skb, struct netlink_callback *cb,
			    struct weft_port *port, u64 *pos);

/* One message. Return: 1: there may be more, 0: no more in this port, or a negative errno. */
static int weft_dump_one(struct sk_buff *skb, struct netlink_callback *cb, weft_dump_fn fn,
			 struct weft_port *port, struct weft_dump *dump)
{
	void *head = weft_nl_begin(skb, cb);
	u64 pos = dump->pos;
	int err;

	if (!head)
		return -EMSGSIZE;
	err = fn(skb, cb, port, &pos);
	if (err) {
		genlmsg_cancel(skb, head);
		return err == -ENOENT ? 0 : min(err, 0) ?: -EMSGSIZE;
	}
	genlmsg_end(skb, head);
	dump->pos = pos;
	return 1;
}

static int weft_dump_port(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port,
			  u64 *pos)
{
	return (*pos)++ ? -ENOENT : weft_nl_port_put(skb, port);
}

/* ---- Contexts and endpoints ------------------------------------------------------------------ */

static int weft_dump_ctx(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port,
			 u64 *pos)
{
	struct weft_dev_ctx ctx;

	do {
		if (weft_dev_ctx_next(port->dev, pos, &ctx))
			return -ENOENT;
	} while (!weft_nl_visible(cb, ctx.uid));
	return weft_nl_owner_put(skb, cb, port, &ctx) ||
	       nla_put_u32(skb, WEFT_ATTR_CTX_NOBJ, ctx.objects) ||
	       nla_put_u32(skb, WEFT_ATTR_CTX_NEP, ctx.endpoints) ||
	       weft_nl_u64(skb, WEFT_ATTR_PINNED, ctx.pinned);
}

static bool weft_ep_truncated_put(struct sk_buff *skb, const struct weft_ep_info *info)
{
	return info->truncated &&
	       (weft_nl_u64(skb, WEFT_ATTR_EP_TRUNCATED, info->truncated) ||
		weft_nl_u64(skb, WEFT_ATTR_EP_TRUNCATED_AGE,
			    weft_since(weft_now(), info->truncated_at)));
}

static int weft_dump_ep(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port,
			u64 *pos)
{
	struct weft_dev_ep ep;

	do {
		if (weft_dev_ep_next(port->dev, pos, &ep))
			return -ENOENT;
	} while (!weft_nl_visible(cb, ep.ctx.uid));
	return weft_nl_owner_put(skb, cb, port, &ep.ctx) ||
	       nla_put_u32(skb, WEFT_ATTR_EP_HANDLE, ep.info.handle) ||
	       nla_put_string(skb, WEFT_ATTR_EP_TYPE, weft_ep_type_name(ep.info.type)) ||
	       nla_put_string(skb, WEFT_ATTR_EP_STATE, weft_ep_state_name(ep.info.state)) ||
	       nla_put(skb, WEFT_ATTR_EP_ADDR, sizeof(ep.info.addr), &ep.info.addr) ||
	       (ep.info.peer.family &&
		nla_put(skb, WEFT_ATTR_EP_PEER, sizeof(ep.info.peer), &ep.info.peer)) ||
	       (ep.info.srq != WEFT_HANDLE_NONE &&
		nla_put_u32(skb, WEFT_ATTR_SRQ, ep.info.srq)) ||
	       nla_put_u32(skb, WEFT_ATTR_EP_POSTED, ep.info.posted) ||
	       nla_put_u32(skb, WEFT_ATTR_EP_UNEXP, ep.info.unexp) ||
	       nla_put_u32(skb, WEFT_ATTR_EP_SENDING, ep.info.sending) ||
	       weft_ep_truncated_put(skb, &ep.info) ||
	       weft_nl_u64(skb, WEFT_ATTR_EP_SENT, ep.info.sent) ||
	       weft_nl_u64(skb, WEFT_ATTR_EP_SENT_BYTES, ep.info.sent_bytes) ||
	       weft_nl_u64(skb, WEFT_ATTR_EP_RECEIVED, ep.info.received) ||
	       weft_nl_u64(skb, WEFT_ATTR_EP_RECEIVED_BYTES, ep.info.received_bytes) ||
	       (ep.info.job[0] && nla_put_string(skb, WEFT_ATTR_JOB_NAME, ep.info.job));
}

/* ---- Counters and paths ---------------------------------------------------------------------- */

#define WEFT_COUNTER_WORDS(name, unit, settings, text)	{ #name, unit, settings, text },
static const struct { const char *name, *unit, *settings, *text; } weft_counter_words[] = {
	WEFT_COUNTERS(WEFT_COUNTER_WORDS)
};

static int weft_dump_stat(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port,
			  u64 *pos)
{
	u64 n = (*pos)++;

	if (n >= WEFT_NCOUNTERS)
		return -ENOENT;
	return nla_put_string(skb, WEFT_ATTR_PORT_NAME, port->name) ||
	       nla_put_string(skb, WEFT_ATTR_STAT_NAME, weft_counter_words[n].name) ||
	       nla_put_string(skb, WEFT_ATTR_STAT_UNIT, weft_counter_words[n].unit) ||
	       (*weft_counter_words[n].settings &&
		nla_put_string(skb, WEFT_ATTR_STAT_SETTINGS, weft_counter_words[n].settings)) ||
	       nla_put_string(skb, WEFT_ATTR_STAT_TEXT, weft_counter_words[n].text) ||
	       weft_nl_u64(skb, WEFT_ATTR_STAT_VALUE, weft_counters_read(port->core.cnt, n));
}

static int weft_dump_hist(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port,
			  u64 *pos)
{
	struct weft_hist_info info;

	if (!weft_hist_look(&port->core, (*pos)++, &info))
		return -ENOENT;
	return nla_put_string(skb, WEFT_ATTR_PORT_NAME, port->name) ||
	       nla_put_string(skb, WEFT_ATTR_PORT_HISTOGRAMS,
			      READ_ONCE(port->core.conf.histograms) ? "on" : "off") ||
	       nla_put_string(skb, WEFT_ATTR_HIST_NAME, info.name) ||
	       nla_put_string(skb, WEFT_ATTR_HIST_UNIT, info.unit) ||
	       nla_put_string(skb, WEFT_ATTR_HIST_TEXT, info.text) ||
	       weft_nl_u64(skb, WEFT_ATTR_HIST_SUM, info.sum) ||
	       nla_put(skb, WEFT_ATTR_HIST_COUNTS, sizeof(info.count), info.count);
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

/* position of a node of another version; those come after the paths */
#define WEFT_DUMP_FOREIGN	BIT_ULL(32)

static int weft_dump_foreign(struct sk_buff *skb, struct weft_port *port, u64 *pos)
{
	struct weft_version_info info;
	u32 n = *pos;
	bool found = weft_version_next(&port->core, &n, &info);

	*pos = WEFT_DUMP_FOREIGN | n;
	if (!found)
		return -ENOENT;
	return nla_put_string(skb, WEFT_ATTR_PORT_NAME, port->name) ||
	       nla_put(skb, WEFT_ATTR_PATH_ADDR, sizeof(info.addr), &info.addr) ||
	       nla_put_string(skb, WEFT_ATTR_PATH_STATE, "version") ||
	       nla_put_u32(skb, WEFT_ATTR_PATH_OLDEST, info.oldest) ||
	       nla_put_u32(skb, WEFT_ATTR_PATH_NEWEST, info.newest) ||
	       nla_put_u32(skb, WEFT_ATTR_PATH_OWN, info.own);
}

static int weft_dump_path(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port,
			  u64 *pos)
{
	struct weft_path_info info;
	struct weft_path *path;
	u32 slot = *pos;
	weft_ns now;

	if (*pos & WEFT_DUMP_FOREIGN)
		return weft_dump_foreign(skb, port, pos);
	path = weft_path_next(&port->core, &slot);
	*pos = slot;
	if (!path) {
		*pos = WEFT_DUMP_FOREIGN;
		return weft_dump_foreign(skb, port, pos);
	}
	weft_path_look(path, &info);
	now = weft_now();
	weft_path_put(path);
	return nla_put_string(skb, WEFT_ATTR_PORT_NAME, port->name) ||
	       nla_put(skb, WEFT_ATTR_PATH_ADDR, sizeof(info.addr), &info.addr) ||
	       nla_put_string(skb, WEFT_ATTR_PATH_STATE, weft_path_state_name(info.state)) ||
	       weft_nl_u64(skb, WEFT_ATTR_AGE, weft_since(now, info.since)) ||
	       (info.heard &&
		weft_nl_u64(skb, WEFT_ATTR_PATH_HEARD, weft_since(now, info.heard))) ||
	       weft_nl_u64(skb, WEFT_ATTR_PATH_SRTT, info.srtt) ||
	       weft_nl_u64(skb, WEFT_ATTR_PATH_RTTVAR, info.rttvar) ||
	       nla_put_u32(skb, WEFT_ATTR_PATH_CWND, info.cwnd) ||
	       nla_put_u32(skb, WEFT_ATTR_PATH_FLIGHT, info.flight) ||
	       nla_put_u32(skb, WEFT_ATTR_PATH_NFLOW, info.nflow) ||
	       weft_nl_u64(skb, WEFT_ATTR_PATH_RETRANS, info.counts.retrans) ||
	       weft_nl_u64(skb, WEFT_ATTR_PATH_SPURIOUS, info.counts.spurious) ||
	       weft_nl_u64(skb, WEFT_ATTR_PATH_TIMEOUTS, info.counts.timeouts) ||
	       weft_nl_u64(skb, WEFT_ATTR_PATH_TX_PACKETS, info.counts.tx_packets) ||
	       weft_nl_u64(skb, WEFT_ATTR_PATH_TX_BYTES, info.counts.tx_bytes) ||
	       weft_nl_u64(skb, WEFT_ATTR_PATH_RX_PACKETS, info.counts.rx_packets) ||
	       weft_nl_u64(skb, WEFT_ATTR_PATH_RX_BYTES, info.counts.rx_bytes) ||
	       nla_put_u32(skb, WEFT_ATTR_PATH_PAYLOAD, info.max_payload);
}

static int weft_dump_neigh(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port,
			   u64 *pos)
{
	struct weft_neigh_info info;

	if (!weft_port_neigh(port, (*pos)++, &info))
		return -ENOENT;
	return nla_put_string(skb, WEFT_ATTR_PORT_NAME, port->name) ||
	       nla_put(skb, WEFT_ATTR_NEIGH_ADDR, sizeof(info.addr), &info.addr) ||
	       (is_valid_ether_addr(info.mac) &&
		nla_put(skb, WEFT_ATTR_NEIGH_MAC, sizeof(info.mac), info.mac)) ||
	       nla_put_string(skb, WEFT_ATTR_NEIGH_STATE, weft_neigh_state_name(info.state)) ||
	       weft_nl_u64(skb, WEFT_ATTR_NEIGH_IDLE, info.idle);
}

/* Put a user whom the caller may see, unless there is none. */
static bool weft_dump_uid(struct sk_buff *skb, struct netlink_callback *cb, int attr, u32 uid)
{
	u32 seen = weft_nl_uid(cb, uid);

	return seen != WEFT_NOTE_NO_UID && nla_put_u32(skb, attr, seen);
}

static int weft_dump_limit(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port,
			   u64 *pos)
{
	struct weft_limit_info info;

	if (!weft_limit_look(&port->core, (*pos)++, &info))
		return -ENOENT;
	return nla_put_string(skb, WEFT_ATTR_PORT_NAME, port->name) ||
	       nla_put_string(skb, WEFT_ATTR_LIMIT_NAME, info.name) ||
	       nla_put_string(skb, WEFT_ATTR_LIMIT_UNIT, info.unit) ||
	       weft_nl_u64(skb, WEFT_ATTR_LIMIT_VALUE, info.value) ||
	       weft_nl_u64(skb, WEFT_ATTR_LIMIT_MIN, info.min) ||
	       weft_nl_u64(skb, WEFT_ATTR_LIMIT_MAX, info.max) ||
	       (info.counts &&
		(weft_nl_u64(skb, WEFT_ATTR_LIMIT_USED, info.used) ||
		 weft_dump_uid(skb, cb, WEFT_ATTR_LIMIT_USED_BY, info.used_by) ||
		 weft_nl_u64(skb, WEFT_ATTR_LIMIT_PEAK, info.peak) ||
		 weft_dump_uid(skb, cb, WEFT_ATTR_LIMIT_PEAK_BY, info.peak_by))) ||
	       (info.has_hits &&
		(weft_nl_u64(skb, WEFT_ATTR_LIMIT_HITS, info.hits) ||
		 weft_dump_uid(skb, cb, WEFT_ATTR_LIMIT_HITS_BY, info.hit_by)));
}

static int weft_dump_user(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port,
			  u64 *pos)
{
	struct weft_user_info info;

	do {
		if (!weft_user_look(&port->core, pos, &info))
			return -ENOENT;
	} while (!weft_nl_visible(cb, KUIDT_INIT(info.uid)));
	return nla_put_string(skb, WEFT_ATTR_PORT_NAME, port->name) ||
	       nla_put_u32(skb, WEFT_ATTR_UID,
			   from_kuid_munged(sk_user_ns(NETLINK_CB(cb->skb).sk),
					    KUIDT_INIT(info.uid))) ||
	       weft_nl_u64(skb, WEFT_ATTR_USER_CTXS, info.contexts) ||
	       weft_nl_u64(skb, WEFT_ATTR_USER_EPS, info.endpoints) ||
	       weft_nl_u64(skb, WEFT_ATTR_USER_MEMORY, info.memory) ||
	       weft_nl_u64(skb, WEFT_ATTR_USER_MSGS, info.msgs) ||
	       weft_nl_u64(skb, WEFT_ATTR_USER_BYTES, info.bytes) ||
	       weft_nl_u64(skb, WEFT_ATTR_USER_LINGERS, info.lingers) ||
	       weft_nl_u64(skb, WEFT_ATTR_USER_REGIONS, info.regions);
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
			 u64 *pos)
{
	struct weft_job_info *info = kmalloc(sizeof(*info), GFP_KERNEL);
	int err = -ENOENT;

	if (!info)
		return -ENOMEM;
	if (weft_job_look(&port->core, pos, info))
		err = nla_put_string(skb, WEFT_ATTR_PORT_NAME, port->name) ||
		      nla_put_string(skb, WEFT_ATTR_JOB_NAME, info->name) ||
		      nla_put_u32(skb, WEFT_ATTR_JOB_NEP, info->users) ||
		      weft_dump_who(skb, cb, &info->who);
	kfree(info);
	return err;
}

/* ---- For netlink.c --------------------------------------------------------------------------- */

static const weft_dump_fn weft_dump_fns[] = {
	[WEFT_CMD_PORT_GET] = weft_dump_port,
	[WEFT_CMD_EP_GET] = weft_dump_ep,
	[WEFT_CMD_CTX_GET] = weft_dump_ctx,
	[WEFT_CMD_STATS_GET] = weft_dump_stat,
	[WEFT_CMD_HIST_GET] = weft_dump_hist,
	[WEFT_CMD_PATH_GET] = weft_dump_path,
	[WEFT_CMD_NEIGH_GET] = weft_dump_neigh,
	[WEFT_CMD_LIMIT_GET] = weft_dump_limit,
	[WEFT_CMD_JOB_GET] = weft_dump_job,
	[WEFT_CMD_USER_GET] = weft_dump_user,
	[WEFT_CMD_CONN_GET] = weft_nl_conn,
	[WEFT_CMD_CQ_GET] = weft_nl_cq,
	[WEFT_CMD_SRQ_GET] = weft_nl_srq,
	[WEFT_CMD_MR_GET] = weft_nl_mr,
};

/* The objects of a port, from @dump on. Return: 0: no more in this port, or a negative errno. */
static int weft_dump_objects(struct sk_buff *skb, struct netlink_callback *cb,
			     struct weft_port *port, struct weft_dump *dump)
{
	const struct genlmsghdr *asked = nlmsg_data(cb->nlh);
	int ret;

	switch (asked->cmd) {
	case WEFT_CMD_RECV_GET:
	case WEFT_CMD_MSG_GET:
		return weft_nl_waits(skb, cb, port, dump);
	case WEFT_CMD_SEND_GET:
	case WEFT_CMD_FLOW_GET:
		return weft_nl_underway(skb, cb, port, dump);
	default:
		do {
			ret = weft_dump_one(skb, cb, weft_dump_fns[asked->cmd], port, dump);
		} while (ret > 0);
		return ret;
	}
}

/**
 * weft_nl_dump - answer a command that asks for all objects of a kind
 * @skb: answer
 * @cb: the dump; its command is one of those above, or of objects.c, waits.c and underway.c
 *
 * Context: process.
 * Return: bytes in @skb, 0: the end, or a negative errno.
 */
int weft_nl_dump(struct sk_buff *skb, struct netlink_callback *cb)
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
		ret = weft_dump_objects(skb, cb, port, dump);
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
