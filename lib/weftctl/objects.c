// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Descriptions of the objects that can be shown, and the objects without other commands.
 */
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "weftctl.h"

static const struct field port_fields[] = {
	{ WEFT_ATTR_PORT_NAME, STR, OUT_LEAD, "name" },
	{ WEFT_ATTR_PORT_DRIVER, STR, OUT_BARE, "driver" },
	{ WEFT_ATTR_PORT_NETDEV, STR, OUT_BARE, "netdev" },
	{ WEFT_ATTR_PORT_DEVICE, STR, OUT_BARE, "device" },
	{ WEFT_ATTR_PORT_STATE, STR, OUT_KEY, "state" },
	{ WEFT_ATTR_PORT_MTU, UINT, OUT_KEY, "mtu" },
	{ WEFT_ATTR_PORT_ADDR, ADDRS, OUT_KEY, "addr" },
	{ WEFT_ATTR_PORT_MAC, MAC, OUT_KEY, "mac" },
	{ WEFT_ATTR_PORT_VLAN, UINT, OUT_KEY, "vlan" },
	{ WEFT_ATTR_PORT_QUEUES, UINT, OUT_KEY, "queues" },
	{ WEFT_ATTR_PORT_UDP, UINT, OUT_KEY, "udp" },
	{ WEFT_ATTR_PORT_ENGINE, STR, OUT_KEY, "engine" },
	{ WEFT_ATTR_ENGINE_CPU, UINT, OUT_KEY, "cpu" },
	{ WEFT_ATTR_ENGINE_IDLE, UINT, OUT_KEY, "idle_us" },
	{ WEFT_ATTR_ENGINE_HOT, UINT, OUT_KEY, "hot" },
	{ WEFT_ATTR_PORT_PRIORITIES, STR, OUT_KEY, "priorities" },
	{ WEFT_ATTR_PORT_BYPASS, STR, OUT_KEY, "bypass" },
	{ WEFT_ATTR_PORT_BYPASS_STATE, STR, OUT_KEY, "bypass_state" },
	{ WEFT_ATTR_PORT_DOORBELL, STR, OUT_KEY, "doorbell" },
	{ WEFT_ATTR_PORT_RMA_USERS, STR, OUT_KEY, "rma_users" },
	{ WEFT_ATTR_PORT_HISTOGRAMS, STR, OUT_KEY, "histograms" },
	{ WEFT_ATTR_PORT_QUESTIONS, STR, OUT_KEY, "questions" },
	{ WEFT_ATTR_PORT_NCTX, UINT, OUT_KEY, "ctx" },
	{ WEFT_ATTR_PORT_NEP, UINT, OUT_KEY, "ep" },
	{ WEFT_ATTR_PORT_NPATH, UINT, OUT_KEY, "path" },
	{ WEFT_ATTR_PINNED, UINT, OUT_KEY, "pinned" },
	{ 0 }
};

static const struct field ep_fields[] = {
	{ WEFT_ATTR_PORT_NAME, STR, OUT_LEAD, "port" },
	{ WEFT_ATTR_EP_ADDR, ADDR, OUT_KEY, "ep" },
	{ WEFT_ATTR_EP_TYPE, STR, OUT_KEY, "type" },
	{ WEFT_ATTR_EP_STATE, STR, OUT_KEY, "state" },
	{ WEFT_ATTR_EP_PEER, ADDR, OUT_KEY, "peer" },
	{ WEFT_ATTR_SRQ, UINT, OUT_KEY, "srq" },
	{ WEFT_ATTR_EP_POSTED, UINT, OUT_KEY, "posted" },
	{ WEFT_ATTR_EP_UNEXP, UINT, OUT_KEY, "unexpected" },
	{ WEFT_ATTR_EP_SENDING, UINT, OUT_KEY, "sending" },
	{ WEFT_ATTR_EP_TRUNCATED, UINT, OUT_KEY, "truncated" },
	{ WEFT_ATTR_EP_TRUNCATED_AGE, MS, OUT_KEY, "truncated_ms" },
	{ WEFT_ATTR_EP_SENT, SUM, OUT_KEY, "sent" },
	{ WEFT_ATTR_EP_SENT_BYTES, SUM, OUT_KEY, "sent_bytes" },
	{ WEFT_ATTR_EP_RECEIVED, SUM, OUT_KEY, "received" },
	{ WEFT_ATTR_EP_RECEIVED_BYTES, SUM, OUT_KEY, "received_bytes" },
	{ WEFT_ATTR_JOB_NAME, STR, OUT_KEY, "job" },
	{ WEFT_ATTR_CTX_ID, UINT, OUT_KEY, "ctx" },
	{ WEFT_ATTR_EP_HANDLE, UINT, OUT_KEY, "handle" },
	{ WEFT_ATTR_UID, UINT, OUT_KEY, "uid" },
	{ WEFT_ATTR_PID, UINT, OUT_KEY, "pid" },
	{ WEFT_ATTR_COMM, STR, OUT_KEY, "comm" },
	{ 0 }
};

static const struct field ctx_fields[] = {
	{ WEFT_ATTR_PORT_NAME, STR, OUT_LEAD, "port" },
	{ WEFT_ATTR_CTX_ID, UINT, OUT_KEY, "ctx" },
	{ WEFT_ATTR_CTX_NOBJ, UINT, OUT_KEY, "objects" },
	{ WEFT_ATTR_CTX_NEP, UINT, OUT_KEY, "ep" },
	{ WEFT_ATTR_PINNED, UINT, OUT_KEY, "pinned" },
	{ WEFT_ATTR_UID, UINT, OUT_KEY, "uid" },
	{ WEFT_ATTR_PID, UINT, OUT_KEY, "pid" },
	{ WEFT_ATTR_COMM, STR, OUT_KEY, "comm" },
	{ 0 }
};

static const struct field path_fields[] = {
	{ WEFT_ATTR_PORT_NAME, STR, OUT_LEAD, "port" },
	{ WEFT_ATTR_PATH_ADDR, ADDR, OUT_KEY, "path" },
	{ WEFT_ATTR_PATH_STATE, STR, OUT_KEY, "state" },
	{ WEFT_ATTR_AGE, MS, OUT_KEY, "age_ms" },
	{ WEFT_ATTR_PATH_HEARD, MS, OUT_KEY, "heard_ms" },
	{ WEFT_ATTR_PATH_SRTT, UINT, OUT_KEY, "srtt_ns" },
	{ WEFT_ATTR_PATH_RTTVAR, UINT, OUT_KEY, "rttvar_ns" },
	{ WEFT_ATTR_PATH_CWND, UINT, OUT_KEY, "cwnd" },
	{ WEFT_ATTR_PATH_FLIGHT, UINT, OUT_KEY, "flight" },
	{ WEFT_ATTR_PATH_NFLOW, UINT, OUT_KEY, "flows" },
	{ WEFT_ATTR_PATH_RETRANS, UINT, OUT_KEY, "retrans" },
	{ WEFT_ATTR_PATH_SPURIOUS, SUM, OUT_KEY, "spurious" },
	{ WEFT_ATTR_PATH_TIMEOUTS, SUM, OUT_KEY, "timeouts" },
	{ WEFT_ATTR_PATH_TX_PACKETS, SUM, OUT_KEY, "tx_packets" },
	{ WEFT_ATTR_PATH_TX_BYTES, SUM, OUT_KEY, "tx_bytes" },
	{ WEFT_ATTR_PATH_RX_PACKETS, SUM, OUT_KEY, "rx_packets" },
	{ WEFT_ATTR_PATH_RX_BYTES, SUM, OUT_KEY, "rx_bytes" },
	{ WEFT_ATTR_PATH_PAYLOAD, UINT, OUT_KEY, "max_payload" },
	{ WEFT_ATTR_PATH_OLDEST, UINT, OUT_KEY, "peer_oldest" },
	{ WEFT_ATTR_PATH_NEWEST, UINT, OUT_KEY, "peer_newest" },
	{ WEFT_ATTR_PATH_OWN, UINT, OUT_KEY, "own" },
	{ 0 }
};

static const struct field neigh_fields[] = {
	{ WEFT_ATTR_PORT_NAME, STR, OUT_LEAD, "port" },
	{ WEFT_ATTR_NEIGH_ADDR, ADDR, OUT_KEY, "neigh" },
	{ WEFT_ATTR_NEIGH_MAC, MAC, OUT_KEY, "mac" },
	{ WEFT_ATTR_NEIGH_STATE, STR, OUT_KEY, "state" },
	{ WEFT_ATTR_NEIGH_IDLE, UINT, OUT_KEY, "idle_ns" },
	{ 0 }
};

static const struct field limit_fields[] = {
	{ WEFT_ATTR_PORT_NAME, STR, OUT_LEAD, "port" },
	{ WEFT_ATTR_LIMIT_NAME, STR, OUT_KEY, "limit" },
	{ WEFT_ATTR_LIMIT_VALUE, UINT, OUT_KEY, "value" },
	{ WEFT_ATTR_LIMIT_UNIT, STR, OUT_KEY, "unit" },
	{ WEFT_ATTR_LIMIT_USED, UINT, OUT_KEY, "used" },
	{ WEFT_ATTR_LIMIT_USED_BY, UINT, OUT_KEY, "used_by" },
	{ WEFT_ATTR_LIMIT_PEAK, UINT, OUT_KEY, "peak" },
	{ WEFT_ATTR_LIMIT_PEAK_BY, UINT, OUT_KEY, "peak_by" },
	{ WEFT_ATTR_LIMIT_HITS, UINT, OUT_KEY, "hits" },
	{ WEFT_ATTR_LIMIT_HITS_BY, UINT, OUT_KEY, "hits_by" },
	{ WEFT_ATTR_LIMIT_MIN, UINT, OUT_KEY, "min" },
	{ WEFT_ATTR_LIMIT_MAX, UINT, OUT_KEY, "max" },
	{ 0 }
};

static const struct field job_fields[] = {
	{ WEFT_ATTR_PORT_NAME, STR, OUT_LEAD, "port" },
	{ WEFT_ATTR_JOB_NAME, STR, OUT_KEY, "job" },
	{ WEFT_ATTR_JOB_NEP, UINT, OUT_KEY, "ep" },
	{ WEFT_ATTR_JOB_ALL, FLAG, OUT_KEY, "who" },
	{ WEFT_ATTR_JOB_UID, UINTS, OUT_KEY, "uid" },
	{ WEFT_ATTR_JOB_GID, UINTS, OUT_KEY, "gid" },
	{ 0 }
};

static const struct field user_fields[] = {
	{ WEFT_ATTR_PORT_NAME, STR, OUT_LEAD, "port" },
	{ WEFT_ATTR_UID, UINT, OUT_KEY, "uid" },
	{ WEFT_ATTR_USER_CTXS, UINT, OUT_KEY, "ctx" },
	{ WEFT_ATTR_USER_EPS, UINT, OUT_KEY, "ep" },
	{ WEFT_ATTR_USER_MEMORY, UINT, OUT_KEY, "memory" },
	{ WEFT_ATTR_USER_MSGS, UINT, OUT_KEY, "messages" },
	{ WEFT_ATTR_USER_BYTES, UINT, OUT_KEY, "unexpected" },
	{ WEFT_ATTR_USER_LINGERS, UINT, OUT_KEY, "linger" },
	{ WEFT_ATTR_USER_REGIONS, UINT, OUT_KEY, "regions" },
	{ 0 }
};

uint64_t get_uint(const struct nlattr *attr)
{
	switch (nla_len(attr)) {
	case sizeof(uint16_t):
		return nla_get_u16(attr);
	case sizeof(uint32_t):
		return nla_get_u32(attr);
	case sizeof(uint64_t):
		return nla_get_u64(attr);
	default:
		return 0;
	}
}

uint64_t find_uint(struct nlattr *attrs, int len, int type)
{
	const struct nlattr *attr = nla_find(attrs, len, type);

	return attr ? get_uint(attr) : 0;
}

void find_text(char *to, size_t size, struct nlattr *attrs, int len, int type)
{
	const struct nlattr *attr = nla_find(attrs, len, type);

	to[0] = 0;
	if (attr)
		nla_strlcpy(to, attr, size);
}

bool find_addr(struct weft_sockaddr *to, struct nlattr *attrs, int len, int type)
{
	struct nlattr *attr = nla_find(attrs, len, type);

	memset(to, 0, sizeof(*to));
	if (attr)
		nla_memcpy(to, attr, sizeof(*to));
	return attr;
}

/* The name of a user, if this node knows it */
static void print_user(const struct field *f, const struct nlattr *attr)
{
	const struct passwd *user = f->attr == WEFT_ATTR_UID ? getpwuid(get_uint(attr)) : NULL;

	if (user)
		out_str("user", f->style, user->pw_name);
}

static void print_value(const struct field *f, const struct nlattr *attr)
{
	struct weft_sockaddr addr;
	uint8_t mac[6] = { 0 };
	char str[160];

	switch (f->kind) {
	case STR:
		nla_strlcpy(str, attr, sizeof(str));
		out_str(f->key, f->style, str);
		break;
	case SUM:
		if (!out_has_statistics())
			break;
		__attribute__((fallthrough));
	case UINT:
	case UINTS:
		out_uint(f->key, f->style, get_uint(attr));
		if (out_has_details())
			print_user(f, attr);
		break;
	case HEX:
		out_hex(f->key, f->style, get_uint(attr));
		break;
	case MS:
		out_uint(f->key, f->style, get_uint(attr) / 1000000);
		/* "age_ms" and "age_ns" */
		snprintf(str, sizeof(str), "%.*sns", (int)strlen(f->key) - 2, f->key);
		if (out_has_details())
			out_uint(str, f->style, get_uint(attr));
		break;
	case TIME:
		out_time(f->key, f->style, get_uint(attr));
		break;
	case FLAG:
		out_str(f->key, f->style, "all");
		break;
	case YES:
		out_str(f->key, f->style, "yes");
		break;
	case MAC:
		nla_memcpy(mac, attr, sizeof(mac));
		out_mac(f->key, f->style, mac);
		break;
	case ADDR:
	case ADDRS:
		memset(&addr, 0, sizeof(addr));
		nla_memcpy(&addr, attr, sizeof(addr));
		out_addr(f->key, f->style, &addr);
		break;
	}
}

/* What the words and the counters of the object mean */
static void print_meanings(struct nlattr *attrs, int len, const struct field *fields)
{
	const struct field *f;
	const char *text;
	char word[32];

	for (f = fields; f->key; f++) {
		if (f->kind == SUM && out_has_statistics())
			note_counter(f->key);
		find_text(word, sizeof(word), attrs, len, f->attr);
		text = f->kind == STR ? meaning(f->attr, word) : NULL;
		if (text)
			out_note("text", text);
	}
}

void print_object_sums(struct nlattr *attrs, int len, const struct field *fields,
		       const struct sums *sums)
{
	const struct field *f;
	struct nlattr *attr;
	int rem;

	out_open();
	for (f = fields; f->key; f++) {
		if (f->kind >= ADDRS)
			out_list_open(f->key);
		nla_for_each_attr(attr, attrs, len, rem)
			if (nla_type(attr) == f->attr)
				print_value(f, attr);
		if (f->kind >= ADDRS)
			out_list_close();
	}
	if (sums)
		print_sums(sums, attrs, len);
	if (out_has_details()) {
		print_meanings(attrs, len, fields);
		if (sums)
			print_sums_meanings();
	}
	out_close();
}

void print_object(struct nlattr *attrs, int len, const void *fields)
{
	print_object_sums(attrs, len, fields, NULL);
}

/* ---- show ------------------------------------------------------------------------------- */

/* A kind of object */
struct view {
	const char *object;
	uint8_t cmd;
	const struct field *fields;
	const char *columns;	/* of a brief output */
	const char *shows;
};

static const struct view port_view = {
	"port", WEFT_CMD_PORT_GET, port_fields, "name state driver netdev mtu addr", NULL
};

static const struct listing ep_listing = {
	{ "ep", "peer", "state", HAS_EP | HAS_SUMS }, WEFT_CMD_EP_GET, WEFT_ATTR_EP_PEER,
	WEFT_ATTR_EP_STATE, ep_fields, "port ep state peer pid comm", NULL, NULL
};

static const struct listing ctx_listing = {
	{ "ctx", NULL, NULL, 0 }, WEFT_CMD_CTX_GET, 0, 0, ctx_fields,
	"port ctx ep pinned pid comm", "contexts: what each process that opened a port holds", NULL
};

static const struct listing path_listing = {
	{ "path", "peer", "state", HAS_AGE | NO_PID | HAS_SUMS }, WEFT_CMD_PATH_GET,
	WEFT_ATTR_PATH_ADDR, WEFT_ATTR_PATH_STATE, path_fields,
	"port path state srtt_ns flight retrans", NULL, NULL
};

static const struct view neigh_view = {
	"neigh", WEFT_CMD_NEIGH_GET, neigh_fields, "port neigh mac state",
	"neighbours: nodes on the links of ports that own their devices"
};

static const struct view user_view = {
	"user", WEFT_CMD_USER_GET, user_fields, "port uid ctx ep memory messages",
	"users: what each takes of the limits for one user"
};

static const struct view limit_view = {
	"limit", WEFT_CMD_LIMIT_GET, limit_fields, "port limit value unit used hits", NULL
};

static const struct view job_view = {
	"job", WEFT_CMD_JOB_GET, job_fields, "port job ep who uid gid", NULL
};

/* What show() passes for each answer */
struct showing {
	const struct view *view;
	unsigned int n;
};

static void show_one(struct nlattr *attrs, int len, const void *arg)
{
	struct showing *s = (void *)(uintptr_t)arg;

	s->n++;
	print_object(attrs, len, s->view->fields);
}

/*
 * Show all objects of a kind, or those of one port. A single port is requested by name, not dumped.
 */
static int show(const struct view *view, int argc, char **argv)
{
	struct showing showing = { .view = view };
	struct nl_msg *msg;
	const char *name;
	char what[32];
	int ret;

	if (parse_filter(argc, argv, &name))
		return EXIT_USAGE;
	snprintf(what, sizeof(what), "%s show", view->object);
	msg = request(view->cmd, !(view->cmd == WEFT_CMD_PORT_GET && name));
	if (!msg)
		return EXIT_KERNEL;
	if (name)
		nla_put_string(msg, WEFT_ATTR_PORT_NAME, name);

	out_columns(view->columns);
	out_begin();
	ret = perform(msg, show_one, &showing, what, name);
	out_end();
	if (!ret && name && !showing.n)
		complain("%s %s: nothing matches", what, name);
	return ret;
}

int show_ports(int argc, char **argv)
{
	return show(&port_view, argc, argv);
}

int show_eps(int argc, char **argv)
{
	return show_listing(&ep_listing, argc, argv);
}

int show_paths(int argc, char **argv)
{
	return show_listing(&path_listing, argc, argv);
}

int show_limits(int argc, char **argv)
{
	return show(&limit_view, argc, argv);
}

int show_jobs(int argc, char **argv)
{
	return show(&job_view, argc, argv);
}

/* An object without other commands */
static int run_view(const struct view *view, int argc, char **argv)
{
	int ret = parse_show(view->object, &argc, &argv);

	if (ret < 0)
		return EXIT_USAGE;
	if (ret) {
		printf("Usage: weftctl %s [show [[port] NAME]]\n"
		       "       weftctl %s help\n"
		       "Shows %s.\n", view->object, view->object, view->shows);
		return HELPED;
	}
	return show(view, argc, argv);
}

int do_ctx(int argc, char **argv)
{
	return run_listing(&ctx_listing, argc, argv);
}

int do_neigh(int argc, char **argv)
{
	return run_view(&neigh_view, argc, argv);
}

int do_user(int argc, char **argv)
{
	return run_view(&user_view, argc, argv);
}
