// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What waits: posted receives, and messages that no receive has taken. They are shown by age, the
 * oldest first, and can be filtered.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "weftctl.h"

static const struct field recv_fields[] = {
	{ WEFT_ATTR_PORT_NAME, STR, OUT_LEAD, "port" },
	{ WEFT_ATTR_KIND, STR, OUT_BARE, "kind" },
	{ WEFT_ATTR_TAG, HEX, OUT_KEY, "tag" },
	{ WEFT_ATTR_IGNORE, HEX, OUT_KEY, "ignore" },
	{ WEFT_ATTR_FROM, ADDR, OUT_KEY, "from" },
	{ WEFT_ATTR_LEN, UINT, OUT_KEY, "len" },
	{ WEFT_ATTR_AGE, MS, OUT_KEY, "age_ms" },
	{ WEFT_ATTR_EP_ADDR, ADDR, OUT_KEY, "ep" },
	{ WEFT_ATTR_SRQ, UINT, OUT_KEY, "srq" },
	{ WEFT_ATTR_BUF, HEX, OUT_KEY, "buf" },
	{ WEFT_ATTR_CTX_ID, UINT, OUT_KEY, "ctx" },
	{ WEFT_ATTR_UID, UINT, OUT_KEY, "uid" },
	{ WEFT_ATTR_PID, UINT, OUT_KEY, "pid" },
	{ WEFT_ATTR_COMM, STR, OUT_KEY, "comm" },
	{ 0 }
};

static const struct field msg_fields[] = {
	{ WEFT_ATTR_PORT_NAME, STR, OUT_LEAD, "port" },
	{ WEFT_ATTR_KIND, STR, OUT_BARE, "kind" },
	{ WEFT_ATTR_TAG, HEX, OUT_KEY, "tag" },
	{ WEFT_ATTR_FROM, ADDR, OUT_KEY, "from" },
	{ WEFT_ATTR_LEN, UINT, OUT_KEY, "len" },
	{ WEFT_ATTR_CAME, UINT, OUT_KEY, "came" },
	{ WEFT_ATTR_HOW, STR, OUT_KEY, "how" },
	{ WEFT_ATTR_AGE, MS, OUT_KEY, "age_ms" },
	{ WEFT_ATTR_EP_ADDR, ADDR, OUT_KEY, "ep" },
	{ WEFT_ATTR_CTX_ID, UINT, OUT_KEY, "ctx" },
	{ WEFT_ATTR_UID, UINT, OUT_KEY, "uid" },
	{ WEFT_ATTR_PID, UINT, OUT_KEY, "pid" },
	{ WEFT_ATTR_COMM, STR, OUT_KEY, "comm" },
	{ 0 }
};

/* An object that is to be shown */
struct wait {
	struct nlattr *attrs;
	int len;
	uint64_t age;
};

/* The objects to be shown, in the order of the answers at first */
struct waits {
	const struct wait_filter *filter;
	struct wait *all;
	size_t n;
	size_t room;
	bool short_of_memory;
};

static uint64_t value(struct nlattr *attrs, int len, int type)
{
	const struct nlattr *attr = nla_find(attrs, len, type);

	return attr ? get_uint(attr) : 0;
}

/* Return: true if an address is @text, with its service or without. */
static bool same_addr(struct nlattr *attrs, int len, int type, const char *text)
{
	struct nlattr *attr = nla_find(attrs, len, type);
	struct weft_sockaddr addr = { 0 };
	char is[ADDR_TEXT];

	if (!attr)
		return false;
	nla_memcpy(&addr, attr, sizeof(addr));
	addr_text(is, &addr);
	if (!strcmp(is, text))
		return true;
	addr.port = 0;
	addr_text(is, &addr);
	return !strcmp(is, text);
}

/* Return: true if a receive or message with this tag concerns the filter's tag. */
static bool same_tag(struct nlattr *attrs, int len, uint64_t tag)
{
	return nla_find(attrs, len, WEFT_ATTR_TAG) &&
	       !((value(attrs, len, WEFT_ATTR_TAG) ^ tag) &
		 ~value(attrs, len, WEFT_ATTR_IGNORE));
}

static bool wanted(const struct wait_filter *f, struct nlattr *attrs, int len)
{
	return (!f->pid || value(attrs, len, WEFT_ATTR_PID) == f->pid) &&
	       (!f->ep || same_addr(attrs, len, WEFT_ATTR_EP_ADDR, f->ep)) &&
	       (!f->from || same_addr(attrs, len, WEFT_ATTR_FROM, f->from)) &&
	       (!f->has_tag || same_tag(attrs, len, f->tag)) &&
	       value(attrs, len, WEFT_ATTR_AGE) / 1000000 >= f->age_ms;
}

static bool more_room(struct waits *w)
{
	size_t room = w->room ? 2 * w->room : 64;
	struct wait *all;

	if (w->n < w->room)
		return true;
	all = realloc(w->all, room * sizeof(*all));
	if (!all)
		return false;
	w->all = all;
	w->room = room;
	return true;
}

/* Keep the attributes of an object until all have come. */
static void keep(struct nlattr *attrs, int len, const void *arg)
{
	struct waits *w = *(struct waits *const *)arg;
	struct wait *one;

	if (!wanted(w->filter, attrs, len))
		return;
	if (!more_room(w)) {
		w->short_of_memory = true;
		return;
	}
	one = &w->all[w->n];
	one->attrs = malloc(len);
	if (!one->attrs) {
		w->short_of_memory = true;
		return;
	}
	memcpy(one->attrs, attrs, len);
	one->len = len;
	one->age = value(attrs, len, WEFT_ATTR_AGE);
	w->n++;
}

static int older(const void *a, const void *b)
{
	const struct wait *x = a, *y = b;

	return x->age < y->age ? 1 : -(x->age > y->age);
}

static int show(const char *object, uint8_t cmd, const struct field *fields, int argc, char **argv)
{
	struct wait_filter filter;
	struct waits waits = { .filter = &filter }, *w = &waits;
	struct nl_msg *msg;
	char what[32];
	size_t i;
	int ret;

	if (parse_waits(object, argc, argv, &filter))
		return EXIT_USAGE;
	msg = request(cmd, true);
	if (!msg)
		return EXIT_KERNEL;
	snprintf(what, sizeof(what), "%s show", object);
	if (filter.port)
		nla_put_string(msg, WEFT_ATTR_PORT_NAME, filter.port);
	ret = perform(msg, keep, &w, what, filter.port);
	if (waits.n)
		qsort(waits.all, waits.n, sizeof(*waits.all), older);
	out_begin();
	for (i = 0; i < waits.n; i++) {
		print_object(waits.all[i].attrs, waits.all[i].len, fields);
		free(waits.all[i].attrs);
	}
	out_end();
	free(waits.all);
	if (waits.short_of_memory) {
		complain("%s: out of memory, the list is not complete", what);
		return EXIT_KERNEL;
	}
	if (!ret && !waits.n && filter.any)
		complain("%s: nothing matches", what);
	return ret;
}

static int run(const char *object, const char *shows, uint8_t cmd, const struct field *fields,
	       int argc, char **argv)
{
	int ret = parse_show(object, &argc, &argv);

	if (ret < 0)
		return EXIT_USAGE;
	if (!ret)
		return show(object, cmd, fields, argc, argv);
	printf("Usage: weftctl %s [show [[port] NAME] [FILTER ...]]\n"
	       "       weftctl %s help\n"
	       "Shows %s, the oldest first.\n"
	       "FILTER:  pid PID           of this process\n"
	       "         ep ADDRESS        of this endpoint, with its service or without\n"
	       "         from ADDRESS      from this endpoint or node\n"
	       "         tag TAG           with this tag, or that take it; 0x for hexadecimal digits\n"
	       "         age SECONDS       that have waited so long at least\n", object, object,
	       shows);
	return 0;
}

int do_recv(int argc, char **argv)
{
	return run("recv", "posted receives", WEFT_CMD_RECV_GET, recv_fields, argc, argv);
}

int do_msg(int argc, char **argv)
{
	return run("msg", "messages that wait for a receive", WEFT_CMD_MSG_GET, msg_fields, argc,
		   argv);
}
