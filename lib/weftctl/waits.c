// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Lists that can be filtered, by age if their objects have one, the oldest first. Here are those of
 * what waits or is under way: posted receives, messages that no receive has taken, sends, flows.
 * held.c and objects.c have more of them.
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
	{ WEFT_ATTR_AGE_LEAST, YES, OUT_KEY, "age_least" },
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

static const struct field send_fields[] = {
	{ WEFT_ATTR_PORT_NAME, STR, OUT_LEAD, "port" },
	{ WEFT_ATTR_KIND, STR, OUT_BARE, "kind" },
	{ WEFT_ATTR_TAG, HEX, OUT_KEY, "tag" },
	{ WEFT_ATTR_TO, ADDR, OUT_KEY, "to" },
	{ WEFT_ATTR_LEN, UINT, OUT_KEY, "len" },
	{ WEFT_ATTR_SENT, UINT, OUT_KEY, "sent" },
	{ WEFT_ATTR_HOW, STR, OUT_KEY, "how" },
	{ WEFT_ATTR_FOR, STR, OUT_KEY, "for" },
	{ WEFT_ATTR_AGE, MS, OUT_KEY, "age_ms" },
	{ WEFT_ATTR_TOLD, YES, OUT_KEY, "completed" },
	{ WEFT_ATTR_EP_ADDR, ADDR, OUT_KEY, "ep" },
	{ WEFT_ATTR_CTX_ID, UINT, OUT_KEY, "ctx" },
	{ WEFT_ATTR_UID, UINT, OUT_KEY, "uid" },
	{ WEFT_ATTR_PID, UINT, OUT_KEY, "pid" },
	{ WEFT_ATTR_COMM, STR, OUT_KEY, "comm" },
	{ 0 }
};

static const struct field flow_fields[] = {
	{ WEFT_ATTR_PORT_NAME, STR, OUT_LEAD, "port" },
	{ WEFT_ATTR_FLOW_WAY, STR, OUT_BARE, "way" },
	{ WEFT_ATTR_FLOW_PEER, ADDR, OUT_KEY, "peer" },
	{ WEFT_ATTR_FLOW_STATE, STR, OUT_KEY, "state" },
	{ WEFT_ATTR_FLOW_LAST, UINT, OUT_KEY, "last" },
	{ WEFT_ATTR_FLOW_CREDIT, UINT, OUT_KEY, "credit" },
	{ WEFT_ATTR_FLOW_BYTES, UINT, OUT_KEY, "credit_bytes" },
	{ WEFT_ATTR_FLOW_WAITING, UINT, OUT_KEY, "waiting" },
	{ WEFT_ATTR_FLOW_UNACKED, UINT, OUT_KEY, "unacked" },
	{ WEFT_ATTR_FLOW_EARLY, UINT, OUT_KEY, "early" },
	{ WEFT_ATTR_AGE, MS, OUT_KEY, "age_ms" },
	{ WEFT_ATTR_EP_ADDR, ADDR, OUT_KEY, "ep" },
	{ WEFT_ATTR_CTX_ID, UINT, OUT_KEY, "ctx" },
	{ WEFT_ATTR_UID, UINT, OUT_KEY, "uid" },
	{ WEFT_ATTR_PID, UINT, OUT_KEY, "pid" },
	{ WEFT_ATTR_COMM, STR, OUT_KEY, "comm" },
	{ 0 }
};

static const struct listing recv_listing = {
	{ "recv", "from", NULL, HAS_EP | HAS_AGE | HAS_TAG },
	WEFT_CMD_RECV_GET, WEFT_ATTR_FROM, 0, recv_fields,
	"port kind tag from len age_ms", "posted receives", NULL
};

static const struct listing msg_listing = {
	{ "msg", "from", NULL, HAS_EP | HAS_AGE | HAS_TAG },
	WEFT_CMD_MSG_GET, WEFT_ATTR_FROM, 0, msg_fields,
	"port kind tag from len age_ms", "messages that wait for a receive", NULL
};

static const struct listing send_listing = {
	{ "send", "to", "for", HAS_EP | HAS_AGE | HAS_TAG },
	WEFT_CMD_SEND_GET, WEFT_ATTR_TO, WEFT_ATTR_FOR, send_fields,
	"port kind to len for age_ms", "sends under way, and what each waits for",
	"handshake, contact, endpoint, fence, credit, window, turn,\n"
	"                           receive, grant, memory, ack, answer"
};

static const struct listing flow_listing = {
	{ "flow", "peer", "state", HAS_EP | HAS_AGE },
	WEFT_CMD_FLOW_GET, WEFT_ATTR_FLOW_PEER, WEFT_ATTR_FLOW_STATE, flow_fields,
	"port way peer state waiting age_ms",
	"flows: messages from one endpoint to another",
	"asking, refused, open, closing, dead"
};

static bool same_addr(struct nlattr *attrs, int len, int type, const char *text)
{
	struct weft_sockaddr addr;

	return find_addr(&addr, attrs, len, type) && addr_is(&addr, text);
}

/* Return: true if a receive or message with this tag concerns the filter's tag. */
static bool same_tag(struct nlattr *attrs, int len, uint64_t tag)
{
	return nla_find(attrs, len, WEFT_ATTR_TAG) &&
	       !((find_uint(attrs, len, WEFT_ATTR_TAG) ^ tag) &
		 ~find_uint(attrs, len, WEFT_ATTR_IGNORE));
}

static bool same_word(struct nlattr *attrs, int len, int type, const char *word)
{
	const struct nlattr *attr = nla_find(attrs, len, type);

	return attr && !nla_strcmp(attr, word);
}

/* What decides whether an object is shown */
struct choosing {
	const struct listing *listing;
	const struct wait_filter *filter;
};

static bool wanted(struct nlattr *attrs, int len, const void *arg)
{
	const struct choosing *c = arg;
	const struct wait_filter *f = c->filter;
	const struct listing *l = c->listing;

	return (!f->pid || find_uint(attrs, len, WEFT_ATTR_PID) == f->pid) &&
	       (!f->ep || same_addr(attrs, len, WEFT_ATTR_EP_ADDR, f->ep)) &&
	       (!f->peer || same_addr(attrs, len, l->peer, f->peer)) &&
	       (!f->state || same_word(attrs, len, l->state, f->state)) &&
	       (!f->has_tag || same_tag(attrs, len, f->tag)) &&
	       find_uint(attrs, len, WEFT_ATTR_AGE) / 1000000 >= f->age_ms;
}

static int older(const void *a, const void *b)
{
	const struct answer *x = a, *y = b;
	uint64_t p = find_uint(x->attrs, x->len, WEFT_ATTR_AGE);
	uint64_t q = find_uint(y->attrs, y->len, WEFT_ATTR_AGE);

	return p < q ? 1 : -(p > q);
}

/* Which words the state of the filter may mean, if there is no such state */
static const char *near_states(const struct listing *l, const char *word)
{
	struct guess g;

	if (!word || meaning(l->state, word))
		return "";
	guess_begin(&g, word);
	guess_meanings(&g, l->state);
	return guess_text(&g);
}

int show_listing(const struct listing *l, int argc, char **argv)
{
	struct sums sums = { .peers = l->cmd == WEFT_CMD_PATH_GET };
	bool has_sums = l->words.has & HAS_SUMS && out_has_statistics();
	struct wait_filter filter;
	struct choosing choosing = { l, &filter };
	struct answers found = { 0 };
	char what[32];
	size_t i;
	int ret;

	if (parse_waits(&l->words, argc, argv, &filter))
		return EXIT_USAGE;
	snprintf(what, sizeof(what), "%s show", l->words.object);
	ret = collect(l->cmd, what, filter.port, wanted, &choosing, &found);
	if (!ret && has_sums)
		ret = collect_sums(&sums, what, filter.port);
	if (found.n && l->words.has & HAS_AGE)
		qsort(found.all, found.n, sizeof(*found.all), older);
	out_columns(l->columns);
	out_begin();
	for (i = 0; i < found.n; i++)
		print_object_sums(found.all[i].attrs, found.all[i].len, l->fields,
				  has_sums ? &sums : NULL);
	out_end();
	release_sums(&sums);
	if (!ret && !found.n && (filter.any || filter.port))
		complain("%s%s%s: nothing matches%s", what, filter.port ? " " : "",
			 filter.port ? filter.port : "", near_states(l, filter.state));
	release(&found);
	return ret;
}

int run_listing(const struct listing *l, int argc, char **argv)
{
	const struct wait_words *w = &l->words;
	int ret = parse_show(w->object, &argc, &argv);

	if (ret < 0)
		return EXIT_USAGE;
	if (!ret)
		return show_listing(l, argc, argv);
	printf("Usage: weftctl %s [show [[port] NAME] [FILTER ...]]\n"
	       "       weftctl %s help\n"
	       "Shows %s%s.\n"
	       "FILTER:  pid PID           of this process\n", w->object, w->object, l->shows,
	       w->has & HAS_AGE ? ", the oldest first" : "");
	if (w->has & HAS_EP)
		printf("         ep ADDRESS        of this endpoint, with its service or "
		       "without\n");
	if (w->peer)
		printf("         %-4s ADDRESS      %s this endpoint or node\n", w->peer,
		       w->peer[0] == 'p' ? "with" : w->peer);
	if (w->has & HAS_AGE)
		printf("         age SECONDS       that have waited so long at least\n");
	if (w->has & HAS_TAG)
		printf("         tag TAG           with this tag, or that take it; 0x for "
		       "hexadecimal digits\n");
	if (w->state)
		printf("         %-5s WORD        one of: %s\n", w->state, l->states);
	return HELPED;
}

int do_recv(int argc, char **argv)
{
	return run_listing(&recv_listing, argc, argv);
}

int do_msg(int argc, char **argv)
{
	return run_listing(&msg_listing, argc, argv);
}

int do_send(int argc, char **argv)
{
	return run_listing(&send_listing, argc, argv);
}

int do_flow(int argc, char **argv)
{
	return run_listing(&flow_listing, argc, argv);
}
