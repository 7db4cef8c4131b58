// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <sys/mman.h>
#include "rows.h"

struct pair p;
/* why the current row is skipped, or NULL */
static const char *skipped;
uint8_t *sbuf, *rbuf;

static struct fi_context2 contexts[4096];

void *ctx(unsigned int n)
{
	return &contexts[n];
}

static bool wanted(const char *id, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], id))
			return true;
	return argc < 2;
}

/* no further entry comes into any of the queues */
static bool all_quiet(void)
{
	struct fid_cq *cqs[] = { p.a.txcq, p.a.rxcq, p.b.txcq, p.b.rxcq };
	uint64_t until = now_ms() + QUIET_MS;
	struct fi_cq_tagged_entry c;
	size_t i;

	do {
		for (i = 0; i < sizeof(cqs) / sizeof(cqs[0]); i++)
			CHECK_EQ(fi_cq_read(cqs[i], &c, 1), -FI_EAGAIN);
	} while (now_ms() < until);
	return true;
}

static bool run_row(const struct row *r, enum fi_ep_type type, bool apart)
{
	struct opts o = r->o;
	bool ok;

	o.type = type;
	o.apart = apart;
	if (type != FI_EP_MSG)
		o.caps |= FI_SOURCE;
	else
		o.caps &= ~FI_DIRECTED_RECV;
	memset(rbuf, 0xee, ROOM);
	memset(&p, 0, sizeof(p));
	p.o = o;
	if (r->alone) {
		ok = r->run();
		pair_close(&p);
		return ok;
	}
	ok = pair_open(&p, &o) && r->run();
	if (ok && !r->mess && !skipped)
		ok = all_quiet();
	pair_close(&p);
	return ok;
}

int rows_main(int argc, char **argv, const struct row *rows, size_t count)
{
	static const struct {
		unsigned int on;
		enum fi_ep_type type;
		const char *name;
	} types[] = { { ON_RDM, FI_EP_RDM, "rdm" }, { ON_MSG, FI_EP_MSG, "msg" },
		    { ON_DGRAM, FI_EP_DGRAM, "dgram" } };
	const char *where = getenv("WEFT_WHERE");
	bool one = nodes_are_one();
	int first = where && !strcmp(where, "between") && !one;
	char name[256];
	size_t i, t;
	int apart;
	bool ok;

	sbuf = malloc(ROOM);
	rbuf = malloc(ROOM);
	if (!sbuf || !rbuf)
		return 1;
	for (i = 0; i < count; i++) {
		if (!wanted(rows[i].id, argc, argv))
			continue;
		for (t = 0; t < sizeof(types) / sizeof(types[0]); t++)
			for (apart = 0; apart <= !one; apart++) {
				if (!(rows[i].on & types[t].on) ||
				    (rows[i].once ? apart : apart < first))
					continue;
				snprintf(name, sizeof(name), "%s %s", types[t].name,
					 apart ? "between nodes" : "within a node");
				skipped = NULL;
				ok = run_row(&rows[i], types[t].type, apart);
				if (skipped)
					strcat(strcat(name, " # SKIP "), skipped);
				result(ok, rows[i].id, name);
			}
	}
	free(sbuf);
	free(rbuf);
	return results_end();
}

bool pass_over(const char *why)
{
	skipped = why;
	return true;
}

/* ---- Steps that many rows share ----------------------------------------------------- */

bool pair_again(void)
{
	struct opts o = p.o;

	pair_close(&p);
	return pair_open(&p, &o);
}

int nkinds(void)
{
	return p.o.type == FI_EP_DGRAM ? 1 : 2;
}

struct letter at_b(bool tagged, uint64_t tag, uint64_t ignore, unsigned int n)
{
	return (struct letter){
		.tagged = tagged, .tag = tag, .ignore = ignore, .peer = FI_ADDR_UNSPEC,
		.context = ctx(n)
	};
}

struct letter to_b(bool tagged, uint64_t tag, uint64_t data, unsigned int n)
{
	return (struct letter){
		.tagged = tagged, .tag = tag, .data = data, .peer = p.a.peer,
		.flags = FI_COMPLETION | FI_REMOTE_CQ_DATA, .context = ctx(n)
	};
}

bool sent_as(const struct letter *s)
{
	struct fi_cq_tagged_entry c;

	CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
	CHECK(c.op_context == s->context);
	CHECK_EQ(c.flags, FI_SEND | (s->tagged ? FI_TAGGED : FI_MSG));
	return true;
}

bool got_as(const struct letter *r, const struct letter *s, enum send_form f, size_t len)
{
	bool data = form_has_data(f, s->flags);
	fi_addr_t src = FI_ADDR_UNSPEC;
	struct fi_cq_tagged_entry c;

	CHECK_EQ(completion(p.b.rxcq, &c, &src, NULL), 1);
	CHECK(c.op_context == r->context);
	CHECK_EQ(c.flags, FI_RECV | (s->tagged ? FI_TAGGED : FI_MSG) |
				  (data ? FI_REMOTE_CQ_DATA : 0));
	CHECK_EQ(c.len, len);
	if (s->tagged)
		CHECK_EQ(c.tag, s->tag);
	if (data)
		CHECK_EQ(c.data, s->data);
	if (p.o.type != FI_EP_MSG)
		CHECK_EQ(src, p.b.peer);
	return true;
}

bool exchange(enum recv_form rf, const struct letter *r, enum send_form sf,
	      const struct letter *s, size_t len)
{
	uint32_t seed = 31 * rf + 7 * sf + len + s->tag;

	memset(rbuf, 0xee, len + 128);
	pattern_fill(sbuf, len, seed);
	CHECK_EQ(recv_by(p.b.ep, rf, rbuf, len + 64, r), 0);
	CHECK_EQ(send_by(p.a.ep, sf, sbuf, len, s), 0);
	if (!form_injects(sf))
		CHECK(sent_as(s));
	CHECK(got_as(r, s, sf, len));
	CHECK(pattern_is(rbuf, len, seed));
	return all_bytes(rbuf + len, 128, 0xee);
}

bool send_gone(enum send_form f, const struct letter *s, size_t len, uint32_t seed)
{
	size_t room = (len + 8191) & ~4095ul;
	uint8_t *page = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			     0);

	CHECK(page != MAP_FAILED);
	pattern_fill(page, len, seed);
	CHECK_EQ(send_by(p.a.ep, f, page, len, s), 0);
	memset(page, 0x55, room);
	CHECK_EQ(munmap(page, room), 0);
	return true;
}

bool post_tagged(void *buf, size_t len, uint64_t tag, uint64_t ignore, unsigned int n)
{
	CHECK_EQ(fi_trecv(p.b.ep, buf, len, NULL, FI_ADDR_UNSPEC, tag, ignore, ctx(n)), 0);
	return true;
}

bool post_plain(void *buf, size_t len, unsigned int n)
{
	CHECK_EQ(fi_recv(p.b.ep, buf, len, NULL, FI_ADDR_UNSPEC, ctx(n)), 0);
	return true;
}

bool send_tagged(size_t len, uint64_t tag, uint32_t seed, unsigned int n)
{
	pattern_fill(sbuf, len, seed);
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, len, NULL, p.a.peer, tag, ctx(n)), 0);
	return is_sent(n);
}

bool send_plain(size_t len, uint32_t seed, unsigned int n)
{
	pattern_fill(sbuf, len, seed);
	CHECK_EQ(fi_send(p.a.ep, sbuf, len, NULL, p.a.peer, ctx(n)), 0);
	return is_sent(n);
}

bool cntr_is(struct fid_cntr *cntr, uint64_t value)
{
	uint64_t until = now_ms() + QUIET_MS;

	CHECK_EQ(fi_cntr_wait(cntr, value, WAIT_MS), 0);
	do {
		CHECK_EQ(fi_cntr_read(cntr), value);
	} while (now_ms() < until);
	return true;
}

bool cntr_fails(struct fid_cntr *cntr, uint64_t value)
{
	uint64_t until = now_ms() + WAIT_MS;

	while (fi_cntr_readerr(cntr) < value)
		CHECK(now_ms() < until);
	CHECK_EQ(fi_cntr_readerr(cntr), value);
	return true;
}

bool is_sent(unsigned int n)
{
	struct fi_cq_tagged_entry c;

	CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
	CHECK(c.op_context == ctx(n));
	CHECK(c.flags & FI_SEND);
	return true;
}

bool is_received(unsigned int n, size_t len, bool tagged, uint64_t tag)
{
	struct fi_cq_tagged_entry c;
	fi_addr_t src = FI_ADDR_UNSPEC;

	CHECK_EQ(completion(p.b.rxcq, &c, &src, NULL), 1);
	CHECK(c.op_context == ctx(n));
	CHECK_EQ(c.len, len);
	CHECK_EQ(c.flags, FI_RECV | (tagged ? FI_TAGGED : FI_MSG));
	if (tagged)
		CHECK_EQ(c.tag, tag);
	if (p.o.type != FI_EP_MSG)
		CHECK_EQ(src, p.b.peer);
	return true;
}

bool is_failed(unsigned int n, int err, struct fi_cq_err_entry *e)
{
	struct fi_cq_tagged_entry c;

	CHECK_EQ(completion(p.b.rxcq, &c, NULL, e), -FI_EAVAIL);
	CHECK_EQ(e->err, err);
	CHECK(e->op_context == ctx(n));
	return true;
}

ssize_t look(uint64_t flags, void *buf, size_t len, uint64_t tag, uint64_t ignore, unsigned int n)
{
	struct iovec iov = { buf, len };
	struct fi_msg_tagged m = {
		.msg_iov = buf ? &iov : NULL,
		.iov_count = buf ? 1 : 0,
		.addr = FI_ADDR_UNSPEC,
		.tag = tag,
		.ignore = ignore,
		.context = ctx(n),
	};

	return fi_trecvmsg(p.b.ep, &m, flags);
}

bool look_hit(uint64_t flags, void *buf, size_t len, uint64_t tag, uint64_t ignore, unsigned int n,
	      struct fi_cq_tagged_entry *c)
{
	uint64_t until = now_ms() + WAIT_MS;
	struct fi_cq_err_entry e = {};
	fi_addr_t src;
	int ret;

	do {
		CHECK_EQ(look(flags, buf, len, tag, ignore, n), 0);
		ret = completion(p.b.rxcq, c, &src, &e);
	} while (ret == -FI_EAVAIL && e.err == FI_ENOMSG && now_ms() < until);
	CHECK_EQ(ret, 1);
	CHECK(c->op_context == ctx(n));
	CHECK_EQ(c->flags & ~FI_REMOTE_CQ_DATA, FI_TAGGED | FI_RECV);
	if (p.o.type != FI_EP_MSG)
		CHECK_EQ(src, p.b.peer);
	return true;
}

bool look_miss(uint64_t flags, uint64_t tag, uint64_t ignore, unsigned int n)
{
	struct fi_cq_err_entry e = {};

	CHECK_EQ(look(flags, NULL, 0, tag, ignore, n), 0);
	CHECK(is_failed(n, FI_ENOMSG, &e));
	CHECK_EQ(e.tag, tag);
	CHECK_EQ(e.flags, FI_TAGGED | FI_RECV);
	return true;
}
