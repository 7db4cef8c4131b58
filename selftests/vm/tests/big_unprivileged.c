// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An ordinary user who may lock 64 KiB sends and receives 1 GiB in one message without registering
 * memory: between the nodes and within one. No page stays pinned.
 * TIMEOUT: 600 CHECK: all
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fipair.h"
#include "looks.h"
#include "user.h"

#define LEN	(1ull << 30)

struct name {
	size_t len;
	uint8_t addr[64];
};

static uint64_t word(size_t i)
{
	return i * 0x9e3779b97f4a7c15ull + 1;
}

static bool finish(struct fid_cq *cq, size_t len)
{
	struct fi_cq_tagged_entry c;
	ssize_t ret;

	/* no limit: the suite has one, which is longer on slow kernels */
	ret = fi_cq_sread(cq, &c, 1, NULL, -1);
	CHECK_EQ(ret, 1);
	CHECK_EQ(c.len, len);
	return true;
}

/* Run one side in a process of its own. */
static bool one_side(bool sender, bool apart, int in, int out)
{
	struct opts o = { .type = FI_EP_RDM };
	struct name mine = { .len = sizeof(mine.addr) }, its;
	struct side s;
	uint64_t *buf;
	size_t i;

	node_enter(sender ? 0 : apart);
	CHECK(user_become(65536));
	buf = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(buf != MAP_FAILED);
	CHECK(side_open_here(&s, &o));
	CHECK(side_endpoint(&s, s.info, &o));
	CHECK_EQ(fi_getname(&s.ep->fid, mine.addr, &mine.len), 0);
	CHECK_EQ(write(out, &mine, sizeof(mine)), sizeof(mine));
	CHECK_EQ(read(in, &its, sizeof(its)), sizeof(its));
	CHECK_EQ(fi_av_insert(s.av, its.addr, 1, &s.peer, 0, NULL), 1);
	if (sender) {
		for (i = 0; i < LEN / 8; i++)
			buf[i] = word(i);
		CHECK_EQ(fi_send(s.ep, buf, LEN, NULL, s.peer, NULL), 0);
		CHECK(finish(s.txcq, LEN));
	} else {
		CHECK_EQ(fi_recv(s.ep, buf, LEN, NULL, FI_ADDR_UNSPEC, NULL), 0);
		CHECK(finish(s.rxcq, LEN));
		for (i = 0; i < LEN / 8 && buf[i] == word(i); i++)
			;
		CHECK_EQ(i, LEN / 8);
	}
	side_close(&s);
	return true;
}

static bool move(bool apart)
{
	int there[2], back[2], status, ok = 0, i;
	pid_t pid;

	CHECK(!pipe(there) && !pipe(back));
	for (i = 0; i < 2; i++) {
		pid = fork();
		CHECK(pid >= 0);
		if (!pid)
			_exit(!one_side(!i, apart, i ? there[0] : back[0], i ? back[1] : there[1]));
	}
	for (i = 0; i < 2; i++) {
		if (wait(&status) > 0 && WIFEXITED(status) && !WEXITSTATUS(status))
			ok++;
	}
	close(there[0]);
	close(there[1]);
	close(back[0]);
	close(back[1]);
	CHECK_EQ(ok, 2);
	return nothing_left();
}

int main(void)
{
	result(move(false), "1 GiB", "within a node");
	if (!nodes_are_one())
		result(move(true), "1 GiB", "between nodes");
	return results_end();
}
