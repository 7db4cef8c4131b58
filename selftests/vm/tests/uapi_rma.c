// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One-sided operations on memory of another program, within a node and between nodes: every kind of
 * memory, a target that is stopped or killed, memory that goes, rights of mappings, ends of regions
 *
 *	uapi_rma [CASE]		CASE: only the case of this name
 *
 * KERNELS: each
 * TIMEOUT: 180 LINKS: vnet
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/weft_rma.h>
#include "looks.h"
#include "raw.h"

#define FLAGS	(WEFT_EPF_RMA | WEFT_EPF_REMOTE_READ | WEFT_EPF_REMOTE_WRITE)
#define BYTES	(4u << 20)
#define BOTH	(WEFT_REGION_READ | WEFT_REGION_WRITE)
#define KEY	77
#define WRONG	99	/* no region has this key */
#define OTHER	4711	/* another user */
#define FILE_NAME	"/tmp/uapi_rma"

static bool apart;	/* the target is on another node */

/**
 * struct target - what both programs share
 * @addr: the target's endpoint
 * @ready: its region is there
 * @go: the target's step may begin
 * @done: it has ended
 * @added: how often the target has counted
 */
struct target {
	struct weft_sockaddr addr;
	volatile int ready;
	volatile int go;
	volatile int done;
	volatile __u64 added;
};

static struct target *shared;
static struct raw_rdm r;
static unsigned char *own;	/* the initiator's memory */
static __u32 to;
static pid_t child;

/* Make a region with a counter, or WEFT_HANDLE_NONE. Return: 0, negative errno. */
static int region_add(int fd, __u64 key, __u32 access, const void *at, __u64 len, __u32 cntr)
{
	struct weft_iov seg = { (__u64)(uintptr_t)at, len };
	struct weft_ioc_region region = {
		.size = sizeof(region), .access = access, .nsegs = 1, .key = key,
		.segs = (__u64)(uintptr_t)&seg, .cntr = cntr,
	};

	return raw(fd, WEFT_IOC_REGION_ADD, &region);
}

static bool expose(int fd, __u64 key, __u32 access, const void *at, __u64 len)
{
	CHECK_EQ(region_add(fd, key, access, at, len, WEFT_HANDLE_NONE), 0);
	return true;
}

static int region_end(int fd, __u64 key)
{
	struct weft_ioc_region_end end = { .size = sizeof(end), .key = key };

	return raw(fd, WEFT_IOC_REGION_END, &end);
}

static unsigned char pattern(__u64 i, int salt)
{
	return (unsigned char)(i * 7 + i / 4096 + salt);
}

static void fill(unsigned char *p, __u64 len, int salt)
{
	__u64 i;

	for (i = 0; i < len; i++)
		p[i] = pattern(i, salt);
}

static bool filled(const unsigned char *p, __u64 from, __u64 len, int salt)
{
	__u64 i;

	for (i = from; i < from + len; i++)
		if (p[i] != pattern(i, salt)) {
			printf("# byte %llu is %u, not %u\n", (unsigned long long)i, p[i],
			       pattern(i, salt));
			return false;
		}
	return true;
}

/* ---- The target ------------------------------------------------------------------------------ */

/* Memory of the kind @kind, with a pattern. */
static unsigned char *memory(int kind)
{
	int flags = MAP_PRIVATE, fd = -1, prot = PROT_READ | PROT_WRITE;
	unsigned char *p;

	switch (kind) {
	case 0:
		flags |= MAP_ANONYMOUS;
		break;
	case 1:
		flags = MAP_SHARED | MAP_ANONYMOUS;
		break;
	case 2:
	case 3:
		fd = open(FILE_NAME, O_RDWR | O_CREAT, 0600);
		if (fd < 0 || ftruncate(fd, BYTES))
			return NULL;
		if (kind == 2)
			flags = MAP_SHARED;
		break;
	}
	p = mmap(NULL, BYTES, prot, flags, fd, 0);
	if (p == MAP_FAILED)
		return NULL;
	fill(p, BYTES, 3);
	return p;
}

static bool wait_for(volatile int *what, int value)
{
	uint64_t until = now_ms() + RAW_MS;

	while (__atomic_load_n(what, __ATOMIC_ACQUIRE) < value)
		CHECK(now_ms() < until);
	return true;
}

/* Steps of the target that a case asks for by shared->go. */
static bool target_steps(int fd, unsigned char *p, int kind)
{
	switch (kind) {
	case 10:
		/* a writable map becomes read-only */
		CHECK(wait_for(&shared->go, 1));
		CHECK_EQ(mprotect(p, BYTES, PROT_READ), 0);
		__atomic_store_n(&shared->done, 1, __ATOMIC_RELEASE);
		CHECK(wait_for(&shared->go, 2));
		CHECK_EQ(mprotect(p, BYTES, PROT_READ | PROT_WRITE), 0);
		__atomic_store_n(&shared->done, 2, __ATOMIC_RELEASE);
		CHECK(wait_for(&shared->go, 3));
		CHECK_EQ(munmap(p, BYTES), 0);
		__atomic_store_n(&shared->done, 3, __ATOMIC_RELEASE);
		CHECK(wait_for(&shared->go, 4));
		CHECK(mmap(p, BYTES, PROT_READ | PROT_WRITE,
			   MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == p);
		fill(p, BYTES, 9);
		__atomic_store_n(&shared->done, 4, __ATOMIC_RELEASE);
		break;
	case 12:
	case 13:
		/* the program itself counts in the same word, beside its peer */
		__atomic_store_n((__u64 *)p, 0, __ATOMIC_RELEASE);
		__atomic_store_n(&shared->done, 1, __ATOMIC_RELEASE);
		while (__atomic_load_n(&shared->go, __ATOMIC_ACQUIRE) < 1) {
			__atomic_fetch_add((__u64 *)p, 1, __ATOMIC_SEQ_CST);
			shared->added++;
		}
		__atomic_store_n(&shared->done, 2, __ATOMIC_RELEASE);
		CHECK(wait_for(&shared->go, 2));
		fill(p, BYTES, 4);
		break;
	case 11:
		/* the region ends and comes back, each time that the initiator says so */
		for (;;) {
			CHECK(wait_for(&shared->go, shared->done + 1));
			CHECK_EQ(region_end(fd, KEY), 0);
			CHECK(expose(fd, KEY, BOTH, p, BYTES));
			__atomic_store_n(&shared->done, shared->done + 1, __ATOMIC_RELEASE);
		}
	}
	return true;
}

static int target(int kind)
{
	int fd;
	unsigned char *p;
	struct raw_rdm t;

	node_enter(apart);
	/* the kernel looks at the real user */
	if (kind == 14 && setresuid(OTHER, -1, -1))
		return 1;
	fd = raw_open(apart);
	p = memory(kind < 10 ? kind : kind == 13 ? 2 : 0);
	if (fd < 0 || !p || !raw_rdm_make(fd, FLAGS, 64, &t) || !expose(fd, KEY, BOTH, p, BYTES))
		return 1;
	shared->addr = t.addr;
	__atomic_store_n(&shared->ready, 1, __ATOMIC_RELEASE);
	if (!target_steps(fd, p, kind))
		return 1;
	/* from now on it only sleeps, but for the check of its memory */
	if (!wait_for(&shared->go, 100))
		return 1;
	return !filled(p, 0, BYTES, 4);
}

/* ---- The initiator --------------------------------------------------------------------------- */

static bool begin(int kind)
{
	struct weft_ioc_av_insert in = { .size = sizeof(in), .count = 1 };
	int fd;

	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(shared != MAP_FAILED);
	child = fork();
	CHECK(child >= 0);
	if (!child)
		_exit(target(kind));
	node_enter(0);
	fd = raw_open(0);
	CHECK(fd >= 0);
	CHECK(raw_rdm_make(fd, FLAGS, 64, &r));
	own = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(own != MAP_FAILED);
	CHECK(wait_for(&shared->ready, 1));
	in.handle = r.av.handle;
	in.addrs = (__u64)(uintptr_t)&shared->addr;
	in.index = (__u64)(uintptr_t)&to;
	CHECK_EQ(raw(fd, WEFT_IOC_AV_INSERT, &in), 0);
	return true;
}

static bool finish(bool killed)
{
	int status;

	if (killed)
		kill(child, SIGKILL);
	__atomic_store_n(&shared->go, 100, __ATOMIC_RELEASE);
	CHECK_EQ(waitpid(child, &status, 0), child);
	if (!killed)
		CHECK_EQ(status, 0);
	munmap(own, BYTES);
	CHECK(raw_rdm_free(&r));
	close(r.fd);
	munmap(shared, 4096);
	return true;
}

static bool post_key(bool write, __u64 off, __u64 len, __u64 context, __u64 key)
{
	struct weft_sqe *s = raw_sqe(&r, write ? WEFT_SQ_WRITE : WEFT_SQ_READ, context);

	s->flags = WEFT_SQ_COMPLETION;
	s->dst = to;
	s->addr = (__u64)(uintptr_t)own + off;
	s->len = len;
	s->niov = 1;
	s->tag = key;
	s->nrem = 1;
	s->raddr = off;
	CHECK_EQ(raw_post_sq(&r, 1), 0);
	return true;
}

static bool post(bool write, __u64 off, __u64 len, __u64 context)
{
	return post_key(write, off, len, context, KEY);
}

/* Return: status of the next completion, -1: none, or of another operation. */
static int status(__u64 context)
{
	struct weft_cqe e;

	if (!raw_completion(&r.cq, &e) || e.context != context || !(e.flags & WEFT_CQE_SEND))
		return -1;
	return e.status;
}

static const __u32 sizes[] = { 1, 8, 100, 1300, 4096, 5000, 65536, 300000, 3000000 };

/* Read and write memory of one kind; at the end all of it. */
static bool kind(int kind)
{
	unsigned int i;

	CHECK(begin(kind));
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		memset(own, 0, BYTES);
		CHECK(post(false, 3 * i, sizes[i], i));
		CHECK_EQ(status(i), 0);
		CHECK(filled(own, 3 * i, sizes[i], 3));
		CHECK_EQ(own[3 * i + sizes[i]], 0);
		if (i)
			CHECK_EQ(own[3 * i - 1], 0);
	}
	fill(own, BYTES, 4);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		CHECK(post(true, 5 * i, sizes[i], i));
		CHECK_EQ(status(i), 0);
	}
	CHECK(post(true, 0, BYTES, 50));
	CHECK_EQ(status(50), 0);
	memset(own, 0, BYTES);
	CHECK(post(false, 0, BYTES, 51));
	CHECK_EQ(status(51), 0);
	CHECK(filled(own, 0, BYTES, 4));
	return finish(false);
}

static bool anonymous(void)
{
	return kind(0);
}

static bool shared_memory(void)
{
	return kind(1);
}

static bool shared_file(void)
{
	bool ok = kind(2);

	unlink(FILE_NAME);
	return ok;
}

/* The target's program writes its own copy, and so do its peers. */
static bool private_file(void)
{
	int fd = open(FILE_NAME, O_RDWR | O_CREAT | O_TRUNC, 0600);
	unsigned char *p;
	bool ok;

	CHECK(fd >= 0);
	CHECK_EQ(ftruncate(fd, BYTES), 0);
	p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(p != MAP_FAILED);
	fill(p, BYTES, 8);
	ok = kind(3);
	unlink(FILE_NAME);
	CHECK(filled(p, 0, BYTES, 8));
	munmap(p, BYTES);
	close(fd);
	return ok;
}

/* The target's program is stopped. */
static bool stopped(void)
{
	unsigned int i;
	int state;

	CHECK(begin(0));
	CHECK_EQ(kill(child, SIGSTOP), 0);
	CHECK_EQ(waitpid(child, &state, WUNTRACED), child);
	fill(own, BYTES, 4);
	CHECK(post(true, 0, BYTES, 1));
	CHECK_EQ(status(1), 0);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		memset(own, 0, BYTES);
		CHECK(post(false, i, sizes[i], i));
		CHECK_EQ(status(i), 0);
		CHECK(filled(own, i, sizes[i], 4));
	}
	CHECK_EQ(kill(child, SIGCONT), 0);
	return finish(false);
}

/* What the target may not write, its peers may not; a peer cannot read what is not there. */
static bool rights(void)
{
	unsigned int i;

	CHECK(begin(10));
	fill(own, BYTES, 5);
	CHECK(post(true, 0, BYTES, 1));
	CHECK_EQ(status(1), 0);
	shared->go = 1;
	CHECK(wait_for(&shared->done, 1));
	for (i = 0; i < 2; i++) {
		__u64 len = i ? BYTES : 64;

		CHECK(post(true, 0, len, 2));
		CHECK_EQ(status(2), EFAULT);
		CHECK(post(false, 0, len, 3));
		CHECK_EQ(status(3), 0);
		CHECK(filled(own, 0, len, 5));
	}
	shared->go = 2;
	CHECK(wait_for(&shared->done, 2));
	CHECK(post(true, 0, BYTES, 4));
	CHECK_EQ(status(4), 0);
	shared->go = 3;
	CHECK(wait_for(&shared->done, 3));
	for (i = 0; i < 4; i++) {
		CHECK(post(i % 2, 0, i / 2 ? BYTES : 64, i));
		CHECK_EQ(status(i), EFAULT);
	}
	shared->go = 4;
	CHECK(wait_for(&shared->done, 4));
	CHECK(post(false, 0, BYTES, 5));
	CHECK_EQ(status(5), 0);
	CHECK(filled(own, 0, BYTES, 9));
	fill(own, BYTES, 4);
	CHECK(post(true, 0, BYTES, 6));
	CHECK_EQ(status(6), 0);
	return finish(false);
}

/* An operation succeeds or is refused when its region ends meanwhile. The next one succeeds. */
static bool ends(void)
{
	unsigned int i, refused = 0;
	int err;

	CHECK(begin(11));
	for (i = 0; i < 400; i++) {
		CHECK(post(i % 2, 0, sizes[i % 8], i));
		__atomic_store_n(&shared->go, i + 1, __ATOMIC_RELEASE);
		err = status(i);
		CHECK(!err || err == EACCES);
		refused += !!err;
		CHECK(wait_for(&shared->done, i + 1));
		CHECK(post(i % 2, 0, sizes[i % 8], i));
		CHECK_EQ(status(i), 0);
	}
	printf("# %u of %u operations were refused\n", refused, i);
	return finish(true);
}

/* The target is killed in the middle. Its memory ends before its endpoint does: EFAULT. */
static bool killed(void)
{
	unsigned int i;
	int err;

	CHECK(begin(0));
	for (i = 0; i < 8; i++)
		CHECK(post(i % 2, 0, i < 4 ? BYTES : 64, i));
	kill(child, SIGKILL);
	for (i = 0; i < 8; i++) {
		struct weft_cqe e;

		CHECK(raw_completion(&r.cq, &e));
		err = e.status;
		CHECK(!err || err == ECONNREFUSED || err == ECONNRESET || err == EACCES ||
		      err == EFAULT);
	}
	CHECK(raw_quiet(&r.cq));
	return finish(true);
}

/* Many regions: each key counts, and only those that exist. */
/* weftctl shows @n regions of this program, and the one of a target on its node. */
static bool shown(unsigned int n)
{
	char cmd[96];

	snprintf(cmd, sizeof(cmd), "node 0 weftctl user show weft0 | grep -q ' uid 0 .* regions %u$'",
		 n + !apart);
	CHECK_EQ(system(cmd), 0);
	return true;
}

static bool many(void)
{
	unsigned int i;

	CHECK(begin(0));
	for (i = 1000; i < 9000; i++)
		CHECK(expose(r.fd, i, BOTH, own, 64));
	CHECK(shown(8000));
	CHECK_EQ(region_end(r.fd, 999), -ENOENT);
	for (i = 1000; i < 9000; i += 2)
		CHECK_EQ(region_end(r.fd, i), 0);
	CHECK(shown(4000));
	CHECK_EQ(region_end(r.fd, 1000), -ENOENT);
	CHECK(expose(r.fd, 1000, BOTH, own, 64));
	/* the program itself is a peer, at address 0 */
	to = 0;
	for (i = 1000; i < 1004; i++) {
		struct weft_sqe *s = raw_sqe(&r, WEFT_SQ_WRITE, i);

		s->flags = WEFT_SQ_COMPLETION;
		s->addr = (__u64)(uintptr_t)own + 100;
		s->len = 8;
		s->niov = 1;
		s->tag = i;
		s->nrem = 1;
		CHECK_EQ(raw_post_sq(&r, 1), 0);
		CHECK_EQ(status(i), i == 1002 ? EACCES : 0);
	}
	return finish(true);
}

#define HUGE	(1ul << 30)	/* bytes of a region of which few are used */
#define PAGE	4096ul
#define TOUCHED	(256ul << 10)	/* bytes that an operation may make resident: a window */

/* Return: resident pages of @p, HUGE bytes; -1: not known. */
static long resident(void *p)
{
	static unsigned char in[HUGE / PAGE];
	long n = 0;
	size_t i;

	if (mincore(p, HUGE, in))
		return -1;
	for (i = 0; i < sizeof(in); i++)
		n += in[i] & 1;
	return n;
}

/* A registration touches and pins no page, and an operation those of its window. */
static bool unused(void)
{
	unsigned char *p;
	struct weft_sqe *s;
	long pages;

	CHECK(begin(0));
	p = mmap(NULL, HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		 -1, 0);
	CHECK(p != MAP_FAILED);
	CHECK_EQ(madvise(p, HUGE, MADV_NOHUGEPAGE), 0);
	CHECK_EQ(port_attr(0, "pinned_bytes"), 0);
	CHECK(expose(r.fd, 5, BOTH, p, HUGE));
	CHECK_EQ(resident(p), 0);
	CHECK_EQ(port_attr(0, "pinned_bytes"), 0);
	to = 0;
	s = raw_sqe(&r, WEFT_SQ_WRITE, 1);
	s->flags = WEFT_SQ_COMPLETION;
	s->addr = (__u64)(uintptr_t)own;
	s->len = 8;
	s->niov = 1;
	s->tag = 5;
	s->nrem = 1;
	s->raddr = HUGE / 2;
	CHECK_EQ(raw_post_sq(&r, 1), 0);
	CHECK_EQ(status(1), 0);
	pages = resident(p);
	CHECK(pages > 0 && pages <= (long)(TOUCHED / PAGE));
	CHECK_EQ(region_end(r.fd, 5), 0);
	munmap(p, HUGE);
	return finish(true);
}

/* Add 1 to the target's first word. Return: its value before that. */
static bool fetch_add(__u64 context, __u64 *before)
{
	struct weft_sqe *s = raw_sqe(&r, WEFT_SQ_ATOMIC, context);
	__u64 *operand = (__u64 *)(s + 1);
	struct weft_iov *result = (struct weft_iov *)(s + 2);

	s->nslots = 3;
	s->flags |= WEFT_SQ_INLINE;
	s->dst = to;
	s->len = 8;
	s->data = WEFT_ATOMIC_DATA(WEFT_AOP_SUM, WEFT_ATYPE_UINT64, WEFT_ATOMIC_FETCH, 0, 1);
	s->tag = KEY;
	s->nrem = 1;
	*operand = 1;
	memset(result, 0, WEFT_SLOT_SIZE);
	result->addr = (__u64)(uintptr_t)own;
	result->len = 8;
	CHECK_EQ(raw_post_sq(&r, 3), 0);
	CHECK_EQ(status(context), 0);
	*before = *(__u64 *)own;
	return true;
}

/* Atomic against the target's own processor instructions: the word has the exact sum. */
static bool adds(int kind)
{
	__u64 before = 0, last = 0;
	unsigned int i;

	CHECK(begin(kind));
	CHECK(wait_for(&shared->done, 1));
	for (i = 0; i < 2000; i++) {
		/* the entry does not wrap */
		if ((r.ep.doorbell->sq_tail & (r.ep.e.sq_slots - 1)) + 3 > r.ep.e.sq_slots) {
			i--;
			CHECK(post(false, 64, 8, i));
			CHECK_EQ(status(i), 0);
			continue;
		}
		CHECK(fetch_add(i, &before));
		CHECK(!i || before > last);
		last = before;
	}
	__atomic_store_n(&shared->go, 1, __ATOMIC_RELEASE);
	CHECK(wait_for(&shared->done, 2));
	CHECK(post(false, 0, 8, i));
	CHECK_EQ(status(i), 0);
	CHECK_EQ(*(__u64 *)own, shared->added + i);
	printf("# %llu additions of the target among %u\n", shared->added, i);
	__atomic_store_n(&shared->go, 2, __ATOMIC_RELEASE);
	return finish(false);
}

static bool adds_anonymous(void)
{
	return adds(12);
}

static bool adds_file(void)
{
	return adds(13);
}

/* Set who may access regions of the target's port. */
static bool users(const char *who)
{
	char cmd[64];

	node_enter(apart);
	snprintf(cmd, sizeof(cmd), "weftctl port set weft%d rma-users %s", apart, who);
	CHECK(!system(cmd));
	node_enter(0);
	return true;
}

/* A target of another user refuses, unless its port is open to any. */
static bool other_user(void)
{
	CHECK(begin(14));
	fill(own, BYTES, 4);
	CHECK(post(true, 0, BYTES, 1));
	CHECK_EQ(status(1), EACCES);
	CHECK(post(false, 0, 8, 2));
	CHECK_EQ(status(2), EACCES);
	CHECK(users("any"));
	CHECK(post(true, 0, BYTES, 3));
	CHECK_EQ(status(3), 0);
	CHECK(users("same"));
	CHECK(post(true, 0, 8, 4));
	CHECK_EQ(status(4), EACCES);
	return finish(false);
}

#define GUESSES	1000	/* operations with a wrong key */
#define AT_ONCE	20	/* so many of them under way */
#define BURST	64	/* answers that have no delay */

/*
 * The answers to wrong keys have a bounded rate, between nodes. An operation with the right key
 * among them has its turn.
 */
static bool guesses(void)
{
	unsigned int posted = 0, done = 0, valid = 0;
	uint64_t from;
	struct weft_cqe e;

	CHECK(begin(0));
	fill(own, BYTES, 4);
	CHECK(post(true, 0, BYTES, 1));
	CHECK_EQ(status(1), 0);
	from = now_ms();
	while (done < GUESSES) {
		for (; posted < GUESSES && posted < done + AT_ONCE; posted++)
			CHECK(post_key(posted % 2, 0, 64, GUESSES, WRONG));
		if (done % 100 == 50) {
			CHECK(post(false, 0, 64, done));
			do {
				CHECK(raw_completion(&r.cq, &e));
				CHECK_EQ(e.status, e.context == GUESSES ? EACCES : 0);
				done += e.context == GUESSES;
			} while (e.context == GUESSES);
			valid++;
		} else {
			CHECK_EQ(status(GUESSES), EACCES);
			done++;
		}
	}
	CHECK(valid);
	if (apart)
		CHECK(now_ms() - from >= GUESSES - BURST - AT_ONCE);
	return finish(false);
}

/**
 * struct counter - a counter
 * @cq: the object
 * @status: its values
 */
struct counter {
	struct weft_ioc_cq cq;
	const struct weft_cq_status *status;
};

static bool counter_make(struct counter *c)
{
	c->cq = (struct weft_ioc_cq){ .size = sizeof(c->cq), .flags = WEFT_CQF_COUNT };
	CHECK_EQ(raw(r.fd, WEFT_IOC_CQ_CREATE, &c->cq), 0);
	c->status = raw_map(r.fd, &c->cq.status, PROT_READ);
	CHECK(c->status);
	return true;
}

/* Wait until a counter has counted @n operations. */
static bool counts(const struct counter *c, __u64 n)
{
	uint64_t until = now_ms() + RAW_MS;

	while (__atomic_load_n(&c->status->done, __ATOMIC_ACQUIRE) < n)
		CHECK(now_ms() < until);
	CHECK_EQ(c->status->done, n);
	CHECK_EQ(c->status->failed, 0);
	return true;
}

/* A program that is its own peer: remote CQ data, and all counters. */
static bool told(void)
{
	struct weft_ioc_ep_enable en = { .size = sizeof(en) };
	struct counter count[5];
	struct weft_sqe *s;
	struct weft_cqe e;
	unsigned int i;

	CHECK(begin(0));
	for (i = 0; i < 5; i++)
		CHECK(counter_make(&count[i]));
	en.handle = r.ep.e.handle;
	en.av = r.av.handle;
	en.write_cntr = count[0].cq.handle;
	en.read_cntr = count[1].cq.handle;
	en.remote_write_cntr = count[2].cq.handle;
	en.remote_read_cntr = count[3].cq.handle;
	CHECK_EQ(raw(r.fd, WEFT_IOC_EP_ENABLE, &en), 0);
	CHECK_EQ(raw(r.fd, WEFT_IOC_EP_ENABLE, &en), -EBUSY);
	en.write_cntr = r.cq.c.handle;
	CHECK_EQ(raw(r.fd, WEFT_IOC_EP_ENABLE, &en), -ENOENT);
	CHECK_EQ(region_add(r.fd, KEY, BOTH, own, BYTES, r.cq.c.handle), -ENOENT);
	CHECK_EQ(region_add(r.fd, KEY, BOTH, own, BYTES, count[4].cq.handle), 0);
	to = 0;
	for (i = 0; i < 8; i++) {
		s = raw_sqe(&r, i % 2 ? WEFT_SQ_READ : WEFT_SQ_WRITE, i);
		s->addr = (__u64)(uintptr_t)own + BYTES / 2;
		s->len = i < 4 ? 8 : BYTES / 4;
		s->niov = 1;
		s->tag = KEY;
		s->nrem = 1;
		s->flags = i % 2 ? 0 : WEFT_SQ_DATA;
		s->data = i % 2 ? 0 : ~0ull - i;
		CHECK_EQ(raw_post_sq(&r, 1), 0);
		if (i % 2)
			continue;
		CHECK(raw_completion(&r.cq, &e));
		CHECK_EQ(e.flags, WEFT_CQE_WRITE | WEFT_CQE_DATA);
		CHECK(e.data == ~0ull - i && e.len == (i < 4 ? 8 : BYTES / 4) && !e.src);
	}
	for (i = 0; i < 5; i++)
		CHECK(counts(&count[i], 4));
	CHECK(raw_quiet(&r.cq));
	CHECK_EQ(raw_handle(r.fd, WEFT_IOC_DESTROY, count[4].cq.handle), -EBUSY);
	CHECK_EQ(region_end(r.fd, KEY), 0);
	CHECK_EQ(raw_handle(r.fd, WEFT_IOC_DESTROY, count[4].cq.handle), 0);
	CHECK_EQ(raw_handle(r.fd, WEFT_IOC_DESTROY, count[0].cq.handle), -EBUSY);
	for (i = 0; i < 5; i++) {
		raw_unmap(count[i].status, &count[i].cq.status);
		close(count[i].cq.fd);
	}
	return finish(true);
}

static const struct check cases[] = {
	{ "anonymous memory", anonymous },
	{ "shared memory", shared_memory },
	{ "private map of a file", private_file },
	{ "shared map of a file", shared_file },
	{ "a stopped target", stopped },
	{ "rights of maps, and memory that goes", rights },
	{ "a region that ends", ends },
	{ "a killed target", killed },
	{ "many regions", many },
	{ "a region that is not used", unused },
	{ "remote CQ data and counters", told },
	{ "atomic operations, anonymous memory", adds_anonymous },
	{ "atomic operations, a file", adds_file },
	{ "a target of another user", other_user },
	{ "guessed keys", guesses },
};

int main(int argc, char **argv)
{
	static const char *const where[] = { "within a node", "between nodes" };
	unsigned int i, n, kinds = nodes_are_one() ? 1 : 2;

	for (n = 0; n < kinds; n++) {
		apart = n;
		for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
			if (argc < 2 || !strcmp(argv[1], cases[i].name))
				raw_in_child(NULL, cases[i].run, cases[i].name, where[n]);
	}
	return results_end();
}
