// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * libweft without a kernel: the device is a memfd, ioctl() is the one below. What the library
 * writes into the rings is looked at byte by byte, and what it reads is put there by hand.
 *
 * Built together with the sources in lib/libweft. TAP on stdout.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../lib/libweft/internal.h"
#include "tap.h"

#define PAGE	4096
#define SLOTS	16

/* ---- The kernel's part ------------------------------------------------------------------ */

/* One page each; the doorbells and the status lines of all objects share theirs. */
static struct {
	struct {
		struct weft_cq_doorbell cq;
		struct weft_ep_doorbell ep;
	} bell __attribute__((aligned(PAGE)));
	struct {
		struct weft_cq_status cq;
		struct weft_ep_status ep;
	} status __attribute__((aligned(PAGE)));
	union {
		struct weft_cqe e[SLOTS];
		unsigned char raw[PAGE];
	} cq __attribute__((aligned(PAGE)));
	union {
		struct weft_sqe e[SLOTS];
		struct weft_iov iov[SLOTS * 4];
		unsigned char raw[PAGE];
	} sq __attribute__((aligned(PAGE)));
	union {
		struct weft_rqe e[SLOTS];
		struct weft_iov iov[SLOTS * 4];
		unsigned char raw[PAGE];
	} rq __attribute__((aligned(PAGE)));
} *dev;

static int event_pipe[2];
static unsigned int kicks, cq_kicks, cancels, waits;
static unsigned int kick_eintr;		/* so many kicks end early */
static uint32_t kick_handle, kick_flags;
static int destroy_errno;
static uint32_t abi = WEFT_ABI_VERSION;
static struct weft_ioc_cm last_cm;
static uint64_t last_wait;

#define PART(field, place)	((struct weft_map) {				\
	.off = (char *)&dev->field - (char *)dev,				\
	.len = PAGE,								\
	.at = (place) })

static int fake(unsigned long req, void *arg)
{
	static uint32_t next_index;
	struct weft_ioc_av_insert *av = arg;
	struct weft_ioc_query *q = arg;
	struct weft_ioc_cq *cq = arg;
	struct weft_ioc_ep *ep = arg;
	struct weft_ioc_eq *eq = arg;
	struct weft_sockaddr *addr;
	uint32_t i;

	switch (req) {
	case WEFT_IOC_QUERY:
		q->abi = abi;
		return 0;
	case WEFT_IOC_CQ_CREATE:
		cq->slots = SLOTS;
		cq->handle = 0x10001;
		cq->fd = dup(event_pipe[0]);
		cq->ring = PART(cq, 0);
		cq->doorbell = PART(bell, 0);
		cq->status = PART(status, 0);
		return 0;
	case WEFT_IOC_EP_CREATE:
		ep->handle = 0x20002;
		if (ep->type == WEFT_EP_PASSIVE)
			return 0;
		ep->sq_slots = SLOTS;
		ep->rq_slots = SLOTS;
		ep->sq = PART(sq, 0);
		ep->rq = PART(rq, 0);
		ep->doorbell = PART(bell, 64);
		ep->status = PART(status, 64);
		return 0;
	case WEFT_IOC_EQ_CREATE:
		eq->handle = 0x30003;
		eq->fd = dup(event_pipe[0]);
		return 0;
	case WEFT_IOC_AV_CREATE:
		next_index = 0;
		((struct weft_ioc_av *)arg)->handle = 0x40004;
		return 0;
	case WEFT_IOC_AV_INSERT:
		addr = (struct weft_sockaddr *)(uintptr_t)av->addrs;
		for (i = 0; i < av->count; i++) {
			int good = addr[i].family == AF_INET;

			((uint32_t *)(uintptr_t)av->index)[i] = good ? next_index++ : WEFT_SRC_ANY;
			av->done += good;
		}
		return 0;
	case WEFT_IOC_AV_REMOVE:
		av->done = av->count;
		return 0;
	case WEFT_IOC_DESTROY:
		return destroy_errno;
	case WEFT_IOC_CANCEL:
		cancels++;
		return 0;
	case WEFT_IOC_CONNECT:
	case WEFT_IOC_HANDOFF:
	case WEFT_IOC_LISTEN:
		last_cm = *(struct weft_ioc_cm *)arg;
		return 0;
	case WEFT_IOC_CQ_KICK:
		cq_kicks++;
		return 0;
	default:
		return ENOTTY;
	}
}

int ioctl(int fd, unsigned long req, ...)
{
	va_list ap;
	void *arg;

	(void)fd;
	va_start(ap, req);
	arg = va_arg(ap, void *);
	va_end(ap);

	errno = fake(req, arg);
	return errno ? -1 : 0;
}

/* A kick, or a wait; the file of the device is another kind of file. */
off64_t lseek64(int fd, off64_t where, int what)
{
	struct stat st;

	if (!fstat(fd, &st) && S_ISFIFO(st.st_mode)) {
		waits++;
		last_wait = where;
		errno = what == WEFT_CQ_SEEK_WAIT ? ETIMEDOUT : EINVAL;
		return -1;
	}
	kicks++;
	kick_handle = where;
	kick_flags = what;
	if (!kick_eintr)
		return 0;
	kick_eintr--;
	errno = EINTR;
	return -1;
}

/* ---- The test's part -------------------------------------------------------------------- */

static char dev_path[64];
static struct weft_ctx *ctx;
static struct weft_cq *cq;
static struct weft_ep *ep;

static void setup(void)
{
	struct weft_ep_attr attr = { .type = WEFT_EP_RDM, .sq_slots = SLOTS, .rq_slots = SLOTS };

	memset(dev, 0, sizeof(*dev));
	kicks = 0;
	cq_kicks = 0;
	cancels = 0;
	waits = 0;
	kick_eintr = 0;
	CHECK(!weft_open(dev_path, &ctx));
	CHECK(!weft_cq_create(ctx, SLOTS, &cq));
	CHECK(!weft_ep_create(ctx, &attr, &ep));
}

static void teardown(void)
{
	CHECK(!weft_ep_destroy(ep));
	CHECK(!weft_cq_destroy(cq));
	CHECK(!ctx->areas);
	CHECK(!weft_close(ctx));
}

/* Let all indices begin at @index, as if so many slots had gone through. */
static void start_at(uint32_t index)
{
	cq->head = index;
	cq->tail = index;
	cq->settled = index;
	dev->status.cq.tail = index;
	ep->sq.tail = index;
	ep->sq.head = index;
	ep->rq.tail = index;
	ep->rq.head = index;
	dev->status.ep.sq_head = index;
	dev->status.ep.rq_head = index;
	dev->bell.ep.sq_tail = index;
	dev->bell.ep.rq_tail = index;
}

static void pattern(unsigned char *p, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		p[i] = i * 7 + i / 64;
}

/* Bytes of a ring from slot @index on, round its end. */
static void ring_bytes(const unsigned char *ring, uint32_t index, unsigned char *out, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		out[i] = ring[(index % SLOTS * 64 + i) % (SLOTS * 64)];
}

/* What the kernel does: write an entry with @len bytes of payload to @buf. */
static void complete(uint64_t context, uint16_t status, void *buf, size_t len)
{
	uint32_t tail = dev->status.cq.tail;
	struct weft_cqe *cqe = &dev->cq.e[tail % SLOTS];
	unsigned char payload[WEFT_INLINE_MAX];
	size_t i;

	pattern(payload, len);
	for (i = 0; i < len; i++)
		dev->cq.raw[((tail + 1) % SLOTS * 64 + i) % (SLOTS * 64)] = payload[i];
	*cqe = (struct weft_cqe) {
		.context = context,
		.len = len,
		.buf = (uintptr_t)buf,
		.flags = buf ? WEFT_CQE_INLINE : 0,
		.status = status,
		.nslots = 1 + (len + 63) / 64,
		.seq = tail + 1,
	};
	dev->status.cq.tail = tail + cqe->nslots;
}

static void test_cq_wrap(void)
{
	unsigned char want[WEFT_INLINE_MAX], got[WEFT_INLINE_MAX + 1];
	struct weft_cqe cqe[4];
	size_t len;

	start_at(UINT32_MAX - 5);	/* the index wraps too */
	pattern(want, sizeof(want));
	for (len = 1; len <= sizeof(want); len += 53) {
		memset(got, 0xee, sizeof(got));
		complete(len, 0, got, len);
		CHECK(weft_cq_pending(cq, weft_cq_seen(cq)));
		CHECK(weft_cq_read(cq, cqe, 4) == 1);
		CHECK(cqe[0].context == len && cqe[0].len == len);
		CHECK(!memcmp(got, want, len));
		CHECK(got[len] == 0xee);
		CHECK(dev->bell.cq.head == dev->status.cq.tail);
		CHECK(!weft_cq_pending(cq, weft_cq_seen(cq)));
	}
}

/* The payload of what has not been read is copied once, when it is settled, and not again. */
static void test_cq_settle(void)
{
	unsigned char want[200], got[200] = { 0 }, later[200] = { 0 };
	struct weft_cqe cqe;

	start_at(UINT32_MAX - 2);
	pattern(want, sizeof(want));
	complete(1, 0, got, sizeof(got));
	complete(2, 0, NULL, 0);
	weft_cq_settle(cq);
	CHECK(!memcmp(got, want, sizeof(want)));
	memset(got, 0xee, sizeof(got));
	complete(3, 0, later, sizeof(later));
	CHECK(weft_cq_read(cq, &cqe, 1) == 1 && cqe.context == 1 && cqe.len == sizeof(got));
	CHECK(got[0] == 0xee && got[sizeof(got) - 1] == 0xee);
	CHECK(weft_cq_read(cq, &cqe, 1) == 1 && cqe.context == 2);
	CHECK(weft_cq_read(cq, &cqe, 1) == 1 && cqe.context == 3);
	CHECK(!memcmp(later, want, sizeof(want)));
}

static void test_cq_truncated(void)
{
	unsigned char got[65] = { 0 };
	struct weft_cqe cqe;

	complete(1, EMSGSIZE, got, 64);
	dev->cq.e[0].len = 100;
	dev->cq.e[0].olen = 40;
	CHECK(weft_cq_read(cq, &cqe, 1) == 1);
	CHECK(cqe.status == EMSGSIZE && cqe.olen == 40);
	CHECK(got[59] && !got[60]);	/* 60 bytes and no more */
}

static void test_cq_forged_seq(void)
{
	unsigned char buf[64] = { 0 };
	struct weft_cqe cqe;
	int i;

	complete(1, 0, buf, 64);
	dev->cq.e[1].seq = SLOTS + 2;	/* payload that looks like the entry of the next round */
	CHECK(weft_cq_read(cq, &cqe, 1) == 1);
	for (i = 0; i < SLOTS - 1; i++) {
		complete(2, 0, NULL, 0);
		CHECK(weft_cq_read(cq, &cqe, 1) == 1);
	}
	CHECK(weft_cq_seen(cq) == SLOTS + 1);
	CHECK(weft_cq_read(cq, &cqe, 1) == 0);
}

static void test_cq_failed_alone(void)
{
	struct weft_cqe cqe[8];
	int i;

	for (i = 0; i < 6; i++)
		complete(i, i == 2 || i == 3 ? ECANCELED : 0, NULL, 0);
	CHECK(weft_cq_read(cq, cqe, 8) == 2);
	CHECK(cqe[1].context == 1);
	CHECK(weft_cq_read(cq, cqe, 8) == 1);
	CHECK(cqe[0].context == 2 && cqe[0].status == ECANCELED);
	CHECK(weft_cq_read(cq, cqe, 8) == 1);
	CHECK(cqe[0].context == 3);
	CHECK(weft_cq_read(cq, cqe, 1) == 1);
	CHECK(weft_cq_read(cq, cqe, 8) == 1);
	CHECK(cqe[0].context == 5);
	CHECK(weft_cq_read(cq, cqe, 8) == 0);
}

/* In place: what was gone past is the kernel's again when it is said, what was looked at stays. */
static void test_cq_peek(void)
{
	unsigned char want[100], got[100] = { 0 };
	const struct weft_cqe *e;
	struct weft_cqe cqe;

	start_at(UINT32_MAX - 1);
	pattern(want, sizeof(want));
	CHECK(weft_cq_peek(cq, &e) == 0);
	complete(1, 0, got, sizeof(got));
	complete(2, ECANCELED, NULL, 0);
	complete(3, 0, NULL, 0);
	CHECK(weft_cq_peek(cq, &e) == 1 && e->context == 1);
	CHECK(!memcmp(got, want, sizeof(got)));
	memset(got, 0xee, sizeof(got));
	CHECK(weft_cq_peek(cq, &e) == 1 && e->context == 1);
	CHECK(got[0] == 0xee);		/* copied once */
	CHECK(weft_cq_next(cq, &e) == 1 && e->context == 2 && e->status == ECANCELED);
	CHECK(dev->bell.cq.head == 0);
	weft_cq_done(cq);
	CHECK(dev->bell.cq.head == 1 && weft_cq_seen(cq) == 1);
	CHECK(weft_cq_pending(cq, weft_cq_seen(cq)));
	CHECK(weft_cq_read(cq, &cqe, 1) == 1 && cqe.context == 2);
	CHECK(weft_cq_peek(cq, &e) == 1 && e->context == 3);
	CHECK(weft_cq_next(cq, &e) == 0);
	dev->status.cq.flags = WEFT_ST_CQ_KICK;
	weft_cq_done(cq);
	CHECK(cq_kicks == 1);
	CHECK(dev->bell.cq.head == dev->status.cq.tail);
	dev->status.cq.flags = WEFT_ST_CQ_ERROR;
	CHECK(weft_cq_peek(cq, &e) == -EIO);
}

/* The sender's address stands in the next slot, round the ring's end too. */
static void test_cq_from(void)
{
	struct weft_sockaddr from, want;
	const struct weft_cqe *e;
	uint32_t i;

	start_at(UINT32_MAX);
	pattern((unsigned char *)&want, sizeof(want));
	for (i = 0; i < SLOTS; i++) {
		complete(i, EADDRNOTAVAIL, NULL, sizeof(want));
		memset(&from, 0, sizeof(from));
		CHECK(weft_cq_peek(cq, &e) == 1 && e->status == EADDRNOTAVAIL);
		weft_cq_from(cq, &from);
		CHECK(!memcmp(&from, &want, sizeof(from)));
		CHECK(weft_cq_next(cq, &e) == 0);
		weft_cq_done(cq);
	}
}

static void test_cq_flags(void)
{
	struct weft_cqe cqe;

	complete(1, 0, NULL, 0);
	CHECK(weft_cq_read(cq, &cqe, 1) == 1);
	CHECK(!cq_kicks);
	complete(1, 0, NULL, 0);
	dev->status.cq.flags = WEFT_ST_CQ_KICK;
	CHECK(weft_cq_read(cq, &cqe, 1) == 1);
	CHECK(cq_kicks == 1);
	CHECK(weft_cq_read(cq, &cqe, 1) == 0);
	CHECK(cq_kicks == 1);
	dev->status.cq.flags = WEFT_ST_CQ_ERROR;
	CHECK(weft_cq_read(cq, &cqe, 1) == -EIO);
}

/* What a wait of @ns asks for. */
static uint64_t asked(uint64_t ns)
{
	CHECK(weft_cq_wait(cq, 0xfffffff7, NULL, ns) == -ETIMEDOUT);
	CHECK((uint32_t)last_wait == 0xfffffff7);
	CHECK(last_wait >> 62 == 1);
	if ((last_wait & WEFT_CQ_SEEK_EVER) == WEFT_CQ_SEEK_EVER)
		return WEFT_FOREVER;
	return (last_wait >> 32 & 0x1ffffff) << (last_wait >> 57 & 31);
}

/* Never less than what was asked for, and hardly more. */
static void test_cq_wait_time(void)
{
	uint64_t ns, got;
	int i;

	dev->status.cq.tail = 0xfffffff7;
	CHECK(asked(0) == 0);
	for (i = 0; i < 64; i++) {
		ns = 1ull << i;
		CHECK(asked(ns) == (i < 55 ? ns : WEFT_FOREVER));
		ns |= ns - 1;
		got = asked(ns);
		if (i < 55)
			CHECK(got >= ns && got - ns <= ns >> 24);
		else
			CHECK(got == WEFT_FOREVER);
		if (i < 25)
			CHECK(got == ns);
		/* the fit that is short by one */
		ns = (1ull << i) + 1;
		got = asked(ns);
		if (i < 55)
			CHECK(got >= ns && got - ns <= ns >> 24);
	}
	CHECK(asked(20000 * 1000000ull) - 20000 * 1000000ull < 1200);
	dev->status.cq.tail = 0;
}

static void test_cq_wait(void)
{
	uint32_t seen = weft_cq_seen(cq);

	CHECK(weft_cq_wait(cq, seen, NULL, 5) == -ETIMEDOUT);
	CHECK(waits == 1 && last_wait == (WEFT_CQ_SEEK | 5ull << 32 | seen));
	CHECK(weft_cq_wait(cq, seen, NULL, WEFT_FOREVER) == -ETIMEDOUT);
	CHECK(waits == 2 && last_wait == (WEFT_CQ_SEEK_EVER | seen));
	CHECK(!kicks);
	/* first the kick, then the wait */
	CHECK(weft_cq_wait(cq, seen, ep, 0) == -ETIMEDOUT);
	CHECK(waits == 3 && last_wait == (WEFT_CQ_SEEK | seen));
	CHECK(kicks == 1 && kick_handle == weft_ep_handle(ep));
	CHECK(kick_flags == (WEFT_KICK_SQ | WEFT_KICK_RQ));
	complete(1, 0, NULL, 0);
	CHECK(weft_cq_wait(cq, seen, NULL, WEFT_FOREVER) == 0);
	CHECK(waits == 3);
	/* a kick is wanted all the same */
	CHECK(weft_cq_wait(cq, seen, ep, 0) == 0);
	CHECK(waits == 3 && kicks == 2);
}

static void test_send_entry(void)
{
	struct weft_sqe *sqe = &dev->sq.e[0];
	char buf[100] = { 0 };
	const struct iovec wraps[] = { { buf, SIZE_MAX }, { buf, 10 } };

	CHECK(!weft_tsend(ep, buf, sizeof(buf), 7, 0x1234, 99, 42,
			  WEFT_SQ_COMPLETION | WEFT_SQ_DATA));
	CHECK(sqe->op == WEFT_SQ_TSEND && sqe->nslots == 1 && sqe->dst == 7);
	CHECK(sqe->flags == (WEFT_SQ_COMPLETION | WEFT_SQ_DATA));
	CHECK(sqe->context == 42 && sqe->tag == 0x1234 && sqe->data == 99);
	CHECK(sqe->addr == (uintptr_t)buf && sqe->len == 100 && sqe->niov == 1);
	CHECK(!sqe->rsvd && !sqe->rsvd2);
	CHECK(dev->bell.ep.sq_tail == 1);

	/* data without the flag and the address of nothing stay out */
	memset(sqe, 0xff, sizeof(*sqe) * 2);
	CHECK(!weft_send(ep, buf, 0, 0, 99, 43, 0));
	sqe++;
	CHECK(sqe->op == WEFT_SQ_SEND && sqe->nslots == 1 && !sqe->flags && !sqe->dst);
	CHECK(!sqe->tag && !sqe->data && !sqe->addr && !sqe->len && !sqe->niov);
	CHECK(!sqe->rsvd && !sqe->rsvd2 && sqe->context == 43);

	CHECK(weft_send(ep, buf, 1, 0, 0, 0, 1u << 20) == -EINVAL);
	CHECK(weft_send(ep, buf, WEFT_INLINE_MAX + 1, 0, 0, 0, WEFT_SQ_INLINE) == -EMSGSIZE);
	CHECK(weft_sendv(ep, wraps, 2, 0, 0, 0, WEFT_SQ_INLINE) == -EMSGSIZE);
	CHECK(dev->bell.ep.sq_tail == 2);
}

static void test_send_inline(void)
{
	unsigned char want[WEFT_INLINE_MAX], got[WEFT_INLINE_MAX];
	uint32_t at = UINT32_MAX - 7;
	struct weft_sqe *sqe;
	struct iovec iov[3];
	size_t len;

	start_at(at);
	pattern(want, sizeof(want));
	for (len = 0; len <= sizeof(want); len += 32) {
		sqe = &dev->sq.e[at % SLOTS];
		iov[0] = (struct iovec) { want, len / 3 };
		iov[1] = (struct iovec) { NULL, 0 };
		iov[2] = (struct iovec) { want + len / 3, len - len / 3 };
		if (len & 32)
			CHECK(!weft_sendv(ep, iov, 3, 0, 0, len, WEFT_SQ_INLINE));
		else
			CHECK(!weft_send(ep, want, len, 0, 0, len, WEFT_SQ_INLINE));
		CHECK(sqe->len == len && !sqe->niov && !sqe->addr);
		CHECK(sqe->flags == WEFT_SQ_INLINE);
		CHECK(sqe->nslots == 1 + (len + 63) / 64);
		ring_bytes(dev->sq.raw, at + 1, got, len);
		CHECK(!memcmp(got, want, len));
		at += sqe->nslots;
		CHECK(dev->bell.ep.sq_tail == at);
		dev->status.ep.sq_head = at;
	}
}

static void check_segments(const struct weft_iov *ring, uint32_t at, const struct iovec *iov,
			   size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		const struct weft_iov *seg = &ring[((at + 1) % SLOTS * 4 + i) % (SLOTS * 4)];

		CHECK(seg->addr == (uintptr_t)iov[i].iov_base);
		CHECK(seg->len == iov[i].iov_len);
	}
}

static void test_segments(void)
{
	struct iovec iov[WEFT_IOV_MAX + 1];
	struct weft_sqe *sqe;
	struct weft_rqe *rqe;
	uint32_t at = 14;
	size_t count, i;
	char buf[16] = { 0 };

	for (i = 0; i < WEFT_IOV_MAX + 1; i++)
		iov[i] = (struct iovec) { buf + i, i + 1 };
	for (count = 0; count <= WEFT_IOV_MAX; count++) {
		start_at(at);
		sqe = &dev->sq.e[at % SLOTS];
		rqe = &dev->rq.e[at % SLOTS];
		CHECK(!weft_tsendv(ep, iov, count, 3, 5, 0, 8, 0));
		CHECK(!weft_trecvv(ep, iov, count, 3, 5, 6, 8, WEFT_RQ_COMPLETION));
		CHECK(sqe->nslots == 1 + (count > 1) + (count > 4));
		CHECK(rqe->nslots == sqe->nslots);
		CHECK(sqe->niov == count && rqe->niov == count);
		CHECK(sqe->len == count * (count + 1) / 2 && rqe->len == sqe->len);
		CHECK(sqe->addr == (count == 1 ? (uintptr_t)buf : 0) && rqe->addr == sqe->addr);
		if (count > 1) {
			check_segments(dev->sq.iov, at, iov, count);
			check_segments(dev->rq.iov, at, iov, count);
		}
	}
	CHECK(weft_sendv(ep, iov, count, 0, 0, 0, 0) == -EINVAL);
	CHECK(weft_recvv(ep, iov, count, 0, 0, 0) == -EINVAL);
}

static void test_recv_entry(void)
{
	struct weft_rqe *rqe = dev->rq.e;
	char buf[10] = { 0 };

	memset(rqe, 0xff, sizeof(*rqe) * 3);
	CHECK(!weft_recv(ep, buf, 10, WEFT_SRC_ANY, 1, WEFT_RQ_COMPLETION));
	CHECK(rqe->op == WEFT_RQ_RECV && rqe->nslots == 1 && rqe->flags == WEFT_RQ_COMPLETION);
	CHECK(rqe->src == WEFT_SRC_ANY && rqe->context == 1 && rqe->addr == (uintptr_t)buf);
	CHECK(rqe->len == 10 && !rqe->tag && !rqe->ignore && rqe->niov == 1);
	CHECK(!rqe->part && !rqe->rsvd2);
	rqe++;
	CHECK(!weft_trecv(ep, buf, 0, 4, 5, 6, 2, 0));
	CHECK(rqe->op == WEFT_RQ_TRECV && !rqe->flags && rqe->src == 4 && rqe->tag == 5);
	CHECK(rqe->ignore == 6 && !rqe->niov && !rqe->addr && !rqe->len && rqe->context == 2);
	CHECK(dev->bell.ep.rq_tail == 2);

	CHECK(!weft_recv(ep, buf, 1, WEFT_SRC_ANY, 3, WEFT_MORE));
	CHECK(dev->bell.ep.rq_tail == 2);
	CHECK(!dev->rq.e[2].flags);
	CHECK(!weft_cancel(ep, 3));
	CHECK(dev->bell.ep.rq_tail == 3 && cancels == 1 && !kicks);
}

static void test_kick(void)
{
	char c = 0;

	CHECK(!weft_send(ep, &c, 1, 0, 0, 0, 0));
	CHECK(!kicks);
	dev->status.ep.flags = WEFT_ST_RQ_KICK;
	CHECK(!weft_send(ep, &c, 1, 0, 0, 0, 0));
	CHECK(!kicks);
	CHECK(!weft_recv(ep, &c, 1, 0, 0, 0));
	CHECK(kicks == 1 && kick_flags == WEFT_KICK_RQ);
	dev->status.ep.flags = WEFT_ST_SQ_KICK;
	kick_eintr = 2;
	CHECK(!weft_send(ep, &c, 1, 0, 0, 0, 0));
	CHECK(kicks == 4 && kick_flags == WEFT_KICK_SQ);
	weft_flush_recv(ep);
	CHECK(kicks == 4);
	weft_flush_send(ep);
	CHECK(kicks == 5);
}

static void test_more(void)
{
	char c = 0;

	dev->status.ep.flags = WEFT_ST_SQ_KICK | WEFT_ST_RQ_KICK;
	CHECK(!weft_send(ep, &c, 1, 0, 0, 0, WEFT_MORE));
	CHECK(!weft_recv(ep, &c, 1, 0, 0, WEFT_MORE));
	CHECK(dev->sq.e[0].flags == WEFT_SQ_MORE);
	CHECK(!dev->bell.ep.sq_tail && !dev->bell.ep.rq_tail && !kicks);
	CHECK(!weft_send(ep, &c, 1, 0, 0, 0, 0));
	CHECK(!dev->sq.e[1].flags);
	CHECK(dev->bell.ep.sq_tail == 2 && !dev->bell.ep.rq_tail && kicks == 1);
	CHECK(!weft_send(ep, &c, 1, 0, 0, 0, WEFT_MORE));
	weft_publish(ep);
	CHECK(dev->bell.ep.sq_tail == 3 && dev->bell.ep.rq_tail == 1 && kicks == 1);
}

static void test_full(void)
{
	char buf[128] = { 0 };
	int i;

	for (i = 0; i < SLOTS - 2; i++)
		CHECK(!weft_send(ep, buf, 1, 0, 0, 0, WEFT_MORE));
	/* three slots are wanted, two are free: what was deferred is rung for */
	CHECK(weft_send(ep, buf, 128, 0, 0, 0, WEFT_SQ_INLINE) == -EAGAIN);
	CHECK(dev->bell.ep.sq_tail == SLOTS - 2);
	CHECK(!weft_send(ep, buf, 64, 0, 0, 0, WEFT_SQ_INLINE));
	dev->status.ep.flags = WEFT_ST_SQ_KICK;
	CHECK(weft_send(ep, buf, 0, 0, 0, 0, 0) == -EAGAIN);
	CHECK(kicks == 1);
	dev->status.ep.sq_head = 2;
	CHECK(weft_send(ep, buf, 128, 0, 0, 0, WEFT_SQ_INLINE) == -EAGAIN);
	dev->status.ep.sq_head = 3;
	CHECK(!weft_send(ep, buf, 128, 0, 0, 0, WEFT_SQ_INLINE));

	for (i = 0; i < SLOTS; i++)
		CHECK(!weft_recv(ep, buf, 1, 0, 0, 0));
	CHECK(weft_recv(ep, buf, 1, 0, 0, 0) == -EAGAIN);
	dev->status.ep.flags = WEFT_ST_ERROR;
	CHECK(weft_recv(ep, buf, 1, 0, 0, 0) == -EIO);
	CHECK(weft_send(ep, buf, 1, 0, 0, 0, 0) == -EIO);
	CHECK(weft_ep_flags(ep) == WEFT_ST_ERROR);
}

static void test_life(void)
{
	struct weft_ep_attr attr = { .type = WEFT_EP_PASSIVE };
	struct lw_area *area;
	struct weft_ep *pep;
	unsigned int n = 0;
	struct weft_ctx *c;

	for (area = ctx->areas; area; area = area->next)
		n++;
	CHECK(n == 5);	/* 7 parts, two of them in pages that the others use */

	CHECK(!weft_ep_create(ctx, &attr, &pep));
	CHECK(weft_ep_flags(pep) == 0);
	CHECK(weft_send(pep, NULL, 0, 0, 0, 0, 0) == -EIO);
	CHECK(weft_recv(pep, NULL, 0, 0, 0, 0) == -EIO);
	CHECK(!weft_ep_destroy(pep));

	destroy_errno = EBUSY;
	CHECK(weft_cq_destroy(cq) == -EBUSY);
	destroy_errno = 0;
	CHECK(weft_close(ctx) == -EBUSY);

	CHECK(weft_open("no-such-port", &c) == -ENOENT);
	CHECK(weft_open("a-name-longer-than-ports-have", &c) == -ENAMETOOLONG);
	abi = WEFT_ABI_VERSION + 1;
	CHECK(weft_open(dev_path, &c) == -EPROTONOSUPPORT);
	abi = WEFT_ABI_VERSION;
}

static void put_event(uint32_t type, const char *data)
{
	struct {
		struct weft_event ev;
		char data[16];
	} e = { .ev = { .type = type, .data_len = strlen(data) } };
	size_t len = sizeof(e.ev) + ((strlen(data) + 7) & ~7ul);

	strcpy(e.data, data);
	CHECK(write(event_pipe[1], &e, len) == (ssize_t)len);
}

static void test_eq(void)
{
	char data[WEFT_CM_DATA_MAX];
	struct weft_event ev;
	struct weft_eq *eq;

	CHECK(!weft_eq_create(ctx, &eq));
	CHECK(weft_eq_read(eq, &ev, data) == -EAGAIN);
	CHECK(!weft_eq_pending(eq));
	put_event(WEFT_EV_CONNREQ, "abc");
	put_event(WEFT_EV_SHUTDOWN, "");
	put_event(WEFT_EV_CONNECTED, "12345678");
	CHECK(!weft_eq_read(eq, &ev, data));
	CHECK(ev.type == WEFT_EV_CONNREQ && ev.data_len == 3 && !memcmp(data, "abc", 3));
	CHECK(weft_eq_pending(eq));
	CHECK(!weft_eq_read(eq, &ev, NULL));
	CHECK(ev.type == WEFT_EV_SHUTDOWN && !ev.data_len);
	CHECK(!weft_eq_read(eq, &ev, data));
	CHECK(ev.type == WEFT_EV_CONNECTED && !memcmp(data, "12345678", 8));
	CHECK(!weft_eq_pending(eq));
	CHECK(weft_eq_read(eq, &ev, data) == -EAGAIN);
	CHECK(!weft_eq_destroy(eq));
}

static void test_cm(void)
{
	char data[WEFT_CM_DATA_MAX + 1] = "hello";
	struct weft_sockaddr addr = { .family = AF_INET, .port = 5 };

	CHECK(!weft_connect(ep, &addr, data, 5));
	CHECK(last_cm.size == sizeof(last_cm) && last_cm.data_len == 5);
	CHECK(!memcmp(last_cm.data, data, 6) && !memcmp(&last_cm.addr, &addr, sizeof(addr)));
	CHECK(!weft_connect(ep, &addr, NULL, 0));
	CHECK(!last_cm.data_len && !last_cm.data[0]);
	CHECK(!last_cm.timeout_ns);
	CHECK(!weft_connect_within(ep, &addr, NULL, 0, 7) && last_cm.timeout_ns == 7);
	CHECK(weft_connect(ep, &addr, data, sizeof(data)) == -EMSGSIZE);
	CHECK(!weft_handoff(ep, 9, 0x1234));
	CHECK(last_cm.conn == 9 && last_cm.addr.port == htobe16(0x1234) && !last_cm.timeout_ns);
}

static void test_av(void)
{
	static struct weft_sockaddr addr[5000];
	static uint32_t index[5000];
	struct weft_sockaddr got;
	struct weft_av *av;
	unsigned int i;

	for (i = 0; i < 5000; i++)
		addr[i] = (struct weft_sockaddr) { .family = AF_INET, .port = i };
	addr[4500].family = 0;
	CHECK(!weft_av_create(ctx, 0, &av));
	CHECK(weft_av_lookup(av, 0, &got) == -ENOENT);
	CHECK(weft_av_insert(av, addr, 5000, index) == 4999);
	CHECK(index[4499] == 4499 && index[4500] == WEFT_SRC_ANY && index[4501] == 4500);
	CHECK(!weft_av_lookup(av, 4500, &got));
	CHECK(got.port == 4501);
	CHECK(weft_av_lookup(av, 4999, &got) == -ENOENT);
	CHECK(weft_av_lookup(av, WEFT_SRC_ANY, &got) == -ENOENT);
	CHECK(weft_av_insert(av, addr, 1, NULL) == 1);
	CHECK(!weft_av_lookup(av, 4999, &got));
	CHECK(!weft_av_remove(av, index, 4500));
	CHECK(weft_av_lookup(av, 4499, &got) == -ENOENT);
	CHECK(!weft_av_lookup(av, 4500, &got));
	CHECK(!weft_av_destroy(av));
}

static void test_sockaddr(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(80) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_scope_id = 3 };
	struct sockaddr_storage ss;
	struct weft_sockaddr addr;

	inet_pton(AF_INET, "10.77.0.1", &in.sin_addr);
	inet_pton(AF_INET6, "fe80::1", &in6.sin6_addr);
	CHECK(!weft_addr_from_sockaddr(&addr, (struct sockaddr *)&in, sizeof(in)));
	CHECK(addr.addr[0] == 10 && addr.addr[3] == 1 && !addr.addr[4]);
	CHECK(weft_addr_to_sockaddr(&addr, &ss) == sizeof(in));
	CHECK(!memcmp(&ss, &in, sizeof(in)));
	CHECK(!weft_addr_from_sockaddr(&addr, (struct sockaddr *)&in6, sizeof(in6)));
	CHECK(addr.scope == 3 && addr.family == AF_INET6);
	CHECK(weft_addr_to_sockaddr(&addr, &ss) == sizeof(in6));
	CHECK(!memcmp(&ss, &in6, sizeof(in6)));
	CHECK(weft_addr_from_sockaddr(&addr, (struct sockaddr *)&in6, sizeof(in)) == -EINVAL);
	in.sin_family = AF_UNIX;
	CHECK(weft_addr_from_sockaddr(&addr, (struct sockaddr *)&in, sizeof(in)) == -EAFNOSUPPORT);
	addr.family = 0;
	CHECK(weft_addr_to_sockaddr(&addr, &ss) == -EAFNOSUPPORT);
}

static const struct test tests[] = {
	{ "completions wrap, inline payload is copied out", test_cq_wrap },
	{ "payload settled before it is read", test_cq_settle },
	{ "completions looked at in place", test_cq_peek },
	{ "completions that name their sender", test_cq_from },
	{ "inline payload of a truncated receive", test_cq_truncated },
	{ "payload that looks like a completion is none", test_cq_forged_seq },
	{ "a failed completion comes alone", test_cq_failed_alone },
	{ "completion queue's flags", test_cq_flags },
	{ "waiting for completions", test_cq_wait },
	{ "how long waits last", test_cq_wait_time },
	{ "send entries", test_send_entry },
	{ "inline payload of sends", test_send_inline },
	{ "segments", test_segments },
	{ "receive entries and cancel", test_recv_entry },
	{ "kick only when asked", test_kick },
	{ "deferred doorbells", test_more },
	{ "full rings and endpoints in error", test_full },
	{ "objects, maps and contexts", test_life },
	{ "event queue", test_eq },
	{ "connection calls", test_cm },
	{ "address vector", test_av },
	{ "socket addresses", test_sockaddr },
};

int main(void)
{
	int fd = memfd_create("weft", 0);

	if (fd < 0 || ftruncate(fd, sizeof(*dev)) || pipe2(event_pipe, O_NONBLOCK)) {
		perror("test device");
		return 1;
	}
	dev = mmap(NULL, sizeof(*dev), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (dev == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	snprintf(dev_path, sizeof(dev_path), "/proc/self/fd/%d", fd);

	return tap_run(tests, sizeof(tests) / sizeof(tests[0]), setup, teardown);
}
