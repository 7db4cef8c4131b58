// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Buffers in every kind of memory: memory that can be pinned and memory that must be copied, also
 * mixed in one message.
 * TIMEOUT: 240 KERNELS: each
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "looks.h"
#include "nowhere.h"
#include "wpair.h"

#define MIB    (1ul << 20)
#define LEN    (4 * MIB)
#define FILES  "/run/weft/files"
#define NKINDS 10

static struct wpair pair;
/* pages of the program's file, until the program writes to them */
static char in_data[LEN] = { 1 };

static void *map_file(const char *dir, int flags)
{
	char path[64];
	void *p;
	int fd;

	snprintf(path, sizeof(path), "%s/XXXXXX", dir);
	fd = mkstemp(path);
	if (fd < 0 || ftruncate(fd, LEN))
		return MAP_FAILED;
	unlink(path);
	p = mmap(NULL, LEN, PROT_READ | PROT_WRITE, flags, fd, 0);
	close(fd);
	return p;
}

static void *map_fd(int fd, int flags, size_t len)
{
	void *p = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, len))
		p = mmap(NULL, len, PROT_READ | PROT_WRITE, flags, fd, 0);
	close(fd);
	return p;
}

/* All pages are present, so that no fault must be handled. */
static void *map_uffd(void)
{
	void *p = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return p;
	memset(p, 1, LEN);
	return nowhere_from(p, LEN) < 0 ? MAP_FAILED : p;
}

/* Return: MAP_FAILED: this machine has no such memory. */
static void *make(int kind, const char **name, size_t *len, bool *pinned)
{
	const int anon = MAP_PRIVATE | MAP_ANONYMOUS;
	const int rw = PROT_READ | PROT_WRITE;

	*len = LEN;
	*pinned = true;
	switch (kind) {
	case 0:
		*name = "anonymous";
		return mmap(NULL, LEN, rw, anon, -1, 0);
	case 1:
		*name = "shared anonymous";
		return mmap(NULL, LEN, rw, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	case 2:
		*name = "tmpfs";
		return map_fd(memfd_create("weft", 0), MAP_SHARED, LEN);
	case 3:
		*name = "private tmpfs";
		return map_fd(memfd_create("weft", 0), MAP_PRIVATE, LEN);
	case 4:
		*name = "hugetlb";
		return mmap(NULL, LEN, rw, anon | MAP_HUGETLB, -1, 0);
	case 5:
		*name = "private file";
		return map_file(FILES, MAP_PRIVATE);
	case 6:
		*name = "the program's data";
		return in_data;
	case 7:
		*name = "file";
		*pinned = false;
		return map_file(FILES, MAP_SHARED);
	case 8:
		*name = "secret";
		*pinned = false;
		*len = 32 << 10; /* locked, and there is a limit */
		return map_fd(syscall(SYS_memfd_secret, 0), MAP_SHARED, *len);
	default:
		*name = "userfaultfd";
		*pinned = false;
		return map_uffd();
	}
}

static bool kind(int k, bool apart, const char **name)
{
	static const size_t sizes[] = { 1, 100, 961, 5000, 20000, 300000, LEN, 0 };
	static char other[LEN];
	size_t len, n, i, before;
	bool pinned;
	char *p = make(k, name, &len, &pinned);

	if (p == MAP_FAILED) {
		printf("# no %s memory here\n", *name);
		return true;
	}
	CHECK(wpair_open(&pair, apart));
	for (i = 0; sizes[i]; i++) {
		n = sizes[i] < len - 100 ? sizes[i] : len - 100;
		memset(p, 0, len);
		CHECK(wpair_check(&pair, other, p + 50, n, 2 * i));
		CHECK(all_bytes(p, 50, 0) && all_bytes(p + 50 + n, 50, 0));
		CHECK(wpair_check(&pair, p + 50, other, n, 2 * i + 1));
	}
	CHECK(wpair_close(&pair) && vm_pinned_becomes(0));

	/* its pinned bytes are counted */
	CHECK(wpair_open(&pair, apart));
	CHECK(wpair_check(&pair, p + 50, p + len / 2 + 50, len / 2 - 50, 5));
	before = vm_pinned();
	if (pinned)
		CHECK(before >= len - 200);
	else
		CHECK_EQ(before, 0);
	CHECK(wpair_close(&pair));
	if (p != in_data)
		munmap(p, len);
	return vm_pinned_becomes(0) && nothing_left();
}

/* Segments of many kinds and odd sizes, in another order on the other side. */
static bool mixed(bool apart)
{
	struct iovec src[WEFT_IOV_MAX], dst[WEFT_IOV_MAX];
	const char *name;
	size_t len, total = 0, n = 0, i, at;
	char *flat = malloc(WEFT_IOV_MAX * MIB), *back = malloc(WEFT_IOV_MAX * MIB);
	bool pinned;
	int k;

	CHECK(flat && back);
	CHECK(wpair_open(&pair, apart));
	for (k = NKINDS - 1; k >= 0 && n < WEFT_IOV_MAX; k--) {
		char *p = make(k, &name, &len, &pinned);

		if (p == MAP_FAILED || p == in_data)
			continue;
		len = len / 4 - 3333 + 7 * k;
		src[n].iov_base = p + 1000 + k;
		src[n++].iov_len = len;
	}
	for (i = 0; i < n; i++) {
		dst[i].iov_base = (char *)src[n - 1 - i].iov_base + src[n - 1 - i].iov_len + 13;
		dst[i].iov_len = src[n - 1 - i].iov_len;
		total += dst[i].iov_len;
	}
	pattern_fill(flat, total, 3);
	for (i = 0, at = 0; i < n; at += src[i++].iov_len)
		memcpy(src[i].iov_base, flat + at, src[i].iov_len);
	CHECK(wpair_movev(&pair, src, n, dst, n));
	for (i = 0, at = 0; i < n; at += dst[i++].iov_len)
		memcpy(back + at, dst[i].iov_base, dst[i].iov_len);
	CHECK(pattern_is(back, total, 3));
	free(flat);
	free(back);
	return wpair_close(&pair) && vm_pinned_becomes(0) && nothing_left();
}

/* Addresses without memory. */
static bool unmapped(bool apart)
{
	static char good[MIB];
	char *none = mmap(NULL, 4 * MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const uintptr_t bad[] = { 4096, (uintptr_t)none + 5000, 0xffff888000000000, 0 };
	struct weft_cqe e;
	size_t i;

	CHECK(none != MAP_FAILED);
	CHECK(wpair_open(&pair, apart));
	for (i = 0; bad[i]; i++) {
		/* as the source: the send fails */
		CHECK_EQ(weft_send(pair.a.ep, (void *)bad[i], 10000, pair.a.peer, 0, 2, 0), 0);
		CHECK(wside_completion(&pair.a, &e));
		CHECK_EQ(e.status, EFAULT);
		CHECK_EQ(e.context, 2);
	}
	CHECK(wpair_close(&pair));

	CHECK(wpair_open(&pair, apart));
	for (i = 0; bad[i]; i++) {
		CHECK_EQ(weft_recv(pair.b.ep, (void *)bad[i], MIB, WEFT_SRC_ANY, 1, 0), 0);
		CHECK_EQ(weft_send(pair.a.ep, good, MIB, pair.a.peer, 0, 2,
				   WEFT_SQ_COMPLETION | WEFT_SQ_DELIVERY), 0);
		CHECK(wside_completion(&pair.b, &e));
		CHECK_EQ(e.status, EFAULT);
		/* the sender's memory is valid */
		CHECK(wside_completion(&pair.a, &e));
		CHECK_EQ(e.status, EREMOTEIO);
	}
	CHECK(wpair_check(&pair, good, in_data, MIB, 9));
	munmap(none, 4 * MIB);
	return wpair_close(&pair) && vm_pinned_becomes(0) && nothing_left();
}

static void huge_pool(const char *pages)
{
	int fd = open("/proc/sys/vm/nr_hugepages", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, pages, strlen(pages)) < 0)
		printf("# the pool of huge pages cannot be changed\n");
	close(fd);
}

int main(void)
{
	const char *where, *name = "";
	int apart, k;

	if (mkdir(FILES, 0700) || mount("ramfs", FILES, "ramfs", 0, NULL))
		printf("# no file system for files\n");
	huge_pool("8");
	for (apart = 0; apart <= !nodes_are_one(); apart++) {
		where = apart ? "between nodes" : "within a node";
		for (k = 0; k < NKINDS; k++) {
			bool ok = kind(k, apart, &name);

			result(ok, name, where);
		}
		result(mixed(apart), "all of them in one message", where);
		result(unmapped(apart), "bad addresses", where);
	}
	huge_pool("0");
	umount(FILES);
	rmdir(FILES);
	return results_end();
}
