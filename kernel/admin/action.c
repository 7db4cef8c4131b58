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
	[WEFT_ATTR_PATH_ADDR] = NLA_POLICY_EXACT_LEN(sizeof(struct weft_sockaddr)),
	[WEFT_ATTR_PORT_FORCE] = { .type = NLA_FLAG },
};

static int weft_path_end(struct weft_port *port, const struct genl_info *info)
{
	struct weft_out *out = kvmalloc(sizeof(*out), GFP_KERNEL);
	struct weft_sockaddr addr;
	int err;

	if (!out)
		return -ENOMEM;
	weft_out_init(out, &port->core);
	nla_memcpy(&addr, info->attrs[WEFT_ATTR_PATH_ADDR], sizeof(addr));
	addr.port = 0;
	err = weft_core_path_end(&port->core, &addr, info->attrs[WEFT_ATTR_PORT_FORCE],
				 ECONNABORTED, weft_now(), out);
	weft_flush(out);
	kvfree(out);
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
	struct weft_port *port;
	int err;

	if (!info->attrs[WEFT_ATTR_PORT_NAME] || !info->attrs[WEFT_ATTR_PATH_ADDR]) {
		NL_SET_ERR_MSG(info->extack, "say which path of which port is to be deleted");
		return -EINVAL;
	}
	port = weft_port_find(genl_info_net(info), nla_data(info->attrs[WEFT_ATTR_PORT_NAME]),
			      info->extack);
	if (!port)
		return -ENODEV;
	err = weft_path_end(port, info);
	weft_port_put(port);
	if (err == -ENOENT)
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[WEFT_ATTR_PATH_ADDR],
				    "the port has no path to this node; see 'path show'");
	else if (err == -EBUSY)
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[WEFT_ATTR_PATH_ADDR],
				    "programs use the path; with 'force' their operations fail");
	return err;
}
