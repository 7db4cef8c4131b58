// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "looks.h"
#include "onesided.h"

#define DEAD_MS 10000	/* the default of this limit */
#define LAST 4000	/* context of operations that wait in this file */

bool expose(struct side *s, void *buf, size_t len, uint64_t access, uint64_t key,
	    struct fid_mr **mr)
{
	CHECK_EQ(fi_mr_reg(s->domain, buf, len, access, 0, key, 0, mr, NULL), 0);
	return true;
}

bool expose_all(struct fid_mr **mr)
{
	return expose(&p.b, rbuf, ROOM, BOTH_RIGHTS, KEY, mr);
}

ssize_t rma_msg(bool write, void *buf, size_t len, uint64_t addr, uint64_t key, unsigned int n,
		uint64_t flags)
{
	struct fi_rma_iov rem = { .addr = addr, .len = len, .key = key };
	struct iovec iov = { buf, len };
	struct fi_msg_rma m = {
		.msg_iov = &iov, .iov_count = 1, .addr = p.a.peer, .rma_iov = &rem,
		.rma_iov_count = 1, .context = ctx(n), .data = 1000 + n,
	};

	return write ? fi_writemsg(p.a.ep, &m, flags) : fi_readmsg(p.a.ep, &m, flags);
}

static uint64_t flags_of(bool write)
{
	return FI_RMA | (write ? FI_WRITE : FI_READ);
}

bool rma_done(unsigned int n, bool write)
{
	struct fi_cq_tagged_entry c;

	CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
	CHECK(c.op_context == ctx(n));
	CHECK_EQ(c.flags, flags_of(write));
	return true;
}

bool rma_ends(unsigned int count)
{
	struct fi_cq_tagged_entry c;

	while (count--)
		CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
	return true;
}

bool rma_failed(unsigned int n, bool write, int err)
{
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e;

	CHECK_EQ(completion(p.a.txcq, &c, NULL, &e), -FI_EAVAIL);
	CHECK_EQ(e.err, err);
	CHECK(e.op_context == (n ? ctx(n) : NULL));
	CHECK_EQ(e.flags, flags_of(write));
	CHECK_EQ(e.len, 0);
	return true;
}

bool rma_write(const void *buf, size_t len, uint64_t addr, uint64_t key)
{
	CHECK_EQ(fi_write(p.a.ep, buf, len, NULL, p.a.peer, addr, key, ctx(LAST)), 0);
	return rma_done(LAST, true);
}

bool rma_read(void *buf, size_t len, uint64_t addr, uint64_t key)
{
	CHECK_EQ(fi_read(p.a.ep, buf, len, NULL, p.a.peer, addr, key, ctx(LAST)), 0);
	return rma_done(LAST, false);
}

bool rma_told(uint64_t data, size_t len)
{
	fi_addr_t src = FI_ADDR_UNSPEC;
	struct fi_cq_tagged_entry c;

	CHECK_EQ(completion(p.b.rxcq, &c, &src, NULL), 1);
	CHECK(!c.op_context);
	CHECK_EQ(c.flags, FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA);
	CHECK_EQ(c.data, data);
	CHECK_EQ(c.len, len);
	if (p.o.type != FI_EP_MSG)
		CHECK_EQ(src, p.b.peer);
	return true;
}

bool cq_new(struct side *s, struct fid_cq **cq)
{
	struct fi_cq_attr attr = { .format = FI_CQ_FORMAT_TAGGED, .wait_obj = FI_WAIT_NONE };

	CHECK_EQ(fi_cq_open(s->domain, &attr, cq, NULL), 0);
	return true;
}

bool ep_new(struct side *s, struct fid_cq *cq, struct fid_ep **ep)
{
	CHECK_EQ(fi_endpoint(s->domain, s->info, ep, NULL), 0);
	CHECK_EQ(fi_ep_bind(*ep, &s->av->fid, 0), 0);
	CHECK_EQ(fi_ep_bind(*ep, &cq->fid, FI_TRANSMIT | FI_RECV), 0);
	CHECK_EQ(fi_enable(*ep), 0);
	return true;
}

/* A limit of both nodes' ports. */
static bool dead_after(unsigned int ms)
{
	return port_limit(0, "dead-ms", ms) && port_limit(1, "dead-ms", ms);
}

bool rma_on_link(bool (*run)(void), unsigned int dead_ms)
{
	struct fid_mr *mr;
	bool ok;

	if (!link_there())
		return pass_over("no link that can be cut");
	CHECK(expose_all(&mr));
	CHECK(!(p.a.info->caps & FI_RMA) || rma_read(sbuf, 8, 0, KEY));
	CHECK(!dead_ms || dead_after(dead_ms));
	ok = link_over(run());
	CHECK(!dead_ms || dead_after(DEAD_MS));
	return ok && !fi_close(&mr->fid);
}
