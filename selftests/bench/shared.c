// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Messages to many connected endpoints that share their receives. Each message goes to the next
 * endpoint, and takes the receive that was posted before it. Both ends are in one thread.
 */
#include <stdlib.h>
#include "clock.h"
#include "measure.h"

#define DEPTH	16
#define WAIT_MS	20000
#define TURNS	1000000

/**
 * struct shared - both ends
 * @s: their objects besides endpoints
 * @ep: endpoints of each end
 * @n: how many at each end
 * @srx: the shared receive context of end 1
 */
struct shared {
	struct side *s[2];
	struct fid_ep **ep[2];
	size_t n;
	struct fid_ep *srx;
};

static void must(int ret, const char *what)
{
	if (ret)
		bench_stop("%s: %s", what, fi_strerror(-ret));
}

static void endpoint(struct shared *b, int end, size_t i, struct fi_info *info)
{
	struct side *s = b->s[end];

	info->ep_attr->rx_ctx_cnt = end ? FI_SHARED_CONTEXT : 1;
	must(fi_endpoint(s->domain, info, &b->ep[end][i], s), "fi_endpoint");
	must(fi_ep_bind(b->ep[end][i], &s->cq->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
	must(fi_ep_bind(b->ep[end][i], &s->eq->fid, 0), "fi_ep_bind");
	if (end)
		must(fi_ep_bind(b->ep[end][i], &b->srx->fid, 0), "fi_ep_bind");
	must(fi_enable(b->ep[end][i]), "fi_enable");
}

static void event(struct side *s, uint32_t want, struct fi_eq_cm_entry *e)
{
	uint32_t event = 0;
	ssize_t ret = fi_eq_sread(s->eq, &event, e, sizeof(*e), WAIT_MS, 0);

	if (ret < 0 || event != want)
		bench_stop("connecting: %s", ret < 0 ? fi_strerror(-(int)ret) : "refused");
}

static void connect_one(struct shared *b, size_t i, const void *addr)
{
	struct fi_eq_cm_entry e;

	endpoint(b, 0, i, b->s[0]->info);
	must(fi_connect(b->ep[0][i], addr, NULL, 0), "fi_connect");
	event(b->s[1], FI_CONNREQ, &e);
	endpoint(b, 1, i, e.info);
	fi_freeinfo(e.info);
	must(fi_accept(b->ep[1][i], NULL, 0), "fi_accept");
	event(b->s[0], FI_CONNECTED, &e);
	event(b->s[1], FI_CONNECTED, &e);
}

static void shared_open(struct shared *b, const struct side_opts *ends)
{
	struct fi_cq_attr cq = { .format = FI_CQ_FORMAT_TAGGED, .size = 4 * DEPTH };
	struct fi_rx_attr rx = { .size = DEPTH };
	char addr[SIDE_ADDR];
	struct side_opts o;
	size_t i;
	int end;

	for (end = 0; end < 2; end++) {
		o = ends[end];
		o.type = FI_EP_MSG;
		o.msg = true;
		o.block = false;
		o.depth = DEPTH;
		b->s[end] = side_open(&o);
		must(fi_cq_open(b->s[end]->domain, &cq, &b->s[end]->cq, NULL), "fi_cq_open");
		b->ep[end] = calloc(b->n, sizeof(*b->ep[end]));
		if (!b->ep[end])
			bench_stop("out of memory");
	}
	must(fi_srx_context(b->s[1]->domain, &rx, &b->srx, NULL), "fi_srx_context");
	side_listen(b->s[1], addr);
	for (i = 0; i < b->n; i++)
		connect_one(b, i, addr);
}

static void shared_close(struct shared *b)
{
	size_t i;
	int end;

	for (end = 0; end < 2; end++) {
		for (i = 0; i < b->n; i++)
			fi_close(&b->ep[end][i]->fid);
		free(b->ep[end]);
	}
	fi_close(&b->srx->fid);
	side_close(b->s[0]);
	side_close(b->s[1]);
}

/* One message to the endpoint. */
static void message(struct shared *b, size_t i, char *buf)
{
	uint64_t received = b->s[1]->received + 1;
	int turns = 0;

	must(fi_recv(b->srx, buf + 8, 8, NULL, FI_ADDR_UNSPEC, NULL), "fi_recv");
	must(fi_inject(b->ep[0][i], buf, 8, FI_ADDR_UNSPEC), "fi_inject");
	while (b->s[1]->received < received) {
		side_reap(b->s[1]);
		if (++turns > TURNS)
			bench_stop("nothing completes any more");
	}
}

void one_shared(const struct plan *plan, const struct side_opts *ends, size_t endpoints)
{
	struct shared b = { .n = endpoints };
	size_t i, n = plan_iters(plan, 8), next = 0;
	double samples[MAX_SAMPLES];
	char *buf = bench_buffer(16);
	struct span span;
	int rep;

	if (!endpoints)
		bench_stop("no endpoints");
	/* the same number for all, so that each endpoint has its turn */
	n = n < 1000 ? 1000 : n;
	shared_open(&b, ends);
	for (i = 0; i < n; i++)
		message(&b, next++ % endpoints, buf);
	for (rep = 0; rep < plan->reps; rep++) {
		clock_start(&span);
		for (i = 0; i < n; i++)
			message(&b, next++ % endpoints, buf);
		samples[rep] = clock_stop(&span) / n;
	}
	record_messages(n);
	record(plan, "shared", endpoints, samples);
	shared_close(&b);
	free(buf);
}
