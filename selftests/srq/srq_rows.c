// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Shared receive queues through libdat2: which endpoint may take a buffer, the contents, place and
 * order of completions; and the cost of a post.
 * TIMEOUT: 300 NEEDS: dat
 */
#include <stdlib.h>
#include <string.h>
#include "quiet.h"
#include "srows.h"

#define BUF 256

/* An endpoint with its own queue takes no shared buffer, whatever messages it gets. */
static bool not_attached(void)
{
	DAT_LMR_TRIPLET iov;
	DAT_EVENT ev;

	CHECK(dpair_open(apart, 8, 1));
	CHECK(dpair_link(1));
	OK(post(0, BUF, 1));
	OK(post(BUF, BUF, 2));
	/* A's endpoint has no receives yet: the message waits there */
	iov = seg(&b, 0, 8);
	OK(dat_ep_post_send(b.ep[0], 1, &iov, cookie(3), DAT_COMPLETION_DEFAULT_FLAG));
	CHECK(counts(2, 2));
	iov = seg(&a, 0, BUF);
	OK(dat_ep_post_recv(a.ep[0], 1, &iov, cookie(4), DAT_COMPLETION_DEFAULT_FLAG));
	CHECK(dto(a.rx, a.ep[0], 4, DAT_DTO_SUCCESS, 8));
	CHECK(next(b.tx, &ev));
	return counts(2, 2);
}

/* An empty buffer is enough for an empty message, and too short for any other. */
static bool no_segments(void)
{
	CHECK(dpair_open(apart, 8, 1));
	CHECK(dpair_link(1));
	OK(dat_srq_post_recv(b.srq, 0, NULL, cookie(5)));
	OK(dat_srq_post_recv(b.srq, 0, NULL, cookie(6)));
	OK(put(0, 0, 0, 0));
	CHECK(dto(b.rx, b.ep[0], 5, DAT_DTO_SUCCESS, 0));
	OK(put(0, 0, 1, 0));
	return dto(b.rx, b.ep[0], 6, DAT_DTO_ERR_LOCAL_LENGTH, 0);
}

/* The same dispatcher for both, no dispatcher, any. */
static bool cookies(void)
{
	static const uint64_t some[] = { 7, 7, 0, 0, ~0ull, 0x8000000000000001, 0x5dee66deadbeef };
	size_t i;

	CHECK(dpair_open(apart, 8, 1));
	CHECK(dpair_link(1));
	for (i = 0; i < ARRAY_LEN(some); i++)
		OK(post(0, BUF, some[i]));
	for (i = 0; i < ARRAY_LEN(some); i++) {
		OK(put(0, 0, 8, 0));
		CHECK(dto(b.rx, b.ep[0], some[i], DAT_DTO_SUCCESS, 8));
	}
	return true;
}

/* Endpoints with dispatchers of their own. */
static bool dispatchers(void)
{
	DAT_EVD_HANDLE first, second;
	DAT_EVENT ev;
	int n;

	CHECK(dpair_open(apart, 16, 1));
	CHECK(dpair_link(1));
	first = b.rx;
	OK(dat_evd_create(b.ia, 64, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, &second));
	b.rx = second;
	CHECK(dpair_link(1));
	for (n = 0; n < 8; n++)
		OK(post(0, BUF, n));
	for (n = 0; n < 8; n++)
		OK(put(n % 2, 0, 8, n));
	/* which buffers they take is open: that depends on the order of arrival */
	for (n = 0; n < 8; n++) {
		CHECK(next(n % 2 ? second : first, &ev));
		CHECK_EQ(ev.event_data.dto_completion_event_data.status, DAT_DTO_SUCCESS);
		CHECK(ev.event_data.dto_completion_event_data.ep_handle == b.ep[n % 2]);
	}
	return none(first) && none(second);
}

/* The difference of two completions, apart from the endpoint. */
static bool same(const DAT_EVENT *x, const DAT_EVENT *y)
{
	const DAT_DTO_COMPLETION_EVENT_DATA *p = &x->event_data.dto_completion_event_data;
	const DAT_DTO_COMPLETION_EVENT_DATA *q = &y->event_data.dto_completion_event_data;

	CHECK_EQ(x->event_number, y->event_number);
	CHECK_EQ(p->status, q->status);
	CHECK_EQ(p->operation, q->operation);
	CHECK_EQ(p->transfered_length, q->transfered_length);
	CHECK_EQ(p->user_cookie.as_64, q->user_cookie.as_64);
	return true;
}

/* The same messages to either side: one has shared receives, the other its own. */
static bool like_native(void)
{
	static const size_t lens[] = { 0, 1, 100, BUF };
	DAT_EVENT shared, own;
	DAT_LMR_TRIPLET iov;
	size_t i;

	CHECK(dpair_open(apart, 8, 1));
	CHECK(dpair_link(1));
	for (i = 0; i < ARRAY_LEN(lens); i++) {
		OK(post(0, BUF, 40 + i));
		iov = seg(&a, 0, BUF);
		OK(dat_ep_post_recv(a.ep[0], 1, &iov, cookie(40 + i), DAT_COMPLETION_DEFAULT_FLAG));
		OK(put(0, BUF, lens[i], 0));
		iov = seg(&b, BUF, lens[i]);
		OK(dat_ep_post_send(b.ep[0], lens[i] ? 1 : 0, &iov, cookie(0),
				    DAT_COMPLETION_DEFAULT_FLAG));
		CHECK(next(b.rx, &shared) && next(a.rx, &own));
		CHECK(same(&shared, &own));
	}
	return true;
}

/* Post, then send a message: it is taken, each time. */
static bool lockstep(void)
{
	int n, rounds = srows_times(apart ? 1000 : 10000);

	CHECK(dpair_open(apart, 8, 1));
	CHECK(dpair_link(1));
	for (n = 0; n < rounds; n++) {
		OK(post(0, BUF, n));
		OK(put(0, 0, 8, n));
		CHECK(dto(b.rx, b.ep[0], n, DAT_DTO_SUCCESS, 8));
		CHECK(dto(a.tx, a.ep[0], n, DAT_DTO_SUCCESS, 8));
	}
	return counts(0, 0);
}

/* Messages and buffers with any beginning and end. */
static bool odd(void)
{
	DAT_PROVIDER_ATTR attr;
	int at, len;

	CHECK(dpair_open(apart, 8, 1));
	CHECK(dpair_link(1));
	OK(dat_ia_query(b.ia, NULL, 0, NULL, DAT_PROVIDER_FIELD_ALL, &attr));
	CHECK(attr.optimal_buffer_alignment > 0);
	for (at = 1; at < 130; at += 13) {
		for (len = 1; len < 5000; len = len * 3 + 2) {
			memset(b.mem, 0xee, 8192);
			pattern_fill(a.mem + 3, len, at);
			OK(post(at, len, len));
			OK(put(0, 3, len, len));
			CHECK(dto(b.rx, b.ep[0], len, DAT_DTO_SUCCESS, len));
			CHECK(dto(a.tx, a.ep[0], len, DAT_DTO_SUCCESS, len));
			CHECK(all_bytes(b.mem, at, 0xee));
			CHECK(pattern_is(b.mem + at, len, at));
			CHECK(all_bytes(b.mem + at + len, 8192 - at - len, 0xee));
		}
	}
	return true;
}

/* ---- Order ----------------------------------------------------------------------------------- */

#define CONNS	8
#define EACH	250
#define ROOM	40000
#define BUFS	48

/* Most are short; some need a packet, several packets, or an announcement. */
static size_t length(int n)
{
	static const size_t some[] = { 8, 8, 60, 8, 1400, 8, 9000, 8, 35000 };

	return some[n % ARRAY_LEN(some)];
}

/* Numbered messages of several connections, each in its order. */
static bool ordered(void)
{
	int sent[CONNS] = { 0 }, got[CONNS] = { 0 }, flying = 0, total = 0, i;
	DAT_DTO_COMPLETION_EVENT_DATA *d;
	int each = srows_times(EACH);
	DAT_EVENT ev;

	CHECK(dpair_open(apart, 64, 1));
	CHECK(dpair_link(CONNS));
	for (i = 0; i < BUFS; i++)
		OK(post(i * ROOM, ROOM, i));
	while (total < CONNS * each) {
		for (i = 0; i < CONNS && flying < BUFS; i++) {
			/*
			 * each endpoint has its own buffer for as long as the message is under way
			 */
			uint32_t *at = (void *)(a.mem + (i * 64 + sent[i] % 64) * 4096);

			if (sent[i] == each || sent[i] - got[i] >= 8)
				continue;
			*at = sent[i];
			OK(put(i, (i * 64 + sent[i] % 64) * 4096, length(sent[i]), sent[i]));
			sent[i]++;
			flying++;
		}
		CHECK(next(b.rx, &ev));
		d = &ev.event_data.dto_completion_event_data;
		CHECK_EQ(d->status, DAT_DTO_SUCCESS);
		for (i = 0; d->ep_handle != b.ep[i];)
			CHECK(++i < CONNS);
		CHECK_EQ(*(uint32_t *)(b.mem + d->user_cookie.as_64 * ROOM), got[i]);
		CHECK_EQ(d->transfered_length, length(got[i]));
		got[i]++;
		total++;
		flying--;
		OK(post(d->user_cookie.as_64 * ROOM, ROOM, d->user_cookie.as_64));
		while (dat_evd_dequeue(a.tx, &ev) == DAT_SUCCESS)
			CHECK_EQ(ev.event_data.dto_completion_event_data.status, DAT_DTO_SUCCESS);
	}
	return counts_become(BUFS, BUFS);
}

/* The same with lost packets. */
static bool in_order(void)
{
	bool ok;

	CHECK(ordered());
	if (!may_lose(apart))
		return true;
	dpair_close();
	CHECK(lossy("add"));
	ok = ordered();
	return lossy("del") && ok;
}

/* ---- Cost of a post -------------------------------------------------------------------------- */

#define QUIET	20000	/* within a node */

/* Messages in a window, before (@late: after) which their buffers are posted. */
static bool flood(int msgs, bool late)
{
	int posted = 0, sent = 0, got = 0, acked = 0;
	DAT_EVENT ev;

	while (got < msgs || acked < msgs) {
		if (!late && posted < msgs && posted - got < 16) {
			OK(post(0, BUF, posted));
			posted++;
		}
		if (sent < msgs && sent - got < 16 && sent - acked < 32 &&
		    (late || sent < posted)) {
			OK(put(0, 0, 8, sent));
			sent++;
		}
		if (late && posted < sent && (sent - got == 16 || sent == msgs)) {
			OK(post(0, BUF, posted));
			posted++;
		}
		if (dat_evd_dequeue(b.rx, &ev) == DAT_SUCCESS) {
			CHECK_EQ(ev.event_data.dto_completion_event_data.status, DAT_DTO_SUCCESS);
			CHECK_EQ(ev.event_data.dto_completion_event_data.user_cookie.as_64, got);
			got++;
		}
		if (dat_evd_dequeue(a.tx, &ev) == DAT_SUCCESS)
			acked++;
	}
	return true;
}

static bool quiet_run(void)
{
	CHECK(dpair_open(apart, 64, 1));
	CHECK(dpair_link(1));
	CHECK(flood(64, true) && flood(64, false));
	CHECK(quiet_begin());
	CHECK(flood(srows_times(apart ? QUIET / 10 : QUIET), false) && flood(QUIET / 10, true));
	return quiet_end();
}

static bool quiet(void)
{
	return quiet_while(quiet_run);
}

static const struct srow rows[] = {
	SROW("SRQ-002", "An endpoint that is not attached never takes one", not_attached),
	SROW("SRQ-004", "Zero segments take a message of no bytes", no_segments),
	SROW("SRQ-006", "The cookie comes back unchanged; it need not be unique, and may be null",
	     cookies),
	SROW("SRQ-007", "The completion goes to the dispatcher of the endpoint that took the buffer",
	     dispatchers),
	SROW("SRQ-014", "A post never blocks, makes no system call, and allocates nothing", quiet),
	SROW("SRQ-015", "A message that arrives right after a post is taken", lockstep),
	SROW("SRQ-016", "Completions equal those of receives posted on the endpoint", like_native),
	SROW("SRQ-017", "For each connection completions follow the order of its sends", in_order),
	SROW("SRQ-033", "Alignment is advice only", odd),
};

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	srows_run_everywhere(rows, ARRAY_LEN(rows));
	return results_end();
}
