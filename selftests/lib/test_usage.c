// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * "weftctl top": what processes, paths and endpoints do, from objects as the kernel reports them
 *
 * Built together with usage.c and rates.c of lib/weftctl. TAP on stdout.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "../../lib/weftctl/usage.h"
#include "tap.h"

#define MOST	16

static struct seen then_all[MOST], now_all[MOST];
static struct tally then_tallies[MOST], now_tallies[MOST];
static struct look then = { then_all, 0, then_tallies, 0 };
static struct look now = { now_all, 0, now_tallies, 0 };
static struct usage *rows;
static long nrows;

static struct weft_sockaddr at(uint8_t node, uint16_t service)
{
	struct weft_sockaddr addr = {
		.family = AF_INET, .port = htons(service), .addr = { 10, 77, 0, node },
	};

	return addr;
}

/* An object of process @pid at 10.77.0.1:@pid, with 10.77.0.@node:9 on the other side */
static struct seen *add(struct look *to, enum seen_kind kind, uint32_t pid, uint8_t node)
{
	struct seen *x = &to->all[to->n++];

	memset(x, 0, sizeof(*x));
	x->kind = kind;
	strcpy(x->port, "weft0");
	x->peer = at(node, kind == SEEN_PATH ? 0 : 9);
	if (kind == SEEN_PATH) {
		strcpy(x->state, "up");
		return x;
	}
	strcpy(x->comm, "rank");
	x->pid = pid;
	x->ctx = pid;
	x->uid = 1000;
	x->ep = at(1, (uint16_t)pid);
	return x;
}

static struct seen *flow(struct look *to, uint32_t pid, uint8_t node, bool in, uint32_t last)
{
	struct seen *x = add(to, SEEN_FLOW, pid, node);

	x->in = in;
	x->last = last;
	return x;
}

/*
 * The counters of the endpoint of process @pid, 0: of the path to @node. Each message or packet has
 * ten bytes.
 */
static struct tally *count(struct look *to, uint32_t pid, uint8_t node, uint64_t sent,
			   uint64_t received)
{
	struct tally *t = &to->tallies[to->ntallies++];

	*t = (struct tally){ .is_path = !pid, .pid = pid, .ctx = pid, .uid = pid ? 1000 : 0 };
	strcpy(t->port, "weft0");
	strcpy(t->comm, pid ? "rank" : "");
	t->addr = pid ? at(1, (uint16_t)pid) : at(node, 0);
	t->sent = sent;
	t->received = received;
	t->sent_bytes = 10 * sent;
	t->received_bytes = 10 * received;
	return t;
}

static void compute(enum usage_by by, bool known)
{
	free(rows);
	nrows = usage_of(by, &now, known ? &then : NULL, &rows);
}

static void begin(void)
{
	then.n = 0;
	now.n = 0;
	then.ntallies = 0;
	now.ntallies = 0;
}

/*
 * Process 5 sends 30 messages and receives 4 between nodes, process 6 sends 50; one waits, one has
 * gone. Endpoints have counted other numbers: also messages within the node, and datagrams.
 */
static void scene(void)
{
	flow(&then, 5, 2, false, 100);
	flow(&then, 5, 2, true, 1000);
	flow(&then, 6, 3, false, 7);
	flow(&then, 9, 3, false, 7);
	add(&then, SEEN_PATH, 0, 2)->retrans = 10;
	add(&then, SEEN_PATH, 0, 3)->retrans = 90;

	add(&now, SEEN_EP, 5, 2)->peer.family = 0;
	add(&now, SEEN_EP, 6, 2)->peer.family = 0;
	add(&now, SEEN_EP, 7, 2)->peer.family = 0;
	flow(&now, 6, 3, false, 57);
	flow(&now, 5, 2, true, 1004);
	flow(&now, 5, 2, false, 110);
	flow(&now, 5, 3, false, 20);		/* new */
	add(&now, SEEN_PATH, 0, 2)->retrans = 15;
	add(&now, SEEN_PATH, 0, 3)->retrans = 2;	/* another path */
	add(&now, SEEN_SEND, 5, 2)->age_ms = 70;
	add(&now, SEEN_MSG, 5, 3)->came = 500;
	add(&now, SEEN_RECV, 5, 0)->peer.family = 0;
	now.all[now.n - 1].age_ms = 9000;

	count(&then, 5, 0, 1000, 2000);
	count(&then, 6, 0, 70, 7);
	count(&then, 9, 0, 1, 1);
	count(&then, 0, 2, 500, 400);
	count(&then, 0, 3, 900, 900);
	count(&now, 0, 3, 60, 20);		/* another path */
	count(&now, 0, 2, 540, 402);
	count(&now, 7, 0, 3, 1);		/* new */
	count(&now, 6, 0, 370, 8);
	count(&now, 5, 0, 1040, 2100);
}

static void test_processes(void)
{
	scene();
	compute(USAGE_PROCESS, true);
	CHECK(nrows == 3);
	if (nrows != 3)
		return;
	/* the busiest first */
	CHECK(rows[0].pid == 6 && rows[0].has_messages && rows[0].sent == 300);
	CHECK(rows[0].received == 1 && rows[0].sent_bytes == 3000 && rows[0].received_bytes == 10);
	CHECK(rows[1].pid == 5 && rows[1].sent == 40 && rows[1].received == 100);
	CHECK(rows[1].has_bytes && rows[1].sent_bytes == 400 && rows[1].received_bytes == 1000);
	CHECK(rows[1].sends == 1 && rows[1].msgs == 1 && rows[1].recvs == 1);
	CHECK(rows[1].came == 500 && rows[1].oldest_ms == 9000 && rows[1].endpoints == 1);
	CHECK(rows[1].uid == 1000 && !strcmp(rows[1].comm, "rank"));
	/* what has no flow has messages, too: within the node */
	CHECK(rows[2].pid == 7 && rows[2].has_messages && rows[2].sent == 3);
	CHECK(rows[2].received == 1 && rows[2].endpoints == 1 && !rows[2].sent_packets);
	/* the first look knows no rates */
	compute(USAGE_PROCESS, false);
	CHECK(nrows == 3 && !rows[0].has_messages && !rows[0].sent && rows[0].sends == 1);
	CHECK(!rows[0].has_bytes && !rows[0].sent_bytes);
}

/* A kernel that counts nothing by endpoint, or a process without one */
static void test_uncounted(void)
{
	scene();
	now.ntallies = 0;
	compute(USAGE_PROCESS, true);
	CHECK(nrows == 3 && !rows[0].has_messages && !rows[0].has_bytes);
	compute(USAGE_PATH, true);
	CHECK(nrows == 2 && rows[0].has_messages && rows[0].sent == 70 && !rows[0].has_bytes);
}

static void test_paths(void)
{
	scene();
	compute(USAGE_PATH, true);
	CHECK(nrows == 2);
	if (nrows != 2)
		return;
	CHECK(rows[0].addr.addr[3] == 3 && rows[0].sent == 70 && rows[0].retrans == 2);
	CHECK(rows[0].msgs == 1 && rows[0].came == 500 && !rows[0].recvs);
	CHECK(rows[0].sent_packets == 60 && rows[0].sent_bytes == 600);
	CHECK(rows[0].received_packets == 20 && rows[0].received_bytes == 200 && rows[0].has_bytes);
	CHECK(rows[1].addr.addr[3] == 2 && rows[1].sent == 10 && rows[1].received == 4);
	CHECK(rows[1].sent_packets == 40 && rows[1].received_bytes == 20);
	CHECK(rows[1].retrans == 5 && rows[1].sends == 1 && rows[1].oldest_ms == 70);
	CHECK(!rows[1].addr.port && !rows[1].pid && !strcmp(rows[1].state, "up"));
	compute(USAGE_PATH, false);
	CHECK(nrows == 2 && !rows[0].retrans && !rows[1].retrans);
}

static void test_endpoints(void)
{
	struct seen *x;

	scene();
	/* a shared receive has no endpoint; an incoming flow may have lost its own */
	x = add(&now, SEEN_RECV, 7, 0);
	x->ep.family = 0;
	x->srq = 4;
	flow(&now, 7, 2, true, 9)->ep.family = 0;
	/* the same address in another context is another endpoint */
	add(&now, SEEN_EP, 6, 2)->ctx = 60;
	count(&now, 6, 0, 2, 0)->ctx = 60;
	compute(USAGE_ENDPOINT, true);
	CHECK(nrows == 5);
	if (nrows != 5)
		return;
	CHECK(rows[0].pid == 6 && rows[0].sent == 300 && rows[0].addr.port == htons(6));
	CHECK(rows[1].pid == 5 && rows[1].sent == 40 && rows[1].recvs == 1);
	CHECK(rows[2].pid == 7 && !rows[2].srq && !rows[2].recvs && rows[2].received == 1);
	CHECK(rows[3].pid == 6 && rows[3].ctx == 60 && rows[3].sent == 2);
	CHECK(rows[4].pid == 7 && rows[4].srq == 4 && rows[4].recvs == 1 && !rows[4].has_messages);
}

static void test_empty(void)
{
	compute(USAGE_PROCESS, true);
	CHECK(nrows == 0);
	compute(USAGE_PATH, false);
	CHECK(nrows == 0);
	free(rows);
	rows = NULL;
}

int main(void)
{
	static const struct test tests[] = {
		{ "what processes do", test_processes },
		{ "without counters of endpoints and paths", test_uncounted },
		{ "what paths carry", test_paths },
		{ "what endpoints do", test_endpoints },
		{ "nothing is there", test_empty },
	};

	return tap_run(tests, sizeof(tests) / sizeof(tests[0]), begin, NULL);
}
