// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * kill -9 of either side at random moments of heavy traffic. Every second time a live forked child
 * holds the victim's files. The survivor gets an error or FI_SHUTDOWN and ends. Afterwards no
 * context, endpoint or pinned page is left.
 *
 * Usage: kill9 [rounds [seed]]
 * TIMEOUT: 600 KERNELS: each
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "fipair.h"
#include "looks.h"

#define DEPTH  8
#define ROOM   (512u << 10)
#define END_MS 40000

struct hello {
	size_t len;
	uint8_t addr[64];
};

static uint8_t *rbuf[DEPTH], *sbuf;

static void swap_names(struct hello *mine, struct hello *its, int sock)
{
	if (write(sock, mine, sizeof(*mine)) != sizeof(*mine) ||
	    read(sock, its, sizeof(*its)) != sizeof(*its))
		_exit(3);
}

/* Make an endpoint and connect it or learn the peer's address. */
static bool join(struct side *s, const struct opts *o, bool first, int sock)
{
	struct hello mine = { .len = sizeof(mine.addr) }, its;
	struct pair p = { .o = *o };
	struct fi_eq_cm_entry e;
	uint32_t type;

	CHECK(side_open_here(s, o));
	if (o->type == FI_EP_RDM) {
		CHECK(side_endpoint(s, s->info, o));
		CHECK_EQ(fi_getname(&s->ep->fid, mine.addr, &mine.len), 0);
		swap_names(&mine, &its, sock);
		CHECK_EQ(fi_av_insert(s->av, its.addr, 1, &s->peer, 0, NULL), 1);
		return true;
	}
	if (first) {
		CHECK(side_endpoint(s, s->info, o));
		swap_names(&mine, &its, sock);
		CHECK_EQ(fi_connect(s->ep, its.addr, NULL, 0), 0);
	} else {
		p.b = *s;
		CHECK(pair_listen(&p, mine.addr, &mine.len));
		swap_names(&mine, &its, sock);
		CHECK_EQ(event(s->eq, &type, &e, sizeof(e)), sizeof(e));
		CHECK(side_endpoint(s, e.info, o));
		CHECK_EQ(fi_accept(s->ep, NULL, 0), 0);
	}
	CHECK_EQ(event(s->eq, &type, &e, sizeof(e)), sizeof(e));
	CHECK_EQ(type, FI_CONNECTED);
	return true;
}

/* Send and receive until a call reports that the peer has gone. Never returns otherwise. */
static void traffic(struct side *s, const struct opts *o)
{
	struct fi_cq_tagged_entry c;
	struct fi_eq_cm_entry e;
	int sending = 0, i;
	uint32_t type;
	ssize_t ret;

	for (i = 0; i < DEPTH; i++)
		fi_recv(s->ep, rbuf[i], ROOM, NULL, FI_ADDR_UNSPEC, rbuf[i]);
	for (;;) {
		while (sending < DEPTH) {
			size_t len = (size_t)rand() % (rand() & 3 ? 2000 : ROOM);
			struct iovec iov = { sbuf, len };
			struct fi_msg m = { .msg_iov = &iov, .iov_count = 1, .addr = s->peer };

			ret = fi_sendmsg(s->ep, &m, FI_COMPLETION | FI_DELIVERY_COMPLETE);
			if (ret == -FI_EAGAIN)
				break;
			if (ret)
				return;
			sending++;
		}
		while ((ret = fi_cq_read(s->txcq, &c, 1)) == 1)
			sending--;
		if (ret != -FI_EAGAIN)
			return;
		while ((ret = fi_cq_read(s->rxcq, &c, 1)) == 1)
			fi_recv(s->ep, c.op_context, ROOM, NULL, FI_ADDR_UNSPEC, c.op_context);
		if (ret != -FI_EAGAIN)
			return;
		if (o->type == FI_EP_MSG && fi_eq_read(s->eq, &type, &e, sizeof(e), 0) > 0)
			return;
	}
}

static pid_t start(const struct opts *o, bool first, int sock, int ready, bool forks)
{
	struct side s;
	pid_t pid = fork();
	int i;

	if (pid)
		return pid;
	setpgid(0, 0);
	srand(getpid());
	node_enter(first ? 0 : o->apart);
	sbuf = malloc(ROOM);
	for (i = 0; i < DEPTH; i++)
		rbuf[i] = malloc(ROOM);
	if (!join(&s, o, first, sock))
		_exit(2);
	if (forks && !fork()) {
		pause();
		_exit(0);
	}
	if (write(ready, "r", 1) != 1)
		_exit(3);
	traffic(&s, o);
	_exit(0);
}

static bool ended(pid_t pid)
{
	uint64_t until = now_ms() + END_MS;
	const struct timespec ms = { 0, 1000000 };
	int status;
	pid_t got;

	while (!(got = waitpid(pid, &status, WNOHANG)) && now_ms() < until)
		nanosleep(&ms, NULL);
	if (!got) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		CHECK(!"the survivor hangs");
	}
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 0);
	return true;
}

static bool one_round(const struct opts *o, unsigned int ms, bool victim, bool forks)
{
	const struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
	int sock[2], ready[2], i, status;
	pid_t pid[2], group;
	char c;

	CHECK(!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sock) && !pipe(ready));
	for (i = 0; i < 2; i++) {
		pid[i] = start(o, !i, sock[i], ready[1], forks && i == victim);
		CHECK(pid[i] > 0);
	}
	close(ready[1]);
	for (i = 0; i < 2; i++)
		CHECK_EQ(read(ready[0], &c, 1), 1);
	nanosleep(&t, NULL);
	group = pid[victim];
	CHECK_EQ(kill(pid[victim], SIGKILL), 0);
	CHECK_EQ(waitpid(pid[victim], &status, 0), pid[victim]);
	CHECK(ended(pid[!victim]));
	close(sock[0]);
	close(sock[1]);
	close(ready[0]);
	/* All objects are destroyed although the child still holds the victim's files. */
	CHECK(nothing_left());
	if (forks)
		CHECK_EQ(kill(-group, SIGKILL), 0);
	return true;
}

static bool rounds(const struct opts *o, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		unsigned int ms = rand() % 60;
		bool victim = rand() & 1, forks = i & 1;

		if (!one_round(o, ms, victim, forks)) {
			printf("# round %d: %u ms, victim %d, forks %d\n", i, ms, victim, forks);
			return false;
		}
	}
	return true;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 4, apart, msg;
	unsigned int seed = argc > 2 ? (unsigned int)atoi(argv[2]) : (unsigned int)time(NULL);
	bool one = nodes_are_one();

	printf("# seed %u\n", seed);
	srand(seed);
	for (apart = 0; apart <= !one; apart++) {
		for (msg = 0; msg < 2; msg++) {
			struct opts o = { .type = msg ? FI_EP_MSG : FI_EP_RDM, .apart = apart };

			result(rounds(&o, n), msg ? "kill -9, msg" : "kill -9, rdm",
			       apart ? "between nodes" : "within a node");
		}
	}
	return results_end();
}
