// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * "weftctl hang" asks other nodes: what it learns, from whom, and who may ask
 * LINKS: vnet
 * TIMEOUT: 120
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/weft.h>
#include "bystander.h"
#include "genl.h"
#include "shown.h"
#include "user.h"

#define ROOM	(1u << 20)

static struct pair p;
static uint8_t *sbuf, *rbuf;
static char a[64], b[64];	/* the addresses of both sides */

/* A pair of endpoints on two nodes; both nodes answer questions if @on. */
static bool begin(bool on)
{
	struct opts o = { .type = FI_EP_RDM, .apart = true,
			  .caps = FI_MSG | FI_TAGGED | FI_DIRECTED_RECV };

	CHECK_EQ(weftctl_on(0, on ? "port set weft0 questions on" : "port set weft0 questions off"),
		 0);
	CHECK_EQ(weftctl_on(1, on ? "port set weft1 questions on" : "port set weft1 questions off"),
		 0);
	memset(&p, 0, sizeof(p));
	CHECK(pair_open(&p, &o));
	return address(&p.a, a) && address(&p.b, b);
}

static void after(void)
{
	pair_close(&p);
}

static bool receive(struct side *s, fi_addr_t from, uint64_t tag)
{
	CHECK_EQ(fi_trecv(s->ep, rbuf, 1000, NULL, from, tag, 0, NULL), 0);
	return true;
}

/* On A's node a line says @what. */
static bool hangs(const char *what)
{
	return wait_for_line(0, "hang age 0", what);
}

/* By default no node answers; the text says what would help. */
static bool off(void)
{
	char words[256];

	CHECK(begin(false) && receive(&p.a, p.a.peer, 0x2a));
	snprintf(words, sizeof(words), ": the sender has sent nothing to this endpoint; \"weftctl "
		 "hang\" on node 10.77.0.2 says what it does; for %s, permit questions there", b);
	CHECK(hangs(words));
	CHECK_EQ(weftctl_on(0, "-j hang age 0 cause silent"), 0);
	CHECK(strstr(shown, "\"asked\":\"off\"") && !strstr(shown, "there_pid"));
	CHECK_EQ(weftctl_on(0, "-j port show weft0"), 0);
	CHECK(strstr(shown, "\"questions\":\"off\""));
	/* and none is asked */
	CHECK_EQ(weftctl_on(0, "-j hang age 0 --local"), 0);
	CHECK(strstr(shown, "\"cause\":\"silent\"") && !strstr(shown, "asked"));
	CHECK_EQ(weftctl_on(0, "hang age 0 -l cause silent"), 0);
	return says("says what it does", 1) && says("permit", 0);
}

/* The sender's program is stopped, or computes. */
static bool program(void)
{
	char addr[64], words[256];
	fi_addr_t from;
	bool ok;

	CHECK(bystander_begin(true, true, addr) && begin(true));
	CHECK_EQ(fi_av_insert(p.a.av, addr, 1, &from, 0, NULL), 1);
	CHECK(receive(&p.a, from, 7));
	snprintf(words, sizeof(words), " to this endpoint; process %d (admin_ask) at 10.77.0.2:",
		 bystander_pid);
	ok = hangs(words) && says(" computes; it has posted no receive", 1) && bystander_stop() &&
	     hangs(" is stopped; it has posted no receive");
	CHECK_EQ(weftctl_on(0, "-j hang age 0 cause silent"), 0);
	snprintf(words, sizeof(words), "\"asked\":\"answered\",\"there_pid\":%d,\"there_comm\":"
		 "\"admin_ask\",\"there_program\":\"is stopped\"", bystander_pid);
	return bystander_end() && ok && strstr(shown, words);
}

/* Two programs that wait for one another */
static bool circle(void)
{
	char words[256];

	CHECK(begin(true) && receive(&p.a, p.a.peer, 0x2a) && receive(&p.b, p.b.peer, 0x2b));
	snprintf(words, sizeof(words), "; its oldest receive tag 0x2b from %s waits for at least ",
		 a);
	CHECK(hangs(words));
	CHECK(says(" s; so these programs wait for one another", 1));
	CHECK_EQ(weftctl_on(0, "-j hang age 0 cause silent"), 0);
	return strstr(shown, "\"circle\":\"yes\"");
}

/* A send that the receiver does not take: what it has posted. */
static bool receiver(void)
{
	CHECK(begin(true));
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, ROOM, NULL, p.a.peer, 0x78, NULL), 0);
	CHECK(hangs(": the receiver on node 10.77.0.2 has posted no receive that takes it; "
		    "process "));
	CHECK(says("; 1 message of this endpoint waits there for a receive, the oldest tag 0x78; "
		   "it has posted no receive", 1));
	CHECK(receive(&p.b, FI_ADDR_UNSPEC, 0x79));
	return hangs("; of its 1 receive for messages of this endpoint the oldest takes tag 0x79; "
		     "its oldest receive tag 0x79 from any sender waits ");
}

/* The sender's endpoint has ended. */
static bool ended(void)
{
	char addr[64], words[256];
	fi_addr_t from;
	uint16_t service;

	CHECK(bystander_begin(true, false, addr) && begin(true));
	CHECK_EQ(fi_av_insert(p.a.av, addr, 1, &from, 0, NULL), 1);
	memcpy(&service, addr + 2, sizeof(service));
	CHECK(receive(&p.a, from, 7) && hangs(" sleeps; it has posted no receive") &&
	      bystander_end());
	snprintf(words, sizeof(words), "; there is no endpoint 10.77.0.2:%u in this job: its "
		 "program has not started, or has ended", ntohs(service));
	CHECK(hangs(words));
	CHECK_EQ(weftctl_on(0, "-j hang age 0 cause silent"), 0);
	return strstr(shown, "\"asked\":\"none\"");
}

/* A user asks for an endpoint of root, and for the answer to a question of root. */
static bool asks(void)
{
	struct weft_sockaddr near = { .family = AF_INET, .addr = { 10, 77, 0, 1 } }, far = near;
	struct genl_request r;
	uint32_t no;

	far.addr[3] = 2;
	near.port = htons(atoi(strrchr(a, ':') + 1));
	far.port = htons(atoi(strrchr(b, ':') + 1));
	CHECK(genl_open());
	genl_begin(&r, NLM_F_ACK, WEFT_CMD_QUESTION_ADD);
	genl_put_text(&r, WEFT_ATTR_PORT_NAME, "weft0");
	genl_put(&r, WEFT_ATTR_EP_ADDR, &near, sizeof(near));
	genl_put(&r, WEFT_ATTR_EP_PEER, &far, sizeof(far));
	CHECK_EQ(genl_ask(&r, true), ENOENT);
	for (no = 0; no < 3; no++) {
		genl_begin(&r, NLM_F_ACK, WEFT_CMD_QUESTION_GET);
		genl_put_text(&r, WEFT_ATTR_PORT_NAME, "weft0");
		genl_put(&r, WEFT_ATTR_PROBE_NO, &no, sizeof(no));
		CHECK_EQ(genl_ask(&r, true), ENOENT);
	}
	genl_close();
	return true;
}

/* Users ask for their own endpoints alone. */
static bool users(void)
{
	int status;
	pid_t pid;

	CHECK(begin(true) && receive(&p.a, p.a.peer, 0x2a) && hangs(" at 10.77.0.2:"));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		status = user_become(1 << 20) && asks();
		fflush(stdout);
		_exit(!status);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	return !status;
}

int main(void)
{
	static const struct check cases[] = {
		{ "questions are off", off },
		{ "a sender that computes, and is stopped", program },
		{ "programs that wait for one another", circle },
		{ "a receiver with another tag", receiver },
		{ "a sender that has ended", ended },
		{ "other users", users },
	};

	sbuf = calloc(1, ROOM);
	rbuf = calloc(1, ROOM);
	if (!sbuf || !rbuf)
		return 1;
	checks_run(cases, sizeof(cases) / sizeof(cases[0]), "between nodes", after);
	/* other tests take the setting as it was */
	weftctl_on(0, "port set weft0 questions off");
	weftctl_on(1, "port set weft1 questions off");
	return results_end();
}
