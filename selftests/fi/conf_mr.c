// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* fi_mr(3), rule by rule. TIMEOUT: 200 LINKS: vnet loop */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "atomics.h"

#define SIZE	(64u << 10)

/* Write to @addr under @key, and find the bytes at @at; or be refused. */
static bool reaches(uint64_t addr, uint64_t key, const uint8_t *at)
{
	static uint32_t seed;

	pattern_fill(sbuf, 100, ++seed);
	CHECK(rma_write(sbuf, 100, addr, key));
	CHECK(pattern_is(at, 100, seed));
	memset(sbuf, 0, 100);
	CHECK(rma_read(sbuf, 100, addr, key));
	return pattern_is(sbuf, 100, seed);
}

static bool denied(bool write, uint64_t addr, uint64_t key, size_t len, int err)
{
	CHECK_EQ(rma_msg(write, sbuf, len, addr, key, 1, 0), 0);
	return rma_failed(1, write, err);
}

static bool hidden(uint64_t addr, uint64_t key)
{
	return denied(true, addr, key, 8, FI_EACCES) && denied(false, addr, key, 8, FI_EACCES);
}

/* ---- Registering ------------------------------------------------------------------------ */

static bool alike(void)
{
	struct iovec iov = { rbuf, SIZE };
	struct fi_mr_attr attr = {
		.mr_iov = &iov, .iov_count = 1, .access = BOTH_RIGHTS, .requested_key = 3,
		.context = &iov,
	};
	struct fid_mr *mr[3];
	unsigned int i;

	CHECK_EQ(fi_mr_reg(p.b.domain, rbuf, SIZE, BOTH_RIGHTS, 0, 1, 0, &mr[0], NULL), 0);
	CHECK_EQ(fi_mr_regv(p.b.domain, &iov, 1, BOTH_RIGHTS, 0, 2, 0, &mr[1], NULL), 0);
	CHECK_EQ(fi_mr_regattr(p.b.domain, &attr, 0, &mr[2]), 0);
	CHECK(mr[2]->fid.context == &iov);
	for (i = 0; i < 3; i++) {
		CHECK_EQ(fi_mr_key(mr[i]), i + 1);
		CHECK(reaches(50 * i, i + 1, rbuf + 50 * i));
	}
	for (i = 0; i < 3; i++) {
		CHECK_EQ(fi_close(&mr[i]->fid), 0);
		CHECK(hidden(0, i + 1));
	}
	return true;
}

static bool pieces(void)
{
	struct iovec iov[9] = { { rbuf + 30000, 1000 }, { rbuf + 10000, 3 }, { rbuf, 5000 },
				{ rbuf + 20000, 70 } };
	struct fid_mr *mr;
	size_t i, at = 0;

	CHECK_EQ(p.b.info->domain_attr->mr_iov_limit, 8);
	CHECK_EQ(fi_mr_regv(p.b.domain, iov, 4, BOTH_RIGHTS, 0, KEY, 0, &mr, NULL), 0);
	pattern_fill(sbuf, 6073, 8);
	CHECK(rma_write(sbuf, 6073, 0, KEY));
	for (i = 0; i < 4; i++) {
		CHECK(!memcmp(iov[i].iov_base, sbuf + at, iov[i].iov_len));
		at += iov[i].iov_len;
	}
	memset(sbuf, 0, 6073);
	CHECK(rma_read(sbuf + 990, 20, 990, KEY));
	CHECK(rma_read(sbuf, 990, 0, KEY));
	CHECK(rma_read(sbuf + 1010, 6073 - 1010, 1010, KEY));
	CHECK(pattern_is(sbuf, 6073, 8));
	CHECK(denied(true, 6073, KEY, 1, FI_EACCES));
	CHECK_EQ(fi_close(&mr->fid), 0);
	CHECK_EQ(fi_mr_regv(p.b.domain, iov, 9, BOTH_RIGHTS, 0, KEY, 0, &mr, NULL), -FI_EINVAL);
	return true;
}

static bool any_range(void)
{
	const uint64_t rights[] = { FI_REMOTE_READ, FI_REMOTE_WRITE, BOTH_RIGHTS, 0 };
	struct fid_mr *mr[4], *small, *large;
	uint8_t *sparse;
	unsigned int i;

	for (i = 0; i < 4; i++)
		CHECK(expose(&p.b, rbuf + i, 1000, rights[i], 10 + i, &mr[i]));
	CHECK(expose(&p.b, rbuf + 4097, 1, BOTH_RIGHTS, 20, &small));
	CHECK(rma_write("x", 1, 0, 20));
	CHECK_EQ(rbuf[4097], 'x');
	CHECK(denied(true, 0, 10, 8, FI_EACCES));
	CHECK(rma_read(sbuf, 8, 0, 10));
	CHECK(denied(false, 0, 11, 8, FI_EACCES));
	CHECK(rma_write(sbuf, 8, 0, 11));
	CHECK(reaches(0, 12, rbuf + 2));
	CHECK(hidden(0, 13));
	sparse = mmap(NULL, 1ULL << 40, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (sparse != MAP_FAILED) {
		CHECK(expose(&p.b, sparse, 1ULL << 40, BOTH_RIGHTS, 21, &large));
		CHECK(reaches((1ULL << 40) - 100, 21, sparse + (1ULL << 40) - 100));
		CHECK_EQ(fi_close(&large->fid), 0);
		munmap(sparse, 1ULL << 40);
	}
	CHECK_EQ(fi_close(&small->fid), 0);
	for (i = 0; i < 4; i++)
		CHECK_EQ(fi_close(&mr[i]->fid), 0);
	return true;
}

static uint8_t *map_at(void *at, size_t len)
{
	return mmap(at, len, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);
}

static bool holes(void)
{
	uint8_t *hole = map_at(NULL, SIZE);
	struct fid_mr *mr;
	unsigned int i;

	CHECK(hole != MAP_FAILED);
	munmap(hole, SIZE);
	CHECK(expose(&p.b, hole, SIZE, BOTH_RIGHTS, KEY, &mr));
	for (i = 0; i < 3; i++) {
		CHECK(denied(true, 0, KEY, 8, FI_EFAULT));
		CHECK(denied(false, 0, KEY, SIZE, FI_EFAULT));
		CHECK(map_at(hole, SIZE) == hole);
		CHECK(reaches(0, KEY, hole));
		CHECK(reaches(SIZE - 100, KEY, hole + SIZE - 100));
		munmap(hole, SIZE);
	}
	return !fi_close(&mr->fid);
}

static bool everything(void)
{
	uint8_t here[200], *later;
	struct fid_mr *mr;

	CHECK(expose(&p.b, NULL, SIZE_MAX, BOTH_RIGHTS, KEY, &mr));
	CHECK(reaches((uintptr_t)here, KEY, here));
	CHECK(reaches((uintptr_t)rbuf, KEY, rbuf));
	later = map_at(NULL, SIZE);
	CHECK(later != MAP_FAILED);
	CHECK(reaches((uintptr_t)later + 5, KEY, later + 5));
	munmap(later, SIZE);
	CHECK(denied(false, 0xffffffff81000000ULL, KEY, 8, FI_EFAULT));
	CHECK(denied(true, 0xffffffffff600000ULL, KEY, 8, FI_EFAULT));
	CHECK(denied(false, 0, KEY, 8, FI_EFAULT));
	return !fi_close(&mr->fid);
}

static bool all_rights(void)
{
	const uint64_t bits[] = { FI_SEND, FI_RECV, FI_READ, FI_WRITE, FI_REMOTE_READ,
				  FI_REMOTE_WRITE };
	struct fid_mr *mr;
	unsigned int i, n;
	uint64_t access;

	for (n = 0; n < 64; n++) {
		for (i = 0, access = 0; i < 6; i++)
			access |= n & 1u << i ? bits[i] : 0;
		CHECK(expose(&p.b, rbuf, SIZE, access, KEY, &mr));
		if (access & FI_REMOTE_WRITE)
			CHECK(rma_write(sbuf, 8, 0, KEY));
		else
			CHECK(denied(true, 0, KEY, 8, FI_EACCES));
		if (access & FI_REMOTE_READ)
			CHECK(rma_read(sbuf, 8, 0, KEY));
		else
			CHECK(denied(false, 0, KEY, 8, FI_EACCES));
		CHECK_EQ(fi_close(&mr->fid), 0);
	}
	return true;
}

static bool no_more_than_maps(void)
{
	uint8_t *page = map_at(NULL, SIZE);
	struct fid_mr *mr;

	CHECK(page != MAP_FAILED);
	memset(page, 7, SIZE);
	CHECK(expose(&p.b, page, SIZE, BOTH_RIGHTS, KEY, &mr));
	CHECK_EQ(mprotect(page, SIZE, PROT_READ), 0);
	CHECK(denied(true, 0, KEY, 8, FI_EFAULT));
	CHECK(denied(true, 0, KEY, SIZE, FI_EFAULT));
	CHECK(all_bytes(page, SIZE, 7));
	CHECK(rma_read(sbuf, 8, 0, KEY));
	CHECK_EQ(mprotect(page, SIZE, PROT_NONE), 0);
	CHECK(denied(false, 0, KEY, 8, FI_EFAULT));
	CHECK_EQ(mprotect(page, SIZE, PROT_READ | PROT_WRITE), 0);
	CHECK(reaches(0, KEY, page));
	munmap(page, SIZE);
	return !fi_close(&mr->fid);
}

/* The copies of a forked child are its own. */
static bool own_copy(void)
{
	int go[2], status;
	struct fid_mr *mr;
	char c = 0;
	pid_t pid;

	CHECK_EQ(pipe(go), 0);
	memset(rbuf, 5, SIZE);
	CHECK(expose(&p.b, rbuf, SIZE, BOTH_RIGHTS, KEY, &mr));
	CHECK(rma_read(sbuf, SIZE, 0, KEY));
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		close(go[1]);
		if (read(go[0], &c, 1) < 0)
			_exit(1);
		_exit(!all_bytes(rbuf, SIZE, 5));
	}
	memset(sbuf, 6, SIZE);
	CHECK(rma_write(sbuf, SIZE, 0, KEY));
	CHECK(all_bytes(rbuf, SIZE, 6));
	close(go[0]);
	close(go[1]);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	return !fi_close(&mr->fid);
}

/* ---- Keys and addresses ----------------------------------------------------------------- */

static bool requested(void)
{
	const uint64_t keys[] = { 0, 1, 1ULL << 63, ~0ULL - 1 };
	struct fid_mr *mr[4];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		CHECK(expose(&p.b, rbuf + 4096 * i, 4096, BOTH_RIGHTS, keys[i], &mr[i]));
		CHECK_EQ(fi_mr_key(mr[i]), keys[i]);
	}
	for (i = 0; i < 4; i++)
		CHECK(reaches(0, keys[i], rbuf + 4096 * i));
	for (i = 0; i < 4; i++)
		CHECK_EQ(fi_close(&mr[i]->fid), 0);
	return true;
}

static bool in_use(void)
{
	struct fid_mr *mr, *other;
	unsigned int i;

	/* both sides have a domain of their own */
	CHECK(expose(&p.a, sbuf + SIZE, 4096, BOTH_RIGHTS, KEY, &other));
	for (i = 0; i < 3; i++) {
		CHECK(expose(&p.b, rbuf, 4096, BOTH_RIGHTS, KEY, &mr));
		CHECK_EQ(fi_mr_reg(p.b.domain, rbuf, 8, FI_REMOTE_READ, 0, KEY, 0, &other, NULL),
			 -FI_ENOKEY);
		CHECK_EQ(fi_mr_reg(p.b.domain, rbuf, 8, FI_SEND, 0, KEY, 0, &other, NULL),
			 -FI_ENOKEY);
		CHECK(reaches(0, KEY, rbuf));
		CHECK_EQ(fi_close(&mr->fid), 0);
	}
	CHECK_EQ(fi_close(&other->fid), 0);
	CHECK_EQ(fi_mr_reg(p.b.domain, rbuf, 8, FI_REMOTE_READ, 0, FI_KEY_NOTAVAIL, 0, &mr, NULL),
		 -FI_EKEYREJECTED);
	return true;
}

/* Two domains of one process have the same key: each endpoint reaches the region of its own. */
static bool key_twice(void)
{
	struct fid_domain *domain;
	struct fid_mr *mr, *other;

	CHECK_EQ(fi_domain(p.b.fabric, p.b.info, &domain, NULL), 0);
	CHECK_EQ(fi_mr_reg(domain, rbuf + SIZE, SIZE, BOTH_RIGHTS, 0, KEY, 0, &other, NULL), 0);
	CHECK(hidden(0, KEY));
	CHECK(expose(&p.b, rbuf, SIZE, BOTH_RIGHTS, KEY, &mr));
	CHECK(reaches(0, KEY, rbuf));
	CHECK_EQ(fi_close(&other->fid), 0);
	CHECK(reaches(0, KEY, rbuf));
	CHECK_EQ(fi_mr_reg(domain, rbuf + SIZE, SIZE, BOTH_RIGHTS, 0, KEY, 0, &other, NULL), 0);
	CHECK_EQ(fi_close(&mr->fid), 0);
	CHECK(hidden(0, KEY));
	CHECK_EQ(fi_close(&other->fid), 0);
	return !fi_close(&domain->fid);
}

#define CHOSEN	500

static bool chosen(void)
{
	static struct fid_mr *mr[CHOSEN];
	unsigned int i, j;
	uint64_t key;

	CHECK_EQ(p.b.info->domain_attr->mr_mode, p.o.mr_mode);
	for (i = 0; i < CHOSEN; i++)
		CHECK(expose(&p.b, rbuf + 256 * i, 256, BOTH_RIGHTS, 0, &mr[i]));
	for (i = 0; i < CHOSEN; i++)
		for (j = 0; j < i; j++)
			CHECK(fi_mr_key(mr[i]) != fi_mr_key(mr[j]));
	for (i = 0; i < CHOSEN; i += 77)
		CHECK(reaches((uintptr_t)rbuf + 256 * i, fi_mr_key(mr[i]), rbuf + 256 * i));
	key = fi_mr_key(mr[0]);
	for (i = 0; i < CHOSEN; i++)
		CHECK_EQ(fi_close(&mr[i]->fid), 0);
	return hidden((uintptr_t)rbuf, key);
}

static bool very_many(void)
{
	size_t n = p.b.info->domain_attr->mr_cnt, i;
	struct fid_mr **mr = calloc(n, sizeof(*mr));

	CHECK(mr);
	CHECK_EQ(p.b.info->domain_attr->mr_key_size, 8);
	for (i = 0; i < n; i++)
		CHECK(expose(&p.b, rbuf + i, 100, BOTH_RIGHTS, i, &mr[i]));
	for (i = 0; i < n; i += 999)
		CHECK(reaches(0, i, rbuf + i));
	for (i = 0; i < n; i++)
		CHECK_EQ(fi_close(&mr[i]->fid), 0);
	free(mr);
	return true;
}

/* The setting counts from the start of a program: it runs again with it, for this row only. */
static bool setting(void)
{
	int status;
	pid_t pid;

	if (getenv("FI_WEFT_MR_KEYS"))
		return chosen();
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		setenv("FI_WEFT_MR_KEYS", "provider", 1);
		if (freopen("/dev/null", "w", stdout))
			execl("/proc/self/exe", "conf_mr", "MR-11a", NULL);
		_exit(1);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(p.b.info->domain_attr->mr_mode, 0);
	return true;
}

/* The bytes before and behind a region, and addresses that wrap, are outside. */
static bool edges(uint64_t base, uint64_t key)
{
	const uint64_t far[] = { 1ULL << 63, ~0ULL, ~0ULL - 7, base + (1ULL << 63) };
	unsigned int i;

	CHECK(reaches(base, key, rbuf + 4096));
	CHECK(reaches(base + 4096 - 100, key, rbuf + 8192 - 100));
	CHECK(denied(true, base - 1, key, 8, FI_EACCES));
	CHECK(denied(false, base - 1, key, 1, FI_EACCES));
	CHECK(denied(true, base + 4096, key, 1, FI_EACCES));
	CHECK(denied(true, base + 4089, key, 8, FI_EACCES));
	CHECK(denied(false, base, key, 4097, FI_EACCES));
	CHECK(denied(false, base + 1, key, 1u << 20, FI_EACCES));
	for (i = 0; i < 4; i++)
		CHECK(hidden(far[i], key));
	return true;
}

static bool addresses(void)
{
	struct fid_mr *mr;

	memset(rbuf, 0xee, 16384);
	CHECK(expose(&p.b, rbuf + 4096, 4096, BOTH_RIGHTS, KEY, &mr));
	CHECK(edges(0, KEY));
	CHECK_EQ(fi_close(&mr->fid), 0);
	p.o.mr_mode = 1;	/* FI_MR_BASIC */
	CHECK(pair_again());
	CHECK_EQ(p.b.info->domain_attr->mr_mode, 1);
	CHECK(expose(&p.b, rbuf + 4096, 4096, BOTH_RIGHTS, KEY, &mr));
	CHECK(edges((uintptr_t)rbuf + 4096, fi_mr_key(mr)));
	CHECK(all_bytes(rbuf, 4096, 0xee));
	CHECK(all_bytes(rbuf + 8192, 4096, 0xee));
	return !fi_close(&mr->fid);
}

static bool bad_arguments(void)
{
	struct iovec wraps[2] = { { rbuf, 8 }, { (void *)~0xfULL, 32 } };
	struct fi_mr_attr attr = { .mr_iov = wraps, .iov_count = 1, .iface = FI_HMEM_CUDA };
	struct fid_domain *d = p.b.domain;
	struct fid_mr *mr;

	CHECK_EQ(fi_mr_reg(d, rbuf, 8, BOTH_RIGHTS, 1, KEY, 0, &mr, NULL), -FI_EINVAL);
	CHECK_EQ(fi_mr_regv(d, wraps, 0, BOTH_RIGHTS, 0, KEY, 0, &mr, NULL), -FI_EINVAL);
	CHECK_EQ(fi_mr_regv(d, NULL, 1, BOTH_RIGHTS, 0, KEY, 0, &mr, NULL), -FI_EINVAL);
	CHECK_EQ(fi_mr_regv(d, wraps, 2, BOTH_RIGHTS, 0, KEY, 0, &mr, NULL), -FI_EINVAL);
	CHECK_EQ(fi_mr_reg(d, rbuf, 8, BOTH_RIGHTS, 0, KEY, FI_PEEK, &mr, NULL), -FI_EBADFLAGS);
	CHECK_EQ(fi_mr_regattr(d, &attr, 0, &mr), -FI_ENOSYS);
	CHECK_EQ(fi_mr_reg(d, rbuf, 8, BOTH_RIGHTS, 0, KEY, FI_RMA_EVENT, &mr, NULL), 0);
	return !fi_close(&mr->fid);
}

static bool descriptors(void)
{
	struct fid_mr *mr, *mine;
	void *desc;

	CHECK(expose(&p.b, rbuf, SIZE, BOTH_RIGHTS, KEY, &mr));
	CHECK(expose(&p.a, sbuf, SIZE, BOTH_RIGHTS, KEY, &mine));
	desc = fi_mr_desc(mine);
	CHECK_EQ(fi_recv(p.b.ep, rbuf, 64, fi_mr_desc(mr), FI_ADDR_UNSPEC, ctx(1)), 0);
	CHECK_EQ(fi_send(p.a.ep, sbuf, 64, desc, p.a.peer, ctx(2)), 0);
	CHECK(is_sent(2) && is_received(1, 64, false, 0));
	CHECK_EQ(fi_close(&mine->fid), 0);
	CHECK_EQ(fi_write(p.a.ep, sbuf, 64, desc, p.a.peer, 0, KEY, ctx(3)), 0);
	CHECK(rma_done(3, true));
	return !fi_close(&mr->fid);
}

static bool raw_keys(void)
{
	uint64_t base = 99, key = 0;
	size_t size = 0;
	uint8_t raw[16];
	struct fid_mr *mr;

	CHECK(expose(&p.b, rbuf, SIZE, BOTH_RIGHTS, 0x123456789abcdefULL, &mr));
	CHECK_EQ(fi_mr_raw_attr(mr, &base, NULL, &size, 0), -FI_ETOOSMALL);
	CHECK_EQ(size, 8);
	size = 7;
	CHECK_EQ(fi_mr_raw_attr(mr, &base, raw, &size, 0), -FI_ETOOSMALL);
	CHECK_EQ(size, 8);
	CHECK_EQ(fi_mr_raw_attr(mr, &base, raw, &size, 0), 0);
	CHECK_EQ(base, 0);
	CHECK_EQ(fi_mr_map_raw(p.a.domain, base, raw, size, &key, 0), 0);
	CHECK(reaches(0, key, rbuf));
	CHECK_EQ(fi_mr_unmap_key(p.a.domain, key), 0);
	CHECK_EQ(fi_mr_map_raw(p.a.domain, base, raw, 7, &key, 0), -FI_EINVAL);
	return !fi_close(&mr->fid);
}

static bool refreshes(void)
{
	struct iovec iov = { rbuf, SIZE };
	struct fid_mr *mr;

	CHECK(expose(&p.b, rbuf, SIZE, BOTH_RIGHTS, KEY, &mr));
	CHECK_EQ(fi_mr_refresh(mr, &iov, 1, 0), 0);
	CHECK(reaches(0, KEY, rbuf));
	return !fi_close(&mr->fid);
}

static bool modes(void)
{
	struct fi_info *h = fi_allocinfo(), *info;
	unsigned int mode;

	CHECK(h);
	h->fabric_attr->prov_name = strdup("weft");
	h->caps = FI_RMA;
	node_enter(0);
	for (mode = 0; mode < 512; mode++) {
		h->domain_attr->mr_mode = mode;
		CHECK_EQ(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, h, &info), 0);
		CHECK(info->caps & FI_RMA);
		CHECK_EQ(info->domain_attr->mr_mode & ~mode, 0);
		if (mode == 1 || mode == 2)
			CHECK_EQ(info->domain_attr->mr_mode, mode);
		if (!(mode & 3))
			CHECK_EQ(info->domain_attr->mr_mode, 0);
		fi_freeinfo(info);
	}
	fi_freeinfo(h);
	return true;
}

/* Without any bit of mr_mode, and by all versions of the interface, everything works. */
static bool no_modes(void)
{
	static const uint32_t versions[] = { FI_VERSION(1, 0), FI_VERSION(1, 4), FI_VERSION(1, 5),
					     FI_VERSION(1, 17) };
	struct fi_info *h = fi_dupinfo(p.a.info), *info;
	uint64_t one = 1, r = 0;
	struct fid_mr *mr;
	unsigned int i;

	CHECK(h);
	h->mode = 0;
	h->domain_attr->mr_mode = 0;
	h->caps = FI_RMA | FI_ATOMIC;
	h->tx_attr->caps = 0;
	h->rx_attr->caps = 0;
	node_enter(0);
	for (i = 0; i < 4; i++) {
		CHECK_EQ(fi_getinfo(versions[i], NULL, NULL, 0, h, &info), 0);
		CHECK_EQ(info->caps & (FI_RMA | FI_ATOMIC), FI_RMA | FI_ATOMIC);
		CHECK_EQ(info->mode, 0);
		fi_freeinfo(info);
	}
	fi_freeinfo(h);
	CHECK_EQ(p.a.info->domain_attr->mr_mode, 0);
	CHECK_EQ(p.a.info->mode, 0);
	CHECK(expose(&p.b, rbuf, SIZE, BOTH_RIGHTS, KEY, &mr));
	CHECK(reaches(8, KEY, rbuf + 8));
	*word() = 41;
	CHECK_EQ(atomic_fetch(&one, &r, KEY, FI_SUM, 1), 0);
	CHECK(atomic_done(1, true));
	CHECK(r == 41 && *word() == 42);
	return !fi_close(&mr->fid);
}

/* A may initiate only. It has no region, its buffers neither. B may be a target only. */
static bool no_region(void)
{
	uint8_t here[300], *map = map_at(NULL, SIZE);
	struct fid_mr *mr;

	CHECK(map != MAP_FAILED);
	CHECK_EQ(p.a.info->caps & (FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE),
		 FI_READ | FI_WRITE);
	CHECK_EQ(p.b.info->caps & (FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE),
		 FI_REMOTE_READ | FI_REMOTE_WRITE);
	CHECK(expose(&p.b, rbuf, SIZE, BOTH_RIGHTS, KEY, &mr));
	pattern_fill(here, sizeof(here), 4);
	CHECK(rma_write(here, sizeof(here), 0, KEY));
	CHECK(pattern_is(rbuf, sizeof(here), 4));
	pattern_fill(rbuf, SIZE, 5);
	CHECK(rma_read(map, SIZE, 0, KEY));
	CHECK(pattern_is(map, SIZE, 5));
	munmap(map, SIZE);
	return !fi_close(&mr->fid);
}

/* Registrations are synchronous: the key counts at the return, and no event follows. */
static bool synchronous(void)
{
	struct fi_eq_cm_entry e;
	struct fid_mr *mr;
	unsigned int i;
	uint32_t type;

	CHECK_EQ(fi_domain_bind(p.b.domain, &p.b.eq->fid, FI_REG_MR), -FI_ENOSYS);
	for (i = 0; i < 20; i++) {
		CHECK(expose(&p.b, rbuf, SIZE, BOTH_RIGHTS, KEY, &mr));
		CHECK(reaches(i, KEY, rbuf + i));
		CHECK_EQ(fi_close(&mr->fid), 0);
		CHECK(hidden(i, KEY));
	}
	CHECK_EQ(fi_eq_read(p.b.eq, &type, &e, sizeof(e), 0), -FI_EAGAIN);
	return true;
}

/* ---- Counters and endpoints of regions -------------------------------------------------- */

static bool open_cntr(struct fid_cntr **cntr)
{
	struct fi_cntr_attr attr = { .events = FI_CNTR_EVENTS_COMP, .wait_obj = FI_WAIT_FD };

	CHECK_EQ(fi_cntr_open(p.b.domain, &attr, cntr, NULL), 0);
	return true;
}

static bool counted(void)
{
	struct fid_cntr *cntr[2];
	struct fid_mr *mr[2];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		CHECK(open_cntr(&cntr[i]));
		CHECK(expose(&p.b, rbuf, SIZE, BOTH_RIGHTS, KEY + i, &mr[i]));
		/* on a region that peers may use already, without fi_mr_enable() */
		CHECK_EQ(fi_mr_bind(mr[i], &cntr[i]->fid, FI_REMOTE_WRITE), 0);
		CHECK(reaches(0, KEY + i, rbuf));
	}
	for (i = 0; i < 10; i++)
		CHECK(rma_write(sbuf, i * 1000 + 1, 0, KEY));
	CHECK(rma_read(sbuf, 100, 0, KEY + 1));
	CHECK(denied(true, SIZE, KEY, 8, FI_EACCES));
	CHECK(cntr_is(cntr[0], 11));
	CHECK(cntr_is(cntr[1], 1));
	for (i = 0; i < 2; i++) {
		CHECK_EQ(fi_close(&cntr[i]->fid), -FI_EBUSY);
		CHECK_EQ(fi_close(&mr[i]->fid), 0);
		CHECK_EQ(fi_close(&cntr[i]->fid), 0);
	}
	return true;
}

/* A counter is bound before the first use, or when peers have used the region already. */
static bool bound_late(void)
{
	struct fid_cntr *cntr;
	struct fid_mr *mr;
	unsigned int late;

	for (late = 0; late < 2; late++) {
		CHECK(open_cntr(&cntr));
		CHECK(expose(&p.b, rbuf, SIZE, BOTH_RIGHTS, KEY, &mr));
		if (late) {
			CHECK(rma_write(sbuf, 5000, 0, KEY));
			CHECK(cntr_is(cntr, 0));
		}
		CHECK_EQ(fi_mr_bind(mr, &cntr->fid, FI_REMOTE_WRITE), 0);
		CHECK(rma_write(sbuf, 8, 0, KEY));
		CHECK(rma_write(sbuf, SIZE, 0, KEY));
		CHECK(cntr_is(cntr, 2));
		/* there is nothing to enable */
		CHECK_EQ(fi_mr_enable(mr), 0);
		CHECK(rma_write(sbuf, 8, 0, KEY));
		CHECK(cntr_is(cntr, 3));
		CHECK_EQ(fi_close(&mr->fid), 0);
		CHECK_EQ(fi_close(&cntr->fid), 0);
	}
	return true;
}

/* A counter waits for its regions. A region waits for nothing that is bound to it. */
static bool which_first(void)
{
	struct fid_cntr *cntr;
	struct fid_mr *mr[2];
	unsigned int i;

	CHECK(open_cntr(&cntr));
	for (i = 0; i < 2; i++) {
		CHECK(expose(&p.b, rbuf, SIZE, BOTH_RIGHTS, KEY + i, &mr[i]));
		CHECK_EQ(fi_mr_bind(mr[i], &cntr->fid, FI_REMOTE_WRITE), 0);
		CHECK_EQ(fi_mr_bind(mr[i], &p.b.ep->fid, 0), 0);
	}
	for (i = 0; i < 2; i++) {
		CHECK_EQ(fi_close(&cntr->fid), -FI_EBUSY);
		/* it counts as before */
		CHECK(rma_write(sbuf, 8, 0, KEY + 1));
		CHECK(cntr_is(cntr, i + 1));
		CHECK_EQ(fi_close(&mr[i]->fid), 0);
		CHECK(hidden(0, KEY + i));
	}
	return !fi_close(&cntr->fid);
}

static bool not_counted(void)
{
	struct fid_cntr *cntr;
	struct fid_mr *mr;

	CHECK(open_cntr(&cntr));
	CHECK(expose(&p.b, rbuf, SIZE, BOTH_RIGHTS, KEY, &mr));
	CHECK_EQ(fi_mr_bind(mr, &cntr->fid, FI_REMOTE_WRITE), -FI_EINVAL);
	CHECK_EQ(fi_close(&mr->fid), 0);
	return !fi_close(&cntr->fid);
}

static bool enabled(void)
{
	struct fid_cntr *cntr;
	struct fid_mr *mr;

	CHECK(open_cntr(&cntr));
	CHECK_EQ(fi_mr_reg(p.b.domain, rbuf, SIZE, BOTH_RIGHTS, 0, KEY, FI_RMA_EVENT, &mr, NULL),
		 0);
	CHECK_EQ(fi_mr_key(mr), KEY);
	CHECK(hidden(0, KEY));
	CHECK_EQ(fi_mr_bind(mr, &p.b.ep->fid, 0), 0);
	CHECK_EQ(fi_mr_enable(mr), 0);
	CHECK(reaches(0, KEY, rbuf));
	CHECK_EQ(fi_mr_enable(mr), 0);
	CHECK_EQ(fi_mr_bind(mr, &cntr->fid, FI_REMOTE_WRITE), -FI_EOPBADSTATE);
	CHECK_EQ(fi_close(&mr->fid), 0);
	return !fi_close(&cntr->fid);
}

static bool endpoints(void)
{
	struct fid_mr *mr;

	CHECK(expose(&p.b, rbuf, SIZE, BOTH_RIGHTS, KEY, &mr));
	CHECK_EQ(fi_mr_bind(mr, &p.b.ep->fid, 0), 0);
	CHECK_EQ(fi_mr_enable(mr), 0);
	CHECK_EQ(fi_mr_enable(mr), 0);
	CHECK(reaches(0, KEY, rbuf));
	CHECK_EQ(fi_mr_bind(mr, &p.a.ep->fid, 0), -FI_EINVAL);
	return !fi_close(&mr->fid);
}

static bool wrong_binds(void)
{
	struct fid_cntr *cntr, *second;
	struct fid_mr *mr;

	CHECK(open_cntr(&cntr));
	CHECK(open_cntr(&second));
	CHECK(expose(&p.b, rbuf, SIZE, BOTH_RIGHTS, KEY, &mr));
	CHECK_EQ(fi_mr_bind(mr, &cntr->fid, FI_REMOTE_READ), -FI_EBADFLAGS);
	CHECK_EQ(fi_mr_bind(mr, &cntr->fid, 0), -FI_EBADFLAGS);
	CHECK_EQ(fi_mr_bind(mr, &p.b.txcq->fid, FI_REMOTE_WRITE), -FI_EINVAL);
	CHECK_EQ(fi_mr_bind(mr, &cntr->fid, FI_REMOTE_WRITE), 0);
	CHECK_EQ(fi_mr_bind(mr, &second->fid, FI_REMOTE_WRITE), -FI_EINVAL);
	CHECK(reaches(0, KEY, rbuf));
	CHECK_EQ(fi_close(&mr->fid), 0);
	CHECK_EQ(fi_close(&second->fid), 0);
	return !fi_close(&cntr->fid);
}

/* ---- Closing ---------------------------------------------------------------------------- */

#define CLOSES	100

static bool closes(void)
{
	struct fid_mr *mr;
	unsigned int i, j;
	bool write;

	for (i = 0; i < CLOSES; i++) {
		memset(rbuf, 0x11, 1u << 20);
		memset(sbuf, 0x22, 1u << 20);
		write = i % 2;
		CHECK(expose_all(&mr));
		for (j = 0; j < 4; j++)
			CHECK_EQ(rma_msg(write, sbuf, 1u << 20, 0, KEY, 1, 0), 0);
		CHECK_EQ(fi_close(&mr->fid), 0);
		/* the memory is the program's again */
		memset(rbuf, 0x33, 1u << 20);
		for (j = 0; j < 4; j++) {
			struct fi_cq_tagged_entry c;
			struct fi_cq_err_entry e;
			int ret = completion(p.a.txcq, &c, NULL, &e);

			CHECK(ret == 1 || (ret == -FI_EAVAIL && e.err == FI_EACCES));
		}
		CHECK(all_bytes(rbuf, 1u << 20, 0x33));
	}
	return true;
}

static bool domain_busy(void)
{
	struct fid_domain *domain;
	struct fid_mr *mr;

	CHECK_EQ(fi_domain(p.b.fabric, p.b.info, &domain, NULL), 0);
	CHECK_EQ(fi_mr_reg(domain, rbuf, 8, BOTH_RIGHTS, 0, KEY, 0, &mr, NULL), 0);
	CHECK_EQ(fi_close(&domain->fid), -FI_EBUSY);
	CHECK_EQ(fi_close(&mr->fid), 0);
	return !fi_close(&domain->fid);
}

static bool forks(void)
{
	struct fid_mr *mr;
	int status;
	pid_t pid;

	CHECK(expose_all(&mr));
	CHECK(reaches(0, KEY, rbuf));
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		memset(rbuf, 0x77, ROOM);
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK(reaches(0, KEY, rbuf));
	CHECK(reaches(ROOM - 100, KEY, rbuf + ROOM - 100));
	return !fi_close(&mr->fid);
}

/* A key counts only at the endpoints of its domain. */
static bool other_domain(void)
{
	struct fid_domain *domain;
	struct fid_mr *mr;

	CHECK_EQ(fi_domain(p.b.fabric, p.b.info, &domain, NULL), 0);
	CHECK_EQ(fi_mr_reg(domain, rbuf, SIZE, BOTH_RIGHTS, 0, KEY, 0, &mr, NULL), 0);
	CHECK(hidden(0, KEY));
	CHECK_EQ(fi_close(&mr->fid), 0);
	return !fi_close(&domain->fid);
}

static const struct row rows[] = {
	ROW("MR-01", ON_BOTH, "The three calls register alike", alike, RMA),
	ROW("MR-02", ON_BOTH, "The segments of a region follow each other", pieces, RMA),
	ROW("MR-03", ON_BOTH, "Any length, alignment and overlap, each region with its rights",
	    any_range, RMA),
	ROW("MR-04", ON_BOTH, "Nothing need be mapped in a region", holes, RMA),
	ROW("MR-05", ON_BOTH, "The whole address space is a region", everything, RMA),
	ROW("MR-06", ON_BOTH, "The remote rights guard a region, the others are not needed",
	    all_rights, RMA),
	ROW("MR-07", ON_BOTH, "A peer has no right that the program's map lacks",
	    no_more_than_maps, RMA),
	ROW("MR-08", ON_BOTH, "A write of a peer is as the program's own store", own_copy, RMA),
	ROW("MR-09", ON_BOTH, "The requested key is the key", requested, RMA),
	ROW("MR-10", ON_BOTH, "A key in use is refused, and free again after the close", in_use,
	    RMA),
	ROW("MR-10a", ON_BOTH, "Two domains of a process may have the same key", key_twice, RMA),
	ROW("MR-11", ON_BOTH, "With FI_MR_BASIC the provider chooses distinct keys", chosen, RMA,
	    .o.mr_mode = 1),
	ROW("MR-11a", ON_RDM, "The environment lets the provider choose keys", setting, RMA,
	    .o.mr_mode = FI_MR_PROV_KEY | FI_MR_VIRT_ADDR, .once = true),
	ROW("MR-12", ON_BOTH, "Addresses are offsets, or virtual with FI_MR_BASIC", addresses, RMA),
	ROW("MR-13", ON_RDM, "A domain has mr_cnt regions", very_many, RMA, .once = true),
	ROW("MR-14", ON_BOTH, "Wrong arguments of a registration are refused", bad_arguments, RMA,
	    .once = true),
	ROW("MR-15", ON_RDM, "The mr_mode has only bits of the hints, and none is needed", modes,
	    .alone = true, .once = true),
	ROW("MR-16", ON_BOTH, "Without bits of mr_mode there are all one-sided operations",
	    no_modes, .o.caps = FI_RMA | FI_ATOMIC),
	ROW("MR-17", ON_BOTH, "An initiator needs no region", no_region,
	    .o.caps = FI_RMA | FI_READ | FI_WRITE,
	    .o.caps_b = FI_RMA | FI_REMOTE_READ | FI_REMOTE_WRITE),
	ROW("MR-18", ON_BOTH, "Descriptors are accepted everywhere, and not looked at", descriptors,
	    RMA),
	ROW("MR-19", ON_BOTH, "Raw keys can be had, mapped and unmapped", raw_keys, RMA),
	ROW("MR-20", ON_BOTH, "A refresh changes nothing", refreshes, RMA),
	ROW("MR-21", ON_BOTH, "FI_REG_MR is not supported: registrations are synchronous",
	    synchronous, RMA),
	ROW("MR-22", ON_BOTH, "A counter of a region counts the operations that change it", counted,
	    RMA_EVENTS),
	ROW("MR-22a", ON_BOTH, "It needs FI_RMA_EVENT", not_counted, RMA, .once = true),
	ROW("MR-23", ON_BOTH, "A counter is bound before or after the first use", bound_late,
	    RMA_EVENTS),
	ROW("MR-24", ON_BOTH, "With FI_RMA_EVENT a region waits for fi_mr_enable", enabled,
	    RMA_EVENTS),
	ROW("MR-25", ON_BOTH, "An endpoint of the domain may be bound to a region", endpoints, RMA),
	ROW("MR-26", ON_BOTH, "Wrong binds to a region are refused", wrong_binds, RMA_EVENTS),
	ROW("MR-27", ON_BOTH, "After the close of a region its memory does not change", closes,
	    RMA),
	ROW("MR-29", ON_BOTH, "A region closes before the counter that is bound to it", which_first,
	    RMA_EVENTS),
	ROW("MR-30", ON_BOTH, "A domain with regions is not closed", domain_busy, RMA,
	    .once = true),
	ROW("MR-31", ON_BOTH, "A forked child does not end regions", forks, RMA),
	ROW("MR-32", ON_BOTH, "A key counts only at endpoints of its domain", other_domain, RMA),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
