// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * All that waits or is under way on this node, for commands that compare these objects
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <netlink/attr.h>

#include "diagnose.h"
#include "weftctl.h"

/* A list of the kernel's, and where its objects have the address of the other side */
struct list {
	uint8_t cmd;
	enum seen_kind kind;
	uint16_t peer;
	uint16_t state;
};

static const struct list lists[] = {
	{ WEFT_CMD_RECV_GET, SEEN_RECV, WEFT_ATTR_FROM, WEFT_ATTR_KIND },
	{ WEFT_CMD_MSG_GET, SEEN_MSG, WEFT_ATTR_FROM, WEFT_ATTR_KIND },
	{ WEFT_CMD_SEND_GET, SEEN_SEND, WEFT_ATTR_TO, WEFT_ATTR_FOR },
	{ WEFT_CMD_CQ_GET, SEEN_CQ, WEFT_ATTR_UNSPEC, WEFT_ATTR_KIND },
	{ WEFT_CMD_FLOW_GET, SEEN_FLOW, WEFT_ATTR_FLOW_PEER, WEFT_ATTR_FLOW_STATE },
	{ WEFT_CMD_PATH_GET, SEEN_PATH, WEFT_ATTR_PATH_ADDR, WEFT_ATTR_PATH_STATE },
	{ WEFT_CMD_EP_GET, SEEN_EP, WEFT_ATTR_EP_PEER, WEFT_ATTR_EP_STATE },
	{ WEFT_CMD_PORT_GET, SEEN_PORT, WEFT_ATTR_UNSPEC, WEFT_ATTR_PORT_STATE },
};

static const struct list more_lists[] = {
	{ WEFT_CMD_CONN_GET, SEEN_CONN, WEFT_ATTR_EP_PEER, WEFT_ATTR_CONN_STATE },
};

static void read_path(struct seen *s, struct nlattr *attrs, int len)
{
	s->retrans = find_uint(attrs, len, WEFT_ATTR_PATH_RETRANS);
	s->srtt = find_uint(attrs, len, WEFT_ATTR_PATH_SRTT);
	s->cwnd = (uint32_t)find_uint(attrs, len, WEFT_ATTR_PATH_CWND);
	s->flight = (uint32_t)find_uint(attrs, len, WEFT_ATTR_PATH_FLIGHT);
	s->payload = (uint32_t)find_uint(attrs, len, WEFT_ATTR_PATH_PAYLOAD);
	s->heard_ms = find_uint(attrs, len, WEFT_ATTR_PATH_HEARD) / 1000000;
}

/* What is counted of an endpoint, and of a path: the attributes */
static const struct {
	enum seen_kind kind;
	uint16_t sent, received, sent_bytes, received_bytes;
} counted[] = {
	{ SEEN_EP, WEFT_ATTR_EP_SENT, WEFT_ATTR_EP_RECEIVED, WEFT_ATTR_EP_SENT_BYTES,
	  WEFT_ATTR_EP_RECEIVED_BYTES },
	{ SEEN_PATH, WEFT_ATTR_PATH_TX_PACKETS, WEFT_ATTR_PATH_RX_PACKETS, WEFT_ATTR_PATH_TX_BYTES,
	  WEFT_ATTR_PATH_RX_BYTES },
};

/* A path to a node of another version has no counts. */
static void read_counts(struct seen *s, struct nlattr *attrs, int len)
{
	unsigned int i;

	for (i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
		if (counted[i].kind != s->kind || !nla_find(attrs, len, counted[i].sent))
			continue;
		s->counted = true;
		s->sent = find_uint(attrs, len, counted[i].sent);
		s->received = find_uint(attrs, len, counted[i].received);
		s->sent_bytes = find_uint(attrs, len, counted[i].sent_bytes);
		s->received_bytes = find_uint(attrs, len, counted[i].received_bytes);
	}
}

static void read_cq(struct seen *s, struct nlattr *attrs, int len)
{
	s->cq = (uint32_t)find_uint(attrs, len, WEFT_ATTR_CQ);
	s->slots = (uint32_t)find_uint(attrs, len, WEFT_ATTR_CQ_SLOTS);
	s->unread = (uint32_t)find_uint(attrs, len, WEFT_ATTR_CQ_UNREAD);
	s->waiting = (uint32_t)find_uint(attrs, len, WEFT_ATTR_CQ_WAITING);
}

static void read_seen(struct seen *s, const struct list *list, struct nlattr *attrs, int len)
{
	char way[8];

	memset(s, 0, sizeof(*s));
	s->kind = list->kind;
	find_text(s->port, sizeof(s->port), attrs, len, WEFT_ATTR_PORT_NAME);
	copy_name(s->comm, sizeof(s->comm), nla_find(attrs, len, WEFT_ATTR_COMM));
	find_text(s->state, sizeof(s->state), attrs, len, list->state);
	find_text(way, sizeof(way), attrs, len, WEFT_ATTR_FLOW_WAY);
	find_addr(&s->ep, attrs, len, WEFT_ATTR_EP_ADDR);
	s->named = find_addr(&s->peer, attrs, len, list->peer);
	s->in = !strcmp(way, "in");
	s->tagged = nla_find(attrs, len, WEFT_ATTR_TAG);
	s->pid = find_uint(attrs, len, WEFT_ATTR_PID);
	s->uid = find_uint(attrs, len, WEFT_ATTR_UID);
	s->ctx = find_uint(attrs, len, WEFT_ATTR_CTX_ID);
	s->srq = find_uint(attrs, len, WEFT_ATTR_SRQ);
	s->tag = find_uint(attrs, len, WEFT_ATTR_TAG);
	s->ignore = find_uint(attrs, len, WEFT_ATTR_IGNORE);
	s->len = find_uint(attrs, len, WEFT_ATTR_LEN);
	s->came = find_uint(attrs, len, WEFT_ATTR_CAME);
	s->age_ms = find_uint(attrs, len, WEFT_ATTR_AGE) / 1000000;
	s->least = nla_find(attrs, len, WEFT_ATTR_AGE_LEAST);
	s->last = find_uint(attrs, len, WEFT_ATTR_FLOW_LAST);
	s->early = find_uint(attrs, len, WEFT_ATTR_FLOW_EARLY);
	if (s->kind == SEEN_PATH)
		read_path(s, attrs, len);
	find_text(s->job, sizeof(s->job), attrs, len, WEFT_ATTR_JOB_NAME);
	s->truncated = find_uint(attrs, len, WEFT_ATTR_EP_TRUNCATED);
	s->truncated_ms = find_uint(attrs, len, WEFT_ATTR_EP_TRUNCATED_AGE) / 1000000;
	s->mtu = (uint32_t)find_uint(attrs, len, WEFT_ATTR_PORT_MTU);
	read_counts(s, attrs, len);
	if (s->kind == SEEN_CQ)
		read_cq(s, attrs, len);
	if (s->kind == SEEN_CONN) {
		find_text(way, sizeof(way), attrs, len, WEFT_ATTR_CONN_ROLE);
		s->in = !strcmp(way, "passive");
	}
}

/* Events of paths are few: a port keeps 256 events. Return: false: out of memory */
static bool add_event(struct path_event **all, size_t *n, const struct answer *a, uint64_t now)
{
	struct path_event *more = realloc(*all, (*n + 1) * sizeof(*more)), *e;
	char what[16];

	if (!more)
		return false;
	*all = more;
	find_text(what, sizeof(what), a->attrs, a->len, WEFT_ATTR_EVENT_WHAT);
	e = &more[*n];
	memset(e, 0, sizeof(*e));
	e->up = !strcmp(what, "path-up");
	if (!e->up && strcmp(what, "path-down"))
		return true;
	find_text(e->port, sizeof(e->port), a->attrs, a->len, WEFT_ATTR_PORT_NAME);
	find_addr(&e->peer, a->attrs, a->len, WEFT_ATTR_EVENT_PEER);
	find_text(e->why, sizeof(e->why), a->attrs, a->len, WEFT_ATTR_EVENT_WHY);
	e->at = find_uint(a->attrs, a->len, WEFT_ATTR_EVENT_LAST);
	if (!e->at)
		e->at = find_uint(a->attrs, a->len, WEFT_ATTR_EVENT_FIRST);
	e->age_ms = now > e->at ? (now - e->at) / 1000000 : 0;
	++*n;
	return true;
}

int see_paths(const char *what, const char *port, struct path_event **all, size_t *n)
{
	struct answers got = { 0 };
	struct timespec now;
	size_t i;
	int ret = collect(WEFT_CMD_EVENT_GET, what, port, NULL, NULL, &got);

	*all = NULL;
	*n = 0;
	clock_gettime(CLOCK_REALTIME, &now);
	for (i = 0; i < got.n && !ret; i++) {
		if (!add_event(all, n, &got.all[i], now.tv_sec * 1000000000ull + now.tv_nsec)) {
			complain("%s: out of memory", what);
			ret = EXIT_KERNEL;
		}
	}
	release(&got);
	return ret;
}

/* Add the objects of a list to *@all. Return: exit status */
static int read_list(const struct list *list, const char *what, const char *port,
		     struct seen **all, size_t *n)
{
	struct answers got = { 0 };
	int ret = collect(list->cmd, what, port, NULL, NULL, &got);
	struct seen *more = realloc(*all, (*n + got.n + 1) * sizeof(*more));
	size_t k;

	if (!more) {
		complain("%s: out of memory", what);
		ret = EXIT_KERNEL;
	} else {
		*all = more;
		for (k = 0; k < got.n; k++)
			read_seen(&more[(*n)++], list, got.all[k].attrs, got.all[k].len);
	}
	release(&got);
	return ret;
}

uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ull + t.tv_nsec / 1000000;
}

int see(const char *what, const char *port, struct seen **all, size_t *n)
{
	unsigned int i;
	int ret = 0;

	*all = NULL;
	*n = 0;
	for (i = 0; i < sizeof(lists) / sizeof(lists[0]) && !ret; i++)
		ret = read_list(&lists[i], what, port, all, n);
	return ret;
}

int see_more(const char *what, const char *port, struct seen **all, size_t *n)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < sizeof(more_lists) / sizeof(more_lists[0]) && !ret; i++)
		ret = read_list(&more_lists[i], what, port, all, n);
	return ret;
}
