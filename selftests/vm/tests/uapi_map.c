// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Rules of mmap(2)
 *
 * Offset, length and protection must be exact. Memory that the kernel writes cannot be made
 * writable. A forked child has no map and may make no call. Maps outlive objects. Ring memory is
 * limited.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "raw.h"

#define PAGE	4096u
#define RW	(PROT_READ | PROT_WRITE)

static int fd;
static sigjmp_buf fault;

static void on_fault(int sig)
{
	siglongjmp(fault, sig);
}

/* Return: a read of @p (or a write to it) ends in a signal. */
static bool faults(volatile char *p, bool write)
{
	if (sigsetjmp(fault, 1))
		return true;
	if (write)
		*p = 1;
	else
		(void)*p;
	return false;
}

/* Return: errno, 0: the map was made. */
static int try(__u64 off, size_t len, int prot, int flags)
{
	void *p = mmap64(NULL, len, prot, flags, fd, off);

	if (p == MAP_FAILED)
		return errno;
	munmap(p, len);
	return 0;
}

static bool exact(const struct weft_map *m, int prot)
{
	static const int prots[] = {
		PROT_NONE, PROT_READ, PROT_WRITE, RW, PROT_READ | PROT_EXEC, RW | PROT_EXEC
	};
	unsigned int i;

	CHECK(m->len && m->len % PAGE == 0 && m->at < m->len && m->at % 64 == 0);
	CHECK_EQ(m->off % PAGE, 0);
	CHECK_EQ(try(m->off, m->len, prot, MAP_SHARED), 0);
	CHECK_EQ(try(m->off, m->len + PAGE, prot, MAP_SHARED), EINVAL);
	if (m->len > PAGE)
		CHECK_EQ(try(m->off, m->len - PAGE, prot, MAP_SHARED), EINVAL);
	CHECK_EQ(try(m->off + PAGE, m->len, prot, MAP_SHARED), EINVAL);
	CHECK_EQ(try(m->off + (1ull << 40), m->len, prot, MAP_SHARED), EINVAL);
	CHECK_EQ(try(m->off, m->len, prot, MAP_PRIVATE), EINVAL);
	for (i = 0; i < sizeof(prots) / sizeof(prots[0]); i++)
		if (prots[i] != prot)
			CHECK_EQ(try(m->off, m->len, prots[i], MAP_SHARED), EACCES);
	return true;
}

static bool all_exact(const struct raw_cq *cq, const struct raw_ep *ep)
{
	CHECK(exact(&cq->c.ring, PROT_READ));
	CHECK(exact(&cq->c.doorbell, RW));
	CHECK(exact(&cq->c.status, PROT_READ));
	CHECK(exact(&ep->e.sq, RW));
	CHECK(exact(&ep->e.rq, RW));
	CHECK(exact(&ep->e.doorbell, RW));
	CHECK(exact(&ep->e.status, PROT_READ));
	CHECK_EQ(cq->c.ring.len, 64 * 64);
	CHECK_EQ(ep->e.sq.len, 64 * 64);
	CHECK_EQ(try(0, PAGE, PROT_READ, MAP_SHARED), EINVAL);
	CHECK_EQ(try(PAGE, PAGE, RW, MAP_SHARED), EINVAL);
	return true;
}

/* Lines of objects share pages, but no line is shared; both kinds are in different pages. */
static bool lines(const struct raw_cq *cq, const struct raw_ep *ep)
{
	CHECK_EQ(cq->c.doorbell.off, ep->e.doorbell.off);
	CHECK_EQ(cq->c.status.off, ep->e.status.off);
	CHECK(cq->c.doorbell.off != cq->c.status.off);
	CHECK(cq->c.doorbell.at != ep->e.doorbell.at);
	CHECK(cq->c.status.at != ep->e.status.at);
	return true;
}

static bool read_only(const void *where, size_t len)
{
	char *p = (char *)((uintptr_t)where & ~(uintptr_t)(PAGE - 1));

	CHECK_EQ(mprotect(p, len, RW) ? errno : 0, EACCES);
	CHECK_EQ(mprotect(p, len, PROT_READ | PROT_EXEC) ? errno : 0, EACCES);
	CHECK(!faults(p, false));
	CHECK(faults(p, true));
	/* nor by another call */
	CHECK_EQ(madvise(p, len, MADV_DOFORK) ? errno : 0, EINVAL);
	CHECK(mremap(p, len, len + PAGE, MREMAP_MAYMOVE) == MAP_FAILED);
	return true;
}

static bool no_back_door(const struct raw_cq *cq)
{
	int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	char c = 1;

	CHECK(mem >= 0);
	CHECK(pwrite64(mem, &c, 1, (off64_t)(uintptr_t)cq->ring) != 1);
	close(mem);
	CHECK_EQ(cq->ring->context, 0);
	/* a system call that writes there */
	CHECK_EQ(raw(fd, WEFT_IOC_QUERY, (void *)cq->ring), -EINVAL);
	return true;
}

static bool no_exec(const struct raw_ep *ep)
{
	CHECK_EQ(mprotect(ep->sq, ep->e.sq.len, RW | PROT_EXEC) ? errno : 0, EACCES);
	return true;
}

/* Runs in the child. Return: number of the error. */
static int child(const struct raw_cq *cq, const struct raw_ep *ep)
{
	struct weft_ioc_query q = { .size = sizeof(q) };
	struct weft_ioc_eq eq = { .size = sizeof(eq) };

	if (!faults((char *)cq->ring, false) || !faults((char *)cq->doorbell, false) ||
	    !faults((char *)ep->sq, false) || !faults((char *)ep->status, false))
		return 1;
	if (raw(fd, WEFT_IOC_QUERY, &q) != -EPERM || raw(fd, WEFT_IOC_EQ_CREATE, &eq) != -EPERM)
		return 2;
	if (raw_handle(fd, WEFT_IOC_DESTROY, ep->e.handle) != -EPERM ||
	    raw_notify(fd, ep->e.handle, WEFT_NOTIFY_SQ) != -EPERM)
		return 3;
	if (raw_wait(cq->c.fd, 0, 0) != -EPERM ||
	    raw(cq->c.fd, WEFT_IOC_CQ_NOTIFY, NULL) != -EPERM)
		return 4;
	if (raw(fd, 0, NULL) != -EPERM)
		return 5;
	if (try(cq->c.ring.off, cq->c.ring.len, PROT_READ, MAP_SHARED) != EPERM)
		return 6;
	return 0;
}

static bool forked(const struct raw_cq *cq, const struct raw_ep *ep)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(child(cq, ep));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 0);
	/* and its end has not affected the parent */
	CHECK(!faults((char *)cq->ring, false));
	CHECK(raw_quiet((struct raw_cq *)cq));
	return true;
}

/* A map stays after its object has gone; a new object has other memory. */
static bool outlives(void)
{
	struct raw_cq a, b;

	CHECK(raw_cq_new(fd, 64, &a));
	a.doorbell->head = 0x5a5a5a5a;
	CHECK_EQ(raw_handle(fd, WEFT_IOC_DESTROY, a.c.handle), 0);
	CHECK(!faults((char *)a.ring, false));
	CHECK_EQ(a.ring->seq, 0);
	CHECK_EQ(try(a.c.ring.off, a.c.ring.len, PROT_READ, MAP_SHARED), EINVAL);
	CHECK(raw_cq_new(fd, 64, &b));
	CHECK(b.c.ring.off != a.c.ring.off);
	CHECK_EQ(b.doorbell->head, 0);
	CHECK_EQ(raw_handle(fd, WEFT_IOC_DESTROY, b.c.handle), 0);
	CHECK_EQ(munmap((void *)a.ring, a.c.ring.len), 0);
	CHECK_EQ(munmap((void *)b.ring, b.c.ring.len), 0);
	close(a.c.fd);
	close(b.c.fd);
	return true;
}

/* The memory of rings has a limit, which is given back. */
static bool limit(void)
{
	struct weft_ioc_cq c;
	__u32 handle[1024];
	unsigned int n, i, round, got = 0;
	int ret = 0;

	for (round = 0; round < 2; round++) {
		for (n = 0; n < 1000; n++) {
			c = (struct weft_ioc_cq){ .size = sizeof(c), .slots = WEFT_RING_MAX };
			ret = raw(fd, WEFT_IOC_CQ_CREATE, &c);
			if (ret)
				break;
			handle[n] = c.handle;
			close(c.fd);
		}
		CHECK_EQ(ret, -ENOSPC);
		CHECK(n > 8);
		CHECK(!round || n == got);
		got = n;
		for (i = 0; i < n; i++)
			CHECK_EQ(raw_handle(fd, WEFT_IOC_DESTROY, handle[i]), 0);
	}
	return true;
}

int main(void)
{
	struct raw_cq cq;
	struct raw_ep ep;

	signal(SIGSEGV, on_fault);
	signal(SIGBUS, on_fault);
	node_enter(0);
	fd = raw_open(0);
	if (fd < 0 || !raw_cq_new(fd, 64, &cq) || !raw_ep_new(fd, WEFT_EP_RDM, 64, &ep)) {
		printf("Bail out! no device: %d\n", fd);
		return 1;
	}
	result(all_exact(&cq, &ep), "mmap", "offset, length, protection");
	result(lines(&cq, &ep), "mmap", "shared pages");
	result(read_only(cq.ring, cq.c.ring.len), "read-only map", "completions");
	result(read_only((void *)cq.status, cq.c.status.len), "read-only map", "status");
	result(no_back_door(&cq), "read-only map", "written by others");
	result(no_exec(&ep), "writable map", "not executable");
	result(forked(&cq, &ep), "forked child", "no maps, no calls");
	result(outlives(), "mmap", "after the object has gone");
	result(limit(), "mmap", "limit of ring memory");
	return results_end();
}
