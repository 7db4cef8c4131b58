// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_rma(3), rule by rule: calls, arguments, injects, remote completion data.
 * TIMEOUT: 300 LINKS: vnet loop slow
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "onesided.h"

static const size_t lens[] = { 1, 7, 64, 255, 256, 300, 960, 1000, 1300, 4096, 4097, 5000, 65536,
			       65537, 300000, 3000001 };
#define NLENS	(sizeof(lens) / sizeof(lens[0]))

/* ---- Calls ------------------------------------------------------------------------------ */

static bool writes(void)
{
	struct fid_mr *mr;
	unsigned int i;

	CHECK(expose_all(&mr));
	for (i = 0; i < NLENS; i++) {
		memset(rbuf, 0xee, lens[i] + 200);
		pattern_fill(sbuf + 3, lens[i], i);
		CHECK(rma_write(sbuf + 3, lens[i], 101, KEY));
		CHECK(all_bytes(rbuf, 101, 0xee));
		CHECK(pattern_is(rbuf + 101, lens[i], i));
		CHECK(all_bytes(rbuf + 101 + lens[i], 64, 0xee));
	}
	CHECK_EQ(fi_close(&mr->fid), 0);
	return true;
}

static bool reads(void)
{
	struct fid_mr *mr;
	unsigned int i;

	CHECK(expose_all(&mr));
	for (i = 0; i < NLENS; i++) {
		memset(sbuf, 0xcc, lens[i] + 200);
		pattern_fill(rbuf + 17, lens[i], i);
		CHECK(rma_read(sbuf + 101, lens[i], 17, KEY));
		CHECK(all_bytes(sbuf, 101, 0xcc));
		CHECK(pattern_is(sbuf + 101, lens[i], i));
		CHECK(all_bytes(sbuf + 101 + lens[i], 64, 0xcc));
		CHECK(pattern_is(rbuf + 17, lens[i], i));
	}
	CHECK_EQ(fi_close(&mr->fid), 0);
	return true;
}

/* @n segments of @base: uneven, every third one empty. Return: bytes of all. */
static size_t cut(uint8_t *base, struct iovec *iov, size_t n)
{
	size_t i, at = 0;

	for (i = 0; i < n; i++) {
		iov[i].iov_base = base + at;
		iov[i].iov_len = i % 3 == 2 ? 0 : 100 * i + 7;
		at += iov[i].iov_len;
	}
	return at;
}

static bool vectors(void)
{
	size_t most = p.a.info->tx_attr->iov_limit, n, len;
	struct iovec iov[16];
	struct fid_mr *mr;

	CHECK_EQ(most, 8);
	CHECK_EQ(p.a.info->tx_attr->rma_iov_limit, 8);
	CHECK(expose_all(&mr));
	for (n = 1; n <= most; n++) {
		len = cut(sbuf, iov, n);
		pattern_fill(sbuf, len, n);
		memset(rbuf, 0xee, len + 64);
		CHECK_EQ(fi_writev(p.a.ep, iov, NULL, n, p.a.peer, 9, KEY, ctx(n)), 0);
		CHECK(rma_done(n, true));
		CHECK(pattern_is(rbuf + 9, len, n));
		CHECK_EQ(rbuf[9 + len], 0xee);
		memset(sbuf, 0xcc, len + 64);
		CHECK_EQ(fi_readv(p.a.ep, iov, NULL, n, p.a.peer, 9, KEY, ctx(n)), 0);
		CHECK(rma_done(n, false));
		CHECK(pattern_is(sbuf, len, n));
		CHECK(all_bytes(sbuf + len, 64, 0xcc));
	}
	cut(sbuf, iov, most + 1);
	CHECK_EQ(fi_writev(p.a.ep, iov, NULL, most + 1, p.a.peer, 9, KEY, NULL), -FI_EINVAL);
	CHECK_EQ(fi_readv(p.a.ep, iov, NULL, most + 1, p.a.peer, 9, KEY, NULL), -FI_EINVAL);
	CHECK_EQ(fi_readv(p.a.ep, NULL, NULL, 1, p.a.peer, 9, KEY, NULL), -FI_EINVAL);
	CHECK_EQ(fi_close(&mr->fid), 0);
	return true;
}

/* Three local segments, @n remote ones of two regions alternately. */
static bool scattered(size_t n, size_t len, bool inject)
{
	struct iovec iov[3] = { { sbuf, len / 5 }, { sbuf + len / 5, 0 },
				{ sbuf + len / 5, len - len / 5 } };
	struct fi_rma_iov rem[8];
	struct fi_msg_rma m = {
		.msg_iov = iov, .iov_count = 3, .addr = p.a.peer, .rma_iov = rem,
		.rma_iov_count = n, .context = ctx(n),
	};
	size_t i, at = 0, part;

	for (i = 0; i < n; i++) {
		part = i == n - 1 ? len - at : len / n - i;
		rem[i] = (struct fi_rma_iov){
			.addr = (i % 2 ? 0 : 8192) + i * (len / n + 64), .len = part,
			.key = KEY + i % 2
		};
		at += part;
	}
	memset(rbuf, 0xee, 1u << 20);
	pattern_fill(sbuf, len, n);
	CHECK_EQ(fi_writemsg(p.a.ep, &m, inject ? FI_INJECT : 0), 0);
	CHECK(rma_done(n, true));
	for (i = 0, at = 0; i < n; i++) {
		uint8_t *to = rbuf + (i % 2 ? 1u << 19 : 0) + rem[i].addr;

		CHECK(!memcmp(to, sbuf + at, rem[i].len));
		CHECK_EQ(to[rem[i].len], 0xee);
		at += rem[i].len;
	}
	memset(sbuf, 0xcc, len);
	CHECK_EQ(fi_readmsg(p.a.ep, &m, 0), 0);
	CHECK(rma_done(n, false));
	return pattern_is(sbuf, len, n);
}

static bool messages(void)
{
	struct fi_rma_iov rem[9] = { { .len = 8, .key = KEY } };
	struct iovec iov = { sbuf, 8 };
	struct fi_msg_rma m = {
		.msg_iov = &iov, .iov_count = 1, .addr = p.a.peer, .rma_iov = rem,
		.rma_iov_count = 9,
	};
	struct fid_mr *mr[2];
	size_t n;

	CHECK(expose(&p.b, rbuf, 1u << 19, BOTH_RIGHTS, KEY, &mr[0]));
	CHECK(expose(&p.b, rbuf + (1u << 19), 1u << 19, BOTH_RIGHTS, KEY + 1, &mr[1]));
	for (n = 1; n <= 8; n++) {
		CHECK(scattered(n, 200, false));
		CHECK(scattered(n, 700, true));
		CHECK(scattered(n, 3000, false));
		CHECK(scattered(n, 20000, false));
		CHECK(scattered(n, 300000, false));
	}
	CHECK_EQ(fi_writemsg(p.a.ep, &m, 0), -FI_EINVAL);
	CHECK_EQ(fi_readmsg(p.a.ep, &m, 0), -FI_EINVAL);
	m.rma_iov_count = 1;
	m.rma_iov = NULL;
	CHECK_EQ(fi_writemsg(p.a.ep, &m, 0), -FI_EINVAL);
	CHECK_EQ(fi_writemsg(p.a.ep, NULL, 0), -FI_EINVAL);
	CHECK_EQ(fi_readmsg(p.a.ep, NULL, 0), -FI_EINVAL);
	CHECK_EQ(fi_close(&mr[0]->fid), 0);
	return !fi_close(&mr[1]->fid);
}

static bool lengths_agree(void)
{
	struct fi_rma_iov rem[2] = { { .len = 8, .key = KEY }, { .len = 9, .key = KEY } };
	struct iovec iov[2] = { { sbuf, 8 }, { sbuf, 8 } };
	struct fi_msg_rma m = {
		.msg_iov = iov, .iov_count = 2, .addr = p.a.peer, .rma_iov = rem,
		.rma_iov_count = 2,
	};

	CHECK_EQ(fi_writemsg(p.a.ep, &m, 0), -FI_EINVAL);
	CHECK_EQ(fi_readmsg(p.a.ep, &m, 0), -FI_EINVAL);
	m.iov_count = 1;
	m.rma_iov_count = 1;
	rem[0].len = 7;
	CHECK_EQ(fi_writemsg(p.a.ep, &m, 0), -FI_EINVAL);
	CHECK_EQ(fi_readmsg(p.a.ep, &m, 0), -FI_EINVAL);
	m.rma_iov_count = 0;
	CHECK_EQ(fi_writemsg(p.a.ep, &m, 0), -FI_EINVAL);
	return true;
}

static bool no_boundaries(void)
{
	struct fid_mr *mr;

	CHECK(expose_all(&mr));
	pattern_fill(sbuf, 9000, 5);
	CHECK(rma_write(sbuf, 4000, 0, KEY));
	CHECK(rma_write(sbuf + 4000, 5000, 4000, KEY));
	memset(sbuf, 0, 9000);
	CHECK(rma_read(sbuf, 9000, 0, KEY));
	CHECK(pattern_is(sbuf, 9000, 5));
	memset(sbuf, 0, 9000);
	CHECK(rma_read(sbuf, 10, 0, KEY));
	CHECK(rma_read(sbuf + 10, 8990, 10, KEY));
	CHECK(pattern_is(sbuf, 9000, 5));
	return !fi_close(&mr->fid);
}

static bool to_itself(void)
{
	return writes() && reads() && vectors() && messages() && lengths_agree() && no_boundaries();
}

static bool no_bytes(void)
{
	struct fi_rma_iov rem = { .addr = ~0ULL, .len = 0, .key = 999 };
	struct fi_msg_rma m = { .addr = p.a.peer, .context = ctx(3) };
	struct iovec iov = { NULL, 0 };

	CHECK(rma_write(NULL, 0, ~0ULL, 999));
	CHECK(rma_read(NULL, 0, ~0ULL, 999));
	CHECK_EQ(fi_writev(p.a.ep, NULL, NULL, 0, p.a.peer, ~0ULL, 999, ctx(1)), 0);
	CHECK(rma_done(1, true));
	CHECK_EQ(fi_readv(p.a.ep, &iov, NULL, 1, p.a.peer, ~0ULL, 999, ctx(2)), 0);
	CHECK(rma_done(2, false));
	CHECK_EQ(fi_writemsg(p.a.ep, &m, 0), 0);
	CHECK(rma_done(3, true));
	m.rma_iov = &rem;
	m.rma_iov_count = 1;
	CHECK_EQ(fi_readmsg(p.a.ep, &m, 0), 0);
	CHECK(rma_done(3, false));
	CHECK_EQ(fi_inject_write(p.a.ep, NULL, 0, p.a.peer, ~0ULL, 999), 0);
	return true;
}

static bool too_long(void)
{
	size_t most = p.a.info->ep_attr->max_msg_size;
	struct iovec iov[2] = { { sbuf, most }, { sbuf, 1 } };

	CHECK_EQ(fi_write(p.a.ep, sbuf, most + 1, NULL, p.a.peer, 0, KEY, NULL), -FI_EMSGSIZE);
	CHECK_EQ(fi_read(p.a.ep, sbuf, most + 1, NULL, p.a.peer, 0, KEY, NULL), -FI_EMSGSIZE);
	CHECK_EQ(fi_writev(p.a.ep, iov, NULL, 2, p.a.peer, 0, KEY, NULL), -FI_EMSGSIZE);
	CHECK_EQ(fi_readv(p.a.ep, iov, NULL, 2, p.a.peer, 0, KEY, NULL), -FI_EMSGSIZE);
	return true;
}

#define MIXED	1000

static bool each_once(void)
{
	static bool seen[MIXED];
	unsigned int i, done = 0, posted = 0;
	struct fi_cq_tagged_entry c;
	struct fid_mr *mr;
	ssize_t ret;

	memset(seen, 0, sizeof(seen));
	CHECK(expose_all(&mr));
	while (done < MIXED) {
		if (posted < MIXED) {
			ret = rma_msg(posted % 2, sbuf + 4096 * (posted % 64), lens[posted % 11],
				      8192 * (posted % 64), KEY, posted, FI_COMPLETION);
			CHECK(!ret || ret == -FI_EAGAIN);
			posted += !ret;
			if (!ret)
				continue;
		}
		CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
		i = ((char *)c.op_context - (char *)ctx(0)) / sizeof(struct fi_context2);
		CHECK(i < posted && !seen[i]);
		CHECK_EQ(c.flags, FI_RMA | (i % 2 ? FI_WRITE : FI_READ));
		seen[i] = true;
		done++;
	}
	return !fi_close(&mr->fid);
}

static bool descriptors(void)
{
	struct iovec iov[2] = { { sbuf, 100 }, { sbuf + 100, 100 } };
	struct fid_mr *mr, *local;
	void *desc[2] = { NULL, NULL };
	unsigned int i;

	CHECK(expose_all(&mr));
	CHECK(expose(&p.a, sbuf, 4096, FI_READ | FI_WRITE, 5, &local));
	for (i = 0; i < 2; i++) {
		CHECK_EQ(fi_write(p.a.ep, sbuf, 200, desc[0], p.a.peer, 0, KEY, ctx(1)), 0);
		CHECK(rma_done(1, true));
		CHECK_EQ(fi_read(p.a.ep, sbuf, 200, desc[0], p.a.peer, 0, KEY, ctx(1)), 0);
		CHECK(rma_done(1, false));
		CHECK_EQ(fi_writev(p.a.ep, iov, desc, 2, p.a.peer, 0, KEY, ctx(1)), 0);
		CHECK(rma_done(1, true));
		desc[0] = fi_mr_desc(local);
		desc[1] = desc[0];
	}
	CHECK_EQ(fi_close(&local->fid), 0);
	return !fi_close(&mr->fid);
}

static bool destination(void)
{
	struct fid_mr *mr;

	CHECK(expose_all(&mr));
	if (p.o.type == FI_EP_MSG) {
		CHECK_EQ(fi_write(p.a.ep, sbuf, 8, NULL, 12345, 0, KEY, ctx(1)), 0);
		CHECK(rma_done(1, true));
		CHECK_EQ(fi_read(p.a.ep, sbuf, 8, NULL, ~5ULL, 0, KEY, ctx(1)), 0);
		CHECK(rma_done(1, false));
	} else {
		CHECK_EQ(fi_write(p.a.ep, sbuf, 8, NULL, 99, 0, KEY, NULL), -FI_EINVAL);
		CHECK_EQ(fi_read(p.a.ep, sbuf, 8, NULL, FI_ADDR_UNSPEC, 0, KEY, NULL), -FI_EINVAL);
		CHECK_EQ(fi_inject_write(p.a.ep, sbuf, 8, 99, 0, KEY), -FI_EINVAL);
	}
	return !fi_close(&mr->fid);
}

/* ---- States and capabilities ------------------------------------------------------------ */

static bool states(void)
{
	struct fid_ep *ep;

	CHECK_EQ(fi_endpoint(p.a.domain, p.a.info, &ep, NULL), 0);
	CHECK_EQ(fi_write(ep, sbuf, 8, NULL, p.a.peer, 0, KEY, NULL), -FI_EOPBADSTATE);
	CHECK_EQ(fi_read(ep, sbuf, 8, NULL, p.a.peer, 0, KEY, NULL), -FI_EOPBADSTATE);
	if (p.o.type == FI_EP_MSG) {
		CHECK_EQ(fi_ep_bind(ep, &p.a.eq->fid, 0), 0);
		CHECK_EQ(fi_ep_bind(ep, &p.a.txcq->fid, FI_TRANSMIT | FI_RECV), 0);
		CHECK_EQ(fi_enable(ep), 0);
		CHECK_EQ(fi_write(ep, sbuf, 8, NULL, 0, 0, KEY, NULL), -FI_ENOTCONN);
		CHECK_EQ(fi_read(ep, sbuf, 8, NULL, 0, 0, KEY, NULL), -FI_ENOTCONN);
	}
	CHECK_EQ(fi_close(&ep->fid), 0);
	p.o.caps &= ~FI_RMA;
	CHECK(pair_again());
	CHECK(!(p.a.info->caps & FI_RMA));
	CHECK_EQ(fi_write(p.a.ep, sbuf, 8, NULL, p.a.peer, 0, KEY, NULL), -FI_EOPNOTSUPP);
	CHECK_EQ(fi_read(p.a.ep, sbuf, 8, NULL, p.a.peer, 0, KEY, NULL), -FI_EOPNOTSUPP);
	CHECK_EQ(fi_inject_write(p.a.ep, sbuf, 8, p.a.peer, 0, KEY), -FI_EOPNOTSUPP);
	CHECK_EQ(rma_msg(true, sbuf, 8, 0, KEY, 1, 0), -FI_EOPNOTSUPP);
	return true;
}

/* One of the rights of a pair whose endpoints have only some. */
static bool right(bool write, uint64_t tx, uint64_t rx)
{
	if (!(p.o.caps & tx)) {
		CHECK_EQ(rma_msg(write, sbuf, 8, 0, KEY, 1, 0), -FI_EOPNOTSUPP);
		return true;
	}
	CHECK_EQ(rma_msg(write, sbuf, 8, 0, KEY, 1, 0), 0);
	return p.o.caps & rx ? rma_done(1, write) : rma_failed(1, write, FI_EACCES);
}

static bool narrowed(void)
{
	const uint64_t all = FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
	const uint64_t bits[] = { FI_READ, FI_WRITE, FI_REMOTE_READ, FI_REMOTE_WRITE };
	struct fid_mr *mr;
	unsigned int i, n;

	CHECK_EQ(p.a.info->caps & all, all);
	for (n = 1; n < 16; n++) {
		p.o.caps &= ~all;
		for (i = 0; i < 4; i++)
			if (n & 1u << i)
				p.o.caps |= bits[i];
		CHECK(pair_again());
		CHECK_EQ(p.a.info->caps & all, p.o.caps & all);
		CHECK(expose_all(&mr));
		CHECK(right(true, FI_WRITE, FI_REMOTE_WRITE));
		CHECK(right(false, FI_READ, FI_REMOTE_READ));
		CHECK_EQ(fi_close(&mr->fid), 0);
	}
	return true;
}

static bool alone(void)
{
	uint64_t flags = FI_TRANSMIT;
	struct fid_mr *mr;

	CHECK_EQ(fi_control(&p.a.ep->fid, FI_GETOPSFLAG, &flags), 0);
	CHECK_EQ(flags, FI_DELIVERY_COMPLETE);
	CHECK_EQ(p.a.info->caps & (FI_MSG | FI_TAGGED | FI_SEND | FI_RECV), 0);
	CHECK(expose_all(&mr));
	pattern_fill(sbuf, 5000, 1);
	CHECK(rma_write(sbuf, 5000, 0, KEY));
	CHECK(pattern_is(rbuf, 5000, 1));
	CHECK_EQ(fi_send(p.a.ep, sbuf, 8, NULL, p.a.peer, NULL), -FI_ENOSYS);
	CHECK_EQ(fi_close(&mr->fid), 0);
	p.o.counters = true;
	p.o.no_cq = true;
	p.o.tx_count = FI_READ | FI_WRITE;
	p.o.rx_count = FI_REMOTE_READ | FI_REMOTE_WRITE;
	CHECK(pair_again());
	CHECK(expose_all(&mr));
	memset(rbuf, 0, 5000);
	CHECK_EQ(fi_write(p.a.ep, sbuf, 5000, NULL, p.a.peer, 0, KEY, NULL), 0);
	CHECK_EQ(fi_cntr_wait(p.a.txcntr, 1, WAIT_MS), 0);
	CHECK(pattern_is(rbuf, 5000, 1));
	return !fi_close(&mr->fid);
}

/* Memory of a file that cannot be written, of the stack and of the heap as sources. */
static bool any_memory(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	uint8_t here[3000], *fresh, *file;
	struct fid_mr *mr;

	CHECK(fd >= 0);
	file = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, fd, 0);
	fresh = mmap(NULL, 1u << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(file != MAP_FAILED && fresh != MAP_FAILED);
	CHECK(expose_all(&mr));
	pattern_fill(here, sizeof(here), 3);
	CHECK(rma_write(here, sizeof(here), 0, KEY));
	CHECK(pattern_is(rbuf, sizeof(here), 3));
	CHECK(rma_write(file, 8192, 100, KEY));
	CHECK(!memcmp(rbuf + 100, file, 8192));
	pattern_fill(rbuf, 1u << 20, 4);
	CHECK(rma_read(fresh, 1u << 20, 0, KEY));
	CHECK(pattern_is(fresh, 1u << 20, 4));
	CHECK(rma_read(here, sizeof(here), 0, KEY));
	CHECK(pattern_is(here, sizeof(here), 4));
	munmap(fresh, 1u << 20);
	munmap(file, 8192);
	close(fd);
	return !fi_close(&mr->fid);
}

static bool no_memory(void)
{
	uint8_t *page = mmap(NULL, 1u << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct fid_mr *mr;
	size_t len;

	CHECK(page != MAP_FAILED);
	CHECK(expose_all(&mr));
	for (len = 1000; len <= 1u << 20; len *= 10) {
		CHECK_EQ(fi_read(p.a.ep, page, len, NULL, p.a.peer, 0, KEY, ctx(1)), 0);
		CHECK(rma_failed(1, false, FI_EFAULT));
	}
	munmap(page, 1u << 20);
	for (len = 1000; len <= 1u << 20; len *= 10) {
		CHECK_EQ(fi_write(p.a.ep, page, len, NULL, p.a.peer, 0, KEY, ctx(1)), 0);
		CHECK(rma_failed(1, true, FI_EFAULT));
		CHECK_EQ(fi_read(p.a.ep, page, len, NULL, p.a.peer, 0, KEY, ctx(1)), 0);
		CHECK(rma_failed(1, false, FI_EFAULT));
	}
	CHECK(rma_write(sbuf, 1000, 0, KEY));
	CHECK(rma_read(sbuf, 1000, 0, KEY));
	return !fi_close(&mr->fid);
}

static bool aliases(void)
{
	uint64_t flags = FI_TRANSMIT | FI_COMPLETION;
	struct fid_ep *alias = NULL;
	struct fid_mr *mr;

	CHECK_EQ(fi_ep_alias(p.a.ep, &alias, flags), 0);
	CHECK(expose_all(&mr));
	/* the queue is selective: only the alias has entries by default */
	CHECK_EQ(fi_write(p.a.ep, sbuf, 300, NULL, p.a.peer, 0, KEY, ctx(2)), 0);
	pattern_fill(sbuf, 300, 7);
	CHECK_EQ(fi_write(alias, sbuf, 300, NULL, p.a.peer, 0, KEY, ctx(1)), 0);
	CHECK(rma_done(1, true));
	CHECK(pattern_is(rbuf, 300, 7));
	CHECK_EQ(fi_read(alias, sbuf, 300, NULL, p.a.peer, 0, KEY, ctx(1)), 0);
	CHECK(rma_done(1, false));
	CHECK_EQ(fi_close(&alias->fid), 0);
	return !fi_close(&mr->fid);
}

static bool shared_contexts(void)
{
	struct fi_info *info = fi_dupinfo(p.a.info);
	struct fid_ep *srx, *ep = NULL;
	struct fid_stx *stx;
	struct fid_mr *mr;

	CHECK(info);
	info->ep_attr->tx_ctx_cnt = FI_SHARED_CONTEXT;
	info->ep_attr->rx_ctx_cnt = FI_SHARED_CONTEXT;
	CHECK_EQ(fi_stx_context(p.a.domain, NULL, &stx, NULL), 0);
	CHECK_EQ(fi_srx_context(p.a.domain, NULL, &srx, NULL), 0);
	CHECK_EQ(fi_endpoint(p.a.domain, info, &ep, NULL), 0);
	CHECK_EQ(fi_ep_bind(ep, &stx->fid, 0), 0);
	CHECK_EQ(fi_ep_bind(ep, &srx->fid, 0), 0);
	CHECK_EQ(fi_ep_bind(ep, &p.a.av->fid, 0), 0);
	CHECK_EQ(fi_ep_bind(ep, &p.a.txcq->fid, FI_TRANSMIT), 0);
	CHECK_EQ(fi_ep_bind(ep, &p.a.rxcq->fid, FI_RECV), 0);
	CHECK_EQ(fi_enable(ep), 0);
	CHECK(expose_all(&mr));
	pattern_fill(sbuf, 5000, 2);
	CHECK_EQ(fi_write(ep, sbuf, 5000, NULL, p.a.peer, 0, KEY, ctx(1)), 0);
	CHECK(rma_done(1, true));
	CHECK(pattern_is(rbuf, 5000, 2));
	CHECK_EQ(fi_read(ep, sbuf, 100, NULL, p.a.peer, 0, KEY, ctx(2)), 0);
	CHECK(rma_done(2, false));
	CHECK_EQ(fi_close(&mr->fid), 0);
	CHECK_EQ(fi_close(&ep->fid), 0);
	CHECK_EQ(fi_close(&srx->fid), 0);
	CHECK_EQ(fi_close(&stx->fid), 0);
	fi_freeinfo(info);
	return true;
}

/* ---- Injects ---------------------------------------------------------------------------- */

/* Write from memory that is overwritten and unmapped as soon as the call returns. */
static bool inject_gone(size_t len, uint64_t key, bool msg)
{
	uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			     0);

	CHECK(page != MAP_FAILED);
	pattern_fill(page, len, len);
	if (msg)
		CHECK_EQ(rma_msg(true, page, len, 0, key, 1, FI_INJECT), 0);
	else
		CHECK_EQ(fi_inject_write(p.a.ep, page, len, p.a.peer, 0, key), 0);
	memset(page, 0x55, 4096);
	return !munmap(page, 4096);
}

static bool injects(void)
{
	size_t most = p.a.info->tx_attr->inject_size, i;
	const size_t sizes[] = { 1, 64, 200, 500, most };
	struct fid_mr *mr;

	CHECK(expose_all(&mr));
	for (i = 0; i < 5; i++) {
		memset(rbuf, 0xee, 2000);
		CHECK(inject_gone(sizes[i], KEY, false));
		CHECK_EQ(fi_cntr_wait(p.a.txcntr, i + 1, WAIT_MS), 0);
		CHECK(pattern_is(rbuf, sizes[i], sizes[i]));
		CHECK_EQ(rbuf[sizes[i]], 0xee);
	}
	CHECK_EQ(fi_inject_write(p.a.ep, sbuf, most + 1, p.a.peer, 0, KEY), -FI_EMSGSIZE);
	CHECK(cntr_is(p.a.txcntr, 5));
	return !fi_close(&mr->fid);
}

static bool inject_fails(void)
{
	CHECK(inject_gone(100, 12345, false));
	CHECK(rma_failed(0, true, FI_EACCES));
	CHECK(cntr_fails(p.a.txcntr, 1));
	return !fi_cntr_read(p.a.txcntr);
}

static bool inject_flag(void)
{
	size_t most = p.a.info->tx_attr->inject_size;
	struct fid_mr *mr;

	CHECK(expose_all(&mr));
	CHECK(inject_gone(most, KEY, true));
	CHECK(rma_done(1, true));
	CHECK(pattern_is(rbuf, most, most));
	CHECK_EQ(rma_msg(true, sbuf, most + 1, 0, KEY, 1, FI_INJECT), -FI_EMSGSIZE);
	pattern_fill(rbuf, 5000, 9);
	CHECK_EQ(rma_msg(false, sbuf, 5000, 0, KEY, 2, FI_INJECT), 0);
	CHECK(rma_done(2, false));
	CHECK(pattern_is(sbuf, 5000, 9));
	return !fi_close(&mr->fid);
}

/* ---- Remote completion data ------------------------------------------------------------- */

static bool data(void)
{
	struct fid_mr *mr;
	unsigned int i;

	CHECK(expose_all(&mr));
	for (i = 0; i < NLENS; i++) {
		pattern_fill(sbuf, lens[i], i);
		CHECK_EQ(fi_writedata(p.a.ep, sbuf, lens[i], NULL, ~(uint64_t)i, p.a.peer, 10, KEY,
				      ctx(1)), 0);
		/* the entry means that the bytes are there */
		CHECK(rma_told(~(uint64_t)i, lens[i]));
		CHECK(pattern_is(rbuf + 10, lens[i], i));
		CHECK(rma_done(1, true));
	}
	return !fi_close(&mr->fid);
}

static bool data_late(void)
{
	bool ok = link_spoil();

	ok = ok && data();
	return link_over(ok);
}

static bool data_takes_none(void)
{
	struct fid_mr *mr;

	CHECK(expose_all(&mr));
	CHECK(post_plain(rbuf + 8192, 64, 1));
	CHECK_EQ(fi_writedata(p.a.ep, sbuf, 64, NULL, 5, p.a.peer, 0, KEY, ctx(2)), 0);
	CHECK(rma_told(5, 64));
	CHECK(rma_done(2, true));
	CHECK(send_plain(64, 3, 4));
	CHECK(is_received(1, 64, false, 0));
	return !fi_close(&mr->fid);
}

static bool data_forms(void)
{
	struct fid_mr *mr;

	CHECK(expose_all(&mr));
	CHECK_EQ(fi_inject_writedata(p.a.ep, sbuf, 100, 7, p.a.peer, 0, KEY), 0);
	CHECK(rma_told(7, 100));
	CHECK_EQ(rma_msg(true, sbuf, 200, 0, KEY, 8, FI_REMOTE_CQ_DATA), 0);
	CHECK(rma_told(1008, 200));
	CHECK(rma_done(8, true));
	CHECK_EQ(rma_msg(true, sbuf, 200, 0, KEY, 9, 0), 0);
	CHECK(rma_done(9, true));
	CHECK_EQ(rma_msg(false, sbuf, 200, 0, KEY, 9, FI_REMOTE_CQ_DATA), -FI_EINVAL);
	return !fi_close(&mr->fid);
}

static bool doorbell(void)
{
	CHECK_EQ(fi_writedata(p.a.ep, NULL, 0, NULL, 77, p.a.peer, ~0ULL, 999, ctx(1)), 0);
	CHECK(rma_told(77, 0));
	return rma_done(1, true);
}

static bool data_refused(void)
{
	CHECK_EQ(fi_writedata(p.a.ep, sbuf, 100, NULL, 77, p.a.peer, 0, 999, ctx(1)), 0);
	return rma_failed(1, true, FI_EACCES);
}

#define FULL	400

static bool data_queue_full(void)
{
	unsigned int i, done = 0;
	struct fid_mr *mr;

	CHECK(expose_all(&mr));
	for (i = 0; i < FULL; i++) {
		while (fi_writedata(p.a.ep, sbuf, 8, NULL, i, p.a.peer, 0, KEY, ctx(1)) ==
		       -FI_EAGAIN) {
			CHECK(rma_told(done, 8));
			done++;
		}
	}
	for (; done < FULL; done++)
		CHECK(rma_told(done, 8));
	for (i = 0; i < FULL; i++)
		CHECK(rma_done(1, true));
	return !fi_close(&mr->fid);
}

#define SELECTIVE .o.selective = true, .o.tx_flags = FI_COMPLETION

static const struct row rows[] = {
	ROW("RMA-01", ON_BOTH, "A write puts bytes at the peer's address, its program takes no part",
	    writes, RMA),
	ROW("RMA-02", ON_BOTH, "A read brings remote bytes into the local buffer", reads, RMA),
	ROW("RMA-03", ON_BOTH, "Segments are used front to back, up to iov_limit", vectors, RMA),
	ROW("RMA-04", ON_BOTH, "Remote segments have keys of their own, up to rma_iov_limit",
	    messages, RMA),
	ROW("RMA-05", ON_BOTH, "Local and remote lengths must agree", lengths_agree, RMA),
	ROW("RMA-06", ON_BOTH, "Operations have no boundaries", no_boundaries, RMA),
	ROW("RMA-07", ON_BOTH, "Without bytes memory and key are not looked at", no_bytes, RMA),
	ROW("RMA-08", ON_BOTH, "What is longer than max_msg_size is refused", too_long, RMA),
	ROW("RMA-09", ON_BOTH, "Each context comes back once", each_once, RMA),
	ROW("RMA-10", ON_BOTH, "Descriptors are accepted, and not needed", descriptors, RMA),
	ROW("RMA-11", ON_BOTH, "The destination is in the vector; a connection needs none",
	    destination, RMA),
	ROW("RMA-12", ON_BOTH, "Not before enable or connect, not without the capability", states,
	    RMA),
	ROW("RMA-13", ON_BOTH, "The directions narrow FI_RMA; none means all", narrowed, RMA),
	ROW("RMA-14", ON_RDM, "FI_RMA alone makes a usable endpoint", alone, .o.bare = true,
	    RMA_EVENTS),
	ROW("RMA-15", ON_BOTH, "Operations to itself, or within a domain, have the same results",
	    to_itself, RMA, .o.itself = true, .once = true),
	ROW("RMA-16", ON_BOTH, "Local buffers need no registration", any_memory, RMA),
	ROW("RMA-17", ON_BOTH, "A local buffer that is not there fails its operation only",
	    no_memory, RMA),
	ROW("RMA-18", ON_BOTH, "An alias has its own flags", aliases, RMA,
	    .o.selective = true),
	ROW("RMA-18b", ON_RDM, "Endpoints of shared contexts do remote memory access",
	    shared_contexts, RMA, .once = true),
	ROW("RMA-19", ON_BOTH, "The buffer of an inject is free at once, and no entry comes",
	    injects, RMA, .o.counters = true, .o.tx_count = FI_WRITE),
	ROW("RMA-20", ON_BOTH, "A failed inject is told", inject_fails, RMA, .o.counters = true,
	    .o.tx_count = FI_WRITE),
	ROW("RMA-21", ON_BOTH, "FI_INJECT frees the buffer at once, and has no effect on reads",
	    inject_flag, RMA),
	ROW("RMA-22", ON_BOTH, "Remote completion data come with an entry at the target", data,
	    RMA),
	ROW("RMA-23", ON_BOTH, "Remote completion data take no receive", data_takes_none, RMA),
	ROW("RMA-24", ON_BOTH, "The target's entry means that the bytes are there, on a bad link too",
	    data_late, RMA),
	ROW("RMA-25", ON_BOTH, "Injects have remote completion data; reads have none", data_forms,
	    RMA),
	ROW("RMA-26", ON_BOTH, "Remote completion data without bytes are a doorbell", doorbell,
	    RMA),
	ROW("RMA-27", ON_BOTH, "Lengths and buffers are those of the bytes, in prefix mode too",
	    data, RMA, .o.mode = FI_MSG_PREFIX),
	ROW("RMA-28", ON_BOTH, "The target's entry does not depend on selective completion", data,
	    RMA, SELECTIVE),
	ROW("RMA-29", ON_BOTH, "A full completion queue loses no remote completion data",
	    data_queue_full, RMA, .o.cq_size = 64),
	ROW("RMA-30", ON_BOTH, "A refused write leaves no entry at the target", data_refused, RMA),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
