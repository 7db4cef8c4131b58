// SPDX-License-Identifier: GPL-2.0-only
/*
 * The core under real threads and in real time: packets, timers, workers and programs all at once.
 * The test checks that each message arrives once and whole; the sanitizers find the rest.
 */
#include <time.h>
#include <unistd.h>

#include "rig.h"
#include "harness.h"

#define APPS	4
#define ENGINES	3
#define MSGS	300		/* messages that each program sends */
#define SENDS	8		/* sends under way */
#define POSTS	16
#define ROOM	40000
#define SERVICE	6000

/**
 * struct app - a program, with a thread of its own
 * @tt: the run
 * @no: its number
 * @thread: its thread
 * @sent: messages sent
 * @done: sends completed
 * @got: messages received
 * @seen: which ones, by sender
 * @tx: buffers of sends
 * @rx: buffers of receives
 */
struct app {
	struct tt *tt;
	u32 no;
	pthread_t thread;
	u32 sent;
	u32 done;
	u32 got;
	bool seen[APPS][MSGS];
	u8 *tx[SENDS];
	u8 *rx[POSTS];
};

/**
 * struct tt - a run
 * @rig: the rig
 * @app: programs
 * @engine: threads that carry packets, run timers and work
 * @stop: they end
 * @ready: programs that have an endpoint
 * @through: programs that have sent and received all
 * @churn: endpoints come and go meanwhile
 */
struct tt {
	struct rig *rig;
	struct app app[APPS];
	pthread_t engine[ENGINES];
	bool stop;
	u32 ready;
	u32 through;
	bool churn;
};

static void rest(void)
{
	struct timespec t = { .tv_nsec = 20000 };

	nanosleep(&t, NULL);
}

static void *engine(void *arg)
{
	struct tt *tt = arg;

	while (!READ_ONCE(tt->stop))
		if (!rig_step(tt->rig, rig_now(tt->rig)))
			rest();
	return NULL;
}

/* ---- Programs -------------------------------------------------------------------- */

static u8 pattern(u32 from, u32 seq, u32 i)
{
	return from * 31 + seq * 7 + i;
}

static void post(struct rig_proc *proc, struct rig_ep *ep, struct app *app, u32 slot)
{
	struct rig_op op = {
		.flags = WEFT_RQ_COMPLETION, .peer = WEFT_SRC_ANY, .context = slot, .n = 1,
	};

	app->rx[slot] = rig_buf(proc, ROOM);
	op.iov[0].addr = (uintptr_t)app->rx[slot];
	op.iov[0].len = ROOM;
	if (rig_recv(ep, &op))
		weft_host_die(__FILE__, __LINE__, "receive is refused");
}

static u32 any_len(struct rig *rig)
{
	switch (rig_below(rig, 4)) {
	case 0:
		return 8 + rig_below(rig, 100);
	case 1:
		return 8 + rig_below(rig, 3000);
	default:
		return 8 + rig_below(rig, ROOM - 8);
	}
}

/* Send the next message, if there is a free buffer. */
static void send_next(struct rig_proc *proc, struct rig_ep *ep, struct app *app)
{
	u32 len = any_len(app->tt->rig), to = (app->no + app->sent) % APPS, word[2], i, slot;
	struct rig_op op = { .flags = WEFT_SQ_COMPLETION, .peer = to, .n = 1 };
	u8 *buf;

	for (slot = 0; slot < SENDS && app->tx[slot]; slot++)
		;
	if (slot == SENDS)
		return;
	word[0] = app->no;
	word[1] = app->sent;
	buf = rig_buf(proc, len);
	memcpy(buf, word, 8);
	for (i = 8; i < len; i++)
		buf[i] = pattern(app->no, app->sent, i);
	op.context = slot;
	op.iov[0].addr = (uintptr_t)buf;
	op.iov[0].len = len;
	if (len <= WEFT_INLINE_MAX && len & 1)
		op.flags |= WEFT_SQ_INLINE;
	if (!rig_below(app->tt->rig, 4))
		op.flags |= WEFT_SQ_DELIVERY;
	if (rig_send(ep, &op)) {
		rig_buf_free(proc, buf);
		return;
	}
	app->tx[slot] = buf;
	app->sent++;
}

static void received(struct rig_proc *proc, struct rig_ep *ep, struct app *app,
		     const struct weft_cqe *e)
{
	u32 word[2], i;
	u8 *buf = app->rx[e->context];

	if (e->status && !app->tt->churn)
		weft_host_die(__FILE__, __LINE__, "receive fails: %u", e->status);
	memcpy(word, buf, 8);
	/* other messages come from short-lived endpoints */
	if (!e->status && word[0] != APPS) {
		if (word[0] > APPS || word[1] >= MSGS || app->seen[word[0]][word[1]])
			weft_host_die(__FILE__, __LINE__, "message %u of program %u", word[1],
				      word[0]);
		for (i = 8; i < e->len; i++)
			if (buf[i] != pattern(word[0], word[1], i))
				weft_host_die(__FILE__, __LINE__,
					      "message %u of program %u differs at %u", word[1],
					      word[0], i);
		app->seen[word[0]][word[1]] = true;
		app->got++;
	}
	rig_buf_free(proc, buf);
	post(proc, ep, app, e->context);
}

/*
 * A short-lived endpoint sends a message to all programs, and is destroyed while they are under
 * way.
 */
static void blink(struct rig_proc *proc, struct rig_cq *cq, struct rig_av *av, struct tt *tt)
{
	struct rig_ep *ep = rig_ep_new(proc, WEFT_EP_RDM, 0, 16, 16, 0);
	u32 word[2] = { APPS, 0 }, i;
	u8 *buf = rig_buf(proc, ROOM);

	if (!ep || rig_ep_enable(ep, cq, cq, NULL, av))
		weft_host_die(__FILE__, __LINE__, "endpoint cannot be made");
	memcpy(buf, word, 8);
	for (i = 0; i < 8; i++) {
		struct rig_op op = { .flags = 0, .peer = rig_below(tt->rig, APPS), .n = 1 };

		op.iov[0].addr = (uintptr_t)buf;
		op.iov[0].len = any_len(tt->rig);
		rig_send(ep, &op);
	}
	if (rig_below(tt->rig, 2))
		rest();
	rig_ep_free(ep);
	rig_buf_free(proc, buf);
}

static void work(struct app *app, struct rig_proc *proc, struct rig_ep *ep, struct rig_cq *cq)
{
	bool through = false;
	struct weft_cqe e;

	while (!READ_ONCE(app->tt->stop)) {
		bool idle = true;

		if (app->sent < MSGS)
			send_next(proc, ep, app);
		while (rig_cq_read(cq, &e) > 0) {
			idle = false;
			if (!(e.flags & WEFT_CQE_SEND)) {
				received(proc, ep, app, &e);
				continue;
			}
			if (e.status)
				weft_host_die(__FILE__, __LINE__, "send fails: %u", e.status);
			rig_buf_free(proc, app->tx[e.context]);
			app->tx[e.context] = NULL;
			app->done++;
		}
		/* each program sends the same number of messages to each other one */
		if (!through && app->done == MSGS && app->got == MSGS) {
			through = true;
			__atomic_add_fetch(&app->tt->through, 1, __ATOMIC_SEQ_CST);
		}
		/* sleep until woken, now and then */
		if (idle && rig_cq_arm(cq))
			while (!READ_ONCE(cq->woken) && app->sent == MSGS &&
			       !READ_ONCE(app->tt->stop))
				rest();
	}
}

static void *program(void *arg)
{
	struct app *app = arg;
	struct tt *tt = app->tt;
	struct rig_proc *proc = rig_proc_new(&tt->rig->node[app->no % tt->rig->conf.nodes]);
	struct rig_cq *cq = rig_cq_new(proc, 32);
	struct rig_av *av = rig_av_new(proc);
	struct rig_ep *ep = rig_ep_new(proc, WEFT_EP_RDM, 0, 64, 64, SERVICE + app->no);
	u32 i;

	if (!ep || rig_ep_enable(ep, cq, cq, NULL, av))
		weft_host_die(__FILE__, __LINE__, "endpoint cannot be made");
	for (i = 0; i < APPS; i++)
		rig_av_insert(av, i % tt->rig->conf.nodes, SERVICE + i, tt->rig);
	for (i = 0; i < POSTS; i++)
		post(proc, ep, app, i);
	__atomic_add_fetch(&tt->ready, 1, __ATOMIC_SEQ_CST);
	while (READ_ONCE(tt->ready) < APPS)
		rest();
	work(app, proc, ep, cq);
	rig_proc_end(proc, app->no & 1);
	return NULL;
}

static void *blinker(void *arg)
{
	struct tt *tt = arg;
	struct rig_proc *proc = rig_proc_new(&tt->rig->node[0]);
	struct rig_cq *cq = rig_cq_new(proc, 256);
	struct rig_av *av = rig_av_new(proc);
	struct weft_cqe e;
	u32 i;

	for (i = 0; i < APPS; i++)
		rig_av_insert(av, i % tt->rig->conf.nodes, SERVICE + i, tt->rig);
	while (READ_ONCE(tt->ready) < APPS)
		rest();
	while (!READ_ONCE(tt->stop)) {
		blink(proc, cq, av, tt);
		while (rig_cq_read(cq, &e) > 0)
			;
	}
	rig_proc_end(proc, false);
	return NULL;
}

/* ---- Runs ------------------------------------------------------------------------ */

static void run(struct tt *tt, u64 seed, u32 nodes, u32 loss, bool churn, u32 cold)
{
	struct rig_conf conf;
	weft_ns end;
	pthread_t extra;
	u32 i;

	memset(tt, 0, sizeof(*tt));
	rig_conf_default(&conf, seed);
	conf.nodes = nodes;
	conf.loss = loss;
	conf.late = loss;
	conf.cold = cold;
	conf.bounce = cold / 2;
	tt->rig = rig_new(&conf);
	tt->churn = churn;
	rig_fork(tt->rig);
	for (i = 0; i < ENGINES; i++)
		pthread_create(&tt->engine[i], NULL, engine, tt);
	for (i = 0; i < APPS; i++) {
		tt->app[i].tt = tt;
		tt->app[i].no = i;
		pthread_create(&tt->app[i].thread, NULL, program, &tt->app[i]);
	}
	if (churn)
		pthread_create(&extra, NULL, blinker, tt);
	end = rig_now(tt->rig) + 25 * NSEC_PER_SEC;
	while (READ_ONCE(tt->through) < APPS && rig_now(tt->rig) < end)
		rest();
	WRITE_ONCE(tt->stop, true);
	for (i = 0; i < APPS; i++)
		pthread_join(tt->app[i].thread, NULL);
	if (churn)
		pthread_join(extra, NULL);
	for (i = 0; i < ENGINES; i++)
		pthread_join(tt->engine[i], NULL);
	rig_join(tt->rig);
	if (tt->through < APPS) {
		rig_dump(tt->rig);
		for (i = 0; i < APPS; i++)
			fprintf(stderr, "program %u: sent %u, completed %u, received %u\n", i,
				tt->app[i].sent, tt->app[i].done, tt->app[i].got);
		weft_host_die(__FILE__, __LINE__, "not everything has come in time");
	}
	rig_free(tt->rig);
}

static struct tt the_run;

TEST(threads__clean)
{
	run(&the_run, 1, 2, 0, false, 0);
}

TEST(threads__lossy)
{
	run(&the_run, 2, 2, RIG_PPM / 100, false, RIG_PPM / 8);
}

TEST(threads__local)
{
	run(&the_run, 3, 1, 0, true, RIG_PPM / 8);
}

TEST(threads__churn)
{
	run(&the_run, 4, 2, RIG_PPM / 200, true, RIG_PPM / 8);
}

TEST_HARNESS_MAIN
