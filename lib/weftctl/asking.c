// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Questions to other nodes: what does the program do for which an object waits, and for whom does
 * it wait? This node's kernel carries them to the other one. That one answers if its administrator
 * permits it, and the endpoints have the same job.
 *
 * A command asks a few questions, each once. A node that does not answer is not asked again.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "diagnose.h"
#include "weftctl.h"

#define LOOK_MS		2
#define WAIT_MS		1500	/* for an answer */
#define ASK_MOST	32	/* questions of a command */

/* What was asked: the answer differs by the asking endpoint. */
static struct asked {
	char port[32];
	struct weft_sockaddr ep;
	struct told told;
	bool late;		/* the path was being probed for too long */
} asked[ASK_MOST];

static size_t nasked;

static void read_no(struct nlattr *attrs, int len, const void *arg)
{
	*(uint32_t *)(uintptr_t)arg = (uint32_t)find_uint(attrs, len, WEFT_ATTR_PROBE_NO);
}

static void read_held(struct told_held *h, struct nlattr *attrs, int len, int type)
{
	struct nlattr *nest = nla_find(attrs, len, type);

	memset(h, 0, sizeof(*h));
	if (!nest)
		return;
	attrs = nla_data(nest);
	len = nla_len(nest);
	h->n = (uint32_t)find_uint(attrs, len, WEFT_ATTR_ANSWER_COUNT);
	h->age_ms = find_uint(attrs, len, WEFT_ATTR_AGE) / 1000000;
	h->least = nla_find(attrs, len, WEFT_ATTR_AGE_LEAST);
	h->tagged = nla_find(attrs, len, WEFT_ATTR_TAG);
	h->tag = find_uint(attrs, len, WEFT_ATTR_TAG);
	h->ignore = find_uint(attrs, len, WEFT_ATTR_IGNORE);
	find_text(h->state, sizeof(h->state), attrs, len, WEFT_ATTR_FOR);
	h->named = find_addr(&h->peer, attrs, len, WEFT_ATTR_FROM);
}

/* The answer, or the state of the question */
struct reply {
	bool over;
	struct told *told;
};

static void read_answer(struct nlattr *attrs, int len, const void *arg)
{
	struct reply *r = (void *)(uintptr_t)arg;
	struct told *t = r->told;
	char word[16], program[4];

	find_text(word, sizeof(word), attrs, len, WEFT_ATTR_PROBE_STATE);
	r->over = !strcmp(word, "over");
	if (!r->over || nla_find(attrs, len, WEFT_ATTR_PROBE_ERR))
		return;
	find_text(word, sizeof(word), attrs, len, WEFT_ATTR_ANSWER_STATUS);
	if (!strcmp(word, "off"))
		t->status = TOLD_OFF;
	if (!strcmp(word, "none"))
		t->status = TOLD_NONE;
	if (strcmp(word, "answered"))
		return;
	t->status = TOLD_YES;
	t->pid = (uint32_t)find_uint(attrs, len, WEFT_ATTR_PID);
	copy_name(t->comm, sizeof(t->comm), nla_find(attrs, len, WEFT_ATTR_COMM));
	find_text(program, sizeof(program), attrs, len, WEFT_ATTR_ANSWER_PROGRAM);
	t->program = program[0];
	t->full = (uint32_t)find_uint(attrs, len, WEFT_ATTR_ANSWER_FULL);
	read_held(&t->recv, attrs, len, WEFT_ATTR_ANSWER_RECV);
	read_held(&t->msg, attrs, len, WEFT_ATTR_ANSWER_MSG);
	read_held(&t->send, attrs, len, WEFT_ATTR_ANSWER_SEND);
	read_held(&t->wait, attrs, len, WEFT_ATTR_ANSWER_WAIT);
}

/* Begin a question. Another one to the same node may be under way: wait for its end. */
static int begin(const struct asked *a, uint64_t until, uint32_t *no)
{
	struct nl_msg *msg;
	int err;

	for (;;) {
		msg = request(WEFT_CMD_QUESTION_ADD, false);
		if (!msg)
			return -1;
		nla_put_string(msg, WEFT_ATTR_PORT_NAME, a->port);
		nla_put(msg, WEFT_ATTR_EP_ADDR, sizeof(a->ep), &a->ep);
		nla_put(msg, WEFT_ATTR_EP_PEER, sizeof(a->told.ep), &a->told.ep);
		err = perform_quietly(msg, read_no, no);
		if (err != -EBUSY || now_ms() >= until)
			return err;
		poll(NULL, 0, LOOK_MS);
	}
}

/* Wait for the answer, but not for long: the other node may be gone. */
static void question(struct asked *a)
{
	struct reply r = { .told = &a->told };
	uint64_t until = now_ms() + WAIT_MS;
	struct nl_msg *msg;
	uint32_t no = 0;

	/* the peer may be an endpoint of this node that the user does not see */
	if (begin(a, until, &no)) {
		a->late = now_ms() >= until;
		return;
	}
	a->told.status = TOLD_SILENT;
	do {
		poll(NULL, 0, LOOK_MS);
		msg = request(WEFT_CMD_QUESTION_GET, false);
		if (!msg)
			return;
		nla_put_string(msg, WEFT_ATTR_PORT_NAME, a->port);
		nla_put_u32(msg, WEFT_ATTR_PROBE_NO, no);
	} while (!perform_quietly(msg, read_answer, &r) && !r.over && now_ms() < until);
}

/* Has the node been asked in vain? */
static bool is_silent(const char *port, const struct weft_sockaddr *addr)
{
	struct weft_sockaddr node = *addr;
	size_t i;

	for (i = 0; i < nasked; i++) {
		node.port = asked[i].told.ep.port;
		if ((asked[i].told.status == TOLD_SILENT || asked[i].late) &&
		    !strcmp(asked[i].port, port) && same_ep(&asked[i].told.ep, &node))
			return true;
	}
	return false;
}

/* Ask from @ep of @port about @peer. Return: NULL: not asked. */
static const struct told *ask_one(const char *port, const struct weft_sockaddr *ep,
				  const struct weft_sockaddr *peer)
{
	struct asked *a;
	size_t i;

	for (i = 0; i < nasked; i++)
		if (!strcmp(asked[i].port, port) && same_ep(&asked[i].ep, ep) &&
		    same_ep(&asked[i].told.ep, peer))
			return asked[i].told.status == TOLD_NOT ? NULL : &asked[i].told;
	if (nasked == ASK_MOST || is_silent(port, peer))
		return NULL;
	a = &asked[nasked++];
	memset(a, 0, sizeof(*a));
	strcpy(a->port, port);
	a->ep = *ep;
	a->told.ep = *peer;
	question(a);
	return a->told.status == TOLD_NOT ? NULL : &a->told;
}

/* The endpoint that asks for an object: its own one, or one that takes from its shared queue */
static const struct weft_sockaddr *asking_ep(const struct scene *scene, const struct seen *x)
{
	const struct seen *s;

	if (x->ep.family)
		return &x->ep;
	for (s = scene->all; s < scene->all + scene->n; s++)
		if (s->kind == SEEN_EP && s->pid == x->pid && s->ctx == x->ctx &&
		    s->srq == x->srq && !strcmp(s->port, x->port))
			return &s->ep;
	return NULL;
}

/* Is the endpoint one of those that wait already? */
static bool is_in(const struct chain *chain, const struct weft_sockaddr *ep,
		  const struct weft_sockaddr *next)
{
	size_t i;

	for (i = 0; i < chain->n; i++)
		if (same_ep(&chain->told[i].ep, next))
			return true;
	return same_ep(ep, next);
}

void ask_there(const struct scene *scene, const struct seen *x, struct chain *chain)
{
	const struct weft_sockaddr *ep = asking_ep(scene, x), *next = &x->peer;
	const struct told *told;

	chain->n = 0;
	chain->circle = false;
	while (ep && next && chain->n < TOLD_MOST && !endpoint_at(scene, next)) {
		told = ask_one(x->port, ep, next);
		if (!told)
			return;
		chain->told[chain->n++] = *told;
		next = waits_for(chain);
		if (next && is_in(chain, ep, next)) {
			chain->circle = true;
			return;
		}
	}
}
