// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What side.h says. */
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
#define WAIT_MS 20000 /* longer than anything takes: a measurement that waits longer hangs */

void bench_stop(int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	fflush(NULL);
	_exit(status);
}

static void must(const struct side *s, int ret, const char *what)
{
	if (ret)
		bench_stop(3, "%s: %s", what, fi_strerror(-ret));
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
		bench_stop(1, "network namespace %s: %s", s->o.node, strerror(errno));
	close(fd);
}

static void side_info(struct side *s)
{
	struct fi_info *hints = fi_allocinfo(), *list = NULL, *i;
	int ret;

	if (!hints)
		bench_stop(1, "out of memory");
	hints->ep_attr->type = s->o.type;
	hints->caps = s->o.msg ? FI_MSG : FI_TAGGED;
	hints->mode = FI_CONTEXT | FI_CONTEXT2;
	hints->addr_format = s->o.addr ? FI_SOCKADDR_IN : FI_FORMAT_UNSPEC;
	hints->fabric_attr->prov_name = strdup(s->o.prov);
	hints->domain_attr->threading = FI_THREAD_DOMAIN;
	hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
	hints->domain_attr->mr_mode = 0;
	hints->tx_attr->size = s->o.depth;
	hints->rx_attr->size = s->o.depth;
	ret = fi_getinfo(VERSION, s->o.addr, NULL, s->o.addr ? FI_SOURCE : 0, hints, &list);
	fi_freeinfo(hints);
	if (ret)
		bench_stop(3, "fi_getinfo: %s", fi_strerror(-ret));
	/* "net" would also bring "net;ofi_rxm" */
	for (i = list; i; i = i->next) {
		if (!strcmp(i->fabric_attr->prov_name, s->o.prov))
			break;
	}
	if (!i)
		bench_stop(3, "fi_getinfo: no provider of just this name");
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
	struct fi_av_attr av = { .type = FI_AV_TABLE };

	must(s, fi_cq_open(s->domain, &cq, &s->cq, NULL), "fi_cq_open");
	must(s, fi_endpoint(s->domain, info, &s->ep, s), "fi_endpoint");
	must(s, fi_ep_bind(s->ep, &s->cq->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
	if (s->o.type == FI_EP_RDM) {
		must(s, fi_av_open(s->domain, &av, &s->av, NULL), "fi_av_open");
		must(s, fi_ep_bind(s->ep, &s->av->fid, 0), "fi_ep_bind");
	}
	must(s, fi_enable(s->ep), "fi_enable");
}

struct side *side_open(const struct side_opts *o)
{
	struct side *s = calloc(1, sizeof(*s));

	if (!s)
		bench_stop(1, "out of memory");
	s->o = *o;
	side_enter(s);
	side_info(s);
	must(s, fi_fabric(s->info->fabric_attr, &s->fabric, NULL), "fi_fabric");
	must(s, fi_domain(s->fabric, s->info, &s->domain, NULL), "fi_domain");
	side_endpoint(s, s->info);
	return s;
}

void side_close(struct side *s)
{
	struct fid *fids[] = {
		s->ep ? &s->ep->fid : NULL,	    s->av ? &s->av->fid : NULL,
		s->cq ? &s->cq->fid : NULL,	    s->domain ? &s->domain->fid : NULL,
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
	must(s, fi_getname(&s->ep->fid, addr, &len), "fi_getname");
	return len;
}

void side_peer(struct side *s, const void *addr)
{
	int ret = fi_av_insert(s->av, addr, 1, &s->peer, 0, NULL);

	if (ret != 1)
		bench_stop(3, "fi_av_insert: %s", ret < 0 ? fi_strerror(-ret) : "refused");
}

static struct fi_context2 *side_context(struct side *s)
{
	return &s->ctx[s->next++ & (SIDE_CONTEXTS - 1)];
}

/* All but success and "try again" is the end. */
static int posted(ssize_t ret, const char *what)
{
	if (ret && ret != -FI_EAGAIN)
		bench_stop(1, "%s: %s", what, fi_strerror(-(int)ret));
	return ret;
}

int side_recv(struct side *s, void *buf, size_t len, uint64_t tag)
{
	struct fi_context2 *c = side_context(s);

	return posted(s->o.msg ? fi_recv(s->ep, buf, len, NULL, FI_ADDR_UNSPEC, c)
			       : fi_trecv(s->ep, buf, len, NULL, FI_ADDR_UNSPEC, tag, 0, c),
		      "fi_trecv");
}

static int side_send_more(struct side *s, const void *buf, size_t len, uint64_t tag)
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
	uint64_t flags = FI_MORE | FI_COMPLETION;

	return posted(s->o.msg ? fi_sendmsg(s->ep, &m, flags) : fi_tsendmsg(s->ep, &t, flags),
		      "fi_tsendmsg");
}

int side_send(struct side *s, const void *buf, size_t len, uint64_t tag, bool more)
{
	struct fi_context2 *c;

	if (more)
		return side_send_more(s, buf, len, tag);
	c = side_context(s);
	return posted(s->o.msg ? fi_send(s->ep, buf, len, NULL, s->peer, c)
			       : fi_tsend(s->ep, buf, len, NULL, s->peer, tag, c),
		      "fi_tsend");
}

int side_inject(struct side *s, const void *buf, size_t len, uint64_t tag)
{
	return posted(s->o.msg ? fi_inject(s->ep, buf, len, s->peer)
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
		bench_stop(1, "error completion: %s", fi_strerror(err.err));
	}
	if (ret < 0)
		bench_stop(1, "fi_cq_read: %s", fi_strerror(-(int)ret));
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
		bench_stop(1, "nothing completes within %d s", WAIT_MS / 1000);
	return taken(s, e, ret);
}
