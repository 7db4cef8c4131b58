// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * While an engine polls, neither posting nor reading completions enters the kernel
 *
 * A program forbids itself all system calls (by a seccomp filter). Then the program exchanges 100
 * 000 messages with itself, through the library and through the provider. The messages are short,
 * long, or come before their receive. Receives are the endpoint's own, or shared.
 * TIMEOUT: 300
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "engine_set.h"
#include "fipair.h"
#include "wpair.h"

#define MSGS	100000
#define WINDOW	16
#define LONG	(512 << 10)
#define WARM	64
#define SECONDS 120

/**
 * struct flood - messages from one end to the other
 * @name: of the case
 * @apart: the ends are on two nodes
 * @fi: through libfabric
 * @late: receives are posted when the messages are there
 * @shared: receives are those of a shared receive queue
 * @len: bytes of a message
 * @msgs: how many
 */
struct flood {
	const char *name;
	bool apart;
	bool fi;
	bool late;
	bool shared;
	size_t len;
	unsigned int msgs;
};

static struct weft_srq *srq;
static char sbuf[LONG], rbuf[WINDOW][LONG];

/* ---- The filter ------------------------------------------------------------------------------ */

static void caught(int sig, siginfo_t *info, void *context)
{
	char text[] = "# system call number 0000\n";
	unsigned int nr = info->si_syscall, i;

	(void)sig;
	(void)context;
	for (i = sizeof(text) - 3; nr && i; nr /= 10)
		text[i--] = '0' + nr % 10;
	if (write(1, text, sizeof(text) - 1) < 0)
		_exit(4);
	_exit(3);
}

/* From here on only writes to standard output and the exit are possible. */
static bool close_door(void)
{
	static struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	static const struct sock_fprog prog = { sizeof(code) / sizeof(code[0]), code };
	static const struct sigaction act = { .sa_sigaction = caught, .sa_flags = SA_SIGINFO };

	CHECK_EQ(sigaction(SIGSYS, &act, NULL), 0);
	CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	CHECK_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog), 0);
	return true;
}

/* ---- Through the library --------------------------------------------------------------------- */

static int weft_post(struct wpair *p, const struct flood *f, unsigned int no, bool recv)
{
	struct iovec iov = { .iov_base = rbuf[no % WINDOW], .iov_len = LONG };
	uint32_t flags = f->len <= 64 ? WEFT_SQ_INLINE : 0;

	if (recv && f->shared)
		return weft_srq_trecvv(srq, &iov, 1, WEFT_SRC_ANY, no, 0, no, WEFT_RQ_COMPLETION);
	if (recv)
		return weft_trecv(p->b.ep, rbuf[no % WINDOW], LONG, WEFT_SRC_ANY, no, 0, no,
				  WEFT_RQ_COMPLETION);
	return weft_tsend(p->a.ep, sbuf, f->len, p->a.peer, no, 0, no, WEFT_SQ_COMPLETION | flags);
}

/* Each message once; those without resident memory come later. */
static bool take_weft(struct wside *s, const struct flood *f, unsigned int *done, bool *seen)
{
	struct weft_cqe e[4];
	int n = weft_cq_read(s->cq, e, 4), i;

	CHECK(n >= 0);
	for (i = 0; i < n; i++) {
		CHECK_EQ(e[i].status, 0);
		CHECK(e[i].context < MSGS && !seen[e[i].context]);
		CHECK_EQ(e[i].len, f->len);
		seen[e[i].context] = true;
		++*done;
	}
	return true;
}

static bool weft_flood(struct wpair *p, const struct flood *f, unsigned int msgs)
{
	static bool was_sent[MSGS], was_got[MSGS];
	unsigned int sent = 0, posted = 0, acked = 0, got = 0;

	memset(was_sent, 0, sizeof(was_sent));
	memset(was_got, 0, sizeof(was_got));
	while (acked < msgs || got < msgs) {
		if (!f->late && posted < msgs && posted - got < WINDOW &&
		    !weft_post(p, f, posted, true))
			posted++;
		if (sent < msgs && sent - got < WINDOW && (f->late || sent < posted) &&
		    !weft_post(p, f, sent, false))
			sent++;
		/* the receives of a whole window, or of the rest */
		if (f->late && sent > posted && (sent - got == WINDOW || sent == msgs) &&
		    !weft_post(p, f, posted, true))
			posted++;
		CHECK(take_weft(&p->a, f, &acked, was_sent));
		CHECK(take_weft(&p->b, f, &got, was_got));
	}
	return true;
}

/* Replace B's endpoint by one with shared receives. */
static bool share(struct wpair *p)
{
	struct weft_ep_attr attr = {
		.type = WEFT_EP_RDM, .flags = WEFT_EPF_SRQ, .sq_slots = WINDOW,
	};
	struct weft_srq_attr how = { .slots = 4 * WINDOW, .recvs = 4 * WINDOW };
	struct weft_sockaddr addr;

	CHECK_EQ(weft_ep_destroy(p->b.ep), 0);
	CHECK_EQ(weft_srq_create(p->b.ctx, &how, NULL, &srq), 0);
	CHECK_EQ(weft_ep_create(p->b.ctx, &attr, &p->b.ep), 0);
	CHECK_EQ(weft_ep_enable_srq(p->b.ep, p->b.cq, p->b.cq, NULL, p->b.av, srq), 0);
	CHECK_EQ(weft_getname(p->b.ep, &addr), 0);
	CHECK_EQ(weft_av_insert(p->a.av, &addr, 1, &p->a.peer), 1);
	return true;
}

static bool weft_run(const struct flood *f)
{
	struct wpair p;

	CHECK(wpair_open(&p, f->apart));
	CHECK(!f->shared || share(&p));
	CHECK(weft_flood(&p, f, WARM));
	CHECK(close_door());
	return weft_flood(&p, f, f->msgs);
}

/* ---- Through libfabric ----------------------------------------------------------------------- */

static bool take_fi(struct fid_cq *cq, unsigned int *done)
{
	struct fi_cq_tagged_entry e[4];
	ssize_t n = fi_cq_read(cq, e, 4);

	CHECK(n > 0 || n == -FI_EAGAIN);
	for (; n > 0; n--)
		++*done;
	return true;
}

static bool fi_flood(struct pair *p, const struct flood *f, unsigned int msgs)
{
	unsigned int sent = 0, posted = 0, acked = 0, got = 0;

	while (acked < msgs || got < msgs) {
		if (posted < msgs && posted - got < WINDOW &&
		    !fi_trecv(p->b.ep, rbuf[posted % WINDOW], LONG, NULL, FI_ADDR_UNSPEC, posted, 0,
			      NULL))
			posted++;
		if (sent < posted && !fi_tsend(p->a.ep, sbuf, f->len, NULL, p->a.peer, sent, NULL))
			sent++;
		CHECK(take_fi(p->a.txcq, &acked));
		CHECK(take_fi(p->b.rxcq, &got));
	}
	CHECK_EQ(acked, msgs);
	CHECK_EQ(got, msgs);
	return true;
}

static bool fi_run(const struct flood *f)
{
	struct opts o = { .type = FI_EP_RDM, .apart = f->apart };
	struct pair p;

	CHECK(pair_open(&p, &o));
	CHECK(fi_flood(&p, f, WARM));
	CHECK(close_door());
	return fi_flood(&p, f, f->msgs);
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static const struct flood floods[] = {
	{ "library, 8 bytes", .len = 8, .msgs = MSGS },
	{ "library, 8 bytes, before their receives", .late = true, .len = 8, .msgs = MSGS / 10 },
	{ "library, 8 bytes", .apart = true, .len = 8, .msgs = MSGS / 10 },
	{ "library, 2000 bytes of memory", .len = 2000, .msgs = MSGS / 10 },
	{ "library, long messages", .len = LONG, .msgs = 200 },
	{ "provider, 8 bytes", .fi = true, .len = 8, .msgs = MSGS },
	{ "provider, 8 bytes", .apart = true, .fi = true, .len = 8, .msgs = MSGS / 10 },
	{ "provider, long messages", .fi = true, .len = LONG, .msgs = 200 },
	{ "shared receives", .shared = true, .len = 8, .msgs = MSGS / 10 },
	{ "shared receives, after their messages", .shared = true, .late = true, .len = 8,
	  .msgs = MSGS / 10 },
	{ "shared receives, after their messages", .apart = true, .shared = true, .late = true,
	  .len = 8, .msgs = MSGS / 20 },
};

/* In a process of its own: the filter cannot be removed. */
static bool silent(const struct flood *f)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		alarm(SECONDS);
		_exit(f->fi ? !fi_run(f) : !weft_run(f));
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	return true;
}

/* Proof that the filter works: without an engine the first message ends the program. */
static bool noisy(void)
{
	static const struct flood f = { .len = 8, .msgs = WARM };
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(!weft_run(&f));
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 3);
	return true;
}

int main(void)
{
	unsigned int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	result(noisy(), "a program that notifies is caught", "all ports");
	result(engine_set_all("engine poll idle-us 10000000"), "engines poll", "all ports");
	for (i = 0; i < sizeof(floods) / sizeof(floods[0]); i++)
		result(silent(&floods[i]), floods[i].name, floods[i].apart ? "two nodes" : "one node");
	result(engine_set_all("engine inline idle-us 100"), "engines are inline again", "all ports");
	return results_end();
}
