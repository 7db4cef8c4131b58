// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Wrong arguments: each call gives the documented error, says in the log what is wrong, and leaves
 * everything as it was. TIMEOUT: 120
 */
#include <stdlib.h>
#include <string.h>
#include "fipair.h"
#include "flog.h"

static struct pair p;
static bool apart;
static uint8_t buf[4096];

/* The call whose result is @got is refused as it should be, and the log says something about it. */
static bool refused(const char *call, long long got, long long want)
{
	char text[64];
	bool said = flog_text(text, sizeof(text));

	flog_clear();
	if (got != want)
		printf("# %s: %lld (%s), expected %lld (%s)\n", call, got, fi_strerror(-got), want,
		       fi_strerror(-want));
	else if (!said)
		printf("# %s: nothing in the log\n", call);
	return got == want && said;
}

#define BAD(call, want) (ok &= refused(#call, (call), (want)))

static bool begin(enum fi_ep_type type, uint64_t caps)
{
	struct opts o = { .type = type, .apart = apart, .caps = caps };

	if (!pair_open(&p, &o))
		return false;
	flog_clear();
	return true;
}

/* what moved before still moves */
static bool still_works(void)
{
	struct fi_cq_tagged_entry c;

	CHECK(quiet(p.a.txcq) && quiet(p.b.rxcq));
	CHECK_EQ(fi_recv(p.b.ep, buf, 64, NULL, FI_ADDR_UNSPEC, &p), 0);
	CHECK_EQ(fi_send(p.a.ep, buf, 64, NULL, p.a.peer, &p), 0);
	CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
	CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
	return true;
}

static bool openings(void)
{
	struct fi_fabric_attr fattr = { .name = (char *)"another", .prov_name = (char *)"weft" };
	struct fi_cq_attr cq = { .format = 99 };
	struct fi_eq_attr eq = { .flags = FI_SEND };
	struct fi_av_attr av = { .type = 9 };
	struct fi_poll_attr poll = { .flags = 1 };
	struct fi_wait_attr wait = { .wait_obj = FI_WAIT_NONE };
	struct fi_info *info, *bare;
	struct fid_fabric *fabric;
	struct fid_domain *dom;
	struct fid_poll *poll_set;
	struct fid_wait *set;
	struct fid_pep *pep;
	struct fid_ep *ep;
	struct fid_cq *c;
	struct fid_eq *e;
	struct fid_av *v;
	bool ok = true;

	CHECK(begin(FI_EP_RDM, 0));
	bare = fi_allocinfo();
	info = fi_dupinfo(p.a.info);
	CHECK(info && bare);
	BAD(fi_fabric(&fattr, &fabric, NULL), -FI_EINVAL);
	BAD(fi_domain(p.a.fabric, NULL, &dom, NULL), -FI_EINVAL);
	BAD(fi_domain(p.a.fabric, bare, &dom, NULL), -FI_EINVAL);
	BAD(fi_eq_open(p.a.fabric, NULL, &e, NULL), -FI_EINVAL);
	BAD(fi_eq_open(p.a.fabric, &eq, &e, NULL), -FI_EBADFLAGS);
	eq.flags = 0;
	eq.wait_obj = FI_WAIT_MUTEX_COND;
	BAD(fi_eq_open(p.a.fabric, &eq, &e, NULL), -FI_ENOSYS);
	BAD(fi_wait_open(p.a.fabric, NULL, &set), -FI_EINVAL);
	BAD(fi_wait_open(p.a.fabric, &wait, &set), -FI_EINVAL);
	BAD(fi_passive_ep(p.a.fabric, p.a.info, &pep, NULL), -FI_EINVAL);
	BAD(fi_passive_ep(p.a.fabric, NULL, &pep, NULL), -FI_EINVAL);
	BAD(fi_cq_open(p.a.domain, NULL, &c, NULL), -FI_EINVAL);
	BAD(fi_cq_open(p.a.domain, &cq, &c, NULL), -FI_EINVAL);
	cq.format = FI_CQ_FORMAT_MSG;
	cq.flags = FI_SEND;
	BAD(fi_cq_open(p.a.domain, &cq, &c, NULL), -FI_EBADFLAGS);
	cq.flags = 0;
	cq.wait_cond = 7;
	BAD(fi_cq_open(p.a.domain, &cq, &c, NULL), -FI_EINVAL);
	cq.wait_cond = FI_CQ_COND_NONE;
	cq.wait_obj = FI_WAIT_SET;
	BAD(fi_cq_open(p.a.domain, &cq, &c, NULL), -FI_EINVAL);
	cq.wait_obj = FI_WAIT_MUTEX_COND;
	BAD(fi_cq_open(p.a.domain, &cq, &c, NULL), -FI_ENOSYS);
	BAD(fi_av_open(p.a.domain, NULL, &v, NULL), -FI_EINVAL);
	BAD(fi_av_open(p.a.domain, &av, &v, NULL), -FI_EINVAL);
	BAD(fi_poll_open(p.a.domain, &poll, &poll_set), -FI_EBADFLAGS);
	BAD(fi_endpoint(p.a.domain, NULL, &ep, NULL), -FI_EINVAL);
	info->ep_attr->type = FI_EP_SOCK_STREAM;
	BAD(fi_endpoint(p.a.domain, info, &ep, NULL), -FI_EINVAL);
	info->ep_attr->type = FI_EP_RDM;
	info->ep_attr->tx_ctx_cnt = 2;
	BAD(fi_endpoint(p.a.domain, info, &ep, NULL), -FI_EINVAL);
	info->ep_attr->tx_ctx_cnt = 1;
	info->handle = &p.a.domain->fid;
	BAD(fi_endpoint(p.a.domain, info, &ep, NULL), -FI_EINVAL);
	info->handle = NULL;
	free(info->domain_attr->name);
	info->domain_attr->name = strdup("another");
	BAD(fi_endpoint(p.a.domain, info, &ep, NULL), -FI_EINVAL);
	fi_freeinfo(info);
	fi_freeinfo(bare);
	return still_works() && ok;
}

static bool closings(void)
{
	bool ok = true;

	CHECK(begin(FI_EP_RDM, 0));
	BAD(fi_close(&p.a.fabric->fid), -FI_EBUSY);
	BAD(fi_close(&p.a.domain->fid), -FI_EBUSY);
	BAD(fi_close(&p.a.txcq->fid), -FI_EBUSY);
	BAD(fi_close(&p.a.av->fid), -FI_EBUSY);
	return still_works() && ok;
}

static bool bindings(void)
{
	struct fi_cq_attr cq = { .format = FI_CQ_FORMAT_MSG };
	struct fid_ep *ep;
	struct fid_cq *c;
	bool ok = true;

	CHECK(begin(FI_EP_RDM, 0));
	BAD(fi_ep_bind(p.a.ep, &p.a.txcq->fid, FI_TRANSMIT), -FI_EOPBADSTATE);
	BAD(fi_enable(p.a.ep), -FI_EOPBADSTATE);
	CHECK_EQ(fi_endpoint(p.a.domain, p.a.info, &ep, NULL), 0);
	BAD(fi_ep_bind(ep, NULL, 0), -FI_EINVAL);
	BAD(fi_ep_bind(ep, &p.a.domain->fid, 0), -FI_EINVAL);
	BAD(fi_ep_bind(ep, &p.a.txcq->fid, 0), -FI_EINVAL);
	BAD(fi_ep_bind(ep, &p.a.txcq->fid, FI_TRANSMIT | FI_PEEK), -FI_EBADFLAGS);
	BAD(fi_ep_bind(ep, &p.a.av->fid, FI_SEND), -FI_EBADFLAGS);
	BAD(fi_ep_bind(ep, &p.a.eq->fid, FI_SEND), -FI_EBADFLAGS);
	BAD(fi_ep_bind(ep, &p.b.txcq->fid, FI_TRANSMIT), -FI_EDOMAIN);
	BAD(fi_ep_bind(ep, &p.b.av->fid, 0), -FI_EDOMAIN);
	BAD(fi_ep_bind(ep, &p.b.eq->fid, 0), -FI_EDOMAIN);
	BAD(fi_enable(ep), -FI_ENOCQ);
	CHECK_EQ(fi_cq_open(p.a.domain, &cq, &c, NULL), 0);
	CHECK_EQ(fi_ep_bind(ep, &c->fid, FI_TRANSMIT), 0);
	BAD(fi_ep_bind(ep, &p.a.txcq->fid, FI_TRANSMIT), -FI_EINVAL);
	BAD(fi_enable(ep), -FI_ENOCQ);
	CHECK_EQ(fi_ep_bind(ep, &c->fid, FI_RECV), 0);
	BAD(fi_enable(ep), -FI_ENOAV);
	BAD(fi_cancel(&ep->fid, &p), -FI_EOPBADSTATE);
	CHECK_EQ(fi_ep_bind(ep, &p.a.av->fid, 0), 0);
	BAD(fi_ep_bind(ep, &p.a.av->fid, 0), -FI_EINVAL);
	BAD(fi_send(ep, buf, 8, NULL, p.a.peer, &p), -FI_EOPBADSTATE);
	BAD(fi_recv(ep, buf, 8, NULL, p.a.peer, &p), -FI_EOPBADSTATE);
	CHECK_EQ(fi_enable(ep), 0);
	CHECK_EQ(fi_close(&ep->fid), 0);
	CHECK_EQ(fi_close(&c->fid), 0);
	return still_works() && ok;
}

static bool controls(void)
{
	uint64_t flags = 0;
	size_t len = 1, value = 0;
	bool ok = true;
	void *none = NULL;

	CHECK(begin(FI_EP_RDM, 0));
	BAD(fi_control(&p.a.ep->fid, 12345, &flags), -FI_ENOSYS);
	BAD(fi_control(&p.a.ep->fid, FI_GETOPSFLAG, none), -FI_EINVAL);
	BAD(fi_control(&p.a.ep->fid, FI_GETOPSFLAG, &flags), -FI_EINVAL);
	flags = FI_TRANSMIT | FI_RMA_EVENT;
	BAD(fi_control(&p.a.ep->fid, FI_SETOPSFLAG, &flags), -FI_EBADFLAGS);
	BAD(fi_control(&p.a.txcq->fid, FI_GETWAIT, none), -FI_EINVAL);
	BAD(fi_control(&p.a.txcq->fid, FI_BACKLOG, &flags), -FI_ENOSYS);
	BAD(fi_getopt(&p.a.ep->fid, FI_OPT_ENDPOINT, 999, &value, &len), -FI_ENOPROTOOPT);
	BAD(fi_getopt(&p.a.ep->fid, 999, FI_OPT_CM_DATA_SIZE, &value, &len), -FI_ENOPROTOOPT);
	BAD(fi_getopt(&p.a.ep->fid, FI_OPT_ENDPOINT, FI_OPT_CM_DATA_SIZE, &value, NULL),
	    -FI_EINVAL);
	BAD(fi_setopt(&p.a.ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &value, 1),
	    -FI_EINVAL);
	BAD(fi_setopt(&p.a.ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, NULL, 8), -FI_EINVAL);
	BAD(fi_getname(&p.a.ep->fid, buf, NULL), -FI_EINVAL);
	BAD(fi_setname(&p.a.ep->fid, buf, 16), -FI_EOPBADSTATE);
	return still_works() && ok;
}

static bool queues(void)
{
	struct fid *fids[1];
	struct fi_cq_tagged_entry c;
	uint32_t type;
	bool ok = true;

	CHECK(begin(FI_EP_RDM, 0));
	fids[0] = &p.a.domain->fid;
	BAD(fi_cq_read(p.a.txcq, NULL, 1), -FI_EINVAL);
	BAD(fi_cq_readerr(p.a.txcq, NULL, 0), -FI_EINVAL);
	BAD(fi_trywait(p.a.fabric, fids, 1), -FI_EINVAL);
	BAD(fi_trywait(p.a.fabric, NULL, 1), -FI_EINVAL);
	BAD(fi_trywait(p.a.fabric, fids, -1), -FI_EINVAL);
	BAD(fi_eq_write(p.a.eq, FI_NOTIFY, buf, 8, 0), -FI_EINVAL);
	CHECK_EQ(fi_cq_read(p.a.txcq, &c, 1), -FI_EAGAIN);
	CHECK_EQ(fi_eq_read(p.a.eq, &type, buf, sizeof(buf), 0), -FI_EAGAIN);
	return still_works() && ok;
}

static bool addresses(void)
{
	fi_addr_t at, odd = 4000;
	size_t len = 0;
	bool ok = true;

	CHECK(begin(FI_EP_RDM, 0));
	BAD(fi_av_insert(p.a.av, NULL, 1, &at, 0, NULL), -FI_EINVAL);
	BAD(fi_av_insert(p.a.av, buf, 1, &at, FI_PEEK, NULL), -FI_EBADFLAGS);
	BAD(fi_av_insert(p.a.av, buf, 1, &at, FI_SYNC_ERR, NULL), -FI_EINVAL);
	BAD(fi_av_insertsvc(p.a.av, NULL, "1", &at, 0, NULL), -FI_EINVAL);
	BAD(fi_av_insertsvc(p.a.av, "10.77.0.1", NULL, &at, 0, NULL), -FI_EINVAL);
	BAD(fi_av_insertsym(p.a.av, "10.77.0.1", 1, "x", 1, &at, 0, NULL), -FI_EINVAL);
	BAD(fi_av_insertsym(p.a.av, NULL, 1, "1", 1, &at, 0, NULL), -FI_EINVAL);
	BAD(fi_av_remove(p.a.av, NULL, 1, 0), -FI_EINVAL);
	BAD(fi_av_remove(p.a.av, &odd, 1, 0), -FI_EINVAL);
	BAD(fi_av_remove(p.a.av, &p.a.peer, 1, FI_PEEK), -FI_EBADFLAGS);
	BAD(fi_av_lookup(p.a.av, odd, buf, &len), -FI_EINVAL);
	BAD(fi_av_lookup(p.a.av, p.a.peer, buf, NULL), -FI_EINVAL);
	CHECK(!fi_av_straddr(p.a.av, NULL, (char *)buf, &len));
	return still_works() && ok;
}

static bool memory(void)
{
	struct iovec iov[9] = { { buf, 8 } };
	struct fi_mr_attr attr = { .mr_iov = iov, .iov_count = 1, .iface = 77, .access = FI_SEND };
	struct fid_mr *mr, *second;
	bool ok = true;

	CHECK(begin(FI_EP_RDM, 0));
	BAD(fi_mr_regattr(p.a.domain, NULL, 0, &mr), -FI_EINVAL);
	BAD(fi_mr_regattr(p.a.domain, &attr, 0, &mr), -FI_ENOSYS);
	BAD(fi_mr_regv(p.a.domain, iov, 0, FI_SEND, 0, 1, 0, &mr, NULL), -FI_EINVAL);
	BAD(fi_mr_regv(p.a.domain, NULL, 1, FI_SEND, 0, 1, 0, &mr, NULL), -FI_EINVAL);
	BAD(fi_mr_regv(p.a.domain, iov, 9, FI_SEND, 0, 1, 0, &mr, NULL), -FI_EINVAL);
	BAD(fi_mr_reg(p.a.domain, buf, 8, FI_SEND, 0, 1, FI_PEEK, &mr, NULL), -FI_EBADFLAGS);
	CHECK_EQ(fi_mr_reg(p.a.domain, buf, 8, FI_SEND, 0, 77, 0, &mr, NULL), 0);
	BAD(fi_mr_reg(p.a.domain, buf, 8, FI_SEND, 0, 77, 0, &second, NULL), -FI_ENOKEY);
	CHECK_EQ(fi_close(&mr->fid), 0);
	return still_works() && ok;
}

static bool messages(enum fi_ep_type type)
{
	struct iovec iov[33] = { { buf, 8 } };
	struct fi_msg m = { .msg_iov = iov, .iov_count = 1 };
	struct fi_msg_tagged t = { .msg_iov = iov, .iov_count = 1 };
	size_t inject, longest, n;
	struct fid_ep *ep;
	fi_addr_t to;
	bool ok = true;

	CHECK(begin(type, FI_MULTI_RECV));
	ep = p.a.ep;
	to = p.a.peer;
	m.addr = to;
	t.addr = to;
	inject = p.a.info->tx_attr->inject_size;
	longest = p.a.info->ep_attr->max_msg_size;
	n = p.a.info->tx_attr->iov_limit + 1;
	BAD(fi_sendmsg(ep, NULL, 0), -FI_EINVAL);
	BAD(fi_recvmsg(ep, NULL, 0), -FI_EINVAL);
	BAD(fi_tsendmsg(ep, NULL, 0), -FI_EINVAL);
	BAD(fi_trecvmsg(ep, NULL, 0), -FI_EINVAL);
	BAD(fi_sendv(ep, NULL, NULL, 1, to, &p), -FI_EINVAL);
	BAD(fi_recvv(ep, NULL, NULL, 1, to, &p), -FI_EINVAL);
	BAD(fi_tsendv(ep, NULL, NULL, 1, to, 1, &p), -FI_EINVAL);
	BAD(fi_trecvv(ep, NULL, NULL, 1, to, 1, 0, &p), -FI_EINVAL);
	BAD(fi_sendv(ep, iov, NULL, n, to, &p), -FI_EINVAL);
	BAD(fi_recvv(ep, iov, NULL, n, to, &p), -FI_EINVAL);
	BAD(fi_sendmsg(ep, &m, FI_PEEK), -FI_EBADFLAGS);
	BAD(fi_recvmsg(ep, &m, FI_PEEK), -FI_EBADFLAGS);
	BAD(fi_recvmsg(ep, &m, FI_CLAIM), -FI_EINVAL);
	BAD(fi_recvmsg(ep, &m, FI_DISCARD), -FI_EINVAL);
	BAD(fi_trecvmsg(ep, &t, FI_REMOTE_READ), -FI_EBADFLAGS);
	BAD(fi_trecvmsg(ep, &t, FI_MULTI_RECV), -FI_EBADFLAGS);
	BAD(fi_trecvmsg(ep, &t, FI_DISCARD), -FI_EINVAL);
	BAD(fi_trecvmsg(ep, &t, FI_CLAIM), -FI_EINVAL);
	BAD(fi_trecvmsg(ep, &t, FI_PEEK | FI_CLAIM | FI_DISCARD), -FI_EINVAL);
	BAD(fi_recvmsg(ep, &m, FI_MULTI_RECV), -FI_EINVAL);
	BAD(fi_send(ep, buf, longest + 1, NULL, to, &p), -FI_EMSGSIZE);
	BAD(fi_tsend(ep, buf, longest + 1, NULL, to, 1, &p), -FI_EMSGSIZE);
	BAD(fi_inject(ep, buf, inject + 1, to), -FI_EMSGSIZE);
	BAD(fi_tinject(ep, buf, inject + 1, to, 1), -FI_EMSGSIZE);
	if (type == FI_EP_RDM) {
		BAD(fi_send(ep, buf, 8, NULL, 4000, &p), -FI_EINVAL);
		BAD(fi_send(ep, buf, 8, NULL, FI_ADDR_UNSPEC, &p), -FI_EINVAL);
		BAD(fi_inject(ep, buf, 8, FI_ADDR_NOTAVAIL), -FI_EINVAL);
		BAD(fi_tsend(ep, buf, 8, NULL, 4000, 1, &p), -FI_EINVAL);
	}
	return still_works() && ok;
}

static bool rdm_messages(void)
{
	return messages(FI_EP_RDM);
}

static bool msg_messages(void)
{
	return messages(FI_EP_MSG);
}

static const struct check cases[] = {
	{ "openings", openings },	  { "closings", closings },
	{ "bindings", bindings },	  { "controls", controls },
	{ "queues", queues },		  { "addresses", addresses },
	{ "memory", memory },		  { "rdm_messages", rdm_messages },
	{ "msg_messages", msg_messages },
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
