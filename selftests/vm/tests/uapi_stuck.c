// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program waits in a call, for its own memory, and delays its own calls at most. Other processes
 * read state, open the device and send as usual. The program can be killed.
 * TIMEOUT: 120
 */
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "looks.h"
#include "nowhere.h"
#include "wpair.h"

#define LEN	4096
#define WAIT_S	60
#define TRIES	2000
#define TIMES	40

static struct wpair pair;
static char *gone;
static void (*call)(void);

/* Stay in the call: the memory to send cannot be read. */
static void *sender(void *arg)
{
	(void)arg;
	weft_send(pair.a.ep, gone, 100, pair.a.peer, 0, 1, WEFT_SQ_COMPLETION);
	return NULL;
}

static void destroy(void)
{
	weft_ep_destroy(pair.a.ep);
}

static void enable(void)
{
	weft_ep_enable(pair.a.ep, pair.a.cq, pair.a.cq, NULL, pair.a.av);
}

/* One thread stays in a call; another makes @call, which waits for it. Only dies. */
static bool stuck(int ready)
{
	struct uffd_msg msg;
	pthread_t thread;
	int fd;

	gone = nowhere(LEN, &fd);
	CHECK(gone);
	CHECK(wpair_open(&pair, false));
	CHECK_EQ(pthread_create(&thread, NULL, sender, NULL), 0);
	/* the page is present */
	CHECK_EQ(read(fd, &msg, sizeof(msg)), sizeof(msg));
	CHECK_EQ(msg.event, UFFD_EVENT_PAGEFAULT);
	CHECK_EQ(write(ready, "", 1), 1);
	call();
	for (;;)
		pause();
	return false;
}

/* Return: the process' first thread waits, and cannot be interrupted, for longer than a moment. */
static bool waits(pid_t pid)
{
	char path[64], text[512], *end;
	int i, times = 0;
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	for (i = 0; i < TRIES; i++) {
		f = fopen(path, "r");
		if (f) {
			n = fread(text, 1, sizeof(text) - 1, f);
			fclose(f);
		}
		text[n] = 0;
		end = strrchr(text, ')');
		times = end && end[1] && end[2] == 'D' ? times + 1 : 0;
		if (times == TIMES)
			return true;
		usleep(5000);
	}
	return false;
}

/* Calls of other processes. */
static bool others(void)
{
	struct wpair p;
	char word[8];

	CHECK_EQ(system("node 0 timeout 20 weftctl ep show >/dev/null"), 0);
	CHECK_EQ(system("node 0 timeout 20 weftctl port show >/dev/null"), 0);
	CHECK(wpair_open(&p, false));
	CHECK(wpair_move(&p, word, word, sizeof(word)));
	CHECK(port_limit(0, "dead-ms", 10000));
	return wpair_close(&p);
}

static bool one_is_stuck(void (*fn)(void))
{
	pid_t pid;
	bool ok;

	call = fn;
	pid = stuck_begin(stuck, WAIT_S);
	CHECK(pid > 0);
	CHECK(waits(pid));
	ok = others();
	return stuck_end(pid) && ok && nothing_left();
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	result(one_is_stuck(destroy), "it destroys the endpoint", "one node");
	result(one_is_stuck(enable), "it enables the endpoint again", "one node");
	return results_end();
}
