// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "wpair.h"

#define WAIT_NS 60000000000ull /* longer than any operation takes */
#define SLOTS	64

bool wside_open(struct wside *s, const char *port, struct weft_sockaddr *addr)
{
	struct weft_ep_attr attr = { .type = WEFT_EP_RDM, .sq_slots = SLOTS, .rq_slots = SLOTS };

	CHECK_EQ(weft_open(port, &s->ctx), 0);
	CHECK_EQ(weft_cq_create(s->ctx, 4 * SLOTS, &s->cq), 0);
	CHECK_EQ(weft_av_create(s->ctx, 1, &s->av), 0);
	CHECK_EQ(weft_ep_create(s->ctx, &attr, &s->ep), 0);
	CHECK_EQ(weft_ep_enable(s->ep, s->cq, s->cq, NULL, s->av), 0);
	CHECK_EQ(weft_getname(s->ep, addr), 0);
	return true;
}

bool wpair_open_here(struct wpair *p)
{
	struct weft_sockaddr a, b;

	memset(p, 0, sizeof(*p));
	CHECK(wside_open(&p->a, "weft0", &a) && wside_open(&p->b, "weft0", &b));
	CHECK_EQ(weft_av_insert(p->b.av, &a, 1, &p->b.peer), 1);
	CHECK_EQ(weft_av_insert(p->a.av, &b, 1, &p->a.peer), 1);
	return true;
}

bool wpair_open(struct wpair *p, bool apart)
{
	struct weft_sockaddr a, b;

	node_enter(0);
	if (!apart)
		return wpair_open_here(p);
	memset(p, 0, sizeof(*p));
	CHECK(wside_open(&p->a, "weft0", &a));
	node_enter(1);
	CHECK(wside_open(&p->b, "weft1", &b));
	CHECK_EQ(weft_av_insert(p->b.av, &a, 1, &p->b.peer), 1);
	node_enter(0);
	CHECK_EQ(weft_av_insert(p->a.av, &b, 1, &p->a.peer), 1);
	return true;
}

static bool wside_close(struct wside *s)
{
	CHECK_EQ(weft_ep_destroy(s->ep), 0);
	CHECK_EQ(weft_av_destroy(s->av), 0);
	CHECK_EQ(weft_cq_destroy(s->cq), 0);
	CHECK_EQ(weft_close(s->ctx), 0);
	return true;
}

bool wpair_close(struct wpair *p)
{
	bool a = wside_close(&p->a), b = wside_close(&p->b);

	return a && b;
}

bool wside_completion(struct wside *s, struct weft_cqe *e)
{
	int ret;

	while (!(ret = weft_cq_read(s->cq, e, 1)))
		CHECK_EQ(weft_cq_wait(s->cq, weft_cq_seen(s->cq), s->ep, WAIT_NS), 0);
	CHECK_EQ(ret, 1);
	return true;
}

bool wpair_movev(struct wpair *p, const struct iovec *src, size_t nsrc, const struct iovec *dst,
		 size_t ndst)
{
	struct weft_cqe e;
	size_t len = 0, i;

	for (i = 0; i < nsrc; i++)
		len += src[i].iov_len;
	CHECK_EQ(weft_recvv(p->b.ep, dst, ndst, WEFT_SRC_ANY, 1, WEFT_RQ_COMPLETION), 0);
	CHECK_EQ(weft_sendv(p->a.ep, src, nsrc, p->a.peer, 0, 2,
			    WEFT_SQ_COMPLETION | WEFT_SQ_DELIVERY), 0);
	CHECK(wside_completion(&p->b, &e));
	CHECK_EQ(e.status, 0);
	CHECK_EQ(e.context, 1);
	CHECK_EQ(e.len, len);
	CHECK(wside_completion(&p->a, &e));
	CHECK_EQ(e.status, 0);
	CHECK_EQ(e.context, 2);
	return true;
}

bool wpair_move(struct wpair *p, const void *src, void *dst, size_t len)
{
	struct iovec from = { (void *)src, len }, to = { dst, len };

	return wpair_movev(p, &from, 1, &to, 1);
}

bool wpair_check(struct wpair *p, void *src, void *dst, size_t len, uint32_t seed)
{
	pattern_fill(src, len, seed);
	CHECK(wpair_move(p, src, dst, len));
	CHECK(pattern_is(dst, len, seed));
	return true;
}

size_t vm_pinned(void)
{
	char line[128];
	size_t kib = 0;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f) && sscanf(line, "VmPin: %zu", &kib) != 1)
		;
	if (f)
		fclose(f);
	return kib << 10;
}

bool vm_pinned_becomes(size_t bytes)
{
	const struct timespec t = { 0, 10000000 };
	uint64_t until = now_ms() + 10000;

	while (vm_pinned() != bytes && now_ms() < until)
		nanosleep(&t, NULL);
	CHECK_EQ(vm_pinned(), bytes);
	return true;
}
