// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An engine serves many programs. One program's message is in memory that never comes: userfaultfd
 * is asked for the page, and does not give it. The engine still serves the others, and that program
 * can be killed.
 * TIMEOUT: 120
 */
#include <string.h>
#include <unistd.h>
#include "engine_set.h"
#include "looks.h"
#include "nowhere.h"
#include "wpair.h"

#define LEN	4096
#define MSGS	2000
#define WAIT_S	30

/* Be polled, then send a message that cannot be read; say so, and wait. Only dies. */
static bool stuck(int ready)
{
	struct weft_cqe e;
	char *p = nowhere(LEN, NULL), word[8];
	struct wpair pair;
	int i;

	CHECK(p);
	CHECK(wpair_open(&pair, false));
	for (i = 0; i < 4; i++)
		CHECK(wpair_move(&pair, word, word, 0));
	/* inline, so that the endpoint is certainly polled when the next message is posted */
	CHECK_EQ(weft_send(pair.a.ep, word, 8, pair.a.peer, 0, 1,
			   WEFT_SQ_INLINE | WEFT_SQ_COMPLETION), 0);
	while (!weft_cq_read(pair.a.cq, &e, 1))
		;
	CHECK_EQ(weft_ep_flags(pair.a.ep) & WEFT_ST_SQ_NOTIFY, 0);
	CHECK_EQ(weft_send(pair.a.ep, p, 100, pair.a.peer, 0, 2, WEFT_SQ_COMPLETION), 0);
	CHECK_EQ(weft_send(pair.a.ep, word, 8, pair.a.peer, 0, 3,
			   WEFT_SQ_INLINE | WEFT_SQ_COMPLETION), 0);
	CHECK_EQ(write(ready, word, 1), 1);
	for (;;)
		pause();
	return false;
}

/* Messages that only the engine processes. */
static bool others(void)
{
	struct wpair p;
	int i;

	CHECK(wpair_open(&p, false));
	for (i = 0; i < MSGS; i++)
		CHECK(wpair_move(&p, NULL, NULL, 0));
	return wpair_close(&p);
}

static bool one_is_stuck(void)
{
	pid_t pid = stuck_begin(stuck, WAIT_S);

	CHECK(pid > 0);
	CHECK(others());
	return stuck_end(pid);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	result(engine_set(0, "engine poll idle-us 10000000"), "poll", "one node");
	result(one_is_stuck(), "a program whose memory never comes", "one node");
	result(nothing_left(), "nothing is left", "one node");
	/* an engine that ends leaves the stuck operation */
	result(engine_set(0, "engine inline idle-us 100"), "inline again", "one node");
	result(others(), "messages", "one node");
	return results_end();
}
