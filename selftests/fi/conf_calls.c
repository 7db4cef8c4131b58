// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_msg(3) and fi_tagged(3), rule by rule: the calls and their arguments, in all forms, tagged and
 * untagged. TIMEOUT: 300 LINKS: vnet loop
 */
#include <sys/mman.h>
#include "cmpair.h"

#define VALUE 0x0123456789abcdefull	/* remote data */

/* ---- Forms ---------------------------------------------------------------------------- */

/* The same message with each form of a receive: the entries are equal. */
static bool posts_alike(int tagged)
{
	struct letter r = at_b(tagged, 5, 0, 1), s = to_b(tagged, 5, VALUE, 2);
	enum recv_form f;

	for (f = 0; f < RECV_FORMS; f++) {
		CHECK(exchange(f, &r, FORM_SEND, &s, 100));
		CHECK(exchange(f, &r, FORM_SENDDATA, &s, 700));
		CHECK(exchange(f, &r, FORM_SEND, &s, 0));
	}
	return true;
}

static bool recvs_alike(void)
{
	return posts_alike(false);
}

static bool trecvs_alike(void)
{
	return posts_alike(true);
}

/* Each field is changed alone. */
static bool msg_fields(void)
{
	struct fi_cq_tagged_entry c;
	uint8_t name[64];
	fi_addr_t self, src;
	size_t len = sizeof(name);
	int tagged;

	if (p.o.type != FI_EP_MSG) {
		CHECK_EQ(fi_getname(&p.a.ep->fid, name, &len), 0);
		CHECK_EQ(fi_av_insert(p.a.av, name, 1, &self, 0, NULL), 1);
	}
	for (tagged = 0; tagged < nkinds(); tagged++) {
		struct letter r = at_b(tagged, 5, 0, 1), s = to_b(tagged, 5, 77, 2);

		CHECK(exchange(FORM_RECV, &r, FORM_SENDMSG, &s, 100));
		s.context = ctx(3);
		CHECK(exchange(FORM_RECV, &r, FORM_SENDMSG, &s, 100));
		s.data = 78;
		CHECK(exchange(FORM_RECV, &r, FORM_SENDMSG, &s, 100));
		if (p.o.type == FI_EP_MSG)
			continue;
		/* A sends to itself: A gets the message, and B, which also waits, does not. */
		CHECK_EQ(recv_by(p.b.ep, FORM_RECV, rbuf, 64, &r), 0);
		r.context = ctx(4);
		CHECK_EQ(recv_by(p.a.ep, FORM_RECV, rbuf + 4096, 64, &r), 0);
		s.peer = self;
		pattern_fill(sbuf, 50, 9);
		CHECK_EQ(send_by(p.a.ep, FORM_SENDMSG, sbuf, 50, &s), 0);
		CHECK(sent_as(&s));
		CHECK_EQ(completion(p.a.rxcq, &c, &src, NULL), 1);
		CHECK(c.op_context == ctx(4));
		CHECK_EQ(c.len, 50);
		CHECK_EQ(c.data, 78);
		CHECK_EQ(src, self);
		CHECK(pattern_is(rbuf + 4096, 50, 9));
		CHECK(quiet(p.b.rxcq));
		s.peer = p.a.peer;
		r.context = ctx(1);
		CHECK_EQ(send_by(p.a.ep, FORM_SENDMSG, sbuf, 60, &s), 0);
		CHECK(sent_as(&s));
		CHECK(got_as(&r, &s, FORM_SENDMSG, 60));
	}
	return true;
}

static bool tagged_matrix(void)
{
	enum recv_form rf;
	enum send_form sf;

	for (sf = 0; sf < SEND_FORMS; sf++)
		for (rf = 0; rf < RECV_FORMS; rf++) {
			uint64_t tag = 0xf00d000000000000ull + sf * 16 + rf;
			struct letter r = at_b(true, tag ^ 0x8800000000000001ull,
					       0xff00000000000001ull, 1);
			struct letter s = to_b(true, tag, VALUE + sf, 2);

			CHECK(exchange(rf, &r, sf, &s, 200));
		}
	return true;
}

static bool whole_tag(void)
{
	uint64_t x = 88172645463325252ull;
	unsigned int i;

	for (i = 0; i < 64; i++) {
		struct letter r, s;

		/* all bits in turn, and some at random */
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		r = at_b(true, x & ~(1ull << i), 1ull << i | 0xff, 1);
		s = to_b(true, x ^ 0x5a, 0, 2);
		CHECK(exchange(FORM_RECV, &r, FORM_SEND, &s, 8));
		r.ignore = ~0ull;
		s.tag = 1ull << i;
		CHECK(exchange(FORM_RECV, &r, FORM_INJECT, &s, 8));
	}
	return true;
}

/* ---- Injects -------------------------------------------------------------------------- */

/* One form of an inject: contents, data, no entry, the counter, its limit. */
static bool injects(bool tagged, enum send_form f, uint64_t before)
{
	size_t most = p.a.info->tx_attr->inject_size, len;
	size_t lens[] = { 0, 1, 64, 300, most - 1, most };
	struct letter r = at_b(tagged, 6, 0, 1), s = to_b(tagged, 6, VALUE, 2);
	unsigned int i;

	for (i = 0; i < 100; i++) {
		len = lens[i % 6];
		memset(rbuf, 0xee, most + 128);
		CHECK_EQ(recv_by(p.b.ep, FORM_RECV, rbuf, most + 64, &r), 0);
		CHECK(send_gone(f, &s, len, i));
		CHECK(got_as(&r, &s, f, len));
		CHECK(pattern_is(rbuf, len, i));
		CHECK(all_bytes(rbuf + len, 128, 0xee));
	}
	CHECK_EQ(send_by(p.a.ep, f, sbuf, most + 1, &s), -FI_EMSGSIZE);
	CHECK_EQ(fi_cntr_wait(p.a.txcntr, before + 100, WAIT_MS), 0);
	CHECK(quiet(p.a.txcq));
	CHECK_EQ(fi_cntr_read(p.a.txcntr), before + 100);
	CHECK_EQ(fi_cntr_readerr(p.a.txcntr), 0);
	return true;
}

static bool plain_injects(void)
{
	return injects(false, FORM_INJECT, 0);
}

static bool data_injects(void)
{
	return injects(false, FORM_INJECTDATA, 0);
}

static bool tagged_injects(void)
{
	return injects(true, FORM_INJECT, 0) && injects(true, FORM_INJECTDATA, 100);
}

/* ---- Descriptors and contexts --------------------------------------------------------- */

/* All forms, without descriptors, with those of no region, and with real ones. */
static bool descriptors(void)
{
	void *none[3] = {}, *send[3], *recv[3];
	struct fid_mr *smr, *rmr;
	enum recv_form rf;
	enum send_form sf;
	int tagged, d;

	CHECK_EQ(fi_mr_reg(p.a.domain, sbuf, 8192, FI_SEND, 0, 0, 0, &smr, NULL), 0);
	CHECK_EQ(fi_mr_reg(p.b.domain, rbuf, 8192, FI_RECV, 0, 0, 0, &rmr, NULL), 0);
	for (d = 0; d < 3; d++) {
		send[d] = fi_mr_desc(smr);
		recv[d] = fi_mr_desc(rmr);
	}
	for (d = 0; d < 3; d++)
		for (tagged = 0; tagged < nkinds(); tagged++)
			for (sf = 0; sf < SEND_FORMS; sf++) {
				struct letter r = at_b(tagged, 5, 0, 1);
				struct letter s = to_b(tagged, 5, VALUE, 2);

				r.desc = d == 2 ? recv : d ? none : NULL;
				s.desc = d == 2 ? send : d ? none : NULL;
				rf = sf % RECV_FORMS;
				CHECK(exchange(rf, &r, sf, &s, 100));
			}
	CHECK_EQ(fi_close(&smr->fid), 0);
	return !fi_close(&rmr->fid);
}

/* The index of a context among those from @first on. */
static size_t place(const void *context, unsigned int first)
{
	return ((const uint8_t *)context - (uint8_t *)ctx(first)) / sizeof(struct fi_context2);
}

static bool contexts(void)
{
	bool at_a[500] = {}, at_b_too[500] = {};
	struct fi_cq_tagged_entry c;
	unsigned int i;
	size_t k;

	for (i = 0; i < 500; i++) {
		struct letter r = at_b(i % nkinds(), i, 0, i);

		CHECK_EQ(recv_by(p.b.ep, i % RECV_FORMS, rbuf + 64 * i, 64, &r), 0);
	}
	for (i = 0; i < 500; i++) {
		struct letter s = to_b(i % nkinds(), i, VALUE, 1000 + i);

		CHECK_EQ(send_by(p.a.ep, i % FORM_INJECT, sbuf, 8, &s), 0);
		CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
		k = place(c.op_context, 1000);
		CHECK(k < 500 && !at_a[k]);
		at_a[k] = true;
		CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
		k = place(c.op_context, 0);
		CHECK(k < 500 && !at_b_too[k]);
		at_b_too[k] = true;
	}
	for (i = 0; i < (unsigned int)nkinds(); i++) {
		struct letter r = at_b(i, 5, 0, 1), s = to_b(i, 5, 0, 1);

		r.context = NULL;
		s.context = NULL;
		CHECK(exchange(FORM_RECV, &r, FORM_SEND, &s, 64));
	}
	return true;
}

/* The library never reads what a context points to, even if the memory is missing. */
static bool blind_contexts(void)
{
	static const size_t lens[] = { 8, 400, 1000 };
	uint8_t *gone = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int i, n = 0;
	int tagged;

	CHECK(gone != MAP_FAILED);
	CHECK_EQ(munmap(gone, 4096), 0);
	for (tagged = 0; tagged < nkinds(); tagged++)
		for (i = 0; i < 12; i++) {
			struct letter r = at_b(tagged, 5, 0, 0), s = to_b(tagged, 5, 0, 0);
			size_t len = lens[i % 3];

			r.context = gone + 8;
			s.context = gone + 16;
			s.flags = 0;
			memset(rbuf, 0xee, len + 64);
			pattern_fill(sbuf, len, i);
			CHECK_EQ(recv_by(p.b.ep, i % RECV_FORMS, rbuf, len, &r), 0);
			CHECK_EQ(send_by(p.a.ep, i % FORM_INJECT, sbuf, len, &s), 0);
			n++;
			CHECK_EQ(fi_cntr_wait(p.b.rxcntr, n, WAIT_MS), 0);
			CHECK(pattern_is(rbuf, len, i));
			CHECK(all_bytes(rbuf + len, 64, 0xee));
			CHECK_EQ(fi_cntr_wait(p.a.txcntr, n, WAIT_MS), 0);
		}
	return true;
}

/* ---- Before and after connecting ------------------------------------------------------ */

static bool asynchronous(void)
{
	int tagged;
	enum recv_form f;

	memset(rbuf, 0xee, 65536);
	for (tagged = 0; tagged < nkinds(); tagged++)
		for (f = 0; f < RECV_FORMS; f++) {
			struct letter r = at_b(tagged, f, 0, f);

			CHECK_EQ(recv_by(p.b.ep, f, rbuf + 4096 * f, 4096, &r), 0);
		}
	CHECK(quiet(p.b.rxcq));
	CHECK(all_bytes(rbuf, 65536, 0xee));
	for (tagged = 0; tagged < nkinds(); tagged++)
		for (f = 0; f < RECV_FORMS; f++) {
			struct letter r = at_b(tagged, f, 0, f), s = to_b(tagged, f, 0, 9);

			memset(rbuf + 4096 * f, 0xee, 4096);
			pattern_fill(sbuf, 1000, f);
			CHECK_EQ(send_by(p.a.ep, FORM_SEND, sbuf, 1000, &s), 0);
			CHECK(sent_as(&s));
			CHECK(got_as(&r, &s, FORM_SEND, 1000));
			CHECK(pattern_is(rbuf + 4096 * f, 1000, f));
			CHECK(all_bytes(rbuf + 4096 * f + 1000, 3096, 0xee));
		}
	return true;
}

/* Each call of one kind at A returns @want. */
static bool sends_give(bool tagged, fi_addr_t to, ssize_t want)
{
	struct letter s = to_b(tagged, 5, VALUE, 1);
	enum send_form f;

	s.peer = to;
	for (f = 0; f < SEND_FORMS; f++)
		CHECK_EQ(send_by(p.a.ep, f, sbuf, 8, &s), want);
	return true;
}

static bool not_enabled(void)
{
	enum recv_form f;
	int tagged;

	CHECK(side_open(&p.a, 0, &p.o));
	CHECK(more_cq(&p.a));
	CHECK_EQ(fi_endpoint(p.a.domain, p.a.info, &p.a.ep, NULL), 0);
	CHECK_EQ(fi_ep_bind(p.a.ep, &p.a.txcq->fid, FI_TRANSMIT | FI_RECV), 0);
	for (tagged = 0; tagged < nkinds(); tagged++) {
		struct letter r = at_b(tagged, 5, 0, 1);

		CHECK(sends_give(tagged, 0, -FI_EOPBADSTATE));
		for (f = 0; f < RECV_FORMS; f++)
			CHECK_EQ(recv_by(p.a.ep, f, rbuf, 64, &r), -FI_EOPBADSTATE);
	}
	return quiet(p.a.txcq);
}

/* Each side posts before any connection is asked for. */
static bool posted_early(void)
{
	struct fi_cq_tagged_entry c;
	uint32_t type;
	union cm cm;

	CHECK(listening());
	CHECK(side_endpoint(&p.a, p.a.info, &p.o));
	CHECK_EQ(fi_recv(p.a.ep, rbuf, 64, NULL, FI_ADDR_UNSPEC, ctx(1)), 0);
	CHECK_EQ(fi_connect(p.a.ep, addr, NULL, 0), 0);
	CHECK_EQ(event(p.b.eq, &type, &cm, sizeof(cm)), sizeof(cm.e));
	CHECK_EQ(type, FI_CONNREQ);
	CHECK(side_endpoint(&p.b, cm.e.info, &p.o));
	CHECK(post_plain(rbuf + 4096, 64, 2));
	CHECK_EQ(fi_accept(p.b.ep, NULL, 0), 0);
	fi_freeinfo(cm.e.info);
	CHECK(is_connected(&p.a, &cm, 0));
	CHECK(send_plain(40, 7, 3));
	/* B has not read its own event */
	CHECK(is_received(2, 40, false, 0));
	CHECK(pattern_is(rbuf + 4096, 40, 7));
	CHECK(is_connected(&p.b, &cm, 0));
	pattern_fill(sbuf, 50, 8);
	CHECK_EQ(fi_send(p.b.ep, sbuf, 50, NULL, 0, ctx(4)), 0);
	CHECK_EQ(completion(p.b.txcq, &c, NULL, NULL), 1);
	CHECK(c.op_context == ctx(4));
	CHECK_EQ(completion(p.a.rxcq, &c, NULL, NULL), 1);
	CHECK(c.op_context == ctx(1));
	CHECK_EQ(c.len, 50);
	return pattern_is(rbuf, 50, 8);
}

/* Both directions at once; then with one queue for both. */
static bool own_queue(void)
{
	struct fi_cq_tagged_entry c;
	bool sent = false, got = false;
	int i;

	CHECK(post_plain(rbuf, 64, 1));
	CHECK_EQ(fi_recv(p.a.ep, rbuf + 64, 64, NULL, FI_ADDR_UNSPEC, ctx(2)), 0);
	CHECK_EQ(fi_send(p.a.ep, sbuf, 8, NULL, p.a.peer, ctx(3)), 0);
	CHECK_EQ(fi_send(p.b.ep, sbuf, 9, NULL, p.b.peer, ctx(4)), 0);
	CHECK(is_sent(3));
	CHECK(is_received(1, 8, false, 0));
	CHECK_EQ(completion(p.b.txcq, &c, NULL, NULL), 1);
	CHECK(c.op_context == ctx(4) && c.flags & FI_SEND);
	CHECK_EQ(completion(p.a.rxcq, &c, NULL, NULL), 1);
	CHECK(c.op_context == ctx(2) && c.flags & FI_RECV);
	CHECK_EQ(c.len, 9);
	CHECK(quiet(p.a.txcq) && quiet(p.a.rxcq) && quiet(p.b.txcq) && quiet(p.b.rxcq));

	p.o.one_cq = true;
	CHECK(pair_again());
	CHECK(post_plain(rbuf, 64, 1));
	CHECK_EQ(fi_recv(p.a.ep, rbuf + 64, 64, NULL, FI_ADDR_UNSPEC, ctx(2)), 0);
	CHECK_EQ(fi_send(p.a.ep, sbuf, 8, NULL, p.a.peer, ctx(3)), 0);
	CHECK(is_received(1, 8, false, 0));
	CHECK_EQ(fi_inject(p.b.ep, sbuf, 9, p.b.peer), 0);
	for (i = 0; i < 2; i++) {
		CHECK_EQ(completion(p.a.rxcq, &c, NULL, NULL), 1);
		if (c.flags & FI_SEND) {
			CHECK(c.op_context == ctx(3) && !sent);
			sent = true;
		} else {
			CHECK(c.op_context == ctx(2) && !got);
			CHECK_EQ(c.len, 9);
			got = true;
		}
	}
	return sent && got;
}

/* ---- Tags ----------------------------------------------------------------------------- */

static bool nowhere_to_send(void)
{
	CHECK(side_open(&p.a, 0, &p.o));
	CHECK(side_endpoint(&p.a, p.a.info, &p.o));
	if (p.o.type == FI_EP_MSG) {
		CHECK(sends_give(true, 0, -FI_ENOTCONN));
	} else {
		CHECK(sends_give(true, 0, -FI_EINVAL));
		CHECK(sends_give(true, 12345, -FI_EINVAL));
		CHECK(sends_give(true, FI_ADDR_UNSPEC, -FI_EINVAL));
		CHECK(sends_give(true, FI_ADDR_NOTAVAIL, -FI_EINVAL));
	}
	return quiet(p.a.txcq);
}

/* B itself is the second sender. */
static bool directed_tags(void)
{
	struct fi_cq_tagged_entry c;
	fi_addr_t self, src;
	uint8_t name[64];
	size_t len = sizeof(name);

	CHECK_EQ(fi_getname(&p.b.ep->fid, name, &len), 0);
	CHECK_EQ(fi_av_insert(p.b.av, name, 1, &self, 0, NULL), 1);
	CHECK_EQ(fi_trecv(p.b.ep, rbuf, 64, NULL, self, 5, 0, ctx(1)), 0);
	CHECK_EQ(fi_trecv(p.b.ep, rbuf, 64, NULL, p.b.peer, 5, 0, ctx(2)), 0);
	CHECK_EQ(fi_trecv(p.b.ep, rbuf, 64, NULL, p.b.peer, 6, 0, ctx(3)), 0);
	/* from A: the tag of the first message, and then that of the last */
	CHECK(send_tagged(8, 5, 1, 9));
	CHECK(is_received(2, 8, true, 5));
	CHECK(send_tagged(9, 6, 1, 9));
	CHECK(is_received(3, 9, true, 6));
	/* the right tag of the wrong sender waits for a receive of its own */
	CHECK(send_tagged(10, 5, 2, 9));
	CHECK(quiet(p.b.rxcq));
	CHECK_EQ(fi_tinject(p.b.ep, sbuf, 11, self, 5), 0);
	CHECK_EQ(completion(p.b.rxcq, &c, &src, NULL), 1);
	CHECK(c.op_context == ctx(1));
	CHECK_EQ(c.len, 11);
	CHECK_EQ(src, self);
	CHECK_EQ(fi_trecv(p.b.ep, rbuf, 64, NULL, p.b.peer, 5, 0, ctx(4)), 0);
	CHECK(is_received(4, 10, true, 5));
	return pattern_is(rbuf, 10, 2);
}

/* A requested tag format is granted, and its fields are matched. */
static bool tag_formats(void)
{
	static const uint64_t formats[] = {
		0, ~0ull, 0xaaaaaaaaaaaaaaaaull, 0x8000000000000000ull, 0xf0f0f0f0f0f0f0f0ull,
		0x00ff0000ffff0001ull
	};
	unsigned int i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		uint64_t bits = formats[i] ? formats[i] : ~0ull;
		struct letter r, s;

		p.o.tag_format = formats[i];
		CHECK(pair_again());
		CHECK(p.a.info->ep_attr->mem_tag_format);
		if (formats[i])
			CHECK_EQ(p.a.info->ep_attr->mem_tag_format, formats[i]);
		r = at_b(true, bits & 0x123456789abcdef0ull, 0, 1);
		s = to_b(true, r.tag, 0, 2);
		CHECK(exchange(FORM_RECV, &r, FORM_SEND, &s, 8));
		/* another tag, of the last field or of the first */
		s.tag = r.tag ^ (bits & -bits);
		r.tag = s.tag;
		CHECK(exchange(FORM_RECV, &r, FORM_SEND, &s, 8));
		s.tag = r.tag ^ 1ull << 63;
		r.tag = s.tag;
		CHECK(exchange(FORM_RECV, &r, FORM_SEND, &s, 8));
	}
	return true;
}

/* Completions of a format without a data field have no data, and so has the peek. */
static bool peek_formats(void)
{
	struct iovec iov = { sbuf, 100 };
	int format, with;

	for (format = FI_CQ_FORMAT_CONTEXT; format <= FI_CQ_FORMAT_TAGGED; format++) {
		p.o.format = format;
		CHECK(pair_again());
		pattern_fill(sbuf, 100, format);
		for (with = 0; with < 2; with++) {
			struct fi_msg_tagged m = {
				.msg_iov = &iov, .iov_count = 1, .addr = p.a.peer, .tag = 5,
				.context = ctx(2)
			};
			struct fi_cq_tagged_entry c = { .buf = rbuf + 1 };

			/* a peek finds a message that A knows to be delivered */
			CHECK_EQ(fi_tsendmsg(p.a.ep, &m, FI_DELIVERY_COMPLETE), 0);
			CHECK(is_sent(2));
			memset(rbuf, 0xee, 256);
			CHECK_EQ(look(FI_PEEK, with ? rbuf : NULL, 64, 5, 0, 3), 0);
			CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
			CHECK(c.op_context == ctx(3));
			if (format >= FI_CQ_FORMAT_MSG) {
				CHECK_EQ(c.flags, FI_TAGGED | FI_RECV);
				CHECK_EQ(c.len, 100);
			}
			if (format >= FI_CQ_FORMAT_DATA)
				CHECK(c.buf == (with ? rbuf : NULL) || !c.buf);
			if (format == FI_CQ_FORMAT_TAGGED)
				CHECK_EQ(c.tag, 5);
			if (!with || format < FI_CQ_FORMAT_DATA)
				CHECK(all_bytes(rbuf, 256, 0xee));
			CHECK(post_tagged(rbuf, 256, 5, 0, 4));
			CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
			CHECK(c.op_context == ctx(4));
			CHECK(pattern_is(rbuf, 100, format));
		}
	}
	return true;
}

static const struct row rows[] = {
	ROW("MSG-003", ON_ALL, "A receive with a structure and no flags is like one without",
	    recvs_alike),
	ROW("MSG-006", ON_ALL, "Each field of a send's structure counts", msg_fields),
	ROW("MSG-007", ON_ALL, "After an inject the buffer belongs to the caller", plain_injects,
	    .o.counters = true),
	ROW("MSG-008", ON_ALL, "An inject writes no entry on success, and is counted",
	    plain_injects, .o.counters = true),
	ROW("MSG-010", ON_ALL, "Injects carry up to and including inject_size bytes",
	    plain_injects, .o.counters = true),
	ROW("MSG-012", ON_ALL, "An inject with data is an inject, of no bytes as well",
	    data_injects, .o.counters = true),
	ROW("MSG-018", ON_ALL, "Descriptors may be there or not", descriptors),
	ROW("MSG-019", ON_ALL, "Each context comes back once, and may be NULL", contexts),
	ROW("MSG-020", ON_ALL, "A context that nothing is told of is not looked at",
	    blind_contexts, .o.selective = true, .o.counters = true),
	ROW("MSG-021", ON_ALL, "A receive returns at once, and its buffer is left alone",
	    asynchronous),
	ROW("MSG-022", ON_ALL, "Nothing is sent or received before the endpoint is enabled",
	    not_enabled, .alone = true, .once = true),
	ROW("MSG-023", ON_MSG, "Receives may be posted before connect or accept", posted_early,
	    .alone = true),
	ROW("MSG-024", ON_ALL, "Completions go to the queue of their direction", own_queue),
	ROW("TAG-007", ON_BOTH, "Each form delivers tag, data and contents to each form",
	    tagged_matrix),
	ROW("TAG-008", ON_BOTH, "All forms of tagged receives post alike", trecvs_alike),
	ROW("TAG-009", ON_BOTH, "The tag in the entry is the sender's, all of it", whole_tag),
	ROW("TAG-010", ON_BOTH, "A tagged inject frees its buffer, and is silent", tagged_injects,
	    .o.counters = true),
	ROW("TAG-011", ON_BOTH, "Sending needs a connection, or a destination", nowhere_to_send,
	    .alone = true, .once = true),
	ROW("TAG-012", ON_RDM, "Selection by source and by tag combine", directed_tags,
	    .o.caps = FI_DIRECTED_RECV),
	ROW("TAG-013", ON_BOTH, "A format of tags that is asked for is given", tag_formats),
	ROW("TAG-026", ON_BOTH, "A peek works with queues of all formats", peek_formats),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
