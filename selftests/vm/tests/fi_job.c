// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Jobs through stock libfabric: which user may use a key, himself or by a group, and the error of
 * others
 *
 * Also: the output of "weftctl"; a job in use stays; killed programs do not keep a job in use.
 */
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fipair.h"
#include "flog.h"
#include "looks.h"

#define LAB	"the key of the lab's job"
#define GUESTS	"the key of the guests' job"
#define ANYONE	"the key of anyone's job"
#define WEFT	990	/* the group of the devices */
#define ALICE	1991
#define BOB	1992
#define GUEST	1993	/* a group */

static struct pair p;
static bool apart;

static int sh(const char *cmd)
{
	int status = system(cmd);

	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- As another user ------------------------------------------------------------------- */

/*
 * Become that user, who is also in group @also, 0: in none; whichever user the process was before.
 */
static bool be(uid_t uid, gid_t also)
{
	CHECK_EQ(seteuid(0), 0);
	CHECK_EQ(setgroups(!!also, &also), 0);
	CHECK_EQ(setegid(uid ? WEFT : 0), 0);
	CHECK_EQ(seteuid(uid), 0);
	return true;
}

/* Return: the errno of fi_endpoint() with a key. @says: words in the log, or NULL. */
static int opens(const char *key, enum fi_ep_type type, const char *says)
{
	struct opts o = { .type = type, .key = key };
	char log[4096];
	int ret;

	if (!side_open_here(&p.a, &o))
		return -1;
	flog_clear();
	ret = fi_endpoint(p.a.domain, p.a.info, &p.a.ep, NULL);
	if (ret)
		p.a.ep = NULL;
	flog_text(log, sizeof(log));
	if (!says || strstr(log, says))
		return -ret;
	printf("# the log says: %s\n", log);
	return -1;
}

/* The result for a user, who is also in group @also. @says: words in the log. */
static bool told(uid_t uid, gid_t also, const char *key, int want, const char *says)
{
	static const enum fi_ep_type types[] = { FI_EP_RDM, FI_EP_DGRAM, FI_EP_MSG };
	size_t i;
	int got;

	node_enter(0);
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		CHECK(be(uid, also));
		got = opens(key, types[i], says);
		side_close(&p.a);
		CHECK(be(0, 0));
		CHECK_EQ(got, want);
	}
	return true;
}

static bool those_named(void)
{
	CHECK(told(ALICE, 0, LAB, 0, NULL));
	CHECK(told(BOB, GUEST, GUESTS, 0, NULL));
	CHECK(told(BOB, 0, ANYONE, 0, NULL));
	return told(BOB, 0, NULL, 0, NULL);
}

static bool others(void)
{
	CHECK(told(BOB, GUEST, LAB, FI_EACCES, "lets you in with \"weftctl job set\""));
	CHECK(told(ALICE, 0, GUESTS, FI_EACCES, "not for your user"));
	/* even root is not a named user */
	return told(0, 0, LAB, FI_EACCES, "weftctl job set");
}

static bool unknown(void)
{
	return told(ALICE, GUEST, "the key of nobody's job", FI_EKEYREJECTED,
		    "an administrator makes one with \"weftctl job add\"");
}

/* ---- Messages between users ---------------------------------------------------------------- */

/* One side, opened as a user who is also in group @also. */
static bool side_as(struct side *s, int node, uid_t uid, gid_t also, const char *key)
{
	struct opts o = { .type = FI_EP_RDM, .key = key };

	node_enter(node);
	CHECK(be(uid, also));
	CHECK(side_open_here(s, &o));
	CHECK(side_endpoint(s, s->info, &o));
	return be(0, 0);
}

static bool hello(bool hears)
{
	struct fi_cq_err_entry err = { 0 };
	struct fi_cq_tagged_entry c;
	char out[64] = "hello", in[64] = "";
	struct iovec iov = { out, sizeof(out) };
	struct fi_msg msg = { .msg_iov = &iov, .iov_count = 1, .addr = p.a.peer };

	CHECK_EQ(fi_recv(p.b.ep, in, sizeof(in), NULL, FI_ADDR_UNSPEC, NULL), 0);
	CHECK_EQ(fi_sendmsg(p.a.ep, &msg, FI_DELIVERY_COMPLETE), 0);
	if (hears) {
		CHECK_EQ(completion(p.a.txcq, &c, NULL, NULL), 1);
		CHECK_EQ(completion(p.b.rxcq, &c, NULL, NULL), 1);
		CHECK(!strcmp(in, "hello"));
		return true;
	}
	CHECK_EQ(completion(p.a.txcq, &c, NULL, &err), -FI_EAVAIL);
	CHECK_EQ(err.err, FI_ECONNREFUSED);
	CHECK(!*in);
	return quiet(p.b.rxcq);
}

/* Alice sends to an endpoint of @uid, which hears her or not. */
static bool talk(uid_t uid, gid_t also, const char *mine, const char *yours, bool hears)
{
	CHECK(side_as(&p.a, 0, ALICE, 0, mine));
	CHECK(side_as(&p.b, apart, uid, also, yours));
	CHECK(pair_meet(&p));
	CHECK(hello(hears));
	pair_close(&p);
	return true;
}

static bool users_talk(void)
{
	CHECK(talk(BOB, 0, ANYONE, ANYONE, true));
	CHECK(talk(ALICE, 0, LAB, LAB, true));
	return talk(BOB, 0, "", "", true);
}

static bool users_do_not(void)
{
	CHECK(talk(BOB, GUEST, LAB, GUESTS, false));
	CHECK(talk(BOB, 0, LAB, ANYONE, false));
	CHECK(talk(BOB, 0, LAB, "", false));
	return talk(BOB, 0, "", ANYONE, false);
}

/* ---- The administrator's view ------------------------------------------------------------ */

static bool in_use(void)
{
	struct opts o = { .type = FI_EP_RDM, .key = ANYONE };
	int status, pipes[2];
	pid_t pid;
	char ok;

	CHECK_EQ(pipe(pipes), 0);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		node_enter(0);
		if (setgroups(0, NULL) || setgid(WEFT) || setuid(BOB) ||
		    !side_open_here(&p.a, &o) || !side_endpoint(&p.a, p.a.info, &o) ||
		    write(pipes[1], "y", 1) != 1)
			_exit(1);
		pause();
	}
	CHECK_EQ(read(pipes[0], &ok, 1), 1);
	CHECK_EQ(sh("node 0 weftctl ep show weft0 |"
		    "grep -q 'type rdm .* job anyone0 .*uid 1992'"), 0);
	CHECK_EQ(sh("node 0 weftctl job show weft0 | grep -q 'job anyone0 ep 1 who all'"), 0);
	CHECK_EQ(sh("node 0 weftctl job del anyone0 >/run/weft/said 2>&1"), 2);
	CHECK_EQ(sh("grep -q 'endpoints are in the job' /run/weft/said"), 0);
	CHECK_EQ(sh("grep -q 'of process .* (fi_job) is in the job' /run/weft/said"), 0);
	/* members stay, new endpoints are refused */
	CHECK_EQ(sh("node 0 weftctl job set anyone0 user 1991"), 0);
	CHECK(told(BOB, 0, ANYONE, FI_EACCES, NULL));
	CHECK_EQ(sh("node 0 weftctl job show weft0 | grep -q 'job anyone0 ep 1 uid 1991'"), 0);
	CHECK_EQ(sh("node 0 weftctl job set anyone0 all"), 0);
	CHECK_EQ(kill(pid, SIGKILL), 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	close(pipes[0]);
	close(pipes[1]);
	CHECK(nothing_left());
	CHECK_EQ(sh("node 0 weftctl job del anyone0"), 0);
	CHECK_EQ(sh("printf '%s' \"" ANYONE "\" | node 0 weftctl job add anyone0 key -"), 0);
	return true;
}

/* Remove the objects that a failed case has left. */
static void after(void)
{
	if (seteuid(0) || setegid(0))
		exit(1);
	pair_close(&p);
}

/* Names of jobs differ between the nodes: the keys identify jobs. */
static bool jobs_add(void)
{
	static const char *const what[] = {
		"printf '%%s' \"" LAB "\" | node %d weftctl job add lab%d key - user 1991",
		"printf '%%s' \"" GUESTS "\" | node %d weftctl job add guests%d key - group 1993",
		"printf '%%s' \"" ANYONE "\" | node %d weftctl job add anyone%d key -",
	};
	char cmd[256];
	size_t i;
	int n;

	for (n = 0; n < 2 - nodes_are_one(); n++)
		for (i = 0; i < sizeof(what) / sizeof(what[0]); i++) {
			snprintf(cmd, sizeof(cmd), what[i], n, n);
			CHECK_EQ(sh(cmd), 0);
		}
	return true;
}

static bool jobs_del(void)
{
	static const char *const names[] = { "lab", "guests", "anyone" };
	char cmd[128];
	size_t i;
	int n;

	for (n = 0; n < 2 - nodes_are_one(); n++)
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			snprintf(cmd, sizeof(cmd), "node %d weftctl job del %s%d", n, names[i], n);
			CHECK_EQ(sh(cmd), 0);
		}
	return true;
}

int main(void)
{
	static const struct check here[] = {
		{ "who is named may", those_named },
		{ "others are told what to do", others },
		{ "a key of no job", unknown },
		{ "a job in use", in_use },
	};
	static const struct check everywhere[] = {
		{ "users of one job hear each other", users_talk },
		{ "those of different ones do not", users_do_not },
	};

	if (!flog_open("warn"))
		return 1;
	result(jobs_add(), "jobs are made", "on each node");
	checks_run(here, sizeof(here) / sizeof(here[0]), "within a node", after);
	checks_run_everywhere(everywhere, sizeof(everywhere) / sizeof(everywhere[0]), &apart,
			      after);
	result(nothing_left() && jobs_del(), "jobs are deleted", "on each node");
	return results_end();
}
