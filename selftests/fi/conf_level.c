// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_msg(3) and fi_tagged(3), rule by rule: flags of operations, and the levels at which they are
 * complete. TIMEOUT: 900 LINKS: vnet loop slow
 */
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "link.h"

#define LONG	(1u << 20)	/* this length stays at the sender until a receive takes it */
#define SHORT	500u		/* this length does not */

/* System calls of this thread: the library's calls pass here. */
static _Thread_local unsigned int calls;

int ioctl(int fd, unsigned long req, ...)
{
	void *arg;
	va_list ap;

	va_start(ap, req);
	arg = va_arg(ap, void *);
	va_end(ap);
	calls++;
	return syscall(SYS_ioctl, fd, req, arg);
}

/* Default flags of calls without flags, from now on. @half: FI_TRANSMIT, FI_RECV */
static bool set_default(struct side *s, uint64_t half, uint64_t flags)
{
	uint64_t arg = half | flags;

	CHECK_EQ(fi_control(&s->ep->fid, FI_SETOPSFLAG, &arg), 0);
	arg = half;
	CHECK_EQ(fi_control(&s->ep->fid, FI_GETOPSFLAG, &arg), 0);
	CHECK_EQ(arg & flags, flags);
	return true;
}

/* The @n-th message since the beginning, without a completion on either side. */
static bool silent(enum recv_form rf, const struct letter *r, enum send_form sf,
		   const struct letter *s, uint64_t n)
{
	memset(rbuf, 0xee, 256);
	pattern_fill(sbuf, 100, n);
	CHECK_EQ(recv_by(p.b.ep, rf, rbuf, 128, r), 0);
	CHECK_EQ(send_by(p.a.ep, sf, sbuf, 100, s), 0);
	CHECK_EQ(fi_cntr_wait(p.b.rxcntr, n, WAIT_MS), 0);
	CHECK_EQ(fi_cntr_wait(p.a.txcntr, n, WAIT_MS), 0);
	CHECK(pattern_is(rbuf, 100, n));
	CHECK(all_bytes(rbuf + 100, 156, 0xee));
	return quiet(p.a.txcq) && quiet(p.b.rxcq);
}

/* ---- Which operations complete with an entry ------------------------------------------ */

static bool flags_replace(void)
{
	uint64_t n = 0;
	int tagged;

	for (tagged = 0; tagged < nkinds(); tagged++) {
		struct letter r = at_b(tagged, 5, 0, 1), s = to_b(tagged, 5, 0, 2);

		CHECK(set_default(&p.a, FI_TRANSMIT, FI_COMPLETION));
		CHECK(set_default(&p.b, FI_RECV, FI_COMPLETION));
		CHECK(exchange(FORM_RECV, &r, FORM_SEND, &s, 100));
		n++;
		s.flags = 0;
		CHECK(silent(FORM_RECVMSG, &r, FORM_SENDMSG, &s, ++n));
		s.flags = FI_COMPLETION;
		r.flags = FI_COMPLETION;
		CHECK(exchange(FORM_RECVMSG, &r, FORM_SENDMSG, &s, 100));
		n++;
		CHECK(set_default(&p.a, FI_TRANSMIT, 0));
		CHECK(set_default(&p.b, FI_RECV, 0));
		CHECK(silent(FORM_RECVV, &r, FORM_SENDV, &s, ++n));
		CHECK(exchange(FORM_RECVMSG, &r, FORM_SENDMSG, &s, 100));
		n++;
	}
	return true;
}

static bool data_by_flag(void)
{
	unsigned int i;
	int tagged;

	for (tagged = 0; tagged < nkinds(); tagged++)
		for (i = 0; i < 6; i++) {
			struct letter r = at_b(tagged, 5, 0, 1), s = to_b(tagged, 5, 100 + i, 2);

			s.flags = i & 1 ? FI_REMOTE_CQ_DATA : 0;
			CHECK(exchange(FORM_RECV, &r, FORM_SENDMSG, &s, 10 * i));
		}
	return true;
}

static bool completion_flag(void)
{
	uint64_t n = 0;
	int tagged;

	for (tagged = 0; tagged < nkinds(); tagged++) {
		struct letter r = at_b(tagged, 5, 0, 1), s = to_b(tagged, 5, 0, 2);

		s.flags = 0;
		CHECK(exchange(FORM_RECVMSG, &r, FORM_SENDMSG, &s, 100));
		s.flags = FI_COMPLETION;
		r.flags = FI_COMPLETION;
		CHECK(exchange(FORM_RECVMSG, &r, FORM_SENDMSG, &s, 100));
	}
	p.o.selective = true;
	p.o.counters = true;
	CHECK(pair_again());
	for (tagged = 0; tagged < nkinds(); tagged++) {
		struct letter r = at_b(tagged, 5, 0, 1), s = to_b(tagged, 5, 0, 2);

		s.flags = 0;
		CHECK(silent(FORM_RECVMSG, &r, FORM_SENDMSG, &s, ++n));
		s.flags = FI_COMPLETION;
		r.flags = FI_COMPLETION;
		CHECK(exchange(FORM_RECVMSG, &r, FORM_SENDMSG, &s, 100));
		n++;
	}
	return true;
}

/* A message that is too long for its receive; a send whose receiver dies first. */
static bool errors_told(void)
{
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e = {};
	int tagged;

	for (tagged = 0; tagged < nkinds(); tagged++) {
		struct letter r = at_b(tagged, 5, 0, 1), s = to_b(tagged, 5, 0, 2);

		s.flags = 0;
		CHECK_EQ(recv_by(p.b.ep, FORM_RECVMSG, rbuf, 60, &r), 0);
		CHECK_EQ(send_by(p.a.ep, FORM_SENDMSG, sbuf, 100, &s), 0);
		CHECK(is_failed(1, FI_ETRUNC, &e));
		CHECK_EQ(e.olen, 40);
		CHECK_EQ(e.flags, FI_RECV | (tagged ? FI_TAGGED : FI_MSG));
		CHECK(quiet(p.a.txcq));
		if (p.o.type == FI_EP_DGRAM)
			continue;
		CHECK_EQ(send_by(p.a.ep, FORM_SENDMSG, sbuf, LONG, &s), 0);
		CHECK_EQ(fi_close(&p.b.ep->fid), 0);
		p.b.ep = NULL;
		CHECK_EQ(completion(p.a.txcq, &c, NULL, &e), -FI_EAVAIL);
		CHECK(e.err > 0 && e.op_context == ctx(2));
		CHECK_EQ(e.flags, FI_SEND | (tagged ? FI_TAGGED : FI_MSG));
		CHECK(quiet(p.a.txcq));
		CHECK(pair_again());
	}
	return true;
}

/* ---- FI_MORE -------------------------------------------------------------------------- */

/* B has @n datagrams of 64 bytes, in whatever order: each in one receive, each receive once. */
static bool got_unordered(unsigned int n)
{
	unsigned int i, k, seeds = 0, used = 0;
	struct fi_cq_tagged_entry c;
	unsigned char want[64];

	while (used != (1u << n) - 1) {
		CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
		for (k = 0; k < n && c.op_context != ctx(10 + k); k++)
			;
		CHECK(k < n && !(used & 1u << k));
		used |= 1u << k;
		CHECK_EQ(c.len, 64);
		for (i = 0; i < n; i++) {
			pattern_fill(want, 64, i);
			if (!(seeds & 1u << i) && !memcmp(want, rbuf + 64 * k, 64))
				break;
		}
		CHECK(i < n);
		seeds |= 1u << i;
	}
	return quiet(p.b.rxcq);
}

/* B has @n messages of 64 bytes, one behind the other. */
static bool got_batch(unsigned int n, bool tagged, uint64_t tag)
{
	struct letter s = to_b(tagged, tag, 0, 0);
	unsigned int i;

	if (p.o.type == FI_EP_DGRAM)
		return got_unordered(n);
	s.flags = 0;
	for (i = 0; i < n; i++) {
		struct letter r = at_b(tagged, tag, 0, 10 + i);

		CHECK(got_as(&r, &s, FORM_SENDMSG, 64));
		CHECK(pattern_is(rbuf + 64 * i, 64, i));
	}
	return true;
}

/* Sends with FI_MORE but for the last, if @ends. Return: the calls it took, -1: refused. */
static int send_batch(unsigned int n, bool tagged, uint64_t more, bool ends)
{
	unsigned int before = calls, i;

	for (i = 0; i < n; i++) {
		struct letter s = to_b(tagged, 5, 0, 2);

		s.flags = FI_INJECT | (ends && i == n - 1 ? 0 : more);
		pattern_fill(sbuf, 64, i);
		if (send_by(p.a.ep, FORM_SENDMSG, sbuf, 64, &s))
			return -1;
	}
	return calls - before;
}

static bool sent_batch(unsigned int n, bool tagged)
{
	struct letter s = to_b(tagged, 5, 0, 2);

	while (n--)
		CHECK(sent_as(&s));
	return true;
}

static bool more_sends(void)
{
	unsigned int i;
	int tagged, one, each;

	for (tagged = 0; tagged < nkinds(); tagged++) {
		/* nobody looks at A: what is held back goes all the same */
		for (i = 0; i < 16; i++) {
			struct letter r = at_b(tagged, 5, 0, 10 + i);

			CHECK_EQ(recv_by(p.b.ep, FORM_RECV, rbuf + 64 * i, 64, &r), 0);
		}
		CHECK(send_batch(16, tagged, FI_MORE, false) >= 0);
		CHECK(got_batch(16, tagged, 5));
		CHECK(sent_batch(16, tagged));
		/* a batch costs one call at most (an engine that polls saves that, too) */
		for (i = 0; i < 30; i++) {
			struct letter r = at_b(tagged, 5, 0, 10 + i % 15);

			CHECK_EQ(recv_by(p.b.ep, FORM_RECV, rbuf + 64 * (i % 15), 64, &r), 0);
		}
		one = send_batch(15, tagged, FI_MORE, true);
		CHECK(one == 0 || one == 1);
		CHECK(got_batch(15, tagged, 5));
		CHECK(sent_batch(15, tagged));
		each = send_batch(15, tagged, 0, true);
		CHECK(each >= one && each <= 15);
		CHECK(got_batch(15, tagged, 5));
		CHECK(sent_batch(15, tagged));
	}
	return true;
}

/* A message meets receives that are held back, though B neither posts nor reads any more. */
static bool more_receives(void)
{
	unsigned int i;
	int tagged;

	for (tagged = 0; tagged < nkinds(); tagged++) {
		struct letter s = to_b(tagged, 5, 0, 2);

		for (i = 0; i < 10; i++) {
			struct letter r = at_b(tagged, 5, 0, 10 + i);

			r.flags = FI_MORE;
			CHECK_EQ(recv_by(p.b.ep, FORM_RECVMSG, rbuf + 64 * i, 64, &r), 0);
		}
		for (i = 0; i < 10; i++) {
			pattern_fill(sbuf, 64, i);
			s.flags = p.o.type == FI_EP_DGRAM ? 0 : FI_MATCH_COMPLETE;
			CHECK_EQ(send_by(p.a.ep, FORM_SENDMSG, sbuf, 64, &s), 0);
			CHECK(sent_as(&s));
		}
		CHECK(got_batch(10, tagged, 5));
	}
	return true;
}

/* ---- FI_INJECT ------------------------------------------------------------------------ */

static bool inject_flag(void)
{
	size_t most = p.a.info->tx_attr->inject_size;
	size_t lens[] = { 0, 1, 300, most };
	unsigned int i;
	int tagged;

	for (tagged = 0; tagged < nkinds(); tagged++) {
		struct letter r = at_b(tagged, 5, 0, 1), s = to_b(tagged, 5, 0, 2);

		s.flags = FI_INJECT;
		for (i = 0; i < 4; i++) {
			memset(rbuf, 0xee, most + 64);
			CHECK_EQ(recv_by(p.b.ep, FORM_RECV, rbuf, most, &r), 0);
			CHECK(send_gone(FORM_SENDMSG, &s, lens[i], i));
			CHECK(sent_as(&s));
			CHECK(got_as(&r, &s, FORM_SENDMSG, lens[i]));
			CHECK(pattern_is(rbuf, lens[i], i));
			CHECK(all_bytes(rbuf + lens[i], 64, 0xee));
		}
		CHECK(quiet(p.a.txcq));
	}
	return true;
}

static bool inject_limit(void)
{
	size_t most = p.a.info->tx_attr->inject_size;
	int tagged;

	CHECK(most >= 64 && most < ROOM / 2);
	for (tagged = 0; tagged < nkinds(); tagged++) {
		struct letter r = at_b(tagged, 5, 0, 1), s = to_b(tagged, 5, 0, 2);

		s.flags = FI_INJECT;
		CHECK_EQ(send_by(p.a.ep, FORM_SENDMSG, sbuf, most + 1, &s), -FI_EMSGSIZE);
		CHECK(quiet(p.a.txcq));
		CHECK(exchange(FORM_RECV, &r, FORM_SENDMSG, &s, most));
		CHECK_EQ(send_by(p.a.ep, FORM_SENDMSG, sbuf, most + 1, &s), -FI_EMSGSIZE);
	}
	return true;
}

/* ---- Levels --------------------------------------------------------------------------- */

static struct letter at_level(bool tagged, uint64_t level)
{
	struct letter s = to_b(tagged, 5, 0, 2);

	s.flags = level;
	return s;
}

/* The path to B is up. */
static bool warm(bool tagged)
{
	struct letter r = at_b(tagged, 5, 0, 1), s = at_level(tagged, 0);

	return exchange(FORM_RECV, &r, FORM_SENDMSG, &s, SHORT);
}

/* Check what is at B, or on its way: message @seed of @len bytes. */
static bool comes(bool tagged, size_t len, uint32_t seed)
{
	struct letter r = at_b(tagged, 5, 0, 1), s = at_level(tagged, 0);

	memset(rbuf, 0xee, len + 64);
	CHECK_EQ(recv_by(p.b.ep, FORM_RECV, rbuf, len + 64, &r), 0);
	CHECK(got_as(&r, &s, FORM_SENDMSG, len));
	CHECK(pattern_is(rbuf, len, seed));
	return all_bytes(rbuf + len, 64, 0xee);
}

/* Cut or mend the link while a level is tested; where there is none it is not cut. */
enum link_use { LEAVE, CUT, CUT_TWICE };

/* Complete at once, whatever happens to the message; the buffer may be overwritten. */
static bool is_inject(enum send_form f, const struct letter *s, enum link_use use)
{
	bool cut = use != LEAVE && link_there();

	CHECK(!cut || link_cut());
	pattern_fill(sbuf, SHORT, 3);
	CHECK_EQ(send_by(p.a.ep, f, sbuf, SHORT, s), 0);
	CHECK(sent_as(s));
	memset(sbuf, 0x55, SHORT);
	CHECK(link_mend());
	/* a datagram is lost, or no receive was posted */
	return p.o.type == FI_EP_DGRAM || comes(s->tagged, SHORT, 3);
}

/* Complete when B's node has the message, and no later: from then on no link is needed. */
static bool is_transmit(enum send_form f, const struct letter *s, enum link_use use)
{
	bool cut = use != LEAVE && link_there(), ok;

	CHECK(!cut || link_cut());
	pattern_fill(sbuf, SHORT, 4);
	CHECK_EQ(send_by(p.a.ep, f, sbuf, SHORT, s), 0);
	ok = !cut || quiet(p.a.txcq);
	CHECK(link_mend());
	CHECK(ok);
	CHECK(sent_as(s));
	memset(sbuf, 0x55, SHORT);
	CHECK(!cut || use != CUT_TWICE || link_cut());
	CHECK(comes(s->tagged, SHORT, 4));
	return link_mend();
}

/* Complete only after a receive has the message. */
static bool is_match(enum send_form f, const struct letter *s)
{
	pattern_fill(sbuf, SHORT, 5);
	CHECK_EQ(send_by(p.a.ep, f, sbuf, SHORT, s), 0);
	CHECK(quiet(p.a.txcq));
	CHECK(comes(s->tagged, SHORT, 5));
	return sent_as(s);
}

static bool observed(uint64_t level, enum send_form f, const struct letter *s,
		     enum link_use use)
{
	if (level & FI_MATCH_COMPLETE)
		return is_match(f, s);
	if (level & (FI_DELIVERY_COMPLETE | FI_TRANSMIT_COMPLETE))
		return is_transmit(f, s, use);
	return is_inject(f, s, use);
}

static bool each_kind(bool (*run)(bool tagged))
{
	bool ok = true;
	int tagged;

	for (tagged = 0; ok && tagged < nkinds(); tagged++)
		ok = warm(tagged) && run(tagged);
	return link_over(ok);
}

static bool inject_at(bool tagged)
{
	struct letter s = at_level(tagged, FI_INJECT_COMPLETE);

	return is_inject(FORM_SENDMSG, &s, CUT);
}

static bool inject_level(void)
{
	return each_kind(inject_at);
}

static bool transmit_at(bool tagged)
{
	struct letter s = at_level(tagged, FI_TRANSMIT_COMPLETE);

	CHECK(is_transmit(FORM_SENDMSG, &s, CUT_TWICE));
	/* B's node does not take a long message before a receive takes it */
	pattern_fill(sbuf, LONG, 6);
	CHECK_EQ(send_by(p.a.ep, FORM_SENDMSG, sbuf, LONG, &s), 0);
	CHECK(quiet(p.a.txcq));
	CHECK(comes(tagged, LONG, 6));
	return sent_as(&s);
}

static bool transmit_level(void)
{
	return each_kind(transmit_at);
}

/*
 * When A knows, B need not wait: the bytes are there, those of a short message in its queue. The
 * entry of a long one may come later.
 */
static bool delivered_at(bool tagged, size_t len)
{
	struct letter r = at_b(tagged, 5, 0, 1), s = at_level(tagged, FI_DELIVERY_COMPLETE);
	struct fi_cq_tagged_entry c;

	memset(rbuf, 0xee, len + 64);
	pattern_fill(sbuf, len, len);
	CHECK_EQ(recv_by(p.b.ep, FORM_RECV, rbuf, len, &r), 0);
	CHECK_EQ(send_by(p.a.ep, FORM_SENDMSG, sbuf, len, &s), 0);
	CHECK(sent_as(&s));
	if (len > 1000) {
		CHECK(pattern_is(rbuf, len, len));
		CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
	} else {
		CHECK_EQ(fi_cq_read(p.b.rxcq, &c, 1), 1);
	}
	CHECK(c.op_context == r.context);
	CHECK_EQ(c.len, len);
	CHECK(pattern_is(rbuf, len, len));
	return all_bytes(rbuf + len, 64, 0xee);
}

static bool delivery_at(bool tagged)
{
	struct letter s = at_level(tagged, FI_DELIVERY_COMPLETE);

	CHECK(delivered_at(tagged, 100));
	CHECK(delivered_at(tagged, 3000));
	CHECK(delivered_at(tagged, LONG));
	/* short and without a receive: B keeps the message, and A is told */
	CHECK(is_transmit(FORM_SENDMSG, &s, LEAVE));
	pattern_fill(sbuf, LONG, 7);
	CHECK_EQ(send_by(p.a.ep, FORM_SENDMSG, sbuf, LONG, &s), 0);
	CHECK(quiet(p.a.txcq));
	CHECK(comes(tagged, LONG, 7));
	return sent_as(&s);
}

static bool delivery_level(void)
{
	return each_kind(delivery_at);
}

static bool receives_at(void)
{
	static const uint64_t levels[] = { FI_INJECT_COMPLETE, FI_TRANSMIT_COMPLETE,
					   FI_DELIVERY_COMPLETE };
	unsigned int i;
	int tagged;

	for (tagged = 0; tagged < nkinds(); tagged++)
		for (i = 0; i < 3; i++) {
			struct letter r = at_b(tagged, 5, 0, 1), s = at_level(tagged, 0);

			r.flags = levels[i];
			CHECK(exchange(FORM_RECVMSG, &r, FORM_SENDMSG, &s, 100));
			CHECK(exchange(FORM_RECVMSG, &r, FORM_SENDMSG, &s, 1100));
		}
	return true;
}

/* As the default of the endpoint; as that of its info; by a flag, which replaces the default. */
static bool levels_at(void)
{
	static const uint64_t levels[] = {
		0, FI_INJECT_COMPLETE, FI_TRANSMIT_COMPLETE, FI_DELIVERY_COMPLETE,
		FI_MATCH_COMPLETE, FI_INJECT_COMPLETE | FI_TRANSMIT_COMPLETE,
		FI_TRANSMIT_COMPLETE | FI_MATCH_COMPLETE
	};
	uint64_t all = FI_INJECT_COMPLETE | FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE |
		       FI_MATCH_COMPLETE, flags;
	unsigned int i;

	for (i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		struct letter s = at_level(i & 1, levels[i]);

		p.o.tx_flags = levels[i];
		CHECK(pair_again());
		CHECK(warm(i & 1));
		s.peer = p.a.peer;
		flags = FI_TRANSMIT;
		CHECK_EQ(fi_control(&p.a.ep->fid, FI_GETOPSFLAG, &flags), 0);
		CHECK_EQ(flags & all, p.a.info->tx_attr->op_flags & all);
		CHECK_EQ(flags & all, levels[i] ? levels[i] : FI_INJECT_COMPLETE);
		CHECK(observed(flags, FORM_SEND, &s, CUT));
		/* by flag, with a default of FI_MATCH_COMPLETE or without */
		CHECK(set_default(&p.a, FI_TRANSMIT, levels[i] & FI_MATCH_COMPLETE ?
				  FI_INJECT_COMPLETE : FI_MATCH_COMPLETE));
		CHECK(observed(levels[i], FORM_SENDMSG, &s, LEAVE));
		CHECK(levels[i] & FI_MATCH_COMPLETE ? is_inject(FORM_SEND, &s, LEAVE) :
						     is_match(FORM_SEND, &s));
	}
	return true;
}

static bool levels(void)
{
	bool ok = levels_at();

	return link_over(ok);
}

/* ---- Fences --------------------------------------------------------------------------- */

/* A long message of one kind without a receive, and a fenced one of the other kind. */
static bool fenced_behind(bool tagged)
{
	struct letter first = at_level(tagged, 0), fenced = at_level(!tagged, FI_FENCE);
	struct letter r = at_b(!tagged, 5, 0, 3);

	fenced.context = ctx(4);
	CHECK_EQ(recv_by(p.b.ep, FORM_RECV, rbuf + 2 * LONG, 64, &r), 0);
	pattern_fill(sbuf, LONG, 8);
	pattern_fill(sbuf + LONG, 64, 9);
	CHECK_EQ(send_by(p.a.ep, FORM_SENDMSG, sbuf, LONG, &first), 0);
	CHECK_EQ(send_by(p.a.ep, FORM_SENDMSG, sbuf + LONG, 64, &fenced), 0);
	CHECK(quiet(p.b.rxcq) && quiet(p.a.txcq));
	CHECK(comes(tagged, LONG, 8));
	CHECK(got_as(&r, &fenced, FORM_SENDMSG, 64));
	CHECK(pattern_is(rbuf + 2 * LONG, 64, 9));
	CHECK(sent_as(&first));
	return sent_as(&fenced);
}

static bool fences(void)
{
	return fenced_behind(false) && fenced_behind(true);
}

#define QUIETLY .o.selective = true, .o.counters = true

static const struct row rows[] = {
	ROW("MSG-030", ON_ALL, "Flags of a call replace the defaults of the endpoint",
	    flags_replace, QUIETLY),
	ROW("MSG-031", ON_ALL, "FI_REMOTE_CQ_DATA sends the data, which else is ignored",
	    data_by_flag),
	ROW("MSG-032", ON_ALL, "FI_COMPLETION counts with selective completion only",
	    completion_flag),
	ROW("MSG-033", ON_ALL, "Errors are told whatever is suppressed", errors_told, QUIETLY),
	ROW("MSG-034", ON_ALL, "FI_MORE holds no send back for ever, and saves calls",
	    more_sends),
	ROW("MSG-035", ON_ALL, "FI_MORE holds no receive back from a message", more_receives),
	ROW("MSG-036", ON_ALL, "FI_INJECT frees the buffer and suppresses nothing", inject_flag),
	ROW("MSG-037", ON_ALL, "FI_INJECT carries inject_size bytes at most", inject_limit),
	ROW("MSG-047", ON_ALL, "Inject complete: the buffer may be used again", inject_level),
	ROW("MSG-048", ON_BOTH, "Transmit complete: the peer's node has the message",
	    transmit_level),
	ROW("MSG-050", ON_BOTH, "Delivery complete: the peer's side has processed the message",
	    delivery_level),
	ROW("MSG-051", ON_ALL, "A receive may name a level", receives_at),
	ROW("MSG-052", ON_BOTH, "The level is that of the flags or the default, the strongest",
	    levels),
	ROW("TAG-016", ON_BOTH, "A fence holds back tagged and untagged sends alike", fences,
	    .o.caps = FI_FENCE),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
