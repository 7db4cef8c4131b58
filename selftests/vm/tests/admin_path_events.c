// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * "weftctl event": what becomes of paths, told once and with its cause, while messages fail
 * TIMEOUT: 120
 */
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include "looks.h"
#include "shown.h"

#define TRIES	3

static struct pair p;
static uint8_t sbuf[64], rbuf[64];

static bool begin(void)
{
	struct opts o = { .type = FI_EP_RDM, .apart = true, .caps = FI_MSG | FI_TAGGED,
			  .tx_flags = FI_DELIVERY_COMPLETE | FI_COMPLETION };

	memset(&p, 0, sizeof(p));
	return pair_open(&p, &o);
}

static void after(void)
{
	pair_close(&p);
}

/* A send to @to fails with @err. */
static bool fails(fi_addr_t to, int err)
{
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry e;

	CHECK_EQ(fi_tsend(p.a.ep, sbuf, 8, NULL, to, 1, NULL), 0);
	CHECK_EQ(completion(p.a.txcq, &c, NULL, &e), -FI_EAVAIL);
	CHECK_EQ(e.err, err);
	return true;
}

/* Lines of the kernel log about an address that no node has. */
static unsigned int log_lines(void)
{
	shell_on(false, "dmesg | grep 'weft0: path-down to 10.77.0.188: the node never answered'");
	return lines("");
}

/* No node has the address. The same event is counted, and the kernel log has one line. */
static bool nobody(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(5000) };
	unsigned int i, before = log_lines(), now;
	fi_addr_t addr;
	char words[128];

	to.sin_addr.s_addr = htonl(0x0a4d00bc);
	CHECK(begin() && port_limit(0, "connect-ms", 100));
	CHECK_EQ(fi_av_insert(p.a.av, &to, 1, &addr, 0, NULL), 1);
	for (i = 0; i < TRIES; i++)
		CHECK(fails(addr, FI_EHOSTUNREACH));
	CHECK(port_limit(0, "connect-ms", 5000));
	CHECK_EQ(shell_on(false, "weftctl event show weft0 peer 10.77.0.188 | tail -n 1"), 0);
	/* a send may meet the path of the one before */
	snprintf(words, sizeof(words), " weft0: path-down peer 10.77.0.188 errno %d count ",
		 FI_EHOSTUNREACH);
	CHECK(says(words, 1) && says(" why the node never answered; does a firewall drop", 1));
	now = log_lines();
	CHECK(now && now <= before + 1);
	return true;
}

/* The node was there, and does not answer any more; then it does again. */
static bool cut(void)
{
	struct fi_cq_tagged_entry c;
	bool failed;

	CHECK(begin() && port_limit(0, "dead-ms", 500));
	CHECK_EQ(fi_trecv(p.b.ep, rbuf, 8, NULL, FI_ADDR_UNSPEC, 1, 0, NULL), 0);
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, 8, NULL, p.a.peer, 1, NULL), 0);
	CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
	/* a firewall in the middle */
	CHECK_EQ(shell_on(true, "nft 'table inet weft_event { chain c { type filter hook input "
			  "priority 0; udp dport 9471 drop; }; }'"), 0);
	failed = fails(p.a.peer, FI_ETIMEDOUT);
	CHECK_EQ(shell_on(true, "nft delete table inet weft_event"), 0);
	CHECK(failed);
	CHECK(port_limit(0, "dead-ms", 10000));
	CHECK_EQ(fi_trecv(p.b.ep, rbuf, 8, NULL, FI_ADDR_UNSPEC, 2, 0, NULL), 0);
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, 8, NULL, p.a.peer, 2, NULL), 0);
	CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
	/* down, then up */
	CHECK_EQ(shell_on(false, "weftctl event show weft0 peer 10.77.0.2 | tail -n 2"), 0);
	CHECK(says(" path-down peer 10.77.0.2 errno 110 ", 1));
	CHECK(says(" path-up peer 10.77.0.2 why the node has answered", 1));
	CHECK(strstr(shown, " path-down ") < strstr(shown, " path-up "));
	return true;
}

int main(void)
{
	static const struct check cases[] = {
		{ "an address that no node has", nobody },
		{ "a node that does not answer for some time", cut },
	};

	checks_run(cases, sizeof(cases) / sizeof(cases[0]), "between nodes", after);
	return results_end();
}
