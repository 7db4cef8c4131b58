// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Every allocation and every copy from or to a program that weft makes in a program's calls fails
 * once: setting up, messages of all kinds within a node. A sequence of calls is run again and
 * again; the first time the first allocation or copy in it fails, then the second, and so on until
 * none was left to fail. Each call that is told of it says so with an errno that means it, what was
 * sent completes or fails, nothing is left, and the same works afterwards.
 *
 * Needs a kernel that fails on demand (make check-debug). Only what has weft's own text in its
 * backtrace fails. Arguments name sequences, none: all of them. TIMEOUT: 300
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "looks.h"
#include "raw.h"

#define STEPS	 3000	/* more than any sequence allocates */
#define SLOTS	 16
#define PATIENCE 20000	/* ms; longer than anything takes */

/* ---- Faults ---------------------------------------------------------------------------------- */

static const char *const kinds[] = { "failslab", "fail_page_alloc", "fail_usercopy" };

/* A file of each kind that there is. */
static bool fault_set(const char *name, const char *value)
{
	char path[96];
	bool any = false;
	size_t i;
	FILE *f;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s/%s", kinds[i], name);
		f = fopen(path, "w");
		if (!f)
			continue;
		any = fputs(value, f) >= 0;
		any &= !fclose(f);
	}
	return any;
}

/* Faults are weft's alone, and silent. */
static bool fault_prepare(void)
{
	char line[256], number[32];
	unsigned long long start = 0;
	unsigned long size = 0;
	FILE *f = fopen("/proc/modules", "r");

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "weft %lu %*u %*s %*s %llx", &size, &start) == 2)
			break;
	}
	if (f)
		fclose(f);
	CHECK(start && size);
	snprintf(number, sizeof(number), "0x%llx", start);
	CHECK(fault_set("require-start", number));
	snprintf(number, sizeof(number), "0x%llx", start + size);
	CHECK(fault_set("require-end", number));
	CHECK(fault_set("stacktrace-depth", "32"));
	CHECK(fault_set("verbose", "0"));
	CHECK(fault_set("ignore-gfp-wait", "N"));
	CHECK(fault_set("min-order", "0"));
	return true;
}

static int nth_file = -1;

/* The @n-th from now on fails; 0: none. */
static bool fault_arm(unsigned int n)
{
	char s[16];
	int len = snprintf(s, sizeof(s), "%u", n);

	return pwrite(nth_file, s, (size_t)len, 0) == len;
}

/* Return: it has failed. */
static bool fault_hit(void)
{
	char s[16] = "";

	return pread(nth_file, s, sizeof(s) - 1, 0) <= 0 || !atoi(s);
}

/* ---- Calls that may fail --------------------------------------------------------------------- */

/* First errno of the sequence that means "no", or whatever else has gone wrong. */
static int first;

static bool fine(int err)
{
	if (err && !first)
		first = -err;
	return !err;
}

/* An end with all that an endpoint needs. */
struct end {
	int fd;
	struct weft_ioc_cq cq;
	struct weft_ioc_eq eq;
	struct weft_ioc_av av;
	struct weft_ioc_ep ep;
	struct weft_ioc_ep_enable en;
	char *ring, *cqbell, *cqstat, *sq, *rq, *bell;
	__u32 head;
};

static bool mapped(int fd, const struct weft_map *m, int prot, char **p)
{
	*p = raw_map(fd, m, prot);
	return fine(*p ? 0 : -errno);
}

static bool end_open(struct end *e, int node)
{
	memset(e, 0, sizeof(*e));
	e->cq.fd = -1;
	e->eq.fd = -1;
	node_enter(node);
	e->fd = raw_open(node);
	return fine(e->fd < 0 ? e->fd : 0);
}

static bool end_make(struct end *e, __u32 type)
{
	const int rw = PROT_READ | PROT_WRITE;

	e->cq.size = sizeof(e->cq);
	e->cq.slots = SLOTS;
	e->eq.size = sizeof(e->eq);
	e->av.size = sizeof(e->av);
	e->ep.size = sizeof(e->ep);
	e->ep.type = type;
	e->ep.sq_slots = type == WEFT_EP_PASSIVE ? 0 : SLOTS;
	e->ep.rq_slots = e->ep.sq_slots;
	if (!fine(raw(e->fd, WEFT_IOC_EQ_CREATE, &e->eq)) ||
	    !fine(raw(e->fd, WEFT_IOC_EP_CREATE, &e->ep)))
		return false;
	if (type == WEFT_EP_PASSIVE)
		return true;
	if (!fine(raw(e->fd, WEFT_IOC_CQ_CREATE, &e->cq)) ||
	    !fine(raw(e->fd, WEFT_IOC_AV_CREATE, &e->av)) ||
	    !mapped(e->fd, &e->cq.ring, PROT_READ, &e->ring) ||
	    !mapped(e->fd, &e->cq.doorbell, rw, &e->cqbell) ||
	    !mapped(e->fd, &e->cq.status, PROT_READ, &e->cqstat) ||
	    !mapped(e->fd, &e->ep.sq, rw, &e->sq) || !mapped(e->fd, &e->ep.rq, rw, &e->rq) ||
	    !mapped(e->fd, &e->ep.doorbell, rw, &e->bell))
		return false;
	e->en.size = sizeof(e->en);
	e->en.handle = e->ep.handle;
	e->en.tx_cq = e->cq.handle;
	e->en.rx_cq = e->cq.handle;
	e->en.eq = e->eq.handle;
	e->en.av = type == WEFT_EP_MSG ? 0 : e->av.handle;
	return fine(raw(e->fd, WEFT_IOC_EP_ENABLE, &e->en));
}

static void unmap(char *p, const struct weft_map *m)
{
	if (p)
		raw_unmap(p, m);
}

static void end_close(struct end *e)
{
	unmap(e->ring, &e->cq.ring);
	unmap(e->cqbell, &e->cq.doorbell);
	unmap(e->cqstat, &e->cq.status);
	unmap(e->sq, &e->ep.sq);
	unmap(e->rq, &e->ep.rq);
	unmap(e->bell, &e->ep.doorbell);
	if (e->cq.fd >= 0)
		close(e->cq.fd);
	if (e->eq.fd >= 0)
		close(e->eq.fd);
	if (e->fd >= 0)
		close(e->fd);
}

static bool know(struct end *e, const struct weft_sockaddr *addr)
{
	struct weft_ioc_av_insert in = { .size = sizeof(in), .handle = e->av.handle, .count = 1 };
	__u32 index;

	in.addrs = (__u64)(uintptr_t)addr;
	in.index = (__u64)(uintptr_t)&index;
	return fine(raw(e->fd, WEFT_IOC_AV_INSERT, &in));
}

/* Slot @i of the completion ring, counted from the first entry ever. */
static const struct weft_cqe *slot(const struct end *e, __u32 i)
{
	return (const struct weft_cqe *)e->ring + (i & (SLOTS - 1));
}

/* The payload that stands behind an entry goes where it belongs. */
static void settle(const struct end *e, const struct weft_cqe *c)
{
	char *to = (char *)(uintptr_t)c->buf;
	size_t left = c->len - c->olen, n;
	__u32 i;

	for (i = e->head + 1; left; i++, to += n, left -= n) {
		n = left < sizeof(*c) ? left : sizeof(*c);
		memcpy(to, slot(e, i), n);
	}
}

/* The next completion's errno, or a negative one: it does not come. */
static int completion(struct end *e, bool *sent)
{
	const struct weft_cqe *c = slot(e, e->head);
	int err, status;

	do { /* a call that was told of the fault is made again: there is only one */
		err = raw_wait(e->cq.fd, e->head, PATIENCE * 1000000ull);
	} while (err == -EFAULT || err == -ENOMEM);
	if (err)
		return err;
	if (__atomic_load_n(&c->seq, __ATOMIC_ACQUIRE) != e->head + 1)
		return -EIO;
	status = c->status;
	*sent = c->flags & WEFT_CQE_SEND;
	if (c->flags & WEFT_CQE_INLINE)
		settle(e, c);
	e->head += c->nslots;
	((volatile struct weft_cq_doorbell *)e->cqbell)->head = e->head;
	return status;
}

static bool ring(struct end *e, bool sq)
{
	volatile struct weft_ep_doorbell *bell = (void *)e->bell;
	int err;

	if (sq)
		__atomic_store_n(&bell->sq_tail, bell->sq_tail + 1, __ATOMIC_RELEASE);
	else
		__atomic_store_n(&bell->rq_tail, bell->rq_tail + 1, __ATOMIC_RELEASE);
	err = raw_kick(e->fd, e->ep.handle, sq ? WEFT_KICK_SQ : WEFT_KICK_RQ);
	/* the work stands in the ring: the kick is repeated, as a program does */
	if (!fine(err))
		err = raw_kick(e->fd, e->ep.handle, sq ? WEFT_KICK_SQ : WEFT_KICK_RQ);
	return !err;
}

static bool post(struct end *e, bool sq, void *buf, __u32 len)
{
	volatile struct weft_ep_doorbell *bell = (void *)e->bell;

	if (sq) {
		struct weft_sqe *s = (struct weft_sqe *)e->sq + (bell->sq_tail & (SLOTS - 1));

		*s = (struct weft_sqe){ .op = WEFT_SQ_SEND, .nslots = 1, .context = 2,
					.flags = WEFT_SQ_COMPLETION | WEFT_SQ_DELIVERY,
					.addr = len ? (__u64)(uintptr_t)buf : 0,
					.len = len, .niov = !!len };
	} else {
		struct weft_rqe *r = (struct weft_rqe *)e->rq + (bell->rq_tail & (SLOTS - 1));

		*r = (struct weft_rqe){ .op = WEFT_RQ_RECV, .nslots = 1, .context = 1,
					.src = WEFT_SRC_ANY, .flags = WEFT_RQ_COMPLETION,
					.addr = len ? (__u64)(uintptr_t)buf : 0,
					.len = len, .niov = !!len };
	}
	return ring(e, sq);
}

/*
 * One message from @a to @b, which may be one. Both ends are told, or the sender alone of an error.
 * Return: they were.
 */
static bool message(struct end *a, struct end *b, __u32 len, bool late)
{
	char *src = mmap(NULL, len + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *dst = mmap(NULL, len + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int sends = -1, recvs = -1, status;
	bool ok = false, sent = false;

	pattern_fill(src, len, len);
	if (!late && !post(b, false, dst, len))
		goto out;
	if (!post(a, true, src, len) || (late && !post(b, false, dst, len)))
		goto out;
	while (sends < 0 || (recvs < 0 && !sends)) {
		status = completion(sends < 0 ? a : b, &sent);
		if (status < 0) {
			printf("# no completion of the %s: errno %d\n",
			       sends < 0 ? "send" : "receive", -status);
			goto out;
		}
		fine(-status);
		if (sent)
			sends = status;
		else
			recvs = status;
		if (a != b && sends < 0)
			goto out;
	}
	ok = sends || recvs || pattern_is(dst, len, len);
out:
	munmap(src, len + 1);
	munmap(dst, len + 1);
	return ok;
}

/* ---- Sequences ------------------------------------------------------------------------------- */

/* Return: all was as it should be, with a fault or without; errors of calls are in @first. */
typedef bool (*sequence)(void);

static bool seq_objects(void)
{
	struct weft_ioc_srq q = { .size = sizeof(q), .slots = SLOTS, .recvs = SLOTS };
	struct weft_ioc_cq c = { .size = sizeof(c), .flags = WEFT_CQF_COUNT };
	struct weft_ioc_query query = { .size = sizeof(query) };
	static char memory[300000];
	struct weft_ioc_mr mr = { .size = sizeof(mr), .access = WEFT_MR_READ | WEFT_MR_WRITE,
				  .addr = (__u64)(uintptr_t)memory, .len = sizeof(memory) };
	struct end e;

	if (end_open(&e, 0) && end_make(&e, WEFT_EP_RDM) && know(&e, &e.en.addr)) {
		fine(raw(e.fd, WEFT_IOC_QUERY, &query));
		if (fine(raw(e.fd, WEFT_IOC_SRQ_CREATE, &q))) {
			q.slots = 4 * SLOTS;
			q.recvs = 4 * SLOTS;
			fine(raw(e.fd, WEFT_IOC_SRQ_RESIZE, &q));
		}
		if (fine(raw(e.fd, WEFT_IOC_MR_REG, &mr)))
			fine(raw_handle(e.fd, WEFT_IOC_DESTROY, mr.handle));
		if (fine(raw(e.fd, WEFT_IOC_CQ_CREATE, &c)))
			close(c.fd);
		fine(raw_handle(e.fd, WEFT_IOC_DESTROY, e.ep.handle));
	}
	end_close(&e);
	return true;
}

/* Messages of all kinds; each one with its receive there, and with its receive to come. */
static bool messages(struct end *a, struct end *b)
{
	static const __u32 lens[] = { 0, 64, 3000, 30000, 400000 };
	bool ok = true;
	size_t i;

	for (i = 0; ok && !first && i < 2 * sizeof(lens) / sizeof(lens[0]); i++)
		ok = message(a, b, lens[i / 2], i & 1);
	return ok;
}

static bool seq_within(void)
{
	bool ok = true;
	struct end e;

	if (end_open(&e, 0) && end_make(&e, WEFT_EP_RDM) && know(&e, &e.en.addr))
		ok = messages(&e, &e);
	end_close(&e);
	return ok;
}

/* ---- The walk -------------------------------------------------------------------------------- */

/* What a fault may be told as. */
static bool meant(int err)
{
	switch (err) {
	case ENOMEM:
	case EFAULT:
	case ENOSPC:
	case ENFILE:
	case EAGAIN:
	case ENOBUFS:
		return true;
	default:
		return false;
	}
}

static bool walk(const char *name, sequence run)
{
	unsigned int n, told = 0;
	bool hit = true;

	first = 0;
	CHECK(run()); /* all of it works */
	CHECK_EQ(first, 0);
	for (n = 1; hit; n++) {
		CHECK(n < STEPS);
		first = 0;
		CHECK(fault_arm(n));
		if (!run()) {
			fault_arm(0);
			printf("# with fault %u\n", n);
			return false;
		}
		hit = fault_hit();
		CHECK(fault_arm(0));
		if (first && !meant(first)) {
			printf("# fault %u is told as errno %d\n", n, first);
			return false;
		}
		told += !!first;
	}
	printf("# %s: %u faults, %u of them told\n", name, n - 2, told);
	CHECK(n > 3 && told);
	CHECK(nothing_left());
	first = 0;
	CHECK(run());
	CHECK_EQ(first, 0);
	return true;
}

static const struct {
	const char *name, *where;
	sequence run;
} walks[] = {
	{ "objects", "while objects are made", seq_objects },
	{ "within", "while messages stay on the node", seq_within },
};

int main(int argc, char **argv)
{
	size_t i;
	int k;

	nth_file = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (nth_file < 0) {
		printf("1..0 # SKIP this kernel does not fail on demand\n");
		return 4;
	}
	node_enter(0);
	if (result(fault_prepare(), "faults", "are weft's alone")) {
		for (i = 0; i < sizeof(walks) / sizeof(walks[0]); i++) {
			for (k = 1; k < argc && strcmp(argv[k], walks[i].name); k++)
				;
			if (argc == 1 || k < argc)
				result(walk(walks[i].name, walks[i].run), "each fault",
				       walks[i].where);
		}
	}
	fault_set("require-start", "0");
	fault_set("require-end", "0xffffffffffffffff");
	return results_end();
}
