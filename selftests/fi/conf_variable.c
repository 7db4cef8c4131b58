// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * fi_msg(3) and fi_tagged(3) on FI_VARIABLE_MSG, rule by rule. conf_buf.c tests the rules that
 * buffered receives share with variable messages.
 * TIMEOUT: 300 LINKS: vnet loop
 */
#include <sys/mman.h>
#include "told.h"

#define MAX_MSG (1ull << 40)	/* max_msg_size */

static bool variable_cap(void)
{
	enum fi_ep_type type = p.o.type;
	uint64_t mode, caps;

	CHECK(offers(type, FI_MSG, 0, 0, &mode, &caps) > 0);
	CHECK(!(caps & FI_VARIABLE_MSG));
	CHECK(offers(type, 0, 0, 0, &mode, &caps) > 0);
	CHECK(!(caps & FI_VARIABLE_MSG));
	CHECK(offers(type, FI_MSG | FI_VARIABLE_MSG, 0, 0, &mode, &caps) > 0);
	CHECK(caps & FI_VARIABLE_MSG);
	CHECK_EQ(mode, 0);
	CHECK_EQ(offers(type, FI_MSG | FI_VARIABLE_MSG | FI_MULTI_RECV, 0, 0, &mode, &caps), 0);
	CHECK_EQ(offers(type, FI_MSG | FI_VARIABLE_MSG, 0, FI_SHARED_CONTEXT, &mode, &caps), 0);
	CHECK_EQ(offers(FI_EP_DGRAM, FI_MSG | FI_VARIABLE_MSG, 0, 0, &mode, &caps), 0);
	return true;
}

static bool size_first(void)
{
	struct told t;

	CHECK(sends(0, LONG, PLAIN, 1));
	CHECK(announced(&t, LONG, 1));
	CHECK(all_bytes(rbuf, ROOM, 0xee));
	CHECK(claim(&t, LONG, PLAIN, 1));
	return sent(1);
}

/* A send longer than max_msg_size, of memory that does not exist: tagged, or not. */
static bool beyond(uint64_t tag)
{
	size_t len = MAX_MSG + 1;
	uint8_t *huge = mmap(NULL, len, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e;
	struct told t;
	unsigned int i;

	CHECK(huge != MAP_FAILED);
	CHECK_EQ(p.a.info->ep_attr->max_msg_size, MAX_MSG);
	pattern_fill(huge, LONG, 1);
	for (i = 0; i < 2; i++) {
		if (tag == PLAIN) {
			CHECK_EQ(fi_send(p.a.ep, huge, len, NULL, p.a.peer, ctx(1)), 0);
			CHECK(announced(&t, len, 1));
		} else {
			CHECK_EQ(fi_trecv(p.b.ep, NULL, 0, NULL, FI_ADDR_UNSPEC, 0, ~0ull, ctx(2)),
				 0);
			CHECK_EQ(fi_tsend(p.a.ep, huge, len, NULL, p.a.peer, tag, ctx(1)), 0);
			CHECK(announced_as(&t, len, tag, 1, ctx(2), 0));
		}
		CHECK(quiet(p.a.txcq));
		if (i) {
			CHECK(discard(&t, tag != PLAIN));
		} else {
			CHECK_EQ(settle(t.ctx, rbuf, LONG, tag != PLAIN, FI_CLAIM), 0);
			CHECK_EQ(completion(p.b.rxcq, &c, NULL, &e), -FI_EAVAIL);
			CHECK_EQ(e.err, FI_ETRUNC);
			CHECK_EQ(e.len, len);
			CHECK_EQ(e.olen, len - LONG);
			CHECK(pattern_is(rbuf, LONG, 1));
		}
		CHECK(sent(1));
	}
	CHECK_EQ(munmap(huge, len), 0);
	return true;
}

static bool beyond_max(void)
{
	return beyond(PLAIN);
}

/*
 * The receiver does not accept such messages: its peer gets an error, and no part of the message is
 * seen.
 */
static bool beyond_peer(void)
{
	size_t len = MAX_MSG + 1;
	uint8_t *huge = mmap(NULL, len, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			     -1, 0);
	struct opts o = p.o, with = p.o;
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e;
	uint8_t addr[64];
	size_t alen = sizeof(addr);
	struct fi_eq_cm_entry ev;
	uint32_t type;

	CHECK(huge != MAP_FAILED);
	with.caps |= FI_VARIABLE_MSG;
	CHECK(side_open(&p.a, 0, &with));
	CHECK(side_open(&p.b, o.apart, &o));
	if (o.type == FI_EP_MSG) {
		CHECK(pair_listen(&p, addr, &alen));
		CHECK(side_endpoint(&p.a, p.a.info, &with));
		CHECK_EQ(fi_connect(p.a.ep, addr, NULL, 0), 0);
		CHECK_EQ(event(p.b.eq, &type, &ev, sizeof(ev)), sizeof(ev));
		CHECK(side_endpoint(&p.b, ev.info, &o));
		CHECK_EQ(fi_accept(p.b.ep, NULL, 0), 0);
		fi_freeinfo(ev.info);
		CHECK_EQ(event(p.a.eq, &type, &ev, sizeof(ev)), sizeof(ev));
		CHECK_EQ(type, FI_CONNECTED);
	} else {
		CHECK(side_endpoint(&p.a, p.a.info, &with));
		CHECK(side_endpoint(&p.b, p.b.info, &o));
		CHECK_EQ(fi_getname(&p.b.ep->fid, addr, &alen), 0);
		CHECK_EQ(fi_av_insert(p.a.av, addr, 1, &p.a.peer, 0, NULL), 1);
	}
	CHECK_EQ(fi_send(p.b.ep, huge, len, NULL, p.a.peer, ctx(1)), -FI_EMSGSIZE);
	CHECK(post_plain(rbuf, 64, 1));
	CHECK_EQ(fi_send(p.a.ep, huge, len, NULL, p.a.peer, ctx(2)), 0);
	CHECK_EQ(completion(p.a.txcq, &c, NULL, &e), -FI_EAVAIL);
	CHECK_EQ(e.err, FI_EMSGSIZE);
	CHECK(e.op_context == ctx(2));
	CHECK(quiet(p.b.rxcq));
	CHECK_EQ(fi_send(p.a.ep, sbuf, 8, NULL, p.a.peer, ctx(3)), 0);
	CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
	CHECK_EQ(c.len, 8);
	CHECK_EQ(munmap(huge, len), 0);
	return sent(1);
}

static bool beyond_max_tagged(void)
{
	return beyond(77);
}

static const struct row rows[] = {
	ROW("MSG-076", ON_BOTH, "FI_VARIABLE_MSG is given only if asked for", variable_cap,
	    .alone = true),
	ROW("MSG-078", ON_BOTH, "The receiver learns the size before data are placed", size_first,
	    VARIABLE),
	ROW("MSG-079", ON_BOTH, "max_msg_size does not bind", beyond_max, VARIABLE),
	ROW("MSG-079a", ON_BOTH, "A peer that takes no variable messages does not get them",
	    beyond_peer, .alone = true),
	ROW("TAG-042", ON_BOTH, "max_msg_size does not bind tagged messages", beyond_max_tagged,
	    VARIABLE),
};

int main(int argc, char **argv)
{
	return rows_main(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
}
