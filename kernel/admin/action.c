// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft admin - what an administrator does to objects of programs
 *
 * The functions take no lock, and run in process context.
 */
#include <linux/slab.h>
#include <linux/weft_netlink.h>

#include "../port/port.h"
#include "netlink.h"

/** weft_action_policy - attributes of requests of this file */
const struct nla_policy weft_action_policy[WEFT_ATTR_PORT_FORCE + 1] = {
	[WEFT_ATTR_PORT_NAME] = WEFT_NAME_POLICY,
	[WEFT_ATTR_EP_ADDR] = NLA_POLICY_EXACT_LEN(sizeof(struct weft_sockaddr)),
	[WEFT_ATTR_PATH_ADDR] = NLA_POLICY_EXACT_LEN(sizeof(struct weft_sockaddr)),
	[WEFT_ATTR_PORT_FORCE] = { .type = NLA_FLAG },
};

/* End an object of @core with ECONNABORTED. @force: although programs use it. Return: 0, -errno. */
typedef int (*weft_end_fn)(struct weft_core *core, struct weft_sockaddr *addr, bool force,
			   struct weft_out *out);

static int weft_path_end(struct weft_core *core, struct weft_sockaddr *addr, bool force,
			 struct weft_out *out)
{
	addr->port = 0;
	return weft_core_path_end(core, addr, force, ECONNABORTED, weft_now(), out);
}

static int weft_ep_end(struct weft_core *core, struct weft_sockaddr *addr, bool force,
		       struct weft_out *out)
{
	return weft_core_ep_end(core, addr, force, ECONNABORTED, weft_now(), out);
}

/*
 * End the object whose address is the attribute @attr. Return: as @end; -EINVAL: an attribute is
 * missing; -ENODEV, -ENOMEM.
 */
static int weft_action(struct genl_info *info, int attr, weft_end_fn end)
{
	struct weft_sockaddr addr;
	struct weft_port *port;
	struct weft_out *out;
	int err = -ENOMEM;

	if (!info->attrs[WEFT_ATTR_PORT_NAME] || !info->attrs[attr]) {
		NL_SET_ERR_MSG(info->extack, "a port and an address have to name the object");
		return -EINVAL;
	}
	port = weft_nl_port(info);
	if (!port)
		return -ENODEV;
	out = kvmalloc(sizeof(*out), GFP_KERNEL);
	if (out) {
		weft_out_init(out, &port->core);
		nla_memcpy(&addr, info->attrs[attr], sizeof(addr));
		err = end(&port->core, &addr, info->attrs[WEFT_ATTR_PORT_FORCE], out);
		weft_flush(out);
		kvfree(out);
	}
	weft_port_put(port);
	return err;
}

/**
 * weft_nl_path_del - WEFT_CMD_PATH_DEL
 * @skb: the request
 * @info: its attributes
 *
 * Operations under way fail with ECONNABORTED here, and with ECONNRESET at the peer.
 *
 * Return: 0; -EINVAL: an attribute is missing; -ENODEV: no such port; -ENOENT: no such path;
 * -EBUSY: flows use it; -ENOMEM.
 */
int weft_nl_path_del(struct sk_buff *skb, struct genl_info *info)
{
	int err = weft_action(info, WEFT_ATTR_PATH_ADDR, weft_path_end);

	if (err == -ENOENT)
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[WEFT_ATTR_PATH_ADDR],
				    "the port has no path to this node; see 'path show'");
	else if (err == -EBUSY)
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[WEFT_ATTR_PATH_ADDR],
				    "programs use the path; with 'force' their operations fail");
	return err;
}

/**
 * weft_nl_ep_kill - WEFT_CMD_EP_KILL
 * @skb: the request
 * @info: its attributes
 *
 * Its operations fail with ECONNABORTED. Peers see that the endpoint has gone.
 *
 * Return: 0; -EINVAL: an attribute is missing; -ENODEV: no such port; -ENOENT: no such endpoint;
 * -EBUSY: a program uses it; -EALREADY: it is in error; -ENOMEM.
 */
int weft_nl_ep_kill(struct sk_buff *skb, struct genl_info *info)
{
	int err = weft_action(info, WEFT_ATTR_EP_ADDR, weft_ep_end);

	if (err == -ENOENT)
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[WEFT_ATTR_EP_ADDR],
				    "the port has no such endpoint; see 'ep show'");
	else if (err == -EBUSY)
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[WEFT_ATTR_EP_ADDR],
				    "a program uses it; with 'force' its operations fail");
	else if (err == -EALREADY)
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[WEFT_ATTR_EP_ADDR],
				    "the endpoint is in error: its program has to close it");
	return err;
}
