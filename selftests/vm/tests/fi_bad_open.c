// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Wrong arguments of calls that open objects, and of calls that all objects have
 *
 * The cases are: no place for the object, no attributes, invalid attributes, flags, handles of
 * another kind, bad memory. Each call returns the documented error, logs what is wrong, and changes
 * nothing.
 * TIMEOUT: 120
 */
#include <stdlib.h>
#include <string.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_collective.h>
#include "bad.h"
#include "fipair.h"
#include "flog.h"

static struct pair p;
static bool apart;
static uint8_t buf[4096];

static bool of_nothing(void)
{
	struct fi_fabric_attr none = { .prov_name = (char *)"weft" };
	struct fid_fabric *fabric;
	struct fi_info *bare;
	struct fid_domain *dom;
	struct fid_pep *pep;
	struct fid_ep *ep;
	bool ok = true;

	CHECK(bad_begin(&p, apart, FI_EP_RDM, 0));
	bare = fi_allocinfo();
	CHECK(bare);
	/* without the names libfabric asks no provider */
	CHECK_EQ(fi_fabric(NULL, &fabric, NULL), -FI_EINVAL);
	CHECK_EQ(fi_fabric(&none, &fabric, NULL), -FI_EINVAL);
	BAD(fi_domain2(p.a.fabric, bare, &dom, 0, NULL), -FI_EINVAL);
	BAD(fi_domain2(p.a.fabric, NULL, &dom, 0, NULL), -FI_EINVAL);
	BAD(fi_domain2(p.a.fabric, p.a.info, &dom, 1, NULL), -FI_ENOSYS);
	BAD(fi_endpoint2(p.a.domain, p.a.info, &ep, 1, NULL), -FI_ENOSYS);
	BAD(fi_endpoint2(p.a.domain, NULL, &ep, 0, NULL), -FI_EINVAL);
	BAD(fi_endpoint(p.a.domain, bare, &ep, NULL), -FI_EINVAL);
	BAD(fi_scalable_ep(p.a.domain, NULL, &ep, NULL), -FI_EINVAL);
	BAD(fi_scalable_ep(p.a.domain, bare, &ep, NULL), -FI_EINVAL);
	BAD(fi_passive_ep(p.a.fabric, bare, &pep, NULL), -FI_EINVAL);
	bare->ep_attr->type = FI_EP_MSG;
	BAD(fi_passive_ep(p.a.fabric, bare, &pep, NULL), -FI_EINVAL);
	fi_freeinfo(bare);
	bare = calloc(1, sizeof(*bare));
	CHECK(bare);
	BAD(fi_domain(p.a.fabric, bare, &dom, NULL), -FI_EINVAL);
	BAD(fi_endpoint(p.a.domain, bare, &ep, NULL), -FI_EINVAL);
	BAD(fi_scalable_ep(p.a.domain, bare, &ep, NULL), -FI_EINVAL);
	BAD(fi_passive_ep(p.a.fabric, bare, &pep, NULL), -FI_EINVAL);
	free(bare);
	return bad_still_works(&p) && ok;
}

/* no place for the object: refused, whatever else is right */
static bool nowhere(void)
{
	struct fi_fabric_attr fattr = *p.a.info->fabric_attr;
	struct fi_wait_attr wait = { .wait_obj = FI_WAIT_UNSPEC };
	struct fi_av_attr av = { .type = FI_AV_TABLE };
	struct fi_cntr_attr cntr = { .events = FI_CNTR_EVENTS_COMP };
	struct fi_cq_attr cq = { .format = FI_CQ_FORMAT_MSG };
	struct fi_eq_attr eq = { .wait_obj = FI_WAIT_UNSPEC };
	struct fid_domain *d = p.a.domain;
	struct fid_fabric *f = p.a.fabric;
	struct fi_info *info = fi_dupinfo(p.a.info);
	struct iovec iov = { buf, 8 };
	struct fi_mr_attr mr = { .mr_iov = &iov, .iov_count = 1, .access = FI_SEND };
	struct fid_ep *sep;
	bool ok = true;

	CHECK(info);
	BAD(fi_fabric(&fattr, NULL, NULL), -FI_EINVAL);
	BAD(fi_domain(f, info, NULL, NULL), -FI_EINVAL);
	BAD(fi_domain2(f, info, NULL, 0, NULL), -FI_EINVAL);
	BAD(fi_eq_open(f, &eq, NULL, NULL), -FI_EINVAL);
	BAD(fi_wait_open(f, &wait, NULL), -FI_EINVAL);
	BAD(fi_av_open(d, &av, NULL, NULL), -FI_EINVAL);
	BAD(fi_cq_open(d, &cq, NULL, NULL), -FI_EINVAL);
	BAD(fi_cntr_open(d, &cntr, NULL, NULL), -FI_EINVAL);
	BAD(fi_poll_open(d, NULL, NULL), -FI_EINVAL);
	BAD(fi_stx_context(d, NULL, NULL, NULL), -FI_EINVAL);
	BAD(fi_srx_context(d, NULL, NULL, NULL), -FI_EINVAL);
	BAD(fi_mr_reg(d, buf, 8, FI_SEND, 0, 5, 0, NULL, NULL), -FI_EINVAL);
	BAD(fi_mr_regv(d, &iov, 1, FI_SEND, 0, 5, 0, NULL, NULL), -FI_EINVAL);
	BAD(fi_mr_regattr(d, &mr, 0, NULL), -FI_EINVAL);
	free(info->src_addr);
	info->src_addr = NULL;
	info->src_addrlen = 0;
	BAD(fi_endpoint(d, info, NULL, NULL), -FI_EINVAL);
	BAD(fi_endpoint2(d, info, NULL, 0, NULL), -FI_EINVAL);
	BAD(fi_scalable_ep(d, info, NULL, NULL), -FI_EINVAL);
	if (info->ep_attr->type == FI_EP_RDM) {
		CHECK_EQ(fi_scalable_ep(d, info, &sep, NULL), 0);
		BAD(fi_tx_context(sep, 0, NULL, NULL, NULL), -FI_EINVAL);
		BAD(fi_rx_context(sep, 0, NULL, NULL, NULL), -FI_EINVAL);
		CHECK_EQ(fi_close(&sep->fid), 0);
	}
	info->ep_attr->type = FI_EP_MSG;
	BAD(fi_passive_ep(f, info, NULL, NULL), -FI_EINVAL);
	fi_freeinfo(info);
	return bad_still_works(&p) && ok;
}

static bool nowhere_rdm(void)
{
	return bad_begin(&p, apart, FI_EP_RDM, 0) && nowhere();
}

static bool nowhere_msg(void)
{
	return bad_begin(&p, apart, FI_EP_MSG, 0) && nowhere();
}

static bool attributes(void)
{
	struct fi_wait_attr wait = { .wait_obj = FI_WAIT_UNSPEC, .flags = 1 };
	struct fi_av_attr av = { .type = FI_AV_TABLE, .flags = FI_SEND };
	struct fi_cq_attr cq = { .format = FI_CQ_FORMAT_MSG, .wait_obj = 99 };
	struct fi_eq_attr eq = { .wait_obj = FI_WAIT_SET };
	struct fi_tx_attr tx = { .inject_size = 1u << 20 };
	struct fi_rx_attr rx = { .iov_limit = 99 };
	struct fid_wait *set;
	struct fid_stx *stx;
	struct fid_ep *srx;
	struct fid_cq *c;
	struct fid_eq *e;
	struct fid_av *v;
	bool ok = true;

	CHECK(bad_begin(&p, apart, FI_EP_RDM, 0));
	BAD(fi_wait_open(p.a.fabric, &wait, &set), -FI_EBADFLAGS);
	wait.flags = 0;
	wait.wait_obj = FI_WAIT_SET;
	BAD(fi_wait_open(p.a.fabric, &wait, &set), -FI_EINVAL);
	wait.wait_obj = FI_WAIT_MUTEX_COND;
	BAD(fi_wait_open(p.a.fabric, &wait, &set), -FI_ENOSYS);
	wait.wait_obj = 99;
	BAD(fi_wait_open(p.a.fabric, &wait, &set), -FI_ENOSYS);
	BAD(fi_cq_open(p.a.domain, &cq, &c, NULL), -FI_ENOSYS);
	BAD(fi_eq_open(p.a.fabric, &eq, &e, NULL), -FI_EINVAL);
	wait.wait_obj = FI_WAIT_FD;
	CHECK_EQ(fi_wait_open(p.b.fabric, &wait, &set), 0);
	eq.wait_set = set;
	BAD(fi_eq_open(p.a.fabric, &eq, &e, NULL), -FI_EINVAL);
	cq.wait_obj = FI_WAIT_SET;
	cq.wait_set = set;
	BAD(fi_cq_open(p.a.domain, &cq, &c, NULL), -FI_EINVAL);
	cq.wait_set = (struct fid_wait *)p.a.av;
	BAD(fi_cq_open(p.a.domain, &cq, &c, NULL), -FI_EINVAL);
	CHECK_EQ(fi_close(&set->fid), 0);
	BAD(fi_av_open(p.a.domain, &av, &v, NULL), -FI_EBADFLAGS);
	av.flags = FI_READ;
	BAD(fi_av_open(p.a.domain, &av, &v, NULL), -FI_EINVAL);
	av.flags = 0;
	av.rx_ctx_bits = 40;
	BAD(fi_av_open(p.a.domain, &av, &v, NULL), -FI_EINVAL);
	BAD(fi_stx_context(p.a.domain, &tx, &stx, NULL), -FI_EINVAL);
	BAD(fi_srx_context(p.a.domain, &rx, &srx, NULL), -FI_EINVAL);
	BAD(fi_query_atomic(p.a.domain, FI_INT32, FI_SUM, NULL, 1), -FI_EBADFLAGS);
	BAD(fi_query_collective(p.a.domain, FI_BARRIER, NULL, 0), -FI_EOPNOTSUPP);
	return bad_still_works(&p) && ok;
}

/* bad memory */
static bool no_memory(void)
{
	struct iovec iov[2] = { { buf, 8 }, { (void *)8, 4096 } };
	struct fid_mr *mr;
	bool ok = true;

	CHECK(bad_begin(&p, apart, FI_EP_RDM, 0));
	BAD(fi_mr_reg(p.a.domain, NULL, 4096, FI_RECV, 0, 1, 0, &mr, NULL), -FI_EFAULT);
	BAD(fi_mr_regv(p.a.domain, iov, 2, FI_RECV, 0, 1, 0, &mr, NULL), -FI_EFAULT);
	return bad_still_works(&p) && ok;
}

/* Remote memory access of an endpoint without the capability, or with wrong arguments */
static bool remote_memory(uint64_t caps)
{
	struct fi_rma_iov rem = { .len = 8 };
	struct iovec iov = { buf, 8 };
	struct fi_msg_rma m = {
		.msg_iov = &iov, .iov_count = 1, .rma_iov = &rem, .rma_iov_count = 1,
	};
	int want = caps ? -FI_EINVAL : -FI_EOPNOTSUPP;
	struct fid_ep *ep;
	fi_addr_t to;
	bool ok = true;

	CHECK(bad_begin(&p, apart, FI_EP_RDM, caps));
	ep = p.a.ep;
	to = caps ? 4000 : p.a.peer;
	m.addr = to;
	BAD(fi_read(ep, buf, 8, NULL, to, 0, 1, &p), want);
	BAD(fi_readv(ep, &iov, NULL, 1, to, 0, 1, &p), want);
	BAD(fi_readmsg(ep, &m, 0), want);
	BAD(fi_write(ep, buf, 8, NULL, to, 0, 1, &p), want);
	BAD(fi_writev(ep, &iov, NULL, 1, to, 0, 1, &p), want);
	BAD(fi_writemsg(ep, &m, 0), want);
	BAD(fi_inject_write(ep, buf, 8, to, 0, 1), want);
	BAD(fi_writedata(ep, buf, 8, NULL, 1, to, 0, 1, &p), want);
	BAD(fi_inject_writedata(ep, buf, 8, 1, to, 0, 1), want);
	BAD(fi_readmsg(ep, NULL, 0), -FI_EINVAL);
	BAD(fi_writemsg(ep, NULL, 0), -FI_EINVAL);
	return bad_still_works(&p) && ok;
}

static bool no_capability(void)
{
	return remote_memory(0);
}

static bool no_peer(void)
{
	return remote_memory(FI_RMA);
}

/* calls that no object supports, tried on each */
static bool of_all(void)
{
	struct fid *fids[] = {
		&p.a.fabric->fid, &p.a.domain->fid, &p.a.av->fid, &p.a.txcq->fid, &p.a.eq->fid,
		&p.a.ep->fid,
	};
	void *ops = NULL;
	bool ok = true;
	size_t i;

	for (i = 0; i < sizeof(fids) / sizeof(fids[0]); i++) {
		BAD(fi_open_ops(fids[i], "none", 0, &ops, NULL), -FI_ENOSYS);
		BAD(fi_open_ops(fids[i], NULL, 0, NULL, NULL), -FI_ENOSYS);
		BAD(fi_set_ops(fids[i], "none", 0, NULL, NULL), -FI_ENOSYS);
		BAD(fids[i]->ops->tostr(fids[i], (char *)buf, 8), -FI_ENOSYS);
		BAD(fi_control(fids[i], 4711, buf), -FI_ENOSYS);
	}
	BAD(p.a.fabric->fid.ops->bind(&p.a.fabric->fid, &p.a.eq->fid, 0), -FI_ENOSYS);
	BAD(p.a.txcq->fid.ops->bind(&p.a.txcq->fid, &p.a.eq->fid, 0), -FI_ENOSYS);
	BAD(p.a.eq->fid.ops->bind(&p.a.eq->fid, &p.a.eq->fid, 0), -FI_ENOSYS);
	BAD(fi_domain_bind(p.a.domain, NULL, 0), -FI_ENOSYS);
	BAD(fi_ep_bind(p.a.ep, NULL, 0), -FI_EOPBADSTATE);
	BAD(fi_close(&p.a.domain->fid), -FI_EBUSY);
	BAD(fi_trywait(p.a.fabric, (struct fid **)&ops, 1), -FI_EINVAL);
	return bad_still_works(&p) && ok;
}

static bool asked_of_all(void)
{
	return bad_begin(&p, apart, FI_EP_RDM, 0) && of_all();
}

static const char *const of_fids[] = {
	"fi_close", "bind", "fi_control", "fi_open_ops", "tostr", "fi_set_ops",
};

static const char *const of_fabrics[] = {
	"fi_domain", "fi_passive_ep", "fi_eq_open", "fi_wait_open", "fi_trywait", "fi_domain2",
};

static const char *const of_domains[] = {
	"fi_av_open", "fi_cq_open", "fi_endpoint", "fi_scalable_ep", "fi_cntr_open",
	"fi_poll_open", "fi_stx_context", "fi_srx_context", "fi_query_atomic",
	"fi_query_collective", "fi_endpoint2",
};

static const char *const of_rma[] = {
	"fi_read", "fi_readv", "fi_readmsg", "fi_write", "fi_writev", "fi_writemsg",
	"fi_inject_write", "fi_writedata", "fi_inject_writedata",
};

static const char *const of_regions[] = { "fi_mr_reg", "fi_mr_regv", "fi_mr_regattr" };

BAD_TABLE(of_fids, struct fi_ops, 0);
BAD_TABLE(of_fabrics, struct fi_ops_fabric, 0);
BAD_TABLE(of_domains, struct fi_ops_domain, 0);
BAD_TABLE(of_rma, struct fi_ops_rma, 0);
BAD_TABLE(of_regions, struct fi_ops_mr, 0);

/* The test has refused each call of these tables. */
static bool each_call(void)
{
	bool ok = true;

	ok &= BAD_EACH(of_fids);
	ok &= BAD_EACH(of_fabrics);
	ok &= BAD_EACH(of_domains);
	ok &= BAD_EACH(of_rma);
	ok &= BAD_EACH(of_regions);
	return ok;
}

static const struct check cases[] = {
	{ "of_nothing", of_nothing },	  { "nowhere_rdm", nowhere_rdm },
	{ "nowhere_msg", nowhere_msg },	  { "attributes", attributes },
	{ "no_memory", no_memory },	  { "no_capability", no_capability },
	{ "no_peer", no_peer },		  { "asked_of_all", asked_of_all },
	{ "each_call", each_call },
};

static void close_all(void)
{
	pair_close(&p);
}

int main(void)
{
	if (!flog_open("warn"))
		return 1;
	checks_run_everywhere(cases, sizeof(cases) / sizeof(cases[0]), &apart, close_all);
	return results_end();
}
