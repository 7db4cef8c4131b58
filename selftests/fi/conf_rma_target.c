// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_rma(3), rule by rule: the target is a program of its own, which is stopped or killed, or loses
 * its port; its memory is of any kind.
 * TIMEOUT: 200 LINKS: vnet loop poll
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <unistd.h>
#include "looks.h"
#include "other.h"

#define LEN	(4u << 20)	/* bytes of the target: whole pages of 2 MiB, too */
#define LONG	(3u << 20)
#define ODD	5001u		/* offset of short operations */
#define SEED	3u		/* of the target's bytes */

/* ---- A stopped target, and its memory -------------------------------------------------------- */

#define FILES	"/run/weft/rma_files"
#define SWAP	"/dev/ram0"

enum kind { TOUCHED, UNTOUCHED, SWAPPED, HUGE, TMPFS, SHARED, KINDS };

static const char *const names[] = {
	"anonymous memory", "memory that was never touched", "memory that is paged out",
	"huge pages", "tmpfs", "a shared file",
};

static uint8_t *map(int flags, int fd)
{
	uint8_t *p = MAP_FAILED;

	if (flags & MAP_ANONYMOUS || (fd >= 0 && !ftruncate(fd, LEN)))
		p = mmap(NULL, LEN, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (fd >= 0)
		close(fd);
	return p;
}

/* Return: MAP_FAILED: this machine has no such memory. */
static uint8_t *memory(enum kind kind)
{
	switch (kind) {
	case HUGE:
		return map(MAP_SHARED | MAP_ANONYMOUS | MAP_HUGETLB, -1);
	case TMPFS:
		return map(MAP_SHARED, memfd_create("conf_rma_target", 0));
	case SHARED:
		return map(MAP_SHARED, open(FILES "/shared", O_RDWR | O_CREAT | O_TRUNC, 0600));
	default:
		return map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
	}
}

/* Return: a page of the program is in memory. */
static bool present(pid_t pid, const uint8_t *at)
{
	uint64_t entry = ~0ull;
	char path[40];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)pid);
	fd = open(path, O_RDONLY);
	if (fd < 0 || pread(fd, &entry, 8, (uintptr_t)at / 4096 * 8) != 8)
		printf("# %s cannot be read\n", path);
	if (fd >= 0)
		close(fd);
	return entry >> 63;
}

static bool fills(struct other *b)
{
	pattern_fill(b->mem, b->len, SEED);
	return true;
}

static bool pages_out(struct other *b)
{
	uint64_t until = now_ms() + WAIT_MS;

	pattern_fill(b->mem, b->len, SEED);
	/* a page that is in use at that moment stays */
	do {
		CHECK_EQ(madvise(b->mem, b->len, MADV_PAGEOUT), 0);
		CHECK(now_ms() < until);
	} while (present(getpid(), b->mem + ODD) || present(getpid(), b->mem + LEN / 2));
	return true;
}

/* Read and write memory of a stopped program: short and long, at first touch and later. */
static bool serves(struct other *b, enum kind kind)
{
	static uint8_t want[LEN];

	memset(want, 0, LEN);
	if (kind != UNTOUCHED)
		pattern_fill(want, LEN, SEED);
	CHECK(other_stop(b));
	if (kind == SWAPPED || kind == UNTOUCHED)
		CHECK(!present(b->pid, b->mem + LEN / 2));
	CHECK(rma_read(sbuf, 100, ODD, KEY));
	CHECK(!memcmp(sbuf, want + ODD, 100));
	CHECK(rma_read(sbuf, LONG, 1, KEY));
	CHECK(!memcmp(sbuf, want + 1, LONG));
	pattern_fill(sbuf, 100, 7);
	memcpy(want + LEN - 100, sbuf, 100);
	CHECK(rma_write(sbuf, 100, LEN - 100, KEY));
	pattern_fill(sbuf, LONG, 8);
	memcpy(want + ODD, sbuf, LONG);
	CHECK(rma_write(sbuf, LONG, ODD, KEY));
	CHECK_EQ(state_of(b->pid), 'T');
	CHECK(other_has(b, 0, want, LEN));
	return other_end(b);
}

static bool one_kind(enum kind kind)
{
	struct other b = { .len = LEN };

	if (kind == SWAPPED && swapon(SWAP, 0)) {
		printf("# no swap space here\n");
		return true;
	}
	b.mem = memory(kind);
	if (b.mem == MAP_FAILED) {
		printf("# no %s here\n", names[kind]);
		return true;
	}
	if (kind != UNTOUCHED)
		b.begin = kind == SWAPPED ? pages_out : fills;
	CHECK(other_start(&b));
	CHECK(serves(&b, kind));
	CHECK(kind != SWAPPED || !swapoff(SWAP));
	munmap(b.mem, LEN);
	pair_close(&p);
	return true;
}

static bool sh(const char *cmd)
{
	CHECK_EQ(system(cmd), 0);
	return true;
}

static bool while_stopped(void)
{
	enum kind kind;
	bool ok = true;

	CHECK(!mkdir(FILES, 0700) && !mount("ramfs", FILES, "ramfs", 0, NULL));
	CHECK(sh("echo 4 >/proc/sys/vm/nr_hugepages"));
	if (system("modprobe brd rd_nr=1 rd_size=32768 2>/dev/null && mkswap " SWAP " >/dev/null"))
		printf("# no block device in memory here\n");
	for (kind = TOUCHED; ok && kind < KINDS; kind++) {
		ok = one_kind(kind);
		if (!ok)
			printf("# with %s\n", names[kind]);
	}
	swapoff(SWAP);
	CHECK(sh("modprobe -rq brd; echo 0 >/proc/sys/vm/nr_hugepages"));
	CHECK(!umount(FILES) && !rmdir(FILES));
	return ok;
}

/* ---- A target that ends ---------------------------------------------------------------------- */

#define OPS	24	/* operations under way, every third one an inject */

static bool posts(void)
{
	unsigned int i;

	for (i = 0; i < OPS; i++) {
		if (i % 3 == 2)
			CHECK_EQ(fi_inject_write(p.a.ep, sbuf, 64, p.a.peer, 0, KEY), 0);
		else
			CHECK_EQ(rma_msg(i % 3, sbuf, i % 2 ? 64 : LONG, 0, KEY, i, 0), 0);
	}
	return true;
}

/* Each operation has ended once: it has succeeded, or failed with one of these. */
static bool each_ends(const int *errs, size_t n)
{
	uint64_t until = now_ms() + WAIT_MS, ended, failed = 0;
	unsigned int seen = 0, i, left = OPS - OPS / 3;
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e;
	size_t k;
	int ret;

	do {
		failed = fi_cntr_readerr(p.a.txcntr);
		ended = fi_cntr_read(p.a.txcntr) + failed;
		CHECK(now_ms() < until);
	} while (ended < OPS);
	while (left || failed) {
		ret = completion(p.a.txcq, &c, NULL, &e);
		CHECK(ret == 1 || ret == -FI_EAVAIL);
		if (ret == -FI_EAVAIL) {
			for (k = 0; k < n && errs[k] != e.err; k++)
				;
			if (k == n)
				printf("# an operation failed with %d\n", e.err);
			CHECK(k < n && failed);
			failed--;
			c.op_context = e.op_context;
		}
		/* an inject that failed has no context */
		if (!c.op_context)
			continue;
		i = ((char *)c.op_context - (char *)ctx(0)) / sizeof(struct fi_context2);
		CHECK(i < OPS && !(seen & 1u << i));
		seen |= 1u << i;
		left--;
	}
	CHECK_EQ(fi_cntr_read(p.a.txcntr) + fi_cntr_readerr(p.a.txcntr), OPS);
	return quiet(p.a.txcq);
}

/* Later operations fail, too: @err, or the connection is over. */
static bool no_more(int err)
{
	struct fi_eq_cm_entry e;
	uint32_t type;

	if (p.o.type == FI_EP_MSG) {
		CHECK_EQ(event(p.a.eq, &type, &e, sizeof(e)), sizeof(e));
		CHECK_EQ(type, FI_SHUTDOWN);
		CHECK_EQ(rma_msg(true, sbuf, 8, 0, KEY, 1, 0), -FI_ENOTCONN);
		CHECK_EQ(fi_inject_write(p.a.ep, sbuf, 8, p.a.peer, 0, KEY), -FI_ENOTCONN);
		return true;
	}
	CHECK_EQ(rma_msg(true, sbuf, 8, 0, KEY, 1, 0), 0);
	CHECK(rma_failed(1, true, err));
	CHECK_EQ(rma_msg(false, sbuf, LONG, 0, KEY, 2, 0), 0);
	CHECK(rma_failed(2, false, err));
	CHECK_EQ(fi_inject_write(p.a.ep, sbuf, 8, p.a.peer, 0, KEY), 0);
	return rma_failed(0, true, err);
}

/* A fresh target, which has served an operation. */
static bool target(struct other *b)
{
	*b = (struct other){ .mem = map(MAP_PRIVATE | MAP_ANONYMOUS, -1), .len = LEN };
	CHECK(b->mem != MAP_FAILED);
	CHECK(other_start(b));
	CHECK_EQ(fi_inject_write(p.a.ep, sbuf, 8, p.a.peer, 0, KEY), 0);
	CHECK(cntr_is(p.a.txcntr, 1));
	CHECK_EQ(fi_cntr_set(p.a.txcntr, 0), 0);
	return true;
}

static bool connect_within(unsigned int ms)
{
	return port_limit(0, "connect-ms", ms) && port_limit(1, "connect-ms", ms);
}

/* The program's memory ends first, then its region, then its endpoint. */
static bool kills(void)
{
	static const int errs[] = { FI_EFAULT, FI_EACCES, FI_ECONNREFUSED, FI_ECONNRESET };
	struct other b;

	CHECK(target(&b));
	CHECK(posts());
	CHECK(other_kill(&b));
	CHECK(each_ends(errs, 4));
	munmap(b.mem, LEN);
	return no_more(FI_ECONNREFUSED);
}

static bool killed(void)
{
	bool ok = connect_within(300) && kills();

	return connect_within(5000) && ok;
}

/* The peer says that its port is gone. */
static bool loses_port(void)
{
	static const int errs[] = { FI_ECONNRESET };
	struct other b;
	bool ok;

	CHECK(target(&b));
	CHECK(posts());
	CHECK(sh("node 1 weftctl port del weft1 force"));
	ok = each_ends(errs, 1) && no_more(FI_EHOSTUNREACH);
	CHECK(other_kill(&b));
	CHECK(sh(". $VM_REPO/selftests/vm/lib.sh; vm_node_port 1"));
	munmap(b.mem, LEN);
	pair_close(&p);
	/* a program at the new port is reached */
	ok = ok && target(&b) && other_end(&b);
	return ok;
}

static bool port_deleted(void)
{
	bool ok;

	if (!p.o.apart)
		return pass_over("the only port");
	ok = port_limit(0, "connect-ms", 300) && loses_port();
	return port_limit(0, "connect-ms", 5000) && ok;
}

#define OTHER	RMA, .alone = true
#define COUNT	OTHER, .o.counters = true, .o.tx_count = FI_READ | FI_WRITE

static const struct row rows[] = {
	ROW("RMA-60", ON_BOTH, "When the target is killed each operation ends once", killed, COUNT),
	ROW("RMA-60a", ON_BOTH, "When the target's port is deleted each operation ends once",
	    port_deleted, COUNT),
	ROW("RMA-66", ON_BOTH, "A target that is stopped serves memory of any kind", while_stopped,
	    OTHER),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
