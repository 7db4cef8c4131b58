// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Every ioctl with wrong sizes, reserved fields, flags, addresses and handles. Each returns the
 * right errno, and makes or changes no object. All other wrong values of single fields, too.
 */
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/weft_trigger.h>
#include "raw.h"

#define PAGE	4096u
#define OUT	1	/* the kernel writes the structure */
#define HANDLE	2	/* it has the handle of an object */

struct ioc {
	const char *name;
	unsigned long req;
	unsigned int size;
	unsigned int rsvd;
	unsigned int opts;
};

#define IOC(name, type, rsvd, opts)	{ #name, WEFT_IOC_##name, sizeof(struct type), rsvd, opts }
#define RSVD(type)			offsetof(struct type, rsvd)

static const struct ioc iocs[] = {
	IOC(QUERY, weft_ioc_query, 0, OUT),
	IOC(CQ_CREATE, weft_ioc_cq, RSVD(weft_ioc_cq), OUT),
	IOC(EQ_CREATE, weft_ioc_eq, 0, OUT),
	IOC(AV_CREATE, weft_ioc_av, 0, OUT),
	IOC(AV_INSERT, weft_ioc_av_insert, RSVD(weft_ioc_av_insert), OUT | HANDLE),
	IOC(AV_REMOVE, weft_ioc_av_insert, RSVD(weft_ioc_av_insert), OUT | HANDLE),
	IOC(EP_CREATE, weft_ioc_ep, 0, OUT),
	IOC(EP_ENABLE, weft_ioc_ep_enable, 0, OUT | HANDLE),
	IOC(DESTROY, weft_ioc_handle, RSVD(weft_ioc_handle), HANDLE),
	IOC(SETNAME, weft_ioc_name, RSVD(weft_ioc_name), HANDLE),
	IOC(GETNAME, weft_ioc_name, RSVD(weft_ioc_name), OUT | HANDLE),
	IOC(GETPEER, weft_ioc_name, RSVD(weft_ioc_name), OUT | HANDLE),
	IOC(LISTEN, weft_ioc_cm, 0, OUT | HANDLE),
	IOC(CONNECT, weft_ioc_cm, 0, HANDLE),
	IOC(ACCEPT, weft_ioc_cm, 0, HANDLE),
	IOC(REJECT, weft_ioc_cm, 0, HANDLE),
	IOC(HANDOFF, weft_ioc_cm, 0, HANDLE),
	IOC(SHUTDOWN, weft_ioc_handle, RSVD(weft_ioc_handle), HANDLE),
	IOC(MR_REG, weft_ioc_mr, RSVD(weft_ioc_mr), OUT),
	IOC(CANCEL, weft_ioc_cancel, RSVD(weft_ioc_cancel), HANDLE),
	IOC(SRQ_CREATE, weft_ioc_srq, RSVD(weft_ioc_srq), OUT),
	IOC(SRQ_RESIZE, weft_ioc_srq, RSVD(weft_ioc_srq), OUT | HANDLE),
	IOC(SRQ_QUERY, weft_ioc_srq_query, RSVD(weft_ioc_srq_query), OUT | HANDLE),
	IOC(SRQ_NOTIFY, weft_ioc_handle, RSVD(weft_ioc_handle), HANDLE),
	IOC(SRQ_CANCEL, weft_ioc_srq_cancel, 0, HANDLE),
	IOC(SRQ_ARM, weft_ioc_mark, 0, HANDLE),
	IOC(EP_MARK, weft_ioc_mark, 0, HANDLE),
	IOC(EP_HELD, weft_ioc_mark, 0, OUT | HANDLE),
	IOC(GROUP_JOIN, weft_ioc_group, 0, OUT | HANDLE),
	IOC(GROUP_LEAVE, weft_ioc_group, 0, HANDLE),
	IOC(REGION_ADD, weft_ioc_region, 0, OUT),
	IOC(REGION_END, weft_ioc_region_end, RSVD(weft_ioc_region_end), 0),
	IOC(TRIGGER_ADD, weft_ioc_trigger_add, 0, 0),
	IOC(TRIGGER_END, weft_ioc_trigger_end, RSVD(weft_ioc_trigger_end), 0),
};

#define NIOC	(sizeof(iocs) / sizeof(iocs[0]))

static int fd;
static char *page;	/* followed by one that cannot be accessed */
static char *rdonly;	/* a copy can be read, not written */
static struct weft_iov seg;	/* the memory of a region */

/* Return: which word of the structure is the handle. */
static unsigned int handle_at(const struct ioc *i)
{
	return i->req == WEFT_IOC_SRQ_RESIZE ? offsetof(struct weft_ioc_srq, handle) / 4 : 2;
}

/* Fill @page with a structure that is valid except for its handle (a missing object). */
static void *fill(const struct ioc *i)
{
	__u32 *w = (__u32 *)page;

	memset(page, 0, PAGE);
	w[0] = i->size;
	if (i->opts & HANDLE)
		w[handle_at(i)] = 0x00070007;
	switch (i->req) {
	case WEFT_IOC_CQ_CREATE:
		((struct weft_ioc_cq *)page)->slots = 16;
		break;
	case WEFT_IOC_EP_CREATE:
		((struct weft_ioc_ep *)page)->type = WEFT_EP_RDM;
		((struct weft_ioc_ep *)page)->sq_slots = 16;
		((struct weft_ioc_ep *)page)->rq_slots = 16;
		break;
	case WEFT_IOC_AV_INSERT:
	case WEFT_IOC_AV_REMOVE:
		((struct weft_ioc_av_insert *)page)->count = 1;
		break;
	case WEFT_IOC_LISTEN:
		((struct weft_ioc_cm *)page)->backlog = 1;
		break;
	case WEFT_IOC_MR_REG:
		((struct weft_ioc_mr *)page)->access = WEFT_MR_READ;
		((struct weft_ioc_mr *)page)->addr = (uintptr_t)page;
		((struct weft_ioc_mr *)page)->len = PAGE;
		break;
	case WEFT_IOC_SRQ_CREATE:
	case WEFT_IOC_SRQ_RESIZE:
		((struct weft_ioc_srq *)page)->slots = 16;
		((struct weft_ioc_srq *)page)->recvs = 16;
		break;
	case WEFT_IOC_REGION_ADD:
		((struct weft_ioc_region *)page)->access = WEFT_REGION_READ;
		((struct weft_ioc_region *)page)->nsegs = 1;
		((struct weft_ioc_region *)page)->key = 7;
		((struct weft_ioc_region *)page)->segs = (uintptr_t)&seg;
		seg.addr = (uintptr_t)page;
		seg.len = PAGE;
		break;
	case WEFT_IOC_TRIGGER_ADD:
		/* an entry whose counter is missing */
		((struct weft_ioc_trigger_add *)page)->cntr = 0x00070007;
		((struct weft_ioc_trigger_add *)page)->op = WEFT_TRIGGER_SEND;
		((struct weft_ioc_trigger_add *)page)->nslots = 1;
		((struct weft_ioc_trigger_add *)page)->entry = (uintptr_t)page;
		break;
	}
	return page;
}

/* The expected result for @fill: success for ioctls that name no object. */
static int expected(const struct ioc *i)
{
	return i->opts & HANDLE || i->req == WEFT_IOC_REGION_END ||
	       i->req == WEFT_IOC_TRIGGER_ADD ? -ENOENT : 0;
}

/* Undo the effect of a successful call. */
static bool undo(const struct ioc *i)
{
	struct weft_ioc_region_end end = { .size = sizeof(end) };
	__u32 handle = 0;

	switch (i->req) {
	case WEFT_IOC_CQ_CREATE:
		handle = ((struct weft_ioc_cq *)page)->handle;
		close(((struct weft_ioc_cq *)page)->fd);
		break;
	case WEFT_IOC_EQ_CREATE:
		handle = ((struct weft_ioc_eq *)page)->handle;
		close(((struct weft_ioc_eq *)page)->fd);
		break;
	case WEFT_IOC_AV_CREATE:
		handle = ((struct weft_ioc_av *)page)->handle;
		break;
	case WEFT_IOC_EP_CREATE:
		handle = ((struct weft_ioc_ep *)page)->handle;
		break;
	case WEFT_IOC_SRQ_CREATE:
		handle = ((struct weft_ioc_srq *)page)->handle;
		break;
	case WEFT_IOC_MR_REG:
		handle = ((struct weft_ioc_mr *)page)->handle;
		break;
	case WEFT_IOC_REGION_ADD:
		end.key = ((struct weft_ioc_region *)page)->key;
		CHECK_EQ(raw(fd, WEFT_IOC_REGION_END, &end), 0);
		break;
	}
	if (handle)
		CHECK_EQ(raw_handle(fd, WEFT_IOC_DESTROY, handle), 0);
	return true;
}

static bool right(const struct ioc *i, void *arg)
{
	CHECK_EQ(raw(fd, i->req, arg), expected(i));
	return undo(i);
}

static bool sizes(const struct ioc *i)
{
	static const unsigned int less[] = { 0, 4, 8 };
	unsigned int k;
	__u32 *w;

	CHECK(right(i, fill(i)));
	for (k = 0; k < sizeof(less) / sizeof(less[0]); k++) {
		w = fill(i);
		w[0] = less[k];
		CHECK_EQ(raw(fd, i->req, w), -EINVAL);
	}
	w = fill(i);
	w[0] = i->size - 1;
	CHECK_EQ(raw(fd, i->req, w), -EINVAL);
	w[0] = PAGE + 1;
	CHECK_EQ(raw(fd, i->req, w), -E2BIG);
	w[0] = ~0u;
	CHECK_EQ(raw(fd, i->req, w), -E2BIG);
	/* longer: valid as long as the rest is zero */
	w = fill(i);
	w[0] = i->size + 24;
	CHECK(right(i, w));
	w = fill(i);
	w[0] = PAGE;
	CHECK(right(i, w));
	w = fill(i);
	w[0] = i->size + 24;
	page[i->size + 23] = 1;
	CHECK_EQ(raw(fd, i->req, w), -E2BIG);
	/* another length in the number does not matter */
	w = fill(i);
	CHECK_EQ(raw(fd, _IOC(_IOC_READ | _IOC_WRITE, 'w', _IOC_NR(i->req), i->size + 24), w),
		 expected(i));
	return undo(i);
}

/* flags that the call accepts with these values */
static __u32 flags_of(const struct ioc *i)
{
	switch (i->req) {
	case WEFT_IOC_EP_CREATE:
		return WEFT_EPF_DIRECTED | WEFT_EPF_FENCE | WEFT_EPF_VARIABLE |
		       WEFT_EPF_SOURCE | WEFT_EPF_RMA | WEFT_EPF_REMOTE_READ |
		       WEFT_EPF_REMOTE_WRITE | WEFT_EPF_ORDERED;
	case WEFT_IOC_AV_INSERT:
		return WEFT_AVF_AT;
	case WEFT_IOC_SHUTDOWN:
		return WEFT_SHUT_GRACEFUL;
	case WEFT_IOC_GROUP_JOIN:
		return WEFT_GROUP_SEND | WEFT_GROUP_RECV;
	case WEFT_IOC_TRIGGER_ADD:
		return WEFT_TRIGGERF_BOTH | WEFT_TRIGGERF_ALONE;
	case WEFT_IOC_TRIGGER_END:
		return WEFT_TRIGGERF_ONE | WEFT_TRIGGERF_TELL;
	default:
		return 0;
	}
}

static bool fields(const struct ioc *i)
{
	unsigned int bit;
	__u32 *w;

	for (bit = 0; bit < 32; bit++) {
		if (flags_of(i) & 1u << bit)
			continue;
		w = fill(i);
		w[1] |= 1u << bit;
		CHECK_EQ(raw(fd, i->req, w), -EINVAL);
	}
	if (!i->rsvd)
		return true;
	for (bit = 0; bit < 32; bit += 31) {
		w = fill(i);
		*(__u32 *)(page + i->rsvd) = 1u << bit;
		CHECK_EQ(raw(fd, i->req, w), -EINVAL);
	}
	return true;
}

static bool addresses(const struct ioc *i)
{
	void *cut;

	CHECK_EQ(raw(fd, i->req, NULL), -EFAULT);
	CHECK_EQ(raw(fd, i->req, (void *)~0xffful), -EFAULT);
	/* the last byte cannot be read */
	fill(i);
	cut = memmove(page + PAGE - i->size + 1, page, i->size - 1);
	CHECK_EQ(raw(fd, i->req, cut), -EFAULT);
	CHECK_EQ(raw(fd, i->req, page + PAGE - 2), -EFAULT);
	if (!(i->opts & OUT))
		return true;
	/* the structure cannot be written: the call fails before it makes an object */
	CHECK_EQ(mprotect(rdonly, PAGE, PROT_READ | PROT_WRITE), 0);
	memcpy(rdonly, fill(i), PAGE);
	CHECK_EQ(mprotect(rdonly, PAGE, PROT_READ), 0);
	CHECK_EQ(raw(fd, i->req, rdonly), -EFAULT);
	return true;
}

static bool handles(const struct ioc *i, __u32 eq)
{
	__u32 wrong[] = { 0, 1, 0xffffffff, 0x0001ffff, 0x00010400, eq + 0x10000, eq ^ 0x80000000,
			  eq };
	unsigned int k;
	__u32 *w;

	if (!(i->opts & HANDLE))
		return true;
	for (k = 0; k < sizeof(wrong) / sizeof(wrong[0]); k++) {
		if (wrong[k] == eq && i->req == WEFT_IOC_DESTROY)
			continue;
		w = fill(i);
		w[handle_at(i)] = wrong[k];
		CHECK_EQ(raw(fd, i->req, w), -ENOENT);
	}
	return true;
}

static bool unknown(void)
{
	unsigned int nr;

	for (nr = 0; nr < 256; nr++) {
		if ((nr >= 1 && nr <= 0x14) || (nr >= 0x20 && nr <= 0x2d))
			continue;
		CHECK_EQ(raw(fd, _IOC(_IOC_WRITE, 'w', nr, 16), page), -ENOTTY);
	}
	CHECK_EQ(raw(fd, _IOC(_IOC_WRITE, 'v', 2, 16), page), -ENOTTY);
	return true;
}

/* The limit of objects is exact: no failed call has left an object behind. */
static bool nothing_made(void)
{
	struct weft_ioc_query q = { .size = sizeof(q) };
	struct weft_ioc_av av = { .size = sizeof(av) };
	__u32 n, first = 0;

	CHECK_EQ(raw(fd, WEFT_IOC_QUERY, &q), 0);
	for (n = 0; n < q.max_objs; n++) {
		CHECK_EQ(raw(fd, WEFT_IOC_AV_CREATE, &av), 0);
		if (!n)
			first = av.handle;
	}
	CHECK_EQ(raw(fd, WEFT_IOC_AV_CREATE, &av), -EMFILE);
	CHECK_EQ(raw_handle(fd, WEFT_IOC_DESTROY, first), 0);
	CHECK_EQ(raw(fd, WEFT_IOC_AV_CREATE, &av), 0);
	CHECK_EQ(av.handle & 0xffff, first & 0xffff);
	CHECK(av.handle != first);
	CHECK_EQ(raw_handle(fd, WEFT_IOC_DESTROY, first), -ENOENT);
	return true;
}

static bool query(int node)
{
	struct weft_ioc_query q;
	char name[16];

	memset(&q, 0xff, sizeof(q));
	q.size = sizeof(q);
	q.flags = 0;
	CHECK_EQ(raw(fd, WEFT_IOC_QUERY, &q), 0);
	snprintf(name, sizeof(name), "weft%d", node);
	CHECK_EQ(q.abi, WEFT_ABI_VERSION);
	CHECK(!strcmp(q.name, name));
	CHECK(q.naddr >= 1 && q.naddr <= 4);
	CHECK(q.caps & WEFT_CAP_RDM && q.caps & WEFT_CAP_MSG && q.caps & WEFT_CAP_TAGGED);
	CHECK(q.max_msg >= 1ull << 30);
	CHECK_EQ(q.max_inline, WEFT_INLINE_MAX);
	CHECK_EQ(q.max_iov, WEFT_IOV_MAX);
	CHECK_EQ(q.max_ring, WEFT_RING_MAX);
	CHECK_EQ(q.cm_data, WEFT_CM_DATA_MAX);
	CHECK_EQ(q.max_av, WEFT_AV_MAX);
	CHECK(q.max_dgram >= 1152 && q.max_dgram < q.mtu);
	CHECK(q.mtu >= 1280 && q.link_up == 1 && q.driver[0]);
	return true;
}

/* One field wrong at a time: @i with @value at @at gives @err. */
static bool one(const char *name, unsigned int at, unsigned int bytes, __u64 value, int err)
{
	unsigned int k;

	for (k = 0; k < NIOC; k++)
		if (!strcmp(iocs[k].name, name))
			break;
	memcpy((char *)fill(&iocs[k]) + at, &value, bytes);
	CHECK_EQ(raw(fd, iocs[k].req, page), err);
	return true;
}

#define ONE(name, type, field, value, err)                                                         \
	CHECK(one(#name, offsetof(struct type, field), sizeof(((struct type *)0)->field), value,   \
		  err))

static bool creation(void)
{
	ONE(CQ_CREATE, weft_ioc_cq, slots, 0, -EINVAL);
	ONE(CQ_CREATE, weft_ioc_cq, slots, WEFT_RING_MAX + 1, -EINVAL);
	ONE(CQ_CREATE, weft_ioc_cq, slots, ~0u, -EINVAL);
	ONE(CQ_CREATE, weft_ioc_cq, flags, WEFT_CQF_COUNT, -EINVAL);
	ONE(AV_CREATE, weft_ioc_av, count, WEFT_AV_MAX + 1, -EINVAL);
	ONE(EP_CREATE, weft_ioc_ep, type, 0, -EINVAL);
	ONE(EP_CREATE, weft_ioc_ep, type, 5, -EINVAL);
	ONE(EP_CREATE, weft_ioc_ep, type, WEFT_EP_PASSIVE, -EINVAL);
	ONE(EP_CREATE, weft_ioc_ep, sq_slots, 0, -EINVAL);
	ONE(EP_CREATE, weft_ioc_ep, rq_slots, 0, -EINVAL);
	ONE(EP_CREATE, weft_ioc_ep, sq_slots, WEFT_RING_MAX + 1, -EINVAL);
	ONE(EP_CREATE, weft_ioc_ep, rq_slots, ~0u, -EINVAL);
	ONE(EP_CREATE, weft_ioc_ep, addr.family, 99, -EAFNOSUPPORT);
	ONE(EP_CREATE, weft_ioc_ep, addr.scope, 1, -EINVAL);
	ONE(EP_CREATE, weft_ioc_ep, addr.addr[3], 1, -EINVAL);
	ONE(MR_REG, weft_ioc_mr, access, 0, -EINVAL);
	ONE(MR_REG, weft_ioc_mr, access, 4, -EINVAL);
	ONE(MR_REG, weft_ioc_mr, len, 0, -EINVAL);
	ONE(MR_REG, weft_ioc_mr, len, ~0ull, -EINVAL);
	ONE(MR_REG, weft_ioc_mr, addr, 0, -EFAULT);
	ONE(REGION_ADD, weft_ioc_region, access, 4, -EINVAL);
	ONE(REGION_ADD, weft_ioc_region, nsegs, 0, -EINVAL);
	ONE(REGION_ADD, weft_ioc_region, nsegs, WEFT_IOV_MAX + 1, -EINVAL);
	ONE(REGION_ADD, weft_ioc_region, flags, WEFT_REGIONF_KEY, -EINVAL);
	ONE(REGION_ADD, weft_ioc_region, segs, 8, -EFAULT);
	ONE(REGION_ADD, weft_ioc_region, cntr, 0x00070007, -ENOENT);
	ONE(TRIGGER_ADD, weft_ioc_trigger_add, op, 0, -EINVAL);
	ONE(TRIGGER_ADD, weft_ioc_trigger_add, op, WEFT_TRIGGER_ADD, -EINVAL);
	ONE(TRIGGER_ADD, weft_ioc_trigger_add, op, 5, -EINVAL);
	ONE(TRIGGER_ADD, weft_ioc_trigger_add, nslots, 0, -EINVAL);
	ONE(TRIGGER_ADD, weft_ioc_trigger_add, nslots, WEFT_NSLOTS_MAX + 1, -EINVAL);
	ONE(TRIGGER_ADD, weft_ioc_trigger_add, done, 0x00070007, -EINVAL);
	ONE(TRIGGER_ADD, weft_ioc_trigger_add, value, 1, -EINVAL);
	ONE(TRIGGER_END, weft_ioc_trigger_end, id, 1, -EINVAL);
	ONE(TRIGGER_END, weft_ioc_trigger_end, cntr, 0x00070007, -ENOENT);
	ONE(TRIGGER_END, weft_ioc_trigger_end, object, 0x00070007, -ENOENT);
	ONE(TRIGGER_END, weft_ioc_trigger_end, flags, WEFT_TRIGGERF_ONE, -ENOENT);
	ONE(LISTEN, weft_ioc_cm, backlog, 0, -EINVAL);
	ONE(LISTEN, weft_ioc_cm, conn, 1, -EINVAL);
	ONE(LISTEN, weft_ioc_cm, data_len, 1, -EINVAL);
	ONE(CONNECT, weft_ioc_cm, data_len, WEFT_CM_DATA_MAX + 1, -EMSGSIZE);
	ONE(CONNECT, weft_ioc_cm, eq, 1, -EINVAL);
	ONE(CONNECT, weft_ioc_cm, conn, 1, -EINVAL);
	ONE(ACCEPT, weft_ioc_cm, data_len, ~0u, -EMSGSIZE);
	ONE(ACCEPT, weft_ioc_cm, backlog, 1, -EINVAL);
	ONE(REJECT, weft_ioc_cm, data_len, WEFT_CM_DATA_MAX + 1, -EMSGSIZE);
	ONE(LISTEN, weft_ioc_cm, timeout_ns, 1, -EINVAL);
	ONE(ACCEPT, weft_ioc_cm, timeout_ns, 1, -EINVAL);
	ONE(REJECT, weft_ioc_cm, timeout_ns, 1, -EINVAL);
	ONE(HANDOFF, weft_ioc_cm, timeout_ns, 1, -EINVAL);
	ONE(HANDOFF, weft_ioc_cm, data_len, 1, -EINVAL);
	ONE(AV_INSERT, weft_ioc_av_insert, count, 0, -EINVAL);
	ONE(AV_INSERT, weft_ioc_av_insert, count, 4097, -EINVAL);
	ONE(AV_REMOVE, weft_ioc_av_insert, count, ~0u, -EINVAL);
	ONE(AV_REMOVE, weft_ioc_av_insert, addrs, 1, -EINVAL);
	return true;
}

static bool vector(void)
{
	struct weft_sockaddr addr[3] = {
		{ .family = 2, .port = 5, .addr = { 10, 77, 0, 9 } },
		{ .family = 77, .port = 5 },
		{ .family = 2, .port = 6, .addr = { 10, 77, 0, 9 } },
	};
	__u32 index[3] = { 9, 9, 9 };
	struct weft_ioc_av av = { .size = sizeof(av) };
	struct weft_ioc_av_insert in = {
		.size = sizeof(in),
		.count = 3,
		.addrs = (uintptr_t)addr,
		.index = (uintptr_t)index,
	};

	CHECK_EQ(raw(fd, WEFT_IOC_AV_CREATE, &av), 0);
	in.handle = av.handle;
	in.index = (uintptr_t)rdonly;
	CHECK_EQ(raw(fd, WEFT_IOC_AV_INSERT, &in), -EFAULT);
	in.index = 8;
	CHECK_EQ(raw(fd, WEFT_IOC_AV_INSERT, &in), -EFAULT);
	in.index = (uintptr_t)index;
	in.addrs = 8;
	CHECK_EQ(raw(fd, WEFT_IOC_AV_INSERT, &in), -EFAULT);
	in.addrs = (uintptr_t)addr;
	CHECK_EQ(raw(fd, WEFT_IOC_AV_INSERT, &in), 0);
	CHECK_EQ(in.done, 2);
	CHECK_EQ(index[0], 0);
	CHECK_EQ(index[1], WEFT_SRC_ANY);
	CHECK_EQ(index[2], 1);
	in.addrs = 0;
	in.count = 2;
	index[0] = 5;
	index[1] = 1u << 30;
	CHECK_EQ(raw(fd, WEFT_IOC_AV_REMOVE, &in), -EINVAL);
	index[0] = 1;
	CHECK_EQ(raw(fd, WEFT_IOC_AV_REMOVE, &in), 0);
	CHECK_EQ(in.done, 1);
	CHECK_EQ(raw_handle(fd, WEFT_IOC_DESTROY, av.handle), 0);
	return true;
}

/* lseek() on a queue: positions that wait, and positions that are invalid. */
static bool queue_wait(void)
{
	struct raw_cq cq;
	int what;

	CHECK(raw_cq_new(fd, 16, &cq));
	CHECK_EQ(cq.c.slots, 16);
	CHECK_EQ(raw_wait(cq.c.fd, 0, 0), -ETIMEDOUT);
	CHECK_EQ(raw_wait(cq.c.fd, 0, 1), -ETIMEDOUT);
	/* an index that is not the queue's counts as news, whatever the time */
	CHECK_EQ(raw_wait(cq.c.fd, 1, 0), 0);
	CHECK_EQ(raw_wait(cq.c.fd, 1, ~0ull), 0);
	CHECK_EQ(raw_wait(cq.c.fd, ~0u, ~0ull), 0);
	/* 0 << 31 is no time */
	CHECK_EQ(raw_notify(cq.c.fd, WEFT_CQ_SEEK | 31ull << 57, WEFT_CQ_SEEK_WAIT), -ETIMEDOUT);
	/* a position that is cut to half, with either sign; one of another whence */
	CHECK_EQ(raw_notify(cq.c.fd, 0, WEFT_CQ_SEEK_WAIT), -EINVAL);
	CHECK_EQ(raw_notify(cq.c.fd, 7, WEFT_CQ_SEEK_WAIT), -EINVAL);
	CHECK_EQ(raw_notify(cq.c.fd, -7, WEFT_CQ_SEEK_WAIT), -EINVAL);
	CHECK_EQ(raw_notify(cq.c.fd, WEFT_CQ_SEEK_EVER >> 32, WEFT_CQ_SEEK_WAIT), -EINVAL);
	CHECK_EQ(raw_notify(cq.c.fd, WEFT_CQ_SEEK_EVER | 1ull << 63, WEFT_CQ_SEEK_WAIT), -EINVAL);
	CHECK_EQ(raw_notify(cq.c.fd, WEFT_CQ_SEEK_EVER & ~WEFT_CQ_SEEK, WEFT_CQ_SEEK_WAIT),
		 -EINVAL);
	for (what = -1; what <= 5; what++) {
		if (what != WEFT_CQ_SEEK_WAIT)
			CHECK_EQ(raw_notify(cq.c.fd, WEFT_CQ_SEEK | 1, what), -EINVAL);
	}
	/* on another file the position has another meaning */
	CHECK_EQ(raw_notify(fd, WEFT_CQ_SEEK | 1, WEFT_CQ_SEEK_WAIT), -ENOENT);
	CHECK_EQ(raw_handle(fd, WEFT_IOC_DESTROY, cq.c.handle), 0);
	CHECK_EQ(raw_wait(cq.c.fd, 1, ~0ull), -EIO);
	close(cq.c.fd);
	return true;
}

/* The wait by ioctl. */
static bool queue_wait_call(void)
{
	struct weft_ioc_wait arg = { .size = sizeof(arg) };
	struct raw_cq cq;

	CHECK(raw_cq_new(fd, 16, &cq));
	CHECK_EQ(raw_wait_call(cq.c.fd, 0, 0), -ETIMEDOUT);
	CHECK_EQ(raw_wait_call(cq.c.fd, 0, 1), -ETIMEDOUT);
	CHECK_EQ(raw_wait_call(cq.c.fd, 1, 0), 0);
	CHECK_EQ(raw_wait_call(cq.c.fd, ~0u, ~0ull), 0);
	CHECK_EQ(raw(cq.c.fd, WEFT_IOC_CQ_SIGNAL, NULL), 0);
	CHECK_EQ(raw_wait_call(cq.c.fd, 0, ~0ull), -ECANCELED);
	CHECK_EQ(raw(cq.c.fd, WEFT_IOC_CQ_WAIT, NULL), -EFAULT);
	CHECK_EQ(raw(cq.c.fd, WEFT_IOC_CQ_WAIT, page + PAGE), -EFAULT);
	arg.flags = 1;
	CHECK_EQ(raw(cq.c.fd, WEFT_IOC_CQ_WAIT, &arg), -EINVAL);
	arg.flags = 0;
	arg.rsvd = 1;
	CHECK_EQ(raw(cq.c.fd, WEFT_IOC_CQ_WAIT, &arg), -EINVAL);
	arg.rsvd = 0;
	arg.size--;
	CHECK_EQ(raw(cq.c.fd, WEFT_IOC_CQ_WAIT, &arg), -EINVAL);
	CHECK_EQ(raw_handle(fd, WEFT_IOC_DESTROY, cq.c.handle), 0);
	CHECK_EQ(raw_wait_call(cq.c.fd, 1, ~0ull), -EIO);
	close(cq.c.fd);
	return true;
}

static bool queue_file(void)
{
	struct raw_cq cq;

	CHECK(raw_cq_new(fd, 16, &cq));
	CHECK_EQ(raw(cq.c.fd, WEFT_IOC_CQ_NOTIFY, NULL), 0);
	CHECK_EQ(raw(cq.c.fd, WEFT_IOC_QUERY, page), -ENOTTY);
	CHECK_EQ(raw(cq.c.fd, _IO('w', 0x40), NULL), -ENOTTY);
	CHECK_EQ(raw(cq.c.fd, _IO('w', 0x43), NULL), -ENOTTY);
	CHECK_EQ(raw(cq.c.fd, _IO('v', 0x41), NULL), -ENOTTY);
	CHECK_EQ(raw_handle(fd, WEFT_IOC_DESTROY, cq.c.handle), 0);
	close(cq.c.fd);
	return true;
}

static void *notifies(void *arg)
{
	struct raw_rdm *r = arg;
	uintptr_t wrong = 0;
	int i;

	for (i = 0; i < 10000; i++)
		wrong += !!raw_notify(fd, r->ep.e.handle, WEFT_NOTIFY_SQ | WEFT_NOTIFY_RQ);
	return (void *)wrong;
}

/* lseek() on the device: no file has a position, and no caller waits for another's notify call. */
static bool notify(void)
{
	struct raw_rdm r;
	void *wrong, *wrong2;
	pthread_t t;
	int what;

	CHECK(raw_rdm_new(fd, 16, &r));
	for (what = 1; what <= 4; what++) {
		CHECK_EQ(raw_notify(fd, r.ep.e.handle, what), 0);
		CHECK_EQ(raw_notify(fd, 0x00070007, what), -ENOENT);
		CHECK_EQ(raw_notify(fd, r.cq.c.handle, what), -ENOENT);
		CHECK_EQ(raw_notify(fd, 0, what), -ENOENT);
		CHECK_EQ(raw_notify(fd, -1, what), -ENOENT);
		CHECK_EQ(raw_notify(fd, r.ep.e.handle | 1ll << 32, what), -ENOENT);
	}
	CHECK_EQ(raw_notify(fd, r.ep.e.handle, 0), -EINVAL);
	CHECK_EQ(raw_notify(fd, r.ep.e.handle, 5), -EINVAL);
	CHECK_EQ(raw_notify(fd, r.ep.e.handle, -1), -EINVAL);
	CHECK_EQ(pread(fd, page, 1, 0) < 0 ? errno : 0, ESPIPE);
	CHECK_EQ(pthread_create(&t, NULL, notifies, &r), 0);
	wrong2 = notifies(&r);
	pthread_join(t, &wrong);
	CHECK(!wrong && !wrong2);
	return raw_rdm_free(&r);
}

/* The notify call by ioctl. */
static bool notify_call(void)
{
	struct raw_rdm r;
	unsigned int what;

	CHECK(raw_rdm_new(fd, 16, &r));
	for (what = 1; what <= 4; what++) {
		CHECK_EQ(raw_notify_call(fd, r.ep.e.handle, what), 0);
		CHECK_EQ(raw_notify_call(fd, 0x00070007, what), -ENOENT);
		CHECK_EQ(raw_notify_call(fd, r.cq.c.handle, what), -ENOENT);
		/* (the argument of a 32-bit program has no more bits) */
		if (sizeof(long) > sizeof(__u32))
			CHECK_EQ(raw_notify_call(fd, r.ep.e.handle | 1ull << 32, what), -ENOENT);
	}
	CHECK_EQ(raw_notify_call(fd, r.ep.e.handle, 0), -EINVAL);
	CHECK_EQ(raw_notify_call(fd, r.ep.e.handle, 5), -ENOTTY);
	/* of another file the number means nothing */
	CHECK_EQ(raw_notify_call(r.cq.c.fd, r.ep.e.handle, 1), -ENOTTY);
	return raw_rdm_free(&r);
}

/* Contexts that are opened while the port permits only ioctls. */
static bool only_ioctls(void)
{
	struct weft_ioc_query q = { .size = sizeof(q) };
	struct raw_rdm r;
	int old = fd;

	CHECK_EQ(raw(fd, WEFT_IOC_QUERY, &q), 0);
	CHECK(q.caps & WEFT_CAP_SEEK);
	CHECK_EQ(system("weftctl port set weft0 doorbell ioctl"), 0);
	fd = raw_open(0);
	CHECK_EQ(system("weftctl port set weft0 doorbell lseek"), 0);
	CHECK(fd >= 0);
	CHECK_EQ(raw(fd, WEFT_IOC_QUERY, &q), 0);
	CHECK(!(q.caps & WEFT_CAP_SEEK));
	CHECK(raw_rdm_new(fd, 16, &r));
	CHECK_EQ(raw_notify(fd, r.ep.e.handle, WEFT_NOTIFY_SQ), -ESPIPE);
	CHECK_EQ(raw_notify_call(fd, r.ep.e.handle, WEFT_NOTIFY_SQ), 0);
	CHECK_EQ(raw_wait(r.cq.c.fd, 1, ~0ull), -ESPIPE);
	CHECK_EQ(raw_wait_call(r.cq.c.fd, 1, ~0ull), 0);
	CHECK(raw_rdm_free(&r));
	close(fd);
	/* one that was opened before keeps its form */
	fd = old;
	CHECK(raw_rdm_new(fd, 16, &r));
	CHECK_EQ(raw_notify(fd, r.ep.e.handle, WEFT_NOTIFY_SQ), 0);
	return raw_rdm_free(&r);
}

int main(void)
{
	struct weft_ioc_eq eq = { .size = sizeof(eq) };
	bool one_node = nodes_are_one();
	unsigned int k;

	node_enter(0);
	fd = raw_open(0);
	page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	rdonly = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fd < 0 || page == MAP_FAILED || rdonly == MAP_FAILED ||
	    mprotect(page + PAGE, PAGE, PROT_NONE)) {
		printf("Bail out! no device: %d\n", fd);
		return 1;
	}
	result(raw_open(9) == -ENOENT, "open", "unknown port");
	result(one_node || raw_open(1) == -ENODEV, "open", "port of another namespace");
	result(query(0), "query", "all fields");
	result(unknown(), "ioctl", "unknown numbers");
	if (raw(fd, WEFT_IOC_EQ_CREATE, &eq))
		printf("Bail out! no event queue\n");
	for (k = 0; k < NIOC; k++) {
		result(sizes(&iocs[k]), iocs[k].name, "sizes");
		result(fields(&iocs[k]), iocs[k].name, "flags and reserved fields");
		result(addresses(&iocs[k]), iocs[k].name, "addresses");
		result(handles(&iocs[k], eq.handle), iocs[k].name, "handles");
	}
	result(creation(), "ioctl", "single fields");
	result(vector(), "address vector", "insert and remove");
	result(queue_wait(), "queue's file", "waiting");
	result(queue_wait_call(), "queue's file", "waiting by ioctl");
	result(queue_file(), "queue's file", "ioctls");
	result(notify(), "notify", "arguments, several at a time");
	result(notify_call(), "notify", "by ioctl");
	result(only_ioctls(), "notify", "a port that permits only ioctls");
	close(eq.fd);
	result(!raw_handle(fd, WEFT_IOC_DESTROY, eq.handle) && nothing_made(), "ioctl",
	       "failures make nothing");
	return results_end();
}
