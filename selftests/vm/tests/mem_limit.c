// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An ordinary user's limit of pinned memory (ulimit -l): it is kept, and all transfers still work.
 * Also registered memory, and execve(), which gives everything back.
 * TIMEOUT: 240
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "looks.h"
#include "user.h"
#include "wpair.h"

#define MIB  (1ul << 20)
#define LEN  (24 * MIB)

static struct wpair pair;

static char *room(size_t len)
{
	char *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED) {
		printf("Bail out! mmap failed\n");
		exit(1);
	}
	return p;
}

static bool limited(size_t limit, bool two)
{
	char *src, *dst;
	uint32_t mr;
	int i;

	CHECK(user_become(limit));
	CHECK(wpair_open_here(&pair));
	src = room(LEN);
	dst = room(LEN);
	for (i = 0; i < (two ? 4 : 2); i++) {
		CHECK(wpair_check(&pair, src + i, dst + i, LEN - 100, i));
		CHECK(vm_pinned() <= limit);
		CHECK(wpair_check(&pair, src, dst, 10000, i));
		CHECK(vm_pinned() <= limit);
	}
	/* above the limit: the transfer succeeds, and is copied */
	CHECK_EQ(weft_mr_reg(pair.a.ctx, src, LEN, WEFT_MR_READ | WEFT_MR_WRITE, &mr), 0);
	CHECK(vm_pinned() <= limit);
	CHECK(wpair_check(&pair, src, dst, LEN, 9));
	CHECK_EQ(weft_mr_dereg(pair.a.ctx, mr), 0);
	return wpair_close(&pair) && vm_pinned_becomes(0);
}

/* In processes of their own, because the change from root is final. */
static bool as_user(size_t limit, int count)
{
	int i, status, ok = 0;

	node_enter(0);
	for (i = 0; i < count; i++) {
		pid_t pid = fork();

		CHECK(pid >= 0);
		if (!pid)
			_exit(!limited(limit, count > 1));
	}
	for (i = 0; i < count; i++)
		ok += wait(&status) > 0 && !status;
	CHECK_EQ(ok, count);
	return nothing_left();
}

static bool registered(void)
{
	char *p = room(64 * MIB), *q = room(4 * MIB);
	uint32_t mr, mr2;
	size_t before;

	CHECK(wpair_open(&pair, false));
	CHECK_EQ(weft_mr_reg(pair.b.ctx, p + 5000, 33 * MIB, WEFT_MR_WRITE, &mr), 0);
	before = vm_pinned();
	CHECK(before >= 33 * MIB && before <= 36 * MIB);
	CHECK(wpair_check(&pair, q, p + 5000 + 17 * MIB, 3 * MIB, 1));
	CHECK(vm_pinned() <= before + 4 * MIB);
	CHECK_EQ(weft_mr_reg(pair.b.ctx, p, 64 * MIB, WEFT_MR_READ, &mr2), 0);
	CHECK_EQ(weft_mr_dereg(pair.b.ctx, mr), 0);
	CHECK_EQ(weft_mr_reg(pair.b.ctx, p, 0, WEFT_MR_READ, &mr), -EINVAL);
	CHECK_EQ(weft_mr_reg(pair.b.ctx, p, 4096, 0, &mr), -EINVAL);
	CHECK_EQ(weft_mr_reg(pair.b.ctx, p, 4096, 8, &mr), -EINVAL);
	CHECK_EQ(weft_mr_reg(pair.b.ctx, p, SIZE_MAX, WEFT_MR_READ, &mr), -EINVAL);
	CHECK_EQ(weft_mr_reg(pair.b.ctx, (char *)4096, 4096, WEFT_MR_READ, &mr), -EFAULT);
	CHECK_EQ(mprotect(q, 4096, PROT_READ), 0);
	CHECK_EQ(weft_mr_reg(pair.b.ctx, q, 4 * MIB, WEFT_MR_WRITE, &mr), -EFAULT);
	CHECK_EQ(weft_mr_reg(pair.b.ctx, q, 4 * MIB, WEFT_MR_READ, &mr), 0);
	CHECK_EQ(weft_mr_dereg(pair.b.ctx, mr2), 0);
	munmap(p, 64 * MIB);
	munmap(q, 4 * MIB);
	/* @mr is still registered: it goes with its context */
	CHECK(wpair_close(&pair));
	return vm_pinned_becomes(0) && nothing_left();
}

static bool executed(void)
{
	pid_t pid = fork();
	int status;

	CHECK(pid >= 0);
	if (!pid) {
		char *p = room(4 * MIB);

		/* execve closes the context's file; the address space goes before that */
		if (!wpair_open(&pair, false) || !wpair_check(&pair, p, p + 2 * MIB, 2 * MIB, 1))
			_exit(1);
		execlp("sleep", "sleep", "3", NULL);
		_exit(2);
	}
	usleep(1500000);
	CHECK(nothing_left());
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	return true;
}

int main(void)
{
	result(registered(), "registered memory", "within a node");
	result(as_user(8 * MIB, 1), "limit of 8 MiB", "within a node");
	result(as_user(8 * MIB, 3), "limit of 8 MiB, three processes", "within a node");
	result(as_user(64 << 10, 1), "limit of 64 KiB", "within a node");
	result(as_user(0, 1), "limit of nothing", "within a node");
	result(executed(), "execve", "within a node");
	return results_end();
}
