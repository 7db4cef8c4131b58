/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stand-ins for the kernel's netlink: what kernel/admin/netlink.c uses, and the check of a message
 * against a policy, as strict as the kernel's for new commands
 *
 * Include this header after stand_in.h.
 */
#ifndef WEFT_NETLINK_IN_H
#define WEFT_NETLINK_IN_H

#include <linux/genetlink.h>
#include <linux/in6.h>
#include <linux/netlink.h>

/* ---- Policies -------------------------------------------------------------------------------- */

enum { NLA_UNSPEC, NLA_U8, NLA_U16, NLA_U32, NLA_U64, NLA_NUL_STRING, NLA_BINARY, NLA_FLAG };

/**
 * struct nla_policy - what an attribute may be
 * @type: NLA_*
 * @len: most bytes, of a string without its end; 0: any
 * @ranged: @min and @max limit the number, or the length of bytes
 * @min: the least
 * @max: the most
 */
struct nla_policy {
	u8 type;
	u16 len;
	bool ranged;
	u64 min;
	u64 max;
};

#define NLA_POLICY_RANGE(t, a, b)	{ .type = (t), .ranged = true, .min = (a), .max = (b) }
#define NLA_POLICY_MIN(t, a)		NLA_POLICY_RANGE(t, a, U64_MAX)
#define NLA_POLICY_EXACT_LEN(n)		NLA_POLICY_RANGE(NLA_BINARY, n, n)

/* ---- Attributes ------------------------------------------------------------------------------ */

static inline int nla_type(const struct nlattr *a)
{
	return a->nla_type & NLA_TYPE_MASK;
}

static inline void *nla_data(const struct nlattr *a)
{
	return (u8 *)(uintptr_t)a + NLA_HDRLEN;
}

static inline int nla_len(const struct nlattr *a)
{
	return a->nla_len - NLA_HDRLEN;
}

static inline u8 nla_get_u8(const struct nlattr *a)
{
	return *(u8 *)nla_data(a);
}

static inline u16 nla_get_u16(const struct nlattr *a)
{
	return *(u16 *)nla_data(a);
}

static inline u32 nla_get_u32(const struct nlattr *a)
{
	return *(u32 *)nla_data(a);
}

static inline bool nla_get_flag(const struct nlattr *a)
{
	return a;
}

static inline u64 nla_get_u64(const struct nlattr *a)
{
	u64 x;

	memcpy(&x, nla_data(a), sizeof(x));
	return x;
}

int nla_memcpy(void *to, const struct nlattr *a, int room);
ssize_t nla_strscpy(char *to, const struct nlattr *a, size_t room);

static inline bool nla_ok(const struct nlattr *a, int left)
{
	return left >= (int)sizeof(*a) && a->nla_len >= sizeof(*a) && a->nla_len <= left;
}

static inline struct nlattr *nla_next(const struct nlattr *a, int *left)
{
	int n = NLA_ALIGN(a->nla_len);

	*left -= n;
	return (struct nlattr *)((u8 *)(uintptr_t)a + n);
}

#define nlmsg_for_each_attr(a, h, hdr, left)					\
	for (a = (struct nlattr *)((u8 *)(uintptr_t)NLMSG_DATA(h) + NLMSG_ALIGN(hdr)),	\
	     left = (int)(h)->nlmsg_len - NLMSG_HDRLEN - NLMSG_ALIGN(hdr);	\
	     nla_ok(a, left); a = nla_next(a, &(left)))

/**
 * struct netlink_ext_ack - why a request was refused
 * @msg: in words
 * @attr: the attribute concerned
 */
struct netlink_ext_ack {
	const char *msg;
	const struct nlattr *attr;
};

#define NL_SET_ERR_MSG(e, m)		((void)((e)->msg = (m)))
#define NL_SET_ERR_MSG_ATTR(e, a, m)	((void)((e)->msg = (m), (e)->attr = (a)))

/* ---- Answers --------------------------------------------------------------------------------- */

#define GENLMSG_DEFAULT_SIZE	3700

/**
 * struct sk_buff - a message that is being made
 * @len: number of bytes
 * @data: the bytes
 */
struct sk_buff {
	u32 len;
	u8 data[GENLMSG_DEFAULT_SIZE];
};

int nla_put(struct sk_buff *skb, int type, int len, const void *data);
#define nla_put_string(skb, t, s)	nla_put(skb, t, strlen(s) + 1, s)
#define nla_put_u16(skb, t, x)		nla_put(skb, t, 2, &(u16){ x })
#define nla_put_u32(skb, t, x)		nla_put(skb, t, 4, &(u32){ x })
#define nla_put_u64_64bit(skb, t, x, p)	nla_put(skb, t, 8, &(u64){ x })
#define nla_put_flag(skb, t)		nla_put(skb, t, 0, "")

static inline struct nlattr *nla_nest_start(struct sk_buff *skb, int type)
{
	struct nlattr *nest = (struct nlattr *)(skb->data + skb->len);

	return nla_put(skb, type, 0, "") ? NULL : nest;
}

static inline void nla_nest_end(struct sk_buff *skb, struct nlattr *nest)
{
	nest->nla_len = (u16)(skb->data + skb->len - (u8 *)nest);
}

/* ---- The family ------------------------------------------------------------------------------ */

struct net {
	u64 net_cookie;
	void *user_ns;
};

/* The sender of each request may do all. */
#define CAP_NET_ADMIN			12
#define netlink_ns_capable(skb, ns, c)	((void)(ns), true)

struct netlink_skb_parms {
	struct {
		kuid_t uid;
	} creds;
};

#define NETLINK_CB(skb)			((struct netlink_skb_parms){ .creds.uid = { 0 } })

/**
 * struct genl_info - a request
 * @snd_portid: who asks
 * @nlhdr: the message
 * @attrs: by type: the last attribute of it
 * @extack: for the reason
 */
struct genl_info {
	u32 snd_portid;
	struct nlmsghdr *nlhdr;
	struct nlattr **attrs;
	struct netlink_ext_ack *extack;
};

struct netlink_callback;

struct genl_ops {
	u8 cmd;
	u32 flags;
	int (*doit)(struct sk_buff *skb, struct genl_info *info);
	int (*dumpit)(struct sk_buff *skb, struct netlink_callback *cb);
	const struct nla_policy *policy;
	u32 maxattr;
};

struct genl_multicast_group {
	const char *name;
	u8 flags;
};

struct genl_family {
	const char *name;
	u32 version;
	bool netnsok;
	bool parallel_ops;
	void *module;
	const struct genl_ops *ops;
	u32 n_ops;
	const struct genl_multicast_group *mcgrps;
	u32 n_mcgrps;
	u32 resv_start_op;
};

struct net *genl_info_net(const struct genl_info *info);
#define genl_register_family(f)		((void)(f), 0)
#define genl_unregister_family(f)	((void)(f))
#define genlmsg_new(n, gfp)		((struct sk_buff *)weft_alloc_sleep(sizeof(struct sk_buff)))
#define nlmsg_data(h)			NLMSG_DATA(h)
#define genlmsg_end(skb, head)		WARN_ON((skb)->data + NLMSG_HDRLEN + GENL_HDRLEN != (head))
#define nlmsg_free(skb)			weft_free(skb)

static inline struct nlmsghdr *nlmsg_put(struct sk_buff *skb, u32 portid, u32 seq, int type,
					 int len, int flags)
{
	struct nlmsghdr *h = (struct nlmsghdr *)skb->data;

	*h = (struct nlmsghdr){ .nlmsg_type = (u16)type, .nlmsg_seq = seq, .nlmsg_pid = portid };
	skb->len = NLMSG_HDRLEN + NLMSG_ALIGN(len);
	return h;
}

static inline int genlmsg_reply(struct sk_buff *skb, struct genl_info *info)
{
	weft_free(skb);
	return 0;
}

/*
 * Check the attributes of @h against a policy. Sort them into @info->attrs, which has space for
 * @op->maxattr + 1. Return: 0, negative errno: the kernel would refuse the message.
 */
int netlink_in_parse(struct nlmsghdr *h, const struct genl_ops *op, struct genl_info *info);

/* ---- Addresses ------------------------------------------------------------------------------- */

#define IPV6_ADDR_UNICAST	1
#define IPV6_ADDR_MULTICAST	2
#define IPV6_ADDR_MAPPED	0x1000

static inline bool ipv4_is_zeronet(__be32 a)
{
	return !(be32_to_cpu(a) >> 24);
}

static inline bool ipv4_is_multicast(__be32 a)
{
	return be32_to_cpu(a) >> 28 == 0xe;
}

static inline bool ipv4_is_lbcast(__be32 a)
{
	return a == 0xffffffff;
}

/* Kinds of addresses that the code asks about, of those that the kernel knows. */
int ipv6_addr_type(const struct in6_addr *a);

#endif
