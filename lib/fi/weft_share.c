// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * weft_share.c - address vectors that processes of a user share by name
 *
 * Shared memory holds the addresses, at the same index for every process. Each process has its own
 * vector in the kernel. It updates that vector when it sends, posts a directed receive or looks up
 * an address, and the generation has changed.
 *
 *   /dev/shm/weft-av.UID.PORT.NAME
 *
 * Each user of the memory holds a shared flock(2) on it, which ends with the process. Memory
 * without a holder was left by a killed process, and is not reused. The last user unlinks it.
 *
 * weft_fi_share.lock protects the memory, and nests in weft_fi_av.lock. It is robust: each entry is
 * complete, or its family is 0. So the death of a process does no harm.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "weft_fi.h"

#define WEFT_FI_SHARE_MAGIC	0x7765667461763031ULL

/**
 * struct weft_fi_share - the shared memory
 * @magic: WEFT_FI_SHARE_MAGIC, written last
 * @family: family of addresses
 * @bits: rx_ctx_bits
 * @gen: changes with each insertion and removal
 * @lock: protects the fields below, between processes
 * @high: above all addresses
 * @next: index for the next address
 * @map: table for lookups by programs (map_addr): maps an index to itself
 * @addr: addresses, family 0: none
 */
struct weft_fi_share {
	uint64_t magic;
	int family;
	unsigned int bits;
	atomic_ullong gen;
	pthread_mutex_t lock;
	uint32_t high;
	uint32_t next;
	fi_addr_t map[WEFT_AV_MAX];
	struct weft_sockaddr addr[WEFT_AV_MAX];
};

static void weft_fi_share_lock(struct weft_fi_share *share)
{
	if (pthread_mutex_lock(&share->lock) == EOWNERDEAD)
		pthread_mutex_consistent(&share->lock);
}

static void weft_fi_share_unlock(struct weft_fi_share *share)
{
	pthread_mutex_unlock(&share->lock);
}

/* av->lock and the share's lock are held. Update the kernel's vector. */
static void weft_fi_share_copy(struct weft_fi_av *av)
{
	struct weft_fi_share *share = av->shared;
	struct weft_sockaddr mine;
	uint32_t i;

	for (i = 0; i < share->high || i < av->high; i++) {
		bool here = weft_fi_av_used(av, i) && !weft_av_lookup(av->av, i, &mine);

		if (here && !memcmp(&mine, &share->addr[i], sizeof(mine)))
			continue;
		if (here)
			weft_fi_av_drop(av, i);
		if (share->addr[i].family && weft_fi_av_insert_at(av, &share->addr[i], i))
			WEFT_WARN(AV, "an address of the shared vector is not usable here\n");
	}
	av->high = share->high;
	av->gen = atomic_load(&share->gen);
}

/**
 * weft_fi_share_sync() - apply the changes of other processes
 * @av: shared vector
 */
void weft_fi_share_sync(struct weft_fi_av *av)
{
	struct weft_fi_share *share = av->shared;

	if (atomic_load_explicit(&share->gen, memory_order_acquire) ==
	    atomic_load_explicit(&av->gen, memory_order_relaxed))
		return;
	pthread_mutex_lock(&av->lock);
	weft_fi_share_lock(share);
	weft_fi_share_copy(av);
	weft_fi_share_unlock(share);
	pthread_mutex_unlock(&av->lock);
}

/* The share's lock is held. */
static int weft_fi_share_next(struct weft_fi_share *share, uint32_t *at)
{
	uint32_t most = weft_fi_av_most(share->bits);
	uint32_t n;

	for (n = 0; n < most; n++) {
		*at = (share->next + n) % most;
		if (!share->addr[*at].family) {
			share->next = (*at + 1) % most;
			return 0;
		}
	}
	return -FI_ENOSPC;
}

/**
 * weft_fi_share_insert() - insert addresses for all processes that share the vector
 * @av: shared vector, its lock is held
 * @addrs: addresses
 * @count: number of addresses
 * @index: out: their indices, WEFT_SRC_ANY: refused
 *
 * Return: 0.
 */
int weft_fi_share_insert(struct weft_fi_av *av, const struct weft_sockaddr *addrs, size_t count,
			 uint32_t *index)
{
	struct weft_fi_share *share = av->shared;
	size_t i;

	weft_fi_share_lock(share);
	weft_fi_share_copy(av);
	for (i = 0; i < count; i++) {
		if (weft_fi_share_next(share, &index[i]) ||
		    weft_fi_av_insert_at(av, &addrs[i], index[i])) {
			index[i] = WEFT_SRC_ANY;
			continue;
		}
		share->map[index[i]] = index[i];
		/* compared with the address that the kernel has */
		weft_av_lookup(av->av, index[i], &share->addr[index[i]]);
		if (share->high <= index[i])
			share->high = index[i] + 1;
	}
	av->high = share->high;
	av->gen = atomic_fetch_add(&share->gen, 1) + 1;
	weft_fi_share_unlock(share);
	return 0;
}

/* Remove an address for all processes. av->lock is held. The caller removes it in this process. */
void weft_fi_share_remove(struct weft_fi_av *av, fi_addr_t addr)
{
	struct weft_fi_share *share = av->shared;

	weft_fi_share_lock(share);
	weft_fi_share_copy(av);
	memset(&share->addr[addr], 0, sizeof(share->addr[addr]));
	share->map[addr] = FI_ADDR_NOTAVAIL;
	av->gen = atomic_fetch_add(&share->gen, 1) + 1;
	weft_fi_share_unlock(share);
}

static int weft_fi_share_path(const struct weft_fi_av *av, const char *name, char *path, size_t len)
{
	int n = snprintf(path, len, "/weft-av.%u.%s.%s", getuid(), av->domain->port->q.name, name);
	char *c;

	if (!*name || n < 0 || (size_t)n >= len)
		return weft_fi_fail(FI_LOG_AV, -FI_EINVAL,
				    "the name of a shared vector is empty, or too long");
	for (c = path + 1; *c; c++) {
		if (*c == '/')
			*c = '_';
	}
	return 0;
}

/*
 * Open the memory and hold it. Return: the file, which is new and locked exclusively if *@fresh;
 * -FI_ENOENT, -errno.
 */
static int weft_fi_share_file(const char *path, bool make, bool *fresh)
{
	struct stat st;
	int fd;

	for (;;) {
		fd = shm_open(path, O_RDWR | O_CLOEXEC | (make ? O_CREAT : 0), 0600);
		if (fd < 0)
			return -errno;
		*fresh = !flock(fd, LOCK_EX | LOCK_NB);
		if (!*fresh && flock(fd, LOCK_SH)) {
			close(fd);
			return -FI_EAGAIN;
		}
		if (!fstat(fd, &st) && st.st_nlink) {
			/* no process held it: the contents were left by killed processes */
			if (!*fresh || !st.st_size)
				break;
			shm_unlink(path);
		}
		close(fd);
	}
	if (*fresh && !make) {
		shm_unlink(path);
		close(fd);
		return -FI_ENOENT;
	}
	return fd;
}

static int weft_fi_share_init(struct weft_fi_av *av, struct weft_fi_share *share)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&share->lock, &attr);
	pthread_mutexattr_destroy(&attr);
	share->family = av->domain->family;
	share->bits = av->bits;
	share->magic = WEFT_FI_SHARE_MAGIC;
	return 0;
}

/* Check that the vector has the same attributes as the shared one. */
static int weft_fi_share_check(struct weft_fi_av *av, const struct weft_fi_share *share)
{
	if (share->magic != WEFT_FI_SHARE_MAGIC)
		return weft_fi_fail(FI_LOG_AV, -FI_EINVAL,
				    "the shared vector was made by another version of the provider");
	if (share->family != av->domain->family)
		return weft_fi_fail(FI_LOG_AV, -FI_EINVAL,
				    "the shared vector has addresses of another family");
	if (av->flags & FI_READ && !av->bits)
		av->bits = share->bits;
	if (share->bits == av->bits)
		return 0;
	return weft_fi_fail(FI_LOG_AV, -FI_EINVAL, "the shared vector has rx_ctx_bits %u",
			    share->bits);
}

/**
 * weft_fi_share_open() - create or open the memory of a shared vector
 * @av: vector, new
 * @attr: its attributes; out: map_addr, if NULL
 *
 * Return: 0, -FI_EINVAL, -FI_ENOENT, -errno.
 */
int weft_fi_share_open(struct weft_fi_av *av, struct fi_av_attr *attr)
{
	struct weft_fi_share *share;
	bool fresh = false;
	char path[NAME_MAX];
	int fd, ret;

	ret = weft_fi_share_path(av, attr->name, path, sizeof(path));
	if (ret)
		return ret;
	fd = weft_fi_share_file(path, !(attr->flags & FI_READ), &fresh);
	if (fd < 0)
		return weft_fi_fail(FI_LOG_AV, fd, "shared vector %s: %s%s", attr->name,
				    fi_strerror(-fd), fd == -FI_ENOENT ?
				    "; open it without FI_READ first, in a process that goes on" : "");
	if (fresh && ftruncate(fd, sizeof(*share))) {
		ret = -errno;
		goto err;
	}
	share = mmap(NULL, sizeof(*share), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (share == MAP_FAILED) {
		ret = -errno;
		goto err;
	}
	if (fresh)
		ret = weft_fi_share_init(av, share);
	else
		ret = weft_fi_share_check(av, share);
	/* other processes may open it now */
	if (!ret && fresh && flock(fd, LOCK_SH))
		ret = -errno;
	if (ret) {
		munmap(share, sizeof(*share));
		goto err;
	}
	av->shared = share;
	av->share_fd = fd;
	if (!attr->map_addr)
		attr->map_addr = share->map;
	/* differs from any generation */
	av->gen = UINT64_MAX;
	av->share_path = strdup(path);
	weft_fi_share_sync(av);
	return 0;
err:
	close(fd);
	return ret;
}

/* A vector is closed. The last user unlinks the memory. */
void weft_fi_share_close(struct weft_fi_av *av)
{
	if (!av->shared)
		return;
	munmap(av->shared, sizeof(*av->shared));
	if (av->share_path && !flock(av->share_fd, LOCK_EX | LOCK_NB))
		shm_unlink(av->share_path);
	close(av->share_fd);
	free(av->share_path);
}
