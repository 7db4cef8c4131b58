// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "many_endpoints.h"
#include "looks.h"
#include "raw.h"

#define PER_CTX	4000u	/* endpoints of a context; it holds 8192 objects */

int many_open(uid_t uid)
{
	int fd;

	/* the process keeps its rights */
	if (setresuid(uid, -1, -1))
		return -errno;
	fd = raw_open(0);
	if (setresuid(0, -1, -1))
		return -errno;
	return fd;
}

int many_one(int fd, unsigned int sq, unsigned int rq)
{
	struct weft_ioc_ep ep = {
		.size = sizeof(ep), .type = WEFT_EP_RDM, .sq_slots = sq, .rq_slots = rq,
	};

	return raw(fd, WEFT_IOC_EP_CREATE, &ep);
}

/* Endpoints of one context, which share a completion queue; @cqfd: out: its file. */
static bool fill(int fd, unsigned int count, int *cqfd)
{
	struct weft_ioc_av av = { .size = sizeof(av) };
	struct weft_ioc_ep_enable en = { .size = sizeof(en), .eq = WEFT_HANDLE_NONE };
	struct weft_ioc_cq cq = { .size = sizeof(cq), .slots = 4096 };
	struct weft_ioc_ep ep;
	unsigned int i;

	CHECK_EQ(raw(fd, WEFT_IOC_CQ_CREATE, &cq), 0);
	*cqfd = cq.fd;
	CHECK_EQ(raw(fd, WEFT_IOC_AV_CREATE, &av), 0);
	for (i = 0; i < count; i++) {
		memset(&ep, 0, sizeof(ep));
		ep.size = sizeof(ep);
		ep.type = WEFT_EP_RDM;
		ep.sq_slots = MANY_SQ;
		ep.rq_slots = MANY_RQ;
		CHECK_EQ(raw(fd, WEFT_IOC_EP_CREATE, &ep), 0);
		en.handle = ep.handle;
		en.tx_cq = cq.handle;
		en.rx_cq = cq.handle;
		en.srq = WEFT_HANDLE_NONE;
		en.tx_cntr = WEFT_HANDLE_NONE;
		en.rx_cntr = WEFT_HANDLE_NONE;
		en.av = av.handle;
		CHECK_EQ(raw(fd, WEFT_IOC_EP_ENABLE, &en), 0);
	}
	return true;
}

bool many_endpoints(unsigned int count, unsigned long most)
{
	unsigned int n = (count + PER_CTX - 1) / PER_CTX, i, left = count;
	int fd[16], cqfd[16];
	long long before, after;

	CHECK(n <= 16);
	for (i = 0; i < n; i++) {
		fd[i] = raw_open(0);
		CHECK(fd[i] >= 0);
	}
	before = memory_available();
	for (i = 0; i < n; i++) {
		unsigned int some = left < PER_CTX ? left : PER_CTX;

		CHECK(fill(fd[i], some, &cqfd[i]));
		left -= some;
	}
	after = memory_available();
	printf("# %u endpoints take %lld KiB each\n", count, (before - after) / count / 1024);
	CHECK(memory_redzones() || before - after <= (long long)(count * most));
	CHECK_EQ(port_attr(0, "endpoints"), count);
	for (i = 0; i < n; i++) {
		close(cqfd[i]);
		close(fd[i]);
	}
	return nothing_left();
}
