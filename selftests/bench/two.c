// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The measurements with two processes, and what they share (two.h). */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "clock.h"
#include "measure.h"

#define TAG	   1
#define TAG_ANSWER 2
#define OVERLAP_MIN 2e7 /* instructions or nanoseconds */
#define SPINS	   200 /* polls without a completion before others may run */

static pid_t child;
static unsigned int spins = SPINS;

static void tell(struct two *t, const void *data, size_t len)
{
	if (write(t->sock, data, len) != (ssize_t)len)
		bench_stop("the other process has ended");
}

static void hear(struct two *t, void *data, size_t len)
{
	if (recv(t->sock, data, len, MSG_WAITALL) != (ssize_t)len)
		bench_stop("the other process has ended");
}

void two_meet(struct two *t)
{
	char byte = 0;

	tell(t, &byte, 1);
	hear(t, &byte, 1);
}

/* Connected endpoints: the server listens, the client connects. */
static void connect_msg(struct two *t)
{
	char name[SIDE_ADDR];

	if (t->client) {
		hear(t, name, sizeof(name));
		side_connect(t->s, name);
	} else {
		side_listen(t->s, name);
		tell(t, name, sizeof(name));
		side_accept(t->s);
	}
}

static void connect_rdm(struct two *t)
{
	char name[SIDE_ADDR];

	side_name(t->s, name);
	tell(t, name, sizeof(name));
	hear(t, name, sizeof(name));
	side_peer(t->s, name);
}

/*
 * A process that is woken may run at once, or when the other one waits. That depends on their
 * shares of the processor in the past, so counts would not repeat. With this policy it runs when
 * the other one waits.
 */
static void take_turns(void)
{
	struct sched_param param = {};

	if (sched_setscheduler(0, SCHED_BATCH, &param))
		bench_stop("sched_setscheduler: %s", strerror(errno));
}

/* Processes that poll have a processor each, or take turns on the only one. */
static void settle(const struct two *t)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(t->client ? 0 : 1, &set);
	if (cpus < 2)
		spins = 1;
	else if (sched_setaffinity(0, sizeof(set), &set))
		bench_stop("sched_setaffinity: %s", strerror(errno));
}

static void open_end(struct two *t, const struct side_opts *o)
{
	t->s = side_open(o);
	if (t->s->o.type == FI_EP_MSG)
		connect_msg(t);
	else
		connect_rdm(t);
}

void two_open(struct two *t, const struct side_opts *client, const struct side_opts *server)
{
	int sock[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sock))
		bench_stop("socketpair: %s", strerror(errno));
	child = fork();
	if (child < 0)
		bench_stop("fork: %s", strerror(errno));
	t->client = child;
	if (!t->client)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	t->sock = sock[t->client];
	close(sock[!t->client]);
	if (client->block)
		take_turns();
	else
		settle(t);
	open_end(t, t->client ? client : server);
}

void two_open_apart(struct two *t, const struct side_opts *own, bool client, int sock)
{
	t->client = client;
	t->apart = true;
	t->sock = sock;
	open_end(t, own);
}

void two_close(struct two *t)
{
	two_meet(t);
	side_close(t->s);
	if (t->apart)
		return;
	if (!t->client)
		_exit(0);
	waitpid(child, NULL, 0);
}

/* ---- what an end does ---- */

static void progress(struct two *t)
{
	static unsigned int idle;

	if (t->s->o.block)
		side_wait(t->s);
	else if (side_reap(t->s))
		idle = 0;
	else if (++idle % spins == 0)
		sched_yield();
}

/*
 * Wait for so many more completions, counted from the opening. The other end may be ahead, so that
 * completions for the next step may have come already.
 */
static void expect(struct two *t, uint64_t sent, uint64_t received)
{
	t->sent += sent;
	t->received += received;
	while (t->s->sent < t->sent || t->s->received < t->received)
		progress(t);
}

static void put(struct two *t, char *buf, size_t size, uint64_t tag)
{
	while (size <= INJECT_MAX ? side_inject(t->s, buf, size, tag)
				  : side_send(t->s, buf, size, tag))
		side_reap(t->s);
}

static void take(struct two *t, char *buf, size_t size, uint64_t tag)
{
	while (side_recv(t->s, buf, size, tag, NULL))
		side_reap(t->s);
}

/*
 * On one machine only the client reads the clock: one reading costs as much as dozens of messages.
 * The client's samples include the server's work. On two machines each has a clock. The client does
 * not start before the server's clock runs.
 */
static void begin(struct two *t, struct span *span)
{
	if (t->apart && !t->client)
		clock_start(span);
	if (t->apart)
		two_meet(t);
	if (t->client)
		clock_start(span);
}

/* Return: in the server without a clock 0. */
static double end(const struct two *t, const struct span *span)
{
	return t->client || t->apart ? clock_stop(span) : 0;
}

/* The work of both machines, in the client. */
static void add_other(struct two *t, double *samples, int n)
{
	double other[MAX_SAMPLES];
	int i;

	if (!t->client) {
		tell(t, samples, n * sizeof(*samples));
		return;
	}
	hear(t, other, n * sizeof(*other));
	for (i = 0; i < n; i++)
		samples[i] += other[i];
}

/* ---- half a round trip, of single messages or of bursts ---- */

static void put_all(struct two *t, char *buf, size_t size, int n)
{
	for (; n; n--)
		put(t, buf, size, TAG);
}

static void take_all(struct two *t, char *buf, size_t size, int n)
{
	for (; n; n--)
		take(t, buf, size, TAG);
}

static void turns(struct two *t, char *buf, size_t size, int burst, int n)
{
	int sends = size > INJECT_MAX ? burst : 0;

	for (; n; n--) {
		if (t->client) {
			put_all(t, buf, size, burst);
			expect(t, sends, burst);
			take_all(t, buf + size, size, burst);
		} else {
			expect(t, 0, burst);
			take_all(t, buf + size, size, burst);
			put_all(t, buf, size, burst);
			expect(t, sends, 0);
		}
	}
}

void two_turns(const struct plan *plan, struct two *t, size_t size, int burst)
{
	int rep, n = plan_turns(plan, size, burst);
	double samples[MAX_SAMPLES];
	char *buf = bench_buffer(2 * size);
	struct span span;

	take_all(t, buf + size, size, burst);
	two_meet(t);
	turns(t, buf, size, burst, n);
	for (rep = 0; rep < plan->reps; rep++) {
		begin(t, &span);
		turns(t, buf, size, burst, n);
		samples[rep] = end(t, &span) / (2.0 * n * burst);
	}
	two_meet(t);
	if (t->apart)
		add_other(t, samples, plan->reps);
	if (t->client) {
		record_messages(2 * n * burst);
		record(plan, turns_name(burst), size, samples);
	}
	free(buf);
}

/* ---- many under way ---- */

/*
 * The client sends a window. The server takes it, posts receives for the next one and says so.
 * Messages after that answer find posted receives.
 */
static void windows(struct two *t, char *buf, size_t size, int under_way, int n)
{
	for (; n; n--) {
		if (t->client) {
			put_all(t, buf, size, under_way);
			expect(t, size > INJECT_MAX ? under_way : 0, 1);
			take(t, buf + size, 8, TAG_ANSWER);
		} else {
			expect(t, 0, under_way);
			take_all(t, buf, size, under_way);
			put(t, buf + size, 8, TAG_ANSWER);
		}
	}
}

void two_stream(const struct plan *plan, struct two *t, size_t size, int under_way)
{
	int rep, n = plan_iters(plan, size) / under_way + 2;
	double samples[MAX_SAMPLES];
	char *buf = bench_buffer(size + 8);
	struct span span;

	if (t->client)
		take(t, buf + size, 8, TAG_ANSWER);
	else
		take_all(t, buf, size, under_way);
	two_meet(t);
	windows(t, buf, size, under_way, 1);
	for (rep = 0; rep < plan->reps; rep++) {
		begin(t, &span);
		windows(t, buf, size, under_way, n);
		samples[rep] = end(t, &span) / ((double)n * under_way);
	}
	two_meet(t);
	if (t->client)
		record(plan, under_way == RATE_WINDOW ? "rate" : "bandwidth", size, samples);
	free(buf);
}

/* ---- transfer while the receiver computes ---- */

/*
 * One message. The server posts its receive and says so, computes for @busy without calling the
 * library, then waits. Return, in the server: the time of the transfer that is left then. If the
 * server does not compute, the time of the whole transfer.
 */
static double transfer(struct two *t, char *buf, size_t size, double busy)
{
	struct span span;
	char ready = 0;

	two_meet(t);
	if (t->client) {
		hear(t, &ready, 1);
		put(t, buf, size, TAG);
		expect(t, 1, 0);
		return 0;
	}
	take(t, buf, size, TAG);
	clock_start(&span);
	tell(t, &ready, 1);
	if (busy) {
		clock_spin(busy);
		clock_start(&span);
	}
	expect(t, 0, 1);
	return clock_stop(&span);
}

void two_overlap(const struct plan *plan, struct two *t, size_t size)
{
	double whole, rest, busy, samples[MAX_SAMPLES];
	char *buf = bench_buffer(size);
	int rep;

	transfer(t, buf, size, 0);
	for (rep = 0; rep < plan->reps; rep++) {
		whole = transfer(t, buf, size, 0);
		/* long enough for a sender that has to share the processor */
		busy = 8 * whole + OVERLAP_MIN;
		rest = transfer(t, buf, size, busy);
		samples[rep] = rest < whole ? 1 - rest / whole : 0;
	}
	/* the client prints */
	if (t->client)
		hear(t, samples, sizeof(samples));
	else
		tell(t, samples, sizeof(samples));
	if (t->client)
		record(plan, "overlap", size, samples);
	free(buf);
}
