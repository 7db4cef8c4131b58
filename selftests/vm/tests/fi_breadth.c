// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Checked traffic of all kinds of endpoints while programs are killed, the link goes down, a node
 * falls silent for longer than a path lives, and the receiving program stops
 *
 *	fi_breadth [SECONDS [SEED [KIND]]]
 *
 * SECONDS of traffic for each kind, besides the time that the faults take; KIND is its number. A
 * run of at least LONG seconds kills more programs, and stops receivers within a node, too.
 * TIMEOUT: 900 CHECK: all LINKS: vnet
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "breadth.h"
#include "engine_set.h"
#include "looks.h"

static const struct breadth_kind kinds[] = {
	{ "RDM, kills", FI_EP_RDM, .kills = 12 },
	{ "RDM, IPv6, kills, poll", FI_EP_RDM, .v6 = true, .engine = "engine poll", .kills = 8 },
	{ "RDM, shared context, kills", FI_EP_RDM, .shared = true, .kills = 8 },
	{ "RDM, multi-receive, kills, auto", FI_EP_RDM, .multi = true, .engine = "engine auto",
	  .kills = 8 },
	{ "MSG, kills", FI_EP_MSG, .kills = 8 },
	{ "MSG, IPv6, shared context, kills, auto", FI_EP_MSG, .v6 = true, .shared = true,
	  .engine = "engine auto", .kills = 8 },
	{ "DGRAM, kills", FI_EP_DGRAM, .kills = 4 },
	{ "DGRAM, IPv6, poll", FI_EP_DGRAM, .v6 = true, .engine = "engine poll" },
	{ "RDM, link flaps", FI_EP_RDM, .flaps = 2 },
	{ "MSG, IPv6, link flaps", FI_EP_MSG, .v6 = true, .flaps = 2 },
	{ "RDM, a silent node", FI_EP_RDM, .freeze = 20 },
	{ "RDM, a stopped receiver", FI_EP_RDM, .stop = 30 },
	{ "MSG, a stopped receiver", FI_EP_MSG, .stop = 30 },
};

#define LONG	10	/* seconds */
#define MORE	9	/* times as many kills: 100 and more of the first kind */

static struct breadth *b;
static pid_t receiver, sender[BREADTH_SENDERS];
static unsigned int life[BREADTH_SENDERS];
static unsigned int seconds = 3;

static bool run_shell(const char *command)
{
	int status = system(command);

	if (status)
		printf("# \"%s\": status %d\n", command, status);
	return !status;
}

static void wait_ms(unsigned int ms)
{
	const struct timespec t = { ms / 1000, ms % 1000 * 1000000l };

	nanosleep(&t, NULL);
}

/* Wait until the program @pid has set @flag. Return: it has done so, in time. */
static bool sets(pid_t pid, const volatile bool *flag)
{
	uint64_t until = now_ms() + WAIT_MS;

	while (!*flag) {
		CHECK(now_ms() < until && !waitpid(pid, NULL, WNOHANG));
		wait_ms(5);
	}
	return true;
}

static bool start_receiver(void)
{
	fflush(stdout);
	receiver = fork();
	if (!receiver) {
		node_enter(b->apart);
		_exit(!breadth_receive(b));
	}
	return sets(receiver, &b->ready);
}

static void start_sender(unsigned int i)
{
	fflush(stdout);
	sender[i] = fork();
	if (!sender[i]) {
		node_enter(0);
		_exit(!breadth_send(b, i, life[i]));
	}
}

/* Kill a sender at a random moment; its next life begins. */
static bool kill_one(void)
{
	unsigned int i = (unsigned int)rand() % BREADTH_SENDERS;
	int status;

	wait_ms((unsigned int)rand() % 300);
	CHECK(life[i] + 1 < BREADTH_LIVES);
	CHECK_EQ(waitpid(sender[i], &status, WNOHANG), 0);
	CHECK_EQ(kill(sender[i], SIGKILL), 0);
	CHECK_EQ(waitpid(sender[i], &status, 0), sender[i]);
	life[i]++;
	start_sender(i);
	return true;
}

static bool flap(void)
{
	int n = rand() & 1;
	char text[256];

	snprintf(text, sizeof(text), "ip netns exec n%d sysctl -qw "
		 "net.ipv6.conf.veth%d.keep_addr_on_down=1; ip -n n%d link set veth%d down; "
		 "sleep %d; ip -n n%d link set veth%d up", n, n, n, n, 1 + rand() % 3, n, n);
	return run_shell(text);
}

/* All packets of node 1 are lost for longer than a path lives. */
static bool freeze(unsigned int secs)
{
	CHECK(run_shell("ip netns exec n1 tc qdisc replace dev veth1 root netem loss 100%"));
	wait_ms(secs * 1000);
	return run_shell("ip netns exec n1 tc qdisc del dev veth1 root");
}

/* The receiver stops for longer than a sender waits for its connection. So all are made before. */
static bool stop_receiver(unsigned int secs)
{
	unsigned int i;

	for (i = 0; i < BREADTH_SENDERS; i++)
		CHECK(sets(sender[i], &b->life[i][life[i]].joined));
	CHECK_EQ(kill(receiver, SIGSTOP), 0);
	wait_ms(secs * 1000);
	CHECK_EQ(kill(receiver, SIGCONT), 0);
	return true;
}

static bool faults(const struct breadth_kind *k)
{
	unsigned int kills = k->kills * (seconds >= LONG ? MORE : 1), i;

	for (i = 0; i < kills; i++)
		CHECK(kill_one());
	for (i = 0; i < k->flaps; i++) {
		CHECK(flap());
		wait_ms(1000);
	}
	if (k->freeze)
		CHECK(freeze(k->freeze));
	if (k->stop)
		CHECK(stop_receiver(k->stop));
	return true;
}

/* The program ends by itself, within the time that an operation may take. */
static bool ends(pid_t pid)
{
	uint64_t until = now_ms() + BREADTH_MS;
	int status = 0;

	while (!waitpid(pid, &status, WNOHANG)) {
		if (now_ms() >= until) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			CHECK(!"the program hangs");
		}
		wait_ms(5);
	}
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 0);
	return true;
}

/* Return: all that had to come has come. */
static bool complete(bool say)
{
	unsigned int i, n;

	for (i = 0; i < BREADTH_SENDERS; i++) {
		for (n = 0; n <= life[i]; n++) {
			const struct breadth_life *l = &b->life[i][n];
			uint32_t want = l->over && !b->may_fail ? l->posted : l->sent;

			if (b->kind->type == FI_EP_DGRAM || b->got[i][n] >= want)
				continue;
			if (say)
				printf("# sender %u, life %u: %u of %u messages came\n", i, n,
				       b->got[i][n], want);
			return false;
		}
	}
	return true;
}

static bool finish(void)
{
	uint64_t until = now_ms() + BREADTH_MS;
	unsigned int i;

	b->stop = true;
	for (i = 0; i < BREADTH_SENDERS; i++)
		CHECK(ends(sender[i]));
	while (!complete(false) && now_ms() < until && !waitpid(receiver, NULL, WNOHANG))
		wait_ms(10);
	CHECK(complete(true));
	b->quit = true;
	return ends(receiver);
}

static void kill_all(void)
{
	unsigned int i;

	for (i = 0; i < BREADTH_SENDERS; i++) {
		kill(sender[i], SIGKILL);
		waitpid(sender[i], NULL, 0);
	}
	kill(receiver, SIGKILL);
	kill(receiver, SIGCONT);
	waitpid(receiver, NULL, 0);
}

static void tell(void)
{
	uint32_t got = 0, ended = 0;
	unsigned int i, n;

	for (i = 0; i < BREADTH_SENDERS; i++) {
		for (n = 0; n <= life[i]; n++) {
			got += b->got[i][n];
			ended += b->life[i][n].failed;
		}
	}
	printf("# %u messages, %u sends and %u receives have failed\n", got, ended, b->lost);
}

static bool traffic(const struct breadth_kind *k)
{
	unsigned int i;
	bool ok;

	CHECK(start_receiver());
	for (i = 0; i < BREADTH_SENDERS; i++)
		start_sender(i);
	wait_ms(seconds * 500);
	ok = faults(k);
	wait_ms(seconds * 500);
	ok = ok && finish();
	if (!ok)
		kill_all();
	tell();
	return ok && nothing_left();
}

static bool one(const struct breadth_kind *k, bool apart, uint32_t seed)
{
	bool ok;

	memset(b, 0, sizeof(*b));
	memset(life, 0, sizeof(life));
	b->kind = k;
	b->apart = apart;
	b->seed = seed;
	b->may_fail = k->freeze;
	if (k->engine)
		CHECK(engine_set_all(k->engine));
	ok = traffic(k);
	if (k->engine)
		CHECK(engine_set_all("engine inline"));
	return ok;
}

int main(int argc, char **argv)
{
	uint32_t seed = argc > 2 ? (uint32_t)atoi(argv[2]) : (uint32_t)time(NULL);
	size_t only = argc > 3 ? (size_t)atoi(argv[3]) : sizeof(kinds), i;
	const char *link = getenv("LINK");
	bool veth = !link || !strcmp(link, "veth");
	int apart;

	if (argc > 1)
		seconds = (unsigned int)atoi(argv[1]);
	b = mmap(NULL, sizeof(*b), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (b == MAP_FAILED)
		return 1;
	printf("# SEED=%u\n", seed);
	srand(seed);
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct breadth_kind *k = &kinds[i];

		if (only != sizeof(kinds) && only != i)
			continue;
		for (apart = 1; apart >= 0; apart--) {
			/* these faults are those of a link of the kernel */
			if ((k->flaps || k->freeze) && (!apart || !veth))
				continue;
			if (!apart && k->stop && seconds < LONG)
				continue;
			result(one(k, apart, seed), k->name,
			       apart ? "between nodes" : "within a node");
		}
	}
	return results_end();
}
