// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs change their memory between transfers and during them: unmap and map at the same place,
 * move, protect, drop pages, fork. Data always go where the addresses point now. Unmapped memory
 * does not stay pinned.
 * TIMEOUT: 600
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "looks.h"
#include "wpair.h"

#define KIB  1024ul
#define MIB  (1024 * KIB)
#define LEN  (3 * MIB)
#define ROOM (LEN + 2 * MIB)

static struct wpair pair;
static char *src, *dst;
static bool pair_apart;

static char *map_at(void *at, size_t len)
{
	void *p = mmap(at, len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);

	if (p == MAP_FAILED) {
		printf("Bail out! mmap failed\n");
		exit(1);
	}
	return p;
}

static bool same_again(void)
{
	size_t before;

	CHECK(wpair_check(&pair, src, dst, LEN, 1));
	before = vm_pinned();
	CHECK(before >= 2 * LEN);
	CHECK(wpair_check(&pair, src, dst, LEN, 2));
	CHECK(wpair_check(&pair, src + 77, dst + 4099, LEN - 5000, 3));
	CHECK_EQ(vm_pinned(), before);
	return true;
}

/*
 * Short messages that do not fit into the completion queue: the first one makes the memory
 * resident.
 */
static bool short_again(void)
{
	long long before;
	int i;

	CHECK(wpair_check(&pair, src, dst, 5000, 1));
	before = port_attr(pair_apart, "counters/deferred");
	for (i = 0; i < 10; i++)
		CHECK(wpair_check(&pair, src, dst, 5000, 2 + i));
	/* the check itself forks, after which pages are compared once */
	CHECK(port_attr(pair_apart, "counters/deferred") - before <= 2);
	return true;
}

static bool mapped_anew(void)
{
	int i;

	for (i = 0; i < 3; i++) {
		CHECK(wpair_check(&pair, src, dst, LEN, 10 + i));
		munmap(dst, ROOM);
		munmap(src, ROOM);
		CHECK(vm_pinned_becomes(0));
		map_at(src, ROOM);
		map_at(dst, ROOM);
		CHECK(all_bytes(dst, LEN, 0));
		CHECK(wpair_move(&pair, src, dst, LEN));
		CHECK(all_bytes(dst, LEN, 0));
		CHECK(wpair_check(&pair, src, dst, LEN, 20 + i));
	}
	return true;
}

static bool dropped(void)
{
	CHECK(wpair_check(&pair, src, dst, LEN, 30));
	CHECK_EQ(madvise(dst, LEN, MADV_DONTNEED), 0);
	CHECK(wpair_move(&pair, src, dst, LEN));
	CHECK(pattern_is(dst, LEN, 30));
	CHECK_EQ(madvise(src + 64 * KIB, MIB, MADV_DONTNEED), 0);
	CHECK(wpair_move(&pair, src, dst, LEN));
	CHECK(pattern_is(dst, 64 * KIB, 30));
	CHECK(all_bytes(dst + 64 * KIB, MIB, 0));
	CHECK_EQ(madvise(dst, LEN, MADV_FREE), 0);
	return wpair_check(&pair, src, dst, LEN, 31);
}

static bool protected(void)
{
	struct weft_cqe e;

	CHECK(wpair_check(&pair, src, dst, LEN, 40));
	CHECK_EQ(mprotect(src, LEN, PROT_READ), 0);
	CHECK(wpair_move(&pair, src, dst, LEN));
	CHECK_EQ(mprotect(src, LEN, PROT_READ | PROT_WRITE), 0);
	pattern_fill(src, LEN, 41);
	CHECK_EQ(mprotect(dst, LEN, PROT_READ), 0);
	CHECK_EQ(weft_recv(pair.b.ep, dst, LEN, WEFT_SRC_ANY, 1, WEFT_RQ_COMPLETION), 0);
	CHECK_EQ(weft_send(pair.a.ep, src, LEN, pair.a.peer, 0, 2, WEFT_SQ_COMPLETION), 0);
	CHECK(wside_completion(&pair.b, &e));
	CHECK_EQ(e.status, EFAULT);
	CHECK(wside_completion(&pair.a, &e));
	CHECK(pattern_is(dst, LEN, 40));
	CHECK_EQ(mprotect(dst, LEN, PROT_READ | PROT_WRITE), 0);
	return wpair_check(&pair, src, dst, LEN, 42);
}

static bool moved(void)
{
	char *to = map_at(NULL, ROOM), *from = dst;

	CHECK(wpair_check(&pair, src, from, LEN, 50));
	CHECK(mremap(from, ROOM, ROOM, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to);
	CHECK(pattern_is(to, LEN, 50));
	map_at(from, ROOM);
	CHECK(wpair_check(&pair, src, from, LEN, 51));
	CHECK(pattern_is(to, LEN, 50));
	CHECK(wpair_check(&pair, src, to, LEN, 52));
	CHECK(pattern_is(from, LEN, 51));
	munmap(to, ROOM);
	return true;
}

static bool huge_pages(void)
{
	char *h = (char *)(((uintptr_t)dst + 2 * MIB - 1) & ~(2 * MIB - 1));

	CHECK_EQ(madvise(dst, ROOM, MADV_HUGEPAGE), 0);
	memset(dst, 1, ROOM);
	CHECK(wpair_check(&pair, src, h + 100, 2 * MIB - 200, 60));
	/* split */
	CHECK_EQ(mprotect(h + 4096, 4096, PROT_READ), 0);
	CHECK_EQ(mprotect(h + 4096, 4096, PROT_READ | PROT_WRITE), 0);
	CHECK_EQ(madvise(h + 8192, 4096, MADV_DONTNEED), 0);
	return wpair_check(&pair, src, h + 100, 2 * MIB - 200, 61);
}

static bool forked(void)
{
	int go[2], status;
	pid_t pid;
	char c = 0;

	CHECK(!pipe(go));
	CHECK(wpair_check(&pair, src, dst, LEN, 70));
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		/* the memory keeps its contents; the rings are the parent's */
		if (read(go[0], &c, 1) != 1 || !pattern_is(dst, LEN, 70) ||
		    !pattern_is(src, LEN, 70))
			_exit(1);
		memset(dst, 5, LEN);
		_exit(0);
	}
	CHECK(wpair_check(&pair, src, dst, LEN, 71));
	CHECK(wpair_check(&pair, src, dst, LEN, 72));
	CHECK_EQ(write(go[1], &c, 1), 1);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK(pattern_is(dst, LEN, 72));
	close(go[0]);
	close(go[1]);
	return wpair_check(&pair, src, dst, LEN, 73);
}

/*
 * Memory pinned for a transfer belongs to the transfer until it ends. A new owner of the pages is
 * not harmed.
 */
static bool unmapped_meanwhile(void)
{
	struct weft_cqe e;
	int i;

	for (i = 0; i < 20; i++) {
		char *guard;

		pattern_fill(src, LEN, 80);
		CHECK_EQ(weft_recv(pair.b.ep, dst, LEN, WEFT_SRC_ANY, 1, WEFT_RQ_COMPLETION), 0);
		CHECK_EQ(weft_send(pair.a.ep, src, LEN, pair.a.peer, 0, 2, WEFT_SQ_COMPLETION), 0);
		usleep(i * 300);
		/* elsewhere: data go to the memory that the address points to now */
		guard = map_at(NULL, ROOM);
		munmap(dst, ROOM);
		memset(guard, 9, ROOM);
		CHECK(wside_completion(&pair.b, &e));
		CHECK(!e.status || e.status == EFAULT);
		CHECK(wside_completion(&pair.a, &e));
		CHECK(all_bytes(guard, ROOM, 9));
		munmap(guard, ROOM);
		map_at(dst, ROOM);
		CHECK(wpair_check(&pair, src, dst, LEN, 81 + i));
	}
	return true;
}

static atomic_int stop;
static char *busy;

static void *change_neighbours(void *arg)
{
	unsigned int seed = 1;

	while (!stop) {
		char *p = busy + rand_r(&seed) % 256 * 4096ul;
		size_t len = (1 + rand_r(&seed) % 16) * 4096ul;

		switch (rand_r(&seed) % 4) {
		case 0:
			map_at(p, len);
			break;
		case 1:
			madvise(p, len, MADV_DONTNEED);
			break;
		case 2:
			mprotect(p, len, PROT_READ);
			mprotect(p, len, PROT_READ | PROT_WRITE);
			break;
		default:
			memset(p, 1, 4096);
		}
	}
	return arg;
}

static void *fork_often(void *arg)
{
	while (!stop) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
		usleep(3000);
	}
	return arg;
}

static bool neighbours_change(void)
{
	pthread_t t[2];
	bool ok = true;
	int i;

	/* the buffers end where the changes begin, within one huge page */
	busy = map_at(NULL, 4 * MIB + 512 * KIB);
	stop = 0;
	src = busy;
	dst = busy + MIB;
	busy += 2 * MIB;
	CHECK_EQ(pthread_create(&t[0], NULL, change_neighbours, NULL), 0);
	CHECK_EQ(pthread_create(&t[1], NULL, fork_often, NULL), 0);
	for (i = 0; i < 60 && ok; i++)
		ok = wpair_check(&pair, src + i, dst + 3 * i, MIB - 200, 90 + i);
	stop = 1;
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	munmap(src, 4 * MIB + 512 * KIB);
	return ok;
}

static void run(bool (*test)(void), const char *name, bool apart)
{
	char *s = map_at(NULL, ROOM), *d = map_at(NULL, ROOM);
	bool ok;

	src = s;
	dst = d;
	pair_apart = apart;
	ok = wpair_open(&pair, apart) && test() && wpair_close(&pair) && vm_pinned_becomes(0) &&
	     nothing_left();
	result(ok, name, apart ? "between nodes" : "within a node");
	if (!ok)
		exit(results_end());
	munmap(s, ROOM);
	munmap(d, ROOM);
}

int main(void)
{
	int apart;

	for (apart = 0; apart <= !nodes_are_one(); apart++) {
		run(same_again, "the same buffers again are pinned once", apart);
		run(short_again, "short messages warm their buffer", apart);
		run(mapped_anew, "munmap, then mmap at the same address", apart);
		run(dropped, "MADV_DONTNEED, MADV_FREE", apart);
		run(protected, "mprotect", apart);
		run(moved, "mremap", apart);
		run(huge_pages, "huge pages, split", apart);
		run(forked, "fork", apart);
		run(unmapped_meanwhile, "munmap during a transfer", apart);
		run(neighbours_change, "unrest beside the buffers", apart);
	}
	return results_end();
}
