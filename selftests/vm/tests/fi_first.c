// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * First contact through stock libfabric: the client starts before its server, the server never
 * comes, a firewall drops all packets, a link is down; and what killed and ended programs leave
 * TIMEOUT: 200 LINKS: vnet
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fipair.h"
#include "looks.h"

#define LONG	(1 << 20)	/* announced */
#define OWED	300	/* messages that an ended program owes, more than fit at the receiver */

static struct pair p;
static bool apart;
static char out[LONG], in[LONG];
static char addr[64];	/* of B */

/* Both sides, and then only A: A knows B's address. */
static bool alone(void)
{
	const struct opts o = { .type = FI_EP_RDM, .apart = apart, .caps = FI_MSG | FI_TAGGED };
	size_t len = sizeof(addr);

	CHECK(pair_open(&p, &o));
	CHECK_EQ(fi_getname(&p.b.ep->fid, addr, &len), 0);
	side_close(&p.b);
	memset(&p.b, 0, sizeof(p.b));
	return true;
}

/* B is there again, with the address that A knows. */
static bool appear(void)
{
	CHECK(side_open(&p.b, apart, &p.o));
	memcpy(p.b.info->src_addr, addr, p.b.info->src_addrlen);
	return side_endpoint(&p.b, p.b.info, &p.o);
}

static bool receive(size_t len)
{
	struct fi_cq_tagged_entry c;

	memset(in, 0, len);
	CHECK_EQ(fi_recv(p.b.ep, in, sizeof(in), NULL, FI_ADDR_UNSPEC, NULL), 0);
	CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
	CHECK_EQ(c.len, len);
	CHECK(!memcmp(in, out, len));
	return true;
}

/* No send completes before the server exists. Then all arrive, in order. */
static bool client_first(void)
{
	static const size_t lens[] = { 8, 4000, LONG, 1 };
	struct fi_cq_tagged_entry c;
	size_t i;

	CHECK(alone());
	for (i = 0; i < 4; i++)
		CHECK_EQ(fi_send(p.a.ep, out, lens[i], NULL, p.a.peer, NULL), 0);
	CHECK_EQ(fi_inject(p.a.ep, out, 16, p.a.peer), 0);
	CHECK(quiet(p.a.txcq));
	CHECK(appear());
	for (i = 0; i < 4; i++)
		CHECK(receive(lens[i]));
	CHECK(receive(16));
	for (i = 0; i < 4; i++)
		CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
	CHECK(quiet(p.a.txcq));
	pair_close(&p);
	return true;
}

/* It never comes: a send and an inject fail. */
static bool never(void)
{
	struct fi_cq_tagged_entry c;
	struct fi_cq_err_entry err;
	int i;

	CHECK(port_limit(0, "connect-ms", 300));
	CHECK(alone());
	CHECK_EQ(fi_send(p.a.ep, out, 8, NULL, p.a.peer, &c), 0);
	CHECK_EQ(fi_inject(p.a.ep, out, 8, p.a.peer), 0);
	for (i = 0; i < 2; i++) {
		memset(&err, 0, sizeof(err));
		CHECK_EQ(completion(p.a.txcq, &c, NULL, &err), -FI_EAVAIL);
		CHECK_EQ(err.err, FI_ECONNREFUSED);
		CHECK(err.op_context == (i ? NULL : &c));
	}
	pair_close(&p);
	return port_limit(0, "connect-ms", 5000);
}

static int sh(const char *cmd)
{
	int status = system(cmd);

	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Return: weft's packets pass the IP stack's devices and firewalls. */
static bool through_stack(void)
{
	const char *link = getenv("LINK");

	return apart && link && !strcmp(link, "veth");
}

/* A firewall on the server's node drops weft's packets: no success. */
static bool firewall(void)
{
	struct fi_cq_err_entry err = { 0 };
	struct fi_cq_tagged_entry c;

	if (!through_stack())
		return true;
	CHECK(port_limit(0, "connect-ms", 300) && port_limit(0, "dead-ms", 1000));
	CHECK(alone() && appear());
	CHECK_EQ(sh("node 1 nft -f - <<-EOT\n"
		    "table inet weft_first { chain c { type filter hook input priority 0; "
		    "udp dport 9471 drop; }; }\nEOT"), 0);
	CHECK_EQ(fi_inject(p.a.ep, out, 8, p.a.peer), 0);
	CHECK_EQ(completion(p.a.txcq, &c, NULL, &err), -FI_EAVAIL);
	/* the second one if the nodes had been in contact */
	CHECK(err.err == FI_EHOSTUNREACH || err.err == FI_ETIMEDOUT);
	CHECK_EQ(sh("node 1 nft delete table inet weft_first"), 0);
	CHECK(port_limit(0, "connect-ms", 5000) && port_limit(0, "dead-ms", 10000));
	CHECK_EQ(fi_inject(p.a.ep, out, 8, p.a.peer), 0);
	CHECK(receive(8));
	pair_close(&p);
	return true;
}

/* The link of node 0 is set down, and up again: sends wait, and take no error. */
static bool link_down(void)
{
	/* the device keeps its IPv6 address */
	const char *set = "dev=$(node 0 ip -o addr show to 10.77.0.1 | awk '{ print $2 }') && "
			  "[ \"$dev\" ] && keep=net.ipv6.conf.$dev.keep_addr_on_down && "
			  "node 0 sysctl -qw $keep=1 && node 0 ip link set dev $dev %s && "
			  "node 0 sysctl -qw $keep=%d";
	struct fi_cq_tagged_entry c;
	char cmd[512];

	if (!through_stack())
		return true;
	CHECK(alone() && appear());
	snprintf(cmd, sizeof(cmd), set, "down", 1);
	if (!sh(cmd)) {
		CHECK_EQ(fi_send(p.a.ep, out, 8, NULL, p.a.peer, NULL), 0);
		CHECK(quiet(p.a.txcq));
		snprintf(cmd, sizeof(cmd), set, "up", 0);
		CHECK_EQ(sh(cmd), 0);
		CHECK(receive(8));
		CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
	}
	pair_close(&p);
	return true;
}

/* A program of node 0 runs @run with an endpoint that knows B. Return: its process. */
static pid_t program(bool (*run)(void))
{
	const struct opts o = { .type = FI_EP_RDM, .caps = FI_MSG | FI_TAGGED };
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid)
		return pid;
	memset(&p, 0, sizeof(p));
	_exit(!(side_open(&p.a, 0, &o) && side_endpoint(&p.a, p.a.info, &o) &&
		fi_av_insert(p.a.av, addr, 1, &p.a.peer, 0, NULL) == 1 && run()));
}

/* B alone. */
static bool server(void)
{
	const struct opts o = { .type = FI_EP_RDM, .apart = apart, .caps = FI_MSG | FI_TAGGED };
	size_t len = sizeof(addr);

	memset(&p, 0, sizeof(p));
	p.o = o;
	CHECK(side_open(&p.b, apart, &o) && side_endpoint(&p.b, p.b.info, &o));
	CHECK_EQ(fi_getname(&p.b.ep->fid, addr, &len), 0);
	return true;
}

static bool sends_and_ends(void)
{
	struct fi_cq_tagged_entry c;
	int i;

	for (i = 0; i < OWED; i++) {
		out[0] = (char)i;
		CHECK_EQ(fi_send(p.a.ep, out, 1, NULL, p.a.peer, NULL), 0);
	}
	for (i = 0; i < OWED; i++)
		CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
	return true;
}

/* All sends have succeeded, their program has ended, and the receiver begins much later. */
static bool owed(void)
{
	long long gave = port_attr(0, "counters/msgs_given_up");
	int i, status;
	char first;

	CHECK(port_limit(apart, "messages-endpoint", 64) && port_limit(0, "dead-ms", 500));
	CHECK(server());
	CHECK_EQ(waitpid(program(sends_and_ends), &status, 0) > 0, 1);
	CHECK_EQ(status, 0);
	/* longer than dead-ms: the time itself is tested */
	usleep(1500000);
	first = out[0];
	for (i = 0; i < OWED; i++) {
		out[0] = (char)i;
		CHECK(receive(1));
	}
	out[0] = first;
	CHECK_EQ(port_attr(0, "counters/msgs_given_up"), gave);
	pair_close(&p);
	return port_limit(apart, "messages-endpoint", 65536) && port_limit(0, "dead-ms", 10000);
}

static bool sends_and_waits(void)
{
	CHECK_EQ(fi_tsend(p.a.ep, out, LONG, NULL, p.a.peer, 7, NULL), 0);
	CHECK_EQ(fi_tsend(p.a.ep, out, 8, NULL, p.a.peer, 7, NULL), 0);
	pause();
	return true;
}

static bool reached(const char *counter, long long value)
{
	uint64_t until = now_ms() + WAIT_MS;

	while (port_attr(apart, counter) < value) {
		CHECK(now_ms() < until);
		usleep(1000);
	}
	return true;
}

/* The sender of a long message is killed: the next message does not take its receive. */
static bool killed(void)
{
	long long kept = port_attr(apart, "counters/msgs_unexpected");
	long long lost = port_attr(apart, "counters/msgs_lost");
	struct fi_cq_err_entry err = { 0 };
	struct fi_cq_tagged_entry c;
	int status;
	pid_t pid;

	CHECK(server());
	pid = program(sends_and_waits);
	CHECK(reached("counters/msgs_unexpected", kept + 2));
	CHECK_EQ(kill(pid, SIGKILL), 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(reached("counters/msgs_lost", lost + 1));
	CHECK_EQ(fi_trecv(p.b.ep, in, sizeof(in), NULL, FI_ADDR_UNSPEC, 7, 0, NULL), 0);
	CHECK_EQ(completion(p.b.rxcq, &c, NULL, &err), -FI_EAVAIL);
	CHECK_EQ(err.err, FI_ECONNRESET);
	CHECK_EQ(fi_trecv(p.b.ep, in, sizeof(in), NULL, FI_ADDR_UNSPEC, 7, 0, NULL), 0);
	CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
	CHECK_EQ(c.len, 8);
	pair_close(&p);
	return true;
}

static void after(void)
{
	pair_close(&p);
}

int main(void)
{
	static const struct check checks[] = {
		{ "the client is first", client_first },
		{ "no server comes", never },
		{ "a firewall", firewall },
		{ "a link that is down", link_down },
		{ "what an ended program owes", owed },
		{ "order when a sender is killed", killed },
	};
	size_t i;

	for (i = 0; i < sizeof(out); i++)
		out[i] = (char)(i * 7 + i / 256);
	checks_run_everywhere(checks, sizeof(checks) / sizeof(checks[0]), &apart, after);
	result(nothing_left(), "nothing is left", "both nodes");
	return results_end();
}
