/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft admin - declarations for netlink.c, request.c, dump.c, answer.c, objects.c, action.c,
 * probe.c, question.c, waits.c, underway.c, event.c and job.c
 */
#ifndef WEFT_ADMIN_NETLINK_H
#define WEFT_ADMIN_NETLINK_H

#include <linux/netlink.h>
#include <linux/weft_netlink.h>
#include <net/genetlink.h>

#include "../port/port.h"

struct weft_dev_ctx;
struct weft_near_info;

extern struct genl_family weft_family;

/* of an attribute that is a port's name, or a word */
#define WEFT_NAME_POLICY	{ .type = NLA_NUL_STRING, .len = WEFT_NAME_MAX - 1 }

/* Put a number of 64 bits, aligned. Return: 0, -EMSGSIZE. */
static inline int weft_nl_u64(struct sk_buff *skb, int attr, u64 value)
{
	return nla_put_u64_64bit(skb, attr, value, WEFT_ATTR_PAD);
}

/**
 * weft_nl_port - find the port that a request names
 * @info: the request, with WEFT_ATTR_PORT_NAME
 *
 * Return: the port, referenced; NULL: there is none, and the extended acknowledgement says so.
 */
static inline struct weft_port *weft_nl_port(struct genl_info *info)
{
	return weft_port_find(genl_info_net(info), nla_data(info->attrs[WEFT_ATTR_PORT_NAME]),
			      info->extack);
}

int weft_nl_port_put(struct sk_buff *skb, struct weft_port *port);

/* ---- request.c ------------------------------------------------------------------------------- */

int weft_nl_addr(struct weft_sockaddr *a, const struct nlattr *attr,
		 struct netlink_ext_ack *extack);
int weft_nl_ep_addr(struct weft_sockaddr *a, const struct nlattr *attr,
		    struct netlink_ext_ack *extack);
void *weft_nl_head(struct sk_buff *skb, u32 portid, const struct nlmsghdr *asked, int flags,
		   u8 cmd);
struct sk_buff *weft_nl_reply(struct genl_info *info, u8 cmd, void **head);

/* ---- dump.c ---------------------------------------------------------------------------------- */

/**
 * struct weft_dump - position of a dump
 * @pos: position in the port
 * @of: waits.c: context and handle of an object in the port
 * @in: position in that object
 * @send: underway.c: position on a path
 * @flows_in: among the incoming flows of that path, which follow the outgoing ones
 * @port: number of the port in the namespace
 * @found: a port was found
 */
struct weft_dump {
	u64 pos;
	union {
		struct {
			u64 of;
			u64 in;
		};
		struct {
			struct weft_send_pos send;
			bool flows_in;
		};
	};
	u32 port;
	bool found;
};

int weft_nl_dump(struct sk_buff *skb, struct netlink_callback *cb);

/* ---- answer.c -------------------------------------------------------------------------------- */

void *weft_nl_begin(struct sk_buff *skb, struct netlink_callback *cb);
bool weft_nl_visible(struct netlink_callback *cb, kuid_t uid);
u32 weft_nl_uid(struct netlink_callback *cb, u32 uid);
bool weft_nl_owner_put(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port,
		       const struct weft_dev_ctx *ctx);
bool weft_nl_near_put(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port,
		      const struct weft_near_info *near);

/* ---- objects.c ------------------------------------------------------------------------------- */

int weft_nl_conn(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port,
		 u64 *pos);
int weft_nl_cq(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port, u64 *pos);
int weft_nl_srq(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port,
		u64 *pos);
int weft_nl_mr(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port, u64 *pos);

/* ---- action.c -------------------------------------------------------------------------------- */

extern const struct nla_policy weft_action_policy[WEFT_ATTR_PORT_FORCE + 1];

int weft_nl_path_del(struct sk_buff *skb, struct genl_info *info);
int weft_nl_ep_kill(struct sk_buff *skb, struct genl_info *info);

/* ---- probe.c --------------------------------------------------------------------------------- */

extern const struct nla_policy weft_probe_policy[WEFT_ATTR_PROBE_SIZE + 1];

int weft_nl_probe_add(struct sk_buff *skb, struct genl_info *info);
int weft_nl_probe_get(struct sk_buff *skb, struct genl_info *info);
int weft_nl_probe_del(struct sk_buff *skb, struct genl_info *info);

/* Begin a probe or a question. *@no: out: its number. Return: 0, or a negative errno. */
typedef int (*weft_probe_fn)(struct weft_core *core, const void *arg, struct weft_out *out,
			     u32 *no);

int weft_nl_probe_begin(struct genl_info *info, u8 cmd, const struct nlattr *addr,
			weft_probe_fn begin, const void *arg);
bool weft_nl_probe_state(struct sk_buff *skb, u32 state, u32 err);
struct weft_port *weft_nl_probe_port(struct genl_info *info, u32 *no);
struct sk_buff *weft_nl_probe_reply(struct genl_info *info, u8 cmd, int err, void **head);

/* ---- question.c ------------------------------------------------------------------------------ */

extern const struct nla_policy weft_question_policy[WEFT_ATTR_PROBE_NO + 1];

int weft_nl_question_add(struct sk_buff *skb, struct genl_info *info);
int weft_nl_question_get(struct sk_buff *skb, struct genl_info *info);

/* ---- waits.c --------------------------------------------------------------------------------- */

int weft_nl_waits(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port,
		  struct weft_dump *dump);

/* ---- underway.c ------------------------------------------------------------------------------ */

const char *weft_nl_for(u8 waits);
int weft_nl_underway(struct sk_buff *skb, struct netlink_callback *cb, struct weft_port *port,
		     struct weft_dump *dump);

/* ---- event.c --------------------------------------------------------------------------------- */

extern const struct genl_multicast_group weft_event_groups[1];

int weft_nl_events(struct sk_buff *skb, struct netlink_callback *cb);
void weft_events_switch(bool on);

/* ---- job.c ----------------------------------------------------------------------------------- */

extern const struct nla_policy weft_job_policy[WEFT_ATTR_JOB_ALL + 1];

int weft_nl_job_add(struct sk_buff *skb, struct genl_info *info);
int weft_nl_job_set(struct sk_buff *skb, struct genl_info *info);
int weft_nl_job_del(struct sk_buff *skb, struct genl_info *info);

#endif
