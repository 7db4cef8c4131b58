// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_eq(3), rule by rule: events and errors, reads and writes, waiting.
 * TIMEOUT: 120 LINKS: vnet loop
 */
#include <pthread.h>
#include "cmpair.h"

#define MANY	10000

static struct fid_eq *eq;

static bool opened(enum fi_wait_obj obj, uint64_t flags)
{
	struct fi_eq_attr attr = { .size = 4, .wait_obj = obj, .flags = flags };

	CHECK(side_open(&p.a, 0, &p.o));
	CHECK_EQ(fi_eq_open(p.a.fabric, &attr, &eq, &attr), 0);
	CHECK(eq->fid.fclass == FI_CLASS_EQ && eq->fid.context == &attr);
	return true;
}

static bool put(uint64_t n)
{
	struct fi_eq_entry e = { .fid = &eq->fid, .context = &eq, .data = n };

	CHECK_EQ(fi_eq_write(eq, FI_NOTIFY, &e, sizeof(e), 0), sizeof(e));
	return true;
}

static bool got(uint64_t n, uint64_t flags)
{
	struct fi_eq_entry e;
	uint32_t type = 0;

	CHECK_EQ(fi_eq_read(eq, &type, &e, sizeof(e), flags), sizeof(e));
	CHECK_EQ(type, FI_NOTIFY);
	CHECK(e.fid == &eq->fid && e.context == &eq);
	CHECK_EQ(e.data, n);
	return true;
}

static bool empty(void)
{
	struct fi_eq_entry e;
	uint32_t type;

	CHECK_EQ(fi_eq_read(eq, &type, &e, sizeof(e), 0), -FI_EAGAIN);
	return true;
}

/* Rows end with the queue closed, whatever their result. */
static bool close_eq(bool ok)
{
	if (eq && fi_close(&eq->fid))
		ok = false;
	eq = NULL;
	return ok;
}

/* ---- Reading and writing -------------------------------------------------------------- */

static bool writing(void)
{
	uint64_t i;

	CHECK(opened(FI_WAIT_NONE, FI_WRITE));
	CHECK(empty());
	for (i = 0; i < 3; i++)
		CHECK(put(i));
	/* FI_PEEK leaves the event in the queue */
	CHECK(got(0, FI_PEEK) && got(0, FI_PEEK));
	for (i = 0; i < 3; i++)
		CHECK(got(i, 0));
	return empty();
}

static bool writes(void)
{
	return close_eq(writing());
}

/* An event that does not fit stays; longer ones keep the length of their write. */
static bool fitting(void)
{
	uint8_t out[300], in[400];
	uint32_t type;

	CHECK(opened(FI_WAIT_UNSPEC, FI_WRITE));
	pattern_fill(out, sizeof(out), 1);
	CHECK_EQ(fi_eq_write(eq, FI_NOTIFY, out, sizeof(out), 0), sizeof(out));
	memset(in, 0xee, sizeof(in));
	CHECK_EQ(fi_eq_read(eq, &type, in, sizeof(out) - 1, 0), -FI_ETOOSMALL);
	CHECK_EQ(fi_eq_read(eq, &type, in, 0, FI_PEEK), -FI_ETOOSMALL);
	CHECK_EQ(fi_eq_sread(eq, &type, in, 1, WAIT_MS, 0), -FI_ETOOSMALL);
	CHECK(all_bytes(in, sizeof(in), 0xee));
	CHECK_EQ(fi_eq_read(eq, &type, in, sizeof(in), FI_PEEK), sizeof(out));
	CHECK_EQ(fi_eq_read(eq, &type, in, sizeof(in), 0), sizeof(out));
	CHECK(pattern_is(in, sizeof(out), 1));
	CHECK(all_bytes(in + sizeof(out), sizeof(in) - sizeof(out), 0xee));
	return empty();
}

static bool fits(void)
{
	return close_eq(fitting());
}

/* Any number of events: the size is a hint, no event is lost, the queue never overruns. */
static bool many(void)
{
	uint64_t i;

	CHECK(opened(FI_WAIT_UNSPEC, FI_WRITE));
	for (i = 0; i < MANY; i++)
		CHECK(put(i));
	for (i = 0; i < MANY; i++)
		CHECK(got(i, 0));
	return empty();
}

static bool no_overrun(void)
{
	return close_eq(many());
}

static bool refusing(void)
{
	struct fi_eq_attr attr = { .flags = FI_SEND };
	struct fi_eq_err_entry err = {};
	struct fi_eq_entry e = {};
	struct fid_eq *other;
	uint32_t type;

	CHECK(opened(FI_WAIT_NONE, 0));
	CHECK_EQ(fi_eq_write(eq, FI_NOTIFY, &e, sizeof(e), 0), -FI_EINVAL);
	CHECK_EQ(fi_eq_sread(eq, &type, &e, sizeof(e), 0, 0), -FI_EINVAL);
	CHECK_EQ(fi_eq_read(eq, NULL, &e, sizeof(e), 0), -FI_EINVAL);
	CHECK_EQ(fi_eq_read(eq, &type, &e, sizeof(e), FI_SEND), -FI_EBADFLAGS);
	CHECK_EQ(fi_eq_readerr(eq, NULL, 0), -FI_EINVAL);
	CHECK_EQ(fi_eq_readerr(eq, &err, FI_SEND), -FI_EBADFLAGS);
	CHECK_EQ(fi_eq_readerr(eq, &err, 0), -FI_EAGAIN);
	CHECK_EQ(fi_close(&eq->fid), 0);
	eq = NULL;
	CHECK_EQ(fi_eq_open(p.a.fabric, &attr, &other, NULL), -FI_EBADFLAGS);
	attr.flags = FI_WRITE | FI_AFFINITY;
	attr.wait_obj = FI_WAIT_MUTEX_COND;
	CHECK_EQ(fi_eq_open(p.a.fabric, &attr, &other, NULL), -FI_ENOSYS);
	attr.wait_obj = FI_WAIT_SET;
	CHECK_EQ(fi_eq_open(p.a.fabric, &attr, &other, NULL), -FI_EINVAL);
	attr.wait_obj = FI_WAIT_FD;
	CHECK_EQ(fi_eq_open(p.a.fabric, &attr, &eq, NULL), 0);
	CHECK_EQ(fi_eq_write(eq, FI_NOTIFY, &e, sizeof(e), FI_PEEK), -FI_EINVAL);
	return fi_eq_write(eq, FI_NOTIFY, NULL, sizeof(e), 0) == -FI_EINVAL;
}

static bool refuses(void)
{
	return close_eq(refusing());
}

/* ---- Errors --------------------------------------------------------------------------- */

/* B rejects A's request, with data. */
static bool rejected(const void *data, size_t len)
{
	union cm cm;

	CHECK(asked(&cm, NULL, 0, 0));
	CHECK_EQ(fi_reject(p.pep, cm.e.info->handle, data, len), 0);
	fi_freeinfo(cm.e.info);
	return true;
}

/*
 * An error keeps its place until fi_eq_readerr() takes it; its data are copied to a buffer, if
 * given.
 */
static bool errors(void)
{
	struct fi_eq_err_entry err, twice;
	uint8_t data[64], room[64];
	uint32_t type;
	union cm cm;
	char text[8];
	int i;

	pattern_fill(data, sizeof(data), 3);
	CHECK(rejected(data, sizeof(data)));
	CHECK_EQ(event(p.a.eq, &type, &cm, sizeof(cm)), -FI_EAVAIL);
	for (i = 0; i < 3; i++)
		CHECK_EQ(fi_eq_sread(p.a.eq, &type, &cm, sizeof(cm), WAIT_MS, 0), -FI_EAVAIL);
	/* FI_PEEK with too short a buffer of the program's, and with the provider's */
	memset(&err, 0xee, sizeof(err));
	memset(room, 0xee, sizeof(room));
	err.err_data = room;
	err.err_data_size = 10;
	CHECK_EQ(fi_eq_readerr(p.a.eq, &err, FI_PEEK), sizeof(err));
	CHECK(err.fid == &p.a.ep->fid && err.context == &p.a);
	CHECK_EQ(err.err, FI_ECONNREFUSED);
	CHECK(err.err_data == room);
	CHECK_EQ(err.err_data_size, 10);
	CHECK(pattern_is(room, 10, 3) && all_bytes(room + 10, sizeof(room) - 10, 0xee));
	memset(&twice, 0, sizeof(twice));
	CHECK_EQ(fi_eq_readerr(p.a.eq, &twice, 0), sizeof(twice));
	CHECK(twice.err == err.err && twice.fid == err.fid && twice.err_data != room);
	CHECK_EQ(twice.err_data_size, sizeof(data));
	CHECK(pattern_is(twice.err_data, sizeof(data), 3));
	memset(text, 0xee, sizeof(text));
	CHECK(fi_eq_strerror(p.a.eq, err.prov_errno, NULL, NULL, 0));
	CHECK(fi_eq_strerror(p.a.eq, err.prov_errno, err.err_data, text, 5));
	CHECK(strlen(text) == 4 && all_bytes(text + 5, 3, 0xee));
	CHECK_EQ(fi_eq_readerr(p.a.eq, &err, 0), -FI_EAGAIN);
	CHECK_EQ(fi_eq_read(p.a.eq, &type, &cm, sizeof(cm), 0), -FI_EAGAIN);
	return true;
}

/* ---- Waiting -------------------------------------------------------------------------- */

static void *writer(void *arg)
{
	uint64_t i;

	for (i = 0; i < 500; i++)
		if (!put(i))
			return NULL;
	return arg;
}

/* A blocking read ends with an event, an error or at its timeout. */
static bool waiting(void)
{
	struct fi_eq_entry e;
	pthread_t thread;
	uint32_t type;
	void *done;
	uint64_t t, i;

	CHECK(opened(FI_WAIT_UNSPEC, FI_WRITE));
	t = now_ms();
	CHECK_EQ(fi_eq_sread(eq, &type, &e, sizeof(e), 0, 0), -FI_EAGAIN);
	CHECK_EQ(fi_eq_sread(eq, &type, &e, sizeof(e), 30, 0), -FI_EAGAIN);
	CHECK(now_ms() - t >= 29);
	CHECK_EQ(pthread_create(&thread, NULL, writer, &eq), 0);
	for (i = 0; i < 500; i++) {
		/* a lost event shows as a timeout */
		CHECK_EQ(fi_eq_sread(eq, &type, &e, sizeof(e), WAIT_MS, i % 3 ? 0 : FI_PEEK),
			 sizeof(e));
		CHECK_EQ(e.data, i);
		if (i % 3 == 0)
			CHECK(got(i, 0));
	}
	CHECK_EQ(pthread_join(thread, &done), 0);
	CHECK(done);
	CHECK(put(1));
	CHECK_EQ(fi_eq_sread(eq, &type, &e, sizeof(e), -1, 0), sizeof(e));
	return empty();
}

static bool waits(void)
{
	return close_eq(waiting());
}

/* ---- Life ----------------------------------------------------------------------------- */

/*
 * The queue cannot be closed while an object uses it. Unread events go with it, and so do requests.
 */
static bool closing(void)
{
	union cm cm;

	CHECK(asked(&cm, NULL, 0, 0));
	fi_freeinfo(cm.e.info);
	CHECK_EQ(fi_close(&p.b.eq->fid), -FI_EBUSY);
	CHECK_EQ(fi_close(&p.a.eq->fid), -FI_EBUSY);
	CHECK_EQ(fi_close(&p.pep->fid), 0);
	p.pep = NULL;
	CHECK_EQ(fi_close(&p.a.ep->fid), 0);
	p.a.ep = NULL;
	CHECK_EQ(fi_close(&p.b.eq->fid), 0);
	CHECK_EQ(fi_close(&p.a.eq->fid), 0);
	p.a.eq = NULL;
	p.b.eq = NULL;
	return true;
}

#define ALONE .alone = true, .once = true

static const struct row rows[] = {
	ROW("EQ-001", ON_RDM, "What is written is read in order; FI_PEEK leaves it", writes, ALONE),
	ROW("EQ-002", ON_RDM, "An event that does not fit is refused, and stays", fits, ALONE),
	ROW("EQ-003", ON_RDM, "The size is a wish: there is no overrun", no_overrun, ALONE),
	ROW("EQ-004", ON_RDM, "Wrong arguments are refused", refuses, ALONE),
	ROW("EQ-005", ON_MSG, "An error stands in its place until fi_eq_readerr takes it", errors,
	    .alone = true),
	ROW("EQ-006", ON_RDM, "A blocking read ends with an event or at its timeout", waits,
	    ALONE),
	ROW("EQ-007", ON_MSG, "A queue in use is not closed", closing, .alone = true),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
