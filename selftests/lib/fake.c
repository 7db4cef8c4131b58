// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The kernel's part for tests of libweft: see fake.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake.h"

/* ---- The kernel's part ------------------------------------------------------------------ */

struct fake_dev *dev;
char dev_path[64];
int event_pipe[2];
unsigned int notifies, cq_notifies, cancels, waits;
unsigned int seeks;
uint64_t caps = WEFT_CAP_SEEK;
struct weft_ioc_wait wait_arg;
unsigned int notify_eintr;
uint32_t notify_handle, notify_flags;
int destroy_errno;
uint32_t abi = WEFT_ABI_VERSION;
struct weft_ioc_cm last_cm;
struct weft_ioc_ep last_ep;
struct weft_ioc_ep_enable last_enable;
uint64_t last_wait;
struct weft_ioc_region last_region;
struct weft_iov last_segs[WEFT_IOV_MAX];
struct weft_ioc_trigger_add last_trigger;
unsigned char last_entry[WEFT_NSLOTS_MAX * WEFT_SLOT_SIZE];
struct weft_ioc_trigger_end last_end;
struct weft_ioc_cntr_change last_change;
int trigger_errno;
bool addr_known;

#define PART(field, place)	((struct weft_map) {				\
	.off = (char *)&dev->field - (char *)dev,				\
	.len = PAGE,								\
	.at = (place) })

/* Keep the arguments of a new region, whose key is 4711 if the kernel is to choose it. */
static int region(struct weft_ioc_region *arg)
{
	last_region = *arg;
	memcpy(last_segs, (void *)(uintptr_t)arg->segs, arg->nsegs * sizeof(last_segs[0]));
	if (arg->flags & WEFT_REGIONF_KEY)
		arg->key = 4711;
	return 0;
}

/* Keep the arguments of a new trigger, and its entry. */
static int trigger(const struct weft_ioc_trigger_add *arg)
{
	last_trigger = *arg;
	if (arg->nslots > WEFT_NSLOTS_MAX)
		return EINVAL;
	memcpy(last_entry, (void *)(uintptr_t)arg->entry, arg->nslots * WEFT_SLOT_SIZE);
	return trigger_errno;
}

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
		q->caps = caps;
		return 0;
	case WEFT_IOC_CQ_CREATE:
		cq->slots = SLOTS;
		cq->handle = 0x10001;
		cq->fd = dup(event_pipe[0]);
		cq->ring = PART(cq, 0);
		cq->doorbell = PART(bell, 0);
		cq->status = PART(status, 0);
		return 0;
	case WEFT_IOC_EP_ENABLE:
		last_enable = *(struct weft_ioc_ep_enable *)arg;
		return 0;
	case WEFT_IOC_EP_CREATE:
		last_ep = *ep;
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

			next_index -= good && addr_known;
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
	case WEFT_IOC_REGION_ADD:
		return region(arg);
	case WEFT_IOC_REGION_END:
		return ((struct weft_ioc_region_end *)arg)->key == 4711 &&
		       ((struct weft_ioc_region_end *)arg)->zone == 6 ? 0 : ENOENT;
	case WEFT_IOC_TRIGGER_ADD:
		return trigger(arg);
	case WEFT_IOC_TRIGGER_END:
		last_end = *(struct weft_ioc_trigger_end *)arg;
		return trigger_errno;
	case WEFT_IOC_CNTR_CHANGE:
		last_change = *(struct weft_ioc_cntr_change *)arg;
		return 0;
	case WEFT_IOC_CQ_NOTIFY:
		cq_notifies++;
		return 0;
	case WEFT_IOC_CQ_WAIT:
		waits++;
		wait_arg = *(struct weft_ioc_wait *)arg;
		return ETIMEDOUT;
	default:
		return ENOTTY;
	}
}

static int notified(uint64_t handle, uint32_t flags)
{
	notifies++;
	notify_handle = handle;
	notify_flags = flags;
	if (!notify_eintr)
		return 0;
	notify_eintr--;
	errno = EINTR;
	return -1;
}

int ioctl(int fd, unsigned long req, ...)
{
	va_list ap;
	void *arg;

	(void)fd;
	va_start(ap, req);
	arg = va_arg(ap, void *);
	va_end(ap);

	if ((req & ~3ul) == WEFT_IOC_NOTIFY(0))
		return notified((uintptr_t)arg, req & 3);
	errno = fake(req, arg);
	return errno ? -1 : 0;
}

/* A notify call, or a wait; other files than the device work as usual. */
off64_t lseek64(int fd, off64_t where, int what)
{
	struct stat st;

	if (!fstat(fd, &st) && S_ISFIFO(st.st_mode)) {
		waits++;
		last_wait = where;
		seeks++;
		errno = what == WEFT_CQ_SEEK_WAIT ? ETIMEDOUT : EINVAL;
		return -1;
	}
	seeks++;
	return notified(where, what);
}

/* ---- The test's part -------------------------------------------------------------------- */

struct weft_ctx *ctx;
struct weft_cq *cq;
struct weft_ep *ep;

static void setup(void)
{
	struct weft_ep_attr attr = { .type = WEFT_EP_RDM, .sq_slots = SLOTS, .rq_slots = SLOTS };

	memset(dev, 0, sizeof(*dev));
	notifies = 0;
	cq_notifies = 0;
	cancels = 0;
	waits = 0;
	notify_eintr = 0;
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

void start_at(uint32_t index)
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

void pattern(unsigned char *p, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		p[i] = i * 7 + i / 64;
}

void complete(uint64_t context, uint16_t status, void *buf, size_t len)
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

int fake_run(const struct test *tests, unsigned int n)
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

	return tap_run(tests, n, setup, teardown);
}
