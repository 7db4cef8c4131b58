// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One end of a measurement. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "side.h"

#define VERSION	FI_VERSION(1, 17)
#define BATCH	16    /* completions that are taken at once */
#define WAIT_MS 20000 /* longer than any operation takes: a measurement that waits longer hangs */

static const char *measures = "";

void bench_measures(const char *what)
{
	measures = what;
}

void bench_stop(const char *fmt, ...)
{
	va_list ap;

	printf("X\t%s\t", measures);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	_exit(1);
}

void side_must(int ret, const char *what)
{
	if (ret)
		bench_stop("%s: %s", what, fi_strerror(-ret));
}

void side_enter(struct side *s)
{
	char path[128];
	int fd;

	if (!s->o.node)
		return;
	snprintf(path, sizeof(path), "/run/netns/%s", s->o.node);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET))
		bench_stop("network namespace %s: %s", s->o.node, strerror(errno));
	close(fd);
}

static void side_info(struct side *s)
{
	struct fi_info *hints = fi_allocinfo(), *list = NULL, *i;
	int ret;

	if (!hints)
		bench_stop("out of memory");
	hints->ep_attr->type = s->o.type;
	hints->caps = (s->o.msg ? FI_MSG : FI_TAGGED) | s->o.onesided;
	/* not all providers count the operations of their peers */
	if (s->o.onesided)
		hints->caps |= FI_RMA_EVENT;
	hints->mode = FI_CONTEXT | FI_CONTEXT2;
	hints->addr_format = s->o.addr ? FI_SOCKADDR_IN : FI_FORMAT_UNSPEC;
	hints->fabric_attr->prov_name = strdup(s->o.prov);
	hints->domain_attr->threading = FI_THREAD_DOMAIN;
	hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
	hints->domain_attr->mr_mode = s->o.onesided ? FI_MR_VIRT_ADDR | FI_MR_PROV_KEY : 0;
	hints->tx_attr->size = s->o.depth;
	hints->rx_attr->size = s->o.depth;
	ret = fi_getinfo(VERSION, s->o.addr, NULL, s->o.addr ? FI_SOURCE : 0, hints, &list);
	if (ret == -FI_ENODATA && s->o.onesided) {
		hints->caps &= ~FI_RMA_EVENT;
		ret = fi_getinfo(VERSION, s->o.addr, NULL, s->o.addr ? FI_SOURCE : 0, hints, &list);
	}
	fi_freeinfo(hints);
	if (ret)
		bench_stop("fi_getinfo: %s", fi_strerror(-ret));
	/* "net" would also bring "net;ofi_rxm" */
	for (i = list; i; i = i->next) {
		if (!strcmp(i->fabric_attr->prov_name, s->o.prov))
			break;
	}
	if (!i)
		bench_stop("fi_getinfo: no provider of just this name");
	s->info = fi_dupinfo(i);
	fi_freeinfo(list);
}

static void side_endpoint(struct side *s, struct fi_info *info)
{
	struct fi_cq_attr cq = {
		.format = FI_CQ_FORMAT_TAGGED,
		.wait_obj = s->o.block ? FI_WAIT_UNSPEC : FI_WAIT_NONE,
		.size = 2 * s->o.depth,
	};
	struct fi_cntr_attr cntr = { .wait_obj = FI_WAIT_NONE };
	struct fi_av_attr av = { .type = FI_AV_TABLE };

	side_must(fi_cq_open(s->domain, &cq, &s->cq, NULL), "fi_cq_open");
	side_must(fi_endpoint(s->domain, info, &s->ep, s), "fi_endpoint");
	side_must(fi_ep_bind(s->ep, &s->cq->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
	if (info->caps & FI_RMA_EVENT && s->o.onesided) {
		side_must(fi_cntr_open(s->domain, &cntr, &s->cntr, NULL), "fi_cntr_open");
		side_must(fi_ep_bind(s->ep, &s->cntr->fid, FI_REMOTE_WRITE), "fi_ep_bind");
	}
	if (s->o.type == FI_EP_RDM) {
		side_must(fi_av_open(s->domain, &av, &s->av, NULL), "fi_av_open");
		side_must(fi_ep_bind(s->ep, &s->av->fid, 0), "fi_ep_bind");
	} else {
		side_must(fi_ep_bind(s->ep, &s->eq->fid, 0), "fi_ep_bind");
	}
	side_must(fi_enable(s->ep), "fi_enable");
}

struct side *side_open(const struct side_opts *o)
{
	struct fi_eq_attr eq = { .wait_obj = FI_WAIT_UNSPEC };
	struct side *s = calloc(1, sizeof(*s));

	if (!s)
		bench_stop("out of memory");
	s->o = *o;
	side_enter(s);
	side_info(s);
	side_must(fi_fabric(s->info->fabric_attr, &s->fabric, NULL), "fi_fabric");
	side_must(fi_domain(s->fabric, s->info, &s->domain, NULL), "fi_domain");
	if (o->type == FI_EP_MSG)
		side_must(fi_eq_open(s->fabric, &eq, &s->eq, NULL), "fi_eq_open");
	else
		side_endpoint(s, s->info);
	return s;
}

void side_close(struct side *s)
{
	struct fid *fids[] = {
		s->mr ? &s->mr->fid : NULL,	    s->ep ? &s->ep->fid : NULL,
		s->pep ? &s->pep->fid : NULL,	    s->cntr ? &s->cntr->fid : NULL,
		s->av ? &s->av->fid : NULL,	    s->cq ? &s->cq->fid : NULL,
		s->domain ? &s->domain->fid : NULL, s->eq ? &s->eq->fid : NULL,
		s->fabric ? &s->fabric->fid : NULL,
	};
	size_t i;

	for (i = 0; i < sizeof(fids) / sizeof(fids[0]); i++) {
		if (fids[i])
			fi_close(fids[i]);
	}
	fi_freeinfo(s->info);
	free(s);
}

size_t side_name(struct side *s, void *addr)
{
	size_t len = SIDE_ADDR;

	memset(addr, 0, SIDE_ADDR);
	side_must(fi_getname(&s->ep->fid, addr, &len), "fi_getname");
	return len;
}

void side_peer(struct side *s, const void *addr)
{
	int ret = fi_av_insert(s->av, addr, 1, &s->peer, 0, NULL);

	if (ret != 1)
		bench_stop("fi_av_insert: %s", ret < 0 ? fi_strerror(-ret) : "refused");
}

static void side_event(struct side *s, uint32_t want, struct fi_eq_cm_entry *e)
{
	struct fi_eq_err_entry err = {};
	uint32_t event = 0;
	ssize_t ret = fi_eq_sread(s->eq, &event, e, sizeof(*e), WAIT_MS, 0);

	if (ret == -FI_EAVAIL && fi_eq_readerr(s->eq, &err, 0) > 0)
		ret = -err.err;
	if (ret < 0 || event != want)
		bench_stop("connecting: %s", ret < 0 ? fi_strerror(-(int)ret) : "refused");
}

void side_listen(struct side *s, void *addr)
{
	size_t len = SIDE_ADDR;

	side_must(fi_passive_ep(s->fabric, s->info, &s->pep, s), "fi_passive_ep");
	side_must(fi_pep_bind(s->pep, &s->eq->fid, 0), "fi_pep_bind");
	side_must(fi_listen(s->pep), "fi_listen");
	memset(addr, 0, SIDE_ADDR);
	side_must(fi_getname(&s->pep->fid, addr, &len), "fi_getname");
}

void side_accept(struct side *s)
{
	struct fi_eq_cm_entry e;

	side_event(s, FI_CONNREQ, &e);
	side_endpoint(s, e.info);
	fi_freeinfo(e.info);
	side_must(fi_accept(s->ep, NULL, 0), "fi_accept");
	side_event(s, FI_CONNECTED, &e);
}

void side_connect(struct side *s, const void *addr)
{
	struct fi_eq_cm_entry e;

	side_endpoint(s, s->info);
	side_must(fi_connect(s->ep, addr, NULL, 0), "fi_connect");
	side_event(s, FI_CONNECTED, &e);
}

struct fi_context2 *side_context(struct side *s)
{
	return &s->ctx[s->next++ & (SIDE_CONTEXTS - 1)];
}

int side_posted(ssize_t ret, const char *what)
{
	if (ret && ret != -FI_EAGAIN)
		bench_stop("%s: %s", what, fi_strerror(-(int)ret));
	return ret;
}

int side_recv(struct side *s, void *buf, size_t len, uint64_t tag, struct fi_context2 *ctx)
{
	struct fi_context2 *c = ctx ? ctx : side_context(s);

	return side_posted(s->o.msg ? fi_recv(s->ep, buf, len, NULL, FI_ADDR_UNSPEC, c)
			       : fi_trecv(s->ep, buf, len, NULL, FI_ADDR_UNSPEC, tag, 0, c),
		      "fi_trecv");
}

int side_send(struct side *s, const void *buf, size_t len, uint64_t tag)
{
	struct fi_context2 *c = side_context(s);

	return side_posted(s->o.msg ? fi_send(s->ep, buf, len, NULL, s->peer, c)
			       : fi_tsend(s->ep, buf, len, NULL, s->peer, tag, c),
		      "fi_tsend");
}

int side_sendmsg(struct side *s, const void *buf, size_t len, uint64_t tag, uint64_t flags)
{
	struct iovec iov = { (void *)buf, len };
	struct fi_msg_tagged t = {
		.msg_iov = &iov,
		.iov_count = 1,
		.addr = s->peer,
		.tag = tag,
		.context = side_context(s),
	};
	struct fi_msg m = {
		.msg_iov = &iov,
		.iov_count = 1,
		.addr = s->peer,
		.context = t.context,
	};

	flags |= FI_COMPLETION;
	return side_posted(s->o.msg ? fi_sendmsg(s->ep, &m, flags) : fi_tsendmsg(s->ep, &t, flags),
		      "fi_tsendmsg");
}

int side_inject(struct side *s, const void *buf, size_t len, uint64_t tag)
{
	return side_posted(s->o.msg ? fi_inject(s->ep, buf, len, s->peer)
			       : fi_tinject(s->ep, buf, len, s->peer, tag),
		      "fi_tinject");
}

static int taken(struct side *s, const struct fi_cq_tagged_entry *e, ssize_t ret)
{
	struct fi_cq_err_entry err = {};
	ssize_t i;

	if (ret == -FI_EAGAIN)
		return 0;
	if (ret == -FI_EAVAIL) {
		fi_cq_readerr(s->cq, &err, 0);
		bench_stop("error completion: %s", fi_strerror(err.err));
	}
	if (ret < 0)
		bench_stop("fi_cq_read: %s", fi_strerror(-(int)ret));
	for (i = 0; i < ret; i++) {
		if (e[i].flags & FI_RECV)
			s->received++;
		else
			s->sent++;
	}
	return ret;
}

int side_reap(struct side *s)
{
	struct fi_cq_tagged_entry e[BATCH];

	return taken(s, e, fi_cq_read(s->cq, e, BATCH));
}

int side_wait(struct side *s)
{
	struct fi_cq_tagged_entry e[BATCH];
	ssize_t ret = fi_cq_sread(s->cq, e, BATCH, NULL, WAIT_MS);

	if (ret == -FI_EAGAIN)
		bench_stop("nothing completes within %d s", WAIT_MS / 1000);
	return taken(s, e, ret);
}
