// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * libweft without a kernel: sends, receives, objects. Completion queues are in test_libweft_cq.c.
 * Built together with the sources in lib/libweft. TAP on stdout.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "fake.h"

/* Bytes of a ring from slot @index on, around its end. */
static void ring_bytes(const unsigned char *ring, uint32_t index, unsigned char *out, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		out[i] = ring[(index % SLOTS * 64 + i) % (SLOTS * 64)];
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
	CHECK(!sqe->nrem && !sqe->raddr);
	CHECK(dev->bell.ep.sq_tail == 1);

	/* data without the flag, and the address of an empty buffer, are left out */
	memset(sqe, 0xff, sizeof(*sqe) * 2);
	CHECK(!weft_send(ep, buf, 0, 0, 99, 43, 0));
	sqe++;
	CHECK(sqe->op == WEFT_SQ_SEND && sqe->nslots == 1 && !sqe->flags && !sqe->dst);
	CHECK(!sqe->tag && !sqe->data && !sqe->addr && !sqe->len && !sqe->niov);
	CHECK(!sqe->nrem && !sqe->raddr && sqe->context == 43);

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
	CHECK(dev->bell.ep.rq_tail == 3 && cancels == 1 && !notifies);
}

static void test_notify(void)
{
	char c = 0;

	CHECK(!weft_send(ep, &c, 1, 0, 0, 0, 0));
	CHECK(!notifies);
	dev->status.ep.flags = WEFT_ST_RQ_NOTIFY;
	CHECK(!weft_send(ep, &c, 1, 0, 0, 0, 0));
	CHECK(!notifies);
	CHECK(!weft_recv(ep, &c, 1, 0, 0, 0));
	CHECK(notifies == 1 && notify_flags == WEFT_NOTIFY_RQ);
	dev->status.ep.flags = WEFT_ST_SQ_NOTIFY;
	notify_eintr = 2;
	CHECK(!weft_send(ep, &c, 1, 0, 0, 0, 0));
	CHECK(notifies == 4 && notify_flags == WEFT_NOTIFY_SQ);
	weft_flush_recv(ep);
	CHECK(notifies == 4);
	weft_flush_send(ep);
	CHECK(notifies == 5);
}

static void test_more(void)
{
	char c = 0;

	dev->status.ep.flags = WEFT_ST_SQ_NOTIFY | WEFT_ST_RQ_NOTIFY;
	CHECK(!weft_send(ep, &c, 1, 0, 0, 0, WEFT_MORE));
	CHECK(!weft_recv(ep, &c, 1, 0, 0, WEFT_MORE));
	CHECK(dev->sq.e[0].flags == WEFT_SQ_MORE);
	CHECK(!dev->bell.ep.sq_tail && !dev->bell.ep.rq_tail && !notifies);
	CHECK(!weft_send(ep, &c, 1, 0, 0, 0, 0));
	CHECK(!dev->sq.e[1].flags);
	CHECK(dev->bell.ep.sq_tail == 2 && !dev->bell.ep.rq_tail && notifies == 1);
	CHECK(!weft_send(ep, &c, 1, 0, 0, 0, WEFT_MORE));
	weft_publish(ep);
	CHECK(dev->bell.ep.sq_tail == 3 && dev->bell.ep.rq_tail == 1 && notifies == 1);
}

static void test_full(void)
{
	char buf[128] = { 0 };
	int i;

	for (i = 0; i < SLOTS - 2; i++)
		CHECK(!weft_send(ep, buf, 1, 0, 0, 0, WEFT_MORE));
	/* three slots are needed, two are free: the doorbell is stored for deferred posts */
	CHECK(weft_send(ep, buf, 128, 0, 0, 0, WEFT_SQ_INLINE) == -EAGAIN);
	CHECK(dev->bell.ep.sq_tail == SLOTS - 2);
	CHECK(!weft_send(ep, buf, 64, 0, 0, 0, WEFT_SQ_INLINE));
	dev->status.ep.flags = WEFT_ST_SQ_NOTIFY;
	CHECK(weft_send(ep, buf, 0, 0, 0, 0, 0) == -EAGAIN);
	CHECK(notifies == 1);
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
	CHECK(n == 5);	/* 7 parts, two of them in pages that other parts use */

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
	/* a repeated insertion is gone with the last removal */
	addr_known = true;
	CHECK(weft_av_insert(av, addr, 2, index) == 2);
	addr_known = false;
	CHECK(index[0] == 4999 && index[1] == 4999);
	for (i = 0; i < 3; i++) {
		CHECK(!weft_av_lookup(av, 4999, &got));
		CHECK(!weft_av_remove(av, index, 1));
	}
	CHECK(weft_av_lookup(av, 4999, &got) == -ENOENT);
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
	{ "send entries", test_send_entry },
	{ "inline payload of sends", test_send_inline },
	{ "segments", test_segments },
	{ "receive entries and cancel", test_recv_entry },
	{ "notify only when asked", test_notify },
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
	return fake_run(tests, sizeof(tests) / sizeof(tests[0]));
}
