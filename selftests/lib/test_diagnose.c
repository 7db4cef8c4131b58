// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * "weftctl hang": the cause of each kind of wait, from objects as the kernel reports them
 *
 * Built together with diagnose.c, told.c and output.c of lib/weftctl. TAP on stdout.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "../../lib/weftctl/diagnose.h"
#include "tap.h"

#define MOST	8

static struct seen all[MOST];
static struct path_event events[4];
static struct scene scene = { .all = all, .events = events };
static struct cause cause;

static char stopped(uint32_t pid)
{
	(void)pid;
	return 'T';
}

static struct weft_sockaddr at(uint8_t node, uint16_t service)
{
	struct weft_sockaddr addr = {
		.family = AF_INET, .port = htons(service), .addr = { 10, 77, 0, node },
	};

	return addr;
}

/* An object of process 7 at endpoint 10.77.0.1:5 */
static struct seen *add(enum seen_kind kind)
{
	struct seen *x = &all[scene.n++];

	memset(x, 0, sizeof(*x));
	x->kind = kind;
	strcpy(x->port, "weft0");
	strcpy(x->comm, "rank");
	x->pid = 7;
	x->ep = at(1, 5);
	x->tagged = kind == SEEN_RECV || kind == SEEN_MSG;
	x->tag = 0x2a;
	x->age_ms = 1000;
	return x;
}

static void begin(void)
{
	scene.n = 0;
	scene.nevents = 0;
	scene.program = stopped;
}

/* A receive that names 10.77.0.2:9 */
static struct seen *directed(void)
{
	struct seen *x = add(SEEN_RECV);

	x->named = true;
	x->peer = at(2, 9);
	return x;
}

static struct seen *from(enum seen_kind kind, uint8_t node, uint16_t service)
{
	struct seen *x = add(kind);

	x->named = true;
	x->peer = at(node, service);
	return x;
}

static struct seen *send_for(const char *what)
{
	struct seen *x = from(SEEN_SEND, 2, 9);

	snprintf(x->state, sizeof(x->state), "%s", what);
	return x;
}

/* Is it one of CAUSES? */
static bool known(const char *word)
{
	char list[sizeof(CAUSES) + 2], item[32];

	snprintf(list, sizeof(list), " %s ", CAUSES);
	snprintf(item, sizeof(item), " %s ", word);
	return strstr(list, item);
}

/* Is the cause of the first object @word, and does its text have @text? */
static bool is(const char *word, const char *text)
{
	if (!diagnose(&scene, &all[0], &cause)) {
		fprintf(tap_to, "# nothing waits\n");
		return false;
	}
	if (!strcmp(cause.word, word) && strstr(cause.text, text) && known(word))
		return true;
	fprintf(tap_to, "# %s: %s\n", cause.word, cause.text);
	return false;
}

static struct seen *conn_in(const char *state)
{
	struct seen *x;

	begin();
	x = from(SEEN_CONN, 2, 9);
	snprintf(x->state, sizeof(x->state), "%s", state);
	x->age_ms = 20000;
	return x;
}

static struct chain chain;

/* The next one that is asked: endpoint 9 of @node, whose process is @pid */
static struct told *tells(uint8_t node, uint32_t pid, char program)
{
	struct told *t = &chain.told[chain.n++];

	memset(t, 0, sizeof(*t));
	t->status = TOLD_YES;
	t->ep = at(node, 9);
	t->pid = pid;
	strcpy(t->comm, "peer");
	t->program = program;
	return t;
}

/* The text of the first object, with what was told; it had a hint before. */
static const char *told(void)
{
	if (!diagnose(&scene, &all[0], &cause) || !*cause.hint)
		return "no hint";
	add_told(&all[0], &chain, &cause);
	chain.n = 0;
	chain.circle = false;
	return cause.text;
}

static bool ends(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	if (n >= m && !strcmp(text + n - m, end))
		return true;
	fprintf(tap_to, "# %s\n", text);
	return false;
}

/* The sender's program: what it does, what it has sent, for what it waits. */
static void test_told_recv(void)
{
	struct told *t;

	begin();
	directed();
	CHECK(ends(told(), "; \"weftctl hang\" on node 10.77.0.2 says what it does"));
	tells(2, 815, 'T');
	CHECK(ends(told(), "to this endpoint; process 815 (peer) at 10.77.0.2:9 is stopped; it has "
		   "posted no receive"));
	t = tells(2, 815, 'S');
	t->send = (struct told_held){ .n = 2, .tagged = true, .tag = 0x2b, .state = "credit" };
	t->msg = (struct told_held){ .n = 1, .tagged = true, .tag = 3 };
	t->full = 1;
	CHECK(ends(told(), "sleeps; it has 2 sends to this endpoint under way, the oldest tag 0x2b "
		   "waits for: credit; 1 message of this endpoint waits there for a receive, the "
		   "oldest tag 0x3; it does not read its completion queue: 1 completion waits for "
		   "space; it has posted no receive"));
	tells(2, 815, 'R')->wait = (struct told_held){ .n = 3, .age_ms = 41000 };
	CHECK(ends(told(), "computes; its oldest receive from any sender waits since 41 s"));
}

/* Programs that wait for one another on other nodes */
static void test_told_chain(void)
{
	struct told *t;

	begin();
	directed();
	t = tells(2, 815, 'S');
	t->wait = (struct told_held){
		.n = 1, .age_ms = 300000, .tagged = true, .tag = 9, .ignore = 0xf0, .named = true,
		.peer = at(3, 9),
	};
	CHECK(same_ep(waits_for(&chain), &t->wait.peer));
	tells(3, 900, 'T');
	CHECK(!waits_for(&chain));
	CHECK(ends(told(), "sleeps; its oldest receive tag 0x9 ignore 0xf0 from 10.77.0.3:9 waits "
		   "since 300 s; process 900 (peer) at 10.77.0.3:9 is stopped; it has posted no "
		   "receive"));
	t = tells(2, 815, 'S');
	t->wait = (struct told_held){ .n = 1, .age_ms = 300000, .named = true, .peer = at(1, 5) };
	chain.circle = true;
	CHECK(ends(told(), "from 10.77.0.1:5 waits since 300 s; so these programs wait for one "
		   "another"));
	/* a sender that is not known any more */
	tells(2, 815, 'S')->wait = (struct told_held){ .n = 1, .named = true };
	CHECK(!waits_for(&chain));
	CHECK(ends(told(), "from a sender that is not in its address vector any more waits since 0 "
		   "s"));
}

/* Sends and connections: what the receiver's program has posted. */
static void test_told_send(void)
{
	struct told *t;

	begin();
	send_for("receive");
	CHECK(ends(told(), "; \"weftctl hang\" there says what it has posted"));
	t = tells(2, 815, 'R');
	t->recv = (struct told_held){ .n = 2, .age_ms = 1000, .tagged = true, .tag = 0x77 };
	t->wait = t->recv;
	CHECK(ends(told(), "computes; of its 2 receives for messages of this endpoint the oldest "
		   "takes tag 0x77; its oldest receive tag 0x77 from any sender waits since 1 s"));
	t = tells(2, 815, 'R');
	t->recv = (struct told_held){ .n = 1 };
	CHECK(strstr(told(), "of its 1 receive for messages of this endpoint the oldest takes "
		     "untagged ones"));
	begin();
	send_for("credit");
	CHECK(ends(told(), "; \"weftctl hang\" there says why"));
	conn_in("asking");
	tells(2, 815, 'D');
	CHECK(ends(told(), "has not accepted the request; process 815 (peer) at 10.77.0.2:9 waits "
		   "in the kernel; it has posted no receive"));
}

/* Nodes that do not answer, each in its way; they are told apart in JSON, too. */
static void test_told_nothing(void)
{
	begin();
	directed();
	tells(2, 0, 0)->status = TOLD_OFF;
	CHECK(ends(told(), "says what it does; for 10.77.0.2:9, permit questions there (\"weftctl "
		   "port set NAME questions on\")"));
	tells(2, 0, 0)->status = TOLD_SILENT;
	CHECK(ends(told(), "says what it does; the node of 10.77.0.2:9 was asked, and did not "
		   "answer"));
	tells(2, 0, 0)->status = TOLD_NONE;
	CHECK(ends(told(), "to this endpoint; there is no endpoint 10.77.0.2:9 in this job: its "
		   "program has not started, or has ended"));
	CHECK(!told_word(TOLD_NOT) && !told_word(99));
	CHECK(!strcmp(told_word(TOLD_YES), "answered") && !strcmp(told_word(TOLD_OFF), "off") &&
	      !strcmp(told_word(TOLD_NONE), "none") && !strcmp(told_word(TOLD_SILENT), "silent"));
	/* what is known needs no other node */
	CHECK(is("silent", ""));
	from(SEEN_MSG, 2, 9)->tag = 0x2b;
	CHECK(is("tag", "") && !*cause.hint);
}

static void test_truncated(void)
{
	begin();
	directed();
	CHECK(is("silent", "has sent nothing"));
	add(SEEN_EP)->truncated = 1;
	all[1].truncated_ms = 12345;
	CHECK(is("truncated", "1 message to this endpoint had more bytes than its receive, the "
		 "last one 12 s ago"));
	all[1].truncated = 3;
	CHECK(is("truncated", "3 messages to this endpoint had more bytes than their receive"));
	all[0].named = false;
	CHECK(is("truncated", "3 messages"));
	/* what is certain comes first */
	from(SEEN_MSG, 2, 9)->tag = 0x2b;
	CHECK(is("tag", "0x2b"));
	/* another endpoint's truncated messages say nothing */
	scene.n = 2;
	all[1].ep = at(1, 6);
	CHECK(is("nothing", "has come"));
}

/* The path of port weft0 to a node was given up, or has come up, so many seconds ago. */
static void path_event(uint8_t node, bool up, unsigned int s)
{
	struct path_event *e = &events[scene.nevents++];

	memset(e, 0, sizeof(*e));
	strcpy(e->port, "weft0");
	strcpy(e->why, "the node was silent");
	e->peer = at(node, 0);
	e->up = up;
	e->at = (1000 - s) * 1000000000ull;
	e->age_ms = 1000ull * s;
}

static void test_given_up(void)
{
	begin();
	add(SEEN_RECV)->age_ms = 60000;
	path_event(2, false, 20);
	CHECK(is("nothing", "no message that it takes has come; node 10.77.0.2 was given up 20 s "
		 "ago: the node was silent"));
	path_event(3, false, 15);
	CHECK(is("nothing", "node 10.77.0.3 was given up 15 s ago: the node was silent; 1 other "
		 "node before"));
	/* it is there again */
	path_event(3, true, 5);
	CHECK(is("nothing", "node 10.77.0.2 was given up 20 s"));
	CHECK(!strstr(cause.text, "other"));
	/* the sender that a receive names; here another one */
	all[0].named = true;
	all[0].peer = at(2, 9);
	CHECK(is("silent", "; node 10.77.0.2 was given up 20 s ago: the node was silent"));
	all[0].peer = at(4, 9);
	CHECK(is("silent", "") && !strstr(cause.text, "given up"));
	/* before the receive was posted, or on another port */
	all[0].named = false;
	all[0].age_ms = 19000;
	CHECK(is("nothing", "") && !strstr(cause.text, "given up"));
	all[0].age_ms = 60000;
	strcpy(events[0].port, "weft1");
	CHECK(is("nothing", "") && !strstr(cause.text, "given up"));
}

static void test_queue(void)
{
	struct seen *cq;

	begin();
	cq = add(SEEN_CQ);
	cq->slots = 16;
	cq->unread = 15;
	CHECK(!diagnose(&scene, cq, &cause));
	cq->waiting = 1;
	CHECK(is("cq", "15 of 16 slots are unread, and 1 more completion waits for space; it is "
		 "stopped"));
	cq->waiting = 2;
	CHECK(is("cq", "2 more completions wait for space"));
}

/* A path to 10.77.0.2, and a send of 4 s on it that waits for @what */
static struct seen *sent_on_path(const char *what)
{
	struct seen *path;

	begin();
	send_for(what)->age_ms = 4000;
	all[0].len = 3000;
	path = from(SEEN_PATH, 2, 0);
	strcpy(path->state, "up");
	path->payload = 1232;
	path->age_ms = 60000;
	path->retrans = 5;
	add(SEEN_PORT)->mtu = 9000;
	return path;
}

static void test_dead(void)
{
	struct seen *path = sent_on_path("ack");

	path->heard_ms = 4100;
	CHECK(is("dead", "nothing was heard of node 10.77.0.2 for 4 s: it is down, or packets are "
		 "lost on the way; the path is given up after the limit dead-ms"));
	/* it was heard while the send waited, but not for long */
	all[0].age_ms = 60000;
	CHECK(is("dead", "for 4 s"));
	/* a new path has the smallest packet, and may be dead, too */
	path->age_ms = 4200;
	CHECK(is("dead", "for 4 s"));
	strcpy(all[0].state, "window");
	CHECK(is("dead", ""));
	strcpy(all[0].state, "contact");
	CHECK(is("dead", ""));
	/* a receiver may be silent while the send waits for its program */
	strcpy(all[0].state, "receive");
	CHECK(is("receive", ""));
	/* the send is new, the path was quiet before */
	strcpy(all[0].state, "ack");
	all[0].age_ms = 500;
	CHECK(is("ack", "node 10.77.0.2 has not acknowledged"));
}

static void test_mtu(void)
{
	struct seen *path = sent_on_path("ack");

	path->heard_ms = 800;
	CHECK(is("mtu", "node 10.77.0.2 was heard 800 ms ago, but has not acknowledged these "
		 "packets: maybe long ones, here of up to 1260 bytes, do not arrive"));
	/* the path does not know yet which packets it takes */
	path->age_ms = 2000;
	CHECK(is("ack", "node 10.77.0.2 has not acknowledged"));
	path->age_ms = 60000;
	all[0].len = 100;
	CHECK(is("ack", "node 10.77.0.2 has not acknowledged"));
	/* nothing was lost: the packets have just been sent */
	all[0].len = 3000;
	path->retrans = 0;
	CHECK(is("ack", "node 10.77.0.2 has not acknowledged"));
	/* a short one does not arrive, either */
	path->retrans = 5;
	send_for("ack")->age_ms = 4000;
	all[3].len = 8;
	CHECK(is("ack", "node 10.77.0.2 has not acknowledged"));
	all[3].peer = at(3, 9);
	CHECK(is("mtu", ""));
	/* another port's path says nothing */
	strcpy(path->port, "weft1");
	CHECK(is("ack", "node 10.77.0.2 has not acknowledged"));
}

static void test_tag(void)
{
	begin();
	directed();
	from(SEEN_MSG, 2, 9)->tag = 0x2b;
	CHECK(is("tag", "1 message that the receive could take waits here with another tag, the "
		 "oldest with tag 0x2b from 10.77.0.2:9"));
	from(SEEN_MSG, 2, 9)->tag = 0x2c;
	all[2].age_ms = 2000;
	CHECK(is("tag", "2 messages that the receive could take wait here with other tags, the "
		 "oldest with tag 0x2c"));
	/* the bits that differ are ignored: the receive is about to take them */
	all[0].ignore = 7;
	CHECK(is("silent", "has sent nothing"));
	/* messages of another endpoint or program are not there */
	all[0].ignore = 0;
	all[1].ep = at(1, 6);
	all[2].pid = 8;
	CHECK(is("silent", "has sent nothing"));
}

/* A receive of shared queue 3, and a message at an endpoint with another tag */
static void test_shared(void)
{
	struct seen *recv, *ep;

	begin();
	recv = directed();
	memset(&recv->ep, 0, sizeof(recv->ep));
	recv->srq = 3;
	from(SEEN_MSG, 2, 9)->tag = 0x2b;
	ep = add(SEEN_EP);
	ep->srq = 3;
	CHECK(is("tag", "1 message that the receive could take waits here with another tag, the "
		 "oldest with tag 0x2b from 10.77.0.2:9"));
	CHECK(!diagnose(&scene, &all[1], &cause));
	all[1].tag = 0x2a;
	all[1].peer = at(2, 10);
	CHECK(is("source", "10.77.0.2:10"));
	all[1].tagged = false;
	all[1].peer = at(2, 9);
	CHECK(is("kind", "tagged ones only"));
	/* the endpoint takes from another queue, or from its own ring */
	ep->srq = 4;
	CHECK(is("silent", "has sent nothing"));
	CHECK(diagnose(&scene, &all[1], &cause) && !strcmp(cause.word, "unread"));
	ep->srq = 0;
	CHECK(is("silent", "has sent nothing"));
	/* nor is a queue of another context meant */
	ep->srq = 3;
	all[1].ctx = 4;
	CHECK(is("silent", "has sent nothing"));
}

static void test_source(void)
{
	begin();
	directed();
	from(SEEN_MSG, 2, 10);
	CHECK(is("source", "it is from 10.77.0.2:10"));
	all[1].tagged = false;
	CHECK(is("silent", ""));
	all[1].peer = at(2, 9);
	CHECK(is("kind", "1 message of the sender waits here, untagged"));
	memset(&all[0].peer, 0, sizeof(all[0].peer));
	scene.n = 1;
	CHECK(is("source", "not in the address vector any more"));
}

static void test_silent(void)
{
	begin();
	directed();
	CHECK(is("silent", "has sent nothing to this endpoint"));
	CHECK(!strcmp(cause.hint, "\"weftctl hang\" on node 10.77.0.2 says what it does"));
	from(SEEN_FLOW, 2, 9)->in = true;
	all[1].last = 3;
	CHECK(is("silent", "all 3 messages that the sender has begun were received before"));
	all[1].early = 6;
	all[1].age_ms = 2999;
	CHECK(is("lost", "message 4 of the sender is missing, message 6 has come 2 s ago: "));
	strcpy(from(SEEN_PATH, 2, 0)->state, "hello");
	CHECK(is("handshake", "node 10.77.0.2 does not answer"));
	strcpy(all[2].state, "version");
	CHECK(is("version", "another version"));
	/* a receive from any sender */
	all[0].named = false;
	CHECK(is("nothing", "no message that it takes"));
}

/* The sender is a program of this node. */
static void test_near(void)
{
	begin();
	directed();
	add(SEEN_EP)->ep = at(2, 9);
	all[1].pid = 8;
	CHECK(is("silent", "process 8 (rank), which has the endpoint 10.77.0.2:9, has sent nothing "
		 "that is still to be received; it is stopped"));
	add(SEEN_SEND)->ep = at(2, 9);
	all[2].pid = 8;
	all[2].peer = at(1, 5);
	strcpy(all[2].state, "memory");
	CHECK(is("silent", "a send of process 8 (rank) waits for: memory"));
}

static void test_send(void)
{
	static const char *const words[][2] = {
		{ "handshake", "node 10.77.0.2 does not answer the handshake" },
		{ "contact", "has not said yet" },
		{ "endpoint", "has no such endpoint" },
		{ "fence", "earlier sends to node 10.77.0.2" },
		{ "credit", "posts no receives" },
		{ "window", "the path to node 10.77.0.2 has" },
		{ "turn", "come first" },
		{ "receive", "has posted no receive that takes it" },
		{ "grant", "other long messages" },
		{ "memory", "page fault" },
		{ "ack", "not acknowledged" },
		{ "answer", "has all bytes" },
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		begin();
		send_for(words[i][0]);
		CHECK(is(words[i][0], words[i][1]));
	}
}

/* The receiver is a program of this node. */
static void test_send_near(void)
{
	begin();
	send_for("receive")->tagged = true;
	add(SEEN_EP)->ep = at(2, 9);
	all[1].pid = 8;
	CHECK(is("receive", "process 8 (rank) has posted no receive there; it is stopped"));
	add(SEEN_RECV)->ep = at(2, 9);
	all[2].pid = 8;
	all[2].tag = 0x77;
	CHECK(is("tag", "none of the 1 receive of process 8 (rank) takes it; the oldest takes tag "
		 "0x77"));
	all[2].tagged = false;
	CHECK(is("receive", "none of the 1 receive of process 8 (rank) takes it"));
}

static void test_msg(void)
{
	begin();
	from(SEEN_MSG, 2, 9);
	CHECK(is("unread", "no receive is posted: the program is stopped"));
	add(SEEN_RECV)->tag = 1;
	CHECK(!diagnose(&scene, &all[0], &cause));
	all[1].ep = at(1, 6);
	CHECK(is("unread", ""));
}

static void test_connection(void)
{
	struct seen *path;

	CHECK(!diagnose(&scene, conn_in("up"), &cause));
	conn_in("asked");
	CHECK(is("asked", "the program has neither accepted nor refused the request; it is "
		 "stopped"));
	conn_in("accepted");
	CHECK(is("accepted", "node 10.77.0.2 has not confirmed the connection"));
	conn_in("closing");
	CHECK(is("closing", "node 10.77.0.2 has not confirmed its end"));
	conn_in("asking");
	CHECK(is("asking", "the program at 10.77.0.2:9 has not accepted the request"));
	CHECK(!strcmp(cause.hint, "\"weftctl hang\" on node 10.77.0.2 says what it does"));
	path = from(SEEN_PATH, 2, 0);
	strcpy(path->state, "hello");
	CHECK(is("handshake", "node 10.77.0.2 does not answer the handshake"));
	/* an answer is expected only while packets are under way */
	strcpy(path->state, "up");
	path->heard_ms = 8000;
	CHECK(is("asking", ""));
	path->flight = 1;
	CHECK(is("dead", "nothing was heard of node 10.77.0.2 for 8 s"));
	/* the listener is a program of this node */
	add(SEEN_EP)->ep = at(2, 9);
	all[2].pid = 8;
	CHECK(is("asking", "process 8 (rank), which has the endpoint 10.77.0.2:9, has not accepted "
		 "the request; it is stopped"));
	strcpy(all[0].state, "closing");
	CHECK(is("closing", "has not confirmed it; it is stopped"));
}

int main(void)
{
	static const struct test tests[] = {
		{ "a message with another tag", test_tag },
		{ "a message with another tag, and shared queues", test_shared },
		{ "a message that was too long", test_truncated },
		{ "a node that was given up", test_given_up },
		{ "a completion queue that is not read", test_queue },
		{ "a node that is silent", test_dead },
		{ "a smaller MTU on the way", test_mtu },
		{ "a message from another sender, or of another kind", test_source },
		{ "a sender on another node that has sent nothing", test_silent },
		{ "a sender on this node", test_near },
		{ "a send, by what it waits for", test_send },
		{ "a send to a program of this node", test_send_near },
		{ "messages without receives", test_msg },
		{ "connections", test_connection },
		{ "a receive, and what its sender's node tells", test_told_recv },
		{ "programs that wait for one another", test_told_chain },
		{ "a send or a request, and what the other node tells", test_told_send },
		{ "nodes that do not answer", test_told_nothing },
	};

	return tap_run(tests, sizeof(tests) / sizeof(tests[0]), NULL, NULL);
}
