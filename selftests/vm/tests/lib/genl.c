// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include "genl.h"

static int sock = -1;
static __u16 family;

void genl_close(void)
{
	if (sock >= 0)
		close(sock);
	sock = -1;
}

void genl_begin(struct genl_request *r, __u16 flags, __u8 cmd)
{
	memset(r, 0, sizeof(*r));
	r->h.nlmsg_len = sizeof(r->h) + sizeof(r->g);
	r->h.nlmsg_type = family;
	r->h.nlmsg_flags = NLM_F_REQUEST | flags;
	r->g.cmd = cmd;
	r->g.version = WEFT_GENL_VERSION;
}

void genl_put(struct genl_request *r, __u16 type, const void *data, size_t len)
{
	struct nlattr *a = (void *)((char *)r + r->h.nlmsg_len);

	if (r->h.nlmsg_len + NLA_HDRLEN + NLA_ALIGN(len) > sizeof(*r))
		return;
	a->nla_type = type;
	a->nla_len = NLA_HDRLEN + len;
	memcpy((char *)a + NLA_HDRLEN, data, len);
	r->h.nlmsg_len += NLA_HDRLEN + NLA_ALIGN(len);
}

void genl_put_text(struct genl_request *r, __u16 type, const char *text)
{
	genl_put(r, type, text, strlen(text) + 1);
}

int genl_send(const struct genl_request *r)
{
	return send(sock, r, r->h.nlmsg_len, 0) < 0 ? errno : 0;
}

int genl_ask(const struct genl_request *r, bool patient)
{
	static _Alignas(8) char buf[65536];
	int err = genl_send(r);
	struct nlmsghdr *h;
	unsigned int n;
	ssize_t got;

	if (err)
		return err;
	for (;;) {
		got = recv(sock, buf, sizeof(buf), patient ? 0 : MSG_DONTWAIT);
		if (got <= 0)
			return patient ? ETIMEDOUT : 0;
		n = (unsigned int)got;
		for (h = (void *)buf; NLMSG_OK(h, n); h = NLMSG_NEXT(h, n)) {
			/* both begin with a negative errno */
			if (h->nlmsg_type == NLMSG_ERROR || h->nlmsg_type == NLMSG_DONE) {
				memcpy(&err, NLMSG_DATA(h), sizeof(err));
				return -err;
			}
			if (!(h->nlmsg_flags & NLM_F_MULTI) && !(r->h.nlmsg_flags & NLM_F_ACK))
				return 0;
		}
	}
}

static bool family_find(void)
{
	struct genl_request r;
	char buf[4096], *p;
	ssize_t n;

	genl_begin(&r, 0, CTRL_CMD_GETFAMILY);
	r.h.nlmsg_type = GENL_ID_CTRL;
	genl_put_text(&r, CTRL_ATTR_FAMILY_NAME, WEFT_GENL_NAME);
	if (genl_send(&r))
		return false;
	n = recv(sock, buf, sizeof(buf), 0);
	for (p = buf + sizeof(r.h) + sizeof(r.g); p + NLA_HDRLEN < buf + n;) {
		struct nlattr a;

		memcpy(&a, p, sizeof(a));
		if (a.nla_type == CTRL_ATTR_FAMILY_ID)
			memcpy(&family, p + NLA_HDRLEN, sizeof(family));
		p += NLA_ALIGN(a.nla_len);
	}
	return family;
}

bool genl_open(void)
{
	const struct timeval patience = { .tv_sec = 20 };
	struct sockaddr_nl a = { .nl_family = AF_NETLINK };

	genl_close();
	sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	return sock >= 0 && !bind(sock, (void *)&a, sizeof(a)) &&
	       !setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) &&
	       family_find();
}
