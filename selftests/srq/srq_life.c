// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Shared receive queues through libdat2: how connections end
 * NEEDS: dat
 */
#include <string.h>
#include "srows.h"

#define BUF	(512u << 10)
#define LONG	300000

/* A message that is longer than its buffer ends its connection, and no other. */
static bool too_long(void)
{
	DAT_EVENT ev;

	CHECK(dpair_open(apart, 8, 1));
	CHECK(dpair_link(2));
	OK(post(0, 10, 1));
	OK(post(BUF, BUF, 2));
	memset(b.mem, 0xee, 64);
	OK(put(0, 0, 11, 7));
	CHECK(dto(b.rx, b.ep[0], 1, DAT_DTO_ERR_LOCAL_LENGTH, 0));
	CHECK(all_bytes(b.mem + 10, 54, 0xee));
	CHECK(conn(b.conn, DAT_CONNECTION_EVENT_BROKEN, b.ep[0]));
	CHECK(async(DAT_ASYNC_ERROR_EP_BROKEN, b.ep[0], DAT_EP_TRANSFER_TO_ERROR));
	CHECK(conn(a.conn, DAT_CONNECTION_EVENT_DISCONNECTED, a.ep[0]));
	CHECK(next(a.tx, &ev));
	CHECK(ev.event_data.dto_completion_event_data.status != DAT_DTO_SUCCESS);
	CHECK(counts(1, 1));
	pattern_fill(a.mem, 100, 3);
	OK(put(1, 0, 100, 8));
	CHECK(dto(b.rx, b.ep[1], 2, DAT_DTO_SUCCESS, 100));
	return pattern_is(b.mem + BUF, 100, 3);
}

/*
 * A message that waits for a buffer is dropped with its connection. Posted buffers stay for the
 * others.
 */
static bool nothing_held(void)
{
	CHECK(dpair_open(apart, 8, 1));
	CHECK(dpair_link(2));
	OK(put(0, 0, 8, 1));
	OK(dat_ep_disconnect(a.ep[0], DAT_CLOSE_ABRUPT_FLAG));
	CHECK(conn(a.conn, DAT_CONNECTION_EVENT_DISCONNECTED, a.ep[0]));
	CHECK(conn(b.conn, DAT_CONNECTION_EVENT_DISCONNECTED, b.ep[0]));
	CHECK(async(DAT_ASYNC_ERROR_EP_BROKEN, b.ep[0], DAT_EP_TRANSFER_TO_ERROR));
	OK(post(0, BUF, 1));
	CHECK(counts(1, 1));
	CHECK(none(b.rx));
	OK(put(1, 0, 8, 2));
	return dto(b.rx, b.ep[1], 1, DAT_DTO_SUCCESS, 8);
}

/*
 * Before a connection is made no message is sent, and no buffer taken. Sends posted before a
 * graceful end arrive; sends posted afterwards do not.
 */
static bool graceful(void)
{
	int i;

	CHECK(dpair_open(apart, 8, 1));
	OK(post(0, 64, 9));
	CHECK(dpair_ask(&a, dpair_addr()));
	FAILS(put(0, 0, 8, 9), DAT_INVALID_STATE, DAT_INVALID_STATE_EP_ACTCONNPENDING);
	CHECK(dpair_accept());
	CHECK(conn(a.conn, DAT_CONNECTION_EVENT_ESTABLISHED, a.ep[0]));
	CHECK(none(b.rx) && counts(1, 1));
	OK(put(0, 0, 8, 9));
	CHECK(dto(b.rx, b.ep[0], 9, DAT_DTO_SUCCESS, 8));
	CHECK(dto(a.tx, a.ep[0], 9, DAT_DTO_SUCCESS, 8));
	for (i = 0; i < 4; i++)
		OK(put(0, 0, i % 2 ? 8 : LONG, i));
	OK(dat_ep_disconnect(a.ep[0], DAT_CLOSE_GRACEFUL_FLAG));
	CHECK_EQ(DAT_GET_TYPE(put(0, 0, 8, 9)), DAT_INVALID_STATE);
	CHECK(none(b.conn));
	for (i = 0; i < 4; i++)
		OK(post(i * BUF, BUF, i));
	for (i = 0; i < 4; i++)
		CHECK(dto(b.rx, b.ep[0], i, DAT_DTO_SUCCESS, i % 2 ? 8 : LONG));
	CHECK(conn(b.conn, DAT_CONNECTION_EVENT_DISCONNECTED, b.ep[0]));
	CHECK(conn(a.conn, DAT_CONNECTION_EVENT_DISCONNECTED, a.ep[0]));
	for (i = 0; i < 4; i++) {
		DAT_EVENT ev;

		CHECK(next(a.tx, &ev));
		CHECK_EQ(ev.event_data.dto_completion_event_data.status, DAT_DTO_SUCCESS);
	}
	return none(b.rx) && none(a.tx);
}

static const struct srow rows[] = {
	SROW("SRQ-019", "A failed completion has its status, cookie and endpoint", too_long),
	SROW("SRQ-028", "A message longer than its buffer breaks its connection, and no other",
	     too_long),
	SROW("SRQ-032", "What is on the queue when a connection ends stays there", nothing_held),
	SROW("SRQ-029", "Connected endpoints take buffers, and those that disconnect gracefully",
	     graceful),
};

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	srows_run_everywhere(rows, ARRAY_LEN(rows));
	return results_end();
}
