// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * "weftctl hang": staged hangs, each of which it names
 * TIMEOUT: 200
 */
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bystander.h"
#include "looks.h"
#include "shown.h"

#define ROOM	(1u << 20)
#define DEAD_MS	60000		/* longer than a case takes: no path ends but as staged */

static struct pair p;
static bool apart;
static uint8_t *sbuf, *rbuf;
static char a[64], b[64];	/* the addresses of both sides */

static bool begin(void)
{
	struct opts o = { .type = FI_EP_RDM, .apart = apart,
			  .caps = FI_MSG | FI_TAGGED | FI_DIRECTED_RECV };

	memset(&p, 0, sizeof(p));
	CHECK(pair_open(&p, &o));
	return address(&p.a, a) && address(&p.b, b);
}

static void after(void)
{
	pair_close(&p);
}

/* On B's node, or with @sender on A's: a line says @what. */
static bool hangs(bool sender, const char *what)
{
	return wait_for_line(!sender && apart, "hang age 0", what);
}

static bool receive_tagged(fi_addr_t from, uint64_t tag)
{
	CHECK_EQ(fi_trecv(p.b.ep, rbuf, 1000, NULL, from, tag, 0, NULL), 0);
	return true;
}

/* Another service of the node of @of. */
static bool other(struct side *in, const struct side *of, fi_addr_t *to)
{
	uint8_t name[64];
	size_t len = sizeof(name);

	CHECK_EQ(fi_getname(&of->ep->fid, name, &len), 0);
	name[2] ^= 0x40;
	CHECK_EQ(fi_av_insert(in->av, name, 1, to, 0, NULL), 1);
	return true;
}

/* Run a command on a node. */
static bool run(int node, const char *command)
{
	int status;

	node_enter(node);
	status = system(command);
	node_enter(0);
	CHECK_EQ(status, 0);
	return true;
}

/* B's node drops packets that match an expression of nft(8), NULL: none any more. */
static bool drop(const char *what)
{
	char command[256];

	snprintf(command, sizeof(command), "nft -f - <<-EOT\n"
		 "table inet weft_hang { chain c { type filter hook input priority 0; "
		 "udp dport 9471 %s drop; }; }\nEOT", what);
	return run(1, what ? command : "nft delete table inet weft_hang");
}

/* A message from A to B arrives. */
static bool message(uint64_t tag)
{
	struct fi_cq_tagged_entry c;

	CHECK(receive_tagged(FI_ADDR_UNSPEC, tag));
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, 8, NULL, p.a.peer, tag, NULL), 0);
	CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
	return true;
}

static bool tag(void)
{
	char words[256];

	CHECK(begin() && receive_tagged(p.b.peer, 0x2a));
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, 8, NULL, p.a.peer, 0x2b, NULL), 0);
	snprintf(words, sizeof(words), " s: 1 message that the receive could take waits here with "
		 "another tag, the oldest with tag 0x2b from %s", a);
	CHECK(hangs(false, words));
	snprintf(words, sizeof(words), "    receive tag 0x2a from %s since ", a);
	CHECK(says(words, 1));
	snprintf(words, sizeof(words), ": process %d (admin_hang) of user 0 ", getpid());
	CHECK(says(words, 1));
	/* as JSON, and for other users not at all */
	CHECK_EQ(weftctl_on(apart, "-j hang age 0 cause tag"), 0);
	CHECK(strstr(shown, "\"object\":\"receive\",\"tag\":\"0x2a\"") &&
	      strstr(shown, "\"cause\":\"tag\""));
	/* a filter hides what waits */
	CHECK_EQ(weftctl_on(apart, "hang age 0 cause tga"), 0);
	CHECK(says("hang: nothing matches of what has waited for 0 s; did you mean \"tag\"?", 1));
	CHECK_EQ(weftctl_on(apart, "hang age 0 pid 1 cause mtu"), 0);
	CHECK(says("hang: nothing matches of what has waited for 0 s", 1) && says("mean", 0));
	CHECK_EQ(weftctl_on(apart, "hang age 86400"), 0);
	return says("weftctl: hang: nothing has waited for 86400 s", 1);
}

static bool source(void)
{
	fi_addr_t third;
	char words[256];

	CHECK(begin() && other(&p.b, &p.a, &third) && receive_tagged(third, 0x2a));
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, 8, NULL, p.a.peer, 0x2a, NULL), 0);
	snprintf(words, sizeof(words), ": a message with this tag waits here, but it is from %s",
		 a);
	return hangs(false, words);
}

static bool kind(void)
{
	CHECK(begin());
	CHECK_EQ(fi_recv(p.b.ep, rbuf, 1000, NULL, FI_ADDR_UNSPEC, NULL), 0);
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, 8, NULL, p.a.peer, 0x2a, NULL), 0);
	return hangs(false, ": 1 message of the sender waits here, tagged: the receive takes "
			    "untagged ones only");
}

/* The sender has never sent anything. */
static bool silent(void)
{
	char words[256];

	CHECK(begin() && receive_tagged(p.b.peer, 0x2a));
	if (apart)
		snprintf(words, sizeof(words), ": the sender has sent nothing to this endpoint; "
			 "\"weftctl hang\" on node ");
	else
		snprintf(words, sizeof(words), ": process %d (admin_hang), which has the endpoint "
			 "%s, has sent nothing that is still to be received", getpid(), a);
	return hangs(false, words);
}

/* It has sent, but other messages than this one. */
static bool received(void)
{
	if (!apart)
		return true;
	CHECK(begin() && message(1) && receive_tagged(p.b.peer, 2));
	return hangs(false, ": all 1 message that the sender has begun were received before");
}

/* Long messages are announced, and find no receive, or one with another tag. */
static bool announced(void)
{
	CHECK(begin());
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, ROOM, NULL, p.a.peer, 0x78, NULL), 0);
	CHECK(hangs(true, apart ? ": the receiver on node 10.77.0.2 has posted no receive" :
				  ") has posted no receive there; it "));
	CHECK(hangs(false, ": no receive is posted: the program "));
	CHECK(receive_tagged(FI_ADDR_UNSPEC, 0x79));
	CHECK(hangs(false, "with another tag, the oldest with tag 0x78"));
	return apart || hangs(true, "takes it; the oldest takes tag 0x79");
}

/* The message had more bytes than its receive, and the program waits for the rest. */
static bool truncated(void)
{
	struct fi_cq_err_entry err = { 0 };
	struct fi_cq_tagged_entry c;

	CHECK(begin() && receive_tagged(p.b.peer, 1));
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, 1100, NULL, p.a.peer, 1, NULL), 0);
	CHECK_EQ(completion(p.b.rxcq, &c, NULL, &err), -FI_EAVAIL);
	CHECK_EQ(err.err, FI_ETRUNC);
	CHECK(receive_tagged(p.b.peer, 1));
	CHECK(hangs(false, " but 1 message to this endpoint had more bytes than its receive, the "
			   "last one "));
	CHECK_EQ(weftctl_on(apart, "ep show"), 0);
	return says(" truncated 1 truncated_ms ", 1);
}

/* The program does not read the completions of its receives. */
static bool unread(void)
{
	struct opts o = { .type = FI_EP_RDM, .apart = apart, .caps = FI_MSG | FI_TAGGED,
			  .cq_size = 16 };
	struct fi_cq_tagged_entry c;
	char words[256];
	unsigned int i;

	memset(&p, 0, sizeof(p));
	CHECK(pair_open(&p, &o));
	for (i = 0; i < 64; i++)
		CHECK(receive_tagged(FI_ADDR_UNSPEC, i));
	for (i = 0; i < 64; i++) {
		CHECK_EQ(fi_tsend(p.a.ep, sbuf, 8, NULL, p.a.peer, i, NULL), 0);
		CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
	}
	CHECK(hangs(false, ": the program does not read its completion queue: "));
	CHECK(says("    queue of completions 0x", 1) && says(" slots are unread, and ", 1));
	snprintf(words, sizeof(words), "-j hang age 0 cause cq pid %d", getpid());
	CHECK_EQ(weftctl_on(apart, words), 0);
	return strstr(shown, "\"object\":\"queue\"") && strstr(shown, "\"cause\":\"cq\"");
}

/* The receiver's program takes nothing: its limit for messages is reached. */
static bool credit(void)
{
	unsigned int i;
	char words[256];
	bool ok;

	if (!apart)
		return true;
	CHECK_EQ(weftctl_on(1, "limit set weft1 messages-endpoint 64"), 0);
	CHECK(begin());
	for (i = 0; i < 600; i++)
		if (fi_tsend(p.a.ep, sbuf, 8, NULL, p.a.peer, i, NULL))
			break;
	ok = hangs(true, ": node 10.77.0.2 keeps as many messages for the receiver as it may: its "
			 "program posts no receives for them");
	snprintf(words, sizeof(words), "message tag 0x0 from %s since ", a);
	ok = ok && hangs(false, words) && says(": no receive is posted: the program ", 1);
	CHECK_EQ(weftctl_on(1, "limit set weft1 messages-endpoint 65536"), 0);
	return ok;
}

/* The endpoint does not exist (yet). */
static bool absent(void)
{
	fi_addr_t to;

	CHECK(begin() && other(&p.a, &p.b, &to));
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, 8, NULL, to, 1, NULL), 0);
	return hangs(true, " has no such endpoint: its program has not started, or has ended");
}

/* No node has the address. */
static bool nobody(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(5000) };
	fi_addr_t addr;

	if (!apart)
		return true;
	to.sin_addr.s_addr = htonl(0x0a4d0063);
	CHECK(begin());
	CHECK_EQ(fi_av_insert(p.a.av, &to, 1, &addr, 0, NULL), 1);
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, 8, NULL, addr, 1, NULL), 0);
	return hangs(true, ": node 10.77.0.99 does not answer the handshake: it is down, has no "
			   "port with this address, or a firewall drops the packets");
}

/* The node was there, and does not answer any more. A's device has a larger MTU than B's. */
static bool dead(void)
{
	bool ok;

	if (!apart)
		return true;
	CHECK(run(0, "ip link set veth0 mtu 9000"));
	CHECK(begin() && message(1) && drop(""));
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, 3000, NULL, p.a.peer, 2, NULL), 0);
	ok = hangs(true, ": nothing was heard of node 10.77.0.2 for ");
	/* never another cause while it is so */
	ok = ok && says(": nothing was heard of node 10.77.0.2 for ", 1) &&
	     says("MTU", 0) && says(" s: it is down, or packets are lost on the way;", 1);
	return drop(NULL) && run(0, "ip link set veth0 mtu 1500") && ok;
}

/* A receive of any sender waits, and the sender's node is given up. */
static bool given_up(void)
{
	bool ok;

	if (!apart)
		return true;
	/* the path's last event is that it came up */
	CHECK(begin() && message(1) && receive_tagged(FI_ADDR_UNSPEC, 2) && drop(""));
	CHECK(port_limit(1, "dead-ms", 500));
	CHECK_EQ(fi_tsend(p.b.ep, sbuf, 8, NULL, p.b.peer, 3, NULL), 0);
	ok = hangs(false, ": no message that it takes has come; node 10.77.0.1 was given up ") &&
	     says(" s ago: the node was silent, or its program did not receive in time", 1);
	CHECK(port_limit(1, "dead-ms", DEAD_MS));
	CHECK(drop(NULL));
	/* it answers again */
	CHECK_EQ(fi_tsend(p.b.ep, sbuf, 8, NULL, p.b.peer, 4, NULL), 0);
	ok = ok && hangs(false, ": no message that it takes has come");
	CHECK(wait_for_line(1, "event show weft1 event path-up last 5", "10.77.0.1"));
	return ok && hangs(false, ": no message that it takes has come") && says("given up", 0);
}

/*
 * A device on the way drops packets that each path carries. B's node is heard, as its own messages
 * are short.
 */
static bool narrow(void)
{
	struct fi_cq_tagged_entry c;
	uint64_t until;
	bool ok = false;

	if (!apart)
		return true;
	CHECK(begin() && message(1) && drop("udp length > 600"));
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, 3000, NULL, p.a.peer, 2, NULL), 0);
	for (until = now_ms() + WAIT_MS; !ok && now_ms() < until; usleep(300000)) {
		CHECK_EQ(fi_tsend(p.b.ep, sbuf, 8, NULL, p.b.peer, 3, NULL), 0);
		CHECK_EQ(completion(p.b.txcq, &c, NULL, NULL), 1);
		CHECK_EQ(weftctl_on(0, "hang age 0 cause mtu"), 0);
		ok = lines(" ms ago, but has not acknowledged these packets: maybe long ones");
	}
	ok = ok && says("    send tag 0x2 to ", 1);
	return drop(NULL) && ok;
}

/* B's program listens, and does not look at its requests. */
static bool request(void)
{
	struct opts o = { .type = FI_EP_MSG, .apart = apart };
	char addr[64], words[256];
	size_t len = sizeof(addr);

	memset(&p, 0, sizeof(p));
	CHECK(pair_sides(&p, &o) && pair_listen(&p, addr, &len));
	CHECK(side_endpoint(&p.a, p.a.info, &o) && address(&p.a, a));
	CHECK_EQ(fi_connect(p.a.ep, addr, NULL, 0), 0);
	snprintf(words, sizeof(words), "    connection from %s since ", a);
	CHECK(hangs(false, words) && says(": the program has neither accepted nor refused the "
					  "request; it ", 1));
	CHECK(hangs(true, apart ? " has not accepted the request; \"weftctl hang\" on node 10.77."
				  "0.2 says what it does" :
			  ", has not accepted the request; it "));
	CHECK_EQ(weftctl_on(0, "-j hang age 0 cause asking"), 0);
	if (strstr(shown, "\"object\":\"connection\"") && !strstr(shown, "\"len\""))
		return true;
	printf("# %.2000s\n", shown);
	return false;
}

/* No program listens there, or no node is there. */
static bool nowhere(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(5000) };
	struct opts o = { .type = FI_EP_MSG, .apart = apart };

	if (!apart)
		return true;
	to.sin_addr.s_addr = htonl(0x0a4d0063);
	memset(&p, 0, sizeof(p));
	CHECK(pair_sides(&p, &o) && side_endpoint(&p.a, p.a.info, &o));
	CHECK_EQ(fi_connect(p.a.ep, &to, NULL, 0), 0);
	return hangs(true, ": node 10.77.0.99 does not answer the handshake: ") &&
	       says("    connection to 10.77.0.99:5000 since ", 1);
}

/* Another endpoint of B that takes receives of a queue of its own */
static bool shares(struct fid_ep **ep, struct fid_ep **queue, uint64_t tag)
{
	struct fi_rx_attr attr = { .size = 16, .caps = p.b.info->rx_attr->caps };

	CHECK_EQ(fi_srx_context(p.b.domain, &attr, queue, NULL), 0);
	CHECK_EQ(fi_trecv(*queue, rbuf, 1000, NULL, FI_ADDR_UNSPEC, tag, 0, NULL), 0);
	p.b.info->ep_attr->rx_ctx_cnt = FI_SHARED_CONTEXT;
	CHECK_EQ(fi_endpoint(p.b.domain, p.b.info, ep, NULL), 0);
	CHECK_EQ(fi_ep_bind(*ep, &p.b.txcq->fid, FI_TRANSMIT), 0);
	CHECK_EQ(fi_ep_bind(*ep, &p.b.rxcq->fid, FI_RECV), 0);
	CHECK_EQ(fi_ep_bind(*ep, &p.b.av->fid, 0), 0);
	CHECK_EQ(fi_ep_bind(*ep, &(*queue)->fid, 0), 0);
	CHECK_EQ(fi_enable(*ep), 0);
	return true;
}

/* Two queues, and a message with another tag at an endpoint of one of them */
static bool queues(void)
{
	struct opts o = { .type = FI_EP_RDM, .apart = apart, .caps = FI_MSG | FI_TAGGED };
	struct fid_ep *ep[2], *queue[2];
	uint8_t addr[64];
	size_t len = sizeof(addr);
	fi_addr_t to;
	unsigned int i;
	bool ok;

	memset(&p, 0, sizeof(p));
	CHECK(pair_open(&p, &o));
	for (i = 0; i < 2; i++)
		CHECK(shares(&ep[i], &queue[i], 0x10 + i));
	CHECK_EQ(fi_getname(&ep[1]->fid, addr, &len), 0);
	CHECK_EQ(fi_av_insert(p.a.av, addr, 1, &to, 0, NULL), 1);
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, 8, NULL, to, 0x2b, NULL), 0);
	ok = hangs(false, " s: 1 message that the receive could take waits here with another tag, "
			  "the oldest with tag 0x2b") &&
	     says("    receive tag 0x11 ", 1) && says("with another tag", 1) &&
	     says("    receive tag 0x10 ", 1) && says("no message that it takes has come", 1);
	for (i = 0; i < 2; i++) {
		fi_close(&ep[i]->fid);
		fi_close(&queue[i]->fid);
	}
	return ok;
}

/* All that endpoints of a job wait for */
static bool job(void)
{
	struct opts o = { .type = FI_EP_RDM, .apart = apart, .caps = FI_MSG | FI_TAGGED,
			  .key = "the key of the lab's job" };
	bool ok;

	CHECK_EQ(shell_on(0, "printf %s \"the key of the lab's job\" | weftctl job add lab key -"),
		 0);
	if (apart)
		CHECK_EQ(shell_on(1, "printf %s \"the key of the lab's job\" | "
				     "weftctl job add lab key -"), 0);
	memset(&p, 0, sizeof(p));
	CHECK(pair_open(&p, &o) && receive_tagged(FI_ADDR_UNSPEC, 0x2a));
	ok = wait_for_line(apart, "hang age 0 job lab", "    receive tag 0x2a ");
	CHECK_EQ(weftctl_on(apart, "hang age 0 job lba"), 0);
	ok = ok && says("", 1) && says("of what has waited for 0 s; did you mean \"lab\"?", 1);
	CHECK_EQ(weftctl_on(apart, apart ? "hang weft1 age 0 job lab tag 0x2a" :
					   "hang port weft0 job lab age 0 tag 0x2a"), 0);
	ok = ok && says("    receive tag 0x2a ", 1);
	CHECK(weftctl_on(apart, "hang weft0 job"));
	ok = ok && says("a value is missing after \"job\"", 1);
	pair_close(&p);
	CHECK_EQ(weftctl_on(0, "job del lab"), 0);
	CHECK(!apart || !weftctl_on(1, "job del lab"));
	/* an endpoint without a job */
	CHECK(begin() && receive_tagged(FI_ADDR_UNSPEC, 0x2a));
	CHECK_EQ(weftctl_on(apart, "hang age 0 job lab"), 0);
	return says("hang: nothing matches of what has waited for 0 s", 1) && ok;
}

/* The receiver is stopped. */
static bool stopped(void)
{
	char addr[64], words[64];
	fi_addr_t to;
	bool ok;

	CHECK(bystander_begin(apart, false, addr) && bystander_stop() && begin());
	CHECK_EQ(fi_av_insert(p.a.av, addr, 1, &to, 0, NULL), 1);
	CHECK_EQ(fi_tsend(p.a.ep, sbuf, 8, NULL, to, 7, NULL), 0);
	snprintf(words, sizeof(words), ": process %d (admin_hang) of user 0 is stopped",
		 bystander_pid);
	ok = hangs(false, words) && says("no receive is posted: the program is stopped", 1);
	return bystander_end() && ok;
}

/* The sender that a receive names computes in one of its threads, and later is stopped. */
static bool busy_sender(void)
{
	char addr[64], words[128];
	fi_addr_t from;
	bool ok;

	CHECK(bystander_begin(apart, true, addr) && begin());
	CHECK_EQ(fi_av_insert(p.b.av, addr, 1, &from, 0, NULL), 1);
	CHECK(receive_tagged(from, 7));
	ok = hangs(false, " has sent nothing that is still to be received; it computes");
	snprintf(words, sizeof(words), ": process %d (admin_hang), which has the endpoint ",
		 bystander_pid);
	ok = ok && says(words, 1) && bystander_stop() &&
	     hangs(false, " has sent nothing that is still to be received; it is stopped");
	return bystander_end() && ok;
}

/*
 * A program that polls need not notify the kernel of a receive: one look finds it all the same.
 * The peer monitor does not read the ring before the look: no receive names its sender.
 */
static bool polling(void)
{
	struct opts o = { .type = FI_EP_RDM, .apart = apart, .caps = FI_MSG | FI_TAGGED };
	struct fi_cq_tagged_entry c;
	unsigned int i;

	memset(&p, 0, sizeof(p));
	CHECK(pair_open(&p, &o) && receive_tagged(FI_ADDR_UNSPEC, 0x2a));
	for (i = 0; i < 100; i++)
		CHECK_EQ(fi_cq_read(p.b.rxcq, &c, 1), -FI_EAGAIN);
	CHECK_EQ(weftctl_on(apart, "hang"), 0);
	CHECK(says("    receive tag 0x2a for at least ", 1));
	CHECK_EQ(weftctl_on(apart, "-j hang age 20"), 0);
	return strstr(shown, "\"age_least\":\"yes\"");
}

static bool dead_limit(unsigned int ms)
{
	return port_limit(0, "dead-ms", ms) && port_limit(1, "dead-ms", ms);
}

int main(void)
{
	static const struct check cases[] = {
		{ "another tag", tag },
		{ "another sender", source },
		{ "tagged and untagged", kind },
		{ "a sender that has not sent", silent },
		{ "a sender whose messages were all received", received },
		{ "a long message without a receive", announced },
		{ "a receiver at its limit", credit },
		{ "an endpoint that does not exist", absent },
		{ "a completion queue that is not read", unread },
		{ "a message that was too long", truncated },
		{ "an address that no node has", nobody },
		{ "a node that does not answer any more", dead },
		{ "a node that was given up", given_up },
		{ "long packets that do not arrive", narrow },
		{ "a request that is not answered", request },
		{ "a request to no node", nowhere },
		{ "shared queues", queues },
		{ "what a job waits for", job },
		{ "a receiver that is stopped", stopped },
		{ "a sender that computes, and is stopped", busy_sender },
		{ "a receive without a notification", polling },
	};

	sbuf = calloc(1, ROOM);
	rbuf = calloc(1, ROOM);
	if (!sbuf || !rbuf || !dead_limit(DEAD_MS))
		return 1;
	checks_run_everywhere(cases, sizeof(cases) / sizeof(cases[0]), &apart, after);
	if (!dead_limit(10000))
		return 1;
	return results_end();
}
