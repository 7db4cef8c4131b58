// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * 100 000 posted receives and 100 000 messages that wait: "weftctl recv" and "msg" show each once,
 * while another program of the port exchanges messages. The times of its exchanges are printed,
 * beside the dumps, beside programs that do not use weft, and alone. Each side has a CPU, so that
 * they meet only in the kernel. Emulated CPUs disturb each other: the second measure shows that.
 * TIMEOUT: 600 CHECK: all NEEDS: reload
 */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "fipair.h"
#include "looks.h"

#define HOLDERS	2u			/* endpoints that hold them */
#define EACH	50000u			/* receives, and messages, of each */
#define ALL	(HOLDERS * EACH)
#define ROUNDS	4000000u		/* most exchanges that are measured */
#define RECVS	0x1000000u		/* tags */
#define MSGS	0x2000000u
#define PLAY	3u			/* the player's tag, which the dumps do not count */

static struct pair holder[HOLDERS], player;
static char byte[8];
static uint64_t took[ROUNDS];

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static bool run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

static bool open_all(void)
{
	struct opts o = { .type = FI_EP_RDM, .caps = FI_MSG | FI_TAGGED, .rx_size = 65536,
			  .tx_size = 1024 };
	unsigned int i;

	CHECK(port_limit(0, "messages-user", 1u << 20));
	for (i = 0; i < HOLDERS; i++)
		CHECK(pair_open(&holder[i], &o));
	o.rx_size = 0;
	return pair_open(&player, &o);
}

/* Messages that no receive takes, and receives that no message takes */
static bool fill(struct pair *p, unsigned int from)
{
	struct fi_cq_tagged_entry c;
	unsigned int i, sent = 0;

	for (i = 0; i < EACH; i++)
		while (fi_tsend(p->a.ep, byte, sizeof(byte), NULL, p->a.peer, MSGS + from + i,
				NULL)) {
			CHECK_EQ(completion(p->a.txcq, &c, NULL, NULL), 1);
			sent++;
		}
	for (; sent < EACH; sent++)
		CHECK_EQ(completion(p->a.txcq, &c, NULL, NULL), 1);
	for (i = 0; i < EACH; i++)
		CHECK_EQ(fi_trecv(p->b.ep, byte, sizeof(byte), NULL, FI_ADDR_UNSPEC,
				  RECVS + from + i, 0, NULL), 0);
	return true;
}

static bool full(void)
{
	unsigned int i;

	CHECK(open_all());
	for (i = 0; i < HOLDERS; i++)
		CHECK(fill(&holder[i], i * EACH));
	return true;
}

/* Exchange messages @most times, or until the process @until has ended. Return: times, 0: error */
static unsigned int play(unsigned int most, pid_t until, int *status)
{
	struct fi_cq_tagged_entry c;
	unsigned int i;
	uint64_t begin;

	for (i = 0; i < most; i++) {
		if (until && i % 64 == 0 && waitpid(until, status, WNOHANG) == until)
			break;
		begin = now_ns();
		if (fi_trecv(player.b.ep, byte, sizeof(byte), NULL, FI_ADDR_UNSPEC, PLAY, 0,
			     NULL) ||
		    fi_tsend(player.a.ep, byte, sizeof(byte), NULL, player.a.peer, PLAY,
			     NULL) ||
		    completion(player.b.rxcq, &c, NULL, NULL) != 1 ||
		    completion(player.a.txcq, &c, NULL, NULL) != 1)
			return 0;
		took[i] = now_ns() - begin;
	}
	return i;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Return: how many of the @n first exchanges, sorted by time, have taken longer than @ns. */
static unsigned int longer(unsigned int n, uint64_t ns)
{
	unsigned int i;

	for (i = n; i && took[i - 1] > ns; i--)
		;
	return n - i;
}

static void print(const char *when, unsigned int n)
{
	qsort(took, n, sizeof(*took), compare);
	printf("# %s: %u exchanges, median %llu ns, 99.9 %% %llu ns, longest %llu ns; "
	       "longer than 0.1 ms %u, 1 ms %u\n", when, n, (unsigned long long)took[n / 2],
	       (unsigned long long)took[n / 1000 * 999], (unsigned long long)took[n - 1],
	       longer(n, 100000), longer(n, 1000000));
}

/* Dump all receives and all messages twice, each once in a dump. Return: exit status. */
static int dump(void)
{
	char command[512];

	snprintf(command, sizeof(command),
		 "for i in 1 2; do for what in recv msg; do weftctl $what show weft0 | awk '"
		 "/ tagged tag 0x[12]/ { n++; if (seen[$4]++) twice = 1 } "
		 "END { if (n != %u || twice) print n, twice; exit n != %u || twice }' || exit 1; "
		 "done; done", ALL, ALL);
	node_enter(0);
	run_on(1);
	return execlp("sh", "sh", "-c", command, NULL);
}

/* What dump() does, without weft, until it is killed. */
static void work(void)
{
	run_on(1);
	execlp("sh", "sh", "-c", "while :; do seq 200000 | awk '{ n++; if (seen[$1]++) twice = 1 } "
	       "END { exit n != 200000 || twice }' || exit 1; done", NULL);
	_exit(1);
}

/* Exchange @n messages beside work(). */
static bool beside_work(unsigned int n)
{
	pid_t pid = fork();
	bool ok;

	if (!pid) {
		setpgid(0, 0);
		work();
	}
	CHECK(pid > 0);
	setpgid(pid, pid);
	ok = play(n, 0, NULL) == n;
	CHECK_EQ(kill(-pid, SIGKILL), 0);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	CHECK(ok);
	print("beside other work", n);
	return true;
}

static bool dumps(void)
{
	int status = -1;
	unsigned int n;
	pid_t pid;

	pid = fork();
	if (!pid)
		_exit(dump());
	CHECK(pid > 0);
	CHECK(run_on(0));
	n = play(ROUNDS, pid, &status);
	if (n == ROUNDS)
		waitpid(pid, &status, 0);
	CHECK(n > 1000);
	print("beside the dumps", n);
	CHECK_EQ(status, 0);
	CHECK(beside_work(n));
	CHECK_EQ(play(n, 0, NULL), n);
	print("alone", n);
	return true;
}

static bool gone(void)
{
	unsigned int i;

	pair_close(&player);
	for (i = 0; i < HOLDERS; i++)
		pair_close(&holder[i]);
	return nothing_left();
}

int main(void)
{
	bool ok;

	setbuf(stdout, NULL);
	ok = result(full(), "100 000 receives and messages", "one node");
	if (ok)
		result(dumps(), "dumps show each once", "one node");
	result(gone(), "nothing is left", "one node");
	return results_end();
}
