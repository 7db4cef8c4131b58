// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Why an object waits: it is compared with what else waits on this node. What only the other node
 * can know gets a hint: told.c replaces it by what that node tells.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "diagnose.h"
#include "weftctl.h"

static bool same_node(const struct weft_sockaddr *a, const struct weft_sockaddr *b)
{
	return a->family && a->family == b->family && a->scope == b->scope &&
	       !memcmp(a->addr, b->addr, sizeof(a->addr));
}

bool same_ep(const struct weft_sockaddr *a, const struct weft_sockaddr *b)
{
	return same_node(a, b) && a->port == b->port;
}

/* The text of a cause */
__attribute__((format(printf, 3, 4)))
static bool say(struct cause *cause, const char *word, const char *fmt, ...)
{
	va_list ap;

	cause->word = word;
	va_start(ap, fmt);
	vsnprintf(cause->text, sizeof(cause->text), fmt, ap);
	va_end(ap);
	return true;
}

/* Where to look further */
__attribute__((format(printf, 2, 3)))
static bool hint(struct cause *cause, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(cause->hint, sizeof(cause->hint), fmt, ap);
	va_end(ap);
	return true;
}

static bool say_handshake(const char *node, struct cause *cause)
{
	return say(cause, "handshake", "node %s does not answer the handshake: it is down, has no "
		   "port with this address, or a firewall drops the packets", node);
}

const char *program_words(char state)
{
	switch (state) {
	case 'T':
	case 't':
		return "is stopped";
	case 'R':
		return "computes";
	case 'D':
		return "waits in the kernel";
	case 'Z':
		return "has ended";
	case 'X':
		return "has ended, or is not visible here";
	case 'S':
	case 'I':
		return "sleeps";
	default:
		return "has not been looked at";
	}
}

static const char *address(char text[ADDR_TEXT], const struct weft_sockaddr *addr)
{
	addr_text(text, addr);
	return text;
}

static const char *plural(unsigned int n)
{
	return n == 1 ? "" : "s";
}

/* ---- Receives --------------------------------------------------------------------------- */

/* Messages that wait where a receive is posted, by what prevents the match */
struct near_misses {
	unsigned int tags, sources, kinds;
	const struct seen *tag, *source;	/* the oldest */
};

static bool fits_tag(const struct seen *recv, const struct seen *msg)
{
	return recv->tagged == msg->tagged &&
	       (!recv->tagged || !((recv->tag ^ msg->tag) & ~recv->ignore));
}

static bool fits_source(const struct seen *recv, const struct seen *msg)
{
	return !recv->named || same_ep(&recv->peer, &msg->peer);
}

static bool same_context(const struct seen *a, const struct seen *b)
{
	return a->pid == b->pid && a->ctx == b->ctx && !strcmp(a->port, b->port);
}

const struct seen *endpoint_at(const struct scene *scene, const struct weft_sockaddr *addr)
{
	const struct seen *s;

	for (s = scene->all; s < scene->all + scene->n; s++)
		if (s->kind == SEEN_EP && same_ep(&s->ep, addr))
			return s;
	return NULL;
}

/* Is @x, at an endpoint, where a receive is? A shared one is at all endpoints of its queue. */
static bool is_at(const struct scene *scene, const struct seen *recv, const struct seen *x)
{
	const struct seen *ep;

	if (recv->ep.family)
		return recv->pid == x->pid && !strcmp(recv->port, x->port) &&
		       same_ep(&recv->ep, &x->ep);
	if (!same_context(recv, x))
		return false;
	ep = endpoint_at(scene, &x->ep);
	return ep && ep->srq == recv->srq;
}

static void count_misses(const struct scene *scene, const struct seen *recv,
			 struct near_misses *miss)
{
	const struct seen *m;

	memset(miss, 0, sizeof(*miss));
	for (m = scene->all; m < scene->all + scene->n; m++) {
		if (m->kind != SEEN_MSG || !is_at(scene, recv, m))
			continue;
		if (recv->tagged != m->tagged) {
			miss->kinds += fits_source(recv, m);
		} else if (!fits_source(recv, m)) {
			if (fits_tag(recv, m) && (!miss->sources++ ||
						  m->age_ms > miss->source->age_ms))
				miss->source = m;
		} else if (!fits_tag(recv, m)) {
			if (!miss->tags++ || m->age_ms > miss->tag->age_ms)
				miss->tag = m;
		}
	}
}

/* The first object of a kind between an endpoint of this node and a remote one */
static const struct seen *between(const struct scene *scene, enum seen_kind kind, bool in,
				  const struct seen *x)
{
	const struct seen *s;

	for (s = scene->all; s < scene->all + scene->n; s++)
		if (s->kind == kind && s->in == in && !strcmp(s->port, x->port) &&
		    same_ep(&s->ep, &x->ep) && same_ep(&s->peer, &x->peer))
			return s;
	return NULL;
}

static const struct seen *path_to(const struct scene *scene, const struct seen *x)
{
	const struct seen *s;

	for (s = scene->all; s < scene->all + scene->n; s++)
		if (s->kind == SEEN_PATH && !strcmp(s->port, x->port) &&
		    same_node(&s->peer, &x->peer))
			return s;
	return NULL;
}

/* The only sender is an endpoint of this node. */
static bool silent_near(const struct scene *scene, const struct seen *recv,
			const struct seen *sender, struct cause *cause)
{
	char to[ADDR_TEXT];
	const struct seen *s;

	for (s = scene->all; s < scene->all + scene->n; s++)
		if (s->kind == SEEN_SEND && same_ep(&s->ep, &recv->peer) &&
		    same_ep(&s->peer, &recv->ep))
			return say(cause, "silent",
				   "a send of process %u (%s) waits for: %s", s->pid, s->comm,
				   s->state);
	return say(cause, "silent", "process %u (%s), which has the endpoint %s, has sent nothing "
		   "that is still to be received; it %s", sender->pid, sender->comm,
		   address(to, &recv->peer), program_words(scene->program(sender->pid)));
}

/* A receive names a sender of which no message waits. */
static bool silent(const struct scene *scene, const struct seen *recv, struct cause *cause)
{
	const struct seen *sender = endpoint_at(scene, &recv->peer);
	const struct seen *path, *flow;
	struct weft_sockaddr node = recv->peer;
	char to[ADDR_TEXT];

	if (sender)
		return silent_near(scene, recv, sender, cause);
	node.port = 0;
	address(to, &node);
	path = path_to(scene, recv);
	flow = between(scene, SEEN_FLOW, true, recv);
	if (path && !strcmp(path->state, "version"))
		return say(cause, "version", "node %s speaks another version of the protocol: see "
			   "\"weftctl path show\"", to);
	if (path && !strcmp(path->state, "hello"))
		return say_handshake(to, cause);
	if (flow && flow->early)
		return say(cause, "lost", "message %u of the sender is missing, message %u has "
			   "come %" PRIu64 " s ago: packets are lost, and sent again",
			   flow->last + 1, flow->early, flow->age_ms / 1000);
	if (flow)
		say(cause, "silent", "all %u message%s that the sender has begun were received "
		    "before: it has sent no other", flow->last, plural(flow->last));
	else
		say(cause, "silent", "the sender has sent nothing to this endpoint");
	return hint(cause, "\"weftctl hang\" on node %s says what it does", to);
}

/*
 * Nothing that it takes has come, and its endpoint has had a message that was longer than its
 * receive: a program that did not look at the error may wait for the rest.
 */
static bool truncated(const struct scene *scene, const struct seen *recv, struct cause *cause)
{
	const struct seen *ep = recv->ep.family ? endpoint_at(scene, &recv->ep) : NULL;
	bool one;

	if (!ep || !ep->truncated)
		return false;
	one = ep->truncated == 1;
	return say(cause, "truncated", "no message that it takes has come, but %" PRIu64
		   " message%s to this endpoint had more bytes than %s receive, the last one %"
		   PRIu64 " s ago: such a receive fails, and the rest of its bytes is lost",
		   ep->truncated, one ? "" : "s", one ? "its" : "their", ep->truncated_ms / 1000);
}

/* The event says that the path was given up, and it has not come up since then. */
static bool stays_down(const struct scene *scene, const struct path_event *down)
{
	const struct path_event *e;

	for (e = scene->events; e < scene->events + scene->nevents; e++)
		if (e->at > down->at && !strcmp(e->port, down->port) &&
		    same_node(&e->peer, &down->peer))
			return false;
	return !down->up;
}

/*
 * Add to the text of a receive which node has been given up while it waits: one that it names, or
 * any.
 */
static void add_given_up(const struct scene *scene, const struct seen *recv, struct cause *cause)
{
	const struct path_event *e, *last = NULL;
	size_t len = strlen(cause->text);
	unsigned int n = 0;
	char node[ADDR_TEXT];

	for (e = scene->events; e < scene->events + scene->nevents; e++) {
		if (strcmp(e->port, recv->port) || e->age_ms > recv->age_ms ||
		    (recv->named && !same_node(&e->peer, &recv->peer)) || !stays_down(scene, e))
			continue;
		if (!n++ || e->at > last->at)
			last = e;
	}
	if (!n)
		return;
	cause->hint[0] = 0;
	snprintf(cause->text + len, sizeof(cause->text) - len, "; node %s was given up %" PRIu64
		 " s ago: %s", address(node, &last->peer), last->age_ms / 1000, last->why);
	len = strlen(cause->text);
	if (n > 1)
		snprintf(cause->text + len, sizeof(cause->text) - len, "; %u other node%s before",
			 n - 1, plural(n - 1));
}

static bool diagnose_recv(const struct scene *scene, const struct seen *recv, struct cause *cause)
{
	struct near_misses miss;
	char from[ADDR_TEXT];

	count_misses(scene, recv, &miss);
	if (miss.tags)
		return say(cause, "tag", "%u message%s that the receive could take %s here with "
			   "%s tag%s, the oldest with tag 0x%" PRIx64 " from %s", miss.tags,
			   plural(miss.tags), miss.tags == 1 ? "waits" : "wait",
			   miss.tags == 1 ? "another" : "other", plural(miss.tags), miss.tag->tag,
			   address(from, &miss.tag->peer));
	if (miss.sources)
		return say(cause, "source", "a message with this tag waits here, but it is from %s",
			   address(from, &miss.source->peer));
	if (miss.kinds)
		return say(cause, "kind", "%u message%s of the sender wait%s here, %s: the receive "
			   "takes %s", miss.kinds, plural(miss.kinds), miss.kinds == 1 ? "s" : "",
			   recv->tagged ? "untagged" : "tagged",
			   recv->tagged ? "tagged ones only" : "untagged ones only");
	if (recv->named && recv->peer.family) {
		silent(scene, recv, cause);
		/* the sender may have put all that it had into a message that was too long */
		if (!strcmp(cause->word, "silent") && !truncated(scene, recv, cause))
			add_given_up(scene, recv, cause);
		return true;
	}
	if (recv->named)
		return say(cause, "source", "the only sender that it takes is not in the address "
			   "vector any more");
	if (truncated(scene, recv, cause))
		return true;
	say(cause, "nothing", "no message that it takes has come");
	add_given_up(scene, recv, cause);
	return true;
}

/* ---- Sends ------------------------------------------------------------------------------ */

/*
 * Packets are sent again once a second at least, and a path finds its largest packet in seconds. So
 * what lasts longer is no matter of a single packet.
 */
#define SOME_MS		3000
#define PATH_IS_OLD_MS	10000
#define SHORT_BYTES	512	/* of a send whose packet is never too long */

/* Nothing comes from the node, although packets to it have been sent again and again. */
static bool is_silent(const struct seen *path, const struct seen *x)
{
	return path && !strcmp(path->state, "up") && x->age_ms >= SOME_MS &&
	       path->heard_ms >= SOME_MS;
}

static bool say_silent(const struct seen *path, const char *node, struct cause *cause)
{
	return say(cause, "dead", "nothing was heard of node %s for %" PRIu64 " s: it is down, or "
		   "packets are lost on the way; the path is given up after the limit dead-ms",
		   node, path->heard_ms / 1000);
}

/* Does a short send to the same node wait, too? Then the length of packets is not the reason. */
static bool short_one_waits(const struct scene *scene, const struct seen *send)
{
	const struct seen *s;

	for (s = scene->all; s < scene->all + scene->n; s++)
		if (s->kind == SEEN_SEND && s->len <= SHORT_BYTES && s->age_ms >= SOME_MS &&
		    !strcmp(s->state, "ack") && !strcmp(s->port, send->port) &&
		    same_node(&s->peer, &send->peer))
			return true;
	return false;
}

/* The node is heard, and only long packets do not arrive there. */
static bool smaller_mtu(const struct scene *scene, const struct seen *send,
			const struct seen *path, const char *node, struct cause *cause)
{
	/* headers of IP and UDP */
	uint32_t headers = send->peer.family == AF_INET6 ? 48 : 28;

	if (!path || strcmp(path->state, "up") || path->age_ms < PATH_IS_OLD_MS ||
	    path->heard_ms >= SOME_MS || send->age_ms < SOME_MS || !path->retrans ||
	    send->len <= SHORT_BYTES || short_one_waits(scene, send))
		return false;
	return say(cause, "mtu", "node %s was heard %" PRIu64 " ms ago, but has not acknowledged "
		   "these packets: maybe long ones, here of up to %u bytes, do not arrive; check "
		   "the MTU of all devices on the way", node, path->heard_ms,
		   path->payload + headers);
}

/* Packets of the send have not been acknowledged. */
static bool unacknowledged(const struct scene *scene, const struct seen *send, const char *node,
			   struct cause *cause)
{
	const struct seen *path = path_to(scene, send);

	if (is_silent(path, send))
		return say_silent(path, node, cause);
	return !strcmp(send->state, "ack") && smaller_mtu(scene, send, path, node, cause);
}

/* The receiver is an endpoint of this node: what it has posted. */
static bool receive_near(const struct scene *scene, const struct seen *send,
			 const struct seen *to, struct cause *cause)
{
	const struct seen *s, *oldest = NULL;
	unsigned int n = 0;

	for (s = scene->all; s < scene->all + scene->n; s++) {
		if (s->kind != SEEN_RECV || !is_at(scene, s, to))
			continue;
		if (!n++ || s->age_ms > oldest->age_ms)
			oldest = s;
	}
	if (!n)
		return say(cause, "receive", "process %u (%s) has posted no receive there; it %s",
			   to->pid, to->comm, program_words(scene->program(to->pid)));
	if (send->tagged && oldest->tagged)
		return say(cause, "tag", "none of the %u receive%s of process %u (%s) takes it; "
			   "the oldest takes tag 0x%" PRIx64, n, plural(n), to->pid, to->comm,
			   oldest->tag);
	return say(cause, "receive", "none of the %u receive%s of process %u (%s) takes it", n,
		   plural(n), to->pid, to->comm);
}

/* What a send waits for, and what that means: words before and behind the name of the node */
static const struct {
	const char *word;
	const char *before;
	const char *behind;
} send_causes[] = {
	{ "contact", "", " has not said yet whether the endpoint exists" },
	{ "endpoint", "", " has no such endpoint: its program has not started, or has ended" },
	{ "fence", "a fence has it wait for earlier sends to ", "" },
	{ "credit", "", " keeps as many messages for the receiver as it may: its program posts no "
	  "receives for them" },
	{ "window", "the path to ", " has as many packets under way as it may; \"weftctl path "
	  "show\" has its retransmissions" },
	{ "turn", "other sends to ", " come first" },
	{ "receive", "the receiver on ", " has posted no receive that takes it" },
	{ "grant", "the receiver on ", " lets other long messages go first" },
	{ "memory", "memory of the program, or of the receiver on ", ", is being brought in: a "
	  "page fault takes long" },
	{ "ack", "", " has not acknowledged the packets: they are under way, or lost and sent "
	  "again; \"weftctl path show\" has their number" },
	{ "answer", "", " has all bytes; its results, or its report that they were received, have "
	  "not come" },
};

/* The other node knows more of a send for these reasons. */
static void hint_send(const struct seen *send, struct cause *cause)
{
	if (!strcmp(send->state, "receive"))
		hint(cause, "\"weftctl hang\" there says what it has posted");
	if (!strcmp(send->state, "credit"))
		hint(cause, "\"weftctl hang\" there says why");
}

static bool diagnose_send(const struct scene *scene, const struct seen *send, struct cause *cause)
{
	const struct seen *to = endpoint_at(scene, &send->peer);
	struct weft_sockaddr node = send->peer;
	char text[ADDR_TEXT];
	size_t i;

	node.port = 0;
	address(text, &node);
	if (to && (!strcmp(send->state, "receive") || !strcmp(send->state, "credit")))
		return receive_near(scene, send, to, cause);
	hint_send(send, cause);
	if ((!strcmp(send->state, "ack") || !strcmp(send->state, "window") ||
	     !strcmp(send->state, "contact")) && unacknowledged(scene, send, text, cause))
		return true;
	if (!strcmp(send->state, "handshake"))
		return say_handshake(text, cause);
	for (i = 0; i < sizeof(send_causes) / sizeof(send_causes[0]); i++) {
		if (strcmp(send_causes[i].word, send->state))
			continue;
		return say(cause, send_causes[i].word, "%snode %s%s", send_causes[i].before, text,
			   send_causes[i].behind);
	}
	return say(cause, send->state, "it waits for: %s", send->state);
}

/* ---- Messages --------------------------------------------------------------------------- */

static bool diagnose_msg(const struct scene *scene, const struct seen *msg, struct cause *cause)
{
	const struct seen *s;

	for (s = scene->all; s < scene->all + scene->n; s++)
		if (s->kind == SEEN_RECV && is_at(scene, s, msg))
			return false;
	return say(cause, "unread", "no receive is posted: the program %s",
		   program_words(scene->program(msg->pid)));
}

/* ---- Completion queues ------------------------------------------------------------------ */

static bool diagnose_cq(const struct scene *scene, const struct seen *cq, struct cause *cause)
{
	if (!cq->waiting)
		return false;
	return say(cause, "cq", "the program does not read its completion queue: %u of %u slots "
		   "are unread, and %u more completion%s wait%s for space; it %s", cq->unread,
		   cq->slots, cq->waiting, plural(cq->waiting), cq->waiting == 1 ? "s" : "",
		   program_words(scene->program(cq->pid)));
}

/* ---- Connections ------------------------------------------------------------------------ */

/* The peer's node has to answer. */
static bool diagnose_asking(const struct scene *scene, const struct seen *conn,
			    struct cause *cause)
{
	const struct seen *near = endpoint_at(scene, &conn->peer), *path = path_to(scene, conn);
	char peer[ADDR_TEXT], node[ADDR_TEXT];
	struct weft_sockaddr addr = conn->peer;

	addr.port = 0;
	address(node, &addr);
	address(peer, &conn->peer);
	if (near)
		return say(cause, conn->state, "process %u (%s), which has the endpoint %s, has "
			   "not %s; it %s", near->pid, near->comm, peer,
			   !strcmp(conn->state, "asking") ? "accepted the request" : "confirmed it",
			   program_words(scene->program(near->pid)));
	if (path && !strcmp(path->state, "hello"))
		return say_handshake(node, cause);
	/* a node from which nothing is expected is silent, too */
	if (path && path->flight && is_silent(path, conn))
		return say_silent(path, node, cause);
	if (!strcmp(conn->state, "asking"))
		return say(cause, "asking", "the program at %s has not accepted the request",
			   peer) &&
		       hint(cause, "\"weftctl hang\" on node %s says what it does", node);
	return say(cause, conn->state, "node %s has not confirmed %s", node,
		   !strcmp(conn->state, "accepted") ? "the connection" : "its end");
}

static bool diagnose_conn(const struct scene *scene, const struct seen *conn, struct cause *cause)
{
	if (!strcmp(conn->state, "up"))
		return false;
	if (strcmp(conn->state, "asked"))
		return diagnose_asking(scene, conn, cause);
	return say(cause, "asked", "the program has neither accepted nor refused the request; it "
		   "%s", program_words(scene->program(conn->pid)));
}

bool diagnose(const struct scene *scene, const struct seen *x, struct cause *cause)
{
	cause->hint[0] = 0;
	switch (x->kind) {
	case SEEN_RECV:
		return diagnose_recv(scene, x, cause);
	case SEEN_SEND:
		return diagnose_send(scene, x, cause);
	case SEEN_MSG:
		return diagnose_msg(scene, x, cause);
	case SEEN_CQ:
		return diagnose_cq(scene, x, cause);
	case SEEN_CONN:
		return diagnose_conn(scene, x, cause);
	default:
		return false;
	}
}
