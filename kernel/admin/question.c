// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft admin - questions to other nodes: what does the program of an endpoint there do?
 *
 * As probe.c explains, QUESTION_ADD begins a question, and QUESTION_GET reads the answer. Users ask
 * for their own endpoints, with CAP_NET_ADMIN for all.
 *
 * The functions take no lock, and run in process context.
 */
#include <linux/weft_netlink.h>
#include <net/sock.h>

#include "../port/port.h"
#include "netlink.h"

/** weft_question_policy - attributes of requests of this file */
const struct nla_policy weft_question_policy[WEFT_ATTR_PROBE_NO + 1] = {
	[WEFT_ATTR_PORT_NAME] = WEFT_NAME_POLICY,
	[WEFT_ATTR_EP_ADDR] = NLA_POLICY_EXACT_LEN(sizeof(struct weft_sockaddr)),
	[WEFT_ATTR_EP_PEER] = NLA_POLICY_EXACT_LEN(sizeof(struct weft_sockaddr)),
	[WEFT_ATTR_PROBE_NO] = { .type = NLA_U32 },
};

/* The user that asks, WEFT_NOTE_NO_UID: one with CAP_NET_ADMIN. */
static u32 weft_question_uid(struct sk_buff *skb, struct genl_info *info)
{
	if (netlink_ns_capable(skb, genl_info_net(info)->user_ns, CAP_NET_ADMIN))
		return WEFT_NOTE_NO_UID;
	return __kuid_val(NETLINK_CB(skb).creds.uid);
}

/* What QUESTION_ADD asks */
struct weft_question_asked {
	struct weft_sockaddr ep;
	struct weft_sockaddr peer;
	u32 uid;
};

static int weft_question_begin(struct weft_core *core, const void *arg, struct weft_out *out,
			       u32 *no)
{
	const struct weft_question_asked *asked = arg;

	return weft_question_start(core, &asked->ep, &asked->peer, asked->uid, weft_now(), out, no);
}

/**
 * weft_nl_question_add - WEFT_CMD_QUESTION_ADD
 * @skb: the request
 * @info: its attributes
 *
 * Return: 0: it is under way; -EINVAL, -EAFNOSUPPORT: an attribute is missing or wrong; -ENODEV: no
 * such port; -ENOENT: no such endpoint of the user; -EBUSY: the path is being probed; -EUSERS: too
 * many probes; -ENOMEM; or why no path can be made.
 */
int weft_nl_question_add(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *ep = info->attrs[WEFT_ATTR_EP_ADDR];
	const struct nlattr *peer = info->attrs[WEFT_ATTR_EP_PEER];
	struct weft_question_asked asked;
	int err;

	if (!info->attrs[WEFT_ATTR_PORT_NAME] || !ep || !peer) {
		NL_SET_ERR_MSG(info->extack, "say which endpoint of which port asks about which");
		return -EINVAL;
	}
	err = weft_nl_ep_addr(&asked.ep, ep, info->extack);
	if (!err)
		err = weft_nl_ep_addr(&asked.peer, peer, info->extack);
	if (err)
		return err;
	asked.uid = weft_question_uid(skb, info);
	return weft_nl_probe_begin(info, WEFT_CMD_QUESTION_ADD, peer, weft_question_begin, &asked);
}

/* Put one kind of objects of an answer. Return: true: no space. */
static bool weft_question_held(struct sk_buff *skb, int attr, const struct weft_held *held,
			       const struct weft_sockaddr *from)
{
	struct nlattr *nest;

	if (!held->n)
		return false;
	nest = nla_nest_start(skb, attr);
	if (!nest ||
	    nla_put_u32(skb, WEFT_ATTR_ANSWER_COUNT, held->n) ||
	    weft_nl_u64(skb, WEFT_ATTR_AGE, (u64)held->ms * NSEC_PER_MSEC) ||
	    (held->least && nla_put_flag(skb, WEFT_ATTR_AGE_LEAST)) ||
	    nla_put_string(skb, WEFT_ATTR_KIND, held->tagged ? "tagged" : "untagged") ||
	    (held->tagged && weft_nl_u64(skb, WEFT_ATTR_TAG, held->tag)) ||
	    (held->ignore && weft_nl_u64(skb, WEFT_ATTR_IGNORE, held->ignore)) ||
	    (attr == WEFT_ATTR_ANSWER_SEND &&
	     nla_put_string(skb, WEFT_ATTR_FOR, weft_nl_for(held->waits))) ||
	    (held->named && from && nla_put(skb, WEFT_ATTR_FROM, sizeof(*from), from)))
		return true;
	nla_nest_end(skb, nest);
	return false;
}

/* Put an answer. Return: true: no space. */
static bool weft_question_answer(struct sk_buff *skb, const struct weft_answer *a)
{
	static const char * const words[] = {
		[WEFT_ANSWER_OK] = "answered",
		[WEFT_ANSWER_OFF] = "off",
		[WEFT_ANSWER_NONE] = "none",
	};
	const char program[2] = { a->program };

	if (nla_put_string(skb, WEFT_ATTR_ANSWER_STATUS,
			   a->status < ARRAY_SIZE(words) ? words[a->status] : "unknown"))
		return true;
	if (a->status != WEFT_ANSWER_OK)
		return false;
	return (a->program && nla_put_string(skb, WEFT_ATTR_ANSWER_PROGRAM, program)) ||
	       nla_put_u32(skb, WEFT_ATTR_PID, a->pid) ||
	       nla_put_string(skb, WEFT_ATTR_COMM, a->comm) ||
	       (a->full && nla_put_u32(skb, WEFT_ATTR_ANSWER_FULL, a->full)) ||
	       weft_question_held(skb, WEFT_ATTR_ANSWER_RECV, &a->recv, NULL) ||
	       weft_question_held(skb, WEFT_ATTR_ANSWER_MSG, &a->msg, NULL) ||
	       weft_question_held(skb, WEFT_ATTR_ANSWER_SEND, &a->send, NULL) ||
	       weft_question_held(skb, WEFT_ATTR_ANSWER_WAIT, &a->wait, &a->peer);
}

/**
 * weft_nl_question_get - WEFT_CMD_QUESTION_GET
 * @skb: the request
 * @info: its attributes
 *
 * An answer is read once.
 *
 * Return: 0; -EINVAL: an attribute is missing; -ENODEV: no such port; -ENOENT: no such question of
 * the user; -ENOMEM.
 */
int weft_nl_question_get(struct sk_buff *skb, struct genl_info *info)
{
	struct weft_question_info q;
	struct weft_port *port;
	struct sk_buff *msg;
	void *head;
	int err;
	u32 no;

	port = weft_nl_probe_port(info, &no);
	if (IS_ERR(port))
		return PTR_ERR(port);
	err = weft_question_look(&port->core, no, weft_question_uid(skb, info), weft_now(), &q);
	weft_port_put(port);
	msg = weft_nl_probe_reply(info, WEFT_CMD_QUESTION_GET, err, &head);
	if (IS_ERR(msg))
		return PTR_ERR(msg);
	if (weft_nl_probe_state(msg, q.state, q.err) ||
	    (q.state == WEFT_ECHOS_OVER && !q.err && weft_question_answer(msg, &q.answer))) {
		nlmsg_free(msg);
		return -ENOMEM;
	}
	genlmsg_end(msg, head);
	return genlmsg_reply(msg, info);
}
