// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The generic netlink family "weft": requests, answers, and error messages.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/netlink.h>
#include <netlink/netlink.h>
#include <netlink/genl/genl.h>
#include <netlink/genl/ctrl.h>

#include "weftctl.h"

static struct nl_sock *sock;
static int family;

/* A request in progress */
struct exchange {
	answer_fn answer;
	const void *arg;
	bool done;
	int err;		/* negative errno */
	char msg[256];		/* the kernel's error message, may be empty */
	uint32_t at;		/* offset in the request of what is wrong, 0: not known */
};

static int connect_family(void)
{
	int one = 1;
	int ret;

	sock = nl_socket_alloc();
	if (!sock) {
		complain("out of memory");
		return -1;
	}
	ret = genl_connect(sock);
	if (ret < 0) {
		complain("cannot open a netlink socket: %s", nl_geterror(ret));
		return -1;
	}
	/* Without these options the kernel's messages are shorter; that is no error. */
	setsockopt(nl_socket_get_fd(sock), SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(nl_socket_get_fd(sock), SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one));

	/* the kernel loads the module for this request, if it finds the module */
	family = genl_ctrl_resolve(sock, WEFT_GENL_NAME);
	if (family < 0) {
		complain("the module is not loaded: \"modprobe weft\" says why, \"insmod weft.ko\" "
			 "loads one that is not installed");
		return -1;
	}
	return 0;
}

int find_family(void)
{
	return sock ? 0 : connect_family();
}

void netlink_forget(void)
{
	nl_socket_free(sock);
	sock = NULL;
}

struct nl_msg *request(uint8_t cmd, bool dump)
{
	struct nl_msg *msg;

	if (find_family())
		return NULL;
	msg = nlmsg_alloc();
	if (!msg || !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0,
				 dump ? NLM_F_DUMP : NLM_F_ACK, cmd, WEFT_GENL_VERSION)) {
		complain("out of memory");
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

/* Copy the kernel's message at offset @skip in the payload of an error or a DONE. */
static void keep_words(struct exchange *x, struct nlmsghdr *nlh, size_t skip)
{
	struct nlattr *attrs = (struct nlattr *)((char *)nlmsg_data(nlh) + NLMSG_ALIGN(skip));
	int len = nlmsg_datalen(nlh) - (int)NLMSG_ALIGN(skip);
	struct nlattr *attr;

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS) || len <= 0)
		return;
	attr = nla_find(attrs, len, NLMSGERR_ATTR_MSG);
	if (attr)
		nla_strlcpy(x->msg, attr, sizeof(x->msg));
	attr = nla_find(attrs, len, NLMSGERR_ATTR_OFFS);
	if (attr)
		x->at = nla_get_u32(attr);
}

void copy_name(char *name, size_t size, const struct nlattr *attr)
{
	char *c;

	name[0] = 0;
	if (attr)
		nla_strlcpy(name, attr, size);
	for (c = name; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *err, void *arg)
{
	struct nlmsghdr *nlh = (struct nlmsghdr *)err - 1;
	size_t skip = sizeof(*err);
	struct exchange *x = arg;

	(void)from;
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		skip += err->msg.nlmsg_len - sizeof(err->msg);
	keep_words(x, nlh, skip);
	x->err = err->error;
	x->done = true;
	return NL_STOP;
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	struct exchange *x = arg;

	(void)msg;
	x->done = true;
	return NL_STOP;
}

static int on_finish(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *nlh = nlmsg_hdr(msg);
	struct exchange *x = arg;

	if ((size_t)nlmsg_datalen(nlh) >= sizeof(int)) {
		memcpy(&x->err, nlmsg_data(nlh), sizeof(int));
		keep_words(x, nlh, sizeof(int));
	}
	x->done = true;
	return NL_STOP;
}

static int on_valid(struct nl_msg *msg, void *arg)
{
	struct genlmsghdr *hdr = nlmsg_data(nlmsg_hdr(msg));
	struct exchange *x = arg;

	if (x->answer)
		x->answer(genlmsg_attrdata(hdr, 0), genlmsg_attrlen(hdr, 0), x->arg);
	return NL_OK;
}

static int receive(struct exchange *x)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int ret = 0;

	if (!cb)
		return -NLE_NOMEM;
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, x);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, x);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_finish, x);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, x);
	while (!x->done && ret >= 0)
		ret = nl_recvmsgs(sock, cb);
	nl_cb_put(cb);
	return x->done && ret != -NLE_DUMP_INTR ? 0 : ret;
}

/* Print an error: the kernel's message, or the usual meaning of the errno. */
static const char *explain(const struct exchange *x)
{
	if (x->msg[0])
		return x->msg;
	if (x->err == -EPERM)
		return "not permitted: run it as root (it needs CAP_NET_ADMIN)";
	return strerror(-x->err);
}

/* Send a request and pass its answers on. Return: 0, or a negative NLE_* */
static int exchange(struct nl_msg *msg, struct exchange *x)
{
	int ret = nl_send_auto(sock, msg);

	return ret >= 0 ? receive(x) : ret;
}

int perform_quietly(struct nl_msg *msg, answer_fn answer, const void *arg)
{
	struct exchange x = { .answer = answer, .arg = arg };
	int ret = exchange(msg, &x);

	nlmsg_free(msg);
	return ret < 0 ? -EIO : x.err;
}

int ask_quietly(uint8_t cmd, const char *port, answer_fn answer, const void *arg)
{
	struct nl_msg *msg = request(cmd, true);

	if (!msg)
		return -1;
	if (port)
		nla_put_string(msg, WEFT_ATTR_PORT_NAME, port);
	return perform_quietly(msg, answer, arg) ? -1 : 0;
}

/* The attribute of a request at an offset from its header, NULL: none */
static const struct nlattr *attr_at(struct nl_msg *msg, uint32_t at)
{
	struct genlmsghdr *hdr = nlmsg_data(nlmsg_hdr(msg));
	struct nlattr *attr;
	int rem;

	nla_for_each_attr(attr, genlmsg_attrdata(hdr, 0), genlmsg_attrlen(hdr, 0), rem)
		if ((char *)attr - (char *)nlmsg_hdr(msg) == at)
			return attr;
	return NULL;
}

int perform(struct nl_msg *msg, answer_fn answer, const void *arg, const char *what,
	    const char *name)
{
	struct genlmsghdr *hdr = nlmsg_data(nlmsg_hdr(msg));
	struct exchange x = { .answer = answer, .arg = arg };
	int ret = exchange(msg, &x);

	if (ret == -NLE_DUMP_INTR) {
		complain("%s: the list changed while it was read, it may be incomplete", what);
		ret = 0;
	}
	if (ret >= 0 && !x.err) {
		nlmsg_free(msg);
		return 0;
	}
	if (ret < 0)
		complain("%s%s%s: %s", what, name ? " " : "", name ? name : "", nl_geterror(ret));
	else
		complain_refused(what, name, explain(&x), attr_at(msg, x.at),
				 genlmsg_attrdata(hdr, 0), genlmsg_attrlen(hdr, 0));
	nlmsg_free(msg);
	errno = -x.err;
	return EXIT_KERNEL;
}

/* What collect() passes to keep() */
struct collecting {
	bool (*wanted)(struct nlattr *attrs, int len, const void *arg);
	const void *arg;
	struct answers *to;
};

static bool more_room(struct answers *to)
{
	size_t room = to->room ? 2 * to->room : 64;
	struct answer *all;

	if (to->n < to->room)
		return true;
	all = realloc(to->all, room * sizeof(*all));
	if (!all)
		return false;
	to->all = all;
	to->room = room;
	return true;
}

static void keep(struct nlattr *attrs, int len, const void *arg)
{
	const struct collecting *c = arg;
	struct answers *to = c->to;
	struct answer *one;

	if (c->wanted && !c->wanted(attrs, len, c->arg))
		return;
	one = more_room(to) ? &to->all[to->n] : NULL;
	if (one)
		one->attrs = malloc(len);
	if (!one || !one->attrs) {
		to->short_of_memory = true;
		return;
	}
	memcpy(one->attrs, attrs, len);
	one->len = len;
	to->n++;
}

int collect(uint8_t cmd, const char *what, const char *port,
	    bool (*wanted)(struct nlattr *attrs, int len, const void *arg), const void *arg,
	    struct answers *to)
{
	struct collecting c = { wanted, arg, to };
	struct nl_msg *msg = request(cmd, true);
	int ret;

	if (!msg)
		return EXIT_KERNEL;
	if (port)
		nla_put_string(msg, WEFT_ATTR_PORT_NAME, port);
	ret = perform(msg, keep, &c, what, port);
	if (to->short_of_memory) {
		complain("%s: out of memory, the list is not complete", what);
		ret = EXIT_KERNEL;
	}
	return ret;
}

void release(struct answers *answers)
{
	size_t i;

	for (i = 0; i < answers->n; i++)
		free(answers->all[i].attrs);
	free(answers->all);
	memset(answers, 0, sizeof(*answers));
}
