/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft admin - declarations for netlink.c, dump.c and job.c
 */
#ifndef WEFT_ADMIN_NETLINK_H
#define WEFT_ADMIN_NETLINK_H

#include <linux/netlink.h>
#include <linux/weft_netlink.h>
#include <net/genetlink.h>

struct weft_port;

extern struct genl_family weft_family;

int weft_nl_port_put(struct sk_buff *skb, struct weft_port *port);

int weft_nl_dump(struct sk_buff *skb, struct netlink_callback *cb);

/* ---- job.c ----------------------------------------------------------------------------------- */

extern const struct nla_policy weft_job_policy[WEFT_ATTR_JOB_ALL + 1];

int weft_nl_job_add(struct sk_buff *skb, struct genl_info *info);
int weft_nl_job_set(struct sk_buff *skb, struct genl_info *info);
int weft_nl_job_del(struct sk_buff *skb, struct genl_info *info);

#endif
