// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Random programs on the provider and on a simple model of it: the results are equal.
 *
 *	fi_random [TYPE APART SEED [COUNT]]
 *
 * TYPE is rdm or msg, APART 0 or 1: run that seed, or COUNT seeds from there on.
 *
 * A program is a row of steps: sends by A; receives, cancels, peeks, claims and discards by B. A
 * second message follows each send, and B waits for it. Messages keep their order. So the first
 * message has been offered to B's receives, and each later step has a certain result. The times of
 * data and completions are uncertain: the test compares them on arrival, by context.
 * TIMEOUT: 500 LINKS: slow
 */
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include "fipair.h"

#define SEEDS	1000	/* of each kind */
#define STEPS	48
#define OPS	(3 * STEPS)
#define ROOM	(72u << 10)
#define SYNC	(1ull << 60)	/* tag that no other receive matches */
#define TAGS	4
#define CLAIMS	3

/* The expected completion of B, by context. */
struct want {
	bool open;		/* the completion has not come yet */
	bool tagged;
	int err;
	uint64_t tag;		/* of the sender, or asked for */
	bool has_tag;
	size_t len;
	size_t olen;
	uint64_t data;		/* 0: none */
	uint8_t *buf;		/* NULL: no bytes to check */
	/* of a peek: space in @buf, where the beginning of the message may be */
	size_t front;
	uint32_t seed;
};

/* A message as the model knows it, in order of sending. */
struct mail {
	bool tagged, waits;
	int claim;		/* place in @claim plus 1 */
	uint64_t tag, data;
	size_t len;
	uint32_t seed;
};

/* A receive that is posted. */
struct posted {
	bool on, tagged;
	uint64_t tag, ignore;
	size_t room;
	unsigned int n;
};

static struct pair p;
static struct fi_context2 contexts[OPS], sends[STEPS + 1], syncs, claim_ctx[CLAIMS];
static struct want wants[OPS + CLAIMS];
static struct mail mails[STEPS];
static struct posted posts[OPS];
static unsigned int nops, nmails, open_wants, open_sends;
static uint8_t *out, *in;
static uint64_t state;

static uint32_t rnd(uint32_t below)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(state >> 33) % below;
}

static void *ctx_of(unsigned int n)
{
	return n < OPS ? (void *)&contexts[n] : &claim_ctx[n - OPS];
}

static void expect(unsigned int n, struct want w)
{
	w.open = true;
	wants[n] = w;
	open_wants++;
}

/* ---- Arrivals ------------------------------------------------------------------------- */

/* A peek has put the beginning of the message into its buffer, and says so; or it did neither. */
static bool front_is(const struct want *w, const uint8_t *told)
{
	size_t n = w->len < w->front ? w->len : w->front;

	if (!told)
		n = 0;
	else
		CHECK(told == w->buf && !w->err);
	CHECK(pattern_is(w->buf, n, w->seed));
	return all_bytes(w->buf + n, w->front - n + 64, 0xee);
}

static bool came(unsigned int n, const struct fi_cq_err_entry *e)
{
	struct want *w = &wants[n];
	uint64_t kind = w->tagged ? FI_TAGGED : FI_MSG;

	CHECK(w->open);
	w->open = false;
	open_wants--;
	CHECK_EQ(e->err, w->err);
	if (w->front)
		CHECK(front_is(w, e->buf));
	if (w->err && w->err != FI_ETRUNC)
		return true;
	CHECK_EQ(e->flags, FI_RECV | kind | (w->data ? FI_REMOTE_CQ_DATA : 0));
	CHECK_EQ(e->len, w->len);
	CHECK_EQ(e->olen, w->olen);
	CHECK_EQ(e->data, w->data);
	if (w->has_tag)
		CHECK_EQ(e->tag, w->tag);
	if (!w->buf || w->front)
		return true;
	CHECK(pattern_is(w->buf, w->len - w->olen, w->seed));
	return all_bytes(w->buf + w->len - w->olen, 64, 0xee);
}

/* The next completion of B. Return: 1: the sync message, 0: another or none, -1: a wrong one. */
static int take(void)
{
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e = {};
	unsigned int n;
	ssize_t ret;

	ret = fi_cq_read(p.b.rxcq, &c, 1);
	if (ret == -FI_EAGAIN)
		return 0;
	if (ret == -FI_EAVAIL) {
		ret = fi_cq_readerr(p.b.rxcq, &e, 0);
	} else {
		e.op_context = c.op_context;
		e.flags = c.flags;
		e.len = c.len;
		e.tag = c.tag;
		e.data = c.data;
		e.buf = c.buf;
	}
	if (ret == 1 && e.op_context == &syncs)
		return 1;
	for (n = 0; ret == 1 && n < OPS + CLAIMS; n++)
		if (e.op_context == ctx_of(n) && wants[n].open)
			return came(n, &e) ? 0 : -1;
	printf("# a completion that nobody waits for: %zd, %s\n", ret, fi_strerror(e.err));
	return -1;
}

static bool take_sends(void)
{
	struct fi_cq_tagged_entry c;

	while (fi_cq_read(p.a.txcq, &c, 1) == 1) {
		CHECK(c.flags & FI_SEND);
		CHECK(c.op_context == &sends[((struct fi_context2 *)c.op_context) - sends]);
		CHECK(open_sends);
		open_sends--;
	}
	return true;
}

/* All of A's messages have been offered to B's receives. */
static bool sync_up(void)
{
	uint64_t until = now_ms() + WAIT_MS;
	int ret;

	CHECK_EQ(fi_trecv(p.b.ep, NULL, 0, NULL, FI_ADDR_UNSPEC, SYNC, 0, &syncs), 0);
	CHECK_EQ(fi_tinject(p.a.ep, NULL, 0, p.a.peer, SYNC), 0);
	do {
		ret = take();
		CHECK(ret >= 0 && take_sends());
		CHECK(now_ms() < until);
	} while (!ret);
	return true;
}

static bool settle_one(unsigned int n)
{
	uint64_t until = now_ms() + WAIT_MS;

	while (wants[n].open)
		CHECK(take() == 0 && take_sends() && now_ms() < until);
	return true;
}

static bool settle(void)
{
	uint64_t until = now_ms() + WAIT_MS;

	while (open_wants || open_sends) {
		CHECK(take() == 0 && take_sends());
		if (now_ms() >= until) {
			printf("# %u completions of receives, %u of sends do not come\n",
			       open_wants, open_sends);
			return false;
		}
	}
	return true;
}

/* ---- The model ------------------------------------------------------------------------ */

static bool matches(bool tagged, uint64_t tag, uint64_t ignore, const struct mail *m)
{
	return tagged == m->tagged && (!tagged || !((tag ^ m->tag) & ~ignore));
}

static void deliver(const struct mail *m, unsigned int n, size_t room)
{
	expect(n, (struct want){
		.tagged = m->tagged, .err = room < m->len ? FI_ETRUNC : 0, .tag = m->tag,
		.has_tag = m->tagged, .len = m->len, .olen = room < m->len ? m->len - room : 0,
		.data = m->data, .buf = in + (size_t)(n % OPS) * ROOM, .seed = m->seed });
}

static struct mail *find(bool tagged, uint64_t tag, uint64_t ignore)
{
	unsigned int i;

	for (i = 0; i < nmails; i++)
		if (mails[i].waits && !mails[i].claim && matches(tagged, tag, ignore, &mails[i]))
			return &mails[i];
	return NULL;
}

/* ---- Steps ---------------------------------------------------------------------------- */

static size_t some_len(void)
{
	static const size_t lens[] = { 0, 1, 63, 64, 256, 257, 960, 961, 5000, 16384, 65537 };

	return lens[rnd(sizeof(lens) / sizeof(lens[0]))];
}

/* One buffer in one to three segments. */
static size_t split(uint8_t *buf, size_t len, struct iovec *iov)
{
	size_t n = 1 + rnd(3), i, at = 0;

	for (i = 0; i < n; i++) {
		iov[i].iov_base = buf + at;
		iov[i].iov_len = i + 1 < n ? rnd(len - at + 1) : len - at;
		at += iov[i].iov_len;
	}
	return n;
}

static bool do_send(void)
{
	static const uint64_t levels[] = { 0, FI_INJECT_COMPLETE, FI_TRANSMIT_COMPLETE,
					   FI_DELIVERY_COMPLETE, FI_MATCH_COMPLETE };
	uint64_t flags = levels[rnd(5)] | FI_COMPLETION;
	struct mail *m = &mails[nmails];
	struct fi_msg_tagged t = { .addr = p.a.peer, .context = &sends[nmails] };
	struct fi_msg u = { .addr = p.a.peer, .context = &sends[nmails] };
	struct iovec iov[3];
	uint8_t *buf = out + (size_t)nmails * ROOM;
	unsigned int i;

	*m = (struct mail){ .tagged = rnd(4), .tag = rnd(TAGS), .len = some_len(),
			    .seed = rnd(1u << 30), .waits = true };
	if (rnd(2)) {
		m->data = 1 + rnd(1u << 30);
		flags |= FI_REMOTE_CQ_DATA;
	}
	pattern_fill(buf, m->len, m->seed);
	t.iov_count = split(buf, m->len, iov);
	t.msg_iov = iov;
	t.tag = m->tag;
	t.data = m->data;
	u.msg_iov = iov;
	u.iov_count = t.iov_count;
	u.data = m->data;
	CHECK_EQ(m->tagged ? fi_tsendmsg(p.a.ep, &t, flags) : fi_sendmsg(p.a.ep, &u, flags), 0);
	nmails++;
	open_sends++;
	for (i = 0; i < nops; i++) {
		if (!posts[i].on || !matches(posts[i].tagged, posts[i].tag, posts[i].ignore, m))
			continue;
		posts[i].on = false;
		m->waits = false;
		deliver(m, posts[i].n, posts[i].room);
		break;
	}
	return sync_up();
}

static bool post(bool tagged, uint64_t tag, uint64_t ignore, size_t room, uint64_t flags)
{
	unsigned int n = nops++;
	uint8_t *buf = in + (size_t)n * ROOM;
	struct fi_msg_tagged t = { .addr = FI_ADDR_UNSPEC, .context = ctx_of(n), .tag = tag,
				   .ignore = ignore };
	struct fi_msg u = { .addr = FI_ADDR_UNSPEC, .context = ctx_of(n) };
	struct iovec iov[3];
	struct mail *m;

	t.iov_count = split(buf, room, iov);
	t.msg_iov = iov;
	u.msg_iov = iov;
	u.iov_count = t.iov_count;
	memset(buf, 0xee, room + 64);
	CHECK_EQ(tagged ? fi_trecvmsg(p.b.ep, &t, flags) : fi_recvmsg(p.b.ep, &u, flags), 0);
	posts[n] = (struct posted){ .tagged = tagged, .tag = tag, .ignore = ignore, .room = room,
				    .n = n };
	m = find(tagged, tag, ignore);
	if (m) {
		m->waits = false;
		deliver(m, n, room);
	} else {
		posts[n].on = true;
	}
	return true;
}

static bool do_recv(void)
{
	bool tagged = rnd(4);

	return post(tagged, tagged ? rnd(TAGS) : 0, tagged ? rnd(TAGS) : 0, some_len(),
		    FI_COMPLETION | (rnd(4) ? 0 : FI_MORE));
}

static bool cancel(unsigned int n)
{
	CHECK_EQ(fi_cancel(&p.b.ep->fid, ctx_of(n)), 0);
	if (posts[n].on) {
		posts[n].on = false;
		expect(n, (struct want){ .tagged = posts[n].tagged, .err = FI_ECANCELED });
	}
	return true;
}

static bool look(uint64_t flags, unsigned int n, uint64_t tag, uint64_t ignore, uint8_t *buf,
		 size_t room)
{
	struct iovec iov = { buf, room };
	struct fi_msg_tagged t = { .addr = FI_ADDR_UNSPEC, .context = ctx_of(n), .tag = tag,
				   .ignore = ignore, .msg_iov = &iov, .iov_count = buf ? 1 : 0 };

	CHECK_EQ(fi_trecvmsg(p.b.ep, &t, flags), 0);
	return true;
}

/* FI_PEEK, alone, with FI_DISCARD, or with FI_CLAIM for place @k */
static bool do_peek(uint64_t also, unsigned int k)
{
	uint64_t tag = rnd(TAGS), ignore = rnd(TAGS);
	unsigned int n = also & FI_CLAIM ? OPS + k : nops++;
	struct mail *m = find(true, tag, ignore);
	struct want w = {
		.tagged = true, .err = m ? 0 : FI_ENOMSG, .buf = in + (size_t)n * ROOM
	};

	if (rnd(2))
		w.front = some_len();
	memset(w.buf, 0xee, w.front + 64);
	if (m) {
		w.tag = m->tag;
		w.has_tag = true;
		w.len = m->len;
		w.data = m->data;
		w.seed = m->seed;
	}
	if (!w.front)
		w.buf = NULL;
	expect(n, w);
	if (m && also & FI_CLAIM)
		m->claim = k + 1;
	if (m && also & FI_DISCARD)
		m->waits = false;
	CHECK(look(FI_PEEK | also, n, tag, ignore, w.front ? w.buf : NULL, w.front));
	/* a context is used once at a time */
	return !(also & FI_CLAIM) || settle_one(n);
}

static struct mail *claimed(unsigned int k)
{
	unsigned int i;

	for (i = 0; i < nmails; i++)
		if (mails[i].waits && mails[i].claim == (int)k + 1)
			return &mails[i];
	return NULL;
}

/* Receive or drop the message claimed for place @k; an error if there is none. */
static bool do_claim(unsigned int k, bool drop)
{
	struct mail *m = claimed(k);
	size_t room = some_len();
	uint8_t *buf = in + (size_t)k * ROOM + (size_t)OPS * ROOM;

	memset(buf, 0xee, room + 64);
	if (!m) {
		expect(OPS + k, (struct want){ .tagged = true, .err = FI_EINVAL });
	} else {
		m->waits = false;
		deliver(m, OPS + k, drop ? 0 : room);
		wants[OPS + k].buf = buf;
		if (drop) {
			wants[OPS + k].err = 0;
			wants[OPS + k].len = 0;
			wants[OPS + k].olen = 0;
			wants[OPS + k].buf = NULL;
		}
	}
	CHECK(look(FI_CLAIM | (drop ? FI_DISCARD : FI_COMPLETION), OPS + k, 0, 0,
		   drop ? NULL : buf, room));
	return settle_one(OPS + k);
}

static bool step(void)
{
	unsigned int k = rnd(CLAIMS);

	switch (rnd(12)) {
	case 0:
	case 1:
	case 2:
	case 3:
		return do_send();
	case 4:
	case 5:
	case 6:
		return do_recv();
	case 7:
		return !nops || cancel(rnd(nops));
	case 8:
		return do_peek(0, 0);
	case 9:
		return do_peek(FI_DISCARD, 0);
	case 10:
		return claimed(k) ? do_claim(k, rnd(2)) : do_peek(FI_CLAIM, k);
	default:
		return do_claim(k, rnd(2));
	}
}

/* ---- Programs ------------------------------------------------------------------------- */

static bool program(uint64_t seed)
{
	unsigned int i;

	state = seed * 0x9e3779b97f4a7c15ull + 1;
	nops = 0;
	nmails = 0;
	open_wants = 0;
	open_sends = 0;
	memset(wants, 0, sizeof(wants));
	memset(posts, 0, sizeof(posts));
	for (i = 0; i < STEPS; i++)
		CHECK(step());
	/* nothing stays: receives are canceled, messages dropped or received */
	for (i = 0; i < nops; i++)
		CHECK(!posts[i].on || cancel(i));
	for (i = 0; i < CLAIMS; i++)
		CHECK(!claimed(i) || do_claim(i, true));
	for (i = 0; i < nmails; i++)
		while (mails[i].waits)
			CHECK(post(mails[i].tagged, 0, TAGS - 1, ROOM - 64, FI_COMPLETION));
	return settle();
}

static bool programs(enum fi_ep_type type, bool apart, uint64_t seed, uint64_t count)
{
	struct opts o = { .type = type, .apart = apart, .tx_size = 512, .rx_size = 512 };
	bool ok = pair_open(&p, &o);

	for (; ok && count--; seed++) {
		ok = program(seed);
		if (!ok)
			printf("# again: fi_random %s %d %llu\n",
			       type == FI_EP_RDM ? "rdm" : "msg", apart, (unsigned long long)seed);
	}
	ok = ok && quiet(p.b.rxcq) && quiet(p.a.txcq);
	pair_close(&p);
	return ok;
}

int main(int argc, char **argv)
{
	unsigned int i;

	out = malloc((size_t)STEPS * ROOM);
	in = malloc((size_t)(OPS + CLAIMS) * ROOM);
	if (!out || !in)
		return 1;
	if (argc > 3) {
		result(programs(strcmp(argv[1], "msg") ? FI_EP_RDM : FI_EP_MSG, atoi(argv[2]),
				strtoull(argv[3], NULL, 0),
				argc > 4 ? strtoull(argv[4], NULL, 0) : 1), "programs", "as asked");
		return results_end();
	}
	for (i = 0; i < 4; i++) {
		if (i & 1 && nodes_are_one())
			continue;
		result(programs(i & 2 ? FI_EP_MSG : FI_EP_RDM, i & 1, i * SEEDS, SEEDS),
		       i & 2 ? "msg" : "rdm", i & 1 ? "between nodes" : "within a node");
	}
	return results_end();
}
