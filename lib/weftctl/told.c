// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What other nodes have told about the programs for which an object waits: text for "weftctl hang".
 * It asks nothing itself, so that a test can pass any answers.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "diagnose.h"
#include "weftctl.h"

__attribute__((format(printf, 2, 3)))
static void append(struct cause *cause, const char *fmt, ...)
{
	size_t len = strlen(cause->text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(cause->text + len, sizeof(cause->text) - len, fmt, ap);
	va_end(ap);
}

static const char *plural(uint32_t n)
{
	return n == 1 ? "" : "s";
}

const char *told_word(uint8_t status)
{
	static const char *const words[] = {
		[TOLD_YES] = "answered", [TOLD_OFF] = "off", [TOLD_NONE] = "none",
		[TOLD_SILENT] = "silent",
	};

	return status < sizeof(words) / sizeof(words[0]) ? words[status] : NULL;
}

static void append_tag(struct cause *cause, const struct told_held *held)
{
	if (!held->tagged)
		return;
	append(cause, " tag 0x%" PRIx64, held->tag);
	if (held->ignore)
		append(cause, " ignore 0x%" PRIx64, held->ignore);
}

/* What the program has of the asking endpoint */
static void append_between(const struct seen *x, const struct told *t, struct cause *cause)
{
	if (t->send.n) {
		append(cause, "; it has %u send%s to this endpoint under way, the oldest",
		       t->send.n, plural(t->send.n));
		append_tag(cause, &t->send);
		append(cause, " waits for: %s", t->send.state);
	}
	if (t->msg.n) {
		append(cause, "; %u message%s of this endpoint wait%s there for a receive, the "
		       "oldest", t->msg.n, plural(t->msg.n), t->msg.n == 1 ? "s" : "");
		append_tag(cause, &t->msg);
	}
	if (x->kind == SEEN_SEND && t->recv.n) {
		append(cause, "; of its %u receive%s for messages of this endpoint the oldest "
		       "takes", t->recv.n, plural(t->recv.n));
		append_tag(cause, &t->recv);
		if (!t->recv.tagged)
			append(cause, " untagged ones");
	}
}

/* For what the program waits itself */
static void append_wait(const struct told *t, struct cause *cause)
{
	const struct told_held *w = &t->wait;
	char from[ADDR_TEXT];

	if (t->full)
		append(cause, "; it does not read its completion queue: %u completion%s wait%s for "
		       "space", t->full, plural(t->full), t->full == 1 ? "s" : "");
	if (!w->n) {
		append(cause, "; it has posted no receive");
		return;
	}
	append(cause, "; its oldest receive");
	append_tag(cause, w);
	if (w->named && w->peer.family) {
		addr_text(from, &w->peer);
		append(cause, " from %s", from);
	} else {
		append(cause, " from %s", w->named ?
		       "a sender that is not in its address vector any more" : "any sender");
	}
	append(cause, " waits %s %" PRIu64 " s", w->least ? "for at least" : "since",
	       w->age_ms / 1000);
}

const struct weft_sockaddr *waits_for(const struct chain *chain)
{
	const struct told *last = chain->n ? &chain->told[chain->n - 1] : NULL;

	if (!last || last->status != TOLD_YES || !last->wait.n || !last->wait.named ||
	    !last->wait.peer.family)
		return NULL;
	return &last->wait.peer;
}

/* One program of a chain; @i: its number */
static void append_told(const struct seen *x, const struct told *t, size_t i, struct cause *cause)
{
	char ep[ADDR_TEXT];

	addr_text(ep, &t->ep);
	switch (t->status) {
	case TOLD_YES:
		append(cause, "; process %u (%s) at %s %s", t->pid, t->comm, ep,
		       program_words(t->program));
		if (!i)
			append_between(x, t, cause);
		append_wait(t, cause);
		break;
	case TOLD_OFF:
		append(cause, "; for %s, permit questions there (\"weftctl port set NAME questions "
		       "on\")", ep);
		break;
	case TOLD_NONE:
		append(cause, "; there is no endpoint %s in this job: its program has not started, "
		       "or has ended", ep);
		break;
	default:
		append(cause, "; the node of %s was asked, and did not answer", ep);
	}
}

void add_told(const struct seen *x, const struct chain *chain, struct cause *cause)
{
	bool told = chain->n && (chain->told[0].status == TOLD_YES ||
				 chain->told[0].status == TOLD_NONE);
	size_t i;

	if (cause->hint[0] && !told)
		append(cause, "; %s", cause->hint);
	for (i = 0; i < chain->n; i++)
		append_told(x, &chain->told[i], i, cause);
	if (chain->circle)
		append(cause, "; so these programs wait for one another");
}
