// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmpair.h"

uint8_t addr[64];
size_t addr_len;

bool sides(void)
{
	CHECK(side_open(&p.a, 0, &p.o));
	return side_open(&p.b, p.o.apart, &p.o);
}

bool listening(void)
{
	addr_len = sizeof(addr);
	CHECK(sides());
	return pair_listen(&p, addr, &addr_len);
}

/* B listens, A has asked, and B has read that. */
bool asked(union cm *cm, const void *data, size_t len, size_t want)
{
	uint32_t type;

	CHECK(listening());
	CHECK(side_endpoint(&p.a, p.a.info, &p.o));
	CHECK_EQ(fi_connect(p.a.ep, addr, data, len), 0);
	CHECK_EQ(event(p.b.eq, &type, cm, sizeof(*cm)), sizeof(cm->e) + want);
	CHECK_EQ(type, FI_CONNREQ);
	CHECK(cm->e.fid == &p.pep->fid);
	return true;
}

/* ... and accepts. */
bool answered(union cm *cm, const void *data, size_t len)
{
	CHECK(side_endpoint(&p.b, cm->e.info, &p.o));
	CHECK_EQ(fi_accept(p.b.ep, data, len), 0);
	fi_freeinfo(cm->e.info);
	return true;
}

bool is_connected(struct side *s, union cm *cm, size_t want)
{
	uint32_t type;

	CHECK_EQ(event(s->eq, &type, cm, sizeof(*cm)), sizeof(cm->e) + want);
	CHECK_EQ(type, FI_CONNECTED);
	CHECK(cm->e.fid == &s->ep->fid);
	CHECK(cm->e.fid->context == s);
	return true;
}

bool no_event(struct side *s)
{
	uint64_t until = now_ms() + QUIET_MS;
	uint32_t type;
	union cm cm;

	do {
		CHECK_EQ(fi_eq_read(s->eq, &type, &cm, sizeof(cm), 0), -FI_EAGAIN);
	} while (now_ms() < until);
	return true;
}

bool is_shutdown(struct side *s)
{
	uint32_t type;
	union cm cm;

	CHECK_EQ(event(s->eq, &type, &cm, sizeof(cm)), sizeof(cm.e));
	CHECK_EQ(type, FI_SHUTDOWN);
	CHECK(cm.e.fid == &s->ep->fid);
	return no_event(s);
}

/* A's attempt has failed. */
bool has_failed(int want, struct fi_eq_err_entry *err)
{
	uint32_t type;
	union cm cm;
	char text[64] = "";

	CHECK_EQ(event(p.a.eq, &type, &cm, sizeof(cm)), -FI_EAVAIL);
	CHECK_EQ(fi_eq_readerr(p.a.eq, err, 0), sizeof(*err));
	CHECK_EQ(err->err, want);
	CHECK(err->fid == &p.a.ep->fid);
	CHECK(!strcmp(fi_eq_strerror(p.a.eq, err->prov_errno, err->err_data, text, sizeof(text)),
		      fi_strerror(want)));
	return text[0];
}

bool more_ep(struct side *s, struct fi_info *info, struct fid_ep **ep)
{
	CHECK_EQ(fi_endpoint(s->domain, info, ep, NULL), 0);
	CHECK_EQ(fi_ep_bind(*ep, &s->eq->fid, 0), 0);
	CHECK_EQ(fi_ep_bind(*ep, &s->txcq->fid, FI_TRANSMIT | FI_RECV), 0);
	return true;
}

bool more_cq(struct side *s)
{
	struct fi_cq_attr cq = { .format = FI_CQ_FORMAT_TAGGED, .wait_obj = FI_WAIT_NONE };

	CHECK_EQ(fi_cq_open(s->domain, &cq, &s->txcq, NULL), 0);
	return true;
}
