// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * "weftctl conn", "cq", "srq" and "mr": what programs hold is shown, each object once, to its owner
 * TIMEOUT: 120
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "shown.h"

#define ROOM	(1u << 16)
#define SLOTS	16
#define SENT	64
#define MANY	3000

static struct pair p;
static bool apart;
static uint8_t *sbuf, *rbuf;

static bool begin(struct opts o)
{
	o.apart = apart;
	memset(&p, 0, sizeof(p));
	return pair_open(&p, &o);
}

static void after(void)
{
	pair_close(&p);
}

/* Run "weftctl WORDS" on B's node. Return: its exit status. */
static int weftctl(const char *words)
{
	return weftctl_on(apart, words);
}

/* An ordinary user sees nothing of an object. */
static bool hidden(const char *object)
{
	char words[128];

	snprintf(words, sizeof(words), "setpriv --reuid 1990 --regid 1990 --clear-groups "
		 "weftctl %s show", object);
	CHECK_EQ(shell_on(apart, words), 0);
	return says("", 0);
}

static bool connections(void)
{
	char a[64], b[64], words[256];

	CHECK(begin((struct opts){ .type = FI_EP_MSG }));
	CHECK(address(&p.a, a) && address(&p.b, b));
	CHECK_EQ(weftctl_on(0, "conn show state up"), 0);
	snprintf(words, sizeof(words), "weft0: active peer %s state up age_ms ", b);
	CHECK(says(words, 1));
	snprintf(words, sizeof(words), " ep %s ctx ", a);
	CHECK(says(words, 1));
	snprintf(words, sizeof(words), " uid 0 pid %d comm admin_held", getpid());
	CHECK(says(words, apart ? 1 : 2));
	/* the accepting endpoint has a service of its own */
	snprintf(words, sizeof(words), "conn show peer %s", a);
	CHECK_EQ(weftctl(words), 0);
	snprintf(words, sizeof(words), ": passive peer %s state up age_ms ", a);
	CHECK(says("", 1) && says(words, 1));
	CHECK_EQ(weftctl("conn show state asking"), 0);
	CHECK(says("", 1) && says("weftctl: conn show: nothing matches", 1));
	snprintf(words, sizeof(words), "conn show %s tag 1", apart ? "weft1" : "weft0");
	CHECK(weftctl(words) && says("unknown word \"tag\"", 1));
	CHECK(hidden("conn"));
	CHECK_EQ(fi_shutdown(p.a.ep, 0), 0);
	return wait_for_line(apart, "conn show", "nothing") || !lines(" state up ");
}

/* B's program posts receives, and reads none of their completions. */
static bool full_queue(void)
{
	struct fi_cq_tagged_entry c;
	char words[256];
	unsigned int i, queues;
	uint8_t came[SENT] = { 0 };

	CHECK(begin((struct opts){ .type = FI_EP_RDM, .caps = FI_TAGGED, .cq_size = SLOTS }));
	CHECK_EQ(weftctl("cq show kind queue"), 0);
	queues = lines(": queue cq ");
	CHECK(queues >= 2 && says(" waiting 0 ", queues) && says("age_ms", 0));
	for (i = 0; i < SENT; i++)
		CHECK_EQ(fi_trecv(p.b.ep, rbuf, 16, NULL, FI_ADDR_UNSPEC, i, 0, NULL), 0);
	for (i = 0; i < SENT; i++) {
		CHECK_EQ(fi_tsend(p.a.ep, sbuf, 8, NULL, p.a.peer, i, NULL), 0);
		CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
	}
	CHECK(wait_for_line(apart, "cq show age 0", " age_ms "));
	CHECK(says(" age_ms ", 1) && says(" waiting 0 ", queues - 1));
	snprintf(words, sizeof(words), " pid %d comm admin_held", getpid());
	CHECK(says(words, queues));
	CHECK_EQ(weftctl("cq show age 86400"), 0);
	CHECK(says("weftctl: cq show: nothing matches", 1) && hidden("cq"));
	/* none is lost */
	for (i = 0; i < SENT; i++) {
		CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
		CHECK(c.tag < SENT && !came[c.tag]++);
	}
	CHECK_EQ(weftctl("cq show"), 0);
	return says(" waiting 0 ", queues) && says("age_ms", 0);
}

static bool counters(void)
{
	unsigned int i;

	CHECK(begin((struct opts){ .type = FI_EP_RDM, .caps = FI_TAGGED, .counters = true }));
	for (i = 0; i < 3; i++)
		CHECK_EQ(fi_tsend(p.a.ep, sbuf, 8, NULL, p.a.peer, i, NULL), 0);
	CHECK_EQ(fi_cntr_wait(p.a.txcntr, 3, WAIT_MS), 0);
	CHECK_EQ(weftctl_on(0, "cq show kind counter"), 0);
	CHECK(says(": counter cq ", apart ? 2 : 4) && says(" done 3 failed 0 ", 1));
	CHECK_EQ(weftctl_on(0, "-j cq show kind counter"), 0);
	return strstr(shown, "\"done\":3,\"failed\":0");
}

static bool shared_queue(void)
{
	struct opts o = { .type = FI_EP_RDM, .apart = apart, .caps = FI_MSG | FI_TAGGED };
	struct fi_rx_attr attr = { .caps = FI_MSG | FI_TAGGED | FI_RECV };
	struct fid_ep *srx;
	unsigned int i;
	bool ok;

	memset(&p, 0, sizeof(p));
	CHECK(side_open(&p.a, apart, &o));
	CHECK_EQ(fi_srx_context(p.a.domain, &attr, &srx, NULL), 0);
	for (i = 0; i < 3; i++)
		CHECK_EQ(fi_trecv(srx, rbuf, 700, NULL, FI_ADDR_UNSPEC, i, 0, NULL), 0);
	CHECK_EQ(weftctl("srq show"), 0);
	ok = says("", 1) && says(": srq ", 1) && says(" posted 3 held 0 recvs ", 1) &&
	     says(" ep 0 waiting 0 ", 1) && hidden("srq");
	CHECK_EQ(fi_close(&srx->fid), 0);
	CHECK_EQ(weftctl("srq show"), 0);
	return ok && says("", 0);
}

static bool memory(void)
{
	struct fid_mr *mr;
	char words[256];

	CHECK(begin((struct opts){ .type = FI_EP_RDM, .caps = FI_MSG | FI_RMA }));
	CHECK_EQ(weftctl("mr show kind remote"), 0);
	CHECK(says("weftctl: mr show: nothing matches", 1));
	CHECK_EQ(fi_mr_reg(p.b.domain, rbuf, 5000, FI_REMOTE_READ, 0, 0x1234, 0, &mr, NULL), 0);
	CHECK_EQ(weftctl("mr show kind remote"), 0);
	snprintf(words, sizeof(words), "%s: remote key 0x%lx ", apart ? "weft1" : "weft0",
		 (unsigned long)fi_mr_key(mr));
	CHECK(says("", 1) && says(words, 1) && says(" len 5000 access read users 0 ctx ", 1));
	snprintf(words, sizeof(words), "mr show pid %d", getpid() + 1);
	CHECK_EQ(weftctl(words), 0);
	CHECK(says("nothing matches", 1) && hidden("mr"));
	CHECK_EQ(fi_close(&mr->fid), 0);
	CHECK_EQ(weftctl("mr show"), 0);
	return says("", 0);
}

/* Many regions, each once, in the order in which they were made. */
static bool much_memory(void)
{
	struct fid_mr **mr = calloc(MANY, sizeof(*mr));
	unsigned int i, found = 0;
	char *s;

	CHECK(mr && begin((struct opts){ .type = FI_EP_RDM, .caps = FI_MSG | FI_RMA }));
	for (i = 0; i < MANY; i++)
		CHECK_EQ(fi_mr_reg(p.b.domain, rbuf, 1 + i, FI_REMOTE_WRITE, 0, i, 0, &mr[i],
				   NULL), 0);
	CHECK_EQ(weftctl("mr show"), 0);
	for (s = shown; (s = strstr(s, " len ")); s += 5)
		found += strtoul(s + 5, NULL, 10) == found + 1;
	CHECK_EQ(found, MANY);
	CHECK(says("", MANY));
	for (i = 0; i < MANY; i++)
		CHECK_EQ(fi_close(&mr[i]->fid), 0);
	free(mr);
	CHECK_EQ(weftctl("mr show"), 0);
	return says("", 0);
}

int main(void)
{
	static const struct check cases[] = {
		{ "connections", connections },
		{ "a queue that is not read", full_queue },
		{ "counters", counters },
		{ "shared receive queues", shared_queue },
		{ "registered memory", memory },
		{ "much registered memory", much_memory },
	};

	sbuf = calloc(1, ROOM);
	rbuf = calloc(1, ROOM);
	if (!sbuf || !rbuf)
		return 1;
	checks_run_everywhere(cases, sizeof(cases) / sizeof(cases[0]), &apart, after);
	return results_end();
}
