// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#define _GNU_SOURCE
#include <signal.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "other.h"
#include "user.h"

#define LIMIT	(64u << 10)	/* what an ordinary user may lock */
#define ADDR	64u		/* bytes of an address, and more */

char state_of(pid_t pid)
{
	char path[40], state = '?';
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (f) {
		if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
			state = '?';
		fclose(f);
	}
	return state;
}

/* Accept A's request. @up: where A reads the address */
static bool accepts(struct pair *q, int up)
{
	struct fi_eq_cm_entry e;
	uint8_t addr[ADDR] = { 0 };
	size_t len = sizeof(addr);
	uint32_t type;

	CHECK(pair_listen(q, addr, &len));
	CHECK_EQ(write(up, addr, sizeof(addr)), sizeof(addr));
	CHECK_EQ(event(q->b.eq, &type, &e, sizeof(e)), sizeof(e));
	CHECK_EQ(type, FI_CONNREQ);
	CHECK(side_endpoint(&q->b, e.info, &q->o));
	CHECK_EQ(fi_accept(q->b.ep, NULL, 0), 0);
	fi_freeinfo(e.info);
	return true;
}

static bool names(struct pair *q, int up)
{
	uint8_t addr[ADDR] = { 0 };
	size_t len = sizeof(addr);

	CHECK(side_endpoint(&q->b, q->b.info, &q->o));
	CHECK_EQ(fi_getname(&q->b.ep->fid, addr, &len), 0);
	CHECK_EQ(write(up, addr, sizeof(addr)), sizeof(addr));
	return true;
}

/* The process. */
static bool serve(struct other *b, int up, int down)
{
	struct pair q = { .o = p.o };
	struct fid_mr *mr;
	char c;

	node_enter(p.o.apart);
	CHECK(!b->user || user_become(LIMIT));
	CHECK(side_open_here(&q.b, &q.o));
	CHECK(!b->begin || b->begin(b));
	CHECK(expose(&q.b, b->mem, b->len, BOTH_RIGHTS, KEY, &mr));
	CHECK(q.o.type == FI_EP_MSG ? accepts(&q, up) : names(&q, up));
	CHECK_EQ(read(down, &c, 1), 0);
	CHECK_EQ(fi_close(&mr->fid), 0);
	pair_close(&q);
	return true;
}

static bool meet(int up)
{
	struct fi_eq_cm_entry e;
	uint8_t addr[ADDR];
	uint32_t type;

	CHECK(side_open(&p.a, 0, &p.o));
	CHECK(side_endpoint(&p.a, p.a.info, &p.o));
	CHECK_EQ(read(up, addr, sizeof(addr)), sizeof(addr));
	if (p.o.type != FI_EP_MSG) {
		CHECK_EQ(fi_av_insert(p.a.av, addr, 1, &p.a.peer, 0, NULL), 1);
		return true;
	}
	CHECK_EQ(fi_connect(p.a.ep, addr, NULL, 0), 0);
	CHECK_EQ(event(p.a.eq, &type, &e, sizeof(e)), sizeof(e));
	CHECK_EQ(type, FI_CONNECTED);
	return true;
}

bool other_start(struct other *b)
{
	int up[2], down[2];
	bool ok;

	CHECK(!pipe(up) && !pipe(down));
	fflush(stdout);
	b->pid = fork();
	CHECK(b->pid >= 0);
	if (!b->pid) {
		close(up[0]);
		close(down[1]);
		ok = serve(b, up[1], down[0]);
		fflush(stdout);
		_exit(!ok);
	}
	close(up[1]);
	close(down[0]);
	b->down = down[1];
	ok = meet(up[0]);
	close(up[0]);
	return ok;
}

bool other_stop(struct other *b)
{
	int status;

	CHECK_EQ(kill(b->pid, SIGSTOP), 0);
	CHECK_EQ(waitpid(b->pid, &status, WUNTRACED), b->pid);
	CHECK(WIFSTOPPED(status));
	return true;
}

bool other_end(struct other *b)
{
	int status;

	close(b->down);
	CHECK_EQ(kill(b->pid, SIGCONT), 0);
	CHECK_EQ(waitpid(b->pid, &status, 0), b->pid);
	CHECK_EQ(status, 0);
	return true;
}

bool other_kill(struct other *b)
{
	int status;

	/* the end of the pipe would let it end by itself */
	CHECK_EQ(kill(b->pid, SIGKILL), 0);
	close(b->down);
	CHECK_EQ(waitpid(b->pid, &status, 0), b->pid);
	CHECK(WIFSIGNALED(status));
	return true;
}

bool other_has(const struct other *b, size_t off, const void *bytes, size_t len)
{
	uint8_t *got = malloc(len);
	struct iovec here = { got, len }, there = { b->mem + off, len };
	bool same;

	CHECK(got);
	same = process_vm_readv(b->pid, &here, 1, &there, 1, 0) == (ssize_t)len &&
	       !memcmp(got, bytes, len);
	free(got);
	return same;
}
