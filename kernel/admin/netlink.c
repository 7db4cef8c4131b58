// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft admin - generic netlink family "weft": requests about ports
 *
 * The interface is described in uapi/linux/weft_netlink.h and Documentation/netlink/weft.yaml.
 * Requests that change something need CAP_NET_ADMIN in the initial user namespace. They apply to
 * the caller's network namespace. Dumps are in dump.c.
 *
 * Requests of several callers run at the same time (parallel_ops). weft_ports_lock serialises their
 * changes.
 */
#include <linux/netlink.h>
#include <linux/weft_netlink.h>
#include <net/genetlink.h>

#include "../dev/dev.h"
#include "../dev/engine.h"
#include "../port/port.h"
#include "admin.h"
#include "netlink.h"

/* ---- Attributes of requests ------------------------------------------------------------------ */

static const struct nla_policy weft_name_policy[WEFT_ATTR_PORT_NAME + 1] = {
	[WEFT_ATTR_PORT_NAME] = WEFT_NAME_POLICY,
};

static const struct nla_policy weft_add_policy[WEFT_ATTR_PORT_QUEUES + 1] = {
	[WEFT_ATTR_PORT_NAME] = WEFT_NAME_POLICY,
	[WEFT_ATTR_PORT_DRIVER] = WEFT_NAME_POLICY,
	[WEFT_ATTR_PORT_NETDEV] = WEFT_NAME_POLICY,
	[WEFT_ATTR_PORT_ADDR] = NLA_POLICY_EXACT_LEN(sizeof(struct weft_sockaddr)),
	[WEFT_ATTR_PORT_UDP] = NLA_POLICY_MIN(NLA_U16, 1),
	[WEFT_ATTR_PORT_MTU] = NLA_POLICY_MIN(NLA_U32, WEFT_MTU_MIN),
	[WEFT_ATTR_PORT_DEVICE] = WEFT_NAME_POLICY,
	[WEFT_ATTR_PORT_PREFIX] = NLA_POLICY_RANGE(NLA_U8, 1, 128),
	[WEFT_ATTR_PORT_GW] = NLA_POLICY_EXACT_LEN(sizeof(struct weft_sockaddr)),
	[WEFT_ATTR_PORT_VLAN] = NLA_POLICY_RANGE(NLA_U16, 1, 4094),
	[WEFT_ATTR_PORT_QUEUES] = NLA_POLICY_MIN(NLA_U32, 1),
};

static const struct nla_policy weft_del_policy[WEFT_ATTR_PORT_FORCE + 1] = {
	[WEFT_ATTR_PORT_NAME] = WEFT_NAME_POLICY,
	[WEFT_ATTR_PORT_FORCE] = { .type = NLA_FLAG },
};

static const struct nla_policy weft_set_policy[WEFT_ATTR_PORT_QUESTIONS + 1] = {
	[WEFT_ATTR_PORT_NAME] = WEFT_NAME_POLICY,
	[WEFT_ATTR_PORT_ENGINE] = WEFT_NAME_POLICY,
	[WEFT_ATTR_ENGINE_CPU] = { .type = NLA_U32 },
	[WEFT_ATTR_ENGINE_IDLE] = { .type = NLA_U32 },
	[WEFT_ATTR_PORT_PRIORITIES] = WEFT_NAME_POLICY,
	[WEFT_ATTR_PORT_BYPASS] = WEFT_NAME_POLICY,
	[WEFT_ATTR_PORT_DOORBELL] = WEFT_NAME_POLICY,
	[WEFT_ATTR_PORT_RMA_USERS] = WEFT_NAME_POLICY,
	[WEFT_ATTR_PORT_HISTOGRAMS] = WEFT_NAME_POLICY,
	[WEFT_ATTR_PORT_QUESTIONS] = WEFT_NAME_POLICY,
};

static const struct nla_policy weft_limit_policy[WEFT_ATTR_LIMIT_VALUE + 1] = {
	[WEFT_ATTR_PORT_NAME] = WEFT_NAME_POLICY,
	[WEFT_ATTR_LIMIT_NAME] = { .type = NLA_NUL_STRING, .len = 31 },
	[WEFT_ATTR_LIMIT_VALUE] = { .type = NLA_U64 },
};

/* ---- Addresses ------------------------------------------------------------------------------- */

static int weft_addr_add(struct weft_port_conf *conf, const struct nlattr *attr,
			 struct netlink_ext_ack *extack)
{
	struct weft_sockaddr *a = &conf->addr[conf->naddr];
	u32 i;
	int err;

	if (conf->naddr == WEFT_CORE_ADDRS) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "a port has at most 4 addresses; make a second port for more");
		return -E2BIG;
	}
	err = weft_nl_addr(a, attr, extack);
	if (err)
		return err;
	for (i = 0; i < conf->naddr; i++) {
		if (a->family == conf->addr[i].family &&
		    !memcmp(a->addr, conf->addr[i].addr, sizeof(a->addr))) {
			NL_SET_ERR_MSG_ATTR(extack, attr, "this address is named twice");
			return -EINVAL;
		}
	}
	conf->naddr++;
	return 0;
}

static int weft_gw_add(struct weft_port_conf *conf, const struct nlattr *attr,
		       struct netlink_ext_ack *extack)
{
	struct weft_sockaddr gw;
	int err = weft_nl_addr(&gw, attr, extack);
	u32 i = gw.family == AF_INET6;

	if (err)
		return err;
	if (conf->gw[i].family) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "there can be one gateway for each family");
		return -EINVAL;
	}
	conf->gw[i] = gw;
	return 0;
}

/* Parse the attributes that may repeat, in their order. */
static int weft_nl_addrs(struct weft_port_conf *conf, const struct genl_info *info)
{
	const struct nlattr *attr;
	int left, err = 0;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, left) {
		switch (nla_type(attr)) {
		case WEFT_ATTR_PORT_ADDR:
			err = weft_addr_add(conf, attr, info->extack);
			break;
		case WEFT_ATTR_PORT_PREFIX:
			if (!conf->naddr) {
				NL_SET_ERR_MSG_ATTR(info->extack, attr,
						    "a prefix length stands behind its address");
				return -EINVAL;
			}
			conf->prefix[conf->naddr - 1] = nla_get_u8(attr);
			break;
		case WEFT_ATTR_PORT_GW:
			err = weft_gw_add(conf, attr, info->extack);
			break;
		}
		if (err)
			return err;
	}
	return 0;
}

/* ---- Requests -------------------------------------------------------------------------------- */

static int weft_nl_port_add(struct sk_buff *skb, struct genl_info *info)
{
	struct weft_port_conf conf = {};
	int err;

	if (!info->attrs[WEFT_ATTR_PORT_NAME]) {
		NL_SET_ERR_MSG(info->extack, "the port needs a name, for example weft0");
		return -EINVAL;
	}
	if (!info->attrs[WEFT_ATTR_PORT_DRIVER]) {
		NL_SET_ERR_MSG(info->extack, "the port needs a driver: loop, netdev or vnet");
		return -EINVAL;
	}
	nla_strscpy(conf.name, info->attrs[WEFT_ATTR_PORT_NAME], sizeof(conf.name));
	if (info->attrs[WEFT_ATTR_PORT_NETDEV])
		nla_strscpy(conf.netdev, info->attrs[WEFT_ATTR_PORT_NETDEV], sizeof(conf.netdev));
	if (info->attrs[WEFT_ATTR_PORT_UDP])
		conf.udp_port = nla_get_u16(info->attrs[WEFT_ATTR_PORT_UDP]);
	if (info->attrs[WEFT_ATTR_PORT_DEVICE])
		nla_strscpy(conf.device, info->attrs[WEFT_ATTR_PORT_DEVICE], sizeof(conf.device));
	if (info->attrs[WEFT_ATTR_PORT_VLAN])
		conf.vlan = nla_get_u16(info->attrs[WEFT_ATTR_PORT_VLAN]);
	if (info->attrs[WEFT_ATTR_PORT_MTU])
		conf.mtu = nla_get_u32(info->attrs[WEFT_ATTR_PORT_MTU]);
	if (info->attrs[WEFT_ATTR_PORT_QUEUES])
		conf.queues = nla_get_u32(info->attrs[WEFT_ATTR_PORT_QUEUES]);
	err = weft_nl_addrs(&conf, info);
	if (err)
		return err;
	return weft_port_add(genl_info_net(info), nla_data(info->attrs[WEFT_ATTR_PORT_DRIVER]),
			     &conf, info->extack);
}

static int weft_nl_port_del(struct sk_buff *skb, struct genl_info *info)
{
	if (!info->attrs[WEFT_ATTR_PORT_NAME]) {
		NL_SET_ERR_MSG(info->extack, "say which port is to be deleted");
		return -EINVAL;
	}
	return weft_port_del(genl_info_net(info), nla_data(info->attrs[WEFT_ATTR_PORT_NAME]),
			     nla_get_flag(info->attrs[WEFT_ATTR_PORT_FORCE]), info->extack);
}

/* Return: WEFT_ENGINE_*, or an invalid number. */
static u32 weft_engine_by_name(const char *name)
{
	u32 i;

	for (i = 0; weft_engine_name(i); i++)
		if (!strcmp(weft_engine_name(i), name))
			break;
	return i;
}

/**
 * struct weft_port_change - changes of a port that have been checked
 * @engine: engine
 * @flags: settings that are on or off
 * @bypass: WEFT_BYPASS_*, -1: no change
 * @seek: 1: lseek(2) is permitted, 0: only ioctls, -1: no change
 */
struct weft_port_change {
	struct weft_engine_conf engine;
	struct weft_port_flags flags;
	int bypass;
	int seek;
};

/*
 * Parse one of two words. *@to: 1: @yes, 0: @no; unchanged without the attribute. Return: 0,
 * -EINVAL.
 */
static int weft_nl_word(const struct nlattr *attr, const char *yes, const char *no, int *to)
{
	if (!attr)
		return 0;
	*to = !strcmp(nla_data(attr), yes);
	return *to || !strcmp(nla_data(attr), no) ? 0 : -EINVAL;
}

static int weft_nl_change(const struct genl_info *info, struct weft_port_change *c)
{
	struct nlattr **attrs = info->attrs;

	if (attrs[WEFT_ATTR_PORT_ENGINE])
		c->engine.mode = weft_engine_by_name(nla_data(attrs[WEFT_ATTR_PORT_ENGINE]));
	if (attrs[WEFT_ATTR_ENGINE_CPU])
		c->engine.cpu = nla_get_u32(attrs[WEFT_ATTR_ENGINE_CPU]);
	if (attrs[WEFT_ATTR_ENGINE_IDLE])
		c->engine.idle_us = nla_get_u32(attrs[WEFT_ATTR_ENGINE_IDLE]);
	if (weft_nl_word(attrs[WEFT_ATTR_PORT_PRIORITIES], "on", "off", &c->flags.priorities)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[WEFT_ATTR_PORT_PRIORITIES],
				    "it is either on or off");
		return -EINVAL;
	}
	if (weft_nl_word(attrs[WEFT_ATTR_PORT_DOORBELL], "lseek", "ioctl", &c->seek)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[WEFT_ATTR_PORT_DOORBELL],
				    "doorbell is lseek or ioctl");
		return -EINVAL;
	}
	if (weft_nl_word(attrs[WEFT_ATTR_PORT_RMA_USERS], "same", "any", &c->flags.same_user)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[WEFT_ATTR_PORT_RMA_USERS],
				    "rma-users is same or any");
		return -EINVAL;
	}
	if (weft_nl_word(attrs[WEFT_ATTR_PORT_HISTOGRAMS], "on", "off", &c->flags.histograms)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[WEFT_ATTR_PORT_HISTOGRAMS],
				    "histograms is on or off");
		return -EINVAL;
	}
	if (weft_nl_word(attrs[WEFT_ATTR_PORT_QUESTIONS], "on", "off", &c->flags.questions)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[WEFT_ATTR_PORT_QUESTIONS],
				    "questions is on or off");
		return -EINVAL;
	}
	if (!attrs[WEFT_ATTR_PORT_BYPASS])
		return 0;
	c->bypass = weft_bypass_by_name(nla_data(attrs[WEFT_ATTR_PORT_BYPASS]));
	if (c->bypass < 0)
		NL_SET_ERR_MSG_ATTR(info->extack, attrs[WEFT_ATTR_PORT_BYPASS],
				    "bypass is auto, on or off");
	return min(c->bypass, 0);
}

static int weft_nl_port_set(struct sk_buff *skb, struct genl_info *info)
{
	struct weft_port_change c = {
		.engine.mode = WEFT_ENGINE_SAME,
		.engine.cpu = WEFT_ENGINE_SAME,
		.engine.idle_us = WEFT_ENGINE_SAME,
		.flags = { .priorities = -1, .same_user = -1, .histograms = -1,
			   .questions = -1 },
		.bypass = -1,
		.seek = -1,
	};
	struct net *net = genl_info_net(info);
	const char *name;
	int err;

	if (!info->attrs[WEFT_ATTR_PORT_NAME]) {
		NL_SET_ERR_MSG(info->extack, "say which port is to be changed");
		return -EINVAL;
	}
	err = weft_nl_change(info, &c);
	if (err)
		return err;
	name = nla_data(info->attrs[WEFT_ATTR_PORT_NAME]);
	err = weft_port_set_engine(net, name, &c.engine, info->extack);
	if (!err)
		err = weft_port_set_flags(net, name, &c.flags, info->extack);
	if (!err && c.seek >= 0)
		err = weft_port_set_doorbell(net, name, c.seek, info->extack);
	if (!err && c.bypass >= 0)
		err = weft_port_set_bypass(net, name, c.bypass, info->extack);
	return err;
}

/* Put the attributes of a port that shares its device with the IP stack. */
static bool weft_nl_bypass_put(struct sk_buff *skb, const struct weft_port_look *look)
{
	return nla_put_string(skb, WEFT_ATTR_PORT_BYPASS, look->bypass) ||
	       nla_put_string(skb, WEFT_ATTR_PORT_BYPASS_STATE, look->bypass_state);
}

/* Put the attributes of a port that owns its device. */
static bool weft_nl_device_put(struct sk_buff *skb, const struct weft_port_look *look)
{
	return nla_put_string(skb, WEFT_ATTR_PORT_DEVICE, look->device) ||
	       nla_put(skb, WEFT_ATTR_PORT_MAC, sizeof(look->mac), look->mac) ||
	       nla_put_u32(skb, WEFT_ATTR_PORT_QUEUES, look->queues) ||
	       (look->vlan && nla_put_u16(skb, WEFT_ATTR_PORT_VLAN, look->vlan));
}

/**
 * weft_nl_port_put - put the description of a port into a message
 * @skb: the message
 * @port: the port, between weft_dev_add() and weft_dev_free()
 *
 * Context: process.
 * Return: 0, -EMSGSIZE.
 */
int weft_nl_port_put(struct sk_buff *skb, struct weft_port *port)
{
	struct weft_engine_conf engine;
	struct weft_port_look look;
	struct weft_dev_stat stat;
	u32 i;

	weft_port_look(port, &look);
	weft_dev_stat(port->dev, &stat);
	weft_engine_look(port->dev, &engine);
	if (nla_put_string(skb, WEFT_ATTR_PORT_NAME, port->name) ||
	    nla_put_string(skb, WEFT_ATTR_PORT_DRIVER, port->ops->name) ||
	    (look.netdev[0] && nla_put_string(skb, WEFT_ATTR_PORT_NETDEV, look.netdev)) ||
	    (look.device[0] && weft_nl_device_put(skb, &look)) ||
	    nla_put_u16(skb, WEFT_ATTR_PORT_UDP, port->core.conf.udp_port) ||
	    nla_put_u32(skb, WEFT_ATTR_PORT_MTU, look.mtu) ||
	    nla_put_string(skb, WEFT_ATTR_PORT_STATE, weft_port_state_name(port)) ||
	    nla_put_u32(skb, WEFT_ATTR_PORT_NCTX, stat.contexts) ||
	    nla_put_u32(skb, WEFT_ATTR_PORT_NEP, READ_ONCE(port->core.neps)) ||
	    nla_put_u32(skb, WEFT_ATTR_PORT_NPATH, READ_ONCE(port->core.npaths)) ||
	    nla_put_string(skb, WEFT_ATTR_PORT_ENGINE, weft_engine_name(engine.mode)) ||
	    (engine.cpu != WEFT_ENGINE_ANY_CPU &&
	     nla_put_u32(skb, WEFT_ATTR_ENGINE_CPU, engine.cpu)) ||
	    nla_put_u32(skb, WEFT_ATTR_ENGINE_IDLE, engine.idle_us) ||
	    nla_put_u32(skb, WEFT_ATTR_ENGINE_HOT, weft_engine_hot(port->dev)) ||
	    nla_put_string(skb, WEFT_ATTR_PORT_PRIORITIES,
			   READ_ONCE(port->core.conf.priorities) ? "on" : "off") ||
	    (look.bypass && weft_nl_bypass_put(skb, &look)) ||
	    nla_put_string(skb, WEFT_ATTR_PORT_DOORBELL, stat.seek ? "lseek" : "ioctl") ||
	    nla_put_string(skb, WEFT_ATTR_PORT_RMA_USERS,
			   READ_ONCE(port->core.conf.rma_same_user) ? "same" : "any") ||
	    nla_put_string(skb, WEFT_ATTR_PORT_HISTOGRAMS,
			   READ_ONCE(port->core.conf.histograms) ? "on" : "off") ||
	    nla_put_string(skb, WEFT_ATTR_PORT_QUESTIONS,
			   READ_ONCE(port->core.conf.questions) ? "on" : "off") ||
	    weft_nl_u64(skb, WEFT_ATTR_PINNED, stat.pinned))
		return -EMSGSIZE;
	for (i = 0; i < port->core.naddr; i++)
		if (nla_put(skb, WEFT_ATTR_PORT_ADDR, sizeof(port->core.addr[i]),
			    &port->core.addr[i]))
			return -EMSGSIZE;
	return 0;
}

static int weft_nl_port_get(struct sk_buff *skb, struct genl_info *info)
{
	struct weft_port *port;
	struct sk_buff *msg;
	void *head;

	if (!info->attrs[WEFT_ATTR_PORT_NAME]) {
		NL_SET_ERR_MSG(info->extack, "say which port, or ask for all with a dump");
		return -EINVAL;
	}
	port = weft_nl_port(info);
	if (!port)
		return -ENODEV;
	msg = weft_nl_reply(info, WEFT_CMD_PORT_GET, &head);
	if (!msg || weft_nl_port_put(msg, port)) {
		nlmsg_free(msg);
		weft_port_put(port);
		return -ENOMEM;
	}
	weft_port_put(port);
	genlmsg_end(msg, head);
	return genlmsg_reply(msg, info);
}

static int weft_nl_limit_set(struct sk_buff *skb, struct genl_info *info)
{
	struct weft_port *port;
	int err;

	if (!info->attrs[WEFT_ATTR_PORT_NAME] || !info->attrs[WEFT_ATTR_LIMIT_NAME] ||
	    !info->attrs[WEFT_ATTR_LIMIT_VALUE]) {
		NL_SET_ERR_MSG(info->extack, "say which limit of which port is to be what");
		return -EINVAL;
	}
	port = weft_nl_port(info);
	if (!port)
		return -ENODEV;
	err = weft_limit_set(&port->core, nla_data(info->attrs[WEFT_ATTR_LIMIT_NAME]),
			     nla_get_u64(info->attrs[WEFT_ATTR_LIMIT_VALUE]));
	if (!err)
		weft_port_retime(port);
	weft_port_put(port);
	if (err == -ENOENT)
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[WEFT_ATTR_LIMIT_NAME],
				    "no such limit; see 'limit show'");
	else if (err)
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[WEFT_ATTR_LIMIT_VALUE],
				    "too small or too large; see min and max in 'limit show'");
	return err;
}

/* ---- The family ------------------------------------------------------------------------------ */

/* A command: what it needs to be, the functions for one object and for all, attributes. */
#define WEFT_OP(c, f, one, all, attrs) {				\
	.cmd = (c),							\
	.flags = (f),							\
	.doit = (one),							\
	.dumpit = (all),						\
	.policy = weft_##attrs##_policy,				\
	.maxattr = ARRAY_SIZE(weft_##attrs##_policy) - 1,		\
}

#define WEFT_SET(c, f, attrs)	WEFT_OP(c, GENL_ADMIN_PERM, f, NULL, attrs)
#define WEFT_DUMP(c)		WEFT_OP(c, 0, NULL, weft_nl_dump, name)

static const struct genl_ops weft_ops[] = {
	WEFT_SET(WEFT_CMD_PORT_ADD, weft_nl_port_add, add),
	WEFT_SET(WEFT_CMD_PORT_DEL, weft_nl_port_del, del),
	WEFT_SET(WEFT_CMD_PORT_SET, weft_nl_port_set, set),
	WEFT_OP(WEFT_CMD_PORT_GET, 0, weft_nl_port_get, weft_nl_dump, name),
	WEFT_DUMP(WEFT_CMD_EP_GET),
	WEFT_DUMP(WEFT_CMD_CTX_GET),
	WEFT_DUMP(WEFT_CMD_STATS_GET),
	WEFT_DUMP(WEFT_CMD_HIST_GET),
	WEFT_DUMP(WEFT_CMD_PATH_GET),
	WEFT_DUMP(WEFT_CMD_NEIGH_GET),
	WEFT_DUMP(WEFT_CMD_LIMIT_GET),
	WEFT_DUMP(WEFT_CMD_JOB_GET),
	WEFT_DUMP(WEFT_CMD_USER_GET),
	WEFT_DUMP(WEFT_CMD_RECV_GET),
	WEFT_DUMP(WEFT_CMD_MSG_GET),
	WEFT_DUMP(WEFT_CMD_SEND_GET),
	WEFT_DUMP(WEFT_CMD_FLOW_GET),
	WEFT_DUMP(WEFT_CMD_CONN_GET),
	WEFT_DUMP(WEFT_CMD_CQ_GET),
	WEFT_DUMP(WEFT_CMD_SRQ_GET),
	WEFT_DUMP(WEFT_CMD_MR_GET),
	WEFT_OP(WEFT_CMD_EVENT_GET, 0, NULL, weft_nl_events, name),
	WEFT_SET(WEFT_CMD_PATH_DEL, weft_nl_path_del, action),
	WEFT_SET(WEFT_CMD_EP_KILL, weft_nl_ep_kill, action),
	WEFT_SET(WEFT_CMD_JOB_ADD, weft_nl_job_add, job),
	WEFT_SET(WEFT_CMD_JOB_SET, weft_nl_job_set, job),
	WEFT_SET(WEFT_CMD_JOB_DEL, weft_nl_job_del, job),
	WEFT_SET(WEFT_CMD_LIMIT_SET, weft_nl_limit_set, limit),
	WEFT_SET(WEFT_CMD_PROBE_ADD, weft_nl_probe_add, probe),
	WEFT_SET(WEFT_CMD_PROBE_GET, weft_nl_probe_get, probe),
	WEFT_SET(WEFT_CMD_PROBE_DEL, weft_nl_probe_del, probe),
	WEFT_OP(WEFT_CMD_QUESTION_ADD, 0, weft_nl_question_add, NULL, question),
	WEFT_OP(WEFT_CMD_QUESTION_GET, 0, weft_nl_question_get, NULL, question),
};

struct genl_family weft_family __ro_after_init = {
	.name = WEFT_GENL_NAME,
	.version = WEFT_GENL_VERSION,
	.netnsok = true,
	.parallel_ops = true,
	.module = THIS_MODULE,
	.ops = weft_ops,
	.n_ops = ARRAY_SIZE(weft_ops),
	.mcgrps = weft_event_groups,
	.n_mcgrps = ARRAY_SIZE(weft_event_groups),
	.resv_start_op = WEFT_CMD_PORT_ADD,
};

/**
 * weft_netlink_init - register the family
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int __init weft_netlink_init(void)
{
	int err = genl_register_family(&weft_family);

	if (!err)
		weft_events_switch(true);
	return err;
}

/**
 * weft_netlink_exit - the reverse of weft_netlink_init(); waits for running requests
 *
 * Context: process.
 */
void weft_netlink_exit(void)
{
	weft_events_switch(false);
	genl_unregister_family(&weft_family);
}
