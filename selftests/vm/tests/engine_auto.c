// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The engine `auto`: it does not poll for a program that calls rarely, and polls for one that calls
 * all the time. On a machine without a spare CPU polling ends, and messages still arrive.
 * TIMEOUT: 300
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "engine_set.h"
#include "looks.h"
#include "wpair.h"

#define PATIENCE_MS 60000
#define HOGS	    8

/* One message, by polling. */
static bool message(struct wpair *p, uint64_t no)
{
	unsigned int got = 0;
	struct weft_cqe e;
	int n;

	CHECK_EQ(weft_recv(p->b.ep, NULL, 0, WEFT_SRC_ANY, no, WEFT_RQ_COMPLETION), 0);
	CHECK_EQ(weft_send(p->a.ep, NULL, 0, p->a.peer, 0, no, WEFT_SQ_COMPLETION), 0);
	while (got < 2) {
		n = weft_cq_read(got ? p->a.cq : p->b.cq, &e, 1);
		CHECK(n >= 0);
		if (!n)
			continue;
		CHECK_EQ(e.status, 0);
		CHECK_EQ(e.context, no);
		got++;
	}
	return true;
}

/* At most one call in ten milliseconds, for three times the calls that start polling. */
static bool slow(struct wpair *p)
{
	long long joins = port_attr(0, "counters/engine_joins");
	int i;

	for (i = 0; i < 300; i++) {
		CHECK(message(p, i));
		usleep(1000);
	}
	CHECK_EQ(port_attr(0, "counters/engine_joins"), joins);
	CHECK_EQ(port_attr(0, "engine_hot"), 0);
	return true;
}

/* First calls that find no work, the quickest ones; then messages. */
static bool fast(struct wpair *p)
{
	long long joins = port_attr(0, "counters/engine_joins");
	uint64_t end = now_ms() + PATIENCE_MS;
	int i;

	while (port_attr(0, "counters/engine_joins") == joins && !port_attr(0, "engine_hot")) {
		CHECK(now_ms() < end);
		for (i = 0; i < 1000; i++)
			CHECK_EQ(weft_cq_wait(p->a.cq, weft_cq_seen(p->a.cq), p->a.ep, 0),
				 -ETIMEDOUT);
	}
	for (i = 0; i < 100; i++)
		CHECK(message(p, i));
	return true;
}

/* With more work than CPUs the engine stops polling. */
static bool crowd(struct wpair *p)
{
	uint64_t end = now_ms() + PATIENCE_MS;
	pid_t pid[HOGS];
	bool left = false;
	int i;

	CHECK(engine_set(0, "idle-us 10000000"));
	CHECK(fast(p));
	for (i = 0; i < HOGS; i++) {
		pid[i] = fork();
		if (!pid[i])
			for (;;)
				__asm__ volatile("" ::: "memory");
	}
	while (!left && now_ms() < end) {
		for (i = 0; i < 10; i++)
			CHECK(message(p, i));
		left = !port_attr(0, "engine_hot");
	}
	for (i = 0; i < HOGS; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
	CHECK(left);
	return true;
}

int main(void)
{
	struct wpair p;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!result(wpair_open(&p, false), "two endpoints", "one node"))
		return results_end();
	result(engine_set(0, "engine auto"), "auto", "one node");
	result(slow(&p), "a program that calls now and then", "one node");
	result(fast(&p), "a program that calls all the time", "one node");
	result(crowd(&p), "no CPU to spare", "one node");
	result(engine_set(0, "engine inline idle-us 100"), "inline again", "one node");
	result(wpair_close(&p), "endpoints are destroyed", "one node");
	result(nothing_left(), "nothing is left", "one node");
	return results_end();
}
