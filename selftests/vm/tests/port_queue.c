// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A rule of the firewall hands all incoming weft packets to a program (NFQUEUE), which lets them
 * pass
 *
 * So weft receives each packet in that program's call, not in a softirq. Other packets,
 * acknowledgements and timers of the same paths are handled in softirqs meanwhile.
 * TIMEOUT: 300
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_queue.h>
#include <linux/netlink.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"

#define QUEUE	7

/* ---- The program ---------------------------------------------------------------------------- */

/* Send a message of one attribute, @data. Return: whether it was sent. */
static bool tell(int fd, int type, int attr, const void *data, size_t len)
{
	struct {
		struct nlmsghdr nlh;
		struct nfgenmsg nf;
		struct nlattr nla;
		unsigned char data[32];
	} m = {
		.nlh.nlmsg_len = NLMSG_LENGTH(sizeof(m.nf)) + NLA_HDRLEN + NLA_ALIGN(len),
		.nlh.nlmsg_type = NFNL_SUBSYS_QUEUE << 8 | type,
		.nlh.nlmsg_flags = NLM_F_REQUEST,
		.nf.version = NFNETLINK_V0,
		.nf.res_id = htons(QUEUE),
		.nla.nla_len = NLA_HDRLEN + len,
		.nla.nla_type = attr,
	};

	memcpy(m.data, data, len);
	return send(fd, &m, m.nlh.nlmsg_len, 0) == (ssize_t)m.nlh.nlmsg_len;
}

/* Let the packet of a message pass. */
static void pass(int fd, struct nlmsghdr *nlh)
{
	size_t skip = NLMSG_ALIGN(sizeof(struct nfgenmsg));
	struct nlattr *nla = (void *)((char *)NLMSG_DATA(nlh) + skip);
	struct nfqnl_msg_verdict_hdr v = { .verdict = htonl(NF_ACCEPT) };
	int left = NLMSG_PAYLOAD(nlh, sizeof(struct nfgenmsg));

	while (left >= (int)sizeof(*nla) && nla->nla_len >= sizeof(*nla)) {
		if ((nla->nla_type & NLA_TYPE_MASK) == NFQA_PACKET_HDR) {
			struct nfqnl_msg_packet_hdr h;

			memcpy(&h, nla + 1, sizeof(h));
			v.id = h.packet_id;
			tell(fd, NFQNL_MSG_VERDICT, NFQA_VERDICT_HDR, &v, sizeof(v));
			return;
		}
		left -= NLA_ALIGN(nla->nla_len);
		nla = (void *)((char *)nla + NLA_ALIGN(nla->nla_len));
	}
}

/* Let all packets of node 1's queue pass. @ready: closed when the queue exists. */
static void program(int ready)
{
	struct nfqnl_msg_config_cmd cmd = { .command = NFQNL_CFG_CMD_BIND };
	struct nfqnl_msg_config_params par = { .copy_mode = NFQNL_COPY_META };
	static char buf[65536] __attribute__((aligned(8)));
	struct nlmsghdr *nlh;
	int fd, len;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	node_enter(1);
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
	if (fd < 0 || !tell(fd, NFQNL_MSG_CONFIG, NFQA_CFG_CMD, &cmd, sizeof(cmd)) ||
	    !tell(fd, NFQNL_MSG_CONFIG, NFQA_CFG_PARAMS, &par, sizeof(par)))
		exit(1);
	close(ready);
	for (;;) {
		len = recv(fd, buf, sizeof(buf), 0);
		for (nlh = (void *)buf; len > 0 && NLMSG_OK(nlh, (unsigned int)len);
		     nlh = NLMSG_NEXT(nlh, len))
			if (nlh->nlmsg_type == (NFNL_SUBSYS_QUEUE << 8 | NFQNL_MSG_PACKET))
				pass(fd, nlh);
	}
}

/* ---- Cases ---------------------------------------------------------------------------------- */

static bool shell(const char *what)
{
	char cmd[512];

	snprintf(cmd, sizeof(cmd), ". \"$VM_REPO/selftests/vm/lib.sh\" && "
		 ". \"$VM_REPO/selftests/vm/tests/lib/pingpong.sh\" && %s", what);
	return !system(cmd);
}

/* The rule's counter says that packets have passed here. */
static bool counted(void)
{
	int n = 0;
	FILE *f = popen("node 1 nft list ruleset | sed -n 's/.*packets \\([0-9]*\\).*/\\1/p'", "r");

	CHECK(f);
	CHECK_EQ(fscanf(f, "%d", &n), 1);
	pclose(f);
	CHECK(n >= 50);
	return true;
}

/*
 * Each size of fi_pingpong, without 1 MiB on a debug kernel. There the program passes 60 packets a
 * second. Packets of such a message wait in its queue for longer than dead-ms, and the path dies.
 */
static bool sweep(const char *type)
{
	static const char *const sizes[] = { "64", "256", "1024", "4096", "65536", "1048576" };
	const char *slow = getenv("VM_SLOW");
	size_t i, n = sizeof(sizes) / sizeof(sizes[0]);
	char what[128];

	if (slow && atoi(slow) > 1)
		n--;
	for (i = 0; i < n; i++) {
		snprintf(what, sizeof(what), "pingpong 1 10.77.0.2 -e %s -I 20 -S %s", type,
			 sizes[i]);
		CHECK(shell(what));
	}
	return true;
}

static bool to_it(void)
{
	CHECK(sweep("rdm"));
	CHECK(sweep("msg"));
	return counted();
}

/* Long messages, and their acknowledgements, arrive at the end that listens. */
static bool from_it(void)
{
	CHECK(shell("pp_from=1 && pingpong 0 10.77.0.1 -e rdm -S 65536 -I 20"));
	return counted();
}

int main(void)
{
	int ready[2];
	pid_t pid;
	char c;

	if (nodes_are_one()) {
		printf("ok 1 queue # SKIP there is no link\n1..1\n");
		return 0;
	}
	if (pipe(ready))
		return 1;
	pid = fork();
	if (!pid) {
		close(ready[0]);
		program(ready[1]);
	}
	close(ready[1]);
	read(ready[0], &c, 1);
	if (!shell("node 1 nft 'add table inet weft_queue; "
		   "add chain inet weft_queue c { type filter hook input priority 0; }; "
		   "add rule inet weft_queue c udp dport 9471 counter queue num 7'")) {
		printf("ok 1 queue # SKIP nft has no queues here\n1..1\n");
		kill(pid, SIGKILL);
		return 0;
	}
	result(to_it(), "messages pass a program's queue", "to it");
	result(from_it(), "messages pass a program's queue", "from it");
	shell("node 1 nft delete table inet weft_queue");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return results_end();
}
