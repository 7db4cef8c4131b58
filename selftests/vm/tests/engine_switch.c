// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Engines are switched while programs exchange messages of all lengths. Some programs poll, others
 * sleep; some are killed meanwhile. Every message arrives whole and in order, and no object is
 * left.
 *
 * Usage: engine_switch [switches [kills [seed]]]
 * TIMEOUT: 300 KERNELS: each
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "engine_set.h"
#include "looks.h"
#include "wpair.h"

#define BATCH	8
#define ROOM	200000
#define WAIT_NS 30000000000ull

/**
 * struct traffic - messages between two ends, in a thread
 * @p: the ends
 * @sleeps: the thread waits in the kernel, else it polls
 * @seed: of lengths and order
 * @stop: to end
 * @batches: done
 * @ok: no error so far
 * @thread: the thread
 * @sbuf: bytes to send
 * @rbuf: buffer of receives
 */
struct traffic {
	struct wpair p;
	bool sleeps;
	unsigned int seed;
	bool stop;
	unsigned int batches;
	bool ok;
	pthread_t thread;
	char *sbuf[BATCH];
	char *rbuf[BATCH];
};

static unsigned int seed = 1;

static size_t any_len(struct traffic *t)
{
	static const size_t most[] = { 8, 8, 900, 5000, ROOM };

	return rand_r(&t->seed) % (most[rand_r(&t->seed) % 5] + 1);
}

static bool next(struct traffic *t, struct wside *s, struct weft_cqe *e)
{
	int n;

	while (!(n = weft_cq_read(s->cq, e, 1)))
		if (t->sleeps)
			CHECK_EQ(weft_cq_wait(s->cq, weft_cq_seen(s->cq), NULL, WAIT_NS), 0);
	CHECK_EQ(n, 1);
	CHECK_EQ(e->status, 0);
	return true;
}

static bool batch(struct traffic *t)
{
	bool late = rand_r(&t->seed) & 1;
	struct weft_cqe e;
	size_t len[BATCH];
	uint32_t flags;
	int i, turn;

	for (i = 0; i < BATCH; i++) {
		len[i] = any_len(t);
		pattern_fill(t->sbuf[i], len[i], t->batches * BATCH + i);
	}
	/* receives before the sends, or sends before the receives */
	for (turn = 0; turn < 2; turn++)
		for (i = 0; i < BATCH; i++) {
			if (turn == late) {
				CHECK_EQ(weft_trecv(t->p.b.ep, t->rbuf[i], ROOM, WEFT_SRC_ANY, i, 0,
						    i, WEFT_RQ_COMPLETION), 0);
				continue;
			}
			flags = len[i] && len[i] <= 64 ? WEFT_SQ_INLINE : 0;
			CHECK_EQ(weft_tsend(t->p.a.ep, t->sbuf[i], len[i], t->p.a.peer, i, 0, i,
					    WEFT_SQ_COMPLETION | WEFT_SQ_DELIVERY | flags), 0);
		}
	for (i = 0; i < BATCH; i++) {
		CHECK(next(t, &t->p.b, &e));
		CHECK(e.context < BATCH);
		CHECK_EQ(e.len, len[e.context]);
		len[e.context] += ROOM + 1;	/* once */
		CHECK(pattern_is(t->rbuf[e.context], e.len, t->batches * BATCH + e.context));
	}
	for (i = 0; i < BATCH; i++)
		CHECK(next(t, &t->p.a, &e));
	__atomic_add_fetch(&t->batches, 1, __ATOMIC_RELAXED);
	return true;
}

static void *run(void *arg)
{
	struct traffic *t = arg;

	while (!__atomic_load_n(&t->stop, __ATOMIC_RELAXED))
		if (!batch(t))
			return NULL;
	t->ok = true;
	return NULL;
}

static bool start(struct traffic *t, bool apart, bool sleeps)
{
	int i;

	memset(t, 0, sizeof(*t));
	CHECK(wpair_open(&t->p, apart));
	t->sleeps = sleeps;
	t->seed = seed++;
	for (i = 0; i < BATCH; i++) {
		t->sbuf[i] = malloc(ROOM);
		t->rbuf[i] = malloc(ROOM);
	}
	CHECK_EQ(pthread_create(&t->thread, NULL, run, t), 0);
	return true;
}

static bool finish(struct traffic *t)
{
	int i;

	__atomic_store_n(&t->stop, true, __ATOMIC_RELAXED);
	pthread_join(t->thread, NULL);
	for (i = 0; i < BATCH; i++) {
		free(t->sbuf[i]);
		free(t->rbuf[i]);
	}
	CHECK(t->ok);
	return wpair_close(&t->p);
}

static unsigned int batches(struct traffic *t)
{
	return __atomic_load_n(&t->batches, __ATOMIC_RELAXED);
}

/* Wait until every thread has made progress. */
static bool all_go_on(struct traffic *t, int n)
{
	uint64_t end = now_ms() + 60000;
	unsigned int from[4];
	int i;

	for (i = 0; i < n; i++)
		from[i] = batches(&t[i]);
	for (i = 0; i < n; i++)
		while (batches(&t[i]) - from[i] < 2) {
			CHECK(now_ms() < end);
			usleep(1000);
		}
	return true;
}

static bool switched(unsigned int switches)
{
	static const char *const words[] = {
		"engine poll", "engine inline", "engine poll idle-us 5", "cpu 0", "idle-us 1000",
		"engine inline cpu any", "engine poll cpu 1 idle-us 1", "cpu any idle-us 200",
	};
	struct traffic t[3];
	unsigned int i;

	CHECK(start(&t[0], false, false));
	CHECK(start(&t[1], false, true));
	CHECK(start(&t[2], true, true));
	for (i = 0; i < switches; i++) {
		CHECK(engine_set(i & 1, words[rand_r(&seed) % 8]));
		CHECK(all_go_on(t, 3));
	}
	for (i = 0; i < 3; i++)
		CHECK(finish(&t[i]));
	return true;
}

static bool killed(unsigned int kills)
{
	struct traffic t;
	int status;
	pid_t pid;

	CHECK(engine_set_all("engine poll cpu any idle-us 300"));
	for (; kills; kills--) {
		fflush(stdout);
		pid = fork();
		if (!pid) {
			if (!start(&t, kills & 1, kills & 2))
				_exit(1);
			for (;;)
				pause();
		}
		usleep(100000 + rand_r(&seed) % 400000);
		kill(pid, SIGKILL);
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK(WIFSIGNALED(status));
	}
	return true;
}

int main(int argc, char **argv)
{
	unsigned int switches = argc > 1 ? strtoul(argv[1], NULL, 0) : 12;
	unsigned int kills = argc > 2 ? strtoul(argv[2], NULL, 0) : 6;

	if (argc > 3)
		seed = strtoul(argv[3], NULL, 0);
	setvbuf(stdout, NULL, _IOLBF, 0);
	result(switched(switches), "engines are switched under traffic", "both nodes");
	result(killed(kills), "programs are killed while an engine polls", "both nodes");
	result(nothing_left(), "nothing is left", "both nodes");
	result(engine_set_all("engine inline cpu any idle-us 100"), "inline again", "both nodes");
	return results_end();
}
