// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Wrong arguments: each call returns the documented error, logs what is wrong, and changes nothing.
 * TIMEOUT: 120
 */
#include <stdlib.h>
#include <string.h>
#include <rdma/fi_collective.h>
#include "bad.h"
#include "fipair.h"
#include "flog.h"

static struct pair p;
static bool apart;
static uint8_t buf[4096];

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

	CHECK(bad_begin(&p, apart, FI_EP_RDM, 0));
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
	return bad_still_works(&p) && ok;
}

static bool closings(void)
{
	bool ok = true;

	CHECK(bad_begin(&p, apart, FI_EP_RDM, 0));
	BAD(fi_close(&p.a.fabric->fid), -FI_EBUSY);
	BAD(fi_close(&p.a.domain->fid), -FI_EBUSY);
	BAD(fi_close(&p.a.txcq->fid), -FI_EBUSY);
	BAD(fi_close(&p.a.av->fid), -FI_EBUSY);
	return bad_still_works(&p) && ok;
}

static bool bindings(void)
{
	struct fi_cq_attr cq = { .format = FI_CQ_FORMAT_MSG };
	struct fid_ep *ep;
	struct fid_cq *c;
	bool ok = true;

	CHECK(bad_begin(&p, apart, FI_EP_RDM, 0));
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
	return bad_still_works(&p) && ok;
}

static bool controls(void)
{
	uint64_t flags = 0;
	size_t len = 1, value = 0;
	bool ok = true;
	void *none = NULL;

	CHECK(bad_begin(&p, apart, FI_EP_RDM, 0));
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
	return bad_still_works(&p) && ok;
}

static bool queues(void)
{
	struct fid *fids[1];
	struct fi_cq_tagged_entry c;
	uint32_t type;
	bool ok = true;

	CHECK(bad_begin(&p, apart, FI_EP_RDM, 0));
	fids[0] = &p.a.domain->fid;
	BAD(fi_cq_read(p.a.txcq, NULL, 1), -FI_EINVAL);
	BAD(fi_cq_readfrom(p.a.txcq, NULL, 1, NULL), -FI_EINVAL);
	BAD(fi_cq_readerr(p.a.txcq, NULL, 0), -FI_EINVAL);
	BAD(fi_trywait(p.a.fabric, fids, 1), -FI_EINVAL);
	BAD(fi_trywait(p.a.fabric, NULL, 1), -FI_EINVAL);
	BAD(fi_trywait(p.a.fabric, fids, -1), -FI_EINVAL);
	BAD(fi_eq_write(p.a.eq, FI_NOTIFY, buf, 8, 0), -FI_EINVAL);
	CHECK_EQ(fi_cq_read(p.a.txcq, &c, 1), -FI_EAGAIN);
	CHECK_EQ(fi_eq_read(p.a.eq, &type, buf, sizeof(buf), 0), -FI_EAGAIN);
	return bad_still_works(&p) && ok;
}

static bool addresses(void)
{
	fi_addr_t at, odd = 4000;
	size_t len = 0;
	bool ok = true;

	CHECK(bad_begin(&p, apart, FI_EP_RDM, 0));
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
	BAD(fi_av_set(p.a.av, NULL, NULL, NULL), -FI_ENOSYS);
	CHECK(!fi_av_straddr(p.a.av, NULL, (char *)buf, &len));
	return bad_still_works(&p) && ok;
}

static bool memory(void)
{
	struct iovec iov[9] = { { buf, 8 } };
	struct fi_mr_attr attr = { .mr_iov = iov, .iov_count = 1, .iface = 77, .access = FI_SEND };
	struct fid_mr *mr, *second;
	bool ok = true;

	CHECK(bad_begin(&p, apart, FI_EP_RDM, 0));
	BAD(fi_mr_regattr(p.a.domain, NULL, 0, &mr), -FI_EINVAL);
	BAD(fi_mr_regattr(p.a.domain, &attr, 0, &mr), -FI_ENOSYS);
	BAD(fi_mr_regv(p.a.domain, iov, 0, FI_SEND, 0, 1, 0, &mr, NULL), -FI_EINVAL);
	BAD(fi_mr_regv(p.a.domain, NULL, 1, FI_SEND, 0, 1, 0, &mr, NULL), -FI_EINVAL);
	BAD(fi_mr_regv(p.a.domain, iov, 9, FI_SEND, 0, 1, 0, &mr, NULL), -FI_EINVAL);
	BAD(fi_mr_reg(p.a.domain, buf, 8, FI_SEND, 0, 1, FI_PEEK, &mr, NULL), -FI_EBADFLAGS);
	BAD(fi_mr_reg(p.a.domain, buf, 8, FI_SEND, 8, 1, 0, &mr, NULL), -FI_EINVAL);
	CHECK_EQ(fi_mr_reg(p.a.domain, buf, 8, FI_SEND, 0, 77, 0, &mr, NULL), 0);
	BAD(fi_mr_reg(p.a.domain, buf, 8, FI_SEND, 0, 77, 0, &second, NULL), -FI_ENOKEY);
	CHECK_EQ(fi_close(&mr->fid), 0);
	return bad_still_works(&p) && ok;
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

	CHECK(bad_begin(&p, apart, type, FI_MULTI_RECV));
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
	return bad_still_works(&p) && ok;
}

static bool rdm_messages(void)
{
	return messages(FI_EP_RDM);
}

static bool msg_messages(void)
{
	return messages(FI_EP_MSG);
}

/* every form of a send and of a receive, with no segments, too many, too long */
static bool all_forms(struct fid_ep *ep, fi_addr_t to, const struct fi_info *info, bool tags)
{
	struct iovec iov[33] = { { buf, 8 } };
	struct fi_msg m = { .msg_iov = iov, .addr = to };
	struct fi_msg_tagged t = { .msg_iov = iov, .addr = to };
	size_t inject = info->tx_attr->inject_size, longest = info->ep_attr->max_msg_size;
	size_t n = info->tx_attr->iov_limit + 1;
	bool ok = true;

	m.iov_count = n;
	t.iov_count = n;
	BAD(fi_sendmsg(ep, &m, 0), -FI_EINVAL);
	BAD(fi_recvmsg(ep, &m, 0), -FI_EINVAL);
	m.iov_count = 1;
	m.msg_iov = NULL;
	BAD(fi_sendmsg(ep, &m, 0), -FI_EINVAL);
	BAD(fi_recvmsg(ep, &m, 0), -FI_EINVAL);
	m.msg_iov = iov;
	iov[0].iov_len = inject + 1;
	BAD(fi_sendmsg(ep, &m, FI_INJECT), -FI_EMSGSIZE);
	iov[0].iov_len = longest + 1;
	BAD(fi_sendmsg(ep, &m, 0), -FI_EMSGSIZE);
	BAD(fi_sendv(ep, iov, NULL, 1, to, &p), -FI_EMSGSIZE);
	BAD(fi_senddata(ep, buf, longest + 1, NULL, 1, to, &p), -FI_EMSGSIZE);
	BAD(fi_injectdata(ep, buf, inject + 1, 1, to), -FI_EMSGSIZE);
	BAD(fi_sendmsg(ep, &m, FI_FENCE), -FI_EBADFLAGS);
	BAD(fi_sendmsg(ep, &m, FI_MULTICAST), -FI_EBADFLAGS);
	BAD(fi_sendmsg(ep, &m, FI_CLAIM), -FI_EBADFLAGS);
	BAD(fi_recvmsg(ep, &m, FI_FENCE), -FI_EBADFLAGS);
	iov[0].iov_len = 8;
	if (!tags)
		return ok;
	BAD(fi_tsendmsg(ep, &t, 0), -FI_EINVAL);
	BAD(fi_trecvmsg(ep, &t, 0), -FI_EINVAL);
	BAD(fi_trecvmsg(ep, &t, FI_PEEK), -FI_EINVAL);
	BAD(fi_tsendv(ep, iov, NULL, n, to, 1, &p), -FI_EINVAL);
	BAD(fi_trecvv(ep, iov, NULL, n, to, 1, 0, &p), -FI_EINVAL);
	t.iov_count = 1;
	t.msg_iov = NULL;
	BAD(fi_tsendmsg(ep, &t, 0), -FI_EINVAL);
	BAD(fi_trecvmsg(ep, &t, 0), -FI_EINVAL);
	t.msg_iov = iov;
	iov[0].iov_len = inject + 1;
	BAD(fi_tsendmsg(ep, &t, FI_INJECT), -FI_EMSGSIZE);
	iov[0].iov_len = longest + 1;
	BAD(fi_tsendmsg(ep, &t, 0), -FI_EMSGSIZE);
	BAD(fi_tsendv(ep, iov, NULL, 1, to, 1, &p), -FI_EMSGSIZE);
	BAD(fi_tsenddata(ep, buf, longest + 1, NULL, 1, to, 1, &p), -FI_EMSGSIZE);
	BAD(fi_tinjectdata(ep, buf, inject + 1, 1, to, 1), -FI_EMSGSIZE);
	BAD(fi_tsendmsg(ep, &t, FI_FENCE), -FI_EBADFLAGS);
	BAD(fi_tsendmsg(ep, &t, FI_PEEK), -FI_EBADFLAGS);
	BAD(fi_trecvmsg(ep, &t, FI_PEEK | FI_MULTI_RECV), -FI_EBADFLAGS);
	BAD(fi_trecvmsg(ep, &t, FI_CLAIM | FI_DISCARD), -FI_EINVAL);
	return ok;
}

/* a missing peer, in every form that names one */
static bool all_peers(struct fid_ep *ep, fi_addr_t to, bool tags)
{
	struct iovec iov = { buf, 8 };
	struct fi_msg m = { .msg_iov = &iov, .iov_count = 1, .addr = to };
	struct fi_msg_tagged t = { .msg_iov = &iov, .iov_count = 1, .addr = to };
	bool ok = true;

	BAD(fi_send(ep, buf, 8, NULL, to, &p), -FI_EINVAL);
	BAD(fi_sendv(ep, &iov, NULL, 1, to, &p), -FI_EINVAL);
	BAD(fi_sendmsg(ep, &m, 0), -FI_EINVAL);
	BAD(fi_senddata(ep, buf, 8, NULL, 1, to, &p), -FI_EINVAL);
	BAD(fi_inject(ep, buf, 8, to), -FI_EINVAL);
	BAD(fi_injectdata(ep, buf, 8, 1, to), -FI_EINVAL);
	if (!tags)
		return ok;
	BAD(fi_tsend(ep, buf, 8, NULL, to, 1, &p), -FI_EINVAL);
	BAD(fi_tsendv(ep, &iov, NULL, 1, to, 1, &p), -FI_EINVAL);
	BAD(fi_tsendmsg(ep, &t, 0), -FI_EINVAL);
	BAD(fi_tsenddata(ep, buf, 8, NULL, 1, to, 1, &p), -FI_EINVAL);
	BAD(fi_tinject(ep, buf, 8, to, 1), -FI_EINVAL);
	BAD(fi_tinjectdata(ep, buf, 8, 1, to, 1), -FI_EINVAL);
	return ok;
}

static bool forms(void)
{
	static const enum fi_ep_type types[] = { FI_EP_RDM, FI_EP_MSG, FI_EP_DGRAM };
	bool ok = true;
	size_t i;

	for (i = 0; i < 3; i++) {
		bool tags = types[i] != FI_EP_DGRAM;

		CHECK(bad_begin(&p, apart, types[i], 0));
		ok &= all_forms(p.a.ep, p.a.peer, p.a.info, tags);
		if (types[i] != FI_EP_MSG) {
			ok &= all_peers(p.a.ep, 4000, tags);
			ok &= all_peers(p.a.ep, FI_ADDR_UNSPEC, tags);
			ok &= all_peers(p.a.ep, 1ULL << 40, tags);
		}
		if (!tags) {
			BAD(fi_tsend(p.a.ep, buf, 8, NULL, p.a.peer, 1, &p), -FI_ENOSYS);
			BAD(fi_trecv(p.a.ep, buf, 8, NULL, p.a.peer, 1, 0, &p), -FI_ENOSYS);
		}
		ok &= bad_still_works(&p);
		pair_close(&p);
	}
	return ok;
}

/* receives name missing senders */
static bool directed(void)
{
	struct iovec iov = { buf, 8 };
	struct fi_msg_tagged t = { .msg_iov = &iov, .iov_count = 1, .addr = 4000, .context = &p };
	bool ok = true;

	CHECK(bad_begin(&p, apart, FI_EP_RDM, FI_DIRECTED_RECV));
	BAD(fi_recv(p.a.ep, buf, 8, NULL, 4000, &p), -FI_EINVAL);
	BAD(fi_recvv(p.a.ep, &iov, NULL, 1, 4000, &p), -FI_EINVAL);
	BAD(fi_trecv(p.a.ep, buf, 8, NULL, 4000, 1, 0, &p), -FI_EINVAL);
	BAD(fi_trecvmsg(p.a.ep, &t, 0), -FI_EINVAL);
	BAD(fi_trecvmsg(p.a.ep, &t, FI_PEEK), -FI_EINVAL);
	return bad_still_works(&p) && ok;
}

/* the endpoint has one direction, or one kind of messages, only */
static bool one_way(void)
{
	static const uint64_t caps[] = { FI_MSG | FI_SEND, FI_MSG | FI_RECV, FI_TAGGED };
	struct fi_info *info;
	struct fid_ep *ep;
	bool ok = true;
	size_t i;

	CHECK(bad_begin(&p, apart, FI_EP_RDM, 0));
	for (i = 0; i < 3; i++) {
		info = fi_dupinfo(p.a.info);
		CHECK(info);
		info->caps = caps[i];
		free(info->src_addr);
		info->src_addr = NULL;
		info->src_addrlen = 0;
		CHECK_EQ(fi_endpoint(p.a.domain, info, &ep, NULL), 0);
		CHECK_EQ(fi_ep_bind(ep, &p.a.txcq->fid, caps[i] & FI_SEND ? FI_TRANSMIT :
				    caps[i] & FI_RECV ? FI_RECV : FI_TRANSMIT | FI_RECV), 0);
		CHECK_EQ(fi_ep_bind(ep, &p.a.av->fid, 0), 0);
		CHECK_EQ(fi_enable(ep), 0);
		if (caps[i] & FI_SEND) {
			BAD(fi_recv(ep, buf, 8, NULL, FI_ADDR_UNSPEC, &p), -FI_EOPNOTSUPP);
			BAD(ep->ops->rx_size_left(ep), -FI_EOPBADSTATE);
		} else if (caps[i] & FI_RECV) {
			BAD(fi_send(ep, buf, 8, NULL, p.a.peer, &p), -FI_EOPNOTSUPP);
			BAD(fi_inject(ep, buf, 8, p.a.peer), -FI_EOPNOTSUPP);
			BAD(ep->ops->tx_size_left(ep), -FI_EOPBADSTATE);
			BAD(fi_tsend(ep, buf, 8, NULL, p.a.peer, 1, &p), -FI_ENOSYS);
		} else {
			BAD(fi_send(ep, buf, 8, NULL, p.a.peer, &p), -FI_ENOSYS);
			BAD(fi_recv(ep, buf, 8, NULL, p.a.peer, &p), -FI_ENOSYS);
			BAD(fi_recvmsg(ep, NULL, 0), -FI_ENOSYS);
		}
		CHECK_EQ(fi_close(&ep->fid), 0);
		fi_freeinfo(info);
	}
	return bad_still_works(&p) && ok;
}

/* fi_cm(3): in the wrong state, with invalid arguments */
static bool connections(void)
{
	struct fi_info *info;
	size_t len = sizeof(buf);
	struct fid_pep *pep;
	struct fid_ep *ep;
	int backlog = 0;
	bool ok = true;

	CHECK(bad_begin(&p, apart, FI_EP_MSG, 0));
	memset(buf, 0, sizeof(buf));
	BAD(fi_connect(p.a.ep, NULL, NULL, 0), -FI_EINVAL);
	BAD(fi_connect(p.a.ep, buf, NULL, 0), -FI_EINVAL);
	CHECK_EQ(fi_getname(&p.pep->fid, buf, &len), 0);
	BAD(fi_connect(p.a.ep, buf, NULL, 0), -FI_EISCONN);
	BAD(fi_connect(p.b.ep, buf, NULL, 0), -FI_EISCONN);
	BAD(fi_accept(p.a.ep, NULL, 0), -FI_EOPBADSTATE);
	BAD(fi_accept(p.b.ep, NULL, 0), -FI_EOPBADSTATE);
	BAD(fi_shutdown(p.a.ep, FI_SEND), -FI_EINVAL);
	BAD(fi_getpeer(p.a.ep, buf, NULL), -FI_EINVAL);
	BAD(fi_setname(&p.a.ep->fid, buf, len), -FI_EOPBADSTATE);
	BAD(fi_setname(&p.pep->fid, buf, len), -FI_EOPBADSTATE);
	BAD(fi_listen(p.pep), -FI_EOPBADSTATE);
	BAD(fi_reject(p.pep, NULL, NULL, 0), -FI_EINVAL);
	BAD(fi_reject(p.pep, &p.a.ep->fid, NULL, 0), -FI_EINVAL);
	BAD(fi_control(&p.pep->fid, FI_BACKLOG, &backlog), -FI_EINVAL);
	BAD(fi_control(&p.pep->fid, FI_GETWAIT, &backlog), -FI_ENOSYS);
	BAD(fi_pep_bind(p.pep, &p.b.eq->fid, 0), -FI_EOPBADSTATE);

	/* an endpoint that was never connected */
	info = fi_dupinfo(p.a.info);
	CHECK(info);
	CHECK_EQ(fi_endpoint(p.a.domain, info, &ep, NULL), 0);
	CHECK_EQ(fi_passive_ep(p.a.fabric, info, &pep, NULL), 0);
	BAD(fi_listen(pep), -FI_ENOEQ);
	BAD(fi_pep_bind(pep, NULL, 0), -FI_EINVAL);
	BAD(fi_pep_bind(pep, &p.a.txcq->fid, 0), -FI_EINVAL);
	BAD(fi_setname(&pep->fid, buf, 3), -FI_EINVAL);
	BAD(fi_setname(&pep->fid, NULL, len), -FI_EINVAL);
	BAD(fi_getname(&pep->fid, buf, NULL), -FI_EINVAL);
	CHECK_EQ(fi_ep_bind(ep, &p.a.txcq->fid, FI_TRANSMIT | FI_RECV), 0);
	BAD(fi_enable(ep), -FI_ENOEQ);
	BAD(fi_connect(ep, buf, NULL, 0), -FI_ENOEQ);
	CHECK_EQ(fi_ep_bind(ep, &p.a.eq->fid, 0), 0);
	BAD(fi_accept(ep, NULL, 0), -FI_EINVAL);
	BAD(fi_getpeer(ep, buf, &len), -FI_ENOTCONN);
	BAD(fi_shutdown(ep, 0), -FI_ENOTCONN);
	CHECK_EQ(fi_enable(ep), 0);
	BAD(fi_send(ep, buf, 8, NULL, 0, &p), -FI_ENOTCONN);
	BAD(fi_inject(ep, buf, 8, 0), -FI_ENOTCONN);
	BAD(fi_tsend(ep, buf, 8, NULL, 0, 1, &p), -FI_ENOTCONN);
	CHECK_EQ(fi_close(&ep->fid), 0);
	CHECK_EQ(fi_close(&pep->fid), 0);
	info->handle = &p.a.domain->fid;
	BAD(fi_endpoint(p.a.domain, info, &ep, NULL), -FI_EINVAL);
	fi_freeinfo(info);
	return bad_still_works(&p) && ok;
}

/* calls that connectionless endpoints do not have */
static bool no_connections(void)
{
	bool ok = true;

	CHECK(bad_begin(&p, apart, FI_EP_RDM, 0));
	BAD(fi_connect(p.a.ep, buf, NULL, 0), -FI_ENOSYS);
	BAD(fi_accept(p.a.ep, NULL, 0), -FI_ENOSYS);
	BAD(fi_shutdown(p.a.ep, 0), -FI_ENOSYS);
	BAD(fi_join(p.a.ep, buf, 0, &(struct fid_mc *){ NULL }, NULL), -FI_EOPNOTSUPP);
	BAD(fi_tx_context(p.a.ep, 0, NULL, &(struct fid_ep *){ NULL }, NULL), -FI_ENOSYS);
	BAD(fi_rx_context(p.a.ep, 0, NULL, &(struct fid_ep *){ NULL }, NULL), -FI_ENOSYS);
	return bad_still_works(&p) && ok;
}

/* shared and scalable contexts */
static bool contexts(void)
{
	struct iovec iov[33] = { { buf, 8 } };
	struct fi_msg m = { .msg_iov = iov, .iov_count = 33 };
	struct fi_msg_tagged t = { .msg_iov = iov, .iov_count = 1 };
	struct fi_rx_attr big = { .size = 1u << 30 };
	struct fi_tx_attr wide = { .iov_limit = 99 };
	struct fid_ep *srx, *sep, *ctx, *again;
	struct fi_info *info;
	size_t len = sizeof(buf);
	struct fid_stx *stx;
	bool ok = true;

	CHECK(bad_begin(&p, apart, FI_EP_RDM, 0));
	BAD(fi_srx_context(p.a.domain, NULL, NULL, NULL), -FI_EINVAL);
	BAD(fi_srx_context(p.a.domain, &big, &srx, NULL), -FI_EINVAL);
	BAD(fi_stx_context(p.a.domain, &wide, &stx, NULL), -FI_EINVAL);
	CHECK_EQ(fi_srx_context(p.a.domain, NULL, &srx, NULL), 0);
	CHECK_EQ(fi_stx_context(p.a.domain, NULL, &stx, NULL), 0);
	BAD(fi_recvmsg(srx, NULL, 0), -FI_EINVAL);
	BAD(fi_trecvmsg(srx, NULL, 0), -FI_EINVAL);
	BAD(fi_recvmsg(srx, &m, 0), -FI_EINVAL);
	BAD(fi_recvv(srx, NULL, NULL, 1, 0, &p), -FI_EINVAL);
	BAD(fi_trecvv(srx, NULL, NULL, 1, 0, 1, 0, &p), -FI_EINVAL);
	m.iov_count = 1;
	BAD(fi_recvmsg(srx, &m, FI_PEEK), -FI_EBADFLAGS);
	BAD(fi_recvmsg(srx, &m, FI_MULTI_RECV), -FI_EINVAL);
	m.msg_iov = NULL;
	BAD(fi_recvmsg(srx, &m, FI_MULTI_RECV), -FI_EINVAL);
	BAD(fi_trecvmsg(srx, &t, FI_MULTI_RECV), -FI_EBADFLAGS);
	BAD(fi_trecvmsg(srx, &t, FI_PEEK), -FI_EOPNOTSUPP);
	BAD(fi_send(srx, buf, 8, NULL, 0, &p), -FI_ENOSYS);
	BAD(fi_cancel(&srx->fid, &p), -FI_EOPBADSTATE);
	BAD(fi_getname(&srx->fid, buf, &len), -FI_ENOSYS);
	BAD(fi_ep_bind(srx, NULL, 0), -FI_EINVAL);
	BAD(fi_ep_bind(srx, &p.a.av->fid, 0), -FI_EINVAL);
	BAD(fi_ep_bind(srx, &p.b.rxcq->fid, FI_RECV), -FI_EINVAL);
	BAD(fi_ep_bind(p.a.ep, &srx->fid, 0), -FI_EOPBADSTATE);
	info = fi_dupinfo(p.a.info);
	CHECK(info);
	free(info->src_addr);
	info->src_addr = NULL;
	info->src_addrlen = 0;
	CHECK_EQ(fi_endpoint(p.a.domain, info, &ctx, NULL), 0);
	BAD(fi_ep_bind(ctx, &srx->fid, 0), -FI_EINVAL);
	BAD(fi_ep_bind(ctx, &stx->fid, 0), -FI_EINVAL);
	CHECK_EQ(fi_close(&ctx->fid), 0);

	info->ep_attr->tx_ctx_cnt = 2;
	info->ep_attr->rx_ctx_cnt = 2;
	CHECK_EQ(fi_scalable_ep(p.a.domain, info, &sep, NULL), 0);
	BAD(fi_tx_context(sep, 2, NULL, &ctx, NULL), -FI_EINVAL);
	BAD(fi_rx_context(sep, -1, NULL, &ctx, NULL), -FI_EINVAL);
	CHECK_EQ(fi_tx_context(sep, 0, NULL, &ctx, NULL), 0);
	BAD(fi_tx_context(sep, 0, NULL, &again, NULL), -FI_EBUSY);
	BAD(fi_enable(ctx), -FI_ENOCQ);
	BAD(fi_ep_bind(ctx, NULL, 0), -FI_EINVAL);
	BAD(fi_scalable_ep_bind(sep, NULL, 0), -FI_EINVAL);
	BAD(fi_scalable_ep_bind(sep, &p.a.txcq->fid, 0), -FI_EINVAL);
	BAD(fi_scalable_ep_bind(sep, &p.a.av->fid, FI_RECV), -FI_EBADFLAGS);
	BAD(fi_send(ctx, buf, 8, NULL, 0, &p), -FI_EOPBADSTATE);
	BAD(fi_recv(ctx, buf, 8, NULL, 0, &p), -FI_ENOSYS);
	BAD(fi_close(&sep->fid), -FI_EBUSY);
	CHECK_EQ(fi_close(&ctx->fid), 0);
	CHECK_EQ(fi_close(&sep->fid), 0);
	CHECK_EQ(fi_close(&srx->fid), 0);
	CHECK_EQ(fi_close(&stx->fid), 0);
	fi_freeinfo(info);
	return bad_still_works(&p) && ok;
}

/* counters, poll sets, wait sets, event queues */
static bool waiters(void)
{
	struct fi_cntr_attr cntr = { .events = FI_CNTR_EVENTS_COMP, .flags = 1 };
	struct fi_eq_attr eq = { .wait_obj = FI_WAIT_NONE, .flags = FI_WRITE };
	struct fi_cq_attr cq = { .wait_obj = FI_WAIT_NONE };
	struct fi_wait_attr wait = { .wait_obj = FI_WAIT_UNSPEC };
	struct fi_eq_err_entry err;
	struct fid_poll *poll;
	struct fid_cntr *c;
	struct fid_cq *q;
	struct fid_eq *e;
	uint32_t type;
	bool ok = true;

	CHECK(bad_begin(&p, apart, FI_EP_RDM, 0));
	BAD(fi_cntr_open(p.a.domain, &cntr, NULL, NULL), -FI_EINVAL);
	BAD(fi_cntr_open(p.a.domain, &cntr, &c, NULL), -FI_EBADFLAGS);
	cntr.flags = 0;
	cntr.events = 99;
	BAD(fi_cntr_open(p.a.domain, &cntr, &c, NULL), -FI_ENOSYS);
	cntr.events = FI_CNTR_EVENTS_COMP;
	cntr.wait_obj = FI_WAIT_MUTEX_COND;
	BAD(fi_cntr_open(p.a.domain, &cntr, &c, NULL), -FI_ENOSYS);
	cntr.wait_obj = FI_WAIT_SET;
	BAD(fi_cntr_open(p.a.domain, &cntr, &c, NULL), -FI_EINVAL);
	CHECK_EQ(fi_wait_open(p.a.fabric, &wait, &cntr.wait_set), 0);
	CHECK_EQ(fi_cntr_open(p.a.domain, &cntr, &c, NULL), 0);
	BAD(fi_cntr_wait(c, 1, 0), -FI_EINVAL);
	BAD(fi_ep_bind(p.a.ep, &c->fid, FI_SEND), -FI_EOPBADSTATE);
	CHECK_EQ(fi_cq_open(p.a.domain, &cq, &q, NULL), 0);
	BAD(fi_cq_sread(q, buf, 1, NULL, 0), -FI_EINVAL);
	BAD(fi_cq_sreadfrom(q, buf, 1, NULL, NULL, 0), -FI_EINVAL);
	BAD(fi_cq_signal(q), -FI_EINVAL);
	CHECK_EQ(fi_eq_open(p.a.fabric, &eq, &e, NULL), 0);
	BAD(fi_eq_sread(e, &type, buf, sizeof(buf), 0, 0), -FI_EINVAL);
	BAD(fi_eq_read(e, NULL, buf, sizeof(buf), 0), -FI_EINVAL);
	BAD(fi_eq_read(e, &type, buf, sizeof(buf), FI_SEND), -FI_EBADFLAGS);
	BAD(fi_eq_readerr(e, NULL, 0), -FI_EINVAL);
	BAD(fi_eq_readerr(e, &err, FI_SEND), -FI_EBADFLAGS);
	BAD(fi_eq_write(e, FI_NOTIFY, NULL, 8, 0), -FI_EINVAL);
	BAD(fi_eq_write(e, FI_NOTIFY, buf, 8, FI_SEND), -FI_EINVAL);
	BAD(fi_poll_open(p.a.domain, NULL, NULL), -FI_EINVAL);
	CHECK_EQ(fi_poll_open(p.a.domain, NULL, &poll), 0);
	BAD(fi_poll_add(poll, NULL, 0), -FI_EINVAL);
	BAD(fi_poll_add(poll, &q->fid, 1), -FI_EBADFLAGS);
	BAD(fi_poll_add(poll, &p.a.av->fid, 0), -FI_EINVAL);
	BAD(fi_poll_del(poll, &q->fid, 0), -FI_EINVAL);
	CHECK_EQ(fi_poll_add(poll, &q->fid, 0), 0);
	BAD(fi_poll_add(poll, &q->fid, 0), -FI_EINVAL);
	BAD(fi_poll(poll, NULL, 1), -FI_EINVAL);
	BAD(fi_poll(poll, (void **)buf, -1), -FI_EINVAL);
	BAD(fi_close(&q->fid), -FI_EBUSY);
	BAD(fi_close(&poll->fid), -FI_EBUSY);
	CHECK_EQ(fi_poll_del(poll, &q->fid, 0), 0);
	CHECK_EQ(fi_close(&poll->fid), 0);
	CHECK_EQ(fi_close(&q->fid), 0);
	CHECK_EQ(fi_close(&c->fid), 0);
	CHECK_EQ(fi_close(&cntr.wait_set->fid), 0);
	CHECK_EQ(fi_close(&e->fid), 0);
	return bad_still_works(&p) && ok;
}

/* calls that domains, vectors and regions do not have */
static bool absent(void)
{
	struct fid_mr *mr;
	bool ok = true;

	CHECK(bad_begin(&p, apart, FI_EP_RDM, 0));
	BAD(fi_control(&p.a.domain->fid, FI_GETWAIT, buf), -FI_ENOSYS);
	BAD(fi_domain_bind(p.a.domain, &p.a.eq->fid, 0), -FI_ENOSYS);
	BAD(fi_control(&p.a.av->fid, FI_GETWAIT, buf), -FI_ENOSYS);
	BAD(fi_av_bind(p.a.av, NULL, 0), -FI_EINVAL);
	BAD(fi_av_bind(p.a.av, &p.a.txcq->fid, 0), -FI_EINVAL);
	BAD(fi_av_bind(p.a.av, &p.b.eq->fid, 0), -FI_EDOMAIN);
	BAD(fi_mr_reg(p.a.domain, buf, 8, FI_SEND, 0, 5, 0, NULL, NULL), -FI_EINVAL);
	CHECK_EQ(fi_mr_reg(p.a.domain, buf, 8, FI_SEND, 0, 5, 0, &mr, NULL), 0);
	BAD(fi_control(&mr->fid, FI_GETWAIT, buf), -FI_ENOSYS);
	BAD(fi_mr_bind(mr, NULL, 0), -FI_EINVAL);
	BAD(fi_mr_bind(mr, &p.a.txcq->fid, 0), -FI_EINVAL);
	BAD(fi_mr_bind(mr, &p.a.ep->fid, FI_SEND), -FI_EBADFLAGS);
	BAD(fi_mr_bind(mr, &p.b.ep->fid, 0), -FI_EINVAL);
	CHECK_EQ(fi_close(&mr->fid), 0);
	return bad_still_works(&p) && ok;
}

/*
 * The test has refused each call of the tables of operations, except those without wrong arguments.
 */
static const char *const of_endpoints[] = {
	"fi_cancel", "fi_getopt", "fi_setopt", "fi_tx_context", "fi_rx_context", "rx_size_left",
	"tx_size_left",
};

static const char *const of_messages[] = {
	"fi_recv", "fi_recvv", "fi_recvmsg", "fi_send", "fi_sendv", "fi_sendmsg", "fi_inject",
	"fi_senddata", "fi_injectdata",
};

static const char *const of_tagged[] = {
	"fi_trecv", "fi_trecvv", "fi_trecvmsg", "fi_tsend", "fi_tsendv", "fi_tsendmsg",
	"fi_tinject", "fi_tsenddata", "fi_tinjectdata",
};

static const char *const of_connections[] = {
	"fi_setname", "fi_getname", "fi_getpeer", "fi_connect", "fi_listen", "fi_accept",
	"fi_reject", "fi_shutdown", "fi_join",
};

static const char *const of_cqs[] = {
	"fi_cq_read", "fi_cq_readfrom", "fi_cq_readerr", "fi_cq_sread", "fi_cq_sreadfrom",
	"fi_cq_signal",
};

static const char *const of_eqs[] = {
	"fi_eq_read", "fi_eq_readerr", "fi_eq_write", "fi_eq_sread",
};

static const char *const of_cntrs[] = { "fi_cntr_wait" };

static const char *const of_avs[] = {
	"fi_av_insert", "fi_av_insertsvc", "fi_av_insertsym", "fi_av_remove", "fi_av_lookup",
	"fi_av_set",
};

static const char *const of_polls[] = { "fi_poll", "fi_poll_add", "fi_poll_del" };

BAD_TABLE(of_endpoints, struct fi_ops_ep, 0);
BAD_TABLE(of_messages, struct fi_ops_msg, 0);
BAD_TABLE(of_tagged, struct fi_ops_tagged, 0);
BAD_TABLE(of_connections, struct fi_ops_cm, 0);
BAD_TABLE(of_cqs, struct fi_ops_cq, 1); /* strerror */
BAD_TABLE(of_eqs, struct fi_ops_eq, 1); /* strerror */
BAD_TABLE(of_cntrs, struct fi_ops_cntr, 6); /* the calls that read and change its numbers */
BAD_TABLE(of_avs, struct fi_ops_av, 1); /* straddr */
BAD_TABLE(of_polls, struct fi_ops_poll, 0);

static bool each_call(void)
{
	bool ok = true;

	ok &= BAD_EACH(of_endpoints);
	ok &= BAD_EACH(of_messages);
	ok &= BAD_EACH(of_tagged);
	ok &= BAD_EACH(of_connections);
	ok &= BAD_EACH(of_cqs);
	ok &= BAD_EACH(of_eqs);
	ok &= BAD_EACH(of_cntrs);
	ok &= BAD_EACH(of_avs);
	ok &= BAD_EACH(of_polls);
	return ok;
}

static const struct check cases[] = {
	{ "openings", openings },	  { "closings", closings },
	{ "bindings", bindings },	  { "controls", controls },
	{ "queues", queues },		  { "addresses", addresses },
	{ "memory", memory },		  { "rdm_messages", rdm_messages },
	{ "msg_messages", msg_messages }, { "forms", forms },
	{ "directed", directed },	  { "one_way", one_way },
	{ "connections", connections },	  { "no_connections", no_connections },
	{ "contexts", contexts },	  { "waiters", waiters },
	{ "absent", absent },		  { "each_call", each_call },
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
