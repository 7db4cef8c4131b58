// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_cq(3), rule by rule: formats, reads, errors, waiting, signals.
 * TIMEOUT: 200 LINKS: vnet loop slow
 */
#include <pthread.h>
#include <stdatomic.h>
#include "rows.h"

#define MANY	1000

/* ---- Formats and reads ---------------------------------------------------------------- */

/* Two messages, the first one tagged and with data, arrive one behind the other in @buf. */
static bool two_of(int as, uint8_t *buf, size_t size)
{
	struct opts o = p.o;

	o.format = as;
	CHECK(pair_open(&p, &o));
	CHECK(post_tagged(rbuf, 64, 0x77, 0, 1) && post_plain(rbuf + 64, 64, 2));
	CHECK_EQ(fi_tsenddata(p.a.ep, sbuf, 11, NULL, 0x123456789abcdef0, p.a.peer, 0x77, ctx(3)),
		 0);
	CHECK(is_sent(3) && send_plain(22, 1, 4));
	memset(buf, 0xee, 3 * size);
	CHECK_EQ(fi_cq_sread(p.b.rxcq, buf, 1, NULL, WAIT_MS), 1);
	CHECK_EQ(fi_cq_sread(p.b.rxcq, buf + size, 2, NULL, WAIT_MS), 1);
	CHECK(all_bytes(buf + 2 * size, size, 0xee));
	CHECK_EQ(fi_cq_read(p.b.rxcq, buf, 2), -FI_EAGAIN);
	pair_close(&p);
	o.format = 0;
	p.o = o;
	return true;
}

static bool formats(void)
{
	const uint64_t tagged = FI_RECV | FI_TAGGED | FI_REMOTE_CQ_DATA;
	struct fi_cq_entry c[3];
	struct fi_cq_msg_entry m[3];
	struct fi_cq_data_entry d[3];
	struct fi_cq_tagged_entry t[3];

	CHECK(two_of(FI_CQ_FORMAT_CONTEXT, (uint8_t *)c, sizeof(c[0])));
	CHECK(c[0].op_context == ctx(1) && c[1].op_context == ctx(2));
	CHECK(two_of(-1, (uint8_t *)c, sizeof(c[0])));
	CHECK(c[0].op_context == ctx(1) && c[1].op_context == ctx(2));
	CHECK(two_of(FI_CQ_FORMAT_MSG, (uint8_t *)m, sizeof(m[0])));
	CHECK(m[0].op_context == ctx(1) && m[1].op_context == ctx(2));
	CHECK(m[0].len == 11 && m[1].len == 22);
	CHECK(m[0].flags == tagged && m[1].flags == (FI_RECV | FI_MSG));
	CHECK(two_of(FI_CQ_FORMAT_DATA, (uint8_t *)d, sizeof(d[0])));
	CHECK(d[0].op_context == ctx(1) && d[1].op_context == ctx(2));
	CHECK(d[0].len == 11 && d[1].len == 22);
	CHECK(d[0].flags == tagged && d[1].flags == (FI_RECV | FI_MSG));
	CHECK_EQ(d[0].data, 0x123456789abcdef0);
	CHECK(two_of(FI_CQ_FORMAT_TAGGED, (uint8_t *)t, sizeof(t[0])));
	CHECK(t[0].op_context == ctx(1) && t[1].op_context == ctx(2));
	CHECK(t[0].len == 11 && t[1].len == 22);
	CHECK(t[0].flags == tagged && t[1].flags == (FI_RECV | FI_MSG));
	CHECK_EQ(t[0].data, 0x123456789abcdef0);
	CHECK_EQ(t[0].tag, 0x77);
	return true;
}

/* A read takes at most what it asks for; the next read returns the rest. */
static bool counts(void)
{
	struct fi_cq_tagged_entry c[8];
	ssize_t got = 0, n;
	unsigned int i;

	CHECK_EQ(fi_cq_read(p.b.rxcq, c, 8), -FI_EAGAIN);
	CHECK_EQ(fi_cq_read(p.b.rxcq, c, 0), -FI_EAGAIN);
	for (i = 0; i < 5; i++)
		CHECK(post_plain(rbuf, 64, i) && send_plain(8, 1, 9));
	while (got < 3) {
		n = fi_cq_sread(p.b.rxcq, c + got, 3 - got, NULL, WAIT_MS);
		CHECK(n > 0 && n <= 3 - got);
		got += n;
	}
	while (got < 5) {
		n = fi_cq_sread(p.b.rxcq, c + got, 8 - got, NULL, WAIT_MS);
		CHECK(n > 0);
		got += n;
	}
	for (i = 0; i < 5; i++)
		CHECK(c[i].op_context == ctx(i));
	return true;
}

static bool sources(void)
{
	struct fi_cq_tagged_entry c;
	fi_addr_t src = 77;

	CHECK(post_plain(rbuf, 64, 1));
	CHECK_EQ(fi_send(p.a.ep, sbuf, 8, NULL, p.a.peer, ctx(2)), 0);
	CHECK_EQ(fi_cq_sreadfrom(p.a.txcq, &c, 1, &src, NULL, WAIT_MS), 1);
	CHECK_EQ(src, FI_ADDR_NOTAVAIL);
	CHECK_EQ(fi_cq_sreadfrom(p.b.rxcq, &c, 1, &src, NULL, WAIT_MS), 1);
	CHECK_EQ(src, p.b.peer);
	/* a sender outside the vector has no address */
	CHECK_EQ(fi_av_remove(p.b.av, &p.b.peer, 1, 0), 0);
	CHECK(post_plain(rbuf, 64, 1) && send_plain(8, 1, 2));
	CHECK_EQ(fi_cq_sreadfrom(p.b.rxcq, &c, 1, &src, NULL, WAIT_MS), 1);
	return src == FI_ADDR_NOTAVAIL;
}

/* However small the queue, no completion is lost while the program reads none. */
static bool none_lost(void)
{
	struct fi_cq_tagged_entry c;
	bool seen[MANY] = { false };
	unsigned int i, at;

	for (i = 0; i < MANY; i++)
		while (fi_inject(p.a.ep, &i, sizeof(i), p.a.peer) == -FI_EAGAIN)
			;
	for (i = 0; i < MANY; i++)
		CHECK(post_plain(rbuf + 4 * i, 4, i));
	/* completions come in any order, but each message is in the receive of its turn */
	for (i = 0; i < MANY; i++) {
		CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
		at = (struct fi_context2 *)c.op_context - (struct fi_context2 *)ctx(0);
		CHECK(at < MANY && !seen[at]);
		seen[at] = true;
		CHECK(!memcmp(rbuf + 4 * at, &at, 4));
	}
	return true;
}

/* ---- Errors --------------------------------------------------------------------------- */

/*
 * An error keeps its place: earlier completions are read before it, later ones after
 * fi_cq_readerr().
 */
static bool errors(void)
{
	struct fi_cq_tagged_entry c[4];
	struct fi_cq_err_entry err;
	char room[64], text[8];
	size_t i;

	CHECK(post_plain(rbuf, 64, 1) && post_tagged(rbuf + 64, 4, 5, 0, 2));
	CHECK(post_plain(rbuf + 128, 64, 3));
	CHECK(send_plain(8, 1, 7) && send_tagged(10, 5, 1, 8) && send_plain(9, 1, 9));
	CHECK_EQ(fi_cq_sread(p.b.rxcq, c, 1, NULL, WAIT_MS), 1);
	CHECK(c[0].op_context == ctx(1));
	for (i = 0; i < 3; i++) {
		CHECK_EQ(fi_cq_sread(p.b.rxcq, c, 4, NULL, WAIT_MS), -FI_EAVAIL);
		CHECK_EQ(fi_cq_read(p.b.rxcq, c, 4), -FI_EAVAIL);
	}
	memset(&err, 0xee, sizeof(err));
	memset(room, 0xee, sizeof(room));
	err.err_data = room;
	err.err_data_size = sizeof(room);
	CHECK_EQ(fi_cq_readerr(p.b.rxcq, &err, 0), 1);
	CHECK(err.op_context == ctx(2));
	CHECK_EQ(err.err, FI_ETRUNC);
	CHECK_EQ(err.flags, FI_RECV | FI_TAGGED);
	CHECK_EQ(err.olen, 6);
	CHECK_EQ(err.tag, 5);
	/* the program's own buffer, which was not used */
	CHECK(err.err_data == room && !err.err_data_size);
	CHECK(all_bytes(room, sizeof(room), 0xee));
	CHECK(fi_cq_strerror(p.b.rxcq, err.prov_errno, NULL, NULL, 0));
	memset(text, 0xee, sizeof(text));
	CHECK(fi_cq_strerror(p.b.rxcq, err.prov_errno, err.err_data, text, 5));
	CHECK_EQ(strlen(text), 4);
	CHECK(all_bytes(text + 5, 3, 0xee));
	CHECK_EQ(fi_cq_sread(p.b.rxcq, c, 4, NULL, WAIT_MS), 1);
	CHECK(c[0].op_context == ctx(3));
	memset(&err, 0, sizeof(err));
	CHECK_EQ(fi_cq_readerr(p.b.rxcq, &err, 0), -FI_EAGAIN);
	return fi_cq_readerr(p.b.rxcq, NULL, 0) == -FI_EINVAL;
}

/* A suppressed completion is reported all the same when its operation fails. */
static bool errors_told(void)
{
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry err = {};

	CHECK(post_plain(rbuf, 4, 1) && post_plain(rbuf, 64, 2));
	CHECK_EQ(fi_send(p.a.ep, sbuf, 10, NULL, p.a.peer, ctx(3)), 0);
	CHECK_EQ(fi_send(p.a.ep, sbuf, 10, NULL, p.a.peer, ctx(4)), 0);
	CHECK_EQ(fi_cq_sread(p.b.rxcq, &c, 1, NULL, WAIT_MS), -FI_EAVAIL);
	CHECK_EQ(fi_cq_readerr(p.b.rxcq, &err, 0), 1);
	CHECK_EQ(err.err, FI_ETRUNC);
	return !err.err_data;
}

/* ---- Waiting -------------------------------------------------------------------------- */

static bool timeouts(void)
{
	struct fi_cq_tagged_entry c;
	uint64_t t = now_ms();

	CHECK_EQ(fi_cq_sread(p.b.rxcq, &c, 1, NULL, 0), -FI_EAGAIN);
	CHECK_EQ(fi_cq_sread(p.b.rxcq, &c, 1, NULL, 30), -FI_EAGAIN);
	CHECK(now_ms() - t >= 29);
	CHECK(post_plain(rbuf, 64, 1) && send_plain(8, 1, 2));
	CHECK_EQ(fi_cq_sread(p.b.rxcq, &c, 1, NULL, -1), 1);
	return c.op_context == ctx(1);
}

/**
 * struct sleeper - a thread that reads, and counts how often it was woken
 * @cq: queue that it reads
 * @thread: the thread
 * @woken: reads that ended without a completion
 * @got: completions
 * @want: it ends after this many of both together
 */
struct sleeper {
	struct fid_cq *cq;
	pthread_t thread;
	atomic_uint woken;
	atomic_uint got;
	unsigned int want;
};

static void *sleeps(void *arg)
{
	struct fi_cq_tagged_entry c;
	struct sleeper *s = arg;

	while (s->woken + s->got < s->want) {
		if (fi_cq_sread(s->cq, &c, 1, NULL, -1) == 1)
			s->got++;
		else
			s->woken++;
	}
	return NULL;
}

static bool until(const atomic_uint *n, unsigned int want)
{
	uint64_t end = now_ms() + WAIT_MS;

	while (*n < want && now_ms() < end)
		;
	CHECK_EQ(*n, want);
	return true;
}

/* A signal ends a blocking read: the one under way, or else the next one. */
static bool signals(void)
{
	struct sleeper s = { .cq = p.b.rxcq, .want = 201 };
	struct fi_cq_tagged_entry c;
	unsigned int i;

	CHECK_EQ(fi_cq_signal(p.b.rxcq), 0);
	CHECK_EQ(fi_cq_sread(p.b.rxcq, &c, 1, NULL, -1), -FI_EAGAIN);
	CHECK_EQ(fi_cq_sread(p.b.rxcq, &c, 1, NULL, 1), -FI_EAGAIN);
	CHECK_EQ(pthread_create(&s.thread, NULL, sleeps, &s), 0);
	/* whether the thread sleeps already or not */
	for (i = 1; i <= 200; i++) {
		CHECK_EQ(fi_cq_signal(p.b.rxcq), 0);
		CHECK(until(&s.woken, i));
	}
	CHECK(post_plain(rbuf, 64, 1) && send_plain(8, 1, 2));
	CHECK(until(&s.got, 1));
	CHECK_EQ(pthread_join(s.thread, NULL), 0);
	return true;
}

/* Several threads wait: each completion wakes one of them, and so does a signal. */
static bool several_wait(void)
{
	unsigned int i, got = 0, woken = 0;
	struct sleeper s[3];

	memset(s, 0, sizeof(s));
	for (i = 0; i < 3; i++) {
		s[i].cq = p.b.rxcq;
		s[i].want = 1;
		CHECK_EQ(pthread_create(&s[i].thread, NULL, sleeps, &s[i]), 0);
	}
	CHECK(post_plain(rbuf, 64, 1) && post_plain(rbuf, 64, 2));
	CHECK(send_plain(8, 1, 3) && send_plain(8, 1, 4));
	while (s[0].got + s[1].got + s[2].got < 2)
		;
	CHECK_EQ(fi_cq_signal(p.b.rxcq), 0);
	for (i = 0; i < 3; i++) {
		CHECK_EQ(pthread_join(s[i].thread, NULL), 0);
		got += s[i].got;
		woken += s[i].woken;
	}
	CHECK_EQ(got, 2);
	CHECK_EQ(woken, 1);
	return true;
}

/* ---- Opening and closing -------------------------------------------------------------- */

static bool opens(void)
{
	struct fi_cq_attr attr = { .format = FI_CQ_FORMAT_TAGGED, .wait_obj = FI_WAIT_NONE };
	struct fi_cq_tagged_entry c;
	struct fid_cq *cq;

	CHECK(side_open(&p.a, 0, &p.o));
	/* without a wait object the library ignores the value */
	attr.wait_cond = FI_CQ_COND_THRESHOLD;
	attr.size = 1 << 30;
	attr.flags = FI_AFFINITY;
	attr.signaling_vector = 1;
	CHECK_EQ(fi_cq_open(p.a.domain, &attr, &cq, &cq), 0);
	CHECK(cq->fid.context == &cq && cq->fid.fclass == FI_CLASS_CQ);
	CHECK_EQ(fi_cq_sread(cq, &c, 1, NULL, 0), -FI_EINVAL);
	CHECK_EQ(fi_close(&cq->fid), 0);
	attr.flags = FI_SEND;
	CHECK_EQ(fi_cq_open(p.a.domain, &attr, &cq, NULL), -FI_EBADFLAGS);
	attr.flags = 0;
	attr.format = 77;
	CHECK_EQ(fi_cq_open(p.a.domain, &attr, &cq, NULL), -FI_EINVAL);
	attr.format = FI_CQ_FORMAT_MSG;
	attr.wait_obj = FI_WAIT_MUTEX_COND;
	CHECK_EQ(fi_cq_open(p.a.domain, &attr, &cq, NULL), -FI_ENOSYS);
	return fi_cq_open(p.a.domain, NULL, &cq, NULL) == -FI_EINVAL;
}

static bool closes(void)
{
	CHECK_EQ(fi_close(&p.b.rxcq->fid), -FI_EBUSY);
	CHECK(post_plain(rbuf, 64, 1) && send_plain(8, 1, 2));
	CHECK(is_received(1, 8, false, 0));
	/* unread completions go with the queue */
	CHECK(post_plain(rbuf, 64, 1) && send_plain(8, 1, 2));
	CHECK_EQ(fi_close(&p.b.ep->fid), 0);
	p.b.ep = NULL;
	CHECK_EQ(fi_close(&p.b.rxcq->fid), 0);
	p.b.rxcq = NULL;
	return true;
}

static const struct row rows[] = {
	ROW("CQ-001", ON_RDM, "Each format has its fields, entries stand side by side", formats,
	    .alone = true),
	ROW("CQ-002", ON_BOTH, "A read takes no more than it has room for, in order", counts),
	ROW("CQ-003", ON_FREE, "Sources are told for receives, of senders in the vector", sources),
	ROW("CQ-004", ON_BOTH, "A queue that is not read loses nothing, however small", none_lost,
	    .o.cq_size = 64),
	ROW("CQ-005", ON_BOTH, "An error stands in its place until fi_cq_readerr takes it", errors),
	ROW("CQ-006", ON_BOTH, "Suppressed operations that fail are told of", errors_told,
	    .o.selective = true),
	ROW("CQ-007", ON_RDM, "A blocking read ends with a completion or at its timeout", timeouts,
	    .once = true),
	ROW("CQ-008", ON_RDM, "fi_cq_signal ends a blocking read, the next one if there is none",
	    signals, .once = true),
	ROW("CQ-009", ON_RDM, "Of several who wait each completion and each signal wakes one",
	    several_wait, .once = true),
	ROW("CQ-010", ON_RDM, "What cannot be opened is refused", opens, .alone = true,
	    .once = true),
	ROW("CQ-011", ON_RDM, "A queue in use is not closed; unread completions go with it",
	    closes, .mess = true, .once = true),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
