// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/weft.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fuzz_key.h"
#include "fuzz_ops.h"

#define COUNT(a)   (sizeof(a) / sizeof((a)[0]))
#define SLOTS	   64		/* handles, files and maps that are remembered */
#define AREA	   (2ul << 20)	/* bytes of an area of the arena: as long as a huge page */
#define AREAS	   48
#define QUIET	   17		/* areas that mostly hold rings */
#define SETS	   5		/* endpoints with all their objects */
#define PAGE	   4096ul
#define IOCTL_MAX  512

/*
 * State that the threads share. Threads overwrite it at any time. So a call may combine the map of
 * one object with the file of another, which is a valid try.
 */
static int device;
static char *arena;
static int memory;	/* a memfd that is mapped, and truncated */
static int disk;	/* a file, likewise */
static _Atomic __u32 handles[SLOTS];
static _Atomic int files[SLOTS];
static struct weft_map maps[SLOTS];
static struct weft_sockaddr addrs[SLOTS];
static _Atomic __u64 conn;
static _Atomic __u32 passive;
static struct weft_sockaddr passive_addr;

/**
 * struct set - an endpoint that works, until a thread breaks it
 * @type: WEFT_EP_*; 0: none yet
 * @handle: of the endpoint
 * @file: of its completion queue
 * @slots: of each ring
 * @sq: send ring, in the arena
 * @rq: receive ring
 * @bell: doorbells
 * @head: consumer index of the completion queue
 * @tail: its producer index
 */
struct set {
	__u32 type;
	__u32 handle;
	int file;
	__u32 slots;
	struct weft_sqe *sq;
	struct weft_rqe *rq;
	__u32 *bell;
	__u32 *head;
	const __u32 *tail;
};

static struct set sets[SETS];

static __thread sigjmp_buf way_out;
static __thread bool armed;

static unsigned int any(unsigned int *s, unsigned int n)
{
	return (unsigned int)rand_r(s) % n;
}

static void fault(int sig)
{
	if (armed)
		siglongjmp(way_out, 1);
	_exit(0);
}

/* An area; rarely one that holds rings. */
static char *area(unsigned int *s)
{
	return arena + (any(s, 16) ? QUIET + any(s, AREAS - QUIET) : any(s, QUIET)) * AREA;
}

/* An address, mostly in the arena, and a length, mostly within the area. */
static __u64 any_addr(unsigned int *s)
{
	static const __u64 odd[] = { 0, 1, 4096, ~0ull, ~0ull << 12, 1ull << 47,
				     (1ull << 47) - 4096 };

	if (any(s, 32) == 0)
		return odd[any(s, COUNT(odd))];
	return (__u64)(uintptr_t)area(s) + (any(s, 3) ? any(s, 16) * PAGE : any(s, AREA));
}

static __u64 any_len(unsigned int *s)
{
	static const __u64 lens[] = { 0,    1,	   63,	   64,	 961,	  4096,
				      4097, 60000, 300000, AREA, 3 * AREA };

	if (any(s, 64) == 0)
		return ~0ull >> any(s, 64);
	return any(s, 3) ? lens[any(s, COUNT(lens))] : any(s, AREA);
}

static __u32 handle(unsigned int *s)
{
	return any(s, 64) ? handles[any(s, SLOTS)] : any(s, 64);
}

static int file(unsigned int *s)
{
	return any(s, 8) ? files[any(s, SLOTS)] : device;
}

static void keep_handle(unsigned int *s, __u32 h)
{
	struct weft_ioc_handle old = { .size = sizeof(old) };

	old.handle = atomic_exchange(&handles[any(s, SLOTS)], h);
	if (old.handle)
		ioctl(device, WEFT_IOC_DESTROY, &old);
}

static void keep_file(unsigned int *s, int fd)
{
	int old = atomic_exchange(&files[any(s, SLOTS)], fd);

	if (old > 0)
		close(old);
}

static void keep_map(unsigned int *s, const struct weft_map *m)
{
	maps[any(s, SLOTS)] = *m;
}

/* ---- ioctls ---------------------------------------------------------------------------------- */

/* Now and then replace a value by any other one. */
static void spoil(unsigned int *s, void *arg, size_t size)
{
	static const __u32 odd[] = { 1, 2, 3, 16, 0xffff, 0x10000, 0x7fffffff, 0xffffffff };
	__u32 *word = arg;

	if (any(s, 4))
		return;
	word += any(s, size / 4);
	switch (any(s, 3)) {
	case 0:
		*word = odd[any(s, COUNT(odd))];
		break;
	case 1:
		*word ^= 1u << any(s, 32);
		break;
	default:
		*word = handle(s);
	}
}

static void call(unsigned int *s, int fd, unsigned long req, void *arg, size_t size)
{
	spoil(s, arg, size);
	ioctl(fd, req, arg);
}
#define CALL(s, fd, req, arg) call(s, fd, req, arg, sizeof(*(arg)))

static void new_cq(unsigned int *s)
{
	struct weft_ioc_cq c = { .size = sizeof(c), .slots = 16u << any(s, 4) };

	if (any(s, 4) == 0) {
		c.flags = WEFT_CQF_COUNT;
		c.slots = 0;
	}
	spoil(s, &c, sizeof(c));
	if (ioctl(device, WEFT_IOC_CQ_CREATE, &c))
		return;
	keep_handle(s, c.handle);
	keep_file(s, c.fd);
	keep_map(s, &c.ring);
	keep_map(s, &c.doorbell);
	keep_map(s, &c.status);
}

static void new_eq(unsigned int *s)
{
	struct weft_ioc_eq e = { .size = sizeof(e) };

	spoil(s, &e, sizeof(e));
	if (ioctl(device, WEFT_IOC_EQ_CREATE, &e))
		return;
	fcntl(e.fd, F_SETFL, O_NONBLOCK);
	keep_handle(s, e.handle);
	keep_file(s, e.fd);
}

static void new_ep(unsigned int *s)
{
	static const __u32 types[] = { WEFT_EP_RDM, WEFT_EP_RDM, WEFT_EP_MSG, WEFT_EP_DGRAM,
				       WEFT_EP_PASSIVE };
	struct weft_ioc_ep e = { .size = sizeof(e), .type = types[any(s, COUNT(types))] };

	if (any(s, 2))
		e.flags = any(s, 16);
	if (e.type != WEFT_EP_PASSIVE) {
		e.sq_slots = 16u << any(s, 3);
		e.rq_slots = e.flags & WEFT_EPF_SRQ ? 0 : 16u << any(s, 3);
	}
	fuzz_key(s, &e);
	if (any(s, 16) == 0)
		e.key = any_addr(s);
	spoil(s, &e, sizeof(e));
	if (ioctl(device, WEFT_IOC_EP_CREATE, &e))
		return;
	keep_handle(s, e.handle);
	if (e.type == WEFT_EP_PASSIVE)
		return;
	keep_map(s, &e.sq);
	keep_map(s, &e.rq);
	keep_map(s, &e.doorbell);
	keep_map(s, &e.status);
}

static void new_srq(unsigned int *s)
{
	struct weft_ioc_srq q = {
		.size = sizeof(q), .slots = 16u << any(s, 3), .recvs = 16u << any(s, 3)
	};
	unsigned long req = WEFT_IOC_SRQ_CREATE;

	if (any(s, 2))
		q.eq = handle(s);
	if (any(s, 4) == 0) {
		q.eq = 0;
		q.handle = handle(s);
		req = WEFT_IOC_SRQ_RESIZE;
	}
	spoil(s, &q, sizeof(q));
	if (ioctl(device, req, &q))
		return;
	if (req == WEFT_IOC_SRQ_CREATE)
		keep_handle(s, q.handle);
	keep_map(s, &q.rq);
	keep_map(s, &q.doorbell);
	keep_map(s, &q.status);
}

static void new_mr(unsigned int *s)
{
	struct weft_ioc_mr m = { .size = sizeof(m), .access = 1 + any(s, 3), .addr = any_addr(s),
				 .len = any_len(s), .zone = any(s, 2) };

	spoil(s, &m, sizeof(m));
	if (!ioctl(device, WEFT_IOC_MR_REG, &m))
		keep_handle(s, m.handle);
}

static void enable(unsigned int *s)
{
	struct weft_ioc_ep_enable en = { .size = sizeof(en), .handle = handle(s) };
	__u32 *h[] = { &en.tx_cq, &en.rx_cq, &en.eq, &en.av, &en.srq, &en.tx_cntr, &en.rx_cntr,
		       &en.write_cntr, &en.read_cntr, &en.remote_write_cntr,
		       &en.remote_read_cntr };
	unsigned int i;

	for (i = 0; i < COUNT(h); i++) {
		if (i < 4 || any(s, 4) == 0)
			*h[i] = handle(s);
	}
	spoil(s, &en, sizeof(en));
	if (!ioctl(device, WEFT_IOC_EP_ENABLE, &en))
		addrs[any(s, SLOTS)] = en.addr;
}

static void insert(unsigned int *s)
{
	struct weft_ioc_av_insert in = { .size = sizeof(in), .handle = handle(s),
					 .count = 1 + any(s, SLOTS), .addrs = any_addr(s),
					 .index = any_addr(s) };

	if (any(s, 4)) {
		__u32 index[SLOTS];

		in.addrs = (__u64)(uintptr_t)addrs;
		in.index = (__u64)(uintptr_t)index;
		CALL(s, device, WEFT_IOC_AV_INSERT, &in);
		return;
	}
	if (any(s, 2))
		in.addrs = 0;
	CALL(s, device, in.addrs ? WEFT_IOC_AV_INSERT : WEFT_IOC_AV_REMOVE, &in);
}

static void connection(unsigned int *s)
{
	static const unsigned long reqs[] = { WEFT_IOC_LISTEN, WEFT_IOC_CONNECT, WEFT_IOC_ACCEPT,
					      WEFT_IOC_REJECT };
	struct weft_ioc_cm cm = { .size = sizeof(cm), .handle = handle(s) };
	unsigned int what = any(s, COUNT(reqs));

	if (any(s, 4))
		cm.handle = what == 1 || what == 2 ? sets[any(s, SETS)].handle : passive;

	cm.data_len = any(s, 3) ? 0 : any(s, WEFT_CM_DATA_MAX + 2);
	if (what == 0) {
		cm.eq = handle(s);
		cm.backlog = 1 + any(s, 4);
	} else if (what == 1) {
		cm.addr = any(s, 4) ? passive_addr : addrs[any(s, SLOTS)];
	} else {
		cm.conn = conn;
	}
	spoil(s, &cm, sizeof(cm));
	if (!ioctl(device, reqs[what], &cm) && what == 0)
		addrs[any(s, SLOTS)] = cm.addr;
}

static void of_handle(unsigned int *s)
{
	static const unsigned long reqs[] = { WEFT_IOC_SHUTDOWN, WEFT_IOC_SRQ_NOTIFY,
					      WEFT_IOC_DESTROY };
	struct weft_ioc_handle h = { .size = sizeof(h), .flags = any(s, 2), .handle = handle(s) };
	struct weft_ioc_name n = { .size = sizeof(n), .handle = handle(s) };
	struct weft_ioc_cancel c = { .size = sizeof(c), .handle = handle(s), .context = any(s, 8) };
	struct weft_ioc_mark m = { .size = sizeof(m), .handle = handle(s), .low = any(s, 20) };
	struct weft_ioc_srq_cancel sc = { .size = sizeof(sc), .handle = handle(s), .cq = handle(s),
					  .context = any(s, 8) };
	struct weft_ioc_srq_query q = { .size = sizeof(q), .handle = handle(s) };
	struct weft_ioc_query port = { .size = sizeof(port) };

	switch (any(s, 8)) {
	case 0:
		n.addr = addrs[any(s, SLOTS)];
		CALL(s, device, WEFT_IOC_SETNAME, &n);
		break;
	case 1:
		CALL(s, device, any(s, 2) ? WEFT_IOC_GETNAME : WEFT_IOC_GETPEER, &n);
		break;
	case 2:
		CALL(s, device, WEFT_IOC_CANCEL, &c);
		break;
	case 3:
		CALL(s, device, any(s, 2) ? WEFT_IOC_SRQ_ARM : WEFT_IOC_EP_HELD, &m);
		m.low = 0;
		m.soft = any(s, 4);
		m.hard = any(s, 4);
		CALL(s, device, WEFT_IOC_EP_MARK, &m);
		break;
	case 4:
		CALL(s, device, WEFT_IOC_SRQ_CANCEL, &sc);
		break;
	case 5:
		CALL(s, device, WEFT_IOC_SRQ_QUERY, &q);
		CALL(s, device, WEFT_IOC_QUERY, &port);
		break;
	default:
		CALL(s, device, reqs[any(s, COUNT(reqs))], &h);
	}
}

/* Any number, any size, bytes from any address. */
static void wild_ioctl(unsigned int *s)
{
	char arg[IOCTL_MAX];
	__u32 size = any(s, IOCTL_MAX);
	unsigned int i;

	for (i = 0; i < sizeof(arg); i++)
		arg[i] = any(s, 4) ? 0 : rand_r(s);
	memcpy(arg, &size, sizeof(size));
	ioctl(file(s), _IOC(any(s, 4), any(s, 16) ? 'w' : any(s, 256), any(s, 0x48),
			    any(s, 2) ? size : any(s, 1u << _IOC_SIZEBITS)),
	      any(s, 8) ? (void *)arg : (void *)(uintptr_t)any_addr(s));
}

static void queue(unsigned int *s)
{
	struct pollfd p = { .fd = file(s), .events = POLLIN };
	_Alignas(8) char buf[600];
	struct weft_event *e = (void *)buf;

	switch (any(s, 5)) {
	case 0:
		lseek64(file(s), WEFT_CQ_SEEK | (__u64)any(s, 2000000) << 32 | any(s, 32),
			WEFT_CQ_SEEK_WAIT);
		break;
	case 1:
		ioctl(file(s), WEFT_IOC_CQ_NOTIFY, NULL);
		break;
	case 2:
		ioctl(file(s), WEFT_IOC_CQ_SIGNAL, NULL);
		break;
	case 3:
		poll(&p, 1, (int)any(s, 2));
		break;
	default:
		/* (the call fails on a file that is not an event queue's) */
		if (!poll(&p, 1, 0) || !(p.revents & POLLIN))
			break;
		if (read(p.fd, any(s, 8) ? (void *)buf : (void *)(uintptr_t)any_addr(s),
			 any(s, 8) ? sizeof(buf) : any(s, 100)) >= (ssize_t)sizeof(*e) &&
		    e->type == WEFT_EV_CONNREQ)
			conn = e->conn;
	}
}

/* ---- Maps and posts -------------------------------------------------------------------------- */

static const int prots[] = { PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE, PROT_READ, PROT_NONE,
			     PROT_READ | PROT_WRITE | PROT_EXEC };

static void map_object(unsigned int *s)
{
	struct weft_map m = maps[any(s, SLOTS)];
	size_t len = m.len;
	off_t off = m.off;

	if (any(s, 8) == 0)
		off += (long)(any(s, 9) - 4) * (long)PAGE;
	if (any(s, 8) == 0)
		len = any(s, 64) * PAGE;
	if (!len || len > AREA)
		return;
	mmap(area(s), len, prots[any(s, 3)], (any(s, 8) ? MAP_SHARED : MAP_PRIVATE) | MAP_FIXED,
	     any(s, 16) ? device : file(s), off);
}

static void map_memory(unsigned int *s)
{
	char *p = area(s);
	int prot = prots[any(s, COUNT(prots))], anon = MAP_ANONYMOUS | MAP_FIXED;
	size_t len = any(s, 4) ? AREA : PAGE * (1 + any(s, 64));

	switch (any(s, 7)) {
	case 0:
		mmap(p, len, prot, MAP_PRIVATE | anon, -1, 0);
		break;
	case 1:
		mmap(p, AREA, prot, MAP_PRIVATE | anon, -1, 0);
		madvise(p, AREA, MADV_HUGEPAGE);
		break;
	case 2:
		mmap(p, AREA, prot, MAP_PRIVATE | MAP_HUGETLB | anon, -1, 0);
		break;
	case 3:
		mmap(p, len, prot, MAP_SHARED | MAP_FIXED, memory, any(s, 8) * PAGE);
		break;
	case 4:
		mmap(p, len, prot, MAP_PRIVATE | MAP_FIXED, memory, 0);
		break;
	case 5:
		mmap(p, PAGE * 32, prot, MAP_SHARED | MAP_FIXED, disk, 0);
		break;
	default:
		mmap(p, len, prot, MAP_SHARED | anon, -1, 0);
	}
	if (any(s, 2) && (prot & PROT_WRITE))
		*(volatile char *)(p + any(s, 8) * PAGE) = 1;
}

static void change_memory(unsigned int *s)
{
	static const int advices[] = {
		MADV_DONTNEED, MADV_REMOVE, MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_DONTFORK,
		MADV_DOFORK, MADV_COLD, MADV_PAGEOUT, MADV_FREE, MADV_WILLNEED,
		25, /* MADV_COLLAPSE */
	};
	char *p = area(s) + (any(s, 2) ? 0 : any(s, 64) * PAGE);
	size_t len = any(s, 2) ? AREA - (size_t)(p - arena) % AREA : PAGE * (1 + any(s, 16));

	switch (any(s, 6)) {
	case 0:
		munmap(p, len);
		break;
	case 1:
		mprotect(p, len, prots[any(s, COUNT(prots))]);
		break;
	case 2:
		mremap(p, len, any(s, 2) ? len : PAGE * (1 + any(s, 16)),
		       MREMAP_MAYMOVE | MREMAP_FIXED, area(s));
		break;
	case 3:
		if (ftruncate(any(s, 2) ? memory : disk, any(s, 2) ? 0 : (off_t)AREA))
			break;
		break;
	default:
		madvise(p, len, advices[any(s, COUNT(advices))]);
	}
}

union entry {
	struct weft_sqe s;
	struct weft_rqe r;
	__u64 words[8];
};

static void any_send(unsigned int *s, struct weft_sqe *e)
{
	*e = (struct weft_sqe){ .op = WEFT_SQ_SEND + any(s, 2), .nslots = 1, .dst = any(s, 4),
				.context = any(s, 8), .addr = any_addr(s), .len = any_len(s),
				.niov = 1 };
	e->flags = any(s, 2) ? WEFT_SQ_COMPLETION : any(s, WEFT_SQ_FLAGS + 1) & ~WEFT_SQ_INLINE;
}

static void any_recv(unsigned int *s, struct weft_rqe *e)
{
	*e = (struct weft_rqe){ .op = 1 + any(s, 6), .nslots = 1, .context = any(s, 8),
				.src = any(s, 4) ? WEFT_SRC_ANY : any(s, 4), .addr = any_addr(s),
				.len = any_len(s), .niov = 1 };
	e->flags = any(s, 2) ? WEFT_RQ_COMPLETION : any(s, WEFT_RQ_FLAGS + 1);
}

/* One of the two, valid or nearly so. */
static void any_entry(unsigned int *s, bool sq, union entry *e)
{
	if (sq)
		any_send(s, &e->s);
	else
		any_recv(s, &e->r);
	if (any(s, 3) == 0) { /* in the ring, or in segments behind the entry */
		e->s.niov = any(s, 2) ? 0 : any(s, WEFT_IOV_MAX + 2);
		e->s.nslots = 1 + any(s, 4);
		e->s.addr = 0;
		e->s.len = any(s, 4) ? e->s.len % 200 : e->s.len;
		e->s.flags |= sq && !e->s.niov ? WEFT_SQ_INLINE : 0;
	}
	if (any(s, 16) == 0)
		e->words[any(s, 8)] = (__u64)rand_r(s) << any(s, 32);
}

/* Entries at any page of the arena, and any doorbell. */
static void post_anywhere(unsigned int *s)
{
	char *p = area(s), *bell = area(s);
	__u32 *tail = (__u32 *)(bell + any(s, 8) * 4);
	unsigned int i, n = 1 + any(s, 4), sq = any(s, 2);
	union entry e;

	for (i = 0; i < n; i++) {
		any_entry(s, sq, &e);
		memcpy(p + ((size_t)(*tail + i) % 64) * 64, &e, sizeof(e));
	}
	__atomic_store_n(tail, any(s, 32) ? *tail + n : (__u32)rand_r(s), __ATOMIC_RELEASE);
}

/* Write entries into the ring of an endpoint, notify, and mostly read its completions. */
static void post(unsigned int *s)
{
	struct set set = sets[any(s, SETS)];
	unsigned int n = 1 + any(s, 4), sq = any(s, 2);
	__u32 *tail = set.bell + !sq, at;
	union entry e;

	if (!set.type)
		return;
	for (at = *tail; n; n--) {
		any_entry(s, sq, &e);
		if (set.type == WEFT_EP_MSG)
			e.s.dst = sq ? 0 : WEFT_SRC_ANY;
		else if (any(s, 8))
			e.s.dst = sq ? 0 : WEFT_SRC_ANY;
		if (sq)
			set.sq[at & (set.slots - 1)] = e.s;
		else
			set.rq[at & (set.slots - 1)] = e.r;
		at += e.s.nslots < 16 ? e.s.nslots : 1;
	}
	__atomic_store_n(tail, at, __ATOMIC_RELEASE);
	lseek(device, set.handle, 1 + (int)any(s, 3));
}

/* Advance the consumer index of a completion queue, or set any value. */
static void consume(unsigned int *s)
{
	struct set *set = &sets[any(s, SETS)];
	volatile __u32 *head = set->head;
	const volatile __u32 *tail = set->tail;

	if (!set->type)
		return;
	*head = any(s, 64) ? *tail : (__u32)rand_r(s);
	ioctl(set->file, WEFT_IOC_CQ_NOTIFY, NULL);
}

static void *ring_map(const struct weft_map *m, unsigned int place, int prot)
{
	char *p = mmap(arena + place * AREA, m->len, prot, MAP_SHARED | MAP_FIXED, device, m->off);

	return p == MAP_FAILED ? NULL : p + m->at;
}

/* Make an endpoint with all its objects, which knows itself, in place of another one. */
static void new_set(unsigned int *s)
{
	static const __u32 types[] = { WEFT_EP_RDM, WEFT_EP_RDM, WEFT_EP_MSG, WEFT_EP_DGRAM };
	struct weft_ioc_ep e = { .size = sizeof(e), .sq_slots = 64, .rq_slots = 64 };
	struct weft_ioc_ep_enable en = { .size = sizeof(en) };
	struct weft_ioc_av_insert in = { .size = sizeof(in), .count = 1 };
	struct weft_ioc_cq c = { .size = sizeof(c), .slots = 16u << any(s, 6) };
	struct weft_ioc_eq q = { .size = sizeof(q) };
	struct weft_ioc_av a = { .size = sizeof(a) };
	unsigned int k = any(s, SETS), place = 3 * k;
	const int rw = PROT_READ | PROT_WRITE;
	struct set set = { .type = types[any(s, COUNT(types))] };
	__u32 index;

	e.type = set.type;
	e.flags = set.type == WEFT_EP_RDM && any(s, 4) == 0 ? WEFT_EPF_FENCE : 0;
	fuzz_key(s, &e);
	if (ioctl(device, WEFT_IOC_EP_CREATE, &e) || ioctl(device, WEFT_IOC_CQ_CREATE, &c) ||
	    ioctl(device, WEFT_IOC_EQ_CREATE, &q) || ioctl(device, WEFT_IOC_AV_CREATE, &a))
		return;
	fcntl(q.fd, F_SETFL, O_NONBLOCK);
	keep_file(s, c.fd);
	keep_file(s, q.fd);
	/* (the endpoint first: it uses the other objects) */
	keep_handle(s, e.handle);
	keep_handle(s, c.handle);
	keep_handle(s, q.handle);
	keep_handle(s, a.handle);
	set.handle = e.handle;
	set.file = c.fd;
	set.slots = e.sq_slots;
	set.sq = ring_map(&e.sq, place, rw);
	set.rq = ring_map(&e.rq, place + 1, rw);
	set.bell = ring_map(&e.doorbell, place + 2, rw);
	set.head = ring_map(&c.doorbell, QUIET - 2, rw);
	set.tail = ring_map(&c.status, QUIET - 1, PROT_READ);
	en.handle = e.handle;
	en.tx_cq = c.handle;
	en.rx_cq = c.handle;
	en.eq = q.handle;
	en.av = set.type == WEFT_EP_MSG ? 0 : a.handle;
	if (!set.sq || !set.rq || !set.bell || !set.head ||
	    !set.tail || ioctl(device, WEFT_IOC_EP_ENABLE, &en))
		return;
	addrs[any(s, SLOTS)] = en.addr;
	in.handle = a.handle;
	in.addrs = (__u64)(uintptr_t)&en.addr;
	in.index = (__u64)(uintptr_t)&index;
	ioctl(device, WEFT_IOC_AV_INSERT, &in);
	sets[k] = set;
}

/* Make a listener. */
static void new_listener(unsigned int *s)
{
	struct weft_ioc_ep e = { .size = sizeof(e), .type = WEFT_EP_PASSIVE };
	struct weft_ioc_cm cm = { .size = sizeof(cm), .backlog = 1 + any(s, 8) };
	struct weft_ioc_eq q = { .size = sizeof(q) };

	fuzz_key(s, &e);
	if (ioctl(device, WEFT_IOC_EP_CREATE, &e) || ioctl(device, WEFT_IOC_EQ_CREATE, &q))
		return;
	fcntl(q.fd, F_SETFL, O_NONBLOCK);
	keep_file(s, q.fd);
	keep_handle(s, e.handle);
	keep_handle(s, q.handle);
	cm.handle = e.handle;
	cm.eq = q.handle;
	if (ioctl(device, WEFT_IOC_LISTEN, &cm))
		return;
	passive_addr = cm.addr;
	passive = e.handle;
}

static void notify(unsigned int *s)
{
	unsigned int n;

	for (n = 1 + any(s, 8); n; n--)
		lseek(device, handle(s), any(s, 16) ? 1 + (int)any(s, 3) : (int)any(s, 8));
}

/* ---- The process ----------------------------------------------------------------------------- */

static void child(unsigned int *s)
{
	unsigned int what = any(s, 4), n = any(s, 8);
	pid_t pid = fork();

	if (pid < 0)
		return;
	if (pid) {
		if (what != 3)
			waitpid(pid, NULL, 0);
		return;
	}
	alarm(5);
	if (what == 0)
		execl("/bin/true", "true", NULL);
	/* (calls of another address space are refused) */
	for (; n; n--) {
		of_handle(s);
		map_object(s);
		change_memory(s);
	}
	_exit(0);
}

static void of_file(unsigned int *s)
{
	char buf[64];
	int fd;

	switch (any(s, 5)) {
	case 0:
		keep_file(s, dup(file(s)));
		break;
	case 1:
		fd = atomic_exchange(&files[any(s, SLOTS)], -1);
		if (fd > 0)
			close(fd);
		break;
	case 2:
		if (write(file(s), buf, any(s, sizeof(buf))) < 0 && fdatasync(file(s)))
			break;
		break;
	case 3:
		lseek(file(s), rand_r(s), (int)any(s, 5));
		break;
	default:
		if (fcntl(file(s), F_SETFL, O_NONBLOCK | (any(s, 2) ? O_ASYNC : 0)))
			break;
	}
}

bool fuzz_begin(const char *path)
{
	struct sigaction sa = { .sa_handler = fault, .sa_flags = SA_NODEFER };
	unsigned int i;

	device = open(path, O_RDWR | O_CLOEXEC);
	if (device < 0)
		return false;
	memory = memfd_create("fuzz", MFD_CLOEXEC);
	disk = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	arena = mmap(NULL, (AREAS + 1) * AREA, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory < 0 || arena == MAP_FAILED || ftruncate(memory, AREA))
		return false;
	arena += AREA - (uintptr_t)arena % AREA;
	for (i = 0; i < SLOTS; i++)
		files[i] = -1;
	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGBUS, &sa, NULL);
	signal(SIGIO, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	return true;
}

void fuzz_thread(void)
{
	armed = true;
}

void fuzz_step(unsigned int *seed)
{
	static void (*const steps[])(unsigned int *) = {
		new_cq,	     new_eq,	    new_ep,	   new_ep,	  new_srq,
		new_mr,	     enable,	    enable,	   insert,	  new_set,
		new_set,     new_listener,  connection,	   connection,	  connection,
		of_handle,   of_handle,	    wild_ioctl,	   queue,	  queue,
		queue,	     queue,	    notify,	   notify,	  consume,
		consume,     post,	    post,	   post,	  post,
		post,	     post,	    post,	   post_anywhere, map_object,
		map_object,  map_memory,    map_memory,	   map_memory,	  change_memory,
		change_memory, of_file,
	};

	if (sigsetjmp(way_out, 1))
		return;
	if (any(seed, 300) == 0)
		child(seed);
	else
		steps[any(seed, COUNT(steps))](seed);
}

void fuzz_pages(int more)
{
	const char *name = "/proc/sys/vm/nr_hugepages";
	FILE *f = fopen(name, "r+");
	int n = 0;

	if (!f)
		return;
	if (fscanf(f, "%d", &n) == 1) {
		rewind(f);
		fprintf(f, "%d\n", n + more > 0 ? n + more : 0);
	}
	fclose(f);
}
