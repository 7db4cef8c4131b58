// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft admin - probes of paths: round-trip time, and loss in each direction
 *
 * A request does not wait for the network: no family of generic netlink can be registered while a
 * request runs. So PROBE_ADD begins a probe, and PROBE_GET reads what it has found so far. The core
 * ends a probe of which nobody asks, as that of a killed program.
 *
 * The functions take no lock, and run in process context.
 */
#include <linux/slab.h>
#include <linux/weft_netlink.h>

#include "../port/port.h"
#include "netlink.h"

/** weft_probe_policy - attributes of requests of this file */
const struct nla_policy weft_probe_policy[WEFT_ATTR_PROBE_SIZE + 1] = {
	[WEFT_ATTR_PORT_NAME] = WEFT_NAME_POLICY,
	[WEFT_ATTR_PATH_ADDR] = NLA_POLICY_EXACT_LEN(sizeof(struct weft_sockaddr)),
	[WEFT_ATTR_PROBE_NO] = { .type = NLA_U32 },
	[WEFT_ATTR_PROBE_COUNT] = { .type = NLA_U32 },
	[WEFT_ATTR_PROBE_INTERVAL] = { .type = NLA_U32 },
	[WEFT_ATTR_PROBE_SIZE] = { .type = NLA_U32 },
};

/* Parse what a probe sends. Return: 0, -ERANGE. */
static int weft_probe_conf(const struct genl_info *info, struct weft_echo_conf *conf)
{
	const struct nlattr *count = info->attrs[WEFT_ATTR_PROBE_COUNT];
	const struct nlattr *interval = info->attrs[WEFT_ATTR_PROBE_INTERVAL];
	const struct nlattr *size = info->attrs[WEFT_ATTR_PROBE_SIZE];

	conf->count = count ? nla_get_u32(count) : 100;
	conf->interval = (interval ? nla_get_u32(interval) : 10) * (weft_ns)NSEC_PER_MSEC;
	conf->size = size ? nla_get_u32(size) : 64;
	if (!conf->count || conf->count > WEFT_ECHO_COUNT) {
		NL_SET_ERR_MSG_ATTR(info->extack, count, "a probe has 1 to 65535 packets");
		return -ERANGE;
	}
	if (!conf->interval || conf->interval > WEFT_ECHO_INTERVAL) {
		NL_SET_ERR_MSG_ATTR(info->extack, interval,
				    "between two packets are 1 to 60000 milliseconds");
		return -ERANGE;
	}
	if (conf->size < WEFT_ECHO_SIZE_MIN || conf->size > WEFT_ECHO_SIZE_MAX) {
		NL_SET_ERR_MSG_ATTR(info->extack, size,
				    "a packet of a probe has 60 to 65000 bytes");
		return -ERANGE;
	}
	return 0;
}

/* Say why no probe, or question, begins. @addr: attribute with the address of the node */
static void weft_probe_refused(const struct genl_info *info, const struct nlattr *addr, int err)
{
	switch (err) {
	case -EBUSY:
		NL_SET_ERR_MSG_ATTR(info->extack, addr,
				    "the path is being probed; wait until that probe is over");
		break;
	case -EUSERS:
		NL_SET_ERR_MSG(info->extack,
			       "the port has 64 probes, or the user 8 questions; wait for an end");
		break;
	case -EADDRINUSE:
		NL_SET_ERR_MSG_ATTR(info->extack, addr,
				    "this is an address of the port itself: no path leads there");
		break;
	case -EAFNOSUPPORT:
		NL_SET_ERR_MSG_ATTR(info->extack, addr,
				    "the port has no address of this family; see 'port show'");
		break;
	case -ENOSPC:
		NL_SET_ERR_MSG(info->extack,
			       "the port is at its limit of paths; see 'limit show'");
		break;
	case -ENODEV:
		NL_SET_ERR_MSG(info->extack, "the port is going");
		break;
	case -ENOENT:
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[WEFT_ATTR_EP_ADDR],
				    "the port has no such endpoint of yours; see 'ep show'");
		break;
	case -ENOMEM:
		break;
	default:
		NL_SET_ERR_MSG_ATTR(info->extack, addr,
				    "no path can be made to this node: is there a route to it?");
	}
}

/**
 * weft_nl_probe_begin - begin a probe or a question, and answer the request with its number
 * @info: the request, with WEFT_ATTR_PORT_NAME
 * @cmd: WEFT_CMD_*
 * @addr: attribute with the address of the node
 * @begin: begins it
 * @arg: passed to @begin
 *
 * Return: 0; -ENODEV: no such port; -ENOMEM; or as @begin.
 */
int weft_nl_probe_begin(struct genl_info *info, u8 cmd, const struct nlattr *addr,
			weft_probe_fn begin, const void *arg)
{
	struct weft_port *port = weft_nl_port(info);
	struct weft_out *out;
	struct sk_buff *msg;
	int err = -ENOMEM;
	void *head;
	u32 no;

	if (!port)
		return -ENODEV;
	msg = weft_nl_reply(info, cmd, &head);
	out = msg ? kvmalloc(sizeof(*out), GFP_KERNEL) : NULL;
	if (out) {
		weft_out_init(out, &port->core);
		err = begin(&port->core, arg, out, &no);
		weft_flush(out);
		kvfree(out);
		if (err)
			weft_probe_refused(info, addr, err);
	}
	weft_port_put(port);
	if (err || nla_put_u32(msg, WEFT_ATTR_PROBE_NO, no)) {
		nlmsg_free(msg);
		return err ?: -EMSGSIZE;
	}
	genlmsg_end(msg, head);
	return genlmsg_reply(msg, info);
}

/* What PROBE_ADD asks for */
struct weft_probe_asked {
	struct weft_sockaddr addr;
	struct weft_echo_conf conf;
};

static int weft_probe_start(struct weft_core *core, const void *arg, struct weft_out *out, u32 *no)
{
	const struct weft_probe_asked *asked = arg;

	return weft_echo_start(core, &asked->addr, &asked->conf, weft_now(), out, no);
}

/**
 * weft_nl_probe_add - WEFT_CMD_PROBE_ADD
 * @skb: the request
 * @info: its attributes
 *
 * Return: 0: the probe runs; -EINVAL, -ERANGE, -EAFNOSUPPORT: an attribute is missing or wrong;
 * -ENODEV: no such port; -EBUSY: the path is being probed; -EUSERS: too many probes; -ENOMEM; or
 * why no path can be made.
 */
int weft_nl_probe_add(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *addr = info->attrs[WEFT_ATTR_PATH_ADDR];
	struct weft_probe_asked asked;
	int err;

	if (!info->attrs[WEFT_ATTR_PORT_NAME] || !addr) {
		NL_SET_ERR_MSG(info->extack, "say which path of which port is to be probed");
		return -EINVAL;
	}
	err = weft_nl_addr(&asked.addr, addr, info->extack);
	if (!err)
		err = weft_probe_conf(info, &asked.conf);
	if (err)
		return err;
	return weft_nl_probe_begin(info, WEFT_CMD_PROBE_ADD, addr, weft_probe_start, &asked);
}

static bool weft_probe_rtt_put(struct sk_buff *skb, const struct weft_echo_info *e)
{
	return weft_nl_u64(skb, WEFT_ATTR_PROBE_RTT_MIN, e->rtt_min) ||
	       weft_nl_u64(skb, WEFT_ATTR_PROBE_RTT_AVG, e->rtt_avg) ||
	       weft_nl_u64(skb, WEFT_ATTR_PROBE_RTT_MAX, e->rtt_max) ||
	       weft_nl_u64(skb, WEFT_ATTR_PROBE_RTT_DEV, e->rtt_dev);
}

/**
 * weft_nl_probe_state - put the state of a probe or a question
 * @skb: answer
 * @state: WEFT_ECHOS_*
 * @err: errno that ended it, 0: none
 *
 * Return: true: no space.
 */
bool weft_nl_probe_state(struct sk_buff *skb, u32 state, u32 err)
{
	static const char * const states[] = {
		[WEFT_ECHOS_WAIT] = "handshake",
		[WEFT_ECHOS_SEND] = "running",
		[WEFT_ECHOS_ASK] = "running",
		[WEFT_ECHOS_OVER] = "over",
	};

	return nla_put_string(skb, WEFT_ATTR_PROBE_STATE, states[state]) ||
	       (err && nla_put_u32(skb, WEFT_ATTR_PROBE_ERR, err));
}

static bool weft_probe_put(struct sk_buff *skb, const struct weft_echo_info *e)
{
	return weft_nl_probe_state(skb, e->state, e->err) ||
	       (e->hello &&
		weft_nl_u64(skb, WEFT_ATTR_PROBE_HELLO, e->hello)) ||
	       nla_put_u32(skb, WEFT_ATTR_PROBE_COUNT, e->count) ||
	       nla_put_u32(skb, WEFT_ATTR_PROBE_SENT, e->sent) ||
	       nla_put_u32(skb, WEFT_ATTR_PROBE_CAME, e->came) ||
	       nla_put_u32(skb, WEFT_ATTR_PROBE_ANSWERED, e->answered) ||
	       nla_put_u32(skb, WEFT_ATTR_PROBE_BACK, e->back) ||
	       (e->exact && nla_put_flag(skb, WEFT_ATTR_PROBE_EXACT)) ||
	       (e->back && weft_probe_rtt_put(skb, e)) ||
	       nla_put_u32(skb, WEFT_ATTR_PATH_PAYLOAD, e->max_payload);
}

/**
 * weft_nl_probe_port - the port and the number of a probe or a question
 * @info: the request
 * @no: out: the number
 *
 * Return: the port, referenced; ERR_PTR(-EINVAL: an attribute is missing, -ENODEV: no such port).
 */
struct weft_port *weft_nl_probe_port(struct genl_info *info, u32 *no)
{
	struct weft_port *port;

	if (!info->attrs[WEFT_ATTR_PORT_NAME] || !info->attrs[WEFT_ATTR_PROBE_NO]) {
		NL_SET_ERR_MSG(info->extack, "say which probe of which port is meant");
		return ERR_PTR(-EINVAL);
	}
	*no = nla_get_u32(info->attrs[WEFT_ATTR_PROBE_NO]);
	port = weft_nl_port(info);
	return port ?: ERR_PTR(-ENODEV);
}

static void weft_probe_absent(const struct genl_info *info)
{
	NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[WEFT_ATTR_PROBE_NO],
			    "the port has no such probe, or its result was forgotten");
}

/**
 * weft_nl_probe_reply - begin the answer to a request for a result
 * @info: the request
 * @cmd: WEFT_CMD_*
 * @err: 0; a negative errno: there is no such probe or question
 * @head: out: for genlmsg_end()
 *
 * Return: the answer; ERR_PTR(@err, -ENOMEM).
 */
struct sk_buff *weft_nl_probe_reply(struct genl_info *info, u8 cmd, int err, void **head)
{
	if (err) {
		weft_probe_absent(info);
		return ERR_PTR(err);
	}
	return weft_nl_reply(info, cmd, head) ?: ERR_PTR(-ENOMEM);
}

/**
 * weft_nl_probe_get - WEFT_CMD_PROBE_GET
 * @skb: the request
 * @info: its attributes
 *
 * Return: 0; -EINVAL: an attribute is missing; -ENODEV: no such port; -ENOENT: no such probe;
 * -ENOMEM.
 */
int weft_nl_probe_get(struct sk_buff *skb, struct genl_info *info)
{
	struct weft_echo_info e;
	struct weft_port *port;
	struct sk_buff *msg;
	void *head;
	int err;
	u32 no;

	port = weft_nl_probe_port(info, &no);
	if (IS_ERR(port))
		return PTR_ERR(port);
	err = weft_echo_look(&port->core, no, weft_now(), &e);
	weft_port_put(port);
	msg = weft_nl_probe_reply(info, WEFT_CMD_PROBE_GET, err, &head);
	if (IS_ERR(msg))
		return PTR_ERR(msg);
	if (weft_probe_put(msg, &e)) {
		nlmsg_free(msg);
		return -ENOMEM;
	}
	genlmsg_end(msg, head);
	return genlmsg_reply(msg, info);
}

/**
 * weft_nl_probe_del - WEFT_CMD_PROBE_DEL
 * @skb: the request
 * @info: its attributes
 *
 * Return: 0; -EINVAL: an attribute is missing; -ENODEV: no such port; -ENOENT: no such probe.
 */
int weft_nl_probe_del(struct sk_buff *skb, struct genl_info *info)
{
	struct weft_port *port;
	int err;
	u32 no;

	port = weft_nl_probe_port(info, &no);
	if (IS_ERR(port))
		return PTR_ERR(port);
	err = weft_echo_end(&port->core, no);
	weft_port_put(port);
	if (err)
		weft_probe_absent(info);
	return err;
}
