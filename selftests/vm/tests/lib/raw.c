// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "raw.h"

int raw_open(int node)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/dev/weft/weft%d", node);
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int raw(int fd, unsigned long req, void *arg)
{
	return ioctl(fd, req, arg) < 0 ? -errno : 0;
}

int raw_handle(int fd, unsigned long req, __u32 handle)
{
	struct weft_ioc_handle arg = { .size = sizeof(arg), .handle = handle };

	return raw(fd, req, &arg);
}

void *raw_map(int fd, const struct weft_map *m, int prot)
{
	char *p = mmap64(NULL, m->len, prot, MAP_SHARED, fd, m->off);

	return p == MAP_FAILED ? NULL : p + m->at;
}

void raw_unmap(const volatile void *p, const struct weft_map *m)
{
	munmap((char *)p - m->at, m->len);
}

bool raw_cq_new(int fd, __u32 slots, struct raw_cq *cq)
{
	memset(cq, 0, sizeof(*cq));
	cq->c.size = sizeof(cq->c);
	cq->c.slots = slots;
	CHECK_EQ(raw(fd, WEFT_IOC_CQ_CREATE, &cq->c), 0);
	cq->ring = raw_map(fd, &cq->c.ring, PROT_READ);
	cq->doorbell = raw_map(fd, &cq->c.doorbell, PROT_READ | PROT_WRITE);
	cq->status = raw_map(fd, &cq->c.status, PROT_READ);
	CHECK(cq->ring && cq->doorbell && cq->status);
	return true;
}

bool raw_ep_make(int fd, __u32 type, __u32 flags, __u32 slots, struct raw_ep *ep)
{
	memset(ep, 0, sizeof(*ep));
	ep->e.flags = flags;
	ep->e.size = sizeof(ep->e);
	ep->e.type = type;
	ep->e.sq_slots = slots;
	ep->e.rq_slots = slots;
	CHECK_EQ(raw(fd, WEFT_IOC_EP_CREATE, &ep->e), 0);
	if (type == WEFT_EP_PASSIVE)
		return true;
	ep->sq = raw_map(fd, &ep->e.sq, PROT_READ | PROT_WRITE);
	ep->rq = raw_map(fd, &ep->e.rq, PROT_READ | PROT_WRITE);
	ep->doorbell = raw_map(fd, &ep->e.doorbell, PROT_READ | PROT_WRITE);
	ep->status = raw_map(fd, &ep->e.status, PROT_READ);
	CHECK(ep->sq && ep->rq && ep->doorbell && ep->status);
	return true;
}

bool raw_ep_new(int fd, __u32 type, __u32 slots, struct raw_ep *ep)
{
	return raw_ep_make(fd, type, 0, slots, ep);
}

bool raw_rdm_make(int fd, __u32 flags, __u32 slots, struct raw_rdm *r)
{
	struct weft_ioc_ep_enable en = { .size = sizeof(en) };
	struct weft_ioc_av_insert in = { .size = sizeof(in) };
	__u32 index = 77;

	memset(r, 0, sizeof(*r));
	r->fd = fd;
	r->eq.size = sizeof(r->eq);
	r->av.size = sizeof(r->av);
	CHECK(raw_cq_new(fd, slots, &r->cq));
	CHECK_EQ(raw(fd, WEFT_IOC_EQ_CREATE, &r->eq), 0);
	CHECK_EQ(raw(fd, WEFT_IOC_AV_CREATE, &r->av), 0);
	CHECK(raw_ep_make(fd, WEFT_EP_RDM, flags, slots, &r->ep));
	en.handle = r->ep.e.handle;
	en.tx_cq = r->cq.c.handle;
	en.rx_cq = r->cq.c.handle;
	en.eq = r->eq.handle;
	en.av = r->av.handle;
	CHECK_EQ(raw(fd, WEFT_IOC_EP_ENABLE, &en), 0);
	CHECK(en.addr.port);
	r->addr = en.addr;
	in.handle = r->av.handle;
	in.count = 1;
	in.addrs = (__u64)(uintptr_t)&r->addr;
	in.index = (__u64)(uintptr_t)&index;
	CHECK_EQ(raw(fd, WEFT_IOC_AV_INSERT, &in), 0);
	CHECK_EQ(in.done, 1);
	CHECK_EQ(index, 0);
	return true;
}

bool raw_rdm_new(int fd, __u32 slots, struct raw_rdm *r)
{
	return raw_rdm_make(fd, 0, slots, r);
}

void raw_rdm_release(struct raw_rdm *r)
{
	close(r->cq.c.fd);
	close(r->eq.fd);
	raw_unmap(r->cq.ring, &r->cq.c.ring);
	raw_unmap(r->cq.doorbell, &r->cq.c.doorbell);
	raw_unmap(r->cq.status, &r->cq.c.status);
	raw_unmap(r->ep.sq, &r->ep.e.sq);
	raw_unmap(r->ep.rq, &r->ep.e.rq);
	raw_unmap(r->ep.doorbell, &r->ep.e.doorbell);
	raw_unmap(r->ep.status, &r->ep.e.status);
}

bool raw_rdm_free(struct raw_rdm *r)
{
	CHECK_EQ(raw_handle(r->fd, WEFT_IOC_DESTROY, r->ep.e.handle), 0);
	CHECK_EQ(raw_handle(r->fd, WEFT_IOC_DESTROY, r->cq.c.handle), 0);
	CHECK_EQ(raw_handle(r->fd, WEFT_IOC_DESTROY, r->eq.handle), 0);
	CHECK_EQ(raw_handle(r->fd, WEFT_IOC_DESTROY, r->av.handle), 0);
	raw_rdm_release(r);
	return true;
}

int raw_notify(int fd, __s64 where, int what)
{
	__s64 ret = lseek64(fd, where, what);

	return ret < 0 ? -errno : ret;
}

int raw_notify_call(int fd, unsigned long handle, unsigned int what)
{
	return ioctl(fd, WEFT_IOC_NOTIFY(what), handle) < 0 ? -errno : 0;
}

int raw_wait_call(int fd, __u32 seen, __u64 timeout_ns)
{
	struct weft_ioc_wait arg = { .size = sizeof(arg), .seen = seen, .timeout_ns = timeout_ns };

	return ioctl(fd, WEFT_IOC_CQ_WAIT, &arg) < 0 ? -errno : 0;
}

int raw_wait(int fd, __u32 seen, __u64 timeout_ns)
{
	__u64 shift = timeout_ns >> 25 ? 20 : 0, code = WEFT_CQ_SEEK_EVER;

	if (timeout_ns != ~0ull)
		code = WEFT_CQ_SEEK | shift << 57 | ((timeout_ns >> shift) + !!shift) << 32;
	return raw_notify(fd, code | seen, WEFT_CQ_SEEK_WAIT);
}

static int notify(struct raw_rdm *r, __u32 flags)
{
	return raw_notify(r->fd, r->ep.e.handle, flags);
}

int raw_post_sq(struct raw_rdm *r, __u32 n)
{
	__atomic_store_n(&r->ep.doorbell->sq_tail, r->ep.doorbell->sq_tail + n, __ATOMIC_RELEASE);
	return notify(r, WEFT_NOTIFY_SQ);
}

int raw_post_rq(struct raw_rdm *r, __u32 n)
{
	__atomic_store_n(&r->ep.doorbell->rq_tail, r->ep.doorbell->rq_tail + n, __ATOMIC_RELEASE);
	return notify(r, WEFT_NOTIFY_RQ);
}

struct weft_sqe *raw_sqe(struct raw_rdm *r, __u8 op, __u64 context)
{
	struct weft_sqe *s = &r->ep.sq[r->ep.doorbell->sq_tail & (r->ep.e.sq_slots - 1)];

	memset(s, 0, sizeof(*s));
	s->op = op;
	s->nslots = 1;
	s->context = context;
	s->flags = WEFT_SQ_COMPLETION;
	return s;
}

struct weft_rqe *raw_rqe(struct raw_rdm *r, __u8 op, __u64 context)
{
	struct weft_rqe *s = &r->ep.rq[r->ep.doorbell->rq_tail & (r->ep.e.rq_slots - 1)];

	memset(s, 0, sizeof(*s));
	s->op = op;
	s->nslots = 1;
	s->context = context;
	s->src = WEFT_SRC_ANY;
	s->flags = WEFT_RQ_COMPLETION;
	return s;
}

void raw_in_child(bool (*begin)(void), bool (*test)(void), const char *name, const char *where)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		_exit((begin && !begin()) || !test());
	waitpid(pid, &status, 0);
	result(WIFEXITED(status) && !WEXITSTATUS(status), name, where);
}

bool raw_completion(struct raw_cq *cq, struct weft_cqe *e)
{
	const struct weft_cqe *slot = &cq->ring[cq->head & (cq->c.slots - 1)];

	CHECK_EQ(raw_wait(cq->c.fd, cq->head, RAW_MS * 1000000ull), 0);
	CHECK_EQ(__atomic_load_n(&slot->seq, __ATOMIC_ACQUIRE), cq->head + 1);
	memcpy(e, slot, sizeof(*e));
	CHECK(e->nslots);
	cq->head += e->nslots;
	__atomic_store_n(&cq->doorbell->head, cq->head, __ATOMIC_RELEASE);
	return true;
}

bool raw_quiet(struct raw_cq *cq)
{
	CHECK_EQ(raw_wait(cq->c.fd, cq->head, 0), -ETIMEDOUT);
	return true;
}
