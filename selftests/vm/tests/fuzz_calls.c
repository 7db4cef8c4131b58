// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calls at random: programs of several threads make calls that no library makes
 *
 * The calls use a port, its objects, their maps, and the memory of messages (fuzz_ops.h). The
 * programs fork, call execve(2) and are killed. Another process sends random netlink messages, and
 * adds and deletes ports under programs. Jobs, whose keys programs show, come, change and go. A
 * call need only return. Afterwards no object may be left, and the port still works. The caller of
 * this test checks the kernel log.
 *
 * TIME=SECONDS sets the duration (default 12). While a counter that has to move has not moved,
 * further rounds of programs follow. SEED=N repeats the random numbers, but not the order of
 * threads.
 * TIMEOUT: 160
 */
#include <errno.h>
#include <grp.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fuzz_key.h"
#include "fuzz_ops.h"
#include "genl.h"
#include "looks.h"
#include "raw.h"

#define THREADS	 3
#define PROGRAMS 3
#define PORTS	 3 /* names in the namespace whose ports come and go: fuzz0, ... */
#define JOBS	 3 /* name of the node's port */
#define MORE	 15 /* further rounds of programs, while counters have not moved */

static unsigned int seed;
static uint64_t end;

/* ---- Programs -------------------------------------------------------------------------------- */

struct worker {
	unsigned int seed;
	uint64_t until;
};

static void *work(void *arg)
{
	struct worker *w = arg;

	fuzz_thread();
	while (now_ms() < w->until)
		fuzz_step(&w->seed);
	return NULL;
}

static void ordinary_user(void)
{
	if (setgroups(0, NULL) || setgid(990) || setuid(1990))
		_exit(1);
}

/* A program on the port @path, until it is killed, ends, or calls execve(2). */
static void program(const char *path, unsigned int s)
{
	static struct worker w[THREADS];
	pthread_t t[THREADS];
	unsigned int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* an endless wait is a valid result */
	alarm(5);
	if (rand_r(&s) & 1)
		ordinary_user();
	if (!fuzz_begin(path))
		_exit(0);
	for (i = 0; i < THREADS; i++) {
		w[i].seed = s * 31 + i;
		w[i].until = now_ms() + 100 + (unsigned int)rand_r(&s) % 1500;
		if (pthread_create(&t[i], NULL, work, &w[i]))
			_exit(0);
	}
	if (rand_r(&s) % 4 == 0) {
		usleep((useconds_t)rand_r(&s) % 300000);
		execl("/bin/true", "true", NULL);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	_exit(0);
}

/* Keep @count programs running on ports that @name writes, until the end. */
static void programs(unsigned int count, unsigned int s, void (*name)(char *, size_t, unsigned int))
{
	pid_t pids[PROGRAMS] = { 0 };
	char path[32];
	unsigned int i;

	while (now_ms() < end) {
		i = (unsigned int)rand_r(&s) % count;
		if (pids[i]) {
			if (rand_r(&s) & 1)
				kill(pids[i], SIGKILL);
			waitpid(pids[i], NULL, 0);
		}
		name(path, sizeof(path), (unsigned int)rand_r(&s));
		pids[i] = fork();
		if (!pids[i])
			program(path, (unsigned int)rand_r(&s));
		if (pids[i] < 0)
			pids[i] = 0;
		usleep((useconds_t)rand_r(&s) % 200000);
	}
	for (i = 0; i < count; i++) {
		if (pids[i]) {
			kill(pids[i], SIGKILL);
			waitpid(pids[i], NULL, 0);
		}
	}
}

static void name_node(char *path, size_t size, unsigned int s)
{
	snprintf(path, size, "/dev/weft/weft0");
}

static void name_fuzz(char *path, size_t size, unsigned int s)
{
	snprintf(path, size, "/dev/weft/fuzz%u", s % PORTS);
}

/* ---- Netlink --------------------------------------------------------------------------------- */

static void any_attr(struct genl_request *r, unsigned int *s)
{
	static const char *const texts[] = {
		"fuzz0", "fuzz1", "fuzz2", "loop", "netdev", "vnet", "poll", "auto", "inline",
		"lo", "", "0000:99:00.0", "weft0", "a/b", ".", "0123456789abcdefghijklmn",
	};
	struct weft_sockaddr addr = { .family = AF_INET, .addr = { 127, 0, 0, 1 } };
	__u16 type = (unsigned int)rand_r(s) % (WEFT_ATTR_MAX + 4);
	char raw_bytes[64];
	__u32 number;
	size_t i;

	switch (rand_r(s) % 4) {
	case 0:
		genl_put_text(r, rand_r(s) & 1 ? type : WEFT_ATTR_PORT_NAME,
			      texts[(unsigned int)rand_r(s) % (sizeof(texts) / sizeof(texts[0]))]);
		break;
	case 1:
		addr.addr[3] = rand_r(s) % 3;
		if (rand_r(s) % 4 == 0)
			addr.family = rand_r(s) % 12;
		genl_put(r, rand_r(s) & 1 ? type : WEFT_ATTR_PORT_ADDR, &addr, sizeof(addr));
		break;
	case 2:
		number = rand_r(s) & 1 ? rand_r(s) % 8 : rand_r(s) * 3;
		genl_put(r, type, &number, 1u << (rand_r(s) % 3));
		break;
	default:
		for (i = 0; i < sizeof(raw_bytes); i++)
			raw_bytes[i] = rand_r(s);
		genl_put(r, type, raw_bytes, (size_t)rand_r(s) % sizeof(raw_bytes));
	}
}

/* A valid request, now and then: without ports there is nothing to fuzz. */
static void good_request(struct genl_request *r, unsigned int *s)
{
	static const char *const engines[] = { "inline", "poll", "auto" };
	struct weft_sockaddr addr = { .family = AF_INET, .addr = { 127, 0, 0, 1 } };
	unsigned int port = (unsigned int)rand_r(s) % PORTS;
	char name[16];

	snprintf(name, sizeof(name), "fuzz%u", port);
	addr.addr[3] = port + 1;
	switch (rand_r(s) % 5) {
	case 0:
	case 1:
		genl_begin(r, NLM_F_ACK, WEFT_CMD_PORT_ADD);
		genl_put_text(r, WEFT_ATTR_PORT_NAME, name);
		genl_put_text(r, WEFT_ATTR_PORT_DRIVER, "loop");
		genl_put(r, WEFT_ATTR_PORT_ADDR, &addr, sizeof(addr));
		break;
	case 2:
		genl_begin(r, NLM_F_ACK, WEFT_CMD_PORT_DEL);
		genl_put_text(r, WEFT_ATTR_PORT_NAME, name);
		if (rand_r(s) & 1)
			genl_put(r, WEFT_ATTR_PORT_FORCE, "", 0);
		break;
	case 3:
		genl_begin(r, NLM_F_ACK, WEFT_CMD_PORT_SET);
		genl_put_text(r, WEFT_ATTR_PORT_NAME, name);
		genl_put_text(r, WEFT_ATTR_PORT_ENGINE, engines[(unsigned int)rand_r(s) % 3]);
		break;
	default:
		genl_begin(r, NLM_F_DUMP, WEFT_CMD_PORT_GET + (unsigned int)rand_r(s) % 12);
	}
}

static void netlink_step(unsigned int *s)
{
	struct genl_request r;
	unsigned int n;

	if (rand_r(s) & 1) {
		good_request(&r, s);
		genl_ask(&r, true);
		if (r.g.cmd == WEFT_CMD_PORT_ADD)
			usleep((useconds_t)rand_r(s) % 30000);
		return;
	}
	genl_begin(&r, rand_r(s) & 1 ? NLM_F_ACK : NLM_F_ACK | NLM_F_DUMP,
		   (unsigned int)rand_r(s) % 17);
	for (n = (unsigned int)rand_r(s) % 8; n; n--)
		any_attr(&r, s);
	if (rand_r(s) % 16 == 0) /* attributes that end at a wrong place */
		r.h.nlmsg_len -= (unsigned int)rand_r(s) % 8;
	genl_ask(&r, rand_r(s) % 8 != 0);
	if (rand_r(s) % 64 == 0) { /* the end of a dump that the receiver does not wait for */
		genl_begin(&r, NLM_F_DUMP, WEFT_CMD_STATS_GET);
		genl_send(&r);
		if (!genl_open())
			_exit(1);
	}
}

static bool ports_gone(void)
{
	char path[32];
	struct genl_request r;
	unsigned int i;
	int err;

	for (i = 0; i < PORTS; i++) {
		name_fuzz(path, sizeof(path), i);
		genl_begin(&r, NLM_F_ACK, WEFT_CMD_PORT_DEL);
		genl_put_text(&r, WEFT_ATTR_PORT_NAME, strrchr(path, '/') + 1);
		genl_put(&r, WEFT_ATTR_PORT_FORCE, "", 0);
		err = genl_ask(&r, true);
		CHECK(!err || err == ENODEV || err == ENOENT);
		CHECK(access(path, F_OK));
	}
	return true;
}

/* Run in a namespace of its own, so that no message finds the nodes' ports. Return: success. */
static bool netlink_program(void)
{
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	unsigned int s = seed + 77;
	int sock;
	pid_t pid;

	CHECK_EQ(unshare(CLONE_NEWNET), 0);
	sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	CHECK_EQ(ioctl(sock, SIOCSIFFLAGS, &lo), 0);
	close(sock);
	CHECK(genl_open());
	pid = fork();
	if (!pid) {
		programs(2, s + 1, name_fuzz);
		_exit(0);
	}
	while (now_ms() < end)
		netlink_step(&s);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	CHECK(genl_open());
	return ports_gone();
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

/* A request about job number @job. @key: index in fuzz_keys, -1: none. Return: its errno. */
static int job_request(__u8 cmd, unsigned int job, int key, unsigned int who)
{
	static const __u32 user = 1990, root;
	struct genl_request r;
	char name[16];

	genl_begin(&r, NLM_F_ACK, cmd);
	snprintf(name, sizeof(name), "fuzz%u", job);
	genl_put_text(&r, WEFT_ATTR_PORT_NAME, "weft0");
	genl_put_text(&r, WEFT_ATTR_JOB_NAME, name);
	if (key >= 0)
		genl_put(&r, WEFT_ATTR_JOB_KEY, fuzz_keys[key], FUZZ_KEY_LEN);
	if (who & 1)
		genl_put(&r, WEFT_ATTR_JOB_UID, &user, sizeof(user));
	if (who & 2)
		genl_put(&r, WEFT_ATTR_JOB_UID, &root, sizeof(root));
	if (!who && cmd == WEFT_CMD_JOB_SET)
		genl_put(&r, WEFT_ATTR_JOB_ALL, NULL, 0);
	return genl_ask(&r, true);
}

/* Jobs of the programs' port. Return: only permitted errors came. */
static bool jobs_program(void)
{
	unsigned int s = seed + 99, job, what;
	int err;

	CHECK(genl_open());
	while (now_ms() < end) {
		job = (unsigned int)rand_r(&s) % JOBS;
		what = (unsigned int)rand_r(&s) % 8;
		if (what < 4)
			err = job_request(WEFT_CMD_JOB_ADD, job, (int)job, what);
		else if (what < 7)
			err = job_request(WEFT_CMD_JOB_SET, job,
					  what == 4 ? rand_r(&s) % FUZZ_KEYS : -1, what & 3);
		else
			err = job_request(WEFT_CMD_JOB_DEL, job, -1, 0);
		CHECK(!err || err == EEXIST || err == EADDRINUSE || err == ENOENT ||
		      err == EBUSY || err == ENOMEM);
		usleep((useconds_t)rand_r(&s) % 20000);
	}
	return true;
}

/* Empty jobs can be deleted, and a new one works as usual. */
static bool jobs_work(void)
{
	struct weft_ioc_ep e = { .size = sizeof(e), .type = WEFT_EP_RDM, .sq_slots = 16,
				 .rq_slots = 16, .key = (__u64)(uintptr_t)fuzz_keys[0],
				 .key_size = FUZZ_KEY_LEN };
	unsigned int i;
	int fd, err;

	CHECK(genl_open());
	for (i = 0; i < JOBS; i++) {
		err = job_request(WEFT_CMD_JOB_DEL, i, -1, 0);
		CHECK(!err || err == ENOENT);
	}
	fd = raw_open(0);
	CHECK(fd >= 0);
	CHECK(ioctl(fd, WEFT_IOC_EP_CREATE, &e) && errno == EKEYREJECTED);
	CHECK_EQ(job_request(WEFT_CMD_JOB_ADD, 0, 0, 1), 0);
	CHECK(ioctl(fd, WEFT_IOC_EP_CREATE, &e) && errno == EACCES);
	CHECK_EQ(job_request(WEFT_CMD_JOB_SET, 0, -1, 2), 0);
	CHECK_EQ(ioctl(fd, WEFT_IOC_EP_CREATE, &e), 0);
	CHECK_EQ(job_request(WEFT_CMD_JOB_DEL, 0, -1, 0), EBUSY);
	close(fd);
	CHECK_EQ(job_request(WEFT_CMD_JOB_DEL, 0, -1, 0), 0);
	genl_close();
	return true;
}

/* ---- The test -------------------------------------------------------------------------------- */

static const char *const counters[] = {
	"notifications", "msgs_local", "msgs_unexpected", "bad_entries", "bad_completions",
	/* connections and other jobs need several valid calls: too rare in a short time */
	"conns_made", "wrong_job",
};

#define SURE	5	/* counters that must have moved */

static long long counter(size_t i)
{
	char name[64];

	snprintf(name, sizeof(name), "counters/%s", counters[i]);
	return port_attr(0, name);
}

/* Return: enough calls were valid, so that invalid ones had effects to disturb. */
static bool enough(void)
{
	size_t i;

	for (i = 0; i < SURE; i++)
		if (!counter(i))
			return false;
	return true;
}

static bool reached(void)
{
	size_t i;

	for (i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		printf("# %s %lld\n", counters[i], counter(i));
	return enough();
}

static bool still_works(void)
{
	struct raw_rdm r;
	struct weft_cqe e;
	int fd = raw_open(0);

	CHECK(fd >= 0);
	CHECK(raw_rdm_new(fd, 16, &r));
	raw_rqe(&r, WEFT_RQ_RECV, 1);
	CHECK_EQ(raw_post_rq(&r, 1), 0);
	raw_sqe(&r, WEFT_SQ_SEND, 2);
	CHECK_EQ(raw_post_sq(&r, 1), 0);
	CHECK(raw_completion(&r.cq, &e));
	CHECK_EQ(e.status, 0);
	CHECK(raw_completion(&r.cq, &e));
	CHECK_EQ(e.status, 0);
	CHECK(raw_rdm_free(&r));
	close(fd);
	return true;
}

int main(void)
{
	const char *time_s = getenv("TIME"), *seed_s = getenv("SEED");
	unsigned int more;
	pid_t admin, jobs;
	int status;

	seed = seed_s && *seed_s ? (unsigned int)atoi(seed_s) : (unsigned int)now_ms();
	end = now_ms() + 1000 * (time_s && *time_s ? (unsigned int)atoi(time_s) : 12);
	printf("# SEED=%u\n", seed);
	fflush(stdout);
	node_enter(0);
	fuzz_pages(16);
	admin = fork();
	if (!admin)
		_exit(netlink_program() ? 0 : 1);
	jobs = fork();
	if (!jobs)
		_exit(jobs_program() ? 0 : 1);
	programs(PROGRAMS, seed, name_node);
	/* a slow machine needs longer */
	for (more = 1; more <= MORE && !enough(); more++) {
		end = now_ms() + 4000;
		programs(PROGRAMS, seed + more, name_node);
	}
	result(waitpid(admin, &status, 0) == admin && !status, "netlink messages", "of any content");
	result(waitpid(jobs, &status, 0) == jobs && !status, "jobs", "come, change and go");
	fuzz_pages(-16);
	result(nothing_left(), "programs", "leave nothing behind");
	result(jobs_work(), "jobs", "work afterwards");
	result(reached(), "messages and errors", "there were");
	result(still_works(), "the port", "works afterwards");
	return results_end();
}
