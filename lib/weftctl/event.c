// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Events of ports: those of the past, and, with "monitor", each as it happens
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <linux/genetlink.h>
#include <netlink/attr.h>
#include <netlink/netlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>

#include "weftctl.h"

static const struct field event_fields[] = {
	{ WEFT_ATTR_EVENT_FIRST, TIME, OUT_BARE, "time" },
	{ WEFT_ATTR_PORT_NAME, STR, OUT_LEAD, "port" },
	{ WEFT_ATTR_EVENT_WHAT, STR, OUT_BARE, "event" },
	{ WEFT_ATTR_EVENT_PEER, ADDR, OUT_KEY, "peer" },
	{ WEFT_ATTR_EP_ADDR, ADDR, OUT_KEY, "ep" },
	{ WEFT_ATTR_EVENT_LIMIT, STR, OUT_KEY, "limit" },
	{ WEFT_ATTR_UID, UINT, OUT_KEY, "uid" },
	{ WEFT_ATTR_EVENT_FROM, UINT, OUT_KEY, "from" },
	{ WEFT_ATTR_EVENT_TO, UINT, OUT_KEY, "to" },
	{ WEFT_ATTR_EVENT_ERR, UINT, OUT_KEY, "errno" },
	{ WEFT_ATTR_EVENT_COUNT, UINT, OUT_KEY, "count" },
	{ WEFT_ATTR_EVENT_LAST, TIME, OUT_KEY, "last" },
	{ WEFT_ATTR_EVENT_WHY, STR, OUT_KEY, "why" },
	{ 0 }
};

/* ---- Which events ----------------------------------------------------------------------- */

/* Arguments; NULL and 0: all */
struct event_filter {
	const char *port;
	const char *peer;
	const char *what;
	uint64_t since;		/* ns since 1970 */
	unsigned long count;	/* monitor: how many events to print */
};

/* The kinds of events, see weftctl-event(8) */
#define EVENT_KINDS_1	"path-up path-down path-idle peer-restarted peer-version mtu-reduced"
#define EVENT_KINDS_2	"mtu-raised messages-given-up limit-reached endpoint-killed rma-denied"
#define EVENT_KINDS_3	"port-added port-deleted link-up link-down device-gone device-broken"
#define EVENT_KINDS_4	"address-conflict"
#define EVENT_KINDS	EVENT_KINDS_1 " " EVENT_KINDS_2 " " EVENT_KINDS_3 " " EVENT_KINDS_4
#define EVENT_KINDS_HELP						\
	"           " EVENT_KINDS_1 "\n           " EVENT_KINDS_2 "\n"	\
	"           " EVENT_KINDS_3 "\n           " EVENT_KINDS_4 "\n"

/* Return: true if there is such a kind; else a message is printed. */
static bool is_kind(const char *object, const char *arg)
{
	size_t len = strlen(arg);
	const char *s;

	for (s = EVENT_KINDS; *s; s += strcspn(s, " "), s += *s == ' ')
		if (len && !strncmp(s, arg, len) && (s[len] == ' ' || !s[len]))
			return true;
	complain("%s: there is no kind of event \"%s\", try \"weftctl %s help\"%s", object, arg,
		 object, guess_of(arg, EVENT_KINDS));
	return false;
}

/* Return: 0, -1: not a positive number (no message printed) */
static int parse_number(const char *arg, unsigned long *to)
{
	char *end;

	errno = 0;
	*to = strtoul(arg, &end, 10);
	return errno || *end || arg[0] < '0' || arg[0] > '9' || !*to ? -1 : 0;
}

/* The time of SECONDS ago. Return: as parse_number() */
static int parse_last(const char *arg, uint64_t *since)
{
	struct timespec now;
	unsigned long s;

	if (parse_number(arg, &s))
		return -1;
	clock_gettime(CLOCK_REALTIME, &now);
	*since = s < (unsigned long)now.tv_sec ? (now.tv_sec - s) * 1000000000ull : 0;
	return 0;
}

/* A port that has the name of a word needs the word "port" before it. Return: true if it is one. */
static bool is_word(bool live, const char *arg)
{
	return !strcmp(arg, "port") || !strcmp(arg, "peer") || !strcmp(arg, "event") ||
	       !strcmp(arg, live ? "count" : "last");
}

/* [[port] NAME] [peer ADDRESS] [event KIND] and [last SECONDS] or [count N] */
static int parse_events(const char *object, bool live, int argc, char **argv,
			struct event_filter *f)
{
	memset(f, 0, sizeof(*f));
	if (argc % 2) {
		if (is_word(live, argv[0])) {
			complain("%s: a value is missing after \"%s\"", object, argv[argc - 1]);
			return -1;
		}
		if (parse_port_name(argv[0]))
			return -1;
		f->port = argv[0];
		argc--;
		argv++;
	}
	for (; argc; argc -= 2, argv += 2) {
		if (matches(argv[0], "port"))
			f->port = argv[1];
		else if (matches(argv[0], "peer"))
			f->peer = argv[1];
		else if (matches(argv[0], "event"))
			f->what = argv[1];
		else if (!(live ? matches(argv[0], "count") && !parse_number(argv[1], &f->count) :
			   matches(argv[0], "last") && !parse_last(argv[1], &f->since)))
			break;
	}
	if (!argc && f->peer && parse_some_addr("peer", f->peer))
		return -1;
	if (!argc)
		return !f->what || is_kind(object, f->what) ? 0 : -1;
	complain("%s: \"%s %s\" is not understood here, try \"weftctl %s help\"", object, argv[0],
		 argv[1], object);
	return -1;
}

static bool wanted(struct nlattr *attrs, int len, const void *arg)
{
	const struct event_filter *f = arg;
	struct weft_sockaddr peer;
	char text[WEFT_NAME_MAX];
	uint64_t last;

	find_text(text, sizeof(text), attrs, len, WEFT_ATTR_PORT_NAME);
	if (f->port && strcmp(f->port, text))
		return false;
	if (f->peer && !(find_addr(&peer, attrs, len, WEFT_ATTR_EVENT_PEER) &&
			 addr_is(&peer, f->peer)))
		return false;
	find_text(text, sizeof(text), attrs, len, WEFT_ATTR_EVENT_WHAT);
	last = find_uint(attrs, len, WEFT_ATTR_EVENT_LAST);
	if (!last)
		last = find_uint(attrs, len, WEFT_ATTR_EVENT_FIRST);
	return (!f->what || !strcmp(f->what, text)) && last >= f->since;
}

/* ---- The past --------------------------------------------------------------------------- */

static int earlier(const void *a, const void *b)
{
	const struct answer *x = a, *y = b;
	uint64_t p = find_uint(x->attrs, x->len, WEFT_ATTR_EVENT_FIRST);
	uint64_t q = find_uint(y->attrs, y->len, WEFT_ATTR_EVENT_FIRST);

	return p > q ? 1 : -(p < q);
}

static int show(int argc, char **argv)
{
	struct answers found = { 0 };
	struct event_filter filter;
	size_t i;
	int ret;

	if (parse_events("event", false, argc, argv, &filter))
		return EXIT_USAGE;
	ret = collect(WEFT_CMD_EVENT_GET, "event show", filter.port, wanted, &filter, &found);
	if (found.n)
		qsort(found.all, found.n, sizeof(*found.all), earlier);
	out_columns("port event peer time count");
	out_begin();
	for (i = 0; i < found.n; i++)
		print_object(found.all[i].attrs, found.all[i].len, event_fields);
	out_end();
	if (!ret && !found.n && (filter.peer || filter.what || filter.since))
		complain("event show: nothing matches");
	release(&found);
	return ret;
}

int do_event(int argc, char **argv)
{
	int ret = parse_show("event", &argc, &argv);

	if (ret < 0)
		return EXIT_USAGE;
	if (!ret)
		return show(argc, argv);
	printf("Usage: weftctl event [show [[port] NAME] [FILTER ...]]\n"
	       "       weftctl event help\n"
	       "Shows the last events of each port, also of deleted ones, the oldest first.\n"
	       "FILTER:  peer ADDRESS      about this node\n"
	       "         last SECONDS      of this time\n"
	       "         event KIND        one of:\n" EVENT_KINDS_HELP
	       "\"weftctl monitor\" shows events as they happen.\n");
	return HELPED;
}

/* ---- As they happen --------------------------------------------------------------------- */

#define LISTEN_BYTES	(1 << 20)	/* of messages that may wait for this program */

/* The number of a port's last message */
struct last_nr {
	struct last_nr *next;
	uint64_t nr;
	char port[WEFT_NAME_MAX];
};

/* A listener at work */
struct listener {
	struct event_filter filter;
	struct last_nr *ports;
	unsigned long printed;
	bool over;		/* the module has gone */
	bool short_of_memory;
};

/* Report events that were lost before message @nr of a port. */
static void check_number(struct listener *l, const char *port, uint64_t nr)
{
	struct last_nr *p;

	for (p = l->ports; p && strcmp(p->port, port); p = p->next)
		;
	if (!p) {
		p = calloc(1, sizeof(*p));
		if (!p) {
			l->short_of_memory = true;
			return;
		}
		snprintf(p->port, sizeof(p->port), "%s", port);
		p->next = l->ports;
		l->ports = p;
	} else if (nr > p->nr + 1 && (!l->filter.port || !strcmp(l->filter.port, port))) {
		out_open();
		out_str("port", OUT_LEAD, port);
		out_uint("lost", OUT_KEY, nr - p->nr - 1);
		out_close();
	}
	p->nr = nr;
}

/* Return: true if a message of the kernel's controller says that the family has gone. */
static bool family_gone(struct nl_msg *msg)
{
	struct genlmsghdr *hdr = nlmsg_data(nlmsg_hdr(msg));
	char name[GENL_NAMSIZ];

	find_text(name, sizeof(name), genlmsg_attrdata(hdr, 0), genlmsg_attrlen(hdr, 0),
		  CTRL_ATTR_FAMILY_NAME);
	return hdr->cmd == CTRL_CMD_DELFAMILY && !strcmp(name, WEFT_GENL_NAME);
}

static int on_event(struct nl_msg *msg, void *arg)
{
	struct genlmsghdr *hdr = nlmsg_data(nlmsg_hdr(msg));
	struct nlattr *attrs = genlmsg_attrdata(hdr, 0);
	int len = genlmsg_attrlen(hdr, 0);
	struct listener *l = arg;
	char port[WEFT_NAME_MAX];

	if (nlmsg_hdr(msg)->nlmsg_type == GENL_ID_CTRL) {
		l->over = family_gone(msg);
		return NL_OK;
	}
	find_text(port, sizeof(port), attrs, len, WEFT_ATTR_PORT_NAME);
	check_number(l, port, find_uint(attrs, len, WEFT_ATTR_EVENT_NR));
	if (!wanted(attrs, len, &l->filter) ||
	    (l->filter.count && l->printed == l->filter.count))
		return NL_OK;
	print_object(attrs, len, event_fields);
	l->printed++;
	return NL_OK;
}

/* A port may be added later. Until then nothing is printed. */
static void check_port(const char *name)
{
	struct guess near;

	guess_begin(&near, name);
	if (!find_port(&near))
		complain("monitor: there is no port \"%s\" now; its events follow when it is "
			 "added%s", name, guess_text(&near));
}

/* Join the kernel's groups. Return: 0, negative error of libnl. */
static int join(struct nl_sock *sock)
{
	int group, ret = genl_connect(sock);

	if (ret < 0)
		return ret;
	nl_socket_disable_seq_check(sock);
	nl_socket_set_buffer_size(sock, LISTEN_BYTES, 0);
	group = genl_ctrl_resolve_grp(sock, WEFT_GENL_NAME, WEFT_GENL_EVENTS);
	ret = group < 0 ? group : nl_socket_add_membership(sock, group);
	if (ret < 0)
		return ret;
	/* the end of the module */
	group = genl_ctrl_resolve_grp(sock, "nlctrl", "notify");
	return group < 0 ? group : nl_socket_add_membership(sock, group);
}

static int listen_on(struct nl_sock *sock, struct listener *l)
{
	int ret;

	nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, on_event, l);
	while (!l->over && (!l->filter.count || l->printed < l->filter.count)) {
		ret = nl_recvmsgs_default(sock);
		/* too many at once: the numbers tell how many were lost */
		if (ret < 0 && ret != -NLE_NOMEM && ret != -NLE_INTR) {
			complain("monitor: %s", nl_geterror(ret));
			return EXIT_KERNEL;
		}
		if (fflush(stdout))
			return EXIT_FAILURE;
	}
	if (l->over)
		complain("monitor: the module was removed");
	return l->over ? EXIT_KERNEL : 0;
}

static int monitor_help(void)
{
	printf("Usage: weftctl monitor [[port] NAME] [FILTER ...]\n"
	       "       weftctl monitor help\n"
	       "Shows events of ports as they happen, until it is ended. Needs CAP_NET_ADMIN.\n"
	       "Says how many events were lost, if it is too slow to read them all.\n"
	       "FILTER:  peer ADDRESS      about this node\n"
	       "         count N           ends after so many events\n"
	       "         event KIND        one of:\n" EVENT_KINDS_HELP);
	return HELPED;
}

int do_monitor(int argc, char **argv)
{
	struct listener l = { .over = false };
	struct last_nr *next;
	struct nl_sock *sock;
	int ret;

	if (argc == 1 && asks_help(argv[0], false))
		return monitor_help();
	if (parse_events("monitor", true, argc, argv, &l.filter))
		return EXIT_USAGE;
	/* it loads the module, and says why that fails */
	if (find_family())
		return EXIT_KERNEL;
	sock = nl_socket_alloc();
	ret = sock ? join(sock) : -NLE_NOMEM;
	if (ret == -NLE_PERM || ret == -NLE_NOACCESS)
		complain("monitor: not permitted: run it as root (it needs CAP_NET_ADMIN)");
	else if (ret < 0)
		complain("monitor: %s", nl_geterror(ret));
	if (ret >= 0 && l.filter.port)
		check_port(l.filter.port);
	ret = ret < 0 ? EXIT_KERNEL : listen_on(sock, &l);
	if (l.short_of_memory)
		complain("monitor: out of memory, lost events may not have been reported");
	for (; l.ports; l.ports = next) {
		next = l.ports->next;
		free(l.ports);
	}
	nl_socket_free(sock);
	return ret;
}
