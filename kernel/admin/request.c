// SPDX-License-Identifier: GPL-2.0-only
/*
 * weft admin - what requests for one object have in common: addresses, and the begin of the answer
 *
 * The functions take no lock, and run in process context.
 */
#include <linux/in6.h>
#include <linux/string.h>
#include <net/ipv6.h>

#include "netlink.h"

/* ---- Addresses ------------------------------------------------------------------------------- */

static bool weft_addr4_ok(const struct weft_sockaddr *a)
{
	__be32 ip;

	memcpy(&ip, a->addr, sizeof(ip));
	return !memchr_inv(a->addr + sizeof(ip), 0, sizeof(a->addr) - sizeof(ip)) && !a->scope &&
	       !ipv4_is_zeronet(ip) && !ipv4_is_multicast(ip) && !ipv4_is_lbcast(ip);
}

static bool weft_addr6_ok(const struct weft_sockaddr *a)
{
	struct in6_addr ip;
	int type;

	memcpy(&ip, a->addr, sizeof(ip));
	type = ipv6_addr_type(&ip);
	return type & IPV6_ADDR_UNICAST && !(type & IPV6_ADDR_MAPPED);
}

static int weft_nl_unicast(struct weft_sockaddr *a, const struct nlattr *attr,
			   struct netlink_ext_ack *extack)
{
	nla_memcpy(a, attr, sizeof(*a));
	if (a->family != AF_INET && a->family != AF_INET6) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "an address is an IPv4 or an IPv6 address");
		return -EAFNOSUPPORT;
	}
	if (a->family == AF_INET ? !weft_addr4_ok(a) : !weft_addr6_ok(a)) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "this is not the address of one node; name a unicast address");
		return -EINVAL;
	}
	return 0;
}

/**
 * weft_nl_addr - parse the address of a port or a node
 * @a: out: the address, unicast
 * @attr: the attribute, whose length the policy has checked
 * @extack: receives the reason of a failure
 *
 * Return: 0, -EAFNOSUPPORT, -EINVAL.
 */
int weft_nl_addr(struct weft_sockaddr *a, const struct nlattr *attr,
		 struct netlink_ext_ack *extack)
{
	int err = weft_nl_unicast(a, attr, extack);

	if (!err && a->port) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "an address of a port has no service number; leave it 0");
		return -EINVAL;
	}
	return err;
}

/**
 * weft_nl_ep_addr - parse the address of an endpoint
 * @a: out: the address, unicast, with a service
 * @attr: the attribute, whose length the policy has checked
 * @extack: receives the reason of a failure
 *
 * Return: 0, -EAFNOSUPPORT, -EINVAL.
 */
int weft_nl_ep_addr(struct weft_sockaddr *a, const struct nlattr *attr,
		    struct netlink_ext_ack *extack)
{
	int err = weft_nl_unicast(a, attr, extack);

	if (!err && !a->port) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "an address of an endpoint has a service");
		return -EINVAL;
	}
	return err;
}

/* ---- Answers --------------------------------------------------------------------------------- */

/**
 * weft_nl_head - begin a message of the family, without a reference to it
 * @skb: answer
 * @portid: the caller's socket
 * @asked: the request's header: its number and type
 * @flags: NLM_F_*
 * @cmd: WEFT_CMD_*
 *
 * Return: for genlmsg_end() or genlmsg_cancel(); NULL: no space.
 */
void *weft_nl_head(struct sk_buff *skb, u32 portid, const struct nlmsghdr *asked, int flags,
		   u8 cmd)
{
	struct genlmsghdr *hdr;
	struct nlmsghdr *nlh;

	nlh = nlmsg_put(skb, portid, asked->nlmsg_seq, asked->nlmsg_type, GENL_HDRLEN, flags);
	if (!nlh)
		return NULL;
	hdr = nlmsg_data(nlh);
	*hdr = (struct genlmsghdr){ .cmd = cmd, .version = WEFT_GENL_VERSION };
	return (u8 *)hdr + GENL_HDRLEN;
}

/**
 * weft_nl_reply - begin the answer to a request for one object
 * @info: the request
 * @cmd: WEFT_CMD_* of the answer
 * @head: out: for genlmsg_end()
 *
 * Context: process.
 * Return: the answer, NULL: no memory.
 */
struct sk_buff *weft_nl_reply(struct genl_info *info, u8 cmd, void **head)
{
	struct sk_buff *msg = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);

	*head = msg ? weft_nl_head(msg, info->snd_portid, info->nlhdr, 0, cmd) : NULL;
	if (*head)
		return msg;
	nlmsg_free(msg);
	return NULL;
}
