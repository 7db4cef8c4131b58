// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "looks.h"
#include "nowhere.h"
#include "silent.h"
#include "stuck_users.h"
#include "wpair.h"

#define LEN	(1ul << 20)
#define ROUNDS	100
#define STUCK	1991		/* user whose memory never comes */
#define OTHER	1992		/* user who works meanwhile */
#define WAIT_S	300
#define WAIT_MS	60000

static char *never[2];		/* memory that never comes: writable, and not */
static int nctxs;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* Send from each of its contexts what cannot be read; say so, and wait. Only dies. */
static bool stuck(int ready)
{
	struct wside to, *from = calloc(nctxs, sizeof(*from));
	struct weft_sockaddr addr, mine;
	char *buf = malloc(LEN);
	int i;

	CHECK(buf && from);
	node_enter(0);
	CHECK_EQ(setresuid(STUCK, -1, -1), 0);
	CHECK(wside_open(&to, "weft0", &addr));
	/* before the first one waits: until kernel 6.4 its mmap_lock is held meanwhile */
	for (i = 0; i < nctxs; i++) {
		CHECK(wside_open(&from[i], "weft0", &mine));
		CHECK_EQ(weft_av_insert(from[i].av, &addr, 1, &from[i].peer), 1);
		CHECK_EQ(weft_recv(to.ep, buf, LEN, WEFT_SRC_ANY, i, WEFT_RQ_COMPLETION), 0);
	}
	for (i = 0; i < nctxs; i++)
		CHECK_EQ(weft_send(from[i].ep, never[i % 2], LEN, from[i].peer, 0, i,
				   WEFT_SQ_COMPLETION), 0);
	CHECK_EQ(write(ready, "", 1), 1);
	for (;;)
		pause();
	return false;
}

static int order(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Long messages out of memory that a worker has to pin each time. */
static bool work(const char *when, bool apart)
{
	static uint64_t took[ROUNDS];
	struct wpair p;
	int i;

	CHECK_EQ(setresuid(OTHER, -1, -1), 0);
	CHECK(wpair_open(&p, apart));
	for (i = 0; i < ROUNDS; i++) {
		char *m = mmap(NULL, 2 * LEN, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		CHECK(m != MAP_FAILED);
		memset(m, 1, 2 * LEN);
		took[i] = now_ns();
		CHECK(wpair_move(&p, m, m + LEN, LEN));
		took[i] = now_ns() - took[i];
		CHECK_EQ(munmap(m, 2 * LEN), 0);
	}
	qsort(took, ROUNDS, sizeof(took[0]), order);
	printf("# 1 MiB %s, %s: median %llu us, 99th percentile %llu us\n",
	       apart ? "between nodes" : "within the node", when,
	       (unsigned long long)took[ROUNDS / 2] / 1000,
	       (unsigned long long)took[ROUNDS * 99 / 100] / 1000);
	return wpair_close(&p);
}

/* Wait until node 0 has this many contexts. */
static bool contexts_become(long long n)
{
	uint64_t until = now_ms() + WAIT_MS;

	while (port_attr(0, "contexts") != n && now_ms() < until)
		usleep(1000);
	CHECK_EQ(port_attr(0, "contexts"), n);
	return true;
}

/* The other user works, in a process of its own; its contexts end. */
static bool other(const char *when)
{
	long long before = port_attr(0, "contexts");
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		bool ok = work(when, false) && (nodes_are_one() || work(when, true));

		fflush(stdout);
		_exit(!ok);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	return contexts_become(before);
}

static bool all_stuck(pid_t *pids, int procs)
{
	long long before = port_attr(0, "counters/deferred");
	uint64_t until = now_ms() + WAIT_MS;
	int i;

	for (i = 0; i < procs; i++) {
		pids[i] = stuck_begin(stuck, WAIT_S);
		CHECK(pids[i] > 0);
	}
	while (port_attr(0, "counters/deferred") - before < procs * nctxs && now_ms() < until)
		usleep(1000);
	CHECK(port_attr(0, "counters/deferred") - before >= procs * nctxs);
	return true;
}

static bool all_killed(const pid_t *pids, int procs)
{
	int i;

	/* (kill(2) with -1 would end all programs) */
	for (i = 0; i < procs; i++)
		CHECK(pids[i] > 0 && stuck_end(pids[i]));
	return true;
}

/* Count the workers in the state @state that end contexts of the stuck user. */
static int ending(char state)
{
	char path[64], line[256], *p;
	struct dirent *e;
	int n = 0;
	DIR *d = opendir("/proc");

	while (d && (e = readdir(d))) {
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%.20s/stat", e->d_name);
		f = fopen(path, "re");
		/* PID (kworker/...+weft_ends_UID) STATE ... */
		if (f && fgets(line, sizeof(line), f) && strstr(line, "weft_ends_")) {
			p = strrchr(line, ')');
			n += p && p[1] && p[2] == state;
		}
		if (f)
			fclose(f);
	}
	if (d)
		closedir(d);
	return n;
}

/* Ends of contexts wait for that memory. The kernel must not take their workers for hung. */
static bool waits_are_idle(void)
{
	uint64_t until = now_ms() + WAIT_MS;

	while ((!ending('I') || ending('D')) && now_ms() < until)
		usleep(10000);
	CHECK(ending('I') > 0);
	CHECK_EQ(ending('D'), 0);
	return true;
}

/* The module has workers that wait: it cannot go, and the request does not wait for them. */
static bool module_stays(void)
{
	CHECK_EQ(WEXITSTATUS(system("timeout 20 rmmod weft 2>/dev/null")), 1);
	CHECK_EQ(port_attr(0, "contexts") > 0, true);
	return true;
}

static bool memory(struct silent *s)
{
	int i;

	CHECK(silent_begin(s, LEN));
	for (i = 0; i < 2; i++) {
		never[i] = mmap(NULL, LEN, PROT_READ | (i ? 0 : PROT_WRITE), MAP_PRIVATE, s->fd,
				0);
		CHECK(never[i] != MAP_FAILED);
	}
	return true;
}

int stuck_users(int procs, int ctxs)
{
	pid_t *pids = calloc(procs, sizeof(*pids));
	struct silent s;

	setvbuf(stdout, NULL, _IOLBF, 0);
	nctxs = ctxs;
	if (!pids || !result(memory(&s), "memory that never comes", "one node"))
		return results_end();
	result(other("alone"), "a user works alone", "one node");
	result(all_stuck(pids, procs), "workers of another user wait", "one node");
	result(other("beside them"), "the user works beside them", "one node");
	result(all_killed(pids, procs), "their programs are killed", "one node");
	result(other("after them"), "the user works while their contexts end", "one node");
	result(waits_are_idle(), "their ends wait idle", "one node");
	result(module_stays(), "rmmod is refused", "one node");
	result(silent_end(&s), "the memory is gone", "one node");
	result(nothing_left(), "nothing is left", "one node");
	free(pids);
	return results_end();
}
