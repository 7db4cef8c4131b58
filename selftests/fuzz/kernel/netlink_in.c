// SPDX-License-Identifier: GPL-2.0-only
#include "netlink_in.h"

int nla_memcpy(void *to, const struct nlattr *a, int room)
{
	int n = min(room, nla_len(a));

	memcpy(to, nla_data(a), n);
	memset((u8 *)to + n, 0, room - n);
	return n;
}

ssize_t nla_strscpy(char *to, const struct nlattr *a, size_t room)
{
	const char *s = nla_data(a);
	size_t n = strnlen(s, nla_len(a));

	memset(to, 0, room);
	memcpy(to, s, min(n, room - 1));
	return n < room ? (ssize_t)n : -E2BIG;
}

int nla_put(struct sk_buff *skb, int type, int len, const void *data)
{
	struct nlattr a = { .nla_len = NLA_HDRLEN + len, .nla_type = type };
	u32 n = NLA_ALIGN(a.nla_len);

	if (n > sizeof(skb->data) - skb->len)
		return -EMSGSIZE;
	memcpy(skb->data + skb->len, &a, sizeof(a));
	memcpy(skb->data + skb->len + NLA_HDRLEN, data, len);
	skb->len += n;
	return 0;
}

int ipv6_addr_type(const struct in6_addr *a)
{
	static const u8 mapped[12] = { [10] = 0xff, [11] = 0xff };
	const u8 *b = (const u8 *)a;
	int i;

	if (b[0] == 0xff)
		return IPV6_ADDR_MULTICAST;
	for (i = 0; i < 16 && !b[i]; i++)
		;
	if (i == 16)
		return 0;
	return IPV6_ADDR_UNICAST | (memcmp(b, mapped, sizeof(mapped)) ? 0 : IPV6_ADDR_MAPPED);
}

static bool number_ok(const struct nla_policy *p, const struct nlattr *a, int size)
{
	u64 x = 0;

	if (nla_len(a) != size)
		return false;
	memcpy(&x, nla_data(a), size);
	return !p->ranged || (x >= p->min && x <= p->max);
}

static bool string_ok(const struct nla_policy *p, const struct nlattr *a)
{
	int n = nla_len(a);
	const char *s = nla_data(a);

	if (n < 1 || !memchr(s, 0, p->len ? min(n, p->len + 1) : n))
		return false;
	return !p->len || n - !s[n - 1] <= p->len;
}

static bool attr_ok(const struct nla_policy *p, const struct nlattr *a)
{
	if (a->nla_type & NLA_F_NESTED)
		return false;
	switch (p->type) {
	case NLA_U8:
		return number_ok(p, a, 1);
	case NLA_U16:
		return number_ok(p, a, 2);
	case NLA_U32:
		return number_ok(p, a, 4);
	case NLA_U64:
		return number_ok(p, a, 8);
	case NLA_NUL_STRING:
		return string_ok(p, a);
	case NLA_FLAG:
		return !nla_len(a);
	case NLA_BINARY:
		if (p->len && nla_len(a) > p->len)
			return false;
		return !p->ranged || ((u64)nla_len(a) >= p->min && (u64)nla_len(a) <= p->max);
	default:
		return false;
	}
}

int netlink_in_parse(struct nlmsghdr *h, const struct genl_ops *op, struct genl_info *info)
{
	const struct nlattr *a;
	int left;

	info->nlhdr = h;
	memset(info->attrs, 0, (op->maxattr + 1) * sizeof(*info->attrs));
	nlmsg_for_each_attr(a, h, GENL_HDRLEN, left) {
		u32 type = nla_type(a);

		if (!type || type > op->maxattr || !attr_ok(&op->policy[type], a))
			return -EINVAL;
		info->attrs[type] = (struct nlattr *)(uintptr_t)a;
	}
	return left > 0 ? -EINVAL : 0;
}
